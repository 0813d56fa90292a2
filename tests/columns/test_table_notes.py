"""What is said about a table: how many faults it has, that it is read as text, and what is not looked for in one."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from eightfold import cli
from tests.support.table_files import KINDS, written

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def test_what_makes_a_table_be_read_as_one_is_said_where_it_is_read_as_text(tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, "parquet")
    for command in (["check", "--binary"], ["repair", "--binary"]):
        cli.main([*command, str(tmp_path)])
        assert f"{path}: is Parquet, not text: give its path, not that of its folder\n" in capsys.readouterr().err
    packed = tmp_path / f"{path.name}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    hint = "is Parquet, not text: decompress it to a file with a name that ends in .parquet\n"
    for command, status in ((["check"], 1), (["repair", "-o", str(tmp_path / "fixed")], 2)):
        assert cli.main([*command, str(packed)]) == status
        assert f"{packed}: {hint}" in capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "command", [["check"], ["repair"], ["repair", "--escapes", "repair"], ["check", "--escapes-in", "!*"]], ids=" ".join
)
def test_that_escapes_in_json_are_not_looked_for_is_said_where_they_are_asked_for(
    kind: str, command: list[str], tmp_path: Path, capsys: Any
) -> None:
    path = written(tmp_path, kind)
    said = "escapes in JSON are not looked for in "
    cli.main([*command, str(path)])
    assert said not in capsys.readouterr().err
    cli.main([*command[:1], "--escapes-in", "*", *command[1:], str(path)])
    assert (f"eightfold: {path}: {said}" in capsys.readouterr().err) is ("!*" not in command)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["utf-16-le", "utf-32", "windows-1252"])
def test_strings_are_of_bytes_and_of_a_form_of_the_family(kind: str, form: str, tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, kind)
    assert cli.main(["check", "-f", form, str(path)]) == 2
    said = capsys.readouterr().err
    assert f"eightfold: {path}: strings of " in said
    assert f" cannot be checked as {form}\n" in said


def ill_named_in_metadata(tmp_path: Path, kind: str) -> Path:
    """Return a file with nine faults in names and metadata, some of them in one text."""
    schema = pa.schema(
        [pa.field(b"a\xff\xfe\xff", pa.string())], metadata={b"k\xff": b"v\xff\xff", b"ok": b"\xfe\xfe\xfe"}
    )
    return written(tmp_path, kind, pa.Table.from_arrays([pa.array(["ok"])], schema=schema))


@pytest.mark.parametrize("kind", KINDS)
def test_a_dry_run_a_repair_and_a_plan_count_the_same_faults(kind: str, tmp_path: Path, capsys: Any) -> None:
    path, new = ill_named_in_metadata(tmp_path, kind), tmp_path / f"fixed.{kind}"
    root = ["--root", str(tmp_path)]
    for line in (
        [],
        ["-o", str(new)],
        ["--verify", "-o", str(tmp_path / f"other.{kind}")],
        ["--plan", str(tmp_path / "plan"), *root],
    ):
        cli.main(["repair", *line, str(path)])
        assert ": 9 changes, 0 lossy" in capsys.readouterr().err


def test_a_table_whose_statistics_alone_are_ill_formed_is_said_not_to_be_in_the_plan(
    tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"name": ["aaa", "zzz"]}), path, use_dictionary=False, compression="none")
    head, _, tail = path.read_bytes().rpartition(b"zzz")
    path.write_bytes(head + b"z\xff\xff" + tail)
    assert cli.main(["check", str(path)]) == 1
    assert cli.main(["repair", "--root", str(tmp_path), "--plan", str(tmp_path / "plan"), str(path)]) == 0
    said = capsys.readouterr().err
    assert f"{path} is not in the plan, which lists values, names and metadata" in said
    assert "0 in the plan: 2 changes, 0 lossy" in said
