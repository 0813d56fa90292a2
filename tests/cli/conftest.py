"""A clone of what an enemy wrote, beside which something precious lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.clones import PRECIOUS


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with a file, beside a folder that is none of its business."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "precious").write_bytes(PRECIOUS)
    (tmp_path / "clone" / "deep").mkdir(parents=True)
    (tmp_path / "clone" / "a.txt").write_bytes(b"text")
    monkeypatch.chdir(tmp_path / "clone")
    return tmp_path / "clone"


@pytest.fixture
def outside(tree: Path) -> Path:
    return tree.parent / "outside"
