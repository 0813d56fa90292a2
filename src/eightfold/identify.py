r"""Identifies the form of bytes: lists every candidate, best first, by evidence and without guessing languages.

Forms whose signature begins the input come first. The others follow in order of evidence, in bits per byte:
:mod:`eightfold.evidence` defines what a well-formed sequence gains and what a fault costs. A form in which almost any
bytes are well-formed gains nothing from well-formedness, so it never precedes UTF-8 with a few faults. Forms that read
the input alike have equal evidence and come in a fixed order, the narrowest first.

The whole input is counted, with two limits: reading a form stops at :data:`FAULTS_COUNTED` faults, and the evidence for
16- and 32-bit units comes from a sample, the first :data:`SAMPLE_BYTES` bytes.

:meth:`Identifier.tells` returns whether there is evidence for a candidate. If there is none for the best candidate,
text in the legacy charset of Western Europe is reported as such.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from eightfold.arguments import Data, bytes_of
from eightfold.evidence import FAULT_BITS, ByteCounts, legacy_charset, text_bits
from eightfold.faults import hex_bytes
from eightfold.forms import Form, form
from eightfold.forms.utf_8 import UTF_8
from eightfold.reference import signed
from eightfold.stream import Checker, Located
from eightfold.text import is_well_formed

_RANK = tuple(
    form(name)
    for name in (
        # The mark of UTF-32 begins with that of UTF-16, so UTF-32 comes first.
        *("corrected-utf-8-sig", "utf-32", "utf-16", "utf-8-sig"),
        *("utf-8", "cesu-8", "mutf-8", "wtf-8", "generalized-utf-8", "utf-8-rfc2044", "corrected-utf-8"),
        *("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"),
        *("wtf-16", "wtf-16-le", "wtf-16-be", "xtf-8", "optu-8", "optu-16", "optu-16-le", "optu-16-be"),
    )
)
_LAST_RESORT = form("corrected-utf-8")
"""It reads most UTF-8 as a different text, so without its magic number it is a candidate only if nothing else fits."""
_NAMES_OF_BYTES = {each.name for each in _RANK if each.unit_bytes == 1 and not each.signatures} - {_LAST_RESORT.name}
FAULTS_COUNTED = 1000
"""The maximum number of faults counted for a form."""
SAMPLE_BYTES = 16 * 1024
"""The size of the sample for checks that do not read the whole input."""
_SLACK = 0.1
"""The share of faults by which a wider form must be better, as when every pair of surrogates is a fault."""
_CHANCE_BITS = 2 * FAULT_BITS
"""Damage that is a fault in all forms may leave one more sequence that only a wider form has."""
_CONTEXT_BYTES = 64
_SHORT_PIECE, _LONG_PIECE = 1024, 256 * 1024
"""How much is checked at once: little after a piece with faults, because a check finds all faults of its piece."""
_BEYOND_ASCII = re.compile(rb"[\x80-\xFF]")
MARKS = tuple({signature.mark for each in _RANK for signature in each.signatures})
"""How an input begins that announces its form."""
_HEAD = max(map(len, MARKS))


class Identification(NamedTuple):
    """One candidate.

    >>> identify(b"plain")[0].well_formed
    True

    Attributes:
        form: the form's name.
        well_formed: whether the bytes are well-formed in it.
        fault_count: the number of faults in it; :data:`FAULTS_COUNTED` means that many or more.
        signature: the mark that begins the bytes and announces the form; empty if there is none.
        lossless: whether decoding and then encoding in this form returns the same bytes.
        evidence: the evidence for the form, in bits per byte of input, compared with random bytes.
        reads_as: the legacy charset of the bytes if there is no evidence for any form; else empty.
    """

    form: str
    well_formed: bool
    fault_count: int
    signature: bytes
    lossless: bool
    evidence: float = 0.0
    reads_as: str = ""

    @property
    def _cells(self) -> tuple[str, ...]:
        yes_or_no = {True: "yes", False: "no"}
        count = f"{self.fault_count}{' or more' if self.fault_count == FAULTS_COUNTED else ''}"
        said = (yes_or_no[self.well_formed], count, hex_bytes(self.signature), yes_or_no[self.lossless])
        return self.form, *said, f"{self.evidence:.3f}", self.reads_as


class Identifications(list[Identification]):
    """The candidates for bytes, best first; notebooks display a table.

    >>> identify(b"plain")[0].form
    'utf-8'
    """

    def _repr_html_(self) -> str:
        from eightfold.markup import row, table

        columns = ("form", "said", "number", "signature", "said", "number", "said")
        header = ("form", "well-formed", "faults", "signature", "lossless", "evidence", "reads as")
        return table("Identified as, best first", header, [row(each._cells, columns) for each in self])


def identify(data: Data) -> list[Identification]:
    r"""Return every form that bytes could be in, best first.

    A form with a signature is a candidate only if its mark begins the bytes. Empty input is utf-8.

    Args:
        data: any bytes-like object.

    Raises:
        TypeError: the data is not bytes-like.

    >>> [found.form for found in identify(b"\xed\xa0\xbd\xed\xb8\x80")][:2]
    ['cesu-8', 'mutf-8']
    >>> best = identify(b"\xff\xfeA\x00")[0]
    >>> best.form, best.signature, best.well_formed, best.lossless
    ('utf-16', b'\xff\xfe', True, True)
    >>> identify(b"caf\xe9 noir")[0].reads_as
    'windows-1252'
    """
    identifier = Identifier()
    identifier.feed(data)
    return identifier.finish()


def plain_text(data: Data) -> Identification | None:
    r"""Return the best candidate for an input that is plain text in UTF-8; None for any other.

    It is what :func:`identify` returns first, at a small part of the cost.

    >>> plain_text(b"plain") == identify(b"plain")[0]
    True
    >>> plain_text(b"\xff\xfeA\x00")
    """
    content, counts = bytes_of(data), ByteCounts()
    counts.add(content)
    is_plain = counts.plain + counts.beyond == counts.length and not content.startswith(MARKS)
    return of_plain_text(counts.length, counts.beyond) if is_plain and is_well_formed(content, UTF_8) else None


def of_plain_text(length: int, beyond: int) -> Identification:
    """Return the best candidate for an input that is plain text in UTF-8.

    That is well-formed, begins with no mark, and has no byte of ASCII that text hardly has: no form of bytes has more
    evidence, none with as much is narrower, and wider units are less likely than bytes.

    Args:
        length: the number of bytes.
        beyond: the number of bytes beyond ASCII.

    >>> of_plain_text(5, 0) == identify(b"plain")[0]
    True
    """
    counts = ByteCounts()
    counts.length, counts.beyond, counts.plain = length, beyond, length - beyond
    bits = counts.ascii_bits() + counts.beyond_bits(UTF_8, 0.0, 0.0)
    return Identification(UTF_8.name, True, 0, b"", True, round(bits / max(1, length), 3))


class Identifier:
    """:func:`identify` in pieces: call `feed` with chunks, then `finish`. Memory use does not grow with the input.

    >>> identifier = Identifier()
    >>> identifier.feed(b"caf"), identifier.feed(bytes([0xC3, 0xA9]))
    (None, None)
    >>> identifier.finish()[0].form
    'utf-8'
    """

    def __init__(self) -> None:
        self._counts = ByteCounts()
        self._first = b""
        self._last = b""
        self._beyond = b""
        self._candidates: list[_Candidate] = []
        self._telling: set[str] = set()

    def feed(self, chunk: Data) -> None:
        """Read more bytes."""
        content = bytes_of(chunk)
        self._counts.add(content)
        self._look_beyond(content)
        held, self._first = self._first, self._first + content[: SAMPLE_BYTES - len(self._first)]
        if not self._candidates:
            content = held + content
            if len(content) < _HEAD:
                return
            self._begin()
        self._check(content)

    def finish(self) -> list[Identification]:
        """End the input and return the candidates, best first."""
        if not self._candidates:
            self._begin()
            self._check(self._first)
        for each in self._candidates:
            each.end(self._counts, self._first)
        self._telling = {each.form.name for each in self._candidates if each.tells}
        found = sorted(self._candidates, key=self._order)
        if not found[0].tells and (charset := legacy_charset(self._beyond)):
            found.sort(key=lambda each: each.form.unit_bytes > 1)
            return Identifications(self._identification(each)._replace(reads_as=charset) for each in found)
        best = self._narrowest(found)
        ordered = (best, *(each for each in found if each is not best))
        return Identifications(map(self._identification, ordered))

    def _order(self, found: _Candidate) -> tuple[bool, bool, bool, float]:
        has_better = bool(found.count or self._telling - {found.form.name})
        is_last_resort = found.form is _LAST_RESORT and has_better
        # A few letters repeated many times lie in one area of Unicode, whichever form reads them.
        is_wide = found.form.unit_bytes > 1 and not self._counts.are_halves(found.bits)
        is_beside_bytes = is_wide and not self._telling.isdisjoint(_NAMES_OF_BYTES)
        return not found.mark, is_last_resort, is_beside_bytes, -found.bits

    def _narrowest(self, found: list[_Candidate]) -> _Candidate:
        """Return the narrowest form with hardly more faults than the best; a few faults may be chance."""
        *tier, _ = self._order(found[0])
        count = found[0].count
        least = found[0].bits - (max(_CHANCE_BITS, _SLACK * count * FAULT_BITS) if count else 0)
        near = [each for each in found if [*self._order(each)[:-1]] == tier and each.bits >= least]
        return min(near, key=lambda each: _RANK.index(each.form))

    @property
    def sample(self) -> bytes:
        r"""At most :data:`SAMPLE_BYTES` from just before the first byte beyond ASCII, or the first of an ASCII input.

        >>> identifier = Identifier()
        >>> identifier.feed(b"x" * 100 + b"caf\xe9")
        >>> len(identifier.sample)
        65
        """
        return self._beyond or self._first

    def tells(self, found: Identification) -> bool:
        r"""Return whether there is evidence for a candidate that :meth:`finish` returned.

        >>> identifier = Identifier()
        >>> identifier.feed("na\u00efve".encode("latin-1"))
        >>> best = identifier.finish()[0]
        >>> best.form, best.fault_count, identifier.tells(best)
        ('utf-8', 1, False)
        """
        return found.form in self._telling

    def _look_beyond(self, content: bytes) -> None:
        """Keep the bytes around the first byte beyond ASCII."""
        if self._beyond:
            self._beyond += content[: SAMPLE_BYTES - len(self._beyond)]
            return
        near = self._last + content
        if not near.isascii() and (first := _BEYOND_ASCII.search(near)):
            start = max(0, first.start() - _CONTEXT_BYTES)
            self._beyond = near[start : start + SAMPLE_BYTES]
        self._last = near[-_CONTEXT_BYTES:]

    def _begin(self) -> None:
        marked = ((each, _mark(each, self._first)) for each in _RANK)
        self._candidates = [_Candidate(each, mark) for each, mark in marked if mark or not each.signatures]

    def _check(self, content: bytes) -> None:
        for each in self._candidates:
            each.check(content)

    def _identification(self, found: _Candidate) -> Identification:
        # A form's rows are one to one, so well-formed input round-trips unless encoding writes a different mark.
        lossless = not found.count and found.mark == signed(found.form)[1]
        evidence = round(found.bits / max(1, self._counts.length), 3) + 0.0  # never -0.0
        return Identification(found.form.name, not found.count, found.count, found.mark, lossless, evidence)


class _Candidate:
    """A form, and the faults of the input in it.

    Attributes:
        form: the form.
        mark: its signature at the beginning of the input; empty if there is none.
        count: the number of faults so far.
        bits: the evidence for the form in bits, valid at the end of the input.
        tells: whether there is evidence for the form; for a form of bytes, evidence beyond ASCII alone.
    """

    def __init__(self, form: Form, mark: bytes) -> None:
        self.form = form
        self.mark = mark
        self.count = self._faulty = 0
        self.bits = 0.0
        self.tells = False
        self._checker = Checker(form)
        self._checked = 0
        self._length = _SHORT_PIECE

    @property
    def _is_full(self) -> bool:
        return self.count == FAULTS_COUNTED

    def check(self, content: bytes) -> None:
        """Find the faults of more bytes."""
        at = 0
        while at < len(content) and not self._is_full:
            piece = content[at : at + self._length]
            at += len(piece)
            self._checked += len(piece)
            found = self._checker.check(piece)
            self._add(found)
            self._length = _SHORT_PIECE if found else min(2 * self._length, _LONG_PIECE)

    def end(self, counts: ByteCounts, sample: bytes) -> None:
        """Find the faults that only the end of the input settles, and compute the evidence for the form."""
        if not self._is_full:
            self._add(self._checker.check(b"", final=True))
        # If the check stopped early, assume that faults continue at the same rate.
        more = counts.length / self._checked if self._is_full else 1.0
        if self.form.unit_bytes == 1:
            beyond = counts.beyond_bits(self.form, self.count * more, self._faulty * more)
            self.bits = counts.ascii_bits() + beyond
            speaks = self.bits > 0 and (beyond > 0 or not counts.beyond)
        else:
            whole = counts.length / max(1, len(sample))
            self.bits = text_bits(self.form, sample) * whole - self.count * more * FAULT_BITS
            # Pairs of ASCII bytes are units too, but in a mostly ASCII input the ASCII itself is stronger evidence.
            speaks = self.bits > max(FAULT_BITS, counts.ascii_bits() - counts.beyond)
        self.tells = bool(self.mark) or speaks or not counts.length

    def _add(self, found: list[Located]) -> None:
        counted = found[: FAULTS_COUNTED - self.count]
        self.count += len(counted)
        self._faulty += sum(each.fault.end - each.fault.start for each in counted)
        if counted and self._is_full:
            # This position does not depend on how the input was divided.
            self._checked = counted[-1].fault.end


def _mark(form: Form, head: bytes) -> bytes:
    return next((each.mark for each in form.signatures if head.startswith(each.mark)), b"")
