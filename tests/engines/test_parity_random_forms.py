"""Every verb on forms as users may build them: the compiled core against the reference.

`random_forms` draws the forms and the inputs. Two hundred of them are the same each time where CI is set; `make
test-search` takes thousands of new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import Form, Row, reference
from eightfold._engine import CORE
from eightfold.pieces import TWINS as PASSES
from eightfold.pieces import line_feeds
from eightfold.stream import Checker, Converter, Decoder, Encoder
from eightfold.text import TWINS
from support.both_engines import outcome, reference_streams
from support.random_forms import early_form, long_input, random_form, random_input, random_points, signed, text_of

pytestmark = pytest.mark.skipif(CORE is None, reason="the reference is the engine: there is nothing to compare")

DECODING = ("strict", "replace", "ignore", "surrogateescape", "surrogatepass", "backslashreplace")
ENCODING = (*DECODING, "xmlcharrefreplace", "namereplace")


class Call(NamedTuple):
    """Something to ask both engines."""

    name: str
    core: Callable[..., Any]
    reference: Callable[..., Any]
    given: tuple[Any, ...]

    def difference(self) -> str:
        found, expected = outcome(self.core, *self.given), self.expected()
        return "" if found == expected else ascii((self.name, self.given, found, expected))

    def expected(self) -> Any:
        with reference_streams():
            return outcome(self.reference, *self.given)


def verb(name: str, *given: Any) -> Call:
    return Call(name, getattr(eightfold, name), TWINS[name], given)


def in_pieces(coder: Callable[..., Any], *given: Any) -> Call:
    return Call(coder.__name__, coder, coder, given)


# --- what is asked ----------------------------------------------------------------------------------------------------


def sequences(engine: Any, form: Form, data: bytes) -> list[Any]:
    """Return what an engine says begins at each offset, and which fault, with and without more to come."""
    found = []
    for at in range(0, len(data), form.unit_bytes):
        for final in (True, False):
            step = engine.sequence_at(form, data, at, final=final)
            fault = engine.fault_at(form, data, at, final=final) if step is None or step[1] is None else None
            found.append((at, step, fault))
    return found


def of_core(form: Form, data: bytes) -> list[Any]:
    return sequences(CORE, form, data)


def of_reference(form: Form, data: bytes) -> list[Any]:
    return sequences(reference, form, data)


def pieces(whole: Any, cuts: tuple[int, ...]) -> Iterator[tuple[Any, bool]]:
    borders = (0, *cuts, len(whole))
    return (
        (whole[start:end], end == borders[-1] and at == len(cuts)) for at, (start, end) in enumerate(pairwise(borders))
    )


def decoded(data: bytes, form: Form, policy: str, cuts: tuple[int, ...]) -> list[Any]:
    coder = Decoder(form, policy)
    return [(coder.decode(piece, final=final), coder.getstate()) for piece, final in pieces(data, cuts)]


def encoded(text: str, form: Form, policy: str, cuts: tuple[int, ...]) -> list[Any]:
    coder = Encoder(form, policy)
    try:
        return [(coder.encode(piece, final=final), coder.getstate()) for piece, final in pieces(text, cuts)]
    finally:
        # One that goes away while it holds a lead warns.
        coder.setstate(1)


def converted(data: bytes, source: Form, target: Form, policy: str, cuts: tuple[int, ...]) -> list[Any]:
    coder = Converter(source, target, policy)
    return [(coder.convert(piece, final=final), coder.getstate()) for piece, final in pieces(data, cuts)]


def checked(data: bytes, form: Form, cuts: tuple[int, ...]) -> list[Any]:
    checker = Checker(form)
    return [checker.check(piece, final=final) for piece, final in pieces(data, cuts)]


def cuts_of(whole: Any, chance: Random) -> tuple[int, ...]:
    return tuple(sorted(chance.randrange(len(whole) + 1) for _ in range(chance.choice((1, 1, 2, 4)))))


def targets(form: Form, other: Form, chance: Random) -> list[Form]:
    # Nothing is encoded with rows that share code points.
    own = [each for each in (other, form) if not each.decode_only]
    return [*own, chance.choice(eightfold.forms())]


def calls_on_bytes(form: Form, other: Form, data: bytes, chance: Random) -> Iterator[Call]:
    if len(data) < 200 and not form.signatures:
        yield Call("sequences", of_core, of_reference, (form, data))
    yield verb("faults", data, form)
    yield verb("tally", data, form)
    yield verb("is_well_formed", data, form)
    for policy in DECODING:
        yield verb("decode", data, form, policy)
    for policy in chance.sample(DECODING, 2):
        yield verb("decode_code_points", data, form, policy)
    for target in targets(form, other, chance):
        yield verb("convert", data, form, target, chance.choice(ENCODING))
    cuts = cuts_of(data, chance)
    yield in_pieces(decoded, data, form, chance.choice(DECODING), cuts)
    yield in_pieces(converted, data, form, chance.choice(targets(form, other, chance)), chance.choice(ENCODING), cuts)
    yield in_pieces(checked, data, form, cuts)
    if not form.signatures:
        yield Call("line_feeds", line_feeds, PASSES["line_feeds"], (form, data))


def calls_on_points(form: Form, points: list[int], chance: Random) -> Iterator[Call]:
    text = text_of(points)
    for policy in ENCODING:
        yield verb("encode", text, form, policy)
    yield verb("is_encodable", text, form)
    yield verb("encode_faults", text, form)
    for policy in ("strict", "replace", "ignore"):
        yield verb("encode_code_points", points, form, policy)
    yield in_pieces(encoded, text, form, chance.choice(ENCODING), cuts_of(text, chance))


def calls(seed: int) -> Iterator[Call]:
    """Yield what is asked of one form: about 150 things."""
    chance = Random(seed)
    form, other = random_form(chance), random_form(chance)
    asked = signed(form, chance) if chance.random() < 0.1 else form
    for _ in range(5):
        yield from calls_on_bytes(asked, other, random_input(form, chance), chance)
    for _ in range(0 if form.decode_only else 3):
        yield from calls_on_points(asked, random_points(form, chance), chance)


def long_calls(seed: int) -> Iterator[Call]:
    """Yield some of what may be asked of one form and one long input."""
    chance = Random(seed)
    form, other = random_form(chance), random_form(chance)
    data, target = long_input(form, chance), chance.choice(targets(form, other, chance))
    every = [
        verb("faults", data, form),
        verb("tally", data, form),
        verb("decode", data, form, chance.choice(DECODING)),
        verb("decode", data, form, chance.choice(DECODING)),
        verb("decode_code_points", data, form, chance.choice(DECODING)),
        verb("convert", data, form, target, chance.choice(ENCODING)),
        in_pieces(converted, data, form, target, "replace", cuts_of(data, chance)),
    ]
    if not form.decode_only:
        points = random_points(form, chance) * 40 + random_points(form, chance) * chance.randrange(40)
        every.append(verb("encode", text_of(points), form, chance.choice(ENCODING)))
        every.append(verb("encode_code_points", points, form, "ignore"))
    yield from chance.sample(every, 4)


def differences(asked: Iterator[Call]) -> list[str]:
    return [found for call in asked if (found := call.difference())]


@given(seed=st.integers(0, 2**64))
def test_every_verb(seed: int) -> None:
    for each in range(2):
        assert differences(calls(seed + each)) == []


@given(seed=st.integers(0, 2**64))
def test_long_inputs(seed: int) -> None:
    assert differences(long_calls(seed)) == []


@given(seed=st.integers(0, 2**64))
def test_longer_sequences_that_begin_early(seed: int) -> None:
    chance = Random(seed)
    form = early_form(chance)
    edges = [point for row in form.rows for point in (row.first, row.last, row.last + 1) if point <= 0xFFFF]
    points = [ord("a"), *chance.sample(edges, 2)] if chance.random() < 0.5 else [*edges, 0xD800, 0xDC00]
    text = "".join(map(chr, chance.choices(points, k=chance.randrange(150))))
    asked = [verb("encode", text, form, policy) for policy in ENCODING]
    asked.append(verb("convert", text.encode("utf-16-le", "surrogatepass"), "wtf-16-le", form, chance.choice(ENCODING)))
    data = eightfold.encode(text, form, "ignore")
    asked += [verb("decode", data, form), verb("convert", data, form, "utf-8", "replace"), verb("tally", data, form)]
    assert differences(iter(asked)) == []


UNSHARED = (Row(0xDC80, 0xDCFF, (0x80, 0xFF)), Row(0xD800, 0xDFFF, (0xED, 0xED), (0xA0, 0xBF), (0x80, 0xBF)))
TEXT = [*"aé ", *"жук", *"中文字", "😀"]
FAULTS = (b"\xff", b"\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80")


def near_utf_8(chance: Random) -> Form:
    """Return a form that shares most of UTF-8: a row is left out, moved or added."""
    rows = list(eightfold.form("utf-8").rows)
    at = chance.randrange(1, len(rows))
    row = rows[at]
    moved = Row(row.first + 0x40, row.last + 0x40, *row.unit_ranges)
    rows[at : at + 1] = chance.choice(([], [moved], [row, chance.choice(UNSHARED)]))
    return Form("near", rows, longest_match=True, decode_only=True)


@given(seed=st.integers(0, 2**64))
def test_long_dirty_text_of_forms_near_utf_8(seed: int) -> None:
    """Faults that are close are read in other ways than few, and long text in other ways than short."""
    chance = Random(seed)
    form, one_in = near_utf_8(chance), chance.choice((2, 5, 20))
    letters = [letter.encode() for letter in chance.sample(TEXT, chance.randrange(1, len(TEXT)))]
    drawn = (chance.choice(letters if chance.randrange(one_in) else FAULTS) for _ in range(6000))
    data = b"".join(drawn)[: chance.randrange(4097, 6000)]
    asked = [verb("decode", data, form, policy) for policy in chance.sample(DECODING, 2)]
    assert differences(iter([*asked, verb("convert", data, form, "utf-8", "replace")])) == []


OTHERWISE = (
    Row(0x41, 0x41, (0xFF, 0xFF)),
    Row(0, 0, (0xC0, 0xC0), (0x80, 0x80)),
    Row(0x20AC, 0x20AC, (0xFE, 0xFE)),
    Row(0xE000, 0x30DFFF, (0xE1, 0xEC), *[(0x80, 0xBF)] * 3),
)


@pytest.mark.parametrize("other", OTHERWISE, ids=str)
def test_of_two_rows_that_share_code_points_the_first_one_writes(other: Row) -> None:
    """Text may be read as UTF-8 is, and not be written so."""
    point, utf_8 = chr(other.first), eightfold.form("utf-8").rows
    fitting = [row for row in utf_8 if row.unit_ranges[0][0] not in range(0xE1, 0xED)]
    for rows in ((other, *utf_8), (*utf_8, other), (other, *fitting)):
        try:
            form = Form("own", rows, decode_only=True)
        except ValueError:  # The rows share sequences.
            continue
        for count in (0, 20, 300, 9000):
            text = point + "b" * count + point
            data = text.encode()
            asked = [verb("encode", text, form), verb("convert", data, "utf-8", form)]
            asked += [verb("convert", text.encode("utf-16-le"), "utf-16-le", form)]
            assert differences(iter(asked)) == []


def test_a_wrong_table_is_seen() -> None:
    """A core that was compiled from other rows than the reference reads is caught by some of the first forms."""
    assert any(differences(calls_on_moved_rows(seed)) for seed in range(5))


def calls_on_moved_rows(seed: int) -> Iterator[Call]:
    chance = Random(seed)
    form = random_form(chance)
    *kept, last = form.rows
    moved = Row(last.first - 1, last.last - 1, *last.unit_ranges) if last.first else last
    wrong = Form(
        "wrong",
        [*kept, moved],
        unit_bits=form.unit_bits,
        byte_order=form.byte_order,
        longest_match=True,
        decode_only=True,
    )  # type: ignore[arg-type]
    assert CORE is not None
    CORE.sequence_at(wrong, b"", 0)
    form.derived["native"] = wrong.derived["native"]
    for _ in range(20):
        yield from calls_on_bytes(form, form, random_input(form, chance), chance)
