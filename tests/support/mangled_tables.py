"""Tables in files with changes at random, given to the command one by one: python -m tests.support.mangled_tables.

Run it in a process of its own, since what it looks for are files that end the process. Before each file it writes the
number to standard output; the seed and the number give the file again.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from eightfold import cli
from tests.support.table_files import KINDS, table, written

_PLAIN = {"compression": "none", "use_dictionary": False}
_PARQUET: tuple[dict[str, Any], ...] = (
    {},
    {"compression": "none"},
    {**_PLAIN, "write_page_index": True},
    {**_PLAIN, "data_page_version": "2.0"},
)
_INTERESTING = (b"\x00", b"\xff", b"\x7f", b"\x80", b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80", b"\xff" * 8)

Change = Callable[[random.Random, bytearray], None]


def _bit(chance: random.Random, data: bytearray) -> None:
    data[_place(chance, data)] ^= 1 << chance.randrange(8)


def _overwrite(chance: random.Random, data: bytearray) -> None:
    at, new = _place(chance, data), chance.choice(_INTERESTING)
    data[at : at + len(new)] = new


def _insert(chance: random.Random, data: bytearray) -> None:
    at = _place(chance, data)
    data[at:at] = chance.randbytes(chance.randrange(1, 9))


def _remove(chance: random.Random, data: bytearray) -> None:
    at = _place(chance, data)
    del data[at : at + chance.randrange(1, 9)]


def _move(chance: random.Random, data: bytearray) -> None:
    start, at = _place(chance, data), _place(chance, data)
    piece = data[start : start + chance.randrange(1, 33)]
    data[at : at + len(piece)] = piece


CHANGES: tuple[Change, ...] = (_bit, _overwrite, _insert, _remove, _move)


def _place(chance: random.Random, data: bytearray) -> int:
    """Return an offset behind the magic bytes; every other one is in the last part, where lengths and types are."""
    first = 8 if chance.random() < 0.5 else max(8, len(data) - 1500)
    return chance.randrange(min(first, len(data) - 1), len(data))


def main(kind: str, seed: int, count: int) -> int:
    """Try so many files; return how many of them were refused."""
    refused = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        options = _PARQUET if kind == "parquet" else ({},)
        wholes = [written(folder, kind, table(), **each).read_bytes() for each in options]
        for number in range(count):
            print(number, flush=True)
            chance = random.Random(f"{seed} {number}")
            data = bytearray(chance.choice(wholes))
            for _ in range(chance.randrange(1, 3)):
                chance.choice(CHANGES)(chance, data)
            refused += _tried(folder, kind, data)
    return refused


def _tried(folder: Path, kind: str, data: bytearray) -> bool:
    """Check and repair a file; return whether it was refused."""
    path, fixed = folder / f"mangled.{kind}", folder / f"fixed.{kind}"
    path.write_bytes(data)
    fixed.unlink(missing_ok=True)
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as said:
        checked = cli.main(["check", str(path)])
        repaired = cli.main(["repair", str(path), "-o", str(fixed)])
    assert checked in (0, 1, 2), checked
    assert repaired in (0, 1, 2), repaired
    assert fixed.exists() == (repaired == 0)
    assert "Traceback" not in said.getvalue(), said.getvalue()
    return repaired == 2


if __name__ == "__main__":
    assert sys.argv[1] in KINDS
    print("refused", main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
