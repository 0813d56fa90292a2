"""The rules that vectors test: what each says, and which one a vector belongs to.

An input that is ill-formed belongs to the kind of its first fault, so those rules are the kinds of eightfold itself.
"""

from __future__ import annotations

from typing import Any

from eightfold import Row, reference
from eightfold.faults import KINDS
from generator.selection import Choice, Selection

GENERAL = {
    "well-formed": "Each row of the form's table is decoded: its first and its last code point, and one whose units "
    "differ, so that a wrong shift or offset is seen.",
    "longest-match": "Of the rows that fit, the longest wins; what no longer row completes is read by a shorter.",
    "maximal-subpart": "Replacing writes one U+FFFD for each ill-formed decoding unit: the longest run of units that "
    "begins some row of the form's own table, else one unit; or the unit that it declares (Unicode 3.9, D93b).",
    "position": "An error names the first ill-formed decoding unit: the offset of its first byte and of the byte after "
    "its last, counted from the start of the input.",
    "diagnosis": "Each fault is named: its span, its kind, and, where all of its bytes are there, the code point "
    "that was meant. Faults cover whole decoding units.",
    "stream": "Input in pieces gives what the whole gives, wherever it is cut; an empty piece changes nothing.",
    "signature": "A signature at the start is no part of the text and is skipped once; a second one is text.",
    "encode": "Each row of the form's table is written.",
    "unencodable": "A code point that the form cannot write is refused, at its index.",
    "pair": "A lead surrogate followed by a trail surrogate becomes what the form says: one supplementary code point, "
    "or two code points kept apart.",
    "encode-stream": "Text in pieces is written as the whole is: a pair that is cut in two is still a pair.",
}
"""Rules of every form."""
KINDS_TESTED = (
    *("overlong", "surrogate", "beyond-unicode", "too-long", "invalid-byte", "unexpected-continuation", "truncated"),
    *("surrogate-pair", "unpaired-surrogate", "four-byte", "raw-nul", "escape-collision", "reserved", "odd-length"),
)
"""Kinds of faults that bytes can have."""


def all_rules() -> dict[str, str]:
    """Return every rule with its statement."""
    return {**GENERAL, **{kind: f"Decoding refuses {KINDS[kind]}." for kind in KINDS_TESTED}}  # type: ignore[index]


def rule_of(selection: Selection, choice: Choice, answer: dict[str, Any]) -> str:
    """Return the rule that a vector tests."""
    operation = choice.operation
    if operation in ("decode-stream", "encode-stream", "faults"):
        return {"decode-stream": "stream", "faults": "diagnosis"}.get(operation, operation)
    if operation == "encode":
        return _rule_of_encoding(selection, choice.subject, answer)
    if "error" in answer:
        fault = reference.fault_at(selection.form, choice.subject, answer["error"][0])
        assert fault is not None
        return fault.kind
    if operation == "replace":
        return "maximal-subpart"
    return _rule_of_reading(selection, choice.subject)


def _rule_of_encoding(selection: Selection, points: list[int], answer: dict[str, Any]) -> str:
    if "error" in answer:
        return "unencodable"
    if not points:
        return "signature"
    return "pair" if any(point in reference.SURROGATES for point in points) and len(points) > 1 else "encode"


def _rule_of_reading(selection: Selection, data: bytes) -> str:
    form, at = selection.form, len(selection.mark)
    if at and data[at:].removeprefix(selection.mark) in (b"", b"A", reference.encoded(form, 0x41)):
        return "signature"
    while at < len(data):
        step = reference.sequence_at(form, data, at)
        assert step is not None
        if _is_shadowed(form, data, at, step.end):
            return "longest-match"
        at = step.end
    return "well-formed"


def _is_shadowed(form: Any, data: bytes, start: int, end: int) -> bool:
    """Return whether a longer row or unit could have begun where a sequence stands."""
    lead = reference.unit_at(form, data, start)
    count = (end - start) // form.unit_bytes
    return (
        any(
            entry.unit_ranges[0][0] <= (lead or 0) <= entry.unit_ranges[0][1] and len(entry.unit_ranges) > count
            for entry in form.sequences
            if isinstance(entry, Row) or not entry.run
        )
        and form.longest_match
    )
