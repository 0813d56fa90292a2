"""The types of the public interface, as type checkers of users see them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import eightfold

PRIVATE = "eightfold.cli."
"""The command line is a program, not an interface for others."""
CHECKER = Path(sys.executable).with_name("basedpyright")
needs_checker = pytest.mark.skipif(not CHECKER.exists(), reason="basedpyright is not installed: pip install '.[dev]'")

PROGRAM = """
import array, io, mmap
from typing import assert_type
import eightfold

def data(mapped: mmap.mmap, file: io.BytesIO) -> None:
    for each in (mapped, array.array("H"), memoryview(b""), bytearray(), b"", file.getbuffer()):
        assert_type(eightfold.decode(each, "wtf-8"), str)
        assert_type(eightfold.is_well_formed(each, "wtf-8"), bool)
        eightfold.Checker("utf-8").check(each), eightfold.Converter("utf-8", "wtf-8").convert(each)
        eightfold.wtf8.to_utf8(each), eightfold.repair.plan(each), eightfold.jsontext.scrub(each)
        eightfold.identify(each), list(eightfold.faults(each, "utf-8")), eightfold.explain(each, "utf-8")

def faults(text: str) -> eightfold.Fault | None:
    try:
        eightfold.decode(b"", "utf-8")
        eightfold.encode(text, "utf-8")
        eightfold.convert(b"", "utf-8", "utf-8")
    except (eightfold.DecodeError, eightfold.EncodeError) as error:
        assert_type(error.fault, eightfold.Fault | None)
        return error.fault
    except eightfold.ConversionError as error:
        return assert_type(error.fault, eightfold.Fault)
    except UnicodeError as error:
        return eightfold.fault_of(error)
    return None

def in_place(mapped: mmap.mmap) -> None:
    for each in (mapped, array.array("H"), bytearray()):
        eightfold.wtf8.replace_surrogates_in_place(each)

def wrong() -> None:
    eightfold.decode("text", "utf-8")  # wrong
    eightfold.encode(b"bytes", "utf-8")  # wrong
    eightfold.open("path", "r", encoding=3)  # wrong
"""


def checked(*arguments: str, folder: Path, paths: str = "") -> dict:
    command = [str(CHECKER), "--outputjson", "--pythonpath", sys.executable, *arguments]
    # With --verifytypes the checker asks the first Python on PATH, whatever --pythonpath says.
    path = os.pathsep.join((str(CHECKER.parent), os.environ.get("PATH", os.defpath)))
    environment = {**os.environ, "PATH": path, "PYTHONPATH": paths}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return json.loads(done.stdout)


@needs_checker
def test_every_public_name_has_its_type(tmp_path: Path) -> None:
    # The checker finds what the doors import, such as SQLAlchemy, only where it is told to look.
    paths = os.pathsep.join((str(Path(eightfold.__file__).parents[1]), sysconfig.get_path("purelib")))
    found = checked("--verifytypes", "eightfold", "--ignoreexternal", folder=tmp_path, paths=paths)["typeCompleteness"]
    public = [each for each in found["symbols"] if each["isExported"] and not each["name"].startswith(PRIVATE)]
    assert len(public) > 500
    assert [each["name"] for each in public if not each["isTypeKnown"]] == []


@needs_checker
def test_a_program_of_a_user_checks(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "pyrightconfig.json").write_text(
        json.dumps({"typeCheckingMode": "standard", "extraPaths": [str(Path(eightfold.__file__).parents[1])]})
    )
    found = checked("program.py", folder=tmp_path)["generalDiagnostics"]
    wrong = {number for number, line in enumerate(PROGRAM.splitlines()) if line.endswith("# wrong")}
    assert {each["range"]["start"]["line"] for each in found if each["severity"] == "error"} == wrong, found


def test_the_hints_can_be_read_at_run_time() -> None:
    import typing

    for verb in (
        eightfold.locate,
        eightfold.wtf8.replace_surrogates_in_place,
        eightfold.Converter.convert,
        eightfold.open,
        eightfold.identify,
    ):
        assert "return" in typing.get_type_hints(verb)
