"""Scrubbed data: fit for UTF-8, of the same shape, the very same object where nothing was wrong; whatever its depth.

Laws are checked against a picture of the data: see `scrub_pictures`.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import scrub, scrub_report
from support.calls import calls_of
from support.scrub_pictures import (
    DATACLASSES,
    POLICIES,
    ROOMS,
    CollisionError,
    Frozen,
    FrozenSlotted,
    OwnSlots,
    Pair,
    Picture,
    Plain,
    by_cpython,
    is_all_fit,
    is_fit,
    parts,
    shape,
    texts,
    with_texts,
)

DEPTH = 10_000


@pytest.mark.parametrize("room", ROOMS)
def test_the_picture_sees_every_room(room: str) -> None:
    held = ROOMS[room]
    assert is_all_fit(held("a"))
    assert not is_all_fit(held("a\ud800"))
    assert shape(held("a")) != shape(held("b"))


# --- laws -------------------------------------------------------------------------------------------------------------

TEXT = st.text("a\ud83d\ude00\udc00\U0001f600�", max_size=4)
LEAVES = st.one_of(TEXT, TEXT, st.none(), st.integers(0, 2), st.just(b"\xff"), st.just(1.5))
HASHABLE = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.frozensets(inner, max_size=3),
        *(st.builds(cls, inner, inner) for cls in (Pair, Frozen, FrozenSlotted, OwnSlots)),
    ),
    max_leaves=4,
)
DATA = st.recursive(
    st.one_of(LEAVES, HASHABLE),
    lambda inner: st.one_of(
        *(st.lists(inner, max_size=4).map(cls) for cls in (list, tuple, deque)),
        *(st.dictionaries(keys, inner, max_size=4) for keys in (TEXT, HASHABLE)),
        st.dictionaries(TEXT, inner, max_size=4).map(OrderedDict),
        st.dictionaries(TEXT, inner, max_size=4).map(lambda items: defaultdict(list, items)),
        st.sets(HASHABLE, max_size=4),
        *(st.builds(cls, inner, inner) for cls in (Pair, *DATACLASSES)),
    ),
    max_leaves=12,
)


def expected(obj: Any, errors: str) -> Picture | None:
    """Return the picture of the scrubbed data, or None where keys would become equal."""
    try:
        return with_texts(shape(obj), lambda text: by_cpython(text, errors))
    except CollisionError:
        return None


@given(DATA, st.sampled_from(POLICIES))
def test_every_text_becomes_what_cpython_says_and_nothing_else_changes(obj: Any, errors: str) -> None:
    before = shape(obj)
    picture = expected(obj, errors)
    if picture is None:
        with pytest.raises(ValueError, match="would become equal"):
            scrub(obj, errors)
    else:
        scrubbed = scrub(obj, errors)
        assert shape(scrubbed) == picture
        assert is_all_fit(scrubbed)
    assert shape(obj) == before


@given(DATA, st.sampled_from(POLICIES))
def test_what_is_scrubbed_comes_back_as_the_very_same_object(obj: Any, errors: str) -> None:
    if expected(obj, errors) is None:
        return
    scrubbed = scrub(obj, errors)
    assert all(scrub(scrubbed, again) is scrubbed for again in (*POLICIES, "strict"))


@given(DATA)
def test_the_report_is_empty_exactly_where_the_very_same_object_comes_back(obj: Any) -> None:
    assert (scrub_report(obj) == []) == is_all_fit(obj)
    if expected(obj, "replace") is not None:
        assert (scrub(obj) is obj) == (scrub_report(obj) == [])


@given(DATA)
def test_strict_joins_pairs_and_raises_at_any_other_surrogate(obj: Any) -> None:
    try:
        picture = expected(obj, "strict")
    except UnicodeEncodeError:
        with pytest.raises(eightfold.EncodeError, match="surrogates not allowed, at "):
            scrub(obj, "strict")
        return
    if picture is not None:
        assert shape(scrub(obj, "strict")) == picture


@given(DATA)
def test_the_faults_of_a_report_are_those_of_each_str(obj: Any) -> None:
    # An object that is met again is not reported again, so that the texts are counted as the picture has them.
    reported = Counter((fault.start, fault.end, fault.code_point) for _, fault in scrub_report(obj))
    found = Counter(
        (fault.start, fault.end, fault.code_point)
        for text in texts(shape(obj))
        for fault in eightfold.encode_faults(text, "utf-8")
    )
    assert set(reported) == set(found)
    assert all(path and is_fit(path) and path.isprintable() for path, _ in scrub_report(obj))


# --- graphs: what is shared, and what holds itself --------------------------------------------------------------------


@st.composite
def graphs(draw: st.DrawFn) -> Any:
    """Build containers that hold each other in any way that Python allows: tuples hold what was there before them."""

    def one_of(things: Any) -> Any:
        return things[draw(st.integers(0, len(things) - 1))]  # `sampled_from` hashes what it is given

    def held(at_least: int) -> list[Any]:
        return [one_of(nodes) if draw(st.booleans()) else draw(TEXT) for _ in range(draw(st.integers(at_least, 3)))]

    loose: list[Any] = [one_of((list, dict, deque))() for _ in range(draw(st.integers(1, 4)))]
    loose += [one_of((Plain, FrozenSlotted))(None, None) for _ in range(draw(st.integers(0, 2)))]
    nodes = list(loose)
    for _ in range(draw(st.integers(0, 4))):
        nodes += [one_of((tuple, lambda items: Pair(items[0], items)))(held(1))]
    for node in loose:
        if isinstance(node, dict):
            node.update(enumerate(held(1)))
        elif isinstance(node, (list, deque)):
            node.extend(held(1))
        else:
            for name, value in zip(("first", "second"), held(2), strict=False):
                object.__setattr__(node, name, value)
    return one_of(nodes)


@given(graphs())
def test_what_is_shared_or_holds_itself_keeps_its_shape(obj: Any) -> None:
    assert shape(scrub(obj)) == expected(obj, "replace")


@given(graphs())
def test_a_container_is_copied_exactly_if_it_leads_to_what_is_unfit(obj: Any) -> None:
    stack, met = [(obj, scrub(obj))], set()
    while stack:
        old, new = stack.pop()
        held = parts(old)
        if held is None or id(old) in met:
            continue
        met.add(id(old))
        assert (new is old) == is_all_fit(old)
        stack += zip(held, parts(new) or (), strict=True)


def test_a_list_that_holds_itself() -> None:
    loop: list[Any] = ["a\ud800"]
    loop.append(loop)
    scrubbed = scrub(loop)
    assert scrubbed[0] == "a�"
    assert scrubbed[1] is scrubbed
    assert loop[1] is loop
    assert [path for path, _ in scrub_report(loop)] == ["[0]"]


def test_a_cycle_with_nothing_wrong_is_the_very_same_object() -> None:
    loop: dict[str, Any] = {"text": "fine"}
    loop["self"] = [loop]
    assert scrub(loop) is loop
    assert scrub_report(loop) == []


def test_a_cycle_through_tuples_only_closed_by_a_list() -> None:
    inside: list[Any] = []
    outer = ("\ud800", (inside, "fine"))
    inside.append((outer, (outer,)))
    scrubbed = scrub(outer)
    assert scrubbed[0] == "�"
    first, (second,) = scrubbed[1][0][0]
    assert first is second is scrubbed


def wheel(spokes: int) -> Any:
    """Return a cycle of tuples and lists, whose innermost list holds a tuple of all the tuples, the innermost first."""
    rim: list[Any] = []
    tuples: list[Any] = [(rim, "\ud83d")]
    for _ in range(spokes):
        tuples.append(([tuples[-1]], "\ud83d"))
    rim.append(tuple(tuples))
    return tuples[-1]


def test_a_tuple_that_waits_for_many_parts_looks_at_each_part_once() -> None:
    few, many = (calls_of(partial(scrub, wheel(spokes))) for spokes in (50, 400))
    assert many < 10 * few


def test_a_cycle_through_a_set() -> None:
    @dataclass(eq=False)
    class Node:
        name: str
        peers: set[Any]

    node = Node("a\ud800", set())
    node.peers |= {node, (node, "\udc00")}
    scrubbed = scrub(node)
    assert scrubbed.name == "a�"
    assert scrubbed.peers == {scrubbed, (scrubbed, "�")}


def test_elements_that_are_hashed_by_value_are_whole_before_they_go_into_a_set() -> None:
    loop: list[Any] = []
    element = Frozen("\ud800", Frozen("\udc00"))
    loop += [frozenset({element}), {element: element}, {element, "fine"}, loop]
    scrubbed = scrub(loop)
    whole = Frozen("�", Frozen("�"))
    assert scrubbed[:3] == [{whole}, {whole: whole}, {whole, "fine"}]
    assert scrubbed[1][whole] is next(iter(scrubbed[0]))
    assert scrubbed[3] is scrubbed


def test_what_is_shared_is_shared_afterwards() -> None:
    shared = ["\ud800"]
    scrubbed = scrub({"a": shared, "b": (shared, {"c": shared})})
    assert scrubbed["a"] is scrubbed["b"][0] is scrubbed["b"][1]["c"]
    assert [path for path, _ in scrub_report([shared, shared])] == ["[0][0]"]


def test_what_is_fit_inside_of_what_is_not_is_the_very_same_object() -> None:
    fine: list[Any] = [["fine"], {"a": 1}, Plain(1), ("é",), "漢"]
    *scrubbed, _ = scrub([*fine, "\ud800"])
    assert all(new is old for new, old in zip(scrubbed, fine, strict=True))


# --- depth ------------------------------------------------------------------------------------------------------------

LEVELS: dict[str, tuple[Callable[[Any], Any], ...]] = {
    "list": (lambda part: [part],),
    "any order": (
        lambda part: (part,),
        lambda part: {"a": part},
        lambda part: deque([part]),
        lambda part: Pair("a", part),
        *(lambda part, cls=cls: cls("a", part) for cls in DATACLASSES),
    ),
    "sets": (lambda part: frozenset((part,)), lambda part: FrozenSlotted("a", part)),
}


@pytest.mark.parametrize("levels", LEVELS)
def test_depth_is_no_recursion_limit(levels: str) -> None:
    def nested(obj: Any) -> Any:
        for level in islice(cycle(LEVELS[levels]), DEPTH):
            obj = level(obj)
        return obj

    clean, unfit = nested("fine"), nested("\ud800")
    assert scrub(clean) is clean
    ((path, fault),) = scrub_report(unfit)
    assert f" {DEPTH - 32} steps " in path.replace("...", "")
    assert len(path) < 2000
    assert (fault.start, fault.end) == (0, 1)
    obj = scrub(unfit)
    for _ in range(DEPTH):
        (*_, obj) = parts(obj) or ()
    assert obj == "�"
