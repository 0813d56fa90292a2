"""Encoding and decoding into memory of the caller: as many whole sequences as fit, as `TextEncoder.encodeInto` does.

The functions marked with `bind` are the reference implementation: when the core is active, each of them is replaced by
the core's own function.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias

from eightfold._engine import bind, twins_of
from eightfold.arguments import AnyForm, Data, bytes_of, exactly, size_of
from eightfold.cutting import fitting
from eightfold.faults import DecodeError
from eightfold.forms import form as form_named
from eightfold.policy import check_policy, encode_error, writing
from eightfold.reference import sequence_at, signed
from eightfold.run import Decoding, encoded_pieces
from eightfold.text import decoding_of

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    Buffer: TypeAlias = WriteableBuffer
else:
    Buffer = bytearray | memoryview | array
"""Any writable bytes-like object."""


@bind
def encode_into(text: str, form: AnyForm, buffer: Buffer, start: SupportsIndex = 0) -> tuple[int, int]:
    r"""Encode as many whole sequences of a str as fit into a buffer, from its beginning on.

    The signature of a form is written if ``start`` is 0, together with the first sequence. No byte beyond those written
    is changed. A surrogate pair that the form joins is one sequence; so is one that would be read back as one.

    Args:
        text: any str.
        form: a Form or its name.
        buffer: a writable, contiguous buffer of items in a native format, such as a bytearray, an array, an mmap or a
            slice of a memoryview. For a buffer of ctypes pass ``memoryview(buffer).cast("B")``.
        start: the index in the text at which to begin, in code points.

    Returns:
        the number of code points read, and the number of bytes written. To go on, add the first number to ``start``.
        (0, 0) if there is more text: the next sequence does not fit.

    Raises:
        EncodeError: the form cannot write the code point at ``start``. If one comes later, what precedes it is written
            and counted, and the next call raises.
        ValueError: ``start`` is not in the text, or the form refuses the policy ``strict``.
        TypeError: the buffer is read-only, not contiguous, of items in another format, or not a buffer; the text is not
            a str, or another argument is of the wrong type.
        LookupError: unknown form.

    Source: the Encoding Standard, TextEncoder.encodeInto.

    >>> buffer = bytearray(4)
    >>> encode_into("a€b", "utf-8", buffer), buffer
    ((2, 4), bytearray(b'a\xe2\x82\xac'))
    >>> encode_into("a€b", "utf-8", buffer, 2), buffer
    ((1, 1), bytearray(b'b\xe2\x82\xac'))
    """
    asked = form_named(form)
    check_policy("strict", asked)
    given, begin = exactly(text), size_of(start, "start")
    if begin > len(given):
        raise ValueError(f"start must be at most {len(given)}, the length of the text, not {begin}")
    plain, mark = signed(asked)
    policy = writing(plain, "strict", asked.name)
    with writable(buffer) as view, view.cast("B") as out:
        before = b"" if begin else mark
        fit = fitting(policy.form, given, begin, max(0, len(out) - len(before)))
        if fit.end == begin and fit.missing is not None:
            raise encode_error(policy, text, *fit.missing)
        if len(before) > len(out) or (fit.end == begin and begin < len(given)):
            return 0, 0
        written = before + b"".join(encoded_pieces(policy, given[begin : fit.end]))
        out[: len(written)] = written
        return fit.end - begin, len(written)


@bind
def decode_code_points_into(data: Data, form: AnyForm, buffer: Buffer) -> tuple[int, int]:
    r"""Decode as many code points of bytes as fit into a buffer of 4-byte integers, from its beginning on.

    A signature at the beginning of the data is skipped, and counts as read. No item beyond those written is changed.
    The data may lie in the same memory as the buffer: they are read as they were before the call.

    Args:
        data: any bytes-like object. To go on, pass the rest of it, in the form that its signature announces.
        form: a Form or its name.
        buffer: a writable, contiguous buffer of 4-byte integers in a native format, such as an ``array("I")``. For one
            of ctypes pass ``memoryview(buffer).cast("B").cast("I")``.

    Returns:
        the number of bytes read, and the number of items written. (0, 0) if there are more data: the buffer is empty.

    Raises:
        DecodeError: the data begin with an ill-formed sequence. If one comes later, what precedes it is written and
            counted, and the next call raises.
        ValueError: the form refuses the policy ``strict``.
        TypeError: the buffer is read-only, not contiguous, or not one of 4-byte integers in a native format; the data
            are not bytes-like, or another argument is of the wrong type.
        LookupError: unknown form.

    >>> from array import array
    >>> buffer = array("I", bytes(8))
    >>> decode_code_points_into("a€b".encode(), "utf-8", buffer), buffer
    ((4, 2), array('I', [97, 8364]))
    """
    asked = form_named(form)
    check_policy("strict", asked)
    content = bytes_of(data)
    decoding = decoding_of(asked, content, "strict")
    skipped, length = decoding.position, len(decoding.data)
    with items(buffer) as view, view.cast("B") as out:
        points = _first_points(decoding, len(out) // 4, skipped)
        out[: 4 * len(points)] = points.tobytes()
        is_nothing = not points and skipped < length
        return (0, 0) if is_nothing else (decoding.position + len(content) - length, len(points))


def _first_points(decoding: Decoding, most: int, start: int) -> array[int]:
    """Return the first code points, and leave the pass behind them.

    Raises:
        DecodeError: there is none.
    """
    points, end = array("I"), start
    pieces = decoding.pieces(final=True)
    try:
        while len(points) < most and (piece := next(pieces, None)) is not None:
            found = piece.code_points
            room = most - len(points)
            if len(found) > room:
                points.extend(found[:room])
                end = _end_of(decoding, piece.start, room)
                break
            points.extend(found)
            end = piece.end
    except DecodeError:
        if not points:
            raise
    decoding.position = end
    return points


def _end_of(decoding: Decoding, start: int, count: int) -> int:
    """Return where so many well-formed sequences end."""
    at = start
    for _ in range(count):
        step = sequence_at(decoding.reading.form, decoding.data, at)
        assert step is not None  # complete input always gives a result
        at = step.end
    return at


def writable(buffer: Buffer) -> memoryview:
    """Return a view of a buffer that can be written to.

    Raises:
        TypeError: it cannot.
    """
    try:
        view = memoryview(buffer)
    except TypeError:
        raise TypeError(f"a writable buffer is required, not {type(buffer).__name__}") from None
    item = view.format.lstrip("@")
    # Bytes written over references to objects would crash the interpreter.
    is_native = len(item) == 1 and item != "O"
    if view.readonly or not view.c_contiguous or not is_native:
        view.release()
        raise TypeError("the buffer must be writable, contiguous, and of items in a native format")
    return view


def items(buffer: Buffer) -> memoryview:
    view = writable(buffer)
    if view.itemsize != 4 or view.format.lstrip("@") not in "IiLl":
        view.release()
        raise TypeError("the buffer must have 4-byte integers as its items, as array('I')")
    return view


TWINS = twins_of(__name__)
"""The reference implementation of each verb, whichever engine is active."""

__all__ = ["decode_code_points_into", "encode_into"]
