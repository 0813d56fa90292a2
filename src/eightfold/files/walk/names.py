"""File names as bytes, and where they come from.

A zip records for each name whether it is UTF-8 (flag bit 11, or Info-ZIP's extra field 7075); otherwise it is CP437. A
header before each member repeats its name, or should. A tar records nothing, except that pax records are UTF-8. Whether
a name is well-formed is not examined here.

Source: PKWARE's APPNOTE 4.4.4 and 4.6.9; POSIX.1-2017 pax, Extended Header.
"""

from __future__ import annotations

import os
from typing import NamedTuple

FOLDER, ZIP_UTF_8, ZIP, ZIP_LOCAL, TAR, PAX = (
    "folder",
    "zip, declared UTF-8",
    "zip, not declared UTF-8",
    "zip, local header",
    "tar header",
    "pax record",
)


class Name(NamedTuple):
    """A name, and where it comes from.

    Attributes:
        place: the folder as a path, or the archive.
        name: the name in the folder, or the whole name of an archive's member.
        source: which of the file's ways to record names this one comes from.
        target: for a link, the name that it points to.
    """

    place: str
    name: bytes
    source: str
    target: bytes | None = None

    @property
    def path(self) -> str:
        """The path of a file in a folder."""
        return os.path.join(self.place, os.fsdecode(self.name))
