"""Tables in files with changes at random: each is read, repaired or refused, and none ends the process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.table_files import KINDS

pytest.importorskip("pyarrow")

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
