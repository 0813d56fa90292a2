"""The text in the footer of a Parquet file: names of columns, key-value metadata, and statistics of strings.

A footer is a struct in the compact protocol of Thrift, in which nothing counts bytes but the number before each text,
so a text is changed by splicing.
Source: src/main/thrift/parquet.thrift of Apache Parquet Format.
"""

from __future__ import annotations

import io
import struct
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

from eightfold.columns.arrow import pyarrow
from eightfold.columns.schemas import KEY, NAME, VALUE, AlikeError, Text, texts_of, with_texts
from eightfold.columns.thrift import SCALAR, MalformedError, Reader, Shape, Span, Struct, binary
from eightfold.files.records.table_changes import TextChange

_MAGIC = b"PAR1"
_TAIL = struct.Struct("<I4s")

_SCHEMA, _ROW_GROUPS, _PAIRS, _CREATED_BY = 2, 4, 5, 6
"""Fields of FileMetaData: schema, row_groups, key_value_metadata and created_by."""
_ELEMENT_NAME, _CHILD_COUNT, _CONVERTED_TYPE, _LOGICAL_TYPE = 4, 5, 6, 10
"""Fields of SchemaElement: name, num_children, converted_type and logicalType."""
_PAIR_KEY, _PAIR_VALUE = 1, 2
"""Fields of KeyValue."""
_CHUNKS = 1
"""A field of RowGroup: columns."""
_CHUNK_METADATA, _INDEX_OFFSET, _INDEX_LENGTH = 3, 6, 7
"""Fields of ColumnChunk: meta_data, column_index_offset and column_index_length."""
_CHUNK_PATH, _VALUE_COUNT, _CHUNK_PAIRS, _DATA_PAGE_OFFSET, _CHUNK_STATISTICS, _BLOOM_OFFSET = 3, 5, 8, 9, 12, 14
"""Fields of ColumnMetaData: path_in_schema, num_values, key_value_metadata, data_page_offset, statistics and
bloom_filter_offset."""
_TEXT_TYPES = (0, 4, 19)
"""ConvertedType UTF8, ENUM and JSON."""
_TEXT_LOGICAL_TYPES = (1, 4, 12)
"""Fields of LogicalType: STRING, ENUM and JSON."""
_ENUM, _LOGICAL_ENUM = 4, 4
"""ConvertedType ENUM, and the field ENUM of LogicalType."""
_STATISTICS = {1: "max", 2: "min", 5: "max_value", 6: "min_value"}
"""Fields of Statistics."""
_PAGE_BOUNDS = {2: "min_values", 3: "max_values"}
"""Fields of ColumnIndex."""

_PAIR_SHAPES: list[Shape] = [{_PAIR_KEY: SCALAR, _PAIR_VALUE: SCALAR}]
_ELEMENT_SHAPE: Shape = {
    _ELEMENT_NAME: SCALAR,
    _CHILD_COUNT: SCALAR,
    _CONVERTED_TYPE: SCALAR,
    _LOGICAL_TYPE: {field: {} for field in _TEXT_LOGICAL_TYPES},
}
_CHUNK_SHAPE: Shape = {
    _CHUNK_METADATA: {
        _CHUNK_PATH: [SCALAR],
        _VALUE_COUNT: SCALAR,
        _CHUNK_PAIRS: _PAIR_SHAPES,
        _DATA_PAGE_OFFSET: SCALAR,
        _CHUNK_STATISTICS: dict.fromkeys(_STATISTICS, SCALAR),
        _BLOOM_OFFSET: SCALAR,
    },
    _INDEX_OFFSET: SCALAR,
    _INDEX_LENGTH: SCALAR,
}
_FOOTER_SHAPE: dict[int, Shape] = {
    _SCHEMA: [_ELEMENT_SHAPE],
    _ROW_GROUPS: [{_CHUNKS: [_CHUNK_SHAPE]}],
    _PAIRS: _PAIR_SHAPES,
    _CREATED_BY: SCALAR,
}

_DEEPEST = 128
"""How deep a schema may be: deeper than pyarrow reads one, and not so deep that the paths take much memory."""
ARROW_SCHEMA = b"ARROW:schema"
"""The key under which writers of Arrow keep their own schema."""
CREATED_BY = "created by"


class Statistic(NamedTuple):
    """A bound in the statistics of a column of strings.

    Attributes:
        top: the number of the column of the table, from 0.
        path: the path of the column in the file.
        group: the row group.
        name: which bound it is.
        data: its bytes.

    >>> Statistic(3, "tags.list.element", 0, "max_value", b"z").group
    0
    """

    top: int
    path: str
    group: int
    name: str
    data: bytes


class PageIndex(NamedTuple):
    """Where a file has the bounds of the pages of a column of strings.

    Attributes:
        top, path, group: as those of a :class:`Statistic`.
        start, length: the place in the file.

    >>> PageIndex(3, "name", 0, 4, 20).length
    20
    """

    top: int
    path: str
    group: int
    start: int
    length: int

    def bounds(self, file: BinaryIO) -> Iterator[Statistic]:
        """Yield the bounds, read from the file.

        Raises:
            MalformedError: there are none at this place.
        """
        file.seek(self.start)
        fields = Reader(file.read(self.length)).struct({field: [SCALAR] for field in _PAGE_BOUNDS})
        for field, name in _PAGE_BOUNDS.items():
            found = fields.get(field)
            for page, bound in enumerate(found if isinstance(found, list) else ()):
                if isinstance(bound, Span):
                    yield Statistic(self.top, self.path, self.group, f"{name} of page {page}", bound.data)


class _Column(NamedTuple):
    """An element of the schema that has values, with the number of the column of the table that it is of."""

    top: int
    path: tuple[bytes, ...]
    shown: str
    element: dict[int, Any]


class Footer:
    r"""The footer of a Parquet file.

    Args:
        data: its bytes, without their number and the magic bytes.
        start: where it begins in the file.

    Raises:
        MalformedError: it is not a footer.

    >>> from eightfold.columns.thrift import binary
    >>> footer = Footer(b"\x29\x1c\x48" + binary(b"name") + bytes(2), 4)
    >>> [text.data for text in footer.texts]
    [b'name']
    """

    def __init__(self, data: bytes, start: int) -> None:
        self.data = data
        self.start = start
        self._fields = Reader(data).struct(_FOOTER_SHAPE)
        self._elements = _structs(self._fields.get(_SCHEMA))
        self._pairs = _structs(self._fields.get(_PAIRS))
        self._spans: list[tuple[Text, Span]] = list(self._texts())

    @property
    def texts(self) -> list[Text]:
        """The texts that a repair changes: names of columns, keys and values."""
        return [text for text, _ in self._spans]

    def all_texts(self) -> Iterator[Text]:
        """Yield the texts, those of column chunks, and those of the schema of Arrow that are not among them."""
        known = {text.data for text in self.texts}
        yield from self.texts
        yield from self.chunk_texts()
        for data in self._arrow_schemas():
            for text in _arrow_texts(data):
                if text.data not in known:
                    yield Text(f"Arrow schema, {text.place}", text.data)

    def _arrow_schemas(self) -> Iterator[bytes]:
        for pair in self._pairs:
            if _bytes(pair.get(_PAIR_KEY)) == ARROW_SCHEMA:
                yield _bytes(pair.get(_PAIR_VALUE))

    def chunk_texts(self) -> Iterator[Text]:
        """Yield the keys and values of the metadata that column chunks have, row group by row group."""
        for number, column, chunk in self._chunks():
            if pairs := _structs(_struct(chunk.get(_CHUNK_METADATA)).get(_CHUNK_PAIRS)):
                owner = f"row group {number}, column {column.shown}, "
                yield from (text for text, _ in _of_pairs(owner, pairs))

    def _texts(self) -> Iterator[tuple[Text, Span]]:
        for at, element in enumerate(self._elements):
            yield from _placed(f"{NAME} {at}", element.get(_ELEMENT_NAME))
        yield from _of_pairs("", self._pairs)
        yield from _placed(CREATED_BY, self._fields.get(_CREATED_BY))

    def _tree(self, new: Mapping[str, bytes] | None = None) -> Iterator[tuple[tuple[bytes, ...], dict[int, Any]]]:
        """Yield each element of the schema but the root, with its path, in which some names may be others.

        Raises:
            MalformedError: the schema is nested too deeply.
        """
        above: list[tuple[tuple[bytes, ...], int]] = []
        for at, element in islice(enumerate(self._elements), 1, None):
            while above and not above[-1][1]:
                above.pop()
            path: tuple[bytes, ...] = ()
            if above:
                path, left = above.pop()
                above.append((path, left - 1))
            if len(path) == _DEEPEST:
                raise MalformedError("its schema is nested too deeply")
            path = (*path, (new or {}).get(f"{NAME} {at}", _bytes(element.get(_ELEMENT_NAME))))
            yield path, element
            if element.get(_CHILD_COUNT):
                above.append((path, _count(element.get(_CHILD_COUNT))))

    def _columns(self, new: Mapping[str, bytes] | None = None) -> list[_Column]:
        """Return the elements that have values."""
        top, found = -1, []
        for path, element in self._tree(new):
            top += len(path) == 1
            if not element.get(_CHILD_COUNT):
                found.append(_Column(top, path, _shown(path), element))
        return found

    def statistics(self) -> Iterator[Statistic]:
        """Yield the bounds of the columns of strings, row group by row group."""
        for number, column, chunk in self._text_chunks():
            known = _struct(_struct(chunk.get(_CHUNK_METADATA)).get(_CHUNK_STATISTICS))
            for field, name in _STATISTICS.items():
                if isinstance(known.get(field), Span):
                    yield Statistic(column.top, column.shown, number, name, known[field].data)

    def page_indexes(self) -> Iterator[PageIndex]:
        """Yield where the bounds of the pages of the columns of strings are, row group by row group."""
        for number, column, chunk in self._text_chunks():
            start, length = _count(chunk.get(_INDEX_OFFSET)), _count(chunk.get(_INDEX_LENGTH))
            if start > 0 and length > 0:
                yield PageIndex(column.top, column.shown, number, start, length)

    @property
    def bloom_filters(self) -> list[str]:
        """The paths of the columns that have a bloom filter in any row group."""
        has_one = (each for each in self._chunks() if _BLOOM_OFFSET in _struct(each[2].get(_CHUNK_METADATA)))
        return list(dict.fromkeys(column.shown for _, column, _ in has_one))

    def data_pages(self) -> Iterator[int]:
        """Yield where the first data page of each column chunk that has values begins."""
        for _, _, chunk in self._chunks():
            metadata = _struct(chunk.get(_CHUNK_METADATA))
            start = _count(metadata.get(_DATA_PAGE_OFFSET))
            if start > 0 and _count(metadata.get(_VALUE_COUNT)) > 0:
                yield start

    def _text_chunks(self) -> Iterator[tuple[int, _Column, dict[int, Any]]]:
        """Yield the column chunks of strings: the row group, the column, the fields."""
        return (each for each in self._chunks() if _is_text(each[1].element))

    def _chunks(self) -> Iterator[tuple[int, _Column, dict[int, Any]]]:
        """Yield the column chunks: the row group, the column, the fields."""
        columns = self._columns()
        for number, group in enumerate(_structs(self._fields.get(_ROW_GROUPS))):
            for column, chunk in zip(columns, _structs(group.get(_CHUNKS)), strict=False):
                yield number, column, chunk

    @property
    def arrow_schema_place(self) -> str | None:
        """The place of the schema of Arrow; None if there is none."""
        for at, pair in enumerate(self._pairs):
            if _bytes(pair.get(_PAIR_KEY)) == ARROW_SCHEMA:
                return f"{VALUE} {at}"
        return None

    @property
    def text_columns(self) -> set[int]:
        """The numbers of the columns that hold strings."""
        return {number for number, column in enumerate(self._columns()) if _is_text(column.element)}

    @property
    def enums(self) -> list[str]:
        """The paths of the columns that hold values of an ENUM."""
        return [column.shown for column in self._columns() if _is_enum(column.element)]

    def changed(self, new: Mapping[str, bytes]) -> bytes:
        """Return the footer with other texts, by their places; the paths of columns follow their names.

        Each ENUM becomes a STRING in it. Both are text in UTF-8, but pyarrow reads an ENUM as binary values.

        Raises:
            AlikeError: two columns that have different names would have the same one, or so would two keys.
        """
        before, after = list(self._tree()), list(self._tree(new))
        if len({path for path, _ in after}) < len({path for path, _ in before}):
            raise AlikeError("two columns would have the same name")
        if len(set(self._keys(new))) < len(set(self._keys())):
            raise AlikeError("two keys of metadata would be the same")
        edits = [(span, new[text.place]) for text, span in self._spans if text.place in new]
        return _spliced(self._with_strings(), [*edits, *self._path_edits(new)])

    def _with_strings(self) -> bytes:
        """Return the bytes with each ENUM made a STRING, in the same places."""
        data = bytearray(self.data)
        for element in filter(_is_enum, self._elements):
            if element.get(_CONVERTED_TYPE) == _ENUM:
                _, at = Reader(self.data, element.start).place(_CONVERTED_TYPE)
                data[at] &= 128  # UTF8 is 0
            logical = element.get(_LOGICAL_TYPE)
            if isinstance(logical, Struct) and _LOGICAL_ENUM in logical:
                start, end = Reader(self.data, logical.start).place(_LOGICAL_ENUM)
                # The number of a field is in its header, or in zigzag behind it. STRING has 1.
                at, kept, number = (start, 15, 1 << 4) if end == start + 1 else (start + 1, 128, 1 << 1)
                data[at] = data[at] & kept | number
        return bytes(data)

    @property
    def repeats_a_key(self) -> bool:
        """Whether two pairs of the key-value metadata have the same key: pyarrow keeps the first of them."""
        keys = self._keys()
        return len(set(keys)) < len(keys)

    def _keys(self, new: Mapping[str, bytes] | None = None) -> list[bytes]:
        return [(new or {}).get(text.place, text.data) for text in self.texts if text.place.startswith(KEY)]

    def _path_edits(self, new: Mapping[str, bytes]) -> Iterator[tuple[Span, bytes]]:
        """Yield the names that change in the paths of column chunks."""
        paths = [column.path for column in self._columns(new)]
        for group in _structs(self._fields.get(_ROW_GROUPS)):
            for chunk, path in zip(_structs(group.get(_CHUNKS)), paths, strict=False):
                parts = _struct(chunk.get(_CHUNK_METADATA)).get(_CHUNK_PATH)
                for part, name in zip(parts if isinstance(parts, list) else (), path, strict=False):
                    if isinstance(part, Span) and part.data != name:
                        yield part, name


def read_footer(file: BinaryIO) -> Footer | None:
    """Return the footer of a Parquet file; None for a file without one that can be read, which pyarrow refuses.

    Raises:
        MalformedError: the footer is malformed.
    """
    end = file.seek(0, io.SEEK_END)
    file.seek(max(0, end - _TAIL.size))
    tail = file.read(_TAIL.size)
    if len(tail) < _TAIL.size:
        return None
    size, magic = _TAIL.unpack(tail)
    start = end - _TAIL.size - size
    if magic != _MAGIC or start < len(_MAGIC):
        return None
    file.seek(start)
    return Footer(file.read(size), start)


def footer_in(data: bytes) -> Footer:
    """Return the footer in the end of a Parquet file.

    Raises:
        MalformedError: it has none.
    """
    footer = read_footer(io.BytesIO(_MAGIC + data))
    if footer is None:
        raise MalformedError("it has no footer")
    return footer


def put_back_in(data: bytes, changes: Iterable[TextChange]) -> bytes:
    """Return the end of a Parquet file, with its footer, in which texts are what they were before changes.

    Raises:
        MalformedError: it has no footer, or a text is not what the changes say.
    """
    footer = footer_in(data)
    there = {text.place: text.data for text in footer.texts}
    schema = footer.arrow_schema_place
    new = {}
    for change in changes:
        is_schema = _is_schema(change)
        place = schema if is_schema else change.place
        if place is None or (there.get(place) != change.new and not is_schema):
            raise MalformedError(f"{change.place} cannot be put back: pyarrow wrote another one")
        new[place] = change.old
    return data[: footer.start - len(_MAGIC)] + ended(footer.changed(new))


def _is_schema(change: TextChange) -> bool:
    """Return whether a change is one of the schema of Arrow, which each version of pyarrow may write in its own way."""
    return change.place.startswith(VALUE) and bool(_arrow_texts(change.new))


def ended(footer: bytes) -> bytes:
    """Return a footer as it stands at the end of a file.

    >>> ended(b"").hex()
    '0000000050415231'
    """
    return footer + _TAIL.pack(len(footer), _MAGIC)


def repaired_texts(footer: Footer, repaired: Callable[[bytes], bytes]) -> dict[str, bytes]:
    """Return new texts for those that change, by their places; the schema of Arrow is repaired inside.

    Args:
        footer: the footer.
        repaired: returns a text as it should be.
    """
    new = {}
    is_schema = False
    for text in footer.texts:
        if is_schema and text.place.startswith(VALUE):
            changed = _repaired_schema(text.data, repaired)
        else:
            changed = repaired(text.data)
        is_schema = text.place.startswith(KEY) and text.data == ARROW_SCHEMA
        if changed != text.data:
            new[text.place] = changed
    return new


def _repaired_schema(data: bytes, repaired: Callable[[bytes], bytes]) -> bytes:
    """Return a schema of Arrow in base64 with its texts repaired; what is none is repaired as it is."""
    schema = _arrow_schema(data)
    if schema is None:
        return repaired(data)
    new = with_texts(schema, lambda text: repaired(text.data))
    return data if new is schema else b64encode(new.serialize().to_pybytes())


def _arrow_schema(data: bytes) -> Any:
    """Return the schema of Arrow that a text holds in base64; None if it holds none."""
    pa = pyarrow()
    try:
        return pa.ipc.read_schema(pa.py_buffer(b64decode(data, validate=True)))
    except (pa.ArrowException, ValueError, OSError):
        return None


def _arrow_texts(data: bytes) -> list[Text]:
    schema = _arrow_schema(data)
    return [] if schema is None else texts_of(schema)


def _spliced(data: bytes, edits: Iterable[tuple[Span, bytes]]) -> bytes:
    parts, at = [], 0
    for span, new in sorted(edits, key=lambda edit: edit[0].start):
        parts += [data[at : span.start], binary(new)]
        at = span.end
    return b"".join([*parts, data[at:]])


def _of_pairs(owner: str, pairs: Iterable[Mapping[int, Any]]) -> Iterator[tuple[Text, Span]]:
    for at, pair in enumerate(pairs):
        yield from _placed(f"{owner}{KEY} {at}", pair.get(_PAIR_KEY))
        yield from _placed(f"{owner}{VALUE} {at}", pair.get(_PAIR_VALUE))


def _placed(place: str, found: Any) -> Iterator[tuple[Text, Span]]:
    if isinstance(found, Span):
        yield Text(place, found.data), found


def _structs(found: Any) -> list[Struct]:
    return [each for each in found if isinstance(each, Struct)] if isinstance(found, list) else []


def _struct(found: Any) -> dict[int, Any]:
    return found if isinstance(found, dict) else {}


def _count(found: Any) -> int:
    return found if isinstance(found, int) else 0


def _bytes(found: Any) -> bytes:
    return found.data if isinstance(found, Span) else b""


def _is_enum(element: Mapping[int, Any]) -> bool:
    return element.get(_CONVERTED_TYPE) == _ENUM or _LOGICAL_ENUM in _struct(element.get(_LOGICAL_TYPE))


def _is_text(element: Mapping[int, Any]) -> bool:
    logical = _struct(element.get(_LOGICAL_TYPE))
    return element.get(_CONVERTED_TYPE) in _TEXT_TYPES or any(field in _TEXT_LOGICAL_TYPES for field in logical)


def _shown(path: Iterable[bytes]) -> str:
    return ".".join(part.decode("utf-8", "backslashreplace") for part in path)


__all__ = [
    "ARROW_SCHEMA",
    "CREATED_BY",
    "Footer",
    "PageIndex",
    "Statistic",
    "ended",
    "footer_in",
    "put_back_in",
    "read_footer",
    "repaired_texts",
]
