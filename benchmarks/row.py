"""A row of the benchmark, and how one of its cells is measured. The rows themselves are in `rows/`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from benchmarks.texts import SCRIPTS, Texts, total_bytes
from benchmarks.timing import Effort, Spread, race, spread, timer

KIB = 1 << 10
MIB = 1 << 20
SMALL_BYTES = 64 * KIB
"""Shorter texts are measured many at a time, all different, up to so many bytes together."""
PIECES = 256

Subjects = Callable[[str], Mapping[str, object]]


class Row(NamedTuple):
    """Two statements that are timed against each other.

    Attributes:
        name: the name of the measurement.
        against: the peer: a key of `peers.PEERS`.
        ours, theirs: expressions over the tools of the peers and over the subjects.
        subjects: makes the subjects of the statements from a text.
        holds: an expression over all these and ``mine`` and ``other``, the values of the two: why they may be compared.
        texts: the names of the texts that are measured.
        sizes: the sizes of the texts, in bytes of UTF-8.
    """

    name: str
    against: str
    ours: str
    theirs: str
    subjects: Subjects
    holds: str = "mine == other"
    texts: tuple[str, ...] = SCRIPTS
    sizes: tuple[int, ...] = (MIB,)


class Cell(NamedTuple):
    """One row measured on one text of one size.

    Attributes:
        size: the requested size, in bytes.
        text_bytes: the total size of all pieces in bytes of UTF-8, with three for a surrogate.
        times: how many times as fast as the peer, over the rounds.
        ours, theirs: seconds for all the pieces together.
    """

    row: str
    against: str
    text: str
    size: int
    text_bytes: int
    times: Spread
    ours: Spread
    theirs: Spread

    @property
    def gigabytes_per_second(self) -> float:
        """Gigabytes of the text's UTF-8 per second, by the median."""
        return self.text_bytes / self.ours.median / 1e9


def cases_of(row: Row, texts: Texts, name: str, size: int) -> tuple[list[Mapping[str, object]], int]:
    """Return the cases of a cell, and the size of their texts in bytes of UTF-8."""
    pieces = texts.pieces(name, size, max(1, min(PIECES, SMALL_BYTES // size)))
    return [row.subjects(piece) for piece in pieces], total_bytes(pieces)


def check(row: Row, cases: Sequence[Mapping[str, object]], tools: Mapping[str, object]) -> None:
    """Compute both sides once.

    Raises:
        ValueError: their values contradict the row.
    """
    for case in cases:
        names = {**tools, **case}
        names.update(mine=eval(row.ours, names), other=eval(row.theirs, names))
        if not eval(row.holds, names):
            raise ValueError(f"{row.name}, {row.against}: it does not hold that {row.holds}")


def cell(row: Row, text: str, size: int, text_bytes: int, rounds: Sequence[tuple[float, float]]) -> Cell:
    """Return a cell from the seconds of both sides."""
    ours, theirs = zip(*rounds, strict=True)
    ratios = [other / mine for mine, other in rounds]
    return Cell(row.name, row.against, text, size, text_bytes, spread(ratios), spread(ours), spread(theirs))


def measure(row: Row, texts: Texts, text: str, size: int, tools: Mapping[str, object], effort: Effort) -> Cell:
    """Measure a cell, after a check that both sides do the same."""
    cases, text_bytes = cases_of(row, texts, text, size)
    check(row, cases, tools)
    rounds = race(timer(row.ours, cases, tools), timer(row.theirs, cases, tools), effort)
    return cell(row, text, size, text_bytes, rounds)
