"""Objects with declared fields: dataclasses, and attrs and pydantic models (neither package is imported here)."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from functools import lru_cache
from inspect import getattr_static
from types import MemberDescriptorType
from typing import Any

from eightfold.scrub import paths
from eightfold.scrub.attributes import cached_properties, carry_attributes
from eightfold.scrub.kinds import Kind, Part, Scrubbed
from eightfold.scrub.standard import attribute_parts, fill_attributes
from eightfold.scrub.stores import pair_parts

_CACHED_HASH = "_attrs_cached_hash"
_MANAGER = "_sa_class_manager"
"""The attribute by which a class is one that SQLAlchemy maps."""


def kind_with_fields(cls: type) -> Kind | None:
    """Return the kind of a dataclass or attrs class; None for any other class.

    >>> from dataclasses import make_dataclass
    >>> kind = kind_with_fields(make_dataclass("Point", ["x", "y"]))
    >>> kind_with_fields(int) is None
    True
    """
    names = _field_names(cls)
    if names is None:
        return None
    is_computed = any(_is_computed(cls, name) for name in names)
    return Kind(attribute_parts(*names), blank=_bare, fill=_fill_fields, fleeting=is_computed)


def _is_computed(cls: type, name: str) -> bool:
    """Return whether a property or another descriptor gives the value of a field: it may make a new one each time."""
    found = getattr_static(cls, name, None)
    return hasattr(type(found), "__set__") and not isinstance(found, MemberDescriptorType)


def _field_names(cls: Any) -> list[str] | None:
    if is_dataclass(cls):
        from dataclasses import fields

        return [field.name for field in fields(cls)]
    declared = getattr(cls, "__attrs_attrs__", None)
    return None if declared is None else [each.name for each in declared]


def _fill_fields(new: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> None:
    fill_attributes(new, parts, scrubbed)
    if hasattr(new, _CACHED_HASH):
        object.__setattr__(new, _CACHED_HASH, None)  # attrs recomputes it on demand
    cls: Any = type(new)
    for name in _cached_properties(cls):
        vars(new).pop(name, None)  # It was computed from the old fields.


@lru_cache(maxsize=256)
def _cached_properties(cls: type) -> tuple[str, ...]:
    """Return the names of properties that an object keeps in its `__dict__`, except those that are fields."""
    return tuple(cached_properties(cls).difference(_field_names(cls) or ()))


def _bare(obj: Any) -> Any:
    """Return a copy without calling a constructor. `copy.copy` fails for frozen slots and for missing fields."""
    cls: Any = type(obj)
    return _shallow(obj) if cls.__new__ is object.__new__ or hasattr(cls, _MANAGER) else copy.copy(obj)


def _shallow(obj: Any) -> Any:
    cls: Any = type(obj)
    new = object.__new__(cls)
    carry_attributes(obj, new)
    if hasattr(cls, _MANAGER):
        _detach(new, cls._sa_class_manager)
    return new


def _detach(new: Any, manager: Any) -> None:
    """Give a copy of an object that SQLAlchemy maps a state of its own, which belongs to no session.

    Raises:
        TypeError: it has relationships. Their collections would stay those of the original, and change it.
    """
    if manager.mapper.relationships:
        raise TypeError("the object has relationships")
    manager.setup_instance(new)


# --- pydantic ---------------------------------------------------------------------------------------------------------

_EXTRA, _PRIVATE, _GIVEN = "__pydantic_extra__", "__pydantic_private__", "__pydantic_fields_set__"


def _model_parts(model: Any) -> Iterator[Part]:
    for held in (vars(model), getattr(model, _PRIVATE, None)):
        for name, value in (held or {}).items():
            yield paths.attribute, name, value
    yield from pair_parts((getattr(model, _EXTRA, None) or {}).items())


def _fill_model(new: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> None:
    """Fill a shallow copy, which still holds the old parts; frozen and validated fields are set too."""
    names = {name: scrubbed(name) for name in getattr(new, _EXTRA, None) or {}}
    for attribute in ("__dict__", _PRIVATE, _EXTRA):
        held = getattr(new, attribute, None)
        if held is not None:
            items = {names.get(name, name): scrubbed(value) for name, value in held.items()}
            object.__setattr__(new, attribute, items)
    object.__setattr__(new, _GIVEN, {names.get(name, name) for name in getattr(new, _GIVEN)})


# Not with `copy.copy`: for a RootModel it copies the root value too.
PYDANTIC = Kind(_model_parts, blank=_shallow, fill=_fill_model)

__all__ = ["PYDANTIC", "kind_with_fields"]
