"""The scoreboard as plain text."""

from __future__ import annotations

from typing import Any

from .scores import totals, was_asked


def text(board: dict[str, Any]) -> str:
    """Return the scoreboard for a terminal."""
    return "\n".join(part for each in board["programs"] for part in _program(each)) + "\n"


def _program(each: dict[str, Any]) -> list[str]:
    lines = [f"{each['name']} {each['version']}".rstrip()]
    for form, rules in each["forms"].items():
        for rule, row in rules.items():
            if was_asked(row):
                tried = row["passed"] + row["failed"] + row["broken"]
                lines.append(f"  {_mark(row)} {form:28} {rule:24} {row['passed']:4} of {tried}{_not_asked(row)}")
            if "example" in row:
                example = row["example"]
                lines.append(f"         {example['asked']}: expected {example['expected']}, got {example['got']}")
    counts = totals(each["forms"])
    return [*lines, "  " + ", ".join(f"{count} {outcome}" for outcome, count in counts.items()), ""]


def _mark(row: dict[str, Any]) -> str:
    return "BROKE" if row["broken"] else "FAIL " if row["failed"] else "ok   "


def _not_asked(row: dict[str, Any]) -> str:
    return f", {row['not asked']} not asked" if row["not asked"] else ""
