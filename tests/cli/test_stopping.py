"""Signals that stop a program while it writes the file of ``--output-file``, or starts or ends worker processes.

They are raised by the test, in the thread that is to be stopped: nothing depends on when one arrives.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from eightfold.cli import main
from eightfold.cli.output import lines
from eightfold.files.parallel import signals
from eightfold.files.parallel.processes import Workers
from eightfold.files.write import temporary, writing
from support.command_line import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")

WATCHED = {str(module.__file__) for module in (contextlib, lines, signals, temporary, writing)}
FIRST = 30
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}


class Signals:
    """Raises a signal before the given lines, counted from when there is a temporary file.

    A trace function that raises is taken off, so a profile function, which hears of the next call or return, sets it
    again.
    """

    def __init__(self, number: signal.Signals, at: set[int], folder: Path) -> None:
        self._number, self._at, self._folder = number, at, folder
        self.count = 0

    def on_event(self, frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename not in WATCHED:
            return None
        if event == "line" and any(name.startswith(".out") for name in os.listdir(self._folder)):
            self.count += 1
            if self.count in self._at:
                signal.raise_signal(self._number)
        return self.on_event

    def set_again(self, frame: FrameType | None, _: str, __: object) -> None:
        if sys.gettrace() is None:
            sys.settrace(self.on_event)
            while frame is not None:
                frame.f_trace = self.on_event
                frame = frame.f_back


def checked(number: signal.Signals, at: set[int], folder: Path) -> tuple[int, int]:
    """Check a file with faults with signals before some lines; return the exit status and how many lines there were."""
    raised = Signals(number, at, folder)
    trace, profile = sys.gettrace(), sys.getprofile()
    sys.setprofile(raised.set_again)
    try:
        status = main(["check", "-j", "1", "--output-file", str(folder / "out"), str(folder / "in.txt")])
    finally:
        sys.setprofile(profile)
        sys.settrace(trace)
    return status, raised.count


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in.txt").write_bytes(b"a\xff")
    (tmp_path / "out").write_text("as it was")
    return tmp_path


def assert_nothing_is_left(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == ["in.txt", "out"]


# A file that was opened on that very line is closed by the collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_before_any_line_leaves_no_temporary_file(folder: Path) -> None:
    number = signal.SIGTERM
    status, lines_there = checked(number, set(), folder)
    assert (status, lines_there > 50) == (1, True)
    result = (folder / "out").read_text()
    for line in range(1, lines_there + 1):
        (folder / "out").write_text("as it was")
        status, _ = checked(number, {line}, folder)
        assert status == STATUS[number]
        assert (folder / "out").read_text() in ("as it was", result)
        assert_nothing_is_left(folder)


@pytest.mark.parametrize("number", STATUS)
def test_a_second_signal_does_not_interrupt_the_cleanup(number: signal.Signals, folder: Path) -> None:
    _, lines_there = checked(number, {FIRST}, folder)
    assert lines_there > FIRST
    for second in range(FIRST + 1, lines_there + 1):
        status, _ = checked(number, {FIRST, second}, folder)
        assert status == STATUS[number]
        assert (folder / "out").read_text() == "as it was"
        assert_nothing_is_left(folder)


STARTED = """
import signal
from multiprocessing import util
from eightfold.files.parallel.processes import Workers

started = []
spawn = util.spawnv_passfds

def watched(path, line, *rest):
    kind = "tracker" if b"resource_tracker" in b"".join(map(bytes, (str(each).encode() for each in line))) else "worker"
    started.append((kind, signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())))
    return spawn(path, line, *rest)

util.spawnv_passfds = watched
Workers(2, print, None).end()
print([is_held for kind, is_held in started if kind == "worker"])
"""


def test_ctrl_c_is_held_back_while_any_worker_starts() -> None:
    line = [sys.executable, "-c", STARTED]
    done = subprocess.run(line, capture_output=True, check=True, timeout=PATIENCE)
    assert done.stdout.split(b"\n")[0] == b"[True, True]"


class Ended:
    """A process and its pipe; a signal comes as soon as the end begins."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def close(self) -> None:
        signal.raise_signal(signal.SIGINT)
        self.calls.append("close")

    def kill(self) -> None:
        self.calls.append("kill")

    def join(self) -> None:
        self.calls.append("join")


def test_ctrl_c_does_not_interrupt_the_end_of_workers() -> None:
    ended = [Ended(), Ended()]
    workers = Workers(0, lambda _, __: print, None)
    workers._workers = [(each, each) for each in ended]  # type: ignore[misc]
    with pytest.raises(KeyboardInterrupt):
        workers.end()
    assert [each.calls for each in ended] == [["close", "kill", "join"]] * 2
