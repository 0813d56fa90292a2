"""Plan files: what has to change in several files, as JSON Lines, written and read without holding all of it.

After the first line comes one line for each file, with its form, policy and digests, followed by the number of change
lines that it announces. A file's name is XTF-8 text, so a name that is not UTF-8 survives exactly and the JSON is valid
Unicode; it is a path relative to a root (:mod:`eightfold.files.paths.roots`). Changes, and applying them, are in
:mod:`eightfold.repair`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeVar
from unicodedata import category

from eightfold.files import FileError
from eightfold.files.path_text import as_path, as_text, shown
from eightfold.files.paths.roots import steps
from eightfold.files.read.reading import Source
from eightfold.files.read.tables import IPC, PARQUET
from eightfold.files.records.json_lines import LONGEST_LINE, heading, record, records, value
from eightfold.files.records.table_changes import TableChange, table_change, tables_in_order
from eightfold.forms.utf_8 import UTF_8
from eightfold.repair import Change, PlanError, Repaired, Repairer
from eightfold.repair.changes import in_order

_AnyChange = TypeVar("_AnyChange", Change, TableChange)
KIND = "plan"
_HELD_BYTES = 1 << 20
_DIGEST = re.compile("[0-9a-f]{64}")
_WORDS = ("path", "form", "errors", "original_sha256", "result_sha256")


@dataclass(frozen=True)
class TablePlan:
    """What a plan file says about a table besides.

    Attributes:
        kind: what kind of file holds it, as :func:`eightfold.files.read.tables.table_kind` returns it.
        undone_sha256: the digest, in hex, of the file that undoing the changes gives: it has the original values, but
            need not have the bytes of the original.
        changes: the changes, in order, as those of :class:`FilePlan`, which has none.
    """

    kind: str
    undone_sha256: str
    changes: Iterator[TableChange]


@dataclass(frozen=True)
class FilePlan:
    """What a plan file says about one file.

    Attributes:
        path: the file, relative to the root; ``-`` is standard input.
        form, errors: the form to read it in, and the policy.
        original_sha256, result_sha256: the digests of both sides, in hex.
        count: the number of changes.
        changes: the changes, in order; they can be read once, before the next file of the plan.
        table: what it says about a table; None for any other file.
    """

    path: str
    form: str
    errors: str
    original_sha256: str
    result_sha256: str
    count: int
    changes: Iterator[Change]
    table: TablePlan | None = None

    @property
    def digests(self) -> tuple[str, str]:
        """The digests of the original and of the result."""
        return self.original_sha256, self.result_sha256


class _Draft:
    """Changes that wait in a temporary file for the line that comes before them."""

    def __init__(self, path: str, form: str, errors: str) -> None:
        self._head = {"path": as_text(path), "form": form, "errors": errors}
        from tempfile import SpooledTemporaryFile

        self._lines = SpooledTemporaryFile(_HELD_BYTES)  # noqa: SIM115
        self._digest = sha256()
        self._longest = 0
        self.count: int = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._lines.close()

    def _add(self, changes: Iterable[Change | TableChange]) -> None:
        for change in changes:
            line = record(change.as_dict())
            self._lines.write(line)
            self._digest.update(line)
            self._longest = max(self._longest, len(line))
            self.count += 1

    def _write_to(self, file: BinaryIO, ends: Mapping[str, str]) -> None:
        from shutil import copyfileobj

        if self._longest > LONGEST_LINE:
            reason = f"a change takes more than {LONGEST_LINE >> 20} MiB of a plan: use --in-place or -o instead"
            raise FileError(as_path(self._head["path"]), reason)
        file.write(record({**self._head, **ends, "changes": self.count}))
        self._lines.seek(0)
        copyfileobj(self._lines, file)


class Draft(_Draft):
    r"""The plan for one file while it is read. Its changes wait in a temporary file, since its digests come first.

    Args:
        path, form, errors: as in :class:`FilePlan`.

    >>> from io import BytesIO
    >>> from eightfold.repair import Repairer
    >>> file = BytesIO()
    >>> with Draft("caf\udce9.txt", "utf-8", "escape") as draft:
    ...     draft.add(b"\xff", Repairer().repair(b"\xff", final=True))
    ...     draft.write_to(file)
    >>> head, change = file.getvalue().splitlines()
    >>> b'"path": "caf\\uefe9.txt"' in head, b'"old": "FF"' in change
    (True, True)
    """

    def __init__(self, path: str, form: str, errors: str) -> None:
        super().__init__(path, form, errors)
        self._original, self._result = sha256(), sha256()

    def add(self, chunk: bytes, repaired: Repaired) -> None:
        """Add the next bytes of the file, and the repair of these or of those before them."""
        self._original.update(chunk)
        self._result.update(repaired.data)
        self._add(repaired.changes)

    def write_to(self, file: BinaryIO) -> None:
        """Write the lines about this file."""
        ends = {"original_sha256": self._original.hexdigest(), "result_sha256": self._result.hexdigest()}
        self._write_to(file, ends)


class TableDraft(_Draft):
    r"""The plan for one table while it is read.

    Args:
        path, errors: as in :class:`FilePlan`.
        kind: as in :class:`TablePlan`.

    >>> from io import BytesIO
    >>> from eightfold.files.records.table_changes import TextChange
    >>> file = BytesIO()
    >>> with TableDraft("data.parquet", "escape", "Parquet") as draft:
    ...     draft.add([TextChange("column name 1", b"\xff", b"?")])
    ...     [change.old for change in draft.changes()]
    ...     draft.write_to(file, "0" * 64, "1" * 64, "2" * 64)
    [b'\xff']
    >>> b'"table": "Parquet"' in file.getvalue()
    True
    """

    def __init__(self, path: str, errors: str, kind: str) -> None:
        super().__init__(path, UTF_8.name, errors)
        self._head["table"] = kind

    def add(self, changes: Iterable[TableChange]) -> None:
        """Add changes, in order."""
        self._add(changes)

    def changes(self) -> Iterator[TableChange]:
        """Yield the changes that were added; no more can be added."""
        self._lines.seek(0)
        return (table_change(value(line)) for line in self._lines)

    def write_to(self, file: BinaryIO, original: str, result: str, undone: str) -> None:
        """Write the lines about this table, with the digests of its original, of its result and of that undone."""
        ends = {"original_sha256": original, "result_sha256": result}
        self._write_to(file, {**ends, "undone_sha256": undone, "changes_sha256": self._digest.hexdigest()})


def begin_plan(file: BinaryIO) -> None:
    """Write the first line of a plan file."""
    file.write(heading(KIND))


def plans_in(source: Source) -> Iterator[FilePlan]:
    """Yield what a plan file says about each file, in one pass.

    Raises:
        FileError: it cannot be read, or is not a plan; also raised while the changes of a file are read.
    """
    lines = records(source, KIND)
    for number, values in lines:
        words, count = _head(source, number, values)
        read = _Changes(source, lines, count)
        path, form, errors, original, result = words
        plan = FilePlan(path, form, errors, original, result, count, iter(()))
        if "table" in values:
            yield replace(plan, table=_table(source, number, values, read))
        else:
            yield replace(plan, changes=read.of_text())
        read.skip()


def _head(source: Source, number: int, values: Any) -> tuple[list[str], int]:
    try:
        words, count = [values[name] for name in _WORDS], values["changes"]
    except (KeyError, TypeError) as error:
        raise FileError(source.path, f"line {number}: this is not a plan: a file is expected here ({error})") from error
    if not all(isinstance(word, str) and word for word in words) or type(count) is not int:
        raise FileError(source.path, f"line {number}: this is not a plan: a file needs names, digests and a count")
    if count < 0:
        raise FileError(source.path, f"line {number}: this is not a plan: {count} changes")
    try:
        path, read = _file_path(words[0]), Repairer(words[1], words[2])  # It knows every form and policy of the verbs.
        return [path, read.form.name, read.errors, *words[3:]], count
    except (LookupError, ValueError) as error:
        raise FileError(source.path, f"line {number}: this is not a plan: {error}") from error


def _file_path(text: str) -> str:
    path = as_path(text)
    names = steps(path)
    if not names:
        raise ValueError(f"'{shown(path)}' does not name a file")
    if is_of_git(names):
        raise ValueError(f"'{shown(path)}' belongs to git, which runs what it finds there")
    return path


def is_of_git(names: Iterable[str]) -> bool:
    r"""Return whether the names that make up a path lead into a folder of git, as any system reads them.

    Windows ignores case, dots and spaces at the end, what follows a colon, and knows a short name; macOS ignores case
    and invisible characters.

    >>> is_of_git(["code", ".git", "config"]), is_of_git([".Gi\u200ct. "]), is_of_git([".gitignore"])
    (True, True, False)
    """
    seen = ("".join(each for each in name.partition(":")[0] if category(each) != "Cf") for name in names)
    return any(name.rstrip(". ").casefold() in (".git", "git~1") for name in seen)


def _checked(changes: Iterator[TableChange], expected: str) -> Iterator[TableChange]:
    digest = sha256()
    for change in changes:
        digest.update(record(change.as_dict()))
        yield change
    if digest.hexdigest() != expected:
        raise PlanError("this plan is damaged: its changes do not match their digest")


def _table(source: Source, number: int, values: Any, changes: _Changes) -> TablePlan:
    kind, *digests = (values.get(name) for name in ("table", "undone_sha256", "changes_sha256"))
    if kind not in (PARQUET, IPC) or not all(isinstance(each, str) and _DIGEST.fullmatch(each) for each in digests):
        raise FileError(source.path, f"line {number}: this is not a plan: a table needs a kind and digests")
    if values["form"] != UTF_8.name:
        raise FileError(source.path, f"line {number}: this is not a plan: the form of a table is {UTF_8.name}")
    undone, listed = digests
    return TablePlan(kind, undone, changes.of_table(listed))


class _Changes:
    """The lines of a file's changes, which can be read once."""

    def __init__(self, source: Source, lines: Iterator[tuple[int, Any]], count: int) -> None:
        self._source, self._lines, self._left = source, lines, count
        self._number = 0
        self._yielded: Iterator[Change | TableChange] = iter(())

    def of_text(self) -> Iterator[Change]:
        """Yield the changes of a text file."""
        found = self._blamed(in_order(map(Change.from_dict, self._values())))
        self._yielded = found
        return found

    def of_table(self, digest: str) -> Iterator[TableChange]:
        """Yield the changes of a table, and check their digest at the end."""
        found = self._blamed(_checked(tables_in_order(map(table_change, self._values())), digest))
        self._yielded = found
        return found

    def skip(self) -> None:
        """Read those that nobody has read, so that they are checked."""
        for _ in self._yielded:
            pass

    def _values(self) -> Iterator[Any]:
        for _ in range(self._left):
            line = next(self._lines, None)
            if line is None:
                raise FileError(self._source.path, "this plan is truncated: its last file has more changes")
            self._number, values = line
            yield values

    def _blamed(self, changes: Iterator[_AnyChange]) -> Iterator[_AnyChange]:
        try:
            yield from changes
        except PlanError as error:
            raise FileError(self._source.path, f"line {self._number}: {error}") from error
