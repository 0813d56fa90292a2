"""Forms of one's own that once came out wrong: one test for each cause, with the smallest form that shows it.

`test_parity_random_forms` found them; what is asked here must hold on every engine and with every instruction set.
"""

from __future__ import annotations

from collections import Counter
from time import process_time
from typing import Any

import pytest

import eightfold
from eightfold import Form, Row, Signature, Variant, fault_row
from eightfold.faults import KINDS, Kind
from eightfold.stream import Decoder, Encoder

TAIL = (0x80, 0xBF)
ASCII = Row(0x0, 0x7F, (0x00, 0x7F))
TWO = Row(0x80, 0x7FF, (0xC2, 0xDF), TAIL)
PAIR = (0xED, (0xA0, 0xAF), TAIL, 0xED, (0xB0, 0xBF), TAIL)
SURROGATES = (0xD800, 0xDFFF)
# The kernels take blocks of 64 bytes; what is short is read one by one.
PADDINGS = ("", "a" * 60, "a" * 200)
padded = pytest.mark.parametrize("padding", PADDINGS, ids=len)


def text_of(data: bytes, form: Form, policy: Any, padding: str) -> str:
    """Return what bytes between padding decode to, without the padding."""
    pad = padding.encode()
    text = eightfold.decode(pad + data + pad, form, policy)
    assert text.startswith(padding)
    assert text.endswith(padding)
    return text[len(padding) : len(text) - len(padding)]


# --- values -----------------------------------------------------------------------------------------------------------


def with_gap(first: int) -> Form:
    """Return a form whose sequences of three bytes have two offsets, so that code points seem to be left out."""
    rows = [ASCII, TWO, Row(first, first + 0xFFF, 0xE0, TAIL, TAIL), Row(0xE000, 0xFFFF, (0xEE, 0xEF), TAIL, TAIL)]
    return Form("gap", rows)


@padded
def test_a_gap_below_ascii_moves_no_ascii(padding: str) -> None:
    form = with_gap(0x11000)
    assert text_of(b"/..\xe0\x80\x80", form, "strict", padding) == "/..\U00011000"
    assert text_of(b"\xef\xbf\xbf\xe0\xbf\xbf\xc3\xa9", form, "strict", padding) == "\uffff\U00011fff\xe9"


@padded
def test_no_str_holds_what_is_beyond_unicode(padding: str) -> None:
    form = with_gap(0x200000)
    text = text_of(b"/..\xe0\x80\x80\xee\x80\x80", form, "replace", padding)
    assert text == "/..\N{REPLACEMENT CHARACTER}\ue000"
    assert max(map(ord, text)) <= 0x10FFFF
    data = padding.encode() + b"/\xe0\x80\x80"
    assert eightfold.decode_code_points(data, form).tolist() == [*map(ord, padding), 0x2F, 0x200000]


@padded
def test_a_gap_beyond_16_bits_moves_nothing_below(padding: str) -> None:
    four = (
        Row(0x10000, 0x107FF, 0xF0, 0x90, (0x80, 0x9F), TAIL),
        Row(0x11000, 0x117FF, 0xF0, 0x90, (0xA0, 0xBF), TAIL),
    )
    form = Form("gap", [ASCII, Row(0x800, 0xFFF, 0xE0, (0xA0, 0xBF), TAIL), *four])
    assert (
        text_of(b"\xe0\xa0\x80\xf0\x90\xa0\x80\xf0\x90\x80\x80", form, "strict", padding)
        == "\u0800\U00011000\U00010000"
    )
    assert text_of(b"\xe0\xbf\xbf", form, "strict", padding) == "\u0fff"


@pytest.mark.parametrize("first", [0x110000, 0x7FFFF800, 0xFFFFF800])
def test_surrogates_with_values_beyond_unicode_move_no_other(first: int) -> None:
    """What the form shares with UTF-8 is written as a layout says, which must be that of all it shares."""
    rows = [row for row in eightfold.form("generalized-utf-8").rows if not SURROGATES[0] <= row.first <= SURROGATES[1]]
    form = Form("moved", [*rows, Row(first, first + 0x7FF, 0xED, (0xA0, 0xBF), TAIL)])
    for last in ("\xe9", "\u4e2d", "\uffff", "\U00010000", "\U0003ffff"):
        for count in range(130):
            text = "a" * count + last
            data = text.encode()
            assert eightfold.decode(data, form) == text
            assert eightfold.decode_code_points(data, form).tolist() == [*map(ord, text)]
            assert eightfold.convert(data, form, "utf-16-le") == text.encode("utf-16-le")


@padded
def test_three_bytes_of_latin_1_are_no_two(padding: str) -> None:
    form = Form("long", [ASCII, Row(0x80, 0xBF, 0xE0, 0x82, TAIL), Row(0xC0, 0xFF, 0xC3, TAIL)])
    assert text_of(b"\xe0\x82\x80\xc3\xbf\xe0\x82\xbf", form, "strict", padding) == "\x80\xff\xbf"


@padded
def test_a_continuation_byte_that_begins_a_sequence(padding: str) -> None:
    form = Form("strays", [ASCII, Row(0x100, 0x13F, 0xA0, TAIL)])
    assert text_of(b"\xa0\x80\xa0", form, "replace", padding) == "\u0100\N{REPLACEMENT CHARACTER}"


@padded
@pytest.mark.parametrize("first", [0x00, 0x41, 0x7F])
def test_a_unit_that_begins_with_a_character(first: int, padding: str) -> None:
    form = Form("units", [ASCII, TWO], units=[fault_row("reserved", first, 0xBD, 0xBD)])
    data = bytes([first, 0xBD, 0xBD])
    assert text_of(data + b"b", form, "replace", padding) == "\ufffdb"
    assert text_of(data + b"b", form, "ignore", padding) == "b"
    start, data = len(padding), padding.encode() + data
    assert [(fault.kind, fault.start, fault.end) for fault in eightfold.faults(data, form)] == [
        ("reserved", start, start + 3)
    ]
    assert eightfold.tally(data, form) == {"reserved": 1}


@padded
def test_where_each_byte_is_a_unit_a_truncated_sequence_is_several(padding: str) -> None:
    rows = eightfold.form("utf-8").rows
    form = Form("bytes", rows, units=[fault_row("invalid-byte", (0x80, 0xFF))])
    data = b"\xe4\xb8a\xf0\x9f\x92a\xc3a\xe4\xb8\xad\xf0\x9f\x92\xa9"
    assert text_of(data, form, "replace", padding) == "\ufffd\ufffda\ufffd\ufffd\ufffda\ufffda\u4e2d\U0001f4a9"
    assert text_of(data, form, "ignore", padding) == "aaa\u4e2d\U0001f4a9"
    assert eightfold.tally(padding.encode() + data, form) == {"invalid-byte": 6}


@padded
def test_escaped_bytes_are_those_of_the_whole_unit(padding: str) -> None:
    three, four = Row(0x800, 0xFFF, 0xE0, (0xA0, 0xBF), TAIL), Row(0x10000, 0x3FFFF, 0xF0, (0x90, 0xBF), TAIL, TAIL)
    form = Form("strays", [ASCII, three, four, Row(*SURROGATES, (0x80, 0x87), (0x00, 0xFF))])
    assert text_of(b"\xf0\xbf\x80\xe0\xb6\xa0", form, "surrogateescape", padding) == "\udcf0\udcbf\udc80\u0da0"


# --- surrogates -------------------------------------------------------------------------------------------------------


@padded
def test_pairs_without_surrogates_are_sequences_like_any_other(padding: str) -> None:
    form = Form("pairs", [ASCII, Row(0x10000, 0x10FFFF, *PAIR)])
    assert text_of(b"\xed\xa0\xbd\xed\xb8\x80", form, "strict", padding) == "\U0001f600"
    assert text_of(b"\xed\xa0a\xed\xa0\x80\xed!", form, "replace", padding) == "\ufffda\ufffd!"


@padded
def test_pairs_with_other_values_are_not_joined(padding: str) -> None:
    form = Form(
        "pairs", [ASCII, Row(*SURROGATES, 0xED, (0xA0, 0xBF), TAIL), Row(0xE000, 0x10DFFF, *PAIR)], longest_match=True
    )
    assert text_of(b"\xed\xa0\x80\xed\xb0\x80\xed\xa0\x80!", form, "strict", padding) == "\ue000\ud800!"
    assert eightfold.encode(f"{padding}\ue000", form) == padding.encode() + b"\xed\xa0\x80\xed\xb0\x80"


@padded
@pytest.mark.parametrize("policy", ["strict", "replace", "ignore", "backslashreplace"])
def test_pairs_are_joined_beside_shifted_sequences_of_their_lead_byte(policy: Any, padding: str) -> None:
    """ED before 80 to 9F means something else: the code points behind that gap are not those of the halves."""
    rows = [ASCII, TWO, Row(0xEB80, 0xF37F, 0xED, (0x80, 0x9F), TAIL), Row(0x10000, 0x10FFFF, *PAIR)]
    form = Form("shifted", rows, units=eightfold.form("cesu-8").units, joins_pairs=True)
    pair, faults = b"\xed\xaf\xbf\xed\xbf\x80", b"" if policy == "strict" else b"\xff"
    answers = {"strict": "", "replace": "\ufffd", "ignore": "", "backslashreplace": r"\xff"}
    for count in (1, 20):
        assert text_of(pair * count + faults, form, policy, padding) == "\U0010ffc0" * count + answers[policy]
    found = eightfold.decode_code_points(pair + padding.encode(), form)
    assert found.tolist() == [0x10FFC0, *map(ord, padding)]
    assert eightfold.convert(pair, form, "utf-8") == "\U0010ffc0".encode()


@pytest.mark.parametrize(
    ("policy", "answer"),
    [
        ("replace", b"??"),
        ("ignore", b""),
        ("backslashreplace", rb"\udbff\udfff"),
        ("xmlcharrefreplace", b"&#56319;&#57343;"),
    ],
)
@pytest.mark.parametrize("before", ["", "a", "\U000fffff", "\udbff\udfff" * 70])
def test_a_joined_pair_that_the_form_lacks_is_one_unit(before: str, policy: Any, answer: bytes) -> None:
    """It has both halves: if a unit ended between them, the second would be written."""
    rows = [ASCII, TWO, Row(0x800, 0xFFF, 0xE0, (0xA0, 0xBF), TAIL), Row(0x1000, 0xFFFF, (0xE1, 0xEF), TAIL, TAIL)]
    form, pair = Form("three", rows, joins_pairs=True), "\udbff\udfff"
    assert eightfold.encode(before + pair + "a", form, policy) == eightfold.encode(before, form, policy) + answer + b"a"
    assert eightfold.encode(pair[::-1] + "a", form, policy) == b"\xed\xbf\xbf\xed\xaf\xbfa"
    with pytest.raises(eightfold.EncodeError) as raised:
        eightfold.encode("a" + pair + "a", form)
    assert (raised.value.start, raised.value.end) == (1, 3)


@padded
@pytest.mark.parametrize("policy", ["strict", "replace", "ignore", "surrogatepass", "backslashreplace"])
def test_split_code_points_alone(policy: Any, padding: str) -> None:
    form = Form("pairs", [ASCII, Row(0x10000, 0x10FFFF, *PAIR)])
    for text in (f"{padding}\U00011000", f"\U00011000{padding}" + "\U0001f600" * 20):
        data = eightfold.encode(text, form, policy)
        assert data == b"".join(part.encode() if part < "\x80" else in_two(ord(part)) for part in text)


def in_two(point: int) -> bytes:
    halves = divmod(point - 0x10000, 0x400)
    return "".join(map(chr, (0xD800 + halves[0], 0xDC00 + halves[1]))).encode("utf-8", "surrogatepass")


def test_surrogates_that_no_table_knows_do_not_pass() -> None:
    form = Form("plain", [Row(0, 0xD7FF, (0, 0xD7FF)), Row(0xE000, 0x10FFFF, (0xE000, 0x10FFFF))], unit_bits=32)
    with pytest.raises(eightfold.EncodeError):
        eightfold.encode("\ud800", form, "surrogatepass")
    with pytest.raises(eightfold.DecodeError):
        eightfold.decode((0xD800).to_bytes(4, form.byte_order), form, "surrogatepass")


@pytest.mark.parametrize("policy", ["replace", "ignore", "surrogatepass", "backslashreplace"])
@pytest.mark.parametrize("bits", [16, 32])
@padded
def test_wide_forms_that_join_pairs(bits: Any, policy: Any, padding: str) -> None:
    name = "utf-16-be" if bits == 16 else "utf-32-be"
    known = eightfold.form(name)
    form = Form("joins", known.rows, names=known.names, unit_bits=bits, joins_pairs=True, byte_order="big")
    for more in ("", "\udc80"):
        expected = eightfold.encode(f"{padding}\U0001f600{more}", known, policy)
        assert eightfold.encode(f"{padding}\ud83d\ude00{more}", form, policy) == expected


def test_wide_surrogates_with_a_row_join_too() -> None:
    form = Form("joins", [Row(0, 0x10FFFF, (0, 0x10FFFF))], unit_bits=32, joins_pairs=True, byte_order="big")
    assert eightfold.encode("\ud83d\ude00", form) == b"\0\x01\xf6\0"


# --- faults -----------------------------------------------------------------------------------------------------------


def test_a_name_that_no_row_begins_is_counted_as_it_is_found() -> None:
    rows = [ASCII, Row(0xE000, 0xFFFF, (0xEE, 0xEF), TAIL, TAIL)]
    form = Form("named", rows, names=[fault_row("overlong", (0x4C, 0xED), (0x80, 0xF4))])
    for data in (b"\xa8\xef\x80", b"\xa8\xef\x80\x80", b"\xa8\xef"):
        kinds = [fault.kind for fault in eightfold.faults(data, form)]
        assert eightfold.tally(data, form) == {kind: kinds.count(kind) for kind in kinds}


@pytest.mark.parametrize("cut", range(6))
def test_a_fault_is_certain_only_when_all_of_its_units_are(cut: int) -> None:
    """The fault with a name of four units ends before C2 where A5 does not make it a sequence that reaches further."""
    rows = [Row(0xE000, 0x18F7F, TAIL, (0x80, 0xF4), (0xA0, 0xA5))]
    form = Form("named", rows, names=[fault_row("reserved", (0x00, 0xC2), TAIL, TAIL, (0x80, 0xFF))])
    data = b"a\x81\x9b\xb2\xc2"
    expected = [(fault.kind, fault.start, fault.end) for fault in eightfold.faults(data, form)]
    checker = eightfold.Checker(form)
    found = checker.check(data[:cut]) + checker.check(data[cut:], final=True)
    assert [(each.fault.kind, each.fault.start, each.fault.end) for each in found] == expected


@pytest.mark.parametrize(("policy", "data"), [("surrogatepass", b"\0\0\xd8a\0\0\xe0\0"), ("surrogateescape", b"\xd8a")])
def test_the_fault_of_a_unit_behind_one_that_was_answered(policy: Any, data: bytes) -> None:
    """What is said of the second unit of a fault is that fault, whoever answered the first."""
    known = fault_row("surrogate", SURROGATES, meant=SURROGATES)
    forms = {
        "surrogatepass": Form(
            "named",
            [Row(0xE001, 0x10FFFF, (0xE001, 0x10FFFF))],
            unit_bits=32,
            names=[fault_row("reserved", SURROGATES, 0xE000), known],
            byte_order="big",
        ),
        "surrogateescape": Form("named", [Row(0, 0x60, (0, 0x60))], names=[fault_row("reserved", 0xD8, 0x61)]),
    }
    with pytest.raises(eightfold.DecodeError) as caught:
        eightfold.decode(data, forms[policy], policy)
    assert caught.value.start > 0
    assert caught.value.fault is not None
    assert (caught.value.fault.kind, caught.value.fault.start, caught.value.fault.end) == ("reserved", 0, len(data))


@pytest.mark.parametrize("name", ["utf-8", "cesu-8", "wtf-8"])
def test_a_second_byte_need_not_belong_to_the_fault_before_it(name: str) -> None:
    """Without names of faults, E0 80 80 are three of them; with names it may be one."""
    form = Form("unnamed", eightfold.form(name).rows)
    seconds = 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF
    faults = [
        bytes([lead, second]) + b"\x80" * more + b"a"
        for lead in range(0xC0, 0x100)
        for second in seconds
        for more in range(5)
    ]
    # A long input is counted in blocks.
    data = b"".join(faults) * 4
    assert eightfold.tally(data, form) == Counter(fault.kind for fault in eightfold.faults(data, form))


@padded
def test_what_is_behind_a_noted_fault_and_was_not_measured_is_not_written(padding: str) -> None:
    """ED begins a sequence, and is a unit by itself too: the core stops measuring there, though a run could begin."""
    cesu = eightfold.form("cesu-8")
    form = Form("cesu", cesu.rows, units=[*cesu.units, fault_row("surrogate", (0xED, 0xEE))], names=cesu.names)
    expected = "\\x80\ud01f\\xc1"
    assert text_of(b"\x80\xed\x80\x9f\xc1", form, "backslashreplace", padding) == expected
    found = eightfold.decode_code_points(b"\x80\xed\x80\x9f\xc1" + padding.encode(), form, "backslashreplace")
    assert found.tolist() == [*map(ord, expected), *map(ord, padding)]


def seconds_of_a_tally(rows: int, units: int) -> float:
    """Return how long it takes to count as many faults in a form of so many rows, of two units each."""
    form = Form("many", [Row(at, at, 4 * at, 4 * at + 1) for at in range(rows)], unit_bits=32, byte_order="little")
    pairs = [(4 * (at % rows), 4 * (at % rows) + 2) for at in range(units // 2)]
    data = b"".join(unit.to_bytes(4, "little") for pair in pairs for unit in pair)
    start = process_time()
    assert eightfold.tally(data, form) == {"truncated": units // 2, "invalid-byte": units // 2}
    return process_time() - start


@pytest.mark.skipif(eightfold.ENGINE != "native", reason="the reference compares each unit with each row")
def test_the_time_of_a_tally_does_not_grow_with_the_rows() -> None:
    """Were each unit compared with each row, it would take a hundred times as long."""
    few, many = (min(seconds_of_a_tally(rows, 100_000) for _ in range(2)) for rows in (50, 500))
    assert many < 20 * few


@pytest.mark.parametrize("kind", KINDS)
def test_a_sequence_may_have_any_kind(kind: Kind) -> None:
    form = Form("named", [ASCII], names=[fault_row(kind, 0xC0)])
    assert [fault.kind for fault in eightfold.faults(b"a\xc0", form)] == [kind]
    assert eightfold.tally(b"a\xc0", form) == {kind: 1}


@pytest.mark.parametrize("order", ["little", "big"])
def test_pairs_are_joined_though_the_first_one_looks_like_its_halves(order: Any) -> None:
    leads, trails = [(0xD800, 0xD800), (0xDBFF, 0xDBFF), (0xD801, 0xDBFE)], (0xDC00, 0xDFFF)
    rows, first = [Row(0, 0xFFFF, (0, 0xFFFF))], 0x10000
    for low, high in leads:
        count = 0x400 * (high - low + 1)
        rows.append(Row(first, first + count - 1, (low, high), trails))
        first += count
    form = Form("own", rows, unit_bits=16, byte_order=order, longest_match=True, joins_pairs=True)
    expected = eightfold.encode("\U0001f600", form)
    text = "\ud83d\ude00"
    data = text.encode("utf-8", "surrogatepass")
    encoder, converter = Encoder(form), eightfold.Converter("generalized-utf-8", form)
    assert [encoder.encode(half) for half in text] == [b"", expected]
    assert [converter.convert(half) for half in (data[:3], data[3:])] == [b"", expected]
    assert eightfold.convert(data, "generalized-utf-8", form) == eightfold.encode(text, form) == expected
    assert eightfold.encode_code_points(map(ord, text), form) == expected


# --- policies that a user's form declares -----------------------------------------------------------------------------

LATIN = Form("latin", [Row(0, 0xFF, (0, 0xFF))])


def test_a_conversion_takes_a_policy_that_only_one_end_declares() -> None:
    declaring = Form("declaring", [ASCII], variants=[Variant("as-latin", LATIN)])
    assert eightfold.decode(b"a\xe9", declaring, "as-latin") == "a\xe9"
    assert eightfold.convert(b"a\xe9", declaring, "utf-8", "as-latin") == b"a\xc3\xa9"
    assert eightfold.convert(b"a\xc3\xa9", "utf-8", declaring, "as-latin") == b"a\xe9"
    assert eightfold.Converter("utf-8", declaring, "as-latin").convert(b"a\xc3\xa9") == b"a\xe9"
    with pytest.raises(eightfold.ConversionError):  # At the other end it is strict.
        eightfold.convert(b"a\xff", "utf-8", declaring, "as-latin")
    with pytest.raises(LookupError):
        eightfold.convert(b"a", "utf-8", "wtf-8", "as-latin")


@pytest.mark.parametrize("count", [1, 70, 5000])
def test_a_form_is_written_as_its_first_signature_announces_even_without_a_mark(count: int) -> None:
    text = "\ud83dx" * count
    strict = Form("strict", eightfold.form("wtf-8").rows, signatures=[Signature(b"", eightfold.form("utf-8"))])
    assert not eightfold.is_encodable(text, strict)
    with pytest.raises(eightfold.EncodeError):
        eightfold.encode(text, strict)
    lenient = Form("lenient", eightfold.form("utf-8").rows, signatures=[Signature(b"", eightfold.form("wtf-8"))])
    assert eightfold.is_encodable(text, lenient)
    assert eightfold.encode(text, lenient) == eightfold.encode(text, "wtf-8")


@pytest.mark.parametrize(
    ("data", "start"), [(b"<<a\xff", 3), (b">>a\xff", 1), (b"a\xff", 1), (b"a\xff>>", 1)], ids=ascii
)
def test_each_signature_says_whether_offsets_include_its_mark(data: bytes, start: int) -> None:
    plain = Form("plain", [ASCII])
    form = Form("own", [ASCII], signatures=[Signature(b"<<", plain), Signature(b">>", plain, counted=False)])
    verbs = eightfold.decode, eightfold.decode_code_points, lambda data, form: Decoder(form).decode(data, final=True)
    for verb in verbs:
        with pytest.raises(eightfold.DecodeError) as raised:
            verb(data, form)
        assert (raised.value.start, raised.value.end) == (start, start + 1)
        assert raised.value.object[raised.value.start :].startswith(b"\xff")


@pytest.mark.parametrize("policy", ["replace", "ignore", "backslashreplace", "surrogateescape", "surrogatepass"])
def test_a_variant_named_as_a_policy_of_python_is_strict_on_its_own_rows(policy: str) -> None:
    own = Form("own", [ASCII], variants=[Variant(policy, Form("inner", [ASCII]))])
    for verb in (eightfold.decode, eightfold.decode_code_points):
        with pytest.raises(eightfold.DecodeError):
            verb(b"a\xff", own, policy)
    with pytest.raises(eightfold.ConversionError):
        eightfold.convert(b"a\xff", own, "utf-8", policy)
    with pytest.raises(eightfold.ConversionError):
        eightfold.convert(b"a\xc3\xa9", "utf-8", own, policy)
    with pytest.raises(eightfold.DecodeError):
        Decoder(own, policy).decode(b"a\xff", True)
    if policy in ("replace", "ignore"):
        for point in (0xE9, 0x11_0000):
            with pytest.raises(eightfold.ConversionError):
                eightfold.encode_code_points([97, point], own, policy)
