"""Validation: against pyarrow's cast of binary to string, and against simdutf itself if cargo is installed.

simdutf has no Python interface. The core's own benchmark `validate` races it, in Rust, with the function behind
`is_well_formed`, on texts that it reads from files.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import eightfold
from benchmarks.peers import PYARROW, SIMDUTF
from benchmarks.row import Cell, Row, cell
from benchmarks.texts import Texts
from benchmarks.timing import Effort

RUST = Path(__file__).parents[2] / "rust"


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
"""Its statements name the functions that are called in Rust."""

ROWS = (AGAINST_PYARROW,)


def can_meet_simdutf() -> bool:
    """Return whether there is a core, and cargo to build its benchmarks."""
    return eightfold.ENGINE == "native" and shutil.which("cargo") is not None


def against_simdutf(texts: Texts, names: tuple[str, ...], sizes: tuple[int, ...], effort: Effort) -> Iterator[Cell]:
    """Measure the row, text by text; the first time cargo builds."""
    for size in sizes:
        pieces = [texts.pieces(name, size, 1)[0].encode() for name in names]
        for name, data, rounds in zip(names, pieces, _raced(pieces, effort), strict=True):
            yield cell(AGAINST_SIMDUTF, name, size, len(data), rounds)


def _raced(pieces: list[bytes], effort: Effort) -> list[list[tuple[float, float]]]:
    with TemporaryDirectory() as folder:
        files = [Path(folder, str(index)) for index in range(len(pieces))]
        for file, piece in zip(files, pieces, strict=True):
            file.write_bytes(piece)
        given = [str(effort.rounds), str(effort.seconds), *map(str, files)]
        command = ["cargo", "bench", "--quiet", "-p", "eightfold-core", "--bench", "validate", "--", *given]
        printed = subprocess.run(command, cwd=RUST, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [[(ours, theirs) for ours, theirs in json.loads(line)] for line in printed.splitlines()]
