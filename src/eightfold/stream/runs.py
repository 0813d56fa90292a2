"""Sequences without a fixed length, which a stream may never see the end of: what is held of them."""

from __future__ import annotations

from eightfold.forms import Form
from eightfold.policy import is_built_in

LONG_BYTES = 4096
"""Held data longer than this is a sequence without a fixed length: others have at most 255 code units."""


def waits_for_runs(form: Form, errors: str) -> bool:
    """Return whether to hold a sequence without a fixed length until it ends: a foreign handler gets it whole."""
    announced = (form, *(signature.form for signature in form.signatures))
    return any(read_under(errors, each).run_unit is not None for each in announced) and not is_built_in(errors)


def read_under(errors: str, form: Form) -> Form:
    """Return the form whose tables say how to read under a policy: a variant, or the form itself."""
    variant = form.variant(errors)
    return form if variant is None else variant.form


def members_of_run(form: Form | None) -> bytes:
    """Return the bytes that continue a sequence without a fixed length; none if units are wider than bytes."""
    if form is None or form.run_unit is None or form.unit_bytes > 1:
        return b""
    return bytes(byte for low, high in form.run_unit.run for byte in range(low, high + 1))


def rest_of_run(form: Form | None, held: bytes, data: bytes) -> int | None:
    """Return how many bytes of a piece continue a long held sequence without a fixed length; None if none is held.

    A piece that continues it as a whole only needs to be appended: the held bytes are not examined again for each one,
    so the work stays linear.
    """
    members = members_of_run(form) if len(held) > LONG_BYTES else b""
    return len(data) - len(data.lstrip(members)) if members else None
