"""Converting one file piece by piece, its bytes and what they become in step; a large one by threads, in segments.

The result is that of one :class:`eightfold.stream.Converter` over the whole file, and so is what it raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from eightfold.files.reading import Source
from eightfold.files.segments import Segments, is_whole_text, opened, pieces_for, worth
from eightfold.files.threads import in_order
from eightfold.forms import Form
from eightfold.stream import Converter

NOTHING_OPEN = "a segment ends where nothing is open"


class Conversion(NamedTuple):
    """From which form to which, and under which policy."""

    source: Form
    target: Form
    errors: str


class Piece(NamedTuple):
    """The next bytes of a file, what as many as can be converted by then become, and whether that is the end."""

    chunk: bytes
    result: bytes
    final: bool


def converted(source: Source, conversion: Conversion, threads: int = 1) -> Iterator[Piece]:
    """Yield what is left of a source, piece by piece, and what the pieces become; whatever the number of threads.

    Args:
        source: the file.
        conversion: what is done to it.
        threads: how many may work on a large file at once.

    Raises:
        FileError: it cannot be read. ConversionError: it cannot be converted, with offsets from where the source was.
            What comes before that has been yielded.
    """
    number = worth(source, threads)
    if number == 1 or _shifts(conversion):
        return _in_turn(Converter(*conversion), source.pieces())
    return _at_once(source, conversion, number)


def _shifts(conversion: Conversion) -> bool:
    """Say whether units are read from their middle on: `surrogateescape` goes on behind each byte that it escapes."""
    return conversion.errors == "surrogateescape" and conversion.source.unit_bytes > 1


def _in_turn(converter: Converter, pieces: Iterable[tuple[bytes, bool]]) -> Iterator[Piece]:
    for chunk, final in pieces:
        yield Piece(chunk, converter.convert(chunk, final), final)


def _at_once(source: Source, conversion: Conversion, threads: int) -> Iterator[Piece]:
    converter = Converter(*conversion)
    plain, _, pieces = opened(conversion.source, pieces_for(source, threads))
    head, is_all = next(pieces)
    if is_all:  # It has become shorter than it was.
        yield from _in_turn(converter, [(head, True)])
        return
    segments = Segments(plain, chain([(head, False)], ((chunk, False) for chunk, _ in pieces)), is_whole_text)
    following = iter(segments)
    first = next(following, b"")
    yield Piece(first, converter.convert(first), False)  # It has the signatures, of both sides.
    offset = len(first)
    held, _, *others = converter.getstate()
    assert not held, NOTHING_OPEN
    for piece in in_order(partial(_apart, conversion, others), _placed(following, offset), threads):
        yield piece
        offset += len(piece.chunk)
    if offset:
        converter.setstate((b"", offset, *others))
    yield from _in_turn(converter, chain(segments.rest(), [(b"", True)]))


def _placed(segments: Iterable[bytes], offset: int) -> Iterator[tuple[int, bytes]]:
    for segment in segments:
        yield offset, segment
        offset += len(segment)


def _apart(conversion: Conversion, others: Sequence[object], placed: tuple[int, bytes]) -> Piece:
    """Convert a segment as if all before it had been converted; ``others`` is the state of that but for the offset."""
    offset, segment = placed
    converter = Converter(*conversion)
    converter.setstate((b"", offset, *others))
    result = converter.convert(segment)
    assert converter.getstate() == (b"", offset + len(segment), *others), NOTHING_OPEN
    return Piece(segment, result, False)
