"""What a narrow screen does to the texts of a page: which lie beside it, and which words are broken."""

from __future__ import annotations

from playwright.sync_api import Page

TEXTS = r"""
    const walker = document.createTreeWalker(document.querySelector("main, article"), NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    const boxes = (text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      return [...range.getClientRects()];
    };
    const shown = (apart) => texts.filter((text) => text.data.trim() && !text.parentElement.closest(apart));
"""
BESIDE_THE_SCREEN = rf"""(apart) => {{
    {TEXTS}
    const beside = (box) => box.right > innerWidth || box.left < 0;
    return shown(apart).filter((text) => boxes(text).some(beside)).map((text) => text.data);
}}"""
BROKEN_WORDS = rf"""(apart) => {{
    {TEXTS}
    const lines = (text) => new Set(boxes(text).map((box) => Math.round(box.top))).size;
    const words = (text) => text.data.split(/\s+|(?<=[:;,./+-])/).filter(Boolean).length;
    return shown(apart).filter((text) => lines(text) > Math.max(1, words(text))).map((text) => text.data);
}}"""
HIDDEN = ".hidden, svg, textarea, select"
SCROLLING = ".scrolls, #tabs, pre, .table-wrapper, .sig"


def beside_the_screen(page: Page) -> list[str]:
    """Return the texts that are partly out of sight, but for those in a part that scrolls by itself."""
    found: list[str] = page.evaluate(BESIDE_THE_SCREEN, f"{HIDDEN}, {SCROLLING}")
    return found


def broken_words(page: Page, apart: str = HIDDEN) -> list[str]:
    """Return the texts on more lines than they have words, but for those in some elements."""
    found: list[str] = page.evaluate(BROKEN_WORDS, apart)
    return found
