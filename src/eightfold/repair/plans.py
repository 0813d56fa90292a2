"""Plans: what has to change so that certain bytes become UTF-8, as a record that can be saved, applied and undone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from eightfold.repair.changes import Change, PlanError, apply_changes, in_order, undo_changes, why
from eightfold.repair.policies import Policy
from eightfold.repair.repairing import Repairer
from eightfold.text import AnyForm, Data, bytes_of

PLAN_VERSION = 1


@dataclass(frozen=True, slots=True)
class Plan:
    r"""What has to change so that certain bytes become UTF-8. Made by :func:`plan`.

    Attributes:
        form: the name of the form that the original is read in.
        errors: the policy, a key of :data:`~eightfold.repair.POLICIES`.
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
        eightfold.repair.changes.PlanError: the plan is for other bytes: make a new one
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
            raise PlanError(f"this is no plan: {why(error)}") from error
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
        eightfold.repair.changes.PlanError: this plan has version 9, and this eightfold reads version 1
        """
        return cls.from_dict(versioned(text))


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
    except RecursionError:
        raise PlanError("this is no plan: too many values in each other") from None
    if not isinstance(values, dict) or "version" not in values:
        raise PlanError("this is no plan: it is no JSON object with a version")
    if values["version"] != PLAN_VERSION:
        raise PlanError(f"this plan has version {values['version']}, and this eightfold reads version {PLAN_VERSION}")
    return values


def plan(data: Data, form: AnyForm = "utf-8", errors: Policy | str = "escape") -> Plan:
    r"""Return what has to change so that bytes become UTF-8; it is empty where nothing has.

    Args:
        data: any bytes-like object.
        form: the 8-bit form, or its name, that they are read in.
        errors: what is written for a fault, a key of :data:`~eightfold.repair.POLICIES`; ``pairs`` is for UTF-8.

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
