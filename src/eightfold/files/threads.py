"""Threads that work on what comes next, while what they have done is taken in order.

Threads serve where the work is the core's or the system's, which let others run meanwhile; else see
:mod:`eightfold.files.crew`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Protocol, TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Begin(Protocol):
    """Begins work, and returns what waits for its end and gives its result, or raises what it raised."""

    def __call__(self, work: Callable[[], _Result]) -> Callable[[], _Result]:
        """Begin."""


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
    try:
        yield lambda work: pool.submit(work).result
    finally:
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
