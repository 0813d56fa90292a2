"""The facts: one short, data-only file per encoding, and two functions that look forms up.

:mod:`eightfold.reference` defines what the rows mean; nothing here decodes or encodes.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from eightfold.forms.cesu_8 import CESU_8
from eightfold.forms.corrected_utf_8 import CORRECTED_UTF_8, CORRECTED_UTF_8_SIG
from eightfold.forms.definition import Form, Signature, Variant
from eightfold.forms.generalized_utf_8 import GENERALIZED_UTF_8
from eightfold.forms.mutf_8 import MUTF_8
from eightfold.forms.optu_8 import OPTU_8
from eightfold.forms.optu_16 import OPTU_16, OPTU_16_BE, OPTU_16_LE
from eightfold.forms.rows import FaultRow, Row, fault_row
from eightfold.forms.utf_8 import UTF_8, UTF_8_SIG
from eightfold.forms.utf_8_rfc2044 import UTF_8_RFC2044
from eightfold.forms.utf_16 import UTF_16, UTF_16_BE, UTF_16_LE
from eightfold.forms.utf_32 import UTF_32, UTF_32_BE, UTF_32_LE
from eightfold.forms.wtf_8 import WTF_8
from eightfold.forms.wtf_16 import WTF_16, WTF_16_BE, WTF_16_LE
from eightfold.forms.xtf_8 import XTF_8

__all__ = ["FaultRow", "Form", "Row", "Signature", "Variant", "fault_row", "form", "forms"]

_FORMS = (
    *(UTF_8, UTF_8_SIG, GENERALIZED_UTF_8, UTF_8_RFC2044),
    *(WTF_8, CESU_8, MUTF_8, XTF_8, OPTU_8, CORRECTED_UTF_8, CORRECTED_UTF_8_SIG),
    *(UTF_16, UTF_16_LE, UTF_16_BE, WTF_16, WTF_16_LE, WTF_16_BE),
    *(OPTU_16, OPTU_16_LE, OPTU_16_BE),
    *(UTF_32, UTF_32_LE, UTF_32_BE),
)


def _spellings(name: str) -> Iterator[str]:
    parts = name.split("-")
    for joints in product(("-", "_", ""), repeat=len(parts) - 1):
        yield parts[0] + "".join(joint + part for joint, part in zip(joints, parts[1:], strict=True))


_BY_NAME = {spelling: each for each in _FORMS for name in (each.name, *each.aliases) for spelling in _spellings(name)}


def forms() -> tuple[Form, ...]:
    """Return all built-in forms, utf-8 first.

    >>> len(forms())
    23
    """
    return _FORMS


def _pickled(found: Form) -> tuple[Any, ...]:
    """Pickle a built-in form by name, so that unpickling returns the same object; pickle any other by its tables."""
    return (form, (found.name,)) if any(found is each for each in _FORMS) else found.__reduce__()


copyreg.pickle(Form, _pickled)

_NOT_GIVEN: Any = ...
_LONGEST_NAME = 100
"""How many characters of an unknown name are compared with others, and shown."""


def form(name: Form | str = _NOT_GIVEN) -> Form:
    """Return the form with this name. ``-`` may be written as ``_`` or left out, and case is ignored.

    A Form is returned unchanged, so every verb accepts a Form or a name.

    Raises:
        LookupError: unknown name; the message suggests similar names.
        TypeError: the name is not a str, or is missing; in the latter case the message lists all names.

    >>> form("WTF_8").name, form("utf16le").name
    ('wtf-8', 'utf-16-le')
    """
    if isinstance(name, Form):
        return name
    if name is _NOT_GIVEN:
        raise TypeError(f"form takes the name of a form: {', '.join(each.name for each in _FORMS)}")
    if not isinstance(name, str):
        raise TypeError(f"form must be a Form or a str, not {type(name).__name__}")
    found = _BY_NAME.get(name.lower())
    if found is None:
        raise unknown_form(name)
    return found


def unknown_form(name: str, others: Iterable[str] = ()) -> LookupError:
    """Return the error for an unknown name, which suggests similar names of forms, or of others that were possible.

    >>> unknown_form("uft8").args[0], unknown_form("koi8r", ["koi8-r", "koi8-u"]).args[0]
    ("unknown form: 'uft8' (did you mean utf-8, mutf-8?)", "unknown form: 'koi8r' (did you mean koi8-r, koi8-u?)")
    """
    from difflib import get_close_matches

    names, begun = [*(each.name for each in _FORMS), *others], name[:_LONGEST_NAME]
    near = get_close_matches(begun.lower(), names, n=4, cutoff=0.6)
    shown = f"{begun!r}{' ...' * (len(name) > _LONGEST_NAME)}"
    return LookupError(f"unknown form: {shown}" + (f" (did you mean {', '.join(near)}?)" if near else ""))
