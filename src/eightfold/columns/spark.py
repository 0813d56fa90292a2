r"""Audit and repair of Spark DataFrames, by `mapInArrow`: workers see the bytes of strings, and none becomes a Row.

Spark itself replaces ill-formed bytes by U+FFFD in silence as soon as a string leaves it as a Row (`collect`, `show`,
a UDF in Python). Here bytes go from Spark to Arrow and back. Read text and Parquet in such a way that Spark
does not change them either: see the how-to for Spark in the documentation.

The extra `spark` installs PySpark, which needs Java 17 or newer. Each worker needs eightfold and pyarrow. This module
imports neither before it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

from eightfold.arguments import AnyForm
from eightfold.columns.arguments import check_offers
from eightfold.columns.batches import Audit, audit_of, repair_of
from eightfold.columns.reports import schema

_TYPES = {"string": "string", "int64": "bigint", "uint32": "bigint", "binary": "binary", "bool": "boolean"}
"""The types of a report in Arrow, and in Spark, which has no unsigned numbers."""


def audit(df: Any, form: AnyForm = "utf-8", *, keys: Sequence[str] = (), binary: bool = True) -> Any:
    """Return the faults of all text in a DataFrame, as a DataFrame with a row for each fault.

    Its columns are the keys, and then those of :func:`eightfold.columns.audit`. As rows of a DataFrame have no numbers,
    ``row`` counts from the first of the partition: name a key to find them again.

    Args:
        df: a DataFrame of PySpark.
        form: a Form of eightfold, or its name.
        keys: columns whose values the report repeats, such as an id.
        binary: whether to audit binary columns too; False if they hold images, keys or hashes.

    Raises:
        LookupError: unknown form. ValueError: a key is not one column, or is called like a column of the report; or the
            form is not one of eightfold's own, which workers know by name. TypeError: it is not a DataFrame.
            AnalysisException: as for :func:`repair`.
    """
    _check_frame(df)
    work = audit_of(form, keys, df.columns, binary=binary)
    return df.mapInArrow(_Reports(work), _report_schema(df, work.keys))


def repair(df: Any, errors: str = "escape", *, binary: bool = True) -> Any:
    """Return a DataFrame whose text is repaired to UTF-8, with the same schema.

    Args:
        df: a DataFrame of PySpark.
        errors: a policy, as for :func:`eightfold.columns.repair`. If it cannot repair a value, the job fails.
        binary: whether to repair binary columns too; False if they hold images, keys or hashes.

    Raises:
        ValueError: unknown policy. TypeError: the policy is not a str, or it is not a DataFrame. AnalysisException:
            Spark's, for a column with a dot in its name; rename it first.
    """
    work = repair_of(errors, binary=binary)
    _check_frame(df)
    return df.mapInArrow(work.each, df.schema)


def _check_frame(df: Any) -> None:
    check_offers("df", df, "mapInArrow", "a DataFrame of PySpark")


class _Reports:
    """What a worker does for an audit."""

    def __init__(self, work: Audit) -> None:
        self._work = work

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for report in self._work.reports(batches):
            at = report.schema.get_field_index("code_point")
            signed = report.set_column(at, "code_point", report["code_point"].cast("int64"))
            yield from signed.to_batches()


def _report_ddl() -> str:
    """Return the schema of a report as Spark writes it."""
    return ", ".join(
        f"{field.name} {_TYPES[str(field.type)]}{'' if field.nullable else ' not null'}" for field in schema()
    )


def _report_schema(df: Any, keys: Sequence[str]) -> Any:
    struct = import_module("pyspark.sql.types").StructType
    given = {field.name: field for field in df.schema.fields}
    return struct([*(given[key] for key in keys), *struct.fromDDL(_report_ddl()).fields])


__all__ = ["audit", "repair"]
