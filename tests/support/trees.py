"""What folders hold and what is read of a file; a folder that the system does not list; and folders of git."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from eightfold.files.read.reading import opened


def found_in(folder: Path) -> dict[Path, bytes]:
    """Return the content of each file below a folder, temporary ones too."""
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the same by the names of the files from that folder on, with slashes."""
    return {path.relative_to(folder).as_posix(): data for path, data in found_in(folder).items()}


def opened_deep_folder(length: int = 3_999) -> int:
    """Return the descriptor of a new folder, so many bytes of path below the current one."""
    folder = os.open(".", os.O_RDONLY)
    for name in (("d" * 199 + "/") * 20)[:length].strip("/").split("/"):
        os.mkdir(name, dir_fd=folder)
        around, folder = folder, os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(around)
    return folder


def content_read(path: str, **options: bool) -> bytes:
    """Return all pieces of a file as commands read it, with these options."""
    with opened(path, **options) as source:
        return b"".join(chunk for chunk, _ in source.pieces())


def refuse_to_list(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system refuse to list folders of this name."""
    scandir = os.scandir

    def refusing(path: str) -> object:
        if path.endswith(name):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)


HEAD = "ref: refs/heads/main\n"
REPOSITORY = {"HEAD": HEAD, "objects/": "", "refs/": ""}
"""The least that git takes for a repository."""


def make_git_folder(git: Path, entries: Mapping[str, str] = REPOSITORY) -> None:
    """Make a folder ``.git`` with these entries: folders, links (``-> target``) and files with their content."""
    git.mkdir()
    for name, content in entries.items():
        if name.endswith("/"):
            (git / name).mkdir()
        elif content.startswith("-> "):
            (git / name).symlink_to(content.removeprefix("-> "))
        else:
            (git / name).write_bytes(content.encode())
