"""Plans for tables: they list every value that changes, and undoing gives every value back."""

from __future__ import annotations

import hashlib
import json
import random
import struct
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from eightfold import cli
from eightfold.cli.work.table_changes import Planned
from eightfold.columns.footers import read_footer
from eightfold.files.records.table_changes import ValueChange
from tests.support.table_files import KINDS, opened, strings, written

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
compute = pytest.importorskip("pyarrow.compute")


def run(folder: Path, *arguments: object) -> int:
    return cli.main(["repair", "--root", str(folder), *map(str, arguments)])


def values(path: Path) -> list[Any]:
    """Return the rows of a table, with strings as the bytes that they are."""
    given = opened(path)
    return [column_values(given.column(at)) for at in range(given.num_columns)]


def column_values(column: Any) -> list[Any]:
    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array([chunk.dictionary.view(pa.binary()).take(chunk.indices) for chunk in column.chunks])
    if pa.types.is_list(column.type):
        return pa.chunked_array([chunk.view(pa.list_(pa.binary())) for chunk in column.chunks]).to_pylist()
    if pa.types.is_string(column.type):
        return [value.as_buffer().to_pybytes() if value.is_valid else None for value in column]
    return column.to_pylist()


def planned(path: Path, *options: str) -> tuple[Path, list[Any]]:
    plan = path.parent / "plan.jsonl"
    plan.unlink(missing_ok=True)
    assert run(path.parent, *options, "--plan", plan, path) == 0
    return plan, [json.loads(line) for line in plan.read_text("ascii").splitlines()]


def test_parts_without_changes_cost_nothing_later() -> None:
    """A table of very many record batches, of which only the last one changes."""
    count = 300_000
    change = ValueChange("a", count, 0, 0, 0, b"x", b"?")
    changes = Planned([change])
    assert not any(map(changes.of_group, range(count)))
    assert changes.of_group(count) == [change]
    changes.end()


@pytest.mark.parametrize("kind", KINDS)
def test_a_plan_lists_every_value_and_changes_nothing(kind: str, tmp_path: Path) -> None:
    path = written(tmp_path, kind)
    before = path.read_bytes()
    _, (_, head, *changes) = planned(path)
    assert path.read_bytes() == before
    assert (head["path"], head["changes"]) == (path.name, len(changes))
    found = [(each["column"], each["group"], each["row"], each["old"], each["new"]) for each in changes]
    e9, ff = ("63 61 66 E9", "63 61 66 EE BF A9"), ("FF", "EE BF BF")
    assert found == [
        ("name", 0, 1, *e9),
        ("tags[1]", 0, 0, *e9),
        ("kind", 0, 1, *ff),
        ("kind", 1, 0, *ff),
    ]


@pytest.mark.parametrize("options", [(), ("--errors", "replace"), ("--errors", "cp1252")])
@pytest.mark.parametrize("kind", KINDS)
def test_undo_gives_every_value_back(kind: str, options: tuple[str, ...], tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, kind)
    before, schema = values(path), opened(path).schema
    plan, _ = planned(path, *options)
    assert run(tmp_path, "--apply", plan) == 0
    assert cli.main(["check", str(path)]) == 0
    assert run(tmp_path, "--apply", plan) == 0
    assert "0 files repaired, 1 already done" in capsys.readouterr().err
    assert run(tmp_path, "--undo", plan) == 0
    assert values(path) == before
    assert opened(path).schema.equals(schema, check_metadata=True)
    assert run(tmp_path, "--undo", plan) == 0
    assert "0 files undone, 1 already done" in capsys.readouterr().err
    assert run(tmp_path, "--apply", plan) == 0
    assert cli.main(["check", str(path)]) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_values_that_one_dictionary_entry_merges_come_back_apart(kind: str, tmp_path: Path) -> None:
    names = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, None, 2, 0, 3], pa.int8()), strings([b"\xff", b"\xfe", b"ok", b"\xef\xbf\xbd"]), ordered=True
    )
    path = written(tmp_path, kind, pa.table({"name": names}))
    before = values(path)
    plan, _ = planned(path, "--errors", "replace")
    assert run(tmp_path, "--apply", plan) == 0
    assert run(tmp_path, "--undo", plan) == 0
    assert values(path) == before == [[b"\xff", b"\xfe", None, b"ok", b"\xff", b"\xef\xbf\xbd"]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", ["escape", "replace"])
def test_a_plan_that_was_undone_can_be_applied_again(kind: str, policy: str, tmp_path: Path, capsys: Any) -> None:
    entries = strings([b"\xe9", b"\xff", b"\xef\xbf\xbd", b"no row shows this \xfe", b"nor this \xee\xbe\x80"])
    names = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None, 0], pa.int32()), entries)
    path = written(tmp_path, kind, pa.table({"name": names}))
    before = values(path)
    plan, _ = planned(path, "--errors", policy)
    assert run(tmp_path, "--apply", plan) == 0
    applied = path.read_bytes()
    for _ in range(2):
        assert run(tmp_path, "--undo", plan) == 0
        assert values(path) == before
        assert run(tmp_path, "--apply", plan) == 0
        assert path.read_bytes() == applied
    capsys.readouterr()
    assert run(tmp_path, "--apply", plan) == 0
    assert "0 files repaired, 1 already done" in capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
def test_so_can_one_for_string_views(kind: str, tmp_path: Path) -> None:
    values = [b"\xff", b"long, and the rest is as it was", b"longer than a view: \xe9", None, b"another long value"]
    views = pa.Array.from_buffers(pa.string_view(), 5, pa.array(values, pa.binary_view()).buffers())
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 2, 5], pa.int32()), views)
    path = written(tmp_path, kind, pa.table({"name": views[:3], "names": lists}))
    plan, _ = planned(path, "--errors", "replace")
    assert run(tmp_path, "--apply", plan) == 0
    applied = path.read_bytes()
    for _ in range(2):
        assert run(tmp_path, "--undo", plan) == 0
        assert run(tmp_path, "--apply", plan) == 0
        assert path.read_bytes() == applied


def test_string_views_that_share_their_bytes_still_do_in_a_repaired_file(tmp_path: Path) -> None:
    count, shared = 1000, b"x" * 10_000
    views = pa.py_buffer(struct.pack("=i4sii", len(shared), shared[:4], 0, 0) * count)
    name = pa.Array.from_buffers(pa.string_view(), count, [None, views, pa.py_buffer(shared)])
    given = pa.table({"name": name, "other": strings([b"\xff"] + [b"ok"] * (count - 1))})
    path = tmp_path / "data.arrow"
    with pa.ipc.new_file(path, given.schema) as writer:
        writer.write_table(given)
    assert cli.main(["repair", "--in-place", str(path)]) == 0
    assert path.stat().st_size < 50_000
    assert pa.ipc.open_file(path).read_all()["name"].equals(given["name"])


def test_a_plan_for_string_views_that_share_their_bytes_can_be_applied_again(tmp_path: Path) -> None:
    # The last two become the same.
    values = [b"x" * 1000 + b"\xff", b"y" * 1000, b"long text \xe2\x82.", b"long text \xf0\x9f."]
    starts = [sum(map(len, values[:at])) for at in range(len(values))]
    views = [struct.pack("=i4sii", len(value), value[:4], 0, at) for value, at in zip(values, starts, strict=True)]
    parts = b"\xfe" + b"\xff" * 124, b"".join(views[row % 5 % 4] for row in range(1000)), b"".join(values)
    given = pa.table({"name": pa.Array.from_buffers(pa.string_view(), 1000, list(map(pa.py_buffer, parts)))})
    path = tmp_path / "data.arrow"
    with pa.ipc.new_file(path, given.schema) as writer:
        writer.write_table(given)
    plan, _ = planned(path, "--errors", "replace")
    assert run(tmp_path, "--apply", plan) == 0
    applied = path.read_bytes()
    for _ in range(2):
        assert len(path.read_bytes()) < 20_000
        assert run(tmp_path, "--undo", plan) == 0
        assert len(path.read_bytes()) < 20_000
        assert run(tmp_path, "--apply", plan) == 0
        assert path.read_bytes() == applied


def test_string_views_without_a_change_keep_their_buffers_in_a_repaired_file(tmp_path: Path) -> None:
    values = [b"one longer than a view", b"two longer than a view"]
    views = [struct.pack("=i4sii", len(value), value[:4], at, 0) for at, value in enumerate(values)]
    name = pa.Array.from_buffers(pa.string_view(), 2, [None, *map(pa.py_buffer, [b"".join(views), *values])])
    for given in (name, pa.StructArray.from_arrays([name], ["a"]), pa.DictionaryArray.from_arrays([1, 0], name)):
        path = written(tmp_path, "arrow", pa.table({"name": given, "other": strings([b"\xff", b"ok"])}))
        plan, _ = planned(path)
        for option in ("--apply", "--undo", "--apply"):
            assert run(tmp_path, option, plan) == 0
            (kept,) = pa.ipc.open_file(path).read_all()["name"].chunks
            assert kept.equals(given)
            inner = kept.dictionary if isinstance(kept, pa.DictionaryArray) else kept
            assert len(inner.buffers()) == len(given.buffers() if inner is kept else name.buffers())


def test_other_bytes_after_an_undo_are_refused_with_the_reason(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    path = written(tmp_path, "parquet")
    plan, _ = planned(path)
    for option in ("--apply", "--undo"):
        assert run(tmp_path, option, plan) == 0
    undone = path.read_bytes()
    make = pq.ParquetWriter
    monkeypatch.setattr(pq, "ParquetWriter", lambda *args, **options: make(*args, **{**options, "compression": "gzip"}))
    assert run(tmp_path, "--apply", plan) == 2
    reason = "its plan was undone, and repairing it again gives other bytes than those of the plan: make a new plan"
    assert f"{path}: {reason}" in capsys.readouterr().err
    assert path.read_bytes() == undone


def test_a_backup_has_every_byte(tmp_path: Path) -> None:
    path = written(tmp_path, "parquet")
    before = path.read_bytes()
    assert cli.main(["repair", "--in-place", "--verify", "--backup", ".old", str(path)]) == 0
    assert path.with_name(path.name + ".old").read_bytes() == before
    assert cli.main(["check", str(path)]) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_verify_undoes_the_changes_in_the_result(kind: str, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    path, fixed = written(tmp_path, kind), tmp_path / f"fixed.{kind}"
    assert cli.main(["repair", "--verify", str(path), "-o", str(fixed)]) == 0
    assert "1 written and verified" in capsys.readouterr().err
    fixed.unlink()
    monkeypatch.setattr("eightfold.cli.work.table_changes.with_values", lambda data, changes, **options: data)
    assert cli.main(["repair", "--verify", str(path), "-o", str(fixed)]) == 1
    assert "with its changes undone, the result is not the original" in capsys.readouterr().err
    assert not fixed.exists()


NAN = float("nan")


def columns_with(number: float) -> dict[str, Any]:
    """Return two rows with a number in each type that can hold one inside."""
    of, doubles = pa.array, pa.array([number, 1.0])
    union = pa.UnionArray.from_sparse(of([0, 1], pa.int8()), [doubles, of(["a", "b"])])
    behind_null = of([False, True])
    runs = pa.RunEndEncodedArray.from_arrays(of([1, 4], pa.int32()), doubles)
    tensor = pa.fixed_shape_tensor(pa.float32(), [2])
    return {
        "number": of([number, None]),
        "half": of([number, 2.0], pa.float32()).cast(pa.float16()),
        "both": of([{"a": number, "b": "x"}, None]),
        "map": of([[("k", number)], []], pa.map_(pa.string(), pa.float32())),
        "map of runs": pa.MapArray.from_arrays([0, 1, 2], of(["k", "l"]), pa.ListArray.from_arrays([0, 2, 4], runs)),
        "list": of([[1.0], [number]]),
        "fixed": of([[1.0, number], [2.0, 3.0]], pa.list_(pa.float64(), 2)),
        "view": of([[number], None], pa.list_view(pa.float64())),
        "large view": of([[1.0, number], []], pa.large_list_view(pa.float32())),
        "nested": of([{"a": [number]}, {"a": None}], pa.struct({"a": pa.list_view(pa.float64())})),
        "dictionary": pa.DictionaryArray.from_arrays(of([1, 0], pa.int8()), doubles),
        "tensor": pa.ExtensionArray.from_storage(tensor, of([[number, 1], [2, 3]], pa.list_(pa.float32(), 2))),
        "runs": pa.RunEndEncodedArray.from_arrays(of([1, 2], pa.int32()), doubles),
        "sparse": union,
        "sparse in a struct": pa.StructArray.from_arrays([union, of(["a", "b"])], ["a", "b"], mask=behind_null),
        "dense": pa.UnionArray.from_dense(of([0, 1], pa.int8()), of([0, 0], pa.int32()), [doubles, of(["a"])]),
    }


def can_hold(kind: str, column: Any) -> bool:
    """Return whether this pyarrow can write a column to a kind of file."""
    try:
        return kind != "parquet" or pq.write_table(pa.table({"a": column}), BytesIO()) is None
    except pa.ArrowNotImplementedError:
        return False


@pytest.mark.parametrize("kind", KINDS)
def test_nan_and_every_other_type_come_back(kind: str, tmp_path: Path) -> None:
    others = {name: column for name, column in columns_with(NAN).items() if can_hold(kind, column)}
    path = written(tmp_path, kind, pa.table({"name": strings([b"\xff", None]), **others}))
    assert cli.main(["repair", "--verify", str(path), "-o", str(tmp_path / f"fixed.{kind}")]) == 0


@pytest.mark.parametrize("name", columns_with(NAN))
def test_another_number_is_not_the_same(name: str) -> None:
    from eightfold.columns.differences import is_same

    def made(number: float) -> Any:
        return pa.table({"a": [number, NAN], "b": columns_with(number)[name]})

    assert is_same(made(NAN), made(NAN))
    assert is_same(made(NAN).slice(1), made(NAN).slice(1))
    for other in (2.0, -NAN):
        assert not is_same(made(NAN).select(["b"]), made(other).select(["b"]))
    assert is_same(made(0.0), made(0.0))
    assert not is_same(made(0.0).select(["b"]), made(-0.0).select(["b"]))


@pytest.mark.parametrize(("make", "offset"), [(pa.list_, pa.int32()), (pa.large_list, pa.int64())])
def test_no_lists_may_begin_anywhere(make: Any, offset: Any, tmp_path: Path) -> None:
    offsets, numbers = pa.array([2], offset).buffers()[1], pa.array([NAN] * 2)
    lists = pa.Array.from_buffers(make(pa.float64()), 0, [None, offsets], children=[numbers])
    path = tmp_path / "data.arrows"
    batches = [
        pa.RecordBatch.from_arrays([strings([b"\xff"] * len(column)), column], ["name", "list"])
        for column in (lists, pa.array([[NAN]], lists.type))
    ]
    with pa.ipc.new_stream(path, batches[0].schema) as target:
        for batch in batches:
            target.write_batch(batch)
    assert cli.main(["repair", "--verify", "-o", str(tmp_path / "fixed.arrows"), str(path)]) == 0


def test_runs_of_strings_come_back(tmp_path: Path) -> None:
    runs = compute.run_end_encode(strings([b"\xff", b"\xff", b"a", None, b"\xfe"]))
    path = written(tmp_path, "arrow", pa.table({"name": runs}))
    before = [compute.run_end_decode(chunk).view(pa.binary()).to_pylist() for chunk in opened(path)["name"].chunks]
    plan, _ = planned(path)
    assert run(tmp_path, "--apply", plan) == 0
    assert cli.main(["check", str(path)]) == 0
    assert run(tmp_path, "--undo", plan) == 0
    after = [compute.run_end_decode(chunk).view(pa.binary()).to_pylist() for chunk in opened(path)["name"].chunks]
    assert after == before == [[b"\xff", b"\xff"], [b"a", None], [b"\xfe"]]


def test_runs_of_lists_come_back(tmp_path: Path) -> None:
    lists = pa.ListArray.from_arrays([0, 2, 3], strings([b"\xff", b"a", b"\xfe"]))
    children, type = [pa.array([2, 3], pa.int32()), lists], pa.run_end_encoded(pa.int32(), lists.type)
    path = written(tmp_path, "arrow", pa.table({"names": pa.Array.from_buffers(type, 3, [None], children=children)}))
    plan, _ = planned(path)
    assert run(tmp_path, "--apply", plan) == 0
    assert cli.main(["check", str(path)]) == 0
    assert run(tmp_path, "--undo", plan) == 0
    after = [chunk.values.values.view(pa.binary()).to_pylist() for chunk in opened(path)["names"].chunks]
    assert [value for values in after for value in values] == [b"\xff", b"a", b"\xfe"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_not_the_one_of_the_plan_is_left_alone(kind: str, tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, kind)
    plan, _ = planned(path)
    written(tmp_path, kind, pa.table({"name": strings([b"\xfe"])}))
    before = path.read_bytes()
    for option, other in (("--apply", "file in the plan"), ("--undo", "result of the plan")):
        assert run(tmp_path, option, plan) == 2
        assert f"{path}: it is not the {other}, or it has changed since" in capsys.readouterr().err
    assert path.read_bytes() == before


def honest(lines: list[Any]) -> list[Any]:
    """Return a plan with the digest of the changes that it lists."""
    digest = hashlib.sha256("".join(json.dumps(line) + "\n" for line in lines[2:]).encode())
    return [lines[0], {**lines[1], "changes_sha256": digest.hexdigest()}, *lines[2:]]


OTHER_WISHES = {0, 14}
"""The lies that ask undo for something else that can be done: another value, or one less."""


def _lies(lines: list[Any]) -> list[list[Any]]:
    """Return plans that say something else."""
    head, name, *others = lines[1:]
    changed = [
        [head, {**name, "old": "61"}, *others],
        [head, {**name, "new": "61"}, *others],
        [head, {**name, "at": 3}, *others],
        [head, {**name, "at": 1 << 62}, *others],
        [head, {**name, "leaf": 9}, *others],
        [head, {**name, "group": 7}, *others],
        [head, {**name, "row": -1}, *others],
        [head, {**name, "row": "1"}, *others],
        [head, {**name, "row": ""}, *others],
        [head, {**name, "row": []}, *others],
        [head, {**name, "column": ["name"]}, *others],
        [head, {**name, "old": "6"}, *others],
        [head, name, name, *others],
        [head, *others, name],
        [{**head, "changes": 3}, *others],
        [{**head, "changes": 99}, name, *others],
        [{**head, "table": "Excel"}, name, *others],
        [{**head, "table": "Arrow IPC"}, name, *others],
        [{**head, "undone_sha256": 1}, name, *others],
        [{**head, "errors": "surrogateescape"}, name, *others],
        [{**head, "path": "../" + head["path"]}, name, *others],
        [{**head, "path": "-"}, name, *others],
        [{**head, "changes": 5}, {"place": "column name 1", "old": "61", "new": "62"}, name, *others],
        [{**head, "changes": 5}, name, {"place": "column name 1", "old": "61", "new": "62"}, *others],
    ]
    return [[lines[0], *plan] for plan in changed]


@pytest.mark.parametrize("is_damaged", [True, False])
@pytest.mark.parametrize("option", ["--apply", "--undo"])
def test_a_plan_that_lies_changes_no_file(option: str, is_damaged: bool, tmp_path: Path, capsys: Any) -> None:
    path = written(tmp_path, "parquet")
    plan, lines = planned(path)
    if option == "--undo":
        assert run(tmp_path, "--apply", plan) == 0
    before = path.read_bytes()
    capsys.readouterr()
    for number, lie in enumerate(_lies(lines)):
        if number in OTHER_WISHES and option == "--undo" and not is_damaged:
            continue
        lie = lie if is_damaged else honest(lie)
        plan.write_text("".join(json.dumps(line) + "\n" for line in lie), "ascii")
        assert run(tmp_path, option, plan) != 0, number
        captured = capsys.readouterr()
        assert captured.err.startswith(("eightfold: ", "usage: ")), number
        assert "Traceback" not in captured.err
        assert path.read_bytes() == before, number
        assert sorted(each.name for each in tmp_path.iterdir()) == ["data.parquet", "plan.jsonl"]


def side(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    return {"path": str(path), "form": "utf-8", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("errors", ["escape", "replace"])
def test_a_certificate_says_what_was_proved(kind: str, errors: str, tmp_path: Path) -> None:
    path, fixed, proof = written(tmp_path, kind), tmp_path / f"fixed.{kind}", tmp_path / "proof.jsonl"
    wanted = ["repair", "--errors", errors, "--lossy", "--certificate", str(proof)]
    assert cli.main([*wanted, "-o", str(fixed), str(path)]) == 0
    (line,) = map(json.loads, proof.read_text("ascii").splitlines())
    before = side(path)
    assert (line["source"], line["result"]) == (before, side(fixed))
    assert (line["same"], line["errors"], line["changes"]) == ("values when undone", errors, 4)
    assert line["table"] == ("Parquet" if kind == "parquet" else "Arrow IPC")
    proof.unlink()
    assert cli.main([*wanted, "--in-place", str(path)]) == 0
    (line,) = map(json.loads, proof.read_text("ascii").splitlines())
    assert (line["source"], line["result"]) == (before, side(path))


def test_certificates_of_applying_and_undoing(tmp_path: Path) -> None:
    path, proofs = written(tmp_path, "parquet"), [tmp_path / "applied", tmp_path / "undone"]
    sides, (plan, _) = [side(path)], planned(path)
    for option, proof in zip(("--apply", "--undo"), proofs, strict=True):
        assert run(tmp_path, option, plan, "--certificate", proof) == 0
        (line,) = map(json.loads, proof.read_text("ascii").splitlines())
        sides.append(side(path))
        assert (line["source"], line["result"]) == tuple(sides[-2:])
        assert (line["same"], line["table"]) == ("digests of the plan", "Parquet")


def test_a_certificate_of_an_undo_by_another_pyarrow_says_that_values_are_the_same(tmp_path: Path) -> None:
    path, proof = written(tmp_path, "parquet"), tmp_path / "proof"
    plan, lines = planned(path)
    assert run(tmp_path, "--apply", plan) == 0
    lines[1]["undone_sha256"] = "0" * 64
    plan.write_text("".join(json.dumps(line) + "\n" for line in lines), "ascii")
    assert run(tmp_path, "--undo", plan, "--certificate", proof) == 0
    assert json.loads(proof.read_text("ascii"))["same"] == "values of the plan"


def test_a_table_without_faults_is_not_in_the_plan(tmp_path: Path) -> None:
    path = written(tmp_path, "parquet", pa.table({"name": ["a"]}))
    assert planned(path)[1] == [{"eightfold": "plan", "version": 1}]


def test_tables_and_text_files_share_a_plan(tmp_path: Path) -> None:
    path, text = written(tmp_path, "parquet"), tmp_path / "notes.txt"
    text.write_bytes(b"caf\xe9\n")
    plan = tmp_path / "plan.jsonl"
    assert run(tmp_path, "--plan", plan, path, text) == 0
    before = values(path)
    assert run(tmp_path, "--apply", plan) == 0
    assert text.read_bytes() == "caf\uefe9\n".encode()
    assert run(tmp_path, "--undo", plan) == 0
    assert (values(path), text.read_bytes()) == (before, b"caf\xe9\n")


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", KINDS)
def test_many_values_in_chunks_come_back(kind: str, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    choices = [b"", b"a", b"\xff", b"\xed\xa0\x80", "\uef80".encode(), "é".encode(), b"caf\xe9" * 9, None]
    names = strings([chance.choice(choices) for _ in range(200)])
    bounds = sorted(chance.randrange(201) for _ in range(99))
    lists = pa.ListArray.from_arrays(pa.array([0, *bounds, 200], pa.int32()), names)
    given = pa.table({"name": names.slice(100, 100), "tags": lists})
    path = written(tmp_path, kind, given)
    before = values(path)
    plan, _ = planned(path, "--errors", chance.choice(["escape", "replace", "latin-1"]))
    assert run(tmp_path, "--apply", plan) == 0
    assert run(tmp_path, "--undo", plan) == 0
    assert values(path) == before


@pytest.mark.parametrize("options", [("--plan", "plan"), ("--verify", "--in-place"), ("--apply", "applied")])
def test_the_footers_of_a_file_and_of_its_copy_are_read_once_each(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: Any
) -> None:
    path = written(tmp_path, "parquet")
    monkeypatch.chdir(tmp_path)
    assert cli.main(["repair", "--plan", "applied", str(path)]) == 0
    read: list[Any] = []

    def counted(file: Any) -> Any:
        read.append(file)
        return read_footer(file)

    monkeypatch.setattr("eightfold.columns.parquet_files.read_footer", counted)
    is_applied = "--apply" in options
    assert cli.main(["repair", *options, *([] if is_applied else [str(path)])]) == 0
    assert len(read) == (1 if is_applied else 2)
