"""What happens to escapes of unpaired surrogates in JSON: the options of the commands that check and repair."""

from __future__ import annotations

from dataclasses import dataclass, field

from eightfold.cli.options.arguments import CommandParser, OneOf
from eightfold.cli.options.json_files import DOCUMENTS, LINES, JsonFiles
from eightfold.cli.options.selection import file_glob_argument
from eightfold.cli.output.ending import UsageError
from eightfold.files.walk.globs import Pattern

REPORT, REPAIR, OFF = "report", "repair", "off"


@dataclass
class EscapeOptions:
    """What the options of :func:`add_escapes` say; the options of a command that has them inherit these."""

    escapes: str = REPORT
    escapes_in: list[Pattern] = field(default_factory=list)

    @property
    def json_files(self) -> JsonFiles | None:
        """The files that are searched for such escapes; None for none."""
        return None if self.escapes == OFF else JsonFiles(tuple(self.escapes_in))

    def check_escapes(self) -> None:
        """Refuse options that contradict each other.

        Raises:
            UsageError: they do.
        """
        if self.escapes == OFF and self.escapes_in:
            raise UsageError("--escapes off and --escapes-in cannot be combined")


def add_escapes(parser: CommandParser, *, repairs: bool) -> None:
    """Add the options for escapes of unpaired surrogates, to a command that can repair them or not."""
    ways = (REPORT, REPAIR, OFF) if repairs else (REPORT, OFF)
    report = "report (count them, the default), repair (replace them)" if repairs else "report (the default)"
    parser.add_argument(
        "--escapes",
        type=OneOf(ways),
        metavar="WHAT",
        help=f"what to do with escapes of unpaired surrogates in JSON: {report} or off (ignore them)",
    )
    endings = " ".join(f"*{ending}" for ending in (*DOCUMENTS, *LINES))
    parser.add_argument(
        "--escapes-in",
        action="append",
        type=file_glob_argument,
        metavar="GLOB",
        help=f"also search files that match for such escapes, besides {endings}; '*' includes standard input; "
        "'!GLOB' excludes files (repeatable)",
    )
