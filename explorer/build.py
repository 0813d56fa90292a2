"""Assembles the explorer without a server: a folder of files that any web server can serve, Python included.

    python explorer/build.py build/explorer

The package runs in the browser on Pyodide, which `npm ci --prefix explorer` has fetched. A server must serve `.mjs` as
text/javascript and `.wasm` as application/wasm; the page asks for nothing from elsewhere.
"""

from __future__ import annotations

import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "src" / "eightfold"
PYODIDE = HERE / "node_modules" / "pyodide"
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")
LEFT_OUT = ("cli", "columns", "files", "integrations")
"""Rooms that need a file system or other packages, and that the explorer does not use."""
LEFT_OUT_OF_WEB = ("connections.py", "guard.py", "openapi.py", "responses.py", "server.py", "worker.py")
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; base-uri 'none'; form-action 'none'"
_EPOCH = (1980, 1, 1, 0, 0, 0)


def build(target: Path) -> None:
    """Make the folder anew.

    Raises:
        SystemExit: Pyodide is missing.
    """
    missing = [name for name in PYODIDE_FILES if not (PYODIDE / name).is_file()]
    if missing:
        sys.exit(f"{PYODIDE} lacks {', '.join(missing)}: run npm ci --prefix explorer --ignore-scripts")
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(PACKAGE / "web" / "static", target)
    page = target / "index.html"
    page.write_text(without_a_server(page.read_text(encoding="utf-8")), encoding="utf-8")
    (target / "pyodide").mkdir()
    for name in PYODIDE_FILES:
        shutil.copy(PYODIDE / name, target / "pyodide")
    archive(target / "eightfold.zip")


def without_a_server(page: str) -> str:
    """Return the page with Python in the browser behind it, and with the policy that a server would send."""
    kind, charset = '<meta name="eightfold-backend" content="server">', '<meta charset="utf-8">'
    assert kind in page
    assert charset in page
    policy = f'{charset}\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    return page.replace(kind, kind.replace("server", "pyodide")).replace(charset, policy)


def archive(path: Path) -> None:
    """Write the part of the package that the explorer uses; the same bytes each time."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for each in sorted(package_files()):
            name = each.relative_to(PACKAGE.parent).as_posix()
            made.writestr(zipfile.ZipInfo(name, _EPOCH), each.read_bytes(), zipfile.ZIP_DEFLATED)


def package_files() -> Iterator[Path]:
    """Yield the files that go into the archive."""
    for each in PACKAGE.rglob("*.py"):
        room, *rest = each.relative_to(PACKAGE).parts
        if room not in LEFT_OUT and not (room == "web" and rest[-1] in LEFT_OUT_OF_WEB):
            yield each
    yield PACKAGE / "web" / "java.json.gz"


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python explorer/build.py FOLDER")
    build(Path(sys.argv[1]))
    print(f"made: {sys.argv[1]}")
