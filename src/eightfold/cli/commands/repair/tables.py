"""`repair` of a file that holds a table: only its strings change, row group by row group."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO

from eightfold.cli.commands.repair.options import Options
from eightfold.cli.output.lines import placed, say
from eightfold.cli.work.jobs import Job
from eightfold.cli.work.stopping import StoppedError
from eightfold.faults import ConversionError
from eightfold.files import FileError, blaming
from eightfold.files.path_text import shown
from eightfold.files.records.certificates import Certificate
from eightfold.files.records.plan_files import TableDraft
from eightfold.files.write.verifying import DifferenceError
from eightfold.forms.utf_8 import UTF_8
from eightfold.repair import LOSSLESS, PlanError

if TYPE_CHECKING:
    from eightfold.cli.work.table_changes import Planned
    from eightfold.cli.work.table_repair import Counts
    from eightfold.columns.parts import Part
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

    def __init__(self, path: str, file: BinaryIO, kind: str, policy: str) -> None:
        self.path = path
        self.kind = kind
        self.policy = policy
        self.changes: int = 0
        self.lossy: int = 0
        self._file = file

    @contextmanager
    def _reading(self) -> Iterator[TableReader]:
        """Give the table with its names and metadata repaired.

        Raises:
            FileError: it is malformed. StoppedError: the policy cannot repair a text.
        """
        try:
            yield self._reader
        except ConversionError as error:
            raise self._stopped(error) from error

    @cached_property
    def _reader(self) -> TableReader:
        """The table with its names and metadata repaired, opened once: a long footer takes seconds."""
        from eightfold.columns.table_files import reading

        self._file.seek(0)
        with reading(self.path, self.kind, self._file, self._repaired_text) as reader:
            return reader

    def _repaired_text(self, text: bytes) -> bytes:
        from eightfold.cli.work.table_repair import repaired_text

        return repaired_text(text, self.policy)

    def _stopped(self, error: ConversionError) -> StoppedError:
        """Return the error for a value or a text that the policy cannot repair."""
        where = "; ".join(getattr(error, "__notes__", ()))
        return StoppedError((*placed(self.path, None), f"{where}: {error.fault}"), _REFUSING[self.policy])

    def faults(self) -> Iterator[Any]:
        """Yield the faults, as :func:`eightfold.cli.work.tables.cells_in` does, and count what would change."""
        from eightfold.cli.work.tables import cells_in
        from eightfold.columns.table_files import reading

        self._file.seek(0)
        with reading(self.path, self.kind, self._file) as reader:
            for cell in cells_in(self.path, reader):
                self.changes += 1
                self.lossy += self.policy not in LOSSLESS
                yield cell
        if not self.changes:
            self._count_escaped()
        elif self.policy in _REFUSING:
            self._try()

    def would_change(self) -> bool:
        """Return whether a repair would change the table."""
        return next(self.faults(), None) is not None or self.changes > 0

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
        """Count the parts in which only strings that look like escapes would change, which are not faults."""
        with self._reading() as reader:
            self._count_texts(reader)
            for part in reader.parts(whole=True):
                self._repaired(part)
        if self.changes:
            say(f"{shown(self.path)}: it has strings with U+EF80 to U+EFFF, which --errors {self.policy} escapes")

    def copy(self, target: BinaryIO, certificate: Certificate | None = None) -> None:
        """Write the repaired table, and measure both files for a certificate.

        Raises:
            FileError: a part is malformed. StoppedError: the policy cannot repair a value.
        """
        self._copy(target, self._repaired, certificate)

    def _noting(self, note: Callable[[Part, Any], object]) -> Callable[[Part], Any]:
        """Return a function that repairs a part, and calls another with it and what became of it."""

        def change(part: Part) -> Any:
            repaired = self._repaired(part)
            with self._blaming(part):
                note(part, repaired)
            return repaired

        return change

    def _copy(self, target: BinaryIO, change: Callable[[Part], Any], certificate: Certificate | None) -> None:
        from eightfold.cli.work.table_repair import replaced_fault_count

        with self._reading() as reader:
            self._count_texts(reader)
            lost = reader.copy(measured_sink(target, certificate), change)
            if not self.changes:  # otherwise they repeat strings that were repaired
                self.changes += replaced_fault_count(reader)
        for each in lost:
            say(f"{shown(self.path)}: not kept: {each}")
        if certificate is not None:
            with blaming(self.path):
                take_source(self._file, certificate)

    def _blaming(self, part: Part) -> AbstractContextManager[None]:
        from eightfold.columns.parts import blaming_part

        return blaming_part(self.path, self.kind, f"rows from {part.first_row}")

    def copy_proved(self, target: BinaryIO, draft: TableDraft, certificate: Certificate | None) -> str:
        """Write the repaired table, note its changes, undo them in the result, and compare that with the original.

        Args:
            target: a file that can be read, too.
            draft: gets the changes.
            certificate: measures both files.

        Returns:
            the SHA-256, in hex, of the result with its changes undone.

        Raises:
            FileError, StoppedError: as for :meth:`copy`.
            DifferenceError: the original does not come back.
        """
        from eightfold.cli.work.table_changes import Planned, changes_in

        with self._reading() as reader:
            draft.add(reader.text_changes)
        self._copy(target, self._noting(lambda part, new: draft.add(changes_in(part, new, self.kind))), certificate)
        return self._undone(target, Planned(draft.changes()))

    def _undone(self, result: BinaryIO, planned: Planned) -> str:
        """Undo changes in a result, check each part of it, and return the digest of what comes out."""
        from eightfold.cli.work.table_changes import check_undone
        from eightfold.columns.sinks import Sink

        digest = hashlib.sha256()
        with self._reading() as original:
            parts, target = original.parts(whole=True), Sink(digest.update)
            undo_table(self.path, self.kind, result, target, planned, lambda data: check_undone(parts, data))
        if next(parts, None) is not None:
            raise DifferenceError(0, "with its changes undone, the result is not the original")
        return digest.hexdigest()

    def copy_as_planned(
        self, target: BinaryIO, planned: Planned, certificate: Certificate, *, was_undone: bool
    ) -> None:
        """Write the repaired table as :meth:`copy` does, if the changes are those of a plan.

        Raises:
            FileError, StoppedError: as for :meth:`copy`. PlanError: they are not.
        """
        from eightfold.cli.work.table_changes import check_changes, redone

        def change(part: Part) -> Any:
            with self._blaming(part):
                return redone(part, planned, self.kind)

        checking = self._noting(lambda part, repaired: check_changes(part, repaired, planned, self.kind))
        with self._reading() as reader:
            if reader.text_changes != planned.texts():
                raise PlanError("the plan has other names or metadata: make a new one")
        self._copy(target, change if was_undone else checking, certificate)
        planned.end()

    def _repaired(self, part: Part) -> Any:
        from eightfold.cli.work.table_repair import repaired_part

        try:
            repaired, counts = repaired_part(self.path, self.kind, part, self.policy)
        except ConversionError as error:
            raise self._stopped(error) from error
        self._count(counts)
        return repaired

    def _count(self, counts: Counts) -> None:
        self.changes += counts.changes
        self.lossy += counts.lossy

    def _count_texts(self, reader: TableReader) -> None:
        from eightfold.cli.work.table_repair import counts_of_texts

        self._count(counts_of_texts(reader, self.policy))


def measured_sink(target: BinaryIO, certificate: Certificate | None) -> Any:
    """Return a file for pyarrow to write to: it passes everything on, and to a certificate as the result."""
    from eightfold.columns.sinks import Sink

    def write(data: Any) -> None:
        if certificate is not None:
            certificate.take(b"", data)
        target.write(data)

    return Sink(write)


def take_source(file: BinaryIO, certificate: Certificate) -> None:
    """Read a file from its beginning, as the source of a certificate."""
    file.seek(0)
    while chunk := file.read(_CHUNK_BYTES):
        certificate.take(chunk, b"")


def undo_table(
    path: str, kind: str, result: BinaryIO, target: Any, planned: Planned, check: Callable[[Any], object]
) -> None:
    """Write a result as it was before changes.

    Args:
        path: the file, as errors name it.
        kind: what kind of table it is.
        result: the file, open for reading.
        target: a file to write to.
        planned: the changes.
        check: called with the rows of each part.

    Raises:
        FileError: it is malformed. PlanError: the changes are not those of the result.
    """
    from eightfold.cli.work.table_changes import undone
    from eightfold.columns.parts import blaming_part
    from eightfold.columns.table_files import reading

    def change(part: Part) -> Any:
        with blaming_part(path, kind, f"rows from {part.first_row}"):
            data = undone(part, planned, kind)
            check(data)
        return data

    result.seek(0)
    with reading(path, kind, result) as reader:
        texts = planned.texts()
        reader.copy(target, change, texts)
    planned.end()


@contextmanager
def opened_table(job: Job, kind: str, options: Options) -> Iterator[TableFile]:
    """Open the table of a job.

    Raises:
        FileError: it cannot be opened, or an option is not possible with tables.
    """
    refusals: list[tuple[object, str]] = [
        (options.diff, "--diff does not support it: it has no lines"),
        (options.mojibake, "--mojibake does not support it yet"),
        (options.form is not None and options.form is not UTF_8, "its strings are utf-8: leave out -f"),
    ]
    for is_asked, reason in refusals:
        if is_asked:
            raise FileError(job.source, f"{kind}: {reason}")
    if options.json_files is not None and options.json_files.lines_of(job.found, unpack=job.unpack) is not None:
        say(f"{shown(job.source)}: escapes in JSON are not looked for in {kind}")
    with ExitStack() as stack:
        with blaming(job.source):  # not around what follows, which writes to other files
            file = stack.enter_context(open(job.source, "rb"))
        yield TableFile(job.source, file, kind, options.policy)


__all__ = ["TableFile", "measured_sink", "opened_table", "take_source", "undo_table"]
