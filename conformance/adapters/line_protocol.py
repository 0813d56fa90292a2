"""What every adapter in Python needs of the line protocol: read requests, write answers, write numbers as it does."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

Answer = dict[str, Any]
LARGEST = 0x10FFFF


class Unsupported(Exception):  # noqa: N818 - a word of the protocol
    """The program has no such form or operation."""


def points_of(text: str) -> list[int]:
    """Return code points from hexadecimal."""
    return [int(point, 16) for point in text.split()]


def text_of(given: str) -> str:
    """Return the str of code points in hexadecimal.

    Raises:
        Unsupported: there is no such str.
    """
    points = points_of(given)
    if max(points, default=0) > LARGEST:
        raise Unsupported("above U+10FFFF")
    return "".join(map(chr, points))


def code_points(text: str) -> Answer:
    """Return the answer that tells the code points of a str."""
    return {"code_points": " ".join(f"{ord(character):X}" for character in text)}


def pieces(whole: Any, sizes: list[int]) -> Iterator[tuple[Any, bool]]:
    """Yield each piece, and whether it is the last."""
    at = 0
    for place, size in enumerate(sizes):
        yield whole[at : at + size], place == len(sizes) - 1
        at += size


def serve(name: str, version: str, answer: Callable[[dict[str, Any]], Answer]) -> None:
    """Answer requests until there are no more."""
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "hello":
            said: Answer = {"name": name, "version": version}
        else:
            try:
                said = answer(request)
            except Unsupported as missing:
                said = {"unsupported": str(missing) or True}
        print(json.dumps(said), flush=True)
