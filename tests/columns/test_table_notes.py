"""What is said about a table: how many faults it has, that it is read as text, and what is not looked for in one."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from eightfold import cli
from eightfold.cli.commands.repair import datasets
from tests.support.table_files import KINDS, ill_named, strings, written

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


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dataset for one file, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(datasets, "processors", lambda: 1)
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


ALONE_AND_IN_A_DATASET = {"alone": [], "dataset": ["--runner", "local"]}


def repair_line(way: str, path: Path) -> list[str]:
    """Return the command that repairs a file of a dataset alone, or the dataset."""
    source = path.parent if way == "dataset" else path
    return ["repair", *ALONE_AND_IN_A_DATASET[way], source.name if way == "dataset" else str(source)]


@pytest.mark.parametrize("way", ALONE_AND_IN_A_DATASET)
@pytest.mark.parametrize("kind", KINDS)
def test_the_row_that_a_policy_cannot_repair_is_one_of_the_file(
    kind: str, way: str, given: Path, tmp_path: Path, capsys: Any
) -> None:
    path = written(given, kind, pa.table({"name": strings([b"a", b"b", b"c", b"caf\xe9"])}))
    output = ["--errors", "strict", "-o", str(tmp_path / f"new.{kind}")]
    assert cli.main([*repair_line(way, path), *output]) == 1
    assert "column name, row 3: " in capsys.readouterr().err


@pytest.mark.parametrize("way", ALONE_AND_IN_A_DATASET)
@pytest.mark.parametrize("kind", KINDS)
def test_a_name_that_a_policy_cannot_repair_is_shown(
    kind: str, way: str, given: Path, tmp_path: Path, capsys: Any
) -> None:
    path = written(given, kind, ill_named())
    assert cli.main([*repair_line(way, path), "--errors", "strict", "-o", str(tmp_path / f"new.{kind}")]) == 1
    told = capsys.readouterr().err
    assert 'names and metadata, "caf\\\\xe9": ' in told
    assert "sequence E9" in told


@pytest.mark.parametrize("way", ALONE_AND_IN_A_DATASET)
def test_a_dataset_counts_what_a_file_alone_counts(way: str, given: Path, tmp_path: Path, capsys: Any) -> None:
    path = written(given, "parquet", pa.table({"name": strings(["\uef80".encode()])}))
    assert cli.main([*repair_line(way, path), "-o", str(tmp_path / "new.parquet")]) == 0
    assert ": 1 change, 0 lossy" in capsys.readouterr().err
    os.replace(ill_named_in_metadata(tmp_path, "parquet"), path)
    assert cli.main([*repair_line(way, path), "-o", str(tmp_path / "newer.parquet")]) == 0
    assert ": 9 changes, 0 lossy" in capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_of_any_length_is_cut_where_faults_repeat_it(kind: str, tmp_path: Path, capsys: Any) -> None:
    inner = pa.StructArray.from_arrays([strings([b"\xff"] * 20)], ["y" * 100_000])
    path = written(tmp_path, kind, pa.table({"x" * 100_000: strings([b"\xff"] * 20), "s": inner}))
    assert cli.main(["check", "--output-format", "json", str(path)]) == 1
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert {fault["cell"]["column"] for fault in file["faults"]} == {f'"{"x" * 100}…"', f's."{"y" * 100}…"'}
    root, plan = ["repair", "--root", str(tmp_path)], str(tmp_path / "plan")
    for line in (["--plan", plan, str(path)], ["--apply", plan], ["--undo", plan]):
        assert cli.main([*root, *line]) == 0
    assert (tmp_path / "plan").stat().st_size < 50_000
