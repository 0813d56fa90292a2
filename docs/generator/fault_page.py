"""The page on the kinds of fault, each with its smallest example."""

from __future__ import annotations

from collections.abc import Iterator

from docs.generator.examples import Example, forms_with, of_every_kind
from docs.generator.markdown import code, linked_forms, page, table
from eightfold.cli.output.reports.as_sarif import HELP
from eightfold.faults import KINDS


def files() -> dict[str, str]:
    """Return the page by path."""
    return {"docs/reference/faults.md": page(*_paragraphs())}


def _paragraphs() -> Iterator[str]:
    yield "# Faults"
    yield (
        "The kind of a fault is a stable identifier: it is the same in Python, in the command's text, JSON and SARIF, "
        "and here. The examples are the smallest inputs with that one fault. A program found them by trying inputs in "
        "order of length, made of one code unit of each class that a form's tables distinguish. If the smallest does "
        "not say which code point was meant, the smallest that does follows it."
    )
    yield table(("kind", "meaning"), ((f"[{code(kind)}](#{kind})", meaning) for kind, meaning in KINDS.items()))
    for kind, examples in of_every_kind().items():
        yield from _kind(kind, examples)


def _kind(kind: str, examples: list[Example]) -> Iterator[str]:
    yield f"## {kind}"
    yield f"{KINDS[kind][0].upper()}{KINDS[kind][1:]}. {HELP[kind]}"  # type: ignore[index]
    lines = [(code(each.shown), code(each.by), each.fault.severity, str(each.fault)) for each in examples]
    yield table(("input", "found by", "severity", "sentence"), lines)
    if names := forms_with(kind):
        yield f"In {linked_forms(names, 'forms/')}."
