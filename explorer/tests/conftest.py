"""A real browser, and the explorer in it with both of its backends."""

from __future__ import annotations

import base64
import http.server
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
SITE = Path(os.environ.get("SITE", ROOT / "build" / "docs"))
BUILT = Path(os.environ.get("EXPLORER", ROOT / "build" / "explorer"))
NAMES = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]
TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm", ".css": "text/css"}
MILLISECONDS = 90_000
DROP = r"""([name, content]) => {
    const bytes = Uint8Array.from(atob(content), (each) => each.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], name));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""
CESU = "mode=bytes&hex=4F+4B+20+ED+A0+BD+ED+B8+80&form=utf-8"
"""A state of the page: an emoji of six bytes, as CESU-8 has it, in a form that refuses it."""
expect.set_options(timeout=30_000)

only_server = pytest.mark.parametrize("explorer", ["server"], indirect=True)
"""Where the backend makes no difference: Python in the browser is slow."""


class Explorer:
    """A page with the explorer, and what went wrong in it."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.wrong: list[str] = []
        page.set_default_timeout(MILLISECONDS)
        page.on("console", lambda said: self.wrong.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", lambda asked: None if self.is_own(asked.url) else self.wrong.append(asked.url))

    def is_own(self, url: str) -> bool:
        return url.startswith((self.address, "blob:", "data:"))

    def show(self, fragment: str = "") -> None:
        """Show a state; the page itself is loaded only once."""
        self.page.goto(f"{self.address}#{fragment}")
        self.page.locator("body[data-ready]").wait_for()
        self.settle()

    def reload(self) -> None:
        self.page.reload()
        self.page.locator("body[data-ready]").wait_for()
        self.settle()

    def settle(self) -> None:
        """Wait until the page shows its state."""
        self.page.wait_for_timeout(200)
        self.page.locator("#view:not([aria-busy])").wait_for(state="attached")  # It may be empty.

    def row(self, form: str) -> Any:
        return self.page.locator(f'.row[data-form="{form}"] .units')

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name).click()
        self.settle()

    def drop(self, name: str, content: bytes) -> None:
        """Drop a file on the page."""
        self.page.evaluate(DROP, [name, base64.b64encode(content).decode()])
        expect(self.page.locator(".pages strong")).to_have_text(name)
        self.settle()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, filter(None, NAMES))), None)
    if found is None:
        pytest.fail("there is no Chromium: make test-web installs one, or says why it cannot")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def served() -> Iterator[str]:
    """Return the address of a server."""
    command = [sys.executable, "-m", "eightfold", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r"http://\S+/", said)
        assert found, said
        yield found[0]
        process.terminate()
        process.wait(30)


class _Files(http.server.SimpleHTTPRequestHandler):
    extensions_map: ClassVar[dict[str, str]] = {**http.server.SimpleHTTPRequestHandler.extensions_map, **TYPES}

    def log_message(self, *said: object) -> None:
        """Say nothing."""


@contextmanager
def served_files(folder: Path) -> Iterator[str]:
    """Serve the files of a folder, and give the address."""
    serving = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(folder)))
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{serving.server_address[1]}/"
    serving.shutdown()
    serving.server_close()


@pytest.fixture(scope="session")
def built() -> Iterator[str]:
    """Return the address of the explorer without a server, in a folder below the root, as in the docs."""
    if not (BUILT / "eightfold.zip").is_file():
        pytest.fail(f"there is no {BUILT}: run make explorer")
    with served_files(BUILT.parent) as address:
        yield f"{address}{BUILT.name}/"


@pytest.fixture(scope="session")
def documentation() -> Iterator[str]:
    """Return the address of the site of the documentation."""
    if not (SITE / "index.html").is_file():
        pytest.fail(f"there is no {SITE}: run make docs")
    with served_files(SITE) as address:
        yield address


@pytest.fixture(scope="session")
def pages(browser: Browser) -> Iterator[dict[str, Explorer]]:
    found: dict[str, Explorer] = {}
    yield found
    for each in found.values():
        each.page.context.close()


@pytest.fixture(params=["server", "pyodide"])
def explorer(request: pytest.FixtureRequest, browser: Browser, pages: dict[str, Explorer]) -> Iterator[Explorer]:
    """Return the explorer at its beginning. All tests share one page: Python in the browser starts slowly."""
    kind = request.param
    if kind not in pages:
        address = request.getfixturevalue("served" if kind == "server" else "built")
        pages[kind] = Explorer(browser.new_context(viewport={"width": 1280, "height": 900}).new_page(), address)
    found = pages[kind]
    found.wrong.clear()
    found.page.set_viewport_size({"width": 1280, "height": 900})
    found.page.emulate_media(color_scheme="light")
    found.show()
    yield found
    assert found.wrong == []
