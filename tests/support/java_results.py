"""Java's results that the explorer shows, recorded from Java: `python tests/support/java_results.py [--check]`.

The inputs: those of the vectors, whose results the tests compare; every byte; every lead with every continuation byte;
every surrogate; and for longer sequences, the bytes at the edges of the tables.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain, product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.foreign_programs import SOURCES, answers
from support.vector_files import lines

PLACE = Path(__file__).parents[2] / "src" / "eightfold" / "web" / "java.json.gz"
CONTINUATION = range(0x80, 0xC0)
EDGES = (0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xAF, 0xB0, 0xBF)
EXAMPLES = ("4F4B20EDA0BDEDB880", "EDA0BDEDB880", "636166E9206E6F6972", "41C08042", "2E2EC0AF")
CHARSETS = ("UTF-8", "CESU-8")


def inputs() -> list[str]:
    """Return the inputs in hex."""
    systematic = chain(
        product(range(0x100)),
        product(range(0xC0, 0x100), CONTINUATION),
        product((0xED,), range(0xA0, 0xC0), CONTINUATION),
        product(range(0xE0, 0xF0), EDGES, EDGES),
        product(range(0xF0, 0xF8), EDGES, EDGES, EDGES),
        product((0xED,), (0xA0, 0xAF), EDGES, (0xED,), (0xB0, 0xBF), EDGES),
    )
    found = {bytes(each).hex().upper() for each in systematic}
    found |= {line["in"].upper() for line in lines("utf8_decode_consensus")} | set(EXAMPLES)
    return sorted(found, key=lambda each: (len(each), each))


def questions(data: str) -> list[str]:
    """Return what Java is asked about an input."""
    asked = [f"{verb} {charset} {data}" for charset in CHARSETS for verb in ("decode", "decode-replacing")]
    return [*asked, f"read-utf - {len(data) // 2:04X}{data}"]


def made() -> dict[str, Any]:
    """Ask Java, and return the content of the file: for each input and decoder, whether it accepts, and the text."""
    given = answers(["java", str(SOURCES / "Text.java")], chain.from_iterable(map(questions, inputs())))
    return {"program": program(), "results": {data: list(_results(data, given)) for data in inputs()}}


def program() -> str:
    """Return Java's name and version."""
    said = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr
    return f"Java {said.split(chr(34))[1]}"


def _results(data: str, given: dict[str, str]) -> Iterator[list[Any]]:
    *decoded, read = (given[each] for each in questions(data))
    for strict, replaced in zip(decoded[::2], decoded[1::2], strict=True):
        yield [not strict.startswith("refused"), replaced, _place(strict)]
    refused = read.startswith("refused")
    yield [not refused, "" if refused else read, read.partition(":")[2]]


def _place(strict: str) -> str:
    place = strict.partition(":")[2]
    return f"malformed input at byte {place}" if place else ""


def recorded() -> dict[str, Any]:
    """Return the content of the file."""
    content: dict[str, Any] = json.loads(gzip.decompress(PLACE.read_bytes()))
    return content


if __name__ == "__main__":
    now = made()
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if recorded() == now else f"{PLACE} is not what {now['program']} gives")
    PLACE.write_bytes(gzip.compress(json.dumps(now, separators=(",", ":")).encode("ascii"), mtime=0))
