"""The manual page and docs/cli.md: made from the parsers, read by groff, mandoc and man, and current."""

from __future__ import annotations

import re
import subprocess

import pytest

from eightfold.cli.commands.grammar import Command, commands, program
from eightfold.cli.commands.manual.as_roff import page
from support.command_line import PATIENCE, ROOT, run
from support.needed import needs_program

DOCS = ROOT / "docs" / "cli.md"
ALL = (program(), *commands())


def read_by(*reader: str, source: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(reader, input=source, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.fixture(scope="module")
def roff() -> str:
    return run("manual").stdout.decode("ascii")


@needs_program("groff")
def test_groff_has_nothing_to_warn_of(roff: str) -> None:
    done = read_by("groff", "-man", "-ww", "-Tutf8", "-z", source=roff)
    assert (done.returncode, done.stderr) == (0, "")


@needs_program("groff")
def test_groff_warns_of_what_is_wrong() -> None:
    assert read_by("groff", "-man", "-ww", "-Tutf8", "-z", source=".TH A 1\n.no-such-macro\n").stderr


@needs_program("mandoc")
def test_mandoc_has_nothing_to_warn_of(roff: str) -> None:
    # Without a date, so that the page is the same whenever it is made.
    done = read_by("mandoc", "-Tlint", "-Wwarning", source=roff)
    assert [line for line in done.stdout.splitlines() if "missing date" not in line] == []


def shown(roff: str) -> str:
    """Return the page as people read it, its words separated by one space."""
    done = read_by("groff", "-man", "-Tutf8", "-P-cbou", "-rHY=0", source=f".nh\n.ad l\n{roff}")
    return " ".join(done.stdout.replace("\u2010\n", "").split())


def squeezed(text: str) -> str:
    """Return text without what a page fills anew, and without the quotes that it shows as bold."""
    return re.sub(r"[\s`]", "", text)


@needs_program("groff")
@pytest.mark.parametrize("command", ALL, ids=lambda command: command.name or "program")
def test_the_page_says_what_the_help_says(command: Command, roff: str) -> None:
    read = shown(roff)
    told = [command.synopsis, command.description, command.after.replace("forms:", "")]
    told += [each.help for each in (*command.options, *command.operands) if each.metavar != "COMMAND"]
    told += [flag for each in command.options for flag in each.flags]
    told += [text for example in command.examples for text in example]
    assert [text for text in told if squeezed(text) not in squeezed(read)] == []


def test_the_page_is_plain_ascii_and_nothing_in_it_becomes_a_command(roff: str) -> None:
    macros = {line.split()[0] for line in roff.splitlines() if line.startswith((".", "'"))}
    assert macros == {".TH", ".SH", ".SS", ".PP", ".TP", ".RS", ".RE", ".nf", ".fi"}
    assert roff == page()
    assert r"h\[u00E9]" in roff


def test_the_page_of_the_docs_is_current() -> None:
    made = run("manual", "--output-format", "markdown").stdout.decode()
    assert DOCS.read_text(encoding="utf-8") == made, "make it anew: see its third line"


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_the_page_of_the_docs_tells_of_every_command(command: Command) -> None:
    text = DOCS.read_text(encoding="utf-8")
    section = text.partition(f"\n## eightfold {command.name}\n")[2].partition("\n## ")[0]
    assert f"(#eightfold-{command.name})" in text
    assert command.synopsis in section
    assert all(f"`{', '.join(each.flags)}" in section for each in command.options)
    assert all(line in section and purpose in section for line, purpose in command.examples)


def test_every_exit_status_of_the_program_is_told() -> None:
    from eightfold.cli.commands.manual.contents import STATUSES
    from eightfold.cli.output import ending

    numbers = {str(value) for name, value in vars(ending).items() if name.isupper() and isinstance(value, int)}
    assert set(STATUSES) == numbers
