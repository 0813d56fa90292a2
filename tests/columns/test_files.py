"""Tables in files: every ill-formed string is found and repaired, and nothing else changes."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import eightfold
from eightfold import cli
from eightfold.columns.table_files import reading
from support.command_line import ENVIRONMENT, PATIENCE
from support.command_line import command as command_line
from tests.support.table_files import KINDS, opened, out_of, strings, table, written

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
