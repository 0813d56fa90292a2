"""What only the compiled core has: that it ran, its words, its memory, and its generated tables."""

from __future__ import annotations

import codecs
import copy
import inspect
import os
import pickle
import random
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest

import eightfold
from eightfold import jsontext, policy, reference, run
from eightfold._engine import CORE, twins_of
from eightfold.text import TWINS

ROOT = Path(__file__).parent.parent
needs_core = pytest.mark.skipif(CORE is None, reason="the reference is the engine")


def python(program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)


FACTS = {
    "KINDS": "eightfold.policy",
    "POLICIES": "eightfold.policy",
    "UNITS_KEPT": "eightfold.policy",
    "STALLS_ALLOWED": "eightfold.policy",
    "FAULTS_AHEAD": "eightfold.files.scanning",
}
"""What both languages know, and which module compares it."""
PLANTED = """
import sys
from importlib import import_module, reload
from eightfold._engine import CORE
name, module = sys.argv[1:]
fact = getattr(CORE, name)
setattr(CORE, name, fact[::-1] if isinstance(fact, tuple) else fact + 1)
try:
    reload(import_module(module))
except ImportError as error:
    print(error)
"""


@needs_core
@pytest.mark.parametrize("name", FACTS)
def test_a_planted_difference_between_the_core_and_the_package_is_found(name: str) -> None:
    command = [sys.executable, "-c", PLANTED, name, FACTS[name]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"the compiled core is of another version: its {name} is ")
    assert done.stdout.count("EIGHTFOLD_ENGINE=python") == 1


def test_the_engine_that_was_asked_for_is_at_work() -> None:
    asked = os.environ.get("EIGHTFOLD_ENGINE")
    assert asked in (None, "", eightfold.ENGINE)
    if os.environ.get("EIGHTFOLD_BUILD") == "native" and not asked:
        assert eightfold.ENGINE == "native"


@pytest.mark.parametrize("engine", ["python", "reference"])
def test_an_engine_without_the_core_can_be_forced(engine: str) -> None:
    program = "import eightfold; print(eightfold.ENGINE, eightfold.lane.on, eightfold.decode.__class__)"
    done = python(program, EIGHTFOLD_ENGINE=engine)
    assert done.stdout.split(maxsplit=2) == [engine, str(engine == "python"), "<class 'function'>\n"]


def test_another_engine_there_is_not() -> None:
    done = python("import eightfold", EIGHTFOLD_ENGINE="fast")
    assert "EIGHTFOLD_ENGINE is 'native', 'python' or 'reference', not 'fast'" in done.stderr


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


IN_SUB_INTERPRETERS = """
import sys
import eightfold
interpreters = __import__("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")
for kind in ("isolated", "legacy") if sys.version_info >= (3, 13) else (None,):
    made = interpreters.create(*filter(None, [kind]))
    try:
        # From 3.13 on what was raised is returned.
        print(interpreters.run_string(made, "import eightfold; assert eightfold.is_well_formed(b'a', 'utf-8')"))
    except Exception as error:
        print(error)
    interpreters.destroy(made)
"""


@needs_core
def test_a_sub_interpreter_is_told_what_to_do() -> None:
    done = python(IN_SUB_INTERPRETERS)
    assert done.returncode == 0, done.stderr
    outcomes = [
        line for line in done.stdout.splitlines() if "ImportError" in line and "EIGHTFOLD_ENGINE=python" in line
    ]
    assert len(outcomes) == (2 if sys.version_info >= (3, 13) else 1)


def test_the_reference_runs_in_sub_interpreters() -> None:
    done = python(IN_SUB_INTERPRETERS, EIGHTFOLD_ENGINE="reference")
    assert (done.returncode, set(done.stdout.split())) == (0, {"None"}), done.stderr


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
    stop = threading.Event()

    def spoil() -> None:
        while not stop.is_set():
            data[::4] = bytes([data[0] ^ 0xC1]) * len(data[::4])
            del data[-4:]
            data.extend(b"aaaa")

    thread = threading.Thread(target=spoil)
    thread.start()
    try:
        for _ in range(20):
            eightfold.is_well_formed(data, "utf-8")
            assert all(fault.start < len(data) + 4 for fault in eightfold.faults(data, "utf-8", 100))
    finally:
        stop.set()
        thread.join()


SCARCE = """
import resource, sys
from array import array
import eightfold
import eightfold.wtf8  # Else it is loaded when it is used, which takes memory, too.

size = 1 << 23
dirty, latin = b"\\xff\\xc3\\xa9a" * (size // 4), b"a\\xc3\\xa9" * (size // 3)
faces, text = "\\U0001f600".encode() * (size // 4), "a\\ud800\\xe9" * (size // 12)
points = array("I", [0x1F600]) * (size // 4)
calls = {calls}
call = calls[sys.argv[1]]


def addresses():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


for form in eightfold.forms():  # A form is compiled when it is first used, in some kilobytes that Rust must have.
    eightfold.decode(b"", form)
eightfold.encode_code_points([65], "cesu-8"), eightfold.decode(b"\\xff", "optu-8", "backslashreplace")
_, hard = resource.getrlimit(resource.RLIMIT_AS)
refused = 0
for scarce in range(0, 64 << 20, 3 << 20):
    resource.setrlimit(resource.RLIMIT_AS, (addresses() + scarce, hard))
    try:
        call()
    except MemoryError:
        refused += 1
resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
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
}


@needs_core
@pytest.mark.skipif(sys.platform != "linux", reason="the limit of addresses is Linux's")
@pytest.mark.parametrize("name", SCARCE_CALLS)
def test_memory_that_cannot_be_had_is_an_exception(name: str) -> None:
    calls = ", ".join(f"{each!r}: lambda: {call}" for each, call in SCARCE_CALLS.items())
    program = SCARCE.replace("{calls}", f"{{{calls}}}")
    done = subprocess.run([sys.executable, "-c", program, name], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "True True\n"), done.stderr[-500:]


# --- the short ways in ------------------------------------------------------------------------------------------------

CALLS = {
    "decode": (b"caf\xc3\xa9", "utf-8"),
    "encode": ("café", "utf-8"),
    "convert": (b"caf\xc3\xa9", "utf-8", "wtf-8"),
    "is_well_formed": (b"caf\xc3\xa9", "utf-8"),
    "is_encodable": ("café", "utf-8"),
}


@needs_core
@pytest.mark.parametrize("name", CALLS)
def test_the_short_way_and_the_general_one_take_the_same_arguments(name: str) -> None:
    verb, general = getattr(eightfold, name), getattr(CORE, name)
    given, names = CALLS[name], list(inspect.signature(verb).parameters)
    expected = TWINS[name](*given)
    assert verb(*given) == general(*given) == expected
    assert verb(**dict(zip(names, given, strict=False))) == expected
    assert verb(given[0], **dict(zip(names[1:], given[1:], strict=False))) == expected
    if "errors" in names:
        strict = "".join(["st", "rict"])
        assert verb(*given, strict) == verb(*given, errors=strict) == expected
        for policy in (
            "replace",
            "ignore",
            "surrogatepass",
            "surrogateescape",
            "backslashreplace",
            "xmlcharrefreplace",
        ):
            assert verb(*given, policy) == general(*given, policy) == expected
    wrong: list[tuple[tuple[object, ...], dict[str, object]]] = [
        ((), {}),
        (given[:1], {}),
        ((*given, "strict", 1), {}),
        (given, {"unknown": 1}),
        ((3, *given[1:]), {}),
        ((given[0], 3, *given[2:]), {}),
        ((*given[:-1], "no such form"), {}),
        ((*given, None), {}),
    ]
    for positional, keywords in wrong:
        outcomes = []
        for function in (verb, general):
            with pytest.raises((TypeError, LookupError)) as raised:
                function(*positional, **keywords)
            outcomes.append((raised.type, str(raised.value)))
        assert outcomes[0] == outcomes[1]


@needs_core
def test_no_short_way_leads_past_a_refusal() -> None:
    calls = [(eightfold.decode, (b"a", "xtf-8")), (eightfold.encode, ("a", "xtf-8"))]
    calls += [(eightfold.convert, (b"a", *ends)) for ends in (("xtf-8", "utf-8"), ("utf-8", "xtf-8"))]
    for verb, given in calls:
        verb(*given)  # Now the form is known.
        with pytest.raises(ValueError, match="refuses errors='ignore'"):
            verb(*given, "ignore")


class Name(str):
    """A name that is not what it seems."""

    def lower(self) -> str:
        return "wtf-8"


@needs_core
def test_a_name_is_known_by_its_characters_and_other_objects_by_themselves() -> None:
    for form in eightfold.forms():
        for name in (form.name, form.name.upper(), "".join(form.name)):
            assert eightfold.encode("", name) == eightfold.encode("", form)
    surrogate = b"\xed\xa0\x80"
    assert not eightfold.is_well_formed(surrogate, "utf-8")
    assert eightfold.is_well_formed(surrogate, Name("utf-8"))
    assert not eightfold.is_well_formed(surrogate, "utf-8")


@needs_core
def test_an_address_that_another_form_had_is_no_form() -> None:
    rows = eightfold.form("utf-8").rows
    for count in range(400):
        form = eightfold.Form(f"own-{count}", [rows[0]] if count % 2 else rows)
        assert eightfold.is_well_formed("é".encode(), form) == (count % 2 == 0)
        for name in (Name("utf-8"), Name("utf-8")):
            assert eightfold.is_well_formed(b"\xed\xa0\x80", name)


class SameName(str):
    """A str of the size of :class:`Name`, which means what it reads."""


@needs_core
def test_an_address_that_a_name_had_is_no_form() -> None:
    surrogate = b"\xed\xa0\x80"
    met = 0
    for _ in range(100):
        name: str = Name("utf-8")
        assert eightfold.is_well_formed(surrogate, name)
        address = id(name)
        del name
        names = [SameName("utf-8") for _ in range(4)]
        assert not any(eightfold.is_well_formed(surrogate, name) for name in names)
        met += address in map(id, names)
    assert met, "no str was put where another had been: this test saw nothing"


@needs_core
@pytest.mark.parametrize("form", ["utf-8", "wtf-8", "mutf-8", "cesu-8", "xtf-8", "corrected-utf-8", "utf-16-le"])
def test_what_is_short_is_what_is_long(form: str) -> None:
    for character in ("a", "\0", "é", "ÿ", "漢", "😀", "\ud800", "\uef80"):
        for length in range(140):
            text = "a" * (length // 2) + character + "ß" * (length % 3) + "b" * (length - length // 2)
            if not eightfold.is_encodable(text, form):
                assert next(TWINS["encode_faults"](text, form), None) is not None
                continue
            data = eightfold.encode(text, form)
            assert data == TWINS["encode"](text, form)
            assert eightfold.is_well_formed(data, form)
            decoded = eightfold.decode(data, form)
            assert decoded == TWINS["decode"](data, form)
            assert sys.getsizeof(decoded) == sys.getsizeof("".join(list(decoded)))
            assert hash(decoded) == hash("".join(list(decoded)))


@needs_core
@pytest.mark.parametrize("length", [1, 31, 32, 33, 255, 256, 257, 600, 70_000])
def test_nul_is_found_wherever_it_is_in_ascii(length: int) -> None:
    for place in {0, 1, 30, 32, 255, 256, length // 2, length - 2, length - 1, length}:
        text = ("a" * max(place, 0) + "\0" + "b" * length)[:length]
        expected = text.encode().replace(b"\0", b"\xc0\x80")
        assert eightfold.encode(text, "mutf-8") == expected
        assert eightfold.encode(text, "mutf-8", "replace") == expected


@needs_core
def test_a_policy_that_a_form_refuses_or_varies_has_no_short_way() -> None:
    rows, latin = eightfold.form("utf-8").rows, eightfold.Form("latin-1", [eightfold.Row(0, 0xFF, (0, 0xFF))])
    refusing = eightfold.Form("refusing", rows, refuses={"replace": "of its own reasons"})
    varying = eightfold.Form("varying", rows, variants=[eightfold.Variant("surrogatepass", latin)])
    for _ in range(2):
        assert eightfold.decode(b"\xc3\xa9", refusing) == eightfold.decode(b"\xc3\xa9", varying) == "é"
        with pytest.raises(ValueError, match="of its own reasons"):
            eightfold.decode(b"\xc3\xa9", refusing, "replace")
        assert eightfold.decode(b"\xc3\xa9", varying, "surrogatepass") == "Ã©"
        assert eightfold.encode("é", varying, "surrogatepass") == b"\xe9"


@needs_core
def test_one_character_is_the_interpreters_own() -> None:
    for point in range(0x100):
        character = chr(point)
        assert eightfold.decode(character.encode(), "utf-8") is character


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


# --- what whole modules are made of -----------------------------------------------------------------------------------


@needs_core
def test_parts_are_joined_as_the_reference_joins_them() -> None:
    twin = twins_of(eightfold.wtf8.__name__)["joined"]
    wtf_8 = eightfold.form("wtf-8")
    strings = [eightfold.encode(text, wtf_8) for text in ("", "a", "\ud83d", "\ude00", "\ud83da", "a\ude00", "😀", "é")]
    for count in range(5):
        for parts in product(strings, repeat=count):
            assert CORE.joined(wtf_8, iter(parts)) == twin(wtf_8, parts)
    with pytest.raises(TypeError):
        CORE.joined(wtf_8, [bytearray(b"a")])


@needs_core
def test_no_unpaired_escape_is_missed() -> None:
    fragments = (b'"', b"\\", b"\\\\", b"\\ud83d", b"\\uDE00", b"\\ud8", b"\\ude0", b"\n", b"a", b"u")
    found = 0
    for count in range(6):
        for parts in product(fragments, repeat=count):
            text = b"".join(parts)
            changes = jsontext.Scrubber().scrub(text, final=True) != text
            assert not changes or CORE.may_hold_unpaired(text), text
            found += changes
    assert found > 1000
    assert not CORE.may_hold_unpaired(rb'"\ud83d\ude00 \\ \n \u00e9 \uD83D\uDE00" \u12')
    assert CORE.may_hold_unpaired(rb'"\ud83d\ude0"')


@needs_core
@pytest.mark.parametrize("text", ["é" * 100, "漢" * 100, "😀" * 100, "a" * 100])
def test_a_surrogate_is_found_wherever_it_stands(text: str) -> None:
    assert eightfold.scrub(text) is text
    for at in range(len(text)):
        unfit = text[:at] + "\ude00" + text[at:]
        assert eightfold.scrub(unfit) == text[:at] + "\ufffd" + text[at:]


# --- sizes beyond 32 bits ---------------------------------------------------------------------------------------------

LARGE = (1 << 32) + 5


def available_bytes() -> int:
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0


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


@needs_core
@pytest.mark.parametrize("name", [form.name for form in eightfold.forms()])
def test_line_feeds_are_counted_as_the_reference_counts_them(name: str) -> None:
    form, draw = eightfold.form(name), random.Random(name)
    feed = reference.encoded(form, 0x0A)
    assert feed is not None
    others = [reference.encoded(form, 0x61), b"\n" * form.unit_bytes, bytes([0, 10] * 2)[: form.unit_bytes], feed[::-1]]
    for count in [*range(12), 191, 192, 193, 6143, 6144, 6145, 20_000]:
        # All, few and none; where they are few, the last is often in an earlier block.
        for share in (1, 0.5, 0.0002, 0):
            data = b"".join(feed if draw.random() < share else draw.choice(others) or b"" for _ in range(count))
            for cut in {0, min(1, len(data)), form.unit_bytes - 1}:
                part = data[: len(data) - cut]
                assert CORE.line_feeds(form, part) == reference.line_feeds(form, part)


@needs_core
@pytest.mark.parametrize("ranges", [[(0x8A, 0x8A)] * 2, [(0xC0, 0xC0), (0x8A, 0x8A)], None])
def test_a_line_feed_may_be_several_bytes_or_missing(ranges: list[tuple[int, int]] | None) -> None:
    others = [eightfold.Row(0, 9, (0, 9)), eightfold.Row(0x0B, 0x7F, (0x0B, 0x7F))]
    rows = others if ranges is None else [*others, eightfold.Row(0x0A, 0x0A, *ranges)]
    form = eightfold.Form("feeds", rows=rows)
    draw = random.Random(0)
    for count in range(300):
        data = bytes(draw.choice([0x8A, 0xC0, 0x0A, 0x61]) for _ in range(count))
        assert CORE.line_feeds(form, data) == reference.line_feeds(form, data)


@contextmanager
def asked(back: int = 0) -> Iterator[list[tuple[object, ...]]]:
    """Register a handler that goes on some units before the end of every third fault, and yield what it is asked.

    That is all that an exception is, here and behind a pickle and a copy.
    """
    seen: list[tuple[object, ...]] = []

    def handler(error: UnicodeDecodeError | UnicodeEncodeError) -> tuple[str, int]:
        each = [
            (type(e), e.args, str(e), vars(e)) for e in (error, pickle.loads(pickle.dumps(error)), copy.copy(error))
        ]
        assert each[0] == each[1] == each[2]
        seen.append(each[0])
        return "?", error.end if len(seen) % 3 else max(error.end - back, error.start + 1)

    codecs.register_error("eightfold-test-asked", handler)
    yield seen


DIRT = (
    *(b"\xff\xfe", b"\x80", b"\xc0\xaf", b"\xe2\x82", b"\xed\xa0\x80", b"\xed\xb0", b"\xf0\x9f\x92", b"\xee\xbe\x80"),
    *(
        b"\xf8\x88\x80\x80\x80a",
        b"\xf4\x90\x80\x80",
        b"\x00\xd8",
        b"\xd8\x00",
        b"\xff\xff\xff\xff",
        b"\xfe\x80\xff\x80",
    ),
)
PLAIN_FORMS = [form for form in eightfold.forms() if not form.signatures]


@pytest.mark.parametrize("form", PLAIN_FORMS, ids=lambda form: form.name)
@pytest.mark.parametrize("back", [0, 1])
def test_handlers_of_decoding_are_asked_as_the_reference_asks(form: eightfold.Form, back: int) -> None:
    draw, plain = random.Random(5), eightfold.encode("a", form)
    for _ in range(100):
        data = b"".join(draw.choice((plain, *DIRT)) for _ in range(draw.randrange(1, 12)))
        with asked(back) as seen:
            text = eightfold.decode(data, form, "eightfold-test-asked")
        with asked(back) as expected:
            decoding = run.Decoding(policy.reading(form, "eightfold-test-asked", form.name), data)
            points = [point for piece in decoding.pieces(final=True) for point in piece.code_points]
        assert (text, seen) == ("".join(map(chr, points)), expected)


@pytest.mark.parametrize("form", PLAIN_FORMS, ids=lambda form: form.name)
def test_handlers_of_encoding_are_asked_as_the_reference_asks(form: eightfold.Form) -> None:
    draw = random.Random(5)
    for _ in range(100):
        text = "".join(
            draw.choice("a\x80\ud800\udbff\udc00\udc80\uef80\uffff\U0010ffff") for _ in range(draw.randrange(9))
        )
        with asked() as seen:
            data = eightfold.encode(text, form, "eightfold-test-asked")
        with asked() as expected:
            writing = policy.writing(form, "eightfold-test-asked", form.name)
            pieces = b"".join(run.encoded_pieces(writing, text))
        assert (data, seen) == (pieces, expected)


def converted(convert: Callable[..., bytes], *given: object) -> object:
    try:
        return convert(*given)
    except eightfold.ConversionError as error:
        return error.start, error.end, error.fault


@pytest.mark.parametrize("policy_name", ["surrogatepass", "surrogateescape", "backslashreplace"])
@pytest.mark.parametrize("form", PLAIN_FORMS, ids=lambda form: form.name)
def test_what_gives_several_code_points_is_converted_as_the_reference_converts(
    form: eightfold.Form, policy_name: str
) -> None:
    draw, texts = random.Random(7), ("a", "\x80", "\ufffe", "\U0010ffff", "\ud800", "\udc80")
    parts = [*DIRT, *(eightfold.encode(text, form, "replace") for text in texts)]
    for target in PLAIN_FORMS:
        for _ in range(12):
            data = b"".join(draw.choice(parts) for _ in range(draw.randrange(1, 9)))
            given = (data, form, target, policy_name)
            assert converted(eightfold.convert, *given) == converted(TWINS["convert"], *given), given
