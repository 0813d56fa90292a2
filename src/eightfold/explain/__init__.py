r"""Explain bytes or a str: one row for each sequence, with its bits, code point and name, or its fault.

`reference` defines what is ill-formed, and `faults` has the wording; this package builds the rows. The modules
`as_text` and `as_html` format them.

>>> import eightfold
>>> print(eightfold.explain(b"h\xc3\xa9\xed\xa0\x80", "wtf-8"))
offset  bytes     bits                              code point     name
     0  68        0[1101000]                        U+0068      h  LATIN SMALL LETTER H
     1  C3 A9     110[00011] 10[101001]             U+00E9      é  LATIN SMALL LETTER E WITH ACUTE
     3  ED A0 80  1110[1101] 10[100000] 10[000000]  U+D800         <surrogate-D800>
>>> print(eightfold.explain(b"\xc0\xaf", "utf-8"))
offset  bytes  bits                   code point    name
     0  C0 AF  110[00000] 10[101111]                overlong: overlong form of U+002F (C0 AF) [utf8(7), c0-c1]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from eightfold import reference
from eightfold.arguments import AnyForm, Data, bytes_of, exactly
from eightfold.explain.bits import entry_of_fault, entry_of_sequence, marked_bits, source_of_lack
from eightfold.explain.landing import Landing, landed
from eightfold.explain.rows import Explained
from eightfold.faults import Fault
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.reference import signed
from eightfold.stream import Checker
from eightfold.text import encode_faults

_BYTES_AT_ONCE = 1024
"""The size of the slices of a chunk. Faults take more memory than their bytes, so they are created slice by slice."""


class Explanation(list[Explained]):
    r"""The rows of an explanation, in order. ``str()`` gives a table of aligned text; notebooks display an HTML table.

    Attributes:
        form: the name of the form.

    >>> explain(b"A", "utf-8").as_dict()["form"]
    'utf-8'
    """

    def __init__(self, form: str, rows: Iterable[Explained] = ()) -> None:
        super().__init__(rows)
        self.form = form

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation as a JSON-ready dict.

        >>> explain(b"a", "utf-8").as_dict()["rows"][0]["name"]
        'LATIN SMALL LETTER A'
        """
        return {"form": self.form, "rows": [row.as_dict() for row in self]}

    def __str__(self) -> str:
        from eightfold.explain.as_text import text_lines

        return "\n".join(text_lines(self))

    def _repr_html_(self) -> str:
        from eightfold.explain.as_html import html_table

        return html_table(self, self.form)


def explain(data_or_text: Data | str, form: AnyForm) -> Explanation:
    r"""Return one row for each sequence of bytes, or for each code point of a str as the form writes it.

    A fault is one row, however long; so is a signature at the beginning of the input. A surrogate pair of a str is one
    row if the form joins it. A code point of a str that the form cannot write has a row of its own, with the fault that
    contains it.

    Args:
        data_or_text: any bytes-like object, or any str.
        form: a Form or its name.

    Raises:
        LookupError: unknown form. TypeError: the argument is neither bytes-like nor a str.

    >>> [(row.offset, row.name) for row in explain("\ud83d\ude00!", "wtf-8")]
    [(0, 'GRINNING FACE'), (2, 'EXCLAMATION MARK')]
    >>> [row.fault.kind for row in explain(b"\xc0\xaf", "utf-8")]
    ['overlong']
    """
    asked = form_named(form)
    if isinstance(data_or_text, str):
        return Explanation(asked.name, iter_explained_text(data_or_text, asked))
    return Explanation(asked.name, iter_explained((data_or_text,), asked))


def iter_explained(chunks: Iterable[Data], form: AnyForm, start: int = 0) -> Iterator[Explained]:
    r"""Yield the rows of bytes that arrive in chunks of any size; memory use does not grow with the input.

    Args:
        chunks: the input.
        form: a Form or its name.
        start: begin with the row that contains the byte at this offset; the bytes before it are skipped fast.

    >>> [row.end for row in iter_explained([b"A\xc3", b"\xa9\xff"], "utf-8")]
    [1, 3, 4]
    >>> [row.offset for row in iter_explained([b"A\xc3", b"\xa9\xff"], "utf-8", 2)]
    [1, 3]
    """
    asked = form_named(form)
    contents = filter(None, map(bytes_of, chunks))
    landing = landed(asked, contents, start) if start else Landing(0, b"")
    reader = _RowCutter(asked, landing)
    for content in chain((landing.content,), contents):
        for at in range(0, len(content), _BYTES_AT_ONCE):
            yield from _from(start, reader.rows(content[at : at + _BYTES_AT_ONCE], final=False))
    yield from _from(start, reader.rows(b"", final=True))


def _from(start: int, rows: Iterator[Explained]) -> Iterator[Explained]:
    return (row for row in rows if row.end > start)


class _RowCutter:
    """Divides bytes into rows: a Checker finds the faults, and the bytes between them are well-formed."""

    def __init__(self, asked: Form, landing: Landing) -> None:
        self._asked = asked
        self._form = landing.form
        self._checker = Checker(landing.form or asked)
        self._faults = deque[Fault]()
        self._held = b""
        self._begun = self._held_from = self._next = landing.offset
        if landing.run is not None:
            self._faults.append(landing.run.renamed(asked.name))
            self._begun = self._held_from = landing.run.end

    def rows(self, chunk: bytes, *, final: bool) -> Iterator[Explained]:
        """Yield the rows that later bytes cannot change."""
        found = (each.fault for each in self._checker.check(chunk, final))
        self._faults.extend(fault.moved(self._begun).renamed(self._asked.name) for fault in found)
        self._held += chunk
        if self._form is None:
            opening = reference.opening(self._asked, self._held, final=final)
            if opening is None:
                return
            self._form, self._next = opening
            if self._next:
                yield _signature(self._asked, self._form, self._held[: self._next], self._next)
        yield from self._rows(self._form, final=final)
        self._forget()

    def _rows(self, form: Form, *, final: bool) -> Iterator[Explained]:
        while row := self._fault_row(form) or self._sequence_row(form, final=final):
            self._next = row.end
            yield row

    def _fault_row(self, form: Form) -> Explained | None:
        if not self._faults or self._faults[0].start != self._next:
            return None
        fault = self._faults.popleft()
        entry = entry_of_fault(form, fault)
        source = entry.source if entry else form.source
        bits = marked_bits(form, entry, fault.units)
        return Explained(fault.start, fault.end, fault.units, bits, None, "", source, fault)

    def _sequence_row(self, form: Form, *, final: bool) -> Explained | None:
        start = self._next - self._held_from
        if not 0 <= start < len(self._held):
            return None
        step = reference.sequence_at(form, self._held, start, final=final)
        if step is None or step.code_point is None:
            return None
        return _sequence(form, self._next, self._next + step.end - start, self._held[start : step.end], step.code_point)

    def _forget(self) -> None:
        """Drop bytes that have a row, and a sequence without a fixed length, whose end the Checker will find."""
        done = self._next - self._held_from
        if self._form is not None and (done < 0 or reference.begins_run(self._form, self._held, done)):
            done = len(self._held) - len(self._held) % self._form.unit_bytes
        self._held = self._held[done:]
        self._held_from += done


def iter_explained_text(text: str, form: AnyForm) -> Iterator[Explained]:
    r"""Yield the rows of a str: the signature, if the form writes one, then how the form writes each code point.

    >>> [row.units for row in iter_explained_text("A", "utf-8-sig")]
    [b'\xef\xbb\xbf', b'A']
    """
    asked = form_named(form)
    plain, mark = signed(asked)
    if mark:
        yield _signature(asked, plain, mark, 0)
    points, at = tuple(map(ord, exactly(text))), 0
    faults = encode_faults(text, asked)
    fault: Fault | None = None
    while at < len(points):
        code_point, end = reference.next_written(plain, points, at)
        units = reference.encoded(plain, code_point)
        if units is not None:
            yield _sequence(plain, at, end, units, code_point)
        else:
            fault = fault if fault and at < fault.end else next(faults)
            yield _lacking(plain, at, end, code_point, fault)
        at = end


def _signature(asked: Form, announced: Form, mark: bytes, end: int) -> Explained:
    return Explained(0, end, mark, "", None, f"signature: {announced.name} follows", asked.source)


def _sequence(form: Form, offset: int, end: int, units: bytes, code_point: int) -> Explained:
    row = entry_of_sequence(form, units)
    bits = marked_bits(form, row, units)
    return Explained(offset, end, units, bits, code_point, _named(code_point), row.source)


def _lacking(form: Form, offset: int, end: int, code_point: int, fault: Fault) -> Explained:
    name = _named(code_point)
    return Explained(offset, end, b"", "", code_point, name, source_of_lack(form, code_point), fault)


def _named(code_point: int) -> str:
    # Importing this loads the character database, which only explanations need.
    from eightfold.explain.characters import character_name

    return character_name(code_point)
