"""Where certificates go, and where they must not go: see :mod:`eightfold.files.records.certificates`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from eightfold.cli.options.certificate import CertificateOptions
from eightfold.cli.options.destination import STANDARD_OUTPUT
from eightfold.cli.output.ending import UsageError
from eightfold.cli.work.jobs import Job, RealPaths
from eightfold.cli.work.sinks import NotKeptError, check_free, is_standard_output, record
from eightfold.files.path_text import shown


def check_certificate(options: CertificateOptions, *, writes: bool) -> None:
    """Refuse a certificate if nothing is written, or if it would replace a file.

    Raises:
        UsageError: that is so.
    """
    if options.verified and not writes:
        raise UsageError(f"{'--certificate' if options.certificate else '--verify'} needs an option that writes files")
    if is_standard_output(options.output) and not options.in_place:
        check_certificate_not_output(options)
    check_free("--certificate", options.certificate)


def check_certificate_not_output(options: CertificateOptions) -> None:
    """Refuse a certificate on standard output if a result goes there.

    Raises:
        UsageError: it does.
    """
    if is_standard_output(options.certificate):
        both = f"--certificate {shown(options.certificate)} and the result"
        raise UsageError(f"{both} would both go to standard output: write one of them to a file")


def check_certificate_apart(options: CertificateOptions, work: Iterable[Job]) -> None:
    """Refuse a certificate that would be written over a result or its folder, or over the backup of a replaced file.

    Raises:
        UsageError: that is so.
    """
    if options.certificate and options.certificate != STANDARD_OUTPUT:
        leads_to = RealPaths().of
        place = leads_to(options.certificate)
        targets = [leads_to(job.target) for job in work]
        backups = [target + options.backup for target in targets] if options.backup else []
        for what, places in (("result", targets), ("backup", backups)):
            if place in places:
                raise UsageError(
                    f"--certificate {shown(options.certificate)}: a {what} is written to this file; choose another name"
                )
        if any(target.startswith(os.path.join(place, "")) for target in targets):
            raise UsageError(
                f"--certificate {shown(options.certificate)}: results are written to a folder here; choose another name"
            )


@contextmanager
def certificates(options: CertificateOptions, failed: Callable[[], object]) -> Iterator[Callable[[bytes], object]]:
    """Open the sink for the lines of certificates.

    The file exists once the block ends without an exception, unless there is no line and something has failed.
    """
    if not options.certificate:
        yield lambda line: None
        return
    count = 0

    def certify(line: bytes) -> None:
        nonlocal count
        count += 1
        file.write(line)

    with record(options.certificate) as file:
        yield certify
        if not count and failed():
            raise NotKeptError
