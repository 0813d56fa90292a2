"""`repair` without a plan: shows the changes or a diff, or writes the results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import BinaryIO

from eightfold.cli.commands.repair.options import ESCAPE, Options
from eightfold.cli.commands.repair.runs import (
    WAYS_ROUND_LOSS,
    File,
    LossError,
    RepairedPiece,
    RepairRun,
)
from eightfold.cli.commands.repair.tables import TableFile
from eightfold.cli.options.destination import STANDARD_OUTPUT
from eightfold.cli.output.colour import Styled
from eightfold.cli.output.diff import ShownDifference
from eightfold.cli.output.ending import FAULTS, NOTHING_WRONG
from eightfold.cli.output.lines import counted, placed, put, say
from eightfold.cli.work.certifying import certificates, check_certificate_apart
from eightfold.cli.work.in_place import InPlace, UnchangedError
from eightfold.cli.work.jobs import Job, found, job_of, jobs
from eightfold.cli.work.replacing import Target
from eightfold.cli.work.sinks import before, sink
from eightfold.files import FileError
from eightfold.files.path_text import as_text, shown
from eightfold.files.read.tables import ENDING, kind_named
from eightfold.files.records.certificates import Certificate, Side
from eightfold.files.records.plan_files import TableDraft
from eightfold.files.walk.walking import walked
from eightfold.files.write.locks import held
from eightfold.files.write.verifying import Undoing
from eightfold.forms.utf_8 import UTF_8
from eightfold.repair import LOSSLESS


def show(options: Options) -> int:
    """Show the changes; return the exit status."""
    work = RepairRun(options)
    for file in found(options, work.failures.tell, walking=work.walking()):
        job = job_of(options, file, STANDARD_OUTPUT)
        work.do(job, _put_difference if options.diff else _put_changes, "the rest of the file is not shown")
    work.summarize(f"{work.changed} to repair")
    if work.changes:
        say("dry run: use -o, --in-place or --plan to write")
    if work.lossy and not options.lossy:
        mended = "--escapes repair" if options.escape_policy is not None else "mended mojibake"
        cause = mended if options.policy in LOSSLESS else options.policy
        say(f"{cause} cannot be undone without a plan: {WAYS_ROUND_LOSS}")
    return work.status(FAULTS if work.changes else NOTHING_WRONG)


def _put_changes(file: File | TableFile) -> None:
    if isinstance(file, TableFile):
        for cell in file.faults():
            role = cell.fault.severity
            place = Styled(shown(cell.place), "place")
            put(*placed(file.path, None), place, ": ", Styled(cell.fault.kind, role), f": {cell.fault}")
        return
    for piece in file.pieces():
        for change in piece.repaired.changes:
            sentence = str(change).removeprefix(change.kind)
            role = "error" if change.lossy else "warning"
            put(*placed(file.path, (change.line, change.column)), Styled(change.kind, role), sentence)


def _put_difference(file: File | TableFile) -> None:
    assert isinstance(file, File)  # --diff is refused for tables.
    difference = ShownDifference(file.path, file.form, UTF_8)
    for chunk, repaired, final in file.pieces():
        for change in repaired.changes:
            if change.json_path:
                difference.note(change.line, change.json_path)
        difference.put(chunk, repaired.data, final=final)


def write(options: Options) -> int:
    """Write the results; return the exit status."""
    work = RepairRun(options)
    options = replace(options, output=options.output or STANDARD_OUTPUT)
    if not options.in_place or _stays(options):
        return _write(jobs(options, work.failures.tell, work.walking()), options, work)
    with held(options.paths):
        form = "auto" if options.form is None else options.form.name
        escapes = {} if options.escape_policy is None else {"escapes": options.escape_policy}
        if escapes and options.escapes_in:
            escapes["escapes_in"] = " ".join(as_text(os.fsdecode(each.written)) for each in options.escapes_in)
        by = "repair --mojibake" if options.mojibake else "repair"
        done = {"from": form, "to": UTF_8.name, "errors": options.policy, "by": by, **escapes}
        in_place = InPlace("repaired", done, options)
        # After an interrupted run, find the files that it has repaired too, so that their journals can end.
        walking = walked if in_place.is_resumed else work.walking()
        files = jobs(options, work.failures.tell, walking, journaled=True)
        is_done = in_place.nothing_left(files)
        status = NOTHING_WRONG if is_done else _write(files, options, work, in_place)
        in_place.end(status, certified=bool(options.certificate))
    return status


def _stays(options: Options) -> bool:
    """Return whether repairing a result changes nothing: then an interrupted run can simply be started again."""
    return options.form is UTF_8 and options.policy != ESCAPE and not options.mojibake


def _write(files: Iterable[Job], options: Options, work: RepairRun, in_place: InPlace | None = None) -> int:
    written = 0
    check_certificate_apart(options, files)
    with certificates(options, work.status) as certify:
        for job in files:
            written += work.do(job, _ResultWriter(job, options, certify, in_place).write, job.unwritten)
    work.summarize(f"{written} written{' and verified' if options.verified else ''}")
    return work.status()


class _ResultWriter:
    """Writes the result of one file to its target."""

    def __init__(
        self, job: Job, options: Options, certify: Callable[[bytes], object], in_place: InPlace | None
    ) -> None:
        self._job = job
        self._options = options
        self._certify = certify
        self._in_place = in_place
        self._read = before(job)
        self._undoing = Undoing() if options.verified else None

    def write(self, file: File | TableFile) -> None:
        """Write the result, unless an interrupted run has written it."""
        if self._in_place is None:
            self._write(file)
        elif not self._in_place.once(self._job, partial(self._write, file)):
            raise UnchangedError

    def _write(self, file: File | TableFile) -> None:
        if isinstance(file, TableFile):
            self._write_table(file)
            return
        certificate = self._certificate(file.form.name, file.policy)
        with Target(self._job, self._read, waits=self._options.in_place) as target:
            for piece in file.pieces():
                # Losses are counted to the end, so that they can be reported.
                if self._options.lossy or not file.lossy:
                    target.take(file.source, piece.chunk, piece.repaired.data)
                self._compare(piece, certificate)
            self._check(file)
            target.file(file.source)
            if self._in_place is not None and certificate is not None:
                self._in_place.begin(self._job, certificate.digests)
        if self._options.certificate and certificate is not None:
            counts = {"changes": file.changes, "lossy": file.lossy}
            escapes = {} if file.escapes is None else {"escapes": file.escapes_repaired}
            self._certify(certificate.line("bytes when undone", {**counts, **escapes}))

    def _write_table(self, file: TableFile) -> None:
        certificate = self._certificate(UTF_8.name, file.policy)
        with ExitStack() as stack:
            target = self._table_target(file, stack)
            if self._options.verified:
                _copy_proved(file, target, certificate)
            else:
                file.copy(target, certificate)
            self._check(file)
            if self._in_place is not None and certificate is not None:
                self._in_place.begin(self._job, certificate.digests)
        if self._options.certificate and certificate is not None:
            counts: dict[str, int | str] = {"table": file.kind, "changes": file.changes, "lossy": file.lossy}
            self._certify(certificate.line("values when undone", counts))

    def _table_target(self, file: TableFile, stack: ExitStack) -> BinaryIO:
        """Open the target, which only a table that would change needs.

        Raises:
            FileError: it cannot be written, or has the ending of another kind of table.
        """
        if kind_named(self._job.target) not in ("", file.kind):
            raise FileError(
                self._job.target, f"the result is {file.kind}: give it a name that ends in {ENDING[file.kind]}"
            )
        try:
            return stack.enter_context(sink(self._job, self._read))
        except FileError:
            if self._options.in_place and not file.would_change():
                raise UnchangedError from None
            raise

    def _certificate(self, form: str, policy: str) -> Certificate | None:
        """Return a certificate to measure both files with, if that is wanted."""
        sides = Side(self._job.source, form), Side(self._job.target, UTF_8.name)
        return Certificate(*sides, policy) if self._options.certificate or self._in_place else None

    def _compare(self, piece: RepairedPiece, certificate: Certificate | None) -> None:
        if self._undoing is not None:
            self._undoing.compare(piece.chunk, piece.repaired, final=piece.final)
        if certificate is not None:
            certificate.take(piece.chunk, piece.repaired.data)

    def _check(self, file: File | TableFile) -> None:
        if file.lossy and not self._options.lossy:
            raise LossError(counted(file.lossy, "lossy change"))
        if self._options.in_place and not file.changes:
            raise UnchangedError


def _copy_proved(file: TableFile, target: BinaryIO, certificate: Certificate | None) -> None:
    with TemporaryFile() as result, TableDraft(file.path, file.policy, file.kind) as draft:
        file.copy_proved(result, draft, certificate)
        result.seek(0)
        copyfileobj(result, target)
