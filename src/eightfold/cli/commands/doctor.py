"""`eightfold doctor`: what is in use here, what is installed with it, and whether any of it is broken."""

from __future__ import annotations

import codecs
import os
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import Any, NamedTuple

import eightfold
from eightfold import ENGINE, Form, decode, encode, forms, register_codecs
from eightfold._engine import CORE_IS_BUILT, imported_core
from eightfold.cli.options.arguments import CommandParser, add_output_format
from eightfold.cli.output.colour import Styled, can_draw, verdict
from eightfold.cli.output.ending import FAULTS, NOTHING_WRONG
from eightfold.cli.output.lines import counted, put, say
from eightfold.cli.output.missing_core import missing_core
from eightfold.extras import installing
from eightfold.files.path_text import shown
from eightfold.version import __version__

FORMATS = ("text", "json")
_BASIC_SAMPLE = "na\u00efve \u2192 \ufffd"
_SAMPLE = f"{_BASIC_SAMPLE} \U0001f600"
"""Text with code points of one to four bytes; the basic one has none above U+FFFF, which optu-8 lacks."""


@dataclass
class Options:
    """The options of `doctor`."""

    output_format: str = "text"


class Finding(NamedTuple):
    """One thing that was examined.

    Attributes:
        name: what it is.
        value: how it is.
        broken: why it does not work, and what to do; empty if it works.
    """

    name: str
    value: str
    broken: str = ""


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "doctor",
        "[OPTIONS]",
        "Report which engine is in use and why, all versions, the instruction set, the\n"
        "installed extras, and what standard output and file names can hold; then test\n"
        "every form and every codec once.\n"
        "Exit status 0: no problems; 1: problems, which are reported.",
        [
            ("eightfold doctor > report.txt", "write a report to attach to a bug"),
            ("eightfold doctor --output-format json", "for a program"),
        ],
    )
    add_output_format(command, FORMATS)
    return command


def run(options: Options) -> int:
    """Examine everything; return the exit status."""
    findings = tuple(_findings())
    broken = [finding for finding in findings if finding.broken]
    if options.output_format == "json":
        import json

        values = {"version": __version__, "broken": len(broken), "findings": [_as_dict(each) for each in findings]}
        put(json.dumps(values, indent=2))
    else:
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            put(Styled(f"{finding.name:{width}}", "title"), f"  {finding.value}")
    if missing := missing_core():
        say(missing)
    for finding in broken:
        say(Styled(f"{finding.name}: {finding.broken}", "error"))
    if options.output_format == "text":
        say(
            Styled(f"{counted(len(broken), 'problem')} found", "error")
            if broken
            else Styled("no problems found", "good")
        )
    return FAULTS if broken else NOTHING_WRONG


def _as_dict(finding: Finding) -> dict[str, str | None]:
    return {"name": finding.name, "value": finding.value, "broken": finding.broken or None}


def _findings() -> Iterator[Finding]:
    yield Finding("eightfold", f"{__version__} in {shown(os.path.dirname(eightfold.__file__))}")
    yield Finding("python", f"{platform.python_implementation()} {platform.python_version()}, {shown(sys.executable)}")
    yield Finding("platform", platform.platform())
    yield from _engine()
    yield from _extras()
    yield _standard_output()
    yield _file_names()
    yield _colour()
    yield _forms()
    yield _codecs()


# --- the engine -------------------------------------------------------------------------------------------------------


def _engine() -> Iterator[Finding]:
    yield Finding("engine", f"{ENGINE}: {_reason()}")
    if not CORE_IS_BUILT:
        yield Finding("compiled core", "not installed")
        yield Finding("instruction set", f"none: the engine {ENGINE} has no compiled code")
        return
    try:
        core: Any = imported_core()
    except Exception as error:  # Any exception on import is the finding.
        advice = "reinstall eightfold, or set EIGHTFOLD_ENGINE=python to run without it"
        yield Finding("compiled core", "broken", f"{type(error).__name__}: {error}; {advice}")
        return
    yield Finding("compiled core", shown(str(core.__file__)))
    crates = ", ".join(f"{crate} {version}" for crate, version in getattr(core, "CRATES", ()))
    yield Finding("crates", crates or "not reported by this core")
    yield Finding("instruction set", str(getattr(core, "INSTRUCTION_SET", "not reported by this core")))


def _reason() -> str:
    asked = os.environ.get("EIGHTFOLD_ENGINE")
    if asked:
        return f"EIGHTFOLD_ENGINE={asked}"
    return "the compiled core is installed" if CORE_IS_BUILT else "there is no compiled core"


# --- what is installed with it ----------------------------------------------------------------------------------------


def _extras() -> Iterator[Finding]:
    try:
        required = metadata.requires("eightfold") or []
    except metadata.PackageNotFoundError:
        yield Finding("extras", "unknown: this eightfold runs from its source and is not installed")
        return
    for extra, names in _packages(required).items():
        yield Finding(f"extra {extra}", ", ".join(map(_installed, names)))


def _packages(required: list[str]) -> dict[str, list[str]]:
    """Return the packages that each extra installs, from the requirements in a package's metadata.

    >>> _packages(['rich<15,>=13; extra == "cli"', 'eightfold[cli]; extra == "all"', "other"])
    {'cli': ['rich']}
    """
    found: dict[str, list[str]] = {}
    for requirement in required:
        name = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"extra == ['\"]([\w-]+)", requirement)
        if name and extra and name[0] != "eightfold":
            found.setdefault(extra[1], []).append(name[0])
    return found


def _installed(package: str) -> str:
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return f"{package} not installed"


# --- what can be shown ------------------------------------------------------------------------------------------------


def _standard_output() -> Finding:
    if sys.stdout is None:
        return Finding("standard output", "closed")
    encoding = sys.stdout.encoding
    if _holds(encoding):
        return Finding("standard output", f"{encoding}: shows every character")
    return Finding(
        "standard output",
        f"{encoding}: other characters are shown as escapes; set PYTHONIOENCODING=utf-8 to change this",
    )


def _file_names() -> Finding:
    encoding, errors = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
    limit = "" if _holds(encoding) else "; some names cannot be written: set PYTHONUTF8=1 to change this"
    return Finding("names of files", f"{encoding}, {errors}{limit}")


def _holds(encoding: str) -> bool:
    try:
        return bool(_SAMPLE.encode(encoding))
    except UnicodeEncodeError:
        return False


def _colour() -> Finding:
    wanted, reason = verdict(sys.stdout)
    if wanted and not can_draw():
        return Finding("colour", f"off: {reason}, but rich is not installed: {installing('cli')}")
    return Finding("colour", f"{'on' if wanted else 'off'}: {reason}")


# --- what is tested ---------------------------------------------------------------------------------------------------


def _forms() -> Finding:
    wrong = [each.name for each in forms() if not _reads_back(each)]
    summary = f"{len(forms())}, each tested: {len(forms()) - len(wrong)} round-trip"
    return Finding("forms", summary, f"{', '.join(wrong)} did not round-trip" if wrong else "")


def _reads_back(form: Form) -> bool:
    try:
        return decode(encode(_BASIC_SAMPLE, form), form) == _BASIC_SAMPLE
    except Exception:  # Whatever a broken engine raises, it is broken.
        return False


def _codecs() -> Finding:
    register_codecs()
    missing = [each.name for each in forms() if not _has_codec(each)]
    ours = [each.name for each in forms() if not each.cpython_reasons]
    summary = f"{' '.join(ours)} after register_codecs(), the other {len(forms()) - len(ours)} are Python's"
    return Finding("codecs", summary, f"{', '.join(missing)} cannot be looked up" if missing else "")


def _has_codec(form: Form) -> bool:
    try:
        return bool(codecs.lookup(form.name))
    except LookupError:
        return False
