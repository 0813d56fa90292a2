"""Converting piece by piece."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import NamedTuple

from eightfold import reference
from eightfold.arguments import AnyErrors, AnyForm, Data, bytes_of
from eightfold.faults import UNITS_KEPT, ConversionError, Fault
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.pairs import joined_pair, joins, may_give
from eightfold.pieces import Begun, converted_piece, fault_at
from eightfold.policy import check_policy, is_built_in, reading, writing
from eightfold.reference import LEADS, signed
from eightfold.run import Placed
from eightfold.stream.checker import checked_piece
from eightfold.stream.opening import Opening
from eightfold.stream.runs import members_of_run, read_under, rest_of_run, waits_for_runs
from eightfold.stream.turns import Copied, in_turn, in_use


class _ConverterState(NamedTuple):
    """The state of a converter between calls.

    Attributes:
        held: bytes of the source that are not converted yet.
        offset: where they begin in the source.
        chosen: see :class:`Opening`.
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


@in_turn("convert", "_follow", "reset", "getstate", "setstate", "__getstate__")
class Converter(Copied):
    r"""Converts one form to another piece by piece: the pieces add up to :func:`eightfold.convert` of the whole.

    Between calls it holds at most the beginning of one sequence. An error handler that you registered is called with a
    fault of the source once, when the bytes that follow can no longer change it. Only for such a handler is a reserved
    sequence of Corrected UTF-8, which begins with FE or FF and has no limit, held whole: the handler gets all.

    Args:
        source, target: Forms or names.
        errors: the policy, as for :func:`eightfold.convert`. The attribute of this name may be changed at any time.

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

    _is_asking = False

    def __init__(self, source: AnyForm, target: AnyForm, errors: AnyErrors = "strict") -> None:
        self.source: Form = form_named(source)
        self.target: Form = form_named(target)
        self._plain_target, self._mark = signed(self.target)
        self._begin()
        self.errors = errors

    def _begin(self) -> None:
        self._state = _ConverterState()
        self._behind: list[bytes] = []
        self.joined_pairs: int = 0
        self.first_joined_pair: Fault | None = None

    @property
    def errors(self) -> str:
        """The policy. A new one is checked like that of a new converter, and applies to what is held too.

        Raises:
            ValueError: also if a sequence without a limit is an error, as most of it is no longer held.
        """
        return self._errors

    @errors.setter
    def errors(self, errors: str) -> None:
        check_policy(errors, self.source, self.target)
        self._follow(errors)

    def _follow(self, errors: str) -> None:
        if self._state.dropped:
            raise ValueError(f"errors={errors!r} comes too late for the sequence at byte {self._state.offset}")
        self._state, self._behind = self._whole_state(), []
        self._errors = errors
        self._joins = joins(writing(self._plain_target, errors, self.target.name))
        self._waits = waits_for_runs(self.source, errors)
        self._asks = not is_built_in(errors)

    def __repr__(self) -> str:
        return f"<Converter {self.source.name} to {self.target.name}, {self.errors}, at byte {self._state.offset}>"

    def convert(self, chunk: Data, final: bool = False) -> bytes:
        r"""Convert as much of the source as possible and hold the rest for the next call.

        Args:
            chunk: the next bytes of the source.
            final: whether these are the last. Call :meth:`reset` before another input: offsets go on.

        Raises:
            ConversionError: with offsets into the whole source; the converter keeps the state before the call.
            RuntimeError: the caller is an error handler that this converter has called.

        >>> converter = Converter("utf-8", "utf-16-be")
        >>> converter.convert(b"\xc3"), converter.convert(b"\xa9", final=True)
        (b'', b'\x00\xe9')
        """
        data = bytes_of(chunk)
        if self._waits:
            held = self._state.held
            if not final and rest_of_run(self._plain(held), held, data) == len(data):
                self._behind.append(data)
                return b""
            self._state, self._behind = self._whole_state(), []
        passed = self._length_of_run(data) if self._state.dropped else 0
        if passed == len(data) and passed and not final:
            self._state = self._state._replace(dropped=self._state.dropped + passed)
            return b""
        content = self._state.held + data[passed:]
        if self._asks:
            return self._answered(content, final=final)
        try:
            return self._converted(content, final=final)
        except ConversionError as error:
            settled = error.fault.start - self._state.offset
            if final or settled < 0 or not self._may_go_on(content, settled, error.fault.side):
                if self._state.dropped:
                    raise _lengthened(error, self._state.dropped + passed) from None
                raise
        # The fault depends on the bytes that follow, so it is reported when they arrive.
        dropped, written = self._state.dropped, self._converted(content[:settled], final=False)
        self._hold(content[settled:], dropped)
        return written

    def _answered(self, content: bytes, *, final: bool) -> bytes:
        """Convert with a handler that must not be asked twice: a fault that later bytes may change is held unasked."""
        if self._is_asking:
            raise in_use(self)
        end = len(content) if final else self._settled(content)
        self._is_asking = True
        try:
            written = self._converted(content[:end], final=final)
        finally:
            self._is_asking = False
        if end < len(content):
            self._state = self._state._replace(held=self._state.held + content[end:])
        return written

    def _settled(self, content: bytes) -> int:
        """Return the end of what later bytes cannot change."""
        opened = Opening(self.source, self._state.chosen).after(content, final=False)
        if opened is None:
            return len(content)
        opening, skipped = opened
        assert opening.plain is not None  # it has just opened
        plain = read_under(self._errors, opening.plain)
        return checked_piece(plain, self.source.name, content, skipped, (0, 1, 1), False)[1]

    def _whole_state(self) -> _ConverterState:
        return self._state._replace(held=b"".join((self._state.held, *self._behind)))

    def _may_go_on(self, content: bytes, start: int, side: str) -> bool:
        """Return whether the next bytes may change an error; what the target cannot write may only be a longer run."""
        plain = self._plain(content)
        if plain is None or not (side == "source" or reference.begins_run(plain, content, start)):
            return False
        return fault_at(plain, content, start, final=False) is None

    def _length_of_run(self, data: bytes) -> int:
        """Return how many bytes continue an erroneous sequence without a fixed length, without looking at each byte."""
        members = members_of_run(self._plain(self._state.held))
        return len(data) - len(data.lstrip(members)) if members else 0

    def _plain(self, content: bytes) -> Form | None:
        opened = Opening(self.source, self._state.chosen).after(content, final=False)
        plain = None if opened is None else opened[0].plain
        return None if plain is None else read_under(self._errors, plain)

    def _hold(self, rest: bytes, dropped: int) -> None:
        """Hold a sequence that is ill-formed however it ends; of one without a fixed length, only the bytes to show."""
        plain = self._plain(rest)
        if plain is not None and reference.begins_run(plain, rest, 0):
            whole = len(rest) - len(rest) % plain.unit_bytes  # a piece may end inside a unit
            kept = min(UNITS_KEPT, whole)
            rest, dropped = rest[:kept] + rest[whole:], dropped + whole - kept
        self._state = self._state._replace(held=self._state.held + rest, dropped=dropped)

    def _converted(self, content: bytes, *, final: bool) -> bytes:
        state = self._state
        mark = self._mark if state.mark_due else b""
        opened = Opening(self.source, state.chosen).after(content, final=final)
        if opened is None:
            self._state = state._replace(held=content, mark_due=False)
            return mark
        opening, skipped = opened
        assert opening.plain is not None  # it has just opened
        counts = self._joins and self._may_give(opening.plain)
        begun: Begun = (skipped, state.offset, opening.chosen, state.in_run, state.lead, counts)
        written, held, offset, in_run, lead, count, first = converted_piece(
            self.source, self.target, self._errors, content, begun, final
        )
        if self._state != state:  # The handler has called `reset` or `setstate`.
            raise in_use(self)
        self._state = _ConverterState(held, offset, opening.chosen, in_run, lead, mark_due=False)
        self.joined_pairs += count
        if first is not None and self.first_joined_pair is None:
            code_point, start, end = first
            self.first_joined_pair = joined_pair(self.target.name, start, end, code_point, "target")
        return mark + written if mark else written

    def _may_give(self, plain: Form) -> bool:
        return may_give(reading(plain, self._errors, self.source.name, converting=True))

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
        state = self._whole_state()
        return tuple(state._replace(lead=None if state.lead is None else (*state.lead,)))

    def setstate(self, state: tuple[object, ...]) -> None:
        r"""Restore a state returned by :meth:`getstate`.

        Raises:
            TypeError, ValueError: this is not such a state.

        >>> converter = Converter("utf-8", "utf-16-be")
        >>> _ = converter.convert(b"\xc3")
        >>> state = converter.getstate()
        >>> converter.convert(b"\xa9")
        b'\x00\xe9'
        >>> converter.setstate(state)
        >>> converter.convert(b"\xa8")
        b'\x00\xe8'
        """
        try:
            given = _ConverterState._make(state)
            # A state that went through JSON has a list in place of a tuple.
            lead = None if given.lead is None else Placed(*given.lead)
            numbers = (given.offset, given.chosen, given.dropped, *(lead or ()))
            are_places = all(isinstance(each, int) and 0 <= each <= sys.maxsize for each in numbers)
            if not (isinstance(given.held, bytes) and are_places and (lead is None or lead.code_point in LEADS)):
                raise TypeError
        except TypeError:
            raise TypeError("the state of a Converter is what getstate returns") from None
        Opening(self.source, given.chosen)  # refuses what is not of this form
        self._state, self._behind = given._replace(held=bytes_of(given.held), in_run=bool(given.in_run), lead=lead), []
