"""Long comparisons: side by side, since their cases do not need each other; and how much the reference is given.

`EIGHTFOLD_EXHAUSTIVE=1` has the reference do everything too; what is left out otherwise is said where it is.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from eightfold import ENGINE

EVERYTHING = ENGINE == "native" or os.environ.get("EIGHTFOLD_EXHAUSTIVE") == "1"


def in_processes(function: Callable[..., Any], *columns: Iterable[Any]) -> list[Any]:
    """Return what `map` would; the function must be importable by name, and its arguments and results picklable."""
    # Forking is not safe once some test has started a thread.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        return list(pool.map(function, *columns))
