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
from typing import Any

from eightfold.codec import codec_info
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.policy import check_policy
from eightfold.stream import Decoder, Encoder, _in_turn
from eightfold.text import AnyErrors, AnyForm

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


@_in_turn(*_METHODS, "detach", "close")
class TextFile(io.TextIOWrapper):
    """A text file of a form: `close`, `seek` and `detach` write what its encoder holds. Made by :func:`open`.

    Attributes:
        mode: the mode that it was opened in.
    """

    mode: str

    def __init__(self, buffer: Any, form: Form, errors: str, newline: str | None, line_buffering: bool) -> None:
        _opening.form, _opening.errors, _opening.encoder = form, errors, None
        super().__init__(buffer, _CODEC, "strict", newline, line_buffering)
        self._form, self._policy, self._form_encoder = form, errors, _opening.encoder
        _opening.encoder = None

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The name of the form."""
        return self._form.name

    @property
    def errors(self) -> str:  # type: ignore[override]
        """The error policy."""
        return self._policy

    def _finish(self) -> None:
        if self._form_encoder is not None and not self.closed:
            self.flush()
            self.buffer.write(self._form_encoder.finish())

    def seek(self, cookie: int, whence: int = 0, /) -> int:
        """Write what is held, and move; see :meth:`io.TextIOWrapper.seek`."""
        self._finish()
        return super().seek(cookie, whence)

    def tell(self) -> int:
        """Return the place in the file; see :meth:`io.TextIOWrapper.tell`.

        Raises:
            io.UnsupportedOperation: the encoder holds a lead, whose bytes depend on what follows it.
        """
        if self._form_encoder is not None and self._form_encoder.holds:
            raise io.UnsupportedOperation("tell: what is written last is a lead surrogate, held to see what follows it")
        return super().tell()

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
        self._finish()
        changed = {} if newline is _UNCHANGED else {"newline": newline}
        if encoding is not None or errors is not None:
            changed["encoding"] = _CODEC
        _opening.form, _opening.errors, _opening.encoder = form, policy, None
        super().reconfigure(**changed, line_buffering=line_buffering, write_through=write_through)
        self._form, self._policy = form, policy
        self._form_encoder, _opening.encoder = _opening.encoder or self._form_encoder, None

    def detach(self) -> Any:
        """Write what is held, and return the binary file."""
        self._finish()
        self._form_encoder = None
        return super().detach()

    def close(self) -> None:
        """Write what is held, and close the file, which is closed even if that fails."""
        try:
            self._finish()
        finally:
            super().close()


def open(
    path: str | bytes | os.PathLike[str] | int,
    mode: str = "r",
    form: AnyForm = "utf-8",
    errors: AnyErrors = "strict",
    *,
    buffering: int = -1,
    newline: str | None = None,
    closefd: bool = True,
    opener: Callable[[str, int], int] | None = None,
) -> TextFile:
    r"""Open a file as text of a form, as :func:`io.open` does; closing it finishes the encoder.

    Args:
        path: a path or a file descriptor.
        mode: a text mode (``r``, ``w``, ``a``, ``x``, with ``+``).
        form: a Form or the name of one.
        errors: the policy, as for `decode` and `encode`.
        buffering, newline, closefd, opener: as :func:`io.open` has them.

    Raises:
        ValueError: the mode is a binary one, or the form refuses the policy.
        LookupError: no such form or policy. OSError: the file cannot be opened.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "lead.txt")
    >>> with open(path, "w", "wtf-8") as file:
    ...     _ = file.write("last: \ud83d")
    >>> with open(path, "r", "wtf-8") as file:
    ...     file.read()
    'last: \ud83d'
    """
    if "b" in mode:
        raise ValueError(f"eightfold.open opens text, not the binary mode {mode!r}")
    asked = form_named(form)
    check_policy(errors, asked)
    # Line buffering is the text layer's affair; a binary file has none.
    kept = -1 if buffering == 1 else buffering
    binary = builtins.open(path, mode.replace("t", "") + "b", kept, closefd=closefd, opener=opener)  # noqa: SIM115
    try:
        file = TextFile(binary, asked, errors, newline, buffering == 1)
        file.mode = mode
        return file
    except BaseException:
        binary.close()
        raise
