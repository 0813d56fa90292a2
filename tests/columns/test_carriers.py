"""Carriers keep what is not UTF-8: to and from str, through Parquet, IPC, polars and DuckDB."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eightfold
from eightfold import columns
from support.arrow_arrays import array_of

pa: Any = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'eightfold[arrow]'")

VALUES = ["ok\ud83d", None, "", "😀", "\udc00"]
FORMS = [form.name for form in eightfold.forms() if form.unit_bits == 8]
ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=8)


def test_str_lists_come_back() -> None:
    array = columns.from_pylist(VALUES, form="wtf-8")
    assert array.type.extension_name == "eightfold.wtf8"
    assert array.storage.to_pylist() == [
        None if value is None else eightfold.encode(value, "wtf-8") for value in VALUES
    ]
    assert columns.to_pylist(array) == array.to_pylist() == VALUES
    assert columns.to_pylist(pa.chunked_array([array, array[1:3]])) == VALUES + VALUES[1:3]
    assert columns.from_pylist([]).to_pylist() == []
    assert columns.from_pylist(["a\ud83d"], "cesu-8", "replace").to_pylist() == ["a?"]
    with pytest.raises(eightfold.EncodeError):
        columns.from_pylist(["\ud83d"], "utf-8")


@pytest.mark.parametrize("form", FORMS)
def test_each_form_has_one(form: str) -> None:
    assert columns.carrier(form).extension_name == f"eightfold.{form.replace('-', '')}"
    array = columns.from_pylist(["é\x7f", None], form)
    assert (array.type, array.to_pylist()) == (columns.carrier(form), ["é\x7f", None])
    for copied in (pickle.loads(pickle.dumps(array.type)), copy.copy(array.type)):
        assert copied == array.type


@settings(max_examples=50)
@given(st.lists(st.none() | ANY_TEXT, max_size=8))
def test_any_str(values: list[str | None]) -> None:
    array = columns.from_pylist(values, "generalized-utf-8")
    assert array.to_pylist() == values
    assert columns.to_pylist(array.storage, "generalized-utf-8") == values


def test_to_pylist_reads_text_that_others_do_not() -> None:
    array = array_of(pa, pa.string_view(), [b"caf\xe9", None, b"ok"], 2)
    assert columns.to_pylist(array, errors="replace") == ["caf�", None, "ok"]
    with pytest.raises(eightfold.DecodeError):
        columns.to_pylist(array)
    assert columns.to_pylist(array, "xtf-8") == ["caf\uefe9", None, "ok"]
    with pytest.raises(TypeError, match="an array of text"):
        columns.to_pylist(pa.array([1]))


def test_a_form_that_is_given_goes_before_that_of_a_carrier() -> None:
    array = columns.from_pylist(["ok\ud83d", None])
    assert columns.to_pylist(array) == ["ok\ud83d", None]
    assert columns.to_pylist(array, "xtf-8") == ["ok\uefed\uefa0\uefbd", None]


def test_wrong_forms_and_storages() -> None:
    with pytest.raises(ValueError, match="16-bit units"):
        columns.carrier("utf-16-le")
    with pytest.raises(LookupError):
        columns.carrier("utf-9")
    own = eightfold.Form("own", eightfold.form("utf-8").rows, source="a test")
    with pytest.raises(LookupError, match="there is no carrier for own"):
        columns.carrier(own)
    namesake = eightfold.Form("wtf-8", eightfold.form("utf-8").rows, source="a test")
    with pytest.raises(LookupError, match="there is no carrier for wtf-8"):
        columns.carrier(namesake)
    with pytest.raises(TypeError, match="stored as binary"):
        columns.carrier("wtf-8", pa.string())
    for storage in (pa.large_binary(), pa.binary_view()):
        made = columns.carrier("wtf-8", storage)
        assert made.storage_type == storage
        assert pickle.loads(pickle.dumps(made)).storage_type == storage


def test_parquet_and_ipc(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"text": columns.from_pylist(VALUES), "n": list(range(len(VALUES)))})
    parquet.write_table(table, tmp_path / "carried.parquet")
    back = parquet.read_table(tmp_path / "carried.parquet")
    assert back.schema.equals(table.schema)
    assert back["text"].to_pylist() == VALUES
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    assert pa.ipc.open_stream(sink.getvalue()).read_all().equals(table)


def test_a_file_whose_carrier_is_no_binary_is_an_error() -> None:
    field = pa.field("text", pa.string(), metadata={"ARROW:extension:name": "eightfold.wtf8"})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, pa.schema([field])):
        pass
    with pytest.raises(TypeError, match="stored as binary"):
        pa.ipc.open_stream(sink.getvalue()).read_all()


def test_polars() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    table = pa.table({"text": columns.from_pylist(VALUES)})
    frame = polars.DataFrame(table)
    assert frame.filter(polars.int_range(polars.len()) != 1).height == len(VALUES) - 1
    back = pa.table(frame)["text"]
    storage = back.chunk(0).storage if hasattr(back.chunk(0), "storage") else back
    assert columns.to_pylist(storage, "wtf-8") == VALUES


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    table = pa.table({"text": columns.from_pylist(VALUES)})
    with duckdb.connect() as connection:
        connection.register("carried", table)
        back = pa.table(connection.sql("SELECT text FROM carried"))["text"]
    assert columns.to_pylist(back, "wtf-8") == VALUES


def test_carriers_are_audited_in_their_own_form_and_not_repaired() -> None:
    storage = pa.array([b"ok\xed\xa0\xbd", b"\xff", None])
    array = pa.ExtensionArray.from_storage(columns.carrier("wtf-8"), storage)
    table = pa.table({"text": array})
    assert columns.audit(table).select(["row", "kind"]).to_pylist() == [{"row": 1, "kind": "invalid-byte"}]
    assert columns.audit(table, binary=False).num_rows == 1
    assert columns.is_well_formed(array).to_pylist() == [True, False, None]
    assert columns.repair(table).equals(table)
    assert columns.convert(array, "wtf-8", "utf-8", "replace").to_pylist() == ["ok�".encode(), "�".encode(), None]
