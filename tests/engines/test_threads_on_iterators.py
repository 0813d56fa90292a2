"""Several threads take from one iterator of faults: each fault comes once, or the iterator says that it is in use."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

import eightfold
from eightfold import Fault

FAULTS = 20_000 if eightfold.ENGINE == "native" else 300
BUSY = (RuntimeError, ValueError)
"""What the core says, and what a generator does."""


def taken_by_threads(found: Iterator[Fault]) -> list[int]:
    taken: list[int] = []
    start = threading.Barrier(8)

    def take() -> None:
        start.wait()
        while True:
            try:
                fault = next(found, None)
            except BUSY as error:
                assert "use by another thread" in str(error) or "already executing" in str(error)
                continue
            if fault is None:
                return
            taken.append(fault.start)

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return taken


@pytest.mark.parametrize("limit", [None, FAULTS // 2])
def test_threads_share_the_faults_of_bytes(limit: int | None) -> None:
    data = (b"\xff" + b"a" * 40) * FAULTS
    taken = taken_by_threads(eightfold.faults(data, "utf-8", limit))
    assert sorted(taken) == list(range(0, len(data), 41))[:limit]


def test_threads_share_the_faults_of_what_is_scanned_without_the_gil() -> None:
    data = bytearray((b"\xff" + b"a" * 400_000) * (40 if eightfold.ENGINE == "native" else 1))
    taken = taken_by_threads(eightfold.faults(data, "utf-8"))
    assert sorted(taken) == list(range(0, len(data), 400_001))


def test_threads_share_the_faults_of_a_str() -> None:
    text = "\ud800a" * FAULTS
    taken = taken_by_threads(eightfold.encode_faults(text, "utf-8", FAULTS))
    assert sorted(taken) == list(range(0, len(text), 2))
