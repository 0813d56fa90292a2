"""Time per byte over size, over the density of faults, and for the worst inputs that we know, for each form.

Work that is not linear shows as time per byte that grows with the input. Forms that only add a mark are left out: the
rest of their input is in another form. `plots` draws the plots, `record` writes the table.
"""

from __future__ import annotations

import argparse
import codecs
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import eightfold
from benchmarks import peers
from benchmarks.row import KIB, MIB
from benchmarks.texts import MIXED, made
from benchmarks.timing import Effort, calibrated, spread, timer

FORMS = tuple(form for form in eightfold.forms() if not form.signatures)
FULL, QUICK = Effort(rounds=5, seconds=0.002), Effort(rounds=1, seconds=0.0002)

SIZES = tuple(16 * 4**step for step in range(11))
"""16 bytes to 16 MB."""
GAPS = (10_000, 1000, 100, 10, 3, 1, 0)
"""The mean number of code points between two faults; none: faults only."""
ALIGNMENTS = range(65)
"""The number of ASCII characters between two faults of an adversarial input."""
FAULTY_BYTES = 64 * KIB
GROWTH = 16
"""How many times as long the second input is, to see whether time per byte grows."""
SUSPECTS = 5
MOST_RATIO, MOST_GROWTH = 40, 1.5
"""Limits for `--check`: a byte of the worst input over one of the best, and over one in a shorter input."""

DIRT: dict[int, tuple[tuple[int, ...], ...]] = {
    1: ((0xFF,), (0x80,), (0xC0, 0xAF), (0xE2, 0x82), (0xED, 0xA0, 0x80), (0xF0, 0x9F, 0x92), (0xEE, 0xBE, 0x80)),
    2: ((0xDC00,), (0xD800,)),
    4: ((0xD800,), (0xFFFF_FFFF,)),
}
"""By bytes of a unit: units that most forms refuse, or read as the code points farthest from plain text."""

HANDLER = "eightfold-benchmark"


class Point(NamedTuple):
    """Time per byte of input at a place on an axis."""

    at: float
    nanoseconds: float


class Adversary(NamedTuple):
    """The best and the worst input of a form, in nanoseconds per byte under the policy ``replace``.

    Attributes:
        best, worst: the description of the input.
        growth: how much more a byte of the worst costs in an input `GROWTH` times as long.
        handler: the cost of a byte if all are faults and a handler written in Python answers each; None: no faults.
    """

    form: str
    best: str
    best_nanoseconds: float
    worst: str
    worst_nanoseconds: float
    growth: float
    handler: float | None

    @property
    def ratio(self) -> float:
        """The cost of a byte of the worst input, divided by that of a byte of the best."""
        return self.worst_nanoseconds / self.best_nanoseconds

    @property
    def is_bounded(self) -> bool:
        """Whether the worst input costs no more than the limits allow."""
        return self.ratio <= MOST_RATIO and self.growth <= MOST_GROWTH


def per_byte(statement: str, data: bytes, effort: Effort, **names: object) -> float:
    """Return the nanoseconds per byte that a statement over ``data`` and other names takes, at best."""
    work = timer(statement, [{"data": data, **names}], peers.VERBS)
    number = calibrated(work, effort.seconds)
    taken = spread([work.timeit(number) / number for _ in range(effort.rounds)])
    return float(f"{taken.low / len(data) * 1e9:.4g}")


def _decoding(data: bytes, form: str, errors: str, effort: Effort) -> float:
    return per_byte("decode(data, form, errors)", data, effort, form=form, errors=errors)


def over_size(form: eightfold.Form, sizes: Sequence[int], effort: Effort) -> dict[str, list[Point]]:
    """Return time per byte of decoding and encoding clean text."""
    texts = made()
    points: dict[str, list[Point]] = {"decode": [], "encode": []}
    for size in sizes:
        text = texts.pieces(MIXED, size, 1)[0]
        data = eightfold.encode(text, form)
        encoding = per_byte("encode(text, form)", data, effort, form=form.name, text=text)
        points["decode"].append(Point(size, _decoding(data, form.name, "strict", effort)))
        points["encode"].append(Point(size, encoding))
    return points


def dirt_of(form: eightfold.Form) -> list[bytes]:
    """Return the bytes that are planted in a form."""
    width = form.unit_bytes
    return [b"".join(unit.to_bytes(width, form.byte_order) for unit in units) for units in DIRT[width]]


def with_dirt(form: eightfold.Form, text: str, gap: int) -> bytes:
    """Return text of a form with dirt at irregular distances, so many code points in the mean."""
    chance, dirt, parts = Random(gap), dirt_of(form), []
    start = 0
    while start < len(text):
        end = start + chance.randint(0, 2 * gap)
        parts += [eightfold.encode(text[start:end], form), chance.choice(dirt)]
        start = max(end, start + 1)
    return b"".join(parts)


def over_density(form: eightfold.Form, byte_count: int, effort: Effort) -> list[Point]:
    """Return time per byte of decoding by the share of code points that are dirt, from none to all."""
    text = made().pieces(MIXED, byte_count, 1)[0]
    clean = Point(0, _decoding(eightfold.encode(text, form), form.name, "replace", effort))
    dirty = [Point(1 / (gap + 1), _decoding(with_dirt(form, text, gap), form.name, "replace", effort)) for gap in GAPS]
    return [clean, *dirty]


def adversarial(form: eightfold.Form, byte_count: int) -> Iterator[tuple[str, bytes]]:
    """Yield inputs with descriptions: no faults, nothing but faults, and faults at every distance up to 64."""
    yield "ASCII", eightfold.encode("a" * byte_count, form)[:byte_count]
    yield "mixed text", eightfold.encode(made().pieces(MIXED, byte_count, 1)[0], form)
    for dirt, gap in product(dirt_of(form), ALIGNMENTS):
        period = eightfold.encode("a" * gap, form) + dirt
        name = f"{dirt.hex(' ').upper()} after each {gap} of ASCII" if gap else f"{dirt.hex(' ').upper()} only"
        yield name, period * (byte_count // len(period))


def adversary(form: eightfold.Form, byte_count: int, effort: Effort) -> Adversary:
    """Measure all adversarial inputs of a form."""
    inputs = dict(adversarial(form, byte_count))
    costs = {name: _decoding(data, form.name, "replace", effort) for name, data in inputs.items()}
    best = min(costs, key=costs.__getitem__)
    # Measure a slow input again: the machine may have been slow.
    slowest = sorted(costs, key=costs.__getitem__)[-SUSPECTS:]
    costs.update({name: _decoding(inputs[name], form.name, "replace", effort) for name in slowest})
    worst = max(slowest, key=costs.__getitem__)
    growth = _decoding(inputs[worst] * GROWTH, form.name, "replace", effort) / costs[worst]
    return Adversary(
        *(form.name, best, costs[best], worst, costs[worst], float(f"{growth:.3g}")),
        handler=_answered(form, byte_count // GROWTH, effort),
    )


def _answered(form: eightfold.Form, byte_count: int, effort: Effort) -> float | None:
    """Return the cost of a byte of the dirt with most faults under a handler; None if there is no fault."""
    faults = {dirt: sum(1 for _ in eightfold.faults(dirt * 16, form)) / len(dirt) for dirt in dirt_of(form)}
    most = max(faults, key=faults.__getitem__)
    return _decoding(most * (byte_count // len(most)), form.name, HANDLER, effort) if faults[most] else None


def replace(error: UnicodeError) -> tuple[str, int]:
    """Answer like the policy ``replace``, slowly: a handler in Python."""
    if isinstance(error, UnicodeDecodeError):
        return "\ufffd", error.end
    raise error


def measured(forms: Sequence[eightfold.Form], quick: bool) -> dict[str, Any]:
    """Measure forms, and return the data to store."""
    codecs.register_error(HANDLER, replace)
    effort, sizes, byte_count = (QUICK, SIZES[:5], 2 * KIB) if quick else (FULL, SIZES, FAULTY_BYTES)
    kept: dict[str, Any] = {"machine": peers.machine(), "size": {}, "density": {}, "adversaries": []}
    for form in forms:
        kept["size"][form.name] = over_size(form, sizes, effort)
        kept["density"][form.name] = over_density(form, min(MIB, 16 * byte_count), effort)
        found = adversary(form, byte_count, effort)
        kept["adversaries"].append(found._asdict())
        print(f"{form.name:18} worst / best {found.ratio:8.1f}, growth {found.growth:5.2f}: {found.worst}", flush=True)
    return kept


def write(kept: dict[str, Any], path: Path) -> None:
    """Write the measurements as JSON."""
    path.write_text(json.dumps(kept, indent=None).replace('}, "', '},\n"').replace('], "', '],\n"') + "\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser("python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--forms", nargs="+", metavar="NAME", default=[form.name for form in FORMS])
    parser.add_argument("--quick", action="store_true", help="short inputs, one round: to see that it works")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="draw size.svg and density.svg (extra `bench`)")
    parser.add_argument("--check", action="store_true", help="exit 1 if the worst input of a form exceeds the limits")
    given = parser.parse_args(arguments)
    kept = measured([eightfold.form(name) for name in given.forms], given.quick)
    if given.json:
        write(kept, given.json)
    if given.plots:
        _draw(kept, given.plots)
    bounded = [Adversary(**each).is_bounded for each in kept["adversaries"]]
    return int(given.check and not all(bounded))


def _draw(kept: dict[str, Any], folder: Path) -> None:
    try:
        from benchmarks import plots
    except ModuleNotFoundError:
        print("plots: skipped, matplotlib is not installed: pip install 'eightfold[bench]'", file=sys.stderr)
    else:
        plots.draw(kept, folder)


if __name__ == "__main__":
    sys.exit(main())
