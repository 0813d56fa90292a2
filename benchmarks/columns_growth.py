"""Whether the time of columns is linear in the number of values, and how much memory beyond the column they take.

Each size runs in a process of its own, on one thread, by processor time, so that a busy machine disturbs little. Values
have 20 bytes; a dirty column has one bad value in 500. Of the time, what the system takes is said, which clears new
memory. Memory is what the peak of resident memory is above what the
process has with the column made; it can be measured on Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import peers
from benchmarks.columns import SHORT_BYTES, columns_of

SIZES = (10**5, 10**6, 10**7, 10**8)
WORK = ("audit clean", "audit dirty", "repair dirty")
_UNIT = 10**5
_ENOUGH_SECONDS = 0.5
HEADING = (
    "| work | text | values | ns a value | of them the system's | column MB | beyond it MB |\n"
    "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
)


class Point(NamedTuple):
    """A measurement: nanoseconds for a value, those of the system among them, and megabytes."""

    work: str
    text: str
    values: int
    nanoseconds: float
    system: float
    column: float
    beyond: float

    @property
    def line(self) -> str:
        """The point as a line of a table."""
        times = f"{self.nanoseconds:8.2f} | {self.system:8.2f}"
        numbers = f"{self.values:11,} | {times} | {self.column:8.1f} | {self.beyond:8.1f}"
        return f"| {self.work:12} | {self.text:8} | {numbers} |"


def column(text: str, count: int, *, dirty: bool) -> Any:
    """Return a column of so many values, a multiple of 100,000."""
    pa = import_module("pyarrow")
    unit = columns_of(text, SHORT_BYTES, min(count, _UNIT))[dirty].cast(pa.large_binary())
    return pa.concat_arrays([unit] * max(1, count // _UNIT))


def measured(work: str, text: str, count: int) -> Point:
    """Measure one point in this process."""
    pa, columns = import_module("pyarrow"), import_module("eightfold.columns")
    table = pa.table({"c": column(text, count, dirty=work.endswith("dirty"))})
    done: Callable[[], object] = (
        (lambda: columns.audit(table, threads=1))
        if work.startswith("audit")
        else (lambda: columns.repair(table, "replace", threads=1))
    )
    if count > _UNIT:
        columns.repair(table.slice(0, 1000), "replace", threads=1)  # what is loaded on first use
    before = _reset_peak()
    done()
    beyond = _peak() - before
    times = (seconds / count * 1e9 for seconds in _least(done))
    return Point(work, text, count, *times, table.nbytes / 1e6, beyond / 1e6)


def _least(work: Callable[[], object]) -> tuple[float, float]:
    """Return the least processor time of several runs, and what of it the system took."""
    times: list[tuple[float, float]] = []
    while len(times) < 3 or sum(taken for taken, _ in times) < _ENOUGH_SECONDS:
        start, system = time.process_time(), os.times().system
        work()
        times.append((time.process_time() - start, os.times().system - system))
    return min(times)


def _reset_peak() -> int:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _peak() -> int:
    return _status("VmHWM")


def _status(name: str) -> int:
    """Return a number of bytes that Linux knows of this process, 0 elsewhere."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return 0


def apart(work: str, text: str, count: int) -> Point:
    """Measure one point in a process of its own."""
    one = [sys.executable, "-m", "benchmarks.columns_growth", "--one", work, text, str(count)]
    return Point(*json.loads(subprocess.run(one, capture_output=True, text=True, check=True).stdout))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser("python -m benchmarks.columns_growth", description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), metavar="N")
    parser.add_argument("--texts", nargs="+", default=["ascii", "cyrillic"], metavar="NAME")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if peers.tools(peers.PYARROW) is None:
        print("columns_growth: skipped, pyarrow is not installed: pip install 'eightfold[bench]'", file=sys.stderr)
        return 0
    if given.one:
        work, text, count = given.one
        print(json.dumps(measured(work, text, int(count))))
        return 0
    print(HEADING)
    for text in given.texts:
        for work in WORK:
            for count in given.sizes:
                print(apart(work, text, count).line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
