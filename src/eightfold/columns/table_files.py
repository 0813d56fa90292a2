"""Tables in files, Parquet and Arrow IPC (Feather): read and written part by part, so that memory holds one part.

A part is a row group of Parquet, or a record batch of Arrow IPC. Whatever pyarrow raises about a file becomes a
:class:`FileError` that names the file and the part. Values are never read as str.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

from eightfold.columns.arrow import pyarrow
from eightfold.columns.nested import holds_text
from eightfold.columns.values import BrokenColumnError
from eightfold.faults import ConversionError
from eightfold.files import FileError
from eightfold.files.read.tables import PARQUET

_BATCH_ROWS = 1 << 16
_MAGIC_BYTES = 8
_CODECS = {None: None, 0: "lz4", 1: "zstd"}


class Part(NamedTuple):
    """Some rows of a file.

    Attributes:
        first_row: the row in the file, from 0, of the first of them.
        data: a pyarrow Table or RecordBatch.
    """

    first_row: int
    data: Any


@contextmanager
def reading(path: str, kind: str, file: BinaryIO) -> Iterator[TableReader]:
    """Open a table.

    Args:
        path: the file, as errors name it.
        kind: what :func:`eightfold.files.read.tables.table_kind` returned.
        file: the file, open for reading.

    Raises:
        FileError: it is malformed or encrypted, or pyarrow is missing.
    """
    try:
        pyarrow()
    except ModuleNotFoundError as error:
        raise FileError(path, str(error)) from None
    with blaming_part(path, kind, ""):
        reader = (ParquetReader if kind == PARQUET else IpcReader)(path, file)
        refuse_ill_formed_names(path, reader.schema)
    yield reader


def refuse_ill_formed_names(path: str, schema: Any) -> None:
    """Refuse a table with a column name that is not UTF-8, which pyarrow can neither look up nor write.

    Raises:
        FileError: there is one.
    """
    try:
        _ = schema.names, str(schema)
    except UnicodeDecodeError as error:
        name = error.object.decode("utf-8", "backslashreplace")
        raise FileError(path, f"the column name {name!r} is not UTF-8, which is not supported yet") from None


@contextmanager
def blaming_part(path: str, kind: str, part: str) -> Iterator[None]:
    """Turn what pyarrow raises in the block into a FileError that names the file and the part.

    Raises:
        FileError: in place of it.
    """
    try:
        yield
    except (FileError, ConversionError, BrokenPipeError):
        raise
    except BrokenColumnError as error:
        raise FileError(path, _placed(part, str(error))) from error
    except MemoryError as error:
        raise FileError(path, _placed(part, f"it needs more memory than there is: {error}")) from error
    except (pyarrow().ArrowException, OSError, ValueError, OverflowError, TypeError, NotImplementedError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise FileError(path, _placed(part, f"malformed {kind}, or not supported: {first}")) from error


def _placed(part: str, reason: str) -> str:
    return f"{part}: {reason}" if part else reason


class ParquetReader:
    """A Parquet file; its parts are row groups."""

    def __init__(self, path: str, file: BinaryIO) -> None:
        self._path = path
        options = {"pre_buffer": False, "buffer_size": 1 << 20, "page_checksum_verification": True}
        opened = import_module("pyarrow.parquet").ParquetFile
        first = opened(file, **options)
        dictionaries = _text_dictionaries(first.schema_arrow)
        # Otherwise pyarrow makes dictionaries by a cast, which refuses ill-formed values.
        self._file: Any = opened(file, read_dictionary=dictionaries, **options) if dictionaries else first
        self.schema: Any = self._file.schema_arrow
        self._has_other_types = not self.schema.equals(first.schema_arrow)
        self.metadata: Any = self._file.metadata

    def parts(self, *, whole: bool = False) -> Iterator[Part]:
        """Yield the rows: each row group as a Table if ``whole``, and else in pieces of bounded length.

        Raises:
            FileError: a row group is malformed.
        """
        first_row = 0
        for group in range(self.metadata.num_row_groups):
            expected = first_row + self.metadata.row_group(group).num_rows
            pieces = self._whole(group) if whole else self._pieces(group)
            while True:
                with self.blaming(group):
                    data = next(pieces, None)
                if data is None:
                    break
                with self.blaming(group):
                    data.validate()
                yield Part(first_row, data)
                first_row += data.num_rows
            if first_row != expected:
                raise FileError(self._path, f"row group {group}: malformed Parquet: rows are missing")

    def blaming(self, group: int) -> Any:
        """Return :func:`blaming_part` for a row group."""
        return blaming_part(self._path, PARQUET, f"row group {group}")

    def _whole(self, group: int) -> Iterator[Any]:
        yield self._file.read_row_group(group, use_threads=False)

    def _pieces(self, group: int) -> Iterator[Any]:
        yield from self._file.iter_batches(_BATCH_ROWS, row_groups=[group], use_threads=False)

    def copy(self, target: Any, change: Callable[[Part], Any]) -> list[str]:
        """Write the file with each part changed; return what could not be kept, a sentence each.

        Args:
            target: a binary file.
            change: returns the new rows of a part.

        Raises:
            FileError: a row group is malformed.
        """
        written: list[Any] = []
        parts = self.parts(whole=True)
        # The metadata of columns is asked only after they were read: pyarrow aborts where it names an unknown codec.
        first = next(parts, None)
        with blaming_part(self._path, PARQUET, "schema"):
            parquet = import_module("pyarrow.parquet")
            options = _parquet_options(self.metadata, self.schema)
            writer = parquet.ParquetWriter(target, self.schema, metadata_collector=written, **options)
        try:
            for group, part in enumerate(chain([] if first is None else [first], parts)):
                first = None
                data = change(part)
                with self.blaming(group):
                    writer.write_table(data, row_group_size=max(data.num_rows, 1))
        finally:
            with blaming_part(self._path, PARQUET, "end"):
                writer.close()
        other = ["the types of the indices of dictionaries"] if self._has_other_types else []
        return [*other, *_parquet_losses(self.metadata, written[0])]


def _text_dictionaries(schema: Any) -> list[str]:
    """Return the names of columns that are dictionaries of text."""
    is_dictionary = pyarrow().types.is_dictionary
    return [
        field.name
        for field in map(schema.field, range(len(schema)))
        if is_dictionary(field.type) and holds_text(field.type, binary=False)
    ]


def _chunks(metadata: Any) -> Iterator[Any]:
    """Yield the metadata of the column chunks of the first row group, by which all are written."""
    if metadata.num_row_groups:
        group = metadata.row_group(0)
        yield from map(group.column, range(group.num_columns))


def _parquet_options(metadata: Any, schema: Any) -> dict[str, Any]:
    """Return the options by which a writer repeats what a file chose."""
    chunks = list(_chunks(metadata))
    paths = [chunk.path_in_schema for chunk in chunks]
    options: dict[str, Any] = {
        "version": metadata.format_version if metadata.format_version in ("1.0", "2.4", "2.6") else "2.6",
        "use_dictionary": [chunk.path_in_schema for chunk in chunks if _uses_dictionary(chunk)] or False,
        "write_statistics": [chunk.path_in_schema for chunk in chunks if chunk.is_stats_set] or False,
        "use_compliant_nested_type": not any(".list.item" in path for path in paths),
        "use_deprecated_int96_timestamps": any(chunk.physical_type == "INT96" for chunk in chunks),
        "store_schema": b"ARROW:schema" in (metadata.metadata or {}),
        "write_page_index": any(chunk.has_column_index for chunk in chunks),
    }
    if chunks:
        codecs = {chunk.path_in_schema: _codec(chunk) for chunk in chunks}
        options["compression"] = codecs if len(set(codecs.values())) > 1 else codecs[paths[0]]
    return options


def _codec(chunk: Any) -> str:
    return "none" if chunk.compression == "UNCOMPRESSED" else str(chunk.compression).lower()


def _uses_dictionary(chunk: Any) -> bool:
    return any(encoding.endswith("_DICTIONARY") for encoding in chunk.encodings)


def _parquet_losses(old: Any, new: Any) -> Iterator[str]:
    """Yield what a copy did not keep, found by comparing the metadata of both files."""
    if str(old.schema).splitlines()[1:] != str(new.schema).splitlines()[1:]:
        yield "types or names inside the Parquet schema"
    if _own_metadata(old) != _own_metadata(new):
        yield "key-value metadata"
    pairs = list(zip(_chunks(old), _chunks(new), strict=False))
    for lost, is_lost in _LOSSES.items():
        names = [a.path_in_schema for a, b in pairs if is_lost(a, b)]
        if names:
            yield f"{lost} of {', '.join(names[:3])}{' …' if names[3:] else ''}"
    if old.num_row_groups and old.row_group(0).sorting_columns:
        yield "the declared sort order, which repaired values may break"


def _own_metadata(metadata: Any) -> dict[bytes, bytes]:
    return {key: value for key, value in (metadata.metadata or {}).items() if key != b"ARROW:schema"}


_LOSSES: dict[str, Callable[[Any, Any], bool]] = {
    "compression": lambda old, new: old.compression != new.compression,
    "encodings": lambda old, new: not _encodings(old) <= _encodings(new),
    "statistics": lambda old, new: old.is_stats_set and not new.is_stats_set,
    "bloom filters": lambda old, new: getattr(old, "bloom_filter_offset", None) is not None,
    "the page index": lambda old, new: old.has_column_index and not new.has_column_index,
}


def _encodings(chunk: Any) -> set[str]:
    """Return the encodings of values, without those of levels and those that writers fall back to."""
    names = {encoding.replace("PLAIN_DICTIONARY", "RLE_DICTIONARY") for encoding in chunk.encodings}
    return names - {"PLAIN", "RLE", "BIT_PACKED"}


class IpcReader:
    """An Arrow IPC file (Feather version 2); its parts are record batches."""

    metadata: Any = None

    def __init__(self, path: str, file: BinaryIO) -> None:
        self._path = path
        self._ipc = import_module("pyarrow.ipc")
        if file.read(4) == b"FEA1":
            raise FileError(path, "Feather version 1 is not supported")
        self._codec = _ipc_codec(self._ipc, file)
        file.seek(0)
        self._file: Any = self._ipc.open_file(file)
        self.schema: Any = self._file.schema

    def parts(self, *, whole: bool = False) -> Iterator[Part]:
        """Yield the rows, batch by batch.

        Raises:
            FileError: a record batch is malformed.
        """
        first_row = 0
        for at in range(self._file.num_record_batches):
            with blaming_part(self._path, "Arrow IPC", f"record batch {at}"):
                batch = self._file.get_batch(at)
                batch.validate()
            yield Part(first_row, batch)
            first_row += batch.num_rows

    def copy(self, target: Any, change: Callable[[Part], Any]) -> list[str]:
        """Write the file with each part changed; see :meth:`ParquetReader.copy`.

        Raises:
            FileError: a record batch is malformed.
        """
        options = self._ipc.IpcWriteOptions(compression=self._codec, emit_dictionary_deltas=True)
        with blaming_part(self._path, "Arrow IPC", "schema"):
            metadata = getattr(self._file, "metadata", None)
            writer = self._ipc.RecordBatchFileWriter(target, self.schema, options=options)
        try:
            for at, part in enumerate(self.parts()):
                data = change(part)
                with blaming_part(self._path, "Arrow IPC", f"record batch {at}"):
                    writer.write_batch(data)
        finally:
            with blaming_part(self._path, "Arrow IPC", "end"):
                writer.close()
        return ["metadata of the footer"] if metadata else []


def _ipc_codec(ipc: Any, file: BinaryIO) -> str | None:
    """Return the compression of the first record batch, which pyarrow does not say."""
    file.seek(_MAGIC_BYTES)
    for message in ipc.MessageReader.open_stream(file):
        if message.type == "record batch":
            try:
                return _CODECS.get(_codec_in(bytes(message.metadata)))
            except (struct.error, IndexError):
                return None
    return None


def _codec_in(data: bytes) -> int | None:
    """Return the codec in a message of a record batch.

    Source: format/Message.fbs of Apache Arrow: Message.header is the third field, RecordBatch.compression the fourth,
    BodyCompression.codec the first. Offsets are those of FlatBuffers.
    """
    (root,) = struct.unpack_from("<I", data)
    header = _field(data, root, 2)
    batch = 0 if header is None else header + struct.unpack_from("<I", data, header)[0]
    compression = _field(data, batch, 3)
    if compression is None:
        return None
    codec = _field(data, compression + struct.unpack_from("<I", data, compression)[0], 0)
    return 0 if codec is None else data[codec]


def _field(data: bytes, table: int, number: int) -> int | None:
    """Return where a field of a FlatBuffers table is; None if it is absent."""
    virtual = table - struct.unpack_from("<i", data, table)[0]
    (size,) = struct.unpack_from("<H", data, virtual)
    at = 4 + 2 * number
    offset = struct.unpack_from("<H", data, virtual + at)[0] if at < size else 0
    return table + offset if offset else None


TableReader = ParquetReader | IpcReader

__all__ = ["IpcReader", "ParquetReader", "Part", "TableReader", "blaming_part", "reading", "refuse_ill_formed_names"]
