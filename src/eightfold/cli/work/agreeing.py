"""Where two forms agree: what of a file tells that a conversion leaves it as it is.

A clean file consists of sequences of the source's rows. If all of them are rows of the target too, and none is of
surrogates, which a form may join, its bytes are the result.
"""

from __future__ import annotations

from eightfold.cli.work.likeness import WIDE_MARKS, may_be_binary
from eightfold.files.read.converting import Conversion
from eightfold.files.walk.trees import Examination, Series, can_examine
from eightfold.forms import Form
from eightfold.reference import SURROGATES


def examination_of(conversion: Conversion, *, is_given: bool, binary: bool, unpack: bool) -> Examination | None:
    """Return what the core looks for in files of which the clean ones stay as they are; None if there is no such thing.

    Args:
        conversion: the forms and the policy.
        is_given: whether the user gave the source; by default a file may look like another form.
        binary: whether binary files are converted too.
        unpack: whether compressed files are decompressed.
    """
    source, target, errors = conversion
    declared = {variant.policy for each in (source, target) for variant in each.variants}
    if errors in declared or not (can_examine(source) and can_examine(target)):
        return None
    return Examination(
        source,
        marks=() if is_given else WIDE_MARKS,
        may_differ=not is_given,
        skips_binary=not binary and may_be_binary(source),
        suspects=parting(source, target),
        unpack=unpack,
    )


def parting(source: Form, target: Form) -> tuple[Series, ...]:
    r"""Return the sequences of a form of bytes that another one may write otherwise.

    >>> from eightfold.forms import form
    >>> parting(form("wtf-8"), form("utf-8"))
    (((237, 237), (160, 191), (128, 191)),)
    >>> parting(form("utf-8"), form("wtf-8"))
    ()
    """
    shared = {row for row in target.rows if row.last < SURROGATES.start or row.first >= SURROGATES.stop}
    return tuple(row.unit_ranges for row in source.rows if row not in shared)
