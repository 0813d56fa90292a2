"""Chooses the engine, and binds each function to it. No other module knows whether there is a compiled core.

There are three engines: the core (``native``), Python with a fast lane (``python``), and the bare reference
(``reference``). The default is the core if it is installed, else Python; `EIGHTFOLD_ENGINE` forces one. A core that is
installed but broken raises an ImportError and is never skipped; so does a core whose facts differ from those of the
package: see :func:`compare`.
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
"""Whether this installation has a compiled core, whichever engine is active."""
if _REQUESTED == "native" and not CORE_IS_BUILT:
    raise ImportError("EIGHTFOLD_ENGINE=native, but this installation has no compiled core")


def imported_core() -> ModuleType:
    """Return the compiled core, whichever engine is active; exceptions of its import pass unchanged."""
    return importlib.import_module(_NAME)


def _loaded() -> ModuleType:
    try:
        return imported_core()
    except ImportError as error:
        raise ImportError(
            f"the compiled core cannot be loaded ({error}); set EIGHTFOLD_ENGINE=python to run without it"
        ) from error


CORE = _loaded() if CORE_IS_BUILT and _REQUESTED in ("", "native") else None
"""The compiled core, or None if another engine is active."""

ENGINE: Literal["native", "python", "reference"] = (
    "native" if CORE is not None else "reference" if _REQUESTED == "reference" else "python"
)
"""The active engine: ``native``, ``python`` or ``reference``."""


_TWINS: dict[str, dict[str, Callable[..., Any]]] = {}


def bind(twin: _Twin) -> _Twin:
    """Return the core's function or class of the same name if the core is active, else this one.

    A decorator for everything that the core implements too. It does not wrap the core's functions, because a Python
    frame costs more than a short text; it only gives them the docstring and module of their twins.
    """
    _TWINS.setdefault(twin.__module__, {})[twin.__name__] = twin
    if CORE is None:
        return twin
    bound: _Twin = getattr(CORE, twin.__name__)
    return bound if isinstance(bound, type) else CORE.documented(bound, twin)


def twins_of(module: str) -> dict[str, Callable[..., Any]]:
    """Return the bound functions and classes of a module by name, as written in Python, whichever engine is active."""
    return _TWINS[module]


def choose(with_core: _Choice, without: _Choice) -> _Choice:
    """Return the first if the core is active, else the second: equivalent code, each faster with its engine."""
    return without if CORE is None else with_core


def only_in_core(name: str) -> Any:
    """Return what the core alone has, as it may not on every system; None where it is not to be had or not active."""
    return getattr(CORE, name, None)


def compare(**facts: object) -> None:
    """Compare facts of the package with those of the core under the same names, if the core is active.

    Raises:
        ImportError: they differ, so the core was built from another version.
    """
    for name, fact in facts.items() if CORE is not None else ():
        theirs = getattr(CORE, name, None)
        if theirs != fact:
            raise ImportError(
                f"the compiled core is from another version: its {name} is {theirs!r}, not {fact!r}; "
                "reinstall eightfold, or set EIGHTFOLD_ENGINE=python to run without the core"
            )
