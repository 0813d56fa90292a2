"""What stops the work on one file: the line that reports where and why, and what happens to the file."""

from __future__ import annotations

from eightfold.cli.output.colour import Part, Styled
from eightfold.cli.output.lines import placed, point, say
from eightfold.faults import Fault
from eightfold.files.read.places import place_of
from eightfold.files.read.reading import Source
from eightfold.forms import Form


class StoppedError(Exception):
    """Work on one file cannot continue; the next file can follow.

    Attributes:
        line: where and why.
        advice: what to do; empty if nothing is known to help.
    """

    def __init__(self, line: tuple[Part, ...], advice: str = "") -> None:
        super().__init__(line)
        self.line = line
        self.advice = advice

    def tell(self, outcome: str) -> None:
        """Print the line, and what happens to the file."""
        point(*self.line)
        say(f"{outcome}; {self.advice}" if self.advice else outcome)


def fault_line(source: Source, form: Form, fault: Fault) -> tuple[Part, ...]:
    """Return the line about a fault of a file."""
    return line_at(source, form, fault.start, (Styled(fault.kind, "error"), f": {fault}"))


def line_at(source: Source, form: Form, offset: int, sentence: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return a line about an offset of a file."""
    return *placed(source.path, place_of(source, form, offset)), *sentence, f", at byte {offset}"
