"""The names in a tar.

Source: POSIX.1-2017, pax, Extended Header.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

from eightfold.files.walk.archives.compressed import unpacked
from eightfold.files.walk.archives.damage import damaged
from eightfold.files.walk.names import PAX, TAR, Name

if TYPE_CHECKING:
    from tarfile import TarFile

_BLOCK = 512
_MAGIC = slice(257, 262)
"""Where a header says `ustar`; only those before POSIX do not."""
_NAMED = re.compile(r"\.(tar(\.(gz|bz2|xz|lzma|zst))?|t(gz|bz2?|xz|zst))$", re.IGNORECASE)
_HEADERS_MAX = 1 << 21
"""How many bytes the headers of a member can have, its name, its target and the records of pax among them."""


def names(path: str, file: BinaryIO) -> Generator[Name, None, bool]:
    """Yield the names in a tar, compressed or not; return whether there are any."""
    content = _Content(path, unpacked(path, file))
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
    if not is_empty or content.is_claimed:
        content.check_end()
    return not is_empty


def _tar(content: _Content) -> TarFile | None:
    """Return a tar, its first headers read; None if the first is none, and nothing claims that it is one."""
    import tarfile

    try:
        return tarfile.open(fileobj=content.file, mode="r:", encoding="utf-8", errors="surrogateescape")
    except tarfile.ReadError:
        if content.reads > 1 or content.is_claimed:  # The first header was one, or should have been.
            raise
        return None


class _Content:
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

    @property
    def is_claimed(self) -> bool:
        """Whether what was read last is there and should be a header, by its magic or the name of the file."""
        return bool(self._last) and (self._last[_MAGIC] == b"ustar" or _NAMED.search(self._path) is not None)

    def begin_member(self, shared: Mapping[str, str]) -> None:
        """Expect another member; those before it left records of pax for all."""
        self._left = _HEADERS_MAX - sum(len(key) + len(value) for key, value in shared.items())

    def read(self, length: int) -> bytes:
        """Read a part of a header."""
        if not 0 <= length <= self._left:
            raise damaged(self._path, f"a member has more than {_HEADERS_MAX >> 20} MiB of headers")
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
            raise damaged(self._path, "a member ends before it begins")
        self._content.seek(position)

    def check_end(self) -> None:
        """Check what was read last: nothing, or a block of zeros with nothing or another one behind it.

        Raises:
            FileError: it is neither, so there may be members that were not read.
        """
        if self._last.count(0) != len(self._last) or len(self._last) not in (0, _BLOCK):
            raise damaged(self._path, f"a header is missing at byte {self.tell() - len(self._last)}")
        if self._content.read(_BLOCK).strip(b"\0"):
            raise damaged(self._path, f"it goes on after a single block of zeros, at byte {self.tell() - _BLOCK}")


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
