"""The files of a dataset, and the pieces in which they are worked on: the same ones whoever does the work.

A table is one piece. Text is cut where a segment can end, see :mod:`eightfold.files.read.segments`.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import BinaryIO, NamedTuple, cast

from eightfold.cli.output.lines import counted, say
from eightfold.cli.work.likeness import is_binary, other_form
from eightfold.files import SHRUNK, FileError, blaming, file_error
from eightfold.files.path_text import shown
from eightfold.files.paths.addresses import is_remote, is_temporary, packing_of
from eightfold.files.read.reading import Source
from eightfold.files.read.segments import segment_end, stands_alone
from eightfold.files.read.tables import kind_of
from eightfold.forms import Form

PIECE_BYTES = 64 << 20
"""The length of the pieces of text."""
_REACH_BYTES = 64 << 10
_HIDDEN = ("_", ".")
"""How names begin that engines do not read as data: markers, checksums, summaries."""
_MAGIC_BYTES = 8


class Piece(NamedTuple):
    """A part of a dataset that is worked on at once.

    Attributes:
        path: the file to open.
        inside: its path in the dataset, with slashes.
        kind: as :func:`eightfold.files.read.tables.kind_of` returns it; empty for text.
        start, end: the offsets of the piece; the end is None for a whole file.
        number: which piece of its file it is, from 0.
        is_last: whether it is the last.
        bytes: its size, for the progress.
    """

    path: str
    inside: str
    kind: str = ""
    start: int = 0
    end: int | None = None
    number: int = 0
    is_last: bool = True
    bytes: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole file."""
        return self.end is None


def pieces_of(roots: Iterable[str], form: Form, *, unpack: bool) -> list[Piece]:
    """Return the pieces of datasets, in order.

    Args:
        roots: the datasets.
        form: the form of text.
        unpack: whether compressed files are decompressed; they are not cut.

    Raises:
        FileError: a dataset cannot be listed, or a file cannot be read.
    """
    return [piece for root in roots for piece in pieces(listed(root), form, unpack=unpack)]


def listed(root: str) -> list[tuple[str, str, int]]:
    """Return the files of a dataset in order: path, path inside, size. A file may be a dataset itself.

    Raises:
        FileError: a folder cannot be listed, there is no file, or something is neither file nor folder.
    """
    found = _remote_files(root) if is_remote(root) else _local_files(root)
    files = sorted((each for each in found if not _is_hidden(each[1])), key=lambda file: file[1])
    if not files:
        raise FileError(root, "the dataset contains no files")
    if len(files) < len(found):
        say(f"{shown(root)}: {counted(len(found) - len(files), 'hidden file')} skipped (names that begin with _ or .)")
    return files


def _is_hidden(inside: str) -> bool:
    return any(part.startswith(_HIDDEN) and "=" not in part for part in inside.split("/"))


def _remote_files(root: str) -> list[tuple[str, str, int]]:
    from eightfold.files.read.remote import files_under

    return files_under(root)


def _local_files(root: str) -> list[tuple[str, str, int]]:
    if not os.path.isdir(root):
        with blaming(root):
            return [(root, os.path.basename(root), os.stat(root).st_size)]
    found = []

    def refuse(error: OSError) -> None:
        raise file_error(str(error.filename or root), error)

    for folder, _, names in os.walk(root, onerror=refuse):
        for name in names:
            path = os.path.join(folder, name)
            if is_temporary(path):
                continue
            if os.path.islink(path) or not os.path.isfile(path):
                raise FileError(path, "is not a regular file: a dataset holds only files and folders")
            inside = os.path.relpath(path, root).replace(os.sep, "/")
            found.append((path, inside, os.path.getsize(path)))
    return found


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file, local or remote, for reading at any offset.

    Raises:
        FileError: it cannot be opened.
    """
    if is_remote(path):
        from eightfold.files.read.remote import random_access

        with closing(random_access(path)) as file:
            yield cast(BinaryIO, file)
        return
    with blaming(path):
        file = open(path, "rb")  # noqa: SIM115
    with file:
        yield file


def pieces(files: list[tuple[str, str, int]], form: Form, *, unpack: bool) -> Iterator[Piece]:
    """Yield the pieces of files, in order.

    Args:
        files: of :func:`listed`.
        form: the form of text.
        unpack: whether compressed files are decompressed; they are not cut.

    Raises:
        FileError: a file cannot be read.
    """
    for path, inside, length in files:
        kind = kind_of(path, partial(_head, path))
        whole = Piece(path, inside, kind, bytes=length)
        is_cut = not kind and length > PIECE_BYTES and not (unpack and packing_of(path)) and _can_be_cut(form)
        yield from _cut(whole, form, PIECE_BYTES) if is_cut else (whole,)


def _head(path: str) -> bytes:
    with opened(path) as file, blaming(path):
        return file.read(_MAGIC_BYTES)


def _can_be_cut(form: Form) -> bool:
    return form.unit_bytes == 1 and not form.signatures and not form.is_foreign


def _cut(whole: Piece, form: Form, size: int) -> Iterator[Piece]:
    with opened(whole.path) as file:
        source = Source(whole.path, cast(io.BufferedReader, file))
        if is_binary(source, form) or other_form(source, form) is not None:
            yield whole
            return
        ends = [*_ends(source.window, form, whole.bytes, size), whole.bytes]
    starts = [0, *ends[:-1]]
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        is_last = end == whole.bytes
        yield whole._replace(start=start, end=end, number=number, is_last=is_last, bytes=end - start)


def _ends(window: Callable[[int, int], bytes], form: Form, length: int, size: int) -> Iterator[int]:
    """Yield where pieces end, but the last; a place where text cannot be cut is passed over."""
    reach = min(_REACH_BYTES, size)
    for near in range(size, length, size):
        end = segment_end(form, window(near - reach, reach), stands_alone)
        if end:
            yield near - reach + end


class Span(io.RawIOBase):
    """A piece of a file as a file of its own, which counts lines.

    Attributes:
        line, column: the place of what comes next, if the piece begins at 1:1.
    """

    def __init__(self, file: BinaryIO, start: int, end: int) -> None:
        self._file = file
        self._left = end - start
        self.line: int = 1
        self.column: int = 1
        file.seek(start)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        """Read what comes next into a buffer; return how many bytes."""
        data = self._file.read(min(len(buffer), self._left))
        if not data and self._left:
            raise OSError(SHRUNK)
        buffer[: len(data)] = data
        self._left -= len(data)
        lines = data.count(b"\n")
        self.line += lines
        self.column = len(data) - data.rindex(b"\n") if lines else self.column + len(data)
        return len(data)


@contextmanager
def span_of(piece: Piece) -> Iterator[tuple[Source, Span]]:
    """Open a piece that is not a whole file.

    Raises:
        FileError: it cannot be opened.
    """
    assert piece.end is not None
    with opened(piece.path) as file:
        span = Span(file, piece.start, piece.end)
        yield Source(piece.path, io.BufferedReader(span)), span


__all__ = ["PIECE_BYTES", "Piece", "Span", "listed", "opened", "pieces", "pieces_of", "span_of"]
