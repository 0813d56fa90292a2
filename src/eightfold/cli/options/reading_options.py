"""The options of all commands that read files: how they are read, and whether progress is shown."""

from __future__ import annotations

from dataclasses import dataclass

from eightfold.cli.options.arguments import CommandParser


@dataclass
class ReadingOptions:
    """What the options of :func:`add_reading` say; the options of a command that has them inherit these.

    Attributes:
        form_is_given: whether there was a `-f`: without it a file that looks like another form is not read as UTF-8.
    """

    form_is_given: bool = False
    no_compression: bool = False
    no_progress: bool = False

    @property
    def unpack(self) -> bool:
        """Whether compressed files are decompressed."""
        return not self.no_compression


def add_reading(parser: CommandParser) -> None:
    """Add the options for reading files."""
    parser.add_argument(
        "--no-compression",
        action="store_true",
        help="do not decompress .gz, .bz2, .xz and .zst files",
    )
    parser.add_argument(
        "--no-progress",
        action="store_true",
        help="do not show a progress bar",
    )
