"""What forms write for code points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eightfold import reference
from eightfold.explain.bits import source_of_lack
from eightfold.explain.characters import character_name, shown_character
from eightfold.faults import Fault, hex_bytes
from eightfold.forms import Form, form, forms
from eightfold.web.answers import form_of, own_of
from eightfold.web.limits import LIMITS

GAP = -1
"""A place in a list of code points where there is none, because the bytes there are ill-formed."""


def answer_write(request: dict[str, Any]) -> dict[str, Any]:
    """Return what some forms write for each code point."""
    wanted = [form(name) for name in request["forms"]] if request["forms"] else list(forms())
    if request["own"] is not None:
        wanted.append(own_of(request["own"]))
    return {"lines": [_line(each, request["points"]) for each in wanted]}


def _line(asked: Form, points: list[int]) -> dict[str, Any]:
    plain, mark = reference.signed(asked)
    cells = list(_cells(asked, plain, points))
    return {
        "form": asked.name,
        "signature": hex_bytes(mark),
        "cells": cells,
        "problems": sum(bool(each["problem"]) for each in cells),
        "length": sum(len(each["units"].split()) for each in cells) + len(mark),
    }


def _cells(asked: Form, plain: Form, points: list[int]) -> Iterator[dict[str, Any]]:
    """Yield what a form writes for each code point, or for each pair that it joins; gaps have no cell."""
    at = 0
    while at < len(points):
        if points[at] == GAP:
            at += 1
            continue
        point, end = reference.next_written(plain, points, at)
        units = reference.encoded(plain, point)
        lack = {"problem": "", "source": ""} if units is not None else _lack(asked, plain, point, (at, end))
        yield {"start": at, "end": end, "units": hex_bytes(units or b""), **lack}
        at = end


def _lack(asked: Form, plain: Form, point: int, span: tuple[int, int]) -> dict[str, str]:
    fault = Fault("unrepresentable", asked.name, *span, b"", point, "text")
    return {"problem": str(fault), "source": source_of_lack(plain, point)}


def answer_encode(request: dict[str, Any]) -> dict[str, Any]:
    """Write text as a lenient program would, so that what is ill-formed can be examined."""
    asked, points = form_of(request), request["points"]
    plain, mark = reference.signed(asked)
    data, end, lenient, lacking, at = bytearray(mark), len(mark), 0, 0, 0
    problems: list[dict[str, str]] = []
    while at < len(points):
        first, (point, at) = at, reference.next_written(plain, points, at)
        units = reference.encoded(plain, point)
        if units is None:
            units = reference.encoded_surrogate(plain, point)
            lenient += units is not None
            lacking += units is None
            problems += [_lack(asked, plain, point, (first, at))] if len(problems) < LIMITS["faults"] else []
        data += units or b""
        end = len(data) if len(data) <= LIMITS["bytes"] else end
    return {"bytes": data[:end].hex().upper(), "cut": end < len(data), "lenient": lenient, "lacking": lacking,
            "problems": problems, "form": plain.name}  # fmt: skip


def answer_name(request: dict[str, Any]) -> dict[str, Any]:
    """Return the name of each code point."""
    return {
        "points": [{"name": character_name(each), "character": shown_character(each)} for each in request["points"]]
    }


__all__ = ["GAP", "answer_encode", "answer_name", "answer_write"]
