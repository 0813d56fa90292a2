"""`action.yml`: its steps run by bash as a runner of GitHub does, with inputs that try to be more than data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.command_line import ENVIRONMENT, PATIENCE, ROOT
from support.needed import needs_program

yaml = pytest.importorskip("yaml")
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
LATIN = b"caf\xe9\n"
AS_A_RUNNER = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]


def test_it_is_a_composite_action() -> None:
    assert set(ACTION) == {"name", "description", "branding", "inputs", "runs"}
    assert ACTION["runs"]["using"] == "composite"
    assert set(ACTION["inputs"]) == {"paths", "form", "args"}
    assert all(isinstance(each["default"], str) and each["description"] for each in ACTION["inputs"].values())
    assert all(step["shell"] == "bash" and step["name"] for step in STEPS)


def test_no_expression_becomes_text_of_a_script() -> None:
    assert not any("${{" in step["run"] for step in STEPS)
    values = [value for step in STEPS for value in step["env"].values()]
    assert {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]} <= set(values)
    assert set(values) <= {
        *(f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]),
        *("${{ github.action_path }}", "${{ runner.temp }}"),
    }


class Runner:
    """What runs the steps: it puts inputs in the place of expressions, in `env` only, as GitHub does."""

    def __init__(self, folder: Path) -> None:
        self.work = folder / "work folder"
        self.temp = folder / "temp folder"
        self.path = folder / "path"
        for each in (self.work, self.temp, self.path):
            each.mkdir()

    def install(self) -> None:
        """Put the eightfold of this Python where the first step installs it."""
        bin = self.temp / "eightfold-action" / "bin"
        bin.mkdir(parents=True)
        self.script(bin / "eightfold", f'exec "{sys.executable}" -m eightfold "$@"')

    def script(self, path: Path, line: str) -> None:
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)

    def run(self, step: dict[str, Any], **inputs: str) -> subprocess.CompletedProcess[bytes]:
        given = {name: each["default"] for name, each in ACTION["inputs"].items()} | inputs
        known = {f"${{{{ inputs.{name} }}}}": value for name, value in given.items()}
        known |= {"${{ github.action_path }}": "/the action", "${{ runner.temp }}": str(self.temp)}
        script = self.temp / "script.sh"
        script.write_text(step["run"])
        environment = {**ENVIRONMENT, **{name: known[value] for name, value in step["env"].items()}}
        environment["PATH"] = f"{self.path}{os.pathsep}{ENVIRONMENT['PATH']}"
        line = [*AS_A_RUNNER, str(script)]
        return subprocess.run(line, cwd=self.work, env=environment, capture_output=True, timeout=PATIENCE, check=False)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


@needs_program("bash")
@pytest.mark.parametrize("folder", ["bin", "Scripts"])
def test_it_installs_its_own_source(folder: str, runner: Runner) -> None:
    bin = runner.temp / "eightfold-action" / folder
    log = runner.temp / "log"
    note = f"printf '<%s>' \"$@\" >> '{log}'"
    runner.script(runner.temp / "pip", note)
    runner.script(runner.path / "python3", f"{note}; mkdir -p '{bin}'; cp '{runner.temp}/pip' '{bin}/python'")
    done = runner.run(STEPS[0])
    assert (done.returncode, done.stderr) == (0, b"")
    venv = f"<-I><-m><venv><{runner.temp}/eightfold-action>"
    assert log.read_text() == f"{venv}<-I><-m><pip><install><--disable-pip-version-check><--quiet></the action>"


@needs_program("bash")
def test_no_module_of_the_repository_is_run_by_the_installation(runner: Runner) -> None:
    for name in ("venv", "pip", "logging"):
        (runner.work / f"{name}.py").write_text("open('pwned', 'a').close()\nraise SystemExit\n")
    runner.script(runner.path / "python3", f'exec "{sys.executable}" "$@"')
    without_pip = {**STEPS[0], "run": STEPS[0]["run"].replace("-m venv", "-m venv --without-pip")}
    done = runner.run(without_pip)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.endswith(b"No module named pip\n")
    assert not (runner.work / "pwned").exists()
    runner.run({**without_pip, "run": without_pip["run"].replace(" -I ", " ")})
    assert (runner.work / "pwned").exists()


@needs_program("bash")
def test_it_annotates_and_fails(runner: Runner) -> None:
    runner.install()
    (runner.work / "a.txt").write_bytes(LATIN)
    done = runner.run(STEPS[1])
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        "::error file=a.txt,line=1,col=4,title=truncated::sequence E9 is cut short by another byte",
        "::notice title=eightfold::1 file checked, 1 truncated",
    ]
    (runner.work / "a.txt").write_bytes(b"fine\n")
    assert runner.run(STEPS[1]).returncode == 0


@needs_program("bash")
def test_its_inputs_are_used(runner: Runner) -> None:
    runner.install()
    (runner.work / "my notes").mkdir()
    (runner.work / "my notes" / "a.txt").write_bytes(LATIN)
    (runner.work / "pairs.sql").write_bytes(b"\xed\xa0\xbd\xed\xb8\x80\n")
    done = runner.run(STEPS[1], paths="my notes\r\npairs.sql\n\n", form="cesu-8", args="--strict\n--max-faults\n0\n")
    assert done.stdout.decode().splitlines() == [
        "::notice file=my notes/a.txt::1 more fault",
        "::notice title=eightfold::2 files checked, 1 truncated",
    ]
    assert runner.run(STEPS[1], args="--exclude=my *").returncode == 1
    assert runner.run(STEPS[1], args="--exclude=my *\n--form-map=*.sql=cesu-8").returncode == 0


HOSTILE = [
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned",
    "a.txt\n$(touch pwned)\n",
    "' ; touch pwned ; '",
    '" ; touch pwned ; "',
    "*",
    "-n",
    "--output-file=pwned",
    "utf-8 --output-file=pwned .",
    "-",
    "https://example.org/x",
    "%s%n\\n",
    "${PATH}",
    "x[$(touch pwned)]",
]


@needs_program("bash")
@pytest.mark.parametrize("name", ACTION["inputs"])
@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_input_is_data(value: str, name: str, runner: Runner) -> None:
    runner.install()
    (runner.work / "a.txt").write_bytes(b"fine\n")
    if name == "args" and value.startswith("-"):
        pytest.skip("options are what this input is for")
    done = runner.run(STEPS[1], **{name: value})
    assert sorted(path.name for path in runner.work.iterdir()) == ["a.txt"]
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


@needs_program("bash")
def test_the_check_of_inputs_sees_an_expression_that_is_run(runner: Runner) -> None:
    """A planted fault: an input that is text of the script."""
    runner.install()
    planted = {**STEPS[1], "run": STEPS[1]["run"].replace('"--form=$FORM"', "--form=$(eval echo $FORM)")}
    assert planted["run"] != STEPS[1]["run"]
    runner.run(planted, form="$(touch pwned)")
    assert (runner.work / "pwned").exists()
