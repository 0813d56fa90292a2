"""The jobs of a command that writes files: a file, and where its result goes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property

from eightfold.cli.options.destination import STANDARD_OUTPUT, DestinationOptions
from eightfold.cli.output.ending import UsageError
from eightfold.cli.output.lines import counted, say
from eightfold.cli.work.inputs import found_files, needing_more
from eightfold.files import FileError, blaming
from eightfold.files.path_text import shown
from eightfold.files.paths.addresses import is_remote, packing_of
from eightfold.files.paths.roots import Way
from eightfold.files.read.reading import STANDARD_INPUT, Source, is_read_from, opened
from eightfold.files.walk.walking import Found, Walking, walked
from eightfold.files.write.writing import check_not_output, is_written_at_once, leads_to_standard_output
from eightfold.forms.utf_8 import UTF_8


@dataclass(frozen=True)
class Job:
    """A file and the target of its result; their paths are interpreted here, once.

    Attributes:
        source: the file, or ``-``.
        target: the file, or ``-``.
        walked: whether the file was found in a folder rather than given.
        inside: the path of the target in the folder that results go to, where they do: in it no link is followed, and
            folders are made.
        folder: that folder.
        in_place: whether the result replaces the file.
        backup: the suffix under which a replaced file is kept; empty for no backup.
        unpack: whether compressed files are decompressed, and results compressed.
        found_as: the path of the file as patterns see it, if it was found.
        journaled: whether a journal says of a replaced file what it was and what it becomes.
    """

    source: str
    target: str
    walked: bool = False
    inside: str = ""
    folder: str = ""
    in_place: bool = False
    backup: str = ""
    unpack: bool = True
    found_as: bytes = b""
    journaled: bool = False

    @cached_property
    def is_remote(self) -> bool:
        """Whether the result goes to a remote place."""
        return is_remote(self.target)

    @cached_property
    def packing(self) -> str:
        """How the result is compressed, as :func:`packing_of` says it; empty if it is not."""
        return packing_of(self.target) if self.unpack else ""

    @cached_property
    def way(self) -> Way:
        """The way to the file; links lead to one that was given."""
        if self.walked:
            return Way.to_found(self.source, os.fsdecode(self.found_as))
        return Way(os.path.realpath(self.source))

    @property
    def found(self) -> Found:
        """The file as it was found."""
        return Found(self.source, self.found_as, self.walked)

    @cached_property
    def to_standard_output(self) -> bool:
        """Whether the result goes to standard output, perhaps by another name, such as `/dev/stdout`."""
        is_apart = self.in_place or bool(self.inside) or self.is_remote
        return self.target == STANDARD_OUTPUT or (not is_apart and leads_to_standard_output(self.target))

    def check_replaceable(self) -> None:
        """Refuse to replace a file that could not be restored exactly, or not be replaced as a whole.

        Raises:
            FileError: it is compressed, or remote.
        """
        if self.is_remote:
            raise FileError(self.target, "a remote file cannot be replaced: use -o to write to another file")
        if self.packing:
            raise FileError(self.target, "a compressed file cannot be replaced: use -o to write to another file")

    def opened(self, *, twice: bool) -> AbstractContextManager[Source]:
        """Open the file for reading, as :func:`eightfold.files.read.reading.opened` does.

        Raises:
            FileError: it cannot be opened, or its result goes to standard output, which goes to it.
        """
        if self.to_standard_output:
            check_not_output(self.source)
        file = self.way if self.walked else self.source
        return opened(file, twice=twice, unpack=self.unpack, regular=self.in_place)

    @property
    def replaces_source(self) -> bool:
        """Whether the result takes the place of what it is made from."""
        if self.in_place or self.walked or self.to_standard_output or is_remote(self.target) or is_remote(self.source):
            return self.in_place  # A folder that holds what goes into it is refused.
        return os.path.realpath(self.source) == os.path.realpath(self.target)

    @property
    def unwritten(self) -> str:
        """What happens to the target if work on the file stops."""
        if self.to_standard_output or is_written_at_once(self.target):
            return "the output ends before it"
        return f"{shown(self.target)} is not written"


def job_of(options: DestinationOptions, file: Found, target: str, inside: str = "") -> Job:
    """Return the job of a file, as the options say: see :class:`Job`."""
    return Job(
        file.path,
        target,
        walked=file.walked,
        inside=inside,
        folder=options.output if inside else "",
        in_place=options.in_place,
        backup=options.backup,
        unpack=options.unpack,
        found_as=file.inside,
    )


def jobs(
    options: DestinationOptions,
    on_error: Callable[[FileError], None],
    walking: Walking = walked,
    *,
    journaled: bool = False,
) -> list[Job]:
    """Return all jobs, before any is done.

    Args:
        options: the paths, and where their results go.
        on_error: called with each folder that cannot be listed.
        walking: walks through a folder whose files are replaced; files that it does not find stay as they are.
        journaled: whether files that are replaced have a journal.

    Raises:
        UsageError: the options contradict each other, or results would be written over each other or over sources.
    """
    _check(options)
    paths = options.paths or (STANDARD_INPUT,)
    if options.in_place:
        files = found(options, on_error, replaced=True, walking=walking)
        return [replace(job_of(options, file, file.path), journaled=journaled) for file in files]
    several = len(paths) > 1 or os.path.isdir(paths[0])
    if not several and not _is_folder(options.output):
        return [job_of(options, file, options.output) for file in found(options, on_error)]
    if options.output == STANDARD_OUTPUT:
        raise UsageError(f"{_many(paths)}: use -o FOLDER or --in-place to say where the results go")
    each = ((path, replace(options, paths=(path,))) for path in paths)
    return _apart(_into_folder(options, path, file) for path, one in each for file in found(one, on_error))


def found(
    options: DestinationOptions,
    on_error: Callable[[FileError], None],
    *,
    replaced: bool = False,
    walking: Walking = walked,
) -> Iterator[Found]:
    """Yield the files that paths stand for, unless the walking takes care of them; each once if files are replaced.

    In a folder it skips backups, if files are backed up, and compressed files, if files are replaced; it counts both.
    """
    files = _found(options, on_error, walking, replaced=replaced)
    for file in _once(files) if replaced else files:
        if (left := needing_more(file, walking)) is not None:
            yield left


def _found(
    options: DestinationOptions, on_error: Callable[[FileError], None], walking: Walking, *, replaced: bool
) -> Iterator[Found]:
    compressed = backups = 0
    for file in found_files(options.paths, on_error, options.selection, walking):
        refusal = _refusal(options, file)
        if refusal is not None:
            on_error(refusal)
            continue
        if file.walked and options.backup and file.path.endswith(options.backup):
            backups += 1
        elif file.walked and replaced and options.unpack and packing_of(file.path):
            compressed += 1
        else:
            yield file
    if backups:
        say(f"{counted(backups, 'file')} skipped: names that end in {shown(options.backup)} are backups (--backup)")
    if compressed:
        say(f"{counted(compressed, 'compressed file')} skipped: they cannot be replaced (--no-compression)")


def _refusal(options: DestinationOptions, file: Found) -> FileError | None:
    """Return why a file is not read: a configuration gives it another form, which only the command line can choose.

    What comes with a tree could otherwise choose how its files are rewritten; and to ignore it would destroy them.
    """
    if options.form_is_given or file.form in ("", UTF_8.name):
        return None
    ruled = options.configurations.above(os.path.dirname(file.path))
    origin = "" if ruled is None else shown(ruled.rules.origin)
    ways = f"use {options.reading_as(file.form)} to read it so, or -f {UTF_8.name}"
    return FileError(file.path, f"{origin} gives it the form {file.form}; {ways}")


def may_meet(paths: Sequence[str]) -> bool:
    """Return whether a file may be found in two of these paths; one that is given twice is not."""
    return len(paths) > 1 and any(map(os.path.isdir, paths))


def _once(files: Iterable[Found]) -> Iterator[Found]:
    """Yield files without repetitions under another path: converting a file twice destroys it."""
    leads_to = RealPaths().of
    met: set[str] = set()
    for file in files:
        real = leads_to(file.path)
        if real not in met:
            met.add(real)
            yield file


def _check(options: DestinationOptions) -> None:
    if options.backup and not options.in_place:
        raise UsageError("--backup needs --in-place")
    if options.in_place and options.output != STANDARD_OUTPUT:
        raise UsageError("-o and --in-place cannot be combined")
    if options.in_place and (not options.paths or STANDARD_INPUT in options.paths):
        raise UsageError("standard input cannot be replaced: --in-place needs files")
    if options.output != STANDARD_OUTPUT:
        _check_not_read(options, options.output)


def _check_not_read(options: DestinationOptions, target: str) -> None:
    """Refuse to write a result over what says which files there are, or how to read them."""
    files = {"list of --files-from": options.files_from, "file of --config": options.configurations.file}
    for what, file in files.items():
        if file and is_read_from(file, target):
            raise UsageError(f"{shown(target)} is the {what}, and a result would overwrite it: choose another name")


def _is_folder(path: str) -> bool:
    return path.endswith(("/", os.sep)) or (not is_remote(path) and os.path.isdir(path))


def _many(paths: Sequence[str]) -> str:
    return "several files" if len(paths) > 1 else f"{shown(paths[0])} is a folder"


def _into_folder(options: DestinationOptions, path: str, file: Found) -> Job:
    if file.path == STANDARD_INPUT:
        raise UsageError("standard input has no file name: use -o to name a file, not a folder")
    inside = os.path.relpath(file.path, path) if file.path != path else os.path.basename(file.path)
    target = os.path.join(options.output, inside)
    _check_not_read(options, target)
    return job_of(options, file, target, inside)


def _apart(work: Iterable[Job]) -> list[Job]:
    """Return jobs, each once.

    Raises:
        UsageError: two results would be one file, or one would be written over what it or another is made from.
    """
    leads_to = RealPaths().of
    results: dict[str, Job] = {}
    for job in work:
        other = results.setdefault(leads_to(job.target), job)
        if leads_to(other.source) != leads_to(job.source):
            raise UsageError(f"{shown(other.source)} and {shown(job.source)} would both become {shown(job.target)}")
    read = {leads_to(job.source): job.source for job in results.values()}
    for target, job in results.items():
        is_own = leads_to(job.source) == target
        if is_own and job.walked:
            raise UsageError(
                f"{shown(job.source)} would be replaced by its result: use --in-place, which can be resumed"
            )
        if target in read and not is_own:
            raise UsageError(
                f"{shown(read[target])} is an input, and the result of {shown(job.source)} would overwrite it: "
                "choose another folder"
            )
    return list(results.values())


class RealPaths:
    """Resolves paths through links, and remembers folders."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def of(self, path: str) -> str:
        """Return where a path leads, whether or not a file is there.

        Raises:
            FileError: a link on the way is replaced meanwhile.
        """
        if path == STANDARD_OUTPUT or is_remote(path):
            return path
        folder, name = os.path.split(path)
        with blaming(path):
            if os.path.islink(path) or name in ("", os.curdir, os.pardir):
                return os.path.realpath(path)
            if folder not in self._folders:
                self._folders[folder] = os.path.realpath(folder)
        return os.path.join(self._folders[folder], name)
