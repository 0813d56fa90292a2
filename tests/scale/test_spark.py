"""Spark: every bad value of a DataFrame is found and repaired by workers, and none becomes U+FFFD in silence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import eightfold
from eightfold import cli, columns
from eightfold.columns import spark as door
from support.arrow_arrays import array_of, bytes_of
from support.workers import DyingOnce

pa: Any = pytest.importorskip("pyarrow", reason="pyarrow is not installed: make test-scale")
pq: Any = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.filterwarnings("ignore")

BAD = [b"ok", b"caf\xe9", None, b"\xed\xa0\xbd in something longer", "\uef80".encode()]
FAULTS = [(1, "truncated", b"\xe9"), (3, "surrogate", b"\xed\xa0\xbd")]


def parquet(folder: Path, values: Any = BAD) -> Path:
    path = folder / "data.parquet"
    names = array_of(pa, pa.string(), values)
    table = pa.table({"id": list(range(len(values))), "s": names, "tags": pa.array([["x"]] * len(values))})
    pq.write_table(table, path, row_group_size=2)
    return path


@pytest.mark.parametrize("type", ["string", "binary"])
def test_smoke(spark: Any, tmp_path: Path, type: str) -> None:
    path = parquet(tmp_path)
    df = spark.read.schema(f"id long, s {type}, tags array<string>").parquet(str(path))
    report = door.audit(df, keys=["id"])
    assert report.columns == ["id", *columns.audit(pa.table({"a": [b""]})).column_names]
    found = [(row.id, row.kind, bytes(row.bytes)) for row in report.sort("id").collect()]
    assert found == FAULTS
    fixed = door.repair(df)
    assert fixed.schema == df.schema
    rows = fixed.sort("id").collect()
    expected = columns.repair(array_of(pa, pa.string(), BAD)).to_pylist()
    as_text = [row.s if type == "string" or row.s is None else bytes(row.s).decode() for row in rows]
    assert as_text == expected
    assert {tuple(row.tags) for row in rows} == {("x",)}


def test_spark_itself_replaces_in_silence_and_the_bytes_are_kept_here(spark: Any, tmp_path: Path) -> None:
    df = spark.read.parquet(str(parquet(tmp_path)))
    assert [row.s for row in df.sort("id").collect()][1] == "caf\N{REPLACEMENT CHARACTER}"
    door.repair(df).coalesce(1).write.parquet(str(tmp_path / "fixed"))
    fixed = pq.read_table(tmp_path / "fixed").sort_by("id")
    fixed.validate(full=True)
    escaped = [None if value is None else value.encode() for value in fixed["s"].to_pylist()]
    back = [None if value is None else eightfold.convert(value, "utf-8", "xtf-8") for value in escaped]
    assert back == BAD


def test_spark_reads_the_repair_of_a_file_that_it_wrote(spark: Any, tmp_path: Path) -> None:
    spark.read.parquet(str(parquet(tmp_path))).coalesce(1).write.parquet(str(tmp_path / "of-spark"))
    (path,) = (tmp_path / "of-spark").glob("*.parquet")
    assert cli.main(["check", str(path)]) == 1
    assert cli.main(["repair", str(path), "-o", str(tmp_path / "fixed.parquet")]) == 0
    assert cli.main(["check", str(tmp_path / "fixed.parquet")]) == 0
    rows = spark.read.parquet(str(tmp_path / "fixed.parquet")).sort("id").collect()
    assert [row.s for row in rows] == columns.repair(array_of(pa, pa.string(), BAD)).to_pylist()
    assert [row.id for row in rows] == list(range(len(BAD)))


def test_the_report_equals_that_of_columns(spark: Any, tmp_path: Path) -> None:
    path = parquet(tmp_path, BAD * 300)
    df = spark.read.parquet(str(path)).coalesce(1)
    theirs = pa.Table.from_batches(door.audit(df).toArrow().to_batches())
    ours = columns.audit(pa.table({"s": array_of(pa, pa.string(), BAD * 300)}))
    assert theirs.column_names == ours.column_names
    assert theirs.sort_by("row").to_pylist() == ours.to_pylist()


def test_a_killed_worker_changes_nothing(spark: Any, tmp_path: Path, once: Path) -> None:
    df = spark.read.parquet(str(parquet(tmp_path, BAD * 100))).repartition(4)
    dying = df.mapInArrow(DyingOnce(once), df.schema)
    theirs = door.repair(dying).toArrow().sort_by("id")
    assert once.exists()
    assert bytes_of(pa, theirs["s"]) == bytes_of(pa, columns.repair(array_of(pa, pa.string(), BAD * 100)))
    once.unlink()
    assert door.audit(df.mapInArrow(DyingOnce(once), df.schema)).count() == 200
    assert once.exists()


def test_text_is_read_as_binary(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_bytes(b"one\ncaf\xe9\nthree\n")
    df = spark.read.text(str(tmp_path / "lines.txt"))
    assert [bytes(row.bytes) for row in door.audit(df).collect()] == [b"\xe9"]
    assert [row.value for row in door.repair(df, "latin-1").collect()] == ["one", "café", "three"]


def test_what_is_wrong_is_said_before_a_job_starts(spark: Any) -> None:
    df = spark.range(3).withColumnRenamed("id", "row")
    with pytest.raises(ValueError, match="errors must be one of"):
        door.repair(df, "ignore")
    with pytest.raises(ValueError, match="there must be one column 'x', not 0"):
        door.audit(df, keys=["x"])
    with pytest.raises(ValueError, match="the report has a column 'row' of its own"):
        door.audit(df, keys=["row"])
    with pytest.raises(LookupError):
        door.audit(df, "utf-9")
    own = eightfold.Form("mine", eightfold.form("utf-8").rows, names=eightfold.form("utf-8").names)
    with pytest.raises(ValueError, match="mine is not one of eightfold's own"):
        door.audit(df, own)


def test_a_fault_that_a_policy_cannot_repair_fails_the_job(spark: Any, tmp_path: Path) -> None:
    df = spark.read.parquet(str(parquet(tmp_path)))
    with pytest.raises(Exception, match="ConversionError"):
        door.repair(df, "strict").collect()
    with pytest.raises(Exception, match="ConversionError"):
        door.repair(df, "strict").write.parquet(str(tmp_path / "fixed"))
    assert not (tmp_path / "fixed" / "_SUCCESS").exists()
    assert list((tmp_path / "fixed").glob("*.parquet")) == []
