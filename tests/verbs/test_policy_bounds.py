"""How often a handler is called: bounded by the input, whatever it answers and whatever it puts in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import pytest

import eightfold
from eightfold import Form, Row, policy, reference, run
from eightfold.policy import reading, writing
from eightfold.run import Decoding
from support.handlers import handler

Answer = tuple[str, int]
MOST_WITHOUT_PROGRESS = 1000


def endless_handlers() -> Iterator[tuple[str, Callable[[Any], Answer]]]:
    forward_and_back = cycle((1, 0))
    yield "forward and back", lambda error: ("", next(forward_and_back))

    def renewed(error: Any) -> Answer:
        error.object = bytes(error.object)[:-1] + b"\xff"
        return "", error.start

    yield "another object each time", renewed

    def longer(error: Any) -> Answer:
        error.object = error.object + b"\xff"
        return "", error.end

    yield "a longer object each time", longer

    countdown = iter(range(10**9))

    def rarely(error: Any) -> Answer:
        return "", error.end if next(countdown) % 900 == 899 else error.start

    yield "on, but rarely", rarely


@pytest.mark.parametrize(
    ("name", "answer"), [*endless_handlers()], ids=lambda each: each if isinstance(each, str) else ""
)
def test_calls_are_bounded_by_the_input(name: str, answer: Callable[[Any], Answer]) -> None:
    data = b"\xff" * 50
    for verb in (
        lambda errors: eightfold.decode(data, "utf-8", errors),
        lambda errors: eightfold.convert(data, "wtf-8", "utf-16", errors),
        lambda errors: eightfold.Converter("wtf-8", "utf-8", errors).convert(data, final=True),
    ):
        calls = 0

        def counted(error: Any) -> Answer:
            nonlocal calls
            calls += 1
            return answer(error)

        with handler(counted) as errors, pytest.raises(RuntimeError, match="makes no progress"):
            verb(errors)
        assert MOST_WITHOUT_PROGRESS <= calls <= MOST_WITHOUT_PROGRESS + 2 * len(data)


def test_calls_on_encoding_are_bounded_by_the_text() -> None:
    text, calls = "a" + "\ud800a" * 50, 0

    def to_and_fro(error: Any) -> Answer:
        nonlocal calls
        calls += 1
        return "", error.end if calls % 2 else 0

    with handler(to_and_fro) as errors, pytest.raises(RuntimeError, match="makes no progress"):
        eightfold.encode(text, "utf-8", errors)
    assert MOST_WITHOUT_PROGRESS <= calls <= MOST_WITHOUT_PROGRESS + 2 * len(text)


def test_a_long_answer_of_few_characters_is_written_by_its_different_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    def counted(form: Form, code_point: int) -> bytes | None:
        asked.append(code_point)
        return reference.encoded(form, code_point)

    monkeypatch.setattr(policy, "encoded", counted)
    answer = "?!\x7f" * 3000
    form = Form("test-ascii", (Row(0, 0x7F, (0, 0x7F)),))
    with handler(lambda error: (answer, error.end)) as name:
        result = eightfold.convert("a\u20acb\u20ac".encode(), "utf-8", form, name)
    assert result == f"a{answer}b{answer}".encode()
    assert sorted(asked) == sorted([0x21, 0x3F, 0x7F] * (len(asked) // 3))
    assert len(asked) <= 3 * 2


@pytest.mark.parametrize("name", ["utf-8", "cesu-8", "utf-16-le", "wtf-8", "corrected-utf-8", "mutf-8"])
@pytest.mark.parametrize(
    "answer",
    ["", "aa", "\ud83d\ude00", "\ud83d", "x\ud83d\ude00\ud83d\ude00", "\0\0", "\U0001f600" * 3],
    ids=ascii,
)
def test_an_answer_is_written_as_the_reference_writes_it(name: str, answer: str) -> None:
    form = eightfold.form(name)
    points = list(map(ord, answer))
    assert policy._written_alike(form, points) == reference.written(form, points)


def test_a_handler_that_mends_the_object_and_goes_back_is_let_be() -> None:
    def mended(error: UnicodeDecodeError) -> Answer:
        error.object = error.object[: error.start] + b"\xef\xbf\xbd" + error.object[error.end :]
        return "", error.start

    data = b"a\xff" * 3000
    with handler(mended) as errors:
        assert eightfold.decode(data, "utf-8", errors) == "a\ufffd" * 3000


def test_a_handler_may_ask_for_each_fault_twice() -> None:
    again = cycle((0, 1))
    with handler(lambda error: ("?", error.start + next(again))) as errors:
        assert eightfold.decode(b"\xff" * 2000, "utf-8", errors) == "?" * 4000


def one_on(met: list[tuple[int, int]]) -> Callable[[Any], Answer]:
    """Return a handler that notes the span of each unit, writes nothing and goes on by one."""

    def handle(error: Any) -> Answer:
        met.append((error.start, error.end))
        return "", error.start + 1

    return handle


def expected_spans(faults_from: Callable[[int], Iterator[eightfold.Fault]]) -> list[tuple[int, int]]:
    """Return what such a handler meets: from each place the first fault behind it, whose span is relative to it."""
    spans, at = [], 0
    while (fault := next(faults_from(at), None)) is not None:
        spans.append((at + fault.start, at + fault.end))
        at += fault.start + 1
    return spans


@pytest.mark.parametrize("form", ["utf-8", "cesu-8", "optu-8", "utf-16-le"])
def test_a_handler_that_goes_on_inside_a_unit_meets_what_is_left_of_it(form: str) -> None:
    met: list[tuple[int, int]] = []
    text = "a\udc80\ud800\ud801\U0001f600\ud83d\ud83d\ude00\udc00\udfff"
    with handler(one_on(met)) as errors:
        written = eightfold.encode(text, form, errors)
    assert met == expected_spans(lambda at: eightfold.encode_faults(text[at:], form, 1))
    assert written == eightfold.encode(text, form, "ignore")


def test_a_handler_that_goes_on_inside_a_run_meets_what_is_left_of_it() -> None:
    met: list[tuple[int, int]] = []
    data = b"a\xfe\x80\xff\xfe\x80\x80b\xfe\x80\x80\x80\xffc\xfe\x80"
    expected = expected_spans(lambda at: eightfold.faults(data[at:], "corrected-utf-8", 1))
    with handler(one_on(met)) as errors:
        eightfold.decode(data, "corrected-utf-8", errors)
        assert met == expected
        met.clear()
        eightfold.convert(data, "corrected-utf-8", "utf-8", errors)
        assert met == expected


def test_the_end_of_a_run_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = 0
    goes_on = reference._goes_on

    def counted(form: Form, unit: int) -> bool:
        nonlocal seen
        seen += 1
        return goes_on(form, unit)

    monkeypatch.setattr(reference, "_goes_on", counted)
    data = b"\xfe" * 500
    with handler(lambda error: ("", error.start + 1)) as errors:
        form = eightfold.form("corrected-utf-8")
        assert len(list(Decoding(reading(form, errors, form.name), data).pieces(final=True))) == len(data)
    assert seen <= 4 * len(data)


def test_the_end_of_a_unit_of_text_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = 0

    def counted(form: Form, code_point: int) -> bytes | None:
        nonlocal seen
        seen += 1
        return reference.encoded(form, code_point)

    monkeypatch.setattr(run, "encoded", counted)
    form = eightfold.form("utf-8")
    with handler(lambda error: ("", error.start + 1)) as errors:
        assert not b"".join(run.encoded_pieces(writing(form, errors, form.name), "\ud800" * 500))
    assert seen <= 4 * 500
