"""The changes of a repair, one for each place, in order; and the functions that apply and undo them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from eightfold.arguments import bytes_of
from eightfold.faults import ESCAPED_SURROGATE, code_point_name, hex_bytes, immutable
from eightfold.forms.utf_8 import UTF_8
from eightfold.repair.policies import ESCAPE_POLICIES, LOSSLESS, POLICIES
from eightfold.text import is_well_formed

_Read = TypeVar("_Read")

MOJIBAKE = "mojibake"
"""The kind of the changes that mend mojibake, and their policy, which is not one for faults."""
_OTHER_BYTES = "the plan is for other bytes: make a new one"
_BYTES_SHOWN = 16


class PlanError(ValueError):
    r"""Raised when a plan cannot be used: it was made for other bytes, or is not a valid plan.

    >>> from eightfold.repair import plan
    >>> plan(b"caf\xe9").apply(b"tea")
    Traceback (most recent call last):
    eightfold.repair.changes.PlanError: the plan is for other bytes: make a new one
    """


@immutable
@dataclass(frozen=True, slots=True)
class Change:
    r"""One place where a repair replaces bytes.

    Attributes:
        start: the byte offset in the original.
        old, new: the original bytes, and the UTF-8 that replaces them.
        kind: the kind of fault; ``escaped-surrogate`` for an escape in JSON; ``well-formed`` if the sequence is
            well-formed and UTF-8 writes it differently; ``signature`` for a mark that is not part of the text.
        policy: the policy that decided, a key of :data:`~eightfold.repair.POLICIES`; ``strict`` if there is no fault,
            ``mojibake`` for mojibake; for an escape in JSON a key of :data:`~eightfold.repair.ESCAPE_POLICIES`.
        line, column: the place of the change, both counted from 1; the column counts bytes.
        json_path: the JSON path of an escape in JSON; empty where nobody asked for it.

    ``str(change)`` is one line. ``end`` is the offset after the old bytes. ``lossy`` is true if the new bytes could
    also stand for other old bytes.

    >>> change = Change(3, b"\xe9", b"\xef\xbf\xbd", "truncated", "replace", 1, 4)
    >>> print(change, change.end, change.lossy)
    truncated: E9 -> EF BF BD (U+FFFD) 4 True
    """

    start: int
    old: bytes
    new: bytes
    kind: str
    policy: str
    line: int
    column: int
    json_path: str = ""

    @property
    def end(self) -> int:
        """The byte offset after the old bytes."""
        return self.start + len(self.old)

    @property
    def lossy(self) -> bool:
        """Whether the new bytes could also stand for other old bytes."""
        return self.policy not in LOSSLESS

    def __str__(self) -> str:
        if self.kind == ESCAPED_SURROGATE:
            path = self.json_path and f", at {self.json_path}"
            return f"{self.kind}: {_escape(self.old)} -> {_escape(self.new)}{path}"
        return f"{self.kind}: {_shown(self.old)} -> {_shown(self.new)}{_points(self.new)}"

    def as_dict(self) -> dict[str, Any]:
        r"""Return the change as a JSON-ready dict, with bytes in hex.

        >>> Change(3, b"\xe9", b"\xc3\xa9", "truncated", "latin-1", 1, 4).as_dict()["new"]
        'C3 A9'
        """
        return {
            "line": self.line,
            "column": self.column,
            "start": self.start,
            "end": self.end,
            "kind": self.kind,
            "policy": self.policy,
            "old": hex_bytes(self.old),
            "new": hex_bytes(self.new),
            **({"json_path": self.json_path} if self.json_path else {}),
        }

    @classmethod
    def from_dict(cls, values: Any) -> Change:
        r"""Return the change with the values from :meth:`as_dict`.

        Raises:
            PlanError: the values are not those of a change.

        >>> change = Change(3, b"\xe9", b"\xc3\xa9", "truncated", "latin-1", 1, 4)
        >>> Change.from_dict(change.as_dict()) == change
        True
        """
        return read_as_plan(_change, values)


def _shown(data: bytes) -> str:
    ellipsis = " ..." if len(data) > _BYTES_SHOWN else ""
    return hex_bytes(data[:_BYTES_SHOWN]) + ellipsis if data else "nothing"


def _escape(written: bytes) -> str:
    return written[:_BYTES_SHOWN].decode("ascii", "backslashreplace") if written else "nothing"


def _points(new: bytes) -> str:
    if not new or len(new) > _BYTES_SHOWN:
        return ""
    return f" ({' '.join(code_point_name(ord(character)) for character in new.decode())})"


def _change(values: Any) -> Change:
    numbers = [values[name] for name in ("start", "end", "line", "column")]
    if any(type(number) is not int or number < 0 for number in numbers):
        raise ValueError("a position is not a non-negative integer")
    start, end, line, column = numbers
    old, new = bytes.fromhex(values["old"]), bytes.fromhex(values["new"])
    if end - start != len(old):
        raise ValueError(f"the change at {start} does not end at {end}")
    if not old:
        raise ValueError(f"the change at {start} replaces nothing")
    if values["policy"] not in {**POLICIES, **ESCAPE_POLICIES, MOJIBAKE: ""} or not isinstance(values["kind"], str):
        raise ValueError(f"the change at {start} has no known kind and policy")
    if not is_well_formed(new, UTF_8):
        raise ValueError(f"the change at {start} does not write UTF-8")
    json_path = values.get("json_path", "")
    if not isinstance(json_path, str):
        raise ValueError(f"the change at {start} has a JSON path that is not a string")
    return Change(start, old, new, values["kind"], values["policy"], line, column, json_path)


def read_as_plan(read: Callable[[Any], _Read], values: Any) -> _Read:
    """Return what a function reads from values of a plan.

    Raises:
        PlanError: the values are not those that it expects.

    >>> read_as_plan(lambda values: values["old"], {})
    Traceback (most recent call last):
    eightfold.repair.changes.PlanError: this is not a plan: it has no 'old'
    """
    try:
        return read(values)
    except PlanError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        why = f"it has no {error}" if isinstance(error, KeyError) else error
        raise PlanError(f"this is not a plan: {why}") from error


def in_order(changes: Iterable[Change]) -> Iterator[Change]:
    """Yield changes unchanged, and check their order.

    Raises:
        PlanError: a change begins before the end of the previous one.
    """
    end = 0
    for change in changes:
        if change.start < end:
            raise PlanError("this is not a plan: its changes overlap, or are not in order")
        end = change.end
        yield change


def apply_changes(chunks: Iterable[bytes], changes: Iterable[Change], digests: tuple[str, str]) -> Iterator[bytes]:
    r"""Yield the repaired bytes of an original in chunks, like :meth:`Plan.apply_chunks`; changes may be an iterator.

    Args:
        chunks: the original.
        changes: the changes of its plan.
        digests: the SHA-256 of the original and of the result, in hex.

    Raises:
        PlanError: as for :meth:`Plan.apply`.

    >>> from eightfold.repair import plan
    >>> made = plan(b"caf\xe9", errors="latin-1")
    >>> digests = (made.original_sha256, made.result_sha256)
    >>> b"".join(apply_changes([b"caf", b"\xe9"], iter(made.changes), digests))
    b'caf\xc3\xa9'
    """
    return _rewritten(chunks, (Edit(change.start, change.old, change.new) for change in changes), digests)


def undo_changes(chunks: Iterable[bytes], changes: Iterable[Change], digests: tuple[str, str]) -> Iterator[bytes]:
    r"""Yield the original bytes of a result in chunks, like :meth:`Plan.undo_chunks`; changes may be an iterator.

    Args:
        chunks: the result.
        changes: the changes of the plan for the original.
        digests: the SHA-256 of the original and of the result, in hex.

    Raises:
        PlanError: as for :meth:`Plan.undo`.

    >>> from eightfold.repair import plan
    >>> made = plan(b"caf\xe9", errors="latin-1")
    >>> digests = (made.original_sha256, made.result_sha256)
    >>> b"".join(undo_changes([b"caf\xc3", b"\xa9"], iter(made.changes), digests))
    b'caf\xe9'
    """
    original, result = digests
    return _rewritten(chunks, _way_back(changes), (result, original))


def _way_back(changes: Iterable[Change]) -> Iterator[Edit]:
    shift = 0
    for change in changes:
        yield Edit(change.start + shift, change.new, change.old)
        shift += len(change.new) - len(change.old)


class Edit(NamedTuple):
    """New bytes that replace old ones at a byte offset."""

    start: int
    old: bytes
    new: bytes

    @property
    def end(self) -> int:
        """The byte offset after the old bytes."""
        return self.start + len(self.old)


def _rewritten(chunks: Iterable[bytes], edits: Iterator[Edit], digests: tuple[str, str]) -> Iterator[bytes]:
    """Yield chunks with the edits applied; at the end, check the digests of the input and the output."""
    read, written = sha256(), sha256()

    def noted() -> Iterator[bytes]:
        for chunk in map(bytes_of, chunks):
            read.update(chunk)
            yield chunk

    for part in spliced(noted(), edits):
        written.update(part)
        yield part
    if (read.hexdigest(), written.hexdigest()) != digests:
        raise PlanError(_OTHER_BYTES)


def spliced(chunks: Iterable[bytes], edits: Iterator[Edit]) -> Iterator[bytes]:
    r"""Yield chunks with the edits applied.

    Raises:
        PlanError: the old bytes of an edit are not at its offset.

    >>> b"".join(spliced([b"caf", b"\xe9!"], iter([Edit(3, b"\xe9", b"e")])))
    b'cafe!'
    """
    edit = next(edits, None)
    held, offset = b"", 0  # the bytes not yielded yet, and where they begin
    for chunk in chain(chunks, (b"",)):
        content, at = held + chunk, 0
        while edit is not None and edit.end <= offset + len(content):
            start, end = edit.start - offset, edit.end - offset
            if content[start:end] != edit.old:
                raise PlanError(_OTHER_BYTES)
            yield content[at:start]
            yield edit.new
            at, edit = end, next(edits, None)
        settled = len(content) if edit is None else min(len(content), edit.start - offset)
        yield content[at:settled]
        held, offset = content[settled:], offset + settled
    if edit is not None:
        raise PlanError(_OTHER_BYTES)
