"""The child of a process that forks waits for no thread of it: what one makes for the first time is made again.

A lock that the thread holds at that moment would be held in the child for ever.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from support.command_line import ENVIRONMENT, PATIENCE
from support.needed import needs_core

pytestmark = [needs_core, pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")]

ALARM = "signal.alarm(60)  # It ends a child that waits for ever."
IMPORTING = f"""
import builtins, os, signal, threading, eightfold

begun, forked, own = threading.Event(), threading.Event(), builtins.__import__


def slow(name, *others):
    if name == "eightfold.policy" and not begun.is_set():
        begun.set()
        forked.wait()
    return own(name, *others)


builtins.__import__ = slow
thread = threading.Thread(target=eightfold.convert, args=(b"\\xff", "cesu-8", "utf-8", "replace"))
thread.start()
assert begun.wait(60)
child = os.fork()
if not child:
    {ALARM}
    os._exit(eightfold.convert(b"\\xff", "cesu-8", "utf-8", "replace") != b"\\xef\\xbf\\xbd")
forked.set()
thread.join()
print(os.waitpid(child, 0)[1])
"""
DERIVING = f"""
import os, random, signal, threading, time, eightfold

chance, rows, data = random.Random(1), eightfold.form("utf-8").rows, b"a\\xff\\xc3\\xa9" * 30_000
failed = 0
for _ in range(120):
    form = eightfold.Form("own", rows)
    thread = threading.Thread(target=eightfold.tally, args=(data, form))
    thread.start()
    end = time.perf_counter() + 0.0008 * chance.random()
    while time.perf_counter() < end:
        pass
    child = os.fork()
    if not child:
        {ALARM}
        os._exit(eightfold.tally(data, form) != {{"invalid-byte": 30_000}})
    thread.join()
    failed += os.waitpid(child, 0)[1] != 0
    if failed:
        break
print(failed)
"""
WALKING = f"""
import os, signal, tempfile
from eightfold import form
from eightfold.files.walk.trees import Examination, _Selected
from eightfold._native import Tree

with tempfile.TemporaryDirectory() as top:
    for number in range(2000):
        os.mkdir(os.path.join(top, str(number)))
        with open(os.path.join(top, str(number), "file"), "w") as file:
            file.write("text")
    selected = _Selected(None, None, None, None, None, (), b"own")
    tree = Tree(os.fsencode(top), form("utf-8"), selected, Examination(form("utf-8")), [], 2)
    clean = next(tree)[0]
    child = os.fork()
    if not child:
        {ALARM}
        try:
            list(tree)
        except RuntimeError as error:
            del tree
            os._exit("forked" not in str(error))
        os._exit(2)
    assert clean + sum(each[0] for each in tree) == 2000
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.parametrize(
    "program", [IMPORTING, DERIVING, WALKING], ids=["names of Python", "tables of a form", "threads of a tree"]
)
def test_a_child_does_not_wait_for_a_thread_that_it_does_not_have(program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert (done.stdout, done.stderr) == ("0\n", "")
