"""The target of a job, opened no sooner than its result differs, where it replaces the file that it is made from.

A file that equals its result needs no writing: so it may be read-only or have several names, and nothing is created
beside it. What else is written is opened at once.
"""

from __future__ import annotations

from contextlib import ExitStack
from hashlib import sha256
from types import TracebackType
from typing import BinaryIO

from eightfold.cli.work.jobs import Job
from eightfold.cli.work.sinks import check_in_place, sink
from eightfold.files import FileError
from eightfold.files.read.reading import CHUNK_BYTES, Source
from eightfold.files.write.writing import Snapshot


class Target:
    """The target of a job; the file is written when the block ends without an exception.

    Args:
        job: the job.
        read: what :func:`eightfold.cli.work.sinks.before` returned.
        waits: whether nothing is opened before the result differs from the file.
    """

    def __init__(self, job: Job, read: Snapshot | None, *, waits: bool) -> None:
        self._job = job
        self._read = read
        self._waits = waits
        self._ending = ExitStack()
        self._file: BinaryIO | None = None
        self._ahead = b""
        self._same = 0
        self._digest = sha256()

    def __enter__(self) -> Target:
        if self._waits:
            check_in_place(self._job)
        else:
            self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._ending.__exit__(kind, error, trace)

    def take(self, source: Source, chunk: bytes, result: bytes) -> None:
        """Take the next bytes of the file, and those of its result.

        Raises:
            FileError: the target cannot be written, or the file has changed.
        """
        # A result that falls behind, as UTF-8 behind UTF-32, is not the file.
        if self._file is None and len(self._ahead) <= CHUNK_BYTES:
            ahead = self._ahead + chunk
            if ahead.startswith(result):
                self._ahead = ahead[len(result) :]
                self._same += len(result)
                self._digest.update(result)
                return
        file = self.file(source)
        file.write(result)
        if self._job.to_standard_output:
            file.flush()  # The next piece of a pipe may take long to come.

    def file(self, source: Source) -> BinaryIO:
        """Return the open target, to which everything has been written that was taken.

        Raises:
            FileError: it cannot be written, or the file has changed.
        """
        return self._file or self._begun(source)

    def _begun(self, source: Source) -> BinaryIO:
        """Open the target, and write what the result has in common with the file, which is read again."""
        file, digest = self._open(), sha256()
        for start in range(0, self._same, CHUNK_BYTES):
            common = source.window(start, min(CHUNK_BYTES, self._same - start))
            digest.update(common)
            file.write(common)
        if digest.digest() != self._digest.digest():
            raise FileError(source.path, "another program changed it while it was being read: nothing was written")
        return file

    def _open(self) -> BinaryIO:
        self._file = self._ending.enter_context(sink(self._job, self._read))
        return self._file
