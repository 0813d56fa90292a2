"""`check --output-format html`: one page that holds what was found, nothing that acts, and no more than it may."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eightfold import Fault
from eightfold.cli.output.reports.as_html import HtmlReport
from eightfold.cli.output.reports.findings import Checked, Context, Summary
from eightfold.cli.output.reports.page.document import document
from eightfold.cli.output.reports.page.gathering import CELLS, FILES_KEPT, LINES_KEPT, Gathered, Strip
from eightfold.stream import Located
from support.command_line import run_here
from support.peaks import peak

HOSTILE = "<img src=x onerror=alert(1)>\"'&\u202e\ud83d"
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "footer", "script", "h1", "h2", "h3", "p"),
    *("dl", "dt", "dd", "code", "mark", "bdi", "ol", "ul", "li", "form", "div", "label", "input", "select", "option"),
    *("svg", "path"),
}


class Page(HTMLParser):
    """A page: its tags, the attributes of each element, and its text by tag."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._inside.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._inside[-1] if self._inside else "", []).append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def located(offset: int, line: int = 1, severity: Any = "error") -> Located:
    return Located(Fault("invalid-byte", "utf-8", offset, offset + 1, b"\xff", severity=severity), line, 1)


def checked(path: str, **values: Any) -> Checked:
    found = Checked(path, "utf-8", **values)
    found.tally.add_kinds({"invalid-byte": 1})
    return found


def page_of(*findings: tuple[Checked, list[Located], Context | None]) -> Page:
    report, summary = HtmlReport(), Summary()
    for file, faults, context in findings:
        for found in faults:
            report.fault(file.path, found, context)
        report._gathered.end_file(file)
        summary.add(file)
    page = document(summary, report._gathered)
    assert page.isascii()
    return Page(page)


def written(folder: Path, *arguments: str) -> str:
    done = run_here("check", "--output-format", "html", *arguments, cwd=folder)
    assert b"Traceback" not in done.stderr
    return done.stdout.decode("ascii")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "many.txt").write_bytes(b"one\ncaf\xe9 \xff\xff\n\xff\n")
    (tmp_path / "clean.txt").write_bytes(b"clean\n")
    (tmp_path / "few.json").write_bytes(b'{"cut": "\\ud83d"}\n')
    return tmp_path


def test_it_holds_every_file_with_faults_and_its_lines(folder: Path) -> None:
    page = Page(written(folder, ".", "missing"))
    items = page.of("li")
    files = [item["data-words"] for item in items if "data-at" in item]
    assert files == ["./many.txt", "./few.json", "missing", "./many.txt", "./few.json", "./many.txt"]
    assert "./many.txt:2:4" in page.texts["bdi"]
    assert "4 files checked, 1 unreadable: 4 errors and 1 warning" in page.texts["p"]
    assert "unreadable: No such file or directory" in page.texts["p"]
    assert next(words for words in page.texts["li"] if "invalid" in words) == "3 \N{MULTIPLICATION SIGN} invalid-byte"
    assert {option["value"] for option in page.of("option")} >= {"", "invalid-byte", "truncated", "escaped-surrogate"}


def test_what_is_hidden_is_said(folder: Path) -> None:
    limited, counted = written(folder, "--max-faults", "1", "."), written(folder, "--statistics", ".")
    assert "3 faults counted, but not placed" in limited
    assert "5 faults counted, but not placed" in counted
    assert "<svg" not in counted
    assert "3 &#215; invalid-byte" in counted


def test_the_context_marks_the_bytes(folder: Path) -> None:
    page = Page(written(folder, "--context", "many.txt"))
    assert page.texts["mark"] == ["\\xE9", "\\xFF"]
    assert "caf" in page.texts["bdi"]


def test_the_page_does_not_depend_on_the_number_of_processes(folder: Path) -> None:
    assert written(folder, "-j", "2", ".") == written(folder, ".")


def test_nothing_wrong_is_a_page_too(folder: Path) -> None:
    page = Page(written(folder, "clean.txt"))
    assert "1 file checked: no faults" in page.texts["p"]
    assert page.of("li") == page.of("form") == []


def test_nothing_read_is_not_called_clean(folder: Path) -> None:
    assert "nothing was read" in written(folder, "missing")


@pytest.mark.skipif(os.name != "posix", reason="no such name elsewhere")
def test_names_and_contents_of_others_stay_text(folder: Path) -> None:
    name = b"<script>alert(1)<\xff\xe2\x80\xae'\"&>.txt"
    try:
        Path(os.fsdecode(bytes(folder) + b"/" + name.replace(b"/", b""))).write_bytes(b"<b>\xff</b><script>\xff\n")
    except OSError:
        pytest.skip("the file system refuses such names")
    page = Page(written(folder, "--context", "."))
    assert {tag for tag, _ in page.elements} <= TAGS
    assert len(page.of("script")) == 1
    assert any("<script>alert(1)<\\xFF\\u202E" in text for text in page.texts["bdi"])


@settings(max_examples=25)
@given(st.text(), st.text())
def test_no_path_and_no_message_becomes_a_tag(path: str, reason: str) -> None:
    for text in (path, HOSTILE):
        context = Context(text, text, text)
        page = page_of((checked(text, error=reason, looks_like=text), [located(3)], context))
        assert {tag for tag, _ in page.elements} <= TAGS
        assert len(page.of("script")) == len(page.of("style")) == 1
        assert not any(
            name.startswith("on") or name in ("src", "href", "style") for _, a in page.elements for name in a
        )


def test_the_policy_allows_only_its_own_style_and_script(folder: Path) -> None:
    page = Page(written(folder, "."))
    policy = next(each["content"] for each in page.of("meta") if each.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    for tag in ("style", "script"):
        digest = b64encode(sha256("".join(page.texts[tag]).encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not re.search(r"https?://|@import|url\(|innerHTML|</s", "".join(page.texts["style"] + page.texts["script"]))


# --- the strip --------------------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(st.lists(st.integers(0, 10**7)), st.integers(0, 10**7), st.integers(1, 64))
def test_a_strip_counts_each_fault_in_the_part_where_it_begins(offsets: list[int], size: int, scale: int) -> None:
    strip = Strip()
    for offset in offsets:
        strip.add(offset * scale, "error")
    strip.reach(size)
    expected = [0] * CELLS
    for offset in offsets:
        expected[offset * scale // strip.width] += 1
    assert strip.errors == expected
    assert strip.width * CELLS >= max([size, *(offset * scale + 1 for offset in offsets)])
    assert strip.width == 1 or strip.width * CELLS < 2 * max([size, *(offset * scale + 1 for offset in offsets)])


def test_the_strip_names_in_words_what_it_shows() -> None:
    page = page_of((checked("a", size=4096), [located(0), located(4000, 2, "warning")], None))
    (picture,) = page.of("svg")
    assert picture["role"] == "img"
    assert picture["aria-label"] == "2 of 64 parts of 64 bytes have faults, between bytes 0 and 4,031"
    assert picture["viewbox"] == "0 0 640 38"
    base, errors, warnings = (path["d"] for path in page.of("path"))
    assert base == "M0 24h640v2h-640z"
    assert errors == "M0 24v-22h10v22z"
    assert warnings == "M620 26v12h10v-12z"


def test_one_fault_shows_beside_a_million() -> None:
    strip = Strip()
    strip.add(0, "error")
    strip.errors[1] = 10**6
    page = page_of((checked("a", size=100), [], None))
    assert page.of("svg") == []
    from eightfold.cli.output.reports.page.picture import picture

    assert re.findall(r"v-(\d+)h", picture(checked("a", size=100), strip)) == ["4", "22"]


# --- bounds -----------------------------------------------------------------------------------------------------------


def test_the_worst_are_kept_and_the_others_counted() -> None:
    gathered = Gathered()
    for number in range(FILES_KEPT + 50):
        file = Checked(f"f{number}")
        file.tally.add_kinds({"invalid-byte": 1 + (number == 540)})
        gathered.add(file.path, located(0), None)
        gathered.end_file(file)
    files = list(gathered.files)
    assert [file.path for _, (file, _) in files[:2]] == ["f540", "f0"]
    assert (len(files), gathered.files.left_out) == (FILES_KEPT, 50)
    assert (len(list(gathered.lines)), gathered.lines.left_out) == (LINES_KEPT, FILES_KEPT + 50 - LINES_KEPT)
    page = document(Summary(files=550, read=550), gathered)
    assert "50 more files with as many faults or fewer left out" in page
    assert "450 more lines with as many faults or fewer left out" in page


def test_neither_the_page_nor_memory_grows_with_the_findings() -> None:
    def gather(count: int) -> int:
        report, found = HtmlReport(), Fault("invalid-byte", "utf-8", 0, 1, b"\xff")
        file = checked("a", size=count)
        for line in range(count):
            report.fault("a", Located(found.moved(line), line + 1, 1), None)
        report._gathered.end_file(file)
        return len(document(Summary(files=1, read=1), report._gathered))

    short, long = gather(1_000), gather(8_000)
    assert long < short * 1.1
    limit = peak(lambda: gather(1_000)) + 256 * 1024
    assert peak(lambda: gather(8_000), limit=limit) < limit
