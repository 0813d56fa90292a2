"""Markdown as GitHub and MyST both read it: tables, code, and the head of a generated page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MADE_BY = "<!-- Made by: python -m docs.generator -->"


def page(*paragraphs: str) -> str:
    """Return a page: its title, the note on who made it, and the rest."""
    title, *others = filter(None, paragraphs)
    return "\n\n".join((title, MADE_BY, *others)) + "\n"


def table(titles: Sequence[str], lines: Iterable[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """Return a table; the columns in `right` are flush right."""
    rules = ["---:" if at in right else "---" for at in range(len(titles))]
    rows = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in [titles, rules, *rows])


def code(text: str) -> str:
    """Return text as code; nothing for no text."""
    return f"`{text}`" if text else ""


def linked_forms(names: Iterable[str], folder: str = "") -> str:
    """Return the names of forms, each a link to its page."""
    return ", ".join(f"[`{name}`]({folder}{name}.md)" for name in names)
