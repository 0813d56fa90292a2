"""`eightfold table`: the table of a form as its file has it, or how the forms of the family compare."""

from __future__ import annotations

import argparse
import string
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from eightfold.cli.options.arguments import CommandParser, add_output_format, end_named
from eightfold.cli.output.colour import Styled, drawn_table, is_on, painted
from eightfold.cli.output.ending import NOTHING_WRONG
from eightfold.cli.output.lines import put
from eightfold.family import Comparison, compared
from eightfold.faults import code_point_name, hex_bytes
from eightfold.forms import FaultRow, Form, Row, forms
from eightfold.forms.as_text import points_text, units_text
from eightfold.legacy import Charset, charset, charsets
from eightfold.tables import form_values
from eightfold.version import __version__

FORMATS = ("text", "json")
_WIDTH = 78
_KEYS = string.ascii_letters
_SAME, _CONTAINED, _LOSSLESS, _LOST = "=<+."
_MEANINGS = {
    _SAME: "the same form",
    _CONTAINED: "contained: its text is well-formed in the other, unchanged",
    _LOSSLESS: "lossless: every text round-trips through the other",
    _LOST: "not lossless: `eightfold table FORM` shows what does not round-trip",
}
_ROLES = {_SAME: "aside", _CONTAINED: "good", _LOSSLESS: "form", _LOST: "error"}


@dataclass
class Options:
    """The options of `table`; without a form it is about the whole family."""

    form: Form | None = None
    output_format: str = "text"


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "table",
        "[OPTIONS] [FORM]",
        "Show the table of a form: which sequences encode which code points, which other\n"
        "sequences are one decoding unit, and which ill-formed sequences have a name,\n"
        "each with its source; then how the form compares with the others. Without a\n"
        "form: which forms of the family contain which, and which conversions between\n"
        "them are lossless. The comparison is computed from the tables. Legacy charsets,\n"
        "which Python's codecs define, are listed as foreign.",
        [
            ("eightfold table wtf-8", "what exactly is WTF-8?"),
            ("eightfold table", "into which form can a file go without loss?"),
            ("eightfold table --output-format json cesu-8", "print a table for a program"),
            ("eightfold table shift_jis", "is this charset known, and what does its name mean on the web?"),
        ],
    )
    command.add_argument(
        "form", nargs="?", type=_form_argument, metavar="FORM", help="the form (default: compare all forms)"
    )
    add_output_format(command, FORMATS)
    return command


def _form_argument(name: str) -> Form:
    # The form of this very name: a table is of no file, so Corrected UTF-8 needs no magic number here.
    try:
        return end_named(name)
    except LookupError as error:
        raise argparse.ArgumentTypeError(f"{error.args[0]}; `eightfold table` lists them all") from None


def run(options: Options) -> int:
    """Show the table; return the exit status."""
    if options.output_format == "json":
        asked = (options.form,) if options.form else (*forms(), *charsets())
        family = _json_list(form_values(each) for each in asked if not each.is_foreign)
        foreign = _json_list(_charset_values(charset(each.name)) for each in asked if each.is_foreign)
        put(f'{{"version": "{__version__}", "forms": {family}, "foreign": {foreign}}}')
    else:
        for line in _lines(options.form) if options.form else _family_lines():
            put(line)
    return NOTHING_WRONG


def _lines(form: Form) -> Iterator[str]:
    return _charset_lines(charset(form.name)) if form.is_foreign else _form_lines(form)


# --- a form -----------------------------------------------------------------------------------------------------------


def _form_lines(form: Form) -> Iterator[str]:
    yield _painted(form.name, "form")
    yield from _wrapped("  ", form.note)
    yield from _wrapped("  ", f"Source: {form.source}" if form.source else "")
    for title, lines in _sections(form):
        if lines:
            yield ""
            yield _painted(title, "title")
            yield from lines


def _sections(form: Form) -> Iterator[tuple[str, list[str]]]:
    yield "rows: what is well-formed", _row_lines(form, form.rows)
    yield "units: ill-formed sequences that are one decoding unit", _fault_row_lines(form, form.units)
    yield "names: ill-formed sequences with a name", _fault_row_lines(form, form.names)
    yield "rules", [line for rule in rules_of(form) for line in _wrapped("  - ", rule)]
    for variant in form.variants:
        direction = "" if variant.encodes else ", when reading"
        yield f"--errors {variant.policy}{direction}: other rows", list(_variant_lines(form, variant.form))
    yield "compared with the other forms", list(_comparison_lines(compared(form)))


def _variant_lines(form: Form, other: Form) -> Iterator[str]:
    rows = [row for row in other.rows if row not in form.rows]
    yield from _row_lines(other, rows) if rows else ()
    for unit in form.units:
        if unit not in other.units:
            yield f"  {units_text(form, unit.unit_ranges)} is not a unit ({unit.kind}): the rows decode its bytes"


def _row_lines(form: Form, rows: Sequence[Row]) -> list[str]:
    lines = [
        (points_text(row), units_text(form, row.unit_ranges), str(row.last - row.first + 1), row.source) for row in rows
    ]
    return _aligned([("code points", "units", "count", "source"), *lines], right=2)


def _fault_row_lines(form: Form, entries: Sequence[FaultRow]) -> list[str]:
    lines = [
        (entry.kind, points_text(entry), units_text(form, entry.unit_ranges, entry.run), entry.source)
        for entry in entries
    ]
    return _aligned([("kind", "meant", "units", "source"), *lines]) if lines else []


def rules_of(form: Form) -> Iterator[str]:
    """Yield a sentence for each rule of a form that its tables do not show.

    >>> from eightfold.forms import form
    >>> len(list(rules_of(form("utf-8")))), len(list(rules_of(form("wtf-8"))))
    (0, 1)
    """
    if form.unit_bits > 8:
        unless = " unless a signature says otherwise" if form.signatures else ""
        yield f"Code units have {form.unit_bits} bits and are {form.byte_order}-endian{unless}."
    if form.longest_match:
        yield "A row may be a prefix of a longer one: the longest match is used."
    if form.joins_pairs:
        reported = "" if form.prescribes_joining else " `convert` reports it."
        yield (
            "On encoding, a lead surrogate directly followed by a trail is written as the supplementary code point."
            f"{reported}"
        )
    for signature in form.signatures:
        yield f"{hex_bytes(signature.mark)} at the start is a signature: {signature.form.name} follows."
    if form.signatures:
        yield f"On encoding, {hex_bytes(form.signatures[0].mark)} is written first."
    for policy, reason in form.refuses.items():
        yield f"--errors {policy} is refused: {reason}."


def _comparison_lines(found: Comparison) -> Iterator[str]:
    yield from _wrapped("  contains      ", ", ".join(found.contains))
    yield from _wrapped("  contained in  ", ", ".join(found.contained_in))
    yield from _wrapped("  lossless to   ", ", ".join(found.lossless_to))
    examples: dict[tuple[int, ...], list[str]] = {}
    for name, points in found.lost.items():
        examples.setdefault(points, []).append(name)
    for points, names in examples.items():
        shown = " ".join(map(code_point_name, points))
        yield from _wrapped("  lossy to      ", f"{', '.join(names)}: {shown}, for example, does not round-trip")


def _wrapped(begin: str, text: str) -> list[str]:
    import textwrap

    after = " " * len(begin)
    return textwrap.wrap(text, _WIDTH, initial_indent=begin, subsequent_indent=after, break_on_hyphens=False)


def _aligned(lines: Sequence[tuple[str, ...]], right: int | None = None) -> list[str]:
    """Return lines whose columns begin under each other; one column may be flush right."""
    if is_on(sys.stdout):
        header, *others = lines
        return drawn_table(header, ([[cell] for cell in line] for line in others), right).splitlines()
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  " + "  ".join(_padded(line, widths, right)).rstrip() for line in lines]


def _painted(text: str, role: str) -> str:
    return painted(sys.stdout, [Styled(text, role)])


def _padded(line: tuple[str, ...], widths: Sequence[int], right: int | None) -> Iterator[str]:
    for at, (cell, width) in enumerate(zip(line, widths, strict=True)):
        yield cell.rjust(width) if at == right else cell.ljust(width)


# --- the family -------------------------------------------------------------------------------------------------------


def _family_lines() -> Iterator[str]:
    found = {each.name: compared(each) for each in forms()}
    yield "A > B: A contains B. Every well-formed text of B is well-formed in A, with the"
    yield "same code points."
    yield ""
    for name in found:
        if found[name].contains and not found[name].contained_in:
            yield from (f"  {' > '.join(chain)}" for chain in _chains(found, name))
    yield ""
    yield "From the form of each line to the form of each column:"
    yield ""
    yield from _grid(found)
    yield ""
    yield from (f"  {_painted(mark, _ROLES[mark])}  {meaning}" for mark, meaning in _MEANINGS.items())

    yield ""
    yield "Foreign: legacy charsets, which Python's codecs define. Only `check` and"
    yield "`convert` take them, and nothing above holds for them."
    yield ""
    yield from _wrapped("  ", ", ".join(each.name for each in charsets()))


def _grid(found: dict[str, Comparison]) -> Iterator[str]:
    width = max(map(len, found))
    keys = _KEYS[: len(found)]
    yield f"  {'':{width + 2}}  {' '.join(keys)}"
    for key, (name, comparison) in zip(keys, found.items(), strict=True):
        marks = [relation(name, comparison, other) for other in found]
        yield f"  {key} {name:{width}}  {' '.join(_painted(mark, _ROLES[mark]) for mark in marks)}"


def _chains(found: dict[str, Comparison], name: str) -> Iterator[tuple[str, ...]]:
    """Yield the ways from a form down to one that contains no other, through every form between."""
    within = found[name].contains
    directly = [each for each in within if not any(each in found[between].contains for between in within)]
    if not directly:
        yield (name,)
    for each in directly:
        yield from ((name, *rest) for rest in _chains(found, each))


def relation(name: str, comparison: Comparison, other: str) -> str:
    """Return the mark of the conversion from a form, with its comparison, to another.

    >>> [relation("utf-8", compared("utf-8"), other) for other in ("utf-8", "wtf-8", "cesu-8", "xtf-8")]
    ['=', '<', '+', '.']
    """
    if name == other:
        return _SAME
    if other in comparison.contained_in:
        return _CONTAINED
    return _LOST if other in comparison.lost else _LOSSLESS


# --- a charset --------------------------------------------------------------------------------------------------------


def _charset_lines(found: Charset) -> Iterator[str]:
    yield _painted(found.name, "form")
    yield from _wrapped("  ", found.note)
    yield from _wrapped("  ", f"Source: {found.source}")
    yield from _wrapped("  ", f"On the web this name means {found.web_name}." if found.web_name else "")
    yield from _wrapped("  ", f"Other names: {', '.join(found.aliases)}")


# --- JSON -------------------------------------------------------------------------------------------------------------


def _json_list(values: Iterable[dict[str, Any]]) -> str:
    import json

    lines = ",\n".join(f"  {json.dumps(each)}" for each in values)
    return f"[\n{lines}\n]" if lines else "[]"


def _charset_values(found: Charset) -> dict[str, Any]:
    return {
        "charset": found.name,
        "codec": found.codec,
        "aliases": list(found.aliases),
        "note": found.note,
        "web_name": found.web_name or None,
    }
