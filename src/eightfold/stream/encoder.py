"""Encoding piece by piece."""

from __future__ import annotations

import codecs
import warnings

from eightfold import reference
from eightfold.arguments import AnyErrors, AnyForm, exactly
from eightfold.faults import code_point_name
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.pieces import encoded_piece
from eightfold.policy import check_policy, written_under
from eightfold.reference import LEADS, signed
from eightfold.stream.turns import Copied, in_turn_without_global_lock, in_use


@in_turn_without_global_lock("encode", "finish", "reset", "getstate", "setstate", "__getstate__")
class Encoder(Copied, codecs.IncrementalEncoder):
    r"""Encodes a form piece by piece.

    If the form writes a pair differently from its halves (WTF-8 and CESU-8), the encoder holds a lead at the end of a
    piece: finish with ``encode("", final=True)`` or :meth:`finish`. An encoder that is deleted while it holds a lead
    issues a warning.

    Args:
        form: a Form or its name.
        errors: the policy, as for :func:`eightfold.encode`. The attribute of this name may be changed at any time.

    Raises:
        LookupError: unknown form or policy. ValueError: the form refuses the policy.

    >>> encoder = Encoder("wtf-8")
    >>> encoder.encode("\ud83d"), encoder.encode("\ude00", final=True)
    (b'', b'\xf0\x9f\x98\x80')
    """

    _held = ""

    def __init__(self, form: AnyForm, errors: AnyErrors = "strict") -> None:
        self.form: Form = form_named(form)
        self._plain, self._mark = signed(self.form)
        self._mark_due = bool(self._mark)
        super().__init__(errors)

    @property
    def errors(self) -> str:
        """The policy. A new one is checked like that of a new encoder, and applies to a held lead too."""
        return self._errors

    @errors.setter
    def errors(self, errors: str) -> None:
        check_policy(errors, self.form)
        self._errors = errors
        self._holds = reference.holds_back_lead(written_under(errors, self._plain))
        self._find_way()

    def _find_way(self) -> None:
        """Find out whether text can be passed on as it comes."""
        self._passes_on = not (self._holds or self._mark or self._held or self._mark_due)

    def __repr__(self) -> str:
        return f"<Encoder {self.form.name}, {self.errors}>"

    def encode(self, input: str, final: bool = False) -> bytes:
        """Encode as much text as possible; a lead at its end may be held for the next call.

        Raises:
            EncodeError: the form cannot write the text. Offsets refer to the error's object: held lead, then text.
            RuntimeError: another thread, or a handler, has changed the state meanwhile. The text was not taken.
        """
        # To encode 64 code points takes 100 ns in all; what follows would add 100 ns.
        text = input if type(input) is str else exactly(input)
        if self._passes_on:
            return encoded_piece(self.form, self._errors, text)
        held, mark_due, rest = self._held, self._mark_due, ""
        content = held + text
        if self._holds and not final and "\ud800" <= content[-1:] <= "\udbff":
            content, rest = content[:-1], content[-1]
        encoded = encoded_piece(self.form, self._errors, content)
        if self._mark_due is not mark_due or (self._held is not held and self._held != held):
            raise in_use(self)
        self._held = rest
        if mark_due:
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
        held, mark_due = self._held, self._mark_due
        return 2 * (ord(held) if held else 0) + mark_due

    def setstate(self, state: int | str) -> None:
        """Restore a state returned by :meth:`getstate`; a text file also passes 0 after it has moved.

        Raises:
            TypeError: this is not an int. ValueError: no encoder of this form has such a state.
        """
        if not isinstance(state, int):
            raise TypeError(f"the state of an Encoder is an int, not {type(state).__name__}")
        code, due = divmod(state, 2)
        if code and not (_may_hold(self._plain) and code in LEADS):
            raise ValueError(f"this is not a state of an encoder of {self.form.name}")
        if not state:
            self._warn_of_loss()
        self._held, self._mark_due = (chr(code) if code else ""), bool(due)
        self._find_way()

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


def _may_hold(form: Form) -> bool:
    """Return whether an encoder of a form holds back a lead, under some policy at least."""
    policies = ("strict", *(variant.policy for variant in form.variants))
    return any(reference.holds_back_lead(written_under(policy, form)) for policy in policies)
