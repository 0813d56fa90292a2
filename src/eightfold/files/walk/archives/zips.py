"""The names in a zip: those in its central directory, and those before its members where they differ.

Programs that read a zip from a pipe know only the latter, in the local headers.

Source: PKWARE's APPNOTE 4.3.7, 4.3.12 to 4.3.16, 4.4.4, 4.5.3 and 4.6.9.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from eightfold.files.walk.archives.damage import damaged
from eightfold.files.walk.names import ZIP, ZIP_LOCAL, ZIP_UTF_8, Name

_FIRST = b"PK\x03\x04"
_END = struct.Struct("<4s4H2LH")
_LOCATOR_64 = struct.Struct("<4sLQL")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_FIELD = struct.Struct("<2H")
_UNICODE_PATH = 0x7075
_LARGE = 0x0001
_IN_LARGE = 0xFFFFFFFF
_LONG = struct.Struct("<Q")
_COMMENT_MAX = 0xFFFF
_IS_UTF_8 = 1 << 11
_ELSEWHERE = "its central directory is not where the archive says"


class _Directory(NamedTuple):
    """A zip's central directory.

    Attributes:
        start, length: where it is.
        entries: how many entries it is said to have.
        shift: how far what is in front of the zip moves its members.
        is_split: whether other files have some of the members.
    """

    start: int
    length: int
    entries: int
    shift: int
    is_split: bool


def names(path: str, file: BinaryIO) -> Iterator[Name]:
    """Yield the names in a zip; none of another file, unless its name ends in .zip: then it is damaged."""
    directory = _directory(path, file)
    if directory is not None:
        yield from _names(path, file, directory)


def _directory(path: str, file: BinaryIO) -> _Directory | None:
    """Return a zip's central directory; see :func:`names` for None."""
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
    _, disk, _, _, count, length, said, _ = _END.unpack_from(tail, found)
    end = start + found
    if (at := found - _LOCATOR_64.size) >= 0 and tail.startswith(b"PK\x06\x07", at):
        end = _LOCATOR_64.unpack_from(tail, at)[2]
        count, length, said = _end_64(path, file, end, start + at)
    # Data before a zip (a self-extracting program, say) shifts it: the directory ends where its end record begins.
    # An empty one with anything before it is found by a record that something else holds, such as a comment.
    if length > end or (not length and end):
        raise damaged(path, _ELSEWHERE)
    return _Directory(end - length, length, count, end - length - said, is_split=disk != 0)


def _end_64(path: str, file: BinaryIO, at: int, locator: int) -> tuple[int, int, int]:
    """Return the number of entries, the length and the offset of the directory from the larger end record."""
    if at > locator - _END_64.size:
        raise damaged(path, _ELSEWHERE)
    file.seek(at)
    signature, size, *_, count, length, said = _END_64.unpack(_read(path, file, _END_64.size))
    # Its size does not count the first two fields.
    if signature != b"PK\x06\x06" or at + 12 + size != locator:
        raise damaged(path, _ELSEWHERE)
    return count, length, said


def _names(path: str, file: BinaryIO, directory: _Directory) -> Iterator[Name]:
    """Yield the names in a directory to its end, even if its number of entries is said to be lower."""
    found = at = 0
    while at < directory.length:
        file.seek(directory.start + at)
        entry = _ENTRY.unpack(_read(path, file, _ENTRY.size))
        signature, _, _, flags, *_, name_length, extra_length, comment_length, _, _, _, _ = entry
        at += _ENTRY.size + name_length + extra_length + comment_length
        if signature != b"PK\x01\x02" or at > directory.length:
            raise damaged(path, _ELSEWHERE)
        name, extra = _read(path, file, name_length), _read(path, file, extra_length)
        declared = _declared(name, extra)
        found += 1
        if declared is not None:
            yield Name(path, declared, ZIP_UTF_8)
        else:
            yield Name(path, name, ZIP_UTF_8 if flags & _IS_UTF_8 else ZIP)
        local = _local_name(path, file, directory, _offset(entry, extra))
        if local not in (None, name):
            yield Name(path, local, ZIP_LOCAL)
    if found < directory.entries:
        raise damaged(path, _ELSEWHERE)


def _offset(entry: tuple[Any, ...], extra: bytes) -> int:
    """Return the offset of a member; a large one is in an extra field, behind the sizes that are large too."""
    packed, size, offset = entry[8], entry[9], entry[16]
    at = _LONG.size * (packed, size).count(_IN_LARGE)
    large = next((content for kind, content in _fields(extra) if kind == _LARGE), b"")
    is_there = offset == _IN_LARGE and len(large) >= at + _LONG.size
    return int(_LONG.unpack_from(large, at)[0] if is_there else offset)


def _local_name(path: str, file: BinaryIO, directory: _Directory, offset: int) -> bytes | None:
    """Return the name in the local header of a member; None if it is in another file."""
    # Some programs that put something in front of a zip adjust the offsets of members, and not that of the directory.
    for at in (offset + directory.shift, offset):
        file.seek(min(max(0, at), directory.start))
        header = file.read(_LOCAL.size)
        if len(header) == _LOCAL.size and header.startswith(_FIRST):
            return _read(path, file, _LOCAL.unpack(header)[9])
    if directory.is_split:
        return None
    raise damaged(path, "a member is not where its central directory says")


def _declared(name: bytes, extra: bytes) -> bytes | None:
    """Return the name in the extra field for UTF-8 names, if it is present and was made for this name."""
    made_for = struct.pack("<L", zlib.crc32(name))
    return next((said[5:] for kind, said in _fields(extra) if kind == _UNICODE_PATH and said[1:5] == made_for), None)


def _fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the kinds and contents of extra fields."""
    at = 0
    while at + _FIELD.size <= len(extra):
        kind, length = _FIELD.unpack_from(extra, at)
        at += _FIELD.size
        yield kind, extra[at : at + length]
        at += length


def _read(path: str, file: BinaryIO, length: int) -> bytes:
    data = file.read(length)
    if len(data) < length:
        raise damaged(path, "it ends inside a header")
    return data
