"""The arguments that all of this package take, checked before any work is done. This module needs no other package."""

from __future__ import annotations

from collections.abc import Collection
from typing import SupportsIndex

from eightfold.arguments import size_of
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
    if not isinstance(threads, SupportsIndex) or isinstance(threads, bool):
        raise TypeError(f"threads must be None or an int, not {type(threads).__name__}")
    return size_of(threads, "threads", least=1)


def check_offers(name: str, given: object, method: str, wanted: str) -> None:
    """Check an object of another package by a method that the work needs: the package may not be imported here.

    Args:
        name: the argument, as the message names it.
        given: what was given.
        method: a method that objects of the wanted type have.
        wanted: that type, in words.

    Raises:
        TypeError: the object does not have the method.

    >>> check_offers("df", 1, "mapInArrow", "a DataFrame of PySpark")
    Traceback (most recent call last):
    TypeError: df must be a DataFrame of PySpark, not int
    """
    if not callable(getattr(given, method, None)):
        raise TypeError(f"{name} must be {wanted}, not {type(given).__name__}")


__all__ = ["check_offers", "policy_argument", "thread_count"]
