"""The order in which runs in place sync and rename: whenever the power fails, the next run can continue.

The calls are recorded, and a rename or a removal is judged by what had been synced before it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from eightfold.cli import main
from eightfold.files.records.journals import NAME

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be synced there")
CONVERT = ["convert", "-f", "utf-16-le", "-t", "utf-8", "--in-place"]
REPAIR = ["repair", "--in-place", "-f", "cesu-8"]


class Disk:
    """What the disk is sure to have: the contents of synced files, and the names in synced folders."""

    def __init__(self) -> None:
        self.contents: dict[int, bytes] = {}
        self.names: dict[int, frozenset[str]] = {}
        self.folder_syncs = 0
        self.renamed: list[Path] = []
        self.removed: list[Path] = []
        self.wrong: list[str] = []
        self._unsynced: set[Path] = set()
        self._lock = Lock()
        self._calls = {name: getattr(os, name) for name in ("fsync", "replace", "unlink")}

    def fsync(self, descriptor: int) -> None:
        self._calls["fsync"](descriptor)
        path, inode = Path(os.readlink(f"/proc/self/fd/{descriptor}")), os.fstat(descriptor).st_ino
        with self._lock:
            if path.is_dir():
                self.folder_syncs += 1
                self.names[inode] = frozenset(os.listdir(path))
                self._unsynced = {each for each in self._unsynced if each.parent != path}
            else:
                self.contents[inode] = path.read_bytes()
                if path.name == NAME and b'"end' in self.contents[inode] and self._unsynced:
                    self.wrong.append(f"{path} says that the run ends before {self._unsynced} are synced")

    def replace(self, source: str, target: str, **folders: Any) -> None:
        old, new = (found(path, folders.get("src_dir_fd")) for path in (source, target))
        with self._lock:
            journal = new.parent / NAME
            line = f'"name": "{new.name}"'.encode()
            if self.contents.get(os.stat(old).st_ino) != old.read_bytes():
                self.wrong.append(f"{new} is renamed before its content is synced")
            if line not in self.contents.get(os.stat(journal).st_ino, b""):
                self.wrong.append(f"{new} is renamed before the journal has its line")
            if NAME not in self.names.get(os.stat(new.parent).st_ino, ()):
                self.wrong.append(f"{new} is renamed before the journal has its name")
            self._calls["replace"](source, target, **folders)
            self.renamed.append(new)
            self._unsynced.add(new)

    def unlink(self, path: str, **folders: Any) -> None:
        with self._lock:
            if os.path.basename(path) == NAME:
                journal = found(path, folders.get("dir_fd"))
                self.removed.append(journal)
                folder = os.stat(journal.parent).st_ino
                self.names[folder] = self.names.get(folder, frozenset()) - {NAME}
                if self._unsynced:
                    self.wrong.append(f"{path} is removed before {self._unsynced} are synced")
        self._calls["unlink"](path, **folders)


def found(path: str, folder: int | None) -> Path:
    """Return the path of an entry of a folder that may be open."""
    return Path(path) if folder is None else Path(os.readlink(f"/proc/self/fd/{folder}"), path)


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    if not os.path.exists("/proc/self/fd"):
        pytest.skip("the name of an open file cannot be had here")
    disk = Disk()
    with monkeypatch.context() as patch:
        for name in ("fsync", "replace", "unlink"):
            patch.setattr(os, name, getattr(disk, name))
        yield disk


def make(folder: Path, line: list[str], count: int = 30) -> dict[Path, bytes]:
    """Make files in three folders, and return what they should become."""
    wanted = {}
    for number in range(count):
        path = folder / f"{number % 3}" / f"{number:03}.txt"
        path.parent.mkdir(exist_ok=True)
        text = f"line {number} \U0001f600\n"
        path.write_bytes(text.encode("utf-16-le" if line is CONVERT else "utf-8") if number else b"")
        if number and line is REPAIR:
            path.write_bytes(b"line %d \xed\xa0\xbd\xed\xb8\x80\n" % number)
        wanted[path] = text.encode() if number else b""
    return wanted


@pytest.mark.parametrize("line", [CONVERT, [*CONVERT, "-j", "1"], REPAIR], ids=" ".join)
def test_what_a_rename_relies_on_is_synced_before_it_and_the_rename_before_the_journal_goes(
    line: list[str], disk: Disk, tmp_path: Path
) -> None:
    wanted = make(tmp_path, CONVERT if line[0] == "convert" else REPAIR)
    assert main([*line, str(tmp_path)]) == 0
    assert disk.wrong == []
    assert len(disk.renamed) == 29  # One is empty, and stays.
    assert len(disk.removed) == 3
    # A folder is synced for the name of its journal (by each thread that needs it) and at the end, not for each file.
    assert 6 <= disk.folder_syncs <= 3 * (1 + (os.cpu_count() or 1))
    assert {path: path.read_bytes() for path in wanted} == wanted


def test_a_run_that_goes_on_syncs_what_the_killed_one_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The killed run synced no folder at its end, so the next one does, also where it renames nothing itself."""
    wanted = make(tmp_path, CONVERT)
    (tmp_path / "2" / "faulty.txt").write_bytes(b"\x00\xd8")
    assert main([*CONVERT, str(tmp_path)]) == 1
    (tmp_path / "2" / "faulty.txt").unlink()
    disk = Disk()
    with monkeypatch.context() as patch:
        for name in ("fsync", "replace", "unlink"):
            patch.setattr(os, name, getattr(disk, name))
        disk._unsynced = set(wanted)
        assert main([*CONVERT, str(tmp_path)]) == 0
    assert (disk.renamed, disk.wrong, len(disk.removed)) == ([], [], 3)


def test_a_run_that_stops_at_a_fault_has_synced_what_it_did(disk: Disk, tmp_path: Path) -> None:
    make(tmp_path, CONVERT)
    (tmp_path / "1" / "faulty.txt").write_bytes(b"\x00\xd8")
    assert main([*CONVERT, str(tmp_path)]) == 1
    assert (disk.wrong, disk.removed, disk._unsynced) == ([], [], set())


def test_a_journal_that_is_begun_again_gets_its_name_on_the_disk_again(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first file is not replaced after all, so its journal goes; the second file begins another one."""
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes("text".encode("utf-16-le"))
    replace = os.replace

    def full(source: str, target: str, **folders: Any) -> None:
        if os.path.basename(target) == "a.txt":
            raise OSError(28, "No space left on device")
        replace(source, target, **folders)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        assert main([*CONVERT, "-j", "1", str(tmp_path)]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert (disk.wrong, disk.removed, disk.renamed) == ([], [tmp_path / NAME], [tmp_path / "b.txt"])
