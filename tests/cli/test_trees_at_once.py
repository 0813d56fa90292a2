"""`check` and `repair` of a tree that the core walks say what they say of one that Python walks."""

from __future__ import annotations

from pathlib import Path

import pytest

from eightfold.cli import main
from eightfold.cli.commands import check
from eightfold.cli.commands.repair import runs
from support.core_trees import needs_trees

pytestmark = needs_trees
FILES = {
    ".gitignore": b"*.log\n",
    "a.log": b"\xff",
    "a.txt": b"\xff and more",
    "clean.txt": b"clean",
    "data.json": rb'"\ud83d"',
    "escape.txt": "\uefe9".encode(),
    "image.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 8,
    "base.db": b"SQLite format 3\0" + b"\0\1" * 100,
    "inner/b.txt": b"\xed\xa0\x80",
    "inner/eightfold.toml": b'exclude = ["out/"]\n',
    "inner/deeper/c.txt": b"\xc0\x80",
    "inner/out/d.txt": b"\xff",
    "mapped/e.dat": b"\xed\xa0\x80",
    "mapped/pyproject.toml": b'[tool.eightfold]\nform-map = {"*.dat" = "wtf-8"}\n',
    "utf-16.txt": "units of sixteen bits, line after line\n".encode("utf-16-le") * 3,
    "z/f.txt": b"\xfe",
}


def made(folder: Path) -> str:
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / ".git").mkdir()
    (folder / "link.txt").symlink_to("a.txt")
    return str(folder)


@pytest.mark.parametrize(
    "command",
    [
        ("check",),
        ("check", "-j", "2"),
        ("check", "--statistics", "--no-ignore", "--binary"),
        ("check", "-f", "wtf-8", "--form-map", "*.txt=cesu-8"),
        ("check", "--escapes", "off", "--include", "*.txt", "--exclude", "z/"),
        ("check", "--output-format", "sarif"),
        ("repair",),
        ("repair", "--errors", "replace", "--binary"),
        ("repair", "--diff", "--no-config"),
    ],
)
def test_both_walks_lead_to_the_same_words(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    top = made(tmp_path)
    by_core = main([*command, top]), capsys.readouterr()
    for module in (check, runs):
        monkeypatch.setattr(module, "can_walk", lambda: False)
    assert (main([*command, top]), capsys.readouterr()) == by_core
    assert by_core[0] in (1, 2)
