"""Faults on purpose: a full disk, a kill at any moment, a reader that fails. The original is intact every time."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import eightfold
from eightfold.files.paths.addresses import is_temporary
from support.command_line import ENVIRONMENT, PATIENCE, command, run
from support.kills import killed
from support.table_files import strings


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte, where root can have one."""
    if shutil.which("mount") is None:
        pytest.skip("mount is not installed")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


CONVERTED = ["convert", "-t", "utf-16-le", "--in-place"]
COPIED = ["convert", "-t", "utf-16-le", "-o"]
REPAIRED = ["repair", "--in-place"]


@pytest.mark.parametrize("size", [4_095, 250_000, 340_000, 600_000])
@pytest.mark.parametrize("backup", [[], ["--backup", ".kept"]], ids=["", "backup"])
def test_a_full_disk(size: int, backup: list[str], small_disk: Path) -> None:
    old = small_disk / "file.txt"
    content = b"x" * size
    old.write_bytes(content)
    done = run(*CONVERTED, *backup, "file.txt", cwd=small_disk)
    fits = 3 * size < 1 << 20
    assert done.returncode == (0 if fits else 2)
    assert old.read_bytes() == (content.decode().encode("utf-16-le") if fits else content)
    assert [path.name for path in small_disk.iterdir() if path.name != "file.txt"] == ["file.txt.kept"] * bool(
        backup and fits
    )
    if not fits:
        assert done.stderr == b"eightfold: file.txt: No space left on device\n"


def test_a_plan_for_a_table_that_does_not_fit_is_not_kept(small_disk: Path, tmp_path: Path) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    names = strings([b"caf\xe9 %d" % number for number in range(20_000)])
    parquet.write_table(pyarrow.table({"name": names}), tmp_path / "big.parquet")
    (tmp_path / "small.txt").write_bytes(b"caf\xe9\n")
    done = run("repair", "--plan", "disk/plan.jsonl", "small.txt", "big.parquet", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == b"eightfold: disk/plan.jsonl: No space left on device"
    assert b"big.parquet" not in done.stderr
    assert b"next:" not in done.stderr
    assert not list(small_disk.iterdir())


def test_a_disk_without_room_for_another_file(small_disk: Path) -> None:
    old = small_disk / "file.txt"
    old.write_bytes(b"caf\xe9")
    with (small_disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while True:
            filler.write(bytes(4096))
    done = run(*REPAIRED, "file.txt", cwd=small_disk)
    assert (done.returncode, old.read_bytes()) == (2, b"caf\xe9")
    assert b"file.txt: No space left on device" in done.stderr
    assert sorted(path.name for path in small_disk.iterdir()) == ["file.txt", "filler"]


def files_beside(file: Path) -> set[tuple[str, int]]:
    """Return the names of the other files in its folder, each with the time at which it was last written."""
    found = set()
    for path in file.parent.iterdir():
        with suppress(FileNotFoundError):  # A run has removed it meanwhile.
            if path != file:
                found.add((path.name, path.stat().st_mtime_ns))
    return found


@pytest.mark.parametrize("arguments", [CONVERTED, REPAIRED, [*COPIED, "file.txt"]], ids=["convert", "repair", "-o"])
def test_kills_at_any_moment_leave_the_old_file_or_the_new_one(arguments: list[str], tmp_path: Path) -> None:
    old = tmp_path / "file.txt"
    lines = 200_000 if eightfold.ENGINE == "native" else 10_000
    content = b"text and more text\n" * lines + b"\xff" * (arguments is REPAIRED)

    def again() -> None:
        old.write_bytes(content)

    again()
    assert run(*arguments, "file.txt", cwd=tmp_path).returncode == 0
    new = old.read_bytes()
    assert new != content
    seed = random.randrange(1 << 30)
    chance, kills = random.Random(seed), 0
    longest = 0.02  # By and by about as long as a run is at work on this machine.
    for _ in range(16):
        again()
        strays = files_beside(old)
        seconds = chance.uniform(0, longest)
        status = killed([*arguments, "file.txt"], tmp_path, lambda: not files_beside(old) <= strays, seconds)
        assert status in (None, 0), f"seed {seed}"
        assert old.read_bytes() in (content, new), f"seed {seed}"
        kills += status is None
        longest *= 1.6 if status is None else 0.6
    assert kills, "each run ended before it was seen at work"
    again()
    assert run(*arguments, "file.txt", cwd=tmp_path).returncode == 0
    assert old.read_bytes() == new
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"], "strays are gone"


def test_kills_leave_strays_that_the_next_run_removes(tmp_path: Path) -> None:
    with subprocess.Popen(
        command(*COPIED, "file.txt"), cwd=tmp_path, env=ENVIRONMENT, stdin=subprocess.PIPE
    ) as process:
        deadline = time.monotonic() + PATIENCE
        while not list(tmp_path.iterdir()):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.kill()
    [stray] = tmp_path.iterdir()
    assert is_temporary(str(stray))
    assert run(*COPIED, "file.txt", cwd=tmp_path, input=b"a").returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="needs a file that opens and does not read")
@pytest.mark.parametrize("arguments", [["convert", "-t", "utf-8"], ["repair"]])
def test_a_file_that_does_not_read_leaves_what_is_at_the_target(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"old")
    done = run(*arguments, "-o", "out", "/proc/self/mem", cwd=tmp_path)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, b"eightfold: /proc/self/mem: Input/output error")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("out", b"old")]
