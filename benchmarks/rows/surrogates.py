"""Text with unpaired surrogates in the forms that hold them, against CPython's `surrogatepass`."""

from __future__ import annotations

from functools import partial

from benchmarks.peers import CPYTHON
from benchmarks.row import Row
from benchmarks.texts import SAMPLE, with_surrogates

DENSITIES = (1000, 100, 10)
FORMS = ("generalized-utf-8", "wtf-8")
PASSED = "'utf-8', 'surrogatepass'"


def subjects(one_in: int, clean: str) -> dict[str, object]:
    text = with_surrogates(clean, one_in)
    return {"text": text, "data": text.encode("utf-8", "surrogatepass")}


def _rows(form: str, one_in: int) -> tuple[Row, Row]:
    density, row = f"1 surrogate in {one_in}", partial(Row, subjects=partial(subjects, one_in), texts=SAMPLE)
    decode, encode = f"decode(data, '{form}')", f"encode(text, '{form}')"
    return (
        row(f"{form} decode, {density}", CPYTHON, decode, f"data.decode({PASSED})"),
        row(f"{form} encode, {density}", CPYTHON, encode, f"text.encode({PASSED})"),
    )


ROWS = tuple(row for form in FORMS for one_in in DENSITIES for row in _rows(form, one_in))
