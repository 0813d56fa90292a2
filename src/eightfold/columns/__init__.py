r"""Text in Arrow columns: find every ill-formed value with its place, convert columns, and repair only what is wrong.

Everything with the Arrow PyCapsule interface is accepted: tables of pyarrow, polars, DuckDB, nanoarrow and pandas. The
package needs pyarrow (the extra `arrow`), which is imported when a function is called; :mod:`eightfold.columns.sqlite`
needs nothing. The doors to other packages are `polars`, `pandas` and `duckdb` in this package.

>>> import pyarrow
>>> table = pyarrow.table({"name": [b"caf\xc3\xa9", b"caf\xe9"]})
>>> audit(table).select(["column", "row", "start", "end"]).to_pylist()
[{'column': 'name', 'row': 1, 'start': 3, 'end': 4}]
>>> repaired = repair(table)
>>> convert(repaired["name"], "utf-8", "xtf-8").equals(table["name"])
True
"""

from contextlib import suppress

from eightfold.columns.arrays import convert, is_well_formed, repair
from eightfold.columns.carriers import carrier, from_pylist, register, to_pylist
from eightfold.columns.reports import Placed, audit, faults_of
from eightfold.columns.values import BrokenColumnError

with suppress(ModuleNotFoundError):  # without pyarrow each function says what to install
    register()

__all__ = [
    "BrokenColumnError",
    "Placed",
    "audit",
    "carrier",
    "convert",
    "faults_of",
    "from_pylist",
    "is_well_formed",
    "repair",
    "to_pylist",
]
