"""Values that changes put into a table are in their places and nowhere else, or a plan for other values is refused."""

from __future__ import annotations

from typing import Any

import pytest

from eightfold.columns.differences import changes_between, is_same
from eightfold.columns.putting import with_values
from eightfold.files.records.table_changes import ValueChange
from eightfold.repair import PlanError
from tests.support.table_files import strings

pa: Any = pytest.importorskip("pyarrow")


def put(leaf: int, at: int, old: bytes, new: bytes) -> ValueChange:
    return ValueChange("", 0, None, leaf, at, old, new)


def dictionary(indices: list[int | None], ordered: bool = False) -> Any:
    given = pa.array(indices, pa.int8())
    return pa.DictionaryArray.from_arrays(given, strings([b"a", b"\xff"]), ordered=ordered, safe=False)


def test_rows_that_share_an_entry_of_a_dictionary_change_one_by_one() -> None:
    given = pa.table({"kind": dictionary([0, 1, 1, None, 1, 0], ordered=True)})
    changes = [put(0, 1, b"\xff", b"x"), put(0, 2, b"\xff", b"y"), put(0, 5, b"a", b"x")]
    made = with_values(given, changes, old=False)
    column = made["kind"].combine_chunks()
    texts = column.dictionary.cast(pa.binary()).take(column.indices)
    assert texts.to_pylist() == [b"a", b"x", b"y", None, b"\xff", b"x"]
    assert (column.type, column.type.ordered) == (given["kind"].type, True)
    assert is_same(with_values(made, changes, old=True), given)


def test_all_rows_of_an_entry_change_with_it() -> None:
    given = pa.table({"kind": dictionary([0, 1, None, 1])})
    made = with_values(given, [put(0, at, b"\xff", b"x") for at in (1, 3)], old=False)
    column = made["kind"].combine_chunks()
    assert (column.dictionary.to_pylist(), column.to_pylist()) == (["a", "x"], ["a", "x", None, "x"])


def test_entries_change_in_any_order_of_their_rows() -> None:
    given = pa.table({"kind": dictionary([1, 0])})
    made = with_values(given, [put(0, 0, b"\xff", b"longer"), put(0, 1, b"a", b"")], old=False)
    assert made["kind"].to_pylist() == ["longer", ""]


@pytest.mark.parametrize(
    "wrong",
    [
        put(0, 0, b"b", b"new"),
        put(0, 6, b"a", b"new"),
        put(0, 2, b"", b"new"),
        put(1, 0, b"\xff", b"new"),
        put(1, 3, b"a", b"new"),
        put(1, 4, b"a", b"new"),
        put(2, 0, b"a", b"new"),
    ],
)
def test_what_is_not_there_is_not_replaced(wrong: ValueChange) -> None:
    names = pa.chunked_array([strings([b"a", b"b", None]), strings([b"a"])])
    given = pa.table({"number": [1, 2, 3, 4], "name": names, "kind": dictionary([0, 0, 1, None])})
    for changes in ([wrong], [put(0, 1, b"b", b"fine"), put(1, 2, b"\xff", b"fine"), wrong]):
        with pytest.raises(PlanError, match="the plan is for other values"):
            with_values(given, changes, old=False)


def test_places_count_over_all_chunks() -> None:
    names = pa.chunked_array([strings([b"a", None]), strings([]), strings([b"a", b"a", b"a"]), strings([b"a"])])
    given = pa.table({"name": names, "other": names})
    changes = [put(0, 3, b"a", b"x"), put(1, 0, b"a", b"y"), put(1, 5, b"a", b"z")]
    made = with_values(given, changes, old=False)
    assert made["name"].to_pylist() == ["a", None, "a", "x", "a", "a"]
    assert made["other"].to_pylist() == ["y", None, "a", "a", "a", "z"]
    found = [(each.column, each.row, each.leaf, each.at) for each in changes_between(given, made, 0)]
    assert found == [("name", 3, 0, 3), ("other", 0, 1, 0), ("other", 5, 1, 5)]
    assert with_values(made, changes, old=True).equals(given)


def test_rows_count_over_all_chunks_in_lists_too() -> None:
    def lists(*values: bytes) -> Any:
        first = pa.ListArray.from_arrays([0, 1], strings([values[0]]))
        second = pa.ListArray.from_arrays([0, 0, 2], strings([*values[1:]]))
        return pa.table({"tags": pa.chunked_array([first, second])})

    found = list(changes_between(lists(b"a", b"b", b"c"), lists(b"a", b"b", b"x"), 0))
    assert [(each.column, each.row, each.at, each.old) for each in found] == [("tags[1]", 2, 2, b"c")]


def of_chunks(*chunks: tuple[list[bytes | None], list[int | None]]) -> Any:
    arrays = [
        pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), strings(entries), safe=False)
        for entries, indices in chunks
    ]
    return pa.table({"kind": pa.chunked_array(arrays)})


def test_rows_of_dictionaries_are_compared_however_these_are_laid_out() -> None:
    before = of_chunks(([b"a", b"\xff", None, b"a"], [0, 3, 1]), ([b"\xff"], []), ([b"b", b"\xff"], [1, None, 0]))
    after = of_chunks(([b"b", b"?", b"a", None, b"x"], [2, 2, 1, 1, 3]), ([b"x"], [0]))
    found = list(changes_between(before, after, 0))
    assert [(each.row, each.at, each.old, each.new) for each in found] == [
        (2, 2, b"\xff", b"?"),
        (3, 3, b"\xff", b"?"),
        (5, 5, b"b", b"x"),
    ]
    assert is_same(before, of_chunks(([b"\xff", b"a", b"b"], [1, 1, 0, 0, None, 2])))


def test_the_value_that_many_rows_show_is_not_repeated_for_each() -> None:
    size, rows = 1 << 20, 200
    indices = pa.array([0] * (rows - 1) + [1], pa.int8())
    before, after = (
        pa.table({"kind": pa.DictionaryArray.from_arrays(indices, strings([b"a" * size, end]), safe=False)})
        for end in (b"\xff", b"?")
    )
    usual, counting = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(counting)
    try:
        found = list(changes_between(before, after, 0))
        assert is_same(after, after)
    finally:
        pa.set_memory_pool(usual)
    assert [(each.row, each.old, each.new) for each in found] == [(rows - 1, b"\xff", b"?")]
    assert counting.max_memory() < 20 * size


@pytest.mark.parametrize("other", [["a", None, "c"], ["a", "b"]])
def test_other_rows_are_no_change_of_values(other: list[str | None]) -> None:
    before = pa.table({"name": strings([b"a", b"b", b"c"])})
    with pytest.raises(PlanError, match="other rows"):
        list(changes_between(before, pa.table({"name": other}), 0))


NAN = float("nan")
FLOATS = [NAN, 2.0]


def runs(*ends: int) -> Any:
    return pa.RunEndEncodedArray.from_arrays(pa.array(ends, pa.int32()), pa.array(FLOATS))


def union(*codes: int) -> Any:
    return pa.UnionArray.from_sparse(pa.array(codes, pa.int8()), [pa.array(FLOATS), pa.array(FLOATS)])


def lists(values: list[Any]) -> Any:
    return pa.array(values, pa.list_(pa.float64()))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (dictionary([0, 1, 0]), dictionary([0, 0, 0])),
        (dictionary([0, None]), dictionary([0, 1])),
        (lists([[NAN], [2.0]]), lists([[NAN, 2.0], []])),
        (lists([[NAN], None]), lists([[NAN], []])),
        (pa.array([None, {"a": NAN}]), pa.array([{"a": None}, {"a": NAN}])),
        (pa.array([{"a": NAN, "b": 1}]), pa.array([{"a": NAN, "b": 2}])),
        (union(0, 1), union(1, 1)),
        (runs(1, 3), runs(2, 3)),
        (pa.array([1, 2], pa.int8()), pa.array([1, 2], pa.int16())),
        (pa.array([1.0]), pa.array([1.0]).view(pa.int64())),
        (dictionary([0, 1]), dictionary([0, 1], ordered=True)),
    ],
)
def test_what_differs_is_not_the_same(one: Any, other: Any) -> None:
    for given in (one, other):
        assert is_same(pa.table({"a": given}), pa.table({"a": given}))
    assert not is_same(pa.table({"a": one}), pa.table({"a": other}))


def test_tables_of_other_rows_or_columns_are_not_the_same() -> None:
    one, two = pa.table({"a": [1]}), pa.table({"a": [1], "b": [1]})
    assert not is_same(one, two)
    assert not is_same(two, one)
    rows = [pa.RecordBatch.from_struct_array(pa.array([{}] * count, pa.struct([]))) for count in (2, 2, 3)]
    assert is_same(rows[0], rows[1])
    assert not is_same(rows[0], rows[2])
