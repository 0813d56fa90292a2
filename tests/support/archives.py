"""Archives whose names are examined: zips made byte by byte, and what is read from any archive."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from eightfold.files import FileError
from eightfold.files.walk.listing import names_of
from eightfold.files.walk.names import Name


def names_in(path: Path) -> list[Name]:
    return [name for name in names_of(str(path), pytest.fail) if name.place != str(path.parent)]


def cut_or_changed(path: Path, data: bytes) -> list[bytes]:
    """Return the names of members that are read before the archive turns out to be damaged."""
    path.write_bytes(data)
    found: list[Name] = []
    with pytest.raises(FileError, match="this archive is damaged"):
        # What came before the error stays.
        found.extend(names_of(str(path), pytest.fail))
    *members, own = (name.name for name in found)
    assert own == os.fsencode(path.name)
    return members


def zip_of(names: list[tuple[bytes, int, bytes]], before: bytes = b"", comment: bytes = b"") -> bytes:
    """Return a zip with empty members: each a name, flags, and an extra field."""
    file, entries = bytearray(before), b""
    for name, flags, extra in names:
        offset = len(file) - len(before)
        shared = struct.pack("<5H3L2H", 20, flags, 0, 0, 33, 0, 0, 0, len(name), len(extra))
        file += b"PK\x03\x04" + shared + name + extra
        entries += b"PK\x01\x02" + struct.pack("<H", 20) + shared + struct.pack("<3H2L", 3, 0, 0, 0, offset)
        entries += name + extra + b"mem"
    start = len(file) - len(before)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, len(names), len(names), len(entries), start, len(comment))
    return bytes(file + entries + end + comment)
