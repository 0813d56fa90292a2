"""File names as bytes: in a folder and the folders inside it, in a zip, in a tar.

Whether they are well-formed is not examined here. A zip records for each name whether it is UTF-8 (flag bit 11, or
Info-ZIP's extra field 7075); otherwise it is CP437. A tar records nothing, except that pax records are UTF-8.

Source: PKWARE's APPNOTE 4.3.12, 4.4.4 and 4.6.9; POSIX.1-2017 pax, Extended Header.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

from eightfold.files import FileError, blaming, file_error

try:
    from lzma import LZMAError
except ImportError:  # A Python built without lzma never raises it.
    LZMAError = EOFError  # type: ignore[assignment,misc]

FOLDER, ZIP_UTF_8, ZIP, TAR, PAX = (
    "folder",
    "zip, declared UTF-8",
    "zip, not declared UTF-8",
    "tar header",
    "pax record",
)


class Name(NamedTuple):
    """A name, and where it comes from.

    Attributes:
        place: the folder as a path, or the archive.
        name: the name in the folder, or the whole name of an archive's member.
        source: which of the file's ways to record names this one comes from.
        target: for a link, the name that it points to.
    """

    place: str
    name: bytes
    source: str
    target: bytes | None = None

    @property
    def path(self) -> str:
        """The path of a file in a folder."""
        return os.path.join(self.place, os.fsdecode(self.name))


OnError = Callable[[FileError], None]


def names_of(path: str, on_error: OnError) -> Iterator[Name]:
    """Yield the names at a path, those inside a folder before its own.

    Args:
        path: a folder (the names inside it and its own), a zip or a tar (those of its members and its own), or a file.
        on_error: called with each folder that cannot be listed; listing continues after it.

    Raises:
        FileError: the file does not exist, or is an archive that cannot be read.
    """
    with blaming(path):
        os.lstat(path)
    if os.path.isdir(path):
        yield from _names_below(path, on_error)
    elif os.path.isfile(path):
        yield from _members(path)
    place, name = os.path.split(path.rstrip(os.sep))
    if name not in ("", os.curdir, os.pardir):
        yield _in_folder(place, name)


def _names_below(path: str, on_error: OnError) -> Iterator[Name]:
    # A list instead of recursion: folders may be nested more deeply than Python's calls.
    due = [(path, iter(_entries(path, on_error)))]
    while due:
        folder, entries = due[-1]
        entry = next(entries, None)
        if entry is None:
            due.pop()
            if due:
                yield _in_folder(*os.path.split(folder))
        elif entry.is_dir(follow_symlinks=False):
            due.append((entry.path, iter(_entries(entry.path, on_error))))
        else:
            yield _in_folder(folder, entry.name)


def _entries(folder: str, on_error: OnError) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        on_error(file_error(folder, error))
        return []


def _in_folder(place: str, name: str) -> Name:
    try:
        target = os.fsencode(os.readlink(os.path.join(place, name)))
    except OSError:
        target = None
    return Name(place, os.fsencode(name), FOLDER, target)


def _members(path: str) -> Iterator[Name]:
    with blaming(path), open(path, "rb") as file:
        directory = _zip_directory(path, file)
        if directory is not None:
            yield from _zip_names(path, file, *directory)
            return
    yield from _tar_names(path)


# --- zip --------------------------------------------------------------------------------------------------------------

_FIRST = b"PK\x03\x04"
_END = struct.Struct("<4s4H2LH")
_LOCATOR_64 = struct.Struct("<4sLQL")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_FIELD = struct.Struct("<2H")
_UNICODE_PATH = 0x7075
_COMMENT_MAX = 0xFFFF
_IS_UTF_8 = 1 << 11


def _zip_directory(path: str, file: BinaryIO) -> tuple[int, int] | None:
    """Return the offset of a zip's central directory and the number of its entries; None if the file is not a zip."""
    is_zip = file.read(4) == _FIRST
    size = file.seek(0, os.SEEK_END)
    start = file.seek(max(0, size - _END.size - _COMMENT_MAX))
    tail = file.read()
    found = tail.rfind(b"PK\x05\x06")
    if found < 0 or len(tail) - found < _END.size:
        if is_zip:
            raise _damaged(path, "it has no central directory")
        return None
    *_, count, length, offset, _ = _END.unpack_from(tail, found)
    end = start + found
    if (at := found - _LOCATOR_64.size) >= 0 and tail.startswith(b"PK\x06\x07", at):
        end = _LOCATOR_64.unpack_from(tail, at)[2]
        file.seek(end)
        *_, count, length, offset = _END_64.unpack(_read(path, file, _END_64.size))
    # Data before a zip (a self-extracting program, say) shifts it: the directory ends where its end record begins.
    return (end - length if end >= length else offset), count


def _zip_names(path: str, file: BinaryIO, start: int, count: int) -> Iterator[Name]:
    file.seek(start)
    for _ in range(count):
        signature, _, _, flags, *_, name_length, extra_length, comment_length, _, _, _, _ = _ENTRY.unpack(
            _read(path, file, _ENTRY.size)
        )
        if signature != b"PK\x01\x02":
            raise _damaged(path, "its central directory is not where the archive says")
        name = _read(path, file, name_length)
        declared = _declared(name, _read(path, file, extra_length))
        file.seek(comment_length, os.SEEK_CUR)
        if declared is not None:
            yield Name(path, declared, ZIP_UTF_8)
        else:
            yield Name(path, name, ZIP_UTF_8 if flags & _IS_UTF_8 else ZIP)


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
        raise _damaged(path, "it ends inside its central directory")
    return data


def _damaged(path: str, reason: str) -> FileError:
    return FileError(path, f"this archive is damaged: {reason}")


# --- tar --------------------------------------------------------------------------------------------------------------


def _tar_names(path: str) -> Iterator[Name]:
    import tarfile

    try:
        if not tarfile.is_tarfile(path):
            return
        with tarfile.open(path, encoding="utf-8", errors="surrogateescape") as archive:
            while (member := archive.next()) is not None:
                source = PAX if "path" in member.pax_headers else TAR
                target = _bytes(member.linkname) if member.linkname else None
                yield Name(path, _bytes(member.name), source, target)
                vars(archive)["members"].clear()  # Otherwise all of them would be kept.
    except (tarfile.TarError, LZMAError, EOFError, OSError, ValueError, zlib.error) as error:
        raise _damaged(path, str(error)) from error


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
