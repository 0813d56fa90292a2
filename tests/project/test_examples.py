"""The files of examples/: each is listed with the program that wrote it, is what that program writes, and holds what
its description says. The tour over them has tests of its own."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest

from eightfold import decode, faults, is_well_formed, mutf8, scrub_report, xtf8
from support.command_line import EXAMPLES, PATIENCE

SOURCES = (EXAMPLES / "SOURCES.md").read_text(encoding="utf-8")
DIGESTS = dict(reversed(line.split()) for line in (EXAMPLES / "SHA256SUMS").read_text(encoding="ascii").splitlines())
NO_INPUTS = {"SOURCES.md", "SHA256SUMS", "tour.sh"}


class Listed(NamedTuple):
    """A row of SOURCES.md."""

    file: str
    written_by: str
    command: str


LISTED = [Listed(*found) for found in re.findall(r"^\| `(\S+)` \| (.+?) \| (?:`(.*)`)? ?\|$", SOURCES, re.MULTILINE)]


class Program(NamedTuple):
    """What is asked whether it is the right one, and how it answers if it is."""

    asked: tuple[str, ...]
    says: str


# javac may lay out a class file otherwise in another version, and tar 1.35 leaves empty what 1.34 fills with zeros; the
# others are known not to care.
PROGRAMS = {
    "node": Program(("node", "--version"), r"v(1[2-9]|[2-9]\d)\."),
    "java": Program(("java", "-version"), r'version "(1[7-9]|[2-9]\d)'),
    "javac": Program(("javac", "-version"), r"javac 17\."),
    "python3": Program((sys.executable, "--version"), "Python 3"),
    "old_invoice.sh": Program(("iconv", "--version"), "iconv"),
    "cut_titles.sh": Program(("cut", "--version"), "coreutils"),
    "pack_names.sh": Program(("tar", "--version"), r"GNU tar\) 1\.34\b"),
    "eightfold": Program((sys.executable, "-m", "eightfold", "--version"), "eightfold"),
}
OWN = {"python3": [sys.executable], "eightfold": [sys.executable, "-m", "eightfold"]}


def program_of(command: str) -> Program:
    words = command.split()
    return PROGRAMS[words[1] if words[0] == "sh" else words[0]]


def missing(program: Program) -> str:
    """Return what is missing to ask a program, or nothing."""
    name = Path(program.asked[0]).name
    if shutil.which(program.asked[0]) is None:
        return f"{name} is not installed"
    said = subprocess.run(program.asked, capture_output=True, text=True, timeout=PATIENCE, check=False)
    answer = (said.stdout + said.stderr).strip()
    return "" if re.search(program.says, answer) else f"{name} is another one: {answer[:60]!r}"


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES, tmp_path / "examples"))


# --- listed, the same, and made again ---------------------------------------------------------------------------------


def test_every_file_is_listed_or_makes_one_that_is() -> None:
    there = {path.name for path in EXAMPLES.iterdir() if path.is_file()} - NO_INPUTS
    makers = {word for row in LISTED for word in row.command.split()}
    assert there - {row.file for row in LISTED} - makers == set()
    assert {row.file for row in LISTED} - there == set()
    assert re.findall(r"^\*\*(\S+)\*\*:", SOURCES, re.MULTILINE) == [
        row.file for row in LISTED if row.file != "letter.txt"
    ]


def test_every_file_has_its_digest() -> None:
    assert {row.file: sha256((EXAMPLES / row.file).read_bytes()).hexdigest() for row in LISTED} == DIGESTS


def test_every_version_is_named() -> None:
    assert [row.file for row in LISTED if row.command and not re.search(r" v?\d+\.\d+", row.written_by)] == []


@pytest.mark.parametrize("row", [row for row in LISTED if row.command], ids=lambda row: row.file)
def test_the_program_writes_the_same_bytes_again(row: Listed, workplace: Path) -> None:
    lack = missing(program_of(row.command))
    if row.file == "names.tar" and not sys.platform.startswith("linux"):
        lack = "file names that are any bytes are not to be had: this is no Linux"
    if lack:
        pytest.skip(f"{row.file} is as kept, {lack}")
    kept = (workplace / row.file).read_bytes()
    (workplace / row.file).unlink()
    first, *rest = row.command.split()
    # Java takes the name of the folder from the locale.
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    subprocess.run([*OWN.get(first, [first]), *rest], cwd=workplace, env=environment, check=True, timeout=PATIENCE)
    assert (workplace / row.file).read_bytes() == kept


def test_another_program_is_told_from_the_right_one() -> None:
    assert missing(Program(("no-such-program",), "")) == "no-such-program is not installed"
    assert "is another one: 'Python 3" in missing(Program((sys.executable, "--version"), "GNU tar"))


# --- what they hold ---------------------------------------------------------------------------------------------------


def contents(name: str) -> bytes:
    return (EXAMPLES / name).read_bytes()


@pytest.mark.parametrize(
    ("name", "form", "kinds"),
    [
        ("messages-utf-16le.txt", "utf-16-le", {"unpaired-surrogate": 4}),
        ("request.json", "utf-8", {}),
        ("letter.txt", "utf-8", {}),
        ("customers-cesu-8.csv", "cesu-8", {}),
        ("customers-cesu-8.csv", "utf-8", {"surrogate": 6}),
        ("titles-cut.txt", "utf-8", {"truncated": 2, "overlong": 2, "surrogate": 2}),
        ("letter-corrected.txt", "corrected-utf-8-sig", {}),
    ],
)
def test_the_faults_are_those_described(name: str, form: str, kinds: dict[str, int]) -> None:
    assert Counter(fault.kind for fault in faults(contents(name), form)) == kinds


def by_halves(text: str) -> bytes:
    """Return text as CESU-8, by way of Python's own codecs: each 16-bit code unit as UTF-8 would have it."""
    units = text.encode("utf-16-be", "surrogatepass")
    pairs = (int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2))
    return b"".join(chr(unit).encode("utf-8", "surrogatepass") for unit in pairs)


def test_the_table_is_cesu_8() -> None:
    table = decode(contents("customers-cesu-8.csv"), "cesu-8")
    assert "Zoë Müller,likes 🍰 and 🐈\n2,李小龙,𠮷野家" in table
    assert contents("customers-cesu-8.csv") == by_halves(table)


def test_the_game_holds_three_strings_of_java() -> None:
    stream = io.BytesIO(contents("save-game.dat"))
    assert [mutf8.read_utf(stream) for _ in range(3)] == ["Jürgen 🎮", "sword\0shield\0🗝", "Level 3 \ud83c"]
    assert stream.read() == b""


def test_the_class_file_holds_an_emoji_and_a_nul() -> None:
    data = contents("Greeting.class")
    assert data.startswith(b"\xca\xfe\xba\xbe")
    for text in ("Grüß dich 👋", "name\0city"):
        stored = by_halves(text).replace(b"\0", b"\xc0\x80")
        at = data.index(b"\x01" + len(stored).to_bytes(2, "big") + stored)  # tag 1 of the constant pool
        assert mutf8.read_utf(io.BytesIO(data[at + 1 :])) == text


def test_the_letter_is_latin_1_and_no_utf_8() -> None:
    data = contents("invoice-latin-1.txt")
    assert "gâteau «Forêt-Noire»" in data.decode("latin-1")
    assert not is_well_formed(data, "utf-8")


def test_the_request_has_half_an_emoji() -> None:
    assert contents("request.json").count(rb"\ud83c") == 1
    found = scrub_report(json.loads(contents("request.json")))
    assert [(path, fault.code_point) for path, fault in found] == [("messages[0].content", 0xD83C)]


def test_the_names_in_the_archive_come_back_through_xtf_8() -> None:
    stored = [b"Stra\xc3.txt", b"caf\xc3\xa9.txt", b"r\xe9sum\xe9.txt", b"\x93\xfa\x96\x7b.txt"]
    with tarfile.open(EXAMPLES / "names.tar", encoding="utf-8", errors="surrogateescape") as archive:
        names = archive.getnames()
    assert [name.encode("utf-8", "surrogateescape") for name in names] == stored
    storable = [xtf8.from_surrogateescape(name) for name in names]
    assert [decode(name, "xtf-8", "escape") for name in stored] == storable
    assert [xtf8.to_surrogateescape(name) for name in storable] == names


# The last code point that has so many bytes, and how much less than the code point their payload bits say.
OFFSETS = ((2, 0x89F, 160), (3, 0xD7FF, 2208), (3, 0x1109F, 4256), (4, 0x21109F, 69792))


def corrected(point: int) -> bytes:
    """Return a code point in Corrected UTF-8, by shifts and masks."""
    if point < 0x80:
        return bytes([point])
    length, _, offset = next(row for row in OFFSETS if point <= row[1])
    raw = point - offset
    tail = [0x80 | raw >> 6 * place & 0x3F for place in reversed(range(length - 1))]
    return bytes([0xFF00 >> length & 0xFF | raw >> 6 * (length - 1), *tail])


def test_the_corrected_letter_is_right_by_arithmetic() -> None:
    assert [corrected(point).hex() for point in (0xCF, 0xED4E, 0x10E7D)] == ["c0af", "edb2ae", "efb79d"]
    letter = contents("letter.txt").decode("utf-8")
    assert {len(corrected(ord(char))) for char in letter} == {1, 2, 3, 4}
    magic = b"\xef\xb7\x9d\xed\xb2\xae\0\n"
    assert contents("letter-corrected.txt") == magic + b"".join(corrected(ord(char)) for char in letter)
