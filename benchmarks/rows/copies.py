"""Decoding that does little more than copy, against a copy into new memory of the size of the result."""

from __future__ import annotations

from functools import partial

from benchmarks.peers import COPY
from benchmarks.row import Row
from benchmarks.texts import MIXED


def subjects(form: str, character_bytes: int, text: str) -> dict[str, object]:
    return {"text": text, "data": text.encode(form), "buffer": bytearray(character_bytes * len(text))}


def _row(form: str, character_bytes: int, texts: tuple[str, ...]) -> Row:
    """Return the row of a form, for texts whose characters take so many bytes each in a str."""
    decode = f"decode(data, '{form}')"
    given = partial(subjects, form.replace("wtf", "utf"), character_bytes)
    return Row(
        f"copy {form}", COPY, decode, "bytes(buffer)", given, "mine == text and len(other) == len(buffer)", texts
    )


ROWS = (_row("utf-8", 1, ("ascii",)), _row("wtf-16-le", 2, ("cyrillic", MIXED)))
