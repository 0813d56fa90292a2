"""The wheel that is built without the core: for every Python and machine, as its name says, and it works."""

from __future__ import annotations

import email
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEEDED = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "LICENSE-CORE.txt", "src", "rust")
NOT_NEEDED = shutil.ignore_patterns("target", "__pycache__", "_native.*.so", "*.pyd", "*.egg-info", "build")


def source_in(folder: Path) -> Path:
    """Make a copy of what a wheel is built from, without anything that was built."""
    folder.mkdir()
    for name in NEEDED:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, folder / name, ignore=NOT_NEEDED)
        else:
            shutil.copy(path, folder)
    return folder


def path_without_cargo() -> str:
    """Return PATH without the folders that have Rust's tools; a C++ compiler alone builds no core."""
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(each for each in folders if not any(Path(each).glob("cargo*")))


def built(source: Path, **variables: str) -> Path:
    """Build a wheel and return it."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "-w", "wheels", "."]
    plain = {name: value for name, value in os.environ.items() if name not in ("EIGHTFOLD_BUILD", "CARGO")}
    done = subprocess.run(
        command, cwd=source, env={**plain, **variables}, capture_output=True, text=True, timeout=500, check=False
    )
    if "No matching distribution found" in done.stdout + done.stderr:
        pytest.skip("what a build needs cannot be had here: there is no package index")
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (source / "wheels").iterdir()
    return wheel


def shown_by_an_index(metadata: str) -> bool:
    """Say whether the description is what an index renders, and whether all of its links lead somewhere."""
    message = email.message_from_string(metadata)
    assert message["Description-Content-Type"] == "text/markdown"
    markdown = pytest.importorskip("readme_renderer.markdown", reason="readme_renderer is not installed")
    rendered = markdown.render(message.get_payload(), stream=sys.stderr)
    assert rendered is not None
    assert "<h1" in rendered
    assert "<table" in rendered
    return not re.search(r'(?:href|src)="(?!https?:|#|mailto:)', rendered)


@pytest.mark.parametrize(
    "variables",
    [{"PATH": path_without_cargo(), "CARGO_HOME": "/nonexistent"}, {"EIGHTFOLD_BUILD": "python"}],
    ids=["no cargo", "not asked for"],
)
def test_a_wheel_without_the_core_says_so_in_its_name_and_works(tmp_path: Path, variables: dict[str, str]) -> None:
    wheel = built(source_in(tmp_path / "source"), **variables)
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert not any(name.endswith((".so", ".pyd")) or ".data/" in name for name in archive.namelist())
        (about,) = (name for name in archive.namelist() if name.endswith(".dist-info/WHEEL"))
        assert b"Root-Is-Purelib: true" in archive.read(about)
        for licence in ("LICENSE", "LICENSE-CORE.txt"):
            (held,) = (name for name in archive.namelist() if name.endswith(f".dist-info/licenses/{licence}"))
            assert archive.read(held) == (ROOT / licence).read_bytes()
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        assert shown_by_an_index(archive.read(metadata).decode())
    program = (
        "import eightfold; print(eightfold.ENGINE, ascii(eightfold.decode(bytes.fromhex('EDA0BDEDB880'), 'cesu-8')))"
    )
    environment = {**os.environ, "PYTHONPATH": str(wheel)}
    environment.pop("EIGHTFOLD_ENGINE", None)
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "python '\\U0001f600'\n"


def test_a_link_that_leads_nowhere_on_an_index_is_caught() -> None:
    page = "Description-Content-Type: text/markdown\n\n# a\n\n| a |\n| --- |\n| b |\n\n"
    assert shown_by_an_index(f"{page}[a](https://example.org/)")
    assert not shown_by_an_index(f"{page}[a](docs/a.md)")
