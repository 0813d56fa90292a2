r"""Repair as a plan: the changes that make bytes UTF-8, which can be shown, saved, applied, and undone to the byte.

A change is a place whose bytes differ between the form that is read and UTF-8: a fault, for which a policy says what is
written, or a well-formed sequence that UTF-8 writes otherwise. What is a fault, and what a sequence is worth, is the
business of the form; here is what is written for it, and the plan as a record. The target is UTF-8 and nothing else:
WTF-8 is not for interchange.

A plan holds the old bytes and the SHA-256 of both ends, so :meth:`Plan.undo` always gives the original back, and a plan
for other bytes is refused. Without the plan only what ``strict`` and ``escape`` write can be turned back: different
inputs give different results. The other policies are *lossy*, and each change that one of them made is counted.

>>> from eightfold import repair
>>> plan = repair.plan(b"caf\xe9\nCESU-8: \xed\xa0\xbd\xed\xb8\x80\n", errors="replace")
>>> print(plan)
3 changes from utf-8 to UTF-8, errors='replace', 3 lossy
1:4: truncated: E9 -> EF BF BD (U+FFFD)
2:9: surrogate: ED A0 BD -> EF BF BD EF BF BD EF BF BD (U+FFFD U+FFFD U+FFFD)
2:12: surrogate: ED B8 80 -> EF BF BD EF BF BD EF BF BD (U+FFFD U+FFFD U+FFFD)
>>> plan.undo(plan.apply(b"caf\xe9\nCESU-8: \xed\xa0\xbd\xed\xb8\x80\n"))
b'caf\xe9\nCESU-8: \xed\xa0\xbd\xed\xb8\x80\n'
>>> print(repair.plan(b"CESU-8: \xed\xa0\xbd\xed\xb8\x80\n", errors="pairs"))
1 change from utf-8 to UTF-8, errors='pairs', 1 lossy
1:9: surrogate-pair: ED A0 BD ED B8 80 -> F0 9F 98 80 (U+1F600)

Source: XTF-8 (``escape``); WTF-8 section 1 (never WTF-8) and section 2.1 (``pairs``); WHATWG Encoding, windows-1252.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias

from eightfold import reference
from eightfold.faults import Fault, code_point_name, hex_bytes
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.forms.utf_8 import UTF_8
from eightfold.forms.wtf_8 import PAIR
from eightfold.forms.xtf_8 import ESCAPE, XTF_8
from eightfold.policy import raise_conversion
from eightfold.reference import Decoded
from eightfold.run import well_formed_end
from eightfold.text import AnyForm, Data, LinePosition, bytes_of, convert, is_well_formed, signed

Policy: TypeAlias = Literal["escape", "strict", "replace", "pairs", "latin-1", "cp1252"]

POLICIES: Mapping[str, str] = {
    "escape": "each byte as its XTF-8 escape, U+EF80 to U+EFFF; those code points in the input too",
    "strict": "nothing: any fault is an error",
    "replace": "U+FFFD, once per decoding unit",
    "pairs": "a surrogate pair byte sequence, as CESU-8 has it, as four bytes; any other fault is an error",
    "latin-1": "each byte as the character that it is in Latin-1",
    "cp1252": "each byte as the character that it is in windows-1252, as browsers read it",
}
"""What each policy writes for a fault."""

LOSSLESS = ("escape", "strict")
"""The policies under which different inputs give different results, so that the result alone can be turned back."""

PLAN_VERSION = 1
_OTHER_BYTES = "the plan is for other bytes: make a new one"
_BYTES_SHOWN = 16
_ESCAPES = range(ESCAPE.first, ESCAPE.last + 1)
_ESCAPE_OF_BYTE = dict(zip(range(0x80, 0x100), _ESCAPES, strict=True))
_COLLISION = re.compile(b"\xee[\xbe\xbf]")
"""Where well-formed UTF-8 holds one of the escapes."""
_C1 = dict(zip(range(0xDC80, 0xDCA0), range(0x80, 0xA0), strict=True))
"""What windows-1252 has for the bytes that Python's cp1252 lacks: by WHATWG the C1 control of the same number."""
_UTF_8_WITH_PAIRS = Form(UTF_8.name, UTF_8.rows, units=(PAIR,), names=UTF_8.names, source="WTF-8 section 2.1")


class PlanError(ValueError):
    r"""A plan that cannot be used: it was made for other bytes, or it is none.

    >>> plan(b"caf\xe9").apply(b"tea")
    Traceback (most recent call last):
    eightfold.repair.PlanError: the plan is for other bytes: make a new one
    """


@dataclass(frozen=True, slots=True)
class Change:
    r"""One place that is written otherwise.

    Attributes:
        start: the byte offset in the original.
        old, new: the bytes there, and the UTF-8 in their place.
        kind: the kind of fault; ``well-formed`` where the form has the sequence and UTF-8 writes it otherwise;
            ``signature`` for a mark that is no part of the text.
        policy: what decided, a key of :data:`POLICIES`; ``strict`` where there is no fault.
        line, column: where that is, both from 1; the column counts bytes.

    ``str(change)`` is one line. ``end`` is the offset after the old bytes, ``lossy`` whether the new ones could stand
    for others too.

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

    @property
    def end(self) -> int:
        """The byte offset after the old bytes."""
        return self.start + len(self.old)

    @property
    def lossy(self) -> bool:
        """Whether the new bytes could stand for other old ones."""
        return self.policy not in LOSSLESS

    def __str__(self) -> str:
        return f"{self.kind}: {_shown(self.old)} -> {_shown(self.new)}{_points(self.new)}"

    def as_dict(self) -> dict[str, Any]:
        r"""Return the change as JSON-ready values, bytes in hex.

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
        }

    @classmethod
    def from_dict(cls, values: Any) -> Change:
        r"""Return the change of the values that :meth:`as_dict` gave.

        Raises:
            PlanError: they are none.

        >>> change = Change(3, b"\xe9", b"\xc3\xa9", "truncated", "latin-1", 1, 4)
        >>> Change.from_dict(change.as_dict()) == change
        True
        """
        try:
            return _change(values)
        except (KeyError, TypeError, ValueError) as error:
            raise PlanError(f"this is no plan: {_why(error)}") from error


def _shown(data: bytes) -> str:
    ellipsis = " ..." if len(data) > _BYTES_SHOWN else ""
    return hex_bytes(data[:_BYTES_SHOWN]) + ellipsis if data else "nothing"


def _points(new: bytes) -> str:
    names = " ".join(code_point_name(ord(character)) for character in new.decode())
    return f" ({names})" if new and len(new) <= _BYTES_SHOWN else ""


@dataclass(frozen=True, slots=True)
class Plan:
    r"""What has to change so that certain bytes become UTF-8. Made by :func:`plan`.

    Attributes:
        form: the name of the form that the original is read in.
        errors: the policy, a key of :data:`POLICIES`.
        original_sha256, result_sha256: the digests of both ends, in hex.
        changes: in order, none of them overlapping.

    ``str(plan)`` is a line on the whole and one for each change.

    >>> made = plan(b"caf\xe9")
    >>> made.apply(b"caf\xe9").decode()
    'caf\uefe9'
    >>> Plan.from_json(made.to_json()) == made
    True
    """

    form: str
    errors: str
    original_sha256: str
    result_sha256: str
    changes: tuple[Change, ...]

    @property
    def lossy_count(self) -> int:
        """How many changes cannot be turned back without the plan."""
        return sum(change.lossy for change in self.changes)

    def __str__(self) -> str:
        count = len(self.changes)
        changes = "1 change" if count == 1 else f"{count} changes"
        head = f"{changes} from {self.form} to UTF-8, errors={self.errors!r}, {self.lossy_count} lossy"
        return "\n".join((head, *(f"{change.line}:{change.column}: {change}" for change in self.changes)))

    def apply(self, original: Data) -> bytes:
        r"""Return the repaired bytes.

        Raises:
            PlanError: these are not the bytes that the plan was made for.

        >>> plan(b"\xff", errors="replace").apply(b"\xfe")
        Traceback (most recent call last):
        eightfold.repair.PlanError: the plan is for other bytes: make a new one
        """
        return b"".join(self.apply_chunks([bytes_of(original)]))

    def undo(self, repaired: Data) -> bytes:
        r"""Return the original bytes.

        Raises:
            PlanError: these are not the bytes that the plan leads to.

        >>> plan(b"\xff", errors="replace").undo("\N{REPLACEMENT CHARACTER}".encode())
        b'\xff'
        """
        return b"".join(self.undo_chunks([bytes_of(repaired)]))

    def apply_chunks(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        r"""Yield the repaired bytes of an original in chunks. That it fits is certain only when the last was taken.

        Raises:
            PlanError: as :meth:`apply`.

        >>> b"".join(plan(b"caf\xe9", errors="latin-1").apply_chunks([b"ca", b"f", b"\xe9"]))
        b'caf\xc3\xa9'
        """
        return apply_changes(chunks, self.changes, (self.original_sha256, self.result_sha256))

    def undo_chunks(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        r"""Yield the original bytes of a result in chunks. That it fits is certain only when the last was taken.

        Raises:
            PlanError: as :meth:`undo`.

        >>> b"".join(plan(b"caf\xe9", errors="latin-1").undo_chunks([b"caf\xc3", b"\xa9"]))
        b'caf\xe9'
        """
        return undo_changes(chunks, self.changes, (self.original_sha256, self.result_sha256))

    def as_dict(self) -> dict[str, Any]:
        r"""Return the plan as JSON-ready values.

        >>> [change["old"] for change in plan(b"\xff").as_dict()["changes"]]
        ['FF']
        """
        return {
            "form": self.form,
            "errors": self.errors,
            "original_sha256": self.original_sha256,
            "result_sha256": self.result_sha256,
            "changes": [change.as_dict() for change in self.changes],
        }

    @classmethod
    def from_dict(cls, values: Any) -> Plan:
        r"""Return the plan of the values that :meth:`as_dict` gave.

        Raises:
            PlanError: they are no plan.

        >>> made = plan(b"\xff")
        >>> Plan.from_dict(made.as_dict()) == made
        True
        """
        try:
            words = (values["form"], values["errors"], values["original_sha256"], values["result_sha256"])
            changes = tuple(map(Change.from_dict, values["changes"]))
        except PlanError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise PlanError(f"this is no plan: {_why(error)}") from error
        if not all(isinstance(word, str) for word in words):
            raise PlanError("this is no plan: form, policy and digests must be strings")
        return cls(*words, tuple(in_order(changes)))

    def to_json(self) -> str:
        r"""Return the plan as JSON, all of it ASCII.

        >>> '"old": "FF"' in plan(b"\xff").to_json()
        True
        """
        return json.dumps({"version": PLAN_VERSION, **self.as_dict()}, indent=2)

    @classmethod
    def from_json(cls, text: str | bytes) -> Plan:
        """Return the plan that :meth:`to_json` wrote.

        Raises:
            PlanError: it is no plan, or one of another version.

        >>> Plan.from_json('{"version": 9}')
        Traceback (most recent call last):
        eightfold.repair.PlanError: this plan has version 9, and this eightfold reads version 1
        """
        return cls.from_dict(versioned(text))


def in_order(changes: Iterable[Change]) -> Iterator[Change]:
    """Yield changes as they are.

    Raises:
        PlanError: one begins before the end of the one before it.
    """
    end = 0
    for change in changes:
        if change.start < end:
            raise PlanError("this is no plan: its changes overlap, or are not in order")
        end = change.end
        yield change


def apply_changes(chunks: Iterable[bytes], changes: Iterable[Change], digests: tuple[str, str]) -> Iterator[bytes]:
    r"""Yield the repaired bytes of an original in chunks, as :meth:`Plan.apply_chunks`; changes may be an iterator.

    Args:
        chunks: the original.
        changes: those of its plan.
        digests: the SHA-256 of the original and of the result, in hex.

    Raises:
        PlanError: as :meth:`Plan.apply`.

    >>> made = plan(b"caf\xe9", errors="latin-1")
    >>> digests = (made.original_sha256, made.result_sha256)
    >>> b"".join(apply_changes([b"caf", b"\xe9"], iter(made.changes), digests))
    b'caf\xc3\xa9'
    """
    return _rewritten(chunks, (_Edit(change.start, change.old, change.new) for change in changes), digests)


def undo_changes(chunks: Iterable[bytes], changes: Iterable[Change], digests: tuple[str, str]) -> Iterator[bytes]:
    r"""Yield the original bytes of a result in chunks, as :meth:`Plan.undo_chunks`; changes may be an iterator.

    Args:
        chunks: the result.
        changes: those of the plan for the original.
        digests: the SHA-256 of the original and of the result, in hex.

    Raises:
        PlanError: as :meth:`Plan.undo`.

    >>> made = plan(b"caf\xe9", errors="latin-1")
    >>> digests = (made.original_sha256, made.result_sha256)
    >>> b"".join(undo_changes([b"caf\xc3", b"\xa9"], iter(made.changes), digests))
    b'caf\xe9'
    """
    original, result = digests
    return _rewritten(chunks, _way_back(changes), (result, original))


def _way_back(changes: Iterable[Change]) -> Iterator[_Edit]:
    shift = 0
    for change in changes:
        yield _Edit(change.start + shift, change.new, change.old)
        shift += len(change.new) - len(change.old)


def versioned(text: str | bytes) -> Any:
    """Return the values of a plan's JSON, after a look at its version.

    Raises:
        PlanError: it is no JSON object, or one of another version.

    >>> versioned('{"version": 1, "files": []}')["files"]
    []
    """
    try:
        values = json.loads(text)
    except ValueError as error:
        raise PlanError(f"this is no plan: no JSON ({error})") from error
    if not isinstance(values, dict) or "version" not in values:
        raise PlanError("this is no plan: it is no JSON object with a version")
    if values["version"] != PLAN_VERSION:
        raise PlanError(f"this plan has version {values['version']}, and this eightfold reads version {PLAN_VERSION}")
    return values


def _change(values: Any) -> Change:
    numbers = [values[name] for name in ("start", "end", "line", "column")]
    if any(type(number) is not int or number < 0 for number in numbers):
        raise ValueError("a place is no number of 0 or more")
    start, end, line, column = numbers
    old, new = bytes.fromhex(values["old"]), bytes.fromhex(values["new"])
    if end - start != len(old):
        raise ValueError(f"the change at {start} does not end at {end}")
    if values["policy"] not in POLICIES or not isinstance(values["kind"], str):
        raise ValueError(f"the change at {start} has no known kind and policy")
    if not is_well_formed(new, UTF_8):
        raise ValueError(f"the change at {start} does not write UTF-8")
    return Change(start, old, new, values["kind"], values["policy"], line, column)


def _why(error: Exception) -> str:
    return f"it has no {error}" if isinstance(error, KeyError) else str(error)


class _Edit(NamedTuple):
    start: int
    old: bytes
    new: bytes

    @property
    def end(self) -> int:
        return self.start + len(self.old)


def _rewritten(chunks: Iterable[bytes], edits: Iterator[_Edit], digests: tuple[str, str]) -> Iterator[bytes]:
    """Yield chunks with the edits made; in the end the digests of both must be those that are expected."""
    read, written = sha256(), sha256()

    def noted() -> Iterator[bytes]:
        for chunk in chunks:
            read.update(chunk)
            yield chunk

    for part in _spliced(noted(), edits):
        written.update(part)
        yield part
    if (read.hexdigest(), written.hexdigest()) != digests:
        raise PlanError(_OTHER_BYTES)


def _spliced(chunks: Iterable[bytes], edits: Iterator[_Edit]) -> Iterator[bytes]:
    edit = next(edits, None)
    held, offset = b"", 0  # what is not written yet, and where it begins
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


def plan(data: Data, form: AnyForm = "utf-8", errors: Policy | str = "escape") -> Plan:
    r"""Return what has to change so that bytes become UTF-8; it is empty where nothing has.

    Args:
        data: any bytes-like object.
        form: the 8-bit form, or its name, that they are read in.
        errors: what is written for a fault, a key of :data:`POLICIES`; ``pairs`` is for UTF-8.

    Raises:
        ConversionError: there is a fault that the policy has no answer to; ``start`` is its offset. Under ``escape``
            that is an ASCII byte, for which there is no escape (in MUTF-8 a raw NUL is a fault).
        LookupError: no such form. ValueError: another policy, or a form with wider units.

    >>> [change.new for change in plan(b"caf\xe9", errors="cp1252").changes]
    [b'\xc3\xa9']
    """
    return plan_chunks([bytes_of(data)], form, errors)


def plan_chunks(chunks: Iterable[bytes], form: AnyForm = "utf-8", errors: Policy | str = "escape") -> Plan:
    r"""Return the plan for bytes that come in chunks: what is held is the changes, not the bytes.

    Raises:
        ConversionError, LookupError, ValueError: as :func:`plan`.

    >>> plan_chunks([b"caf", b"\xe9"]) == plan(b"caf\xe9")
    True
    """
    repairer = Repairer(form, errors)
    read, written = sha256(), sha256()
    changes: list[Change] = []
    for chunk in chunks:
        read.update(chunk)
        repaired = repairer.repair(chunk)
        written.update(repaired.data)
        changes.extend(repaired.changes)
    rest = repairer.repair(b"", final=True)
    written.update(rest.data)
    return Plan(repairer.form.name, errors, read.hexdigest(), written.hexdigest(), (*changes, *rest.changes))


def repair(data: Data, form: AnyForm = "utf-8", errors: Policy | str = "escape") -> bytes:
    r"""Return bytes as UTF-8: the plan for them, applied at once.

    Args:
        data, form, errors: as for :func:`plan`.

    Raises:
        ConversionError, LookupError, ValueError: as :func:`plan`.

    >>> repair(b"\xed\xa0\xbd\xed\xb8\x80", errors="pairs")
    b'\xf0\x9f\x98\x80'
    """
    return Repairer(form, errors).repair(data, final=True).data


class Repaired(NamedTuple):
    r"""UTF-8, and the changes that were made on the way to it.

    >>> repaired = Repairer(errors="latin-1").repair(b"caf\xe9", final=True)
    >>> repaired.data, len(repaired.changes)
    (b'caf\xc3\xa9', 1)
    """

    data: bytes
    changes: tuple[Change, ...]


class _Found(NamedTuple):
    """A sequence or a fault, by offsets into what is at hand, and what is written for it."""

    start: int
    end: int
    new: bytes
    kind: str
    policy: str


class Repairer:
    r""":func:`repair` piece by piece: the pieces add up to the result for the whole, and so do the changes.

    Args:
        form, errors: as for :func:`plan`.

    Raises:
        LookupError: no such form. ValueError: another policy, or a form with wider units.

    >>> repairer = Repairer(errors="replace")
    >>> repairer.repair(b"caf\xe9").data, repairer.repair(b"!").data, repairer.repair(b"", final=True).changes
    (b'caf', b'\xef\xbf\xbd!', ())
    """

    def __init__(self, form: AnyForm = "utf-8", errors: Policy | str = "escape") -> None:
        self.form = form_named(form)
        self.errors = errors
        _check(self.form, errors)
        self._plain = self.form
        self._position: LinePosition | None = None
        self._held = b""
        self._offset = 0

    def repair(self, chunk: Data, final: bool = False) -> Repaired:
        """Return the UTF-8 of as many bytes as can be repaired now, and what was changed in them.

        Raises:
            ConversionError: there is a fault that the policy has no answer to; the repairer is as before the call.
        """
        content = self._held + bytes_of(chunk)
        opened = self._opened(content, final=final)
        if opened is None:
            self._held = content
            return Repaired(b"", ())
        self._plain, end = opened
        found = [_Found(0, end, b"", "signature", "strict")] if end else []
        for each in self._sequences(content, end, final=final):
            end = each.end
            if each.new != content[each.start : end]:
                found.append(each)
        changes = tuple(self._placed(content[:end], found))
        edits = (_Edit(each.start, content[each.start : each.end], each.new) for each in found)
        self._held = content[end:]
        self._offset += end
        return Repaired(b"".join(_spliced([content[:end]], edits)), changes)

    def _opened(self, content: bytes, *, final: bool) -> tuple[Form, int] | None:
        """Return the form that holds and how long its signature is; None for "wait"."""
        if self._offset:
            return self._plain, 0
        opening = reference.opening(self.form, content, final=final)
        return (_UTF_8_WITH_PAIRS, opening[1]) if opening is not None and self.errors == "pairs" else opening

    def _sequences(self, content: bytes, start: int, *, final: bool) -> Iterator[_Found]:
        """Yield what is written for each sequence and each fault, up to where more input could change the answer."""
        at = start
        while at < len(content):
            same = self._same_end(content, at, final=final)
            if same > at:
                yield _Found(at, same, content[at:same], "well-formed", "strict")
                at = same
                continue
            unit = reference.sequence_at(self._plain, content, at, final=final)
            found = None if unit is None else self._found(content, at, unit, final=final)
            if found is None:
                return
            yield found
            at = found.end

    def _same_end(self, content: bytes, start: int, *, final: bool) -> int:
        """Return up to where nothing is to be changed, as far as one look can tell: for UTF-8, to the next fault."""
        if self._plain.rows != UTF_8.rows:
            return start
        end = well_formed_end(UTF_8, content, start, final=final)
        collision = _COLLISION.search(content, start, end) if self.errors == "escape" else None
        return end if collision is None else collision.start()

    def _found(self, content: bytes, start: int, unit: Decoded, *, final: bool) -> _Found | None:
        end, point = unit
        if point is None:
            fault = reference.fault_at(self._plain, content, start, final=final)
            return None if fault is None else self._mended(content, fault.renamed(self.form.name), end)
        new = reference.encoded(UTF_8, point)
        if new is None:
            return self._mended(content, Fault("unrepresentable", UTF_8.name, start, end, b"", point, "target"), end)
        if self.errors == "escape" and point in _ESCAPES and _escaped(self._plain, content[start:end]) != new:
            collision = Fault("escape-collision", XTF_8.name, start, end, content[start:end], point)
            return self._mended(content, collision, end)
        return _Found(start, end, new, "well-formed", "strict")

    def _mended(self, content: bytes, fault: Fault, unit_end: int) -> _Found:
        new = _WRITERS[self.errors](self._plain, content[fault.start : fault.end])
        if new is None:
            raise_conversion(self.form.name, UTF_8.name, self._offset, fault, (fault.start, unit_end))
        return _Found(fault.start, fault.end, new, fault.kind, self.errors)

    def _placed(self, content: bytes, found: list[_Found]) -> Iterator[Change]:
        """Yield the changes with their places, and move the position over all of the content."""
        position = self._position = self._position or LinePosition(self._plain)
        passed = 0
        for start, end, new, kind, policy in found:
            position.pass_over(content[passed:start])
            passed = start
            old = content[start:end]
            yield Change(self._offset + start, old, new, kind, policy, position.line, position.column)
        position.pass_over(content[passed:])


def _check(form: Form, errors: str) -> None:
    if errors not in _WRITERS:
        raise ValueError(f"errors must be one of {', '.join(_WRITERS)} here, not {errors!r}")
    if form.unit_bits != 8:
        raise ValueError(f"repair reads 8-bit forms, and {form.name} has units of {form.unit_bits} bits: convert it")
    if errors == "pairs" and signed(form)[0] is not UTF_8:
        raise ValueError(f"errors='pairs' is for CESU-8 inside utf-8; {form.name} takes the other policies")


def _escaped(form: Form, span: bytes) -> bytes | None:
    # Below 80 nothing is ill-formed in UTF-8, and XTF-8 has no escape for it.
    return None if min(span) < 0x80 else span.decode("latin-1").translate(_ESCAPE_OF_BYTE).encode()


def _joined(form: Form, span: bytes) -> bytes | None:
    return convert(span, "cesu-8", UTF_8) if is_well_formed(span, "cesu-8") else None


_WRITERS: Mapping[str, Callable[[Form, bytes], bytes | None]] = {
    "escape": _escaped,
    "strict": lambda form, span: None,
    "replace": lambda form, span: convert(span, form, UTF_8, "replace"),
    "pairs": _joined,
    "latin-1": lambda form, span: span.decode("latin-1").encode(),
    "cp1252": lambda form, span: span.decode("cp1252", "surrogateescape").translate(_C1).encode(),
}
"""For each policy what is written for the bytes of a fault in a form, or None where it has no answer."""

__all__ = [
    *("Change", "LOSSLESS", "POLICIES", "Plan", "PlanError", "Repaired", "Repairer"),
    *("apply_changes", "plan", "plan_chunks", "repair", "undo_changes"),
]
