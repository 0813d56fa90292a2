"""What the functions and namespaces for polars are asked for reaches the work."""

from __future__ import annotations

from typing import Any

import pytest

import eightfold
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


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("change", ["repair", "convert"])
def test_an_error_in_an_expression_names_fault_and_row(change: str, engine: Any) -> None:
    name = polars.col("name").eightfold
    changed = name.repair("strict") if change == "repair" else name.convert("utf-8", "utf-16-le")
    frame = polars.LazyFrame({"name": [b"ok", b"caf\xe9"]})
    with pytest.raises(UnicodeError, match=r"at 3: sequence E9 is cut short.*row [01]; rows count from the first of"):
        frame.select(changed).collect(engine=engine)


def test_an_error_in_a_lazy_frame_says_that_rows_count_in_a_batch() -> None:
    frame = polars.LazyFrame({"name": [b"ok", b"caf\xe9"]})
    with pytest.raises(eightfold.ConversionError) as caught:
        door.repair(frame, "strict").collect()
    assert caught.value.__notes__[-1] == "rows count from the first of a batch of polars"


def test_a_broken_column_in_an_expression_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: Any) -> Any:
        raise eightfold.columns.BrokenColumnError(1, "its offset is greater than the next", "name")

    monkeypatch.setattr(door, "is_array_well_formed", broken)
    frame = polars.DataFrame({"name": [b"ok"]})
    with pytest.raises(ValueError, match="column name, row 1: its offset is greater than the next; rows count"):
        frame.select(polars.col("name").eightfold.is_well_formed())
