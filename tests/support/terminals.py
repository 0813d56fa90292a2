"""A terminal whose other end is ours: a command runs on it, and what it writes there is read, all of it.

Where a test closes its own descriptor of the end that the command has, the command's exit closes the last one. Linux
then lets a reader who looks between the last write and that end know of the end only, and what was written is lost:
once in some thousand runs of a loaded machine. So that end stays open here, and a mark is written to it behind all that
the command wrote.
"""

from __future__ import annotations

import os
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

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
    """Yield what a command writes to a terminal, piece by piece, until it has ended; not by a signal."""
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
