"""Journals of replacing files in place: which files of a folder are done, so that none is ever converted twice.

A journal lies in the folder itself until a run has ended well (:mod:`eightfold.files.records.journal`). A killed run,
or one that met a fault, leaves it, and the next run reads it. All folders are synced, once each, before any journal
says that its run ends or is removed; from then on no rename can be undone.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

from eightfold.files import FileError, blaming
from eightfold.files.path_text import as_path, as_text, shown
from eightfold.files.paths.roots import Way
from eightfold.files.read.digests import digest_of
from eightfold.files.read.reading import opened_entry
from eightfold.files.records.journal import Journal, is_there
from eightfold.files.records.journal_lines import ENDED, ENDING, NOT_DONE, OVER, Ending, Ends, new_run
from eightfold.files.records.scopes import Scope

NAME = ".conversion-journal.eightfold.tmp"
"""A name that marks the file as this program's, so walking never finds it."""


def check_none(path: str) -> None:
    """Refuse to replace a file whose folder has a journal: the run that it belongs to would convert the result again.

    Raises:
        FileError: there is one.
    """
    Journal(Way(os.path.realpath(path)).beside(NAME), {}, Scope()).check()


_OVER_FEWER = (
    "a run over fewer files had done them all when it was stopped: run it again, then only the others; "
    "or, if all is done, remove this file and others of its name"
)

_SINCE = "it was added or changed after an interrupted run had converted everything: move it away and run this again"


def _found_in(path: str) -> Iterator[Way]:
    """Yield the journals in a folder or below, or the one beside a file."""
    if not os.path.isdir(path):
        beside = Way(os.path.realpath(path)).beside(NAME)
        yield from [beside] if is_there(beside) else ()
        return
    top, due = os.path.join(path, ""), [path]
    while due:  # `os.walk` calls itself before Python 3.12, and folders may lie deeper in each other than calls may.
        with suppress(OSError), os.scandir(due.pop()) as entries:
            for entry in entries:
                if entry.name == NAME:
                    yield Way.to_found(entry.path, entry.path.removeprefix(top)).beside(NAME)
                if entry.is_dir(follow_symlinks=False):
                    due.append(entry.path)


class Journals:
    """The journals of one run, which continues interrupted runs of the same conversion.

    Threads may call these methods at the same time, each for its own file.

    Args:
        conversion: the conversion, as names and values; a journal of a different one is refused.
        scope: which files the run takes; a journal of a run that takes more stays when this one ends.
        paths: the files and folders that it was given.
    """

    def __init__(self, conversion: Mapping[str, str], scope: Scope, paths: Iterable[str] = ()) -> None:
        self._conversion = dict(conversion)
        self._scope = scope
        self._paths = paths
        self._journals: dict[str, Journal] = {}
        self._results: dict[str, Way] = {}
        self._taken: set[str] = set()
        self._found_done: set[str] = set()
        self._is_left = False

    def _at(self, way: Way) -> Journal:
        """Return the journal to which a way leads."""
        found = self._journals.get(way.path)
        return found or self._journals.setdefault(way.path, Journal(way, self._conversion, self._scope))

    def _of(self, file: Way) -> Journal:
        """Return the journal of a file's folder."""
        return self._at(file.beside(NAME))

    @cached_property
    def before(self) -> list[Journal]:
        """The journals in the folders that the run was given, and beside the files, as they were before it."""
        return [self._at(way) for path in self._paths for way in _found_in(path)]

    @property
    def already(self) -> int:
        """The number of files found converted."""
        return len(self._found_done)

    def has(self, file: Way, called: str, backup: str = "") -> bool:
        """Return whether an interrupted run has converted a file, which may have been renamed since.

        Args:
            file: the file.
            called: its name in messages.
            backup: the suffix under which it is to be kept, if it is: that may be left to do of a file that is its own
                result.

        Raises:
            FileError: the file has changed since, or its journal is of another conversion or cannot be read.
        """
        journal, name = self._of(file), os.path.basename(file.real)
        journal.enter()
        ends = journal.said.entries.get(as_text(name), NOT_DONE)
        if ends == NOT_DONE and not self._results:
            return False
        digest = _digest(file)
        if ends != NOT_DONE and digest not in ends:
            said = shown(journal.path)
            raise FileError(called, f"it was changed after an interrupted run converted it, according to {said}")
        is_done = self._is_result(digest) if ends == NOT_DONE else digest == ends.result
        if backup and is_done and ends.original == digest:
            is_done = _has_digest(file.beside(name + backup), digest)
        if is_done:
            self._taken.add(file.real)
            self._found_done.add(file.real)
        return is_done

    def _is_result(self, digest: str) -> bool:
        """Return whether a file with a digest is a result that was renamed; if that is there, it is another file."""
        return digest in self._results and not _has_digest(self._results[digest], digest)

    def add(self, file: Way, ends: Ends) -> None:
        """Record that a file is about to be replaced; the record is on the disk when this returns.

        Raises:
            FileError: it cannot be recorded.
        """
        self._of(file).add(file, ends)

    def settle(self, file: Way) -> None:
        """Record that a file has been replaced, as announced, or would not change."""
        self._of(file).settle(file)
        self._taken.add(file.real)

    def take_back(self, file: Way) -> None:
        """Record that a file was not replaced after all, if that was announced.

        Raises:
            FileError: it cannot be recorded.
        """
        self._of(file).take_back(file)

    @property
    def _met(self) -> list[Journal]:
        return [journal for journal in self._journals.values() if journal.is_met]

    @property
    def left(self) -> bool:
        """Whether there are any journals."""
        return self._is_left or bool(self._met)

    def sync(self) -> None:
        """Let all renames in folders with a journal survive a power cut; call it when all files are done."""
        for journal in self._met:
            journal.sync_folder()

    def end(self) -> None:
        """Remove the journals: everything is done, but for those of interrupted runs that take more files.

        If this run is killed while it removes them, a later run must not think that nothing is done in a folder without
        a journal. So each journal first records that the run is ending, then each that it has ended, and only then are
        they removed: if one says that the run has ended, the others say that, or that it is ending. See :meth:`tidy`.
        Call :meth:`sync` first.
        """
        waiting, over = self._waiting(), []
        for journal in self._met:
            if any(scope.reaches(as_text(journal.folder)) for scope in waiting):
                journal.say(OVER)
            else:
                over.append(journal)
        if len(over) > 1:
            run = new_run()
            for word in (ENDING, ENDED):
                for journal in over:
                    journal.say(word, run, len(over))
        for journal in over:
            journal.remove()

    def _waiting(self) -> set[Scope]:
        """Return what other runs take that may not all have been taken by this one.

        What this run has done where they take files must be known to them too.
        """
        journals = self._journals.values()
        others = {scope for journal in journals for scope in journal.said.scopes if scope != self._scope}
        if not others:
            return set()
        taken = self._taken_with_folders(self._taken)
        waiting = {scope for scope in others if not self._scope.holds(self._without_gone(scope), taken.__contains__)}
        for journal in journals:
            if any(path not in self._taken and os.path.lexists(path) for path in journal.done):
                waiting |= {*journal.said.scopes} & others
        return waiting

    def _without_gone(self, scope: Scope) -> Scope:
        """Return what a run takes without the files that have gone from folders in which it has left a journal.

        Elsewhere a path that leads to nothing may lead to something again, once a disk is mounted.
        """

        def is_gone(path: str) -> bool:
            journal = self._journals.get(os.path.join(os.path.dirname(path), NAME))
            return journal is not None and scope in journal.said.scopes and not os.path.lexists(path)

        return scope._replace(paths=tuple(path for path in scope.paths if not is_gone(as_path(path))))

    def _taken_with_folders(self, files: Iterable[str]) -> set[str]:
        """Return the paths of files that were found in folders, and of the folders on the way to them."""
        given = set(self._scope.paths)
        taken = {as_text(file) for file in files} - given
        for path in [*taken]:
            while (path := os.path.dirname(path)) not in given and path not in taken:
                taken.add(path)
        return taken

    def tidy(self, files: Sequence[Way]) -> bool:
        """Remove the journals of a run that was stopped while it removed them; return whether there were any.

        It had converted everything. A file that was added since looks like one in a folder whose journal is gone, and
        is refused. What other runs of the conversion have written is remembered, so that it is known under
        another name too. Journals of a different conversion that has ended are removed too, but do not count.

        Args:
            files: all files that this run takes.

        Raises:
            FileError: a journal cannot be read or removed; a file was added since; or there are journals of the same
                conversion that had not done everything, or the run that had took fewer files: then nobody could say
                what is done in a folder without one.
        """
        entered = dict.fromkeys(map(self._of, files))
        # Where this run takes no file, another conversion does not matter.
        found = [each for each in {**entered, **dict.fromkeys(self.before)} if each.said.run or each in entered]
        ended = _ended(found)
        ours = {each: ending for each, ending in ended.items() if each.said.run}
        others = [each for each in found if each.was_there and each not in ended]
        if ours and others:
            there = shown(min(each.path for each in ours))
            reason = f"a run was interrupted here, and another had ended at {there}: run it again on each folder alone"
            raise FileError(others[0].path, reason)
        self._end_others(ours, files)
        _remove({each: ending for each, ending in ended.items() if each not in ours})
        for each in others:
            for name, ends in each.said.entries.items():
                if ends.original != ends.result:
                    self._results[ends.result] = each.way.beside(as_path(name))
            if each not in entered:
                each.enter()
        return bool(ours)

    def _end_others(self, ended: Mapping[Journal, Ending], files: Sequence[Way]) -> None:
        """Remove the journals of a run that has ended, unless it took more files: it would convert all again without.

        Raises:
            FileError: it took fewer, or a file was added or changed since.
        """
        if not ended:
            return
        given = {as_text(file.real) for file in files}.intersection(self._scope.paths)
        listed = {as_text(os.path.join(each.folder, as_path(name))) for each in ended for name in each.said.entries}
        for each, ending in ended.items():
            # A file that this run was given may have been ignored in a folder.
            if not ending.scope.holds(self._scope, lambda path: path not in given or path in listed):
                raise FileError(each.path, _OVER_FEWER)
        _check_older(files, ended)
        taken = self._taken_with_folders(file.real for file in files)
        over = {each: ending for each, ending in ended.items() if self._scope.holds(ending.scope, taken.__contains__)}
        self._is_left = len(over) < len(ended)
        _remove(over)


def _ended(found: Collection[Journal]) -> dict[Journal, Ending]:
    """Return the journals that say all that a run of this conversion has left, or all of other conversions.

    While all journals of a run are there, they say what it has done: then it can go on as if it had not ended.
    """
    past = frozenset[str]().union(*(each.past for each in found))
    endings = {each: each.ending for each in found if each.ending and each.ending.run not in past}
    count = Counter(ending.run for ending in endings.values())
    runs = {
        ending.run
        for each, ending in endings.items()
        if ending.word == ENDED and not (each.said.run and count[ending.run] == ending.journals)
    }
    return {each: ending for each, ending in endings.items() if ending.run in runs}


def _remove(ended: Mapping[Journal, Ending]) -> None:
    """Remove the journals of runs that have ended; last those that say so, from which it is known of the others."""
    for journal, ending in ended.items():
        if ending.word == ENDING:
            journal.remove()
            journal.sync_folder()
    for journal, ending in ended.items():
        if ending.word == ENDED:
            journal.remove()


def _check_older(files: Iterable[Way], ended: Iterable[Journal]) -> None:
    """Refuse a file that has appeared or changed after a run had ended."""
    last = max(_status(each.way).st_mtime_ns for each in ended)
    for file in files:
        if _status(file).st_ctime_ns > last:
            raise FileError(file.path, _SINCE)


def _status(file: Way) -> os.stat_result:
    with blaming(file.path), file.entry() as entry:
        return entry.own_status()


def _has_digest(file: Way, digest: str) -> bool:
    """Return whether a file is there and has a digest."""
    with suppress(FileError, OSError):
        return is_there(file) and _digest(file) == digest
    return False


def _digest(file: Way) -> str:
    with file.entry() as entry, opened_entry(entry) as source:
        return digest_of(source)
