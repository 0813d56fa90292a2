"""A run of reserved bytes in many pieces, under a handler that gets it whole: the same as at once, in linear work."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import eightfold
from eightfold.stream import Decoder, decoder
from support.handlers import handler

PIECE = b"\xfe\x80" * 1000
PIECES = 60
DATA = b"a" + PIECE * PIECES + b"b\xff\x80"


def shown(error: Any) -> tuple[str, int]:
    return f"<{error.end - error.start}>", error.end


@pytest.fixture
def errors() -> Any:
    with handler(shown) as name:
        yield name


def decoded(decoder: Decoder, pieces: list[bytes]) -> str:
    return "".join(map(decoder.decode, pieces)) + decoder.decode(b"", final=True)


def cut(size: int) -> list[bytes]:
    return [DATA[start : start + size] for start in range(0, len(DATA), size)]


@pytest.mark.parametrize("form", ["corrected-utf-8", "corrected-utf-8-sig"])
@pytest.mark.parametrize("size", [997, 5000, 50_000])
def test_a_long_run_is_one_unit_however_it_is_cut(form: str, size: int, errors: str) -> None:
    expected = f"a<{len(PIECE) * PIECES}>b<2>"
    assert eightfold.decode(DATA, form, errors) == expected
    assert decoded(Decoder(form, errors), cut(size)) == expected
    converter = eightfold.Converter(form, "utf-8", errors)
    assert b"".join(map(converter.convert, cut(size))) + converter.convert(b"", final=True) == expected.encode()


def test_a_state_and_a_copy_hold_all_of_a_run(errors: str) -> None:
    pieces = cut(5000)
    for begun in (5, len(pieces) - 1):
        decoder, converter = (
            Decoder("corrected-utf-8", errors),
            eightfold.Converter("corrected-utf-8", "utf-8", errors),
        )
        for piece in pieces[:begun]:
            decoder.decode(piece)
            converter.convert(piece)
        states, copies = (decoder.getstate(), converter.getstate()), (copy.deepcopy(decoder), copy.copy(converter))
        others = Decoder("corrected-utf-8", errors), eightfold.Converter("corrected-utf-8", "utf-8", errors)
        others[0].setstate(states[0])
        others[1].setstate(states[1])
        rest = b"".join(pieces[begun:])
        expected = decoder.decode(rest, final=True)
        assert expected.startswith(f"<{len(PIECE) * PIECES}>")
        assert others[0].decode(rest, final=True) == copies[0].decode(rest, final=True) == expected
        written = [each.convert(rest, final=True) for each in (converter, others[1], copies[1])]
        assert written == [expected.encode()] * 3


def test_what_is_held_is_not_looked_at_with_each_piece(errors: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = 0
    decoded_piece = decoder.decoded_piece

    def counted(form: Any, errors: str, data: bytes, *given: Any) -> Any:
        nonlocal seen
        seen += len(data)
        return decoded_piece(form, errors, data, *given)

    monkeypatch.setattr(decoder, "decoded_piece", counted)
    decoded(Decoder("corrected-utf-8", errors), cut(1000))
    assert seen < 3 * len(DATA)
