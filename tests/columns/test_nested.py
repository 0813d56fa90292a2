"""Text inside lists, structs, maps, unions, runs and dictionaries: the path and the row of a fault, and its repair."""

from __future__ import annotations

import copy
import ctypes
import pickle
import struct
import subprocess
import sys
import tracemalloc
from array import array as numbers_array
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eightfold
from eightfold import columns
from eightfold.columns.unsupported import UnsupportedTypeError
from support.arrow_arrays import addresses, array_of, bytes_of

pa: Any = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'eightfold[arrow]'")
pc: Any = pytest.importorskip("pyarrow.compute")

VALUES = [b"ok", b"\xff", b"caf\xc3\xa9", b"b\xfe"]


def text(values: list[bytes | None], type: Any = None, first: int = 0) -> Any:
    return array_of(pa, type or pa.string(), values, first)


def lists(make: Any, offsets: list[int], values: Any, nulls: tuple[int, ...] = ()) -> Any:
    """Return lists behind two that are sliced off."""
    number = pa.int64() if make is pa.large_list else pa.int32()
    stored = pa.array([0, 0, *offsets], number)
    bits = sum((row not in nulls) << (row + 2) for row in range(len(offsets) - 1)) | 3
    validity = pa.py_buffer(bits.to_bytes(len(offsets) // 8 + 1, "little"))
    whole = pa.Array.from_buffers(
        make(values.type), len(offsets) + 1, [validity, stored.buffers()[1]], children=[values]
    )
    return whole.slice(2)


def places(array: Any, **options: Any) -> list[tuple[str, int, bytes]]:
    report = columns.audit(pa.table({"c": array}), **options).to_pylist()
    return [(fault["column"], fault["row"], fault["bytes"]) for fault in report]


@pytest.mark.parametrize("make", [pa.list_, pa.large_list])
def test_lists(make: Any) -> None:
    array = lists(make, [0, 2, 2, 3, 4], text(VALUES), nulls=(1,))
    assert places(array) == [("c[1]", 0, b"\xff"), ("c[0]", 3, b"\xfe")]
    assert columns.is_well_formed(array).to_pylist() == [False, None, True, False]
    fixed = columns.repair(array)
    fixed.validate(full=True)
    assert (fixed.type, fixed.to_pylist()) == (array.type, [["ok", "\uefff"], None, ["café"], ["b\ueffe"]])
    assert columns.repair(array.slice(2, 1)).to_pylist() == [["café"]]
    assert addresses(columns.repair(array.slice(1, 2))) == addresses(array)


def test_what_a_null_hides_and_a_slice_leaves_out() -> None:
    array = lists(pa.list_, [1, 2, 3, 4], text(VALUES), nulls=(0,))
    assert places(array) == [("c[0]", 2, b"\xfe")]
    assert columns.is_well_formed(array).to_pylist() == [None, True, False]
    assert columns.repair(array).to_pylist() == [None, ["café"], ["b\ueffe"]]
    struct = pa.StructArray.from_arrays([text(VALUES)], ["a"], mask=pa.array([False, True, False, True]))
    assert places(struct) == []
    assert columns.is_well_formed(struct).to_pylist() == [True, None, True, None]
    with_null = columns.repair(lists(pa.list_, [0, 1, 2], text([b"\xff", b"\xfe"]), nulls=(0,)), "replace")
    assert with_null.to_pylist() == [None, ["�"]]


def test_lists_of_fixed_size() -> None:
    array = pa.FixedSizeListArray.from_arrays(text([b"a", b"\xfd", *VALUES]), 2)[1:]
    assert places(array) == [("c[1]", 0, b"\xff"), ("c[1]", 1, b"\xfe")]
    assert columns.is_well_formed(array).to_pylist() == [False, False]
    fixed = columns.repair(array)
    assert (fixed.type, fixed.to_pylist()) == (array.type, [["ok", "\uefff"], ["café", "b\ueffe"]])


def test_structs() -> None:
    fields = [pa.field("a b", pa.string(), metadata={"k": "v"}), pa.field("n", pa.int32())]
    array = pa.StructArray.from_arrays([text(VALUES), pa.array([1, 2, 3, 4], pa.int32())], fields=fields)[1:]
    assert places(array) == [('c."a b"', 0, b"\xff"), ('c."a b"', 2, b"\xfe")]
    fixed = columns.repair(array)
    assert fixed.type.equals(array.type, check_metadata=True)
    assert fixed.to_pylist() == [{"a b": "\uefff", "n": 2}, {"a b": "café", "n": 3}, {"a b": "b\ueffe", "n": 4}]
    clean = pa.array([{"a": "x"}, None, {"a": "y"}])
    assert columns.repair(clean[1:]).to_pylist() == [None, {"a": "y"}]
    masked = pa.StructArray.from_arrays([text(VALUES)], ["a"], mask=pa.array([True, False, False, True]))[1:]
    assert columns.repair(masked).to_pylist() == [{"a": "\uefff"}, {"a": "café"}, None]


def test_maps() -> None:
    array = pa.MapArray.from_arrays([0, 1, 3], text([b"k\xff", b"k", b"l"]), text([b"v", b"v\xfe", b"w"]))
    assert places(array) == [("c[0].key", 0, b"\xff"), ("c[0].value", 1, b"\xfe")]
    assert columns.is_well_formed(array).to_pylist() == [False, False]
    fixed = columns.repair(array)
    assert (fixed.type, fixed.to_pylist()) == (array.type, [[("k\uefff", "v")], [("k", "v\ueffe"), ("l", "w")]])
    assert columns.repair(array[1:]).to_pylist() == [[("k", "v\ueffe"), ("l", "w")]]


@pytest.mark.parametrize("index", [pa.int8(), pa.uint16(), pa.int32(), pa.uint64()])
def test_dictionaries(index: Any) -> None:
    indices = pa.array([2, 1, None, 1, 0, 3], index)
    array = pa.DictionaryArray.from_arrays(indices, text([*VALUES, b"\xfd"]), safe=False)[1:]
    assert places(array) == [("c", 0, b"\xff"), ("c", 4, b"\xfe")]
    assert columns.is_well_formed(array).to_pylist() == [False, None, False, True, False]
    fixed = columns.repair(array)
    assert fixed.type == array.type
    assert fixed.to_pylist() == ["\uefff", None, "\uefff", "ok", "b\ueffe"]
    assert addresses(fixed.indices)[1] == addresses(array.indices)[1]
    clean = pa.array(["a", "b", "a"]).dictionary_encode()
    assert addresses(columns.repair(clean).dictionary) == addresses(clean.dictionary)


def test_an_entry_that_no_row_refers_to() -> None:
    array = pa.DictionaryArray.from_arrays(pa.array([0, 0]), text([b"a", b"\xff"]))
    assert places(array) == []
    assert columns.is_well_formed(array).to_pylist() == [True, True]
    with pytest.raises(eightfold.ConversionError):
        columns.repair(pa.DictionaryArray.from_arrays(pa.array([1, 0]), text([b"a", b"\xff"])), "strict")


@pytest.mark.parametrize("ends", [pa.int16(), pa.int32(), pa.int64()])
def test_runs(ends: Any) -> None:
    array = pc.run_end_encode(text([*[b"a"] * 2, b"\xfe", *[b"b"] * 2, *[b"\xff"] * 4]), run_end_type=ends)
    assert places(array) == [("c", 2, b"\xfe"), ("c", 5, b"\xff")]
    assert columns.is_well_formed(array).to_pylist() == [True, True, False, True, True, *[False] * 4]
    sliced = array[4:8]
    assert places(sliced) == [("c", 1, b"\xff")]
    fixed = columns.repair(sliced)
    fixed.validate(full=True)
    assert (fixed.type, fixed.to_pylist()) == (array.type, ["b", *["\uefff"] * 3])
    assert columns.repair(array[3:5]).to_pylist() == ["b", "b"]
    nulls = pc.run_end_encode(pa.array(["a", None, "b"]))
    assert columns.is_well_formed(nulls).to_pylist() == [True, None, True]
    whole = pa.RunEndEncodedArray.from_arrays(pa.array([2, 4, 5], ends), text([b"\xff", None, b"a"], pa.binary()))
    expected = [False, False, None, None, True]
    for first in range(6):
        for end in range(first, 6):
            assert columns.is_well_formed(whole[first:end]).to_pylist() == expected[first:end]


def test_nulls_in_runs_are_seen_whatever_pyarrow_says_of_them() -> None:
    entries = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
    nested = pa.RunEndEncodedArray.from_arrays(pa.array([1, 3], pa.int32()), entries)
    assert columns.is_well_formed(nested).to_pylist() == [True, None, None]
    assert columns.is_well_formed(entries.take(pa.array([1, 0, None]))[1:]).to_pylist() == [True, None]


@pytest.mark.parametrize("mode", ["sparse", "dense"])
def test_nulls_in_members_of_a_union_are_seen_too(mode: str) -> None:
    entries = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0]), pa.array(["a", None]))
    codes, members = pa.array([0, 0, 0, 1], pa.int8()), [entries, pa.array([None, "b", "c", None])]
    offsets = [pa.array([0, 1, 2, 3], pa.int32())] if mode == "dense" else []
    made = getattr(pa.UnionArray, f"from_{mode}")(codes, *offsets, members)
    for first in range(5):
        assert columns.is_well_formed(made[first:]).to_pylist() == [True, None, None, None][first:]


def union(mode: str) -> Any:
    codes = pa.array([0, 1, 0, 1, 0], pa.int8())
    if mode == "sparse":
        members = [text([b"a", b"\xfd", b"\xff", b"\xfd", b"b"]), text([b"\xfd", b"\xfe", b"", b"c", b""], pa.binary())]
        return pa.UnionArray.from_sparse(codes, members, ["text", "bytes"], [0, 1])
    members = [text([b"\xfd", b"b", b"\xff", b"a"]), text([b"c", b"\xfe"], pa.binary())]
    return pa.UnionArray.from_dense(codes, pa.array([3, 1, 2, 0, 1], pa.int32()), members, ["text", "bytes"], [0, 1])


@pytest.mark.parametrize("kind", ["runs", "dictionary"])
def test_many_rows_of_one_value_need_little_memory(kind: str) -> None:
    count, bad = 2_000_000, pa.array([b"\xff"], pa.binary())
    if kind == "runs":
        array = pa.RunEndEncodedArray.from_arrays(pa.array([count], pa.int32()), bad)
    else:
        array = pa.DictionaryArray.from_arrays(
            pa.Array.from_buffers(pa.int8(), count, [None, pa.py_buffer(bytes(count))]), bad
        )
    tracemalloc.start()
    try:
        verdicts = columns.is_well_formed(array)
        assert tracemalloc.get_traced_memory()[1] < 4 * count
    finally:
        tracemalloc.stop()
    assert (verdicts.false_count, len(verdicts)) == (count, count)


@pytest.mark.parametrize("mode", ["sparse", "dense"])
def test_unions(mode: str) -> None:
    array = union(mode)
    assert places(array) == [("c.text", 2, b"\xff"), ("c.bytes", 1, b"\xfe")]
    assert places(array[2:]) == [("c.text", 0, b"\xff")]
    assert columns.is_well_formed(array).to_pylist() == [True, False, False, True, True]
    assert columns.is_well_formed(array[2:]).to_pylist() == [False, True, True]
    fixed = columns.repair(array)
    assert fixed.type == array.type
    assert fixed.to_pylist() == ["a", "\ueffe".encode(), "\uefff", b"c", "b"]
    assert columns.repair(array[2:]).to_pylist() == ["\uefff", b"c", "b"]
    assert columns.repair(array[3:]).to_pylist() == [b"c", "b"]


def test_nested_in_each_other() -> None:
    inner = pa.StructArray.from_arrays([lists(pa.list_, [0, 1, 2, 3, 4], text(VALUES))], ["tags"])
    array = lists(pa.large_list, [1, 3, 3, 4], inner)
    assert places(array) == [("c[0].tags[0]", 0, b"\xff"), ("c[0].tags[0]", 2, b"\xfe")]
    assert columns.is_well_formed(array).to_pylist() == [False, True, False]
    expected = [[{"tags": ["\uefff"]}, {"tags": ["café"]}], [], [{"tags": ["b\ueffe"]}]]
    assert columns.repair(array).to_pylist() == expected
    assert columns.repair(array, "replace").to_pylist()[2] == [{"tags": ["b�"]}]
    assert columns.convert(pa.array([[["😀"]]]), "utf-8", "cesu-8").type == pa.list_(pa.list_(pa.binary()))


def test_a_strict_policy_names_the_path() -> None:
    table = pa.table(
        {"c": pa.chunked_array([lists(pa.list_, [0, 1], text([b"a"])), lists(pa.list_, [0, 2], text(VALUES[:2]))])}
    )
    with pytest.raises(eightfold.ConversionError) as raised:
        columns.repair(table, "strict")
    assert raised.value.__notes__ == ["column c[1], row 1"]


def test_leaves_come_one_after_the_other_whatever_the_chunks() -> None:
    struct = pa.StructArray.from_arrays([text(VALUES), text(VALUES[::-1])], ["a", "b"])
    whole = columns.audit(pa.table({"c": struct}))
    parts = columns.audit(pa.table({"c": pa.chunked_array([struct[:1], struct[1:1], struct[1:]])}))
    assert parts.to_pylist() == whole.to_pylist()
    assert [fault["column"] for fault in whole.to_pylist()] == ["c.a", "c.a", "c.b", "c.b"]


def test_columns_without_text_are_left_alone() -> None:
    views = pa.array([[1], [2]], pa.list_view(pa.int32()))
    table = pa.table({"views": views, "n": [1, 2], "d": pa.array([1, 2]).dictionary_encode()})
    assert columns.audit(table).num_rows == 0
    assert columns.repair(table).equals(table)


def test_lists_of_views_with_text_are_refused() -> None:
    table = pa.table({"views": pa.array([["a"]], pa.list_view(pa.string()))})
    for verb in (columns.audit, columns.repair):
        with pytest.raises(TypeError, match="column views: arrays of list_view") as raised:
            verb(table)
    raised.value.add_note("a note")
    for copied in (copy.copy(raised.value), copy.deepcopy(raised.value), pickle.loads(pickle.dumps(raised.value))):
        assert isinstance(copied, UnsupportedTypeError)
        assert (copied.type, copied.column) == (table.schema.field("views").type, "views")
        assert (str(copied), copied.__notes__) == (str(raised.value), ["a note"])


UNION = [pa.field("a", pa.string()), pa.field("b", pa.binary_view())]


@pytest.mark.parametrize(
    "type",
    [
        *(pa.dense_union(UNION), pa.sparse_union(UNION), pa.struct([("a", pa.dense_union(UNION))])),
        *(pa.dictionary(pa.int8(), pa.string_view()), pa.run_end_encoded(pa.int32(), pa.string_view())),
        *(pa.list_(columns.carrier()), pa.map_(pa.string(), columns.carrier()), pa.list_(pa.string_view(), 2)),
    ],
    ids=str,
)
def test_zero_rows_and_zero_chunks(type: Any) -> None:
    array = pa.nulls(0, type)
    for empty in (array, pa.chunked_array([array]), pa.chunked_array([], type)):
        assert columns.is_well_formed(empty).type == pa.bool_()
        assert columns.repair(empty) is empty
        assert len(columns.convert(empty, "utf-8", "utf-16-le")) == 0
        columns.convert(empty, "utf-8", "utf-8").validate(full=True)
    batch = pa.RecordBatch.from_arrays([array], ["a"])
    assert columns.repair(batch).schema == batch.schema
    assert columns.audit(batch).num_rows == 0
    table = pa.table({"a": pa.chunked_array([], type)})
    assert columns.repair(table).schema == table.schema
    assert columns.audit(table).num_rows == 0


def test_extension_types_of_others() -> None:
    uuid = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"\xff" * 16], pa.binary(16)))
    json = pa.ExtensionArray.from_storage(pa.json_(pa.string()), text([b'"\xff"']))
    table = pa.table({"uuid": uuid, "json": json})
    assert columns.audit(table)["column"].to_pylist() == ["json"]
    fixed = columns.repair(table)
    assert fixed.schema == table.schema
    assert fixed["json"].chunk(0).storage.to_pylist() == ['"\uefff"']
    assert columns.repair(pa.table({"uuid": uuid})).equals(pa.table({"uuid": uuid}))


# --- what lies --------------------------------------------------------------------------------------------------------


def test_a_conversion_to_utf_8_keeps_an_extension_type_at_the_top_as_inside_others() -> None:
    json = pa.ExtensionArray.from_storage(pa.json_(pa.string()), text([b'"a"', b'"\xff"']))
    for array in (json, pa.chunked_array([json[:1], json[1:]])):
        converted = columns.convert(array, "utf-8", "utf-8", "replace")
        assert converted.type == json.type
        assert converted.to_pylist() == ['"a"', '"�"']
        assert columns.convert(array, "utf-8", "utf-16-be", "replace").type == pa.binary()


def test_a_conversion_takes_the_binary_values_of_carriers_that_are_inside_others() -> None:
    carried = columns.from_pylist(["ok\ud83d", None])
    for array, value in (
        (lists(pa.list_, [0, 1, 2], carried), [[b"ok\xef\xbf\xbd"], [None]]),
        (pa.StructArray.from_arrays([carried], ["a"]), [{"a": b"ok\xef\xbf\xbd"}, {"a": None}]),
        (pa.DictionaryArray.from_arrays([0, 1], carried), [b"ok\xef\xbf\xbd", None]),
    ):
        converted = columns.convert(array, "wtf-8", "utf-8", "replace")
        converted.validate(full=True)
        assert converted.to_pylist() == value
        with pytest.raises(eightfold.ConversionError):
            columns.convert(array, "wtf-8", "utf-8")


def test_a_conversion_makes_binary_values_of_extension_types_that_are_inside_others() -> None:
    json = pa.ExtensionArray.from_storage(pa.json_(pa.string()), text([b'"a"', b'"b"']))
    converted = columns.convert(lists(pa.list_, [0, 1, 2], json), "utf-8", "utf-16-le")
    converted.validate(full=True)
    assert converted.type == pa.list_(pa.binary())
    assert converted.to_pylist() == [['"a"'.encode("utf-16-le")], ['"b"'.encode("utf-16-le")]]
    assert columns.convert(json, "utf-8", "utf-16-le").equals(converted.values)
    assert columns.convert(lists(pa.list_, [0, 1, 2], json), "utf-8", "utf-8").type == pa.list_(json.type)


def test_offsets_of_lists_that_lie() -> None:
    for offsets, row in (([0, 3, 1, 4], 1), ([0, -2, 3, 4], 0), ([0, 9, 3, 4], 0)):
        buffers = [None, pa.py_buffer(numbers_array("i", offsets))]
        array = pa.Array.from_buffers(pa.list_(pa.string()), 3, buffers, children=[text(VALUES)])
        for verb in (columns.audit, columns.repair):
            with pytest.raises(ValueError, match=rf"column c, row {row}: its (offset is|bytes are)"):
                verb(pa.table({"c": array}))


def test_text_in_lists_that_lies_names_the_row_of_the_list() -> None:
    offsets = pa.py_buffer(numbers_array("i", [0, 1, 9, 3, 4]))
    lying = pa.Array.from_buffers(pa.string(), 4, [None, offsets, pa.py_buffer(b"abcd")])
    array = lists(pa.list_, [0, 1, 4], lying)
    with pytest.raises(ValueError, match=r"column c\[0\], row 1: its bytes are outside"):
        columns.audit(pa.table({"c": array}))


def test_references_that_lie() -> None:
    for index in (7, -1):
        array = pa.DictionaryArray.from_arrays(pa.array([0, index], pa.int8()), text(VALUES), safe=False)
        for verb in (columns.audit, columns.repair):
            with pytest.raises(ValueError, match="column c, row 1: it refers to a value that does not exist"):
                verb(pa.table({"c": array}))
    codes, offsets = pa.array([0, 0], pa.int8()), pa.array([0, 99], pa.int32())
    array = pa.UnionArray.from_dense(codes, offsets, [text(VALUES)])
    with pytest.raises(ValueError, match="row 1: it refers to"):
        columns.is_well_formed(array)
    stray = pa.Array.from_buffers(
        array.type, 2, [None, pa.py_buffer(b"\0\5"), offsets.buffers()[1]], children=[text(VALUES)]
    )
    with pytest.raises(ValueError, match="row 1: its type is not one of the union"):
        columns.is_well_formed(stray)


class CArray(ctypes.Structure):
    """The structure ArrowArray of the C data interface, which pyarrow imports without a look at lengths."""


CArray._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(CArray))),
    ("dictionary", ctypes.POINTER(CArray)),
    *((name, ctypes.c_void_p) for name in ("release", "private_data")),
]


def with_a_lie(array: Any, path: tuple[int, ...], **fields: int) -> Any:
    """Return an array in which an array inside it has other fields."""
    outer = CArray()
    array._export_to_c(ctypes.addressof(outer))
    inner = outer
    for at in path:
        inner = inner.children[at].contents
    for name, value in fields.items():
        setattr(inner, name, value)
    return pa.Array._import_from_c(ctypes.addressof(outer), array.type)


def lies() -> dict[str, Any]:
    maps = pa.array([[("a", "x"), ("b", "y")]], pa.map_(pa.string(), pa.string()))
    views, codes = pa.array([b"ok", b"\xff", None], pa.binary_view()), pa.py_buffer(bytes(2))
    member, union = pa.array(["a", "b"]), [pa.field("a", pa.string())]
    return {
        "fewer items than keys": with_a_lie(maps, (0, 1), length=1),
        "fewer keys than items": with_a_lie(maps, (0, 0), length=1),
        "more nulls than views": with_a_lie(pa.array([views.to_pylist()], pa.list_(views.type)), (0,), null_count=5),
        "no types": pa.Array.from_buffers(pa.sparse_union(union), 2, [None, None], children=[member]),
        "no offsets": pa.Array.from_buffers(pa.dense_union(union), 2, [None, codes, None], children=[member]),
    }


@pytest.mark.parametrize("as_table", [False, True])
def test_tables_that_pyarrow_finds_invalid_name_the_column(as_table: bool) -> None:
    batch, outer = pa.record_batch({"a": pa.array([b"ok", None], pa.binary_view())}), CArray()
    batch._export_to_c(ctypes.addressof(outer))
    outer.children[0].contents.null_count = 5
    stray = pa.RecordBatch._import_from_c(ctypes.addressof(outer), batch.schema)
    with pytest.raises(columns.BrokenColumnError, match=r"^column a, row 0: .*[Nn]ull count exceeds"):
        columns.repair(pa.Table.from_batches([stray]) if as_table else stray)


@pytest.mark.parametrize("longer", [0, 1])
def test_maps_with_more_keys_than_items(longer: int) -> None:
    maps = pa.array([[("a", b"\xff")], [("b", b"y")]], pa.map_(pa.string(), pa.binary()))
    array = with_a_lie(with_a_lie(maps.slice(0, 1), (0,), length=1), (0, 1 - longer), length=1)
    array.validate(full=True)
    assert [(fault["column"], fault["row"]) for fault in columns.audit(array).to_pylist()] == [("[0].value", 0)]
    assert columns.is_well_formed(array).to_pylist() == [False]
    assert columns.repair(array, "latin-1").to_pylist() == [[("a", "ÿ".encode())]]


@pytest.mark.parametrize("lie", lies())
def test_what_pyarrow_finds_invalid_names_the_row(lie: str) -> None:
    array = lies()[lie]
    for verb in (columns.audit, columns.is_well_formed, columns.repair):
        with pytest.raises(columns.BrokenColumnError, match=r"^row 0: "):
            verb(array)
    with pytest.raises(columns.BrokenColumnError, match=r"^row 0: "):
        columns.convert(array, "utf-8", "utf-16-le", "replace")


def test_runs_that_lie() -> None:
    type = pa.run_end_encoded(pa.int32(), pa.string())
    for ends in ([2, 2], [3, 1], [0, 4], [-1, 4], [1, 2]):
        children = [pa.array(ends, pa.int32()), text(VALUES[:2])]
        try:
            array = pa.RunEndEncodedArray.from_buffers(type, 4, [None], children=children)
        except pa.ArrowInvalid:
            continue
        with pytest.raises(ValueError, match="run"):
            columns.audit(pa.table({"c": array}))


DAMAGE = """
import random, sys
import pyarrow as pa
import pyarrow.compute as pc
from eightfold import columns

entries = pa.map_(pa.string(), pa.string())
table = pa.table({
    "l": pa.array([["a"], None, ["b", "c"]]), "d": pa.array(["a", "b", None]).dictionary_encode(),
    "m": pa.array([[("k", "v")], None, []], entries), "s": pa.array([{"a": "x"}] * 3),
    "f": pa.array([["a", "b"]] * 3, pa.list_(pa.string(), 2)), "r": pc.run_end_encode(pa.array(["a", "a", "b"])),
    "u": pa.UnionArray.from_sparse(pa.array([0, 0, 0], pa.int8()), [pa.array(["a", "b", "c"])]),
    "v": pa.array(["a" * 20, None, "b"], pa.string_view()),
})
sink = pa.BufferOutputStream()
with pa.ipc.new_stream(sink, table.schema) as writer:
    writer.write_table(table)
whole, chance, read = sink.getvalue().to_pybytes(), random.Random(5), 0
for _ in range(400):
    data = bytearray(whole)
    for _ in range(chance.randint(1, 3)):
        data[chance.randrange(len(data) - 3000, len(data))] = chance.choice([0, 1, 2, 127, 128, 255])
    try:
        damaged = pa.ipc.open_stream(bytes(data)).read_all()
    except (pa.ArrowException, OSError):
        continue
    read += 1
    for verb in (columns.audit, columns.repair, lambda table: list(map(columns.is_well_formed, table.columns))):
        try:
            verb(damaged)
        except (ValueError, TypeError):
            pass
print(read)
"""


def test_damaged_streams_end_in_an_answer_or_an_error() -> None:
    """pyarrow checks little when it reads, and its own functions then read beyond buffers that are too short."""
    done = subprocess.run([sys.executable, "-c", DAMAGE], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 100


# --- any array --------------------------------------------------------------------------------------------------------

LEAF = st.none() | st.binary(max_size=6)
TREES = st.lists(
    st.none() | st.lists(st.none() | st.fixed_dictionaries({"a": LEAF, "b": LEAF}), max_size=3), max_size=6
)
TREE_TYPE = pa.list_(pa.struct([("a", pa.binary()), ("b", pa.large_binary())]))


def repaired(tree: Any) -> Any:
    if isinstance(tree, list):
        return [repaired(each) for each in tree]
    if isinstance(tree, dict):
        return {name: repaired(each) for name, each in tree.items()}
    return tree if tree is None else eightfold.repair.repair(tree)


def texts(tree: Any) -> list[bytes]:
    if isinstance(tree, (list, dict)):
        return [text for each in (tree.values() if isinstance(tree, dict) else tree) for text in texts(each)]
    return [] if tree is None else [tree]


@settings(max_examples=60)
@given(TREES, st.integers(0, 3), st.integers(0, 6))
def test_any_nested_array(trees: Any, start: int, length: int) -> None:
    array, trees = pa.array(trees, TREE_TYPE).slice(start, length), trees[start : start + length]
    assert columns.repair(array).to_pylist() == repaired(trees)
    is_well_formed = [
        None if tree is None else all(eightfold.is_well_formed(each, "utf-8") for each in texts(tree)) for tree in trees
    ]
    assert columns.is_well_formed(array).to_pylist() == is_well_formed
    report = columns.audit(array).to_pylist()
    assert {fault["row"] for fault in report} == {row for row, is_so in enumerate(is_well_formed) if is_so is False}
    for fault in report:
        index, field = fault["column"].removeprefix("[").split("].")
        value = trees[fault["row"]][int(index)][field]
        assert value[fault["start"] : fault["end"]] == fault["bytes"]


# --- values that several rows show, some of which are hidden ----------------------------------------------------------


def views_of(values: list[bytes], rows: list[int | None], first: int) -> Any:
    """Return an array of string views into one buffer, which is a slice behind some others."""
    starts = [sum(map(len, values[:at])) for at in range(len(values))]
    views = [struct.pack("=i4sii", len(value), value[:4], 0, at) for value, at in zip(values, starts, strict=True)]
    shown = [bytes(16) if row is None else views[row] for row in rows]
    valid = sum(1 << first + at for at, row in enumerate(rows) if row is not None)
    parts = (
        valid.to_bytes((first + len(rows)) // 8 + 1, "little"),
        bytes(16 * first) + b"".join(shown),
        b"".join(values),
    )
    return pa.Array.from_buffers(pa.string_view(), len(rows), list(map(pa.py_buffer, parts)), offset=first)


@pytest.mark.parametrize("first", [0, 3, 9])
def test_views_that_share_their_bytes_still_do_in_the_result(first: int) -> None:
    values = [b"longer than a view \xff", b"another long value", b"a third long one \xfe"]
    rows = [None, 1, *[0, 1, None, 2] * 100]
    array = views_of(values, rows, first)
    lists = pa.ListArray.from_arrays([0, 2, len(rows)], array)
    for made, form in (
        (columns.repair(array, "replace"), "utf-8"),
        (columns.repair(lists, "replace").values, "utf-8"),
        (columns.convert(array, "utf-8", "utf-16-le", "replace"), "utf-16-le"),
    ):
        made.validate(full=True)
        expected = [eightfold.convert(value, "utf-8", form, "replace") for value in values]
        assert bytes_of(pa, made) == [None if row is None else expected[row] for row in rows]
        assert sum(each.size for each in made.buffers()[2:]) < 500
    for verb in (columns.repair, lambda given, errors: columns.convert(given, "utf-8", "utf-8", errors)):
        with pytest.raises(eightfold.ConversionError) as caught:
            verb(array, "strict")
        assert caught.value.__notes__ == ["row 2"]


def shared(kind: str) -> tuple[Any, int]:
    """Return four rows of text, of which the first and others show one value, FF; and the second row that does."""
    if kind == "dictionary":
        return pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1], pa.int8()), text([b"\xff", b"ok"])), 2
    if kind == "runs":
        children = [pa.array([3, 4], pa.int16()), text([b"\xff", b"ok"])]
        return pa.Array.from_buffers(pa.run_end_encoded(pa.int16(), pa.string()), 4, [None], children=children), 1
    codes, offsets = pa.array([0] * 4, pa.int8()), pa.array([0, 1, 0, 1], pa.int32())
    return pa.UnionArray.from_dense(codes, offsets, [text([b"\xff", b"ok"])], ["t"]), 2


def hidden_first(kind: str, outer: str) -> tuple[Any, str, int]:
    """Return an array that hides the first row of :func:`shared`; and where FF is shown first."""
    inner, row = shared(kind)
    step = ".t" if kind == "union" else ""
    if outer == "struct":
        masked = pa.StructArray.from_arrays([inner], ["f"], mask=pa.array([True, False, False, False]))
        return masked, f"c.f{step}", row
    return pa.ListArray.from_arrays([0, 1, 4], inner, mask=pa.array([True, False])), f"c[{row - 1}]{step}", 1


@pytest.mark.parametrize("outer", ["struct", "list"])
@pytest.mark.parametrize("kind", ["dictionary", "runs", "union"])
def test_a_value_is_reported_at_the_first_row_that_is_not_hidden(kind: str, outer: str) -> None:
    array, path, row = hidden_first(kind, outer)
    assert places(array) == places(array, limit=1) == [(path, row, b"\xff")]
    assert False in columns.is_well_formed(array).to_pylist()
    for verb in (columns.repair, lambda given, errors: columns.convert(given, "utf-8", "utf-8", errors)):
        with pytest.raises(eightfold.ConversionError) as caught:
            verb(array, "strict")
        assert caught.value.__notes__ == [f"column {path[1:]}, row {row}"]
    assert places(columns.repair(array, "replace")) == []


def test_the_first_row_is_that_of_the_outermost_array() -> None:
    inner = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int8()), text([b"\xff"]))
    structs = pa.StructArray.from_arrays([inner], ["f"])
    assert places(pa.DictionaryArray.from_arrays(pa.array([None, 1, 0], pa.int8()), structs)) == [("c.f", 1, b"\xff")]


def test_faults_of_a_dictionary_are_in_the_order_of_rows() -> None:
    array = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), text([b"\xff\xfe", b"\xfd"]))
    assert places(array) == [("c", 0, b"\xfd"), ("c", 1, b"\xff"), ("c", 1, b"\xfe")]


def test_a_limit_does_not_count_what_is_hidden() -> None:
    mask = pa.array([True, False, True, False, False])
    array = pa.StructArray.from_arrays([text([b"\xff", b"\xfe", b"\xfd", b"\xfc", b"\xfb"])], ["f"], mask=mask)
    for limit in range(5):
        assert places(array, limit=limit) == places(array)[:limit]
    hidden = pa.StructArray.from_arrays([text([b"\xff"])], ["f"], mask=pa.array([True]))
    assert places(hidden, limit=1) == []


def test_the_first_faults_of_a_dictionary_are_those_of_the_first_rows() -> None:
    """They are found in the order of its values, which need not be that of the rows."""
    values = pa.array([b"\xff", b"ab\xfe", b"\xfd", b"c"], pa.binary())
    array = pa.DictionaryArray.from_arrays(pa.array([3, 2, 1, 0, 1]), values)
    whole = [("c", 1, b"\xfd"), ("c", 2, b"\xfe"), ("c", 3, b"\xff")]
    for limit in range(5):
        assert places(array, limit=limit) == whole[:limit], limit
    assert places(array) == whole
    within = lists(pa.list_, [0, 2, 5], array)
    assert [place[1:] for place in places(within, limit=1)] == [(0, b"\xfd")]
