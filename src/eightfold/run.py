"""The one loop of each direction: sequences from the engine, faults to the policy, results to whoever asked.

Verbs, streams and codecs differ only in where the input comes from and where the results go. A pass keeps its place,
so that a stream can stop where more input could change the answer and go on there.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from eightfold import lane, reference
from eightfold._engine import CORE
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
    reading,
    writing,
    written_beyond_unicode,
)
from eightfold.reference import (
    LEADS,
    NO_RUN,
    TRAILS,
    Decoded,
    begins_run,
    encoded,
    holds_back_lead,
    joined,
    next_written,
    run_end,
    run_in,
    written,
)

LARGEST_IN_STR = 0x10FFFF
_OWN_UTF_32 = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


class Piece(NamedTuple):
    """Code points that a pass over bytes gave, and the byte span that they came from."""

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
    """The text that a policy gave for a decoding unit, and the byte span of that."""

    start: int
    end: int
    text: str

    @property
    def code_points(self) -> Sequence[int]:
        """The text as code points."""
        return tuple(map(ord, self.text))


class CodePoints(Sequence[int]):
    """The code points of a str, one at a time as they are asked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __len__(self) -> int:
        return len(self._text)

    def __getitem__(self, index: Any) -> Any:
        return ord(self._text[index])


class Decoding:
    """A pass over bytes of a form without signatures.

    Attributes:
        data: the bytes; a handler may put others in their place.
        position: the offset to go on at.
        in_run: whether a sequence without a fixed length (Corrected UTF-8's reserved ones) goes on at ``position``,
            its beginning met already.
    """

    def __init__(
        self, reading: Reading, data: bytes, position: int = 0, *, in_run: bool = False, largest: int = LARGEST_IN_STR
    ) -> None:
        self.reading = reading
        self.data: bytes = data
        self.position: int = position
        self.in_run: bool = in_run
        self.largest = largest
        self._stalls = Stalls()
        self._run = NO_RUN
        self._lane = Reader(reading.form)
        self._met: tuple[Fault, int] | None = None
        self._passed: tuple[int, int] | None = None

    def pieces(self, *, final: bool) -> Iterator[Piece | Stretch | Answer]:
        """Yield what the bytes decode to, up to where more input could change the answer."""
        if self.in_run:
            yield self.rest_of_run(run_end(self.reading.form, self.data, self.position))
        while self.position < len(self.data):
            text, end = self._lane.stretch(self.data, self.position)
            if text:
                start, self.position = self.position, end
                yield Stretch(start, end, text)
                if self.position == len(self.data):
                    break
            step = reference.sequence_at(self.reading.form, self.data, self.position, final=final, run=self._run)
            if step is None:
                if not self.enters_run():
                    return
                step = Decoded(len(self.data), None)
            if step.code_point is None or step.code_point > self.largest:
                yield self.ask(step)
            else:
                start, self.position = self.position, step.end
                yield Piece(start, step.end, (step.code_point,))
        if final:
            self.in_run = False

    def ask(self, unit: Decoded) -> Answer:
        """Let the policy answer an ill-formed unit at the position, and go on where it says.

        Raises:
            DecodeError: the policy is strict; and whatever a handler raises.
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
        # Where the unit before it ended a fault may go on; not where a handler has gone back into a unit.
        containing = self._met[0] if self._met is not None and self._met[1] == start < self._met[0].end else None
        self._stalls.note(len(data) - start)
        error = decode_error(self.reading, data, start, unit, containing)
        self._met = None if error.fault is None else (error.fault, unit.end)
        text, self.position, self.data = ask_decoding(self.reading.handler, error)
        if self.data is not data:
            self._met, self._run = None, NO_RUN
        return Answer(start, unit.end, text)

    def _pass(self, start: int, end: int) -> None:
        """Remember a unit that was answered without an exception, and so without a fault."""
        if self._passed is not None and self._passed[1] == start:
            start = self._passed[0]
        elif self._met is not None and self._met[1] != start:
            self._met = None
        self._passed = start, end

    def _meet_passed(self, at: int, end: int) -> None:
        """Find the faults of units that were answered without one: the last may go on behind them."""
        self._passed = None
        while at < end:
            unit = reference.sequence_at(self.reading.form, self.data, at)
            assert unit is not None  # as of an input that ends there, there is always an answer
            containing = self._met[0] if self._met is not None and at < self._met[0].end else None
            fault = decode_error(self.reading, self.data, at, unit, containing).fault
            assert fault is not None  # decode_error gives one
            self._met, at = (fault, unit.end), unit.end

    def enters_run(self) -> bool:
        """Say whether a sequence without a fixed length begins at the position, and remember it if it can be passed."""
        # Its bytes need not be held: the built-in policies either raise here or see no more than byte after byte.
        # A foreign handler is called once with all of it, so for one the run is held back.
        self.in_run = self.reading.built_in and begins_run(self.reading.form, self.data, self.position)
        return self.in_run

    def rest_of_run(self, end: int) -> Answer:
        """Go over what belongs, up to ``end``, to a sequence without a fixed length that began in an earlier piece."""
        start = self.position
        self.in_run = end == len(self.data)
        if end == start or self.reading.once_per_unit:
            self.position = end
            return Answer(start, end, "")
        return self._asked(Decoded(end, None))


def encoded_pieces(writing: Writing, text: str) -> Iterator[bytes]:
    """Yield the bytes that a str is encoded to, in a form without signatures."""
    form, points, stalls, at, missing = writing.form, CodePoints(text), Stalls(), 0, range(0)
    writer = Writer(form)
    while at < len(points):
        part, at = writer.stretch(text, at)
        if part:
            yield part
        if at == len(points):
            break
        code_point, end = next_written(form, points, at)
        written_part = encoded(form, code_point)
        if written_part is None:
            stalls.note(len(points) - at)
            # What is left of a unit is one: its end need not be looked for again.
            missing = range(at, missing.stop if at in missing else unencodable_end(form, points, at))
            error = encode_error(writing, text, at, missing.stop)
            written_part, end = ask_encoding(writing, error)
        at = end
        yield written_part


def unencodable_end(form: Form, points: Sequence[int], start: int) -> int:
    """Return where a unit of error on encoding ends: the longest run in a byte form, else one code point."""
    at = start + 1
    while form.unit_bits == 8 and at < len(points):
        code_point, end = next_written(form, points, at)
        if encoded(form, code_point) is not None:
            break
        at = end
    return at


class _Held(NamedTuple):
    code_point: int
    start: int
    end: int


class Target:
    """The end of a conversion that is written: code points with their places in the source become bytes.

    Attributes:
        held: a lead that must see what follows it, or None. Where pairs are counted it may have been written.
        counts: whether pairs that are joined are counted.
        joined_pairs: how many were.
        first_joined: the supplementary code point of the first of them, its start and its end, or None.
    """

    def __init__(self, writing: Writing, source: str, *, replacement: str = REPLACEMENT, counts: bool = False) -> None:
        self.writing = writing
        self.source = source
        self.held: _Held | None = None
        self.counts = counts
        self.joined_pairs: int = 0
        self.first_joined: _Held | None = None
        self._replacement = replacement
        self._holds = holds_back_lead(writing.form)
        self._lane = Writer(writing.form)

    def hold(self, lead: tuple[int, int, int] | None) -> None:
        """Go on from a state in which a lead was held: the code point, its start and its end."""
        self.held = None if lead is None else _Held(*lead)

    def note(self, count: int, first: tuple[int, int, int] | None) -> None:
        """Count pairs that were joined; ``first`` is the code point of the first of them, its start and its end."""
        self.joined_pairs += count
        if self.first_joined is None and first is not None:
            self.first_joined = _Held(*first)

    def write(self, code_point: int, start: int, end: int) -> bytes:
        """Return the bytes that can be written now that this code point is there."""
        before = b""
        if self.held is not None:
            if code_point in TRAILS:
                return self._join(self.held, code_point, start, end)
            before = self.finish()
        if (self._holds or self.counts) and code_point in LEADS:
            self.held = _Held(code_point, start, end)
            if self._holds:
                return before
        return before + self._written(code_point, start, end)

    def _join(self, lead: _Held, trail: int, start: int, end: int) -> bytes:
        self.held = None
        code_point = joined(lead.code_point, trail)
        if self.counts:
            self.note(1, (code_point, lead.start, end))
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
        """Return the bytes of a lead that was held, if it has not been written: nothing follows it."""
        lead, self.held = self.held, None
        return b"" if lead is None or not self._holds else self._written(*lead)

    def _written(self, code_point: int, start: int, end: int) -> bytes:
        part = encoded(self.writing.form, code_point)
        if part is None:
            part = self.replaced(code_point, start, end)
        return part

    def replaced(self, code_point: int, start: int, end: int) -> bytes:
        """Return what the policy writes for a code point that the form lacks.

        Raises:
            ConversionError: it has no answer; and whatever a handler raises.
        """
        if self.writing.errors == "replace":
            part = written(self.writing.form, tuple(map(ord, self._replacement)))
        elif not 0 <= code_point <= LARGEST_IN_STR:
            part = written_beyond_unicode(self.writing, code_point)
        else:
            part = self._asked(code_point)
        if part is None:
            fault = Fault("unrepresentable", self.writing.name, start, end, b"", code_point, "target")
            raise_conversion(self.source, self.writing.name, 0, fault, (start, end))
        return part

    def _asked(self, code_point: int) -> bytes | None:
        error = encode_error(self.writing, chr(code_point), 0, 1)
        try:
            part, position = ask_encoding(self.writing, error)
        except EncodeError as raised:
            if raised is error:
                return None
            raise
        if position != 1:
            raise IndexError(f"position {position} from error handler must be 1: one code point is converted at a time")
        return part


def converted_pieces(decoding: Decoding, target: Target, offset: int, *, final: bool) -> Iterator[bytes]:
    """Yield the bytes that a pass over bytes is converted to; ``offset`` is where its data begin in the source.

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


def decoded_piece(
    form: Form, errors: str, data: bytes, start: int = 0, chosen: int = 0, in_run: bool = False, final: bool = False
) -> tuple[str, bytes, bool]:
    """Decode a piece of a stream as far as is certain.

    Args:
        form: what was asked for.
        errors: the policy.
        data: what was held, then the piece.
        start: where the text begins in it, in bytes: behind a signature.
        chosen: one more than the index of the signature whose form holds; 0 where the form has none.
        in_run: whether a sequence without a fixed length goes on at the start.
        final: whether nothing follows.

    Returns:
        The text, the bytes to hold for the next piece, and whether a sequence without a fixed length goes on there.

    Raises:
        DecodeError: with offsets into the data; and whatever a handler raises.
    """
    plain = form.signatures[chosen - 1].form if chosen else form
    decoding = Decoding(reading(plain, errors, form.name), data, start, in_run=in_run)
    text = "".join(piece.text for piece in decoding.pieces(final=final))
    return text, decoding.data[decoding.position :], decoding.in_run


def encoded_piece(form: Form, errors: str, text: str) -> bytes:
    """Encode a piece of a stream, without the signature that a form may begin with.

    Raises:
        EncodeError: with offsets into the text; and whatever a handler raises.
    """
    plain = form.signatures[0].form if form.signatures else form
    return b"".join(encoded_pieces(writing(plain, errors, form.name), text))


def converted_bytes(decoding: Decoding, target: Target, offset: int, *, final: bool) -> bytes:
    """Go on with a pass over bytes as far as is certain, and return what it is converted to."""
    return b"".join(converted_pieces(decoding, target, offset, final=final))


def well_formed_end(form: Form, data: bytes, start: int, *, final: bool) -> int:
    """Return where what is ill-formed, or not yet certain, begins: see :func:`reference.well_formed_end`."""
    return lane.well_formed_end(form, data, start, final=final)


def sequence_at(form: Form, data: bytes, start: int, *, final: bool = True) -> tuple[int, int | None] | None:
    """Return the end and the code point of a sequence, or None for "wait": see :func:`reference.sequence_at`."""
    return reference.sequence_at(form, data, start, final=final)


def fault_at(form: Form, data: bytes, start: int, *, final: bool = True) -> Fault | None:
    """Return the fault at an ill-formed decoding unit, or None for "wait": see :func:`reference.fault_at`."""
    return reference.fault_at(form, data, start, final=final)


def line_feeds(form: Form, data: bytes) -> tuple[int, int]:
    """Return how many line feeds there are, and where the last one ends: see :func:`reference.line_feeds`."""
    return reference.line_feeds(form, data)


TWINS = {
    each.__name__: each
    for each in (decoded_piece, encoded_piece, converted_bytes, well_formed_end, sequence_at, fault_at, line_feeds)
}
"""What streams are made of, as the reference has it, whichever engine is at work."""

if not TYPE_CHECKING and CORE is not None:
    globals().update({name: CORE.documented(getattr(CORE, name), twin) for name, twin in TWINS.items()})
