r"""Names of files as people and JSON can take them: one line each, whatever bytes the file system holds.

A name that is no UTF-8 reaches Python with its bytes as U+DC80 to U+DCFF (PEP 383), which no UTF-8 writer takes.
"""

from __future__ import annotations

import os

_SMUGGLED_BYTES = range(0xDC80, 0xDD00)


def shown(path: str) -> str:
    r"""Return a name with everything that is not printable as a backslash escape: bytes and controls as ``\xHH``.

    For reading, not for opening: a backslash of the name itself stays as it is.

    >>> print(shown("caf\udce9.txt"), shown("two\nlines"), shown("\u202etxt.exe"))
    caf\xE9.txt two\x0Alines \u202Etxt.exe
    """
    return "".join(character if character.isprintable() else _escaped(ord(character)) for character in path)


def _escaped(code_point: int) -> str:
    if code_point in _SMUGGLED_BYTES and os.name == "posix":
        return f"\\x{code_point - _SMUGGLED_BYTES.start + 0x80:02X}"
    if code_point < 0x80:
        return f"\\x{code_point:02X}"
    return f"\\u{code_point:04X}" if code_point <= 0xFFFF else f"\\U{code_point:08X}"
