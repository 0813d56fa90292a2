"""The only place that chooses between the compiled core and the reference.

`EIGHTFOLD_ENGINE=reference` forces the reference. A core that is there but broken raises: it is never passed over.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from types import ModuleType

_REQUESTED = os.environ.get("EIGHTFOLD_ENGINE", "")
if _REQUESTED not in ("", "native", "reference"):
    raise ImportError(f"EIGHTFOLD_ENGINE is 'native' or 'reference', not {_REQUESTED!r}")

_CORE_IS_BUILT = importlib.util.find_spec("eightfold._native") is not None
if _REQUESTED == "native" and not _CORE_IS_BUILT:
    raise ImportError("EIGHTFOLD_ENGINE=native, but this installation has no compiled core")


def _loaded() -> ModuleType:
    try:
        return importlib.import_module("eightfold._native")
    except ImportError as error:
        raise ImportError(
            f"the compiled core cannot be loaded here ({error}): EIGHTFOLD_ENGINE=reference does without it"
        ) from error


CORE = _loaded() if _CORE_IS_BUILT and _REQUESTED != "reference" else None
"""The compiled core, or None where the reference is the engine."""

ENGINE = "reference" if CORE is None else "native"
"""The engine at work: ``native`` or ``reference``."""
