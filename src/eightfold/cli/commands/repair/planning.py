"""`repair --plan`: writes the changes of all files as a plan, and changes none of them."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from tempfile import TemporaryFile
from typing import BinaryIO

from eightfold.cli.commands.repair.options import Options
from eightfold.cli.commands.repair.runs import File, RepairRun
from eightfold.cli.commands.repair.tables import TableFile
from eightfold.cli.options.destination import STANDARD_OUTPUT
from eightfold.cli.options.root import inside, quoted, root_option
from eightfold.cli.output.lines import say
from eightfold.cli.work.jobs import Job, found, job_of
from eightfold.cli.work.sinks import NotKeptError, check_free, is_standard_output, record
from eightfold.files import FileError
from eightfold.files.path_text import shown
from eightfold.files.paths.addresses import is_remote
from eightfold.files.paths.roots import Root, steps
from eightfold.files.read.reading import STANDARD_INPUT
from eightfold.files.records.certificates import Certificate, Side
from eightfold.files.records.plan_files import Draft, TableDraft, begin_plan, is_of_git
from eightfold.files.write.writing import check_not_output, is_written_at_once
from eightfold.forms.utf_8 import UTF_8

_ELSEWHERE = (
    "is not in the plan, which lists values, names and metadata: what would change is elsewhere in the file, such as "
    "in its statistics; -o and --in-place write it anew"
)


def plan(options: Options) -> int:
    """Write the changes as a plan; return the exit status."""
    check_free("--plan", options.plan)
    if is_standard_output(options.plan):
        for path in options.paths or (STANDARD_INPUT,):
            check_not_output(path)
    root = Root(options.root)
    inside(root, (path for path in options.paths if not is_remote(path)))
    work = RepairRun(options)
    with record(options.plan, unpack=options.unpack) as target:
        begin_plan(target)
        planning = _Planning(root, target)
        for each in found(options, work.failures.tell, replaced=True, walking=work.walking()):
            job = replace(job_of(options, each, each.path), in_place=each.path != STANDARD_INPUT)
            work.do(job, partial(planning.add, job), f"{shown(each.path)} is not in the plan")
        if work.status() and not planning.count:
            raise NotKeptError
    work.summarize(f"{planning.count} in the plan")
    if planning.count and options.plan != STANDARD_OUTPUT and not is_written_at_once(options.plan):
        _say_next(f"{quoted(options.plan)}{root_option(root)}", takes_input=planning.takes_input)
    return work.status()


def _say_next(name: str, *, takes_input: bool) -> None:
    """Print the commands that follow a plan and undo it."""
    given, given_back = ("pipe the same input to ", "pipe its output to ") if takes_input else ("", "")
    say(f"next: {given}eightfold repair --apply {name}; to undo: {given_back}eightfold repair --undo {name}")


class _Planning:
    """Adds files to a plan.

    Attributes:
        count: the number of files that have changes, and so are in the plan.
        takes_input: whether standard input is one of them.
    """

    def __init__(self, root: Root, target: BinaryIO) -> None:
        self.count = 0
        self.takes_input = False
        self._root = root
        self._target = target

    def add(self, job: Job, file: File | TableFile) -> None:
        """Add a file, if it has changes."""
        job.check_replaceable()
        path = _planned_path(self._root, job.source)
        is_changed = self._add_table(file, path) if isinstance(file, TableFile) else self._add_text(job, file, path)
        self.count += is_changed
        self.takes_input |= is_changed and job.source == STANDARD_INPUT

    def _add_text(self, job: Job, file: File, path: str) -> bool:
        with Draft(path, file.form.name, file.policy) as draft:
            for chunk, repaired, _ in file.pieces():
                draft.add(chunk, repaired)
            if draft.count:
                _check_changed(job.source, path)
                draft.write_to(self._target)
            return bool(draft.count)

    def _add_table(self, file: TableFile, path: str) -> bool:
        with TemporaryFile() as result, TableDraft(path, file.policy, file.kind) as draft:
            certificate = Certificate(Side(path, UTF_8.name), Side(path, UTF_8.name), file.policy)
            undone = file.copy_proved(result, draft, certificate)
            if draft.count:
                _check_changed(file.path, path)
                draft.write_to(self._target, *certificate.digests, undone)
            elif file.changes:
                say(f"{shown(file.path)} {_ELSEWHERE}")
            return bool(draft.count)


def _planned_path(root: Root, path: str) -> str:
    if path == STANDARD_INPUT:
        return path
    relative = root.relative(path)
    return os.path.join(os.curdir, relative) if relative == STANDARD_INPUT else relative


def _check_changed(path: str, planned: str) -> None:
    """Refuse a file with changes to which no plan is applied.

    Raises:
        FileError: it is one.
    """
    if is_of_git(steps(planned)):
        raise FileError(path, "it belongs to git: no plan is applied below .git")
