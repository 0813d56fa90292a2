"""Hold back the signals that stop a program while it must not stop."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial


@contextmanager
def signals_held() -> Iterator[Callable[[], object]]:
    """Hold back the signals that stop the program, until the block ends or calls the function it is given."""
    if sys.platform == "win32":
        yield lambda: None
        return
    stopping = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, stopping)
    let_them_come = partial(signal.pthread_sigmask, signal.SIG_SETMASK, before)
    try:
        yield let_them_come
    finally:
        let_them_come()
