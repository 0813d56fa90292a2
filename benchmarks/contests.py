"""The contests of the command line: the files that are created for them, and the programs that process the files.

Other modules time programs, set goals and print results.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from typing import NamedTuple

import eightfold
from benchmarks.programs import Program
from benchmarks.row import KIB, MIB
from benchmarks.texts import ILL_FORMED, MIXED, made

GIB = 1 << 30
BLOCK_BYTES = 16 * MIB
"""Larger files repeat a text of this length, which is too long for a branch predictor to learn."""
FILE_BYTES = 4 * KIB
"""The approximate size of the files of a tree, in bytes."""
ONE_FAULT_IN = 1000
"""The number of bytes for each fault."""
OURS = str(Path(sys.executable).with_name("eightfold"))
PYTHON = "python -c pass"
EXPLAINED = 100 * MIB
"""The size of the file whose end `explain` shows."""
CLEAN = "check, valid"
FAULTY, COUNTED = "check, faulty", "check --statistics, faulty"
CLEAN_JSON = "check, clean JSON"
ESCAPED, ESCAPED_COUNTED = "check, escaped JSON", "check --statistics, escaped JSON"
UNSEARCHED = "check --escapes off"
TREE, TREE_AT_ONCE, TREE_REPAIRED = "check, a tree", "check -j 0, a tree", "repair, a tree"
TREE_IDENTIFIED, TREE_LEFT = "identify, a tree", "convert --in-place, a tree"
LIST, LIST_REPAIRED = "check, a list of files", "repair, a list of files"
LIST_IDENTIFIED, LIST_LEFT = "identify, a list of files", "convert --in-place, a list of files"
ONE_SEARCH, SEARCH = "rg -c -j 1", "rg -c"
NOWHERE = "qzxjkvnowhere"
"""A word that no file has."""


class Scale(NamedTuple):
    """The extent of a measurement: the sizes of files in bytes, and the number of files in a tree."""

    sizes: tuple[int, ...] = (MIB, 16 * MIB, 256 * MIB, GIB)
    files: int = 100_000


class Contest(NamedTuple):
    """Programs that are timed in turns.

    Attributes:
        size: the size of the file, in bytes of UTF-8; 0 if it does not matter.
        make: creates the files that do not exist, and returns the total size in bytes of ours.
        ours: each is compared with all of the others; its name is that of the row.
        others: other programs, or ours with another task.
        same_output: whether all must write the same.
    """

    size: int
    make: Callable[[], int]
    ours: tuple[Program, ...]
    others: tuple[Program, ...]
    same_output: bool = False


# --- files ------------------------------------------------------------------------------------------------------------


@lru_cache
def _block(form: str, byte_count: int) -> bytes:
    """Return text of a form; if the form writes emoji differently from UTF-8, part of the text is emoji."""
    halves = (MIXED, "emoji") if form == "cesu-8" else (MIXED, MIXED)
    text = "".join(made().pieces(each, byte_count // 2, 1)[0] for each in halves)
    return eightfold.encode(text, form)


def written(path: Path, form: str, size: int, *, faulty: bool = False) -> int:
    """Write a file of about so many bytes of UTF-8, in a form, unless it exists; return its length."""
    length = min(size, BLOCK_BYTES)
    if not path.exists():
        block = with_faults(_block(form, length), ONE_FAULT_IN) if faulty else _block(form, length)
        with open(path, "wb") as file:
            file.writelines([block] * (size // length))
    return path.stat().st_size


def with_faults(data: bytes, one_in: int) -> bytes:
    """Return UTF-8 with an ill-formed sequence after every so many bytes, at the next end of a code point."""
    chance, end = Random(one_in), 0
    parts: list[bytes] = []
    while end < len(data):
        start, end = end, end + one_in
        while data[end : end + 1] and data[end] in range(0x80, 0xC0):
            end += 1
        parts += [data[start:end], chance.choice(ILL_FORMED).encode("utf-8", "surrogateescape")]
    return b"".join(parts[:-1])


def json_lines(path: Path, size: int, *, escaped: bool = False) -> int:
    """Write about so many bytes of JSON, a value on each line, unless the file exists; return its length.

    Args:
        path: the file.
        size: its size in bytes.
        escaped: whether each value, of about :data:`ONE_FAULT_IN` bytes, ends with the escape of half an emoji.
    """
    length = min(size, BLOCK_BYTES)
    if not path.exists():
        texts = made().pieces(MIXED, ONE_FAULT_IN * 3 // 4, length // ONE_FAULT_IN)
        values = (
            {"id": at, "messages": [{"role": "user", "content": text}], "tags": ["a\n", None, 1.5]}
            for at, text in enumerate(texts)
        )
        lines = (json.dumps(value, ensure_ascii=False).encode() for value in values)
        cut = rb"\ud83d" if escaped else b""
        block = b",\n".join(line.replace(b'"}]', cut + b'"}]') for line in lines)
        with open(path, "wb") as file:
            file.write(b"[")
            file.writelines([block + b",\n"] * (size // length))
            file.write(b"0]\n")
    return path.stat().st_size


def tree(top: Path, count: int) -> int:
    """Write many small files, a hundred in a folder, unless they exist; return their total size in bytes."""
    for at, text in enumerate(made().pieces(MIXED, FILE_BYTES, count)):
        path = top / f"{at // 100:03}" / f"{at:05}.txt"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
    return sum(path.stat().st_size for path in top.rglob("*.txt"))


# --- contests ---------------------------------------------------------------------------------------------------------


def contests(folder: Path, scale: Scale) -> Iterator[Contest]:
    """Yield the contests on files in a folder; those of one size come before those of the next."""
    yield _starts(folder / "small.txt")
    yield _explained(folder / "explained", min(EXPLAINED, max(scale.sizes)))
    for size in scale.sizes:
        yield _valid(folder / "valid", size)
        yield _faulty(folder, size)
        yield _clean_json(folder / "clean.json", size)
        yield _escaped_json(folder, size)
        yield _converted(folder / "units", size, "utf-16-le", "utf-8")
        yield _converted(folder / "valid", size, "utf-8", "utf-16-le")
        yield _converted(folder / "pairs", size, "cesu-8", "utf-8")
        for path in folder.iterdir():
            path.unlink()
    yield _trees(folder / "tree", scale.files)
    yield _identified(folder / "tree", scale.files)
    yield _left(folder / "tree", scale.files)
    yield _listed(folder / "tree", folder / "list", scale.files)


def _ours(name: str, *arguments: str, faulty: bool = False, cores: bool = False) -> Program:
    return Program(name, (OURS, *arguments), statuses=(1,) if faulty else (0,), cores=cores)


def _starts(path: Path) -> Contest:
    ours = _ours("version", "--version"), _ours("check, one small file", "check", str(path))
    others = (Program(PYTHON, (sys.executable, "-c", "pass")),)
    return Contest(0, lambda: path.write_bytes(b"plain text\n" * 6), ours, others)


def _explained(path: Path, size: int) -> Contest:
    near_the_end = (
        "--offset",
        str(int(size * 0.98)),
        "--limit",
        "1",
    )  # The text may be a little shorter than asked for.
    ours = (
        _ours("explain, near the end", "explain", *near_the_end, str(path)),
        _ours("explain, the beginning", "explain", "--limit", "20", str(path)),
    )
    others = (Program(PYTHON, (sys.executable, "-c", "pass")), Program("wc -c", ("wc", "-c"), input=path))
    return Contest(size, partial(written, path, "utf-8", size), ours, others)


def _valid(path: Path, size: int) -> Contest:
    others = (
        Program("isutf8", ("isutf8", str(path))),
        Program("iconv", ("iconv", "-f", "UTF-8", "-t", "UTF-8", str(path))),
        Program("uconv", ("uconv", "-f", "UTF-8", "-t", "UTF-8", str(path))),
    )
    return Contest(size, partial(written, path, "utf-8", size), (_ours(CLEAN, "check", str(path)),), others)


def _faulty(folder: Path, size: int) -> Contest:
    clean, path = folder / "valid", folder / "faulty"

    def make() -> int:
        written(clean, "utf-8", size)
        return written(path, "utf-8", size, faulty=True)

    ours = (
        _ours(COUNTED, "check", "--statistics", str(path), faulty=True),
        _ours(FAULTY, "check", str(path), faulty=True),
    )
    others = (
        _ours(CLEAN, "check", str(clean)),
        Program("isutf8, first fault", ("isutf8", str(path)), statuses=(1,)),
        Program("iconv -c", ("iconv", "-c", "-f", "UTF-8", "-t", "UTF-8", str(path)), statuses=(0, 1)),
    )
    return Contest(size, make, ours, others)


def _clean_json(path: Path, size: int) -> Contest:
    others = _ours(UNSEARCHED, "check", "--escapes", "off", str(path)), Program("jq", ("jq", "empty", str(path)))
    return Contest(size, partial(json_lines, path, size), (_ours(CLEAN_JSON, "check", str(path)),), others)


def _escaped_json(folder: Path, size: int) -> Contest:
    clean, path = folder / "clean.json", folder / "escaped.json"

    def make() -> int:
        json_lines(clean, size)
        return json_lines(path, size, escaped=True)

    ours = (
        _ours(ESCAPED_COUNTED, "check", "--statistics", str(path)),
        _ours(ESCAPED, "check", str(path)),
    )
    return Contest(size, make, ours, (_ours(CLEAN_JSON, "check", str(clean)),))


def _converted(path: Path, size: int, source: str, target: str) -> Contest:
    line = ("convert", "-f", source, "-t", target, str(path))
    ours = (
        _ours(f"convert {source} to {target}", *line),
        _ours(f"convert -j 0 {source} to {target}", *line, "-j", "0", cores=True),
    )
    theirs = [{"utf-16-le": "UTF-16LE"}.get(name, name.upper()) for name in (source, target)]
    options = ("-f", theirs[0], "-t", theirs[1], str(path))
    others = [Program("uconv", ("uconv", *options))]
    if source != "cesu-8":  # Which the others do not know.
        others.append(Program("iconv", ("iconv", *options)))
        others.append(Program("recode", ("recode", "..".join(theirs)), input=path))
    same_output = size <= MIB  # Larger ones would not fit into memory so often.
    return Contest(size, partial(written, path, source, size), ours, tuple(others), same_output)


def _trees(top: Path, count: int) -> Contest:
    ours = (
        _ours(TREE, "check", str(top)),
        _ours(TREE_AT_ONCE, "check", "-j", "0", str(top), cores=True),
        _ours(TREE_REPAIRED, "repair", str(top), cores=True),
    )
    find = ("find", str(top), "-type", "f", "-exec")
    search = ("rg", "--count", NOWHERE, str(top))
    others = (
        Program(ONE_SEARCH, (*search, "-j", "1"), statuses=(1,)),
        Program(SEARCH, search, statuses=(1,), cores=True),
        Program("find -exec isutf8", (*find, "isutf8", "{}", "+")),
        Program("find -exec iconv", (*find, "iconv", "-f", "UTF-8", "{}", "+")),
    )
    return Contest(count * FILE_BYTES, partial(tree, top, count), ours, others)


def _identified(top: Path, count: int) -> Contest:
    ours = (_ours(TREE_IDENTIFIED, "identify", str(top), cores=True),)
    find = ("find", str(top), "-type", "f", "-exec")
    others = (
        _ours(TREE_AT_ONCE, "check", "-j", "0", str(top), cores=True),
        Program("find -exec file", (*find, "file", "--mime-encoding", "{}", "+")),
    )
    return Contest(count * FILE_BYTES, partial(tree, top, count), ours, others)


def _left(top: Path, count: int) -> Contest:
    # No file has anything that CESU-8 and UTF-8 write differently, so none changes, and every round finds the same.
    ours = (_ours(TREE_LEFT, "convert", "-f", "cesu-8", "-t", "utf-8", "--in-place", str(top), cores=True),)
    others = (_ours(TREE_AT_ONCE, "check", "-j", "0", str(top), cores=True),)
    return Contest(count * FILE_BYTES, partial(tree, top, count), ours, others, same_output=True)


def _listed(top: Path, names: Path, count: int) -> Contest:
    """Return the contest on a tree whose files are given one by one."""

    def make() -> int:
        length = tree(top, count)
        names.write_bytes(b"".join(bytes(path) + b"\0" for path in sorted(top.rglob("*.txt"))))
        return length

    given = ("--files-from", str(names), "-z")
    ours = (
        _ours(LIST, "check", *given),
        _ours(LIST_IDENTIFIED, "identify", *given),
        _ours(LIST_REPAIRED, "repair", *given),
        _ours(LIST_LEFT, "convert", "-f", "cesu-8", "-t", "utf-8", "--in-place", *given),
    )
    others = _ours(TREE, "check", str(top)), Program("xargs isutf8", ("xargs", "-0", "isutf8"), input=names)
    return Contest(count * FILE_BYTES, make, ours, others)
