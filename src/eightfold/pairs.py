"""Surrogate pairs that a target joins: when joining is a loss to report, and the fault that reports it.

UTF-16, and any form that writes UTF-16's units, reads a pair of surrogate code points back as one supplementary code
point; WTF-8 section 4.1 calls encoding such a pair an error. If a form's own definition prescribes joining (WTF-8
section 6.1), it is not reported. :mod:`eightfold.reference` defines how a pair is joined.
"""

from __future__ import annotations

from itertools import product

from eightfold.faults import Fault, Side
from eightfold.forms import Form
from eightfold.forms.definition import derived
from eightfold.forms.utf_16 import PAIR
from eightfold.policy import Reading, Writing
from eightfold.reference import LEADS, TRAILS, Decoded, encoded, encoded_surrogate, sequence_at

_ONE_BY_ONE = ("strict", "replace", "backslashreplace")
"""Policies whose replacements contain no surrogate, and which never make two surrogates adjacent."""


def joins(writing: Writing) -> bool:
    """Return whether a target joins pairs although its definition does not prescribe it.

    >>> from eightfold.forms import form
    >>> from eightfold.policy import writing
    >>> [joins(writing(form(name), "strict", name)) for name in ("wtf-16-le", "cesu-8", "wtf-8", "utf-16-le")]
    [True, True, False, False]
    >>> joins(writing(form("utf-16-le"), "surrogatepass", "utf-16-le"))
    True
    """
    form = writing.form
    if form.joins_pairs:
        return not form.prescribes_joining
    return writing.errors == "surrogatepass" and _reads_halves_as_one(form)


def _reads_halves_as_one(form: Form) -> bool:
    lead, trail = encoded_surrogate(form, LEADS.start), encoded_surrogate(form, TRAILS.start)
    return lead is not None and trail is not None and encoded(form, PAIR.first) == lead + trail


def may_give(reading: Reading) -> bool:
    """Return whether a source can yield the two code points of a pair, one directly after the other.

    >>> from eightfold.forms import form
    >>> from eightfold.policy import reading
    >>> [may_give(reading(form(name), "strict", name)) for name in ("generalized-utf-8", "optu-16-le", "wtf-8")]
    [True, True, False]
    """
    return reading.errors not in _ONE_BY_ONE or _holds_pairs(reading.form)


@derived("holds_pairs")
def _holds_pairs(form: Form) -> bool:
    return any(_stand_apart(form, *halves) for halves in product(_first_held(form, LEADS), _first_held(form, TRAILS)))


def _first_held(form: Form, among: range) -> list[int]:
    """Return the first code point of each row that is in a range."""
    found = (range(max(row.first, among.start), min(row.last + 1, among.stop)) for row in form.rows)
    return [points.start for points in found if points]


def _stand_apart(form: Form, lead: int, trail: int) -> bool:
    first, second = encoded(form, lead), encoded(form, trail)
    assert first is not None  # a row holds them
    assert second is not None
    return sequence_at(form, first + second, 0) == Decoded(len(first), lead)


def joined_pair(form: str, start: int, end: int, code_point: int, side: Side) -> Fault:
    """Return the warning that a pair was or will be joined.

    Args:
        form: the name of the target.
        start, end: the span of the pair: code points of a str, or bytes of the source.
        code_point: the supplementary code point.
        side: ``text`` or ``target``.

    >>> str(joined_pair("wtf-16-le", 0, 2, 0x1F600, "text"))
    'surrogate pair, which is read back from wtf-16-le as one code point, U+1F600'
    """
    return Fault("joined-pair", form, start, end, b"", code_point, side, "warning")
