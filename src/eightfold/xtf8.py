r"""XTF-8's own operations, from bytes to bytes, and conversions to and from PEP 383.

These functions convert a hybrid byte string, which is UTF-8 mixed with binary bytes, to UTF-8 and back: the bytes of
ill-formed sequences, all of them in the range 80 to FF, are written as U+EF80 to U+EFFF. The form ``xtf-8`` defines
which bytes these are. Directions, names and defaults follow XTF-8's own document; Python's codecs use the opposite
directions: ``data.decode("xtf-8")`` is :func:`encode`.

Ill-formed input is never skipped, so ``ignore`` is refused; and an escape never yields an ASCII byte.

Source: XTF-8, sections Algorithm and Security; PEP 383.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from heapq import merge
from typing import Literal

from eightfold import text as verbs
from eightfold.arguments import Data, bytes_of
from eightfold.faults import UNITS_KEPT, Fault
from eightfold.forms.utf_8 import UTF_8
from eightfold.forms.xtf_8 import COLLISION, ESCAPE, XTF_8
from eightfold.policy import check_offered, check_policy

_FROM_PEP_383 = dict(zip(range(0xDC80, 0xDD00), range(ESCAPE.first, ESCAPE.last + 1), strict=True))
_ESCAPES = re.compile(b"(?:%s)+" % b"".join(b"[\\x%02x-\\x%02x]" % bounds for bounds in COLLISION.unit_ranges))
"""Adjacent escapes in UTF-8. Their first byte only occurs at the start of a sequence, so every match is an escape."""
_ESCAPE_BYTES = len(COLLISION.unit_ranges)
_NO_ESCAPE = re.compile(f"[^{chr(ESCAPE.first)}-{chr(ESCAPE.last)}]")
_pep_383 = codecs.lookup_error("surrogateescape")


def encode(hybrid: Data, errors: Literal["replace", "strict", "escape"] = "replace") -> bytes:
    r"""Convert a hybrid byte string to UTF-8: escape each byte of an ill-formed sequence, keep the rest unchanged.

    Args:
        hybrid: any bytes-like object.
        errors: how to handle U+EF80 to U+EFFF in the input, which look like escapes: ``replace`` writes U+FFFD,
            ``strict`` raises, ``escape`` escapes the three bytes one by one. Only with ``escape`` does :func:`decode`
            restore every byte string.

    Raises:
        ConversionError: the input contains such a code point, and the policy is strict; ``start`` is its offset.
        ValueError: the policy is not one of these three.

    Source: XTF-8, Algorithm; ``escape`` is the rule of MirBSD's OPTU-8.

    >>> encode(b"caf\xe9").decode()
    'caf\uefe9'
    >>> encode(b"\xee\xbe\x80"), decode(encode(b"\xee\xbe\x80", "escape"))
    (b'\xef\xbf\xbd', b'\xee\xbe\x80')
    """
    _check(errors, "replace", "strict", "escape")
    return verbs.convert(hybrid, "xtf-8", "utf-8", errors)


def decode(data: Data, errors: Literal["replace", "strict"] = "replace") -> bytes:
    r"""Convert UTF-8 with escapes to a hybrid byte string: U+EF80 to U+EFFF to bytes 80 to FF, the rest unchanged.

    Args:
        data: UTF-8.
        errors: how to handle ill-formed data: ``replace`` writes ``EF BF BD`` for each maximal subpart, ``strict``
            raises.

    Raises:
        ConversionError: the data are ill-formed, and the policy is strict.
        ValueError: the policy is not one of these two.

    Source: XTF-8, Algorithm.

    >>> decode("caf\uefe9".encode())
    b'caf\xe9'
    """
    _check(errors, "replace", "strict")
    return verbs.convert(data, "utf-8", "xtf-8", errors)


def lint(data: Data) -> Iterator[Fault]:
    r"""Yield the faults that prevent UTF-8 with escapes from round-tripping, in order of offset.

    There are no faults if and only if ``encode(decode(data), "escape") == data``.

    Errors are ill-formed sequences. Warnings, of kind ``needless-escape``, are adjacent escapes whose bytes together
    form a well-formed sequence: decoding yields a character, which encoding does not escape again. ``encode`` never
    writes them; they may be an attempt to smuggle a character past a check of the text.

    Args:
        data: UTF-8.

    Source: XTF-8, Algorithm.

    >>> [(fault.start, fault.end, str(fault)) for fault in lint("caf\uefc3\uefa9".encode())]
    [(3, 9, 'needless escapes (EE BF 83 EE BE A9) for U+00E9, which xtf-8 does not escape')]
    >>> list(lint("caf\uefe9".encode()))
    []
    """
    content = bytes_of(data)
    return merge(verbs.faults(content, UTF_8), _needless_escapes(content), key=lambda fault: fault.start)


def _needless_escapes(content: bytes) -> Iterator[Fault]:
    for escapes in _ESCAPES.finditer(content):
        text = verbs.decode(decode(escapes[0]), XTF_8, "escape")
        # Each remaining escape stands for one byte, and so does each byte of a character.
        seen, start = 0, escapes.start()
        for found in _NO_ESCAPE.finditer(text):
            start += (found.start() - seen) * _ESCAPE_BYTES
            end = start + len(found[0].encode()) * _ESCAPE_BYTES
            units = content[start : min(end, start + UNITS_KEPT)]
            yield Fault("needless-escape", XTF_8.name, start, end, units, ord(found[0]), severity="warning")
            seen, start = found.end(), end


def _check(errors: str, *offered: str) -> None:
    if not isinstance(errors, str) or errors in XTF_8.refuses:
        check_policy(errors, XTF_8)
    check_offered(errors, *offered)


def from_surrogateescape(text: str) -> str:
    r"""Convert a PEP 383 str, such as a file name from ``os.fsdecode``, to valid Unicode with XTF-8's escapes.

    U+DC80 to U+DCFF become U+EF80 to U+EFFF. U+EF80 to U+EFFF are escaped themselves, so :func:`to_surrogateescape`
    restores the name. This holds for every str that ``surrogateescape`` produces from bytes; in any other str,
    surrogates that spell out well-formed UTF-8 come back as the text they spell.

    Raises:
        EncodeError: the text contains other surrogates.

    Source: PEP 383; XTF-8, Rationale.

    >>> from_surrogateescape("caf\udce9")
    'caf\uefe9'
    """
    return verbs.decode(verbs.encode(text, "utf-8", "surrogateescape"), "xtf-8", "escape")


def to_surrogateescape(text: str) -> str:
    r"""Convert a str with XTF-8's escapes to a PEP 383 str: the inverse of :func:`from_surrogateescape`.

    Raises:
        EncodeError: the text contains surrogates.

    Source: PEP 383; XTF-8, Rationale.

    >>> to_surrogateescape("caf\uefe9")
    'caf\udce9'
    """
    return verbs.decode(verbs.encode(text, "xtf-8", "escape"), "utf-8", "surrogateescape")


def escape_errors(error: UnicodeError) -> tuple[str, int]:
    r"""Handle a decoding error with XTF-8's escapes: the error handler ``xtf8`` of ``data.decode("utf-8", "xtf8")``.

    A handler sees only ill-formed bytes. U+EF80 to U+EFFF in well-formed input pass unchanged, so the result cannot
    always be converted back. If you need that, decode with the codec ``xtf-8``. The handler re-raises encoding errors,
    and decoding errors of units that begin with an ASCII byte (which occur in other encodings).

    Source: XTF-8, Algorithm; PEP 383, whose handler it follows.

    >>> escape_errors(UnicodeDecodeError("utf-8", b"caf\xe9", 3, 4, "unexpected end of data"))
    ('\uefe9', 4)
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    escaped, position = _pep_383(error)
    return str(escaped).translate(_FROM_PEP_383), position


__all__ = ["decode", "encode", "escape_errors", "from_surrogateescape", "lint", "to_surrogateescape"]
