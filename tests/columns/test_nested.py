"""Text inside lists, structs, maps, unions, runs and dictionaries: the path and the row of a fault, and its repair."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eightfold
from eightfold import columns
from eightfold.columns.arrow import no_rows
from eightfold.columns.steps import References
from eightfold.columns.unsupported import UnsupportedTypeError
from support.arrow_arrays import addresses
from support.nested_arrays import VALUES, lists, pa, places, text

pc: Any = pytest.importorskip("pyarrow.compute")


def fixed(values: list[bytes]) -> Any:
    return pa.array(values, pa.binary(3))


def members(codes: list[int], inner: Any) -> Any:
    return pa.UnionArray.from_sparse(pa.array(codes, pa.int8()), [inner, pa.nulls(len(inner), pa.int8())])


HOLDERS: dict[str, Any] = {
    "dictionary": lambda inner, shown: pa.DictionaryArray.from_arrays(pa.array(shown, pa.int8()), inner),
    "union": lambda inner, shown: members([0 if row in shown else 1 for row in range(len(inner))], inner),
    "struct": lambda inner, shown: pa.StructArray.from_arrays(
        [inner], ["f"], mask=pa.array([row not in shown for row in range(len(inner))])
    ),
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("policy", ["escape", "replace", "latin-1"])
def test_binary_values_of_one_size_that_no_row_shows_need_not_fit(holder: str, policy: str) -> None:
    values = fixed([b"abc", b"ab\xff", b"\xc3\xa9!", b"a\xff\xfe"])
    array = HOLDERS[holder](values, [0, 2])
    repaired = columns.repair(array, policy)
    repaired.validate(full=True)
    assert columns.audit(repaired).num_rows == 0
    assert repaired.equals(array)
    with pytest.raises(columns.BrokenColumnError, match="does not fit 3 bytes"):
        columns.repair(HOLDERS[holder](values, [0, 1]), policy)


def nested(levels: int, *, wide: bool) -> Any:
    array = text([b"\xff"])
    for _ in range(levels):
        beside = [text([b"\xfe"])] if wide else []
        array = pa.StructArray.from_arrays([*beside, array], ["beside", "s"] if wide else ["s"])
    return array


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("verb", [columns.audit, columns.repair, columns.is_well_formed])
def test_types_that_are_nested_too_deeply_are_refused(verb: Any, wide: bool) -> None:
    verb(nested(100, wide=wide))
    expected = "arrays of types that are nested more than 200 levels deep are not supported"
    for levels in (201, 400, 2000):
        with pytest.raises(UnsupportedTypeError, match=expected):
            verb(nested(levels, wide=wide))
    if verb is not columns.is_well_formed:
        with pytest.raises(UnsupportedTypeError, match=f"column deep: {expected}"):
            verb(pa.table({"a": ["x"], "deep": nested(400, wide=wide)}))


def test_frames_of_pandas_that_are_nested_too_deeply_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    from eightfold.columns import pandas as door  # noqa: F401

    array = nested(400, wide=False)
    series = pandas.Series(pandas.arrays.ArrowExtensionArray(array))
    for verb in ("is_well_formed", "audit", "repair"):
        with pytest.raises(UnsupportedTypeError, match="more than 200 levels deep"):
            getattr(series.eightfold, verb)()


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


def test_lists_whose_first_offset_is_not_zero() -> None:
    array = pa.ListArray.from_arrays(pa.array([1, 3, 4], pa.int32()), text(VALUES))
    assert (array.offset, places(array)) == (0, [("c[0]", 0, b"\xff"), ("c[0]", 1, b"\xfe")])
    fixed = columns.repair(array)
    fixed.validate(full=True)
    assert fixed.to_pylist() == [["\uefff", "café"], ["b\ueffe"]]


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
    hidden = lists(pa.list_, [0, 1, 2], text([b"\xff", b"a"]), nulls=(0,))
    assert columns.repair(hidden, "strict").to_pylist() == [None, ["a"]]
    assert columns.convert(hidden, "utf-8", "utf-16-be").to_pylist() == [None, [b"\0a"]]


@pytest.mark.parametrize("kind", ["list", "fixed", "struct"])
def test_what_a_null_inside_another_array_hides_is_in_no_row(kind: str) -> None:
    mask = pa.array([True, False])
    inner = {
        "list": lists(pa.list_, [0, 1, 2], text([b"\xff", b"\xfe"]), nulls=(0,)),
        "fixed": pa.FixedSizeListArray.from_arrays(text([b"\xff", b"\xfe"]), 1, mask=mask),
        "struct": pa.StructArray.from_arrays([text([b"\xff", b"\xfe"])], ["a"], mask=mask),
    }[kind]
    outer = pa.StructArray.from_arrays([inner], ["o"])
    assert [row for _, row, _ in places(outer)] == [1]
    assert columns.is_well_formed(outer).to_pylist() == [True, False]


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


def test_all_rows_that_refer_to_a_value_are_found_among_nulls() -> None:
    rows = [2, None, 1, 0, None, 1, 2, None, 1]
    references = References(pa.array(rows, pa.int8()), 4, "")
    for value in range(4):
        expected = [row for row, each in enumerate(rows) if each == value]
        assert [row for rows in references.outer(range(value, value + 1)) for row in rows] == expected


def test_a_dictionary_stays_ordered() -> None:
    array = pa.DictionaryArray.from_arrays(pa.array([1, 0]), text([b"\xff", b"ok"]), ordered=True, safe=False)
    for each in (array, pa.chunked_array([array])):
        for changed in (columns.repair(each), columns.convert(each, "utf-8", "utf-8", "replace")):
            assert (changed.type, changed.type.ordered) == (array.type, True)


def test_an_entry_that_no_row_refers_to() -> None:
    array = pa.DictionaryArray.from_arrays(pa.array([0, 0]), text([b"a", b"\xff"]))
    assert places(array) == []
    assert columns.is_well_formed(array).to_pylist() == [True, True]
    with pytest.raises(eightfold.ConversionError):
        columns.repair(pa.DictionaryArray.from_arrays(pa.array([1, 0]), text([b"a", b"\xff"])), "strict")


class Tagged(pa.ExtensionType):  # type: ignore[misc]
    """An extension type that is not registered."""

    def __init__(self, storage: Any) -> None:
        super().__init__(storage, "test.tagged")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: Any, _: bytes) -> Tagged:
        return cls(storage)


UNION = pa.sparse_union([pa.field("a", pa.string()), pa.field("b", pa.int8())])


@pytest.mark.parametrize(
    "type",
    [
        *(pa.list_(pa.run_end_encoded(pa.int32(), pa.string())), pa.list_(pa.string(), 2), pa.map_(*[pa.string()] * 2)),
        *(Tagged(UNION), pa.dense_union([pa.field("u", UNION)]), pa.dictionary(pa.int8(), pa.large_list(pa.string()))),
        pa.struct([pa.field("a", pa.list_(pa.string_view()))]),
    ],
)
def test_a_column_without_chunks(type: Any) -> None:
    column = pa.chunked_array([], type)
    no_rows(type).validate(full=True)
    assert len(columns.is_well_formed(column)) == len(columns.convert(column, "utf-8", "utf-16-le")) == 0
    assert columns.audit(column).num_rows == 0
    assert columns.repair(column) is column


def test_what_is_hidden_in_a_run_need_not_be_repaired() -> None:
    values = lists(pa.list_, [0, 1, 2], text([b"\xff", b"\xed\xa0\xbd\xed\xb8\x80"]), nulls=(0,))
    children = [pa.array([2, 3], pa.int32()), values]
    runs = pa.Array.from_buffers(pa.run_end_encoded(pa.int32(), values.type), 3, [None], children=children)
    fixed = columns.repair(runs, "pairs")
    assert columns.is_well_formed(fixed).to_pylist() == [None, None, True]
    assert fixed[2].as_py() == ["\U0001f600"]


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


def in_lists(runs: Any) -> Any:
    return lists(pa.list_, [0, len(runs)], runs, nulls=(0,))


def in_lists_of_fixed_size(runs: Any) -> Any:
    return pa.Array.from_buffers(pa.list_(runs.type, len(runs)), 1, [pa.py_buffer(b"\0")], children=[runs])


def in_lists_of_lists(runs: Any) -> Any:
    pairs = pa.Array.from_buffers(pa.list_(runs.type, 2), len(runs) // 2, [None], children=[runs])
    return in_lists(pa.Array.from_buffers(pa.struct({"a": pairs.type}), len(pairs), [None], children=[pairs]))


def in_a_union(runs: Any) -> Any:
    number = pa.array([0], pa.int32())
    return in_lists(pa.UnionArray.from_dense(pa.array([0], pa.int8()), number, [runs], ["x"]))


@pytest.mark.parametrize("nested", [in_lists, in_lists_of_fixed_size, in_lists_of_lists, in_a_union])
def test_a_run_of_any_length_that_no_row_shows_costs_nothing(nested: Any) -> None:
    count = 2_000_000
    array = nested(pa.RunEndEncodedArray.from_arrays(pa.array([count], pa.int32()), pa.array([b"\xff"], pa.binary())))
    tracemalloc.start()
    try:
        assert places(array) == []
        assert tracemalloc.get_traced_memory()[1] < count
    finally:
        tracemalloc.stop()


def test_a_value_of_a_run_is_shown_by_the_first_row_that_is_not_hidden() -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 7], pa.int32()), pa.array([b"ok", b"\xff"], pa.binary()))
    assert places(lists(pa.list_, [0, 3, 3, 5, 7], runs, nulls=(0,))) == [("c[0]", 2, b"\xff")]
    assert places(lists(pa.list_, [0, 0, 4, 7], runs)) == [("c[2]", 1, b"\xff")]
    pairs = pa.Array.from_buffers(pa.list_(runs.type, 2), 3, [pa.py_buffer(b"\5")], children=[runs])
    assert places(pairs) == [("c[0]", 2, b"\xff")]
    fields = pa.Array.from_buffers(pa.struct({"a": runs.type}), 7, [pa.py_buffer(b"\x63")], children=[runs])
    assert places(fields) == [("c.a", 5, b"\xff")]
    codes, numbers = pa.array([0, 0, 0], pa.int8()), pa.array([6, 1, 3], pa.int32())
    dense = pa.UnionArray.from_dense(codes, numbers, [runs], ["x"])
    assert places(dense) == [("c.x", 0, b"\xff")]
    assert places(lists(pa.list_, [0, 1, 3], dense, nulls=(0,))) == [("c[1].x", 1, b"\xff")]
    sparse = pa.UnionArray.from_sparse(pa.array([1, 1, 1, 1, 0, 1, 0], pa.int8()), [runs, runs], ["x", "y"])
    assert places(sparse) == [("c.x", 4, b"\xff"), ("c.y", 2, b"\xff")]
    outer = pa.run_end_encoded(pa.int32(), pairs.type)
    outer = pa.RunEndEncodedArray.from_buffers(outer, 9, [None], children=[pa.array([2, 6, 9], pa.int32()), pairs])
    assert places(outer) == [("c[0]", 6, b"\xff")]


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


def test_binary_values_beside_text_in_an_extension_type_of_others_are_left_alone() -> None:
    stored = pa.StructArray.from_arrays([text([b"\xff"]), pa.array([b"\xfe"])], ["text", "data"])
    array = pa.ExtensionArray.from_storage(pa.opaque(stored.type, "pair", "tests"), stored)
    assert places(array) == [("c.text", 0, b"\xff")]
    assert columns.repair(array).storage.to_pylist() == [{"text": "\uefff", "data": b"\xfe"}]


def test_a_dictionary_in_an_extension_type_of_others_is_repaired() -> None:
    stored = pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), text([b"\xff", b"ok"]))
    array = pa.ExtensionArray.from_storage(pa.opaque(stored.type, "category", "tests"), stored)
    assert columns.is_well_formed(array).to_pylist() == [True, None, False]
    for changed in (columns.repair(array), columns.convert(array, "utf-8", "utf-8", "replace")):
        assert changed.type == array.type
        assert columns.is_well_formed(changed).to_pylist() == [True, None, True]
    clean = array[:2].storage.cast(pa.string()).dictionary_encode()
    array = pa.ExtensionArray.from_storage(pa.opaque(clean.type, "category", "tests"), clean)
    assert columns.repair(array) is array


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
