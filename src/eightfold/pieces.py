"""One piece of a stream, from where it begins up to where more input could change the result.

Each function is complete in itself: a coder of :mod:`eightfold.stream` passes in what it holds, and keeps what comes
back. All of them are the reference implementation: when the core is active, each is replaced by the core's function.
"""

from __future__ import annotations

from eightfold import lane, reference
from eightfold._engine import bind, twins_of
from eightfold.faults import Fault
from eightfold.forms import Form
from eightfold.policy import reading, writing
from eightfold.reference import signed
from eightfold.run import (
    LARGEST_IN_ARRAY,
    Decoding,
    Placed,
    Target,
    collected,
    converted_pieces,
    encoded_pieces,
)

Begun = tuple[int, int, int, bool, tuple[int, int, int] | None, bool]
"""Where a piece of a conversion begins, and with what: see :func:`converted_piece`."""


@bind
def decoded_piece(
    form: Form, errors: str, data: bytes, start: int = 0, chosen: int = 0, in_run: bool = False, final: bool = False
) -> tuple[str, bytes, bool]:
    """Decode a piece of a stream, up to where more input could change the result.

    Args:
        form: the form that the caller gave.
        errors: the policy.
        data: the held bytes, then the piece.
        start: the byte offset in the data at which the text begins, after a signature.
        chosen: 1 plus the index of the signature whose form applies; 0 if the form has no signatures.
        in_run: whether the start is inside a sequence without a fixed length.
        final: whether this is the end of the stream.

    Returns:
        The text, the bytes to hold for the next piece, and whether these are inside a sequence without a fixed length.

    Raises:
        DecodeError: with offsets into the data. Exceptions of a handler propagate.
    """
    plain = form.signatures[chosen - 1].form if chosen else form
    decoding = Decoding(reading(plain, errors, form.name), data, start, in_run=in_run)
    text = "".join(piece.text for piece in collected(decoding.pieces(final=final)))
    return text, decoding.data[decoding.position :], decoding.in_run


@bind
def encoded_piece(form: Form, errors: str, text: str) -> bytes:
    """Encode a piece of a stream, without the signature that a form may begin with.

    Raises:
        EncodeError: with offsets into the text. Exceptions of a handler propagate.
    """
    return b"".join(collected(encoded_pieces(writing(signed(form)[0], errors, form.name), text)))


@bind
def converted_piece(
    source: Form, target: Form, errors: str, data: bytes, begun: Begun, final: bool
) -> tuple[bytes, bytes, int, bool, tuple[int, int, int] | None, int, tuple[int, int, int] | None]:
    """Convert a piece of a stream, up to where more input could change the result, without the target's signature.

    Args:
        source, target: the forms that the caller gave.
        errors: the policy.
        data: the held bytes, then the piece.
        begun: the byte offset in the data at which the text begins; the offset of the data in the source; ``chosen``
            and ``in_run`` as for :func:`decoded_piece`; a lead that waits for the next code point, with its span; and
            whether to count pairs that the target joins.
        final: whether this is the end of the stream.

    Returns:
        The converted bytes; the bytes to hold for the next piece, and their offset in the source; whether these are
        inside a sequence without a fixed length; a lead that waits for the next code point, with its span; the number
        of joined pairs, and the code point of the first of them with its span.

    Raises:
        ConversionError: with offsets into the source. Exceptions of a handler propagate.
    """
    start, offset, chosen, in_run, lead, counts = begun
    plain = source.signatures[chosen - 1].form if chosen else source
    policy = reading(plain, errors, source.name, converting=True)
    decoding = Decoding(policy, data, start, in_run=in_run, largest=LARGEST_IN_ARRAY)
    end = Target(writing(signed(target)[0], errors, target.name), source.name, counts=counts)
    end.held = lead and Placed(*lead)
    written = b"".join(collected(converted_pieces(decoding, end, offset, final=final)))
    held, at = decoding.data[decoding.position :], offset + decoding.position
    return written, held, at, decoding.in_run, end.held, end.joined_pairs, end.first_joined


@bind
def well_formed_end(form: Form, data: bytes, start: int, *, final: bool) -> int:
    """Return where ill-formed or undecided input begins: see :func:`reference.well_formed_end`."""
    return lane.well_formed_end(form, data, start, final=final)


@bind
def sequence_at(form: Form, data: bytes, start: int, *, final: bool = True) -> tuple[int, int | None] | None:
    """Return the end and code point of a sequence, or None if undecided: see :func:`reference.sequence_at`."""
    return reference.sequence_at(form, data, start, final=final)


@bind
def fault_at(form: Form, data: bytes, start: int, *, final: bool = True) -> Fault | None:
    """Return the fault at an ill-formed decoding unit, or None if undecided: see :func:`reference.fault_at`."""
    return reference.fault_at(form, data, start, final=final)


@bind
def line_feeds(form: Form, data: bytes) -> tuple[int, int]:
    """Return the number of line feeds and the end of the last one: see :func:`reference.line_feeds`."""
    return reference.line_feeds(form, data)


TWINS = twins_of(__name__)
"""The reference implementation of each function, whichever engine is active."""
