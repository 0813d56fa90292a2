"""Estimate how many cycles a byte takes on processors that are not here: `python -m benchmarks.cycles PROGRAM ...`.

Each program is `rust/core/examples/loops.rs`, built for one processor. qemu runs it one instruction at a time, so that
what it executes on a text is known, in order; `llvm-mca` then counts the cycles of these instructions by its model of a
core. The model knows no caches and no mispredicted branches: an estimate is what a core could reach, not what it does.
Needs qemu-user, objdump of the processor, and llvm-mca 19 or newer.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TEXTS = (
    ("cesu-8", "ascii"),
    ("cesu-8", "latin"),
    ("cesu-8", "cyrillic"),
    ("cesu-8", "chinese"),
    ("cesu-8", "emoji"),
    ("xtf-8", "cyrillic"),
    ("corrected-utf-8", "cyrillic"),
)
SHORT_TEXTS = (*(("utf-8", script) for script in ("ascii", "latin", "cyrillic", "chinese", "emoji")), *TEXTS[4:])
"""Short text takes a way of its own in UTF-8, too; long UTF-8 is read by a library."""
DIRTY_TEXTS = (("xtf-8", "cyrillic/10"), ("xtf-8", "chinese/10"), ("xtf-8", "emoji/10"))
"""With a stray byte for ten code points: they are read in one pass."""
SHORT_BYTES = 1024
# What reads and writes, and the functions of the program into which the compiler may put it; the rest of the core
# compiles a form, once.
OWN = re.compile(r"\beightfold_core::(kernels|read|write)::(?!neighbours::derived)|^loops::(en|de)code$")
SYMBOL = re.compile(r"^([0-9a-f]+) ([0-9a-f]+) [tT] (.*)$", re.MULTILINE)
LINE = re.compile(r"^ *([0-9a-f]+):\t(.*?)(?: *(?:#|//).*)?$", re.MULTILINE)
EXECUTED = re.compile(r"^Trace \d+: 0x[0-9a-f]+ \[[0-9a-f]+/([0-9a-f]+)/", re.MULTILINE)
# Where a branch goes, and which page is meant, matters to no model.
TARGET = re.compile(r"\b(?:0x)?[0-9a-f]+ <[^>]*>")


@dataclass(frozen=True)
class Processor:
    """How programs for a processor are run, read and modelled."""

    emulator: tuple[str, ...]
    tools: str
    triple: str
    cores: tuple[str, ...]
    target: str
    base: int = 0
    """Where qemu loads a program that may stand anywhere."""


PROCESSORS = {
    "aarch64": Processor(
        ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"),
        "aarch64-linux-gnu-",
        "aarch64",
        ("neoverse-n1", "neoverse-v1"),
        "#4096",
        0x55 << 32,
    ),
    "x86-64": Processor(("qemu-x86_64", "-cpu", "max"), "", "x86_64", ("icelake-server",), "0x1000", 1 << 38),
}


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def processor_of(program: Path) -> Processor:
    return PROCESSORS["aarch64" if "AArch64" in output("readelf", "-h", str(program)) else "x86-64"]


def functions(program: Path) -> list[tuple[int, int, str]]:
    """Return the address, the size and the name of what reads and writes."""
    symbols = SYMBOL.findall(output("nm", "-CS", str(program)))
    return [(int(start, 16), int(size, 16), name) for start, size, name in symbols if OWN.search(name)]


def base_of(program: Path, processor: Processor) -> int:
    return processor.base if "DYN" in output("readelf", "-h", str(program)) else 0


def executed(program: Path, text: tuple[str, str], size: int) -> list[int]:
    """Return the addresses of the instructions that are executed on a text of about so many bytes, in order."""
    processor = processor_of(program)
    base = base_of(program, processor)
    ranges = ",".join(f"{base + start:#x}+{size:#x}" for start, size, _ in functions(program))
    with tempfile.NamedTemporaryFile("r", suffix=".log") as log:
        tracing = ("-singlestep", "-d", "exec,nochain", "-dfilter", ranges, "-D", log.name)
        output(*processor.emulator, *tracing, str(program), *text, str(size))
        return [int(address, 16) - base for address in EXECUTED.findall(log.read())]


def instructions(program: Path) -> dict[int, str]:
    processor = processor_of(program)
    listing = output(processor.tools + "objdump", "-d", "--no-show-raw-insn", str(program))
    lines = ((int(address, 16), text.replace("\t", " ")) for address, text in LINE.findall(listing))
    return {address: TARGET.sub(processor.target, text).strip() for address, text in lines}


def cycles(mca: str, processor: Processor, core: str, lines: list[str]) -> int:
    command = (mca, f"-mtriple={processor.triple}", f"-mcpu={core}", "-iterations=1", "-resource-pressure=false")
    lenient = ("-instruction-info=false", "-skip-unsupported-instructions=any")
    source = "\n".join(lines)
    found = subprocess.run((*command, *lenient), input=source, check=True, capture_output=True, text=True).stdout
    total = re.search(r"^Total Cycles: +(\d+)", found, re.MULTILINE)
    assert total is not None, found
    return int(total[1])


def parts(program: Path, text: tuple[str, str], size: int) -> tuple[list[int], list[int]]:
    """Return what writing a text executes, and reading it, which comes after it."""
    trace = executed(program, text, size)
    reads = [(start, start + size) for start, size, name in functions(program) if name == "loops::decode"]
    first = next(at for at, address in enumerate(trace) if any(start <= address < end for start, end in reads))
    return trace[:first], trace[first:]


def rows(mca: str, program: Path, size: int) -> Iterator[tuple[tuple[str, str], str, str, float, float]]:
    """Yield a text, the direction, a core, and the instructions and the cycles for each byte."""
    processor, listing = processor_of(program), instructions(program)
    for text in (*TEXTS, *DIRTY_TEXTS) if size > SHORT_BYTES else SHORT_TEXTS:
        for direction, trace in zip(("encode", "decode"), parts(program, text, size), strict=True):
            lines = [listing[address] for address in trace]
            for core in processor.cores:
                yield text, direction, core, len(lines) / size, cycles(mca, processor, core, lines) / size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+", type=Path, metavar="PROGRAM")
    parser.add_argument("--mca", default="llvm-mca", help="llvm-mca, 19 or newer")
    parser.add_argument("--bytes", type=int, default=1 << 14, help="the size of each text, about; default 16384")
    options = parser.parse_args()
    for program in options.programs:
        for text, direction, core, count, each in rows(options.mca, program, options.bytes):
            print(f"{text[0]:16} {text[1]:9} {direction} {core:15} {count:6.2f} {each:6.2f}", flush=True)


if __name__ == "__main__":
    main()
