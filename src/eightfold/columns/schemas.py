r"""The text in a schema of Arrow: names of columns, and key-value metadata; and a schema with other text in it.

>>> pa = pyarrow()
>>> schema = pa.schema([pa.field(b"caf\xe9", pa.int8())], metadata={"origin": "here"})
>>> [text.data for text in texts_of(schema)]
[b'caf\xe9', b'origin', b'here']
>>> with_texts(schema, lambda text: text.data.decode("latin-1").encode()).names
['café']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from eightfold.columns.arrow import name_bytes, pyarrow

NAME, KEY, VALUE = "column name", "metadata key", "metadata value"
"""What the places of texts begin with; a number follows."""
KEY_TWICE = "its metadata have a key twice, and pyarrow gives one of the values only"
_EXTENSION = b"ARROW:extension:"
_ENUM = b"_PL_ENUM_VALUES2"
"""The key under which polars keeps the categories of an Enum, each behind the number of its bytes: `2;ok3;caf`."""
_CATEGORY = re.compile(rb"(\d{1,10});")


class Text(NamedTuple):
    """A text beside the values of a table.

    Attributes:
        place: where it is, unique in its table.
        data: its bytes.

    >>> Text("column name 1", b"name").place
    'column name 1'
    """

    place: str
    data: bytes


class AlikeError(ValueError):
    """Two texts that differ would become the same, and may not: names of columns in one place, or keys of metadata."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}; the policy escape keeps them apart")


Answer = Callable[[Text], bytes]
"""Returns what a text becomes."""


def texts_of(schema: Any) -> list[Text]:
    """Return the texts of a schema, in order; the metadata of extension types, which may be any bytes, are none.

    >>> [text.place for text in texts_of(pyarrow().schema({"a": pyarrow().list_(pyarrow().int8())}))]
    ['column name 0', 'column name 1']
    """
    return _noted(lambda note: with_texts(schema, note))


def texts_of_pairs(pairs: Any, owner: str) -> list[Text]:
    """Return the texts of key-value metadata beside a schema, in order; see :func:`with_pairs`.

    >>> [text.place for text in texts_of_pairs({b"origin": b"here"}, "footer")]
    ['footer, metadata key 0', 'footer, metadata value 0']
    """
    return _noted(lambda note: with_pairs(pairs, owner, note))


def _noted(rewrite: Callable[[Answer], object]) -> list[Text]:
    found: list[Text] = []

    def note(text: Text) -> bytes:
        found.append(text)
        return text.data

    rewrite(note)
    return found


def check_keys(schema: Any) -> None:
    """Check that no metadata of a schema have a key twice: of such pairs pyarrow gives the first only.

    Raises:
        ValueError: some have.

    >>> check_keys(pyarrow().schema({"a": pyarrow().int8()}, metadata={"origin": "here"}))
    """
    for each in (schema, *_fields_in(schema)):
        if not each.equals(each.with_metadata(each.metadata), check_metadata=True):
            raise ValueError(KEY_TWICE)


def _fields_in(owner: Any) -> Iterator[Any]:
    """Yield the fields of a schema or of a type, and those inside them."""
    count = owner.num_fields if hasattr(owner, "num_fields") else len(owner)
    for field in map(owner.field, range(count)):
        yield field
        yield from _fields_in(field.type)


def with_texts(schema: Any, answer: Answer) -> Any:
    """Return a schema with each text replaced; the same object if none changes.

    >>> pa = pyarrow()
    >>> with_texts(pa.schema({"a": pa.int8()}), lambda text: text.data.upper()).names
    ['A']
    """
    return _Rewriting(answer).schema(schema)


def with_pairs(pairs: Any, owner: str, answer: Answer) -> Any:
    """Return key-value metadata beside a schema with each text replaced; the same object if none changes.

    Args:
        pairs: a dict or a KeyValueMetadata; None if there is none.
        owner: what has the metadata, as places begin with it.
        answer: returns what a text becomes.

    >>> dict(with_pairs({b"origin": b"here"}, "footer", lambda text: text.data.upper()))
    {b'ORIGIN': b'HERE'}
    """
    return _Rewriting(lambda text: answer(Text(f"{owner}, {text.place}", text.data))).pairs(pairs)


class _Rewriting:
    """One pass over a schema."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._names = self._pairs = 0

    def schema(self, schema: Any) -> Any:
        old = [schema.field(at) for at in range(len(schema))]
        new = self._fields(old)
        given = schema.metadata
        metadata = self.pairs(given)
        if all(one is other for one, other in zip(old, new, strict=True)) and metadata is given:
            return schema
        return pyarrow().schema(new, metadata=metadata)

    def _fields(self, old: list[Any]) -> list[Any]:
        new = [self._field(field) for field in old]
        if len(set(map(name_bytes, new))) < len(set(map(name_bytes, old))):
            raise AlikeError("two columns would have the same name")
        return new

    def _field(self, field: Any) -> Any:
        before = name_bytes(field)
        name = self._answer(Text(f"{NAME} {self._names}", before))
        self._names += 1
        old, given = field.type, field.metadata
        type, metadata = self._type(old), self.pairs(given)
        if name == before and type is old and metadata is given:
            return field
        return pyarrow().field(name, type, field.nullable, metadata)

    def pairs(self, pairs: Any) -> Any:
        if pairs is None:
            return None
        old = list(pairs.items())
        new = [self._pair(*pair) for pair in old]
        if len({key for key, _ in new}) < len({key for key, _ in old}):
            raise AlikeError("two keys of metadata would be the same")
        return pairs if new == old else pyarrow().KeyValueMetadata(new)

    def _pair(self, key: bytes, value: bytes) -> tuple[bytes, bytes]:
        if key.startswith(_EXTENSION):
            return key, value
        number = self._pairs
        self._pairs += 1
        return self._answer(Text(f"{KEY} {number}", key)), self._value(f"{VALUE} {number}", key, value)

    def _value(self, place: str, key: bytes, value: bytes) -> bytes:
        old = _categories(value) if key == _ENUM else None
        if old is None:
            return self._answer(Text(place, value))
        new = [self._answer(Text(f"{place}, category {at}", each)) for at, each in enumerate(old)]
        if len(set(new)) < len(old):
            raise AlikeError("two categories of an Enum would be the same")
        return _with_sizes(new)

    def _type(self, type: Any) -> Any:
        """Return a type with the names inside it replaced."""
        if isinstance(type, pyarrow().BaseExtensionType) or not type.num_fields:
            return type
        old = [type.field(at) for at in range(type.num_fields)]
        new = self._fields(old)
        return type if all(one is other for one, other in zip(old, new, strict=True)) else type_with(type, new)


def _categories(value: bytes) -> list[bytes] | None:
    """Return the categories in metadata of polars; None if they are not written as it writes them, each once."""
    found: dict[bytes, None] = {}
    at = 0
    while at < len(value):
        size = _CATEGORY.match(value, at)
        if size is None:
            return None
        at = size.end() + int(size[1])
        category = value[size.end() : at]
        if at > len(value) or category in found:
            return None
        found[category] = None
    return list(found) if value == _with_sizes(found) else None


def _with_sizes(categories: Iterable[bytes]) -> bytes:
    return b"".join(b"%d;%b" % (len(each), each) for each in categories)


def type_with(type: Any, fields: list[Any]) -> Any:
    """Return a nested type with other fields.

    Raises:
        TypeError: it is none that can be made of fields.

    >>> pa = pyarrow()
    >>> type_with(pa.struct({"a": pa.int8()}), [pa.field("b", pa.int8())])
    StructType(struct<b: int8>)
    """
    pa, types = pyarrow(), pyarrow().types
    if types.is_struct(type):
        return pa.struct(fields)
    if types.is_fixed_size_list(type):
        return pa.list_(fields[0], type.list_size)
    if types.is_list(type) or types.is_large_list(type):
        return (pa.large_list if types.is_large_list(type) else pa.list_)(fields[0])
    if types.is_map(type):
        return pa.map_(fields[0].type.field(0), fields[0].type.field(1), keys_sorted=type.keys_sorted)
    if types.is_union(type):
        return pa.union(fields, type.mode, type.type_codes)
    raise TypeError(f"ill-formed names inside {type.id} are not supported")


__all__ = [
    "KEY",
    "KEY_TWICE",
    "NAME",
    "VALUE",
    "AlikeError",
    "Answer",
    "Text",
    "check_keys",
    "texts_of",
    "texts_of_pairs",
    "type_with",
    "with_pairs",
    "with_texts",
]
