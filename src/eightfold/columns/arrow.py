"""What comes in: anything with the Arrow PyCapsule interface, as arrays of pyarrow; and the buffers of arrays of text.

Values are never read by a library's own path for strings, which takes unchecked bytes for UTF-8; only buffers are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from eightfold.columns.values import BrokenColumnError, Column
from eightfold.extras import installing

_OFFSETS = {"string": 4, "binary": 4, "large_string": 8, "large_binary": 8}
_VIEWS = ("string_view", "binary_view")
_TEXT = ("string", "large_string", "string_view")
_BINARY_OF = {"string": "binary", "large_string": "large_binary", "string_view": "binary_view"}


def pyarrow() -> Any:
    """Return the module `pyarrow`.

    Raises:
        ModuleNotFoundError: it is not installed; the message says how to install it.

    >>> pyarrow().__name__
    'pyarrow'
    """
    return _module("pyarrow")


def compute() -> Any:
    """Return the module `pyarrow.compute`.

    Raises:
        ModuleNotFoundError: as for :func:`pyarrow`.

    >>> compute().__name__
    'pyarrow.compute'
    """
    return _module("pyarrow.compute")


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise ModuleNotFoundError(f"eightfold.columns needs pyarrow: {installing('arrow')}", name="pyarrow") from None


class Table(NamedTuple):
    """The columns of a table, or one column without a name.

    Attributes:
        names: the names, as text that can be shown.
        columns: a ChunkedArray for each.
        given: what to make of changed columns: the table, or None for a column.
    """

    names: tuple[str, ...]
    columns: tuple[Any, ...]
    given: Any


def table_of(data: Any) -> Table:
    """Return the columns of anything with the Arrow PyCapsule interface.

    Raises:
        TypeError: the object does not have it, or has a column of Python objects.
        ValueError: a str in a frame or a series of pandas has a surrogate, which Arrow cannot hold.

    >>> table_of(pyarrow().table({"name": ["a"]})).names
    ('name',)
    """
    pa = pyarrow()
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    elif not isinstance(data, pa.Table):
        data = _imported(data)
    if isinstance(data, pa.Table):
        fields = map(data.schema.field, range(data.num_columns))
        # A table gives its columns their names, and does not give them at all if one is ill-formed.
        numbered = data.rename_columns(list(map(str, range(data.num_columns))))
        return Table(tuple(map(name_of, fields)), tuple(numbered.columns), data)
    return Table(("",), (data,), None)


def _imported(data: Any) -> Any:
    pa = pyarrow()
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return chunked(data)
    if isinstance(data, pa.RecordBatchReader):
        return data.read_all()
    _check_polars(data)
    if hasattr(data, "__arrow_c_stream__"):
        with _naming_surrogates(data):
            try:
                return pa.RecordBatchReader.from_stream(data).read_all()
            except pa.ArrowInvalid:  # not of structs: a column
                return pa.chunked_array(data)
    if hasattr(data, "__arrow_c_array__"):
        return chunked(pa.array(data))
    raise TypeError(f"an object with the Arrow PyCapsule interface is required, not {type(data).__name__}")


def _check_polars(data: Any) -> None:
    """Refuse a frame or a series of polars that holds Python objects, of which Arrow gets the addresses as bytes.

    Raises:
        TypeError: in place of the addresses. ValueError: as for :func:`check_names`.
    """
    if type(data).__module__.partition(".")[0] != "polars":
        return
    types = data.schema if hasattr(data, "schema") else {data.name: data.dtype}
    for name, dtype in types.items():
        if str(dtype) == "Object":
            raise TypeError(f"column {name!r} holds Python objects, which Arrow cannot: use eightfold.columns.polars")
        check_names(name, dtype)


def check_names(name: str, dtype: Any) -> None:
    r"""Check the name of a column of polars, and those of the fields in its type: polars ends the process at some.

    Raises:
        ValueError: one has a null character.

    >>> check_names("a\0b", None)
    Traceback (most recent call last):
    ValueError: the name 'a\x00b' has a null character, which polars cannot give to Arrow: rename it
    """
    if "\0" in name:
        raise ValueError(f"the name {name!r} has a null character, which polars cannot give to Arrow: rename it")
    for field in getattr(dtype, "fields", ()):
        check_names(field.name, field.dtype)
    inner = getattr(dtype, "inner", None)
    if inner is not None:
        check_names("", inner)


@contextmanager
def _naming_surrogates(data: Any) -> Iterator[None]:
    """Name the column of a frame or a series of pandas that has a surrogate, where Arrow does not."""
    try:
        yield
    except UnicodeEncodeError as error:
        if type(data).__module__.partition(".")[0] != "pandas":
            raise
        what = f"has a surrogate, U+{ord(error.object[error.start]):04X}, which Arrow cannot hold"
        label = _column_with_surrogates(data)
        if label is None:
            raise ValueError(f"the index or the name of a column {what}") from None
        raise ValueError(f"column {label!r} {what}: use .eightfold of eightfold.columns.pandas") from None


def _column_with_surrogates(data: Any) -> str | None:
    """Return the label of the first column whose values have a surrogate; None if there is none."""
    for label, series in data.items() if hasattr(data, "columns") else [(data.name, data)]:
        try:
            pyarrow().array(series)
        except UnicodeEncodeError:
            return "" if label is None else str(label)
        except (pyarrow().ArrowException, TypeError, ValueError):  # another reason, so it is another column
            continue
    return None


def chunked(array: Any) -> Any:
    """Return an array as a ChunkedArray.

    >>> chunked(pyarrow().array([b"a"])).num_chunks
    1
    """
    pa = pyarrow()
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array], array.type)


def array_of(data: Any) -> Any:
    """Return an Array or a ChunkedArray of anything with the Arrow PyCapsule interface.

    Raises:
        TypeError: the object does not have it. ValueError: as for :func:`table_of`.

    >>> len(array_of(pyarrow().array([b"a"])))
    1
    """
    pa = pyarrow()
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return data
    _check_polars(data)
    if hasattr(data, "__arrow_c_stream__"):
        with _naming_surrogates(data):
            return pa.chunked_array(data)
    if hasattr(data, "__arrow_c_array__"):
        return pa.array(data)
    raise TypeError(f"an array with the Arrow PyCapsule interface is required, not {type(data).__name__}")


def chunks_of(array: Any) -> Iterator[Any]:
    """Yield the Arrays that an Array or a ChunkedArray consists of.

    >>> len(list(chunks_of(pyarrow().chunked_array([[b"a"], [b"b"]]))))
    2
    """
    pa = pyarrow()
    if isinstance(array, pa.ChunkedArray):
        yield from array.chunks
    else:
        yield array


def name_bytes(field: Any) -> bytes:
    r"""Return the name of a field, which pyarrow decodes as UTF-8, as its bytes.

    >>> name_bytes(pyarrow().field(b"\xff", pyarrow().int8()))
    b'\xff'
    """
    try:
        return str(field.name).encode()
    except UnicodeDecodeError as error:
        return bytes(error.object)


def name_of(field: Any) -> str:
    r"""Return the name of a field. An ill-formed one, which pyarrow does not decode, is shown with its bytes escaped.

    >>> name_of(pyarrow().field("name", pyarrow().binary()))
    'name'
    """
    return name_bytes(field).decode("utf-8", "backslashreplace")


# --- types ------------------------------------------------------------------------------------------------------------


def type_name(type: Any) -> str:
    """Return the name of a type of text or of binary values, whatever its size; an empty one for any other type.

    >>> type_name(pyarrow().string()), type_name(pyarrow().binary(16)), type_name(pyarrow().int8())
    ('string', 'fixed', '')
    """
    types = pyarrow().types
    for name in (*_OFFSETS, *_VIEWS):
        if getattr(types, f"is_{name}")(type):
            return name
    return "fixed" if types.is_fixed_size_binary(type) else ""


def is_text(type: Any) -> bool:
    """Return whether a type is one of strings, which hold UTF-8.

    >>> is_text(pyarrow().string()), is_text(pyarrow().binary())
    (True, False)
    """
    return type_name(type) in _TEXT


def is_text_dictionary(type: Any) -> bool:
    """Return whether a type is a dictionary of strings, and not one of lists or the like.

    >>> is_text_dictionary(pyarrow().dictionary(pyarrow().int32(), pyarrow().string()))
    True
    """
    return pyarrow().types.is_dictionary(type) and is_text(type.value_type)


def binary_type(type: Any) -> Any:
    """Return the type of binary values that has the buffers of a type of strings; any other type is returned unchanged.

    >>> binary_type(pyarrow().large_string())
    DataType(large_binary)
    """
    name = _BINARY_OF.get(type_name(type))
    return type if name is None else getattr(pyarrow(), name)()


# --- buffers ----------------------------------------------------------------------------------------------------------


def column_of(array: Any) -> Column:
    """Return the buffers of an array of text or of binary values.

    Raises:
        BrokenColumnError: a buffer has a negative size.

    >>> column_of(pyarrow().array(["a", "b"])[1:]).first
    1
    """
    name, buffers = type_name(array.type), array.buffers()
    for buffer in buffers:
        if buffer is not None and buffer.size < 0:
            raise BrokenColumnError(0, "a buffer has a negative size")
    first, count = array.offset, len(array)
    if name == "fixed":
        return Column("fixed", array.type.byte_width, None, tuple(buffers[1:]), buffers[0], first, count)
    kind, width = ("views", 16) if name in _VIEWS else ("offsets", _OFFSETS[name])
    return Column(kind, width, buffers[1], tuple(buffers[2:]), buffers[0], first, count)


def as_type(array: Any, type: Any) -> Any:
    """Return an array of text or of binary values, with its own buffers, under another type of the same layout.

    >>> as_type(pyarrow().array(["a"]), pyarrow().binary()).to_pylist()
    [b'a']
    """
    if array.type == type:
        return array
    if not len(array):  # its buffers may be empty although it begins behind their first value, which pyarrow refuses
        return pyarrow().nulls(0, type)
    return pyarrow().Array.from_buffers(type, len(array), array.buffers(), -1, array.offset)


def holds(type: Any, is_meant: Callable[[Any], bool]) -> bool:
    """Return whether a type is one that is meant, or contains one.

    >>> types = pyarrow().types
    >>> holds(pyarrow().list_(pyarrow().float32()), types.is_floating), holds(pyarrow().int8(), types.is_floating)
    (True, False)
    """
    return is_meant(type) or any(holds(inner, is_meant) for inner in types_in(type))


def types_in(type: Any) -> list[Any]:
    """Return the types directly inside a type.

    >>> types_in(pyarrow().dictionary(pyarrow().int8(), pyarrow().string()))
    [DataType(string)]
    """
    pa = pyarrow()
    if isinstance(type, pa.BaseExtensionType):
        return [type.storage_type]
    if pa.types.is_dictionary(type) or pa.types.is_run_end_encoded(type):
        return [type.value_type]
    return [type.field(at).type for at in range(type.num_fields)]


def no_rows(type: Any) -> Any:
    """Return an array of a type that has no rows.

    `pyarrow.nulls` makes runs inside lists that are invalid, and an extension type of a union whose storage ends the
    process when it is read; `pyarrow.array` does not make all types.

    >>> len(no_rows(pyarrow().list_(pyarrow().string())))
    0
    """
    pa, types = pyarrow(), pyarrow().types
    if isinstance(type, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(type, no_rows(type.storage_type))
    if types.is_dictionary(type):
        indices = pa.nulls(0, type.index_type)
        return pa.DictionaryArray.from_arrays(indices, no_rows(type.value_type), ordered=type.ordered)
    if not type.num_fields or types.is_list_view(type) or types.is_large_list_view(type):
        return pa.nulls(0, type)
    if types.is_union(type):
        places = [b""] * (2 if type.mode == "dense" else 1)
    else:
        has_offsets = types.is_list(type) or types.is_large_list(type) or types.is_map(type)
        places = [bytes(8)] if has_offsets else []
    inner = [no_rows(type.field(at).type) for at in range(type.num_fields)]
    return pa.Array.from_buffers(type, 0, [None, *map(pa.py_buffer, places)], children=inner)


def validity_of(array: Any, count: int) -> Any:
    """Return a validity buffer that begins with the first value of an array, or None if the array has none.

    >>> validity_of(pyarrow().array(["a"]), 1) is None
    True
    """
    if array.buffers()[0] is None:
        return None
    if array.offset == 0:
        return array.buffers()[0]
    pa = pyarrow()
    valid = pa.Array.from_buffers(pa.bool_(), count, [None, array.buffers()[0]], 0, array.offset)
    return pa.concat_arrays([valid, pa.array([], pa.bool_())]).buffers()[1]


__all__ = [
    "Table",
    "array_of",
    "as_type",
    "binary_type",
    "check_names",
    "chunked",
    "chunks_of",
    "column_of",
    "compute",
    "holds",
    "is_text",
    "is_text_dictionary",
    "name_bytes",
    "name_of",
    "no_rows",
    "pyarrow",
    "table_of",
    "type_name",
    "types_in",
    "validity_of",
]
