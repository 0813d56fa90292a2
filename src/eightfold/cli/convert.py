"""`eightfold convert`: files from one form to another, whole or not at all; `--verify` proves that nothing was lost."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import BinaryIO

from eightfold.cli.arguments import UTF_8, CommandParser, add_form, add_paths, form_argument
from eightfold.cli.colour import Part, Styled
from eightfold.cli.destinations import STANDARD_OUTPUT, Destination, Job, add_destination, before, jobs, sink
from eightfold.cli.ending import FAULTS, NOTHING_WRONG, WRONG_USE_OR_FILE, UsageError
from eightfold.cli.inputs import Failures, identified
from eightfold.cli.lines import counted, placed, point, say
from eightfold.cli.remedies import Conversion, remedies
from eightfold.faults import ConversionError
from eightfold.files import FileError
from eightfold.files.names import shown
from eightfold.files.places import place_of
from eightfold.files.reading import Source, opened
from eightfold.files.verifying import DifferenceError, Verifier
from eightfold.forms import Form
from eightfold.stream import Converter


@dataclass
class Options(Destination):
    """What `convert` is asked to do; `form` is None for auto."""

    form: Form | None = UTF_8
    to: Form = UTF_8
    errors: str = "strict"
    verify: bool = False
    internal: bool = False


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "convert",
        "[-f FORM] -t FORM [OPTIONS] [PATH ...]",
        "Convert files from one form to another. A file is written whole or not at all:\n"
        "if anything fails, what was there before is untouched. A symbolic link is\n"
        "followed, and the file that it leads to is replaced.\n"
        "Exit status 0: converted; 1: faults; 2: wrong use, or unreadable or unwritable\n"
        "files.",
        [
            ("eightfold convert -f utf-16-le -t utf-8 -o out.txt in.txt", "UTF-16 to UTF-8"),
            ("eightfold convert -f cesu-8 -t utf-8 --in-place --backup .orig dumps/", "a whole folder, each in place"),
            ("eightfold convert -f utf-8 -t utf-16 --errors replace < in > out", "U+FFFD for what is ill-formed"),
            ("eightfold convert -f mutf-8 -t wtf-8 --verify -o names names.bin", "and prove that it can be read back"),
        ],
    )
    add_paths(command)
    add_form(command)
    command.add_argument("-t", "--to", type=form_argument, metavar="FORM", required=True, help="the form to write")
    command.add_argument(
        "--errors",
        metavar="POLICY",
        help="what to do at a fault: strict (the default), replace, ignore, backslashreplace, surrogatepass, "
        "surrogateescape, xmlcharrefreplace, namereplace; escape (xtf-8), private-use (corrected-utf-8), java (mutf-8)",
    )
    add_destination(command)
    command.add_argument(
        "--verify",
        action="store_true",
        help="decode the result back and compare code points; where they differ, nothing is written",
    )
    command.add_argument("--internal", action="store_true", help="do not say that WTF-8 is not for interchange")
    return command


def run(options: Options) -> int:
    """Convert the files; return the exit status."""
    failures = Failures()
    work = jobs(options, failures.tell)
    if options.form is not None:
        _converter(Conversion(options.form, options.to, options.errors))  # Wrong use is told before anything is read.
    if options.to.name == "wtf-8" and not options.internal and not _for_a_terminal(work):
        say("WTF-8 is for use inside a program, not for interchange: convert it at the boundary (--internal: no note)")
    status = max((_convert(job, options, failures) for job in work), default=NOTHING_WRONG)
    return WRONG_USE_OR_FILE if failures.count else status


def _converter(conversion: Conversion) -> Converter:
    try:
        return Converter(*conversion)
    except (LookupError, ValueError) as error:
        raise UsageError(f"--errors: {error.args[0]} (see eightfold convert --help)") from error


def _for_a_terminal(work: list[Job]) -> bool:
    return all(job.target == STANDARD_OUTPUT and sys.stdout is not None and sys.stdout.isatty() for job in work)


class _StoppedError(Exception):
    """A conversion that cannot go on: the line that says where and why, and what to do."""

    def __init__(self, line: tuple[Part, ...], advice: str = "") -> None:
        super().__init__(line)
        self.line = line
        self.advice = advice


def _convert(job: Job, options: Options, failures: Failures) -> int:
    try:
        with sink(job, options, before(job)) as target, opened(job.source, twice=options.form is None) as source:
            form = options.form or identified(source)
            _pour(source, target, Conversion(form, options.to, options.errors), verify=options.verify)
    except FileError as error:
        failures.tell(error)
    except _StoppedError as stopped:
        _tell(stopped, job)
        return FAULTS
    return NOTHING_WRONG


def _pour(source: Source, target: BinaryIO, conversion: Conversion, *, verify: bool) -> None:
    converter = _converter(conversion)
    verifier = Verifier(*conversion) if verify else None
    try:
        for chunk, final in source.pieces():
            result = converter.convert(chunk, final)
            if verifier is not None:
                verifier.compare(chunk, result, final=final)
            target.write(result)
    except ConversionError as error:
        fault = error.fault
        line = _line(source, conversion.source, fault.start, (Styled(fault.kind, "error"), f": {fault}"))
        raise _StoppedError(line, remedies(fault, conversion)) from error
    except DifferenceError as error:
        raise _StoppedError(_line(source, conversion.source, error.start, (error.sentence,))) from error
    if verifier is not None:
        say(f"{shown(source.path)}: verified, {counted(verifier.count, 'code point')} the same")


def _line(source: Source, form: Form, offset: int, sentence: tuple[Part, ...]) -> tuple[Part, ...]:
    return *placed(source.path, place_of(source, form, offset)), *sentence, f", at byte {offset}"


def _tell(stopped: _StoppedError, job: Job) -> None:
    point(*stopped.line)
    outcome = "the output ends before it" if job.target == STANDARD_OUTPUT else f"{shown(job.target)} is not written"
    say(f"{outcome}; {stopped.advice}" if stopped.advice else outcome)
