"""Which files a path stands for: itself, or every regular file of a folder and of the folders in it.

In a folder no symbolic link is followed, so no file is met twice; a path that is given is followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator

from eightfold.files import FileError, file_error


def files_under(path: str, on_error: Callable[[FileError], None]) -> Iterator[str]:
    """Yield the path, or where it is a folder its files, sorted by name, those of a folder before its folders.

    Args:
        path: a file or a folder; a file need not exist, reading it will say so.
        on_error: called with each folder that cannot be listed; walking goes on after it.
    """
    if not os.path.isdir(path):
        yield path
        return
    for folder, folders, names in os.walk(path, onerror=lambda error: on_error(file_error(error.filename, error))):
        folders.sort()
        paths = (os.path.join(folder, name) for name in sorted(names))
        yield from filter(_is_regular, paths)


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return True  # Gone or out of reach since it was listed: reading it will say so.
