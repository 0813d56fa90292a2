"""A daemon thread that the interpreter ends at its exit, amid a call that runs Python code, ends nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support.command_line import ENVIRONMENT, PATIENCE

PROGRAM = """
import codecs, sys, threading, time, eightfold
from eightfold.stream import Converter

begun = threading.Event()


def answered(error):
    begun.set()
    time.sleep(0)
    return "?", error.end


class Point:
    def __index__(self):
        begun.set()
        return 97


def work():
    while True:
        {call}


codecs.register_error("answered", answered)
data, text, points = b"a\\xff" * 1000, "a\\ud800" * 1000, [Point()] * 1000
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
"""
CALLS = {
    "decode": "eightfold.decode(data, 'cesu-8', 'answered')",
    "encode": "eightfold.encode(text, 'utf-8', 'answered')",
    "convert": "Converter('utf-8', 'wtf-8', 'answered').convert(data)",
    "code points": "eightfold.encode_code_points(points, 'utf-8')",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_program_exits_as_if_no_call_were_going_on(call: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(call=call)], env=ENVIRONMENT, capture_output=True, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
