"""The verbs' arguments: any bytes-like object, any spelling of a form, limits, places, and code point arrays."""

from __future__ import annotations

import array
import codecs
import inspect
import io
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

import eightfold
from eightfold import Signature, encode_into, textfile
from eightfold.measuring import TWINS as MEASURING
from eightfold.text import TWINS

DATA = "zwölf\n漢字 \ud83d!".encode("utf-8", "surrogatepass")


def strided(data: bytes) -> memoryview:
    return memoryview(b"".join(bytes([byte, 0xFF]) for byte in data))[::2]


@pytest.mark.parametrize(
    "exporter",
    [bytes, bytearray, memoryview, lambda data: array.array("B", data), strided, type("Bytes", (bytes,), {})],
    ids=["bytes", "bytearray", "memoryview", "array", "strided", "subclass"],
)
def test_every_verb_takes_every_bytes_like_object(exporter: Callable[[bytes], Any]) -> None:
    data = exporter(DATA)
    text = DATA.decode("utf-8", "surrogatepass")
    assert eightfold.decode(data, "wtf-8") == text
    assert eightfold.convert(data, "wtf-8", "wtf-16-le") == text.encode("utf-16-le", "surrogatepass")
    assert eightfold.is_well_formed(data, "wtf-8")
    (fault,) = eightfold.faults(data, "utf-8")
    assert eightfold.locate(data, fault) == (2, 8)
    assert list(eightfold.decode_code_points(data, "wtf-8")) == list(map(ord, text))
    assert eightfold.identify(data) == eightfold.identify(DATA)
    assert eightfold.Converter("wtf-8", "wtf-8").convert(data, final=True) == DATA


@pytest.mark.parametrize("last", ["", "z", "\xe9", "\u6f22", "\U0001f600"])
@pytest.mark.parametrize("source", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_units_that_begin_as_ascii_are_converted_whatever_follows(source: str, last: str) -> None:
    for length in (2047, 2048, 2100, 9000):
        text = "a\0b" * (length // 3) + last + "c" * (length % 64)
        data = text.encode(source)
        for target in ("utf-8", "wtf-8", "utf-8-sig"):
            assert eightfold.convert(data, source, target) == text.encode(target.replace("wtf", "utf")), (
                length,
                target,
            )
        for target in ("mutf-8", "cesu-8", "utf-16-be", "utf-32-le"):
            assert eightfold.convert(data, source, target) == eightfold.encode(text, target), (length, target)
        with pytest.raises(eightfold.ConversionError):
            eightfold.convert(data + data[:1], source, "utf-8")


@pytest.mark.parametrize("wrong", ["text", 5, None, [1, 2]])
def test_data_that_are_no_bytes_are_a_type_error(wrong: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: eightfold.decode(wrong, "utf-8"),
        lambda: eightfold.convert(wrong, "utf-8", "wtf-8"),
        lambda: eightfold.is_well_formed(wrong, "utf-8"),
        lambda: eightfold.decode_code_points(wrong, "utf-8"),
        lambda: eightfold.identify(wrong),
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call()


def test_text_that_is_no_str_is_a_type_error() -> None:
    for call in (eightfold.encode, eightfold.is_encodable):
        with pytest.raises(TypeError, match="text must be a str"):
            call(b"bytes", "utf-8")  # type: ignore[arg-type]


def test_a_form_is_a_form_or_any_of_its_names() -> None:
    for form in ("wtf-8", "WTF-8", "wtf_8", "wtf8", eightfold.form("wtf-8")):
        assert eightfold.encode("\ud800", form) == b"\xed\xa0\x80"
    for unknown in ("wtf-9", "w-t-f-8", "utf 8", ""):
        with pytest.raises(LookupError):
            eightfold.decode(b"", unknown)
    with pytest.raises(TypeError):
        eightfold.decode(b"", 8)  # type: ignore[arg-type]


def test_limits_of_faults() -> None:
    data = b"\xff" * 10
    assert len(list(eightfold.faults(data, "utf-8", limit=3))) == 3
    assert len(list(eightfold.faults(data, "utf-8"))) == 10
    assert len(list(eightfold.encode_faults("\ud800a" * 4, "utf-8", limit=2))) == 2
    assert len(list(eightfold.faults(data, "utf-8", limit=1 << 70))) == 10
    assert len(list(eightfold.encode_faults("\ud800a" * 4, "utf-8", limit=1 << 70))) == 4


@pytest.mark.parametrize("limit", [-1, "3", -1 << 70, 2.0])
def test_limits_that_are_none_are_named(limit: Any) -> None:
    words = re.escape(f"limit must be None or a number of 0 or more, not {limit!r}")
    error = ValueError if isinstance(limit, int) else TypeError
    with pytest.raises(error, match=words):
        eightfold.faults(b"", "utf-8", limit)
    with pytest.raises(error, match=words):
        eightfold.encode_faults("", "utf-8", limit)


@pytest.mark.parametrize(
    ("form", "data", "place"),
    [
        ("utf-8", b"\xff", (1, 1)),
        ("utf-8", b"a\r\nb\n\n\xc3\xa9\xff", (4, 3)),
        # Lines end at the code unit 000A, not at a byte 0A.
        ("utf-16-le", "\u0a0a\u0a00\n".encode("utf-16-le") + b"\x00\xdc", (2, 1)),
        ("utf-16-be", "\u0a0a\n".encode("utf-16-be") + b"a\x00\xdc\x00", (2, 3)),
        ("utf-16", b"\xfe\xff\x00\x0a\xdc\x00", (2, 1)),
        ("utf-32-le", "ab\n".encode("utf-32-le") + b"\x00\xdc\x00\x00", (2, 1)),
    ],
)
def test_locate(form: str, data: bytes, place: tuple[int, int]) -> None:
    (fault,) = eightfold.faults(data, form)
    assert eightfold.locate(data, fault) == place


@pytest.mark.parametrize(("source", "target"), [("wtf-8", "utf-16"), ("wtf-8", "utf-8"), ("wtf-16-le", "utf-8")])
def test_locate_what_a_target_cannot_hold(source: str, target: str) -> None:
    """Such a fault names the target; lines are those of the source."""
    data = eightfold.encode("one\ntwo\nab\ud800", source)
    with pytest.raises(eightfold.ConversionError) as raised:
        eightfold.convert(data, source, target)
    fault = eightfold.fault_of(raised.value)
    assert fault is not None
    assert fault.side == "target"
    column = 1 + len(eightfold.encode("ab", source))
    assert eightfold.locate(data, fault, source) == (3, column)
    if source == "wtf-8":
        assert eightfold.locate(data, fault) == (3, column)


@pytest.mark.parametrize("mark", [b"\xef", b"\n", b"\xef\xbb\xbf", b"\0\n\0"])
def test_locate_behind_a_signature_that_is_not_whole_units(mark: bytes) -> None:
    plain = eightfold.form("utf-16-be")
    form = eightfold.Form("own", plain.rows, unit_bits=16, byte_order="big", signatures=[Signature(mark, plain)])
    data = mark + "a\n\u0a00\nb".encode("utf-16-be") + b"\xdc\0"
    (found,) = eightfold.Checker(form).check(data, final=True)
    lines = 4 if mark == b"\0\n\0" else 3
    assert (found.line, found.column) == eightfold.locate(data, found.fault, form) == (lines, 3)


def test_locate_with_a_form_of_ones_own() -> None:
    form = eightfold.Form("own", [eightfold.Row(0x0A, 0x0A, 0x15), eightfold.Row(0x41, 0x5A, (0x41, 0x5A))])
    data = b"AB\x15C\xff"
    (fault,) = eightfold.faults(data, form)
    assert eightfold.locate(data, fault, form) == (2, 2)
    # Without the form its lines are those of bytes.
    assert eightfold.locate(data, fault) == (1, 5)
    assert eightfold.locate(b"\n" + data, fault) == (2, 4)
    (text_fault,) = eightfold.encode_faults("a", form)
    with pytest.raises(ValueError, match="str"):
        eightfold.locate(data, text_fault, form)


def test_threads_change_nothing_and_are_checked() -> None:
    assert eightfold.convert(DATA, "wtf-8", "cesu-8", "replace", threads=4) == eightfold.convert(
        DATA, "wtf-8", "cesu-8", "replace"
    )
    with pytest.raises(ValueError, match="threads"):
        eightfold.convert(DATA, "wtf-8", "cesu-8", threads=0)


def long_text(form: str, *, faulty: bool) -> bytes:
    """Enough for threads, in pieces that can be cut, with faults here and there and one near the end of each piece."""
    random = Random(5)
    line = eightfold.encode("a line, \u00e9 \u6f22 \U0001f600\n", form)
    data = bytearray(line * (9 * 2**20 // len(line)))
    places = [random.randrange(len(data)) for _ in range(40)] + [at * 2**20 - at % 7 for at in range(1, 9)]
    for at in places if faulty else []:
        ill = random.choice([b"\xff", b"\xed\xa0\x80\xed\xb0\x80", b"\xc0\x80", b"\xe2\x82", random.randbytes(6)])
        data[at : at + len(ill)] = ill
    return bytes(data)


@pytest.mark.skipif(eightfold.ENGINE != "native", reason="the reference would take minutes, and has no threads")
@pytest.mark.parametrize("name", ["utf-8", "wtf-8", "generalized-utf-8", "cesu-8", "mutf-8", "utf-16", "utf-32-be"])
@pytest.mark.parametrize("faulty", [False, True])
def test_results_of_threads_are_those_of_one(name: str, faulty: bool) -> None:
    data = long_text(name, faulty=faulty)
    one = list(eightfold.faults(data, name))
    assert bool(one) == faulty
    assert list(eightfold.faults(data, name, threads=3)) == one
    assert list(eightfold.faults(data, name, 3, threads=3)) == one[:3]
    assert eightfold.is_well_formed(data, name, threads=3) == eightfold.is_well_formed(data, name) == (not one)
    assert eightfold.tally(data, name, threads=3) == eightfold.tally(data, name) == Counter(f.kind for f in one)
    assert eightfold.tally(bytearray(data), name) == eightfold.tally(data, name)
    for target, errors in [("wtf-8", "replace"), ("wtf-16-le", "ignore"), ("cesu-8", "backslashreplace")]:
        text = eightfold.decode(data, name, errors)
        assert eightfold.convert(data, name, target, errors, threads=2) == eightfold.encode(text, target, errors)


@pytest.mark.skipif(eightfold.ENGINE != "native", reason="the reference would take minutes, and has no threads")
def test_what_a_handler_says_holds_across_pieces() -> None:
    data = bytearray(b"text " * (9 * 2**20 // 5))
    places = [2**20 - 2, 2**20 + 5, 3 * 2**20, 5 * 2**20 + 1]
    for at in places:
        data[at] = 0xFF
    seen: list[int] = []

    def passing_over(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        seen.append(error.start)
        return "\N{BULLET}", error.start + (2**21 if len(seen) == 3 else 1)

    codecs.register_error("eightfold.passing-over", passing_over)
    converted = eightfold.convert(bytes(data), "utf-8", "utf-16-le", "eightfold.passing-over", threads=2)
    assert seen == places
    seen.clear()
    assert converted == bytes(data).decode("utf-8", "eightfold.passing-over").encode("utf-16-le")
    with pytest.raises(eightfold.ConversionError) as raised:
        eightfold.convert(bytes(data), "utf-8", "utf-16-le", threads=2)
    assert raised.value.start == places[0]


@pytest.mark.skipif(eightfold.ENGINE != "native", reason="the reference would take minutes, and has no threads")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_handler_gets_a_sequence_without_an_end_whole_also_if_it_is_longer_than_pieces(threads: int) -> None:
    before, reserved = b"text " * (2**21 // 5), b"\xfe" + b"\x80" * (3 * 2**20)
    seen: list[tuple[int, int]] = []

    def noted(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        seen.append((error.start, error.end))
        return "?", error.end

    codecs.register_error("eightfold.noted", noted)
    data = before + reserved + b"a\xff"
    converted = eightfold.convert(data, "corrected-utf-8", "utf-8", "eightfold.noted", threads=threads)
    assert converted == before + b"?a?"
    end = len(before) + len(reserved)
    assert seen == [(len(before), end), (end + 1, end + 2)]


@pytest.mark.parametrize("verb", [eightfold.faults, eightfold.is_well_formed, eightfold.tally])
def test_threads_are_a_number(verb: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="threads must be 1 or more, not 0"):
        verb(b"", "utf-8", threads=0)
    for wrong in ("two", None):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            verb(b"", "utf-8", threads=wrong)
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            eightfold.convert(b"", "utf-8", "utf-16", threads=wrong)  # type: ignore[arg-type]


def test_none_is_no_offset_and_no_side() -> None:
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        encode_into("a", "utf-8", bytearray(4), None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="side must be 'left' or 'right', not None"):
        eightfold.boundary(b"a", 1, "utf-8", None)  # type: ignore[arg-type]


class Two:
    """A number that is no int."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def __index__(self) -> int:
        if self.error is not None:
            raise self.error
        return 2


@pytest.mark.parametrize(("verb", "given"), [(eightfold.faults, b"\xff" * 3), (eightfold.encode_faults, "\ud800a" * 3)])
def test_a_limit_is_any_number(verb: Callable[..., Iterable[object]], given: bytes | str) -> None:
    assert len(list(verb(given, "utf-8", Two()))) == len(list(verb(given, "utf-8", 2))) == 2
    assert len(list(verb(given, "utf-8", 1 << 100))) == 3
    with pytest.raises(ZeroDivisionError):
        verb(given, "utf-8", Two(ZeroDivisionError()))


class Counted:
    """A number that counts how often it is asked for."""

    def __init__(self, value: int) -> None:
        self.value = value
        self.asked = 0

    def __index__(self) -> int:
        self.asked += 1
        return self.value


@pytest.mark.parametrize("value", [-1, 2, 1 << 100])
def test_a_number_is_asked_for_once(value: int) -> None:
    calls: tuple[Callable[[Any], object], ...] = (
        lambda number: eightfold.faults(b"\xff" * 3, "utf-8", number),
        lambda number: eightfold.encode_faults("\ud800", "utf-8", number),
        lambda number: eightfold.is_well_formed(b"", "utf-8", threads=number),
        lambda number: eightfold.truncate("text", number, "utf-8"),
        lambda number: eightfold.boundary(b"text", number, "utf-8"),
        lambda number: encode_into("text", "utf-8", bytearray(4), number),
        lambda number: eightfold.faults(b"\xff", "utf-8").peek(number),  # type: ignore[attr-defined]
    )
    for call in calls:
        number = Counted(value)
        with suppress(ValueError):
            call(number)
        assert number.asked == 1


@pytest.mark.parametrize("name", ["faults", "is_well_formed", "tally"])
@pytest.mark.parametrize("find", [partial(getattr, eightfold), TWINS.__getitem__])
def test_the_first_wrong_argument_is_named(name: str, find: Callable[[str], Callable[..., object]]) -> None:
    with pytest.raises(LookupError):
        find(name)(3, "no such form", threads=0)
    with pytest.raises(ValueError, match="threads must be 1 or more"):
        find(name)(3, "utf-8", threads=0)


def test_only_a_fault_has_a_place() -> None:
    with pytest.raises(TypeError, match="locate needs a Fault, not NoneType"):
        eightfold.locate(b"a", None)  # type: ignore[arg-type]


def test_a_tally_counts_what_faults_are_found() -> None:
    data = b"a\xff\xff \xed\xa0\x80\xc0\xaf \xe2\x82"
    for name in ("utf-8", "wtf-8", "mutf-8", "utf-16-be", "utf-8-sig", "optu-8", "corrected-utf-8"):
        assert eightfold.tally(data, name) == Counter(fault.kind for fault in eightfold.faults(data, name))
    assert eightfold.tally(b"", "utf-8") == eightfold.tally(b"clean", "utf-8") == {}
    assert eightfold.tally(data, "utf-8") == {"invalid-byte": 2, "surrogate": 1, "overlong": 1, "truncated": 1}


def test_code_point_arrays_reach_beyond_unicode() -> None:
    for form, points in (
        ("utf-8-rfc2044", [0, 0xD800, 0xDC00, 0x110000, 0x7FFFFFFF]),
        ("corrected-utf-8", [0, 0xA0, 0x110000, 0x421109F, 0x42110A0, 0x8421109F]),
    ):
        data = eightfold.encode_code_points(points, form)
        decoded = eightfold.decode_code_points(data, form)
        assert (decoded.typecode, decoded.itemsize, decoded.tolist()) == ("I", 4, points)
        for same in (decoded, memoryview(decoded), iter(points), tuple(points)):
            assert eightfold.encode_code_points(same, form) == data
        with pytest.raises(eightfold.DecodeError) as raised:
            eightfold.decode(data, form)
        assert raised.value.fault is not None
        assert raised.value.fault.kind == "unrepresentable"


def test_encode_code_points_names_the_index() -> None:
    for bad in (0xD800, 0x110000, -1, 2**40):
        with pytest.raises(eightfold.ConversionError) as raised:
            eightfold.encode_code_points([97, 98, bad, 99], "utf-8")
        assert (raised.value.start, raised.value.end) == (2, 3)
        assert eightfold.encode_code_points([97, bad, 99], "utf-8", "replace") == b"a?c"
        assert eightfold.encode_code_points([97, bad, 99], "utf-8", "ignore") == b"ac"
    assert eightfold.encode_code_points([0xD83D, 0xDE00], "wtf-8") == "😀".encode()
    with pytest.raises(ValueError, match="errors must be one of"):
        eightfold.encode_code_points([97], "utf-8", "backslashreplace")
    for wrong in (["a"], [1.5], [None]):
        with pytest.raises(TypeError):
            eightfold.encode_code_points(wrong, "utf-8")  # type: ignore[arg-type]


def test_signatures_are_treated_once_at_the_start() -> None:
    for name in ("utf-8-sig", "corrected-utf-8-sig", "utf-16", "utf-32", "wtf-16", "optu-16"):
        form = eightfold.form(name)
        assert eightfold.encode("", form) == form.signatures[0].mark
        twice = form.signatures[0].mark * 2
        assert len(eightfold.decode(twice, form)) >= 1
        for signature in form.signatures:
            assert eightfold.decode(signature.mark + eightfold.encode("aé", signature.form), form) == "aé"
        assert eightfold.decode(eightfold.encode("aé", form.signatures[0].form), form) == "aé"
    for name in ("utf-8", "wtf-8", "cesu-8", "mutf-8", "xtf-8", "optu-8", "utf-16-le", "corrected-utf-8"):
        assert eightfold.decode(eightfold.encode("\ufeffa", name), name) == "\ufeffa"


def test_offsets_count_the_signature_but_as_cpython_in_utf_8_sig() -> None:
    with pytest.raises(eightfold.DecodeError) as raised:
        eightfold.decode(eightfold.encode("a", "corrected-utf-8-sig") + b"\x80", "corrected-utf-8-sig")
    assert (raised.value.start, raised.value.end) == (9, 10)
    for decode in (lambda data: eightfold.decode(data, "utf-8-sig"), lambda data: data.decode("utf-8-sig")):
        with pytest.raises(UnicodeDecodeError) as plain:
            decode(b"\xef\xbb\xbfa\xff")
        assert (plain.value.object, plain.value.start, plain.value.end) == (b"a\xff", 1, 2)
    assert [fault.start for fault in eightfold.faults(b"\xef\xbb\xbfa\xff", "utf-8-sig")] == [4]


# --- what is said of wrong arguments ----------------------------------------------------------------------------------


BYTES_WANTED: dict[str, Callable[[Any], Any]] = {
    "decode": lambda given: eightfold.decode(given, "utf-8"),
    "decode_code_points": lambda given: eightfold.decode_code_points(given, "utf-8"),
    "convert": lambda given: eightfold.convert(given, "utf-8", "wtf-8"),
    "is_well_formed": lambda given: eightfold.is_well_formed(given, "utf-8"),
    "faults": lambda given: list(eightfold.faults(given, "utf-8")),
    "tally": lambda given: eightfold.tally(given, "utf-8"),
    "identify": eightfold.identify,
    "Converter": lambda given: eightfold.Converter("utf-8", "wtf-8").convert(given),
    "Checker": lambda given: eightfold.Checker("utf-8").check(given),
    "codec": lambda given: eightfold.codec.codec_info(eightfold.form("wtf-8")).incrementaldecoder().decode(given),
}
TEXT_WANTED: dict[str, Callable[[Any], Any]] = {
    "encode": lambda given: eightfold.encode(given, "utf-8"),
    "is_encodable": lambda given: eightfold.is_encodable(given, "utf-8"),
    "encode_faults": lambda given: list(eightfold.encode_faults(given, "utf-8")),
    "codec": lambda given: eightfold.codec.codec_info(eightfold.form("wtf-8")).incrementalencoder().encode(given),
}


@pytest.mark.parametrize("name", BYTES_WANTED)
def test_what_wants_bytes_says_what_to_pass(name: str) -> None:
    for given, advice in (
        ("abc", "not str: to encode a str use encode"),
        (Path("file"), f"not {type(Path()).__name__}: pass the contents of the file, path.read_bytes()"),
        (io.BytesIO(), "not BytesIO: open the file in binary mode and pass its contents, file.read()"),
        (None, "not NoneType"),
        (3, "not int"),
    ):
        with pytest.raises(TypeError) as caught:
            BYTES_WANTED[name](given)
        assert str(caught.value) == f"a bytes-like object is required, {advice}"


@pytest.mark.parametrize("name", TEXT_WANTED)
def test_what_wants_text_says_what_to_use(name: str) -> None:
    for given in (b"abc", bytearray(), memoryview(b"")):
        with pytest.raises(TypeError, match=r"^text must be a str, not .*: to decode bytes use decode$"):
            TEXT_WANTED[name](given)
    with pytest.raises(TypeError) as caught:
        TEXT_WANTED[name](None)
    assert str(caught.value) == "text must be a str, not NoneType"


def test_other_errors_of_a_buffer_are_its_own() -> None:
    closed = memoryview(b"abc")
    closed.release()
    for verb in BYTES_WANTED.values():
        with pytest.raises(ValueError, match="released"):
            verb(closed)


def test_form_without_a_name_lists_the_names() -> None:
    with pytest.raises(TypeError) as caught:
        eightfold.form()
    assert all(form.name in str(caught.value) for form in eightfold.forms())


def test_a_signature_is_the_same_in_every_process() -> None:
    public: list[Any] = [getattr(eightfold, name) for name in eightfold.__all__]
    for each in (*filter(inspect.isfunction, public), textfile.TextFile.reconfigure):
        assert " object at " not in str(inspect.signature(each)), each


def test_coders_say_what_they_do() -> None:
    converter = eightfold.Converter("cesu-8", "utf-8", "replace")
    converter.convert(b"abc")
    assert repr(converter) == "<Converter cesu-8 to utf-8, replace, at byte 3>"
    checker = eightfold.Checker("wtf-8")
    checker.check(b"ab\xed")
    assert repr(checker) == "<Checker wtf-8, at byte 2>"
    assert repr(eightfold.stream.Decoder("wtf-8")) == "<Decoder wtf-8, strict>"
    assert repr(eightfold.stream.Encoder("wtf-8", "ignore")) == "<Encoder wtf-8, ignore>"


def test_a_codec_counts_the_bytes_of_any_buffer() -> None:
    decode = eightfold.codec.codec_info(eightfold.form("wtf-16-le")).decode
    assert decode(array.array("H", [0x41, 0x42])) == ("AB" if sys.byteorder == "little" else "\u4100\u4200", 4)


def test_the_fault_of_an_exception_is_asked_for_in_one_way() -> None:
    for raising, kind in (
        (lambda: eightfold.decode(b"\xff", "utf-8"), "invalid-byte"),
        (lambda: eightfold.encode("\ud800", "utf-8"), "unrepresentable"),
        (lambda: eightfold.convert(b"\xff", "utf-8", "wtf-8"), "invalid-byte"),
        (lambda: b"\xff".decode("utf-8"), None),
    ):
        with pytest.raises(UnicodeError) as caught:
            raising()
        fault = eightfold.fault_of(caught.value)
        assert (fault and fault.kind) == kind


class OwnItems(str):
    """A str whose items, length and characters are not those of its text."""

    def __getitem__(self, index: Any) -> str:
        return "b"

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Any:
        return iter("b")


@pytest.mark.parametrize("errors", ["strict", "replace", "ignore", "backslashreplace", "surrogatepass"])
@pytest.mark.parametrize("form", ["utf-8", "wtf-8", "cesu-8", "utf-16", "xtf-8"])
def test_a_subclass_of_str_is_its_text(form: str, errors: str) -> None:
    for text in ("a€😀", "a€😀z\ud83d\ude00\udc80"):
        for encode in (eightfold.encode, TWINS["encode"]):

            def encoded(given: str, encode: Callable[..., bytes] = encode) -> object:
                try:
                    return encode(given, form, errors)
                except eightfold.EncodeError as error:
                    return type(error), str.__str__(error.object), error.start, error.end, error.fault
                except ValueError as refused:
                    return str(refused)

            assert encoded(OwnItems(text)) == encoded(text)
        for faults in (eightfold.encode_faults, TWINS.get("encode_faults", eightfold.encode_faults)):
            assert list(faults(OwnItems(text), form, warnings=True)) == list(faults(text, form, warnings=True))


@pytest.mark.parametrize("errors", ["xmlcharrefreplace", "namereplace"])
def test_a_handler_is_told_the_length_of_the_text_not_that_of_a_subclass(errors: str) -> None:
    text = "a€😀z\ud83d\udc80"
    for encode in (eightfold.encode, TWINS["encode"]):
        assert encode(OwnItems(text), "utf-8", errors) == encode(text, "utf-8", errors)


def test_the_length_of_a_subclass_of_str_is_that_of_its_text() -> None:
    for encoded_length in (eightfold.encoded_length, MEASURING["encoded_length"]):
        assert encoded_length(OwnItems("a€😀"), "utf-8") == 8


@pytest.mark.parametrize("errors", ["strict", "replace"])
def test_a_byte_00_is_found_wherever_it_stands_in_ascii(errors: str) -> None:
    text = "Constant pool " * 80
    assert eightfold.decode(text.encode(), "mutf-8", errors) == text
    for at in (0, 1, 63, 64, 255, 256, 257, 512, 1000, len(text) - 1):
        data = text[:at].encode() + b"\0" + text[at + 1 :].encode()
        if errors == "replace":
            assert eightfold.decode(data, "mutf-8", errors) == text[:at] + "\ufffd" + text[at + 1 :]
        else:
            with pytest.raises(eightfold.DecodeError) as caught:
                eightfold.decode(data, "mutf-8", errors)
            assert (caught.value.start, caught.value.fault.kind) == (at, "raw-nul")
