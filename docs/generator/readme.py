"""The tables of the README, between their marks."""

from __future__ import annotations

import re
from pathlib import Path

from docs.generator.summaries import family_table

README = Path(__file__).parents[2] / "README.md"


def files() -> dict[str, str]:
    """Return the README with its tables as the forms give them."""
    return {"README.md": filled(README.read_text(encoding="utf-8"), "forms", family_table())}


def filled(text: str, mark: str, between: str) -> str:
    """Return a page with new text between two marks.

    Raises:
        ValueError: the marks are not there exactly once.
    """
    first, last = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
    if text.count(first) != 1 or text.count(last) != 1:
        raise ValueError(f"{first} and {last} must each occur once")
    return re.sub(
        rf"{re.escape(first)}.*{re.escape(last)}", lambda _: f"{first}\n\n{between}\n\n{last}", text, flags=re.S
    )
