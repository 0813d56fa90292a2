"""A wrong argument is an error that names it, at every door."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eightfold import columns
from eightfold.columns import duckdb, ray, spark, sqlite
from eightfold.columns.batches import repair_of

pa = pytest.importorskip("pyarrow")

TABLE = pa.table({"a": [b"a", b"\xff"]})
NOT_STR = (None, 5, b"escape", [], {}, object(), True)
Call = Callable[[Any], object]


@pytest.mark.parametrize(
    "call",
    [
        lambda threads: columns.audit(TABLE, threads=threads),
        lambda threads: columns.repair(TABLE, threads=threads),
        lambda threads: columns.is_well_formed(TABLE["a"], threads=threads),
        lambda threads: columns.convert(TABLE["a"], "utf-8", "utf-16-le", "replace", threads=threads),
        lambda threads: columns.audit(pa.table({}), threads=threads),
    ],
)
def test_threads(call: Call) -> None:
    for threads in ("2", 2.5, True, [], b"2"):
        with pytest.raises(TypeError, match=f"threads must be None or an int, not {type(threads).__name__}"):
            call(threads)
    for threads in (0, -1):
        with pytest.raises(ValueError, match=f"threads must be 1 or more, not {threads}"):
            call(threads)
    call(1)
    call(None)
    call(1 << 70)
    call(type("Two", (), {"__index__": lambda _: 2})())


@pytest.mark.parametrize(
    "call",
    [
        lambda form: columns.audit(TABLE, form),
        lambda form: columns.is_well_formed(TABLE["a"], form),
        lambda form: columns.convert(TABLE["a"], form, "utf-8"),
        lambda form: columns.convert(TABLE["a"], "utf-8", form),
        lambda form: columns.carrier(form),
        lambda form: columns.from_pylist([], form),
        lambda form: list(columns.faults_of(columns.audit(TABLE), form)),
    ],
)
def test_forms(call: Call) -> None:
    for form in NOT_STR:
        with pytest.raises(TypeError, match=f"form must be a Form or a str, not {type(form).__name__}"):
            call(form)
    with pytest.raises(LookupError, match="unknown form: 'nope'"):
        call("nope")


@pytest.mark.parametrize("table", [TABLE, pa.table({"number": [1]}), pa.table({})])
def test_an_audit_refuses_wrong_arguments_whatever_the_columns_are(table: Any) -> None:
    with pytest.raises(LookupError, match="unknown form: 'nope'"):
        columns.audit(table, "nope")
    for limit in ("2", -1, 2.5, [], b"2"):
        error = ValueError if limit == -1 else TypeError
        with pytest.raises(error, match="limit must be None or a number of 0 or more"):
            columns.audit(table, limit=limit)


def test_a_limit_may_be_larger_than_any_object() -> None:
    for table in (pa.table({"a": [b"\xff", b"ok"]}), pa.table({"a": pa.array([b"\xff", b"ok"]).dictionary_encode()})):
        for limit in (2**63 - 1, 2**63, 10**30):
            assert columns.audit(table, limit=limit).num_rows == 1


def _pandas(errors: Any) -> object:
    pandas = pytest.importorskip("pandas")
    import eightfold.columns.pandas  # noqa: F401

    return pandas.Series([b"\xff"]).eightfold.repair(errors)


def _polars(call: Call) -> Call:
    def called(errors: Any) -> object:
        polars = pytest.importorskip("polars")
        import eightfold.columns.polars  # noqa: F401

        return call((polars, errors))

    return called


def _duckdb(errors: Any) -> object:
    duckdb = pytest.importorskip("duckdb")
    import eightfold.columns.duckdb

    with duckdb.connect() as connection:
        return eightfold.columns.duckdb.register(connection, errors) and None


def _lazy_frame(given: Any) -> object:
    from eightfold.columns.polars import repair

    return repair(given[0].LazyFrame({"a": [b"a"]}), given[1])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "call",
    [
        lambda errors: columns.repair(TABLE, errors),
        lambda errors: columns.repair(TABLE["a"], errors),
        _pandas,
        _duckdb,
        _polars(lambda given: given[0].Series([b"a"]).eightfold.repair(given[1])),
        _polars(lambda given: given[0].col("a").eightfold.repair(given[1])),
        _polars(_lazy_frame),
        lambda errors: repair_of(errors, binary=True).repaired(TABLE),
    ],
)
def test_policies(call: Call) -> None:
    for errors in NOT_STR:
        with pytest.raises(TypeError, match=f"errors must be a str, not {type(errors).__name__}"):
            call(errors)
    with pytest.raises(ValueError, match=r"errors must be one of escape, .* not 'nope'"):
        call("nope")
    call("escape")


def test_workers_get_a_policy_by_its_own_name() -> None:
    assert repair_of("windows-1252", binary=False) == repair_of("cp1252", binary=False)


def test_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE t (a)")
    for errors in NOT_STR:
        with pytest.raises(TypeError, match="errors must be a str"):
            sqlite.repair(path, errors)
    for limit in ("2", -1, 2.5, [], b"2"):
        error = ValueError if limit == -1 else TypeError
        with pytest.raises(error, match="limit must be None or a number of 0 or more"):
            sqlite.audit(path, limit=limit)  # type: ignore[arg-type]


def test_what_is_no_table_no_array_and_no_frame() -> None:
    for given in (None, 5, "a", b"a", [b"a"], object()):
        name = type(given).__name__
        for call in (columns.audit, columns.repair):
            with pytest.raises(TypeError, match=f"Arrow PyCapsule interface is required, not {name}"):
                call(given)
        with pytest.raises(TypeError, match=f"must be an Array or a ChunkedArray of pyarrow, not {name}"):
            columns.to_pylist(given)
        with pytest.raises(TypeError, match=f"report must be a table that audit returned, not {name}"):
            list(columns.faults_of(given))
    with pytest.raises(TypeError, match="values must be an iterable of str, not str"):
        columns.from_pylist("text")


def test_what_is_no_frame_of_polars() -> None:
    pytest.importorskip("polars")
    from eightfold.columns import polars

    for given in (None, 5, "frame", TABLE):
        with pytest.raises(TypeError, match=f"frame must be a DataFrame or a LazyFrame, not {type(given).__name__}"):
            polars.audit(given)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="frame must be a DataFrame or a LazyFrame, not NoneType"):
        polars.repair(None)  # type: ignore[type-var]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (spark.audit, "df must be a DataFrame of PySpark"),
        (spark.repair, "df must be a DataFrame of PySpark"),
        (ray.audit, "ds must be a Dataset of Ray Data"),
        (ray.repair, "ds must be a Dataset of Ray Data"),
        (duckdb.register, "connection must be a connection of DuckDB"),
    ],
)
def test_frames_and_connections_of_other_packages(call: Call, expected: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        for given in (None, 5, "data", TABLE, connection):
            with pytest.raises(TypeError, match=f"{expected}, not {type(given).__name__}"):
                call(given)
