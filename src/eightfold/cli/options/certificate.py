"""`--verify` and `--certificate`: prove that the result is the same text, and record the proof."""

from __future__ import annotations

from dataclasses import dataclass

from eightfold.cli.options.arguments import CommandParser, file_argument
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
    """Add the options that verify results by this proof, and that record it."""
    parser.add_argument("--verify", action="store_true", help=f"{proof}; if they differ, nothing is written")
    parser.add_argument(
        "--certificate",
        type=file_argument,
        metavar="FILE",
        help="verify, and record it in this file: one line of JSON for each file that is written, with sizes, "
        "SHA-256 and forms of both sides, policy and counts",
    )
