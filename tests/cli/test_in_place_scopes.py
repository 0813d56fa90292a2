"""Files replaced in place by one run after another was stopped: which of them takes all that the other takes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from eightfold.cli import main
from eightfold.cli.work import in_place
from eightfold.files.records import journals
from eightfold.files.records.journals import NAME
from eightfold.files.records.scopes import Scope
from support.command_line import ENVIRONMENT
from support.trees import found_in

on_posix = pytest.mark.skipif(os.name != "posix", reason="needs signals")
Captured = pytest.CaptureFixture[str]

LINE = ["convert", "-f", "cp1252", "-t", "utf-8", "--in-place"]
GIVEN, ONCE = b"caf\xe9\n", "café\n".encode()
UNDEFINED = b"x\x81\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(files: dict[str, bytes]) -> None:
    for name, data in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(data)


def killed(at: str, *arguments: str, call: int = 1) -> None:
    """Run a command that is killed when it calls a function, for the first time or a later one."""
    code = "import os, sys; from eightfold.cli import main\n"
    code += "from eightfold.files.records import journal; from eightfold.files.write import writing\n"
    code += f"calls, was = [], {at}\ndef call(*given):\n    calls.append(1)\n"
    code += f"    return os.kill(os.getpid(), 9) if len(calls) == {call} else was(*given)\n"
    code += f"{at} = call\nmain(sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", code, *arguments], env=ENVIRONMENT, check=False)
    assert done.returncode == -9


FIRST_AND_SECOND = {
    "configurations": (["--no-config", "d"], ["d"]),
    "a configuration": (["--config", "wide.toml", "d"], ["d"]),
    "a file that is ignored": (["d/ignored.txt", "d/z.txt"], ["d"]),
    "a folder that is ignored": (["d/ignored", "d/z.txt"], ["d"]),
    "a file that is like a backup": (["d"], ["--backup", ".orig", "d"]),
    "a file that looks compressed": (["--no-compression", "d"], ["d"]),
    "a file that is excluded though it is named": (
        ["d/kept.txt", "d/z.txt"],
        ["--force-exclude", "d/kept.txt", "d/z.txt"],
    ),
}


@pytest.mark.parametrize(("first", "second"), FIRST_AND_SECOND.values(), ids=FIRST_AND_SECOND)
def test_a_run_that_takes_other_files_leaves_the_journal(
    first: list[str], second: list[str], tree: Path, capsys: Captured
) -> None:
    (tree / "d" / ".git" / "objects").mkdir(parents=True)
    (tree / "d" / ".git" / "refs").mkdir()
    texts = ("a.txt", "kept.txt", "ignored.txt", "ignored/x.txt", "a.txt.orig", "b.gz")
    put({f"d/{name}": GIVEN for name in texts})
    rules = {"d/eightfold.toml": b'exclude = ["kept.txt"]\n', "wide.toml": b"", "d/.gitignore": b"ignored*\n*.toml\n"}
    put({"d/z.txt": UNDEFINED, "d/.git/HEAD": b"ref: refs/heads/main\n", **rules})
    assert main([*LINE, *first]) == 1
    done = {path for path, data in found_in(tree).items() if data == ONCE}
    put({"d/z.txt": b"x\n"})
    assert main([*LINE, *second]) == 0
    assert "may take other files was interrupted" in capsys.readouterr().err
    assert any(NAME in files for _, _, files in os.walk("d"))
    assert main([*LINE, *first]) == 0
    assert done
    assert {found_in(tree)[path] for path in done} == {ONCE}


def test_a_run_over_more_leaves_the_journal_that_knows_what_is_ignored_since(tree: Path) -> None:
    put({"d/.git/HEAD": b"ref: refs/heads/main\n", "d/a.txt": GIVEN, "d/z.txt": UNDEFINED})
    for folder in ("objects", "refs"):
        (tree / "d" / ".git" / folder).mkdir()
    assert main([*LINE, "d"]) == 1
    put({"d/.gitignore": b"a.txt\n", "d/z.txt": GIVEN})
    assert main([*LINE, "."]) == 0
    (tree / "d" / ".gitignore").unlink()
    assert main([*LINE, "d"]) == 0
    assert [(tree / "d" / name).read_bytes() for name in ("a.txt", "z.txt")] == [ONCE, ONCE]


def test_a_run_over_more_ends_the_journal_that_knows_what_is_gone(tree: Path) -> None:
    put({"d/a.txt": GIVEN, "d/z.txt": UNDEFINED})
    assert main([*LINE, "d"]) == 1
    (tree / "d" / "a.txt").unlink()
    put({"d/z.txt": GIVEN})
    assert main([*LINE, "."]) == 0
    assert found_in(tree) == {tree / "d" / "z.txt": ONCE}


def test_a_run_that_replaces_nothing_after_all_leaves_no_journal(tree: Path) -> None:
    put({"k/a.txt": GIVEN, "k/a.txt.orig": b"of another program"})
    before = found_in(tree)
    assert main([*LINE, "--backup", ".orig", "k/a.txt"]) == 2
    assert found_in(tree) == before


def test_another_conversion_does_not_matter_where_no_file_is_left(tree: Path) -> None:
    put({"d/sub/a.txt": GIVEN, "d/sub/z.txt": UNDEFINED, "d/b.txt": GIVEN})
    assert main([*LINE, "d/sub"]) == 1
    for name in ("a.txt", "z.txt"):
        (tree / "d" / "sub" / name).unlink()
    assert main(["convert", "-f", "latin-1", "-t", "utf-8", "--in-place", "d"]) == 0
    assert (tree / "d" / "b.txt").read_bytes() == ONCE
    assert [*tree.rglob(NAME)] == [tree / "d" / "sub" / NAME]


@on_posix
def test_journals_are_not_looked_for_behind_links(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through two links to a folder in itself, that would take years."""
    put({"d/sub/a.txt": GIVEN, "other/a.txt": GIVEN})
    for name, target in (("again", "."), ("other", "../other")):
        (tree / "d" / name).symlink_to(target)
    listed, scandir = list[str](), os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: (listed.append(path), scandir(path))[1])
    assert [*journals._found_in("d")] == []
    assert listed == ["d", os.path.join("d", "sub")]


def test_a_run_that_waits_keeps_the_journals_that_it_can_reach_and_no_others(tree: Path) -> None:
    put({"d/a.txt": GIVEN, "d/z.txt": UNDEFINED, "e/a.txt": GIVEN})
    assert main([*LINE, "--no-config", "d"]) == 1
    put({"d/z.txt": GIVEN})
    assert main([*LINE, "d", "e"]) == 0
    assert [*tree.rglob(NAME)] == [tree / "d" / NAME]
    assert {(tree / name).read_bytes() for name in ("d/a.txt", "d/z.txt", "e/a.txt")} == {ONCE}


def test_a_file_that_was_never_there_may_come_back_to_the_run_that_named_it(tree: Path) -> None:
    put({"d/a.txt": GIVEN, "e/a.txt": GIVEN, "e/z.txt": UNDEFINED})
    assert main([*LINE, "d/a.txt", "e/missing.txt"]) == 2
    assert main([*LINE, "e"]) == 1
    put({"e/z.txt": GIVEN})
    assert main([*LINE, "."]) == 0
    put({"e/missing.txt": GIVEN})
    assert main([*LINE, "d/a.txt", "e/missing.txt"]) == 0
    assert {(tree / name).read_bytes() for name in ("d/a.txt", "e/a.txt", "e/z.txt", "e/missing.txt")} == {ONCE}


@on_posix
def test_a_run_that_had_ended_is_not_taken_for_one_over_more(tree: Path, capsys: Captured) -> None:
    put({f"k/{name}/f.txt": GIVEN for name in "abc"})
    killed("journal._unlink", *LINE, "k/a", "k/b", call=2)
    before = found_in(tree)
    assert main([*LINE, "k"]) == 2
    assert "a run over fewer files had done them all when it was stopped" in capsys.readouterr().err
    assert found_in(tree) == before
    assert main([*LINE, "k/a", "k/b"]) == main([*LINE, "k/c"]) == 0
    assert found_in(tree) == {tree / "k" / name / "f.txt": ONCE for name in "abc"}


@on_posix
def test_while_a_run_that_had_ended_has_all_its_journals_one_over_more_goes_on(tree: Path) -> None:
    put({f"k/{name}/f.txt": GIVEN for name in "abc"})
    killed("journal._unlink", *LINE, "k/a", "k/b")
    assert main([*LINE, "k"]) == 0
    assert found_in(tree) == {tree / "k" / name / "f.txt": ONCE for name in "abc"}


@on_posix
@pytest.mark.parametrize("again", range(7))
def test_what_is_added_while_a_run_that_had_ended_has_all_its_journals_is_converted(again: int, tree: Path) -> None:
    put({f"k/{name}/f.txt": GIVEN for name in "ab"})
    killed("journal._unlink", *LINE, "k")
    put({f"k/{name}/new.txt": GIVEN for name in "bc"})
    if again:
        # The run that goes on is killed too: after a line in one of the journals, or while both end again.
        killed("journal.Journal.add" if again < 3 else "journal.Journal.say", *LINE, "-j", "1", "k", call=again)
    assert main([*LINE, "k"]) == 0
    assert found_in(tree) == {tree / "k" / name: ONCE for name in ("a/f.txt", "b/f.txt", "b/new.txt", "c/new.txt")}


@on_posix
def test_what_is_added_when_journals_are_gone_is_not_passed_over(tree: Path, capsys: Captured) -> None:
    put({f"k/{name}/f.txt": GIVEN for name in "ab"})
    killed("journal._unlink", *LINE, "k", call=2)
    put({"k/a/new.txt": GIVEN})
    before = found_in(tree)
    assert main([*LINE, "k"]) == 2
    assert "k/a/new.txt: it was added or changed after an interrupted run" in capsys.readouterr().err
    assert found_in(tree) == before
    Path("k/a/new.txt").rename("new.txt")
    assert main([*LINE, "k"]) == main([*LINE, "new.txt"]) == 0
    assert found_in(tree) == {tree / name: ONCE for name in ("k/a/f.txt", "k/b/f.txt", "new.txt")}


@on_posix
def test_a_run_that_goes_on_and_ends_is_known_by_what_it_took_itself(tree: Path, capsys: Captured) -> None:
    put({**{f"k/{name}/f.txt": GIVEN for name in "abc"}, "k/b/z.txt": UNDEFINED})
    assert main([*LINE, "k/a", "k/b"]) == 1
    put({"k/b/z.txt": b"x\n"})
    killed("journal._unlink", *LINE, "k", call=2)
    assert main([*LINE, "k"]) == 0
    assert "had already converted every file: nothing is left to do" in capsys.readouterr().err
    wanted = {tree / "k" / name / "f.txt": ONCE for name in "abc"}
    assert found_in(tree) == {**wanted, tree / "k" / "b" / "z.txt": b"x\n"}


@on_posix
def test_a_file_that_was_ignored_is_not_taken_for_done(tree: Path, capsys: Captured) -> None:
    (tree / "e" / ".git" / "objects").mkdir(parents=True)
    (tree / "e" / ".git" / "refs").mkdir()
    files = {"e/.git/HEAD": b"ref: refs/heads/main\n", "e/.gitignore": b"ignored.txt\n", "e/ignored.txt": GIVEN}
    put({**files, "e/a.txt": GIVEN, "e/deep/b.txt": GIVEN})
    killed("journal._unlink", *LINE, "e")
    assert main([*LINE, "e/ignored.txt"]) == 2
    assert "a run over fewer files had done them all" in capsys.readouterr().err
    assert main([*LINE, "e/a.txt"]) == 0
    assert found_in(tree)[tree / "e" / "ignored.txt"] == GIVEN
    assert {found_in(tree)[tree / "e" / name] for name in ("a.txt", "deep/b.txt")} == {ONCE}


@pytest.mark.parametrize("line", [LINE, ["repair", "-f", "mutf-8", "--in-place"]], ids=" ".join)
def test_what_a_run_over_fewer_files_has_done_is_known_to_the_one_over_more(line: list[str], tree: Path) -> None:
    put(dict.fromkeys(("q/a/1", "q/b/1", "q/a/2", "q/c"), GIVEN))
    linked = [Path(f"q/{name}") for name in ("a/2", "b/1", "c")]
    for number, path in enumerate(linked):
        os.link(path, f"other{number}")
    assert main([*line, "q"]) == 2, "files with two names are refused"
    assert [*(tree / "q").rglob(NAME)] == [tree / "q" / "a" / NAME]
    for number in range(2):
        Path(f"other{number}").unlink()
    assert main([*line, "q/a", "q/b"]) == 0
    Path("other2").unlink()
    assert main([*line, "q"]) == 0
    assert len({*found_in(tree).values()}) == 1, "each was replaced once"
    assert len(found_in(tree)) == 4


def test_a_file_that_left_a_folder_with_nothing_but_its_journal_is_known(tree: Path, capsys: Captured) -> None:
    put({"t/d1/x.txt": GIVEN, "t/d2/z.txt": UNDEFINED})
    assert main([*LINE, "t"]) == 1
    put({"t/d2/z.txt": b"x\n"})
    Path("t/d1/x.txt").rename("t/d2/x.txt")
    assert main([*LINE, "t"]) == 0
    assert "1 file already converted" in capsys.readouterr().err
    assert found_in(tree) == {tree / "t" / "d2" / "x.txt": ONCE, tree / "t" / "d2" / "z.txt": b"x\n"}


def test_escapes_repaired_elsewhere_are_another_repair(tree: Path, capsys: Captured) -> None:
    put({"f/a.txt": b'caf\xff "\\ud83d"\n', "f/z.txt": b"x\xff"})
    os.link("f/z.txt", "other")
    line = ["repair", "--escapes", "repair", "--lossy", "--in-place"]
    assert main([*line, "f"]) == 2
    Path("other").unlink()
    before = found_in(tree)
    assert main([*line, "--escapes-in", "*.txt", "f"]) == 2
    assert "was interrupted here: run it again first" in capsys.readouterr().err
    assert found_in(tree) == before


@on_posix
@pytest.mark.parametrize("call", [1, 2])
def test_killed_twice_at_its_end_a_run_converts_nothing_again(call: int, tree: Path) -> None:
    put({"k/a/f.txt": GIVEN, "k/b/f.txt": GIVEN})
    killed("journal.Journal.say", *LINE, "k", call=4)  # one says that it has ended, the other that it is ending
    killed("journal._unlink", *LINE, "k", call=call)
    assert main([*LINE, "k"]) == 0
    assert found_in(tree) == {tree / "k" / name / "f.txt": ONCE for name in "ab"}


@pytest.mark.parametrize("first", [["k/a"], ["--include", "*.txt", "k"], ["k/a/f.txt", "k/a/z.txt"]], ids=" ".join)
def test_a_run_over_more_that_goes_on_with_a_journal_is_remembered(first: list[str], tree: Path) -> None:
    put({"k/a/f.txt": GIVEN, "k/a/z.txt": UNDEFINED, "k/b/f.txt": GIVEN, "k/b/z": UNDEFINED})
    assert main([*LINE, *first]) == 1
    put({"k/a/z.txt": b"x\n"})
    assert main([*LINE, "k"]) == 1
    assert main([*LINE, *first]) == 0
    put({"k/b/z": b"x\n"})
    assert main([*LINE, "k"]) == 0
    for line in ([*LINE, *first], [*LINE, "k"]):
        wanted = {"a/f.txt": ONCE, "a/z.txt": b"x\n", "b/f.txt": ONCE, "b/z": b"x\n"}
        assert {path: data for path, data in found_in(tree).items() if not path.name.endswith(NAME)} == {
            tree / "k" / name: data for name, data in wanted.items()
        }
        if not any(NAME in files for _, _, files in os.walk("k")):
            break
        assert main(line) == 0


def test_a_run_that_names_a_file_and_its_folder_takes_both(tree: Path) -> None:
    put({"k/f.txt": GIVEN, "k/z": UNDEFINED})
    assert main([*LINE, "k/f.txt", "k/z"]) == 1
    put({"k/z": b"x\n"})
    assert main([*LINE, "k/f.txt", "k"]) == 0
    assert found_in(tree) == {tree / "k" / "f.txt": ONCE, tree / "k" / "z": b"x\n"}


@pytest.mark.parametrize("first", [["k/f.txt", "k/z"], ["k/f.txt", "k/z", "k/deep"]], ids=" ".join)
def test_a_named_file_that_is_gone_keeps_no_journal(first: list[str], tree: Path, capsys: Captured) -> None:
    put({"k/f.txt": GIVEN, "k/z": UNDEFINED, "k/deep/f.txt": GIVEN})
    assert main([*LINE, *first]) == 1
    Path("k/z").unlink()
    assert main([*LINE, "k/f.txt"]) == 0
    is_left = "may take other files was interrupted" in capsys.readouterr().err
    assert is_left == (tree / "k" / NAME).exists() == ("k/deep" in first)


def test_a_named_file_that_is_gone_with_its_folder_may_come_back(tree: Path, capsys: Captured) -> None:
    put({"k/f.txt": GIVEN, "mounted/z": UNDEFINED})
    assert main([*LINE, "k/f.txt", "mounted/z"]) == 1
    Path("mounted").rename("elsewhere")
    assert main([*LINE, "k/f.txt"]) == 0
    assert "may take other files was interrupted" in capsys.readouterr().err
    Path("elsewhere").rename("mounted")
    put({"mounted/z": b"x\n"})
    assert main([*LINE, "k/f.txt", "mounted/z"]) == 0
    assert found_in(tree) == {tree / "k" / "f.txt": ONCE, tree / "mounted" / "z": b"x\n"}


def test_a_file_whose_name_another_took_is_known(tree: Path, capsys: Captured) -> None:
    put({"k/x.log": GIVEN, "k/z": UNDEFINED})
    assert main([*LINE, "k"]) == 1
    Path("k/x.log").rename("k/x.log.1")
    put({"k/x.log": b"new \xe9\n", "k/z": b"x\n"})
    assert main([*LINE, "k"]) == 2
    assert "it was changed after an interrupted run converted it" in capsys.readouterr().err
    assert Path("k/x.log.1").read_bytes() == ONCE


@pytest.mark.parametrize("second", [["d"], ["d", "d/sub/deep"]], ids=" ".join)
def test_what_is_ignored_or_binary_is_not_taken(second: list[str], tree: Path) -> None:
    put({"d/.gitignore": b"ig.txt\n", "d/sub/ig.txt": GIVEN, "d/sub/a.txt": GIVEN, "d/sub/z": UNDEFINED})
    put({"d/sub/deep/f.txt": GIVEN, "d/sub/0.bin": bytes(40)})
    first = ["d/sub", "d/sub/0.bin"]
    assert main([*LINE, *first]) == 1
    put({"d/sub/z": b"x\n"})
    assert main([*LINE, *second]) == 0
    assert main([*LINE, *first]) == 0
    assert {found_in(tree)[tree / "d" / "sub" / name] for name in ("ig.txt", "a.txt", "deep/f.txt")} == {ONCE}


@on_posix
def test_a_file_that_somebody_named_like_the_backup_is_none(tree: Path, capsys: Captured) -> None:
    put({"b/a.txt": b"plain\n"})
    killed("writing._keep", *LINE, "--backup", ".orig", "b")
    put({"b/a.txt.orig": b"other\n"})
    assert main([*LINE, "--backup", ".orig", "b"]) == 2
    assert "the backup already exists" in capsys.readouterr().err


ENDED = (
    (1, ["t/a/1.txt", "t/b"], "2 files already converted by an interrupted run"),
    (2, ["t/a", "t/b"], "had already converted every file"),
)


@on_posix
@pytest.mark.parametrize(("call", "paths", "words"), ENDED, ids=["all journals", "one journal"])
def test_a_run_that_had_ended_is_known_until_it_is_run_again(
    call: int, paths: list[str], words: str, tree: Path, capsys: Captured
) -> None:
    put({"t/a/1.txt": GIVEN, "t/b/2.txt": GIVEN})
    killed("journal._unlink", *LINE, "t", call=call)
    for _ in range(2):
        assert main([*LINE, *paths]) == 0
        told = capsys.readouterr().err
        assert words in told
        assert "may take other files was interrupted" in told
    assert main([*LINE, "t"]) == 0
    assert found_in(tree) == {tree / "t" / name: ONCE for name in ("a/1.txt", "b/2.txt")}


def test_a_file_that_equals_a_result_is_another_while_that_is_there(tree: Path) -> None:
    put({"e/a/x.txt": GIVEN, "e/a/z.txt": UNDEFINED, "e/b/y.txt": ONCE})
    assert main([*LINE, "e/a"]) == 1
    put({"e/a/z.txt": b"x\n"})
    assert main([*LINE, "e"]) == 0
    twice = ONCE.decode("cp1252").encode()
    assert found_in(tree) == {
        tree / "e" / name: data for name, data in (("a/x.txt", ONCE), ("a/z.txt", b"x\n"), ("b/y.txt", twice))
    }


@on_posix
def test_a_backup_that_was_not_made_is_made_by_the_next_run(tree: Path) -> None:
    put({"b/a.txt": b"plain\n", "b/b.txt": GIVEN})
    line = [*LINE, "--backup", ".orig", "b"]
    killed("writing._keep", *line)
    assert (tree / "b" / NAME).exists()
    assert main(line) == 0
    wanted = {"a.txt": b"plain\n", "a.txt.orig": b"plain\n", "b.txt": ONCE, "b.txt.orig": GIVEN}
    assert found_in(tree) == {tree / "b" / name: data for name, data in wanted.items()}


@pytest.mark.parametrize(
    ("was", "now", "path", "moved"),
    [
        ("/x/tree/deep", "/x/moved/deep", "/x/tree", "/x/moved"),
        ("/x/tree/deep", "/x/moved/deep", "/x/tree/deep/a.txt", "/x/moved/deep/a.txt"),
        ("/x/tree/deep", "/x/moved/deep", "/x", "/x"),
        ("/x/tree/deep", "/x/moved/deep", "/x/trees", "/x/trees"),
        ("/deep", "/b/deep", "/c", "/c"),
        ("/x/b/deep", "/deep", "/x/b/deep", "/deep"),
        ("/x/a", "/x/a", "/x/a/b", "/x/a/b"),
        ("/", "/", "/a", "/a"),
    ],
)
@on_posix
def test_what_a_run_takes_moves_with_its_folder(was: str, now: str, path: str, moved: str) -> None:
    scope = Scope((path,), ("p",), ("f",), (path,))
    assert scope.moved(was, now) == Scope((moved,), ("p",), ("f",), (moved,))


@pytest.mark.parametrize(("was", "now"), [("a/x/deep", "b/x/deep"), ("a/a/m", "a/m")])
def test_a_folder_that_moves_takes_none_above_it_with_it(was: str, now: str, tree: Path) -> None:
    (tree / "a" / "x").mkdir(parents=True)
    scope = Scope((str(tree / "a"),))
    assert scope.moved(str(tree / was), str(tree / now)) == scope


def test_all_of_another_is_taken_where_paths_patterns_flags_and_configuration_say_so() -> None:
    one = Scope(("/a", "/b/c.txt"), ("exclude=x",), ("binary",), ("none",))
    top = os.path.join(os.sep, "a")
    wider = Scope((os.path.dirname(top), *one.paths), (), ("binary", "no_ignore"), one.configuration)
    assert one.holds(one)
    assert wider.holds(one)
    assert not one.holds(wider)
    assert not wider._replace(configuration=()).holds(one)
    assert not wider._replace(flags=()).holds(one)
    assert not wider._replace(patterns=("exclude=y",)).holds(one)
    assert wider._replace(paths=(os.path.dirname(top),)).holds(one)
    assert not wider._replace(paths=(os.path.dirname(top),)).holds(one, lambda path: path != "/a")


def test_very_many_paths_are_known_in_any_order_and_are_not_others(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(in_place, "_MOST_PATHS", 10)
    monkeypatch.setattr(in_place, "_MOST_CHARACTERS", 10)
    names = [f"k/{number:02}.txt" for number in range(40)]
    put({**dict.fromkeys(names, GIVEN), "k/z.txt": UNDEFINED})
    assert main([*LINE, *names, "k/z.txt"]) == 1
    put({"k/z.txt": b"x\n"})
    assert main([*LINE, *names]) == 0
    assert "may take other files was interrupted" in capsys.readouterr().err
    assert (tree / "k" / NAME).exists()
    assert main([*LINE, "k/z.txt", *names[::-1]]) == 0
    assert "may take other files was interrupted" not in capsys.readouterr().err
    assert found_in(tree) == {**{tree / name: ONCE for name in names}, tree / "k" / "z.txt": b"x\n"}


@pytest.mark.parametrize("is_gone", [True, False])
def test_of_very_many_files_in_one_folder_one_that_is_gone_keeps_no_journal(
    is_gone: bool, tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(in_place, "_MOST_PATHS", 10)
    names = [f"k/{number:02}.txt" for number in range(40)]
    put({**dict.fromkeys(names, GIVEN), "k/z.txt": UNDEFINED})
    assert main([*LINE, *names, "k/z.txt"]) == 1
    if is_gone:
        Path("k/z.txt").unlink()
    capsys.readouterr()
    assert main([*LINE, *names]) == 0
    assert ("may take other files was interrupted" in capsys.readouterr().err) is not is_gone
    assert (tree / "k" / NAME).exists() is not is_gone


def test_very_many_folders_are_known_by_a_digest(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each journal below them would list them all."""
    monkeypatch.setattr(in_place, "_MOST_PATHS", 10)
    names = [f"k/{number:02}" for number in range(40)]
    put({**{f"{name}/a.txt": GIVEN for name in names}, "k/00/z.txt": UNDEFINED})
    assert main([*LINE, *names]) == 1
    journals = list((tree / "k").glob(f"*/{NAME}"))
    assert len(journals) == 40
    assert not any(b"k/07" in line for line in (path.read_bytes() for path in journals if path.parent.name != "07"))


def test_a_named_file_that_needs_nothing_any_more_is_taken(tree: Path, capsys: Captured) -> None:
    line = ["repair", "-f", "mutf-8", "--in-place"]
    put({"k/a.txt": GIVEN, "k/b.txt": GIVEN})
    os.link("k/b.txt", "other")
    assert main([*line, "k/a.txt", "k/b.txt"]) == 2
    Path("other").unlink()
    put({"k/b.txt": b"x\n"})
    assert main([*line, "k"]) == 0
    assert "may take other files was interrupted" not in capsys.readouterr().err
    assert found_in(tree).keys() == {tree / "k" / "a.txt", tree / "k" / "b.txt"}
