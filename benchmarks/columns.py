"""Arrow columns: audit and repair next to what pyarrow, polars, pandas, DuckDB and a loop in Python do with the same.

Each side is timed in turns with the other. A cell is how many times as fast as the peer ours is, or, for `dirty`, how
much longer the audit of a dirty column takes than that of a clean one. A dirty column has one bad value in 500. Files
hold the dirty column and an id.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from importlib import import_module
from io import StringIO
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple
from weakref import finalize

from benchmarks import peers
from benchmarks.texts import made
from eightfold import cli

TEXTS = ("ascii", "latin", "cyrillic", "chinese")
BAD_ONE_IN = 500
SHORT_BYTES, LONG_BYTES = 20, 10_000
SHORT, LONG = 6_000_000, 10_000

Side = Callable[[], object]


class Goal(NamedTuple):
    """What a row is to reach: times the peer at least, or, for the last two, times our own clean audit at most."""

    ascii: float
    other: float
    at_most: bool = False


GOALS = {
    "audit clean, pyarrow cast": Goal(1.2, 3),
    "repair dirty, Python loop": Goal(20, 20),
    "repair dirty, pandas": Goal(20, 20),
    "audit dirty, audit clean": Goal(2, 2, at_most=True),
    "repair Parquet, pyarrow copy": Goal(0.7, 0.7),
}
"""The rows with a goal; all others are measured for comparison."""


class Cell(NamedTuple):
    """A measurement: how long ours and the other side took, in seconds, in each round."""

    row: str
    text: str
    values: int
    megabytes: float
    rounds: tuple[tuple[float, float], ...]

    @property
    def ratio(self) -> float:
        """How many times as long as ours the other side took; for goals with a limit, the other way round."""
        ratios = [theirs / ours for ours, theirs in self.rounds]
        goal = GOALS.get(self.row)
        return 1 / statistics.median(ratios) if goal and goal.at_most else statistics.median(ratios)

    @property
    def meets(self) -> bool | None:
        """Whether the goal is met; None if there is none."""
        goal = GOALS.get(self.row)
        if goal is None:
            return None
        wanted = goal.ascii if self.text == "ascii" else goal.other
        return self.ratio <= wanted if goal.at_most else self.ratio >= wanted

    @property
    def line(self) -> str:
        """The cell as a line of a table."""
        ours = min(ours for ours, _ in self.rounds)
        verdict = {True: "met", False: "MISSED", None: ""}[self.meets]
        speed = f"{self.megabytes / ours / 1000:8.2f} GB/s"
        return f"| {self.row:28} | {self.text:8} | {self.values:9,} | {self.ratio:8.2f} | {speed} | {verdict} |"


HEADING = "| row | text | values | ratio | ours | goal |\n| --- | --- | ---: | ---: | ---: | --- |"


class Columns(NamedTuple):
    """A clean column and a dirty one, as arrays of binary values, and what peers take."""

    clean: Any
    dirty: Any


def columns_of(text: str, byte_count: int, count: int) -> Columns:
    """Return columns of so many values of a text; no more than 20,000 of them differ."""
    pa = import_module("pyarrow")
    pieces = [
        piece.encode() for piece in made().pieces(text, byte_count, min(count, 20_000 if byte_count < 100 else 200))
    ]
    repeats = -(-count // len(pieces))
    clean = (pieces * repeats)[:count]
    dirty = list(clean)
    for at in range(0, count, BAD_ONE_IN):
        middle = len(dirty[at].decode()) // 2
        head = dirty[at].decode()[:middle].encode()
        dirty[at] = head + b"\xff" + dirty[at][len(head) :]
    large = pa.large_binary() if byte_count * count > 2**30 else pa.binary()
    return Columns(pa.array(clean, large), pa.array(dirty, large))


def sides(given: Columns, threads: int | None) -> dict[str, tuple[Side, Side]]:
    """Return both sides of each row; a peer that is not installed has none."""
    pa, columns = import_module("pyarrow"), import_module("eightfold.columns")
    clean, dirty = pa.table({"c": given.clean}), pa.table({"c": given.dirty})
    string = pa.large_string() if pa.types.is_large_binary(given.clean.type) else pa.string()

    def audit(table: Any) -> Side:
        return lambda: columns.audit(table, threads=threads)

    def repair() -> object:
        return columns.repair(dirty, "replace", threads=threads)

    found = {
        "audit clean, pyarrow cast": (audit(clean), lambda: given.clean.cast(string)),
        "audit dirty, audit clean": (audit(dirty), audit(clean)),
        "repair dirty, Python loop": (repair, lambda: _looped(pa, given.dirty)),
        "repair Parquet, pyarrow copy": _as_files(pa, given.dirty),
        **_beside_polars(clean, audit(clean)),
        **_beside_pandas(given.dirty, repair),
        **_beside_duckdb(clean, audit(clean)),
        **_beside_spark(given.dirty),
    }
    return found


def _looped(pa: Any, array: Any) -> object:
    """Repair a column as one does without us: by a loop over its values."""
    return pa.array([value.decode("utf-8", "replace") for value in array.to_pylist()], pa.large_string())


def _as_files(pa: Any, array: Any) -> tuple[Side, Side]:
    """Repair a Parquet file by the command, and copy it by pyarrow row group by row group, each on one thread."""
    parquet, folder = import_module("pyarrow.parquet"), Path(mkdtemp())
    path, *targets = (folder / name for name in ("given.parquet", "repaired.parquet", "copied.parquet"))
    type = pa.string() if array.type == pa.binary() else pa.large_string()
    texts = pa.Array.from_buffers(type, len(array), array.buffers())
    parquet.write_table(pa.table({"id": range(len(array)), "c": texts}), path, row_group_size=max(1, len(array) // 4))

    def repaired() -> object:
        targets[0].unlink(missing_ok=True)
        with redirect_stderr(StringIO()):
            return cli.main(["repair", str(path), "-o", str(targets[0])]), folder

    def copied() -> None:
        given = parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
        with parquet.ParquetWriter(targets[1], given.schema_arrow) as writer:
            for group in range(given.num_row_groups):
                writer.write_table(given.read_row_group(group, use_threads=False))

    finalize(repaired, shutil.rmtree, folder)
    return repaired, copied


def _beside_polars(table: Any, ours: Side) -> dict[str, tuple[Side, Side]]:
    try:
        polars = import_module("polars")
    except ModuleNotFoundError:
        return {}
    series = polars.from_arrow(table)["c"]
    return {"audit clean, polars cast": (ours, lambda: series.cast(polars.String))}


def _beside_pandas(array: Any, ours: Side) -> dict[str, tuple[Side, Side]]:
    try:
        pandas = import_module("pandas")
    except ModuleNotFoundError:
        return {}
    series = pandas.Series(array.to_pylist(), dtype=object)
    return {"repair dirty, pandas": (ours, lambda: series.str.decode("utf-8", errors="replace"))}


def _beside_duckdb(table: Any, ours: Side) -> dict[str, tuple[Side, Side]]:
    try:
        duckdb = import_module("duckdb")
    except ModuleNotFoundError:
        return {}
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.register("given", table)
    return {
        "audit clean, DuckDB decode": (ours, lambda: connection.execute("SELECT max(length(decode(c))) FROM given"))
    }


def _beside_spark(array: Any) -> dict[str, tuple[Side, Side]]:
    """Repair inside Spark, where our values go to Python and back; only where PySpark and Java are installed."""
    try:
        sql = import_module("pyspark.sql")
    except ModuleNotFoundError:
        return {}
    if shutil.which("java") is None:
        return {}
    pa, door = import_module("pyarrow"), import_module("eightfold.columns.spark")
    spark = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    df = spark.createDataFrame(pa.table({"c": array.cast(pa.binary())})).cache()
    df.count()
    valid = df.select(import_module("pyspark.sql.functions").make_valid_utf8(df.c.cast("string")))
    return {"repair dirty, make_valid_utf8": (_run_in_spark(door.repair(df, "replace")), _run_in_spark(valid))}


def _run_in_spark(df: Any) -> Side:
    return lambda: df.write.format("noop").mode("overwrite").save()


def measured(
    texts: Sequence[str], values: tuple[int, int], rounds: int, threads: int | None, clock: Callable[[], float]
) -> list[Cell]:
    """Measure all rows, and print each as it is done."""
    print(HEADING)
    cells = []
    for text in texts:
        for byte_count, count in zip((SHORT_BYTES, LONG_BYTES), values, strict=True):
            given = columns_of(text, byte_count, count)
            megabytes = given.clean.nbytes / 1e6
            for row, (ours, theirs) in sides(given, threads).items():
                times = _race(ours, theirs, 1 if "Python" in row or "pandas" in row else rounds, clock)
                cells.append(Cell(row, text, count, megabytes, times))
                print(cells[-1].line, flush=True)
    return cells


def _race(ours: Side, theirs: Side, rounds: int, clock: Callable[[], float]) -> tuple[tuple[float, float], ...]:
    ours()  # what is loaded on first use is loaded now
    return tuple((_taken(ours, clock), _taken(theirs, clock)) for _ in range(rounds))


def _taken(side: Side, clock: Callable[[], float]) -> float:
    start = clock()
    side()
    return max(clock() - start, 1e-9)


def lines(kept: dict[str, Any]) -> list[str]:
    """Return the table of what `main` has stored."""
    cells = [Cell(**{**cell, "rounds": tuple(map(tuple, cell["rounds"]))}) for cell in kept["cells"]]
    return [
        *(f"{name}: {value}" for name, value in kept["machine"].items()),
        "",
        HEADING,
        *(cell.line for cell in cells),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser("python -m benchmarks.columns", description=__doc__)
    parser.add_argument("--texts", nargs="+", default=list(TEXTS), metavar="NAME")
    parser.add_argument("--short", type=int, default=SHORT, metavar="N", help="values of 20 bytes")
    parser.add_argument("--long", type=int, default=LONG, metavar="N", help="values of 10,000 bytes")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, help="instead of all cores")
    parser.add_argument("--processor-time", action="store_true", help="of all threads, for a machine that is busy")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    parser.add_argument("--check", action="store_true", help="exit 1 where a cell falls short of its goal")
    given = parser.parse_args(arguments)
    if peers.tools(peers.PYARROW) is None:
        print("columns: skipped, pyarrow is not installed: pip install 'eightfold[bench]'", file=sys.stderr)
        return 0
    clock = time.process_time if given.processor_time else time.perf_counter
    cells = measured(given.texts, (given.short, given.long), given.rounds, given.threads, clock)
    if given.json:
        kept = {"machine": dict(peers.machine()), "cells": [cell._asdict() for cell in cells]}
        given.json.write_text(json.dumps(kept) + "\n", encoding="utf-8")
    return int(given.check and any(cell.meets is False for cell in cells))


if __name__ == "__main__":
    sys.exit(main())
