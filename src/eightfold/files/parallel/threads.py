"""Threads that work ahead while their results are read in order.

Threads suit work done by the core or the system, which lets other threads run; for other work see
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
"""The maximum number of files that a thread has open: its input and output, and a journal or a folder; for a
process, fewer."""
_OPEN_ANYWAY = 16
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Begin(Protocol):
    """Starts work, and returns a function that waits for its end and returns its result, or raises what it raised."""

    def __call__(self, work: Callable[[], _Result]) -> Callable[[], _Result]:
        """Start."""


def processors() -> int:
    """Return the number of processors available to this process.

    >>> processors() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def allowed(threads: int) -> int:
    """Return the number of threads or processes, reduced to what the limit on open files allows.

    >>> allowed(1)
    1
    """
    try:
        import resource
    except ImportError:  # Windows, whose limit is in the thousands.
        return min(threads, _MOST)
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    fitting = _MOST if most == resource.RLIM_INFINITY else (most - _OPEN_ANYWAY) // _OPEN_EACH
    return max(1, min(threads, _MOST, fitting))


@contextmanager
def working(threads: int) -> Iterator[Begin]:
    """Open a way to start work in so many threads; with one, the work is done here when its result is asked for.

    At the end, work in progress is waited for, and work not yet started is dropped.
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
        with signals_held():  # A second signal must not interrupt the cleanup.
            pool.shutdown(cancel_futures=True)


def ahead(items: Iterable[_Item], threads: int) -> Iterator[_Item]:
    """Yield items, each after as many items behind it have been taken as so many threads can work on meanwhile.

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
    """Yield the results of the work on items; several threads work on the items that come next."""
    with working(threads) as begin:
        for result in ahead((begin(partial(work, item)) for item in items), threads):
            yield result()
