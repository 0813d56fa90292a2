"""Write what is measured on the pages docs/performance.md and docs/profile.md, from the data in docs/performance/.

Without options the pages are written from the data that are there. Their prose is by hand.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks import __main__ as command
from benchmarks import peers, profiles, scaling
from benchmarks.goals import COLUMNS, goal, is_met, missed, wanted
from benchmarks.results import Results, read, summary
from benchmarks.row import Cell
from benchmarks.timing import Spread

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "performance.md"
PROFILE = DOCS / "profile.md"
DATA = PAGE.with_suffix("")
SCALING = DATA / "scaling.json"
SCALING_COLUMNS = ("form", "best input", "ns/byte", "worst input", "ns/byte", "ratio", "growth", "handler, ns/byte")


def measure() -> None:
    """Measure everything and keep the data."""
    DATA.mkdir(exist_ok=True)
    column = peers.instruction_set()
    if column not in COLUMNS:
        raise SystemExit(f"there are no goals for the instruction set {column}")
    command.main(["--json", str(_kept(column))])
    profiles.main([])
    if column == COLUMNS[0]:
        scaling.main(["--json", str(SCALING), "--plots", str(DATA)])


def _kept(column: str) -> Path:
    return DATA / f"{column}.json"


def page(text: str) -> str:
    """Return the text of the page with what the data say between its marks."""
    results = [read(_kept(column)) for column in COLUMNS if _kept(column).exists()]
    text = between(text, "cells", "\n".join(line for each in results for line in _cells(each)))
    return between(text, "scaling", "\n".join(_scaling(json.loads(SCALING.read_text(encoding="utf-8")))))


def profile(text: str) -> str:
    """Return the text of the page of profiles with what the data say between its marks."""
    found = {column: profiles.kept(column) for column in COLUMNS if profiles.kept(column).exists()}
    lines = (line for column, path in found.items() for line in _profiles(column, profiles.read_profiles(path)))
    return between(text, "profiles", "\n".join(lines))


def between(text: str, mark: str, lines: str) -> str:
    """Return a text with other lines between two marks.

    Raises:
        ValueError: there are no such marks, or several.
    """
    pattern = rf"(<!-- {mark} -->\n).*?(<!-- end of {mark} -->)"
    written, count = re.subn(pattern, lambda found: f"{found[1]}\n{lines}\n{found[2]}", text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"the page has {count} places for {mark}")
    return written


# --- the cells --------------------------------------------------------------------------------------------------------


def _cells(results: Results) -> Iterator[str]:
    column = results.column
    yield from (f"## Cell by cell, with {column}", "", machine_of(results.machine), "")
    yield from (f"{summary(results.cells, column)}.", "")
    yield from _missed(missed(results.cells, column), column)
    for (row, against), cells in groupby(results.cells, key=lambda cell: (cell.row, cell.against)):
        judged = [cell for cell in cells if wanted(cell, column) is not None]
        if judged:
            yield from (f"### {row}, against {against}", "", *_judged(judged, column), "")
    yield from ("### Without a goal", "", *_unjudged(results.cells, column), "")


def machine_of(machine: dict[str, Any]) -> str:
    """Return what a machine was, in a sentence."""
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return f"{machine['processor']}, {machine['cores']} cores, {machine['system']}; {versions}."


def _missed(cells: Sequence[Cell], column: str) -> Iterator[str]:
    """Yield a list of what falls short: for each row the texts with their medians and goals."""
    yield from ("### Missed", "", *([] if cells else ["Nothing."]))
    for (row, against), each in groupby(cells, key=lambda cell: (cell.row, cell.against)):
        told = ", ".join(
            f"{cell.text} {_bytes(cell.size)} {_ratio(cell.times.median)} of {wanted(cell, column):g}" for cell in each
        )
        yield f"- {row}, against {against}: {told}"
    yield ""


def _judged(cells: Sequence[Cell], column: str) -> Iterator[str]:
    yield from heading("text", "bytes", "GB/s", "median", "min", "max", "goal", "met")
    for cell in cells:
        least = wanted(cell, column)
        assert least is not None  # only these are given
        aimed = goal(cell.row, cell.against, cell.text, cell.size)
        aim = f" (aim {aimed.aim:g})" if aimed and aimed.aim else ""
        met = "yes" if is_met(cell.times, least) else "**no**"
        yield table_row(cell.text, _bytes(cell.size), _speed(cell), *_told(cell.times), f"{least:g}{aim}", met)


def _unjudged(cells: Sequence[Cell], column: str) -> Iterator[str]:
    yield from heading("row", "against", "least median", "greatest median")
    for (row, against), each in groupby(cells, key=lambda cell: (cell.row, cell.against)):
        free = sorted((cell for cell in each if wanted(cell, column) is None), key=lambda cell: cell.times.median)
        if free:
            ends = (f"{_ratio(cell.times.median)} ({cell.text})" for cell in (free[0], free[-1]))
            yield table_row(row, against, *ends)


def _speed(cell: Cell) -> str:
    return f"{cell.gigabytes_per_second:.2f}"


def _told(times: Spread) -> Iterator[str]:
    return map(_ratio, times)


def _ratio(value: float) -> str:
    return f"{value:.3g}"


def _bytes(size: int) -> str:
    for unit, name in ((1 << 20, "MB"), (1 << 10, "KB")):
        if size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"


# --- scaling ----------------------------------------------------------------------------------------------------------


def _scaling(kept: dict[str, Any]) -> Iterator[str]:
    yield from (machine_of(kept["machine"]), "")
    yield from heading(*SCALING_COLUMNS)
    for each in kept["adversaries"]:
        found = scaling.Adversary(**each)
        handler = "" if found.handler is None else f"{found.handler:.3g}"
        best, worst = (f"{cost:.3g}" for cost in (found.best_nanoseconds, found.worst_nanoseconds))
        costs = (found.best, best, found.worst, worst, _ratio(found.ratio), f"{found.growth:g}", handler)
        yield table_row(found.form, *costs)


# --- profiles ---------------------------------------------------------------------------------------------------------


def _profiles(column: str, found: Sequence[profiles.Profile]) -> Iterator[str]:
    yield from (f"## With {column}", "")
    for (row, against), each in groupby(found, key=lambda profile: (profile.row, profile.against)):
        yield from (f"### {row}, against {against}, {column}", "", *heading("text", "bytes", "of its goal", "time"))
        for one in each:
            yield table_row(one.text, _bytes(one.size), _ratio(one.met), one.told)
        yield ""


# --- tables of Markdown -----------------------------------------------------------------------------------------------


def heading(*names: str) -> tuple[str, str]:
    """Return the lines that a table begins with."""
    return table_row(*names), table_row(*("---" for _ in names))


def table_row(*values: str) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(values)} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser("python -m benchmarks.record", description=__doc__)
    parser.add_argument(
        "--measure",
        action="store_true",
        help="first measure everything, with the instruction set in use: ten minutes or so",
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 where the page is not what the data say"
    )
    given = parser.parse_args(arguments)
    if given.measure:
        measure()
    are_right = [_is_right(path, written, given.check) for path, written in ((PAGE, page), (PROFILE, profile))]
    return int(not all(are_right))


def _is_right(path: Path, written: Callable[[str], str], is_checked: bool) -> bool:
    """Write a page, or say whether it is what the data say and return that."""
    text = path.read_text(encoding="utf-8")
    wanted_text = written(text)
    if not is_checked:
        path.write_text(wanted_text, encoding="utf-8")
        return True
    print(f"{path.name} {'is' if text == wanted_text else 'is not'} what the data say")
    return text == wanted_text


if __name__ == "__main__":
    sys.exit(main())
