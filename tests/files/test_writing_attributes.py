"""What a new file takes over from the old one, and when it must not take its place."""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eightfold.files import FileError
from eightfold.files.write.writing import replacing

ACCESS, DEFAULT = "system.posix_acl_access", "system.posix_acl_default"
_NOBODY = 0xFFFFFFFF


def access_list(mask: int = 4) -> bytes:
    """Return a list that lets user 1234 read, as Linux stores it: version 2, then tag, permissions, id."""
    entries = [(1, 6, _NOBODY), (2, 4, 1234), (4, 4, _NOBODY), (0x10, mask, _NOBODY), (0x20, 0, _NOBODY)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "file.txt"
    path.write_bytes(b"old")
    yield path
    assert list(tmp_path.iterdir()) == [path]


def write(path: Path) -> None:
    with replacing(str(path)) as file:
        file.write(b"new")


def set_extended(path: Path, name: str, value: bytes) -> None:
    if not hasattr(os, "setxattr"):
        pytest.skip("there are no extended attributes here")
    try:
        os.setxattr(path, name, value)
    except OSError as error:
        pytest.skip(f"{name}: {error.strerror}")


def test_extended_attributes_are_kept(old: Path) -> None:
    set_extended(old, "user.origin", b"https://example.org")
    set_extended(old, "user.empty", b"")
    write(old)
    assert old.read_bytes() == b"new"
    assert os.getxattr(old, "user.origin") == b"https://example.org"
    assert os.getxattr(old, "user.empty") == b""


def test_the_access_list_is_kept(old: Path) -> None:
    set_extended(old, ACCESS, access_list())
    mode = old.stat().st_mode
    write(old)
    assert (old.stat().st_mode, os.getxattr(old, ACCESS)) == (mode, access_list())


def test_an_access_list_that_cannot_be_kept_keeps_the_file(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_extended(old, ACCESS, access_list())
    setxattr = os.setxattr

    def refusing(path: Any, name: str, value: bytes) -> None:
        if name == ACCESS:
            raise OSError(95, "Operation not supported")
        setxattr(path, name, value)

    monkeypatch.setattr(os, "setxattr", refusing)
    with pytest.raises(FileError, match="Operation not supported"):
        write(old)
    assert old.read_bytes() == b"old"


def test_other_attributes_that_cannot_be_kept_are_no_error(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_extended(old, "user.origin", b"x")

    def refusing(*_: Any) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "setxattr", refusing)
    write(old)
    assert old.read_bytes() == b"new"


def test_the_folder_s_default_list_opens_no_file_that_was_closed(old: Path) -> None:
    old.chmod(0o640)
    set_extended(old.parent, DEFAULT, access_list())
    write(old)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert ACCESS not in os.listxattr(old)


def test_capabilities_are_dropped_as_by_any_write(old: Path) -> None:
    set_extended(old, "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 10, 0, 0, 0))
    write(old)
    assert "security.capability" not in os.listxattr(old)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_who_cannot_give_a_file_back_to_its_owner_does_not_replace_it(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.chown(old, 12345, 54321)

    def refusing(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refusing)
    with pytest.raises(
        FileError, match=r"its owner \(12345:54321\) cannot be preserved: use -o to write to another file"
    ):
        write(old)
    assert old.read_bytes() == b"old"
    assert (old.stat().st_uid, old.stat().st_gid) == (12345, 54321)
