"""The repair of a dataset into a new folder: what a worker does with a piece, and the whole of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from eightfold.cli.work.datasets.pieces import Piece, opened, span_of
from eightfold.cli.work.datasets.targets import Target, writing_to
from eightfold.cli.work.likeness import is_binary, other_form
from eightfold.faults import ConversionError
from eightfold.files import FileError
from eightfold.files.paths.addresses import packing_of
from eightfold.files.read.reading import Source
from eightfold.files.read.reading import opened as opened_text
from eightfold.forms import form as form_named
from eightfold.repair import Repairer


class PieceRepaired(NamedTuple):
    """What a worker did with a piece.

    Attributes:
        piece: the piece.
        changes: how many changes it has; in a table each fault is one.
        lossy: how many of them cannot be undone.
        said: messages.
        is_binary: whether it is a binary file, copied as it is.
        error: why it could not be read, or empty.
        fault: the fault that the policy cannot repair, with its place, or empty.
    """

    piece: Piece
    changes: int = 0
    lossy: int = 0
    said: tuple[str, ...] = ()
    is_binary: bool = False
    error: str = ""
    fault: str = ""


@dataclass(frozen=True)
class Repairing:
    """The work of a worker: called with a piece.

    Attributes:
        target: where the results go.
        form: the name of the form of text.
        form_is_given: whether the user chose it: else text that looks like another form is refused.
        errors: the policy.
        unpack: whether compressed files are decompressed, and their results compressed.
    """

    target: Target
    form: str
    form_is_given: bool
    errors: str
    unpack: bool

    def __call__(self, piece: Piece) -> PieceRepaired:
        """Repair a piece."""
        try:
            if piece.kind:
                return self._table(piece)
            with self._opened(piece) as source:
                return self._text(piece, source)
        except FileError as error:
            return PieceRepaired(piece, error=str(error))
        except ConversionError as error:
            notes = "".join(f"{note}: " for note in getattr(error, "__notes__", ()))
            where = "" if piece.kind else f", at byte {piece.start + error.start}"
            return PieceRepaired(piece, fault=f"{notes}{error.fault.kind}: {error.fault}{where}")

    def _opened(self, piece: Piece) -> AbstractContextManager[Source]:
        return opened_text(piece.path, unpack=self.unpack) if piece.is_whole else _source_of(piece)

    def _text(self, piece: Piece, source: Source) -> PieceRepaired:
        form, changes, lossy = form_named(self.form), 0, 0
        other = None if self.form_is_given or piece.number else other_form(source, form)
        if other is not None:
            raise FileError(piece.path, str(other))
        if not piece.number and is_binary(source, form):
            with opened(piece.path) as given, self.target.writing(piece) as file:
                shutil.copyfileobj(given, file)
            return PieceRepaired(piece, is_binary=True)
        repairer = Repairer(form, self.errors)
        with self.target.writing(piece) as whole, self._packed(piece, whole) as file:
            for chunk, final in source.pieces():
                repaired = repairer.repair(chunk, final)
                file.write(repaired.data)
                changes += len(repaired.changes)
                lossy += sum(change.lossy for change in repaired.changes)
        return PieceRepaired(piece, changes, lossy)

    def _packed(self, piece: Piece, file: BinaryIO) -> AbstractContextManager[BinaryIO]:
        if not (self.unpack and packing_of(piece.path)):
            return nullcontext(file)
        from eightfold.files.read.compression import packing

        return packing(piece.path, file)

    def _table(self, piece: Piece) -> PieceRepaired:
        from eightfold.cli.work.table_repair import counts_of_texts, repaired_part, repaired_text, replaced_fault_count
        from eightfold.columns.table_files import reading

        found = []

        def repaired(part: Any) -> Any:
            new, counts = repaired_part(piece.path, piece.kind, part, self.errors, threads=1)
            found.append(counts)
            return new

        with (
            opened(piece.path) as given,
            reading(piece.path, piece.kind, given, lambda text: repaired_text(text, self.errors)) as reader,
            self.target.writing(piece) as file,
        ):
            found.append(counts_of_texts(reader, self.errors))
            said = tuple(f"not kept: {each}" for each in reader.copy(file, repaired))
            changes = sum(each.changes for each in found) or replaced_fault_count(reader)
        return PieceRepaired(piece, changes, sum(each.lossy for each in found), said)


@contextmanager
def _source_of(piece: Piece) -> Iterator[Source]:
    with span_of(piece) as (source, _):
        yield source


class FailedError(Exception):
    """A piece that could not be repaired, so nothing is written: its result."""

    def __init__(self, result: PieceRepaired) -> None:
        super().__init__(result)
        self.result = result


Run = Callable[[Callable[[Piece], PieceRepaired], list[Piece]], Generator[PieceRepaired, None, None]]


def repaired_into(
    output: str, pieces: list[Piece], work: Callable[[Target], Repairing], run: Run, *, lossy: bool
) -> Iterator[PieceRepaired]:
    """Repair all pieces into a new folder, and yield the results; the folder is there when all are taken.

    Args:
        output: the folder.
        pieces: the pieces.
        work: makes the work of a worker, of the target.
        run: does the work on all pieces.
        lossy: whether changes are allowed that cannot be undone.

    Raises:
        FailedError: a piece cannot be repaired. UsageError, FileError: the folder exists, or cannot be written.
    """
    with writing_to(output, pieces) as target, closing(run(work(target), pieces)) as results:
        for result in results:
            if result.error or result.fault or (result.lossy and not lossy):
                raise FailedError(result)
            target.join(result.piece)
            yield result


__all__ = ["FailedError", "PieceRepaired", "Repairing", "repaired_into"]
