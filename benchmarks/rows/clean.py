"""Well-formed UTF-8 to str and back, against CPython's own codec: short, long, larger than the caches, and mixed."""

from __future__ import annotations

from functools import partial

from benchmarks.peers import CPYTHON
from benchmarks.row import KIB, MIB, Row
from benchmarks.texts import CHATS, SCRIPTS


def subjects(text: str) -> dict[str, object]:
    return {"text": text, "data": text.encode()}


_row = partial(Row, against=CPYTHON, subjects=subjects, texts=(*SCRIPTS, *CHATS))

ROWS = (
    _row("decode", ours="decode(data, 'utf-8')", theirs="data.decode('utf-8')", sizes=(64, KIB, MIB, 64 * MIB)),
    _row("encode", ours="encode(text, 'utf-8')", theirs="text.encode('utf-8')", sizes=(64, KIB, MIB)),
)
