"""What a Parquet file chose, beside its values: options by which a writer repeats it, and what a copy did not keep.

Writers choose anew for each row group, so all of them are looked at.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from io import BytesIO
from itertools import product
from operator import gt
from statistics import mode
from typing import Any

from eightfold.columns.footers import ARROW_SCHEMA


def _chunks(metadata: Any) -> Iterator[Any]:
    """Yield the metadata of the column chunks of all row groups, any of which can be the only one with a dictionary."""
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        yield from map(group.column, range(group.num_columns))


def options_like(metadata: Any, schema: Any, text_columns: set[int]) -> dict[str, Any]:
    """Return the options by which a writer repeats what a file chose, in whichever row group.

    Args:
        metadata: that of the file.
        schema: the schema of Arrow to write.
        text_columns: the numbers of the columns that hold strings.

    >>> from eightfold.columns.arrow import pyarrow
    >>> schema = pyarrow().schema({"a": pyarrow().uint32()})
    >>> options_like(_written(schema, version="1.0"), schema, set())["version"]
    '1.0'
    """
    chunks = list(_chunks(metadata))
    options: dict[str, Any] = {
        "use_dictionary": _paths(chunks, _uses_dictionary) or False,
        "write_statistics": _paths(chunks, lambda chunk: chunk.is_stats_set) or False,
        "use_compliant_nested_type": not _paths(chunks, lambda chunk: ".list.item" in chunk.path_in_schema),
        "use_deprecated_int96_timestamps": any(chunk.physical_type == "INT96" for chunk in chunks),
        "store_schema": ARROW_SCHEMA in (metadata.metadata or {}),
        "write_page_index": any(chunk.has_column_index or chunk.has_offset_index for chunk in chunks),
        **_bloom_filters(chunks),
    }
    if chunks:
        options["compression"] = _codecs(chunks)
        options["sorting_columns"] = _kept_order(metadata, text_columns)
    return {**_type_options(metadata, schema, options), **options}


def _paths(chunks: list[Any], is_meant: Callable[[Any], bool]) -> list[str]:
    """Return the paths of the columns that have a chunk of some kind."""
    return list(dict.fromkeys(chunk.path_in_schema for chunk in chunks if is_meant(chunk)))


def _codecs(chunks: list[Any]) -> str | dict[str, str]:
    """Return the compression of each column, that of most of its chunks; one word if it is the same for all."""
    found: dict[str, list[str]] = {}
    for chunk in chunks:
        found.setdefault(chunk.path_in_schema, []).append(_codec(chunk))
    codecs = {path: mode(each) for path, each in found.items()}
    return codecs if len(set(codecs.values())) > 1 else next(iter(codecs.values()))


_VERSIONS = ("1.0", "2.4", "2.6")
"""The versions of the format that pyarrow writes. Some types need a later one than that of files which have them."""


def _type_options(metadata: Any, schema: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that keep most of the types of a file: the least version of the format from its own on."""
    own = metadata.format_version
    kept = {name: options[name] for name in ("use_compliant_nested_type", "use_deprecated_int96_timestamps")}

    def changed(tried: dict[str, Any]) -> int:
        written = _written(schema, **tried, **kept)
        return sum(one != other for one, other in _elements(metadata, written))

    versions = _VERSIONS[_VERSIONS.index(own) if own in _VERSIONS else -1 :]
    tries = product(versions, (False, True))
    return min(({"version": each, "store_decimal_as_integer": is_number} for each, is_number in tries), key=changed)


def _written(schema: Any, **options: Any) -> Any:
    """Return the metadata of a file without rows."""
    target, parquet = BytesIO(), import_module("pyarrow.parquet")
    parquet.ParquetWriter(target, schema, **options).close()
    return parquet.read_metadata(BytesIO(target.getvalue()))


_FALSE_RATE, _VALUES_IN_A_BYTE = 0.001, 0.54
"""A rate of false answers, and how many distinct values a byte of a bloom filter has at it.

pyarrow makes filters smaller as long as the rate stays below the given one, so it is low.
"""


def _bloom_filters(chunks: list[Any]) -> dict[str, Any]:
    """Return the option that gives columns a bloom filter of the size that they had; nothing for an old pyarrow."""
    counts: dict[str, int] = {}
    for chunk in filter(_has_bloom_filter, chunks):
        path, size = chunk.path_in_schema, getattr(chunk, "bloom_filter_length", None)
        counts[path] = max(_distinct_values(size) if size else chunk.num_values, counts.get(path, 1))
    writer = import_module("pyarrow.parquet").ParquetWriter
    if not counts or "bloom_filter_options" not in inspect.signature(writer.__init__).parameters:
        return {}
    return {"bloom_filter_options": {path: {"ndv": count, "fpp": _FALSE_RATE} for path, count in counts.items()}}


def _distinct_values(size: int) -> int:
    """Return for how many values pyarrow makes a bloom filter of so many bytes, of which some are its header.

    >>> _distinct_values(2048 + 16)
    1105
    """
    power_of_two = 1 << max(5, size.bit_length() - 1)
    return int(power_of_two * _VALUES_IN_A_BYTE)


def _kept_order(metadata: Any, text_columns: set[int]) -> Any:
    """Return the declared sort order, unless it is one of strings, which a repair may break."""
    orders = set(_orders(metadata))
    order = orders.pop() if len(orders) == 1 else None
    return order if order and not text_columns.intersection(each.column_index for each in order) else None


def _codec(chunk: Any) -> str:
    return "none" if chunk.compression == "UNCOMPRESSED" else str(chunk.compression).lower()


def _uses_dictionary(chunk: Any) -> bool:
    return any(encoding.endswith("_DICTIONARY") for encoding in chunk.encodings)


def losses(old: Any, new: Any) -> Iterator[str]:
    """Yield what a copy did not keep, found by comparing the metadata of both files.

    >>> from eightfold.columns.arrow import pyarrow
    >>> old, new = (_written(pyarrow().schema({"a": each})) for each in (pyarrow().int64(), pyarrow().string()))
    >>> list(losses(old, new))
    ['type optional int64 of a: it is now optional binary (String)']
    """
    yield from _schema_losses(old, new)
    if own_metadata(old) != own_metadata(new):
        yield "key-value metadata"
    pairs = list(zip(_chunks(old), _chunks(new), strict=False))
    for lost, is_lost in _LOSSES.items():
        names = list(dict.fromkeys(a.path_in_schema for a, b in pairs if is_lost(a, b)))
        if names:
            yield f"{lost} of {listed(names)}"
    if _orders(old) != _orders(new):
        yield "the declared sort order"


def _schema_losses(old: Any, new: Any) -> Iterator[str]:
    """Yield the types that a copy did not keep, with the columns that had them."""
    if len(_lines(old)) != len(_lines(new)):
        yield "types or names inside the Parquet schema"
        return
    names: set[tuple[str, str]] = set()
    types: dict[tuple[str, str], list[str]] = {}
    for (name, before), (renamed, after) in (map(_named_type, each) for each in _elements(old, new)):
        if name != renamed:
            names.add((name, renamed))
        if before != after:
            types.setdefault((before, after), []).append(name)
    for name, renamed in sorted(names):
        yield f"the name {name} inside the Parquet schema: it is now {renamed}"
    for (before, after), columns in types.items():
        yield f"type {before} of {listed(columns)}: it is now {after}"


_MEANS_NOTHING = re.compile(
    r" \(Int\(bitWidth=(32|64), isSigned=true\)\)|, is_from_converted_type=\w+, force_set_converted_type=\w+"
)
"""What pyarrow shows of a type that would be the same without it."""


def _lines(metadata: Any) -> list[str]:
    """Return the schema of a file as pyarrow shows it, an element a line."""
    return _MEANS_NOTHING.sub("", str(metadata.schema)).splitlines()[1:]


def _elements(one: Any, other: Any) -> Iterator[tuple[str, str]]:
    yield from zip(_lines(one), _lines(other), strict=False)


_ELEMENT = re.compile(r"\s*(?P<type>\w+ \S+ field_id=-?\d+) (?P<name>.*?)(?P<logical>(?: \([A-Z].*\))?)(?:;| \{)")


def _named_type(line: str) -> tuple[str, str]:
    """Return the name and the type in a line of a schema.

    >>> _named_type("  required fixed_len_byte_array(12) field_id=-1 span (Interval);")
    ('span', 'required fixed_len_byte_array(12) (Interval)')
    """
    found = _ELEMENT.fullmatch(line)
    if found is None:
        return "", line.strip()
    return found["name"], found["type"].removesuffix(" field_id=-1") + found["logical"]


def listed(names: list[str]) -> str:
    """Return the first names of a list, for a message.

    >>> listed(["a", "b", "c", "d"])
    'a, b, c …'
    """
    return f"{', '.join(names[:3])}{' …' if names[3:] else ''}"


def _orders(metadata: Any) -> list[Any]:
    return [metadata.row_group(group).sorting_columns for group in range(metadata.num_row_groups)]


def own_metadata(metadata: Any) -> dict[bytes, bytes]:
    """Return the key-value metadata of a file without the schema of Arrow.

    >>> from eightfold.columns.arrow import pyarrow
    >>> schema = pyarrow().schema({"a": pyarrow().int8()}, metadata={"origin": "here"})
    >>> own_metadata(_written(schema))
    {b'origin': b'here'}
    """
    return {key: value for key, value in (metadata.metadata or {}).items() if key != ARROW_SCHEMA}


_LOSSES: dict[str, Callable[[Any, Any], bool]] = {
    "compression": lambda old, new: old.compression != new.compression,
    "encodings": lambda old, new: not _encodings(old) <= _encodings(new),
    "statistics": lambda old, new: old.is_stats_set and not new.is_stats_set,
    "the page index": lambda old, new: any(map(gt, _page_index(old), _page_index(new))),
}


def _page_index(chunk: Any) -> tuple[bool, bool]:
    return chunk.has_column_index, chunk.has_offset_index


def _has_bloom_filter(chunk: Any) -> bool:
    return getattr(chunk, "bloom_filter_offset", None) is not None


def _encodings(chunk: Any) -> set[str]:
    """Return the encodings of values, without those of levels and those that writers fall back to."""
    names = {encoding.replace("PLAIN_DICTIONARY", "RLE_DICTIONARY") for encoding in chunk.encodings}
    return names - {"PLAIN", "RLE", "BIT_PACKED"}


__all__ = ["listed", "losses", "options_like", "own_metadata"]
