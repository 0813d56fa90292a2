"""Arrays that lie about offsets, references, types or lengths: an answer, or an error that names the row."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from array import array as numbers_array
from typing import Any

import pytest

from eightfold import columns
from support.nested_arrays import VALUES, lists, pa, text


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
    for index in (7, len(VALUES), -1):
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
