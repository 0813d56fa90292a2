"""The version, where the build reads it without importing the package; and the versions of what this program saves."""

from importlib import import_module

__version__ = "0.1.0"

_SHOWN = 40
"""The number of characters of an unknown version that are shown: whoever wrote it may have written any."""


def refusal(kind: str, found: object, known: int) -> str | None:
    """Return why a file with this version cannot be read, or None if it can.

    Args:
        kind: what the file is.
        found: the version in it, a value of JSON.
        known: the version that is read.

    >>> refusal("plan", 1, 1)
    >>> refusal("plan", True, 1)
    'this plan has version true, but this eightfold reads version 1'
    """
    if (type(found), found) == (int, known):  # True is equal to 1
        return None
    json = import_module("json")  # which importing the package does not load
    shown = json.dumps(found)[:_SHOWN] if isinstance(found, int | float | str) else "of another kind"
    return f"this {kind} has version {shown}, but this eightfold reads version {known}"


__all__ = ["__version__", "refusal"]
