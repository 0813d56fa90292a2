"""The project's own files: what the Makefile says when something is missing, what is shipped, where links lead."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import eightfold
from support.command_line import PATIENCE

ROOT = Path(__file__).parents[2]
RUST = ROOT / "rust"
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(page for folder in ("docs", "examples") for page in (ROOT / folder).rglob("*.md")),
]
COMMANDS = (
    "help",
    "demo",
    "test",
    "test-parity",
    "test-python",
    "test-reference",
    "test-search",
    "test-core",
    "test-aarch64",
    "test-aarch64-python",
    "test-others",
    "miri",
    "fuzz",
    "fuzz-python",
    "audit",
    "test-levels",
    "test-hostile",
    "test-sanitized",
    "soak",
    "test-web",
    "test-docs",
    "links",
    "test-scale",
    "full",
    "bench",
    "wheel",
    "docs",
    "explorer",
    "screenshots",
    "lint",
    "versions",
    "clean",
)

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="the Makefile and .ci/run are for POSIX systems")


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


# --- the Makefile -----------------------------------------------------------------------------------------------------


def make(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run make with an environment in a folder of its own, and without what a make around it has set."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ["make", "--directory", str(ROOT), f"VENV={folder / 'venv'}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=PATIENCE, check=False)


def program(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@needs_posix
@needs_make
def test_make_alone_says_what_the_commands_are(tmp_path: Path) -> None:
    printed = make(folder=tmp_path)
    assert printed.returncode == 0
    shown = re.findall(r"^make ([a-z0-9-]+)\t\S.*$", printed.stdout, re.MULTILINE)
    assert tuple(shown) == COMMANDS


@needs_posix
@needs_make
@pytest.mark.parametrize("command", ["demo", "test", "lint"])
def test_a_missing_python_is_named(command: str, tmp_path: Path) -> None:
    printed = make(command, "PYTHON=no-such-python", folder=tmp_path)
    assert printed.returncode == 2
    assert "There is no 'no-such-python' here. eightfold needs Python 3.11 or newer" in printed.stderr
    assert not (tmp_path / "venv").exists()


@needs_posix
@needs_make
def test_an_old_python_is_named(tmp_path: Path) -> None:
    old = program(tmp_path / "python", 'if [ "$1" = --version ]; then echo Python 3.9.18; else exit 1; fi')
    printed = make("test", f"PYTHON={old}", folder=tmp_path)
    assert printed.returncode == 2
    assert f"'{old}' is Python 3.9.18. eightfold needs Python 3.11 or newer" in printed.stderr


@needs_posix
@needs_make
def test_a_python_without_ensurepip_is_named(tmp_path: Path) -> None:
    script = f'case "$2" in *ensurepip*) exit 1;; *) exec "{sys.executable}" "$@";; esac'
    bare = program(tmp_path / "python", script)
    printed = make("test", f"PYTHON={bare}", folder=tmp_path)
    assert printed.returncode == 2
    assert f"'{bare}' cannot make virtual environments" in printed.stderr
    assert "apt install python3-venv" in printed.stderr


# --- fewer tests ------------------------------------------------------------------------------------------------------


def cases_of_tests(*options: str) -> dict[str, list[str]]:
    """Return the cases of each test of a file that pytest, without plugins, would run, by name."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *options]
    file = "tests/engines/test_parity_sequences.py"
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": ""}
    printed = subprocess.run([*command, file], capture_output=True, text=True, cwd=ROOT, env=alone, check=True)
    cases: dict[str, list[str]] = {}
    for line in printed.stdout.splitlines():
        if line.startswith(file):
            cases.setdefault(line.partition("[")[0], []).append(line)
    return cases


def test_one_in_so_many_cases_of_each_test_are_run_the_same_each_time() -> None:
    every, some = cases_of_tests(), cases_of_tests("--one-in", "10")
    assert {test: len(cases) for test, cases in some.items()} == {
        test: (len(cases) + 9) // 10 for test, cases in every.items()
    }
    assert all(set(cases) <= set(every[test]) for test, cases in some.items())
    assert cases_of_tests("--one-in", "10") == some
    assert cases_of_tests("--one-in", "1") == every


# --- the package ------------------------------------------------------------------------------------------------------


def table_of(section: str) -> dict[str, Any]:
    table = tomllib.loads(text_of("pyproject.toml"))
    for name in section.split("."):
        table = table[name]
    return table


def test_the_plain_install_depends_on_nothing() -> None:
    assert table_of("project")["dependencies"] == []
    assert table_of("project.scripts") == {"eightfold": "eightfold.cli:main"}


def test_the_installed_version_is_the_one_in_the_source() -> None:
    from importlib.metadata import version

    assert version("eightfold") == eightfold.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|a\d+|b\d+|rc\d+)?", eightfold.__version__)


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(eightfold.__file__).parent / "py.typed").is_file()


def test_no_line_of_rust_is_longer_than_the_formatter_makes_them() -> None:
    """It leaves comments and the bodies of macros alone."""
    most = tomllib.loads(text_of("rust/rustfmt.toml"))["max_width"]
    sources = [path for path in RUST.rglob("*.rs") if "target" not in path.relative_to(RUST).parts]
    assert len(sources) > 100
    lines = [(path, line) for path in sources for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(path, line) for path, line in lines if len(line) > most] == []


# --- workflows and pages ----------------------------------------------------------------------------------------------


def claimed_versions() -> list[str]:
    return re.findall(r"Programming Language :: Python :: (3\.\d+)", text_of("pyproject.toml"))


def test_the_workflows_cover_the_versions_that_the_package_claims() -> None:
    tested, free_threaded = re.findall(r"python: \[(.*)\]", text_of(".github/workflows/tests.yml"))
    assert re.findall(r"3\.\d+", tested) == claimed_versions()
    built = re.search(r"CIBW_BUILD: \"(.*)\"", text_of(".github/workflows/wheels.yml"))
    assert built is not None
    tags = {f"cp{version.replace('.', '')}-*" for version in claimed_versions() + re.findall(r"3\.\d+t", free_threaded)}
    assert set(built[1].split()) == tags


def test_everything_names_the_same_oldest_version() -> None:
    oldest = claimed_versions()[0]
    settings = tomllib.loads(text_of("pyproject.toml"))
    assert settings["project"]["requires-python"] == f">={oldest}"
    assert settings["tool"]["mypy"]["python_version"] == oldest
    assert settings["tool"]["ruff"]["target-version"] == f"py{oldest.replace('.', '')}"
    for page in ("README.md", "Makefile"):
        assert set(re.findall(r"Python (3\.\d+) or newer", text_of(page))) == {oldest}, page
    assert f"{oldest} to {claimed_versions()[-1]}" in text_of("CONTRIBUTING.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_to_files_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    files = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert [link for link in files if not (page.parent / link).exists()] == []


# --- programs that write what is committed ----------------------------------------------------------------------------

WRITERS = (
    *("conformance/make_vectors.py", "conformance/record.py"),
    *("rust/core/tests/make_forms.py", "rust/make_licences.py"),
)


@pytest.mark.parametrize("name", WRITERS)
def test_a_program_with_a_wrong_option_writes_nothing(name: str) -> None:
    line = [sys.executable, str(ROOT / name), "--chek"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "unrecognized arguments: --chek" in done.stderr
