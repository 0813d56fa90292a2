"""This program's JSON Lines files: the first line says what the file is, and every line is one JSON object.

Each line is complete or missing. No line makes anybody hold the whole file in memory, whatever its size: a line longer
than :data:`LONGEST_LINE` is neither written nor read. What the lines mean is up to their writers: plans, journals,
certificates, and logs of renamed files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from eightfold.files import FileError
from eightfold.files.read.reading import Source
from eightfold.version import refusal

VERSION = 1
LONGEST_LINE = 128 << 20
"""The maximum number of bytes of a line. Only values of a table come near it, with some 40 MB, old and new together."""


def record(values: Mapping[str, Any]) -> bytes:
    r"""Return the line for a JSON object, in ASCII.

    >>> record({"path": "caf\xe9"})
    b'{"path": "caf\\u00e9"}\n'
    """
    return json.dumps(values).encode("ascii") + b"\n"


def heading(kind: str) -> bytes:
    r"""Return the first line of a file of this kind.

    >>> heading("plan")
    b'{"eightfold": "plan", "version": 1}\n'
    """
    return record({"eightfold": kind, "version": VERSION})


def records(source: Source, kind: str) -> Iterator[tuple[int, Any]]:
    """Yield the lines of a file of this kind after the first: their number, and the JSON value.

    Raises:
        FileError: it cannot be read, or is not such a file.
    """
    lines = _lines(source)
    _check_heading(source, kind, next(lines, b""))
    for number, line in enumerate(lines, start=2):
        yield number, _value(source, f"line {number}: ", line)


def _check_heading(source: Source, kind: str, line: bytes) -> None:
    values = _value(source, f"this is not a {kind}: ", line)
    if not isinstance(values, dict) or values.get("eightfold") != kind:
        raise FileError(source.path, f"this is not a {kind}: its first line does not say so")
    if (reason := refusal(kind, values.get("version"), VERSION)) is not None:
        raise FileError(source.path, reason)


def _value(source: Source, where: str, line: bytes) -> Any:
    try:
        return value(line)
    except ValueError as error:
        raise FileError(source.path, f"{where}it is not JSON ({error})") from error


def value(line: bytes) -> Any:
    """Return the JSON value of a line from an untrusted source.

    Raises:
        ValueError: it is not JSON in UTF-8, or its values are nested too deeply.

    >>> value(b"[" * 100_000)
    Traceback (most recent call last):
    ValueError: the values are nested too deeply
    """
    try:
        return json.loads(line.decode())
    except RecursionError:
        raise ValueError("the values are nested too deeply") from None


def _lines(source: Source) -> Iterator[bytes]:
    held, length = [b""], 0
    for chunk, _ in source.pieces():
        first, *others = chunk.split(b"\n")
        held.append(first)
        length += len(first)
        if length > LONGEST_LINE:
            raise FileError(source.path, f"a line has more than {LONGEST_LINE >> 20} MiB, so it is not one of ours")
        for line in others:
            whole, held, length = b"".join(held), [line], len(line)
            yield whole
    if length:
        yield b"".join(held)
