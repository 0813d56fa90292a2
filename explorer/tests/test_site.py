"""The site of the documentation, built by `make docs`: accessible, whole on small screens, and searched offline."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from explorer.tests.accessibility import SERIOUS, violations
from explorer.tests.conftest import SITE
from explorer.tests.layout import beside_the_screen, broken_words

PAGES = (
    *("index", "tutorial", "security", "proofs", "cli", "how-to/cesu-8-dumps", "how-to/pyarrow", "how-to/spark"),
    *("reference/forms/wtf-8", "reference/faults", "reference/policies", "reference/python/eightfold"),
    *("explanation/family", "explanation/scale"),
)
LISTS = ("genindex", "py-modindex")
TABLES = ("cli", "how-to/index", "reference/faults", "reference/json", "reference/policies")
WIDTHS = (320, 768, 1280)


@pytest.fixture
def site(browser: Browser, documentation: str) -> Iterator[Page]:
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request",
        lambda asked: None if asked.url.startswith((documentation, "file:", "data:")) else wrong.append(asked.url),
    )
    yield page
    page.context.close()
    assert wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(site: Page, documentation: str, name: str, scheme: str) -> None:
    site.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    site.goto(f"{documentation}{name}.html")
    assert violations(site, SERIOUS) == []


@pytest.mark.parametrize("name", [*PAGES, *LISTS])
def test_nothing_is_cut_off_on_small_screens(site: Page, documentation: str, name: str) -> None:
    for width in WIDTHS:
        site.set_viewport_size({"width": width, "height": 900})
        site.goto(f"{documentation}{name}.html")
        assert site.evaluate("document.documentElement.scrollWidth") <= width, width
        assert beside_the_screen(site) == [], width
        assert broken_words(site, "code, pre, .sig, .headerlink, .domainindex-table") == [], width


@pytest.mark.parametrize("name", TABLES)
def test_names_in_tables_stay_whole_on_small_screens(site: Page, documentation: str, name: str) -> None:
    for width in WIDTHS:
        site.set_viewport_size({"width": width, "height": 900})
        site.goto(f"{documentation}{name}.html")
        assert broken_words(site, "pre, .sig, .headerlink") == [], width


@pytest.mark.parametrize("name", ["index", "explanation/engine", "explanation/units-and-faults"])
def test_pictures_can_be_read_on_a_telephone(site: Page, documentation: str, name: str) -> None:
    site.set_viewport_size({"width": 320, "height": 900})
    site.goto(f"{documentation}{name}.html")
    found = site.evaluate(
        "[...document.querySelectorAll('article img[src$=\".svg\"]')].map((each) => each.width / each.naturalWidth)"
    )
    assert found
    assert min(found) > 0.9


def test_the_explorer_runs_in_the_site(site: Page, documentation: str) -> None:
    site.goto(f"{documentation}explorer.html")
    expect(site.locator("article a[href='live/index.html']")).to_have_text("live/index.html")
    site.goto(f"{documentation}live/index.html#text=%C3%A9")
    expect(site.locator('.row[data-form="utf-8"] .units')).to_have_text(["C3 A9"], timeout=90_000)


def test_search_works_offline(site: Page) -> None:
    site.goto(f"{(SITE / 'search.html').as_uri()}?q=surrogate")
    found = site.locator("#search-results a[href*='how-to/surrogates-not-allowed']")  # results come one by one
    expect(found.first).to_be_visible(timeout=60_000)


def test_each_value_has_its_name_as_its_anchor_and_no_field_stands_alone() -> None:
    page = (SITE / "reference" / "python" / "repair.html").read_text(encoding="utf-8")
    assert 'id="eightfold.repair.POLICIES"' in page
    assert "Alias for field number" not in page
