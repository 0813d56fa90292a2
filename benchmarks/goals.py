"""The goals, as data: how many times as fast as the peer, by instruction set. No code decides them.

The first line that fits a cell applies to it. A row without a line is in `UNSET`: it is measured, but has no goal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from benchmarks.peers import COPY, CPYTHON, MUTF8, OURS, PYARROW, SIMDUTF
from benchmarks.row import KIB, MIB, Cell
from benchmarks.rows.cutting import MEASURED
from benchmarks.rows.races import TRANSCODE as RACES
from benchmarks.rows.short import ROWS as SHORT_ROWS
from benchmarks.texts import MIXED, SCRIPTS
from benchmarks.timing import Spread

COLUMNS = ("avx512", "avx2")
"""The instruction sets that have goals."""
LANE = "python"
"""The engine without the core, whose goals are in `OF_THE_LANE`."""


class Goal(NamedTuple):
    """The ratio to reach with each instruction set, and a higher one to aim at."""

    avx512: float
    avx2: float
    aim: float | None = None


class Line(NamedTuple):
    """A goal and what it is for: rows by name and peer, a size in bytes, scripts."""

    rows: tuple[str, ...]
    against: str
    size: int
    scripts: tuple[str, ...]
    goal: Goal


TWO_BYTE = ("cyrillic", "greek", "arabic", "hebrew")
CJK = ("chinese", "japanese", "korean")
THREE_BYTE = ("hindi", "thai", *CJK)
NOT_COPIED = tuple(script for script in SCRIPTS if script not in ("cyrillic", MIXED, "emoji"))
"""Scripts of which CPython decodes 16-bit units slower than it copies them: the others have a goal against a copy."""

DECODE, ENCODE = ("decode",), ("encode",)
CODED = ("decode", "encode")


def _coded(*forms: str) -> tuple[str, ...]:
    return tuple(f"{form} {way}" for form in forms for way in CODED)


def _at_densities(*names: str, densities: Iterable[int] = (1000, 100, 10)) -> tuple[str, ...]:
    return tuple(f"{name} {density}" for name in names for density in densities)


SURROGATES_DECODED, SURROGATES_ENCODED = (
    tuple(f"{form} {way}, 1 surrogate in" for form in ("generalized-utf-8", "wtf-8")) for way in CODED
)
JAVA = _coded("cesu-8", "mutf-8")
LENGTHS = ("encoded_length", *(f"encoded_length {form}" for form in MEASURED))
SHORT = tuple(row.name for row in SHORT_ROWS)
TRANSCODE = tuple(row.name for row in RACES)
TRUNCATED = ("truncate to half", "truncate to 255")

TABLE = (
    Line(DECODE, CPYTHON, MIB, ("ascii",), Goal(1.8, 1.3)),
    Line(("copy utf-8",), COPY, MIB, SCRIPTS, Goal(0.9, 0.9)),
    Line(DECODE, CPYTHON, MIB, ("latin",), Goal(5, 1)),
    Line(DECODE, CPYTHON, MIB, ("cyrillic", "greek"), Goal(5, 4, aim=10)),
    Line(DECODE, CPYTHON, MIB, ("arabic", "hebrew"), Goal(3, 1.8, aim=10)),
    Line(DECODE, CPYTHON, MIB, CJK, Goal(3, 2.5, aim=5)),
    Line(DECODE, CPYTHON, MIB, ("hindi", "thai"), Goal(3, 2.5)),
    Line(DECODE, CPYTHON, MIB, ("emoji",), Goal(2.5, 1.7)),
    Line(DECODE, CPYTHON, MIB, (MIXED,), Goal(4, 1.9, aim=8)),
    Line(ENCODE, CPYTHON, MIB, ("ascii",), Goal(0.95, 0.95)),
    Line(ENCODE, CPYTHON, MIB, ("latin",), Goal(8, 3, aim=15)),
    Line(ENCODE, CPYTHON, MIB, TWO_BYTE, Goal(4, 2)),
    Line(ENCODE, CPYTHON, MIB, THREE_BYTE, Goal(3, 3)),
    Line(ENCODE, CPYTHON, MIB, ("emoji",), Goal(2.5, 1)),
    Line(DECODE, CPYTHON, 64, SCRIPTS, Goal(1.8, 1)),
    Line(DECODE, CPYTHON, KIB, SCRIPTS, Goal(2, 1)),
    Line(ENCODE, CPYTHON, 64, SCRIPTS, Goal(1, 1)),
    Line(ENCODE, CPYTHON, KIB, SCRIPTS, Goal(1, 1)),
    Line(DECODE, CPYTHON, 64 * MIB, ("emoji",), Goal(2, 2)),
    Line(DECODE, CPYTHON, 64 * MIB, SCRIPTS, Goal(2.5, 2)),
    Line(_at_densities(*SURROGATES_DECODED, densities=[1000]), CPYTHON, MIB, SCRIPTS, Goal(3, 2)),
    Line(_at_densities(*SURROGATES_DECODED, densities=[100]), CPYTHON, MIB, SCRIPTS, Goal(5, 2.5)),
    Line(_at_densities(*SURROGATES_DECODED, densities=[10]), CPYTHON, MIB, SCRIPTS, Goal(20, 8)),
    Line(_at_densities(*SURROGATES_ENCODED), CPYTHON, MIB, SCRIPTS, Goal(2.5, 2)),
    Line(_at_densities("xtf-8 decode, 1 in", "xtf-8 encode, 1 in"), CPYTHON, MIB, SCRIPTS, Goal(2, 1.5)),
    Line(("wtf-16-le decode, clean",), CPYTHON, MIB, NOT_COPIED, Goal(2.3, 2)),
    Line(("copy wtf-16-le",), COPY, MIB, SCRIPTS, Goal(0.8, 0.8)),
    Line(("wtf-16-le decode, 1 surrogate in 10",), CPYTHON, MIB, SCRIPTS, Goal(100, 50)),
    Line(("validate",), SIMDUTF, MIB, SCRIPTS, Goal(1.0, 0.95)),
    *(Line(TRANSCODE, SIMDUTF, size, SCRIPTS, Goal(0.9, 0.9)) for size in (KIB, 64 * KIB, MIB)),
    Line(("validate",), PYARROW, MIB, SCRIPTS, Goal(6, 5)),
    Line(JAVA, MUTF8, MIB, (*TWO_BYTE, *THREE_BYTE), Goal(4, 3)),
    Line(JAVA, MUTF8, MIB, ("emoji",), Goal(2, 1.5)),
    Line(JAVA, MUTF8, MIB, ("ascii",), Goal(0.9, 0.9)),
    Line(JAVA, OURS, MIB, SCRIPTS, Goal(0.6, 0.5)),
    Line(LENGTHS, CPYTHON, MIB, SCRIPTS, Goal(5, 5)),
    Line(TRUNCATED, CPYTHON, MIB, SCRIPTS, Goal(1, 1)),
    Line(TRUNCATED, CPYTHON, 64, SCRIPTS, Goal(1, 1)),
    Line(SHORT, CPYTHON, 64, SCRIPTS, Goal(0.95, 0.95, aim=1.5)),
    Line(SHORT, CPYTHON, 256, SCRIPTS, Goal(0.95, 0.95, aim=2)),
    Line(SHORT, CPYTHON, KIB, SCRIPTS, Goal(0.95, 0.95, aim=2)),
    Line(_coded("corrected-utf-8"), OURS, MIB, SCRIPTS, Goal(0.6, 0.3, aim=0.9)),
)

UNSET = (
    *_at_densities(
        *(f"utf-8 {way} {policy}, 1 in" for way in CODED for policy in ("replace", "ignore")),
        *(f"utf-8 {way} {policy}, 1 in" for way in CODED for policy in ("surrogateescape", "backslashreplace")),
        *("utf-8 faults, 1 in", "utf-8 tally, 1 in"),
    ),
    *("wtf-16-le encode, clean", "wtf-16-le encode, 1 surrogate in 10"),
    *_coded("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"),
    *(f"stream {way}, {size} at once" for way in CODED for size in (64, 8 * KIB)),
    *("code_point_count", "converted_length utf-8 to utf-16-le"),
    *("truncate_bytes to half", "boundary", "split into pieces of 64 KB", "encode_into", "decode_code_points_into"),
    *("convert utf-16-le to utf-8", "convert utf-8 to utf-16-le", "convert mutf-8 to utf-8"),
)
"""Names of rows without a goal."""


class LaneGoal(NamedTuple):
    """A goal of the engine without the core: for rows by the ends of their names, for scripts, in one of two measures.

    Attributes:
        times: how many times as fast as the peer.
        megabytes: megabytes per second, whatever the peer does.
    """

    rows: tuple[str, ...]
    scripts: tuple[str, ...]
    times: float = 0
    megabytes: float = 0


_PLAIN = ("ascii", "latin", "cyrillic", "chinese")
OF_THE_LANE = (
    LaneGoal((" 1 in 1000",), _PLAIN, megabytes=20),
    LaneGoal((" is_well_formed",), _PLAIN, times=0.1),
    LaneGoal((": utf-8 decode", ": utf-8 encode"), _PLAIN, times=0.8),
    LaneGoal((" decode", " encode"), ("ascii",), times=0.5),
    LaneGoal((" decode", " encode"), _PLAIN, times=0.1),
)
"""The first that fits applies, as above; they are for 1 MB."""


def _wanted_of_the_lane(cell: Cell) -> float | None:
    for line in OF_THE_LANE if cell.size == MIB else ():
        if cell.row.endswith(line.rows) and cell.text in line.scripts:
            return line.times or line.megabytes * 1e6 * cell.theirs.median / cell.text_bytes
    return None


def goal(row: str, against: str, text: str, size: int) -> Goal | None:
    """Return the goal of a cell, or None if it has none.

    A text of a corpus belongs to the script that its name contains.
    """
    script = next((script for script in SCRIPTS if script in text.lower()), None)
    for line in TABLE:
        if row in line.rows and against == line.against and size == line.size and script in line.scripts:
            return line.goal
    return None


def wanted(cell: Cell, column: str) -> float | None:
    """Return the ratio that a cell must reach, or None without a goal; a column is an instruction set."""
    if column == LANE:
        return _wanted_of_the_lane(cell)
    found = goal(cell.row, cell.against, cell.text, cell.size)
    return getattr(found, column) if found and column in COLUMNS else None


def is_met(times: Spread, least: float) -> bool:
    """Return whether the median reaches the goal."""
    return times.median >= least


def missed(cells: Iterable[Cell], column: str) -> list[Cell]:
    """Return the cells that fall short of their goals."""
    least = ((cell, wanted(cell, column)) for cell in cells)
    return [cell for cell, ratio in least if ratio is not None and not is_met(cell.times, ratio)]
