"""Time two statements against each other. This module does not know what they do.

The speed of a machine changes from minute to minute, so only statements timed in turns can be compared: each round
times both, in alternating order, and yields one ratio. Statements run as in `timeit`: compiled into a loop, with all
their names as locals, and with garbage collection off.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from operator import itemgetter
from timeit import Timer
from typing import NamedTuple


class Effort(NamedTuple):
    """The extent of a measurement.

    Attributes:
        rounds: the number of ratios.
        seconds: the least time of each side of a round.
    """

    rounds: int = 25
    seconds: float = 0.0008


class Spread(NamedTuple):
    """The middle and the ends of some measurements."""

    median: float
    low: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    """Return the median, the least and the most of some values."""
    return Spread(statistics.median(values), min(values), max(values))


def timer(statement: str, cases: Sequence[Mapping[str, object]], tools: Mapping[str, object]) -> Timer:
    """Return a timer of a statement that runs once for each case.

    Args:
        statement: an expression over names.
        cases: for each run the values of the names that change from run to run, the same names in each.
        tools: the values of the other names.
    """
    named = compile(statement, "<statement>", "eval").co_names
    changing = [name for name in named if name in cases[0]]
    given = {name: tools[name] for name in named if name in tools}
    # One name needs no tuple, which would cost as much as some calls.
    given["cases"] = list(map(itemgetter(*changing), cases))
    setup = "; ".join(f"{name} = given[{name!r}]" for name in given)
    return Timer(f"for {', '.join(changing)} in cases: {statement}", setup, globals={"given": given})


def calibrated(work: Timer, seconds: float) -> int:
    """Return how many repetitions of some work take so many seconds."""
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
