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

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import FileIO
from threading import Lock
from typing import Any, NamedTuple

from eightfold.files import FileError, blaming
from eightfold.files.path_text import as_path, as_text, shown
from eightfold.files.paths.entries import NO_LINK
from eightfold.files.paths.roots import Way
from eightfold.files.read.digests import digest_of
from eightfold.files.read.reading import opened_entry
from eightfold.files.records.json_lines import LONGEST_LINE, heading, record, value
from eightfold.files.records.private import key
from eightfold.files.records.scopes import Scope

NAME = ".conversion-journal.eightfold.tmp"
"""A name that marks the file as this program's, so walking never finds it."""
KIND = "conversion"


class Ends(NamedTuple):
    """The digests of a file before and after its conversion, in hex."""

    original: str
    result: str


_NOT_DONE = Ends("", "")
_ENDING, _ENDED = "ending", "ended"
_RUN_BYTES = 16


class _Ending(NamedTuple):
    """The last line of a journal whose run has done everything: the stage of its ending, the run, and what it took."""

    word: str
    run: str
    scope: Scope


class _StrangeError(ValueError):
    """A line that this user's program did not write."""


class _ElsewhereError(ValueError):
    """A journal of another folder."""


def is_in(paths: Iterable[str]) -> bool:
    """Return whether a journal lies in one of these folders or below, or beside one of these files."""
    return any(_is_in(path) for path in paths)


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
    if not _is_begun(data):
        raise _interrupted(journal.path, _parsed(data, journal.path)[0])


def _interrupted(journal: str, conversion: Mapping[str, str]) -> FileError:
    what = ", ".join(f"{name} {value}" for name, value in conversion.items())
    return FileError(journal, f"a conversion ({what}) was interrupted here: run it again first, or remove this file")


def _is_in(path: str) -> bool:
    if not os.path.isdir(path):
        return os.path.lexists(os.path.join(os.path.dirname(os.path.realpath(path)), NAME))
    due = [path]  # `os.walk` calls itself before Python 3.12, and folders may lie deeper in each other than calls may.
    while due:
        with suppress(OSError), os.scandir(due.pop()) as entries:
            for entry in entries:
                if entry.name == NAME:
                    return True
                if entry.is_dir(follow_symlinks=False):
                    due.append(entry.path)
    return False


class Journals:
    """The journals of one run, which continues interrupted runs of the same conversion.

    Threads may call these methods at the same time, each for its own file.

    Args:
        conversion: the conversion, as names and values; a journal of a different one is refused.
        scope: which files the run takes; a journal of a run that takes more stays when this one ends.
    """

    def __init__(self, conversion: Mapping[str, str], scope: Scope) -> None:
        self._conversion = dict(conversion)
        self._scope = scope
        self._scopes: dict[str, Scope] = {}
        self._files: Sequence[Way] = ()
        self._lock = Lock()
        self._met: dict[str, int] = {}
        self._ways: dict[str, Way] = {}
        self._runs: dict[str, str] = {}
        self._begun: set[str] = set()
        self._named: set[str] = set()
        self._folder = ""
        self._refused: FileError | None = None
        self._done: dict[str, Ends] = {}
        self._results: set[str] = set()
        self.already: int = 0
        """The number of files found converted."""

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
            ends = self._done.get(as_text(name), _NOT_DONE)
        if ends == _NOT_DONE and not self._results:
            return False
        digest = _digest(file)
        if ends != _NOT_DONE and digest not in ends:
            journal = shown(os.path.join(folder, NAME))
            raise FileError(called, f"it was changed after an interrupted run converted it, according to {journal}")
        is_done = digest in self._results if ends == _NOT_DONE else digest == ends.result
        if backup and is_done and ends.original == digest:
            is_done = _is_there(file.beside(name + backup))
        with self._lock:
            self.already += is_done
        return is_done

    def add(self, file: Way, ends: Ends) -> None:
        """Record that a file is about to be replaced; the record is on the disk when this returns.

        Raises:
            FileError: it cannot be recorded.
        """
        journal = file.beside(NAME)
        with blaming(journal.path), self._lock:
            appended = self._append(journal, _about(file, ends))
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
        """Record that a file has been replaced, as announced."""
        with self._lock:
            self._begun.discard(file.real)

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
            self._append(journal, _about(file, _NOT_DONE)).close()

    def _meet(self, journal: Way, count: int) -> None:
        self._met[journal.path], self._ways[journal.path] = count, journal

    def _append(self, journal: Way, values: dict[str, Any]) -> FileIO:
        """Append a line, after the first two if the journal is new, and return the open file."""
        begun, path = b"", journal.path
        if not _has_lines(journal):
            self._runs[path] = os.urandom(_RUN_BYTES).hex()
            head = {"run": self._runs[path], "conversion": self._conversion, **self._taking(path)}
            begun = heading(KIND) + _sealed(head, "")
        return _appended(journal, begun + _sealed(values, self._runs[path]))

    def _taking(self, journal: str) -> dict[str, Any]:
        """Return what the run takes, and where the journal lies, in values."""
        return {"scope": self._scope._asdict(), **_place(journal)}

    @property
    def left(self) -> bool:
        """Whether there are any journals."""
        return bool(self._met)

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
        over = self._over()
        if len(over) > 1:
            run = os.urandom(_RUN_BYTES).hex()
            for word in (_ENDING, _ENDED):
                for journal in over:
                    with (
                        blaming(journal.path),
                        self._append(journal, {word: run, **self._taking(journal.path)}) as file,
                    ):
                        os.fsync(file.fileno())
        for journal in over:
            self._remove(journal)

    def _over(self) -> list[Way]:
        """Return the journals that this run need not leave to another."""
        others = {scope for scope in self._scopes.values() if scope != self._scope}
        taken = self._taken() if others else set()
        waiting = {scope for scope in others if not self._scope.holds(scope, taken.__contains__)}
        return [self._ways[journal] for journal in self._met if self._scopes.get(journal) not in waiting]

    def _taken(self) -> set[str]:
        """Return the paths of all files that were found in folders, and of the folders above them."""
        taken = {as_text(file.real) for file in self._files}.difference(self._scope.paths)
        for path in [*taken]:
            while (path := os.path.dirname(path)) not in taken:
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
        self._files = files
        ways = {journal.path: journal for journal in (file.beside(NAME) for file in files)}
        found = {journal: _last(way) for journal, way in ways.items() if _is_there(way)}
        runs = {ending.run for _, ending in found.values() if ending and ending.word == _ENDED}
        ended = {journal: ending for journal, (_, ending) in found.items() if ending and ending.run in runs}
        ours = [journal for journal in ended if found[journal][0] == self._conversion]
        others = [journal for journal in found if journal not in ended]
        if ours and others:
            there = shown(ours[0])
            reason = f"a run was interrupted here, and another had ended at {there}: run it again on each folder alone"
            raise FileError(others[0], reason)
        listed = {path for journal in ours for path in self._listed(ways[journal])}
        for journal in ours:
            self._check_took_all(journal, ended[journal].scope, listed)
        for journal in ended:
            _unlink(ways[journal])
        self._results = {digest for journal in others for digest in self._results_in(ways[journal])}
        return bool(ours)

    def _check_took_all(self, journal: str, scope: Scope, listed: set[str]) -> None:
        """Refuse to take a run that has ended for this one if it took fewer files.

        Raises:
            FileError: it did.
        """
        # A file that this run was given may have been ignored in a folder.
        given = {as_text(file.real) for file in self._files}.intersection(self._scope.paths)
        if not scope.holds(self._scope, lambda path: path not in given or path in listed):
            reason = "a run over fewer files had done them all when it was stopped: run it again, then only the others"
            raise FileError(journal, reason)

    def _listed(self, journal: Way) -> Iterator[str]:
        """Yield the paths of the files that are listed."""
        return (as_text(journal.beside(as_path(name)).real) for name, _ in self._entries(journal))

    def _entries(self, journal: Way) -> Iterator[tuple[str, Ends]]:
        """Yield what a journal of the same conversion says of each file; nothing if it cannot be read."""
        with suppress(FileError), blaming(journal.path), _opened(journal, os.O_RDONLY, "rb") as file:
            conversion, _, _, entries = _parsed(_content(file, journal.path), journal.path)
            if conversion == self._conversion:
                yield from dict(entries).items()

    def _results_in(self, journal: Way) -> Iterator[str]:
        """Yield the digests of results whose files are gone: where one is there, what equals it is another file."""
        for name, ends in self._entries(journal):
            if ends.original != ends.result and not _is_there(journal.beside(as_path(name))):
                yield ends.result

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
            self._done = dict(self._read(journal))
            self._meet(journal, sum(ends != _NOT_DONE for ends in self._done.values()))

    def _read(self, journal: Way) -> Iterator[tuple[str, Ends]]:
        path = journal.path
        with blaming(path), _opened(journal, os.O_RDWR, "r+b") as file:
            data = _content(file, path)
            # Nothing follows a line that was cut off in the middle.
            if _is_begun(data):
                file.truncate(0)
                return
            conversion, run, scope, entries = _parsed(data, path)
            if conversion != self._conversion:
                raise _interrupted(path, conversion)
            self._runs[path], self._scopes[path] = run, scope
            yield from entries
            file.truncate(data.rfind(b"\n") + 1)


def _content(file: FileIO, journal: str) -> bytes:
    """Return all of a journal, which may be as long as it likes if its head is sealed.

    Raises:
        FileError: it is longer than a line, and not one of this user's.
    """
    data = file.read(LONGEST_LINE)
    if len(data) == LONGEST_LINE:
        *lines, _ = data.split(b"\n", 2)
        with _refusing(journal):
            _head(lines, journal)
        data += file.readall()
    return data


def _parsed(data: bytes, journal: str) -> tuple[dict[str, str], str, Scope, list[tuple[str, Ends]]]:
    """Return what the first lines of a journal say, and its lines about files.

    Raises:
        FileError: it is not a journal, or not one of this user's.
    """
    *lines, _ = data.split(b"\n")
    with _refusing(journal):
        conversion, run, scope = _head(lines, journal)
        return conversion, run, scope, [entry for line in lines[2:] if (entry := _entry(line, run))]


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


# --- lines ------------------------------------------------------------------------------------------------------------


def _about(file: Way, ends: Ends) -> dict[str, str]:
    return {"name": as_text(os.path.basename(file.path)), **ends._asdict()}


def _sealed(values: dict[str, Any], run: str) -> bytes:
    return record({**values, "seal": _seal(values, run)})


def _seal(values: dict[str, Any], run: str) -> str:
    from hmac import digest

    return digest(key(), f"{run} {json.dumps(values)}".encode("ascii"), "sha256").hex()


def _unsealed(line: bytes, run: str) -> dict[str, Any]:
    """Return the content of a line.

    Raises:
        ValueError: it is not a line of a journal, or this user's program did not write it into this one.
    """
    from hmac import compare_digest

    values = value(line)
    if not isinstance(values, dict) or not isinstance(seal := values.pop("seal", None), str):
        raise ValueError("a line has no seal")
    try:
        expected = _seal(values, run)
    except RecursionError:
        raise ValueError("the values are nested too deeply") from None
    if not compare_digest(seal.encode(), expected.encode()):
        raise _StrangeError
    return values


def _is_begun(data: bytes) -> bool:
    """Return whether these are the first lines of a journal, the second of them incomplete."""
    first = heading(KIND)
    return first.startswith(data) or (data.startswith(first) and b"\n" not in data[len(first) :])


def _place(journal: str) -> dict[str, Any]:
    """Return what identifies the folder of a journal: its path, and what a rename of the folder does not change."""
    folder = os.path.dirname(journal)
    return {"folder": as_text(folder), "inode": os.stat(folder).st_ino}


def _scope(values: Mapping[str, Any], journal: str) -> Scope:
    """Return which files a run takes, with their paths as they are where the folder of its journal is now."""
    scope = Scope(**{name: tuple(map(str, parts)) for name, parts in values["scope"].items()})
    return scope.moved(values["folder"], as_text(os.path.dirname(journal)))


def _head(lines: list[bytes], journal: str) -> tuple[dict[str, str], str, Scope]:
    """Return the conversion that a journal belongs to, its identifier, and which files the run takes.

    Raises:
        ValueError: it is not a journal, or was written by somebody else or in another folder.
    """
    if not lines or lines[0] + b"\n" != heading(KIND):
        raise ValueError("its first line does not say so")
    values = _unsealed(lines[1], "")
    conversion, run = values["conversion"], values["run"]
    scope = _scope(values, journal)
    if not isinstance(conversion, dict) or not isinstance(run, str):
        raise ValueError("its second line does not name the conversion")
    if not any(values[name] == here for name, here in _place(journal).items()):
        raise _ElsewhereError(as_path(values["folder"]))
    return conversion, run, scope


def _entry(line: bytes, run: str) -> tuple[str, Ends] | None:
    """Return the content of a line about a file; None for a line about the end of a run."""
    values = _unsealed(line, run)
    if values.keys() & {_ENDING, _ENDED}:
        return None
    name, original, result = values["name"], values["original"], values["result"]
    if not all(isinstance(each, str) for each in (name, original, result)) or os.path.split(as_path(name))[0]:
        raise ValueError("a line is not about a file in this folder")
    return name, Ends(original, result)


def _last(journal: Way) -> tuple[dict[str, str], _Ending | None]:
    """Return the conversion that a journal belongs to, and its last line if that says that everything is done.

    Nothing is returned for one that cannot be trusted; that is reported when the journal is entered.
    """
    wrong = FileNotFoundError, FileError, LookupError, AttributeError, TypeError, ValueError
    with suppress(*wrong), blaming(journal.path):
        with _opened(journal, os.O_RDONLY, "rb") as file:
            *lines, rest = _content(file, journal.path).split(b"\n")
        conversion, run, _ = _head(lines, journal.path)
        values = {} if rest else _unsealed(lines[-1], run if len(lines) > 2 else "")
        words = (word for word in (_ENDING, _ENDED) if word in values)
        return conversion, next((_Ending(word, values[word], _scope(values, journal.path)) for word in words), None)
    return {}, None


@contextmanager
def _refusing(journal: str) -> Iterator[None]:
    """Report what is wrong with a journal that a block reads.

    Raises:
        FileError: it is not a journal, or not one of this user's.
    """
    try:
        yield
    except _StrangeError as error:
        reason = "your eightfold did not write it here, or its key is gone: inspect it and the files, then remove it"
        raise FileError(journal, reason) from error
    except _ElsewhereError as error:
        there = shown(str(error))
        reason = f"it is a copy of one in {there}: continue there, or inspect it and the files, then remove it"
        raise FileError(journal, reason) from error
    except (LookupError, AttributeError, TypeError, ValueError) as error:
        reason = f"this is not a journal of a conversion ({error}): inspect it, then remove it"
        raise FileError(journal, reason) from error


def _digest(file: Way) -> str:
    with file.entry() as entry, opened_entry(entry) as source:
        return digest_of(source)
