"""What a path itself reveals: whether the file is remote, compressed, or temporary. Nothing is opened here."""

from __future__ import annotations

import os
import re

PACKED = (".gz", ".bz2", ".xz", ".zst")
"""The endings of names of compressed files, in any case."""
TEMPORARY = ".eightfold.tmp"
"""The ending of the names of this program's temporary files."""


def is_remote(path: str) -> bool:
    """Return whether a path has a scheme; a single letter is a Windows drive.

    >>> is_remote("s3://bucket/notes.txt"), is_remote("folder/notes.txt"), is_remote("C://notes.txt")
    (True, False, False)
    """
    return "://" in path and re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", path) is not None


def packing_of(path: str) -> str:
    """Return the ending of a name that shows how it is compressed, in lower case, or an empty str.

    >>> packing_of("logs/server.log.1.gz"), packing_of("https://example.org/a.ZST?download"), packing_of("gz")
    ('.gz', '.zst', '')
    """
    ending = os.path.splitext(_without_query(path))[1].lower()
    return ending if ending in PACKED else ""


def ending_of(path: str, *, unpack: bool = False) -> str:
    """Return the ending of a name in lower case; with ``unpack`` that of what is in a compressed file.

    >>> ending_of("Log.JSON"), ending_of("a.jsonl.gz", unpack=True), ending_of("a.jsonl.gz"), ending_of(".json")
    ('.json', '.jsonl', '.gz', '')
    """
    name, ending = os.path.splitext(_without_query(path))
    return os.path.splitext(name)[1].lower() if unpack and ending.lower() in PACKED else ending.lower()


def _without_query(path: str) -> str:
    return re.split("[?#]", path, maxsplit=1)[0] if path.startswith(("http://", "https://")) else path


def is_temporary(path: str) -> bool:
    """Return whether a file has the name of one of this program's temporary files.

    >>> is_temporary("folder/.notes.txt.1A2B3C4D-0.eightfold.tmp"), is_temporary("notes.tmp")
    (True, False)
    """
    return os.path.basename(path).startswith(".") and path.endswith(TEMPORARY)
