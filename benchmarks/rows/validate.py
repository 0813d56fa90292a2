"""Validation: against pyarrow's cast of binary to string, and against simdutf itself if cargo is installed.

How simdutf is raced is in `races`.
"""

from __future__ import annotations

from benchmarks.peers import PYARROW, SIMDUTF
from benchmarks.row import Row


def subjects(text: str) -> dict[str, object]:
    return {"text": text, "data": text.encode()}


def in_arrow(text: str) -> dict[str, object]:
    import pyarrow  # type: ignore[import-untyped,unused-ignore]

    data = text.encode()
    return {"text": text, "data": data, "binary": pyarrow.array([data], pyarrow.large_binary())}


AGAINST_PYARROW = Row(
    "validate",
    PYARROW,
    "is_well_formed(data, 'utf-8')",
    "binary.cast(large_string)",
    in_arrow,
    "mine and other[0].as_py() == text",
)
AGAINST_SIMDUTF = Row("validate", SIMDUTF, "is_well_formed", "validate_utf8", subjects)
"""Its statements name the functions that are called in Rust: see `races`."""

ROWS = (AGAINST_PYARROW,)
