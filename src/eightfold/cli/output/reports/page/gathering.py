"""What a page keeps of a check, bounded however many findings there are: counts by place, worst lines, worst files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappush, heappushpop
from typing import Generic, TypeVar

from eightfold.cli.output.reports.findings import Checked, Context, Tally
from eightfold.stream import Located

CELLS = 120
"""The maximum number of parts of a file whose faults are counted apart."""
FILES_KEPT = 500
LINES_KEPT = 100

_Kept = TypeVar("_Kept")


class Worst(Generic[_Kept]):
    """The worst of many, at most so many; of equal ones, the first.

    >>> worst = Worst(2)
    >>> for each in "abc":
    ...     worst.add(each == "b", each)
    >>> list(worst), worst.count
    ([(2, 'b'), (1, 'a')], 3)
    """

    def __init__(self, most: int) -> None:
        self.count: int = 0
        self._most = most
        self._heap: list[tuple[int, int, _Kept]] = []

    def add(self, badness: int, one: _Kept) -> None:
        """Keep one, if it is worse than what is kept."""
        self.count += 1
        add = heappush if len(self._heap) < self._most else heappushpop
        add(self._heap, (badness, -self.count, one))

    def __iter__(self) -> Iterator[tuple[int, _Kept]]:
        """Yield those that are kept, the worst first, each behind its number among all, from 1."""
        kept = sorted(self._heap, key=lambda each: each[:2], reverse=True)
        return ((-number, one) for _, number, one in kept)

    @property
    def left_out(self) -> int:
        """How many are not kept."""
        return self.count - len(self._heap)


class Strip:
    """How many faults begin in each part of a file. The parts grow with the file, so their number is bounded.

    Attributes:
        width: the number of bytes of a part.
        errors, warnings: the counts by part.

    >>> strip = Strip()
    >>> strip.add(3, "error"), strip.add(1000, "warning")
    (None, None)
    >>> strip.width, strip.errors[0], strip.warnings[62]
    (16, 1, 1)
    """

    def __init__(self) -> None:
        self.width: int = 1
        self.errors: list[int] = [0] * CELLS
        self.warnings: list[int] = [0] * CELLS

    def add(self, offset: int, severity: str) -> None:
        """Count a fault at an offset in bytes."""
        self.reach(offset + 1)
        counts = self.errors if severity == "error" else self.warnings
        counts[offset // self.width] += 1

    def reach(self, size: int) -> None:
        """Make the parts so wide that they hold a file of this size."""
        while self.width * CELLS < size:
            self.width *= 2
            self.errors, self.warnings = _halved(self.errors), _halved(self.warnings)

    def faulty(self) -> list[int]:
        """Return the parts that have a fault."""
        return [at for at in range(CELLS) if self.errors[at] or self.warnings[at]]


def _halved(counts: list[int]) -> list[int]:
    return [*map(sum, zip(counts[::2], counts[1::2], strict=True)), *[0] * (CELLS // 2)]


@dataclass
class FaultyLine:
    """A line with faults.

    Attributes:
        path: the file as it was given.
        line, column: the place of its first fault.
        sentence: what that fault is.
        context: the text around it, if it was asked for.
        tally: all its faults.
    """

    path: str
    line: int
    column: int
    sentence: str
    context: Context | None
    tally: Tally = field(default_factory=Tally)


class Gathered:
    """The worst files and the worst lines of a check.

    Attributes:
        files: files that have a fault or could not be read, each with where its faults are.
        lines: lines that have a fault.
        hidden: how many faults were counted without their place.
    """

    def __init__(self) -> None:
        self.files: Worst[tuple[Checked, Strip]] = Worst(FILES_KEPT)
        self.lines: Worst[FaultyLine] = Worst(LINES_KEPT)
        self.hidden: int = 0
        self._strip = Strip()
        self._line: FaultyLine | None = None

    def add(self, path: str, found: Located, context: Context | None) -> None:
        """Count a fault of the file that is being checked."""
        self._strip.add(found.fault.start, found.fault.severity)
        line = self._line
        if line is None or line.line != found.line:
            self._end_line()
            line = self._line = FaultyLine(path, found.line, found.column, str(found.fault), context)
        line.tally.count(found)

    def end_file(self, checked: Checked) -> None:
        """End a file, with its verdict."""
        self._end_line()
        strip, self._strip = self._strip, Strip()
        strip.reach(checked.size)
        self.hidden += checked.hidden
        if checked.error or checked.tally.faults:
            self.files.add(checked.tally.faults, (checked, strip))

    def _end_line(self) -> None:
        if self._line is not None:
            self.lines.add(self._line.tally.faults, self._line)
        self._line = None


__all__ = ["CELLS", "FILES_KEPT", "LINES_KEPT", "FaultyLine", "Gathered", "Strip", "Worst"]
