"""File names as bytes: in a folder and the folders inside it, in a zip, in a tar. Archives of other kinds are refused.

Whether they are well-formed is not examined here. A zip records for each name whether it is UTF-8 (flag bit 11, or
Info-ZIP's extra field 7075); otherwise it is CP437. A tar records nothing, except that pax records are UTF-8.

Source: PKWARE's APPNOTE 4.3.12, 4.4.4 and 4.6.9; POSIX.1-2017 pax, Extended Header.
"""

from __future__ import annotations

import os
import re
import struct
import sys
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from eightfold.files import FileError, blaming, file_error

if TYPE_CHECKING:
    from tarfile import TarFile

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
        FileError: the file does not exist; or, after its own name, it is an archive that cannot be read.
    """
    unread = None
    with blaming(path):
        os.lstat(path)
    if os.path.isdir(path):
        yield from _names_below(path, on_error)
    elif os.path.isfile(path):
        try:
            yield from _members(path)
        except FileError as error:
            unread = error
    place, name = os.path.split(path.rstrip(os.sep))
    if name not in ("", os.curdir, os.pardir):
        yield _in_folder(place, name)
    if unread is not None:
        raise unread


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
    with blaming(path), open(path, "rb") as file, _telling_damage(path):
        # The other way round, a tar whose last member is a zip would be taken for it.
        if (yield from _tar_names(path, file)):
            return
        # The last member of such an archive may be a zip.
        _refuse_others(path, _unpacked(path, file).read(_HEAD_BYTES))
        directory = _zip_directory(path, file)
        if directory is not None:
            yield from _zip_names(path, file, *directory)


@contextmanager
def _telling_damage(path: str) -> Iterator[None]:
    """Turn whatever broken data raises in the block into a FileError; an error of the operating system passes."""
    try:
        yield
    except FileError:
        raise
    except Exception as error:  # The modules for archives raise nearly anything for the data of an enemy.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise _damaged(path, str(error) or type(error).__name__) from error


def _damaged(path: str, reason: str) -> FileError:
    return FileError(path, f"this archive is damaged: {reason}")


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
_ELSEWHERE = "its central directory is not where the archive says"


def _zip_directory(path: str, file: BinaryIO) -> tuple[int, int, int] | None:
    """Return a zip's central directory: its offset, its length, its number of entries; None if the file is no zip."""
    file.seek(0)
    is_zip = file.read(4) == _FIRST
    size = file.seek(0, os.SEEK_END)
    start = file.seek(max(0, size - _END.size - _COMMENT_MAX))
    tail = file.read()
    found = tail.rfind(b"PK\x05\x06")
    if found < 0 or len(tail) - found < _END.size:
        if is_zip:
            raise _damaged(path, "it has no central directory")
        return None
    *_, count, length, _, _ = _END.unpack_from(tail, found)
    end = start + found
    if (at := found - _LOCATOR_64.size) >= 0 and tail.startswith(b"PK\x06\x07", at):
        end = _LOCATOR_64.unpack_from(tail, at)[2]
        count, length = _end_64(path, file, end, start + at)
    # Data before a zip (a self-extracting program, say) shifts it: the directory ends where its end record begins.
    if length > end:
        raise _damaged(path, _ELSEWHERE)
    return end - length, length, count


def _end_64(path: str, file: BinaryIO, at: int, locator: int) -> tuple[int, int]:
    """Return the number of entries and the length of the directory from the larger end record, before its locator."""
    if at > locator - _END_64.size:
        raise _damaged(path, _ELSEWHERE)
    file.seek(at)
    signature, size, *_, count, length, _ = _END_64.unpack(_read(path, file, _END_64.size))
    # Its size does not count the first two fields.
    if signature != b"PK\x06\x06" or at + 12 + size != locator:
        raise _damaged(path, _ELSEWHERE)
    return count, length


def _zip_names(path: str, file: BinaryIO, start: int, length: int, count: int) -> Iterator[Name]:
    """Yield the names in a directory to its end, even if its number of entries is said to be lower."""
    file.seek(start)
    found = at = 0
    while at < length:
        signature, _, _, flags, *_, name_length, extra_length, comment_length, _, _, _, _ = _ENTRY.unpack(
            _read(path, file, _ENTRY.size)
        )
        at += _ENTRY.size + name_length + extra_length + comment_length
        if signature != b"PK\x01\x02" or at > length:
            raise _damaged(path, _ELSEWHERE)
        name = _read(path, file, name_length)
        declared = _declared(name, _read(path, file, extra_length))
        file.seek(comment_length, os.SEEK_CUR)
        found += 1
        if declared is not None:
            yield Name(path, declared, ZIP_UTF_8)
        else:
            yield Name(path, name, ZIP_UTF_8 if flags & _IS_UTF_8 else ZIP)
    if found < count:
        raise _damaged(path, _ELSEWHERE)


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


# --- tar --------------------------------------------------------------------------------------------------------------


_BLOCK = 512
_HEADERS_MAX = 1 << 21
"""How many bytes the headers of a member can have, its name, its target and the records of pax among them."""
_COMPRESSED = (
    (re.compile(rb"\x1f\x8b"), "gzip"),
    (re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), "bz2"),
    (re.compile(rb"\xfd7zXZ\0|]\0\0"), "lzma"),
    (re.compile(rb"\x28\xb5\x2f\xfd"), "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"),
)
"""How compressed files begin, and the modules that read them."""


def _tar_names(path: str, file: BinaryIO) -> Generator[Name, None, bool]:
    """Yield the names in a tar, compressed or not; return whether there are any."""
    content = _TarContent(path, _unpacked(path, file))
    archive = _tar(content)
    if archive is None:
        return False
    is_empty = True
    with archive:
        while (member := archive.next()) is not None:
            is_empty = False
            source = PAX if "path" in member.pax_headers else TAR
            target = _bytes(member.linkname) if member.linkname else None
            yield Name(path, _bytes(member.name), source, target)
            vars(archive)["members"].clear()  # Otherwise all of them would be kept.
            content.begin_member(archive.pax_headers)
    if not is_empty:
        content.check_end()
    return not is_empty


def _tar(content: _TarContent) -> TarFile | None:
    """Return a tar, its first headers read; None if the first is none."""
    import tarfile

    try:
        return tarfile.open(fileobj=content.file, mode="r:", encoding="utf-8", errors="surrogateescape")
    except tarfile.ReadError:
        if content.reads > 1:  # The first header was one, and what came after it was not.
            raise
        return None


def _unpacked(path: str, file: BinaryIO) -> BinaryIO:
    """Return the content of a file from its beginning, decompressed if it is compressed."""
    file.seek(0)
    start = file.read(16)
    file.seek(0)
    module = next((module for pattern, module in _COMPRESSED if pattern.match(start)), None)
    if module is None:
        return file
    try:
        return cast(BinaryIO, import_module(module).open(file))
    except ImportError as error:
        raise FileError(path, f"it is compressed, and this Python cannot read it ({error})") from error


class _TarContent:
    """The content of a tar, as tarfile reads it: with bounds, never backwards, and with its end under watch.

    tarfile reads the name and the records before a header whole, however long, and takes a header that is broken for
    the end of the archive.
    """

    def __init__(self, path: str, content: BinaryIO) -> None:
        self._path = path
        self._content = content
        self._last = b""
        self._left = _HEADERS_MAX
        self.reads = 0

    @property
    def file(self) -> Any:
        """This object, for tarfile, which wants more of a file than it uses."""
        return self

    def begin_member(self, shared: Mapping[str, str]) -> None:
        """Expect another member; those before it left records of pax for all."""
        self._left = _HEADERS_MAX - sum(len(key) + len(value) for key, value in shared.items())

    def read(self, length: int) -> bytes:
        """Read a part of a header."""
        if not 0 <= length <= self._left:
            raise _damaged(self._path, f"a member has more than {_HEADERS_MAX >> 20} MiB of headers")
        self._left -= length
        self.reads += 1
        self._last = self._content.read(length)
        return self._last

    def tell(self) -> int:
        """Return the position."""
        return self._content.tell()

    def seek(self, position: int) -> None:
        """Skip what a member holds."""
        if position < self._content.tell():
            raise _damaged(self._path, "a member ends before it begins")
        self._content.seek(position)

    def check_end(self) -> None:
        """Check what was read last: nothing, or a block of zeros with nothing or another one behind it.

        Raises:
            FileError: it is neither, so there may be members that were not read.
        """
        if self._last.count(0) != len(self._last) or len(self._last) not in (0, _BLOCK):
            raise _damaged(self._path, f"it has no header where one is due, at byte {self.tell() - len(self._last)}")
        if self._content.read(_BLOCK).strip(b"\0"):
            raise _damaged(self._path, f"it goes on after a single block of zeros, at byte {self.tell() - _BLOCK}")


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


# --- others -----------------------------------------------------------------------------------------------------------

_HEAD_BYTES = 1 << 12
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


def _refuse_others(path: str, head: bytes) -> None:
    """Refuse an archive whose names cannot be read.

    Raises:
        FileError: the file begins like one.
    """
    if kind := _kind_of(head, _OTHERS) or ("cpio" if _is_binary_cpio(head) else ""):
        raise FileError(path, f"an archive of a kind that is not read ({kind}): its names were not examined")
    if kind := _kind_of(head, _OTHERS_COMPRESSED):
        raise FileError(path, f"it is compressed in a way that is not read ({kind}): names in it were not examined")


def _kind_of(head: bytes, kinds: Iterable[tuple[str, bytes]]) -> str:
    return next((kind for kind, pattern in kinds if re.match(pattern, head, re.DOTALL)), "")


def _is_binary_cpio(head: bytes) -> bool:
    """Return whether a file begins with a cpio header of either byte order and the name that it announces, with NUL."""
    if head[:2] not in (b"\xc7\x71", b"\x71\xc7"):
        return False
    length = int.from_bytes(head[20:22], "little" if head[0] == 0xC7 else "big")
    name = head[_BINARY_CPIO : _BINARY_CPIO + length]
    return len(name) == length > 1 and name.find(b"\0") == length - 1
