r"""The difference between a file and its planned content, line by line, in the style of unified diffs.

Both have the same number of lines: every form has U+000A, and no policy adds or removes one. So lines are compared one
by one while both sides are read, and only one hunk is held. Lines are shown as a reader of UTF-8 sees their bytes:
well-formed printable characters as they are, other bytes as `\xHH`. That is for reading, not for `patch`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from eightfold import reference
from eightfold.files.path_text import shown
from eightfold.forms import Form

CONTEXT = 3
"""The number of lines shown before and after a difference."""
HUNK_LINES = 100
"""A hunk with more differing lines is split."""
LINE_BYTES = 1 << 16
"""A longer line is compared to its end, but only its size is shown."""


class DiffLine(NamedTuple):
    """One line of a difference.

    Attributes:
        sign: ``-``, ``+``, space, ``@`` for a hunk, backslash for a remark.
        text: what follows it.
        end: for a hunk, the number of the line of the source behind it; else 0.
    """

    sign: str
    text: str
    end: int = 0


class Difference:
    r"""Compares the lines of a source and of its result, piece by piece.

    Args:
        source, target: both forms; a signature in the source determines the byte order.

    >>> from eightfold.forms import form
    >>> difference = Difference(form("utf-8"), form("utf-8"))
    >>> for sign, text, _ in difference.rows(b"one\ncaf\xe9\n", b"one\ncaf\xc3\xa9\n", final=True):
    ...     print(sign + text)
    @@ -1,2 +1,2 @@
     one
    -caf\xE9
    +café
    """

    def __init__(self, source: Form, target: Form) -> None:
        self._source, self._result = _Lines(source), _Lines(target)
        self._hunk = _Hunk()
        self._number = 0

    def rows(self, chunk: bytes, result: bytes, *, final: bool = False) -> Iterator[DiffLine]:
        """Compare more of the source with more of its result; yield the lines that are certain to be shown."""
        self._source.read(chunk, final=final)
        self._result.read(result, final=final)
        while (self._source.due and self._result.due) or (final and (self._source.due or self._result.due)):
            self._number += 1
            yield from self._hunk.add(self._number, self._source.next(), self._result.next())
        if final:
            yield from self._hunk.end()


class _Content(NamedTuple):
    """A line by its bytes and those of the U+000A that ends it, if one does; a long one by its size and digest."""

    data: bytes
    size: int
    end: bytes

    def rows(self, sign: str) -> Iterator[DiffLine]:
        yield DiffLine(sign, _seen(self.data) if self.size <= LINE_BYTES else f"({self.size} bytes, too long to show)")
        if not self.end:
            yield DiffLine("\\", " No line feed at the end of the file")


class _Lines:
    """The lines of one side."""

    def __init__(self, form: Form) -> None:
        self.due: deque[_Content] = deque()
        self._form = form
        self._feed: bytes | None = None
        self._held = b""
        self._line = _Growing()

    def next(self) -> _Content | None:
        return self.due.popleft() if self.due else None

    def read(self, data: bytes, *, final: bool) -> None:
        content = self._held + data
        if self._feed is None:
            self._feed = _line_feed(self._form, content, final=final)
        if self._feed is None:
            self._held = content
            return
        whole = len(content) if final else len(content) - len(content) % len(self._feed)
        *ended, rest = _split(content[:whole], self._feed)
        self._held = content[whole:]
        for part in ended:
            self._line.add(part)
            self._end_line(self._feed)
        self._line.add(rest)
        if final and self._line.size:
            self._end_line(b"")

    def _end_line(self, end: bytes) -> None:
        self.due.append(self._line.as_line(end))
        self._line = _Growing()


class _Growing:
    """A line whose end has not been read yet."""

    def __init__(self) -> None:
        self.size = 0
        self._data = b""
        self._digest = sha256()

    def add(self, data: bytes) -> None:
        self.size += len(data)
        if self.size > LINE_BYTES:
            self._digest.update(self._data + data)
            self._data = b""
        else:
            self._data += data

    def as_line(self, end: bytes) -> _Content:
        return _Content(self._digest.digest() if self.size > LINE_BYTES else self._data, self.size, end)


def _line_feed(form: Form, head: bytes, *, final: bool) -> bytes | None:
    opening = reference.opening(form, head, final=final)
    return None if opening is None else reference.encoded(opening[0], 0x0A)


def _split(data: bytes, feed: bytes) -> Iterator[bytes]:
    """Yield the parts between line feeds, in whole code units; the last part follows the last line feed."""
    start = at = 0
    while (at := data.find(feed, at)) >= 0:
        if at % len(feed):
            at += 1
            continue
        yield data[start:at]
        start = at = at + len(feed)
    yield data[start:]


class _Hunk:
    """Differing lines, with the equal ones around them."""

    def __init__(self) -> None:
        self._pairs: list[tuple[_Content | None, _Content | None]] = []
        self._first = 1
        self._open = False  # whether the held lines belong to a hunk
        self._differing = 0
        self._alike = 0  # the number of equal lines since the last difference

    def add(self, number: int, old: _Content | None, new: _Content | None) -> Iterator[DiffLine]:
        if not self._pairs:
            self._first = number
        self._pairs.append((old, new))
        if old != new:
            self._open, self._differing, self._alike = True, self._differing + 1, 0
            if self._differing == HUNK_LINES:
                yield from self._show(len(self._pairs))
            return
        self._alike += 1
        if self._open and self._alike > 2 * CONTEXT:
            yield from self.end()
        if not self._open:
            self._drop(len(self._pairs) - CONTEXT)

    def end(self) -> Iterator[DiffLine]:
        """Show the hunk, if there is one; the last lines may precede the next."""
        if self._open:
            yield from self._show(len(self._pairs) - max(0, self._alike - CONTEXT))
        self._open = False

    def _show(self, count: int) -> Iterator[DiffLine]:
        if count:
            yield from self._rows(self._pairs[:count])
        self._drop(count)
        self._differing = 0

    def _drop(self, count: int) -> None:
        if count > 0:
            del self._pairs[:count]
            self._first += count

    def _rows(self, pairs: list[tuple[_Content | None, _Content | None]]) -> Iterator[DiffLine]:
        spans = (f"{self._first},{sum(pair[side] is not None for pair in pairs)}" for side in (0, 1))
        yield DiffLine("@", "@ -{} +{} @@".format(*spans), self._first + len(pairs))
        removed: list[DiffLine] = []
        added: list[DiffLine] = []
        for old, new in pairs:
            if old == new and old is not None:
                yield from (*removed, *added, *old.rows(" "))
                removed, added = [], []
                continue
            removed += [] if old is None else old.rows("-")
            added += [] if new is None else new.rows("+")
        yield from (*removed, *added)


def _seen(data: bytes) -> str:
    r"""Return bytes as a reader of UTF-8 sees them, with ill-formed and unprintable ones escaped."""
    return shown(data.decode("utf-8", "surrogateescape"))
