"""What a person can do when a conversion stops at a fault: the options that would carry it over, and at what cost."""

from __future__ import annotations

from collections.abc import Iterator

from eightfold.faults import Fault
from eightfold.files.converting import Conversion
from eightfold.reference import SURROGATES

_POLICIES = {
    "escape": "writes its bytes as escapes, which come back",
    "private-use": "maps it to a private-use code point, which comes back",
    "java": "reads what Java reads",
}


def remedies(fault: Fault, conversion: Conversion) -> str:
    """Return what to do about a fault that stopped a conversion, in one line.

    >>> from eightfold.forms import form
    >>> fault = Fault("unrepresentable", "utf-8", 0, 3, b"", 0xD800, "target")
    >>> remedies(fault, Conversion(form("wtf-8"), form("utf-8"), "replace"))
    'try -t wtf-8 (keeps surrogates, for use inside a program)'
    """
    found = ", ".join(f"{options} ({effect})" for options, effect in _remedies(fault, conversion))
    return found and f"try {found}"


def _remedies(fault: Fault, conversion: Conversion) -> Iterator[tuple[str, str]]:
    source, target, errors = conversion
    if fault.kind == "joined-pair":
        yield "without --strict", "joins and counts them"
        yield "-t generalized-utf-8", "keeps the two apart"
        return
    if errors != "replace":
        yield "--errors replace", "writes U+FFFD for it"
    for variant in (*source.variants, *target.variants):
        if variant.policy != errors:
            yield f"--errors {variant.policy}", _POLICIES[variant.policy]
    if fault.side == "source":
        if source.name == "utf-8":
            yield "-f xtf-8 --errors escape", "keeps every byte as an escape"
        yield f"eightfold check -f {source.name}", "shows all faults"
    elif fault.code_point in SURROGATES and target.name == "utf-8":
        yield "-t wtf-8", "keeps surrogates, for use inside a program"
