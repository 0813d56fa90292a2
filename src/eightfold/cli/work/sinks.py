"""Where the results of jobs and their records are written. A file is written whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import BinaryIO

from eightfold.cli.options.destination import STANDARD_OUTPUT
from eightfold.cli.output.ending import UsageError
from eightfold.cli.work.jobs import Job
from eightfold.files import FileError
from eightfold.files.path_text import shown
from eightfold.files.paths.addresses import is_remote
from eightfold.files.paths.entries import Entry
from eightfold.files.paths.roots import Root
from eightfold.files.write.writing import (
    EXISTS,
    Snapshot,
    leads_to_standard_output,
    replacing,
    snapshot,
    standard_output,
)


def check_free(flag: str, path: str) -> None:
    """Refuse to write a record over a file: it may be a mistake, or a record that is needed to undo something.

    Raises:
        UsageError: there is a file of that name.
    """
    if is_remote(path):
        raise UsageError(f"{flag} {shown(path)}: a record cannot be remote; choose a local file")
    if os.path.isfile(path) or (os.path.islink(path) and not os.path.exists(path)):
        raise UsageError(f"{flag} {shown(path)}: {EXISTS}")


def is_standard_output(path: str) -> bool:
    """Return whether what is written to a path goes to standard output, whatever its name."""
    return path == STANDARD_OUTPUT or leads_to_standard_output(path)


def before(job: Job) -> Snapshot | None:
    """Return the state of the file that a job replaces with its result; call it before the file is read."""
    return None if job.to_standard_output or job.source != job.target else snapshot(job.way)


def check_in_place(job: Job) -> None:
    """Refuse a target that is not replaced as a whole, whatever its result.

    Raises:
        FileError: it is compressed, remote, or not a file.
    """
    job.check_replaceable()
    if os.path.exists(job.target) and not os.path.isfile(job.target):
        raise FileError(job.target, "only a file can be replaced")


@contextmanager
def sink(job: Job, read: Snapshot | None = None, *, new: bool = False) -> Iterator[BinaryIO]:
    """Open the target of a job. Except for standard output, it exists once the block ends without an exception.

    Args:
        job: the job.
        read: what :func:`before` returned; a file that has changed since is not replaced.
        new: whether the target is a record, which is refused where a file is or another run is writing one.

    Raises:
        FileError: it cannot be written. BrokenPipeError: nobody reads standard output.
    """
    if job.in_place:
        check_in_place(job)
    if job.replaces_source and not job.journaled:
        _check_uninterrupted(job)
    with _whole(job, read, new) as file, _packing(job.target, file) if job.packing else nullcontext(file) as inside:
        yield inside


class NotKeptError(Exception):
    """Raised in the block of a record that is not worth a file: something has failed, and nothing is in it."""


@contextmanager
def record(path: str, *, unpack: bool = False) -> Iterator[BinaryIO]:
    """Open a new plan, log or file of certificates, as :func:`sink` does; after a `NotKeptError` there is no file."""
    with suppress(NotKeptError), sink(Job("", path, unpack=unpack), new=True) as file:
        yield file


def _check_uninterrupted(job: Job) -> None:
    from eightfold.files.records.journals import check_none  # Most runs replace nothing.

    check_none(job.target)


def _whole(job: Job, read: Snapshot | None, new: bool) -> AbstractContextManager[BinaryIO]:
    if job.to_standard_output:
        return standard_output()
    if job.is_remote:
        from eightfold.files.read.remote import sending

        return sending(job.target)
    if job.inside:
        return _entered(Root(job.folder).entry(job.inside, new=True), job, read)
    if job.in_place and job.walked:
        return _entered(job.way.entry(), job, read)
    return replacing(job.target, job.backup, read, journaled=job.journaled, new=new)


@contextmanager
def _entered(opening: AbstractContextManager[Entry], job: Job, read: Snapshot | None) -> Iterator[BinaryIO]:
    with opening as entry, replacing(entry, job.backup, read, journaled=job.journaled) as file:
        yield file


def _packing(path: str, file: BinaryIO) -> AbstractContextManager[BinaryIO]:
    from eightfold.files.read.compression import packing

    return packing(path, file)
