"""The only place that chooses the engine: the compiled core, or Python with a fast lane, or the bare reference.

The core is the engine where it is there, else Python. `EIGHTFOLD_ENGINE` forces one. A core that is there but broken
raises: it is never passed over.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from types import ModuleType
from typing import Literal

_REQUESTED = os.environ.get("EIGHTFOLD_ENGINE", "")
if _REQUESTED not in ("", "native", "python", "reference"):
    raise ImportError(f"EIGHTFOLD_ENGINE is 'native', 'python' or 'reference', not {_REQUESTED!r}")

_CORE_IS_BUILT = importlib.util.find_spec("eightfold._native") is not None
if _REQUESTED == "native" and not _CORE_IS_BUILT:
    raise ImportError("EIGHTFOLD_ENGINE=native, but this installation has no compiled core")


def _loaded() -> ModuleType:
    try:
        return importlib.import_module("eightfold._native")
    except ImportError as error:
        raise ImportError(
            f"the compiled core cannot be loaded here ({error}): EIGHTFOLD_ENGINE=python does without it"
        ) from error


CORE = _loaded() if _CORE_IS_BUILT and _REQUESTED in ("", "native") else None
"""The compiled core, or None where another engine is at work."""

ENGINE: Literal["native", "python", "reference"] = (
    "native" if CORE is not None else "reference" if _REQUESTED == "reference" else "python"
)
"""The engine at work: ``native``, ``python`` or ``reference``."""
