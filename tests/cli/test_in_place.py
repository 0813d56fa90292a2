"""Files replaced in place, by `convert`, `repair` and plans: by one run at a time, each of them once."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

import eightfold
from eightfold import repair
from eightfold.cli import main
from eightfold.files import FileError
from eightfold.files.records import journal, journals
from eightfold.files.records.journal import Journal
from eightfold.files.write import locks
from eightfold.files.write.locks import held
from support.command_line import ENVIRONMENT, command, run
from support.kills import kills_until_done
from support.trees import found_in

on_posix = pytest.mark.skipif(os.name != "posix", reason="needs locks, pipes and signals")
Captured = pytest.CaptureFixture[str]

# What each of these writes is changed again by a second time.
CONVERT = ["convert", "-f", "utf-8", "-t", "utf-16-le", "--errors", "replace", "--in-place"]
REPAIRS = [("utf-8", "escape"), ("mutf-8", "escape"), ("cesu-8", "latin-1"), ("xtf-8", "escape")]
DATA = b"one \xee\xbe\x80\xff two\xc0\x80 \xed\xa0\xbd\xed\xb8\x80 caf\xe9\n"


def line(form: str, errors: str) -> list[str]:
    return ["repair", "-f", form, "--errors", errors, "--lossy", "--in-place"]


def make(folder: Path, count: int) -> dict[Path, bytes]:
    made = {}
    for number in range(count):
        path = folder / f"{number % 3}" / f"{number:03}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        made[path] = DATA * (number + 1)
        path.write_bytes(made[path])
    return made


def once(data: bytes, form: str, errors: str) -> bytes:
    result = repair.repair(data, form, errors)
    with suppress(eightfold.ConversionError):
        assert repair.repair(result, form, errors) != result, "a second time would be seen"
    return result


@on_posix
def test_a_file_that_is_its_own_result_leaves_nothing_behind_where_a_run_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, backup = tmp_path / "same.txt", tmp_path / "same.txt.orig"
    arguments = ["convert", "-f", "cesu-8", "-t", "utf-8", "--in-place", "--backup", ".orig", str(tmp_path)]
    path.write_text("the same in both\n")
    killed = "import os; from eightfold.files.paths import entries; from eightfold.cli import main; import sys\n"
    killed += "entries.Entry.replace = lambda *_: os.kill(os.getpid(), 9)\nmain(sys.argv[1:])"
    assert subprocess.run([sys.executable, "-c", killed, *arguments], env=ENVIRONMENT, check=False).returncode == -9
    assert len(found_in(tmp_path)) == 4, "a journal, a temporary file and a backup"
    assert subprocess.run(command(*arguments), env=ENVIRONMENT, check=False).returncode == 0
    assert sorted(found_in(tmp_path)) == [path, backup]


# --- stopped and begun again ------------------------------------------------------------------------------------------


@on_posix
@pytest.mark.parametrize(("form", "errors"), REPAIRS)
def test_killed_at_any_moment_and_run_again_all_is_repaired_once(form: str, errors: str, tmp_path: Path) -> None:
    made = make(tmp_path / "tree", 60)
    goal = {path: once(data, form, errors) for path, data in made.items()}

    def whole() -> None:
        assert all(path.read_bytes() in (made[path], goal[path]) for path in made)

    assert kills_until_done([*line(form, errors), "tree"], tmp_path, made, whole, lambda: found_in(tmp_path) == goal)
    assert found_in(tmp_path) == goal


def test_after_a_fault_the_rest_is_repaired_and_nothing_twice(tmp_path: Path, capsys: Captured) -> None:
    made = make(tmp_path, 6)
    goal = {path: once(data, "utf-8", "escape") for path, data in made.items()}
    refused = tmp_path / "1" / "refused.txt"
    refused.write_bytes(b"\xff")
    os.link(refused, tmp_path / "other-name")
    arguments = [*line("utf-8", "escape"), *(str(tmp_path / name) for name in "012")]
    assert main(arguments) == 2
    assert "incomplete: run the command again; finished files are skipped\n" in (capsys.readouterr().err)
    (tmp_path / "other-name").unlink()
    assert main(arguments) == 0
    assert "6 files already repaired by an interrupted run\n" in capsys.readouterr().err
    assert found_in(tmp_path) == {**goal, refused: repair.repair(b"\xff")}


def test_what_would_be_left_alone_a_second_time_needs_no_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, 3)
    monkeypatch.setattr(Journal, "_append", lambda *_: pytest.fail("there is one"))
    with held([str(tmp_path)]):
        assert main([*line("utf-8", "replace"), str(tmp_path)]) == 0
    before = found_in(tmp_path)
    assert main([*line("utf-8", "replace"), str(tmp_path)]) == 0
    assert found_in(tmp_path) == before


def test_a_line_that_does_not_fit_on_the_disk_leaves_a_journal_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    made = make(tmp_path, 9)
    synced, times = os.fsync, iter(range(99))

    def full(descriptor: int) -> None:
        if next(times) in (2, 6, 9):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        synced(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    assert main([*line("utf-8", "escape"), str(tmp_path)]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert main([*line("utf-8", "escape"), str(tmp_path)]) == 0
    assert found_in(tmp_path) == {path: once(data, "utf-8", "escape") for path, data in made.items()}


@pytest.mark.parametrize("count", [1, 9])
def test_a_line_of_which_a_part_fits_on_the_disk_leaves_a_journal_whole(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    made = make(tmp_path, count)
    calls = iter(range(99))

    class Full(FileIO):
        def write(self, data: Any, /) -> int:
            if next(calls) != min(count - 1, 1):
                return super().write(data)
            super().write(data[:20])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(journal, "FileIO", Full)
    assert main([*line("utf-8", "escape"), str(tmp_path)]) == 2
    assert "No space left on device" in capsys.readouterr().err
    if count == 1:
        assert found_in(tmp_path) == made, "what was begun in vain is gone"
    assert main([*line("utf-8", "escape"), str(tmp_path)]) == 0
    assert found_in(tmp_path) == {path: once(data, "utf-8", "escape") for path, data in made.items()}


@on_posix
@pytest.mark.parametrize("arguments", [CONVERT, line("mutf-8", "escape")], ids=["convert", "repair"])
def test_a_tree_deeper_than_python_s_calls(arguments: list[str], tmp_path: Path) -> None:
    path = tmp_path / "tree"
    path.mkdir()
    for _ in range(sys.getrecursionlimit() + 300):
        path /= "d"
        path.mkdir()
    (path / "file.txt").write_bytes(b"a\xff")
    done = run(*arguments, "tree", cwd=tmp_path)
    result = (path / "file.txt").read_bytes()
    names = os.listdir(path)
    subprocess.run(["rm", "-r", tmp_path / "tree"], check=True)  # Python calls itself for each folder.
    assert (done.returncode, names) == (0, ["file.txt"]), done.stderr[-300:]
    assert result == ("a\ufffd".encode("utf-16-le") if arguments is CONVERT else repair.repair(b"a\xff", "mutf-8"))


# --- at the same time -------------------------------------------------------------------------------------------------


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_PATIENCE", 0)


@pytest.mark.usefixtures("hurry")
@on_posix
@pytest.mark.parametrize("path", ["tree", "tree/1", "tree/1/001.txt", "."])
@pytest.mark.parametrize("arguments", [CONVERT, line("mutf-8", "escape")], ids=["convert", "repair"])
def test_a_run_is_refused_while_another_is_at_work(
    arguments: list[str], path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    before = make(tmp_path / "tree", 6)
    with held(["tree/1"]):
        assert main([*arguments, path]) == 2
        message = capsys.readouterr().err
        assert message.endswith(
            ": another run is replacing files in this folder or in one below it: try again when it is done\n"
        )
        assert len(message.splitlines()) == 1
        assert found_in(tmp_path) == before
    assert main([*arguments, path]) == 0


@pytest.mark.usefixtures("hurry")
@on_posix
@pytest.mark.parametrize("arguments", [CONVERT, line("mutf-8", "escape")], ids=["convert", "repair"])
def test_a_run_holds_its_folders_to_the_end(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "tree", 6)
    unlink, refused = os.unlink, []

    def seen(path: str, **folder: int | None) -> None:
        if path.endswith(journals.NAME):
            with pytest.raises(FileError), held([str(tmp_path / "tree" / "1")]):
                pass
            refused.append(path)
        unlink(path, **folder)

    monkeypatch.setattr(os, "unlink", seen)  # The journals are the last to go.
    assert main([*arguments, str(tmp_path / "tree")]) == 0
    assert len(refused) == 3
    with held([str(tmp_path)]):
        pass


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize("way", ["--apply", "--undo"])
def test_a_plan_is_not_followed_while_another_run_is_at_work(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "tree", 6)
    assert main(["repair", "--plan", "plan.jsonl", "tree"]) == 0
    if way == "--undo":
        assert main(["repair", "--apply", "plan.jsonl"]) == 0
    before = found_in(tmp_path)
    with held(["tree/2"]):
        capsys.readouterr()
        assert main(["repair", way, "plan.jsonl"]) == 2
        assert "another run is replacing files in this folder" in capsys.readouterr().err
        assert found_in(tmp_path) == before
        assert main(["repair", way, "plan.jsonl", "tree/1"]) == 2, "a plan is held as a whole"
    assert main(["repair", way, "plan.jsonl"]) == 0
    assert found_in(tmp_path) != before


@on_posix
def test_a_journal_ends_though_what_was_left_needs_no_repair_any_more(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(rb'{"a": "\ud800"}')
    (tmp_path / "b.txt").write_bytes(b"h\xff")
    os.link(tmp_path / "b.txt", tmp_path / "c.txt")
    repaired = ["repair", "--in-place", "--lossy", "--escapes", "repair", str(tmp_path)]
    assert main(repaired) == 2
    for name in ("b.txt", "c.txt"):
        (tmp_path / name).unlink()
    assert main(repaired) == 0
    assert [*found_in(tmp_path)] == [tmp_path / "a.json"]


@pytest.mark.parametrize(
    "part", [["tree/a.txt"], ["tree"], ["--include", "a.txt", "."], ["tree/a.txt", "tree/b.txt"], ["a.txt", "tree"]]
)
def test_a_run_over_fewer_files_leaves_the_journal_to_the_one_over_more(
    part: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree").mkdir()
    for name in ("a.txt", "b.txt", "tree/a.txt", "tree/b.txt"):
        (tmp_path / name).write_bytes(b"\xe9")
    os.link("b.txt", "c.txt")
    line = ["convert", "-f", "latin-1", "-t", "utf-8", "--in-place"]
    assert main([*line, "."]) == 2, "files with two names are refused"
    assert main([*line, *part]) == 0
    Path("c.txt").unlink()
    assert main([*line, "."]) == 0
    assert list(found_in(tmp_path).values()) == ["é".encode()] * 4


def test_a_run_over_more_files_ends_the_journals_of_one_over_fewer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree").mkdir()
    for name in ("a.txt", "b.txt", "tree/c.txt"):
        (tmp_path / name).write_bytes(b"\xe9")
    os.link("tree/c.txt", "tree/d.txt")
    line = ["convert", "-f", "latin-1", "-t", "utf-8", "--in-place"]
    assert main([*line, "a.txt", "tree"]) == 2
    Path("tree/d.txt").unlink()
    assert main([*line, "."]) == 0
    assert found_in(tmp_path) == {tmp_path / name: "é".encode() for name in ("a.txt", "b.txt", "tree/c.txt")}


def test_one_after_the_other_both_are_done(tmp_path: Path) -> None:
    make(tmp_path, 3)
    for folder in "01":
        assert run(*line("mutf-8", "escape"), folder, cwd=tmp_path).returncode == 0


@on_posix
def test_many_processes_each_with_a_file_of_one_folder_are_all_done(tmp_path: Path) -> None:
    names = [f"{number}.txt" for number in range(8)]
    for name in names:
        (tmp_path / name).write_text(name)
    started = [
        subprocess.Popen(command(*CONVERT, name), cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.PIPE)
        for name in names
    ]
    assert [(process.communicate()[1], process.returncode) for process in started] == [(b"", 0)] * len(names)
    assert [(tmp_path / name).read_text("utf-16-le") for name in names] == names
