"""The tables of forms, and how forms compare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from eightfold.family import Comparison, compared, lost
from eightfold.forms import FaultRow, Form, Row, form, forms
from eightfold.tables import form_values
from eightfold.web import own_forms
from eightfold.web.answers import NoAnswerError, entry_values, form_of, own_of


def answer_table(request: dict[str, Any]) -> dict[str, Any]:
    """Return the table of a form, and how it compares with the others."""
    asked = form_of(request)
    values = form_values(_comparable(asked) if request["form"] == own_forms.NAME else asked)
    return {**values, "shown": {name: _entries(asked, values_of) for name, values_of in _parts(asked).items()}}


def _comparable(own: Form) -> Form:
    if not own_forms.is_comparable(own):
        raise NoAnswerError("this form has too many ways to combine its rows to be compared with the others")
    return own


def _parts(asked: Form) -> dict[str, Iterable[Row | FaultRow]]:
    return {"rows": asked.rows, "units": asked.units, "names": asked.names}


def _entries(asked: Form, entries: Iterable[Row | FaultRow]) -> list[dict[str, str] | None]:
    return [entry_values(asked, each) for each in entries]


def answer_check(request: dict[str, Any]) -> dict[str, Any]:
    """Return the rows of a form of one's own."""
    own = own_of(request["own"])
    return {"rows": _entries(own, own.rows), "count": sum(row.last - row.first + 1 for row in own.rows)}


@cache
def _built_in() -> dict[str, Comparison]:
    return {each.name: compared(each) for each in forms()}


def answer_family(request: dict[str, Any]) -> dict[str, Any]:
    """Return how the forms compare, and which contain which."""
    found = dict(_built_in())
    if request["own"] is not None:
        own = _comparable(own_of(request["own"]))
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


__all__ = ["answer_check", "answer_family", "answer_table"]
