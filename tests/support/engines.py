"""Every engine of this installation side by side in one process: the core if there is one, the lane, the reference.

The reference's verbs and passes are those of the lane, which is closed while they run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple

import pytest

import eightfold
from eightfold import buffers, cutting, lane, measuring, pieces, text
from eightfold._engine import CORE, ENGINE
from eightfold.stream import checker, converter, decoder, encoder

Functions = Mapping[str, Callable[..., Any]]
VERBS: Functions = {**text.TWINS, **measuring.TWINS, **cutting.TWINS, **buffers.TWINS}
"""The reference implementation of each verb that the core has too."""


class Engine(NamedTuple):
    """The verbs and the passes of an engine, by name."""

    name: str
    verbs: Functions
    passes: Functions


@contextmanager
def the_lane(*, is_open: bool) -> Iterator[None]:
    before, lane.on = lane.on, is_open
    try:
        yield
    finally:
        lane.on = before


def _with_the_lane(function: Callable[..., Any], *, is_open: bool) -> Callable[..., Any]:
    @wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        with the_lane(is_open=is_open):
            result = function(*given, **named)
            return list(result) if isinstance(result, Iterator) else result

    return called


def _of_python(name: str, *, lane_is_open: bool) -> Engine:
    verbs, passes = (
        {name: _with_the_lane(function, is_open=lane_is_open) for name, function in twins.items()}
        for twins in (VERBS, pieces.TWINS)
    )
    return Engine(name, verbs, passes)


def _of_the_core() -> Iterator[Engine]:
    if CORE is not None:
        verbs = {name: getattr(eightfold, name, getattr(cutting, name, None)) for name in VERBS}
        yield Engine("native", verbs, {name: getattr(pieces, name) for name in pieces.TWINS})
        # Use the short path for a piece if there is one, above, and the general one.
        yield Engine("native, general", {}, {name: getattr(CORE, name) for name in pieces.TWINS})


def run_streams_on(engine: Engine, patch: pytest.MonkeyPatch) -> None:
    """Make the coders of `stream` call the passes of an engine."""
    for module in (checker, converter, decoder, encoder):
        for name in engine.passes.keys() & vars(module).keys():
            patch.setattr(module, name, engine.passes[name])


REFERENCE = _of_python("reference", lane_is_open=False)
PYTHON = _of_python("python", lane_is_open=True)
WITH_PYTHON = ENGINE != "native" or "EIGHTFOLD_SIMD" not in os.environ
"""Whether the engine `python` is compared: with a chosen instruction set, only the core is under test."""
FAST = (*_of_the_core(), *(PYTHON,) * WITH_PYTHON)
"""All engines that are compared with the reference."""
COMPARED = ENGINE != "reference"
"""Whether engines are compared here: not if the reference is the chosen engine."""
