"""`--verify` and `--certificate`: what is written is proved to be the same text, and the proof is put on record."""

from __future__ import annotations

from dataclasses import dataclass

from eightfold.cli.options.arguments import CommandParser
from eightfold.cli.options.destination import DestinationOptions


@dataclass
class CertificateOptions(DestinationOptions):
    """What the options of :func:`add_certificate` say; a command that has them inherits these."""

    verify: bool = False
    certificate: str = ""

    @property
    def verified(self) -> bool:
        """Whether results are verified."""
        return self.verify or bool(self.certificate)


def add_certificate(parser: CommandParser, proof: str) -> None:
    """Take whether results are verified, by this proof, and where that is put on record."""
    parser.add_argument("--verify", action="store_true", help=f"{proof}; if they differ, nothing is written")
    parser.add_argument(
        "--certificate",
        metavar="FILE",
        help="verify, and record it in this file: one line of JSON for each file that is written, with sizes, "
        "SHA-256 and forms of both sides, policy and counts",
    )
