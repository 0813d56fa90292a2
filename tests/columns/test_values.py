"""The work on columns of buffers equals the verbs, value by value, in both engines. Buffers that lie are refused."""

from __future__ import annotations

import pickle
import struct
from array import array
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eightfold
from eightfold.columns import values
from eightfold.columns.values import BrokenColumnError, Changes, Column, Findings, numbers
from eightfold.faults import KINDS
from support.columns import layouts, unaligned, with_fixed, with_offsets, with_views

ENGINES: tuple[Any, ...] = (
    values,
    type("Twins", (), {name: staticmethod(twin) for name, twin in values.TWINS.items()}),
)
PIECES = (
    *(
        b"",
        b"a",
        b"plain text ",
        b"caf\xc3\xa9",
        b"\xe4\xbd\xa0\xe5\xa5\xbd",
        b"\xf0\x9f\x98\x80",
        b"\0",
        b"\xee\xbe\x80",
    ),
    *(
        b"\xff",
        b"\x80",
        b"\xa9",
        b"\xc3",
        b"\xe4\xbd",
        b"\xf0\x9f",
        b"\x98\x80",
        b"\xed\xa0\xbd",
        b"\xed\xb8\x80",
        b"\xc0\x80",
    ),
)
TEXT = st.lists(st.sampled_from(PIECES), max_size=4).map(b"".join) | st.binary(max_size=20)
COLUMN = st.lists(st.none() | TEXT, max_size=40)
FEW = settings(max_examples=40)
FORMS = ("utf-8", "wtf-8", "cesu-8", "mutf-8", "xtf-8", "corrected-utf-8", "utf-16-le")
"""Forms that share all, most or nothing with UTF-8."""


def each(given: list[bytes | None]) -> list[tuple[int, bytes]]:
    return [(row, value) for row, value in enumerate(given) if value is not None]


def parts(changes: Changes) -> dict[int, bytes]:
    """Return the new values by their rows."""
    ends = numbers(changes.ends)
    spans = zip([0, *ends], ends, strict=False)
    return dict(zip(numbers(changes.rows), [changes.values[start:end] for start, end in spans], strict=True))


@pytest.mark.parametrize("engine", ENGINES)
@FEW
@given(given=COLUMN, form=st.sampled_from(FORMS), threads=st.sampled_from([1, 3]))
def test_ill_formed_rows_are_those_of_the_verb(engine: Any, given: list[bytes | None], form: str, threads: int) -> None:
    expected = [row for row, value in each(given) if not eightfold.is_well_formed(value, form)]
    for column in layouts(given):
        assert list(numbers(engine.ill_formed_rows(column, form, threads=threads))) == expected


@pytest.mark.parametrize("engine", ENGINES)
@FEW
@given(given=COLUMN, form=st.sampled_from(FORMS), limit=st.none() | st.integers(0, 5))
def test_faults_are_those_of_the_verb(engine: Any, given: list[bytes | None], form: str, limit: int | None) -> None:
    expected = [(row, fault) for row, value in each(given) for fault in eightfold.faults(value, form)][:limit]
    for column in layouts(given):
        found = Findings(*engine.column_faults(column, form, limit))
        assert list(numbers(found.rows)) == [row for row, _ in expected]
        assert list(numbers(found.starts)) == [fault.start for _, fault in expected]
        assert list(numbers(found.ends)) == [fault.end for _, fault in expected]
        assert [list(KINDS)[kind] for kind in found.kinds] == [fault.kind for _, fault in expected]
        points = [values.NO_CODE_POINT if fault.code_point is None else fault.code_point for _, fault in expected]
        assert list(array("I", found.code_points)) == points
        assert list(found.at_end) == [int(fault.at_end) for _, fault in expected]
        assert found.units == b"".join(fault.units for _, fault in expected)
        assert [0, *numbers(found.unit_ends)[1:]] == sums([len(fault.units) for _, fault in expected])


def sums(sizes: list[int]) -> list[int]:
    found = [0]
    for size in sizes:
        found.append(found[-1] + size)
    return found


CONVERSIONS = (
    *(
        ("xtf-8", "utf-8", "escape"),
        ("xtf-8", "utf-8", "strict"),
        ("utf-8", "utf-8", "replace"),
        ("utf-8", "utf-8", "strict"),
    ),
    *(("cesu-8", "utf-8", "replace"), ("wtf-8", "cesu-8", "strict"), ("utf-8", "mutf-8", "ignore")),
    *(("utf-8", "utf-16-le", "backslashreplace"), ("utf-16-le", "wtf-8", "replace"), ("utf-8", "xtf-8", "strict")),
    *(("utf-8", "generalized-utf-8", "surrogateescape"), ("utf-8", "wtf-8", "surrogatepass")),
)


@pytest.mark.parametrize("engine", ENGINES)
@FEW
@given(given=COLUMN, way=st.sampled_from(CONVERSIONS))
def test_changes_are_those_of_the_verb(engine: Any, given: list[bytes | None], way: tuple[str, str, str]) -> None:
    expected, failed = {}, set()
    for row, value in each(given):
        try:
            new = eightfold.convert(value, *way)
        except eightfold.ConversionError:
            failed.add(row)
        else:
            if new != value:
                expected[row] = new
    for column in layouts(given):
        changes = Changes(*engine.column_changes(column, *way))
        found = parts(changes)
        asked = set(numbers(changes.asked))
        # The core may leave to the verb what it does not answer itself; the twin does not.
        assert failed <= asked
        assert {row: new for row, new in expected.items() if row not in asked} == found
        assert engine is values or asked == failed


@pytest.mark.parametrize("engine", ENGINES)
@FEW
@given(given=COLUMN, data=st.data())
def test_new_values_are_in_their_rows(engine: Any, given: list[bytes | None], data: st.DataObject) -> None:
    rows = data.draw(st.sets(st.sampled_from(range(len(given)))) if given else st.just(set()))
    new = {row: data.draw(st.binary(max_size=30)) for row in sorted(rows)}
    ends = array("q", sums([len(value) for value in new.values()])[1:]).tobytes()
    for column in layouts(given):
        places, made, used = engine.spliced_column(column, array("q", new).tobytes(), ends, b"".join(new.values()))
        kept = (buffer if is_used else b"" for buffer, is_used in zip(column.data, used or b"", strict=False))
        validity = column.validity and bits(column)
        spliced = column._replace(places=places, data=(*kept, made), first=0, validity=validity)
        expected = [(row, new.get(row, value)) for row, value in each(given)]
        assert list(values.each_value(spliced)) == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_a_buffer_with_a_value_that_is_replaced_is_given_up(engine: Any) -> None:
    long = [b"a value of more than twelve bytes", b"one more that is longer", b"and a third one, elsewhere"]
    data, views = (long[0] + long[1], long[2]), b""
    for value, buffer, start in zip(long, (0, 0, 1), (0, len(long[0]), 0), strict=True):
        views += struct.pack("=i4sii", len(value), value[:4], buffer, start)
    column = Column("views", 16, views, data, None, 0, 3)
    new = b"x" * 13
    places, made, used = engine.spliced_column(column, array("q", [0]).tobytes(), array("q", [13]).tobytes(), new)
    assert bytes(used) == b"\0\1"
    spliced = column._replace(places=places, data=(b"", data[1], made))
    assert [value for _, value in values.each_value(spliced)] == [new, *long[1:]]


@pytest.mark.parametrize("engine", ENGINES)
def test_bits_of_validity_count_from_the_first_of_the_buffer(engine: Any) -> None:
    column = Column("fixed", 1, None, (b"a" * 8 + b"\xff",), b"\xff", 8, 1)
    with pytest.raises(BrokenColumnError, match="the validity buffer is too short"):
        engine.ill_formed_rows(column, "utf-8")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("layout", [("offsets", 4), ("offsets", 8), ("views", 16), ("fixed", 1)])
def test_a_column_of_no_rows_needs_no_buffers_wherever_it_begins(engine: Any, layout: tuple[str, int]) -> None:
    column = Column(*layout, b"", (b"",), b"", 33, 0)
    assert engine.ill_formed_rows(column, "utf-8") == b""
    assert not any(Findings(*engine.column_faults(column, "utf-8"))[:6])
    assert not any(engine.column_changes(column, "utf-8", "utf-16-le"))
    assert engine.spliced_column(column, b"", b"", b"")[1] == b""


def bits(column: Column) -> bytes:
    """Return the validity of a column from its first value on."""
    number = int.from_bytes(memoryview(column.validity), "little") >> column.first
    return (number & ((1 << column.length) - 1)).to_bytes((column.length + 7) // 8, "little")


@pytest.mark.parametrize("engine", ENGINES)
@FEW
@given(given=st.lists(st.none() | st.binary(min_size=3, max_size=3), max_size=30), first=st.integers(0, 9))
def test_values_of_one_size(engine: Any, given: list[bytes | None], first: int) -> None:
    column = with_fixed(given, 3, first)
    expected = [row for row, value in each(given) if not eightfold.is_well_formed(value, "utf-8")]
    assert list(numbers(engine.ill_formed_rows(column, "utf-8"))) == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_many_rows_in_pieces_and_threads(engine: Any) -> None:
    """Blocks end everywhere, faults stand on all sides of their borders, and a sequence is cut between two rows."""
    count = 40_000 if engine is values else 400
    given = [b"caf\xc3\xa9 %d" % row for row in range(count)]
    for row in (0, 255, 256, 257, count // 2, count - 1):
        given[row % count] = b"\xff"
    given[10:12] = [b"cut \xc3", b"\xa9"]
    expected = [row for row, value in enumerate(given) if not eightfold.is_well_formed(value, "utf-8")]
    for column in (with_offsets(given), with_offsets(given, 8, first=5), with_views(given)):
        assert list(numbers(engine.ill_formed_rows(column, "utf-8", threads=3))) == expected


def test_a_column_above_the_size_for_threads() -> None:
    given: list[bytes | None] = [b"some words of ASCII, and caf\xc3\xa9 "] * 300_000
    given[7], given[-1], given[150_000] = b"\xff", b"\xc3", None
    column = with_offsets(given)
    assert list(numbers(values.ill_formed_rows(column, "utf-8", threads=2))) == [7, len(given) - 1]
    changes = Changes(*values.column_changes(column, "xtf-8", "utf-8", "escape", threads=2))
    assert parts(changes) == {7: "\uefff".encode(), len(given) - 1: "\uefc3".encode()}
    _, data, _ = values.spliced_column(column, changes.rows, changes.ends, changes.values)
    assert len(data) == len(b"".join(value or b"\xf0\x9f\xff" for value in given)) + 4


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_that_cut_each_sequence(engine: Any) -> None:
    """A block is valid as a whole and each of its rows is not: what is looked at again must not grow."""
    rows = 20_000 if engine is values else 500
    column = with_offsets([b"\xa9\xc3"] * rows)
    assert len(numbers(engine.ill_formed_rows(column, "utf-8"))) == rows


# --- buffers that lie -------------------------------------------------------------------------------------------------


def offsets(*given: int, width: int = 4) -> array[int]:
    return array("i" if width == 4 else "q", given)


def column(places: Any, data: bytes = b"abcdef", width: int = 4, **changed: Any) -> Column:
    count = len(memoryview(places).cast("B")) // width - 1
    return Column("offsets", width, places, (data,), None, 0, count)._replace(**changed)


LIES = {
    "negative": (column(offsets(0, -1, 3)), 0, "outside its buffer"),
    "negative at first": (column(offsets(-1, 2, 3)), 0, "outside its buffer"),
    "falling": (column(offsets(0, 4, 2)), 1, "greater than the next"),
    "beyond": (column(offsets(0, 2, 7)), 1, "outside its buffer"),
    "far beyond": (column(offsets(0, 2, 2**31 - 1)), 1, "outside its buffer"),
    "beyond and back": (column(offsets(0, 9, 3)), 0, "outside its buffer"),
    "64 bits": (column(offsets(0, 2, 2**62, width=8), width=8), 1, "outside its buffer"),
    "64 bits, negative": (column(offsets(0, -(2**63), 3, width=8), width=8), 0, "outside its buffer"),
    "too few offsets": (column(offsets(0, 1), length=4), 0, "too short"),
    "no offsets": (Column("offsets", 4, None, (b"",), None, 0, 4), 0, "too short"),
    "too few offsets behind a slice": (column(offsets(0, 1, 2), first=2), 0, "too short"),
    "too few bits": (column(offsets(*range(10)), b"a" * 10, validity=b"\xff"), 0, "validity"),
    "too few fixed values": (Column("fixed", 4, None, (b"abcdef",), None, 0, 2), 1, "outside its buffer"),
    "fixed values behind the end": (Column("fixed", 4, None, (b"abcdef",), None, 2, 1), 0, "too short"),
    "too few views": (Column("views", 16, bytes(16), (), None, 0, 2), 0, "too short"),
    "a view of a negative length": (Column("views", 16, b"\xff" * 16, (), None, 0, 1), 0, "outside its buffer"),
}


def view(length: int, buffer: int, start: int) -> bytes:
    return struct.pack("=i4sii", length, b"aaaa", buffer, start)


for name, (length, buffer, start) in {
    "no such buffer": (20, 1, 0),
    "a negative buffer": (20, -1, 0),
    "a negative start": (20, 0, -4),
    "behind the end": (20, 0, 30),
    "across the end": (20, 0, 15),
    "longer than all": (2**31 - 1, 0, 0),
}.items():
    views = view(13, 0, 0) + view(length, buffer, start)
    LIES[f"a view: {name}"] = (Column("views", 16, views, (b"a" * 32,), None, 0, 2), 1, "outside its buffer")

WORK: dict[str, Callable[[Any, Column], object]] = {
    "rows": lambda engine, column: engine.ill_formed_rows(column, "utf-8", threads=2),
    "faults": lambda engine, column: engine.column_faults(column, "utf-8"),
    "changes": lambda engine, column: engine.column_changes(column, "xtf-8", "utf-8"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_an_error_that_names_the_row(engine: Any, work: str, lie: str) -> None:
    lying, row, words = LIES[lie]
    with pytest.raises(BrokenColumnError, match=words) as raised:
        WORK[work](engine, lying)
    assert raised.value.row == row


@pytest.mark.parametrize("engine", ENGINES)
def test_a_lie_is_an_error_when_a_column_is_written(engine: Any) -> None:
    for lying, _, words in LIES.values():
        with pytest.raises(BrokenColumnError, match=words):
            engine.spliced_column(lying, array("q", [0]).tobytes(), array("q", [1]).tobytes(), b"a")


@pytest.mark.parametrize("engine", ENGINES)
@FEW
@given(st.binary(max_size=64), st.binary(max_size=40), st.integers(0, 5), st.integers(0, 9), st.sampled_from([4, 8]))
def test_any_offsets_give_an_answer_or_an_error(
    engine: Any, places: bytes, data: bytes, first: int, length: int, width: int
) -> None:
    hostile = Column("offsets", width, places, (data,), None, first, length)
    answers = []
    for work in WORK.values():
        try:
            answers.append(work(engine, hostile))
        except BrokenColumnError as error:
            answers.append(str(error))
    assert len({answer for answer in answers if isinstance(answer, str)}) <= 1


@FEW
@given(st.binary(max_size=80), st.lists(st.binary(max_size=40), max_size=3), st.integers(0, 5), st.integers(0, 5))
def test_any_buffers_give_the_same_in_both_engines(places: bytes, data: list[bytes], first: int, length: int) -> None:
    for kind, width in (("offsets", 4), ("offsets", 8), ("views", 16), ("fixed", 3)):
        hostile = Column(kind, width, places, tuple(data), None, first, length)
        for work in WORK.values():
            outcomes = []
            for engine in ENGINES:
                try:
                    outcomes.append(work(engine, hostile))
                except BrokenColumnError as error:
                    outcomes.append((error.row, error.what))
            assert outcomes[0] == outcomes[1]


def test_buffers_need_not_be_aligned() -> None:
    for made in (
        with_offsets([b"a", b"\xff", None]),
        with_offsets([b"a", b"\xff", None], 8),
        with_views([b"a", b"\xff"]),
    ):
        moved = made._replace(places=unaligned(made.places), data=tuple(map(unaligned, made.data)))
        assert list(numbers(values.ill_formed_rows(moved, "utf-8"))) == [1]


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_asked_for_is_checked(engine: Any) -> None:
    given = with_offsets([b"a"])
    with pytest.raises(LookupError):
        engine.ill_formed_rows(given, "utf-9")
    with pytest.raises(LookupError):
        engine.column_changes(given, "utf-8", "utf-8", "no such policy")
    with pytest.raises(ValueError, match="limit"):
        engine.column_faults(given, "utf-8", -1)
    for rows, ends in (([0, 0], [1, 2]), ([1], [1]), ([0], []), ([-1], [1]), ([0], [9])):
        with pytest.raises(ValueError, match="not in the order"):
            engine.spliced_column(given, array("q", rows).tobytes(), array("q", ends).tobytes(), b"a")
    with pytest.raises(ValueError, match="no such row"):
        engine.cleared_bits(3, array("q", [8]).tobytes())


@pytest.mark.parametrize("engine", ENGINES)
def test_offsets_of_lists(engine: Any) -> None:
    engine.check_offsets(offsets(0, 2, 3), 4, 0, 2, 3)
    engine.check_offsets(None, 4, 0, 0, 0)
    for lying, row in ((offsets(0, 2, 1), 1), (offsets(0, 2, 4), 1), (offsets(0, -1, 3), 0), (offsets(0, 1), 0)):
        with pytest.raises(BrokenColumnError) as raised:
            engine.check_offsets(lying, 4, 0, 2, 3)
        assert raised.value.row == row


def test_an_error_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(BrokenColumnError(3, "wrong", "name")))
    assert (error.row, error.what, error.column, str(error)) == (3, "wrong", "name", "column name, row 3: wrong")
