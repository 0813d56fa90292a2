"""Colour: whether a stream of the program shows it, and what text and tables look like in it.

rich draws it, and is imported only where colour is on; where it is off, or rich is not installed, text stays plain.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TextIO

from eightfold.cli.output.prose import columns

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

WHEN = ("auto", "always", "never")
_LOOKS = {
    "path": "bold",
    "place": "cyan",
    "error": "bold red",
    "warning": "yellow",
    "good": "green",
    "title": "bold",
    "form": "bold cyan",
    "payload": "bold green",
    "aside": "dim",
}
LINES_ONLY = ("dumb", "unknown")
"""The names of terminals that have no colour and cannot erase text."""

_when = "auto"


class Styled(NamedTuple):
    """Some text and its role: one of the names that have a style here."""

    text: str
    role: str


_INDENT = 4
_BETWEEN_COLUMNS = 3
"""How many columns of the terminal are between two of a table."""
Part = str | Styled
Cell = Sequence[Part]


def choose(when: str) -> None:
    """Say when colour is on: ``auto`` (where a terminal shows it), ``always`` or ``never``."""
    global _when
    _when = when


def verdict(stream: TextIO | None) -> tuple[bool, str]:
    """Return whether colour is wanted on a stream, and why; what the command line says goes before the environment.

    >>> import io
    >>> choose("never"); verdict(io.StringIO())
    (False, '--color never')
    >>> choose("auto")
    """
    if _when != "auto":
        return _when == "always", f"--color {_when}"
    for name, wanted in (("NO_COLOR", False), ("FORCE_COLOR", True)):
        if os.environ.get(name):
            return wanted, f"{name} is set"
    if stream is None or not stream.isatty():
        return False, "not a terminal"
    term = os.environ.get("TERM", "")
    return (False, f"TERM={term}") if term in LINES_ONLY else (True, "a terminal")


def is_on(stream: TextIO | None) -> bool:
    """Return whether colour is wanted on a stream, and can be had."""
    return verdict(stream)[0] and can_draw()


@cache
def can_draw() -> bool:
    """Return whether rich is installed and the system's terminals support its output."""
    try:
        import rich.style  # noqa: F401
    except ImportError:
        return False
    if os.name != "nt":
        return True
    from rich.console import detect_legacy_windows

    return not detect_legacy_windows()


def painted(stream: TextIO | None, parts: Iterable[Part]) -> str:
    """Return parts as one text for a stream, in colour where that is on.

    >>> import io
    >>> painted(io.StringIO(), [Styled("notes.txt", "path"), ":3"])
    'notes.txt:3'
    """
    given = tuple(parts)
    if any(isinstance(part, Styled) for part in given) and is_on(stream):
        return "".join(_paint(part) for part in given)
    return "".join(part.text if isinstance(part, Styled) else part for part in given)


def _paint(part: Part) -> str:
    from rich.style import Style

    return Style.parse(_LOOKS[part.role]).render(part.text) if isinstance(part, Styled) else part


def _for_rich(part: Part) -> str | tuple[str, str]:
    return (part.text, _LOOKS[part.role]) if isinstance(part, Styled) else part


def drawn_table(header: Sequence[str], rows: Iterable[Sequence[Cell]], right: int | None = None) -> str:
    """Return rows as a table as wide as the terminal at most, for standard output where colour is on.

    No word is broken: where the longest ones do not fit side by side, each row becomes a paragraph.

    Args:
        header: the titles of the columns.
        rows: the cells of each row, each a sequence of parts.
        right: the column that is flush right, if there is one.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(
        file=sys.stdout, force_terminal=True, color_system="standard", no_color=False, markup=False, highlight=False
    )
    if console.width == 0:  # COLUMNS is 0, which rich takes at its word.
        console.width = columns()
    lines = [[Text.assemble(*map(_for_rich, cell)) for cell in row] for row in rows]
    widths = _widths(list(zip(header, *([cell.plain for cell in line] for line in lines), strict=True)), console.width)
    if not widths:
        return _flowing(console, [[Text(title, _LOOKS["title"]) for title in header], *lines])
    table = Table(box=box.SIMPLE_HEAD, header_style=_LOOKS["title"], show_edge=False, pad_edge=False)
    for at, title in enumerate(header):
        table.add_column(title, justify="right" if at == right else "left", overflow="fold", width=widths[at])
    for line in lines:
        table.add_row(*line)
    with console.capture() as captured:
        console.print(table)
    return captured.get()


def _widths(columns: Sequence[Sequence[str]], most: int) -> list[int]:
    """Return the width of each column, at least that of its longest word; none at all if that is too much."""
    from rich.cells import cell_len

    natural = [max(map(cell_len, column)) for column in columns]
    widths = [max(cell_len(word) for cell in column for word in (*cell.split(), "")) for column in columns]
    room = most - _BETWEEN_COLUMNS * (len(columns) - 1) - sum(widths)
    if room < 0:
        return []
    wanting = sorted(range(len(columns)), key=lambda at: natural[at] - widths[at])
    for count, at in enumerate(wanting):
        more = min(natural[at] - widths[at], room // (len(wanting) - count))
        widths[at] += more
        room -= more
    return widths


def _flowing(console: Console, rows: Iterable[Sequence[Text]]) -> str:
    """Return rows as paragraphs, whose lines after the first are indented."""
    from rich.text import Text

    with console.capture() as captured:
        for row in rows:
            cells = Text("  ").join(cell for cell in row if cell.plain.strip())
            first, *others = cells.wrap(console, max(1, console.width - _INDENT))
            console.print(Text("\n" + " " * _INDENT).join([first, *others]), soft_wrap=True)
    return captured.get()
