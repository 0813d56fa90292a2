"""Repairs mojibake too: its places are changes among those of the faults, in order, and undone like them."""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter

from eightfold.arguments import AnyForm, Data, bytes_of
from eightfold.forms.utf_8 import UTF_8
from eightfold.mojibake import MojibakeFinder
from eightfold.reference import signed
from eightfold.repair.changes import MOJIBAKE, Change, Edit, spliced
from eightfold.repair.policies import Policy
from eightfold.repair.repairing import Repaired, Repairer
from eightfold.stream.turns import in_turn
from eightfold.text import is_well_formed


@in_turn("repair")
class MojibakeRepairer(Repairer):
    r"""A :class:`~eightfold.repair.Repairer` of UTF-8 that also mends mojibake.

    It needs the extra ``mojibake``; see :mod:`eightfold.mojibake`.

    Args:
        form: utf-8.
        errors, escapes: as for :func:`eightfold.repair.plan`.

    Raises:
        LookupError, ValueError, TypeError: as for :class:`~eightfold.repair.Repairer`, or the form is not utf-8.
        ModuleNotFoundError: ftfy is not installed.

    >>> repairer = MojibakeRepairer(errors="cp1252")
    >>> repaired = repairer.repair("caf\xc3\xa9 ".encode() + b"\x80", final=True)
    >>> repaired.data.decode() == "caf\xe9 \u20ac"
    True
    >>> for change in repaired.changes:
    ...     print(change)
    mojibake: C3 83 C2 A9 -> C3 A9 (U+00E9)
    unexpected-continuation: 80 -> E2 82 AC (U+20AC)
    """

    def __init__(self, form: AnyForm = UTF_8, errors: Policy | str = "escape", *, escapes: str | None = None) -> None:
        super().__init__(form, errors, escapes=escapes)
        if signed(self.form)[0] is not UTF_8:
            raise ValueError(
                f"mojibake is UTF-8 that was read in a legacy charset: it is not mended in {self.form.name}"
            )
        self._finder = MojibakeFinder()
        self._content: list[bytes] = []
        self._start = 0
        self._changes: list[Change] = []

    @property
    def settled(self) -> int:
        """As :attr:`eightfold.repair.Repairer.settled`."""
        return self._start

    def repair(self, chunk: Data, final: bool = False) -> Repaired:
        r"""Repair as many bytes as possible, and hold a line whose end is not known.

        Args:
            chunk, final: as for :meth:`eightfold.repair.Repairer.repair`.

        Raises:
            ConversionError: as for :meth:`eightfold.repair.Repairer.repair`.

        >>> repairer = MojibakeRepairer()
        >>> repairer.repair("caf\xc3\xa9".encode()).data, repairer.repair(b"\n").data.decode() == "caf\xe9\n"
        (b'', True)
        """
        piece = bytes_of(chunk)
        changes = super().repair(piece, final).changes
        # What is UTF-8 is text to the finder: it finds what it finds without a repair.
        ill_formed = [(each.start, each.end) for each in changes if not is_well_formed(each.old, UTF_8)]
        found = self._finder.find(piece, ill_formed, final)
        self._content.append(piece)
        self._changes += changes
        end, settled = self._settled()
        if end == self._start:
            return Repaired(b"", ())
        mended = (Change(each.start, each.old, each.new, MOJIBAKE, MOJIBAKE, each.line, each.column) for each in found)
        due = sorted((*self._changes[:settled], *mended), key=attrgetter("start"))
        del self._changes[:settled]
        content = b"".join(self._content)
        content, self._content = content[: end - self._start], [content[end - self._start :]]
        edits = (Edit(each.start - self._start, each.old, each.new) for each in due)
        data = b"".join(spliced([content], edits))
        self._start = end
        return Repaired(data, tuple(due))

    def _settled(self) -> tuple[int, int]:
        """Return the offset before which nothing can change any more, and how many of the held changes begin there."""
        end = self._finder.settled
        count = bisect_left(self._changes, end, key=attrgetter("start"))
        if count and self._changes[count - 1].end > end:  # A part of a long line ends inside an escape of JSON.
            return self._changes[count - 1].start, count - 1
        return end, count
