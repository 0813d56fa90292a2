"""Takes the pictures of the explorer that the README and the docs show.

python explorer/screenshots.py docs/pictures
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
PICTURES = {
    "explorer-light": ("text=caf%C3%A9+%5Cu%7B1F600%7D+%5CuD83D&chosen=7", "light", (1180, 1180)),
    "explorer-dark": ("mode=bytes&hex=4F+4B+20+ED+A0+BD+ED+B8+80&form=utf-8&tab=faults", "dark", (1180, 1220)),
}
"""Each picture: what the page shows, light or dark, and its size in pixels."""


def take(address: str, folder: Path) -> None:
    """Write each picture into a folder."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "chromium"), args=FLAGS)
        for name, (fragment, scheme, (width, height)) in PICTURES.items():
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.goto(f"{address}#{fragment}")
            page.locator("body[data-ready]").wait_for()
            page.locator("#view:not([aria-busy])").wait_for()
            page.screenshot(path=folder / f"{name}.png")
            print(f"made: {folder / name}.png")
        browser.close()


def main(folder: Path) -> None:
    """Serve the explorer on a free port, and take the pictures.

    Raises:
        SystemExit: the server does not start.
    """
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "eightfold", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        found = re.search(r"http://\S+/", server.stderr.readline())
        if found is None:
            sys.exit("the server does not start: see eightfold serve")
        try:
            take(found[0], folder)
        finally:
            server.terminate()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python explorer/screenshots.py FOLDER")
    main(Path(sys.argv[1]))
