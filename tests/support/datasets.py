"""A small dataset with everything in it: partitions of tables, text, compressed and binary files, hidden ones."""

from __future__ import annotations

import gzip
from importlib import import_module
from pathlib import Path
from typing import Any

from support.arrow_arrays import array_of

LINES = b"one\ncaf\xe9 \xff\n\xed\xa0\xbd\xed\xb8\x80 three\n"


def dataset(folder: Path) -> None:
    """Write it into a new folder."""
    pa, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    names = array_of(pa, pa.string(), [b"ok", b"caf\xe9", None, b"x\xff"] * 2)
    table = pa.table({"id": list(range(8)), "name": names})
    for day in (1, 2):
        (folder / f"day={day}").mkdir(parents=True)
        parquet.write_table(table, folder / f"day={day}" / "part-0.parquet", row_group_size=3)
    with pa.ipc.new_file(folder / "day=2" / "part-0.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=3)
    (folder / "lines.txt").write_bytes(LINES)
    (folder / "packed.txt.gz").write_bytes(gzip.compress(LINES, mtime=0))
    (folder / "image.bin").write_bytes(b"\0\xff\1\0\0" * 100)
    (folder / "_SUCCESS").touch()
    (folder / ".part.crc").write_bytes(b"crc")


def tables_in(folder: Path) -> list[Any]:
    """Return the tables below a folder, whose strings are checked."""
    pa, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    found = [parquet.ParquetFile(path).read() for path in sorted(folder.rglob("*.parquet"))]
    found += [pa.ipc.open_file(path).read_all() for path in sorted(folder.rglob("*.arrow"))]
    found += [pa.ipc.open_stream(path).read_all() for path in sorted(folder.rglob("*.arrows"))]
    for table in found:
        table.validate(full=True)
    return found
