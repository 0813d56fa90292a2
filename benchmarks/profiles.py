"""Profile the cells that are close to their goals: in which functions `perf` finds our statement.

The cells are those of a file that `python -m benchmarks --json` wrote, measured with the instruction set in use. Parts
below 3% are left out. Needs `perf`, which is part of the tools of the Linux kernel.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from timeit import Timer
from typing import NamedTuple

from benchmarks import peers
from benchmarks.goals import wanted
from benchmarks.results import MEASUREMENTS, Results, read
from benchmarks.row import Cell, Row, cases_of
from benchmarks.rows import ROWS
from benchmarks.texts import made
from benchmarks.timing import timer

NEAR = 1.5
"""Cells below so many times their goal are profiled."""
SECONDS = 0.6
SAMPLES_PER_SECOND = 4000
LEAST_SHARE = 0.03
"""Smaller shares are left out."""


class Profile(NamedTuple):
    """The profile of a cell.

    Attributes:
        row, against, text, size: which cell.
        met: its median, in parts of its goal.
        shares: the share of the time that each part takes, the largest first; parts below `LEAST_SHARE` are left out.
    """

    row: str
    against: str
    text: str
    size: int
    met: float
    shares: dict[str, float]

    @property
    def told(self) -> str:
        """Return the shares as text for people."""
        return ", ".join(f"{part} {share:.0%}" for part, share in self.shares.items())


def near(results: Results) -> Iterator[tuple[Cell, float]]:
    """Yield the cells that are close to their goals or below, each with its ratio to the goal."""
    for cell in results.cells:
        least = wanted(cell, results.column)
        if least is not None and cell.times.median < NEAR * least:
            yield cell, cell.times.median / least


def profiles(results: Results) -> Iterator[Profile]:
    """Yield a profile of each cell that is close to its goal and is measured in this process."""
    rows = {(row.name, row.against): row for row in ROWS}
    for cell, met in near(results):
        row = rows.get((cell.row, cell.against))
        tools = row and peers.tools(row.against)
        if row and tools:
            shares = sampled(_timer_of(row, cell, tools))
            yield Profile(cell.row, cell.against, cell.text, cell.size, round(met, 2), shares)


def _timer_of(row: Row, cell: Cell, tools: dict[str, object]) -> Timer:
    return timer(row.ours, cases_of(row, made(), cell.text, cell.size)[0], tools)


def sampled(work: Timer) -> dict[str, float]:
    """Return the share of the time that each part of some work takes, the largest first."""
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder, "samples")
        options = ("-q", "-F", str(SAMPLES_PER_SECOND), "-p", str(os.getpid()), "-o", str(samples))
        perf = subprocess.Popen(("perf", "record", *options), stdout=subprocess.DEVNULL)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            work.timeit(1)
        perf.send_signal(signal.SIGINT)
        perf.wait()
        report = ("perf", "report", "-i", str(samples), "--stdio", "-q", "--no-children", "-F", "sample,sym,dso")
        told = subprocess.run((*report, "-t", "\t"), capture_output=True, encoding="utf-8", check=True).stdout
    return shares_of(told)


def shares_of(report: str) -> dict[str, float]:
    """Return the shares in a report of `perf`, whose lines hold a count of samples, a function and its library."""
    counts: Counter[str] = Counter()
    for line in filter(None, report.splitlines()):
        count, symbol, library = (part.strip() for part in line.split("\t"))
        counts[part_of(symbol, library)] += int(count)
    total = counts.total()
    return {part: round(count / total, 3) for part, count in counts.most_common() if count >= LEAST_SHARE * total}


def part_of(symbol: str, library: str) -> str:
    """Return the part that a function belongs to: functions of the core go by their own names."""
    space, name = symbol[:3], symbol[4:]
    if space == "[k]":
        return "the system"
    if "simdutf" in name:
        return "simdutf"
    if found := re.match(r"<?eightfold_core::(?:kernels::)?(?:x86::)?([\w:]*\w)", name):
        return found[1]
    if library.startswith("_native"):
        return "the binding"
    if library.startswith("libc."):
        return "memory copied" if "memmove" in name or "memcpy" in name else "memory allocated"
    return "the interpreter" if "python" in library else library


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser("python -m benchmarks.profiles", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=MEASUREMENTS / f"{peers.instruction_set()}.json")
    given = parser.parse_args(arguments)
    if shutil.which("perf") is None:
        print("perf is not installed: it comes with the tools of the Linux kernel", file=sys.stderr)
        return 2
    for each in profiles(read(given.file)):
        print(f"{each.row}, {each.text}, {each.size} bytes, {each.met} of its goal: {each.told}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
