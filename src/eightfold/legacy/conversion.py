"""A conversion with a charset at one end, or at both: it reads, applies the policy, and writes, through a str."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from eightfold.faults import ConversionError, DecodeError, Fault
from eightfold.forms import Form
from eightfold.legacy.charsets import Charset
from eightfold.legacy.decoding import CharsetDecoder, Piece
from eightfold.reference import signed
from eightfold.stream import Decoder, Encoder
from eightfold.text import encode

POLICIES = ("strict", "replace", "ignore", "backslashreplace", "xmlcharrefreplace", "namereplace")
"""The policies of a conversion with a charset at one end; Python applies the last two to encoding only."""
_OF_ENCODING = POLICIES[-2:]


class CharsetConverter:
    r"""Converts piece by piece if one end is a charset, or both; through a str, as Python does.

    Args:
        source, target: the ends; a charset or a form.
        errors: one of :data:`POLICIES`. Python applies it to both directions; one that it has for encoding only leaves
            ill-formed input an error.

    Raises:
        ValueError: another policy.

    >>> from eightfold.forms import form
    >>> from eightfold.legacy import charset
    >>> converter = CharsetConverter(charset("windows-1252"), form("utf-8"))
    >>> converter.convert(b"caf\xe9 \x80", final=True).decode()
    'caf\xe9 \u20ac'
    """

    def __init__(self, source: Form, target: Form, errors: str = "strict") -> None:
        if errors not in POLICIES:
            raise ValueError(f"errors={errors!r} is not for legacy charsets, which take {', '.join(POLICIES)}")
        self._names = source.name, target.name
        reading = "strict" if errors in _OF_ENCODING else errors
        self._reader = _reader(source, reading)
        self._encoder = _encoder(target, errors)
        self.before: tuple[int, bytes] = 0, b""
        """After an error: how many bytes of the input are before it, and what they became beyond what was returned."""

    def convert(self, chunk: bytes, final: bool = False) -> bytes:
        """Convert as many bytes as possible; the last call also ends a stateful target with its reset sequence.

        Raises:
            ConversionError: they cannot be converted; then :attr:`before` has the rest, and the converter is done.
        """
        results: list[bytes] = []
        for found in self._reader.texts(chunk, final=final):
            if isinstance(found, Fault):
                results.append(self._encoder.encode("", True))
                raise self._error(found, results)
            results.append(self._written(found, results))
        if final:
            results.append(self._encoder.encode("", True))
        return b"".join(results)

    def _written(self, found: Text, results: list[bytes]) -> bytes:
        state = self._encoder.getstate()
        try:
            return bytes(self._encoder.encode(found.text))
        except UnicodeEncodeError as error:
            index = max(0, error.start - len(error.object) + len(found.text))
            start, end = found.span(index)
            point = ord(error.object[error.start])
            self._encoder.setstate(state)
            results.append(self._encoder.encode(found.text[:index], True))
            target = self._names[1]
            raise self._error(Fault("unrepresentable", target, start, end, b"", point, "target"), results) from None

    def _error(self, fault: Fault, results: list[bytes]) -> ConversionError:
        self.before = fault.start, b"".join(results)
        return ConversionError(*self._names, fault.start, fault.end, fault)


class Text(NamedTuple):
    """Text that was read, and a function that returns where the bytes of a character in it begin and end."""

    text: str
    span: Callable[[int], tuple[int, int]]


def _encoder(target: Form, errors: str) -> Any:
    if isinstance(target, Charset):
        encoder = codecs.getincrementalencoder(target.codec)(errors)
        return _TildesApart(encoder) if target.codec == "hz" else encoder
    return Encoder(target, errors)


class _TildesApart:
    """Python's encoder of HZ, given each ``~`` by itself: it may write one byte for two where its buffer ends."""

    def __init__(self, encoder: codecs.IncrementalEncoder) -> None:
        self._encoder = encoder
        self.getstate = encoder.getstate
        self.setstate = encoder.setstate

    def encode(self, text: str, final: bool = False) -> bytes:
        """Return the bytes of a text; the last call ends with the return to ASCII."""
        written, at = [], 0
        for part in re.split("(~)", text):
            try:
                written.append(self._encoder.encode(part))
            except UnicodeEncodeError as error:
                index = max(0, at + error.start - len(error.object) + len(part))
                raise UnicodeEncodeError(error.encoding, text, index, index + 1, error.reason) from None
            at += len(part)
        if final:
            written.append(self._encoder.encode("", True))
        return b"".join(written)


def _reader(source: Form, errors: str) -> _FormReader | _CharsetReader | _LenientReader:
    if not isinstance(source, Charset):
        return _FormReader(source, errors)
    is_lenient = errors != "strict" and not source.has_escapes
    return _LenientReader(source, errors) if is_lenient else _CharsetReader(source, errors)


class _LenientReader:
    """Text from a charset by Python's decoder and handlers, which are faster; nothing stops, so no place is needed."""

    def __init__(self, charset: Charset, errors: str) -> None:
        self._decoder = codecs.getincrementaldecoder(charset.codec)(errors)

    def texts(self, chunk: bytes, *, final: bool) -> Iterator[Text | Fault]:
        yield Text(self._decoder.decode(chunk, final), partial(_always, (0, 0)))


class _CharsetReader:
    """Text from a charset, under a policy."""

    def __init__(self, charset: Charset, errors: str) -> None:
        self._charset = charset
        self._decoder = CharsetDecoder(charset)
        self._handle = None if errors == "strict" else codecs.lookup_error(errors)

    def texts(self, chunk: bytes, *, final: bool) -> Iterator[Text | Fault]:
        for found in self._decoder.pieces(chunk, final=final):
            if isinstance(found, Piece):
                yield Text(found.text, partial(found.span, self._charset))
            elif self._handle is None:
                yield found
            else:
                units, place = found.units, (found.start, found.end)
                error = UnicodeDecodeError(self._charset.codec, units, 0, len(units), found.kind)
                yield Text(str(self._handle(error)[0]), partial(_always, place))


def _always(place: tuple[int, int], index: int) -> tuple[int, int]:
    return place


class _FormReader:
    """Text from a form of the family, under a policy."""

    def __init__(self, form: Form, errors: str) -> None:
        self._form = form
        self._decoder = Decoder(form, errors)
        self._passed = 0

    def texts(self, chunk: bytes, *, final: bool) -> Iterator[Text | Fault]:
        try:
            text = self._decoder.decode(chunk, final)
        except DecodeError as error:
            offset, fault = self._passed + len(chunk) - len(error.object), error.fault
            self._decoder.setstate((b"", self._decoder.getstate()[1]))
            yield self._text(self._decoder.decode(error.object[: error.start], True), offset + error.start)
            assert fault is not None, "an error of a decoder has its fault"
            yield fault.moved(offset)
            return
        self._passed += len(chunk)
        yield self._text(text, self._passed - len(self._decoder.getstate()[0]))

    def _text(self, text: str, end: int) -> Text:
        return Text(text, partial(self._span, text, end))

    def _span(self, text: str, end: int, index: int) -> tuple[int, int]:
        """Return where a code point is: rows are one to one, so its offset is found from the end back."""
        plain, _ = signed(self._form)
        behind = [len(encode(text[at:], plain, "surrogatepass")) for at in (index, index + 1)]
        return end - behind[0], end - behind[1]
