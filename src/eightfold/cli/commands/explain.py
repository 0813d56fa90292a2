"""`eightfold explain`: every sequence of a file, with its bits, its code point and its name, or its fault."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from eightfold.cli.options.arguments import (
    CommandParser,
    add_form,
    add_output_format,
    count_argument,
    path_argument,
)
from eightfold.cli.options.reading_options import ReadingOptions, add_reading
from eightfold.cli.output.colour import Cell, Styled, drawn_table, is_on
from eightfold.cli.output.ending import FAULTS, NOTHING_WRONG, UsageError
from eightfold.cli.output.lines import put, say
from eightfold.cli.work.inputs import byte_order_reported, identified, tell_byte_order, verdict_of
from eightfold.cli.work.watching import watched
from eightfold.explain import iter_explained, iter_explained_text
from eightfold.explain.as_text import HEADER, cells, text_lines
from eightfold.explain.rows import Explained
from eightfold.files import FileError
from eightfold.files.path_text import reported
from eightfold.files.read.reading import STANDARD_INPUT, Source, opened
from eightfold.files.write.writing import check_not_output
from eightfold.forms import Form
from eightfold.forms.utf_8 import UTF_8
from eightfold.version import __version__

FORMATS = ("text", "json")
_ROWS_DRAWN = 1000


@dataclass
class Options(ReadingOptions):
    """The options of `explain`; `form` is None for auto."""

    path: str | None = None
    form: Form | None = UTF_8
    hex: bytes | None = None
    text: str | None = None
    offset: int = 0
    limit: int | None = None
    output_format: str = "text"


_DESCRIPTION = """\
Explain every sequence of a file: its offset, its bytes in hex and in bits, its
code point and its name. For a fault, say which fault it is, with the source of
the rule that it breaks in brackets. Bits in brackets are the payload, which
gives the code point; the other bits give the length of the sequence and the
position of the byte in it.
Exit status 0: nothing wrong; 1: faults in the part shown; 2: wrong use or an
unreadable file."""
_EXAMPLES = [
    ('eightfold explain --hex "ED A0 80"', "what is wrong with these three bytes?"),
    ('eightfold explain -f cesu-8 --text "hé"', "how does CESU-8 write this?"),
    ("eightfold explain --offset 4096 --limit 20 notes.txt", "show twenty sequences of a large file"),
    ("eightfold explain -f utf-16 --output-format json notes.txt", "a file in another form, for a program"),
]


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "explain",
        "[OPTIONS] [FILE | --hex BYTES | --text TEXT]",
        _DESCRIPTION,
        _EXAMPLES,
    )
    command.add_argument(
        "path",
        nargs="?",
        type=path_argument,
        metavar="FILE",
        help="a file, or - for standard input, which is the default",
    )
    command.add_argument(
        "--hex", type=hex_argument, metavar="BYTES", help="explain these bytes, in hex, instead of a file"
    )
    command.add_argument("--text", metavar="TEXT", help="explain how the form writes this text")
    add_form(command)
    add_reading(command)
    command.add_argument(
        "--offset",
        type=count_argument,
        metavar="N",
        help="begin at byte N, or with --text at code point N; counted from 0",
    )
    command.add_argument("--limit", type=count_argument, metavar="N", help="explain at most N sequences")
    add_output_format(command, FORMATS)
    return command


def hex_argument(given: str) -> bytes:
    r"""Return bytes from hex digits, which may have spaces, commas or colons between them and 0x or \x before them.

    Raises:
        argparse.ArgumentTypeError: they are none.

    >>> hex_argument("ED A0 80") == hex_argument("eda080") == hex_argument(r"\xed\xa0\x80")
    True
    """
    try:
        return bytes.fromhex(re.sub(r"0[xX]|\\x|[,:]", " ", given))
    except ValueError:
        raise argparse.ArgumentTypeError(f'{given!r} is not bytes in hex, such as "ED A0 80"') from None


def run(options: Options) -> int:
    """Explain the input; return the exit status."""
    if sum(each is not None for each in (options.path, options.hex, options.text)) > 1:
        raise UsageError("give only one of FILE, --hex and --text")
    if options.text is not None:
        return _explain_text(options, options.text)
    if options.hex is not None:
        return _explain_bytes(options, options.hex)
    return _explain_file(options, options.path or STANDARD_INPUT)


def _explain_text(options: Options, text: str) -> int:
    if options.form is None:
        raise UsageError("--text has no encoding to identify: use -f to name the form to write it in")
    rows = iter_explained_text(text, options.form)
    if options.offset:
        rows = (row for row in rows if row.end > options.offset)
    return _show(options, options.form, rows, lambda: len(text))


def _explain_bytes(options: Options, data: bytes) -> int:
    found = options.form or _identified(data)
    tell_byte_order("--hex", found, data)
    return _show(options, found, iter_explained((data,), found, options.offset), lambda: len(data))


def _identified(data: bytes) -> Form:
    from eightfold.identify import Identifier

    identifier = Identifier()
    identifier.feed(data)
    found, verdict = verdict_of(identifier)
    say(verdict)
    return found


def _explain_file(options: Options, path: str) -> int:
    check_not_output(path)
    reading = opened(path, twice=options.form is None, unpack=options.unpack)
    with watched(options, (path,)), reading as source:
        found = options.form or identified(source)
        chunks = _CountedChunks(source)
        with byte_order_reported(source, found):
            return _show(options, found, iter_explained(chunks, found, options.offset), lambda: chunks.length)


class _CountedChunks:
    """The chunks of a source, and how many bytes they have contained so far."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.length = 0

    def __iter__(self) -> Iterator[bytes]:
        for chunk, _ in self._source.pieces():
            self.length += len(chunk)
            yield chunk


def _show(options: Options, form: Form, rows: Iterator[Explained], length: Callable[[], int]) -> int:
    """Print the requested rows, from the offset on; return the exit status."""
    if options.offset:
        rows = _checked(rows, length)
    noted = _Noted(islice(rows, options.limit))
    if options.output_format == "json":
        _put_json(options, form, noted)
    elif is_on(sys.stdout):
        _put_tables(noted)
    else:
        for line in text_lines(noted):
            put(line)
    if noted.error is not None:
        raise noted.error
    if options.limit is not None and next(rows, None) is not None:
        say(f"more follows: output stops after {options.limit} (--limit)")
    return FAULTS if noted.faults else NOTHING_WRONG


def _checked(rows: Iterator[Explained], length: Callable[[], int]) -> Iterator[Explained]:
    """Return the rows; if there are none, the offset is past the end, which is wrong use."""
    first = next(rows, None)
    if first is None:
        offsets = f"offsets run from 0 to {length() - 1}" if length() else "the input is empty"
        raise UsageError(f"--offset is past the end: {offsets}")
    return chain((first,), rows)


def _put_tables(rows: Iterable[Explained]) -> None:
    """Draw a table of the rows, and another after each thousand, so that memory does not grow with the file."""
    remaining = iter(rows)
    while batch := list(islice(remaining, _ROWS_DRAWN)):
        put(drawn_table(HEADER, map(_cells, batch), right=0), end="")


def _cells(row: Explained) -> tuple[Cell, ...]:
    offset, units, bits, code_point, character, name = cells(row)
    marked = [Styled(part, "payload") if part.startswith("[") else part for part in re.split(r"(\[.*?\])", bits)]
    kind = Styled(name, row.fault.severity) if row.fault else name
    return [Styled(offset, "place")], [units], marked, [Styled(code_point, "form")], [character], [kind]


class _Noted:
    """Rows as they pass, whether any of them is a fault, and the error that ended them, raised once they are shown."""

    def __init__(self, rows: Iterator[Explained]) -> None:
        self._rows = rows
        self.faults = False
        self.error: FileError | None = None

    def __iter__(self) -> Iterator[Explained]:
        try:
            for row in self._rows:
                self.faults = self.faults or row.fault is not None
                yield row
        except FileError as error:
            self.error = error


def _put_json(options: Options, form: Form, rows: _Noted) -> None:
    """Write one JSON object as it goes, so that memory does not grow with the file; every row has a line of its own."""
    file = {"path": reported(options.path or STANDARD_INPUT)} if options.hex is None and options.text is None else {}
    put(json.dumps({"version": __version__, **file, "form": form.name})[:-1] + ', "rows": [', end="")
    separator = ""
    for row in rows:
        put(f"{separator}\n  {json.dumps(row.as_dict())}", end="")
        separator = ","
    put("\n]}" if separator else "]}")
