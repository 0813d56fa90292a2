"""What other programs make of bytes: the interpreter's own codecs, live, and Java, from recorded results.

``java.json.gz`` holds results of Java's decoders for particular inputs, and says which Java. The tests compare it with
the vectors. Nothing is inferred: for other inputs there is no result.
"""

from __future__ import annotations

import gzip
import json
import platform
from functools import cache
from importlib.resources import files
from typing import Any

from eightfold.forms import Form

_JAVA_TITLES = ("UTF-8 charset", "CESU-8 charset", "DataInput.readUTF")


def python_results(data: bytes, form: Form) -> list[dict[str, Any]]:
    r"""Return what codecs of this interpreter make of bytes: utf-8, and that of the form if Python has one.

    >>> from eightfold.forms import form
    >>> [each["reason"] for each in python_results(b"\xff", form("utf-8"))]
    ['invalid start byte']
    """
    names = dict.fromkeys(("utf-8", *([form.name] if form.cpython_reasons else [])))
    return [_python_result(data, name) for name in names]


def _python_result(data: bytes, name: str) -> dict[str, Any]:
    program = f"{platform.python_implementation()} {platform.python_version()}"
    answer: dict[str, Any] = {"program": program, "title": name, "ok": True, "start": None, "end": None, "reason": ""}
    try:
        data.decode(name)
    except UnicodeDecodeError as error:
        answer.update(ok=False, start=error.start, end=error.end, reason=error.reason)
    return {**answer, "points": [ord(each) for each in data.decode(name, "replace")]}


def java_results(data: bytes) -> list[dict[str, Any]]:
    r"""Return what Java's decoders made of exactly these bytes, or nothing if that is not recorded.

    >>> [each["ok"] for each in java_results(b"\xc0\x80")]
    [False, False, True]
    """
    recorded = _recorded()
    results = recorded["results"].get(data.hex().upper(), ())
    return [
        {"program": recorded["program"], "title": title, "ok": ok, "reason": reason, "points": _points_of(units)}
        for title, (ok, units, reason) in zip(_JAVA_TITLES, results, strict=False)
    ]


@cache
def _recorded() -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads(gzip.decompress((files("eightfold.web") / "java.json.gz").read_bytes()))
    return recorded


def _points_of(units: str) -> list[int]:
    return [ord(each) for each in bytes.fromhex(units).decode("utf-16-be", "surrogatepass")]


__all__ = ["java_results", "python_results"]
