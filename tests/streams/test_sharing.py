"""One coder that several threads use, or its own handler: each piece is taken once, or the call raises."""

from __future__ import annotations

import copy
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

import eightfold
from eightfold import jsontext, repair
from eightfold.corrected import Linter
from eightfold.jsontext import Scrubber
from eightfold.repair import repairing
from eightfold.stream import Checker, Converter, Decoder, Encoder, checker
from support.command_line import PATIENCE
from support.handlers import handler

NAME = "eightfold-test"


def in_a_run(decoder: Decoder) -> Decoder:
    """Bring a decoder into a sequence so long that it only keeps the pieces that continue it."""
    assert decoder.decode(b"\xfe" + b"\x80" * 5000) == ""
    return decoder


# What makes a coder, its method, and three pieces: the handler is called for the first, and each leaves something held.
ANSWERING: dict[str, tuple[Callable[[], Any], str, tuple[Any, Any], Any]] = {
    "Decoder": (lambda: Decoder("wtf-8", NAME), "decode", (b"\xff\xed\xa0\x80", b"\xed\xa0\xbd"), b""),
    "Decoder of a signature": (
        lambda: Decoder("utf-16", NAME),
        "decode",
        (b"\xff\xfea\0\0\xdc\1", b"\xfe\xff\0b\2"),
        b"\0",
    ),
    "Decoder in a run": (lambda: in_a_run(Decoder("corrected-utf-8", NAME)), "decode", (b"\xc0\xff", b"\x81\x82"), b""),
    "Encoder": (lambda: Encoder("cesu-8", NAME), "encode", ("\udc00\ud800", "\ud83d"), ""),
    "Encoder of a signature": (lambda: Encoder("utf-8-sig", NAME), "encode", ("\udc00", "a"), ""),
    "Converter": (
        lambda: Converter("wtf-8", "utf-16-le", NAME),
        "convert",
        (b"\xff\xed\xa0\x80", b"\xed\xa0\xbd"),
        b"",
    ),
    "Scrubber": (lambda: Scrubber(NAME), "scrub", (b'"\xff\\ud8', b'"\xed\xa0'), b""),
}


def answered(error: Any) -> tuple[str, int]:
    return "?" * (error.end - error.start), error.end


def outcome(coder: Any, method: str, piece: Any, *, final: bool = False) -> Any:
    """Return what a piece becomes, or None if it is refused."""
    try:
        return getattr(coder, method)(piece, final)
    except RuntimeError as error:
        assert re.match(rf"this {type(coder).__name__} is in use ", str(error))
        return None


def in_turn(make: Callable[[], Any], method: str, pieces: tuple[Any, ...], last: Any) -> list[Any]:
    """Return what each piece becomes, one after the other, and what is held becomes in the end."""
    with handler(answered):
        coder = make()
        return [outcome(coder, method, piece) for piece in pieces] + [outcome(coder, method, last, final=True)]


def serial(make: Callable[[], Any], method: str, pieces: dict[int, Any], last: Any) -> list[list[Any]]:
    """Return what becomes of the pieces in any order: each result at the place of its piece, and the last one."""
    results = []
    for order in permutations(pieces):
        *each, end = in_turn(make, method, tuple(pieces[number] for number in order), last)
        results.append([dict(zip(order, each, strict=True)), end])
    return results


@pytest.mark.parametrize("name", ANSWERING)
def test_a_piece_that_comes_during_a_call_of_the_handler_is_taken_once_or_refused(name: str) -> None:
    make, method, (first, second), last = ANSWERING[name]
    results: dict[int, Any] = {}
    met, done = threading.Event(), threading.Event()

    def waits(error: Any) -> tuple[str, int]:
        if not met.is_set():
            met.set()
            done.wait(0.3)  # With a lock the other thread waits for its turn.
        return answered(error)

    def other() -> None:
        assert met.wait(60)
        results[1] = outcome(coder, method, second)
        done.set()

    with handler(waits):
        coder = make()
        thread = threading.Thread(target=other)
        thread.start()
        results[0] = outcome(coder, method, first)
        thread.join(60)
    with handler(answered):
        end = outcome(coder, method, last, final=True)
    taken = {number: result for number, result in results.items() if result is not None}
    assert taken
    expected = serial(make, method, {number: (first, second)[number] for number in taken}, last)
    assert [taken, end] in expected


@pytest.mark.parametrize("name", ANSWERING)
def test_a_piece_from_the_handler_itself_is_taken_once_or_refused(name: str) -> None:
    make, method, (first, second), last = ANSWERING[name]
    results: dict[int, Any] = {}

    def calls(error: Any) -> tuple[str, int]:
        if 1 not in results:
            results[1] = outcome(coder, method, second)
        return answered(error)

    with handler(calls):
        coder = make()
        results[0] = outcome(coder, method, first)
    with handler(answered):
        end = outcome(coder, method, last, final=True)
    taken = {number: result for number, result in results.items() if result is not None}
    assert len(taken) in (1, 2)
    assert [taken, end] in serial(make, method, {number: (first, second)[number] for number in taken}, last)


@pytest.mark.parametrize(
    ("make", "method", "first", "second"),
    [
        (lambda: Converter("utf-8", "utf-16-be", NAME), "convert", b"a\xc3", b"\xff"),
        (lambda: Decoder("utf-16", NAME), "decode", b"\xff\xfea\0", b"\0\xdc"),
        (lambda: Encoder("utf-8-sig", NAME), "encode", "a", "\ud800"),
    ],
)
def test_a_handler_that_starts_anew_makes_the_call_fail(make: Any, method: str, first: Any, second: Any) -> None:
    def resets(error: Any) -> tuple[str, int]:
        coder.reset()
        return "?", error.end

    with handler(resets):
        coder = make()
        getattr(coder, method)(first)
        with pytest.raises(RuntimeError, match="in use by another thread, or by its own error handler"):
            getattr(coder, method)(second, True)
        assert coder.getstate() == make().getstate()


@pytest.mark.parametrize("name", [name for name in ANSWERING if name != "Scrubber"])  # It shows no state.
def test_a_refused_piece_leaves_the_state_that_the_handler_gave(name: str) -> None:
    make, method, (first, second), last = ANSWERING[name]
    with handler(answered):
        other = make()
        getattr(other, method)(second)
        state = other.getstate()
        getattr(other, method)(last, True)

    def changes(error: Any) -> tuple[str, int]:
        coder.setstate(state)
        return answered(error)

    coder = make()
    with handler(changes):
        result = outcome(coder, method, first)
    with handler(answered):
        if result is None:
            assert coder.getstate() == state
        getattr(coder, method)(last, True)


@pytest.mark.usefixtures("threads_change_places_often")
@pytest.mark.parametrize("length", [60, 200_000])
@pytest.mark.parametrize("kind", [Decoder, Encoder])
def test_no_lead_is_lost_between_threads(kind: Any, length: int) -> None:
    coder = kind("wtf-8")
    text = [f"{'a' * length}{chr(0xD800 + number)}" for number in range(200)]
    pieces = text if kind is Encoder else [each.encode("utf-8", "surrogatepass") for each in text]
    method, empty = ("encode", "") if kind is Encoder else ("decode", b"")
    results: dict[int, Any] = {}

    def work(start: int) -> None:
        for number in range(start, len(pieces), 4):
            results[number] = outcome(coder, method, pieces[number])

    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    taken = {number: result for number, result in results.items() if result is not None}
    end = outcome(coder, method, empty, final=True)
    whole = [each if kind is Decoder else each.decode("utf-8", "surrogatepass") for each in (*taken.values(), end)]
    assert sorted("".join(whole)) == sorted("".join(text[number] for number in taken))
    assert len(taken) > 1


# What makes a coder without a handler, its method, and a function that it calls after it has read its state.
LOCKED: dict[str, tuple[Callable[[], Any], str, Any, str]] = {
    "Repairer": (lambda: repair.Repairer(errors="replace"), "repair", repairing, "fault_at"),
    "Checker": (lambda: Checker("utf-8"), "check", checker, "checked_piece"),
    "Linter": (Linter, "check", Checker, "check"),
    "Scrubber": (lambda: Scrubber("backslashreplace"), "scrub", jsontext, "_made_well_formed"),
}


@pytest.mark.parametrize("name", LOCKED)
def test_a_piece_that_comes_during_a_call_waits_for_its_turn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, method, owner, called = LOCKED[name]
    first, second = b"one\n\xff two \xe2", b"\x82\n\xff three \xe2\x82"
    alone = make()
    expected = [getattr(alone, method)(piece) for piece in (first, second)] + [getattr(alone, method)(b"", True)]
    original, met, done, results = getattr(owner, called), threading.Event(), threading.Event(), {}

    def waits(*given: Any, **named: Any) -> Any:
        if not met.is_set():
            met.set()
            done.wait(0.3)
        return original(*given, **named)

    def other() -> None:
        assert met.wait(60)
        results[1] = getattr(coder, method)(second)
        done.set()

    monkeypatch.setattr(owner, called, waits)
    coder = make()
    thread = threading.Thread(target=other)
    thread.start()
    results[0] = getattr(coder, method)(first)
    thread.join(60)
    assert [results[0], results[1], getattr(coder, method)(b"", True)] == expected


def test_a_handler_that_copies_its_converter_gets_one_that_works() -> None:
    copies: list[Converter] = []

    def copied(error: Any) -> tuple[str, int]:
        copies.append(copy.copy(converter))
        return answered(error)

    with handler(copied):
        converter = eightfold.Converter("utf-8", "utf-8", NAME)
        assert converter.convert(b"a\xff\xe2\x82") == b"a?"
    with handler(answered):
        assert copies[0].convert(b"\xff") == b"?"


def printed(program: str) -> str:
    """Return what a program prints in a process of its own, in which it may pretend that there is no global lock."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout


TAKING_TURNS = """
import sys, threading
sys._is_gil_enabled = lambda: {gil}
sys.setswitchinterval(1e-6)
import eightfold

coder = eightfold.Converter("utf-8", "utf-16-le")


def convert():
    for _ in range(300):
        coder.convert(b"abcd")


threads = [threading.Thread(target=convert) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
try:
    coder.convert(b"\\xff", final=True)
except eightfold.ConversionError as error:
    print(error.start, hasattr(coder, "_lock"))
"""


@pytest.mark.parametrize("gil", [True, False])
def test_threads_take_turns_with_a_converter(gil: bool) -> None:
    assert printed(TAKING_TURNS.format(gil=gil)) == "4800 True\n"


@pytest.mark.parametrize("gil", [True, False])
def test_a_decoder_takes_a_lock_where_python_has_no_global_one(gil: bool) -> None:
    program = f"""
import sys
sys._is_gil_enabled = lambda: {gil}
import eightfold.stream
coder = eightfold.stream.Decoder("utf-8")
coder.decode(b"a")
print(hasattr(coder, "_lock"))
"""
    assert printed(program) == f"{not gil}\n"


def test_a_handler_may_ask_the_coder_that_calls_it() -> None:
    program = """
import codecs, sys
sys._is_gil_enabled = lambda: False
import eightfold
from eightfold.stream import Decoder
codecs.register_error("ask", lambda error: (str(coder.getstate()), error.end))
coder = Decoder("wtf-8", "ask")
print(coder.decode(b"a\\xffb"))
"""
    assert printed(program) == "a(b'', 0)b\n"
