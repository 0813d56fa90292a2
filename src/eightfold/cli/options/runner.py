"""The option that makes the paths of a command datasets, and which options cannot be combined with it."""

from __future__ import annotations

import os
from dataclasses import MISSING, fields
from typing import Any

from eightfold.cli.options.arguments import CommandParser, OneOf
from eightfold.cli.output.ending import UsageError
from eightfold.cli.output.lines import say
from eightfold.files.path_text import shown
from eightfold.files.paths.addresses import is_remote
from eightfold.files.walk.rules import Rules
from eightfold.forms.utf_8 import UTF_8

NAMES = ("local", "spark", "ray")
_OF_FILES = ("files_from", "mojibake", "escapes_in", "include", "exclude", "no_ignore", "force_exclude")
"""The fields of options that a dataset, which is read whole and as it is, does not have."""


def add_runner(parser: CommandParser, verb: str) -> None:
    """Add the option."""
    parser.add_argument(
        "--runner",
        type=OneOf(NAMES),
        metavar="RUNNER",
        help=f"{verb} each PATH as a dataset, a folder of tables and text, piece by piece: local (processes here), "
        "spark or ray (extras of these names)",
    )


def refuse_others(options: Any, *others: str) -> None:
    """Refuse options that a dataset does not have.

    Args:
        options: of the command, a dataclass.
        others: the fields of such options, beside those that no command combines with it.

    Raises:
        UsageError: one of them is given, there is no dataset, or its form is to be identified or in a configuration.
    """
    for field in fields(options):
        default = field.default if field.default_factory is MISSING else field.default_factory()
        if field.name in (*_OF_FILES, *others) and getattr(options, field.name) != default:
            raise UsageError(f"--runner and --{field.name.replace('_', '-')} cannot be combined")
    if not options.paths or "-" in options.paths:
        raise UsageError("--runner needs a dataset: a folder, a file or a URL")
    if options.form is None:
        raise UsageError("--runner cannot identify the form: give it with -f")
    if not options.form_is_given:
        _refuse_configured_form(options)


def _refuse_configured_form(options: Any) -> None:
    for path in options.paths:
        rules = _rules_of(path, options)
        if rules is not None and {rules.form, *dict(rules.form_map).values()} - {"", UTF_8.name}:
            raise UsageError(f"--runner does not take forms from {shown(rules.origin)}: give the form with -f")


def tell_not_selected(options: Any) -> None:
    """Say that a configuration selects files of a folder that is read whole."""
    found = [_rules_of(path, options) for path in options.paths if os.path.isdir(path)]
    for origin in dict.fromkeys(rules.origin for rules in found if rules and (rules.include or rules.exclude)):
        say(f"a dataset is read whole: include and exclude of {shown(origin)} do not apply (--no-config)")


def _rules_of(path: str, options: Any) -> Rules | None:
    """Return the rules of the nearest configuration in the folder of a dataset or above it."""
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    ruled = None if is_remote(path) else options.configurations.above(folder)
    return None if ruled is None else ruled.rules


__all__ = ["NAMES", "add_runner", "refuse_others", "tell_not_selected"]
