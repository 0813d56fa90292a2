"""The page: one document that asks for nothing from elsewhere and says what it leaves out.

Its policy names its own style and its own script by their digests, so nothing else in it could ever run. Without the
script everything is still there, in the order of the number of faults.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import cast

from eightfold.cli.output.lines import counted, excluded_by
from eightfold.cli.output.reports.findings import Checked, Summary, Tally
from eightfold.cli.output.reports.page.gathering import FaultyLine, Gathered, Strip
from eightfold.cli.output.reports.page.picture import picture
from eightfold.faults import KINDS, Kind
from eightfold.files.path_text import shown
from eightfold.markup import Content, Markup, element, isolated, joined
from eightfold.version import __version__

_STRIPS = (
    "A strip is a whole file, from its first byte at the left to its last at the right. Bars above the line are "
    "errors, bars below it are warnings; the higher, the more of them begin there, on a logarithmic scale."
)
_ORDERS = {"faults": "most faults first", "path": "as they were checked"}


def document(summary: Summary, gathered: Gathered) -> str:
    """Return the page."""
    style, script = _own("page.css"), _own("page.js")
    policy = f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}"
    head = (
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=f"{policy}; base-uri 'none'; form-action 'none'"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"eightfold check: {_verdict(summary)}"),
        element("style", style),
    )
    body = (*_body(summary, gathered), element("script", script))
    page = element("html", element("head", *head), element("body", *body), lang="en")
    return f"<!doctype html>\n{page}"


def _own(name: str) -> Markup:
    return Markup((files(__package__) / name).read_text(encoding="ascii"))


def _digest(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"


def _body(summary: Summary, gathered: Gathered) -> Iterator[Markup]:
    wrong = summary.tally.errors or summary.unreadable
    verdict = element("p", _verdict(summary), class_="wrong" if wrong else "good")
    yield element("header", element("h1", "eightfold check"), verdict, _skipped(summary))
    yield element("main", *_sections(summary, gathered))
    yield element(
        "footer", element("p", f"Written by eightfold {__version__}. This page asks for nothing from elsewhere.")
    )


def _verdict(summary: Summary) -> str:
    checked = f"{counted(summary.files, 'file')} checked"
    unreadable = f", {summary.unreadable} unreadable" if summary.unreadable else ""
    if not summary.read:
        return f"{checked}{unreadable}: nothing was read"
    return f"{checked}{unreadable}: {_counted(summary.tally)}"


def _counted(tally: Tally) -> str:
    parts = [counted(tally.errors, "error")] * bool(tally.errors)
    parts += [counted(tally.warnings, "warning")] * bool(tally.warnings)
    return " and ".join(parts) or "no faults"


def _skipped(summary: Summary) -> Content:
    parts = [f"{counted(summary.binary, 'binary file')} skipped"] * bool(summary.binary)
    parts += [excluded_by(summary.excluded)] * bool(summary.excluded)
    return element("p", ", ".join(parts), class_="soft") if parts else ""


def _sections(summary: Summary, gathered: Gathered) -> Iterator[Content]:
    if summary.tally.faults:
        yield _totals(summary.tally)
    if gathered.files.count:
        yield _search(summary.tally.kinds)
        yield element("h2", "Files")
        yield element("p", _STRIPS, class_="soft")
        yield _left_out(gathered.files.left_out, "more file")
        yield _hidden(gathered.hidden)
        yield element("ol", *(_file(number, *each) for number, each in gathered.files), id="files")
    if gathered.lines.count:
        yield element("h2", "The worst lines")
        yield _left_out(gathered.lines.left_out, "more line")
        yield element("ol", *(_line(number, each) for number, each in gathered.lines), id="lines")


def _totals(tally: Tally) -> Markup:
    entries = (
        joined([element("dt", f"{count:,}"), element("dd", element("code", kind), f": {KINDS[cast(Kind, kind)]}")])
        for kind, count in tally.sorted_kinds()
    )
    return joined([element("h2", "Kinds of faults"), element("dl", *entries, class_="totals")])


def _left_out(count: int, noun: str) -> Content:
    sentence = f"{counted(count, noun)} with as many faults or fewer left out of this list"
    return element("p", sentence, class_="note") if count else ""


def _hidden(count: int) -> Content:
    if not count:
        return ""
    sentence = f"{counted(count, 'fault')} counted, but not placed in the strips and lines (--max-faults, --statistics)"
    return element("p", sentence, class_="note")


def _search(kinds: Mapping[str, int]) -> Markup:
    any_kind = element("option", "every kind", value="")
    return element(
        "form",
        element("div", element("label", "Path contains", for_="words"), element("input", id="words", type="search")),
        _choice("kind", "Kind of fault", [any_kind, *(element("option", kind, value=kind) for kind in sorted(kinds))]),
        _choice("order", "Order", [element("option", words, value=name) for name, words in _ORDERS.items()]),
        element("p", id="status", role="status"),
        id="find",
        role="search",
        aria_label="Files and lines",
        hidden=True,
    )


def _choice(name: str, label: str, options: Sequence[Markup]) -> Markup:
    return element("div", element("label", label, for_=name), element("select", *options, id=name))


def _file(number: int, checked: Checked, strip: Strip) -> Markup:
    form = f"{checked.form}, {_size(checked.size)}" if checked.form else "not read"
    contents = (
        element("h3", isolated(shown(checked.path))),
        element("p", f"{form}: {_counted(checked.tally)}", class_="soft") if not checked.error else "",
        element("p", f"unreadable: {shown(checked.error)}", class_="wrong") if checked.error else "",
        element("p", checked.remedy, class_="soft") if checked.remedy else "",
        picture(checked, strip),
        _kinds(checked.tally),
    )
    return _item(number, checked.path, checked.tally, contents)


def _size(size: int) -> str:
    return f"{size:,} {'byte' if size == 1 else 'bytes'}"


def _line(number: int, found: FaultyLine) -> Markup:
    place = f"{shown(found.path)}:{found.line}:{found.column}"
    contents = (
        element("h3", isolated(place)),
        element("p", f"{_counted(found.tally)}; the first: {shown(found.sentence)}", class_="soft"),
        "" if found.context is None else _context(*found.context),
        _kinds(found.tally),
    )
    return _item(number, found.path, found.tally, contents)


def _context(before: str, units: str, after: str) -> Markup:
    return element("code", isolated(before), element("mark", units), isolated(after), class_="shown")


def _kinds(tally: Tally) -> Content:
    kinds = (element("li", f"{count:,} \N{MULTIPLICATION SIGN} {kind}") for kind, count in tally.sorted_kinds())
    return element("ul", *kinds, class_="kinds", aria_label="Kinds") if tally.kinds else ""


def _item(number: int, path: str, tally: Tally, contents: Sequence[Content]) -> Markup:
    kinds = " ".join(tally.kinds)
    data = {"data_at": number, "data_faults": tally.faults, "data_kinds": kinds, "data_words": shown(path)}
    return element("li", *contents, class_="card", **data)
