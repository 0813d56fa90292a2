"""The one loop of each direction: it takes sequences from the engine, passes faults to the policy, and yields results.

Verbs, streams and codecs differ only in the source of the input and the destination of the results. A pass keeps its
position, so a stream can stop where more input could change the result, and continue there. An active core has a loop
of its own; from this file it calls :func:`replaced`.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, ParamSpec, TypeVar

from eightfold import lane, reference
from eightfold.faults import DecodeError, EncodeError, Fault
from eightfold.forms.definition import Form
from eightfold.lane import Reader, Writer, encoded_length
from eightfold.policy import (
    REPLACEMENT,
    Reading,
    Stalls,
    Writing,
    answer_at_once,
    ask_decoding,
    ask_encoding,
    decode_error,
    encode_error,
    raise_conversion,
    written_beyond_unicode,
)
from eightfold.reference import (
    LEADS,
    NO_RUN,
    TRAILS,
    Decoded,
    encoded,
    holds_back_lead,
    joined,
    next_written,
    run_at,
    run_end,
    run_in,
    written,
)

LARGEST_IN_STR = 0x10FFFF
LARGEST_IN_ARRAY = 0xFFFFFFFF
_OWN_UTF_32 = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"

_P = ParamSpec("_P")
_T = TypeVar("_T")


class _HandlerStoppedError(Exception):
    """Carries the StopIteration of a handler through generators, which cannot raise one themselves (PEP 479)."""

    def __init__(self, stop: StopIteration) -> None:
        super().__init__(stop)
        self.stop = stop


def _in_generator(ask: Callable[_P, _T], *given: _P.args, **named: _P.kwargs) -> _T:
    """Call what calls a handler; :func:`collected` raises its StopIteration."""
    try:
        return ask(*given, **named)
    except StopIteration as stop:
        raise _HandlerStoppedError(stop) from None


def collected(pieces: Iterable[_T]) -> list[_T]:
    """Return all pieces of a pass. Exceptions of a handler propagate unchanged, StopIteration too."""
    try:
        return list(pieces)
    except _HandlerStoppedError as carrier:
        stop = carrier.stop
    raise stop


class Piece(NamedTuple):
    """Code points from a pass over bytes, and the byte span that they came from."""

    start: int
    end: int
    code_points: Sequence[int]

    @property
    def text(self) -> str:
        """The code points as a str."""
        return "".join(map(chr, self.code_points))


class Stretch(NamedTuple):
    """The text of well-formed sequences, one for each code point, and the byte span that they came from."""

    start: int
    end: int
    text: str

    @property
    def code_points(self) -> Sequence[int]:
        """The text as code points."""
        return array("I", self.text.encode(_OWN_UTF_32))


class Answer(NamedTuple):
    """The text that a policy returned for a decoding unit, and the byte span of the unit."""

    start: int
    end: int
    text: str

    @property
    def code_points(self) -> Sequence[int]:
        """The text as code points."""
        return tuple(map(ord, self.text))


class CodePoints(Sequence[int]):
    """The code points of a str, computed one at a time on access.

    Attributes:
        text: the str, not an instance of a subclass, which may have items of its own.
    """

    def __init__(self, text: str) -> None:
        self.text: str = str.__getitem__(text, slice(None))

    def __len__(self) -> int:
        return len(self.text)

    def __getitem__(self, index: Any) -> Any:
        return ord(self.text[index])


class Decoding:
    """A pass over bytes of a form without signatures.

    Attributes:
        data: the bytes; a handler may replace them.
        position: the offset at which to continue.
        in_run: whether ``position`` is inside a sequence without a fixed length (a reserved one of Corrected UTF-8).
    """

    def __init__(
        self, reading: Reading, data: bytes, position: int = 0, *, in_run: bool = False, largest: int = LARGEST_IN_STR
    ) -> None:
        self.reading = reading
        self.data: bytes = data
        self.position: int = position
        self.in_run: bool = in_run
        self.largest = largest
        self._object: bytes = data  # What handlers see: what one of them put in the place of the data, of any subclass.
        self._stalls = Stalls()
        self._run = NO_RUN
        self._lane = Reader(reading.form)
        self._met: tuple[Fault, int] | None = None
        self._passed: tuple[int, int] | None = None

    def pieces(self, *, final: bool) -> Iterator[Piece | Stretch | Answer]:
        """Yield the decoded pieces, up to where more input could change the result."""
        if self.in_run:
            yield self._rest_of_run(run_end(self.reading.form, self.data, self.position))
        while self.position < len(self.data):
            text, end = self._lane.stretch(self.data, self.position)
            if text:
                start, self.position = self.position, end
                yield Stretch(start, end, text)
                if self.position == len(self.data):
                    break
            step = reference.sequence_at(self.reading.form, self.data, self.position, final=final, run=self._run)
            if step is None:
                end_of_run = self._entered_run()
                if end_of_run is None:
                    return
                step = Decoded(end_of_run, None)
            if step.code_point is None or step.code_point > self.largest:
                yield self._ask(step)
            else:
                start, self.position = self.position, step.end
                yield Piece(start, step.end, (step.code_point,))
        if final:
            self.in_run = False

    def _ask(self, unit: Decoded) -> Answer:
        """Apply the policy to an ill-formed unit at the position, and continue where it says.

        Raises:
            DecodeError: the policy is strict. Exceptions of a handler propagate.
        """
        answer = answer_at_once(self.reading, self.data, self.position, unit.end) if lane.on else None
        if answer is None:
            return self._asked(unit)
        start, (text, self.position) = self.position, answer
        self._pass(start, unit.end)
        return Answer(start, unit.end, text)

    def _asked(self, unit: Decoded) -> Answer:
        start, data = self.position, self.data
        met = run_in(self.reading.form, start, unit.end)
        self._run = self._run if met == NO_RUN else met
        if self._passed is not None:
            self._meet_passed(*self._passed)
        # A fault may continue where the previous unit ended, unless a handler has moved back into a unit.
        containing = self._met[0] if self._met is not None and self._met[1] == start < self._met[0].end else None
        self._stalls.note(len(data) - start)
        error = decode_error(self.reading, data, start, unit, containing)
        error.object = self._object
        self._met = None if error.fault is None else (error.fault, unit.end)
        text, self.position, self.data = _in_generator(ask_decoding, self.reading.handler, error, data)
        if error.object is not self._object:
            self._object, self._met, self._run = error.object, None, NO_RUN
        return Answer(start, unit.end, text)

    def _pass(self, start: int, end: int) -> None:
        """Remember a unit that the policy handled without creating an exception, and so without a fault."""
        if self._passed is not None and self._passed[1] == start:
            start = self._passed[0]
        elif self._met is not None and self._met[1] != start:
            self._met = None
        self._passed = start, end

    def _meet_passed(self, at: int, end: int) -> None:
        """Find the faults of units that were handled without one: the last fault may extend past them."""
        self._passed = None
        while at < end:
            unit = reference.sequence_at(self.reading.form, self.data, at)
            assert unit is not None  # as of an input that ends there, there is always an answer
            containing = self._met[0] if self._met is not None and at < self._met[0].end else None
            fault = decode_error(self.reading, self.data, at, unit, containing).fault
            assert fault is not None  # decode_error gives one
            self._met, at = (fault, unit.end), unit.end

    def _entered_run(self) -> int | None:
        """Return the end so far of a sequence without a fixed length that can be processed in pieces, if it is one."""
        # Its bytes need not be held: the built-in policies either raise here or treat it byte by byte.
        # A foreign handler is called once with the whole sequence, so for a handler the run is held back.
        if len(self.data) - self.position < self.reading.form.unit_bytes:
            return None  # Part of a unit, which may continue the sequence that has been entered.
        end = run_at(self.reading.form, self.data, self.position) if self.reading.built_in else None
        self.in_run = end is not None
        return end

    def _rest_of_run(self, end: int) -> Answer:
        """Process, up to ``end``, the rest of a sequence without a fixed length that began in an earlier piece."""
        start = self.position
        self.in_run = len(self.data) - end < self.reading.form.unit_bytes
        if end == start or self.reading.once_per_unit:
            self.position = end
            return Answer(start, end, "")
        return self._asked(Decoded(end, None))


def encoded_pieces(writing: Writing, text: str) -> Iterator[bytes]:
    """Yield the bytes that a str is encoded to, in a form without signatures."""
    form, points, stalls, at, missing = writing.form, CodePoints(text), Stalls(), 0, range(0)
    writer = Writer(form)
    while at < len(points):
        part, at = writer.stretch(points.text, at)
        if part:
            yield part
        if at == len(points):
            break
        code_point, end = next_written(form, points, at)
        written_part = encoded(form, code_point)
        if written_part is None:
            stalls.note(len(points) - at)
            # The rest of a unit is a unit with the same end, which need not be found again.
            missing = range(at, missing.stop if at in missing else unencodable_end(form, points, at))
            error = encode_error(writing, text, at, missing.stop)
            written_part, end = _in_generator(ask_encoding, writing, error)
        at = end
        yield written_part


def unencodable_end(form: Form, points: Sequence[int], start: int) -> int:
    """Return the end of an encoding error: the longest run of such code points in a byte form, else one code point."""
    _, at = next_written(form, points, start)
    while form.unit_bits == 8 and at < len(points):
        code_point, end = next_written(form, points, at)
        if encoded(form, code_point) is not None:
            break
        at = end
    return at


class Placed(NamedTuple):
    """A code point, and the byte span of the source that it came from."""

    code_point: int
    start: int
    end: int


class Target:
    """The writing end of a conversion: turns code points, with their places in the source, into bytes.

    Attributes:
        held: a lead that waits for the next code point, or None. If pairs are counted, it may already be written.
        counts: whether to count joined pairs.
        joined_pairs: the number of joined pairs.
        first_joined: the supplementary code point of the first joined pair with its span, or None.
    """

    def __init__(self, writing: Writing, source: str, *, replacement: str = REPLACEMENT, counts: bool = False) -> None:
        self.writing = writing
        self.source = source
        self.held: Placed | None = None
        self.counts = counts
        self.joined_pairs: int = 0
        self.first_joined: Placed | None = None
        self._replacement = replacement
        self._holds = holds_back_lead(writing.form)
        self._lane = Writer(writing.form)

    def write(self, code_point: int, start: int, end: int) -> bytes:
        """Add a code point and return the bytes that can now be written."""
        before = b""
        if self.held is not None:
            if code_point in TRAILS:
                return self._join(self.held, code_point, start, end)
            before = self.finish()
        if (self._holds or self.counts) and code_point in LEADS:
            self.held = Placed(code_point, start, end)
            if self._holds:
                return before
        return before + self._written(code_point, start, end)

    def _join(self, lead: Placed, trail: int, start: int, end: int) -> bytes:
        self.held = None
        code_point = joined(lead.code_point, trail)
        if self.counts:
            self.joined_pairs += 1
            self.first_joined = self.first_joined or Placed(code_point, lead.start, end)
        return self._written(code_point, lead.start, end) if self._holds else self._written(trail, start, end)

    def write_stretch(self, stretch: Stretch, source: Form, offset: int) -> Iterator[bytes]:
        """Yield the bytes of a stretch, none of whose code points is a surrogate, that came from ``offset`` on."""
        yield self.finish()
        text, at, place = stretch.text, 0, stretch.start + offset
        while at < len(text):
            start = at
            part, at = self._lane.stretch(text, start)
            yield part
            if at < len(text):
                place += encoded_length(source, text[start:at])
                end = place + encoded_length(source, text[at])
                yield self.write(ord(text[at]), place, end)
                at, place = at + 1, end

    def finish(self) -> bytes:
        """Return the bytes of a held lead that has not been written yet; no code point follows it."""
        lead, self.held = self.held, None
        return b"" if lead is None or not self._holds else self._written(*lead)

    def _written(self, code_point: int, start: int, end: int) -> bytes:
        part = encoded(self.writing.form, code_point)
        if part is None:
            missing = code_point, start, end
            part = _in_generator(replaced, self.writing, self.source, missing, self._replacement)
        return part


def replaced(writing: Writing, source: str, missing: tuple[int, int, int], replacement: str) -> bytes:
    """Return the replacement of a policy for a code point that the target of a conversion cannot write.

    Args:
        writing: the policy.
        source: the name of the source of the code points.
        missing: the code point, and the start and end of its span in the source.
        replacement: the text that ``replace`` writes.

    Raises:
        ConversionError: the policy has no replacement. Exceptions of a handler propagate.
    """
    code_point, start, end = missing
    if writing.errors == "replace":
        part = written(writing.form, tuple(map(ord, replacement)))
    elif not 0 <= code_point <= LARGEST_IN_STR:
        part = written_beyond_unicode(writing, code_point)
    else:
        part = _asked(writing, code_point)
    if part is None:
        fault = Fault("unrepresentable", writing.name, start, end, b"", code_point, "target")
        raise_conversion(source, writing.name, 0, fault, (start, end))
    return part


def _asked(writing: Writing, code_point: int) -> bytes | None:
    error = encode_error(writing, chr(code_point), 0, 1)
    try:
        part, position = ask_encoding(writing, error)
    except EncodeError as raised:
        if raised is error:
            return None
        raise
    if position != 1:
        raise IndexError(f"position {position} from error handler must be 1: one code point is converted at a time")
    return part


def converted_pieces(decoding: Decoding, target: Target, offset: int, *, final: bool) -> Iterator[bytes]:
    """Yield the converted bytes of a pass over bytes; ``offset`` is where its data begin in the source.

    Raises:
        ConversionError: with offsets into the source.
    """
    pieces = decoding.pieces(final=final)
    while True:
        try:
            piece = next(pieces, None)
        except DecodeError as error:
            if error.fault is None:
                raise
            raise_conversion(target.source, target.writing.name, offset, error.fault, (error.start, error.end))
        if piece is None:
            break
        if isinstance(piece, Stretch):
            yield from target.write_stretch(piece, decoding.reading.form, offset)
            continue
        for code_point in piece.code_points:
            yield target.write(code_point, piece.start + offset, piece.end + offset)
    if final:
        yield target.finish()
