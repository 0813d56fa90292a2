"""The options of `convert`, and whether a policy suits its two forms."""

from __future__ import annotations

from dataclasses import dataclass

from eightfold.cli.options.certificate import CertificateOptions
from eightfold.cli.output.ending import UsageError
from eightfold.files.read.converting import Conversion, check_policy
from eightfold.forms import Form, forms
from eightfold.forms.utf_8 import UTF_8
from eightfold.policy import POLICIES

_LONGEST_NAME = 100
"""How much of a name is compared with others, in characters."""


@dataclass
class Options(CertificateOptions):
    """The options of `convert`; `form` is None for auto, `jobs` 0 for one per processor."""

    form: Form | None = UTF_8
    to: Form = UTF_8
    errors: str = "strict"
    strict: bool = False
    diff: bool = False
    jobs: int = 0
    internal: bool = False
    document: bool = False


def check_conversion(conversion: Conversion) -> None:
    """Raise UsageError if the policy of a conversion does not suit its forms."""
    try:
        check_policy(conversion)
    except (LookupError, ValueError) as error:
        hint = _hint(conversion) if isinstance(error, LookupError) else ""
        raise UsageError(f"--errors: {error.args[0]}{hint} (see eightfold convert --help)") from error


def _hint(conversion: Conversion) -> str:
    """Return which forms declare a policy, or which policy of these forms an unknown name may stand for."""
    from difflib import get_close_matches

    asked = conversion.errors
    declaring: dict[str, list[str]] = {name: [form.name for form in forms() if form.variant(name)] for name in POLICIES}
    if declaring.get(asked):
        return f"; it is for {' and '.join(declaring[asked])}"
    ends = (conversion.source, conversion.target)
    possible = [name for name in POLICIES if not declaring[name] or any(form.variant(name) for form in ends)]
    near = get_close_matches(asked.lower()[:_LONGEST_NAME], possible, n=1)
    return f"; did you mean {near[0]}?" if near else ""
