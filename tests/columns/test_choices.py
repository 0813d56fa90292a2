"""What the writer of a table chose is kept in the repaired file, or its loss is reported."""

from __future__ import annotations

import struct
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from eightfold import cli
from tests.support.table_files import opened, out_of, said, strings, table, written

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def test_what_a_parquet_file_chose_is_kept(tmp_path: Path, capsys: Any) -> None:
    codecs = {"id": "gzip", "name": "zstd", "tags.list.element": "none", "kind": "snappy", "blob": "lz4"}
    path = written(
        tmp_path, "parquet", compression=codecs, write_statistics=["id"], use_dictionary=["kind"], write_page_index=True
    )
    fixed = tmp_path / "fixed.parquet"
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert "not kept" not in capsys.readouterr().err
    before, after = pq.read_metadata(path), pq.read_metadata(fixed)
    assert after.num_row_groups == before.num_row_groups == 2
    for at in range(before.num_columns):
        old, new = before.row_group(0).column(at), after.row_group(0).column(at)
        assert (new.path_in_schema, new.compression) == (old.path_in_schema, old.compression)
        assert (new.is_stats_set, new.encodings) == (old.is_stats_set, old.encodings)
        assert new.has_column_index == old.has_column_index


def test_what_cannot_be_kept_is_said(tmp_path: Path, capsys: Any) -> None:
    encodings = {"name": "DELTA_LENGTH_BYTE_ARRAY"}
    path = written(
        tmp_path,
        "parquet",
        pa.table({"name": table()["name"]}),
        sorting_columns=[pq.SortingColumn(0)],
        use_dictionary=False,
        column_encoding=encodings,
    )
    assert cli.main(["repair", str(path), "-o", str(tmp_path / "fixed.parquet")]) == 0
    told = capsys.readouterr().err
    assert "not kept: the declared sort order" in told
    assert "not kept: encodings of name" in told


class Chosen(NamedTuple):
    """What a column chunk of a Parquet file has."""

    encodings: tuple[str, ...]
    has_statistics: bool
    has_page_index: tuple[bool, bool]
    has_bloom_filter: bool
    compression: str


def chosen(path: Path) -> list[list[Chosen]]:
    """Return what the column chunks of a file have, row group by row group."""
    metadata = pq.read_metadata(path)
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return [[chosen_in(group.column(at)) for at in range(group.num_columns)] for group in groups]


def chosen_in(chunk: Any) -> Chosen:
    has_bloom_filter = getattr(chunk, "bloom_filter_offset", None) is not None
    page_index = chunk.has_column_index, chunk.has_offset_index
    return Chosen(chunk.encodings, chunk.is_stats_set, page_index, has_bloom_filter, chunk.compression)


def with_an_empty_group(folder: Path) -> Path:
    """Return a file whose first row group has no rows, and so neither a dictionary nor statistics nor a page index."""
    path, given = folder / "data.parquet", pa.table({"name": strings([b"caf\xe9"] * 100), "n": range(100)})
    with pq.ParquetWriter(path, given.schema, write_page_index=True) as writer:
        writer.write_table(given.slice(0, 0))
        writer.write_table(given)
    return path


def test_what_only_later_row_groups_chose_is_kept(tmp_path: Path, capsys: Any) -> None:
    path, fixed = with_an_empty_group(tmp_path), tmp_path / "fixed.parquet"
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert "not kept" not in capsys.readouterr().err
    assert chosen(fixed) == chosen(path)
    assert chosen(fixed)[0] != chosen(fixed)[1]


def test_dictionaries_and_bloom_filters_of_later_row_groups_of_duckdb_are_kept(tmp_path: Path, capsys: Any) -> None:
    path, fixed = tmp_path / "data.parquet", tmp_path / "fixed.parquet"
    rows = "SELECT CASE WHEN i < 20480 THEN 'unique ' || i ELSE 'low' || i % 5 END v, 'cafE' s FROM range(40960) t(i)"
    by_duckdb(path, rows, "ROW_GROUP_SIZE 20480")
    assert [[has_dictionary(chunk) for chunk in group] for group in chosen(path)] == [[False, True], [True, True]]
    assert cli.main(["repair", "--verify", str(path), "-o", str(fixed)]) == 0
    told = out_of(capsys)[1]
    assert "encodings" not in told
    for before, after in zip(chain(*chosen(path)), chain(*chosen(fixed)), strict=True):
        assert has_dictionary(after)
        assert not before.has_bloom_filter or after.has_bloom_filter or "not kept: bloom filters of v, s" in told


def has_dictionary(chunk: Chosen) -> bool:
    return any(encoding.endswith("_DICTIONARY") for encoding in chunk.encodings)


def by_duckdb(path: Path, query: str, *options: str) -> None:
    """Write a file by DuckDB, in which the value `cafE` is ill-formed."""
    duckdb = pytest.importorskip("duckdb")
    duckdb.sql(f"COPY ({query}) TO '{path}' ({', '.join(['FORMAT parquet', 'COMPRESSION uncompressed', *options])})")
    path.write_bytes(path.read_bytes().replace(b"cafE", b"caf\xe9"))


def test_what_a_later_row_group_loses_is_reported(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    path, fixed = with_an_empty_group(tmp_path), tmp_path / "fixed.parquet"
    lacking = {"use_dictionary": False, "write_statistics": False, "write_page_index": False}
    make = pq.ParquetWriter
    monkeypatch.setattr(pq, "ParquetWriter", lambda *args, **options: make(*args, **{**options, **lacking}))
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    told = out_of(capsys)[1]
    for lost in ("encodings", "statistics", "the page index"):
        assert f"not kept: {lost} of name, n" in told


def test_types_that_pyarrow_writes_only_by_a_later_version_are_kept(tmp_path: Path, capsys: Any) -> None:
    numbers, stamps = pa.array([1, 2], pa.uint32()), pa.array([1, 1577836800123456789], pa.timestamp("ns"))
    given = pa.table({"name": strings([b"\xff", b"a"]), "number": numbers, "stamp": stamps})
    path, fixed = written(tmp_path, "parquet", given), tmp_path / "fixed.parquet"
    data = path.read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    assert data[footer : footer + 2] == b"\x15\x04"  # the field of the version: 2 in zigzag
    path.write_bytes(data[:footer] + b"\x15\x02" + data[footer + 2 :])
    assert pq.read_metadata(path).format_version == "1.0"
    assert cli.main(["repair", "--verify", str(path), "-o", str(fixed)]) == 0
    assert "not kept" not in out_of(capsys)[1]
    assert opened(fixed).select(["number", "stamp"]).equals(given.select(["number", "stamp"]))


def test_a_version_that_keeps_all_types_is_kept(tmp_path: Path) -> None:
    path, fixed = written(tmp_path, "parquet", version="1.0"), tmp_path / "fixed.parquet"
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert pq.read_metadata(fixed).format_version == pq.read_metadata(path).format_version == "1.0"


def test_types_of_files_of_duckdb_are_kept_or_reported(tmp_path: Path, capsys: Any) -> None:
    path, fixed = tmp_path / "data.parquet", tmp_path / "fixed.parquet"
    stamp = "TIMESTAMP_NS '2020-01-01 00:00:00.123456789'"
    by_duckdb(path, f"SELECT 'cafE' s, 1::UINTEGER u, [2::UINTEGER] us, {stamp} t, 3::BIGINT i, INTERVAL 1 DAY iv")
    assert pq.read_metadata(path).format_version == "1.0"
    assert cli.main(["repair", "--verify", str(path), "-o", str(fixed)]) == 0
    is_now = "it is now required fixed_len_byte_array(12)\n"
    assert f"not kept: type required fixed_len_byte_array(12) (Interval) of iv: {is_now}" in (told := out_of(capsys)[1])
    assert told.count("not kept: type") == 1
    before, after = pq.read_schema(path), pq.read_schema(fixed)
    assert (after.types, after.names) == (before.types, before.names)
    assert opened(fixed)["t"].cast(pa.int64()).to_pylist() == [1577836800123456789]


def test_a_file_that_pyarrow_cannot_write_does_not_end_the_run(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("eightfold.columns.parquet_choices._VERSIONS", ("1.0",))
    monkeypatch.chdir(tmp_path)
    stamps = pa.array([1577836800123456789], pa.timestamp("ns"))
    for name, columns in {"a": {}, "b": {"t": stamps}, "c": {}}.items():
        written(tmp_path, "parquet", pa.table({"s": strings([b"\xff"]), **columns})).rename(f"{name}.parquet")
    before = Path("b.parquet").read_bytes()
    assert cli.main(["repair", "--in-place", "a.parquet", "b.parquet", "c.parquet"]) == 2
    told = out_of(capsys)[1]
    assert "b.parquet: row group 0: malformed Parquet, or not supported: Casting from timestamp[ns]" in told
    assert "Traceback" not in told
    assert [cli.main(["check", f"{name}.parquet"]) for name in "abc"] == [0, 1, 0]
    assert Path("b.parquet").read_bytes() == before
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert cli.main(["repair", "--in-place", "a.parquet", "b.parquet", "c.parquet"]) == 0
    assert cli.main(["check", "b.parquet"]) == 0
    assert [path.suffix for path in tmp_path.iterdir()] == [".parquet"] * 3


@pytest.mark.parametrize("codec", [None, "lz4", "zstd"])
def test_the_compression_of_arrow_ipc_is_kept(codec: str | None, tmp_path: Path) -> None:
    given = pa.table({"name": strings([b"\xff"] + [b"a" * 100] * 500)})
    path, fixed = tmp_path / "a.feather", tmp_path / "b.feather"
    with pa.ipc.new_file(path, given.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_table(given)
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert abs(fixed.stat().st_size - path.stat().st_size) < 300


def in_blocks(data: bytes) -> list[tuple[int, int, bytes]]:
    """Return where the footer of a file has each record batch, where the batch begins, and its bytes."""
    found = []
    for at in range(len(data) - 10 - int.from_bytes(data[-10:-6], "little"), len(data) - 24):
        start, head, _, body = struct.unpack_from("<qiiq", data, at)
        if start > 8 and data[start : start + 4] == b"\xff" * 4 and head > 8 and start % 8 == head % 8 == body % 8 == 0:
            found.append((at, start, data[start : start + head + body]))
    return found


@pytest.mark.parametrize("kind", ["file", "stream"])
@pytest.mark.parametrize("order", [(None, "zstd"), ("zstd", None)])
def test_record_batches_that_are_compressed_or_not_are_all_compressed(
    kind: str, order: tuple[str | None, str | None], tmp_path: Path, capsys: Any
) -> None:
    path, fixed = tmp_path / "data.arrow", tmp_path / "fixed.arrow"
    batch = pa.record_batch({"name": strings([b"\xfe" * 99] * 99)})
    first, second = (written_twice(kind, batch, codec) for codec in order)
    if kind == "stream":
        messages = [
            list(map(pa.ipc.Message.serialize, pa.ipc.MessageReader.open_stream(each))) for each in (first, second)
        ]
        path.write_bytes(b"".join([*messages[0][:2], messages[1][2]]))
    else:
        (_, _, _), (at, start, old) = in_blocks(first)
        (_, _, _), (_, _, new) = in_blocks(second)
        head = struct.unpack_from("<i", new, 4)[0] + 8
        block = struct.pack("<qiiq", start, head, 0, len(new) - head)
        path.write_bytes(first[:start] + new + first[start + len(old) : at] + block + first[at + 24 :])
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    said = "not kept: which record batches are compressed: all are now, as zstd"
    assert said in capsys.readouterr().err
    with pa.ipc.open_stream(fixed) if kind == "stream" else pa.ipc.open_file(fixed) as copy:
        assert copy.read_all().num_rows == 2 * len(batch)
    assert fixed.stat().st_size < len(written_twice(kind, batch, None)) / 2


def written_twice(kind: str, batch: Any, codec: str | None) -> bytes:
    target = pa.BufferOutputStream()
    begin = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with begin(target, batch.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_batch(batch)
        writer.write_batch(batch)
    return bytes(target.getvalue().to_pybytes())


@pytest.mark.parametrize("codec", ["uncompressed", "lz4", "zstd"])
def test_a_file_of_polars_is_repaired_and_its_compression_kept(codec: str, tmp_path: Path) -> None:
    """Its schema is not a message as in other files: only the footer finds the record batches."""
    polars = pytest.importorskip("polars")
    path, fixed, others = tmp_path / "a.arrow", tmp_path / "b.arrow", [f"{number:0100}" for number in range(500)]
    names = polars.from_arrow(strings([b"\xff", *map(str.encode, others)]))
    polars.DataFrame({"name": names}).write_ipc(path, compression=codec)
    assert cli.main(["check", str(path)]) == 1
    assert cli.main(["repair", "--verify", str(path), "-o", str(fixed)]) == 0
    assert polars.read_ipc(fixed)["name"].to_list() == ["\uefff", *others]
    assert [each.stat().st_size > 40_000 for each in (path, fixed)] == [codec == "uncompressed"] * 2


FAR, NEAR = datetime(9999, 12, 31), datetime(1700, 1, 1, 1, 2, 3, 4)
STAMP = pa.timestamp("us")
NEVER = datetime(1500, 1, 1)
JUST_BEFORE, JUST_BEHIND = datetime(1677, 9, 21, 0, 12, 43, 100_000), datetime(2262, 4, 11, 23, 47, 16, 900_000)
"""The first second whose nanoseconds do not all fit into 64 bits, on either side."""


def with_int96(folder: Path, values: Any, name: str = "t") -> Path:
    """Return a file with timestamps of INT96 and a string that is ill-formed."""
    given = pa.table({"s": strings([b"a", b"\xff"]), name: values})
    return written(folder, "parquet", given, use_deprecated_int96_timestamps=True)


@pytest.mark.parametrize(
    ("name", "path", "values"),
    [
        ("t", "t", pa.array([FAR, NEAR], STAMP)),
        ("t", "t", pa.array([None, NEVER], pa.timestamp("us", "UTC"))),
        ("t", "t", pa.array([NEAR, JUST_BEFORE], STAMP)),
        ("t", "t", pa.array([NEAR, JUST_BEHIND], STAMP)),
        ("a.b", "a.b", pa.array([NEAR, FAR], STAMP)),
        ("t", "t.list.element", pa.array([[NEAR, FAR], None], pa.list_(STAMP))),
        ("t", "t.x", pa.array([{"n": 1, "x": FAR}, None], pa.struct([("n", pa.int8()), ("x", STAMP)]))),
        ("t", "t.key_value.value", pa.array([None, [("k", FAR)]], pa.map_(pa.string(), STAMP))),
        ("t", "t.list.element.x", pa.array([[], [{"x": FAR}]], pa.list_(pa.struct([("x", STAMP)])))),
    ],
)
def test_timestamps_that_a_copy_would_change_are_refused(
    name: str, path: str, values: Any, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    """pyarrow reads INT96 as nanoseconds in 64 bits, and years outside 1677 to 2262 wrap round."""
    monkeypatch.chdir(tmp_path)
    file, plan, fixed = with_int96(tmp_path, values, name), tmp_path / "plan.jsonl", tmp_path / "fixed"
    before = file.read_bytes()
    for options in (["--in-place"], ["--in-place", "--verify"], ["--plan", str(plan)], ["-o", str(fixed)]):
        assert cli.main(["repair", *options, str(file)]) == 2
        assert f"{file}: row group 0: column {path}: its INT96 timestamps before 1677" in out_of(capsys)[1]
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == before
    assert cli.main(["check", str(file)]) == 1


def test_other_timestamps_of_int96_are_kept(tmp_path: Path) -> None:
    edges = pa.array([-(2**63 // 10**9) * 10**9, (2**63 // 10**9) * 10**9 - 1], pa.timestamp("ns"))
    stamps = {"both": edges, "list": pa.array([[NEAR, None], None], pa.list_(pa.timestamp("ns")))}
    for name, values in stamps.items():
        file = with_int96(tmp_path, values, name)
        assert cli.main(["repair", "--in-place", "--verify", str(file)]) == 0
        assert opened(file)[name].combine_chunks().equals(values)
        assert pq.ParquetFile(file).schema.column(1).physical_type == "INT96"


def test_a_file_without_int96_is_opened_and_read_as_before(tmp_path: Path, monkeypatch: Any) -> None:
    file, given = written(tmp_path, "parquet", pa.table({"s": strings([b"\xff"])})), []
    make = pq.ParquetFile
    monkeypatch.setattr(pq, "ParquetFile", lambda *args, **options: given.append(options) or make(*args, **options))
    assert cli.main(["repair", "--in-place", str(file)]) == 0
    assert given
    assert not any("coerce_int96_timestamp_unit" in options for options in given)


def test_a_sort_order_of_numbers_and_bloom_filters_are_kept(tmp_path: Path, capsys: Any) -> None:
    path, fixed = tmp_path / "data.parquet", tmp_path / "fixed.parquet"
    given = pa.table({"id": [1, 2], "name": strings([b"a", b"\xff"])})
    options = {"bloom_filter_options": {"id": {"ndv": 5000}, "name": {"ndv": 100}}} if _has_bloom_filters() else {}
    pq.write_table(given, path, sorting_columns=[pq.SortingColumn(0)], **options)
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert "not kept" not in said(capsys)[1]
    before, after = (pq.read_metadata(each).row_group(0) for each in (path, fixed))
    assert after.sorting_columns == before.sorting_columns
    if options:
        sizes = [[group.column(at).bloom_filter_length for at in (0, 1)] for group in (before, after)]
        assert sizes[0] == sizes[1]


def test_bloom_filters_do_not_become_less_exact(tmp_path: Path) -> None:
    if not _has_bloom_filters():
        pytest.skip("this pyarrow writes no bloom filters")
    path, fixed = tmp_path / "data.parquet", tmp_path / "fixed.parquet"
    given = pa.table({"name": strings([b"\xff", *(b"%d" % number for number in range(999))])})
    pq.write_table(given, path, bloom_filter_options={"name": {"ndv": 1000, "fpp": 0.01}})
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    sizes = [pq.read_metadata(each).row_group(0).column(0).bloom_filter_length for each in (path, fixed)]
    assert sizes[0] == sizes[1]


def _has_bloom_filters() -> bool:
    import inspect

    return "bloom_filter_options" in inspect.signature(pq.ParquetWriter.__init__).parameters
