"""The vectors: results of other programs, read from `../vectors/*.jsonl.gz`, and the one way to compare with them.

`../vectors/PROVENANCE.md` names the program that made each file, and its pitfalls. The tests decide which results must
agree with ours.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "vectors"
SHOWN = 5

Line = dict[str, Any]
Comparisons = Iterable[tuple[object, object]]


@cache
def lines(name: str) -> list[Line]:
    """Return the lines of a file of vectors."""
    with gzip.open(FOLDER / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@cache
def documented() -> dict[str, int]:
    """Return the number of lines of each file, from the table of provenance."""
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", (FOLDER / "PROVENANCE.md").read_text("utf-8"), re.MULTILINE)
    return {name: int(count) for name, count in rows}


def lines_agreeing(name: str, compared: Callable[[Line], Comparisons]) -> int:
    """Compare the lines of a file, and return how many were compared; fail unless all pairs (ours, theirs) are equal.

    The caller asserts the number, so that no line is skipped unnoticed.
    """
    count, wrong = 0, []
    for line in lines(name):
        pairs = list(compared(line))
        count += bool(pairs)
        wrong += [f"{line}\n  ours:   {ours!r}\n  theirs: {theirs!r}" for ours, theirs in pairs if ours != theirs]
    assert not wrong, f"{len(wrong)} disagreements in {name}:\n" + "\n".join(wrong[:SHOWN])
    return count


def code_points(field: str) -> list[int]:
    """Return the code points of a field such as `3f 1f4a9`."""
    return [int(each, 16) for each in field.split()]


def text(field: str) -> str:
    """Return the str of the code points of a field."""
    return "".join(map(chr, code_points(field)))


def units(field: str) -> list[int]:
    """Return 16-bit code units that a field has as hex digits, four for each."""
    return [int(field[at : at + 4], 16) for at in range(0, len(field), 4)]


def text_of_units(field: str) -> str:
    """Return the str of a field of 16-bit code units: pairs joined, unpaired surrogates as they are."""
    return bytes.fromhex(field).decode("utf-16-be", "surrogatepass")
