"""Which files hold tables: known by the ending of their name together with their first bytes, without any package."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from eightfold.files.paths.addresses import ending_of, is_remote

PARQUET, IPC, SQLITE = "Parquet", "Arrow IPC", "SQLite"
_ENDINGS = {".parquet": PARQUET, ".arrow": IPC, ".feather": IPC, ".ipc": IPC, ".arrows": IPC}
ENDING = {PARQUET: ".parquet", IPC: ".arrow"}
"""The usual ending of each kind."""
_STREAM = b"\xff\xff\xff\xff"
_MAGIC = {PARQUET: (b"PAR1", b"PARE"), IPC: (b"ARROW1", b"FEA1", _STREAM), SQLITE: (b"SQLite format 3\0",)}
TABLE_HEADS: tuple[bytes, ...] = tuple(magic for each in _MAGIC.values() for magic in each)
"""How tables and databases begin; what :func:`kind_by_head` knows begins with one of these."""
_LONGEST = 6


def table_kind(path: str) -> str:
    """Return ``Parquet`` or ``Arrow IPC`` for a local file whose ending and first bytes say so, and else an empty str.

    >>> table_kind("notes.txt")
    ''
    """
    return "" if is_remote(path) else kind_of(path, lambda: _head(path))


def _head(path: str) -> bytes:
    with suppress(OSError), open(path, "rb") as file:
        return file.read(_LONGEST)
    return b""


def kind_of(path: str, head: Callable[[], bytes]) -> str:
    """Return ``Parquet`` or ``Arrow IPC`` for a file whose ending and first bytes say so, and else an empty str.

    Args:
        path: its name.
        head: returns its first bytes; called if the ending is that of a table.

    >>> kind_of("data.parquet", lambda: b"PAR1")
    'Parquet'
    """
    ending = ending_of(path)
    kind = _ENDINGS.get(ending, "")
    first = head() if kind else b""
    is_table = bool(kind) and first.startswith(_MAGIC[kind])
    return kind if is_table or (ending == ".arrows" and _begins_old_stream(first)) else ""


def kind_named(path: str) -> str:
    """Return ``Parquet`` or ``Arrow IPC`` for a name with the ending of such a table, and else an empty str.

    >>> kind_named("data.feather"), kind_named("notes.txt")
    ('Arrow IPC', '')
    """
    return _ENDINGS.get(ending_of(path), "")


def _begins_old_stream(head: bytes) -> bool:
    """Return whether a stream may begin so that was written before Arrow 0.15: with the length of its schema alone."""
    return head[3:4] == b"\0" and head[0] % 8 == 4


def kind_by_head(head: bytes) -> str:
    """Return ``Parquet``, ``Arrow IPC`` or ``SQLite`` for the first bytes of a file, and else an empty str.

    >>> kind_by_head(b"PAR1")
    'Parquet'
    """
    kind = next((kind for kind, magic in _MAGIC.items() if head.startswith(magic)), "")
    return kind if not head.startswith(_STREAM) or _begins_stream(head) else ""


def _begins_stream(head: bytes) -> bool:
    """Return whether a stream may begin so: behind its mark with the length of its schema, in words of eight bytes."""
    length = int.from_bytes(head[4:8], "little", signed=True)
    return len(head) > 8 and length > 0 and length % 8 == 0


__all__ = ["ENDING", "IPC", "PARQUET", "SQLITE", "TABLE_HEADS", "kind_by_head", "kind_named", "kind_of", "table_kind"]
