"""Files given by their paths: the core reads the clean ones, and all commands do the same as without it."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from eightfold.cli import main
from eightfold.cli.commands import check, convert, identify
from eightfold.cli.commands.convert import one
from eightfold.cli.commands.repair import runs
from eightfold.cli.work import checking
from eightfold.cli.work.checking import Task
from eightfold.files.records.journals import NAME
from eightfold.files.walk.trees import Passed, Trees
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
    "old-stream.arrows": b"\x0c\0\0\0" + b"text" * 30,
    "mojibake.txt": "caf\u00c3\u00a9 na\u00c3\u00afve\n".encode(),
    "shifts.txt": b"\x1b$B!!\x1b(B and more",
    "escape-of-ours.txt": "\uefe9".encode(),
    "wide-pairs.txt": "\U0001f600\n".encode() * 20,
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
    ["-f", "utf-8", "--binary"],
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
    return made(tmp_path)


def made(folder: Path) -> Path:
    for name, content in CONTENTS.items():
        folder.joinpath(name).write_bytes(content)
    folder.joinpath("link.txt").symlink_to("text.txt")
    folder.joinpath("broken.txt").symlink_to("nowhere")
    below = folder / "below"
    below.mkdir()
    below.joinpath("eightfold.toml").write_text('form = "cesu-8"\nexclude = ["left-*"]\n')
    for name in ("text.txt", "pairs.txt", "left-out.txt"):
        below.joinpath(name).write_bytes(CONTENTS["pairs.txt"] if name == "pairs.txt" else CONTENTS["text.txt"])
    return folder


def named(folder: Path) -> list[str]:
    """Return what is given: each file, one twice, one by its whole path, what is not there, and a folder."""
    names = [*CONTENTS, "link.txt", "broken.txt", "none.txt", "ascii.txt", "./ascii.txt", str(folder / "ascii.txt")]
    return [*names, "below/text.txt", "below/pairs.txt", "below/left-out.txt", "below"]


def report(*arguments: str, cwd: Path) -> tuple[int, bytes, bytes]:
    found = run_here("check", *arguments, cwd=cwd)
    return found.returncode, found.stdout, found.stderr


def without_core(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (check, convert, identify, runs):
        monkeypatch.setattr(module, "can_walk", lambda: False)


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_the_report_is_the_same_as_without_the_core(
    options: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_core = report(*options, *named(folder), cwd=folder)
    without_core(monkeypatch)
    assert with_core == report(*options, *named(folder), cwd=folder)
    assert b"none.txt" in with_core[2]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_the_report_on_one_file_is_the_same_as_without_the_core(
    options: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [name for name in named(folder) if name not in ("large.txt", "below")]
    with_core = [report(*options, name, cwd=folder) for name in names]
    without_core(monkeypatch)
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
    trees = Trees(Task().examination, counted.append, 1)
    files = [Found(str(folder / name), name.encode(), False) for name in ("text.txt", "fault.txt")]
    assert [trees.given(found) for found in files] == [None, files[1]]
    assert counted == [Passed(1, 0, len(CONTENTS["text.txt"]))]


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


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize(
    "command",
    [
        ("identify",),
        ("identify", "--output-format", "json"),
        ("identify", "--all"),
        ("identify", "--legacy", "--no-compression"),
        ("repair",),
        ("repair", "-f", "utf-8", "--errors", "replace", "--no-compression"),
        ("repair", "--diff", "--no-config"),
        ("repair", "--escapes", "repair", "--binary"),
        ("repair", "--exclude", "text.*", "--force-exclude"),
        ("convert", "-t", "wtf-8", "--diff", "--internal"),
    ],
    ids=" ".join,
)
def test_what_is_said_of_files_is_the_same_as_without_the_core(
    command: tuple[str, ...], listed: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = named(folder)
    folder.joinpath("list").write_bytes("\0".join(names).encode())
    given = ["--files-from", "list", "-z"] if listed else names
    with_core = run_here(*command, *given, cwd=folder)
    without_core(monkeypatch)
    other = run_here(*command, *given, cwd=folder)
    assert (with_core.returncode, with_core.stdout, with_core.stderr) == (other.returncode, other.stdout, other.stderr)
    assert b"none.txt" in with_core.stderr


@pytest.mark.parametrize("with_folder", [False, True])
@pytest.mark.parametrize(
    "command",
    [
        ("repair", "--in-place"),
        ("repair", "--in-place", "--errors", "replace", "--lossy", "--verify"),
        ("repair", "--in-place", "--backup", ".orig"),
        ("repair", "--in-place", "--certificate", "certificate.jsonl", "--escapes", "repair"),
        ("repair", "--plan", "plan.jsonl"),
        ("convert", "--in-place", "-f", "cesu-8", "-t", "utf-8"),
        ("convert", "--in-place", "-f", "wtf-8", "-t", "utf-8", "--binary", "--no-compression"),
        ("convert", "--in-place", "-f", "cesu-8", "-t", "utf-8", "--errors", "replace", "-j", "1"),
        ("convert", "--in-place", "-t", "cesu-8"),
        ("convert", "--in-place", "-f", "cesu-8", "-t", "utf-8", "--verify", "--certificate", "certificate.jsonl"),
        ("convert", "--in-place", "-f", "auto", "-t", "utf-8"),
    ],
    ids=" ".join,
)
def test_what_becomes_of_files_is_the_same_as_without_the_core(
    command: tuple[str, ...],
    with_folder: bool,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends = []
    for by_core in (True, False):
        folder = made(tmp_path_factory.mktemp("files"))
        if not by_core:
            without_core(monkeypatch)
        names = [name for name in named(folder) if not name.startswith("/") and (with_folder or name != "below")]
        for _ in range(2):  # The second run finds the journals and the plan of the first.
            run = run_here(*command, *names, cwd=folder)
            left = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
            for path in left:
                if path.name in (NAME, "certificate.jsonl"):
                    left[path] = b""
            ends.append((run.returncode, run.stdout, run.stderr.replace(bytes(folder), b""), left))
    assert ends[:2] == ends[2:]
    assert b"none.txt" in ends[0][2]


@pytest.mark.parametrize(
    "command",
    [
        ("identify",),
        ("repair",),
        ("repair", "--in-place", "--errors", "strict"),
        ("repair", "--plan", "plan.jsonl"),
        ("convert", "--in-place", "-f", "wtf-8", "-t", "utf-8", "-j", "1"),
    ],
    ids=" ".join,
)
def test_clean_files_are_opened_by_the_core_alone_in_other_commands_too(
    command: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    reading, do, write = identify.opened, runs.RepairRun.do, one._write_one
    monkeypatch.setattr(identify, "opened", lambda way, **ways: opened.append(way) or reading(way, **ways))
    monkeypatch.setattr(runs.RepairRun, "do", lambda run, job, *rest: opened.append(job.source) or do(run, job, *rest))
    monkeypatch.setattr(one, "_write_one", lambda *given: opened.append(given[3].source) or write(*given))
    run_here(*command, "ascii.txt", "text.txt", "text.txt", "link.txt", "fault.txt", cwd=folder)
    assert opened == ["fault.txt"]


def test_a_clean_file_that_is_given_twice_is_counted_once_where_files_are_replaced(folder: Path) -> None:
    names = ["ascii.txt", "./ascii.txt", "link.txt", "text.txt"]
    for options, count in (([], 4), (["--in-place"], 2), (["--plan", "plan.jsonl"], 2)):
        assert f"{count} files read" in run_here("repair", *options, *names, cwd=folder).stderr.decode()


def test_a_file_to_which_standard_output_goes_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open(folder / "out.txt", "w", encoding="utf-8") as file, redirect_stdout(file):
        print("clean", flush=True)
        assert main(["repair", str(folder / "ascii.txt"), str(folder / "out.txt")]) == 2
    assert "out.txt: standard output goes to this file too" in capsys.readouterr().err
