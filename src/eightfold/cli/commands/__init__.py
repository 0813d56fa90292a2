"""The commands: one module for each, imported when it is used.

A command's module has ``parser() -> CommandParser``, ``Options`` (a dataclass that the parser fills) and
``run(options) -> exit status``; :data:`COMMANDS` names it with its one line of help.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType

COMMANDS: Mapping[str, str] = {
    "check": "find every place at which files are ill-formed",
    "convert": "convert files from one form to another, whole or not at all",
    "repair": "make files UTF-8, by a plan that can be shown, applied and undone",
    "names": "find names of files that are ill-formed, and rename them with a way back",
    "explain": "say what every sequence of a file is, and which rule it breaks",
    "identify": "say which form files are in",
    "table": "show the table of a form, or how all forms compare",
    "doctor": "say which engine is at work, and whether anything is broken",
    "completion": "print what makes a shell complete the command line",
    "manual": "print the manual page",
}
"""Each command with what it does, in one line."""


def command(name: str) -> ModuleType:
    """Import the module of a command.

    >>> command("check").parser().prog
    'eightfold check'
    """
    return importlib.import_module(f"eightfold.cli.commands.{name}")
