"""`repair --runner`: a dataset into a new folder, which is there when all of it is repaired."""

from __future__ import annotations

import os
from functools import partial

from eightfold.cli.commands.repair.options import Options, repairer
from eightfold.cli.commands.repair.runs import WAYS_ROUND_LOSS
from eightfold.cli.options.runner import refuse_others, tell_not_selected
from eightfold.cli.output.ending import FAULTS, NOTHING_WRONG, WRONG_USE_OR_FILE, UsageError
from eightfold.cli.output.lines import counted, placed, point, say
from eightfold.cli.work.datasets.pieces import pieces_of
from eightfold.cli.work.datasets.repairing import FailedError, PieceRepaired, Repairing, repaired_into
from eightfold.cli.work.datasets.runners import results
from eightfold.cli.work.datasets.targets import Target
from eightfold.cli.work.watching import watched
from eightfold.files import FileError
from eightfold.files.parallel.processes import ENDED, WorkerError
from eightfold.files.parallel.threads import processors
from eightfold.files.path_text import shown
from eightfold.files.paths.addresses import is_remote
from eightfold.forms import Form
from eightfold.forms.utf_8 import UTF_8

_REFUSED = (
    *("in_place", "backup", "plan", "apply", "undo", "root", "diff", "verify", "certificate"),
    *("escapes", "escapes_errors", "binary"),
)


def repair_dataset(options: Options) -> int:
    """Repair a dataset; return the exit status.

    Raises:
        UsageError: the options contradict each other. FileError: the dataset cannot be read, or the result not written;
            or a worker process ended too early.
    """
    options.check_naming()
    refuse_others(options, *_REFUSED)
    if len(options.paths) > 1:
        raise UsageError("--runner repairs one dataset at a time")
    if options.output in ("", "-"):
        raise UsageError("--runner needs -o FOLDER: a dataset is repaired into a new folder")
    if _is_inside(options.output, options.paths[0]):
        raise UsageError(f"-o {shown(options.output)}: it is inside the dataset; choose a folder elsewhere")
    form = options.form or UTF_8
    repairer(form, options, UsageError)
    tell_not_selected(options)
    with watched(options, options.paths, options.selection):
        return _repair(options, form)


def _is_inside(output: str, dataset: str) -> bool:
    if is_remote(output) or is_remote(dataset):
        return is_remote(dataset) and output.startswith(f"{dataset.rstrip('/')}/")
    return os.path.realpath(output).startswith(os.path.join(os.path.realpath(dataset), ""))


def _repair(options: Options, form: Form) -> int:
    pieces = pieces_of(options.paths, form, unpack=options.unpack)
    run = partial(results, options.runner, jobs=processors())

    def work(target: Target) -> Repairing:
        return Repairing(target, form.name, options.form_is_given, options.policy, options.unpack)

    count = _Count()
    try:
        for result in repaired_into(options.output, pieces, work, run, lossy=options.lossy):
            count.add(result)
    except FailedError as error:
        return _failed(error.result, options)
    except WorkerError:
        raise FileError("--runner", f"{ENDED}; repair the files without it") from None
    count.tell(options.output)
    return NOTHING_WRONG


def _failed(result: PieceRepaired, options: Options) -> int:
    """Say why nothing is written; return the exit status."""
    outcome = f"{shown(options.output)} is not written"
    if result.fault:
        point(*placed(result.piece.path, None), result.fault)
        say(f"{outcome}; choose another policy with --errors")
        return FAULTS
    reason = result.error or f"{shown(result.piece.path)}: {counted(result.lossy, 'lossy change')}"
    say(reason)
    say(outcome if result.error else f"{outcome}: {WAYS_ROUND_LOSS.partition(',')[0]}")
    return WRONG_USE_OR_FILE


class _Count:
    """What was done so far."""

    def __init__(self) -> None:
        self.files = self.changes = self.lossy = self.binary = 0
        self._changed: set[str] = set()

    def add(self, result: PieceRepaired) -> None:
        """Count a piece, and pass on what it says."""
        self.files += result.piece.is_last
        self.changes += result.changes
        self.lossy += result.lossy
        self.binary += result.is_binary
        if result.changes:
            self._changed.add(result.piece.path)
        for sentence in result.said:
            say(f"{shown(result.piece.path)}: {sentence}")

    def tell(self, output: str) -> None:
        """Print the summary."""
        if self.binary:
            say(f"{counted(self.binary, 'binary file')} copied unchanged")
        found = f"{counted(self.changes, 'change')}, {self.lossy} lossy"
        say(f"{counted(self.files, 'file')} written to {shown(output)}, {len(self._changed)} of them changed: {found}")


__all__ = ["repair_dataset"]
