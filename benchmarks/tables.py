"""Measurements as Markdown tables: every cell, scaling, and the summary for the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import groupby
from statistics import geometric_mean
from typing import Any, NamedTuple

from benchmarks import scaling
from benchmarks.goals import goal, is_met, missed, wanted
from benchmarks.peers import COPY, CPYTHON, MUTF8, OURS, PYARROW, SIMDUTF
from benchmarks.results import Results, summary
from benchmarks.row import Cell
from benchmarks.timing import Spread

SCALING_COLUMNS = ("form", "best input", "ns/byte", "worst input", "ns/byte", "ratio", "growth", "handler, ns/byte")

# --- the cells --------------------------------------------------------------------------------------------------------


def cell_by_cell(results: Results) -> Iterator[str]:
    column = results.column
    yield from (f"# Cell by cell, with {column}", "", machine_of(results.machine), "")
    yield from (f"{summary(results.cells, column)}.", "")
    yield from _missed(missed(results.cells, column), column)
    for (row, against), cells in groupby(results.cells, key=lambda cell: (cell.row, cell.against)):
        judged = [cell for cell in cells if wanted(cell, column) is not None]
        if judged:
            yield from (f"## {row}, against {against}", "", *_judged(judged, column), "")
    yield from ("## Without a goal", "", *_unjudged(results.cells, column), "")


def machine_of(machine: dict[str, Any]) -> str:
    """Return the description of a machine, in a sentence."""
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return f"{machine['processor']}, {machine['cores']} cores, {machine['system']}; {versions}."


def _missed(cells: Sequence[Cell], column: str) -> Iterator[str]:
    """Yield a list of the missed cells: for each row the texts with their medians and goals."""
    yield from ("## Missed", "", *([] if cells else ["Nothing."]))
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


def of_scaling(kept: dict[str, Any]) -> Iterator[str]:
    yield from (machine_of(kept["machine"]), "")
    yield from heading(*SCALING_COLUMNS)
    for each in kept["adversaries"]:
        found = scaling.Adversary(**each)
        handler = "" if found.handler is None else f"{found.handler:.3g}"
        best, worst = (f"{cost:.3g}" for cost in (found.best_nanoseconds, found.worst_nanoseconds))
        costs = (found.best, best, found.worst, worst, _ratio(found.ratio), f"{found.growth:g}", handler)
        yield table_row(found.form, *costs)


# --- the summary ------------------------------------------------------------------------------------------------------


class Group(NamedTuple):
    """A line of the summary: the work, the peer, and the rows that it sums up, as patterns."""

    title: str
    against: str
    rows: tuple[str, ...]


GROUPS = (
    Group("decode UTF-8", CPYTHON, ("decode",)),
    Group("encode UTF-8", CPYTHON, ("encode",)),
    Group("decode ASCII, and WTF-16LE within the BMP", COPY, ("copy *",)),
    Group("validate UTF-8", SIMDUTF, ("validate",)),
    Group("transcode between UTF-8, UTF-16 and UTF-32", SIMDUTF, ("transcode *",)),
    Group("validate UTF-8", PYARROW, ("validate",)),
    Group("decode UTF-8 with faults, under a policy", CPYTHON, ("utf-8 decode *",)),
    Group("encode UTF-8 with surrogates, under a policy", CPYTHON, ("utf-8 encode *",)),
    Group("list the faults of UTF-8", CPYTHON, ("utf-8 faults*",)),
    Group("count the faults of UTF-8", CPYTHON, ("utf-8 tally*",)),
    Group(
        "decode WTF-8 and generalized UTF-8, with surrogates", CPYTHON, ("wtf-8 decode*", "generalized-utf-8 decode*")
    ),
    Group(
        "encode WTF-8 and generalized UTF-8, with surrogates", CPYTHON, ("wtf-8 encode*", "generalized-utf-8 encode*")
    ),
    Group("decode XTF-8, with other bytes", CPYTHON, ("xtf-8 decode*",)),
    Group("encode XTF-8, with escapes", CPYTHON, ("xtf-8 encode*",)),
    Group("decode CESU-8 and MUTF-8", MUTF8, ("cesu-8 decode", "mutf-8 decode")),
    Group("encode CESU-8 and MUTF-8", MUTF8, ("cesu-8 encode", "mutf-8 encode")),
    Group("decode and encode CESU-8 and MUTF-8", OURS, ("cesu-8 *", "mutf-8 *")),
    Group("decode and encode Corrected UTF-8", OURS, ("corrected-utf-8 *",)),
    Group("decode WTF-16LE, clean and with surrogates", CPYTHON, ("wtf-16-le decode*",)),
    Group("encode WTF-16LE, clean and with surrogates", CPYTHON, ("wtf-16-le encode*",)),
    Group("decode UTF-16 and UTF-32", CPYTHON, ("utf-16-* decode", "utf-32-* decode")),
    Group("encode UTF-16 and UTF-32", CPYTHON, ("utf-16-* encode", "utf-32-* encode")),
    Group("convert between UTF-8 and UTF-16LE", CPYTHON, ("convert *",)),
    Group("convert MUTF-8 to UTF-8", MUTF8, ("convert *",)),
    Group("decode and encode in pieces of 64 and 8192", CPYTHON, ("stream *",)),
    Group(
        "measure a result instead of building it",
        CPYTHON,
        ("encoded_length*", "code_point_count", "converted_length *"),
    ),
    Group("decode and encode 64 to 1,024 bytes, under policies and in other forms", CPYTHON, ("short *",)),
    Group("truncate text to a number of bytes", CPYTHON, ("truncate *",)),
    Group("cut bytes between sequences", CPYTHON, ("truncate_bytes *", "boundary", "split *")),
    Group("encode and decode into memory of the caller", CPYTHON, ("encode_into", "decode_code_points_into")),
)
"""Every row of `rows/` is in exactly one."""


def cells_of(group: Group, cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells that a line of the summary sums up."""
    against = (cell for cell in cells if cell.against == group.against)
    return [cell for cell in against if any(fnmatchcase(cell.row, pattern) for pattern in group.rows)]


def overview(found: Mapping[str, Results]) -> Iterator[str]:
    """Yield the summary: for each group and instruction set the mean ratio, its ends, and how many goals are met."""
    yield from heading("what", "against", *(head for column in found for head in (column, "min, max", "goals met")))
    for group in GROUPS:
        each = [_summed(cells_of(group, results.cells), column) for column, results in found.items()]
        yield table_row(group.title, group.against, *(value for values in each for value in values))


def _summed(cells: Sequence[Cell], column: str) -> tuple[str, str, str]:
    if not cells:
        return "", "", ""
    ratios = [cell.times.median for cell in cells]
    judged = [cell for cell in cells if wanted(cell, column) is not None]
    met = f"{len(judged) - len(missed(judged, column))} of {len(judged)}" if judged else ""
    return _ratio(geometric_mean(ratios)), f"{_ratio(min(ratios))}, {_ratio(max(ratios))}", met


# --- tables of Markdown -----------------------------------------------------------------------------------------------


def heading(*names: str) -> tuple[str, str]:
    """Return the first lines of a table."""
    return table_row(*names), table_row(*("---" for _ in names))


def table_row(*values: str) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(values)} |"
