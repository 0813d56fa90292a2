"""The site of the documentation, built by `make docs`, opened from its files as somebody without a network does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from explorer.tests.accessibility import violations

SITE = Path(os.environ.get("SITE", Path(__file__).parents[2] / "build" / "docs"))
PAGES = (
    *("index", "tutorial", "proofs", "cli", "how-to/cesu-8-dumps", "how-to/pyarrow", "reference/forms/wtf-8"),
    *("reference/faults", "reference/policies", "reference/python/eightfold", "explanation/family"),
)
WIDTHS = (320, 768, 1280)


@pytest.fixture
def site(browser: Browser) -> Iterator[Page]:
    if not (SITE / "index.html").is_file():
        pytest.fail(f"there is no {SITE}: run make docs")
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith(("file:", "data:")) else wrong.append(asked.url))
    yield page
    page.context.close()
    assert wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(site: Page, name: str, scheme: str) -> None:
    site.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    site.goto((SITE / f"{name}.html").as_uri())
    assert violations(site) == []


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_off_on_small_screens(site: Page, name: str) -> None:
    for width in WIDTHS:
        site.set_viewport_size({"width": width, "height": 900})
        site.goto((SITE / f"{name}.html").as_uri())
        assert site.evaluate("document.documentElement.scrollWidth") <= width, width


def test_search_works_offline(site: Page) -> None:
    site.goto(f"{(SITE / 'search.html').as_uri()}?q=surrogate")
    expect(site.locator("#search-results li").first).to_be_visible(timeout=60_000)
    assert site.locator("#search-results a[href*='how-to/surrogates-not-allowed']").count() > 0
