"""Sizes, limits and offsets at the ends of what a C integer holds; with EIGHTFOLD_LARGE=1, results beyond 4 GiB."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

import pytest

import eightfold
from eightfold._engine import CORE
from support.needed import available_bytes, needs_core

EDGES = [
    0,
    1,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**32,
    sys.maxsize - 1,
    sys.maxsize,
    sys.maxsize + 1,
    2**64 - 1,
    2**64,
    10**30,
]
DATA, TEXT = b"a\xff\xc3\xa9", "a\ud800é"

SIZED: dict[str, Callable[[int], Any]] = {
    "faults": lambda size: list(eightfold.faults(DATA, "utf-8", size)),
    "encode_faults": lambda size: list(eightfold.encode_faults(TEXT, "utf-8", size)),
    "truncate": lambda size: eightfold.truncate("aé", size, "utf-8"),
    "truncate_bytes": lambda size: eightfold.truncate_bytes(DATA, size, "utf-8"),
    "truncate_bytes of a view": lambda size: eightfold.truncate_bytes(bytearray(DATA), size, "utf-8"),
    "boundary": lambda size: eightfold.boundary(DATA, size, "utf-8"),
    "boundary in a view": lambda size: eightfold.boundary(memoryview(DATA), size, "utf-16-le"),
    "split": lambda size: [bytes(each) for each in eightfold.split(DATA, max(size, 1), "utf-8")],
    "encode_into": lambda size: eightfold.encode_into("aé", "utf-8", bytearray(9), min(size, 2)),
    "encode_code_points": lambda size: eightfold.encode_code_points(
        [0x61, size, 0xDC00], "generalized-utf-8", "replace"
    ),
    "threads": lambda size: eightfold.tally(DATA, "utf-8", threads=max(size, 1)),
}


@pytest.mark.parametrize("name", SIZED)
def test_a_size_beyond_the_end_is_the_end(name: str) -> None:
    outcomes = []
    for size in EDGES:
        try:
            outcomes.append(SIZED[name](size))
        except (ValueError, OverflowError) as error:
            outcomes.append(type(error))
    beyond = outcomes[EDGES.index(2**32) :]
    assert all(each == beyond[0] for each in beyond)


@pytest.mark.parametrize("name", [name for name in SIZED if name not in ("split", "threads", "encode_code_points")])
@pytest.mark.parametrize("size", [-1, -(2**31), -(2**63), -(2**63) - 1, -(2**64)])
def test_a_size_below_nothing_is_refused(name: str, size: int) -> None:
    with pytest.raises((ValueError, OverflowError)):
        SIZED[name](size)


ARITHMETIC: dict[str, Callable[[int], Any]] = {
    "well_formed_end": lambda size: CORE.well_formed_end(FORM, DATA, size, final=True),
    "fault_at": lambda size: CORE.fault_at(FORM, DATA, size),
    "sequence_at": lambda size: CORE.sequence_at(FORM, DATA, size),
    "cut_before": lambda size: CORE.cut_before(FORM, DATA, size, size),
    "cut_before, near only": lambda size: CORE.cut_before(FORM, DATA, size, 0),
    "cut_before, least only": lambda size: CORE.cut_before(FORM, DATA, 0, size),
    "decoded_piece": lambda size: CORE.decoded_piece(FORM, "replace", DATA, size),
    "decoded_piece, chosen": lambda size: CORE.decoded_piece(FORM, "replace", DATA, 0, size),
    "converted_piece": lambda size: CORE.converted_piece(
        FORM, FORM, "replace", DATA, (size, size, 0, False, None, False), True
    ),
    "converted_piece, offset": lambda size: CORE.converted_piece(
        FORM, FORM, "replace", DATA, (0, size, 0, False, (0xD800, size, size), True), True
    ),
    "unpaired_escapes": lambda size: CORE.unpaired_escapes(DATA, size, size),
    "cleared_bits": lambda size: CORE.cleared_bits(size, b""),
    "check_offsets": lambda size: CORE.check_offsets(b"\0" * 64, 4, size, size, size),
    "check_offsets, first": lambda size: CORE.check_offsets(b"\0" * 64, 8, size, 1, 1),
    "check_offsets, count": lambda size: CORE.check_offsets(b"\0" * 64, 8, 1, size, 1),
    **{
        f"a column of {kind} {width}": lambda size, kind=kind, width=width: CORE.ill_formed_rows(
            (kind, width, b"\0" * 64, [DATA], None, *size_pair(size)), FORM
        )
        for kind, width in (("offsets", 4), ("offsets", 8), ("views", 16), ("fixed", 3), ("fixed", sys.maxsize))
    },
}
FORM = eightfold.form("wtf-8")
OUT_OF_RANGE = (ValueError, OverflowError, IndexError, MemoryError, TypeError)


def size_pair(size: int) -> tuple[int, int]:
    return size, size


@needs_core
@pytest.mark.parametrize("name", ARITHMETIC)
def test_the_cores_own_functions_refuse_what_is_out_of_place(name: str) -> None:
    """They are not public, but no argument may end the process or raise what is no Exception."""
    for size in (*EDGES, -1, len(DATA), len(DATA) + 1, 2**61, 2**62, 2**60 + 1):
        if name == "cleared_bits" and 2**31 <= size < 2**62:
            continue  # So many bits may be had.
        with contextlib.suppress(OUT_OF_RANGE):
            ARITHMETIC[name](size)


# --- results beyond 32 bits -------------------------------------------------------------------------------------------

BEYOND = (1 << 32) + 5


LARGE: dict[str, tuple[int, Callable[[int], int]]] = {
    "backslashreplace": (4, lambda size: len(eightfold.decode(b"\xff" * size, "utf-8", "backslashreplace"))),
    "encode, backslashreplace": (6, lambda size: len(eightfold.encode("\ud800" * size, "utf-8", "backslashreplace"))),
    "encode": (4, lambda size: len(eightfold.encode("a" * size, "utf-32-le"))),
    "convert": (4, lambda size: len(eightfold.convert(b"a" * size, "utf-8", "utf-32-le"))),
    "convert with faults": (3, lambda size: len(eightfold.convert(b"\xff" * size, "utf-8", "wtf-8", "replace"))),
    "converted_length": (4, lambda size: eightfold.converted_length(b"a" * size, "utf-8", "utf-32-le")),
    "encoded_length": (6, lambda size: eightfold.encoded_length("a" * size, "utf-32-le") // 4 * 6),
}


@needs_core
@pytest.mark.skipif(os.environ.get("EIGHTFOLD_LARGE") != "1", reason="takes 12 GiB: asked for with EIGHTFOLD_LARGE=1")
@pytest.mark.skipif(available_bytes() < 3 * BEYOND, reason="there is no memory for it here")
@pytest.mark.parametrize("name", LARGE)
def test_results_beyond_four_gibibytes(name: str) -> None:
    times, verb = LARGE[name]
    size = BEYOND // times + 1
    assert verb(size) == times * size
