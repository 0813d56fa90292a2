"""Forms as users may build them, drawn at random, and inputs for each at the edges of its own tables.

A form is one of the family with some of its tables changed, or consists of random ranges only. Everything follows from
one `random.Random`: the same seed yields the same form, inputs and texts.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from random import Random
from typing import Any, NamedTuple

import eightfold
from eightfold import FaultRow, Form, Row
from eightfold.faults import KINDS
from eightfold.forms import Signature, fault_row
from support.byte_classes import classes

Range = tuple[int, int]
Ranges = tuple[Range, ...]

MOST_UNITS = 12
MOST_ROWS = 24
LARGEST = 0xFFFFFFFF
TAIL = (0x80, 0xBF)
PAIR = ((0xED, 0xED), (0xA0, 0xAF), TAIL, (0xED, 0xED), (0xB0, 0xBF), TAIL)
SURROGATE = ((0xED, 0xED), (0xA0, 0xBF), TAIL)

LEAD_EDGES = (0, 1, 0x40, 0x7F, 0x80, 0xA0, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF4, 0xF7)
EDGES = {
    8: (*LEAD_EDGES, 0xF8, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF),
    16: (0, 0x0A, 0x7F, 0x80, 0xFF, 0x100, 0x7FF, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDC80, 0xDFFF, 0xE000, 0xFFFF),
    32: (0, 0x7F, 0x80, 0xFF, 0x100, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xFFFF, 0x10000, 0x10FFFF, 0x110000, LARGEST),
}
TAILS = (TAIL, TAIL, TAIL, TAIL, (0x80, 0x9F), (0xA0, 0xBF), (0x90, 0xBF), (0x80, 0x8F), (0x80, 0xFF), (0xBD, 0xBD))
FIRSTS = (0, 1, 0x20, 0x7F, 0x80, 0xA0, 0x100, 0x800, 0xD800, 0xDC80, 0xE000, 0xEF80, 0x10000, 0x10FF00, 0x110000)
ROUND = (*FIRSTS, 0x11000, 0x200000, 0x7FFFFFFF, 0x80000000, 0xFFFFFF00)


class Tables(NamedTuple):
    """The tables of a form, with rows as their first code points and their ranges."""

    rows: list[tuple[int, Ranges]]
    units: list[FaultRow]
    names: list[FaultRow]


# --- ranges and values ------------------------------------------------------------------------------------------------


def _around(chance: Random, bits: int) -> Range:
    """Return a range between two edges, or of one value near one."""
    edges = EDGES[bits]
    low = min(max(0, chance.choice(edges) + chance.choice((-1, 0, 0, 1))), (1 << bits) - 1)
    if chance.random() < 0.4:
        return low, low
    high = chance.choice((chance.choice(edges), low + chance.randrange(1, 8), low + 63))
    return min(low, high), min(max(low, high), (1 << bits) - 1)


def _ranges(chance: Random, bits: int) -> Ranges:
    """Return the ranges of a sequence, short ones more often, with no more values than a row can have."""
    count = chance.choice((1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7, 9, MOST_UNITS))
    ranges = [_around(chance, bits)]
    while len(ranges) < count:
        tail = chance.choice(TAILS) if bits == 8 and chance.random() < 0.7 else _around(chance, bits)
        ranges.append(tail)
    while _values(ranges) > 1 << 30:
        at = max(range(count), key=lambda place: ranges[place][1] - ranges[place][0])
        low, high = ranges[at]
        ranges[at] = low, (low + high) // 2
    return tuple(ranges)


def _values(ranges: Any) -> int:
    return prod(high - low + 1 for low, high in ranges)


def _changed(chance: Random, ranges: Ranges, bits: int) -> Ranges:
    """Return ranges with one change: one range is cut, moved, widened, replaced, removed or inserted."""
    at = chance.randrange(len(ranges))
    low, high = ranges[at]
    middle = chance.choice((low, (low + high) // 2, max(low, high - 1)))
    step = chance.choice((-1, 1))
    most = (1 << bits) - 1
    one: Callable[[Range], Ranges] = lambda new: (*ranges[:at], new, *ranges[at + 1 :])  # noqa: E731
    return chance.choice(
        (
            lambda: one((low, middle)),
            lambda: one((min(high, middle + 1), high)),
            lambda: one((max(0, low + step), high)) if low + step <= high else ranges,
            lambda: one((low, min(most, high + step))) if low <= high + step else ranges,
            lambda: one(_around(chance, bits)),
            lambda: ranges[:-1] or ranges,
            lambda: (*ranges, chance.choice(TAILS) if bits == 8 else _around(chance, bits))[:MOST_UNITS],
            # What is text may begin something that goes on with anything.
            lambda: (*ranges, _around(chance, bits))[:MOST_UNITS],
        )
    )()


def _first(chance: Random, natural: int, count: int, last: int) -> int:
    """Return the first of so many code points: unchanged, right after the last row, or near some round value."""
    edge = chance.choice(ROUND)
    first = chance.choice((natural, natural, natural, last + 1, edge, edge - count, edge - count // 2))
    if chance.random() < 0.2:
        first = natural + chance.choice((1, 0x20, 0x80, 0x1000, 0x10000, 0x100000))
    return min(max(0, first), LARGEST - count + 1)


# --- forms ------------------------------------------------------------------------------------------------------------


def random_form(chance: Random) -> Form:
    """Return a random form."""
    while True:
        bits = chance.choice((8, 8, 8, 8, 16, 32))
        tables = _of_family(chance, bits) if chance.random() < 0.7 else Tables(_random_rows(chance, bits), [], [])
        for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 5))):
            chance.choice(CHANGES)(chance, tables, bits)
        form = _built(chance, tables, bits)
        if form is not None:
            return form


def early_form(chance: Random) -> Form:
    """Return a form with the first bytes of UTF-8 whose longer sequences begin at lower code points."""
    three = 0x80 + 64 * chance.choice((1, 2, 3, 30, chance.randrange(1, 31)))
    four = three + 0xC800 + chance.choice((0, chance.randrange(0x4000)))
    rows = [
        Row(0, 0x7F, (0, 0x7F)),
        Row(0x80, three - 1, (0xC2, 0xC1 + (three - 0x80) // 64), TAIL),
        Row(three, three + 0x7FF, 0xE0, (0xA0, 0xBF), TAIL),
        Row(three + 0x800, three + 0xC7FF, (0xE1, 0xEC), TAIL, TAIL),
        Row(four, four + 0x2FFFF, 0xF0, (0x90, 0xBF), TAIL, TAIL),
    ]
    return Form("early", rows[: chance.choice((4, 5, 5))])


def _of_family(chance: Random, bits: int) -> Tables:
    forms = [each for each in eightfold.forms() if each.unit_bits == bits]
    forms += [each.form for form in forms for each in form.variants]
    form = chance.choice(forms)
    return Tables([(row.first, row.unit_ranges) for row in form.rows], list(form.units), list(form.names))


def _random_rows(chance: Random, bits: int) -> list[tuple[int, Ranges]]:
    rows: list[tuple[int, Ranges]] = []
    if chance.random() < 0.7:
        low = chance.choice((0, 0, 0, 1, 0x20))
        rows.append((low, ((low, 0x7F),)))
    rows += [(chance.choice(ROUND), _ranges(chance, bits)) for _ in range(chance.randrange(1, 8))]
    return rows


def _drop(chance: Random, tables: Tables, bits: int) -> None:
    table = chance.choice([table for table in tables if table] or [tables.rows])
    if len(table) > 1:
        del table[chance.randrange(len(table))]  # type: ignore[attr-defined]


def _move(chance: Random, tables: Tables, bits: int) -> None:
    """Give a row and those after it other code points, as an offset or a gap would."""
    at = chance.randrange(len(tables.rows))
    step = chance.choice((-0x80, -1, 1, 0x20, 0x80, 0x800, 0x10000, 0x100000, 0x200000, 0x7FFFFFFF))
    behind = len(tables.rows) if chance.random() < 0.4 else at + 1
    for place in range(at, behind):
        first, ranges = tables.rows[place]
        tables.rows[place] = max(0, first + step), ranges


def _alter(chance: Random, tables: Tables, bits: int) -> None:
    at = chance.randrange(len(tables.rows))
    first, ranges = tables.rows[at]
    tables.rows[at] = first, _changed(chance, ranges, bits)


def _halve(chance: Random, tables: Tables, bits: int) -> None:
    at = chance.randrange(len(tables.rows))
    first, ranges = tables.rows[at]
    place = chance.randrange(len(ranges))
    low, high = ranges[place]
    if low == high or (place and any(one != other for one, other in ranges[:place])):
        return
    middle = chance.randrange(low, high)
    cut = first + (middle - low + 1) * _values(ranges[place + 1 :])
    tables.rows[at] = first, (*ranges[:place], (low, middle), *ranges[place + 1 :])
    tables.rows.insert(at + 1, (cut, (*ranges[:place], (middle + 1, high), *ranges[place + 1 :])))


def _add_row(chance: Random, tables: Tables, bits: int) -> None:
    known = [ranges for _, ranges in tables.rows]
    own = ((0x80, 0xFF),), PAIR, SURROGATE, ((0xF8, 0xFB), TAIL, TAIL, TAIL, TAIL)
    ranges = chance.choice(
        (
            _ranges(chance, bits),
            _changed(chance, chance.choice(known), bits),
            chance.choice(own) if bits == 8 else _ranges(chance, bits),
        )
    )
    first = 0xEF80 if ranges == own[0] and chance.random() < 0.7 else chance.choice(ROUND)
    tables.rows.insert(chance.randrange(len(tables.rows) + 1), (first, ranges))


def _fault_ranges(chance: Random, tables: Tables, bits: int) -> Ranges:
    known = [ranges for _, ranges in tables.rows] + [each.unit_ranges for each in (*tables.units, *tables.names)]
    return chance.choice((_ranges(chance, bits), _changed(chance, chance.choice(known), bits)))


def _fault_row(chance: Random, tables: Tables, bits: int) -> FaultRow:
    kind: Any = chance.choice(list(KINDS))
    ranges = _fault_ranges(chance, tables, bits)
    count, meant = _values(ranges), None
    if chance.random() < 0.5 and count <= 1 << 31:
        first = chance.choice((0, 0x80, 0xD800, 0x110000, LARGEST - count + 1))
        meant = min(first, LARGEST - count + 1), min(first + count - 1, LARGEST)
    return fault_row(kind, *ranges, meant=meant)


def _add_name(chance: Random, tables: Tables, bits: int) -> None:
    tables.names.insert(chance.randrange(len(tables.names) + 1), _fault_row(chance, tables, bits))


def _add_surrogates(chance: Random, tables: Tables, bits: int) -> None:
    """Add the surrogates to the tables as a row, a unit or a name, in random ranges."""
    ranges: Ranges = SURROGATE if bits == 8 else ((0xD800, 0xDFFF),)
    if chance.random() < 0.5:
        lead = chance.choice(EDGES[bits][4:])
        ranges = chance.choice(
            (((lead, lead), (0xA0, 0xBF), TAIL), ((0x80, 0x87), (0x00, 0xFF)), (TAIL, (0x60, 0x7F), TAIL))
        )
        if _values(ranges) != 0x800:
            return
    where = chance.randrange(3)
    if where == 0:
        tables.rows.append((0xD800, ranges))
    else:
        row = fault_row(chance.choice(("surrogate", "unpaired-surrogate")), *ranges, meant=(0xD800, 0xDFFF))  # type: ignore[arg-type]
        tables[where].insert(0, row)  # type: ignore[arg-type]


def _add_unit(chance: Random, tables: Tables, bits: int) -> None:
    row = _fault_row(chance, tables, bits)
    if bits == 8 and chance.random() < 0.3:
        row = fault_row(row.kind, *chance.choice((PAIR, SURROGATE, SURROGATE[:2], ((0xFE, 0xFF),))))
    if chance.random() < 0.3 and not any(unit.run for unit in tables.units):
        usual = (TAIL, (0xFE, 0xFF)) if bits == 8 else ((0xDC00, 0xDFFF),)
        run = chance.choice((usual, tuple(_around(chance, bits) for _ in range(chance.randrange(1, 3)))))
        row = row._replace(run=run)
    tables.units.insert(chance.randrange(len(tables.units) + 1), row)


CHANGES = (
    _drop,
    _move,
    _move,
    _alter,
    _alter,
    _halve,
    _halve,
    _add_row,
    _add_row,
    _add_name,
    _add_name,
    _add_unit,
    _add_surrogates,
)


def _built(chance: Random, tables: Tables, bits: int) -> Form | None:
    """Return the form of as many of the entries as fit together."""
    rules: dict[str, Any] = {
        "unit_bits": bits,
        "longest_match": chance.random() < 0.5,
        "joins_pairs": chance.random() < 0.4,
        "byte_order": chance.choice(("little", "big")),
        "decode_only": chance.random() < 0.1,
    }
    form: Form | None = None
    kept: dict[str, list[Any]] = {"rows": [], "units": [], "names": []}
    last = -1
    for natural, ranges in tables.rows[:MOST_ROWS]:
        for _ in range(4):
            count = _values(ranges)
            if count > LARGEST or any(high >= 1 << bits for _, high in ranges):
                break
            first = natural if chance.random() < 0.8 else _first(chance, natural, count, last)
            first = min(first, LARGEST - count + 1)
            grown = _grown(kept, "rows", Row(first, first + count - 1, *ranges), rules)
            if grown is not None:
                form, last = grown, first + count - 1
                break
    if form is None:
        return None
    for table, entries in (("units", tables.units), ("names", tables.names)):
        for entry in entries:
            form = _grown(kept, table, entry, rules) or form
    return form


def signed(form: Form, chance: Random) -> Form:
    """Return the form with a mark that may begin an input."""
    mark = Pieces(form, chance).next()[:4] if chance.random() < 0.9 else b""
    signature = Signature(mark, form, counted=chance.random() < 0.5)
    return Form(
        "signed",
        form.rows,
        unit_bits=form.unit_bits,  # type: ignore[arg-type]
        byte_order=form.byte_order,
        longest_match=form.longest_match,
        decode_only=form.decode_only,
        signatures=(signature,),
    )


def _grown(kept: dict[str, list[Any]], table: str, entry: Any, rules: dict[str, Any]) -> Form | None:
    kept[table].append(entry)
    try:
        return Form("random", **kept, **rules)
    except ValueError:
        kept[table].pop()
        return None


# --- inputs -----------------------------------------------------------------------------------------------------------


class Pieces:
    """The parts from which the inputs of a form are assembled."""

    def __init__(self, form: Form, chance: Random) -> None:
        self.form = form
        self.chance = chance
        self.entries = (*form.rows, *form.rows, *form.units, *form.names)
        self.borders = [unit for each in classes(form) for unit in (each.start, each.stop - 1)]

    def of(self, units: Any) -> bytes:
        return b"".join(unit.to_bytes(self.form.unit_bytes, self.form.byte_order) for unit in units)

    def entry(self) -> list[int]:
        """Return a sequence of some row, unit or name: the first, the last or any other."""
        chance, entry = self.chance, self.chance.choice(self.entries)
        pick = chance.choice((min, max, lambda bounds: chance.choice(bounds), lambda bounds: chance.randint(*bounds)))
        return [pick(bounds) for bounds in entry.unit_ranges]

    def border(self) -> list[int]:
        return [self.chance.choice(self.borders)]

    def changed(self) -> list[int]:
        """Return a sequence that is truncated, or has one unit replaced or inserted."""
        units = self.entry()
        at = self.chance.randrange(len(units))
        if self.chance.random() < 0.4:
            return units[:at]
        return units[:at] + self.border() + units[at + self.chance.randrange(2) :]

    def run(self) -> list[int]:
        """Return a sequence with units that may continue it, or one part repeated many times."""
        unit = self.form.run_unit
        if unit is not None and self.chance.random() < 0.7:
            members = [
                self.chance.randint(*self.chance.choice(unit.run)) for _ in range(self.chance.choice((1, 9, 70)))
            ]
            return [self.chance.randint(*bounds) for bounds in unit.unit_ranges] + members
        return self.chance.choice((self.entry, self.border, self.changed))() * self.chance.choice((2, 7, 33, 70))

    def plain(self) -> list[int]:
        return [self.chance.randrange(0x20, 0x7F)] * self.chance.choice((1, 2, 7, 15, self.chance.randrange(131)))

    def next(self) -> bytes:
        kinds = (self.entry, self.entry, self.entry, self.changed, self.changed, self.border, self.plain, self.run)
        piece = self.of(self.chance.choice(kinds)())
        # Part of a unit.
        return piece[: -self.chance.randrange(1, 4)] if self.chance.random() < 0.03 else piece


def random_input(form: Form, chance: Random) -> bytes:
    """Return bytes that touch the form's tables, well-formed or not: a few to a few hundred."""
    pieces = Pieces(form, chance)
    count = chance.choice((1, 2, 3, 5, 8))
    before = pieces.of(pieces.plain()) if chance.random() < 0.5 else b""
    data = before + b"".join(pieces.next() for _ in range(count))
    return data[: chance.randrange(len(data) + 1)] if chance.random() < 0.15 else data[:1500]


def long_input(form: Form, chance: Random) -> bytes:
    """Return some thousands of bytes with foreign sequences near a border of the core's chunks."""
    pieces = Pieces(form, chance)
    filler = pieces.of(chance.choice((pieces.plain, pieces.entry))()) or b"a" * form.unit_bytes
    border = chance.choice((512, 1024, 4096, 8192, 8192, 16384))
    before = filler * (border // len(filler) + 1)
    strangers = b"".join(pieces.next() for _ in range(chance.randrange(1, 4)))[:300]
    return before[: border - chance.randrange(24)] + strangers + filler * chance.randrange(3)


def random_points(form: Form, chance: Random) -> list[int]:
    """Return code points at the edges of a form's rows, some of them beyond Unicode."""
    edges = [edge + step for row in form.rows for edge in (row.first, row.last) for step in (-1, 0, 0, 1)]
    edges += [*ROUND, 0xDBFF, 0xDC00, 0xDCFF, 0xDFFF, 0xFFFF, 0x10FFFF]
    known = [point for point in edges if 0 <= point <= LARGEST]
    points: list[int] = []
    for _ in range(chance.choice((1, 2, 4, 8))):
        row = chance.choice(form.rows)
        points += chance.choice(
            (
                [chance.choice(known)],
                [chance.choice(known), chance.choice(known)],
                [chance.randint(row.first, row.last)] * chance.choice((1, 3, 40)),
                [0xD83D, 0xDE00],
                [chance.choice((0xD800, 0xDBFF, 0xDC00, 0xDC80, 0xDFFF))] * chance.choice((1, 2)),
                [chance.randrange(0x20, 0x7F)] * chance.randrange(70),
            )
        )
    return points


def text_of(points: list[int]) -> str:
    """Return the code points that a str can hold."""
    return "".join(chr(point) for point in points if point <= 0x10FFFF)
