"""UTF-8 in pieces, as from a file or a socket, against CPython's own incremental codecs. Some cuts split sequences."""

from __future__ import annotations

from functools import partial

from benchmarks.peers import CPYTHON
from benchmarks.row import KIB, Row

TEXTS = ("ascii", "latin", "cyrillic", "chinese", "emoji", "mixed html")
PIECES = (64, 8 * KIB)
"""In bytes and in code points: a short line, and the chunk that a Python text file reads at once."""


def subjects(size: int, text: str) -> dict[str, object]:
    data = text.encode()
    return {
        "bytes_pieces": [data[at : at + size] for at in range(0, len(data), size)],
        "str_pieces": [text[at : at + size] for at in range(0, len(text), size)],
    }


def _in_pieces(size: int) -> tuple[Row, Row]:
    of_size = partial(subjects, size)
    return (
        Row(
            f"stream decode, {size} at once",
            CPYTHON,
            "''.join(map(Decoder('utf-8').decode, bytes_pieces))",
            "''.join(map(utf_8_decoder().decode, bytes_pieces))",
            of_size,
            texts=TEXTS,
        ),
        Row(
            f"stream encode, {size} at once",
            CPYTHON,
            "b''.join(map(Encoder('utf-8').encode, str_pieces))",
            "b''.join(map(utf_8_encoder().encode, str_pieces))",
            of_size,
            texts=TEXTS,
        ),
    )


ROWS = tuple(row for size in PIECES for row in _in_pieces(size))
