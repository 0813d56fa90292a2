"""Trees as a user who may not read or write everything in them: what is refused is named, and the rest is done.

Root may do everything, so root runs the commands as another user. Both walks, that of the core and that in Python, must
do the same.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from eightfold.files.records.journals import NAME as JOURNAL
from support.command_line import ENVIRONMENT, PATIENCE
from support.trees import make_git_folder

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs users and modes as POSIX has them")

NOBODY = 65534
HAS_CORE = importlib.util.find_spec("eightfold._native") is not None
ENGINES = ("native", "python") if HAS_CORE else ("python",)
PAIRED, MENDED = b"caf\xed\xa0\xbd\xed\xb8\x80\n", "caf\U0001f600\n".encode()
FOLDERS = ("a", "no list", "no search", "no write", "nothing", "z")
MODES = {"no list": 0o300, "no search": 0o600, "no write": 0o500, "nothing": 0}
FILES = {"denied.txt": 0, "read-only.txt": 0o444, "write-only.txt": 0o200, "private.txt": 0o600}


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def interpreters() -> list[str]:
    """Return the interpreters of this version; another user may not reach the first."""
    return [sys.executable, *filter(None, [shutil.which(f"python3.{sys.version_info.minor}", path="/usr/bin")])]


class Place(NamedTuple):
    """A folder in which an interpreter runs commands as a user who is not root."""

    top: Path
    python: str

    @property
    def tree(self) -> Path:
        return self.top / "tree"

    def make(self) -> None:
        """Make the tree anew."""
        for name in ("tree", "state"):
            self.remove(self.top / name)
            (self.top / name).mkdir()
        for folder in FOLDERS:
            (self.tree / folder / "sub").mkdir(parents=True)
            (self.tree / folder / "clean.txt").write_bytes(b"clean\n")
            (self.tree / folder / "paired.txt").write_bytes(PAIRED)
            (self.tree / folder / "sub" / "paired.txt").write_bytes(PAIRED)
        (self.tree / "a" / ".gitignore").write_bytes(b"*.log\n")
        for name, mode in {**FILES, ".gitignore": 0}.items():
            path = self.tree / "a" / name
            if name != ".gitignore":
                path.write_bytes(PAIRED)
            path.chmod(mode)
        if is_root():
            self.give_away()
        for folder, mode in MODES.items():
            (self.tree / folder).chmod(mode)

    def give_away(self) -> None:
        """Give everything to the other user, but for two files in a folder of theirs."""
        for folder, names, files in os.walk(self.top):
            for name in (*names, *files):
                os.chown(os.path.join(folder, name), NOBODY, NOBODY)
        for name, mode in (("of root, readable.txt", 0o644), ("of root, writable.txt", 0o666)):
            path = self.tree / "a" / name
            path.write_bytes(PAIRED)
            path.chmod(mode)

    @staticmethod
    def remove(path: Path) -> None:
        if path.exists():
            for folder, names, _ in os.walk(path):
                for name in names:
                    os.chmod(os.path.join(folder, name), 0o700)
            shutil.rmtree(path)

    def run(self, engine: str, *arguments: str, folder: str = "") -> subprocess.CompletedProcess[bytes]:
        """Run a command in the tree, or in a folder of it."""
        environment = {**ENVIRONMENT, "EIGHTFOLD_ENGINE": engine, "XDG_STATE_HOME": str(self.top / "state")}
        return self.started("-m", "eightfold", *arguments, cwd=self.tree / folder, env=environment)

    def started(self, *line: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
        user: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if is_root() else {}
        return subprocess.run(
            [self.python, *line], capture_output=True, check=False, timeout=PATIENCE, **user, **options
        )

    def can_run(self) -> bool:
        """Return whether the other user can run the interpreter, and it finds the package."""
        try:
            return not self.started("-c", "import eightfold.cli", cwd=self.top, env=ENVIRONMENT).returncode
        except PermissionError:
            return False

    def state(self) -> dict[str, tuple[int, int, bytes]]:
        """Return the mode, the owner and the content of each file, where there are any; links are not expected."""
        for folder in MODES:
            (self.tree / folder).chmod(0o700)
        paths = sorted(path for path in self.tree.rglob("*") if path.is_file())
        found = {}
        for path in paths:
            status = path.stat()
            if not is_root():
                path.chmod(0o600)
            # The lines of a journal have a random name for the run.
            content = b"" if path.name == JOURNAL else path.read_bytes()
            found[str(path.relative_to(self.tree))] = (status.st_mode & 0o7777, status.st_uid, content)
        return found


@pytest.fixture
def top() -> Iterator[Path]:
    # Folders of pytest are closed to other users.
    top = Path(tempfile.mkdtemp(prefix="eightfold-"))
    top.chmod(0o755)
    mask = os.umask(0o022)
    try:
        yield top
    finally:
        os.umask(mask)
        Place.remove(top)


@pytest.fixture
def place(top: Path) -> Place:
    python = interpreter_of_others()
    if not python:
        pytest.skip("no interpreter of this version lies where another user may run it, or the package does not")
    place = Place(top, python)
    place.make()
    return place


@cache
def interpreter_of_others() -> str:
    """Return the interpreter that another user can run, or nothing; finding out starts one or two of them."""
    places = (Place(Path("/"), python) for python in interpreters())
    return next((each.python for each in places if each.can_run()), "")


IN_PLACE = ("--in-place", "-f", "cesu-8")
COMMANDS = [
    ("check", "."),
    ("check", "-j", "1", "."),
    ("check", "-f", "cesu-8", "--output-format", "json", "."),
    ("check", "--statistics", "no search", "a", "no list", "a/denied.txt"),
    ("identify", "."),
    ("repair", "."),
    ("repair", "--in-place", "."),
    ("repair", *IN_PLACE, "."),
    ("repair", "--in-place", "--backup", ".orig", "."),
    ("repair", "--plan", "plan", "."),
    ("convert", "-t", "utf-8", *IN_PLACE, "."),
    ("convert", "-t", "utf-8", *IN_PLACE, "-j", "1", "."),
    ("convert", "-t", "utf-8", *IN_PLACE, "--backup", ".orig", "."),
    ("convert", "-f", "cesu-8", "-t", "utf-8", "--diff", "."),
    ("convert", "-f", "cesu-8", "-t", "utf-8", "-o", "new", "."),
    ("names", "."),
]
DENIED = [
    "./a/.gitignore",
    "./a/denied.txt",
    "./a/write-only.txt",
    "./no list",
    "./no search/clean.txt",
    "./no search/paired.txt",
    "./no search/sub",
    "./nothing",
]


def denied_in(done: subprocess.CompletedProcess[bytes]) -> list[str]:
    lines = done.stderr.decode().splitlines()
    return sorted(line[len("eightfold: ") : -len(": Permission denied")] for line in lines if "Permission d" in line)


@pytest.mark.skipif(not HAS_CORE, reason="there is no core to compare with")
@pytest.mark.parametrize("line", COMMANDS, ids=" ".join)
def test_both_walks_say_and_do_the_same(line: tuple[str, ...], place: Place) -> None:
    ours = place.run("native", *line)
    state = place.state()
    place.make()
    theirs = place.run("python", *line)
    assert (ours.returncode, theirs.returncode) == (2, 2)
    assert sorted(ours.stderr.splitlines()) == sorted(theirs.stderr.splitlines())
    assert ours.stdout == theirs.stdout
    assert place.state() == state


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("command", ["check", "repair"])
def test_an_ignore_file_out_of_reach_is_as_any_other_file(command: str, engine: str, place: Place) -> None:
    place.remove(place.tree)
    folder = place.tree / "a" / "no search"
    folder.mkdir(parents=True)
    (folder / ".gitignore").write_bytes(b"*.log\n")
    (place.tree / "a" / "clean.md").write_bytes(b"clean\n")
    folder.chmod(0o444)
    taken, left = (place.run(engine, command, "--include", glob, "a") for glob in (".*", "*.md"))
    assert (taken.returncode, denied_in(taken)) == (2, ["a/no search/.gitignore"])
    assert (left.returncode, denied_in(left)) == (0, [])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("line", [("check", "."), ("repair", ".")], ids=" ".join)
@pytest.mark.parametrize(
    ("name", "content", "mode", "reason"),
    [
        ("eightfold.toml", b"n = 1\n", 0o644, ":1: unknown key 'n': "),
        ("eightfold.toml", b"", 0, ": Permission denied"),
        (".gitignore", b"*.log\n", 0, ": Permission denied"),
    ],
)
def test_what_holds_in_a_folder_that_cannot_be_listed_is_read(
    line: tuple[str, ...], engine: str, name: str, content: bytes, mode: int, reason: str, place: Place
) -> None:
    path = place.tree / "no list" / name
    path.write_bytes(content)
    if is_root():
        os.chown(path, NOBODY, NOBODY)
    path.chmod(mode)
    said = place.run(engine, *line).stderr.decode()
    lists = "eightfold: ./no list: Permission denied\n"
    assert f"no list/{name}{reason}" in said
    # A folder whose configuration is wrong is not looked at any further.
    assert said.count(lists) == (name == ".gitignore")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("line", [("check", "."), ("identify", "."), ("repair", ".")], ids=" ".join)
def test_what_cannot_be_read_is_named_once_with_its_reason(line: tuple[str, ...], engine: str, place: Place) -> None:
    done = place.run(engine, *line)
    assert (done.returncode, denied_in(done)) == (2, DENIED)
    assert b"./z/sub/paired.txt" in done.stdout + done.stderr


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("has_repository", [True, False])
@pytest.mark.parametrize(
    ("line", "named"),
    [
        (("check", "."), "./.gitignore"),
        (("check", "-j", "1", "."), "./.gitignore"),
        (("check", "--include", "*.txt", "."), "./.gitignore"),
        (("check", "--no-ignore", "."), "./.gitignore"),
        (("check", "./sub/.."), "./sub/../.gitignore"),
        (("check", "../a"), "../a/.gitignore"),
        (("check", ".."), "../a/.gitignore"),
        (("check", "--exclude", "*", "sub"), "{}/.gitignore"),
        (("check", ".gitignore"), ".gitignore"),
    ],
    ids=str,
)
def test_an_ignore_file_that_cannot_be_read_counts_once(
    line: tuple[str, ...], named: str, has_repository: bool, engine: str, place: Place
) -> None:
    place.remove(place.tree)
    folder = place.tree / "a"
    (folder / "sub").mkdir(parents=True)
    (folder / "clean.txt").write_bytes(b"clean\n")
    (folder / ".gitignore").touch(0)
    if has_repository:
        make_git_folder(folder / ".git")
    done = place.run(engine, *line, folder="a")
    is_above = named.startswith("{}")
    denied = [] if is_above and not has_repository else [named.format(os.path.realpath(folder))]
    assert denied_in(done) == denied
    assert (b", 1 unreadable" in done.stderr) == bool(denied)


@pytest.mark.parametrize(
    "line", [("repair", *IN_PLACE), ("convert", "-t", "utf-8", *IN_PLACE)], ids=lambda line: line[0]
)
def test_in_place_leaves_what_it_may_not_change_and_does_the_rest(line: tuple[str, ...], place: Place) -> None:
    before = place.state()
    place.make()
    done = place.run("", *line, ".")
    after = place.state()
    assert done.returncode == 2
    assert denied_in(done) == sorted([*DENIED, "./no write/paired.txt"])
    assert b"./a/read-only.txt: it is read-only" in done.stderr
    assert b"incomplete: run the command again; finished files are skipped" in done.stderr
    if is_root():
        assert b"./a/of root, readable.txt: you do not have permission to write to it" in done.stderr
        assert b"./a/of root, writable.txt: its owner (0:0) cannot be preserved" in done.stderr
    written = ["a/paired.txt", "a/private.txt", "a/sub/paired.txt", "no write/sub/paired.txt"]
    written += ["z/paired.txt", "z/sub/paired.txt"]
    expected = {
        name: (mode, owner, MENDED if name in written else data) for name, (mode, owner, data) in before.items()
    }
    # The journals say what is done; nothing else is left behind.
    journals = {os.path.join(os.path.dirname(name), JOURNAL) for name in written}
    assert {name for name in after if name not in before} == journals
    assert {name: after[name] for name in before} == expected


def test_a_run_goes_on_once_it_may(place: Place) -> None:
    line = ("convert", "-t", "utf-16-le", *IN_PLACE, ".")
    assert place.run("", *line).returncode == 2
    for folder in MODES:
        (place.tree / folder).chmod(0o700)
    for path in (place.tree / "a").iterdir():
        if path.is_file():
            path.chmod(0o600)
            if is_root():
                os.chown(path, NOBODY, NOBODY)
    done = place.run("", *line)
    assert (done.returncode, b"already converted by an interrupted run" in done.stderr) == (0, True), done.stderr
    contents = {data for name, (_, _, data) in place.state().items() if name.endswith("paired.txt")}
    assert contents == {MENDED.decode().encode("utf-16-le")}
    assert not list(place.tree.rglob("*.tmp"))
