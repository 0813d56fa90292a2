"""What the functions and namespaces for polars are asked for reaches the work."""

from __future__ import annotations

from typing import Any

import pytest

from support.arrow_arrays import array_of

pa: Any = pytest.importorskip("pyarrow")
polars: Any = pytest.importorskip("polars")
door: Any = pytest.importorskip("eightfold.columns.polars")


def test_polars_binary_columns_may_be_left_out() -> None:
    text = polars.from_arrow(array_of(pa, pa.string(), [b"caf\xe9"])).alias("text")
    frame = polars.DataFrame([text, polars.Series("data", [b"\xff"])])
    for given in (frame, frame.lazy()):
        assert door.audit(given, binary=False)["column"].to_list() == ["text"]
        repaired = door.repair(given, binary=False)
        repaired = repaired.collect() if isinstance(repaired, polars.LazyFrame) else repaired
        assert repaired.row(0) == ("caf\uefe9", b"\xff")


def test_polars_series_are_audited_in_the_form_that_is_asked_for() -> None:
    series = polars.Series("x", [b"ok", "😀".encode(), b"\xed\xa0\xbd\xed\xb8\x80"])
    assert set(series.eightfold.audit()["row"].to_list()) == {2}
    assert set(series.eightfold.audit("cesu-8")["row"].to_list()) == {1}
