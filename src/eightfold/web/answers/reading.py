"""What bytes are: sequence by sequence, their faults, and what other programs make of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from eightfold.explain import iter_explained
from eightfold.explain.bits import entry_of_fault, entry_of_sequence
from eightfold.explain.characters import shown_character
from eightfold.explain.rows import Explained
from eightfold.faults import Fault, hex_bytes
from eightfold.forms import FaultRow, Form, Row
from eightfold.identify import identify
from eightfold.text import LinePosition, decode_code_points, faults, opening_of, tally
from eightfold.web.answers import entry_values, form_of
from eightfold.web.peers import java_results, python_results


def answer_identify(request: dict[str, Any]) -> dict[str, Any]:
    """Return every form that the bytes could be in."""
    found = identify(request["bytes"])
    return {"candidates": [{**each._asdict(), "signature": hex_bytes(each.signature)} for each in found]}


def answer_read(request: dict[str, Any]) -> dict[str, Any]:
    """Return the sequences of the bytes."""
    asked, data = form_of(request), request["bytes"]
    plain, _ = opening_of(asked, data)
    rows = iter_explained((data,), asked, request["start"])
    shown = list(islice(rows, request["limit"]))
    end = shown[-1].end if shown else len(data)
    return {
        "rows": [_row(each, plain) for each in shown],
        "end": end,
        "more": end < len(data),
        "form": plain.name,
    }


def _row(row: Explained, plain: Form) -> dict[str, Any]:
    point = row.code_point
    return {
        **row.as_dict(),
        "character": "" if point is None else shown_character(point),
        "entry": entry_values(plain, _entry_of(row, plain)),
    }


def _entry_of(row: Explained, plain: Form) -> Row | FaultRow | None:
    if row.fault is not None:
        return entry_of_fault(plain, row.fault)
    return None if row.code_point is None else entry_of_sequence(plain, row.units)


def answer_faults(request: dict[str, Any]) -> dict[str, Any]:
    """Return some faults of the bytes, and the count of each kind."""
    asked, data = form_of(request), request["bytes"]
    plain, _ = opening_of(asked, data)
    first, last = request["skip"], request["skip"] + request["limit"]
    shown = list(islice(faults(data, asked, last), first, last))
    counts = tally(data, asked)
    return {
        "faults": list(_placed(shown, plain, data)),
        "count": sum(counts.values()),
        "kinds": counts,
        "form": plain.name,
    }


def _placed(found: Iterable[Fault], plain: Form, data: bytes) -> Iterator[dict[str, Any]]:
    position, passed = LinePosition(plain), 0
    for fault in found:
        position.pass_over(data[passed : fault.start])
        passed = fault.start
        entry = entry_of_fault(plain, fault)
        source = entry.source if entry else plain.source
        place = {"line": position.line, "column": position.column}
        yield {**fault.as_dict(), **place, "source": source, "entry": entry_values(plain, entry)}


def answer_peers(request: dict[str, Any]) -> dict[str, Any]:
    """Return what this package, Python and Java make of the bytes."""
    asked, data = form_of(request), request["bytes"]
    return {"own": [_own_result(data, asked)], "python": python_results(data, asked), "java": java_results(data)}


def _own_result(data: bytes, asked: Form) -> dict[str, Any]:
    fault = next(faults(data, asked, 1), None)
    values = decode_code_points(data, asked, "replace")
    found = {"title": asked.name, "ok": fault is None, "points": list(values)}
    if fault is None:
        return {**found, "start": None, "end": None, "reason": ""}
    return {**found, "start": fault.start, "end": fault.end, "reason": str(fault)}


__all__ = ["answer_faults", "answer_identify", "answer_peers", "answer_read"]
