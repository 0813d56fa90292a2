r"""Text files of any form: `eightfold.open` works like `io.open`, and closing a file finishes its encoder.

Python's text files never finish an encoder, so plain `open` would lose a final lead in WTF-8 or CESU-8.
"""

from __future__ import annotations

import builtins
import codecs
import io
import operator
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, SupportsIndex

from eightfold.arguments import AnyErrors, AnyForm, exactly
from eightfold.codec import codec_info
from eightfold.faults import EncodeError, Fault, Kind
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.policy import Stalls, ask_encoding, check_policy, writing, written_under
from eightfold.reference import encoded, holds_back_lead, joined, signed
from eightfold.seam import Seam, SeamError
from eightfold.stream import Decoder, Encoder
from eightfold.stream.runs import LONG_BYTES
from eightfold.stream.turns import in_turn

# Python's text files perform these methods in several steps, and another thread could run between them.
_METHODS = ("read", "readline", "__next__", "write", "writelines", "flush", "seek", "tell", "truncate", "reconfigure")
_CODEC = "eightfold_open"
_UNCHANGED: Any = ...


class _Opening(threading.local):
    """The form and policy of the file that this thread is opening: `io.TextIOWrapper` accepts only a codec name."""

    form: Form
    errors: str
    file: weakref.ref[TextFile]
    encoder: Encoder | None = None

    def begin(self, file: TextFile, form: Form, errors: str) -> None:
        """Note what the coders, which the file asks for next, need."""
        self.file, self.form, self.errors, self.encoder = weakref.ref(file), form, errors, None

    def take_encoder(self) -> Encoder | None:
        """Return the encoder that was made since then, if any; it is not kept here."""
        encoder, self.encoder = self.encoder, None
        return encoder


_opening = _Opening()


class _FileDecoder(Decoder):
    """The decoder of a text file, which grows the file's chunks with what is held.

    Before each chunk, `io.TextIOWrapper` asks for the state and joins what is held to the chunk: with small chunks, a
    long sequence without a fixed length would take quadratic time.
    """

    def __init__(self) -> None:
        super().__init__(_opening.form, _opening.errors)
        self._file = _opening.file
        self._grown = False

    def getstate(self) -> tuple[bytes, int]:
        """Return the state, and let the file read as much as is held next."""
        state = super().getstate()
        grown, file = len(state[0]) > LONG_BYTES, self._file()
        if file is not None and (grown or self._grown):
            file._CHUNK_SIZE = max(len(state[0]), io.DEFAULT_BUFFER_SIZE)  # type: ignore[attr-defined]
            self._grown = grown
        return state


def _decoder(errors: str) -> Decoder:
    return _FileDecoder()


def _encoder(errors: str) -> Encoder:
    _opening.encoder = Encoder(_opening.form, _opening.errors)
    return _opening.encoder


def _search(name: str) -> codecs.CodecInfo | None:
    if name != _CODEC:
        return None
    utf_8 = codec_info(form_named("utf-8"))
    # Text files use only the two factories.
    return codecs.CodecInfo(utf_8.encode, utf_8.decode, None, None, _encoder, _decoder, name)  # type: ignore[arg-type]


codecs.register(_search)


class _Opened(NamedTuple):
    """A binary file, with the path and mode with which it was opened."""

    binary: Any
    path: str | bytes | os.PathLike[Any] | int
    mode: str


@in_turn(*_METHODS, "detach", "close")
class TextFile(io.TextIOWrapper):
    """A text file of a form that never loses or misplaces a lead surrogate. Returned by :func:`eightfold.open`.

    A form that joins surrogate pairs holds a lead back until the next code point is written. `flush` writes everything
    except such a lead. `tell`, `seek`, `truncate`, `reconfigure`, `detach`, `close`, and `read` in a file opened for
    reading and writing, write the lead alone or pass it to the policy. A trail that is then written at the same
    position is still joined with it: the bytes of the lead are replaced. The same holds for a trail written first after
    opening or `seek`, if the file has a lead directly before it. If the file cannot be read or changed there, the
    policy handles the trail as an error.

    Data written directly to ``buffer`` precedes a held lead, and the text file does not notice it: call `tell` first,
    or do not use ``buffer``.

    Attributes:
        mode: the mode in which the file was opened.
    """

    mode: str

    def __init__(self, opened: _Opened, form: Form, errors: str, newline: str | None, line_buffering: bool) -> None:
        _opening.begin(self, form, errors)
        super().__init__(opened.binary, _CODEC, "strict", newline, line_buffering)
        self.mode = opened.mode
        self._form, self._policy, self._form_encoder = form, errors, _opening.take_encoder()
        self._path = opened.path
        self._seam = Seam(opened.binary, opened.path, appends="a" in opened.mode)

    def __repr__(self) -> str:
        return f"<eightfold.textfile.TextFile name={self._path!r} mode={self.mode!r} form={self._form.name!r}>"

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The name of the form."""
        return self._form.name

    @property
    def errors(self) -> str:  # type: ignore[override]
        """The error policy."""
        return self._policy

    def _settle(self) -> None:
        """Write the lead that the encoder holds, because the caller reads or changes the file position."""
        if self._form_encoder is None or self.closed:
            return
        if self._form_encoder.holds:
            super().flush()
            self._seam.settle(self._form_encoder.finish())
        self._seam.continued = False

    def write(self, text: str, /) -> int:
        """Write text; see :meth:`io.TextIOWrapper.write`.

        Raises:
            EncodeError: the form cannot write the text, and the policy is strict. TypeError: the text is not a str.
        """
        if not isinstance(text, str):
            return super().write(text)
        text = exactly(text)  # An instance of a subclass may have methods of its own.
        if self._seam.continued:
            return super().write(text)
        joined = self._join(text)
        self._drop_signature()
        super().write(text[joined:])
        if text:
            self._seam.pass_over()
        elif self._form.signatures:  # An empty text too writes the signature.
            self._seam.begun = True
        return len(text)

    def _drop_signature(self) -> None:
        """Let the encoder write no signature in mid-file: after reading, `reconfigure`, or `seek(0)` when appending."""
        if self._form_encoder is not None and self._form.signatures:
            super().flush()
            if not self._seam.is_at_start():
                self._form_encoder.setstate(0)

    def _join(self, text: str) -> int:
        """Join a trail at the start of a text with a lead before it in the file; return how much text was used."""
        plain, _ = signed(self._form)
        written = written_under(self._policy, plain)
        if self._form_encoder is None or not ("\udc00" <= text[:1] <= "\udfff" and holds_back_lead(written)):
            return 0
        super().flush()
        try:
            lead = self._seam.lead(self._form if written is plain else written)
            if lead is None:
                return 0
            point = joined(lead.code_point, ord(text[0]))
            pair = encoded(written, point)
            if pair is None:
                return self._refuse(plain, text, "unrepresentable", point)
            self._seam.join(lead.length, pair)
            return 1
        except SeamError:
            return self._refuse(plain, text, "surrogate-pair", ord(text[0]))

    def _refuse(self, plain: Form, text: str, kind: Kind, code_point: int) -> int:
        """Apply the policy to a trail that cannot be joined; return how much text was used."""
        asked = writing(plain, self._policy, self._form.name)
        fault = Fault(kind, self._form.name, 0, 1, b"", code_point, "text")
        error, stalls, position = EncodeError(fault.form, text, 0, 1, str(fault), fault), Stalls(), 0
        while position == 0:
            stalls.note(len(text))
            part, position = ask_encoding(asked, error)
            self.buffer.write(part)
        return position

    def seek(self, cookie: int, whence: int = 0, /) -> int:
        """Write a held lead, and change the position; see :meth:`io.TextIOWrapper.seek`."""
        if self.seekable():
            self._settle()
        return super().seek(cookie, whence)

    def tell(self) -> int:
        """Write a held lead, and return the position in the file; see :meth:`io.TextIOWrapper.tell`."""
        if self.seekable():
            self._settle()
        return super().tell()

    def truncate(self, pos: int | None = None, /) -> int:
        """Write a held lead, and truncate the file; see :meth:`io.TextIOWrapper.truncate`."""
        self._settle()
        size = super().truncate(pos)
        self._seam.cut(size)
        return size

    def reconfigure(
        self,
        *,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = _UNCHANGED,
        line_buffering: bool | None = None,
        write_through: bool | None = None,
    ) -> None:
        """Write a held lead, and change the settings; see :meth:`io.TextIOWrapper.reconfigure`.

        Args:
            encoding: the name of a form; as in Python, it cannot be changed after reading has started.
            errors: the policy; as in Python, `strict` if only ``encoding`` is given.
            newline, line_buffering, write_through: as for :meth:`io.TextIOWrapper.reconfigure`.
        """
        form = self._form if encoding is None else form_named(encoding)
        kept = self._policy if encoding is None else "strict"
        policy = kept if errors is None else errors
        check_policy(policy, form)
        self._settle()
        changed = {} if newline is _UNCHANGED else {"newline": newline}
        if encoding is not None or errors is not None:
            changed["encoding"] = _CODEC
        _opening.begin(self, form, policy)
        super().reconfigure(**changed, line_buffering=line_buffering, write_through=write_through)
        self._form, self._policy = form, policy
        self._form_encoder = _opening.take_encoder() or self._form_encoder

    def detach(self) -> Any:
        """Write a held lead, and return the binary file."""
        self._settle()
        self._form_encoder = None
        return super().detach()

    def close(self) -> None:
        """Write a held lead, and close the file, even if writing the lead fails."""
        try:
            self._settle()
        except BaseException:  # What is raised says enough: the encoder need not warn of its lead.
            if self._form_encoder is not None:
                self._form_encoder.discard()
            raise
        finally:
            super().close()

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        # Python's own would wrap the file in another for protocols 0 and 1, and so close it.
        raise TypeError("a TextFile cannot be copied or pickled: it is an open file")


@in_turn("read", "readline")
class UpdatedTextFile(TextFile):
    """A text file opened for reading and writing: reading first writes a held lead."""

    def _end_writing(self) -> None:
        self._settle()
        self.flush()  # Up to Python 3.12.1 a partial read does not flush the buffer.

    def read(self, size: int | None = -1, /) -> str:
        """Write a held lead, and read; see :meth:`io.TextIOWrapper.read`."""
        if self._seam.continued:
            self._end_writing()
        return super().read(size)

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        """Write a held lead, and read a line; see :meth:`io.TextIOWrapper.readline`. Iteration uses this method."""
        if self._seam.continued:
            self._end_writing()
        return super().readline(size)


def open(
    path: str | bytes | os.PathLike[str] | os.PathLike[bytes] | int,
    mode: str = "r",
    form: AnyForm | None = None,
    errors: AnyErrors | None = "strict",
    *,
    encoding: AnyForm | None = None,
    buffering: SupportsIndex = -1,
    newline: str | None = None,
    closefd: bool = True,
    opener: Callable[[str, int], int] | None = None,
) -> TextFile:
    r"""Open a file as text of a form, like :func:`io.open`; closing the file finishes the encoder.

    Args:
        path: a path or a file descriptor.
        mode: a text mode (``r``, ``w``, ``a`` or ``x``, optionally with ``+``).
        form: a Form or its name; utf-8 by default.
        errors: the policy, as for `decode` and `encode`; None is ``strict``, as for :func:`io.open`.
        encoding: an alias of ``form``, for compatibility with :func:`io.open`.
        buffering, newline, closefd, opener: as for :func:`io.open`; text cannot be unbuffered, and a terminal is
            line-buffered unless ``buffering`` is given.

    Raises:
        ValueError: the mode is not a text mode, ``buffering`` is 0, or the form refuses the policy.
        TypeError: both ``form`` and ``encoding`` are given, or an argument is of a wrong type.
        LookupError: unknown form or policy. OSError: the file cannot be opened.

    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "lead.txt")
    >>> with open(path, "w", "wtf-8") as file:
    ...     _ = file.write("last: \ud83d")
    >>> with open(path, "a", encoding="wtf-8") as file:
    ...     _ = file.write("\ude00")
    >>> with open(path, "r", "wtf-8") as file:
    ...     file.read()
    'last: \U0001f600'
    >>> folder.cleanup()
    """
    _check_mode(mode)
    buffering = operator.index(buffering)
    if buffering == 0:
        raise ValueError("buffering=0 is for binary files: text cannot be unbuffered")
    if form is not None and encoding is not None:
        raise TypeError("form and encoding are aliases: give only one of them")
    named = encoding if form is None else form
    asked = form_named("utf-8" if named is None else named)
    policy = "strict" if errors is None else errors
    check_policy(policy, asked)
    # The text layer does line buffering; a binary file has none.
    kept = -1 if buffering == 1 else buffering
    binary = builtins.open(path, mode.replace("t", "") + "b", kept, closefd=closefd, opener=opener)  # noqa: SIM115
    try:
        kind = UpdatedTextFile if "+" in mode else TextFile
        line_buffering = buffering == 1 or (buffering < 0 and binary.isatty())
        return kind(_Opened(binary, path, mode), asked, policy, newline, line_buffering)
    except BaseException:
        binary.close()
        raise


def _check_mode(mode: str) -> None:
    if not isinstance(mode, str):
        raise TypeError(f"mode must be a str, not {type(mode).__name__}")
    if "b" in mode:
        raise ValueError(f"eightfold.open opens text files; mode {mode!r} is binary")
    if len(set(mode)) < len(mode) or not set(mode) <= set("rwaxt+") or len(set(mode) & set("rwax")) != 1:
        raise ValueError(f"invalid mode: {mode!r} (one of r, w, a, x; with + or without)")
