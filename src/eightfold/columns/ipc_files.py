"""Arrow IPC: files, which are Feather version 2 too, and streams; read and written record batch by record batch."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from itertools import count
from typing import Any, BinaryIO

from eightfold.columns.arrow import as_type, holds, pyarrow
from eightfold.columns.footers import Statistic
from eightfold.columns.nested import Leaf, leaves
from eightfold.columns.parts import Part, blaming_part, closed
from eightfold.columns.rebuilding import rebuilt, with_children
from eightfold.columns.schemas import (
    KEY_TWICE,
    Answer,
    Text,
    check_keys,
    texts_of,
    texts_of_pairs,
    with_pairs,
    with_texts,
)
from eightfold.columns.sinks import Sink
from eightfold.columns.steps import children
from eightfold.columns.values import ill_formed_rows
from eightfold.columns.views import SharedViews, buffer_sizes, size_behind
from eightfold.files import FileError
from eightfold.files.read.tables import IPC
from eightfold.files.records.table_changes import TextChange
from eightfold.forms.utf_8 import UTF_8

_FILE = b"ARRO"
"""How a file begins. A stream begins with what stands before each message: a continuation, or an old one its length."""
_TAIL = struct.Struct("<i6s")
"""How a file ends: behind its footer with the length of that, and the magic bytes."""
_FOOTER = "footer"
_LARGEST_VIEW = (1 << 31) - 1
_CODECS = {None: None, 0: "lz4", 1: "zstd"}
_BLOCK = struct.Struct("<qi4xq")
"""Where a message is in a file, how long it is without its body, and how long that is."""
_CONTINUATION = b"\xff\xff\xff\xff"
"""What stands before the length of a message, but not in old files."""


class IpcReader:
    """An Arrow IPC file (Feather version 2) or stream; its parts are record batches."""

    metadata: Any = None

    def __init__(self, path: str, file: BinaryIO, repaired: Callable[[bytes], bytes]) -> None:
        self._path = path
        self._repaired: Answer = lambda text: repaired(text.data)
        self._ipc = import_module("pyarrow.ipc")
        head = file.read(4)
        if head == b"FEA1":
            raise FileError(path, "Feather version 1 is not supported")
        self._given, self._is_stream = file, head != _FILE
        self._file: Any = self._opened()
        self._schema: Any = self._file.schema
        check_keys(self._schema)
        self.schema: Any = with_texts(self._schema, self._repaired)
        self._footer: Any = None if self._is_stream else self._file.metadata
        if self._footer and _pairs_in_footer(file) > len(self._footer):  # which is a dict
            raise ValueError(KEY_TWICE)

    @cached_property
    def text_changes(self) -> list[TextChange]:
        """How the texts change. For those of the record batches all are read, though one column of them at most."""
        pairs = ((text, self._repaired(text)) for text in self.kept_texts())
        return [TextChange(text.place, text.data, new) for text, new in pairs if new != text.data]

    @cached_property
    def _codecs(self) -> list[str | None]:
        """The compressions of the record batches, each once, which pyarrow does not say."""
        found = _codecs_of_stream(self._ipc, self._given) if self._is_stream else _codecs_of_file(self._given)
        return list(dict.fromkeys(map(_CODECS.get, found)))

    @property
    def _codec(self) -> str | None:
        """The compression of a copy, in which all record batches have the same: the first that there is."""
        return next(filter(None, self._codecs), None)

    def kept_texts(self) -> Iterator[Text]:
        """Yield the texts that a copy has too, repaired: all, those of the record batches among them."""
        yield from self.texts()
        one_column = {"options": self._ipc.IpcReadOptions(included_fields=[0])} if len(self._schema) else {}
        for at, (_, metadata) in enumerate(self._batches(**one_column)):
            yield from texts_of_pairs(metadata, _batch(at))

    def _opened(self, **options: Any) -> Any:
        self._given.seek(0)
        if self._is_stream:
            return self._ipc.open_stream(self._given, **options)
        return self._ipc.open_file(_of_the_system(self._given), **options)

    def _batches(self, **options: Any) -> Iterator[tuple[Any, Any]]:
        """Yield the record batches, each with its own metadata.

        Raises:
            FileError: one is malformed, or what follows a stream, such as a second one, would be lost.
        """
        batches = self._given_batches(**options)
        for at in count():
            with blaming_part(self._path, IPC, _batch(at)):
                found = next(batches, None)
            if found is None:
                break
            yield found

    def _given_batches(self, **options: Any) -> Iterator[tuple[Any, Any]]:
        if self._is_stream:
            yield from self._opened(**options).iter_batches_with_custom_metadata()
            if self._given.read(1):
                raise FileError(self._path, "something follows the end of the stream: split the file there")
        else:
            file = self._opened(**options) if options else self._file
            yield from map(file.get_batch_with_custom_metadata, range(file.num_record_batches))

    def texts(self) -> Iterator[Text]:
        """Yield the texts beside the values, as they are in the file; a part has those of its own metadata."""
        yield from texts_of(self._schema)
        yield from texts_of_pairs(self._footer, _FOOTER)

    def replaced_texts(self) -> Iterator[Text]:
        """Yield nothing: a copy has all texts."""
        yield from ()

    def statistics(self) -> Iterator[Statistic]:
        """Yield nothing: these files have no statistics."""
        yield from ()

    def parts(self, *, whole: bool = False) -> Iterator[Part]:
        """Yield the rows, batch by batch.

        Raises:
            FileError: a record batch is malformed.
        """
        first_row = 0
        for at, (batch, metadata) in enumerate(self._batches()):
            with blaming_part(self._path, IPC, _batch(at)):
                data = batch if self.schema is self._schema else _named_as(batch, self.schema)
                data.validate()
            yield Part(at, first_row, data, metadata, texts_of_pairs(metadata, _batch(at)))
            first_row += batch.num_rows

    def copy(self, target: Any, change: Callable[[Part], Any], put_back: Sequence[TextChange] = ()) -> list[str]:
        """Write the file with each part changed; see :meth:`ParquetReader.copy`.

        Raises:
            FileError: a record batch is malformed.
        """
        answer = _PuttingBack(put_back)
        with blaming_part(self._path, IPC, "schema"):
            options = self._ipc.IpcWriteOptions(compression=self._codec, emit_dictionary_deltas=True)
            schema = with_texts(self.schema, answer)
            footer = with_pairs(with_pairs(self._footer, _FOOTER, self._repaired), _FOOTER, answer)
            begin = self._ipc.new_stream if self._is_stream else self._ipc.new_file
            writer = begin(Sink(target.write), schema, options=options, **({"metadata": footer} if footer else {}))
        with closed(writer.close, blaming_part(self._path, IPC, "end")):
            for part in self.parts():
                data = change(part)
                with blaming_part(self._path, IPC, _batch(part.number)):
                    data = _with_compact_views(data, part.data)
                    data = _with_union_buffers(data) if self._codec else data
                    data = data if schema is self.schema else _named_as(data, schema)
                    repaired = with_pairs(part.metadata, _batch(part.number), self._repaired)
                    metadata = with_pairs(repaired, _batch(part.number), answer)
                    writer.write_batch(data, custom_metadata=metadata)
        with blaming_part(self._path, IPC, "metadata"):
            answer.end()
        return [f"which record batches are compressed: all are now, as {self._codec}"] if len(self._codecs) > 1 else []


class _PuttingBack:
    """Answers with what texts were before changes."""

    def __init__(self, changes: Sequence[TextChange]) -> None:
        self._left = {change.place: change for change in changes}

    def __call__(self, text: Text) -> bytes:
        change = self._left.pop(text.place, None)
        if change is None:
            return text.data
        if change.new != text.data:
            raise ValueError(f"{text.place} is not what the plan says")
        return change.old

    def end(self) -> None:
        """Check that all were put back.

        Raises:
            ValueError: a place does not exist.
        """
        if self._left:
            raise ValueError(f"{next(iter(self._left))} does not exist")


def _batch(at: int) -> str:
    return f"record batch {at}"


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


def _with_compact_views(batch: Any, before: Any) -> Any:
    """Return a record batch in which the string views of changed columns point into a buffer that has each value once.

    Otherwise the bytes of a file depend on how often its values were replaced, and not on the values alone. Views that
    overlap are left alone: apart, these could take any amount of memory.
    """
    pairs = [(batch.column(at), before.column(at)) for at in range(batch.num_columns)]
    new = [each if _views_of(each) == _views_of(old) else rebuilt(each, _compact, binary=False) for each, old in pairs]
    return type(batch).from_arrays(new, schema=batch.schema)


def _views_of(array: Any) -> list[int | None]:
    """Return where the views of each array of text inside an array begin in memory; nothing if none has views."""
    has_views = holds(array.type, pyarrow().types.is_string_view)
    buffers = [leaf.array.buffers()[1] for leaf in leaves(array, binary=False)] if has_views else []
    return [None if buffer is None else buffer.address for buffer in buffers]


def _compact(leaf: Leaf) -> Any:
    pa, array = pyarrow(), leaf.array
    if not pa.types.is_string_view(array.type):
        return array
    ill_formed_rows(leaf.column, UTF_8)  # checks the views, as pyarrow does not
    if size_behind(array) > min(_LARGEST_VIEW, buffer_sizes(array)):
        return array
    values = as_type(array, pa.binary_view()).cast(pa.large_binary()).dictionary_encode()
    views = as_type(values.dictionary.cast(pa.binary_view()), array.type)
    return SharedViews(views, values.indices).spread(views, array)


def _with_union_buffers(batch: Any) -> Any:
    """Return a record batch in which unions of no rows have buffers, as they need not have where pyarrow read them.

    Without, pyarrow ends the process by SIGSEGV when it compresses them.
    """
    columns = [_with_buffers(column) for column in batch.columns]
    return type(batch).from_arrays(columns, schema=batch.schema)


def _with_buffers(array: Any) -> Any:
    pa, type = pyarrow(), array.type
    if not holds(type, pa.types.is_union):
        return array
    if pa.types.is_union(type) and not len(array):
        empty = [pa.py_buffer(b"")] * (2 if type.mode == "dense" else 1)
        inner = [_with_buffers(child) for child, _ in children(array)]
        return pa.Array.from_buffers(type, 0, [None, *empty], 0, children=inner)
    return with_children(array, _with_buffers)


def _codecs_of_stream(ipc: Any, file: BinaryIO) -> Iterator[int | None]:
    """Yield the codec of each record batch of a stream."""
    file.seek(0)
    for message in ipc.MessageReader.open_stream(file):
        if message.type == "record batch":
            yield _codec_in(bytes(message.metadata))


def _codecs_of_file(file: BinaryIO) -> Iterator[int | None]:
    """Yield the codec of each record batch of a file, which its footer finds: polars begins files otherwise.

    Source: format/File.fbs of Apache Arrow: Footer.recordBatches is the fourth field, and each is a Block.
    """
    footer = _footer_of(file)
    blocks = _vector(footer, 3)
    listed = b"" if blocks is None else footer[blocks + 4 :][: _BLOCK.size * _count(footer, blocks)]
    for start, size, _ in _BLOCK.iter_unpack(listed):
        file.seek(max(0, start))
        message = file.read(max(0, size))
        yield _codec_in(message[8 if message.startswith(_CONTINUATION) else 4 :])


def _codec_in(data: bytes) -> int | None:
    """Return the codec in a message of a record batch; None if it has none, or is malformed.

    Source: format/Message.fbs of Apache Arrow: Message.header is the third field, RecordBatch.compression the fourth,
    BodyCompression.codec the first. Offsets are those of FlatBuffers.
    """
    with suppress(struct.error, IndexError):
        (root,) = struct.unpack_from("<I", data)
        header = _field(data, root, 2)
        batch = 0 if header is None else header + struct.unpack_from("<I", data, header)[0]
        compression = _field(data, batch, 3)
        if compression is None:
            return None
        codec = _field(data, compression + struct.unpack_from("<I", data, compression)[0], 0)
        return 0 if codec is None else data[codec]
    return None


def _pairs_in_footer(file: BinaryIO) -> int:
    """Return how many key-value pairs the footer of a file has that pyarrow has read, and so has checked.

    Source: format/File.fbs of Apache Arrow: Footer.custom_metadata is the fifth field.
    """
    footer = _footer_of(file)
    pairs = _vector(footer, 4)
    return 0 if pairs is None else _count(footer, pairs)


def _footer_of(file: BinaryIO) -> bytes:
    end = file.seek(-_TAIL.size, io.SEEK_END)
    size, _ = _TAIL.unpack(file.read(_TAIL.size))
    file.seek(end - size)
    return file.read(size)


def _vector(footer: bytes, number: int) -> int | None:
    """Return where the vector in a field of a footer is; None if it is absent."""
    (root,) = struct.unpack_from("<I", footer)
    field = _field(footer, root, number)
    return None if field is None else field + int(struct.unpack_from("<I", footer, field)[0])


def _count(footer: bytes, vector: int) -> int:
    return int(struct.unpack_from("<I", footer, vector)[0])


def _field(data: bytes, table: int, number: int) -> int | None:
    """Return where a field of a FlatBuffers table is; None if it is absent."""
    virtual = table - struct.unpack_from("<i", data, table)[0]
    (size,) = struct.unpack_from("<H", data, virtual)
    at = 4 + 2 * number
    offset = struct.unpack_from("<H", data, virtual + at)[0] if at < size else 0
    return table + offset if offset else None


__all__ = ["IpcReader"]
