"""The parts that a table in a file is read by, and errors that name the file and the part.

A part is a row group of Parquet, or a record batch of Arrow IPC. Whatever pyarrow raises about a file becomes a
:class:`FileError` that names the file and the part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, NamedTuple

from eightfold.columns.arrow import pyarrow
from eightfold.columns.schemas import AlikeError, Text
from eightfold.columns.values import BrokenColumnError
from eightfold.faults import ConversionError
from eightfold.files import FileError
from eightfold.repair import PlanError


class Part(NamedTuple):
    """Some rows of a file.

    Attributes:
        number: which part it is, from 0.
        first_row: the row in the file, from 0, of the first of them.
        data: a pyarrow Table or RecordBatch.
        metadata: what Arrow IPC has for this record batch alone, a KeyValueMetadata; None if it has nothing.
        texts: its texts, as they are in the file.
    """

    number: int
    first_row: int
    data: Any
    metadata: Any = None
    texts: Sequence[Text] = ()


@contextmanager
def blaming_part(path: str, kind: str, part: str) -> Iterator[None]:
    """Turn what pyarrow raises in the block into a FileError that names the file and the part.

    Raises:
        FileError: in place of it.
    """
    try:
        yield
    except (FileError, ConversionError, PlanError, BrokenPipeError):
        raise
    except (AlikeError, BrokenColumnError) as error:
        raise FileError(path, _placed(part, str(error))) from error
    except MemoryError as error:
        raise FileError(path, _placed(part, f"it needs more memory than there is: {error}")) from error
    except (pyarrow().ArrowException, OSError, ValueError, OverflowError, TypeError, NotImplementedError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise FileError(path, _placed(part, f"malformed {kind}, or not supported: {first}")) from error


@contextmanager
def closed(close: Callable[[], object], blaming: AbstractContextManager[None]) -> Iterator[None]:
    """Close a writer of pyarrow after the block.

    If the block fails, its error is raised: that of a writer which cannot be closed any more only follows from it.

    >>> with closed(lambda: print("closed"), blaming_part("a.parquet", "Parquet", "end")):
    ...     print("written")
    written
    closed
    """
    try:
        yield
    except BaseException:
        with suppress(Exception):
            close()
        raise
    with blaming:
        close()


def _placed(part: str, reason: str) -> str:
    return f"{part}: {reason}" if part else reason


__all__ = ["Part", "blaming_part", "closed"]
