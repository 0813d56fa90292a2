"""Ill-formed UTF-8: escaped by XTF-8 against `surrogateescape`, and under CPython's own policies against CPython."""

from __future__ import annotations

from functools import partial

from benchmarks.peers import CPYTHON
from benchmarks.row import Row
from benchmarks.texts import ESCAPED_BYTES, SAMPLE, planted, with_ill_formed

DENSITIES = (1000, 100, 10)
ESCAPING = "'utf-8', 'surrogateescape'"
POLICIES = ("replace", "ignore", "surrogateescape", "backslashreplace")

_row = partial(Row, texts=SAMPLE)


def ill_formed(one_in: int, clean: str) -> dict[str, object]:
    return {"data": with_ill_formed(clean, one_in)}


def escaped(one_in: int, clean: str) -> dict[str, object]:
    return {"text": planted(clean, one_in, ESCAPED_BYTES)}


def escaped_twice(one_in: int, clean: str) -> dict[str, object]:
    """As XTF-8 and as PEP 383 escape the same bytes."""
    data = with_ill_formed(clean, one_in)
    points = {0xDC00 + byte: 0xEF00 + byte for byte in range(0x80, 0x100)}
    pep_383 = data.decode("utf-8", "surrogateescape")
    return {"pep_383": pep_383, "xtf_8": pep_383.translate(points)}


def stray(one_in: int, clean: str) -> dict[str, object]:
    """Ill-formed bytes of which each is one fault and one decoding unit."""
    return {"data": planted(clean, one_in, ["\udcff", "\udcfe"]).encode("utf-8", "surrogateescape")}


def _xtf_8(one_in: int) -> tuple[Row, Row]:
    decoded, encoded = partial(ill_formed, one_in), partial(escaped_twice, one_in)
    decode, encode = "decode(data, 'xtf-8')", "encode(xtf_8, 'xtf-8')"
    same_bytes = "mine == xtf8.from_surrogateescape(other)"
    return (
        _row(f"xtf-8 decode, 1 in {one_in}", CPYTHON, decode, f"data.decode({ESCAPING})", decoded, same_bytes),
        _row(f"xtf-8 encode, 1 in {one_in}", CPYTHON, encode, f"pep_383.encode({ESCAPING})", encoded),
    )


def _policy(policy: str, one_in: int) -> tuple[Row, Row]:
    density, coding = f"1 in {one_in}", f"'utf-8', '{policy}'"
    decoded, encoded = partial(ill_formed, one_in), partial(escaped, one_in)
    decode, encode = f"decode(data, {coding})", f"encode(text, {coding})"
    return (
        _row(f"utf-8 decode {policy}, {density}", CPYTHON, decode, f"data.decode({coding})", decoded),
        _row(f"utf-8 encode {policy}, {density}", CPYTHON, encode, f"text.encode({coding})", encoded),
    )


def _scan(one_in: int) -> tuple[Row, Row]:
    """CPython has no list of faults: a handler that notes where they are makes one, and a policy counts them."""
    places, noted = "[(fault.start, fault.end) for fault in faults(data, 'utf-8')]", "places_noted(data, 'utf-8')"
    counted, replaced = "sum(tally(data, 'utf-8').values())", "data.decode('utf-8', 'replace').count('\ufffd')"
    return (
        _row(f"utf-8 faults, 1 in {one_in}", CPYTHON, places, noted, partial(stray, one_in)),
        _row(f"utf-8 tally, 1 in {one_in}", CPYTHON, counted, replaced, partial(stray, one_in)),
    )


ROWS = (
    *(row for one_in in DENSITIES for row in _xtf_8(one_in)),
    *(row for policy in POLICIES for one_in in DENSITIES for row in _policy(policy, one_in)),
    *(row for one_in in DENSITIES for row in _scan(one_in)),
)
