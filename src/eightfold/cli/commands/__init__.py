"""The commands: one module for each, imported when it is used.

A command's module has ``parser() -> CommandParser``, ``Options`` (a dataclass that the parser fills) and
``run(options) -> exit status``; :data:`COMMANDS` names it with its one line of help.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType

COMMANDS: Mapping[str, str] = {
    "check": "find every place where files are ill-formed",
    "convert": "convert files from one form to another, whole or not at all",
    "repair": "make files UTF-8, with a plan that can be shown, applied and undone",
    "names": "find ill-formed file names, and rename them reversibly",
    "explain": "explain every sequence of a file, and the rule that it breaks",
    "identify": "identify the form of files",
    "table": "show the table of a form, or how all forms compare",
    "serve": "explore text and bytes in every form, in a browser",
    "doctor": "report which engine is in use, and check the installation",
    "completion": "print a completion script for a shell",
    "manual": "print the manual page",
}
"""Each command with what it does, in one line."""


def command(name: str) -> ModuleType:
    """Import the module of a command.

    >>> command("check").parser().prog
    'eightfold check'
    """
    return importlib.import_module(f"eightfold.cli.commands.{name}")
