"""Paths stay short, whatever the depth and the keys of the data: a report grows with what it reports."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass, make_dataclass
from functools import partial
from typing import Any

import pytest

from eightfold import scrub, scrub_report
from support.calls import calls_of

LONGEST = 8000


def nested(levels: int) -> Any:
    """Return lists with something unfit on every level."""
    data: Any = None
    for level in range(levels):
        data = [f"{level}\ud800", data]
    return data


def test_a_report_with_a_fault_on_every_level_grows_with_the_levels() -> None:
    few, many = (calls_of(partial(scrub_report, nested(levels))) for levels in (500, 4000))
    assert many < 10 * few
    found = scrub_report(nested(8000))
    assert len(found) == 8000
    assert max(len(path) for path, _ in found) < 150


def test_a_long_path_keeps_its_ends_and_counts_what_is_between() -> None:
    paths = [path for path, _ in scrub_report(nested(8000))]
    assert paths[2] == "[1][1][0]"
    assert paths[31] == "[1]" * 31 + "[0]"
    assert paths[32] == "[1]" * 16 + " ... 1 step ... " + "[1]" * 15 + "[0]"
    assert paths[33] == "[1]" * 16 + " ... 2 steps ... " + "[1]" * 15 + "[0]"
    assert paths[-1] == "[1]" * 16 + " ... 7968 steps ... " + "[1]" * 15 + "[0]"


def test_the_path_of_many_faults_in_one_str_is_there_once() -> None:
    found = scrub_report({"a": "\ud800b" * 1000})
    assert len({id(path) for path, _ in found}) == 1


KEYS = [
    "k" * 300_000,
    "k " * 300_000,
    "\n" * 300_000,
    b"k" * 300_000,
    ("k" * 300_000,) * 1000,
    10**5000,
    -(10**100_000),
    frozenset(range(100_000)),
    namedtuple("Pair", "a b")("a" * 300_000, 2),
    make_dataclass("Point", [("x", Any)], frozen=True)("x" * 300_000),
]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: type(key).__name__)
def test_a_long_key_is_shortened(key: Any) -> None:
    ((path, _),) = scrub_report({key: "\ud800"})
    assert len(path) < 700
    assert path.isprintable()
    assert list(scrub({key: "\ud800"}).values()) == ["�"]


@dataclass(eq=False)
class Node:
    left: Any = None
    right: Any = None


def shown(key: Any) -> str:
    ((path, _),) = scrub_report({key: "\ud800"})
    return path


def test_of_fields_in_fields_no_more_are_read_than_are_shown() -> None:
    wide, deep, cycle = Node(), Node(), Node()
    for _ in range(60):
        wide = Node(wide, wide)
    for _ in range(5000):
        deep = Node(deep)
    cycle.left = cycle
    assert shown(deep) == shown(cycle) == "[Node(Node(Node(Node(Node(...), None), None), None), None)]"
    assert shown(wide).startswith("[Node(Node(Node(Node(Node(...), Node(...)), ")


class Lost(tuple[int, ...]):
    def __iter__(self) -> Any:
        raise ConnectionError("the database is gone")


class Gone(Node):
    @property
    def left(self) -> Any:
        raise ConnectionError("the database is gone")

    @left.setter
    def left(self, value: Any) -> None:
        pass


class deque:  # noqa: N801
    """Shown by its name as one of the standard library, which it is not."""


@pytest.mark.parametrize("make", [lambda: Lost((1,)), Gone, deque])
def test_a_key_that_raises_is_shown_by_its_class(make: Callable[[], Any]) -> None:
    key = make()
    paths = [path for path, _ in scrub_report({key: "\ud800", (key,): "\ud800"})]
    assert paths
    assert all(f"{type(key).__name__} object at " in path for path in paths)


def test_a_long_key_that_is_unfit_is_shown_by_its_ends() -> None:
    ((path, _),) = scrub_report({"a" * 1000 + "\ud800": 1})
    assert path == f'["{"a" * 60}...(881 characters)...{"a" * 59}\\ud800"] (key)'


def test_what_can_be_printed_is_shown_as_it_is() -> None:
    ((path, _),) = scrub_report({"caf\xe9": {"\u6f22 \x07": {"\xa0\U0001f600": "\ud800"}}})
    assert path == 'caf\xe9["\u6f22 \\x07"]["\\xa0\U0001f600"]'


def test_long_steps_of_a_long_path() -> None:
    data: Any = "\ud800"
    for _ in range(100):
        data = {"k" * 100_000: data}
    ((path, _),) = scrub_report(data)
    assert len(path) < LONGEST
    assert " ... 68 steps ... " in path
