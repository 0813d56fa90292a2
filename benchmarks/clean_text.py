"""Clean text side by side with the interpreter's own codec: interleaved runs, medians with the lowest and the highest.

    python benchmarks/clean_text.py [--json FILE] [--bytes N ...]

The texts have no period: words of random letters of each script, from a fixed seed. Only ratios mean anything.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable

import eightfold

SCRIPTS = {
    "ascii": (0x61, 0x7A),
    "latin": (0xE0, 0xF6),
    "cyrillic": (0x430, 0x44F),
    "greek": (0x3B1, 0x3C9),
    "arabic": (0x627, 0x64A),
    "hebrew": (0x5D0, 0x5EA),
    "hindi": (0x905, 0x939),
    "chinese": (0x4E00, 0x8FFF),
    "japanese": (0x3041, 0x3096),
    "korean": (0xAC00, 0xD7A3),
    "emoji": (0x1F300, 0x1F64F),
    "mixed": (0x20, 0x24F),
}
ROUNDS = 11
MEASURED_BYTES = 2_000_000


def text_of(script: str, byte_count: int) -> str:
    """Return words of a script, about so many bytes of UTF-8."""
    chance = random.Random(script)
    low, high = SCRIPTS[script]
    parts: list[str] = []
    size = 0
    while size < byte_count:
        word = "".join(chr(chance.randint(low, high)) for _ in range(chance.randint(1, 10))) + " "
        parts.append(word)
        size += len(word.encode())
    return "".join(parts)


def ratios(ours: Callable[[], object], theirs: Callable[[], object], repeats: int) -> list[float]:
    """Return how many times as fast ours is, once for each of the interleaved rounds."""
    return sorted(_seconds(theirs, repeats) / _seconds(ours, repeats) for _ in range(ROUNDS))


def _seconds(work: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    return time.perf_counter() - start


def measure(script: str, byte_count: int) -> dict[str, object]:
    """Return the ratios of decoding and encoding UTF-8, and of CESU-8 and MUTF-8 against our own UTF-8."""
    text = text_of(script, byte_count)
    data = text.encode()
    repeats = max(1, MEASURED_BYTES // len(data))
    cells = {
        "decode": ratios(lambda: eightfold.decode(data, "utf-8"), data.decode, repeats),
        "encode": ratios(lambda: eightfold.encode(text, "utf-8"), text.encode, repeats),
    }
    for form in ("cesu-8", "mutf-8"):
        theirs = eightfold.encode(text, form)
        cells[f"{form} decode"] = ratios(
            lambda theirs=theirs, form=form: eightfold.decode(theirs, form),
            lambda: eightfold.decode(data, "utf-8"),
            repeats,
        )
    spread = {
        name: {"median": statistics.median(each), "min": each[0], "max": each[-1]} for name, each in cells.items()
    }
    return {"script": script, "bytes": len(data), **spread}


def main() -> None:
    """Measure, print a table, and write JSON where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--bytes", type=int, nargs="+", default=[64, 1024, 1 << 20])
    given = parser.parse_args()
    rows = []
    for byte_count in given.bytes:
        for script in SCRIPTS:
            row = measure(script, byte_count)
            rows.append(row)
            cells = [
                f"{name} {each['median']:.2f} ({each['min']:.2f}-{each['max']:.2f})"
                for name, each in row.items()
                if isinstance(each, dict)
            ]
            print(f"{row['bytes']:>8} {script:9}", "  ".join(cells), flush=True)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"engine": eightfold.ENGINE, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
