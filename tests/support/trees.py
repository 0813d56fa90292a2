"""What folders hold."""

from __future__ import annotations

from pathlib import Path


def found_in(folder: Path) -> dict[Path, bytes]:
    """Return the content of each file below a folder, temporary ones too."""
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the same by the names of the files from that folder on, with slashes."""
    return {path.relative_to(folder).as_posix(): data for path, data in found_in(folder).items()}
