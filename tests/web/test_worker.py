"""The process that answers within a time limit."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from eightfold.web.api import WrongRequestError
from eightfold.web.worker import TookTooLongError, Worker


@pytest.fixture
def worker() -> Iterator[Worker]:
    found = Worker()
    yield found
    found.close()


def test_it_answers_in_another_process(worker: Worker) -> None:
    assert worker.answer("identify", {"bytes": "41"})["candidates"][0]["form"] == "utf-8"
    assert [each.is_alive() for each in multiprocessing.active_children()] == [True]


def test_an_error_comes_back_and_the_next_question_is_answered(worker: Worker) -> None:
    with pytest.raises(WrongRequestError, match="bytes missing"):
        worker.answer("identify", {})
    assert worker.answer("about", {})


def test_a_request_that_is_nested_too_deeply_is_refused_and_the_next_one_answered(worker: Worker) -> None:
    for depth in (10, 500, 800, 960, 5000, 100_000):
        request: Any = []
        for _ in range(depth):
            request = [request]
        with pytest.raises(WrongRequestError):
            worker.answer("identify", request)
    assert worker.answer("about", {})


def test_work_that_takes_too_long_ends_with_its_process() -> None:
    slow = Worker(_sleep, seconds=1.0)
    slow.start()
    begun = time.monotonic()
    with pytest.raises(TookTooLongError):
        slow.answer("", 60)
    assert time.monotonic() - begun < 30
    assert multiprocessing.active_children() == []
    slow = Worker(_sleep, seconds=30)
    try:
        assert slow.answer("", 0)["slept"] == 0
    finally:
        slow.close()


def test_a_process_that_ends_by_itself_is_replaced() -> None:
    fragile = Worker(_end, seconds=30)
    try:
        with pytest.raises(TookTooLongError):
            fragile.answer("", True)
        assert fragile.answer("", False) == {}
    finally:
        fragile.close()


def test_who_waits_too_long_for_a_turn_is_told() -> None:
    busy = Worker(_sleep, seconds=0.1)
    with busy._turn, pytest.raises(TookTooLongError):
        busy.answer("", 0)
    busy.close()


def test_closing_ends_the_wait_of_everyone_who_has_asked() -> None:
    busy = Worker(_sleep, seconds=60)
    with ThreadPoolExecutor(3) as threads:
        asked = [threads.submit(busy.answer, "", 60) for _ in range(3)]
        while not multiprocessing.active_children():
            time.sleep(0.01)
        begun = time.monotonic()
        busy.close()
        for each in asked:
            with pytest.raises(TookTooLongError):
                each.result(30)
    assert time.monotonic() - begun < 30
    assert multiprocessing.active_children() == []


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals are POSIX's")
def test_ctrl_c_is_held_back_while_the_process_starts_in_any_thread() -> None:
    worker = Worker(_held)
    try:
        with ThreadPoolExecutor(1) as threads:
            assert threads.submit(worker.answer, "", None).result(30) == {"held": True}
            assert threads.submit(_held, "", None).result(30) == {"held": False}
    finally:
        worker.close()


def _held(name: str, request: Any) -> dict[str, Any]:
    return {"held": signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())}


def _sleep(name: str, request: Any) -> dict[str, Any]:
    time.sleep(request)
    return {"slept": request}


def _end(name: str, request: Any) -> dict[str, Any]:
    if request:
        os._exit(1)
    return {}
