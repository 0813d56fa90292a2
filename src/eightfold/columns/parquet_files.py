"""Parquet files: read and written row group by row group. Values are never read as str."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from io import BufferedReader
from itertools import product
from typing import Any, BinaryIO

from eightfold.columns.arrow import as_type, binary_type, holds, is_text_dictionary, pyarrow
from eightfold.columns.differences import chunks_in
from eightfold.columns.footers import (
    CREATED_BY,
    Footer,
    Statistic,
    ended,
    footer_in,
    put_back_in,
    read_footer,
    repaired_texts,
)
from eightfold.columns.int96 import int96_columns, is_kept
from eightfold.columns.page_headers import page_options
from eightfold.columns.parquet_choices import listed, losses, options_like, own_metadata
from eightfold.columns.parts import Part, blaming_part, closed
from eightfold.columns.patched import Patched
from eightfold.columns.rebuilding import with_children
from eightfold.columns.schemas import Text
from eightfold.columns.sinks import HeldEnd
from eightfold.columns.thrift import MalformedError
from eightfold.files import FileError
from eightfold.files.read.tables import PARQUET
from eightfold.files.records.table_changes import TextChange

_BATCH_ROWS = 1 << 16
_NOT_KEPT = (
    "its INT96 timestamps before 1677-09-21 00:12:44 or from 2262-04-11 23:47:16 on would change: pyarrow reads INT96 "
    "as nanoseconds in 64 bits; write the column as INT64 first"
)


class ParquetReader:
    """A Parquet file; its parts are row groups."""

    def __init__(self, path: str, file: BinaryIO, repaired: Callable[[bytes], bytes]) -> None:
        self._path, self._given = path, file
        options = {"pre_buffer": False, "buffer_size": 1 << 20, "page_checksum_verification": True}
        opened = import_module("pyarrow.parquet").ParquetFile
        self._footer = read_footer(file)
        self.text_changes: list[TextChange]
        file, self.text_changes = self._with_texts(file, repaired)
        self._opened_with: Callable[..., Any] = partial(opened, file, **options)
        first = self._opened_with()
        dictionaries = _text_dictionaries(first)
        # Otherwise pyarrow makes dictionaries by a cast, which refuses ill-formed values.
        self._file: Any = self._opened_with(read_dictionary=dictionaries) if dictionaries else first
        self.schema: Any = _with_orders(self._file.schema_arrow, first.schema_arrow)
        self._lost_types = list(_lost_types(first.schema_arrow, self.schema))
        self.metadata: Any = self._file.metadata

    def _with_texts(self, file: BinaryIO, repaired: Callable[[bytes], bytes]) -> tuple[Any, list[TextChange]]:
        """Return the file as if its texts were repaired and each ENUM were a STRING, and how the texts change."""
        new = {} if self._footer is None else repaired_texts(self._footer, repaired)
        if self._footer is None or not (new or self._footer.enums):
            return file, []
        patched = BufferedReader(Patched(file, self._footer.start, ended(self._footer.changed(new))))
        old = {text.place: text.data for text in self._footer.texts}
        return patched, [TextChange(place, old[place], text) for place, text in new.items() if place != CREATED_BY]

    def texts(self) -> Iterator[Text]:
        """Yield the texts beside the values, as they are in the file."""
        if self._footer is not None:
            yield from self._footer.all_texts()

    def kept_texts(self) -> Iterator[Text]:
        """Yield the texts that a copy has too, repaired; one that the schema of Arrow repeats only once."""
        replaced = {text.place for text in self.replaced_texts()}
        return (text for text in self.texts() if text.place not in replaced)

    def replaced_texts(self) -> Iterator[Text]:
        """Yield the texts that a copy has not: the name of the writer, and the metadata of column chunks."""
        if self._footer is not None:
            yield from (text for text in self._footer.texts if text.place == CREATED_BY)
            yield from self._footer.chunk_texts()

    def statistics(self) -> Iterator[Statistic]:
        """Yield the bounds in the statistics and the page index of columns of strings, as they are in the file.

        Raises:
            FileError: the page index is malformed.
        """
        if self._footer is None:
            return
        yield from self._footer.statistics()
        room = self._footer.start
        for index in self._footer.page_indexes():
            room -= index.length
            with self.blaming(index.group):
                if room < 0:  # Each could be read again and again.
                    raise MalformedError("its page indexes take more bytes than the file has")
                bounds = list(index.bounds(self._given))
            yield from bounds

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
                    data = _as_ordered(data, self.schema)
                    data.validate()
                yield Part(group, first_row, data)
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

    def copy(self, target: Any, change: Callable[[Part], Any], put_back: Sequence[TextChange] = ()) -> list[str]:
        """Write the file with each part changed; return what could not be kept, a sentence each.

        Args:
            target: a binary file.
            change: returns the new rows of a part.
            put_back: texts that get what they were before these changes.

        Raises:
            FileError: a row group is malformed, a text has another place, or a timestamp cannot be kept.
        """
        self._check_timestamps()
        self._check_groups()
        written: list[Any] = []
        with blaming_part(self._path, PARQUET, "schema"):
            parquet = import_module("pyarrow.parquet")
            options = options_like(self.metadata, self.schema, self._text_columns)
            if self._footer is not None:
                options |= page_options(self._given, self._footer.data_pages())
            held = HeldEnd(target.write)
            writer = parquet.ParquetWriter(held, self.schema, metadata_collector=written, **options)
            if not options["store_schema"]:  # pyarrow leaves the metadata out together with its own schema
                writer.add_key_value_metadata(own_metadata(self.metadata))

        def close() -> None:
            held.hold()
            writer.close()

        with closed(close, blaming_part(self._path, PARQUET, "end")):
            for group, part in enumerate(self.parts(whole=True)):
                data = change(part)
                with self.blaming(group):
                    data = _with_unique_entries(data)
                    writer.write_table(data, row_group_size=max(data.num_rows, 1))
        with blaming_part(self._path, PARQUET, "metadata"):
            target.write(put_back_in(held.end, put_back) if put_back else held.end)
        return [*self._never_kept(held.end), *losses(self.metadata, written[0])]

    def _never_kept(self, end: bytes) -> Iterator[str]:
        """Yield what a copy that ends so has not, as :meth:`copy` returns it."""
        yield from self._lost_types
        if self._footer is None:
            return
        if self._footer.repeats_a_key:
            yield "key-value metadata with the key of another pair"
        if any(True for _ in self._footer.chunk_texts()):
            yield "key-value metadata of column chunks"
        if self._footer.enums:
            yield f"type Enum of {listed(self._footer.enums)}: it is now String"
        if lost := _lost_bloom_filters(self._footer, end):
            yield f"bloom filters of {listed(lost)}"

    def _check_groups(self) -> None:
        """Read a row of each row group: pyarrow aborts where it is asked for metadata of a column that it cannot read.

        Raises:
            FileError: a row group cannot be read.
        """
        for group in range(self.metadata.num_row_groups):
            with self.blaming(group):
                next(self._file.iter_batches(1, row_groups=[group], use_threads=False), None)

    def _check_timestamps(self) -> None:
        """Check that a copy keeps the timestamps of INT96; a file without them is not read.

        Raises:
            FileError: one is outside of what pyarrow reads, or its row group is malformed.
        """
        columns = int96_columns(self._file.schema)
        if not columns:
            return
        file = self._opened_with(coerce_int96_timestamp_unit="s")
        for group, path in product(range(self.metadata.num_row_groups), columns):
            with self.blaming(group):
                batches = file.iter_batches(_BATCH_ROWS, row_groups=[group], columns=[path], use_threads=False)
                if not all(is_kept(column) for batch in batches for column in batch.columns):
                    raise FileError(self._path, f"row group {group}: column {path}: {_NOT_KEPT}")

    @property
    def _text_columns(self) -> set[int]:
        return set() if self._footer is None else self._footer.text_columns


def _lost_bloom_filters(old: Footer, end: bytes) -> list[str]:
    """Return the columns that had a bloom filter, and have none in a copy that ends so. Not every pyarrow sees them."""
    had = old.bloom_filters
    kept = footer_in(end).bloom_filters if had else []
    return [path for path in had if path not in kept]


def _with_unique_entries(table: Any) -> Any:
    """Return a table in whose dictionaries, also inside other types, no entry is there twice, as a repair may leave it.

    pyarrow 26 writes such a dictionary with memory behind its end that nobody has set.
    """
    for at, column in enumerate(table.columns):
        if holds(column.type, is_text_dictionary):
            chunks = [_unique(chunk) for chunk in column.chunks]
            if any(one is not other for one, other in zip(chunks, column.chunks, strict=True)):
                table = table.set_column(at, table.schema.field(at), pyarrow().chunked_array(chunks, column.type))
    return table


def _unique(array: Any) -> Any:
    """Return an array that holds dictionaries with each entry of them once; the same object if it is so already."""
    if is_text_dictionary(array.type):
        return _unique_entries(array)
    return with_children(array, _unique) if holds(array.type, is_text_dictionary) else array


def _unique_entries(array: Any) -> Any:
    entries = array.dictionary
    unique = as_type(entries, binary_type(entries.type)).dictionary_encode()
    if len(unique.dictionary) == len(entries):
        return array
    indices = unique.indices.take(array.indices).cast(array.indices.type)
    values = as_type(unique.dictionary, entries.type)
    return pyarrow().DictionaryArray.from_arrays(indices, values, ordered=array.type.ordered, safe=False)


def _text_dictionaries(file: Any) -> list[str]:
    """Return the paths of the columns of a ParquetFile that Arrow has as dictionaries of strings."""
    leaves = [leaf for field in file.schema_arrow for leaf in _leaf_types(field.type)]
    paths = [file.schema.column(at).path for at in range(len(file.schema))]
    if len(leaves) != len(paths):
        return [field.name for field in file.schema_arrow if is_text_dictionary(field.type)]
    return [path for path, leaf in zip(paths, leaves, strict=True) if is_text_dictionary(leaf)]


def _with_orders(read: Any, given: Any) -> Any:
    """Return a schema in which dictionaries are ordered as in another: pyarrow reads columns of them without it."""
    for at, field in enumerate(given):
        if is_text_dictionary(field.type) and field.type.ordered:
            type = read.field(at).type
            ordered = pyarrow().dictionary(type.index_type, type.value_type, ordered=True)
            read = read.set(at, read.field(at).with_type(ordered))
    return read


def _as_ordered(data: Any, schema: Any) -> Any:
    """Return a Table or a RecordBatch with the ordered dictionaries of a schema."""
    if data.schema.equals(schema):
        return data
    pairs = zip(data.columns, schema, strict=True)
    columns = [column if column.type == field.type else _ordered(column) for column, field in pairs]
    return type(data).from_arrays(columns, schema=schema)


def _ordered(column: Any) -> Any:
    pa = pyarrow()
    chunks = [
        pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary, ordered=True, safe=False)
        for chunk in chunks_in(column)
    ]
    return pa.chunked_array(chunks) if isinstance(column, pa.ChunkedArray) else chunks[0]


def _lost_types(given: Any, read: Any) -> Iterator[str]:
    """Yield what dictionaries lose where they are read as such, and not as pyarrow makes them by a cast."""
    old, new = ([leaf for field in schema for leaf in _leaf_types(field.type)] for schema in (given, read))
    pairs = [each for each in zip(old, new, strict=True) if all(map(pyarrow().types.is_dictionary, each))]
    if any(one.index_type != other.index_type for one, other in pairs):
        yield "the types of the indices of dictionaries"
    if any(one.ordered != other.ordered for one, other in pairs):
        yield "that the values of dictionaries are ordered"


def _leaf_types(type: Any) -> Iterator[Any]:
    """Yield the types inside a type that hold no others, each of them a column in Parquet."""
    if isinstance(type, pyarrow().BaseExtensionType):
        yield from _leaf_types(type.storage_type)
    elif not type.num_fields:
        yield type
    else:
        for field in map(type.field, range(type.num_fields)):
            yield from _leaf_types(field.type)


__all__ = ["ParquetReader"]
