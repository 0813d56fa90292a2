"""No room calls backwards: imports point up one list only, and what is optional stays at the outer doors.

The list is data, `ORDER`; the imports are read from the syntax trees, those inside functions and of types too.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import eightfold

PACKAGE = Path(eightfold.__file__).parent

# From the bottom to the top: a module imports from its own line and from those above it. A folder is one room.
ORDER = (
    ("version", "markup", "extras", "_starting"),
    ("faults",),
    ("forms",),
    ("reference",),
    ("_engine",),
    ("points",),
    ("sharing",),
    ("lane",),
    ("policy",),
    ("arguments",),
    ("pairs",),
    ("run",),
    ("pieces",),
    ("showing",),
    ("text",),
    ("measuring", "graphemes"),
    ("cutting",),
    ("buffers",),
    ("stream",),
    ("wtf8", "xtf8", "mutf8", "corrected"),
    ("codec",),
    ("seam",),
    ("textfile",),
    ("legacy", "mojibake"),
    ("evidence", "identify", "family", "explain", "repair", "scrub", "jsonpath", "jsonescapes", "jsontext", "tables"),
    ("__init__",),
    ("files",),
    ("columns",),
    ("web",),
    ("integrations",),
    ("cli",),
    ("__main__",),
)
INSIDE = {
    "files": (
        ("path_text",),
        ("__init__",),
        ("paths",),
        ("parallel",),
        ("walk",),
        ("read",),
        ("records",),
        ("write",),
    ),
    "cli": (
        ("output",),
        ("options",),
        ("work",),
        ("commands",),
        ("__init__",),
    ),
}
"""The rooms inside the two largest ones, in the same order; a module that has no room there is one itself."""
RANKS = {room: rank for rank, line in enumerate(ORDER) for room in line}
INNER_RANKS = {
    outer: {room: rank for rank, line in enumerate(order) for room in line} for outer, order in INSIDE.items()
}
DOORS = ("files", "columns", "web", "integrations", "cli", "graphemes", "mojibake")
"""The only rooms with third-party packages."""
TYPES = "_typeshed"
"""What type checkers have of the standard library; at run time it is not there, so it can only be imported for them."""
CORE, CHOOSERS = "_native", ("_engine",)
"""The compiled core, and who may import it: to the reference, and to all others, it is a stranger."""

# What costs start-up time, or belongs to some door; none of it comes with `import eightfold`.
HEAVY = (
    *("argparse", "asyncio", "concurrent.futures", "ctypes", "difflib", "email", "gettext", "hashlib", "http"),
    *("json", "logging", "multiprocessing", "numpy", "pandas", "pathlib", "pickle", "polars", "pyarrow", "rich"),
    *("regex", "shutil", "socket", "sqlite3", "ssl", "subprocess", "tempfile", "unittest", "urllib", "xml", "zipfile"),
    *("eightfold.cli", "eightfold.columns", "eightfold.files", "eightfold.integrations", "eightfold.web"),
)


def module_of(path: Path, root: Path) -> str:
    """Return the dotted name of a file below the package: "" for the package itself."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    return module.partition(".")[0] or "__init__"


def inner_room_of(module: str) -> str:
    return room_of(module.partition(".")[2])


@cache
def imports(source: str, module: str, *, is_package: bool) -> tuple[str, ...]:
    """Return the dotted name of all that a source imports; names taken from a module stand behind it."""
    return tuple(_imports(source, module, is_package))


def _imports(source: str, module: str, is_package: bool) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            if node.level:
                parents = ["eightfold", *filter(None, module.split("."))]
                kept = len(parents) - node.level + is_package
                origin = ".".join(filter(None, (*parents[:kept], origin)))
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def own_module(name: str, known: set[str]) -> str | None:
    """Return the module below the package that an imported name lies in, or None where it is another's."""
    first, _, rest = name.partition(".")
    if first != "eightfold":
        return None
    while rest and rest not in known:
        rest = rest.rpartition(".")[0]
    return rest


def breaches(sources: dict[str, tuple[str, bool]], ranks: dict[str, int] = RANKS) -> list[str]:
    """Return what breaks the rules in sources: by dotted name their text and whether they are a package's own."""
    known = {*sources, CORE}
    found = []
    for module, (source, is_package) in sources.items():
        room = room_of(module)
        if room not in ranks:
            found.append(f"{module} has no place in the order")
            continue
        for name in imports(source, module, is_package=is_package):
            target = own_module(name, known)
            if target is None:
                if name.partition(".")[0] not in {*sys.stdlib_module_names, TYPES} and room not in DOORS:
                    found.append(f"{module or 'the package'} imports {name}, which is a third party's")
            elif room_of(target) == CORE:
                if room not in CHOOSERS:
                    found.append(f"{module or 'the package'} imports the compiled core")
            elif ranks.get(room_of(target), -1) > ranks[room] or points_down_inside(module, target):
                found.append(f"{module or 'the package'} imports {name}, which stands below it")
        if room in INSIDE and inner_room_of(module) not in INNER_RANKS[room]:
            found.append(f"{module} has no place in the order")
    return found


def points_down_inside(module: str, target: str) -> bool:
    """Say whether an import leads down from one room to another of the same larger one."""
    if room_of(module) != room_of(target) or room_of(module) not in INSIDE:
        return False
    ranks = INNER_RANKS[room_of(module)]
    return ranks.get(inner_room_of(target), -1) > ranks.get(inner_room_of(module), -1)


def askers(sources: dict[str, tuple[str, bool]]) -> list[str]:
    """Return the modules that ask whether there is a core: only what binds twins may know."""
    return [
        module
        for module, (source, is_package) in sources.items()
        if f"eightfold.{CHOOSERS[0]}.CORE" in imports(source, module, is_package=is_package)
    ]


def circle(sources: dict[str, tuple[str, bool]]) -> list[str]:
    """Return modules that import each other in a circle, the first again at the end, or nothing."""
    graph = {}
    for module, (source, is_package) in sources.items():
        targets = {own_module(name, {*sources, CORE}) for name in imports(source, module, is_package=is_package)}
        graph[module] = targets - {module, None}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def package_sources() -> dict[str, tuple[str, bool]]:
    return {
        module_of(path, PACKAGE): (path.read_text(encoding="utf-8"), path.name == "__init__.py")
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def test_imports_point_up_the_list_only() -> None:
    assert breaches(package_sources()) == []


def ranks_of_the_table() -> dict[str, int]:
    """Return the row of each room in the table for contributors, which leaves out what stands first and last."""
    page = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`src/eightfold/.*?) \|", page, re.MULTILINE)
    rows = [re.findall(r"`(?:src/eightfold/)?(\w+)(?:\.py|/)`", cell) for cell in cells]
    table = {room: rank for rank, row in enumerate(rows) for room in row}
    return {"version": -1, **table, "__init__": table["tables"], "__main__": len(rows)}


def test_imports_point_up_the_table_for_contributors_only() -> None:
    ranks = ranks_of_the_table()
    assert set(ranks) == set(RANKS)
    assert breaches(package_sources(), ranks) == []


def test_only_the_engine_s_module_knows_whether_there_is_a_core() -> None:
    assert askers(package_sources()) == []
    planted = {"text": ("from eightfold._engine import CORE, bind", False), "run": ("from ._engine import bind", False)}
    assert askers(planted) == ["text"]


def test_every_room_of_the_core_was_read() -> None:
    sources = package_sources()
    rooms = {room_of(module) for module in sources}
    assert {"faults", "forms", "reference", "_engine", "policy", "run", "text", "__init__", "version"} <= rooms
    for outer, ranks in INNER_RANKS.items():
        assert {inner_room_of(module) for module in sources if room_of(module) == outer} == set(ranks)


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circle(package_sources()) == []


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = "import sys; before = set(sys.modules); import eightfold; print(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "eightfold.text" in loaded
    assert [name for name in loaded if any(name == heavy or name.startswith(f"{heavy}.") for heavy in HEAVY)] == []


LATER = """
import pickle, sys
import eightfold
later = {"corrected", "jsontext", "mutf8", "repair", "wtf8", "textfile"}
assert not {f"eightfold.{name}" for name in later} & set(sys.modules)
assert set(eightfold.__all__) <= set(dir(eightfold))
from eightfold import wtf8
import eightfold.mutf8
assert eightfold.wtf8 is wtf8 is sys.modules["eightfold.wtf8"]
assert eightfold.mutf8 is sys.modules["eightfold.mutf8"]
assert pickle.loads(pickle.dumps(eightfold.open)) is eightfold.open is sys.modules["eightfold.textfile"].open
given = {}
exec("from eightfold import *", given)
assert all(given[name] is getattr(eightfold, name) for name in eightfold.__all__)
assert callable(eightfold.explain) and callable(eightfold.identify) and callable(eightfold.scrub)
try:
    eightfold.nothing
except AttributeError as error:
    print(error)
"""


def test_what_is_loaded_later_is_there_when_it_is_asked_for() -> None:
    done = subprocess.run([sys.executable, "-c", LATER], capture_output=True, text=True, check=True)
    assert done.stdout == "module 'eightfold' has no attribute 'nothing'\n"


# --- planted faults ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "source", "breach"),
    [
        ("faults", "import eightfold.text", "faults imports eightfold.text, which stands below it"),
        ("faults", "from eightfold import text", "faults imports eightfold.text, which stands below it"),
        ("faults", "from eightfold.text import decode", "faults imports eightfold.text.decode, which stands below it"),
        ("faults", "from . import text", "faults imports eightfold.text, which stands below it"),
        ("faults", "from .text import decode", "faults imports eightfold.text.decode, which stands below it"),
        (
            "forms.utf_8",
            "from ..text import decode",
            "forms.utf_8 imports eightfold.text.decode, which stands below it",
        ),
        ("forms.utf_8", "from eightfold import decode", "forms.utf_8 imports eightfold.decode, which stands below it"),
        ("text", "def later():\n    from eightfold import cli", "text imports eightfold.cli, which stands below it"),
        ("text", "import eightfold", "text imports eightfold, which stands below it"),
        ("text", "if TYPE_CHECKING:\n    import numpy as np", "text imports numpy, which is a third party's"),
        ("", "import rich.table", "the package imports rich.table, which is a third party's"),
        ("reference", "from eightfold._native import decode", "reference imports the compiled core"),
        ("reference", "from eightfold import _native", "reference imports the compiled core"),
        ("utils", "", "utils has no place in the order"),
        ("files.utils", "", "files.utils has no place in the order"),
        (
            "files.walk.walking",
            "from eightfold.files.read import reading",
            "files.walk.walking imports eightfold.files.read.reading, which stands below it",
        ),
        ("files", "from .read import reading", "files imports eightfold.files.read.reading, which stands below it"),
        (
            "cli.output.lines",
            "from eightfold.cli import main",
            "cli.output.lines imports eightfold.cli.main, which stands below it",
        ),
        (
            "cli.work.inputs",
            "def later():\n    import eightfold.cli.commands.check",
            "cli.work.inputs imports eightfold.cli.commands.check, which stands below it",
        ),
    ],
)
def test_a_planted_import_is_caught(module: str, source: str, breach: str) -> None:
    packages = ("", "cli", "cli.commands", "files", "files.read", "files.walk")
    modules = ("text", "faults", "cli.commands.check", "files.read.reading", "files.walk.walking")
    blank = {**dict.fromkeys(packages, ("", True)), **dict.fromkeys(modules, ("", False))}
    assert breaches({**blank, module: (source, module in packages)}) == [breach]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("text", "from eightfold.faults import Fault\nfrom eightfold import faults\nimport array, codecs.abc"),
        ("forms.utf_8", "from eightfold.forms.definition import Row\nfrom . import form\nfrom ..faults import Fault"),
        ("_engine", "from eightfold import _native"),
        (
            "cli.commands.check",
            "import rich\nfrom eightfold import decode\nfrom ... import files\nfrom . import convert",
        ),
        (
            "files.read.reading",
            "from eightfold.files import FileError\nfrom ..paths import roots\nfrom . import remote",
        ),
        ("columns.arrow", "import pyarrow"),
        ("integrations.pydantic", "import pydantic\nfrom eightfold.text import encode"),
    ],
)
def test_an_import_up_the_list_is_not(module: str, source: str) -> None:
    rooms = ("text", "faults", "forms", "forms.definition", "files", "files.read", "cli", "cli.commands", "")
    assert breaches({**dict.fromkeys(rooms, ("", True)), module: (source, False)}) == []


def test_a_planted_circle_is_caught() -> None:
    sources = {
        "identify": ("from eightfold import explain", False),
        "explain": ("def later():\n    from eightfold.repair import plan", False),
        "repair": ("import eightfold.identify, eightfold.text", False),
        "text": ("", False),
    }
    assert len(circle(sources)) == 4
    assert set(circle(sources)) == {"identify", "explain", "repair"}


def test_a_package_and_a_module_inside_it_can_be_a_circle() -> None:
    sources = {
        "explain": ("def later():\n    from eightfold.explain import as_text", True),
        "explain.as_text": ("from eightfold.explain import Explained", False),
    }
    assert set(circle(sources)) == {"explain", "explain.as_text"}
