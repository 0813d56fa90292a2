"""A signal during a long call is heard before the call ends: its handler runs, and what it raises comes out.

Time is the processor time of the child process, so that a busy machine changes nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import eightfold
from support.command_line import ENVIRONMENT
from support.needed import needs_core

PROGRAM = """
import os, signal, sys, time
from eightfold import *
import eightfold

eightfold.encode_code_points([65], "cesu-8")  # What is made once is made.
dirty, escapes = b"a\\xff\\xc3\\xa9", b'"\\\\ud83d\\\\ude00",'
own = Form("own", [Row(0, 0x7E, (0, 0x7E)), Row(0x7F, 0x7F, 0x80, 0x81)])


def work(size):
    {prepare}
    start = time.process_time()
    try:
        {call}
    except KeyboardInterrupt:
        return time.process_time() - start, True
    return time.process_time() - start, False


size = 1 << 18
while (whole := work(size)[0]) < 0.45 and size < {most}:
    size *= 2
if whole < 0.45:
    print("quick")
    sys.exit()
signal.signal(signal.SIGPROF, lambda *_: os.kill(os.getpid(), signal.SIGINT))
signal.setitimer(signal.ITIMER_PROF, 1e9)
start = time.process_time()
{prepare}
signal.setitimer(signal.ITIMER_PROF, 0.05)
spent, raised = None, False
start = time.process_time()
try:
    {call}
except KeyboardInterrupt:
    raised = True
spent = time.process_time() - start
print("heard" if raised and spent < 0.8 * whole else f"deaf: {{raised}} after {{spent:.2f}} of {{whole:.2f}}")
"""
CALLS = {
    "decode": ("data = dirty * (size // 4)", "decode(data, 'utf-8', 'replace')"),
    "decode with escapes": ("data = dirty * (size // 4)", "decode(data, 'utf-8', 'backslashreplace')"),
    "decode, nearly ASCII": (
        "data = (b'a' * 60 + b'\\xff') * (size // 61)",
        "decode(data, 'utf-8', 'backslashreplace')",
    ),
    "decode own form": ("data = b'a\\x80\\x81' * (size // 3)", "decode(data, own)"),
    "decode_code_points": ("data = dirty * (size // 4)", "decode_code_points(data, 'utf-8', 'replace')"),
    "encode": ("text = 'a\\ud800' * (size // 2)", "encode(text, 'utf-8', 'backslashreplace')"),
    "encode own form": ("text = 'a\\x7f' * (size // 2)", "encode(text, own)"),
    "encode unit by unit": ("text = '\\xe9' * size", "encode(text, 'utf-32-be')"),
    "encode one long fault": ("text = '\\ud800' * size", "encode(text, 'utf-8', 'backslashreplace')"),
    "encode with references": ("text = 'a\\ud800' * (size // 8)", "encode(text, 'utf-8', 'xmlcharrefreplace')"),
    "encode_code_points": ("points = [65] * size", "encode_code_points(points, 'utf-8')"),
    "encoded_length": ("text = 'a\\x7f' * (size // 2)", "encoded_length(text, own)"),
    "is_encodable": ("text = 'a\\x7f' * (size // 2)", "is_encodable(text, own)"),
    "encode_faults": ("text = 'a\\x7f' * (size // 2)", "next(encode_faults(text, own), None)"),
    "encode_faults, all at once": ("text = 'a\\ud800' * (size // 8)", "sum(map(bool, encode_faults(text, 'utf-8')))"),
    "convert": ("data = dirty * (size // 4)", "convert(data, 'utf-8', 'utf-16-le', 'replace')"),
    "convert by threads": ("data = dirty * (size // 4)", "convert(data, 'utf-8', 'utf-16-le', 'replace', threads=2)"),
    "converted_length": ("data = b'a\\x80\\x81' * (size // 3)", "converted_length(data, own, 'utf-16-le')"),
    "code_point_count": ("data = b'a\\x80\\x81' * (size // 3)", "code_point_count(data, own)"),
    "is_well_formed": ("data = b'a\\x80\\x81' * (size // 3)", "is_well_formed(data, own)"),
    "is_well_formed by threads": ("data = b'a\\x80\\x81' * (size // 3)", "is_well_formed(data, own, threads=2)"),
    "is_well_formed in a view": ("data = bytearray(b'a\\x80\\x81' * (size // 3))", "is_well_formed(data, own)"),
    "tally": ("data = dirty * (size // 4)", "tally(data, 'utf-8')"),
    "tally by threads": ("data = dirty * (size // 4)", "tally(data, 'utf-8', threads=2)"),
    "tally in a view": ("data = bytearray(dirty * (size // 4))", "tally(data, 'utf-8')"),
    "Checker": ("data = dirty * (size // 4)", "Checker('utf-8').check(data, True)"),
    "faults": ("data = b'a\\x80\\x81' * (size // 3)", "next(faults(data, own), None)"),
    "faults, all in one call": ("data = b'\\xff' * (size // 16)", "sum(map(bool, faults(data, 'utf-8')))"),
    "faults by threads": ("data = b'a\\x80\\x81' * (size // 3)", "next(faults(data, own, threads=2), None)"),
    "truncate": ("text = 'a\\x7f' * (size // 2)", "truncate(text, 1 << 40, own)"),
    "encode_into": ("text = 'a\\x7f' * (size // 2); room = bytearray(2 * size)", "encode_into(text, own, room)"),
    "jsontext": ("data = escapes * (size // 15)", "jsontext.scrub(data)"),
    "identify": ("data = dirty * (size // 4)", "identify(data)"),
    "scrub": ("text = ['a\\ud800' * (size // 2)]", "scrub(text)"),
    "wtf8.concat": ("parts = [b'\\xed\\xa0\\x80'] * (size // 3)", "eightfold.wtf8.concat(parts)"),
}
QUICKLY = ("decode with escapes", "encode own form", "encode with references", "faults, all in one call", "tally")
EVERYTHING = os.environ.get("EIGHTFOLD_HOSTILE") == "1"


def heard(prepare: str, call: str) -> str:
    program = PROGRAM.format(prepare=prepare, call=call, most=1 << 28)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert done.returncode == 0, done.stderr[-800:]
    return done.stdout.strip()


@needs_core
@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="needs timers of processor time")
@pytest.mark.parametrize("name", CALLS if EVERYTHING else QUICKLY)
def test_a_signal_is_heard_during_a_long_call(name: str) -> None:
    assert heard(*CALLS[name]) in ("heard", "quick")


@pytest.mark.parametrize("form", ["cesu-8", "mutf-8"])
@pytest.mark.parametrize("shift", range(-8, 3))
def test_a_look_for_signals_cuts_no_pair(form: str, shift: int) -> None:
    """The core looks between steps of 2**18 bytes; a surrogate pair across one is still one code point."""
    for rest in ("z" * 100, "\N{GRINNING FACE}" * 50, "é" * 50):
        text = "a" * ((1 << 18) + shift) + "\N{GRINNING FACE}" + rest
        assert eightfold.decode(eightfold.encode(text, form), form) == text


INTERRUPTED = """
import os, signal, time
from eightfold import *

own = Form("own", [Row(0, 0x7E, (0, 0x7E)), Row(0x7F, 0x7F, 0x80, 0x81)])
{prepare}
start = time.process_time()
list({call})
whole = time.process_time() - start
signal.signal(signal.SIGPROF, lambda *_: os.kill(os.getpid(), signal.SIGINT))
found = {call}
signal.setitimer(signal.ITIMER_PROF, whole / 4)
try:
    next(found)
except KeyboardInterrupt:
    print(next(found).start, next(found, None))
else:
    print("quick")
"""


@needs_core
@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="needs timers of processor time")
@pytest.mark.parametrize(
    ("prepare", "call"),
    [
        ("data = b'a' * (1 << 24) + b'\\xff\\xff'", "faults(data, own, 1)"),
        ("text = 'a' * (1 << 24) + '\\ud800\\x80'", "encode_faults(text, own, 1)"),
    ],
)
def test_a_search_that_a_signal_ends_finds_the_same_fault_when_it_is_asked_again(prepare: str, call: str) -> None:
    program = INTERRUPTED.format(prepare=prepare, call=call)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert done.stdout.strip() in (f"{1 << 24} None", "quick"), done.stderr[-800:]
