"""`check` of a large file: memory stays what it is, whatever the size and however it is scanned.

`EIGHTFOLD_LARGE=1` has it do 8 GiB, which takes a few seconds and, where files can have holes, no room.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import eightfold
from support.command_line import ENVIRONMENT, command

GIBIBYTE = 1024**3
SIZE = 8 * GIBIBYTE if os.environ.get("EIGHTFOLD_LARGE") == "1" else GIBIBYTE // 4
LARGEST = 200 * 1024**2
LINE = b"a line\n"
LAST = b"the end \xff"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asks the system how much a child has used")


@pytest.fixture(scope="module")
def sparse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with text at both ends, and a hole, which reads as NULs, between."""
    path = tmp_path_factory.mktemp("large") / "sparse"
    with open(path, "wb") as file:
        file.write(LINE)
        file.seek(SIZE - len(LAST))
        file.write(LAST)
    return path


# A process counts as its own what the one that started it had at that time, so a small one starts it.
MEASURE = """
import os, sys
_, _, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)
print(usage.ru_maxrss, file=sys.stderr)
"""


def largest_of(path: Path, *arguments: str) -> tuple[int, bytes]:
    """Return how much memory, in bytes, a run has had at once, and what it wrote."""
    line = [sys.executable, "-S", "-c", MEASURE, *command("check", *arguments), os.fspath(path)]
    done = subprocess.run(line, env=ENVIRONMENT, capture_output=True, check=True)
    return int(done.stderr.split()[-1]) * (1 if sys.platform == "darwin" else 1024), done.stdout


@pytest.mark.skipif(
    eightfold.ENGINE != "native", reason="the reference takes ten minutes for what the core scans at once"
)
@pytest.mark.parametrize("arguments", [[], ["-j", "2"], ["--context"]], ids=" ".join)
def test_memory_does_not_grow_with_a_file_of_many_gibibytes(arguments: list[str], sparse: Path) -> None:
    used, output = largest_of(sparse, *arguments)
    place = f"{sparse}:2:{SIZE - len(LINE)}: invalid-byte: byte FF cannot begin a sequence"
    assert output.decode().splitlines()[0] == place
    assert used < LARGEST


@pytest.mark.parametrize("arguments", [["--statistics"], ["-j", "2", "."]], ids=" ".join)
def test_memory_does_not_grow_with_the_faults(arguments: list[str], tmp_path: Path) -> None:
    # A fault takes hundreds of bytes: so many could not be held.
    (tmp_path / "faults").write_bytes(bytes(600_000))
    used, output = largest_of(tmp_path / "faults", "-f", "mutf-8", *arguments)
    assert len(output) > 50
    assert used < LARGEST
