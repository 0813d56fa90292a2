"""Time two statements against each other. Nothing here knows what they do.

A machine changes its speed from minute to minute, so only what is timed in turns can be compared: each round times
both, the first one changing, and gives one ratio. Statements are run as `timeit` runs them: compiled into a loop, with
all that they name as locals, and with garbage collection off.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from operator import itemgetter
from timeit import Timer
from typing import NamedTuple


class Effort(NamedTuple):
    """How long is measured.

    Attributes:
        rounds: how many ratios there are.
        seconds: how long each side of a round takes at least.
    """

    rounds: int = 25
    seconds: float = 0.0008


class Spread(NamedTuple):
    """The middle and the ends of what was measured."""

    median: float
    low: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    """Return the median, the least and the most of some values."""
    return Spread(statistics.median(values), min(values), max(values))


def timer(statement: str, cases: Sequence[Mapping[str, object]], tools: Mapping[str, object]) -> Timer:
    """Return a timer of a statement that is run once for each case.

    Args:
        statement: an expression over names.
        cases: for each run what the names stand for that change from run to run, the same names in each.
        tools: what the other names stand for.
    """
    named = compile(statement, "<statement>", "eval").co_names
    changing = [name for name in named if name in cases[0]]
    given = {name: tools[name] for name in named if name in tools}
    # One name needs no tuple, which would cost as much as some calls.
    given["cases"] = list(map(itemgetter(*changing), cases))
    setup = "; ".join(f"{name} = given[{name!r}]" for name in given)
    return Timer(f"for {', '.join(changing)} in cases: {statement}", setup, globals={"given": given})


def calibrated(work: Timer, seconds: float) -> int:
    """Return how often work is done to take so many seconds."""
    number = 1
    while (taken := work.timeit(number)) < seconds:
        number = max(number + 1, min(number * 10, int(number * seconds / max(taken, 1e-9) * 1.1)))
    return number


def race(ours: Timer, theirs: Timer, effort: Effort) -> list[tuple[float, float]]:
    """Return the seconds that each side took for one run through its cases, round by round."""
    sides = [(work, calibrated(work, effort.seconds)) for work in (ours, theirs)]
    rounds = []
    for turn in range(effort.rounds):
        taken = {work: work.timeit(number) / number for work, number in (sides if turn % 2 else reversed(sides))}
        rounds.append((taken[ours], taken[theirs]))
    return rounds
