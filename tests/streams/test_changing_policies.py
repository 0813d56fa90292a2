"""The attribute `errors` of a coder, which Python documents as one that may be assigned: what the new policy is for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import eightfold
from eightfold.stream import Converter, Decoder, Encoder
from support.handlers import handler, length_shown

PIECE = b"\xfe\x80" * 1000

# What makes a coder under `strict`, its method, and input that the policy `replace` changes.
CODERS: dict[str, tuple[Callable[[], Any], str, Any, Any]] = {
    "Decoder": (lambda: Decoder("xtf-8"), "decode", b"a\xff", "a\uefff"),
    "Encoder": (lambda: Encoder("xtf-8"), "encode", "a\uefff", b"a\xff"),
    "Converter from": (lambda: Converter("xtf-8", "utf-16-le"), "convert", b"a\xff", b"a\0\xff\xef"),
    "Converter to": (lambda: Converter("utf-16-le", "xtf-8"), "convert", b"a\0\xff\xef", b"a\xff"),
}


@pytest.mark.parametrize("name", CODERS)
@pytest.mark.parametrize(
    ("errors", "raised"),
    [("ignore", ValueError), ("no-such-handler", LookupError), ("java", LookupError), (7, TypeError)],
)
def test_what_a_new_coder_refuses_is_refused_later_too(name: str, errors: Any, raised: type[Exception]) -> None:
    make, method, given, expected = CODERS[name]
    coder = make()
    with pytest.raises(raised):
        coder.errors = errors
    assert coder.errors == "strict"
    assert getattr(coder, method)(given, True) == expected


def test_a_new_policy_holds_for_what_is_held() -> None:
    decoder, encoder, converter = Decoder("utf-8"), Encoder("cesu-8"), Converter("utf-8", "utf-16-be")
    assert (decoder.decode(b"\xe2\x82"), encoder.encode("\ud83d"), converter.convert(b"\xe2\x82")) == ("", b"", b"")
    decoder.errors = encoder.errors = converter.errors = "replace"
    assert decoder.decode(b"", True) == "\ufffd"
    assert encoder.encode("", True) == b"?"
    assert converter.convert(b"", True) == b"\xff\xfd"


def test_pairs_are_counted_by_the_form_that_the_new_policy_writes() -> None:
    converter = Converter("mutf-8", "utf-8", "strict")
    converter.errors = "java"
    given = Converter("mutf-8", "utf-8", "java")
    data = b"\xed\xa0\xbd\xed\xb8\x80"
    assert converter.convert(data, True) == given.convert(data, True)
    assert converter.joined_pairs == given.joined_pairs


JOINING = eightfold.Form(
    "joining",
    eightfold.form("generalized-utf-8").rows,
    variants=[
        eightfold.Variant("joined", eightfold.form("wtf-8")),
        eightfold.Variant("read", eightfold.form("wtf-8"), False),
    ],
)


def test_a_lead_is_held_if_the_policy_selects_rows_that_join() -> None:
    for policy in ("strict", "joined", "read"):
        encoder = Encoder(JOINING, policy)
        parts = [encoder.encode("a\ud83d"), encoder.encode("\ude00", True)]
        assert b"".join(parts) == eightfold.encode("a\ud83d\ude00", JOINING, policy)
        assert parts[0] == (b"a" if policy == "joined" else b"a\xed\xa0\xbd")


def test_a_lead_that_is_held_is_not_lost_with_the_policy_that_joins() -> None:
    encoder = Encoder(JOINING, "joined")
    assert encoder.encode("\ud83d") == b""
    encoder.errors = "strict"
    encoder.setstate(encoder.getstate())
    assert encoder.encode("\ude00") == eightfold.encode("\ud83d\ude00", JOINING)
    assert encoder.encode("\ud83d") == eightfold.encode("\ud83d", JOINING)
    encoder.errors = "joined"
    assert (encoder.encode("\ud83d"), encoder.encode("\ude00")) == (b"", "\U0001f600".encode())


@pytest.mark.parametrize("name", ["Decoder", "Converter"])
def test_a_run_under_a_new_handler_is_held_as_under_one_from_the_start(name: str, seen: list[int]) -> None:
    with handler(length_shown) as errors:
        coder: Any = Decoder("corrected-utf-8") if name == "Decoder" else Converter("corrected-utf-8", "utf-8")
        step = coder.decode if name == "Decoder" else coder.convert
        coder.errors = errors
        results = [step(PIECE) for _ in range(60)] + [step(b"b", True)]
    whole = "".join(results) if name == "Decoder" else b"".join(results).decode()
    assert whole == f"<{60 * len(PIECE)}>b"
    assert sum(seen) < 3 * 60 * len(PIECE)


@pytest.mark.parametrize("name", ["Decoder", "Converter"])
def test_nothing_that_is_held_of_a_run_is_lost_with_its_handler(name: str) -> None:
    with handler(length_shown) as errors:
        if name == "Decoder":
            decoder = Decoder("corrected-utf-8", errors)
            texts = [decoder.decode(PIECE) for _ in range(10)]
            decoder.errors = "backslashreplace"
            texts.append(decoder.decode(b"b", True))
        else:
            converter = Converter("corrected-utf-8", "utf-8", errors)
            texts = [converter.convert(PIECE).decode() for _ in range(10)]
            converter.errors = "backslashreplace"
            texts.append(converter.convert(b"b", True).decode())
    assert "".join(texts) == eightfold.decode(PIECE * 10 + b"b", "corrected-utf-8", "backslashreplace")


def test_a_run_that_is_an_error_and_is_no_longer_held_keeps_its_policy() -> None:
    converter = Converter("corrected-utf-8", "utf-8")
    assert converter.convert(PIECE) == b""
    with pytest.raises(ValueError, match="comes too late for the sequence at byte 0"):
        converter.errors = "backslashreplace"
    with pytest.raises(eightfold.ConversionError) as caught:
        converter.convert(b"b")
    assert caught.value.end == len(PIECE)
    converter.reset()
    converter.errors = "backslashreplace"
    assert converter.convert(b"\xff", True) == b"\\xff"
