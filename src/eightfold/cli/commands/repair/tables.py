"""`repair` of a file that holds a table: only its strings change, row group by row group."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from eightfold.cli.commands.repair.options import Options
from eightfold.cli.options.arguments import UTF_8
from eightfold.cli.output.lines import placed, say
from eightfold.cli.work.jobs import Job
from eightfold.cli.work.stopping import StoppedError
from eightfold.faults import ConversionError
from eightfold.files import FileError, blaming
from eightfold.files.path_text import shown
from eightfold.repair import LOSSLESS

if TYPE_CHECKING:
    from eightfold.columns.table_files import TableReader

_CHUNK_BYTES = 1 << 20
_REFUSING = {
    "strict": "try --errors escape (keeps every byte as an escape), or --errors replace --lossy",
    "pairs": "one policy is for all strings, and pairs is for CESU-8 only: try --errors escape (keeps every byte), or "
    "eightfold.columns.repair with a policy for each column",
}
"""The policies that cannot repair every value, and what to do then."""


class TableFile:
    """A table that is being repaired, and how many faults and changed parts it has had so far."""

    escapes_left = 0

    def __init__(self, path: str, file: BinaryIO, kind: str, options: Options) -> None:
        self.path = path
        self.kind = kind
        self.changes: int = 0
        self.lossy: int = 0
        self._file = file
        self._policy = options.policy

    def _reading(self) -> AbstractContextManager[TableReader]:
        from eightfold.columns.table_files import reading

        self._file.seek(0)
        return reading(self.path, self.kind, self._file)

    def faults(self) -> Iterator[Any]:
        """Yield the faults, as :func:`eightfold.cli.work.tables.cells_in` does, and count what would change."""
        from eightfold.cli.work.tables import cells_in

        with self._reading() as reader:
            for cell in cells_in(self.path, reader, UTF_8):
                self.changes += 1
                self.lossy += self._policy not in LOSSLESS
                yield cell
        if not self.changes:
            self._count_escaped()
        elif self._policy in _REFUSING:
            self._try()

    def _try(self) -> None:
        """Repair all parts, without a result and without counting.

        Raises:
            StoppedError: the policy cannot repair a value.
        """
        counts = self.changes, self.lossy
        try:
            with self._reading() as reader:
                for part in reader.parts(whole=True):
                    self._repaired(part)
        finally:
            self.changes, self.lossy = counts

    def _count_escaped(self) -> None:
        """Count the parts in which only strings that look like escapes would change, which are no faults."""
        with self._reading() as reader:
            for part in reader.parts(whole=True):
                self._repaired(part)
        if self.changes:
            say(f"{shown(self.path)}: it has strings with U+EF80 to U+EFFF, which --errors {self._policy} escapes")

    def copy(self, target: BinaryIO) -> tuple[str, str]:
        """Write the repaired table; return the SHA-256 of both files, in hex.

        Raises:
            FileError: a part is malformed. StoppedError: the policy cannot repair a value.
        """
        written = _Written(target)
        with self._reading() as reader:
            lost = reader.copy(written, self._repaired)
        for each in lost:
            say(f"{shown(self.path)}: not kept: {each}")
        return self._digest(), written.digest.hexdigest()

    def _repaired(self, part: Any) -> Any:
        from eightfold.columns import audit, repair
        from eightfold.columns.table_files import blaming_part

        try:
            with blaming_part(self.path, self.kind, f"rows from {part.first_row}"):
                faults = audit(part.data, binary=False).num_rows
                repaired = repair(part.data, self._policy, binary=False)
        except ConversionError as error:
            where = "; ".join(getattr(error, "__notes__", ()))
            first = f" (rows count from row {part.first_row})" if part.first_row else ""
            line = *placed(self.path, None), f"{where}{first}: {error.fault}"
            raise StoppedError(line, _REFUSING[self._policy]) from error
        self.changes += faults or not _is_same(repaired, part.data)
        self.lossy += 0 if self._policy in LOSSLESS else faults
        return repaired

    def _digest(self) -> str:
        self._file.seek(0)
        digest = hashlib.sha256()
        while chunk := self._file.read(_CHUNK_BYTES):
            digest.update(chunk)
        return digest.hexdigest()


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two tables share all their buffers, as they do where nothing was repaired."""
    return list(map(_addresses, one.columns)) == list(map(_addresses, other.columns))


def _addresses(column: Any) -> list[list[int | None]]:
    chunks = getattr(column, "chunks", [column])
    return [[None if each is None else each.address for each in _buffers(chunk)] for chunk in chunks]


def _buffers(array: Any) -> list[Any]:
    values = getattr(array, "dictionary", None)
    return [*array.buffers(), *(() if values is None else values.buffers())]


class _Written:
    """A file for pyarrow to write to: counts, and knows the SHA-256 of what was written."""

    closed = False

    def __init__(self, target: BinaryIO) -> None:
        self.digest = hashlib.sha256()
        self._target = target
        self._bytes = 0

    def write(self, data: Any) -> int:
        """Write all of the data."""
        self.digest.update(data)
        self._target.write(data)
        self._bytes += len(data)
        return len(data)

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self._bytes

    def flush(self) -> None:
        """Do nothing: whoever opened the file flushes it."""

    def close(self) -> None:
        """Do nothing: whoever opened the file closes it."""

    def writable(self) -> bool:
        """Return True."""
        return True

    def readable(self) -> bool:
        """Return False."""
        return False

    def seekable(self) -> bool:
        """Return False."""
        return False


@contextmanager
def opened_table(job: Job, kind: str, options: Options) -> Iterator[TableFile]:
    """Open the table of a job.

    Raises:
        FileError: it cannot be opened, or an option is not possible with tables.
    """
    refusals: list[tuple[object, str]] = [
        (options.plan, "--plan does not support it yet: use -o, or --in-place --backup SUFFIX"),
        (options.diff, "--diff does not support it: it has no lines"),
        (options.verified, "--verify and --certificate do not support it yet"),
        (options.mojibake, "--mojibake does not support it yet"),
        (options.form is not None and options.form is not UTF_8, "its strings are utf-8: leave out -f"),
    ]
    for is_asked, reason in refusals:
        if is_asked:
            raise FileError(job.source, f"{kind}: {reason}")
    with blaming(job.source), open(job.source, "rb") as file:
        yield TableFile(job.source, file, kind, options)


__all__ = ["TableFile", "opened_table"]
