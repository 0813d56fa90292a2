"""What the package is."""

from __future__ import annotations

import platform
from typing import Any

from eightfold import repair
from eightfold._engine import ENGINE
from eightfold.faults import KINDS
from eightfold.forms import Form, forms
from eightfold.version import __version__
from eightfold.web.limits import LIMITS


def answer_about(request: dict[str, Any]) -> dict[str, Any]:
    """Return the version, the engine, the forms, the kinds of fault, the policies and the limits."""
    return {
        "version": __version__,
        "engine": ENGINE,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "forms": [_form_line(each) for each in forms()],
        "kinds": dict(KINDS),
        "policies": dict(repair.POLICIES),
        "limits": dict(LIMITS),
    }


def _form_line(each: Form) -> dict[str, Any]:
    return {"name": each.name, "note": each.note, "source": each.source, "unit_bits": each.unit_bits}


__all__ = ["answer_about"]
