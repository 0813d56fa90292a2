"""Forms with one fault planted, as an implementer might make it: each must fail at least one vector.

For each row: missing, every value off by one, the first or the last code point refused, two digits exchanged, one unit
too many or too few accepted at each position, and each span of a sequence cut short one off, swallowed or dropped. The
ill-formed sequences that have a name or are one decoding unit are treated alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

from eightfold import FaultRow, Form, Row, reference
from eightfold.reference import Decoded
from generator.answers import Machine

Entry = Row | FaultRow
Ranges = tuple[tuple[int, int], ...]
VERDICT, REPLACING, NAMING, ENCODING = ("decode",), ("replace",), ("faults",), ("encode",)
READING = (VERDICT, REPLACING)
EVERY_READING = ("decode", "replace")


class Mutant(NamedTuple):
    """A fault planted in one entry of a form.

    Attributes:
        fault: what is wrong, in words.
        entry: the entry that it touches.
        operations: those that may notice.
        machine: the form with the fault.
    """

    fault: str
    entry: Entry
    operations: tuple[str, ...]
    machine: Machine


def mutants(form: Form, mark: bytes) -> Iterator[Mutant]:
    """Yield every mutant of a form, row by row."""
    for row in form.rows:
        yield from _of_sequence(form, mark, row)
        yield from _of_values(form, mark, row)
        if not form.decode_only:
            yield from _of_encoding(form, mark, row)
    for unit in form.units:
        yield from _of_sequence(form, mark, unit)
        yield from _of_run(form, mark, unit)
    for name in form.names:
        yield from _of_name(form, mark, name)


# --- tables with a change ---------------------------------------------------------------------------------------------


def altered(form: Form, **tables: Sequence[Entry]) -> Any:
    """Return what the reference reads of a form, with other tables: no check refuses them."""
    facts = {**vars(form), "unit_bytes": form.unit_bytes, "derived": {}, **tables}
    facts["sequences"] = (*facts["rows"], *facts["units"])
    facts["run_unit"] = next((unit for unit in facts["units"] if unit.run), None)
    return SimpleNamespace(**facts)


def unchecked_row(first: int, ranges: Ranges) -> Row:
    """Return a row that need not prove itself."""
    row = Row.__new__(Row)
    for name, fact in {"first": first, "last": first, "source": "", "unit_ranges": ranges}.items():
        object.__setattr__(row, name, fact)
    return row


def _without(form: Form, entry: Entry) -> Any:
    tables = {"rows": form.rows, "units": form.units, "names": form.names}
    return altered(form, **{name: tuple(e for e in table if e is not entry) for name, table in tables.items()})


def _units(form: Form, data: bytes, at: int, count: int) -> list[int]:
    units = (reference.unit_at(form, data, at + place * form.unit_bytes) for place in range(count))
    return [unit for unit in units if unit is not None]


def _fitting(ranges: Ranges, units: Sequence[int]) -> int:
    for count, ((low, high), unit) in enumerate(zip(ranges, units, strict=False)):
        if not low <= unit <= high:
            return count
    return min(len(ranges), len(units))


def _begins(form: Form, ranges: Ranges) -> Callable[[Any, int], bool]:
    """Return whether units of these very ranges stand at a place."""

    def begins(data: bytes, at: int) -> bool:
        units = _units(form, data, at, len(ranges))
        return len(units) == len(ranges) == _fitting(ranges, units)

    return begins


# --- faults in what is accepted ---------------------------------------------------------------------------------------


def _corners(ranges: Ranges) -> tuple[Ranges, Ranges]:
    return tuple((low, low) for low, _ in ranges), tuple((high, high) for _, high in ranges)


def _of_sequence(form: Form, mark: bytes, entry: Entry) -> Iterator[Mutant]:
    ranges, without = entry.unit_ranges, _without(form, entry)

    def missing(fault: str, where: Ranges) -> Mutant:
        return Mutant(fault, entry, EVERY_READING, Machine(form, mark, without, _begins(form, where)))

    yield Mutant("is missing", entry, EVERY_READING, Machine(without, mark))
    for said, corner in zip(("first", "last"), _corners(ranges), strict=True):
        yield missing(f"refuses its {said} sequence", corner)
    for at, (low, high) in enumerate(ranges):
        for unit in dict.fromkeys((low, high)):
            yield missing(f"refuses {unit:02X} at {at}", (*ranges[:at], (unit, unit), *ranges[at + 1 :]))
        for unit in (low - 1, high + 1):
            if 0 <= unit < 1 << form.unit_bits:
                yield _accepting(form, mark, entry, at, unit)
    yield from _of_spans(form, mark, entry)


def _accepting(form: Form, mark: bytes, entry: Entry, at: int, unit: int) -> Mutant:
    ranges = (*entry.unit_ranges[:at], (unit, unit), *entry.unit_ranges[at + 1 :])
    if isinstance(entry, Row):
        other = altered(form, rows=(*form.rows, unchecked_row(entry.first, ranges)))
    else:
        other = altered(form, units=(*form.units, entry._replace(unit_ranges=ranges, run=())))
    return Mutant(f"accepts {unit:02X} at {at}", entry, EVERY_READING, Machine(other, mark))


def _of_run(form: Form, mark: bytes, entry: FaultRow) -> Iterator[Mutant]:
    for place, (low, high) in enumerate(entry.run):
        others = entry.run[:place] + entry.run[place + 1 :]
        runs = {"has no": (), "is too short at the start of": ((low + 1, high),), "ends early in": ((low, high - 1),)}
        runs |= {"goes on before": ((low - 1, high),)}
        runs |= {"goes on after": ((low, high + 1),)} if high + 1 < 1 << form.unit_bits else {}
        for fault, run in runs.items():
            changed = entry._replace(run=tuple(each for each in (*others, *run) if each[0] <= each[1]))
            other = altered(form, units=tuple(changed if unit is entry else unit for unit in form.units))
            yield Mutant(f"{fault} its run {low:02X}-{high:02X}", entry, EVERY_READING, Machine(other, mark))


# --- faults in values and spans ---------------------------------------------------------------------------------------


def _of_values(form: Form, mark: bytes, row: Row) -> Iterator[Mutant]:
    is_here = _begins(form, row.unit_ranges)

    def amended(change: Callable[[Row, int], int | None]) -> Machine:
        def amend(data: bytes, at: int, step: Decoded) -> Decoded:
            whole = step.end - at == len(row.unit_ranges) * form.unit_bytes
            if step.code_point is None or not whole or not is_here(data, at):
                return step
            return step._replace(code_point=change(row, step.code_point))

        return Machine(form, mark, amend=amend)

    yield Mutant("has each value off by one", row, EVERY_READING, amended(lambda _, point: point + 1))
    for place in _exchangeable(row):
        change = lambda row, point, place=place: exchanged(row, point, place)  # noqa: E731
        yield Mutant(f"has digits {place} and {place + 1} exchanged", row, EVERY_READING, amended(change))


def _exchangeable(row: Row) -> list[int]:
    widths = [high - low + 1 for low, high in row.unit_ranges]
    return [place for place in range(len(widths) - 1) if min(widths[place : place + 2]) > 1]


def exchanged(row: Row, point: int, place: int) -> int:
    """Return the code point whose digits at ``place`` and after it are exchanged, or the same where they do not fit.

    >>> hex(exchanged(Row(0x80, 0x7FF, (0xC2, 0xDF), (0x80, 0xBF)), 0x80 + 64 * 3 + 7, 0))
    '0x243'
    """
    units = list(reference.units_of(row, point))
    (low, high), (next_low, next_high) = row.unit_ranges[place : place + 2]
    one, other = low + units[place + 1] - next_low, next_low + units[place] - low
    if one > high or other > next_high:
        return point
    units[place], units[place + 1] = one, other
    return reference.value(row.first, row.unit_ranges, units)


def _of_spans(form: Form, mark: bytes, entry: Entry) -> Iterator[Mutant]:
    """Yield faults in how much is taken where the sequence breaks off after each number of units."""
    whole = len(entry.unit_ranges)
    for count in range(1, whole + isinstance(entry, FaultRow)):
        size = count * form.unit_bytes
        for change in (-form.unit_bytes, form.unit_bytes)[count == 1 :]:
            amend = _misjudging(form, entry, size, change)
            fault = f"after {size} bytes the unit ends {change:+d} bytes off"
            for operations in READING:
                yield Mutant(fault, entry, operations, Machine(form, mark, amend=amend))
        if count < whole:
            amend = _dropping(form, entry, size)
            fault = f"{size} bytes at the end are dropped"
            for operations in READING:
                yield Mutant(fault, entry, operations, Machine(form, mark, amend=amend))


def _misjudging(form: Form, entry: Entry, size: int, change: int) -> Callable[[bytes, int, Decoded], Decoded]:
    """Return what takes too little or too much of a cut sequence; or all of it, where it is not one unit."""

    def amend(data: bytes, at: int, step: Decoded) -> Decoded:
        if not _is_cut(form, entry, data, at, size):
            return step
        if step.code_point is None and step.end - at == size:
            return Decoded(min(len(data), step.end + change), None)
        return Decoded(at + size, None)

    return amend


def _is_cut(form: Form, entry: Entry, data: bytes, at: int, size: int) -> bool:
    units = _units(form, data, at, len(entry.unit_ranges))
    return _fitting(entry.unit_ranges, units) * form.unit_bytes == size


def _dropping(form: Form, entry: Entry, size: int) -> Callable[[bytes, int, Decoded], Decoded]:
    """Return what passes over a sequence that the end of the input cuts short."""
    nothing = -1

    def amend(data: bytes, at: int, step: Decoded) -> Decoded:
        dropped = at + size == len(data) and _is_cut(form, entry, data, at, size)
        return Decoded(len(data), nothing) if dropped else step

    return amend


# --- faults in names --------------------------------------------------------------------------------------------------


def _of_name(form: Form, mark: bytes, name: FaultRow) -> Iterator[Mutant]:
    ranges, without = name.unit_ranges, _without(form, name)
    for corner in dict.fromkeys(_corners(ranges)):
        other = altered(form, rows=(*form.rows, unchecked_row(0, corner)))
        yield Mutant("is accepted", name, VERDICT, Machine(other, mark))
    for size in range(2, len(ranges) + 1):
        yield Mutant(
            f"{size} bytes are replaced at once", name, REPLACING, Machine(form, mark, amend=_taking(form, name, size))
        )
    yield Mutant("is missing", name, NAMING, Machine(without, mark))
    for said, corner in zip(("first", "last"), _corners(ranges), strict=True):
        yield Mutant(f"lacks its {said} sequence", name, NAMING, Machine(form, mark, without, _begins(form, corner)))
    if name.first is not None:
        changed = name._replace(first=name.first + 1)
        other = altered(form, names=tuple(changed if each is name else each for each in form.names))
        yield Mutant("means another code point", name, NAMING, Machine(other, mark))
    for count in range(1, len(ranges) + 1):
        for change in (-form.unit_bytes, form.unit_bytes):
            yield _amended_fault(form, mark, name, count * form.unit_bytes, change)


def _taking(form: Form, name: FaultRow, size: int) -> Callable[[bytes, int, Decoded], Decoded]:
    def amend(data: bytes, at: int, step: Decoded) -> Decoded:
        taken = step.code_point is None and _is_cut(form, name, data, at, size * form.unit_bytes)
        return Decoded(at + size * form.unit_bytes, None) if taken else step

    return amend


def _amended_fault(form: Form, mark: bytes, name: FaultRow, size: int, change: int) -> Mutant:
    def amend(data: bytes, at: int, end: int) -> int:
        if end - at != size or not _is_cut(form, name, data, at, size):
            return end
        return min(len(data), end + change)

    fault = f"a fault of {size} bytes ends {change:+d} bytes off"
    return Mutant(fault, name, NAMING, Machine(form, mark, amend_fault=amend))


# --- faults in encoding -----------------------------------------------------------------------------------------------


def _of_encoding(form: Form, mark: bytes, row: Row) -> Iterator[Mutant]:
    without = _without(form, row)
    yield Mutant("is not written", row, ENCODING, Machine(without, mark))
    for point in dict.fromkeys((row.first, row.last)):
        departs = lambda points, at, point=point: points[at] == point  # noqa: E731
        yield Mutant(f"does not write U+{point:04X}", row, ENCODING, Machine(form, mark, without, departs))
    shifted = unchecked_row(row.first, row.unit_ranges)
    object.__setattr__(shifted, "first", row.first - 1)
    object.__setattr__(shifted, "last", row.last - 1)
    rows = tuple(shifted if each is row else each for each in form.rows)
    yield Mutant("is written one off", row, ENCODING, Machine(altered(form, rows=rows), mark))
    yield from _of_written_digits(form, mark, row)
    for point in (row.first - 1, row.last + 1):
        if point >= 0 and reference.encoded(form, point) is None:
            extra = unchecked_row(point, tuple((low, low) for low, _ in row.unit_ranges))
            other = altered(form, rows=(*form.rows, extra))
            yield Mutant(f"writes U+{point:04X}", row, ENCODING, Machine(other, mark))


def _of_written_digits(form: Form, mark: bytes, row: Row) -> Iterator[Mutant]:
    """Yield rows that write a code point in the middle as if two of its digits were exchanged."""
    for middle in (reference.value(row.first, row.unit_ranges, units) for units in middles(row)):
        for place in _exchangeable(row):
            point = exchanged(row, middle, place)
            if point != middle:
                units = reference.units_of(row, point)
                wrong = unchecked_row(middle, tuple((unit, unit) for unit in units))
                other = altered(form, rows=(wrong, *form.rows))
                yield Mutant(f"writes digits {place} and {place + 1} exchanged", row, ENCODING, Machine(other, mark))


def middles(entry: Entry) -> list[list[int]]:
    """Return two sequences whose neighbouring digits differ where the ranges allow it: all different, and in turn.

    >>> middles(Row(0x80, 0x7FF, (0xC2, 0xDF), (0x80, 0xBF)))
    [[195, 135], [195, 128]]
    """
    digits = [1 + 6 * place for place in range(len(entry.unit_ranges))], [1, 0] * len(entry.unit_ranges)
    return [
        [low + digit % (high - low + 1) for (low, high), digit in zip(entry.unit_ranges, each, strict=False)]
        for each in digits
    ]
