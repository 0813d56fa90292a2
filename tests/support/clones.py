"""Commands in a clone of a hostile repository, beside a file that must not change."""

from __future__ import annotations

import pytest

from eightfold.cli import main

PRECIOUS = b"precious \xe9"
Captured = pytest.CaptureFixture[str]
NESTED = "[" * 100_000


def refused(arguments: list[str], capsys: Captured, *words: str) -> None:
    """Run a command, which must say these words in lines of its own, and end with status 2."""
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert all(line.startswith("eightfold: ") for line in said.splitlines())
    for word in words:
        assert word in said


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth
