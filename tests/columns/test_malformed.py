"""Tables in files with changes at random: each is read, repaired or refused, and none ends the process."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eightfold import cli
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
