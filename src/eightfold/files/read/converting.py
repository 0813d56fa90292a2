"""Converting one file piece by piece, its bytes and what they become in step; a large one by threads, in segments.

The result is that of one :class:`eightfold.stream.Converter` over the whole file, and so is what it raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from eightfold.faults import ConversionError
from eightfold.files.read.reading import Source
from eightfold.files.read.segments import (
    LONGEST_SIGNATURE,
    LargeFile,
    Segment,
    is_whole_text,
    opening,
    segment_end,
    worth,
)
from eightfold.forms import Form
from eightfold.stream import Converter

_HEAD_BYTES = 64 * 1024
"""In how much of the beginning of a file there is looked for a cut behind its signature."""
_NOTHING_OPEN = "a segment ends where nothing is open"


class Conversion(NamedTuple):
    """From which form to which, and under which policy."""

    source: Form
    target: Form
    errors: str

    @property
    def is_foreign(self) -> bool:
        """Whether an end of it is a legacy charset."""
        return self.source.is_foreign or self.target.is_foreign


class ConvertedPiece(NamedTuple):
    """The next bytes of a file, what as many as can be converted by then become, and whether that is the end.

    Attributes:
        chunk, result, final: these three.
        joined_pairs: how many surrogate pairs were joined in it, see :class:`eightfold.stream.Converter`.
    """

    chunk: bytes
    result: bytes
    final: bool
    joined_pairs: int = 0


def check_policy(conversion: Conversion) -> None:
    """Refuse a policy that a conversion cannot have.

    Raises:
        LookupError, ValueError: it is so.
    """
    if conversion.is_foreign:
        from eightfold.legacy import CharsetConverter

        CharsetConverter(*conversion)
    else:
        Converter(*conversion)


def converted(
    source: Source, conversion: Conversion, threads: int = 1, *, strict: bool = False
) -> Iterator[ConvertedPiece]:
    """Yield what is left of a source, piece by piece, and what the pieces become; whatever the number of threads.

    Args:
        source: the file.
        conversion: what is done to it.
        threads: how many may work on a large file at once.
        strict: whether a surrogate pair that is joined is an error.

    Raises:
        FileError: it cannot be read. ConversionError: it cannot be converted, with offsets from where the source was.
            What is before that has been yielded.
    """
    if conversion.is_foreign:
        return _through_text(source, conversion)
    number = worth(source, threads)
    if number == 1 or _shifts(conversion):
        return _in_turn(_Converting(conversion, strict=strict), source.pieces())
    return _at_once(source, conversion, number, strict=strict)


def _shifts(conversion: Conversion) -> bool:
    """Say whether units are read from their middle on: `surrogateescape` goes on behind each byte that it escapes."""
    return conversion.errors == "surrogateescape" and conversion.source.unit_bytes > 1


def _through_text(source: Source, conversion: Conversion) -> Iterator[ConvertedPiece]:
    from eightfold.files.read.foreign import foreign_results

    for chunk, result, final, error in foreign_results(source, conversion[:2], conversion.errors):
        yield ConvertedPiece(chunk, result, final)
        if error is not None:
            raise error


class _Converting:
    """A converter, and whether a pair that it joins is an error."""

    def __init__(self, conversion: Conversion, *, strict: bool) -> None:
        self.converter = Converter(*conversion)
        self._conversion = conversion
        self._strict = strict

    def piece(self, chunk: bytes, *, final: bool = False) -> ConvertedPiece:
        """Convert the next bytes.

        Raises:
            ConversionError: they cannot be converted, or a pair must not be joined; the converter is as before.
        """
        state, count = self.converter.getstate(), self.converter.joined_pairs
        result = self.converter.convert(chunk, final)
        fault = self.converter.first_joined_pair
        if self._strict and fault is not None:
            self.converter.setstate(state)
            source, target, _ = self._conversion
            raise ConversionError(source.name, target.name, fault.start, fault.end, fault)
        return ConvertedPiece(chunk, result, final, self.converter.joined_pairs - count)


def _in_turn(converting: _Converting, pieces: Iterable[tuple[bytes, bool]]) -> Iterator[ConvertedPiece]:
    for chunk, final in pieces:
        try:
            piece = converting.piece(chunk, final=final)
        except ConversionError as error:
            yield _before(error, converting.converter, chunk)
            raise
        yield piece


def _before(error: ConversionError, converter: Converter, chunk: bytes) -> ConvertedPiece:
    """Return what is before a fault that a chunk has shown: it is all settled, a lead too."""
    held, offset, *others = converter.getstate()
    assert isinstance(held, bytes)
    assert isinstance(offset, int)
    # A lead that an earlier chunk ended with is before the offset.
    content, end = held + chunk, max(0, error.start - offset)
    converter.setstate((b"", offset, *others))
    try:
        result = converter.convert(content[:end], final=True)
    except ConversionError:  # A lead before it that the target lacks.
        result = converter.convert(content[:end])
    return ConvertedPiece(content[len(held) : end], result, False)


def _at_once(source: Source, conversion: Conversion, threads: int, *, strict: bool) -> Iterator[ConvertedPiece]:
    converting = _Converting(conversion, strict=strict)
    converter = converting.converter
    plain, _ = opening(source, conversion.source)
    head = source.window(0, _HEAD_BYTES)
    first = head[: segment_end(plain, head, is_whole_text)]
    if len(first) < LONGEST_SIGNATURE or len(head) < _HEAD_BYTES:  # It is not known what it begins with, or shorter.
        yield from _in_turn(converting, source.pieces())
        return
    yield from _in_turn(converting, [(first, False)])  # It has the signatures, of both sides.
    held, end, *others = converter.getstate()
    assert (held, end) == (b"", len(first)), _NOTHING_OPEN
    large = LargeFile(source, plain, len(first), is_whole_text)
    with suppress(ConversionError):  # It comes again, behind what is before it.
        yield from large.results(partial(_apart, conversion, others, strict), threads)
    converter.setstate((b"", large.end, *others))
    yield from _in_turn(converting, large.rest())


def _apart(conversion: Conversion, others: Sequence[object], strict: bool, segment: Segment) -> ConvertedPiece:
    """Convert a segment as if all before it had been converted; ``others`` is the state of that but for the offset."""
    converting = _Converting(conversion, strict=strict)
    converter = converting.converter
    converter.setstate((b"", segment.start, *others))
    piece = converting.piece(segment.data)
    assert converter.getstate() == (b"", segment.start + len(segment.data), *others), _NOTHING_OPEN
    return piece
