"""The explorer for everybody: with the keyboard alone, on small screens, in forced colors, by the rules of axe."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from explorer.tests.accessibility import violations
from explorer.tests.conftest import CESU, only_server
from explorer.tests.layout import beside_the_screen, broken_words

TABS = ("Side by side", "Bits", "Faults", "Repair", "Tables", "Your form")

COVERING = """() => {
    const { left, top, width, height } = document.activeElement.getBoundingClientRect();
    const seen = document.elementFromPoint(left + width / 2, top + height / 2);
    return document.activeElement.contains(seen) ? "" : seen?.textContent ?? "nothing";
}"""


def test_the_keyboard_is_enough(explorer: Any) -> None:
    page = explorer.page
    page.focus("#text")
    page.keyboard.press("Control+A")
    page.keyboard.type("a\\u20ACb")
    expect(explorer.row("utf-8")).to_have_text(["61", "E2 82 AC", "62"])
    explorer.settle()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.role") == "gridcell":
            break
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#detail")).to_contain_text("utf-8: E2 82 AC")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Bits")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".result")).to_contain_text(["EURO SIGN"])
    page.focus("#tab-bits")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Faults")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".bit").first).to_be_visible()
    page.keyboard.press("Tab")
    explorer.settle()
    page.focus(".bit >> nth=7")
    page.keyboard.press("Space")
    expect(page.locator(".result").first).not_to_contain_text("EURO SIGN")
    assert page.evaluate("document.activeElement.dataset.key") == "bit-0-7"


@only_server
def test_the_focus_stays_in_the_view_where_its_element_goes(explorer: Any) -> None:
    page = explorer.page
    explorer.row("utf-8").first.press("Enter")
    expect(page.locator(".bit").first).to_be_visible()
    expect(page.locator("#view")).to_be_focused()
    explorer.show(f"mode=bytes&form=utf-8&hex={'FF' * 150}&tab=faults")
    page.get_by_role("button", name="Next 100").press("Enter")
    expect(page.locator(".choice .place").first).to_have_text("100")
    expect(page.locator("#view")).to_be_focused()


@only_server
@pytest.mark.parametrize("width", [320, 640])
def test_what_has_the_focus_is_not_covered(explorer: Any, width: int) -> None:
    page = explorer.page
    page.set_viewport_size({"width": width, "height": 450})
    explorer.show("text=" + "c" * 48)
    page.focus(".row[data-form=utf-32-be] .units >> nth=3")
    for _ in range(24):
        page.keyboard.press("ArrowUp")
        assert page.evaluate(COVERING) == "", page.evaluate("document.activeElement.closest('.row').dataset.form")


@only_server
@pytest.mark.parametrize("width", [320, 768])
def test_nothing_is_cut_off_on_small_screens(explorer: Any, width: int) -> None:
    explorer.page.set_viewport_size({"width": width, "height": 720})
    explorer.show(f"{CESU}&own=0-7F%3A+00-7F")
    for tab in TABS:
        explorer.tab(tab)
        wide = explorer.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{tab}: {wide}"
        assert beside_the_screen(explorer.page) == [], tab
        assert broken_words(explorer.page) == [], tab


@only_server
def test_a_dropped_file_is_not_cut_off_on_small_screens(explorer: Any) -> None:
    explorer.page.set_viewport_size({"width": 320, "height": 720})
    explorer.drop("menu.txt", b"a" * 140_000)
    assert beside_the_screen(explorer.page) == []
    assert broken_words(explorer.page) == []
    assert explorer.page.evaluate("document.querySelector('#file').files[0].name") == "menu.txt"


@only_server
def test_a_broken_word_and_what_lies_beside_the_screen_are_seen(explorer: Any) -> None:
    explorer.tab("Repair")
    # The page's policy forbids inline styles, but a script may insert a rule into a style sheet.
    for rule in ("h2 { width: 1ch; overflow-wrap: anywhere }", "h2 { margin-left: 100vw }"):
        explorer.page.evaluate("rule => document.styleSheets[0].insertRule(`#view ${rule}`, 0)", rule)
        found = broken_words(explorer.page) + beside_the_screen(explorer.page)
        explorer.page.evaluate("document.styleSheets[0].deleteRule(0)")
        assert any("Repair to UTF-8" in each for each in found), rule


@only_server
def test_the_chosen_tab_is_in_sight_on_small_screens(explorer: Any) -> None:
    explorer.page.set_viewport_size({"width": 320, "height": 1300})
    for name in ("own", "beside"):
        explorer.show(f"tab={name}")
        expect(explorer.page.locator(f"#tab-{name}")).to_be_in_viewport(ratio=1)


@only_server
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("fragment", ["", CESU])
def test_axe_finds_nothing(explorer: Any, scheme: str, fragment: str) -> None:
    explorer.page.emulate_media(color_scheme=scheme)
    explorer.show(f"{fragment}&own=0-7F%3A+00-7F")
    for tab in TABS:
        explorer.tab(tab)
        assert violations(explorer.page) == [], tab


@only_server
def test_what_is_chosen_is_seen_in_the_colors_of_the_system(explorer: Any) -> None:
    page = explorer.page
    page.emulate_media(forced_colors="active")
    explorer.show(f"{CESU}&tab=faults")
    for chosen, other in (
        ("#tab-faults", "#tab-bits"),
        ("label[for=mode-bytes]", "label[for=mode-text]"),
        (".choice[aria-current]", ".choice:not([aria-current])"),
    ):
        colors = [page.locator(each).evaluate("e => getComputedStyle(e).backgroundColor") for each in (chosen, other)]
        assert colors[0] != colors[1], chosen
    explorer.tab("Bits")
    marker, payload = (page.locator(each).first for each in (".bit.marker", ".bit.payload"))
    expect(marker).to_have_css("border-style", "solid")
    expect(payload).to_have_css("border-style", "dashed")
    page.emulate_media(forced_colors="none")
