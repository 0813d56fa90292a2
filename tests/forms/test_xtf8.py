"""XTF-8's rules one by one, those of its section Security among them, and the bridges to PEP 383.

CPython's `surrogateescape` is the outsider: it finds the same ill-formed bytes and writes them as U+DC80 to U+DCFF.
"""

import codecs
import os
import pickle
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import xtf8
from support.byte_classes import strings

ESCAPES = [chr(point) for point in range(0xEF80, 0xF000)]
hybrids = st.lists(
    st.one_of(st.binary(max_size=4), st.text(max_size=4).map(str.encode), st.sampled_from(ESCAPES).map(str.encode))
).map(b"".join)
POLICIES = ("replace", "strict", "escape")
HANDLER = "xtf8-under-test"
codecs.register_error(HANDLER, xtf8.escape_errors)


def escape_of(byte: int) -> str:
    return chr(0xEF80 | byte & 0x7F)


def encoded_by_way_of_pep_383(hybrid: bytes, errors: str) -> bytes:
    collisions = {
        "replace": lambda character: "\ufffd",
        "escape": lambda character: "".join(map(escape_of, character.encode())),
    }

    def written(character: str) -> str:
        if "\udc80" <= character <= "\udcff":
            return escape_of(ord(character) - 0xDC00)
        return collisions[errors](character) if character in ESCAPES else character

    return "".join(map(written, hybrid.decode("utf-8", "surrogateescape"))).encode()


class TestEncoding:
    def test_every_well_formed_sequence_is_copied(self):
        text = "a\0\x7f\x80\u07ff\u0800\ud7ff\ue000\uef7f\uf000\ufffd\uffff\U00010000\U0010ffff"
        assert xtf8.encode(text.encode(), "strict") == text.encode()

    @pytest.mark.parametrize("byte", range(0x80, 0x100))
    def test_a_byte_of_an_ill_formed_sequence_is_its_private_use_code_point(self, byte):
        assert xtf8.encode(b"a" + bytes([byte]) + b"b") == f"a{escape_of(byte)}b".encode()

    @pytest.mark.parametrize(
        "hybrid", ["C3", "E2 82", "F0 9F 92", "61 F0 9F", "E2 82 41", "ED A0 80", "F4 90 80 80", "C0 AF"]
    )
    def test_every_byte_of_a_sequence_cut_short_or_ill_formed_otherwise_is_escaped(self, hybrid):
        data = bytes.fromhex(hybrid)
        expected = "".join(chr(byte) if byte < 0x80 else escape_of(byte) for byte in data)
        assert xtf8.encode(data).decode() == expected

    @pytest.mark.parametrize("errors", POLICIES)
    def test_a_sequence_that_the_end_cuts_short_is_not_dropped(self, errors):
        assert xtf8.decode(xtf8.encode(b"a\xf0\x9f\x92", errors)) == b"a\xf0\x9f\x92"

    @pytest.mark.parametrize("errors", ["replace", "escape"])
    @given(hybrid=hybrids)
    def test_equals_cpythons_escapes_moved(self, errors, hybrid):
        assert xtf8.encode(hybrid, errors) == encoded_by_way_of_pep_383(hybrid, errors)

    @pytest.mark.parametrize("errors", ["replace", "escape"])
    def test_the_output_is_valid_utf_8_for_every_short_string(self, errors):
        count = 0
        for hybrid in strings(eightfold.form("xtf-8"), 3):
            xtf8.encode(hybrid, errors).decode("utf-8")
            count += 1
        assert count > 4_000

    @pytest.mark.parametrize("errors", ["replace", "escape"])
    @given(hybrid=st.one_of(hybrids, st.binary()))
    def test_the_output_is_valid_utf_8(self, errors, hybrid):
        xtf8.encode(hybrid, errors).decode("utf-8")

    def test_any_buffer_is_taken(self):
        assert xtf8.encode(memoryview(b"a-\xff-")[::2]) == "a\uefff".encode()
        assert xtf8.encode(bytearray(b"\xff")) == "\uefff".encode()


class TestCollisions:
    """U+EF80 to U+EFFF that are in the input already."""

    @pytest.mark.parametrize("character", [ESCAPES[0], ESCAPES[63], ESCAPES[64], ESCAPES[-1]])
    def test_replace_is_the_default(self, character):
        assert xtf8.encode(f"a{character}b".encode()) == "a\ufffdb".encode()
        assert xtf8.encode(f"a{character}b".encode(), "replace") == "a\ufffdb".encode()

    def test_each_one_is_replaced(self):
        assert xtf8.encode("\uef80\uef80".encode()) == "\ufffd\ufffd".encode()

    def test_strict_names_the_place(self):
        with pytest.raises(eightfold.ConversionError) as raised:
            xtf8.encode("é\uef80".encode(), "strict")
        error = raised.value
        assert (error.start, error.end) == (error.fault.start, error.fault.end) == (2, 5)
        assert (error.fault.kind, error.fault.code_point) == ("escape-collision", 0xEF80)
        assert pickle.loads(pickle.dumps(error)).fault == error.fault

    def test_strict_is_content_with_ill_formed_bytes(self):
        assert xtf8.encode(b"\xff", "strict") == "\uefff".encode()

    def test_escape_treats_its_three_bytes_as_ill_formed(self):
        assert xtf8.encode("\uef80".encode(), "escape") == "\uefee\uefbe\uef80".encode()

    @pytest.mark.parametrize("character", ["\uef00", "\uef7f", "\uf000"])
    @pytest.mark.parametrize("errors", POLICIES)
    def test_neighbours_do_not_collide(self, character, errors):
        assert xtf8.encode(character.encode(), errors) == character.encode()


class TestDecoding:
    @pytest.mark.parametrize("byte", range(0x80, 0x100))
    def test_an_escape_becomes_its_byte(self, byte):
        assert xtf8.decode(f"a{escape_of(byte)}b".encode()) == b"a" + bytes([byte]) + b"b"

    def test_every_other_well_formed_sequence_is_copied(self):
        text = "a\0\x7f\x80\u07ff\u0800\ud7ff\ue000\uef00\uef7f\uf000\ufffd\uffff\U00010000\U0010ffff"
        assert xtf8.decode(text.encode(), "strict") == text.encode()

    @pytest.mark.parametrize(
        ("data", "decoded"),
        [
            ("FF", "EF BF BD"),
            ("61 E2 82 62", "61 EF BF BD 62"),
            ("F0 9F 92", "EF BF BD"),
            ("ED A0 80", "EF BF BD EF BF BD EF BF BD"),
            ("FF EE BE 80 FF", "EF BF BD 80 EF BF BD"),
        ],
    )
    def test_replace_writes_one_replacement_character_for_a_maximal_subpart(self, data, decoded):
        assert xtf8.decode(bytes.fromhex(data)) == xtf8.decode(bytes.fromhex(data), "replace") == bytes.fromhex(decoded)

    def test_strict_names_the_place(self):
        with pytest.raises(eightfold.ConversionError) as raised:
            xtf8.decode(b"a\xe2\x82b", "strict")
        assert (raised.value.start, raised.value.end, raised.value.fault.kind) == (1, 3, "truncated")

    @given(st.one_of(hybrids, st.binary()))
    def test_equals_cpythons_replacement_with_the_escapes_moved(self, data):
        text = data.decode("utf-8", "replace")
        expected = b"".join(bytes([ord(each) - 0xEF00]) if each in ESCAPES else each.encode() for each in text)
        assert xtf8.decode(data) == expected


class TestRoundTrip:
    @given(st.one_of(st.binary(), hybrids))
    def test_with_escape_every_byte_string_comes_back(self, hybrid):
        assert xtf8.decode(xtf8.encode(hybrid, "escape")) == hybrid
        assert xtf8.decode(xtf8.encode(hybrid, "escape"), "strict") == hybrid

    def test_with_escape_every_short_string_comes_back(self):
        for hybrid in strings(eightfold.form("xtf-8"), 3):
            assert xtf8.decode(xtf8.encode(hybrid, "escape"), "strict") == hybrid

    @given(st.binary())
    def test_without_collisions_strict_and_replace_are_the_same_and_come_back(self, hybrid):
        try:
            encoded = xtf8.encode(hybrid, "strict")
        except eightfold.ConversionError:
            assert any(each.encode() in hybrid for each in ESCAPES)
        else:
            assert encoded == xtf8.encode(hybrid) == xtf8.encode(hybrid, "escape")
            assert xtf8.decode(encoded) == hybrid

    def test_encoding_a_str_is_not_injective(self):
        assert xtf8.decode("\uefc3\uefa9".encode()) == xtf8.decode("é".encode()) == "é".encode()


class TestSecurity:
    """The two rules of the section Security."""

    @pytest.mark.parametrize("character", ESCAPES)
    def test_no_escape_becomes_an_ascii_character(self, character):
        assert xtf8.decode(character.encode())[0] >= 0x80

    @pytest.mark.parametrize("point", range(0xEF00, 0xEF80))
    def test_what_would_become_one_is_an_ordinary_character(self, point):
        assert xtf8.decode(chr(point).encode()) == xtf8.encode(chr(point).encode()) == chr(point).encode()

    @given(st.one_of(hybrids, st.binary()))
    def test_ascii_characters_are_the_same_before_and_after(self, data):
        def ascii_in(some: bytes) -> bytes:
            return bytes(byte for byte in some if byte < 0x80)

        for errors in ("replace", "escape"):
            assert ascii_in(xtf8.encode(data, errors)) == ascii_in(data)
        assert ascii_in(xtf8.decode(data)) == ascii_in(data)

    @pytest.mark.parametrize("data", [b"", b"a", b"\xff"])
    @pytest.mark.parametrize("function", [xtf8.encode, xtf8.decode])
    def test_ignore_is_refused(self, function, data):
        with pytest.raises(ValueError, match="never skips"):
            function(data, "ignore")

    @pytest.mark.parametrize(
        ("function", "errors"),
        [
            *product([xtf8.encode, xtf8.decode], ["surrogateescape", "backslashreplace", "nonsense"]),
            (xtf8.decode, "escape"),
        ],
    )
    def test_no_other_policy(self, function, errors):
        with pytest.raises(ValueError, match=f"'{errors}'"):
            function(b"", errors)

    @pytest.mark.parametrize("data", [b"\xff", b"\xee\xbe\x80", b"\xe2\x82"])
    def test_nothing_is_skipped(self, data):
        for errors in ("replace", "escape"):
            assert xtf8.encode(data, errors)
            assert xtf8.decode(data)


class TestPep383:
    @given(st.one_of(st.binary(), hybrids))
    def test_every_name_becomes_valid_unicode_and_comes_back(self, name):
        text = name.decode("utf-8", "surrogateescape")
        valid = xtf8.from_surrogateescape(text)
        assert valid.encode("utf-8") == xtf8.encode(name, "escape")
        assert xtf8.to_surrogateescape(valid) == text

    def test_names_of_files(self):
        assert xtf8.from_surrogateescape(os.fsdecode(b"caf\xe9")) == "caf\uefe9"
        assert os.fsencode(xtf8.to_surrogateescape("caf\uefe9")) == b"caf\xe9"

    def test_an_escape_in_the_name_is_escaped_itself(self):
        assert xtf8.from_surrogateescape("\uef80") == "\uefee\uefbe\uef80"
        assert xtf8.to_surrogateescape("\uefee\uefbe\uef80") == "\uef80"

    @pytest.mark.parametrize("point", [0xD800, 0xDBFF, 0xDC00, 0xDC7F, 0xDD00, 0xDFFF])
    def test_other_surrogates_raise(self, point):
        for function in (xtf8.from_surrogateescape, xtf8.to_surrogateescape):
            with pytest.raises(eightfold.EncodeError) as raised:
                function(f"ab{chr(point)}")
            assert (raised.value.start, raised.value.end) == (2, 3)

    @pytest.mark.parametrize("point", [0xDC80, 0xDCFF])
    def test_the_surrogates_of_pep_383_are_no_input_for_the_way_back(self, point):
        with pytest.raises(eightfold.EncodeError):
            xtf8.to_surrogateescape(chr(point))


class TestErrorHandler:
    @given(hybrid=hybrids)
    def test_same_escapes_as_encode_but_collisions_pass(self, hybrid):
        moved = {point: 0xEF00 | point & 0xFF for point in range(0xDC80, 0xDD00)}
        expected = hybrid.decode("utf-8", "surrogateescape").translate(moved)
        assert hybrid.decode("utf-8", HANDLER) == expected
        assert eightfold.decode(hybrid, "utf-8", HANDLER) == expected

    def test_it_does_not_see_collisions(self):
        assert "\uef80".encode().decode("utf-8", HANDLER) == "\uef80"

    @pytest.mark.parametrize("encode", [str.encode, eightfold.encode])
    def test_encoding_errors_are_raised_again(self, encode):
        with pytest.raises(UnicodeEncodeError) as raised:
            encode("a\udcff", "utf-8", HANDLER)
        assert (raised.value.start, raised.value.end) == (1, 2)

    def test_encoding_errors_of_other_encodings_are_raised_again(self):
        with pytest.raises(UnicodeEncodeError):
            "\uefff".encode("ascii", HANDLER)

    def test_translating_errors_are_raised_again(self):
        with pytest.raises(UnicodeTranslateError):
            xtf8.escape_errors(UnicodeTranslateError("a", 0, 1, "untranslatable"))

    def test_ascii_bytes_of_other_encodings_are_never_escaped(self):
        assert b"a\xff".decode("ascii", HANDLER) == "a\uefff"
        with pytest.raises(UnicodeDecodeError) as raised:
            b"\x00\xd8".decode("utf-16-le", HANDLER)
        assert (raised.value.start, raised.value.end) == (0, 2)


# --- lint -------------------------------------------------------------------------------------------------------------

# Escapes of bytes that begin, continue and end sequences of each length, collisions and surrogates too; other text.
BYTES = (0xC3, 0xA9, 0xE2, 0x82, 0xEE, 0xBE, 0xED, 0xA0, 0xF0, 0x9F, 0xFF)
PIECES = [*(escape_of(byte).encode() for byte in BYTES), b"a", "é".encode(), b"\xff", b"\xee\xbe"]


def comes_back(data: bytes) -> bool:
    return xtf8.encode(xtf8.decode(data), "escape") == data


@pytest.mark.parametrize("length", range(5))
def test_what_lint_passes_and_only_that_comes_back(length: int) -> None:
    for data in map(b"".join, product(PIECES, repeat=length)):
        assert (next(xtf8.lint(data), None) is None) == comes_back(data), data.hex(" ")


@given(hybrids)
def test_what_encode_writes_passes_and_only_what_comes_back_does(hybrid: bytes) -> None:
    assert list(xtf8.lint(xtf8.encode(hybrid, "escape"))) == []
    assert (list(xtf8.lint(hybrid)) == []) == comes_back(hybrid)


def test_every_code_point_that_is_escaped_byte_by_byte_is_listed() -> None:
    for point in (0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xEF7F, 0xF000, 0xFFFF, 0x10000, 0x10FFFF):
        escapes = "".join(map(escape_of, chr(point).encode())).encode()
        data = b"ab" + escape_of(0xFF).encode() + escapes + escape_of(0x80).encode() + b"!" + escapes
        (first, second) = xtf8.lint(data)
        assert (first.start, first.end, first.code_point, first.units) == (5, 5 + len(escapes), point, escapes)
        assert (second.kind, second.severity, second.end) == ("needless-escape", "warning", len(data))
        assert second.end - second.start == len(escapes)


def test_escapes_that_stay_apart_pass() -> None:
    # What is escaped itself, a surrogate, an overlong form, a lead without its tail: no character stands for these.
    for hybrid in (b"\xee\xbe\xa9", b"\xed\xa0\x80", b"\xc0\xaf", b"\xe2\x82", b"\xf4\x90\x80\x80"):
        assert list(xtf8.lint("".join(map(escape_of, hybrid)).encode())) == []


def test_lint_lists_what_is_ill_formed_in_its_place() -> None:
    data = b"\xff" + "\uefc3\uefa9".encode() + b"\xc3"
    assert [(fault.kind, fault.start, fault.severity) for fault in xtf8.lint(memoryview(data))] == [
        ("invalid-byte", 0, "error"),
        ("needless-escape", 1, "warning"),
        ("truncated", 7, "error"),
    ]


def test_lint_is_linear_in_a_long_run_of_escapes() -> None:
    run = "".join(map(escape_of, range(0x80, 0x100))).encode() * 20_000
    found = list(xtf8.lint(run + "\uefc3\uefa9".encode()))
    assert [(fault.start, fault.end) for fault in found] == [(len(run), len(run) + 6)]
