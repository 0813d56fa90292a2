"""Runs of reserved units in pieces: one fault wherever they are cut, whole for a handler, in linear work.

A strict decoder does not wait for the end of a run.
"""

from __future__ import annotations

import codecs
import copy
import io
import itertools
from pathlib import Path
from typing import Any

import pytest

import eightfold
from eightfold.explain import iter_explained
from eightfold.stream import Checker, Converter, Decoder
from support.handlers import handler, length_shown

PIECE = b"\xfe\x80" * 1000
PIECES = 60
DATA = b"a" + PIECE * PIECES + b"b\xff\x80"


@pytest.fixture
def errors() -> Any:
    with handler(length_shown) as name:
        yield name


def decoded(decoder: Decoder, pieces: list[bytes]) -> str:
    return "".join(map(decoder.decode, pieces)) + decoder.decode(b"", final=True)


def cut(size: int) -> list[bytes]:
    return [DATA[start : start + size] for start in range(0, len(DATA), size)]


@pytest.mark.parametrize("form", ["corrected-utf-8", "corrected-utf-8-sig"])
@pytest.mark.parametrize("size", [997, 5000, 50_000])
def test_a_long_run_is_one_unit_however_it_is_cut(form: str, size: int, errors: str) -> None:
    expected = f"a<{len(PIECE) * PIECES}>b<2>"
    assert eightfold.decode(DATA, form, errors) == expected
    assert decoded(Decoder(form, errors), cut(size)) == expected
    converter = Converter(form, "utf-8", errors)
    assert b"".join(map(converter.convert, cut(size))) + converter.convert(b"", final=True) == expected.encode()


@pytest.mark.parametrize("piece", [b"a\xff", b"a\xff\xfe\x80"])
def test_a_strict_decoder_does_not_wait_for_the_end_of_a_run(piece: bytes) -> None:
    decoder, converter = Decoder("corrected-utf-8"), Converter("corrected-utf-8", "utf-8")
    with pytest.raises(eightfold.DecodeError) as raised:
        decoder.decode(piece)
    assert (raised.value.start, raised.value.end, raised.value.fault.end) == (1, len(piece), len(piece))
    assert converter.convert(piece) == b"a"
    with pytest.raises(eightfold.ConversionError) as refused:
        converter.convert(b"\xfeb")
    assert (refused.value.start, refused.value.end) == (1, len(piece) + 1)


def test_a_state_and_a_copy_hold_all_of_a_run(errors: str) -> None:
    pieces = cut(5000)
    for begun in (5, len(pieces) - 1):
        decoder, converter = (
            Decoder("corrected-utf-8", errors),
            Converter("corrected-utf-8", "utf-8", errors),
        )
        for piece in pieces[:begun]:
            decoder.decode(piece)
            converter.convert(piece)
        states, copies = (decoder.getstate(), converter.getstate()), (copy.deepcopy(decoder), copy.copy(converter))
        others = Decoder("corrected-utf-8", errors), Converter("corrected-utf-8", "utf-8", errors)
        others[0].setstate(states[0])
        others[1].setstate(states[1])
        rest = b"".join(pieces[begun:])
        expected = decoder.decode(rest, final=True)
        assert expected.startswith(f"<{len(PIECE) * PIECES}>")
        assert others[0].decode(rest, final=True) == copies[0].decode(rest, final=True) == expected
        written = [each.convert(rest, final=True) for each in (converter, others[1], copies[1])]
        assert written == [expected.encode()] * 3


def test_what_is_held_is_not_looked_at_with_each_piece(errors: str, seen: list[int]) -> None:
    decoded(Decoder("corrected-utf-8", errors), cut(1000))
    assert sum(seen) < 3 * len(DATA)


@pytest.fixture
def reader_class(registered: None) -> Any:
    return codecs.getreader("corrected-utf-8")


@pytest.mark.parametrize("after", [b"", b"b\xff\x80", b"b\nc", b"\xe2\x82\xac" * 40])
@pytest.mark.parametrize("read", ["readline", "read", "read(70)"])
def test_a_stream_reader_decodes_a_run_once(
    reader_class: Any, errors: str, seen: list[int], read: str, after: bytes
) -> None:
    data = b"a" + PIECE * PIECES + after
    reader = reader_class(io.BytesIO(data), errors)
    step = {"readline": reader.readline, "read": reader.read, "read(70)": lambda: reader.read(70)}[read]
    text = "".join(iter(step, ""))
    assert sum(seen) < 4 * len(data)
    assert text == eightfold.decode(data, "corrected-utf-8", errors)


def test_a_stream_reader_gives_the_lines_between_a_run_and_an_error(reader_class: Any) -> None:
    def once(error: Any) -> tuple[str, int]:
        if error.end - error.start < 3:
            raise error
        return length_shown(error)

    with handler(once) as errors:
        reader = reader_class(io.BytesIO(PIECE * PIECES + b"b\nc\xffd"), errors)
        assert reader.readline() == f"<{len(PIECE) * PIECES}>b\n"
        with pytest.raises(eightfold.DecodeError):
            reader.readline()


def test_a_text_file_joins_little_of_a_run(errors: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    joined = 0
    getstate = Decoder.getstate

    def counted(self: Decoder) -> tuple[bytes, int]:
        nonlocal joined
        state = getstate(self)
        joined += len(state[0])
        return state

    monkeypatch.setattr(Decoder, "getstate", counted)
    run = PIECE * PIECES * 4
    (tmp_path / "run").write_bytes(b"a" + run + b"b\n" + b"line\n" * 100_000)
    with eightfold.open(tmp_path / "run", "r", "corrected-utf-8", errors) as file:
        assert file.readline() == f"a<{len(run)}>b\n"
        assert joined < 3 * len(run)
        assert sum(1 for _ in iter(file.readline, "")) == 100_000
        assert file._CHUNK_SIZE == io.DEFAULT_BUFFER_SIZE  # type: ignore[attr-defined]


def test_a_reserved_run_is_one_fault_and_one_replacement_however_long() -> None:
    run = b"\xfe" + b"\x80" * 300_000
    decoder, checker = Decoder("corrected-utf-8", "replace"), Checker("corrected-utf-8")
    text, found = "", []
    for piece in (b"a" + run[:5], *(run[at : at + 4096] for at in range(5, len(run), 4096)), b"b"):
        text += decoder.decode(piece)
        found += checker.check(piece)
        # A flag of state, not the bytes: memory stays bounded.
        assert len(decoder.getstate()[0]) == len(checker._held) == 0
    assert text + decoder.decode(b"", final=True) == "a\ufffdb"
    (located,) = found + checker.check(b"", final=True)
    assert (located.fault.start, located.fault.end, located.fault.kind) == (1, 1 + len(run), "reserved")
    assert located.fault.units == run[:64]


def test_a_reserved_run_is_whole_for_a_foreign_handler() -> None:
    spans = []

    def record(error: UnicodeDecodeError) -> tuple[str, int]:
        spans.append(error.object[error.start : error.end])
        return "?", error.end

    with handler(record) as errors:
        decoder = Decoder("corrected-utf-8", errors)
        assert decoder.decode(b"\xfe\x80") + decoder.decode(b"\x80") + decoder.decode(b"\xffa") == "?a"
    assert spans == [b"\xfe\x80\x80\xff"]


def test_a_converter_holds_little_of_a_reserved_run_that_is_an_error() -> None:
    converter = Converter("corrected-utf-8", "utf-8")
    for _ in range(20):
        assert converter.convert(b"\xff\xbb" * 10_000) == b""
        held = converter.getstate()[0]
        assert isinstance(held, bytes)
        assert len(held) == 64
    state = converter.getstate()
    for _ in range(2):  # What raises is as before.
        with pytest.raises(eightfold.ConversionError) as caught:
            converter.convert(b"a")
        assert (caught.value.start, caught.value.end, caught.value.fault.end) == (0, 400_000, 400_000)
        assert converter.getstate() == state


WIDE_RUN = eightfold.Form(
    "wide-run",
    [eightfold.Row(0, 0xD7FF, (0, 0xD7FF))],
    units=[eightfold.fault_row("reserved", 0xFFFE, run=((0xF000, 0xF0FF),))],
    unit_bits=16,
    byte_order="big",
)
WIDE_DATA = b"\0a\0\n\xff\xfe" + b"\xf0\x01" * 3 + b"\0b\xff\xfe\xf0\x02\xf0"


@pytest.mark.parametrize("policy", ["replace", "ignore", "surrogateescape", "backslashreplace"])
def test_a_run_of_wide_units_may_be_cut_within_a_unit(policy: str) -> None:
    text = eightfold.decode(WIDE_DATA, WIDE_RUN, policy)
    converted = eightfold.convert(WIDE_DATA, WIDE_RUN, "wtf-8", policy)
    for first, second in itertools.combinations_with_replacement(range(len(WIDE_DATA) + 1), 2):
        decoder, converter = Decoder(WIDE_RUN, policy), Converter(WIDE_RUN, "wtf-8", policy)
        *begun, last = WIDE_DATA[:first], WIDE_DATA[first:second], WIDE_DATA[second:]
        assert "".join(map(decoder.decode, begun)) + decoder.decode(last, True) == text, (first, second)
        assert b"".join(map(converter.convert, begun)) + converter.convert(last, True) == converted, (first, second)


def test_a_long_run_of_wide_units_is_one_error() -> None:
    data = b"\0a\xff\xfe" + b"\xf0\x01" * 5000 + b"\0b"
    pieces = [data[at : at + 1001] for at in range(0, len(data), 1001)]
    converter = Converter(WIDE_RUN, "wtf-8")
    with pytest.raises(eightfold.ConversionError) as caught:
        [converter.convert(piece) for piece in pieces]
    assert (caught.value.start, caught.value.end) == (2, 10_004)
    with handler(length_shown) as name:
        decoder = Decoder(WIDE_RUN, name)
        assert "".join(map(decoder.decode, pieces)) + decoder.decode(b"", True) == "a<10002>b"


@pytest.mark.parametrize("errors", ["replace", "ignore", "surrogateescape", "backslashreplace"])
def test_a_state_says_whether_it_is_inside_a_run(errors: str) -> None:
    data = b"a\xfe\x80\x80\xff\x81b"
    for cut in range(len(data) + 1):
        converter, other = (Converter("corrected-utf-8", "corrected-utf-8", errors) for _ in range(2))
        begun = converter.convert(data[:cut])
        other.setstate(converter.getstate())
        whole = eightfold.convert(data, "corrected-utf-8", "corrected-utf-8", errors)
        assert begun + other.convert(data[cut:], True) == whole
        decoder, another = (Decoder("corrected-utf-8", errors) for _ in range(2))
        text = decoder.decode(data[:cut])
        another.setstate(decoder.getstate())
        assert text + another.decode(data[cut:], True) == eightfold.decode(data, "corrected-utf-8", errors)


def test_a_run_of_wide_units_is_one_fault_and_one_row_wherever_it_is_cut() -> None:
    faults, rows = list(eightfold.faults(WIDE_DATA, WIDE_RUN)), list(iter_explained([WIDE_DATA], WIDE_RUN))
    assert [(fault.kind, fault.start, fault.end) for fault in faults] == [
        ("reserved", 4, 12),
        ("reserved", 14, 18),
        ("odd-length", 18, 19),
    ]
    for first, second in itertools.combinations_with_replacement(range(len(WIDE_DATA) + 1), 2):
        pieces, checker = [WIDE_DATA[:first], WIDE_DATA[first:second], WIDE_DATA[second:]], Checker(WIDE_RUN)
        found = [*itertools.chain.from_iterable(map(checker.check, pieces)), *checker.check(b"", final=True)]
        assert [each.fault for each in found] == faults, (first, second)
        assert list(iter_explained(pieces, WIDE_RUN)) == rows, (first, second)


def test_behind_the_middle_of_a_unit_a_run_is_made_of_other_units() -> None:
    """The first byte of the run is answered, and with the next one a run begins that is over after one unit."""
    unit = eightfold.fault_row("reserved", (0x110000, 0xFFFFFFFE), run=((0x10000, 0x10000),))
    form = eightfold.Form(
        "wide", [eightfold.Row(0, 0xD7FF, (0, 0xD7FF))], units=[unit], unit_bits=32, byte_order="little"
    )
    data = b"\x92xka" + b"\0\0\1\0" * 70
    spans: list[tuple[int, int]] = []

    def second_byte_first(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        spans.append((error.start, error.end))
        return "", 1 if len(spans) == 1 else len(data)

    with handler(second_byte_first) as errors:
        eightfold.decode(data, form, errors)
    assert spans == [(0, len(data)), (1, 5)]
    with pytest.raises(eightfold.DecodeError) as raised:
        eightfold.decode(data, form, "surrogateescape")
    assert (raised.value.start, raised.value.end) == (1, 5)


def test_what_a_run_means_is_known_at_its_end_alone() -> None:
    unit = eightfold.fault_row("truncated", (0xFB, 0xFB), meant=(5, 5))._replace(run=((0x80, 0x8F),))
    form = eightfold.Form("run-of-one", [eightfold.Row(0, 0x7F, (0, 0x7F))], units=[unit])
    for data in (b"\xfb\x80\x81a", b"\xfba", b"\xfb", b"\xfb\x80", b"\xfb" + b"\x80" * 100):
        for cut in range(len(data) + 1):
            checker = Checker(form)
            found = checker.check(data[:cut]) + checker.check(data[cut:], final=True)
            assert [each.fault for each in found] == list(eightfold.faults(data, form)), (data, cut)


ASCII = eightfold.Row(0, 0x7F, (0, 0x7F))
RUN = eightfold.fault_row("reserved", (0xFE, 0xFF), run=((0x80, 0xBF), (0xFE, 0xFF)))
LONG_NAME = eightfold.fault_row("overlong", (0xFE, 0xFF), (0x80, 0xBF))


@pytest.mark.parametrize("own", [{}, {"units": [RUN]}, {"names": [LONG_NAME]}])
@pytest.mark.parametrize("read", [{}, {"units": [RUN]}, {"names": [LONG_NAME]}])
def test_a_converter_cuts_errors_by_the_variant_that_the_policy_selects(own: Any, read: Any) -> None:
    variant = eightfold.Form("read", [ASCII], **read)
    form = eightfold.Form("own", [ASCII], variants=[eightfold.Variant("lax", variant)], **own)

    def error(*pieces: bytes) -> tuple[int, int, eightfold.Fault]:
        converter = Converter(form, "utf-8", "lax")
        with pytest.raises(eightfold.ConversionError) as caught:
            b"".join(converter.convert(piece, final=not piece) for piece in (*pieces, b""))
        return caught.value.start, caught.value.end, caught.value.fault

    for data in (b"a\xfe\x80", b"a\xfe\xff\x80b", b"\xff\x80\x80"):
        assert error(*(bytes([byte]) for byte in data)) == error(data)
