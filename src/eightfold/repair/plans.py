"""Plans: the changes that turn particular bytes into UTF-8, as a record that can be saved, applied and undone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from eightfold.arguments import AnyForm, Data, bytes_of
from eightfold.faults import immutable
from eightfold.repair.changes import Change, PlanError, apply_changes, in_order, read_as_plan, undo_changes
from eightfold.repair.policies import Policy
from eightfold.repair.repairing import Repairer
from eightfold.version import refusal

PLAN_VERSION = 1


@immutable
@dataclass(frozen=True, slots=True)
class Plan:
    r"""The changes that turn particular bytes into UTF-8. Returned by :func:`plan`.

    Attributes:
        form: the name of the form in which the original is read.
        errors: the policy, a key of :data:`~eightfold.repair.POLICIES`.
        original_sha256, result_sha256: the digests of the original and the result, in hex.
        changes: the changes, in order and without overlap.

    ``str(plan)`` is a summary line followed by one line for each change.

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
        """The number of changes that cannot be undone without the plan."""
        return sum(change.lossy for change in self.changes)

    @property
    def _head(self) -> str:
        count = len(self.changes)
        changes = "1 change" if count == 1 else f"{count} changes"
        return f"{changes} from {self.form} to UTF-8, errors={self.errors!r}, {self.lossy_count} lossy"

    def __str__(self) -> str:
        return "\n".join((self._head, *(f"{change.line}:{change.column}: {change}" for change in self.changes)))

    def _repr_html_(self) -> str:
        from eightfold.repair.as_html import html_table

        return html_table(self._head, self.changes)

    def apply(self, original: Data) -> bytes:
        r"""Return the repaired bytes.

        Raises:
            PlanError: these are not the bytes for which the plan was made.

        >>> plan(b"\xff", errors="replace").apply(b"\xfe")
        Traceback (most recent call last):
        eightfold.repair.changes.PlanError: the plan is for other bytes: make a new one
        """
        return b"".join(self.apply_chunks([bytes_of(original)]))

    def undo(self, repaired: Data) -> bytes:
        r"""Return the original bytes.

        Raises:
            PlanError: these are not the bytes that the plan produces.

        >>> plan(b"\xff", errors="replace").undo("\N{REPLACEMENT CHARACTER}".encode())
        b'\xff'
        """
        return b"".join(self.undo_chunks([bytes_of(repaired)]))

    def apply_chunks(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        r"""Yield the repaired bytes of an original in chunks. The final check happens after the last chunk.

        Raises:
            PlanError: as for :meth:`apply`.

        >>> b"".join(plan(b"caf\xe9", errors="latin-1").apply_chunks([b"ca", b"f", b"\xe9"]))
        b'caf\xc3\xa9'
        """
        return apply_changes(chunks, self.changes, (self.original_sha256, self.result_sha256))

    def undo_chunks(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        r"""Yield the original bytes of a result in chunks. The final check happens after the last chunk.

        Raises:
            PlanError: as for :meth:`undo`.

        >>> b"".join(plan(b"caf\xe9", errors="latin-1").undo_chunks([b"caf\xc3", b"\xa9"]))
        b'caf\xe9'
        """
        return undo_changes(chunks, self.changes, (self.original_sha256, self.result_sha256))

    def as_dict(self) -> dict[str, Any]:
        r"""Return the plan as a JSON-ready dict.

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
        r"""Return the plan with the values from :meth:`as_dict`.

        Raises:
            PlanError: the values are not those of a plan.

        >>> made = plan(b"\xff")
        >>> Plan.from_dict(made.as_dict()) == made
        True
        """
        words, changes = read_as_plan(_words_and_changes, values)
        return cls(*words, tuple(in_order(changes)))

    def to_json(self) -> str:
        r"""Return the plan as JSON in ASCII.

        >>> '"old": "FF"' in plan(b"\xff").to_json()
        True
        """
        return json.dumps({"version": PLAN_VERSION, **self.as_dict()}, indent=2)

    @classmethod
    def from_json(cls, text: str | bytes) -> Plan:
        """Return the plan that :meth:`to_json` wrote.

        Raises:
            PlanError: the text is not a plan, or has another version.

        >>> Plan.from_json('{"version": 9}')
        Traceback (most recent call last):
        eightfold.repair.changes.PlanError: this plan has version 9, but this eightfold reads version 1
        """
        return cls.from_dict(versioned(text))


def _words_and_changes(values: Any) -> tuple[tuple[str, str, str, str], tuple[Change, ...]]:
    words = (values["form"], values["errors"], values["original_sha256"], values["result_sha256"])
    changes = tuple(map(Change.from_dict, values["changes"]))
    if not all(isinstance(word, str) for word in words):
        raise ValueError("form, policy and digests must be strings")
    return words, changes


def versioned(text: str | bytes) -> Any:
    """Return the values of a plan's JSON after checking its version.

    Raises:
        PlanError: the text is not a JSON object, or has another version.

    >>> versioned('{"version": 1, "files": []}')["files"]
    []
    """
    try:
        values = json.loads(text)
    except ValueError as error:
        raise PlanError(f"this is not a plan: not JSON ({error})") from error
    except RecursionError:
        raise PlanError("this is not a plan: values are nested too deeply") from None
    if not isinstance(values, dict) or "version" not in values:
        raise PlanError("this is not a plan: not a JSON object with a version")
    if (reason := refusal("plan", values["version"], PLAN_VERSION)) is not None:
        raise PlanError(reason)
    return values


def plan(data: Data, form: AnyForm = "utf-8", errors: Policy | str = "escape", *, escapes: str | None = None) -> Plan:
    r"""Return a plan of the changes that turn bytes into UTF-8; it has no changes if none are needed.

    Args:
        data: any bytes-like object.
        form: the 8-bit form in which to read them, or its name.
        errors: the policy for faults, a key of :data:`~eightfold.repair.POLICIES`; ``pairs`` is only for utf-8. Other
            names that Python has for the charsets among them are the same policies: ``windows-1252`` is ``cp1252``.
        escapes: the policy for escapes of unpaired surrogates in JSON, a key of
            :data:`~eightfold.repair.ESCAPE_POLICIES`; None leaves them alone. They are found as bytes of ASCII, so
            a form of your own must write their characters as ASCII does, and nothing else with these bytes.

    Raises:
        ConversionError: the policy cannot repair a fault; ``start`` is its offset. For ``escape`` this is a fault with
            an ASCII byte, which has no escape (in MUTF-8 a raw NUL is a fault).
        LookupError: unknown form. ValueError: unknown policy, a form with wider units, or escapes in a form in which
            a byte of one can be something else than in ASCII.
        TypeError: the policy is not a str.

    >>> [change.new for change in plan(b"caf\xe9", errors="cp1252").changes]
    [b'\xc3\xa9']
    >>> print(plan(rb'{"cut": "\ud83d"}', escapes="replace"))
    1 change from utf-8 to UTF-8, errors='escape', 1 lossy
    1:10: escaped-surrogate: \ud83d -> \ufffd
    """
    return plan_chunks([bytes_of(data)], form, errors, escapes=escapes)


def plan_chunks(
    chunks: Iterable[bytes], form: AnyForm = "utf-8", errors: Policy | str = "escape", *, escapes: str | None = None
) -> Plan:
    r"""Return the plan for bytes that arrive in chunks; memory holds the changes, not the bytes.

    Args:
        chunks: the bytes, cut anywhere.
        form, errors, escapes: as for :func:`plan`.

    Raises:
        ConversionError, LookupError, ValueError, TypeError: as for :func:`plan`.

    >>> plan_chunks([b"caf", b"\xe9"]) == plan(b"caf\xe9")
    True
    """
    repairer = Repairer(form, errors, escapes=escapes)
    read, written = sha256(), sha256()
    changes: list[Change] = []
    for chunk in map(bytes_of, chunks):
        read.update(chunk)
        repaired = repairer.repair(chunk)
        written.update(repaired.data)
        changes.extend(repaired.changes)
    rest = repairer.repair(b"", final=True)
    written.update(rest.data)
    return Plan(repairer.form.name, repairer.errors, read.hexdigest(), written.hexdigest(), (*changes, *rest.changes))
