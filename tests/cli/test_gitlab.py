"""`check --output-format gitlab`: what GitLab's documentation asks of a code quality report holds for every report.

Source: GitLab Docs, Code Quality, Code Quality report format, and its schema for such reports: an array of objects with
`description`, `fingerprint`, `location.path` and `location.lines.begin`, and one of five severities; the file has no
byte order mark, a path is relative and has no `./` before it, and of equal fingerprints only one is shown.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eightfold import faults
from eightfold.cli import main
from eightfold.cli.output.reports.as_gitlab import GitlabReport
from eightfold.cli.output.reports.findings import Checked
from eightfold.stream import Located
from support.command_line import make_inputs, run_here

SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "pattern": "^[a-z0-9-]+$"},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "not": {"pattern": r"^(\./|/)"}},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                        "additionalProperties": False,
                    },
                },
                "additionalProperties": False,
            },
        },
        "additionalProperties": False,
    },
}


def check(report: bytes) -> list[dict[str, Any]]:
    """Return the issues of a report that has all that GitLab asks for."""
    jsonschema = pytest.importorskip("jsonschema")
    assert report.startswith(b"[")
    issues: list[dict[str, Any]] = json.loads(report)
    jsonschema.Draft202012Validator(SCHEMA).validate(issues)
    fingerprints = [issue["fingerprint"] for issue in issues]
    assert len(set(fingerprints)) == len(fingerprints)
    return issues


@pytest.mark.parametrize(
    "arguments",
    [
        ["."],
        ["missing.txt", "ill-formed.txt"],
        ["-f", "corrected-utf-8", "document.txt"],
        ["--max-faults", "1", "ill-formed.txt"],
        ["--context", "folder"],
        ["--statistics", "ill-formed.txt"],
        ["-f", "auto", "messages-utf-16le.txt", "paired.bin"],
        ["-j", "2", "."],
        ["clean.txt"],
        ["--exclude", "*", "."],
    ],
    ids=" ".join,
)
def test_a_report_is_as_gitlab_has_it(arguments: list[str], tmp_path: Path) -> None:
    make_inputs(tmp_path)
    done = run_here("check", "--output-format", "gitlab", *arguments, cwd=tmp_path)
    text = run_here("check", *arguments, cwd=tmp_path)
    issues = check(done.stdout)
    assert done.returncode == text.returncode
    if not {"--statistics", "--max-faults", "--context"} & set(arguments):
        unread = sum(issue["check_name"] == "unreadable" for issue in issues)
        assert len(issues) - unread == len(text.stdout.splitlines())


def test_what_an_issue_says(tmp_path: Path) -> None:
    make_inputs(tmp_path)
    (issue,) = check(run_here("check", "--output-format", "gitlab", "./folder/b.txt", cwd=tmp_path).stdout)
    del issue["fingerprint"]
    assert issue == {
        "description": "byte FF cannot begin a sequence",
        "check_name": "invalid-byte",
        "severity": "major",
        "location": {"path": "folder/b.txt", "lines": {"begin": 1}},
    }
    warnings = check(
        run_here("check", "--output-format", "gitlab", "-f", "corrected-utf-8", "clean.txt", cwd=tmp_path).stdout
    )
    assert {issue["severity"] for issue in warnings} == {"minor"}
    (unread,) = check(run_here("check", "--output-format", "gitlab", "missing.txt", cwd=tmp_path).stdout)
    assert (unread["severity"], unread["description"]) == ("blocker", "No such file or directory")


def fingerprints(folder: Path, data: bytes, *arguments: str) -> list[str]:
    (folder / "file.txt").write_bytes(data)
    done = run_here("check", "--output-format", "gitlab", *(arguments or ("file.txt",)), cwd=folder)
    return [issue["fingerprint"] for issue in check(done.stdout)]


def test_a_fingerprint_stays_while_the_fault_does(tmp_path: Path) -> None:
    data = b"caf\xe9\nand \xff and \xff again\n"
    before = fingerprints(tmp_path, data)
    assert len(set(before)) == 3
    assert fingerprints(tmp_path, data, "./file.txt") == before
    assert fingerprints(tmp_path, data, ".") == before
    assert fingerprints(tmp_path, data, str(tmp_path / "file.txt")) == before
    assert fingerprints(tmp_path, b"a line above\n\n" + data) == before
    assert set(before) < set(fingerprints(tmp_path, b"\xfe\n" + data))
    assert fingerprints(tmp_path, data.replace(b"\xe9", "é".encode())) == before[1:]


def test_a_fingerprint_does_not_depend_on_the_files_before_it(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"\xff\n\xff\n")
    alone = fingerprints(tmp_path, b"clean\n", "file.txt", "b.txt")
    assert fingerprints(tmp_path, b"\xff\n", "file.txt", "b.txt")[1:] == alone
    assert len(alone) == 2


def test_a_name_that_looks_escaped_is_not_that_of_another_file(tmp_path: Path) -> None:
    for name in (b"caf\xe9", rb"caf\xE9"):
        with open(bytes(tmp_path) + b"/" + name, "wb") as file:
            file.write(b"\xff")
    issues = check(run_here("check", "--output-format", "gitlab", ".", cwd=tmp_path).stdout)
    assert {issue["location"]["path"] for issue in issues} == {r"caf\xE9", r"caf\\xE9"}


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sampled_from([b"\xff", b"\xe9", b"\xed\xa0\xbd", b"a", b"\n"]), max_size=40))
def test_all_fingerprints_of_a_file_differ(pieces: list[bytes]) -> None:
    report = GitlabReport()
    report.begin_file("a", "utf-8")
    found = [report._identity(Located(fault, 1, 1)) for fault in faults(b"".join(pieces), "utf-8")]
    assert len(set(found)) == len(found)


def test_memory_does_not_grow_with_the_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eightfold.cli.output.reports.as_gitlab._KINDS_COUNTED", 3)
    report = GitlabReport()
    report.begin_file("a", "utf-8")
    data = b"".join(bytes([lead]) + b"a" for lead in range(0xE1, 0xF5)) * 2
    found = [report._identity(Located(fault, 1, 1)) for fault in faults(data, "utf-8")]
    assert len(set(found)) == len(found) == 40
    assert len(report._met) == 3


def test_the_array_is_closed_for_a_folder_that_cannot_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    report = GitlabReport()
    report.begin()
    report.end_file(Checked("folder", error="Permission denied"))
    report.end()
    assert len(json.loads(capsys.readouterr().out)) == 1


def test_the_summary_is_a_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff")
    assert main(["check", "--output-format", "gitlab", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "eightfold: 1 file checked, 1 invalid-byte\n"
