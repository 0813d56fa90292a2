"""What the command line is measured at: files that are made for it, and who is to do what with them.

Not here: how programs are timed, what is to be reached, and what is printed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import eightfold
from benchmarks.programs import Program
from benchmarks.row import KIB, MIB
from benchmarks.texts import ILL_FORMED, MIXED, made

GIB = 1 << 30
BLOCK_BYTES = 16 * MIB
"""Files that are larger repeat a text of this length: no processor learns as much."""
FILE_BYTES = 4 * KIB
"""How large the files of a tree are, or nearly."""
ONE_FAULT_IN = 1000
"""How many bytes there are for each fault."""
OURS = str(Path(sys.executable).with_name("eightfold"))
PYTHON = "python -c pass"
CLEAN = "check, valid"
FAULTY, COUNTED = "check, faulty", "check --statistics, faulty"


class Scale(NamedTuple):
    """How much is measured: the sizes of files in bytes, and how many files a tree has."""

    sizes: tuple[int, ...] = (MIB, 16 * MIB, 256 * MIB, GIB)
    files: int = 20_000


class Contest(NamedTuple):
    """Programs that are timed in turns.

    Attributes:
        size: how large the file was to be, in bytes; 0 where its size does not matter.
        byte_count: how many bytes there are in all.
        ours: each is compared with all of the others; its name is that of the row.
        others: other programs, or ours at other work.
        same_output: whether all must write the same.
    """

    size: int
    byte_count: int
    ours: tuple[Program, ...]
    others: tuple[Program, ...]
    same_output: bool = False


# --- files ------------------------------------------------------------------------------------------------------------


@lru_cache
def _block(form: str, byte_count: int) -> bytes:
    """Return text of a form; where that writes emoji otherwise than UTF-8, a part of it is of these."""
    halves = (MIXED, "emoji") if form == "cesu-8" else (MIXED, MIXED)
    text = "".join(made().pieces(each, byte_count // 2, 1)[0] for each in halves)
    return eightfold.encode(text, form)


def written(folder: Path, form: str, size: int, *, faulty: bool = False) -> Path:
    """Write a file of so many bytes of UTF-8, or nearly, in a form, and return where."""
    path = folder / f"{form}-{size}{'-faulty' * faulty}"
    length = min(size, BLOCK_BYTES)
    block = with_faults(_block(form, length), ONE_FAULT_IN) if faulty else _block(form, length)
    if not path.exists():
        with open(path, "wb") as file:
            file.writelines([block] * (size // length))
    return path


def with_faults(data: bytes, one_in: int) -> bytes:
    """Return UTF-8 with an ill-formed sequence before one code point in so many bytes."""
    chance, parts, start = Random(one_in), [], 0
    while start < len(data):
        end = start + one_in
        while data[end : end + 1] and data[end] in range(0x80, 0xC0):
            end += 1
        parts += [data[start:end], chance.choice(ILL_FORMED).encode("utf-8", "surrogateescape")]
        start = end
    return b"".join(parts)


def tree(folder: Path, count: int) -> Path:
    """Write many small files, a hundred in a folder, and return where."""
    top = folder / "tree"
    for at, text in enumerate(made().pieces(MIXED, FILE_BYTES, count)):
        path = top / f"{at // 100:03}" / f"{at:05}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return top


# --- contests ---------------------------------------------------------------------------------------------------------


def contests(folder: Path, scale: Scale) -> Iterator[Contest]:
    """Make files in a folder, and yield what is measured on them; those of one size go before the next come."""
    yield _starts(folder)
    for size in scale.sizes:
        yield _valid(folder, size)
        yield _faulty(folder, size)
        yield _converted(folder, size, "utf-16-le", "utf-8")
        yield _converted(folder, size, "utf-8", "utf-16-le")
        yield _converted(folder, size, "cesu-8", "utf-8")
        for path in folder.iterdir():
            path.unlink()
    yield _trees(folder, scale.files)


def _ours(name: str, *arguments: str, faulty: bool = False, cores: bool = False) -> Program:
    return Program(name, (OURS, *arguments), statuses=(1,) if faulty else (0,), cores=cores)


def _starts(folder: Path) -> Contest:
    path = folder / "small.txt"
    path.write_text("plain text\n" * 6, "utf-8")
    ours = _ours("--version", "--version"), _ours("check, one small file", "check", str(path))
    return Contest(0, 0, ours, (Program(PYTHON, (sys.executable, "-c", "pass")),))


def _valid(folder: Path, size: int) -> Contest:
    path = written(folder, "utf-8", size)
    others = (
        Program("isutf8", ("isutf8", str(path))),
        Program("iconv", ("iconv", "-f", "UTF-8", "-t", "UTF-8", str(path))),
        Program("uconv", ("uconv", "-f", "UTF-8", "-t", "UTF-8", str(path))),
    )
    return Contest(size, path.stat().st_size, (_ours(CLEAN, "check", str(path)),), others)


def _faulty(folder: Path, size: int) -> Contest:
    clean, path = written(folder, "utf-8", size), written(folder, "utf-8", size, faulty=True)
    ours = (
        _ours(COUNTED, "check", "--statistics", str(path), faulty=True),
        _ours(FAULTY, "check", str(path), faulty=True),
    )
    others = (
        _ours(CLEAN, "check", str(clean)),
        Program("isutf8, to the first fault", ("isutf8", str(path)), statuses=(1,)),
        Program("iconv -c", ("iconv", "-c", "-f", "UTF-8", "-t", "UTF-8", str(path)), statuses=(0, 1)),
    )
    return Contest(size, path.stat().st_size, ours, others)


def _converted(folder: Path, size: int, source: str, target: str) -> Contest:
    path = written(folder, source, size)
    ours = _ours(f"convert {source} to {target}", "convert", "-f", source, "-t", target, str(path))
    theirs = [{"utf-16-le": "UTF-16LE"}.get(name, name.upper()) for name in (source, target)]
    options = ("-f", theirs[0], "-t", theirs[1], str(path))
    others = [Program("uconv", ("uconv", *options))]
    if source != "cesu-8":  # Which the others do not know.
        others.append(Program("iconv", ("iconv", *options)))
        others.append(Program("recode", ("recode", "..".join(theirs)), input=path))
    return Contest(size, path.stat().st_size, (ours,), tuple(others), same_output=size == MIB)


def _trees(folder: Path, count: int) -> Contest:
    top = tree(folder, count)
    size = sum(path.stat().st_size for path in top.rglob("*.txt"))
    ours = (
        _ours(f"check, {count} files", "check", str(top)),
        _ours(f"check -j 0, {count} files", "check", "-j", "0", str(top), cores=True),
    )
    others = (
        Program("find -exec isutf8", ("find", str(top), "-type", "f", "-exec", "isutf8", "{}", "+")),
        Program("find -exec iconv", ("find", str(top), "-type", "f", "-exec", "iconv", "-f", "UTF-8", "{}", "+")),
    )
    return Contest(size, size, ours, others)
