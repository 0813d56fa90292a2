"""Compare the measurements of two versions, each measured once or several times. This module measures nothing.

A cell is compared by its ratio to its peer: both sides were timed in turns, so a slower machine or minute cancels out.
If the other side is ours too (our UTF-8, another of our commands), a gain there would look like a loss here. The ratio
is then multiplied by the other side's ratio to its own peer, from the same run; without such a ratio in the run, the
cell is left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from statistics import geometric_mean, median
from typing import NamedTuple

from benchmarks.goals import is_met, wanted
from benchmarks.peers import OURS
from benchmarks.results import Results
from benchmarks.row import Cell

LEAST = 0.95
"""A cell that keeps less than this of its ratio has fallen; one that gains as much has risen."""


class Key(NamedTuple):
    """The key of a cell: the instruction set, its names, and the peer, if any."""

    column: str
    row: str
    against: str
    text: str
    size: int
    peer: str

    def __str__(self) -> str:
        return f"{self.column:7} {self.row:45} {self.against:11} {self.text:12} {self.size:9}"


class Reading(NamedTuple):
    """One measurement of a cell: its ratio to the peer, and whether it met its goal (None: it has none)."""

    ratio: float
    met_goal: bool | None


class Change(NamedTuple):
    """A cell before and after, each in one run or several."""

    key: Key
    old: Sequence[Reading]
    new: Sequence[Reading]

    @property
    def before(self) -> float:
        """The median ratio of the old runs."""
        return median(reading.ratio for reading in self.old)

    @property
    def ratios(self) -> tuple[float, ...]:
        """The share of that median which each new run kept."""
        return tuple(reading.ratio / self.before for reading in self.new)

    @property
    def has_fallen(self) -> bool:
        """Return whether most of the new runs are below `LEAST`."""
        return in_most(ratio < LEAST for ratio in self.ratios)

    @property
    def has_risen(self) -> bool:
        """Return whether most of the new runs gained as much."""
        return in_most(ratio > 1 / LEAST for ratio in self.ratios)

    @property
    def goal(self) -> str | None:
        """Return "lost" or "won" if most runs of one side met the goal and most of the other did not."""
        before, after = (in_most(bool(reading.met_goal) for reading in side) for side in (self.old, self.new))
        return None if before == after else "won" if after else "lost"

    def __str__(self) -> str:
        kept = " ".join(f"{ratio:.2f}" for ratio in self.ratios)
        after = median(reading.ratio for reading in self.new)
        return f"{self.key} {self.before:8.3g} -> {after:<8.3g} {kept}"


class Comparison(NamedTuple):
    """The cells that both sides measured, how many only one side measured, and how many lead to no peer."""

    changes: Sequence[Change]
    only_old: int
    only_new: int
    left_out: int

    @property
    def fallen(self) -> list[Change]:
        """The cells that fell."""
        return [change for change in self.changes if change.has_fallen]


def in_most(found: Iterable[bool]) -> bool:
    """Return whether something holds in more than half of the cases: one of one, two of two, two of three."""
    cases = list(found)
    return sum(cases) * 2 > len(cases)


def compare(old: Iterable[Results], new: Iterable[Results]) -> Comparison:
    """Compare the runs of two versions, cell by cell."""
    before, after = _readings(old), _readings(new)
    with_peer = [{key for key in side if key.peer} for side in (before, after)]
    changes = [Change(key, before[key], after[key]) for key in before if key.peer and key in after]
    left_out = len((before.keys() | after.keys()).difference(*with_peer))
    only_old, only_new = (len(keys) - len(changes) for keys in with_peer)
    return Comparison(changes, only_old, only_new, left_out)


def _readings(runs: Iterable[Results]) -> dict[Key, list[Reading]]:
    found: dict[Key, list[Reading]] = defaultdict(list)
    for key, reading in chain.from_iterable(map(_read, runs)):
        found[key].append(reading)
    return dict(found)


def _read(run: Results) -> Iterator[tuple[Key, Reading]]:
    """Yield the measurement of each cell in a run, by the peer that it has or leads to."""
    own = {OURS, *(cell.row for cell in run.cells)}
    raced: dict[tuple[str, str, int], Cell] = {}
    for cell in run.cells:
        if cell.against not in own:
            raced.setdefault((cell.row, cell.text, cell.size), cell)
    for cell in run.cells:
        ratio, peer = cell.times.median, cell.against
        if cell.against in own:
            link = _link(cell, raced)
            ratio, peer = (ratio * link.times.median, link.against) if link else (ratio, "")
        key = Key(run.column, *(cell.row, cell.against, cell.text, cell.size), peer)
        yield key, Reading(ratio, _met_goal(cell, run.column))


def _link(cell: Cell, raced: Mapping[tuple[str, str, int], Cell]) -> Cell | None:
    """Return the cell that compares the other side of this one, which is ours, with a peer."""
    row = verb_of(cell.row) if cell.against == OURS else cell.against
    return raced.get((row, cell.text, cell.size))


def _met_goal(cell: Cell, column: str) -> bool | None:
    least = wanted(cell, column)
    return None if least is None else is_met(cell.times, least)


def verb_of(row: str) -> str:
    """Return the verb of a row, by which the means are grouped."""
    found = re.search(r"\b(decode|encode|convert|transcode|validate|is_well_formed|faults|check)\b", row)
    return found[1] if found else row


def differences(old: Iterable[Results], new: Iterable[Results]) -> Iterator[str]:
    """Yield a line for each program or package of others whose version differs between runs."""
    versions: dict[str, set[str]] = defaultdict(set)
    for run in (*old, *new):
        for name, version in run.machine.get("versions", {}).items():
            versions[name].add(version)
    for name, found in sorted(versions.items()):
        if name != "eightfold" and len(found) > 1:
            yield f"{name} has several versions: {', '.join(sorted(found))}; its ratios say little"


# --- what is printed --------------------------------------------------------------------------------------------------


def lines(comparison: Comparison) -> Iterator[str]:
    """Yield the changes, as lines for people."""
    changes = comparison.changes
    yield f"{len(changes)} cells compared; {comparison.only_old} only before, {comparison.only_new} only after"
    if comparison.left_out:
        yield f"{comparison.left_out} left out: both sides are ours, and the same run has no peer to compare them by"
    runs = most_runs(change.new for change in changes)
    yield from _listed(f"fell below {LEAST} of before{runs}", comparison.fallen)
    yield from _listed(f"rose above {1 / LEAST:.3g} of before{runs}", [each for each in changes if each.has_risen])
    for goal in ("lost", "won"):
        yield from _listed(f"goals {goal}", [change for change in changes if change.goal == goal])
    yield from _means(changes)


def most_runs(runs: Iterable[Sequence[Reading]]) -> str:
    """Return how many runs are most, in words; nothing if there is one run."""
    count = max(map(len, runs), default=1)
    return f" in {count // 2 + 1} of {count} runs" if count > 1 else ""


def _listed(title: str, changes: Sequence[Change]) -> Iterator[str]:
    yield f"{title}: {len(changes)}"
    yield from (f"  {change}" for change in sorted(changes, key=lambda change: median(change.ratios)))


def _means(changes: Sequence[Change]) -> Iterator[str]:
    by_verb: dict[str, list[float]] = defaultdict(list)
    for change in changes:
        by_verb[verb_of(change.key.row)].append(median(change.ratios))
    yield f"geometric mean of after / before: {geometric_mean(chain.from_iterable(by_verb.values())):.3f}"
    yield from (f"  {verb:14} {geometric_mean(kept):.3f} of {len(kept)}" for verb, kept in sorted(by_verb.items()))
