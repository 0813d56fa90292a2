"""What the parsers take, as data: from it come the completion of the shells, the manual, and the pages of the docs."""

from __future__ import annotations

import argparse
from typing import NamedTuple, get_args

from eightfold.cli.commands import COMMANDS, command
from eightfold.cli.commands.program import parser
from eightfold.cli.options.arguments import CommandParser, OneOf, end_argument, end_or_auto, form_or_auto
from eightfold.forms import forms
from eightfold.legacy import charsets
from eightfold.policy import Errors

_FILES = ("PATH", "FILE", "OUT", "LOG", "FOLDER")


class Values(NamedTuple):
    """What may stand for an argument.

    Attributes:
        words: the possible values; empty if they are not a fixed list.
        files: whether names of files may.
    """

    words: tuple[str, ...] = ()
    files: bool = False


class Argument(NamedTuple):
    """One argument of a command.

    Attributes:
        flags: its spellings, the short one first; empty for a positional argument.
        metavar: the name of its value; empty for a flag without a value.
        help: what it does.
        values: what its value may be.
    """

    flags: tuple[str, ...]
    metavar: str
    help: str
    values: Values


class Command(NamedTuple):
    """A command as its parser has it; its name is empty for the program itself."""

    name: str
    summary: str
    synopsis: str
    description: str
    options: tuple[Argument, ...]
    operands: tuple[Argument, ...]
    examples: tuple[tuple[str, str], ...]
    after: str


def program() -> Command:
    """Return the program itself.

    >>> [option.flags for option in program().options]
    [('-h', '--help'), ('-V', '--version')]
    """
    return _command("", "", parser())


def commands() -> tuple[Command, ...]:
    """Return every command, in the order of the program's help.

    >>> commands()[0].name, commands()[0].operands[0].values.files
    ('check', True)
    """
    return tuple(_command(name, summary, command(name).parser()) for name, summary in COMMANDS.items())


def _command(name: str, summary: str, found: CommandParser) -> Command:
    arguments = [_argument(action) for action in found._actions]
    return Command(
        name,
        summary,
        f"{found.prog} {found.synopsis}",
        found.description or "",
        tuple(argument for argument in arguments if argument.flags),
        tuple(argument for argument in arguments if not argument.flags),
        found.examples,
        found.after,
    )


def _argument(action: argparse.Action) -> Argument:
    metavar = "" if action.nargs == 0 else str(action.metavar)
    return Argument(tuple(action.option_strings), metavar, action.help or "", _values(action, metavar))


def _values(action: argparse.Action, metavar: str) -> Values:
    if isinstance(action.type, OneOf):
        return Values(action.type.names)
    if metavar == "FORM":
        auto = ("auto",) if action.type in (form_or_auto, end_or_auto) else ()
        foreign = charsets() if action.type in (end_argument, end_or_auto) else ()
        return Values((*(each.name for each in (*forms(), *foreign)), *auto))
    if metavar == "POLICY":
        return Values(get_args(Errors))
    return Values(files=metavar in _FILES)
