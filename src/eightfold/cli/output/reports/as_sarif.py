"""`check` as SARIF 2.1.0, for code scanning: one run, whose rules are the kinds of fault. Written as it goes.

A column of SARIF counts characters, which ill-formed text does not have: a region is a line and a span of bytes, and
our own column, in bytes, is a property.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
"""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import quote

from eightfold.cli.output.lines import put
from eightfold.cli.output.reports.as_json import summary_values
from eightfold.cli.output.reports.findings import Checked, Context
from eightfold.cli.output.reports.report import Report
from eightfold.faults import KINDS, WARNINGS, EscapedSurrogateFault, Fault, Kind
from eightfold.files.read.reading import STANDARD_INPUT
from eightfold.stream import Located
from eightfold.version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"

HELP: dict[Kind, str] = {
    "overlong": "Old encoders wrote U+0000 as C0 80 (MUTF-8 still does), and attackers hide / and quotes this way. "
    "If the file is from Java, check it as mutf-8; otherwise `eightfold explain` shows what was meant.",
    "surrogate": "Half of a UTF-16 pair was written alone: by Java or JavaScript, from a Windows name cut in two "
    "(wtf-8), or as one of two halves (cesu-8). `eightfold identify` says which.",
    "beyond-unicode": "Unicode ends at U+10FFFF. The file is UTF-8 as in RFC 2044 (utf-8-rfc2044), or it is not text.",
    "too-long": "UTF-8 had such sequences until 2003 (utf-8-rfc2044). Usually the bytes are in another encoding.",
    "invalid-byte": "FE and FF never occur in UTF-8. At the start of a file they are the byte order mark of UTF-16.",
    "unexpected-continuation": "The lead byte before it is lost, or the text is in a legacy encoding such as Latin-1.",
    "truncated": "The text was cut inside a character, or is in a legacy encoding such as Latin-1.",
    "surrogate-pair": "WTF-8 has one way to write each code point: join the halves, as `eightfold convert` does "
    "from generalized-utf-8.",
    "unpaired-surrogate": "The other half is lost. `--errors replace` writes U+FFFD for it; wtf-8 and wtf-16 keep it.",
    "four-byte": "The text is UTF-8, not CESU-8 or MUTF-8, or a mixture, which `eightfold repair` can fix.",
    "raw-nul": "MUTF-8 writes U+0000 as C0 80, so that no byte is 0; a Corrected UTF-8 document must not contain it.",
    "escape-collision": "XTF-8 uses this code point to escape bytes, so text that contains it would not round-trip.",
    "reserved": "Corrected UTF-8 reserves sequences that begin with FE or FF for a later version.",
    "unrepresentable": "The target has no sequence for this code point: choose another target, or an error policy.",
    "odd-length": "A byte is missing at the end, or was lost earlier: then all later code units are wrong.",
    "control": "A document of Corrected UTF-8 should not contain control characters other than U+000A.",
    "line-terminator": "A document of Corrected UTF-8 should end its lines with U+000A alone.",
    "no-final-newline": "A document of Corrected UTF-8 should end with U+000A.",
    "no-signature": "A document of Corrected UTF-8 should begin with its magic number: otherwise it is read as UTF-8.",
    "joined-pair": "The target writes the pair as it writes the supplementary code point. generalized-utf-8 and "
    "optu-16 keep the two apart.",
    "needless-escape": "Decoding gives the character, which encoding does not escape: the text does not round-trip.",
    "unexamined": "eightfold cannot look inside such an object: pass its contents. Files never contain one.",
    "other-form": "Nothing else in the file was checked. Check it with -f and the form that the message names, or map "
    "its name to that form with --form-map. If it is UTF-8 after all, use -f utf-8.",
    "escaped-surrogate": "A program cut a string between the halves of a pair and wrote JSON. Other readers refuse it "
    "(no low surrogate in string). `eightfold repair --escapes repair` writes \\ufffd for it.",
    "undefined": "The file is in another charset, or damaged. On the web some names mean a larger charset: see "
    "`eightfold table NAME`.",
    "mojibake": "`eightfold repair --mojibake` mends it, undoably; first find the program that still writes it.",
}
"""For each kind of fault, the likely cause and what to do."""


class SarifReport(Report):
    """See :class:`eightfold.cli.output.reports.report.Report`."""

    def __init__(self) -> None:
        super().__init__()
        self._results = 0
        self._notifications: list[dict[str, Any]] = []
        self._is_whole = True

    def begin(self) -> None:
        """Open the log and its run."""
        driver = {
            "name": "eightfold",
            "version": __version__,
            "rules": [_rule(kind, meaning) for kind, meaning in KINDS.items()],
        }
        head = {"$schema": SCHEMA, "version": "2.1.0"}
        run = {"tool": {"driver": driver}}
        put(f'{json.dumps(head)[:-1]}, "runs": [{json.dumps(run)[:-1]}, "results": [', end="")

    def fault(self, path: str, found: Located, context: Context | None) -> None:
        """Write a result."""
        separator = "," if self._results else ""
        self._results += 1
        put(f"{separator}\n{json.dumps(_result(path, found, context))}", end="")

    def put_verdict(self, checked: Checked) -> None:
        """Remember the message about a file as a whole: notifications come after the results."""
        if checked.error:
            self._is_whole = False
            self._notify("error", checked.error, checked.path)
        if checked.remedy:
            self._notify("note", checked.remedy, checked.path)

    def _notify(self, level: str, message: str, path: str) -> None:
        place = {"physicalLocation": {"artifactLocation": _artifact(path)}}
        self._notifications.append({"level": level, "message": {"text": message}, "locations": [place]})

    def end(self) -> None:
        """Close the log, with the summary."""
        invocation = {"executionSuccessful": self._is_whole, "toolExecutionNotifications": self._notifications}
        rest = {"invocations": [invocation], "properties": summary_values(self.summary)}
        put(f"\n], {json.dumps(rest)[1:]}]}}")


def _rule(kind: Kind, meaning: str) -> dict[str, Any]:
    return {
        "id": kind,
        "shortDescription": {"text": f"{meaning[0].upper()}{meaning[1:]}."},
        "help": {"text": HELP[kind]},
        "defaultConfiguration": {"level": "warning" if kind in WARNINGS else "error"},
    }


def _result(path: str, found: Located, context: Context | None) -> dict[str, Any]:
    fault = found.fault
    region = {"startLine": found.line, "byteOffset": fault.start, "byteLength": fault.end - fault.start}
    place: dict[str, Any] = {"artifactLocation": _artifact(path), "region": region}
    if context is not None:
        place["contextRegion"] = {"startLine": found.line, "snippet": {"text": "".join(context)}}
    return {
        "ruleId": fault.kind,
        "ruleIndex": list(KINDS).index(fault.kind),
        "level": fault.severity,
        "message": {"text": str(fault)},
        "locations": [{"physicalLocation": place}],
        "properties": {"form": fault.form, "column": found.column, **_path(fault)},
    }


def _path(fault: Fault) -> dict[str, str]:
    return {"json_path": fault.json_path} if isinstance(fault, EscapedSurrogateFault) else {}


def _artifact(path: str) -> dict[str, Any]:
    r"""Return where a file is: a URI, in which every byte of a name has its place.

    >>> _artifact("caf\udce9.txt"), _artifact("a:b"), _artifact("/x y")
    ({'uri': 'caf%E9.txt'}, {'uri': 'a%3Ab'}, {'uri': 'file:///x%20y'})
    """
    if path == STANDARD_INPUT:
        return {"description": {"text": "standard input"}}
    uri = quote(os.fsencode(os.path.normpath(path).replace(os.sep, "/")))
    return {"uri": f"file://{uri}" if uri.startswith("/") else uri}


REPORT = SarifReport
