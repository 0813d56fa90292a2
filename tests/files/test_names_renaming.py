"""Renaming never overwrites, by whichever call; what a name cannot be is told before."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold.files import FileError
from eightfold.files.read import reading
from eightfold.files.write import renaming
from eightfold.files.write.renaming import Renaming, obstacle, read_log, rename, write_log

NAMES = (
    st.binary(min_size=1, max_size=9)
    .filter(lambda name: b"\0" not in name and b"/" not in name and name.strip(b"."))
    .map(os.fsdecode)
)


def lacking(old: bytes, new: bytes, folder: int | None) -> int:
    return errno.EINVAL


def no_links(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


def use_system(monkeypatch: pytest.MonkeyPatch) -> None:
    if renaming._exclusive() is None:
        pytest.skip("the system has no such call")


def use_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renaming, "_exclusive", lambda: lacking)


def use_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renaming, "_exclusive", lambda: None)
    monkeypatch.setattr(os, "link", no_links)


WAYS = [use_system, use_links, use_nothing]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="one call does it all there")


def make(path: Path, kind: str) -> None:
    makers: dict[str, Callable[[], object]] = {
        "file": lambda: path.write_bytes(path.name.encode()),
        "folder": path.mkdir,
        "link": lambda: path.symlink_to("nowhere"),
        "pipe": lambda: os.mkfifo(path),
    }
    makers[kind]()


def identity(path: Path) -> tuple[int, int]:
    status = path.lstat()
    return status.st_ino, status.st_mode


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["file", "folder", "link", "pipe"])
def test_anything_is_renamed(
    way: Callable[[pytest.MonkeyPatch], None], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    way(monkeypatch)
    make(tmp_path / "old", kind)
    before = identity(tmp_path / "old")
    rename(Renaming(str(tmp_path), "old", "new"))
    assert identity(tmp_path / "new") == before
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_open", [True, False], ids=["open folder", "path"])
def test_a_link_is_renamed_and_not_the_file_that_it_leads_to(
    way: Callable[[pytest.MonkeyPatch], None], is_open: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    way(monkeypatch)
    make(tmp_path / "goal", "file")
    (tmp_path / "old").symlink_to("goal")
    before = identity(tmp_path / "old")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        rename(Renaming(str(tmp_path), "old", "new"), folder if is_open else None)
    finally:
        os.close(folder)
    assert (identity(tmp_path / "new"), os.readlink(tmp_path / "new")) == (before, "goal")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["goal", "new"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["file", "folder", "link"])
@pytest.mark.parametrize("other", ["file", "folder", "link"])
def test_nothing_is_overwritten(
    way: Callable[[pytest.MonkeyPatch], None], kind: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    way(monkeypatch)
    monkeypatch.setattr(renaming, "obstacle", lambda renaming, folder: "")  # It comes after the look before.
    make(tmp_path / "old", kind)
    make(tmp_path / "new", other)
    before = [identity(tmp_path / name) for name in ("old", "new")]
    with pytest.raises(FileError, match="old: a file with that name already exists: new"):
        rename(Renaming(str(tmp_path), "old", "new"))
    assert [identity(tmp_path / name) for name in ("old", "new")] == before


OBSTACLES = [
    ("", "the new name would be empty"),
    (".", "every folder already has an entry ."),
    ("..", "every folder already has an entry .."),
    ("a/b", "a name cannot contain /"),
    ("a\0b", "a name cannot contain \\x00"),
    ("é" * 128, "the new name would have 256 bytes, and 255 is the limit here"),
    ("taken", "a file with that name already exists"),
    ("dangling", "a file with that name already exists"),
    ("é" * 127 + "x", ""),
    ("...", ""),
]


@pytest.mark.parametrize(("new", "reason"), OBSTACLES, ids=[reason or "none" for _, reason in OBSTACLES])
def test_what_a_name_cannot_be_is_told(new: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "old").touch()
    (tmp_path / "taken").touch()
    (tmp_path / "dangling").symlink_to("nowhere")
    assert obstacle(Renaming(str(tmp_path), "old", new)) == reason
    if reason:
        with pytest.raises(FileError) as caught:
            rename(Renaming(str(tmp_path), "old", new))
        assert caught.value.reason.startswith(f"{reason}: ")
    else:
        rename(Renaming(str(tmp_path), "old", new))
        assert (tmp_path / new).exists()


@pytest.mark.skipif(sys.platform != "linux", reason="macOS has another call")
def test_what_the_system_refuses_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").touch()
    monkeypatch.setattr(renaming, "_exclusive", lambda: lambda *_: errno.EROFS)
    with pytest.raises(FileError, match="old: Read-only file system"):
        rename(Renaming(str(tmp_path), "old", "new"))


ILL_FORMED = NAMES.map(lambda name: f"{name}\udce9")


@given(st.lists(st.builds(Renaming, st.one_of(st.just(""), NAMES), ILL_FORMED, NAMES)))
def test_a_log_comes_back(renamings: list[Renaming]) -> None:
    file = BytesIO()
    write_log(file, renamings)
    file.getvalue().decode("ascii")
    file.seek(0)
    assert list(read_log(reading.Source("log", file))) == renamings  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{}", "line 2: this is not a line of such a log ('old'|'folder')"),
        (b"[]", "line 2: this is not a line of such a log"),
        (
            b'{"folder": "", "old": "", "new": "a"}',
            "line 2: this is not a line of such a log ('' is not a valid file name)",
        ),
        (b'{"folder": "", "old": 1, "new": "a"}', "line 2: this is not a line of such a log"),
        (b'{"folder": "", "old": "\\u0000", "new": "a"}', "line 2: this is not a line of such a log"),
        (b"{", "line 2: it is not JSON"),
    ],
)
def test_what_is_no_log_is_refused(line: bytes, reason: str) -> None:
    file = BytesIO(b'{"eightfold": "log of names", "version": 1}\n' + line)
    with pytest.raises(FileError) as caught:
        list(read_log(reading.Source("log", file)))  # type: ignore[arg-type]
    assert caught.value.reason.startswith(reason.partition("('old'")[0])
