"""The extras: those that help and docs name exist, and what they ask for is bounded, at hand and importable."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from eightfold.extras import needed_by

ROOT = Path(__file__).parents[2]
EXTRAS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
NAMED = re.compile(r"(?:eightfold|\.)\[([\w, -]+)\]|\bextra `(\w+)`|\(extra (\w+)\)|\binstalling\(\"(\w+)\"\)")
READ = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "src").rglob("*.py"),
    *(ROOT / "tests").rglob("*.py"),
    *(ROOT / ".github").rglob("*.yml"),
    ROOT / "Makefile",
]
WITHOUT_A_BOUND = {"fsspec", "s3fs"}
"""Packages whose versions are dates."""


def named(text: str) -> set[str]:
    """Return the extras that a text names."""
    return {name for groups in NAMED.findall(text) for each in groups for name in re.split(r"[, ]+", each) if name}


def test_the_extras_that_are_named_exist() -> None:
    unknown = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in READ
        if path != Path(__file__)
        for name in named(path.read_text(encoding="utf-8")) - set(EXTRAS)
    }
    assert unknown == set()


def test_names_of_extras_are_seen() -> None:
    text = "pip install 'eightfold[a,b]' or '.[c]'; the extra `d`; (extra e); installing(\"f\"); an extra field"
    assert named(text) == {"a", "b", "c", "d", "e", "f"}


def test_the_readme_and_the_docs_name_those_of_the_doors() -> None:
    assert {"pydantic", "sqlalchemy"} <= set(EXTRAS)
    docs = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "how-to").glob("*.md"))
    assert {"pydantic", "sqlalchemy"} <= named(docs)


DOORS = {
    "eightfold.integrations.pydantic": ("pydantic", "pip install 'pydantic"),
    "eightfold.integrations.sqlalchemy": ("sqlalchemy", "pip install 'sqlalchemy"),
    "eightfold.columns.polars": ("polars", "pip install polars"),
    "eightfold.columns.pandas": ("pandas", "pip install pandas"),
}
IMPORT = """
import sys
from importlib import import_module
sys.modules[sys.argv[2]] = None
try:
    import_module(sys.argv[1])
except ModuleNotFoundError as error:
    print(error.name, error)
"""


@pytest.mark.parametrize("door", DOORS)
def test_a_door_without_its_package_says_what_to_install(door: str) -> None:
    package, command = DOORS[door]
    done = subprocess.run([sys.executable, "-c", IMPORT, door, package], capture_output=True, text=True, check=True)
    said = done.stdout.replace("install the extra ", "pip install '")  # where the package runs from its source
    assert said.startswith(f"{package} {door} needs {package}: {command}")


def test_what_a_package_itself_misses_is_not_taken_for_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "elsewhere", None)
    with pytest.raises(ModuleNotFoundError, match="elsewhere") as caught, needed_by("a door", "package", "cli"):
        import elsewhere  # type: ignore[import-not-found,unused-ignore]  # noqa: F401
    assert "a door" not in str(caught.value)
    with pytest.raises(ModuleNotFoundError, match=r"^without a name$"), needed_by("a door", "package", "cli"):
        raise ModuleNotFoundError("without a name")


def test_each_requirement_has_a_range() -> None:
    for extra, requirements in EXTRAS.items():
        for requirement in requirements:
            name = re.match(r"[\w.-]+", requirement)
            assert name is not None
            if name[0] == "eightfold":
                assert named(requirement) <= set(EXTRAS), extra
            else:
                assert ">=" in requirement, requirement
                assert ("<" in requirement.partition(";")[0]) is (name[0] not in WITHOUT_A_BOUND), requirement


def test_all_has_what_a_user_can_ask_for() -> None:
    tools = {"all", "bench", "dev", "docs", "peers", "scale-test", "web-test"}
    engines = {"ray", "spark"}  # a gigabyte together, for those who have a cluster
    (everything,) = EXTRAS["all"]
    assert named(everything) == {extra for extra, required in EXTRAS.items() if required} - tools - engines


@pytest.mark.parametrize("extra", sorted(EXTRAS))
def test_what_is_installed_is_in_the_range(extra: str) -> None:
    requirements = pytest.importorskip("packaging.requirements", reason="packaging is not installed")
    for written in EXTRAS[extra]:
        requirement = requirements.Requirement(written)
        if requirement.name == "eightfold" or (requirement.marker and not requirement.marker.evaluate()):
            continue
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            continue
        assert requirement.specifier.contains(version, prereleases=True), f"{written}: {version} on {sys.version}"
