"""Files in legacy charsets, which Python's codecs read and write: their faults with places, and their conversion.

See :mod:`eightfold.legacy`. Such a file is read from its beginning to its end: its charset may have a state.
"""

from __future__ import annotations

from collections.abc import Iterator

from eightfold.faults import ConversionError, Fault
from eightfold.files.read.reading import Source
from eightfold.forms import Form
from eightfold.legacy import CharsetConverter, CharsetDecoder, charset
from eightfold.stream import Located
from eightfold.text import LinePosition


def foreign_faults(source: Source, form: Form) -> Iterator[Located]:
    """Yield the faults of what is left of a source, in order, with their places.

    Raises:
        FileError: it cannot be read; the faults before that have been yielded.
    """
    decoder, position = CharsetDecoder(charset(form.name)), LinePosition(form)
    for chunk, final in source.pieces():
        for found in decoder.pieces(chunk, final=final):
            if isinstance(found, Fault):
                yield Located(found, position.line, position.column)
                position.pass_over(found.units)
            else:
                position.pass_over(found.data)


def foreign_results(
    source: Source, ends: tuple[Form, Form], errors: str
) -> Iterator[tuple[bytes, bytes, bool, ConversionError | None]]:
    """Yield each chunk of a source, what it becomes, whether it is the last, and what stops the conversion behind it.

    Raises:
        FileError: it cannot be read.
    """
    converter, passed = CharsetConverter(*ends, errors), 0
    for chunk, final in source.pieces():
        try:
            result = converter.convert(chunk, final)
        except ConversionError as error:
            end, result = converter.before
            yield chunk[: max(0, end - passed)], result, False, error
            return
        yield chunk, result, final, None
        passed += len(chunk)
