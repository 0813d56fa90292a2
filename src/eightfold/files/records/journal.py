"""The journal of one folder: which files there are done when files are replaced in place.

Before a file is replaced, a line gives its digests before and after, so that whenever the run is killed, the file is
one or the other; if it is neither, somebody has changed it. A journal's name and line are on the disk before the rename
that they announce, so a power cut may undo renames while the journal is there: the next run finds the old file and
converts it.

A tree may come from anybody, and a file with this name may come with it. So each line has a seal, made with a key that
only this user has (:mod:`eightfold.files.records.private`), and a journal with a wrong seal is refused. So is a journal
copied from another folder: it records its folder's path and inode, and one of them must match. A journal is never
reached through a link and names files of its own folder only, and nothing but the journal is removed because of it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from io import FileIO
from threading import Lock
from typing import Any

from eightfold.files import FileError, blaming
from eightfold.files.path_text import as_path
from eightfold.files.paths.entries import NO_LINK
from eightfold.files.paths.roots import Way
from eightfold.files.records.journal_lines import (
    JOINED,
    KIND,
    NOT_DONE,
    NOTHING_SAID,
    Ending,
    Ends,
    Parsed,
    about,
    head,
    is_begun,
    new_run,
    parsed,
    place,
    refusing,
    sealed,
)
from eightfold.files.records.json_lines import LONGEST_LINE, heading
from eightfold.files.records.scopes import Scope


class Journal:
    """The journal of a folder, as one run meets it. It is read at once; what is wrong with it is reported when asked.

    Threads may call these methods at the same time, each for its own file.

    Args:
        way: the way to it.
        conversion: the conversion of the run, as names and values.
        scope: which files the run takes.

    Attributes:
        way: the way to it.
        was_there: whether another run has left it.
        said: what it says then; nothing if it is one of another conversion, or cannot be read.
        ending: its last line, whatever the conversion, if its run had done everything.
        past: the endings that other lines follow.
        is_met: whether this run has entered it or begun it, and has to remove it.
    """

    def __init__(self, way: Way, conversion: Mapping[str, str], scope: Scope) -> None:
        self.way = way
        self.was_there: bool = is_there(way)
        self.said: Parsed = NOTHING_SAID
        self.ending: Ending | None = None
        self.past: frozenset[str] = frozenset()
        self.is_met: bool = False
        self._conversion = conversion
        self._scope = scope
        self._lock = Lock()
        self._refused: FileError | None = None
        self._whole_bytes: int | None = None
        self._run = ""
        self._count = 0
        self._begun: set[str] = set()
        self._is_named = False
        if self.was_there:
            with self._refusing():
                self._read()

    @property
    def path(self) -> str:
        """Its path."""
        return self.way.path

    @property
    def folder(self) -> str:
        """The path of its folder."""
        return os.path.dirname(self.way.path)

    @property
    def done(self) -> set[str]:
        """The paths of the files that other runs have replaced."""
        names = (name for name, ends in self.said.entries.items() if ends != NOT_DONE)
        return {os.path.join(self.folder, as_path(name)) for name in names}

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Keep an error for all files of the folder: what is wrong is found once, however many there are."""
        try:
            yield
        except FileError as error:
            self._refused = error

    def _read(self) -> None:
        data = _content(self.way)
        whole = data.rfind(b"\n") + 1
        if is_begun(data):
            whole = 0
        else:
            said = parsed(data, self.path)
            self.ending, self.past = said.ending, said.past
            if said.conversion != self._conversion:
                what = ", ".join(f"{name} {value}" for name, value in said.conversion.items())
                reason = f"a conversion ({what}) was interrupted here: run it again first, or remove this file"
                raise FileError(self.path, reason)
            self.said = said
        if whole < len(data):
            self._whole_bytes = whole

    def check(self) -> None:
        """Refuse a journal that this run cannot go on with.

        Raises:
            FileError: it is one of another conversion, or cannot be read.
        """
        if self._refused is not None:
            raise FileError(self._refused.path, self._refused.reason)

    def enter(self) -> None:
        """Go on with the journal that another run has left, if there is one; it is to be removed when this run ends.

        Raises:
            FileError: it is one of another conversion, or cannot be read or written.
        """
        with self._lock:
            if self.was_there and not self.is_met and self._refused is None:
                with self._refusing():
                    self._enter()
        self.check()

    def _enter(self) -> None:
        if self._whole_bytes is not None:  # Nothing follows a line that was cut off in the middle.
            with blaming(self.path), _opened(self.way, os.O_WRONLY) as file:
                file.truncate(self._whole_bytes)
        self._run, self._count, self.is_met = self.said.run, len(self.done), True
        if self.said.scopes and self._scope not in self.said.scopes:
            self.say(JOINED)

    def add(self, file: Way, ends: Ends) -> None:
        """Record that a file of the folder is about to be replaced; the record is on the disk when this returns.

        Raises:
            FileError: it cannot be recorded.
        """
        with blaming(self.path), self._lock:
            appended = self._append(about(file, ends))
            self._count += 1
            self.is_met = True
            self._begun.add(file.real)
        try:
            with blaming(self.path), appended:  # While this thread waits for the disk, others can add their lines.
                os.fsync(appended.fileno())
                if not self._is_named:
                    self.sync_folder()
                    self._is_named = True
        except BaseException:
            self.take_back(file)
            raise

    def settle(self, file: Way) -> None:
        """Record that a file has been replaced, as announced, or would not change."""
        self._begun.discard(file.real)

    def take_back(self, file: Way) -> None:
        """Record that a file was not replaced after all, if that was announced.

        Raises:
            FileError: it cannot be recorded.
        """
        with self._lock:
            if file.real not in self._begun:
                return
            self._begun.remove(file.real)
            self._count -= 1
            if not self._count:
                self.remove()
                return
            with blaming(self.path):  # If a power cut loses this line, the file is still unchanged.
                self._append(about(file, NOT_DONE)).close()

    def say(self, word: str, run: str = "", journals: int = 0) -> None:
        """Append a line about the run, which is on the disk when this returns.

        Args:
            word: what it says.
            run, journals: of an ending: see :class:`Ending`.

        Raises:
            FileError: it cannot be appended.
        """
        with blaming(self.path), self._append({word: run, "journals": journals, **self._taking()}) as file:
            os.fsync(file.fileno())

    def remove(self) -> None:
        """Remove it.

        Raises:
            FileError: it cannot be removed.
        """
        _unlink(self.way)
        self.was_there = self.is_met = self._is_named = False
        self._refused = None

    def sync_folder(self) -> None:
        """Let all renames in the folder survive a power cut, and the name of the journal."""
        with suppress(FileError), self.way.entry() as entry:
            entry.sync_folder()

    def _append(self, values: dict[str, Any]) -> FileIO:
        """Append a line, after the first two if the journal is new, all of them or none; return the open file."""
        file = _opened(self.way, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        end = file.seek(0, os.SEEK_END)
        if end and not self._run:
            file.close()
            raise FileError(self.path, "another run has begun it meanwhile: try again when that is done")
        try:
            lines = (b"" if end else self._first_lines()) + sealed(values, self._run)
            while lines:
                lines = lines[file.write(lines) :]
        except BaseException:
            file.truncate(end)
            file.close()
            if not end:
                _unlink(self.way)
            raise
        return file

    def _first_lines(self) -> bytes:
        self._run = new_run()
        return heading(KIND) + sealed({"run": self._run, "conversion": self._conversion, **self._taking()}, "")

    def _taking(self) -> dict[str, Any]:
        """Return what the run takes, and where the journal lies, in values."""
        return {"scope": self._scope._asdict(), **place(self.path)}


def _content(journal: Way) -> bytes:
    """Return all of a journal, which may be as long as it likes if its head is sealed.

    Raises:
        FileError: it cannot be read; or it is longer than a line, and not one of this user's.
    """
    with blaming(journal.path), _opened(journal, os.O_RDONLY) as file:
        data = file.read(LONGEST_LINE)
        if len(data) == LONGEST_LINE:
            *lines, _ = data.split(b"\n", 2)
            with refusing(journal.path):
                head(lines, journal.path)
            data += file.readall()
        return data


def _opened(journal: Way, flags: int) -> FileIO:
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
        return FileIO(descriptor, "r+b")
    except BaseException:
        os.close(descriptor)
        raise


def _check_ours(journal: str, status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise FileError(journal, "a symbolic link, which is not followed: inspect it, then remove it")
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        raise FileError(journal, "not a regular file with one name: inspect it, then remove it")


def is_there(file: Way) -> bool:
    """Return whether there is an entry of this name, of whatever kind, and on a way without links."""
    with suppress(OSError, FileError), file.entry() as entry:
        return bool(entry.own_status())
    return False


def _unlink(journal: Way) -> None:
    with blaming(journal.path), journal.entry() as entry:
        entry.unlink()
