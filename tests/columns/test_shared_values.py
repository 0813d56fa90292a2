"""Values that several rows show, some of which are hidden: what is reported at which row, and what is changed once."""

from __future__ import annotations

import struct
from typing import Any

import pytest

import eightfold
from eightfold import columns
from support.arrow_arrays import bytes_of
from support.nested_arrays import lists, pa, places, text


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
