"""`check` of a large file: memory stays what it is, whatever the size and however it is scanned.

`EIGHTFOLD_LARGE=1` has it do 8 GiB, which takes a few seconds and, where files can have holes, no room.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from command_line import ENVIRONMENT, command

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


def largest_of(path: Path, *arguments: str) -> tuple[int, bytes]:
    """Return how much memory, in bytes, a run has had at once, and what it wrote."""
    output = path.with_suffix(".out")
    line = [os.fspath(part) for part in (*command("check", *arguments), path)]
    write = (os.POSIX_SPAWN_OPEN, 1, os.fspath(output), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    _, _, usage = os.wait4(os.posix_spawn(line[0], line, ENVIRONMENT, file_actions=[write]), 0)
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024), output.read_bytes()


@pytest.mark.parametrize("arguments", [[], ["-j", "2"], ["--context"]], ids=" ".join)
def test_memory_does_not_grow_with_a_file_of_many_gibibytes(arguments: list[str], sparse: Path) -> None:
    used, output = largest_of(sparse, *arguments)
    place = f"{sparse}:2:{SIZE - len(LINE)}: invalid-byte: byte FF begins no sequence"
    assert output.decode().splitlines()[0] == place
    assert used < LARGEST


@pytest.mark.parametrize("arguments", [["--statistics"], ["-j", "2", "."]], ids=" ".join)
def test_memory_does_not_grow_with_the_faults(arguments: list[str], tmp_path: Path) -> None:
    # A fault takes hundreds of bytes: so many could not be held.
    (tmp_path / "faults").write_bytes(bytes(600_000))
    used, output = largest_of(tmp_path / "faults", "-f", "mutf-8", *arguments)
    assert len(output) > 50
    assert used < LARGEST
