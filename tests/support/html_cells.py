"""The tables of a page of HTML, read as a browser would, and every tag that is in it."""

from __future__ import annotations

from html.parser import HTMLParser


class Cells(HTMLParser):
    """Collects the text of the cells of a page, row by row, and every tag."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.bold = ""
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._inside.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._inside.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self._inside:
            self.rows[-1][-1] += data
        if "b" in self._inside:
            self.bold += data
