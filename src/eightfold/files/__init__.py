"""Files: walking folders, reading in chunks, writing whole or not at all, and names that are not UTF-8.

A failure of a file is a :class:`FileError` here, so callers can distinguish it from a standard output whose reader has
gone. Nothing in this package prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eightfold.files.path_text import shown

SHRUNK = "it became shorter while it was being read: try again"
"""The reason why a file of which a part is read again cannot be."""


class FileError(Exception):
    """A file that could not be read or written.

    Attributes:
        path: the file, as it was given; ``-`` is standard input or output.
        reason: what went wrong, in the words of the operating system or of this package.

    >>> str(FileError("notes.txt", "No such file or directory"))
    'notes.txt: No such file or directory'
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{shown(path)}: {reason}")
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.reason), self.__dict__


def file_error(path: str, error: OSError) -> FileError:
    """Return the FileError for an error of the operating system about a file.

    >>> file_error("notes.txt", PermissionError(13, "Permission denied")).reason
    'Permission denied'
    """
    return FileError(path, error.strerror or str(error))


@contextmanager
def blaming(path: str) -> Iterator[None]:
    """Turn an OSError raised in the block into a FileError that names the path.

    Raises:
        FileError: in place of the OSError.
    """
    try:
        yield
    except OSError as error:
        raise file_error(path, error) from error
