"""Tables in files, Parquet and Arrow IPC (Feather): read and written part by part, so that memory holds one part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO

from eightfold.columns.arrow import pyarrow
from eightfold.columns.ipc_files import IpcReader
from eightfold.columns.parquet_files import ParquetReader
from eightfold.columns.parts import blaming_part
from eightfold.columns.schemas import AlikeError
from eightfold.files import FileError
from eightfold.files.read.tables import PARQUET
from eightfold.repair import repair

TableReader = ParquetReader | IpcReader


def as_shown(text: bytes) -> bytes:
    r"""Return a text with its ill-formed bytes escaped, for those who only read a table.

    >>> as_shown(b"caf\xe9")
    b'caf\\xe9'
    """
    return text.decode("utf-8", "backslashreplace").encode()


@contextmanager
def reading(
    path: str, kind: str, file: BinaryIO, repaired: Callable[[bytes], bytes] | None = None
) -> Iterator[TableReader]:
    """Open a table.

    Args:
        path: the file, as errors name it.
        kind: what :func:`eightfold.files.read.tables.table_kind` returned.
        file: the file, open for reading.
        repaired: returns what the name of a column, or a text of the metadata, becomes. The table is read as if it
            were so already: pyarrow can neither look up nor write names that are not UTF-8. By default they are as
            they are shown, or, if two of them would then be the same, as the policy escape repairs them.

    Raises:
        FileError: it is malformed or encrypted, or pyarrow is missing.
        ConversionError: a text cannot be repaired.
    """
    try:
        pyarrow()
    except ModuleNotFoundError as error:
        raise FileError(path, str(error)) from None
    with blaming_part(path, kind, ""):
        open_table = partial(ParquetReader if kind == PARQUET else IpcReader, path, file)
        reader = open_table(repaired) if repaired else _shown(open_table, file)
    yield reader


def _shown(open_table: Callable[[Callable[[bytes], bytes]], TableReader], file: BinaryIO) -> TableReader:
    try:
        return open_table(as_shown)
    except AlikeError:
        file.seek(0)
        return open_table(repair)


__all__ = ["TableReader", "as_shown", "reading"]
