"""Measure the command line side by side with ripgrep, isutf8, iconv, uconv, recode: whole processes on the same files.

Each line has the wall time of ours and of the peer in seconds, the median of the rounds with the least and the
greatest, and says how many times as fast ours is. All run in turns and on one core, except with `-j`. A program that is
not installed is skipped. Files are created in a folder that is removed at the end: up to 5 GB, which must fit into
memory, or the disk is measured.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks import peers, tables
from benchmarks.contests import (
    CLEAN,
    CLEAN_JSON,
    COUNTED,
    ESCAPED,
    ESCAPED_COUNTED,
    FAULTY,
    FILE_BYTES,
    ONE_SEARCH,
    PYTHON,
    SEARCH,
    TREE,
    TREE_AT_ONCE,
    UNSEARCHED,
    Contest,
    Scale,
    contests,
)
from benchmarks.goals import is_met
from benchmarks.programs import Program, output_of, race
from benchmarks.results import Results, read, write
from benchmarks.row import MIB, Cell
from benchmarks.texts import MIXED
from benchmarks.timing import Spread, spread

QUICK = Scale(sizes=(MIB,), files=500)
JUDGED = 256 * MIB
"""The size that goals are for; starting a process has a goal of its own."""
TREE_BYTES = Scale().files * FILE_BYTES
STARTING = 0.060
"""How many seconds longer a start may take than that of an interpreter that does nothing."""


class Goal(NamedTuple):
    """What a cell must reach: so many times as fast as the peer, or at most so many seconds over it."""

    times: float | None = None
    over: float | None = None

    def is_met(self, cell: Cell) -> bool:
        """Return whether the medians reach the goal."""
        by_times = self.times is None or is_met(cell.times, self.times)
        return by_times and (self.over is None or cell.ours.median - cell.theirs.median <= self.over)

    def __str__(self) -> str:
        return f"{self.times:.3g} times" if self.over is None else f"{self.over * 1000:.0f} ms over"


GOALS: Mapping[tuple[str, str, int], Goal] = {
    (CLEAN, "isutf8", JUDGED): Goal(times=1),
    ("convert utf-16-le to utf-8", "iconv", JUDGED): Goal(times=1.5),
    ("convert utf-8 to utf-16-le", "iconv", JUDGED): Goal(times=1.5),
    ("convert cesu-8 to utf-8", "uconv", JUDGED): Goal(times=3),
    (COUNTED, CLEAN, JUDGED): Goal(times=1 / 2),
    (CLEAN_JSON, UNSEARCHED, JUDGED): Goal(times=1 / 2),
    (ESCAPED_COUNTED, CLEAN_JSON, JUDGED): Goal(times=1 / 2),
    (ESCAPED, CLEAN_JSON, JUDGED): Goal(times=1 / 8),
    (FAULTY, CLEAN, JUDGED): Goal(times=1 / 8),
    (TREE, ONE_SEARCH, TREE_BYTES): Goal(times=1 / 2),
    (TREE_AT_ONCE, SEARCH, TREE_BYTES): Goal(times=1 / 2),
    (TREE, "find -exec isutf8", TREE_BYTES): Goal(times=1.5),
    ("version", PYTHON, 0): Goal(over=STARTING),
    ("check, one small file", PYTHON, 0): Goal(over=STARTING),
}
"""By row, peer and size. A cell that is not here is measured, but has no goal."""


def goal(cell: Cell) -> Goal | None:
    """Return the goal of a cell, or None if it has none."""
    return GOALS.get((cell.row, cell.against, cell.size))


def missed(cells: Iterable[Cell]) -> list[Cell]:
    """Return the cells that fall short of their goals."""
    return [cell for cell in cells if (least := goal(cell)) is not None and not least.is_met(cell)]


# --- cells ------------------------------------------------------------------------------------------------------------


def measured(contest: Contest, patterns: Sequence[str] | None, *, quick: bool) -> Iterator[Cell]:
    """Yield a cell for each selected program of ours and each peer that is installed.

    Raises:
        ValueError: a program failed, or the programs do not write the same.
    """
    ours = [each for each in contest.ours if patterns is None or any(fnmatchcase(each.name, one) for one in patterns)]
    if not ours:
        return
    others = [other for other in contest.others if _is_here(other, ours[0])]
    byte_count = contest.make()
    if contest.same_output and len(set(map(output_of, (*ours, *others)))) > 1:
        raise ValueError(f"{ours[0].name}: not all write the same")
    taken = race((*ours, *others), rounds_for(byte_count, quick=quick))
    for mine in ours:
        for other in others:
            yield cell_of(mine, other, taken)._replace(size=contest.size, text_bytes=byte_count)


def _is_here(other: Program, mine: Program) -> bool:
    if not other.is_installed:
        print(f"{mine.name}: skipped, {other.arguments[0]} is not installed", file=sys.stderr)
    return other.is_installed


def cell_of(mine: Program, other: Program, taken: Sequence[Mapping[Program, float]]) -> Cell:
    """Return the cell of two programs, from the seconds that they took in each round."""
    ours, theirs = [each[mine] for each in taken], [each[other] for each in taken]
    ratios = [each[other] / each[mine] for each in taken]
    return Cell(mine.name, other.name, MIXED, 0, 0, spread(ratios), spread(ours), spread(theirs))


def rounds_for(byte_count: int, *, quick: bool) -> int:
    """Return the number of rounds: few if each takes seconds."""
    return 3 if quick or byte_count > JUDGED * 3 else 15 if byte_count < 32 * MIB else 7


# --- what is printed --------------------------------------------------------------------------------------------------

HEADING = (
    f"{'row':28} {'against':25} {'MB':>5} {'ours, s':>8} [{'min':>6} {'max':>6}]"
    f" {'theirs':>8} [{'min':>6} {'max':>6}] {'times':>6} [{'min':>6} {'max':>6}] goal"
)


def line_of(cell: Cell) -> str:
    """Return a cell as a line of the table; one that falls short of its goal says so."""
    spreads = f"{_shown(cell.ours, 8, 3)} {_shown(cell.theirs, 8, 3)} {_shown(cell.times, 6, 2)}"
    least = goal(cell)
    met = "" if least is None else str(least) if least.is_met(cell) else f"{least}: missed"
    return f"{cell.row:28} {cell.against:25} {cell.size / MIB:5.0f} {spreads} {met}".rstrip()


def _shown(values: Spread, width: int, digits: int) -> str:
    return f"{values.median:{width}.{digits}f} [{values.low:6.{digits}f} {values.high:6.{digits}f}]"


# --- tables of Markdown -----------------------------------------------------------------------------------------------


def every_cell(results: Results) -> Iterator[str]:
    """Yield every cell as a row of a table."""
    yield from ("# The command line", "", *_table(results, results.cells))


def overview(results: Results) -> Iterator[str]:
    """Yield the cells that have a goal as rows of a table."""
    return _table(results, [cell for cell in results.cells if goal(cell) is not None])


def _table(results: Results, cells: Sequence[Cell]) -> Iterator[str]:
    judged, short = sum(goal(cell) is not None for cell in results.cells), len(missed(results.cells))
    yield from (tables.machine_of(results.machine), "", f"{judged} goals: {judged - short} met, {short} missed.", "")
    yield from tables.heading("row", "against", "MB", "ours, s", "theirs, s", "median", "min", "max", "goal", "met")
    yield from map(_row, cells)


def _row(cell: Cell) -> str:
    least = goal(cell)
    ratios = (f"{value:.2f}" for value in cell.times)
    judged = ("", "") if least is None else (str(least), "yes" if least.is_met(cell) else "**no**")
    size = f"{cell.size / MIB:.0f}" if cell.size else ""
    seconds = (f"{spread.median:.3f}" for spread in (cell.ours, cell.theirs))
    return tables.table_row(cell.row, cell.against, size, *seconds, *ratios, *judged)


# --- the command ------------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser("python -m benchmarks.cli", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="rows by name, such as 'convert*'")
    parser.add_argument("--sizes", nargs="+", type=int, metavar="MB", help="files of these sizes instead")
    parser.add_argument("--quick", action="store_true", help="1 MB, 500 small files, three rounds")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="make the files in a folder of this one")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    parser.add_argument("--read", type=Path, metavar="FILE", help="measure nothing: read what --json wrote")
    parser.add_argument("--check", action="store_true", help="exit 1 where a cell falls short of its goal")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    given = parser().parse_args(arguments)
    print(HEADING)
    if given.read:
        cells = read(given.read).cells
        print(*map(line_of, cells), sep="\n")
    else:
        cells = tuple(_told(given))
    if given.json:
        write(Results(peers.machine(), cells), given.json)
    short = missed(cells)
    print(*(f"missed: {cell.row}, against {cell.against}: {goal(cell)}" for cell in short), sep="\n")
    return int(given.check and bool(short))


def _told(given: argparse.Namespace) -> Iterator[Cell]:
    """Yield each measured cell, and print it at once."""
    scale = QUICK if given.quick else Scale()
    if given.sizes:
        scale = scale._replace(sizes=tuple(size * MIB for size in given.sizes))
    with TemporaryDirectory(dir=given.folder) as folder:
        for contest in contests(Path(folder), scale):
            for cell in measured(contest, given.only, quick=given.quick):
                print(line_of(cell), flush=True)
                yield cell


if __name__ == "__main__":
    sys.exit(main())
