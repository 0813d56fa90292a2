"""One run of `repair` over files: opens and reads each, counts what happens, and reports what stops a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from eightfold.cli.commands.repair.options import ESCAPE, Options, repairer
from eightfold.cli.commands.repair.tables import TableFile, opened_table
from eightfold.cli.options.selection import say_excluded, say_nothing_read
from eightfold.cli.output.ending import FAULTS, NOTHING_WRONG, WRONG_USE_OR_FILE
from eightfold.cli.output.lines import counted, placed, say
from eightfold.cli.work.in_place import UnchangedError
from eightfold.cli.work.inputs import Failures, identified
from eightfold.cli.work.jobs import Job, may_meet
from eightfold.cli.work.likeness import heads_of_others, is_binary, other_form, table_hint
from eightfold.cli.work.remedies import source_bytes
from eightfold.cli.work.stopping import StoppedError, fault_line
from eightfold.cli.work.wholly_other import tell_encoding
from eightfold.faults import ESCAPED_SURROGATE, ConversionError, Fault
from eightfold.files import FileError
from eightfold.files.parallel.threads import allowed, processors
from eightfold.files.path_text import shown
from eightfold.files.read.reading import READ, Source
from eightfold.files.read.tables import table_kind
from eightfold.files.walk.trees import Examination, Passed, Trees, can_walk
from eightfold.files.walk.walking import Walking, walked
from eightfold.files.write.verifying import DifferenceError
from eightfold.files.write.writing import output_identity
from eightfold.forms import Form
from eightfold.forms.utf_8 import UTF_8
from eightfold.repair import Repaired
from eightfold.repair.policies import WRITERS

if TYPE_CHECKING:
    from eightfold.cli.commands.repair.escape_paths import EscapePaths

_ESCAPES = (((0xEE, 0xEE), (0xBE, 0xBF)),)
"""How U+EF80 to U+EFFF begin in UTF-8: the policy `escape` escapes them, as they are its own escapes."""
WAYS_ROUND_LOSS = "use --lossy to write anyway, or --plan FILE to be able to undo"


class LossError(Exception):
    """Changes that cannot be undone and were not allowed: how many."""


class RepairedPiece(NamedTuple):
    """The next bytes of a file, the UTF-8 of as many as can be repaired by then, and whether that is the end."""

    chunk: bytes
    repaired: Repaired
    final: bool


class File:
    """A file that is being repaired, and what was changed in it so far."""

    def __init__(self, source: Source, options: Options, *, json_lines: bool | None) -> None:
        is_json = json_lines is not None
        self.source = source
        self.form: Form = options.form or identified(source)
        self.policy: str = options.policy
        self.changes: int = 0
        self.lossy: int = 0
        self.escapes: str | None = options.escape_policy if is_json else None
        self.escapes_repaired: int = 0
        self.first_fault: int | None = None
        self._left = EscapesLeft() if is_json and self.escapes is None else None
        self._repairer = repairer(self.form, options, partial(FileError, source.path), is_json=is_json)
        self._paths: EscapePaths | None = None
        if self.escapes is not None and not options.writes:
            from eightfold.cli.commands.repair.escape_paths import EscapePaths

            self._paths = EscapePaths(source, self.form, lines=bool(json_lines))

    @property
    def path(self) -> str:
        """The path of the file, as it was given."""
        return self.source.path

    @property
    def escapes_left(self) -> int:
        """How many escapes of unpaired surrogates were found so far and left alone."""
        return 0 if self._left is None else self._left.count

    def pieces(self) -> Iterator[RepairedPiece]:
        """Yield the file piece by piece."""
        for chunk, final in self.source.pieces():
            repaired = self._repairer.repair(chunk, final)
            if self._paths is not None:
                paths = self._paths.added(chunk, repaired.changes, self._repairer.settled)
                repaired = repaired._replace(changes=paths)
            self.changes += len(repaired.changes)
            if self.first_fault is None and repaired.changes:
                self.first_fault = repaired.changes[0].start
            self.lossy += sum(change.lossy for change in repaired.changes)
            self._count_escapes(chunk, repaired, final=final)
            yield RepairedPiece(chunk, repaired, final)

    def _count_escapes(self, chunk: bytes, repaired: Repaired, *, final: bool) -> None:
        if self._left is not None:
            self._left.take(chunk, final=final)
        elif self.escapes is not None:
            self.escapes_repaired += sum(change.kind == ESCAPED_SURROGATE for change in repaired.changes)


def _refuse_pages(source: Source) -> None:
    """Refuse a file that would be broken if bytes were inserted.

    Raises:
        FileError: it is a database, or a table that is not read as one.
    """
    if hint := table_hint(source):
        raise FileError(source.path, hint)


class EscapesLeft:
    """Counts the escapes of unpaired surrogates of a file that leaves them as they are."""

    def __init__(self) -> None:
        from eightfold.jsonescapes import unpaired_escapes

        self._find = unpaired_escapes
        self._held = b""
        self.count: int = 0

    def take(self, chunk: bytes, *, final: bool) -> None:
        """Count those that are decided with the next bytes."""
        content = self._held + chunk
        found, decided = self._find(content, final=final)
        self.count += len(found)
        self._held = content[decided:]


class RepairRun:
    """One run over files: its counts, and how the work on a file may end."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self.failures: Failures = Failures()
        self.files: int = 0
        self.changed: int = 0
        self.stopped: int = 0
        self.binary: int = 0
        self.changes: int = 0
        self.lossy: int = 0
        self.escapes_left: int = 0
        self._worst = NOTHING_WRONG

    def walking(self) -> Walking:
        """Return what walks through folders; files that need no repair are only counted."""
        options = self._options
        if not can_walk() or options.form is not UTF_8 or options.mojibake or options.backup:
            return walked
        if (options.in_place or options.plan) and may_meet(options.paths):
            return walked  # A file in two of the paths is read once, which shows only if every file is found.
        return Trees(self._examination, self._pass_over, allowed(processors()), options.configurations.names)

    def _examination(self, ruled: str) -> Examination | None:
        options = self._options
        if not options.form_is_given and ruled not in ("", UTF_8.name):
            return None
        may_differ = not options.form_is_given
        return Examination(
            UTF_8,
            marks=heads_of_others(may_differ=may_differ),
            may_differ=may_differ,
            skips_binary=not options.binary,
            escapes=options.json_files is not None,
            suspects=_ESCAPES if options.policy == ESCAPE else (),
            unpack=options.unpack,
            output=None if options.writes or options.plan else output_identity(),
        )

    def _pass_over(self, passed: Passed) -> None:
        READ.add(files=passed.clean + passed.binary, bytes=passed.bytes)
        self.files += passed.clean
        self.binary += passed.binary

    def do(self, job: Job, act: Callable[[File | TableFile], None], outcome: str) -> bool:
        """Open a file and process it; return whether that succeeded.

        What stops it is reported with the outcome, and the next file can follow.
        """
        kind = "" if job.walked else table_kind(job.source)
        try:
            options = self._options
            if kind:
                with opened_table(job, kind, options) as table:
                    self._do(table, act)
                return True
            with job.opened(twice=options.form is None) as source:
                file = File(source, options, json_lines=_json_lines(job, options))
                if not options.form_is_given:
                    _refuse_other_form(file)
                if job.walked and not options.binary and is_binary(source, file.form):
                    self.binary += 1
                    return False
                _refuse_pages(source)
                self._do(file, act)
                return True
        except FileError as error:
            self.failures.tell(error)
        except StoppedError as stopped:
            stopped.tell(outcome)
            self._stop(FAULTS)
        except LossError as loss:
            say(f"{shown(job.source)}: {loss}: {outcome}; {WAYS_ROUND_LOSS}")
            self._stop(WRONG_USE_OR_FILE)
        except UnchangedError:
            pass
        return False

    def _do(self, file: File | TableFile, act: Callable[[File | TableFile], None]) -> None:
        self.files += 1
        try:
            act(file)
            if not self._options.errors and isinstance(file, File):
                ways = self._options
                tell_encoding(file.source, file.form, file.first_fault, replaced=ways.in_place, backup=ways.backup)
        except ConversionError as error:
            assert isinstance(file, File)
            line = fault_line(file.source, file.form, error.fault)
            raise StoppedError(line, _remedies(file, error.fault)) from error
        except DifferenceError as error:
            raise StoppedError((*placed(file.path, None), f"not verified, {error}")) from error
        finally:
            self.changed += bool(file.changes)
            self.changes += file.changes
            self.lossy += file.lossy
            self.escapes_left += file.escapes_left

    def _stop(self, status: int) -> None:
        self.stopped += 1
        self._worst = max(self._worst, status)

    def summarize(self, outcome: str) -> None:
        """Print the summary."""
        stopped = f", {self.stopped} stopped" if self.stopped else ""
        if self.binary:
            say(f"{counted(self.binary, 'binary file')} skipped (--binary)")
        say_excluded(self._options)
        if not self.files and not self.failures.count:
            say_nothing_read(self._options, binary=self.binary)
        if self.escapes_left:
            is_one = self.escapes_left == 1
            of, them = ("an unpaired surrogate", "it") if is_one else ("unpaired surrogates", "them")
            say(f"{counted(self.escapes_left, 'escape')} of {of} in JSON unchanged; --escapes repair replaces {them}")
        found = f"{counted(self.changes, 'change')}, {self.lossy} lossy"
        say(f"{counted(self.files, 'file')} read, {outcome}{stopped}: {found}")

    def status(self, otherwise: int = NOTHING_WRONG) -> int:
        """Return the exit status of the worst that happened, if that is worse than the other."""
        return WRONG_USE_OR_FILE if self.failures.count else max(self._worst, otherwise)


def _json_lines(job: Job, options: Options) -> bool | None:
    """Return whether each line of a file is a JSON text; None if it is not searched for escapes of surrogates."""
    files = options.json_files
    return None if files is None else files.lines_of(job.found, unpack=job.unpack)


def _refuse_other_form(file: File) -> None:
    """Refuse a file that looks like a form other than the default, because repairing would destroy it.

    Raises:
        FileError: it does.
    """
    other = other_form(file.source, file.form)
    if other is not None:
        raise FileError(file.path, f"{other.seen}; try eightfold convert -f {other.use} -t {UTF_8.name}")


_REMEDIES = {
    "escape": "--errors escape (keeps every byte as an escape)",
    "replace": "--errors replace --lossy (writes U+FFFD for it)",
}


def _remedies(file: File, fault: Fault) -> str:
    """Return the policies that can repair a fault that stopped another one."""
    if fault.kind == ESCAPED_SURROGATE:
        return r"try --escapes-errors replace --lossy (writes \ufffd for it)"
    form, span = file.form, source_bytes(fault, file.form)
    found = [said for name, said in _REMEDIES.items() if name != file.policy and WRITERS[name](form, span) is not None]
    return f"try {', '.join(found)}" if found else ""
