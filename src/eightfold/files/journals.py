"""Journals of what is replaced in place: which files of a folder are done, so that none is ever converted twice.

A journal lies in the folder itself and is there until a run has ended well: one that was killed, or met a fault, leaves
it, and the next one reads it. Before a file is replaced a line says what it was and what it will be, by digests, so
whatever moment the run is killed at, the file is one or the other; a file that is neither was changed by somebody.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from io import FileIO
from threading import Lock
from typing import NamedTuple

from eightfold.files import FileError, blaming
from eightfold.files.names import as_path, as_text, shown
from eightfold.files.reading import opened
from eightfold.files.records import heading, record

NAME = ".conversion-journal.eightfold.tmp"
"""A name by which files are known for ours, so that it is not found by walking."""
KIND = "conversion"


class Ends(NamedTuple):
    """The digests of a file before and after it is converted, in hex."""

    original: str
    result: str


_NOT_DONE = Ends("", "")


class Journals:
    """The journals of one run, which goes on where others of the same conversion were stopped.

    Threads may ask and add at the same time, each for a file of its own.

    Args:
        conversion: what is done to the files, as names and values; a journal of another one is refused.
    """

    def __init__(self, conversion: Mapping[str, str]) -> None:
        self._conversion = dict(conversion)
        self._lock = Lock()
        self._met: dict[str, int] = {}
        self._begun: set[str] = set()
        self._folder = ""
        self._done: dict[str, Ends] = {}
        self.already: int = 0
        """How many files were found converted."""

    def has(self, path: str) -> bool:
        """Return whether a file was converted by a run that was stopped.

        Raises:
            FileError: it was changed since, the journal of its folder is of another conversion, or cannot be read.
        """
        folder, name = os.path.split(os.path.realpath(path))
        with self._lock:
            self._enter(folder)
            ends = self._done.get(as_text(name))
        if ends in (None, _NOT_DONE):
            return False
        digest = _digest(path)
        if digest not in ends:
            journal = shown(os.path.join(folder, NAME))
            raise FileError(path, f"it was changed since a run that was stopped converted it, as {journal} has it")
        with self._lock:
            self.already += digest == ends.result
        return digest == ends.result

    def add(self, path: str, ends: Ends) -> None:
        """Say that a file is about to be replaced; it is on the disk when this returns.

        Raises:
            FileError: it cannot be said.
        """
        folder, name = os.path.split(os.path.realpath(path))
        journal = os.path.join(folder, NAME)
        with blaming(journal), self._lock:
            begun = b"" if _has_lines(journal) else heading(KIND) + record(self._conversion)
            file = _appended(journal, begun + _line(name, ends))
            self._met[journal] = self._met.get(journal, 0) + 1
            self._begun.add(path)
        try:
            with blaming(journal), file:  # While this one waits for the disk, others can add theirs.
                os.fsync(file.fileno())
        except BaseException:
            self.take_back(path)
            raise

    def settle(self, path: str) -> None:
        """Say that a file was replaced, of which that was said before."""
        with self._lock:
            self._begun.discard(path)

    def take_back(self, path: str) -> None:
        """Say that a file was not replaced after all, if it was said that it would be.

        Raises:
            FileError: it cannot be said.
        """
        with self._lock:
            if path in self._begun:
                self._begun.remove(path)
                self._take_back(path)

    def _take_back(self, path: str) -> None:
        folder, name = os.path.split(os.path.realpath(path))
        journal = os.path.join(folder, NAME)
        self._met[journal] -= 1
        if not self._met[journal]:
            self._remove(journal)
            return
        with blaming(journal):  # Should that be lost with the power: the file is still what it was.
            _appended(journal, _line(name, _NOT_DONE)).close()

    @property
    def left(self) -> bool:
        """Whether there are any."""
        return bool(self._met)

    def end(self) -> None:
        """Remove the journals: all is done.

        The first says so before the others go, and goes last: a folder without one could else be taken for one in which
        nothing is done, by a run after one that was killed here. See :meth:`tidy`.
        """
        first, *others = self._met or ("",)
        if others:
            with blaming(first), _appended(first, record({"ended": [as_text(journal) for journal in others]})) as file:
                os.fsync(file.fileno())
        for journal in (*others, first):
            if journal:
                self._remove(journal)

    def tidy(self, paths: Iterable[str]) -> bool:
        """Remove what a run left that had converted everything and was stopped then; return whether there was one.

        Raises:
            FileError: a journal cannot be read or removed.
        """
        tidied = False
        for folder in dict.fromkeys(os.path.dirname(os.path.realpath(path)) for path in paths):
            journal = os.path.join(folder, NAME)
            with blaming(journal):
                others = _others_ended(journal)
                for each in () if others is None else (*others, journal):
                    with suppress(FileNotFoundError):
                        os.unlink(each)
            tidied = tidied or others is not None
        return tidied

    def _remove(self, journal: str) -> None:
        with blaming(journal):
            os.unlink(journal)
        del self._met[journal]

    def _enter(self, folder: str) -> None:
        if folder != self._folder:
            self._done = {}
            journal = os.path.join(folder, NAME)
            if os.path.exists(journal):
                self._done = dict(self._read(journal))
                self._met[journal] = sum(ends != _NOT_DONE for ends in self._done.values())
            self._folder = folder

    def _read(self, journal: str) -> Iterator[tuple[str, Ends]]:
        with blaming(journal), open(journal, "r+b") as file:
            data = file.read()
            # What was cut off in the middle was not followed by anything.
            if (heading(KIND) + record(self._conversion)).startswith(data):
                file.truncate(0)
                return
            *lines, _ = data.split(b"\n")
            try:
                self._check(journal, lines)
                yield from map(_entry, lines[2:])
            except (IndexError, KeyError, TypeError, ValueError) as error:
                told = f"this is no journal of a conversion ({error}): look at it, and remove it"
                raise FileError(journal, told) from error
            file.truncate(data.rfind(b"\n") + 1)

    def _check(self, journal: str, lines: list[bytes]) -> None:
        if lines[0] + b"\n" != heading(KIND):
            raise ValueError("its first line does not say so")
        before = json.loads(lines[1])
        if before != self._conversion:
            told = ", ".join(f"{name} {value}" for name, value in before.items())
            raise FileError(journal, f"a conversion ({told}) was stopped here: run it again first, or remove this file")


def _has_lines(journal: str) -> bool:
    with suppress(FileNotFoundError):
        return os.stat(journal).st_size > 0
    return False


def _line(name: str, ends: Ends) -> bytes:
    return record({"name": as_text(name), **ends._asdict()})


def _appended(journal: str, lines: bytes) -> FileIO:
    """Write lines behind those that there are, all of them or none, and return the open file."""
    file = open(journal, "ab", buffering=0)  # noqa: SIM115
    end = file.tell()
    try:
        while lines:
            lines = lines[file.write(lines) :]
    except BaseException:
        file.truncate(end)
        file.close()
        if not end:
            os.unlink(journal)
        raise
    return file


def _others_ended(journal: str) -> list[str] | None:
    """Return the other journals of a run that had done all when it wrote the last line of this one, or None."""
    try:
        with open(journal, "rb") as file:
            *_, last, end = (b"", b"", *file.read().split(b"\n"))
    except FileNotFoundError:
        return None
    if end or not last.startswith(b'{"ended": '):
        return None
    return [as_path(other) for other in json.loads(last)["ended"]]


def _entry(line: bytes) -> tuple[str, Ends]:
    values = json.loads(line)
    return values["name"], Ends(values["original"], values["result"])


def _digest(path: str) -> str:
    digest = sha256()
    with opened(path) as source:
        for chunk, _ in source.pieces():
            digest.update(chunk)
    return digest.hexdigest()
