"""The most memory that work holds at once, as far as Python allocates it."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable


def peak(work: Callable[[], object], before: Callable[[], object] = lambda: None) -> int:
    """Return the least of three peaks: what hands out tests has threads here that allocate now and then, too.

    Args:
        work: what is measured.
        before: what must be done before each time, and is not measured.
    """
    return min(_peak(work, before) for _ in range(3))


def _peak(work: Callable[[], object], before: Callable[[], object]) -> int:
    before()
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
