"""The files that a path stands for: itself, or the selected regular files in a folder and the folders inside it.

Inside a folder no symbolic link is followed, so no file is met twice and no cycle is walked. A path given by the user
is followed and always included: patterns select only among files that were found. This program's own temporary files
are never found.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from eightfold.files import FileError, file_error
from eightfold.files.paths.addresses import is_remote, is_temporary
from eightfold.files.paths.roots import Way
from eightfold.files.walk.globs import Pattern, deciding
from eightfold.files.walk.ignoring import IGNORE_FILE, Ignored

if TYPE_CHECKING:  # Few trees have rules, so their module is imported by who finds some.
    from eightfold.files.walk.rules import RuleBook, Ruled


class CleanText(NamedTuple):
    """What is known of a file that is clean text: how many bytes it has, and how many of them lie beyond ASCII."""

    length: int
    beyond: int


class Found(NamedTuple):
    """A file that a path stands for.

    Attributes:
        path: the path to open and to show.
        inside: its path relative to the walked folder, as patterns see it; for a given path, relative to the current
            folder if it lies there, else the path itself.
        walked: whether it was found in a folder rather than given.
        form: the name of the form that a configuration gives it, or ``auto``; empty if none does.
        text: what the walk has found out about it, if it is clean text.
    """

    path: str
    inside: bytes
    walked: bool
    form: str = ""
    text: CleanText | None = None

    @property
    def way(self) -> str | Way:
        """What to open: the path, or for a file that was found in a folder, the way to it from there."""
        is_here = self.walked and not is_remote(self.path)
        return Way.to_found(self.path, os.fsdecode(self.inside)) if is_here else self.path


class Selection(NamedTuple):
    """Which files in a folder to include. Patterns are those of ``.gitignore``, relative to the walked folder.

    Attributes:
        include: if there are any, a file must match one of these.
        exclude: files and folders that match one of these are skipped.
        ignore: whether to skip what ``.gitignore`` files ignore.
        rules: finds configurations; their patterns apply where there are none of the same kind here; None for none.
        force_exclude: whether to skip what is excluded even if it is given.
    """

    include: tuple[Pattern, ...] = ()
    exclude: tuple[Pattern, ...] = ()
    ignore: bool = False
    rules: RuleBook | None = None
    force_exclude: bool = False

    def takes(self, inside: bytes, *, is_folder: bool) -> bool:
        """Return whether to include a file or enter a folder."""
        if deciding(self.exclude, inside, is_folder=is_folder):
            return False
        return is_folder or not self.include or deciding(self.include, inside, is_folder=False) is True

    def leaves(self, ruled: Ruled, name: bytes, *, is_folder: bool) -> bool:
        """Return whether a configuration leaves out an entry of a folder that is found there, and count it."""
        excluded = not self.exclude and ruled.excludes(name, is_folder=is_folder)
        if not excluded and (is_folder or self.include or ruled.includes(name)):
            return False
        self.leave(ruled)
        return True

    def leave(self, ruled: Ruled, count: int = 1) -> None:
        """Count what a configuration leaves out."""
        if self.rules is not None:
            self.rules.count(ruled, count)

    def uncounted(self) -> Selection:
        """Return the same for another walk, which counts apart."""
        return self if self.rules is None else self._replace(rules=self.rules.uncounted())


EVERYTHING = Selection()
OnError = Callable[[FileError], None]


class Walking:
    """Finds every file. A subclass may take care of some itself, and not return them."""

    def __call__(self, top: Folder, on_error: OnError, selection: Selection, /) -> Iterator[Found]:
        """Yield the files of a folder that are taken; see :func:`found_under`."""
        return Walk(on_error, selection).files(top)

    def given(self, found: Found, /) -> Found | None:
        """Return a local file that was given, perhaps with what is known of it; None if it is taken care of."""
        return found


walked: Walking = Walking()


def files_under(path: str, on_error: OnError) -> Iterator[str]:
    """Yield the path, or if it is a folder, all files in it: see :func:`found_under`."""
    return (found.path for found in found_under(path, on_error))


def found_under(
    path: str, on_error: OnError, selection: Selection = EVERYTHING, walking: Walking = walked
) -> Iterator[Found]:
    """Yield the path, or if it is a folder, the files in it, sorted by name; files come before folders.

    Args:
        path: a file or a folder; a file need not exist: reading it reports that.
        on_error: called with each folder that cannot be listed, and each ignore file or configuration that cannot be
            read; walking continues after it, but a folder with such a configuration is skipped, and such an ignore
            file is not yielded as well.
        selection: which files in a folder to include.
        walking: walks through a folder; it may take care of some files itself, and not yield them.
    """
    is_folder = os.path.isdir(path)
    ruled: Ruled | None = None
    if selection.rules is not None and not is_remote(path):
        try:
            ruled = selection.rules.above(path if is_folder else os.path.dirname(path))
        except FileError as error:
            on_error(error)
            return
    if selection.force_exclude and _is_excluded(path, ruled, selection, is_folder=is_folder):
        return
    if is_folder:
        yield from _without_reported(Folder(path, b"", None, ruled), on_error, selection, walking)
        return
    inside = _as_patterns_see(path)
    yield Found(path, inside, False, "" if ruled is None else ruled.form_of(os.path.basename(inside)))


def _as_patterns_see(path: str) -> bytes:
    """Return a path that is given from the current folder on, if it lies there, however it was written."""
    given = os.path.normpath(path)
    if os.path.isabs(given) or given.startswith(os.pardir):
        here = os.path.join(os.getcwd(), "")
        whole = os.path.join(os.path.abspath(given), "")
        given = os.path.normpath(whole[len(here) :]) if whole.startswith(here) else given
    return os.fsencode(given)


def _without_reported(top: Folder, on_error: OnError, selection: Selection, walking: Walking) -> Iterator[Found]:
    """Yield the files of a folder, except ignore files that were reported: reading them would report them again."""
    reported: set[str] = set()

    def report(error: FileError) -> None:
        if os.path.basename(error.path) == IGNORE_FILE:
            reported.add(error.path)
        on_error(error)

    for found in walking(top, report, selection):
        if found.path not in reported:
            yield found


def _is_excluded(path: str, ruled: Ruled | None, selection: Selection, *, is_folder: bool) -> bool:
    """Return whether a path that is given is excluded, or one of the folders on the way to it."""
    inside = _as_patterns_see(path)
    if selection.exclude:
        return _is_on_way(inside, is_folder, lambda way, is_: deciding(selection.exclude, way, is_folder=is_) is True)
    if ruled is None:
        return False
    top = ruled._replace(way=b"")
    whole = ruled.way.removesuffix(b"/") if is_folder else ruled.way + os.path.basename(inside)
    if whole and _is_on_way(whole, is_folder, lambda way, is_: top.excludes(way, is_folder=is_)):
        selection.leave(ruled)
        return True
    return False


def _is_on_way(path: bytes, is_folder: bool, excludes: Callable[[bytes, bool], bool]) -> bool:
    names = path.split(b"/")
    ways = [b"/".join(names[:count]) for count in range(1, len(names) + 1)]
    return any(excludes(way, is_folder or way is not ways[-1]) for way in ways)


class Folder:
    """A folder to walk.

    Args:
        path: the folder.
        inside: the way there from the top.
        ignored: what is ignored above it, and once it is entered, in it; None at the top.
        ruled: the same of rules; None if no configuration holds.
    """

    __slots__ = ("ignored", "inside", "path", "ruled")

    def __init__(self, path: str, inside: bytes, ignored: Ignored | None, ruled: Ruled | None) -> None:
        self.path: str = path
        self.inside: bytes = inside
        self.ignored: Ignored | None = ignored
        self.ruled: Ruled | None = ruled

    def below(self, name: str) -> Folder:
        """Return a folder of this one, before it is entered."""
        ruled = None if self.ruled is None else self.ruled.below(name)
        return Folder(os.path.join(self.path, name), self.inside + os.fsencode(name) + b"/", self.ignored, ruled)


class Walk:
    """A walk through folders: see :func:`found_under`."""

    def __init__(self, on_error: OnError, selection: Selection) -> None:
        self._on_error = on_error
        self._selection = selection

    def files(self, top: Folder, *, is_entered: bool = False) -> Iterator[Found]:
        """Yield the files of a folder that are taken."""
        # A list instead of recursion: folders may be nested more deeply than Python's calls.
        due = [top]
        while due:
            folder = due.pop()
            if not (is_entered and folder is top) and not self.enter(folder):
                continue
            files, folders = self._entries(folder)
            for name in files:
                inside = os.fsencode(name)
                form = "" if folder.ruled is None else folder.ruled.form_of(inside)
                yield Found(os.path.join(folder.path, name), folder.inside + inside, True, form)
            due += [folder.below(name) for name in folders[::-1]]

    def enter(self, folder: Folder) -> bool:
        """Find what holds in a folder; return whether its configuration can be read, if it has one."""
        if self._selection.rules is not None and folder.inside:
            try:
                folder.ruled = self._selection.rules.within(folder.path, folder.ruled)
            except FileError as error:
                self._on_error(error)
                return False
        folder.ignored = self._ignored(folder.path, folder.ignored)
        return True

    def _ignored(self, folder: str, outer: Ignored | None) -> Ignored | None:
        if not self._selection.ignore:
            return None
        return Ignored.from_repository(folder, self._on_error) if outer is None else outer.inside(folder)

    def _entries(self, folder: Folder) -> tuple[list[str], list[str]]:
        """Return the names of the files and of the folders in a folder that are taken, each sorted."""
        files: list[str] = []
        folders: list[str] = []
        try:
            with os.scandir(folder.path) as entries:
                for entry in entries:
                    kind = _kind(entry)
                    if kind is not None and self._takes(entry.name, folder, is_folder=kind is _FOLDER):
                        (folders if kind is _FOLDER else files).append(entry.name)
        except OSError as error:
            self._on_error(file_error(folder.path, error))
        return sorted(files), sorted(folders)

    def _takes(self, name: str, folder: Folder, *, is_folder: bool) -> bool:
        ignored, ruled = folder.ignored, folder.ruled
        if is_temporary(name) or (ignored is not None and ignored.has(name, is_folder=is_folder)):
            return False
        entry = os.fsencode(name)
        if not self._selection.takes(folder.inside + entry, is_folder=is_folder):
            return False
        return ruled is None or not self._selection.leaves(ruled, entry, is_folder=is_folder)


_FILE, _FOLDER = "file", "folder"


def _kind(entry: os.DirEntry[str]) -> str | None:
    """Return what an entry is; None if it is neither a regular file nor a folder."""
    try:
        if entry.is_dir(follow_symlinks=False):
            return _FOLDER
        return _FILE if entry.is_file(follow_symlinks=False) else None
    except OSError:
        return _FILE  # It has gone, or is out of reach, since it was listed: reading it reports that.
