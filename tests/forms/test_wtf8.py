"""WTF-8 sections 4 to 6.5, one by one. CPython's `surrogatepass` is the outsider."""

import mmap
import time
from array import array
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold.stream import Decoder
from eightfold.wtf8 import Wtf8, concat, from_code_units, replace_surrogates_in_place, to_code_units, to_utf8
from support.wtf_8 import JOINED, LEAD, NATIVE, PAIR, TRAIL, code_units, texts, through_code_units, wtf_8


class TestSection4PotentiallyIllFormedUtf16:
    @pytest.mark.parametrize(
        ("text", "units"),
        [
            ("\U00010000", "D800 DC00"),
            ("\U0010ffff", "DBFF DFFF"),
            ("\U0001f600", "D83D DE00"),
            ("\ud800", "D800"),
            ("\udfff", "DFFF"),
            ("\uffff\ud800\ud800", "FFFF D800 D800"),
            ("\udc00\ud800", "DC00 D800"),
        ],
    )
    def test_code_points_to_units_and_back(self, text, units):
        data = bytes.fromhex(units)
        assert eightfold.encode(text, "wtf-16-be") == data
        assert eightfold.decode(data, "wtf-16-be") == text

    def test_a_pair_in_a_str_is_joined_without_error(self):
        assert eightfold.encode("\ud83d\ude00", "wtf-16-be") == bytes.fromhex("D83D DE00")
        assert eightfold.decode(bytes.fromhex("D83D DE00"), "wtf-16-be") == "\U0001f600"

    @pytest.mark.parametrize(
        ("units", "points"),
        [
            ("D800 D800 DC00", [0xD800, 0x10000]),
            ("D800", [0xD800]),
            ("0041 DBFF", [0x41, 0xDBFF]),
            ("DC00 D800 DC00 DC00", [0xDC00, 0x10000, 0xDC00]),
            ("DBFF DBFF DFFF DFFF", [0xDBFF, 0x10FFFF, 0xDFFF]),
        ],
    )
    def test_a_lead_is_joined_with_the_trail_that_follows_it_only(self, units, points):
        assert list(eightfold.decode_code_points(bytes.fromhex(units), "wtf-16-be")) == points

    def test_decoding_fails_for_an_odd_length_only(self):
        with pytest.raises(eightfold.DecodeError) as raised:
            eightfold.decode(b"\xd8\x00\xdc", "wtf-16-be")
        assert (raised.value.start, raised.value.end, raised.value.fault.kind) == (2, 3, "odd-length")

    @given(st.lists(st.integers(0, 0xFFFF)))
    def test_every_sequence_of_units_decodes_as_in_cpython(self, units):
        data = array("H", units).tobytes()
        assert eightfold.decode(data, f"wtf-16-{NATIVE}") == data.decode(f"utf-16-{NATIVE}", "surrogatepass")

    def test_schemes(self):
        assert eightfold.decode(b"\xfe\xff\xd8\x00", "wtf-16") == "\ud800"
        assert eightfold.decode(b"\xff\xfe\x00\xd8", "wtf-16") == "\ud800"
        assert eightfold.decode(b"\xfe\xff\xd8\x00", "wtf-16-be") == "\ufeff\ud800"
        assert eightfold.encode("\ud800", "wtf-16") == "\ufeff\ud800".encode(f"utf-16-{NATIVE}", "surrogatepass")


class TestSection5GeneralizedUtf8:
    @pytest.mark.parametrize("points", [[0xD83D], [0xDE00], [0xD83D, 0xDE00], [0x1F600]])
    def test_every_code_point_is_written_as_itself(self, points):
        text = "".join(map(chr, points))
        assert eightfold.encode(text, "generalized-utf-8") == text.encode("utf-8", "surrogatepass")
        assert eightfold.decode(text.encode("utf-8", "surrogatepass"), "generalized-utf-8") == text


class TestSection6:
    @given(texts)
    def test_well_formed_is_generalized_utf_8_without_pairs(self, text):
        generalized = text.encode("utf-8", "surrogatepass")
        assert eightfold.is_well_formed(generalized, "generalized-utf-8")
        assert eightfold.is_well_formed(generalized, "wtf-8") == (through_code_units(text) == text)

    @given(st.binary(max_size=12))
    def test_it_lies_between_utf_8_and_generalized_utf_8(self, data):
        verdicts = [eightfold.is_well_formed(data, form) for form in ("utf-8", "wtf-8", "generalized-utf-8")]
        assert verdicts == sorted(verdicts)

    def test_not_cesu_8(self):
        assert not eightfold.is_well_formed(PAIR, "wtf-8")
        assert not eightfold.is_well_formed(LEAD, "cesu-8")


class TestSection61Encoding:
    @pytest.mark.parametrize(
        ("text", "data"),
        [
            ("\ud83d\ude00", JOINED),
            ("\ud83d", LEAD),
            ("\ude00\ud83d", TRAIL + LEAD),
            ("\ud83d\ud83d\ude00\ude00", LEAD + JOINED + TRAIL),
            ("\ud800\udc00", b"\xf0\x90\x80\x80"),
            ("\udbff\udfff", b"\xf4\x8f\xbf\xbf"),
        ],
    )
    def test_pairs_are_joined_first(self, text, data):
        assert eightfold.encode(text, "wtf-8") == data

    @given(texts)
    def test_equals_cpython_by_way_of_utf_16(self, text):
        assert eightfold.encode(text, "wtf-8") == wtf_8(text)

    @given(texts)
    def test_equals_each_code_point_alone_concatenated(self, text):
        assert concat(eightfold.encode(point, "wtf-8") for point in text) == eightfold.encode(text, "wtf-8")


class TestSection62Decoding:
    @given(texts)
    def test_round_trip(self, text):
        assert eightfold.decode(wtf_8(text), "wtf-8") == through_code_units(text)

    def test_a_pair_byte_sequence_is_one_unit_of_six_bytes(self):
        with pytest.raises(eightfold.DecodeError) as raised:
            eightfold.decode(b"a" + PAIR, "wtf-8")
        error = raised.value
        assert (error.start, error.end) == (error.fault.start, error.fault.end) == (1, 7)
        assert (error.fault.kind, error.fault.code_point) == ("surrogate-pair", 0x1F600)
        assert eightfold.decode(b"a" + PAIR, "wtf-8", "replace") == "a\ufffd"

    @pytest.mark.parametrize(
        ("data", "replaced"),
        [
            ("ED A0 80 ED B0 41", "\ud800\ufffdA"),
            ("ED A0 80 ED A0 80 ED B0 80", "\ud800\ufffd"),
            ("ED A0 80 ED B0 80 ED B0 80", "\ufffd\udc00"),
            ("ED A0 80 ED 9F BF", "\ud800\ud7ff"),
            ("ED A0 80 ED B0", "\ud800\ufffd"),
        ],
    )
    def test_the_pair_rule_looks_at_six_complete_bytes(self, data, replaced):
        assert eightfold.decode(bytes.fromhex(data), "wtf-8", "replace") == replaced

    @pytest.mark.parametrize("data", [b"a" + PAIR + b"b", LEAD + LEAD + b"a", LEAD + PAIR, LEAD + JOINED])
    def test_streaming_holds_at_most_five_bytes_and_sees_a_pair_at_every_split(self, data):
        whole = eightfold.decode(data, "wtf-8", "replace")
        for cut, other in product(range(len(data) + 1), repeat=2):
            decoder = Decoder("wtf-8", "replace")
            pieces = (data[: min(cut, other)], data[min(cut, other) : max(cut, other)], data[max(cut, other) :])
            text = ""
            for piece in pieces:
                text += decoder.decode(piece)
                assert len(decoder.getstate()[0]) <= 5
            assert text + decoder.decode(b"", final=True) == whole


class TestSection63CodeUnits:
    @given(st.lists(st.integers(0, 0xFFFF)))
    def test_every_sequence_of_units_comes_back(self, units):
        data = from_code_units(units)
        assert eightfold.is_well_formed(data, "wtf-8")
        assert to_code_units(data) == array("H", units)

    @given(texts)
    def test_equals_cpython(self, text):
        assert from_code_units(code_units(text)) == wtf_8(text)
        assert to_code_units(wtf_8(text)) == code_units(text)

    def test_the_array_has_typecode_h(self):
        assert to_code_units(b"").typecode == "H"

    def test_any_iterable_of_integers(self):
        assert from_code_units(iter([0xD83D, 0xDE00])) == from_code_units((0xD83D, 0xDE00)) == JOINED
        assert from_code_units(memoryview(array("H", [0xD83D, 0xDE00]))) == JOINED

    @pytest.mark.parametrize("unit", [-1, 0x10000])
    def test_an_integer_that_is_no_unit(self, unit):
        with pytest.raises(OverflowError):
            from_code_units([0x41, unit])

    @pytest.mark.parametrize("units", [b"a\0", bytearray(b"a\0"), memoryview(b"a\0"), "a", [1.0]])
    def test_what_is_no_unit_is_a_type_error(self, units):
        with pytest.raises(TypeError):
            from_code_units(units)

    @pytest.mark.parametrize("data", [b"\xff", PAIR, LEAD[:2]])
    def test_ill_formed_wtf_8(self, data):
        with pytest.raises(eightfold.DecodeError):
            to_code_units(data)


class TestSection64Utf8:
    @given(st.text())
    def test_of_utf_8_the_very_same_object_comes_back(self, text):
        data = text.encode()
        assert to_utf8(data) is data
        assert to_utf8(data, "replace") is data

    def test_any_buffer_is_taken(self):
        assert to_utf8(memoryview(b"a-b-")[::2]) == b"ab"
        assert to_utf8(bytearray(b"ab")) == b"ab"

    def test_strict_names_the_first_surrogate(self):
        with pytest.raises(eightfold.ConversionError) as raised:
            to_utf8(b"ab" + LEAD + b"c" + TRAIL)
        error = raised.value
        assert (error.start, error.end) == (error.fault.start, error.fault.end) == (2, 5)
        assert (error.fault.kind, error.fault.side, error.fault.code_point) == ("unrepresentable", "target", 0xD83D)

    @given(texts)
    def test_replace_keeps_the_length(self, text):
        data = wtf_8(text)
        replaced = to_utf8(data, "replace")
        assert len(replaced) == len(data)
        assert replaced.decode() == "".join(
            "\ufffd" if "\ud800" <= point <= "\udfff" else point for point in through_code_units(text)
        )

    @pytest.mark.parametrize("errors", ["strict", "replace"])
    @pytest.mark.parametrize(("data", "unit"), [(b"a" + PAIR, (1, 7)), (LEAD + b"\xff", (3, 4)), (b"\xc3", (0, 1))])
    def test_ill_formed_wtf_8_is_a_decode_error(self, data, unit, errors):
        with pytest.raises(eightfold.DecodeError) as raised:
            to_utf8(data, errors)
        assert (raised.value.start, raised.value.end) == unit

    @pytest.mark.parametrize("errors", ["ignore", "surrogatepass", "nonsense"])
    def test_no_other_policy(self, errors):
        with pytest.raises(ValueError, match=f"'{errors}'"):
            to_utf8(b"", errors)

    @given(texts)
    def test_in_place(self, text):
        data = wtf_8(text)
        buffer = bytearray(data)
        count = replace_surrogates_in_place(buffer)
        assert buffer == to_utf8(data, "replace")
        assert count == sum("\ud800" <= point <= "\udfff" for point in through_code_units(text))

    @pytest.mark.parametrize("data", [LEAD + PAIR, LEAD + b"\xff", LEAD + TRAIL[:2]])
    def test_in_place_writes_nothing_where_the_buffer_is_ill_formed(self, data):
        buffer = bytearray(data)
        with pytest.raises(eightfold.DecodeError):
            replace_surrogates_in_place(buffer)
        assert buffer == data

    @pytest.mark.parametrize("buffer", [LEAD, memoryview(LEAD), memoryview(bytearray(LEAD)).toreadonly()])
    def test_in_place_refuses_what_is_read_only(self, buffer):
        with pytest.raises(TypeError, match="read-only"):
            replace_surrogates_in_place(buffer)

    @pytest.mark.parametrize("typecode", ["b", "B", "H", "I"])
    def test_in_place_counts_bytes_whatever_the_items(self, typecode):
        buffer = array(typecode, b"a" + LEAD + TRAIL[:1] + b"\x9f\xbf" + b"b")
        assert replace_surrogates_in_place(buffer) == 1
        assert buffer.tobytes() == b"a\xef\xbf\xbd\xed\x9f\xbfb"

    def test_in_place_in_a_mapped_file(self, tmp_path):
        path = tmp_path / "text"
        path.write_bytes(b"a" + LEAD)
        with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            assert replace_surrogates_in_place(mapped) == 1
        assert path.read_bytes() == b"a\xef\xbf\xbd"

    def test_in_place_in_a_view_with_gaps(self):
        buffer = bytearray(b"-".join(bytes([byte]) for byte in b"a" + LEAD))
        assert replace_surrogates_in_place(memoryview(buffer)[::2]) == 1
        assert buffer == b"a-\xef-\xbf-\xbd"

    def test_in_place_refuses_gaps_between_larger_items(self):
        buffer = array("H", LEAD + b"a" + LEAD + b"a")
        with pytest.raises(TypeError, match="gaps"):
            replace_surrogates_in_place(memoryview(buffer)[::2])
        assert buffer == array("H", LEAD + b"a" + LEAD + b"a")

    def test_in_place_refuses_references_to_objects(self):
        numpy = pytest.importorskip("numpy", reason="no other array of objects says that its items are of this machine")
        with pytest.raises(TypeError, match="this ndarray holds references to objects"):
            replace_surrogates_in_place(numpy.array([None, "one"], dtype=object))

    def test_in_place_leaves_the_buffer_free_to_grow(self):
        buffer = bytearray(LEAD)
        replace_surrogates_in_place(buffer)
        buffer += b"!"
        with pytest.raises(eightfold.DecodeError) as raised:
            replace_surrogates_in_place(broken := bytearray(b"\xff"))
        broken += b"!"
        assert raised.value.object == b"\xff"

    def test_in_place_in_nothing(self):
        assert replace_surrogates_in_place(bytearray()) == replace_surrogates_in_place(array("H")) == 0


class TestSection65Concatenation:
    @pytest.mark.parametrize(
        ("parts", "whole"),
        [
            ([], b""),
            ([b""], b""),
            ([LEAD, TRAIL], JOINED),
            ([b"a" + LEAD, TRAIL + b"b"], b"a" + JOINED + b"b"),
            ([LEAD, b"", TRAIL], JOINED),
            ([LEAD, b"", b"", TRAIL], JOINED),
            ([TRAIL, LEAD], TRAIL + LEAD),
            ([LEAD, LEAD, TRAIL, TRAIL], LEAD + JOINED + TRAIL),
            ([LEAD, TRAIL, LEAD, TRAIL], JOINED + JOINED),
            ([LEAD, b"a", TRAIL], LEAD + b"a" + TRAIL),
            ([LEAD, b"\xed\x9f\xbf"], LEAD + b"\xed\x9f\xbf"),
            ([JOINED, TRAIL], JOINED + TRAIL),
            ([b"\xed\xaf\xbf", b"\xed\xbf\xbf"], b"\xf4\x8f\xbf\xbf"),
            ([b"\xed\xa0\x80", b"\xed\xb0\x80"], b"\xf0\x90\x80\x80"),
        ],
    )
    def test_a_lead_and_a_trail_that_meet(self, parts, whole):
        assert concat(parts) == whole
        assert type(concat(parts)) is bytes

    @given(st.lists(texts))
    def test_equals_joining_in_wtf_16(self, parts):
        units = array("H")
        for part in parts:
            units += code_units(part)
        whole = units.tobytes().decode(f"utf-16-{NATIVE}", "surrogatepass").encode("utf-8", "surrogatepass")
        assert concat(map(wtf_8, parts)) == whole

    @given(st.lists(texts))
    def test_the_result_is_well_formed_however_the_parts_are_grouped(self, parts):
        encoded = [wtf_8(part) for part in parts]
        grouped = b""
        for part in encoded:
            grouped = concat([grouped, part])
        assert grouped == concat(encoded)
        assert eightfold.is_well_formed(grouped, "wtf-8")

    @pytest.mark.parametrize("part", [PAIR, b"\xff", LEAD[:2], TRAIL[1:]])
    def test_an_ill_formed_part_is_a_decode_error(self, part):
        with pytest.raises(eightfold.DecodeError) as raised:
            concat([b"well-formed", part])
        assert (raised.value.object, raised.value.start) == (part, 0)

    def test_any_buffers(self):
        assert concat([bytearray(LEAD), memoryview(b"-".join([TRAIL[i : i + 1] for i in range(3)]))[::2]]) == JOINED

    def test_the_cost_is_linear_in_the_total_size(self):
        # Parts that are known to be well-formed, so that nothing but the joining is measured. Copying what is there at
        # each part would make eight times the parts cost up to 64 times as much.
        assert seconds_to_join(32_000) < 24 * seconds_to_join(4_000)


def seconds_to_join(part_count: int) -> float:
    parts = [Wtf8(b"-" * 64)] * part_count

    def once() -> float:
        start = time.process_time()
        joined = Wtf8().join(parts)
        seconds = time.process_time() - start
        assert len(joined) == 64 * part_count
        return seconds

    return min(once() for _ in range(3))
