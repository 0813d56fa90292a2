"""The option `--mojibake`, which needs the extra of the same name."""

from __future__ import annotations

from eightfold.cli.options.arguments import CommandParser
from eightfold.cli.options.extras import need_extra


def add_mojibake(parser: CommandParser, purpose: str) -> None:
    """Add the option, and say what it does here."""
    parser.add_argument("--mojibake", action="store_true", help=f"{purpose}; needs ftfy (extra mojibake)")


def need_mojibake() -> None:
    """Refuse the option if the extra is missing.

    Raises:
        UsageError: it is, with the command that installs it.
    """
    need_extra("--mojibake", "ftfy", "mojibake")
