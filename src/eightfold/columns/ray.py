r"""Audit and repair of Ray Datasets, by `map_batches(batch_format="pyarrow")`: workers see the bytes of strings.

Ray keeps ill-formed strings of Arrow as they are, and raises when it makes Python values of them (`take_all`). Here
every value stays in Arrow.

Ray pickles a column of objects that Arrow cannot hold, such as all str of one in which a str has a surrogate. Pickles
are not loaded here: such a column fails the job, and the error names it.

The extra `ray` installs Ray Data. Each worker needs eightfold and pyarrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eightfold.arguments import AnyForm
from eightfold.columns.arguments import check_offers
from eightfold.columns.batches import audit_of, repair_of


def audit(ds: Any, form: AnyForm = "utf-8", *, keys: Sequence[str] = (), binary: bool = True) -> Any:
    """Return the faults of all text in a Dataset, as a Dataset with a row for each fault.

    Its columns are the keys, and then those of :func:`eightfold.columns.audit`. As rows of a Dataset have no numbers,
    ``row`` counts from the first of the batch: name a key to find them again.

    Args:
        ds: a Dataset of Ray Data.
        form: a Form of eightfold, or its name.
        keys: columns whose values the report repeats, such as an id.
        binary: whether to audit binary columns too; False if they hold images, keys or hashes.

    Raises:
        LookupError: unknown form. ValueError: a key is not one column, or is called like a column of the report; or the
            form is not one of eightfold's own, which workers know by name. TypeError: it is not a Dataset.
    """
    _check_dataset(ds)
    names = ds.columns() if keys else []
    if names is None:  # of no rows, and not of a known schema either
        names = [*dict.fromkeys(keys)]
    return ds.map_batches(audit_of(form, keys, names, binary=binary).report, **_IN_ARROW)


def repair(ds: Any, errors: str = "escape", *, binary: bool = True) -> Any:
    """Return a Dataset whose text is repaired to UTF-8, with the same schema.

    Args:
        ds: a Dataset of Ray Data.
        errors: a policy, as for :func:`eightfold.columns.repair`. If it cannot repair a value, the job fails.
        binary: whether to repair binary columns too; False if they hold images, keys or hashes.

    Raises:
        ValueError: unknown policy. TypeError: the policy is not a str, or it is not a Dataset.
    """
    work = repair_of(errors, binary=binary)
    _check_dataset(ds)
    return ds.map_batches(work.repaired, **_IN_ARROW)


def _check_dataset(ds: Any) -> None:
    check_offers("ds", ds, "map_batches", "a Dataset of Ray Data")


_IN_ARROW: dict[str, Any] = {"batch_format": "pyarrow", "batch_size": None, "zero_copy_batch": True}
"""Whole blocks, which are not changed, so they need not be copied."""

__all__ = ["audit", "repair"]
