"""Small tables in files, some of whose strings are ill-formed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

KINDS = ("parquet", "arrow", "arrows")
"""Endings of names; `arrows` is a stream of Arrow IPC."""


def strings(values: list[bytes | None]) -> Any:
    """Return an array of strings with these bytes, unchecked."""
    given = pa().array(values, pa().binary())
    return pa().Array.from_buffers(pa().string(), len(given), given.buffers(), given.null_count)


def table() -> Any:
    """Return a table with four ill-formed strings, in columns of several types."""
    names = strings([b"ok", b"caf\xe9", None, b"last"])
    columns = {
        "id": pa().array([1, 2, 3, 4], pa().int32()),
        "name": names,
        "tags": pa().ListArray.from_arrays([0, 2, 2, 3, 4], names),
        "kind": pa().DictionaryArray.from_arrays(pa().array([0, 1, 1, 0], pa().int32()), strings([b"x", b"\xff"])),
        "blob": pa().array([b"\xff", b"", None, b"\x80"]),
    }
    return pa().table(columns, metadata={"origin": "here"})


def ill_named() -> Any:
    """Return a table whose names, at two levels, and whose metadata are ill-formed; its values are not."""
    inner = pa().struct([pa().field(b"x\xff", pa().string()), pa().field("n", pa().float64())])
    schema = pa().schema(
        [pa().field(b"caf\xe9", pa().string(), metadata={"k": b"field \xfd"}), pa().field("plain", inner)],
        metadata={b"au\xe9": b"Zo\xeb", b"clean": b"yes"},
    )
    both = pa().StructArray.from_arrays([pa().array(["a", None]), pa().array([1.5, 2])], ["a", "b"]).view(inner)
    return pa().Table.from_arrays([pa().array(["ok", "é"]), both], schema=schema)


def written(folder: Path, kind: str, given: Any = None, **options: Any) -> Path:
    """Return a file with a table in two parts."""
    path, given = folder / f"data.{kind}", table() if given is None else given
    if kind == "parquet":
        pq().write_table(given, path, **{"row_group_size": 2, "compression": "zstd", **options})
    else:
        made = pa().ipc.IpcWriteOptions(compression="zstd")
        new = pa().ipc.new_stream if kind == "arrows" else pa().ipc.new_file
        with new(path, given.schema, options=made) as writer:
            writer.write_table(given, max_chunksize=2)
    return path


def opened(path: Path) -> Any:
    """Return the table of a file. Dictionaries are read as such: pyarrow casts others, and checks their strings."""
    if path.suffix != ".parquet":
        return (pa().ipc.open_stream if path.suffix == ".arrows" else pa().ipc.open_file)(path).read_all()
    schema = pq().read_schema(path)
    names = [field.name for field in schema if pa().types.is_dictionary(field.type)]
    return pq().ParquetFile(path, read_dictionary=names).read()


def out_of(capsys: Any) -> tuple[list[str], str]:
    """Return what a command has said: its lines, and its messages."""
    captured = capsys.readouterr()
    return captured.out.splitlines(), captured.err


def said(capsys: Any) -> tuple[list[str], str]:
    """Return what a command has said: its lines without their paths, and its messages."""
    captured = capsys.readouterr()
    return [line.partition(": ")[2] for line in captured.out.splitlines()], captured.err


def pa() -> Any:
    """Return the module `pyarrow`, which need not be installed."""
    return import_module("pyarrow")


def pq() -> Any:
    """Return the module `pyarrow.parquet`."""
    return import_module("pyarrow.parquet")
