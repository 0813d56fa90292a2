"""Short text, for which calls cost more than bytes: with faults under policies, in other forms, by form object."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import eightfold
from benchmarks.peers import CPYTHON
from benchmarks.row import KIB, Row, Subjects
from benchmarks.rows.dirty import POLICIES
from benchmarks.rows.neighbours import subjects as of_form
from benchmarks.texts import ESCAPED_BYTES, ILL_FORMED, SAMPLE, SURROGATES, planted

SIZES = (64, 256, KIB)
FAULTS = (0, 1, 4)
WAYS = ("decode", "encode")
FORMS = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
PASSED = "'utf-8', 'surrogatepass'"

_row = partial(Row, against=CPYTHON, texts=SAMPLE, sizes=SIZES)


def with_faults(text: str, count: int, what: tuple[str, ...]) -> str:
    """Return a text in which so many code points are replaced by some of others."""
    return planted(text, len(text) // count, what) if count else text


def ill_formed(count: int, clean: str) -> Mapping[str, object]:
    return {"data": with_faults(clean, count, ILL_FORMED).encode("utf-8", "surrogateescape")}


def escaped(count: int, clean: str) -> Mapping[str, object]:
    return {"text": with_faults(clean, count, ESCAPED_BYTES)}


def with_a_surrogate(clean: str) -> Mapping[str, object]:
    text = with_faults(clean, 1, SURROGATES)
    return {"text": text, "data": text.encode("utf-8", "surrogatepass")}


def by_object(clean: str) -> Mapping[str, object]:
    return {"form": eightfold.form("utf-8"), "text": clean, "data": clean.encode()}


def _policy(policy: str, count: int) -> tuple[Row, Row]:
    faults, coding = f"{count or 'no'} fault{'s' * (count != 1)}", f"'utf-8', '{policy}'"
    decode, encode = f"decode(data, {coding})", f"encode(text, {coding})"
    decoded, encoded = partial(ill_formed, count), partial(escaped, count)
    return (
        _row(f"short decode {policy}, {faults}", ours=decode, theirs=f"data.decode({coding})", subjects=decoded),
        _row(f"short encode {policy}, {faults}", ours=encode, theirs=f"text.encode({coding})", subjects=encoded),
    )


def _named(name: str, way: str, form: str, passed: str, subjects: Subjects) -> Row:
    data = "data" if way == "decode" else "text"
    ours, theirs = f"{way}({data}, {form})", f"{data}.{way}({passed})"
    return _row(f"short {way}{name}", ours=ours, theirs=theirs, subjects=subjects)


ROWS = (
    *(row for policy in POLICIES for count in FAULTS for row in _policy(policy, count)),
    *(_named(f" {form}", way, f"'{form}'", f"'{form}'", partial(of_form, form)) for form in FORMS for way in WAYS),
    *(_named(" wtf-8, 1 surrogate", way, "'wtf-8'", PASSED, with_a_surrogate) for way in WAYS),
    *(_named(", form object", way, "form", "'utf-8'", by_object) for way in WAYS),
)
