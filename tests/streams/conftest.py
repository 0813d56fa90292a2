"""What several tests of streams need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import eightfold
from eightfold.stream import converter, decoder


@pytest.fixture
def registered() -> Iterator[None]:
    """Have the codecs of the forms in Python's registry."""
    eightfold.register_codecs()
    yield
    eightfold.unregister_codecs()


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the list to which each decoded or converted piece adds its length in bytes."""
    lengths: list[int] = []
    decoded_piece, converted_piece = decoder.decoded_piece, converter.converted_piece

    def decoded(form: Any, errors: str, data: bytes, *given: Any) -> Any:
        lengths.append(len(data))
        return decoded_piece(form, errors, data, *given)

    def converted(source: Any, target: Any, errors: str, data: bytes, *given: Any) -> Any:
        lengths.append(len(data))
        return converted_piece(source, target, errors, data, *given)

    monkeypatch.setattr(decoder, "decoded_piece", decoded)
    monkeypatch.setattr(converter, "converted_piece", converted)
    return lengths
