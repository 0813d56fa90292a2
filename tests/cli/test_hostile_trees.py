"""Trees and journals that an enemy wrote: nothing outside is read, moved, removed or written.

Every command runs in a clone of such a tree, beside which something precious lies.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from eightfold.cli import main
from eightfold.files.records import journal
from eightfold.files.records.journals import NAME
from eightfold.files.write.writing import replacing
from support.clones import NESTED, PRECIOUS, Captured, nested, refused
from support.command_line import ENVIRONMENT, PATIENCE, run
from support.peaks import peak
from support.trees import files_in

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes need rights there")
CONVERT = ["convert", "-f", "utf-8", "-t", "utf-16-le", "--in-place"]
REPAIR = ["repair", "--in-place"]
JOURNAL_HEAD = '{"eightfold": "conversion", "version": 1}\n'
CONVERSION = {"from": "utf-8", "to": "utf-16-le", "errors": "strict"}


# --- journals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [CONVERT, [*REPAIR, "-f", "cesu-8"], REPAIR], ids=["convert", "repair -f", "repair"])
@pytest.mark.parametrize("way", ["absolute", "relative", "a link"])
def test_a_planted_journal_removes_nothing(
    line: list[str], way: str, tree: Path, outside: Path, capsys: Captured
) -> None:
    ended = {"absolute": str(outside / "precious"), "relative": "../outside/precious", "a link": "link/precious"}[way]
    (tree / "link").symlink_to(outside)
    conversion = {"from": "utf-8", "to": "utf-16-le", "errors": "strict"}
    lines = [conversion, {"ended": [ended]}]
    (tree / NAME).write_text(JOURNAL_HEAD + "".join(json.dumps(each) + "\n" for each in lines))
    refused([*line, "a.txt"], capsys, f"{NAME}: ", "inspect it, then remove it")
    assert files_in(outside) == {"precious": PRECIOUS}
    assert (tree / "a.txt").read_bytes() == b"text"


@pytest.mark.parametrize("goal", ["precious", "new"])
@pytest.mark.parametrize("line", [CONVERT, [*REPAIR, "-f", "cesu-8", "--lossy"]], ids=["convert", "repair"])
def test_a_journal_that_is_a_link_is_not_followed(
    goal: str, line: list[str], tree: Path, outside: Path, capsys: Captured
) -> None:
    (tree / "a.txt").write_bytes(b"a")
    (outside / "empty").touch()
    (tree / NAME).symlink_to(outside / goal)
    before = files_in(outside)
    refused([*line, "a.txt"], capsys, NAME, "a symbolic link, which is not followed")
    assert files_in(outside) == before


def test_a_journal_that_is_an_empty_file_s_other_name_is_refused(tree: Path, outside: Path, capsys: Captured) -> None:
    (outside / "empty").touch()
    os.link(outside / "empty", tree / NAME)
    refused([*CONVERT, "a.txt"], capsys, NAME, "not a regular file with one name")
    assert files_in(outside)["empty"] == b""


def test_a_journal_that_is_a_pipe_is_refused(tree: Path) -> None:
    os.mkfifo(tree / NAME)
    done = run(*CONVERT, "a.txt", cwd=tree)
    assert (done.returncode, (tree / "a.txt").read_bytes()) == (2, b"text")
    assert b"not a regular file with one name" in done.stderr


STOPPED = "0" * 64


@pytest.mark.parametrize(
    "line",
    [
        {"ended": None},
        {"ended": 5},
        {"ended": ["x"]},
        {"ended": {"a": 1}},
        {"ended": "0" * 32},
        {"ended": "0" * 32, "seal": STOPPED},
        {"ended": "0" * 32, "seal": None},
        {"ended": "0" * 32, "seal": "\ud800"},
        {"ending": "\x1b[31m", "seal": "é"},
        {"name": "a.txt", "original": STOPPED, "result": STOPPED, "seal": STOPPED},
        {"name": 5, "seal": STOPPED},
        {"name": None, "seal": 10**400},
        [],
        5,
        None,
        "text",
        NESTED,
        *(f'{{"seal": "{STOPPED}", "name": {nested(depth)}}}'.encode() for depth in (400, 900, 950)),
        b"\xff",
        b"\xed\xa0\x80",
        b"{",
        b"1" * 10_000,
    ],
    ids=lambda line: str(line)[:40],
)
@pytest.mark.parametrize("second", ["none", "unsealed", "sealed"])
def test_no_line_of_a_journal_makes_a_run_stumble(line: object, second: str, tree: Path, capsys: Captured) -> None:
    seal = {"seal": STOPPED} if second == "sealed" else {}
    head = {"none": [], "unsealed": [CONVERSION], "sealed": [{"run": "0" * 32, "conversion": CONVERSION, **seal}]}[
        second
    ]
    planted = line if isinstance(line, bytes) else (line if line is NESTED else json.dumps(line)).encode()
    data = JOURNAL_HEAD.encode() + b"".join(json.dumps(each).encode() + b"\n" for each in head) + planted + b"\n"
    (tree / NAME).write_bytes(data)
    refused([*CONVERT, "a.txt"], capsys, NAME)
    assert files_in(tree) == {"a.txt": b"text", NAME: data}


def stopped_at_its_end(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Convert the tree, and be stopped before the journals go."""
    (tree / "deep" / "b.txt").write_bytes(b"more")

    unlink = os.unlink

    def killed(path: str, **folder: int | None) -> None:
        if path.endswith(NAME):
            raise KeyboardInterrupt
        unlink(path, **folder)

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", killed)
        assert main([*CONVERT, "."]) == 130
    assert (tree / NAME).exists()
    assert (tree / "deep" / NAME).exists()


def test_a_journal_longer_than_any_line_is_read_only_if_its_head_is_sealed(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    stopped_at_its_end(tree, monkeypatch)
    data = (tree / NAME).read_bytes()
    monkeypatch.setattr(journal, "LONGEST_LINE", data.index(b"\n", len(JOURNAL_HEAD)) + 50)
    (tree / NAME).write_bytes(JOURNAL_HEAD.encode() + b" " * (32 << 20))
    assert peak(lambda: refused([*CONVERT, "a.txt"], capsys, NAME), limit=8 << 20) < 8 << 20
    (tree / NAME).write_bytes(data)
    assert main([*CONVERT, "."]) == 0
    assert "2 files already converted by an interrupted run" in capsys.readouterr().err


def test_a_journal_of_this_user_is_known_and_one_that_was_touched_is_not(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    stopped_at_its_end(tree, monkeypatch)
    journal = (tree / NAME).read_bytes()
    first, head, entry, ending, ended = journal.splitlines(keepends=True)
    _, other_head, other_entry, other_ending, _ = (tree / "deep" / NAME).read_bytes().splitlines(keepends=True)
    strange = "your eightfold did not write it here, or its key is gone"
    copied = f"it is a copy of one in {tree / 'deep'}"
    for forged, words in (
        ([first, head, entry.replace(b"a.txt", b"b.txt")], strange),
        ([first, head.replace(b'"utf-8"', b'"wtf-8"'), entry], strange),
        ([first, head, other_entry], strange),
        ([first, head, entry, other_ending], strange),
        ([first, other_head, entry], copied),
        ([first, other_head, entry, ending, ended], copied),
        ([first, head, entry, ending.replace(b"ending", b"ended")], strange),
    ):
        assert forged != journal.splitlines(keepends=True)[: len(forged)]
        (tree / NAME).write_bytes(b"".join(forged))
        refused([*CONVERT, "a.txt"], capsys, words)
    (tree / NAME).write_bytes(journal)
    assert main([*CONVERT, "."]) == 0
    assert "2 files already converted by an interrupted run" in capsys.readouterr().err
    assert files_in(tree) == {"a.txt": b"t\0e\0x\0t\0", "deep/b.txt": b"m\0o\0r\0e\0"}


def test_a_journal_that_was_copied_into_another_folder_is_refused(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """An old journal, shipped in an archive, could say that all is done where nothing is."""
    stopped_at_its_end(tree, monkeypatch)
    other = tmp_path / "unpacked"
    other.mkdir()
    (other / "b.txt").write_bytes(b"new")
    (other / NAME).write_bytes((tree / NAME).read_bytes())
    refused([*CONVERT, str(other)], capsys, f"it is a copy of one in {tree}: continue there")
    assert (other / "b.txt").read_bytes() == b"new"


def test_a_run_goes_on_in_a_folder_that_was_renamed(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    stopped_at_its_end(tree, monkeypatch)
    moved = tree.parent / "moved"
    tree.rename(moved)
    assert main([*CONVERT, str(moved)]) == 0
    assert "2 files already converted by an interrupted run" in capsys.readouterr().err
    assert files_in(moved) == {"a.txt": b"t\0e\0x\0t\0", "deep/b.txt": b"m\0o\0r\0e\0"}


def test_a_journal_that_is_refused_is_read_and_named_once(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    for name in "bcd":
        (tree / name).write_bytes(b"text \xe9")
    (tree / NAME).write_bytes(b"nothing")
    read = []
    content = journal._content
    monkeypatch.setattr(journal, "_content", lambda way: (read.append(way), content(way))[1])
    assert main([*REPAIR, "."]) == 2
    assert capsys.readouterr().err.count(NAME) == 1
    assert len(read) == 1


def test_another_user_s_journal_is_not_trusted(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped_at_its_end(tree, monkeypatch)
    before = files_in(tree)
    for home in (tmp_path / "home", tmp_path / "not writable"):
        if home.name == "not writable":
            home.write_bytes(b"")
        environment = {**os.environ, "XDG_STATE_HOME": str(home)}
        done = run(*CONVERT, ".", cwd=tree, env=environment)
        assert (done.returncode, files_in(tree)) == (2, before)
        assert b"its key is gone" in done.stderr


def test_a_run_that_was_stopped_beside_one_that_had_ended_is_not_taken_for_it(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    stopped_at_its_end(tree, monkeypatch)
    (tree / NAME).unlink()  # It had come so far.
    (tree / "other").mkdir()
    (tree / "other" / "done.txt").write_bytes(b"x")
    (tree / "other" / "faulty.txt").write_bytes(b"\xff")
    assert main([*CONVERT, "other"]) == 1
    before = files_in(tree)
    capsys.readouterr()
    refused(
        [*CONVERT, "."],
        capsys,
        "a run was interrupted here, and another had ended at",
        "run it again on each folder alone",
    )
    assert files_in(tree) == before


def test_a_run_that_had_ended_does_not_stand_in_the_way_of_another_conversion(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped_at_its_end(tree, monkeypatch)
    assert main(["convert", "-f", "utf-16-le", "-t", "utf-16-be", "--in-place", "."]) == 0
    assert files_in(tree) == {"a.txt": b"\0t\0e\0x\0t", "deep/b.txt": b"\0m\0o\0r\0e"}


def test_a_journal_that_was_cut_off_and_has_nothing_to_say_goes_too(tree: Path) -> None:
    (tree / "deep" / "binary").write_bytes(bytes(9))
    (tree / "deep" / NAME).write_bytes(JOURNAL_HEAD.encode()[:9])
    assert main([*CONVERT, "."]) == 0
    assert files_in(tree) == {"a.txt": b"t\0e\0x\0t\0", "deep/binary": bytes(9)}


def test_a_tree_that_holds_the_key_can_go_on(tree: Path) -> None:
    environment = {**ENVIRONMENT, "XDG_STATE_HOME": str(tree / "state")}
    (tree / "deep" / "linked").hardlink_to(tree / "a.txt")
    (tree / "deep" / "b.txt").write_bytes(b"more")
    line = ["convert", "-f", "latin-1", "-t", "utf-16-le", "--in-place", "."]
    for _ in range(2):
        done = run(*line, cwd=tree, env=environment)
        assert (done.returncode, b"incomplete: run the command again" in done.stderr) == (2, True)
        assert {path.stat().st_size for path in (tree / "state").rglob("*") if path.is_file()} <= {0, 32}
    (tree / "deep" / "linked").unlink()
    assert run(*line, cwd=tree, env=environment).returncode == 0
    assert files_in(tree)["deep/b.txt"] == "more".encode("utf-16-le")


def test_where_no_key_can_be_kept_it_is_said_that_no_run_can_go_on(tree: Path) -> None:
    (tree.parent / "home").touch()
    (tree / "faulty.txt").write_bytes(b"\xff")
    done = run(*CONVERT, ".", cwd=tree, env={**os.environ, "XDG_STATE_HOME": str(tree.parent / "home")})
    assert done.returncode == 1
    assert done.stderr.count(b"cannot store a key (see $XDG_STATE_HOME)") == 1
    assert b"incomplete: the journals list the finished files, and block another run" in done.stderr


@pytest.mark.parametrize("state", ["a link", "open to all", "a file"])
def test_a_private_folder_that_is_not_private_is_not_used(state: str, tree: Path, outside: Path) -> None:
    home = tree.parent / "home"
    home.mkdir()
    folder = home / "eightfold"
    if state == "a link":
        folder.symlink_to(outside)
    elif state == "a file":
        folder.touch()
    else:
        folder.mkdir()
        folder.chmod(0o777)
    done = run(*CONVERT, "a.txt", cwd=tree, env={**os.environ, "XDG_STATE_HOME": str(home)})
    assert (done.returncode, (tree / "a.txt").read_bytes()) == (0, b"t\0e\0x\0t\0")
    assert files_in(outside) == {"precious": PRECIOUS}
    assert state != "open to all" or list(folder.iterdir()) == []


# --- results ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [["convert", "-t", "utf-16-le"], ["repair", "--errors", "latin-1", "--lossy"]])
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_no_result_in_a_folder_goes_by_way_of_a_link(
    line: list[str], kind: str, tree: Path, outside: Path, capsys: Captured
) -> None:
    (tree / "in" / "sub").mkdir(parents=True)
    (tree / "in" / "sub" / "precious").write_bytes(b"enemy's")
    (tree / "out").mkdir()
    if kind == "folder":
        (tree / "out" / "sub").symlink_to(outside)
    else:
        (tree / "out" / "sub").mkdir()
        (tree / "out" / "sub" / "precious").symlink_to(outside / "precious")
    refused([*line, "-o", "out", "in"], capsys, "a symbolic link, which is not followed")
    assert files_in(outside) == {"precious": PRECIOUS}


RECORDS = pytest.mark.parametrize(
    "arguments",
    [
        ["repair", "--plan", "record", "a.txt"],
        ["names", "--fix", "latin-1", "--apply", "record", "."],
        ["convert", "-t", "utf-16", "-o", "out", "--certificate", "record", "a.txt"],
        ["convert", "-t", "utf-16", "--in-place", "--certificate", "record", "a.txt"],
    ],
    ids=" ".join,
)


@RECORDS
def test_a_record_is_not_written_by_way_of_a_link(
    arguments: list[str], tree: Path, outside: Path, capsys: Captured
) -> None:
    os.mkdir(b"deep/caf\xe9")
    (tree / "record").symlink_to(outside / "new")
    refused(arguments, capsys, "record: this file already exists")
    assert files_in(outside) == {"precious": PRECIOUS}


@RECORDS
def test_a_record_that_another_run_is_writing_is_refused_before_anything_changes(
    arguments: list[str], tree: Path, capsys: Captured
) -> None:
    os.mkdir(b"deep/caf\xe9")
    before = files_in(tree)
    with replacing("record", new=True) as file:
        file.write(b"of the other run")
        refused(arguments, capsys, "record: another run is writing to it at the same time: try again later")
    assert files_in(tree) == {**before, "record": b"of the other run"}
    assert os.path.isdir(b"deep/caf\xe9")


# --- pipes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        REPAIR,
        [*REPAIR, "-f", "auto"],
        [*REPAIR, "-f", "cesu-8"],
        CONVERT,
        [*CONVERT, "-f", "auto"],
        ["repair", "--plan", "p"],
    ],
    ids=" ".join,
)
def test_a_pipe_is_refused_before_anything_is_read_of_it(line: list[str], tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    end = os.open(tree / "pipe", os.O_RDWR)
    os.write(end, b"not to be lost")
    done = run(*line, "pipe", cwd=tree, timeout=PATIENCE)
    assert (done.returncode, os.read(end, 100)) == (2, b"not to be lost")
    os.close(end)
    assert b"pipe: not a regular file" in done.stderr or b"pipe: only a file can be replaced" in done.stderr


@pytest.mark.parametrize("name", [".gitignore", ".git", "pipe"])
def test_a_pipe_in_a_tree_is_not_waited_for(name: str, tree: Path) -> None:
    os.mkfifo(tree / name)
    assert run("check", ".", cwd=tree, timeout=PATIENCE).returncode == 0


@pytest.mark.parametrize("engine", ["native", "python"] if find_spec("eightfold._native") else ["python"])
@pytest.mark.parametrize(
    ("name", "told", "status"), [(".gitignore", b"/.gitignore: File too large", 2), (".git", b"", 0)]
)
def test_a_file_of_git_of_more_than_a_megabyte_is_not_read(
    name: str, told: bytes, status: int, engine: str, tree: Path
) -> None:
    with (tree / name).open("wb") as file:
        file.write(b"gitdir: elsewhere\n")
        file.truncate(1 << 40)
    done = run("check", ".", cwd=tree, timeout=PATIENCE, env={**ENVIRONMENT, "EIGHTFOLD_ENGINE": engine})
    assert (done.returncode, told in done.stderr.replace(os.fsencode(tree), b".")) == (status, True)


@pytest.mark.parametrize("engine", ["native", "python"] if find_spec("eightfold._native") else ["python"])
def test_a_file_of_git_may_name_a_path_with_a_nul(engine: str, tree: Path) -> None:
    (tree / "inner" / ".git").mkdir(parents=True)
    for name in ("objects", "refs"):
        (tree / "inner" / ".git" / name).mkdir()
    (tree / "inner" / ".git" / "HEAD").write_text("ref: refs/heads/main")
    (tree / "inner" / ".git" / "commondir").write_bytes(b"no\0where")
    (tree / "other").mkdir()
    (tree / "other" / ".git").write_bytes(b"gitdir: no\0where\n")
    (tree / ".gitignore").write_text("*.log\n")
    for name in ("inner", "other"):
        (tree / name / "a.log").write_bytes(b"\xff")
    done = run("check", ".", cwd=tree, timeout=PATIENCE, env={**ENVIRONMENT, "EIGHTFOLD_ENGINE": engine})
    assert (done.returncode, done.stdout) == (0, b""), done.stderr


# --- modules ----------------------------------------------------------------------------------------------------------

STARTING = """
import os, sys
from eightfold.files.parallel.processes import Workers
from eightfold.web.worker import Worker

if __name__ == "__main__":
    Workers(1, print, None).end()
    worker = Worker()
    assert worker.answer("about", {})
    worker.close()
    print("PYTHONSAFEPATH" in os.environ)
"""


def test_no_module_of_the_current_folder_is_run_by_worker_processes(tmp_path: Path) -> None:
    """The script lies elsewhere, as that of an installation does."""
    (tmp_path / "tree").mkdir()
    script = tmp_path / "script.py"
    script.write_text(STARTING)
    for name in ("multiprocessing", "runpy", "json"):
        (tmp_path / "tree" / f"{name}.py").write_text("open('pwned', 'w').close()\nraise SystemExit\n")
    line = [sys.executable, str(script)]
    done = subprocess.run(
        line, cwd=tmp_path / "tree", env=ENVIRONMENT, capture_output=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"False\n", b"")
    assert not (tmp_path / "tree" / "pwned").exists()
