"""The scoreboard: for each program, form and rule how many vectors passed, and the shortest that did not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .judging import OUTCOMES, Outcome, judge, shown
from .program import Broken, Program
from .vectors import Vector

Row = dict[str, Any]
Scores = dict[str, dict[str, Row]]


def asked(vector: Vector) -> dict[str, Any]:
    """Return the request that a vector makes."""
    return {key: vector[key] for key in ("form", "op", "input", "chunks") if key in vector}


def question(vector: Vector) -> str:
    """Return what is asked, in words.

    >>> question({"op": "decode-stream", "input": "C3A9", "chunks": [1, 1]})
    'decode-stream C3A9 in pieces of 1, 1'
    """
    pieces = f" in pieces of {', '.join(map(str, vector['chunks']))}" if "chunks" in vector else ""
    return f"{vector['op']} {vector['input'] or 'nothing'}{pieces}"


def score(program: Program, vectors: Iterable[Vector], agreed: Callable[[str], None] = lambda identity: None) -> Scores:
    """Ask a program about vectors, and return the score by form and rule; ``agreed`` is called with what it passed."""
    scores: Scores = {}
    for vector in vectors:
        rules = scores.setdefault(vector["form"], {})
        try:
            for verdict in judge(vector, program.ask(asked(vector))):
                _count(rules, verdict.rule, verdict.outcome, vector, verdict.got)
                if verdict.outcome == "passed" and verdict.rule == vector["rule"]:
                    agreed(vector["id"])
        except Broken as broken:
            _count(rules, vector["rule"], "broken", vector, str(broken))
    return scores


def _count(rules: dict[str, Row], rule: str, outcome: Outcome, vector: Vector, got: str) -> None:
    row = rules.setdefault(rule, dict.fromkeys(OUTCOMES, 0))
    row[outcome] += 1
    if outcome not in ("failed", "broken"):
        return
    example = {"id": vector["id"], "asked": question(vector), "expected": shown(vector["expect"]), "got": got}
    if "example" not in row or len(example["asked"]) < len(row["example"]["asked"]):
        row["example"] = example


def entry(name: str, program: Program, scores: Scores) -> dict[str, Any]:
    """Return a program's line of the scoreboard."""
    return {"adapter": name, "name": program.name or name, "version": program.version, "forms": scores}


def totals(scores: Scores) -> dict[str, int]:
    """Return the number of each outcome over all forms and rules."""
    rows = [row for rules in scores.values() for row in rules.values()]
    return {outcome: sum(row[outcome] for row in rows) for outcome in OUTCOMES}


def was_asked(row: Row) -> bool:
    """Return whether anything is known of a rule."""
    return any(row[outcome] for outcome in OUTCOMES[:3])
