"""The verbs: encode, decode, convert, check and locate, for any form, on whole inputs. `stream` handles pieces.

A form is a Form or any of its names; data is any bytes-like object, contiguous or not. The functions marked with `bind`
are the reference implementation: when the core is active, each of them is replaced by the core's own function.
"""

from __future__ import annotations

import operator
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import SupportsIndex

from eightfold import lane, reference
from eightfold._engine import bind, twins_of
from eightfold.arguments import AnyErrors, AnyForm, Data, bytes_of, exactly, limit_of, size_of, text_of
from eightfold.faults import KINDS, Fault
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.lane import Writer
from eightfold.pairs import joined_pair, joins
from eightfold.pieces import line_feeds
from eightfold.policy import check_offered, check_policy, encode_error, reading, writing
from eightfold.reference import signed
from eightfold.run import (
    LARGEST_IN_ARRAY,
    LARGEST_IN_STR,
    CodePoints,
    Decoding,
    Target,
    collected,
    converted_pieces,
    encoded_pieces,
    unencodable_end,
)
from eightfold.showing import Faults


@bind
def encode(text: str, form: AnyForm, errors: AnyErrors = "strict") -> bytes:
    r"""Return a str encoded in a form.

    Args:
        text: any str, surrogates included; the form defines how it writes them.
        form: a Form or its name.
        errors: how to handle code points that the form cannot write.

    Raises:
        EncodeError: the form cannot write a code point, and the policy is strict. Offsets count code points.
        LookupError: unknown form or policy. ValueError: the form refuses the policy.
        TypeError: the text is not a str, or another argument is of the wrong type.

    Source: each row of a form names its own; WTF-8 section 4.1 for surrogate pairs that the form joins.

    >>> encode("h\ud83d\ude00", "wtf-8")
    b'h\xf0\x9f\x98\x80'
    >>> encode("\N{GRINNING FACE}", "cesu-8")
    b'\xed\xa0\xbd\xed\xb8\x80'
    """
    asked = form_named(form)
    check_policy(errors, asked)
    plain, mark = signed(asked)
    policy = writing(plain, errors, asked.name)
    whole = exactly(text)
    part, end = Writer(policy.form).stretch(whole, 0)
    return mark + (part if end == len(whole) else b"".join(collected(encoded_pieces(policy, text))))


@bind
def decode(data: Data, form: AnyForm, errors: AnyErrors = "strict") -> str:
    r"""Return bytes of a form decoded to a str.

    Args:
        data: any bytes-like object.
        form: a Form or its name.
        errors: how to handle ill-formed bytes, once per decoding unit (the maximal subpart by the form's own rows).

    Raises:
        DecodeError: the data are ill-formed, or hold a code point above U+10FFFF, and the policy is strict.
        LookupError: unknown form or policy. ValueError: the form refuses the policy.
        TypeError: the data are not bytes-like, or another argument is of the wrong type.

    Source: Unicode 3.9, D93b, for the decoding unit; each row of a form names its own source.

    >>> decode(b"\xed\xa0\xbd!", "wtf-8")
    '\ud83d!'
    >>> decode(b"\xff", "xtf-8")
    '\uefff'
    """
    asked = form_named(form)
    check_policy(errors, asked)
    decoding = decoding_of(asked, bytes_of(data), errors, largest=LARGEST_IN_STR)
    return "".join(piece.text for piece in collected(decoding.pieces(final=True)))


def opening_of(form: Form, data: bytes) -> tuple[Form, int]:
    """Return the form of the text after the signature of complete data, and the length of that signature."""
    opening = reference.opening(form, data)
    assert opening is not None  # the input is complete
    return opening


def decoding_of(form: Form, data: bytes, errors: AnyErrors, *, largest: int = LARGEST_IN_ARRAY) -> Decoding:
    """Return a pass over complete data, behind their signature.

    Args:
        form: the form, which takes the policy.
        data: the data. Offsets of the pass do not count a signature that the form does not count.
        errors: the policy.
        largest: the largest code point that the result can hold.
    """
    plain, length = opening_of(form, data)
    if not reference.counts_mark(form, data[:length]):
        data, length = data[length:], 0
    return Decoding(reading(plain, errors, form.name), data, length, largest=largest)


@bind
def convert(data: Data, source: AnyForm, target: AnyForm, errors: AnyErrors = "strict", *, threads: int = 1) -> bytes:
    r"""Return bytes of one form converted to another form, without an intermediate str.

    The result equals decoding and then encoding, with two differences: code points above U+10FFFF pass if both forms
    have them, and ``replace`` writes U+FFFD for faults of the source and of the target. A handler gets a DecodeError
    for a fault of the source. For a code point that the target cannot write it gets an EncodeError whose object is that
    one character (the handler must return position 1).

    Surrogate pairs that the target joins are not reported: a :class:`~eightfold.Converter` counts them.

    Args:
        data: any bytes-like object, in the source form.
        source, target: Forms or names.
        errors: the policy; one that Python defines for one direction applies to that direction, the other is strict.
        threads: the maximum number of threads, used from 8 MiB on; the result does not depend on it.

    Raises:
        ConversionError: the data cannot be converted, and the policy is strict. Offsets count bytes of the data.
        LookupError: unknown form or policy. ValueError: a form refuses the policy, or ``threads`` is below 1.
        TypeError: the data are not bytes-like, or another argument is of the wrong type.

    Source: WTF-8 section 4.1, for surrogate pairs that the target joins.

    >>> convert(b"\xed\xa0\xbd\xed\xb8\x80", "cesu-8", "utf-8")
    b'\xf0\x9f\x98\x80'
    """
    source_form, target_form = form_named(source), form_named(target)
    check_policy(errors, source_form, target_form)
    size_of(threads, "threads", least=1)
    mark, pieces = conversion_of(source_form, target_form, errors, bytes_of(data))
    return mark + b"".join(collected(pieces))


def conversion_of(source: Form, target: Form, errors: AnyErrors, data: bytes) -> tuple[bytes, Iterator[bytes]]:
    """Return the signature that a conversion writes, and the pieces that follow it.

    Args:
        source, target: the forms, which take the policy.
        errors: the policy.
        data: complete data in the source form.
    """
    plain, skipped = opening_of(source, data)
    policy = reading(plain, errors, source.name, converting=True)
    decoding = Decoding(policy, data, skipped, largest=LARGEST_IN_ARRAY)
    written, mark = signed(target)
    end = Target(writing(written, errors, target.name), source.name)
    return mark, converted_pieces(decoding, end, 0, final=True)


@bind
def is_well_formed(data: Data, form: AnyForm, *, threads: int = 1) -> bool:
    r"""Return whether bytes are well-formed in a form.

    Args:
        data: any bytes-like object. An object other than `bytes` is scanned in constant memory, by one thread.
        form: a Form or its name.
        threads: the maximum number of threads, used from 8 MiB on; the result does not depend on it.

    Raises:
        LookupError: unknown form. ValueError: ``threads`` is below 1.
        TypeError: the data are not bytes-like, or another argument is of the wrong type.

    >>> is_well_formed(b"\xed\xa0\x80", "utf-8"), is_well_formed(b"\xed\xa0\x80", "wtf-8")
    (False, True)
    """
    asked = form_named(form)
    size_of(threads, "threads", least=1)
    content = bytes_of(data)
    plain, skipped = opening_of(asked, content)
    return lane.well_formed_end(plain, content, skipped) == len(content)


@bind
def is_encodable(text: str, form: AnyForm) -> bool:
    r"""Return whether a form can write every code point of a str.

    Args:
        text: any str.
        form: a Form or its name.

    Raises:
        LookupError: unknown form. TypeError: the text is not a str.

    >>> is_encodable("\ud800", "utf-8"), is_encodable("\ud800", "wtf-8")
    (False, True)
    """
    return next(encode_faults(text, form), None) is None


@bind
def faults(data: Data, form: AnyForm, limit: int | None = None, *, threads: int = 1) -> Iterator[Fault]:
    r"""Yield the faults of bytes, in order: one for each intended sequence.

    Args:
        data: any bytes-like object. An object other than `bytes` is scanned in constant memory, by one thread.
        form: a Form or its name.
        limit: the maximum number of faults; None for all.
        threads: the maximum number of threads that scan ahead, used from 8 MiB on; the faults do not depend on it.

    Raises:
        LookupError: unknown form.
        ValueError: ``threads`` is below 1, or ``limit`` is negative.
        TypeError: the data are not bytes-like, or another argument is of the wrong type.

    Source: utf8(7) for the kinds of fault of UTF-8; each row of a form names its own source.

    >>> [str(fault) for fault in faults(b"a\xc0\xaf", "utf-8")]
    ['overlong form of U+002F (C0 AF)']
    """
    asked = form_named(form)
    size_of(threads, "threads", least=1)
    content = bytes_of(data)
    plain, skipped = opening_of(asked, content)
    return _limited((fault.renamed(asked.name) for fault in lane.faults(plain, content, skipped)), limit)


@bind
def tally(data: Data, form: AnyForm, *, threads: int = 1) -> dict[str, int]:
    r"""Count the faults of bytes by kind, at the speed of a scan: no Fault objects are created.

    Args:
        data: any bytes-like object. An object other than `bytes` is scanned in constant memory, by one thread.
        form: a Form or its name.
        threads: the maximum number of threads, used from 8 MiB on; the counts do not depend on it.

    Returns:
        the number of faults of each kind that occurs, counted as :func:`faults` yields them.

    Raises:
        LookupError: unknown form. ValueError: ``threads`` is below 1.
        TypeError: the data are not bytes-like, or another argument is of the wrong type.

    >>> tally(b"\xff\xff \xed\xa0\x80", "utf-8")
    {'surrogate': 1, 'invalid-byte': 2}
    """
    counts = Counter(fault.kind for fault in faults(data, form, threads=threads))
    return {kind: counts[kind] for kind in KINDS if counts[kind]}


def _limited(found: Iterator[Fault], limit: int | None) -> Iterator[Fault]:
    return Faults(_first(found, limit_of(limit)))


def _first(found: Iterator[Fault], limit: int | None) -> Iterator[Fault]:
    """Yield the first `limit` faults. A generator refuses a second thread; `itertools.islice` would crash."""
    left = limit
    while left is None or left > 0:
        fault = next(found, None)
        if fault is None:
            return
        yield fault
        left = None if left is None else left - 1


@bind
def encode_faults(text: str, form: AnyForm, limit: int | None = None, *, warnings: bool = False) -> Iterator[Fault]:
    r"""Yield a fault for each place of a str that a form cannot write, one for each call an error handler would get.

    Args:
        text: any str.
        form: a Form or its name.
        limit: the maximum number of faults; None for all.
        warnings: also report text that the form writes but reads back differently: surrogate pairs that it joins
            although its definition does not prescribe joining (kind ``joined-pair``, severity ``warning``).

    Raises:
        LookupError: unknown form. ValueError: ``limit`` is negative.
        TypeError: the text is not a str, or another argument is of the wrong type.

    Source: WTF-8 section 4.1.

    >>> [(fault.start, fault.end) for fault in encode_faults("a\ud800\ud801b", "utf-8")]
    [(1, 3)]
    >>> [str(fault) for fault in encode_faults("a\ud83d\ude00", "wtf-16-le", warnings=True)]
    ['surrogate pair, which is read back from wtf-16-le as one code point, U+1F600']
    """
    return _limited(_encode_faults(text_of(text), form_named(form), warnings=bool(warnings)), limit)


def _encode_faults(text: str, asked: Form, *, warnings: bool) -> Iterator[Fault]:
    plain, _ = signed(asked)
    points, writer, at = CodePoints(text), Writer(plain), 0
    strict = writing(plain, "strict", asked.name)
    tells_pairs = warnings and joins(strict)
    while at < len(points):
        _, at = writer.stretch(points.text, at)
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
    r"""Return the line and column at which a fault starts, both counted from 1; the column counts bytes.

    Only U+000A ends a line.

    Args:
        data: the bytes in which the fault was found.
        fault: a fault of bytes.
        form: the form of the data. It is needed for a form of your own whose U+000A is not byte 0A, and for a fault of
            the target of a conversion from a form of wider units, such as WTF-16: such a fault names the target alone.

    Raises:
        ValueError: the fault was found in a str. TypeError: it is not a Fault.

    >>> data = b"one\ntwo \xff"
    >>> [locate(data, fault) for fault in faults(data, "utf-8")]
    [(2, 5)]
    """
    if not isinstance(fault, Fault):
        raise TypeError(f"locate needs a Fault, not {type(fault).__name__}")
    if fault.side == "text":
        raise ValueError("a fault of a str has no line and column in bytes")
    content = bytes_of(data)
    plain, opened = opening_of(_form_of(fault) if form is None else form_named(form), content)
    position = LinePosition(plain)
    # Code units count from the end of a signature, which need not be whole units.
    for passed in (content[: min(opened, fault.start)], content[opened : fault.start]):
        position.pass_over(passed)
    return position.line, position.column


def _form_of(fault: Fault) -> Form:
    try:
        return form_named("utf-8" if fault.side == "target" else fault.form)
    except LookupError:
        return form_named("utf-8")


class LinePosition:
    """A position in bytes that advances piece by piece: line and column, both from 1; the column counts bytes."""

    def __init__(self, form: Form, line: int = 1, column: int = 1) -> None:
        self.line: int = line
        self.column: int = column
        self._form = form

    def pass_over(self, data: bytes) -> None:
        """Advance over whole code units."""
        count, last_end = line_feeds(self._form, data)
        if count:
            self.line, self.column = self.line + count, 1
        self.column += len(data) - last_end


@bind
def decode_code_points(data: Data, form: AnyForm, errors: AnyErrors = "strict") -> array[int]:
    r"""Return the code points of bytes as an array of 4-byte integers (typecode "I"), including those above U+10FFFF.

    Args:
        data: any bytes-like object.
        form: a Form or its name.
        errors: how to handle ill-formed bytes, as for :func:`decode`.

    Raises:
        DecodeError: the data are ill-formed, and the policy is strict.
        LookupError: unknown form or policy. ValueError: the form refuses the policy.
        TypeError: the data are not bytes-like, or another argument is of the wrong type.

    >>> decode_code_points(b"\xfd\xbf\xbf\xbf\xbf\xbf", "utf-8-rfc2044")
    array('I', [2147483647])
    """
    asked = form_named(form)
    check_policy(errors, asked)
    points = array("I")
    for piece in collected(decoding_of(asked, bytes_of(data), errors).pieces(final=True)):
        points.extend(piece.code_points)
    return points


@bind
def encode_code_points(points: Iterable[SupportsIndex], form: AnyForm, errors: AnyErrors = "strict") -> bytes:
    """Return code points encoded in a form, the inverse of :func:`decode_code_points`.

    Args:
        points: any iterable of integers, such as an array or a buffer of 4-byte integers.
        form: a Form or its name.
        errors: ``strict``, ``replace`` (writes ``?``) or ``ignore``.

    Raises:
        ConversionError: the form cannot write a code point; ``start`` is its index.
        LookupError: unknown form or policy. ValueError: the form refuses the policy, or it is not one of these three.
        TypeError: a point is not an integer, or another argument is of the wrong type.

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
"""The reference implementation of each verb, whichever engine is active."""

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
