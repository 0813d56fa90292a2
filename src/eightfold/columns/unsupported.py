"""Types that hold text, or may hold it, and are not read."""

from __future__ import annotations

from typing import Any

_PICKLED = "ray.data.arrow_pickled_object"
"""The type in which Ray keeps Python objects, such as all str of a column that has one with a surrogate."""
_PICKLED_ADVICE = "they are pickled Python objects; encode or scrub them before they become a Dataset"


def is_pickled(type: object) -> bool:
    """Return whether a type is Ray's of pickled objects. They may be text, and are not unpickled here.

    >>> is_pickled("string")
    False
    """
    return getattr(type, "extension_name", "") == _PICKLED


class UnsupportedTypeError(TypeError):
    """A column of a type that holds text and is not known here.

    Attributes:
        type: the type.
        column: the path of the column; empty if it is not known.

    >>> str(UnsupportedTypeError("list_view<item: string>", "name"))
    'column name: arrays of list_view<item: string> are not supported'
    """

    def __init__(self, type: object, column: str = "") -> None:
        advice = f": {_PICKLED_ADVICE}" if is_pickled(type) else ""
        super().__init__(f"{f'column {column}: ' if column else ''}arrays of {type} are not supported{advice}")
        self.type: object = type
        self.column: str = column

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.type, self.column), self.__dict__


def refuse_pickled(type: object) -> None:
    """Refuse Ray's type of pickled objects: nobody knows whether they are text.

    Raises:
        UnsupportedTypeError: that is the type.

    >>> refuse_pickled("binary")
    """
    if is_pickled(type):
        raise UnsupportedTypeError(type)


__all__ = ["UnsupportedTypeError", "is_pickled", "refuse_pickled"]
