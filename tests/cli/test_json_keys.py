"""The page on JSON and what the commands write have the same keys, of the same types, absent or null where it says so.

A table of the page is a kind of object, named by its heading. What the commands write is walked along the tables, and
each object compared with its own.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from eightfold.cli.commands import doctor
from support.command_line import run_here

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
LINK = re.compile(r"\[[^\]]+\]\(#([\w-]+)\)")
TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null", list: "array"}
MORE_FAULTS_THAN_LISTED = 1001

Written = tuple[str, Any]
"""The anchor of the table that describes a value, and the value."""


@dataclass
class Table:
    """What a table says: the types of each key, the tables of objects, and which keys are optional."""

    types: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    links: dict[str, str] = field(default_factory=dict)
    optional: set[str] = field(default_factory=set)
    words: dict[str, str] = field(default_factory=dict)

    def take(self, other: Table) -> None:
        """Add the keys of another table."""
        self.types |= other.types
        self.links |= other.links
        self.optional |= other.optional

    def add(self, key: str, described: str, words: str) -> None:
        """Add a key, and the objects and arrays on the way to it."""
        kinds, _, optional = described.partition(", ")
        assert optional in ("", "optional"), described
        self.optional |= {key} if optional else set()
        self.words[key] = words
        for step in re.finditer(r"\.|\[\]", key):
            self.types[key[: step.start()]].add("object" if step[0] == "." else "array")
        for kind in kinds.split(" or "):
            self._add_kind(key, kind)

    def _add_kind(self, key: str, kind: str) -> None:
        if found := re.fullmatch(r"(array|map)s? of (.*)", kind):
            self.types[key].add("array" if found[1] == "array" else "object")
            self._add_kind(key + ("[]" if found[1] == "array" else "{}"), found[2])
        elif found := LINK.fullmatch(kind):
            self.types[key].add("object")
            self.links[key] = found[1]
        else:
            self.types[key].add(kind.removesuffix("s"))


def tables(page: str) -> dict[str, Table]:
    """Return the tables of a page by the anchors of their headings."""
    found = {}
    for title, section in re.findall(r"^#+ (.*?)$(.*?)(?=^#|\Z)", page, re.MULTILINE | re.DOTALL):
        if rows := re.findall(r"^\|([^|]+)\|([^|]+)\|([^|]+)\|$", section, re.MULTILINE)[2:]:
            table = found[title.lower().replace(" ", "-")] = Table()
            for keys, described, words in rows:
                if taken := LINK.search(keys):
                    table.take(found[taken[1]])
                for key in re.findall(r"`([^`]+)`", keys):
                    table.add(key, described.strip(), words)
    return found


class Comparison:
    """Compares what is written with the tables of a page."""

    def __init__(self, page: str, written: Iterable[Written]) -> None:
        self._tables = tables(page)
        self._types: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._shapes: dict[str, dict[str, list[set[str]]]] = defaultdict(lambda: defaultdict(list))
        for name, value in written:
            self._add(name, "", value)

    def _add(self, name: str, key: str, value: Any) -> None:
        table = self._tables[name]
        self._types[name][key].add(TYPES.get(type(value), "object"))
        if isinstance(value, list):
            for each in value:
                self._add(name, f"{key}[]", each)
        elif isinstance(value, dict) and key in table.links:
            self._add(table.links[key], "", value)
        elif isinstance(value, dict) and f"{key}{{}}" in table.types:
            for each in value.values():
                self._add(name, f"{key}{{}}", each)
        elif isinstance(value, dict):
            self._shapes[name][key].append(set(value))
            for inner, each in value.items():
                self._add(name, f"{key}.{inner}".lstrip("."), each)

    def differences(self) -> Iterator[str]:
        """Yield in which keys the page and what is written differ."""
        for name, table in self._tables.items():
            written, optional = self._types[name], self._optional(name)
            for key in sorted({*table.types, *written} - {""}):
                page, fact = (" or ".join(sorted(types.get(key, ()))) for types in (table.types, written))
                if page != fact:
                    yield f"{name}: {key}: on the page '{page}', written '{fact}'"
            yield from (f"{name}: {key}: optional on the page only" for key in sorted(table.optional - optional))
            yield from (f"{name}: {key}: not always written" for key in sorted(optional - table.optional))

    def _optional(self, name: str) -> set[str]:
        return {
            f"{key}.{inner}".lstrip(".")
            for key, shapes in self._shapes[name].items()
            for inner in set.union(*shapes) - set.intersection(*shapes)
        }


# --- what the commands write ------------------------------------------------------------------------------------------


def run(*arguments: str | bytes, status: int, data: bytes = b"") -> bytes:
    done = run_here(*arguments, input=data)
    assert done.returncode == status, done.stderr.decode()
    return done.stdout


def lines(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines()]


def make_texts() -> None:
    """Make a file for each verdict, and for each kind of fault that has keys of its own."""
    texts = {
        "clean.txt": b"clean\n",
        "cut.txt": b"ov\xc0\xafer\n\xe2\x82",
        "cesu.txt": b"\xed\xa0\xbd\xed\xb8\x80",
        "escaped.json": rb'"\ud83d"',
        "mojibake.txt": b"caf\xc3\x83\xc2\xa9\n",
        "other.txt": b"\xff\xfeh\0",
        "latin.txt": b"caf\xe9 noir, d\xe9j\xe0 vu\n",
    }
    for name, data in texts.items():
        Path(name).write_bytes(data)


def make_tables() -> None:
    """Make a table with an ill-formed value and an ill-formed text, and one with such a value that no row shows."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    values = pa.array([b"ok", b"caf\xe9"], pa.binary()).view(pa.string())
    parquet.write_table(pa.table({"name": values}).replace_schema_metadata({b"k": b"\xff"}), "table.parquet")
    unused = pa.table({"name": pa.DictionaryArray.from_arrays(pa.array([0]), values)})
    with pa.OSFile("table.arrow", "wb") as file, pa.ipc.new_file(file, unused.schema) as writer:
        writer.write_table(unused)


def make_names() -> None:
    """Make a file, a link and a member of an archive with ill-formed names, the last with too many faults to list."""
    os.mkdir("names")
    Path("names", "caf\udce9").touch()
    os.symlink(b"\xff", b"names/link")
    member = tarfile.TarInfo("\udcff" * MORE_FAULTS_THAN_LISTED)
    member.type, member.linkname = tarfile.SYMTYPE, member.name
    with tarfile.open("names.tar", "w", format=tarfile.GNU_FORMAT, errors="surrogateescape") as archive:
        archive.addfile(member, io.BytesIO())


def of_check() -> Iterator[Written]:
    paths = ("clean.txt", "cut.txt", "cesu.txt", "escaped.json", "mojibake.txt", "other.txt", "table.parquet", "none")
    asked = ("check", "--context", "--mojibake", "--output-format")
    yield "check", json.loads(run(*asked, "json", *paths, status=2))
    for line in lines(run(*asked, "jsonl", *paths, status=2)):
        yield {"fault": "fault-of-a-file"}.get(line["type"], line["type"]), line
    yield "sarif", json.loads(run(*asked, "sarif", *paths, "-", status=2, data=b"\xff"))
    yield "sarif", json.loads(run("check", "--output-format", "sarif", "cut.txt", status=1))
    for issue in json.loads(run("check", "--output-format", "gitlab", *paths, status=2)):
        yield "gitlab", issue


def of_names() -> Iterator[Written]:
    asked = ("names", "--output-format", "jsonl")
    for line in lines(run(*asked, "names", "names.tar", status=1)):
        yield "names", line
    refused = run(*asked, "--fix", "strict", "names", status=1)
    for line in lines(refused + run(*asked, "--fix", "latin-1", "--apply", "log", "names", status=0)):
        yield "renaming", line
    heading, *renamings = lines(Path("log").read_bytes())
    yield "heading", heading
    for line in renamings:
        yield "name-in-a-log", line


def of_the_others(patch: pytest.MonkeyPatch) -> Iterator[Written]:
    paths = ("clean.txt", "latin.txt", "mojibake.txt", "table.parquet")
    yield "identify", json.loads(run("identify", "--legacy", "--output-format", "json", *paths, status=0))
    yield "explain", json.loads(run("explain", "--output-format", "json", "cut.txt", status=1))
    yield "explain", json.loads(run("explain", "--output-format", "json", "--hex", "EF BB BF 41", status=0))
    yield "table", json.loads(run("table", "--output-format", "json", status=0))
    patch.setattr(doctor, "decode", lambda data, form: "")
    yield "doctor", json.loads(run("doctor", "--output-format", "json", status=1))


def of_plans_and_certificates() -> Iterator[Written]:
    repair = ("repair", "--escapes", "repair", "cut.txt", "escaped.json", "table.parquet", "table.arrow")
    heading, *rest = lines(run(*repair, "--plan", "-", status=0))
    yield "heading", heading
    begin = {"path": "file-of-a-plan", "line": "change", "column": "change-of-a-value", "place": "change-of-a-text"}
    for line in rest:
        yield begin[next(iter(line))], line
    run(*repair, "--lossy", "-o", "repaired", "--certificate", "of-repair", status=0)
    run("convert", "-f", "latin-1", "-t", "utf-8", "-o", "new", "--certificate", "of-convert", "latin.txt", status=0)
    for line in lines(Path("of-repair").read_bytes() + Path("of-convert").read_bytes()):
        yield "certificates", line


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[Written]:
    if sys.platform in ("darwin", "win32"):
        pytest.skip("names of files are not bytes there")
    for package in ("charset_normalizer", "ftfy"):
        pytest.importorskip(package)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("written"))
        make_texts()
        make_tables()
        make_names()
        return [*of_check(), *of_names(), *of_the_others(patch), *of_plans_and_certificates()]


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_has_the_keys_that_are_written(written: list[Written]) -> None:
    assert list(Comparison(PAGE, written).differences()) == []


def test_the_page_says_when_a_key_is_absent_or_null() -> None:
    for name, table in tables(PAGE).items():
        for key, words in table.words.items():
            assert key not in table.optional or "only" in words, (name, key)
            assert "null" not in table.types[key] or "null" in words, (name, key)


@pytest.mark.parametrize(
    ("row", "other", "said"),
    [
        ("| `at_end` | boolean |", "| `ends` | boolean |", "fault: at_end: on the page '', written 'boolean'"),
        ("| `binary` | integer |", "| `binary` | string |", "summary: binary: on the page 'string', written 'integer'"),
        ("| `cell` | object, optional |", "| `cell` | object |", "fault-of-a-file: cell: not always written"),
        ("| `by` | string |", "| `by` | string, optional |", "certificates: by: optional on the page only"),
    ],
)
def test_a_key_that_is_written_otherwise_is_seen(row: str, other: str, said: str, written: list[Written]) -> None:
    assert PAGE.count(row) == 1
    assert said in list(Comparison(PAGE.replace(row, other), written).differences())
