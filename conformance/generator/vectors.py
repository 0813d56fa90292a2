"""Vectors of all forms: what each file holds, as text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from eightfold import Form, forms
from generator.answers import shown
from generator.rules import rule_of
from generator.selection import Choice, Selection, select

VERSION = "1.0.0"
"""Of the vectors: the first number changes where a right answer does, the second where vectors are added."""


def subjects() -> Iterator[tuple[str, Form]]:
    """Yield every form with its name; a policy that chooses other rows stands behind the name, ``mutf-8/java``."""
    for form in forms():
        yield form.name, form
        for variant in form.variants:
            if not form.signatures:
                yield f"{form.name}/{variant.policy}", variant.form


def selections(form: Form) -> list[Selection]:
    """Return the questions of a form: if it has signatures, those of each form that one of them announces."""
    if not form.signatures:
        return [select(form)]
    return [select(signature.form, signature.mark, asked=form) for signature in form.signatures]


def vectors(name: str, form: Form) -> list[dict[str, Any]]:
    """Return the vectors of a form, by operation and by length, the same ones once."""
    found = {}
    for selection in selections(form):
        for choice, source in selection.chosen.values():
            vector = _vector(name, selection, choice, source)
            found.setdefault(vector["id"], vector)
    return sorted(found.values(), key=lambda each: (each["op"], len(each["input"]), each["input"], each["id"]))


def _vector(name: str, selection: Selection, choice: Choice, source: str) -> dict[str, Any]:
    given = choice.subject.hex().upper() if isinstance(choice.subject, bytes) else shown(choice.subject)
    answer = selection.answer(choice)
    pieces = "/" + "+".join(map(str, choice.chunks)) if choice.chunks else ""
    asked = {"form": name, "op": choice.operation, "input": given}
    if choice.chunks:
        asked["chunks"] = list(choice.chunks)
    identity = f"{name}:{choice.operation}:{given.replace(' ', '.')}{pieces}"
    return {"id": identity, **asked, "expect": answer, "rule": rule_of(selection, choice, answer), "source": source}


def file_name(name: str) -> str:
    """Return the name of a form's file.

    >>> file_name("mutf-8/java")
    'mutf-8.java.jsonl'
    """
    return f"{name.replace('/', '.')}.jsonl"


def files() -> dict[str, str]:
    """Return every file of vectors, by name, and their list with a digest of each."""
    texts, listed = {}, {}
    for name, form in subjects():
        lines = [json.dumps(vector, separators=(",", ":")) for vector in vectors(name, form)]
        text = "".join(f"{line}\n" for line in lines)
        texts[file_name(name)] = text
        digest = hashlib.sha256(text.encode()).hexdigest()
        listed[name] = {"file": file_name(name), "vectors": len(lines), "sha256": digest}
    texts["manifest.json"] = json.dumps({"version": VERSION, "forms": listed}, indent=1) + "\n"
    return texts
