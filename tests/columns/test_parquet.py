"""Parquet files: what a copy keeps, and pages that are damaged."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from eightfold import cli
from eightfold.columns.footers import ended
from eightfold.columns.thrift import SCALAR, Reader, binary
from tests.support.table_files import ill_named, opened, strings, written

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.mark.parametrize("is_compliant", [True, False])
def test_the_names_of_the_elements_of_lists_are_kept(is_compliant: bool, tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, "parquet", use_compliant_nested_type=is_compliant)
    fixed = tmp_path / "fixed.parquet"
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert "not kept" not in capsys.readouterr().err
    paths = [[pq.read_metadata(each).schema.column(at).path for at in range(5)] for each in (path, fixed)]
    assert paths[0] == paths[1]
    assert ("tags.list.element" if is_compliant else "tags.list.item") in paths[1]


def test_a_page_that_its_checksum_does_not_fit_is_an_error(tmp_path: Path, capsys: Any) -> None:
    path, given = tmp_path / "data.parquet", pa.table({"name": ["aaaa", "bbbb"]})
    pq.write_table(given, path, write_page_checksum=True, use_dictionary=False, compression="none")
    assert cli.main(["check", str(path)]) == 0
    value = b"\4\0\0\0bbbb"
    data = path.read_bytes()
    assert data.count(value) == 1
    path.write_bytes(data.replace(value, value.replace(b"b", b"c")))
    for command in (["check"], ["repair", "-o", str(tmp_path / "fixed.parquet")]):
        assert cli.main([*command, str(path)]) == 2
        assert f"{path}: row group 0: malformed Parquet" in capsys.readouterr().err


@pytest.mark.parametrize("has_checksums", [True, False])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_the_version_and_the_checksums_of_pages_are_kept(version: str, has_checksums: bool, tmp_path: Path) -> None:
    options = {"data_page_version": version, "write_page_checksum": has_checksums}
    path, fixed = written(tmp_path, "parquet", **options), tmp_path / "fixed.parquet"
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert cli.main(["check", str(fixed)]) == 0
    for each in (path, fixed):
        headers = [first_data_page(each, column) for column in range(pq.read_metadata(each).num_columns)]
        assert {header[1] for header in headers} == {3 if version == "2.0" else 0}
        assert {4 in header for header in headers} == {has_checksums}


def first_data_page(path: Path, column: int) -> dict[int, Any]:
    """Return the header of the first data page of a column."""
    start = pq.read_metadata(path).row_group(0).column(column).data_page_offset
    return Reader(path.read_bytes()[start:]).struct({1: SCALAR, 4: SCALAR})


@pytest.mark.parametrize("as_integers", [True, False])
def test_decimals_stay_numbers_or_bytes(as_integers: bool, tmp_path: Path, capsys: Any) -> None:
    prices = pa.array([1, None, -2], pa.decimal128(9, 2))
    given = pa.table(
        {"name": strings([b"\xff", b"a", b"b"]), "price": prices, "prices": pa.array([[1]] * 3, pa.list_(prices.type))}
    )
    path, fixed = tmp_path / "data.parquet", tmp_path / "fixed.parquet"
    pq.write_table(given, path, store_decimal_as_integer=as_integers)
    assert cli.main(["repair", "--verify", str(path), "-o", str(fixed)]) == 0
    assert "not kept" not in capsys.readouterr().err
    schema = pq.read_metadata(fixed).schema
    expected = "INT32" if as_integers else "FIXED_LEN_BYTE_ARRAY"
    assert [schema.column(at).physical_type for at in (1, 2)] == [expected] * 2
    assert opened(fixed)["price"].equals(given["price"])


def test_pages_where_no_column_has_values(tmp_path: Path) -> None:
    path, fixed = tmp_path / "data.parquet", tmp_path / "fixed.parquet"
    pq.write_table(pa.table({"name": strings([])}), path, data_page_version="2.0")
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert opened(fixed)["name"].to_pylist() == []


def test_entries_that_become_equal_leave_a_dictionary_ordered(tmp_path: Path) -> None:
    kinds = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, None], pa.int32()), strings([b"\xfe", b"b", b"\xff"]), ordered=True, safe=False
    )
    path, fixed = written(tmp_path, "parquet", pa.table({"kind": kinds})), tmp_path / "fixed.parquet"
    assert cli.main(["repair", "--errors", "replace", "--lossy", str(path), "-o", str(fixed)]) == 0
    found = opened(fixed)["kind"]
    assert found.to_pylist() == ["�", "b", "�", None]
    assert pq.read_schema(fixed).field("kind").type.ordered


@pytest.mark.parametrize("index", ["int8", "int32"])
def test_ordered_dictionaries_inside_other_types_are_reported(index: str, tmp_path: Path, capsys: Any) -> None:
    kinds = pa.DictionaryArray.from_arrays(pa.array([0, 1], index), strings([b"\xfe", b"b"]), ordered=True)
    path = written(tmp_path, "parquet", pa.table({"kinds": inside("list", kinds)}))
    assert cli.main(["repair", str(path), "-o", str(tmp_path / "fixed.parquet")]) == 0
    said = capsys.readouterr().err
    assert "not kept: that the values of dictionaries are ordered" in said
    assert ("types of the indices" in said) == (index == "int8")


def test_columns_that_would_have_the_same_name_are_refused_without_a_schema_of_arrow(
    tmp_path: Path, capsys: Any
) -> None:
    schema = pa.schema([pa.field(b"a\xfe", pa.string()), pa.field(b"a\xff", pa.string())])
    given = pa.Table.from_arrays([pa.array(["x"]), pa.array(["y"])], schema=schema)
    path, fixed = written(tmp_path, "parquet", given, store_schema=False), tmp_path / "fixed.parquet"
    assert cli.main(["repair", "--errors", "replace", "--lossy", str(path), "-o", str(fixed)]) == 2
    assert "two columns would have the same name" in capsys.readouterr().err
    assert not fixed.exists()


def test_who_wrote_a_file_is_not_in_a_plan(tmp_path: Path) -> None:
    path, plan = written(tmp_path, "parquet", ill_named()), tmp_path / "plan.jsonl"
    data = path.read_bytes()
    assert data.count(b"parquet-cpp") == 1
    path.write_bytes(data.replace(b"parquet-cpp", b"parquet-\xffpp"))
    assert cli.main(["repair", "--root", str(tmp_path), "--plan", str(plan), str(path)]) == 0
    assert "created by" not in plan.read_text()
    for option in ("--apply", "--undo"):
        assert cli.main(["repair", "--root", str(tmp_path), option, str(plan)]) == 0


STRING = "2500 4c1c0000"
"""ConvertedType UTF8 and LogicalType STRING in an element of a schema, in hex."""
ENUMS = {
    "both": "2508 4c4c0000",
    "converted": "2508",
    "logical": "6c4c0000",
    "long": "050c08 0c14 0c080000",
    "padded": "258800 4c4c0000",
}
"""ConvertedType and LogicalType ENUM, and each alone; with each number of a field in full, and with a longer value."""


@pytest.mark.parametrize("kind", ENUMS)
def test_values_of_an_enum_are_text(kind: str, tmp_path: Path, capsys: Any) -> None:
    path, fixed, plan = tmp_path / "data.parquet", tmp_path / "fixed.parquet", tmp_path / "plan"
    values = strings([b"ok", b"caf\xe9", None])
    tags = pa.ListArray.from_arrays(pa.array([0, 3], pa.int32()), values)
    options = {"store_schema": False, "write_statistics": False}
    pq.write_table(pa.table({"e": values, "tags": pa.concat_arrays([tags] * 3)}), path, **options)
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    footer = data[start:-8].replace(bytes.fromhex(STRING), bytes.fromhex(ENUMS[kind]))
    path.write_bytes(data[:start] + ended(footer))
    assert pq.read_schema(path).field("e").type == pa.binary()
    before = opened(path)["e"].to_pylist()
    assert cli.main(["check", str(path)]) == 1
    cut = "truncated: sequence E9 is cut short by the end of the input"
    places = ["e[1]", *(f"tags[1][{row}]" for row in range(3))]
    assert capsys.readouterr().out.splitlines() == [f"{path}: {place}: {cut}" for place in places]
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert "not kept: type Enum of e, tags.list.element: it is now String" in capsys.readouterr().err
    assert opened(fixed)["e"].to_pylist() == ["ok", "caf\uefe9", None]
    assert cli.main(["check", str(fixed)]) == 0
    root = ["repair", "--root", str(tmp_path)]
    assert cli.main([*root, "--plan", str(plan), str(path)]) == 0
    assert cli.main([*root, "--apply", str(plan)]) == 0
    assert cli.main(["check", str(path)]) == 0
    assert cli.main([*root, "--undo", str(plan)]) == 0
    assert opened(path)["e"].cast(pa.binary()).to_pylist() == before


def test_an_ill_formed_name_of_the_writer_is_repaired_in_place_too(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"name": ["a"]}), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"cpp-arrow version", b"cpp-arr\xff\xfe version"))
    assert cli.main(["check", str(path)]) == 1
    assert "created by: invalid-byte" in capsys.readouterr().out
    assert cli.main(["repair", "--in-place", "--verify", str(path)]) == 0
    assert "1 written and verified: 2 changes, 0 lossy" in capsys.readouterr().err
    assert cli.main(["check", str(path)]) == 0


def test_the_metadata_of_column_chunks(tmp_path: Path, capsys: Any) -> None:
    path, fixed = tmp_path / "data.parquet", tmp_path / "fixed.parquet"
    pq.write_table(pa.table({"s": pa.array([{"n": 1}])}), path, store_schema=False, compression="none")
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    pairs = b"\x19\x1c\x18" + binary(b"caf\xe9") + b"\x18" + binary(b"\xff") + b"\0"
    # Behind the codec, the number of values and two sizes, a field is skipped: that of the metadata.
    chunk = re.compile(rb"(n\x15\0\x16\x02(?:\x16[\x80-\xff]*[\0-\x7f]){2})\x26")
    footer, count = chunk.subn(lambda found: found[1] + pairs + b"\x16", data[start:-8])
    assert count == 1
    path.write_bytes(data[:start] + ended(footer))
    assert opened(path)["s"].to_pylist() == [{"n": 1}]
    assert cli.main(["check", str(path)]) == 1
    owner = f"{path}: row group 0, column s.n, metadata"
    assert capsys.readouterr().out.splitlines() == [
        f"{owner} key 0: truncated: sequence E9 is cut short by the end of the input",
        f"{owner} value 0: invalid-byte: byte FF cannot begin a sequence",
    ]
    assert cli.main(["repair", "--verify", str(path), "-o", str(fixed)]) == 0
    said = capsys.readouterr().err
    assert "not kept: key-value metadata of column chunks" in said
    assert "2 changes, 0 lossy" in said
    assert cli.main(["check", str(fixed)]) == 0


def inside(kind: str, array: Any) -> Any:
    """Return an array that has each two values of another inside one of its own."""
    offsets = pa.array(range(0, len(array) + 1, 2), pa.int32())
    if kind == "list":
        return pa.ListArray.from_arrays(offsets, array)
    if kind == "map":
        return pa.MapArray.from_arrays(offsets, pa.array(range(len(array))), array)
    if kind == "struct":
        return pa.StructArray.from_arrays([array[::2], pa.array(["plain"] * (len(array) // 2))], ["a", "b"])
    return pa.FixedSizeListArray.from_arrays(array, 2)


@pytest.mark.parametrize("index", ["int8", "int32"])
@pytest.mark.parametrize("kind", ["list", "map", "struct", "fixed_size_list"])
def test_dictionaries_inside_other_types(kind: str, index: str, tmp_path: Path, capsys: Any) -> None:
    entries = strings([b"\xfe", b"b", b"\xff"])
    values = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 2, 1, 0], index), entries, safe=False)
    path, fixed = tmp_path / "data.parquet", tmp_path / "fixed.parquet"
    pq.write_table(pa.table({"c": inside(kind, values)}), path, compression="none")
    assert cli.main(["check", str(path)]) == 1
    assert cli.main(["repair", "--verify", "--errors", "replace", "--lossy", str(path), "-o", str(fixed)]) == 0
    is_known = "dictionary" in str(pq.read_schema(path).field("c").type)  # pyarrow 21 reads none in a map
    assert is_known or kind == "map"
    assert ("types of the indices" in capsys.readouterr().err) == (is_known and index == "int8")
    texts = pa.array(["\ufffd", "b", "\ufffd", "\ufffd", "b", "\ufffd"])
    assert ("dictionary<values=string, indices=int32" in str(pq.read_schema(fixed).field("c").type)) == is_known
    assert opened(fixed)["c"].to_pylist() == pa.chunked_array([inside(kind, texts)]).to_pylist()
    metadata = pq.read_metadata(fixed).row_group(0)
    chunk = metadata.column(1 if kind == "map" else 0)
    page = Reader(fixed.read_bytes()[chunk.dictionary_page_offset :]).struct({3: SCALAR})
    assert page[3] == len(b"\3\0\0\0\xef\xbf\xbd\1\0\0\0b")  # and no memory that nobody has set
