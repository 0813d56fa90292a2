"""What only the compiled core has: that it ran, its words, its memory, and its generated tables."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import eightfold
from eightfold._engine import CORE
from eightfold.text import TWINS

ROOT = Path(__file__).parent.parent
needs_core = pytest.mark.skipif(CORE is None, reason="the reference is the engine")


def python(program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)


def test_the_engine_that_was_asked_for_is_at_work() -> None:
    asked = os.environ.get("EIGHTFOLD_ENGINE")
    assert asked in (None, "", eightfold.ENGINE)
    if os.environ.get("EIGHTFOLD_BUILD") == "native" and asked != "reference":
        assert eightfold.ENGINE == "native"


def test_the_reference_can_be_forced() -> None:
    done = python("import eightfold; print(eightfold.ENGINE, eightfold.decode.__class__)", EIGHTFOLD_ENGINE="reference")
    assert done.stdout.split(maxsplit=1) == ["reference", "<class 'function'>\n"]


@needs_core
def test_the_verbs_are_the_cores_functions_with_the_words_of_their_twins() -> None:
    for name, twin in TWINS.items():
        verb = getattr(eightfold, name)
        assert inspect.isbuiltin(verb)
        assert inspect.getdoc(verb) == inspect.getdoc(twin)
        assert list(inspect.signature(verb).parameters) == list(inspect.signature(twin).parameters)
        assert verb.__module__ == "eightfold.text"


@needs_core
def test_the_tables_for_tests_without_python_are_what_the_forms_give() -> None:
    script = ROOT / "rust" / "core" / "tests" / "make_forms.py"
    subprocess.run([sys.executable, str(script), "--check"], check=True)


@needs_core
def test_a_sub_interpreter_is_told_what_to_do() -> None:
    interpreters = pytest.importorskip("_xxsubinterpreters")
    made = interpreters.create()
    try:
        with pytest.raises(Exception, match="EIGHTFOLD_ENGINE=reference"):
            interpreters.run_string(made, "import eightfold")
    finally:
        interpreters.destroy(made)


@needs_core
def test_a_changing_buffer_is_read_once() -> None:
    data = bytearray("a漢".encode() * 20000)
    stop = threading.Event()

    def spoil() -> None:
        while not stop.is_set():
            data[::4] = bytes([data[0] ^ 0xC1]) * len(data[::4])

    thread = threading.Thread(target=spoil)
    thread.start()
    try:
        for _ in range(50):
            text = eightfold.decode(data, "utf-8", "replace")
            assert text == "".join(list(text))
    finally:
        stop.set()
        thread.join()


@needs_core
def test_many_threads_at_once() -> None:
    data = "漢😀é".encode() * 50000
    expected = data.decode()
    found: list[bool] = []
    threads = [
        threading.Thread(target=lambda: found.append(eightfold.decode(data, "utf-8") == expected)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4
