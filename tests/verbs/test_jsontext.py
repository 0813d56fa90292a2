r"""JSON as text: surrogate escapes and ill-formed bytes meet the policy, all else is there byte for byte.

The oracle, `by_hand`, lets CPython decode the bytes and then goes through the text character by character; it shares no
pattern and no state with the code under test. Against readers the law is: what `json` loads is the scrubbed object.
"""

from __future__ import annotations

import array
import codecs
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold.jsontext import Scrubber, scrub

WRITING_POLICIES = ("replace", "ignore", "backslashreplace")
HELD_AT_MOST = 16

GRIN = rb"\ud83d\ude00"
FFFD = "�".encode()


def pieces(data: bytes, cuts: Iterable[int]) -> list[bytes]:
    borders = [0, *sorted(cuts), len(data)]
    return [data[start:end] for start, end in pairwise(borders)]


def in_pieces(parts: list[bytes], errors: str) -> Any:
    """Return the scrubbed text, or what is to be known of the error."""
    scrubber = Scrubber(errors)
    try:
        return b"".join(scrubber.scrub(part, final=at == len(parts) - 1) for at, part in enumerate(parts))
    except eightfold.ConversionError as error:
        return error.source, error.target, error.start, error.end, error.fault


def every_cut(data: bytes) -> Iterator[list[bytes]]:
    yield from (pieces(data, [cut]) for cut in range(len(data) + 1))
    yield pieces(data, range(1, len(data)))
    yield [*pieces(data, range(1, len(data))), b"", b""]


# --- the oracle -------------------------------------------------------------------------------------------------------


def _backslashes_doubled(error: UnicodeDecodeError) -> tuple[str, int]:
    text, end = codecs.backslashreplace_errors(error)
    return str(text).replace("\\", "\\\\"), end


codecs.register_error("jsontext-test-doubled", _backslashes_doubled)  # type: ignore[arg-type]
INSTEAD = {
    "replace": lambda _: r"\ufffd",
    "ignore": lambda _: "",
    "backslashreplace": lambda digits: rf"\\u{digits.lower()}",
}


HEX_DIGITS = frozenset("0123456789abcdefABCDEF")


def digits_at(text: str, at: int) -> str | None:
    r"""Return the hex digits, at most four, of a ``\u`` escape that begins there, or None where none does."""
    if text[at : at + 2] != "\\u":
        return None
    digits = ""
    for char in text[at + 2 : at + 6]:
        if char not in HEX_DIGITS:
            break
        digits += char
    return digits


def is_surrogate(digits: str | None, kinds: str) -> bool:
    return digits is not None and len(digits) == 4 and digits[0] in "dD" and digits[1] in kinds


def escape_at(text: str, at: int, errors: str, cut_short: bool) -> tuple[int, str, bool]:
    """Return how long an escape in a string is, what is written for it, and whether it lacks digits."""
    digits = digits_at(text, at)
    if is_surrogate(digits, "89abAB") and is_surrogate(digits_at(text, at + 6), "cdefCDEF"):
        return 12, text[at : at + 12], False
    if digits is not None and is_surrogate(digits, "89abcdefABCDEF"):
        return 6, INSTEAD[errors](digits) or (r"\ufffd" if cut_short else ""), False
    length = 2 if digits is None else 2 + len(digits)
    escape = text[at : at + length].split("\n")[0]
    return len(escape), escape, digits is not None and len(digits) < 4


def by_hand(data: bytes, errors: str) -> bytes:
    text = data.decode("utf-8", "jsontext-test-doubled" if errors == "backslashreplace" else errors)
    written, at, in_string, cut_short = "", 0, False, False
    while at < len(text):
        if in_string and text[at] == "\\":
            length, part, cut_short = escape_at(text, at, errors, cut_short)
        else:
            length, part, cut_short = 1, text[at], False
            in_string = text[at] != "\n" and in_string != (text[at] == '"')
        written += part
        at += length
    return written.encode()


# --- cases ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "replaced"),
    [
        (rb'"\ud83d"', rb'"\ufffd"'),
        (rb'"\uD83D"', rb'"\ufffd"'),
        (rb'"\uDE00"', rb'"\ufffd"'),
        (rb'"\udBfF\uDfFf\uDBff\uDC00"', rb'"\udBfF\uDfFf\uDBff\uDC00"'),
        (rb'"\ud83d\ude00"', rb'"\ud83d\ude00"'),
        (rb'"\ude00\ud83d"', rb'"\ufffd\ufffd"'),
        (rb'"\ud83d\ud83d\ude00\ude00"', rb'"\ufffd\ud83d\ude00\ufffd"'),
        (rb'"\ud83d\n"', rb'"\ufffd\n"'),
        (rb'"\ud83d\\ude00"', rb'"\ufffd\\ude00"'),
        (rb'"\ud83d\u0041"', rb'"\ufffd\u0041"'),
        (rb'"\ud7ff\ue000"', rb'"\ud7ff\ue000"'),
        (rb'"\\ud83d"', rb'"\\ud83d"'),
        (rb'"\\\ud83d"', rb'"\\\ufffd"'),
        (rb'"\\\\ud83d"', rb'"\\\\ud83d"'),
        (rb'"\"\ud83d"', rb'"\"\ufffd"'),
        (rb'"\/\ud83d"', rb'"\/\ufffd"'),
        (rb'"\UD83D"', rb'"\UD83D"'),
        (rb'{"\ud83d": ["\udc00"]}', rb'{"\ufffd": ["\ufffd"]}'),
    ],
)
def test_escapes_in_strings(data: bytes, replaced: bytes) -> None:
    assert scrub(data) == replaced == by_hand(data, "replace")


@pytest.mark.parametrize(
    ("data", "replaced"),
    [
        (b'"a\xffb"', b'"a\xef\xbf\xbdb"'),
        (b'"\xed\xa0\xbd"', b'"' + 3 * FFFD + b'"'),
        (b'"\xed\xa0\xbd\xed\xb8\x80"', b'"' + 6 * FFFD + b'"'),
        (b'"\xed\xa0\xbd\\ude00"', b'"' + 3 * FFFD + b'\\ufffd"'),
        (b'"\\ud83d\xed\xb8\x80"', b'"\\ufffd' + 3 * FFFD + b'"'),
        (b'"\\ud83d\xff\\ude00"', b'"\\ufffd' + FFFD + b'\\ufffd"'),
        (b'"\xf0\x9f\x98"', b'"' + FFFD + b'"'),
        (b'"\xc0\xaf\xe2\x82A"', b'"' + 3 * FFFD + b'A"'),
        (b"\xff{}\xfe", FFFD + b"{}" + FFFD),
        ('\ufeff"é漢😀"'.encode(), '\ufeff"é漢😀"'.encode()),
    ],
)
def test_ill_formed_bytes_wherever_they_stand(data: bytes, replaced: bytes) -> None:
    assert scrub(data) == replaced == by_hand(data, "replace")


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b" \t\r\n", b"null", b'{"a" :\t[1, 2.50e+07 , "\\u00e9\\/"]}\r\n', b'"\x00\x01\x7f"'),
        *(rb"\ud83d", rb"{\ud83d: 1}", rb'"a" \ud83d "b"', rb"'\ud83d'"),
        *(rb'"', rb'"\ ', rb'"\u', rb'"\ud83', rb'"\ud8 3d"', rb'"\x5cud83d"'),
        *(b"}{]", b"{'a': NaN,}", b'"a\n\\ud83d', b'"a\\\n\\ud83d'),
    ],
)
def test_everything_else_stays_byte_for_byte_also_where_it_is_no_json(data: bytes) -> None:
    assert scrub(data, "strict") is data
    assert all(in_pieces(parts, "strict") == data for parts in every_cut(data))


@pytest.mark.parametrize(
    ("errors", "escape", "raw"),
    [
        ("replace", rb"\ufffd", FFFD),
        ("ignore", b"", b""),
        ("backslashreplace", rb"\\ud83d", rb"\\xff"),
        ("xmlcharrefreplace", b"&#55357;", None),
        ("namereplace", rb"\\ud83d", None),
        ("strict", None, None),
    ],
)
def test_what_each_policy_writes(errors: str, escape: bytes | None, raw: bytes | None) -> None:
    for data, written in ((rb'"a\uD83Db"', escape), (b'"a\xffb"', raw)):
        if written is None:
            with pytest.raises(eightfold.ConversionError):
                scrub(data, errors)
        else:
            assert scrub(data, errors) == b'"a' + written + b'b"'
            assert scrub(data + GRIN, errors) == b'"a' + written + b'b"' + GRIN


def test_what_backslashreplace_writes_is_read_as_a_backslash() -> None:
    assert json.loads(scrub(b'["\\ud83d", "caf\xe9"]', "backslashreplace")) == [r"\ud83d", r"caf\xe9"]


def test_a_line_that_was_cut_short_does_not_spoil_those_after_it() -> None:
    lines = [rb'{"a": "cut off', rb'{"b": "\ud83d"}', rb'{"c": "cut off\ud83', rb'{"d": "\ud83d\ude00 \udc00"}', b'"']
    assert scrub(b"\n".join(lines)).splitlines() == [
        *(lines[0], rb'{"b": "\ufffd"}', lines[2], rb'{"d": "\ud83d\ude00 \ufffd"}', lines[4]),
    ]


def test_json_lines_are_as_the_lines_alone() -> None:
    lines = [rb'{"a": "\ud83d"}', rb'{"b": "fine \ud83d\ude00"}', b'"\xff"', b"", rb'"\\ud83d"', rb'"\udc00"'] * 3
    assert scrub(b"\n".join(lines)) == b"\n".join(map(scrub, lines))
    assert scrub(b"\r\n".join(lines)) == b"\r\n".join(map(scrub, lines))


def test_bytes_in_which_there_is_nothing_to_do_are_the_very_same_object() -> None:
    for data in (b"", rb'{"a": "\ud83d\ude00"}', '"é"'.encode(), rb"\ud83d"):
        assert all(scrub(data, errors) is data for errors in (*WRITING_POLICIES, "strict"))


@pytest.mark.parametrize("kind", [bytearray, memoryview, lambda data: array.array("B", data)])
def test_any_bytes_like_object_is_taken(kind: Callable[[bytes], Any]) -> None:
    data = rb'"\ud83d"'
    assert scrub(kind(data)) == rb'"\ufffd"'
    assert Scrubber().scrub(kind(data), final=True) == rb'"\ufffd"'
    assert type(scrub(kind(b'"a"'))) is bytes
    with pytest.raises(TypeError):
        scrub('"a"')  # type: ignore[arg-type]


# --- ignoring never makes what it removes -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "written"),
    [
        (rb'"\u\ud83dd83d"', rb'"\u\ufffdd83d"'),
        (rb'"\ud8\ud83d3d"', rb'"\ud8\ufffd3d"'),
        (rb'"\ud8\ud8\ud83d3d3d"', rb'"\ud8\ud8\ufffd3d3d"'),
        (rb'"\u00\ud83d\ude0041"', rb'"\u00\ud83d\ude0041"'),
        (b'"\\\xffud83d"', b'""'),
        (b'"\\ud8\xff3d"', b'""'),
        (b'"\\ud83d\xff\\ude00"', rb'"\ud83d\ude00"'),
        (b'"\\\xff"\\ud83d"', rb'"\"' + b'"'),
    ],
)
def test_what_ignore_leaves_is_fit(data: bytes, written: bytes) -> None:
    assert scrub(data, "ignore") == written == by_hand(data, "ignore")
    assert scrub(written, "strict") is written
    assert all(in_pieces(parts, "ignore") == written for parts in every_cut(data))


# --- laws -------------------------------------------------------------------------------------------------------------

TOKENS = (b'"', b"\\", rb"\u", b"d83d", rb"\ud83d", rb"\ude00", b"\n", b"\xff", b"\xe2\x82")
SHORT = [b"".join(tokens) for length in range(5) for tokens in product(TOKENS, repeat=length)]
IN_STRING = [b'"' + data for data in SHORT]
FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *(*TOKENS, rb"\ud8", b"3d", b"00", rb"\uDBFF\uDFFF", rb"\n", rb"\\", rb"\"", b"a", b" ", "é漢😀".encode()),
            *(b"\x80", b"\xc0", b"\xaf", b"\xed\xa0", b"\xf4\x90", b"\xf0\x9f", b"\xfc\x80\x80", b"{", b"1,"),
        ]
    ),
    max_size=14,
).map(b"".join)
ANY_BYTES = st.one_of(FRAGMENTS, FRAGMENTS.map(lambda data: b'"' + data), st.binary(max_size=20))
TEXT = st.text('a"\\\n\ud83d\ude00\udc00\U0001f600é\x00', max_size=5)
OBJECTS = st.recursive(
    st.one_of(TEXT, st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=12,
)


@pytest.mark.parametrize("errors", WRITING_POLICIES)
def test_all_short_texts_are_as_the_oracle_says_and_stay_so(errors: str) -> None:
    for data in (*SHORT, *IN_STRING):
        scrubbed = scrub(data, errors)
        assert scrubbed == by_hand(data, errors), data
        assert scrub(scrubbed, "strict") is scrubbed, data


@given(ANY_BYTES, st.sampled_from(WRITING_POLICIES))
def test_all_bytes_are_as_the_oracle_says_and_stay_so(data: bytes, errors: str) -> None:
    scrubbed = scrub(data, errors)
    assert scrubbed == by_hand(data, errors)
    assert eightfold.is_well_formed(scrubbed, "utf-8")
    assert all(scrub(scrubbed, again) is scrubbed for again in (*WRITING_POLICIES, "strict"))


@given(ANY_BYTES)
def test_strict_raises_exactly_where_there_is_something_to_do(data: bytes) -> None:
    if by_hand(data, "replace") == data:
        assert scrub(data, "strict") is data
    else:
        with pytest.raises(eightfold.ConversionError):
            scrub(data, "strict")


@given(ANY_BYTES, st.sampled_from((*WRITING_POLICIES, "strict", "xmlcharrefreplace")))
def test_pieces_add_up_to_the_whole_at_every_cut(data: bytes, errors: str) -> None:
    whole = in_pieces([data], errors)
    for parts in every_cut(data):
        assert in_pieces(parts, errors) == whole


@given(ANY_BYTES, st.lists(st.integers(0, 40), max_size=5), st.sampled_from((*WRITING_POLICIES, "strict")))
def test_pieces_add_up_to_the_whole_at_several_cuts(data: bytes, cuts: list[int], errors: str) -> None:
    parts = pieces(data, [min(cut, len(data)) for cut in cuts])
    assert in_pieces(parts, errors) == in_pieces([data], errors)


@given(OBJECTS, st.sampled_from(WRITING_POLICIES), st.booleans())
def test_what_json_loads_from_scrubbed_text_is_the_scrubbed_object(obj: Any, errors: str, indented: bool) -> None:
    text = json.dumps(obj, indent=1 if indented else None).encode()
    try:
        scrubbed = eightfold.scrub(json.loads(text), errors)
    except ValueError as error:
        assert "would become equal" in str(error)  # names that become equal: the text keeps both
        return
    assert json.loads(scrub(text, errors)) == scrubbed


@given(OBJECTS)
def test_text_with_raw_surrogates_can_be_loaded(obj: Any) -> None:
    text = json.dumps(obj, ensure_ascii=False).encode("utf-8", "surrogatepass")
    loaded = json.loads(scrub(text).decode("utf-8", "strict"))
    assert eightfold.scrub_report(loaded) == []


# --- streams ----------------------------------------------------------------------------------------------------------


@given(ANY_BYTES)
def test_little_is_held_back(data: bytes) -> None:
    fit, scrubber, written = scrub(data), Scrubber("strict"), 0
    for at in range(len(fit)):
        written += len(scrubber.scrub(fit[at : at + 1]))
        assert at + 1 - written <= HELD_AT_MOST


def test_the_policy_of_a_scrubber_stays() -> None:
    with pytest.raises(AttributeError):
        Scrubber().errors = "xml"


def test_the_most_that_is_held_back() -> None:
    scrubber = Scrubber()
    held = rb"\ud83d\ude0" + b"\xfc\x80\x80\x80\x80"
    assert len(held) == HELD_AT_MOST
    assert scrubber.scrub(b'"' + rb"\ud83d\ude0") == b'"'
    assert scrubber.scrub(b"\xfc\x80\x80\x80\x80") == b""
    assert scrubber.scrub(b'0"', final=True) == rb"\ufffd\ude0" + 5 * FFFD + b'0"'


def test_a_long_stream_is_written_as_it_comes() -> None:
    scrubber, chunk = Scrubber(), ("é" * 1000 + rb"\ud83d\ude00".decode() * 1000).encode()
    assert scrubber.scrub(b'"') == b'"'
    for _ in range(100):
        assert len(scrubber.scrub(chunk)) >= len(chunk) - HELD_AT_MOST


def test_final_ends_one_text_and_another_may_follow() -> None:
    scrubber = Scrubber("strict")
    assert scrubber.scrub(b'"open \\ud83d') == b'"open '
    assert scrubber.scrub(rb"\ude00", final=True) == GRIN
    assert scrubber.scrub(rb"\ud83d outside", final=True) == rb"\ud83d outside"
    with pytest.raises(eightfold.ConversionError) as caught:
        scrubber.scrub(b'"\xff')
    assert caught.value.start == 1


def test_reset_forgets_what_was_held() -> None:
    scrubber = Scrubber()
    scrubber.scrub(b'"\\ud8')
    scrubber.reset()
    assert scrubber.scrub(rb'3d\ud83d"', final=True) == rb'3d\ud83d"'


def test_a_scrubber_that_raises_is_as_it_was() -> None:
    scrubber = Scrubber("strict")
    assert scrubber.scrub(b'"\\ud83d') == b'"'
    for bad in (b"!", b"\xff", b'\\ude00 \\ud83d"', b"\\ude00 \xff!"):
        for _ in range(2):
            with pytest.raises(eightfold.ConversionError):
                scrubber.scrub(bad)
    assert scrubber.scrub(rb'\ude00"', final=True) == GRIN + b'"'


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "start", "end", "kind", "code_point", "sentence"),
    [
        (rb'{"a": "\ud83d"}', 7, 13, "unrepresentable", 0xD83D, "U+D83D cannot be written in utf-8"),
        (rb'"\ud83d\ude00\uDE00"', 13, 19, "unrepresentable", 0xDE00, "U+DE00 cannot be written in utf-8"),
        (b'"a\xe9b"', 2, 3, "truncated", None, "sequence E9 is cut short by another byte"),
        (b'"a\xe9', 2, 3, "truncated", None, "sequence E9 is cut short by the end of the input"),
        (b'"a\xe2\x82\xe2\x82\xac', 2, 4, "truncated", None, "sequence E2 82 is cut short by another byte"),
        (b'"\xed\xa0\xbd"', 1, 2, "surrogate", 0xD83D, "surrogate U+D83D (ED A0 BD), which utf-8 cannot hold"),
        (b'"\\ud83d\xff"', 1, 7, "unrepresentable", 0xD83D, "U+D83D cannot be written in utf-8"),
        (b'"\\ud83\xff"', 6, 7, "invalid-byte", None, "byte FF cannot begin a sequence"),
        (b'"\xff\\ud83d"', 1, 2, "invalid-byte", None, "byte FF cannot begin a sequence"),
        (b'"ok" \\ud83d \xc0\xaf', 12, 13, "overlong", 0x2F, "overlong form of U+002F (C0 AF)"),
    ],
)
def test_strict_names_the_first_fault_and_its_offset(
    data: bytes, start: int, end: int, kind: str, code_point: int | None, sentence: str
) -> None:
    with pytest.raises(eightfold.ConversionError) as caught:
        scrub(data, "strict")
    error = caught.value
    assert (error.source, error.target, error.start, error.end) == ("json", "utf-8", start, end)
    assert (error.fault.kind, error.fault.code_point, str(error.fault)) == (kind, code_point, sentence)
    assert error.fault.start == start
    assert str(error) == f"json to utf-8, at {start}: {sentence}"
    for parts in every_cut(data):
        assert in_pieces(parts, "strict") == ("json", "utf-8", start, end, error.fault)


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize(
    ("errors", "raised"),
    [
        *(("surrogatepass", ValueError), ("surrogateescape", ValueError), ("escape", LookupError)),
        *(("java", LookupError), ("no-such-policy", LookupError), (None, TypeError)),
    ],
)
def test_a_policy_that_cannot_help_is_refused_before_any_work(errors: Any, raised: type, clean: bool) -> None:
    with pytest.raises(raised):
        scrub(b"{}" if clean else b"\xff", errors)
    with pytest.raises(raised):
        Scrubber(errors)


# --- foreign handlers -------------------------------------------------------------------------------------------------


def test_a_foreign_handler_writes_text_and_json_gets_it_escaped(handler: Any) -> None:
    told: list[tuple[type, Any, int, int]] = []

    def answer(error: Any) -> tuple[str, int]:
        told.append((type(error), error.object[error.start : error.end], error.start, error.end))
        return f'"\\\n{len(told)}', error.end

    assert json.loads(scrub(b'["\xc3\xa9\xff\xe2\x82", "a\\ud83d"]', handler(answer))) == [
        *('é"\\\n1"\\\n2', 'a"\\\n3'),
    ]
    assert told == [
        (eightfold.DecodeError, b"\xff", 2, 3),
        (eightfold.DecodeError, b"\xe2\x82", 3, 5),
        (eightfold.EncodeError, "\ud83d", 0, 1),
    ]


def test_what_a_foreign_handler_writes_beyond_ascii(handler: Any) -> None:
    errors = handler(lambda error: ("é".encode() if isinstance(error, UnicodeEncodeError) else "é", error.end))
    assert scrub(b'"\xff\\ud83d"', errors) == b'"\xc3\xa9\\u00e9"'


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        (lambda error: ("a\0", len(error.object)), rb"a\u0000"),
        (lambda error: (error.object[error.start :].decode("latin-1"), len(error.object)), "\xff\xe2\x82".encode()),
        (lambda error: (f"{len(error.object)}", len(error.object)), b"3"),
    ],
)
def test_a_handler_may_answer_for_all_that_it_sees_and_sees_nothing_else(
    handler: Any, answer: Callable[[Any], Any], written: bytes
) -> None:
    for before, after in ((b'"', b'"'), (b'"', b""), (b"", b"\n")):
        assert scrub(before + b"\xff\xe2\x82" + after, handler(answer)) == before + written + after


def test_offsets_count_bytes_of_the_text_also_after_a_handler_has_written_more_or_less(handler: Any) -> None:
    def raw_only(written: str) -> str:
        def answer(error: Any) -> tuple[str, int]:
            if isinstance(error, UnicodeEncodeError):
                raise error
            return written, error.end

        return handler(answer)  # type: ignore[no-any-return]

    for written in ("", "?", "longer"):
        for data, start, end in (
            (b'"\xff\xff\\ud83d"', 3, 9),
            (b'"\\ud83d\xff\\n"', 1, 7),
            (b'\xff"\\ud83d\\ude00\xffa\\udc00\xff', 16, 22),
        ):
            for parts in every_cut(data):
                assert in_pieces(parts, raw_only(written))[:4] == ("json", "utf-8", start, end)
    for parts in every_cut(data := b'"\xff\\ud8\xff\xff3d"'):
        assert in_pieces(parts, raw_only(""))[:4] == ("json", "utf-8", 2, len(data) - 1)


def test_the_escapes_of_xtf_8_for_bytes_and_an_error_for_escapes() -> None:
    eightfold.register_codecs()
    assert scrub(b'"caf\xe9"', "xtf8") == '"caf\uefe9"'.encode()
    with pytest.raises(eightfold.ConversionError, match="at 6: U"):
        scrub(b'"caf\xe9 \\ud83d"', "xtf8")


def test_a_foreign_handler_that_does_what_it_should_not(handler: Any) -> None:
    with pytest.raises(eightfold.DecodeError):
        scrub(rb'"\ud83d"', handler(lambda error: (b"\xff", error.end)))
    with pytest.raises(eightfold.ConversionError):
        scrub(rb'"\ud83d"', handler(lambda error: ("é", error.end)))  # as in CPython's UTF-8: a str must be ASCII
    with pytest.raises(IndexError):
        scrub(rb'"\ud83d"', handler(lambda error: ("", 0)))
    with pytest.raises(TypeError):
        scrub(b'"\xff"', handler(lambda error: None))
    with pytest.raises(RuntimeError):
        scrub(b'"\xff"', handler(lambda error: ("", error.start)))


# --- the checks can fail ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("planted", [lambda data: data, lambda data: data.replace(rb"\ud83d", rb"\ufffd")])
def test_a_scrub_that_does_nothing_or_knows_no_pairs_is_caught(planted: Callable[[bytes], bytes]) -> None:
    assert any(planted(data) != by_hand(data, "replace") for data in IN_STRING)
