"""`repair --apply` and `--undo`: carry out a plan, file by file, and only on the files that it was made for.

Each file is known by its digest: one that is as the plan would have it is left alone, so a run that was killed can be
started again, and goes on where that one was.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import BinaryIO

from eightfold.cli.commands.repair.options import Options
from eightfold.cli.commands.repair.tables import TableFile, measured_sink, take_source, undo_table
from eightfold.cli.options.root import inside
from eightfold.cli.output.ending import NOTHING_WRONG, WRONG_USE_OR_FILE, UsageError
from eightfold.cli.output.lines import counted, say
from eightfold.cli.work.certifying import certificates, check_certificate_not_output
from eightfold.cli.work.inputs import Failures
from eightfold.cli.work.stopping import StoppedError
from eightfold.files import FileError
from eightfold.files.path_text import shown
from eightfold.files.paths.entries import Entry
from eightfold.files.paths.roots import Root, steps
from eightfold.files.read.digests import digest_of
from eightfold.files.read.reading import STANDARD_INPUT, Source, opened, opened_entry
from eightfold.files.records.certificates import Certificate, Side
from eightfold.files.records.journals import check_none
from eightfold.files.records.plan_files import FilePlan, TablePlan, plans_in
from eightfold.files.write.locks import held
from eightfold.files.write.temporary import clear_strays
from eightfold.files.write.writing import replacing, snapshot_of, standard_output
from eightfold.forms.utf_8 import UTF_8
from eightfold.repair import PlanError, apply_changes, undo_changes


def apply(options: Options) -> int:
    """Apply a plan; return the exit status."""
    return _follow(options, options.apply, undo=False)


def undo(options: Options) -> int:
    """Undo a plan; return the exit status."""
    return _follow(options, options.undo, undo=True)


def _follow(options: Options, plan_file: str, *, undo: bool) -> int:
    if options.errors or options.form_is_given:
        raise UsageError("the plan sets the form and the policy: --apply and --undo do not take -f or --errors")
    if options.escape_policy is not None or options.escapes_in:
        raise UsageError("the plan lists the escapes: --apply and --undo do not take --escapes repair or --escapes-in")
    if options.mojibake:
        raise UsageError("the plan has the changes: --apply and --undo do not take --mojibake")
    if selecting := options.selecting:
        raise UsageError(f"the plan lists the files: --apply and --undo do not take {selecting[0]}")
    root = Root(options.root)
    found = inside(root, options.paths).items()
    chosen = {path: _INPUT if path == STANDARD_INPUT else steps(relative) for path, relative in found}
    failures = Failures()
    with opened(plan_file, twice=True, unpack=True) as source, certificates(options, lambda: failures.count) as certify:
        following = _Following(root, failures, certify, undo=undo)
        # All of it is read before anything is written, so that a plan that is broken at its end changes no file.
        folders = _checked(source, chosen, options)
        source.rewind()
        with held(map(root.join, folders)):
            for plan in _chosen(source, chosen.values()):
                following.follow(plan)
    return following.end()


def _checked(source: Source, chosen: Mapping[str, list[str]], options: Options) -> set[str]:
    """Return the folders, relative to the root, that contain files of a plan, after checking all of it."""
    missing, folders = dict(chosen), set()
    for plan in plans_in(source):
        missing = {path: names for path, names in missing.items() if not _is_for(plan, names)}
        folders.add(os.path.join("", *steps(plan.path)[:-1]))
        if plan.path == STANDARD_INPUT and _is_chosen(plan, chosen.values()):
            if source.path == STANDARD_INPUT:
                raise UsageError("the plan is for standard input, and is read from there itself: give it as a file")
            check_certificate_not_output(options)
    if missing:
        plan_file = "the plan on standard input" if source.path == STANDARD_INPUT else shown(source.path)
        raise UsageError(f"{plan_file} does not list {shown(next(iter(missing)))}")
    return folders


def _chosen(source: Source, chosen: Collection[list[str]]) -> Iterator[FilePlan]:
    """Yield the plans of the files that paths name, or all plans if there are no paths."""
    return (plan for plan in plans_in(source) if _is_chosen(plan, chosen))


def _is_chosen(plan: FilePlan, chosen: Collection[list[str]]) -> bool:
    return not chosen or any(_is_for(plan, path) for path in chosen)


_INPUT = [""]
"""The steps that stand for standard input: no file has an empty name, but one may be called -."""


def _is_for(plan: FilePlan, names: list[str]) -> bool:
    """Return whether a plan is for a path or, where that is a folder, for a file in it."""
    if plan.path == STANDARD_INPUT or names == _INPUT:
        return plan.path == STANDARD_INPUT and names == _INPUT
    return steps(plan.path)[: len(names)] == names


_OTHER_FILE = "it is not the file in the plan, or it has changed since: make a new plan"
_OTHER_RESULT = "it is not the result of the plan, or it has changed since: the plan lists the old bytes of each change"


class _Following:
    """One run over the files of a plan, in one direction."""

    def __init__(self, root: Root, failures: Failures, certify: Callable[[bytes], object], *, undo: bool) -> None:
        self._root = root
        self._failures = failures
        self._certify = certify
        self._undo = undo
        self._written = 0
        self._already = 0
        self._missing = 0

    def follow(self, plan: FilePlan) -> None:
        """Apply or undo the plan for a file."""
        path = self._root.join(plan.path)
        try:
            if plan.path == STANDARD_INPUT:
                self._follow_standard_input(plan)
            else:
                with self._root.entry(plan.path) as entry:
                    self._follow(plan, entry)
        except PlanError as error:
            self._failures.tell(FileError(path, str(error)))
        except StoppedError as stopped:
            stopped.tell(f"{shown(path)} is not written")
            self._failures.count += 1
        except FileError as error:
            self._missing += not os.path.lexists(path)
            self._failures.tell(error)

    def _follow(self, plan: FilePlan, entry: Entry) -> None:
        check_none(entry.path)
        with opened_entry(entry) as source:
            read, digest = snapshot_of(source.descriptor), digest_of(source)
            opening = partial(replacing, entry, read=read)
            if self._is_done(plan, digest):
                clear_strays(entry)
                self._already += 1
            elif plan.table is not None:
                self._write_table(source, plan, plan.table, digest, opening)
            else:
                self._write(source, plan, digest, opening)

    def _is_done(self, plan: FilePlan, digest: str) -> bool:
        is_undone = plan.table is not None and digest == plan.table.undone_sha256
        return digest == self._ends(plan)[1] or (self._undo and is_undone)

    def _write_table(
        self,
        source: Source,
        plan: FilePlan,
        table: TablePlan,
        digest: str,
        opening: Callable[[], AbstractContextManager[BinaryIO]],
    ) -> None:
        begins = (plan.result_sha256,) if self._undo else (plan.original_sha256, table.undone_sha256)
        if digest not in begins:
            raise self._other_file()
        from eightfold.cli.work.table_changes import Planned  # It loads pyarrow.

        planned, certificate = Planned(table.changes), self._certificate(plan)
        with open(os.dup(source.descriptor), "rb") as file, opening() as target:
            if self._undo:
                sink = measured_sink(target, certificate)
                undo_table(source.path, table.kind, file, sink, planned, lambda data: None)
                take_source(file, certificate)
            else:
                was_undone = digest != plan.original_sha256
                repairing = TableFile(source.path, file, table.kind, plan.errors)
                repairing.copy_as_planned(target, planned, certificate, was_undone=was_undone)
                _check_result(certificate, plan, was_undone=was_undone)
        is_known = not self._undo or certificate.digests[1] == table.undone_sha256
        proof = f"{'digests' if is_known else 'values'} of the plan"
        self._certify(certificate.line(proof, {"table": table.kind, "changes": plan.count}))
        self._written += 1

    def _follow_standard_input(self, plan: FilePlan) -> None:
        if plan.table is not None:
            raise PlanError("this is not a plan: a table is not read from standard input")
        with opened(STANDARD_INPUT, twice=True) as source:
            self._write(source, plan, digest_of(source), standard_output)

    def _write(
        self, source: Source, plan: FilePlan, digest: str, opening: Callable[[], AbstractContextManager[BinaryIO]]
    ) -> None:
        if digest != self._ends(plan)[0]:
            raise self._other_file()
        source.rewind()
        certificate = self._certificate(plan)
        with opening() as target:
            target.writelines(self._rewritten(source, plan, certificate))
        self._certify(certificate.line("digests of the plan", {"changes": plan.count}))
        self._written += 1

    def _other_file(self) -> PlanError:
        return PlanError(_OTHER_RESULT if self._undo else _OTHER_FILE)

    def _ends(self, plan: FilePlan) -> tuple[str, str]:
        begin, end = plan.digests
        return (end, begin) if self._undo else (begin, end)

    def _rewritten(self, source: Source, plan: FilePlan, certificate: Certificate) -> Iterator[bytes]:
        def chunks() -> Iterator[bytes]:
            for chunk, _ in source.pieces():
                certificate.take(chunk, b"")
                yield chunk

        rewrite = undo_changes if self._undo else apply_changes
        for part in rewrite(chunks(), plan.changes, plan.digests):
            certificate.take(b"", part)
            yield part

    def _certificate(self, plan: FilePlan) -> Certificate:
        path = self._root.join(plan.path)
        sides = [Side(path, plan.form), Side(path, UTF_8.name)]
        before, after = reversed(sides) if self._undo else sides
        return Certificate(before, after, plan.errors)

    def end(self) -> int:
        """Print the summary; return the exit status."""
        if self._missing and not self._written and not self._already:
            root = shown(self._root.path) if self._root.path else "the current folder"
            say(f"paths in a plan are relative to {root}: use --root to name the folder where it was made")
        already = f", {self._already} already done" if self._already else ""
        say(f"{counted(self._written, 'file')} {'undone' if self._undo else 'repaired'}{already}")
        return WRONG_USE_OR_FILE if self._failures.count else NOTHING_WRONG


def _check_result(certificate: Certificate, plan: FilePlan, *, was_undone: bool) -> None:
    if certificate.digests[1] != plan.result_sha256:
        reason = "this pyarrow writes other bytes than that of the plan: use that version, or make a new plan"
        again = "its plan was undone, and repairing it again gives other bytes than those of the plan: make a new plan"
        raise PlanError(again if was_undone else reason)
