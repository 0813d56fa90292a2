"""`convert -t corrected-utf-8`: U+0000 must not be in a document, whatever the source is and wherever it is cut."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import eightfold
from eightfold.corrected import MAGIC
from eightfold.files.read import reading
from support.command_line import run_here


def convert(folder: Path, *arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return run_here("convert", "-t", "corrected-utf-8", *arguments, cwd=folder, **options)


@pytest.mark.parametrize(
    ("form", "data", "offset"),
    [
        ("utf-8", b"line\na\0b\0", 6),
        ("mutf-8", b"line\na\xc0\x80b\xc0\x80", 6),
        ("utf-16-le", "line\n\u0100a\0b\0".encode("utf-16-le"), 14),
        ("utf-16", b"\xfe\xff" + "line\n\u0100\0b\0".encode("utf-16-be"), 14),
        ("utf-32-be", "line\n\U00010000\0b\0".encode("utf-32-be"), 24),
        ("utf-8-sig", b"\xef\xbb\xbfa\n\0\0", 5),
    ],
)
def test_a_warning_names_the_place_and_document_makes_it_an_error(
    form: str, data: bytes, offset: int, tmp_path: Path
) -> None:
    (tmp_path / "in").write_bytes(data)
    line = run_here("check", "-f", form, "in", cwd=tmp_path)
    assert line.returncode == 0
    fault = eightfold.Fault("raw-nul", form, offset, offset)
    place = "in:{}:{}: ".format(*eightfold.locate(data, fault, form))
    done = convert(tmp_path, "-f", form, "in", "-o", "out")
    told = done.stderr.decode()
    assert (done.returncode, told.count("\n")) == (0, 1)
    assert told.startswith(
        f"eightfold: {place}warning: raw-nul: U+0000 must not be in a Corrected UTF-8 document (and 1 m"
    )
    assert f", at byte {offset}; --document" in told
    assert (tmp_path / "out").read_bytes() == eightfold.convert(data, form, "corrected-utf-8-sig")
    (tmp_path / "out").unlink()
    for option in ("--document", "--strict"):
        done = convert(tmp_path, "-f", form, "in", "-o", "out", option)
        assert done.returncode == 1
        told = done.stderr.decode()
        assert told.startswith(f"{place}raw-nul: U+0000 must not be in a Corrected UTF-8 document, at byte {offset}\n")
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("data", "offset"), [(MAGIC + b"a\n\0\0", len(MAGIC) + 2), (b"a\n\0\0", 2)])
def test_the_place_is_not_in_the_magic_number_of_the_source(data: bytes, offset: int, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(data)
    for arguments, status in (((), 0), (("--document",), 1)):
        done = convert(tmp_path, "-f", "corrected-utf-8", "-o", "out", *arguments, "in")
        assert done.returncode == status
        assert f", at byte {offset}{'; ' if status == 0 else chr(10)}" in done.stderr.decode()


@pytest.mark.parametrize("errors", ["strict", "replace"])
def test_of_a_pipe_the_byte_is_named(errors: str, tmp_path: Path) -> None:
    done = convert(tmp_path, "--errors", errors, input=b"ab\0")
    assert done.stdout == MAGIC + b"ab\0"
    assert b"at byte 2" in done.stderr


def test_no_other_target_and_no_clean_file_is_warned_of(tmp_path: Path) -> None:
    (tmp_path / "nul").write_bytes(b"a\0b")
    (tmp_path / "clean").write_bytes(b"ab\n")
    assert run_here("convert", "-t", "wtf-16-le", "nul", cwd=tmp_path).stderr.count(b"U+0000") == 0
    for arguments in (("clean",), ("--document", "clean"), ("--strict", "clean")):
        done = convert(tmp_path, *arguments)
        assert (done.returncode, done.stdout, done.stderr) == (0, MAGIC + b"ab\n", b"")
    done = run_here("convert", "-t", "utf-8", "--document", "clean", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")


def test_a_difference_is_shown_with_the_warning_and_not_shown_with_document(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(MAGIC + b"a\0b\n")
    rule = f"in:2:2: {{}}raw-nul: U+0000 must not be in a Corrected UTF-8 document, at byte {len(MAGIC) + 1}"
    done = convert(tmp_path, "-f", "corrected-utf-8", "--diff", "in")
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode() == f"eightfold: {rule.format('warning: ')}; --document makes it an error\n"
    done = convert(tmp_path, "-f", "corrected-utf-8", "--diff", "--document", "in")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"{rule.format('')}\neightfold: the rest of the file is not shown\n"


@pytest.mark.parametrize("form", ["mutf-8", "utf-32-le", "corrected-utf-8-sig"])
def test_wherever_a_file_is_cut_the_place_is_the_same(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from eightfold.cli import main

    data = eightfold.encode("one\n\u00e9\U0001f600\0\0", form)
    (tmp_path / "in").write_bytes(data)
    told = set()
    for size in range(1, len(data) + 1):
        monkeypatch.setattr(reading, "CHUNK_BYTES", size)
        paths = ["-o", str(tmp_path / "out"), str(tmp_path / "in")]
        assert main(["convert", "-f", form, "-t", "corrected-utf-8", *paths]) == 0
        told.add(capfd.readouterr().err)
    at = len(eightfold.encode("one\n\u00e9\U0001f600", form))
    assert [f"at byte {at};" in each and "(and 1 more)" in each for each in told] == [True]


# --- byte order -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["utf-16", "utf-32", "wtf-16"])
def test_input_without_a_mark_is_read_in_an_order_that_is_said(form: str, tmp_path: Path) -> None:
    native = eightfold.form(form).signatures[0].form.name
    (tmp_path / "bare").write_bytes(eightfold.encode("text\n", native))
    (tmp_path / "marked").write_bytes(eightfold.encode("text\n", form))
    (tmp_path / "empty").write_bytes(b"")
    for command in (("check",), ("check", "--statistics"), ("convert", "-t", "utf-8"), ("explain",)):
        for name, times in (("bare", 1), ("marked", 0), ("empty", 0)):
            done = run_here(*command, "-f", form, name, cwd=tmp_path)
            assert done.returncode == 0
            told = done.stderr.decode()
            assert told.count(f"{name}: no byte order mark; assuming {native}") == times
        done = run_here(*command, "-f", form, cwd=tmp_path, input=(tmp_path / "bare").read_bytes())
        assert f"-: no byte order mark; assuming {native}" in done.stderr.decode()
        named = run_here(*command, "-f", native, "bare", cwd=tmp_path)
        assert b"byte order" not in named.stderr
