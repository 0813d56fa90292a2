"""Checks one file and reports it.

Not here: which files there are, and how they are reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

from eightfold.cli.options.arguments import end_named
from eightfold.cli.options.json_files import JsonFiles
from eightfold.cli.output.reports.findings import Checked, Context
from eightfold.cli.output.reports.report import Report
from eightfold.cli.work.inputs import byte_order_reported, identified
from eightfold.cli.work.likeness import (
    PAIRED,
    OtherForm,
    Pairs,
    heads_of_others,
    is_binary,
    may_be_binary,
    other_form,
    table_hint,
    with_fewest_faults,
)
from eightfold.faults import ESCAPED_SURROGATE
from eightfold.files import FileError, blaming
from eightfold.files.path_text import shown
from eightfold.files.read.reading import READ, Source, opened
from eightfold.files.read.scanning import DOCUMENT, faults_in, first_faults_in
from eightfold.files.read.tables import table_kind
from eightfold.files.walk.globs import Pattern
from eightfold.files.walk.trees import Examination, Passed, can_examine
from eightfold.files.walk.walking import Found
from eightfold.forms import Form
from eightfold.forms.utf_8 import UTF_8
from eightfold.reference import signed
from eightfold.stream import Located

if TYPE_CHECKING:
    from eightfold.files.read.escapes import JsonReading


class Task(NamedTuple):
    """The options for every file. Forms are named, since a form itself cannot be sent to another process.

    Attributes:
        form: the form that files are in; None to identify it.
        form_is_given: whether the user gave it; by default a file may look like another form.
        form_map: patterns, each with the form of the files that match; the last match wins.
        binary: whether binary files found in a folder are checked too.
        max_faults: how many faults of a file are reported; None for all.
        context: whether the line of each fault is reported.
        unpack: whether compressed files are decompressed.
        escapes: which files are searched for escapes of unpaired surrogates in JSON; None for none.
        strict: whether warnings are errors.
        mojibake: whether mojibake is reported too, in files of UTF-8.
        tables: whether the report can place faults of tables.
    """

    form: str | None = "utf-8"
    form_is_given: bool = False
    form_map: tuple[tuple[Pattern, str | None], ...] = ()
    binary: bool = False
    max_faults: int | None = None
    context: bool = False
    unpack: bool = True
    escapes: JsonFiles | None = None
    strict: bool = False
    mojibake: bool = False
    tables: bool = True

    def json_of(self, found: Found) -> JsonReading | None:
        """Return how escapes of unpaired surrogates are found in a file; None if it is not searched for them."""
        lines = None if self.escapes is None else self.escapes.lines_of(found, unpack=self.unpack)
        if lines is None:
            return None
        from eightfold.files.read.escapes import JsonReading

        return JsonReading(lines, "error" if self.strict else "warning")

    def check_table(self, path: str, kind: str, asked: Form) -> None:
        """Refuse what is not possible with tables.

        Raises:
            FileError: something that was asked for is not.
        """
        if not self.tables:
            raise FileError(path, f"{kind} has no lines: use --output-format text, json or jsonl")
        if asked.is_foreign or asked.unit_bits > 8:
            raise FileError(path, f"strings of {kind} cannot be checked as {asked.name}")

    def form_of(self, found: Found) -> tuple[Form | None, bool]:
        """Return the form of a file, or None to identify it; and whether it was asked for."""
        matching = (
            (name, True) for glob, name in reversed(self.form_map) if glob.matches(found.inside, is_folder=False)
        )
        name, is_given = next(matching, self._form_beside_map(found))
        return (None if name is None else end_named(name)), is_given

    def examination(self, ruled: str) -> Examination | None:
        """Return what the core looks for in files to which a configuration gives a form; None if it cannot do so."""
        name, is_given = self._form_beside_map(Found("", b"", True, ruled))
        found = None if name is None else end_named(name)
        if found is None or self.mojibake or not can_examine(found):
            return None
        return Examination(
            found,
            marks=heads_of_others(may_differ=not is_given),
            may_differ=not is_given,
            skips_binary=not self.binary and may_be_binary(found),
            escapes=self.escapes is not None,
            special=tuple(glob for glob, _ in self.form_map),
            unpack=self.unpack,
        )

    def _form_beside_map(self, found: Found) -> tuple[str | None, bool]:
        if self.form_is_given or not found.form:
            return self.form, self.form_is_given
        return (None if found.form == "auto" else found.form), True


class _Text(NamedTuple):
    """A source, the form that it is checked in, and whether mojibake and escapes in JSON are looked for in it."""

    source: Source
    form: Form
    json: JsonReading | None
    mojibake: bool
    threads: int

    def faults(self) -> Iterator[Located]:
        if self.mojibake:
            from eightfold.files.read.mojibake import faults_and_mojibake_in

            return faults_and_mojibake_in(self.source, self.form, self.json)
        if self.json is None:
            return faults_in(self.source, self.form, self.threads)
        from eightfold.files.read.json_scanning import faults_in_json

        return faults_in_json(self.source, self.form, self.json, self.threads)

    def first_faults(self, most: int) -> Iterator[Located | Counter[str]]:
        """Yield at most so many faults, and then how many more there are of each kind."""
        if self.json is None:
            return first_faults_in(self.source, self.form, most, self.threads)
        from eightfold.files.read.json_scanning import first_faults_in_json

        return first_faults_in_json(self.source, self.form, self.json, most, self.threads)


class FileCheck:
    """Checks files.

    Args:
        task: the options for every file.
        report: receives the results.
        threads: how many may scan one large file.
    """

    def __init__(self, task: Task, report: Report, threads: int = 1) -> None:
        self.report = report
        self._task = task
        self._threads = threads

    def pass_over(self, passed: Passed) -> None:
        """Count files that need no check."""
        READ.add(files=passed.clean + passed.binary, bytes=passed.bytes)
        self.report.summary.add_passed(clean=passed.clean, binary=passed.binary)

    def take(self, met: Found | FileError) -> None:
        """Check a file, or report a folder that cannot be listed."""
        if isinstance(met, Found):
            self.check(met)
            return
        folder = Checked(met.path)
        self._unreadable(folder, met)
        self.report.end_file(folder)

    def check(self, found: Found) -> None:
        """Check a file."""
        checked = Checked(found.path)
        asked, is_given = self._task.form_of(found)
        kind = "" if found.walked else table_kind(found.path)
        try:
            if kind:
                self._check_table(checked, found, kind, asked or UTF_8)
            elif not self._check_file(found, asked, checked, may_differ=not is_given):
                self.report.skip_binary(found.path)
                return
        except FileError as error:
            self._unreadable(checked, error)
        self.report.end_file(checked)

    def _check_file(self, found: Found, asked: Form | None, checked: Checked, *, may_differ: bool) -> bool:
        """Check a file that is not a table; return whether it was checked, as a binary file in a folder is not.

        Raises:
            FileError: it cannot be read.
        """
        twice = asked is None or self._task.context
        with opened(found.way, twice=twice, unpack=self._task.unpack) as source:
            plain = asked or identified(source, self.report.tell)
            other = other_form(source, plain) if may_differ else None
            if other is None and found.walked and not self._task.binary and is_binary(source, plain):
                return False
            if hint := table_hint(source):
                self.report.tell(f"{shown(source.path)}: {hint}")
            self._begin(checked, plain.name)
            if other is None:
                with byte_order_reported(source, plain, self.report.tell):
                    self._check(self._text(source, plain, found), checked)
            else:
                self._tell_other(checked, other)
                checked.size = source.length or 0
        return True

    def _text(self, source: Source, plain: Form, found: Found) -> _Text:
        """Return what to check of a source; what is asked for but cannot be looked for in its form is reported."""
        json, mojibake = self._task.json_of(found), self._task.mojibake
        if json is not None and plain.is_foreign:
            self.report.tell(f"{shown(source.path)}: escapes in JSON are not looked for in {plain.name}")
            json = None
        if mojibake and signed(plain)[0] is not UTF_8:
            self.report.tell(f"{shown(source.path)}: mojibake is not looked for in {plain.name}")
            mojibake = False
        return _Text(source, plain, json, mojibake, self._threads)

    def _check_table(self, checked: Checked, found: Found, kind: str, asked: Form) -> None:
        """Check the strings of a table.

        Raises:
            FileError: it is malformed, or something that was asked for is not possible with tables.
        """
        path = checked.path
        self._task.check_table(path, kind, asked)
        if self._task.json_of(found) is not None:
            self.report.tell(f"{shown(path)}: escapes in JSON are not looked for in {kind}")
        if self._task.mojibake:
            self.report.tell(f"{shown(path)}: mojibake is not looked for in {kind}")
        with ExitStack() as stack:
            with blaming(path):  # not around what follows, which writes to standard output
                file = stack.enter_context(open(path, "rb"))
            from eightfold.columns.table_files import reading

            with reading(path, kind, file) as reader:
                from eightfold.cli.work.tables import first_cells_in

                self._begin(checked, asked.name)
                for cell in first_cells_in(path, reader, asked, self._task.max_faults):
                    if isinstance(cell, Counter):
                        checked.hide(cell)
                    else:
                        checked.tally.count(cell)
                        self.report.cell(path, cell)

    def _unreadable(self, checked: Checked, error: FileError) -> None:
        self.report.tell(str(error))
        checked.error = error.reason
        if not checked.form:
            self._begin(checked, "")

    def _begin(self, checked: Checked, name: str) -> None:
        checked.form = name
        self.report.begin_file(checked.path, name)

    def _check(self, text: _Text, checked: Checked) -> None:
        limit = self._task.max_faults
        if limit is None or text.form.name == DOCUMENT or text.mojibake:
            pairs = self._tell(text, text.faults(), checked)
        else:
            pairs = self._tell(text, text.first_faults(limit), checked)
        checked.size = text.source.passed
        if not pairs.form and checked.hidden and text.source.seekable and PAIRED.intersection(checked.tally.kinds):
            text.source.rewind()
            pairs = Pairs()
            pairs.look_in(faults_in(text.source, text.form))
        self._note_likeness(text.source, pairs.form, checked)

    def _tell(self, text: _Text, faults: Iterator[Located | Counter[str]], checked: Checked) -> Pairs:
        """Report the faults of a file up to the limit, and count the others; return what was seen of pairs."""
        limit, strict = self._task.max_faults, self._task.strict
        shows, count, report = self._shows(text.source, text.form), checked.tally.count, self.report.fault
        pairs = Pairs()
        for found in faults:
            if isinstance(found, Counter):
                checked.hide(found, 0 if strict else found[ESCAPED_SURROGATE])
                continue
            if strict:
                found = found._replace(fault=found.fault.as_error())
            count(found)
            if found[0].kind in PAIRED:
                pairs.see(found.fault)
            if limit is not None and checked.tally.faults > limit:
                checked.hidden += 1
            else:
                report(checked.path, found, shows and shows(found))
        return pairs

    def _note_likeness(self, source: Source, name: str, checked: Checked) -> None:
        """Note the form that the pairs of a file suggest, if it has fewer faults in it or cannot be read again."""
        count = checked.tally.faults - checked.tally.kinds.get(ESCAPED_SURROGATE, 0)
        if name:
            checked.looks_like = with_fewest_faults(source, name, count) if source.seekable else name

    def _tell_other(self, checked: Checked, other: OtherForm) -> None:
        """Report a file in another form, which is its only fault."""
        found = Located(other, 1, 1)
        checked.tally.count(found)
        if self._task.max_faults == 0:
            checked.hidden += 1
        else:
            self.report.fault(checked.path, found, None)

    def _shows(self, source: Source, asked: Form) -> Callable[[Located], Context | None] | None:
        if not self._task.context:
            return None
        from eightfold.cli.output.context import CharsetLines, Lines

        return (CharsetLines if asked.is_foreign else Lines)(source, asked).around
