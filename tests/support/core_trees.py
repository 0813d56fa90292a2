"""Trees walked by the core so that it finds every file, to compare with the walk in Python."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from eightfold.files import FileError
from eightfold.files.walk.globs import patterns
from eightfold.files.walk.trees import Examination, Passed, Trees, can_walk
from eightfold.files.walk.walking import EVERYTHING, Found, Selection, found_under
from eightfold.forms import form

EVERY_FILE = Examination(form("utf-8"), special=patterns([b"*"]))

needs_trees = pytest.mark.skipif(not can_walk(), reason="there is no core here that walks trees")


def found_by_core(
    path: str, on_error: Callable[[FileError], object], selection: Selection = EVERYTHING, threads: int = 2
) -> list[Found]:
    """Return the files that the core finds."""
    counted: list[Passed] = []
    trees = Trees(lambda name: EVERY_FILE, counted.append, threads, ("eightfold.toml",))
    found = list(found_under(path, on_error, selection, trees))
    assert not any(passed.clean or passed.binary for passed in counted)
    return found
