"""What whole modules are made of, and handlers: the core joins, finds, counts and asks as the reference does."""

from __future__ import annotations

import codecs
import copy
import gc
import pickle
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product

import pytest

import eightfold
from eightfold import jsontext, policy, reference, run
from eightfold._engine import CORE, twins_of
from eightfold.text import TWINS
from support.needed import needs_core


@needs_core
def test_parts_are_joined_as_the_reference_joins_them() -> None:
    twin = twins_of(eightfold.wtf8.__name__)["joined"]
    wtf_8 = eightfold.form("wtf-8")
    strings = [eightfold.encode(text, wtf_8) for text in ("", "a", "\ud83d", "\ude00", "\ud83da", "a\ude00", "😀", "é")]
    for count in range(5):
        for parts in product(strings, repeat=count):
            assert CORE.joined(wtf_8, iter(parts)) == twin(wtf_8, parts)
    with pytest.raises(TypeError):
        CORE.joined(wtf_8, [bytearray(b"a")])


@needs_core
def test_no_unpaired_escape_is_missed() -> None:
    fragments = (b'"', b"\\", b"\\\\", b"\\ud83d", b"\\uDE00", b"\\ud8", b"\\ude0", b"\n", b"a", b"u")
    found = 0
    for count in range(6):
        for parts in product(fragments, repeat=count):
            text = b"".join(parts)
            changes = jsontext.Scrubber().scrub(text, final=True) != text
            assert not changes or CORE.unpaired_escapes(text)[0], text
            found += changes
    assert found > 1000
    assert not CORE.unpaired_escapes(rb'"\ud83d\ude00 \\ \n \u00e9 \uD83D\uDE00" \u12')[0]
    assert CORE.unpaired_escapes(rb'"\ud83d\ude0"')[0]


@needs_core
@pytest.mark.parametrize("text", ["é" * 100, "漢" * 100, "😀" * 100, "a" * 100])
def test_a_surrogate_is_found_wherever_it_stands(text: str) -> None:
    assert eightfold.scrub(text) is text
    for at in range(len(text)):
        unfit = text[:at] + "\ude00" + text[at:]
        assert eightfold.scrub(unfit) == text[:at] + "\ufffd" + text[at:]


@needs_core
@pytest.mark.parametrize("name", [form.name for form in eightfold.forms()])
def test_line_feeds_are_counted_as_the_reference_counts_them(name: str) -> None:
    form, draw = eightfold.form(name), random.Random(name)
    feed = reference.encoded(form, 0x0A)
    assert feed is not None
    others = [reference.encoded(form, 0x61), b"\n" * form.unit_bytes, bytes([0, 10] * 2)[: form.unit_bytes], feed[::-1]]
    for count in [*range(12), 191, 192, 193, 6143, 6144, 6145, 20_000]:
        # All, few and none; where they are few, the last is often in an earlier block.
        for share in (1, 0.5, 0.0002, 0):
            data = b"".join(feed if draw.random() < share else draw.choice(others) or b"" for _ in range(count))
            for cut in {0, min(1, len(data)), form.unit_bytes - 1}:
                part = data[: len(data) - cut]
                assert CORE.line_feeds(form, part) == reference.line_feeds(form, part)


@needs_core
@pytest.mark.parametrize("ranges", [[(0x8A, 0x8A)] * 2, [(0xC0, 0xC0), (0x8A, 0x8A)], None])
def test_a_line_feed_may_be_several_bytes_or_missing(ranges: list[tuple[int, int]] | None) -> None:
    others = [eightfold.Row(0, 9, (0, 9)), eightfold.Row(0x0B, 0x7F, (0x0B, 0x7F))]
    rows = others if ranges is None else [*others, eightfold.Row(0x0A, 0x0A, *ranges)]
    form = eightfold.Form("feeds", rows=rows)
    draw = random.Random(0)
    for count in range(300):
        data = bytes(draw.choice([0x8A, 0xC0, 0x0A, 0x61]) for _ in range(count))
        assert CORE.line_feeds(form, data) == reference.line_feeds(form, data)


@contextmanager
def asked(back: int = 0) -> Iterator[list[tuple[object, ...]]]:
    """Register a handler that goes on some units before the end of every third fault, and yield what it is asked.

    That is all that an exception is, here and behind a pickle and a copy.
    """
    seen: list[tuple[object, ...]] = []

    def handler(error: UnicodeDecodeError | UnicodeEncodeError) -> tuple[str, int]:
        each = [
            (type(e), e.args, str(e), vars(e)) for e in (error, pickle.loads(pickle.dumps(error)), copy.copy(error))
        ]
        assert each[0] == each[1] == each[2]
        seen.append(each[0])
        return "?", error.end if len(seen) % 3 else max(error.end - back, error.start + 1)

    codecs.register_error("eightfold-test-asked", handler)
    yield seen


DIRT = (
    *(b"\xff\xfe", b"\x80", b"\xc0\xaf", b"\xe2\x82", b"\xed\xa0\x80", b"\xed\xb0", b"\xf0\x9f\x92", b"\xee\xbe\x80"),
    *(
        b"\xf8\x88\x80\x80\x80a",
        b"\xf4\x90\x80\x80",
        b"\x00\xd8",
        b"\xd8\x00",
        b"\xff\xff\xff\xff",
        b"\xfe\x80\xff\x80",
    ),
)
PLAIN_FORMS = [form for form in eightfold.forms() if not form.signatures]


@pytest.mark.parametrize("form", PLAIN_FORMS, ids=lambda form: form.name)
@pytest.mark.parametrize("back", [0, 1])
def test_handlers_of_decoding_are_asked_as_the_reference_asks(form: eightfold.Form, back: int) -> None:
    draw, plain = random.Random(5), eightfold.encode("a", form)
    for _ in range(100):
        data = b"".join(draw.choice((plain, *DIRT)) for _ in range(draw.randrange(1, 12)))
        with asked(back) as seen:
            text = eightfold.decode(data, form, "eightfold-test-asked")
        with asked(back) as expected:
            decoding = run.Decoding(policy.reading(form, "eightfold-test-asked", form.name), data)
            points = [point for piece in decoding.pieces(final=True) for point in piece.code_points]
        assert (text, seen) == ("".join(map(chr, points)), expected)


@pytest.mark.parametrize("form", PLAIN_FORMS, ids=lambda form: form.name)
def test_handlers_of_encoding_are_asked_as_the_reference_asks(form: eightfold.Form) -> None:
    draw = random.Random(5)
    for _ in range(100):
        text = "".join(
            draw.choice("a\x80\ud800\udbff\udc00\udc80\uef80\uffff\U0010ffff") for _ in range(draw.randrange(9))
        )
        with asked() as seen:
            data = eightfold.encode(text, form, "eightfold-test-asked")
        with asked() as expected:
            writing = policy.writing(form, "eightfold-test-asked", form.name)
            pieces = b"".join(run.encoded_pieces(writing, text))
        assert (data, seen) == (pieces, expected)


def converted(convert: Callable[..., bytes], *given: object) -> object:
    try:
        return convert(*given)
    except eightfold.ConversionError as error:
        return error.start, error.end, error.fault


@pytest.mark.parametrize("policy_name", ["surrogatepass", "surrogateescape", "backslashreplace"])
@pytest.mark.parametrize("form", PLAIN_FORMS, ids=lambda form: form.name)
def test_what_gives_several_code_points_is_converted_as_the_reference_converts(
    form: eightfold.Form, policy_name: str
) -> None:
    draw, texts = random.Random(7), ("a", "\x80", "\ufffe", "\U0010ffff", "\ud800", "\udc80")
    parts = [*DIRT, *(eightfold.encode(text, form, "replace") for text in texts)]
    for target in PLAIN_FORMS:
        for _ in range(12):
            data = b"".join(draw.choice(parts) for _ in range(draw.randrange(1, 9)))
            given = (data, form, target, policy_name)
            assert converted(eightfold.convert, *given) == converted(TWINS["convert"], *given), given


@needs_core
@pytest.mark.parametrize("name", [form.name for form in eightfold.forms()])
def test_many_faults_are_listed_as_the_reference_lists_them(name: str) -> None:
    # After a thousand, the next one is looked for nearby first; the window of a bytearray moves on meanwhile.
    form, chosen = eightfold.form(name), random.Random(name)
    plain = eightfold.encode("aé漢", form)
    pieces = (plain, b"\xd8\x00", b"\x00\xdc", b"\xff")
    data = b"".join(chosen.choice(pieces) * chosen.randrange(9) + chosen.randbytes(2) for _ in range(4500))
    data = data[: len(data) // 4 * 4] + plain * 4  # So that it means the same if more follows.
    expected = list(TWINS["faults"](data, form))
    assert len(expected) > 1500 or name.startswith(
        ("xtf-8", "optu-", "wtf-16")
    )  # Few bytes, or none, are faults in these.
    for given, threads in ((data, 1), (bytearray(data), 1), (data * 40, 2)):
        assert list(eightfold.faults(given, form, len(expected), threads=threads)) == expected


@needs_core
def test_the_collector_of_circles_need_not_look_at_faults() -> None:
    # Among millions of them it would take most of the time.
    assert not any(map(gc.is_tracked, eightfold.faults(b"a\xff\xfe", "utf-8")))
