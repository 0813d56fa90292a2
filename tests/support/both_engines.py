"""What a verb gives or raises, and whether all engines give or raise the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import eightfold
from eightfold import stream
from support.engines import PYTHON, REFERENCE, WITH_PYTHON


def outcome(verb: Callable[..., Any], *given: Any) -> Any:
    """Return what a verb gives, or all there is to say about what it raises."""
    try:
        result = verb(*given)
    except UnicodeError as error:
        facts = ("encoding", "object", "start", "end", "reason", "source", "target")
        said = {name: getattr(error, name, None) for name in facts}
        return type(error), str(error), said, getattr(error, "fault", None)
    except (LookupError, ValueError, TypeError, RuntimeError) as error:
        return type(error), str(error)
    return result if isinstance(result, (str, bytes, bool, dict)) else list(result)


def same(name: str, *given: Any) -> Any:
    """Return what all engines give for a verb."""
    found, expected = outcome(getattr(eightfold, name), *given), outcome(REFERENCE.verbs[name], *given)
    assert bool(found == expected), ascii((name, *given, found, expected))
    if eightfold.ENGINE == "native" and WITH_PYTHON:
        beside = outcome(PYTHON.verbs[name], *given)
        assert bool(beside == expected), ascii(("python", name, *given, beside, expected))
    return found


@contextmanager
def reference_streams() -> Iterator[None]:
    """Have the coders of `stream` run on the reference."""
    names = REFERENCE.passes.keys() & vars(stream).keys()
    kept = {name: getattr(stream, name) for name in names}
    try:
        for name in names:
            setattr(stream, name, REFERENCE.passes[name])
        yield
    finally:
        for name in names:
            setattr(stream, name, kept[name])
