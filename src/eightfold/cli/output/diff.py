"""`--diff`: what would change in a file, as a unified diff on standard output."""

from __future__ import annotations

from eightfold.cli.output.colour import Styled
from eightfold.cli.output.lines import put
from eightfold.files.path_text import shown
from eightfold.files.write.difference import Difference
from eightfold.forms import Form

_ROLES = {"-": "error", "+": "good", "@": "place", "\\": "aside"}


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
        self._notes: dict[int, tuple[str, int]] = {}

    def note(self, line: int, text: str) -> None:
        """Show a text behind the heading of the hunk with this line of the source; of several texts, the first one."""
        first, count = self._notes.get(line, (text, 0))
        self._notes[line] = first, count + 1

    def put(self, chunk: bytes, result: bytes, *, final: bool) -> None:
        """Go on over more of the file, and over more of its result."""
        for sign, text, end in self._difference.rows(chunk, result, final=final):
            if not self.differs:
                self._put_heading()
            line = f"{sign}{text}{self._noted(end) if end else ''}"
            put(Styled(line, _ROLES[sign]) if sign in _ROLES else line)

    def _noted(self, end: int) -> str:
        """Return what was noted of the lines before this one."""
        notes = [self._notes.pop(line) for line in sorted(self._notes) if line < end]
        if not notes:
            return ""
        others = sum(count for _, count in notes) - 1
        return f" {notes[0][0]}{f' and {others} more' if others else ''}"

    def _put_heading(self) -> None:
        self.differs = True
        for sign, form in zip(("---", "+++"), self._forms, strict=True):
            put(Styled(f"{sign} {shown(self._path)}\t{form.name}", "title"))
