"""UTF-16 and UTF-32 to str and back, WTF-16 with surrogates, and conversions without a str in between."""

from __future__ import annotations

from functools import partial

from benchmarks.peers import CPYTHON, MUTF8
from benchmarks.row import Row
from benchmarks.rows import surrogates
from benchmarks.rows.neighbours import subjects as of_form
from benchmarks.texts import SAMPLE

FORMS = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
PASSED = "'utf-16-le', 'surrogatepass'"


def wtf_16(one_in: int, clean: str) -> dict[str, object]:
    text = str(surrogates.subjects(one_in, clean)["text"]) if one_in else clean
    return {"text": text, "data": text.encode("utf-16-le", "surrogatepass")}


def _unicode(form: str) -> tuple[Row, Row]:
    subjects = partial(of_form, form)
    return (
        Row(f"{form} decode", CPYTHON, f"decode(data, '{form}')", f"data.decode('{form}')", subjects),
        Row(f"{form} encode", CPYTHON, f"encode(text, '{form}')", f"text.encode('{form}')", subjects),
    )


def _wtf_16(density: str, one_in: int) -> tuple[Row, Row]:
    row = partial(Row, subjects=partial(wtf_16, one_in), texts=SAMPLE)
    decode, encode = "decode(data, 'wtf-16-le')", "encode(text, 'wtf-16-le')"
    return (
        row(f"wtf-16-le decode, {density}", CPYTHON, decode, f"data.decode({PASSED})"),
        row(f"wtf-16-le encode, {density}", CPYTHON, encode, f"text.encode({PASSED})"),
    )


def _convert(source: str, target: str, against: str, theirs: str) -> Row:
    ours = f"convert(data, '{source}', '{target}')"
    return Row(f"convert {source} to {target}", against, ours, theirs, partial(of_form, source))


ROWS = (
    *_wtf_16("clean", 0),
    *_wtf_16("1 surrogate in 10", 10),
    *(row for form in FORMS for row in _unicode(form)),
    _convert("utf-16-le", "utf-8", CPYTHON, "data.decode('utf-16-le').encode('utf-8')"),
    _convert("utf-8", "utf-16-le", CPYTHON, "data.decode('utf-8').encode('utf-16-le')"),
    _convert("mutf-8", "utf-8", MUTF8, "decode_modified_utf8(data).encode('utf-8')"),
)
