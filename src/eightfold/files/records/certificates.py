"""Certificates: what was proved about a converted or repaired file, as one line of JSON.

A certificate identifies both sides by size and SHA-256, so anybody can verify years later that they are unchanged. It
names both forms and the policy, and gives the counts. The proof itself is in :mod:`eightfold.files.write.verifying`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from eightfold.files.path_text import as_text
from eightfold.files.records.json_lines import VERSION, record
from eightfold.version import __version__


@dataclass(frozen=True)
class Side:
    """One side of a certificate: a file, and its form."""

    path: str
    form: str


class Certificate:
    """A certificate, created while its file is read.

    Args:
        source, result: the two sides.
        errors: the policy.

    >>> certificate = Certificate(Side("in", "utf-16-le"), Side("out", "utf-8"), "strict")
    >>> certificate.take(b"a", b"")
    >>> certificate.take(bytes(1), b"a")
    >>> b'"bytes": 2' in certificate.line("code points", {"code_points": 1})
    True
    """

    def __init__(self, source: Side, result: Side, errors: str) -> None:
        self._sides = (_MeasuredSide(source), _MeasuredSide(result))
        self._errors = errors

    def take(self, chunk: bytes, result: bytes) -> None:
        """Add more of the source, and more of the result."""
        for side, data in zip(self._sides, (chunk, result), strict=True):
            side.take(data)

    @property
    def digests(self) -> tuple[str, str]:
        """The SHA-256 of both sides, in hex."""
        source, result = (side.digest for side in self._sides)
        return source, result

    @property
    def is_of_same_bytes(self) -> bool:
        """Whether both sides have the same bytes."""
        source, result = self.digests
        return source == result

    def line(self, proof: str, counts: Mapping[str, int | str]) -> bytes:
        """Return the certificate.

        Args:
            proof: what was found equal: ``code points``, ``bytes when undone``, or ``values when undone`` for a table.
            counts: names and numbers to add, and for a table what kind it is.
        """
        source, result = (side.as_dict() for side in self._sides)
        words = {"eightfold": "certificate", "version": VERSION, "by": __version__}
        return record({**words, "source": source, "result": result, "errors": self._errors, "same": proof, **counts})


class _MeasuredSide:
    def __init__(self, side: Side) -> None:
        self._side = side
        self._bytes = 0
        self._digest = sha256()

    def take(self, data: bytes) -> None:
        self._bytes += len(data)
        self._digest.update(data)

    @property
    def digest(self) -> str:
        return self._digest.hexdigest()

    def as_dict(self) -> dict[str, Any]:
        return {
            "path": as_text(self._side.path),
            "form": self._side.form,
            "bytes": self._bytes,
            "sha256": self.digest,
        }
