"""`--verify` and `--certificate`: what is written is proved to be the same text, and the proof is put on record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from eightfold.cli.options.arguments import CommandParser
from eightfold.cli.output.ending import UsageError
from eightfold.cli.work.destinations import STANDARD_OUTPUT, Destination, Job, RealPaths, check_free, sink
from eightfold.files.path_text import shown


@dataclass
class Certified(Destination):
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


def check_certificate(options: Certified, *, writes: bool) -> None:
    """Refuse a certificate where nothing is written, or where it would replace a file.

    Raises:
        UsageError: that is so.
    """
    if options.verified and not writes:
        raise UsageError(f"{'--certificate' if options.certificate else '--verify'} goes with what writes files")
    if options.certificate == STANDARD_OUTPUT == options.output:
        raise UsageError("--certificate - and a result on standard output would be mixed: give one of them a file")
    check_free("--certificate", options.certificate)


def check_certificate_apart(options: Certified, work: Iterable[Job]) -> None:
    """Refuse a certificate that would be written over a result.

    Raises:
        UsageError: that is so.
    """
    if options.certificate and options.certificate != STANDARD_OUTPUT:
        leads_to = RealPaths().of
        place = leads_to(options.certificate)
        if any(leads_to(job.target) == place for job in work):
            raise UsageError(f"--certificate {shown(options.certificate)}: this is where a result goes")


@contextmanager
def certificates(options: Certified) -> Iterator[Callable[[bytes], object]]:
    """Open what takes the lines of certificates; the file is there when the block ends without an exception."""
    if not options.certificate:
        yield lambda line: None
        return
    with sink(Job("", options.certificate), Destination()) as file:
        yield file.write
