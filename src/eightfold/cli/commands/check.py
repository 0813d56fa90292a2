"""`eightfold check`: every place where files are ill-formed, as a line, or in a format for programs.

The check of one file is in :mod:`eightfold.cli.work.checking`, which other processes can import without this.
"""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from eightfold.cli.options.arguments import (
    CommandParser,
    OneOf,
    add_form,
    add_jobs,
    add_paths,
    count_argument,
    end_named,
    end_or_auto,
    file_argument,
    mapped,
)
from eightfold.cli.options.destination import STANDARD_OUTPUT
from eightfold.cli.options.escapes import EscapeOptions, add_escapes
from eightfold.cli.options.files_from import add_files_from
from eightfold.cli.options.mojibake import add_mojibake, need_mojibake
from eightfold.cli.options.reading_options import ReadingOptions, add_reading
from eightfold.cli.options.runner import add_runner, refuse_others, tell_not_selected
from eightfold.cli.options.selection import SelectionOptions, add_selection, file_glob_argument, say_nothing_read
from eightfold.cli.options.setting import Setting, Switch
from eightfold.cli.output.ending import FAULTS, NOTHING_WRONG, WRONG_USE_OR_FILE, UsageError
from eightfold.cli.output.lines import results_in, say
from eightfold.cli.output.reports import FORMATS, TABLES, report_as
from eightfold.cli.output.reports.findings import Summary
from eightfold.cli.work.checking import FileCheck, Task
from eightfold.cli.work.inputs import found_files, needing_more, tell_foreign
from eightfold.cli.work.watching import watched
from eightfold.files import FileError
from eightfold.files.parallel.threads import allowed, processors
from eightfold.files.path_text import shown
from eightfold.files.read.reading import STANDARD_INPUT, is_read_from
from eightfold.files.walk.globs import Pattern
from eightfold.files.walk.trees import Trees, can_walk
from eightfold.files.walk.walking import Found, Walking, walked
from eightfold.files.write.writing import check_not_output, leads_to_standard_output
from eightfold.forms import Form
from eightfold.forms.utf_8 import UTF_8
from eightfold.reference import signed

if TYPE_CHECKING:
    from eightfold.cli.work.datasets.pieces import Piece


@dataclass
class Options(SelectionOptions, EscapeOptions, ReadingOptions):
    """The options of `check`; `form` is None for auto, `jobs` 0 for one per processor."""

    form: Form | None = UTF_8
    form_map: list[tuple[Pattern, str | None]] = field(default_factory=list)
    output_format: str = "text"
    output_file: str = STANDARD_OUTPUT
    statistics: bool = False
    max_faults: int | None = None
    context: bool = False
    jobs: int = 0
    strict: bool = False
    show_settings: bool = False
    mojibake: bool = False
    runner: str = ""

    @property
    def task(self) -> Task:
        """The options for every file."""
        return Task(
            form=None if self.form is None else self.form.name,
            form_is_given=self.form_is_given,
            form_map=tuple(self.form_map),
            binary=self.binary,
            max_faults=0 if self.statistics and self.max_faults is None else self.max_faults,
            context=self.context,
            unpack=self.unpack,
            escapes=self.json_files,
            strict=self.strict,
            mojibake=self.mojibake,
            tables=self.output_format in TABLES,
        )


_DESCRIPTION = """\
Find every place where files are ill-formed. Each gets one line:

  PATH:LINE:COLUMN: kind: sentence

Lines end at U+000A. Line and column count from 1, and the column counts bytes.
In a folder, files that .gitignore files ignore and binary files are skipped, and
the binary ones counted; symbolic links are not followed. A path given on the
command line is always checked. A file that looks like UTF-16 or UTF-32 is one
error, and the rest of it is not checked unless -f or --form-map gives its form.
In JSON, an escape of an unpaired surrogate (\\ud83d alone), which other
readers refuse, is a warning. In a Parquet or Arrow IPC file given as PATH (needs
the extra arrow), strings are checked: PATH: COLUMN[ROW]: kind: sentence.
Exit status 0: no faults; 1: faults; 2: wrong use or unreadable files."""
_EXAMPLES = [
    ("eightfold check notes.txt", "is it UTF-8, and if not, where and why?"),
    ("eightfold check --context notes.txt", "show the lines, with the ill-formed bytes marked"),
    ("eightfold check -f wtf-8 --statistics names/", "count the faults of each kind in a folder"),
    (
        "eightfold check --exclude vendor/ --form-map '*.class=mutf-8' .",
        "skip a folder, and choose a form by file name",
    ),
    ("eightfold check --output-format sarif --output-file faults.sarif .", "write a file for CI"),
    (
        "curl -s https://example.org | eightfold check --output-format json",
        "check standard input, with results for a program",
    ),
    ("eightfold check --runner local events/", "check a dataset of Parquet files on all processors"),
    ("eightfold check --strict requests.jsonl", "will every JSON reader accept each line?"),
    (
        "eightfold check -f corrected-utf-8 --strict letter.txt",
        "apply the rules for documents too, and count warnings",
    ),
]


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "check",
        "[OPTIONS] [PATH ...]",
        _DESCRIPTION,
        _EXAMPLES,
    )
    add_paths(command)
    add_files_from(command)
    add_form(command, foreign=True)
    command.add_argument(
        "--form-map",
        action="append",
        type=form_map_argument,
        metavar="GLOB=FORM",
        help="the form of files that match, such as '*.class=mutf-8'; the last match wins (repeatable)",
    )
    add_escapes(command, repairs=False)
    add_mojibake(command, "also warn of UTF-8 that was read in a legacy charset and encoded again")
    add_selection(command)
    add_reading(command)
    command.add_argument(
        "--output-format",
        type=OneOf(FORMATS),
        action=Setting,
        metavar="FORMAT",
        help=f"{', '.join(FORMATS)} (default: text)",
    )
    command.add_argument(
        "--output-file",
        type=file_argument,
        metavar="FILE",
        help="write the results to this file, whole or not at all; - for standard output",
    )
    command.add_argument(
        "--context", action="store_true", help="show the line of each fault, with the faulty bytes marked"
    )
    command.add_argument(
        "--statistics",
        action="store_true",
        help="count the faults of each kind, by file, by form and in total, instead of listing them",
    )
    command.add_argument(
        "--max-faults",
        type=count_argument,
        metavar="N",
        help="show at most N faults per file (default: all; with --statistics: none); all are counted",
    )
    add_jobs(command, "check", "one per processor, as 0; with --files-from 1")
    add_runner(command, "check")
    command.add_argument(
        "--strict",
        action=Switch,
        help="make warnings errors, and exit with status 1 if no file was read",
    )
    command.add_argument(
        "--show-settings",
        action="store_true",
        help="show the settings for the first PATH (default: the current folder), and where each comes from, and exit",
    )
    return command


def form_map_argument(given: str) -> tuple[Pattern, str | None]:
    """Return a pattern and the name of the form of what matches it, None for ``auto``.

    Raises:
        argparse.ArgumentTypeError: it is not of that format.
    """
    glob, _, name = given.rpartition("=")
    if not glob:
        raise argparse.ArgumentTypeError(f"{given!r} is not GLOB=FORM, such as '*.class=mutf-8'")
    found = end_or_auto(name)
    return mapped(file_glob_argument(glob), glob), None if found is None else found.name


def run(options: Options) -> int:
    """Check the files; return the exit status."""
    if options.show_settings:
        options.check_naming()
        if options.files_from:
            raise UsageError("--show-settings and --files-from cannot be combined: give the PATH")
        from eightfold.cli.options.settings import put_settings

        put_settings(options)
        return NOTHING_WRONG
    if leads_to_standard_output(options.output_file):
        options.output_file = STANDARD_OUTPUT
    _check(options)
    _settle(options)
    results = nullcontext() if options.output_file == STANDARD_OUTPUT else results_in(options.output_file)
    with watched(options, None if options.files_from else options.paths, options.selection), results:
        summary = _checked(options)
    if not summary.files:
        say_nothing_read(options, binary=summary.binary)
    if summary.unreadable:
        return WRONG_USE_OR_FILE
    tally = summary.tally
    warned = tally.warnings or not summary.files
    return FAULTS if tally.errors or (options.strict and warned) else NOTHING_WRONG


def _check(options: Options) -> None:
    """Refuse what cannot be combined, or lacks something, before anything is read."""
    options.check_naming()
    options.check_escapes()
    if options.context and options.statistics and not options.max_faults:
        raise UsageError("--context shows the lines of faults, and --statistics lists none without --max-faults")
    if options.runner:
        from eightfold.cli.work.datasets.runners import need

        refuse_others(options, "form_map", "context")
        need(options.runner)
        tell_not_selected(options)
    if options.mojibake:
        need_mojibake()
        if options.form_is_given and options.form is not None and signed(options.form)[0] is not UTF_8:
            raise UsageError(f"--mojibake is found in utf-8, not in {options.form.name}")
    tell_foreign(options.form, *(end_named(name) for _, name in options.form_map if name))
    for path in (options.files_from, options.configurations.file, *(options.paths if options.runner else ())):
        _check_output_file(options, path)
    if options.output_file == STANDARD_OUTPUT:
        for path in (options.files_from,) if options.files_from else options.paths or (STANDARD_INPUT,):
            check_not_output(path)


def _settle(options: Options) -> None:
    """Replace the options that a configuration sets, and choose how many processes there are."""
    for name in ("strict", "jobs", "output_format"):
        setattr(options, name, options.configurations.setting(name, getattr(options, name)))
    # Other processes are given batches of files: the first file of a slow list would wait until a batch is full.
    alone = bool(options.files_from) and "jobs" not in options.configurations.given
    options.jobs = allowed(options.jobs or (1 if alone else processors()))


def _checked(options: Options) -> Summary:
    report = report_as(options.output_format, statistics=options.statistics)
    check = FileCheck(options.task, report, options.jobs)
    report.begin()
    if options.runner:
        _check_datasets(check, options)
    elif options.jobs == 1:
        for met in _met(options, check):
            check.take(met)
    else:
        _check_at_once(check, options)
    report.summary.excluded = options.configurations.excluded
    report.end()
    return report.summary


def _check_datasets(check: FileCheck, options: Options) -> None:
    from eightfold.cli.work.datasets.checking import MOST_FAULTS, Checking, report_on
    from eightfold.cli.work.datasets.runners import results

    most = 0 if options.statistics else MOST_FAULTS
    most = most if options.max_faults is None else options.max_faults
    task = options.task._replace(max_faults=most, escapes=None)
    pieces = _pieces(check, options)
    json_files = options.json_files
    found = (Found(piece.path, piece.path.encode("utf-8", "surrogateescape"), True) for piece in pieces)
    if json_files and any(json_files.lines_of(each, unpack=options.unpack) is not None for each in found):
        say("escapes in JSON are not looked for in datasets (--escapes off)")
    if pieces:
        report_on(results(options.runner, Checking(task), pieces, options.jobs), check.report, most)


def _pieces(check: FileCheck, options: Options) -> list[Piece]:
    """Return the pieces of the datasets; one that cannot be taken whole is reported like a file that cannot be read."""
    from eightfold.cli.work.datasets.pieces import pieces_of

    pieces: list[Piece] = []
    for root in options.paths:
        try:
            pieces += pieces_of([root], options.form or UTF_8, unpack=options.unpack)
        except FileError as error:
            check.take(error)
    return pieces


def _check_at_once(check: FileCheck, options: Options) -> None:
    from eightfold.cli.work.schedule import at_once

    with closing(at_once(options.jobs, options.task, check, _met(options, check))) as turns:
        for turn in turns:
            turn()


def _met(options: Options, check: FileCheck) -> Iterator[Found | FileError]:
    """Yield the files that the paths name, and, in order, folders that cannot be listed; what needs no check passes."""
    errors: deque[FileError] = deque()
    walking = _walking(options, check)
    for found in found_files(options.named(errors.append), errors.append, options.selection, walking):
        while errors:
            yield errors.popleft()
        if not found.walked:
            _check_output_file(options, found.path)
        if (left := needing_more(found, walking)) is not None:
            yield left
    yield from errors


def _check_output_file(options: Options, given: str) -> None:
    """Refuse to write the results over a file that was given to be read."""
    if options.output_file != STANDARD_OUTPUT and given and is_read_from(given, options.output_file):
        raise UsageError(f"--output-file {shown(options.output_file)} is an input: choose another file")


def _walking(options: Options, check: FileCheck) -> Walking:
    if check.report.lists_all or not can_walk():
        return walked
    examination, names = options.task.examination, options.configurations.names
    return Trees(examination, check.pass_over, options.jobs, names)
