r"""The questions that the explorer asks: plain functions, dict in, dict out, every value ready for JSON.

A question is checked against its description before it is answered, and its size bounds the work: input, rows in an
answer and rows of a typed form are limited by :data:`LIMITS`, and every answer takes time in proportion to its input.
Text travels as code points and bytes as hex digits, so that unpaired surrogates survive any encoder of JSON.

A question that fits its description always has an answer. If there is nothing to say, as for a policy that cannot
repair a fault or a typed form whose rows clash, the answer is empty and has the reason as ``problem``.

>>> answer("read", {"bytes": "EDA080", "form": "utf-8"})["rows"][0]["fault"]["sentence"]
'surrogate U+D800 (ED A0 80), which utf-8 cannot hold'
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from eightfold import reference, repair
from eightfold._engine import ENGINE
from eightfold.explain import iter_explained
from eightfold.explain.bits import entry_of_fault, entry_of_sequence, source_of_lack
from eightfold.explain.characters import character_name, shown_character
from eightfold.explain.rows import Explained
from eightfold.family import Comparison, compared, lost
from eightfold.faults import KINDS, ConversionError, Fault, hex_bytes
from eightfold.forms import FaultRow, Form, Row, form, forms
from eightfold.forms.as_text import points_text, units_text
from eightfold.identify import identify
from eightfold.tables import form_values
from eightfold.text import LinePosition, convert, decode_code_points, faults, opening_of, tally
from eightfold.version import __version__
from eightfold.web import own_forms
from eightfold.web.parameters import (
    Fields,
    Flag,
    Lines,
    Octets,
    OneOf,
    Parameter,
    Points,
    Schema,
    Whole,
    WrongRequestError,
)
from eightfold.web.peers import java_results, python_results

LIMITS: Mapping[str, int] = {
    "bytes": 65536 + 256,
    "points": 16384,
    "points_beside": 128,
    "rows": 256,
    "faults": 100,
    "bytes_for_peers": 64,
    "bytes_shown": 4096,
    "own_rows": own_forms.MOST_ROWS,
    "own_units": own_forms.MOST_UNITS,
}
"""How much a question may hold, and an answer give; the 256 bytes above 64 KiB end a sequence that is cut there."""
_GAP = -1
"""A place in a list of code points where there is none, because the bytes there are ill-formed."""
_LARGEST = 0xFFFFFFFF
_NAMES = tuple(each.name for each in forms())


class _NoAnswerError(Exception):
    """There is no answer, and the reason is one for people."""


class Question(NamedTuple):
    """A question: what it asks, what it needs, and what the answer has.

    Attributes:
        summary: one line for people.
        fields: the parameters.
        function: gives the answer to checked parameters.
        answer: the JSON Schema of each value in the answer.
    """

    summary: str
    fields: Fields
    function: Callable[[dict[str, Any]], dict[str, Any]]
    answer: Mapping[str, Schema]


def answer(name: str, request: Any) -> dict[str, Any]:
    """Answer a question.

    Args:
        name: a key of :data:`QUESTIONS`.
        request: the parameters, as JSON has them.

    Raises:
        KeyError: there is no such question.
        WrongRequestError: the parameters are not those of the question.

    >>> answer("identify", {"bytes": "C3A9"})["candidates"][0]["form"]
    'utf-8'
    """
    question = QUESTIONS[name]
    checked = question.fields.read(request, "the request")
    try:
        return question.function(checked)
    except _NoAnswerError as error:
        return {"problem": str(error)}


# --- about ------------------------------------------------------------------------------------------------------------


def _about(request: dict[str, Any]) -> dict[str, Any]:
    return {
        "version": __version__,
        "engine": ENGINE,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "forms": [_form_line(each) for each in forms()],
        "kinds": dict(KINDS),
        "policies": dict(repair.POLICIES),
        "limits": dict(LIMITS),
    }


def _form_line(each: Form) -> dict[str, Any]:
    return {"name": each.name, "note": each.note, "source": each.source, "unit_bits": each.unit_bits}


def _identify(request: dict[str, Any]) -> dict[str, Any]:
    found = identify(request["bytes"])
    return {"candidates": [{**each._asdict(), "signature": hex_bytes(each.signature)} for each in found]}


# --- bytes ------------------------------------------------------------------------------------------------------------


def _read(request: dict[str, Any]) -> dict[str, Any]:
    asked, data = _form_of(request), request["bytes"]
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
        "entry": _entry(plain, _entry_of(row, plain)),
    }


def _entry_of(row: Explained, plain: Form) -> Row | FaultRow | None:
    if row.fault is not None:
        return entry_of_fault(plain, row.fault)
    return None if row.code_point is None else entry_of_sequence(plain, row.units)


def _entry(plain: Form, entry: Row | FaultRow | None) -> dict[str, str] | None:
    if entry is None:
        return None
    run = entry.run if isinstance(entry, FaultRow) else ()
    kind = entry.kind if isinstance(entry, FaultRow) else ""
    units = units_text(plain, entry.unit_ranges, run)
    return {"points": points_text(entry), "units": units, "kind": kind, "source": entry.source}


def _faults(request: dict[str, Any]) -> dict[str, Any]:
    asked, data = _form_of(request), request["bytes"]
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
        yield {**fault.as_dict(), **place, "source": source, "entry": _entry(plain, entry)}


def _peers(request: dict[str, Any]) -> dict[str, Any]:
    asked, data = _form_of(request), request["bytes"]
    return {"own": [_own_result(data, asked)], "python": python_results(data, asked), "java": java_results(data)}


def _own_result(data: bytes, asked: Form) -> dict[str, Any]:
    fault = next(faults(data, asked, 1), None)
    values = decode_code_points(data, asked, "replace")
    found = {"title": asked.name, "ok": fault is None, "points": list(values)}
    if fault is None:
        return {**found, "start": None, "end": None, "reason": ""}
    return {**found, "start": fault.start, "end": fault.end, "reason": str(fault)}


# --- text -------------------------------------------------------------------------------------------------------------


def _write(request: dict[str, Any]) -> dict[str, Any]:
    wanted = [form(name) for name in request["forms"]] if request["forms"] else list(forms())
    if request["own"] is not None:
        wanted.append(_own(request["own"]))
    return {"lines": [_line(each, request["points"]) for each in wanted]}


def _line(asked: Form, points: list[int]) -> dict[str, Any]:
    plain, mark = reference.signed(asked)
    cells = list(_cells(asked, plain, points))
    return {
        "form": asked.name,
        "signature": hex_bytes(mark),
        "cells": cells,
        "problems": sum(bool(each["problem"]) for each in cells),
        "length": sum(len(each["units"].split()) for each in cells) + len(mark),
    }


def _cells(asked: Form, plain: Form, points: list[int]) -> Iterator[dict[str, Any]]:
    """Yield what a form writes for each code point, or for each pair that it joins; gaps have no cell."""
    at = 0
    while at < len(points):
        if points[at] == _GAP:
            at += 1
            continue
        point, end = reference.next_written(plain, points, at)
        units = reference.encoded(plain, point)
        lack = {"problem": "", "source": ""} if units is not None else _lack(asked, plain, point, (at, end))
        yield {"start": at, "end": end, "units": hex_bytes(units or b""), **lack}
        at = end


def _lack(asked: Form, plain: Form, point: int, span: tuple[int, int]) -> dict[str, str]:
    fault = Fault("unrepresentable", asked.name, *span, b"", point, "text")
    return {"problem": str(fault), "source": source_of_lack(plain, point)}


def _encode(request: dict[str, Any]) -> dict[str, Any]:
    """Write text as a lenient program would, so that what is ill-formed can be examined."""
    asked, points = _form_of(request), request["points"]
    plain, mark = reference.signed(asked)
    data, end, lenient, lacking, at = bytearray(mark), len(mark), 0, 0, 0
    problems: list[dict[str, str]] = []
    while at < len(points):
        first, (point, at) = at, reference.next_written(plain, points, at)
        units = reference.encoded(plain, point)
        if units is None:
            units = reference.encoded_surrogate(plain, point)
            lenient += units is not None
            lacking += units is None
            problems += [_lack(asked, plain, point, (first, at))] if len(problems) < LIMITS["faults"] else []
        data += units or b""
        end = len(data) if len(data) <= LIMITS["bytes"] else end
    return {"bytes": data[:end].hex().upper(), "cut": end < len(data), "lenient": lenient, "lacking": lacking,
            "problems": problems, "form": plain.name}  # fmt: skip


def _name(request: dict[str, Any]) -> dict[str, Any]:
    return {
        "points": [{"name": character_name(each), "character": shown_character(each)} for each in request["points"]]
    }


# --- repair -----------------------------------------------------------------------------------------------------------


def _repair(request: dict[str, Any]) -> dict[str, Any]:
    asked, data, errors = _form_of(request), request["bytes"], request["errors"]
    try:
        plan = repair.plan(data, asked, errors)
    except (ConversionError, ValueError) as error:
        raise _NoAnswerError(str(error)) from error
    result = plan.apply(data)
    first = request["skip"]
    shown = LIMITS["bytes_shown"]
    return {
        "changes": [{**each.as_dict(), "lossy": each.lossy} for each in plan.changes[first : first + request["limit"]]],
        "count": len(plan.changes),
        "lossy": plan.lossy_count,
        "result": result[:shown].hex().upper(),
        "result_length": len(result),
        "result_sha256": plan.result_sha256,
        "original_sha256": plan.original_sha256,
        "ways": list(_ways_back(plan, data, result, asked)),
    }


def _ways_back(plan: repair.Plan, data: bytes, result: bytes, asked: Form) -> Iterator[dict[str, Any]]:
    """Go every way back from the result, and yield whether it led to the original."""
    yield _way("undo the plan", lambda: plan.undo(result), data)
    yield _way(f"write it in {asked.name} again", lambda: convert(result, "utf-8", asked), data)
    yield _way("read U+EF80 to U+EFFF as bytes (XTF-8)", lambda: convert(result, "utf-8", "xtf-8", "escape"), data)


def _way(way: str, go: Callable[[], bytes], data: bytes) -> dict[str, Any]:
    try:
        back = go()
    except (UnicodeError, repair.PlanError) as error:
        return {"way": way, "exact": False, "sha256": "", "why": str(error)}
    same = back == data
    at = next((at for at, (one, other) in enumerate(zip(back, data, strict=False)) if one != other), None)
    differs = f"differs from byte {at} on" if at is not None else f"{len(back)} bytes instead of {len(data)}"
    return {"way": way, "exact": same, "sha256": hashlib.sha256(back).hexdigest(), "why": "" if same else differs}


# --- tables -----------------------------------------------------------------------------------------------------------


def _table(request: dict[str, Any]) -> dict[str, Any]:
    asked = _form_of(request)
    values = form_values(_comparable(asked) if request["form"] == own_forms.NAME else asked)
    return {**values, "shown": {name: _entries(asked, values_of) for name, values_of in _parts(asked).items()}}


def _comparable(own: Form) -> Form:
    if not own_forms.is_comparable(own):
        raise _NoAnswerError("this form has too many ways to combine its rows to be compared with the others")
    return own


def _parts(asked: Form) -> dict[str, Iterable[Row | FaultRow]]:
    return {"rows": asked.rows, "units": asked.units, "names": asked.names}


def _entries(asked: Form, entries: Iterable[Row | FaultRow]) -> list[dict[str, str] | None]:
    return [_entry(asked, each) for each in entries]


def _check_own(request: dict[str, Any]) -> dict[str, Any]:
    own = _own(request["own"])
    return {"rows": _entries(own, own.rows), "count": sum(row.last - row.first + 1 for row in own.rows)}


@cache
def _built_in() -> dict[str, Comparison]:
    return {each.name: compared(each) for each in forms()}


def _family(request: dict[str, Any]) -> dict[str, Any]:
    found = dict(_built_in())
    if request["own"] is not None:
        own = _comparable(_own(request["own"]))
        of_own = compared(own)
        found = {name: _beside(own, of_own, name, comparison) for name, comparison in found.items()}
        found[own.name] = of_own
    lines = [{"form": name, **comparison._asdict()} for name, comparison in found.items()]
    same = _same(found)
    edges = [edge for edge in _edges(found) if not (same and own_forms.NAME in edge)]
    return {"forms": lines, "edges": edges, "same": same}


def _beside(own: Form, of_own: Comparison, name: str, comparison: Comparison) -> Comparison:
    """Return the comparison of a built-in form, with a form of one's own as one of the others."""
    lacking = lost(form(name), own)
    return Comparison(
        [*comparison.contains, *[own.name] * (name in of_own.contained_in)],
        [*comparison.contained_in, *[own.name] * (name in of_own.contains)],
        [*comparison.lossless_to, *[own.name] * (lacking is None)],
        comparison.lost if lacking is None else {**comparison.lost, own.name: lacking},
    )


def _edges(found: Mapping[str, Comparison]) -> list[list[str]]:
    """Return which form contains which, without what follows from that and without forms that are the same."""
    inside = {name: set(each.contains) - set(each.contained_in) for name, each in found.items()}
    return [
        [name, inner]
        for name, inners in inside.items()
        for inner in found[name].contains
        if inner in inners and not any(inner in inside[between] for between in inners)
    ]


def _same(found: Mapping[str, Comparison]) -> list[str]:
    """Return the built-in forms that are the same as the form of one's own, which then needs no place of its own."""
    own = found.get(own_forms.NAME)
    return [] if own is None else [name for name in own.contains if name in own.contained_in]


# --- the questions ----------------------------------------------------------------------------------------------------


def _form_of(request: dict[str, Any]) -> Form:
    return _own(request["own"]) if request["form"] == own_forms.NAME else form(request["form"])


def _own(given: dict[str, Any] | None) -> Form:
    if given is None:
        raise _NoAnswerError(f"the form {own_forms.NAME} needs its rows")
    try:
        return own_forms.form_of(given)
    except ValueError as error:
        raise _NoAnswerError(str(error)) from error


class _UnitBits(Whole):
    """8, 16 or 32."""

    def schema(self) -> Schema:
        return {"type": "integer", "enum": [8, 16, 32]}

    def read(self, given: Any, name: str) -> int:
        bits = super().read(given, name)
        if bits not in (8, 16, 32):
            raise WrongRequestError(f"{name}: not 8, 16 or 32")
        return bits


_OWN = Fields(
    {
        "rows": Lines(own_forms.MOST_CHARACTERS),
        "unit_bits": _UnitBits(8, 32),
        "longest_match": Flag(),
        "joins_pairs": Flag(),
    },
    {"unit_bits": 8, "longest_match": False, "joins_pairs": False},
)
_FORM: dict[str, Parameter] = {"form": OneOf((*_NAMES, own_forms.NAME)), "own": _OWN}
_BYTES: dict[str, Parameter] = {"bytes": Octets(LIMITS["bytes"])}
_PAGE: dict[str, Parameter] = {"skip": Whole(0, LIMITS["bytes"]), "limit": Whole(1, LIMITS["faults"])}
_NO_OWN: dict[str, Any] = {"own": None}
_FIRST_PAGE: dict[str, Any] = {"skip": 0, "limit": LIMITS["faults"]}


class _SomeForms:
    """Names of forms; none stands for all."""

    def schema(self) -> Schema:
        return {"type": "array", "maxItems": len(_NAMES), "items": OneOf(_NAMES).schema()}

    def read(self, given: Any, name: str) -> list[str]:
        if not isinstance(given, list) or len(given) > len(_NAMES):
            raise WrongRequestError(f"{name}: not a list of at most {len(_NAMES)} forms")
        return [OneOf(_NAMES).read(each, name) for each in given]


_LIST: Schema = {"type": "array"}
_OBJECT: Schema = {"type": "object"}
_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_YES_OR_NO: Schema = {"type": "boolean"}

QUESTIONS: Mapping[str, Question] = {
    "about": Question(
        "The forms, the kinds of fault, the policies of a repair and the limits",
        Fields({}, {}),
        _about,
        {"version": _TEXT, "engine": _TEXT, "python": _TEXT, "forms": _LIST, "kinds": _OBJECT, "policies": _OBJECT,
         "limits": _OBJECT},
    ),
    "identify": Question(
        "Every form that bytes could be in, best first",
        Fields(_BYTES, {}),
        _identify,
        {"candidates": _LIST},
    ),
    "read": Question(
        "Bytes, sequence by sequence: bits, code point, the row that fits or the fault",
        Fields({**_BYTES, **_FORM, "start": Whole(0, LIMITS["bytes"]), "limit": Whole(1, LIMITS["rows"])},
               {**_NO_OWN, "start": 0, "limit": LIMITS["rows"]}),
        _read,
        {"rows": _LIST, "end": _COUNT, "more": _YES_OR_NO, "form": _TEXT},
    ),
    "faults": Question(
        "The faults of bytes, with their spans, sentences and sources",
        Fields({**_BYTES, **_FORM, **_PAGE}, {**_NO_OWN, **_FIRST_PAGE}),
        _faults,
        {"faults": _LIST, "count": _COUNT, "kinds": _OBJECT, "form": _TEXT},
    ),
    "peers": Question(
        "What other programs make of a few bytes: this Python, and Java from recorded results",
        Fields({"bytes": Octets(LIMITS["bytes_for_peers"]), **_FORM}, _NO_OWN),
        _peers,
        {"own": _LIST, "python": _LIST, "java": _LIST},
    ),
    "write": Question(
        "Code points in every form, side by side; -1 is a place without a code point",
        Fields({"points": Points(_GAP, _LARGEST, LIMITS["points_beside"]), "forms": _SomeForms(), "own": _OWN},
               {"forms": [], **_NO_OWN}),
        _write,
        {"lines": _LIST},
    ),
    "encode": Question(
        "Text in one form, as a lenient program would write it",
        Fields({"points": Points(0, _LARGEST, LIMITS["points"]), **_FORM}, _NO_OWN),
        _encode,
        {"bytes": _TEXT, "cut": _YES_OR_NO, "lenient": _COUNT, "lacking": _COUNT, "problems": _LIST, "form": _TEXT},
    ),
    "name": Question(
        "The names of code points, and how to show them",
        Fields({"points": Points(0, _LARGEST, LIMITS["points_beside"])}, {}),
        _name,
        {"points": _LIST},
    ),
    "repair": Question(
        "Bytes repaired to UTF-8, and which ways lead back to the original",
        Fields({**_BYTES, **_FORM, "errors": OneOf(tuple(repair.POLICIES)), **_PAGE}, {**_NO_OWN, **_FIRST_PAGE}),
        _repair,
        {"changes": _LIST, "count": _COUNT, "lossy": _COUNT, "result": _TEXT, "result_length": _COUNT,
         "result_sha256": _TEXT, "original_sha256": _TEXT, "ways": _LIST},
    ),
    "table": Question(
        "The table of a form, and how it compares with the others",
        Fields(_FORM, _NO_OWN),
        _table,
        {"form": _TEXT, "rows": _LIST, "units": _LIST, "names": _LIST, "shown": _OBJECT},
    ),
    "check": Question(
        "Whether typed rows are a form",
        Fields({"own": _OWN}, {}),
        _check_own,
        {"rows": _LIST, "count": _COUNT},
    ),
    "family": Question(
        "Which forms contain which, and which conversions are lossless; own is one of them if it is given",
        Fields({"own": _OWN}, _NO_OWN),
        _family,
        {"forms": _LIST, "edges": _LIST, "same": _LIST},
    ),
}  # fmt: skip
"""Every question by its name."""

__all__ = ["LIMITS", "QUESTIONS", "Question", "WrongRequestError", "answer"]
