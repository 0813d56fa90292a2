"""The options of `repair`, and which of them agree with each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eightfold.cli.options.certificate import CertificateOptions
from eightfold.cli.options.escapes import REPAIR, EscapeOptions
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.forms.utf_8 import UTF_8
from eightfold.repair import Repairer

ESCAPE = "escape"
DEFAULT_POLICY = ESCAPE
STRICT = "strict"
DEFAULT_ESCAPE_POLICY = "replace"


@dataclass
class Options(CertificateOptions, EscapeOptions):
    """The options of `repair`; `form` is None for auto, `output` is empty where nothing is to be written."""

    output: str = ""
    form: Form | None = UTF_8
    errors: str = ""
    escapes_errors: str = ""
    diff: bool = False
    plan: str = ""
    apply: str = ""
    undo: str = ""
    root: str = ""
    lossy: bool = False
    mojibake: bool = False
    runner: str = ""

    def reading_as(self, form: str) -> str:
        """Return what reads a file in a form."""
        is_wide = form != "auto" and form_named(form).unit_bits > 8
        return _converting(form) if is_wide else super().reading_as(form)

    @property
    def policy(self) -> str:
        """The policy that was asked for, or the default."""
        return self.errors or DEFAULT_POLICY

    @property
    def writes(self) -> bool:
        """Whether results are written, rather than changes shown or planned."""
        return bool(self.output) or self.in_place

    @property
    def escape_policy(self) -> str | None:
        """The policy for escapes of unpaired surrogates in JSON; None if they are left alone."""
        if self.escapes != REPAIR:
            return None
        return self.escapes_errors or (STRICT if self.errors == STRICT else DEFAULT_ESCAPE_POLICY)


def repairer(form: Form, options: Options, refusal: Callable[[str], Exception], *, is_json: bool = False) -> Repairer:
    """Return the repairer for a file, as the options say, or raise the given error with the reason."""
    if form.unit_bits > 8:
        raise refusal(f"repair reads 8-bit forms: try {_converting(form.name)}")
    try:
        return _made(form, options, options.escape_policy if is_json else None)
    except ValueError as error:
        raise refusal(str(error)) from error


def _converting(form: str) -> str:
    return f"eightfold convert -f {form} -t {UTF_8.name}"


def _made(form: Form, options: Options, escapes: str | None) -> Repairer:
    if not options.mojibake:
        return Repairer(form, options.policy, escapes=escapes)
    from eightfold.repair.mojibake import MojibakeRepairer  # It needs an extra.

    return MojibakeRepairer(form, options.policy, escapes=escapes)
