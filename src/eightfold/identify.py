r"""Which form bytes are in: every candidate, best first, by fixed rules and never by guessing at languages.

First come the forms whose signature begins the input, then the well-formed before the ill-formed, then fewer faults
before more, then a fixed rank in which the forms that take (almost) any bytes stand last.
"""

from __future__ import annotations

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
        *("wtf-16", "wtf-16-le", "wtf-16-be", "xtf-8", "optu-8"),
    )
)
_HEAD = max(len(signature.mark) for each in _RANK for signature in each.signatures)


class Identification(NamedTuple):
    """One candidate.

    >>> identify(b"plain")[0].well_formed
    True

    Attributes:
        form: the form's name.
        well_formed: whether the bytes are well-formed in it.
        fault_count: how many faults they have in it.
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
        self._length = 0
        self._checkers: list[Checker] = []
        self._counts: dict[str, int] = {}

    def feed(self, chunk: Data) -> None:
        """Go on over more bytes."""
        content = bytes_of(chunk)
        self._length += len(content)
        if self._checkers:
            self._check(content, final=False)
        else:
            self._head += content
            if len(self._head) >= _HEAD:
                self._begin()

    def finish(self) -> list[Identification]:
        """Return the candidates, best first; there are no more bytes."""
        if not self._checkers:
            self._begin()
        self._check(b"", final=True)
        fitting = [checker.form for checker in self._checkers if self._length % checker.form.unit_bytes == 0]
        found = [self._identification(each) for each in fitting]
        return sorted(found, key=lambda each: (not each.signature, not each.well_formed, each.fault_count))

    def _begin(self) -> None:
        candidates = [each for each in _RANK if not each.signatures or _mark(each, self._head)]
        self._checkers = [Checker(each) for each in candidates]
        self._counts = {each.name: 0 for each in candidates}
        self._check(self._head, final=False)

    def _check(self, content: bytes, *, final: bool) -> None:
        for checker in self._checkers:
            self._counts[checker.form.name] += len(checker.check(content, final=final))

    def _identification(self, form: Form) -> Identification:
        count = self._counts[form.name]
        mark = _mark(form, self._head)
        # A form's rows are one to one, so what is well-formed comes back, unless another mark than its own is written.
        return Identification(form.name, count == 0, count, mark, count == 0 and mark == signed(form)[1])


def _mark(form: Form, head: bytes) -> bytes:
    return next((each.mark for each in form.signatures if head.startswith(each.mark)), b"")
