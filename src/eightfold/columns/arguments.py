"""The arguments that all of this package take, checked before any work is done. This module needs no other package."""

from __future__ import annotations

from collections.abc import Collection

from eightfold.files.parallel.threads import processors
from eightfold.policy import check_offered
from eightfold.repair import policy_named


def policy_argument(errors: str, offered: Collection[str] | None = None) -> str:
    """Return the policy with a name.

    Args:
        errors: what was given.
        offered: the names that there are; if None, all that :func:`eightfold.repair.policy_named` knows.

    Raises:
        TypeError: it is not a str. ValueError: it is not one of the names.

    >>> policy_argument("windows-1252")
    'cp1252'
    >>> policy_argument(None)
    Traceback (most recent call last):
    TypeError: errors must be a str, not NoneType
    """
    if offered is None:
        return policy_named(errors)
    check_offered(errors, *offered)
    return errors


def thread_count(threads: object) -> int:
    """Return the maximum number of threads; without one, how many may run at once.

    Raises:
        TypeError: it is neither None nor an int. ValueError: it is less than 1.

    >>> thread_count("2")
    Traceback (most recent call last):
    TypeError: threads must be None or an int, not str
    """
    if threads is None:
        return processors()
    if not isinstance(threads, int) or isinstance(threads, bool):
        raise TypeError(f"threads must be None or an int, not {type(threads).__name__}")
    if threads < 1:
        raise ValueError(f"threads must be 1 or more, not {threads}")
    return threads


__all__ = ["policy_argument", "thread_count"]
