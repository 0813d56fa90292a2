"""Journals of replacing files in place: which files of a folder are done, so that none is ever converted twice.

A journal lies in the folder itself until a run has ended well. A killed run, or one that met a fault, leaves it, and
the next run reads it. Before a file is replaced, a line gives its digests before and after, so that whenever the run is
killed, the file is one or the other; if it is neither, somebody has changed it.

A journal's name and line are on the disk before the rename that they announce, so a power cut may undo renames while
the journal is there: the next run finds the old file and converts it. All folders are synced, once each, before any
journal says that its run ends or is removed; from then on no rename can be undone.

A tree may come from anybody, and a file with this name may come with it. So each line has a seal, made with a key that
only this user has (:mod:`eightfold.files.records.private`), and a journal with a wrong seal is refused. So is a journal
copied from another folder: it records its folder's path and inode, and one of them must match. A journal is never
reached through a link and names files of its own folder only, and nothing but the journal is removed because of it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from io import FileIO
from threading import Lock
from typing import Any

from eightfold.files import FileError, blaming
from eightfold.files.path_text import as_path, as_text, shown
from eightfold.files.paths.entries import NO_LINK
from eightfold.files.paths.roots import Way
from eightfold.files.read.digests import digest_of
from eightfold.files.read.reading import opened_entry
from eightfold.files.records.journal_lines import (
    ENDED,
    ENDING,
    JOINED,
    KIND,
    NOT_DONE,
    OVER,
    Ending,
    Ends,
    about,
    head,
    is_begun,
    parsed,
    place,
    refusing,
    scope_of,
    sealed,
    unsealed,
)
from eightfold.files.records.json_lines import LONGEST_LINE, heading
from eightfold.files.records.scopes import Scope

NAME = ".conversion-journal.eightfold.tmp"
"""A name that marks the file as this program's, so walking never finds it."""
_RUN_BYTES = 16


def check_none(path: str) -> None:
    """Refuse to replace a file whose folder has a journal: the run that it belongs to would convert the result again.

    Raises:
        FileError: there is one.
    """
    journal = Way(os.path.realpath(path)).beside(NAME)
    if not _is_there(journal):
        return
    with blaming(journal.path), _opened(journal, os.O_RDONLY, "rb") as file:
        data = _content(file, journal.path)
    if not is_begun(data):
        raise _interrupted(journal.path, parsed(data, journal.path).conversion)


_OVER_FEWER = (
    "a run over fewer files had done them all when it was stopped: run it again, then only the others; "
    "or, if all is done, remove this file and others of its name"
)


def _interrupted(journal: str, conversion: Mapping[str, str]) -> FileError:
    what = ", ".join(f"{name} {value}" for name, value in conversion.items())
    return FileError(journal, f"a conversion ({what}) was interrupted here: run it again first, or remove this file")


def _found_in(path: str) -> Iterator[Way]:
    """Yield the journals in a folder or below, or the one beside a file."""
    if not os.path.isdir(path):
        beside = Way(os.path.realpath(path)).beside(NAME)
        yield from [beside] if _is_there(beside) else ()
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
        self._scopes: dict[str, tuple[Scope, ...]] = {}
        self._listed: dict[str, set[str]] = {}
        self._taken: set[str] = set()
        self._lock = Lock()
        self._met: dict[str, int] = {}
        self._ways: dict[str, Way] = {}
        self._runs: dict[str, str] = {}
        self._begun: set[str] = set()
        self._named: set[str] = set()
        self._folder = ""
        self._refused: FileError | None = None
        self._done: dict[str, Ends] = {}
        self._results: dict[str, Way] = {}
        self._is_left = False
        self.already: int = 0
        """The number of files found converted."""

    @cached_property
    def before(self) -> list[Way]:
        """The journals in the folders that the run was given, and beside the files, as they were before it."""
        return [journal for path in self._paths for journal in _found_in(path)]

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
        folder, name = os.path.split(file.real)
        with self._lock:
            self._enter(folder, file.beside(NAME))
            ends = self._done.get(as_text(name), NOT_DONE)
        if ends == NOT_DONE and not self._results:
            return False
        digest = _digest(file)
        if ends != NOT_DONE and digest not in ends:
            journal = shown(os.path.join(folder, NAME))
            raise FileError(called, f"it was changed after an interrupted run converted it, according to {journal}")
        is_done = self._is_result(digest) if ends == NOT_DONE else digest == ends.result
        if backup and is_done and ends.original == digest:
            is_done = _has_digest(file.beside(name + backup), digest)
        if is_done:
            with self._lock:
                self.already += 1
                self._taken.add(file.real)
        return is_done

    def _is_result(self, digest: str) -> bool:
        """Return whether a file with a digest is a result that was renamed; if that is there, it is another file."""
        return digest in self._results and not _has_digest(self._results[digest], digest)

    def add(self, file: Way, ends: Ends) -> None:
        """Record that a file is about to be replaced; the record is on the disk when this returns.

        Raises:
            FileError: it cannot be recorded.
        """
        journal = file.beside(NAME)
        with blaming(journal.path), self._lock:
            appended = self._append(journal, about(file, ends))
            self._meet(journal, self._met.get(journal.path, 0) + 1)
            self._begun.add(file.real)
        try:
            with blaming(journal.path), appended:  # While this thread waits for the disk, others can add their lines.
                os.fsync(appended.fileno())
                if journal.path not in self._named:
                    _sync_folder(journal)
                    self._named.add(journal.path)
        except BaseException:
            self.take_back(file)
            raise

    def settle(self, file: Way) -> None:
        """Record that a file has been replaced, as announced, or would not change."""
        with self._lock:
            self._begun.discard(file.real)
            self._taken.add(file.real)

    def take_back(self, file: Way) -> None:
        """Record that a file was not replaced after all, if that was announced.

        Raises:
            FileError: it cannot be recorded.
        """
        with self._lock:
            if file.real in self._begun:
                self._begun.remove(file.real)
                self._take_back(file)

    def _take_back(self, file: Way) -> None:
        journal = file.beside(NAME)
        self._met[journal.path] -= 1
        if not self._met[journal.path]:
            self._remove(journal)
            return
        with blaming(journal.path):  # If a power cut loses this line, the file is still unchanged.
            self._append(journal, about(file, NOT_DONE)).close()

    def _meet(self, journal: Way, count: int) -> None:
        self._met[journal.path], self._ways[journal.path] = count, journal

    def _append(self, journal: Way, values: dict[str, Any]) -> FileIO:
        """Append a line, after the first two if the journal is new, and return the open file."""
        first, path = b"", journal.path
        if not _has_lines(journal):
            self._runs[path] = os.urandom(_RUN_BYTES).hex()
            begun = {"run": self._runs[path], "conversion": self._conversion, **self._taking(path)}
            first = heading(KIND) + sealed(begun, "")
        return _appended(journal, first + sealed(values, self._runs[path]))

    def _taking(self, journal: str) -> dict[str, Any]:
        """Return what the run takes, and where the journal lies, in values."""
        return {"scope": self._scope._asdict(), **place(journal)}

    @property
    def left(self) -> bool:
        """Whether there are any journals."""
        return self._is_left or bool(self._met)

    def sync(self) -> None:
        """Let all renames in folders with a journal survive a power cut; call it when all files are done."""
        for journal in self._met:
            _sync_folder(self._ways[journal])

    def end(self) -> None:
        """Remove the journals: everything is done, but for those of interrupted runs that take more files.

        If this run is killed while it removes them, a later run must not think that nothing is done in a folder without
        a journal. So each journal first records that the run is ending, then each that it has ended, and only then are
        they removed: if one says that the run has ended, the others say that, or that it is ending. See :meth:`tidy`.
        Call :meth:`sync` first.
        """
        waiting = self._waiting()
        left = [journal for journal in self._met if any(scope.reaches(_folder(journal)) for scope in waiting)]
        over = [self._ways[journal] for journal in self._met if journal not in left]
        for journal in left:
            self._say(self._ways[journal], OVER)
        if len(over) > 1:
            run = os.urandom(_RUN_BYTES).hex()
            for word in (ENDING, ENDED):
                for way in over:
                    self._say(way, word, run)
        for way in over:
            self._remove(way)

    def _say(self, journal: Way, word: str, run: str = "") -> None:
        """Append a line about this run, which is on the disk when this returns."""
        with blaming(journal.path), self._append(journal, {word: run, **self._taking(journal.path)}) as file:
            os.fsync(file.fileno())

    def _waiting(self) -> set[Scope]:
        """Return what other runs take that may not all have been taken by this one.

        What this run has done where they take files must be known to them too.
        """
        others = {scope for scopes in self._scopes.values() for scope in scopes if scope != self._scope}
        if not others:
            return set()
        taken = self._taken_with_folders(self._taken)
        waiting = {scope for scope in others if not self._scope.holds(scope, taken.__contains__)}
        for journal, paths in self._listed.items():
            if any(path not in self._taken and os.path.lexists(path) for path in paths):
                waiting |= {*self._scopes[journal]} & others
        return waiting

    def _taken_with_folders(self, files: Iterable[str]) -> set[str]:
        """Return the paths of files that were found in folders, and of the folders on the way to them."""
        given = set(self._scope.paths)
        taken = {as_text(file) for file in files} - given
        for path in [*taken]:
            while (path := os.path.dirname(path)) not in given and path not in taken:
                taken.add(path)
        return taken

    def tidy(self, files: Sequence[Way]) -> bool:
        """Remove the journals of a run that was stopped after converting everything; return whether it had any.

        What other runs of the conversion have written is remembered, so that it is known under another name too.
        Journals of a different conversion that has ended are removed too, but do not count.

        Args:
            files: all files that this run takes.

        Raises:
            FileError: a journal cannot be read or removed; or there are journals of the same conversion that had not
                done everything, or the run that had took fewer files: then nobody could say what is done in a folder
                without one.
        """
        entered = {journal.path: journal for journal in (file.beside(NAME) for file in files)}
        ways = {**entered, **{journal.path: journal for journal in self.before}}
        found = {journal: _last(way) for journal, way in ways.items() if _is_there(way)}
        # Where this run takes no file, another conversion does not matter.
        found = {each: last for each, last in found.items() if each in entered or last[0] == self._conversion}
        runs = {ending.run for _, ending in found.values() if ending and ending.word == ENDED}
        ended = {journal: ending for journal, (_, ending) in found.items() if ending and ending.run in runs}
        ours = {journal for journal in ended if found[journal][0] == self._conversion}
        others = [journal for journal in found if journal not in ended]
        if ours and others:
            there = shown(min(ours))
            reason = f"a run was interrupted here, and another had ended at {there}: run it again on each folder alone"
            raise FileError(others[0], reason)
        self._end_others({each: ending for each, ending in ended.items() if each in ours}, ways, files)
        _unlink_all({each: ending for each, ending in ended.items() if each not in ours}, ways)
        self._results = {digest: file for journal in others for digest, file in self._results_in(ways[journal])}
        for journal in others:
            if journal not in entered:
                self._entries_met(ways[journal])
        return bool(ours)

    def _end_others(self, ended: Mapping[str, Ending], ways: Mapping[str, Way], files: Sequence[Way]) -> None:
        """Remove the journals of a run that has ended, unless it took more files: it would convert all again without.

        Raises:
            FileError: it took fewer.
        """
        given = {as_text(file.real) for file in files}.intersection(self._scope.paths) if ended else set()
        listed = {path for journal in ended for path in self._listed_in(ways[journal])}
        for journal, ending in ended.items():
            # A file that this run was given may have been ignored in a folder.
            if not ending.scope.holds(self._scope, lambda path: path not in given or path in listed):
                raise FileError(journal, _OVER_FEWER)
        taken = self._taken_with_folders(file.real for file in files) if ended else set()
        over = {each: ending for each, ending in ended.items() if self._scope.holds(ending.scope, taken.__contains__)}
        self._is_left = len(over) < len(ended)
        _unlink_all(over, ways)

    def _listed_in(self, journal: Way) -> Iterator[str]:
        """Yield the paths of the files that are listed."""
        return (as_text(journal.beside(as_path(name)).real) for name in self._entries(journal))

    def _entries(self, journal: Way) -> dict[str, Ends]:
        """Return what a journal of the same conversion says of each file; nothing if it cannot be read."""
        with suppress(FileError), blaming(journal.path), _opened(journal, os.O_RDONLY, "rb") as file:
            said = parsed(_content(file, journal.path), journal.path)
            if said.conversion == self._conversion:
                return said.entries
        return {}

    def _results_in(self, journal: Way) -> Iterator[tuple[str, Way]]:
        """Yield the digests of results that are not the files that they were made from, and the ways to these."""
        for name, ends in self._entries(journal).items():
            if ends.original != ends.result:
                yield ends.result, journal.beside(as_path(name))

    def _remove(self, journal: Way) -> None:
        _unlink(journal)
        del self._met[journal.path], self._ways[journal.path]
        self._named.discard(journal.path)

    def _enter(self, folder: str, journal: Way) -> None:
        if folder != self._folder:
            self._done, self._refused, self._folder = {}, None, folder
            try:
                self._enter_new(journal)
            except FileError as error:
                self._refused = error
        if self._refused is not None:  # It is read once, however many files there are.
            raise FileError(self._refused.path, self._refused.reason)

    def _enter_new(self, journal: Way) -> None:
        if _is_there(journal):
            self._done = self._entries_met(journal)

    def _entries_met(self, journal: Way) -> dict[str, Ends]:
        """Return what the journal of an interrupted run says of each file; it is to be removed when this run ends."""
        path = journal.path
        done = self._read(journal)
        names = {name for name, ends in done.items() if ends != NOT_DONE}
        self._listed[path] = {os.path.join(os.path.dirname(path), as_path(name)) for name in names}
        self._meet(journal, len(names))
        if path in self._scopes and self._scope not in self._scopes[path]:
            self._say(journal, JOINED)
        return done

    def _read(self, journal: Way) -> dict[str, Ends]:
        path = journal.path
        with blaming(path), _opened(journal, os.O_RDWR, "r+b") as file:
            data = _content(file, path)
            # Nothing follows a line that was cut off in the middle.
            if is_begun(data):
                file.truncate(0)
                return {}
            said = parsed(data, path)
            if said.conversion != self._conversion:
                raise _interrupted(path, said.conversion)
            self._runs[path], self._scopes[path] = said.run, said.scopes
            file.truncate(data.rfind(b"\n") + 1)
        return said.entries


def _content(file: FileIO, journal: str) -> bytes:
    """Return all of a journal, which may be as long as it likes if its head is sealed.

    Raises:
        FileError: it is longer than a line, and not one of this user's.
    """
    data = file.read(LONGEST_LINE)
    if len(data) == LONGEST_LINE:
        *lines, _ = data.split(b"\n", 2)
        with refusing(journal):
            head(lines, journal)
        data += file.readall()
    return data


# --- opening ----------------------------------------------------------------------------------------------------------


def _is_there(journal: Way) -> bool:
    with suppress(OSError, FileError), journal.entry() as entry:
        return bool(entry.own_status())
    return False


def _has_lines(journal: Way) -> bool:
    with suppress(FileNotFoundError), journal.entry() as entry:
        return entry.own_status().st_size > 0
    return False


def _sync_folder(journal: Way) -> None:
    with suppress(FileError), journal.entry() as entry:
        entry.sync_folder()


def _unlink(journal: Way) -> None:
    with blaming(journal.path), journal.entry() as entry:
        entry.unlink()


def _opened(journal: Way, flags: int, mode: str) -> FileIO:
    """Open a journal, which must be a regular file with one name, and not a link.

    Raises:
        FileError: it is something else. OSError: it cannot be opened.
    """
    with journal.entry() as entry:
        with suppress(FileNotFoundError):
            _check_ours(journal.path, entry.own_status())
        descriptor = entry.open(flags | NO_LINK, 0o666)
    try:
        _check_ours(journal.path, os.fstat(descriptor))
        return FileIO(descriptor, mode)
    except BaseException:
        os.close(descriptor)
        raise


def _check_ours(journal: str, status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise FileError(journal, "a symbolic link, which is not followed: inspect it, then remove it")
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        raise FileError(journal, "not a regular file with one name: inspect it, then remove it")


def _appended(journal: Way, lines: bytes) -> FileIO:
    """Append lines, all of them or none, and return the open file."""
    file = _opened(journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT, "ab")
    end = file.seek(0, os.SEEK_END)
    try:
        while lines:
            lines = lines[file.write(lines) :]
    except BaseException:
        file.truncate(end)
        file.close()
        if not end:
            _unlink(journal)
        raise
    return file


def _last(journal: Way) -> tuple[dict[str, str], Ending | None]:
    """Return the conversion that a journal belongs to, and its last line if that says that everything is done.

    Nothing is returned for one that cannot be trusted; that is reported when the journal is entered.
    """
    wrong = FileNotFoundError, FileError, LookupError, AttributeError, TypeError, ValueError
    with suppress(*wrong), blaming(journal.path):
        with _opened(journal, os.O_RDONLY, "rb") as file:
            *lines, rest = _content(file, journal.path).split(b"\n")
        conversion, run, _ = head(lines, journal.path)
        values = {} if rest else unsealed(lines[-1], run if len(lines) > 2 else "")
        words = (word for word in (ENDING, ENDED) if word in values)
        return conversion, next((Ending(word, values[word], scope_of(values, journal.path)) for word in words), None)
    return {}, None


def _unlink_all(ended: Mapping[str, Ending], ways: Mapping[str, Way]) -> None:
    """Remove the journals of runs that have ended; last those that say so, from which it is known of the others."""
    for journal, ending in ended.items():
        if ending.word == ENDING:
            _unlink(ways[journal])
            _sync_folder(ways[journal])
    for journal, ending in ended.items():
        if ending.word == ENDED:
            _unlink(ways[journal])


def _folder(journal: str) -> str:
    return as_text(os.path.dirname(journal))


def _has_digest(file: Way, digest: str) -> bool:
    """Return whether a file is there and has a digest."""
    with suppress(FileError, OSError):
        return _is_there(file) and _digest(file) == digest
    return False


def _digest(file: Way) -> str:
    with file.entry() as entry, opened_entry(entry) as source:
        return digest_of(source)
