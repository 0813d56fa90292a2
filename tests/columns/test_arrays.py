"""The verbs on arrays of pyarrow: each type of text, slices, chunks, nulls. What does not change keeps its buffers."""

from __future__ import annotations

import codecs
import subprocess
import sys
from array import array as numbers_array
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eightfold
from eightfold import columns
from eightfold.columns import reports
from eightfold.columns.arrow import chunks_of
from support.arrow_arrays import addresses, array_of, bytes_of
from support.handlers import handler

pa: Any = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'eightfold[arrow]'")

TEXT_TYPES = (pa.string(), pa.large_string(), pa.string_view())
BINARY_TYPES = (pa.binary(), pa.large_binary(), pa.binary_view())
TYPES = (*TEXT_TYPES, *BINARY_TYPES)
CLEAN = [b"ok", b"caf\xc3\xa9", None, b"", b"longer than twelve bytes"]
DIRTY = [b"ok", b"caf\xe9", None, b"", b"\xed\xa0\xbd in something longer", b"\xee\xbe\x80"]
VALUES = st.lists(st.none() | st.binary(max_size=16) | st.text(max_size=8).map(str.encode), max_size=12)
POLICIES = ("escape", "replace", "latin-1", "cp1252")


def repaired(values: list[bytes | None], errors: str) -> list[bytes | None]:
    return [None if value is None else eightfold.repair.repair(value, errors=errors) for value in values]


@pytest.mark.parametrize("first", [0, 5])
@pytest.mark.parametrize("type", TYPES, ids=str)
def test_each_type_of_text(type: Any, first: int) -> None:
    array = array_of(pa, type, DIRTY, first)
    assert columns.is_well_formed(array).to_pylist() == [True, False, None, True, False, True]
    report = columns.audit(pa.table({"text": array})).to_pylist()
    assert [(fault["row"], fault["start"], fault["end"], fault["kind"]) for fault in report] == [
        (1, 3, 4, "truncated"),
        (4, 0, 3, "surrogate"),
    ]
    assert [(fault["code_point"], fault["bytes"], fault["at_end"]) for fault in report] == [
        (None, b"\xe9", True),
        (0xD83D, b"\xed\xa0\xbd", False),
    ]
    for errors in POLICIES:
        fixed = columns.repair(array, errors)
        fixed.validate(full=True)
        assert fixed.type == type
        assert bytes_of(pa, fixed) == repaired(DIRTY, errors)


@pytest.mark.parametrize("raised", [ValueError, StopIteration, RuntimeError])
def test_what_a_handler_raises_comes_out_as_it_is(raised: type[Exception]) -> None:
    def raises(error: UnicodeError) -> Any:
        raise raised("mine")

    with handler(raises) as errors, pytest.raises(raised, match=r"^mine$"):
        columns.convert(pa.array(DIRTY), "utf-8", "utf-16-le", errors)


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_what_is_clean_keeps_its_buffers(type: Any) -> None:
    for array in (array_of(pa, type, CLEAN), array_of(pa, type, CLEAN, 5), array_of(pa, type, CLEAN)[1:4]):
        for errors in (*POLICIES, "strict", "pairs"):
            assert addresses(columns.repair(array, errors)) == addresses(array)
        table = pa.table({"text": array, "id": list(range(len(array)))})
        same = columns.repair(table)
        assert same.equals(table)
        assert [addresses(chunk) for column in same.columns for chunk in column.chunks] == [
            addresses(chunk) for column in table.columns for chunk in column.chunks
        ]
        assert addresses(columns.convert(array, "utf-8", "utf-8")) == addresses(array)
        assert addresses(columns.convert(array, "cesu-8", "wtf-8")) == addresses(array)


def test_a_clean_column_beside_a_dirty_one_keeps_its_buffers() -> None:
    table = pa.table(
        {"clean": array_of(pa, pa.string(), [b"a", b"b"]), "dirty": array_of(pa, pa.string(), [b"a", b"\xff"])}
    )
    fixed = columns.repair(table)
    assert addresses(fixed["clean"].chunk(0)) == addresses(table["clean"].chunk(0))
    assert fixed["dirty"].to_pylist() == ["a", "\uefff"]


def test_buffers_of_views_without_a_change_stay() -> None:
    array = array_of(
        pa, pa.string_view(), [b"a value of some length", b"\xff and some more bytes", b"another long value", b"a"]
    )
    fixed = columns.repair(array)
    (first, second), (kept, given_up, new) = array.buffers()[2:], fixed.buffers()[2:]
    assert kept.address == first.address
    assert (len(second) > 0, len(given_up)) == (True, 0)
    assert new.to_pybytes() == b"\xee\xbf\xbf and some more bytes"


def test_buffers_of_views_with_a_change_hold_nothing_ill_formed() -> None:
    """polars checks whole buffers when it makes strings of binary values."""
    array = array_of(pa, pa.binary_view(), [b"\xff and some more bytes", None, b"in the same buffer"], 2)
    fixed = columns.repair(array)
    assert [buffer.to_pybytes() for buffer in fixed.buffers()[4:]] == [
        b"\xee\xbf\xbf and some more bytesin the same buffer"
    ]
    assert len(fixed.buffers()[2]) == 0


def test_what_is_behind_a_null_does_not_matter() -> None:
    for type in TYPES:
        array = array_of(pa, type, [b"a", None, b"b"])
        assert columns.audit(array).num_rows == 0
        assert addresses(columns.repair(array)) == addresses(array)
        assert columns.is_well_formed(array).to_pylist() == [True, None, True]


def test_a_sequence_that_is_cut_between_two_values() -> None:
    array = array_of(pa, pa.string(), [b"caf\xc3", b"\xa9", b"ok"])
    assert columns.is_well_formed(array).to_pylist() == [False, False, True]
    assert [fault["kind"] for fault in columns.audit(array).to_pylist()] == ["truncated", "unexpected-continuation"]


def test_escape_comes_back() -> None:
    for type in TYPES:
        array = array_of(pa, type, DIRTY, 3)
        back = columns.convert(columns.repair(array), "utf-8", "xtf-8")
        assert bytes_of(pa, back) == DIRTY
        assert columns.repair(columns.repair(array)).equals(columns.repair(array)) is False  # escapes are escaped


def test_zero_rows() -> None:
    for type in TYPES:
        for empty in (pa.array([], type), pa.array(["a"]).cast(type)[1:], pa.chunked_array([], type)):
            assert columns.is_well_formed(empty).to_pylist() == []
            assert columns.repair(empty).type == type
            assert columns.convert(empty, "utf-8", "utf-8").type == type
    table = pa.table({"a": pa.chunked_array([], pa.string())})
    assert columns.audit(table).num_rows == 0
    assert columns.repair(table).schema == table.schema
    assert columns.audit(pa.table({})).num_rows == 0


def test_chunks_count_rows_of_the_column() -> None:
    chunks = [
        array_of(pa, pa.string(), [b"a", b"\xff"]),
        array_of(pa, pa.string(), []),
        array_of(pa, pa.string(), [b"\xfe"]),
    ]
    column = pa.chunked_array(chunks)
    assert columns.audit(pa.table({"c": column}))["row"].to_pylist() == [1, 2]
    assert columns.is_well_formed(column).to_pylist() == [True, False, False]
    fixed = columns.repair(column)
    assert (fixed.num_chunks, fixed.to_pylist()) == (3, ["a", "\uefff", "\ueffe"])
    batch = pa.RecordBatch.from_arrays([chunks[0]], ["c"])
    assert columns.repair(batch).column(0).to_pylist() == ["a", "\uefff"]
    assert isinstance(columns.repair(batch), pa.RecordBatch)


STRETCH = [b"abcdefghi caf\xc3\xa9" * 100] * 2000
"""Three megabytes without a change."""


@pytest.mark.parametrize("type", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()], ids=str)
def test_a_long_stretch_without_a_change_keeps_its_buffers(type: Any) -> None:
    values = [b"ok", b"caf\xe9", None, *STRETCH, b"caf\xe8", b"caf\xe7", *STRETCH]
    array = array_of(pa, type, values, 5)
    for before in (array, array[1:-1]):
        expected, table = repaired(bytes_of(pa, before), "latin-1"), pa.table([before], ["c"])
        for after in (columns.repair(table["c"], "latin-1"), columns.repair(table, "latin-1")["c"]):
            after.validate(full=True)
            assert bytes_of(pa, after) == expected
            assert [addresses(chunk) == addresses(before) for chunk in after.chunks] == [False, True, False, True]
            assert sum(chunk.nbytes for chunk in after.chunks if addresses(chunk) != addresses(before)) < 100
        whole = columns.repair(before, "latin-1")
        assert isinstance(whole, pa.Array)
        assert bytes_of(pa, whole) == expected


def test_other_packages_read_what_lies_between_changes() -> None:
    polars, duckdb, pandas = map(pytest.importorskip, ("polars", "duckdb", "pandas"))
    array = array_of(pa, pa.string(), [b"\xff", *STRETCH, b"\xff", *STRETCH, b"\xff"])
    fixed = columns.repair(pa.table({"text": array}), "replace")
    assert fixed["text"].num_chunks == 5
    expected = fixed["text"].to_pylist()
    assert polars.from_arrow(fixed)["text"].to_list() == expected
    assert [text for (text,) in duckdb.sql("SELECT text FROM fixed").fetchall()] == expected
    assert pandas.Series.from_arrow(fixed["text"]).tolist() == expected


@given(
    st.lists(st.none() | st.sampled_from([b"", b"ok", b"\xff", b"caf\xe9", b"longer"]), max_size=40), st.integers(1, 30)
)
def test_pieces_have_the_values_of_the_whole(values: list[bytes | None], piece_bytes: int) -> None:
    array = array_of(pa, pa.string(), values, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("eightfold.columns.splicing._PIECE_BYTES", piece_bytes)
        for policy in ("replace", "latin-1"):
            fixed = columns.repair(pa.chunked_array([array]), policy)
            fixed.validate(full=True)
            assert bytes_of(pa, fixed) == repaired(values, policy)


def test_a_limit_counts_all_columns() -> None:
    table = pa.table({"a": [b"\xff\xff", b"\xff"], "b": [b"\xff", b"\xff"]})
    whole = columns.audit(table)
    for limit in range(7):
        assert columns.audit(table, limit=limit).equals(whole.slice(0, limit))


def test_values_of_fixed_size() -> None:
    array = pa.array([b"abc", b"a\xffb", None, b"\xc3\xa9a"], pa.binary(3))
    assert columns.is_well_formed(array).to_pylist() == [True, False, None, True]
    assert columns.is_well_formed(array[1:]).to_pylist() == [False, None, True]
    with pytest.raises(columns.BrokenColumnError, match="column key, row 1: the repaired value does not fit 3 bytes"):
        columns.repair(pa.table({"key": array}))
    assert columns.repair(pa.table({"key": array}), binary=False)["key"].chunk(0).equals(array)
    assert columns.repair(array[2:]).equals(array[2:])
    assert columns.convert(array, "utf-8", "utf-8", "replace").to_pylist() == [
        b"abc",
        "a�b".encode(),
        None,
        b"\xc3\xa9a",
    ]


def test_values_of_no_bytes_are_not_looked_at_one_by_one() -> None:
    few = pa.array([b"", None, b""], pa.binary(0))
    assert columns.is_well_formed(few).to_pylist() == [True, None, True]
    assert columns.convert(few, "utf-8", "utf-8-sig").to_pylist() == [b"\xef\xbb\xbf", None, b"\xef\xbb\xbf"]
    assert columns.repair(few) is few
    # A file of a few hundred bytes may have so many.
    many = pa.table({"many": pa.Array.from_buffers(pa.binary(0), 2**60, [None, pa.py_buffer(b"")])})
    assert columns.audit(many).num_rows == 0
    for policy in eightfold.repair.POLICIES:
        assert len(columns.repair(many, policy)["many"]) == 2**60


def test_binary_columns_may_be_left_out() -> None:
    table = pa.table({"image": [b"\xff\xd8"], "text": array_of(pa, pa.string(), [b"\xff"])})
    assert columns.audit(table, binary=False)["column"].to_pylist() == ["text"]
    fixed = columns.repair(table, binary=False)
    assert (fixed["image"].to_pylist(), fixed["text"].to_pylist()) == ([b"\xff\xd8"], ["\uefff"])


def test_names_that_are_no_words_and_names_that_are_ill_formed() -> None:
    table = pa.table([pa.array([b"\xff"])] * 3, ["a.b", "", 'quote"'])
    assert columns.audit(table)["column"].to_pylist() == ['"a.b"', '""', '"quote\\""']
    # pyarrow decodes names when they are asked for; so only a file or another library has an ill-formed one.
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, pa.table({"naXme": [b"\xff"]}).schema) as writer:
        writer.write_table(pa.table({"naXme": [b"\xff"]}))
    data = sink.getvalue().to_pybytes().replace(b"naXme", b"na\xffme")
    ill_named = pa.ipc.open_stream(data).read_all()
    assert columns.audit(ill_named)["column"].to_pylist() == ['"na\\\\xffme"']
    assert columns.repair(ill_named).rename_columns(["name"])["name"].to_pylist() == [b"\xee\xbf\xbf"]


# --- conversion -------------------------------------------------------------------------------------------------------


def test_the_type_of_a_conversion() -> None:
    for text, binary in zip(TEXT_TYPES, BINARY_TYPES, strict=True):
        array = array_of(pa, text, [b"ok", "😀".encode()], 2)
        assert columns.convert(array, "utf-8", "cesu-8").type == binary
        assert columns.convert(array, "utf-8", "wtf-8").type == binary
        assert columns.convert(array, "utf-8", "utf-8").type == text
        assert columns.convert(columns.convert(array, "utf-8", "cesu-8"), "cesu-8", "utf-8").type == binary
        assert addresses(columns.convert(array, "utf-8", "wtf-8")) == addresses(array)
    nested = pa.array([["😀"], None, []], pa.list_(pa.string()))
    assert columns.convert(nested, "utf-8", "cesu-8").type == pa.list_(pa.binary())


def test_a_strict_conversion_names_the_row() -> None:
    column = pa.chunked_array([[b"ok"], [b"ok", None, b"a\xff"]])
    with pytest.raises(eightfold.ConversionError) as raised:
        columns.convert(column, "utf-8", "utf-16-le")
    assert (raised.value.start, raised.value.__notes__) == (1, ["row 3"])
    with pytest.raises(eightfold.ConversionError) as raised:
        columns.repair(pa.table({"text": column}), "strict")
    assert raised.value.__notes__ == ["column text, row 3"]


def test_forms_with_signatures() -> None:
    values = [b"\xef\xbb\xbfa", b"\xff", None]
    array = pa.array(values)
    assert columns.is_well_formed(array, "utf-8-sig").to_pylist() == [True, False, None]
    expected = [
        None if value is None else eightfold.convert(value, "utf-8-sig", "utf-16", "replace") for value in values
    ]
    assert columns.convert(array, "utf-8-sig", "utf-16", "replace").to_pylist() == expected
    assert columns.audit(array, "utf-8-sig")["row"].to_pylist() == [1]


def test_a_handler_of_somebody_else() -> None:
    codecs.register_error("columns-test", lambda error: ("<?>", error.end))
    converted = columns.convert(pa.array([b"a\xff", b"b", b"\xe9\xff"]), "utf-8", "utf-16-le", "columns-test")
    assert [value.decode("utf-16-le") for value in converted.to_pylist()] == ["a<?>", "b", "<?><?>"]


@pytest.mark.parametrize("type", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary(1)])
def test_a_slice_of_no_rows_that_another_library_gives_has_no_bits(type: Any) -> None:
    """The interface of C does not say how long buffers are, so pyarrow takes those of no rows to be empty."""
    whole = pa.array([None if row % 2 else b"a" for row in range(40)], pa.binary()).cast(type)
    array = pa.Array._import_from_c_capsule(*whole[33:33].__arrow_c_array__())
    assert array.offset == 33
    assert columns.audit(array).num_rows == 0
    assert columns.repair(array) is array
    assert len(columns.is_well_formed(array)) == len(columns.convert(array, "utf-8", "utf-16-le")) == 0


def test_a_sparse_union_of_no_rows_that_another_library_gives_has_no_codes() -> None:
    """Its members have values although none is shown: here the entry of a dictionary."""
    member = pa.array([b"\xff"] * 3, pa.binary()).dictionary_encode()
    whole = pa.UnionArray.from_sparse(pa.array([0, 0, 0], pa.int8()), [member])
    array = pa.Array._import_from_c_capsule(*whole[2:2].__arrow_c_array__())
    assert array.offset == 2
    repaired = columns.repair(array)
    assert (len(repaired), repaired.type) == (0, whole.type)
    assert columns.audit(repaired).num_rows == len(columns.is_well_formed(array)) == 0


@settings(max_examples=60)
@given(VALUES, st.sampled_from(TYPES), st.sampled_from(POLICIES), st.integers(0, 9))
def test_repair_is_that_of_each_value(values: list[bytes | None], type: Any, errors: str, first: int) -> None:
    assert bytes_of(pa, columns.repair(array_of(pa, type, values, first), errors)) == repaired(values, errors)


@settings(max_examples=60)
@given(VALUES, st.sampled_from(BINARY_TYPES), st.integers(0, 9), st.sampled_from(["replace", "ignore"]))
def test_conversion_is_that_of_each_value(values: list[bytes | None], type: Any, first: int, errors: str) -> None:
    for source, target in (("utf-8", "mutf-8"), ("cesu-8", "utf-8"), ("utf-16-le", "utf-8"), ("wtf-8", "utf-16-be")):
        expected = [None if value is None else eightfold.convert(value, source, target, errors) for value in values]
        assert columns.convert(array_of(pa, type, values, first), source, target, errors).to_pylist() == expected


# --- what comes in ----------------------------------------------------------------------------------------------------


class Capsule:
    """Something with the PyCapsule interface only."""

    def __init__(self, given: Any) -> None:
        self._given = given


class ArrayCapsule(Capsule):
    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        return self._given.__arrow_c_array__(requested_schema)


class StreamCapsule(Capsule):
    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self._given.__arrow_c_stream__(requested_schema)


def test_anything_with_capsules() -> None:
    array = array_of(pa, pa.string(), [b"a", b"\xff"])
    table = pa.table({"c": array})
    for given_array in (
        ArrayCapsule(array),
        StreamCapsule(pa.chunked_array([array])),
        array,
        pa.chunked_array([array]),
    ):
        assert columns.is_well_formed(given_array).to_pylist() == [True, False]
        assert columns.audit(given_array)["row"].to_pylist() == [1]
        assert columns.repair(given_array).to_pylist() == ["a", "\uefff"]
    for given_table in (StreamCapsule(table), table, table.to_reader(), table.to_batches()[0]):
        assert columns.audit(given_table)["column"].to_pylist() == ["c"]
    assert columns.repair(StreamCapsule(table))["c"].to_pylist() == ["a", "\uefff"]


@pytest.mark.parametrize("verb", [columns.audit, columns.repair, columns.is_well_formed])
def test_anything_else_is_refused(verb: Any) -> None:
    for wrong in (["a"], "a", b"a", None, 3):
        with pytest.raises(TypeError, match="PyCapsule"):
            verb(wrong)


def test_what_has_no_text() -> None:
    assert columns.audit(pa.array([1, 2])).num_rows == 0
    assert columns.repair(pa.array([1, 2])).to_pylist() == [1, 2]
    for wrong in (pa.array([1]), pa.array([[1]])):
        with pytest.raises(TypeError, match="an array of text"):
            columns.is_well_formed(wrong)
        with pytest.raises(TypeError, match="an array of text"):
            columns.convert(wrong, "utf-8", "utf-8")
    assert columns.is_well_formed(pa.nulls(2)).to_pylist() == [None, None]


def test_wrong_policies_and_forms() -> None:
    with pytest.raises(ValueError, match="errors must be one of escape"):
        columns.repair(pa.array([b"a"]), "surrogateescape")
    with pytest.raises(LookupError):
        columns.audit(pa.array([b"\xff"]), "utf-9")
    with pytest.raises(LookupError):
        columns.convert(pa.array([b""]), "utf-8", "utf-8", "no-such-policy")


def test_a_lie_names_column_and_row() -> None:
    offsets = numbers_array("i", [0, 5, 2, 3])
    lying = pa.Array.from_buffers(pa.string(), 3, [None, pa.py_buffer(offsets), pa.py_buffer(b"abc")])
    table = pa.table({"n": [1, 2, 3, 4], "text": pa.chunked_array([["a"], lying])})
    for verb in (columns.audit, columns.repair):
        with pytest.raises(ValueError, match=r"column text, row 1: its bytes are outside its buffer"):
            verb(table)
    for verb in (columns.is_well_formed, lambda array: columns.convert(array, "xtf-8", "utf-8")):
        with pytest.raises(ValueError, match=r"^row 0: its bytes are outside its buffer"):
            verb(lying)


def test_32_bit_offsets_that_overflow(monkeypatch: pytest.MonkeyPatch) -> None:
    from eightfold.columns import splicing, values

    def splice(column: Any, *new: Any) -> Any:
        if column.length > 2:
            raise OverflowError("the values no longer fit 32-bit offsets")
        return values.spliced_column(column, *new)

    monkeypatch.setattr(splicing, "spliced_column", splice)
    column = array_of(pa, pa.string(), [b"\xff"] * 5)
    fixed = columns.repair(pa.table({"c": column}))["c"]
    assert (fixed.num_chunks, fixed.to_pylist()) == (3, ["\uefff"] * 5)
    with pytest.raises(OverflowError):
        columns.repair(column)


WITHOUT = """
import sys
for name in ("pyarrow", "polars", "pandas", "duckdb", "numpy"):
    sys.modules[name] = None
import eightfold
assert "eightfold.columns" not in sys.modules
from eightfold import columns
from eightfold.columns import reports
from eightfold.columns import sqlite
try:
    columns.audit([])
except ModuleNotFoundError as error:
    print(error)
"""


def test_the_plain_install_imports() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.startswith("eightfold.columns needs pyarrow: pip install ")


def test_chunks_of_an_array() -> None:
    assert len(list(chunks_of(pa.chunked_array([["a"], ["b"]])))) == 2


def test_a_report_is_longer_than_the_offsets_of_one_array_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "_MOST_BYTES", 10)
    nested = pa.array([[b"\xff"]] * 7, pa.list_(pa.binary()))
    found = columns.audit(pa.table({"name": [b"\xff"] * 7, "list": nested}))
    assert found["column"].to_pylist() == ["name"] * 7 + ["list[0]"] * 7
    assert found["column"].num_chunks > 2
    assert found["row"].to_pylist() == [*range(7)] * 2
    assert columns.audit(pa.table({"name": [b"\xff"] * 7}), limit=5)["row"].to_pylist() == [*range(5)]
