"""Corrected UTF-8: its table at every boundary, its magic number, reserved sequences, and the rules for documents.

The outsider is the table's own arithmetic, raw bits plus offset, which nothing in the package uses.
"""

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import Fault, corrected
from eightfold.corrected import DOCUMENT, MAGIC, Linter, lint
from eightfold.stream import Checker, Decoder, Encoder
from support.byte_classes import strings

FORM = "corrected-utf-8"
SIGNED = "corrected-utf-8-sig"

# First and last bytes, offset, first and last code point: the table of the document.
TABLE = [
    ("00", "7F", 0, 0x0, 0x7F),
    ("C0 80", "DF BF", 160, 0xA0, 0x89F),
    ("E0 80 80", "EC BD 9F", 2208, 0x8A0, 0xD7FF),
    ("EC BD A0", "EF BF BF", 4256, 0xE000, 0x1109F),
    ("F0 80 80 80", "F7 BF BF BF", 69792, 0x110A0, 0x21109F),
    ("F8 80 80 80 80", "FB BF BF BF BF", 2166944, 0x2110A0, 0x421109F),
    ("FC 80 80 80 80 80", "FD BF BF BF BF BF", 69275808, 0x42110A0, 0x8421109F),
]
LEADS = {1: 0x00, 2: 0xC0, 3: 0xE0, 4: 0xF0, 5: 0xF8, 6: 0xFC}
LARGEST = 0x8421109F


def by_the_table(point: int) -> bytes:
    """Return the bytes of a code point: UTF-8's layout of its raw bits."""
    first_bytes, _, offset, _, _ = next(line for line in TABLE if line[3] <= point <= line[4])
    length = len(bytes.fromhex(first_bytes))
    raw = point - offset
    tail = []
    for _ in range(length - 1):
        tail.append(0x80 | raw & 0x3F)
        raw >>= 6
    return bytes([LEADS[length] | raw, *reversed(tail)])


encodable = st.one_of(
    st.sampled_from([point for line in TABLE for point in line[3:]]),
    *(st.integers(first, last) for _, _, _, first, last in TABLE),
)
in_str = encodable.filter(lambda point: point <= 0x10FFFF).map(chr)


class TestTable:
    @pytest.mark.parametrize(("first_bytes", "last_bytes", "offset", "first", "last"), TABLE)
    def test_boundaries(self, first_bytes, last_bytes, offset, first, last):
        for data, point in ((first_bytes, first), (last_bytes, last)):
            content = bytes.fromhex(data)
            assert by_the_table(point) == content
            assert list(eightfold.decode_code_points(content, FORM)) == [point]
            assert eightfold.encode_code_points([point], FORM) == content

    @pytest.mark.parametrize("line", TABLE)
    def test_one_code_point_inside_each_boundary(self, line):
        for point in (line[3] + 1, line[4] - 1):
            assert eightfold.encode_code_points([point], FORM) == by_the_table(point)
            assert list(eightfold.decode_code_points(by_the_table(point), FORM)) == [point]

    @pytest.mark.parametrize(
        ("data", "point"), [("C0 AF", 0xCF), ("ED B2 AE", 0xED4E), ("EF B7 9D", 0x10E7D), ("EE BD A0", 0x10000)]
    )
    def test_checks_of_the_document(self, data, point):
        assert eightfold.decode(bytes.fromhex(data), FORM) == chr(point)
        assert eightfold.encode(chr(point), FORM) == bytes.fromhex(data)

    @given(st.lists(encodable))
    def test_equals_the_arithmetic_of_the_table(self, points):
        data = b"".join(map(by_the_table, points))
        assert eightfold.encode_code_points(points, FORM) == data
        assert list(eightfold.decode_code_points(data, FORM)) == points

    @pytest.mark.parametrize(
        ("lead", "length"), [(0xC0, 2), (0xE0, 3), (0xEC, 3), (0xED, 3), (0xF0, 4), (0xF7, 4), (0xF8, 5), (0xFD, 6)]
    )
    def test_a_lead_byte_and_its_continuation_bytes_are_well_formed(self, lead, length):
        for second in (0x80, 0x9F, 0xA0, 0xBC, 0xBD, 0xBE, 0xBF):
            data = bytes([lead, second] + [0xBF] * (length - 2))
            assert eightfold.is_well_formed(data, FORM)
            assert not eightfold.is_well_formed(data[:-1], FORM)
            assert not eightfold.is_well_formed(data + b"\x80", FORM)

    def test_the_lowest_bytes_of_each_length_are_no_overlong_form(self):
        lowest = [bytes([lead, *[0x80] * (length - 1)]) for length, lead in LEADS.items()]
        points = [point for data in lowest for point in eightfold.decode_code_points(data, FORM)]
        assert points == [0x0, 0xA0, 0x8A0, 0x110A0, 0x2110A0, 0x42110A0]


class TestIllFormed:
    @pytest.mark.parametrize("byte", [0x80, 0xBF])
    def test_a_stray_continuation_byte(self, byte):
        (fault,) = eightfold.faults(b"a" + bytes([byte]) + b"b", FORM)
        assert (fault.kind, fault.start, fault.end) == ("unexpected-continuation", 1, 2)

    @pytest.mark.parametrize("line", TABLE[1:])
    def test_a_sequence_cut_short(self, line):
        whole = bytes.fromhex(line[0])
        for length in range(1, len(whole)):
            for rest in (b"", b"a", b"\xc0\x80", b"\xfe"):
                fault = next(eightfold.faults(b"a" + whole[:length] + rest, FORM))
                assert (fault.kind, fault.start, fault.end) == ("truncated", 1, 1 + length)
                assert fault.at_end == (rest == b"")

    @pytest.mark.parametrize("text", ["\x80", "\x9f"])
    def test_c1_controls_have_no_encoding(self, text):
        assert [(fault.start, fault.end, fault.kind) for fault in eightfold.encode_faults(f"a{text}b", FORM)] == [
            (1, 2, "unrepresentable")
        ]

    @pytest.mark.parametrize("point", [0xD800, 0xDBFF, 0xDC00, 0xDFFF])
    def test_surrogates_have_no_encoding(self, point):
        with pytest.raises(eightfold.EncodeError) as raised:
            eightfold.encode("a" + chr(point), FORM)
        assert (raised.value.start, raised.value.end) == (1, 2)

    def test_a_pair_has_none_either(self):
        assert not eightfold.is_encodable("\ud83d\ude00", FORM)

    @pytest.mark.parametrize("point", [0x80, 0x9F, 0xD800, 0xDFFF, LARGEST + 1])
    def test_code_points_without_an_encoding(self, point):
        with pytest.raises(eightfold.ConversionError) as raised:
            eightfold.encode_code_points([0x41, point], FORM)
        assert (raised.value.start, raised.value.fault.kind) == (1, "unrepresentable")

    @pytest.mark.parametrize("point", [0x110000, 0x21109F, 0x2110A0, 0x42110A0, LARGEST])
    def test_above_unicode_a_str_cannot_hold_it(self, point):
        data = by_the_table(point)
        assert eightfold.is_well_formed(data, FORM)
        with pytest.raises(eightfold.DecodeError) as raised:
            eightfold.decode(b"a" + data, FORM)
        assert (raised.value.start, raised.value.end) == (1, 1 + len(data))
        assert (raised.value.fault.kind, raised.value.fault.code_point) == ("unrepresentable", point)
        assert eightfold.decode(b"a" + data, FORM, "replace") == "a\ufffd"


class TestReserved:
    @pytest.mark.parametrize(
        ("run", "rest"),
        [
            ("FE", ""),
            ("FF", ""),
            ("FE 80 BF", ""),
            ("FF FE 80 FF BF", ""),
            ("FE", "00"),
            ("FE 80 80 80 80 80 80", "7F"),
            ("FE 80 FF", "C0 80"),
            ("FF BF", "FD BF BF BF BF BF"),
        ],
    )
    def test_it_reaches_to_the_next_lead_byte_or_the_end(self, run, rest):
        reserved, following = bytes.fromhex(run), bytes.fromhex(rest)
        data = b"a" + reserved + following
        (fault,) = eightfold.faults(data, FORM)
        assert (fault.kind, fault.start, fault.end, fault.units) == ("reserved", 1, 1 + len(reserved), reserved)
        points = [point if point <= 0x10FFFF else 0xFFFD for point in eightfold.decode_code_points(following, FORM)]
        assert eightfold.decode(data, FORM, "replace") == "a\ufffd" + "".join(map(chr, points))

    def test_it_is_called_reserved_and_never_invalid(self):
        with pytest.raises(eightfold.DecodeError, match="reserved for future use") as raised:
            eightfold.decode(b"\xfe\x80\x80\x80\x80\x80\x80", FORM)
        assert (raised.value.start, raised.value.end) == (0, 7)
        assert "invalid" not in str(raised.value)
        assert raised.value.fault.code_point is None

    def test_it_keeps_64_bytes_and_its_exact_span(self):
        (fault,) = eightfold.faults(b"\xfe" + b"\x80" * 999 + b"a", FORM)
        assert (fault.start, fault.end, len(fault.units)) == (0, 1000, 64)
        assert str(fault).endswith("80 ... is reserved for future use")

    @pytest.mark.parametrize("alignment", range(0, 64, 9))
    def test_it_is_one_fault_of_any_length_and_cut_anywhere(self, alignment):
        draw = Random(alignment)
        for length in range(1, 301):
            start = alignment + draw.choice([0, 64])
            reserved = draw.choice([b"\xfe", b"\xff"]) + bytes(draw.choices(b"\x80\xbf\xfe\xff", k=length - 1))
            tail = draw.choice([b"", b"b", b"b" * 80])
            data, text = b"a" * start + reserved + tail, "a" * start + "\ufffd" + tail.decode()
            assert eightfold.decode(data, FORM, "replace") == text
            assert eightfold.convert(data, FORM, "utf-8", "ignore") == b"a" * start + tail
            assert eightfold.tally(data, FORM) == {"reserved": 1}
            cut = draw.choice([start, start + 1, start + length, draw.randint(0, len(data))])
            decoder, checker = Decoder(FORM, "replace"), Checker(FORM)
            assert decoder.decode(data[:cut]) + decoder.decode(data[cut:], final=True) == text
            ((fault, line, column),) = checker.check(data[:cut]) + checker.check(data[cut:], final=True)
            assert (fault.start, fault.end, fault.units, line) == (start, start + length, reserved[:64], 1)
            assert column == start + 1

    def test_streams_carry_a_flag_and_no_bytes(self):
        decoder = Decoder(FORM, "replace")
        text = decoder.decode(b"a\xfe")
        for _ in range(100):
            text += decoder.decode(b"\x80\xff")
            assert decoder.getstate()[0] == b""
        assert text + decoder.decode(b"b", final=True) == "a\ufffdb"


class TestMagicNumber:
    def test_its_bytes_and_code_points(self):
        assert bytes.fromhex("EF B7 9D ED B2 AE 00 0A") == MAGIC
        assert eightfold.decode(MAGIC, FORM) == "\U00010e7d\ued4e\0\n"
        assert eightfold.decode(MAGIC, "wtf-8") == "\ufddd\udcae\0\n"

    def test_the_plain_form_neither_writes_nor_strips_it(self):
        assert eightfold.encode("a", FORM) == b"a"
        assert eightfold.decode(MAGIC + b"a", FORM) == "\U00010e7d\ued4e\0\na"

    def test_the_signed_form_writes_and_strips_it_once(self):
        assert eightfold.encode("a", SIGNED) == MAGIC + b"a"
        assert eightfold.encode("", SIGNED) == MAGIC
        assert eightfold.decode(MAGIC + b"a", SIGNED) == "a"
        assert eightfold.decode(b"a", SIGNED) == "a"
        assert eightfold.decode(MAGIC + MAGIC, SIGNED) == eightfold.decode(MAGIC, FORM)
        assert eightfold.decode(b"a" + MAGIC, SIGNED) == "a" + eightfold.decode(MAGIC, FORM)

    @pytest.mark.parametrize("length", range(1, len(MAGIC)))
    def test_part_of_it_is_text(self, length):
        part = MAGIC[:length]
        assert eightfold.decode(part, SIGNED, "replace") == eightfold.decode(part, FORM, "replace")

    def test_offsets_count_from_the_first_byte(self):
        with pytest.raises(eightfold.DecodeError) as raised:
            eightfold.decode(MAGIC + b"a\xff", SIGNED)
        assert (raised.value.start, raised.value.end) == (9, 10)
        assert [fault.start for fault in eightfold.faults(MAGIC + b"a\xff", SIGNED)] == [9]

    @pytest.mark.parametrize("cut", range(len(MAGIC) + 2))
    def test_streams_see_it_at_every_split(self, cut):
        data, decoder = MAGIC + b"a", Decoder(SIGNED)
        assert decoder.decode(data[:cut]) + decoder.decode(data[cut:], final=True) == "a"

    def test_encoder_state_0_means_that_none_is_due(self):
        encoder = Encoder(SIGNED)
        encoder.setstate(0)
        assert encoder.encode("a", final=True) == b"a"
        encoder.reset()
        assert encoder.getstate() != 0
        assert encoder.encode("a", final=True) == MAGIC + b"a"


class TestPrivateUse:
    MAPPED = (
        *((0x80 + index, 0x10EF80 + index) for index in range(0x20)),
        *((0xD800 + index, 0x10F000 + index) for index in range(0x800)),
    )

    def test_every_c1_control_and_surrogate(self):
        for point, private in self.MAPPED:
            data = eightfold.encode(chr(point), FORM, "private-use")
            assert data == by_the_table(private)
            assert eightfold.decode(data, FORM, "private-use") == chr(point)
            assert eightfold.decode(data, FORM) == chr(private)

    @pytest.mark.parametrize("private", [0x10EF80, 0x10EF9F, 0x10F000, 0x10F7FF])
    def test_a_text_that_holds_one_of_these_is_refused(self, private):
        with pytest.raises(eightfold.EncodeError) as raised:
            eightfold.encode("a" + chr(private), FORM, "private-use")
        assert (raised.value.start, raised.value.end) == (1, 2)

    @pytest.mark.parametrize(
        "neighbour", [0x7F, 0xA0, 0xD7FF, 0xE000, 0x10EF7F, 0x10EFA0, 0x10EFFF, 0x10F800, 0x10FFFF]
    )
    def test_neighbours_are_as_ever(self, neighbour):
        data = by_the_table(neighbour)
        assert eightfold.encode(chr(neighbour), FORM, "private-use") == data
        assert eightfold.decode(data, FORM, "private-use") == chr(neighbour)

    def test_a_pair_is_mapped_one_by_one(self):
        data = eightfold.encode("\ud83d\ude00", FORM, "private-use")
        assert eightfold.decode(data, FORM) == "\U0010f03d\U0010f600"
        assert eightfold.decode(data, FORM, "private-use") == "\ud83d\ude00"

    @given(st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from([chr(b) for _, b in MAPPED]))))
    def test_exact_or_refused(self, text):
        try:
            data = eightfold.encode(text, FORM, "private-use")
        except eightfold.EncodeError:
            assert any(chr(private) in text for _, private in self.MAPPED)
        else:
            assert eightfold.decode(data, FORM, "private-use") == text

    @pytest.mark.parametrize("data", [b"\x80", b"\xc0", b"\xfe\x80"])
    def test_ill_formed_is_ill_formed(self, data):
        with pytest.raises(eightfold.DecodeError):
            eightfold.decode(data, FORM, "private-use")


def told(faults) -> list[tuple[int, int, str, str]]:
    return [(fault.start, fault.end, fault.kind, fault.severity) for fault in faults]


def by_the_rules(text: str) -> list[tuple[int, int, str, str]]:
    """Return what is wrong with a document of this text, magic number first."""
    wrong, at = [], len(MAGIC)
    for character in text:
        end = at + len(by_the_table(ord(character)))
        if character == "\0":
            wrong.append((at, end, "raw-nul", "error"))
        elif character in "\r\u2028\u2029":
            wrong.append((at, end, "line-terminator", "warning"))
        elif character < " " and character != "\n":
            wrong.append((at, end, "control", "warning"))
        at = end
    return wrong if not text or text.endswith("\n") else [*wrong, (at, at, "no-final-newline", "warning")]


documents = st.text(st.one_of(in_str, st.sampled_from("\0\t\n\r\x1f\x7f\u2027\u2028\u2029\u202a")))
bytes_of_documents = st.lists(
    st.one_of(
        *(documents.map(lambda text: b"".join(by_the_table(ord(each)) for each in text)),),
        *(st.binary(max_size=6), st.sampled_from([MAGIC, MAGIC[:5], b"\xfe\x80\xff", b"\xe1\x9e", b"\n"])),
    )
).map(b"".join)


class TestDocument:
    @pytest.mark.parametrize("text", ["", "\n", "one\n", "one\n\ntwo\n", "\x7f\n", "\U0010ffff\n", "\u2027\u202a\n"])
    def test_nothing_is_wrong(self, text):
        assert list(lint(eightfold.encode(text, SIGNED))) == []

    def test_u_0000_is_an_error(self):
        (fault,) = lint(MAGIC + b"a\0\n")
        assert told([fault]) == [(9, 10, "raw-nul", "error")]
        assert (fault.form, fault.units, fault.code_point) == (FORM, b"\0", 0)
        assert str(fault) == "U+0000 must not occur in a document outside its magic number"

    def test_u_0000_of_a_second_magic_number_is_one(self):
        assert told(lint(MAGIC + MAGIC)) == [(14, 15, "raw-nul", "error")]
        assert told(lint(b"\n" + MAGIC)) == [(0, 0, "no-signature", "warning"), (7, 8, "raw-nul", "error")]

    @pytest.mark.parametrize("point", [point for point in range(0x1, 0x20) if point not in (0xA, 0xD)])
    def test_other_c0_controls_are_warnings(self, point):
        (fault,) = lint(MAGIC + b"a" + bytes([point]) + b"\n")
        assert told([fault]) == [(9, 10, "control", "warning")]
        assert (fault.code_point, fault.units) == (point, bytes([point]))
        assert str(fault) == f"control character U+{point:04X} should not be in a document"

    @pytest.mark.parametrize(("character", "length"), [("\r", 1), ("\u2028", 3), ("\u2029", 3)])
    def test_other_line_terminators_are_warnings(self, character, length):
        (fault,) = lint(eightfold.encode(f"a{character}b\n", SIGNED))
        assert told([fault]) == [(9, 9 + length, "line-terminator", "warning")]
        assert (fault.code_point, fault.units) == (ord(character), by_the_table(ord(character)))
        assert str(fault) == f"U+{ord(character):04X} should not be in a document: lines end in U+000A"

    def test_each_one_has_its_place(self):
        assert told(lint(MAGIC + b"a\r\nb\r\n")) == [
            (9, 10, "line-terminator", "warning"),
            (12, 13, "line-terminator", "warning"),
        ]

    def test_no_newline_at_the_end_has_an_empty_span_there(self):
        (fault,) = lint(MAGIC + b"a")
        assert told([fault]) == [(9, 9, "no-final-newline", "warning")]
        assert (fault.units, fault.code_point) == (b"", None)
        assert told(lint(MAGIC + b"a\n\xff"))[-1] == (11, 11, "no-final-newline", "warning")

    def test_no_magic_number_has_an_empty_span_at_the_start(self):
        (fault,) = lint(b"a\n")
        assert told([fault]) == [(0, 0, "no-signature", "warning")]
        assert str(fault) == "a document should begin with the magic number of corrected-utf-8"

    def test_a_document_of_no_bytes_has_no_magic_number_and_no_line(self):
        assert told(lint(b"")) == [(0, 0, "no-signature", "warning")]

    @pytest.mark.parametrize("length", range(1, len(MAGIC)))
    def test_part_of_the_magic_number_is_none(self, length):
        assert told(lint(MAGIC[:length]))[0] == (0, 0, "no-signature", "warning")
        assert told(lint(MAGIC[:length] + b"a\n"))[0] == (0, 0, "no-signature", "warning")

    @pytest.mark.parametrize(
        ("data", "kind", "span"),
        [
            (b"\x80\n", "unexpected-continuation", (8, 9)),
            (b"\xc0\n", "truncated", (8, 9)),
            (b"\xe1\x9e\n", "truncated", (8, 10)),
            (b"\xe1\r\n", "truncated", (8, 9)),
            (b"\xfe\x80\xff\n", "reserved", (8, 11)),
        ],
    )
    def test_ill_formed_sequences_are_errors(self, data, kind, span):
        assert told(lint(MAGIC + data))[0] == (*span, kind, "error")

    def test_everything_at_once_is_in_order_of_offset(self):
        assert told(lint(b"\0\x01\r\xe1\x9e\x88\xe1\x9e\xfe\x80\n\x80")) == [
            (0, 0, "no-signature", "warning"),
            (0, 1, "raw-nul", "error"),
            (1, 2, "control", "warning"),
            (2, 3, "line-terminator", "warning"),
            (3, 6, "line-terminator", "warning"),
            (6, 8, "truncated", "error"),
            (8, 10, "reserved", "error"),
            (11, 12, "unexpected-continuation", "error"),
            (12, 12, "no-final-newline", "warning"),
        ]

    def test_any_buffer_is_taken(self):
        data = MAGIC + b"a\0\n"
        assert told(lint(memoryview(b"-".join(bytes([byte]) for byte in data))[::2])) == told(lint(data))

    @given(documents)
    def test_well_formed_documents_by_the_rules(self, text):
        data = MAGIC + b"".join(by_the_table(ord(character)) for character in text)
        assert told(lint(data)) == by_the_rules(text)

    @given(bytes_of_documents)
    def test_ill_formed_sequences_are_those_of_the_form(self, data):
        errors = [fault for fault in lint(data) if fault.severity == "error" and fault.kind != "raw-nul"]
        assert [(fault.start, fault.end, fault.kind, fault.units, fault.at_end) for fault in errors] == [
            (fault.start, fault.end, fault.kind, fault.units, fault.at_end) for fault in eightfold.faults(data, SIGNED)
        ]

    def test_ill_formed_sequences_of_all_short_strings_are_those_of_the_form(self):
        for data in strings(DOCUMENT, 2):
            errors = [fault for fault in lint(data) if fault.severity == "error" and fault.kind != "raw-nul"]
            assert told(errors) == told(eightfold.faults(data, FORM))

    def test_the_form_of_documents_is_the_form_less_what_it_names(self):
        (document,) = (signature.form for signature in DOCUMENT.signatures)
        for point in (*range(0x80), *range(0x18A0, 0x28A1), *(edge for line in TABLE for edge in line[3:])):
            data = by_the_table(point)
            if (point < 0x20 and point != 0xA) or point in (0x2028, 0x2029):
                (fault,) = eightfold.faults(data, document)
                assert (fault.start, fault.end, fault.code_point) == (0, len(data), point)
            else:
                assert list(eightfold.decode_code_points(data, document)) == [point]


class TestLinter:
    @given(bytes_of_documents, st.data())
    def test_in_pieces_it_finds_the_same_at_the_same_places(self, data, draw):
        cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=4)))
        linter, found = Linter(), []
        for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
            found += linter.check(data[start:end])
        found += linter.check(b"", final=True)
        assert [each.fault for each in found] == list(lint(data))
        assert [(each.line, each.column) for each in found] == [eightfold.locate(data, each.fault) for each in found]

    @pytest.mark.parametrize(
        "data", [MAGIC + b"a\r\n", MAGIC[:7] + b"\n", MAGIC, b"", b"\xe1\x9e\x88", b"\xfe\x80\xff"]
    )
    def test_every_split(self, data):
        for one, other in product(range(len(data) + 1), repeat=2):
            first, second = sorted((one, other))
            linter = Linter()
            found = linter.check(data[:first]) + linter.check(data[first:second])
            assert [each.fault for each in found + linter.check(data[second:], final=True)] == list(lint(data))

    def test_what_is_certain_is_told_at_once(self):
        linter = Linter()
        assert linter.check(MAGIC[:7]) == []
        assert [each.fault.kind for each in linter.check(b"\t")] == ["no-signature", "raw-nul", "control"]


# --- documents written ------------------------------------------------------------------------------------------------


def test_a_document_is_written_with_its_magic_number_and_read_back() -> None:
    for text in ("", "one\n", "\u00a0 \U0001f600\r\n"):
        assert corrected.write_document(text) == eightfold.encode(text, SIGNED)
        assert eightfold.decode(corrected.write_document(text), SIGNED) == text


@pytest.mark.parametrize("errors", ["strict", "replace", "ignore", "private-use"])
def test_a_document_refuses_nul_under_every_policy(errors: str) -> None:
    with pytest.raises(eightfold.EncodeError, match=r"U\+0000 must not occur in a document") as caught:
        corrected.write_document("ab\0", errors)
    error = caught.value
    assert (error.start, error.end, error.object) == (2, 3, "ab\0")
    assert error.fault == Fault("raw-nul", "corrected-utf-8", 2, 3, b"", 0, "text")


def test_a_document_refuses_what_a_handler_writes() -> None:
    import codecs

    codecs.register_error("nul", lambda error: ("\0", error.end))
    with pytest.raises(ValueError, match="'nul' wrote U"):
        corrected.write_document("\x80", "nul")


def test_a_document_ends_lines_as_it_is_asked() -> None:
    text = "one\r\ntwo\rthree\u2028four\u2029five\n\nsix"
    assert corrected.write_document(text, end_lines=True) == MAGIC + b"one\ntwo\nthree\nfour\nfive\n\nsix"
    assert corrected.write_document("one", end_last_line=True) == MAGIC + b"one\n"
    assert corrected.write_document("one\n", end_last_line=True) == MAGIC + b"one\n"
    assert corrected.write_document("", end_last_line=True) == MAGIC
    assert list(lint(corrected.write_document(text, end_lines=True, end_last_line=True))) == []


def test_a_document_takes_policies_and_no_others() -> None:
    with pytest.raises(eightfold.EncodeError):
        corrected.write_document("\ud800")
    assert corrected.write_document("\ud800", "replace") == MAGIC + b"?"
    with pytest.raises(LookupError):
        corrected.write_document("", "no such policy")
    with pytest.raises(TypeError, match="must be a str"):
        corrected.write_document(b"")  # type: ignore[arg-type]


def test_a_document_holds_the_text_of_a_subclass() -> None:
    subclass = type("Holding", (str,), {"__contains__": lambda *_: True, "index": lambda *_: 0})
    assert corrected.write_document(subclass("ab")) == MAGIC + b"ab"
    with pytest.raises(eightfold.EncodeError) as refused:
        corrected.write_document(subclass("ab\0"))
    assert refused.value.start == 2
