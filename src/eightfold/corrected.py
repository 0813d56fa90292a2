r"""The document rules of Corrected UTF-8, which go beyond well-formedness, and a linter for them.

The rules about characters are a form, :data:`DOCUMENT`: Corrected UTF-8 without the characters that a document should
not contain, which are fault rows of the form. Any function that finds faults therefore finds these too, in order and
with their spans, and nothing here decodes. Two rules concern the file as a whole; their spans are empty.

Source: Corrected UTF-8, Putting it all together; Other legacy control characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from eightfold.arguments import AnyErrors, Data, bytes_of, exactly
from eightfold.faults import EncodeError, Fault, Kind
from eightfold.forms import Form, Row, Signature, corrected_utf_8, fault_row
from eightfold.forms.corrected_utf_8 import MAGIC
from eightfold.forms.utf_8 import CONTINUATION
from eightfold.reference import opening
from eightfold.stream import Checker, Located
from eightfold.stream.turns import Copied, in_turn
from eightfold.text import LinePosition, encode

_C = CONTINUATION
_TABLE = "Corrected UTF-8, Putting it all together"
_RULES = "Corrected UTF-8, Other legacy control characters"

_ASCII, _TWO_BYTES, _FROM_08A0, *_OTHERS = corrected_utf_8.ROWS

# ASCII without its C0 controls except U+000A, and the row from U+08A0 on without U+2028 and U+2029 (E1 9E 88-89).
_ROWS = (
    Row(0xA, 0xA, 0x0A, source=_TABLE),
    Row(0x20, 0x7F, (0x20, 0x7F), source=_TABLE),
    _TWO_BYTES,
    Row(0x8A0, 0x189F, 0xE0, _C, _C, source=_TABLE),
    Row(0x18A0, 0x201F, 0xE1, (0x80, 0x9D), _C, source=_TABLE),
    Row(0x2020, 0x2027, 0xE1, 0x9E, (0x80, 0x87), source=_TABLE),
    Row(0x202A, 0x205F, 0xE1, 0x9E, (0x8A, 0xBF), source=_TABLE),
    Row(0x2060, 0x289F, 0xE1, (0x9F, 0xBF), _C, source=_TABLE),
    Row(0x28A0, 0xC89F, (0xE2, 0xEB), _C, _C, source=_TABLE),
    *_OTHERS,
)
_UNITS = (
    fault_row("raw-nul", 0x00, meant=(0x0, 0x0), source=_RULES),
    fault_row("control", (0x01, 0x09), meant=(0x1, 0x9), source=_RULES),
    fault_row("control", (0x0B, 0x0C), meant=(0xB, 0xC), source=_RULES),
    fault_row("line-terminator", 0x0D, meant=(0xD, 0xD), source=_RULES),
    fault_row("control", (0x0E, 0x1F), meant=(0xE, 0x1F), source=_RULES),
    fault_row("line-terminator", 0xE1, 0x9E, (0x88, 0x89), meant=(0x2028, 0x2029), source=_RULES),
    corrected_utf_8.RESERVED,
)
_NAME = "corrected-utf-8"

DOCUMENT = Form(
    _NAME,
    _ROWS,
    units=_UNITS,
    signatures=(Signature(MAGIC, Form(_NAME, _ROWS, units=_UNITS, source=_RULES)),),
    note="The characters of a Corrected UTF-8 document, after its magic number. Use it to find faults.",
    source=_RULES,
)
"""The characters allowed in a document, as a form; the others are fault rows. U+007F is not a C0 control."""

_LINE_ENDS = (b"\r\n", b"\r", b"\xe1\x9e\x88", b"\xe1\x9e\x89")
"""Other line terminators, with U+2028 and U+2029 last; these bytes occur in a sequence only at its beginning."""

_BYTES_AT_ONCE = 1 << 16
"""How much is linted at once: each fault is an object."""

_SHOULD: tuple[Kind, ...] = ("control", "line-terminator")
"""Kinds that violate a SHOULD and are therefore warnings."""


def lint(data: Data) -> Iterator[Fault]:
    r"""Yield the faults of a Corrected UTF-8 document, in order of offset.

    Errors are ill-formed sequences, and U+0000 outside the magic number. Warnings are ``control`` (C0 controls
    other than U+000A and U+000D), ``line-terminator`` (U+000D, U+2028, U+2029), ``no-signature``, whose span is empty
    at offset 0, and ``no-final-newline``, whose span is empty at the end of the input. An empty document lacks the
    magic number, but not the final newline, because it has no lines.

    Args:
        data: a whole document; offsets count from its first byte, including the magic number.

    Source: Corrected UTF-8, Putting it all together; Other legacy control characters.

    >>> [(fault.start, fault.severity, str(fault)) for fault in lint(MAGIC + b"a\0b\n")]
    [(9, 'error', 'U+0000 must not occur in a document outside its magic number')]
    >>> [(fault.start, fault.end, fault.kind) for fault in lint(b"a\tb")]
    [(0, 0, 'no-signature'), (1, 2, 'control'), (3, 3, 'no-final-newline')]
    """
    return (found.fault for found in _linted(bytes_of(data)))


def _linted(content: bytes) -> Iterator[Located]:
    linter = Linter()
    for at in range(0, len(content), _BYTES_AT_ONCE):
        yield from linter.check(content[at : at + _BYTES_AT_ONCE])
    yield from linter.check(b"", final=True)


def write_document(
    text: str, errors: AnyErrors = "strict", *, end_lines: bool = False, end_last_line: bool = False
) -> bytes:
    r"""Return a text as a Corrected UTF-8 document: with the magic number, and without U+0000.

    Args:
        text: any str.
        errors: how to handle code points that the form cannot write: C1 controls and surrogates. U+0000 is always an
            error.
        end_lines: end every line with U+000A: replace U+000D U+000A, U+000D, U+2028 and U+2029 with it.
        end_last_line: end the last line with U+000A too; an empty text has no lines.

    Raises:
        EncodeError: the text contains U+0000, or a code point that the form cannot write, and the policy is strict.
        LookupError: unknown policy. ValueError: an error handler wrote U+0000.

    Source: Corrected UTF-8, Putting it all together; Other legacy control characters.

    >>> document = write_document("one\r\ntwo", end_lines=True, end_last_line=True)
    >>> document == MAGIC + b"one\ntwo\n", list(lint(document))
    (True, [])
    """
    text = exactly(text)
    if "\0" in text:
        at = text.index("\0")
        fault = Fault("raw-nul", _NAME, at, at + 1, b"", 0, "text")
        raise EncodeError(_NAME, text, at, at + 1, str(fault), fault)
    data = encode(text, corrected_utf_8.CORRECTED_UTF_8, errors)
    if b"\0" in data:
        raise ValueError(f"the error handler {errors!r} wrote U+0000, which must not occur in a document")
    if end_lines:
        for line_end in _LINE_ENDS:
            data = data.replace(line_end, b"\n")
    ended = b"\n" if end_last_line and data and not data.endswith(b"\n") else b""
    return MAGIC + data + ended


@in_turn("check", "__getstate__")
class Linter(Copied):
    r"""Lints a document piece by piece: the faults of :func:`lint` for the whole, with lines and columns.

    Use it like :class:`~eightfold.Checker`.

    >>> linter = Linter()
    >>> found = linter.check(MAGIC + b"a\r") + linter.check(b"\n", final=True)
    >>> [(each.fault.kind, each.line, each.column) for each in found]
    [('line-terminator', 2, 2)]
    """

    def __init__(self) -> None:
        self._checker = Checker(DOCUMENT)
        self._position = LinePosition(corrected_utf_8.CORRECTED_UTF_8)
        self._head = b""
        self._opened = False
        self._length = 0
        self._last = b""

    def check(self, chunk: Data, final: bool = False) -> list[Located]:
        r"""Return the faults that later bytes cannot change, with offsets into the whole document.

        Args:
            chunk: the next bytes of the document.
            final: whether these are the last. Use another Linter for another document.

        >>> linter = Linter()
        >>> [(each.fault.kind, each.fault.start) for each in linter.check(MAGIC + b"a\tb")]
        [('control', 9)]
        >>> [(each.fault.kind, each.line, each.column) for each in linter.check(b"", final=True)]
        [('no-final-newline', 2, 4)]
        """
        content = bytes_of(chunk)
        self._position.pass_over(content)
        self._length += len(content)
        self._last = content[-1:] or self._last
        found = self._missing_signature(content, final=final)
        found += [_weighed(each) for each in self._checker.check(content, final)]
        return found + self._missing_newline() if final else found

    def _missing_signature(self, content: bytes, *, final: bool) -> list[Located]:
        if self._opened:
            return []
        self._head = (self._head + content)[: len(MAGIC)]
        opened = opening(DOCUMENT, self._head, final=final)
        if opened is None:
            return []
        self._opened = True
        _, signature_length = opened
        return [] if signature_length else [Located(_warning("no-signature", 0), 1, 1)]

    def _missing_newline(self) -> list[Located]:
        # U+000A is the byte 0A, which is not part of any other sequence.
        if self._last in (b"", b"\n"):
            return []
        fault = _warning("no-final-newline", self._length)
        return [Located(fault, self._position.line, self._position.column)]


def _warning(kind: Kind, offset: int) -> Fault:
    return Fault(kind, _NAME, offset, offset, severity="warning")


def _weighed(found: Located) -> Located:
    fault, line, column = found
    return Located(replace(fault, severity="warning"), line, column) if fault.kind in _SHOULD else found


__all__ = ["DOCUMENT", "Linter", "MAGIC", "lint", "write_document"]
