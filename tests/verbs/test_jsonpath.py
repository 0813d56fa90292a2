"""Paths into JSON text are those that `scrub_report` gives for the object that Python's parser makes of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eightfold import ConversionError, jsontext, scrub_report
from eightfold.jsonpath import path_at

TEXTS = st.text(st.sampled_from('ab"\\ ,:[]{}\n\ud83dé'), max_size=4)
OBJECTS = st.recursive(
    TEXTS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
FAULTY = OBJECTS.map(lambda obj: obj if scrub_report(obj) else [obj, "\ud83d"])


@given(FAULTY, st.booleans(), st.booleans())
@example([1, {"a": [2, 3, {"b\\": ",", "c]": [[], {}, "\ud83d"]}]}], True, True)
@example({"\ud83d": 1}, False, False)
def test_the_first_fault_is_where_the_object_has_it(obj: Any, indented: bool, is_ascii: bool) -> None:
    written = json.dumps(obj, indent=1 if indented else None, ensure_ascii=True).encode()
    if not is_ascii:
        written = written.replace(rb"\u00e9", "é".encode())
    found = scrub_report(json.loads(written))
    assert found
    with pytest.raises(ConversionError) as caught:
        jsontext.scrub(written, "strict")
    path = found[0][0]
    expected = "$" if path == "$" else f"${'' if path.startswith('[') else '.'}{path}"
    assert path_at(written, caught.value.start) == expected


@pytest.mark.parametrize(
    ("text", "offset", "path"),
    [
        (b"", 0, "$"),
        (b"[1, 2", 99, "$[1]"),
        (b'["cut\n, "x"]', 10, "$[1]"),
        (b']]}"x', 3, "$"),
        (b'{"a": 1, ', 8, "$"),
        (b'{"a"', 4, "$.a"),
        (b'{"a b"', 1, '$["a b"] (key)'),
        (b'{"a": 1}', 3, "$.a (key)"),
        (b'{"\xff": [', 7, r'$["\\xff"][0]'),
        (b"[" * 33, 33, f"${'[0]' * 16} ... 1 step ... {'[0]' * 16}"),
        (b"[" * 34, 34, f"${'[0]' * 16} ... 2 steps ... {'[0]' * 16}"),
    ],
)
def test_what_is_no_json_has_paths_too(text: bytes, offset: int, path: str) -> None:
    assert path_at(text, offset) == path


def test_an_offset_behind_the_text_is_its_end() -> None:
    for offset in (11, 12, 1 << 63, 10**30):
        assert path_at(b'{"a": ["b",', offset) == "$.a[1]"
    with pytest.raises(ValueError, match="offset must be 0 or more, not -1"):
        path_at(b"{}", -1)


def test_a_path_that_takes_all_the_tokens_that_it_may_is_found() -> None:
    assert [path_at(b"[[[", 2, most) for most in (2, 3)] == [None, "$[0][0][0]"]
    assert [path_at(b'["a', 3, most) for most in (1, 2)] == [None, "$[0]"]


def test_a_key_with_a_raw_control_still_shows_what_its_escapes_mean() -> None:
    assert path_at(b'{"\t\\u0041": 1}', 12) == path_at(b'{"\\tA": 1}', 8) == '$["\\tA"]'
