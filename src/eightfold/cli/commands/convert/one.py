"""The conversion of one file: written whole or not at all, or shown as a difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from eightfold.cli.commands.convert.options import Options, check_conversion
from eightfold.cli.options.destination import STANDARD_OUTPUT
from eightfold.cli.output.colour import Part, Styled, painted
from eightfold.cli.output.diff import ShownDifference
from eightfold.cli.output.ending import FAULTS, NOTHING_WRONG, UsageError
from eightfold.cli.output.lines import counted, placed, say
from eightfold.cli.work.documents import RULE, Nuls
from eightfold.cli.work.in_place import InPlace, UnchangedError
from eightfold.cli.work.inputs import byte_order_reported, identified
from eightfold.cli.work.jobs import Job, job_of
from eightfold.cli.work.likeness import is_binary, other_form
from eightfold.cli.work.remedies import remedies
from eightfold.cli.work.replacing import Target
from eightfold.cli.work.sinks import before
from eightfold.cli.work.stopping import StoppedError, fault_line, line_at
from eightfold.faults import ConversionError
from eightfold.files import FileError
from eightfold.files.parallel.threads import Begin
from eightfold.files.path_text import shown
from eightfold.files.read.converting import Conversion, ConvertedPiece, converted
from eightfold.files.read.losses import Losses, Lost
from eightfold.files.read.reading import Source
from eightfold.files.read.scanning import DOCUMENT
from eightfold.files.read.segments import small_size
from eightfold.files.records.certificates import Certificate, Side
from eightfold.files.walk.walking import Found
from eightfold.files.write.verifying import DifferenceError, Verifier
from eightfold.forms import forms
from eightfold.reference import signed


class BinaryError(Exception):
    """A file that was found in a folder and is not text."""


def differ(file: Found, options: Options, lose: Callable[[Lost], object]) -> int:
    """Show how a file would change; return the exit status."""
    with job_of(options, file, STANDARD_OUTPUT).opened(twice=options.form is None) as source:
        conversion = _conversion(source, options, say, walked=file.walked)
        difference = ShownDifference(file.path, conversion.source, conversion.target)
        losses = Losses(conversion)
        with byte_order_reported(source, conversion.source):
            for piece in _Converting(source, conversion, options, say).pieces(losses):
                difference.put(piece.chunk, piece.result, final=piece.final)
    if losses.lost:
        say(f"{shown(file.path)}: {lost_in_words(losses.lost, options)}")
        lose(losses.lost)
    return FAULTS if difference.differs else NOTHING_WRONG


class Reporter(NamedTuple):
    """Where the results of a conversion are reported: to the user, in certificates, and for the total."""

    say: Callable[[str], object]
    certify: Callable[[bytes], object]
    lose: Callable[[Lost], object]

    def later(self, due: list[Callable[[], object]]) -> Reporter:
        """Return the same for use in a thread: reports are kept until they are due."""
        return Reporter(*(partial(_defer, due, report) for report in self))


def _defer(due: list[Callable[[], object]], report: Callable[[Any], object], what: object) -> None:
    due.append(partial(report, what))


def turn(options: Options, in_place: InPlace, reporter: Reporter, begin: Begin, job: Job) -> Callable[[], int]:
    """Return a function that converts a file when its turn comes, or waits for the thread that does."""
    if options.jobs == 1 or job.to_standard_output or small_size(job.source) is None:
        return partial(_convert, options, in_place, reporter, job)
    due: list[Callable[[], object]] = []
    wait = begin(partial(_convert, options, in_place, reporter.later(due), job))

    def end() -> int:
        try:
            return wait()
        finally:
            for each in due:
                each()

    return end


def _convert(options: Options, in_place: InPlace, reporter: Reporter, job: Job) -> int:
    convert = partial(_write_one, options, in_place, reporter, job)
    if options.in_place:
        in_place.once(job, convert)
    else:
        convert()
    return NOTHING_WRONG


def _write_one(options: Options, in_place: InPlace, reporter: Reporter, job: Job) -> None:
    twice = options.form is None
    # With --backup every file is written, so that each has a backup.
    place = Target(job, before(job), waits=options.in_place and not options.backup)
    with suppress(UnchangedError), place as target, job.opened(twice=twice) as source:
        conversion = _conversion(source, options, reporter.say, walked=job.walked)
        verifier = Verifier(*conversion) if options.verified else None
        certificate = _certificate(job, conversion) if options.certificate or options.in_place else None
        losses = Losses(conversion)
        pieces = _Converting(source, conversion, options, reporter.say).pieces(losses, verifier)
        with byte_order_reported(source, conversion.source, reporter.say):
            for piece in pieces:
                target.take(source, piece.chunk, piece.result)
                if certificate is not None:
                    certificate.take(piece.chunk, piece.result)
        if options.in_place and certificate is not None:
            if certificate.is_of_same_bytes and not options.backup:
                raise UnchangedError
            target.file(source)
            in_place.begin(job, certificate.digests)
    if losses.lost:
        reporter.say(f"{shown(job.source)}: {lost_in_words(losses.lost, options)}")
        reporter.lose(losses.lost)
    if verifier is not None:
        reporter.say(f"{shown(job.source)}: verified, {counted(verifier.count, 'code point')} identical")
        if options.certificate and certificate is not None:
            reporter.certify(certificate.line("code points", {"code_points": verifier.count}))


def _conversion(source: Source, options: Options, tell: Callable[[str], object], *, walked: bool) -> Conversion:
    conversion = Conversion(options.form or identified(source, tell), options.to, options.errors)
    other = None if options.form_is_given else other_form(source, conversion.source)
    if other is not None:
        raise FileError(source.path, str(other))
    if walked and not options.binary and is_binary(source, conversion.source):
        raise BinaryError
    if options.form is None:
        _check_identified(source, conversion)
    return conversion


def _check_identified(source: Source, conversion: Conversion) -> None:
    try:
        check_conversion(conversion)
    except UsageError as error:
        raise FileError(source.path, str(error)) from error


def _certificate(job: Job, conversion: Conversion) -> Certificate:
    source, target, errors = conversion
    return Certificate(Side(job.source, source.name), Side(job.target, target.name), errors)


class _Converting(NamedTuple):
    """The conversion of an open file, and where messages about it go."""

    source: Source
    conversion: Conversion
    options: Options
    tell: Callable[[str], object]

    def pieces(self, losses: Losses, verifier: Verifier | None = None) -> Iterator[ConvertedPiece]:
        """Yield the pieces: verify them, count what is lost, and apply the rule for documents to their text."""
        pieces = self._marked(_losing(self._verified(verifier), losses))
        return self._document(pieces) if self.conversion.target.name == DOCUMENT else pieces

    def _verified(self, verifier: Verifier | None) -> Iterator[ConvertedPiece]:
        source, conversion, joined_pairs = self.source, self.conversion, 0
        try:
            for piece in converted(source, conversion, self.options.jobs, strict=self.options.strict):
                joined_pairs += piece.joined_pairs
                if verifier is not None:
                    verifier.compare(piece.chunk, piece.result, final=piece.final)
                yield piece
        except ConversionError as error:
            line = fault_line(source, conversion.source, error.fault)
            raise StoppedError(line, remedies(error.fault, conversion)) from error
        except DifferenceError as error:
            raise StoppedError(line_at(source, conversion.source, error.start, (error.sentence,))) from error
        if joined_pairs:
            joined = f"joined {counted(joined_pairs, 'surrogate pair')}"
            effect = f"{conversion.target.name} reads {'it' if joined_pairs == 1 else 'each'} back as one code point"
            self.tell(f"{shown(source.path)}: {joined}; {effect} (use --strict to refuse)")

    def _marked(self, pieces: Iterator[ConvertedPiece]) -> Iterator[ConvertedPiece]:
        """Yield the pieces; tell if the text itself begins with the mark that the target puts before it."""
        source, target, _ = self.conversion
        twice = signed(target)[1] * 2
        head = b""
        for piece in pieces:
            head += piece.result[: len(twice) - len(head)]
            yield piece
        if twice and head == twice:
            marking = [each.name for each in forms() if source in (sign.form for sign in each.signatures)]
            way = f" (to read it as a mark: -f {marking[0]})" if marking else ""
            self.tell(f"{shown(self.source.path)}: begins with U+FEFF, and {target.name} writes another before it{way}")

    def _document(self, pieces: Iterator[ConvertedPiece]) -> Iterator[ConvertedPiece]:
        """Yield the pieces of a Corrected UTF-8 document; U+0000 is an error, or a warning, given once."""
        nuls, is_error = Nuls(self.conversion), self.options.document or self.options.strict
        for piece in pieces:
            nuls.take(piece)
            if nuls.count and is_error:
                raise StoppedError(self._nul(nuls, (Styled("raw-nul", "error"), f": {RULE}")))
            yield piece
        if nuls.count:
            others = f" (and {nuls.count - 1} more)" if nuls.count > 1 else ""
            line = self._nul(nuls, (f"warning: raw-nul: {RULE}{others}",))
            self.tell(painted(None, (*line, "; --document makes it an error")))

    def _nul(self, nuls: Nuls, sentence: tuple[Part, ...]) -> tuple[Part, ...]:
        if nuls.offset is None:
            return *placed(self.source.path, None), *sentence
        return line_at(self.source, self.conversion.source, nuls.offset, sentence)


def _losing(pieces: Iterator[ConvertedPiece], losses: Losses) -> Iterator[ConvertedPiece]:
    for piece in pieces:
        losses.take(piece)
        yield piece


def lost_in_words(lost: Lost, options: Options) -> str:
    """Return what was lost, for a message."""
    parts = [
        *([counted(lost.faults, "fault")] if lost.faults else []),
        *([f"{counted(lost.code_points, 'code point')} that {options.to.name} lacks"] if lost.code_points else []),
    ]
    done = "dropped" if options.errors == "ignore" else "replaced"
    return f"{done} {' and '.join(parts)} (--errors {options.errors})"
