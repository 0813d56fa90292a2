"""Requirements of tests that a machine may lack: marks that skip a test with the reason."""

from __future__ import annotations

import os
import shutil
from typing import Any

import pytest

from eightfold._engine import CORE

needs_core = pytest.mark.skipif(CORE is None, reason="the reference is the engine")


def needs_program(name: str) -> pytest.MarkDecorator:
    """Return the mark that skips a test if a program is not on PATH."""
    return pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")


def peer(name: str) -> Any:
    """Return a module of another library, or skip the test if it is not installed."""
    return pytest.importorskip(name, reason=f"the peer {name} is not installed: pip install 'eightfold[peers]'")


def _missing_terminal() -> str | None:
    """Return why there is no pseudo-terminal, or None if there is one."""
    try:
        import fcntl  # noqa: F401
        import pty
        import termios  # noqa: F401
    except ImportError as error:
        return f"needs a pseudo-terminal, which this system has no module for: {error}"
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        return f"needs a pseudo-terminal, and this system gives none: {error}"
    return None


def available_bytes() -> int:
    """Return how much memory a program can have, where the system says: what is free, and what caches would give."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            lines = dict(line.split(":") for line in file)
    except OSError:
        return 0
    return int(lines["MemAvailable"].split()[0]) * 1024


_MISSING = _missing_terminal()
needs_terminal = pytest.mark.skipif(_MISSING is not None, reason=_MISSING or "")
