"""Legacy charsets: the list, what names mean, and that pieces of every size add up to what Python does at once."""

from __future__ import annotations

import codecs
import pkgutil
import random
import subprocess
from collections.abc import Iterator
from encodings import __path__ as encodings_path
from encodings.aliases import aliases
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold import family
from eightfold.faults import ConversionError, Fault
from eightfold.forms import form, forms
from eightfold.legacy import POLICIES, Charset, CharsetConverter, CharsetDecoder, Piece, charset, charsets, decoding
from support.needed import needs_program

UTF_8 = form("utf-8")
every_charset = pytest.mark.parametrize("found", charsets(), ids=lambda found: found.name)
NOT_CHARSETS = {
    *("aliases", "charmap", "idna", "mbcs", "oem", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"),
    *("base64_codec", "bz2_codec", "hex_codec", "quopri_codec", "rot_13", "uu_codec", "zlib_codec"),
    *("utf_7", "utf_8", "utf_8_sig", "utf_16", "utf_16_be", "utf_16_le", "utf_32", "utf_32_be", "utf_32_le"),
    *("_win_cp_codecs", "iso8859_1"),
}
"""Modules of Python's encodings that are no charset, belong to one system, or are another by a second name."""
COMBINED = "\u304b\u309a"
"""Two code points that are one sequence in JIS X 0213."""
TROUBLE = b"\x1b\x1b\x1b$(B)~\x0e\x0f\n\x80\x81\x8e\x8f\xa1\xff0A"


@cache
def repertoire(codec: str) -> list[str]:
    """Return characters that a charset has, from every part of it."""
    points = [*range(0x20, 0x250), *range(0x370, 0x530), *range(0x5D0, 0x650), *range(0xE01, 0xE5C)]
    points += [
        *range(0x2010, 0x2600, 3),
        *range(0x3000, 0x3100),
        *range(0x4E00, 0x9FFF, 37),
        *range(0xAC00, 0xD7A3, 91),
    ]
    points += [*range(0xFF01, 0xFFA0), 0x20000, 0x2000B, 0x1F600, 10]
    found = [each for each in map(chr, points) if each == each.encode(codec, "ignore").decode(codec, "ignore")]
    return [*found, *[COMBINED] * (len(found) // 9 if can_write(codec, COMBINED) else 0)]


def can_write(codec: str, text: str) -> bool:
    return text.encode(codec, "ignore").decode(codec, "ignore") == text


def texts(codec: str, seed: int = 0) -> Iterator[str]:
    drawn = random.Random(seed)
    for length in (0, 2, 20):
        yield "".join(drawn.choice(repertoire(codec)) for _ in range(length))


def damaged(data: bytes, seed: int) -> bytes:
    drawn, changed = random.Random(seed), bytearray(data)
    for _ in range(seed % 4):
        changed[drawn.randrange(len(changed) or 1) : 1] = bytes([drawn.choice(TROUBLE)])
    return bytes(changed)


def converted(source: str | Charset, target: str | Charset, data: bytes, size: int, errors: str = "strict") -> bytes:
    ends = (form(each) if isinstance(each, str) else each for each in (source, target))
    converter = CharsetConverter(*ends, errors)
    pieces = [converter.convert(data[at : at + size]) for at in range(0, len(data), size)]
    return b"".join((*pieces, converter.convert(b"", final=True)))


# --- the list ---------------------------------------------------------------------------------------------------------


def test_the_list_has_every_charset_of_the_registry_and_nothing_else() -> None:
    modules = {each.name for each in pkgutil.iter_modules(encodings_path)}
    assert {found.codec for found in charsets()} == modules - NOT_CHARSETS


def test_a_name_means_what_it_means_in_python() -> None:
    codecs_here = {codecs.lookup(found.codec).name for found in charsets()}
    for name in (*aliases, *(found.name for found in charsets()), "Latin-1", "Shift JIS", "KOI8-R", "iso8859-1"):
        try:
            meant = codecs.lookup(name).name
        except LookupError:  # Of another system.
            meant = ""
        if meant in codecs_here:
            assert codecs.lookup(charset(name).codec).name == meant
        else:
            with pytest.raises(LookupError, match="unknown charset"):
                charset(name)


@pytest.mark.parametrize("name", ["rot13", "idna", "unicode_escape", "utf-7", "hex", "utf-8", "nil", "", "../x", "é"])
def test_what_is_no_charset_is_unknown(name: str) -> None:
    with pytest.raises(LookupError, match="unknown charset"):
        charset(name)


@pytest.mark.parametrize("name", [None, 3, b"latin1"])
def test_the_name_of_a_charset_is_a_str(name: object) -> None:
    with pytest.raises(TypeError, match="the name of a charset must be of type str, not"):
        charset(name)  # type: ignore[arg-type]


def test_no_charset_takes_part_in_the_family() -> None:
    assert not any(found.is_foreign for found in forms())
    assert all(found.is_foreign for found in charsets())
    assert {found.name for found in charsets()}.isdisjoint(found.name for found in forms())
    named = {name for found in forms() for name in family.compared(found).lossless_to}
    assert named.isdisjoint(found.name for found in charsets())


def test_the_name_on_the_web_is_a_larger_charset() -> None:
    others = {found: charset(found.web_name) for found in charsets() if found.web_name}
    assert len(others) == 9
    for found, other in others.items():
        assert len(every_character(other)) > len(every_character(found)), found
        assert found.warning == f"{found.name} is Python's {found.codec}; on the web this name means {other.name}"
    assert charset("windows-1252").warning == ""


def every_character(found: Charset) -> str:
    printable = "".join(filter(str.isprintable, map(chr, range(0x10000))))
    return printable.encode(found.codec, "ignore").decode(found.codec, "ignore")


@every_charset
def test_the_row_of_a_charset_is_its_line_feed(found: Charset) -> None:
    ((feed, _),) = found.rows[0].unit_ranges
    assert bytes([feed]).decode(found.codec) == "\n"
    assert "\n".encode(found.codec)[-1:] == bytes([feed])


# --- pieces -----------------------------------------------------------------------------------------------------------


@every_charset
def test_pieces_of_every_size_add_up_to_pythons_codec(found: Charset) -> None:
    for text in texts(found.codec):
        data = text.encode(found.codec)
        for size in (1, 3, 1000):
            assert converted("utf-8", found, text.encode(), size) == data
            assert converted(found, "utf-8", data, size) == data.decode(found.codec).encode()
            assert converted(found, found, data, size) == data.decode(found.codec).encode(found.codec)


@every_charset
def test_damaged_bytes_in_pieces_are_what_python_makes_of_them_at_once(
    found: Charset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoding, "_SHORT_PIECE", 24)
    for seed, text in enumerate([*texts(found.codec, 1), *texts(found.codec, 2)]):
        data = damaged(text.encode(found.codec), seed)
        for size in (1, 7):
            for errors in ("replace", "ignore", "backslashreplace"):
                assert converted(found, "utf-8", data, size, errors) == data.decode(found.codec, errors).encode()
            assert faults(found, data, size) == faults_of_python(found.codec, data)


@pytest.mark.parametrize("name", ["iso-2022-jp", "iso-2022-kr", "iso-2022-jp-ext"])
@given(data=st.lists(st.sampled_from([0x1B, 0x24, 0x28, 0x29, 0x42, 0x43, 0x20, 0x0E, 0x21]), max_size=60).map(bytes))
def test_unfinished_escape_sequences_in_pieces(name: str, data: bytes) -> None:
    # Python's own decoders in pieces raise "pending buffer overflow" here.
    found = charset(name)
    for size in (1, 2, 5, 9, 17):
        assert converted(found, "utf-8", data, size, "replace") == data.decode(found.codec, "replace").encode()


def faults(found: Charset, data: bytes, size: int) -> list[tuple[int, int]]:
    decoder, seen = CharsetDecoder(found), list[Piece | Fault]()
    for at in range(0, len(data), size):
        seen += decoder.pieces(data[at : at + size])
    seen += decoder.pieces(b"", final=True)
    assert b"".join(each.data if isinstance(each, Piece) else each.units for each in seen) == data
    return [(each.start, each.end) for each in seen if isinstance(each, Fault)]


def faults_of_python(codec: str, data: bytes) -> list[tuple[int, int]]:
    seen: list[tuple[int, int]] = []

    def see(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        seen.append((error.start, error.end))
        return "", error.end

    codecs.register_error("eightfold.seeing", see)
    data.decode(codec, "eightfold.seeing")
    return seen


@every_charset
@pytest.mark.parametrize("errors", POLICIES[1:])
def test_what_the_target_lacks_is_written_as_python_does(found: Charset, errors: str) -> None:
    drawn = random.Random(3)
    text = "".join(
        drawn.choice([*repertoire(found.codec)[:60], *"\u20ac\U0001f600\ue000\u3042\xe9"]) for _ in range(40)
    )
    expected = text.encode(found.codec, errors)
    for size in (1, 4, 1000):
        assert converted("utf-8", found, text.encode(), size, errors) == expected


@pytest.mark.parametrize("errors", POLICIES[1:])
def test_surrogates_are_written_as_python_does(errors: str) -> None:
    data = b"a\xed\xa0\xbd\xc3\xa9"
    expected = "a\ud83d\xe9".encode("cp1252", errors)
    assert converted("wtf-8", charset("cp1252"), data, 2, errors) == expected


def test_the_reset_sequence_is_written_at_the_end() -> None:
    assert converted("utf-8", charset("iso-2022-jp"), "日".encode(), 1).endswith(b"\x1b(B")
    assert converted("utf-8", charset("hz"), "日".encode(), 1).endswith(b"~}")


# --- faults -----------------------------------------------------------------------------------------------------------


def stopped(source: str | Charset, target: str | Charset, data: bytes, size: int) -> tuple[ConversionError, bytes]:
    """Return the error of a conversion, and all that was converted before it."""
    ends = [form(each) if isinstance(each, str) else each for each in (source, target)]
    converter, results, passed = CharsetConverter(*ends), b"", 0
    for at in [*range(0, len(data), size), len(data)]:
        try:
            results += converter.convert(data[at : at + size], final=at >= len(data))
        except ConversionError as error:
            assert converter.before[0] == error.start >= 0
            return error, results + converter.before[1]
        passed += size
    raise AssertionError("nothing stopped it")


@pytest.mark.parametrize(
    ("name", "data", "kind", "span"),
    [
        ("windows-1252", b"ab\x81c", "undefined", (2, 3)),
        ("ascii", b"ab\xe9", "undefined", (2, 3)),
        ("shift_jis", b"\x82\xa0\x82\xff\x82\xa0", "undefined", (2, 3)),
        ("shift_jis", b"\x82\xa0\x82", "truncated", (2, 3)),
        ("gb18030", b"a\x81\x30\x81", "truncated", (1, 4)),
        ("euc-jp", b"a\x8f\xb0", "truncated", (1, 3)),
        ("iso-2022-jp", b"a\x1b$B!", "truncated", (4, 5)),
        ("iso-2022-jp", b"a\x1b$", "truncated", (1, 3)),
        ("hz", b"a~{VP", "", (0, 0)),
        ("hz", b"a~{V", "truncated", (3, 4)),
    ],
)
def test_a_fault_of_the_source_has_its_kind_and_span_in_pieces_of_every_size(
    name: str, data: bytes, kind: str, span: tuple[int, int]
) -> None:
    for size in range(1, len(data) + 1):
        if not kind:
            converted(charset(name), "utf-8", data, size)
            continue
        error, before = stopped(charset(name), "utf-8", data, size)
        assert (error.fault.kind, error.fault.form, error.fault.at_end) == (kind, name, kind == "truncated")
        assert (error.start, error.end) == (error.fault.start, error.fault.end) == span
        assert error.fault.units == data[slice(*span)]
        assert before == data[: span[0]].decode(charset(name).codec).encode()


ENDS = [
    "utf-8",
    "utf-8-sig",
    "utf-16",
    "utf-32-be",
    "cesu-8",
    "wtf-8",
    *map(charset, ("shift_jis", "gb18030", "cp500")),
]


@pytest.mark.parametrize("end", ENDS, ids=str)
def test_a_code_point_that_the_target_lacks_is_named_with_its_place(end: str | Charset) -> None:
    codec = end.codec if isinstance(end, Charset) else "utf-8" if end in ("cesu-8", "wtf-8") else end
    lacked = "\xe9" if codec == "cp500" else "\u4e2d"
    for text in (lacked, f"a{lacked} b{lacked}", f"\n\n{lacked}", f"abc{lacked}\n"):
        data, before = text.encode(codec), text[: text.index(lacked)]
        start = (
            len(before.encode(codec)) if before else len(data) - len(text.encode(codec).lstrip(b"\xff\xfe\xef\xbb\xbf"))
        )
        for size in (1, 2, 3, 100):
            error, result = stopped(end, charset("ascii"), data, size)
            assert str(error.fault) == f"U+{ord(lacked):04X} cannot be written in ascii"
            assert (error.start, error.end) == (
                start,
                start + len(lacked.encode(codec.replace("-sig", ""))) - 2 * (codec == "utf-16"),
            )
            assert result.decode() == before


def test_the_place_in_a_stateful_charset_is_without_the_escape_sequence_before_it() -> None:
    for size in (1, 3, 100):
        error, before = stopped(charset("iso-2022-jp"), charset("ascii"), b"a\x1b$BCf0l\x1b(Bb", size)
        assert (error.start, error.end, before) == (4, 6, b"a")


def test_an_unpaired_surrogate_is_named() -> None:
    error, before = stopped("wtf-8", charset("latin-1"), b"ab\xed\xa0\xbdc", 2)
    assert (error.start, error.end, before) == (2, 5, b"ab")
    assert str(error) == "wtf-8 to iso-8859-1, at 2: U+D83D cannot be written in iso-8859-1"


def test_ill_formed_utf_8_has_the_fault_that_it_always_has() -> None:
    error, before = stopped("utf-8", charset("latin-1"), b"ab\xed\xa0\xbdc", 2)
    assert (error.fault.kind, error.start, error.fault.end, before) == ("surrogate", 2, 5, b"ab")


def test_a_policy_of_the_family_is_refused() -> None:
    with pytest.raises(ValueError, match="errors='escape' is not for legacy charsets"):
        CharsetConverter(UTF_8, charset("latin-1"), "escape")


def test_garbage_takes_linear_time_and_memory() -> None:
    for name, data in (("ascii", b"\xff"), ("iso-2022-jp", b"\x1b$"), ("shift_jis", b"\x82\xff")):
        decoder = CharsetDecoder(charset(name))
        assert sum(1 for _ in decoder.pieces(data * 30_000)) >= 29_000
        assert len(decoder._held) <= 32


# --- another program --------------------------------------------------------------------------------------------------

SAMPLES = {
    "windows-1252": "Café “Œuvre” … 5 €\n",
    "windows-1251": "Съешь же ещё этих мягких французских булок\n",
    "iso-8859-1": "Ça va très bien\n",
    "iso-8859-2": "Zażółć gęślą jaźń\n",
    "iso-8859-7": "Ξεσκεπάζω\n",
    "koi8-r": "Съешь же ещё\n",
    "shift_jis": "日本語、カタカナ\n",
    "euc-jp": "日本語、カタカナ\n",
    "iso-2022-jp": "ABC 日本語 DEF 漢字\n",
    "gbk": "中文简体\n",
    "gb18030": "中文简体 😀 é\n",
    "big5": "中文繁體\n",
    "euc-kr": "한국어\n",
    "cp437": "Ünder ½ ░▒▓\n",
    "cp850": "Ærø ½\n",
    "tis-620": "ภาษาไทย\n",
}


@needs_program("iconv")
@pytest.mark.parametrize("name", SAMPLES)
def test_iconv_agrees(name: str) -> None:
    text = SAMPLES[name]
    found = converted("utf-8", charset(name), text.encode(), 3)
    line = ["iconv", "-f", "UTF-8", "-t", "SHIFT_JIS" if name == "shift_jis" else name.upper()]
    assert subprocess.run(line, input=text.encode(), capture_output=True, check=True).stdout == found
    assert converted(charset(name), "utf-8", found, 3) == text.encode()


@pytest.mark.parametrize("count", range(1, 40))
def test_no_tilde_of_hz_is_lost(count: int) -> None:
    text = "中a" * count + "~~~b"
    data = converted("utf-8", charset("hz"), text.encode(), 10_000)
    assert data.count(b"~~") >= 3
    assert data.decode("hz") == text


def test_an_error_in_hz_names_its_place() -> None:
    with pytest.raises(ConversionError) as raised:
        converted("utf-8", charset("hz"), "中~😀~".encode(), 100)
    assert (raised.value.start, raised.value.end) == (4, 8)
