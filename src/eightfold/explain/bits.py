"""Code units in binary with their payload bits, which determine the code point, in brackets.

The payload bits follow from the ranges of a form's rows alone. At each place, in sequences of the same number of units,
the leading bits that never change are markers; the others are payload:

    UTF-8, three units      E0-EF 80-BF 80-BF           1110[....] 10[......] 10[......]
    UTF-16, two units       D800-DBFF DC00-DFFF         110110[..........] 110111[..........]

A row that has a marker, but shares none with the others of its length, is treated alone: the escapes of XTF-8, 80-FF,
are 1[.......] beside ASCII's 0[.......]. The payload bits of a sequence are then a number that differs from the code
point by a constant for each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eightfold.faults import Fault
from eightfold.forms import FaultRow, Form, Row
from eightfold.forms.rows import Range
from eightfold.reference import unit_at


def payload_widths(form: Form, entry: Row | FaultRow) -> tuple[int, ...]:
    """Return for each unit of a row the number of payload bits, which are its lowest bits.

    >>> from eightfold.forms import form
    >>> [payload_widths(form("utf-8"), row) for row in form("utf-8").rows[:3]]
    [(7,), (5, 6), (4, 6, 6)]
    """
    if entry.first is None:
        return (0,) * len(entry.unit_ranges)
    alike = [row.unit_ranges for row in form.rows if len(row.unit_ranges) == len(entry.unit_ranges)]
    return tuple(
        _payload_width(form.unit_bits, alone, at_this_place)
        for alone, *at_this_place in zip(entry.unit_ranges, *alike, strict=True)
    )


def _payload_width(unit_bits: int, alone: Range, at_this_place: Sequence[Range]) -> int:
    together = _changing((alone, *at_this_place))
    every_row_has_a_marker = all(_changing((each,)) < unit_bits for each in (alone, *at_this_place))
    return _changing((alone,)) if together == unit_bits and every_row_has_a_marker else together


def _changing(ranges: Iterable[Range]) -> int:
    """Return the number of bits, from the lowest, that are not the same in all values of ranges."""
    lows, highs = zip(*ranges, strict=True)
    changing: int = (min(lows) ^ max(highs)).bit_length()
    return changing


def marked_bits(form: Form, entry: Row | FaultRow | None, sequence: bytes) -> str:
    r"""Return a sequence in binary, unit by unit, with payload bits in brackets; without an entry, none are marked.

    A sequence that is cut short has fewer units than its entry; one without a fixed length may have more. The bytes of
    an incomplete unit are shown one by one.

    >>> from eightfold.forms import form
    >>> marked_bits(form("utf-8"), form("utf-8").rows[1], b"\xc3\xa9")
    '110[00011] 10[101001]'
    """
    units = _units(form, sequence)
    left_over = sequence[len(units) * form.unit_bytes :]
    widths = (*(payload_widths(form, entry) if entry else ()), *(0,) * len(units))
    shown = [_marked(unit, form.unit_bits, width) for unit, width in zip(units, widths, strict=False)]
    return " ".join([*shown, *(f"{byte:08b}" for byte in left_over)])


def _marked(unit: int, unit_bits: int, payload_width: int) -> str:
    digits = f"{unit:0{unit_bits}b}"
    marker_width = unit_bits - payload_width
    return f"{digits[:marker_width]}[{digits[marker_width:]}]" if payload_width else digits


def entry_of_sequence(form: Form, sequence: bytes) -> Row:
    r"""Return the row of a well-formed sequence.

    >>> from eightfold.forms import form
    >>> entry_of_sequence(form("utf-8"), b"\xc3\xa9")
    Row(U+0080-U+07FF: C2-DF 80-BF)
    """
    units = _units(form, sequence)
    fitting = (row for row in form.rows if len(row.unit_ranges) == len(units))
    return next(row for row in fitting if _fitted(row, units) == len(units))


def entry_of_fault(form: Form, fault: Fault) -> Row | FaultRow | None:
    r"""Return the entry that the units of a fault begin: the fault row of its kind, any row if truncated, or None.

    >>> from eightfold.forms import form
    >>> entry_of_fault(form("utf-8"), Fault("overlong", "utf-8", 0, 2, b"\xc0\xaf")).source
    'utf8(7), c0-c1'
    """
    units = _units(form, fault.units)
    entries: list[Row | FaultRow] = [entry for entry in (*form.units, *form.names) if entry.kind == fault.kind]
    entries += form.rows if fault.kind == "truncated" else ()
    best = max(entries, key=lambda entry: _fitted(entry, units), default=None)
    return best if best and _fitted(best, units) else None


def source_of_lack(form: Form, code_point: int) -> str:
    """Return the source of the rule that excludes a code point from a form.

    >>> from eightfold.forms import form
    >>> source_of_lack(form("utf-8"), 0xD800)
    'utf8(7), eda0-edbf'
    """
    meaning_it = [
        (entry.last - entry.first, entry.source)
        for entry in (*form.units, *form.names)
        if entry.first is not None and entry.last is not None and entry.first <= code_point <= entry.last
    ]
    return min(meaning_it, default=(0, form.source))[1]


def _units(form: Form, sequence: bytes) -> list[int]:
    """Return the whole code units of a sequence."""
    found = (unit_at(form, sequence, start) for start in range(0, len(sequence), form.unit_bytes))
    return [unit for unit in found if unit is not None]


def _fitted(entry: Row | FaultRow, units: Sequence[int]) -> int:
    """Return how many units, from the first, fit the ranges of an entry."""
    count = 0
    for (low, high), unit in zip(entry.unit_ranges, units, strict=False):
        if not low <= unit <= high:
            break
        count += 1
    return count
