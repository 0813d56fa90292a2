"""Check that all engines return or raise the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

import eightfold
from support import outcomes
from support.engines import PYTHON, REFERENCE, WITH_PYTHON, run_streams_on

outcome = partial(outcomes.outcome, shown=outcomes.everything)


def same(name: str, *given: Any) -> Any:
    """Return the outcome of a verb, the same on all engines."""
    found, expected = outcome(getattr(eightfold, name), *given), outcome(REFERENCE.verbs[name], *given)
    assert bool(found == expected), ascii((name, *given, found, expected))
    if eightfold.ENGINE == "native" and WITH_PYTHON:
        beside = outcome(PYTHON.verbs[name], *given)
        assert bool(beside == expected), ascii(("python", name, *given, beside, expected))
    return found


@contextmanager
def reference_streams() -> Iterator[None]:
    """Make the coders of `stream` run on the reference."""
    with pytest.MonkeyPatch.context() as patch:
        run_streams_on(REFERENCE, patch)
        yield
