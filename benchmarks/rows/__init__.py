"""All rows, in the order in which they are measured: one subject a file, each a list of data."""

from benchmarks.row import Row
from benchmarks.rows import clean, copies, cutting, dirty, neighbours, short, streams, surrogates, units, validate

ROWS: tuple[Row, ...] = (
    *clean.ROWS,
    *copies.ROWS,
    *validate.ROWS,
    *neighbours.ROWS,
    *surrogates.ROWS,
    *dirty.ROWS,
    *units.ROWS,
    *streams.ROWS,
    *cutting.ROWS,
    *short.ROWS,
)
"""The rows that are measured in this process; `races.run` measures those in `races.ROWS`."""
