"""Where the results of a command go that writes files: standard output, `-o`, or in place."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass

from eightfold.cli.options.arguments import CommandParser, place_argument
from eightfold.cli.options.reading_options import ReadingOptions
from eightfold.cli.options.selection import SelectionOptions
from eightfold.files.path_text import shown
from eightfold.files.paths.addresses import TEMPORARY

STANDARD_OUTPUT = "-"


@dataclass
class DestinationOptions(SelectionOptions, ReadingOptions):
    """What the options of :func:`add_destination` say; the options of a command that has them inherit these."""

    output: str = STANDARD_OUTPUT
    in_place: bool = False
    backup: str = ""

    def reading_as(self, form: str) -> str:
        """Return what reads a file in a form: an option, or another command where this one cannot."""
        return f"-f {form}"


def add_destination(parser: CommandParser, otherwise: str = "standard output") -> None:
    """Add the options for where the results go; without any of them that is ``otherwise``."""
    parser.add_argument(
        *("-o", "--output"),
        type=place_argument,
        metavar="OUT",
        help=f"write to this file; if PATH is a folder or several files, to this folder (default: {otherwise})",
    )
    parser.add_argument("--in-place", action="store_true", help="replace each file with its result")
    parser.add_argument(
        "--backup",
        type=suffix_argument,
        metavar="SUFFIX",
        help="with --in-place: keep the old file under its name plus SUFFIX",
    )


def suffix_argument(given: str) -> str:
    """Return the suffix for a name.

    Raises:
        argparse.ArgumentTypeError: the name would be the same, or lead elsewhere.
    """
    if not given:
        raise argparse.ArgumentTypeError("the suffix is empty: a backup needs another name")
    if os.sep in given:
        raise argparse.ArgumentTypeError(f"takes a suffix, not the path {shown(given)}")
    if given.endswith(TEMPORARY):
        raise argparse.ArgumentTypeError(f"{shown(given)} is the end of temporary files, which are not read")
    return given
