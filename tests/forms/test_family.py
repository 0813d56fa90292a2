"""Which form contains which and which conversions are lossless: what is derived holds when it is tried.

For the family it is tried on one string for each way through the tables; for small forms made at random, on every
string as long as any two entries can reach, which is a proof for each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import eightfold
from eightfold import FaultRow, Form, Row, Signature, family, fault_row, forms, reference
from eightfold.family import contains, is_lossless, lost
from eightfold.forms.rows import Range
from eightfold.points import Points
from support.byte_classes import strings

FORMS = forms()
Texts = Iterable[tuple[int, ...]]
Reading = list[tuple[int, int]]


# --- what is so -------------------------------------------------------------------------------------------------------


def test_who_contains_whom_in_the_family() -> None:
    found = {(outer.name, inner.name) for outer in FORMS for inner in FORMS if contains(outer, inner)}
    assert found - {(form.name, form.name) for form in FORMS} == {
        *(("wtf-8", "utf-8"), ("generalized-utf-8", "utf-8"), ("generalized-utf-8", "wtf-8")),
        *(("utf-8-rfc2044", "utf-8"), ("utf-8-rfc2044", "wtf-8"), ("utf-8-rfc2044", "generalized-utf-8")),
        *(("wtf-16", "utf-16"), ("wtf-16-le", "utf-16-le"), ("wtf-16-be", "utf-16-be")),
    }


def test_every_form_contains_itself_and_comes_back_from_itself() -> None:
    assert all(contains(form, form) and is_lossless(form, form) for form in FORMS)


def test_what_a_form_contains_it_also_brings_back() -> None:
    assert all(is_lossless(inner, outer) for outer in FORMS for inner in FORMS if contains(outer, inner))


def test_containing_goes_on_from_form_to_form() -> None:
    for outer, middle, inner in product(FORMS, repeat=3):
        assert not (contains(outer, middle) and contains(middle, inner)) or contains(outer, inner)


@pytest.mark.parametrize(
    ("source", "target", "points"),
    [
        ("wtf-8", "utf-8", (0xD800,)),
        ("generalized-utf-8", "wtf-8", (0xD800, 0xDC00)),
        ("optu-8", "wtf-16-le", (0xD800, 0xDC00)),
        ("optu-8", "optu-16-le", None),
        ("optu-16", "optu-8", (0xFFFE,)),
        ("optu-16-be", "wtf-8", (0xD800, 0xDC00)),
        ("wtf-16-le", "optu-16-le", (0x10000,)),
        ("utf-8", "xtf-8", (0xEFC2, 0xEF80)),
        ("utf-8", "optu-8", (0xFFFE,)),
        ("utf-8", "corrected-utf-8", (0x80,)),
        ("utf-8-rfc2044", "generalized-utf-8", (0x110000,)),
        ("xtf-8", "utf-8", None),
        ("wtf-8", "wtf-16", None),
        ("wtf-16-be", "mutf-8", None),
        ("cesu-8", "utf-32", None),
    ],
)
def test_what_is_lost(source: str, target: str, points: tuple[int, ...] | None) -> None:
    assert lost(source, target) == points


# --- tried on the family ----------------------------------------------------------------------------------------------


def cuts(*compared: Form) -> list[int]:
    """Return the values of a code unit at which some entry of the forms begins or ends to take them.

    0001 is another unit in the other byte order, which 0000 is not.
    """
    entries = [entry for form in compared for entry in form.sequences]
    return sorted({1, *(cut for entry in entries for low, high in entry.unit_ranges for cut in (low, high + 1))})


def sequences(form: Form, other: Form) -> Iterator[bytes]:
    """Yield of each row the sequences with one unit of each class that the tables of both forms tell apart.

    Past the second unit all are of their lowest class: no form of the family tells more there.
    """
    at = cuts(form, other) if form.unit_bits == other.unit_bits else cuts(form)
    for row in form.rows:
        choices = [[low, *(cut for cut in at if low < cut <= high)] for low, high in row.unit_ranges]
        few = [choice if place in (0, 1, 4) else choice[:1] for place, choice in enumerate(choices)]
        for units in product(*few):
            yield b"".join(unit.to_bytes(form.unit_bytes, form.byte_order) for unit in units)


def inputs(inner: Form, outer: Form) -> Iterator[bytes]:
    """Yield well-formed and other inputs of the inner form that meet every entry of the outer one."""
    plain = inner.signatures[0].form if inner.signatures else inner
    found = list(dict.fromkeys(sequences(plain, outer.signatures[0].form if outer.signatures else outer)))
    marks = [b"", *(signature.mark for signature in (*inner.signatures, *outer.signatures))]
    yield from (mark + each for mark in marks for each in (b"", *found))
    yield from (one + other for one in found for other in found)
    yield from strings(plain, 1)


@cache
def read(form: Form, data: bytes) -> list[int] | None:
    try:
        return eightfold.decode_code_points(data, form).tolist()
    except eightfold.DecodeError:
        return None


def counterexample(outer: Form, inner: Form) -> bytes | None:
    for data in inputs(inner, outer):
        points = read(inner, data)
        if points is not None and points != read(outer, data):
            return data
    return None


@pytest.mark.parametrize("inner", FORMS, ids=lambda form: form.name)
def test_containing_holds_when_it_is_tried(inner: Form) -> None:
    for outer in FORMS:
        assert (counterexample(outer, inner) is None) == contains(outer, inner), outer.name
    read.cache_clear()


POINTS = [
    *(0, 0x7F, 0x80, 0x9F, 0xA0, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xEF7F, 0xEF80),
    *(0xEFBF, 0xEFC2, 0xEFE1, 0xEFFF, 0xF000, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x10FFFF, 0x110000),
    *(0x1FFFFF, 0x7FFFFFFF, 0x8421109F),
]
"""Where rows of the family begin and end, surrogates that make pairs, and escapes that make sequences."""


@cache
def written(form: Form, points: tuple[int, ...]) -> bytes | None:
    try:
        return eightfold.encode_code_points(points, form)
    except eightfold.ConversionError:
        return None


def holds(form: Form, points: tuple[int, ...]) -> bool:
    """Say whether some well-formed text of the form holds these code points: the only one that can is tried."""
    plain = form.signatures[0].form if form.signatures else form
    parts = [reference.encoded(plain, point) for point in points]
    return None not in parts and read(plain, b"".join(part for part in parts if part is not None)) == list(points)


def comes_back(form: Form, points: tuple[int, ...]) -> bool:
    data = written(form, points)
    return data is not None and read(form, data) == list(points)


@pytest.mark.parametrize("source", FORMS, ids=lambda form: form.name)
def test_lossless_holds_when_it_is_tried(source: Form) -> None:
    texts = [points for count in range(3) for points in product(POINTS, repeat=count) if holds(source, points)]
    assert texts
    for target in FORMS:
        assert all(comes_back(target, points) for points in texts) == is_lossless(source, target), target.name
    read.cache_clear()
    written.cache_clear()


def test_what_is_said_to_be_lost_is_lost() -> None:
    for source, target in product(FORMS, repeat=2):
        points = lost(source, target)
        assert points is None or (holds(source, points) and not comes_back(target, points)), (source, target)


# --- proved for small forms -------------------------------------------------------------------------------------------

UNITS = range(4)
LONGEST_ROW = 3
LONGEST_REACH = 2 * LONGEST_ROW - 1
"""An entry of three units that begins with one sequence and ends within another reaches no further than five."""

range_of_units = st.tuples(st.sampled_from(UNITS), st.sampled_from(UNITS)).map(lambda pair: (min(pair), max(pair)))
unit_ranges = st.lists(range_of_units, min_size=1, max_size=LONGEST_ROW)
firsts = st.sampled_from([0, 1, 2, 4, 8, 0xD7FF, 0xDBFE, 0xDBFF, 0xDC00, 0xDFFF, 0x10000])


@st.composite
def rows(draw: st.DrawFn) -> Row:
    ranges = draw(unit_ranges)
    count = 1
    for low, high in ranges:
        count *= high - low + 1
    first = draw(firsts)
    return Row(first, first + count - 1, *ranges)


@st.composite
def reserved_units(draw: st.DrawFn, beside: list[Row]) -> list[FaultRow]:
    """Return at most one decoding unit that holds no sequence of the rows beside it."""
    for ranges in draw(st.lists(unit_ranges, max_size=1)):
        units = [fault_row("reserved", *ranges)]
        try:
            Form("beside", beside, units=units, longest_match=True)
        except ValueError:
            return []
        return units
    return []


@st.composite
def small_forms(draw: st.DrawFn) -> Form:
    kept: list[Row] = []
    for row in draw(st.lists(rows(), min_size=1, max_size=5)):
        try:
            Form("small", [*kept, row], longest_match=True)
        except ValueError:
            continue
        kept.append(row)
    units = draw(reserved_units(kept))
    return Form("small", kept, units=units, longest_match=True, joins_pairs=draw(st.booleans()))


def reading(form: Form, data: bytes) -> Reading | None:
    """Return the code points of well-formed bytes, each with the end of its sequence; None for ill-formed ones."""
    found: Reading = []
    while not found or found[-1][0] < len(data):
        step = reference.sequence_at(form, data, found[-1][0] if found else 0)
        if step is None or step.code_point is None:
            return None
        found.append((step.end, step.code_point))
    return found


def all_strings() -> Iterator[bytes]:
    return (bytes(units) for length in range(1, LONGEST_REACH + 1) for units in product(UNITS, repeat=length))


@given(small_forms(), small_forms())
def test_containing_is_exact_for_small_forms(outer: Form, inner: Form) -> None:
    expected = True
    for data in all_strings():
        well_formed = reading(inner, data)
        if well_formed is not None and well_formed != reading(outer, data):
            expected = False
            break
    assert contains(outer, inner) == expected


@st.composite
def nested_forms(draw: st.DrawFn) -> tuple[Form, Form]:
    """Two forms of which the second has some of the first's rows: often contained, but for what stands side by side."""
    outer = draw(small_forms())
    some = draw(st.lists(st.sampled_from(outer.rows), min_size=1, unique=True))
    return outer, Form("some", some, units=draw(reserved_units(some)), longest_match=True)


@given(nested_forms())
def test_containing_is_exact_for_forms_that_share_rows(nested: tuple[Form, Form]) -> None:
    outer, inner = nested
    readings = ((reading(inner, data), reading(outer, data)) for data in all_strings())
    assert contains(outer, inner) == all(one is None or one == other for one, other in readings)


def small_texts(form: Form) -> Texts:
    points = [point for row in form.rows for point in range(row.first, row.last + 1)]
    assume(len(points) <= 14)
    return (text for count in range(1, LONGEST_ROW + 1) for text in product(points, repeat=count))


def loses(source: Form, target: Form) -> bool:
    return any(holds(source, text) and not comes_back(target, text) for text in small_texts(source))


@given(small_forms(), small_forms())
def test_lossless_is_exact_for_small_forms(source: Form, target: Form) -> None:
    assert (lost(source, target) is not None) == loses(source, target)
    read.cache_clear()
    written.cache_clear()


@given(nested_forms())
def test_lossless_is_exact_for_forms_that_share_rows(nested: tuple[Form, Form]) -> None:
    for source, target in (nested, nested[::-1]):
        points = lost(source, target)
        assert (points is not None) == loses(source, target)
        assert points is None or (holds(source, points) and not comes_back(target, points))
    read.cache_clear()
    written.cache_clear()


# --- forms of one's own -----------------------------------------------------------------------------------------------

ASCII = Row(0, 0x7F, (0x00, 0x7F))


def test_a_form_is_contained_by_one_that_cuts_its_rows_otherwise() -> None:
    whole = Form("whole", [Row(0, 0x7FFF, (0x00, 0x7F), (0x00, 0xFF))])
    halves = Form("halves", [Row(0, 0x3FFF, (0x00, 0x3F), (0, 0xFF)), Row(0x4000, 0x7FFF, (0x40, 0x7F), (0, 0xFF))])
    shifted = Form("shifted", [Row(0, 0x3FFF, (0x00, 0x3F), (0, 0xFF)), Row(0x5000, 0x8FFF, (0x40, 0x7F), (0, 0xFF))])
    assert contains(whole, halves)
    assert contains(halves, whole)
    assert not contains(whole, shifted)


def test_of_many_rows_only_those_that_meet_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[Row] = []
    uncounted = family.points_within

    def points_within(row: Row, ranges: Sequence[Range]) -> Points:
        counted.append(row)
        return uncounted(row, ranges)

    monkeypatch.setattr(family, "points_within", points_within)
    forms_alike = [Form(name, [Row(at, at, *divmod(at, 16)) for at in range(256)]) for name in ("one", "other")]
    assert contains(*forms_alike)
    assert is_lossless(*forms_alike)
    assert len(counted) < 10 * 256


def test_rows_that_agree_at_their_ends_but_not_between_are_not_alike() -> None:
    square = Form("square", [Row(0, 3, (0, 1), (0, 1))])
    turned = Form("turned", [Row(0, 0, 0, 0), Row(2, 2, 0, 1), Row(1, 1, 1, 0), Row(3, 3, 1, 1)])
    assert not contains(square, turned)
    assert not contains(turned, square)


def test_rows_that_agree_at_one_corner_but_count_otherwise_are_not_alike() -> None:
    narrow = Form("narrow", [Row(0, 3, (0, 1), (0, 1))])
    wide = Form("wide", [Row(0, 5, (0, 1), (0, 2))])
    assert not contains(wide, narrow)
    assert contains(wide, Form("lower", [Row(0, 1, 0, (0, 1))]))


def test_a_signature_is_no_text_of_the_form_that_has_none() -> None:
    marked = Form("marked", [ASCII], signatures=[Signature(b"\xff", Form("ascii", [ASCII]))])
    at_sign = Form("at", [ASCII], signatures=[Signature(b"@", Form("ascii", [ASCII]))])
    ascii_ = Form("ascii", [ASCII])
    assert contains(marked, ascii_)
    assert not contains(ascii_, marked)
    assert not contains(at_sign, ascii_)
    assert is_lossless(ascii_, at_sign)
    assert is_lossless(at_sign, ascii_)


def test_units_of_other_widths_or_orders_are_not_compared() -> None:
    for one, other in pairwise(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]):
        assert not contains(one, other)
        assert not contains(other, one)


def test_the_byte_order_of_bytes_does_not_matter() -> None:
    assert contains(Form("one", [ASCII], byte_order="big"), Form("other", [ASCII], byte_order="little"))


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(LookupError, match="did you mean"):
        contains("utf-8", "utf-9")
    with pytest.raises(LookupError, match="did you mean"):
        lost("wtf-9", "utf-8")
