"""Threads that work on what comes next, while what they have done is taken in order.

Threads serve where the work is the core's or the system's, which let others run meanwhile; else see
:mod:`eightfold.files.parallel.processes`.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Protocol, TypeVar

from eightfold.files import FileError
from eightfold.files.parallel.signals import signals_held

_MOST = 64
_OPEN_EACH = 4
"""How many files a thread has open at most: what it reads and writes, a journal or a folder."""
_OPEN_ANYWAY = 16
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Begin(Protocol):
    """Begins work, and returns what waits for its end and gives its result, or raises what it raised."""

    def __call__(self, work: Callable[[], _Result]) -> Callable[[], _Result]:
        """Begin."""


def processors() -> int:
    """Return how many processors there are for this process.

    >>> processors() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def allowed(threads: int) -> int:
    """Return as many threads, or no more than can have their files open at the same time.

    >>> allowed(1)
    1
    """
    try:
        import resource
    except ImportError:  # Windows, where thousands can be open.
        return min(threads, _MOST)
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    fitting = _MOST if most == resource.RLIM_INFINITY else (most - _OPEN_ANYWAY) // _OPEN_EACH
    return max(1, min(threads, _MOST, fitting))


@contextmanager
def working(threads: int) -> Iterator[Begin]:
    """Open what begins work in so many threads; with one, work is done here when its result is asked for.

    In the end what is under way is waited for, and what has not been begun never is.
    """
    if threads == 1:
        yield lambda work: work
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(threads)

    def begin(work: Callable[[], _Result]) -> Callable[[], _Result]:
        try:
            return pool.submit(work).result
        except RuntimeError as error:
            raise FileError("-j", f"{error}: try a smaller number") from error

    try:
        yield begin
    finally:
        with signals_held():  # Who is told twice to stop still cleans up.
            pool.shutdown(cancel_futures=True)


def ahead(items: Iterable[_Item], threads: int) -> Iterator[_Item]:
    """Yield items, each when those behind it have been taken that so many threads can be at meanwhile.

    >>> taken = iter([1, 2, 3, 4, 5, 6, 7])
    >>> next(ahead(taken, 2)), next(taken)
    (1, 6)
    """
    due: deque[_Item] = deque()
    for item in items:
        due.append(item)
        if threads == 1 or len(due) > 2 * threads:
            yield due.popleft()
    yield from due


def in_order(work: Callable[[_Item], _Result], items: Iterable[_Item], threads: int) -> Iterator[_Result]:
    """Yield what work makes of items; threads, where there are several, are at those that come next."""
    with working(threads) as begin:
        for result in ahead((begin(partial(work, item)) for item in items), threads):
            yield result()
