"""Lengths that are measured instead of built, and text cut to a number of bytes, against building it with CPython."""

from __future__ import annotations

from benchmarks.peers import CPYTHON
from benchmarks.row import MIB, Row


def subjects(text: str) -> dict[str, object]:
    data = text.encode()
    # In scripts of several bytes the middle is inside a sequence at times, and CPython's repair is to ignore the rest.
    return {"text": text, "data": data, "half": len(data) // 2 + 1}


def _to_utf_16(name: str, ours: str) -> Row:
    return Row(name, CPYTHON, ours, "len(data.decode().encode('utf-16-le'))", subjects)


ROWS = (
    Row("encoded_length", CPYTHON, "encoded_length(text, 'utf-8')", "len(text.encode())", subjects),
    Row("code_point_count", CPYTHON, "code_point_count(data, 'utf-8')", "len(data.decode())", subjects),
    _to_utf_16("converted_length utf-8 to utf-16-le", "converted_length(data, 'utf-8', 'utf-16-le')"),
    Row(
        "truncate to half",
        CPYTHON,
        "truncate(text, half, 'utf-8')",
        "text.encode()[:half].decode('utf-8', 'ignore')",
        subjects,
        sizes=(64, MIB),
    ),
    Row(
        "truncate to 255",
        CPYTHON,
        "truncate(text, 255, 'utf-8')",
        "text.encode()[:255].decode('utf-8', 'ignore')",
        subjects,
        sizes=(64, MIB),
    ),
)
