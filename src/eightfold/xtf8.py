r"""XTF-8's own operations, bytes to bytes, and the bridges to PEP 383.

A hybrid byte string, which is UTF-8 with binary bytes in it, becomes UTF-8 and comes back: the bytes of ill-formed
sequences, all of them 80 to FF, are written as U+EF80 to U+EFFF. Which bytes those are is the business of the form
``xtf-8``; here are the directions, names and defaults of XTF-8's own document. Seen from Python's codecs the directions
are the other way round: ``data.decode("xtf-8")`` is :func:`encode`.

Ill-formed input is never skipped, and no escape gives an ASCII byte: ``ignore`` is refused.

Source: XTF-8, sections Algorithm and Security; PEP 383.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from heapq import merge
from typing import Literal

from eightfold import text as verbs
from eightfold.faults import UNITS_KEPT, Fault
from eightfold.forms.utf_8 import UTF_8
from eightfold.forms.xtf_8 import COLLISION, ESCAPE, XTF_8
from eightfold.policy import check_offered, check_policy
from eightfold.text import Data, bytes_of

_FROM_PEP_383 = dict(zip(range(0xDC80, 0xDD00), range(ESCAPE.first, ESCAPE.last + 1), strict=True))
_ESCAPES = re.compile(b"(?:%s)+" % b"".join(b"[\\x%02x-\\x%02x]" % bounds for bounds in COLLISION.unit_ranges))
"""Escapes side by side, as UTF-8 writes them. Their first byte begins sequences only, so no other holds them."""
_ESCAPE_BYTES = len(COLLISION.unit_ranges)
_NO_ESCAPE = re.compile(f"[^{chr(ESCAPE.first)}-{chr(ESCAPE.last)}]")
_pep_383 = codecs.lookup_error("surrogateescape")


def encode(hybrid: Data, errors: Literal["replace", "strict", "escape"] = "replace") -> bytes:
    r"""Return a hybrid byte string as UTF-8: each byte of an ill-formed sequence as its escape, the rest as it is.

    Args:
        hybrid: any bytes.
        errors: what to do with U+EF80 to U+EFFF in the input, which look like escapes: ``replace`` writes U+FFFD,
            ``strict`` raises, ``escape`` escapes the three bytes one by one. With ``escape``, and only with it,
            :func:`decode` gives every byte string back.

    Raises:
        ConversionError: there is such a code point, and the policy is strict; ``start`` is its offset.
        ValueError: another policy.

    Source: XTF-8, Algorithm; ``escape`` is the rule of MirBSD's OPTU-8.

    >>> encode(b"caf\xe9").decode()
    'caf\uefe9'
    >>> encode(b"\xee\xbe\x80"), decode(encode(b"\xee\xbe\x80", "escape"))
    (b'\xef\xbf\xbd', b'\xee\xbe\x80')
    """
    _check(errors, "replace", "strict", "escape")
    return verbs.convert(hybrid, "xtf-8", "utf-8", errors)


def decode(data: Data, errors: Literal["replace", "strict"] = "replace") -> bytes:
    r"""Return the hybrid byte string of UTF-8 with escapes: U+EF80 to U+EFFF as bytes 80 to FF, the rest as it is.

    Args:
        data: UTF-8.
        errors: what to do where the data are ill-formed: ``replace`` writes ``EF BF BD`` for each maximal subpart,
            ``strict`` raises.

    Raises:
        ConversionError: the data are ill-formed, and the policy is strict.
        ValueError: another policy.

    Source: XTF-8, Algorithm.

    >>> decode("caf\uefe9".encode())
    b'caf\xe9'
    """
    _check(errors, "replace", "strict")
    return verbs.convert(data, "utf-8", "xtf-8", errors)


def lint(data: Data) -> Iterator[Fault]:
    r"""Yield what keeps UTF-8 with escapes from coming back as it is, in order of offset.

    There is nothing to yield if, and only if, ``encode(decode(data), "escape") == data``.

    Errors are ill-formed sequences. Warnings, of kind ``needless-escape``, are escapes side by side whose bytes are
    together a well-formed sequence: decoding gives a character, and that is not escaped again. ``encode`` never writes
    them; who does may want to smuggle a character past a check of the text.

    Args:
        data: UTF-8.

    Source: XTF-8, Algorithm.

    >>> [(fault.start, fault.end, str(fault)) for fault in lint("caf\uefc3\uefa9".encode())]
    [(3, 9, 'escapes (EE BF 83 EE BE A9) of the bytes of U+00E9, which xtf-8 leaves as it is')]
    >>> list(lint("caf\uefe9".encode()))
    []
    """
    content = bytes_of(data)
    return merge(verbs.faults(content, UTF_8), _needless_escapes(content), key=lambda fault: fault.start)


def _needless_escapes(content: bytes) -> Iterator[Fault]:
    for escapes in _ESCAPES.finditer(content):
        text = verbs.decode(decode(escapes[0]), XTF_8, "escape")
        # Each escape that stays stands for one byte, and so does each byte of a character.
        seen, start = 0, escapes.start()
        for found in _NO_ESCAPE.finditer(text):
            start += (found.start() - seen) * _ESCAPE_BYTES
            end = start + len(found[0].encode()) * _ESCAPE_BYTES
            units = content[start : min(end, start + UNITS_KEPT)]
            yield Fault("needless-escape", XTF_8.name, start, end, units, ord(found[0]), severity="warning")
            seen, start = found.end(), end


def _check(errors: str, *offered: str) -> None:
    if errors in XTF_8.refuses:
        check_policy(errors, XTF_8)
    check_offered(errors, *offered)


def from_surrogateescape(text: str) -> str:
    r"""Return a str of PEP 383, such as a file name from ``os.fsdecode``, as valid Unicode with XTF-8's escapes.

    U+DC80 to U+DCFF become U+EF80 to U+EFFF, and U+EF80 to U+EFFF are escaped themselves, so that
    :func:`to_surrogateescape` gives the name back. That holds for what ``surrogateescape`` makes of bytes; a str in
    which surrogates spell out well-formed UTF-8 comes back as that text.

    Raises:
        EncodeError: the text holds other surrogates.

    Source: PEP 383; XTF-8, Rationale.

    >>> from_surrogateescape("caf\udce9")
    'caf\uefe9'
    """
    return verbs.decode(verbs.encode(text, "utf-8", "surrogateescape"), "xtf-8", "escape")


def to_surrogateescape(text: str) -> str:
    r"""Return a str with XTF-8's escapes as a str of PEP 383: the inverse of :func:`from_surrogateescape`.

    Raises:
        EncodeError: the text holds surrogates.

    Source: PEP 383; XTF-8, Rationale.

    >>> to_surrogateescape("caf\uefe9")
    'caf\udce9'
    """
    return verbs.decode(verbs.encode(text, "xtf-8", "escape"), "utf-8", "surrogateescape")


def escape_errors(error: UnicodeError) -> tuple[str, int]:
    r"""Answer a decoding error with XTF-8's escapes: the error handler ``xtf8`` of ``data.decode("utf-8", "xtf8")``.

    A handler sees only what is ill-formed: U+EF80 to U+EFFF in well-formed input pass unnoticed, so that what it gives
    cannot always be turned back. Where that matters, decode with the codec ``xtf-8``. Encoding errors, and units that
    begin with an ASCII byte (other encodings have them), are raised again.

    Source: XTF-8, Algorithm; PEP 383, whose handler it follows.

    >>> escape_errors(UnicodeDecodeError("utf-8", b"caf\xe9", 3, 4, "unexpected end of data"))
    ('\uefe9', 4)
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    escaped, position = _pep_383(error)
    return str(escaped).translate(_FROM_PEP_383), position


__all__ = ["decode", "encode", "escape_errors", "from_surrogateescape", "lint", "to_surrogateescape"]
