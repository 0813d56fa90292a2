"""Pictures of the engine: the way of a byte through the package, and the automaton that comes from rows."""

from __future__ import annotations

from itertools import pairwise

import eightfold
from docs.generator.svg import FAINT, FILLS, box, line, picture, words
from eightfold import Form

DRAWN = "utf-8"
LANES = {3: (40.0, 105.0, 170.0), 2: (205.0, 340.0, 420.0), 1: (290.0,)}
"""The heights of its states, by the number of units that are due, so that no way leads through a state."""
AT_ONCE = (90.0, 80.0)


def engine() -> str:
    """Draw the way from an input to its results."""
    shapes = [
        *_station(30, 30, 150, ("rows, units, names", "one file per form"), 2),
        *_station(30, 150, 150, ("bytes or str", "of any size"), 0),
        *_station(250, 90, 170, ("run", "one loop: form, input,", "sink, on_fault"), 6),
        *_station(500, 20, 170, ("str", "decode"), 0),
        *_station(500, 80, 170, ("bytes of another form", "encode, convert"), 0),
        *_station(500, 140, 170, ("32-bit values", "decode_code_points"), 0),
        *_station(500, 200, 170, ("faults alone", "check, faults, tally"), 4),
        *_station(250, 220, 170, ("policy", "Emit, ResumeAt or Stop"), 3),
        line(180, 55, 250, 110, arrow=True),
        line(180, 175, 250, 135, arrow=True),
        line(335, 162, 335, 218, arrow=True),
        line(350, 220, 350, 164, arrow=True),
        *(line(420, 122, 498, y, arrow=True) for y in (44, 104, 164, 224)),
    ]
    return picture(700, 290, "The way of a byte: tables, one loop, a policy at each fault, and four sinks", *shapes)


def _station(x: int, y: int, width: int, lines: tuple[str, ...], fill: int) -> list[str]:
    height = 16 + 18 * len(lines)
    said = [
        words(x + width / 2, y + 22 + 18 * at, text, 13, anchor="middle", bold=at == 0, ink=FAINT if at else "#1f2430")
        for at, text in enumerate(lines)
    ]
    return [box(x, y, width, height, FILLS[fill]), *said]


State = frozenset[tuple[tuple[int, int], ...]]
"""What may follow: the ranges of the units that are due, one sequence for each row that is still possible."""


def states(form: Form) -> dict[State, dict[State, list[tuple[int, int]]]]:
    """Return the automaton of a form's rows: each state with the ranges of units that lead to others.

    Two states are the same if the same may follow. The empty sequence is the end of a code point.
    """
    start: State = frozenset(row.unit_ranges for row in form.rows)
    found: dict[State, dict[State, list[tuple[int, int]]]] = {}
    ahead = [start]
    while ahead:
        state = ahead.pop(0)
        if state in found:
            continue
        steps = found[state] = {}
        firsts = [each[0] for each in state if each]
        cuts = sorted({cut for low, high in firsts for cut in (low, high + 1)})
        for low, after in pairwise(cuts):
            rest = frozenset(each[1:] for each in state if each and each[0][0] <= low <= each[0][1])
            if rest:
                steps.setdefault(rest, []).append((low, after - 1))
                ahead.append(rest)
    return found


def automaton() -> str:
    """Draw the automaton of UTF-8 as its rows give it: lead bytes to the left, what is due after them to the right."""
    form = eightfold.form(DRAWN)
    found = states(form)
    start, end = next(iter(found)), frozenset({()})
    depth = {state: max(len(each) for each in state) for state in found}
    columns = {units: [state for state in found if depth[state] == units and state != start] for units in (3, 2, 1)}
    sources = {state: sum(state in steps for steps in found.values()) for state in found}
    places = {start: (90.0, 230.0), end: (770.0, 290.0)}
    for number, units in enumerate((3, 2, 1)):
        # Those with the most ways in come first: nearest to the straight way from the start.
        column = sorted(columns[units], key=lambda state: -sources[state])
        places.update({state: (280.0 + 170 * number, y) for state, y in zip(column, LANES[units], strict=True)})
    shapes = []
    for state, steps in found.items():
        for other, ranges in steps.items():
            # One unit alone is done at once, in a place of its own.
            shapes += _step(
                places[state], AT_ONCE if (state, other) == (start, end) else places[other], _joined(ranges)
            )
    for state, (x, y) in [*places.items(), (end, AT_ONCE)]:
        label = "start" if state == start else "done" if state == end else f"{depth[state]} due"
        fill = FILLS[2] if state in (start, end) else FILLS[0]
        shapes.append(f'<circle cx="{x}" cy="{y}" r="26" fill="{fill}" stroke="{FAINT}"/>')
        shapes.append(words(x, y + 4, label, 12, anchor="middle"))
    return picture(840, 460, f"The automaton of {DRAWN}, from its rows", *shapes)


def _joined(ranges: list[tuple[int, int]]) -> str:
    joined: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if joined and joined[-1][1] + 1 == low:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return " ".join(f"{low:02X}" if low == high else f"{low:02X}-{high:02X}" for low, high in joined)


def _step(one: tuple[float, float], other: tuple[float, float], label: str) -> list[str]:
    (x1, y1), (x2, y2) = one, other
    long = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    dx, dy = (x2 - x1) / long, (y2 - y1) / long
    at = 112 / (x2 - x1) if x1 < 100 < x2 else 0.5
    x, y = x1 + (x2 - x1) * at, y1 + (y2 - y1) * at
    width = len(label) * 7.4 + 6
    ground = f'<rect x="{x - width / 2:.1f}" y="{y - 9:.1f}" width="{width:.1f}" height="17" rx="3" fill="#ffffff"/>'
    return [
        line(x1 + 26 * dx, y1 + 26 * dy, x2 - 28 * dx, y2 - 28 * dy, arrow=True),
        ground,
        words(x, y + 4, label, 12, font="mono", anchor="middle"),
    ]
