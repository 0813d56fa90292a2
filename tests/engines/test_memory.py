"""No verb takes more memory than its input, its output, and an amount that does not grow with them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from eightfold._engine import CORE
from support.command_line import ENVIRONMENT

MIB = 1 << 20
CONSTANT = 48 * MIB
"""Less than the least output here, or the input where there is none."""

CLEAN = "('Привет, мир! Hello 日本語 '.encode() * (2 << 20))"  # 76 MiB
STRAY = r"(b'hello w\xffrld ' * (6 << 20))"
LONE = r"('a\ud800b' * (24 << 20))"
PAIRS = r"(b'\xed\xa0\xbd\xed\xb8\x80' * (16 << 20))"
CASES = [
    (CLEAN, "decode(given, 'utf-8')"),
    (STRAY, "decode(given, 'xtf-8')"),
    (STRAY, "decode(given, 'utf-8', 'backslashreplace')"),
    (STRAY, "decode(given, 'utf-8', 'ignore')"),
    (PAIRS, "decode(given, 'cesu-8')"),
    (LONE, "encode(given, 'wtf-8')"),
    (LONE, "encode(given, 'utf-8', 'backslashreplace')"),
    (CLEAN, "convert(given, 'utf-8', 'utf-16-le')"),
    (CLEAN, "convert(given, 'utf-8', 'utf-16-le', threads=2)"),
    (PAIRS, "convert(given, 'cesu-8', 'utf-8')"),
    (STRAY, "convert(given, 'utf-8', 'wtf-16-le', 'replace')"),
    (STRAY, "convert(given, 'xtf-8', 'wtf-16-le', threads=2)"),
    (CLEAN, "is_well_formed(given, 'wtf-8', threads=2)"),
    (STRAY, "sum(tally(given, 'utf-8', threads=2).values())"),
    (STRAY, "sum(1 for _ in faults(given, 'utf-8', 300_000))"),
    (STRAY, "sum(1 for _ in faults(given, 'utf-8', 300_000, threads=2))"),
]

PROGRAM = """
import resource, sys
from eightfold import *
given = {given}
def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before = most()
result = {work}
print(most() - before - sys.getsizeof(result))
"""


@pytest.mark.skipif(CORE is None, reason="the reference is the engine, which holds each sequence as an object")
@pytest.mark.skipif(sys.platform != "linux", reason="where peaks are counted otherwise")
@pytest.mark.parametrize(("given", "work"), CASES, ids=[work for _, work in CASES])
def test_no_verb_holds_more_than_input_and_output(given: str, work: str) -> None:
    program = PROGRAM.format(given=given, work=work)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=ENVIRONMENT, check=True)
    assert int(done.stdout) < CONSTANT
