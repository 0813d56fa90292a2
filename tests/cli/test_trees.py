"""What `convert` and `repair` take of a folder: as `check` does, and neither backups nor binary files in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from eightfold import repair
from eightfold.cli import main

FAULTY = b"caf\xe9\n"
BINARY = b"\x89PNG\x00\xff"
FILES = {
    "a.txt": FAULTY,
    "b.log": FAULTY,
    "deep/c.txt": FAULTY,
    "made/d.txt": FAULTY,
    "image.png": BINARY,
    ".gitignore": b"made/\n",
    "e.txt.orig": FAULTY,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / ".git").mkdir()
    return tmp_path


def changed(folder: Path) -> set[str]:
    return {name for name, data in FILES.items() if (folder / name).read_bytes() != data}


TAKEN = [
    ([], {"a.txt", "b.log", "deep/c.txt", "e.txt.orig"}),
    (["--include", "*.txt"], {"a.txt", "deep/c.txt"}),
    (["--exclude", "deep/", "--exclude", "*.orig"], {"a.txt", "b.log"}),
    (["--no-ignore", "--include", "*.txt"], {"a.txt", "deep/c.txt", "made/d.txt"}),
    (["--binary", "--include", "*.png"], {"image.png"}),
    (["--backup", ".orig"], {"a.txt", "b.log", "deep/c.txt"}),
]


@pytest.mark.parametrize(
    "command", [["repair"], ["convert", "-t", "utf-8", "--errors", "replace"]], ids=["repair", "convert"]
)
@pytest.mark.parametrize(("options", "names"), TAKEN, ids=lambda each: " ".join(sorted(each)))
def test_what_is_taken_of_a_folder(command: list[str], options: list[str], names: set[str], folder: Path) -> None:
    assert main([*command, "--in-place", *options, "."]) == 0
    assert changed(folder) == names


def test_a_plan_holds_what_is_taken(folder: Path) -> None:
    assert main(["repair", "--plan", "plan.jsonl", "--include", "*.txt", "."]) == 0
    assert main(["repair", "--apply", "plan.jsonl"]) == 0
    assert changed(folder) == {"a.txt", "deep/c.txt"}
    assert main(["repair", "--undo", "plan.jsonl", "--include", "a.txt"]) == 2
    assert main(["repair", "--undo", "plan.jsonl"]) == 0
    assert changed(folder) == set()


@pytest.mark.parametrize(
    "command", [["repair"], ["convert", "-t", "utf-8", "--errors", "replace"]], ids=["repair", "convert"]
)
@pytest.mark.parametrize("way", [["--in-place"], ["--diff"], ["-o", "out"]], ids=" ".join)
def test_binary_files_are_left_alone_and_counted(
    command: list[str], way: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([*command, *way, "."])
    assert "eightfold: 1 binary file skipped (--binary)\n" in capsys.readouterr().err
    assert (folder / "image.png").read_bytes() == BINARY
    assert not (folder / "out/image.png").exists()


@pytest.mark.parametrize("command", [["repair"], ["convert", "-t", "utf-16", "-f", "xtf-8"]], ids=["repair", "convert"])
def test_what_is_taken_for_a_backup_is_left_alone_and_counted(
    command: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "--in-place", "--backup", ".txt", "."]) == 0
    assert "eightfold: 2 files skipped: names that end in .txt are backups (--backup)\n" in capsys.readouterr().err
    assert changed(folder) - {".gitignore"} == {"b.log", "e.txt.orig"}


def test_a_binary_file_that_is_given_is_repaired(folder: Path) -> None:
    assert main(["repair", "--in-place", "image.png"]) == 0
    assert (folder / "image.png").read_bytes() == repair.repair(BINARY)


def test_forms_of_wider_units_hold_bytes_of_0(folder: Path) -> None:
    (folder / "wide").mkdir()
    (folder / "wide/text").write_bytes("text".encode("utf-16-le"))
    assert main(["convert", "-f", "utf-16-le", "-t", "utf-8", "--in-place", "wide"]) == 0
    assert (folder / "wide/text").read_bytes() == b"text"
