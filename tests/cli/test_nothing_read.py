"""Where no file was read nothing is called clean: a warning, and under `--strict` a failure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command_line import run_here

ALL_CLEAR = b"no faults"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/words.txt").write_bytes(b"fine\n")
    (tmp_path / "binary").mkdir()
    (tmp_path / "binary/image").write_bytes(b"\x89PNG\0\xff")
    (tmp_path / "empty").mkdir()
    return tmp_path


SELECTIONS = [["--include", "*.csv", "tree"], ["--exclude", "*.txt", "tree"], ["binary"], ["empty"], ["empty", "empty"]]


@pytest.mark.parametrize("arguments", SELECTIONS, ids=" ".join)
def test_check_warns(arguments: list[str], folder: Path) -> None:
    done = run_here("check", *arguments, cwd=folder)
    assert done.returncode == 0
    assert b"nothing was read\neightfold: warning: no file was read; see " in done.stderr
    assert ALL_CLEAR not in done.stdout + done.stderr
    assert run_here("check", "--strict", *arguments, cwd=folder).returncode == 1


@pytest.mark.parametrize("name", ["text", "json", "jsonl", "github", "sarif"])
def test_so_it_does_in_every_format(name: str, folder: Path) -> None:
    done = run_here("check", "--output-format", name, "empty", cwd=folder)
    assert b"eightfold: warning: no file was read" in done.stderr
    assert ALL_CLEAR not in done.stdout + done.stderr
    if name == "json":
        assert json.loads(done.stdout)["summary"]["files"] == 0
    if name == "github":
        assert done.stdout == b"::warning title=eightfold::0 files checked, nothing was read\n"


def test_what_selects_is_named(folder: Path) -> None:
    said = run_here("check", "--include", "*.csv", "tree", cwd=folder).stderr.decode()
    assert "see --include, --no-ignore\n" in said
    assert "see --no-ignore, --binary\n" in run_here("check", "binary", cwd=folder).stderr.decode()
    assert "see the PATHs\n" in run_here("check", "--no-ignore", "empty", cwd=folder).stderr.decode()


def test_no_ignore_is_named_only_where_there_are_files(folder: Path) -> None:
    (folder / "empty/inner").mkdir()
    for arguments in (["empty"], ["empty", "empty/inner"]):
        assert "see the PATHs\n" in run_here("check", *arguments, cwd=folder).stderr.decode()
    (folder / "empty/inner/.gitignore").write_bytes(b"*\n")
    (folder / "empty/inner/a").write_bytes(b"fine\n")
    assert "see --no-ignore\n" in run_here("check", "empty", cwd=folder).stderr.decode()


def test_files_that_cannot_be_read_are_not_clean_either(folder: Path) -> None:
    done = run_here("check", "missing", cwd=folder)
    assert (done.returncode, ALL_CLEAR in done.stderr) == (2, False)
    assert done.stderr.endswith(b"1 file checked, 1 unreadable: nothing was read\n")
    done = run_here("check", "missing", "tree", cwd=folder)
    assert done.stderr.endswith(b"2 files checked, 1 unreadable: no faults in the files that were read\n")


def test_an_empty_file_and_an_empty_input_were_read(folder: Path) -> None:
    (folder / "empty.txt").write_bytes(b"")
    for arguments in (["empty.txt"], []):
        done = run_here("check", "--strict", *arguments, cwd=folder, input=b"")
        assert (done.returncode, done.stderr) == (0, b"eightfold: 1 file checked: no faults\n")


COMMANDS = [
    ["repair"],
    ["repair", "--in-place"],
    ["repair", "--diff"],
    ["convert", "-t", "utf-16", "--in-place"],
    ["convert", "-t", "utf-16", "--diff"],
    ["convert", "-t", "utf-16", "-o", "out"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(("path", "hint"), [("empty", b"the PATHs\n"), ("binary", b"--no-ignore, --binary\n")])
def test_other_commands_warn(command: list[str], path: str, hint: bytes, folder: Path) -> None:
    (folder / "out").mkdir()
    done = run_here(*command, path, cwd=folder)
    assert done.returncode == 0
    assert done.stderr.count(b"eightfold: warning: no file was read; see " + hint) == 1
    done = run_here(*command, "tree", cwd=folder)
    assert b"warning" not in done.stderr


def test_identify_warns(folder: Path) -> None:
    assert run_here("identify", "empty", cwd=folder).stderr == b"eightfold: warning: no file was read\n"
    assert run_here("identify", "tree", cwd=folder).stderr == b""
