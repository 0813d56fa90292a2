"""Bytes that mean something in every form, well-formed or not, and files of them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from hypothesis import strategies as st

import eightfold
from eightfold.files.read.reading import Source, opened
from eightfold.forms import form

Part = TypeVar("Part")
NAMES = [each.name for each in eightfold.forms()]
PLAIN = [name for name in NAMES if not form(name).signatures]
# Parts that mean something in every form: all lengths of sequences, halves of pairs, runs, lines, marks.
PIECES = (
    *(b"a", b"\n", b" ", b"\0", b"\xc3\xa9", b"\xc0\x80", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80", b"\xed\xa0\xbd"),
    *(b"\xed\xb8\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xee\xbe\x80", b"\xef\xbb\xbf", b"\xef\xb7\x9d\xed\xb2\xae\0"),
    *(b"\x80", b"\xff", b"\xfe\x80\x80", b"\xe2", b"\xf4\x90", b"\xfc\x80\x80\x80\x80\x80", b"\xff\xfe", b"\xfe\xff"),
    *(b"\x3d\xd8", b"\0\xde", b"\xd8\x3d", b"\xde\0", b"\n\0", b"\0\n", b"\0\0\0\n"),
)


def some_of(parts: Sequence[Part], most: int) -> st.SearchStrategy[list[Part]]:
    """Draw a list of up to so many of these parts, at most 256, as ``st.lists(st.sampled_from(parts))`` does.

    One draw of bytes chooses them all: a draw or two for each takes Hypothesis longer than most tests of it take.
    """
    return st.binary(max_size=most).map(lambda chosen: [parts[each % len(parts)] for each in chosen])


SOUP = some_of(PIECES, 60).map(b"".join)


@contextmanager
def source_of(data: bytes) -> Iterator[Source]:
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(data)
    try:
        with opened(file.name) as source:
            yield source
    finally:
        os.unlink(file.name)
