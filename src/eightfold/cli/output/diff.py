"""`--diff`: what would change in a file, as a unified diff on standard output."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from eightfold.cli.output.colour import Styled
from eightfold.cli.output.lines import put
from eightfold.files.path_text import shown
from eightfold.files.write.difference import Difference
from eightfold.forms import Form

_ROLES = {"-": "error", "+": "good", "@": "place", "\\": "aside"}


class _Note(NamedTuple):
    """The first text about a line of the source, and how many there are."""

    line: int
    text: str
    number: int


class ShownDifference:
    """The difference of one file, shown as it comes.

    Args:
        path: the file.
        source, target: the form that it is in, and that of what would be written.
    """

    def __init__(self, path: str, source: Form, target: Form) -> None:
        self._path = path
        self._forms = (source, target)
        self._difference = Difference(source, target)
        self.differs: bool = False
        self._notes: deque[_Note] = deque()

    def note(self, line: int, text: str) -> None:
        """Show a text behind the heading of the hunk with this line of the source; of several texts, the first one.

        Lines are given in order.
        """
        if self._notes and self._notes[-1].line == line:
            text, number = self._notes.pop()[1:]
            self._notes.append(_Note(line, text, number + 1))
        else:
            self._notes.append(_Note(line, text, 1))

    def put(self, chunk: bytes, result: bytes, *, final: bool) -> None:
        """Go on over more of the file, and over more of its result."""
        for sign, text, end in self._difference.rows(chunk, result, final=final):
            if not self.differs:
                self._put_heading()
            line = f"{sign}{text}{self._noted(end) if end else ''}"
            put(Styled(line, _ROLES[sign]) if sign in _ROLES else line)

    def _noted(self, end: int) -> str:
        """Return what was noted of the lines before this one."""
        notes = []
        while self._notes and self._notes[0].line < end:
            notes.append(self._notes.popleft())
        if not notes:
            return ""
        others = sum(note.number for note in notes) - 1
        return f" {notes[0].text}{f' and {others} more' if others else ''}"

    def _put_heading(self) -> None:
        self.differs = True
        for sign, form in zip(("---", "+++"), self._forms, strict=True):
            put(Styled(f"{sign} {shown(self._path)}\t{form.name}", "title"))
