"""Which files a run takes: whether it takes all that another takes, which may have been interrupted."""

from __future__ import annotations

import os
from collections.abc import Callable, Set
from typing import NamedTuple

from eightfold.files.path_text import as_path


class Scope(NamedTuple):
    """Which files a run takes.

    Attributes:
        paths: the real paths of the files and folders that it was given.
        patterns: what restricts the files of folders.
        flags: what widens them.
        configuration: the only configuration that counts, if one was given: its real path, or "none".
    """

    paths: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    configuration: tuple[str, ...] = ()

    def holds(self, other: Scope, takes: Callable[[str], bool] = lambda path: True) -> bool:
        """Return whether a run takes all files of another.

        Args:
            other: the files of the other.
            takes: whether the run takes what lies at a path in one of its folders; it may be ignored there.
        """
        mine = set(self.paths)
        are_taken = all(path in mine or (_is_below(path, mine) and takes(path)) for path in other.paths)
        is_as_wide = self.patterns in ((), other.patterns) and {*other.flags} <= {*self.flags}
        return are_taken and is_as_wide and self.configuration == other.configuration

    def reaches(self, folder: str) -> bool:
        """Return whether a run may take files that lie in a folder itself; one of very many paths may take any."""
        return any(
            not os.path.isabs(path) or _is_within(folder, path) or os.path.dirname(path) == folder
            for path in self.paths
        )

    def moved(self, was: str, now: str) -> Scope:
        """Return the same after a folder has moved, or one that it lies in.

        Args:
            was: the path of the folder when the run took the files.
            now: its path now.
        """
        while os.path.basename(was) == os.path.basename(now) and was != now:
            if os.path.lexists(as_path(os.path.dirname(was))):
                break  # It is this folder that has moved.
            was, now = os.path.dirname(was), os.path.dirname(now)

        def there(path: str) -> str:
            if not _is_within(path, was):
                return path
            return os.path.normpath(os.path.join(now, os.path.relpath(path, was)))

        return self._replace(paths=tuple(map(there, self.paths)), configuration=tuple(map(there, self.configuration)))


def _is_below(path: str, tops: Set[str]) -> bool:
    while (above := os.path.dirname(path)) != path:
        if above in tops:
            return True
        path = above
    return False


def _is_within(path: str, top: str) -> bool:
    return path == top or path.startswith(os.path.join(top, ""))
