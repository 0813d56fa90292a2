"""The lines of a journal of replacing files in place: what they say, and that this user's program wrote them.

The first line names the kind of the record, the second the run: the conversion, which files it takes, and the folder.
Then a line for each file gives its digests before and after, and the last lines say that the run is ending. Each line
has a seal, made with a key that only this user has (:mod:`eightfold.files.records.private`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from eightfold.files import FileError
from eightfold.files.path_text import as_path, as_text, shown
from eightfold.files.paths.roots import Way
from eightfold.files.records.json_lines import heading, record, value
from eightfold.files.records.private import key
from eightfold.files.records.scopes import Scope

KIND = "conversion"


class Ends(NamedTuple):
    """The digests of a file before and after its conversion, in hex."""

    original: str
    result: str


NOT_DONE = Ends("", "")
ENDING, ENDED = "ending", "ended"
JOINED, OVER = "joined", "over"
"""Lines of another run that goes on with a journal, and of one that has done everything but leaves it to others."""


_RUN_BYTES = 16


def new_run() -> str:
    """Return an identifier that no other run has."""
    return os.urandom(_RUN_BYTES).hex()


class Ending(NamedTuple):
    """The last line of a journal whose run has done everything.

    Attributes:
        word: the stage of the ending.
        run: the identifier of the ending.
        journals: the number of journals that say this, until the first is removed.
        scope: what the run took.
    """

    word: str
    run: str
    journals: int
    scope: Scope


class _StrangeError(ValueError):
    """A line that this user's program did not write."""


class _ElsewhereError(ValueError):
    """A journal of another folder."""


def about(file: Way, ends: Ends) -> dict[str, str]:
    """Return what the line about a file says."""
    return {"name": as_text(os.path.basename(file.path)), **ends._asdict()}


def sealed(values: dict[str, Any], run: str) -> bytes:
    """Return a line with a seal; only the second line of a journal belongs to no run."""
    return record({**values, "seal": _seal(values, run)})


def _seal(values: dict[str, Any], run: str) -> str:
    from hmac import digest

    return digest(key(), f"{run} {json.dumps(values)}".encode("ascii"), "sha256").hex()


def unsealed(line: bytes, run: str) -> dict[str, Any]:
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


def is_begun(data: bytes) -> bool:
    """Return whether these are the first lines of a journal, the second of them incomplete."""
    first = heading(KIND)
    return first.startswith(data) or (data.startswith(first) and b"\n" not in data[len(first) :])


def place(journal: str) -> dict[str, Any]:
    """Return what identifies the folder of a journal: its path, and what a rename of the folder does not change."""
    folder = os.path.dirname(journal)
    return {"folder": as_text(folder), "inode": os.stat(folder).st_ino}


def _scope_of(values: Mapping[str, Any], journal: str) -> Scope:
    """Return which files a run takes, with their paths as they are where the folder of its journal is now."""
    scope = Scope(**{name: tuple(map(str, parts)) for name, parts in values["scope"].items()})
    return scope.moved(values["folder"], as_text(os.path.dirname(journal)))


def head(lines: list[bytes], journal: str) -> tuple[dict[str, str], str, Scope]:
    """Return the conversion that a journal belongs to, its identifier, and which files the run takes.

    Raises:
        ValueError: it is not a journal, or was written by somebody else or in another folder.
    """
    if not lines or lines[0] + b"\n" != heading(KIND):
        raise ValueError("its first line does not say so")
    values = unsealed(lines[1], "")
    conversion, run = values["conversion"], values["run"]
    scope = _scope_of(values, journal)
    if not isinstance(conversion, dict) or not isinstance(run, str):
        raise ValueError("its second line does not name the conversion")
    if not any(values[name] == here for name, here in place(journal).items()):
        raise _ElsewhereError(as_path(values["folder"]))
    return conversion, run, scope


def _entry(values: Mapping[str, Any]) -> tuple[str, Ends] | None:
    """Return the content of a line about a file; None for a line about a run."""
    if values.keys() & {ENDING, ENDED, JOINED, OVER}:
        return None
    name, original, result = values["name"], values["original"], values["result"]
    if not all(isinstance(each, str) for each in (name, original, result)) or os.path.split(as_path(name))[0]:
        raise ValueError("a line is not about a file in this folder")
    return name, Ends(original, result)


@contextmanager
def refusing(journal: str) -> Iterator[None]:
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


class Parsed(NamedTuple):
    """What a journal says.

    Attributes:
        conversion: the conversion.
        run: the identifier of the run that began it.
        scopes: what the runs take that are to go on with it.
        entries: the names of files, with their digests.
        ending: its last line, if that says that everything is done.
        past: the endings that other lines follow, since another run has gone on.
    """

    conversion: dict[str, str]
    run: str
    scopes: tuple[Scope, ...]
    entries: dict[str, Ends]
    ending: Ending | None = None
    past: frozenset[str] = frozenset()


NOTHING_SAID = Parsed({}, "", (), {})


def parsed(data: bytes, journal: str) -> Parsed:
    """Return what a journal says; a line that was cut off says nothing.

    Raises:
        FileError: it is not a journal, or not one of this user's.
    """
    *lines, _ = data.split(b"\n")
    with refusing(journal):
        conversion, run, scope = head(lines, journal)
        said = [unsealed(line, run) for line in lines[2:]]
        entries = dict(entry for values in said if (entry := _entry(values)))
        ending = _ending(said[-1], journal) if said else None
        runs = frozenset(values[word] for values in said for word in (ENDING, ENDED) if word in values)
        past = runs - {ending.run} if ending else runs
        return Parsed(conversion, run, _scopes_after(scope, said, journal), entries, ending, past)


def _ending(values: dict[str, Any], journal: str) -> Ending | None:
    words = (word for word in (ENDING, ENDED) if word in values)
    return next((Ending(word, values[word], values["journals"], _scope_of(values, journal)) for word in words), None)


def _scopes_after(scope: Scope, said: list[dict[str, Any]], journal: str) -> tuple[Scope, ...]:
    scopes = [scope]
    for values in said:
        if JOINED in values:
            scopes.append(_scope_of(values, journal))
        elif OVER in values and (over := _scope_of(values, journal)) in scopes:
            scopes.remove(over)
    return tuple(scopes)
