"""Converting one file piece by piece, its bytes and the result in step; a large one by threads, in segments.

The result, and what it raises, equals that of one :class:`eightfold.stream.Converter` over the whole file.
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
"""A cut behind the signature is looked for in so many bytes of the beginning."""
_NOTHING_OPEN = "a segment ends where nothing is open"


class Conversion(NamedTuple):
    """The two forms and the policy of a conversion."""

    source: Form
    target: Form
    errors: str

    @property
    def is_foreign(self) -> bool:
        """Whether an end of it is a legacy charset."""
        return self.source.is_foreign or self.target.is_foreign


class ConvertedPiece(NamedTuple):
    """The next bytes of a file, the result of as many as can be converted by then, and whether this is the end.

    Attributes:
        chunk, result, final: these three.
        joined_pairs: the number of surrogate pairs joined in it; see :class:`eightfold.stream.Converter`.
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
    """Yield the rest of a source, piece by piece, with the result of each; the same for any number of threads.

    Args:
        source: the file.
        conversion: the forms and the policy.
        threads: the maximum number of threads for a large file.
        strict: whether a joined surrogate pair is an error.

    Raises:
        FileError: the file cannot be read. ConversionError: it cannot be converted; offsets count from the source's
            position. Everything before the fault has been yielded.
    """
    if conversion.is_foreign:
        return _through_text(source, conversion)
    number = worth(source, threads)
    if number == 1 or _shifts(conversion):
        return _in_turn(_Converting(conversion, strict=strict), source.pieces())
    return _at_once(source, conversion, number, strict=strict)


def _shifts(conversion: Conversion) -> bool:
    """Return whether units can be read from their middle: `surrogateescape` continues behind each escaped byte."""
    return conversion.errors == "surrogateescape" and conversion.source.unit_bytes > 1


def _through_text(source: Source, conversion: Conversion) -> Iterator[ConvertedPiece]:
    from eightfold.files.read.foreign import foreign_results

    for chunk, result, final, error in foreign_results(source, conversion[:2], conversion.errors):
        yield ConvertedPiece(chunk, result, final)
        if error is not None:
            raise error


class _Converting:
    """A converter, and whether a joined pair is an error."""

    def __init__(self, conversion: Conversion, *, strict: bool) -> None:
        self.converter = Converter(*conversion)
        self._conversion = conversion
        self._strict = strict

    def piece(self, chunk: bytes, *, final: bool = False) -> ConvertedPiece:
        """Convert the next bytes.

        Raises:
            ConversionError: they cannot be converted, or a pair must not be joined; the converter's state is unchanged.
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
            yield before_fault(error, converting.converter, chunk)
            raise
        yield piece


def before_fault(error: ConversionError, converter: Converter, chunk: bytes) -> ConvertedPiece:
    """Return what stands before a fault found in a chunk: all of it is settled, even a lead.

    Args:
        error: what the converter has raised.
        converter: it has not changed its state since.
        chunk: the bytes that it was given.
    """
    held, offset, *others = converter.getstate()
    assert isinstance(held, bytes)
    assert isinstance(offset, int)
    # A lead at the end of an earlier chunk stands before the offset.
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
    """Convert a segment as if everything before it had been converted; ``others`` is that state without the offset."""
    converting = _Converting(conversion, strict=strict)
    converter = converting.converter
    converter.setstate((b"", segment.start, *others))
    piece = converting.piece(segment.data)
    assert converter.getstate() == (b"", segment.start + len(segment.data), *others), _NOTHING_OPEN
    return piece
