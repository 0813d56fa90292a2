"""Programs that convert standard input, started anew for each question: `iconv` and `uconv`.

The argument is the name of one of the two.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from line_protocol import LARGEST, Answer, Unsupported, code_points, points_of, serve

SECONDS = 20
SURROGATES = range(0xD800, 0xE000)
WIDE = "UTF-32BE"
SCHEMES = ["utf-8", *(f"utf-{bits}{order}" for bits in (16, 32) for order in ("", "-le", "-be"))]
Run = Callable[[str, str, bytes, bool], tuple[bytes, list[int] | None]]


def label(form: str) -> str:
    """Return the charset's name as these programs write it.

    >>> label("utf-16-le")
    'UTF-16LE'
    """
    family, bits, *order = form.upper().split("-")
    return f"{family}-{bits}{''.join(order)}"


def _run(command: list[str], data: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=False)


def _place(said: bytes) -> list[int]:
    found = re.search(rb"position (\d+)", said)
    return [int(found[1])] if found else []


def iconv(source: str, target: str, data: bytes, replacing: bool) -> tuple[bytes, list[int] | None]:
    """Convert with iconv, which can drop what is ill-formed but not replace it."""
    if replacing:
        raise Unsupported("iconv cannot replace")
    done = _run(["iconv", "-f", label(source), "-t", label(target)], data)
    return done.stdout, _place(done.stderr) if done.returncode else None


def uconv(source: str, target: str, data: bytes, replacing: bool) -> tuple[bytes, list[int] | None]:
    """Convert with ICU's uconv. Its message counts from the start of the input, and is the only sign of a cut end."""
    callback = ["--from-callback", "substitute" if replacing else "stop"]
    done = _run(["uconv", *callback, "-f", label(source), "-t", label(target)], data)
    if b"Conversion from Unicode" in done.stderr:
        raise Unsupported("UTF-32, which the program writes, cannot hold the result")
    wrong = done.returncode or done.stderr
    return done.stdout, _place(done.stderr) if wrong else None


PROGRAMS: dict[str, tuple[Run, list[str]]] = {"iconv": (iconv, SCHEMES), "uconv": (uconv, [*SCHEMES, "cesu-8"])}


def answer(run: Run, forms: list[str], request: dict[str, Any]) -> Answer:
    """Answer one request by a conversion from or to UTF-32."""
    form, operation = request["form"], request["op"]
    if form not in forms or operation not in ("decode", "replace", "encode"):
        raise Unsupported
    if operation == "encode":
        return _encoded(run, form, points_of(request["input"]))
    converted, place = run(form, WIDE, bytes.fromhex(request["input"]), operation == "replace")
    if place is not None:
        return {"error": place}
    points = [int.from_bytes(converted[at : at + 4]) for at in range(0, len(converted), 4)]
    return code_points("".join(map(chr, points)))


def _encoded(run: Run, form: str, points: list[int]) -> Answer:
    if any(point in SURROGATES or point > LARGEST for point in points):
        raise Unsupported("UTF-32, which the program reads, has no such code point")
    wide = b"".join(point.to_bytes(4) for point in points)
    converted, place = run(WIDE, form, wide, False)
    if place is not None:
        return {"error": [each // 4 for each in place]}
    return {"bytes": converted.hex()}


if __name__ == "__main__":
    chosen, known = PROGRAMS[sys.argv[1]]
    version = subprocess.run([sys.argv[1], "--version"], capture_output=True, text=True, timeout=SECONDS, check=False)
    first = (version.stdout or version.stderr).partition("\n")[0]
    serve(sys.argv[1], first.removeprefix(sys.argv[1]).strip(), lambda request: answer(chosen, known, request))
