r"""Codecs for Python's registry: the forms that Python lacks, under their own names.

After :func:`register_codecs`, ``b.decode("wtf-8")``, ``s.encode("cesu-8")`` and ``open(path, encoding="mutf-8")`` work.
"""

from __future__ import annotations

import codecs
import copyreg
import sys
from _thread import allocate_lock
from functools import partial, partialmethod
from typing import IO, Any, NoReturn, SupportsIndex

from eightfold.arguments import Data
from eightfold.forms import Form, forms
from eightfold.forms import form as form_named
from eightfold.forms.definition import derived
from eightfold.stream import Decoder, Encoder
from eightfold.stream.runs import rest_of_run
from eightfold.text import decode, encode
from eightfold.xtf8 import escape_errors

_HANDLERS = {
    "xtf8": escape_errors,
    # Policies declared by forms. Python's development mode looks up every name; used with another codec, they raise.
    "escape": codecs.strict_errors,
    "private-use": codecs.strict_errors,
    "java": codecs.strict_errors,
}
_registered = False
_registering = allocate_lock()
"""Held while the codecs come or go: two threads must not register them twice, since one call takes out only one."""


class _ReaderDecoder(Decoder):
    """The decoder of a stream reader, which keeps the bytes that are not consumed, as `codecs.StreamReader` expects.

    The decoder itself holds a long sequence without a fixed length: the reader would join it to each piece and have it
    decoded again, which takes quadratic time.
    """

    def consumed(self, data: bytes) -> tuple[str, int]:
        """Return the text decoded so far and the number of bytes that the reader need not keep."""
        rest = rest_of_run(self._opening.plain, self._held, data)
        if rest is not None:
            return self.decode(data[:rest], final=rest < len(data)), rest
        text = self.decode(data)
        if rest_of_run(self._opening.plain, self._held, b"") is not None:
            return text, len(data)
        held, flags = self.getstate()
        self.setstate((b"", flags))
        return text, len(data) - len(held)

    @property
    def holds(self) -> bool:
        """Whether the decoder holds such a sequence."""
        return bool(self._held)


class StreamReader(codecs.StreamReader):
    """Reads text of a form from a binary stream; a sequence that the end of the stream cuts short is an error.

    Like Python's own readers, it first returns the text before such a sequence; the next call raises. It keeps the
    bytes, so reading continues if the stream has more data by then.
    """

    def __init__(self, form: Form, stream: IO[bytes], errors: str = "strict") -> None:
        super().__init__(stream, errors)
        self.bytebuffer: bytes = b""
        self._decoder = _ReaderDecoder(form, errors)
        self._is_in_line = False

    def decode(self, input: bytes, errors: str = "strict") -> tuple[str, int]:
        """Return the text decoded so far and the number of bytes consumed."""
        _apply(errors, self._decoder)
        return self._decoder.consumed(input)

    def read(self, size: int = -1, chars: int = -1, firstline: bool = False) -> str:
        """Return text; see :meth:`codecs.StreamReader.read`.

        Raises:
            DecodeError: the bytes are ill-formed, or only a sequence that is cut short is left.
        """
        text = super().read(size, chars, firstline)
        while not text and (self.bytebuffer or self._decoder.holds) and size and chars:
            more = self.stream.read(1)
            if not more:
                # `readline` reads in pieces, and an error in the last piece must not discard the others.
                return self._at_most(chars, self._end(quiet=firstline or self._is_in_line))
            self.bytebuffer += more
            text = super().read(size, chars, firstline)
        return text + self._end(quiet=bool(text)) if size < 0 and chars < 0 else text

    def readline(self, size: int | None = None, keepends: bool = True) -> str:
        """Return a line; see :meth:`codecs.StreamReader.readline`.

        Raises:
            DecodeError: as for :meth:`read`.
        """
        self._is_in_line = True
        try:
            # Without its end, an empty line would look like the end of the stream.
            line = super().readline(size, keepends=True) or self._end()
        finally:
            self._is_in_line = False
        return line if keepends or not line else line.splitlines()[0]

    def _at_most(self, chars: int, text: str) -> str:
        """Return the beginning of a text, and keep the rest for the next call."""
        if chars < 0:
            return text
        self.charbuffer: str = text[chars:]
        return text[:chars]

    def _end(self, *, quiet: bool = False) -> str:
        """Return the text left at the end of the stream; with `quiet`, leave an error to the next call."""
        if not (self.bytebuffer or self._decoder.holds):
            return ""
        _apply(self.errors, self._decoder)
        state = self._decoder.getstate()
        try:
            text = self._decoder.decode(self.bytebuffer, final=True)
        except UnicodeDecodeError as error:
            if not error.start:
                if quiet:
                    return ""
                raise
            # A lead was held before the sequence that is cut short, as it could have been the half of a pair.
            text = self._decoder.decode(error.object[: error.start], final=True)
            self._decoder.setstate(state)
            self.bytebuffer = error.object[error.start :]
            return text
        self.bytebuffer = b""
        return text

    def reset(self) -> None:
        """Discard held bytes and start a new input."""
        super().reset()
        self._decoder.reset()

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        raise TypeError("a StreamReader cannot be copied or pickled: it reads from an open stream")


class StreamWriter(codecs.StreamWriter):
    """Writes text of a form to a binary stream; `seek`, `reset` and `close` write a held lead.

    The file of :func:`codecs.open` closes its stream without closing the writer, and so loses a lead at its end, with a
    warning. :func:`eightfold.open` loses none.
    """

    stream: IO[bytes]

    def __init__(self, form: Form, stream: IO[bytes], errors: str = "strict") -> None:
        super().__init__(stream, errors)
        self._encoder = Encoder(form, errors)
        self._place: int | None = None

    def encode(self, input: str, errors: str = "strict") -> tuple[bytes, int]:
        """Return the bytes that can be written now, and the length of the text, all of which is consumed."""
        _apply(errors, self._encoder)
        return self._encoder.encode(input), str.__len__(input)

    def write(self, object: str) -> None:
        """Write text; see :meth:`codecs.StreamWriter.write`.

        Raises:
            EncodeError: the form cannot write the text, and the policy is strict.
        """
        if self._place is not None and self._place != self.stream.tell():
            self._finish()
        super().write(object)
        self._place = self.stream.tell() if self._encoder.holds and _seekable(self.stream) else None

    def seek(self, offset: int, whence: int = 0) -> None:
        """Write a held lead, and change the position; see :meth:`codecs.StreamWriter.seek`."""
        self._finish()
        super().seek(offset, whence)

    def reset(self) -> None:
        """Write a held lead, and start a new output."""
        self._finish()
        self._encoder.reset()

    def close(self) -> None:
        """Write a held lead, and close the stream."""
        self._finish()
        self.stream.close()

    def _finish(self) -> None:
        """Write a held lead after the text before it: `codecs.StreamReaderWriter` may have moved the stream since."""
        if not self._encoder.holds:
            return
        _apply(self.errors, self._encoder)
        lead, place, self._place = self._encoder.finish(), self._place, None
        if place is None or place == (here := self.stream.tell()):
            self.stream.write(lead)
        else:
            self.stream.seek(place)
            self.stream.write(lead)
            self.stream.seek(here)

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        raise TypeError("a StreamWriter cannot be copied or pickled: it writes to an open stream")


def _seekable(stream: IO[bytes]) -> bool:
    return bool(getattr(stream, "seekable", bool)())


def _apply(errors: str, coder: Decoder | Encoder) -> None:
    """Let a coder follow this policy: in Python's stream classes the attribute `errors` may change at any time."""
    if errors != coder.errors:
        coder.errors = errors


class _CodecInfo(codecs.CodecInfo):
    """The registry entry of a form; copying and pickling store only the form."""

    form: Form

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> tuple[Any, ...]:
        return codec_info, (self.form,)


def codec_info(form: Form) -> codecs.CodecInfo:
    r"""Return the entry of a form for Python's registry; it can be pickled, and so can each of its parts.

    >>> codec_info(form_named("wtf-8")).decode(b"\xed\xa0\x80")
    ('\ud800', 3)
    """
    return _codec_info(form)


@derived("codec_info")
def _codec_info(form: Form) -> codecs.CodecInfo:
    info = _CodecInfo(
        partial(_encode, form),
        partial(_decode, form),
        streamreader=_bound(StreamReader, form),
        streamwriter=_bound(StreamWriter, form),
        incrementalencoder=_bound(Encoder, form),
        incrementaldecoder=_bound(Decoder, form),
        name=form.name,
    )
    info.form = form
    return info


def _encode(form: Form, text: str, errors: str = "strict") -> tuple[bytes, int]:
    return encode(text, form, errors), str.__len__(text)  # An instance of a subclass may count otherwise.


def _decode(form: Form, data: Data, errors: str = "strict") -> tuple[str, int]:
    return decode(data, form, errors), memoryview(data).nbytes


class _OfOneForm(type):
    """The metaclass of coder classes that Python's registry can instantiate without an argument for the form."""

    base: type[Any]
    form: Form


def _bound(base: type[Any], form: Form) -> Any:
    """Return the coder class bound to a form; each call returns the same class."""
    kept = form.derived.setdefault("coders", {})
    if base not in kept:
        members = {"__init__": partialmethod(base.__init__, form), "__doc__": base.__doc__, "base": base, "form": form}
        kept[base] = _OfOneForm(base.__name__, (base,), members)
    return kept[base]


copyreg.pickle(_OfOneForm, lambda made: (_bound, (made.base, made.form)))


def _python_lacks(form: Form) -> bool:
    return not form.cpython_reasons


def _search(name: str) -> codecs.CodecInfo | None:
    try:
        form = form_named(name)
    except LookupError:
        return None
    return codec_info(form) if _python_lacks(form) else None


def _lenient_searches() -> tuple[Any, ...]:
    """Return the searches of other packages that know names of ours; in Python's registry the first one decides.

    Once it is imported, ftfy answers to ``cesu-8`` with a codec that reads leniently and writes UTF-8.
    """
    search = getattr(sys.modules.get("ftfy.bad_codecs"), "search_function", None)
    return () if search is None else (search,)


def register_codecs() -> None:
    r"""Register the forms that Python lacks as codecs, and their error handlers. Idempotent.

    >>> register_codecs()
    >>> b"\xed\xa0\xbd!".decode("wtf-8")
    '\ud83d!'
    >>> b"caf\xe9".decode("utf-8", errors="xtf8")
    'caf\uefe9'
    """
    global _registered
    with _registering:
        if not _registered:
            others = _lenient_searches()
            for search in others:
                codecs.unregister(search)
            for search in (_search, *others):
                codecs.register(search)
            for name, handler in _HANDLERS.items():
                codecs.register_error(name, handler)
            _registered = True


def unregister_codecs() -> None:
    """Remove the codecs from Python's registry. Idempotent. Error handlers stay registered before Python 3.14.

    >>> unregister_codecs()
    >>> b"a".decode("wtf-8")
    Traceback (most recent call last):
    LookupError: unknown encoding: wtf-8
    """
    global _registered
    with _registering:
        if _registered:
            codecs.unregister(_search)
            _registered = False


__all__ = ["StreamReader", "StreamWriter", "codec_info", "forms", "register_codecs", "unregister_codecs"]
