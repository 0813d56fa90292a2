"""Error policies: maps names to policies, calls foreign handlers, and checks their results.

This file decides what happens at a fault; it does not know how faults are found or where the text comes from. Handlers
follow CPython's protocol (`codecs.register_error`), with two safeguards: a handler that never makes progress raises a
RuntimeError, and an unknown name raises a LookupError even if the input has no faults.

`surrogatepass` and `surrogateescape` are implemented for each form from its own tables, because CPython's handlers
depend on the name of the encoding.
"""

from __future__ import annotations

import codecs
import operator
from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import Any, Literal, NamedTuple, NoReturn, get_args

from eightfold._engine import compare
from eightfold.faults import KINDS, UNITS_KEPT, ConversionError, DecodeError, EncodeError, Fault
from eightfold.forms import Form, forms
from eightfold.reference import (
    LEADS,
    Decoded,
    begins_row,
    encoded,
    encoded_surrogate,
    fault_at,
    run_in,
    surrogate_at,
    unit_at,
    written,
)

Errors = Literal[
    "strict",
    "replace",
    "ignore",
    "backslashreplace",
    "surrogatepass",
    "surrogateescape",
    "xmlcharrefreplace",
    "namereplace",
    "escape",
    "private-use",
    "java",
]
"""The policies that need no registration; any name known to :func:`codecs.lookup_error` is accepted too."""

POLICIES: tuple[Errors, ...] = get_args(Errors)

Handler = Callable[[Any], tuple[Any, Any]]

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
STALLS_ALLOWED = 1000
compare(KINDS=tuple(KINDS), UNITS_KEPT=UNITS_KEPT, POLICIES=POLICIES, STALLS_ALLOWED=STALLS_ALLOWED)
_ESCAPES = range(0xDC80, 0xDD00)
_ONE_DIRECTION = ("xmlcharrefreplace", "namereplace")
_DECLARED = frozenset(variant.policy for form in forms() for variant in form.variants)

_PYTHONS_OWN: dict[str, Handler] = {
    "strict": codecs.strict_errors,
    "replace": codecs.replace_errors,
    "ignore": codecs.ignore_errors,
    "backslashreplace": codecs.backslashreplace_errors,
    "xmlcharrefreplace": codecs.xmlcharrefreplace_errors,
    "namereplace": codecs.namereplace_errors,
}


class Reading(NamedTuple):
    """How to handle faults of bytes: the form whose rows apply, its name in errors, and the handler."""

    form: Form
    name: str
    errors: str
    handler: Handler

    @property
    def built_in(self) -> bool:
        """Whether the handler is ours or Python's own, and so continues at the end of each unit."""
        return is_built_in(self.errors)

    @property
    def once_per_unit(self) -> bool:
        """Whether a decoding unit gives the same text however long it is."""
        return self.errors in ("replace", "ignore")


def is_built_in(errors: str) -> bool:
    """Return whether a policy is ours or Python's own: its handler then sees a unit as byte after byte."""
    return _exactly(errors) in POLICIES


class Writing(NamedTuple):
    """How to handle code points that a form cannot write: the counterpart of :class:`Reading` for encoding."""

    form: Form
    name: str
    errors: str
    handler: Handler


def check_policy(errors: str, *ends: Form) -> None:
    """Check a policy's name for a form, or for the two ends of a conversion, before any work is done.

    Raises:
        LookupError: unknown policy, or one that only other forms declare.
        ValueError: one of the forms refuses the policy.
        TypeError: the name is not a str.
    """
    check_is_str(errors)
    errors = _exactly(errors)
    for form in ends:
        if errors in form.refuses:
            raise ValueError(f"{form.name} refuses errors={errors!r}: {form.refuses[errors]}")
    if any(form.variant(errors) for form in ends):
        return
    if errors in _DECLARED:
        names = " or ".join(dict.fromkeys(form.name for form in ends))
        raise LookupError(f"the policy {errors!r} is not one that {names} declares")
    if errors not in ("surrogatepass", "surrogateescape"):
        _look_up(errors)


def _exactly(errors: str) -> str:
    """Return a name as a str whose methods say what it holds; an instance of a subclass may have methods of its own."""
    return errors if type(errors) is str else str.__getitem__(errors, slice(None))


def _look_up(errors: str) -> Handler:
    """Return a registered handler.

    Raises:
        LookupError: no handler has the name.
    """
    try:
        return codecs.lookup_error(errors)
    except ValueError:  # a name that no handler can have: it holds a NUL or a surrogate
        raise LookupError(f"unknown error handler name {errors!r}") from None


def check_is_str(errors: object) -> None:
    """Check that a policy is given by its name.

    Raises:
        TypeError: it is not a str.
    """
    if not isinstance(errors, str):
        raise TypeError(f"errors must be a str, not {type(errors).__name__}")


def check_offered(errors: str, *offered: str) -> None:
    """Check the policy of an operation that offers only a few policies.

    Raises:
        ValueError: the operation does not offer the policy. TypeError: the name is not a str.
    """
    check_is_str(errors)
    if errors not in offered:
        raise ValueError(f"errors must be one of {', '.join(offered)} here, not {errors!r}")


def reading(form: Form, errors: str, name: str, *, converting: bool = False) -> Reading:
    """Return how to handle faults of a form without signatures in decoding, or at the source of a conversion."""
    errors = _exactly(errors)
    variant = form.variant(errors)
    if variant is not None:
        return Reading(variant.form, name, "strict", codecs.strict_errors)
    if errors == "surrogatepass":
        return Reading(form, name, errors, lambda error: _pass_bytes(form, error))
    if errors == "surrogateescape":
        return Reading(form, name, errors, _escape_bytes)
    if converting and errors in _ONE_DIRECTION:
        return Reading(form, name, errors, codecs.strict_errors)
    return Reading(form, name, errors, _handler(errors))


def writing(form: Form, errors: str, name: str) -> Writing:
    """Return how to handle code points that a form without signatures cannot write."""
    errors = _exactly(errors)
    if form.variant(errors) is not None:
        return Writing(written_under(errors, form), name, "strict", codecs.strict_errors)
    if errors == "surrogatepass":
        return Writing(form, name, errors, lambda error: _pass_text(form, error))
    if errors == "surrogateescape":
        return Writing(form, name, errors, _escape_text)
    return Writing(form, name, errors, _handler(errors))


def written_under(errors: str, form: Form) -> Form:
    """Return the form whose rows write under a policy: a variant, or the form itself."""
    variant = form.variant(_exactly(errors))
    return variant.form if variant is not None and variant.encodes else form


def _handler(errors: str) -> Handler:
    """Return Python's handler for a policy; strict for one that only the other end of a conversion declares."""
    if errors in _DECLARED:
        return codecs.strict_errors
    try:
        return _PYTHONS_OWN.get(errors) or _look_up(errors)
    except LookupError:  # `check_policy` has found it among those of the other end.
        return codecs.strict_errors


def _pass_bytes(form: Form, error: UnicodeDecodeError) -> tuple[str, int]:
    passed = _passed(form, error.object, error.start)
    if passed is None:
        raise error
    return passed


def _passed(form: Form, data: bytes, start: int) -> tuple[str, int] | None:
    """Return the surrogate at an offset and where it ends, or None if there is none."""
    surrogate = surrogate_at(form, data, start)
    return None if surrogate is None or surrogate.code_point is None else (chr(surrogate.code_point), surrogate.end)


def _escape_bytes(error: UnicodeDecodeError) -> tuple[str, int]:
    escaped = _escaped(takewhile(range(0x80, 0x100).__contains__, error.object[error.start : error.end]))
    if not escaped:
        raise error
    return escaped, error.start + len(escaped)


def _escaped(high: Iterable[int]) -> str:
    """Return the surrogates that stand for bytes from 80 up."""
    return "".join(chr(_ESCAPES.start + byte - 0x80) for byte in high)


def _pass_text(form: Form, error: UnicodeEncodeError) -> tuple[bytes, int]:
    return _written_prefix(error, lambda code_point: encoded_surrogate(form, code_point))


def _escape_text(error: UnicodeEncodeError) -> tuple[bytes, int]:
    return _written_prefix(
        error, lambda code_point: bytes([code_point - _ESCAPES.start + 0x80]) if code_point in _ESCAPES else None
    )


def _written_prefix(error: UnicodeEncodeError, write: Callable[[int], bytes | None]) -> tuple[bytes, int]:
    """Write as many code points of the unit as possible; the rest becomes a new unit (as in CPython's utf-8)."""
    prefix, at = b"", error.start
    while at < error.end and (part := write(ord(str.__getitem__(error.object, at)))) is not None:
        prefix, at = prefix + part, at + 1
    if at == error.start:
        raise error
    return prefix, at


def answer_at_once(reading: Reading, data: bytes, start: int, end: int) -> tuple[str, int] | None:
    r"""Return a built-in policy's result for a decoding unit without creating an exception; None: call its handler.

    >>> from eightfold.forms import form
    >>> answer_at_once(reading(form("utf-8"), "backslashreplace", "utf-8"), b"a\xff", 1, 2)
    ('\\xff', 2)
    """
    if reading.errors == "replace":
        return REPLACEMENT, end
    if reading.errors == "ignore":
        return "", end
    if reading.errors == "backslashreplace":
        return "".join(f"\\x{byte:02x}" for byte in data[start:end]), end
    if reading.errors == "surrogateescape" and min(data[start:end]) >= 0x80:
        return _escaped(data[start:end]), end
    return _passed(reading.form, data, start) if reading.errors == "surrogatepass" else None


def decode_error(
    reading: Reading, data: bytes, start: int, unit: Decoded, containing: Fault | None = None
) -> DecodeError:
    """Return the exception for an ill-formed decoding unit, with the fault that contains it.

    A fault may contain several units; for all but the first, the caller must pass the fault.
    """
    form = reading.form
    fault = containing or _fault_of(form, data, start, unit)
    fault = fault.renamed(reading.name)
    return DecodeError(reading.name, data, start, unit.end, _reason(form, data, start, unit.end, fault), fault)


def _fault_of(form: Form, data: bytes, start: int, unit: Decoded) -> Fault:
    if unit.code_point is not None:
        return Fault("unrepresentable", form.name, start, unit.end, data[start : unit.end], unit.code_point)
    fault = fault_at(form, data, start, run=run_in(form, start, unit.end))
    assert fault is not None  # with the whole input at hand there is always an answer
    return fault


def _reason(form: Form, data: bytes, start: int, end: int, fault: Fault) -> str:
    reasons = form.cpython_reasons
    lead = unit_at(form, data, start)
    is_begun = lead is not None and begins_row(form, lead)
    situation = "start" if not is_begun else "end" if end == len(data) else "continuation"
    return reasons.get(fault.kind) or reasons.get(situation) or str(fault)


def encode_error(writing: Writing, text: str, start: int, end: int) -> EncodeError:
    """Return the exception for code points of a str that the form cannot write."""
    fault = Fault("unrepresentable", writing.name, start, end, b"", ord(str.__getitem__(text, start)), "text")
    reason = writing.form.cpython_reasons.get("encode") or str(fault)
    return EncodeError(writing.name, text, start, end, reason, fault)


class Stalls:
    """Limits the number of calls of a handler, whatever it returns and even if it replaces the input.

    A call makes progress if less input is left at its fault than at any fault before. Calls without progress are
    limited to 1,000 in a row, and in total to 1,000 plus one for each byte (in encoding, code point) left at the first
    fault. A pass over n bytes or code points therefore calls a handler at most 2n + 1,000 times.
    """

    def __init__(self) -> None:
        self._least: int | None = None
        self._in_row = 0
        self._in_all = 0
        self._allowed = STALLS_ALLOWED

    def note(self, left: int) -> None:
        """Record a call of the handler, and how much of the input is left where its fault begins.

        Raises:
            RuntimeError: the handler has been called too often without progress.
        """
        if self._least is None:
            self._allowed += left
        if self._least is None or left < self._least:
            self._least, self._in_row = left, 0
            return
        self._in_row += 1
        self._in_all += 1
        if self._in_row >= STALLS_ALLOWED or self._in_all >= self._allowed:
            raise RuntimeError(f"error handler makes no progress: {self._in_row} calls in a row, {self._in_all} in all")


def ask_decoding(handler: Handler, error: DecodeError, data: bytes) -> tuple[str, int, bytes]:
    """Call a handler with a fault of bytes; return its text, the offset at which to continue, and the bytes to use.

    Args:
        handler: the handler.
        error: the exception to call it with.
        data: the bytes that ``error.object`` holds; itself, unless it is of a subclass.

    Raises:
        TypeError, IndexError, OverflowError: the result violates the protocol, as in CPython.
    """
    before = error.object
    text, position = _parts(handler(error))
    if not issubclass(type(text), str):
        raise TypeError("decoding error handler must return (str, int) tuple")
    given = _index(position)
    if not issubclass(type(error.object), bytes):
        raise TypeError("object attribute must be bytes")
    if error.object is not before:
        data = bytes.__getitem__(error.object, slice(None))
    return str.__getitem__(text, slice(None)), _position(given, len(data)), data


def ask_encoding(writing: Writing, error: EncodeError) -> tuple[bytes, int]:
    """Call a handler with code points that a form cannot write; return the bytes to write and the next index.

    Raises:
        TypeError, IndexError, OverflowError: the result violates the protocol, as in CPython.
        EncodeError: the replacement cannot be encoded itself.
    """
    length, place = str.__len__(error.object), (error.start, error.end, error.reason)
    given, position = _parts(writing.handler(error))
    index = _index(position)  # CPython checks this part first in encoding, and the other first in decoding.
    if not issubclass(type(given), (str, bytes)):
        raise TypeError("encoding error handler must return (str/bytes, int) tuple")
    after = _position(index, length)
    replacement = _replacement(writing.form, given)
    if replacement is None:
        error.start, error.end, error.reason = place  # A handler may have changed them.
        raise error
    return replacement, after


def _parts(answer: Any) -> tuple[Any, Any]:
    """Return both parts of an answer, or None and 0; as in CPython no object is asked what it is or holds."""
    if issubclass(type(answer), tuple) and tuple.__len__(answer) == 2:
        return tuple.__getitem__(answer, 0), tuple.__getitem__(answer, 1)
    return None, 0


def _index(position: Any) -> int:
    given = operator.index(position)
    if not -(2**63) <= given < 2**63:
        raise OverflowError("Python int too large to convert to C ssize_t")
    return given


def _position(given: int, length: int) -> int:
    position = given + length if given < 0 else given
    if not 0 <= position <= length:
        raise IndexError(f"position {position} from error handler out of bounds")
    return position


def _replacement(form: Form, replacement: str | bytes) -> bytes | None:
    if isinstance(replacement, bytes):
        data = bytes.__getitem__(replacement, slice(None))
        return data if len(data) % form.unit_bytes == 0 else None
    text = str.__getitem__(replacement, slice(None))
    if form.cpython_reasons and not text.isascii():
        return None
    return _written_alike(form, [ord(character) for character in text])


def _written_alike(form: Form, points: list[int]) -> bytes | None:
    """Return what :func:`reference.written` does; a code point that comes again and again is written once."""
    different = set(points)
    if form.joins_pairs and not different.isdisjoint(LEADS):
        return written(form, points)  # What a lead becomes depends on what follows it.
    parts = {code_point: encoded(form, code_point) for code_point in different}
    if None in parts.values():
        return None
    return b"".join(map(parts.__getitem__, points))  # type: ignore[arg-type]


def written_beyond_unicode(writing: Writing, code_point: int) -> bytes | None:
    """Return the replacement for a value above U+10FFFF that the form cannot write, or None for an error.

    A str cannot hold the value, so no handler can be called; besides `replace`, only `ignore` and `backslashreplace`
    have a replacement.
    """
    if writing.errors == "backslashreplace":
        return written(writing.form, tuple(map(ord, f"\\U{code_point:08x}")))
    return b"" if writing.errors == "ignore" else None


def raise_conversion(source: str, target: str, offset: int, fault: Fault, unit: tuple[int, int]) -> NoReturn:
    """Raise the ConversionError for a unit and the fault that contains it, both moved forward by ``offset`` bytes."""
    start, end = unit
    raise ConversionError(source, target, start + offset, end + offset, fault.moved(offset)) from None
