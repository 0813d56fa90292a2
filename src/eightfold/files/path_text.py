r"""File names for people and for JSON: one line each, whatever bytes the file system holds.

A name that is not UTF-8 reaches Python with its bytes as U+DC80 to U+DCFF (PEP 383), which no UTF-8 encoder accepts.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress

from eightfold import xtf8

_SMUGGLED_BYTES = range(0xDC80, 0xDD00)
_HAS_BACKSLASHES = os.name == "posix"
"""Whether a name can have one."""
_LOOKS_ESCAPED = re.compile(r"\\(x[0-9A-F]{2}|u[0-9A-F]{4}|U[0-9A-F]{8})")
"""Matches an escape of :func:`shown`."""


LONGEST_PATH = 4096
"""The maximum number of characters shown. Linux opens no longer path, but names in archives may have any length."""
LONGEST_OPENED = LONGEST_PATH if os.name == "posix" else 3 * 32_767
"""The maximum number of bytes of a path in a plan, a log, a journal or a list: no system opens a longer one at once."""


def shown(path: str, most: int = LONGEST_PATH) -> str:
    r"""Return a name with everything that is not printable as a backslash escape: bytes and controls as ``\xHH``.

    For reading, not for opening: a backslash in the name itself is not escaped.

    Args:
        path: the name, or any other untrusted text.
        most: the number of characters to show; a longer text is cut, and its length added.

    >>> print(shown("caf\udce9.txt"), shown("two\nlines"), shown("\u202etxt.exe"))
    caf\xE9.txt two\x0Alines \u202Etxt.exe
    >>> shown("abcdefgh", 3)
    'abc… (8 characters)'
    """
    if len(path) <= most and path.isprintable():
        return path
    cut = f"… ({len(path)} characters)" if len(path) > most else ""
    return "".join(each if each.isprintable() else _escaped(ord(each)) for each in path[:most]) + cut


def reported(path: str) -> str:
    r"""Return a name for a report that programs read: as it is, so that they find the file, if it is Unicode text.

    A name that is not, or that has what looks like an escape, is as in :func:`with_escapes`, so that no two files have
    one name in a report. So is a name that no file can have, but cut.

    >>> reported("\u3000\n") == "\u3000\n", reported("caf\udce9\n"), reported(r"caf\xE9")
    (True, 'caf\\xE9\\x0A', 'caf\\\\xE9')
    """
    with suppress(UnicodeEncodeError):
        if len(path.encode()) > LONGEST_OPENED:
            return shown(path)
        if not (_HAS_BACKSLASHES and _LOOKS_ESCAPED.search(path)):
            return path
    return with_escapes(path)


def with_escapes(path: str) -> str:
    r"""Return a name as :func:`shown` does, but with a backslash of its own as two: no two names become one.

    >>> print(with_escapes("a\\b\udcff"))
    a\\b\xFF
    """
    # Where a backslash separates names, none has one.
    return shown(path.replace("\\", r"\\") if _HAS_BACKSLASHES else path, 2 * LONGEST_PATH)


def _escaped(code_point: int) -> str:
    if code_point in _SMUGGLED_BYTES and os.name == "posix":
        return f"\\x{code_point - _SMUGGLED_BYTES.start + 0x80:02X}"
    return escape_of(code_point)


def escape_of(code_point: int) -> str:
    r"""Return the escape of a code point: ``\xHH`` for ASCII, else ``\uHHHH`` or ``\UHHHHHHHH``.

    >>> print(escape_of(0x0A), escape_of(0x202E), escape_of(0x10FFFF))
    \x0A \u202E \U0010FFFF
    """
    if code_point < 0x80:
        return f"\\x{code_point:02X}"
    return f"\\u{code_point:04X}" if code_point <= 0xFFFF else f"\\U{code_point:08X}"


def as_text(path: str) -> str:
    r"""Return a name as XTF-8 text: valid Unicode for JSON, from which :func:`as_path` restores the name to the byte.

    >>> as_text("caf\udce9.txt")
    'caf\uefe9.txt'
    """
    return xtf8.encode(os.fsencode(path), "escape").decode()


def as_path(text: str) -> str:
    r"""Return the name that XTF-8 text stands for: the inverse of :func:`as_text`.

    Raises:
        ValueError: the text is not Unicode text, or no file can have this name, or it is too long.

    >>> as_path("caf\uefe9.txt")
    'caf\udce9.txt'
    """
    name = xtf8.decode(text.encode())
    if not name or b"\0" in name:
        raise ValueError(f"'{shown(text)}' is not a valid file name")
    if why_not := why_too_long(name):
        raise ValueError(why_not)
    return os.fsdecode(name)


def why_too_long(path: bytes) -> str:
    """Return why a path is too long to work on, which could cost the square of its length; empty if it is not.

    >>> why_too_long(b"a/" * 100_000), why_too_long(b"a")
    ('a path of 200,000 bytes is longer than any that can be opened', '')
    """
    is_too_long = len(path) > LONGEST_OPENED
    return f"a path of {len(path):,} bytes is longer than any that can be opened" if is_too_long else ""
