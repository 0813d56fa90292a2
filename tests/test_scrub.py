"""Scrubbed data: fit for UTF-8, of the same types and shape, the very same object where nothing was wrong.

Laws are checked against a picture of the data (`shape`): what a str must become is said by CPython's UTF-16, which
joins pairs, and its UTF-8; neither has anything in common with the code under test.
"""

from __future__ import annotations

import codecs
import copy
import enum
import json
import pickle
import sys
from collections import Counter, OrderedDict, UserList, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, field
from itertools import cycle, islice
from types import MappingProxyType, SimpleNamespace
from typing import Any, Generic, NamedTuple, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import scrub, scrub_report

DEPTH = 100_000


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass
class Plain:
    first: Any
    second: Any = None


@dataclass(frozen=True)
class Frozen:
    first: Any
    second: Any = None


@dataclass(slots=True)
class Slotted:
    first: Any
    second: Any = None


@dataclass(frozen=True, slots=True)
class FrozenSlotted:
    first: Any
    second: Any = None


@dataclass(frozen=True)
class OwnSlots:
    """Python's own `copy` fails for it."""

    __slots__ = ("first", "second")
    first: Any
    second: Any


T = TypeVar("T")


@dataclass
class Typed(Generic[T]):
    first: T
    second: Any = None


DATACLASSES = (Plain, Frozen, Slotted, FrozenSlotted, OwnSlots, Typed)


# --- the picture ------------------------------------------------------------------------------------------------------

Picture = tuple[Any, Any]


def parts(obj: Any) -> list[Any] | None:
    """Return what a container holds, in order where it has one, and None for what is no container."""
    if isinstance(obj, dict):
        return [part for item in obj.items() for part in item]
    if isinstance(obj, (list, tuple, deque, set, frozenset)):
        return list(obj)
    if isinstance(obj, DATACLASSES):
        return [obj.first, obj.second]
    return None


def shape(obj: Any) -> Picture:
    """Return the types and the texts of data, as tuples that can be compared; a container met again is a number."""
    return _shape(obj, {})


def _shape(obj: Any, met: dict[int, int]) -> Picture:
    held = parts(obj)
    if held is None:
        return type(obj), obj if isinstance(obj, str) else repr(obj)
    if isinstance(obj, (set, frozenset)):
        return type(obj), frozenset(shape(part) for part in held)
    if id(obj) in met:
        return type(obj), met[id(obj)]
    met[id(obj)] = len(met)
    keys = set(range(0, len(held), 2)) if isinstance(obj, dict) else set()
    return type(obj), tuple(shape(part) if at in keys else _shape(part, met) for at, part in enumerate(held))


class CollisionError(Exception):
    """Elements of a set, or keys of a dict, that a change makes one."""


def with_texts(picture: Picture, change: Callable[[str], str]) -> Picture:
    cls, content = picture
    if issubclass(cls, str):
        return cls, change(content)
    if not isinstance(content, (tuple, frozenset)):
        return picture
    changed = [with_texts(part, change) for part in content]
    unique = changed[::2] if issubclass(cls, dict) else changed if isinstance(content, frozenset) else []
    if len(set(map(_as_compared, unique))) < len(unique):
        raise CollisionError
    return cls, type(content)(changed)


def _as_compared(picture: Picture) -> Picture:
    """Return a picture in which a named tuple is a tuple: they are equal."""
    cls, content = picture
    if not isinstance(content, (tuple, frozenset)):
        return picture
    return tuple if issubclass(cls, tuple) else cls, type(content)(map(_as_compared, content))


def texts(picture: Picture) -> Iterator[str]:
    cls, content = picture
    if issubclass(cls, str):
        yield content
    elif isinstance(content, (tuple, frozenset)):
        for part in content:
            yield from texts(part)


def by_cpython(text: str, errors: str) -> str:
    """Return a text with pairs joined, and a policy applied to the surrogates that are left."""
    units = text.encode("utf-16-le", "surrogatepass")
    if errors == "replace":
        return units.decode("utf-16-le", "replace")  # on encoding it would be a question mark
    return units.decode("utf-16-le", "surrogatepass").encode("utf-8", errors).decode("utf-8")


def is_fit(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_all_fit(obj: Any) -> bool:
    return all(map(is_fit, texts(shape(obj))))


ROOMS: dict[str, Callable[[Any], Any]] = {
    "list": lambda part: [part],
    "tuple": lambda part: (1, part),
    "deque": lambda part: deque([part]),
    "set": lambda part: {part},
    "frozenset": lambda part: frozenset({part}),
    "key": lambda part: {part: 1},
    "value": lambda part: {1: part},
    "tuple in a key": lambda part: {(part,): 1},
    "named tuple": lambda part: Pair(1, part),
    "depth": lambda part: [[{"a": [part]}]],
    **{cls.__name__: (lambda part, cls=cls: cls(1, part)) for cls in DATACLASSES},
}


@pytest.mark.parametrize("room", ROOMS)
def test_the_picture_sees_every_room(room: str) -> None:
    held = ROOMS[room]
    assert is_all_fit(held("a"))
    assert not is_all_fit(held("a\ud800"))
    assert shape(held("a")) != shape(held("b"))


# --- laws -------------------------------------------------------------------------------------------------------------

POLICIES = ("replace", "ignore", "backslashreplace", "xmlcharrefreplace", "namereplace")
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
    """Return the picture of the scrubbed data, or None where keys would become one."""
    try:
        return with_texts(shape(obj), lambda text: by_cpython(text, errors))
    except CollisionError:
        return None


@given(DATA, st.sampled_from(POLICIES))
def test_every_text_becomes_what_cpython_says_and_nothing_else_changes(obj: Any, errors: str) -> None:
    before = shape(obj)
    picture = expected(obj, errors)
    if picture is None:
        with pytest.raises(ValueError, match="would become one"):
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
    scrubbed = scrub([*fine, "\ud800"])
    assert all(new is old for new, old in zip(scrubbed, fine, strict=False))


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
    assert len(path) > DEPTH
    assert (fault.start, fault.end) == (0, 1)
    obj = scrub(unfit)
    for _ in range(DEPTH):
        (*_, obj) = parts(obj) or ()
    assert obj == "�"


# --- policies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("errors", "scrubbed"),
    [
        ("replace", "a😀��b�"),
        ("ignore", "a😀b"),
        ("backslashreplace", r"a😀\ude00\ud83db\ud83d"),
        ("xmlcharrefreplace", "a😀&#56832;&#55357;b&#55357;"),
        ("namereplace", r"a😀\ude00\ud83db\ud83d"),
    ],
)
def test_pairs_are_joined_and_then_the_policy_is_applied_to_each_surrogate(errors: str, scrubbed: str) -> None:
    assert scrub("a\ud83d\ude00\ude00\ud83db\ud83d", errors) == scrubbed


@pytest.mark.parametrize("errors", [*POLICIES, "strict"])
def test_a_pair_in_two_code_points_is_joined_under_every_policy(errors: str) -> None:
    assert scrub(["\ud83d\ude00", {"\ud83d\ude00": 1}], errors) == ["😀", {"😀": 1}]


def test_every_surrogate_alone_is_replaced_and_every_pair_at_the_borders_is_joined() -> None:
    surrogates = [chr(code_point) for code_point in range(0xD800, 0xE000)]
    assert scrub([f"a{each}b" for each in surrogates]) == ["a�b"] * len(surrogates)
    borders = [chr(0xD800), chr(0xDBFF)], [chr(0xDC00), chr(0xDFFF)]
    for lead in borders[0]:
        for trail in borders[1]:
            assert scrub(lead + trail, "strict") == by_cpython(lead + trail, "strict")
    assert scrub("\ud7ff\ue000", "strict") == "\ud7ff\ue000"


def test_strict_names_the_path_and_counts_code_points_of_the_str() -> None:
    data = {"messages": [{"content": "fine"}, {"content": "\ud83d\ude00 \ud83d"}]}
    with pytest.raises(eightfold.EncodeError) as caught:
        scrub(data, "strict")
    error = caught.value
    assert (error.encoding, error.object, error.start, error.end) == ("utf-8", "\ud83d\ude00 \ud83d", 3, 4)
    assert error.reason == "surrogates not allowed, at messages[1].content"
    assert error.fault == eightfold.Fault("unrepresentable", "utf-8", 3, 4, b"", 0xD83D, "text")
    for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (str(other), other.fault) == (str(error), error.fault)


def test_strict_names_the_first_of_several() -> None:
    with pytest.raises(eightfold.EncodeError, match=r", at b\[0\]$"):
        scrub({"a": "fine", "b": ["\ud800"], "c": "\ud801"}, "strict")
    with pytest.raises(eightfold.EncodeError, match=r", at \$$"):
        scrub("\ud800", "strict")


@pytest.fixture
def handler() -> Iterator[Callable[[Callable[[Any], Any]], str]]:
    answers: list[Callable[[Any], Any]] = []
    codecs.register_error("scrub-test", lambda error: answers[-1](error))
    yield lambda answer: (answers.append(answer), "scrub-test")[1]
    answers.append(codecs.strict_errors)


def test_a_foreign_handler_is_called_with_each_unpaired_surrogate_alone(handler: Any) -> None:
    told = []

    def count(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, eightfold.EncodeError)
        told.append((error.object, error.start, error.end))
        return f"<{len(told)}>", error.end

    assert scrub(["\ud83d\ude00\ud83d", {"\udc00": "\ud83d"}], handler(count)) == ["😀<1>", {"<2>": "<3>"}]
    assert told == [("\ud83d", 0, 1), ("\udc00", 0, 1), ("\ud83d", 0, 1)]


def test_a_foreign_handler_may_write_bytes_of_utf_8(handler: Any) -> None:
    assert scrub("\ud800", handler(lambda error: ("é".encode(), error.end))) == "é"


def test_a_foreign_handler_that_does_what_it_should_not(handler: Any) -> None:
    with pytest.raises(eightfold.DecodeError):
        scrub("\ud800", handler(lambda error: (b"\xff", error.end)))
    with pytest.raises(eightfold.EncodeError, match=r", at a$"):  # CPython's UTF-8 takes ASCII only from a handler
        scrub({"a": "\ud800"}, handler(lambda error: ("é", error.end)))
    with pytest.raises(IndexError):
        scrub("\ud800", handler(lambda error: ("", 0)))
    with pytest.raises(TypeError):
        scrub("\ud800", handler(lambda error: None))
    with pytest.raises(KeyError):
        scrub("\ud800", handler(lambda error: {}["no"]))


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize(
    ("errors", "raised"),
    [
        *(("surrogatepass", ValueError), ("surrogateescape", ValueError), ("escape", LookupError)),
        *(("private-use", LookupError), ("java", LookupError), ("no-such-policy", LookupError), (None, TypeError)),
    ],
)
def test_a_policy_that_cannot_help_is_refused_before_any_work(errors: Any, raised: type, clean: bool) -> None:
    with pytest.raises(raised):
        scrub("fine" if clean else "\ud800", errors)


# --- keys and elements that would become one --------------------------------------------------------------------------


def keyed(*keys: Any) -> dict[Any, Any]:
    return {key: at for at, key in enumerate(keys)}


@pytest.mark.parametrize(
    ("obj", "first", "second"),
    [
        ({"a": [keyed("x\ud800", "x\ud801")]}, r'a[0]["x\ud800"]', r'a[0]["x\ud801"]'),
        (keyed("\ud800", "�"), r'["\ud800"]', '["�"]'),
        (keyed("�", "\ud800"), '["�"]', r'["\ud800"]'),
        (keyed("\ud83d\ude00", "😀"), r'["\ud83d\ude00"]', '["😀"]'),
        (keyed(("\ud800", 1), ("\udfff", 1)), r"[('\ud800', 1)]", r"[('\udfff', 1)]"),
        (Plain(OrderedDict(keyed("\ud800", "\ud801"))), r'first["\ud800"]', r'first["\ud801"]'),
        (Counter(keyed("\ud800", "\ud801")), r'["\ud800"]', r'["\ud801"]'),
    ],
)
def test_keys_that_would_become_one_are_an_error_that_names_both(obj: Any, first: str, second: str) -> None:
    before = shape(obj)
    with pytest.raises(ValueError) as caught:
        scrub(obj)
    assert str(caught.value) == f"{first} and {second} would become one"
    assert shape(obj) == before


@pytest.mark.parametrize("cls", [set, frozenset])
def test_elements_of_a_set_that_would_become_one_are_an_error_too(cls: type) -> None:
    with pytest.raises(ValueError) as caught:
        scrub({"tags": cls(["\ud800", "\ud801", "fine"])})
    assert set(str(caught.value).removesuffix(" would become one").split(" and ")) == {
        r'tags{"\ud800"}',
        r'tags{"\ud801"}',
    }


def test_no_error_where_a_policy_keeps_them_apart() -> None:
    assert scrub(keyed("\ud800", "\ud801"), "backslashreplace") == keyed(r"\ud800", r"\ud801")
    assert list(scrub({"b": 1, "\ud800": 2, "a": 3})) == ["b", "�", "a"]


# --- paths ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("obj", "path"),
    [
        ("\ud800", "$"),
        (["\ud800"], "[0]"),
        ({"messages": [0, 1, 2, {"content": "\ud800"}]}, "messages[3].content"),
        ({"key with space": "\ud800"}, '["key with space"]'),
        ({"data": {"key with space": ["\ud800"]}}, 'data["key with space"][0]'),
        ({"é": {"漢": "\ud800"}}, "é.漢"),
        ({"": "\ud800"}, '[""]'),
        ({"$": "\ud800"}, '["$"]'),
        ({'a"b': "\ud800"}, r'["a\"b"]'),
        ({"a'b\\\n": "\ud800"}, r"""["a'b\\\n"]"""),
        ({3: "\ud800"}, "[3]"),
        ({None: "\ud800"}, "[None]"),
        ({b"k": "\ud800"}, "[b'k']"),
        ({("a", "\x7f"): "\ud800"}, r"[('a', '\x7f')]"),
        ({Pair(1, Frozen(2)): "\ud800"}, "[Pair(1, Frozen(2, None))]"),
        ({frozenset([(((((1,),),),),)]): "\ud800"}, "[frozenset({((((...),),),)})]"),
        ({("a" * 300, *range(9)): "\ud800"}, f"[('{'a' * 47}...{'a' * 48}', 0, 1, 2, 3, 4, ...)]"),
        ({"\ud800": 1}, r'["\ud800"] (key)'),
        ({"a": {"b\ud800": 1}}, r'a["b\ud800"] (key)'),
        ({(1, "\ud800"): 1}, r"[(1, '\ud800')] (key)[1]"),
        ([{"\ud800"}], r'[0]{"\ud800"}'),
        ({"a": frozenset({(1, "\ud800")})}, r"a{(1, '\ud800')}[1]"),
        (Pair(1, "\ud800"), "second"),
        (Plain([FrozenSlotted("\ud800")]), "first[0].first"),
        (deque([1, "\ud800"]), "[1]"),
    ],
)
def test_a_path_says_where(obj: Any, path: str) -> None:
    ((found, fault),) = scrub_report(obj)
    assert found == path
    assert (fault.kind, fault.form, fault.side, fault.severity) == ("unrepresentable", "utf-8", "text", "error")


def test_a_report_is_in_order_and_counts_code_points() -> None:
    data = {"a": "x\ud83d\ude00y\ud800", "b\udc00": ["é😀\ud801\ud802"]}
    found = [(path, fault.start, fault.end, str(fault)) for path, fault in scrub_report(data)]
    assert found == [
        ("a", 1, 3, "U+D83D and 1 more cannot be written in utf-8"),
        ("a", 4, 5, "U+D800 cannot be written in utf-8"),
        (r'["b\udc00"] (key)', 1, 2, "U+DC00 cannot be written in utf-8"),
        (r'["b\udc00"][0]', 2, 4, "U+D801 and 1 more cannot be written in utf-8"),
    ]


# --- types ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", ROOMS)
def test_types_are_kept(room: str) -> None:
    held = ROOMS[room]
    assert shape(scrub(held("a\ud800"))) == shape(held("a�"))


def test_standard_containers_keep_what_makes_them_special() -> None:
    scrubbed = scrub({"d": defaultdict(list, {"\ud800": 1}), "q": deque(["\ud800"], maxlen=3), "c": Counter("\ud800")})
    assert scrubbed["d"].default_factory is list
    assert scrubbed["q"] == deque(["�"])
    assert scrubbed["q"].maxlen == 3
    assert scrubbed["c"] == Counter("�")
    assert type(scrubbed["c"]) is Counter
    ordered = OrderedDict({"b": 1, "\ud800": 2, "a": 3})
    ordered.move_to_end("b")
    assert list(scrub(ordered)) == ["�", "a", "b"]


class Row(list[Any]):
    """A list with an attribute."""

    name = "none"


class Named(dict[Any, Any]):
    """A dict with an attribute."""

    name = "none"


class Point(tuple[Any, ...]):
    """A tuple with an attribute."""

    name = "none"


class Markup(str):
    """A str with an attribute."""

    name = "none"


class Tags(set[Any]):
    """A set with an attribute."""

    name = "none"


class Kinds(frozenset[Any]):
    """A frozenset with an attribute."""

    name = "none"


class Extended(Pair):
    """A named tuple with an attribute."""


@pytest.mark.parametrize(
    ("made", "content"),
    [
        *((Row(["a\ud800"]), Row(["a�"])), (Named({"a\ud800": 1}), Named({"a�": 1}))),
        *((Point(["a\ud800"]), Point(["a�"])), (Markup("a\ud800"), Markup("a�"))),
        *((Tags(["a\ud800"]), Tags(["a�"])), (Kinds(["a\ud800"]), Kinds(["a�"]))),
        (Extended("a\ud800", 1), Extended("a�", 1)),
    ],
)
def test_a_class_of_your_own_is_kept_with_its_attributes(made: Any, content: Any) -> None:
    made.name = attribute = ["\ud800 in an attribute is left alone"]
    scrubbed = scrub([made])[0]
    assert type(scrubbed) is type(made)
    assert scrubbed == content
    assert scrubbed is not made
    assert scrubbed.name is attribute


def test_records_of_the_system_are_tuples() -> None:
    pwd = pytest.importorskip("pwd", reason="there is no user database here")
    record = pwd.struct_passwd(("user", "x", 1, 1, "caf\udce9", "/", "/bin/sh"))
    scrubbed = scrub(record)
    assert type(scrubbed) is pwd.struct_passwd
    assert scrubbed.pw_gecos == "caf�"


def test_dataclasses_are_copied_without_their_constructor() -> None:
    made = []

    @dataclass
    class Base:
        name: str
        size: InitVar[int]
        seen: list[str] = field(init=False)
        length: int = field(init=False, default=0)
        kind: str = field(default="\ud801", init=False)
        hidden: str = field(default="\ud802", repr=False, compare=False, kw_only=True)

        def __post_init__(self, size: int) -> None:
            made.append(size)
            self.length = size
            self.note = ["no field \ud800"]

    obj = Base("a\ud800", 3)
    scrubbed = scrub(obj)
    assert made == [3]
    assert (scrubbed.name, scrubbed.length, scrubbed.kind, scrubbed.hidden) == ("a�", 3, "�", "�")
    assert not hasattr(scrubbed, "seen")
    assert scrubbed.note is obj.note
    assert (obj.name, obj.hidden) == ("a\ud800", "\ud802")
    obj.seen = ["\udc00"]
    assert scrub(obj).seen == ["�"]


def test_a_frozen_dataclass_with_slots_and_a_field_without_a_value() -> None:
    @dataclass(frozen=True, slots=True)
    class Partial:
        name: str
        later: str = field(init=False)

    scrubbed = scrub(Partial("a\ud800"))
    assert scrubbed.name == "a�"
    assert not hasattr(scrubbed, "later")


def test_slots_of_bases_private_ones_too_are_carried_over() -> None:
    class Base:
        __slots__ = ("__private", "cache")

        def private(self) -> object:
            return self.__private

        def keep(self, value: object) -> None:
            self.__private = self.cache = value

    @dataclass
    class Derived(Base):
        __slots__ = ("name",)
        name: str

    obj = Derived("a\ud800")
    kept = object()
    obj.keep(kept)
    scrubbed = scrub(obj)
    assert (scrubbed.name, scrubbed.private(), scrubbed.cache) == ("a�", kept, kept)


def test_a_dataclass_that_makes_its_own_instances_is_copied_by_its_own_protocol() -> None:
    @dataclass
    class RefusalError(Exception):
        text: str

    refusal = RefusalError("a\ud800")
    scrubbed = scrub([refusal])[0]
    assert type(scrubbed) is RefusalError
    assert scrubbed.text == "a�"
    assert refusal.text == "a\ud800"


class Colour(str, enum.Enum):
    RED = "red\ud800"
    BLUE = "blue"


class Fixed(dict[Any, Any]):
    """A dict that is its own copy, as immutable ones are."""

    def __copy__(self) -> Fixed:
        return self


class Strict(tuple[Any, ...]):
    def __new__(cls, first: Any, second: Any) -> Strict:
        return super().__new__(cls, (first, second))


class Uncopied(list[Any]):
    def __reduce_ex__(self, protocol: Any) -> Any:
        raise RuntimeError("not to be copied")


@pytest.mark.parametrize(
    ("obj", "name"),
    [
        *((Colour.RED, "Colour"), (Fixed(a="\ud800"), "Fixed")),
        *((Strict(1, "\ud800"), "Strict"), (Uncopied(["\ud800"]), "Uncopied")),
    ],
)
def test_what_cannot_be_copied_is_a_type_error_that_names_the_path(obj: Any, name: str) -> None:
    before = shape(obj)
    with pytest.raises(TypeError) as caught:
        scrub({"a": [obj]})
    assert str(caught.value) == f"a[0]: a {name} cannot be copied with other content"
    assert shape(obj) == before
    assert len(scrub_report(obj)) == 1


def test_classes_that_cannot_be_copied_are_no_trouble_where_they_are_fit() -> None:
    fine = [Colour.BLUE, Fixed(a=1), Strict(1, 2), Uncopied(["é"])]
    assert all(new is old for new, old in zip(scrub([*fine, "\ud800"]), fine, strict=False))


def test_all_else_is_left_alone() -> None:
    class Own:
        def __init__(self) -> None:
            self.text = "\ud800"

    left: list[Any] = [
        *(b"\xff", bytearray(b"\xff"), memoryview(b"\xff"), 1, 1.5, None, True, Own(), Own, Plain, Colour),
        *(SimpleNamespace(a="\ud800"), MappingProxyType({"a": "\ud800"}), UserList(["\ud800"])),
        *({"a": "\ud800"}.values(), iter(["\ud800"]), (each for each in ["\ud800"]), map(str, ["\ud800"])),
    ]
    assert scrub(left) is left
    assert scrub_report(left) == []
    assert next(left[-1]) == "\ud800"


def test_scrubbed_data_can_be_written() -> None:
    data = {"messages": [{"role": "user", "content": "cut off: \ud83d"}], "name\udcff": ("\ud83d\ude00",)}
    with pytest.raises(UnicodeEncodeError):
        json.dumps(data, ensure_ascii=False).encode()
    written = json.dumps(scrub(data), ensure_ascii=False).encode()
    assert json.loads(written) == {"messages": [{"role": "user", "content": "cut off: �"}], "name�": ["😀"]}


def test_the_module_is_there_beside_the_function() -> None:
    assert sys.modules["eightfold.scrub"].scrub is eightfold.scrub
    assert sys.modules["eightfold.scrub"].__all__ == ["scrub", "scrub_report"]
