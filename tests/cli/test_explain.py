"""`explain`: the rows of the library, of files of any size, of bytes in hex and of text."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import eightfold
from eightfold import explain, forms
from eightfold.cli import main
from eightfold.files.read import reading
from support.command_line import ENVIRONMENT, PATIENCE, command, cut_off, run, run_here
from support.peaks import peak

NAMES = [form.name for form in forms()]
SOUP = (
    b"plain\n\xc3\xa9 \xed\xa0\x80\xed\xb0\x80\n\xf0\x9f\x98\x80 \xf4\x90\x80\x80\r\n\xc0\x80 \x00\xe0\x80"
    b"\xef\xbb\xbf\x1b[31m\x00\xd8\x00\xdc\xfe\xff \xef\xbe\x80 \xe2\x80\xae\xfc\x80\x80\x80\x80\x80\xe2\x82"
)


def in_files(name: str) -> str:
    return "corrected-utf-8-sig" if name == "corrected-utf-8" else name


def explained(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    status = main(["explain", "--output-format", "json", *arguments])
    return status, json.loads(capsys.readouterr().out)


@pytest.fixture
def soup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(reading, "CHUNK_BYTES", 7)
    path = tmp_path / "soup"
    path.write_bytes(SOUP)
    return str(path)


@pytest.mark.parametrize("name", NAMES)
def test_json_is_what_the_library_says(name: str, soup: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, output = explained("-f", name, soup, capsys=capsys)
    expected = explain(SOUP, in_files(name))
    assert output == {"version": eightfold.__version__, "path": soup, **expected.as_dict()}
    assert status == any(row.fault for row in expected)


@pytest.mark.parametrize("name", NAMES)
def test_text_is_what_the_library_says(name: str, soup: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected = explain(SOUP, in_files(name))
    assert main(["explain", "-f", name, soup]) == any(row.fault for row in expected)
    output = capsys.readouterr().out
    assert output == f"{expected}\n"
    assert all(line.isprintable() for line in output.splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_a_text_is_what_the_library_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = "né 漢😀\x80\udcff\ufffe"
    status, output = explained("-f", name, "--text", text, capsys=capsys)
    expected = explain(text, in_files(name))
    assert output == {"version": eightfold.__version__, **expected.as_dict()}
    assert status == any(row.fault for row in expected)


@pytest.mark.parametrize(
    "given", ["ED A0 80", "eda080", "ed:a0:80", "ED,A0,80", "0xED 0xA0 0x80", r"\xed\xa0\x80", "  ED\nA0\t80 "]
)
def test_hex_in_any_spelling(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, output = explained("--hex", given, capsys=capsys)
    assert output["rows"] == explain(b"\xed\xa0\x80", "utf-8").as_dict()["rows"]
    assert status == 1


@pytest.mark.parametrize("offset", range(len(SOUP)))
def test_offset_begins_with_the_sequence_that_holds_the_byte(
    offset: int, soup: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, output = explained("--offset", str(offset), soup, capsys=capsys)
    assert output["rows"] == [row.as_dict() for row in explain(SOUP, "utf-8") if row.end > offset]


@pytest.mark.parametrize("limit", [0, 1, 2, 10, 1000])
def test_limit_says_that_there_is_more(limit: int, soup: str, capsys: pytest.CaptureFixture[str]) -> None:
    expected = explain(SOUP, "utf-8")
    status = main(["explain", "--output-format", "json", "--limit", str(limit), soup])
    shown = capsys.readouterr()
    assert json.loads(shown.out)["rows"] == [row.as_dict() for row in expected[:limit]]
    assert ("more follows" in shown.err) == (limit < len(expected))
    assert status == any(row.fault for row in expected[:limit])


def test_offset_and_limit_of_a_text(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--text", "abcdef", "-f", "utf-16-be", "--offset", "2", "--limit", "2")
    _, output = explained(*arguments, capsys=capsys)
    assert [(row["offset"], row["units"]) for row in output["rows"]] == [(2, "00 63"), (3, "00 64")]


def test_a_text_begins_with_the_signature_that_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    _, output = explained("--text", "A", "-f", "utf-8-sig", capsys=capsys)
    assert [row["units"] for row in output["rows"]] == ["EF BB BF", "41"]


@pytest.mark.parametrize("data", [b"\xff\xfeA\x00", b"\xed\xa0\xbd\xed\xb8\x80"])
def test_auto_identifies_first(data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "unknown"
    path.write_bytes(data)
    best = eightfold.identify(data)[0].form
    for arguments in (["--hex", data.hex()], [str(path)]):
        assert main(["explain", "-f", "auto", *arguments]) == 0
        shown = capsys.readouterr()
        assert shown.out == f"{explain(data, best)}\n"
        assert f"identified as {best}" in shown.err


@pytest.mark.parametrize("data", [b"\x80\x40", b"caf\xe9 noir", b"\0"], ids=["nothing", "legacy", "nul"])
def test_auto_without_evidence_assumes_utf_8(data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in"
    path.write_bytes(data)
    told = set()
    for arguments, name in ((["--hex", data.hex()], ""), ([str(path)], f"{path}: ")):
        assert main(["explain", "-f", "auto", *arguments]) == (0 if data.isascii() else 1)
        told.add(capsys.readouterr().err.replace(name, ""))
    (verdict,) = told
    assert verdict.endswith("; assuming utf-8\n")


STATUSES = [
    (0, ["--hex", "41"]),
    (0, ["--hex", ""]),
    (1, ["--hex", "FF"]),
    (0, ["-f", "xtf-8", "--hex", "FF"]),
    (0, ["clean.txt"]),
    (1, ["faulty.txt"]),
    (0, ["faulty.txt", "--limit", "1"]),
    (1, ["--text", "\udcff"]),
    (0, ["-f", "wtf-8", "--text", "\udcff"]),
    (0, ["--hex", "41", "--offset", "0"]),
    (2, ["--hex", "41", "--offset", "1"]),
    (2, ["--hex", "", "--offset", "1", "--output-format", "json"]),
    (2, ["clean.txt", "--offset", "6"]),
    (2, ["missing.txt"]),
    (2, ["."]),
    (2, ["clean.txt", "faulty.txt"]),
    (2, ["clean.txt", "--hex", "41"]),
    (2, ["--text", "A", "--hex", "41"]),
    (2, ["--hex", "4"]),
    (2, ["--hex", "no"]),
    (2, ["-f", "auto", "--text", "A"]),
    (2, ["-f", "no-such-form", "--text", "A"]),
    (2, ["--limit", "-1", "clean.txt"]),
    (2, ["--output-format", "html", "clean.txt"]),
]


@pytest.mark.parametrize(("status", "arguments"), STATUSES, ids=[" ".join(map(ascii, each)) for _, each in STATUSES])
def test_the_exit_status(status: int, arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "clean.txt").write_text("clean\n")
    (tmp_path / "faulty.txt").write_bytes(b"A\xff\n")
    done = run("explain", *map(os.fsencode, arguments), cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert done.returncode == status
    assert b"Traceback" not in done.stderr
    assert status != 2 or (done.stdout, len(done.stderr.splitlines())) == (b"", 1)


@pytest.mark.parametrize("arguments", [[], ["-"]], ids=["nothing", "dash"])
def test_standard_input_is_read(arguments: list[str]) -> None:
    done = run_here("explain", *arguments, input=b"A\xff")
    assert done.stdout.decode() == f"{explain(bytes([0x41, 0xFF]), 'utf-8')}\n"
    assert (done.returncode, done.stderr) == (1, b"")


def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "many"
    path.write_bytes(b"a\xff" * 4_000)

    def explained() -> None:
        assert main(["explain", str(path)]) == 1

    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        monkeypatch.setattr(sys, "stdout", nowhere)
        main(["explain", "--hex", "41"])
        assert peak(explained, limit=1_500_000) < 1_500_000


def test_a_limit_reads_no_more_than_it_needs() -> None:
    line = command("explain", "--limit", "2")
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"abc")
        process.stdin.flush()
        shown = process.stdout.read()
        assert process.wait(timeout=PATIENCE) == 0
    assert shown.decode() == "\n".join(str(explain(b"ab", "utf-8")).splitlines()) + "\n"


@pytest.mark.parametrize("output_format", ["text", "json"])
def test_a_broken_pipe_is_quiet(output_format: str, tmp_path: Path) -> None:
    (tmp_path / "many.txt").write_bytes(b"\xff" * 5000)
    line = command("explain", "--output-format", output_format, "many.txt")
    assert cut_off(line, tmp_path) == (141, b"")


def test_a_terminal_that_lacks_a_character_gets_its_escape() -> None:
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": "ascii"}
    done = run("explain", "-f", "utf-8", "--hex", "C3 A9", env=environment)
    assert done.returncode == 0
    assert rb"U+00E9      \xe9  LATIN SMALL LETTER E WITH ACUTE" in done.stdout


def test_an_offset_behind_the_end_is_told_with_the_range() -> None:
    for offset in ("99", str(10**30)):
        done = run_here("explain", "--hex", "41 C3 A9", "--offset", offset, "--output-format", "json")
        assert (done.stdout, done.stderr) == (b"", b"eightfold: --offset is past the end: offsets run from 0 to 2\n")
    done = run_here("explain", "--text", "", "--offset", "3")
    assert done.stderr == b"eightfold: --offset is past the end: the input is empty\n"


@pytest.mark.parametrize("arguments", [(), ("--output-format", "json")], ids=["text", "json"])
def test_what_is_before_the_damage_of_a_compressed_file_is_shown(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "s.gz").write_bytes(gzip.compress(b"a\xff\nb\n")[:-3])
    done = run_here("explain", "-f", "utf-8", *arguments, "s.gz", cwd=tmp_path)
    assert (done.returncode, done.stdout.count(b"LINE FEED"), done.stdout.count(b"FF cannot begin")) == (2, 2, 1)
    assert done.stderr == b"eightfold: s.gz: its gzip data is truncated after byte 5 of the decompressed data\n"
    assert not arguments or len(json.loads(done.stdout)["rows"]) == 5
