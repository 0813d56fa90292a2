r"""Text files of any form: `eightfold.open`, which is `io.open` but that closing a file finishes its encoder.

Python's text files never finish an encoder, so a lead written last in WTF-8 or CESU-8 would be lost under plain `open`.
"""

from __future__ import annotations

import builtins
import codecs
import io
import os
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from eightfold.codec import codec_info
from eightfold.faults import EncodeError, Fault
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.policy import Stalls, ask_encoding, check_policy, writing
from eightfold.reference import holds_back_lead
from eightfold.seam import Seam, SeamError
from eightfold.stream import Decoder, Encoder, in_turn
from eightfold.text import AnyErrors, AnyForm, signed

# What Python's own text files do in several steps, each of which another thread could come between.
_METHODS = ("read", "readline", "__next__", "write", "writelines", "flush", "seek", "tell", "truncate", "reconfigure")
_CODEC = "eightfold_open"
_UNCHANGED: Any = object()


class _Opening(threading.local):
    """What the file that this thread is opening reads and writes; `io.TextIOWrapper` takes only a codec's name."""

    form: Form
    errors: str
    encoder: Encoder | None = None


_opening = _Opening()


def _decoder(errors: str) -> Decoder:
    return Decoder(_opening.form, _opening.errors)


def _encoder(errors: str) -> Encoder:
    _opening.encoder = Encoder(_opening.form, _opening.errors)
    return _opening.encoder


def _search(name: str) -> codecs.CodecInfo | None:
    if name != _CODEC:
        return None
    utf_8 = codec_info(form_named("utf-8"))
    # Only the two factories are ever asked for.
    return codecs.CodecInfo(utf_8.encode, utf_8.decode, None, None, _encoder, _decoder, name)  # type: ignore[arg-type]


codecs.register(_search)


class _Opened(NamedTuple):
    """A binary file, and how it was opened."""

    binary: Any
    path: str | bytes | os.PathLike[Any] | int
    mode: str


@in_turn(*_METHODS, "detach", "close")
class TextFile(io.TextIOWrapper):
    """A text file of a form, which never loses or misplaces a lead surrogate. Made by :func:`open`.

    A form that joins surrogate pairs holds a lead back until the code point after it is written. `flush` writes all but
    such a lead. `tell`, `seek`, `truncate`, `reconfigure`, `detach` and `close`, and `read` in a file that is written
    too, write it as it stands, or give it to the policy. A trail that is written next at that very place is joined with
    it nevertheless, and so is one that is written first after opening or after `seek`, where a lead stands before it in
    the file: the lead's bytes are replaced. Where the file cannot be read or changed there, the trail is an error for
    the policy.

    What is written to ``buffer`` directly goes before a lead that is held, and the text file knows nothing of it: call
    `tell` first, or leave ``buffer`` alone.

    Attributes:
        mode: the mode that it was opened in.
    """

    mode: str

    def __init__(self, opened: _Opened, form: Form, errors: str, newline: str | None, line_buffering: bool) -> None:
        _opening.form, _opening.errors, _opening.encoder = form, errors, None
        super().__init__(opened.binary, _CODEC, "strict", newline, line_buffering)
        self.mode = opened.mode
        self._form, self._policy, self._form_encoder = form, errors, _opening.encoder
        _opening.encoder = None
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
        """Write what the encoder holds: the place in the file is looked at, or changes."""
        if self._form_encoder is None or self.closed:
            return
        if self._form_encoder.holds:
            super().flush()
            self._seam.settle(self._form_encoder.finish())
        self._seam.continued = False

    def write(self, text: str, /) -> int:
        """Write text; see :meth:`io.TextIOWrapper.write`.

        Raises:
            EncodeError: the form cannot write it, and the policy is strict. TypeError: it is not a str.
        """
        if self._seam.continued or not text or not isinstance(text, str):
            return super().write(text)
        joined = self._join(text)
        super().write(text[joined:])
        self._seam.pass_over()
        return len(text)

    def _join(self, text: str) -> int:
        """Join a trail that begins a text with a lead before it in the file; return how much of the text that was."""
        plain, _ = signed(self._form)
        if self._form_encoder is None or not ("\udc00" <= text[:1] <= "\udfff" and holds_back_lead(plain)):
            return 0
        super().flush()
        try:
            lead = self._seam.lead(plain)
            if lead is None:
                return 0
            self._seam.join(plain, lead, ord(text[0]))
            return 1
        except SeamError:
            return self._refuse(plain, text)

    def _refuse(self, plain: Form, text: str) -> int:
        """Let the policy answer a trail that cannot be joined; return how much of the text that was."""
        asked = writing(plain, self._policy, self._form.name)
        fault = Fault("surrogate-pair", self._form.name, 0, 1, b"", ord(text[0]), "text")
        error, stalls, position = EncodeError(fault.form, text, 0, 1, str(fault), fault), Stalls(), 0
        while position == 0:
            stalls.note(len(text))
            part, position = ask_encoding(asked, error)
            self.buffer.write(part)
        return position

    def seek(self, cookie: int, whence: int = 0, /) -> int:
        """Write what is held, and move; see :meth:`io.TextIOWrapper.seek`."""
        if self.seekable():
            self._settle()
        return super().seek(cookie, whence)

    def tell(self) -> int:
        """Write what is held, and return the place in the file; see :meth:`io.TextIOWrapper.tell`."""
        if self.seekable():
            self._settle()
        return super().tell()

    def truncate(self, pos: int | None = None, /) -> int:
        """Write what is held, and cut the file off; see :meth:`io.TextIOWrapper.truncate`."""
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
        """Write what is held, and go on otherwise; see :meth:`io.TextIOWrapper.reconfigure`.

        Args:
            encoding: a form's name; a new one counts as Python's own does, only before the first reading.
            errors: the policy.
            newline, line_buffering, write_through: as Python has them.
        """
        form = self._form if encoding is None else form_named(encoding)
        policy = self._policy if errors is None else errors
        check_policy(policy, form)
        self._settle()
        changed = {} if newline is _UNCHANGED else {"newline": newline}
        if encoding is not None or errors is not None:
            changed["encoding"] = _CODEC
        _opening.form, _opening.errors, _opening.encoder = form, policy, None
        super().reconfigure(**changed, line_buffering=line_buffering, write_through=write_through)
        self._form, self._policy = form, policy
        self._form_encoder, _opening.encoder = _opening.encoder or self._form_encoder, None

    def detach(self) -> Any:
        """Write what is held, and return the binary file."""
        self._settle()
        self._form_encoder = None
        return super().detach()

    def close(self) -> None:
        """Write what is held, and close the file, which is closed even if that fails."""
        try:
            self._settle()
        except EncodeError:
            if self._form_encoder is not None:
                self._form_encoder.discard()
            raise
        finally:
            super().close()


@in_turn("read", "readline")
class UpdatedTextFile(TextFile):
    """A text file that is read and written: reading settles what was written before."""

    def _end_writing(self) -> None:
        self._settle()
        self.flush()  # Up to Python 3.12.1 reading a part does not write what is buffered.

    def read(self, size: int | None = -1, /) -> str:
        """Write what is held, and read; see :meth:`io.TextIOWrapper.read`."""
        if self._seam.continued:
            self._end_writing()
        return super().read(size)

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        """Write what is held, and read a line; see :meth:`io.TextIOWrapper.readline`. Iteration calls it too."""
        if self._seam.continued:
            self._end_writing()
        return super().readline(size)


def open(
    path: str | bytes | os.PathLike[str] | os.PathLike[bytes] | int,
    mode: str = "r",
    form: AnyForm | None = None,
    errors: AnyErrors = "strict",
    *,
    encoding: AnyForm | None = None,
    buffering: int = -1,
    newline: str | None = None,
    closefd: bool = True,
    opener: Callable[[str, int], int] | None = None,
) -> TextFile:
    r"""Open a file as text of a form, as :func:`io.open` does; closing it finishes the encoder.

    Args:
        path: a path or a file descriptor.
        mode: a text mode (``r``, ``w``, ``a``, ``x``, with ``+``).
        form: a Form or the name of one; utf-8 where none is given.
        errors: the policy, as for `decode` and `encode`.
        encoding: another name of ``form``, as :func:`io.open` has it.
        buffering, newline, closefd, opener: as :func:`io.open` has them; text is never unbuffered.

    Raises:
        ValueError: the mode is not one of text, ``buffering`` is 0, or the form refuses the policy.
        TypeError: both ``form`` and ``encoding`` are given.
        LookupError: no such form or policy. OSError: the file cannot be opened.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "lead.txt")
    >>> with open(path, "w", "wtf-8") as file:
    ...     _ = file.write("last: \ud83d")
    >>> with open(path, "a", encoding="wtf-8") as file:
    ...     _ = file.write("\ude00")
    >>> with open(path, "r", "wtf-8") as file:
    ...     file.read()
    'last: \U0001f600'
    """
    _check_mode(mode)
    if buffering == 0:
        raise ValueError("buffering=0 is for binary files: text cannot be unbuffered")
    if form is not None and encoding is not None:
        raise TypeError("form and encoding are two names of one argument: give one of them")
    named = encoding if form is None else form
    asked = form_named("utf-8" if named is None else named)
    check_policy(errors, asked)
    # Line buffering is the text layer's affair; a binary file has none.
    kept = -1 if buffering == 1 else buffering
    binary = builtins.open(path, mode.replace("t", "") + "b", kept, closefd=closefd, opener=opener)  # noqa: SIM115
    try:
        kind = UpdatedTextFile if "+" in mode else TextFile
        return kind(_Opened(binary, path, mode), asked, errors, newline, buffering == 1)
    except BaseException:
        binary.close()
        raise


def _check_mode(mode: str) -> None:
    if "b" in mode:
        raise ValueError(f"eightfold.open opens text, not the binary mode {mode!r}")
    if len(set(mode)) < len(mode) or not set(mode) <= set("rwaxt+") or len(set(mode) & set("rwax")) != 1:
        raise ValueError(f"invalid mode: {mode!r} (one of r, w, a, x; with + or without)")
