"""Finding the configuration: `eightfold.toml`, or `[tool.eightfold]` of `pyproject.toml`, from a folder upward.

As in ruff, only the nearest one applies to a file; a `pyproject.toml` without the table does not count; in one folder
`eightfold.toml` takes precedence; and the walk upward ends at the root of the file system. Symbolic links on the way to
a folder are resolved. Options of the command line override a configuration. What a configuration file may contain is in
:mod:`eightfold.cli.options.configuration_file`, which is imported when the first one is found.

A configuration comes with a tree, so it is not trusted: it chooses what is read and how that is reported, but never
what is written, or where.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eightfold.cli.options.arguments import CommandParser, file_argument
from eightfold.cli.options.setting import Unstored
from eightfold.cli.output.ending import UsageError
from eightfold.cli.output.lines import say
from eightfold.files import FileError, blaming
from eightfold.files.path_text import shown

if TYPE_CHECKING:  # Few trees have one.
    from eightfold.cli.options.configuration_file import Configuration
    from eightfold.files.walk.rules import Ruled

OWN, SHARED = "eightfold.toml", "pyproject.toml"
_FOLDERS_KEPT = 10_000
_NO_LINK = {"follow_symlinks": False} if os.access in os.supports_follow_symlinks else {}


class Configurations:
    """Finds configurations, and remembers them; see :class:`eightfold.files.walk.rules.RuleBook`.

    Attributes:
        given: the names of the settings that the command line has.
        excluded: how many files and folders each configuration has excluded; a folder counts as one.
    """

    def __init__(self, file: str = "", *, off: bool = False) -> None:
        """Set where to look.

        Args:
            file: the only one that counts; empty to search.
            off: whether to ignore every configuration.
        """
        self.file = file
        self.off = off
        self.given: set[str] = set()
        self.excluded: dict[str, int] = {}
        self._in: dict[str, Configuration | None] = {}
        self._above: dict[str, Ruled | None] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the files that are looked for in each folder."""
        return () if self.off or self.file else (OWN, SHARED)

    def uncounted(self) -> Configurations:
        """Return the same, which counts apart."""
        return Configurations(self.file, off=self.off)

    def count(self, ruled: Ruled, count: int = 1) -> None:
        """Count files and folders that rules exclude."""
        origin = ruled.rules.origin
        self.excluded[origin] = self.excluded.get(origin, 0) + count

    def here(self) -> Configuration | None:
        """Return the configuration of the current folder, which sets what holds for a whole run.

        Raises:
            FileError: it cannot be read, or is wrong.
        """
        return self.of("")

    def of(self, folder: str) -> Configuration | None:
        """Return the configuration of the files in a folder.

        Raises:
            FileError: it cannot be read, or is wrong.
        """
        if self.off:
            return None
        if self.file:
            return self._only()
        return next((found for _, found in self._upward(os.path.realpath(folder or os.curdir))), None)

    def above(self, folder: str) -> Ruled | None:
        """Return the rules of the nearest configuration in a folder or above it.

        Raises:
            FileError: it cannot be read, or is wrong.
        """
        if self.off:
            return None
        if folder not in self._above:
            if len(self._above) >= _FOLDERS_KEPT:
                self._above.clear()
            self._above[folder] = self._ruled(os.path.realpath(folder or os.curdir))
        return self._above[folder]

    def within(self, folder: str, outer: Ruled | None) -> Ruled | None:
        """Return the rules for a folder of one that has these, as :meth:`above` does, from the folder itself only."""
        if self.off or self.file:
            return outer
        found = _configuration_in(folder)
        return outer if found is None else found.ruled()

    def _ruled(self, real: str) -> Ruled | None:
        if self.file:
            # As the patterns of the command line would be in the current folder.
            return self._only().ruled(_way(os.path.realpath(os.curdir), real))
        return next((found.ruled(_way(at, real)) for at, found in self._upward(real)), None)

    def _upward(self, real: str) -> Iterator[tuple[str, Configuration]]:
        at, below = real, ""
        while at != below:
            if at not in self._in:
                if len(self._in) >= _FOLDERS_KEPT:
                    self._in.clear()
                self._in[at] = _configuration_in(at)
            found = self._in[at]
            if found is not None:
                yield at, found
            at, below = os.path.dirname(at), at

    def _only(self) -> Configuration:
        found = self._in.get(self.file)
        if found is None:
            found = self._in[self.file] = _read(self.file)
        if found is None:
            raise FileError(self.file, "has no table [tool.eightfold]")
        return found

    def setting(self, name: str, otherwise: Any) -> Any:
        """Return a setting of the run: of the command line, else of the current folder's configuration, else another.

        Raises:
            FileError: the configuration cannot be read, or is wrong.
        """
        if name in self.given:
            return otherwise
        found = self.here()
        return otherwise if found is None else found.values.get(name, otherwise)


def _way(base: str, folder: str) -> bytes:
    """Return the path from one folder to another inside it, or nothing if it is not inside."""
    inside = os.path.join(base, "")
    return os.fsencode(folder[len(inside) :].replace(os.sep, "/")) + b"/" if folder.startswith(inside) else b""


def _configuration_in(folder: str) -> Configuration | None:
    """Return the configuration of a folder, if it has one.

    Raises:
        FileError: it cannot be read, or is wrong.
    """
    for name in (OWN, SHARED):
        if not _is_there(f"{folder}/{name}"):
            continue
        path = os.path.join(folder, name)
        with blaming(path):
            status = os.lstat(path)
        # A folder with the shared name has no table of ours; one with our own name is an error, like a pipe.
        counts = name == OWN or not stat.S_ISDIR(status.st_mode)
        if counts and _is_trusted(path, folder, status):
            found = _read(path)
            if found is not None:
                return found
    return None


def _is_there(path: str) -> bool:
    """Return whether an entry exists, without an exception for each of the many folders that have none."""
    return os.access(path, os.F_OK, **_NO_LINK)


def _is_trusted(path: str, folder: str, status: os.stat_result) -> bool:
    """Return whether a file counts: where anyone can create one, as in /tmp, only if the user or the system owns it."""
    if os.name == "nt":
        return True
    with blaming(folder):
        around = os.stat(folder)
    if not around.st_mode & stat.S_IWOTH or status.st_uid in (os.geteuid(), 0, around.st_uid):
        return True
    say(f"{shown(path)}: skipped: another user owns it, and anyone can write to its folder; use --config to read it")
    return False


def _read(path: str) -> Configuration | None:
    from eightfold.cli.options.configuration_file import configuration

    return configuration(path)


def add_configuration(parser: CommandParser) -> None:
    """Add the options for where the configuration is."""
    parser.add_argument(
        "--config",
        type=file_argument,
        action=_ChooseFile,
        metavar="FILE",
        help=f"read the configuration from this file only (default: for each file the nearest {OWN}, or "
        f"{SHARED} with [tool.eightfold], in its folder or above)",
    )
    parser.add_argument("--no-config", nargs=0, action=_ChooseNone, help="ignore every configuration")


class _ChooseFile(Unstored):
    """Sets the only configuration that counts."""

    def __call__(self, parser: object, options: Any, value: Any, flag: str | None = None) -> None:
        options.configurations.file = value
        _refuse_both(options.configurations)


class _ChooseNone(Unstored):
    """Turns every configuration off."""

    def __call__(self, parser: object, options: Any, value: Any, flag: str | None = None) -> None:
        options.configurations.off = True
        _refuse_both(options.configurations)


def _refuse_both(configurations: Configurations) -> None:
    if configurations.file and configurations.off:
        raise UsageError("--config and --no-config cannot be combined")
