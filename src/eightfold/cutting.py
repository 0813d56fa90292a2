"""Cutting: to a number of bytes, at an offset, and into pieces, always between sequences.

`boundary` defines the places, for ill-formed bytes too: an ill-formed decoding unit, what a DecodeError spans, counts
as a sequence. `split` cuts at fewer of them, at those which no error policy can move. The functions marked with `bind`
are the reference implementation: when the core is active, each of them is replaced by the core's own function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, SupportsIndex

from eightfold import lane, reference
from eightfold._engine import bind, twins_of
from eightfold.arguments import AnyForm, Data, exactly, size_of, view_of
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.forms.definition import derived
from eightfold.lane import Writer
from eightfold.policy import check_policy, encode_error, writing
from eightfold.reference import LEADS, TRAILS, encoded, next_written, signed
from eightfold.run import CodePoints, unencodable_end
from eightfold.text import opening_of

_CHUNK_POINTS = 4096
_FEW_POINTS = 16
_WINDOW_BYTES = 4096
"""How many bytes are searched for a cut at a time."""
_AHEAD_UNITS = 256
"""More code units than a sequence of fixed length has."""
Side = Literal["left", "right"]


class Fit(NamedTuple):
    """The part of a text that fits into some bytes: its end, and the code points that stop it if the form lacks them.

    Attributes:
        end: the index where it ends.
        missing: the span of code points that come next and that the form cannot write, if bytes are left; else None.
    """

    end: int
    missing: tuple[int, int] | None


@bind
def truncate(text: str, limit: SupportsIndex, form: AnyForm, *, graphemes: bool = False) -> str:
    r"""Return the longest beginning of a str that takes at most so many bytes in a form.

    It ends between sequences, and never between the halves of a surrogate pair which the form joins, or which would be
    read back as one code point.

    Args:
        text: any str.
        limit: the maximum number of bytes. A signature that the form writes counts; if it does not fit, nothing does.
        form: a Form or its name.
        graphemes: keep user-perceived characters (extended grapheme clusters) whole. One that does not fit is left out,
            even if nothing is left. This needs the library `regex` (the extra ``graphemes``).

    Raises:
        EncodeError: the form cannot write a code point that is reached while bytes are left. What is behind the cut is
            not looked at.
        ValueError: ``limit`` is negative, or the form refuses the policy ``strict``.
        LookupError: unknown form. ModuleNotFoundError: ``regex`` is not installed.
        TypeError: the text is not a str, or another argument is of the wrong type.

    Source: Unicode Standard Annex 29 for graphemes.

    >>> truncate("naïve", 3, "utf-8"), truncate("naïve", 4, "utf-8")
    ('na', 'naï')
    >>> truncate("a\N{COMBINING ACUTE ACCENT}!", 2, "utf-8", graphemes=True)
    ''
    """
    asked = form_named(form)
    check_policy("strict", asked)
    room = size_of(limit, "limit")
    whole = exactly(text)
    plain, mark = signed(asked)
    policy = writing(plain, "strict", asked.name)
    if len(mark) > room:
        return ""
    fit = fitting(policy.form, whole, 0, room - len(mark))
    if fit.missing is not None:
        raise encode_error(policy, text, *fit.missing)
    end = fit.end
    if graphemes:
        from eightfold.graphemes import grapheme_end

        end = grapheme_end(whole, end)
    return whole[:end]


def fitting(form: Form, text: str, start: int, room: int) -> Fit:
    """Return the longest part of a str, from an index on, that takes at most so many bytes in a form without signature.

    The str must not be an instance of a subclass, which may have items of its own.

    >>> fitting(form_named("utf-8"), "naïve", 1, 3)
    Fit(end=3, missing=None)
    """
    points, writer = CodePoints(text), Writer(form)
    at, left, size = start, room, _CHUNK_POINTS
    while at < len(points):
        window = text[at : at + min(size, left)]
        part, end = writer.stretch(window, 0)
        if len(part) > left and len(window) > _FEW_POINTS:
            size = len(window) // 2
            continue
        if 0 < len(part) <= left:
            at, left = at + end, left - len(part)
            continue
        code_point, end = next_written(form, points, at)
        bytes_ = encoded(form, code_point)
        if bytes_ is None:
            return Fit(at, (at, unencodable_end(form, points, at)) if left else None)
        if len(bytes_) > left:
            break
        at, left = end, left - len(bytes_)
    return Fit(at - _ends_in_half(form, points, start, at), None)


def _ends_in_half(form: Form, points: Sequence[int], start: int, end: int) -> bool:
    """Return whether a part ends with a lead that would be read back together with the trail that follows."""
    if not start < end < len(points) or points[end - 1] not in LEADS or points[end] not in TRAILS:
        return False
    lead, trail = encoded(form, points[end - 1]), encoded(form, points[end])
    if lead is None or trail is None:
        return False
    step = reference.sequence_at(form, lead + trail, 0)
    return step is not None and step.code_point is not None and step.end > len(lead)


@bind
def truncate_bytes(data: Data, limit: SupportsIndex, form: AnyForm) -> bytes:
    r"""Return the longest beginning of bytes of a form that has at most so many bytes and ends between sequences.

    The data may be ill-formed: an ill-formed decoding unit, the span of one DecodeError, counts as a sequence. A fault
    that consists of several such units, such as an overlong form, may be cut between them. The result is the data up
    to ``boundary(data, limit, form)``.

    Args:
        data: any bytes-like object.
        limit: the maximum number of bytes. The data's signature counts, and is kept whole.
        form: a Form or its name.

    Raises:
        LookupError: unknown form. ValueError: ``limit`` is negative.
        TypeError: the data are not bytes-like, or another argument is of the wrong type.

    >>> truncate_bytes("naïve".encode(), 3, "utf-8")
    b'na'
    """
    asked, room = form_named(form), size_of(limit, "limit")
    view = view_of(data)
    return data if type(data) is bytes and room >= len(data) else view[: _stop(asked, view, room, "left")].tobytes()


@bind
def boundary(data: Data, offset: SupportsIndex, form: AnyForm, side: Side = "left") -> int:
    r"""Return the nearest offset between sequences: the last at or before an offset, or the first at or after it.

    The sequences are those of a decoder that starts at the beginning, and an ill-formed decoding unit, the span of one
    DecodeError, counts as one; so does a signature. The beginning and the end of the data are boundaries.

    Only the neighbourhood of the offset is read: in UTF-8 and its neighbours a few bytes, in UTF-16 a few units. In a
    form with a decoding unit of any length (Corrected UTF-8, after FE or FF) that includes the run of such bytes around
    the offset; in a form of your own whose sequences can begin inside each other, at worst all that precedes it.

    Args:
        data: any bytes-like object. One that is not contiguous is copied.
        offset: an offset in bytes. One beyond the end counts as the end, as in a slice.
        form: a Form or its name.
        side: ``left`` for the last boundary at or before the offset, ``right`` for the first at or after it.

    Raises:
        LookupError: unknown form. ValueError: ``offset`` is negative, or ``side`` is neither.
        TypeError: the data are not bytes-like, or another argument is of the wrong type.

    Source: Unicode 3.9, D93b, for the decoding unit.

    >>> boundary("naïve".encode(), 3, "utf-8"), boundary("naïve".encode(), 3, "utf-8", "right")
    (2, 4)
    """
    asked, near = form_named(form), size_of(offset, "offset")
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', not {side!r}")
    return _stop(asked, view_of(data), near, side)


def _stop(asked: Form, view: memoryview, offset: int, side: Side) -> int:
    form, start = _opened(asked, view)
    if offset < start:
        return 0 if side == "left" or offset == 0 else start
    data: bytes = view  # type: ignore[assignment]  # the reference reads units of any sequence of bytes
    find = _stops_near if lane.on else reference.stops_around
    return find(form, data, start, min(offset, len(view)))[side == "right"]


def _opened(asked: Form, view: memoryview) -> tuple[Form, int]:
    longest = max((len(signature.mark) for signature in asked.signatures), default=0)
    return opening_of(asked, view[:longest].tobytes())


def _stops_near(form: Form, data: bytes, start: int, offset: int) -> tuple[int, int]:
    """Return what :func:`reference.stops_around` does, with a look at the neighbourhood of the offset only.

    If no sequence could begin before an offset and end after it, a reader stops there, whatever it does earlier. If
    one could, that is decided further back.
    """
    width = form.unit_bytes
    stop = at = offset - (offset - start) % width
    run = _run_around(form, data, start, stop)
    while at > start and at > min(run[0], stop) - _reach(form):
        at -= width
        step = reference.sequence_at(form, data, at, run=run)
        assert step is not None  # complete input always gives a result
        if step.end > stop:
            stop = at
            run = run if stop > run[0] else _run_around(form, data, start, stop)
    return reference.stops_around(form, data, stop, offset)


def _reach(form: Form) -> int:
    """Return how many bytes before an offset a sequence can begin that goes on behind it, apart from a run."""
    run = form.run_unit
    longest = max(len(entry.unit_ranges) - (entry is not run) for entry in form.sequences)
    return longest * form.unit_bytes


def _run_around(form: Form, data: bytes, start: int, offset: int) -> tuple[int, int]:
    """Return the span of units around an offset that continue the unit without a fixed length; empty if none do."""
    end = reference.run_end(form, data, offset)
    begin = offset
    while end > offset and begin > start and reference.run_end(form, data[:begin], begin - form.unit_bytes) == begin:
        begin -= form.unit_bytes
    return begin, end


@bind
def cut_before(form: Form, data: bytes, near: int, least: int) -> int:
    """Return the last place to cut bytes at most at ``near`` and above ``least``, both at units; ``least`` if none.

    What is before a cut and what is behind it means the same apart as together: see :func:`reference.is_cut`. More data
    may follow.

    >>> cut_before(form_named("utf-8"), "naïve".encode(), 3, 0)
    2
    """
    at = near
    while at > least:
        if form.unit_bytes == 1:
            at = least + len(data[least : at + 1].rstrip(_closed(form))) - 1
        if at > least and reference.is_cut(form, data, at):
            return at
        at -= form.unit_bytes
    return least


@derived("closed")
def _closed(form: Form) -> bytes:
    """Return the bytes before which a form is never cut."""
    opens = (reference.begins_row(form, byte) and reference.only_opens(form, byte) for byte in range(256))
    return bytes(byte for byte, each in enumerate(opens) if not each)


def split(data: Data, size: SupportsIndex, form: AnyForm) -> Iterator[memoryview]:
    r"""Yield pieces of about ``size`` bytes that decode, one by one, to what the whole decodes to: for parallel work.

    The pieces are views, which are made one by one; together they are the data. Each is cut before a well-formed
    sequence that nothing earlier can reach into, so the pieces decode to what the data decode to, under every policy
    that resumes at the end of a sequence or of a decoding unit. A piece is longer than ``size`` only where there is no
    such place: in a sequence, in many ill-formed bytes or trail surrogates, or among characters that begin with a unit
    that elsewhere continues a sequence, such as ``ED`` in `wtf-8`, `cesu-8` and `mutf-8` (U+D000 to U+DFFF).

    Only the first piece has the signature, if there is one: decode the others in the form that it announces. The form
    itself will do if it reads data without a signature in the same way, as `utf-8-sig` does.

    Args:
        data: any bytes-like object. One that is not contiguous is copied. Do not change it meanwhile.
        size: the number of bytes, 1 or more.
        form: a Form or its name.

    Raises:
        LookupError: unknown form. ValueError: ``size`` is below 1.
        TypeError: the data are not bytes-like, or another argument is of the wrong type.

    >>> [bytes(piece).decode() for piece in split("naïve €".encode(), 4, "utf-8")]
    ['naï', 've ', '€']
    """
    asked, most = form_named(form), size_of(size, "size", least=1)
    return _pieces(asked, data if type(data) is bytes else view_of(data), most)


def _pieces(asked: Form, data: bytes | memoryview, size: int) -> Iterator[memoryview]:
    view = memoryview(data)
    plain, start = _opened(asked, view)
    cutter = _Cutter(asked, plain, data)
    at, size = 0, cutter.whole_units(size)
    while at < len(view):
        end = cutter.piece_end(max(at, start), size)
        yield view[at:end]
        at = end


class _Cutter:
    """Finds the ends of pieces: cuts in the rows of a form and of its variants, and never before a signature."""

    def __init__(self, asked: Form, plain: Form, data: bytes | memoryview) -> None:
        self._form, *self._others = (plain, *(variant.form for variant in plain.variants))
        self._marks = tuple(signature.mark for signature in asked.signatures if signature.mark)
        self._is_alone = not self._others and not self._marks
        self._width = max(form.unit_bytes for form in (self._form, *self._others))
        self._data = data

    def whole_units(self, size: int) -> int:
        """Return a size that units of each of the forms fill, at least one."""
        return max(size - size % self._width, self._width)

    def piece_end(self, start: int, size: int) -> int:
        """Return the end of a piece: the last cut after at most ``size`` bytes of whole units, else the next one."""
        near, length = start + size, len(self._data)
        if near >= length:
            return length
        if (cut := self._last_cut(start, near)) > start:
            return cut
        while near < length:
            low, near = near, near + _WINDOW_BYTES
            if (cut := self._last_cut(low, near)) > low:
                return self._first_cut(low, cut)
        return length

    def _first_cut(self, low: int, cut: int) -> int:
        """Return the first cut above ``low``, by halves, given a cut above it."""
        while cut - low >= 2 * self._width:
            middle = low + (cut - low) // 2 // self._width * self._width
            earlier = self._last_cut(low, middle)
            low, cut = (low, earlier) if earlier > low else (middle, cut)
        return cut

    def _last_cut(self, low: int, high: int) -> int:
        """Return the last cut above ``low`` and at most at ``high``; ``low`` if there is none."""
        while high > low:
            least = max(low, high - _WINDOW_BYTES)
            if isinstance(self._data, bytes):
                cut = self._last_cut_in(self._data, least, high)
            else:
                # Others may write to it meanwhile.
                window = self._data[least : high + _AHEAD_UNITS * self._width].tobytes()
                cut = least + self._last_cut_in(window, 0, high - least)
            if cut > least:
                return cut
            high = least
        return low

    def _last_cut_in(self, window: bytes, low: int, high: int) -> int:
        """Return the same in bytes that are seen whole: the data, or a copy of a part."""
        near = min(high, len(window) - (len(window) - low) % self._width)
        while near > low:
            near = cut_before(self._form, window, near, low)
            if near > low and (self._is_alone or self._is_cut(window, low, near)):
                return near
            near -= self._form.unit_bytes
        return low

    def _is_cut(self, window: bytes, low: int, at: int) -> bool:
        others = (cut_before(form, window, at, at - form.unit_bytes) == at for form in self._others)
        return (at - low) % self._width == 0 and all(others) and not window.startswith(self._marks, at)


TWINS = twins_of(__name__)
"""The reference implementation of each function that the core has, whichever engine is active."""

__all__ = ["boundary", "split", "truncate", "truncate_bytes"]
