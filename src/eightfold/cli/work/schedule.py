"""The order in which files are checked, and by which process: reports keep the order of the files.

Small files go in batches to processes, since what is done for them is done by Python, of which one thread runs at a
time; a large file is checked here in its turn, by threads, while the processes go on with what comes after it.

A process takes as long to start as some thousand small files to check, so none is started before so many are done: few
files are checked one by one as they are found, as if nobody had asked for more at once. And this process, which walks
the folders and reports what the others found, is one of those that were asked for: it takes a share of the batches
itself.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial

from eightfold.cli.work.checking import FileCheck, Task
from eightfold.cli.work.recording import Event, replay, start
from eightfold.files import FileError
from eightfold.files.parallel.processes import Workers
from eightfold.files.read.reading import READ
from eightfold.files.read.segments import small_size
from eightfold.files.walk.walking import Found

_BYTES_IN_A_BATCH = 1024 * 1024
_LEAST_COST = _BYTES_IN_A_BATCH // 64
"""The cost of an empty file: it limits the number of files in a batch."""
_NAMES_IN_A_BATCH = 8192
"""Bytes of the names in a batch: fewer than a pipe can hold, so that no two processes wait for each other."""

_ALONE = 32
"""How many batches are checked here before processes are started."""
_BATCHES_EACH = 2
"""How many batches each process gets while this one takes one."""

Met = Found | FileError
"""The result of walking: a file, or a folder that cannot be listed."""
Turn = Callable[[], None]


def at_once(jobs: int, task: Task, here: FileCheck, files: Iterable[Met]) -> Generator[Turn, None, None]:
    """Yield functions that check files, in their order, while others are being checked.

    Args:
        jobs: how many processes there are with this one; no more turns than twice that are under way.
        task: the options for every file.
        here: checks the files that other processes do not.
        files: the files, and the folders that cannot be listed.
    """
    schedule = _Schedule(jobs, task, here)
    due: deque[Turn] = deque()
    try:
        for turn in schedule.of(files):
            due.append(turn)
            if schedule.is_alone or len(due) > 2 * jobs:
                yield due.popleft()
        yield from due
    finally:
        schedule.end()


class _Schedule:
    def __init__(self, jobs: int, task: Task, here: FileCheck) -> None:
        self._jobs = jobs
        self._task = task
        self._here = here
        self._workers: Workers | None = None
        self._due = 0
        self._batch: list[Found] = []
        self._bytes = 0
        self._room = _BYTES_IN_A_BATCH

    @property
    def is_alone(self) -> bool:
        """Whether no more than this process is needed so far."""
        return self._due < _ALONE

    def of(self, files: Iterable[Met]) -> Iterator[Turn]:
        for met in files:
            size = small_size(met.path) if isinstance(met, Found) else None
            cost = None if size is None else _cost(met.path, size)
            if self.is_alone:
                yield partial(self._here.take, met)
                self._spend(cost or 0)
                continue
            if self._batch and (cost is None or cost > self._room):
                yield self._given()
            if isinstance(met, Found) and size is not None and cost is not None:
                self._batch.append(met)
                self._bytes += size
                self._room -= cost
            else:
                yield partial(self._here.take, met)
        if self._batch:
            yield self._given()

    def _spend(self, cost: int) -> None:
        """Count a file that is checked alone, as part of a batch."""
        self._room -= cost
        if self._room < _LEAST_COST:
            self._due, self._room = self._due + 1, _BYTES_IN_A_BATCH

    def _given(self) -> Turn:
        """Return the turn of the batch, which this process or another checks."""
        batch, size = self._batch, self._bytes
        self._batch, self._bytes, self._room = [], 0, _BYTES_IN_A_BATCH
        self._due += 1
        if self._is_ours(self._due):
            return partial(self._check, batch)
        self._workers = self._workers or Workers(self._jobs - 1, start, self._task)
        return partial(self._replay, self._workers.give(batch), len(batch), size)

    def _is_ours(self, number: int) -> bool:
        return number % (_BATCHES_EACH * (self._jobs - 1) + 1) == 0

    def _check(self, batch: list[Found]) -> None:
        for found in batch:
            self._here.take(found)

    def _replay(self, parts: Iterator[list[Event]], files: int, size: int) -> None:
        for part in parts:
            replay(part, self._here.report)
        READ.add(files=files, bytes=size)

    def end(self) -> None:
        if self._workers is not None:
            self._workers.end()


def _cost(path: str, size: int) -> int:
    """Return the cost of a file in a batch."""
    return max(size, _LEAST_COST, len(os.fsencode(path)) * _BYTES_IN_A_BATCH // _NAMES_IN_A_BATCH)
