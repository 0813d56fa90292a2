"""Programs in other languages, if installed, that answer questions: one process, one line for each question."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "vectors" / "programs"
SECONDS = 120


def needs(program: str, version: int, *, flag: str = "--version") -> pytest.MarkDecorator:
    """Return the mark that skips a module if a program is missing or too old, with the reason."""
    path = shutil.which(program)
    if path is None:
        return pytest.mark.skip(reason=f"{program} is not installed; the comparison needs {program} {version} or later")
    said = subprocess.run([path, flag], capture_output=True, text=True, timeout=SECONDS, check=True)
    found = re.search(r"\d+", said.stdout + said.stderr)
    too_old = found is None or int(found[0]) < version
    return pytest.mark.skipif(too_old, reason=f"the comparison needs {program} {version} or later, this is {found}")


def answers(command: list[str], questions: Iterable[str]) -> dict[str, str]:
    """Return the answer to each question, from one process."""
    asked = list(dict.fromkeys(questions))
    process = subprocess.run(
        command, input="".join(f"{each}\n" for each in asked), capture_output=True, text=True, timeout=SECONDS
    )
    assert process.returncode == 0, process.stderr
    return dict(zip(asked, process.stdout.splitlines(), strict=True))
