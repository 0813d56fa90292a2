"""The scoreboard as one HTML page. Whatever a program says is escaped."""

from __future__ import annotations

from html import escape
from typing import Any

from .scores import totals, was_asked

STYLE = (
    "body{font:1rem/1.4 system-ui,sans-serif;margin:2rem}table{border-collapse:collapse}"
    "td,th{padding:.2rem .6rem;border-bottom:1px solid #ccc;text-align:left}td.n{text-align:right}"
    ".passed{color:#176117}.failed,.broken{color:#a11}code{overflow-wrap:anywhere}"
)
HEADS = ("form", "rule", "passed", "failed", "broken", "not asked", "shortest example")


def html(board: dict[str, Any]) -> str:
    """Return the scoreboard as a page."""
    programs = "".join(_program(each, board["rules"]) for each in board["programs"])
    title = f"Conformance, vectors {escape(board['vectors'])}"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n{programs}</body></html>\n"
    )


def _program(each: dict[str, Any], rules: dict[str, str]) -> str:
    heads = "".join(f'<th scope="col">{head}</th>' for head in HEADS)
    rows = "".join(
        _row(form, rule, row, rules.get(rule, ""))
        for form, scores in each["forms"].items()
        for rule, row in scores.items()
        if was_asked(row)
    )
    counts = ", ".join(f"{count} {outcome}" for outcome, count in totals(each["forms"]).items())
    name = escape(f"{each['name']} {each['version']}".rstrip())
    return f"<h2>{name}</h2><p>{counts}</p>\n<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>\n"


def _row(form: str, rule: str, row: dict[str, Any], statement: str) -> str:
    counts = "".join(f'<td class="n">{row[outcome]}</td>' for outcome in HEADS[2:6])
    grade = "broken" if row["broken"] else "failed" if row["failed"] else "passed"
    said = ""
    if "example" in row:
        one = {key: f"<code>{escape(str(value))}</code>" for key, value in row["example"].items()}
        said = f"{one['asked']}: expected {one['expected']}, got {one['got']}"
    cell = f'<td class="{grade}" title="{escape(statement, quote=True)}">{escape(rule)}</td>'
    return f"<tr><td>{escape(form)}</td>{cell}{counts}<td>{said}</td></tr>\n"
