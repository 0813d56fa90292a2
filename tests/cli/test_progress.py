"""Progress on a terminal: what the line says, what it leaves behind, and where it is not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

import pytest

from eightfold.cli.work.progress import _Total
from eightfold.files.read.reading import READ, opened
from eightfold.files.walk.walking import EVERYTHING
from support.command_line import PATIENCE
from support.needed import needs_terminal
from support.terminals import TERMINAL, shown_by, terminal

pyte = pytest.importorskip("pyte", reason="a terminal is needed that can be asked what it shows")
pytest.importorskip("rich")
pytestmark = needs_terminal

SOON = (
    "import sys, eightfold.cli.work.progress as p; p.AFTER_SECONDS = {}; "
    "from eightfold.cli import main; sys.exit(main())"
)
LINES = 20_000
HALF = b"clean\n" * LINES
"""More than a pipe holds: once a command has taken it, it is at work."""
SHOWN = re.compile(r"\d(\.\d)?(/\S+)? (bytes|kB|MB|GB) .*\d+(/\d+)? files?")


class Terminal:
    """A terminal of 80 columns: all that was written to it, and what it shows."""

    def __init__(self) -> None:
        self.screen = pyte.Screen(80, 24)
        self.stream = pyte.ByteStream(self.screen)
        self.seen: list[str] = []
        self.written = b""

    def feed(self, data: bytes) -> None:
        self.written += data
        for part in re.split(rb"(?=\r\x1b\[2K)", data):
            self.stream.feed(part)
            self.seen.extend(line for line in self.screen.display if SHOWN.search(line))

    @property
    def left(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display if line.strip()]


def on_terminal(
    *arguments: str,
    after: float = 0.0,
    feed: Callable[[IO[bytes], Terminal], None] | None = None,
    env: dict[str, str] = TERMINAL,
    output_too: bool = True,
) -> tuple[Terminal, bytes]:
    """Run a command with its messages, and its results if that is asked for, on a terminal.

    What feeds it runs beside it, and sees what the terminal shows.
    """
    line = [sys.executable, "-c", SOON.format(after), *arguments]
    shown, results = Terminal(), b""
    with (
        terminal() as (ours, theirs),
        subprocess.Popen(
            line,
            stdin=subprocess.PIPE if feed else theirs,
            stdout=theirs if output_too else subprocess.PIPE,
            stderr=theirs,
            env=env,
        ) as process,
        ThreadPoolExecutor(1) as beside,
    ):
        fed = beside.submit(feed, process.stdin, shown) if feed and process.stdin else None
        for data in shown_by(process, ours, theirs):
            shown.feed(data)
        if process.stdout is not None:
            results = process.stdout.read()
        if fed:
            fed.result()
    return shown, results


def in_halves(given: IO[bytes], between: Callable[[], object], half: bytes = HALF) -> None:
    """Write two halves and a fault between them, and do something before the second."""
    with given:
        given.write(half)
        given.flush()
        between()
        given.write(b"\xff\n" + half)


def until(so: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def until_shown(given: IO[bytes], terminal: Terminal) -> None:
    in_halves(given, lambda: until(lambda: terminal.seen))


def for_a_second(given: IO[bytes], terminal: Terminal) -> None:
    """Leave a command that is at work the time in which it would show a line ten times."""
    in_halves(given, lambda: time.sleep(1))


def for_a_second_of_results(given: IO[bytes], terminal: Terminal) -> None:
    def between() -> None:
        until(lambda: b"clean\r\n" in terminal.written)
        time.sleep(1)

    in_halves(given, between, b"clean\n" * 5_000)


@pytest.mark.parametrize("output_too", [True, False], ids=["results on it", "results elsewhere"])
def test_it_is_shown_while_a_file_is_read_and_gone_in_the_end(output_too: bool) -> None:
    shown, results = on_terminal("check", "-", feed=until_shown, output_too=output_too)
    assert shown.seen
    fault = f"-:{LINES + 1}:1: invalid-byte: byte FF cannot begin a sequence"
    message = "eightfold: 1 file checked, 1 ill-formed: 1 error"
    assert shown.left == ([fault, message] if output_too else [message])
    assert results == (b"" if output_too else f"{fault}\n".encode())


def test_what_is_over_sooner_shows_nothing(tmp_path: Path) -> None:
    (tmp_path / "clean.txt").write_text("clean\n")
    shown, _ = on_terminal("check", str(tmp_path / "clean.txt"), after=60.0)
    assert b"\r\x1b[2K" not in shown.written
    assert shown.left == ["eightfold: 1 file checked: no faults"]


@pytest.mark.parametrize("case", ["--no-progress", "TERM=dumb", "without rich"])
def test_where_it_is_not(case: str, tmp_path: Path) -> None:
    env, options = TERMINAL, []
    if case == "TERM=dumb":
        env = {**TERMINAL, "TERM": "dumb"}
    elif case == "without rich":
        (tmp_path / "rich.py").write_text("raise ImportError('rich is blocked')\n")
        env = {**TERMINAL, "PYTHONPATH": os.pathsep.join((str(tmp_path), TERMINAL["PYTHONPATH"]))}
    else:
        options = ["--no-progress"]
    shown, _ = on_terminal("check", *options, "-", feed=for_a_second, env=env)
    assert shown.seen == []
    assert b"\x1b[2K" not in shown.written


def test_messages_that_go_no_terminal_are_without_it() -> None:
    line = [sys.executable, "-c", SOON.format(0), "check", "-"]
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=TERMINAL
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        in_halves(process.stdin, lambda: time.sleep(1))
        assert process.stderr.read() == b"eightfold: 1 file checked, 1 ill-formed: 1 error\n"


def test_bytes_of_a_result_on_the_terminal_end_it() -> None:
    shown, _ = on_terminal("convert", "--errors", "ignore", "-t", "utf-8", "-", feed=for_a_second_of_results)
    assert shown.written.replace(b"\r\x1b[2K", b"").count(b"clean\r\n") == 10_000
    assert not re.search(rb"clean\r\n.*\x1b\[2K", shown.written.partition(b"clean\r\n")[2], re.DOTALL)


def test_it_knows_how_much_there_is(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_bytes(bytes(1000))
    known = _Total([str(tmp_path)], EVERYTHING)
    assert not known.is_known
    known.measure(10)
    assert (known.is_known, known.files, known.bytes) == (True, 3, 3000)
    for paths in (["-"], ["https://example.org/a"], None):
        unknown = _Total(paths, EVERYTHING)
        unknown.measure(10)
        assert not unknown.is_known


def test_what_is_read_is_counted_once(tmp_path: Path) -> None:
    import gzip

    data = os.urandom(600_000)
    (tmp_path / "plain").write_bytes(data)
    (tmp_path / "packed.gz").write_bytes(gzip.compress(data))
    for name in ("plain", "packed.gz"):
        for twice in (False, True):
            files, size = READ.files, READ.bytes
            with opened(str(tmp_path / name), twice=twice, unpack=True) as source:
                list(source.pieces())
                source.rewind()
                list(source.pieces())
            assert (READ.files - files, READ.bytes - size) == (1, (tmp_path / name).stat().st_size)


def test_a_file_that_is_left_counts_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(bytes(600_000))
    size = READ.bytes
    with opened(str(tmp_path / "plain")) as source:
        source.head(10)
    assert READ.bytes - size == 600_000


def test_files_of_other_processes_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from eightfold.cli import main
    from eightfold.cli.work import schedule

    monkeypatch.setattr(schedule, "_ALONE", 0)
    for number in range(200):
        (tmp_path / f"{number}.txt").write_bytes(b"a" * 100)
    files, size = READ.files, READ.bytes
    assert main(["check", "-j", "2", str(tmp_path)]) == 0
    assert (READ.files - files, READ.bytes - size) == (200, 20_000)
