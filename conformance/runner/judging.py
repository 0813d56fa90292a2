"""Whether an answer is right: by the rule of the vector, and by the rule of positions where one was given.

What is not asked, because the program does not support it, is never counted as passed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from .program import Answer, Broken, printable
from .vectors import Vector

Outcome = Literal["passed", "failed", "broken", "not asked"]
OUTCOMES: tuple[Outcome, ...] = ("passed", "failed", "broken", "not asked")
POSITION = "position"
HEX = re.compile("[0-9A-Fa-f ]+")
NUMBER = re.compile("[0-9A-Fa-f]+")


class Verdict(NamedTuple):
    """What a vector says of one rule: the outcome, and the answer in words."""

    rule: str
    outcome: Outcome
    got: str = ""


def judge(vector: Vector, answer: Answer) -> Iterator[Verdict]:
    """Yield the verdict on the vector's rule, and on the position of an error.

    Raises:
        Broken: the answer is of no known shape.
    """
    rule, expected = vector["rule"], vector["expect"]
    if _is_unsupported(answer):
        yield Verdict(rule, "not asked")
        if "error" in expected:
            yield Verdict(POSITION, "not asked")
        return
    key, told = _content(answer)
    got = shown(answer)
    if key not in expected:
        yield Verdict(rule, "failed", got)
    elif key == "error":
        yield Verdict(rule, "passed")
        yield _position(expected["error"], told, got)
    else:
        yield Verdict(rule, "passed" if _agree(key, expected[key], told) else "failed", got)


def _is_unsupported(answer: Answer) -> bool:
    return answer.get("unsupported") is True or isinstance(answer.get("unsupported"), str)


def _position(expected: list[int], told: list[int], got: str) -> Verdict:
    common = min(len(expected), len(told))
    if not common:
        return Verdict(POSITION, "not asked")
    return Verdict(POSITION, "passed" if expected[:common] == told[:common] else "failed", got)


def _agree(key: str, expected: Any, told: Any) -> bool:
    if key != "faults":
        return bool(numbers(expected) == told) if key == "code_points" else bool(bytes.fromhex(expected) == told)
    if len(expected) != len(told):
        return False
    return all(_same_fault(one, other) for one, other in zip(expected, told, strict=True))


def _same_fault(expected: list[Any], told: list[Any]) -> bool:
    meant = told[3:4] and [told[3] and _number(told[3])]
    return told[:3] == expected[: len(told[:3])] and meant in ([], [expected[3] and _number(expected[3])])


def numbers(text: str) -> list[int]:
    """Return code points written in hexadecimal with single spaces between.

    Raises:
        ValueError: there is anything but ASCII hexadecimal digits between the spaces.

    >>> numbers("41 1F4A9"), numbers("")
    ([65, 128169], [])
    """
    return [_number(point) for point in text.split(" ")] if text != "" else []


def _number(text: str) -> int:
    if not NUMBER.fullmatch(text):
        raise ValueError
    return int(text, 16)


def _content(answer: Answer) -> tuple[str, Any]:
    """Return the one thing that an answer tells, with its value read."""
    keys = [key for key in ("code_points", "bytes", "error", "faults") if key in answer]
    try:
        if len(keys) == 1:
            return keys[0], _READ[keys[0]](answer[keys[0]])
    except (ValueError, TypeError, AttributeError):
        pass
    raise Broken(f"not an answer: {shown(answer)}")


def _spans(told: Any) -> list[int]:
    if not (isinstance(told, list) and len(told) <= 2 and all(type(each) is int and each >= 0 for each in told)):
        raise ValueError
    return told


def _faults(told: Any) -> list[list[Any]]:
    if not isinstance(told, list):
        raise ValueError
    if not all(isinstance(each, list) and 2 <= len(each) <= 4 and _spans(each[:2]) for each in told):
        raise ValueError
    for each in told:
        _number(each[3]) if each[3:4] not in ([], [None]) else 0
    return told


_READ = {"code_points": numbers, "bytes": bytes.fromhex, "error": _spans, "faults": _faults}


def shown(answer: Answer) -> str:
    """Return an answer in words.

    >>> shown({"error": [0, 1]}), shown({"code_points": "41 d800"}), shown({"bytes": ""})
    ('error at 0-1', '41 D800', 'nothing')
    """
    if "error" in answer:
        told = answer["error"]
        return printable(f"error at {_listed(told, '-')}") if isinstance(told, list) and told else "error"
    for key in ("code_points", "bytes"):
        if key in answer:
            said = "nothing" if answer[key] == "" else printable(answer[key])
            return said.upper() if HEX.fullmatch(said) else said
    faults = answer.get("faults")
    if isinstance(faults, list) and all(isinstance(each, list) for each in faults):
        return printable(", ".join(_listed(each, " ") for each in faults) or "no faults")
    return printable(answer)


def _listed(told: list[Any], between: str) -> str:
    return between.join(map(printable, told))
