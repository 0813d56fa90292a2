"""What a configuration says of the files in its folder and below it. Finding it and reading it is not done here.

Its patterns are relative to its folder. The nearest configuration above a file decides alone: rules of another one
farther up are not merged into it.
"""

from __future__ import annotations

import os
from typing import NamedTuple, Protocol

from eightfold.files.walk.globs import Pattern, deciding


class Rules(NamedTuple):
    """The rules of one configuration.

    Attributes:
        origin: the configuration, as it is shown.
        include: a file in a folder must match one of these, if there are any.
        exclude: neither files nor folders that match one of these are taken.
        form_map: patterns, each with the name of a form or ``auto``; the last match wins.
        form: the name of the form of all other files, or ``auto``; empty if it says nothing.
    """

    origin: str
    include: tuple[Pattern, ...] = ()
    exclude: tuple[Pattern, ...] = ()
    form_map: tuple[tuple[Pattern, str], ...] = ()
    form: str = ""


class Ruled(NamedTuple):
    """The rules that hold in a folder, and the way there from theirs: empty, or names with a slash each."""

    rules: Rules
    way: bytes = b""

    def below(self, name: str) -> Ruled:
        """Return the same rules for a folder of this one."""
        return self._replace(way=self.way + os.fsencode(name) + b"/")

    def excludes(self, name: bytes, *, is_folder: bool) -> bool:
        """Return whether an entry of the folder is excluded, by its name or its path from the folder on."""
        return deciding(self.rules.exclude, self.way + name, is_folder=is_folder) is True

    def includes(self, name: bytes) -> bool:
        """Return whether a file of the folder is included."""
        return not self.rules.include or deciding(self.rules.include, self.way + name, is_folder=False) is True

    def form_of(self, name: bytes) -> str:
        """Return the name of the form of a file of the folder, or ``auto``; empty if the rules say nothing of it."""
        path = self.way + name
        matching = (form for glob, form in reversed(self.rules.form_map) if glob.matches(path, is_folder=False))
        return next(matching, self.rules.form)


class RuleBook(Protocol):
    """Finds the rules that hold in a folder, and counts what they exclude."""

    def above(self, folder: str) -> Ruled | None:
        """Return the rules of the nearest configuration in a folder or above it.

        Raises:
            FileError: it cannot be read, or is wrong.
        """

    def within(self, folder: str, outer: Ruled | None) -> Ruled | None:
        """Return the rules for a folder of one that has these, as :meth:`above` does, from the folder itself only."""

    def count(self, ruled: Ruled, count: int = 1) -> None:
        """Count files and folders that rules exclude."""

    def uncounted(self) -> RuleBook:
        """Return the same, which counts apart: for another walk through the same folders."""
