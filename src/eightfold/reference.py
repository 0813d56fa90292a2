"""The executable specification: what rows and fault rows mean, one sequence at a time. Nothing here is fast.

It answers four questions: which sequence begins here (:func:`sequence_at`), which fault begins here
(:func:`fault_at`), how is this code point written (:func:`encoded`), and which code point is this pair
(:func:`joined`). Error policies, streams and strings live elsewhere. There is no bit arithmetic: a value is the first
code point of a row plus the mixed-radix index of the units within their ranges.

Source: Unicode 3.9 D93b (maximal subpart); the vocabulary's two views of errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

from eightfold.faults import UNITS_KEPT, Fault, Kind
from eightfold.forms.definition import Form, derived
from eightfold.forms.rows import FaultRow, Range, Row
from eightfold.forms.utf_16 import PAIR

LEADS, TRAILS = (range(low, high + 1) for low, high in PAIR.unit_ranges)
SURROGATES = range(LEADS.start, TRAILS.stop)
SUPPLEMENTARY = range(PAIR.first, PAIR.last + 1)


class Decoded(NamedTuple):
    """One step of decoding: a code point and where its sequence ends, or None for an ill-formed decoding unit."""

    end: int
    code_point: int | None


def value(first: int, unit_ranges: Sequence[Range], units: Sequence[int]) -> int:
    """Return the code point of units that lie within the ranges of a row that begins with ``first``.

    >>> hex(value(0x80, ((0xC2, 0xDF), (0x80, 0xBF)), (0xC3, 0xA9)))
    '0xe9'
    """
    index = 0
    for (low, high), unit in zip(unit_ranges, units, strict=True):
        index = index * (high - low + 1) + (unit - low)
    return first + index


def units_of(row: Row, code_point: int) -> tuple[int, ...]:
    """Return the code units that write a code point of the row: the inverse of :func:`value`.

    >>> [hex(unit) for unit in units_of(PAIR, 0x1F4A9)]
    ['0xd83d', '0xdca9']
    """
    index = code_point - row.first
    units = []
    for low, high in reversed(row.unit_ranges):
        index, digit = divmod(index, high - low + 1)
        units.append(low + digit)
    return tuple(reversed(units))


NO_RUN = (0, 0)
"""The empty span: no known decoding unit without a fixed length."""


def joined(lead: int, trail: int) -> int:
    """Return the supplementary code point of a surrogate pair.

    >>> hex(joined(0xD83D, 0xDCA9))
    '0x1f4a9'
    """
    return value(PAIR.first, PAIR.unit_ranges, (lead, trail))


def unit_at(form: Form, data: bytes, offset: int) -> int | None:
    """Return the code unit at a byte offset, or None if the input ends before the unit does."""
    size = form.unit_bytes
    if offset + size > len(data):
        return None
    return data[offset] if size == 1 else int.from_bytes(data[offset : offset + size], form.byte_order)


def _entries(form: Form, lead: int) -> list[Row | FaultRow]:
    """Return the rows and decoding units that this unit can begin, the longest first."""
    if form.unit_bits > 8:
        return _fitting(form, lead)
    if "entries" not in form.derived:
        form.derived["entries"] = [_fitting(form, byte) for byte in range(256)]
    entries: list[Row | FaultRow] = form.derived["entries"][lead]
    return entries


def _names(form: Form, lead: int) -> list[FaultRow]:
    """Return the names of faults that this unit can begin, in their order."""
    if form.unit_bits > 8:
        return _beginning(form.names, lead)
    by_lead: dict[int, list[FaultRow]] = form.derived.setdefault("names", {})
    if lead not in by_lead:
        by_lead[lead] = _beginning(form.names, lead)
    return by_lead[lead]


def _beginning(names: Sequence[FaultRow], lead: int) -> list[FaultRow]:
    return [name for name in names if _holds(name.unit_ranges[0], lead)]


def _fitting(form: Form, lead: int) -> list[Row | FaultRow]:
    fitting = [entry for entry in form.sequences if _holds(entry.unit_ranges[0], lead)]
    return sorted(fitting, key=lambda entry: -len(entry.unit_ranges))


def _holds(unit_range: Range, unit: int) -> bool:
    return unit_range[0] <= unit <= unit_range[1]


def _matched(form: Form, unit_ranges: Sequence[Range], data: bytes, start: int) -> tuple[int, bool]:
    """Return how many ranges the units from ``start`` fit, and whether the end of the input stopped the match."""
    at = start
    # Compared here and not by `_holds`: that and a width found once made a sequence a fifth quicker.
    for count, (low, high) in enumerate(unit_ranges):
        unit = unit_at(form, data, at)
        if unit is None:
            return count, True
        if not low <= unit <= high:
            return count, False
        at += form.unit_bytes
    return len(unit_ranges), False


def sequence_at(
    form: Form, data: bytes, start: int, *, final: bool = True, run: tuple[int, int] = NO_RUN
) -> Decoded | None:
    r"""Return the sequence that begins at a byte offset: the longest row or decoding unit, else the maximal subpart.

    None means that more input could change the result; with ``final`` the result is never None. ``run`` is the known
    span of the form's decoding unit without a fixed length: see :func:`run_in`.

    >>> from eightfold.forms import form
    >>> sequence_at(form("utf-8"), b"\xc3\xa9", 0), sequence_at(form("utf-8"), b"\xed\xa0\x80", 0)
    (Decoded(end=2, code_point=233), Decoded(end=1, code_point=None))
    >>> sequence_at(form("utf-8"), b"\xc3", 0, final=False) is None
    True
    """
    lead = unit_at(form, data, start)
    if lead is None:
        return Decoded(len(data), None) if final else None
    subpart, cut_by_end = 1, False
    for entry in _entries(form, lead):
        count, at_end = _matched(form, entry.unit_ranges, data, start)
        if at_end and not final:
            return None
        if count == len(entry.unit_ranges):
            return _whole(form, entry, data, start, final, run)
        if isinstance(entry, Row) and count >= subpart:
            subpart, cut_by_end = count, at_end
    # A partial code unit belongs to the sequence that it would have continued.
    end = len(data) if cut_by_end else start + subpart * form.unit_bytes
    return Decoded(end, None) if final or not _begins_surrogate(form, data, start) else None


def _whole(
    form: Form, entry: Row | FaultRow, data: bytes, start: int, final: bool, run: tuple[int, int]
) -> Decoded | None:
    end = start + len(entry.unit_ranges) * form.unit_bytes
    if isinstance(entry, Row):
        units = _units(form, data, start, end)
        return Decoded(end, value(entry.first, entry.unit_ranges, units))
    if entry.run:
        # Where a handler has gone back into the middle of a unit, the units from there on are others.
        is_known = run[0] <= end < run[1] and (end - run[0]) % form.unit_bytes == 0
        end = run_end(form, data, run[1] if is_known else end)
        if not final and len(data) - end < form.unit_bytes:
            return None
    return Decoded(end, None)


def _units(form: Form, data: bytes, start: int, end: int) -> tuple[int, ...]:
    if form.unit_bytes == 1:
        return tuple(data[start:end])
    step = form.unit_bytes
    return tuple(int.from_bytes(data[at : at + step], form.byte_order) for at in range(start, end, step))


def run_end(form: Form, data: bytes, start: int) -> int:
    """Return the end of the units that continue the form's unit without a fixed length; ``start`` if there are none."""
    at = start
    while (unit := unit_at(form, data, at)) is not None and _goes_on(form, unit):
        at += form.unit_bytes
    return at


def _goes_on(form: Form, unit: int) -> bool:
    return form.run_unit is not None and any(_holds(each, unit) for each in form.run_unit.run)


def run_in(form: Form, start: int, end: int) -> tuple[int, int]:
    """Return the span, in a decoding unit, of the units that continue the unit without a fixed length.

    The span is empty if the unit could have a fixed length. A caller that continues inside the unit can pass the span
    to :func:`sequence_at`, which then need not find the end again.
    """
    fixed = max(len(entry.unit_ranges) for entry in form.sequences)
    if form.run_unit is None or end <= start + fixed * form.unit_bytes:
        return NO_RUN
    return start + len(form.run_unit.unit_ranges) * form.unit_bytes, end


def begins_run(form: Form, data: bytes, start: int) -> bool:
    """Return whether the form's decoding unit without a fixed length begins at a byte offset."""
    row = form.run_unit
    return row is not None and _matched(form, row.unit_ranges, data, start)[0] == len(row.unit_ranges)


def run_at(form: Form, data: bytes, start: int) -> int | None:
    """Return the end so far of the form's decoding unit without a fixed length; None if it does not begin there."""
    if form.run_unit is None or not begins_run(form, data, start):
        return None
    return run_end(form, data, start + len(form.run_unit.unit_ranges) * form.unit_bytes)


@derived("surrogate_row")
def surrogate_row(form: Form) -> tuple[Range, ...] | None:
    """Return the unit ranges of the surrogates, U+D800 first, in a form's own tables, or None.

    They come from a row, a unit or a name; ``surrogatepass`` uses them for reading and writing.
    """
    entries = (*form.sequences, *form.names)
    meant = (SURROGATES.start, SURROGATES.stop - 1)
    return next((entry.unit_ranges for entry in entries if (entry.first, entry.last) == meant), None)


def surrogate_at(form: Form, data: bytes, start: int) -> Decoded | None:
    """Return the surrogate at a byte offset according to the form's own tables, or None."""
    ranges = surrogate_row(form)
    if ranges is None or _matched(form, ranges, data, start)[0] < len(ranges):
        return None
    end = start + len(ranges) * form.unit_bytes
    return Decoded(end, value(SURROGATES.start, ranges, _units(form, data, start, end)))


def _begins_surrogate(form: Form, data: bytes, start: int) -> bool:
    """Return whether the input ends inside a surrogate; like CPython, hold it, so `surrogatepass` sees it whole."""
    ranges = surrogate_row(form)
    return ranges is not None and _matched(form, ranges, data, start)[1]


def fault_at(form: Form, data: bytes, start: int, *, final: bool = True, run: tuple[int, int] = NO_RUN) -> Fault | None:
    r"""Return the fault that begins at the byte offset of an ill-formed decoding unit.

    None means that more input could change the result; with ``final`` the result is never None.

    >>> from eightfold.forms import form
    >>> fault = fault_at(form("utf-8"), b"\xc0\xaf", 0)
    >>> fault.kind, fault.end, hex(fault.code_point)
    ('overlong', 2, '0x2f')
    """
    unit = sequence_at(form, data, start, final=final, run=run)
    if unit is None:
        return None
    row, matched = _row_named(form, data, start, unit.end, final=final)
    if matched is None:
        return None
    end: int | None = unit.end
    if row is not None:
        end = _covered(form, data, unit.end, start + matched * form.unit_bytes, final=final)
    if end is None:
        return None
    kind, code_point = _named(form, row, data, start, end)
    at_end = kind == "truncated" and end == len(data)
    if at_end and not final:
        return None
    return Fault(kind, form.name, start, end, data[start : min(end, start + UNITS_KEPT)], code_point, at_end=at_end)


def _row_named(
    form: Form, data: bytes, start: int, unit_end: int, *, final: bool
) -> tuple[FaultRow | None, int | None]:
    """Return the fault row that names the fault, if any, and how many units fit it; the latter None if undecided."""
    lead = unit_at(form, data, start)
    for entry in () if lead is None else _entries(form, lead):
        whole = _matched(form, entry.unit_ranges, data, start)[0] == len(entry.unit_ranges)
        if whole and isinstance(entry, FaultRow):
            return entry, (unit_end - start) // form.unit_bytes
    row, most = None, 0
    for name in () if lead is None else _names(form, lead):
        count, at_end = _matched(form, name.unit_ranges, data, start)
        if count and at_end and not final:
            return None, None
        if count > most:
            row, most = name, count
    if row is None or not _outweighs(form, row, most, data, start, unit_end):
        return None, 0
    return row, most


def _outweighs(form: Form, row: FaultRow, matched: int, data: bytes, start: int, unit_end: int) -> bool:
    """Return whether a fault row is more specific than `truncated`: it matches further, or fully before the end."""
    prefix = _longest_prefix(form, data, start)
    whole = matched == len(row.unit_ranges)
    return matched > prefix or (whole and matched == prefix and unit_end < len(data))


def _longest_prefix(form: Form, data: bytes, start: int) -> int:
    lead = unit_at(form, data, start)
    rows = () if lead is None else (entry for entry in _entries(form, lead) if isinstance(entry, Row))
    return max((_matched(form, row.unit_ranges, data, start)[0] for row in rows), default=0)


def _covered(form: Form, data: bytes, unit_end: int, name_end: int, *, final: bool) -> int | None:
    """Return the end of a fault: whole ill-formed units only, as far as its fault row fits; None if undecided."""
    end = unit_end
    while end < name_end:
        unit = sequence_at(form, data, end, final=final)
        if unit is None and not _outruns(form, data, end, name_end):
            return None
        if unit is None or unit.code_point is not None or unit.end > name_end:
            break
        end = unit.end
    return end


def _outruns(form: Form, data: bytes, start: int, name_end: int) -> bool:
    """Return whether a unit without a fixed length begins here that is already longer than the fault row."""
    end = run_at(form, data, start)
    return end is not None and end > name_end


def _named(form: Form, row: FaultRow | None, data: bytes, start: int, end: int) -> tuple[Kind, int | None]:
    if row is None:
        return _kind_without_row(form, data, start), None
    whole = end - start == len(row.unit_ranges) * form.unit_bytes
    if row.first is None or not whole:
        return row.kind, None
    return row.kind, value(row.first, row.unit_ranges, _units(form, data, start, end))


def begins_row(form: Form, unit: int) -> bool:
    """Return whether a code unit begins some well-formed sequence."""
    return any(_holds(row.unit_ranges[0], unit) for row in form.rows)


def is_itself(form: Form, unit: int) -> bool:
    """Return whether a code unit is the code point of the same value wherever it occurs, and nothing else writes that.

    >>> from eightfold.forms import form
    >>> is_itself(form("mutf-8"), 0x41), is_itself(form("mutf-8"), 0)
    (True, False)
    """
    reaching = [entry for entry in form.sequences if _reaches(entry, unit)]
    return len(reaching) == 1 and isinstance(reaching[0], Row) and _writes_itself(reaching[0], unit)


def _reaches(entry: Row | FaultRow, unit: int) -> bool:
    """Return whether an entry has the unit in a sequence, or writes the code point of the same value."""
    if isinstance(entry, Row) and entry.first <= unit <= entry.last:
        return True
    run = entry.run if isinstance(entry, FaultRow) else ()
    return any(_holds(each, unit) for each in (*entry.unit_ranges, *run))


def _writes_itself(row: Row, unit: int) -> bool:
    return row.first <= unit <= row.last and units_of(row, unit) == (unit,)


def _kind_without_row(form: Form, data: bytes, start: int) -> Kind:
    lead = unit_at(form, data, start)
    if lead is None:
        return "odd-length"
    if begins_row(form, lead):
        return "truncated"
    later = (unit_range for row in form.rows for unit_range in row.unit_ranges[1:])
    return "unexpected-continuation" if any(_holds(each, lead) for each in later) else "invalid-byte"


def faults(form: Form, data: bytes, start: int = 0) -> Iterator[Fault]:
    r"""Yield every fault of the bytes from ``start`` on, in order.

    >>> from eightfold.forms import form
    >>> [str(fault) for fault in faults(form("utf-8"), b"a\xffb\x80")]
    ['byte FF cannot begin a sequence', 'continuation byte 80 where a lead byte is expected']
    """
    at = well_formed_end(form, data, start)
    while at < len(data):
        fault = fault_at(form, data, at)
        assert fault is not None  # complete input always gives a result
        yield fault
        at = well_formed_end(form, data, fault.end)


def well_formed_end(form: Form, data: bytes, start: int, *, final: bool = True) -> int:
    r"""Return the start of the first decoding unit from ``start`` on that is ill-formed or undecided.

    >>> from eightfold.forms import form
    >>> well_formed_end(form("utf-8"), b"a\xff", 0)
    1
    """
    at = start
    while at < len(data):
        step = sequence_at(form, data, at, final=final)
        if step is None or step.code_point is None:
            break
        at = step.end
    return at


def stops_around(form: Form, data: bytes, start: int, offset: int) -> tuple[int, int]:
    r"""Return the last end of a sequence at or before an offset and the first at or after it, reading from ``start``.

    ``start`` counts as an end; ill-formed decoding units count as sequences.

    >>> from eightfold.forms import form
    >>> stops_around(form("utf-8"), b"\xe2\x82\xac\xe2\x82\xac", 0, 4)
    (3, 6)
    """
    at = end = start
    while end < min(offset, len(data)):
        step = sequence_at(form, data, end)
        assert step is not None  # complete input always gives a result
        at, end = end, step.end
    return (at, end) if end > offset else (end, end)


def only_opens(form: Form, unit: int) -> bool:
    """Return whether a code unit can only begin a sequence, well-formed or not, and never continues one.

    >>> from eightfold.forms import form
    >>> [only_opens(form("utf-8"), byte) for byte in (0x41, 0x80, 0xC3)]
    [True, False, True]
    """
    entries = (*form.sequences, *form.names)
    later = [each for entry in entries for each in entry.unit_ranges[1:]]
    later += [each for unit in (*form.units, *form.names) for each in unit.run]
    return not any(_holds(each, unit) for each in later)


def is_cut(form: Form, data: bytes, at: int) -> bool:
    r"""Return whether bytes can be cut at a unit: what is before and what is behind means the same apart as together.

    That is certain before a well-formed sequence whose first unit never continues a sequence: whatever precedes it
    ends there, and reaches no further. A trail is not such a sequence, because a lead may wait for it.

    >>> from eightfold.forms import form
    >>> [is_cut(form("utf-8"), b"a\xc3\xa9", at) for at in range(3)]
    [True, True, False]
    """
    unit = unit_at(form, data, at)
    if unit is None or not only_opens(form, unit):
        return False
    step = sequence_at(form, data, at, final=False)
    return step is not None and step.code_point is not None and step.code_point not in TRAILS


def encoded(form: Form, code_point: int) -> bytes | None:
    r"""Return the bytes that write a code point, or None if the form cannot write it.

    >>> from eightfold.forms import form
    >>> encoded(form("mutf-8"), 0), encoded(form("utf-8"), 0xD800)
    (b'\xc0\x80', None)
    """
    for row in form.rows:
        if row.first <= code_point <= row.last:
            units = units_of(row, code_point)
            if form.unit_bytes == 1:
                return bytes(units)
            return b"".join(unit.to_bytes(form.unit_bytes, form.byte_order) for unit in units)
    return None


def line_feeds(form: Form, data: bytes) -> tuple[int, int]:
    r"""Return the number of U+000A in whole code units, and where the last one ends: 0 if there is none.

    >>> from eightfold.forms import form
    >>> line_feeds(form("utf-8"), b"one\ntwo\nthree"), line_feeds(form("utf-16-be"), b"\x0a\0\x0a\0")
    ((2, 8), (0, 0))
    """
    feed = encoded(form, 0x0A)
    if feed is None:
        return 0, 0
    if len(feed) == 1:
        return data.count(feed), data.rfind(feed) + 1
    count = end = 0
    found = data.find(feed)
    while found >= 0:
        if found % form.unit_bytes:
            found = data.find(feed, found + 1)
        else:
            count, end = count + 1, found + len(feed)
            found = data.find(feed, end)
    return count, end


def encoded_surrogate(form: Form, code_point: int) -> bytes | None:
    """Return the bytes of a surrogate according to the form's own tables, or None."""
    ranges = surrogate_row(form)
    if ranges is None or code_point not in SURROGATES:
        return None
    units = units_of(Row(SURROGATES.start, SURROGATES.stop - 1, *ranges), code_point)
    return b"".join(unit.to_bytes(form.unit_bytes, form.byte_order) for unit in units)


def next_written(form: Form, points: Sequence[int], at: int) -> tuple[int, int]:
    """Return the code point that a form writes next, and the index after it; joins a pair if the form does.

    >>> from eightfold.forms import form
    >>> next_written(form("wtf-8"), [0xD83D, 0xDCA9], 0), next_written(form("utf-8"), [0xD83D, 0xDCA9], 0)
    ((128169, 2), (55357, 1))
    """
    code_point = points[at]
    if form.joins_pairs and code_point in LEADS and at + 1 < len(points) and points[at + 1] in TRAILS:
        return joined(code_point, points[at + 1]), at + 2
    return code_point, at + 1


def written(form: Form, points: Sequence[int]) -> bytes | None:
    """Return the bytes that write code points, or None if the form cannot write one of them."""
    parts, at = [], 0
    while at < len(points):
        code_point, at = next_written(form, points, at)
        part = encoded(form, code_point)
        if part is None:
            return None
        parts.append(part)
    return b"".join(parts)


def opening(form: Form, data: bytes, *, final: bool = True) -> tuple[Form, int] | None:
    r"""Return the form of an input, chosen by its signature, and the number of signature bytes to skip.

    None means that more input could complete a signature. For a form without signatures, return the form itself.

    >>> from eightfold.forms import form
    >>> opening(form("utf-16"), b"\xfe\xff\x00A")
    (<Form utf-16-be>, 2)
    """
    for signature in form.signatures:
        if data.startswith(signature.mark):
            return signature.form, len(signature.mark)
        if not final and signature.mark.startswith(data):
            return None
    return signed(form)[0], 0


def counts_mark(form: Form, mark: bytes) -> bool:
    r"""Return whether offsets in exceptions include this mark, which an input of the form began with.

    >>> from eightfold.forms import form
    >>> counts_mark(form("utf-16"), b"\xfe\xff"), counts_mark(form("utf-8-sig"), b"\xef\xbb\xbf")
    (True, False)
    """
    return all(signature.counted for signature in form.signatures if signature.mark == mark)


def signed(form: Form) -> tuple[Form, bytes]:
    """Return the form to write and the signature to put before it (empty if the form has none)."""
    return (form.signatures[0].form, form.signatures[0].mark) if form.signatures else (form, b"")


@derived("holds_back_lead")
def holds_back_lead(form: Form) -> bool:
    """Return whether an encoder must hold back a lead, because the form writes a pair differently from its halves.

    It need not if one row has all pairs and writes them in the units of both halves. Otherwise it does, to be safe.
    """
    if not form.joins_pairs:
        return False
    pairs, leads, trails = (_ranges_of(form, points) for points in (SUPPLEMENTARY, LEADS, TRAILS))
    return pairs is None or leads is None or trails is None or pairs != leads + trails


def _ranges_of(form: Form, points: range) -> tuple[Range, ...] | None:
    """Return the ranges of units that write all of these code points, and nothing else, in order, if one row does."""
    row = next((row for row in form.rows if row.first < points.stop and points.start <= row.last), None)
    if row is None or points.start < row.first or row.last < points[-1]:
        return None
    ranges = tuple(zip(units_of(row, points[0]), units_of(row, points[-1]), strict=True))
    sizes = [high - low + 1 for low, high in ranges]
    return ranges if min(sizes) > 0 and prod(sizes) == len(points) else None
