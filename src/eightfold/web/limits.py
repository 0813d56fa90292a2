"""The limits of questions and answers."""

from __future__ import annotations

from collections.abc import Mapping

from eightfold.web import own_forms

LIMITS: Mapping[str, int] = {
    "bytes": 65536 + 256,
    "points": 16384,
    "points_beside": 128,
    "rows": 256,
    "faults": 100,
    "bytes_for_peers": 64,
    "bytes_shown": 4096,
    "own_rows": own_forms.MOST_ROWS,
    "own_units": own_forms.MOST_UNITS,
}
"""How much a question may hold, and an answer give; the 256 bytes above 64 KiB end a sequence that is cut there."""

__all__ = ["LIMITS"]
