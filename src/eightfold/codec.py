r"""Python's codecs registry: the forms that Python does not have, under their names, with everything a codec needs.

After :func:`register_codecs`, ``b.decode("wtf-8")``, ``s.encode("cesu-8")`` and ``open(path, encoding="mutf-8")`` work.
"""

from __future__ import annotations

import codecs
from functools import partialmethod
from typing import IO, Any

from eightfold.forms import Form, forms
from eightfold.forms import form as form_named
from eightfold.stream import Decoder, Encoder
from eightfold.text import decode, encode
from eightfold.xtf8 import escape_errors

_HANDLERS = {
    "xtf8": escape_errors,
    # Policies that a form declares. Python's development mode looks every name up; a foreign codec gets its error back.
    "escape": codecs.strict_errors,
    "private-use": codecs.strict_errors,
    "java": codecs.strict_errors,
}
_registered = False


class StreamReader(codecs.StreamReader):
    """Reads text of a form from a binary stream; a sequence that the end of the stream cuts short is an error."""

    def __init__(self, form: Form, stream: IO[bytes], errors: str = "strict") -> None:
        super().__init__(stream, errors)
        self.bytebuffer: bytes = b""
        self._decoder = Decoder(form, errors)

    def decode(self, input: bytes, errors: str = "strict") -> tuple[str, int]:
        """Return the text that is certain now and how many bytes gave it."""
        text = self._decoder.decode(input)
        held, flags = self._decoder.getstate()
        # What is not consumed stays with the caller, as `codecs.StreamReader` has it.
        self._decoder.setstate((b"", flags))
        return text, len(input) - len(held)

    def read(self, size: int = -1, chars: int = -1, firstline: bool = False) -> str:
        """Return text; see :meth:`codecs.StreamReader.read`. At the end of the stream nothing is dropped in silence.

        Raises:
            DecodeError: the bytes are ill-formed, or the stream ends inside a sequence.
        """
        text = super().read(size, chars, firstline)
        while not text and self.bytebuffer and size and chars:
            more = self.stream.read(1)
            if not more:
                return self._finish()
            self.bytebuffer += more
            text = super().read(size, chars, firstline)
        return text + self._finish() if size < 0 and chars < 0 else text

    def _finish(self) -> str:
        text = self._decoder.decode(self.bytebuffer, final=True)
        self.bytebuffer = b""
        return text

    def reset(self) -> None:
        """Forget what was read; the next bytes are the first."""
        super().reset()
        self._decoder.reset()


class StreamWriter(codecs.StreamWriter):
    """Writes text of a form to a binary stream; `reset` and `close` write what is held."""

    def __init__(self, form: Form, stream: IO[bytes], errors: str = "strict") -> None:
        super().__init__(stream, errors)
        self._encoder = Encoder(form, errors)

    def encode(self, input: str, errors: str = "strict") -> tuple[bytes, int]:
        """Return the bytes that are certain now; all of the text counts as written."""
        return self._encoder.encode(input), len(input)

    def reset(self) -> None:
        """Write what is held, and begin anew."""
        self.stream.write(self._encoder.finish())
        self._encoder.reset()

    def close(self) -> None:
        """Write what is held, and close the stream."""
        self.stream.write(self._encoder.finish())
        self.stream.close()

    def __exit__(self, *exc: object) -> None:
        self.close()


def codec_info(form: Form) -> codecs.CodecInfo:
    r"""Return what Python's registry wants to know of a form.

    >>> codec_info(form_named("wtf-8")).decode(b"\xed\xa0\x80")
    ('\ud800', 3)
    """
    return codecs.CodecInfo(
        lambda text, errors="strict": (encode(text, form, errors), len(text)),
        lambda data, errors="strict": (decode(data, form, errors), len(data)),
        streamreader=_bound(StreamReader, form),
        streamwriter=_bound(StreamWriter, form),
        incrementalencoder=_bound(Encoder, form),
        incrementaldecoder=_bound(Decoder, form),
        name=form.name,
    )


def _bound(base: type[Any], form: Form) -> Any:
    """Return a class that is made as Python's registry makes it: without naming the form."""
    return type(base.__name__, (base,), {"__init__": partialmethod(base.__init__, form), "__doc__": base.__doc__})


def _python_lacks(form: Form) -> bool:
    return not form.cpython_reasons


def _search(name: str) -> codecs.CodecInfo | None:
    try:
        form = form_named(name)
    except LookupError:
        return None
    return codec_info(form) if _python_lacks(form) else None


def register_codecs() -> None:
    r"""Register the forms that Python does not have as codecs, and the error handlers of the family. Idempotent.

    >>> register_codecs()
    >>> b"\xed\xa0\xbd!".decode("wtf-8")
    '\ud83d!'
    >>> b"caf\xe9".decode("utf-8", errors="xtf8")
    'caf\uefe9'
    """
    global _registered
    if not _registered:
        codecs.register(_search)
        for name, handler in _HANDLERS.items():
            codecs.register_error(name, handler)
        _registered = True


def unregister_codecs() -> None:
    """Take the codecs out of Python's registry again. Idempotent. Handlers stay known before Python 3.14.

    >>> unregister_codecs()
    >>> b"a".decode("wtf-8")
    Traceback (most recent call last):
    LookupError: unknown encoding: wtf-8
    """
    global _registered
    if _registered:
        codecs.unregister(_search)
        _registered = False


__all__ = ["StreamReader", "StreamWriter", "codec_info", "forms", "register_codecs", "unregister_codecs"]
