"""Options that need a package of an extra: without it they are wrong use, and the message says what to install."""

from __future__ import annotations

from importlib import import_module

from eightfold.cli.output.ending import UsageError
from eightfold.extras import installing


def need_extra(option: str, package: str, extra: str) -> None:
    """Refuse an option if the package that it needs is missing.

    Raises:
        UsageError: it is, with the command that installs it.
    """
    try:
        import_module(package.replace("-", "_"))
    except ImportError:
        raise UsageError(f"{option} needs {package}: {installing(extra)}") from None
