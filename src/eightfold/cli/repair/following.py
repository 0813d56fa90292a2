"""`repair --apply` and `--undo`: a plan is carried out, file by file, and only on the files that it was made for.

Each file is told by its digest: one that is as the plan would have it is left alone, so a run that was killed can be
started again, and goes on where that one was.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256

from eightfold.cli.arguments import UTF_8
from eightfold.cli.certifying import certificates
from eightfold.cli.destinations import STANDARD_OUTPUT, Destination, Job, before, sink
from eightfold.cli.ending import NOTHING_WRONG, WRONG_USE_OR_FILE, UsageError
from eightfold.cli.inputs import Failures
from eightfold.cli.lines import counted, say
from eightfold.cli.repair.options import Options
from eightfold.files import FileError
from eightfold.files.certificates import Certificate, Side
from eightfold.files.locks import held
from eightfold.files.names import shown
from eightfold.files.plans import FilePlan, plans_in
from eightfold.files.reading import Source, opened
from eightfold.files.temporary import clear_strays
from eightfold.repair import PlanError, apply_changes, undo_changes


def apply(options: Options) -> int:
    """Make the changes of a plan; return the exit status."""
    return _follow(options, options.apply, undo=False)


def undo(options: Options) -> int:
    """Take the changes of a plan back; return the exit status."""
    return _follow(options, options.undo, undo=True)


def _follow(options: Options, plan_file: str, *, undo: bool) -> int:
    if options.errors or options.form is not UTF_8:
        raise UsageError("form and policy are those of the plan: --apply and --undo take neither -f nor --errors")
    if options.include or options.exclude:
        raise UsageError("the files are those of the plan: --apply and --undo take neither --include nor --exclude")
    with opened(plan_file, twice=True, unpack=True) as source, certificates(options) as certify:
        following = _Following(certify, undo=undo)
        # All of it is read before anything is written: a plan that is broken at its end changes no file.
        folders = _checked(source, options.paths)
        source.rewind()
        with held(folders):
            for plan in _chosen(source, options.paths):
                following.follow(plan)
    return following.end()


def _checked(source: Source, paths: Sequence[str]) -> set[str]:
    """Return the folders that a plan has files in, after a look at all of it."""
    missing, folders = list(paths), set()
    for plan in plans_in(source):
        missing = [path for path in missing if not _is_for(plan, path)]
        folders.add(os.path.dirname(os.path.realpath(plan.path)))
    if missing:
        raise UsageError(f"{shown(source.path)} has no plan for {shown(missing[0])}")
    return folders


def _chosen(source: Source, paths: Sequence[str]) -> Iterator[FilePlan]:
    """Yield the plans of the files that paths stand for, all of them if there are no paths."""
    return (plan for plan in plans_in(source) if not paths or any(_is_for(plan, path) for path in paths))


def _is_for(plan: FilePlan, path: str) -> bool:
    """Return whether a plan is for a path or, where that is a folder, for a file in it."""
    file, given = os.path.abspath(plan.path), os.path.abspath(path)
    return file == given or file.startswith(os.path.join(given, ""))


class _Following:
    """One run over the files of a plan, in one direction."""

    def __init__(self, certify: Callable[[bytes], object], *, undo: bool) -> None:
        self._certify = certify
        self._undo = undo
        self._failures = Failures()
        self._written = 0
        self._already = 0

    def follow(self, plan: FilePlan) -> None:
        """Apply or undo the plan for a file."""
        try:
            self._follow(plan)
        except PlanError as error:
            self._failures.tell(FileError(plan.path, str(error)))
        except FileError as error:
            self._failures.tell(error)

    def _follow(self, plan: FilePlan) -> None:
        ends = plan.digests
        begin, end = reversed(ends) if self._undo else ends
        job = Job(plan.path, plan.path)
        read = before(job)
        with opened(plan.path, twice=True) as source:
            digest = _digest(source)
            if digest == end and plan.path != STANDARD_OUTPUT:
                clear_strays(plan.path)
                self._already += 1
                return
            if digest != begin:
                raise PlanError("not the file that the plan is for, or changed since: make a new plan")
            source.rewind()
            certificate = self._certificate(plan)
            with sink(job, Destination(in_place=True, no_compression=True), read) as target:
                target.writelines(self._rewritten(source, plan, certificate))
        self._certify(certificate.line("digests of the plan", {"changes": plan.count}))
        self._written += 1

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
        sides = [Side(plan.path, plan.form), Side(plan.path, UTF_8.name)]
        before, after = reversed(sides) if self._undo else sides
        return Certificate(before, after, plan.errors)

    def end(self) -> int:
        """Say what was done; return the exit status."""
        already = f", {self._already} already as the plan would have it" if self._already else ""
        say(f"{counted(self._written, 'file')} {'undone' if self._undo else 'repaired'}{already}")
        return WRONG_USE_OR_FILE if self._failures.count else NOTHING_WRONG


def _digest(source: Source) -> str:
    digest = sha256()
    for chunk, _ in source.pieces():
        digest.update(chunk)
    return digest.hexdigest()
