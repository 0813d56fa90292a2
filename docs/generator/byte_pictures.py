"""Pictures of bytes: the same text in several forms, what first bytes begin, units and faults, escapes."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import eightfold
from docs.generator.svg import FAINT, FAULT, FILLS, GROUND, box, bracket, byte, line, picture, words
from eightfold import DecodeError, EncodeError, Form
from eightfold.faults import code_point_name
from eightfold.sharing import shared_sequences

SAME_TEXT = (0xE9, 0x1F370, 0xD83C)
"""A letter, an emoji, and half an emoji."""
WRITTEN_BY = ("utf-8", "wtf-8", "cesu-8", "mutf-8", "xtf-8", "corrected-utf-8", "utf-16-be")


class Layout(NamedTuple):
    """Where the parts of a picture stand: sizes in pixels."""

    byte: int
    gap: int
    left: int
    top: int
    row: int
    is_narrow: bool


WIDE = Layout(byte=30, gap=24, left=150, top=44, row=36, is_narrow=False)
NARROW = Layout(byte=22, gap=9, left=8, top=68, row=54, is_narrow=True)
"""For a telephone: the name of a form stands above its bytes."""


def same_text(layout: Layout = WIDE) -> str:
    """Draw the same code points in several forms, or why a form cannot write one."""
    widest = {point: max(len(_written(point, name) or b"....") for name in WRITTEN_BY) for point in SAME_TEXT}
    starts, x = {}, layout.left
    for point in SAME_TEXT:
        starts[point] = x
        x += widest[point] * layout.byte + layout.gap
    shapes = [shape for point in SAME_TEXT for shape in _head(starts[point], point, layout)]
    for at, name in enumerate(WRITTEN_BY):
        y = layout.top + at * layout.row
        shapes.append(_name(y, name, layout))
        for point, fill in zip(SAME_TEXT, FILLS, strict=False):
            shapes += _cell(starts[point], y, _written(point, name), fill, layout.byte)
    title = "The same text in seven forms: é, an emoji, and half of an emoji"
    return picture(x, layout.top + len(WRITTEN_BY) * layout.row + (6 - (layout.row - 36)), title, *shapes)


def _head(x: int, point: int, layout: Layout) -> Iterator[str]:
    shown = chr(point) if chr(point).isprintable() else "half"
    if layout.is_narrow:
        yield words(x, 18, shown, 14, bold=True)
        yield words(x, 34, code_point_name(point), 11)
    else:
        yield words(x, 26, f"{shown}  {code_point_name(point)}", 14, bold=True)


def _name(y: int, name: str, layout: Layout) -> str:
    if layout.is_narrow:
        return words(layout.left, y - 6, name, 13, font="mono")
    return words(layout.left - 14, y + 18, name, 14, font="mono", anchor="end")


def _cell(x: int, y: int, written: bytes | None, fill: str, wide: int) -> Iterator[str]:
    if written is None:
        yield box(x, y, 4 * wide - 2, 26, GROUND, FAULT) + words(x + 8, y + 18, "not allowed", 13, ink=FAINT)
    for at, value in enumerate(written or b""):
        yield byte(x + at * wide, y, value, fill, wide - 2)


def _written(point: int, name: str) -> bytes | None:
    try:
        return eightfold.encode(chr(point), name)
    except EncodeError:
        return None


# --- first bytes ------------------------------------------------------------------------------------------------------

KINDS_OF_FIRST = (
    ("as in UTF-8", FILLS[0]),
    ("as in UTF-8 or not, by what follows", FILLS[6]),
    ("begins other sequences", FILLS[1]),
    ("begins none", FAULT),
)


def first_bytes() -> str:
    """Draw what each byte begins, in each form of 8-bit units."""
    forms = [form for form in eightfold.forms() if form.unit_bits == 8 and not form.signatures]
    cell, left, top = 3, 190, 46
    width, height = left + 256 * cell + 20, top + len(forms) * 30 + 56
    shapes = [words(left + first * cell, 30, f"{first:02X}", 12, font="mono", ink=FAINT) for first in range(0, 256, 32)]
    for at, form in enumerate(forms):
        y = top + at * 30
        shapes.append(words(left - 12, y + 15, form.name, 13, font="mono", anchor="end"))
        for first, last, kind in _stretches(form):
            fill = KINDS_OF_FIRST[kind][1]
            x, long = left + first * cell, (last - first + 1) * cell
            shapes.append(f'<rect x="{x}" y="{y}" width="{long}" height="22" fill="{fill}"/>')
        shapes += [line(left + mark * cell, y, left + mark * cell, y + 22, GROUND) for mark in range(32, 256, 32)]
    x = 24
    for name, fill in KINDS_OF_FIRST:
        shapes += [box(x, height - 32, 16, 16, fill), words(x + 23, height - 19, name, 13)]
        x += 50 + round(len(name) * 6.9)
    return picture(width, height, "What each byte begins, in each form of 8-bit units", *shapes)


def _stretches(form: Form) -> Iterator[tuple[int, int, int]]:
    kinds = [_kind_of_first(form, first) for first in range(256)]
    start = 0
    for at in range(1, 257):
        if at == 256 or kinds[at] != kinds[start]:
            yield start, at - 1, kinds[start]
            start = at


def _kind_of_first(form: Form, first: int) -> int:
    """Return an index of `KINDS_OF_FIRST`, by comparing the rows of a form with those of UTF-8."""
    here = [row for row in form.rows if row.unit_ranges[0][0] <= first <= row.unit_ranges[0][1]]
    utf_8 = eightfold.form("utf-8")
    if not here:
        return 3
    shared = sum(_count(each, first) for each in _shared(form))
    all_here = sum(_count(row.unit_ranges, first) for row in here)
    all_there = sum(_count(row.unit_ranges, first) for row in utf_8.rows)
    if shared == all_here == all_there:
        return 0
    return 1 if shared else 2


@cache
def _shared(form: Form) -> list[tuple[tuple[int, int], ...]]:
    return shared_sequences(form, eightfold.form("utf-8"))


def _count(ranges: tuple[tuple[int, int], ...], first: int) -> int:
    low, high = ranges[0]
    count = int(low <= first <= high)
    for each in ranges[1:]:
        count *= each[1] - each[0] + 1
    return count


# --- units and faults -------------------------------------------------------------------------------------------------

INPUT = b"a\xed\xa0\xbdb\xf0\x9f\x8dc\xc0\xafd"


def units_and_faults() -> str:
    """Draw the decoding units and the faults of an input in UTF-8."""
    left, y, step = 150, 70, 40
    units, faults = list(_units(INPUT)), list(eightfold.faults(INPUT, "utf-8"))
    ill = {at for fault in faults for at in range(fault.start, fault.end)}
    shapes = [byte(left + at * step, y, value, FAULT if at in ill else FILLS[0], 36) for at, value in enumerate(INPUT)]
    shapes += [
        words(130, 50, "decoding units", 14, anchor="end"),
        words(130, y + 18, "bytes", 14, anchor="end"),
        words(130, 126, "faults", 14, anchor="end"),
    ]
    for start, end in units:
        x1, x2 = left + start * step + 3, left + end * step - 7
        shapes += [bracket(x1, x2, 62, 8), words((x1 + x2) / 2, 46, "\ufffd", 16, anchor="middle")]
    for fault in faults:
        x1, x2 = left + fault.start * step + 3, left + fault.end * step - 7
        shapes += [bracket(x1, x2, 104, -8), words((x1 + x2) / 2, 130, fault.kind, 14, anchor="middle", bold=True)]
    title = f"Decoding units and faults of {len(INPUT)} bytes in UTF-8"
    return picture(left + len(INPUT) * step + 16, 150, title, *shapes)


def _units(data: bytes) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []

    def note(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, DecodeError)
        found.append((error.start, error.end))
        return "", error.end

    codecs.register_error("eightfold.docs", note)
    eightfold.decode(data, "utf-8", "eightfold.docs")
    return found


# --- escapes ----------------------------------------------------------------------------------------------------------

HYBRID = b"caf\xe9 \xee\xbf\xa9"


def escapes() -> str:
    """Draw what the policies of XTF-8 make of a byte that is not UTF-8, and of an escape that is already there."""
    left, step, shapes = 150, 62, []
    for row, policy in enumerate(("replace", "escape")):
        y = 34 + row * 130
        shapes.append(words(130, y + 17, "bytes", 14, anchor="end"))
        shapes.append(words(130, y + 78, policy, 14, font="mono", anchor="end", bold=True))
        for at, value in enumerate(HYBRID):
            shapes.append(byte(left + at * step, y, value, FILLS[0] if value < 0x80 else FILLS[1], 54))
        start = 0
        for point in eightfold.decode(HYBRID, "xtf-8", policy):
            end = _after(start, policy)
            x = left + (start + end - 1) * step / 2
            shapes += [line(left + at * step + 27, y + 28, x + 27, y + 56) for at in range(start, end)]
            fill = FAULT if point == "\ufffd" else FILLS[0] if point < "\x80" else FILLS[2]
            shapes.append(box(x - 3, y + 58, 60, 28, fill))
            shapes.append(words(x + 27, y + 77, code_point_name(ord(point)), 13, font="mono", anchor="middle"))
            start = end
        back = eightfold.encode(eightfold.decode(HYBRID, "xtf-8", policy), "xtf-8") == HYBRID
        said = "comes back byte for byte" if back else "does not come back"
        shapes.append(words(left + len(HYBRID) * step + 12, y + 77, said, 14, ink=FAINT))
    title = "What XTF-8 makes of the byte E9 and of an escape that is already in the input, under replace and escape"
    return picture(left + len(HYBRID) * step + 190, 272, title, *shapes)


def _after(start: int, policy: str) -> int:
    """Return where the sequence or the unit that begins at an offset ends, by decoding longer and longer parts."""
    whole = len(eightfold.decode(HYBRID[start:], "xtf-8", policy))
    end = start + 1
    while len(eightfold.decode(HYBRID[end:], "xtf-8", policy)) != whole - 1:
        end += 1
    return end
