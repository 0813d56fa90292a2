"""The classes of code units that a form's tables distinguish, and the strings made of one unit of each class.

Derived from the rows, the decoding units and the names: two units of one class fit the same entries at the same places,
so that one of them stands for all. A test that tries all such strings covers all of the form's tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

from eightfold import FaultRow, Form


def classes(form: Form) -> tuple[range, ...]:
    """Return the values of a code unit, cut wherever a range of some entry of the form begins or ends."""
    entries = (*form.rows, *form.units, *form.names)
    ranges = [each for entry in entries for each in entry.unit_ranges]
    ranges += [each for entry in entries if isinstance(entry, FaultRow) for each in entry.run]
    cuts = sorted({0, 1 << form.unit_bits, *(low for low, _ in ranges), *(high + 1 for _, high in ranges)})
    return tuple(range(low, high) for low, high in pairwise(cuts))


def representatives(form: Form) -> tuple[bytes, ...]:
    """Return the first unit of each class, as bytes in the form's byte order."""
    return tuple(each.start.to_bytes(form.unit_bytes, form.byte_order) for each in classes(form))


def strings(form: Form, longest: int) -> Iterator[bytes]:
    """Yield every string of up to ``longest`` representatives, each also with every incomplete unit at its end."""
    leftovers = tuple(b"\xdc" * count for count in range(form.unit_bytes))
    for length in range(longest + 1):
        for units in product(representatives(form), repeat=length):
            for leftover in leftovers:
                yield b"".join(units) + leftover


def neighbours(form: Form) -> Iterator[bytes]:
    """Yield each entry of the form, however long, with one change: one unit removed, inserted or replaced.

    Insertions and replacements use a unit of each class; entries also stand before each other. This reaches sequences
    that are longer than all strings of a few units.
    """
    units = representatives(form)
    entries = [_first_sequence(form, entry.unit_ranges) for entry in (*form.rows, *form.units, *form.names)]
    for entry in entries:
        for at in range(len(entry) + 1):
            before, after = b"".join(entry[:at]), b"".join(entry[at:])
            yield before
            for unit in units:
                yield before + unit
                yield before + unit + after
                yield before + unit + b"".join(entry[at + 1 :])
    for one, other in product(entries, repeat=2):
        yield b"".join((*one, *other))
        yield b"".join((*one[:-1], *other))


def _first_sequence(form: Form, unit_ranges: tuple[tuple[int, int], ...]) -> tuple[bytes, ...]:
    return tuple(low.to_bytes(form.unit_bytes, form.byte_order) for low, _ in unit_ranges)
