"""Files that are given by their paths: the core reads those that are clean, in a fifth of the time of a check."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

from eightfold._engine import only_in_core
from eightfold.cli.work.checking import Task
from eightfold.files.paths.addresses import is_remote, packing_of
from eightfold.files.read.reading import STANDARD_INPUT
from eightfold.files.walk.trees import Passed
from eightfold.files.walk.walking import Found

_EXAMINER: Any = only_in_core("FileExaminer")


class GivenFiles:
    """Says which files that are given need no check, because the core has read them and they are clean.

    Args:
        task: the options for every file.
        on_passed: called with what was counted.
    """

    def __init__(self, task: Task, on_passed: Callable[[Passed], object]) -> None:
        self._task = task
        self._on_passed = on_passed
        self._examiner = cache(self._made)

    def passes(self, found: Found) -> bool:
        """Return whether a file needs no more, and count it if so. One that cannot be read needs more."""
        examiner = None if self._is_special(found.path) else self._examiner(*self._task.form_named(found))
        size = None if examiner is None else examiner.clean_size(os.fsencode(found.path))
        if size is None:
            return False
        self._on_passed(Passed(1, 0, size))
        return True

    @staticmethod
    def _is_special(path: str) -> bool:
        """Return whether a file is not read as the bytes that it is."""
        return path == STANDARD_INPUT or is_remote(path) or bool(packing_of(path))

    def _made(self, name: str | None, is_given: bool) -> Any:
        """Return what examines files of a form; None if the core cannot."""
        examination = self._task.examination_of(name, is_given=is_given)
        return None if _EXAMINER is None or examination is None else _EXAMINER(examination.form, examination)


__all__ = ["GivenFiles"]
