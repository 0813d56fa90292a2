"""Measure whether time grows faster than the input: each verb and command on a hostile and on a harmless input.

One large input is compared with as many small ones as make up its size, each in memory of its own, whose results are
kept. So both read and write as much memory that no cache holds: a single small input would stay in the caches, and the
pages of its result would be there already, which makes a byte up to ten times as cheap. The growth is the time of the
large input divided by that of the small ones, alone or relative to the same quotient of harmless input, whichever is
smaller: 1 if time is linear. The time of as many empty inputs is subtracted. Above `LIMIT` it is measured again,
`TRIES` times at most, and the least counts: what else the machine does can only add time.
"""

from __future__ import annotations

import argparse
import codecs
import io
import os
import sys
import tarfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import eightfold
from eightfold import repair
from eightfold.cli import main as command

SIZES = (10**5, 10**8)
LIMIT = 1.5
CHUNK_BYTES = 4096
TRIES = 3
ONE_BYTE_ON, WHOLE_UNIT = "eightfold-one-byte-on", "eightfold-whole-unit"

Make = Callable[[int], Any]


class Work(NamedTuple):
    """A verb or command to measure.

    Attributes:
        name: the verb or command, and what is hostile about the input.
        run: does the work on an input.
        hostile, harmless: make inputs of so many bytes.
        share: divides the sizes, if Python code runs for each byte.
    """

    name: str
    run: Callable[[Any], object]
    hostile: Make
    harmless: Make
    share: int = 1


def repeated(pattern: bytes | str) -> Make:
    """Return a function that makes inputs of nothing but a pattern."""
    return lambda size: pattern * (size // len(pattern))


def ended(end: bytes) -> Make:
    """Return a function that makes inputs of ASCII with something at the end."""
    return lambda size: b"a" * (size - len(end)) + end


CLEAN = "clean text: naïve, мир, 你好\n"
"""Text of several widths: with ASCII alone, the start of a call would take most of the time."""
TEXT = repeated(CLEAN.encode())
DIRT = {
    "utf-8": (b"\xff", b"\x80", b"\xf0\x9f\x92", b"\xed\xa0\x80", *(b"a" * gap + b"\xff" for gap in (1, 2, 7, 31, 63))),
    "wtf-8": (b"\xed\xa0\x80\xed\xb0\x80", b"\xed\xa0\x80"),
    "cesu-8": (b"\xed\xa0\x80", b"\xf0\x9f\x98\x80"),
    "xtf-8": (b"\xee\xbe\x80", b"\xff"),
    "corrected-utf-8": (b"\xfe", b"\xfe\x80", b"\xfea", b"\x80"),
    "utf-16-le": (b"\x00\xd8", b"\x00\xdc"),
    "utf-32-le": (b"\xff\xff\xff\xff",),
}


def in_chunks(take: Callable[[bytes, bool], object], data: bytes) -> None:
    """Pass data to an incremental coder piece by piece."""
    for start in range(0, len(data), CHUNK_BYTES):
        take(data[start : start + CHUNK_BYTES], False)
    take(b"", True)


def consumed(found: Iterator[object]) -> None:
    """Consume everything, and keep nothing."""
    deque(found, maxlen=0)


# --- verbs ------------------------------------------------------------------------------------------------------------


def on_bytes() -> Iterator[Work]:
    """Yield the verbs on bytes, with the hostile inputs of each form."""
    for form, patterns in DIRT.items():
        harmless = partial(_clean, form)
        for pattern in patterns:
            hostile, dirt = repeated(pattern), f"{form}, {pattern.hex(' ').upper()} only"
            for name, run, share in verbs(form):
                yield Work(f"{name}: {dirt}", run, hostile, harmless, share)


def _clean(form: str, size: int) -> bytes:
    return eightfold.encode(CLEAN, form) * (size // len(CLEAN.encode()))


def verbs(form: str) -> Iterator[tuple[str, Callable[[bytes], object], int]]:
    """Yield the verbs on bytes of a form, with their share of the sizes."""
    for policy in ("replace", "backslashreplace", "surrogateescape"):
        with_policy = partial(_unless_refused, lambda data, policy=policy: eightfold.decode(data, form, policy))
        yield f"decode {policy}", with_policy, 1
    for policy in (WHOLE_UNIT, ONE_BYTE_ON):
        yield f"decode {policy}", lambda data, policy=policy: eightfold.decode(data, form, policy), 10
        chunked = partial(_converted, form, policy)
        yield f"Converter {policy}", chunked, 100
    yield "convert", lambda data: eightfold.convert(data, form, "utf-16-le", "replace"), 1
    yield "Converter replace", partial(_converted, form, "replace"), 1
    yield "Decoder replace", partial(_decoded, form, "replace"), 1
    yield "Checker", lambda data: in_chunks(partial(_checked, eightfold.Checker(form)), data), 10
    yield "tally", lambda data: eightfold.tally(data, form), 1
    yield "faults", lambda data: consumed(eightfold.faults(data, form)), 10
    yield "is_well_formed", lambda data: eightfold.is_well_formed(data, form), 1
    yield "identify", lambda data: eightfold.identify(data), 1
    yield "explain", lambda data: eightfold.explain(data, form), 100
    if eightfold.form(form).unit_bits == 8:
        yield "repair", lambda data: repair.repair(data, form, "replace"), 10
        yield "Repairer", lambda data: _repaired(repair.Repairer(form, "replace"), data), 10


def _unless_refused(decode: Callable[[bytes], object], data: bytes) -> object:
    with suppress(UnicodeDecodeError):  # A form without a replacement stops at its first fault.
        return decode(data)
    return None


def _converted(form: str, policy: str, data: bytes) -> None:
    converter = eightfold.Converter(form, "utf-16-le", policy)
    in_chunks(lambda chunk, final: converter.convert(chunk, final=final), data)


def _decoded(form: str, policy: str, data: bytes) -> None:
    from eightfold.stream import Decoder

    decoder = Decoder(form, policy)
    in_chunks(lambda chunk, final: decoder.decode(chunk, final), data)


def _checked(checker: eightfold.Checker, chunk: bytes, final: bool) -> None:
    consumed(iter(checker.check(chunk, final=final)))


def _repaired(repairer: repair.Repairer, data: bytes) -> None:
    in_chunks(lambda chunk, final: repairer.repair(chunk, final=final), data)


def on_text() -> Iterator[Work]:
    """Yield the verbs on strs and on nested data."""
    lone, plain = repeated("\ud800"), repeated(CLEAN)
    for policy in ("replace", "backslashreplace", "xmlcharrefreplace"):
        encode = partial(_encoded, "utf-8", policy)
        yield Work(f"encode {policy}: surrogates only", encode, lone, plain, 1)
    yield Work("encode handler: surrogates", partial(_encoded, "utf-8", ONE_BYTE_ON), lone, plain, 10)
    yield Work("encode_faults: surrogates", _encode_faults, repeated("\ud800a"), plain, 10)
    for name, run in (("scrub", eightfold.scrub), ("scrub_report", eightfold.scrub_report)):
        yield Work(f"{name}: a list of faults", run, _list_of("\ud800"), _list_of("aa"), 20)
        yield Work(f"{name}: a fault on each level", run, _nested("\ud800"), _nested("aa"), 100)
    escapes = repeated(rb'"\ud800",')
    yield Work("jsontext.scrub: escapes only", lambda data: eightfold.jsontext.scrub(data), escapes, TEXT, 10)
    halves = _parts(b"\xed\xa0\xbd", b"\xed\xb8\x80")
    yield Work("wtf8.concat: halves of pairs", eightfold.wtf8.concat, halves, _parts(b"abc", b"def"), 10)
    yield Work("xtf8.encode: bytes to escape", eightfold.xtf8.encode, repeated(b"\xff"), TEXT, 1)
    yield Work("xtf8.decode: escapes only", eightfold.xtf8.decode, repeated("\uefff".encode()), TEXT, 1)
    yield Work("corrected.lint: controls only", _linted, repeated(b"\x01"), TEXT, 10)


def _encoded(form: str, policy: str, text: str) -> bytes:
    return eightfold.encode(text, form, policy)


def _encode_faults(text: str) -> None:
    consumed(eightfold.encode_faults(text, "utf-8"))


def _parts(*parts: bytes) -> Make:
    return lambda size: list(parts) * (size // sum(map(len, parts)))


def _list_of(text: str) -> Make:
    return lambda size: [text] * (size // 10)


def _nested(text: str) -> Make:
    def make(size: int) -> list[Any]:
        outer: list[Any] = [text]
        for _ in range(size // 10):
            outer = [text, outer]
        return outer

    return make


def _linted(data: bytes) -> None:
    consumed(eightfold.corrected.lint(data))


# --- commands ---------------------------------------------------------------------------------------------------------


def on_files(folder: Path) -> Iterator[Work]:
    """Yield the commands, each on a file; the content is hostile, or the names in an archive."""
    commands = {
        "check": ("check",),
        "check --statistics": ("check", "--statistics"),
        "check --context": ("check", "--context", "--max-faults", "100"),
        "check json": ("check", "--output-format", "json"),
        "convert": ("convert", "-t", "utf-16-le", "--errors", "replace", "-o", str(folder / "out")),
        "repair": ("repair", "--errors", "replace", "-o", str(folder / "out")),
        "repair, dry run": ("repair",),
        "identify": ("identify",),
        "explain --limit": ("explain", "--limit", "10"),
        "explain --summary": ("explain", "--summary"),
    }
    hostile = {"FF only": repeated(b"\xff"), "one long line": repeated(b"a\xff"), "the last byte": ended(b"\xff")}
    for (name, arguments), (dirt, make) in product(commands.items(), hostile.items()):
        run = partial(_commanded, folder / "in.txt", arguments)
        yield Work(f"eightfold {name}: {dirt}", run, make, TEXT, 10)
    run = partial(_commanded, folder / "in.tar", ("names",))
    yield Work("eightfold names: one long name", run, _archive_of_long, _archive_of_short, 100)


def _commanded(path: Path, arguments: Sequence[str], data: bytes) -> None:
    path.write_bytes(data)
    with silence():
        command([*arguments, str(path)])


@contextmanager
def silence() -> Iterator[None]:
    """Discard printed text."""
    kept = sys.stdout, sys.stderr
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        sys.stdout = sys.stderr = nowhere
        try:
            yield
        finally:
            sys.stdout, sys.stderr = kept


def _archive(names: Sequence[bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT, encoding="utf-8") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(name.decode("utf-8", "surrogateescape")))
    return file.getvalue()


def _archive_of_long(size: int) -> bytes:
    return _archive([b"\xff" * size])


def _archive_of_short(size: int) -> bytes:
    return _archive([b"a%06d" % number for number in range(size // 512)])


# --- what is measured and printed -------------------------------------------------------------------------------------


def seconds(work: Work, make: Make, size: int, count: int) -> float:
    """Return the processor time of work on so many inputs of a size, less the time on as many empty ones.

    At least a twentieth of the latter: less than that cannot be distinguished from what else disturbs them.
    """
    fixed = _taken(work.run, make, 0, count)
    return max(_taken(work.run, make, size, count) - fixed, fixed / 20, 1e-7)


def _taken(run: Callable[[Any], object], make: Make, size: int, count: int) -> float:
    inputs = [make(size) for _ in range(count)]
    start = time.process_time()
    kept = [run(each) for each in inputs]
    taken = time.process_time() - start
    assert len(kept) == count
    return taken


class Growth(NamedTuple):
    """The seconds that work takes on as many bytes in small inputs and in a large one, hostile and harmless."""

    name: str
    hostile: tuple[float, float]
    harmless: tuple[float, float]

    @property
    def times(self) -> float:
        """How many times as long a hostile byte takes in the larger input, alone or relative to a harmless one."""
        hostile, harmless = (pair[1] / pair[0] for pair in (self.hostile, self.harmless))
        return min(hostile / harmless, hostile)

    def __str__(self) -> str:
        small, large = self.hostile
        over = "" if self.times <= LIMIT else f"  over {LIMIT}"
        return f"{self.name:62} {small * 1e3:10.2f} ms {large * 1e3:10.1f} ms  growth {self.times:6.2f}{over}"


def growth_of(work: Work, sizes: Sequence[int]) -> Growth:
    """Measure work at both sizes; above the limit, again."""
    tried: list[Growth] = []
    while not tried or (tried[-1].times > LIMIT and len(tried) < TRIES):
        tried.append(_growth_of(work, *(size // work.share for size in sizes)))
    return min(tried, key=lambda each: each.times)


def _growth_of(work: Work, small: int, large: int) -> Growth:
    count = large // small
    hostile, harmless = (
        (seconds(work, make, small, count), seconds(work, make, large, 1)) for make in (work.hostile, work.harmless)
    )
    return Growth(work.name, hostile, harmless)


def measured(sizes: Sequence[int], only: Sequence[str]) -> Iterator[Growth]:
    """Yield the growth of each work, one after the other."""
    codecs.register_error(ONE_BYTE_ON, lambda error: ("?", error.start + 1))
    codecs.register_error(WHOLE_UNIT, lambda error: ("?", error.end))
    with TemporaryDirectory() as folder:
        for work in chain(on_bytes(), on_text(), on_files(Path(folder))):
            if any(fnmatchcase(work.name, pattern) for pattern in only):
                yield growth_of(work, sizes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser("python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="NAME", default=["*"], help="what is measured, as 'decode*'")
    parser.add_argument("--sizes", nargs=2, type=int, metavar="BYTES", default=SIZES, help="the two sizes")
    parser.add_argument("--check", action="store_true", help=f"exit 1 where something grows more than {LIMIT}-fold")
    given = parser.parse_args(arguments)
    over = 0
    for each in measured(given.sizes, given.only):
        print(each, flush=True)
        over += each.times > LIMIT
    print(f"{over} grow more than {LIMIT}-fold")
    return int(given.check and over > 0)


if __name__ == "__main__":
    sys.exit(main())
