"""What axe-core finds wrong with a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).parents[1] / "node_modules" / "axe-core" / "axe.min.js"


IMPACTS = ("minor", "moderate", "serious", "critical")
SERIOUS = IMPACTS[2:]


def violations(page: Page, impacts: Sequence[str] = IMPACTS) -> list[tuple[str, str, str]]:
    """Return each violation with the element and what is wrong with it, the first three elements of a rule."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        (each["id"], str(node["target"]), node["failureSummary"])
        for each in found["violations"]
        if each["impact"] in impacts
        for node in each["nodes"][:3]
    ]
