"""Every transcript in golden/ is what the command line says today, help included, in any Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from eightfold.cli.commands import COMMANDS
from support.command_line import commanded, make_inputs, run_here, transcript, transcripts


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem)
def test_a_transcript_holds(path: Path, tmp_path: Path) -> None:
    make_inputs(tmp_path)
    assert transcript(commanded(path), tmp_path, run_here) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_help_here_and_an_example_in_it(name: str) -> None:
    shown = {commanded(path): path.read_text(encoding="utf-8") for path in transcripts()}
    assert f"examples:\n  eightfold {name} " in shown[f"eightfold {name} --help"]


def test_the_program_lists_every_command() -> None:
    listed = next(path for path in transcripts() if path.stem == "help").read_text(encoding="utf-8")
    assert all(f"  {name:<10} {summary}\n" in listed for name, summary in COMMANDS.items())
