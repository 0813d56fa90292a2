"""The table of a form as JSON-ready values, for every door that shows tables."""

from __future__ import annotations

from typing import Any

from eightfold.family import compared
from eightfold.faults import hex_bytes
from eightfold.forms import Form, Row


def form_values(form: Form) -> dict[str, Any]:
    """Return the table of a form, its rules, and how it compares with the built-in forms, as a JSON-ready dict.

    >>> from eightfold.forms import form
    >>> form_values(form("wtf-8"))["contained_in"]
    ['generalized-utf-8', 'utf-8-rfc2044']
    """
    return {
        "form": form.name,
        "aliases": list(form.aliases),
        "note": form.note,
        "source": form.source,
        "unit_bits": form.unit_bits,
        "byte_order": form.byte_order if form.unit_bits > 8 else None,
        "rows": [_row_values(row) for row in form.rows],
        "units": [entry._asdict() for entry in form.units],
        "names": [entry._asdict() for entry in form.names],
        "longest_match": form.longest_match,
        "joins_pairs": form.joins_pairs,
        "prescribes_joining": form.prescribes_joining,
        "signatures": [{"mark": hex_bytes(each.mark), "form": each.form.name} for each in form.signatures],
        "refuses": dict(form.refuses),
        "variants": [
            {"policy": each.policy, "encodes": each.encodes, "rows": [_row_values(row) for row in each.form.rows]}
            for each in form.variants
        ],
        **compared(form)._asdict(),
    }


def _row_values(row: Row) -> dict[str, Any]:
    return {"first": row.first, "last": row.last, "unit_ranges": row.unit_ranges, "source": row.source}


__all__ = ["form_values"]
