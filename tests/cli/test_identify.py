"""`identify`: the library's candidates, as text and as JSON, from files, folders and pipes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import eightfold
from eightfold.cli import main
from eightfold.cli.commands.identify import described
from eightfold.faults import hex_bytes
from support.command_line import run_here

INPUTS = {
    "empty": b"",
    "ascii": b"plain\n",
    "pair": b"\xed\xa0\xbd\xed\xb8\x80",
    "lead": b"\xed\xa0\xbd!",
    "marked": b"\xff\xfea\x00",
    "magic": b"\xef\xb7\x9d\xed\xb2\xae\x00\n\xfe",
    "binary": b"a\xffb",
}


@pytest.mark.parametrize("name", INPUTS)
def test_json_is_what_the_library_says(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    path.write_bytes(INPUTS[name])
    assert main(["identify", "--all", "--output-format", "json", str(path)]) == 0
    file = json.loads(capsys.readouterr().out)["files"][0]
    found = eightfold.identify(INPUTS[name])
    assert (file["path"], file["identified"]) == (str(path), name != "binary")
    assert file["candidates"] == [{**each._asdict(), "signature": hex_bytes(each.signature)} for each in found]


@pytest.mark.parametrize("name", INPUTS)
def test_text_has_the_best_alone_unless_all(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    path.write_bytes(INPUTS[name])
    expected = [f"{path}: {described(found)}" for found in eightfold.identify(INPUTS[name])]
    if name == "binary":
        expected = [f"{line}, no evidence" for line in expected]
    main(["identify", str(path)])
    assert capsys.readouterr().out.splitlines() == expected[:1]
    main(["identify", "--all", str(path)])
    assert capsys.readouterr().out.splitlines() == expected


def test_what_is_not_lossless_is_said() -> None:
    found = eightfold.Identification("utf-16", True, 0, b"\xfe\xff", False)
    assert described(found) == "utf-16, signature FE FF, well-formed, not lossless"


def test_a_pipe_and_a_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/b").write_bytes(b"b")
    (tmp_path / "a").write_bytes(b"a")
    done = run_here("identify", "-", tmp_path, input=b"caf\xc3\xa9")
    assert [line.rpartition(b": ")[0] for line in done.stdout.splitlines()] == [
        b"-",
        *(str(tmp_path / name).encode() for name in ("a", "in/b")),
    ]


def test_unreadable_files_do_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(b"good")
    done = run_here("identify", "bad", "good", "--output-format", "json", cwd=tmp_path)
    assert [file["path"] for file in json.loads(done.stdout)["files"]] == ["good"]
    assert (done.returncode, done.stderr) == (2, b"eightfold: bad: No such file or directory\n")
    nothing = run_here("identify", "bad", "--output-format", "json", cwd=tmp_path)
    assert json.loads(nothing.stdout)["files"] == []


def test_it_is_said_where_nothing_tells_the_form(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes("na\u00efve text!".encode("latin-1"))
    done = run_here("identify", "latin", cwd=tmp_path)
    assert done.stdout == b"latin: not a form of the family; reads as windows-1252\n"
    assert done.stderr == b""
    done = run_here("check", "-f", "auto", "latin", cwd=tmp_path)
    assert (done.returncode, done.stdout.partition(b" (")[0][:21]) == (1, b"latin:1:3: truncated:")
    assert (
        done.stderr.splitlines()[0]
        == b"eightfold: latin: not a form of the family; reads as windows-1252; assuming utf-8"
    )
    before = (tmp_path / "latin").read_bytes()
    done = run_here("convert", "-f", "auto", "-t", "wtf-8", "--in-place", "latin", cwd=tmp_path)
    assert (done.returncode, (tmp_path / "latin").read_bytes()) == (1, before)
    done = run_here("identify", "--all", "latin", cwd=tmp_path)
    first, *others = done.stdout.splitlines()
    assert (first, len(others)) == (b"latin: not a form of the family; reads as windows-1252", 17)


def test_it_is_said_where_nothing_at_all_fits(tmp_path: Path) -> None:
    (tmp_path / "random").write_bytes(bytes(range(256)))
    done = run_here("identify", "random", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"random: wtf-16-be, well-formed, no evidence\n")
    unknown = b"eightfold: random: cannot identify the encoding"
    assert done.stderr == unknown + b": there is no evidence for wtf-16-be or any other form\n"
    done = run_here("check", "-f", "auto", "random", cwd=tmp_path)
    assert done.stderr.splitlines()[0] == unknown + b"; assuming utf-8"


def test_a_form_without_evidence_is_not_contradicted(tmp_path: Path) -> None:
    # What Java's writeUTF writes is well-formed Corrected UTF-8 by chance.
    (tmp_path / "save.dat").write_bytes(b"\0\x0eJ\xc3\xbcrgen \xed\xa0\xbc\xed\xbe\xae\0\4a\xc0\x80b")
    done = run_here("identify", "save.dat", cwd=tmp_path)
    assert done.stdout == b"save.dat: corrected-utf-8, well-formed, no evidence\n"
    assert done.stderr.endswith(b"there is no evidence for corrected-utf-8 or any other form\n")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"PAR1\x15\x04\x15\x20\0", "Parquet"),
        (b"SQLite format 3\0\x10\0\1\1\0\x40\x20\x20", "SQLite"),
        (b"ARROW1\0\0", "Arrow IPC"),
        (b"\xff\xff\xff\xff\x80\0\0\0\0", "Arrow IPC"),
    ],
)
def test_a_table_is_called_that(data: bytes, kind: str, tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(data)
    for path in "data", "-":
        done = run_here("identify", path, cwd=tmp_path, input=data)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{path}: {kind}, not text\n".encode(), b"")
    done = run_here("identify", "--output-format", "json", "data", cwd=tmp_path)
    file = {"path": "data", "identified": False, "table": kind, "candidates": []}
    assert json.loads(done.stdout)["files"] == [file]
    (tmp_path / "text").write_text("PAR1 and ARROW1")
    assert run_here("identify", "text", cwd=tmp_path).stdout == b"text: utf-8, well-formed\n"


def test_so_many_faults_or_more_are_said(tmp_path: Path) -> None:
    (tmp_path / "faulty").write_bytes("\u00e9".encode() * 20_000 + b"\xff " * 1500)
    done = run_here("identify", "faulty", cwd=tmp_path)
    assert done.stdout == b"faulty: utf-8, 1000 faults or more\n"


def test_an_empty_folder_is_said_to_be_empty(tmp_path: Path) -> None:
    done = run_here("identify", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"eightfold: warning: no file was read\n")
