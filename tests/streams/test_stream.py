"""Streams: every split gives the result of the whole, in both directions, and what raises leaves no trace."""

from __future__ import annotations

import codecs
import itertools
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import reference
from eightfold.forms import fault_row
from eightfold.forms.corrected_utf_8 import MAGIC
from eightfold.stream import Checker, Converter, Decoder, Encoder
from support import outcomes
from support.byte_classes import representatives

FORMS = eightfold.forms()
DECODE_POLICIES = ("strict", "replace", "ignore", "surrogateescape", "surrogatepass", "backslashreplace")
WIDE_BYTES = bytes([0x00, 0x41, 0x10, 0xD8, 0xDC, 0xFE, 0xFF])
NARROW_CODE_POINTS = "\0a\x80\xa0\u07ff\ud7ff\ud800\udbff\udc00\udc80\udfff\ue000\uef80\ufffd\ufffe\U00010000\U0010ffff"


def policies(form: eightfold.Form) -> tuple[str, ...]:
    declared = tuple(variant.policy for variant in form.variants)
    return tuple(policy for policy in (*DECODE_POLICIES, *declared) if policy not in form.refuses)


def samples(form: eightfold.Form, count: int = 60) -> list[bytes]:
    """Return byte strings that are likely to touch each rule: one byte per derived class, at random, marks included."""
    chance = random.Random(form.name)
    alphabet = b"".join(representatives(form)) if form.unit_bits == 8 else WIDE_BYTES
    drawn = [bytes(chance.choices(alphabet, k=chance.randint(0, 9))) for _ in range(count)]
    marked = [signature.mark + data for signature in form.signatures for data in drawn[: count // 4]]
    named = [b"a" + bytes(low for low, _ in unit.unit_ranges) for unit in form.units if form.unit_bits == 8]
    return drawn + marked + named


def uncut(error: Exception) -> object:
    """Return what was raised, as far as it must not depend on the cuts."""
    if isinstance(error, eightfold.ConversionError):
        return "raised", error.start
    if isinstance(error, UnicodeError):
        return "raised", type(error)
    raise error


outcome = partial(outcomes.outcome, shown=uncut)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_decoding_is_the_same_at_every_split(form: eightfold.Form) -> None:
    for data, policy in itertools.product(samples(form), policies(form)):
        whole = outcome(lambda: eightfold.decode(data, form, policy))
        for cut in range(len(data) + 1):
            decoder = Decoder(form, policy)
            assert outcome(lambda: decoder.decode(data[:cut]) + decoder.decode(data[cut:], final=True)) == whole
        decoder = Decoder(form, policy)
        bytewise = outcome(
            lambda: "".join(decoder.decode(bytes([byte])) for byte in data) + decoder.decode(b"", final=True)
        )
        assert bytewise == whole


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_encoding_is_the_same_at_every_split(form: eightfold.Form) -> None:
    chance = random.Random(form.name)
    for policy in policies(form):
        for _ in range(60):
            text = "".join(chance.choices(NARROW_CODE_POINTS, k=chance.randint(0, 6)))
            whole = outcome(lambda: eightfold.encode(text, form, policy))
            for cut in range(len(text) + 1):
                encoder = Encoder(form, policy)
                split = outcome(lambda: encoder.encode(text[:cut]) + encoder.encode(text[cut:], final=True))
                encoder.setstate(1)  # Where it raised it may hold a lead, of whose loss it would warn.
                assert split == whole, (text, policy, cut)


@pytest.mark.parametrize("target", ["utf-8", "wtf-8", "cesu-8", "utf-16", "corrected-utf-8-sig"])
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_converting_is_the_same_at_every_split(form: eightfold.Form, target: str) -> None:
    for data, policy in itertools.product(samples(form, 24), ("strict", "replace", "surrogatepass")):
        whole = outcome(lambda: eightfold.convert(data, form, target, policy))
        for cut in range(len(data) + 1):
            converter = Converter(form, target, policy)
            assert outcome(lambda: converter.convert(data[:cut]) + converter.convert(data[cut:], final=True)) == whole


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_checking_is_the_same_at_every_split(form: eightfold.Form) -> None:
    for data in [part + b"\n" + part for part in samples(form)]:
        whole = list(eightfold.faults(data, form))
        places = [eightfold.locate(data, fault) for fault in whole]
        for cut in range(len(data) + 1):
            checker = Checker(form)
            located = checker.check(data[:cut]) + checker.check(data[cut:], final=True)
            assert [found.fault for found in located] == whole
            assert [(found.line, found.column) for found in located] == places


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_what_is_held_back_is_bounded_by_the_longest_sequence(form: eightfold.Form) -> None:
    longest = max(len(sequence.unit_ranges) for sequence in form.sequences) * form.unit_bytes
    mark = max((len(signature.mark) for signature in form.signatures), default=0)
    held = 0
    for data in samples(form):
        decoder = Decoder(form, "replace")
        for byte in data:
            decoder.decode(bytes([byte]))
            held = max(held, len(decoder.getstate()[0]))
    assert held <= max(longest, mark) - 1
    if form.name == "wtf-8":
        assert longest - 1 == 5


@pytest.mark.parametrize(
    ("form", "data", "held"),
    [
        ("wtf-8", b"\xed\xa0\xbd\xed\xb8", 5),
        ("wtf-8", b"\xed\xa0\xbd", 3),
        ("cesu-8", b"\xed\xa0\xbd\xed\xb8", 5),
        ("mutf-8", b"\xed\xa0\xbd", 3),
        ("generalized-utf-8", b"\xed\xa0\xbd", 0),
        ("utf-8", b"\xf0\x9f\x98", 3),
        ("xtf-8", b"\xf0\x9f\x98", 3),
        ("utf-16-le", b"\x3d\xd8\x00", 3),
        ("utf-8-rfc2044", b"\xfd\x80\x80\x80\x80", 5),
        ("corrected-utf-8-sig", MAGIC[:7], 7),
    ],
)
def test_what_is_held_back_is_derived_from_the_form(form: str, data: bytes, held: int) -> None:
    decoder = Decoder(form)
    decoder.decode(data)
    assert decoder.getstate()[0] == data[len(data) - held :]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_only_wtf_8_and_cesu_8_hold_a_lead_when_encoding(form: eightfold.Form) -> None:
    encoder = Encoder(form, "replace")
    encoder.encode("\ud83d")
    holds = encoder.getstate() != 0
    encoder.finish()
    assert holds == (form.name in ("wtf-8", "cesu-8"))


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_decoder_that_raises_is_as_before(form: eightfold.Form) -> None:
    tried = 0
    for data in samples(form):
        for cut in range(len(data) + 1):
            decoder = Decoder(form)
            try:
                decoder.decode(data[:cut])
            except UnicodeDecodeError:
                continue
            before = decoder.getstate()
            try:
                decoder.decode(data[cut:], final=True)
            except UnicodeDecodeError as error:
                tried += 1
                assert decoder.getstate() == before
                assert error.object.endswith(data[cut:]) or data[cut:].endswith(error.object)
    assert tried or form.name == "optu-8"


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_an_encoder_and_a_converter_that_raise_are_as_before(form: eightfold.Form) -> None:
    # No form of the family can write U+7FFFFFFF and a lone half of a pair both; one of the two raises.
    encoder = Encoder(form)
    encoder.encode("a")
    before = encoder.getstate()
    try:
        encoder.encode("b\ud800c\ufffe\U0010ffff\x80")
    except UnicodeEncodeError:
        assert encoder.getstate() == before
    else:
        assert eightfold.is_encodable("b\ud800c\ufffe\U0010ffff\x80", form)
    converter = Converter("utf-8-rfc2044", form)
    converter.convert(b"a")
    state = converter.getstate()
    if not form.name.startswith(("utf-8-rfc2044", "corrected")):
        with pytest.raises(eightfold.ConversionError):
            converter.convert(b"b\xfd\xbf\xbf\xbf\xbf\xbfc")
        assert converter.getstate() == state


def test_a_converter_gives_offsets_into_the_whole_source() -> None:
    converter = Converter("utf-8", "utf-16-le")
    converter.convert(b"abc\xe2")
    converter.convert(b"\x82\xac")
    with pytest.raises(eightfold.ConversionError) as raised:
        converter.convert(b"d\xff")
    assert (raised.value.start, raised.value.end, raised.value.fault.start) == (7, 8, 7)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_converter_tells_the_same_fault_at_every_split(form: eightfold.Form) -> None:
    def told(call: Callable[[], Any]) -> Any:
        try:
            return call()
        except eightfold.ConversionError as error:
            return error.start, error.end, error.fault

    for data in [*samples(form), b"\xc0\xaf", b"a\xed\xa0\x80", b"\xf8\x80\x80\x80\xaf", b"\xf0\x80\x80"]:
        whole = told(lambda: eightfold.convert(data, form, "utf-32"))
        for cut in range(len(data) + 1):
            converter = Converter(form, "utf-32")
            assert told(lambda: converter.convert(data[:cut]) + converter.convert(data[cut:], final=True)) == whole


def ending(pieces: list[bytes], errors: str, target: eightfold.Form) -> tuple[Any, ...] | bytes:
    """Return what a conversion from Corrected UTF-8 writes, or the error that it raises."""
    converter, written = Converter("corrected-utf-8", target, errors), b""
    try:
        for at, piece in enumerate(pieces, 1):
            written += converter.convert(piece, at == len(pieces))
    except eightfold.ConversionError as error:
        return error.start, error.end, error.fault, str(error)
    return written


ASCII = eightfold.Form("ascii", [eightfold.Row(0, 0x7F, (0, 0x7F))])
LETTERS = eightfold.Form("letters", [eightfold.Row(0x61, 0x7A, (0x61, 0x7A))])


@pytest.mark.parametrize(
    ("errors", "target"),
    [
        *((errors, "utf-8") for errors in ("strict", "surrogatepass", "private-use", "replace", "backslashreplace")),
        # Targets that lack what the policy answers.
        *(
            ("surrogateescape", "utf-8"),
            ("surrogateescape", "utf-16-le"),
            ("replace", ASCII),
            ("backslashreplace", LETTERS),
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "data",
    [b"\xff\xbb", b"ab\xff\xbb\xfe\x80c", b"a\xff" + b"\xbb" * 200 + b"z", b"\xfe" * 130, b"\xc0\xffa"],
)
def test_a_reserved_run_has_one_end_at_every_split(data: bytes, errors: str, target: Any) -> None:
    whole = ending([data], errors, target)
    for first, second in itertools.combinations_with_replacement(range(len(data) + 1), 2):
        if second - first in (0, 1, 70):
            assert ending([data[:first], data[first:second], data[second:]], errors, target) == whole
    assert ending([*(bytes([byte]) for byte in data), b""], errors, target) == whole


def test_a_checker_waits_for_what_cuts_a_sequence_short() -> None:
    rows = [eightfold.Row(0, 0x7F, (0, 0x7F))]
    form = eightfold.Form("own", rows, names=[fault_row("truncated", (0x80, 0xBF))])
    for data in (b"\x80a", b"\x80\x80", b"a\x80"):
        checker, converter = Checker(form), Converter(form, "utf-8")
        found = [each.fault for at in range(len(data)) for each in checker.check(data[at : at + 1])]
        found += [each.fault for each in checker.check(b"", final=True)]
        assert found == list(eightfold.faults(data, form))
        with pytest.raises(eightfold.ConversionError) as error:
            [converter.convert(piece, not piece) for piece in (data[:1], data[1:], b"")]
        assert error.value.fault == found[0]


@pytest.mark.parametrize(
    "state", [(bytearray(b"a"), 0), (b"", 2), (b"", -1), (b"", "0"), (b"",), (b"", 0, 0), None, "ab", ("", 0)]
)
def test_a_decoder_refuses_what_is_not_its_state(state: Any) -> None:
    decoder = Decoder("utf-8")
    decoder.decode(b"\xe2")
    with pytest.raises((TypeError, ValueError)):
        decoder.setstate(state)
    assert decoder.decode(b"\x82\xac") == "\u20ac"


@pytest.mark.parametrize(
    "state",
    [
        ("", 0),
        (b"", -1),
        (b"", 0, 1),
        (b"", "0"),
        tuple(range(12)),
        None,
        (b"", 0, 0, False, (1, 2)),
        (b"", 0, 0, 0, 5),
    ],
)
def test_a_converter_refuses_what_is_not_its_state(state: Any) -> None:
    converter = Converter("utf-8", "utf-16-be")
    converter.convert(b"\xe2")
    with pytest.raises((TypeError, ValueError), match=r"^the state "):
        converter.setstate(state)
    assert converter.convert(b"\x82\xac") == b"\x20\xac"


def test_a_converter_goes_back_to_a_state() -> None:
    converter = Converter("generalized-utf-8", "wtf-8")
    assert converter.convert(b"a\xed\xa0\xbd\xed") == b"a"
    state = converter.getstate()
    assert converter.convert(b"\xb8\x80", final=True) == "😀".encode()
    converter.setstate(state)
    assert converter.convert(b"\x9f\xbf", final=True) == b"\xed\xa0\xbd\xed\x9f\xbf"
    converter.reset()
    assert converter.convert(b"a", final=True) == b"a"


def test_an_encoder_that_goes_away_while_it_holds_a_lead_warns() -> None:
    for lose in (Encoder.reset, lambda encoder: encoder.setstate(0), Encoder.__del__):
        encoder = Encoder("wtf-8")
        assert encoder.encode("a\ud83d") == b"a"
        with pytest.warns(UnicodeWarning, match=r"U\+D83D"):
            lose(encoder)
        assert encoder.finish() in (b"", b"\xed\xa0\xbd")


def test_finishing_an_encoder_writes_a_lead_and_no_signature() -> None:
    encoder = Encoder("utf-16")
    assert encoder.finish() == b""
    assert encoder.encode("a") == eightfold.encode("a", "utf-16")
    encoder = Encoder("wtf-8")
    assert (encoder.encode("\ud83d"), encoder.finish(), encoder.finish()) == (b"", b"\xed\xa0\xbd", b"")


@pytest.mark.parametrize("form", ["utf-8", "wtf-8", "cesu-8", "utf-16"])
def test_an_encoder_takes_no_state_that_it_never_gives(form: str) -> None:
    encoder = Encoder(form)
    text = encoder.encode("a")
    for state in (2 * 0x61, 3, 2 * 0xDC00, 2 * 0x110000, -1, 2**200):
        with pytest.raises(ValueError, match="is not a state of an encoder"):
            encoder.setstate(state)
    if not reference.holds_back_lead(eightfold.form(form)):
        with pytest.raises(ValueError, match="is not a state of an encoder"):
            encoder.setstate(2 * 0xD83D)
    assert encoder.encode("a") == Encoder(form.removesuffix("16") + "16-le" if form == "utf-16" else form).encode("a")
    assert text.endswith(encoder.encode("a"))


@pytest.mark.parametrize("state", ["", "x", "5", 5.5, float("inf"), None, b"5", (b"", 0)])
def test_the_state_of_an_encoder_is_an_int(state: Any) -> None:
    encoder = Encoder("wtf-8")
    with pytest.raises(TypeError, match=f"^the state of an Encoder is an int, not {type(state).__name__}$"):
        encoder.setstate(state)
    with pytest.raises(ValueError, match=r"^this is not a state of an encoder of wtf-8$"):
        encoder.setstate(10**5000)
    assert encoder.getstate() == 0


@pytest.mark.parametrize("state", ["", "x", "xy", 0, None, (), (b"",), (b"", 0, 0), ("", 0), (b"", 0.0), {}])
def test_the_state_of_a_decoder_is_a_pair_of_bytes_and_an_int(state: Any) -> None:
    decoder = Decoder("utf-8")
    assert decoder.decode(b"\xc3") == ""
    with pytest.raises(TypeError, match=r"^the state of a Decoder is a pair of bytes and an int$"):
        decoder.setstate(state)
    assert decoder.getstate() == (b"\xc3", 0)


def test_a_converter_takes_lists_and_numbers_in_the_place_of_tuples_and_flags() -> None:
    converter = Converter("generalized-utf-8", "wtf-8")
    assert converter.convert(b"a\xed\xa0\xbd") == b"a"
    held, offset, chosen, in_run, lead, *others = converter.getstate()
    assert lead == (0xD83D, 1, 4)
    converter.setstate((held, offset, chosen, int(in_run), list(lead), *others))
    assert converter.convert(b"\xed\xb8\x80", True) == b"\xf0\x9f\x98\x80"


def test_the_state_of_a_converter_is_of_plain_values() -> None:
    converter = Converter("generalized-utf-8", "wtf-8")
    for _ in range(2):
        converter.convert(b"a\xed\xa0\xbd")
        state = converter.getstate()
        assert type(state[4]) is tuple
        converter.setstate(state)
        assert type(converter.getstate()[4]) is tuple


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        *((0, bytearray(b"a")), (0, "a"), (1, 1 << 63), (1, -1), (1, "4"), (2, -1), (6, -1), (6, 1.5)),
        *((4, (5, 0, 3)), (4, (0xD83D, 1 << 63, 1 << 63)), (4, (0xD83D, -3, 0)), (4, (0xD83D, 1))),
    ],
)
def test_a_converter_takes_no_state_that_it_never_gives(place: int, wrong: object) -> None:
    converter = Converter("generalized-utf-8", "wtf-8")
    converter.convert(b"a\xed\xa0\xbd")
    state = converter.getstate()
    with pytest.raises(TypeError, match="the state of a Converter is what getstate returns"):
        converter.setstate((*state[:place], wrong, *state[place + 1 :]))
    for other in ((), state[:2], (*state, 1)):
        with pytest.raises(TypeError, match="what getstate returns"):
            converter.setstate(other)
    assert converter.getstate() == state


@pytest.mark.parametrize(("source", "chosen"), [("utf-8", 1), ("utf-16", 9)])
def test_a_converter_takes_no_state_of_another_form(source: str, chosen: int) -> None:
    converter = Converter(source, "wtf-8")
    state = converter.getstate()
    with pytest.raises(ValueError, match=f"the state is not of {source}"):
        converter.setstate((*state[:2], chosen, *state[3:]))
    assert converter.getstate() == state


def test_encoder_state_0_means_that_no_signature_is_due() -> None:
    for name in ("utf-8-sig", "corrected-utf-8-sig", "utf-16", "utf-32", "wtf-16", "optu-16"):
        encoder = Encoder(name)
        assert encoder.getstate() != 0
        marked = encoder.encode("a")
        encoder.setstate(0)
        assert marked.endswith(encoder.encode("a"))
        assert marked != encoder.encode("a")


@pytest.mark.parametrize("form", [form for form in FORMS if form.signatures], ids=str)
def test_an_empty_input_has_not_begun(form: eightfold.Form) -> None:
    data = eightfold.encode("a", form)
    decoder, converter, checker = Decoder(form), Converter(form, "utf-8"), Checker(form)
    assert decoder.decode(b"", final=True) == ""
    assert decoder.getstate() == (b"", 0)
    assert converter.convert(b"", final=True) == b""
    assert checker.check(b"", final=True) == []
    assert decoder.decode(data, final=True) == "a"
    assert converter.convert(data, final=True) == b"a"
    assert checker.check(data, final=True) == []


@given(st.lists(st.binary(max_size=12), max_size=6), st.sampled_from([form.name for form in FORMS]))
def test_streaming_is_one_shot(pieces: list[bytes], name: str) -> None:
    data = b"".join(pieces)
    decoder = Decoder(name, "replace")
    streamed = "".join(map(decoder.decode, pieces)) + decoder.decode(b"", final=True)
    assert streamed == eightfold.decode(data, name, "replace")
    converter = Converter(name, "wtf-8", "replace")
    converted = b"".join(map(converter.convert, pieces)) + converter.convert(b"", final=True)
    assert converted == eightfold.convert(data, name, "wtf-8", "replace")


CPYTHON_FORMS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")


@pytest.mark.parametrize("policy", ["strict", "replace", "surrogatepass", "surrogateescape", "ignore"])
@pytest.mark.parametrize("name", CPYTHON_FORMS)
def test_incremental_decoding_equals_cpython(name: str, policy: str) -> None:
    form = eightfold.form(name)
    for data in samples(form, 150):
        if name in ("utf-16", "utf-32") and not data.startswith(tuple(mark.mark for mark in form.signatures)):
            # CPython's one-shot codec reads an unmarked input in native order, as ours does; its stream refuses it.
            continue
        for cut in range(len(data) + 1):
            ours, theirs = Decoder(form, policy), codecs.getincrementaldecoder(name)(policy)
            for piece, final in ((data[:cut], False), (data[cut:], True)):
                got, want = (decoded(decoder, piece, final=final) for decoder in (ours, theirs))
                assert got == want, (data, cut)
                if isinstance(want, tuple):
                    break
                assert ours.getstate()[0] == theirs.getstate()[0]


def decoded(decoder: codecs.IncrementalDecoder, piece: bytes, *, final: bool) -> str | tuple[Any, ...]:
    try:
        return decoder.decode(piece, final)
    except UnicodeDecodeError as error:
        return error.object, error.start, error.end, error.reason


@pytest.mark.parametrize("before", [b"", b"a\0", b"a\0" * 400, b"\xa5\xda_\xdf"])
@pytest.mark.parametrize("after", [b"", b"a\0", b"\x01\xd8", b"_\xdf"])
def test_a_unit_of_which_only_the_beginning_is_answered_may_be_cut_anywhere(before: bytes, after: bytes) -> None:
    """`surrogateescape` answers two bytes of the six; what begins with the third may wait for more input."""
    unit = eightfold.fault_row("reserved", (0xD800, 0xDBFF), (0xDC00, 0xDFFF), (0xD801, 0xD808))
    bmp = eightfold.Row(0, 0xFFFF, (0, 0xFFFF))
    form = eightfold.Form("units", [bmp], units=[unit], unit_bits=16, byte_order="little", joins_pairs=True)
    data = before + b"\xa5\xda_\xdf\x01\xd8" + after
    expected = eightfold.decode(data, form, "surrogateescape")
    assert "\udca5\udcda\udf5f" in expected
    for cut in range(len(data) + 1):
        decoder = Decoder(form, "surrogateescape")
        assert decoder.decode(data[:cut]) + decoder.decode(data[cut:], True) == expected, cut


def with_ascii_within(*rows: eightfold.Row, **options: Any) -> eightfold.Form:
    alone = [eightfold.Row(0, 0x7F, (0, 0x7F)), eightfold.Row(0xE0FF, 0xE0FF, (0xFF, 0xFF))]
    return eightfold.Form("within", [*alone, *rows], **options)


@pytest.mark.parametrize(
    ("form", "sequence"),
    [
        (with_ascii_within(eightfold.Row(0x2000, 0x2000, 0xFF, 0x41, 0x42), longest_match=True), b"\xffAB"),
        (with_ascii_within(eightfold.Row(0x2000, 0x203F, 0xFF, 0x41, (0x80, 0xBF)), longest_match=True), b"\xffA\x80"),
        (with_ascii_within(units=[eightfold.fault_row("reserved", 0xFF, 0x41, 0x42)]), b"\xffAB"),
        (with_ascii_within(units=[eightfold.fault_row("reserved", 0xFF, 0x41, run=((0x42, 0x42),))]), b"\xffABBB"),
    ],
)
@pytest.mark.parametrize("before", [b"ab", b"ab" * 300])
def test_what_begins_as_text_and_goes_on_with_ascii_may_be_cut_behind_it(
    form: eightfold.Form, sequence: bytes, before: bytes
) -> None:
    data = before + sequence + b"c" + sequence
    for policy in ("replace", "ignore", "backslashreplace"):
        expected = eightfold.decode(data, form, policy)
        for first, second in itertools.combinations_with_replacement(range(len(before), len(data) + 1), 2):
            decoder = Decoder(form, policy)
            *begun, last = data[:first], data[first:second], data[second:]
            assert "".join(map(decoder.decode, begun)) + decoder.decode(last, True) == expected, (first, second)


@pytest.mark.parametrize("final", [1, "yes", 0, None, []])
def test_whether_a_piece_is_the_last_is_said_by_any_truth_value(final: Any) -> None:
    """Callers of the standard library pass numbers."""
    eightfold.register_codecs()
    for codec in ("wtf-8", "cesu-8"):
        decoder = codecs.getincrementaldecoder(codec)("replace")
        assert decoder.decode(b"a\xc3", final) == ("a\ufffd" if final else "a"), codec
    assert Decoder("wtf-8", "replace").decode(b"a\xc3", final) == ("a\ufffd" if final else "a")
    assert Converter("wtf-8", "utf-8", "replace").convert(b"a\xc3", final) == (b"a\xef\xbf\xbd" if final else b"a")
    assert len(list(Checker("wtf-8").check(b"a\xc3", final))) == bool(final)
    assert list(eightfold.encode_faults("a", "utf-8", warnings=final)) == []
