"""Completion at work: bash, zsh and fish are asked what they would offer, each with the script made for it."""

from __future__ import annotations

import os
import re
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import eightfold
from eightfold.cli.commands import COMMANDS
from eightfold.cli.commands.completion import SHELLS
from eightfold.cli.commands.grammar import Command, commands, program
from eightfold.legacy import charsets
from eightfold.policy import Errors
from eightfold.repair import POLICIES
from support.command_line import ENVIRONMENT, PATIENCE, run
from support.needed import needs_program, needs_terminal

FORMS = {form.name for form in eightfold.forms()}
CHARSETS = {charset.name for charset in charsets()}
FILES = {"alpha.txt", "beta gamma.txt", "folder"}

# What stands on the line, the last word unfinished, and what is offered; None stands for names of files.
OFFERED: list[tuple[list[str], set[str] | None]] = [
    ([""], set(COMMANDS)),
    (["c"], {"check", "convert", "completion"}),
    (["no-such"], set()),
    (["--v"], {"--version"}),
    (["-V"], {"-V"}),
    (["check", ""], None),
    (["check", "--st"], {"--statistics", "--strict"}),
    (["check", "--files"], {"--files-from"}),
    (["check", "--files-from", ""], None),
    (["check", "alpha.txt", "--max"], {"--max-faults"}),
    (["check", "-f", ""], FORMS | CHARSETS | {"auto"}),
    (["repair", "-f", ""], FORMS | {"auto"}),
    (["check", "--form", "wtf-16-"], {"wtf-16-le", "wtf-16-be"}),
    (["check", "--form", "au"], {"auto"}),
    (["convert", "-t", "auto"], set()),
    (["convert", "-t", "utf-32"], {"utf-32", "utf-32-le", "utf-32-be"}),
    (["convert", "--errors", ""], set(get_args(Errors))),
    (["repair", "--errors", ""], set(POLICIES)),
    (["repair", "--undo", ""], None),
    (["repair", "--cert"], {"--certificate"}),
    (["names", "--fix", ""], set(POLICIES)),
    (["names", "--apply", ""], None),
    (["repair", "--backup", ""], set()),
    (["check", "--output-format", ""], {"text", "json", "jsonl", "github", "sarif", "gitlab", "html"}),
    (["manual", "--output-format", ""], {"roff", "markdown"}),
    (["check", "--color", "a"], {"auto", "always"}),
    (["table", "c"], {"cesu-8", "corrected-utf-8", "corrected-utf-8-sig"}),
    (["completion", ""], set(SHELLS)),
    (["explain", "--limit", ""], set()),
    (["doctor", ""], set()),
]
IDS = [" ".join(words) or "nothing" for words, _ in OFFERED]


def long_flags(command: Command) -> Iterator[str]:
    return (flag for option in command.options for flag in option.flags if flag.startswith("--"))


AFTER_HYPHENS: list[tuple[list[str], set[str] | None]] = [
    (["check", "--", "-"], None),
    (["check", "--", "-f", ""], None),
    (["check", "a", "--", "b", "--f"], None),
    (["table", "--", "c"], {"cesu-8", "corrected-utf-8", "corrected-utf-8-sig"}),
    (["table", "--", "-"], set()),
    (["check", "--"], {flag for each in commands() if each.name == "check" for flag in long_flags(each)}),
]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the script of each shell, named after it."""
    folder = tmp_path_factory.mktemp("scripts")
    for shell in SHELLS:
        (folder / shell).write_bytes(run("completion", shell).stdout)
    return folder


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "alpha.txt").touch()
    (tmp_path / "beta gamma.txt").touch()
    (tmp_path / "folder").mkdir()
    return tmp_path


def ask(shell: str, script: str, *arguments: str, cwd: Path) -> str:
    done = subprocess.run(
        [shell, *(["--norc", "--noprofile"] if shell == "bash" else []), "-c", script, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**ENVIRONMENT, "HOME": str(cwd), "LC_ALL": "C.UTF-8"},
        timeout=PATIENCE,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


# --- bash -------------------------------------------------------------------------------------------------------------

# bash itself takes a word apart at = and, where nothing is offered, completes names of files unless told not to.
BASH = r"""
source "$1"; shift
complete -p eightfold
compopt() { [[ "$*" == "+o default +o bashdefault" ]] && echo "no files"; }
COMP_WORDS=(eightfold "$@") COMP_CWORD=$#
_eightfold eightfold "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""


def bash_offers(scripts: Path, words: list[str], cwd: Path) -> set[str] | None:
    registered, *offered = ask("bash", BASH, "bash", str(scripts / "bash"), *words, cwd=cwd).splitlines()
    assert registered == "complete -o bashdefault -o default -F _eightfold eightfold"
    assert ("no files" in offered) or set(offered) == {""}
    return set(offered) - {"no files", ""} if "no files" in offered else None


@needs_program("bash")
@pytest.mark.parametrize(("words", "offered"), OFFERED, ids=IDS)
def test_bash_offers(words: list[str], offered: set[str] | None, scripts: Path, files: Path) -> None:
    assert bash_offers(scripts, words, files) == offered


@needs_program("bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["check", "--color", "="], {"auto", "always", "never"}),
        (["check", "--color", "=", "n"], {"never"}),
        (["repair", "--undo", "="], None),
    ],
)
def test_bash_offers_values_after_a_sign(
    words: list[str], offered: set[str] | None, scripts: Path, files: Path
) -> None:
    assert bash_offers(scripts, words, files) == offered


@needs_program("bash")
@pytest.mark.parametrize(("words", "offered"), AFTER_HYPHENS)
def test_bash_offers_no_options_after_two_hyphens(
    words: list[str], offered: set[str] | None, scripts: Path, files: Path
) -> None:
    assert bash_offers(scripts, words, files) == offered


# --- fish -------------------------------------------------------------------------------------------------------------

FISH = 'source $argv[1]; complete -C "$argv[2]"'


def fish_offers(scripts: Path, words: list[str], cwd: Path) -> set[str]:
    printed = ask("fish", FISH, str(scripts / "fish"), " ".join(["eightfold", *words]), cwd=cwd)
    return {line.partition("\t")[0].rstrip("/") for line in printed.splitlines()}


@needs_program("fish")
@pytest.mark.parametrize(("words", "offered"), [*OFFERED, *(each for each in AFTER_HYPHENS if each[1] != set())])
def test_fish_offers(words: list[str], offered: set[str] | None, scripts: Path, files: Path) -> None:
    # fish describes what it offers, and marks a folder with a slash. It joins options of one letter, and where no word
    # begins as asked, it offers those that contain it.
    named = {name for name in FILES if name.startswith(words[-1])} if offered is None else offered
    assert fish_offers(scripts, words, files) == ({"-Vh"} if words == ["-V"] else named)


# --- PowerShell -------------------------------------------------------------------------------------------------------

POWERSHELL = """
. $args[0]
$found = [System.Management.Automation.CommandCompletion]::CompleteInput($args[1], $args[1].Length, $null)
$found.CompletionMatches | ForEach-Object { $_.CompletionText }
"""


@needs_program("pwsh")
@pytest.mark.parametrize(("words", "offered"), [*OFFERED, *AFTER_HYPHENS])
def test_powershell_offers(words: list[str], offered: set[str] | None, scripts: Path, files: Path) -> None:
    (files / "eightfold.ps1").write_bytes((scripts / "powershell").read_bytes())
    (files / "ask.ps1").write_text(POWERSHELL)
    line = ["pwsh", "-NoProfile", "-File", "ask.ps1", "./eightfold.ps1", " ".join(["eightfold", *words])]
    printed = subprocess.run(line, capture_output=True, text=True, cwd=files, timeout=PATIENCE, check=True).stdout
    names = {each.strip("'").removeprefix("./") for each in printed.splitlines()}
    # Where nothing is offered PowerShell completes names of files, whether one may stand there or not.
    assert names >= FILES if not offered else names == offered


def test_the_parts_of_the_powershell_script(scripts: Path) -> None:
    script = (scripts / "powershell").read_text()
    outside_strings = re.sub(r"'(?:[^']|'')*'|\"[^\"]*\"|#.*", "", script)
    for opening, closing in ("()", "{}", "[]"):
        assert outside_strings.count(opening) == outside_strings.count(closing) > 0
    assert not re.search(r"@[A-Z]+@", script)
    cases = dict(re.findall(r"^ +'(\w+ --?[\w-]+)' \{ (@\(.*\)); break \}$", script, re.MULTILINE))
    assert set(cases) == {
        f"{each.name} {flag}"
        for each in commands()
        for option in each.options
        if option.metavar
        for flag in option.flags
    }
    assert cases["check --color"] == "@('auto', 'always', 'never')"
    assert cases["check --output-file"] == "@()"
    offered = dict(re.findall(r"^ +'(\w+)' \{ if .* else \{ (@\(.*\)) \} \}$", script, re.MULTILINE))
    assert set(offered) == set(COMMANDS)
    assert offered["completion"] == f"@({', '.join(map(repr, SHELLS))})"
    # Whether a word can be an option depends on what precedes it, so the script asks for its hyphen once.
    assert script.count("StartsWith('-')") == 1
    assert script.count("-not $ended") == 2


# --- zsh --------------------------------------------------------------------------------------------------------------


@needs_program("zsh")
def test_zsh_reads_its_script(scripts: Path, tmp_path: Path) -> None:
    defined = "autoload -Uz compinit; compinit -u -D; source $1; print -r -- ${_comps[eightfold]}; whence -w _eightfold"
    printed = ask("zsh", f"f() {{ {defined} }}; f {scripts / 'zsh'}", cwd=tmp_path)
    assert printed.splitlines() == ["_eightfold", "_eightfold: function"]


# --- Tab --------------------------------------------------------------------------------------------------------------

SHELLS_OF_PEOPLE = [
    (
        "bash --norc --noprofile -i",
        "source '{script}'",
        "<check><--statistics><beta gamma.txt><--output-format><sarif>",
    ),
    (
        "zsh -f -i",
        "autoload -Uz compinit; compinit -u -D; source '{script}'",
        "<check><--statistics><beta gamma.txt><--output-format=sarif>",
    ),
]


@pytest.mark.parametrize(
    ("shell", "start", "completed"),
    [
        pytest.param(*each, marks=[needs_terminal, needs_program(each[0].split()[0])], id=each[0].split()[0])
        for each in SHELLS_OF_PEOPLE
    ],
)
def test_the_key_in_a_shell_that_people_use(shell: str, start: str, completed: str, scripts: Path, files: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    environment = {**ENVIRONMENT, "PS1": "", "TERM": "dumb", "LC_ALL": "C.UTF-8", "HOME": str(files)}
    environment["INPUTRC"] = os.devnull
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    with subprocess.Popen(shell.split(), **streams, cwd=files, env=environment, start_new_session=True) as process:
        os.close(theirs)
        defined = "eightfold() { printf '<%s>' \"$@\"; echo; }; "
        os.write(ours, f"{defined}{start.format(script=scripts / shell.split()[0])}; echo rea''dy\n".encode())
        read_until(ours, b"ready")
        os.write(ours, b"eightfold chec\t--stat\tbet\t--output-fo\tsa\t\n")
        written = read_until(ours, b"<check>", b">\r\n")
        os.write(ours, b"exit\n")
        read_until(ours, None)
        process.wait(timeout=PATIENCE)
    os.close(ours)
    assert completed in written.decode()


def read_until(terminal: int, *marks: bytes | None) -> bytes:
    """Return what is written until all marks have come, or with None until there is no more."""
    written, deadline = b"", time.monotonic() + PATIENCE
    while not all(mark is not None and mark in written for mark in marks):
        readable, _, _ = select.select([terminal], [], [], max(0, deadline - time.monotonic()))
        assert readable, f"waited in vain for {marks} after {written!r}"
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # Linux says so where others say that there is no more.
            piece = b""
        if not piece:
            break
        written += piece
    return written


# --- all of them ------------------------------------------------------------------------------------------------------


def test_every_command_and_option_is_in_every_script(scripts: Path) -> None:
    flags = {flag for each in (program(), *commands()) for option in each.options for flag in option.flags}
    for shell in SHELLS:
        script = (scripts / shell).read_text()
        spelt = {f"--{flag}" for flag in re.findall(r" -l ([\w-]+)", script)} | set(
            re.findall(r"--?[a-zA-Z][\w-]*", script)
        )
        short = {f"-{flag}" for flag in re.findall(r" -s (\w)", script)}
        assert flags <= spelt | short
        assert all(name in script for name in (*COMMANDS, *FORMS, *get_args(Errors)))


def test_the_scripts_are_the_same_in_any_locale(scripts: Path) -> None:
    for shell in SHELLS:
        printed = run("completion", shell, env={**ENVIRONMENT, "LC_ALL": "C", "PYTHONUTF8": "0"})
        assert printed.stdout == (scripts / shell).read_bytes()
