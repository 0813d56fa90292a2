"""The names in a zip or in a tar; archives of other kinds are refused."""

from __future__ import annotations

from collections.abc import Iterator

from eightfold.files import blaming
from eightfold.files.walk.archives import others, tars, zips
from eightfold.files.walk.archives.compressed import unpacked
from eightfold.files.walk.archives.damage import telling_damage
from eightfold.files.walk.names import Name


def members(path: str) -> Iterator[Name]:
    """Yield the names in a file: those of its members if it is a zip or a tar, else none.

    Raises:
        FileError: it cannot be read, it is damaged, or it is an archive of another kind.
    """
    with blaming(path), open(path, "rb") as file, telling_damage(path):
        # The other way round, a tar whose last member is a zip would be taken for it.
        if (yield from tars.names(path, file)):
            return
        # The last member of such an archive may be a zip.
        others.refuse(path, unpacked(path, file).read(others.HEAD_BYTES))
        yield from zips.names(path, file)
