"""Decoding piece by piece."""

from __future__ import annotations

import codecs

from eightfold import reference
from eightfold.arguments import AnyErrors, AnyForm, Data, bytes_of
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.pieces import decoded_piece
from eightfold.policy import check_policy
from eightfold.stream.opening import Opening
from eightfold.stream.runs import rest_of_run, waits_for_runs
from eightfold.stream.turns import Copied, in_turn_without_global_lock, in_use


@in_turn_without_global_lock("decode", "_join", "reset", "getstate", "setstate", "__getstate__")
class Decoder(Copied, codecs.IncrementalDecoder):
    r"""Decodes a form piece by piece.

    Args:
        form: a Form or its name.
        errors: the policy, as for :func:`eightfold.decode`. The attribute of this name may be changed at any time.

    Raises:
        LookupError: unknown form or policy. ValueError: the form refuses the policy.

    >>> decoder = Decoder("wtf-8")
    >>> decoder.decode(b"\xed\xa0"), decoder.decode(b"\xbd", final=True)
    ('', '\ud83d')
    """

    def __init__(self, form: AnyForm, errors: AnyErrors = "strict") -> None:
        self.form: Form = form_named(form)
        self._held = b""
        self._behind: list[bytes] = []
        self._opening = Opening(self.form)
        self._in_run = False
        self._passes_on = not (self.form.run_unit or self.form.signatures)
        super().__init__(errors)

    @property
    def errors(self) -> str:
        """The policy. A new one is checked like that of a new decoder, and applies to what is held too."""
        return self._errors

    @errors.setter
    def errors(self, errors: str) -> None:
        check_policy(errors, self.form)
        self._join()
        self._errors, self._waits = errors, waits_for_runs(self.form, errors)

    def __repr__(self) -> str:
        return f"<Decoder {self.form.name}, {self.errors}>"

    def decode(self, input: Data, final: bool = False) -> str:
        """Decode as many bytes as possible and hold the rest for the next call.

        Raises:
            DecodeError: the bytes are ill-formed. Offsets refer to the error's object: the held bytes, then these.
            RuntimeError: another thread, or a handler, has changed the state meanwhile. The piece was not taken.
        """
        # To decode 64 bytes takes 230 ns in all; what follows would add 100 ns, and a lock 350 ns.
        data = input if type(input) is bytes else bytes_of(input)
        if self._passes_on:
            held = self._held
            text, rest, _ = decoded_piece(self.form, self._errors, held + data, 0, 0, False, final)
            if self._held is not held and self._held != held:
                raise in_use(self)
            self._held = rest
            return text
        if self._waits:
            if not final and rest_of_run(self._opening.plain, self._held, data) == len(data):
                self._behind.append(data)
                return ""
            self._join()
        held, in_run, opened = self._held, self._in_run, self._opening
        content, skipped, opening = held + data, 0, opened
        if opened.plain is None:
            content, skipped, opening = self._opened(content, final=final)
        text, rest, goes_on = (
            ("", content, in_run)
            if opening.plain is None
            else decoded_piece(self.form, self._errors, content, skipped, opening.chosen, in_run, final)
        )
        is_same = self._in_run is in_run and self._opening is opened and not self._behind
        if not is_same or (self._held is not held and self._held != held):
            raise in_use(self)
        self._held, self._in_run, self._opening = rest, goes_on, opening
        return text

    def _opened(self, content: bytes, *, final: bool) -> tuple[bytes, int, Opening]:
        """Return the first bytes, where their text begins, and the opening after them, unless more bytes are needed."""
        opened = self._opening.after(content, final=final)
        if opened is None:
            return content, 0, self._opening
        opening, skipped = opened
        is_counted = reference.counts_mark(self.form, content[:skipped])
        return (content, skipped, opening) if is_counted else (content[skipped:], 0, opening)

    def _join(self) -> None:
        """Make one piece of what is held."""
        held, behind = self._held, [*self._behind]
        joined = b"".join((held, *behind))
        if self._held is not held or self._behind != behind:
            raise in_use(self)
        self._held, self._behind = joined, []

    def reset(self) -> None:
        """Discard held bytes and start a new input."""
        self.setstate((b"", 0))

    def getstate(self) -> tuple[bytes, int]:
        """Return the held bytes and an integer, which is 0 before the first bytes."""
        held, opening, in_run = [self._held, *self._behind], self._opening, self._in_run
        return b"".join(held), 2 * opening.chosen + in_run

    def setstate(self, state: tuple[bytes, int]) -> None:
        """Restore a state returned by :meth:`getstate`.

        Raises:
            TypeError: this is not a pair of bytes and an int. ValueError: no decoder of this form has such a state.
        """
        match state:
            case bytes() as held, int() as flags:
                pass
            case _:
                raise TypeError("the state of a Decoder is a pair of bytes and an int")
        held, opening, in_run = bytes_of(held), Opening(self.form, flags // 2), flags % 2 == 1 and not self._passes_on
        self._held, self._behind, self._opening, self._in_run = held, [], opening, in_run
