"""Which files are JSON, by their names: those that are searched for escapes of unpaired surrogates."""

from __future__ import annotations

import os
from typing import NamedTuple

from eightfold.files.paths.addresses import ending_of
from eightfold.files.walk.globs import Pattern, deciding
from eightfold.files.walk.walking import Found

DOCUMENTS = (".json", ".ipynb", ".geojson", ".har")
LINES = (".jsonl", ".ndjson")
"""The endings of names of files with one JSON text, and of those with one on each line."""


class JsonFiles(NamedTuple):
    """The files that are JSON.

    Attributes:
        patterns: those of `--escapes-in`; the last pattern that matches decides, and may exclude a file.
    """

    patterns: tuple[Pattern, ...] = ()

    def lines_of(self, found: Found, *, unpack: bool) -> bool | None:
        """Return whether each line of a file is a JSON text of its own; None if the file is not JSON.

        >>> [JsonFiles().lines_of(Found(path, b"", False), unpack=True) for path in ("a.json", "a.jsonl.gz", "a.txt")]
        [False, True, None]
        """
        ending = ending_of(found.path, unpack=unpack)
        said = deciding(self.patterns, found.inside or os.fsencode(found.path), is_folder=False)
        is_json = ending in DOCUMENTS + LINES if said is None else said
        return ending in LINES if is_json else None
