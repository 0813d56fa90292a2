"""Types that scrubbed data keep: standard containers, named tuples, dataclasses, and classes of one's own."""

from __future__ import annotations

import enum
import json
import sys
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import pytest

import eightfold
from eightfold import scrub, scrub_report
from support.scrub_pictures import (
    ROOMS,
    Pair,
    shape,
    texts,
)

UNFIT, FIT = "a\ud800", "a�"

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


class Tagged(str):
    """A str with attributes in slots."""

    __slots__ = ("__own", "lang", "unset")

    def own(self) -> object:
        return self.__own

    def keep(self, value: object) -> None:
        self.__own = value


def test_slots_of_a_str_are_kept() -> None:
    text, kept = Tagged("a\ud800"), object()
    text.lang = "de"
    text.keep(kept)
    scrubbed = scrub([text])[0]
    assert (type(scrubbed), scrubbed, scrubbed.lang, scrubbed.own()) == (Tagged, "a�", "de", kept)
    assert not hasattr(scrubbed, "unset")


@pytest.mark.parametrize("cls", [defaultdict, Counter, deque, ChainMap, UserDict, UserList, SimpleNamespace])
def test_attributes_that_the_copies_of_the_standard_library_omit_are_kept(cls: type) -> None:
    own = type("Own", (cls,), {"__slots__": ("lang",)})
    made: Any = own() if cls is SimpleNamespace else own(*([UNFIT],) if cls in (deque, UserList) else ())
    if cls is SimpleNamespace:
        made.text = UNFIT
    elif not made:
        made[UNFIT] = 1
    made.lang = "de"
    scrubbed = scrub([made])[0]
    assert (type(scrubbed), scrubbed.lang) == (own, "de")
    assert (scrub_report(scrubbed), len(scrub_report(made))) == ([], 1)


# --- what a class stores, and what it offers --------------------------------------------------------------------------


class OfLists(dict[Any, Any]):
    """A dict of lists that offers the last value of each, as in Django."""

    def __getitem__(self, key: Any) -> Any:
        return (super().__getitem__(key) or [None])[-1]

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, [value])

    def items(self) -> Any:
        return [(key, self[key]) for key in self]

    def values(self) -> Any:
        return [self[key] for key in self]


class Shouting(dict[Any, Any]):
    """A dict that changes its values when they are read."""

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key).upper()

    def items(self) -> Any:
        return [(key, self[key]) for key in self]


class ShoutingInOrder(OrderedDict[Any, Any]):
    """The same with an order of its own."""

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key).upper()

    def items(self) -> Any:
        return [(key, self[key]) for key in self]


class Indexed(dict[Any, Any]):
    """A dict that keeps its keys in a sorted list too."""

    def __init__(self, items: Any = ()) -> None:
        self.index: list[Any] = []
        for key, value in dict(items).items():
            self[key] = value

    def __copy__(self) -> Indexed:
        return Indexed(self)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self.index = sorted({*self.index, key})

    def __iter__(self) -> Any:
        return iter(self.index)

    def clear(self) -> None:
        self.index = []
        super().clear()

    def items(self) -> Any:
        return [(key, self[key]) for key in self]


class Backwards(list[Any]):
    def __iter__(self) -> Any:
        return iter(self[::-1])

    def extend(self, items: Any) -> None:
        super().extend(f"{item}!" for item in items)


class Doubled(set[Any]):
    def __iter__(self) -> Any:
        return iter([each + each for each in set.__iter__(self)])


STORED: list[tuple[Any, Any, Any]] = [
    (OfLists({"a": [UNFIT, "b"], "c": ["d", "e"], "f": []}), dict, {"a": [FIT, "b"], "c": ["d", "e"], "f": []}),
    (OfLists({UNFIT: ["b", "c"]}), dict, {FIT: ["b", "c"]}),
    (Shouting({"a": "b", "c": UNFIT}), dict, {"a": "b", "c": FIT}),
    (ShoutingInOrder({"z": UNFIT, "c": "d"}), OrderedDict, OrderedDict({"z": FIT, "c": "d"})),
    (Indexed({"z": UNFIT, UNFIT: [1], "b": 2}), dict, {"z": FIT, FIT: [1], "b": 2}),
    (Backwards([UNFIT, "b", 1]), list, [FIT, "b", 1]),
    (Doubled([UNFIT, "b"]), set, {FIT, "b"}),
]


def held(base: Any, obj: Any) -> Any:
    """Return what an object stores as an instance of a base class, as such an instance."""
    return base(base.items(obj) if issubclass(base, dict) else base.__iter__(obj))


@pytest.mark.parametrize(("obj", "base", "fit"), STORED, ids=lambda value: type(value).__name__)
def test_what_a_class_stores_is_scrubbed_whatever_it_offers(obj: Any, base: Any, fit: Any) -> None:
    before = held(base, obj)
    assert [fault.kind for _, fault in scrub_report(obj)] == ["unrepresentable"] * len(texts_of(before))
    scrubbed = scrub(obj, unknown="error")
    assert (type(scrubbed), held(base, scrubbed)) == (type(obj), fit)
    assert held(base, obj) == before
    assert scrub_report(scrubbed) == []


def texts_of(obj: Any) -> list[str]:
    return [text for text in texts(shape(obj)) if text == UNFIT]


def test_a_copy_fills_its_index_itself() -> None:
    scrubbed = scrub(Indexed({"z": 1, UNFIT: 2}))
    assert (scrubbed.index, [*scrubbed.items()]) == ([FIT, "z"], [(FIT, 2), ("z", 1)])


def test_an_ordered_dict_of_your_own_keeps_its_order() -> None:
    ordered = ShoutingInOrder({"b": "1", "c": UNFIT, "a": "3"})
    ordered.move_to_end("b")
    assert [*OrderedDict.items(scrub(ordered))] == [("c", FIT), ("a", "3"), ("b", "1")]


class Linked(OfLists):
    """A dict that offers what an attribute holds, which is not examined."""

    def __init__(self, *pairs: tuple[Any, Any]) -> None:
        self.pairs = pairs
        super().__init__((key, [value]) for key, value in pairs)

    def items(self) -> Any:
        return self.pairs


class Joined(tuple[Any, ...]):
    """A tuple whose constructor takes its items one by one."""

    def __new__(cls, *items: Any) -> Joined:
        return super().__new__(cls, items)


class Trimmed(str):
    """A str whose constructor changes the text."""

    def __new__(cls, text: str) -> Trimmed:
        return super().__new__(cls, text[:-1])


class Thawed(dict[Any, Any]):
    """A dict whose copy is of another class."""

    def __copy__(self) -> dict[Any, Any]:
        return dict(self)


@pytest.mark.parametrize(
    "obj",
    [Linked(("a", UNFIT)), Joined(1, UNFIT), Trimmed(f"{UNFIT}."), Thawed(a=UNFIT)],
    ids=lambda obj: type(obj).__name__,
)
def test_a_class_that_would_not_hold_what_it_is_given_is_a_type_error(obj: Any) -> None:
    with pytest.raises(TypeError, match=rf"^\[0\]: a {type(obj).__name__} cannot be copied with other content$"):
        scrub([obj])


class Failing(OfLists):
    """A dict that cannot offer its items."""

    def items(self) -> Any:
        raise OSError("it is closed")


def test_what_a_dict_stores_is_examined_even_if_it_cannot_offer_it() -> None:
    failing = Failing({"a": [UNFIT]})
    assert [path for path, _ in scrub_report(failing)] == ["a[0]"]
    with pytest.raises(TypeError, match="a Failing cannot be copied"):
        scrub(failing)


class Elsewhere(dict[Any, Any]):
    """A dict that stores nothing and offers what others store, as one of werkzeug does."""

    def __iter__(self) -> Any:
        return iter(["a"])

    def items(self) -> Any:
        return [("a", UNFIT)]


class Hidden(list[Any]):
    def __iter__(self) -> Any:
        return iter(())


class Broken(tuple[Any, ...]):
    def __iter__(self) -> Any:
        raise OSError("it is closed")


@pytest.mark.parametrize("obj", [Elsewhere(), Hidden([UNFIT]), Broken([1])], ids=lambda obj: type(obj).__name__)
def test_a_class_that_offers_other_things_than_it_stores_is_not_examined(obj: Any) -> None:
    assert [(path, fault.kind) for path, fault in scrub_report([obj])] == [("[0]", "unexamined")]
    assert scrub([obj], unknown="ignore")[0] is obj


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


class Colour(str, enum.Enum):  # noqa: UP042
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
    *scrubbed, _ = scrub([*fine, "\ud800"])
    assert all(new is old for new, old in zip(scrubbed, fine, strict=True))


def test_scrubbed_data_can_be_written() -> None:
    data = {"messages": [{"role": "user", "content": "cut off: \ud83d"}], "name\udcff": ("\ud83d\ude00",)}
    with pytest.raises(UnicodeEncodeError):
        json.dumps(data, ensure_ascii=False).encode()
    written = json.dumps(scrub(data), ensure_ascii=False).encode()
    assert json.loads(written) == {"messages": [{"role": "user", "content": "cut off: �"}], "name�": ["😀"]}


def test_the_module_is_there_beside_the_function() -> None:
    assert sys.modules["eightfold.scrub"].scrub is eightfold.scrub
    assert sys.modules["eightfold.scrub"].__all__ == ["scrub", "scrub_report"]


def test_cached_properties_of_a_dataclass_are_computed_from_the_new_fields() -> None:
    @dataclass
    class Title:
        text: str

        @cached_property
        def twice(self) -> str:
            return 2 * self.text

    class Heading(Title):
        pass

    @dataclass
    class Given(Title):
        twice: str = ""

    assert scrub(Given("a\ud800", "b")) == Given("a\ufffd", "b")
    for cls in (Title, Heading):
        title = cls("a\ud800")
        assert title.twice == 2 * title.text
        assert scrub(title).twice == "a\ufffda\ufffd"
        assert vars(title)["twice"] == 2 * title.text
