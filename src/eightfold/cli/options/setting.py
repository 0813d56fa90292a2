"""Options that a configuration can set too: the command line overrides it, so these record that they were given."""

from __future__ import annotations

import argparse
from typing import Any


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
