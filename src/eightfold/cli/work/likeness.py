"""Files that look like a form other than the one they are read in, or do not look like text.

Text of 16- or 32-bit units, read as UTF-8, has faults that say nothing, and repairing them would destroy it. Its byte
order mark gives it away, or where its NULs stand. Surrogates in pairs are the sequences of another form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from eightfold.faults import Fault, immutable
from eightfold.files.paths.addresses import is_remote, packing_of
from eightfold.files.read.reading import STANDARD_INPUT, Source
from eightfold.files.read.scanning import faults_in
from eightfold.files.read.tables import ENDING, SQLITE, TABLE_HEADS, kind_by_head, table_kind
from eightfold.files.walk.archives.others import kind_of
from eightfold.forms import Form, form, forms
from eightfold.stream import Located
from eightfold.text import decode, encode, faults

_HEAD_BYTES = 8192
"""How much of a file is examined."""
_CONTROLS = re.compile(r"[\0-\x06\x0e-\x1a\x1c-\x1f]")
"""Controls that text seldom has."""
_SIGNATURES = sorted(
    ((signature, each.name) for each in forms() if each.unit_bits > 8 for signature in each.signatures),
    # The mark of UTF-32 begins as that of UTF-16 does.
    key=lambda found: -len(found[0].mark),
)


WIDE_MARKS: tuple[bytes, ...] = tuple(signature.mark for signature, _ in _SIGNATURES)
"""How files of 16- and 32-bit units begin."""


def heads_of_others(*, may_differ: bool) -> tuple[bytes, ...]:
    """Return how tables begin, which are no text, and with `may_differ` text of wider units too."""
    return (*TABLE_HEADS, *(WIDE_MARKS if may_differ else ()))


@immutable
@dataclass(frozen=True, slots=True)
class OtherForm(Fault):
    """The fault of a file that looks like another form; its span is the byte order mark, or empty.

    Attributes:
        looks_like: the name of that form.
        reason: the evidence for it.
        use: the name of the form to read it in.
    """

    looks_like: str = ""
    reason: str = ""
    use: str = ""

    @property
    def seen(self) -> str:
        """The finding, in words."""
        return f"looks like {self.looks_like} ({self.reason})"

    def __str__(self) -> str:
        return f"{self.seen}; use -f {self.use}"


def other_form(source: Source, asked: Form) -> OtherForm | None:
    """Return the fault of a source that looks like another form, or None; the position of the source does not change.

    Args:
        source: the file.
        asked: the form that it would be read in.

    Raises:
        FileError: it cannot be read.
    """
    return _other_form(source.head(_HEAD_BYTES), asked)


def _other_form(head: bytes, asked: Form) -> OtherForm | None:
    r"""Return the fault of a file that begins so.

    >>> print(_other_form(b"\xff\xfeh\x00", form("utf-8")))
    looks like utf-16-le (byte order mark); use -f utf-16
    >>> print(_other_form(b"\x00h\x00i\x00!", form("utf-8")))
    looks like utf-16-be (NULs at even offsets); use -f utf-16-be
    """
    for signature, name in _SIGNATURES:
        if head.startswith(signature.mark):
            return _fault(asked, signature.mark, signature.form.name, "byte order mark", name)
    found = _by_nuls(head) if b"\0" in head and not kind_of(head) else ""
    return _fault(asked, b"", found, _reason(form(found), head), found) if found else None


def _fault(asked: Form, units: bytes, looks_like: str, reason: str, use: str) -> OtherForm:
    return OtherForm("other-form", asked.name, 0, len(units), units, looks_like=looks_like, reason=reason, use=use)


def _by_nuls(head: bytes) -> str:
    """Return the form of 16- or 32-bit units that bytes with NULs are evidence for, or an empty str."""
    from eightfold.identify import Identifier

    identifier = Identifier()
    # Whole units: where the head is cut, the file usually goes on.
    identifier.feed(head[: len(head) // 4 * 4] or head)
    best = identifier.finish()[0]
    is_wide = identifier.tells(best) and form(best.form).unit_bits > 8
    return best.form if is_wide and _is_text(decode(head, best.form, "replace")) else ""


def _is_text(text: str) -> bool:
    """Return whether text has one control at most, such as an end of file: tables, read as wide units, have more."""
    return len(_CONTROLS.findall(text)) <= 1


def _reason(found: Form, head: bytes) -> str:
    if found.unit_bits > 16:
        return "NULs in every four bytes"
    is_odd = found.byte_order == "little"
    # Text without ASCII may have NULs only in the other half of its units, as U+4E00 does.
    return f"NULs at {'odd' if is_odd else 'even'} offsets" if 0 in head[is_odd::2] else "16-bit units that are text"


def is_binary(source: Source, asked: Form) -> bool:
    """Return whether a file that should be in a form has a NUL near its beginning, and so is not text in it.

    In forms of 16- and 32-bit units bytes of 0 are everywhere, and a file of MUTF-8 (a class file, NBT) is seldom text.
    """
    return may_be_binary(asked) and b"\0" in source.head(_HEAD_BYTES)


def may_be_binary(asked: Form) -> bool:
    """Return whether a NUL shows that a file is not text in a form: see :func:`is_binary`."""
    return asked.unit_bytes == 1 and asked.name != "mutf-8"


def table_in(source: Source) -> str:
    """Return ``Parquet``, ``Arrow IPC`` or ``SQLite`` for a source that begins so, and else an empty str."""
    head = source.head(_HEAD_BYTES)
    return kind_by_head(head) if b"\0" in head else ""


def table_hint(source: Source) -> str:
    """Return what to do with a table or a database that is read as text.

    An empty str means that the file is none.
    """
    kind = table_in(source)
    if kind == SQLITE:
        return "is an SQLite database, not text: eightfold.columns.sqlite audits and repairs its text"
    return kind and f"is {kind}, not text: {_way_to_table(source.path, kind)}"


def _way_to_table(path: str, kind: str) -> str:
    """Return what makes a table under a path be read as one."""
    ending = ENDING[kind]
    if is_remote(path):
        return f"use --runner local, with a name that ends in {ending}"
    if path != STANDARD_INPUT and packing_of(path):
        return f"decompress it to a file with a name that ends in {ending}"
    if table_kind(path) == kind:
        return "give its path, not that of its folder"
    return f"give it a name that ends in {ending}"


_PAIR = "surrogate-pair"
PAIRED = frozenset(("surrogate", _PAIR))
"""The kinds of fault that halves of a pair are, alone or together."""
_MOST_FAULTS = 10_000
"""How many faults are searched for a pair if not all of them are needed."""


class Pairs:
    r"""Looks in the faults of a file for surrogates that stand in pairs, as some other form writes them.

    Attributes:
        form: the name of that form, of several the first, once there was a pair; else empty.

    >>> from eightfold.text import faults
    >>> pairs = Pairs()
    >>> [pairs.see(fault) for fault in faults(b"\xed\xa0\xbd, \xed\xa0\xbd\xed\xb8\x80", "utf-8")]
    ['', '', 'cesu-8']
    """

    def __init__(self) -> None:
        self.form = ""
        self._lead: Fault | None = None

    def see(self, fault: Fault) -> str:
        """Look at the next fault; return the form so far."""
        if not self.form and fault.kind in PAIRED:
            lead, self._lead = self._lead, fault
            before = lead.units if lead is not None and lead.end == fault.start else b""
            found = _with_sequence(before + fault.units) if before or fault.kind == _PAIR else []
            self.form = found[0].name if found else ""
        return self.form

    def look_in(self, faults: Iterable[Located]) -> str:
        """Look at faults until there is a pair, but not at millions; return the form."""
        return next((found for each in islice(faults, _MOST_FAULTS) if (found := self.see(each.fault))), "")


def has_pairs(data: bytes, name: str) -> bool:
    r"""Return whether bytes that are not UTF-8 have surrogates in pairs, as a form writes them.

    >>> has_pairs(b"\xed\xa0\xbd\xed\xb8\x80", "cesu-8"), has_pairs(b"\xed\xa0\xbd\xed\xb8\x80", "wtf-8")
    (True, False)
    """
    pairs = Pairs()
    found = next((found for fault in islice(faults(data, "utf-8"), _MOST_FAULTS) if (found := pairs.see(fault))), "")
    return bool(found) and form(name) in _with_sequence(encode("\U00010000", found))


def with_fewest_faults(source: Source, name: str, count: int) -> str:
    """Return which of the forms that write pairs like this one has the fewest faults, the first of several.

    That is an empty str if none has fewer than this many. The source is read again from its first byte for each of
    them, until one has none.

    Raises:
        FileError: it cannot be read.
    """
    pair = encode("\U00010000", name)
    found = ""
    for each in _with_sequence(pair):
        source.rewind()
        fewer = sum(1 for _ in islice(faults_in(source, each), count))
        if fewer < count:
            found, count = each.name, fewer
        if not count:
            break
    return found


def _with_sequence(units: bytes) -> list[Form]:
    """Return the forms of bytes in which these are one sequence."""
    return [each for each in forms() if each.unit_bits == 8 and _is_sequence(each, units)]


def _is_sequence(form: Form, units: bytes) -> bool:
    alike = (row.unit_ranges for row in form.rows if len(row.unit_ranges) == len(units))
    return any(all(low <= unit <= high for unit, (low, high) in zip(units, row, strict=True)) for row in alike)
