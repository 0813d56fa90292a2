"""What a row of the benchmark is, and how one of its cells is measured. The rows themselves are in `rows/`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from benchmarks.texts import SCRIPTS, Texts, total_bytes
from benchmarks.timing import Effort, Spread, race, spread, timer

KIB = 1 << 10
MIB = 1 << 20
SMALL_BYTES = 64 * KIB
"""Texts shorter than this are measured many at a time, each another, up to so many bytes together."""
PIECES = 256

Subjects = Callable[[str], Mapping[str, object]]


class Row(NamedTuple):
    """Two statements that are timed against each other.

    Attributes:
        name: what is measured.
        against: who the other one is: a key of `peers.PEERS`.
        ours, theirs: expressions over the tools of the peers and over the subjects.
        subjects: makes what the statements speak of from a text.
        holds: an expression over all these and ``mine`` and ``other``, the values of the two: why they may be compared.
        texts: the names of the texts that are measured.
        sizes: in bytes of UTF-8 of the text.
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
        size: the size that was asked for, in bytes.
        text_bytes: how many bytes of UTF-8 there were in all the pieces together, surrogates taking three.
        times: how many times as fast as the other one, over the rounds.
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
        """How many bytes of the text's UTF-8 are done in a second, in thousands of millions, by the median."""
        return self.text_bytes / self.ours.median / 1e9


def cases_of(row: Row, texts: Texts, name: str, size: int) -> tuple[list[Mapping[str, object]], int]:
    """Return the cases of a cell, and how many bytes of UTF-8 their texts have."""
    pieces = texts.pieces(name, size, max(1, min(PIECES, SMALL_BYTES // size)))
    return [row.subjects(piece) for piece in pieces], total_bytes(pieces)


def check(row: Row, cases: Sequence[Mapping[str, object]], tools: Mapping[str, object]) -> None:
    """Compute both sides once.

    Raises:
        ValueError: what they give is not what the row says.
    """
    for case in cases:
        names = {**tools, **case}
        names.update(mine=eval(row.ours, names), other=eval(row.theirs, names))
        if not eval(row.holds, names):
            raise ValueError(f"{row.name}, {row.against}: it does not hold that {row.holds}")


def cell(row: Row, text: str, size: int, text_bytes: int, rounds: Sequence[tuple[float, float]]) -> Cell:
    """Return a cell of the seconds of both sides."""
    ours, theirs = zip(*rounds, strict=True)
    ratios = [other / mine for mine, other in rounds]
    return Cell(row.name, row.against, text, size, text_bytes, spread(ratios), spread(ours), spread(theirs))


def measure(row: Row, texts: Texts, text: str, size: int, tools: Mapping[str, object], effort: Effort) -> Cell:
    """Return a cell, after both sides have shown that they do the same."""
    cases, text_bytes = cases_of(row, texts, text, size)
    check(row, cases, tools)
    rounds = race(timer(row.ours, cases, tools), timer(row.theirs, cases, tools), effort)
    return cell(row, text, size, text_bytes, rounds)
