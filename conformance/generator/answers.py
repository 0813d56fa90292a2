"""The right answer to each operation, by the reference, as the line protocol writes it.

A machine may depart from the tables at chosen places: that is how :mod:`generator.mutants` plants faults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from eightfold import reference
from eightfold.reference import Decoded

Answer = dict[str, Any]
REPLACEMENT = 0xFFFD


class Machine(NamedTuple):
    """Tables to work by, other tables to use where ``departs`` holds, and a last word on each step.

    Attributes:
        form: a Form, or anything with the attributes that the reference reads.
        mark: the signature before every input, which is no part of the text.
        other: the tables to use where ``departs(data, at)`` holds; for encoding ``data`` is the list of code points.
        amend: returns the step to take instead of the one given.
        amend_fault: returns the end of a fault instead of the one given.
    """

    form: Any
    mark: bytes = b""
    other: Any = None
    departs: Callable[[Any, int], bool] = lambda data, at: True
    amend: Callable[[bytes, int, Decoded], Decoded] | None = None
    amend_fault: Callable[[bytes, int, int], int] | None = None

    def tables(self, data: Any, at: int) -> Any:
        """Return the tables that hold at a place."""
        return self.form if self.other is None or not self.departs(data, at) else self.other


def shown(points: list[int]) -> str:
    """Return code points as the protocol writes them.

    >>> shown([0x41, 0x1F4A9])
    '41 1F4A9'
    """
    return " ".join(f"{point:X}" for point in points)


def _steps(machine: Machine, data: bytes) -> Iterator[tuple[int, int, int | None]]:
    at = len(machine.mark)
    while at < len(data):
        step = reference.sequence_at(machine.tables(data, at), data, at)
        assert step is not None
        if machine.amend:
            step = machine.amend(data, at, step)
        yield at, step.end, step.code_point
        at = max(step.end, at + 1)


def decode(machine: Machine, data: bytes) -> Answer:
    """Return the code points, or the span of the first ill-formed decoding unit."""
    points = []
    for start, end, point in _steps(machine, data):
        if point is None:
            return {"error": [start, end]}
        points.append(point)
    return {"code_points": shown(points)}


def replace(machine: Machine, data: bytes) -> Answer:
    """Return the code points, with U+FFFD for each ill-formed decoding unit."""
    return {"code_points": shown([REPLACEMENT if point is None else point for _, _, point in _steps(machine, data)])}


def faults(machine: Machine, data: bytes) -> Answer:
    """Return each fault: its span, its kind and the code point meant, or null."""
    found, at = [], len(machine.mark)
    while at < len(data):
        tables = machine.tables(data, at)
        step = reference.sequence_at(tables, data, at)
        assert step is not None
        end = step.end
        if step.code_point is None:
            fault = reference.fault_at(tables, data, at)
            assert fault is not None
            end = machine.amend_fault(data, at, fault.end) if machine.amend_fault else fault.end
            meant = None if fault.code_point is None else f"{fault.code_point:X}"
            found.append([at, end, fault.kind, meant])
        at = max(end, at + 1)
    return {"faults": found}


def encode(machine: Machine, points: list[int]) -> Answer:
    """Return the bytes, or the index of the first code point that cannot be encoded."""
    parts, at = [machine.mark], 0
    while at < len(points):
        tables = machine.tables(points, at)
        point, end = reference.next_written(tables, points, at)
        part = reference.encoded(tables, point)
        if part is None:
            return {"error": [at]}
        parts.append(part)
        at = end
    return {"bytes": b"".join(parts).hex().upper()}


ANSWERS: dict[str, Callable[[Machine, Any], Answer]] = {
    "decode": decode,
    "replace": replace,
    "faults": faults,
    "encode": encode,
    "decode-stream": replace,
    "encode-stream": encode,
}
"""The operations. A stream's answer is that of the whole, however it is cut."""
