"""The repair of the parts and texts of a table, alone or in a dataset: what changes, and what cannot be repaired."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from eightfold.cli.work.tables import shown_bytes
from eightfold.columns import audit
from eightfold.columns import repair as repair_table
from eightfold.columns.buffers import share_buffers
from eightfold.columns.parts import Part, blaming_part
from eightfold.faults import ConversionError
from eightfold.forms.utf_8 import UTF_8
from eightfold.repair import LOSSLESS, repair
from eightfold.text import faults

if TYPE_CHECKING:
    from eightfold.columns.table_files import TableReader


class Counts(NamedTuple):
    """How many changes there are: each fault is one; where something changes without a fault, that is one.

    >>> Counts.of(0, "escape", is_changed=True), Counts.of(2, "replace", is_changed=True)
    (Counts(changes=1, lossy=0), Counts(changes=2, lossy=2))
    """

    changes: int
    lossy: int

    @classmethod
    def of(cls, fault_count: int, policy: str, *, is_changed: bool) -> Counts:
        """Return the counts for so many faults that a policy repairs."""
        return cls(fault_count or int(is_changed), 0 if policy in LOSSLESS else fault_count)


def repaired_text(text: bytes, policy: str) -> bytes:
    r"""Return the name of a column, or a text of the metadata, repaired.

    Raises:
        ConversionError: the policy cannot repair it; a note shows it.

    >>> repaired_text(b"caf\xe9", "latin-1").decode()
    'café'
    """
    try:
        return repair(text, UTF_8, policy)
    except ConversionError as error:
        error.add_note(f"names and metadata, {shown_bytes(text)}")
        raise


def counts_of_texts(reader: TableReader, policy: str) -> Counts:
    """Return the counts for the texts of a table that is read with its texts repaired."""
    if not reader.text_changes:
        return Counts(0, 0)
    return Counts.of(_fault_count(text.data for text in reader.kept_texts()), policy, is_changed=True)


def repaired_part(path: str, kind: str, part: Part, policy: str, threads: int | None = None) -> tuple[Any, Counts]:
    """Return the rows of a part repaired, and what changes in them.

    Raises:
        FileError: the part is malformed.
        ConversionError: the policy cannot repair a value; a note names the column and the row in the file.
    """
    try:
        with blaming_part(path, kind, f"rows from {part.first_row}"):
            count = audit(part.data, binary=False, threads=threads).num_rows
            repaired = repair_table(part.data, policy, binary=False, threads=threads)
    except ConversionError as error:
        *others, place = error.__notes__
        error.__notes__ = [*others, re.sub(r"\d+$", lambda row: str(int(row[0]) + part.first_row), place)]
        raise
    return repaired, Counts.of(count, policy, is_changed=not share_buffers(repaired, part.data))


def replaced_fault_count(reader: TableReader) -> int:
    """Return how many faults are not in a copy: of bounds, which are computed again, and of texts of the writer.

    Raises:
        FileError: the page index is malformed.
    """
    texts = (text.data for text in reader.replaced_texts())
    return _fault_count(chain(texts, (bound.data for bound in reader.statistics())))


def _fault_count(texts: Iterable[bytes]) -> int:
    return sum(1 for text in texts for _ in faults(text, UTF_8))


__all__ = ["Counts", "counts_of_texts", "repaired_part", "repaired_text", "replaced_fault_count"]
