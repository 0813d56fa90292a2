"""The kinds of ill-formedness, the Fault that names one, and the exceptions that carry a Fault.

All wording about ill-formed text is in this file. It does not know any encoding: which bytes are which kind is data in
:mod:`eightfold.forms`.

Source: the vocabulary of WTF-8 sections 3 to 3.3, utf8(7), and Unicode 3.9 (maximal subpart, D93b).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, asdict, dataclass, replace
from typing import Any, Literal, NoReturn, TypeVar

Kind = Literal[
    "overlong",
    "surrogate",
    "beyond-unicode",
    "too-long",
    "invalid-byte",
    "unexpected-continuation",
    "truncated",
    "surrogate-pair",
    "unpaired-surrogate",
    "four-byte",
    "raw-nul",
    "escape-collision",
    "reserved",
    "unrepresentable",
    "odd-length",
    "control",
    "line-terminator",
    "no-final-newline",
    "no-signature",
    "joined-pair",
    "needless-escape",
    "unexamined",
    "other-form",
    "escaped-surrogate",
    "undefined",
    "mojibake",
]
Side = Literal["source", "text", "target"]
Severity = Literal["error", "warning"]

ESCAPED_SURROGATE: Kind = "escaped-surrogate"

UNITS_KEPT = 64
"""The maximum number of bytes of its span that a fault keeps; only a reserved run of Corrected UTF-8 can be longer."""

KINDS: Mapping[Kind, str] = {
    "overlong": "a code point encoded in more bytes than necessary",
    "surrogate": "a surrogate code point, which the encoding does not allow",
    "beyond-unicode": "a code point above U+10FFFF",
    "too-long": "a sequence of five or six bytes",
    "invalid-byte": "a byte that cannot begin a sequence",
    "unexpected-continuation": "a continuation byte where a lead byte is expected",
    "truncated": "a sequence that is cut short",
    "surrogate-pair": "a surrogate pair byte sequence, which WTF-8 writes as four bytes",
    "unpaired-surrogate": "a surrogate that is not part of a pair",
    "four-byte": "a four-byte sequence, where the encoding writes surrogate pairs",
    "raw-nul": "a NUL where the encoding or the document does not allow one",
    "escape-collision": "a code point that is also an escape",
    "reserved": "a sequence that is reserved for future use",
    "unrepresentable": "a code point that the target cannot hold",
    "odd-length": "input that ends inside a code unit",
    "control": "a control character that should not be in a document",
    "line-terminator": "a line terminator other than U+000A",
    "no-final-newline": "a document whose last character is not U+000A",
    "no-signature": "a document without its magic number",
    "joined-pair": "a surrogate pair that the target joins into one code point",
    "needless-escape": "escapes of bytes that together are a well-formed sequence",
    "unexamined": "an object that was not examined and may hold text",
    "other-form": "a file that appears to be in a form other than the default",
    "escaped-surrogate": "an escape of an unpaired surrogate in JSON",
    "undefined": "bytes for which a legacy charset defines no character",
    "mojibake": "UTF-8 that was read in a legacy charset and encoded again",
}
"""The meaning of each kind of fault in one line; the keys are stable identifiers."""

WARNINGS: frozenset[Kind] = frozenset((
    "control", "line-terminator", "no-final-newline", "no-signature",
    "joined-pair", "needless-escape", "unexamined", "escaped-surrogate", "mojibake",
))  # fmt: skip
"""The kinds whose faults are warnings; :meth:`Fault.as_error` is for those who take none."""


def code_point_name(code_point: int) -> str:
    """Return a code point in the usual notation: ``U+`` and four to eight hex digits; a negative number stays bare.

    >>> code_point_name(0x2F), code_point_name(0x1F4A9), code_point_name(0x8421109F)
    ('U+002F', 'U+1F4A9', 'U+8421109F')
    """
    return f"U+{code_point:04X}" if code_point >= 0 else str(code_point)


def hex_bytes(data: bytes) -> str:
    r"""Return bytes in hexadecimal: upper-case pairs separated by spaces.

    >>> hex_bytes(b"\xed\xa0\x80")
    'ED A0 80'
    """
    return data.hex(" ").upper()


def wants_bytes(given: object) -> TypeError:
    """Return the TypeError for an argument that is not bytes-like; the message says what to pass instead.

    >>> str(wants_bytes("abc"))
    'a bytes-like object is required, not str: to encode a str use encode'
    """
    wrong = f"a bytes-like object is required, not {type(given).__name__}"
    if isinstance(given, str):
        return TypeError(f"{wrong}: to encode a str use encode")
    if hasattr(given, "__fspath__"):
        return TypeError(f"{wrong}: pass the contents of the file, path.read_bytes()")
    if hasattr(given, "read"):
        return TypeError(f"{wrong}: open the file in binary mode and pass its contents, file.read()")
    return TypeError(wrong)


def wants_text(given: object) -> TypeError:
    """Return the TypeError for an argument that is not a str; the message says what to do instead.

    >>> str(wants_text(b"abc"))
    'text must be a str, not bytes: to decode bytes use decode'
    """
    wrong = f"text must be a str, not {type(given).__name__}"
    try:
        memoryview(given)  # type: ignore[arg-type]
    except (TypeError, ValueError, BufferError):
        return TypeError(wrong)
    return TypeError(f"{wrong}: to decode bytes use decode")


_Class = TypeVar("_Class")


def immutable(fixed: type[_Class]) -> type[_Class]:
    """Let a frozen dataclass with slots refuse any attribute as it refuses its fields.

    The methods that `dataclass` makes know only the class without slots that it replaces. For a name that is not a
    field they raise a TypeError about ``super``.
    """
    fixed.__setattr__ = _refuse_to_set  # type: ignore[method-assign]
    fixed.__delattr__ = _refuse_to_delete  # type: ignore[method-assign]
    return fixed


def _refuse_to_set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"{type(self).__name__} is immutable: {name!r} cannot be set")


def _refuse_to_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"{type(self).__name__} is immutable: {name!r} cannot be deleted")


@immutable
@dataclass(frozen=True, slots=True)
class Fault:
    r"""One place where input is ill-formed or cannot be converted.

    Attributes:
        kind: a stable identifier, a key of :data:`KINDS`.
        form: the name of the form whose rule is broken.
        start, end: the span, end exclusive: byte offsets into the input, or code point indices if the input is a str.
        units: the bytes of the span, at most :data:`UNITS_KEPT` of them; empty if the input is a str.
        code_point: the intended code point, if there is one; for an encoding fault, the first of the span.
        side: ``source`` (bytes being read), ``text`` (a str being written) or ``target`` (a code point that
            the target of a conversion cannot write; start and end count bytes of the source).
        severity: ``error`` or ``warning``.
        at_end: whether the end of the input cut the sequence short (kind ``truncated``).

    ``str(fault)`` describes the fault in one line.

    >>> str(Fault("surrogate", "utf-8", 0, 3, b"\xed\xa0\x80", 0xD800))
    'surrogate U+D800 (ED A0 80), which utf-8 cannot hold'
    """

    kind: Kind
    form: str
    start: int
    end: int
    units: bytes = b""
    code_point: int | None = None
    side: Side = "source"
    severity: Severity = "error"
    at_end: bool = False

    def __str__(self) -> str:
        return _SENTENCES.get(self.kind, _of_unknown_kind)(self)

    def as_dict(self) -> dict[str, Any]:
        r"""Return the fault as a JSON-ready dict: bytes in hex, and ``str(fault)`` as ``sentence``.

        >>> Fault("invalid-byte", "utf-8", 4, 5, b"\xff").as_dict()["units"]
        'FF'
        """
        return {**asdict(self), "units": hex_bytes(self.units), "sentence": str(self)}

    def renamed(self, form: str) -> Fault:
        r"""Return the same fault under the form's name as the caller gave it (``utf-16`` for ``utf-16-le``).

        >>> Fault("invalid-byte", "utf-8", 4, 5, b"\xff").renamed("utf-8-sig").form
        'utf-8-sig'
        """
        return self if form == self.form else replace(self, form=form)

    def as_error(self) -> Fault:
        r"""Return the same fault as an error, whatever its severity.

        >>> Fault("mojibake", "utf-8", 0, 4, b"\xc3\x83\xc2\xa9", severity="warning").as_error().severity
        'error'
        """
        return self if self.severity == "error" else replace(self, severity="error")

    def moved(self, offset: int) -> Fault:
        r"""Return the same fault, moved forward by ``offset`` bytes (or code points).

        >>> Fault("invalid-byte", "utf-8", 4, 5, b"\xff").moved(10).start
        14
        """
        return self if offset == 0 else replace(self, start=self.start + offset, end=self.end + offset)


@immutable
@dataclass(frozen=True, slots=True)
class UnexaminedFault(Fault):
    """An object in nested data that cannot be examined and may hold text.

    Attributes:
        path: where the object is, in the notation of :func:`eightfold.scrub_report`.
        type: the full name of its type.

    >>> str(UnexaminedFault(path="items", type="list_iterator"))
    'items (list_iterator) was not examined and may hold text'
    """

    kind: Kind = "unexamined"
    form: str = "utf-8"
    start: int = 0
    end: int = 0
    side: Side = "text"
    severity: Severity = "warning"
    path: str = "$"
    type: str = "object"


@immutable
@dataclass(frozen=True, slots=True)
class EscapedSurrogateFault(Fault):
    r"""An escape of an unpaired surrogate in JSON text.

    ``json_path`` says where its string is; the other attributes follow from the escape.

    Attributes:
        json_path: the JSON path of the string that contains it.

    >>> print(EscapedSurrogateFault("escaped-surrogate", "utf-8", 0, 6, rb"\ud83d", 0xD83D, json_path="$.text"))
    escape \ud83d of an unpaired surrogate, at $.text
    """

    json_path: str = "$"

    def __str__(self) -> str:
        return f"{_escaped_surrogate(self)}, at {self.json_path}"


def _shown(fault: Fault) -> str:
    ellipsis = " ..." if fault.end - fault.start > len(fault.units) else ""
    return hex_bytes(fault.units) + ellipsis


def _meant(fault: Fault, otherwise: str = "a code point") -> str:
    return otherwise if fault.code_point is None else code_point_name(fault.code_point)


def _surrogate(fault: Fault) -> str:
    meant = "surrogate" if fault.code_point is None else f"surrogate {_meant(fault)}"
    return f"{meant} ({_shown(fault)}), which {fault.form} cannot hold"


def _surrogate_pair(fault: Fault) -> str:
    meant, shown = _meant(fault), _shown(fault)
    if fault.side == "text":
        return f"{meant} may complete a surrogate pair in the file, which cannot be read or changed there"
    return f"surrogate pair byte sequence ({shown}) for {meant}, which {fault.form} writes as four bytes"


def _too_long(fault: Fault) -> str:
    leading_ones = 8 - (fault.units[0] ^ 0xFF).bit_length() if fault.units else 0
    length = {5: "five", 6: "six"}.get(leading_ones, "five- or six")
    begun = "" if fault.code_point is not None else "incomplete "
    return f"{begun}{length}-byte sequence ({_shown(fault)}), which {fault.form} does not have"


def _truncated(fault: Fault) -> str:
    cause = "the end of the input" if fault.at_end else "another byte"
    return f"sequence {_shown(fault)} is cut short by {cause}"


def _unrepresentable(fault: Fault) -> str:
    if fault.side == "source":
        return f"{_meant(fault)} ({_shown(fault)}) is above U+10FFFF, which a Python str cannot hold"
    count = fault.end - fault.start if fault.side == "text" else 1
    others = "" if count == 1 else f" and {count - 1} more"
    return f"{_meant(fault)}{others} cannot be written in {fault.form}"


def _raw_nul(fault: Fault) -> str:
    if fault.form == "mutf-8":
        return "byte 00: mutf-8 writes U+0000 as C0 80"
    return "U+0000 must not occur in a document outside its magic number"


def _unexamined(fault: Fault) -> str:
    what = f"{fault.path} ({fault.type})" if isinstance(fault, UnexaminedFault) else "an object"
    return f"{what} was not examined and may hold text"


def _escaped_surrogate(fault: Fault) -> str:
    written = fault.units.replace(b"\0", b"").decode("ascii", "replace")
    return f"escape {written} of an unpaired surrogate"


def _of_unknown_kind(fault: Fault) -> str:
    """Describe a fault that was not made here, or that another version pickled."""
    return f"fault of the unknown kind {fault.kind!r} ({_shown(fault)})"


_SENTENCES: Mapping[Kind, Callable[[Fault], str]] = {
    "overlong": lambda f: f"overlong form of {_meant(f)} ({_shown(f)})",
    "surrogate": _surrogate,
    "beyond-unicode": lambda f: f"{_meant(f)} ({_shown(f)}) is beyond U+10FFFF",
    "too-long": _too_long,
    "invalid-byte": lambda f: f"byte {_shown(f)} cannot begin a sequence",
    "unexpected-continuation": lambda f: f"continuation byte {_shown(f)} where a lead byte is expected",
    "truncated": _truncated,
    "surrogate-pair": _surrogate_pair,
    "unpaired-surrogate": lambda f: f"unpaired surrogate {_meant(f, 'code point')} ({_shown(f)})",
    "four-byte": lambda f: (
        f"four-byte sequence ({_shown(f)}) for {_meant(f)}, which {f.form} writes as a surrogate pair"
    ),
    "raw-nul": _raw_nul,
    "escape-collision": lambda f: f"{_meant(f)} ({_shown(f)}) collides with the escapes of {f.form}",
    "reserved": lambda f: f"sequence {_shown(f)} is reserved for future use",
    "unrepresentable": _unrepresentable,
    "odd-length": lambda f: f"the input ends inside a code unit (left over: {_shown(f)})",
    "control": lambda f: f"control character {_meant(f)} should not be in a document",
    "line-terminator": lambda f: f"{_meant(f)} should not be in a document: lines end in U+000A",
    "no-final-newline": lambda f: "the last character of a document should be U+000A",
    "no-signature": lambda f: f"a document should begin with the magic number of {f.form}",
    "joined-pair": lambda f: f"surrogate pair, which is read back from {f.form} as one code point, {_meant(f)}",
    "needless-escape": lambda f: f"needless escapes ({_shown(f)}) for {_meant(f)}, which {f.form} does not escape",
    "unexamined": _unexamined,
    "other-form": lambda f: f"the file appears to be in a form other than {f.form}",
    "escaped-surrogate": _escaped_surrogate,
    "undefined": lambda f: f"{f.form} does not define {_shown(f)}",
    "mojibake": lambda f: f"UTF-8 that was read in a legacy charset and encoded again ({_shown(f)})",
}


class DecodeError(UnicodeDecodeError):
    r"""Raised when bytes are ill-formed in the form to decode from.

    ``start`` and ``end`` delimit the decoding unit, in bytes of ``object``. ``fault`` is the fault that contains this
    unit, so its span may be wider. The exception can be pickled and copied.

    >>> import eightfold
    >>> try:
    ...     eightfold.decode(b"\xed\xa0\x80", "utf-8")
    ... except eightfold.DecodeError as error:
    ...     print(error.start, error.end, error.fault.end, error.fault.kind)
    0 1 3 surrogate
    """

    fault: Fault | None

    def __init__(
        self, encoding: str, object: bytes, start: int, end: int, reason: str, fault: Fault | None = None
    ) -> None:
        super().__init__(encoding, object, start, end, reason)
        self.fault = fault

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.encoding, self.object, self.start, self.end, self.reason, self.fault), self.__dict__


class EncodeError(UnicodeEncodeError):
    r"""Raised when a form cannot write a code point of a str.

    ``start`` and ``end`` count code points of ``object``. The exception can be pickled and copied.

    >>> import eightfold
    >>> try:
    ...     eightfold.encode("a\ud800", "utf-8")
    ... except eightfold.EncodeError as error:
    ...     print(error.start, error.end, error.fault)
    1 2 U+D800 cannot be written in utf-8
    """

    fault: Fault | None

    def __init__(
        self, encoding: str, object: str, start: int, end: int, reason: str, fault: Fault | None = None
    ) -> None:
        super().__init__(encoding, object, start, end, reason)
        self.fault = fault

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.encoding, self.object, self.start, self.end, self.reason, self.fault), self.__dict__


class ConversionError(UnicodeError):
    r"""Raised when input cannot be converted: it is ill-formed, or the target cannot write a code point of it.

    ``start`` and ``end`` are offsets into the source: bytes for ``convert``, indices for ``encode_code_points``.
    The exception can be pickled and copied.

    >>> import eightfold
    >>> try:
    ...     eightfold.convert(b"ab\xed\xa0\x80", "wtf-8", "utf-8")
    ... except eightfold.ConversionError as error:
    ...     print(error.start, error.end, error)
    2 5 wtf-8 to utf-8, at 2: U+D800 cannot be written in utf-8
    """

    def __init__(self, source: str, target: str, start: int, end: int, fault: Fault) -> None:
        super().__init__(f"{source} to {target}, at {start}: {fault}")
        self.source = source
        self.target = target
        self.start = start
        self.end = end
        self.fault = fault

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.target, self.start, self.end, self.fault), self.__dict__


def fault_of(error: BaseException) -> Fault | None:
    r"""Return the fault that an exception carries, or None. Use it with ``except UnicodeDecodeError``.

    Python's own exceptions have no ``fault`` attribute; those of this package (``except eightfold.DecodeError``) do.

    >>> import eightfold
    >>> try:
    ...     eightfold.decode(b"\xff", "utf-8")
    ... except UnicodeDecodeError as error:
    ...     print(fault_of(error))
    byte FF cannot begin a sequence
    """
    fault = getattr(error, "fault", None)
    return fault if isinstance(fault, Fault) else None
