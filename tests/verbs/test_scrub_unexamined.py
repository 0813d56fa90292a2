"""Nothing is called fit that was not read: what `scrub` looks into beside containers, and what it says of all else."""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import enum
import fractions
import functools
import ipaddress
import itertools
import os
import pathlib
import pickle
import re
import sys
import types
import uuid
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from eightfold import Fault, scrub, scrub_report
from eightfold.faults import UnexaminedFault

UNFIT, FIT = "a\ud800", "a�"


class Own:
    def __init__(self) -> None:
        self.text = UNFIT


class Colour(enum.Enum):
    RED = UNFIT
    BLUE = "blue"


class Lines(Mapping[str, Any]):
    """A mapping that is not a dict, and makes its values when they are asked for."""

    def __init__(self, items: Mapping[str, Any]) -> None:
        self.items_given = dict(items)

    def __getitem__(self, key: str) -> Any:
        return list(self.items_given[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self.items_given)

    def __len__(self) -> int:
        return len(self.items_given)


class Closed(Lines):
    def __iter__(self) -> Iterator[str]:
        raise OSError("it is closed")


class Counted(Lines):
    """A mapping whose constructor takes something else."""

    def __init__(self, count: int) -> None:
        super().__init__(dict.fromkeys("abc"[:count], UNFIT))


class OfLast(Mapping[str, Any]):
    """A mapping that offers the last value of each key, and holds the others."""

    def __init__(self, pairs: Any) -> None:
        self.pairs = [*(pairs.items() if isinstance(pairs, Mapping) else pairs)]

    def __getitem__(self, key: str) -> Any:
        return dict(self.pairs)[key]

    def __iter__(self) -> Iterator[str]:
        return iter(dict(self.pairs))

    def __len__(self) -> int:
        return len(dict(self.pairs))


class OfPairs(OfLast):
    """The same, made of pairs alone."""

    def __init__(self, pairs: Any) -> None:
        self.pairs = [(key, value) for key, value in pairs]


class Slotted(OfLast):
    """The same, compared by all its values, in slots."""

    __slots__ = ("pairs",)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slotted) and self.pairs == other.pairs

    __hash__ = None  # type: ignore[assignment]


class Every(OfLast):
    """A mapping with a length and items of its own: those of every pair."""

    def __len__(self) -> int:
        return len(self.pairs)

    def items(self) -> Any:
        return self.pairs


class Hashed(OfLast):
    """A mapping that remembers its hash."""

    hashed: int | None = None

    def __hash__(self) -> int:
        self.hashed = hash(tuple(self.pairs))
        return self.hashed


def paths(obj: object) -> list[tuple[str, str]]:
    return [(path, fault.kind) for path, fault in scrub_report(obj)]


# --- looked into ------------------------------------------------------------------------------------------------------

HELD: list[tuple[Any, str, Any]] = [
    (types.SimpleNamespace(a=UNFIT, b=1), "a", types.SimpleNamespace(a=FIT, b=1)),
    (types.SimpleNamespace(**{UNFIT: 1}), r'["a\ud800"] (key)', types.SimpleNamespace(**{FIT: 1})),
    (types.MappingProxyType({"a": [UNFIT]}), "a[0]", {"a": [FIT]}),
    (collections.UserDict({"a": UNFIT}), "data.a", collections.UserDict({"a": FIT})),
    (collections.UserList([UNFIT]), "data[0]", collections.UserList([FIT])),
    (collections.UserString(UNFIT), "data", collections.UserString(FIT)),
    (collections.ChainMap({"a": 1}, {"b": UNFIT}), "maps[1].b", collections.ChainMap({"a": 1}, {"b": FIT})),
    (Lines({"a": [UNFIT]}), "a[0]", Lines({"a": [FIT]})),
    (pathlib.PurePosixPath("/a", UNFIT), "parts[2]", pathlib.PurePosixPath("/a", FIT)),
    (pathlib.PureWindowsPath("c:/", UNFIT, "b"), "parts[1]", pathlib.PureWindowsPath("c:/", FIT, "b")),
    (re.compile(UNFIT, re.IGNORECASE), "pattern", re.compile(FIT, re.IGNORECASE)),
]


@pytest.mark.parametrize(("obj", "path", "fit"), HELD, ids=[type(obj).__name__ for obj, _, _ in HELD])
def test_what_the_standard_library_holds_text_in_is_looked_into(obj: Any, path: str, fit: Any) -> None:
    before = pickle.dumps(obj) if not isinstance(obj, types.MappingProxyType) else None
    assert paths(obj) == [(path, "unrepresentable")]
    scrubbed = scrub(obj)
    assert (type(scrubbed), scrubbed) == (type(obj), fit)
    assert scrub_report(scrubbed) == []
    assert scrub([scrubbed])[0] is scrubbed
    assert before is None or pickle.dumps(obj) == before


@pytest.mark.parametrize(
    ("path", "errors"),
    [
        # The rest would be absolute, the path itself, its parent, a path with a drive, and two components.
        (pathlib.PurePosixPath("\ud800/etc/passwd"), "ignore"),
        (pathlib.PurePosixPath("a/\ud800."), "ignore"),
        (pathlib.PurePosixPath("a/.\ud800./b"), "ignore"),
        (pathlib.PureWindowsPath("c\ud800:"), "ignore"),
        (pathlib.PureWindowsPath("a\ud800b"), "backslashreplace"),
    ],
)
def test_a_path_whose_components_would_become_others_is_an_error(path: pathlib.PurePath, errors: Any) -> None:
    with pytest.raises(TypeError, match=rf"^\[0\]: a {type(path).__name__} cannot be copied with other content$"):
        scrub([path], errors)
    assert len(scrub([path])[0].parts) == len(path.parts)


def test_a_posix_path_takes_backslashes_and_joined_pairs() -> None:
    path = pathlib.PurePosixPath("/\ud83d\ude00/a\ud800")
    assert scrub(path, "backslashreplace") == pathlib.PurePosixPath("/\U0001f600", "a\\ud800")


def test_a_member_of_an_enumeration_is_read_and_cannot_be_changed() -> None:
    assert paths([Colour.BLUE, Colour.RED]) == [("[1].value", "unrepresentable")]
    assert scrub(Colour.BLUE) is Colour.BLUE
    with pytest.raises(TypeError, match=r"^\[0\]: a Colour cannot be copied with other content$"):
        scrub([Colour.RED])


def test_a_name_of_a_member_is_text_too() -> None:
    assert paths(enum.Enum("Made", {UNFIT: 1})(1)) == [("name", "unrepresentable")]


def test_the_environment_is_never_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EIGHTFOLD_TEST", "caf\udce9")
    before = dict(os.environ)
    assert paths(os.environ) == [("EIGHTFOLD_TEST", "unrepresentable")]
    with pytest.raises(TypeError, match="cannot be copied"):
        scrub(os.environ)
    assert dict(os.environ) == before
    assert scrub(dict(os.environ))["EIGHTFOLD_TEST"] == "caf�"


def test_a_mapping_that_its_constructor_does_not_give_back_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"^\[0\]: a Counted cannot be copied with other content$"):
        scrub([Counted(2)])


def test_a_mapping_that_only_holds_itself_is_an_error_and_not_left_as_it_was() -> None:
    inside: dict[str, Any] = {"text": UNFIT}
    proxy = inside["self"] = types.MappingProxyType(inside)
    assert paths(proxy) == [("text", "unrepresentable")]
    with pytest.raises(TypeError, match="cannot be copied"):
        scrub(proxy)


def test_a_field_that_is_a_property_is_read_once() -> None:
    @dataclass
    class Split:
        words: list[str]

        @property  # type: ignore[no-redef]
        def words(self) -> list[str]:
            return self.line.split()

        @words.setter
        def words(self, words: list[str]) -> None:
            self.line = " ".join(words)

    obj = Split(["a", UNFIT])
    assert paths([obj, obj]) == [("[0].words[1]", "unrepresentable")]
    assert scrub(obj).words == ["a", FIT]
    assert obj.words == ["a", UNFIT]


class Words:
    """A descriptor that gives a new list each time."""

    def __get__(self, obj: Any, cls: type) -> list[str] | None:
        return None if obj is None else obj.line.split()

    def __set__(self, obj: Any, words: list[str]) -> None:
        obj.line = " ".join(words)


@dataclass
class OfDescriptor:
    words: Any = Words()


def test_a_field_that_is_a_descriptor_is_read_once() -> None:
    obj = OfDescriptor(["a", UNFIT])
    assert paths([obj, obj]) == [("[0].words[1]", "unrepresentable")]
    assert scrub(obj).words == ["a", FIT]
    assert obj.words == ["a", UNFIT]


def test_what_a_property_of_a_subclass_gives_is_not_left_as_it_was() -> None:
    class Split(collections.UserList[str]):
        data = property(lambda self: ["a", UNFIT], lambda self, words: None)

    class Loud(enum.Enum):
        A = UNFIT
        value = property(lambda self: [self._value_])

    for obj in (Split(), Loud.A):
        assert "unrepresentable" in [kind for _, kind in paths(obj)]
        with pytest.raises(TypeError, match="cannot be copied"):
            scrub(obj)


def test_keys_that_cannot_be_hashed_or_compared_once_scrubbed_are_an_error_with_a_path() -> None:
    @dataclass(eq=False)
    class Key:
        text: str

        def __hash__(self) -> int:
            return hash(self.text) // bool(self.text)

        def __eq__(self, other: object) -> bool:
            raise LookupError

    for keys in ([Key("\ud800")], [Key("a\ud800"), Key("a\ud801")]):
        for obj in (dict.fromkeys(keys), set(keys), frozenset(keys)):
            with pytest.raises(TypeError, match=r"^\[0\]: a \w+ cannot be copied with other content$"):
                scrub([obj], "ignore")


def test_a_field_that_cannot_be_read_is_reported() -> None:
    class Lazy(OfDescriptor):
        def __getattribute__(self, name: str) -> Any:
            if name == "words":
                raise LookupError(name)
            return super().__getattribute__(name)

    assert paths([Lazy([]), UNFIT]) == [("[0]", "unexamined"), ("[1]", "unrepresentable")]


@pytest.mark.parametrize("cls", [OfLast, OfPairs, Slotted, Every])
def test_a_mapping_of_one_value_for_each_key_is_examined(cls: type[OfLast]) -> None:
    one = cls([("a", UNFIT), ("b", "c")])
    assert paths(one) == [("a", "unrepresentable")]
    assert (type(scrub(one)), scrub(one).pairs) == (cls, [("a", FIT), ("b", "c")])


@pytest.mark.parametrize("cls", [OfLast, OfPairs, Slotted])
@pytest.mark.parametrize("values", [(UNFIT, "b"), ("b", UNFIT), (UNFIT, UNFIT), (1, 2)], ids=ascii)
def test_a_mapping_that_holds_more_than_its_items_is_not_examined(cls: type[OfLast], values: Any) -> None:
    several = cls([("a", value) for value in values])
    assert paths([several]) == [("[0]", "unexamined")]
    with pytest.warns(UnicodeWarning, match=r"^\[0\] .* was not examined and may hold text"):
        assert scrub([several, UNFIT]) == [several, FIT]
    with pytest.raises(TypeError, match="was not examined"):
        scrub(several, unknown="error")


def test_a_mapping_whose_items_are_all_its_pairs_keeps_them() -> None:
    every = Every([("a", UNFIT), ("a", "b")])
    assert paths(every) == [("a", "unrepresentable")]
    assert scrub(every).pairs == [("a", FIT), ("a", "b")]


def test_an_empty_mapping_and_one_that_remembers_its_hash_are_examined() -> None:
    hashed = Hashed([("a", UNFIT)])
    assert hash(hashed) == hashed.hashed
    assert paths(hashed) == [("a", "unrepresentable")]
    assert scrub(hashed).pairs == [("a", FIT)]
    assert scrub_report(OfLast([])) == []


# --- not looked into --------------------------------------------------------------------------------------------------

UNKNOWN: list[tuple[Any, str]] = [
    (Own(), f"{__name__}.Own"),
    (iter([UNFIT]), "list_iterator"),
    ((each for each in [UNFIT]), "generator"),
    ({UNFIT: 1}.keys(), "dict_keys"),
    (functools.partial(print, UNFIT), "functools.partial"),
    (ValueError(UNFIT), "ValueError"),
    (array.array("w" if sys.version_info >= (3, 13) else "u", "text"), "array.array"),
    (Closed({"a": UNFIT}), f"{__name__}.Closed"),
]


@pytest.mark.parametrize(("obj", "name"), UNKNOWN, ids=[name for _, name in UNKNOWN])
def test_what_cannot_be_looked_into_is_said(obj: Any, name: str) -> None:
    ((path, fault),) = scrub_report({"a": [1, obj, obj]})
    assert fault == UnexaminedFault(path="a[1]", type=name)
    assert (path, fault.kind, fault.severity, fault.start, fault.end) == ("a[1]", "unexamined", "warning", 0, 0)
    assert str(fault) == f"a[1] ({name}) was not examined and may hold text"
    assert fault.as_dict()["type"] == name
    assert pickle.loads(pickle.dumps(fault)) == fault


class Lost(type):
    def __getattr__(cls, name: str) -> Any:
        raise ConnectionError("the database is gone")


class OfLost(metaclass=Lost):
    """Its class raises when it is asked for its fields."""


def test_an_object_whose_class_raises_is_reported() -> None:
    lost = OfLost()
    assert [(path, fault.kind) for path, fault in scrub_report([UNFIT, lost])] == [
        *(("[0]", "unrepresentable"), ("[1]", "unexamined"))
    ]
    assert scrub([UNFIT, lost], unknown="ignore") == [FIT, lost]


def test_by_default_there_is_one_warning_for_each_call() -> None:
    data = [Own(), {"a": Own()}, UNFIT]
    with pytest.warns(UnicodeWarning) as caught:
        scrubbed = scrub(data)
    (warning,) = caught
    said = f"[0] ({__name__}.Own) was not examined and may hold text, and 1 more"
    assert str(warning.message) == f"{said}: scrub_report lists what was not examined"
    assert warning.filename == __file__
    assert scrubbed == [data[0], data[1], FIT]
    assert scrubbed[0] is data[0]
    assert scrubbed[1] is data[1]


def test_an_error_if_it_is_asked_for_before_any_work() -> None:
    with pytest.raises(TypeError, match=r"^\$ \(list_iterator\) was not examined and may hold text$"):
        scrub(iter([]), unknown="error")
    with pytest.raises(TypeError, match="was not examined"):
        scrub([UNFIT, Own()], "strict", unknown="error")
    assert scrub([UNFIT], unknown="error") == [FIT]


def test_silence_if_it_is_asked_for() -> None:
    left = iter([UNFIT])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scrub([left, UNFIT], unknown="ignore") == [left, FIT]
    assert next(left) == UNFIT


def test_any_other_answer_is_refused() -> None:
    with pytest.raises(ValueError, match=r"unknown='no' is not one of warn, error, ignore"):
        scrub("fine", unknown="no")  # type: ignore[arg-type]


def test_scalars_of_the_standard_library_hold_no_text() -> None:
    now = datetime.datetime.now(datetime.UTC)
    scalars: list[Any] = [
        *(1, True, 1.5, 1j, None, ..., NotImplemented, b"\xff", bytearray(b"\xff"), memoryview(b"\xff"), range(3)),
        *(now, now.date(), now.time(), now - now, now.tzinfo, decimal.Decimal(1), fractions.Fraction(1, 2)),
        *(uuid.uuid4(), ipaddress.ip_address("::1"), ipaddress.ip_network("10.0.0.0/8"), array.array("i", [1])),
        *(object(), int, Own, Colour, print, paths, [].append, Own().__init__, re, 10**5000, re.compile(b"\xff")),
    ]
    assert scrub(scalars, unknown="error") is scalars
    assert scrub_report(scalars) == []


def test_a_name_of_a_type_is_shown_so_that_it_can_be_printed() -> None:
    ((_, fault),) = scrub_report(type("A\x1b\n" + "b" * 1000, (), {})())
    assert isinstance(fault, UnexaminedFault)
    assert fault.type.isprintable()
    assert len(fault.type) < 200


def test_faults_and_warnings_come_in_order() -> None:
    found = scrub_report([UNFIT, Own(), "b\ud800\ud801"])
    assert [(path, fault.kind) for path, fault in found] == [
        *(("[0]", "unrepresentable"), ("[1]", "unexamined"), ("[2]", "unrepresentable")),
    ]
    assert all(isinstance(fault, Fault) for _, fault in found)


def test_a_proxy_that_says_it_is_a_str_is_reported_and_not_read() -> None:
    class Proxy:
        @property  # type: ignore[misc]
        def __class__(self) -> type:
            return str

        def __getattribute__(self, name: str) -> object:
            if name == "__class__":
                return str
            raise KeyError(name)

    assert [(path, fault.kind) for path, fault in scrub_report([Proxy(), "\ud800"])] == [
        ("[0]", "unexamined"),
        ("[1]", "unrepresentable"),
    ]


def test_a_class_that_offers_items_without_end_is_not_asked_for_all() -> None:
    class Endless(list[str]):
        def __iter__(self) -> Iterator[str]:
            return itertools.repeat(UNFIT)

    ((path, fault),) = scrub_report([Endless(["a"])])
    assert (path, fault.kind) == ("[0]", "unexamined")


class Limited(Lines):
    """A mapping with numbers beside its items, one of which comes from the items."""

    def __init__(self, items: Mapping[str, Any]) -> None:
        super().__init__(items)
        self.limit: int | None = 10
        self.rate = 0.5
        self.strict = False
        self.longest = max(len(value) for value in items.values())
        self.hash: int | None = None

    def __getitem__(self, key: str) -> Any:
        return self.items_given[key]

    def __hash__(self) -> int:
        if self.hash is None:
            self.hash = hash(frozenset(self.items_given.items()))
        return self.hash


def test_numbers_beside_the_items_of_a_mapping_are_kept() -> None:
    mapping = Limited({"a": UNFIT, "b": "\ud83d\ude00!"})
    mapping.limit, mapping.rate, mapping.strict = None, 2.5, True
    hash(mapping)
    copied = scrub(mapping, unknown="error")
    assert dict(copied) == {"a": FIT, "b": "\U0001f600!"}
    assert (copied.limit, copied.rate, copied.strict, copied.longest) == (None, 2.5, True, 2)
    assert hash(copied) == hash(Limited(dict(copied))) != hash(mapping)


class Hooked(Lines):
    """A mapping with functions beside its items, two of which it makes itself."""

    def __init__(self, items: Mapping[str, Any], key: Any = None) -> None:
        super().__init__(items)
        self.key = key or (lambda name: name)
        self.first = lambda: self[min(self)]
        self.found = self.get
        self.hook: Any = None

    def __getitem__(self, key: str) -> Any:
        return self.items_given[key]

    @functools.cached_property
    def longest(self) -> int:
        return max(map(len, self.values()))

    @functools.cached_property
    def getter(self) -> Any:
        return lambda name: self[name]


def test_functions_beside_the_items_of_a_mapping_are_kept_but_not_what_it_computes() -> None:
    mapping: Any = Hooked({"a": "\ud83d\ude00"}, str.upper)
    mapping.key = mapping.hook = lambda name: f"its {name}"
    mapping.write = uuid.uuid4
    mapping.send = collections.Counter("a").most_common
    assert mapping.longest == 2 == len(mapping.getter("a"))
    copied: Any = scrub(mapping, unknown="error")
    assert (copied.key, copied.hook, copied.write) == (mapping.key, mapping.hook, mapping.write)
    assert copied.send == mapping.send
    assert copied.first() == copied.found("a") == copied.getter("a") == copied["a"] == "\U0001f600"
    assert copied.longest == 1
