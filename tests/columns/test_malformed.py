"""Tables in files with changes at random: each is read, repaired or refused, and none ends the process."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eightfold import cli
from support.command_line import ENVIRONMENT, command
from tests.support.table_files import KINDS

pa: Any = pytest.importorskip("pyarrow")

COUNT = 1000 if os.environ.get("EIGHTFOLD_EXHAUSTIVE") else 50


@pytest.mark.parametrize("kind", KINDS)
def test_no_changed_file_ends_the_process(kind: str) -> None:
    given = [sys.executable, "-X", "faulthandler", "-m", "tests.support.mangled_tables", kind, "1", str(COUNT)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(Path(__file__).parents[2]), "tests"))}
    done = subprocess.run(given, capture_output=True, text=True, env=environment, cwd=Path(__file__).parents[2])
    last = done.stdout.splitlines()[-1:]
    assert done.returncode == 0, f"{kind}, file {last}: {done.stderr}"
    (said,) = last
    refused = int(said.removeprefix("refused "))
    assert 0 < refused < COUNT


def test_malformed_runs_of_binary_values_are_not_read(tmp_path: Path) -> None:
    path, fixed = tmp_path / "data.arrow", tmp_path / "fixed.arrow"
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 5], pa.int32()), pa.array([b"a", b"b"]))
    batch = pa.record_batch({"name": ["ok"] * 5, "runs": runs})
    with pa.ipc.new_file(path, batch.schema) as writer:
        writer.write_batch(batch)
    path.write_bytes(path.read_bytes().replace(struct.pack("<ii", 2, 5), struct.pack("<ii", 5, 5)))
    assert cli.main(["check", str(path)]) == 0
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0


def lists_of_numbers() -> Any:
    return pa.Array.from_buffers(pa.list_(pa.float64()), 3, [None, offsets()], children=[pa.array([0.5] * 9)])


def lists_in_a_struct() -> Any:
    return pa.StructArray.from_arrays([lists_of_numbers()], ["lists"])


def binary_values() -> Any:
    return pa.Array.from_buffers(pa.binary(), 3, [None, offsets(), pa.py_buffer(bytes(9))])


def binary_views() -> Any:
    views = struct.pack("<i4sii", 20, bytes(4), 0, 1 << 30) * 3
    return pa.Array.from_buffers(pa.binary_view(), 3, [None, pa.py_buffer(views), pa.py_buffer(bytes(20))])


def views_of_lists() -> Any:
    sizes, starts = pa.array([1, 1, 1], pa.int32()), pa.array([0, 1 << 30, 2], pa.int32())
    buffers = [None, starts.buffers()[1], sizes.buffers()[1]]
    return pa.Array.from_buffers(pa.list_view(pa.int64()), 3, buffers, children=[pa.array(range(9))])


def offsets() -> Any:
    return pa.array([0, 1 << 30, 5, 9], pa.int32()).buffers()[1]


BESIDE = [lists_of_numbers, lists_in_a_struct, binary_values, binary_views, views_of_lists]


@pytest.mark.parametrize("beside", BESIDE)
def test_places_that_lie_beside_the_text_do_not_end_the_process(beside: Callable[[], Any], tmp_path: Path) -> None:
    path = tmp_path / "data.arrow"
    batch = pa.record_batch({"name": ["\ue0ee"] * 3, "beside": beside()})
    with pa.ipc.new_file(path, batch.schema) as writer:
        writer.write_batch(batch)
    given = [sys.executable, "-m", "eightfold", "repair", "--verify", "--in-place", str(path)]
    done = subprocess.run(given, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "rows from 0" in done.stderr


def in_a_list(union: Any) -> Any:
    return pa.ListArray.from_arrays(pa.array([0, 0], pa.int32()), union)


def in_a_struct(union: Any) -> Any:
    return pa.StructArray.from_arrays([in_a_list(union), pa.array(["x"])], ["lists", "text"])


def in_a_map(union: Any) -> Any:
    return pa.MapArray.from_arrays(pa.array([0, 0], pa.int32()), pa.array([], pa.string()), union)


@pytest.mark.parametrize("mode", ["dense", "sparse"])
@pytest.mark.parametrize("around", [lambda union: union, in_a_list, in_a_struct, in_a_map])
def test_a_union_of_no_rows_in_a_compressed_file_does_not_end_the_process(
    mode: str, around: Callable[[Any], Any], tmp_path: Path
) -> None:
    path, fixed = tmp_path / "data.arrow", tmp_path / "fixed.arrow"
    codes, members = pa.array([], pa.int8()), [pa.array([], pa.string())]
    is_dense = mode == "dense"
    make = pa.UnionArray.from_dense if is_dense else pa.UnionArray.from_sparse
    union = make(codes, pa.array([], pa.int32()), members) if is_dense else make(codes, members)
    column = around(union)
    ill_formed = pa.Array.from_buffers(
        pa.string(), len(column), pa.array([b"\xff"] * len(column), pa.binary()).buffers()
    )
    batch = pa.record_batch({"union": column, "text": ill_formed})
    with pa.ipc.new_file(path, batch.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_batch(batch)
    line = [*command("repair"), str(path), "-o", str(fixed)]
    done = subprocess.run(line, capture_output=True, env=ENVIRONMENT, check=False)
    assert done.returncode == 0, done.stderr
    with pa.ipc.open_file(fixed) as copy:
        assert copy.get_batch(0)["union"].equals(column)
