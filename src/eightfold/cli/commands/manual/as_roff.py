"""The manual as roff with the macros of man(7): for `man`, groff and mandoc."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eightfold.cli.commands.grammar import Argument, Command, commands, program
from eightfold.cli.commands.manual.contents import ENVIRONMENT, STATUSES, blocks
from eightfold.version import __version__


def page() -> str:
    """Return the manual page.

    >>> page().splitlines()[0][:16]
    '.TH EIGHTFOLD 1 '
    """
    lines = list(_lines())
    # A heading begins a paragraph by itself, and readers warn of a second beginning.
    kept = [line for before, line in zip(["", *lines], lines, strict=False) if line != ".PP" or before[:3] != ".SH"]
    return "".join(f"{line}\n" for line in kept)


def _lines() -> Iterator[str]:
    found = program()
    yield f'.TH EIGHTFOLD 1 "" "eightfold {__version__}" "User Commands"'
    yield from (".SH NAME", r"eightfold \- check, convert, repair and explain text in every UTF-8-shaped encoding")
    yield from (".SH SYNOPSIS", _bold(found.synopsis.partition(" ")[0], found.synopsis.partition(" ")[2]))
    yield from (".SH DESCRIPTION", *_described(found.description), ".SH OPTIONS", *_arguments(found.options))
    yield ".SH COMMANDS"
    for command in commands():
        yield from _command(command)
    yield from (".SH EXIT STATUS", *_listed(STATUSES), ".SH ENVIRONMENT", *_listed(ENVIRONMENT))
    yield from (".SH EXAMPLES", *_examples(found), ".SH FORMS", *_described(found.after.partition(":")[2]))


def _command(command: Command) -> Iterator[str]:
    _, name, rest = command.synopsis.split(" ", 2)
    yield from (f".SS {name}", _bold(f"eightfold {name}", rest), *_described(command.description))
    yield from _arguments((*command.operands, *command.options))
    yield from _described(command.after)
    yield from (".PP", "Examples:", *_examples(command))


def _arguments(arguments: Iterable[Argument]) -> Iterator[str]:
    for each in arguments:
        value = rf"\fI{_plain(each.metavar)}\fR" if each.metavar else ""
        flags = ", ".join(rf"\fB{_plain(flag)}\fR" for flag in each.flags)
        yield from (".TP", " ".join(filter(None, (flags, value))), _plain(each.help))


def _listed(meanings: dict[str, str]) -> Iterator[str]:
    for name, meaning in meanings.items():
        yield from (".TP", rf"\fB{_plain(name)}\fR", _prose(meaning))


def _examples(command: Command) -> Iterator[str]:
    for line, purpose in command.examples:
        yield from (".TP", rf"\fB{_plain(line)}\fR", _plain(purpose))


def _described(text: str) -> Iterator[str]:
    for block in blocks(text):
        if block.verbatim:
            yield from (".PP", ".RS 4", ".nf", *map(_plain, block.text.splitlines()), ".fi", ".RE")
        else:
            yield from (".PP", _prose(block.text))


def _bold(name: str, rest: str) -> str:
    return rf"\fB{_plain(name)}\fR {_plain(rest)}"


def _prose(text: str) -> str:
    """Return text with the parts in backquotes in bold."""
    parts = _plain(text).split(r"\(ga")
    return "".join(rf"\fB{part}\fR" if at % 2 else part for at, part in enumerate(parts))


def _plain(text: str) -> str:
    """Return text as roff has it: nothing in it is a command, and hyphens, quotes and accents are those of a shell."""
    for mark, escape in (("\\", r"\e"), ("-", r"\-"), ("`", r"\(ga"), ("'", r"\(aq"), ("^", r"\(ha"), ("~", r"\(ti")):
        text = text.replace(mark, escape)
    shielded = rf"\&{text}" if text.startswith(".") else text
    return "".join(c if c.isascii() else rf"\[u{ord(c):04X}]" for c in shielded)
