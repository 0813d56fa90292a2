"""Where the results of a command go that writes files: standard output, `-o`, or in place; nothing is half written."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import BinaryIO

from eightfold.cli.arguments import CommandParser
from eightfold.cli.ending import UsageError
from eightfold.cli.inputs import found_files
from eightfold.cli.lines import counted, say
from eightfold.cli.reading import Reading
from eightfold.cli.selection import Selecting
from eightfold.files import FileError
from eightfold.files.addresses import is_remote, packing_of
from eightfold.files.names import shown
from eightfold.files.reading import STANDARD_INPUT
from eightfold.files.roots import Root
from eightfold.files.temporary import is_temporary
from eightfold.files.walking import Found
from eightfold.files.writing import Snapshot, replacing, snapshot, standard_output

STANDARD_OUTPUT = "-"


@dataclass
class Destination(Selecting, Reading):
    """What the options of :func:`add_destination` say; the options of a command that has them inherit these."""

    paths: Sequence[str] = ()
    output: str = STANDARD_OUTPUT
    in_place: bool = False
    backup: str = ""


def add_destination(parser: CommandParser, otherwise: str = "standard output") -> None:
    """Take where the results go; without any of these options that is ``otherwise``."""
    parser.add_argument(
        *("-o", "--output"),
        metavar="OUT",
        help=f"write to this file, or for a folder or several files into this folder (default: {otherwise})",
    )
    parser.add_argument("--in-place", action="store_true", help="replace each file by its result")
    parser.add_argument(
        "--backup",
        type=suffix_argument,
        metavar="SUFFIX",
        help="with --in-place: keep the old file as its name and SUFFIX",
    )


def suffix_argument(given: str) -> str:
    """Return what is put behind a name.

    Raises:
        argparse.ArgumentTypeError: the name would be the same, or lead elsewhere.
    """
    if not given:
        raise argparse.ArgumentTypeError("an empty suffix would leave no backup: the name must differ")
    if os.sep in given:
        raise argparse.ArgumentTypeError(f"takes a suffix for a name, not the path {shown(given)}")
    return given


@dataclass(frozen=True)
class Job:
    """A file, and where its result goes.

    Attributes:
        source: the file, or ``-``.
        target: the file, or ``-``.
        walked: whether the file was found in a folder, and not given.
        inside: the path of the target in the folder that results go to, where they do: in it no link is followed, and
            folders are made.
    """

    source: str
    target: str
    walked: bool = False
    inside: str = ""

    @property
    def unwritten(self) -> str:
        """What becomes of the target where work on the file stops."""
        return "the output ends before it" if self.target == STANDARD_OUTPUT else f"{shown(self.target)} is not written"


def jobs(options: Destination, on_error: Callable[[FileError], None]) -> list[Job]:
    """Return what there is to do, before anything is done.

    Args:
        options: the paths, and where their results go.
        on_error: called with each folder that cannot be listed.

    Raises:
        UsageError: the options contradict each other, or results would be written over each other or over sources.
    """
    _check(options)
    paths = options.paths or (STANDARD_INPUT,)
    if options.in_place:
        files = once(found(options, on_error, replaced=True))
        return [Job(file.path, file.path, file.walked) for file in files]
    several = len(paths) > 1 or os.path.isdir(paths[0])
    if not several and not _is_folder(options.output):
        return [Job(paths[0], options.output)]
    if options.output == STANDARD_OUTPUT:
        raise UsageError(f"{_many(paths)}: say where the results go, with -o FOLDER or --in-place")
    each = ((path, replace(options, paths=(path,))) for path in paths)
    return _apart(_into_folder(options.output, path, file) for path, one in each for file in found(one, on_error))


def found(options: Destination, on_error: Callable[[FileError], None], *, replaced: bool = False) -> Iterator[Found]:
    """Yield the files that paths stand for.

    Of a folder neither backups are taken, where files are backed up, nor what a run that is at work, or was killed, has
    left beside its files, nor compressed files where files are replaced.
    """
    compressed = 0
    for file in found_files(options.paths, on_error, options.selection):
        is_backup = bool(options.backup) and file.path.endswith(options.backup)
        if file.walked and (is_backup or is_temporary(file.path)):
            continue
        if file.walked and replaced and options.unpack and packing_of(file.path):
            compressed += 1
        else:
            yield file
    if compressed:
        say(f"{counted(compressed, 'compressed file')} left alone: they are not replaced (--no-compression)")


def check_replaceable(path: str, options: Reading) -> None:
    """Refuse to replace a file that could not be brought back to the byte, or not be replaced whole.

    Raises:
        FileError: it is compressed, or remote.
    """
    if is_remote(path):
        raise FileError(path, "it is remote, and not replaced: write to another file with -o")
    if options.unpack and packing_of(path):
        raise FileError(path, "it is compressed, and not replaced: write what is in it to another file with -o")


def once(files: Iterable[Found]) -> Iterator[Found]:
    """Yield files without those that were there already under another path: what is converted twice is destroyed."""
    leads_to = RealPaths().of
    met: set[str] = set()
    for file in files:
        real = leads_to(file.path)
        if real not in met:
            met.add(real)
            yield file


def _check(options: Destination) -> None:
    if options.backup and not options.in_place:
        raise UsageError("--backup goes with --in-place")
    if options.in_place and options.output != STANDARD_OUTPUT:
        raise UsageError("-o and --in-place exclude each other")
    if options.in_place and (not options.paths or STANDARD_INPUT in options.paths):
        raise UsageError("standard input cannot be replaced: --in-place needs files")


def _is_folder(path: str) -> bool:
    return path.endswith(("/", os.sep)) or (not is_remote(path) and os.path.isdir(path))


def _many(paths: Sequence[str]) -> str:
    return "several files" if len(paths) > 1 else f"{shown(paths[0])} is a folder"


def _into_folder(folder: str, path: str, file: Found) -> Job:
    if file.path == STANDARD_INPUT:
        raise UsageError("standard input has no name for a file in a folder: give -o a file")
    inside = os.path.relpath(file.path, path) if file.path != path else os.path.basename(file.path)
    return Job(file.path, os.path.join(folder, inside), file.walked, inside)


def _apart(work: Iterable[Job]) -> list[Job]:
    """Return jobs, each once.

    Raises:
        UsageError: two results would be one file, or one would be written over what another is made from.
    """
    leads_to = RealPaths().of
    results: dict[str, Job] = {}
    for job in work:
        other = results.setdefault(leads_to(job.target), job)
        if leads_to(other.source) != leads_to(job.source):
            raise UsageError(f"{shown(other.source)} and {shown(job.source)} would both become {shown(job.target)}")
    read = {leads_to(job.source): job.source for job in results.values()}
    for target, job in results.items():
        if target in read and leads_to(job.source) != target:
            raise UsageError(
                f"{shown(read[target])} is to be read, and what {shown(job.source)} becomes would be written over it: "
                "choose another folder"
            )
    return list(results.values())


class RealPaths:
    """Where paths lead, whatever links are on the way; it remembers folders."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def of(self, path: str) -> str:
        """Return where a path leads, be there a file or not."""
        if path == STANDARD_OUTPUT or is_remote(path):
            return path
        folder, name = os.path.split(path)
        if os.path.islink(path) or name in ("", os.curdir, os.pardir):
            return os.path.realpath(path)
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(folder)
        return os.path.join(self._folders[folder], name)


def check_free(flag: str, path: str) -> None:
    """Refuse to write a record over a file: it may be a slip of the hand, or a record that is the only way back.

    Raises:
        UsageError: there is a file of that name.
    """
    if is_remote(path):
        raise UsageError(f"{flag} {shown(path)}: a record is not written to a remote place")
    if os.path.isfile(path) or (os.path.islink(path) and not os.path.exists(path)):
        raise UsageError(f"{flag} {shown(path)}: there is a file of that name; move it away or choose another name")


def before(job: Job) -> Snapshot | None:
    """Return what the file is like that a job replaces by its own result; to be asked before it is read."""
    return snapshot(job.target) if job.source == job.target != STANDARD_OUTPUT else None


@contextmanager
def sink(job: Job, options: Destination, read: Snapshot | None = None) -> Iterator[BinaryIO]:
    """Open what a job writes to. But for standard output it is there when the block ends without an exception.

    Args:
        job: what is done.
        options: how it was asked for.
        read: what :func:`before` returned; a file that has changed since is not replaced.

    Raises:
        FileError: it cannot be written. BrokenPipeError: nobody reads standard output.
    """
    if options.in_place:
        check_replaceable(job.target, options)
    packs = options.unpack and packing_of(job.target)
    with _whole(job, options, read) as file, _packing(job.target, file) if packs else nullcontext(file) as inside:
        yield inside


def _whole(job: Job, options: Destination, read: Snapshot | None) -> AbstractContextManager[BinaryIO]:
    if job.target == STANDARD_OUTPUT:
        return standard_output()
    if is_remote(job.target):
        from eightfold.files.remote import sending

        return sending(job.target)
    if options.in_place and os.path.exists(job.target) and not os.path.isfile(job.target):
        raise FileError(job.target, "only a file can be replaced")
    if job.inside:
        return _inside(Root(options.output), job.inside, read)
    return replacing(job.target, options.backup, read)


@contextmanager
def _inside(root: Root, path: str, read: Snapshot | None) -> Iterator[BinaryIO]:
    with root.entry(path, new=True) as entry, replacing(entry, read=read) as file:
        yield file


def _packing(path: str, file: BinaryIO) -> AbstractContextManager[BinaryIO]:
    from eightfold.files.compression import packing

    return packing(path, file)
