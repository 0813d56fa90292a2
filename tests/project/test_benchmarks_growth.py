"""The benchmark of growth sees work whose time is not linear. The clock is the work's own: nothing is measured."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks import growth


@pytest.mark.parametrize(("cost", "expected"), [(lambda size: size, 1), (lambda size: size**2, 100)])
def test_growth_is_that_of_the_hostile_byte(
    cost: Callable[[int], int], expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0

    def run(given: bytes) -> None:
        nonlocal now
        now += cost(len(given)) if given[:1] == b"h" else len(given)

    monkeypatch.setattr("benchmarks.growth.time.process_time", lambda: now)
    work = growth.Work("planted", run, lambda size: b"h" * size, lambda size: b"-" * size)
    measured = growth.growth_of(work, (10, 1000))
    assert measured.times == pytest.approx(expected, rel=0.8)
    assert ("over" in str(measured)) == (expected > 1)


def test_the_small_inputs_are_as_many_bytes_as_the_large_one_and_all_results_are_kept() -> None:
    alive = most = 0
    sizes = []

    class Result:
        def __init__(self) -> None:
            nonlocal alive, most
            alive += 1
            most = max(most, alive)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    def run(given: bytes) -> Result:
        sizes.append(len(given))
        return Result()

    assert growth.seconds(growth.Work("planted", run, bytes, bytes), bytes, 10, 50) > 0
    assert sizes == [0] * 50 + [10] * 50
    assert most >= 50


def test_what_drowns_in_the_fixed_cost_is_not_taken_for_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def run(given: bytes) -> None:
        nonlocal now
        hostile = {0: 1000, 10: 990, 1000: 2000}[len(given)]  # Disturbed: a small input costs less than none.
        now += len(given) if given[:1] == b"-" else hostile

    monkeypatch.setattr("benchmarks.growth.time.process_time", lambda: now)
    work = growth.Work("planted", run, bytes, lambda size: b"-" * size)
    assert growth.growth_of(work, (10, 1000)).times < growth.LIMIT
