r"""Functions for DuckDB: ``ef_is_well_formed(blob)`` and ``ef_repair(blob)``.

DuckDB holds ill-formed text that came from Arrow, and raises when it gives it to Python. ``encode`` returns its bytes,
``decode`` the text of bytes that are UTF-8:

>>> import duckdb
>>> connection = register(duckdb.connect())
>>> connection.sql("SELECT ef_is_well_formed('caf\\xE9'::BLOB), decode(ef_repair('caf\\xE9'::BLOB))").fetchall()
[(False, 'caf\uefe9')]
>>> connection.close()
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

from eightfold.columns.arguments import check_offers, policy_argument
from eightfold.columns.arrays import is_well_formed, repair

_Connection = TypeVar("_Connection", bound=Any)


def register(connection: _Connection, errors: str = "escape") -> _Connection:
    """Create the functions on a connection, or replace those that an earlier call created, and return it.

    Args:
        connection: a connection of DuckDB.
        errors: the policy of ``ef_repair``, as for :func:`eightfold.columns.repair`.

    Raises:
        ValueError: unknown policy. TypeError: the policy is not a str, or it is not a connection of DuckDB.

    >>> import duckdb
    >>> connection = register(duckdb.connect(), "replace")
    >>> connection.sql("SELECT decode(ef_repair(x'FF'::BLOB)), ef_repair(NULL)").fetchall()
    [('�', None)]
    >>> connection.close()
    """
    errors = policy_argument(errors)
    check_offers("connection", connection, "remove_function", "a connection of DuckDB")
    functions = {"ef_is_well_formed": (_are_well_formed, "BOOLEAN"), "ef_repair": (_repairing(errors), "BLOB")}
    for name, (function, result) in functions.items():
        with suppress(Exception):  # there is none yet: which error that is depends on the version
            connection.remove_function(name)
        connection.create_function(name, function, ["BLOB"], result, type="arrow")
    return connection


def _are_well_formed(values: Any) -> Any:
    return is_well_formed(values)


@cache
def _repairing(errors: str) -> Callable[[Any], Any]:
    """Return a function that repairs, the same for a policy, which is never freed.

    A transaction that is rolled back brings back functions that were removed, and DuckDB has let go of these by then.
    """
    return lambda values: repair(values, errors)


__all__ = ["register"]
