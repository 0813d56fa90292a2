"""Advice for a conversion that stops at a fault: the options that would get past it, and their cost.

Each is tried on the fault before it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from eightfold.faults import Fault
from eightfold.files.read.converting import Conversion
from eightfold.forms import Form
from eightfold.forms.utf_8 import UTF_8
from eightfold.forms.wtf_8 import WTF_8
from eightfold.forms.xtf_8 import XTF_8
from eightfold.reference import SURROGATES
from eightfold.text import convert, encode_code_points, is_well_formed

_POLICIES = {
    "escape": "writes its bytes as reversible escapes",
    "private-use": "maps it to a private-use code point, reversibly",
    "java": "accepts what Java accepts",
}

_BEYOND_ASCII = bytes(range(0x80, 0x100))


def remedies(fault: Fault, conversion: Conversion) -> str:
    """Return advice about a fault that stopped a conversion, in one line.

    >>> from eightfold.forms import form
    >>> fault = Fault("unrepresentable", "utf-8", 0, 3, b"", 0xD800, "target")
    >>> remedies(fault, Conversion(form("wtf-8"), form("utf-8"), "replace"))
    'try -t wtf-8 (keeps surrogates, for use inside a program)'
    """
    if fault.kind == "joined-pair":
        return "try without --strict (joins and counts them), -t generalized-utf-8 (keeps the two apart)"
    if conversion.is_foreign:
        from eightfold.cli.work.foreign import foreign_remedies

        return foreign_remedies(fault, conversion)
    tried = _remedies(fault, conversion)
    found = [f"{options} ({effect})" for options, effect, other in tried if _carries(other, fault)]
    if fault.kind == "four-byte" and conversion.target is UTF_8 and is_well_formed(fault.units, UTF_8):
        found.append("eightfold repair --errors pairs (reads UTF-8, and joins the pairs in it)")
    if fault.side == "source":
        found.append(f"eightfold check -f {conversion.source.name} (shows all faults)")
    return f"try {', '.join(dict.fromkeys(found))}" if found else ""


def _remedies(fault: Fault, conversion: Conversion) -> Iterator[tuple[str, str, Conversion]]:
    source, target, errors = conversion
    if errors != "replace":
        yield "--errors replace", "writes U+FFFD for it", conversion._replace(errors="replace")
    for variant in (*source.variants, *target.variants):
        if variant.policy != errors:
            other = conversion._replace(errors=variant.policy)
            yield f"--errors {variant.policy}", _POLICIES[variant.policy], other
    if fault.side == "source" and source is UTF_8:
        # A target in which any bytes are well-formed would get them unchanged, so the escaped text is UTF-8 instead.
        reached = UTF_8 if is_well_formed(_BEYOND_ASCII, target) else target
        options = "-f xtf-8" + f" -t {reached.name}" * (reached is not target) + " --errors escape"
        yield options, "keeps every byte as an escape", Conversion(XTF_8, reached, "escape")
    elif fault.side != "source" and fault.code_point in SURROGATES and target is UTF_8:
        yield "-t wtf-8", "keeps surrogates, for use inside a program", conversion._replace(target=WTF_8)


def source_bytes(fault: Fault, source: Form) -> bytes:
    """Return the bytes of a fault, even of one in the target of a conversion, which keeps none.

    >>> from eightfold.forms import form
    >>> source_bytes(Fault("unrepresentable", "utf-8", 0, 3, b"", 0xD800, "target"), form("wtf-8")).hex()
    'eda080'
    """
    return fault.units or encode_code_points([fault.code_point or 0], source)


def _carries(conversion: Conversion, fault: Fault) -> bool:
    """Return whether a conversion gets past the fault that stopped another one."""
    try:
        convert(source_bytes(fault, conversion.source), *conversion)
    except (LookupError, ValueError):  # it does not know the policy, or stops there too
        return False
    return True
