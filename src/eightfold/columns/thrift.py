r"""Values in the compact protocol of Thrift, as the footers of Parquet files hold them: read only, with their places.

Every length is checked against the bytes that are there, lists have a longest one, and only wanted fields are kept: of
a footer of a stranger, each byte may be a struct, which takes some hundred bytes.
Source: doc/specs/thrift-compact-protocol.md of Apache Thrift.

>>> fields = Reader(bytes.fromhex("1502 1803616263 1502 00")).struct({1: SCALAR, 2: SCALAR})
>>> fields[1], fields[2].data, 3 in fields
(1, b'abc', False)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

SCALAR = "scalar"
Shape: TypeAlias = "dict[int, Shape] | list[Shape] | str"
"""What is wanted: of a struct, the shapes of its fields by their numbers; of a list, the one of its elements in a list;
and SCALAR for a bool, an integer or bytes. What has another shape is passed over, as Thrift does."""

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT, _UUID = range(1, 14)
_DEEPEST = 24
_LONGEST_LIST = 1_000_000
"""How many values a list may have: pyarrow refuses footers with longer ones."""
_TOO_SHORT = "its metadata end too early"


class MalformedError(ValueError):
    r"""Raised where bytes are not a struct in the compact protocol.

    >>> Reader(b"\x18\x7f").struct({})
    Traceback (most recent call last):
    eightfold.columns.thrift.MalformedError: its metadata end too early
    """


class Span(NamedTuple):
    """Bytes, and where they stand together with the number before them that says how many there are.

    >>> Span(0, 2, b"a").data
    b'a'
    """

    start: int
    end: int
    data: bytes


class Struct(dict[int, Any]):
    """The fields of a struct by their numbers.

    Attributes:
        start: where the struct begins.

    >>> Struct(start=2).start
    2
    """

    __slots__ = ("start",)

    def __init__(self, start: int) -> None:
        super().__init__()
        self.start: int = start


class Reader:
    r"""Reads a struct among some bytes.

    Args:
        data: the bytes.
        start: where the struct begins.

    >>> Reader(b"\x00").struct({})
    {}
    """

    def __init__(self, data: bytes, start: int = 0) -> None:
        self._data = data
        self._at = start
        self._depth = 0
        self._readers: dict[int, Callable[[], Any]] = {
            _TRUE: self._flag,
            _FALSE: self._flag,
            _BYTE: lambda: self._taken(1),
            _I16: self._integer,
            _I32: self._integer,
            _I64: self._integer,
            _DOUBLE: lambda: self._taken(8),
            _BINARY: self._binary,
            _UUID: lambda: self._taken(16),
        }
        self._readers_inside: dict[int, Callable[[Shape | None], Any]] = {
            _LIST: self._list,
            _SET: self._list,
            _MAP: self._map,
            _STRUCT: self._fields,
        }

    def struct(self, wanted: dict[int, Shape]) -> Struct:
        """Return the wanted fields of a struct by their numbers: ints, bools, lists, structs and, for bytes, spans.

        Raises:
            MalformedError: the bytes end too early, or are nested too deeply.
        """
        fields: Struct = self._inside(_STRUCT, wanted)
        return fields

    def first_fields(self, wanted: dict[int, Shape]) -> Struct:
        r"""Return the wanted fields of a struct. What follows the last of them need not be there.

        Raises:
            MalformedError: as for :meth:`struct`.

        >>> Reader(b"\x15\x02\x15\x08\x18").first_fields({1: SCALAR, 2: SCALAR})
        {1: 1, 2: 4}
        """
        fields = Struct(self._at)
        for number, kind, _ in self._headers():
            if number <= max(wanted):
                self._take(fields, number, kind, wanted)
            if number >= max(wanted):
                break
        return fields

    def place(self, wanted: int) -> tuple[int, int]:
        r"""Return where the header of a field of the struct begins and ends.

        Raises:
            MalformedError: there is no such field, or as for :meth:`struct`.

        >>> Reader(b"\x15\x02\x15\x08\x00").place(2)
        (2, 3)
        """
        for number, kind, start in self._headers():
            if number == wanted:
                return start, self._at
            self._field(kind, None)
        raise MalformedError("its metadata have no such field")

    def _inside(self, kind: int, wanted: Shape | None) -> Any:
        """Read what may hold other values, and so may be nested."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise MalformedError("its metadata are nested too deeply")
        found = self._readers_inside[kind](wanted)
        self._depth -= 1
        return found

    def _fields(self, wanted: Shape | None) -> Struct | None:
        fields = Struct(self._at)
        shapes = wanted if isinstance(wanted, dict) else {}
        for number, kind, _ in self._headers():
            self._take(fields, number, kind, shapes)
        return None if shapes is not wanted else fields

    def _take(self, fields: Struct, number: int, kind: int, wanted: dict[int, Shape]) -> None:
        """Read a field, and keep it if it is wanted."""
        found = self._field(kind, wanted.get(number))
        if found is not None:
            fields[number] = found

    def _headers(self) -> Iterator[tuple[int, int, int]]:
        """Yield the number and the kind of each field of a struct, and where its header begins."""
        number, start = 0, self._at
        while header := self._byte():
            number = number + (header >> 4) if header >> 4 else self._integer()
            yield number, header & 15, start
            start = self._at

    def _field(self, kind: int, wanted: Shape | None) -> Any:
        """Read a field, whose kind says what a bool is; return None for one that has not the wanted shape."""
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE if wanted == SCALAR else None
        return self._value(kind, wanted)

    def _value(self, kind: int, wanted: Shape | None) -> Any:
        if kind in self._readers_inside:
            return self._inside(kind, wanted)
        read = self._readers.get(kind)
        if read is None:
            raise MalformedError("its metadata have a field of an unknown type")
        found = read()
        return found if wanted == SCALAR else None

    def _byte(self) -> int:
        at, self._at = self._at, self._at + 1
        if at >= len(self._data):
            raise MalformedError(_TOO_SHORT)
        return self._data[at]

    def _taken(self, length: int) -> bytes:
        start, self._at = self._at, self._at + length
        if self._at > len(self._data):
            raise MalformedError(_TOO_SHORT)
        return self._data[start : self._at]

    def _flag(self) -> bool:
        return self._byte() == _TRUE

    def _number(self) -> int:
        found = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
        raise MalformedError("its metadata have a number that is too long")

    def _integer(self) -> int:
        found = self._number()
        return found >> 1 ^ -(found & 1)

    def _binary(self) -> Span:
        start = self._at
        data = self._taken(self._number())
        return Span(start, self._at, data)

    def _list(self, wanted: Shape | None) -> list[Any] | None:
        header = self._byte()
        size = header >> 4 if header >> 4 < 15 else self._number()
        self._check_size(size)
        shape = wanted[0] if isinstance(wanted, list) else None
        values = (self._value(header & 15, shape) for _ in range(size))
        found = [value for value in values if value is not None]
        return None if shape is None else found

    def _map(self, _wanted: Shape | None) -> None:
        """Pass over a map: none is wanted."""
        size = self._number()
        self._check_size(size)
        kinds = self._byte() if size else 0
        for _ in range(size):
            self._value(kinds >> 4, None)
            self._value(kinds & 15, None)

    def _check_size(self, size: int) -> None:
        if size > _LONGEST_LIST:
            raise MalformedError("its metadata have a list that is too long")
        if size > len(self._data) - self._at:  # each value has a byte at least
            raise MalformedError(_TOO_SHORT)


def binary(data: bytes) -> bytes:
    r"""Return bytes with the number before them that says how many there are.

    >>> binary(b"abc")
    b'\x03abc'
    """
    length, number = len(data), bytearray()
    while length >= 128:
        number.append(length & 127 | 128)
        length >>= 7
    return bytes([*number, length]) + data


__all__ = ["SCALAR", "MalformedError", "Reader", "Shape", "Span", "Struct", "binary"]
