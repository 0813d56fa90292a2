"""Handlers of a converter that remember: each fault is answered once, so the pieces add up to the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import Converter
from support.handlers import handler

FORMS = ("utf-8", "wtf-8", "cesu-8", "mutf-8", "corrected-utf-8", "utf-8-sig", "utf-16", "utf-16-le")
DATA = (
    b"\xff \xff \xf8\x80",
    b"\xff\xf8\x80\x80\x80\x80 \xff",
    b"\xf8\x80\xff\xed\xa0",
    b"a\xfe\x80\x80\xff\xe2\x82",
    b"\xed\xa0\xbd\xed\xb8\x80\xed\xa0",
    b"\xff\xfe\0\xdc\0\xdc\0\xd8a",
)


def numbering(*, raises: bytes) -> Callable[[Any], tuple[str, int]]:
    """Return a handler that numbers the faults and re-raises those that begin with one of these bytes."""
    numbers = count(1)

    def numbered(error: Any) -> tuple[str, int]:
        if isinstance(error, UnicodeDecodeError) and error.object[error.start] in raises:
            raise error
        return f"[{next(numbers)}]", error.end

    return numbered


def converted(data: bytes, pieces: list[bytes] | None, form: str, raises: bytes) -> tuple[bytes, Any]:
    """Return what the bytes become, at once or in pieces, and the place of the error that ends it."""
    with handler(numbering(raises=raises)) as errors:
        written = b""
        try:
            if pieces is None:
                return eightfold.convert(data, form, "utf-8", errors), None
            converter = Converter(form, "utf-8", errors)
            for piece in pieces:
                written += converter.convert(piece)
            written += converter.convert(b"", final=True)
        except eightfold.ConversionError as error:
            return written, (error.start, error.end, error.fault)
    return written, None


def test_what_is_before_a_fault_that_may_go_on_is_answered_once() -> None:
    with handler(numbering(raises=b"\x80\xf8")) as errors:
        converter = Converter("utf-8", "utf-8", errors)
        assert converter.convert(b"\xff \xff \xf8\x80") == b"[1] [2] "
        with pytest.raises(eightfold.ConversionError) as caught:
            converter.convert(b"\x80!")
    assert (caught.value.start, caught.value.end, caught.value.fault.end) == (4, 5, 7)


def splits(data: bytes) -> Iterator[list[bytes]]:
    for first, second in combinations_with_replacement(range(len(data) + 1), 2):
        yield [data[:first], data[first:second], data[second:]]
    yield [bytes([byte]) for byte in data]


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("form", FORMS)
def test_the_pieces_add_up_for_a_handler_that_counts(form: str, data: bytes) -> None:
    for raises in (b"", b"\xf8", b"\x80", b"\xe2\xfe"):
        whole, error = converted(data, None, form, raises)
        for pieces in splits(data):
            written, raised = converted(data, pieces, form, raises)
            assert raised == error
            if error is None:
                assert written == whole
            else:
                with handler(numbering(raises=raises)) as errors:
                    before = Converter(form, "utf-8", errors).convert(data[: error[2].start])
                assert before.startswith(written) or written.startswith(before)


@given(st.lists(st.sampled_from([b"\xff", b"\xf8", b"\x80\x80", b"a", b"\xed\xa0", b"\xe2\x82", b"\xfe"]), max_size=8))
def test_any_pieces_add_up_for_a_handler_that_counts(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    for form in ("utf-8", "corrected-utf-8", "utf-16-le"):
        (written, raised), (whole, error) = converted(data, pieces, form, b""), converted(data, None, form, b"")
        assert raised == error
        # Of what cannot be written, the pieces before have been given already.
        assert error is not None or written == whole


def test_a_handler_sees_the_fault_that_it_sees_in_the_whole() -> None:
    def met(pieces: list[bytes]) -> list[Any]:
        faults = []

        def notes(error: Any) -> tuple[str, int]:
            faults.append((error.fault.kind, error.fault.end - error.fault.start))
            return "", error.end

        with handler(notes) as errors:
            converter = Converter("utf-8", "utf-16-le", errors)
            for piece in pieces:
                converter.convert(piece)
            converter.convert(b"", final=True)
        return faults

    data = b"a\xf8\x80\x80\x80\x80\xed\xa0\x80\xe2\x82b\xf8\x80"
    whole = met([data])
    for pieces in splits(data):
        assert met(pieces) == whole
