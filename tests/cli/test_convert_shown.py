"""`convert --diff` and `--certificate`: what would change, and what was proved."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

import eightfold
from eightfold.cli import main
from support.command_line import run_here
from support.trees import files_in

SIGNED = b"\xef\xbb\xbfone\ntwo\n"


def test_a_difference_writes_nothing_and_says_which_files_differ(tmp_path: Path) -> None:
    (tmp_path / "signed").write_bytes(SIGNED)
    (tmp_path / "plain").write_bytes(b"one\n")
    before = files_in(tmp_path)
    done = run_here("convert", "-f", "utf-8-sig", "-t", "utf-8", "--diff", ".", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        "--- ./signed\tutf-8-sig",
        "+++ ./signed\tutf-8",
        *("@@ -1,2 +1,2 @@", "-\\uFEFFone", "+one", " two"),
    ]
    assert files_in(tmp_path) == before


@pytest.mark.parametrize(("data", "status"), [(b"one\n", 0), (SIGNED, 1), (b"\xff", 1)])
def test_a_difference_of_standard_input(data: bytes, status: int) -> None:
    done = run_here("convert", "-f", "utf-8-sig", "-t", "utf-8", "--diff", input=data)
    assert (done.returncode, done.stdout == b"") == (status, data != SIGNED)


@pytest.mark.parametrize(("source", "target"), [("utf-8", "utf-16-le"), ("utf-32-be", "utf-8"), ("utf-8", "wtf-8")])
def test_empty_lines_differ_where_line_feeds_do(source: str, target: str) -> None:
    data = eightfold.encode("\n\n", source)
    done = run_here("convert", "-f", source, "-t", target, "--diff", input=data)
    is_same = data == eightfold.encode("\n\n", target)
    shown = [] if is_same else ["@@ -1,2 +1,2 @@", "-", "-", "+", "+"]
    assert (done.returncode, done.stdout.decode().splitlines()[2:]) == (int(not is_same), shown)


def test_a_fault_stops_the_difference_of_its_file_only(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff")
    (tmp_path / "b").write_bytes(SIGNED)
    done = run_here("convert", "-f", "utf-8-sig", "-t", "utf-8", "--diff", ".", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[1].startswith("eightfold: the rest of the file is not shown; try --errors")
    assert b"+one\n" in done.stdout


def test_a_certificate_for_each_file_that_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"a": "naïve", "deep/b": "漢字\n" * 50_000, "deep/c": ""}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(eightfold.encode(text, "utf-16-le"))
    (tmp_path / "deep/odd").write_bytes(b"x")
    before = files_in(tmp_path)
    arguments = ["-f", "utf-16-le", "-t", "cesu-8", "-o", "out", "--certificate", "proof.jsonl", "a", "deep"]
    assert main(["convert", *arguments]) == 1
    lines = [json.loads(line) for line in (tmp_path / "proof.jsonl").read_bytes().splitlines()]
    assert [line["source"]["path"] for line in lines] == list(texts)
    for line, text in zip(lines, texts.values(), strict=True):
        for side, form, files in (("source", "utf-16-le", before), ("result", "cesu-8", files_in(tmp_path))):
            data = files[line[side]["path"]]
            expected = {"form": form, "bytes": len(data), "sha256": sha256(data).hexdigest()}
            assert line[side] == {"path": line[side]["path"], **expected}
        assert (line["errors"], line["same"], line["code_points"]) == ("strict", "code points", len(text))


def test_a_certificate_is_not_written_for_what_differs(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"\xff")
    arguments = ["-t", "utf-8", "--errors", "replace", "-o", "out", "--certificate", "proof.jsonl", "in"]
    done = run_here("convert", *arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert files_in(tmp_path) == {"in": b"\xff"}


def test_a_certificate_of_a_name_that_is_no_utf_8(tmp_path: Path) -> None:
    done = run_here(
        "convert", "-t", "utf-8", "--certificate", "proof.jsonl", "-o", b"caf\xe9", cwd=tmp_path, input=b"a"
    )
    assert done.returncode == 0
    assert json.loads((tmp_path / "proof.jsonl").read_bytes())["result"]["path"] == "caf\uefe9"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--diff", "-o", "out"],
        ["--diff", "--in-place"],
        ["--diff", "--verify"],
        ["--diff", "--certificate", "new"],
        ["--certificate", "-"],
        ["--certificate", "in", "-o", "out"],
    ],
    ids=" ".join,
)
def test_wrong_use(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"a")
    done = run_here("convert", "-t", "utf-16", *arguments, "in", cwd=tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert files_in(tmp_path) == {"in": b"a"}
