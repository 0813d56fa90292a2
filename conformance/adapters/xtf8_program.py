"""The program `xtf8` of liweitianux/xtf8, if it is on PATH; started anew for each question.

Its *encode* reads a hybrid string, which is this kit's decoding: the UTF-8 that it writes tells the code points.
"""

from __future__ import annotations

import subprocess
from typing import Any

from line_protocol import Answer, Unsupported, code_points, serve, text_of

SECONDS = 20
REPLACEMENT = "\N{REPLACEMENT CHARACTER}".encode()


def answer(request: dict[str, Any]) -> Answer:
    """Answer one request."""
    if request["form"] != "xtf-8" or request["op"] not in OPERATIONS:
        raise Unsupported
    return OPERATIONS[request["op"]](request["input"])


def _run(arguments: list[str], data: bytes) -> bytes:
    if not data:
        raise Unsupported("it refuses empty input")
    done = subprocess.run(["xtf8", *arguments], input=data, capture_output=True, timeout=SECONDS, check=True)
    return done.stdout


def decode(given: str) -> Answer:
    """Read a hybrid string. The program can only replace what collides: whether it would refuse is not asked."""
    converted = _run([], bytes.fromhex(given))
    if REPLACEMENT in converted:
        raise Unsupported("it replaces collisions")
    return code_points(converted.decode())


def replace(given: str) -> Answer:
    """Read a hybrid string; a collision becomes U+FFFD."""
    return code_points(_run([], bytes.fromhex(given)).decode())


def encode(given: str) -> Answer:
    """Write a hybrid string; the program reads UTF-8, so it cannot be asked about surrogates."""
    try:
        return {"bytes": _run(["-d"], text_of(given).encode()).hex()}
    except UnicodeEncodeError:
        raise Unsupported("it reads UTF-8") from None


OPERATIONS = {"decode": decode, "replace": replace, "encode": encode}

if __name__ == "__main__":
    serve("xtf8 (C)", "", answer)
