r"""Operations of the WTF-8 specification beyond the verbs: concatenation, in-place change, code units, a string type.

Everything here takes well-formed WTF-8. Ill-formed input, including a surrogate pair byte sequence, raises a
DecodeError before anything is written; for such input use ``eightfold.convert(data, "wtf-8", "utf-8", "replace")``.

This file does not know what is well-formed or how a pair is joined: it calls the verbs, which use the form's tables.

Source: WTF-8 sections 6.3 (code units), 6.4 (UTF-8) and 6.5 (concatenation).
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, final

from eightfold._engine import bind
from eightfold.arguments import Data, bytes_of
from eightfold.faults import immutable
from eightfold.forms import Form
from eightfold.forms.generalized_utf_8 import GENERALIZED_UTF_8
from eightfold.forms.utf_8 import CONTINUATION, UTF_8
from eightfold.forms.wtf_8 import PAIR, WTF_8
from eightfold.forms.wtf_16 import WTF_16_BE, WTF_16_LE
from eightfold.policy import check_offered
from eightfold.reference import Decoded, sequence_at
from eightfold.text import convert, decode, decode_code_points, encode, encode_code_points, faults, is_well_formed

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
else:
    WriteableBuffer = bytearray | memoryview | array

_NATIVE_WTF_16 = WTF_16_LE if sys.byteorder == "little" else WTF_16_BE
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}".encode()
_PAIR_BYTES = len(PAIR.unit_ranges)
_SURROGATE_BYTES = _PAIR_BYTES // 2


def _well_formed(data: Data) -> bytes:
    """Return the bytes of well-formed WTF-8; raise a DecodeError for ill-formed input."""
    content = bytes_of(data)
    if not is_well_formed(content, WTF_8):
        decode(content, WTF_8)
    return content


def concat(parts: Iterable[Data]) -> bytes:
    r"""Concatenate WTF-8 strings; a lead at the end of one and a trail at the start of the next become one code point.

    The result equals conversion to WTF-16, concatenation, and conversion back. An empty part between a lead and a trail
    does not separate them. The cost is linear in the total size.

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
    """Concatenate parts known to be well-formed WTF-8; ``form`` is the form ``wtf-8``."""
    whole = bytearray()
    for part in parts:
        seam = bytes(whole[-_SURROGATE_BYTES:]) + part[:_SURROGATE_BYTES]
        # Six bytes that are one ill-formed unit are a surrogate pair byte sequence, which occurs only at a seam.
        if sequence_at(form, seam, 0) == Decoded(_PAIR_BYTES, None):
            whole[-_SURROGATE_BYTES:] = convert(seam, GENERALIZED_UTF_8, form)
            part = part[_SURROGATE_BYTES:]
        whole += part
    return bytes(whole)


def to_utf8(data: Data, errors: Literal["strict", "replace"] = "strict") -> bytes:
    r"""Convert well-formed WTF-8 to UTF-8. A `bytes` object without surrogates is returned unchanged.

    Args:
        data: well-formed WTF-8.
        errors: ``strict``, or ``replace``, which writes U+FFFD for each surrogate and so keeps the length.

    Raises:
        ConversionError: the data contain a surrogate, and the policy is strict; the kind is ``unrepresentable``.
        DecodeError: the data are ill-formed.
        ValueError: the policy is neither of these.

    Source: WTF-8 section 6.4.

    >>> to_utf8(b"a\xed\xa0\xbd", "replace")
    b'a\xef\xbf\xbd'
    """
    check_offered(errors, "strict", "replace")
    content = _well_formed(data)
    return content if is_well_formed(content, UTF_8) else convert(content, WTF_8, UTF_8, errors)


def replace_surrogates_in_place(buffer: WriteableBuffer) -> int:
    r"""Convert well-formed WTF-8 to UTF-8 in a writable buffer: replace each surrogate with U+FFFD, of equal length.

    Args:
        buffer: a bytearray, memoryview, array, mmap or similar; offsets count bytes, whatever the item type.

    Returns:
        The number of surrogates replaced.

    Raises:
        DecodeError: the buffer contains ill-formed WTF-8; nothing has been written.
        TypeError: the buffer is read-only, is not a contiguous sequence of bytes, or holds references to objects.

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
    # U+FFFD may have occurred before, so compare the counts; its bytes do not occur inside other sequences.
    return converted.count(_REPLACEMENT) - content.count(_REPLACEMENT)


def _writable_bytes(view: memoryview, type_name: str) -> memoryview:
    if view.readonly:
        raise TypeError(f"the buffer must be writable; this {type_name} is read-only")
    if view.format.lstrip("@") == "O":
        # Bytes written over references would crash the interpreter.
        raise TypeError(f"the buffer must be one of bytes or numbers; this {type_name} holds references to objects")
    if view.c_contiguous:
        return view.cast("B")
    if view.ndim == 1 and view.format == "B":
        return view[:]
    raise TypeError(f"the buffer must be contiguous; this {type_name} has gaps between larger items")


def from_code_units(units: Iterable[int]) -> bytes:
    r"""Return 16-bit code units as WTF-8; surrogates may be paired or not, and every sequence can be converted.

    Args:
        units: any iterable of integers from 0 to 0xFFFF. For bytes of WTF-16, use :func:`eightfold.convert`.

    Raises:
        OverflowError: an integer is not a 16-bit code unit.
        TypeError: an item is not an integer, or the units are bytes.

    Source: WTF-8 section 6.3.

    >>> from_code_units([0xD83D, 0xDE00, 0xD83D])
    b'\xf0\x9f\x98\x80\xed\xa0\xbd'
    """
    if isinstance(units, (bytes, bytearray)) or (isinstance(units, memoryview) and units.itemsize == 1):
        raise TypeError('16-bit code units must be integers; for bytes use convert(data, "wtf-16-le", "wtf-8")')
    # An array is copied directly; any other object is iterated, even if it supports the buffer protocol.
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
@immutable
@dataclass(frozen=True, order=True, slots=True, init=False, repr=False)
class Wtf8:
    r"""An immutable string of well-formed WTF-8: text that may contain unpaired surrogates, but not surrogate pairs.

    Lengths and offsets count bytes. Concatenation with ``+`` and :meth:`join` combines a lead and a trail that meet
    into one code point, so the result does not always contain the parts. Strings sort by code points, not by 16-bit
    code units. A Wtf8 never equals bytes or a str. It can be hashed, pickled and copied.

    Iteration yields code points, and searching compares code points: a supplementary code point does not contain the
    surrogates that UTF-16 uses for it. Results of searching and splitting begin and end between code points, so they
    are well-formed.

    Args:
        data: well-formed WTF-8.

    Raises:
        DecodeError: the data are ill-formed.
        TypeError: the data are not bytes-like; of a str, :meth:`from_str` makes one.

    Source: WTF-8 section 6.

    >>> Wtf8(b"\xed\xa0\xbd") + Wtf8(b"\xed\xb8\x80")
    Wtf8(b'\xf0\x9f\x98\x80')
    """

    _data: bytes

    def __init__(self, data: Data = b"") -> None:
        if isinstance(data, str):
            raise TypeError("Wtf8 takes bytes, not str: for a str use Wtf8.from_str")
        object.__setattr__(self, "_data", _well_formed(data))

    @staticmethod
    def from_str(text: str) -> Wtf8:
        r"""Return the string with the code points of a str; a lead followed by a trail is joined.

        >>> Wtf8.from_str("a\ud83d")
        Wtf8(b'a\xed\xa0\xbd')
        """
        return _trusted(encode(text, WTF_8))

    @staticmethod
    def from_code_points(points: Iterable[SupportsIndex]) -> Wtf8:
        r"""Return the string with these code points; a lead followed by a trail is joined.

        Raises:
            ConversionError: a code point is above U+10FFFF; ``start`` is its index.

        >>> Wtf8.from_code_points([0xD83D, 0x61])
        Wtf8(b'\xed\xa0\xbda')
        """
        return _trusted(encode_code_points(points, WTF_8))

    @staticmethod
    def from_code_units(units: Iterable[int]) -> Wtf8:
        r"""Return the string with these 16-bit code units; see :func:`from_code_units`.

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
        r"""Return the string as UTF-8; see :func:`to_utf8`.

        >>> Wtf8(b"a\xed\xa0\xbd").to_utf8("replace")
        b'a\xef\xbf\xbd'
        """
        return to_utf8(self._data, errors)

    def to_str(self, errors: Literal["strict", "replace"] = "strict") -> str:
        r"""Return the string as a str without surrogates; ``str()`` keeps them.

        Args:
            errors: ``strict``, or ``replace``, which replaces each surrogate with U+FFFD.

        Raises:
            ConversionError: the string contains a surrogate, and the policy is strict.

        >>> Wtf8(b"a\xed\xa0\xbd").to_str("replace"), str(Wtf8(b"a\xed\xa0\xbd"))
        ('a�', 'a\ud83d')
        """
        return decode(self.to_utf8(errors), UTF_8)

    def join(self, parts: Iterable[Wtf8]) -> Wtf8:
        r"""Concatenate the parts with this string between them, like ``str.join``.

        >>> Wtf8(b", ").join([Wtf8(b"a"), Wtf8(b"b")])
        Wtf8(b'a, b')
        """
        pieces: list[bytes] = []
        for part in parts:
            if not isinstance(part, Wtf8):
                raise TypeError(f"parts must be Wtf8 strings, not {type(part).__name__}")
            pieces += (self._data, part._data)
        return _trusted(joined(WTF_8, pieces[1:]))

    def __add__(self, other: Wtf8) -> Wtf8:
        return _trusted(joined(WTF_8, (self._data, other._data))) if isinstance(other, Wtf8) else NotImplemented

    def __getitem__(self, cut: slice) -> Wtf8:
        r"""Return the string between two byte offsets.

        Raises:
            ValueError: an offset is inside a sequence, or the slice has a step.
            TypeError: the index is not a slice.

        >>> Wtf8(b"\xc3\xa9!")[2:]
        Wtf8(b'!')
        """
        if not isinstance(cut, slice):
            raise TypeError(f"a Wtf8 takes slices of byte offsets, not an index of type {type(cut).__name__}")
        start, stop, step = cut.indices(len(self))
        if step != 1:
            raise ValueError(f"a slice of a Wtf8 must have step 1, not {step}")
        return _trusted(self._data[self._boundary(start) : self._boundary(stop)])

    def __iter__(self) -> Iterator[int]:
        r"""Iterate over the code points.

        >>> [hex(point) for point in Wtf8(b"a\xed\xa0\xbd")]
        ['0x61', '0xd83d']
        """
        return iter(self.code_points())

    def __contains__(self, part: Wtf8 | SupportsIndex) -> bool:
        r"""Return whether the string contains another one, or a code point.

        Raises:
            ConversionError: the code point is above U+10FFFF, or negative.
            TypeError: the argument is neither a Wtf8 nor an integer.

        >>> 0xD83D in Wtf8(b"a\xed\xa0\xbd"), 0xD83D in Wtf8(b"\xf0\x9f\x98\x80")
        (True, False)
        """
        if isinstance(part, Wtf8):
            return part._data in self._data
        if hasattr(part, "__index__"):
            return encode_code_points((part,), WTF_8) in self._data
        raise TypeError(f"a Wtf8 can contain a Wtf8 or a code point, not {type(part).__name__}")

    def find(self, part: Wtf8, start: int = 0, stop: int | None = None) -> int:
        r"""Return the lowest byte offset at which a string is found, or -1.

        Args:
            part: the string to find.
            start, stop: byte offsets that limit the search, interpreted as in slice notation.

        Raises:
            ValueError: an offset is inside a sequence.
            TypeError: the part is not a Wtf8.

        >>> Wtf8(b"\xc3\xa9\xed\xa0\xbd!").find(Wtf8(b"\xed\xa0\xbd"))
        2
        """
        first, last, _ = slice(start, stop).indices(len(self))
        # No sequence begins inside another, so searching for bytes finds whole sequences.
        return self._data.find(_bytes_of(part), self._boundary(first), self._boundary(last))

    def startswith(self, part: Wtf8 | tuple[Wtf8, ...]) -> bool:
        r"""Return whether the string begins with another one, or with one of several.

        Raises:
            TypeError: a part is not a Wtf8.

        >>> Wtf8(b"\xf0\x9f\x98\x80").startswith(Wtf8(b"\xed\xa0\xbd"))
        False
        """
        return self._data.startswith(_each_bytes_of(part))

    def endswith(self, part: Wtf8 | tuple[Wtf8, ...]) -> bool:
        r"""Return whether the string ends with another one, or with one of several.

        Raises:
            TypeError: a part is not a Wtf8.

        >>> Wtf8(b"a\xed\xa0\xbd").endswith((Wtf8(b"b"), Wtf8(b"\xed\xa0\xbd")))
        True
        """
        return self._data.endswith(_each_bytes_of(part))

    def split(self, separator: Wtf8, maxsplit: int = -1) -> list[Wtf8]:
        r"""Split the string at each separator, like ``str.split`` with a separator.

        Joining the parts with the separator restores the string.

        Args:
            separator: the separator.
            maxsplit: the maximum number of splits, from the left; -1 for no limit.

        Raises:
            ValueError: the separator is empty.
            TypeError: the separator is not a Wtf8.

        >>> Wtf8(b"a, \xed\xa0\xbd").split(Wtf8(b", "))
        [Wtf8(b'a'), Wtf8(b'\xed\xa0\xbd')]
        """
        return [_trusted(part) for part in self._data.split(_bytes_of(separator), maxsplit)]

    def split_at_first_surrogate(self) -> tuple[Wtf8, Wtf8]:
        r"""Split the string before its first surrogate.

        Without a surrogate the second part is empty. ``to_str`` of the first part never fails.

        >>> Wtf8(b"a\xed\xa0\xbdb").split_at_first_surrogate()
        (Wtf8(b'a'), Wtf8(b'\xed\xa0\xbdb'))
        """
        # Only surrogates are well-formed in WTF-8 but not in UTF-8.
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
        raise TypeError(f"expected a Wtf8, not {type(part).__name__}")
    return part._data


def _each_bytes_of(part: Wtf8 | tuple[Wtf8, ...]) -> tuple[bytes, ...]:
    return tuple(map(_bytes_of, part)) if isinstance(part, tuple) else (_bytes_of(part),)


def _trusted(data: bytes) -> Wtf8:
    """Return the string with bytes that are known to be well-formed, without a check."""
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
