"""What the parser does with an option besides setting a field of the command's options, or instead of it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any


class Unstored(argparse.Action):
    """An option that is not a field of a command's options: a subclass says what it does."""

    def __init__(self, option_strings: Sequence[str], dest: str, **settings: Any) -> None:
        super().__init__(option_strings, dest, **{**settings, "default": argparse.SUPPRESS})


class Setting(argparse.Action):
    """Sets an option that a configuration can set too, and records that the command line sets it."""

    def __call__(self, parser: object, options: Any, value: Any, flag: str | None = None) -> None:
        """Set it."""
        setattr(options, self.dest, value)
        options.configurations.given.add(self.dest)


class Switch(Setting, argparse.BooleanOptionalAction):
    """The same for an option without a value, which `--no-` turns off."""

    def __call__(self, parser: object, options: Any, value: Any, flag: str | None = None) -> None:
        """Set it."""
        super().__call__(parser, options, not (flag or "").startswith("--no-"), flag)
