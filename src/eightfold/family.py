"""Compares forms: which form contains which, and which conversions are lossless. Derived from the tables, not listed.

Both questions concern infinitely many texts, but finite checks answer them. A form reads a text as it was written
unless a longer entry of its table, a row or a decoding unit, matches the first units of several sequences together.
An entry spans few units, so a few adjacent code points decide. They are found as sets: for each place, the code points
whose sequences fit there, without those that are never adjacent in well-formed text.

Forms whose code units differ in width or byte order do not contain each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import NamedTuple

from eightfold.arguments import AnyForm
from eightfold.forms import Form, Row, forms
from eightfold.forms import form as form_named
from eightfold.forms.rows import Range
from eightfold.points import Points, points_common, points_of, points_within, points_without
from eightfold.reference import LEADS, TRAILS, signed
from eightfold.sharing import common_ranges, values_agree

Places = tuple[Points, ...]
"""A set of texts of equal length: for each place, the code points that may stand there."""


class Comparison(NamedTuple):
    """How a form compares with the other built-in forms, which are given by name.

    >>> compared("optu-8").lossless_to
    ['generalized-utf-8', 'utf-8-rfc2044', 'optu-16', 'optu-16-le', 'optu-16-be']

    Attributes:
        contains: the forms that it contains, see :func:`contains`.
        contained_in: the forms that contain it.
        lossless_to: the forms to which every text of it converts without loss, see :func:`is_lossless`.
        lost: for every other form, code points that do not round-trip through it, see :func:`lost`.
    """

    contains: list[str]
    contained_in: list[str]
    lossless_to: list[str]
    lost: dict[str, tuple[int, ...]]


def compared(form: AnyForm) -> Comparison:
    """Compare a form with all other built-in forms.

    Args:
        form: a Form or its name.

    Raises:
        LookupError: unknown form.

    >>> compared("wtf-8").contained_in
    ['generalized-utf-8', 'utf-8-rfc2044']
    """
    one = form_named(form)
    others = [each for each in forms() if each is not one]
    found = {each.name: lost(one, each) for each in others}
    return Comparison(
        [each.name for each in others if contains(one, each)],
        [each.name for each in others if contains(each, one)],
        [name for name, points in found.items() if points is None],
        {name: points for name, points in found.items() if points is not None},
    )


def contains(outer: AnyForm, inner: AnyForm) -> bool:
    """Return whether every well-formed text of `inner` is well-formed in `outer` too, with the same code points.

    Args:
        outer, inner: Forms or names.

    Raises:
        LookupError: unknown form.

    >>> contains("wtf-8", "utf-8"), contains("generalized-utf-8", "wtf-8"), contains("wtf-8", "generalized-utf-8")
    (True, True, False)
    """
    reader, writer = form_named(outer), form_named(inner)
    marked = {each.mark: each.form for each in writer.signatures}
    unmarked = [each for each in reader.signatures if each.mark not in marked]
    return (
        marked.keys() <= {each.mark for each in reader.signatures}
        and not any(_begins(signed(writer)[0], each.mark) for each in unmarked)
        and all(_reads_alike(each.form, marked[each.mark]) for each in reader.signatures if each.mark in marked)
        and _reads_alike(signed(reader)[0], signed(writer)[0])
    )


def is_lossless(source: AnyForm, target: AnyForm) -> bool:
    """Return whether every well-formed text of `source` round-trips through `target`.

    Args:
        source, target: Forms or names.

    Raises:
        LookupError: unknown form.

    >>> is_lossless("utf-8", "cesu-8"), is_lossless("wtf-8", "utf-8"), is_lossless("generalized-utf-8", "wtf-8")
    (True, False, False)
    """
    return lost(source, target) is None


def lost(source: AnyForm, target: AnyForm) -> tuple[int, ...] | None:
    """Return code points of a text of `source` that do not round-trip through `target`, or None if all do.

    The target cannot write them, joins them, or reads them as other code points.

    Args:
        source, target: Forms or names.

    Raises:
        LookupError: unknown form.

    >>> [f"{point:04X}" for point in lost("generalized-utf-8", "wtf-8")]
    ['D800', 'DC00']
    >>> [f"{point:04X}" for point in lost("utf-8", "xtf-8")]
    ['EFC2', 'EF80']
    """
    asked, written = form_named(source), signed(form_named(target))[0]
    for plain in dict.fromkeys(each.form for each in asked.signatures) or (asked,):
        found = _unwritable(plain, written) or _joined(plain, written) or _misread(plain, written, written)
        if found:
            return found
    return None


def _unwritable(source: Form, target: Form) -> tuple[int, ...] | None:
    missing = points_without(points_of(source.rows), points_of(target.rows))
    return (missing[0].start,) if missing else None


def _joined(source: Form, target: Form) -> tuple[int, ...] | None:
    return _text_from(source, ((LEADS,), (TRAILS,))) if target.joins_pairs else None


def _reads_alike(reader: Form, writer: Form) -> bool:
    orders = {reader.byte_order, writer.byte_order}
    if reader.unit_bits != writer.unit_bits or (reader.unit_bits > 8 and len(orders) > 1):
        return False
    return all(_has_row(reader, row) for row in writer.rows) and _misread(writer, writer, reader) is None


def _has_row(form: Form, row: Row) -> bool:
    """Return whether a form has rows for every sequence of another form's row, with the same code points."""
    alike = [each for each in _meeting(form, row.unit_ranges) if len(each.unit_ranges) == len(row.unit_ranges)]
    had = tuple(chain.from_iterable(points_within(row, each.unit_ranges) for each in alike))
    return not points_without(points_of((row,)), had) and all(_values_agree(row, each) for each in alike)


def _values_agree(one: Row, other: Row) -> bool:
    """Return whether two rows of equal length give the same code points for all sequences that fit both."""
    common = common_ranges(one, other)
    return not common or values_agree(one, other, common)


def _begins(form: Form, mark: bytes) -> bool:
    """Return whether some well-formed text of a form begins with these bytes."""
    step = form.unit_bytes
    units = [int.from_bytes(mark[at : at + step], form.byte_order) for at in range(0, len(mark), step)]
    ranges = [(unit, unit) for unit in units]
    return any(_text_from(form, places) is not None for places in _sequences(form, ranges))


def _misread(text: Form, writer: Form, reader: Form) -> tuple[int, ...] | None:
    """Return code points of a well-formed text whose sequences a longer entry of the reader matches together."""
    for entry in reader.sequences:
        for places in _sequences(writer, entry.unit_ranges):
            found = _text_from(text, places) if len(places) > 1 else None
            if found:
                return found
    return None


def _sequences(form: Form, ranges: Sequence[Range]) -> Iterator[Places]:
    """Yield the texts whose sequences, one after another, exactly fill the given ranges of units."""
    if not ranges:
        yield ()
    for row in _meeting(form, ranges) if ranges else ():
        fitting = points_within(row, ranges)
        yield from ((fitting, *rest) for rest in _sequences(form, ranges[len(row.unit_ranges) :]))


def _meeting(form: Form, ranges: Sequence[Range]) -> list[Row]:
    """Return the rows with sequences whose units fit ranges, as far as both go: few of many, so this must be cheap."""
    rows = list(form.rows)
    for at, (low, high) in enumerate(ranges):
        rows = [
            row
            for row in rows
            if len(row.unit_ranges) <= at or (row.unit_ranges[at][0] <= high and low <= row.unit_ranges[at][1])
        ]
    return rows


def _text_from(form: Form, places: Places) -> tuple[int, ...] | None:
    """Return code points, one for each place, that are adjacent in some well-formed text of a form, or None."""
    for rows in product(*([row for row in form.rows if points_common(points, points_of((row,)))] for points in places)):
        among = tuple(points_common(points, points_of((row,))) for points, row in zip(places, rows, strict=True))
        found = _outside(among, list(_taken_together(form, rows)))
        if found is not None:
            return found
    return None


def _taken_together(form: Form, rows: Sequence[Row]) -> Iterator[Places]:
    """Yield the texts of these rows that are read otherwise, because a longer entry matches several sequences."""
    for start, row in enumerate(rows):
        for entry in form.sequences:
            ranges, taken = entry.unit_ranges, [points_of((each,)) for each in rows[:start]]
            if len(ranges) > len(row.unit_ranges):
                for each in rows[start:]:
                    taken.append(points_within(each, ranges))
                    ranges = ranges[len(each.unit_ranges) :]
                if not ranges:
                    yield tuple(taken)


def _outside(among: Places, taken: Sequence[Places]) -> tuple[int, ...] | None:
    """Return a text of `among` that is not in `taken`, or None."""
    if not all(among):
        return None
    if not taken:
        return tuple(points[0].start for points in among)
    for at in range(len(among)):
        # The texts that first leave `taken` at this place: inside before it, anything after it.
        inside = tuple(map(points_common, among[:at], taken[0][:at]))
        found = _outside((*inside, points_without(among[at], taken[0][at]), *among[at + 1 :]), taken[1:])
        if found is not None:
            return found
    return None
