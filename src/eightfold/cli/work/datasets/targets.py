"""Where a repaired dataset goes: a new folder, which exists when all of it is written, or a remote one.

Beside the new folder workers fill a folder of the name `.NAME.eightfold.tmp`, which is renamed at the end. In it,
`attempts` has the files that are being written, so that a worker that dies, or one that is late, leaves nothing in
`data`. A remote folder cannot be renamed: what was sent is removed if the job fails, and `_SUCCESS` is sent last.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple, cast
from uuid import uuid4

from eightfold.cli.output.ending import UsageError
from eightfold.cli.work.datasets.pieces import Piece
from eightfold.files import FileError, blaming
from eightfold.files.parallel.signals import signals_held
from eightfold.files.path_text import shown
from eightfold.files.paths.addresses import TEMPORARY, is_remote
from eightfold.files.write.flocks import is_at, locked

SUCCESS = "_SUCCESS"
_DATA, _ATTEMPTS, _LOCK = "data", "attempts", "lock"
_COPIED_AT_ONCE = 1 << 20


class Target(NamedTuple):
    """Where workers write to.

    Attributes:
        folder: the folder of a local target that is renamed at the end, or the address of a remote one.
    """

    folder: str

    @contextmanager
    def writing(self, piece: Piece) -> Iterator[BinaryIO]:
        """Open the place of a piece; it is there, whole, when the block ends without an exception.

        Raises:
            FileError: it cannot be written.
        """
        if is_remote(self.folder):
            from eightfold.files.read.remote import sending

            with sending(self.address(piece), folders=True) as file:
                yield file
            return
        attempt = os.path.join(self.folder, _ATTEMPTS, f"{uuid4().hex}{TEMPORARY}")
        place = self._place(piece)
        try:
            with blaming(place), open(attempt, "xb") as file:
                yield cast(BinaryIO, file)
                file.flush()
                os.fsync(file.fileno())
            with blaming(place):
                os.stat(os.path.join(self.folder, _DATA))  # A late writer must not create it again.
                os.makedirs(os.path.dirname(place), exist_ok=True)
                os.replace(attempt, place)
        except BaseException:
            if os.path.exists(attempt):
                os.unlink(attempt)
            raise

    def address(self, piece: Piece) -> str:
        """Return the address of the result of a piece."""
        return f"{self.folder.rstrip('/')}/{piece.inside}"

    def _place(self, piece: Piece) -> str:
        suffix = "" if piece.is_whole else f".{piece.number:08}{TEMPORARY}"
        return os.path.join(self.folder, _DATA, *f"{piece.inside}{suffix}".split("/"))

    def join(self, piece: Piece) -> None:
        """Add the result of a piece to the file of those before it."""
        if piece.is_whole:
            return
        whole, part = self._place(piece._replace(end=None)), self._place(piece)
        with blaming(whole), open(whole, "ab" if piece.number else "wb") as file:
            with open(part, "rb") as given:
                shutil.copyfileobj(given, file, _COPIED_AT_ONCE)
            if piece.is_last:
                file.flush()
                os.fsync(file.fileno())
        os.unlink(part)


@contextmanager
def writing_to(output: str, files: Iterable[Piece]) -> Iterator[Target]:
    """Open a new folder for a dataset; it is there, whole, when the block ends without an exception.

    Raises:
        UsageError: it exists, and is not empty. FileError: it cannot be written, or another run writes to it.
    """
    with (_remote if is_remote(output) else _local)(output, files) as target:
        yield target


@contextmanager
def _remote(output: str, files: Iterable[Piece]) -> Iterator[Target]:
    from eightfold.files.read.remote import files_under, remove_remote, sending

    target = Target(output)
    if files_under(output):
        raise UsageError(f"-o {shown(output)}: it is not empty; choose a new folder")
    try:
        yield target
        with sending(f"{output.rstrip('/')}/{SUCCESS}", folders=True):
            pass
    except BaseException:
        remove_remote(target.address(piece) for piece in files)
        raise


@contextmanager
def _local(output: str, files: Iterable[Piece]) -> Iterator[Target]:
    output = os.path.abspath(output)
    if os.path.lexists(output) and (os.path.islink(output) or not os.path.isdir(output) or os.listdir(output)):
        raise UsageError(f"-o {shown(output)}: it exists already; choose a new folder")
    above, name = os.path.split(output)
    folder = os.path.join(above, f".{name}{TEMPORARY}")
    with blaming(above):
        os.makedirs(above, exist_ok=True)
    with _locked(folder, output):
        with blaming(folder):
            for inside in (_DATA, _ATTEMPTS):
                os.mkdir(os.path.join(folder, inside))
        try:
            yield Target(folder)
            with blaming(output):
                os.rename(os.path.join(folder, _DATA), output)
        finally:
            with signals_held():  # A second signal must not interrupt the cleanup.
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: str, output: str) -> Iterator[None]:
    """Create a folder for this run alone; what a killed run has left in it is removed.

    Without locks, a killed run looks like one that is still writing: what either has left is refused.
    """
    if os.path.islink(folder):
        raise FileError(folder, "is a symbolic link: remove it")
    with blaming(folder):
        os.makedirs(folder, mode=0o755, exist_ok=True)
        lock = open(os.path.join(folder, _LOCK), "ab")  # noqa: SIM115
    with lock:
        is_ours = locked(lock.fileno())
        if is_ours is False or not is_at(lock.fileno(), lock.name):
            raise FileError(output, "another run is writing it")
        for left in (_DATA, _ATTEMPTS):
            path = os.path.join(folder, left)
            if os.path.isdir(path) and not os.path.islink(path):
                if is_ours is None:
                    raise FileError(folder, "another run is writing it, or was stopped: remove it if none is writing")
                shutil.rmtree(path)
        yield


__all__ = ["SUCCESS", "Target", "writing_to"]
