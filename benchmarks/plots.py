"""Draw the measurements of `scaling` as SVG: one small plot for each form. Needs matplotlib, from the extra `bench`."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot

COLUMNS = 5
matplotlib.rcParams.update({"svg.hashsalt": "eightfold", "svg.fonttype": "none", "font.size": 8})


def draw(kept: dict[str, Any], folder: Path) -> None:
    """Write size.svg and density.svg into a folder."""
    _draw(kept["size"], _size, "bytes", folder / "size.svg")
    _draw(kept["density"], _density, "share of faults", folder / "density.svg")


def _draw(by_form: dict[str, Any], plot: Callable[[Any, Any], None], axis: str, path: Path) -> None:
    lines = math.ceil(len(by_form) / COLUMNS)
    figure, grid = pyplot.subplots(
        lines, COLUMNS, sharex=True, sharey=True, squeeze=False, figsize=(10, 2 * lines), layout="constrained"
    )
    for place in grid.flat[len(by_form) :]:
        place.set_axis_off()
    for place, (form, points) in zip(grid.flat, by_form.items(), strict=False):
        plot(place, points)
        place.set_title(form)
        place.set_yscale("log")
        place.grid(alpha=0.3)
    figure.supxlabel(axis)
    figure.supylabel("nanoseconds per byte")
    figure.legend(*grid.flat[0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def _size(place: Any, points: dict[str, Any]) -> None:
    for way, line in points.items():
        place.plot(*zip(*line, strict=True), label=way)
    place.set_xscale("log", base=2)


def _density(place: Any, points: Any) -> None:
    place.plot(*zip(*points, strict=True), marker=".", label="decode, replace")
    place.set_xscale("symlog", linthresh=1e-4)
