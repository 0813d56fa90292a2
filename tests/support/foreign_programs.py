"""Programs in other languages, if installed, that answer questions: one process, one line for each question."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "vectors" / "programs"
SECONDS = 120

_UNITS = (0x0, 0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFEFF, 0xFFFE, 0xFFFF)
CODE_UNITS = [
    b"".join(unit.to_bytes(2, "big") for unit in each) for length in range(4) for each in product(_UNITS, repeat=length)
]
"""All strings of up to three 16-bit code units at the borders of what programs tell apart, big-endian."""
CUT_CODE_UNITS = [each + tail for each in CODE_UNITS for tail in (b"", b"\xdc")]
"""The same, and with half a code unit behind each."""


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
