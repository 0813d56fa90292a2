"""The options of `convert`, and whether a policy suits its two forms."""

from __future__ import annotations

from dataclasses import dataclass

from eightfold.cli.options.certificate import CertificateOptions
from eightfold.cli.output.ending import UsageError
from eightfold.files.read.converting import Conversion, check_policy
from eightfold.forms import Form
from eightfold.forms.utf_8 import UTF_8


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
        raise UsageError(f"--errors: {error.args[0]} (see eightfold convert --help)") from error
