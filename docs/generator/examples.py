"""The smallest example of each kind of fault, found by trying inputs in order of length, not chosen by hand.

Bytes are made of one code unit of each class that a form's tables distinguish; texts of the first and last code point
of each row, and of the surrogates. What no form reports, because an operation or the command does, has a probe of its
own. A kind without an example is an error: add a probe.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import eightfold
from eightfold import Fault, Form, corrected, xtf8
from eightfold.faults import KINDS, code_point_name, hex_bytes
from eightfold.legacy import CharsetDecoder, charsets
from eightfold.mojibake import MojibakeFinder

sys.path.append(str(Path(__file__).parents[2] / "tests"))
from support.byte_classes import neighbours, representatives, strings

LONGEST = 3


class Reported(NamedTuple):
    """What a page shows of a fault, where the command reported it."""

    kind: str
    severity: str
    sentence: str

    def __str__(self) -> str:
        return self.sentence


class Example(NamedTuple):
    """An input, as people write it, who reports on it, and the fault."""

    shown: str
    by: str
    fault: Fault | Reported


@cache
def of_form(form: Form) -> dict[str, list[Example]]:
    """Return the smallest inputs of a form that have one fault, by its kind.

    If the smallest does not say which code point was meant, the smallest that does follows it.
    """
    found: dict[str, list[Example]] = {}
    tried = {*strings(form, LONGEST), *neighbours(form)}
    for data in sorted(tried, key=lambda each: (len(each), each)):
        faults = list(eightfold.faults(data, form, 2))
        if len(faults) == 1:
            kept = found.setdefault(faults[0].kind, [])
            if not kept or (kept[-1].fault.code_point is None and faults[0].code_point is not None):
                kept.append(Example(hex_bytes(data), f"faults(…, {form.name!r})", faults[0]))
    return {kind: found[kind] for kind in KINDS if kind in found}


@cache
def of_every_kind() -> dict[str, list[Example]]:
    """Return the smallest examples of each kind: of a form if some form reports it, else of the first probe that does.

    Raises:
        LookupError: no input that was tried has such a fault.
    """
    found: dict[str, list[Example]] = {}
    for form in eightfold.forms():
        for kind, smallest in of_form(form).items():
            found.setdefault(kind, smallest)
    for probe in PROBES:
        for example in probe():
            found.setdefault(example.fault.kind, [example])
    if missing := [kind for kind in KINDS if kind not in found]:
        raise LookupError(f"no example of {', '.join(missing)}: add a probe to docs/generator/examples.py")
    return {kind: found[kind] for kind in KINDS}


def _texts() -> Iterator[str]:
    rows = [row for form in eightfold.forms() for row in form.rows]
    ends = {end for row in rows for end in (row.first, row.last) if end <= sys.maxunicode} | {0xD800, 0xDC00}
    yield from map(chr, sorted(ends))
    yield from map("".join, product("\ud800\udc00", repeat=2))


def _written() -> Iterator[Example]:
    """Texts that a form cannot write, or that it joins."""
    for text in _texts():
        for form in eightfold.forms():
            for fault in eightfold.encode_faults(text, form, warnings=True):
                yield Example(_points(text), f"encode_faults(…, {form.name!r}, warnings=True)", fault)


def _documents() -> Iterator[Example]:
    """Documents of Corrected UTF-8, with their magic number and without."""
    units = representatives(corrected.DOCUMENT)
    for length in (0, 1):
        for body in map(b"".join, product(units, repeat=length)):
            yield from _only("corrected.lint", body, corrected.lint)
            yield from _only("corrected.lint", corrected.MAGIC + body, corrected.lint)
            yield from _only("corrected.lint", corrected.MAGIC + body + b"\n", corrected.lint)


def _escapes() -> Iterator[Example]:
    """Texts of escapes of XTF-8."""
    for text in map("".join, product(map(chr, (0xEF80, 0xEFC2, 0xEFFF)), repeat=2)):
        yield from _only("xtf8.lint", text.encode(), xtf8.lint, _points(text))


def _objects() -> Iterator[Example]:
    """Objects that cannot be looked into."""
    for found in (iter(()), object()):
        for _, fault in eightfold.scrub_report(found):
            yield Example(f"a {type(found).__name__}", "scrub_report", fault)


def _charsets() -> Iterator[Example]:
    """Bytes of legacy charsets."""
    for charset in charsets():
        for byte in range(0x80, 0x100):
            found = [
                each for each in CharsetDecoder(charset).pieces(bytes([byte]), final=True) if isinstance(each, Fault)
            ]
            yield from _only("eightfold check -f " + charset.name, bytes([byte]), lambda _, found=found: found)


def _mojibake() -> Iterator[Example]:
    """Characters of Latin-1 that were read as windows-1252 and encoded again."""
    for character in map(chr, range(0xA0, 0x100)):
        data = character.encode().decode("cp1252", "ignore").encode()
        found = [each.fault for each in MojibakeFinder().find(data, final=True)]
        yield from _only("eightfold check --mojibake", data, lambda _, found=found: found)


def _files() -> Iterator[Example]:
    """Files that look like another form than UTF-8, and small texts in JSON, as the command reports on them."""
    short = [bytes(units) for length in (1, 2) for units in product((0x00, 0x41, 0xFE, 0xFF), repeat=length)]
    escapes = [f'"{first}{second}"' for first in (r"\ud800", r"\udc00") for second in ("", r"\udc00")]
    files = {f"{at:02}.txt": (hex_bytes(data), data) for at, data in enumerate(short)}
    files |= {f"{at:02}.json": (text, text.encode()) for at, text in enumerate(sorted(escapes, key=len))}
    for name, faults in _checked({name: data for name, (_, data) in files.items()}):
        if len(faults) == 1:
            kind, severity, sentence = (faults[0][key] for key in ("kind", "severity", "sentence"))
            yield Example(files[name][0], "eightfold check", Reported(kind, severity, sentence))


def _checked(files: dict[str, bytes]) -> list[tuple[str, list[dict[str, Any]]]]:
    with TemporaryDirectory() as folder:
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
        command = [sys.executable, "-m", "eightfold", "check", "--binary", "--output-format", "json", folder]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode != 1:
        raise RuntimeError(f"{' '.join(command)} ended with status {ran.returncode}: {ran.stderr}")
    return [(Path(each["path"]).name, each["faults"]) for each in json.loads(ran.stdout)["files"]]


def _only(by: str, data: bytes, find: Callable[[bytes], Iterable[Any]], shown: str = "") -> Iterator[Example]:
    faults = list(find(data))
    if len(faults) == 1:
        yield Example(shown or hex_bytes(data) or "(no bytes)", by, faults[0])


def _points(text: str) -> str:
    return " ".join(code_point_name(ord(each)) for each in text)


PROBES: tuple[Callable[[], Iterator[Example]], ...] = (
    *(_written, _documents, _escapes, _objects, _charsets, _mojibake, _files),
)


def forms_with(kind: str) -> list[str]:
    """Return the names of the forms whose bytes can have a fault of this kind."""
    return [form.name for form in eightfold.forms() if kind in of_form(form)]
