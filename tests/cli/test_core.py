"""Where there is no compiled core: one line says so when much is read, and how to get it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import eightfold
from eightfold.cli.output import missing_core, slowness
from support.command_line import ENVIRONMENT, run

MUCH = b"a" * 79 + b"\n"
MUCH *= slowness._MUCH // len(MUCH) + 1


@pytest.fixture(scope="module")
def without_core(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment with a copy of the package that has no core."""
    folder = tmp_path_factory.mktemp("package")
    ignored = shutil.ignore_patterns("__pycache__", "_native.*.so", "*.pyd")
    shutil.copytree(Path(eightfold.__file__).parent, folder / "eightfold", ignore=ignored)
    plain = {name: value for name, value in ENVIRONMENT.items() if name != "EIGHTFOLD_ENGINE"}
    return {**plain, "PYTHONPATH": str(folder)}


def lines(done: subprocess.CompletedProcess[bytes]) -> list[str]:
    return [line for line in done.stderr.decode().splitlines() if "compiled core" in line]


@pytest.mark.parametrize(
    "command",
    [("check",), ("convert", "-f", "utf-8", "-t", "wtf-8", "-o", "out"), ("repair",)],
    ids=lambda given: given[0],
)
def test_one_line_says_it_when_much_is_read(
    command: tuple[str, ...], without_core: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "much").write_bytes(MUCH)
    (tmp_path / "little").write_bytes(MUCH[:1000])
    much = run(*command, "much", env=without_core, cwd=tmp_path)
    assert much.returncode == 0
    assert len(lines(much)) == 1
    assert lines(run(*command, "little", env=without_core, cwd=tmp_path)) == []


def test_what_many_files_or_a_pipe_hold_counts_together(without_core: dict[str, str], tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / str(number)).write_bytes(MUCH[: slowness._MUCH // 2])
    assert len(lines(run("check", str(tmp_path), env=without_core))) == 1
    assert len(lines(run("check", "-", env=without_core, input=MUCH))) == 1
    assert lines(run("check", str(tmp_path / "0"), env=without_core)) == []


def test_doctor_says_it(without_core: dict[str, str]) -> None:
    done = run("doctor", env=without_core)
    assert done.returncode == 0
    assert len(lines(done)) == 1
    assert re.search(r"^engine +python: there is no compiled core", done.stdout.decode(), re.MULTILINE)


@pytest.mark.skipif(not missing_core.CORE_IS_BUILT, reason="there is no core here")
def test_nothing_is_said_where_there_is_a_core(tmp_path: Path) -> None:
    (tmp_path / "much").write_bytes(MUCH)
    for engine in ("native", "python"):
        assert lines(run("check", str(tmp_path / "much"), env={**ENVIRONMENT, "EIGHTFOLD_ENGINE": engine})) == []


class Installed:
    """A distribution of which pip has noted where it came from."""

    def __init__(self, origin: object) -> None:
        self._origin = origin

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return None if self._origin is None else json.dumps(self._origin)


@pytest.mark.parametrize(
    ("origin", "given"),
    [
        (None, ["--no-binary", "eightfold", "eightfold"]),
        ({"url": "file:///home/me/eight%20fold", "dir_info": {}}, ["/home/me/eight fold"]),
        ({"url": "file:///src/eightfold", "dir_info": {"editable": True}}, ["--editable", "/src/eightfold"]),
        ({"url": "file:///tmp/eightfold-0.1.0.tar.gz", "archive_info": {}}, ["/tmp/eightfold-0.1.0.tar.gz"]),
        (
            {"url": "https://example.org/eightfold.git", "vcs_info": {"vcs": "git", "commit_id": "ab12"}},
            ["git+https://example.org/eightfold.git@ab12"],
        ),
        ({"url": "file:///tmp/eightfold-0.1.0-py3-none-any.whl", "archive_info": {}}, ["SOURCE"]),
    ],
)
def test_the_command_installs_from_where_the_package_came_from(
    origin: object, given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "distribution", lambda name: Installed(origin))
    monkeypatch.setattr(missing_core, "CORE_IS_BUILT", False)
    monkeypatch.setattr(missing_core, "which", lambda tool: tool)
    message, _, command = missing_core.missing_core().partition("run: ")
    words = shlex.split(command.partition(" (")[0])
    assert message == "no compiled core, so this is slow; to get it, "
    options = ["--force-reinstall", "--no-deps", "--no-cache-dir"]
    expected = [sys.executable, "-m", "pip", "install", *options, *given]
    assert words == ([] if os.name == "nt" else ["EIGHTFOLD_BUILD=native"]) + expected
    assert ("SOURCE: its repository" in command) == (given == ["SOURCE"])


def test_what_is_lacking_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing_core, "CORE_IS_BUILT", False)
    for there, said in (
        ((), "install cargo (https://rustup.rs), then run: EIGHTFOLD_BUILD=rust "),
        (("c++",), "install cargo (https://rustup.rs), then run: EIGHTFOLD_BUILD=native "),
        (("cargo",), "run: EIGHTFOLD_BUILD=rust "),
    ):
        monkeypatch.setattr(missing_core, "which", lambda tool: tool if tool in there else None)
        assert (said if os.name != "nt" else said.partition("EIGHTFOLD")[0]) in missing_core.missing_core()
        assert "\n" not in missing_core.missing_core()
