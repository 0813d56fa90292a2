"""The answers to questions, a file for each kind. Here is what they share: the form that is asked about."""

from __future__ import annotations

from typing import Any

from eightfold.forms import FaultRow, Form, Row, form
from eightfold.forms.as_text import points_text, units_text
from eightfold.web import own_forms


class NoAnswerError(Exception):
    """There is no answer, and the reason is one for people."""


def form_of(request: dict[str, Any]) -> Form:
    """Return the form that a request asks about.

    Raises:
        NoAnswerError: it is one of one's own, and not a form.
    """
    return own_of(request["own"]) if request["form"] == own_forms.NAME else form(request["form"])


def own_of(given: dict[str, Any] | None) -> Form:
    """Return a form of one's own.

    Raises:
        NoAnswerError: it is not given, or not a form.
    """
    if given is None:
        raise NoAnswerError(f"the form {own_forms.NAME} needs its rows")
    try:
        return own_forms.form_of(given)
    except ValueError as error:
        raise NoAnswerError(str(error)) from error


def entry_values(plain: Form, entry: Row | FaultRow | None) -> dict[str, str] | None:
    """Return the values of an entry in the table of a form."""
    if entry is None:
        return None
    run = entry.run if isinstance(entry, FaultRow) else ()
    kind = entry.kind if isinstance(entry, FaultRow) else ""
    units = units_text(plain, entry.unit_ranges, run)
    return {"points": points_text(entry), "units": units, "kind": kind, "source": entry.source}


__all__ = ["NoAnswerError", "entry_values", "form_of", "own_of"]
