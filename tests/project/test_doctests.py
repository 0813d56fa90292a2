"""Every example in the package's own words is run, and every public thing has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import eightfold

EXEMPT = {"ENGINE", "__version__"}
"""Public values, which carry no docstring at run time."""


DOORS = {"eightfold.integrations.": None, "eightfold.columns": "pyarrow"}
"""Modules for packages that need not be there: by how their names begin, a package without which no example runs."""


def module_names() -> list[str]:
    found = pkgutil.walk_packages(eightfold.__path__, "eightfold.")
    return ["eightfold", *(module.name for module in found if not module.name.endswith("__main__"))]


@pytest.mark.parametrize("name", module_names())
def test_the_examples_of_a_module_hold_and_leave_nothing_behind(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for door, package in DOORS.items():
        if not name.startswith(door):
            continue
        if package:
            pytest.importorskip(package, reason=f"the examples of {name} need {package}")
        pytest.importorskip(name, reason=f"{name} needs a package that is not installed", exc_type=ModuleNotFoundError)
    failed, _ = doctest.testmod(importlib.import_module(name), raise_on_error=False)
    assert failed == 0
    assert list(tmp_path.iterdir()) == []


def test_the_walk_meets_the_whole_package() -> None:
    assert {"eightfold", "eightfold.faults", "eightfold.forms.definition", "eightfold.text"} <= set(module_names())


def public_modules() -> list[ModuleType]:
    """Return the package and the modules among its public names."""
    return [eightfold, *filter(inspect.ismodule, (getattr(eightfold, name) for name in eightfold.__all__))]


Public = tuple[str, object, "type | None"]


def described(module: ModuleType) -> Iterator[Public]:
    """Yield what a module makes public: the name by which people reach it, the thing, and for a method its class."""
    for name in module.__all__:
        thing = getattr(module, name)
        if name in EXEMPT or not callable(thing):
            continue
        yield f"{module.__name__}.{name}", thing, None
        if inspect.isclass(thing):
            yield from ((f"{module.__name__}.{name}.{method}", value, thing) for method, value in methods(thing))


def methods(thing: type) -> Iterator[tuple[str, object]]:
    """Yield the public methods that a class defines itself; what it inherits is described by its own class."""
    for name, value in vars(thing).items():
        if not name.startswith("_") and (callable(value) or isinstance(value, (classmethod, staticmethod, property))):
            yield name, value


def lacks(name: str, thing: object, owner: type | None = None) -> str:
    """Return what is missing from the description of a thing, or nothing.

    The example of a method may stand in its class; a property needs no more than a sentence.
    """
    words = inspect.getdoc(thing)
    if not words:
        return "a docstring"
    shown_by_class = owner is not None and re.search(
        rf">>> .*\.{name.rpartition('.')[2]}\b", inspect.getdoc(owner) or ""
    )
    return "" if ">>>" in words or shown_by_class or isinstance(thing, property) else "an example"


PUBLIC = [public for module in public_modules() for public in described(module)]


@pytest.mark.parametrize(("name", "thing", "owner"), PUBLIC, ids=[name for name, _, _ in PUBLIC])
def test_a_public_thing_is_described_with_an_example(name: str, thing: object, owner: type | None) -> None:
    assert lacks(name, thing, owner) == ""


def test_the_public_names_are_there_and_in_order() -> None:
    for module in public_modules():
        assert len(set(module.__all__)) == len(module.__all__)
        assert all(hasattr(module, name) for name in module.__all__)
    assert {"encode", "decode", "faults", "Form", "Fault"} <= set(eightfold.__all__)
    assert {"wtf8", "xtf8", "mutf8", "corrected"} <= set(eightfold.__all__)


class Planted:
    """Something public.

    >>> Planted().shown_by_class()
    """

    def bare(self) -> None: ...

    def worded(self) -> None:
        """Say what it does, and show nothing."""

    def shown(self) -> None:
        """Show it.

        >>> Planted().shown()
        """

    def shown_by_class(self) -> None:
        """Say what it does; the class shows it."""


def test_what_is_missing_is_seen() -> None:
    missing = {name: lacks(name, thing, Planted) for name, thing in methods(Planted)}
    assert missing == {"bare": "a docstring", "worded": "an example", "shown": "", "shown_by_class": ""}
    assert lacks("worded", Planted.worded) == "an example"
