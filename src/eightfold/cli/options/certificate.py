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
    parser.add_argument("--verify", action="store_true", help=f"{proof}; where they differ, nothing is written")
    parser.add_argument(
        "--certificate",
        metavar="FILE",
        help="verify, and put it on record: for each file that is written a line of JSON with both sides' sizes and "
        "SHA-256, forms, policy and counts",
    )
