"""Races with simdutf itself, if cargo is installed: it has no Python interface, so the core's own benchmarks run them.

Each race is a benchmark in Rust of the same name as the first word of its row. It reads texts from files, computes both
sides once, compares them, and times them alternately. `transcode` races what `convert` does in the core with simdutf's
conversions: both validate, count, allocate exactly what they write, and write it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import eightfold
from benchmarks.peers import SIMDUTF
from benchmarks.row import KIB, MIB, Cell, Row, cell
from benchmarks.rows import validate
from benchmarks.texts import Texts
from benchmarks.timing import Effort

RUST = Path(__file__).parents[2] / "rust"
ENCODINGS = ("utf-8", "utf-16-le", "utf-32-le")
SWAPPED = (("utf-8", "utf-16-be"), ("utf-16-be", "utf-8"))
SIZES = (KIB, 64 * KIB, MIB)


def _transcode(source: str, target: str) -> Row:
    name = f"transcode {source} to {target}"
    return Row(name, SIMDUTF, "convert", "convert_*_to_*", validate.subjects, sizes=SIZES)


TRANSCODE = tuple(_transcode(*pair) for pair in (*permutations(ENCODINGS, 2), *SWAPPED))
ROWS = (validate.AGAINST_SIMDUTF, *TRANSCODE)


def can_run() -> bool:
    """Return whether there is a core, and cargo to build its benchmarks."""
    return eightfold.ENGINE == "native" and shutil.which("cargo") is not None


def run(row: Row, texts: Texts, names: tuple[str, ...], sizes: tuple[int, ...], effort: Effort) -> Iterator[Cell]:
    """Measure a row, text by text; the first time cargo builds."""
    for size in sizes:
        pieces = [texts.pieces(name, size, 1)[0].encode() for name in names]
        for name, data, rounds in zip(names, pieces, _raced(row, pieces, effort), strict=True):
            yield cell(row, name, size, len(data), rounds)


def _raced(row: Row, pieces: list[bytes], effort: Effort) -> list[list[tuple[float, float]]]:
    bench, *forms = row.name.replace(" to ", " ").split()
    with TemporaryDirectory() as folder:
        files = [Path(folder, str(index)) for index in range(len(pieces))]
        for file, piece in zip(files, pieces, strict=True):
            file.write_bytes(piece)
        given = [str(effort.rounds), str(effort.seconds), *forms, *map(str, files)]
        command = ["cargo", "bench", "--quiet", "-p", "eightfold-core", "--bench", bench, "--", *given]
        printed = subprocess.run(command, cwd=RUST, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [[(ours, theirs) for ours, theirs in json.loads(line)] for line in printed.splitlines()]
