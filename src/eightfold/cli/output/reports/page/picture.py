"""The picture of a file: a strip from its first byte to its last, with a bar where faults begin."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log

from eightfold.cli.output.lines import counted
from eightfold.cli.output.reports.findings import Checked
from eightfold.cli.output.reports.page.gathering import Strip
from eightfold.markup import Markup, element

_CELL, _MIDDLE, _UP, _DOWN = 10, 24, 22, 12
"""The width of a part, the line between errors and warnings, and the heights of the highest bars above and below it."""
_LOWEST = 4


def picture(checked: Checked, strip: Strip) -> Markup:
    """Return the strip of a file as SVG, which names in words what it shows; empty if no fault has a place."""
    faulty = strip.faulty()
    if not faulty:
        return Markup()
    parts = max(faulty[-1] + 1, ceil(checked.size / strip.width))
    base = element("path", class_="base", d=f"M0 {_MIDDLE}h{parts * _CELL}v2h-{parts * _CELL}z")
    errors = element("path", class_="errors", d=_bars(strip.errors, _MIDDLE, -_UP))
    warnings = element("path", class_="warnings", d=_bars(strip.warnings, _MIDDLE + 2, _DOWN))
    box = f"0 0 {parts * _CELL} {_MIDDLE + 2 + _DOWN}"
    words = _in_words(strip, faulty, parts)
    return element("svg", base, errors, warnings, viewBox=box, preserveAspectRatio="none", role="img", aria_label=words)


def _bars(counts: Sequence[int], base: int, highest: int) -> str:
    """Return the bars as a path; the height is that of a logarithm, so that one fault shows beside thousands."""
    most = log(1 + max(counts))
    bars = []
    for at, count in enumerate(counts):
        if count:
            height = max(_LOWEST, round(abs(highest) * log(1 + count) / most)) * (1 if highest > 0 else -1)
            bars.append(f"M{at * _CELL} {base}v{height}h{_CELL}v{-height}z")
    return "".join(bars)


def _in_words(strip: Strip, faulty: Sequence[int], parts: int) -> str:
    first, last = faulty[0] * strip.width, (faulty[-1] + 1) * strip.width - 1
    size = counted(strip.width, "byte")
    return f"{len(faulty)} of {counted(parts, 'part')} of {size} have faults, between bytes {first:,} and {last:,}"
