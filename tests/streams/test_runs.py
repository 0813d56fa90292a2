"""A run of reserved bytes in many pieces: a handler gets it whole, in linear work; a strict decoder does not wait."""

from __future__ import annotations

import codecs
import copy
import io
from collections.abc import Iterator
from pathlib import Path
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


@pytest.mark.parametrize("piece", [b"a\xff", b"a\xff\xfe\x80"])
def test_a_strict_decoder_does_not_wait_for_the_end_of_a_run(piece: bytes) -> None:
    decoder, converter = Decoder("corrected-utf-8"), eightfold.Converter("corrected-utf-8", "utf-8")
    with pytest.raises(eightfold.DecodeError) as raised:
        decoder.decode(piece)
    assert (raised.value.start, raised.value.end, raised.value.fault.end) == (1, len(piece), len(piece))
    assert converter.convert(piece) == b"a"
    with pytest.raises(eightfold.ConversionError) as refused:
        converter.convert(b"\xfeb")
    assert (refused.value.start, refused.value.end) == (1, len(piece) + 1)


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


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the list to which each decoded piece adds its length."""
    lengths: list[int] = []
    decoded_piece = decoder.decoded_piece

    def counted(form: Any, errors: str, data: bytes, *given: Any) -> Any:
        lengths.append(len(data))
        return decoded_piece(form, errors, data, *given)

    monkeypatch.setattr(decoder, "decoded_piece", counted)
    return lengths


def test_what_is_held_is_not_looked_at_with_each_piece(errors: str, seen: list[int]) -> None:
    decoded(Decoder("corrected-utf-8", errors), cut(1000))
    assert sum(seen) < 3 * len(DATA)


@pytest.fixture
def reader_class() -> Iterator[Any]:
    eightfold.register_codecs()
    yield codecs.getreader("corrected-utf-8")
    eightfold.unregister_codecs()


@pytest.mark.parametrize("after", [b"", b"b\xff\x80", b"b\nc", b"\xe2\x82\xac" * 40])
@pytest.mark.parametrize("read", ["readline", "read", "read(70)"])
def test_a_stream_reader_decodes_a_run_once(
    reader_class: Any, errors: str, seen: list[int], read: str, after: bytes
) -> None:
    data = b"a" + PIECE * PIECES + after
    reader = reader_class(io.BytesIO(data), errors)
    step = {"readline": reader.readline, "read": reader.read, "read(70)": lambda: reader.read(70)}[read]
    text = "".join(iter(step, ""))
    assert sum(seen) < 4 * len(data)
    assert text == eightfold.decode(data, "corrected-utf-8", errors)


def test_a_stream_reader_gives_the_lines_between_a_run_and_an_error(reader_class: Any) -> None:
    def once(error: Any) -> tuple[str, int]:
        if error.end - error.start < 3:
            raise error
        return shown(error)

    with handler(once) as errors:
        reader = reader_class(io.BytesIO(PIECE * PIECES + b"b\nc\xffd"), errors)
        assert reader.readline() == f"<{len(PIECE) * PIECES}>b\n"
        with pytest.raises(eightfold.DecodeError):
            reader.readline()


def test_a_text_file_joins_little_of_a_run(errors: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    joined = 0
    getstate = Decoder.getstate

    def counted(self: Decoder) -> tuple[bytes, int]:
        nonlocal joined
        state = getstate(self)
        joined += len(state[0])
        return state

    monkeypatch.setattr(Decoder, "getstate", counted)
    run = PIECE * PIECES * 4
    (tmp_path / "run").write_bytes(b"a" + run + b"b\n" + b"line\n" * 100_000)
    with eightfold.open(tmp_path / "run", "r", "corrected-utf-8", errors) as file:
        assert file.readline() == f"a<{len(run)}>b\n"
        assert joined < 3 * len(run)
        assert sum(1 for _ in iter(file.readline, "")) == 100_000
        assert file._CHUNK_SIZE == io.DEFAULT_BUFFER_SIZE  # type: ignore[attr-defined]
