"""How the command line ends while the package is still being imported: in one line, or quietly, as it does later.

This is for the process of the command only. Programs that import the package get the exception. How the command ends
once it runs is in :mod:`eightfold.cli`.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType

_WRONG_USE = 2


def _is_command() -> bool:
    """Return whether this process runs the command `eightfold`, or `python -m eightfold`."""
    script = os.path.basename(next(iter(getattr(sys, "argv", ())), "")).removesuffix(".exe")
    if script != "-m":
        return script == "eightfold"
    # While Python looks for a module, `-m` stands for it in `sys.argv`. In `sys.orig_argv` it may follow in one word.
    return sys.orig_argv[-len(sys.argv)] in ("eightfold", "-meightfold")


def _end(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Handle what ends the process, in place of `sys.excepthook`; only our own defects leave a traceback."""
    if isinstance(error, KeyboardInterrupt):
        return  # Python ends itself by the signal, so a shell sees status 130.
    if type(error) is ImportError and error.name is None:  # Where Python cannot import a module, it gives its name.
        print(f"eightfold: {error}", file=sys.stderr)
        raise SystemExit(_WRONG_USE)
    sys.__excepthook__(kind, error, traceback)


if _is_command():
    sys.excepthook = _end
