"""The digest of a file that is read."""

from __future__ import annotations

from hashlib import sha256

from eightfold.files.read.reading import Source


def digest_of(source: Source) -> str:
    """Return the SHA-256 of the rest of a source, in hex.

    Raises:
        FileError: it cannot be read.
    """
    digest = sha256()
    for chunk, _ in source.pieces():
        digest.update(chunk)
    return digest.hexdigest()
