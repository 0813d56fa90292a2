"""Files that look like another form than the default: text of 16- or 32-bit units.

Its faults as UTF-8 are of no use to anybody, and repairing them would destroy it. It is known by its byte order mark, or
by where its NULs stand.
"""

from __future__ import annotations

from dataclasses import dataclass

from eightfold.faults import Fault
from eightfold.files.reading import Source
from eightfold.forms import Form, form, forms

HEAD_BYTES = 8192
"""How much of a file is looked at."""
_SIGNATURES = sorted(
    ((signature, each.name) for each in forms() if each.unit_bits > 8 for signature in each.signatures),
    # The mark of UTF-32 begins as that of UTF-16 does.
    key=lambda found: -len(found[0].mark),
)


@dataclass(frozen=True, slots=True)
class OtherForm(Fault):
    """The fault of a file that looks like another form; its span is the byte order mark, or empty.

    Attributes:
        looks_like: the name of that form.
        reason: how that is known.
        use: the name of the form to read it in.
    """

    looks_like: str = ""
    reason: str = ""
    use: str = ""

    @property
    def seen(self) -> str:
        """What is seen, in words."""
        return f"looks like {self.looks_like} ({self.reason})"

    def __str__(self) -> str:
        return f"{self.seen}; use -f {self.use}"


def other_form(source: Source, asked: Form) -> OtherForm | None:
    """Return the fault of a source that looks like another form, or None; the source stays where it is.

    Args:
        source: the file.
        asked: the form that it would be read in.

    Raises:
        FileError: it cannot be read.
    """
    return _other_form(source.head(HEAD_BYTES), asked)


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
    found = _by_nuls(head) if b"\0" in head else ""
    return _fault(asked, b"", found, _nuls(head, form(found)), found) if found else None


def _fault(asked: Form, units: bytes, looks_like: str, reason: str, use: str) -> OtherForm:
    return OtherForm("other-form", asked.name, 0, len(units), units, looks_like=looks_like, reason=reason, use=use)


def _by_nuls(head: bytes) -> str:
    """Return the form of 16- or 32-bit units that bytes with NULs are evidence for, or an empty str."""
    from eightfold.identify import Identifier

    identifier = Identifier()
    # Whole units: most often it is the look that ends here, not the file.
    identifier.feed(head[: len(head) // 4 * 4] or head)
    best = identifier.finish()[0]
    return best.form if identifier.tells(best) and form(best.form).unit_bits > 8 else ""


def _nuls(head: bytes, found: Form) -> str:
    if found.unit_bits > 16:
        return "NULs in each four bytes"
    return "NULs at odd offsets" if found.byte_order == "little" else "NULs at even offsets"
