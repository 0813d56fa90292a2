"""What the compiled core does with memory: buffers that change, that have gaps, and what cannot be had."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import tracemalloc
from contextlib import suppress
from itertools import product

import pytest

import eightfold
from support.needed import available_bytes, needs_core


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


def with_gaps(data: bytes) -> memoryview:
    spread = bytearray(2 * len(data))
    spread[::2] = data
    return memoryview(spread)[::2]


EXPORTERS = {
    "bytearray": bytearray,
    "wide items": lambda data: memoryview(data + b"c" * (-len(data) % 4)).cast("I"),
    "gaps": with_gaps,
}
PIECE = 1 << 18


@needs_core
@pytest.mark.parametrize("form", ["utf-8", "utf-8-sig", "wtf-8", "cesu-8", "corrected-utf-8", "utf-16", "utf-32-be"])
@pytest.mark.parametrize("exporter", EXPORTERS)
def test_scans_read_other_exporters_in_pieces(form: str, exporter: str) -> None:
    marks = [b"", *(signature.mark for signature in eightfold.form(form).signatures)]
    ends = [
        b"",
        b"\xed",
        b"\xed\xa0\x80",
        b"\xed\xa0\xbd\xed\xb8\x80",
        "漢".encode(),
        b"\xff" * 9 + b"a",
        b"\xf0\x9f\x98",
    ]
    for mark, end, missing in product(marks, ends, range(0, 12, 3)):
        whole = mark + b"a" * (PIECE - missing - len(mark)) + end + b"b" * 8
        exported = EXPORTERS[exporter](whole)
        whole = memoryview(exported).tobytes()
        assert eightfold.is_well_formed(exported, form) == eightfold.is_well_formed(whole, form)
        assert list(eightfold.faults(exported, form, 99)) == list(eightfold.faults(whole, form, 99))


@needs_core
def test_a_run_without_an_end_is_read_once() -> None:
    whole = b"a" + b"\xff" * (9 * PIECE) + b"a" + b"\xfe"
    assert list(eightfold.faults(bytearray(whole), "corrected-utf-8")) == list(
        eightfold.faults(whole, "corrected-utf-8")
    )
    assert not eightfold.is_well_formed(bytearray(whole), "corrected-utf-8")
    assert not eightfold.is_well_formed(bytearray(whole[:-2]), "corrected-utf-8")


@needs_core
def test_a_scan_takes_no_memory_for_what_it_reads() -> None:
    data = bytearray("a漢".encode() * (16 * PIECE))
    eightfold.is_well_formed(data[:9], "utf-8")
    tracemalloc.start()
    try:
        assert eightfold.is_well_formed(data, "utf-8")
        assert list(eightfold.faults(data, "utf-8")) == []
        assert tracemalloc.get_traced_memory()[1] < 8 * PIECE
    finally:
        tracemalloc.stop()


@needs_core
def test_a_scan_of_a_changing_buffer_ends() -> None:
    data = bytearray("a漢".encode() * PIECE)
    size, stop = len(data), threading.Event()

    def spoil() -> None:
        while not stop.is_set():
            data[::4] = bytes([data[0] ^ 0xC1]) * len(data[::4])
            with suppress(BufferError):  # Its length cannot change while it is scanned.
                del data[-4:]
                data.extend(b"a" * (size - len(data)))

    thread = threading.Thread(target=spoil)
    thread.start()
    try:
        for _ in range(20):
            eightfold.is_well_formed(data, "utf-8")
            assert all(fault.start < size for fault in eightfold.faults(data, "utf-8", 100))
    finally:
        stop.set()
        thread.join()


SCARCE = """
import codecs, ctypes, resource, sys
from array import array
from contextlib import suppress
import eightfold
import eightfold.columns.values
from eightfold._engine import CORE
import eightfold.wtf8  # Else it is loaded when it is used, which takes memory, too.

size = 1 << 21
dirty, latin = b"\\xff\\xc3\\xa9a" * (size // 4), b"a\\xc3\\xa9" * (size // 3)
faces, text = "\\U0001f600".encode() * (size // 4), "a\\ud800\\xe9" * (size // 12)
points, lone, room = array("I", [0x1F600]) * (size // 4), "\\ud800" * (size // 4), bytearray(size)
codecs.register_error("long", lambda error: (long_text, error.end))
codecs.register_error("long text", lambda error: (long_text, error.end))
codecs.register_error("long bytes", lambda error: (long_bytes, error.end))
escapes = b'"\\\\ud83d",' * (size // 9)
long_text, long_bytes, form = "\\U0001f600" * (size // 4), bytes(size * 2), eightfold.form("utf-8")
count = size // 8
column = ("fixed", 4, None, [dirty], None, 0, count)
calls = {calls}
call = calls[sys.argv[1]]


def addresses():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


libc, held = ctypes.CDLL(None), []
libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
spare = [libc.malloc(count) for count in range(8, 1 << 7, 16) for _ in range(200)][::2]  # Used ones keep them apart.
sanitized = hasattr(libc, "__asan_init")  # Its allocator ends the process where it has no memory for itself.


def hoard():  # What the allocator has kept of what was freed would do for a call that works in small pieces.
    with suppress(MemoryError):
        while True:
            held.append(bytes(1 << 11))
    while not sanitized and libc.malloc(1 << 7):
        pass
    for piece in spare:  # Rust must have these.
        libc.free(piece)


for form in eightfold.forms():  # A form is compiled when it is first used, in some kilobytes that Rust must have.
    eightfold.decode(b"", form)
eightfold.encode_code_points([65], "cesu-8"), eightfold.decode(b"\\xff", "optu-8", "backslashreplace")
_, hard = resource.getrlimit(resource.RLIMIT_AS)
refused = 0
for scarce in range(0, 16 << 20, 3 << 18):
    resource.setrlimit(resource.RLIMIT_AS, (addresses() + scarce, hard))
    if not scarce:
        hoard()
    try:
        call()
    except MemoryError:
        refused += 1
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))  # Reading `statm` takes memory, too: 128 KB since Python 3.14.
print(refused > 0, len(call()) > 0)
"""
SCARCE_CALLS = {
    "decode": 'eightfold.decode(faces, "utf-8")',
    "decode with faults": 'eightfold.decode(dirty, "utf-8", "backslashreplace")',
    "decode another form": 'eightfold.decode(dirty, "optu-8")',
    "decode code points": 'eightfold.decode_code_points(latin, "utf-8")',
    "encode": 'eightfold.encode(text, "utf-8", "replace")',
    "encode wide units": 'eightfold.encode(text, "utf-32-le", "replace")',
    "encode pairs": 'eightfold.encode(text, "mutf-8")',
    "encode code points": 'eightfold.encode_code_points(points, "cesu-8")',
    "convert": 'eightfold.convert(latin, "utf-8", "utf-32-le")',
    "convert with faults": 'eightfold.convert(dirty, "utf-8", "utf-16-le", "replace")',
    "convert to longer": 'eightfold.convert(faces, "utf-8", "cesu-8")',
    "a snapshot": 'eightfold.decode(memoryview(latin), "utf-8")',
    "joined": "eightfold.wtf8.concat([latin, latin])",
    "encode one long fault": 'eightfold.encode(lone, "utf-8", "backslashreplace")',
    "a handler with a long answer": 'eightfold.decode(b"a\\xff", "utf-8", "long")',
    "a handler with a long answer of bytes": 'eightfold.encode("a\\ud800", "utf-8", "long bytes")',
    "a handler with a long answer to write": 'eightfold.encode("a\\ud800", "cesu-8", "long text")',
    "convert by threads": 'eightfold.convert(latin, "utf-8", "utf-32-le", threads=2)',
    "escapes in JSON": "CORE.unpaired_escapes(escapes)",
    "all faults": 'list(eightfold.faults(dirty[: size // 8], "utf-8"))',
    "faults seen ahead": 'eightfold.faults(dirty[: size // 8], "utf-8").peek(1 << 18)',
    "faults of a column": "CORE.column_faults(column, form)",
    "changes of a column": 'CORE.column_changes(column, form, form, "replace")',
    "rows of a column": "CORE.ill_formed_rows(column, form)",
    "code points into a buffer": 'eightfold.decode_code_points_into(latin, "utf-8", points)',
    "text into a buffer": 'eightfold.encode_into(text, "wtf-8", room)',
}


@needs_core
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of addresses is Linux's")
@pytest.mark.parametrize("name", SCARCE_CALLS)
def test_memory_that_cannot_be_had_is_an_exception(name: str) -> None:
    calls = ", ".join(f"{each!r}: lambda: {call}" for each, call in SCARCE_CALLS.items())
    program = SCARCE.replace("{calls}", f"{{{calls}}}")
    done = subprocess.run([sys.executable, "-c", program, name], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "True True\n"), done.stderr[-500:]


@needs_core
def test_references_are_counted() -> None:
    # Objects of this test's own: nothing else holds them.
    data, text, form = bytes([0x63, 0xC3, 0xA9]), "".join(["caf", "\xe9"]), "".join(["utf", "-8"])
    counts = [sys.getrefcount(each) for each in (data, text, form)]
    for _ in range(1000):
        eightfold.decode(data, form)
        eightfold.encode(text, form)
        eightfold.convert(data, form, form)
        eightfold.is_well_formed(data, form)
        eightfold.is_encodable(text, form)
        with pytest.raises(eightfold.EncodeError):
            eightfold.encode("\ud800", form)
    assert [sys.getrefcount(each) for each in (data, text, form)] == counts


# --- sizes beyond 32 bits ---------------------------------------------------------------------------------------------

LARGE = (1 << 32) + 5


@needs_core
@pytest.mark.skipif(os.environ.get("EIGHTFOLD_LARGE") != "1", reason="takes 12 GiB: asked for with EIGHTFOLD_LARGE=1")
@pytest.mark.skipif(available_bytes() < 3.2 * LARGE, reason="there is no memory for it here")
@pytest.mark.parametrize("tail", [b"", b"\xc3\xa9"])
def test_four_gibibytes_and_five(tail: bytes) -> None:
    data = b"a" * (LARGE - len(tail)) + tail
    assert eightfold.is_well_formed(data, "utf-8")
    text = eightfold.decode(data, "utf-8")
    end = tail.decode()
    assert len(text) == LARGE - len(tail) + len(end)
    assert text.isascii() == (not tail)
    assert text.endswith("a" + end)
    assert text.count("a") == LARGE - len(tail)
    assert eightfold.encode(text, "utf-8") == data
