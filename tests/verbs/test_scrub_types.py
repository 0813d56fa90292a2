"""Types that scrubbed data keep: standard containers, named tuples, dataclasses, and classes of one's own."""

from __future__ import annotations

import enum
import json
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import InitVar, dataclass, field
from typing import Any

import pytest

import eightfold
from eightfold import scrub, scrub_report
from support.scrub_pictures import (
    ROOMS,
    Pair,
    shape,
)

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
    assert all(new is old for new, old in zip(scrub([*fine, "\ud800"]), fine, strict=False))


def test_scrubbed_data_can_be_written() -> None:
    data = {"messages": [{"role": "user", "content": "cut off: \ud83d"}], "name\udcff": ("\ud83d\ude00",)}
    with pytest.raises(UnicodeEncodeError):
        json.dumps(data, ensure_ascii=False).encode()
    written = json.dumps(scrub(data), ensure_ascii=False).encode()
    assert json.loads(written) == {"messages": [{"role": "user", "content": "cut off: �"}], "name�": ["😀"]}


def test_the_module_is_there_beside_the_function() -> None:
    assert sys.modules["eightfold.scrub"].scrub is eightfold.scrub
    assert sys.modules["eightfold.scrub"].__all__ == ["scrub", "scrub_report"]
