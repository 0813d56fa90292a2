"""The policies of a repair: how each replaces the bytes of a fault."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Literal, TypeAlias

from eightfold.forms import Form
from eightfold.forms.utf_8 import UTF_8
from eightfold.forms.xtf_8 import ESCAPE
from eightfold.policy import check_is_str, check_offered
from eightfold.text import convert, is_well_formed

Policy: TypeAlias = Literal["escape", "strict", "replace", "pairs", "latin-1", "cp1252"]

POLICIES: Mapping[str, str] = {
    "escape": "each byte as its XTF-8 escape, U+EF80 to U+EFFF; those code points in the input too",
    "strict": "nothing: any fault is an error",
    "replace": "U+FFFD, once per decoding unit",
    "pairs": "a surrogate pair byte sequence, as CESU-8 has it, as four bytes; any other fault is an error",
    "latin-1": "each byte as the character that it is in Latin-1",
    "cp1252": "each byte as the character that it is in windows-1252, as browsers read it",
}
"""What each policy writes for a fault."""

ESCAPE_POLICIES: Mapping[str, str] = {
    "replace": r"\ufffd",
    "ignore": "nothing",
    "backslashreplace": r"the text of the escape, as \\ud83d",
    "xmlcharrefreplace": "&#55357;",
    "namereplace": r"the text of the escape, as \\ud83d",
    "strict": "nothing: any escape is an error",
}
"""What each policy of :mod:`eightfold.jsontext` writes for an escape of an unpaired surrogate in JSON."""

_CHARSETS = ("latin-1", "cp1252")
"""The policies that are named as Python names a charset."""


def policy_named(name: str) -> str:
    """Return the policy with a name; one that is a charset has all the names that Python has for this.

    Raises:
        ValueError: there is none. TypeError: the name is not a str.

    >>> policy_named("windows-1252"), policy_named("ISO-8859-1"), policy_named("pairs")
    ('cp1252', 'latin-1', 'pairs')
    >>> policy_named("cp437")
    Traceback (most recent call last):
    ValueError: errors must be one of escape, strict, replace, pairs, latin-1, cp1252 here, not 'cp437'
    """
    check_is_str(name)
    policy = name if name in POLICIES else _charset(name)
    check_offered(policy, *POLICIES)
    return policy


def _charset(name: str) -> str:
    """Return the policy that is a charset of this name; if there is none, the name."""
    with suppress(LookupError, ValueError):  # Python knows no such codec, or no codec can have this name.
        codec = codecs.lookup(name).name
        for policy in _CHARSETS:
            if codecs.lookup(policy).name == codec:
                return policy
    return name


LOSSLESS = ("escape", "strict")
"""The policies under which different inputs give different results, so the result alone determines the original."""

ESCAPES = range(ESCAPE.first, ESCAPE.last + 1)
"""The code points that XTF-8 uses as escapes of bytes."""
_ESCAPE_OF_BYTE = dict(zip(range(0x80, 0x100), ESCAPES, strict=True))
_C1 = dict(zip(range(0xDC80, 0xDCA0), range(0x80, 0xA0), strict=True))
"""The characters for bytes undefined in Python's cp1252: according to WHATWG, the C1 control of the same value."""


def escaped(form: Form, span: bytes) -> bytes | None:
    r"""Return the escapes of bytes, or None if a byte has no escape.

    >>> from eightfold.forms import form
    >>> escaped(form("utf-8"), b"\xe9").decode()
    '\uefe9'
    """
    # Bytes below 80 are never ill-formed in UTF-8, and XTF-8 has no escapes for them.
    return None if min(span) < 0x80 else span.decode("latin-1").translate(_ESCAPE_OF_BYTE).encode()


def _joined(form: Form, span: bytes) -> bytes | None:
    return convert(span, "cesu-8", UTF_8) if is_well_formed(span, "cesu-8") else None


WRITERS: Mapping[str, Callable[[Form, bytes], bytes | None]] = {
    "escape": escaped,
    "strict": lambda form, span: None,
    "replace": lambda form, span: convert(span, form, UTF_8, "replace"),
    "pairs": _joined,
    "latin-1": lambda form, span: span.decode("latin-1").encode(),
    "cp1252": lambda form, span: span.decode("cp1252", "surrogateescape").translate(_C1).encode(),
}
"""For each policy, a function that returns the replacement for the bytes of a fault, or None if there is none."""
