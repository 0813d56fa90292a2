"""Long comparisons: in parallel, because their cases are independent; and how much of them the reference does.

With `EIGHTFOLD_EXHAUSTIVE=1` the reference does everything too; each place that leaves something out says so.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from eightfold import ENGINE

EVERYTHING = ENGINE == "native" or os.environ.get("EIGHTFOLD_EXHAUSTIVE") == "1"


def in_processes(function: Callable[..., Any], *columns: Iterable[Any]) -> list[Any]:
    """Return the results of `map`; the function must be importable by name, its arguments and results picklable."""
    # Forking is not safe after a test has started a thread.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        return list(pool.map(function, *columns))
