"""Plan files: what has to change in several files, as JSON Lines, written and read without holding all of it.

After the first line comes one line for each file, with its form, policy and digests, followed by the number of change
lines that it announces. A file's name is XTF-8 text, so a name that is not UTF-8 survives exactly and the JSON is valid
Unicode; it is a path relative to a root (:mod:`eightfold.files.paths.roots`). Changes, and applying them, are in
:mod:`eightfold.repair`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from types import TracebackType
from typing import Any, BinaryIO

from eightfold.files import FileError
from eightfold.files.path_text import as_path, as_text, shown
from eightfold.files.paths.roots import steps
from eightfold.files.read.reading import Source
from eightfold.files.records.json_lines import heading, record, records
from eightfold.repair import Change, PlanError, Repaired
from eightfold.repair.changes import in_order

KIND = "plan"
_HELD_BYTES = 1 << 20
_WORDS = ("path", "form", "errors", "original_sha256", "result_sha256")


@dataclass(frozen=True)
class FilePlan:
    """What a plan file says about one file.

    Attributes:
        path: the file, relative to the root; ``-`` is standard input.
        form, errors: the form to read it in, and the policy.
        original_sha256, result_sha256: the digests of both sides, in hex.
        count: the number of changes.
        changes: the changes, in order; they can be read once, before the next file of the plan.
    """

    path: str
    form: str
    errors: str
    original_sha256: str
    result_sha256: str
    count: int
    changes: Iterator[Change]

    @property
    def digests(self) -> tuple[str, str]:
        """The digests of the original and of the result."""
        return self.original_sha256, self.result_sha256


class Draft:
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
        self._head = {"path": as_text(path), "form": form, "errors": errors}
        self._original, self._result = sha256(), sha256()
        from tempfile import SpooledTemporaryFile

        self._lines = SpooledTemporaryFile(_HELD_BYTES)  # noqa: SIM115
        self.count: int = 0

    def __enter__(self) -> Draft:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._lines.close()

    def add(self, chunk: bytes, repaired: Repaired) -> None:
        """Add the next bytes of the file, and the repair of these or of those before them."""
        self._original.update(chunk)
        self._result.update(repaired.data)
        self._lines.writelines(record(change.as_dict()) for change in repaired.changes)
        self.count += len(repaired.changes)

    def write_to(self, file: BinaryIO) -> None:
        """Write the lines about this file."""
        ends = {"original_sha256": self._original.hexdigest(), "result_sha256": self._result.hexdigest()}
        file.write(record({**self._head, **ends, "changes": self.count}))
        from shutil import copyfileobj

        self._lines.seek(0)
        copyfileobj(self._lines, file)


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
        (path, form, errors, original, result), count = _head(source, number, values)
        changes = _changes(source, lines, count)
        yield FilePlan(path, form, errors, original, result, count, changes)
        for _ in changes:
            pass


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
        return [_file_path(words[0]), *words[1:]], count
    except ValueError as error:
        raise FileError(source.path, f"line {number}: this is not a plan: {error}") from error


def _file_path(text: str) -> str:
    path = as_path(text)
    if not steps(path):
        raise ValueError(f"'{shown(path)}' does not name a file")
    return path


def _changes(source: Source, lines: Iterator[tuple[int, Any]], count: int) -> Iterator[Change]:
    number = 0

    def read() -> Iterator[Change]:
        nonlocal number
        for _ in range(count):
            number, values = next(lines, (0, None))
            if values is None:
                raise FileError(source.path, "this plan is truncated: its last file has more changes")
            yield Change.from_dict(values)

    try:
        yield from in_order(read())
    except PlanError as error:
        raise FileError(source.path, f"line {number}: {error}") from error
