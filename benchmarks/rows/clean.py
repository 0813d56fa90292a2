"""Well-formed UTF-8 to str and back, against CPython's own codec: short, long, and larger than the caches."""

from __future__ import annotations

from benchmarks.peers import CPYTHON
from benchmarks.row import KIB, MIB, Row


def subjects(text: str) -> dict[str, object]:
    return {"text": text, "data": text.encode()}


ROWS = (
    Row("decode", CPYTHON, "decode(data, 'utf-8')", "data.decode('utf-8')", subjects, sizes=(64, KIB, MIB, 64 * MIB)),
    Row("encode", CPYTHON, "encode(text, 'utf-8')", "text.encode('utf-8')", subjects, sizes=(64, KIB, MIB)),
)
