"""Names of columns, metadata and statistics that are not UTF-8 are found, repaired and given back."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from eightfold import cli
from eightfold.cli.output.reports.findings import Tally
from eightfold.columns.schemas import texts_of, with_texts
from eightfold.columns.table_files import reading
from eightfold.files import FileError
from eightfold.files.records.table_changes import TextChange
from tests.support.table_files import KINDS, ill_named, said, strings

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

RUST = Path(__file__).parent / "data" / "rust.parquet"
"""Written by the crate parquet 60: see PROVENANCE.md there."""


def written(folder: Path, kind: str, given: Any) -> Path:
    path = folder / f"data.{kind}"
    if kind == "parquet":
        pq.write_table(given, path)
    else:
        with pa.ipc.new_file(path, given.schema) as writer:
            writer.write_table(given)
    return path


def texts(path: Path) -> list[bytes]:
    """Return the texts of a file, as they stand in it."""
    with (
        path.open("rb") as file,
        reading(str(path), "Parquet" if path.suffix == ".parquet" else "Arrow IPC", file) as r,
    ):
        return [text.data for text in r.texts() if "ARROW:schema" not in text.data.decode("latin-1")]


@pytest.mark.parametrize("kind", KINDS)
def test_check_finds_names_and_metadata(kind: str, tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, kind, ill_named())
    assert cli.main(["check", str(path)]) == 1
    lines = said(capsys)[0]
    first = 1 if kind == "parquet" else 0  # the root of the schema of Parquet has a name too
    cut = "truncated: sequence E9 is cut short by the end of the input"
    assert f'column name {first} "caf\\\\xe9": {cut}' in lines
    assert f'column name {first + 2} "x\\\\xff": invalid-byte: byte FF cannot begin a sequence' in lines
    assert any("metadata key" in line and cut in line for line in lines)
    assert any("metadata value" in line and "sequence EB" in line for line in lines)
    assert any("metadata value" in line and "(FD)" in line for line in lines)
    assert len(lines) == 5
    assert cli.main(["check", "--output-format", "json", str(path)]) == 1
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert {fault["cell"]["row"] for fault in file["faults"]} == {None}


@pytest.mark.parametrize("kind", KINDS)
def test_repair_mends_names_and_metadata_and_undo_gives_them_back(kind: str, tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, kind, ill_named())
    before, plan = texts(path), tmp_path / "plan.jsonl"
    assert cli.main(["repair", "--errors", "latin-1", "--root", str(tmp_path), "--plan", str(plan), str(path)]) == 0
    assert cli.main(["repair", "--root", str(tmp_path), "--apply", str(plan)]) == 0
    assert cli.main(["check", str(path)]) == 0
    result = pq.read_table(path) if kind == "parquet" else pa.ipc.open_file(path).read_all()
    assert result.to_pydict() == {"café": ["ok", "é"], "plain": [{"xÿ": "a", "n": 1.5}, {"xÿ": None, "n": 2.0}]}
    assert {key: value for key, value in result.schema.metadata.items() if key != b"ARROW:schema"} == {
        "aué".encode(): "Zoë".encode(),
        b"clean": b"yes",
    }
    assert result.schema.field(0).metadata[b"k"].decode() == "field ý"
    assert cli.main(["repair", "--root", str(tmp_path), "--undo", str(plan)]) == 0
    assert texts(path) == before
    assert cli.main(["repair", "--root", str(tmp_path), "--undo", str(plan)]) == 0
    assert "1 already done" in said(capsys)[1]


def nested_types(name: str | bytes) -> list[Any]:
    """Return types with a field of a name inside them, each with something of its own beside the names."""
    field = pa.field(name, pa.int8(), nullable=False, metadata={"k": "v"})
    struct = pa.struct([field, pa.field("other", pa.string())])
    union = [field, pa.field("other", pa.int16())]
    return [
        struct,
        pa.list_(pa.field("item", struct, nullable=False)),
        pa.large_list(struct),
        pa.list_(struct, 3),
        pa.map_(pa.string(), struct, keys_sorted=True),
        pa.map_(pa.string(), struct),
        pa.sparse_union(union, [5, 3]),
        pa.dense_union(union, [7, 2]),
    ]


def test_types_keep_all_but_the_names_that_change() -> None:
    given = [pa.field(str(at), each, nullable=False) for at, each in enumerate(nested_types(b"caf\xe9"))]
    expected = [pa.field(str(at), each, nullable=False) for at, each in enumerate(nested_types("café"))]
    schema = with_texts(pa.schema(given), lambda text: text.data.decode("latin-1").encode())
    assert schema.equals(pa.schema(expected), check_metadata=True)
    for made, right in zip(schema, expected, strict=True):
        assert (str(made.type), made.nullable) == (str(right.type), False)
        if pa.types.is_map(made.type):
            assert made.type.keys_sorted == right.type.keys_sorted
        if pa.types.is_union(made.type):
            assert made.type.type_codes == right.type.type_codes


def test_the_metadata_of_an_extension_type_are_any_bytes_and_stay() -> None:
    pairs = {b"ARROW:extension:name": b"x\xff", b"ARROW:extension:metadata": b"\xfe", b"k": b"\xfd"}
    schema = pa.schema([pa.field("a", pa.binary(), metadata=pairs)])
    assert [text.data for text in texts_of(schema)] == [b"a", b"k", b"\xfd"]
    changed = with_texts(schema, lambda text: text.data.replace(b"\xfd", b"!"))
    assert changed.field(0).metadata == {**pairs, b"k": b"!"}


@pytest.mark.parametrize("kind", KINDS)
def test_names_that_become_the_same_are_refused(kind: str, tmp_path: Path, capsys: Any) -> None:
    schema = pa.schema([pa.field(b"a\xfe", pa.string()), pa.field(b"a\xff", pa.string())])
    path = written(tmp_path, kind, pa.Table.from_arrays([pa.array(["x"]), pa.array(["y"])], schema=schema))
    fixed = tmp_path / f"fixed.{kind}"
    assert cli.main(["repair", "--errors", "replace", "--lossy", str(path), "-o", str(fixed)]) == 2
    errors = said(capsys)[1]
    assert "two columns would have the same name; the policy escape keeps them apart" in errors
    assert "malformed" not in errors
    assert not fixed.exists()
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    schema = pq.read_schema(fixed) if kind == "parquet" else pa.ipc.open_file(fixed).schema
    assert schema.names == ["a\ueffe", "a\uefff"]


@pytest.mark.parametrize("kind", KINDS)
def test_names_that_are_shown_alike_are_checked_and_repaired(kind: str, tmp_path: Path, capsys: Any) -> None:
    inner = pa.struct([pa.field(b"\xff", pa.string()), pa.field("\\xff", pa.string())])
    fields = [pa.field(b"caf\xe9", pa.string()), pa.field("caf\\xe9", pa.string()), pa.field("s", inner)]
    columns = [strings([b"ok", b"a\xff"]), strings([b"a\xfe", b"ok"]), pa.nulls(2, inner)]
    path = written(tmp_path, kind, pa.Table.from_arrays(columns, schema=pa.schema(fields)))
    assert cli.main(["check", str(path)]) == 1
    places = [line.partition(": ")[0] for line in said(capsys)[0]]
    assert places[2:] == ['"caf\\uefe9"[1]', '"caf\\\\xe9"[0]']
    assert "name" in places[0]
    assert "name" in places[1]
    fixed = tmp_path / f"fixed.{kind}"
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    schema = pq.read_schema(fixed) if kind == "parquet" else pa.ipc.open_file(fixed).schema
    assert schema.names == ["caf\uefe9", "caf\\xe9", "s"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("most", [0, 1, 2, 3, 4, 2001, 2002, 2003])
def test_faults_of_tables_beyond_the_limit_are_counted_fast(
    most: int, kind: str, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = [pa.field(b"a\xfe", pa.string()), pa.field("b", pa.string())]
    values = [strings([b"a\xff", b"\xc3"] * 500)] * 2
    path = written(tmp_path, kind, pa.Table.from_arrays(values, schema=pa.schema(fields)))
    cli.main(["check", str(path)])
    whole, errors = said(capsys)
    listed: list[object] = []
    count = Tally.count
    monkeypatch.setattr(Tally, "count", lambda tally, found: (listed.append(found), count(tally, found)))
    cli.main(["check", "--max-faults", str(most), str(path)])
    lines, told = said(capsys)
    assert (lines, len(listed)) == (whole[:most], min(most, len(whole)))
    assert errors.splitlines()[-1] == told.splitlines()[-1]
    hidden = len(whole) - len(lines)
    assert (f"{hidden} more" in told) is bool(hidden)


@pytest.mark.parametrize("kind", KINDS)
def test_keys_that_are_shown_alike_are_checked(kind: str, tmp_path: Path, capsys: Any) -> None:
    pairs = {b"k\xe9": b"1", b"k\\xe9": b"2"}
    path = tmp_path / f"data.{kind}"
    given = pa.table({"a": ["x"]})
    if kind == "parquet":
        with pq.ParquetWriter(path, given.schema) as writer:
            writer.write_table(given)
            writer.add_key_value_metadata(pairs)
    else:
        with pa.ipc.new_file(path, given.schema) as writer:
            writer.write_batch(given.to_batches()[0], custom_metadata=pa.KeyValueMetadata(pairs))
    assert cli.main(["check", str(path)]) == 1
    lines, errors = said(capsys)
    assert [line.partition(": ")[2] for line in lines] == [
        "truncated: sequence E9 is cut short by the end of the input"
    ]
    assert "metadata key" in lines[0]
    assert "1 ill-formed: 1 error" in errors


@pytest.mark.parametrize("kind", KINDS)
def test_keys_of_metadata_that_become_the_same_are_refused(kind: str, tmp_path: Path, capsys: Any) -> None:
    path, fixed = tmp_path / f"data.{kind}", tmp_path / f"fixed.{kind}"
    given = pa.table({"a": ["x"]}, metadata={b"k\xfe": b"1", b"k\xff": b"2"})
    if kind == "parquet":
        with pq.ParquetWriter(path, given.schema.remove_metadata(), store_schema=False) as writer:
            writer.write_table(given.replace_schema_metadata(None))
            writer.add_key_value_metadata(given.schema.metadata)
    else:
        written(tmp_path, kind, given)
    assert cli.main(["repair", "--errors", "replace", "--lossy", str(path), "-o", str(fixed)]) == 2
    assert "two keys of metadata would be the same; the policy escape keeps them apart" in said(capsys)[1]
    assert not fixed.exists()
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert {b"1", b"2"} < set(texts(fixed))


def with_categories(folder: Path, kind: str, *categories: bytes) -> Path:
    """Return a file as polars writes it, with the categories of an Enum in the metadata too."""
    values = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), strings([*categories]))
    sizes = b"".join(b"%d;%b" % (len(each), each) for each in categories)
    field = pa.field("name", values.type, metadata={b"_PL_ENUM_VALUES2": sizes})
    return written(folder, kind, pa.Table.from_arrays([values], schema=pa.schema([field])))


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_polars_reads_the_categories_of_an_enum_that_were_repaired(
    kind: str, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    polars = pytest.importorskip("polars")
    path, fixed = with_categories(tmp_path, kind, b"ok", b"caf\xe9"), tmp_path / f"fixed.{kind}"
    before = set(texts(path))
    assert cli.main(["check", str(path)]) == 1
    assert "metadata value 0, category 1: truncated" in capsys.readouterr().out
    assert cli.main(["repair", "--verify", str(path), "-o", str(fixed)]) == 0
    column = (polars.read_parquet if kind == "parquet" else polars.read_ipc)(fixed)["name"]
    assert (column.dtype, column.to_list()) == (polars.Enum(["ok", "caf\uefe9"]), ["caf\uefe9", "ok"])
    monkeypatch.chdir(tmp_path)
    for arguments in (["--plan", "plan.jsonl", path.name], ["--apply", "plan.jsonl"], ["--undo", "plan.jsonl"]):
        assert cli.main(["repair", *arguments]) == 0
    assert set(texts(path)) == before


@pytest.mark.parametrize("kind", KINDS)
def test_categories_of_an_enum_that_become_the_same_are_refused(kind: str, tmp_path: Path, capsys: Any) -> None:
    path, fixed = with_categories(tmp_path, kind, b"\xfe", b"\xff"), tmp_path / f"fixed.{kind}"
    assert cli.main(["repair", "--errors", "replace", "--lossy", str(path), "-o", str(fixed)]) == 2
    assert "two categories of an Enum would be the same; the policy escape keeps them apart" in said(capsys)[1]
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0


@pytest.mark.parametrize("value", [b"1;\xff1;\xff", b"2;\xff", b"01;\xff", b"1\xff", b";\xff", b"1;a\xff"])
def test_what_is_not_as_polars_writes_categories_is_one_text(value: bytes) -> None:
    schema = pa.schema([pa.field("a", pa.string(), metadata={b"_PL_ENUM_VALUES2": value})])
    assert [text.data for text in texts_of(schema)][2:] == [value]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("owner", ["schema", "column"])
def test_a_key_that_metadata_have_twice(kind: str, owner: str, tmp_path: Path, capsys: Any) -> None:
    twice = pa.KeyValueMetadata([(b"k", b"1"), (b"k", b"2"), (b"l", b"\xff")])
    inner = pa.struct([pa.field("a", pa.string(), metadata=twice if owner == "column" else None)])
    schema = pa.schema([pa.field("s", inner)], metadata=twice if owner == "schema" else None)
    path = written(tmp_path, kind, pa.Table.from_arrays([pa.array([{"a": "x"}], inner)], schema=schema))
    if kind != "parquet":
        for command in (["check"], ["repair", "-o", str(tmp_path / f"fixed.{kind}")]):
            assert cli.main([*command, str(path)]) == 2
            assert "its metadata have a key twice, and pyarrow gives one of the values only" in said(capsys)[1]
    elif owner == "schema":
        assert cli.main(["check", str(path)]) == 1
        assert cli.main(["repair", str(path), "-o", str(tmp_path / "fixed.parquet")]) == 0
        assert "not kept: key-value metadata with the key of another pair" in said(capsys)[1]


def test_a_key_that_the_footer_has_twice(tmp_path: Path, capsys: Any) -> None:
    path, batch = tmp_path / "data.arrow", pa.record_batch({"a": ["x"]})
    for pairs, status in (([(b"k", b"1"), (b"l", b"2")], 0), ([(b"k", b"1"), (b"k", b"2")], 2)):
        with (
            pa.OSFile(str(path), "wb") as file,
            pa.ipc.new_file(file, batch.schema, metadata=pa.KeyValueMetadata(pairs)) as writer,
        ):
            writer.write_batch(batch)
        for command in (["check"], ["repair", "-o", str(tmp_path / "fixed.arrow")]):
            assert cli.main([*command, str(path)]) == status
            assert ("its metadata have a key twice" in said(capsys)[1]) == bool(status)


def test_a_name_of_one_level_does_not_change_that_of_another(tmp_path: Path) -> None:
    # Under latin-1 the name E9 becomes one that is well-formed elsewhere.
    inner = pa.struct([pa.field("é", pa.string())])
    schema = pa.schema([pa.field(b"\xe9", pa.string()), pa.field("s", inner)])
    given = pa.Table.from_arrays([strings([b"\xff"]), pa.array([{"é": "x"}], inner)], schema=schema)
    path, plan = written(tmp_path, "parquet", given), tmp_path / "plan"
    before = texts(path)
    assert cli.main(["repair", "--errors", "latin-1", "--root", str(tmp_path), "--plan", str(plan), str(path)]) == 0
    for option in ("--apply", "--undo"):
        assert cli.main(["repair", "--root", str(tmp_path), option, str(plan)]) == 0
    assert texts(path) == before


def test_an_ill_formed_name_is_not_lossless_without_lossy(tmp_path: Path) -> None:
    path, fixed = written(tmp_path, "parquet", ill_named()), tmp_path / "fixed.parquet"
    assert cli.main(["repair", "--errors", "replace", str(path), "-o", str(fixed)]) == 2
    assert cli.main(["repair", "--errors", "strict", str(path), "-o", str(fixed)]) == 1
    assert not fixed.exists()


def patched(path: Path, old: bytes, new: bytes) -> None:
    """Change bytes in the footer of a file, as a writer that does not check its strings would have written them."""
    data = path.read_bytes()
    (size,) = struct.unpack("<I", data[-8:-4])
    footer = data[-8 - size :]
    assert len(old) == len(new)
    assert old in footer
    path.write_bytes(data[: -8 - size] + footer.replace(old, new))


def test_statistics(tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, "parquet", pa.table({"id": [1, 2], "name": ["aaa", "zzzz"]}))
    patched(path, b"zzzz", b"zz\xc3\xc3")
    assert cli.main(["check", str(path)]) == 1
    lines = said(capsys)[0]
    assert lines[0].startswith("statistics of name, row group 0, max_value: truncated: sequence C3 is cut short")
    fixed = tmp_path / "fixed.parquet"
    assert cli.main(["repair", "--in-place", "--backup", ".old", str(path)]) == 0
    assert cli.main(["check", str(path)]) == 0
    bounds = pq.read_metadata(path).row_group(0).column(1).statistics
    assert (bounds.min, bounds.max) == ("aaa", "zzzz")
    assert not fixed.exists()


def test_statistics_of_a_column_with_the_name_of_an_ill_formed_one(tmp_path: Path, capsys: Any) -> None:
    table = pa.table([strings([b"ok\xff"]), pa.array(["zzzz"]), strings([b"\xfe"])], names=["a", "a", "b"])
    path = written(tmp_path, "parquet", table)
    patched(path, b"zzzz", b"zz\xc3\xc3")
    assert cli.main(["check", str(path)]) == 1
    places = [line.partition(": ")[0] for line in said(capsys)[0]]
    bounds = ("max_value", "min_value")
    assert places == ["a[0]", "b[0]", *(f"statistics of a, row group 0, {bound}" for bound in bounds for _ in "CC")]


@pytest.mark.parametrize("kind", ["arrow", "arrows"])
def test_texts_of_arrow_ipc_that_are_not_as_the_changes_say_are_not_put_back(kind: str, tmp_path: Path) -> None:
    path, given = tmp_path / f"data.{kind}", pa.table({"name": ["a"]})
    make = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
    with make(path, given.schema) as writer:
        writer.write_table(given)
    right = TextChange("column name 0", b"n\xffme", b"name")
    wrong = {
        "does not exist": replace(right, place="column name 1"),
        "not what the plan says": replace(right, new=b"x"),
    }
    for message, change in {"": right, **wrong}.items():
        target = BytesIO()
        with path.open("rb") as file, reading(str(path), "Arrow IPC", file) as reader:
            if message:
                with pytest.raises(FileError, match=message):
                    reader.copy(target, lambda part: part.data, [change])
            else:
                assert reader.copy(target, lambda part: part.data, [change]) == []
                assert b"n\xffme" in target.getvalue()


def test_names_and_metadata_of_a_valid_file_patched(tmp_path: Path, capsys: Any) -> None:
    given = pa.table({"name": ["a"], "other": [1]})
    path = tmp_path / "data.parquet"
    with pq.ParquetWriter(path, given.schema, store_schema=False) as writer:
        writer.write_table(given)
        writer.add_key_value_metadata({"origin": "here"})
    patched(path, b"name", b"n\xe9me")
    patched(path, b"origin", b"orig\xefn")
    with pytest.raises(UnicodeDecodeError):
        _ = pq.read_table(path).column_names
    assert cli.main(["repair", "--errors", "latin-1", "--lossy", str(path), "-o", str(tmp_path / "f.parquet")]) == 0
    result = pq.read_table(tmp_path / "f.parquet")
    assert (result.column_names, result.schema.metadata) == (["néme", "other"], {"origïn".encode(): b"here"})


@pytest.mark.filterwarnings("ignore")
def test_a_file_of_the_rust_writer(tmp_path: Path, capsys: Any) -> None:
    path, fixed, plan = tmp_path / "data.parquet", tmp_path / "fixed.parquet", tmp_path / "plan"
    path.write_bytes(RUST.read_bytes())
    assert cli.main(["check", str(path)]) == 1
    lines = said(capsys)[0]
    assert [line.partition(":")[0] for line in lines] == [
        'column name 2 "caf\\\\xe9"',
        "metadata key 0",
        "metadata value 0",
        '"caf\\\\xe9"[2]',
        '"caf\\\\xe9"[3]',
    ]
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0
    assert cli.main(["check", str(fixed)]) == 0
    name, values = "caf\uefe9", ["ok", None, "Zo\uefeb", "\uefed\uefa0\uefbd", None, "last"]
    for read in (_pandas, _polars, _duckdb):
        assert read(fixed) == {"id": [0, 1, 2, 3, 4, 5], name: values}
    chunk = pq.read_metadata(fixed).row_group(0).column(1)
    has_bloom_filter = getattr(chunk, "bloom_filter_offset", None) is not None  # not with an old pyarrow
    assert has_bloom_filter or "not kept: bloom filters" in said(capsys)[1]
    assert cli.main(["repair", "--root", str(tmp_path), "--plan", str(plan), str(path)]) == 0
    before = texts(path)
    for option in ("--apply", "--undo"):
        assert cli.main(["repair", "--root", str(tmp_path), option, str(plan)]) == 0
    assert texts(path)[:5] == before[:5]


def _pandas(path: Path) -> dict[str, list[Any]]:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(path)
    return {name: [None if pandas.isna(value) else value for value in frame[name]] for name in frame}


def _polars(path: Path) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = pytest.importorskip("polars").read_parquet(path).to_dict(as_series=False)
    return found


def _duckdb(path: Path) -> dict[str, list[Any]]:
    result = pytest.importorskip("duckdb").sql(f"SELECT * FROM '{path}' ORDER BY id")
    return dict(zip(result.columns, map(list, zip(*result.fetchall(), strict=True)), strict=True))
