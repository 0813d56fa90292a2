"""The peak memory of some work, as far as Python allocates it."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable


def peak(work: Callable[[], object], before: Callable[[], object] = lambda: None, *, limit: int = 0) -> int:
    """Return the least of three peaks, because threads of pytest-xdist allocate here now and then, too.

    Args:
        work: the work to measure.
        before: runs before each measurement, and is not measured.
        limit: what the least one is compared with: a peak below it is enough.
    """
    least = _peak(work, before)
    for _ in range(2):
        if least < limit:
            break
        least = min(least, _peak(work, before))
    return least


def _peak(work: Callable[[], object], before: Callable[[], object]) -> int:
    before()
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
