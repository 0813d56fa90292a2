r"""Ill-formed text in SQLite databases, which sqlite3 refuses to decode: find it, and repair it in one transaction.

SQLite stores any bytes as TEXT, for instance by ``CAST(x'E9' AS TEXT)`` or from a program written in C. Values are read
as the bytes that they are, in the encoding of the database. This module needs nothing but the standard library.

Audited are all tables, virtual ones, generated columns and SQLite's own tables too; repaired are the values that tables
store. Views and generated columns follow from these, and the shadow tables behind virtual ones belong to SQLite's
modules. The schema, ``sqlite_schema``, is only audited, as SQLite does not let programs write to it.

>>> import os, sqlite3, tempfile
>>> folder = tempfile.TemporaryDirectory()
>>> path = os.path.join(folder.name, "people.db")
>>> connection = sqlite3.connect(path)
>>> _ = connection.execute("CREATE TABLE people (name TEXT)")
>>> _ = connection.execute("INSERT INTO people VALUES (CAST(x'5A6FEB' AS TEXT))")
>>> connection.commit()
>>> [(found.table, found.column, found.key, str(found.fault)) for found in audit(path)]
[('people', 'name', (1,), 'sequence EB is cut short by the end of the input')]
>>> [change.after for change in repair(path, "latin-1")], audit(path)
(['Zoë'], [])
>>> connection.close()
>>> folder.cleanup()
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, TypeAlias

from eightfold.arguments import limit_of
from eightfold.columns.arguments import policy_argument
from eightfold.faults import Fault
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.forms.utf_8 import UTF_8
from eightfold.forms.xtf_8 import XTF_8
from eightfold.repair import repair as repair_value
from eightfold.text import convert, faults, is_well_formed

Key: TypeAlias = "tuple[int | float | bytes | str | None, ...]"
"""The rowid, or the primary key of a table without rowids; text in it is shown with ill-formed bytes escaped."""

_FORMS = {b"UTF-8": "utf-8", b"UTF-16le": "utf-16-le", b"UTF-16be": "utf-16-be"}
_ROWIDS = ("rowid", "_rowid_", "oid")
_SCHEMA = b"sqlite_schema"
_OLDEST = (3, 37, 0)
_INNOCUOUS = 0x200000
"""The flag of a function that can do nothing but return a value: SQLITE_INNOCUOUS."""
_OF_16_BITS = ("replace", "strict", "ignore", "backslashreplace")


class Found(NamedTuple):
    r"""A fault in a value of a database.

    Attributes:
        table, column: names.
        key: the row.
        fault: the fault; its offsets count bytes of the value.

    >>> Found("people", "name", (1,), Fault("invalid-byte", "utf-8", 0, 1, b"\xff")).key
    (1,)
    """

    table: str
    column: str
    key: Key
    fault: Fault


class Change(NamedTuple):
    r"""A value that was repaired.

    Attributes:
        table, column: names.
        key: the row, as it was before the repair.
        before: the bytes as they were stored.
        after: the text as it is stored now.

    >>> Change("people", "name", (1,), b"\xff", "?").after
    '?'
    """

    table: str
    column: str
    key: Key
    before: bytes
    after: str


def audit(path: str | os.PathLike[str], *, limit: int | None = None) -> list[Found]:
    """Return the faults of all text in a database, which is opened for reading only.

    Args:
        path: a file.
        limit: the maximum number of faults; None for all.

    Raises:
        sqlite3.Error: the file cannot be opened, is not a database, or is damaged.
        ValueError: a name in the schema is not UTF-8, the rows of a table cannot be told apart, or the path contains a
            null character.
        NotImplementedError: SQLite is older than 3.37.

    >>> audit(":no such file:")
    Traceback (most recent call last):
    sqlite3.OperationalError: unable to open database file
    """
    found: list[Found] = []
    limit = limit_of(limit)
    with closing(_opened(path, "ro")) as database:
        form = _form_of(database)
        _check_size(database, path)
        for table in _tables(database):
            for column, key, value in _texts(database, table, table.columns):
                left = None if limit is None else limit - len(found)
                found += (Found(table.name, column, _shown(key), fault) for fault in faults(value, form, left))
                if limit is not None and len(found) >= limit:
                    return found
    return found


def repair(path: str | os.PathLike[str], errors: str = "escape", *, triggers: bool = True) -> list[Change]:
    """Repair the text that the tables of a database store, all of it or, if anything fails, nothing.

    Args:
        path: a file.
        errors: a policy, as for :func:`eightfold.repair.repair`. For a database in UTF-16: ``replace``, ``strict``,
            ``ignore`` or ``backslashreplace``.
        triggers: whether the triggers of the database run, as they do for each update. They keep a full-text index up
            to date, and may write a date. Without, they are dropped and made again in the same transaction.

    Returns:
        what changed.

    Raises:
        sqlite3.IntegrityError: two values of a unique column became one, a check failed, a row cannot be found by its
            key, or a trigger ignored the repair or wrote ill-formed text during it; a note names table, column and row.
        sqlite3.Error: the file cannot be opened, is locked, is not a database, or is damaged.
        ConversionError: the policy cannot repair a value; a note names table, column and row.
        ValueError: unknown policy, or as for :func:`audit`. NotImplementedError: as for :func:`audit`.

    >>> repair(":no such file:")
    Traceback (most recent call last):
    sqlite3.OperationalError: unable to open database file
    """
    with closing(_opened(path, "rw")) as database:
        form = _form_of(database)
        _check_size(database, path)
        repaired = _repairing(form, errors)
        if not triggers:
            _distrust(database)
        database.execute("BEGIN IMMEDIATE")
        with database:
            suspended = [] if triggers else _suspended(database)
            outcomes = [
                outcome
                for table in _tables(database)
                if table.is_stored
                for outcome in _mended(database, table, repaired)
            ]
            changes = [each for each in outcomes if each is not None]
            if len(changes) < len(outcomes) or (changes and _has_triggers(database)):
                _check_all(database, form)
            for statement in suspended:
                database.execute(statement)
    return changes


# --- reading ----------------------------------------------------------------------------------------------------------


class _Table(NamedTuple):
    """A table: the expressions of its key, its columns, and those whose values it stores itself."""

    name: str
    keys: tuple[str, ...]
    columns: tuple[str, ...]
    stored: tuple[str, ...]
    is_stored: bool


def _opened(path: str | os.PathLike[str], mode: str) -> sqlite3.Connection:
    name = os.fsdecode(path)
    if "\0" in name:  # where SQLite ends the name of another file
        raise ValueError("path has a null character")
    place = Path(name).absolute().as_uri()
    # This module begins transactions itself: with an isolation level, the connection would do so too.
    database = sqlite3.connect(f"{place}?mode={mode}", uri=True, isolation_level=None)
    database.text_factory = bytes
    if sqlite3.sqlite_version_info < _OLDEST:
        database.close()
        raise NotImplementedError(f"SQLite 3.37 or newer is required, not {sqlite3.sqlite_version}")
    if mode == "ro":
        _distrust(database)
    return database


def _distrust(database: sqlite3.Connection) -> None:
    """Refuse functions in the schema that may do more than return a value, unless this SQLite counts JSON's as such.

    Then nothing is refused, but Python's connections cannot load libraries, whatever a schema asks for.
    """
    listed = database.execute("PRAGMA function_list").fetchall()
    if all(flags & _INNOCUOUS for name, _, _, _, _, flags, *_ in listed if name == b"json_extract"):
        database.execute("PRAGMA trusted_schema = OFF")


def _form_of(database: sqlite3.Connection) -> Form:
    return form_named(_FORMS[database.execute("PRAGMA encoding").fetchone()[0]])


def _check_size(database: sqlite3.Connection, path: str | os.PathLike[str]) -> None:
    """Check that the last page is whole: SQLite reports missing pages, but reads the rest of a cut page as zeros.

    The write-ahead log may hold pages that are not in the file yet, so a file that ends after a page is not cut.

    Raises:
        sqlite3.DatabaseError: the file ends inside a page.
    """
    (page,), (pages,) = (database.execute(f"PRAGMA {name}").fetchone() for name in ("page_size", "page_count"))
    size = os.path.getsize(path)
    if size % page and size < page * pages:
        raise sqlite3.DatabaseError(f"the file is cut short: it ends {size % page} bytes into a page of {page}")


def _name(given: bytes) -> str:
    if not is_well_formed(given, UTF_8):
        raise ValueError(f"a name in the schema is not UTF-8: {given!r}")
    return given.decode()


def quoted(name: str) -> str:
    """Return a name as an identifier of SQL.

    >>> quoted("a name")
    '"a name"'
    """
    return '"' + name.replace('"', '""') + '"'


def _tables(database: sqlite3.Connection) -> Iterator[_Table]:
    # Not SELECT ... FROM pragma_table_list: a table of this name may hide it.
    for _, name, kind, _, is_without_rowid, *_ in database.execute("PRAGMA main.table_list").fetchall():
        if kind in (b"table", b"virtual"):
            is_stored = kind == b"table" and name != _SCHEMA
            yield _table(database, _name(name), is_stored=is_stored, has_rowid=not is_without_rowid)


def _table(database: sqlite3.Connection, name: str, *, is_stored: bool, has_rowid: bool) -> _Table:
    listed = database.execute(f"PRAGMA main.table_xinfo({quoted(name)})")
    described = [(_name(column), place, hidden) for _, column, _, _, _, place, hidden, *_ in listed]
    columns = tuple(column for column, _, hidden in described if hidden != 1)
    stored = tuple(column for column, _, hidden in described if hidden == 0)
    keyed = sorted((place, quoted(column)) for column, place, _ in described if place)
    keys = tuple(column for _, column in keyed)
    if has_rowid:
        taken = {column.lower() for column in columns}
        free = [rowid for rowid in _ROWIDS if rowid not in taken]
        indices = database.execute(f"PRAGMA main.index_list({quoted(name)})")
        # A key needs no index if it is another name of the rowid. INTEGER PRIMARY KEY DESC is none, and may be NULL.
        is_alias = bool(keys) and all(origin != b"pk" for _, _, _, origin, *_ in indices)
        if not free and not is_alias:
            raise ValueError(f"table {name}: its columns hide the rowid that identifies its rows")
        keys = (free[0],) if free else keys
    return _Table(name, keys, columns, stored, is_stored)


_Part: TypeAlias = "tuple[bytes, int | float | bytes | None]"
"""A part of a key: the storage class of SQLite, and the value, the bytes of it if it is text."""


def _texts(
    database: sqlite3.Connection, table: _Table, columns: Sequence[str]
) -> Iterator[tuple[str, tuple[_Part, ...], bytes]]:
    """Yield each text of some columns with its key."""
    if not columns:
        return
    keys = [
        f"typeof({key}), CASE typeof({key}) WHEN 'text' THEN CAST({key} AS BLOB) ELSE {key} END" for key in table.keys
    ]
    texts = [_bytes_of(column) for column in columns]
    # In the order of keys, not of an index by what may be ill-formed.
    order = ", ".join(table.keys)
    for row in database.execute(f"SELECT {', '.join([*keys, *texts])} FROM {quoted(table.name)} ORDER BY {order}"):
        parts, values = row[: 2 * len(keys)], row[2 * len(keys) :]
        key = tuple(zip(parts[::2], parts[1::2], strict=True))
        yield from ((column, key, value) for column, value in zip(columns, values, strict=True) if value is not None)


def _bytes_of(column: str) -> str:
    """Return the expression for the bytes of a column's text; NULL for anything else."""
    return f"CASE typeof({quoted(column)}) WHEN 'text' THEN CAST({quoted(column)} AS BLOB) END"


def _shown(key: tuple[_Part, ...]) -> Key:
    return tuple(
        value.decode("utf-8", "backslashreplace") if kind == b"text" and isinstance(value, bytes) else value
        for kind, value in key
    )


# --- writing ----------------------------------------------------------------------------------------------------------


def _repairing(form: Form, errors: str) -> Callable[[bytes], bytes | None]:
    """Return a function that returns the UTF-8 of a value as it should be, or None if it is so already."""
    errors = policy_argument(errors, None if form is UTF_8 else _OF_16_BITS)

    def repaired(value: bytes) -> bytes | None:
        if form is UTF_8 and errors == "escape":
            new = convert(value, XTF_8, UTF_8, "escape")
            return None if new == value else new
        if is_well_formed(value, form):
            return None
        return repair_value(value, form, errors) if form is UTF_8 else convert(value, form, UTF_8, errors)

    return repaired


class _Plan(NamedTuple):
    """A value of a row that is to be repaired: the bytes as they are stored, and the text that they become."""

    column: str
    before: bytes
    after: str


def _mended(
    database: sqlite3.Connection, table: _Table, repaired: Callable[[bytes], bytes | None]
) -> Iterator[Change | None]:
    """Repair the values of a table, and yield the changes; None for a value that is another one meanwhile."""
    planned: dict[tuple[_Part, ...], list[_Plan]] = {}
    for column, key, value in _texts(database, table, table.stored):
        try:
            new = repaired(value)
        except UnicodeError as error:
            error.add_note(_place(table, column, key))
            raise
        if new is not None:
            planned.setdefault(key, []).append(_Plan(column, value, new.decode()))
    for key, plans in planned.items():
        done = _updated(database, table, key, plans)
        yield from (Change(table.name, plan.column, _shown(key), plan.before, plan.after) for plan in done)
        yield from [None] * (len(plans) - len(done))


def _updated(
    database: sqlite3.Connection, table: _Table, key: tuple[_Part, ...], plans: Sequence[_Plan]
) -> Sequence[_Plan]:
    """Update the values of a row at once, because any of them may be of its key; return those that were.

    Not updated is what a trigger has changed meanwhile.
    """
    matches = [f"{name} IS {_literal(*part)}" for name, part in zip(table.keys, key, strict=True)]
    place = [value for kind, value in key if kind != b"text"]
    name, where = quoted(table.name), " AND ".join(matches)
    texts = [_bytes_of(plan.column) for plan in plans]
    found = database.execute(f"SELECT {', '.join(texts)} FROM {name} WHERE {where}", place).fetchone()
    left = [plan for plan, stored in zip(plans, found or (), strict=False) if plan.before == stored]
    if not left:
        return left
    sets = ", ".join(f"{quoted(plan.column)} = ?" for plan in left)
    try:
        # Otherwise a conflict clause of the schema holds, and ON CONFLICT REPLACE deletes the other row in silence.
        cursor = database.execute(
            f"UPDATE OR ABORT {name} SET {sets} WHERE {where}", [*(plan.after for plan in left), *place]
        )
        if cursor.rowcount != 1:
            raise sqlite3.IntegrityError("a trigger ignored the repair")
    except sqlite3.Error as error:
        error.add_note(_place(table, left[0].column, key))
        raise
    return left


def _literal(kind: bytes, value: int | float | bytes | None) -> str:
    """Return the expression for a part of a key: a parameter, but for text, which may be ill-formed, a literal.

    Not every SQLite makes text in UTF-16 of the bytes of a parameter.
    """
    return f"CAST(x'{value.hex()}' AS TEXT)" if kind == b"text" and isinstance(value, bytes) else "?"


def _place(table: _Table, column: str, key: tuple[_Part, ...]) -> str:
    return f"table {table.name}, column {column}, row {_shown(key)}"


def _has_triggers(database: sqlite3.Connection) -> bool:
    return database.execute("SELECT 1 FROM sqlite_schema WHERE type = 'trigger'").fetchone() is not None


def _check_all(database: sqlite3.Connection, form: Form) -> None:
    """Check that nothing ill-formed is in a database after its repair.

    Triggers may have written it, and a damaged key may not lead to its row.
    """
    for table in _tables(database):
        for column, key, value in _texts(database, table, table.stored) if table.is_stored else ():
            if not is_well_formed(value, form):
                why = "a trigger wrote ill-formed text" if _has_triggers(database) else "a row was not found by its key"
                error = sqlite3.IntegrityError(f"{why} during the repair")
                error.add_note(_place(table, column, key))
                raise error


def _suspended(database: sqlite3.Connection) -> list[str]:
    """Drop all triggers, and return the statements that make them again."""
    listed = database.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in listed:
        database.execute(f"DROP TRIGGER {quoted(_name(name))}")
    return [_name(statement) for _, statement in listed]


__all__ = ["Change", "Found", "Key", "audit", "quoted", "repair"]
