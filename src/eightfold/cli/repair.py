"""`eightfold repair`: files to UTF-8, by a plan that can be looked at first, kept, applied later, and undone."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import NoReturn

from eightfold.cli.arguments import UTF_8, CommandParser, add_form, add_paths, one_of
from eightfold.cli.destinations import STANDARD_OUTPUT, Destination, Job, add_destination, jobs, sink
from eightfold.cli.ending import FAULTS, NOTHING_WRONG, WRONG_USE_OR_FILE, UsageError
from eightfold.cli.inputs import Failures, files_of, identified
from eightfold.cli.lines import counted, point, put, say
from eightfold.faults import ConversionError, Fault
from eightfold.files import FileError
from eightfold.files.names import shown
from eightfold.files.places import place_of
from eightfold.files.plans import read_plans, write_plans
from eightfold.files.reading import Source, opened
from eightfold.forms import Form
from eightfold.repair import LOSSLESS, POLICIES, Change, Plan, PlanError, Repaired, Repairer, plan_chunks

_DEFAULT_POLICY = "escape"
_WAYS_ROUND_LOSS = "--lossy writes it anyway, --plan FILE keeps the way back"


@dataclass
class Options(Destination):
    """What `repair` is asked to do; `form` is None for auto, `output` is empty where nothing is to be written."""

    output: str = ""
    form: Form | None = UTF_8
    errors: str = ""
    plan: str = ""
    apply: str = ""
    undo: str = ""
    lossy: bool = False

    @property
    def policy(self) -> str:
        """The policy that was asked for, or the default."""
        return self.errors or _DEFAULT_POLICY


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "repair",
        "[-f FORM] [--errors POLICY] [OPTIONS] [PATH ...]",
        "Make files UTF-8. Without -o, --in-place or --plan nothing is written: each\n"
        "change is shown, with the bytes before and after.\n\n"
        "  PATH:LINE:COLUMN: kind: OLD -> NEW (code points)\n\n"
        "A plan keeps the old bytes: --undo gives the very same file back. It is refused\n"
        "where the file is not the one that it was made for. What a lossy policy writes\n"
        "cannot be turned back without a plan, so without one it needs --lossy. A file is\n"
        "written whole or not at all, and one without changes is left alone in place.\n"
        "Exit status 0: nothing to repair, or all is written; 1: changes that are only\n"
        "shown, or a fault that the policy has no answer to; 2: wrong use, loss without\n"
        "--lossy, a file that a plan does not fit, unreadable or unwritable files.",
        [
            ("eightfold repair server.log", "what would be written for the bytes that are no UTF-8?"),
            ("eightfold repair --errors latin-1 --plan plan.json letters/", "keep a plan for a whole folder"),
            ("eightfold repair --apply plan.json", "do what it says; --undo plan.json takes it back"),
            ("eightfold repair --errors pairs --lossy --in-place dump.sql", "CESU-8 inside UTF-8, in place"),
            ("eightfold repair -f mutf-8 -o names.txt names.bin", "a whole file in another form"),
        ],
        _policies(),
    )
    add_paths(command)
    add_form(command)
    command.add_argument(
        "--errors",
        type=one_of(POLICIES),
        metavar="POLICY",
        help=f"what to write for a fault, by a policy of the list below (default: {_DEFAULT_POLICY})",
    )
    add_destination(command, "nothing is written")
    command.add_argument("--plan", metavar="FILE", help="write the changes to this file, and nothing else")
    command.add_argument("--apply", metavar="FILE", help="make the changes of a plan, of all its files or of the PATHs")
    command.add_argument("--undo", metavar="FILE", help="give the files of a plan their original bytes back")
    command.add_argument("--lossy", action="store_true", help="write what cannot be turned back without a plan, too")
    return command


def _policies() -> str:
    lines = ["", "policies:"]
    for name, meaning in POLICIES.items():
        loss = "" if name in LOSSLESS else " (lossy)"
        lines += textwrap.wrap(f"  {name:<9} {meaning}{loss}", 78, subsequent_indent=" " * 12)
    return "\n".join(lines)


def run(options: Options) -> int:
    """Repair the files, or show, plan, apply or undo that; return the exit status."""
    asked = [(flag, mode) for flag, given, mode in _modes(options) if given]
    if len(asked) > 1:
        raise UsageError(f"{asked[0][0]} and {asked[1][0]} exclude each other")
    if options.backup and not options.in_place:
        raise UsageError("--backup goes with --in-place")
    if options.form is not None:
        _repairer(options.form, options.policy, UsageError)  # Wrong use is told before anything is read.
    return asked[0][1](options) if asked else _show(options)


def _modes(options: Options) -> Sequence[tuple[str, str | bool, Callable[[Options], int]]]:
    return (
        ("-o", options.output, _write),
        ("--in-place", options.in_place, _write),
        ("--plan", options.plan, _plan),
        ("--apply", options.apply, _apply),
        ("--undo", options.undo, _undo),
    )


def _repairer(form: Form, policy: str, refusal: Callable[[str], Exception]) -> Repairer:
    if form.unit_bits > 8:
        raise refusal(f"repair reads 8-bit forms: try eightfold convert -f {form.name} -t utf-8")
    try:
        return Repairer(form, policy)
    except ValueError as error:
        raise refusal(str(error)) from error


class _LossError(Exception):
    """Changes that cannot be turned back, and nobody asked for them."""


class _StoppedError(Exception):
    """A file that could not be worked on to its end, and it was said why."""


class _UnchangedError(Exception):
    """A file that would be replaced by itself: it is left alone."""


class _File:
    """A file that is being repaired, and what was changed in it so far."""

    def __init__(self, source: Source, options: Options) -> None:
        self.source = source
        self.form = options.form or identified(source)
        self.policy = options.policy
        self.changes = 0
        self.lossy = 0
        self._repairer = _repairer(self.form, self.policy, lambda reason: FileError(source.path, reason))

    def pieces(self) -> Iterator[Repaired]:
        """Yield the file as UTF-8, each piece with its changes."""
        for chunk, final in self.source.pieces():
            repaired = self._repairer.repair(chunk, final)
            self._count(repaired.changes)
            yield repaired

    def plan(self) -> Plan:
        """Return the plan for the file."""
        plan = plan_chunks((chunk for chunk, _ in self.source.pieces()), self.form, self.policy)
        self._count(plan.changes)
        return plan

    def _count(self, changes: Sequence[Change]) -> None:
        self.changes += len(changes)
        self.lossy += sum(change.lossy for change in changes)


class _Work:
    """One run over files: what is counted, and how the work on a file may end."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self.failures = Failures()
        self.files = 0
        self.changed = 0
        self.stopped = 0
        self.changes = 0
        self.lossy = 0
        self._worst = NOTHING_WRONG

    def do(self, path: str, act: Callable[[_File], None], outcome: str) -> bool:
        """Open a file and do something with it; return whether that could be done.

        What stops it is told, with the outcome, and the next file can come.
        """
        try:
            with opened(path, twice=self._options.form is None) as source:
                self._do(_File(source, self._options), act, outcome)
                return True
        except FileError as error:
            self.failures.tell(error)
        except (_StoppedError, _UnchangedError):
            pass
        return False

    def _do(self, file: _File, act: Callable[[_File], None], outcome: str) -> None:
        self.files += 1
        try:
            act(file)
        except ConversionError as error:
            point(_line(file, error.fault))
            self._stop(FAULTS, f"{outcome}; try {_remedies(file.policy)}")
        except _LossError:
            lost = counted(file.lossy, "lossy change")
            self._stop(WRONG_USE_OR_FILE, f"{shown(file.source.path)}: {lost}: {outcome}; {_WAYS_ROUND_LOSS}")
        finally:
            self.changed += bool(file.changes)
            self.changes += file.changes
            self.lossy += file.lossy

    def _stop(self, status: int, sentence: str) -> NoReturn:
        say(sentence)
        self.stopped += 1
        self._worst = max(self._worst, status)
        raise _StoppedError

    def summarize(self, outcome: str) -> None:
        """Say what the files came to."""
        stopped = f", {self.stopped} stopped" if self.stopped else ""
        found = f"{counted(self.changes, 'change')}, {self.lossy} lossy"
        say(f"{counted(self.files, 'file')} read, {outcome}{stopped}: {found}")

    def status(self, otherwise: int = NOTHING_WRONG) -> int:
        """Return the exit status of the worst that happened, if that is worse than the other."""
        return WRONG_USE_OR_FILE if self.failures.count else max(self._worst, otherwise)


def _line(file: _File, fault: Fault) -> str:
    place = place_of(file.source, file.form, fault.start)
    position = "" if place is None else f":{place.line}:{place.column}"
    return f"{shown(file.source.path)}{position}: {fault.kind}: {fault}, at byte {fault.start}"


def _remedies(policy: str) -> str:
    remedies = {"escape": "keeps every byte as an escape", "replace": "writes U+FFFD for it"}
    return ", ".join(f"--errors {name} ({effect})" for name, effect in remedies.items() if name != policy)


def _show(options: Options) -> int:
    work = _Work(options)
    for path in files_of(options.paths, work.failures.tell):
        work.do(path, _put_changes, "the rest of it is not shown")
    work.summarize(f"{work.changed} to repair")
    if work.changes:
        say("nothing is written: -o, --in-place or --plan writes")
    if work.lossy and not options.lossy:
        say(f"what {options.policy} writes cannot be turned back without a plan: {_WAYS_ROUND_LOSS}")
    return work.status(FAULTS if work.changes else NOTHING_WRONG)


def _put_changes(file: _File) -> None:
    for repaired in file.pieces():
        for change in repaired.changes:
            put(f"{shown(file.source.path)}:{change.line}:{change.column}: {change}")


def _write(options: Options) -> int:
    work, written = _Work(options), 0
    options = replace(options, output=options.output or STANDARD_OUTPUT)
    for job in jobs(options, work.failures.tell):
        to_output = job.target == STANDARD_OUTPUT
        outcome = "the output ends before it" if to_output else f"{shown(job.target)} is not written"
        written += work.do(job.source, partial(_pour, job=job, options=options), outcome)
    work.summarize(f"{written} written")
    return work.status()


def _pour(file: _File, job: Job, options: Options) -> None:
    with sink(job, options) as target:
        for repaired in file.pieces():
            # What is lost is counted to the end, so that it can be told.
            if options.lossy or not file.lossy:
                target.write(repaired.data)
        if file.lossy and not options.lossy:
            raise _LossError
        if options.in_place and not file.changes:
            raise _UnchangedError


def _plan(options: Options) -> int:
    _check_free(options.plan)
    work = _Work(options)
    plans: dict[str, Plan] = {}

    def add(file: _File) -> None:
        plan = file.plan()
        if plan.changes:
            plans[file.source.path] = plan

    for path in files_of(options.paths, work.failures.tell):
        work.do(path, add, f"{shown(path)} is not in the plan")
    with sink(Job("", options.plan), options) as target:
        write_plans(target, plans)
    work.summarize(f"{len(plans)} in the plan")
    if plans and options.plan != STANDARD_OUTPUT:
        name = shown(options.plan)
        say(f"next: eightfold repair --apply {name}; to take that back: eightfold repair --undo {name}")
    return work.status()


def _check_free(path: str) -> None:
    """Refuse to write a plan over a file: it may be a slip of the hand, or a plan that is the only way back."""
    if os.path.isfile(path):
        raise UsageError(f"--plan {shown(path)}: there is a file of that name; move it away or choose another name")


def _apply(options: Options) -> int:
    return _follow(options, options.apply, undo=False)


def _undo(options: Options) -> int:
    return _follow(options, options.undo, undo=True)


def _follow(options: Options, plan_file: str, *, undo: bool) -> int:
    if options.errors or options.form is not UTF_8:
        raise UsageError("form and policy are those of the plan: --apply and --undo take neither -f nor --errors")
    failures = Failures()
    plans = _chosen(read_plans(plan_file), options.paths, plan_file)
    written = sum(_followed(path, plan, failures, undo=undo) for path, plan in plans.items())
    say(f"{counted(written, 'file')} {'undone' if undo else 'repaired'}")
    return WRONG_USE_OR_FILE if failures.count else NOTHING_WRONG


def _chosen(plans: dict[str, Plan], paths: Sequence[str], plan_file: str) -> dict[str, Plan]:
    """Return the plans of the files that paths stand for, all of them if there are no paths."""
    chosen = {} if paths else plans
    for path in paths:
        files = {os.path.normpath(file) for file in files_of([path], lambda error: None)}
        found = {name: plan for name, plan in plans.items() if os.path.normpath(name) in files}
        if not found:
            raise UsageError(f"{shown(plan_file)} has no plan for {shown(path)}")
        chosen.update(found)
    return chosen


def _followed(path: str, plan: Plan, failures: Failures, *, undo: bool) -> bool:
    """Apply or undo the plan for a file, and say whether it was written."""
    ends = (plan.original_sha256, plan.result_sha256)
    before, after = reversed(ends) if undo else ends
    try:
        with opened(path, twice=True) as source:
            digest = _digest(source)
            if digest == after and path != STANDARD_OUTPUT:
                say(f"{shown(path)}: already as the plan would have it")
                return False
            if digest != before:
                raise PlanError("not the file that the plan is for, or changed since: make a new plan")
            source.rewind()
            chunks = (chunk for chunk, _ in source.pieces())
            with sink(Job(path, path), Destination(in_place=True)) as target:
                target.writelines(plan.undo_chunks(chunks) if undo else plan.apply_chunks(chunks))
    except PlanError as error:
        failures.tell(FileError(path, str(error)))
        return False
    except FileError as error:
        failures.tell(error)
        return False
    return True


def _digest(source: Source) -> str:
    digest = sha256()
    for chunk, _ in source.pieces():
        digest.update(chunk)
    return digest.hexdigest()
