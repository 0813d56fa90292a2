"""Footers of Parquet and the page indexes behind them, read as Thrift writes them; and those that lie."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from eightfold import cli
from eightfold.columns.footers import Footer, PageIndex, ended, put_back_in, repaired_texts
from eightfold.columns.thrift import SCALAR, MalformedError, Reader, binary
from eightfold.files.records.table_changes import TextChange
from tests.support.peaks import peak
from tests.support.table_files import said, strings

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def test_bounds_in_the_page_index(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"name": ["aaa", "zzzz"]}), path, write_page_index=True, use_dictionary=False)
    assert cli.main(["check", str(path)]) == 0
    footer = footers_of(path)
    assert [(each.name, each.data) for index in footer.page_indexes() for each in bounds_of(path, index)] == [
        ("min_values of page 0", b"aaa"),
        ("max_values of page 0", b"zzzz"),
    ]
    (index,) = footer.page_indexes()
    data = path.read_bytes()
    there = data[index.start : index.start + index.length]
    path.write_bytes(data.replace(there, there.replace(b"zzzz", b"zz\xc3\xc3")))
    capsys.readouterr()
    assert cli.main(["check", str(path)]) == 1
    lines = said(capsys)[0]
    place = "statistics of name, row group 0, max_values of page 0"
    assert lines[0].startswith(f"{place}: truncated: sequence C3 is cut short")
    assert len(lines) == 2
    assert cli.main(["repair", "--in-place", "--backup", ".old", str(path)]) == 0
    assert cli.main(["check", str(path)]) == 0
    (index,) = footers_of(path).page_indexes()
    assert [each.data for each in bounds_of(path, index)] == [b"aaa", b"zzzz"]


@pytest.mark.parametrize("there", [b"\xff" * 8, b"\x19\xfc", b""])
def test_a_page_index_that_lies_is_an_error_with_its_row_group(there: bytes, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"name": ["aaa", "zzzz"]}), path, write_page_index=True, use_dictionary=False)
    (index,) = footers_of(path).page_indexes()
    data = path.read_bytes()
    lie = there.ljust(index.length, b"\xff")
    path.write_bytes(data[: index.start] + lie + data[index.start + index.length :])
    assert cli.main(["check", str(path)]) == 2
    assert "row group 0: malformed Parquet, or not supported: its metadata" in capsys.readouterr().err


def test_page_indexes_of_more_bytes_than_the_file_has_are_an_error(tmp_path: Path, capsys: Any) -> None:
    path = with_an_index(tmp_path, number(1 << 20))
    assert cli.main(["check", str(path)]) == 2
    assert "row group 0: malformed Parquet, or not supported: its page indexes take" in capsys.readouterr().err


@pytest.mark.parametrize("length", [b"\0", b"\1"], ids=["0", "-1"])
def test_a_page_index_without_bytes_is_none(length: bytes, tmp_path: Path) -> None:
    path = with_an_index(tmp_path, length)
    assert list(footers_of(path).page_indexes()) == []
    assert cli.main(["check", str(path)]) == 0


def with_an_index(folder: Path, length: bytes) -> Path:
    """Return a file of Parquet in which a page index has another length, in Thrift's compact protocol."""
    path = folder / "data.parquet"
    pq.write_table(pa.table({"name": ["aaa", "zzzz"]}), path, write_page_index=True, use_dictionary=False)
    (index,) = footers_of(path).page_indexes()
    place = b"\x16" + number(index.start) + b"\x15"
    data, there = path.read_bytes(), place + number(index.length)
    assert data.count(there) == 1
    size = int.from_bytes(data[-8:-4], "little") + len(length) - len(number(index.length))
    path.write_bytes(data[:-8].replace(there, place + length) + size.to_bytes(4, "little") + data[-4:])
    return path


def test_columns_behind_nested_ones_have_paths_of_their_own(tmp_path: Path) -> None:
    inner = pa.struct([pa.field("a", pa.string()), pa.field("deep", pa.struct([pa.field("b", pa.string())]))])
    schema = pa.schema([pa.field("s", inner), pa.field(b"caf\xe9", pa.string()), pa.field("z", pa.string())])
    values = [pa.array([{"a": "1", "deep": {"b": "2"}}], inner), pa.array(["3"]), strings([b"\xff"])]
    path, fixed = tmp_path / "data.parquet", tmp_path / "f.parquet"
    pq.write_table(pa.Table.from_arrays(values, schema=schema), path)
    found = [(each.top, each.path) for each in footers_of(path).statistics() if each.name == "max_value"]
    assert [place for place in found if place[0] != 2] == [(0, "s.a"), (0, "s.deep.b"), (1, "caf\\xe9")]
    assert footers_of(path).text_columns == {0, 1, 2, 3}
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    metadata = pq.read_metadata(fixed).row_group(0)
    assert [metadata.column(at).path_in_schema for at in range(4)] == ["s.a", "s.deep.b", "caf\uefe9", "z"]
    row = {"s": {"a": "1", "deep": {"b": "2"}}, "caf\uefe9": "3", "z": "\uefff"}
    assert pq.read_table(fixed).to_pylist() == [row]


@pytest.mark.parametrize("converted", range(22))
def test_which_converted_types_hold_text(converted: int) -> None:
    leaf = b"\x48" + binary(b"a") + b"\x25" + bytes([2 * converted]) + b"\0"
    assert footers(schema_of(leaf)).text_columns == ({0} if converted in (0, 4, 19) else set())


@pytest.mark.parametrize("logical", range(1, 15))
def test_which_logical_types_hold_text(logical: int) -> None:
    leaf = b"\x48" + binary(b"a") + b"\x6c" + bytes([logical << 4 | 12]) + b"\0\0\0"
    assert footers(schema_of(leaf)).text_columns == ({0} if logical in (1, 4, 12) else set())


def schema_of(leaf: bytes) -> bytes:
    """Return a footer with a schema of a root and one column."""
    return b"\x29\x2c" + b"\x48" + binary(b"root") + b"\x15\x02\0" + leaf + b"\0"


def test_only_a_text_that_is_as_the_changes_say_is_put_back(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"name": ["a"]}), path)
    data = path.read_bytes()[4:]
    put_back = TextChange("column name 1", b"n\xffme", b"name")
    assert b"n\xffme" in put_back_in(data, [put_back])
    for wrong in (replace(put_back, new=b"other"), replace(put_back, place="column name 2")):
        with pytest.raises(MalformedError, match=r"column name [12] cannot be put back"):
            put_back_in(data, [wrong])


def test_a_schema_of_arrow_without_a_change_is_kept_as_it_was_written(tmp_path: Path) -> None:
    path, given = tmp_path / "data.parquet", pa.table({"name": ["a"]})
    # Messages had no mark before Arrow 0.15: pyarrow reads them, and writes others.
    old = b64encode(given.schema.serialize().to_pybytes()[4:])
    with pq.ParquetWriter(path, given.schema, store_schema=False) as writer:
        writer.write_table(given)
        writer.add_key_value_metadata({b"ARROW:schema": old, b"k": b"v"})
    assert repaired_texts(footers_of(path), lambda text: text) == {}
    changed = repaired_texts(footers_of(path), lambda text: text.replace(b"name", b"renamed"))
    assert [*changed] == ["column name 1", "metadata value 0"]


@pytest.mark.parametrize("value", [0, 1, -1, 63, 64, -64, -65, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("kind", [4, 5, 6])
def test_integers_of_thrift_have_a_sign(value: int, kind: int) -> None:
    zigzag, digits = value << 1 ^ value >> 63, bytearray()
    while zigzag > 127:
        digits.append(zigzag & 127 | 128)
        zigzag >>= 7
    digits.append(zigzag)
    # The second field has the number of its own, 1000, and the third one that counts from there.
    fields = bytes([0x10 | kind]) + digits + bytes([kind, 0xD0, 0x0F]) + digits + bytes([0x20 | kind]) + digits
    wanted = dict.fromkeys((1, 1000, 1002), SCALAR)
    assert Reader(fields + b"\0").struct(wanted) == {1: value, 1000: value, 1002: value}


@pytest.mark.parametrize("length", [0, 1, 127, 128, 129, 16383, 16384])
def test_bytes_of_thrift_of_any_length(length: int) -> None:
    data = b"a" * length
    assert Reader(b"\x18" + binary(data) + b"\0").struct({1: SCALAR})[1].data == data


VALUES_OF_THRIFT = [
    *("11", "12", "13 7f", "14 03", "15 03", "16 03", f"17 {'ff' * 8}", "18 01 61", "19 21 01 02", "1a 13 7f"),
    *("1b 00", "1b 01 85 01 61 03", "1c 15 03 00", f"1d {'ff' * 16}"),
]


@pytest.mark.parametrize("shape", [None, SCALAR, [SCALAR], [{1: SCALAR}], {1: SCALAR}])
def test_every_kind_of_value_of_thrift_is_read_or_passed_over(shape: Any) -> None:
    data = bytes.fromhex("".join((*VALUES_OF_THRIFT, "15 04", "00")))
    last = len(VALUES_OF_THRIFT) + 1
    wanted = {} if shape is None else dict.fromkeys(range(1, last), shape)
    fields = Reader(data).struct({**wanted, last: SCALAR})
    assert fields.pop(last) == 2
    match shape:
        case None:
            assert fields == {}
        case "scalar":
            assert list(fields) == [1, 2, 3, 4, 5, 6, 7, 8, 14]
            assert [fields[number] for number in (1, 2, 4, 5, 6)] == [True, False, -2, -2, -2]
            assert fields[8].data == b"a"
        case ["scalar"]:
            assert fields == {9: [True, False], 10: [b"\x7f"]}
        case [_]:
            assert fields == {9: [], 10: []}
        case _:
            assert fields == {13: {1: -2}}


MANY = 20_000
LENGTH = binary(bytes(MANY))[:-MANY]


@pytest.mark.parametrize("field", [b"\x19", b"\x59", b"\x79"], ids=["version", "pairs", "unknown"])
@pytest.mark.parametrize(
    "values",
    [
        pytest.param(b"\xf1" + LENGTH + b"\x01" * MANY, id="bools"),
        pytest.param(b"\xf5" + LENGTH + bytes(MANY), id="integers"),
        pytest.param(b"\xf8" + LENGTH + bytes(MANY), id="texts"),
        pytest.param(b"\xf9" + LENGTH + b"\x0c" * MANY, id="lists"),
        pytest.param(b"\xfb" + LENGTH + bytes(MANY), id="maps"),
        pytest.param(b"\x1c" + b"\x11" * MANY + bytes(1), id="fields"),
        pytest.param(b"\x19\xfc" + LENGTH + bytes(MANY), id="structs"),
    ],
)
def test_what_is_not_wanted_of_a_footer_takes_no_memory(field: bytes, values: bytes) -> None:
    data = field + values + b"\0"
    assert peak(lambda: footers(data), limit=len(data)) < len(data)


def test_bounds_of_pages_alone_are_read_of_a_page_index() -> None:
    index = PageIndex(0, "name", 0, 0, 2 * MANY)
    file = BytesIO(b"\x19\xfc" + LENGTH + bytes(MANY) + b"\x19\x18\x01a\0")
    assert peak(lambda: [bound.data for bound in index.bounds(file)], limit=3 * MANY) < 3 * MANY
    assert [bound.data for bound in index.bounds(file)] == [b"a"]


def test_bounds_in_the_fields_of_old_writers() -> None:
    schema = "29 2c 48 01 72 15 02 00 48 01 6e 25 00 00"
    groups = "29 1c 19 1c 3c cc 18 01 ff 18 01 61 00 00 00 00"
    footer = Footer(bytes.fromhex(f"{schema} {groups} 00"), 4)
    assert [(each.path, each.name, each.data) for each in footer.statistics()] == [
        ("n", "max", b"\xff"),
        ("n", "min", b"a"),
    ]


def number(value: int) -> bytes:
    """Return a positive integer as Thrift's compact protocol has it: as a length of twice as many bytes."""
    return binary(bytes(2 * value))[: -2 * value]


def footers_of(path: Path) -> Any:
    from eightfold.columns.footers import read_footer

    with path.open("rb") as file:
        return read_footer(file)


def bounds_of(path: Path, index: Any) -> list[Any]:
    with path.open("rb") as file:
        return list(index.bounds(file))


def footers(data: bytes) -> Any:
    from eightfold.columns.footers import Footer

    return Footer(data, 0)


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\x19", b"\x19\xfc", b"\x19\xfc\xff\xff\xff\xff\x0f", b"\x18\xff\xff\xff\xff\x0f", b"\x1f\x00"),
        *(b"\x1c" * 99, b"\x1b\xff\xff\xff\x7f\x11", b"\x15" + b"\xff" * 20),
        *(b"\x19" * 5000, b"\x1a" * 5000, b"\x1b" + b"\x01\xbb" * 5000),
    ],
)
def test_a_footer_that_lies_is_an_error_and_costs_nothing(data: bytes) -> None:
    with pytest.raises(MalformedError):
        footers(data)


@pytest.mark.parametrize("kind", [b"\x19\xfc", b"\x1a\xfc", b"\x1b"])
def test_a_list_of_more_values_than_pyarrow_reads_is_refused(kind: bytes) -> None:
    count = 1_000_001
    size = binary(bytes(count))[:-count]
    with pytest.raises(MalformedError, match="too long"):
        Reader(kind + size + bytes(2 * count)).struct({})


@pytest.mark.parametrize("verb", ["check", "repair"])
def test_a_schema_of_any_depth_costs_nothing(verb: str, tmp_path: Path, capsys: Any) -> None:
    path, depth = tmp_path / "data.parquet", 2000

    def element(name: bytes, *count: int) -> bytes:
        return b"\x48" + binary(name) + b"".join(b"\x15" + bytes([2 * each]) for each in count) + b"\0"

    schema = [element(b"r", 1), *([element(b"a", 1)] * depth), element(b"caf\xe9")]
    size = binary(bytes(len(schema)))[: -len(schema)]
    footer = b"\x15\x02\x19\xfc" + size + b"".join(schema) + b"\x16\x00\x19\x0c\0"
    path.write_bytes(b"PAR1" + ended(footer))
    assert cli.main([verb, str(path)]) == 2
    assert "nested too deeply" in said(capsys)[1]
