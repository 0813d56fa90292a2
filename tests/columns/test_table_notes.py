"""What is said about a table that is read as text, and about what is not looked for in one."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from eightfold import cli
from tests.support.table_files import KINDS, written

pytest.importorskip("pyarrow")


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
