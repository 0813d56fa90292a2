r"""Strings with their length before them, as class files, ``java.io.DataInput`` and NBT hold them.

Two bytes, big-endian, count the bytes of Modified UTF-8 that follow. The bytes themselves are the business of the form
``mutf-8``.

Source: java.io.DataInput.readUTF, java.io.DataOutput.writeUTF; JVMS 4.4.7.
"""

from __future__ import annotations

from typing import Protocol

from eightfold.forms.mutf_8 import MUTF_8
from eightfold.policy import check_policy
from eightfold.text import AnyErrors, decode, encode

COUNT_BYTES = 2
LARGEST_COUNT = 0xFFFF
"""How many bytes of Modified UTF-8 a string with its length before it can have."""


class Source(Protocol):
    """A binary stream to read from; it may give fewer bytes than it is asked for, as raw streams do."""

    def read(self, size: int, /) -> bytes | None:
        """Return at most ``size`` bytes, none at the end of the stream."""


class Sink(Protocol):
    """A binary stream to write to; it may take fewer bytes than it is given, as raw streams do."""

    def write(self, data: bytes, /) -> int | None:
        """Return how many bytes were taken."""


def read_utf(stream: Source, *, errors: AnyErrors = "strict") -> str:
    r"""Return the next string of a binary stream, as Java's ``readUTF``.

    Args:
        stream: a binary stream, buffered or raw, that blocks.
        errors: ``strict``; ``java``, which takes what Java's reader takes; or any policy that ``mutf-8`` has.

    Raises:
        EOFError: the stream ends before the string does.
        DecodeError: the string is ill-formed; offsets count its bytes, after the length.
        BlockingIOError: the stream does not block, and has nothing now.
        LookupError: no such policy; nothing has been read.

    Source: java.io.DataInput.readUTF.

    >>> import io
    >>> read_utf(io.BytesIO(b"\x00\x03a\xc0\x80"))
    'a\x00'
    """
    check_policy(errors, MUTF_8)
    byte_count = int.from_bytes(_read_exactly(stream, COUNT_BYTES), "big")
    return decode(_read_exactly(stream, byte_count), MUTF_8, errors)


def _read_exactly(stream: Source, byte_count: int) -> bytearray:
    data = bytearray()
    while len(data) < byte_count:
        chunk = stream.read(byte_count - len(data))
        if chunk is None:
            raise BlockingIOError("the stream has no bytes now; a string is read from one that blocks")
        if not chunk:
            raise EOFError(f"{byte_count} bytes were due, and the stream ended after {len(data)}")
        data += chunk
    return data


def write_utf(stream: Sink, text: str) -> None:
    r"""Write a string to a binary stream, as Java's ``writeUTF``.

    Args:
        stream: a binary stream, buffered or raw, that blocks.
        text: any str, surrogates included.

    Raises:
        ValueError: the text takes more than :data:`LARGEST_COUNT` bytes; nothing has been written.
        BlockingIOError: the stream does not block, and takes nothing now.

    Source: java.io.DataOutput.writeUTF.

    >>> import io
    >>> stream = io.BytesIO()
    >>> write_utf(stream, "a\0")
    >>> stream.getvalue()
    b'\x00\x03a\xc0\x80'
    """
    encoded = encode(text, MUTF_8)
    if len(encoded) > LARGEST_COUNT:
        raise ValueError(f"the text takes {len(encoded)} bytes of mutf-8; its length can be {LARGEST_COUNT} at most")
    rest = len(encoded).to_bytes(COUNT_BYTES, "big") + encoded
    while rest:
        taken = stream.write(rest)
        if not taken:
            raise BlockingIOError("the stream takes no bytes now; a string is written to one that blocks")
        rest = rest[taken:]


__all__ = ["LARGEST_COUNT", "read_utf", "write_utf"]
