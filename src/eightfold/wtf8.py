r"""What WTF-8's specification offers beyond the verbs: joining, changing in place, 16-bit code units, a string type.

Everything here takes well-formed WTF-8; ill-formed input, a surrogate pair byte sequence too, is a DecodeError before
anything is written. For ill-formed input there is ``eightfold.convert(data, "wtf-8", "utf-8", "replace")``.

What is well-formed, and how a pair is joined, is not known here: the form's tables say it, through the verbs.

Source: WTF-8 sections 6.3 (code units), 6.4 (UTF-8) and 6.5 (concatenation).
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, final

from eightfold._engine import bind
from eightfold.forms import Form
from eightfold.forms.generalized_utf_8 import GENERALIZED_UTF_8
from eightfold.forms.utf_8 import CONTINUATION, UTF_8
from eightfold.forms.wtf_8 import PAIR, WTF_8
from eightfold.forms.wtf_16 import WTF_16_BE, WTF_16_LE
from eightfold.policy import check_offered
from eightfold.reference import Decoded, sequence_at
from eightfold.text import (
    Data,
    bytes_of,
    convert,
    decode,
    decode_code_points,
    encode,
    encode_code_points,
    faults,
    is_well_formed,
)

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
else:
    WriteableBuffer = bytearray | memoryview | array

_NATIVE_WTF_16 = WTF_16_LE if sys.byteorder == "little" else WTF_16_BE
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}".encode()
_PAIR_BYTES = len(PAIR.unit_ranges)
_SURROGATE_BYTES = _PAIR_BYTES // 2


def _well_formed(data: Data) -> bytes:
    """Return the bytes of well-formed WTF-8; raise the DecodeError of anything else."""
    content = bytes_of(data)
    if not is_well_formed(content, WTF_8):
        decode(content, WTF_8)
    return content


def concat(parts: Iterable[Data]) -> bytes:
    r"""Return WTF-8 strings as one: a lead that ends one and a trail that begins the next become one code point.

    Equals going to WTF-16, joining there, and coming back. An empty part between a lead and a trail is nothing between
    them. The cost is linear in the total size.

    Args:
        parts: any iterable of bytes-like objects, each of them well-formed WTF-8.

    Raises:
        DecodeError: a part is ill-formed; offsets count the bytes of that part.

    Source: WTF-8 section 6.5.

    >>> concat([b"\xed\xa0\xbd", b"", b"\xed\xb8\x80"])
    b'\xf0\x9f\x98\x80'
    """
    return joined(WTF_8, map(_well_formed, parts))


@bind
def joined(form: Form, parts: Iterable[bytes]) -> bytes:
    """Join parts that are known to be well-formed WTF-8; ``form`` is that form."""
    whole = bytearray()
    for part in parts:
        seam = bytes(whole[-_SURROGATE_BYTES:]) + part[:_SURROGATE_BYTES]
        # Six bytes that are one ill-formed unit: the surrogate pair byte sequence, which only a seam can bring about.
        if sequence_at(form, seam, 0) == Decoded(_PAIR_BYTES, None):
            whole[-_SURROGATE_BYTES:] = convert(seam, GENERALIZED_UTF_8, form)
            part = part[_SURROGATE_BYTES:]
        whole += part
    return bytes(whole)


def to_utf8(data: Data, errors: Literal["strict", "replace"] = "strict") -> bytes:
    r"""Return well-formed WTF-8 as UTF-8: the same bytes, and the very same object, where no surrogate is in them.

    Args:
        data: well-formed WTF-8.
        errors: ``strict``, or ``replace``, which writes U+FFFD for each surrogate and so keeps the length.

    Raises:
        ConversionError: there is a surrogate, and the policy is strict; the kind is ``unrepresentable``.
        DecodeError: the data are ill-formed.
        ValueError: another policy.

    Source: WTF-8 section 6.4.

    >>> to_utf8(b"a\xed\xa0\xbd", "replace")
    b'a\xef\xbf\xbd'
    """
    check_offered(errors, "strict", "replace")
    content = _well_formed(data)
    return content if is_well_formed(content, UTF_8) else convert(content, WTF_8, UTF_8, errors)


def replace_surrogates_in_place(buffer: WriteableBuffer) -> int:
    r"""Make well-formed WTF-8 in a writable buffer UTF-8: each surrogate becomes U+FFFD, which is as long.

    Args:
        buffer: a bytearray, memoryview, array, mmap or the like; bytes are counted in it, whatever its items are.

    Returns:
        How many surrogates there were.

    Raises:
        DecodeError: the buffer holds ill-formed WTF-8; nothing has been written.
        TypeError: it cannot be written to, or not as one row of bytes.

    Source: WTF-8 section 6.4.

    >>> buffer = bytearray(b"a\xed\xa0\xbd")
    >>> replace_surrogates_in_place(buffer), buffer
    (1, bytearray(b'a\xef\xbf\xbd'))
    """
    with memoryview(buffer) as view, _writable_bytes(view, type(buffer).__name__) as places:
        content = bytes(places)
        converted = to_utf8(content, "replace")
        if converted is content:
            return 0
        places[:] = converted
    # U+FFFD is what was put in, and may have been there before; its bytes stand in no other sequence.
    return converted.count(_REPLACEMENT) - content.count(_REPLACEMENT)


def _writable_bytes(view: memoryview, type_name: str) -> memoryview:
    if view.readonly:
        raise TypeError(f"surrogates are replaced in a writable buffer; this {type_name} is read-only")
    if view.c_contiguous:
        return view.cast("B")
    if view.ndim == 1 and view.format == "B":
        return view[:]
    raise TypeError(f"surrogates are replaced in one row of bytes; this {type_name} has gaps between larger items")


def from_code_units(units: Iterable[int]) -> bytes:
    r"""Return the WTF-8 of 16-bit code units, paired or not; every sequence of them has one.

    Args:
        units: any iterable of integers 0 to 0xFFFF. For bytes of WTF-16 there is :func:`eightfold.convert`.

    Raises:
        OverflowError: an integer is no 16-bit code unit.
        TypeError: it is no integer, or the units are bytes.

    Source: WTF-8 section 6.3.

    >>> from_code_units([0xD83D, 0xDE00, 0xD83D])
    b'\xf0\x9f\x98\x80\xed\xa0\xbd'
    """
    if isinstance(units, (bytes, bytearray)):
        raise TypeError('16-bit code units are integers; for bytes use convert(data, "wtf-16-le", "wtf-8")')
    # An array is copied as it is; all else is asked for its items, whatever its bytes may be.
    return convert(array("H", units if isinstance(units, array) else iter(units)), _NATIVE_WTF_16, WTF_8)


def to_code_units(data: Data) -> array[int]:
    r"""Return the 16-bit code units of well-formed WTF-8, as an array with typecode "H".

    Raises:
        DecodeError: the data are ill-formed.

    Source: WTF-8 section 6.3.

    >>> [hex(unit) for unit in to_code_units(b"\xf0\x9f\x98\x80\xed\xa0\xbd")]
    ['0xd83d', '0xde00', '0xd83d']
    """
    return array("H", convert(_well_formed(data), WTF_8, _NATIVE_WTF_16))


@final
@dataclass(frozen=True, order=True, slots=True, init=False, repr=False)
class Wtf8:
    r"""An immutable string of well-formed WTF-8: text in which surrogates may stand alone, never in pairs.

    Lengths and offsets count bytes. Joining with ``+`` and :meth:`join` makes a lead and a trail that meet one code
    point, so the parts cannot always be found in the whole. Order is that of code points, not of 16-bit code units. A
    Wtf8 equals no bytes and no str. It hashes, pickles and copies.

    Iterating gives code points, and searching finds code points: a supplementary one does not contain the surrogates
    by which UTF-16 writes it. What is found or split off begins and ends between code points, so it is well-formed.

    Args:
        data: well-formed WTF-8.

    Raises:
        DecodeError: the data are ill-formed.

    Source: WTF-8 section 6.

    >>> Wtf8(b"\xed\xa0\xbd") + Wtf8(b"\xed\xb8\x80")
    Wtf8(b'\xf0\x9f\x98\x80')
    """

    _data: bytes

    def __init__(self, data: Data = b"") -> None:
        object.__setattr__(self, "_data", _well_formed(data))

    @staticmethod
    def from_str(text: str) -> Wtf8:
        r"""Return the string with the code points of a str; a lead and a trail in it are joined.

        >>> Wtf8.from_str("a\ud83d")
        Wtf8(b'a\xed\xa0\xbd')
        """
        return _trusted(encode(text, WTF_8))

    @staticmethod
    def from_code_points(points: Iterable[SupportsIndex]) -> Wtf8:
        r"""Return the string with these code points; a lead and a trail among them are joined.

        Raises:
            ConversionError: one is above U+10FFFF; ``start`` is its index.

        >>> Wtf8.from_code_points([0xD83D, 0x61])
        Wtf8(b'\xed\xa0\xbda')
        """
        return _trusted(encode_code_points(points, WTF_8))

    @staticmethod
    def from_code_units(units: Iterable[int]) -> Wtf8:
        r"""Return the string with these 16-bit code units, as :func:`from_code_units`.

        >>> Wtf8.from_code_units([0xD83D, 0xDE00])
        Wtf8(b'\xf0\x9f\x98\x80')
        """
        return _trusted(from_code_units(units))

    def code_points(self) -> array[int]:
        r"""Return the code points, as an array with typecode "I".

        >>> Wtf8(b"\xed\xa0\xbda").code_points()
        array('I', [55357, 97])
        """
        return decode_code_points(self._data, WTF_8)

    def to_code_units(self) -> array[int]:
        r"""Return the 16-bit code units, as an array with typecode "H".

        >>> Wtf8(b"\xf0\x9f\x98\x80").to_code_units()
        array('H', [55357, 56832])
        """
        return to_code_units(self._data)

    def to_utf8(self, errors: Literal["strict", "replace"] = "strict") -> bytes:
        r"""Return the string as UTF-8, as :func:`to_utf8`.

        >>> Wtf8(b"a\xed\xa0\xbd").to_utf8("replace")
        b'a\xef\xbf\xbd'
        """
        return to_utf8(self._data, errors)

    def to_str(self, errors: Literal["strict", "replace"] = "strict") -> str:
        r"""Return the string as a str of Unicode text, without surrogates. ``str()`` keeps them.

        Args:
            errors: ``strict``, or ``replace``, which puts U+FFFD in the place of each surrogate.

        Raises:
            ConversionError: there is a surrogate, and the policy is strict.

        >>> Wtf8(b"a\xed\xa0\xbd").to_str("replace"), str(Wtf8(b"a\xed\xa0\xbd"))
        ('a�', 'a\ud83d')
        """
        return decode(self.to_utf8(errors), UTF_8)

    def join(self, parts: Iterable[Wtf8]) -> Wtf8:
        r"""Return the parts as one string with this one between them, as ``str.join``.

        >>> Wtf8(b", ").join([Wtf8(b"a"), Wtf8(b"b")])
        Wtf8(b'a, b')
        """
        pieces: list[bytes] = []
        for part in parts:
            if not isinstance(part, Wtf8):
                raise TypeError(f"only Wtf8 strings are joined, not {type(part).__name__}")
            pieces += (self._data, part._data)
        return _trusted(joined(WTF_8, pieces[1:]))

    def __add__(self, other: Wtf8) -> Wtf8:
        return _trusted(joined(WTF_8, (self._data, other._data))) if isinstance(other, Wtf8) else NotImplemented

    def __getitem__(self, cut: slice) -> Wtf8:
        r"""Return the string between two byte offsets.

        Raises:
            ValueError: an offset is inside a sequence, or the slice has a step.
            TypeError: the index is no slice.

        >>> Wtf8(b"\xc3\xa9!")[2:]
        Wtf8(b'!')
        """
        if not isinstance(cut, slice):
            raise TypeError(f"a Wtf8 is cut by slices of byte offsets, not indexed by {type(cut).__name__}")
        start, stop, step = cut.indices(len(self))
        if step != 1:
            raise ValueError(f"a Wtf8 is cut without a step, not with {step}")
        return _trusted(self._data[self._boundary(start) : self._boundary(stop)])

    def __iter__(self) -> Iterator[int]:
        r"""Iterate over the code points.

        >>> [hex(point) for point in Wtf8(b"a\xed\xa0\xbd")]
        ['0x61', '0xd83d']
        """
        return iter(self.code_points())

    def __contains__(self, part: Wtf8 | SupportsIndex) -> bool:
        r"""Say whether a string, or a code point, is in this one.

        Raises:
            ConversionError: the code point is above U+10FFFF, or negative.
            TypeError: it is neither.

        >>> 0xD83D in Wtf8(b"a\xed\xa0\xbd"), 0xD83D in Wtf8(b"\xf0\x9f\x98\x80")
        (True, False)
        """
        if isinstance(part, Wtf8):
            return part._data in self._data
        if hasattr(part, "__index__"):
            return encode_code_points((part,), WTF_8) in self._data
        raise TypeError(f"a Wtf8 contains Wtf8 strings and code points, not {type(part).__name__}")

    def find(self, part: Wtf8, start: int = 0, stop: int | None = None) -> int:
        r"""Return the byte offset at which a string is found first, or -1.

        Args:
            part: what to find.
            start, stop: byte offsets between which all of it must lie, counted as in a slice.

        Raises:
            ValueError: an offset is inside a sequence.
            TypeError: the part is no Wtf8.

        >>> Wtf8(b"\xc3\xa9\xed\xa0\xbd!").find(Wtf8(b"\xed\xa0\xbd"))
        2
        """
        first, last, _ = slice(start, stop).indices(len(self))
        # No sequence has the beginning of another inside it, so what bytes find are whole sequences.
        return self._data.find(_bytes_of(part), self._boundary(first), self._boundary(last))

    def startswith(self, part: Wtf8 | tuple[Wtf8, ...]) -> bool:
        r"""Say whether the string begins with another one, or with one of several.

        Raises:
            TypeError: one of them is no Wtf8.

        >>> Wtf8(b"\xf0\x9f\x98\x80").startswith(Wtf8(b"\xed\xa0\xbd"))
        False
        """
        return self._data.startswith(_each_bytes_of(part))

    def endswith(self, part: Wtf8 | tuple[Wtf8, ...]) -> bool:
        r"""Say whether the string ends with another one, or with one of several.

        Raises:
            TypeError: one of them is no Wtf8.

        >>> Wtf8(b"a\xed\xa0\xbd").endswith((Wtf8(b"b"), Wtf8(b"\xed\xa0\xbd")))
        True
        """
        return self._data.endswith(_each_bytes_of(part))

    def split(self, separator: Wtf8, maxsplit: int = -1) -> list[Wtf8]:
        r"""Return the strings between the places where a separator stands, as ``str.split`` with one.

        Joining them with the separator gives the string again.

        Args:
            separator: what stands between the parts.
            maxsplit: at how many places to split, from the left; -1 for all.

        Raises:
            ValueError: the separator is empty.
            TypeError: it is no Wtf8.

        >>> Wtf8(b"a, \xed\xa0\xbd").split(Wtf8(b", "))
        [Wtf8(b'a'), Wtf8(b'\xed\xa0\xbd')]
        """
        return [_trusted(part) for part in self._data.split(_bytes_of(separator), maxsplit)]

    def split_at_first_surrogate(self) -> tuple[Wtf8, Wtf8]:
        r"""Return the string in two: the Unicode text before its first surrogate, and what begins with that.

        Where there is no surrogate, the second is empty; ``to_str`` of the first never fails.

        >>> Wtf8(b"a\xed\xa0\xbdb").split_at_first_surrogate()
        (Wtf8(b'a'), Wtf8(b'\xed\xa0\xbdb'))
        """
        # Surrogates are all that is well-formed here and not in UTF-8.
        surrogate = next(faults(self._data, UTF_8, limit=1), None)
        at = len(self) if surrogate is None else surrogate.start
        return _trusted(self._data[:at]), _trusted(self._data[at:])

    def _boundary(self, offset: int) -> int:
        low, high = CONTINUATION
        if offset < len(self) and low <= self._data[offset] <= high:
            raise ValueError(f"byte offset {offset} is inside a sequence")
        return offset

    def __len__(self) -> int:
        return len(self._data)

    def __bytes__(self) -> bytes:
        return self._data

    def __str__(self) -> str:
        return decode(self._data, WTF_8)

    def __repr__(self) -> str:
        return f"Wtf8({self._data!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Wtf8, (self._data,)


def _bytes_of(part: Wtf8) -> bytes:
    if not isinstance(part, Wtf8):
        raise TypeError(f"a Wtf8 is searched for Wtf8 strings, not for {type(part).__name__}")
    return part._data


def _each_bytes_of(part: Wtf8 | tuple[Wtf8, ...]) -> tuple[bytes, ...]:
    return tuple(map(_bytes_of, part)) if isinstance(part, tuple) else (_bytes_of(part),)


def _trusted(data: bytes) -> Wtf8:
    """Return the string of bytes that are known to be well-formed."""
    string = object.__new__(Wtf8)
    object.__setattr__(string, "_data", data)
    return string


__all__ = [
    "Wtf8",
    "concat",
    "from_code_units",
    "replace_surrogates_in_place",
    "to_code_units",
    "to_utf8",
]
