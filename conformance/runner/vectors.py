"""The vectors, read from their files."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "vectors"
Vector = dict[str, Any]


def manifest(folder: Path = FOLDER) -> dict[str, Any]:
    """Return the version of the vectors and the list of their files."""
    listed: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return listed


def read(forms: list[str], operations: list[str], folder: Path = FOLDER) -> list[Vector]:
    """Return the vectors of some forms and operations; none named is all. A form may be a pattern, as `utf-16*`.

    Raises:
        LookupError: no form has that name.
    """
    chosen: dict[str, Any] = {}
    listed = manifest(folder)["forms"]
    for pattern in forms or ["*"]:
        found = {name: each for name, each in listed.items() if fnmatchcase(name, pattern)}
        if not found:
            raise LookupError(f"no vectors for the form {pattern!r}; there are {', '.join(listed)}")
        chosen |= found
    vectors = []
    for each in chosen.values():
        lines = (folder / each["file"]).read_text(encoding="utf-8").splitlines()
        vectors += [vector for vector in map(json.loads, lines) if not operations or vector["op"] in operations]
    return vectors
