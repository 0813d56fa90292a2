"""Everything from several threads at once: each gets what it would get alone, or an error where two cannot share.

On a build of Python with the global lock, threads change places where the core gives the lock up, at 64 KiB and more,
and between any two of Python's own steps. On a free-threaded build they run at the same time, and some promises hold
there only: one thread at a time is then let into a coder and a text file.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

import eightfold
from eightfold import Row
from eightfold.stream import Checker, Decoder, Encoder
from support.command_line import ENVIRONMENT

pytestmark = pytest.mark.usefixtures("threads_change_places_often")

THREADS = 8
IS_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
only_free_threaded = pytest.mark.skipif(not IS_FREE_THREADED, reason="needs a build of Python without the global lock")

# Well-formed and ill-formed pieces of most forms; with 70,000 bytes of them the core gives up the global lock.
DIRTY = b"abc \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xed\xa0\xbd \xed\xb8\x80 \xc0\x80 \xff \xe2\x82 \xee\xbe\xa9 \0"
SIZES = (1, 70_000 // len(DIRTY))

_T = TypeVar("_T")


def together(work: Callable[[int], _T], threads: int = THREADS) -> list[_T]:
    """Return what several threads that begin at once come to; what one of them raises is raised here."""
    barrier, results, raised = threading.Barrier(threads), [None] * threads, []

    def run(number: int) -> None:
        try:
            barrier.wait(60)
            results[number] = work(number)  # type: ignore[call-overload]
        except BaseException as error:
            raised.append(error)

    running = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(300)
    assert not any(thread.is_alive() for thread in running)
    if raised:
        raise raised[0]
    return results  # type: ignore[return-value]


# --- the module -------------------------------------------------------------------------------------------------------


@only_free_threaded
def test_importing_the_core_does_not_turn_the_global_lock_on() -> None:
    program = "import sys, eightfold; print(eightfold.ENGINE, sys._is_gil_enabled())"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    assert done.stdout.split() == [eightfold.ENGINE, "False"]


# --- the verbs --------------------------------------------------------------------------------------------------------


def all_verbs(data: bytes, form: Any) -> list[object]:
    """Return what each verb makes of bytes."""
    text = eightfold.decode(data, form, "replace")
    return [
        text,
        eightfold.encode(text, form, "replace"),
        eightfold.convert(data, form, "wtf-8", "replace"),
        eightfold.is_well_formed(data, form),
        eightfold.is_encodable(text, form),
        eightfold.tally(data, form),
        list(eightfold.faults(data, form, limit=50)),
        list(eightfold.encode_faults(text + "\udfff", form, limit=50)),
    ]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["utf-8", "wtf-8", "mutf-8", "xtf-8", "corrected-utf-8", "utf-16", "utf-8-sig"])
def test_all_verbs_on_the_same_bytes(name: str, size: int) -> None:
    data = DIRTY * size
    expected = all_verbs(data, name)
    assert together(lambda _: all_verbs(data, name)) == [expected] * THREADS


def test_a_form_that_all_meet_at_once_for_the_first_time() -> None:
    utf_8 = eightfold.form("utf-8")
    expected = all_verbs(DIRTY, utf_8)[:5]
    policies = (
        "strict",
        "replace",
        "ignore",
        "surrogateescape",
        "backslashreplace",
        "surrogatepass",
        "xmlcharrefreplace",
    )
    clean = "é€😀".encode()
    for _ in range(20):
        form = eightfold.Form("mine", utf_8.rows, names=utf_8.names)
        assert [found[:5] for found in together(lambda _: all_verbs(DIRTY, form))] == [expected] * THREADS

        def with_policies(number: int) -> list[str]:
            order = policies[number % len(policies) :] + policies[: number % len(policies)]
            return [eightfold.decode(clean, form, policy) for policy in order]

        assert together(with_policies) == [["é€😀"] * len(policies)] * THREADS


def test_forms_that_come_and_go() -> None:
    def made(number: int) -> set[str]:
        found = set()
        for turn in range(200):
            first = 0x1000 * (number + 1) + turn
            form = eightfold.Form(f"form {number} {turn}", [Row(first, first, 0x41)])
            found.add(f"{ord(eightfold.decode(b'A', form)) - first}")
        return found

    assert together(made) == [{"0"}] * THREADS


def test_handlers_that_call_verbs_of_their_own() -> None:
    import codecs

    def handler(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        return eightfold.decode(b"<\xe2\x82\xac>", "utf-8"), error.end

    codecs.register_error("test_free_threading", handler)
    data = b"a\xff" * 200
    expected = "a<€>" * 200
    assert together(lambda _: eightfold.decode(data, "utf-8", "test_free_threading")) == [expected] * THREADS


@pytest.mark.parametrize("size", SIZES)
def test_memory_that_others_write_to(size: int) -> None:
    """What is read is a mixture of what it was and what it will be; it is a str nevertheless."""
    shared = bytearray(DIRTY * size)
    stop = threading.Event()

    def work(number: int) -> int:
        if number == 0:
            while not stop.wait(0.0005):
                for at in range(0, len(shared), 7):
                    shared[at] ^= 0x80
            return 0
        try:
            for _ in range(20):
                text = eightfold.decode(shared, "utf-8", "replace")
                assert max(text) <= "\U0010ffff"
                assert text.encode("utf-8", "surrogatepass")
                eightfold.tally(shared, "wtf-8")
                sum(1 for _ in eightfold.faults(shared, "utf-8"))
        finally:
            stop.set()
        return 1

    assert sum(together(work)) == THREADS - 1


def test_memory_that_others_would_make_shorter() -> None:
    count = 20_000 if eightfold.ENGINE == "native" else 50
    shared = bytearray(DIRTY * count)

    def work(number: int) -> int:
        refused = 0
        for _ in range(30):
            if number:
                eightfold.is_well_formed(shared, "utf-8")
                eightfold.decode(shared, "utf-8", "ignore")
                continue
            try:
                shared.pop()
            except BufferError:
                refused += 1
        return refused

    together(work)
    assert len(shared) >= len(DIRTY * count) - 30


# --- iterators --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [None, 3000])
def test_faults_of_one_iterator(limit: int | None) -> None:
    data = b"ab\xff" * 5000
    shared = eightfold.faults(data, "utf-8", limit)
    found = together(lambda _: taken(shared))
    starts = sorted(fault.start for each in found for fault in each)
    assert starts == [fault.start for fault in eightfold.faults(data, "utf-8", limit)]


def test_encode_faults_of_one_iterator() -> None:
    text = "ab\ud83d" * 5000
    shared = eightfold.encode_faults(text, "utf-8")
    found = together(lambda _: taken(shared))
    assert sorted(fault.start for each in found for fault in each) == list(range(2, len(text), 3))


def taken(faults: Iterator[eightfold.Fault]) -> list[eightfold.Fault]:
    """Return the faults that this thread gets; another that is at work with the iterator is an error that says so."""
    found = []
    while True:
        try:
            found.append(next(faults))
        except StopIteration:
            return found
        except (RuntimeError, ValueError) as error:
            assert "use by another thread" in str(error) or "already executing" in str(error)


# --- coders -----------------------------------------------------------------------------------------------------------


def test_a_decoder_that_always_holds_the_same() -> None:
    decoder = Decoder("utf-8")
    assert decoder.decode(b"\xe2\x82") == ""
    for size in (10, 30_000):
        piece, text = b"\xac" + b"abc\xc3\xa9" * size + b"\xe2\x82", "€" + "abcé" * size
        assert together(lambda _: {decoder.decode(piece) for _ in range(20)}) == [{text}] * THREADS
    assert decoder.getstate()[0] == b"\xe2\x82"


def test_an_encoder_that_always_holds_the_same() -> None:
    encoder = Encoder("wtf-8")
    assert encoder.encode("\ud83d") == b""
    piece, expected = "\ude00abc\ud83d", b"\xf0\x9f\x98\x80abc"
    assert together(lambda _: {encoder.encode(piece) for _ in range(500)}) == [{expected}] * THREADS
    assert encoder.finish() == b"\xed\xa0\xbd"


def test_no_piece_of_a_converter_is_lost() -> None:
    converter = eightfold.Converter("utf-8", "utf-16-le")
    whole = "aé€".encode() * 50

    def work(_: int) -> int:
        # Each piece alone is cut within a sequence: what is lost or taken twice shows.
        return sum(len(converter.convert(whole + b"b")) for _ in range(200))

    written = sum(together(work))
    assert written == THREADS * 200 * 2 * (3 * 50 + 1)
    assert converter.getstate()[1] == THREADS * 200 * (len(whole) + 1)


def test_a_checker_counts_all_lines() -> None:
    checker = Checker("utf-8")
    found = together(lambda _: [each for _ in range(200) for each in checker.check(b"one\n\xfftwo\n")])
    lines = sorted(each.line for part in found for each in part)
    assert lines == list(range(2, 2 * THREADS * 200 + 1, 2))


@only_free_threaded
def test_a_decoder_between_a_state_and_another() -> None:
    decoder = Decoder("utf-8")
    pieces = {b"\xe2\x82": "", b"\xac": "€", b"x": "x"}

    def work(number: int) -> set[str]:
        found = set()
        for _ in range(500):
            try:
                found.add(decoder.decode(list(pieces)[number % 3]))
            except UnicodeDecodeError:
                decoder.reset()
            state = decoder.getstate()
            assert state[0] in (b"", b"\xe2\x82")
        return found

    assert set().union(*together(work)) <= {"", "€", "x"}


# --- text files -------------------------------------------------------------------------------------------------------


def test_a_text_file_that_all_write(tmp_path: Path) -> None:
    with eightfold.open(tmp_path / "shared", "w", "wtf-8", newline="\n") as file:
        together(lambda number: [file.write(f"{number} {turn} é\ud83d\ude00\n") for turn in range(300)])
    lines = (tmp_path / "shared").read_bytes().splitlines()
    expected = {f"{number} {turn} é😀".encode() for number in range(THREADS) for turn in range(300)}
    assert len(lines) == len(expected)
    assert set(lines) == expected


def test_a_text_file_that_all_read(tmp_path: Path) -> None:
    lines = [f"{number} é😀" for number in range(20_000)]
    (tmp_path / "shared").write_bytes("\n".join(lines).encode())
    with eightfold.open(tmp_path / "shared", "r", "wtf-8") as file:
        found = together(lambda _: list(iter(file.readline, "")))
    assert sorted(line.rstrip("\n") for part in found for line in part) == sorted(lines)


def test_a_text_file_that_one_closes(tmp_path: Path) -> None:
    for turn in range(20):
        file = eightfold.open(tmp_path / f"{turn}", "w", "wtf-8")

        def work(number: int) -> int:
            try:
                for at in range(50):
                    file.write("abc\ud83d\ude00")
                    if number == 0 and at == 10:
                        file.close()
            except ValueError as error:
                assert "closed" in str(error)
            return 0

        together(work, threads=4)
        assert eightfold.is_well_formed((tmp_path / f"{turn}").read_bytes(), "wtf-8")


# --- the rest ---------------------------------------------------------------------------------------------------------


def test_codecs_registered_and_taken_out() -> None:
    def work(number: int) -> None:
        for _ in range(50):
            eightfold.register_codecs()
            if number % 2:
                eightfold.unregister_codecs()

    try:
        together(work)
        eightfold.register_codecs()
        assert b"\xed\xa0\xbd".decode("wtf-8") == "\ud83d"
    finally:
        eightfold.unregister_codecs()


def test_identify_explain_and_scrub() -> None:
    data, value = DIRTY * 20, {"a": ["b\ud83d", {"c": "é"}]}

    def work(_: int) -> tuple[object, ...]:
        explained = [str(each) for each in eightfold.explain(DIRTY, "wtf-8")]
        return eightfold.identify(data), explained, eightfold.scrub(value), eightfold.scrub_report(value)

    expected = work(0)
    assert together(work) == [expected] * THREADS
