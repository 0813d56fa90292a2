"""The verbs: encode, decode, convert, check and locate, for any form. Whole inputs; pieces are for `stream`.

A form is a Form or any of its names; data is any bytes-like object, contiguous or not. What is bound is here as the
reference has it: where the core is at work, the verb is the core's own function.
"""

from __future__ import annotations

import operator
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias

from eightfold import lane, reference
from eightfold._engine import bind, twins_of
from eightfold.faults import KINDS, Fault, wants_bytes, wants_text
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.lane import Writer
from eightfold.pairs import joined_pair, joins
from eightfold.policy import Errors, check_offered, check_policy, encode_error, reading, writing
from eightfold.run import (
    LARGEST_IN_ARRAY,
    CodePoints,
    Decoding,
    Target,
    converted_pieces,
    encoded_pieces,
    line_feeds,
    unencodable_end,
)

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    Data: TypeAlias = ReadableBuffer
else:
    Data = bytes | bytearray | memoryview | array
"""Any bytes-like object: whatever has the buffer protocol, as type checkers know it."""
AnyForm: TypeAlias = Form | str
AnyErrors: TypeAlias = Errors | str


def bytes_of(data: Data) -> bytes:
    """Return the bytes of any bytes-like object, contiguous or not; `bytes` are returned as they are.

    Raises:
        TypeError: it is none.
    """
    if type(data) is bytes:
        return data
    try:
        return memoryview(data).tobytes()
    except TypeError:
        raise wants_bytes(data) from None


def _text_of(text: str) -> str:
    if not isinstance(text, str):
        raise wants_text(text)
    return text


@bind
def encode(text: str, form: AnyForm, errors: AnyErrors = "strict") -> bytes:
    r"""Return the bytes that write a str in a form.

    Args:
        text: any str, surrogates included; what becomes of them is the form's own rule.
        form: a Form or the name of one.
        errors: what to do with code points that the form lacks.

    Raises:
        EncodeError: there is one, and the policy is strict. Offsets count code points.
        LookupError: no such form or policy. ValueError: the form refuses the policy.

    >>> encode("h\ud83d\ude00", "wtf-8")
    b'h\xf0\x9f\x98\x80'
    >>> encode("\N{GRINNING FACE}", "cesu-8")
    b'\xed\xa0\xbd\xed\xb8\x80'
    """
    asked = form_named(form)
    check_policy(errors, asked)
    plain, mark = signed(asked)
    policy = writing(plain, errors, asked.name)
    part, end = Writer(policy.form).stretch(_text_of(text), 0)
    return mark + (part if end == len(text) else b"".join(encoded_pieces(policy, text)))


def signed(form: Form) -> tuple[Form, bytes]:
    """Return the form that is written and the signature that goes before it, empty where there is none."""
    return (form.signatures[0].form, form.signatures[0].mark) if form.signatures else (form, b"")


@bind
def decode(data: Data, form: AnyForm, errors: AnyErrors = "strict") -> str:
    r"""Return the str that bytes of a form hold.

    Args:
        data: any bytes-like object.
        form: a Form or the name of one.
        errors: what to do at ill-formed bytes, once per decoding unit (the maximal subpart by the form's own rows).

    Raises:
        DecodeError: the data are ill-formed, or hold a code point above U+10FFFF, and the policy is strict.
        LookupError: no such form or policy. ValueError: the form refuses the policy.

    >>> decode(b"\xed\xa0\xbd!", "wtf-8")
    '\ud83d!'
    >>> decode(b"\xff", "xtf-8")
    '\uefff'
    """
    asked = form_named(form)
    check_policy(errors, asked)
    plain, content, skipped = opened(asked, bytes_of(data))
    decoding = Decoding(reading(plain, errors, asked.name), content, skipped)
    return "".join(piece.text for piece in decoding.pieces(final=True))


def _opening(form: Form, data: bytes) -> tuple[Form, int]:
    opening = reference.opening(form, data)
    assert opening is not None  # the whole input is at hand
    return opening


def opened(form: Form, data: bytes) -> tuple[Form, bytes, int]:
    """Return the form that holds after the signature, the bytes that offsets count in, and where to begin in them."""
    plain, length = _opening(form, data)
    if any(not signature.counted for signature in form.signatures):
        return plain, data[length:], 0
    return plain, data, length


@bind
def convert(data: Data, source: AnyForm, target: AnyForm, errors: AnyErrors = "strict", *, threads: int = 1) -> bytes:
    r"""Return bytes of one form as bytes of another, without a str between.

    Equals decoding and encoding, but that code points above U+10FFFF pass where both ends have them, and that
    ``replace`` writes U+FFFD for faults at either end. A handler gets a DecodeError for a fault of the source, and for
    a code point that the target lacks an EncodeError whose object is that one character (the position must be 1).

    Args:
        data: any bytes-like object, in the source form.
        source, target: Forms or names.
        errors: the policy; one that Python has for one direction only applies to that end, the other is strict.
        threads: how many may work at once, from 8 MiB on; results are the same.

    Raises:
        ConversionError: with byte offsets into the data.
        LookupError: no such form or policy. ValueError: an end refuses the policy, or ``threads`` is below 1.

    >>> convert(b"\xed\xa0\xbd\xed\xb8\x80", "cesu-8", "utf-8")
    b'\xf0\x9f\x98\x80'
    """
    source_form, target_form = form_named(source), form_named(target)
    check_policy(errors, source_form, target_form)
    _check_threads(threads)
    content = bytes_of(data)
    plain, skipped = _opening(source_form, content)
    decoding = Decoding(
        reading(plain, errors, source_form.name, converting=True), content, skipped, largest=LARGEST_IN_ARRAY
    )
    written, mark = signed(target_form)
    end = Target(writing(written, errors, target_form.name), source_form.name)
    return mark + b"".join(converted_pieces(decoding, end, 0, final=True))


def _check_threads(threads: int) -> None:
    if operator.index(threads) < 1:
        raise ValueError(f"threads must be 1 or more, not {threads}")


@bind
def is_well_formed(data: Data, form: AnyForm, *, threads: int = 1) -> bool:
    r"""Say whether bytes follow the definition of a form.

    Args:
        data: any bytes-like object. One that is not `bytes` is scanned in constant memory, and by one thread.
        form: a Form or the name of one.
        threads: how many may work at once, from 8 MiB on; the answer is the same.

    Raises:
        LookupError: no such form. ValueError: ``threads`` is below 1.

    >>> is_well_formed(b"\xed\xa0\x80", "utf-8"), is_well_formed(b"\xed\xa0\x80", "wtf-8")
    (False, True)
    """
    _check_threads(threads)
    content = bytes_of(data)
    plain, skipped = _opening(form_named(form), content)
    return lane.well_formed_end(plain, content, skipped) == len(content)


@bind
def is_encodable(text: str, form: AnyForm) -> bool:
    r"""Say whether a form has bytes for each code point of a str.

    >>> is_encodable("\ud800", "utf-8"), is_encodable("\ud800", "wtf-8")
    (False, True)
    """
    return next(encode_faults(text, form), None) is None


@bind
def faults(data: Data, form: AnyForm, limit: int | None = None, *, threads: int = 1) -> Iterator[Fault]:
    r"""Yield the faults of bytes, in order: one for each sequence that was meant.

    Args:
        data: any bytes-like object. One that is not `bytes` is scanned in constant memory, and by one thread.
        form: a Form or the name of one.
        limit: how many at most; None for all.
        threads: how many may look ahead at once, from 8 MiB on; the faults are the same.

    Raises:
        LookupError: no such form. ValueError: ``threads`` or ``limit`` is out of range.

    >>> [str(fault) for fault in faults(b"a\xc0\xaf", "utf-8")]
    ['overlong form of U+002F (C0 AF)']
    """
    _check_threads(threads)
    asked, content = form_named(form), bytes_of(data)
    plain, skipped = _opening(asked, content)
    return _limited((fault.renamed(asked.name) for fault in lane.faults(plain, content, skipped)), limit)


@bind
def tally(data: Data, form: AnyForm, *, threads: int = 1) -> dict[str, int]:
    r"""Count the faults of bytes by their kinds, at the speed of a scan: no object is made for each.

    Args:
        data: any bytes-like object. One that is not `bytes` is scanned in constant memory, and by one thread.
        form: a Form or the name of one.
        threads: how many may work at once, from 8 MiB on; the numbers are the same.

    Returns:
        how many faults there are of each kind that occurs, as :func:`faults` yields them.

    Raises:
        LookupError: no such form. ValueError: ``threads`` is below 1.

    >>> tally(b"\xff\xff \xed\xa0\x80", "utf-8")
    {'surrogate': 1, 'invalid-byte': 2}
    """
    counts = Counter(fault.kind for fault in faults(data, form, threads=threads))
    return {kind: counts[kind] for kind in KINDS if counts[kind]}


def _limited(found: Iterator[Fault], limit: int | None) -> Iterator[Fault]:
    if limit is not None and not (hasattr(limit, "__index__") and 0 <= operator.index(limit) <= sys.maxsize):
        raise ValueError(f"limit must be None or a number of 0 or more, not {limit!r}")
    return _first(found, limit)


def _first(found: Iterator[Fault], limit: int | None) -> Iterator[Fault]:
    """Yield as many as that. Two threads at once are refused by a generator; they crash `itertools.islice`."""
    left = limit
    while left is None or left > 0:
        fault = next(found, None)
        if fault is None:
            return
        yield fault
        left = None if left is None else left - 1


@bind
def encode_faults(text: str, form: AnyForm, limit: int | None = None, *, warnings: bool = False) -> Iterator[Fault]:
    r"""Yield the places of a str that a form cannot write: one for each unit that an error handler would get.

    Args:
        text: any str.
        form: a Form or the name of one.
        limit: how many at most; None for all.
        warnings: whether to yield what is written, but read back otherwise, too: a surrogate pair that the form joins
            though its definition does not prescribe that (kind ``joined-pair``, severity ``warning``).

    Raises:
        LookupError: no such form. ValueError: ``limit`` is out of range.

    Source: WTF-8 section 4.1.

    >>> [(fault.start, fault.end) for fault in encode_faults("a\ud800\ud801b", "utf-8")]
    [(1, 3)]
    >>> [str(fault) for fault in encode_faults("a\ud83d\ude00", "wtf-16-le", warnings=True)]
    ['surrogate pair, which is read back from wtf-16-le as one code point, U+1F600']
    """
    return _limited(_encode_faults(_text_of(text), form_named(form), warnings=warnings), limit)


def _encode_faults(text: str, asked: Form, *, warnings: bool) -> Iterator[Fault]:
    plain, _ = signed(asked)
    points, writer, at = CodePoints(text), Writer(plain), 0
    strict = writing(plain, "strict", asked.name)
    tells_pairs = warnings and joins(strict)
    while at < len(points):
        _, at = writer.stretch(text, at)
        if at == len(points):
            break
        code_point, end = reference.next_written(plain, points, at)
        if reference.encoded(plain, code_point) is None:
            end = unencodable_end(plain, points, at)
            fault = encode_error(strict, text, at, end).fault
            if fault is not None:
                yield fault
        elif tells_pairs and end == at + 2:
            yield joined_pair(asked.name, at, end, code_point, "text")
        at = end


def locate(data: Data, fault: Fault, form: AnyForm | None = None) -> tuple[int, int]:
    r"""Return the line and the column at which a fault starts, both from 1; the column counts bytes.

    Lines end at U+000A only.

    Args:
        data: the bytes in which the fault was found.
        fault: a fault of bytes.
        form: the form that the fault was found in, needed only for one of your own whose U+000A is no byte 0A.

    Raises:
        ValueError: the fault is one of a str.

    >>> data = b"one\ntwo \xff"
    >>> [locate(data, fault) for fault in faults(data, "utf-8")]
    [(2, 5)]
    """
    if fault.side == "text":
        raise ValueError("a fault of a str has no line and column in bytes")
    content = bytes_of(data)
    plain, _ = _opening(_form_of(fault) if form is None else form_named(form), content)
    position = LinePosition(plain)
    position.pass_over(content[: fault.start])
    return position.line, position.column


def _form_of(fault: Fault) -> Form:
    try:
        return form_named(fault.form)
    except LookupError:
        return form_named("utf-8")


class LinePosition:
    """A place in bytes that are passed over piece by piece: its line and its column in bytes, both from 1."""

    def __init__(self, form: Form) -> None:
        self.line: int = 1
        self.column: int = 1
        self._form = form

    def pass_over(self, data: bytes) -> None:
        """Go on over whole code units."""
        count, last_end = line_feeds(self._form, data)
        if count:
            self.line, self.column = self.line + count, 1
        self.column += len(data) - last_end


@bind
def decode_code_points(data: Data, form: AnyForm, errors: AnyErrors = "strict") -> array[int]:
    r"""Return the code points of bytes as an array of 4-byte integers (typecode "I"), above U+10FFFF too.

    Raises:
        DecodeError: the data are ill-formed, and the policy is strict.
        LookupError: no such form or policy. ValueError: the form refuses the policy.

    >>> decode_code_points(b"\xfd\xbf\xbf\xbf\xbf\xbf", "utf-8-rfc2044")
    array('I', [2147483647])
    """
    asked = form_named(form)
    check_policy(errors, asked)
    plain, content, skipped = opened(asked, bytes_of(data))
    decoding = Decoding(reading(plain, errors, asked.name), content, skipped, largest=LARGEST_IN_ARRAY)
    points = array("I")
    for piece in decoding.pieces(final=True):
        points.extend(piece.code_points)
    return points


@bind
def encode_code_points(points: Iterable[SupportsIndex], form: AnyForm, errors: AnyErrors = "strict") -> bytes:
    """Return the bytes that write code points in a form, the inverse of :func:`decode_code_points`.

    Args:
        points: any iterable of integers; an array or a buffer of 4-byte integers is one.
        form: a Form or the name of one.
        errors: ``strict``, ``replace`` (writes ``?``) or ``ignore``.

    Raises:
        ConversionError: the form lacks one; ``start`` is its index.
        LookupError: no such form or policy. ValueError: the form refuses the policy, or it is another one.

    >>> encode_code_points([0x8421109F], "corrected-utf-8").hex()
    'fdbfbfbfbfbf'
    """
    asked = form_named(form)
    check_policy(errors, asked)
    check_offered(errors, "strict", "replace", "ignore")
    plain, mark = signed(asked)
    target = Target(writing(plain, errors, asked.name), "code points", replacement="?")
    parts = [mark]
    for index, point in enumerate(points):
        parts.append(target.write(operator.index(point), index, index + 1))
    return b"".join((*parts, target.finish()))


TWINS = twins_of(__name__)
"""The verbs as the reference has them, whichever engine is at work."""

__all__ = [
    "convert",
    "decode",
    "decode_code_points",
    "encode",
    "encode_code_points",
    "encode_faults",
    "faults",
    "is_encodable",
    "is_well_formed",
    "locate",
    "tally",
]
