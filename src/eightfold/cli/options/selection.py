"""Which files of a folder a command takes: the options of all commands that walk folders."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass, field

from eightfold.cli.options.arguments import CommandParser
from eightfold.cli.options.configuration import Configurations, add_configuration
from eightfold.cli.options.files_from import LIST_EMPTY, NamingOptions
from eightfold.cli.output.lines import excluded_by, say
from eightfold.files.walk.globs import Pattern, globs, of_files
from eightfold.files.walk.walking import Selection


@dataclass
class SelectionOptions(NamingOptions):
    """What the options of :func:`add_selection` say; the options of a command that has them inherit these."""

    include: list[Pattern] = field(default_factory=list)
    exclude: list[Pattern] = field(default_factory=list)
    no_ignore: bool = False
    binary: bool = False
    force_exclude: bool = False
    configurations: Configurations = field(default_factory=Configurations)

    @property
    def selection(self) -> Selection:
        """The files that are selected in a folder."""
        return Selection(
            tuple(self.include),
            tuple(self.exclude),
            ignore=not self.no_ignore,
            rules=self.configurations,
            force_exclude=self.force_exclude,
        )

    @property
    def selecting(self) -> list[str]:
        """The options that were given to select files."""
        flags = {
            "--include": self.include,
            "--exclude": self.exclude,
            "--no-ignore": self.no_ignore,
            "--binary": self.binary,
            "--force-exclude": self.force_exclude,
            "--config": self.configurations.file,
        }
        return [flag for flag, given in flags.items() if given]


def say_nothing_read(options: SelectionOptions, *, binary: int = 0) -> None:
    """Warn that no file was read, so that the result means nothing.

    Args:
        options: hold the selection.
        binary: how many binary files were left alone.
    """
    if options.lists_nothing:
        say(f"warning: {LIST_EMPTY}")
        return
    flags = {
        "--include": bool(options.include),
        "--exclude": bool(options.exclude),
        "--no-ignore": not options.no_ignore and _may_ignore(options),
        "--binary": bool(binary),
        "--no-config": bool(options.configurations.excluded),
    }
    say(f"warning: no file was read; see {', '.join(flag for flag, counts in flags.items() if counts) or 'the PATHs'}")


def _may_ignore(options: SelectionOptions) -> bool:
    """Return whether there are files that may be ignored: there are none where all folders are empty."""
    return bool(options.files_from) or any(files for path in options.paths for _, _, files in os.walk(path))


def say_excluded(options: SelectionOptions) -> None:
    """Report how much configurations have excluded."""
    if excluded := excluded_by(options.configurations.excluded):
        say(excluded)


def add_selection(parser: CommandParser) -> None:
    """Add the options that select files in a folder. A path given on the command line is always read."""
    parser.add_argument(
        "--include",
        action="append",
        type=file_glob_argument,
        metavar="GLOB",
        help="in a folder, read only files that match: a .gitignore pattern, relative to the folder (repeatable)",
    )
    parser.add_argument(
        "--exclude",
        action="append",
        type=glob_argument,
        metavar="GLOB",
        help="in a folder, skip files and folders that match (repeatable)",
    )
    parser.add_argument(
        "--no-ignore", action="store_true", help="read files that .gitignore files ignore, and those in .git"
    )
    parser.add_argument(
        "--binary",
        action="store_true",
        help="in a folder, read binary files too: those with a NUL near the start, if the form has 8-bit units and "
        "is not mutf-8",
    )
    parser.add_argument(
        "--force-exclude",
        action="store_true",
        help="skip what --exclude or the configuration excludes, even if it is given as PATH (for hooks)",
    )
    add_configuration(parser)


def glob_argument(given: str) -> Pattern:
    """Return a pattern.

    Raises:
        argparse.ArgumentTypeError: it is empty, or a comment.
    """
    found = globs([given])
    if not found:
        raise argparse.ArgumentTypeError(f"{given!r} is not a pattern")
    return found[0]


def file_glob_argument(given: str) -> Pattern:
    """Return a pattern of files; see :func:`eightfold.files.walk.globs.of_files`.

    Raises:
        argparse.ArgumentTypeError: it is empty, or a comment.
    """
    return of_files(glob_argument(given))
