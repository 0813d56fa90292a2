"""Which files hold tables: known by the ending of their name together with their first bytes, without any package."""

from __future__ import annotations

from contextlib import suppress

from eightfold.files.paths.addresses import ending_of, is_remote

PARQUET, IPC = "Parquet", "Arrow IPC"
_ENDINGS = {".parquet": PARQUET, ".arrow": IPC, ".feather": IPC, ".ipc": IPC}
_MAGIC = {PARQUET: (b"PAR1", b"PARE"), IPC: (b"ARROW1", b"FEA1")}
_LONGEST = 6


def table_kind(path: str) -> str:
    """Return ``Parquet`` or ``Arrow IPC`` for a local file whose ending and first bytes say so, and else an empty str.

    >>> table_kind("notes.txt")
    ''
    """
    kind = _ENDINGS.get(ending_of(path), "")
    if not kind or is_remote(path):
        return ""
    with suppress(OSError), open(path, "rb") as file:
        if file.read(_LONGEST).startswith(_MAGIC[kind]):
            return kind
    return ""


__all__ = ["IPC", "PARQUET", "table_kind"]
