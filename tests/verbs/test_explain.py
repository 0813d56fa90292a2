"""`explain`: rows that tile the input, with the bits, the code points and the names of the tables, safe to look at."""

from __future__ import annotations

import codecs
import json
import re
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import Explained, Form, Row, explain, forms, reference
from eightfold.explain import Explanation, iter_explained, iter_explained_text
from eightfold.explain.as_html import html_table
from eightfold.explain.as_text import HEADER, text_lines
from eightfold.explain.bits import entry_of_fault, entry_of_sequence, payload_widths
from eightfold.explain.characters import CONTROLS, character_name, columns, shown_character
from eightfold.markup import ROWS_SHOWN
from support.byte_classes import neighbours, strings
from support.html_cells import Cells
from support.peaks import peak

NAMES = [form.name for form in forms()]
PLAIN = [each for each in forms() if not each.signatures]
every_form = pytest.mark.parametrize("name", NAMES)
every_plain_form = pytest.mark.parametrize("form", PLAIN, ids=lambda form: form.name)

PIECES = [
    *(b"a", b"\x00", b"\n", b"\x7f", b"\x80", b"\xbf", b"\xc0\x80", b"\xc0\xaf", b"\xc3\xa9", b"\xc3", b"\xe2\x82"),
    *(b"\xed\xa0\xbd", b"\xed\xb8\x80", b"\xed\xa0", b"\xef\xbe\x80", b"\xee\xbe\x80", b"\xe2\x80\xae", b"\xd7\x90"),
    *(b"\xf0\x9f\x98\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfd\xbf\xbf\xbf\xbf\xbf", b"\xfe", b"\xff"),
    *(signature.mark for each in forms() for signature in each.signatures),
]
BYTES = st.one_of(st.binary(max_size=24), st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join))
TEXT = st.one_of(
    st.text(st.characters(codec=None, min_codepoint=0, max_codepoint=0x10FFFF, categories=None), max_size=12),
    st.text("\ud800\ud83d\udc00\ude00\x00\x1b\n\x80é漢\u0301\u05d0\u202e😀\uef80\ufffe\ufeff", max_size=12),
)


def skip(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "", error.end


codecs.register_error("eightfold-skip", skip)


def breach(rows: list[Explained], length: int) -> str:
    """Return how rows fail to tile an input, or nothing."""
    at = 0
    for row in rows:
        if row.offset != at or row.end <= at:
            return f"row at {row.offset} where {at} is due"
        at = row.end
    return "" if at == length else f"rows end at {at} of {length}"


def is_signature(row: Explained) -> bool:
    return row.fault is None and row.code_point is None


def code_points(rows: list[Explained]) -> list[int]:
    return [row.code_point for row in rows if row.fault is None and row.code_point is not None]


# --- bytes ------------------------------------------------------------------------------------------------------------


@given(BYTES, st.sampled_from(NAMES))
def test_rows_of_bytes_tile_them(data: bytes, name: str) -> None:
    rows = explain(data, name)
    assert breach(rows, len(data)) == ""
    assert all(row.units == data[row.offset : row.end][:64] for row in rows)


@given(BYTES, st.sampled_from(NAMES))
def test_rows_without_fault_are_what_decoding_gives(data: bytes, name: str) -> None:
    assert code_points(explain(data, name)) == eightfold.decode_code_points(data, name, "eightfold-skip").tolist()


@given(BYTES, st.sampled_from(NAMES))
def test_rows_with_fault_are_the_faults(data: bytes, name: str) -> None:
    found = [row for row in explain(data, name) if row.fault is not None]
    assert [row.fault for row in found] == list(eightfold.faults(data, name))
    assert all((row.offset, row.end, row.units) == (row.fault.start, row.fault.end, row.fault.units) for row in found)
    assert all((row.code_point, row.name) == (None, "") for row in found)


@every_plain_form
def test_the_laws_hold_one_change_away_from_every_entry(form: Form) -> None:
    for data in {*strings(form, 2), *neighbours(form)}:
        rows = explain(data, form)
        assert breach(rows, len(data)) == "", data
        assert [row.fault for row in rows if row.fault] == list(reference.faults(form, data)), data


@given(st.lists(BYTES, max_size=5), st.sampled_from(NAMES))
def test_the_cuts_between_chunks_do_not_matter(chunks: list[bytes], name: str) -> None:
    assert list(iter_explained(chunks, name)) == explain(b"".join(chunks), name)


@every_form
def test_no_single_cut_matters(name: str) -> None:
    data = b"".join(PIECES)
    whole = explain(data, name)
    for at in range(len(data) + 1):
        assert list(iter_explained([data[:at], data[at:]], name)) == whole, at
    assert list(iter_explained((data[at : at + 1] for at in range(len(data))), name)) == whole


def test_any_bytes_like_object_is_taken() -> None:
    data = "né".encode()
    assert explain(bytearray(data), "utf-8") == explain(memoryview(data), "utf-8") == explain(data, "utf-8")
    assert explain(memoryview(b"n.\xc3.\xa9.")[::2], "utf-8") == explain(data, "utf-8")


def test_nothing_has_no_rows() -> None:
    assert explain(b"", "utf-8") == []
    assert str(explain(b"", "utf-8")) == ""


@pytest.mark.parametrize("form", [form for form in forms() if form.signatures], ids=lambda form: form.name)
def test_a_signature_that_begins_bytes_is_a_row(form: Form) -> None:
    for mark, announced, _ in form.signatures:
        rows = explain(mark + mark, form)
        assert is_signature(rows[0])
        assert (rows[0].offset, rows[0].end, rows[0].units, rows[0].bits) == (0, len(mark), mark, "")
        assert rows[0].name == f"signature: {announced.name} follows"
        assert [row.code_point for row in rows[1:]] == [row.code_point for row in explain(mark, announced)]
        assert not any(is_signature(row) for row in explain(mark + b"\0" * 4, announced))


def test_a_long_reserved_sequence_is_one_row() -> None:
    data = b"a" + b"\xfe" + b"\x80" * 5000 + b"b"
    rows = explain(data, "corrected-utf-8")
    assert [(row.offset, row.end) for row in rows] == [(0, 1), (1, 5002), (5002, 5003)]
    assert rows[1].units == data[1:65]
    assert rows[1].bits.split() == ["11111110", *["10000000"] * 63]
    assert " FE 80 80 80 80 80 80 80 ...  " in str(rows)


def test_memory_does_not_grow_with_a_sequence_without_end() -> None:
    trail = b"\x80"

    def explained() -> None:
        chunks = (b"\xfe" + trail * 4095 for _ in range(20))
        rows = list(iter_explained(chunks, "corrected-utf-8"))
        assert [row.end for row in rows] == [81_920]

    assert peak(explained, limit=50_000) < 50_000


def test_rows_come_as_soon_as_they_are_certain() -> None:
    def chunks() -> Iterator[bytes]:
        yield b"ab\xc3"
        raise AssertionError("asked for more than was needed")

    rows = iter_explained(chunks(), "utf-8")
    assert [next(rows).code_point, next(rows).code_point] == [0x61, 0x62]


# --- text -------------------------------------------------------------------------------------------------------------


@given(TEXT, st.sampled_from(NAMES))
def test_rows_of_a_str_tile_it(text: str, name: str) -> None:
    rows = [row for row in explain(text, name) if not is_signature(row)]
    assert breach(rows, len(text)) == ""


@given(TEXT, st.sampled_from(NAMES))
def test_rows_of_a_str_are_its_code_points(text: str, name: str) -> None:
    for row in explain(text, name):
        if is_signature(row):
            continue
        points = [ord(character) for character in text[row.offset : row.end]]
        assert points == [row.code_point] or (eightfold.form(name).joins_pairs and len(points) == 2)
        assert row.code_point == (points[0] if len(points) == 1 else reference.joined(*points))


@given(TEXT, st.sampled_from(NAMES))
def test_rows_of_a_str_are_what_encoding_writes(text: str, name: str) -> None:
    rows = explain(text, name)
    faults = list(dict.fromkeys(row.fault for row in rows if row.fault))
    assert faults == list(eightfold.encode_faults(text, name))
    assert all(row.fault.start <= row.offset < row.fault.end for row in rows if row.fault)
    if not faults:
        assert b"".join(row.units for row in rows) == eightfold.encode(text, name)


@given(TEXT, st.sampled_from(NAMES))
def test_a_sequence_is_explained_alike_in_bytes_and_in_text(text: str, name: str) -> None:
    for row in iter_explained_text(text, name):
        if row.fault is None and not is_signature(row):
            plain = eightfold.text.signed(eightfold.form(name))[0]
            alone = explain(row.units, plain)[0]
            assert (alone.units, alone.bits, alone.source) == (row.units, row.bits, row.source)
            assert (alone.code_point, alone.name) == (row.code_point, row.name)


@pytest.mark.parametrize("name", ["utf-8", "cesu-8", "utf-16-le", "xtf-8", "corrected-utf-8"])
def test_each_code_point_has_the_fault_that_contains_it(name: str) -> None:
    text = "\udc00\udc01a\udc02b\udc03\udc04\udc05"
    expected = {at: fault for fault in eightfold.encode_faults(text, name) for at in range(fault.start, fault.end)}
    assert len(set(expected.values())) >= 3
    assert {row.offset: row.fault for row in explain(text, name) if row.fault} == expected


def test_a_str_with_items_of_its_own_is_explained_as_it_is_written() -> None:
    class Own(str):
        def __iter__(self) -> Iterator[str]:
            return iter("QQ")

    assert explain(Own("aé"), "utf-8") == explain("aé", "utf-8")


def test_code_points_of_one_fault_have_a_row_each() -> None:
    rows = explain("a\ud800\udfffb", "utf-8")
    assert [row.name for row in rows[1:3]] == ["<surrogate-D800>", "<surrogate-DFFF>"]
    assert rows[1].fault == rows[2].fault
    assert "as the row before" in str(rows).splitlines()[3]


@pytest.mark.parametrize(
    ("text", "name", "source"),
    [
        ("\ud800", "utf-8", "utf8(7), eda0-edbf"),
        ("\ud800", "utf-16", "Unicode 3.9, D91"),
        ("\udc00", "cesu-8", "UTR 26 section 3, definition 2"),
        ("\x80", "corrected-utf-8", "Corrected UTF-8"),
        ("😀", "optu-8", "MirBSD optu8to16(3)"),
    ],
)
def test_what_cannot_be_written_has_its_source(text: str, name: str, source: str) -> None:
    (row,) = (row for row in explain(text, name) if row.fault)
    assert row.source == source


# --- sources ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "name", "source"),
    [
        (b"\xed\xa0\x80", "utf-8", "utf8(7), eda0-edbf"),
        (b"\xc0\xaf", "utf-8", "utf8(7), c0-c1"),
        (b"\xf4\x90\x80\x80", "utf-8", "utf8(7), f490-f4bf"),
        (b"\xf5", "utf-8", "utf8(7), f5-f7"),
        (b"\xe2\x82", "utf-8", "Unicode Table 3-7; RFC 3629 section 4"),
        (b"\x80", "utf-8", "RFC 3629"),
        (b"\xed\xa0\x80\xed\xb0\x80", "wtf-8", "WTF-8 section 3.3"),
        (b"\xed\xa0\x80", "cesu-8", "UTR 26 section 3, definition 2"),
        (b"\xed\xa0", "cesu-8", "UTR 26 section 3, definition 2"),
        (b"\x00", "mutf-8", "JVMS 4.4.7"),
        (b"\xee\xbe\x80", "xtf-8", "XTF-8, algorithm, step 2"),
        (b"\xfe", "corrected-utf-8", "Corrected UTF-8, Removing the artificial upper limit"),
        (b"\x00\xdc", "utf-16-le", "Unicode 3.9, D91"),
        (b"\x00\x00\x11\x00", "utf-32-le", "Unicode 3.9, D90"),
        (b"A", "utf-32-le", "Unicode 3.10, D100"),
    ],
)
def test_a_fault_has_the_source_of_the_rule_it_breaks(data: bytes, name: str, source: str) -> None:
    (row,) = explain(data, name)
    assert row.fault is not None
    assert row.source == source


@every_plain_form
def test_every_sequence_has_the_source_of_its_row(form: Form) -> None:
    for table_row in form.rows:
        data = reference.encoded(form, table_row.last)
        assert data is not None
        assert [row.source for row in explain(data, form)] == [table_row.source]
        assert table_row.source


@every_plain_form
def test_a_fault_row_that_names_a_fault_is_found_again(form: Form) -> None:
    for entry in (*form.units, *form.names):
        data = b"".join(low.to_bytes(form.unit_bytes, form.byte_order) for low, _ in entry.unit_ranges)
        fault = next(reference.faults(form, data), None)
        if fault is not None and fault.kind == entry.kind and fault.end == len(data):
            found = entry_of_fault(form, fault)
            assert found is not None
            assert found.source == entry.source


# --- bits -------------------------------------------------------------------------------------------------------------

UTF_8_SHAPED = {1: (7,), 2: (5, 6), 3: (4, 6, 6), 4: (3, 6, 6, 6), 5: (2, *[6] * 4), 6: (1, *[6] * 5)}
"""The payload bits of lead and continuation bytes, as every account of UTF-8 draws them (RFC 2279 section 2)."""
PAIR_OF_THREE_BYTES = (0, 4, 6, 0, 4, 6)


def payload(bits: str) -> int:
    return int("".join(re.findall(r"\[([01]+)\]", bits)) or "0", 2)


@every_plain_form
def test_payload_bits_are_where_people_draw_them(form: Form) -> None:
    for row in form.rows:
        widths = payload_widths(form, row)
        if form.unit_bits == 32:
            assert widths == (21,)
        elif form.unit_bits == 16:
            assert widths == ((16,) if len(row.unit_ranges) == 1 else (10, 10))
        elif (row.first, row.last) == (0x10000, 0x10FFFF):
            assert widths == PAIR_OF_THREE_BYTES
        else:
            assert widths == UTF_8_SHAPED[len(row.unit_ranges)], row


@every_plain_form
def test_payload_bits_are_the_code_point_but_for_a_constant_of_the_row(form: Form) -> None:
    for row in form.rows:
        count = row.last - row.first + 1
        points = {row.first, row.last, *(row.first + count * step // 97 for step in range(97))}
        written = {point: reference.encoded(form, point) for point in points}
        offsets = {point - payload(explain(data, form)[0].bits) for point, data in written.items() if data}
        assert len(offsets) == 1, row


@pytest.mark.parametrize("name", ["utf-8", "generalized-utf-8", "wtf-8", "utf-8-rfc2044", "utf-32-le"])
def test_payload_bits_of_utf_8_are_the_code_point(name: str) -> None:
    form = eightfold.form(name)
    for point in (0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF):
        data = reference.encoded(form, point)
        assert data is not None
        assert payload(explain(data, form)[0].bits) == point


@given(BYTES, st.sampled_from(NAMES))
def test_bits_are_the_bytes(data: bytes, name: str) -> None:
    byte_order = explain_order(data, name)
    for row in explain(data, name):
        digits = row.bits.replace("[", "").replace("]", "").split()
        if is_signature(row):
            continue
        units = [int(each, 2).to_bytes(len(each) // 8, byte_order) for each in digits]
        assert b"".join(units) == row.units


def explain_order(data: bytes, name: str) -> str:
    opening = reference.opening(eightfold.form(name), data)
    assert opening is not None
    return opening[0].byte_order


@pytest.mark.parametrize(
    ("data", "name", "bits"),
    [
        (b"A", "utf-8", "0[1000001]"),
        (b"\xc3\xa9", "utf-8", "110[00011] 10[101001]"),
        (b"\xe0\xa0\x80", "utf-8", "1110[0000] 10[100000] 10[000000]"),
        (b"\xf4\x8f\xbf\xbf", "utf-8", "11110[100] 10[001111] 10[111111] 10[111111]"),
        (b"\xc0\xaf", "utf-8", "110[00000] 10[101111]"),
        (b"\xed\xa0\x80", "utf-8", "1110[1101] 10[100000] 10[000000]"),
        (b"\xf7\xbf\xbf\xbf", "utf-8", "11110[111] 10[111111] 10[111111] 10[111111]"),
        (b"\xf8\x88\x80", "utf-8", "111110[00] 10[001000] 10[000000]"),
        (b"\xfd", "utf-8", "1111110[1]"),
        (b"\xe2\x82", "utf-8", "1110[0010] 10[000010]"),
        (b"\x80", "utf-8", "10000000"),
        (b"\xff", "utf-8", "11111111"),
        (b"\xc3", "xtf-8", "1[1000011]"),
        (b"\xc0\x80", "mutf-8", "110[00000] 10[000000]"),
        (b"\xc0\xaf", "corrected-utf-8", "110[00000] 10[101111]"),
        (b"\xec\xbd\xa0", "corrected-utf-8", "1110[1100] 10[111101] 10[100000]"),
        (b"\x3d\xd8\xa9\xdc", "utf-16-le", "110110[0000111101] 110111[0010101001]"),
        (b"\xd8\x3d\xdc\xa9", "utf-16-be", "110110[0000111101] 110111[0010101001]"),
        (b"\x3d\xd8\xa9", "utf-16-le", "110110[0000111101] 10101001"),
        (b"\xa9", "utf-16-le", "10101001"),
        (b"\xa9\xf4\x01\x00", "utf-32-le", "00000000000[000011111010010101001]"),
    ],
)
def test_the_bits_of_a_sequence(data: bytes, name: str, bits: str) -> None:
    assert [row.bits for row in explain(data, name)] == [bits]


def test_a_form_of_ones_own_is_explained_by_its_rows() -> None:
    form = Form("nibbles", [Row(0, 0x7F, (0x00, 0x7F)), Row(0x100, 0x1FF, (0xA0, 0xAF), (0xB0, 0xBF))])
    rows = explain(b"A\xa1\xb2\xa1\xff", form)
    assert [row.bits for row in rows] == ["0[1000001]", "1010[0001] 1011[0010]", "1010[0001]", "11111111"]
    assert [row.source for row in rows] == ["", "", "", ""]
    assert str(rows).endswith("invalid-byte: byte FF cannot begin a sequence")
    assert entry_of_sequence(form, b"\xa1\xb2") is form.rows[1]


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "kind", "source"),
    [
        (b"\xf8", "too-long", "utf8(7), f8-ff"),
        (b"\xfd", "too-long", "utf8(7), f8-ff"),
        # utf8(7) would have them begin sequences of seven bytes and more; RFC 2044 has none of these.
        (b"\xfe", "invalid-byte", "RFC 2044 section 2"),
        (b"\xff", "invalid-byte", "RFC 2044 section 2"),
    ],
)
def test_the_source_of_a_fault_says_what_its_sentence_says(data: bytes, kind: str, source: str) -> None:
    (row,) = explain(data, "utf-8")
    assert row.fault is not None
    assert (row.fault.kind, row.source) == (kind, source)
    assert str(row.fault).startswith("incomplete " if kind == "too-long" else "byte F")


def test_the_escapes_of_xtf_8_are_private_use_in_other_forms() -> None:
    (row,) = explain("\uefe9".encode(), "utf-8")
    assert (row.name, row.code_point, row.fault) == ("<private-use-EFE9>", 0xEFE9, None)


def test_the_controls_are_all_there_and_are_called_as_unicode_calls_them() -> None:
    assert set(CONTROLS) == {point for point in range(0x110000) if unicodedata.category(chr(point)) == "Cc"}
    assert all(unicodedata.lookup(alias) == chr(point) for point, alias in CONTROLS.items())


@pytest.mark.parametrize(
    ("code_point", "name"),
    [
        (0x41, "LATIN CAPITAL LETTER A"),
        (0xAC00, "HANGUL SYLLABLE GA"),
        (0x0A, "<control-000A> LINE FEED"),
        (0x9B, "<control-009B> CONTROL SEQUENCE INTRODUCER"),
        (0xD83D, "<surrogate-D83D>"),
        (0xE000, "<private-use-E000>"),
        (0xEFE9, "<private-use-EFE9>"),  # an escape in XTF-8 and OPTU-8 only
        (0x10FFFD, "<private-use-10FFFD>"),
        (0xFDD0, "<noncharacter-FDD0>"),
        (0xFFFF, "<noncharacter-FFFF>"),
        (0x10FFFE, "<noncharacter-10FFFE>"),
        (0x50000, "<reserved-50000>"),
        (0x7FFFFFFF, "<beyond-unicode-7FFFFFFF>"),
        (0x202E, "RIGHT-TO-LEFT OVERRIDE"),
    ],
)
def test_the_name_of_a_code_point(code_point: int, name: str) -> None:
    assert character_name(code_point) == name


def test_there_are_66_noncharacters() -> None:
    assert sum(character_name(point).startswith("<noncharacter") for point in range(0x110000)) == 66


# --- looking at it ----------------------------------------------------------------------------------------------------


def test_no_character_is_shown_that_could_act_on_a_terminal() -> None:
    acting = {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}
    for point in range(0x110000):
        assert not acting & {unicodedata.category(character) for character in shown_character(point)}, hex(point)
    assert shown_character(0x110000) == ""


@pytest.mark.parametrize(
    "text", ["\x1b", "\x07", "\u202e", "\u2066", "\u200f", "\u2028", "\ufeff", "\U000e0041", "\x9b"]
)
def test_what_acts_is_told_by_name_alone(text: str) -> None:
    assert text not in str(explain(text, "wtf-8"))


@given(st.one_of(BYTES, TEXT), st.sampled_from(NAMES))
def test_the_text_is_printable_and_its_columns_are_aligned(data: bytes | str, name: str) -> None:
    rows = explain(data, name)
    header, *lines = list(text_lines(rows)) or [""]
    assert len(lines) == len(rows)
    assert all(line.isprintable() for line in lines)
    for row, line in zip(rows, lines, strict=True):
        said = row.name or (row.fault.kind if row.fault else "")
        character = "" if row.code_point is None else shown_character(row.code_point)
        at = header.index("name") - columns(character) + len(character)
        assert line[at:].startswith(said), line
        assert columns(line[:at]) == header.index("name"), line


def test_the_text_goes_on_in_the_same_columns() -> None:
    lines = list(text_lines(explain("a" * 1500 + "é", "utf-8")))
    assert len(lines) == 1502
    assert lines[0].split() == [word for title in HEADER for word in title.split()]
    assert [line.index("LATIN") for line in lines[1:1001]] == [lines[0].index("name")] * 1000
    assert len({line.index("LATIN") for line in lines[1001:]}) == 1


def test_lines_come_before_the_rows_end() -> None:
    def chunks() -> Iterator[bytes]:
        yield b"a" * 1500
        raise AssertionError("asked for more than was needed")

    assert next(text_lines(iter_explained(chunks(), "utf-8"))).split()[0] == "offset"


@given(st.one_of(BYTES, TEXT), st.sampled_from(NAMES))
def test_json_holds_all_of_it(data: bytes | str, name: str) -> None:
    explanation = explain(data, name)
    values = json.loads(json.dumps(explanation.as_dict()))
    assert values["form"] == name
    for row, found in zip(explanation, values["rows"], strict=True):
        fault = None if row.fault is None else row.fault.as_dict()
        assert bytes.fromhex(found.pop("units")) == row.units
        assert (found.pop("offset"), found.pop("end"), found.pop("bits")) == (row.offset, row.end, row.bits)
        assert found == {"code_point": row.code_point, "name": row.name, "source": row.source, "fault": fault}


@given(st.one_of(BYTES, TEXT), st.sampled_from(NAMES))
def test_html_holds_all_of_it_and_nothing_that_acts(data: bytes | str, name: str) -> None:
    explanation = explain(data, name)
    page = explanation._repr_html_()
    assert all(line.isprintable() for line in page.split("\n"))
    found = Cells(page)
    assert found.tags <= {"style", "table", "caption", "thead", "tbody", "tr", "th", "td", "b", "bdi"}
    assert len(found.rows) == 1 + len(explanation)
    for row, cells in zip(explanation, found.rows[1:], strict=True):
        assert cells[0] == str(row.offset)
        assert row.name in cells[-1]
        assert row.fault is None or row.fault.kind in cells[-1]
        assert len(row.units) > 8 or cells[2] == row.bits.replace("[", "").replace("]", "")
    shown = [row for row in explanation if len(row.units) <= 8]
    assert found.bold == "".join(digits for row in shown for digits in re.findall(r"\[([01]+)\]", row.bits))


def test_html_escapes_what_a_form_of_ones_own_brings() -> None:
    form = Form("<script>&", [Row(0, 0x7F, (0, 0x7F), source="<b>")], source="<i>")
    page = explain(b"<&\xff", form)._repr_html_()
    assert "<script" not in page
    assert "<i>" not in page
    assert "<bdi>&lt;</bdi>" in page


def test_html_of_a_long_input_shows_how_much_more_there_is() -> None:
    page = html_table(explain("a" * (ROWS_SHOWN + 7), "utf-8"), "utf-8")
    assert page.count("<tr") == 1 + ROWS_SHOWN
    assert "and 7 more" in page


def test_what_is_no_input_is_refused() -> None:
    with pytest.raises(LookupError, match="did you mean"):
        explain(b"", "utf-9")
    with pytest.raises(TypeError):
        explain(7, "utf-8")  # type: ignore[arg-type]


def test_an_explanation_is_a_list() -> None:
    rows = explain(b"ab", "utf-8")
    assert isinstance(rows, Explanation)
    assert rows.form == "utf-8"
    assert [row.name[-1] for row in rows] == ["A", "B"]
    with pytest.raises(AttributeError):
        rows[0].offset = 1  # type: ignore[misc]


# --- planted faults ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "planted", [slice(1, None), slice(None, -1), slice(None, None, 2)], ids=["first", "last", "mid"]
)
def test_rows_that_do_not_tile_are_seen(planted: slice) -> None:
    rows = explain(b"a\xc3\xa9\xff\xe2\x82", "utf-8")
    assert breach(rows, 6) == ""
    assert breach(rows[planted], 6) != ""
