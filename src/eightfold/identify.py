r"""Which form bytes are in: every candidate, best first, by fixed rules and never by guessing at languages.

First come the forms whose signature begins the input, then the well-formed before the ill-formed, then fewer faults
before more, then a fixed rank in which the forms that take (almost) any bytes stand last.

Faults of a form are counted up to :data:`FAULTS_COUNTED`, and what has so many is looked at no further: whatever the
input, most of its length is passed over by forms in which it is well-formed, at the speed of the core.

That bytes are well-formed says little where almost any bytes are. :meth:`Identifier.tells` says whether there is
evidence for a candidate:

- a signature is;
- in the byte forms but XTF-8 and OPTU-8, being well-formed is, since other bytes seldom are by chance;
- in forms of 16 and 32 bits, it is where of the code units of the first 64 KB one in 200 or more is white space
  (U+0009, U+000A, U+000D, U+0020), or one in four white space or a printable ASCII character, and fewer are U+0000;
- nothing else is.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from eightfold.forms import Form, form
from eightfold.stream import Checker
from eightfold.text import Data, bytes_of, signed

_RANK = tuple(
    form(name)
    for name in (
        # The mark of UTF-32 begins as that of UTF-16 does, so UTF-32 is looked for first.
        *("corrected-utf-8-sig", "utf-32", "utf-16", "utf-8-sig"),
        *("utf-8", "cesu-8", "mutf-8", "wtf-8", "generalized-utf-8", "utf-8-rfc2044", "corrected-utf-8"),
        *("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"),
        *("wtf-16", "wtf-16-le", "wtf-16-be", "xtf-8", "optu-8", "optu-16", "optu-16-le", "optu-16-be"),
    )
)
FAULTS_COUNTED = 100_000
"""How many faults of a form are counted: forms with so many or more stand in their fixed order."""
_PIECE_BYTES = 256 * 1024
_EVIDENCE_BYTES = 64 * 1024
_WHITE_SPACE = (0x09, 0x0A, 0x0D, 0x20)
_UNITS_FOR_EACH_SPACE = 200
"""In text there is white space more often than once in so many code units, but for a few words."""
_UNITS_FOR_EACH_LETTER = 4
_PRINTABLE = range(0x21, 0x7F)
_TAKES_ANYTHING = ("xtf-8", "optu-8")
_HEAD = max(len(signature.mark) for each in _RANK for signature in each.signatures)


class Identification(NamedTuple):
    """One candidate.

    >>> identify(b"plain")[0].well_formed
    True

    Attributes:
        form: the form's name.
        well_formed: whether the bytes are well-formed in it.
        fault_count: how many faults they have in it; :data:`FAULTS_COUNTED` stands for so many or more.
        signature: the mark that begins them and announces the form; empty where there is none.
        lossless: whether decoding and encoding in this form give the same bytes back.
    """

    form: str
    well_formed: bool
    fault_count: int
    signature: bytes
    lossless: bool


def identify(data: Data) -> list[Identification]:
    r"""Return every form that bytes could be in, best first.

    A form with a signature is a candidate only where its mark is there; a 16- or 32-bit form only where the length
    fits. Empty input is utf-8.

    >>> [found.form for found in identify(b"\xed\xa0\xbd\xed\xb8\x80")][:2]
    ['cesu-8', 'mutf-8']
    >>> identify(b"\xff\xfeA\x00")[0]
    Identification(form='utf-16', well_formed=True, fault_count=0, signature=b'\xff\xfe', lossless=True)
    """
    identifier = Identifier()
    identifier.feed(data)
    return identifier.finish()


class Identifier:
    """:func:`identify` in pieces: feed it chunks, then finish it. Its memory does not grow with the input.

    >>> identifier = Identifier()
    >>> identifier.feed(b"caf"), identifier.feed(bytes([0xC3, 0xA9]))
    (None, None)
    >>> identifier.finish()[0].form
    'utf-8'
    """

    def __init__(self) -> None:
        self._head = b""
        self._first = b""
        self._length = 0
        self._candidates: list[Form] = []
        self._checkers: list[Checker] = []
        self._counts: dict[str, int] = {}

    def feed(self, chunk: Data) -> None:
        """Go on over more bytes."""
        content = bytes_of(chunk)
        self._length += len(content)
        self._first += content[: _EVIDENCE_BYTES - len(self._first)]
        if self._candidates:
            self._check(content, final=False)
        else:
            self._head += content
            if len(self._head) >= _HEAD:
                self._begin()

    def finish(self) -> list[Identification]:
        """Return the candidates, best first; there are no more bytes."""
        if not self._candidates:
            self._begin()
        self._check(b"", final=True)
        fitting = [each for each in self._candidates if self._length % each.unit_bytes == 0]
        found = [self._identification(each) for each in fitting]
        return sorted(found, key=lambda each: (not each.signature, not each.well_formed, each.fault_count))

    def tells(self, found: Identification) -> bool:
        """Say whether there is evidence for a candidate, beside that nothing speaks against it.

        >>> identifier = Identifier()
        >>> identifier.feed("na\u00efve".encode("latin-1"))
        >>> best = identifier.finish()[0]
        >>> best.form, best.well_formed, identifier.tells(best)
        ('xtf-8', True, False)
        """
        if found.signature or not found.well_formed:
            return bool(found.signature)
        asked = form(found.form)
        return found.form not in _TAKES_ANYTHING if asked.unit_bytes == 1 else _is_like_text(asked, self._first)

    def _begin(self) -> None:
        self._candidates = [each for each in _RANK if not each.signatures or _mark(each, self._head)]
        self._checkers = [Checker(each) for each in self._candidates]
        self._counts = {each.name: 0 for each in self._candidates}
        self._check(self._head, final=False)

    def _check(self, content: bytes, *, final: bool) -> None:
        for start in range(0, len(content) or 1, _PIECE_BYTES):
            piece = content[start : start + _PIECE_BYTES]
            self._checkers = [checker for checker in self._checkers if self._goes_on(checker, piece, final=final)]

    def _goes_on(self, checker: Checker, piece: bytes, *, final: bool) -> bool:
        """Count the faults of a form, and say whether there may be more to count."""
        name = checker.form.name
        count = self._counts[name] + len(checker.check(piece, final=final))
        self._counts[name] = min(count, FAULTS_COUNTED)
        return count < FAULTS_COUNTED

    def _identification(self, form: Form) -> Identification:
        count = self._counts[form.name]
        mark = _mark(form, self._head)
        # A form's rows are one to one, so what is well-formed comes back, unless another mark than its own is written.
        return Identification(form.name, count == 0, count, mark, count == 0 and mark == signed(form)[1])


def _is_like_text(form: Form, data: bytes) -> bool:
    units = [data[at : at + form.unit_bytes] for at in range(0, len(data), form.unit_bytes)]
    counts = Counter(int.from_bytes(unit, form.byte_order) for unit in units)
    spaces = sum(counts[unit] for unit in _WHITE_SPACE)
    letters = spaces + sum(counts[unit] for unit in _PRINTABLE)
    enough = spaces * _UNITS_FOR_EACH_SPACE >= len(units) or letters * _UNITS_FOR_EACH_LETTER >= len(units)
    return enough and counts[0] < letters


def _mark(form: Form, head: bytes) -> bytes:
    return next((each.mark for each in form.signatures if head.startswith(each.mark)), b"")
