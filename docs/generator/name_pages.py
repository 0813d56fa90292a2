"""The pages of the Python reference: every public name of the package and its public modules, for autodoc."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import eightfold
from eightfold import columns, family

FOLDER = "docs/reference/python"
MADE_BY = ".. Made by: python -m docs.generator"
SECTIONS = {
    "eightfold.text": "The verbs",
    "eightfold.cutting": "Cutting",
    "eightfold.measuring": "Measuring",
    "eightfold.buffers": "Into buffers",
    "eightfold.stream": "In pieces",
    "eightfold.textfile": "Text files",
    "eightfold.codec": "Python's codecs",
    "eightfold.explain": "Explain",
    "eightfold.identify": "Identify",
    "eightfold.scrub": "Nested data",
    "eightfold.forms": "Forms",
    "eightfold.faults": "Faults and exceptions",
}
"""The headings of the package's own names, by the module that defines them; others come last."""
OTHERS = "Others"
INTEGRATIONS_FOLDER = Path(eightfold.__file__).parent / "integrations"
INTEGRATIONS = ("asgi", "logging", "pydantic", "sqlalchemy")
COLUMNS_FOLDER = Path(eightfold.__file__).parent / "columns"
DOORS = ("polars", "pandas", "duckdb", "sqlite", "spark", "ray")
"""Modules of `eightfold.columns` that are public; they are not imported here, as most need their package."""
DEFINED = (ast.ClassDef, ast.FunctionDef)
VALUES = {
    "ENGINE": "The engine in use: ``native`` (the compiled core), ``python`` or ``reference``. See "
    "``eightfold doctor``.",
    "MAGIC": "The magic number that begins a document, as bytes: ``EF B7 9D ED B2 AE 00 0A``.",
    "__version__": "The version of the package, a str.",
}
"""Public values without a docstring of their own."""
TYPES = {
    "Data": ("type", "Any bytes-like object, contiguous or not: for type checkers, whatever has the buffer protocol."),
    "AnyForm": ("type", "A :class:`~eightfold.Form`, or any name of one."),
    "AnyErrors": (
        "type",
        "The name of a policy: one of the :doc:`policies <../policies>`, or a name that you registered.",
    ),
    "Kind": ("type", "The kind of a fault, a str: one of the :doc:`faults <../faults>`."),
    "Range": ("type", "The lowest and the highest value of a code unit, two ints."),
    "KINDS": ("data", "Every kind of fault with its meaning: ``eightfold.faults.KINDS``."),
    "UNITS_KEPT": ("data", "The maximum number of bytes of its span that a fault keeps: 64."),
    "FAULTS_COUNTED": ("data", "How many faults :func:`~eightfold.identify` counts in each form: 1,000."),
}
"""Names that signatures and docstrings use without their modules."""
RETURNED = ("eightfold.textfile.TextFile", "eightfold.explain.Explanation", "eightfold.stream.Located")
"""Classes whose objects the verbs return, and that are not public by themselves."""


def files() -> dict[str, str]:
    """Return the pages by path."""
    submodules = [each for each in (getattr(eightfold, name) for name in eightfold.__all__) if inspect.ismodule(each)]
    pages = {"eightfold": "\n".join(_package())}
    pages |= {module.__name__.rpartition(".")[2]: "\n".join(_module(module)) for module in submodules}
    pages["repair"] += "\n.. autoclass:: eightfold.repair.mojibake.MojibakeRepairer\n   :members:\n"
    pages |= {"family": "\n".join(_family()), "columns": "\n".join(_columns())}
    pages |= {"integrations": "\n".join(_integrations()), "types": "\n".join(_types())}
    pages["index"] = "\n".join(_index(list(pages)))
    return {f"{FOLDER}/{name}.rst": f"{text.rstrip()}\n" for name, text in pages.items()}


def _index(names: list[str]) -> Iterator[str]:
    yield from _title("Python", "=")
    yield from (
        "Every public name, from its docstring. A form is a :class:`~eightfold.Form` or any of its names; data is any",
        "bytes-like object; ``errors`` is one of the :doc:`policies <../policies>`.",
        "",
    )
    yield from (".. toctree::", "   :maxdepth: 1", "", *(f"   {name}" for name in names))


def _package() -> Iterator[str]:
    yield from _title("eightfold", "=")
    yield from (".. module:: eightfold", "")
    grouped: dict[str, list[str]] = {}
    for name in eightfold.__all__:
        thing = getattr(eightfold, name)
        if not inspect.ismodule(thing):
            grouped.setdefault(_section(getattr(thing, "__module__", "")), []).append(name)
    for heading in (*SECTIONS.values(), OTHERS):
        if heading in grouped:
            yield from _title(heading, "-")
            for name in sorted(grouped[heading], key=lambda name: (inspect.isclass(getattr(eightfold, name)), name)):
                yield from _thing(eightfold, name)


def _section(module: str) -> str:
    found = [name for name in SECTIONS if module == name or module.startswith(f"{name}.")]
    return SECTIONS[found[0]] if found else OTHERS


def _module(module: ModuleType) -> Iterator[str]:
    yield from _title(module.__name__, "=")
    yield from (f".. automodule:: {module.__name__}", "")
    for name in module.__all__:
        yield from _thing(module, name)


def _family() -> Iterator[str]:
    yield from _title("eightfold.family", "=")
    yield from (".. automodule:: eightfold.family", "")
    for name, thing in vars(family).items():
        if not name.startswith("_") and getattr(thing, "__module__", "") == family.__name__:
            yield from _thing(family, name)


def _columns() -> Iterator[str]:
    yield from _module(columns)
    for name in DOORS:
        yield from _unimported(f"eightfold.columns.{name}", COLUMNS_FOLDER / f"{name}.py", members=True)


def _integrations() -> Iterator[str]:
    yield from _title("eightfold.integrations", "=")
    yield from (
        "Doors to other packages, a few lines each over the verbs. ``pydantic`` and ``sqlalchemy`` need the package",
        "of that name; ``asgi`` and ``logging`` need none.",
        "",
    )
    for name in INTEGRATIONS:
        yield from _unimported(f"eightfold.integrations.{name}", INTEGRATIONS_FOLDER / f"{name}.py")


def _unimported(module: str, source: Path, *, members: bool = False) -> Iterator[str]:
    yield from _title(module, "-")
    yield from (f".. automodule:: {module}", "")
    for public, kind, words in _described(source):
        if kind == "data":
            yield from _value(f"{module}.{public}", words)
        else:
            shown = ["   :members:"] if members and kind == "class" else []
            yield from (f".. auto{kind}:: {module}.{public}", *shown, "")


def _described(source: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the public names of a module, of which kind they are, and what a value is; the module is not imported."""
    body = ast.parse(source.read_text(encoding="utf-8")).body
    kinds = {
        each.name: "class" if isinstance(each, ast.ClassDef) else "function"
        for each in body
        if isinstance(each, DEFINED)
    }
    (public,) = (
        each.value for each in body if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "__all__"
    )
    values = _values(source)
    for name in ast.literal_eval(public):
        yield name, kinds.get(name, "data"), values.get(name, "")


def _values(source: Path) -> dict[str, str]:
    """Return the values of a module that a string describes, each with its words."""
    found = {}
    for node, after in pairwise(ast.parse(source.read_text(encoding="utf-8")).body):
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(after, ast.Expr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            words = (
                " ".join(str(ast.literal_eval(after.value)).split()) if isinstance(after.value, ast.Constant) else ""
            )
            found.update({ast.unparse(target): words for target in targets})
    return found


def _types() -> Iterator[str]:
    yield from _title("Types", "=")
    yield from ("What signatures and descriptions name without its module, and what the verbs return.", "")
    for name, (kind, words) in TYPES.items():
        yield from (f".. py:{kind}:: {name}", "", f"   {words}", "")
    for name in RETURNED:
        yield from (f".. autoclass:: {name}", "   :members:", "")


def _thing(module: ModuleType, name: str) -> Iterator[str]:
    thing, full = getattr(module, name), f"{module.__name__}.{name}"
    if inspect.isclass(thing):
        kind = "exception" if issubclass(thing, BaseException) else "class"
        yield from (f".. auto{kind}:: {full}", "   :members:", "")
    elif callable(thing):
        yield from (f".. autofunction:: {full}", "")
    elif name in _values(Path(str(module.__file__))):
        yield from (f".. autodata:: {full}", "")
    else:
        yield from _value(full, VALUES.get(name) or _words_elsewhere(module, name))


def _value(full: str, words: str) -> Iterator[str]:
    """Describe a value. Its name is whole: without the option, Sphinx would put that of the module before it again."""
    if not words:
        raise LookupError(f"{full} has no description")
    yield from (f".. data:: {full}", "   :module:", "", f"   {words}", "")


def _words_elsewhere(module: ModuleType, name: str) -> str:
    """Return what a module of a package says of a value that the package passes on; autodoc does not look there."""
    for path in sorted(Path(module.__path__[0]).glob("[a-z]*.py")) if hasattr(module, "__path__") else ():
        if words := _values(path).get(name):
            return words
    return ""


def _title(words: str, line: str) -> Iterator[str]:
    yield from ([MADE_BY, ""] if line == "=" else [])
    yield from (words, line * len(words), "")
