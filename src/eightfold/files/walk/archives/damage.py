"""What is said of an archive that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from eightfold.files import FileError


@contextmanager
def telling_damage(path: str) -> Iterator[None]:
    """Turn whatever broken data raises in the block into a FileError; an error of the operating system passes."""
    try:
        yield
    except FileError:
        raise
    except Exception as error:  # The modules for archives raise nearly anything for the data of an enemy.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise damaged(path, str(error) or type(error).__name__) from error


def damaged(path: str, reason: str) -> FileError:
    """Return the error for an archive whose data contradict its format."""
    return FileError(path, f"this archive is damaged: {reason}")
