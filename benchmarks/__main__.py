"""Measure eightfold side by side with CPython and other peers, and print how many times as fast it is.

Each line says how many times as fast as the peer ours is: the median of the rounds, with the least and the greatest.
GB/s count bytes of UTF-8. Only ratios mean anything: the speed of a machine changes from minute to minute.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from benchmarks import peers
from benchmarks.goals import COLUMNS, LANE, missed
from benchmarks.results import HEADING, Results, line_of, read, summary, write
from benchmarks.row import KIB, MIB, Cell, Row, measure
from benchmarks.rows import ROWS, lane, races
from benchmarks.texts import SAMPLE, Texts, made, of_corpora
from benchmarks.timing import Effort
from eightfold import ENGINE

ALL_ROWS = (*ROWS, *races.ROWS)
QUICK = Effort(rounds=3, seconds=0.0005)
QUICK_SIZES = (64, KIB, MIB)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="rows by name or peer, such as 'xtf-8*' simdutf")
    parser.add_argument("--texts", nargs="+", metavar="NAME", help="texts by name, such as emoji 'c*'")
    parser.add_argument("--bytes", nargs="+", type=int, metavar="N", help="sizes instead of each row's own")
    parser.add_argument("--corpora", type=Path, metavar="DIR", help="draw words from the *.txt of a folder instead")
    parser.add_argument("--quick", action="store_true", help="six texts, three short rounds, nothing above 1 MB")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    parser.add_argument("--read", type=Path, metavar="FILE", help="measure nothing: read what --json wrote")
    parser.add_argument("--check", action="store_true", help="exit 1 where a cell falls short of its goal")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    given = parser().parse_args(arguments)
    results = _read(given.read) if given.read else _measured(given)
    if given.json:
        write(results, given.json)
    print(summary(results.cells, results.column))
    return _checked(results) if given.check else 0


def _read(path: Path) -> Results:
    results = read(path)
    print(HEADING, *(line_of(cell, results.column) for cell in results.cells), sep="\n")
    return results


def _checked(results: Results) -> int:
    if results.column not in (*COLUMNS, LANE):
        print(f"there are no goals for the instruction set {results.column}", file=sys.stderr)
        return 2
    short = missed(results.cells, results.column)
    print(*(f"missed: {line_of(cell, results.column)}" for cell in short), sep="\n")
    return 1 if short else 0


def _measured(given: argparse.Namespace) -> Results:
    machine = peers.machine()
    print(*(f"{name}: {value}" for name, value in machine.items()), sep="\n")
    print(HEADING)
    cells = []
    for cell in cells_of(given):
        print(line_of(cell, Results(machine, ()).column), flush=True)
        cells.append(cell)
    return Results(machine, tuple(cells))


def cells_of(given: argparse.Namespace) -> Iterator[Cell]:
    """Measure the selected rows, cell by cell."""
    texts = of_corpora(given.corpora) if given.corpora else made()
    effort = QUICK if given.quick else Effort()
    for row in ALL_ROWS if ENGINE == "native" else lane.ROWS:
        if _is_wanted(row.name, given.only) or _is_wanted(row.against, given.only):
            names = tuple(name for name in _texts_of(row, texts, given) if _is_wanted(name, given.texts))
            yield from _cells_of(row, texts, names, _sizes_of(row, given), effort)


def _is_wanted(name: str, patterns: Sequence[str] | None) -> bool:
    return patterns is None or any(fnmatchcase(name, pattern) for pattern in patterns)


def _texts_of(row: Row, texts: Texts, given: argparse.Namespace) -> Sequence[str]:
    if given.corpora:
        return texts.names
    return SAMPLE if given.quick else texts.names if given.texts else row.texts


def _sizes_of(row: Row, given: argparse.Namespace) -> tuple[int, ...]:
    if given.bytes:
        return tuple(given.bytes)
    return tuple(size for size in row.sizes if not given.quick or size in QUICK_SIZES)


def _cells_of(row: Row, texts: Texts, names: tuple[str, ...], sizes: tuple[int, ...], effort: Effort) -> Iterator[Cell]:
    if row in races.ROWS:
        if races.can_run():
            yield from races.run(row, texts, names, sizes, effort)
        else:
            print(f"{row.name}: skipped, {row.against} needs the core and cargo", file=sys.stderr)
        return
    tools = peers.tools(row.against)
    if tools is None:
        print(f"{row.name}: skipped, {row.against} is not installed: pip install 'eightfold[bench]'", file=sys.stderr)
        return
    for size in sizes:
        for name in names:
            yield measure(row, texts, name, size, tools, effort)


if __name__ == "__main__":
    sys.exit(main())
