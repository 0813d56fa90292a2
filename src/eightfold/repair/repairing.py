"""Repairs bytes piece by piece: finds sequences and faults, and writes their replacements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from eightfold import reference
from eightfold.arguments import AnyForm, Data, bytes_of
from eightfold.faults import ESCAPED_SURROGATE, ConversionError, Fault, code_point_name
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.forms.definition import derived
from eightfold.forms.utf_8 import UTF_8
from eightfold.forms.wtf_8 import PAIR
from eightfold.forms.xtf_8 import XTF_8
from eightfold.pieces import fault_at, sequence_at, well_formed_end
from eightfold.policy import raise_conversion
from eightfold.reference import signed
from eightfold.repair.changes import Change, Edit, spliced
from eightfold.repair.policies import ESCAPE_POLICIES, ESCAPES, WRITERS, Policy, escaped, policy_named
from eightfold.sharing import sharing_of
from eightfold.stream.turns import Copied, in_turn
from eightfold.text import LinePosition

if TYPE_CHECKING:
    from eightfold.jsonescapes import Unpaired

_SHORT_BYTES = 4096
"""Held data longer than this is examined again only when it has doubled in size, so the work stays linear."""
_COLLISION = re.compile(b"\xee[\xbe\xbf]")
"""Matches the first two bytes of an escape in well-formed UTF-8."""
_UTF_8_WITH_PAIRS = Form(UTF_8.name, UTF_8.rows, units=(PAIR,), names=UTF_8.names, source="WTF-8 section 2.1")


def repair(
    data: Data, form: AnyForm = "utf-8", errors: Policy | str = "escape", *, escapes: str | None = None
) -> bytes:
    r"""Return bytes repaired to UTF-8, as if the plan for them were applied at once.

    Args:
        data, form, errors, escapes: as for :func:`eightfold.repair.plan`.

    Raises:
        ConversionError, LookupError, ValueError, TypeError: as for :func:`eightfold.repair.plan`.

    >>> repair(b"\xed\xa0\xbd\xed\xb8\x80", errors="pairs")
    b'\xf0\x9f\x98\x80'
    """
    return Repairer(form, errors, escapes=escapes).repair(data, final=True).data


class Repaired(NamedTuple):
    r"""Repaired UTF-8, and the changes that were made.

    >>> repaired = Repairer(errors="latin-1").repair(b"caf\xe9", final=True)
    >>> repaired.data, len(repaired.changes)
    (b'caf\xc3\xa9', 1)
    """

    data: bytes
    changes: tuple[Change, ...]


class _Found(NamedTuple):
    """A sequence or a fault, by offsets into the current content, and its replacement."""

    start: int
    end: int
    new: bytes
    kind: str
    policy: str


class _SameText:
    """Finds the stretches of an input that are the same text in UTF-8 and need no change."""

    def __init__(self, form: Form, content: bytes, *, final: bool) -> None:
        self._sharing = sharing_of(form)
        self._content = content
        self._final = final
        self._well_formed_end = 0

    def end(self, start: int) -> int:
        """Return the end of the stretch that begins at an offset; the offset itself if the stretch is empty."""
        if self._sharing is None:
            return start
        if self._sharing.reads is None:
            return self._end_of_utf_8(start)
        shared = self._sharing.reads.match(self._content, start)
        return start if shared is None else shared.end()

    def _end_of_utf_8(self, start: int) -> int:
        """Return where UTF-8 ends. An earlier result is valid up to there, so bytes are scanned once."""
        if start >= self._well_formed_end:
            self._well_formed_end = well_formed_end(UTF_8, self._content, start, final=self._final)
        return self._well_formed_end


@in_turn("repair", "__getstate__")
class Repairer(Copied):
    r""":func:`repair` piece by piece: the pieces and their changes add up to the result for the whole.

    Args:
        form, errors, escapes: as for :func:`eightfold.repair.plan`.

    Raises:
        LookupError: unknown form. ValueError: unknown policy, a form with wider units, or escapes in a form in which
            a byte of one can be something else than in ASCII.
        TypeError: the policy is not a str.

    >>> repairer = Repairer(errors="replace")
    >>> repairer.repair(b"caf\xe9").data, repairer.repair(b"!").data, repairer.repair(b"", final=True).changes
    (b'caf', b'\xef\xbf\xbd!', ())
    """

    def __init__(self, form: AnyForm = "utf-8", errors: Policy | str = "escape", *, escapes: str | None = None) -> None:
        self.form: Form = form_named(form)
        self._errors = policy_named(errors)
        self._escapes = escapes
        _check(self.form, self._errors, escapes)
        self._plain = self.form
        self._position: LinePosition | None = None
        self._held: list[bytes] = []
        self._due = 0
        self._offset = 0

    @property
    def errors(self) -> str:
        """The policy."""
        return self._errors

    @property
    def escapes(self) -> str | None:
        """The policy for escapes of unpaired surrogates in JSON, or None."""
        return self._escapes

    @property
    def settled(self) -> int:
        """The byte offset in the original before which all changes have been returned."""
        return self._offset

    def repair(self, chunk: Data, final: bool = False) -> Repaired:
        r"""Repair as many bytes as possible and hold the rest for the next call.

        Args:
            chunk: the next bytes of the original.
            final: whether these are the last. Use another Repairer for another original: offsets and lines go on.

        Raises:
            ConversionError: the policy cannot repair a fault; the repairer keeps the state before the call.

        >>> repairer = Repairer(errors="latin-1")
        >>> repairer.repair(b"caf\xe9").data, repairer.repair(b"", final=True).data
        (b'caf', b'\xc3\xa9')
        """
        piece = bytes_of(chunk)
        if not final and self._due > len(piece):
            self._held.append(piece)
            self._due -= len(piece)
            return Repaired(b"", ())
        content = b"".join((*self._held, piece))
        opened = self._opened(content, final=final)
        if opened is None:
            self._held = [content]
            return Repaired(b"", ())
        self._plain, end = opened
        found = [_Found(0, end, b"", "signature", "strict")] if end else []
        end = self._find(found, content, end, final=final)
        changes = tuple(self._placed(content[:end], found))
        edits = (Edit(each.start, content[each.start : each.end], each.new) for each in found)
        held = content[end:]
        self._held, self._due = [held], len(held) if len(held) > _SHORT_BYTES else 0
        self._offset += end
        return Repaired(b"".join(spliced([content[:end]], edits)), changes)

    def _find(self, found: list[_Found], content: bytes, start: int, *, final: bool) -> int:
        """Add what changes from an offset on, in order; return where what is decided ends."""
        end = start
        try:
            for each in self._sequences(content, start, final=final):
                end = each.end
                if each.new != content[each.start : end]:
                    found.append(each)
        except ConversionError as error:
            # An escape before the fault is reported first.
            before = error.start - self._offset
            self._add_escapes([], content[:before], start, before, final=True)
            raise
        return min(end, self._add_escapes(found, content, start, end, final=final))

    def _add_escapes(self, found: list[_Found], content: bytes, start: int, end: int, *, final: bool) -> int:
        """Add the escapes of unpaired surrogates between two offsets; return where what is decided of them ends.

        They are found as bytes, and no other change contains one: a form in which these mean anything else is refused.
        """
        if self.escapes is None:
            return len(content)
        from eightfold.jsonescapes import unpaired_escapes

        unpaired, decided = unpaired_escapes(content, start, final=final)
        found += [self._escape(content, each) for each in unpaired if each[0] < end]
        found.sort()
        return decided

    def _escape(self, content: bytes, unpaired: Unpaired) -> _Found:
        from eightfold.jsonescapes import ESCAPE_BYTES, replacement

        start, point, after_cut_short = unpaired
        end = start + ESCAPE_BYTES
        assert self.escapes is not None
        try:
            new = replacement(point, self.escapes, after_cut_short=after_cut_short)
        except ConversionError:
            fault = Fault(ESCAPED_SURROGATE, self.form.name, start, end, content[start:end], point)
            raise_conversion(self.form.name, UTF_8.name, self._offset, fault, (start, end))
        return _Found(start, end, new, ESCAPED_SURROGATE, self.escapes)

    def _opened(self, content: bytes, *, final: bool) -> tuple[Form, int] | None:
        """Return the form that applies and the length of its signature; None if more bytes are needed."""
        if self._offset:
            return self._plain, 0
        opening = reference.opening(self.form, content, final=final)
        return (_UTF_8_WITH_PAIRS, opening[1]) if opening is not None and self.errors == "pairs" else opening

    def _sequences(self, content: bytes, start: int, *, final: bool) -> Iterator[_Found]:
        """Yield each sequence and fault with its replacement, up to where more input could change the result."""
        at, same_text = start, _SameText(self._plain, content, final=final)
        while at < len(content):
            same = self._before_collision(content, at, same_text.end(at))
            if same > at:
                yield _Found(at, same, content[at:same], "well-formed", "strict")
                at = same
                continue
            unit = sequence_at(self._plain, content, at, final=final)
            found = None if unit is None else self._found(content, at, unit, final=final)
            if found is None:
                return
            yield found
            at = found.end

    def _before_collision(self, content: bytes, start: int, end: int) -> int:
        collision = _COLLISION.search(content, start, end) if self.errors == "escape" else None
        return end if collision is None else collision.start()

    def _found(self, content: bytes, start: int, unit: tuple[int, int | None], *, final: bool) -> _Found | None:
        end, point = unit
        if point is None:
            fault = fault_at(self._plain, content, start, final=final)
            return None if fault is None else self._mended(content, fault.renamed(self.form.name), end)
        new = reference.encoded(UTF_8, point)
        if new is None:
            return self._mended(content, Fault("unrepresentable", UTF_8.name, start, end, b"", point, "target"), end)
        if self.errors == "escape" and point in ESCAPES and escaped(self._plain, content[start:end]) != new:
            collision = Fault("escape-collision", XTF_8.name, start, end, content[start:end], point)
            return self._mended(content, collision, end)
        return _Found(start, end, new, "well-formed", "strict")

    def _mended(self, content: bytes, fault: Fault, unit_end: int) -> _Found:
        new = WRITERS[self.errors](self._plain, content[fault.start : fault.end])
        if new is None:
            raise_conversion(self.form.name, UTF_8.name, self._offset, fault, (fault.start, unit_end))
        return _Found(fault.start, fault.end, new, fault.kind, self.errors)

    def _placed(self, content: bytes, found: list[_Found]) -> Iterator[Change]:
        """Yield the changes with their places, and advance the position over the whole content."""
        position = self._position = self._position or LinePosition(self._plain)
        passed = 0
        for start, end, new, kind, policy in found:
            position.pass_over(content[passed:start])
            passed = start
            old = content[start:end]
            yield Change(self._offset + start, old, new, kind, policy, position.line, position.column)
        position.pass_over(content[passed:])


def _check(form: Form, errors: str, escapes: str | None) -> None:
    if escapes is not None and escapes not in ESCAPE_POLICIES:
        raise ValueError(f"escapes must be one of {', '.join(ESCAPE_POLICIES)}, or None, not {escapes!r}")
    if form.unit_bits != 8:
        raise ValueError(f"repair reads 8-bit forms; {form.name} has {form.unit_bits}-bit units: use convert")
    if errors == "pairs" and signed(form)[0] is not UTF_8:
        raise ValueError(f"errors='pairs' is only for CESU-8 inside utf-8; use another policy for {form.name}")
    if escapes is not None:
        for each in (form, *(signature.form for signature in form.signatures)):
            _check_escapes(each)


def _check_escapes(form: Form) -> None:
    """Refuse a form in which a byte of an escape could be something else: escapes are found as bytes.

    Raises:
        ValueError: it is such a form.
    """
    if beside := _beside_escapes(form):
        byte = beside[0]
        raise ValueError(
            f"escapes needs a form in which {code_point_name(byte)} is the byte {byte:02X}, and that byte is nothing "
            f"else: convert {form.name} to utf-8 first"
        )


@derived("beside_escapes")
def _beside_escapes(form: Form) -> bytes:
    """Return the bytes of escapes that could be something else in a form."""
    from eightfold.jsonescapes import ALPHABET

    return bytes(byte for byte in ALPHABET if not reference.is_itself(form, byte))
