"""The page that `check --output-format html` writes, opened from a file: filter, order, keys, sizes, accessibility."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from explorer.tests.accessibility import violations

NAMES = {
    "menu.csv": b"caf\xe9 1\n" * 40 + b"\xff\xff\xff\n",
    "deep/<img src=x onerror=alert(1)>.txt": b"a\xff<script>alert(1)</script>\n",
    "big.txt": b"x" * 300_000 + b"\xed\xa0\xbd" + b"y" * 100_000,
    "cut.json": b'{"cut": "\\ud83d"}\n',
}


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("checked")
    for name, data in NAMES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    target = folder.parent / "report.html"
    command = [sys.executable, "-m", "eightfold", "check", "--context", "--output-format", "html"]
    done = subprocess.run([*command, "--output-file", str(target), "."], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    return target.as_uri()


@pytest.fixture
def report(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: None if asked.url == address else wrong.append(asked.url))
    page.goto(address)
    yield page
    page.context.close()
    assert wrong == []


def test_the_strips_show_where_faults_lie(report: Page) -> None:
    item = report.locator("#files > li", has_text="big.txt")
    expect(item.get_by_role("img")).to_have_attribute(
        "aria-label", "1 of 98 parts of 4096 bytes have faults, between bytes 299,008 and 303,103"
    )
    strip = item.locator("svg").bounding_box()
    bar = item.locator(".errors").bounding_box()
    assert strip is not None
    assert bar is not None
    assert 0.72 < (bar["x"] - strip["x"]) / strip["width"] < 0.78


def test_files_and_lines_are_filtered_by_path_and_kind(report: Page) -> None:
    expect(report.get_by_role("status")).to_have_text("Shown: 4 of 4 files, 44 of 44 lines.")
    report.get_by_label("Path contains").fill("MENU")
    expect(report.locator("#files > li:visible h3")).to_have_text(["./menu.csv"])
    report.get_by_label("Path contains").fill("")
    report.get_by_label("Kind of fault").select_option("surrogate")
    expect(report.locator("#files > li:visible h3")).to_have_text(["./big.txt"])
    expect(report.locator("#lines > li:visible h3")).to_have_text(["./big.txt:1:300001"])
    expect(report.get_by_role("status")).to_have_text("Shown: 1 of 4 files, 1 of 44 lines.")


def test_the_order_can_be_chosen_by_keys_alone(report: Page) -> None:
    expect(report.locator("#files h3").first).to_have_text("./menu.csv")
    expect(report.locator("#lines h3").first).to_have_text("./menu.csv:41:1")
    for _ in range(3):
        report.keyboard.press("Tab")
    expect(report.get_by_label("Order")).to_be_focused()
    report.keyboard.press("ArrowDown")
    expect(report.locator("#files h3").first).to_have_text("./big.txt")
    expect(report.locator("#lines h3").nth(2)).to_have_text("./menu.csv:1:4")


def test_what_is_in_files_and_names_is_text(report: Page) -> None:
    assert report.locator("main img, main script").count() == 0
    expect(report.locator("#files")).to_contain_text("<img src=x onerror=alert(1)>.txt")
    expect(report.locator("#lines")).to_contain_text("<script>alert(1)</script>")


def test_it_is_whole_without_its_script(browser: Browser, address: str) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(address)
    expect(page.locator("#files > li")).to_have_count(len(NAMES))
    expect(page.locator("form")).to_be_hidden()
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 768, 1280])
def test_it_fits_and_axe_finds_nothing(report: Page, width: int, scheme: str) -> None:
    report.set_viewport_size({"width": width, "height": 900})
    report.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    assert report.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(report) == []
