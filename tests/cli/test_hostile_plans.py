"""Plans and logs that an enemy wrote: nothing outside is read, moved, removed or written.

Every command runs in a clone that holds one, beside which something precious lies.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from eightfold import repair
from eightfold.cli import main
from eightfold.cli.options.root import quoted
from eightfold.files import path_text
from eightfold.files.paths import entries
from eightfold.files.records import json_lines, plan_files
from support.clones import NESTED, PRECIOUS, Captured, nested, refused
from support.command_line import ENVIRONMENT, PATIENCE, run
from support.peaks import peak
from support.trees import files_in

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes need rights there")


# --- plans ------------------------------------------------------------------------------------------------------------


def plan_for(path: object, data: bytes = PRECIOUS, **others: object) -> bytes:
    made = repair.plan(data, errors="latin-1")
    changes = [change.as_dict() for change in made.changes]
    ends = {"original_sha256": made.original_sha256, "result_sha256": made.result_sha256}
    head = {"path": path, "form": "utf-8", "errors": "latin-1", **ends, "changes": len(changes), **others}
    lines = [{"eightfold": "plan", "version": 1}, head, *changes]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@pytest.mark.parametrize("way", ["--apply", "--undo"])
@pytest.mark.parametrize("root", [[], ["--root", "."], ["--root", "../clone"], ["--root", "deep"]], ids=" ".join)
@pytest.mark.parametrize("path", ["{}", "../outside/precious", "deep/../../outside/precious", "../../outside/precious"])
def test_a_plan_reaches_nothing_outside_the_root(
    way: str, root: list[str], path: str, tree: Path, outside: Path, capsys: Captured
) -> None:
    if way == "--undo":
        (outside / "precious").write_bytes(repair.repair(PRECIOUS, errors="latin-1"))
    before = files_in(outside)
    (tree / "plan").write_bytes(plan_for(path.format(outside / "precious")))
    refused(["repair", way, "plan", *root], capsys, "plan: line 2: this is not a plan: ", "precious'")
    assert files_in(outside) == before


@pytest.mark.parametrize("way", ["--apply", "--undo"])
@pytest.mark.parametrize("path", [".git/config", "deep/.GIT/hooks/pre-commit"])
def test_a_plan_does_not_change_what_belongs_to_git(way: str, path: str, tree: Path, capsys: Captured) -> None:
    (tree / path).parent.mkdir(parents=True)
    (tree / path).write_bytes(PRECIOUS if way == "--apply" else repair.repair(PRECIOUS, errors="latin-1"))
    before = files_in(tree)
    (tree / "plan").write_bytes(plan_for(path))
    refused(["repair", way, "plan"], capsys, "plan: line 2: this is not a plan: ", "belongs to git")
    (tree / "plan").unlink()
    assert files_in(tree) == before


def test_a_change_of_a_plan_replaces_something() -> None:
    with pytest.raises(repair.PlanError, match="the change at 3 replaces nothing"):
        repair.Change.from_dict(repair.Change(3, b"", b"more", "truncated", "latin-1", 1, 4).as_dict())


@pytest.mark.parametrize("by_descriptor", [True, False])
@pytest.mark.parametrize("path", ["link/precious", "deep/link/precious", "file", "deep/file"])
def test_a_plan_follows_no_link(
    path: str, by_descriptor: bool, tree: Path, outside: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eightfold.files.paths.roots.BY_DESCRIPTOR", by_descriptor and entries.BY_DESCRIPTOR)
    for folder in (tree, tree / "deep"):
        (folder / "link").symlink_to(outside)
        (folder / "file").symlink_to(outside / "precious")
    (tree / "plan").write_bytes(plan_for(path))
    refused(["repair", "--apply", "plan"], capsys, "a symbolic link, which is not followed", "0 files repaired")
    assert files_in(outside) == {"precious": PRECIOUS}


def test_a_folder_that_becomes_a_link_after_the_look_is_not_followed(
    tree: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "deep" / "precious").write_bytes(PRECIOUS)
    (tree / "plan").write_bytes(plan_for("deep/precious"))
    changed = repair.changes._rewritten

    def swapped(*arguments: object) -> object:
        (tree / "deep").rename(tree / "moved")
        (tree / "deep").symlink_to(outside)
        return changed(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(repair.changes, "_rewritten", swapped)
    assert main(["repair", "--apply", "plan"]) == 0
    assert files_in(outside) == {"precious": PRECIOUS}
    assert files_in(tree / "moved") == {"precious": "precious é".encode()}


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_a_plan_opens_nothing_but_files(kind: str, tree: Path) -> None:
    root = ["--root", "/dev"] if kind == "device" else []
    {"pipe": lambda: os.mkfifo(tree / "full"), "folder": (tree / "full").mkdir, "device": lambda: None}[kind]()
    (tree / "plan").write_bytes(plan_for("full"))
    done = run("repair", "--apply", "plan", *root, cwd=tree, timeout=PATIENCE)
    assert done.returncode == 2
    assert (b"full: not a regular file" if kind != "folder" else b"full: Is a directory") in done.stderr


@pytest.mark.parametrize(
    "head",
    [
        {"path": None},
        {"path": 5},
        {"path": ""},
        {"path": "."},
        {"path": "/"},
        {"path": "a\0b"},
        {"path": "\ud800"},
        {"path": "a\udc80"},
        {"path": ["a"]},
        {"changes": 10**400},
        {"changes": -1},
        {"changes": True},
        {"changes": 1.0},
        {"form": None},
        {"form": "nosuch"},
        {"form": "\ud800"},
        {"errors": "nosuch"},
        {"errors": "\ud800"},
        {"original_sha256": {}},
        {"table": "Parquet", "form": "wtf-8", "undone_sha256": "0" * 64, "changes_sha256": "0" * 64},
    ],
    ids=str,
)
def test_what_is_no_plan_is_said_with_its_line(head: dict[str, object], tree: Path, capsys: Captured) -> None:
    (tree / "plan").write_bytes(plan_for(**{"path": "a.txt", **head}))
    refused(["repair", "--apply", "plan"], capsys, "plan: ", "" if "changes" in head else "line 2: ")
    assert (tree / "a.txt").read_bytes() == b"text"


STRANGE_LINES = [NESTED.encode(), b'{"path": ' + NESTED.encode(), b"\xff", b"\xed\xa0\x80", b"1" * 10_000, b"\0", b"{"]


@pytest.mark.parametrize("line", STRANGE_LINES, ids=lambda line: repr(line[:12]))
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("arguments", [["repair", "--apply"], ["repair", "--undo"], ["names", "--undo"]], ids=" ".join)
def test_what_is_no_json_is_said_with_its_line(
    line: bytes, first: bool, arguments: list[str], tree: Path, capsys: Captured
) -> None:
    kind = b"plan" if "repair" in arguments else b"log of names"
    heading = b"" if first else b'{"eightfold": "%s", "version": 1}\n' % kind
    (tree / "record").write_bytes(heading + line + b"\n")
    refused([*arguments, "record"], capsys, "record: ", "it is not JSON (" if first else "line 2: it is not JSON (")


@pytest.mark.parametrize("arguments", [["repair", "--apply"], ["repair", "--undo"], ["names", "--undo"]], ids=" ".join)
def test_a_line_longer_than_any_of_ours_is_not_read_to_its_end(
    arguments: list[str], tree: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_lines, "LONGEST_LINE", 1 << 20)
    kind = "plan" if "repair" in arguments else "log of names"
    (tree / "record").write_bytes(json_lines.heading(kind) + b" " * (32 << 20))

    def read() -> None:
        refused([*arguments, "record"], capsys, "record: a line has more than 1 MiB")

    assert peak(read, limit=8 << 20) < 8 << 20


def test_no_plan_is_written_that_could_not_be_read(
    tree: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "b.txt").write_bytes(PRECIOUS)
    make = ["repair", "--errors", "latin-1", "--plan"]
    with monkeypatch.context() as patch:
        patch.setattr(plan_files, "LONGEST_LINE", 100)
        refused([*make, "one", "b.txt"], capsys, "b.txt: a change takes more than ", "0 in the plan")
    monkeypatch.setattr(path_text, "LONGEST_OPENED", 4)
    refused([*make, "two", "b.txt"], capsys, "b.txt: a path of 5 bytes is longer than any that can be opened")


def test_a_plan_for_which_there_is_no_memory_is_an_error(
    tree: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(line: bytes) -> None:
        raise MemoryError

    (tree / "plan").write_bytes(plan_for("a.txt"))
    monkeypatch.setattr(json_lines, "value", full)
    refused(["repair", "--apply", "plan"], capsys, "not enough memory")


@pytest.mark.parametrize("way", ["--apply", "--undo"])
def test_a_path_longer_than_any_file_has_costs_no_walk(
    way: str, tree: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    walked: list[str] = []
    resolve: Callable[[str], str] = os.path.realpath
    monkeypatch.setattr(os.path, "realpath", lambda path: (walked.append(path), resolve(path))[1])
    (tree / "plan").write_bytes(plan_for("a/" * 60_000 + "f"))
    refused(["repair", way, "plan"], capsys, "plan: line 2: this is not a plan: a path of 120,001 bytes is longer than")
    assert all(len(path) < 4096 for path in walked)


@pytest.mark.parametrize("depth", [400, 900, 950, 980])
@pytest.mark.parametrize("name", ["version", "path"])
def test_values_in_each_other_are_no_plan(name: str, depth: int, tree: Path, capsys: Captured) -> None:
    version = nested(depth) if name == "version" else "1"
    (tree / "plan").write_text(f'{{"eightfold": "plan", "version": {version}}}\n{{"path": {nested(depth)}}}\n')
    refused(["repair", "--apply", "plan"], capsys, "plan: ")


def test_values_in_each_other_are_no_plan_of_the_library() -> None:
    with pytest.raises(repair.PlanError, match="nested too deeply"):
        repair.Plan.from_json(NESTED)


def test_a_strange_version_is_shown_in_part_and_escaped(tree: Path, capsys: Captured) -> None:
    version = "\x1b[31m" + "x" * 10_000
    (tree / "plan").write_text(json.dumps({"eightfold": "plan", "version": version}) + "\n")
    assert main(["repair", "--apply", "plan"]) == 2
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert len(said) < 200


@pytest.mark.parametrize("path", ["../outside/precious", "{}", "link/precious"])
def test_a_file_outside_the_root_is_not_planned_for(path: str, tree: Path, outside: Path, capsys: Captured) -> None:
    (tree / "link").symlink_to(outside)
    refused(["repair", "--plan", "plan", path.format(outside / "precious")], capsys, "it is outside ", "--root")
    assert not (tree / "plan").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["repair", "--plan", "plan", "--root", "precious", "precious"],
        ["repair", "--apply", "old", "--root", "precious"],
        ["repair", "--undo", "old", "--root", "link"],
        ["names", "--fix", "latin-1", "--apply", "plan", "--root", "precious", "precious"],
        ["names", "--undo", "old", "--root", "precious"],
    ],
    ids=" ".join,
)
def test_a_root_is_a_folder(arguments: list[str], tree: Path, capsys: Captured) -> None:
    (tree / "precious").write_bytes(PRECIOUS)
    (tree / "link").symlink_to("precious")
    assert main(["repair", "--plan", "old", "deep"]) == 0
    capsys.readouterr()
    refused(arguments, capsys, " is not a folder: --root names one that contains the files")
    assert not (tree / "plan").exists()
    assert (tree / "precious").read_bytes() == PRECIOUS


def test_what_belongs_to_git_is_not_planned_for(tree: Path, capsys: Captured) -> None:
    (tree / ".git").mkdir()
    (tree / ".git" / "config").write_bytes(PRECIOUS)
    assert main(["repair", "--errors", "latin-1", "--plan", "plan", ".git/config"]) == 2
    said = capsys.readouterr().err
    assert ".git/config: it belongs to git" in said
    assert "0 in the plan" in said
    assert (tree / ".git" / "config").read_bytes() == PRECIOUS


@pytest.mark.parametrize("engine", ["native", "python"] if find_spec("eightfold._native") else ["python"])
def test_only_what_would_change_of_git_is_named(engine: str, tree: Path) -> None:
    (tree / ".git").mkdir()
    (tree / ".git" / "clean").write_bytes(b"clean")
    (tree / "deep" / "b.txt").write_bytes(PRECIOUS)
    environment = {**ENVIRONMENT, "EIGHTFOLD_ENGINE": engine}
    line = ["repair", "--no-ignore", "--errors", "latin-1", "--plan"]
    done = run(*line, "../plan", ".", cwd=tree, env=environment)
    assert (done.returncode, b".git" in done.stderr) == (0, False)
    (tree / ".git" / "config").write_bytes(PRECIOUS)
    done = run(*line, "../other", ".", cwd=tree, env=environment)
    assert done.returncode == 2
    assert b".git/config: it belongs to git" in done.stderr
    assert b".git/clean" not in done.stderr


def test_a_root_is_given_each_time_and_links_inside_it_are_resolved_when_planning(tree: Path, capsys: Captured) -> None:
    (tree / "deep" / "b.txt").write_bytes(PRECIOUS)
    (tree / "link").symlink_to("deep")
    root = ["--root", str(tree.parent)]
    assert main(["repair", "--errors", "latin-1", "--plan", "plan", *root, "link/b.txt"]) == 0
    assert json.loads((tree / "plan").read_bytes().splitlines()[1])["path"] == "clone/deep/b.txt"
    assert f"--undo plan --root {shlex.quote(str(tree.parent))}\n" in capsys.readouterr().err
    refused(["repair", "--apply", "plan"], capsys, "clone: No such file or directory")
    assert main(["repair", "--apply", "plan", *root]) == 0
    assert (tree / "deep" / "b.txt").read_bytes() == "precious é".encode()
    assert main(["repair", "--undo", "plan", *root, "link"]) == 0
    assert (tree / "deep" / "b.txt").read_bytes() == PRECIOUS


@pytest.mark.parametrize(
    "arguments",
    [
        ["repair", "--root", ".", "a.txt"],
        ["repair", "--root", ".", "--in-place", "a.txt"],
        ["repair", "--root", "", "--apply", "plan"],
        ["repair", "--root", "missing", "--apply", "plan"],
        ["names", "--root", ".", "a.txt"],
        ["names", "--root", ".", "--fix", "latin-1", "a.txt"],
        ["names", "--fix", "latin-1", "--apply", "log", ".."],
    ],
    ids=" ".join,
)
def test_wrong_use_of_a_root(arguments: list[str], tree: Path, capsys: Captured) -> None:
    (tree / "plan").write_bytes(plan_for("a.txt"))
    refused(arguments, capsys)


# --- logs of names ----------------------------------------------------------------------------------------------------


def log_of(*lines: object) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in ({"eightfold": "log of names", "version": 1}, *lines))


@pytest.mark.parametrize(
    "line",
    [
        {"folder": "", "old": "caf\uefe9", "new": "../outside/precious"},
        {"folder": "", "old": "../outside/caf\uefe9", "new": "a.txt"},
        {"folder": "..", "old": "caf\uefe9", "new": "outside"},
        {"folder": "../outside", "old": "caf\uefe9", "new": "precious"},
        {"folder": "deep/../..", "old": "caf\uefe9", "new": "outside"},
        {"folder": "{}", "old": "caf\uefe9", "new": "precious"},
        {"folder": "", "old": "caf\uefe9", "new": "{}/precious"},
        {"folder": "", "old": "caf\uefe9", "new": ".."},
        {"folder": "", "old": ".", "new": "a.txt"},
        {"folder": "a/" * 60_000, "old": "caf\uefe9", "new": "a.txt"},
        {"folder": "", "old": "caf\uefe9", "new": "a" * 120_000},
        {"folder": None, "old": "caf\uefe9", "new": "a.txt"},
        {"folder": 5, "old": "caf\uefe9", "new": "a.txt"},
        {"folder": ["a"], "old": "caf\uefe9", "new": "a.txt"},
        {"folder": "", "old": None, "new": "a.txt"},
        {"folder": "", "old": {"x": 1}, "new": "a.txt"},
        {"folder": "", "old": "a\0b", "new": "a.txt"},
        {"folder": "", "old": "\ud800", "new": "a.txt"},
        {"old": "caf\uefe9", "new": "a.txt"},
        None,
        [],
        10**400,
    ],
    ids=lambda line: str(line)[:60],
)
def test_a_log_renames_nothing_outside_the_root_and_what_is_no_log_is_said(
    line: object, tree: Path, outside: Path, capsys: Captured
) -> None:
    before = files_in(tree.parent)
    (tree / "log").write_bytes(log_of(line).replace(b"{}", os.fsencode(outside)))
    refused(
        ["names", "--undo", "log"], capsys, "log: line 2: this is not a line of such a log" if line != 10**400 else ""
    )
    assert {name: data for name, data in files_in(tree.parent).items() if name != "clone/log"} == before


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"folder": "", "old": "caf\uefe9", "new": "../outside/precious"}, "'../outside/precious' is not a name"),
        ({"folder": "", "old": "../outside/caf\uefe9", "new": "a.txt"}, "'../outside/caf\\xE9' is not a name"),
        ({"folder": "", "old": "caf\uefe9", "new": ".."}, "'..' is not a name in a folder: every folder already has"),
        ({"folder": "..", "old": "caf\uefe9", "new": "outside"}, "'..' leads out of the root"),
        ({"folder": "/", "old": "caf\uefe9", "new": "precious"}, "'/' is an absolute path"),
    ],
)
def test_a_way_out_of_the_root_is_the_reason(line: object, reason: str, tree: Path, capsys: Captured) -> None:
    (tree / "log").write_bytes(log_of(line))
    refused(["names", "--undo", "log"], capsys, f"log: line 2: this is not a line of such a log ({reason}")


def test_a_log_gives_no_file_a_name_that_is_utf_8(tree: Path, capsys: Captured) -> None:
    """No such name was ever changed; a log could swap a folder of its own for .git, and have its hooks run."""
    (tree / "shipped").mkdir()
    (tree / "log").write_bytes(log_of({"folder": "", "old": ".git", "new": "shipped"}))
    refused(["names", "--undo", "log"], capsys, "line 2: this is not a line of such a log ('.git' is UTF-8")
    assert not (tree / ".git").exists()


def test_the_way_back_that_is_shown_can_be_run(tree: Path, capsys: Captured) -> None:
    (tree / "a.txt").write_bytes(b"caf\xe9")
    assert main(["repair", "--plan", "my plan.jsonl", "a.txt"]) == 0
    shown = capsys.readouterr().err.partition("next: eightfold ")[2].partition(";")[0]
    assert main(shlex.split(shown)) == 0
    assert (tree / "a.txt").read_bytes() == "caf\uefe9".encode()


NAMES_TO_QUOTE = [
    b"plain", b"my plan", b"it's", b"-plan", "caf\xe9".encode(), "pl\u3000.jsonl".encode(), b"caf\xe9", b"two\nlines",
    b"\x1b[31m'0\\1$(touch x)`touch x`\"", b"\x017", b"-\xff!",
]  # fmt: skip


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="names of files are no bytes there")
@pytest.mark.skipif(not shutil.which("bash"), reason="the lines are for a shell")
@pytest.mark.parametrize("name", NAMES_TO_QUOTE, ids=ascii)
def test_the_shell_reads_the_name_that_is_quoted(name: bytes, tree: Path, capsys: Captured) -> None:
    line = quoted(os.fsdecode(name))
    assert line.isprintable()
    done = subprocess.run(["bash", "-c", f"printf %s {line}"], capture_output=True, cwd=tree, timeout=PATIENCE)
    assert done.stdout == (b"./" if name.startswith(b"-") else b"") + name
    assert not (tree / "x").exists()


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="names of files are no bytes there")
@pytest.mark.skipif(not shutil.which("bash"), reason="the lines are for a shell")
def test_the_way_back_can_be_run_in_a_shell_whatever_the_name(tree: Path, capsys: Captured) -> None:
    (tree / "a.txt").write_bytes(b"caf\xe9")
    assert main(["repair", "--plan", os.fsdecode("pl\u3000'".encode() + b"\xe9.jsonl"), "a.txt"]) == 0
    line = capsys.readouterr().err.partition("next: eightfold ")[2].partition(";")[0]
    assert line == r"repair --apply $'pl\343\200\200\'\351.jsonl'"
    shell = ["bash", "-c", f"{shlex.quote(sys.executable)} -m eightfold {line}"]
    subprocess.run(shell, check=True, cwd=tree, env=ENVIRONMENT, timeout=PATIENCE)
    assert (tree / "a.txt").read_bytes() == "caf\uefe9".encode()


@pytest.mark.parametrize("by_descriptor", [True, False])
def test_a_log_renames_nothing_by_way_of_a_link(
    by_descriptor: bool, tree: Path, outside: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eightfold.files.paths.roots.BY_DESCRIPTOR", by_descriptor and entries.BY_DESCRIPTOR)
    (tree / "deep" / "link").symlink_to(outside)
    (tree / "log").write_bytes(log_of({"folder": "deep/link", "old": "caf\uefe9", "new": "precious"}))
    refused(["names", "--undo", "log"], capsys, "deep/link: a symbolic link, which is not followed")
    assert files_in(outside) == {"precious": PRECIOUS}


def test_names_are_renamed_below_a_root_only(tree: Path, capsys: Captured) -> None:
    os.mkdir(b"deep/caf\xe9")
    os.symlink(b"caf\xe9", b"deep/link")
    root = ["--root", "deep"]
    assert main(["names", "--fix", "latin-1", "--apply", "log", *root, "deep"]) == 0
    assert "to undo: eightfold names --undo log --root deep\n" in capsys.readouterr().err
    assert json.loads((tree / "log").read_bytes().splitlines()[1])["folder"] == ""
    assert sorted(os.listdir("deep")) == ["café", "link"]
    assert main(["names", "--undo", "log", *root]) == 0
    assert sorted(os.listdir(b"deep")) == [b"caf\xe9", b"link"]


def test_a_link_that_is_renamed_may_lead_anywhere(tree: Path, outside: Path) -> None:
    os.symlink(outside / "precious", b"caf\xe9")
    assert main(["names", "--fix", "latin-1", "--apply", "log", os.fsdecode(b"caf\xe9")]) == 0
    assert os.readlink("café") == str(outside / "precious")


def test_standard_input_chooses_no_file_of_a_plan(tree: Path, capsys: Captured) -> None:
    (tree / "a.txt").write_bytes(PRECIOUS)
    (tree / "plan").write_bytes(plan_for("a.txt"))
    refused(["repair", "--apply", "plan", "-"], capsys, "plan does not list -")
    assert (tree / "a.txt").read_bytes() == PRECIOUS


def test_the_name_of_the_root_itself_lies_outside(tree: Path, capsys: Captured) -> None:
    os.mkdir(b"deep/caf\xe9")
    os.chdir(b"deep/caf\xe9")
    here = os.fsdecode(os.getcwdb())
    refused(["names", "--fix", "latin-1", "--apply", "log", here], capsys, "it is outside ")
    assert os.getcwdb().endswith(b"caf\xe9")
