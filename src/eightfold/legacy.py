r"""Legacy charsets at the edges: the character sets of Python's registry, as the source or the target of a conversion.

They are *foreign*: Python's codecs define them, they are not forms of the family, and nothing that eightfold guarantees
about forms holds for them. A name means what it means in Python; :attr:`Charset.web_name` says where the Encoding
standard of the web means another charset by it.

Text in such a charset is decoded strictly, sequence by sequence, and policies are applied here: Python's incremental
decoders of ISO 2022 fail on an unfinished escape sequence at the end of a piece, whatever the policy.

Source: the modules of Python's :mod:`encodings`; WHATWG Encoding, section 4.2 (names and labels).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from encodings import normalize_encoding
from encodings.aliases import aliases
from functools import cache, partial
from typing import Any, NamedTuple

from eightfold.faults import UNITS_KEPT, ConversionError, DecodeError, Fault, Kind
from eightfold.forms import Form, Row
from eightfold.reference import signed
from eightfold.stream import Decoder, Encoder
from eightfold.text import encode

_NAMES = (
    *("ascii", "big5", "big5-hkscs", "cp037", "cp273", "cp424", "cp437", "cp500", "cp720", "cp737", "cp775", "cp850"),
    *("cp852", "cp855", "cp856", "cp857", "cp858", "cp860", "cp861", "cp862", "cp863", "cp864", "cp865", "cp866"),
    *("cp869", "cp874", "cp875", "cp932", "cp949", "cp950", "cp1006", "cp1026", "cp1125", "cp1140", "euc-jis-2004"),
    *("euc-jisx0213", "euc-jp", "euc-kr", "gb18030", "gb2312", "gbk", "hp-roman8", "hz", "iso-2022-jp"),
    *("iso-2022-jp-1", "iso-2022-jp-2", "iso-2022-jp-2004", "iso-2022-jp-3", "iso-2022-jp-ext", "iso-2022-kr"),
    *("iso-8859-1", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8"),
    *("iso-8859-9", "iso-8859-10", "iso-8859-11", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "johab"),
    *("koi8-r", "koi8-t", "koi8-u", "kz-1048", "mac-arabic", "mac-croatian", "mac-cyrillic", "mac-farsi", "mac-greek"),
    *("mac-iceland", "mac-latin2", "mac-romanian", "mac-turkish", "macintosh", "palmos", "ptcp154", "shift_jis"),
    *("shift-jis-2004", "shift-jisx0213", "tis-620", "windows-1250", "windows-1251", "windows-1252", "windows-1253"),
    *("windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258"),
)
"""The charsets, by names that Python knows too; none of its other codecs is one."""
_ON_THE_WEB = {
    "ascii": "windows-1252",
    "big5": "big5-hkscs",
    "euc-kr": "cp949",
    "gb2312": "gbk",
    "iso-8859-1": "windows-1252",
    "iso-8859-11": "cp874",
    "iso-8859-9": "windows-1254",
    "shift_jis": "cp932",
    "tis-620": "cp874",
}
"""The charsets whose names are labels of another charset in the Encoding standard; all of them there are larger."""

POLICIES = ("strict", "replace", "ignore", "backslashreplace", "xmlcharrefreplace", "namereplace")
"""The policies of a conversion with a charset at one end; Python applies the last two to encoding only."""
_OF_ENCODING = POLICIES[-2:]
_UNFINISHED_ESCAPE = re.compile(rb"\x1b[^@-Z]{0,15}\Z")
_LONGEST_ESCAPE = 16
"""An escape sequence of ISO 2022 that may go on in the next piece; Python looks for its end in 16 bytes."""
_SHORT_PIECE, _LONG_PIECE = 1024, 256 * 1024
"""How much is decoded at once: little after a fault, since an exception copies its piece."""


class Charset(Form):
    r"""A charset of Python's registry; made by :func:`charset`.

    As a form it has one row, that of U+000A: enough to count lines. The verbs of the family do not read it.

    Attributes:
        codec: the name of Python's codec.
        web_name: the charset that the name means on the web, if that is another; else empty.

    >>> charset("latin1").name, charset("latin1").codec, charset("latin1").web_name
    ('iso-8859-1', 'latin_1', 'windows-1252')
    """

    codec: str
    web_name: str

    def __init__(self, name: str) -> None:
        codec = _codec(name)
        feed = "\n".encode(codec)[-1]
        other = sorted(alias for alias, found in aliases.items() if found == codec)
        super().__init__(
            name,
            [Row(0x0A, 0x0A, (feed, feed))],
            aliases=tuple(each for each in dict.fromkeys((codec, *other)) if each != name),
            note="A foreign charset, not a form of the family: none of eightfold's guarantees about forms hold for it.",
            source=f"Python's codec {codec}",
        )
        vars(self).update(codec=codec, web_name=_ON_THE_WEB.get(name, ""))

    def __repr__(self) -> str:
        return f"<Charset {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return charset, (self.name,)

    @property
    def is_foreign(self) -> bool:
        """True: the tables of the family do not define it."""
        return True

    @property
    def warning(self) -> str:
        """One sentence if the name means another charset on the web; else an empty str.

        >>> charset("gb2312").warning
        "gb2312 is Python's gb2312; on the web this name means gbk"
        """
        return self.web_name and f"{self.name} is Python's {self.codec}; on the web this name means {self.web_name}"

    @property
    def has_escapes(self) -> bool:
        """Whether it changes its state by the escape sequences of ISO 2022.

        >>> charset("iso-2022-kr").has_escapes, charset("euc-kr").has_escapes
        (True, False)
        """
        return self.codec.startswith("iso2022")

    def decoder(self) -> codecs.IncrementalDecoder:
        """Return a new strict incremental decoder."""
        return codecs.getincrementaldecoder(self.codec)("strict")


def charsets() -> tuple[Charset, ...]:
    """Return all charsets.

    >>> len(charsets())
    95
    """
    return tuple(_by_codec().values())


def charset(name: str) -> Charset:
    """Return the charset that Python means by a name.

    Raises:
        LookupError: Python knows no charset of this name: none at all, a codec of another kind, or a form of Unicode.

    >>> charset("Windows_1252").name, charset("sjis").name, charset("CP936").name
    ('windows-1252', 'shift_jis', 'gbk')
    >>> charset("rot13")
    Traceback (most recent call last):
    LookupError: unknown charset: 'rot13'
    """
    found = _by_codec().get(_codec(name)) if name.isascii() else None
    if found is None:
        raise LookupError(f"unknown charset: {name!r}")
    return found


def _codec(name: str) -> str:
    """Return the name of the module of Python's encodings that a name leads to, as its registry looks for it."""
    found = normalize_encoding(name).lower()
    return aliases.get(found) or aliases.get(found.replace(".", "_")) or found


@cache
def _by_codec() -> dict[str, Charset]:
    return {each.codec: each for each in map(Charset, _NAMES)}


class Piece(NamedTuple):
    """Text that was decoded.

    Attributes:
        start: where its bytes begin in the input.
        data: the bytes.
        text: the text.
        state: the state of the decoder before them.
    """

    start: int
    data: bytes
    text: str
    state: int

    def span(self, charset: Charset, index: int) -> tuple[int, int]:
        r"""Return where the bytes of a character begin and end in the input.

        >>> piece, = CharsetDecoder(charset("shift_jis")).pieces(b"a\x82\xa0b", final=True)
        >>> piece.span(charset("shift_jis"), 1)
        (1, 3)
        """
        low, end = 0, len(self.data)
        while low < end:
            middle = (low + end) // 2
            if len(self._decoded(charset, middle)[0]) > index:
                end = middle
            else:
                low = middle + 1
        _, unfinished = self._decoded(charset, end - 1)
        return self.start + end - 1 - len(unfinished), self.start + end

    def _decoded(self, charset: Charset, end: int) -> tuple[str, bytes]:
        """Return the text of the first bytes, and the bytes of an unfinished sequence at their end."""
        decoder = charset.decoder()
        decoder.setstate((b"", self.state))
        return decoder.decode(self.data[:end]), decoder.getstate()[0]


class CharsetDecoder:
    r"""Decodes a charset piece by piece, into text and faults, which together are all of the input.

    What is held between calls is at most an unfinished sequence.

    >>> decoder = CharsetDecoder(charset("shift_jis"))
    >>> [found.text for found in decoder.pieces(b"\x82")]
    []
    >>> for found in decoder.pieces(b"\xa0\x82\x0a\x82", final=True):
    ...     print(ascii(found.text) if isinstance(found, Piece) else f"{found.kind}: {found}")
    '\u3042'
    undefined: shift_jis does not define 82
    '\n'
    truncated: sequence 82 is cut short by the end of the input
    """

    def __init__(self, charset: Charset) -> None:
        self.charset: Charset = charset
        self.offset: int = 0
        """Where the bytes that are held begin in the input."""
        self._decoder = charset.decoder()
        self._held = b""

    def pieces(self, chunk: bytes, *, final: bool = False) -> Iterator[Piece | Fault]:
        """Yield the text and the faults of more bytes, in order."""
        content, at, size = self._held + chunk, 0, _LONG_PIECE
        self._held = b""
        while at < len(content):
            data = content[at : at + size]
            reaches_end = at + size >= len(content)
            try:
                found = self._settled(data, final=final and reaches_end)
            except UnicodeDecodeError as error:
                if error.start:
                    yield self._passed(self._decoded(data[: error.start]))
                yield self._fault(data, error.start, error.end, is_last=final and reaches_end)
                self.offset += error.end - error.start
                at, size = at + error.end, _SHORT_PIECE
                continue
            if found.data:
                yield self._passed(found)
            at, size = at + len(found.data), min(2 * size, _LONG_PIECE)
            if reaches_end:
                break
        self._held = content[at:]

    def _passed(self, found: Piece) -> Piece:
        self.offset += len(found.data)
        return found

    def _settled(self, data: bytes, *, final: bool) -> Piece:
        """Decode as many bytes as possible, but no escape sequence that may go on behind them.

        Raises:
            UnicodeDecodeError: the charset does not define them; the decoder is as before.
        """
        held = (
            None
            if final or not self.charset.has_escapes
            else _UNFINISHED_ESCAPE.search(data, max(0, len(data) - _LONGEST_ESCAPE))
        )
        try:
            return self._decoded(data[: held.start()] if held else data, final=final)
        except UnicodeDecodeError:
            raise
        except UnicodeError:
            # A sequence without an end is before the one that is held; with more behind it, it is a fault.
            return self._decoded(data)

    def _decoded(self, data: bytes, *, final: bool = False) -> Piece:
        _, state = before = self._decoder.getstate()
        try:
            text = self._decoder.decode(data, final)
        except UnicodeError:
            self._decoder.setstate(before)
            raise
        rest, after = self._decoder.getstate()
        self._decoder.setstate((b"", after))
        return Piece(self.offset, data[: len(data) - len(rest)], text, state)

    def _fault(self, data: bytes, start: int, end: int, *, is_last: bool) -> Fault:
        units = data[start:end]
        is_cut = is_last and end == len(data) and self._may_go_on(units)
        kind: Kind = "truncated" if is_cut else "undefined"
        place = self.offset, self.offset + end - start
        return Fault(kind, self.charset.name, *place, units[:UNITS_KEPT], at_end=is_cut)

    def _may_go_on(self, units: bytes) -> bool:
        before = self._decoder.getstate()
        try:
            self._decoder.decode(units)
        except UnicodeError:
            return False
        finally:
            self._decoder.setstate(before)
        return True


class CharsetConverter:
    r"""Converts piece by piece if one end is a charset, or both; through a str, as Python does.

    Args:
        source, target: the ends; a charset or a form.
        errors: one of :data:`POLICIES`. Python applies it to both directions; one that it has for encoding only leaves
            ill-formed input an error.

    Raises:
        ValueError: another policy.

    >>> from eightfold.forms import form
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
        return b"".join((*results, *((self._encoder.encode("", True),) if final else ())))

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
        return b"".join((*written, *((self._encoder.encode("", True),) if final else ())))


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
