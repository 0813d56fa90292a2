"""Measurements, as they are stored in JSON and printed as a table. This module measures nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.goals import is_met, wanted
from benchmarks.row import Cell
from benchmarks.timing import Spread

MEASUREMENTS = Path(__file__).parent / "measurements"
"""The folder of data, tables and plots. Git ignores it; the release workflow attaches its own measurements."""


class Results(NamedTuple):
    """Cells and the machine that they were measured on."""

    machine: dict[str, Any]
    cells: tuple[Cell, ...]

    @property
    def column(self) -> str:
        """The column of the goals: the instruction set, or without the core, the engine."""
        engine = self.machine.get("engine", "native")
        return str(self.machine["instruction_set"] if engine == "native" else engine)


def write(results: Results, path: Path) -> None:
    """Write results as JSON, one cell a line."""
    cells = ",\n".join(f"  {json.dumps(_as_dict(cell))}" for cell in results.cells)
    machine = json.dumps(results.machine)
    path.write_text(f'{{"machine": {machine},\n "cells": [\n{cells}\n]}}\n', encoding="utf-8")


def read(path: Path) -> Results:
    """Read a file that :func:`write` wrote."""
    told = json.loads(path.read_text(encoding="utf-8"))
    return Results(told["machine"], tuple(_cell(**each) for each in told["cells"]))


def read_all(path: Path) -> list[Results]:
    """Read a file of results, or every one in a folder, which may hold other data too.

    Raises:
        ValueError: the file does not hold results, or the folder has no such file.
    """
    found = [_results_in(each) for each in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    results = [each for each in found if each is not None]
    if not results:
        raise ValueError(f"{path}: no results of `python -m benchmarks --json`")
    return results


def _results_in(path: Path) -> Results | None:
    """Return the content of a JSON file, or None if it is not results."""
    try:
        return read(path)
    except (KeyError, TypeError, json.JSONDecodeError):
        return None


def _as_dict(cell: Cell) -> dict[str, Any]:
    return {
        name: [float(f"{value:.4g}") for value in part] if isinstance(part, Spread) else part
        for name, part in cell._asdict().items()
    }


def _cell(times: list[float], ours: list[float], theirs: list[float], **plain: Any) -> Cell:
    return Cell(**plain, times=Spread(*times), ours=Spread(*ours), theirs=Spread(*theirs))


_COLUMNS = f"{'row':40} {'against':11} {'text':12} {'bytes':>9} {'GB/s':>7}"
HEADING = f"{_COLUMNS} {'times':>8} [{'min':>7} {'max':>7}] {'goal':>5}"


def line_of(cell: Cell, column: str) -> str:
    """Return a cell as a line of the table; one that falls short of its goal says so."""
    times, least = cell.times, wanted(cell, column)
    met = "" if least is None else f"{least:5.3g}" if is_met(times, least) else f"{least:5.3g} missed"
    name = f"{cell.row:40} {cell.against:11} {cell.text:12} {cell.size:9}"
    spread = f"{times.median:8.2f} [{times.low:7.2f} {times.high:7.2f}]"
    return f"{name} {cell.gigabytes_per_second:7.2f} {spread} {met}".rstrip()


def summary(cells: Sequence[Cell], column: str) -> str:
    """Return a sentence on how many cells have goals, and how many meet them."""
    judged = [(cell, least) for cell in cells if (least := wanted(cell, column)) is not None]
    met = sum(is_met(cell.times, least) for cell, least in judged)
    return f"{len(cells)} cells, {len(judged)} with a goal for {column}: {met} met, {len(judged) - met} missed"
