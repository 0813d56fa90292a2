"""What `repair` can be asked to do, and the options that are of one mind with each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eightfold.cli.options.arguments import UTF_8
from eightfold.cli.options.certificate import CertificateOptions
from eightfold.forms import Form
from eightfold.repair import Repairer

ESCAPE = "escape"
DEFAULT_POLICY = ESCAPE


@dataclass
class Options(CertificateOptions):
    """What `repair` is asked to do; `form` is None for auto, `output` is empty where nothing is to be written."""

    output: str = ""
    form: Form | None = UTF_8
    errors: str = ""
    diff: bool = False
    plan: str = ""
    apply: str = ""
    undo: str = ""
    root: str = ""
    lossy: bool = False

    @property
    def policy(self) -> str:
        """The policy that was asked for, or the default."""
        return self.errors or DEFAULT_POLICY


def repairer(form: Form, policy: str, refusal: Callable[[str], Exception]) -> Repairer:
    """Return what repairs a form by a policy, or raise the refusal with the reason why it cannot."""
    if form.unit_bits > 8:
        raise refusal(f"repair reads 8-bit forms: try eightfold convert -f {form.name} -t utf-8")
    try:
        return Repairer(form, policy)
    except ValueError as error:
        raise refusal(str(error)) from error
