"""Tables in files: every ill-formed string is found and repaired, and nothing else changes."""

from __future__ import annotations

import json
import os
import random
import struct
import subprocess
import sys
from datetime import datetime
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import eightfold
from eightfold import cli
from eightfold.columns.table_files import reading
from support.command_line import ENVIRONMENT, PATIENCE
from support.command_line import command as command_line
from tests.support.table_files import KINDS, opened, strings, table, written

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

FAULTS = [
    "name[1]: truncated: sequence E9 is cut short by the end of the input",
    "tags[1][0]: truncated: sequence E9 is cut short by the end of the input",
    "kind[1]: invalid-byte: byte FF cannot begin a sequence",
    "kind[2]: invalid-byte: byte FF cannot begin a sequence",
]
NAMES = ["ok", "caf\uefe9", None, "last"]
STRIDE = 1 if os.environ.get("EIGHTFOLD_EXHAUSTIVE") else 4
"""Of the cuts and of the bytes of the footer, one in so many is tried; all with `EIGHTFOLD_EXHAUSTIVE=1`."""


def out_of(capsys: pytest.CaptureFixture[str]) -> tuple[list[str], str]:
    captured = capsys.readouterr()
    return captured.out.splitlines(), captured.err


@pytest.mark.parametrize("kind", KINDS)
def test_check_reports_column_and_row_in_the_file(kind: str, tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, kind)
    assert cli.main(["check", str(path)]) == 1
    # A value of a dictionary is reported once for each row group.
    assert out_of(capsys)[0] == [f"{path}: {line}" for line in FAULTS]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_count_from_the_first_of_the_file(kind: str, tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, kind, pa.table({"name": strings([b"a", b"b", b"c", b"d", b"\xff"])}))
    assert cli.main(["check", str(path)]) == 1
    assert out_of(capsys)[0] == [f"{path}: name[4]: invalid-byte: byte FF cannot begin a sequence"]


@pytest.mark.parametrize("verb", ["check", "repair"])
def test_a_reader_of_the_output_that_has_gone_is_no_fault_of_the_table(verb: str, tmp_path: Path) -> None:
    given = pa.table({"name": strings([b"\xff"] * 5000)})
    line = [*command_line(verb), *(str(written(tmp_path, kind, given)) for kind in KINDS)]
    reading_end, writing_end = os.pipe()
    os.close(reading_end)
    done = subprocess.run(
        line, stdout=writing_end, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False, timeout=PATIENCE
    )
    os.close(writing_end)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_check_as_json_and_as_json_lines(jobs: str, tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, "parquet")
    assert cli.main(["check", "-j", jobs, "--output-format", "json", str(path)]) == 1
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert [fault["cell"] for fault in file["faults"]][:2] == [
        {"column": "name", "row": 1},
        {"column": "tags[1]", "row": 0},
    ]
    assert cli.main(["check", "-j", jobs, "--output-format", "jsonl", str(path)]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["cell"]["row"] for line in lines if line["type"] == "fault"] == [1, 0, 1, 2]


@pytest.mark.parametrize("name", ["sarif", "github", "gitlab", "html"])
def test_a_format_that_needs_lines_refuses(name: str, tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, "parquet")
    assert cli.main(["check", "--output-format", name, str(path)]) == 2
    assert "Parquet has no lines: use --output-format text, json or jsonl" in capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
def test_the_repaired_file_has_the_same_rows_and_no_faults(kind: str, tmp_path: Path, capsys: Any) -> None:
    path, fixed = written(tmp_path, kind), tmp_path / f"fixed.{kind}"
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert "not kept" not in capsys.readouterr().err
    result = opened(fixed)
    result.validate(full=True)
    assert result["name"].to_pylist() == NAMES
    assert result["tags"].to_pylist() == [["ok", "caf\uefe9"], [], [None], ["last"]]
    assert result["kind"].to_pylist() == ["x", "\uefff", "\uefff", "x"]
    assert result.select(["id", "blob"]).equals(table().select(["id", "blob"]))
    before = pq.read_schema(path) if kind == "parquet" else table().schema
    assert result.schema.equals(before, check_metadata=True)
    assert cli.main(["check", str(fixed)]) == 0


@pytest.mark.filterwarnings("ignore")
def test_polars_duckdb_and_pandas_open_the_result(tmp_path: Path) -> None:
    import duckdb
    import pandas
    import polars

    path, fixed = written(tmp_path, "parquet"), tmp_path / "fixed.parquet"
    with pytest.raises(polars.exceptions.ComputeError):
        polars.read_parquet(path)
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert polars.read_parquet(fixed)["name"].to_list() == NAMES
    assert [row[0] for row in duckdb.sql(f"select name from '{fixed}'").fetchall()] == NAMES
    assert pandas.read_parquet(fixed)["name"].dropna().tolist() == [name for name in NAMES if name]


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


@pytest.mark.parametrize("kind", KINDS)
def test_in_place_with_a_backup(kind: str, tmp_path: Path) -> None:
    path = written(tmp_path, kind)
    before = path.read_bytes()
    assert cli.main(["repair", "--in-place", "--backup", ".old", str(path)]) == 0
    assert opened(path)["name"].to_pylist() == NAMES
    assert path.with_name(path.name + ".old").read_bytes() == before


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_without_faults_is_not_replaced_and_may_be_read_only(kind: str, tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, kind, pa.table({"name": ["a", "b"]}))
    before = path.stat()
    assert cli.main(["repair", "--in-place", str(path)]) == 0
    path.chmod(0o444)
    for options in ([], ["--verify"]):
        assert cli.main(["repair", "--in-place", *options, str(path)]) == 0
    assert path.stat().st_ino == before.st_ino
    path.chmod(0o644)
    written(tmp_path, kind).chmod(0o444)
    capsys.readouterr()
    assert cli.main(["repair", "--in-place", str(path)]) == 2
    assert f"{path}: it is read-only" in out_of(capsys)[1]


def test_strings_that_look_like_escapes_are_no_faults_but_change(tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, "parquet", pa.table({"name": ["a", "\uef80"]}))
    assert cli.main(["check", str(path)]) == 0
    assert cli.main(["repair", str(path)]) == 1
    assert "strings with U+EF80 to U+EFFF, which --errors escape escapes" in capsys.readouterr().err
    assert cli.main(["repair", str(path), "-o", str(tmp_path / "fixed.parquet")]) == 0
    assert opened(tmp_path / "fixed.parquet")["name"].to_pylist() == ["a", "\uefee\uefbe\uef80"]


def test_a_lossy_policy_needs_lossy_and_strict_stops(tmp_path: Path, capsys: Any) -> None:
    path, fixed = written(tmp_path, "parquet"), tmp_path / "fixed.parquet"
    assert cli.main(["repair", "--errors", "replace", str(path), "-o", str(fixed)]) == 2
    assert cli.main(["repair", "--errors", "strict", str(path), "-o", str(fixed)]) == 1
    assert "column name, row 1: sequence E9" in capsys.readouterr().err
    assert not fixed.exists()
    assert cli.main(["repair", "--errors", "replace", "--lossy", str(path), "-o", str(fixed)]) == 0
    assert opened(fixed)["name"].to_pylist() == ["ok", "caf\ufffd", None, "last"]


def mixed(folder: Path) -> Path:
    names = strings([b"caf\xe9", b"ok"]), strings([b"\xed\xa0\xbd\xed\xb8\x80", b"ok"])
    return written(folder, "parquet", pa.table(dict(zip(("latin", "cesu"), names, strict=True))))


@pytest.mark.parametrize("policy", ["pairs", "strict"])
def test_one_policy_is_for_all_strings(policy: str, tmp_path: Path, capsys: Any) -> None:
    path, fixed = mixed(tmp_path), tmp_path / "fixed.parquet"
    for output in ([], ["-o", str(fixed), "--lossy"]):
        assert cli.main(["repair", "--errors", policy, str(path), *output]) == 1
        told = capsys.readouterr().err
        assert "column latin, row 0: sequence E9" in told
        assert "try --errors escape (keeps every byte" in told
        assert ("one policy is for all strings, and pairs is for CESU-8 only" in told) == (policy == "pairs")
    assert not fixed.exists()
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert opened(fixed)["latin"].to_pylist() == ["caf\uefe9", "ok"]


@pytest.mark.parametrize("option", ["--diff", "--mojibake", "-f"])
def test_what_is_not_supported_is_refused(option: str, tmp_path: Path, capsys: Any) -> None:
    values = {"-f": ["cesu-8"]}.get(option, [])
    path = written(tmp_path, "parquet")
    assert cli.main(["repair", option, *values, str(path)]) == 2
    assert f"{path}: Parquet: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "name", "reason"),
    [
        ("parquet", "fixed.feather", "the result is Parquet: give it a name that ends in .parquet"),
        ("arrow", "fixed.PARQUET", "the result is Arrow IPC: give it a name that ends in .arrow"),
        ("parquet", "fixed", ""),
    ],
)
def test_a_result_does_not_have_the_ending_of_another_kind(
    kind: str, name: str, reason: str, tmp_path: Path, capsys: Any
) -> None:
    path, target = written(tmp_path, kind), tmp_path / name
    assert cli.main(["repair", "-o", str(target), str(path)]) == (2 if reason else 0)
    assert target.exists() == (not reason)
    if reason:
        assert f"eightfold: {target}: {reason}\n" in out_of(capsys)[1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_under_another_name_is_not_repaired_as_text(kind: str, tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, kind).rename(tmp_path / "data.bin")
    before = path.read_bytes()
    assert cli.main(["repair", "--in-place", str(path)]) == 2
    name = "Parquet" if kind == "parquet" else "Arrow IPC"
    hint = f"{path}: is {name}, not text: give it a name that ends in .{kind.removesuffix('s')}"
    assert hint in capsys.readouterr().err
    assert cli.main(["check", str(path)]) == 1
    assert hint in capsys.readouterr().err
    assert path.read_bytes() == before
    words = tmp_path / "words.txt"
    words.write_bytes(b"PAR1 caf\xe9\n")
    assert cli.main(["repair", "--in-place", str(words)]) == 0
    assert words.read_bytes() == "PAR1 caf\uefe9\n".encode()


@pytest.mark.parametrize("length", [b"", b"\0\0\0\0", b"\x01\0\0\0", b"\xf8\xff\xff\xff"])
def test_four_bytes_of_ones_alone_are_no_table(length: bytes, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_bytes(b"\xff\xff\xff\xff" + length + b"words\0")
    assert cli.main(["repair", "--in-place", "--binary", str(words)]) == 0
    assert eightfold.is_well_formed(words.read_bytes(), "utf-8")


def test_escapes_in_a_dictionary_inside_a_struct_are_a_change(tmp_path: Path) -> None:
    names = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), strings([b"a", "\uef80".encode()]))
    path = written(tmp_path, "arrow", pa.table({"person": pa.StructArray.from_arrays([names], ["name"])}))
    assert cli.main(["repair", "--in-place", str(path)]) == 0
    (before, after) = "\uef80".encode(), opened(path)["person"].to_pylist()[1]["name"].encode()
    assert after != before
    assert eightfold.convert(after, "utf-8", "xtf-8") == before


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="open files have no names here")
def test_threads_of_pyarrow_hold_no_file_of_python(tmp_path: Path, monkeypatch: Any) -> None:
    path, given = written(tmp_path, "arrow"), []
    open_file = pa.ipc.open_file
    monkeypatch.setattr(pa.ipc, "open_file", lambda file: given.append(file) or open_file(file))
    with path.open("rb") as file, reading(str(path), "Arrow IPC", file) as reader:
        assert [part.data.num_rows for part in reader.parts()] == [2, 2]
    assert [type(each) for each in given] == [pa.OSFile]


def test_a_file_that_the_system_cannot_open_is_read_by_python(tmp_path: Path) -> None:
    with reading("data.arrow", "Arrow IPC", BytesIO(written(tmp_path, "arrow").read_bytes())) as reader:
        assert [part.data.num_rows for part in reader.parts()] == [2, 2]


@pytest.mark.parametrize("more", [b"\0", b"more", None], ids=["byte", "text", "stream"])
def test_what_follows_a_stream_is_not_lost(more: bytes | None, tmp_path: Path, capsys: Any) -> None:
    """Readers end at the end of the first stream; a file with two is neither called clean nor written with one."""
    path = written(tmp_path, "arrows", pa.table({"name": ["a", "b"]}))
    data = path.read_bytes()
    path.write_bytes(data + (data if more is None else more))
    whole = path.read_bytes()
    for line in (["check"], ["repair", "--in-place"], ["repair", "-o", str(tmp_path / "fixed.arrows")]):
        assert cli.main([*line, str(path)]) == 2
        assert f"{path}: something follows the end of the stream" in out_of(capsys)[1]
    assert [*tmp_path.iterdir()] == [path]
    assert path.read_bytes() == whole


def test_a_stream_may_end_without_a_mark(tmp_path: Path) -> None:
    path = written(tmp_path, "arrows", pa.table({"name": ["a", "b"]}))
    mark, data = b"\xff\xff\xff\xff\0\0\0\0", path.read_bytes()
    assert data.endswith(mark)
    path.write_bytes(data.removesuffix(mark))
    assert cli.main(["check", str(path)]) == 0


def test_a_stream_from_before_arrow_0_15_is_not_text(tmp_path: Path, capsys: Any) -> None:
    path, fixed = tmp_path / "old.arrows", tmp_path / "fixed.arrows"
    old = pa.ipc.IpcWriteOptions(use_legacy_format=True, metadata_version=pa.ipc.MetadataVersion.V4)
    with pa.ipc.new_stream(path, table().schema, options=old) as writer:
        writer.write_table(table(), max_chunksize=2)
    assert not path.read_bytes().startswith(b"\xff")
    assert cli.main(["check", str(path)]) == 1
    assert out_of(capsys)[0] == [f"{path}: {fault}" for fault in FAULTS]
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert opened(fixed).column("name").to_pylist() == NAMES
    path.write_text("text\n")
    assert cli.main(["check", str(path)]) == 0


def test_in_a_folder_tables_are_binary_files_as_before(tmp_path: Path, capsys: Any) -> None:
    written(tmp_path, "parquet")
    assert cli.main(["check", str(tmp_path)]) == 0
    assert "1 binary file skipped" in capsys.readouterr().err


def test_the_ending_alone_does_not_make_a_table(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "notes.parquet"
    path.write_bytes(b"caf\xe9\n")
    assert cli.main(["check", str(path)]) == 1
    assert f"{path}:1:4: truncated" in capsys.readouterr().out


def test_without_pyarrow_it_says_what_to_install(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    path = written(tmp_path, "parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for command in (["check", str(path)], ["repair", str(path), "-o", str(tmp_path / "fixed.parquet")]):
        assert cli.main(command) == 2
        assert "pip install 'pyarrow" in capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
def test_a_malformed_file_is_an_error_and_never_a_traceback(kind: str, tmp_path: Path, capsys: Any) -> None:
    whole, fixed = written(tmp_path, kind).read_bytes(), tmp_path / f"fixed.{kind}"
    chance, broken = random.Random(1), tmp_path / f"broken.{kind}"
    cut = [whole[:end] for end in range(8, len(whole), 171)]
    changed = [bytearray(whole) for _ in range(40)]
    for data in changed:
        data[chance.randrange(8, len(data))] ^= 1 << chance.randrange(8)
    # The footer is where lengths, types and places are: each of these bytes is changed, at random.
    in_footer = [bytearray(whole) for _ in range(160)]
    for at, data in enumerate(in_footer):
        data[-1 - at * min(700, len(whole) // 2) // 160] ^= 1 << chance.randrange(8)
    told = ""
    for data in (*cut[::STRIDE], *changed, *in_footer[::STRIDE]):
        broken.write_bytes(data)
        fixed.unlink(missing_ok=True)
        checked = cli.main(["check", str(broken)])
        repaired = cli.main(["repair", str(broken), "-o", str(fixed)])
        assert checked in (0, 1, 2)
        assert repaired in (0, 2)
        assert fixed.exists() == (repaired == 0)
        told += capsys.readouterr().err
    assert "Traceback" not in told
    assert f"{broken}: malformed" in told
    assert f"{broken}: {'row group' if kind == 'parquet' else 'record batch'} " in told


@pytest.mark.parametrize("rows", [[1], [1, 2], [1, 0], [0, 1], [0]])
def test_a_codec_that_does_not_exist_is_an_error(rows: list[int], tmp_path: Path, capsys: Any) -> None:
    # pyarrow ends the process when the metadata is asked for such a codec, in whichever row group.
    path, table = tmp_path / "table.parquet", pa.table({"name": strings([b"a" * 99] * 2)})
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for count in rows:
            writer.write_table(table[:count])
    whole, codec_field = path.read_bytes(), bytes([0x15, 0x0C])  # field 4 of ColumnMetaData: CompressionCodec, ZSTD
    places = [at for at in range(len(whole)) if whole.startswith(codec_field, at)]
    told = ""
    for place in places:
        path.write_bytes(whole[: place + 1] + b"\x7e" + whole[place + 2 :])
        assert cli.main(["repair", str(path), "-o", str(tmp_path / "fixed.parquet")]) in (0, 2)
        told += capsys.readouterr().err
    assert "codec" in told


MEASURED = """
import sys
import eightfold
from eightfold import cli
assert cli.main(["repair", sys.argv[1], "-o", sys.argv[2]]) == 0
import pyarrow
pool = pyarrow.default_memory_pool()
print(pool.bytes_allocated(), pool.max_memory())
"""


def test_memory_is_that_of_a_row_group(tmp_path: Path) -> None:
    path, fixed, count = tmp_path / "large.parquet", tmp_path / "fixed.parquet", 40
    # Most of it is no text, so that the engines without a core have little to read.
    group = pa.table({"text": strings([b"\xffa"] * 1000), "other": pa.array([bytes(1000)] * 1000, pa.binary(1000))})
    with pq.ParquetWriter(path, group.schema, use_dictionary=False) as writer:
        for _ in range(count):
            writer.write_table(group)
    # In a process of its own: malformed files of other tests have asked the pool of this one for more than there is.
    done = subprocess.run([sys.executable, "-c", MEASURED, path, fixed], capture_output=True, text=True, check=True)
    left, most = map(int, done.stdout.split())
    assert left < group.nbytes
    assert pq.read_metadata(fixed).num_row_groups == count
    assert group.nbytes < most < count * group.nbytes / 2
