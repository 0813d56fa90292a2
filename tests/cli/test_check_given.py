"""Files given by their paths: the core reads the clean ones, and the report is the same as without it."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from eightfold.cli.work import checking, given
from eightfold.cli.work.checking import Task
from eightfold.files.walk.trees import Passed
from eightfold.files.walk.walking import Found
from support.command_line import run_here
from support.core_trees import needs_trees

pytestmark = needs_trees

CONTENTS = {
    "empty.txt": b"",
    "ascii.txt": b"plain\n" * 100,
    "text.txt": "naïve 中 😀\n".encode() * 100,
    "cut.txt": "naïve".encode() * 50 + "中".encode()[:2],
    "fault.txt": b"a" * 70_000 + b"\xff",
    "nul.txt": b"a\0b" * 30,
    "wide.txt": "some text\n".encode("utf-16-le") * 20,
    "marked.txt": "some text\n".encode("utf-16"),
    "utf-8-marked.txt": b"\xef\xbb\xbftext",
    "surrogate.txt": b"lead \xed\xa0\xbd",
    "pairs.txt": b"\xed\xa0\xbd\xed\xb8\x80 " * 20,
    "escape.json": rb'{"a": "\ud83d"}',
    "escape.txt": rb'{"a": "\ud83d"}',
    "clean.json": rb'{"a": "\ud83d\ude00"}',
    "table.txt": b"PAR1 is how a table begins",
    "base.db": b"SQLite format 3\0" + b"text" * 30,
    "table.parquet": b"PAR1PAR1",
    "other.parquet": b"text under another name",
    "packed.txt.gz": gzip.compress(b"fault \xff"),
    "text.gz": b"text",
    "Java.class": b"\xc0\x80 mutf-8",
    "large.txt": "clean text, много\n".encode() * 600_000,
}
OPTIONS = (
    [],
    ["-f", "utf-8"],
    ["-f", "wtf-8"],
    ["-f", "utf-16-le"],
    ["-f", "auto"],
    ["-f", "windows-1252"],
    ["--binary"],
    ["--strict", "--statistics"],
    ["--no-compression"],
    ["--escapes", "off"],
    ["--escapes-in", "*.txt"],
    ["--form-map", "*.class=mutf-8", "--form-map", "*.txt=wtf-8"],
    ["--form-map", "*.txt=auto"],
    ["--max-faults", "0"],
    ["--output-format", "jsonl"],
    ["-j", "2"],
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in CONTENTS.items():
        tmp_path.joinpath(name).write_bytes(content)
    tmp_path.joinpath("link.txt").symlink_to("text.txt")
    tmp_path.joinpath("broken.txt").symlink_to("nowhere")
    below = tmp_path / "below"
    below.mkdir()
    below.joinpath("eightfold.toml").write_text('form = "cesu-8"\nexclude = ["left-*"]\n')
    for name in ("text.txt", "pairs.txt", "left-out.txt"):
        below.joinpath(name).write_bytes(CONTENTS["pairs.txt"] if name == "pairs.txt" else CONTENTS["text.txt"])
    return tmp_path


def named(folder: Path) -> list[str]:
    """Return what is given: each file, one twice, one by its whole path, what is not there, and a folder."""
    names = [*CONTENTS, "link.txt", "broken.txt", "none.txt", "ascii.txt", "./ascii.txt", str(folder / "ascii.txt")]
    return [*names, "below/text.txt", "below/pairs.txt", "below/left-out.txt", "below"]


def report(*arguments: str, cwd: Path) -> tuple[int, bytes, bytes]:
    found = run_here("check", *arguments, cwd=cwd)
    return found.returncode, found.stdout, found.stderr


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_the_report_is_the_same_as_without_the_core(
    options: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_core = report(*options, *named(folder), cwd=folder)
    monkeypatch.setattr(given, "_EXAMINER", None)
    assert with_core == report(*options, *named(folder), cwd=folder)
    assert b"none.txt" in with_core[2]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_the_report_on_one_file_is_the_same_as_without_the_core(
    options: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [name for name in named(folder) if name not in ("large.txt", "below")]
    with_core = [report(*options, name, cwd=folder) for name in names]
    monkeypatch.setattr(given, "_EXAMINER", None)
    assert with_core == [report(*options, name, cwd=folder) for name in names]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that Python opens to check them."""
    paths: list[str] = []
    opened = checking.opened

    def noted(file: str, **options: bool) -> object:
        paths.append(file)
        return opened(file, **options)

    monkeypatch.setattr(checking, "opened", noted)
    return paths


def test_clean_files_are_read_by_the_core_alone(folder: Path, opened: list[str]) -> None:
    clean = ["empty.txt", "ascii.txt", "text.txt", "utf-8-marked.txt", "link.txt"]
    listed = folder / "list"
    listed.write_text("".join(f"{name}\n" for name in clean))
    found = run_here("check", "--files-from", str(listed), cwd=folder)
    assert (found.returncode, found.stderr) == (0, b"eightfold: 5 files checked: no faults\n")
    assert run_here("check", "-f", "utf-8", *clean, "fault.txt", cwd=folder).returncode == 1
    assert opened == ["fault.txt"]


def test_clean_files_are_counted_with_their_bytes(folder: Path) -> None:
    counted: list[Passed] = []
    files = given.GivenFiles(Task(), counted.append)
    passed = [files.passes(Found(str(folder / name), name.encode(), False)) for name in ("text.txt", "fault.txt")]
    assert (passed, counted) == ([True, False], [Passed(1, 0, len(CONTENTS["text.txt"]))])


def test_what_is_no_path_is_not_looked_for_in_the_folder(tmp_path: Path) -> None:
    for name in ("-", "protocol://host/text.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"text")
    assert run_here("check", "-", cwd=tmp_path, input=b"\xff").returncode == 1
    assert b"protocol" in run_here("check", "protocol://host/text.txt", cwd=tmp_path).stderr


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Path]:
    """A pipe into which someone writes a fault, once somebody reads."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"a" * 100 + b"\xff",))
    writer.start()
    yield path
    writer.join()


def test_who_writes_to_a_pipe_has_one_reader(pipe: Path) -> None:
    found = run_here("check", str(pipe))
    assert found.stdout.startswith(f"{pipe}:1:101: invalid-byte".encode())
