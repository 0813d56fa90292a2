"""`eightfold check`: every place at which files are ill-formed, as a line or as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from eightfold.cli.arguments import UTF_8, CommandParser, add_form, add_paths, count_argument, one_of
from eightfold.cli.ending import FAULTS, NOTHING_WRONG, WRONG_USE_OR_FILE
from eightfold.cli.inputs import files_of, identified
from eightfold.cli.lines import say
from eightfold.cli.reports import FORMATS, Checked, Summary, report
from eightfold.files import FileError
from eightfold.files.reading import Source, opened
from eightfold.forms import Form
from eightfold.stream import Checker, Located


@dataclass
class Options:
    """What `check` is asked to do; `form` is None for auto."""

    paths: list[str] | tuple[str, ...] = ()
    form: Form | None = UTF_8
    output_format: str = "text"
    statistics: bool = False
    max_faults: int | None = None
    strict: bool = False


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "check",
        "[OPTIONS] [PATH ...]",
        "Find every place at which files are ill-formed. One line for each:\n\n"
        "  PATH:LINE:COLUMN: kind: sentence\n\n"
        "Lines end at U+000A, and both numbers count from 1, the column in bytes.\n"
        "Exit status 0: nothing wrong; 1: faults; 2: wrong use or unreadable files.",
        [
            ("eightfold check notes.txt", "is it UTF-8, and if not, where and why?"),
            ("eightfold check -f wtf-8 --statistics names/", "a whole folder, and how many faults of each kind"),
            ("curl -s https://example.org | eightfold check --output-format json", "standard input, for a program"),
            ("eightfold check -f corrected-utf-8 --strict letter.txt", "the rules on documents too, warnings count"),
        ],
    )
    add_paths(command)
    add_form(command)
    command.add_argument(
        "--output-format", type=one_of(FORMATS), metavar="FORMAT", help=f"{' or '.join(FORMATS)} (default: text)"
    )
    command.add_argument(
        "--statistics", action="store_true", help="end with how many faults there are of each kind (JSON always does)"
    )
    command.add_argument(
        "--max-faults", type=count_argument, metavar="N", help="show at most N faults of each file; all are counted"
    )
    command.add_argument("--strict", action="store_true", help="warnings make the exit status 1 too")
    return command


def run(options: Options) -> int:
    """Check the files; return the exit status."""
    return _Check(options).run()


class _Check:
    def __init__(self, options: Options) -> None:
        self._options = options
        self._report = report(options.output_format, statistics=options.statistics)
        self._summary = Summary()

    def run(self) -> int:
        self._report.begin()
        for path in files_of(self._options.paths, self._unlisted):
            self._check_file(path)
        self._report.end(self._summary)
        return self._status()

    def _status(self) -> int:
        if self._summary.unreadable:
            return WRONG_USE_OR_FILE
        tally = self._summary.tally
        return FAULTS if tally.errors or (self._options.strict and tally.warnings) else NOTHING_WRONG

    def _check_file(self, path: str) -> None:
        checked = Checked(path)
        try:
            with opened(path, twice=self._options.form is None) as source:
                form = self._options.form or identified(source)
                self._begin(checked, form.name)
                self._find_faults(source, form, checked)
        except FileError as error:
            self._unreadable(checked, error)
        self._end(checked)

    def _find_faults(self, source: Source, form: Form, checked: Checked) -> None:
        checker = checker_of(form)
        for chunk, final in source.pieces():
            for found in checker.check(chunk, final):
                self._fault(checked, found)

    def _fault(self, checked: Checked, found: Located) -> None:
        for tally in (checked.tally, self._summary.tally):
            tally.count(found)
        limit = self._options.max_faults
        if limit is not None and checked.tally.faults > limit:
            checked.hidden += 1
        else:
            self._report.fault(checked.path, found)

    def _begin(self, checked: Checked, form: str) -> None:
        checked.form = form
        self._report.begin_file(checked.path, form)

    def _end(self, checked: Checked) -> None:
        self._report.end_file(checked)
        self._summary.add(checked)

    def _unreadable(self, checked: Checked, error: FileError) -> None:
        say(str(error))
        checked.error = error.reason
        if not checked.form:
            self._begin(checked, "")

    def _unlisted(self, error: FileError) -> None:
        folder = Checked(error.path)
        self._unreadable(folder, error)
        self._end(folder)


class FaultFinder(Protocol):
    """Finds the faults of a file piece by piece."""

    def check(self, chunk: bytes, final: bool = False) -> list[Located]:
        """Return the faults that are certain now, with their places in the whole file."""


def checker_of(form: Form) -> FaultFinder:
    """Return what finds the faults of a file: its form's, and those of a document where the form has rules on them."""
    if form.name == "corrected-utf-8-sig":
        from eightfold.corrected import Linter

        return Linter()
    return Checker(form)
