r"""Length-prefixed strings, as in class files, ``java.io.DataInput`` and NBT.

A two-byte, big-endian prefix gives the number of bytes of Modified UTF-8 that follow. The form ``mutf-8`` encodes and
decodes these bytes.

Source: java.io.DataInput.readUTF, java.io.DataOutput.writeUTF; JVMS 4.4.7.
"""

from __future__ import annotations

import io
from typing import Protocol

from eightfold.arguments import AnyErrors
from eightfold.forms.mutf_8 import MUTF_8
from eightfold.policy import check_policy
from eightfold.text import decode, encode

COUNT_BYTES = 2
LARGEST_COUNT = 0xFFFF
"""The maximum length of a length-prefixed string, in bytes of Modified UTF-8."""


class Source(Protocol):
    """A binary stream to read from; like a raw stream, it may return fewer bytes than requested."""

    def read(self, size: int, /) -> bytes | None:
        """Return at most ``size`` bytes; return ``b""`` at the end of the stream."""


class Sink(Protocol):
    """A binary stream to write to; like a raw stream, it may write fewer bytes than given."""

    def write(self, data: bytes, /) -> int | None:
        """Return the number of bytes written."""


def read_utf(stream: Source, *, errors: AnyErrors = "strict") -> str:
    r"""Read the next string from a binary stream, like Java's ``readUTF``.

    Args:
        stream: a blocking binary stream, buffered or raw.
        errors: ``strict``; ``java``, which accepts what Java's reader accepts; or any other policy of ``mutf-8``.

    Raises:
        EOFError: the stream ends before the string does.
        DecodeError: the string is ill-formed; offsets count its bytes, after the length.
        BlockingIOError: the stream is non-blocking and has no data available.
        LookupError: unknown policy; nothing has been read.
        TypeError: the stream is a text stream, or not a stream to read from.

    Source: java.io.DataInput.readUTF.

    >>> import io
    >>> read_utf(io.BytesIO(b"\x00\x03a\xc0\x80"))
    'a\x00'
    """
    check_policy(errors, MUTF_8)
    _check_is_binary(stream, "read")
    byte_count = int.from_bytes(_read_exactly(stream, COUNT_BYTES), "big")
    return decode(_read_exactly(stream, byte_count), MUTF_8, errors)


def _check_is_binary(stream: object, method: str) -> None:
    if isinstance(stream, io.TextIOBase):
        raise TypeError(f"a binary stream is required, not {type(stream).__name__}: open the file in binary mode")
    if not hasattr(stream, method):
        raise TypeError(f"a binary stream is required, not {type(stream).__name__}, which has no method {method!r}")


def _read_exactly(stream: Source, byte_count: int) -> bytearray:
    data = bytearray()
    while len(data) < byte_count:
        chunk = stream.read(byte_count - len(data))
        if chunk is None:
            raise BlockingIOError("the stream has no data available; read_utf needs a blocking stream")
        if not chunk:
            raise EOFError(f"expected {byte_count} bytes, but the stream ended after {len(data)}")
        data += chunk
    return data


def write_utf(stream: Sink, text: str) -> None:
    r"""Write a string to a binary stream, like Java's ``writeUTF``.

    Args:
        stream: a blocking binary stream, buffered or raw.
        text: any str, surrogates included.

    Raises:
        ValueError: the text takes more than :data:`LARGEST_COUNT` bytes; nothing has been written.
        BlockingIOError: the stream is non-blocking and cannot accept data now.
        TypeError: the text is not a str, or the stream is a text stream, or not a stream to write to.

    Source: java.io.DataOutput.writeUTF.

    >>> import io
    >>> stream = io.BytesIO()
    >>> write_utf(stream, "a\0")
    >>> stream.getvalue()
    b'\x00\x03a\xc0\x80'
    """
    encoded = encode(text, MUTF_8)
    _check_is_binary(stream, "write")
    if len(encoded) > LARGEST_COUNT:
        raise ValueError(f"the text takes {len(encoded)} bytes in mutf-8; the maximum is {LARGEST_COUNT}")
    rest = len(encoded).to_bytes(COUNT_BYTES, "big") + encoded
    while rest:
        taken = stream.write(rest)
        if not taken:
            raise BlockingIOError("the stream cannot accept data now; write_utf needs a blocking stream")
        rest = rest[taken:]


__all__ = ["LARGEST_COUNT", "read_utf", "write_utf"]
