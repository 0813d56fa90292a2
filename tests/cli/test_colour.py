"""Colour and tables on a terminal only: with rich and without, in pipes, and as the environment and --color have it."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from eightfold.cli.commands import COMMANDS
from eightfold.cli.output.colour import Styled, choose, is_on, painted
from eightfold.extras import installing
from support.command_line import ENVIRONMENT, command, make_inputs, run, run_here
from support.needed import needs_terminal
from support.terminals import TERMINAL, shown_by, terminal

pytestmark = needs_terminal

CODE = re.compile(r"\x1b\[[\d;]*m")
BLOCK_RICH = "raise ImportError('rich is blocked')\n"

CHECK = ["check", "--statistics", "ill-formed.txt", "document.txt"]
TABLES = [
    ["explain", "ill-formed.txt"],
    ["explain", "-f", "cesu-8", "paired.bin"],
    ["identify", "--all", "messages-utf-16le.txt"],
    ["table", "corrected-utf-8"],
    ["table", "mutf-8"],
]
LINES = [
    CHECK,
    ["check", "clean.txt"],
    ["check", "-f", "corrected-utf-8", "document.txt"],
    ["repair", "ill-formed.txt"],
    ["repair", "--errors", "strict", "ill-formed.txt"],
    ["convert", "-t", "utf-16", "-o", "out", "ill-formed.txt"],
    ["identify", "clean.txt", "messages-utf-16le.txt"],
    ["table"],
    ["explain", "-f", "no-such-form"],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_inputs(tmp_path)
    return tmp_path


@pytest.fixture
def without_rich(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment in which importing rich fails, as where it is not installed."""
    blocking = tmp_path_factory.mktemp("blocking")
    (blocking / "rich.py").write_text(BLOCK_RICH)
    return {**TERMINAL, "PYTHONPATH": os.pathsep.join((str(blocking), TERMINAL["PYTHONPATH"]))}


def on_terminal(
    *arguments: str, cwd: Path, env: dict[str, str] = TERMINAL, columns: int = 80, messages: bool = True
) -> str:
    """Return what a command writes to a terminal; with ``messages`` false its messages go elsewhere."""
    line = command(*arguments)
    with terminal(columns) as (ours, theirs):
        errors = theirs if messages else subprocess.DEVNULL
        with subprocess.Popen(line, stdin=theirs, stdout=theirs, stderr=errors, cwd=cwd, env=env) as process:
            written = b"".join(shown_by(process, ours, theirs))
    return written.decode().replace("\r\n", "\n")


def in_pipe(*arguments: str, cwd: Path, env: dict[str, str] = ENVIRONMENT) -> str:
    """Return what a command writes into one pipe, results and messages as they come."""
    done = subprocess.run(
        command(*arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=cwd,
        env={**env, "PYTHONUNBUFFERED": "1"},
        check=False,
    )
    return done.stdout.decode()


def told_here(*arguments: str, cwd: Path) -> str:
    """Return what a command writes where no terminal is, messages behind results; it has no process of its own."""
    done = run_here(*arguments, cwd=cwd)
    return (done.stdout + done.stderr).decode()


def plain(text: str) -> str:
    return CODE.sub("", text)


# --- a terminal -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", LINES, ids=" ".join)
def test_lines_on_a_terminal_are_those_of_a_pipe_in_colour(arguments: list[str], folder: Path) -> None:
    pytest.importorskip("rich")
    written, piped = on_terminal(*arguments, cwd=folder, columns=200), told_here(*arguments, cwd=folder)
    if arguments == ["repair", "ill-formed.txt"]:
        assert "\x1b[1m" in written
    assert sorted(plain(written).splitlines()) == sorted(piped.splitlines())
    assert "\x1b" not in piped


def test_the_colours_of_check(folder: Path) -> None:
    pytest.importorskip("rich")
    first, *_, summary = on_terminal("check", "ill-formed.txt", cwd=folder).splitlines()
    assert first.startswith("\x1b[1mill-formed.txt\x1b[0m:\x1b[36m2:3\x1b[0m: \x1b[1;31moverlong\x1b[0m: overlong form")
    assert re.search(r"\x1b\[1;31m\d+ errors\x1b\[0m$", summary)
    assert "\x1b[32mno faults\x1b[0m" in on_terminal("check", "clean.txt", cwd=folder)
    warned = on_terminal("check", "-f", "corrected-utf-8", "clean.txt", cwd=folder)
    assert "\x1b[33mno-signature\x1b[0m" in warned


def words(text: str) -> list[str]:
    """Return the words of a table, without what draws its lines."""
    return re.sub(r"[─━]+", "", plain(text)).split()


@pytest.mark.parametrize("arguments", TABLES, ids=" ".join)
def test_tables_on_a_terminal_say_what_the_text_says(arguments: list[str], folder: Path) -> None:
    pytest.importorskip("rich")
    drawn = on_terminal(*arguments, cwd=folder, columns=250, messages=False)
    text = run_here(*arguments, cwd=folder).stdout.decode()
    assert "─" in drawn
    assert "\x1b[1" in drawn
    if arguments[0] == "identify":
        header = ["messages-utf-16le.txt:", "form", "signature", "verdict"]
        assert words(drawn) == header + text.replace("messages-utf-16le.txt: ", "").replace(",", "").split()
    else:
        assert words(drawn) == text.split()


@pytest.mark.parametrize("columns", [40, 60, 79])
def test_a_narrow_terminal_loses_nothing(columns: int, folder: Path) -> None:
    pytest.importorskip("rich")
    drawn = on_terminal("explain", "ill-formed.txt", cwd=folder, columns=columns, messages=False)
    text = run_here("explain", "ill-formed.txt", cwd=folder).stdout.decode()
    assert all(len(line) <= columns for line in plain(drawn).splitlines())
    assert sorted("".join(words(drawn))) == sorted("".join(text.split()))


@pytest.mark.parametrize("columns", [40, 70])
@pytest.mark.parametrize("arguments", TABLES, ids=" ".join)
def test_a_table_breaks_no_word(arguments: list[str], columns: int, folder: Path) -> None:
    pytest.importorskip("rich")
    drawn, wide = (
        run_here(*arguments, cwd=folder, FORCE_COLOR="1", COLUMNS=str(width)).stdout.decode()
        for width in (columns, 1000)
    )
    assert sorted(words(drawn)) == sorted(words(wide))
    longest = max(map(len, words(wide)))
    assert all(len(line) <= max(columns, 79, longest) for line in plain(drawn).splitlines())


@pytest.mark.parametrize("arguments", TABLES, ids=" ".join)
def test_a_table_is_drawn_where_columns_is_0(arguments: list[str], folder: Path) -> None:
    pytest.importorskip("rich")
    drawn, wide = (run_here(*arguments, cwd=folder, FORCE_COLOR="1", COLUMNS=width).stdout for width in ("0", "80"))
    assert drawn == wide != b""


def test_a_long_explanation_is_drawn_in_tables_of_a_thousand_rows(folder: Path) -> None:
    pytest.importorskip("rich")
    (folder / "long.txt").write_text("a" * 2001)
    drawn = plain(on_terminal("explain", "long.txt", cwd=folder, messages=False))
    assert drawn.count("code point") == 3
    assert len(re.findall(r"U\+0061", drawn)) == 2001


def test_a_name_cannot_act_on_the_terminal(folder: Path) -> None:
    (folder / "red\x1b[31m.txt").write_bytes(b"\xff")
    written = on_terminal("check", "red\x1b[31m.txt", cwd=folder)
    assert "red\\x1B[31m.txt" in written
    assert "\x1b[31m" not in written


def test_json_is_never_in_colour(folder: Path) -> None:
    for arguments in (["check"], ["explain"], ["identify", "--all"]):
        line = [*arguments, "--output-format", "json", "--color", "always", "ill-formed.txt"]
        assert json.loads(on_terminal(*line, cwd=folder, messages=False))["version"]


# --- when there is none -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [*LINES, *TABLES], ids=" ".join)
def test_without_rich_a_terminal_shows_what_a_pipe_gets(
    arguments: list[str], folder: Path, without_rich: dict[str, str]
) -> None:
    written = on_terminal(*arguments, cwd=folder, env=without_rich)
    assert "\x1b" not in written
    assert sorted(written.splitlines()) == sorted(told_here(*arguments, cwd=folder).splitlines())


@pytest.mark.parametrize(
    ("variables", "options", "coloured"),
    [
        ({}, [], True),
        ({"NO_COLOR": "1"}, [], False),
        ({"NO_COLOR": ""}, [], True),
        ({"TERM": "dumb"}, [], False),
        ({"TERM": "unknown"}, [], False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, [], False),
        ({}, ["--color", "never"], False),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
        ({}, ["--color", "auto"], True),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"TERM": "dumb"}, ["--color=always"], True),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, [], True),
    ],
)
@pytest.mark.parametrize("arguments", [["check"], ["explain"]], ids=" ".join)
def test_who_decides_on_a_terminal(
    variables: dict[str, str], options: list[str], coloured: bool, arguments: list[str], folder: Path
) -> None:
    pytest.importorskip("rich")
    written = on_terminal(*arguments, *options, "ill-formed.txt", cwd=folder, env={**TERMINAL, **variables})
    assert ("\x1b[" in written) is coloured
    if not coloured:
        assert sorted(written.splitlines()) == sorted(told_here(*arguments, "ill-formed.txt", cwd=folder).splitlines())


@pytest.mark.parametrize(
    ("variables", "options", "coloured"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": ""}, [], False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({}, ["--color", "always"], True),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
    ],
)
def test_who_decides_in_a_pipe(variables: dict[str, str], options: list[str], coloured: bool, folder: Path) -> None:
    pytest.importorskip("rich")
    written = in_pipe(*CHECK, *options, cwd=folder, env={**ENVIRONMENT, **variables})
    assert ("\x1b[" in written) is coloured
    assert plain(written) == in_pipe(*CHECK, cwd=folder)


def test_colour_that_is_asked_for_and_cannot_be_had_is_told(folder: Path, without_rich: dict[str, str]) -> None:
    done = run("check", "--color", "always", "ill-formed.txt", cwd=folder, env=without_rich)
    told, *others = done.stderr.decode().splitlines()
    assert told == f"eightfold: --color always needs rich: {installing('cli')}"
    assert done.stdout == run_here("check", "ill-formed.txt", cwd=folder).stdout
    assert (done.returncode, len(others)) == (1, 1)


def test_results_in_a_pipe_are_plain_while_messages_are_in_colour(folder: Path) -> None:
    pytest.importorskip("rich")
    line = command("check", "ill-formed.txt")
    with (
        terminal() as (ours, theirs),
        subprocess.Popen(line, stdout=subprocess.PIPE, stderr=theirs, cwd=folder, env=TERMINAL) as process,
    ):
        messages = b"".join(shown_by(process, ours, theirs))
        assert process.stdout is not None
        results = process.stdout.read()
    assert b"\x1b[" in messages
    assert results == run_here("check", "ill-formed.txt", cwd=folder).stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_it(name: str) -> None:
    assert b"--color WHEN" in run_here(name, "--help").stdout


def test_rich_is_imported_where_colour_is_on_and_nowhere_else(folder: Path) -> None:
    pytest.importorskip("rich")
    watched = {**TERMINAL, "PYTHONPROFILEIMPORTTIME": "1"}
    assert re.search(r"\| +rich\.style$", on_terminal("check", "ill-formed.txt", cwd=folder, env=watched), re.MULTILINE)
    for written in (
        in_pipe("check", "ill-formed.txt", cwd=folder, env=watched),
        on_terminal("check", "--color", "never", "ill-formed.txt", cwd=folder, env=watched),
    ):
        assert re.search(r"\| +eightfold\.cli\.output\.lines$", written, re.MULTILINE)
        assert not re.search(r"\| +rich", written)


def test_a_choice_does_not_outlive_its_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from eightfold.cli import main

    path = str(folder / "ill-formed.txt")
    assert main(["check", "--color", "never", path]) == 1
    assert main(["check", path]) == 1
    assert main(["check", "--color", "always", "--max-faults", "0", path]) == 1
    capsys.readouterr()
    assert main(["check", path]) == 1
    assert "\x1b" not in "".join(capsys.readouterr())


def test_a_closed_stream_has_no_colour() -> None:
    choose("auto")
    assert not is_on(None)
    assert painted(None, ["a", Styled("b", "path")]) == "ab"
