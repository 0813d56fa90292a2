"""Help on terminals of any width: it fills them, and says the same."""

from __future__ import annotations

import pytest

from eightfold.cli import main
from eightfold.cli.commands import COMMANDS
from eightfold.cli.output.prose import columns, refilled

WIDTHS = (40, 60, 80, 120, 200)


def help_of(name: str, width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    assert main([*([name] if name else []), "--help"]) == 0
    return capsys.readouterr().out


def prose(text: str) -> list[str]:
    """Return the lines of the description and of the options, without the first line of each, which is not broken."""
    lines = text.partition("\nexamples:\n")[0].splitlines()
    return [line for line in lines if not line.startswith(("usage:", "  PATH:", "  -"))]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fills_the_terminal(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = {width: help_of(name, width, monkeypatch, capsys) for width in WIDTHS}
    for width in WIDTHS:
        given = [line for line in prose(shown[80]) if line.startswith("  ") and len(line.strip()) > width - 4]
        assert all(len(line) <= width for line in prose(shown[width]) if line not in given)
        assert "".join(shown[width].split()) == "".join(shown[80].split())
    lengths = [len(shown[width].splitlines()) for width in WIDTHS]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[-1]


@pytest.mark.parametrize("given", ["", "0", "-3", "wide"])
def test_a_width_that_is_none_is_not_taken(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", given)
    assert columns() > 0


def test_a_width_of_one_column_ends(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert help_of("check", 1, monkeypatch, capsys)


def test_lines_that_end_on_purpose_stay_so() -> None:
    text = "A first line.\nExit status 0: nothing.\n\n  a list\n  of lines"
    assert refilled(text, 200) == text
    assert refilled(("word " * 42).strip(), 14) == "\n".join(["word word word"] * 14)
