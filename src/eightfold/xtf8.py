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
from typing import Literal

from eightfold import text as verbs
from eightfold.forms.xtf_8 import ESCAPE, XTF_8
from eightfold.policy import check_offered, check_policy
from eightfold.text import Data

_FROM_PEP_383 = dict(zip(range(0xDC80, 0xDD00), range(ESCAPE.first, ESCAPE.last + 1), strict=True))
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


__all__ = ["decode", "encode", "escape_errors", "from_surrogateescape", "to_surrogateescape"]
