"""CESU-8, MUTF-8 and Corrected UTF-8, against PyPI's `mutf8` and against our own UTF-8 of the same text.

`mutf8` handles MUTF-8 only. The texts do not contain U+0000, and for such text CESU-8 has the same bytes.
"""

from __future__ import annotations

from functools import partial

import eightfold
from benchmarks.peers import MUTF8, OURS
from benchmarks.row import Row


def subjects(form: str, text: str) -> dict[str, object]:
    return {"text": text, "utf_8": text.encode(), "data": eightfold.encode(text, form)}


def _against_mutf8(form: str) -> tuple[Row, Row]:
    of_form = partial(subjects, form)
    return (
        Row(f"{form} decode", MUTF8, f"decode(data, '{form}')", "decode_modified_utf8(data)", of_form),
        Row(f"{form} encode", MUTF8, f"encode(text, '{form}')", "encode_modified_utf8(text)", of_form),
    )


def _against_ours(form: str) -> tuple[Row, Row]:
    of_form, same_text = partial(subjects, form), f"decode(mine, '{form}') == decode(other, 'utf-8')"
    return (
        Row(f"{form} decode", OURS, f"decode(data, '{form}')", "decode(utf_8, 'utf-8')", of_form),
        Row(f"{form} encode", OURS, f"encode(text, '{form}')", "encode(text, 'utf-8')", of_form, same_text),
    )


ROWS = (
    *_against_mutf8("cesu-8"),
    *_against_mutf8("mutf-8"),
    *_against_ours("cesu-8"),
    *_against_ours("mutf-8"),
    *_against_ours("corrected-utf-8"),
)
