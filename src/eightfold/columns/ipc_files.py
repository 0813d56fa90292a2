"""Arrow IPC: files, which are Feather version 2 too, and streams; read and written record batch by record batch."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import count
from typing import Any, BinaryIO

from eightfold.columns.arrow import pyarrow
from eightfold.columns.footers import Statistic
from eightfold.columns.parts import Part, blaming_part
from eightfold.columns.schemas import Text, texts_of, with_texts
from eightfold.columns.sinks import Sink
from eightfold.files import FileError
from eightfold.files.read.tables import IPC
from eightfold.files.records.table_changes import TextChange

_MAGIC_BYTES = 8
_FILE = b"ARRO"
"""How a file begins. A stream begins with what stands before each message: a continuation, or an old one its length."""
_CODECS = {None: None, 0: "lz4", 1: "zstd"}


class IpcReader:
    """An Arrow IPC file (Feather version 2) or stream; its parts are record batches."""

    metadata: Any = None

    def __init__(self, path: str, file: BinaryIO, repaired: Callable[[bytes], bytes]) -> None:
        self._path = path
        self._ipc = import_module("pyarrow.ipc")
        head = file.read(4)
        if head == b"FEA1":
            raise FileError(path, "Feather version 1 is not supported")
        self._given, self._is_stream = file, head != _FILE
        self._codec = _ipc_codec(self._ipc, file, 0 if self._is_stream else _MAGIC_BYTES)
        self._file: Any = self._opened()
        self._schema: Any = self._file.schema
        self.schema: Any = with_texts(self._schema, lambda text: repaired(text.data))
        pairs = zip(texts_of(self._schema), texts_of(self.schema), strict=True)
        self.text_changes: list[TextChange] = [
            TextChange(old.place, old.data, new.data) for old, new in pairs if old != new
        ]

    def _opened(self) -> Any:
        self._given.seek(0)
        if self._is_stream:
            return self._ipc.open_stream(self._given)
        return self._ipc.open_file(_of_the_system(self._given))

    def _batches(self) -> Iterator[Any]:
        """Yield the record batches, each with its own metadata.

        Raises:
            FileError: what follows a stream, such as a second one, would be lost.
        """
        if self._is_stream:
            yield from self._opened().iter_batches_with_custom_metadata()
            if self._given.read(1):
                raise FileError(self._path, "something follows the end of the stream: split the file there")
        else:
            yield from map(self._file.get_batch_with_custom_metadata, range(self._file.num_record_batches))

    def texts(self) -> Iterator[Text]:
        """Yield the texts beside the values, as they are in the file."""
        yield from texts_of(self._schema)

    def statistics(self) -> Iterator[Statistic]:
        """Yield nothing: these files have no statistics."""
        yield from ()

    def _with_old_texts(self, changes: Sequence[TextChange]) -> Any:
        """Return the schema with texts as they were before changes."""
        old = {change.place: change for change in changes}

        def answer(text: Text) -> bytes:
            change = old.pop(text.place, None)
            if change is not None and change.new != text.data:
                raise ValueError(f"{text.place} is not what the plan says")
            return text.data if change is None else change.old

        schema = with_texts(self.schema, answer)
        if old:
            raise ValueError(f"{next(iter(old))} does not exist")
        return schema

    def parts(self, *, whole: bool = False) -> Iterator[Part]:
        """Yield the rows, batch by batch.

        Raises:
            FileError: a record batch is malformed.
        """
        first_row, batches = 0, self._batches()
        for at in count():
            with blaming_part(self._path, IPC, f"record batch {at}"):
                found = next(batches, None)
                if found is None:
                    break
                batch, metadata = found
                batch = _named_as(batch, self.schema) if self.text_changes else batch
                batch.validate()
            yield Part(at, first_row, batch, metadata)
            first_row += batch.num_rows

    def copy(self, target: Any, change: Callable[[Part], Any], put_back: Sequence[TextChange] = ()) -> list[str]:
        """Write the file with each part changed; see :meth:`ParquetReader.copy`.

        Raises:
            FileError: a record batch is malformed.
        """
        options = self._ipc.IpcWriteOptions(compression=self._codec, emit_dictionary_deltas=True)
        with blaming_part(self._path, IPC, "schema"):
            metadata = getattr(self._file, "metadata", None)
            schema = self._with_old_texts(put_back)
            begin = self._ipc.new_stream if self._is_stream else self._ipc.new_file
            writer = begin(Sink(target.write), schema, options=options)
        try:
            for at, part in enumerate(self.parts()):
                data = change(part)
                with blaming_part(self._path, IPC, f"record batch {at}"):
                    data = _named_as(data, schema) if put_back else data
                    writer.write_batch(data, custom_metadata=part.metadata)
        finally:
            with blaming_part(self._path, IPC, "end"):
                writer.close()
        return ["metadata of the footer"] if metadata else []


def _of_the_system(file: BinaryIO) -> Any:
    """Return a file that pyarrow reads without Python; the same where the system cannot open it again.

    Files are opened by a thread of pyarrow, which may let go of them when the interpreter is already ending. Such a
    thread cannot take the lock of the interpreter: the process then ended by SIGABRT, once in some hundred times.
    """
    try:
        return pyarrow().OSFile(f"/dev/fd/{file.fileno()}")
    except (AttributeError, OSError):
        return file


def _named_as(batch: Any, schema: Any) -> Any:
    """Return a record batch with the names and the metadata of another schema."""
    columns = batch.rename_columns(list(map(str, range(batch.num_columns)))).columns
    types = [schema.field(at).type for at in range(len(schema))]
    named = [each if each.type == new else each.view(new) for each, new in zip(columns, types, strict=True)]
    return type(batch).from_arrays(named, schema=schema)


def _ipc_codec(ipc: Any, file: BinaryIO, start: int) -> str | None:
    """Return the compression of the first record batch, which pyarrow does not say; messages start at an offset."""
    file.seek(start)
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


__all__ = ["IpcReader"]
