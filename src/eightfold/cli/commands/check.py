"""`eightfold check`: every place at which files are ill-formed, as a line, or in a format for programs.

What is done with one file is in :mod:`eightfold.cli.work.checking`, so that other processes can do it without this.
"""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field

from eightfold.cli.options.arguments import (
    UTF_8,
    CommandParser,
    OneOf,
    add_form,
    add_jobs,
    add_paths,
    count_argument,
    form_or_auto,
)
from eightfold.cli.options.reading_options import ReadingOptions, add_reading
from eightfold.cli.options.selection import SelectionOptions, add_selection, glob_argument, say_nothing_read
from eightfold.cli.output.ending import FAULTS, NOTHING_WRONG, WRONG_USE_OR_FILE
from eightfold.cli.output.lines import results_in
from eightfold.cli.output.reports import FORMATS, report_as
from eightfold.cli.output.reports.findings import Summary
from eightfold.cli.work.checking import FileCheck, Task
from eightfold.cli.work.inputs import found_files
from eightfold.cli.work.watching import watched
from eightfold.files import FileError
from eightfold.files.walk.globs import Pattern
from eightfold.files.walk.walking import Found
from eightfold.forms import Form


@dataclass
class Options(SelectionOptions, ReadingOptions):
    """What `check` is asked to do; `form` is None for auto."""

    paths: Sequence[str] = ()
    form: Form | None = UTF_8
    form_map: list[tuple[Pattern, str | None]] = field(default_factory=list)
    output_format: str = "text"
    output_file: str = ""
    statistics: bool = False
    max_faults: int | None = None
    context: bool = False
    jobs: int = 1
    strict: bool = False

    @property
    def task(self) -> Task:
        """What is asked of every file."""
        shown = 0 if self.statistics and self.max_faults is None else self.max_faults
        name = None if self.form is None else self.form.name
        return Task(name, self.form_is_given, tuple(self.form_map), self.binary, shown, self.context, self.unpack)


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "check",
        "[OPTIONS] [PATH ...]",
        "Find every place at which files are ill-formed. One line for each:\n\n"
        "  PATH:LINE:COLUMN: kind: sentence\n\n"
        "Lines end at U+000A, and both numbers count from 1, the column in bytes.\n"
        "Of a folder all files are checked but those that .gitignore files ignore, and\n"
        "binary ones, which are counted; symbolic links in it are not followed. A path\n"
        "that is given is always checked. A file that looks like UTF-16 or UTF-32 is one\n"
        "error, and nothing else in it is checked, unless -f or --form-map gives its form.\n"
        "Exit status 0: nothing wrong; 1: faults; 2: wrong use or unreadable files.",
        [
            ("eightfold check notes.txt", "is it UTF-8, and if not, where and why?"),
            ("eightfold check --context notes.txt", "with the lines, and the bytes in them marked"),
            ("eightfold check -f wtf-8 --statistics names/", "a whole folder: how many faults of each kind"),
            ("eightfold check --exclude vendor/ --form-map '*.class=mutf-8' .", "other files, other forms"),
            (
                "eightfold check -j 0 --output-format sarif --output-file faults.sarif .",
                "all processors, a file for CI",
            ),
            ("curl -s https://example.org | eightfold check --output-format json", "standard input, for a program"),
            ("eightfold check -f corrected-utf-8 --strict letter.txt", "the rules on documents too, warnings count"),
        ],
    )
    add_paths(command)
    add_form(command)
    command.add_argument(
        "--form-map",
        action="append",
        type=form_map_argument,
        metavar="GLOB=FORM",
        help="the form of files that match, as '*.class=mutf-8'; the last that matches decides (repeatable)",
    )
    add_selection(command)
    add_reading(command)
    command.add_argument(
        "--output-format", type=OneOf(FORMATS), metavar="FORMAT", help=f"{', '.join(FORMATS)} (default: text)"
    )
    command.add_argument("--output-file", metavar="FILE", help="write the results to this file, whole or not at all")
    command.add_argument("--context", action="store_true", help="show the line of each fault with its bytes marked")
    command.add_argument(
        "--statistics",
        action="store_true",
        help="how many faults there are of each kind, by file, by form and in all, in place of the faults",
    )
    command.add_argument(
        "--max-faults",
        type=count_argument,
        metavar="N",
        help="show at most N faults of each file (default: all, with --statistics none); all are counted",
    )
    add_jobs(command, "check")
    command.add_argument(
        "--strict",
        action="store_true",
        help="warnings make the exit status 1 too, and so does it when no file was read",
    )
    return command


def form_map_argument(given: str) -> tuple[Pattern, str | None]:
    """Return a pattern and the name of the form of what matches it, None for ``auto``.

    Raises:
        argparse.ArgumentTypeError: it has no such parts.
    """
    glob, _, name = given.rpartition("=")
    if not glob:
        raise argparse.ArgumentTypeError(f"{given!r} is not GLOB=FORM, as '*.class=mutf-8' is")
    found = form_or_auto(name)
    return glob_argument(glob), None if found is None else found.name


def run(options: Options) -> int:
    """Check the files; return the exit status."""
    results = results_in(options.output_file) if options.output_file else nullcontext()
    with watched(options, options.paths, options.selection), results:
        summary = _checked(options)
    if not summary.files:
        say_nothing_read(options, binary=summary.binary)
    if summary.unreadable:
        return WRONG_USE_OR_FILE
    tally = summary.tally
    warned = tally.warnings or not summary.files
    return FAULTS if tally.errors or (options.strict and warned) else NOTHING_WRONG


def _checked(options: Options) -> Summary:
    report = report_as(options.output_format, statistics=options.statistics)
    check = FileCheck(options.task, report, options.jobs)
    report.begin()
    if options.jobs == 1:
        for met in _met(options):
            check.take(met)
    else:
        _check_at_once(check, options)
    report.end()
    return report.summary


def _check_at_once(check: FileCheck, options: Options) -> None:
    from eightfold.cli.work.schedule import at_once

    with closing(at_once(options.jobs, options.task, check, _met(options))) as turns:
        for turn in turns:
            turn()


def _met(options: Options) -> Iterator[Found | FileError]:
    """Yield what the paths stand for: files, and in their place folders that cannot be listed."""
    errors: deque[FileError] = deque()
    for found in found_files(options.paths, errors.append, options.selection):
        while errors:
            yield errors.popleft()
        yield found
    yield from errors
