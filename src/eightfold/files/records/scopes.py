"""Which files a run takes: whether it takes all that another takes, which may have been interrupted."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple


class Scope(NamedTuple):
    """Which files a run takes.

    Attributes:
        paths: the real paths of the files and folders that it was given.
        patterns: what restricts the files of folders.
        flags: what widens them.
        settings: what else decides.
    """

    paths: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()

    def holds(self, other: Scope, takes: Callable[[str], bool] = lambda path: True) -> bool:
        """Return whether a run takes all files of another.

        Args:
            other: the files of the other.
            takes: whether the run takes what lies at a path in one of its folders; it may be ignored there.
        """
        are_taken = all(path in self.paths or (self._is_above(path) and takes(path)) for path in other.paths)
        is_as_wide = self.patterns in ((), other.patterns) and {*other.flags} <= {*self.flags}
        return are_taken and is_as_wide and self.settings == other.settings

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
            was, now = os.path.dirname(was), os.path.dirname(now)
        moved = (os.path.normpath(os.path.join(now, os.path.relpath(path, was))) for path in self.paths)
        paths = [there if _is_within(path, was) else path for path, there in zip(self.paths, moved, strict=True)]
        return self._replace(paths=tuple(paths))

    def _is_above(self, path: str) -> bool:
        return any(_is_within(path, top) for top in self.paths)


def _is_within(path: str, top: str) -> bool:
    return path == top or path.startswith(os.path.join(top, ""))
