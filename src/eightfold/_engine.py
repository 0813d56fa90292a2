"""The only place that chooses between the compiled core and the reference.

`EIGHTFOLD_ENGINE=reference` forces the reference. A core that is there but broken raises: it is never passed over.
"""

from __future__ import annotations

import importlib.util
import os

_REQUESTED = os.environ.get("EIGHTFOLD_ENGINE", "")
if _REQUESTED not in ("", "native", "reference"):
    raise ImportError(f"EIGHTFOLD_ENGINE is 'native' or 'reference', not {_REQUESTED!r}")

_CORE_IS_BUILT = importlib.util.find_spec("eightfold._native") is not None
if _REQUESTED == "native" and not _CORE_IS_BUILT:
    raise ImportError("EIGHTFOLD_ENGINE=native, but this installation has no compiled core")

ENGINE = "native" if _CORE_IS_BUILT and _REQUESTED != "reference" else "reference"
"""The engine at work: ``native`` or ``reference``."""
