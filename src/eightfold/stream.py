r"""The verbs in pieces: an incremental decoder, encoder, converter and checker for any form.

However the input is divided, the pieces add up to the result for the whole. A coder that raises keeps the state it had
before the call. The amount of data held between calls follows from the form's tables and is bounded: for the reserved
sequences of Corrected UTF-8, whose length is unlimited, the coder holds only a flag. The exception is a foreign error
handler, which is called with a whole sequence, so the coder holds all of it.

A Converter, a Checker and a text file admit one thread at a time; where Python has no global lock, so do a Decoder and
an Encoder. With a global lock these two behave like Python's own: nothing breaks, but one thread may receive data left
over from a piece of another.

`codec` has the classes for Python's codecs registry.
"""

from __future__ import annotations

import codecs
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, NamedTuple, TypeVar

from eightfold import reference
from eightfold._engine import bind
from eightfold.faults import UNITS_KEPT, ConversionError, Fault, code_point_name, wants_text
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.pairs import joined_pair, joins, may_give
from eightfold.policy import check_policy, is_built_in, reading, writing
from eightfold.reference import signed
from eightfold.run import Begun, Placed, converted_piece, decoded_piece, encoded_piece, fault_at, well_formed_end
from eightfold.text import AnyErrors, AnyForm, Data, LinePosition, bytes_of

_Coder = TypeVar("_Coder", bound=type)


def in_turn(*methods: str) -> Callable[[_Coder], _Coder]:
    """Admit one thread at a time to these methods of a class."""

    def decorated(cls: _Coder) -> _Coder:
        for name in methods:
            setattr(cls, name, _locked(getattr(cls, name)))
        return cls

    return decorated


def _in_turn_without_global_lock(*methods: str) -> Callable[[_Coder], _Coder]:
    """Apply `in_turn` where Python has no global lock; elsewhere a lock would cost more than a small piece."""
    has_lock: bool = getattr(sys, "_is_gil_enabled", lambda: True)()
    return in_turn(*(() if has_lock else methods))


def _locked(method: Callable[..., Any]) -> Callable[..., Any]:
    from threading import RLock  # reentrant: an error handler may call the coder that called it

    @wraps(method)
    def locked(self: Any, *given: Any, **named: Any) -> Any:
        with self.__dict__.setdefault("_lock", RLock()):
            return method(self, *given, **named)

    return locked


class Copied:
    """Copies and pickles with its own state: mutable attributes are copied, the thread lock is not."""

    def __getstate__(self) -> dict[str, Any]:
        from copy import copy

        return {name: copy(value) for name, value in vars(self).items() if name != "_lock"}


class _Opening:
    """The form of a stream, which is known at once, or after the first bytes if they may be a signature.

    Attributes:
        asked: the form that the caller gave.
        chosen: 0 until the first bytes arrive, then 1 plus the index of the signature whose form applies.
        plain: the form that applies, or None until it is known.
    """

    def __init__(self, asked: Form, chosen: int = 0) -> None:
        self.asked = asked
        self.chosen = chosen
        announced = [None, *(signature.form for signature in asked.signatures)]
        self.plain = announced[chosen] if asked.signatures else asked

    def after(self, data: bytes, *, final: bool) -> tuple[_Opening, int] | None:
        """Return the opening after these bytes and the length of the signature; None if more bytes are needed."""
        if self.plain is not None:
            return self, 0
        opening = reference.opening(self.asked, data, final=final)
        if opening is None:
            return None
        announced = [signature.form for signature in self.asked.signatures]
        return _Opening(self.asked, announced.index(opening[0]) + 1), opening[1]


_LONG_BYTES = 4096
"""Held data longer than this is a sequence without a fixed length: others have at most 255 code units."""


def _waits_for_runs(form: Form, errors: str) -> bool:
    """Return whether to hold a sequence without a fixed length until it ends: a foreign handler gets it whole."""
    announced = (form, *(signature.form for signature in form.signatures))
    return any(each.run_unit is not None for each in announced) and not is_built_in(errors)


def _members_of_run(form: Form | None) -> bytes:
    """Return the bytes that continue a sequence without a fixed length; none if units are wider than bytes."""
    if form is None or form.run_unit is None or form.unit_bytes > 1:
        return b""
    return bytes(byte for low, high in form.run_unit.run for byte in range(low, high + 1))


def _goes_on(form: Form | None, held: bytes, data: Data) -> bool:
    """Return whether a whole piece continues the held sequence, and so only needs to be appended to it.

    The held bytes are not examined again for each piece, so the work stays linear.
    """
    if len(held) <= _LONG_BYTES:
        return False
    members = _members_of_run(form)
    return bool(members) and not bytes_of(data).lstrip(members)


@_in_turn_without_global_lock("decode", "reset", "getstate", "setstate", "__getstate__")
class Decoder(Copied, codecs.IncrementalDecoder):
    r"""Decodes a form piece by piece.

    Args:
        form: a Form or its name.
        errors: the policy, as for :func:`eightfold.decode`.

    Raises:
        LookupError: unknown form or policy. ValueError: the form refuses the policy.

    >>> decoder = Decoder("wtf-8")
    >>> decoder.decode(b"\xed\xa0"), decoder.decode(b"\xbd", final=True)
    ('', '\ud83d')
    """

    def __init__(self, form: AnyForm, errors: AnyErrors = "strict") -> None:
        self.form: Form = form_named(form)
        check_policy(errors, self.form)
        super().__init__(errors)
        self._held = b""
        self._behind: list[bytes] = []
        self._waits = _waits_for_runs(self.form, errors)
        self._opening = _Opening(self.form)
        self._in_run = False
        self._passes_on = not (self._waits or self.form.signatures)

    def __repr__(self) -> str:
        return f"<Decoder {self.form.name}, {self.errors}>"

    def decode(self, input: Data, final: bool = False) -> str:
        """Decode as many bytes as possible and hold the rest for the next call.

        Raises:
            DecodeError: the bytes are ill-formed. Offsets refer to the error's object: the held bytes, then these.
        """
        # To decode 64 bytes takes 230 ns in all; what follows would add 20 ns, and a call for bytes 40 ns.
        if self._passes_on and type(input) is bytes:
            text, self._held, self._in_run = decoded_piece(
                self.form, self.errors, self._held + input, 0, 0, self._in_run, final
            )
            return text
        if self._waits:
            if not final and _goes_on(self._opening.plain, self._held, input):
                self._behind.append(bytes_of(input))
                return ""
            self._held, self._behind = b"".join((self._held, *self._behind)), []
        content = self._held + bytes_of(input)
        skipped, opening = 0, self._opening
        if opening.plain is None:
            opened = opening.after(content, final=final)
            if opened is None:
                self._held = content
                return ""
            opening, skipped = opened
            if any(not signature.counted for signature in self.form.signatures):
                content, skipped = content[skipped:], 0
        text, self._held, self._in_run = decoded_piece(
            self.form, self.errors, content, skipped, opening.chosen, self._in_run, final
        )
        self._opening = opening
        return text

    def reset(self) -> None:
        """Discard held bytes and start a new input."""
        self.setstate((b"", 0))

    def getstate(self) -> tuple[bytes, int]:
        """Return the held bytes and an integer, which is 0 before the first bytes."""
        return b"".join((self._held, *self._behind)), 2 * self._opening.chosen + self._in_run

    def setstate(self, state: tuple[bytes, int]) -> None:
        """Restore a state returned by :meth:`getstate`."""
        (self._held, flags), self._behind = state, []
        self._opening = _Opening(self.form, flags // 2)
        self._in_run = bool(flags % 2)
        self._passes_on = not (self._waits or self.form.signatures or self._opening.chosen)


@_in_turn_without_global_lock("encode", "finish", "reset", "getstate", "setstate", "__getstate__")
class Encoder(Copied, codecs.IncrementalEncoder):
    r"""Encodes a form piece by piece.

    If the form writes a pair differently from its halves (WTF-8 and CESU-8), the encoder holds a lead at the end of a
    piece: finish with ``encode("", final=True)`` or :meth:`finish`. An encoder that is deleted while it holds a lead
    issues a warning.

    Args:
        form: a Form or its name.
        errors: the policy, as for :func:`eightfold.encode`.

    Raises:
        LookupError: unknown form or policy. ValueError: the form refuses the policy.

    >>> encoder = Encoder("wtf-8")
    >>> encoder.encode("\ud83d"), encoder.encode("\ude00", final=True)
    (b'', b'\xf0\x9f\x98\x80')
    """

    _held = ""

    def __init__(self, form: AnyForm, errors: AnyErrors = "strict") -> None:
        self.form: Form = form_named(form)
        check_policy(errors, self.form)
        super().__init__(errors)
        self._plain, self._mark = signed(self.form)
        self._holds = reference.holds_back_lead(self._plain)
        self._mark_due = bool(self._mark)
        self._passes_on = not (self._holds or self._mark)

    def __repr__(self) -> str:
        return f"<Encoder {self.form.name}, {self.errors}>"

    def encode(self, input: str, final: bool = False) -> bytes:
        """Encode as much text as possible; a lead at its end may be held for the next call.

        Raises:
            EncodeError: the form cannot write the text. Offsets refer to the error's object: held lead, then text.
        """
        # To encode 64 code points takes 120 ns in all; what follows would add 20 ns.
        if self._passes_on and type(input) is str:
            return encoded_piece(self.form, self.errors, input)
        try:
            content, held = self._held + input, ""
        except TypeError:
            raise wants_text(input) from None
        if self._holds and not final and "\ud800" <= content[-1:] <= "\udbff":
            content, held = content[:-1], content[-1]
        encoded = encoded_piece(self.form, self.errors, content)
        self._held = held
        if self._mark_due:
            self._mark_due = False
            return self._mark + encoded
        return encoded

    @property
    def holds(self) -> bool:
        """Whether the encoder holds a lead until it sees the next code point."""
        return bool(self._held)

    def discard(self) -> None:
        """Discard a held lead without a warning."""
        self._held = ""

    def finish(self) -> bytes:
        """Return the bytes of a held lead, if there is one; unlike `encode`, never write a signature."""
        return self.encode("", final=True) if self._held else b""

    def reset(self) -> None:
        """Start a new output, with a signature if the form has one. A held lead is lost, with a warning."""
        self._warn_of_loss()
        self._held, self._mark_due = "", bool(self._mark)

    def getstate(self) -> int:
        """Return an integer; it is 0 when no lead is held and no signature remains to be written."""
        return 2 * (ord(self._held) if self._held else 0) + self._mark_due

    def setstate(self, state: int | str) -> None:
        """Restore a state returned by :meth:`getstate`; a text file also passes 0 after it has moved."""
        code, due = divmod(int(state), 2)
        if not state:
            self._warn_of_loss()
        self._held, self._mark_due = (chr(code) if code else ""), bool(due)
        self._passes_on = not (self._holds or self._mark or self._held or self._mark_due)

    def _warn_of_loss(self) -> None:
        if self._held:
            warnings.warn(
                f"an encoder of {self.form.name} is lost while it holds the lead surrogate "
                f"{code_point_name(ord(self._held))}: finish it, or use eightfold.open",
                UnicodeWarning,
                stacklevel=3,
            )

    def __del__(self) -> None:
        self._warn_of_loss()


class _ConverterState(NamedTuple):
    """The state of a converter between calls.

    Attributes:
        held: bytes of the source that are not converted yet.
        offset: where they begin in the source.
        chosen: see :class:`_Opening`.
        in_run: whether the input is inside a sequence without a fixed length.
        lead: a lead, with its place, that the target must see together with the next code point.
        mark_due: whether the target's signature is still to be written.
        dropped: the number of discarded bytes of an erroneous sequence without a fixed length, beyond those held.
    """

    held: bytes = b""
    offset: int = 0
    chosen: int = 0
    in_run: bool = False
    lead: tuple[int, int, int] | None = None
    mark_due: bool = True
    dropped: int = 0


def _lengthened(error: ConversionError, count: int) -> ConversionError:
    """Return the same error with its sequence lengthened by the bytes that were discarded."""
    fault = replace(error.fault, end=error.fault.end + count)
    return ConversionError(error.source, error.target, error.start, error.end + count, fault)


@in_turn("convert", "reset", "getstate", "setstate", "__getstate__")
class Converter(Copied):
    r"""Converts one form to another piece by piece: the pieces add up to :func:`eightfold.convert` of the whole.

    Between calls it holds at most the beginning of one sequence. A reserved sequence of Corrected UTF-8, which begins
    with FE or FF and has no limit, is held whole only for an error handler that you registered: the handler gets all.

    Args:
        source, target: Forms or names.
        errors: the policy, as for :func:`eightfold.convert`.

    Raises:
        LookupError: unknown form or policy. ValueError: a form refuses the policy.

    >>> converter = Converter("utf-16-le", "utf-8")
    >>> converter.convert(b"\x3d\xd8\x00"), converter.convert(b"\xde", final=True)
    (b'', b'\xf0\x9f\x98\x80')

    Attributes:
        joined_pairs: the number of surrogate pairs of the source that the target has joined although its definition
            does not prescribe joining, since the converter was created or reset. The target reads them back as
            supplementary code points.
        first_joined_pair: the first of them as a fault of kind ``joined-pair``, a warning with offsets into the whole
            source, or None. :meth:`getstate` does not include these two attributes.
    """

    def __init__(self, source: AnyForm, target: AnyForm, errors: AnyErrors = "strict") -> None:
        self.source: Form = form_named(source)
        self.target: Form = form_named(target)
        self.errors = errors
        check_policy(errors, self.source, self.target)
        written, self._mark = signed(self.target)
        self._joins = joins(writing(written, errors, self.target.name))
        self._waits = _waits_for_runs(self.source, errors)
        self._begin()

    def _begin(self) -> None:
        self._state = _ConverterState()
        self._behind: list[bytes] = []
        self.joined_pairs: int = 0
        self.first_joined_pair: Fault | None = None

    def __repr__(self) -> str:
        return f"<Converter {self.source.name} to {self.target.name}, {self.errors}, at byte {self._state.offset}>"

    def convert(self, chunk: Data, final: bool = False) -> bytes:
        r"""Convert as much of the source as possible and hold the rest for the next call.

        Args:
            chunk: the next bytes of the source.
            final: whether these are the last.

        Raises:
            ConversionError: with offsets into the whole source; the converter keeps the state before the call.

        >>> converter = Converter("utf-8", "utf-16-be")
        >>> converter.convert(b"\xc3"), converter.convert(b"\xa9", final=True)
        (b'', b'\x00\xe9')
        """
        data = bytes_of(chunk)
        if self._waits:
            if not final and _goes_on(self._plain(self._state.held), self._state.held, data):
                self._behind.append(data)
                return b""
            self._state, self._behind = self._whole_state(), []
        passed = self._length_of_run(data) if self._state.dropped else 0
        if passed == len(data) and passed and not final:
            self._state = self._state._replace(dropped=self._state.dropped + passed)
            return b""
        content = self._state.held + data[passed:]
        try:
            return self._converted(content, final=final)
        except ConversionError as error:
            settled = error.fault.start - self._state.offset
            if final or error.fault.side != "source" or not self._may_go_on(content, settled):
                if self._state.dropped:
                    raise _lengthened(error, self._state.dropped + passed) from None
                raise
        # The fault depends on the bytes that follow, so it is reported when they arrive.
        dropped, written = self._state.dropped, self._converted(content[:settled], final=False)
        self._hold(content[settled:], dropped)
        return written

    def _whole_state(self) -> _ConverterState:
        return self._state._replace(held=b"".join((self._state.held, *self._behind)))

    def _may_go_on(self, content: bytes, start: int) -> bool:
        plain = self._plain(content)
        return plain is not None and fault_at(plain, content, start, final=False) is None

    def _length_of_run(self, data: bytes) -> int:
        """Return how many bytes continue an erroneous sequence without a fixed length, without looking at each byte."""
        members = _members_of_run(self._plain(self._state.held))
        return len(data) - len(data.lstrip(members)) if members else 0

    def _plain(self, content: bytes) -> Form | None:
        opened = _Opening(self.source, self._state.chosen).after(content, final=False)
        return None if opened is None else opened[0].plain

    def _hold(self, rest: bytes, dropped: int) -> None:
        """Hold a sequence that is ill-formed however it ends; of one without a fixed length, only the bytes to show."""
        plain = self._plain(rest)
        kept = UNITS_KEPT if plain is not None and reference.begins_run(plain, rest, 0) else len(rest)
        held = self._state.held + rest[:kept]
        self._state = self._state._replace(held=held, dropped=dropped + len(rest[kept:]))

    def _converted(self, content: bytes, *, final: bool) -> bytes:
        state = self._state
        mark = self._mark if state.mark_due else b""
        opened = _Opening(self.source, state.chosen).after(content, final=final)
        if opened is None:
            self._state = state._replace(held=content, mark_due=False)
            return mark
        opening, skipped = opened
        assert opening.plain is not None  # it has just opened
        counts = self._joins and self._may_give(opening.plain)
        begun: Begun = (skipped, state.offset, opening.chosen, state.in_run, state.lead, counts)
        written, held, offset, in_run, lead, count, first = converted_piece(
            self.source, self.target, self.errors, content, begun, final
        )
        self._state = _ConverterState(held, offset, opening.chosen, in_run, lead, mark_due=False)
        self.joined_pairs += count
        if first is not None and self.first_joined_pair is None:
            code_point, start, end = first
            self.first_joined_pair = joined_pair(self.target.name, start, end, code_point, "target")
        return mark + written if mark else written

    def _may_give(self, plain: Form) -> bool:
        return may_give(reading(plain, self.errors, self.source.name, converting=True))

    def reset(self) -> None:
        """Start a new input and output: offsets count from 0, and signatures are read and written again.

        >>> converter = Converter("utf-8", "utf-8-sig")
        >>> first = converter.convert(b"a")
        >>> converter.reset()
        >>> converter.convert(b"a") == first
        True
        """
        self._begin()

    def getstate(self) -> tuple[object, ...]:
        """Return the state as a tuple of plain values, to be passed to :meth:`setstate`.

        >>> Converter("utf-8", "wtf-8").getstate() == Converter("utf-8", "utf-16").getstate()
        True
        """
        return tuple(self._whole_state())

    def setstate(self, state: tuple[object, ...]) -> None:
        r"""Restore a state returned by :meth:`getstate`.

        >>> converter = Converter("utf-8", "utf-16-be")
        >>> _ = converter.convert(b"\xc3")
        >>> state = converter.getstate()
        >>> converter.convert(b"\xa9")
        b'\x00\xe9'
        >>> converter.setstate(state)
        >>> converter.convert(b"\xa8")
        b'\x00\xe8'
        """
        given = _ConverterState(*state)  # type: ignore[arg-type]
        # A state that went through JSON has a list in place of a tuple.
        lead = None if given.lead is None else Placed(*given.lead)
        self._state, self._behind = given._replace(in_run=bool(given.in_run), lead=lead), []


class Located(NamedTuple):
    """A fault and the line and column at which it starts, both counted from 1; the column counts bytes."""

    fault: Fault
    line: int
    column: int


Position = tuple[int, int, int]
"""An offset into the whole input, with its line and column."""


@bind
def checked_piece(
    form: Form, name: str, data: bytes, start: int, position: Position, final: bool
) -> tuple[list[Located], int, Position]:
    """Check a piece of a stream, up to where more input could change the result.

    Args:
        form: a form without signatures.
        name: the form that the caller gave, which the faults report.
        data: the held bytes, then the piece.
        start: the byte offset in the data at which the check begins.
        position: where ``start`` is in the whole input.
        final: whether this is the end of the stream.

    Returns:
        The faults, the byte offset in the data where the check ended, and where this is in the whole input.
    """
    found: list[Located] = []
    offset, place = position[0] - start, LinePosition(form, *position[1:])
    at = passed = start
    while (at := well_formed_end(form, data, at, final=final)) < len(data):
        fault = fault_at(form, data, at, final=final)
        if fault is None:
            break
        place.pass_over(data[passed:at])
        passed, at = at, fault.end
        found.append(Located(fault.moved(offset).renamed(name), place.line, place.column))
    place.pass_over(data[passed:at])
    return found, at, (offset + at, place.line, place.column)


@in_turn("check", "__getstate__")
class Checker(Copied):
    r"""Finds the faults of bytes piece by piece: those of :func:`eightfold.faults` for the whole, with line and column.

    Args:
        form: a Form or its name.

    >>> checker = Checker("utf-8")
    >>> checker.check(b"one\ntwo \xe2\x82"), [str(found.fault) for found in checker.check(b"", final=True)]
    ([], ['sequence E2 82 is cut short by the end of the input'])
    """

    def __init__(self, form: AnyForm) -> None:
        self.form: Form = form_named(form)
        self._opening = _Opening(self.form)
        self._held = b""
        self._position: Position = (0, 1, 1)
        self._run: Located | None = None

    def __repr__(self) -> str:
        return f"<Checker {self.form.name}, at byte {self._position[0]}>"

    def check(self, chunk: Data, final: bool = False) -> list[Located]:
        r"""Return the faults that later bytes cannot change, with offsets into the whole input.

        Args:
            chunk: the next bytes of the input.
            final: whether these are the last.

        >>> checker = Checker("utf-8")
        >>> checker.check(b"one\n\xc3")
        []
        >>> [(each.fault.kind, each.fault.start, each.line, each.column) for each in checker.check(b"!", final=True)]
        [('truncated', 4, 2, 1)]
        """
        content = self._held + bytes_of(chunk)
        opened = self._opening.after(content, final=final)
        if opened is None:
            self._held = content
            return []
        opening, at = opened
        plain = opening.plain
        assert plain is not None  # it has just opened
        ended, run = [], self._run
        if run is not None:
            run, at = _continued(run, plain, content)
            if len(content) - at >= plain.unit_bytes or final:
                ended, run = [run], None
        position = _passed_over(content[:at], plain, self._position)
        found, end, position = checked_piece(plain, self.form.name, content, at, position, final)
        if reference.begins_run(plain, content, end):
            run, start = self._run_at(end, plain, content, position), end
            end += run.fault.end - run.fault.start
            position = _passed_over(content[start:end], plain, position)
        self._opening, self._held, self._position, self._run = opening, content[end:], position, run
        return ended + found

    def _run_at(self, start: int, plain: Form, content: bytes, position: Position) -> Located:
        """Return the fault of a sequence without a fixed length as far as it has come."""
        offset, line, column = position
        fault = fault_at(plain, content, start)
        assert fault is not None  # the call treats the input as complete
        return Located(fault.moved(offset - start).renamed(self.form.name), line, column)


def _continued(run: Located, plain: Form, content: bytes) -> tuple[Located, int]:
    """Return the fault of a sequence without a fixed length with what continues it, and where that ends."""
    begun = run.fault
    whole = fault_at(plain, begun.units + content, 0)
    assert whole is not None  # the call treats the input as complete
    end = whole.end - len(begun.units)
    return run._replace(fault=replace(whole, form=begun.form, start=begun.start, end=begun.end + end)), end


def _passed_over(data: bytes, plain: Form, position: Position) -> Position:
    """Return the position behind whole code units."""
    offset, line, column = position
    place = LinePosition(plain, line, column)
    place.pass_over(data)
    return offset + len(data), place.line, place.column
