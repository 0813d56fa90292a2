"""A terminal whose other end is ours: a command runs on it, and we read everything that it writes.

If a test closes its own descriptor of the command's end, the command's exit closes the last one. On Linux a reader that
looks between the last write and that close may then see only the end of file, and the output is lost: once in some
thousand runs on a loaded machine. So that end stays open here, and a mark is written to it after the command's output.
"""

from __future__ import annotations

import os
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from support.command_line import ENVIRONMENT

TERMINAL = {name: value for name, value in ENVIRONMENT.items() if name != "COLUMNS"} | {"TERM": "xterm-256color"}
"""The environment of a command on a terminal, which has the width of the terminal."""
_END = b"\0"


@contextmanager
def terminal(columns: int = 80) -> Iterator[tuple[int, int]]:
    """Open a terminal of so many columns: our end, and the one for commands."""
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    try:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        yield ours, theirs
    finally:
        os.close(ours)
        os.close(theirs)


def shown_by(process: subprocess.Popen[bytes], ours: int, theirs: int) -> Iterator[bytes]:
    """Yield the output of a command on a terminal, piece by piece, until it ends, which a signal must not cause."""
    waiting = threading.Thread(target=_mark_end, args=(process, theirs))
    waiting.start()
    piece = b""
    while process.returncode is None or not piece.endswith(_END):
        piece = os.read(ours, 65536)
        yield piece.removesuffix(_END)
    waiting.join()
    assert process.returncode >= 0, f"the command was killed by signal {-process.returncode}"


def _mark_end(process: subprocess.Popen[bytes], theirs: int) -> None:
    process.wait()
    os.write(theirs, _END)
