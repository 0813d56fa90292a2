"""The adapters: how to start each program that is known, what it needs, and how to get it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parents[1] / "adapters"
WORK = FOLDER.parent / ".work"
SETUP_SECONDS = 900


class Adapter(NamedTuple):
    """A program that can be asked.

    Attributes:
        name: what to call it on the command line.
        title: what it is.
        command: how to start it.
        programs: what must be on PATH.
        made: what ``setup`` makes, if it makes anything.
        setup: the commands that get or build it.
    """

    name: str
    title: str
    command: tuple[str, ...]
    programs: tuple[str, ...] = ()
    made: str = ""
    setup: tuple[tuple[str, ...], ...] = ()

    def missing(self) -> str:
        """Return why it cannot be asked, or nothing."""
        for program in self.programs:
            if shutil.which(program) is None:
                return f"{program} is not installed"
        if self.made and not Path(self.made).exists():
            return f"not set up: python conformance/run.py --setup {self.name}"
        return ""

    def set_up(self) -> str:
        """Get or build the program; return what went wrong, or nothing."""
        for command in self.setup:
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=SETUP_SECONDS, check=False)
            except (OSError, subprocess.TimeoutExpired) as error:
                return str(error)
            if done.returncode:
                return f"{' '.join(command)} ended with status {done.returncode}:\n{done.stderr[-2000:]}"
        return ""


def adapters(work: Path = WORK) -> dict[str, Adapter]:
    """Return every adapter by name; ``work`` is the folder where what is built is kept."""
    listed = json.loads((FOLDER / "adapters.json").read_text(encoding="utf-8"))
    places = {"python": sys.executable, "adapters": str(FOLDER), "work": str(work)}
    return {each["name"]: _adapter(each, places) for each in listed}


def _adapter(each: dict[str, Any], places: dict[str, str]) -> Adapter:
    def filled(words: list[str]) -> tuple[str, ...]:
        return tuple(word.format(**places) for word in words)

    return Adapter(
        each["name"],
        each["title"],
        filled(each["command"]),
        tuple(each.get("programs", ())),
        each.get("made", "").format(**places),
        tuple(map(filled, each.get("setup", ()))),
    )
