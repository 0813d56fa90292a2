"""Error handlers that answer what they must not, or do what they should not: an exception, never more.

For UTF-8 the interpreter's own codec is the judge: the same handler has the same outcome there.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import eightfold
from eightfold import Converter, convert, decode, decode_code_points, encode
from eightfold.stream import Decoder, Encoder
from eightfold.text import TWINS
from support.handlers import handler


class Number:
    """An integer by its `__index__` only."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


class Broken:
    """No integer, though it seems to be one."""

    def __index__(self) -> int:
        raise ArithmeticError("no number")


class Lying:
    """An integer that is none."""

    def __index__(self) -> int:
        return "1"  # type: ignore[return-value]


class Text(str):
    """A str of another class, which says of itself what is not so."""

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Any:
        return iter("Q")

    def isascii(self) -> bool:
        return True


class Name(str):
    """A str that is equal to every other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("strict")


class Bytes(bytes):
    """The same of bytes."""

    def __len__(self) -> int:
        return 1


class Claiming:
    """No instance of a class, though it seems to be one."""

    def __init__(self, claimed: type) -> None:
        self.claimed = claimed

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # type: ignore[override]
        return self.claimed


class Pair(tuple[Any, ...]):
    """The same of a tuple."""

    def __len__(self) -> int:
        return 7

    def __getitem__(self, index: Any) -> Any:
        return None

    def __iter__(self) -> Any:
        return iter(())


POSITIONS: tuple[Any, ...] = (
    *(1, 2, 3, 4, 5, 6, -1, -2, -4, -5, -6, 100, -100, True),
    *(2**31 - 1, 2**31, 2**32, -(2**31), 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64, 2**64 + 1, 10**40),
    *(1.5, "1", b"1", None, (), Number(3), Number(10**9), Number(-(2**70)), Broken(), Lying()),
)
ANSWERS: tuple[Any, ...] = (
    *(("?", position) for position in POSITIONS),
    *(("", 3), ("\ud800", 3), ("😀" * 70_000, 3), (Text("é"), 3), (b"x", 3), (bytearray(b"x"), 3), (7, 3), (None, 3)),
    *((replacement, position) for replacement in (7, None, bytearray(b"x")) for position in (1.5, None, 100, 2**63)),
    *((Text("abc"), 3), (Bytes(b"abc"), 3), Pair(("?", 3)), Pair(("?",)), Pair((7, 3))),
    *(Claiming(tuple), (Claiming(str), 3), (Claiming(bytes), 3)),
    *(None, "?", b"?", 3, (), ("?",), ("?", 3, 3), ["?", 3], ("?", 3).__iter__(), object(), NotImplemented, {}),
)


def once(answer: Any) -> Callable[[Any], Any]:
    """Return a handler that gives an answer, and from the second call on a right one."""
    calls: list[Any] = []

    def answered(error: UnicodeError) -> Any:
        calls.append(error)
        return answer if len(calls) == 1 else ("", error.end)  # type: ignore[attr-defined]

    return answered


def outcome(work: Callable[[], Any]) -> Any:
    """Return the result, or the type and the words of what was raised: of Python 3.13, where later ones have others."""
    try:
        return work()
    except Exception as error:
        words = str(error).replace("UnicodeError 'object' attribute must be a bytes", "object attribute must be bytes")
        return type(error).__mro__[-4:], words


def by_both(make: Callable[[], Callable[[Any], Any]], ours: Callable[[str], Any], theirs: Callable[[str], Any]) -> None:
    with handler(make()) as errors:
        expected = outcome(lambda: theirs(errors))
    with handler(make()) as errors:
        found = outcome(lambda: ours(errors))
    assert found == expected


@pytest.mark.parametrize("length", [0, 70_000])
def test_an_answer_to_decoding_has_cpythons_outcome(length: int) -> None:
    data = b"ab\xffcd" + b"e" * length

    for answer in ANSWERS:
        by_both(
            partial(once, answer),
            lambda errors: decode(data, "utf-8", errors),
            lambda errors: data.decode("utf-8", errors),
        )


@pytest.mark.parametrize("target", ["utf-8", "utf-16-le"])
@pytest.mark.parametrize("data", [b"ab\xffcd", b"ab\xed\xa0\x80cd"], ids=["read", "written"])
def test_what_an_answer_holds_is_converted_whatever_its_class_says(data: bytes, target: str) -> None:
    def converted(answer: Callable[[Any], Any]) -> Any:
        with handler(answer) as errors:
            return (
                outcome(lambda: convert(data, "wtf-8", target, errors)),
                outcome(lambda: Converter("wtf-8", target, errors).convert(data, True)),
            )

    for given, meant in ((Text("abc"), "abc"), (Text("é"), "é"), (Bytes(b"abc"), b"abc"), (Bytes(b"abcd"), b"abcd")):
        expected = converted(lambda error: (meant, error.end))
        assert converted(lambda error: (given, error.end)) == expected
        assert converted(lambda error: Pair((given, error.end))) == expected


@pytest.mark.parametrize("length", [0, 70_000])
def test_an_answer_to_encoding_has_cpythons_outcome(length: int) -> None:
    text = "ab\ud800cd" + "e" * length

    for answer in ANSWERS:
        by_both(
            partial(once, answer),
            lambda errors: encode(text, "utf-8", errors),
            lambda errors: text.encode("utf-8", errors),
        )


CHANGES: dict[str, Any] = {
    **{f"object = {value!r:.20}": ("object", value) for value in (b"", b"ab", b"abcd\xff\xff", b"x" * 100_000)},
    "object = of another class": ("object", Bytes(b"abcde")),
    "object = not of that class": ("object", Claiming(bytes)),
    **{f"object = {value!r:.20}": ("object", value) for value in ("", "text", bytearray(b"abcde"), None, 7, [])},
    **{f"start = {value!r}": ("start", value) for value in (0, 3, 10**9, -5, 2**63 - 1, -(2**63))},
    **{f"end = {value!r}": ("end", value) for value in (0, 10**9, -5, 2**63 - 1, -(2**63))},
    **{f"{name} = {value!r}": (name, value) for name in ("reason", "encoding") for value in ("", None, 7)},
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_handler_does_to_its_exception_has_cpythons_outcome(change: str) -> None:
    name, value = CHANGES[change]
    data = b"ab\xffcd"

    def changing() -> Callable[[Any], Any]:
        calls: list[int] = []

        def changed(error: Any) -> tuple[str, int]:
            calls.append(1)
            if len(calls) == 1:
                setattr(error, name, value)
                return "?", 2
            return "", error.end if isinstance(error.object, bytes) else 0

        return changed

    by_both(changing, lambda errors: decode(data, "utf-8", errors), lambda errors: data.decode("utf-8", errors))


# CPython itself cannot show an error of encoding whose object is bytes.
@pytest.mark.parametrize(
    "change", [each for each, (name, value) in CHANGES.items() if name != "object" or isinstance(value, str)]
)
@pytest.mark.parametrize("replacement", ["?", "é"])
def test_what_a_handler_does_to_its_exception_in_encoding_has_cpythons_outcome(change: str, replacement: str) -> None:
    name, value = CHANGES[change]

    def changing() -> Callable[[Any], Any]:
        def changed(error: Any) -> tuple[str, int]:
            after = error.end
            setattr(error, name, value)
            return replacement, after

        return changed

    by_both(
        changing, lambda errors: encode("a\ud800b", "utf-8", errors), lambda errors: "a\ud800b".encode("utf-8", errors)
    )


def test_the_object_of_a_handler_may_be_deleted() -> None:
    def deletes(error: Any) -> tuple[str, int]:
        error.__dict__.clear()
        error.args = ()
        error.object = b"abc"
        return "?", 3

    with handler(deletes) as errors:
        assert decode(b"ab\xff" + b"cd" * 40_000, "utf-8", errors) == "ab?"


@pytest.mark.parametrize(
    "work",
    [
        lambda data, errors: data.decode("utf-8", errors),
        lambda data, errors: decode(data, "utf-8", errors),
        lambda data, errors: TWINS["decode"](data, "utf-8", errors),
        lambda data, errors: convert(data, "utf-8", "utf-16-le", errors),
        lambda data, errors: TWINS["convert"](data, "utf-8", "utf-16-le", errors),
    ],
)
def test_a_handler_sees_again_the_object_that_it_has_put_in_place(work: Callable[[bytes, str], Any]) -> None:
    seen, given = [], Bytes(b"a\xffb\xff\xff")

    def answered(error: Any) -> tuple[str, int]:
        seen.append(error.object)
        error.object = given
        return "?", error.start + 1

    with handler(answered) as errors:
        work(b"a\xffb\xff\xff", errors)
    assert len(seen) == 3
    assert all(each is given for each in seen[1:])


# The core takes a long input in pieces of a mebibyte.
@pytest.mark.parametrize("length", [(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 2 << 20], ids=hex)
@pytest.mark.parametrize("threads", [1, 2])
def test_the_object_that_a_handler_puts_in_place_may_end_where_a_piece_does(length: int, threads: int) -> None:
    def swaps(error: Any) -> tuple[str, int]:
        error.object = b"b" * length
        return "?", 100

    with handler(swaps) as errors:
        converted = convert(b"a" * 100 + b"\xff" + b"a" * (3 << 20), "utf-8", "wtf-8", errors, threads=threads)
    assert converted == b"a" * 100 + b"?" + b"b" * (length - 100)


VERBS: dict[str, Callable[[str], Any]] = {
    "decode": lambda errors: decode(b"a\xffb", "utf-8", errors),
    "decode, long": lambda errors: decode(b"a\xffb" * 30_000, "wtf-8", errors),
    "decode a run": lambda errors: decode(b"a\xfe\x80\xffb", "corrected-utf-8", errors),
    "decode wide units": lambda errors: decode(b"a\0\0\xd8b\0", "utf-16-le", errors),
    "decode code points": lambda errors: decode_code_points(b"a\xffb", "utf-8", errors),
    "encode": lambda errors: encode("a\ud800b", "utf-8", errors),
    "encode wide units": lambda errors: encode("a\ud800b", "utf-32-be", errors),
    "convert, at the source": lambda errors: convert(b"a\xffb", "utf-8", "utf-16-le", errors),
    "convert, at the target": lambda errors: convert(b"a\xed\xa0\x80b", "wtf-8", "utf-8", errors),
    "convert, by threads": lambda errors: convert(b"a\xffb", "utf-8", "utf-16-le", errors, threads=4),
    "Converter": lambda errors: Converter("utf-8", "utf-16-le", errors).convert(b"a\xffb", final=True),
}


class Ends(BaseException):
    """What no `except Exception` catches."""


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("raised", [ValueError, StopIteration, GeneratorExit, KeyboardInterrupt, MemoryError, Ends])
def test_what_a_handler_raises_comes_out_as_it_is(verb: str, raised: type[BaseException]) -> None:
    mine = raised("of the handler")

    def raises(_: Any) -> Any:
        raise mine

    with handler(raises) as errors:
        with pytest.raises(raised) as caught:
            VERBS[verb](errors)
        assert caught.value is mine


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("thread", [False, True], ids=["", "in a thread"])
def test_a_handler_that_calls_its_verb_for_ever_ends_in_a_recursion_error(verb: str, thread: bool) -> None:
    caught: list[BaseException] = []

    def run() -> None:
        try:
            VERBS[verb](errors)
        except BaseException as error:
            caught.append(error)

    with handler(lambda _: (VERBS[verb](errors), 1)) as errors:
        if thread:
            running = threading.Thread(target=run)
            running.start()
            running.join()
        else:
            run()
    assert [type(error) for error in caught] == [RecursionError]


@pytest.mark.parametrize("verb", VERBS)
def test_a_handler_may_do_anything_else_meanwhile(verb: str) -> None:
    own = eightfold.Form("own-hostile", eightfold.form("utf-8").rows)

    busy_until = [5]

    def busy(error: Any) -> tuple[str, int]:
        if not busy_until[0]:
            return "?", error.end
        busy_until[0] -= 1
        eightfold.form("utf-8").derived.clear()
        own.derived.clear()
        eightfold.register_codecs()
        eightfold.unregister_codecs()
        decode(b"\xff" * 100, own, "replace")
        with handler(lambda error: ("", error.end)):
            decode(b"\xff", own, "eightfold-test")
        gc.collect()
        return "?", error.end

    with handler(busy) as errors:
        busied = VERBS[verb](errors)
    with handler(lambda error: ("", error.end)) as errors:
        plain = VERBS[verb](errors)
    assert type(busied) is type(plain)
    assert len(busied) >= len(plain)


def test_a_converter_that_its_handler_calls_again_refuses_or_stays_whole() -> None:
    met: list[Any] = []

    def again(error: Any) -> tuple[str, int]:
        if not met:
            met.append(outcome(lambda: converter.convert(b"z\xff", final=False)))
        return "?", error.end

    with handler(again) as errors:
        converter = Converter("utf-8", "utf-16-le", errors)
        first = converter.convert(b"a\xffb\xe2\x82")
        rest = converter.convert(b"\xac", final=True)
    assert (first + rest).decode("utf-16-le").replace("z?", "") == "a?b€"
    assert met


@pytest.mark.parametrize("verb", VERBS)
def test_a_handler_that_is_no_function(verb: str) -> None:
    import codecs

    with pytest.raises(TypeError):
        codecs.register_error("eightfold-test", 7)  # type: ignore[arg-type]
    with pytest.raises(LookupError):
        VERBS[verb]("no-such-handler")
    for given in (7, b"strict", None, lambda error: ("", error.end)):
        with pytest.raises(TypeError):
            VERBS[verb](given)  # type: ignore[arg-type]


@pytest.mark.parametrize("policy", ["replace", "ignore", "backslashreplace", "surrogateescape", "surrogatepass"])
def test_a_policy_is_what_its_name_holds_whatever_its_class_says(policy: str) -> None:
    def outcomes_of(form: eightfold.Form, errors: str) -> list[Any]:
        decoder, encoder = Decoder(form, errors), Encoder(form, errors)
        return [
            outcome(lambda: decode(b"a\xff\xed\xa0\x80", form, errors)),
            outcome(lambda: encode("a\udcff\ud800", form, errors)),
            outcome(lambda: convert(b"a\xff\xed\xa0\x80", form, form, errors)),
            outcome(lambda: decoder.decode(b"a\xff\xed\xa0\x80", final=True)),
            outcome(lambda: encoder.encode("a\udcff\ud800", final=True)),
        ]

    # The core keeps what a policy does for a form: a form that nothing else uses keeps nothing for other tests.
    first, second = (eightfold.Form("own", eightfold.form("utf-8").rows) for _ in range(2))
    expected = outcomes_of(first, policy)
    assert outcomes_of(second, Name(policy)) == expected
    assert outcomes_of(second, policy) == expected
    with pytest.raises(LookupError):
        decode(b"", second, Name("no-such-handler"))
