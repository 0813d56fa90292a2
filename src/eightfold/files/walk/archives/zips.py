"""The names in a zip's central directory.

Source: PKWARE's APPNOTE 4.3.12 to 4.3.16, 4.4.4 and 4.6.9.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from eightfold.files.walk.archives.damage import damaged
from eightfold.files.walk.names import ZIP, ZIP_UTF_8, Name

_FIRST = b"PK\x03\x04"
_END = struct.Struct("<4s4H2LH")
_LOCATOR_64 = struct.Struct("<4sLQL")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_FIELD = struct.Struct("<2H")
_UNICODE_PATH = 0x7075
_COMMENT_MAX = 0xFFFF
_IS_UTF_8 = 1 << 11
_ELSEWHERE = "its central directory is not where the archive says"


def names(path: str, file: BinaryIO) -> Iterator[Name]:
    """Yield the names in a zip; none of another file, unless its name ends in .zip: then it is damaged."""
    directory = _directory(path, file)
    if directory is not None:
        yield from _names(path, file, *directory)


def _directory(path: str, file: BinaryIO) -> tuple[int, int, int] | None:
    """Return a zip's central directory: its offset, its length, its number of entries; see :func:`names` for None."""
    file.seek(0)
    is_zip = file.read(4) == _FIRST or path.lower().endswith(".zip")
    size = file.seek(0, os.SEEK_END)
    start = file.seek(max(0, size - _END.size - _COMMENT_MAX))
    tail = file.read()
    found = tail.rfind(b"PK\x05\x06")
    if found < 0 or len(tail) - found < _END.size:
        if is_zip:
            raise damaged(path, "it has no central directory")
        return None
    *_, count, length, _, _ = _END.unpack_from(tail, found)
    end = start + found
    if (at := found - _LOCATOR_64.size) >= 0 and tail.startswith(b"PK\x06\x07", at):
        end = _LOCATOR_64.unpack_from(tail, at)[2]
        count, length = _end_64(path, file, end, start + at)
    # Data before a zip (a self-extracting program, say) shifts it: the directory ends where its end record begins.
    # An empty one with anything before it is found by a record that something else holds, such as a comment.
    if length > end or (not length and end):
        raise damaged(path, _ELSEWHERE)
    return end - length, length, count


def _end_64(path: str, file: BinaryIO, at: int, locator: int) -> tuple[int, int]:
    """Return the number of entries and the length of the directory from the larger end record, before its locator."""
    if at > locator - _END_64.size:
        raise damaged(path, _ELSEWHERE)
    file.seek(at)
    signature, size, *_, count, length, _ = _END_64.unpack(_read(path, file, _END_64.size))
    # Its size does not count the first two fields.
    if signature != b"PK\x06\x06" or at + 12 + size != locator:
        raise damaged(path, _ELSEWHERE)
    return count, length


def _names(path: str, file: BinaryIO, start: int, length: int, count: int) -> Iterator[Name]:
    """Yield the names in a directory to its end, even if its number of entries is said to be lower."""
    file.seek(start)
    found = at = 0
    while at < length:
        signature, _, _, flags, *_, name_length, extra_length, comment_length, _, _, _, _ = _ENTRY.unpack(
            _read(path, file, _ENTRY.size)
        )
        at += _ENTRY.size + name_length + extra_length + comment_length
        if signature != b"PK\x01\x02" or at > length:
            raise damaged(path, _ELSEWHERE)
        name = _read(path, file, name_length)
        declared = _declared(name, _read(path, file, extra_length))
        file.seek(comment_length, os.SEEK_CUR)
        found += 1
        if declared is not None:
            yield Name(path, declared, ZIP_UTF_8)
        else:
            yield Name(path, name, ZIP_UTF_8 if flags & _IS_UTF_8 else ZIP)
    if found < count:
        raise damaged(path, _ELSEWHERE)


def _declared(name: bytes, extra: bytes) -> bytes | None:
    """Return the name in the extra field for UTF-8 names, if it is present and was made for this name."""
    at = 0
    while at + _FIELD.size <= len(extra):
        kind, length = _FIELD.unpack_from(extra, at)
        at += _FIELD.size
        content = extra[at : at + length]
        at += length
        if kind == _UNICODE_PATH and content[1:5] == struct.pack("<L", zlib.crc32(name)):
            return content[5:]
    return None


def _read(path: str, file: BinaryIO, length: int) -> bytes:
    data = file.read(length)
    if len(data) < length:
        raise damaged(path, "it ends inside its central directory")
    return data
