"""A program that is asked: one request a line, one answer a line. It may hang, die or write anything.

What it does wrong ends in :class:`Broken`, never in another exception; it is ended and started again, a bounded number
of times, and no more of its output is kept than one line.
"""

from __future__ import annotations

import json
import os
import queue
import select
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

PROTOCOL = 1
LONGEST_LINE = 1 << 16
LINES_AHEAD = 16
RESTARTS = 10
SAID = 200

Answer = dict[str, Any]


class Broken(Exception):  # noqa: N818 - a word of the scoreboard
    """The program gave no answer: why, in words."""


class Program:
    """A program that runs while it is asked; a context manager that ends it.

    Args:
        command: the program and its arguments.
        timeout: seconds that it may take for an answer.
        start_timeout: seconds that it may take for the first one.
    """

    def __init__(self, command: Sequence[str], *, timeout: float = 10, start_timeout: float = 60) -> None:
        self.command, self.timeout, self.start_timeout = list(command), timeout, start_timeout
        self.name = self.version = ""
        self.starts = 0
        self._last = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._complaints: deque[str] = deque()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def ask(self, request: dict[str, Any]) -> Answer:
        """Return the answer to a request.

        Raises:
            Broken: there is none; the program was ended, and is started again for the next request.
        """
        try:
            if self._process is None:
                self._start()
            return self._answer(request, self.timeout)
        except Broken as broken:
            self.end()
            self._last = self._last if self.starts > RESTARTS else str(broken)
            raise

    def end(self) -> None:
        """End the program and all that it has started."""
        process, self._process = self._process, None
        if process is None:
            return
        try:
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        except OSError:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            _close(stream)

    def _start(self) -> None:
        if self.starts > RESTARTS:
            raise Broken(f"not asked any more: it broke {self.starts} times; {self._last}")
        self.starts += 1
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=os.name == "posix",
            )
        except (OSError, ValueError) as error:
            raise Broken(f"it does not start: {error}") from None
        self._lines = queue.Queue(LINES_AHEAD)
        self._complaints = deque(maxlen=1)
        _in_background(_read_lines, _own(self._process.stdout), self._lines)
        self._listener = _in_background(_keep_last, _own(self._process.stderr), self._complaints)
        hello = self._answer({"op": "hello", "protocol": PROTOCOL}, self.start_timeout)
        self.name, self.version = (printable(hello.get(key, "")) for key in ("name", "version"))

    def _answer(self, request: dict[str, Any], seconds: float) -> Answer:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        self._check_silence(process)
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise Broken(self._death(process)) from None
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise Broken(f"no answer within {seconds:g} s") from None
        if line is None:
            raise Broken(self._death(process))
        return _parsed(line)

    def _check_silence(self, process: subprocess.Popen[bytes]) -> None:
        """Raise Broken if there is output already, or if the program has ended."""
        if os.name == "posix" and not select.select([process.stdout], [], [], 0)[0] and self._lines.empty():
            return
        try:
            line = self._lines.get(timeout=1) if os.name == "posix" else self._lines.get_nowait()
        except queue.Empty:
            return
        raise Broken(self._death(process) if line is None else f"it answered without being asked: {_shown(line)}")

    def _death(self, process: subprocess.Popen[bytes]) -> str:
        try:
            status = process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        self._listener.join(timeout=1)  # A program that it started may keep its standard error open.
        last = f": {self._complaints[0]}" if self._complaints else ""
        return f"it ended with status {status}{last}"


def _in_background(work: Any, *given: Any) -> threading.Thread:
    thread = threading.Thread(target=work, args=given, daemon=True)
    thread.start()
    return thread


def _own(stream: Any) -> Any:
    """Return a stream for a thread that alone closes it, so that it never reads from a number that is used again."""
    return open(os.dup(stream.fileno()), "rb", buffering=0)


def _read_lines(stream: Any, lines: queue.Queue[bytes | None]) -> None:
    """Put each line into a queue that holds few, and None at the end; what is too long, or more than a line, ends it.

    The program is only ever asked one thing, so what stands behind a line that has just come was not asked for.
    """
    held = b""
    try:
        while held.find(b"\n") < 0 and len(held) < LONGEST_LINE and (read := os.read(stream.fileno(), LONGEST_LINE)):
            held += read
            if held.endswith(b"\n"):
                lines.put(held)
                held = b""
    except (OSError, ValueError):
        pass
    stream.close()
    if held:
        lines.put(held)
    lines.put(None)


def _keep_last(stream: Any, complaints: deque[str]) -> None:
    """Keep the last line that is not blank, whole or not, by its beginning."""
    held = b""
    try:
        while read := os.read(stream.fileno(), LONGEST_LINE):
            lines = (held + read).split(b"\n")
            complaints.extend(map(_shown, [line for line in lines if line.strip()][-1:]))
            held = lines[-1][: 4 * SAID]
    except (OSError, ValueError):
        pass
    stream.close()


def _close(stream: Any) -> None:
    with suppress(OSError):
        stream.close()


def _shown(line: bytes | None) -> str:
    return printable((line or b"")[: 4 * SAID].decode("utf-8", "backslashreplace").strip())


def printable(said: object) -> str:
    """Return what a program says, short and without control characters."""
    try:
        text = said if isinstance(said, str) else repr(said)
    except RecursionError:
        text = "something nested too deeply"
    return "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in text[:SAID])


def _parsed(line: bytes) -> Answer:
    if b"\n" in line[:-1]:
        raise Broken(f"more than one line: {_shown(line)}")
    if not line.endswith(b"\n"):
        raise Broken(f"a line without end, or of more than {LONGEST_LINE} bytes: {_shown(line)[:40]}")
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise Broken(f"not an answer in JSON: {_shown(line)}") from None
    if not isinstance(answer, dict):
        raise Broken(f"not a JSON object: {_shown(line)}")
    return answer
