"""The rows of an installation without the core: clean text of the forms near UTF-8, and one fault in 1,000.

The peer is CPython's `utf-8` of the same text. These rows do not measure the core, and the core's rows have too many
faults for an engine in Python.
"""

from __future__ import annotations

from functools import partial

import eightfold
from benchmarks.peers import CPYTHON
from benchmarks.row import Row
from benchmarks.rows.dirty import POLICIES, escaped, ill_formed
from benchmarks.texts import SURROGATES, planted

FORMS = ("utf-8", "wtf-8", "generalized-utf-8", "cesu-8", "mutf-8", "xtf-8")
TEXTS = ("ascii", "latin", "cyrillic", "chinese")
ONE_IN = 1000
_DONE = "True"
"""The peer does not do the same, but users compare with the time that it takes."""

_row = partial(Row, against=CPYTHON, texts=TEXTS)


def subjects(form: str, text: str) -> dict[str, object]:
    return {"text": text, "utf_8": text.encode(), "data": eightfold.encode(text, form)}


def with_surrogates(text: str) -> dict[str, object]:
    dirty = planted(text, ONE_IN, SURROGATES)
    return {"text": dirty, "data": dirty.encode("utf-8", "surrogatepass"), "clean": text, "utf_8": text.encode()}


def _clean(form: str) -> tuple[Row, ...]:
    of_form = partial(subjects, form)
    decoded, encoded = f"decode(data, '{form}')", f"encode(text, '{form}')"
    scanned = f"is_well_formed(data, '{form}')"
    return (
        _row(f"lane: {form} decode", ours=decoded, theirs="utf_8.decode('utf-8')", subjects=of_form),
        _row(f"lane: {form} encode", ours=encoded, theirs="text.encode('utf-8')", subjects=of_form, holds=_DONE),
        _row(
            f"lane: {form} is_well_formed", ours=scanned, theirs="utf_8.decode('utf-8')", subjects=of_form, holds="mine"
        ),
    )


def _dirty(policy: str) -> tuple[Row, ...]:
    coding = f"'utf-8', '{policy}'"
    decoded, encoded = partial(ill_formed, ONE_IN), partial(escaped, ONE_IN)
    if policy == "surrogatepass":
        decoded = encoded = with_surrogates
    ends = (
        (way, f"{way}({what}, {coding})", f"{what}.{way}({coding})", given)
        for way, what, given in (("decode", "data", decoded), ("encode", "text", encoded))
    )
    return tuple(
        _row(f"lane: utf-8 {way} {policy}, 1 in {ONE_IN}", ours=ours, theirs=theirs, subjects=given)
        for way, ours, theirs, given in ends
    )


def _scan(name: str, ours: str) -> Row:
    theirs = "data.decode('utf-8', 'replace')"
    return _row(
        f"lane: utf-8 {name}, 1 in {ONE_IN}",
        ours=ours,
        theirs=theirs,
        subjects=partial(ill_formed, ONE_IN),
        holds=_DONE,
    )


CLEAN = tuple(row for form in FORMS for row in _clean(form))
DIRTY = (
    *(row for policy in (*POLICIES, "surrogatepass") for row in _dirty(policy)),
    *(_scan("faults", "list(faults(data, 'utf-8'))"), _scan("is_well_formed", "is_well_formed(data, 'utf-8')")),
)
ROWS = (*CLEAN, *DIRTY)
