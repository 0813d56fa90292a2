"""A page for each form, from its tables and rules, and an index that compares them."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence

import eightfold
from docs.generator.examples import of_form
from docs.generator.markdown import code, linked_forms, page, table
from docs.generator.summaries import IN_A_LINE, ON_ITS_PAGE, family_table
from eightfold import EncodeError, FaultRow, Form, Row
from eightfold.cli.commands.table import relation, rules_of
from eightfold.explain.characters import character_name
from eightfold.family import Comparison, compared
from eightfold.faults import code_point_name, hex_bytes
from eightfold.forms.as_text import points_text, units_text

FOLDER = "docs/reference/forms"
SAMPLES = (0x0, 0x41, 0xE9, 0x20AC, 0x1F370, 0xD83C, 0xEFE9, 0x10FFFF)
"""Code points that show where forms differ."""


def files() -> dict[str, str]:
    """Return the pages by path."""
    pages = {f"{FOLDER}/{form.name}.md": page(*_form(form)) for form in eightfold.forms()}
    return {f"{FOLDER}/index.md": page(*_index()), **pages}


# --- a form -----------------------------------------------------------------------------------------------------------


def _form(form: Form) -> Iterator[str]:
    yield f"# {form.name}"
    line = ON_ITS_PAGE.get(form.name, IN_A_LINE[form.name])
    yield f"{_sentence(line) if line else ''} {form.note}".strip()
    yield f"Source: {form.source}." + (f" Other names: {', '.join(map(code, form.aliases))}." if form.aliases else "")
    yield from ("## Samples", _samples(form))
    yield from (
        "## Rows",
        "What is well-formed. The code point is the first of its row, plus the index of the units within their ranges.",
        _rows(form, form.rows),
    )
    if form.units:
        yield from (
            "## Decoding units",
            "Ill-formed sequences that an error handler receives whole. Elsewhere the unit is the maximal subpart.",
            _fault_rows(form, form.units),
        )
    if form.names:
        yield from (
            "## Names",
            "Ill-formed sequences that have a name. They do not change how input is divided.",
            _fault_rows(form, form.names),
        )
    if rules := [re.sub(r"--errors [\w-]+", r"`\g<0>`", f"- {rule}") for rule in rules_of(form)]:
        yield from ("## Rules", "\n".join(rules))
    for variant in form.variants:
        direction = "" if variant.encodes else " It applies to decoding only."
        yield f"## errors={variant.policy!r}".replace("'", '"')
        yield f"Other rows of the same form, under this policy.{direction}"
        yield from filter(None, [_other_rows(form, variant.form)])
        yield from (
            f"{code(units_text(form, unit.unit_ranges))} is not a decoding unit then: the rows decode its bytes."
            for unit in form.units
            if unit not in variant.form.units
        )
    yield from ("## Faults", *_faults(form))
    yield from ("## Compared with the other forms", "\n".join(f"- {line}" for line in _comparison(compared(form))))
    yield f"The same on the command line: `eightfold table {form.name}`."


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _samples(form: Form) -> str:
    lines = []
    for point in SAMPLES:
        try:
            written = code(hex_bytes(eightfold.encode(chr(point), form)))
        except EncodeError as error:
            written = str(error.fault)
        lines.append((code_point_name(point), code(character_name(point)), written))
    return table(("code point", "name", "bytes"), lines)


def _rows(form: Form, rows: Sequence[Row]) -> str:
    lines = [
        (points_text(row), code(units_text(form, row.unit_ranges)), f"{row.last - row.first + 1:,}", row.source)
        for row in rows
    ]
    return table(("code points", "units", "count", "source"), lines, right=frozenset({2}))


def _other_rows(form: Form, variant: Form) -> str:
    rows = [row for row in variant.rows if row not in form.rows]
    return _rows(form, rows) if rows else ""


def _fault_rows(form: Form, entries: Sequence[FaultRow]) -> str:
    lines = [
        (
            f"[{code(each.kind)}](../faults.md#{each.kind})",
            points_text(each),
            code(units_text(form, each.unit_ranges, each.run)),
            each.source,
        )
        for each in entries
    ]
    return table(("kind", "meant", "units", "source"), lines)


def _faults(form: Form) -> Iterator[str]:
    found = of_form(form)
    if not found:
        yield "None: every input is well-formed."
        return
    yield "Each kind of fault that bytes of this form can have, with its smallest examples."
    lines = [
        (code(each.shown), f"[{code(kind)}](../faults.md#{kind})", str(each.fault))
        for kind, smallest in found.items()
        for each in smallest
    ]
    yield table(("bytes", "kind", "sentence"), lines)


def _comparison(found: Comparison) -> Iterator[str]:
    yield f"Contains: {linked_forms(found.contains) or 'none'}."
    yield f"Contained in: {linked_forms(found.contained_in) or 'none'}."
    yield f"Every text round-trips through: {linked_forms(found.lossless_to) or 'none'}."
    examples: dict[tuple[int, ...], list[str]] = {}
    for name, points in found.lost.items():
        examples.setdefault(points, []).append(name)
    for points, names in examples.items():
        shown = " ".join(map(code_point_name, points))
        yield f"Not through {linked_forms(names)}: {shown} does not come back."


# --- the index --------------------------------------------------------------------------------------------------------


def _index() -> Iterator[str]:
    found = {form.name: compared(form) for form in eightfold.forms()}
    yield "# Forms"
    yield (
        f"eightfold has {len(found)} forms. Each has a page with its samples, its table, its faults and their sources. "
        "[The family](../../explanation/family.md) says how they relate."
    )
    yield family_table("./")
    yield ":::{toctree}\n:hidden:\n\n" + "\n".join(found) + "\n:::"
    yield "## Which conversions lose nothing"
    yield (
        "From the form of each line to the form of each column: `=` the same form, `<` contained (well-formed in the "
        "other, unchanged), `+` lossless (every text round-trips), `.` not lossless. Computed from the tables; "
        "`eightfold table` prints it."
    )
    yield f"```text\n{_grid(found)}\n```"


def _grid(found: dict[str, Comparison]) -> str:
    keys = string.ascii_letters[: len(found)]
    width = max(map(len, found))
    lines = [f"{'':{width + 2}}  {' '.join(keys)}"]
    for key, (name, comparison) in zip(keys, found.items(), strict=True):
        lines.append(f"{key} {name:{width}}  {' '.join(relation(name, comparison, other) for other in found)}")
    return "\n".join(lines)
