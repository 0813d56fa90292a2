"""The tour of examples/: it ends well, its key lines are there, and its files are what their programs write."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from support.command_line import ENVIRONMENT, EXAMPLES, PATIENCE, command

EIGHTFOLD = shlex.join(map(str, command()))

KEY_LINES = [
    "messages-utf-16le.txt: wtf-16-le, well-formed",
    "gateway.log: utf-8, 26 faults, no evidence",
    "messages-utf-16le.txt:1:33: unpaired-surrogate: unpaired surrogate U+D83C (3C D8)",
    "messages-utf-16le.txt:1:33: unrepresentable: U+D83C cannot be written in utf-8, at byte 32",
    "eightfold: messages-utf-16le.txt: verified, 122 code points identical",
    "gateway.log:4:41: too-long: incomplete six-byte sequence (FC), which utf-8 does not have",
    "      21 truncated: a sequence that is cut short",
    "eightfold: gateway.log: verified, 253 code points identical",
    "eightfold: 5 names read, 3 ill-formed",
    "The tour is over: every step ended as it should.",
]


def tour(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**ENVIRONMENT, "EIGHTFOLD": EIGHTFOLD}
    return subprocess.run(
        ["sh", str(folder / "tour.sh")], capture_output=True, text=True, env=environment, timeout=PATIENCE, check=False
    )


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES, tmp_path / "examples"))


def test_the_tour_ends_well_says_what_it_shows_and_writes_nothing_here(examples: Path) -> None:
    before = {path.name: path.read_bytes() for path in examples.iterdir()}
    done = tour(examples)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line for line in KEY_LINES if line not in lines] == []
    assert {path.name: path.read_bytes() for path in examples.iterdir()} == before
    commands = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    assert len(commands) >= 14
    assert all(lines[number - 1].startswith("# ") for number in commands)
    shown = " ".join(lines[number] for number in commands).split()
    inputs = [line.split()[1] for line in before["SHA256SUMS"].decode().splitlines()]
    assert [name for name in inputs if name not in shown] == []


def test_a_step_that_ends_otherwise_ends_the_tour(examples: Path) -> None:
    (examples / "messages-utf-16le.txt").write_bytes("all well\n".encode("utf-16-le"))
    done = tour(examples)
    assert done.returncode == 1
    assert "should have ended with 1" in done.stderr
    assert "The tour is over" not in done.stdout
