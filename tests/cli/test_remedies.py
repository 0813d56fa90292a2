"""Remedies that are printed work: each is followed as a reader would, on the file that it was printed for."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable
from importlib import metadata
from itertools import product
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest
from packaging.requirements import Requirement

from eightfold import forms, is_well_formed
from eightfold.cli import main
from eightfold.extras import installing, requirements
from support.command_line import ROOT

SOURCES = ("utf-8", "wtf-8", "cesu-8", "mutf-8", "generalized-utf-8", "corrected-utf-8", "utf-16-le")
TARGETS = ("utf-8", "wtf-8", "cesu-8", "mutf-8", "xtf-8", "optu-8", "corrected-utf-8", "utf-16-le", "utf-32-be")
FAULTS = (b"\xff", b"\xe9!", b"\xed\xa0\x80", b"\x00", b"\xe2\x82", b"\xee\xbe\x80", b"\xf4\x90\x80\x80", b"\xd8\xd8")
PIECE = re.compile(r"(?:try |, )((?:-|eightfold )[^(]+?) \(")
"""An advice: options, or a whole command, with what it does in brackets."""


def advised(message: str) -> list[str]:
    """Return what a message advises to try."""
    _, _, advice = message.partition("; try ")
    return PIECE.findall(f"try {advice}") if advice else []


def with_options(line: list[str], options: list[str]) -> list[str]:
    """Return a command line with options in the place of those that it had: every one of these has a value, or none."""
    given = dict(zip(line[1::2], line[2::2], strict=False))
    flags = [option for option in options if option == "--lossy"]
    named = [option for option in options if option != "--lossy"]
    given |= dict(zip(named[::2], named[1::2], strict=True))
    return [line[0], *(part for item in given.items() for part in item), *flags]


class Done(NamedTuple):
    """How a command ended, and what it wrote."""

    status: int
    shown: str
    said: str


Run: TypeAlias = Callable[[list[str]], Done]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command on the file `in` of a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def ran(line: list[str]) -> Done:
        Path("out").unlink(missing_ok=True)
        return Done(main([*line, "in"]), *capsys.readouterr())

    return ran


def followed(run: Run, line: list[str], advice: str) -> Done:
    """Run a command again as it is advised, or the command that is advised."""
    if advice.startswith("eightfold "):
        return run(shlex.split(advice)[1:])
    return run(with_options(line, shlex.split(advice)))


@pytest.mark.parametrize("source", SOURCES)
def test_what_a_stopped_conversion_advises_gets_past_the_fault(source: str, run: Run) -> None:
    tried = 0
    for target, data in product(TARGETS, FAULTS):
        Path("in").write_bytes(b"ab" + data + b"cd")
        line = ["convert", "-f", source, "-t", target, "-o", "out"]
        for advice in advised(run(line).said):
            after = followed(run, line, advice)
            tried += 1
            told = f"{' '.join(line)} on {data!r}, then {advice}: {after.said!r}"
            if advice.startswith("eightfold check"):
                assert (after.status, "in:" in after.shown) == (1, True), told
            else:
                assert after.status == 0, told
                assert Path("out").exists(), told
    assert tried > 10


def test_bytes_that_are_not_utf_8_are_escaped_in_utf_8(run: Run) -> None:
    Path("in").write_bytes(b"caf\xe9\n")
    line = ["convert", "-f", "utf-8", "-t", "xtf-8", "-o", "out"]
    advice = advised(run(line).said)
    assert "-f xtf-8 -t utf-8 --errors escape" in advice
    assert "--errors escape" not in advice
    assert followed(run, line, "-f xtf-8 -t utf-8 --errors escape").status == 0
    assert Path("out").read_text(encoding="utf-8") == "caf\uefe9\n"


@pytest.mark.parametrize("source", [each.name for each in forms() if each.unit_bytes == 1])
def test_what_a_stopped_repair_advises_writes_the_file(source: str, run: Run) -> None:
    for data in FAULTS:
        Path("in").write_bytes(b"ab" + data)
        line = ["repair", "-f", source, "--errors", "strict", "-o", "out"]
        done = run(line)
        assert done.status in (0, 1)
        assert done.status == 0 or advised(done.said)
        for advice in advised(done.said):
            after = followed(run, line, advice)
            assert after.status == 0, (data, advice, after.said)
            assert is_well_formed(Path("out").read_bytes(), "utf-8")


def test_what_a_repair_that_would_lose_something_advises(run: Run) -> None:
    Path("in").write_bytes(b"caf\xe9\n")
    line = ["repair", "--errors", "replace"]
    assert "use --lossy to write anyway, or --plan FILE to be able to undo" in run([*line, "-o", "out"]).said
    assert run([*line, "--plan", "plan"]).status == 0
    assert run([*line, "--lossy", "-o", "out"]).status == 0
    assert Path("out").exists()


def test_wide_forms_that_repair_does_not_read_are_converted(run: Run) -> None:
    Path("in").write_bytes("né".encode("utf-16-le"))
    advice = "repair reads 8-bit forms: try eightfold convert -f utf-16-le -t utf-8"
    assert run(["repair", "-f", "utf-16-le"]).said == f"eightfold: {advice}\n"
    assert run(["convert", "-f", "utf-16-le", "-t", "utf-8", "-o", "out"]).status == 0
    assert Path("out").read_bytes() == "né".encode()


# --- what to install --------------------------------------------------------------------------------------------------

EXTRAS = ("arrow", "cli", "graphemes", "mojibake", "pydantic", "remote", "sqlalchemy", "web", "zstd")
NAMED = re.compile(r"""(?:installing\(|needed_by\("[^"]+", "\w+", )['"](\w+)['"]\)""")


def sources() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))


def test_every_extra_that_is_named_is_here() -> None:
    assert set(NAMED.findall(sources())) == set(EXTRAS)


def test_no_message_names_this_package_to_pip_which_is_on_no_index() -> None:
    assert not re.search(r"pip install ['\"]?eightfold", sources())


@pytest.mark.parametrize("extra", EXTRAS)
def test_what_is_to_be_installed_is_what_the_metadata_say(extra: str) -> None:
    required = [Requirement(each) for each in metadata.requires("eightfold") or ()]
    wanted = {
        f"{each.name}{each.specifier}"
        for each in required
        if each.marker is not None
        and each.marker.evaluate({"extra": extra})
        and not each.marker.evaluate({"extra": ""})
    }
    advice = shlex.split(installing(extra))
    if not wanted:
        assert advice[:2] != ["pip", "install"]
        return
    assert advice[:2] == ["pip", "install"]
    named = [Requirement(each) for each in advice[2:]]
    assert {f"{each.name}{each.specifier}" for each in named} == wanted
    for each in named:
        assert metadata.version(each.name) in each.specifier  # which the tests have: it can be had, and works


def test_a_requirement_for_another_python_is_left_out() -> None:
    later = f"{sys.version_info[0]}.{sys.version_info[1] + 1}"
    now = f"{sys.version_info[0]}.{sys.version_info[1]}"
    required = [f'a; python_version < "{later}" and extra == "x"', f'b; python_version < "{now}" and extra == "x"', "c"]
    assert list(requirements(required, "x")) == ["a"]
    assert list(requirements(required, "y")) == []
