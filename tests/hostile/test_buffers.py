"""Buffers that change, shrink, have gaps, or are empty, while they are read."""

from __future__ import annotations

import ctypes
import mmap
import sys
import threading
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import eightfold
from support.needed import needs_core

pytestmark = pytest.mark.usefixtures("threads_change_places_often")

LARGE = "a漢é😀".encode() * (40_000 if eightfold.ENGINE == "native" else 400)

VERBS: dict[str, Callable[[Any], Any]] = {
    "decode": lambda data: eightfold.decode(data, "utf-8", "replace"),
    "decode, other": lambda data: eightfold.decode(data, "xtf-8"),
    "decode_code_points": lambda data: eightfold.decode_code_points(data, "utf-8", "replace"),
    "convert": lambda data: eightfold.convert(data, "utf-8", "utf-16-le", "replace"),
    "convert, by threads": lambda data: eightfold.convert(data, "utf-8", "utf-16-le", "replace", threads=2),
    "is_well_formed": lambda data: eightfold.is_well_formed(data, "wtf-8"),
    "tally": lambda data: eightfold.tally(data, "utf-8", threads=2),
    "faults": lambda data: list(eightfold.faults(data, "utf-8", 10)),
    "code_point_count": lambda data: eightfold.code_point_count(data, "generalized-utf-8"),
    "boundary": lambda data: eightfold.boundary(data, len(data) // 2, "utf-8"),
    "truncate_bytes": lambda data: eightfold.truncate_bytes(data, len(data) // 2, "utf-8"),
    "identify": lambda data: eightfold.identify(bytes(data[:1000])),
    "decode_code_points_into": lambda data: eightfold.decode_code_points_into(data, "xtf-8", array("I", bytes(4000))),
}
TOLERATED = (eightfold.DecodeError, eightfold.ConversionError)
"""What a verb without a policy says of bytes that were spoilt."""


def outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except TOLERATED as error:
        return str(error)


@contextmanager
def spoiled(spoil: Callable[[], None]) -> Iterator[None]:
    """Let another thread do something all the time."""
    stop = threading.Event()
    raised: list[BaseException] = []

    def run() -> None:
        try:
            while not stop.is_set():
                spoil()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    assert not raised


@pytest.mark.parametrize("verb", VERBS)
def test_bytes_that_another_thread_changes(verb: str) -> None:
    data = bytearray(LARGE)
    turn = [0xC1]

    def spoil() -> None:
        data[::7] = bytes(turn) * len(data[::7])
        turn[0] = (turn[0] * 5 + 1) % 256

    with spoiled(spoil):
        for _ in range(5):
            outcome(lambda: VERBS[verb](data))
    # Nothing of a result is shared with the buffer.
    assert outcome(lambda: VERBS[verb](data)) == outcome(lambda: VERBS[verb](bytes(data)))


@pytest.mark.parametrize("verb", VERBS)
def test_a_buffer_that_another_thread_would_resize(verb: str) -> None:
    data = bytearray(LARGE)

    def resize() -> None:
        try:
            if len(data) > len(LARGE) // 2:
                del data[-1000:]
            else:
                data.extend(LARGE[: len(LARGE) // 2])
        except BufferError:
            # It is being read.
            pass

    with spoiled(resize):
        for _ in range(10):
            outcome(lambda: VERBS[verb](data))
    data.append(1)


@pytest.mark.parametrize("verb", VERBS)
def test_a_view_that_another_thread_releases(verb: str) -> None:
    views = [memoryview(bytearray(LARGE))]

    def release() -> None:
        with suppress(BufferError):
            views[0].release()
        views[0] = memoryview(bytearray(LARGE))

    with spoiled(release):
        for _ in range(5):
            try:
                outcome(lambda: VERBS[verb](views[0]))
            except ValueError as error:
                assert "released" in str(error)


@needs_core
def test_no_fault_is_found_where_a_view_was_released_before_all_was_read() -> None:
    piece = 1 << 18  # as the core reads what others may write to
    view = memoryview(bytearray(b"\xff" + b"a" * (piece - 2) + "é".encode() + b"a" * piece))
    found = eightfold.faults(view, "utf-8")
    assert next(found).start == 0
    view.release()
    for _ in range(2):
        with pytest.raises(ValueError, match="released"):
            next(found)


SHAPES: dict[str, Callable[[bytes], Any]] = {
    "bytearray": bytearray,
    "read-only view": memoryview,
    "a slice": lambda data: memoryview(b"x" + data + b"y")[1:-1],
    "every second byte": lambda data: memoryview(bytes(each for byte in data for each in (byte, 0xFF)))[::2],
    "backwards": lambda data: memoryview(data[::-1])[::-1],
    "two dimensions": lambda data: memoryview(data).cast("B", (len(data) // 2, 2)) if len(data) > 1 else data,
    "signed": lambda data: memoryview(data).cast("b"),
    "characters": lambda data: memoryview(data).cast("c"),
    "ctypes": lambda data: (ctypes.c_ubyte * len(data)).from_buffer_copy(data),
    "array": lambda data: array("B", data),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "data", [b"", b"a\xff\xc3\xa9b\xe2", b"a\xff\xc3\xa9b\xe2" * 50_000][: 3 if len(LARGE) > 9999 else 2]
)
def test_every_shape_of_buffer_is_the_bytes_in_it(shape: str, data: bytes) -> None:
    given = SHAPES[shape](data)
    for name, verb in VERBS.items():
        if name in ("identify", "boundary", "truncate_bytes") and shape == "two dimensions":
            continue  # Their argument here is computed from its length.
        assert outcome(lambda verb=verb: verb(given)) == outcome(lambda verb=verb: verb(data)), name


def test_a_mapped_file_that_is_empty_or_changes(tmp_path: Path) -> None:
    (tmp_path / "page").write_bytes(bytes(mmap.PAGESIZE))
    (tmp_path / "large").write_bytes(LARGE)
    # No empty file is mapped, but what is behind the end of one that is; the next byte is not ours.
    with (tmp_path / "page").open("r+b") as file, mmap.mmap(file.fileno(), 0) as page, memoryview(page) as whole:
        for name, verb in VERBS.items():
            with whole[len(whole) :] as empty:
                assert outcome(lambda: verb(empty)) == outcome(lambda: verb(b"")), name

    with (
        (tmp_path / "large").open("r+b") as file,
        mmap.mmap(file.fileno(), 0) as data,
        mmap.mmap(file.fileno(), 0) as other,
    ):
        changes = 0

        def spoil() -> None:
            nonlocal changes
            other[1000:2000] = LARGE[1000:2000] if changes % 2 else bytes(1000)
            changes += 1

        for name, verb in VERBS.items():
            found: list[Any] = []
            enough = changes + 10
            with spoiled(spoil):
                while len(found) < 5 or changes < enough:
                    found.append(outcome(lambda: verb(data)))
            other[1000:2000] = LARGE[1000:2000]
            if name in ("decode", "decode_code_points", "convert", "convert, by threads"):
                before, after = verb(LARGE[:1000]), verb(LARGE[2000:])
                assert all(each[: len(before)] == before and each[-len(after) :] == after for each in found), name
            assert outcome(lambda: verb(data)) == outcome(lambda: verb(LARGE)), name


@pytest.mark.parametrize("wrong", [None, 7, "text", [1, 2], object(), 1.5])
def test_what_is_no_buffer(wrong: Any) -> None:
    for name, verb in VERBS.items():
        if name in ("identify", "boundary", "truncate_bytes"):
            continue
        with pytest.raises(TypeError):
            verb(wrong)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="__buffer__ is of Python 3.12")
def test_an_exporter_of_python_that_lies() -> None:
    class Exporter:
        def __init__(self, *views: Any) -> None:
            self.views = list(views)

        def __buffer__(self, _: int) -> Any:
            view = self.views.pop(0)
            if isinstance(view, Exception):
                raise view
            return view

        def __len__(self) -> int:
            return 10**9

    for name, verb in VERBS.items():
        if name in ("identify", "boundary", "truncate_bytes"):
            continue
        for views in ([ArithmeticError("none")], [7], [memoryview(b"abc"), memoryview(b""), ArithmeticError("gone")]):
            with suppress(ArithmeticError, TypeError, BufferError, IndexError):
                verb(Exporter(*views))
