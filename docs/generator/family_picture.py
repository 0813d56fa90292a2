"""The picture of the family, drawn by comparing the forms: nothing in it is placed by hand.

Forms between which every text converts without loss, both ways, share a box. An arrow leads to a box that holds every
text of the one below, and more; arrows that follow from others are left out.
"""

from __future__ import annotations

import eightfold
from docs.generator.svg import FAINT, FILLS, box, line, picture, words
from eightfold.family import compared

Group = tuple[str, ...]
_LINE, _PAD, _GAP, _LAYER = 20, 12, 40, 64


def groups() -> list[Group]:
    """Return the forms, in groups that hold the same texts."""
    lossless = {form.name: set(compared(form).lossless_to) for form in eightfold.forms()}
    found: dict[str, Group] = {}
    for name, others in lossless.items():
        alike = [each for each in lossless if each == name or (each in others and name in lossless[each])]
        found[name] = tuple(alike)
    return list(dict.fromkeys(found.values()))


def arrows(found: list[Group]) -> set[tuple[Group, Group]]:
    """Return which group's texts all convert to which other without loss; without the arrows that follow."""
    lossless = {form.name: set(compared(form).lossless_to) for form in eightfold.forms()}
    pairs = {(one, other) for one in found for other in found if one != other and other[0] in lossless[one[0]]}
    return {
        (one, other)
        for one, other in pairs
        if not any((one, between) in pairs and (between, other) in pairs for between in found)
    }


def layers(found: list[Group], drawn: set[tuple[Group, Group]]) -> list[list[Group]]:
    """Return the groups from top to bottom: each as far up as the groups allow that it leads to."""

    def depth(group: Group) -> int:
        return max((depth(other) + 1 for one, other in drawn if one == group), default=0)

    depths = {group: depth(group) for group in found}
    return [[group for group in found if depths[group] == each] for each in range(max(depths.values()) + 1)]


def family() -> str:
    """Draw the family."""
    found = groups()
    drawn = arrows(found)
    # Those that no arrow touches stand last in the top row.
    order = sorted(found, key=lambda group: not any(group in pair for pair in drawn))
    rows = layers(order, drawn)
    widths = {group: max(len(text) for text in _lines(group)) * 8 + 2 * _PAD for group in found}
    heights = {group: len(_lines(group)) * _LINE + _PAD for group in found}
    width = max(sum(widths[each] + _GAP for each in row) for row in rows) + _GAP
    height = sum(max(heights[each] for each in row) + _LAYER for row in rows) - _LAYER + 48
    places: dict[Group, tuple[float, float]] = {}
    y: float = 24
    for row in rows:
        tall = max(heights[each] for each in row)
        x = (width - sum(widths[each] for each in row) - _GAP * (len(row) - 1)) / 2
        for group in row:
            places[group] = (x, y + (tall - heights[group]) / 2)
            x += widths[group] + _GAP
        y += tall + _LAYER
    shapes = []
    for one, other in sorted(drawn):
        (x1, y1), (x2, y2) = places[one], places[other]
        shapes.append(
            line(x1 + widths[one] / 2, y1, x2 + widths[other] / 2, y2 + heights[other] + 2, arrow=True, ink=FAINT)
        )
    for at, group in enumerate(found):
        x, y = places[group]
        shapes.append(box(x, y, widths[group], heights[group], FILLS[at % len(FILLS)]))
        for number, text in enumerate(_lines(group)):
            shapes.append(words(x + _PAD, y + _PAD / 2 + 14 + number * _LINE, text, 13, font="mono"))
    title = "The family: forms in one box hold the same texts; an arrow leads to a box that holds more"
    return picture(round(width), round(height), title, *shapes)


def _lines(group: Group) -> list[str]:
    """Return the names of a group, those of one encoding on one line."""
    found: list[str] = []
    for name in group:
        stem, _, end = name.rpartition("-")
        if end in ("le", "be", "sig") and found and found[-1].split(",")[0] == stem:
            found[-1] += f", -{end}"
        else:
            found.append(name)
    return found
