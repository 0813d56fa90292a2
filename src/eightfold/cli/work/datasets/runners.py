"""Who does the work on the pieces of a dataset: processes here, Spark, or Ray. The results come in the pieces' order.

The work is a function that can be sent by name; a piece may be worked on twice, as an engine does after a worker died.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from importlib import import_module
from typing import Any, TypeVar

from eightfold.cli.work.datasets.pieces import Piece
from eightfold.extras import installing
from eightfold.files import FileError
from eightfold.files.parallel.processes import BatchWork, Send, Workers
from eightfold.files.parallel.threads import ahead
from eightfold.files.read.reading import READ

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_AHEAD_PER_CORE = 4
_CONFIGURED = ("PYSPARK_GATEWAY_PORT", "PYSPARK_SUBMIT_ARGS", "SPARK_HOME", "SPARK_CONF_DIR", "SPARK_REMOTE")
"""Set by `spark-submit` or by a user who chose a cluster."""
_MODULES = {"spark": "pyspark.sql", "ray": "ray"}
"""The modules that are imported for the engines; the extras have the names of the engines."""


def local(work: Callable[[_Item], _Result], items: Sequence[_Item], jobs: int) -> Generator[_Result, None, None]:
    """Yield the results of work that so many processes do.

    Raises:
        FileError: a process ended too early.
    """
    count = min(jobs, len(items))
    if count < 2:
        yield from map(work, items)
        return
    workers = Workers(count, _serving, work)
    try:
        for parts in ahead((workers.give(item) for item in items), count):
            yield from parts
    finally:
        workers.end()


def _serving(work: Callable[[Any], object], send: Send) -> BatchWork:
    return lambda item: send(work(item))


def on_spark(work: Callable[[_Item], _Result], items: Sequence[_Item], jobs: int = 0) -> Generator[_Result, None, None]:
    """Yield the results of work that the workers of Spark do, by the session that is there or a new one.

    Raises:
        FileError: PySpark is not installed, or the job failed.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    sql = _module("spark")
    session = sql.SparkSession.getActiveSession()
    with _Blamed("Spark"):
        made = session or _spark_session(sql)
        try:
            results = made.sparkContext.parallelize(items, len(items)).map(work)
            # All are worked on at once, and kept by the workers, so that the driver holds one at a time.
            results = results.persist(import_module("pyspark").StorageLevel.DISK_ONLY)
            results.count()
            yield from results.toLocalIterator()
            results.unpersist()
        finally:
            if session is None:
                made.stop()


def _spark_session(sql: Any) -> Any:
    builder = sql.SparkSession.builder.appName("eightfold")
    if not any(name in os.environ for name in _CONFIGURED):
        builder = builder.master("local[*,4]").config("spark.ui.enabled", "false")
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def on_ray(work: Callable[[_Item], _Result], items: Sequence[_Item], jobs: int = 0) -> Generator[_Result, None, None]:
    """Yield the results of work that the workers of Ray do: of the cluster in RAY_ADDRESS, or of a new one.

    Raises:
        FileError: Ray is not installed, or the job failed.
    """
    ray = _module("ray")
    is_ours = not ray.is_initialized()
    with _Blamed("Ray"):
        if is_ours:
            ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        try:
            task = ray.remote(max_retries=3)(work_on)
            cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
            for result in ahead((task.remote(work, item) for item in items), _AHEAD_PER_CORE * cores):
                yield ray.get(result)
        finally:
            if is_ours:
                ray.shutdown()


def work_on(work: Callable[[_Item], _Result], item: _Item) -> _Result:
    """Return what work makes of an item.

    >>> work_on(len, "abc")
    3
    """
    return work(item)


class _Blamed:
    """Turns what an engine raises into a FileError that says the first line of it."""

    def __init__(self, engine: str) -> None:
        self._engine = engine

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, (FileError, BrokenPipeError)):
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            raise FileError(self._engine, f"the job failed: {(lines or [type(error).__name__])[0]}") from error


def need(runner: str) -> None:
    """Refuse an engine that is not installed, before anything is written.

    Raises:
        FileError: it is not.
    """
    if runner in _MODULES:
        _module(runner)


def _module(runner: str) -> Any:
    try:
        return import_module(_MODULES[runner])
    except ModuleNotFoundError:
        raise FileError("--runner", f"{runner} is not installed: {installing(runner)}") from None


def results(
    runner: str, work: Callable[[Piece], _Result], pieces: Sequence[Piece], jobs: int
) -> Generator[_Result, None, None]:
    """Yield the results of the work on pieces, and count what was read.

    Args:
        runner: a name in :data:`RUNNERS`.
        work: what to do with a piece; it can be sent by name.
        pieces: the pieces.
        jobs: the number of local processes.

    Raises:
        FileError: the engine is not installed, or the job failed.
    """
    is_here = runner == "local" and min(jobs, len(pieces)) < 2
    with closing(RUNNERS[runner](work, pieces, jobs)) as found:
        for piece, result in zip(pieces, found, strict=True):
            if not is_here:  # Reading here has counted it.
                READ.add(files=int(piece.is_last), bytes=piece.bytes)
            yield result


RUNNERS: dict[str, Callable[..., Generator[Any, None, None]]] = {"local": local, "spark": on_spark, "ray": on_ray}
"""By the name that `--runner` takes: a function of the work, the items and the number of jobs."""

__all__ = ["RUNNERS", "local", "need", "on_ray", "on_spark", "results", "work_on"]
