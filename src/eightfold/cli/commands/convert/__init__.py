"""`eightfold convert`: files from one form to another, whole or not at all; `--verify` proves that nothing was lost."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from eightfold.cli.commands.convert.one import BinaryError, Reporter, differ, lost_in_words, turn
from eightfold.cli.commands.convert.options import Options, check_conversion
from eightfold.cli.options.arguments import CommandParser, add_form, add_jobs, add_paths, end_argument
from eightfold.cli.options.certificate import add_certificate
from eightfold.cli.options.destination import STANDARD_OUTPUT, add_destination
from eightfold.cli.options.files_from import add_files_from
from eightfold.cli.options.reading_options import add_reading
from eightfold.cli.options.selection import add_selection, say_excluded, say_nothing_read
from eightfold.cli.output.ending import FAULTS, NOTHING_WRONG, WRONG_USE_OR_FILE, UsageError
from eightfold.cli.output.lines import counted, say
from eightfold.cli.work.agreeing import examination_of
from eightfold.cli.work.certifying import certificates, check_certificate, check_certificate_apart
from eightfold.cli.work.in_place import InPlace
from eightfold.cli.work.inputs import Failures, tell_foreign
from eightfold.cli.work.jobs import Job, found, jobs, may_meet
from eightfold.cli.work.stopping import StoppedError
from eightfold.cli.work.watching import watched
from eightfold.files import FileError
from eightfold.files.parallel.threads import ahead, allowed, processors, working
from eightfold.files.read.converting import Conversion
from eightfold.files.read.losses import Lost
from eightfold.files.read.reading import READ
from eightfold.files.read.scanning import DOCUMENT
from eightfold.files.walk.trees import Examination, Passed, Trees, can_walk
from eightfold.files.walk.walking import Walking, walked
from eightfold.files.write.locks import held
from eightfold.forms import forms
from eightfold.forms.utf_8 import UTF_8
from eightfold.policy import POLICIES

_DESCRIPTION = """\
Convert files from one form to another. A file is written whole or not at all:
if anything fails, the old file is untouched. A replaced file keeps its owner,
its permissions and its attributes. With --in-place, a file without changes is
not written, unless a backup is asked for.

A symbolic link given as PATH is followed, and the file it leads to is replaced;
links in a folder are skipped. A file is not replaced if it is read-only, has
several names (hard links) or changes while it is read. In a folder, files that
.gitignore files ignore, binary files and backups with the same SUFFIX are
skipped. Compressed files are decompressed, and OUT is compressed if its name
ends like one; they and remote files (https://, s3://) cannot be replaced.
Symbolic links in OUT are not followed. Without -f, a file that looks like
UTF-16 or UTF-32 is refused. A table (Parquet, Arrow IPC) or a database is
converted as the bytes that it is, as PATH or with --binary: to change the
strings in a table, use repair.

One end, or both, may be a legacy charset of Python's registry: `eightfold table`
lists them. Names mean what they mean in Python. Some charsets write several
characters alike; --verify finds what such a target does not keep.

With --in-place, each folder has a journal until every file is converted. After
a fault or a kill, run the command again: no file is converted twice. A journal
that another user wrote, or that came with the tree, is refused. If another run
of the same user is working in the tree, the command waits 10 seconds, then
gives up.

Exit status 0: converted, or nothing to change with --diff; 1: faults, or
changes that --diff shows; 2: wrong use, or unreadable or unwritable files."""
_EXAMPLES = [
    ("eightfold convert -f utf-16-le -t utf-8 -o out.txt in.txt", "UTF-16 to UTF-8"),
    ("eightfold convert -f cesu-8 -t utf-8 --in-place --backup .orig dumps/", "replace every file in a folder"),
    (
        "eightfold convert -f windows-1252 -t utf-8 --in-place --backup .orig letters/",
        "a legacy charset to UTF-8",
    ),
    ("eightfold convert -f utf-16 -t utf-8 -o new/ -j 8 old/", "convert eight files at once"),
    (
        "eightfold convert -f utf-8 -t utf-16 --errors replace < in > out",
        "write U+FFFD for ill-formed sequences",
    ),
    (
        "eightfold convert -f mutf-8 -t wtf-8 --verify -o names names.bin",
        "and verify that the result decodes to the same text",
    ),
    ("eightfold convert -f utf-8-sig -t utf-8 --diff src/", "which files begin with a signature?"),
    (
        "eightfold convert -f utf-16 -t utf-8 --in-place --certificate proof.jsonl letters/",
        "replace every file in a folder, and record both sides",
    ),
]


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "convert",
        "[-f FORM] -t FORM [OPTIONS] [PATH ...]",
        _DESCRIPTION,
        _EXAMPLES,
    )
    add_paths(command)
    add_files_from(command)
    add_form(command, foreign=True)
    command.add_argument(
        *("-t", "--to"),
        type=end_argument,
        metavar="FORM",
        required=True,
        help="the form or legacy charset to write; corrected-utf-8 begins with its magic number in files",
    )
    command.add_argument(
        "--errors",
        metavar="POLICY",
        help=f"what to do on a fault: {_policies()}",
    )
    command.add_argument(
        "--strict",
        action="store_true",
        help="make warnings errors: refuse to join a surrogate pair into one code point (default: join pairs, and "
        "report how many), and do what --document does",
    )
    add_selection(command)
    add_reading(command)
    add_destination(command)
    command.add_argument(
        "--diff", action="store_true", help="show the changed lines, before and after, and write nothing"
    )
    add_certificate(command, "decode the result and compare code points")
    add_jobs(command, "convert")
    command.add_argument(
        "--document",
        action="store_true",
        help="with -t corrected-utf-8: treat U+0000, which a document must not contain, as an error, not a warning",
    )
    command.add_argument("--internal", action="store_true", help="silence the note that WTF-8 is not for interchange")
    return command


def _policies() -> str:
    """Return the names of all policies, those last that a form declares."""
    declared = {variant.policy: form.name for form in reversed(forms()) for variant in form.variants}
    everywhere = [name + " (the default)" * (name == Options.errors) for name in POLICIES if name not in declared]
    somewhere = [f"{name} ({declared[name]})" for name in POLICIES if name in declared]
    return f"{', '.join(everywhere)}; {', '.join(somewhere)}"


def run(options: Options) -> int:
    """Convert the files; return the exit status."""
    if options.diff and (options.output != STANDARD_OUTPUT or options.in_place or options.backup or options.verified):
        raise UsageError(
            "--diff writes nothing: it cannot be combined with -o, --in-place, --backup, --verify or --certificate"
        )
    if options.document and options.to.name != DOCUMENT:
        raise UsageError("--document needs -t corrected-utf-8")
    check_certificate(options, writes=True)
    options.jobs = options.configurations.setting("jobs", options.jobs) or processors()
    if options.form is not None:
        # Wrong use is reported before anything is read.
        check_conversion(Conversion(options.form, options.to, options.errors))
    tell_foreign(options.form, options.to)
    if not options.take_list():
        say_nothing_read(options)
        return NOTHING_WRONG
    failures = Failures()
    work = _Run(options, failures)
    with held(options.paths if options.in_place else ()):
        try:
            with watched(options, options.paths, options.selection):
                status = _show(options, work, failures) if options.diff else _write(options, work, failures)
        except FileError as error:  # From the certificates, or from starting threads: some files are done.
            failures.tell(error)
        status = WRONG_USE_OR_FILE if failures.count else status
        work.end(status, certified=bool(options.certificate))
    return status


def _show(options: Options, run: _Run, failures: Failures) -> int:
    outcome = "the rest of the file is not shown"
    done = (run.do(partial(differ, file, options, run.lose), outcome) for file in found(options, failures.tell))
    status = max(done, default=NOTHING_WRONG)
    run.check_read()
    return status


def _write(options: Options, run: _Run, failures: Failures) -> int:
    work = jobs(options, failures.tell, _walking(options, run), journaled=True)
    is_shown = not run.files and _for_a_terminal(work)
    if options.to.name == "wtf-8" and not options.internal and not is_shown:
        say(
            "WTF-8 is for use inside a program, not for interchange: convert it at the boundary "
            "(--internal silences this note)"
        )
    if options.in_place and run.in_place.nothing_left(work):
        return NOTHING_WRONG
    check_certificate_apart(options, work)
    threads = min(allowed(options.jobs), len(work) or 1)
    status = NOTHING_WRONG
    with certificates(options, lambda: status or failures.count) as certify, working(threads) as begin:
        convert = partial(turn, options, run.in_place, Reporter(say, certify, run.lose), begin)
        turns = ((convert(job), job.unwritten) for job in work)
        status = max((run.do(*each) for each in ahead(turns, threads)), default=NOTHING_WRONG)
    run.check_read()
    return status


def _walking(options: Options, run: _Run) -> Walking:
    """Return what walks through folders; files that stay as they are are only counted."""
    needs_all = options.backup or options.verified or may_meet(options.paths)  # A file in two paths counts once.
    if not options.in_place or options.form is None or needs_all or not can_walk() or run.in_place.is_resumed:
        return walked
    conversion = Conversion(options.form, options.to, options.errors)
    found = examination_of(conversion, is_given=options.form_is_given, binary=options.binary, unpack=options.unpack)

    def examination(ruled: str) -> Examination | None:
        return found if options.form_is_given or ruled in ("", UTF_8.name) else None

    return Trees(examination, run.pass_over, allowed(options.jobs), options.configurations.names)


def _for_a_terminal(work: list[Job]) -> bool:
    return all(job.to_standard_output and sys.stdout is not None and sys.stdout.isatty() for job in work)


class _Run:
    """One run over files: a file that stops is reported, and the run continues with the next."""

    def __init__(self, options: Options, failures: Failures) -> None:
        form = "auto" if options.form is None else options.form.name
        self.in_place = InPlace("converted", {"from": form, "to": options.to.name, "errors": options.errors}, options)
        self._failures = failures
        self._options = options
        self.files = self._binary = 0
        self._lost: list[Lost] = []

    def do(self, act: Callable[[], int], outcome: str) -> int:
        """Process a file and return the exit status; the outcome is reported if it stops."""
        self.files += 1
        try:
            return act()
        except FileError as error:
            self._failures.tell(error)
        except BinaryError:
            self._binary += 1
        except StoppedError as stopped:
            stopped.tell(outcome)
            return FAULTS
        return NOTHING_WRONG

    def pass_over(self, passed: Passed) -> None:
        """Count files that stay as they are."""
        READ.add(files=passed.clean + passed.binary, bytes=passed.bytes)
        self.files += passed.clean + passed.binary
        self._binary += passed.binary

    def lose(self, lost: Lost) -> None:
        """Note what was lost of a file."""
        self._lost.append(lost)

    def check_read(self) -> None:
        """Warn if there was no file to read."""
        if self.files == self._binary and not self._failures.count:
            say_nothing_read(self._options, binary=self._binary)

    def end(self, status: int, *, certified: bool) -> None:
        """Report which files were skipped; if all are done, remove the journals."""
        if self._binary:
            say(f"{counted(self._binary, 'binary file')} skipped (--binary)")
        say_excluded(self._options)
        if len(self._lost) > 1:
            total = Lost(*map(sum, zip(*self._lost, strict=True)))
            say(f"{counted(len(self._lost), 'file')} with loss: {lost_in_words(total, self._options)}")
        self.in_place.end(status, certified=certified)
