"""The recorded scoreboard as a page of the documentation."""

from __future__ import annotations

from typing import Any

RULES = "../conformance/RULES.md"
HEAD = """\
# Conformance of {count} implementations

eightfold and {outsiders} other implementations were asked about the vectors of the
[conformance kit](../conformance/README.md), version {vectors}. `python conformance/record.py` asks them and writes this
page. Each rule links to what it says. **Not asked is not passed**: a program that lacks a form or an operation has no
score there. Some programs do what their own documents say and still break a rule of the form; the notes say which.

The figures count vectors by rule. A vector whose answer is an error counts twice: under its own rule, and under
[position](../conformance/RULES.md#position) for where the error is. If a program accepts the input, there is no place
to compare, and the vector counts once. So sums exceed the number of vectors, and differ between programs.

## Summary

| program | version | forms | passed | failed | not asked |
| --- | --- | --- | ---: | ---: | ---: |
{summary}

## How the vectors were reviewed

Expected answers come from the tables of the forms. A vector is *confirmed* if an implementation other than eightfold
gave that answer; for an error, that it is one. `faults` asks for names that no other program gives, so it is left out.
Forms that no program here has are compared elsewhere: `optu-8`, `optu-16` and `corrected-utf-8` with the results in
[tests/vectors](../tests/vectors/PROVENANCE.md), `utf-8-rfc2044` with arithmetic on the bits of RFC 2044, in
[a test](../tests/vectors/test_exhaustive_code_points.py).

| form | vectors | confirmed |
| --- | ---: | ---: |
{confirmed}

## Rules that are broken

For each the shortest input that shows it.
{broken}"""


def page(board: dict[str, Any]) -> str:
    """Return the page."""
    programs = board["programs"]
    return HEAD.format(
        count=len(programs),
        outsiders=len(programs) - 1,
        vectors=board["vectors"],
        summary="\n".join(map(_summary, programs)),
        confirmed="\n".join(
            f"| `{form}` | {each['vectors']} | {each['confirmed']} |" for form, each in board["confirmed"].items()
        ),
        broken="".join(map(_program, programs)),
    )


def literal(said: object) -> str:
    """Return what a program says as code in a cell of a table.

    >>> literal("a`b")
    '`` a`b ``'
    """
    text = " ".join(str(said).split()).replace("|", "\\|")
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _title(each: dict[str, Any]) -> str:
    return f"{each['name']} {each['version']}".strip().replace("<", "&lt;").replace("|", "\\|")


def _total(each: dict[str, Any], outcome: str) -> int:
    return sum(row[outcome] for rules in each["forms"].values() for row in rules.values())


def _summary(each: dict[str, Any]) -> str:
    forms = ", ".join(f"`{form}`" for form in each["forms"])
    if len(each["forms"]) > 12:
        with_policy = sum("/" in form for form in each["forms"])
        forms = f"{len(each['forms']) - with_policy} forms, {with_policy} of them also with a policy"
    counts = _total(each, "passed"), _total(each, "failed") + _total(each, "broken"), each["not asked"]
    name, version = (each[key].replace("|", "\\|").replace("<", "&lt;") for key in ("name", "version"))
    return f"| {name} | {version} | {forms} | {' | '.join(map(str, counts))} |"


def _program(each: dict[str, Any]) -> str:
    rows = [
        _row(form, rule, row)
        for form, rules in each["forms"].items()
        for rule, row in rules.items()
        if "example" in row
    ]
    table = "\n| form | rule | failed | input | expected | answer |\n| --- | --- | ---: | --- | --- | --- |\n"
    shown = table + "\n".join(rows) + "\n" if rows else "\nNone of those asked.\n"
    return f"\n### {_title(each)}\n\n{each['note']}\n{shown}"


def _row(form: str, rule: str, row: dict[str, Any]) -> str:
    wrong, example = row["failed"] + row["broken"], row["example"]
    cells = (literal(example[key]) for key in ("asked", "expected", "got"))
    return f"| `{form}` | [{rule}]({RULES}#{rule}) | {wrong} of {wrong + row['passed']} | {' | '.join(cells)} |"
