"""`check` as a code quality report of GitLab: one JSON array, with an object for each fault. Written as it goes.

A fingerprint stays the same while a fault stays the same, so that GitLab can say what a merge request adds: it is made
from the path, the kind of fault, its bytes, and its number among the equal ones of the file, but not from its line,
which changes whenever something is written above it.

Source: GitLab Docs, Code Quality, Code Quality report format.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256

from eightfold.cli.output.lines import counted, put, say
from eightfold.cli.output.reports.findings import Checked, Context
from eightfold.cli.output.reports.report import Report, say_remedy, sentence_of
from eightfold.files.path_text import reported
from eightfold.files.read.reading import STANDARD_INPUT
from eightfold.stream import Located

_SEVERITIES = {"error": "major", "warning": "minor"}
_UNREAD = "blocker"
_KINDS_COUNTED = 10_000
"""For how many different faults of a file equal ones are counted; further ones are told apart by their offset."""


class GitlabReport(Report):
    """See :class:`eightfold.cli.output.reports.report.Report`."""

    def __init__(self) -> None:
        super().__init__()
        self._separator = ""
        self._met: dict[bytes, int] = {}

    def begin(self) -> None:
        """Open the array."""
        put("[", end="")

    def begin_file(self, path: str, form: str) -> None:
        """Count equal faults of another file."""
        self._met = {}

    def fault(self, path: str, found: Located, context: Context | None) -> None:
        """Write a fault."""
        fault = found.fault
        self._put(path, fault.kind, str(fault), _SEVERITIES[fault.severity], found.line, self._identity(found))

    def put_verdict(self, checked: Checked) -> None:
        """Write a file that could not be read, and how many faults are not shown; say what a file looks like."""
        if checked.error:
            self._put(checked.path, "unreadable", checked.error, _UNREAD, 1, b"unreadable")
        if checked.hidden:
            hidden = counted(checked.hidden, "more fault")
            self._put(checked.path, "more-faults", f"{hidden} not shown (--max-faults)", "info", 1, b"hidden")
        say_remedy(checked)

    def end(self) -> None:
        """Close the array; the format has no place for a summary, so that is a message."""
        put("\n]" if self._separator else "]")
        say(sentence_of(self.summary))

    def _identity(self, found: Located) -> bytes:
        """Return what makes a fault this one among all faults of its file, whatever is written above it."""
        fault = found.fault
        equal = f"{fault.kind}:{fault.form}:{fault.units.hex()}".encode()
        if equal not in self._met and len(self._met) >= _KINDS_COUNTED:
            return equal + b"@%d" % fault.start
        number = self._met[equal] = self._met.get(equal, 0) + 1
        return equal + b"#%d" % number

    def _put(self, path: str, kind: str, sentence: str, severity: str, line: int, identity: bytes) -> None:
        file = _relative(path)
        issue = {
            "description": sentence,
            "check_name": kind,
            "fingerprint": sha256(os.fsencode(file) + b"\0" + identity).hexdigest(),
            "severity": severity,
            "location": {"path": reported(file), "lines": {"begin": line}},
        }
        put(f"{self._separator}\n{json.dumps(issue)}", end="")
        self._separator = ","


def _relative(path: str) -> str:
    """Return a path as GitLab knows it: relative to the root of the repository, and without a dot before it."""
    if path == STANDARD_INPUT:
        return path
    whole = os.path.normpath(path)
    if os.path.isabs(whole):
        below = os.path.join(os.getcwd(), "")
        whole = whole.removeprefix(below)
    return whole.replace(os.sep, "/")


REPORT = GitlabReport
