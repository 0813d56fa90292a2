"""The only place that knows whether there is a compiled core: it chooses the engine, and binds what both have.

The engine is the core, or Python with a fast lane, or the bare reference: the core where it is there, else Python.
`EIGHTFOLD_ENGINE` forces one. A core that is there but broken raises: it is never passed over. So does one whose facts
are not those of the package: see :func:`compare`.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any, Literal, TypeVar

_Twin = TypeVar("_Twin", bound=Callable[..., Any])
_Choice = TypeVar("_Choice")

_REQUESTED = os.environ.get("EIGHTFOLD_ENGINE", "")
if _REQUESTED not in ("", "native", "python", "reference"):
    raise ImportError(f"EIGHTFOLD_ENGINE is 'native', 'python' or 'reference', not {_REQUESTED!r}")

_NAME = "eightfold._native"
CORE_IS_BUILT: bool = importlib.util.find_spec(_NAME) is not None
"""Whether this installation has a compiled core, whichever engine is at work."""
if _REQUESTED == "native" and not CORE_IS_BUILT:
    raise ImportError("EIGHTFOLD_ENGINE=native, but this installation has no compiled core")


def imported_core() -> ModuleType:
    """Return the compiled core, whichever engine is at work; what its import raises is raised as it is."""
    return importlib.import_module(_NAME)


def _loaded() -> ModuleType:
    try:
        return imported_core()
    except ImportError as error:
        raise ImportError(
            f"the compiled core cannot be loaded here ({error}): EIGHTFOLD_ENGINE=python does without it"
        ) from error


CORE = _loaded() if CORE_IS_BUILT and _REQUESTED in ("", "native") else None
"""The compiled core, or None where another engine is at work."""

ENGINE: Literal["native", "python", "reference"] = (
    "native" if CORE is not None else "reference" if _REQUESTED == "reference" else "python"
)
"""The engine at work: ``native``, ``python`` or ``reference``."""


_TWINS: dict[str, dict[str, Callable[..., Any]]] = {}


def bind(twin: _Twin) -> _Twin:
    """Return what runs under the name of a function or class: the core's where the core is at work, else this one.

    A decorator of what the core has under the same name. Its functions are not wrapped, as a frame of Python costs more
    than a short text: they only get the words of their twins, and the module.
    """
    _TWINS.setdefault(twin.__module__, {})[twin.__name__] = twin
    if CORE is None:
        return twin
    bound: _Twin = getattr(CORE, twin.__name__)
    return bound if isinstance(bound, type) else CORE.documented(bound, twin)


def twins_of(module: str) -> dict[str, Callable[..., Any]]:
    """Return what of a module was bound, by name, as it is written there: without the core, whichever is at work."""
    return _TWINS[module]


def choose(with_core: _Choice, without: _Choice) -> _Choice:
    """Return the first where the core is at work, else the second: two ways to the same, each the faster one there."""
    return without if CORE is None else with_core


def compare(**facts: object) -> None:
    """Compare what the package knows with what the core knows under the same names, where the core is at work.

    Raises:
        ImportError: they differ: the core was built from another version.
    """
    for name, fact in facts.items() if CORE is not None else ():
        theirs = getattr(CORE, name, None)
        if theirs != fact:
            raise ImportError(
                f"the compiled core is of another version: its {name} is {theirs!r}, not {fact!r}; "
                "install eightfold anew, or set EIGHTFOLD_ENGINE=python to go on without it"
            )
