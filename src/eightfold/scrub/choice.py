"""Finds the kind of an object. Classes of other packages are recognised once those packages have been imported."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from eightfold.scrub.kinds import TEXTLESS, UNKNOWN, Kind
from eightfold.scrub.mappings import MAPPING
from eightfold.scrub.models import kind_with_fields
from eightfold.scrub.standard import KINDS, SCALARS


class _Foreign(NamedTuple):
    """A class and the kind of its objects, both by name and module; without a kind, the objects hold no text."""

    module: str
    name: str
    room: str = ""
    kind: str = ""

    @property
    def cls(self) -> Any:
        """The class, or None while its module has not been imported."""
        return vars(sys.modules[self.module]).get(self.name) if self.module in sys.modules else None

    def found_kind(self) -> Kind:
        if not self.room:
            return TEXTLESS
        from importlib import import_module

        found: Kind = getattr(import_module(f"eightfold.scrub.{self.room}"), self.kind)
        return found


_FOREIGN = (
    _Foreign("pydantic.main", "BaseModel", "models", "PYDANTIC"),
    _Foreign("numpy", "ndarray", "arrays", "ARRAY"),
    _Foreign("numpy", "void", "arrays", "VOID"),
    _Foreign("numpy", "generic"),
    _Foreign("pandas", "Series", "frames", "SERIES"),
    _Foreign("pandas", "DataFrame", "frames", "FRAME"),
    _Foreign("pandas", "Index", "frames", "INDEX"),
    _Foreign("pandas.api.extensions", "ExtensionArray", "frames", "EXTENSION"),
    *(_Foreign("pandas", name) for name in ("Period", "Interval")),
    _Foreign("pandas._libs.missing", "NAType"),
    _Foreign("polars", "Series", "frames", "POLARS_SERIES"),
    _Foreign("polars", "DataFrame", "frames", "POLARS_FRAME"),
    _Foreign("pathlib", "PurePath", "standard", "PATH"),
    _Foreign("array", "array", "standard", "ARRAY"),
    *(_Foreign("datetime", name) for name in ("date", "time", "timedelta", "tzinfo")),
    *(_Foreign(module, name) for module, name in (("decimal", "Decimal"), ("fractions", "Fraction"), ("uuid", "UUID"))),
    *(
        _Foreign("ipaddress", f"IPv{version}{what}")
        for version in (4, 6)
        for what in ("Address", "Interface", "Network")
    ),
)


def kind_of(obj: Any) -> Kind:
    """Return the kind of an object that is not a str.

    >>> kind_of(1) is TEXTLESS, kind_of(iter([])) is UNKNOWN, kind_of([]) is KINDS[list]
    (True, True, True)
    """
    cls: Any = type(obj)
    try:
        kind = _kind_of_class(cls)
        return kind if kind.choose is None else kind.choose(obj)
    except Exception:  # a user-defined class may raise anything
        return UNKNOWN


@lru_cache(maxsize=256)
def _kind_of_class(cls: type) -> Kind:
    for base, kind in KINDS.items():
        if issubclass(cls, base):
            return kind
    if (fields := kind_with_fields(cls)) is not None:
        return fields
    if cls is object or issubclass(cls, SCALARS):
        return TEXTLESS
    for foreign in _FOREIGN:
        if (base := foreign.cls) is not None and issubclass(cls, base):
            return foreign.found_kind()
    return MAPPING if issubclass(cls, Mapping) else UNKNOWN


__all__ = ["kind_of"]
