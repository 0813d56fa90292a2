"""Files replaced in place: each exactly once, however often a run is interrupted and started again.

Not here: their new contents, how these are written, and the lock against other runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Protocol

from eightfold.cli.options.configuration import Configurations
from eightfold.cli.output.ending import NOTHING_WRONG, end_undisturbed
from eightfold.cli.output.lines import counted, say
from eightfold.cli.work.jobs import Job
from eightfold.files import FileError
from eightfold.files.path_text import as_path, as_text
from eightfold.files.records.journal_lines import Ends
from eightfold.files.records.journals import Journals
from eightfold.files.records.private import keeps_key
from eightfold.files.records.scopes import Scope
from eightfold.files.walk.globs import Pattern
from eightfold.files.write.temporary import clear_strays

_MOST_PATHS = 1000
_MOST_CHARACTERS = 1 << 24
"""More paths than this are known by a digest, unless they are files, and all journals that list them take no more."""


class ScopeOptions(Protocol):
    """The options that say which files a command takes."""

    include: list[Pattern]
    exclude: list[Pattern]
    no_ignore: bool
    force_exclude: bool
    binary: bool
    backup: str
    configurations: Configurations

    @property
    def unpack(self) -> bool:
        """Whether compressed files are decompressed."""

    @property
    def paths(self) -> Sequence[str]:
        """The paths that were given."""


def _scope(options: ScopeOptions) -> Scope:
    paths = sorted({as_text(os.path.realpath(path)) for path in options.paths})
    if len(paths) > _MOST_PATHS and not _are_in_few_folders(paths):
        paths = [sha256("\n".join(paths).encode()).hexdigest()]
    given = [("include", each) for each in options.include] + [("exclude", each) for each in options.exclude]
    patterns = [f"{name}={as_text(os.fsdecode(each.written))}" for name, each in given]
    patterns += [f"backup={as_text(options.backup)}"] if options.backup else []
    patterns += ["force_exclude"] if options.force_exclude else []
    widening = {"no_ignore": options.no_ignore, "binary": options.binary, "no_compression": not options.unpack}
    flags = [name for name, is_given in widening.items() if is_given]
    return Scope(tuple(paths), tuple(patterns), tuple(flags), _configuration(options.configurations))


def _are_in_few_folders(paths: Sequence[str]) -> bool:
    """Return whether paths are files in so few folders that the journal of each can list all of them."""
    folders = {os.path.dirname(path) for path in paths}
    is_short = len(folders) * sum(map(len, paths)) <= _MOST_CHARACTERS
    return is_short and not any(os.path.isdir(as_path(path)) for path in paths)


def _configuration(configurations: Configurations) -> tuple[str, ...]:
    if configurations.off:
        return ("none",)
    return (as_text(os.path.realpath(configurations.file)),) if configurations.file else ()


class UnchangedError(Exception):
    """A file that would be replaced by itself, so it is skipped."""


class InPlace:
    """One run that replaces files, and holds their folders: see :mod:`eightfold.files.write.locks`.

    Args:
        done: the participle for what happens to them: converted.
        conversion: that, as names and values.
        options: say which files it takes.
    """

    def __init__(self, done: str, conversion: Mapping[str, str], options: ScopeOptions) -> None:
        self._done = done
        self._journals = Journals(conversion, _scope(options), options.paths)
        self._is_begun = False

    def nothing_left(self, jobs: Iterable[Job]) -> bool:
        """Clean up after a run that was interrupted when it had done everything; return whether there was one."""
        tidied = self._journals.tidy([job.way for job in jobs])
        if tidied:
            say(f"an interrupted run had already {self._done} every file: nothing is left to do")
        return tidied

    @property
    def is_resumed(self) -> bool:
        """Whether an earlier run was interrupted in one of the folders, or beside one of the files."""
        return bool(self._journals.before)

    def once(self, job: Job, act: Callable[[], object]) -> bool:
        """Replace a file, unless an interrupted run has done so; return whether it was replaced now.

        Threads may do so with several files at the same time.

        Raises:
            FileError: it was changed since such a run; and what the act raises.
        """
        if self._journals.has(job.way, job.source, job.backup):
            # A file that its result equals counts as done, although the run may have been killed before the rename.
            with job.way.entry() as entry:
                clear_strays(entry)
            return False
        try:
            act()
        except FileError:
            self._journals.take_back(job.way)
            raise
        except UnchangedError:
            self._journals.settle(job.way)
            raise
        self._journals.settle(job.way)
        return True

    def begin(self, job: Job, digests: tuple[str, str]) -> None:
        """Record that a file is about to be replaced: its digest, and that of its result."""
        if not self._is_begun and not keeps_key():
            say("cannot store a key (see $XDG_STATE_HOME): if this run is interrupted, it cannot be resumed")
        self._is_begun = True
        self._journals.add(job.way, Ends(*digests))

    def end(self, status: int, *, certified: bool) -> None:
        """Report which files were skipped. If all are done, remove the record and ignore signals from then on.

        Args:
            status: the exit status of the run.
            certified: whether this run writes certificates.
        """
        self._journals.sync()
        if self._journals.already:
            uncertified = "; no certificate is written for them" if certified else ""
            say(f"{counted(self._journals.already, 'file')} already {self._done} by an interrupted run{uncertified}")
        if status == NOTHING_WRONG:
            end_undisturbed()
            self._journals.end()
            if self._journals.left:
                say("a run that may take other files was interrupted: run that again too; finished files are skipped")
        elif self._journals.left and keeps_key():
            say("incomplete: run the command again; finished files are skipped")
        elif self._journals.left:
            say("incomplete: the journals list the finished files, and block another run")
