"""`convert --in-place` that is stopped and run again: every file is converted once, whatever stopped the run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from eightfold.cli import main
from eightfold.files.records.journals import NAME
from support.kills import kills_until_done
from support.trees import found_in, opened_deep_folder

# What becomes of UTF-8 that is read as UTF-16 is again UTF-16 without a fault: nothing would warn of a second time.
LINE = ["convert", "-f", "utf-16-le", "-t", "utf-8", "--in-place"]
CAME_BEFORE = "eightfold: {} already converted by an interrupted run\n"
Captured = pytest.CaptureFixture[str]


def make(folder: Path, count: int) -> dict[Path, bytes]:
    """Make files in folders of UTF-16, and return what they should become."""
    wanted = {}
    for number in range(count):
        path = folder / f"{number % 3}" / f"{number:03}.txt"
        path.parent.mkdir(exist_ok=True)
        text = f"line {number:04}\n" * 50
        path.write_bytes(text.encode("utf-16-le"))
        wanted[path] = text.encode()
    return wanted


def faulty(folder: Path) -> Path:
    path = folder / "2" / "faulty.txt"
    path.write_bytes("one".encode("utf-16-le") + b"\x00\xd8")
    return path


def test_a_run_that_ends_well_leaves_no_journal(tmp_path: Path) -> None:
    wanted = make(tmp_path, 9)
    assert main([*LINE, str(tmp_path)]) == 0
    assert found_in(tmp_path) == wanted


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_killed_at_any_moment_and_run_again_all_is_converted_once(jobs: str, tmp_path: Path) -> None:
    wanted = make(tmp_path, 120)
    made = {path: path.read_bytes() for path in wanted}

    def whole() -> None:
        assert all(path.read_bytes() in (made[path], wanted[path]) for path in wanted)

    # Killed after its last step, and before its exit status, a run has done all and leaves no journal.
    line = [*LINE, "-j", jobs, str(tmp_path)]
    assert kills_until_done(line, tmp_path, made, whole, lambda: found_in(tmp_path) == wanted)
    assert found_in(tmp_path) == wanted


@pytest.mark.parametrize("removed", range(4))
def test_killed_while_the_journals_go_nothing_is_converted_again(
    removed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    wanted = make(tmp_path, 9)
    unlink, gone = os.unlink, []

    def killed(path: str, **folder: int | None) -> None:
        if path.endswith(NAME):
            if len(gone) == removed:
                raise KeyboardInterrupt
            gone.append(path)
        unlink(path, **folder)

    monkeypatch.setattr(os, "unlink", killed)
    assert main([*LINE, str(tmp_path)]) == (0 if removed == 3 else 130)
    monkeypatch.setattr(os, "unlink", unlink)
    if removed < 3:
        for paths in (["2", "1", "0"], ["."]) if removed == 1 else (["."],):
            monkeypatch.chdir(tmp_path)
            if any(name.endswith(NAME) for name in map(str, found_in(tmp_path))):
                assert main([*LINE, *paths]) == 0
                nothing_left = "an interrupted run had already converted every file: nothing is left to do\n"
                known = f"eightfold: {nothing_left}" if removed else CAME_BEFORE.format("9 files")
                assert known in capsys.readouterr().err
    assert found_in(tmp_path) == wanted


def test_after_a_fault_the_rest_is_converted_and_nothing_twice(tmp_path: Path, capsys: Captured) -> None:
    wanted = make(tmp_path, 9)
    fault = faulty(tmp_path)
    assert main([*LINE, str(tmp_path)]) == 1
    assert "incomplete: run the command again" in capsys.readouterr().err
    assert main([*LINE, str(tmp_path)]) == 1
    assert CAME_BEFORE.format("9 files") in capsys.readouterr().err
    fault.write_bytes("one".encode("utf-16-le"))
    assert main([*LINE, str(tmp_path)]) == 0
    assert found_in(tmp_path) == {**wanted, fault: b"one"}


@pytest.mark.parametrize("paths", [["0", "1", "2"], ["0/000.txt", "0/003.txt", "1", "."]], ids=" ".join)
def test_what_is_done_is_known_by_whichever_path(
    paths: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = make(tmp_path, 9)
    fault = faulty(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main([*LINE, str(tmp_path)]) == 1
    fault.unlink()
    assert main([*LINE, *paths]) == 0
    assert {path: data for path, data in found_in(tmp_path).items() if path.name != NAME} == wanted


def test_a_file_that_was_changed_since_is_refused(tmp_path: Path, capsys: Captured) -> None:
    wanted = make(tmp_path, 3)
    fault = faulty(tmp_path)
    assert main([*LINE, str(tmp_path)]) == 1
    fault.unlink()
    edited = tmp_path / "0" / "000.txt"
    edited.write_bytes(b"edited by hand!\n")
    assert main([*LINE, str(tmp_path)]) == 2
    assert "000.txt: it was changed after an interrupted run converted it" in capsys.readouterr().err
    assert edited.read_bytes() == b"edited by hand!\n"
    edited.write_bytes(wanted[edited])
    assert main([*LINE, str(tmp_path)]) == 0
    assert found_in(tmp_path) == wanted


def test_another_conversion_is_refused_until_the_first_is_done(tmp_path: Path, capsys: Captured) -> None:
    make(tmp_path, 3)
    faulty(tmp_path)
    assert main([*LINE, str(tmp_path)]) == 1
    before = found_in(tmp_path)
    assert main(["convert", "-f", "utf-8", "-t", "utf-16-be", "--in-place", str(tmp_path)]) == 2
    assert "a conversion (from utf-16-le, to utf-8, errors strict) was interrupted here" in capsys.readouterr().err
    assert found_in(tmp_path) == before


def test_a_line_that_was_cut_off_counts_for_nothing(tmp_path: Path) -> None:
    wanted = make(tmp_path, 4)
    fault = faulty(tmp_path)
    # One after the other, so that the last line is that of the last file.
    assert main([*LINE, "-j", "1", str(tmp_path)]) == 1
    fault.unlink()
    journal = tmp_path / "0" / NAME
    last = sorted(tmp_path.glob("0/*.txt"))[-1]
    last.write_bytes(wanted[last].decode().encode("utf-16-le"))
    journal.write_bytes(journal.read_bytes()[:-20])
    assert main([*LINE, str(tmp_path)]) == 0
    assert found_in(tmp_path) == wanted


@pytest.mark.parametrize(
    "data", [b"what is this?\n", b'{"eightfold": "plan", "version": 1}\n', b"[]\n[]\n[]\n", b"no line"]
)
def test_what_is_no_journal_is_refused(data: bytes, tmp_path: Path, capsys: Captured) -> None:
    make(tmp_path, 1)
    (tmp_path / "0" / NAME).write_bytes(data)
    before = found_in(tmp_path)
    assert main([*LINE, str(tmp_path)]) == 2
    assert f"{NAME}: this is not a journal of a conversion" in capsys.readouterr().err
    assert found_in(tmp_path) == before


@pytest.mark.parametrize("end", [0, 10, 60])
def test_a_journal_that_was_cut_off_in_its_first_lines_counts_for_nothing(end: int, tmp_path: Path) -> None:
    make(tmp_path, 1)
    faulty_too = tmp_path / "0" / "faulty.txt"
    faulty_too.write_bytes(b"\x00\xd8")
    assert main([*LINE, str(tmp_path)]) == 1
    journal = tmp_path / "0" / NAME
    journal.write_bytes(journal.read_bytes()[:end])
    wanted = make(tmp_path, 1)
    faulty_too.unlink()
    assert main([*LINE, str(tmp_path)]) == 0
    assert found_in(tmp_path) == wanted


def test_a_run_goes_on_in_a_folder_whose_path_is_longer_than_the_system_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    # The path of the folder is just not too long, wherever temporary folders are.
    folder = opened_deep_folder(min(3_999, 4_090 - len(os.fsencode(tmp_path))))

    def write(name: str, data: bytes) -> None:
        with open(os.open(name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, dir_fd=folder), "wb") as file:
            file.write(data)

    write("a" * 90, "text".encode("utf-16-le"))
    write("b" * 90, b"\x00\xd8")
    assert main([*LINE, "."]) == 1
    write("b" * 90, "more".encode("utf-16-le"))
    capsys.readouterr()
    assert main([*LINE, "."]) == 0
    assert "1 file already converted by an interrupted run" in capsys.readouterr().err
    assert sorted(os.listdir(folder)) == ["a" * 90, "b" * 90]
    for name, data in (("a" * 90, b"text"), ("b" * 90, b"more")):
        with open(os.open(name, os.O_RDONLY, dir_fd=folder), "rb") as file:
            assert file.read() == data
    os.close(folder)


def test_what_was_not_replaced_after_all_can_be_converted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    wanted = make(tmp_path, 1)
    (path,) = wanted
    changed = "changed meanwhile\n".encode("utf-16-le")
    replace = os.replace

    def full(source: str, target: str, **folders: int | None) -> None:
        path.write_bytes(changed)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert main([*LINE, str(tmp_path)]) == 2
    monkeypatch.setattr(os, "replace", replace)
    assert path.read_bytes() == changed
    assert main([*LINE, str(tmp_path)]) == 0
    assert found_in(tmp_path) == {path: b"changed meanwhile\n"}


def test_nothing_converted_leaves_no_journal(tmp_path: Path) -> None:
    path = tmp_path / "faulty.txt"
    path.write_bytes(b"\x00\xd8")
    assert main([*LINE, str(path)]) == 1
    assert found_in(tmp_path) == {path: b"\x00\xd8"}


@pytest.mark.parametrize("to", ["z.txt", "deep/0.txt", "../1/z.txt"])
def test_what_was_converted_is_known_under_another_name(to: str, tmp_path: Path, capsys: Captured) -> None:
    wanted, spoilt = make(tmp_path, 9), faulty(tmp_path)
    assert main([*LINE, str(tmp_path)]) == 1
    path = tmp_path / "0" / "000.txt"
    moved = path.parent / to
    moved.parent.mkdir(exist_ok=True)
    path.rename(moved)
    spoilt.write_bytes("one".encode("utf-16-le"))
    capsys.readouterr()
    assert main([*LINE, str(tmp_path)]) == 0
    assert capsys.readouterr().err.startswith(CAME_BEFORE.format("9 files"))
    text = wanted.pop(path)
    assert found_in(tmp_path) == {**wanted, moved.resolve(): text, spoilt: b"one"}


def test_what_else_would_replace_a_file_waits_for_the_conversion(tmp_path: Path, capsys: Captured) -> None:
    make(tmp_path, 9)
    late = faulty(tmp_path)
    assert main([*LINE, str(tmp_path)]) == 1
    late.write_bytes(b"h\xe9")
    before, plan = found_in(tmp_path), str(tmp_path.parent / f"{tmp_path.name}.plan")
    root = ["--root", str(tmp_path)]
    assert main(["repair", "--errors", "latin-1", "--plan", plan, *root, str(late)]) == 0
    capsys.readouterr()
    ways = (
        ["repair", "--errors", "latin-1", "--lossy", "--in-place", str(late)],
        ["repair", "--errors", "latin-1", "--lossy", "-o", str(late), str(late)],
        ["repair", "--apply", plan, *root],
        ["convert", "-f", "latin-1", "-t", "utf-8", "-o", str(late), str(late)],
    )
    for line in ways:
        assert main(line) == 2
        assert "2/.conversion-journal.eightfold.tmp: a conversion (" in capsys.readouterr().err
    assert found_in(tmp_path) == before
