"""What to install for an extra: its requirements, from this package's metadata, as pip understands them.

Also the error where a package is missing, and the name of the module that one of them backports.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
"""The module for zstd: the standard library has it since 3.14; before that the extra brings a backport."""
_NAME = "eightfold"
_EXTRA = re.compile(r"""extra\s*==\s*["']([\w-]+)["']""")
_BEFORE = re.compile(r"""python_version\s*<\s*["'](\d+)\.(\d+)["']""")


def installing(extra: str) -> str:
    """Return the command that installs an extra.

    >>> installing("cli").startswith("pip install 'rich")
    True
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        found = list(requirements(requires(_NAME) or (), extra))
    except PackageNotFoundError:  # it runs from its source
        found = []
    return f"pip install {' '.join(map(repr, found))}" if found else f"install the extra {extra} of pyproject.toml"


@contextmanager
def needed_by(door: str, package: str, extra: str = "") -> Iterator[None]:
    """Say what to install if the block cannot import a package because it is missing.

    Args:
        door: what needs it, as the message begins.
        package: its name.
        extra: the extra that brings it; none brings those that only their own users have.

    Raises:
        ModuleNotFoundError: it is missing. Of a package that it needs itself, the error stays what it is.

    >>> with needed_by("a door", "missing"):
    ...     import missing
    Traceback (most recent call last):
    ModuleNotFoundError: a door needs missing: pip install missing
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        command = installing(extra) if extra else f"pip install {package}"
        raise ModuleNotFoundError(f"{door} needs {package}: {command}", name=package) from None


def requirements(required: Iterable[str], extra: str) -> Iterator[str]:
    """Yield the requirements of an extra that apply to this Python.

    >>> list(requirements(['rich<15,>=13; extra == "cli"', 'old; python_version < "3.0" and extra == "cli"'], "cli"))
    ['rich<15,>=13']
    """
    for each in required:
        requirement, _, marker = each.partition(";")
        named, before = _EXTRA.search(marker), _BEFORE.search(marker)
        is_for_it = before is None or sys.version_info < (int(before[1]), int(before[2]))
        if named and named[1] == extra and is_for_it:
            yield requirement.strip()


__all__ = ["installing", "needed_by", "requirements"]
