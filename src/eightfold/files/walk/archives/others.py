"""Archives whose names are not read, and how they begin."""

from __future__ import annotations

import re
from collections.abc import Iterable

from eightfold.files import FileError

HEAD_BYTES = 1 << 12
_BINARY_CPIO = 26
"""The length of the header of a binary cpio; that of its name is at byte 20."""
_OTHERS = (
    ("7z", rb"7z\xbc\xaf\x27\x1c"),
    ("rar", rb"Rar!\x1a\x07"),
    ("ar", rb"!<(arch|thin)>\n"),
    ("cpio", rb"07070[12][0-9A-Fa-f]{104}|070707[0-7]{70}"),
    ("cab", rb"MSCF\0{4}"),
    ("xar", rb"xar!\0"),
    ("lha", rb"..-l[hz][0-9a-z]-.{13}[\0-\x03]"),
    ("rpm", rb"\xed\xab\xee\xdb"),
)
"""How archives begin whose names are not read: so much of them that text is not taken for one."""
_OTHERS_COMPRESSED = (
    ("lzip", rb"LZIP[\0\x01]"),
    ("lz4", rb"\x04\x22\x4d\x18|\x02\x21\x4c\x18"),
    ("compress", rb"\x1f\x9d[\x89-\x90]"),
)
"""How compressed files begin that are not decompressed, so that nothing shows whether there is a tar in them."""


def refuse(path: str, head: bytes) -> None:
    """Refuse an archive whose names cannot be read.

    Raises:
        FileError: the file begins like one.
    """
    if kind := kind_of(head):
        raise FileError(path, f"{kind} archives are not read: its names were not examined")
    if kind := _kind_of(head, _OTHERS_COMPRESSED):
        raise FileError(path, f"it is compressed in a way that is not read ({kind}): names in it were not examined")


def kind_of(head: bytes) -> str:
    r"""Return which archive begins so, of those whose names are not read; empty if none.

    >>> kind_of(b"!<arch>\nand more"), kind_of(b"text")
    ('ar', '')
    """
    return _kind_of(head, _OTHERS) or ("cpio" if _is_binary_cpio(head) else "")


def _kind_of(head: bytes, kinds: Iterable[tuple[str, bytes]]) -> str:
    return next((kind for kind, pattern in kinds if re.match(pattern, head, re.DOTALL)), "")


def _is_binary_cpio(head: bytes) -> bool:
    """Return whether a file begins with a cpio header of either byte order and the name that it announces, with NUL."""
    if head[:2] not in (b"\xc7\x71", b"\x71\xc7"):
        return False
    length = int.from_bytes(head[20:22], "little" if head[0] == 0xC7 else "big")
    name = head[_BINARY_CPIO : _BINARY_CPIO + length]
    return len(name) == length > 1 and name.find(b"\0") == length - 1
