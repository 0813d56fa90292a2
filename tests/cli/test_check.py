"""`check`: the same faults and places as the library's, in every form, in both formats, with bounded memory."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import eightfold
from eightfold import corrected, lane
from eightfold.cli import main
from eightfold.cli.output.reports.findings import Cell, Tally
from eightfold.files.read import reading
from eightfold.stream import Located
from support.command_line import ENVIRONMENT, run, run_here
from support.peaks import peak

# Two, three and four units wide, surrogates of all kinds, every kind of byte, lines, a mark in the middle.
SOUP = (
    b"plain\n\xc3\xa9 \xed\xa0\x80\xed\xb0\x80\n\xed\xb0\x80 \xf0\x9f\x98\x80 \xf4\x90\x80\x80\r\n\xc0\x80 \x00\xe0\x80"
    b"\xef\xbb\xbf\n\x00\xd8\x00\xdc\x00\xd8\xfe\xff \xef\xbe\x80 \xee\xbe\x80\n\xfc\x80\x80\x80\x80\x80\n\xe2\x82"
)
NAMES = [form.name for form in eightfold.forms()]


def checked(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    status = main(["check", "--output-format", "json", *arguments])
    return status, json.loads(capsys.readouterr().out)


def expected_faults(data: bytes, name: str) -> list[dict[str, Any]]:
    found = corrected.lint(data) if name.startswith("corrected") else eightfold.faults(data, name)
    places = [(fault, eightfold.locate(data, fault, name)) for fault in found]
    return [{**fault.as_dict(), "line": line, "column": column} for fault, (line, column) in places]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "data", [SOUP, SOUP + b"\n", b"", corrected.MAGIC + SOUP], ids=["soup", "even", "empty", "magic"]
)
def test_json_is_what_the_library_finds(
    name: str, data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "CHUNK_BYTES", 7)
    path = tmp_path / "soup"
    path.write_bytes(data)
    status, output = checked("-f", name, str(path), capsys=capsys)
    expected = expected_faults(data, name)
    errors = [fault for fault in expected if fault["severity"] == "error"]
    file = output["files"][0]
    assert file["faults"] == expected
    assert (file["path"], file["well_formed"], file["errors"]) == (str(path), not errors, len(errors))
    assert output["version"] == eightfold.__version__
    assert status == bool(errors)


@pytest.mark.parametrize("name", NAMES)
def test_text_says_the_same_as_json(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "soup"
    path.write_bytes(SOUP)
    _, output = checked("-f", name, str(path), capsys=capsys)
    main(["check", "-f", name, str(path)])
    lines = [
        f"{path}:{fault['line']}:{fault['column']}: {fault['kind']}: {fault['sentence']}"
        for fault in output["files"][0]["faults"]
    ]
    assert capsys.readouterr().out.splitlines() == lines


@pytest.mark.parametrize("spelling", ["corrected-utf-8", "corrected-utf-8-sig", "CORRECTED_UTF_8"])
def test_corrected_utf_8_means_documents(spelling: str) -> None:
    done = run_here("check", "-f", spelling, "--output-format", "json", input=corrected.MAGIC + b"a\x00\tb")
    file = json.loads(done.stdout)["files"][0]
    assert file["form"] == "corrected-utf-8-sig"
    assert [(fault["kind"], fault["severity"], fault["start"]) for fault in file["faults"]] == [
        ("raw-nul", "error", 9),
        ("control", "warning", 10),
        ("no-final-newline", "warning", 12),
    ]
    assert done.returncode == 1


def test_warnings_alone_are_no_faults_unless_strict() -> None:
    assert run_here("check", "-f", "corrected-utf-8", input=b"no magic\n").returncode == 0
    assert run_here("check", "-f", "corrected-utf-8", "--strict", input=b"no magic\n").returncode == 1


def test_max_faults_hides_and_counts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff" * 10)
    (tmp_path / "b").write_bytes(b"\xfe" * 3)
    status, output = checked("--max-faults", "2", str(tmp_path), capsys=capsys)
    assert [len(file["faults"]) for file in output["files"]] == [2, 2]
    assert [file["errors"] for file in output["files"]] == [10, 3]
    assert output["summary"] == {
        "files": 2,
        "well_formed": 0,
        "unreadable": 0,
        "binary": 0,
        "excluded": 0,
        "errors": 13,
        "warnings": 0,
        "kinds": {"invalid-byte": 13},
        "forms": {"utf-8": {"invalid-byte": 13}},
    }
    assert status == 1


@pytest.mark.parametrize("content", [b"\xff" * 1000, b'["\\ud800"]\n' * 1000], ids=["bytes", "escapes"])
def test_faults_beyond_the_limit_are_counted_fast_not_one_by_one(
    content: bytes, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.jsonl").write_bytes(content)
    listed: list[Located | Cell] = []
    count = Tally.count
    monkeypatch.setattr(Tally, "count", lambda tally, found: (listed.append(found), count(tally, found)))
    _, output = checked("--max-faults", "2", "-j", "1", str(tmp_path), capsys=capsys)
    assert len(listed) == 2
    assert sum(output["files"][0]["kinds"].values()) == 1000


def test_pairs_beyond_the_limit_suggest_their_form(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xed\xa0\x80, \xed\xa0\xbd, \xed\xa0\xbd\xed\xb8\x80")
    for most in ("0", "1", "3", "4"):
        _, output = checked("--max-faults", most, str(tmp_path), capsys=capsys)
        assert output["files"][0]["looks_like"] == "mutf-8"  # in CESU-8 two surrogates would be faults


@pytest.mark.parametrize("most", ["0", "1", "2"])
def test_faults_before_a_break_are_counted_with_any_limit(
    most: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    packed = gzip.compress(b"a\xff" * 20 + random.Random(1).randbytes(20_000).translate(None, bytes(range(128))))
    (tmp_path / "a.gz").write_bytes(packed[:-500])
    main(["check", "--output-format", "json", str(tmp_path / "a.gz")])
    expected = json.loads(capsys.readouterr().out)["files"][0]
    status, output = checked("--max-faults", most, str(tmp_path / "a.gz"), capsys=capsys)
    assert expected["error"]
    assert (status, output["files"][0]["kinds"]) == (2, expected["kinds"])


def test_no_faults_shown_still_fails(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff")
    assert main(["check", "--max-faults", "0", str(tmp_path)]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert "1 more fault not shown" in output.err


def test_auto_identifies_first_also_a_pipe() -> None:
    done = run_here("check", "-f", "auto", input=b"\xef\xbb\xbfa\xff")
    assert done.stdout == b"-:1:5: invalid-byte: byte FF cannot begin a sequence\n"
    assert done.stderr.splitlines()[0] == b"eightfold: -: identified as utf-8-sig"


def test_auto_means_documents_too() -> None:
    done = run_here("check", "-f", "auto", input=corrected.MAGIC + b"\tx\n")
    assert b"-:2:1: control: " in done.stdout


def test_an_unreadable_file_is_in_the_json(tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(b"good\n")
    done = run_here("check", "--output-format", "json", "bad", "good", cwd=tmp_path)
    bad, good = json.loads(done.stdout)["files"]
    assert (bad["well_formed"], bad["error"], bad["faults"], bad["form"]) == (
        None,
        "No such file or directory",
        [],
        None,
    )
    assert good["well_formed"] is True
    assert done.returncode == 2


def test_a_file_that_fails_while_it_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"\xff" * 10)
    monkeypatch.setattr(reading.Source, "pieces", failing_pieces)
    status, output = checked(str(tmp_path / "a"), capsys=capsys)
    file = output["files"][0]
    assert (len(file["faults"]), file["well_formed"], file["error"]) == (1, None, "Input/output error")
    assert status == 2


def failing_pieces(source: reading.Source) -> Any:
    yield b"\xff", False
    with reading.blaming(source.path):
        raise OSError(5, "Input/output error")


NOT_UTF_8 = b"caf\xe9\n.txt"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="this system has no names that are no UTF-8")
@pytest.mark.parametrize("arguments", [["check"], ["check", "--output-format", "json"], ["identify"]], ids=" ".join)
def test_a_name_that_is_no_utf_8_is_shown_with_escapes(arguments: list[str], tmp_path: Path) -> None:
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + NOT_UTF_8))).write_bytes(b"\xff")
    done = run_here(*arguments, NOT_UTF_8, cwd=tmp_path)
    assert done.returncode in (0, 1)
    if "json" in arguments:
        assert json.loads(done.stdout)["files"][0]["path"] == "caf\\xE9\\x0A.txt"
    else:
        assert done.stdout.startswith(b"caf\\xE9\\x0A.txt:")
        assert len(done.stdout.splitlines()) == 1
    assert run_here(arguments[0], NOT_UTF_8 + b"?", cwd=tmp_path).stderr.startswith(b"eightfold: caf\\xE9\\x0A.txt?: ")


def test_a_name_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    (tmp_path / "café.txt").write_bytes(b"\xff")
    done = run("check", "café.txt", cwd=tmp_path, env={**ENVIRONMENT, "PYTHONIOENCODING": "ascii"})
    assert done.stdout.startswith(b"caf\\xe9.txt:1:1:")


def test_check_reads_a_pipe_as_it_comes() -> None:
    line = [sys.executable, "-u", "-m", "eightfold", "check"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"\xff and more to come")
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"-:1:1:")
        process.stdin.close()


BOUNDED = [
    (20_000, b"\xff\xe2\x82", ["check"]),
    (20_000, b"\xff\xe2\x82", ["check", "--output-format", "json"]),
    (20_000, b"\xfe", ["check", "-f", "corrected-utf-8"]),
    (20_000, rb'{"a": "\ud83d"}, ', ["check", "--escapes-in", "*"]),
    (18_000, b"plain ascii ", ["identify"]),
    (20_000, b"\xff\xe2\x82", ["convert", "-f", "xtf-8", "-t", "wtf-16-le", "--verify", "--internal"]),
]
"""Bytes, the unit that they repeat, and the command."""


@pytest.mark.parametrize(("size", "unit", "arguments"), BOUNDED, ids=[" ".join(command) for *_, command in BOUNDED])
def test_memory_does_not_grow_with_the_file(
    size: int, unit: bytes, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "CHUNK_BYTES", 256)  # Python keeps a tuple of each for the next, up to 2,000
    monkeypatch.setattr(sys.modules["eightfold.identify"], "SAMPLE_BYTES", 128)
    for most in ("_LEAST", "_MOST", "_SCANNED"):  # the windows of the engine "python"
        monkeypatch.setattr(lane, most, 256)
    small, large = tmp_path / "small", tmp_path / "large"
    large.write_bytes((unit * size)[:size])
    small.write_bytes(large.read_bytes()[: size // 3])  # Enough to fill every buffer on the way.
    with open(os.devnull, "w") as nowhere:
        monkeypatch.setattr(sys, "stdout", nowhere)
        monkeypatch.setattr(sys, "stderr", nowhere)
        main([*arguments, str(large)])  # Everything is imported, derived and cached once.
        # Less than a byte for a byte, with room for what Python keeps: neither the input nor its faults can be held.
        limit = peak(partial(main, [*arguments, str(small)])) + size // 2
        most = peak(partial(main, [*arguments, str(large)]), limit=limit)
        monkeypatch.undo()
    assert most < limit


def test_the_measure_sees_memory_that_grows(tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    large.write_bytes(bytes(20_000))
    small.write_bytes(bytes(20_000 // 3))
    assert peak(large.read_bytes) - peak(small.read_bytes) >= 20_000 / 2
