"""The results of a check: the line around a fault, the verdict on a file, and the summary of all files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from eightfold.faults import Fault
from eightfold.stream import Located


class Context(NamedTuple):
    """The printable part of the line around a fault: the text before its bytes, the bytes, and the text after."""

    before: str
    units: str
    after: str


class Cell(NamedTuple):
    """A fault in a table, with the path of its column and its row, from 0.

    One beside the values, as in the name of a column, has no row; its column says where it is.
    """

    fault: Fault
    column: str
    row: int | None

    @property
    def place(self) -> str:
        """The column and the row."""
        return self.column if self.row is None else f"{self.column}[{self.row}]"


@dataclass
class Tally:
    """How many faults there are, by severity and by kind."""

    errors: int = 0
    warnings: int = 0
    kinds: dict[str, int] = field(default_factory=dict)

    @property
    def faults(self) -> int:
        """How many there are of either severity."""
        return self.errors + self.warnings

    def count(self, found: Located | Cell) -> None:
        """Count a fault."""
        fault, kinds = found[0], self.kinds
        if fault.severity == "error":
            self.errors += 1
        else:
            self.warnings += 1
        kinds[fault.kind] = kinds.get(fault.kind, 0) + 1

    def add(self, other: Tally) -> None:
        """Count what another has counted."""
        self.warnings += other.warnings
        self.errors += other.errors
        self._add_kinds(other.kinds)

    def add_kinds(self, kinds: Mapping[str, int], warnings: int = 0) -> None:
        """Add faults that are already counted by kind; so many of them are warnings."""
        self.warnings += warnings
        self.errors += sum(kinds.values()) - warnings
        self._add_kinds(kinds)

    def _add_kinds(self, kinds: Mapping[str, int]) -> None:
        for kind, count in kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + count

    def sorted_kinds(self) -> list[tuple[str, int]]:
        """Return each kind with its count, the most frequent first."""
        return sorted(self.kinds.items(), key=lambda item: (-item[1], item[0]))


@dataclass
class Checked:
    """The result for one file.

    Attributes:
        path: the file, as it was given.
        form: the name of the form that it was checked in; empty if it could not be read so far.
        tally: its faults.
        hidden: how many of them were not reported.
        error: why it could not be read to the end, or empty.
        looks_like: the name of another form that it looks like by its surrogates in pairs, or empty.
        size: the number of bytes that were read; 0 if it could not be read to the end.
    """

    path: str
    form: str = ""
    tally: Tally = field(default_factory=Tally)
    hidden: int = 0
    error: str = ""
    looks_like: str = ""
    size: int = 0

    def hide(self, kinds: Counter[str], warnings: int = 0) -> None:
        """Count faults that are not reported, by kind; so many of them are warnings."""
        self.tally.add_kinds(kinds, warnings)
        self.hidden += kinds.total()

    @property
    def remedy(self) -> str:
        """The advice for a file that looks like another form, or an empty str."""
        return self.looks_like and f"looks like {self.looks_like}; check -f {self.looks_like}"

    @property
    def well_formed(self) -> bool | None:
        """Whether there are no faults except warnings; None if the file could not be read to the end."""
        return None if self.error else not self.tally.errors


@dataclass
class Summary:
    """The results for all files.

    Attributes:
        files: how many there are, without those that were skipped.
        read: how many of them could be opened.
        well_formed: how many of them have no fault but warnings.
        unreadable: how many could not be read to the end; folders count as files here.
        binary: how many files were skipped because they are binary.
        excluded: how many files and folders each configuration has excluded; a folder counts as one.
        tally: all faults.
        forms: the faults by the form that they were found in.
    """

    files: int = 0
    read: int = 0
    well_formed: int = 0
    unreadable: int = 0
    binary: int = 0
    excluded: dict[str, int] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    forms: dict[str, Tally] = field(default_factory=dict)

    def add(self, checked: Checked) -> None:
        """Count a file, and its faults."""
        self.files += 1
        self.read += bool(checked.form)
        self.well_formed += checked.well_formed is True
        self.unreadable += checked.well_formed is None
        self.tally.add(checked.tally)
        if checked.tally.faults:
            self.forms.setdefault(checked.form, Tally()).add(checked.tally)

    def add_passed(self, *, clean: int, binary: int) -> None:
        """Count files without faults, and binary ones, of which nothing else is known."""
        self.files += clean
        self.read += clean
        self.well_formed += clean
        self.binary += binary
