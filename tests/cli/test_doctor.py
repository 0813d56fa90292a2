"""`doctor`: what it says of this installation, and that it sees what is broken."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import eightfold
from eightfold.cli import main
from eightfold.cli.commands import doctor
from support.command_line import ENVIRONMENT, ROOT, run

PLAIN = {name: value for name, value in ENVIRONMENT.items() if name != "EIGHTFOLD_ENGINE"}


def findings(done: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    return {each["name"]: each for each in json.loads(done.stdout)["findings"]}


def test_json_and_text_say_the_same() -> None:
    found = findings(run("doctor", "--output-format", "json"))
    text = run("doctor")
    assert text.returncode == 0
    assert text.stderr.splitlines()[-1] == b"eightfold: no problems found"
    assert len(text.stderr.splitlines()) == (1 if _has_core() else 2)
    assert [line.split("  ")[0] for line in text.stdout.decode().splitlines()] == list(found)
    assert all(each["value"] in text.stdout.decode() for each in found.values())


def test_what_is_at_work() -> None:
    done = run("doctor", "--output-format", "json")
    found = findings(done)
    values = json.loads(done.stdout)
    assert (values["version"], values["broken"]) == (eightfold.__version__, 0)
    assert found["eightfold"]["value"].startswith(eightfold.__version__)
    assert platform.python_version() in found["python"]["value"]
    assert found["platform"]["value"] == platform.platform()
    assert found["forms"]["value"].startswith(f"{len(eightfold.forms())}, each tested: {len(eightfold.forms())} ")
    assert "cesu-8" in found["codecs"]["value"]
    assert {each["broken"] for each in found.values()} == {None}


def test_the_engine_and_why() -> None:
    assert findings(run("doctor", "--output-format", "json", env=PLAIN))["engine"]["value"].startswith(
        f"{'native' if _has_core() else 'python'}: "
    )
    for engine in ("python", "reference"):
        forced = findings(run("doctor", "--output-format", "json", env={**PLAIN, "EIGHTFOLD_ENGINE": engine}))
        assert forced["engine"]["value"] == f"{engine}: EIGHTFOLD_ENGINE={engine}"


def _has_core() -> bool:
    return any((ROOT / "src" / "eightfold").glob("_native.*[!i]"))


# --- a core -----------------------------------------------------------------------------------------------------------


def with_core(folder: Path, source: str) -> dict[str, str]:
    """Return an environment with a copy of the package that has a core, which is this source."""
    package = folder / "eightfold"
    ignored = shutil.ignore_patterns("__pycache__", "_native.*")
    shutil.copytree(Path(eightfold.__file__).parent, package, ignore=ignored)
    (package / "_native.py").write_text(source)
    return {**PLAIN, "PYTHONPATH": str(folder), "EIGHTFOLD_ENGINE": "reference"}


def test_a_core_that_does_not_import_is_broken(tmp_path: Path) -> None:
    environment = with_core(tmp_path, "raise ImportError('undefined symbol: PyUnicode_New')")
    done = run("doctor", env=environment, cwd=tmp_path)
    assert done.returncode == 1
    first, last = done.stderr.decode().splitlines()
    assert first.startswith(
        "eightfold: compiled core: ImportError: undefined symbol: PyUnicode_New; reinstall eightfold"
    )
    assert last == "eightfold: 1 problem found"
    found = findings(run("doctor", "--output-format", "json", env=environment, cwd=tmp_path))
    assert [name for name, each in found.items() if each["broken"]] == ["compiled core"]


@pytest.mark.parametrize(
    ("source", "told"),
    [("INSTRUCTION_SET = 'avx2'", "avx2"), ("INSTRUCTION_SET = 'neon'", "neon"), ("", "not reported by this core")],
    ids=["told", "told-on-aarch64", "not-told"],
)
def test_the_instruction_set_of_a_core(source: str, told: str, tmp_path: Path) -> None:
    done = run("doctor", "--output-format", "json", env=with_core(tmp_path, source), cwd=tmp_path)
    found = findings(done)
    assert done.returncode == 0
    assert found["instruction set"]["value"] == told
    assert found["compiled core"]["value"].endswith("_native.py")


# --- what is beside it ------------------------------------------------------------------------------------------------


def test_the_extras_and_their_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    required = ['pytest>=8; extra == "dev"', "no-such-package; extra == 'web'", 'eightfold[cli]; extra == "all"']
    monkeypatch.setattr(metadata, "requires", lambda name: required)
    told = {each.name: each.value for each in doctor._extras()}
    assert told == {
        "extra dev": f"pytest {metadata.version('pytest')}",
        "extra web": "no-such-package not installed",
    }


def test_a_package_that_runs_from_its_source_has_no_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", missing)
    assert [each.value for each in doctor._extras()] == [
        "unknown: this eightfold runs from its source and is not installed"
    ]


# --- what can be shown ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8", "utf-8: shows every character"),
        ("latin-1", "latin-1: other characters are shown as escapes; set PYTHONIOENCODING=utf-8 to change this"),
    ],
)
def test_the_encoding_of_standard_output(encoding: str, told: str) -> None:
    done = run("doctor", "--output-format", "json", env={**PLAIN, "PYTHONIOENCODING": encoding})
    assert findings(done)["standard output"]["value"].replace("iso8859-1", "latin-1") == told


@pytest.mark.skipif(os.name != "posix", reason="elsewhere names of files are Unicode")
def test_the_encoding_of_names() -> None:
    utf_8 = findings(run("doctor", "--output-format", "json", env={**PLAIN, "PYTHONUTF8": "1"}))
    assert utf_8["names of files"]["value"] == "utf-8, surrogateescape"


@pytest.mark.parametrize(
    ("variables", "options", "told"),
    [
        ({}, [], "off: not a terminal"),
        ({"NO_COLOR": "1"}, [], "off: NO_COLOR is set"),
        ({}, ["--color", "never"], "off: --color never"),
    ],
)
def test_colour_and_why(variables: dict[str, str], options: list[str], told: str) -> None:
    done = run("doctor", "--output-format", "json", *options, env={**PLAIN, **variables})
    assert findings(done)["colour"]["value"] == told


# --- planted faults ---------------------------------------------------------------------------------------------------


def test_a_form_that_does_not_read_back_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def decode(data: bytes, form: eightfold.Form) -> str:
        if form.name == "mutf-8":
            raise MemoryError
        return eightfold.decode(data, form) + "!" * (form.name == "wtf-8")

    monkeypatch.setattr(doctor, "decode", decode)
    assert main(["doctor"]) == 1
    told = capsys.readouterr().err
    assert "forms: wtf-8, mutf-8 did not round-trip" in told


def test_a_codec_that_is_not_found_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    eightfold.unregister_codecs()
    monkeypatch.setattr(doctor, "register_codecs", lambda: None)
    assert main(["doctor"]) == 1
    assert "wtf-8" in capsys.readouterr().err.partition("codecs: ")[2]
