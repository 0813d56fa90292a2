r"""The verbs in pieces: an incremental decoder, encoder, converter and checker for any form.

Whatever the cuts, the pieces add up to the result for the whole input. A coder that raises is exactly as before the
call. What is held back between calls follows from the form's tables and is bounded: of Corrected UTF-8's reserved
sequences, which have no longest one, only a flag is carried; but a foreign handler is called with all of one, and for
it they are held.

One thread at a time is let into a Converter, a Checker and a text file, and where Python has no global lock into a
Decoder and an Encoder too. Elsewhere these two are like Python's own: nothing breaks, but a thread may be given what a
piece of another has left behind.

The classes of Python's codecs registry over these are in `codec`.
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
from eightfold.faults import UNITS_KEPT, ConversionError, Fault, code_point_name, wants_text
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.pairs import joined_pair, joins, may_give
from eightfold.policy import check_policy, is_built_in, reading, writing
from eightfold.run import Begun, Placed, converted_piece, decoded_piece, encoded_piece, fault_at, well_formed_end
from eightfold.text import AnyErrors, AnyForm, Data, LinePosition, bytes_of, signed

_Coder = TypeVar("_Coder", bound=type)


def in_turn(*methods: str) -> Callable[[_Coder], _Coder]:
    """Let one thread at a time into these methods of a class."""

    def decorated(cls: _Coder) -> _Coder:
        for name in methods:
            setattr(cls, name, _locked(getattr(cls, name)))
        return cls

    return decorated


def _in_turn_without_global_lock(*methods: str) -> Callable[[_Coder], _Coder]:
    """Do so where Python has no global lock: elsewhere a lock would take longer than a small piece."""
    has_lock: bool = getattr(sys, "_is_gil_enabled", lambda: True)()
    return in_turn(*(() if has_lock else methods))


def _locked(method: Callable[..., Any]) -> Callable[..., Any]:
    from threading import RLock  # a handler may ask the coder that calls it

    @wraps(method)
    def locked(self: Any, *given: Any, **named: Any) -> Any:
        with self.__dict__.setdefault("_lock", RLock()):
            return method(self, *given, **named)

    return locked


class Copied:
    """Copies and pickles with a state of its own: what changes in it is copied too, the lock of a thread is not."""

    def __getstate__(self) -> dict[str, Any]:
        from copy import copy

        return {name: copy(value) for name, value in vars(self).items() if name != "_lock"}


class _Opening:
    """Which form holds in a stream: known at once, or when the first bytes have shown a signature or none.

    Attributes:
        asked: the form that was asked for.
        chosen: 0 before the first bytes are there, then one more than the index of the signature whose form holds.
        plain: the form that holds, or None before that is known.
    """

    def __init__(self, asked: Form, chosen: int = 0) -> None:
        self.asked = asked
        self.chosen = chosen
        announced = [None, *(signature.form for signature in asked.signatures)]
        self.plain = announced[chosen] if asked.signatures else asked

    def after(self, data: bytes, *, final: bool) -> tuple[_Opening, int] | None:
        """Return the opening once these bytes are there and how many of them are its signature; None for "wait"."""
        if self.plain is not None:
            return self, 0
        opening = reference.opening(self.asked, data, final=final)
        if opening is None:
            return None
        announced = [signature.form for signature in self.asked.signatures]
        return _Opening(self.asked, announced.index(opening[0]) + 1), opening[1]


_LONG_BYTES = 4096
"""What is held and longer is a sequence without a fixed length: others have at most 255 code units."""


def _waits_for_runs(form: Form, errors: str) -> bool:
    """Return whether a sequence without a fixed length is held until it ends: a foreign handler gets it whole."""
    announced = (form, *(signature.form for signature in form.signatures))
    return any(each.run_unit is not None for each in announced) and not is_built_in(errors)


def _members_of_run(form: Form | None) -> bytes:
    """Return the bytes that go on with a sequence without a fixed length; none where units are wider than bytes."""
    if form is None or form.run_unit is None or form.unit_bytes > 1:
        return b""
    return bytes(byte for low, high in form.run_unit.run for byte in range(low, high + 1))


def _goes_on(form: Form | None, held: bytes, data: Data) -> bool:
    """Return whether all of a piece goes on with the sequence that is held: it is then only put behind it.

    What is held is not looked at again with each piece, so that the work stays linear.
    """
    if len(held) <= _LONG_BYTES:
        return False
    members = _members_of_run(form)
    return bool(members) and not bytes_of(data).lstrip(members)


@_in_turn_without_global_lock("decode", "reset", "getstate", "setstate", "__getstate__")
class Decoder(Copied, codecs.IncrementalDecoder):
    r"""Decodes a form piece by piece.

    Args:
        form: a Form or the name of one.
        errors: the policy, as for :func:`eightfold.decode`.

    Raises:
        LookupError: no such form or policy. ValueError: the form refuses the policy.

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

    def __repr__(self) -> str:
        return f"<Decoder {self.form.name}, {self.errors}>"

    def decode(self, input: Data, final: bool = False) -> str:
        """Return the text of as many bytes as can be decoded now; the rest is held for the next call.

        Raises:
            DecodeError: with offsets relative to its object: what was held, then these bytes.
        """
        if self._waits:
            if not final and _goes_on(self._opening.plain, self._held, input):
                self._behind.append(bytes_of(input))
                return ""
            self._held, self._behind = b"".join((self._held, *self._behind)), []
        # Nearly all are bytes, of which 64 take 180 ns in all; the call would take 40 more.
        content = self._held + (input if type(input) is bytes else bytes_of(input))
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
        """Forget what was held; the next bytes are the first."""
        self.setstate((b"", 0))

    def getstate(self) -> tuple[bytes, int]:
        """Return the bytes that are held, and an integer that is 0 before the first bytes."""
        return b"".join((self._held, *self._behind)), 2 * self._opening.chosen + self._in_run

    def setstate(self, state: tuple[bytes, int]) -> None:
        """Go back to a state that :meth:`getstate` gave."""
        (self._held, flags), self._behind = state, []
        self._opening = _Opening(self.form, flags // 2)
        self._in_run = bool(flags % 2)


@_in_turn_without_global_lock("encode", "finish", "reset", "getstate", "setstate", "__getstate__")
class Encoder(Copied, codecs.IncrementalEncoder):
    r"""Encodes a form piece by piece.

    A lead at the end of a piece is held where a pair is written otherwise than its halves (WTF-8 and CESU-8): finish
    with ``encode("", final=True)`` or :meth:`finish`. An encoder that goes away while it holds one warns.

    Args:
        form: a Form or the name of one.
        errors: the policy, as for :func:`eightfold.encode`.

    Raises:
        LookupError: no such form or policy. ValueError: the form refuses the policy.

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

    def __repr__(self) -> str:
        return f"<Encoder {self.form.name}, {self.errors}>"

    def encode(self, input: str, final: bool = False) -> bytes:
        """Return the bytes of as much text as can be encoded now; a lead at its end may be held for the next call.

        Raises:
            EncodeError: with offsets relative to its object: what was held, then this text.
        """
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
        """Whether a lead is held, to see what follows it."""
        return bool(self._held)

    def discard(self) -> None:
        """Forget a lead that is held; whoever calls this has said so."""
        self._held = ""

    def finish(self) -> bytes:
        """Return the bytes of a lead that is held, if one is; unlike `encode`, never a signature."""
        return self.encode("", final=True) if self._held else b""

    def reset(self) -> None:
        """Begin anew: a signature is due again. A lead that was held is lost, with a warning."""
        self._warn_of_loss()
        self._held, self._mark_due = "", bool(self._mark)

    def getstate(self) -> int:
        """Return an integer; it is 0 when nothing is held and no signature is due."""
        return 2 * (ord(self._held) if self._held else 0) + self._mark_due

    def setstate(self, state: int | str) -> None:
        """Go back to a state that :meth:`getstate` gave; 0 is also how a text file says that it has moved."""
        code, due = divmod(int(state), 2)
        if not state:
            self._warn_of_loss()
        self._held, self._mark_due = (chr(code) if code else ""), bool(due)

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
    """What a converter carries from call to call.

    Attributes:
        held: bytes of the source that are not converted yet.
        offset: where they begin in the source.
        chosen: see :class:`_Opening`.
        in_run: whether a sequence without a fixed length goes on, its beginning met already.
        lead: a lead that the target must see together with what follows it, with its place.
        mark_due: whether the target's signature is to be written.
        dropped: how many bytes more than are held belong to a sequence without a fixed length that is an error.
    """

    held: bytes = b""
    offset: int = 0
    chosen: int = 0
    in_run: bool = False
    lead: tuple[int, int, int] | None = None
    mark_due: bool = True
    dropped: int = 0


def _lengthened(error: ConversionError, count: int) -> ConversionError:
    """Return the same error with a sequence that is longer by bytes that were not kept."""
    fault = replace(error.fault, end=error.fault.end + count)
    return ConversionError(error.source, error.target, error.start, error.end + count, fault)


@in_turn("convert", "reset", "getstate", "setstate", "__getstate__")
class Converter(Copied):
    r"""Converts one form to another piece by piece: the pieces add up to :func:`eightfold.convert` of the whole.

    Args:
        source, target: Forms or names.
        errors: the policy.

    Raises:
        LookupError: no such form or policy. ValueError: an end refuses the policy.

    >>> converter = Converter("utf-16-le", "utf-8")
    >>> converter.convert(b"\x3d\xd8\x00"), converter.convert(b"\xde", final=True)
    (b'', b'\xf0\x9f\x98\x80')

    Attributes:
        joined_pairs: how many surrogate pairs of the source the target has joined though its definition does not
            prescribe that, since the converter was made or reset. They are read back as supplementary code points.
        first_joined_pair: the first of them as a fault of kind ``joined-pair``, a warning with offsets into the whole
            source, or None. A state does not hold these two.
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
        """Return the bytes of the target for as much of the source as can be converted now.

        Raises:
            ConversionError: with offsets into the whole source; the converter is as before the call.
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
        # What is wrong there depends on what follows: it is told when that is there.
        dropped, written = self._state.dropped, self._converted(content[:settled], final=False)
        self._hold(content[settled:], dropped)
        return written

    def _whole_state(self) -> _ConverterState:
        return self._state._replace(held=b"".join((self._state.held, *self._behind)))

    def _may_go_on(self, content: bytes, start: int) -> bool:
        plain = self._plain(content)
        return plain is not None and fault_at(plain, content, start, final=False) is None

    def _length_of_run(self, data: bytes) -> int:
        """Return how many bytes go on with the sequence without a fixed length that is an error; at once, in bytes."""
        members = _members_of_run(self._plain(self._state.held))
        return len(data) - len(data.lstrip(members)) if members else 0

    def _plain(self, content: bytes) -> Form | None:
        opened = _Opening(self.source, self._state.chosen).after(content, final=False)
        return None if opened is None else opened[0].plain

    def _hold(self, rest: bytes, dropped: int) -> None:
        """Hold a sequence that is wrong however it ends; of one without a fixed length, only what its fault shows."""
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
        """Begin anew: offsets count from 0, signatures are looked for and written again.

        >>> converter = Converter("utf-8", "utf-8-sig")
        >>> first = converter.convert(b"a")
        >>> converter.reset()
        >>> converter.convert(b"a") == first
        True
        """
        self._begin()

    def getstate(self) -> tuple[object, ...]:
        """Return the state as a tuple of plain values, for :meth:`setstate`.

        >>> Converter("utf-8", "wtf-8").getstate() == Converter("utf-8", "utf-16").getstate()
        True
        """
        return tuple(self._whole_state())

    def setstate(self, state: tuple[object, ...]) -> None:
        r"""Go back to a state that :meth:`getstate` gave.

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
        # A state that was kept as JSON has a list in the place of a tuple.
        lead = None if given.lead is None else Placed(*given.lead)
        self._state, self._behind = given._replace(in_run=bool(given.in_run), lead=lead), []


class Located(NamedTuple):
    """A fault with the line and the column at which it starts, both from 1; the column counts bytes."""

    fault: Fault
    line: int
    column: int


@in_turn("check", "__getstate__")
class Checker(Copied):
    r"""Finds the faults of a form piece by piece: the same as :func:`eightfold.faults` of the whole, with their places.

    Args:
        form: a Form or the name of one.

    >>> checker = Checker("utf-8")
    >>> checker.check(b"one\ntwo \xe2\x82"), [str(found.fault) for found in checker.check(b"", final=True)]
    ([], ['sequence E2 82 is cut short by the end of the input'])
    """

    def __init__(self, form: AnyForm) -> None:
        self.form: Form = form_named(form)
        self._opening = _Opening(self.form)
        self._held = b""
        self._offset = 0
        self._run: Located | None = None
        self._position: LinePosition | None = None

    def __repr__(self) -> str:
        return f"<Checker {self.form.name}, at byte {self._offset}>"

    def check(self, chunk: Data, final: bool = False) -> list[Located]:
        """Return the faults that are certain now, with offsets into the whole input."""
        content = self._held + bytes_of(chunk)
        opened = self._opening.after(content, final=final)
        if opened is None:
            self._held = content
            return []
        self._opening, at = opened
        plain = self._opening.plain
        assert plain is not None  # it has just opened
        self._position = self._position or LinePosition(plain)
        found = []
        if self._run is not None:
            ended, at = self._go_on_in_run(plain, content, final=final)
            found.extend(ended)
        new, end, passed = self._scan(plain, content, at, self._position, final=final)
        self._position.pass_over(content[passed:end])
        self._held = content[end:]
        self._offset += end
        return found + new

    def _scan(
        self, form: Form, content: bytes, start: int, position: LinePosition, *, final: bool
    ) -> tuple[list[Located], int, int]:
        """Return the faults from ``start`` on, where to go on, and how far the position has been moved."""
        found: list[Located] = []
        at, passed = start, 0
        while (at := well_formed_end(form, content, at, final=final)) < len(content):
            fault = fault_at(form, content, at, final=final)
            is_open = fault is None and reference.begins_run(form, content, at)
            if is_open:
                fault = fault_at(form, content, at)
            if fault is None:
                break
            position.pass_over(content[passed:at])
            passed = at
            located = Located(fault.moved(self._offset).renamed(self.form.name), position.line, position.column)
            at = fault.end
            if is_open:
                self._run = located
            else:
                found.append(located)
        return found, at, passed

    def _go_on_in_run(self, form: Form, content: bytes, *, final: bool) -> tuple[list[Located], int]:
        """Return the fault of a sequence without a fixed length, if it ends here, and where."""
        assert self._run is not None  # asked only then
        begun = self._run.fault
        whole = fault_at(form, begun.units + content, 0)
        assert whole is not None  # asked as of an input that ends here
        end = whole.end - len(begun.units)
        run = self._run._replace(fault=replace(begun, end=begun.end + end, units=whole.units))
        if end == len(content) and not final:
            self._run = run
            return [], end
        self._run = None
        return [run], end
