"""What scrubbing makes of each str, where keys and elements become equal, and where the report says that it was."""

from __future__ import annotations

import copy
import pickle
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import eightfold
from eightfold import scrub, scrub_report
from support.scrub_pictures import (
    POLICIES,
    Frozen,
    FrozenSlotted,
    Pair,
    Plain,
    by_cpython,
    shape,
)

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


# --- keys and elements that would become equal ------------------------------------------------------------------------


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
    assert str(caught.value) == f"{first} and {second} would become equal"
    assert shape(obj) == before


@pytest.mark.parametrize("cls", [set, frozenset])
def test_elements_of_a_set_that_would_become_one_are_an_error_too(cls: type) -> None:
    with pytest.raises(ValueError) as caught:
        scrub({"tags": cls(["\ud800", "\ud801", "fine"])})
    assert set(str(caught.value).removesuffix(" would become equal").split(" and ")) == {
        r'tags{"\ud800"}',
        r'tags{"\ud801"}',
    }


class Multi(Mapping[str, Any]):
    """A mapping in which a key may occur several times, as in headers and queries."""

    def __init__(self, items: Any) -> None:
        self.held = list(items.items() if isinstance(items, dict) else items)

    def __getitem__(self, key: str) -> Any:
        return next(value for held, value in self.held if held == key)

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self.held)

    def __len__(self) -> int:
        return len(self.held)

    def items(self) -> Any:
        return list(self.held)


@pytest.mark.parametrize(("key", "fit"), [("set-c", "set-c"), ("set-\ud800", "set-�")])
def test_keys_that_were_equal_before_stay_so(key: str, fit: str) -> None:
    again = "".join(list(key))
    assert again is not key
    scrubbed = scrub(Multi([(key, "a\ud800"), ("b", 1), (again, "b")]))
    assert (type(scrubbed), scrubbed.items()) == (Multi, [(fit, "a�"), ("b", 1), (fit, "b")])
    with pytest.raises(ValueError, match="would become equal"):
        scrub(Multi([(key, 1), (again, 2), (f"{key}\ud800", 3), (f"{key}�", 4)]))


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
