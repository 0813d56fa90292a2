"""Bytes repaired, and the ways back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from eightfold import repair
from eightfold.faults import ConversionError
from eightfold.forms import Form
from eightfold.text import convert
from eightfold.web.answers import NoAnswerError, form_of
from eightfold.web.limits import LIMITS


def answer_repair(request: dict[str, Any]) -> dict[str, Any]:
    """Return some changes of a repair, its result, and where each way back leads."""
    asked, data, errors = form_of(request), request["bytes"], request["errors"]
    try:
        plan = repair.plan(data, asked, errors)
    except (ConversionError, ValueError) as error:
        raise NoAnswerError(str(error)) from error
    result = plan.apply(data)
    first = request["skip"]
    shown = LIMITS["bytes_shown"]
    return {
        "changes": [{**each.as_dict(), "lossy": each.lossy} for each in plan.changes[first : first + request["limit"]]],
        "count": len(plan.changes),
        "lossy": plan.lossy_count,
        "result": result[:shown].hex().upper(),
        "result_length": len(result),
        "result_sha256": plan.result_sha256,
        "original_sha256": plan.original_sha256,
        "ways": list(_ways_back(plan, data, result, asked)),
    }


def _ways_back(plan: repair.Plan, data: bytes, result: bytes, asked: Form) -> Iterator[dict[str, Any]]:
    """Go every way back from the result, and yield whether it led to the original."""
    yield _way("undo the plan", lambda: plan.undo(result), data)
    yield _way(f"write it in {asked.name} again", lambda: convert(result, "utf-8", asked), data)
    yield _way("read U+EF80 to U+EFFF as bytes (XTF-8)", lambda: convert(result, "utf-8", "xtf-8", "escape"), data)


def _way(way: str, go: Callable[[], bytes], data: bytes) -> dict[str, Any]:
    try:
        back = go()
    except (UnicodeError, repair.PlanError) as error:
        return {"way": way, "exact": False, "sha256": "", "why": str(error)}
    same = back == data
    at = next((at for at, (one, other) in enumerate(zip(back, data, strict=False)) if one != other), None)
    differs = f"differs from byte {at} on" if at is not None else f"{len(back)} bytes instead of {len(data)}"
    return {"way": way, "exact": same, "sha256": hashlib.sha256(back).hexdigest(), "why": "" if same else differs}


__all__ = ["answer_repair"]
