"""Files replaced in place: each of them once, however often a run is stopped and begun again.

Not here: what they are replaced by, how that is written, and that no other run does so at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from eightfold.cli.output.ending import NOTHING_WRONG, end_undisturbed
from eightfold.cli.output.lines import counted, say
from eightfold.files import FileError
from eightfold.files.records.journals import Ends, Journals
from eightfold.files.records.private import keeps_key


class InPlace:
    """One run that replaces files, and holds their folders: see :mod:`eightfold.files.write.locks`.

    Args:
        done: what is done to them, in a word: converted.
        conversion: that, as names and values.
    """

    def __init__(self, done: str, conversion: Mapping[str, str]) -> None:
        self._done = done
        self._journals = Journals(conversion)
        self._is_begun = False

    def nothing_left(self, paths: Iterable[str]) -> bool:
        """Tidy up behind a run that was stopped when it had done everything; return whether there was one."""
        tidied = self._journals.tidy(paths)
        if tidied:
            say(f"an interrupted run had already {self._done} every file: nothing is left to do")
        return tidied

    def once(self, path: str, act: Callable[[], object]) -> bool:
        """Do what replaces a file, unless a run that was stopped has done it; return whether it was done now.

        Threads may do so with several files at the same time.

        Raises:
            FileError: it was changed since such a run; and what the act raises.
        """
        if self._journals.has(path):
            return False
        try:
            act()
        except FileError:
            self._journals.take_back(path)
            raise
        self._journals.settle(path)
        return True

    def begin(self, path: str, digests: tuple[str, str]) -> None:
        """Put on record that a file is about to be replaced: its digest, and that of what it will be."""
        if not self._is_begun and not keeps_key():
            say("cannot store a key (see $XDG_STATE_HOME): if this run is interrupted, it cannot be resumed")
        self._is_begun = True
        self._journals.add(path, Ends(*digests))

    def end(self, status: int, *, certified: bool) -> None:
        """Say what was left alone; if all is done, the record goes, and no signal can make it look otherwise.

        Args:
            status: the exit status of the run.
            certified: whether there are certificates, of what was done now.
        """
        if self._journals.already:
            uncertified = "; no certificate is written for them" if certified else ""
            say(f"{counted(self._journals.already, 'file')} already {self._done} by an interrupted run{uncertified}")
        if status == NOTHING_WRONG:
            end_undisturbed()
            self._journals.end()
        elif self._journals.left and keeps_key():
            say("incomplete: run the command again; finished files are skipped")
        elif self._journals.left:
            say("incomplete: the journals list the finished files, and block another run")
