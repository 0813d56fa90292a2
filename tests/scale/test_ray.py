"""Ray Data: every bad value of a Dataset is found and repaired by workers, and none becomes a Python value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eightfold import columns
from eightfold.columns import ray as door
from support.arrow_arrays import array_of, bytes_of
from support.workers import DyingOnce

pa: Any = pytest.importorskip("pyarrow", reason="pyarrow is not installed: make test-scale")
pq: Any = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.filterwarnings("ignore")

BAD = [b"ok", b"caf\xe9", None, b"\xed\xa0\xbd in something longer", "\uef80".encode()]


def table(values: Any = BAD) -> Any:
    return pa.table({"id": list(range(len(values))), "s": array_of(pa, pa.string(), values)})


def arrow_of(ray: Any, ds: Any) -> Any:
    return pa.concat_tables([block for block in ray.get(ds.to_arrow_refs()) if block.num_rows])


def test_smoke(ray: Any) -> None:
    ds = ray.data.from_arrow([table(), table()])
    report = arrow_of(ray, door.audit(ds, keys=["id"]))
    assert report.column_names == ["id", *columns.audit(table()).column_names]
    assert report["id"].to_pylist() == [1, 3] * 2
    assert report["bytes"].to_pylist() == [b"\xe9", b"\xed\xa0\xbd"] * 2
    fixed = arrow_of(ray, door.repair(ds))
    assert fixed.schema.equals(table().schema)
    assert fixed["s"].to_pylist() == columns.repair(table())["s"].to_pylist() * 2


def test_a_killed_worker_changes_nothing(ray: Any, tmp_path: Path, once: Path) -> None:
    pq.write_table(table(BAD * 100), tmp_path / "data.parquet", row_group_size=50)
    ds = ray.data.from_arrow(table(BAD * 100)).map_batches(DyingOnce(once).batch, batch_format="pyarrow")
    fixed = arrow_of(ray, door.repair(ds))
    assert once.exists()
    assert bytes_of(pa, fixed["s"]) == bytes_of(pa, columns.repair(table(BAD * 100))["s"])


def test_the_report_equals_that_of_columns(ray: Any) -> None:
    theirs = arrow_of(ray, door.audit(ray.data.from_arrow(table(BAD * 300))))
    assert theirs.equals(columns.audit(table(BAD * 300)))


def test_parquet_is_read_and_written(ray: Any, tmp_path: Path) -> None:
    pq.write_table(table(), tmp_path / "data.parquet")
    ds = ray.data.read_parquet(str(tmp_path / "data.parquet"))
    door.repair(ds).write_parquet(str(tmp_path / "fixed"))
    fixed = pq.read_table(tmp_path / "fixed")
    fixed.validate(full=True)
    assert fixed["s"].to_pylist() == columns.repair(table())["s"].to_pylist()


def test_what_is_wrong_is_said_before_a_job_starts(ray: Any) -> None:
    ds = ray.data.from_arrow(table())
    with pytest.raises(ValueError, match="errors must be one of"):
        door.repair(ds, "ignore")
    with pytest.raises(ValueError, match="there must be one column 'x', not 0"):
        door.audit(ds, keys=["x"])
    with pytest.raises(LookupError):
        door.audit(ds, "utf-9")


def test_a_fault_that_a_policy_cannot_repair_fails_the_job(ray: Any) -> None:
    with pytest.raises(Exception, match="ConversionError"):
        door.repair(ray.data.from_arrow(table()), "strict").materialize()


def test_pickled_text_is_refused_by_name(ray: Any) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [1, 2], "s": pandas.Series(["caf\ud83d", "ok"], dtype=object)})
    ds = ray.data.from_pandas(frame)
    for job in (door.audit(ds), door.audit(ds, binary=False), door.repair(ds, "strict")):
        with pytest.raises(Exception, match=r"column s: .*pickled Python objects"):
            job.materialize()


def test_a_dataset_without_rows_has_an_empty_report(ray: Any) -> None:
    assert door.audit(ray.data.from_items([]), keys=["id"]).take_all() == []
