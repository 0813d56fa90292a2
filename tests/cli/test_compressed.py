"""Commands on compressed and remote files: what is in them counts, offsets too; what is written; what is refused."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import eightfold
from eightfold.cli import main
from eightfold.cli.work import schedule
from support.trees import files_in

fsspec = pytest.importorskip("fsspec")

FAULTY = b"ok\ncaf\xe9\n"
PLACE = "words.txt{}:2:4: truncated: sequence E9 is cut short by another byte"
COMPRESS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
Captured = pytest.CaptureFixture[str]

each_ending = pytest.mark.parametrize("ending", COMPRESS)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for ending, compress in COMPRESS.items():
        (tmp_path / f"words.txt{ending}").write_bytes(compress(FAULTY))
    return tmp_path


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    system = fsspec.filesystem("memory")
    system.pipe("/words.txt", FAULTY)
    yield system
    system.rm("/", recursive=True)


@each_ending
@pytest.mark.parametrize("options", [[], ["--context"], ["-f", "auto"], ["-j", "2"]], ids=" ".join)
def test_check_reads_what_is_in_it(ending: str, options: list[str], capsys: Captured) -> None:
    assert main(["check", *options, f"words.txt{ending}"]) == 1
    assert PLACE.format(ending) in capsys.readouterr().out


def test_many_compressed_files_are_checked_by_several_processes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(schedule, "_ALONE", 0)
    for number in range(200):
        (folder / f"{number}.gz").write_bytes(gzip.compress(b"" if number else b"\xff"))
    assert main(["check", "-j", "2", "--include", "*.gz", "."]) == 1
    together = capsys.readouterr()
    assert main(["check", "--include", "*.gz", "."]) == 1
    assert capsys.readouterr() == together
    assert main(["check", "-j", "2", "--no-compression", "--statistics", "--include", "*.gz", "--binary", "."]) == 1
    assert "201 files checked, 201 ill-formed" in capsys.readouterr().err


def test_a_binary_file_that_is_compressed_is_binary(folder: Path, capsys: Captured) -> None:
    (folder / "image.gz").write_bytes(gzip.compress(b"\x89PNG\0\xff"))
    assert main(["check", "--include", "image.gz", "."]) == 0
    assert "1 binary file" in capsys.readouterr().err
    assert main(["check", "image.gz"]) == 1


@each_ending
def test_identify_and_explain_read_what_is_in_it(ending: str, folder: Path, capsys: Captured) -> None:
    (folder / f"wide{ending}").write_bytes(COMPRESS[ending](b"\xff\xfea\0"))
    assert main(["identify", f"wide{ending}"]) == 0
    assert "utf-16, signature FF FE" in capsys.readouterr().out
    assert main(["explain", "--offset", "6", "--limit", "1", f"words.txt{ending}"]) == 1
    assert capsys.readouterr().out.splitlines()[1].split()[:2] == ["6", "E9"]


@each_ending
def test_the_ending_of_the_target_decides_too(ending: str, folder: Path) -> None:
    line = ["convert", "-t", "utf-16-le", "--errors", "ignore", "words.txt.gz", "-o"]
    expected = "ok\ncaf\n".encode("utf-16-le")
    assert main([*line, "plain.txt"]) == 0
    assert main([*line, f"out{ending}"]) == 0
    assert main([*line, f"raw{ending}", "--no-compression"]) == 0
    found = files_in(folder)
    assert found["plain.txt"] == expected
    assert {".gz": gzip, ".bz2": bz2, ".xz": lzma}[ending].decompress(found[f"out{ending}"]) == expected
    assert main(["check", "-f", "utf-16-le", f"out{ending}"]) == 0
    assert found[f"raw{ending}"] == eightfold.convert(found["words.txt.gz"], "utf-8", "utf-16-le", "ignore")


def test_a_folder_goes_into_another_compressed_as_it_was(folder: Path) -> None:
    assert main(["convert", "-t", "utf-16-le", "--errors", "ignore", "-o", "out", "."]) == 0
    assert sorted(files_in(folder / "out")) == ["words.txt.bz2", "words.txt.gz", "words.txt.xz"]
    assert gzip.decompress((folder / "out/words.txt.gz").read_bytes()) == "ok\ncaf\n".encode("utf-16-le")


def test_a_fault_leaves_the_compressed_target_as_it_was(folder: Path, capsys: Captured) -> None:
    (folder / "out.gz").write_bytes(b"as it was")
    before = files_in(folder)
    assert main(["convert", "-t", "utf-16", "words.txt.xz", "-o", "out.gz"]) == 1
    assert "words.txt.xz:2:4: truncated" in capsys.readouterr().err
    assert files_in(folder) == before


@pytest.mark.parametrize(
    "line",
    [
        ["convert", "-t", "utf-16-le", "--errors", "ignore", "--in-place"],
        ["repair", "--in-place"],
        ["repair", "--plan", "plan.jsonl"],
    ],
    ids=" ".join,
)
def test_compressed_files_are_not_replaced(line: list[str], folder: Path, capsys: Captured) -> None:
    before = files_in(folder)
    assert main([*line, "words.txt.gz"]) == 2
    assert "words.txt.gz: a compressed file cannot be replaced" in capsys.readouterr().err
    (folder / "plan.jsonl").unlink(missing_ok=True)
    assert main([*line, "."]) == 0
    assert "3 compressed files skipped" in capsys.readouterr().err
    (folder / "plan.jsonl").unlink(missing_ok=True)
    assert files_in(folder) == before
    assert main([*line, "--no-compression", "words.txt.bz2"]) == 0


def test_a_plan_for_the_bytes_of_a_compressed_file_is_applied_and_undone(folder: Path) -> None:
    before = files_in(folder)
    assert main(["repair", "--no-compression", "--plan", "plan.jsonl", "words.txt.gz"]) == 0
    assert main(["repair", "--apply", "plan.jsonl"]) == 0
    assert files_in(folder)["words.txt.gz"] != before["words.txt.gz"]
    assert main(["repair", "--undo", "plan.jsonl"]) == 0
    assert files_in(folder)["words.txt.gz"] == before["words.txt.gz"]


def test_a_plan_may_be_compressed(folder: Path) -> None:
    (folder / "words.txt").write_bytes(FAULTY)
    assert main(["repair", "--plan", "plan.jsonl.gz", "words.txt"]) == 0
    assert gzip.decompress((folder / "plan.jsonl.gz").read_bytes()).startswith(b'{"eightfold": "plan"')
    assert main(["repair", "--apply", "plan.jsonl.gz"]) == 0
    assert (folder / "words.txt").read_bytes() != FAULTY
    assert main(["repair", "--undo", "plan.jsonl.gz"]) == 0
    assert (folder / "words.txt").read_bytes() == FAULTY


def test_a_certificate_is_about_what_is_in_it(folder: Path) -> None:
    line = ["convert", "-t", "utf-16-le", "--certificate", "proof.jsonl", "clean.gz", "-o", "out.gz"]
    (folder / "clean.gz").write_bytes(gzip.compress(b"clean"))
    assert main(line) == 0
    proof = json.loads((folder / "proof.jsonl").read_bytes())
    assert (proof["source"]["bytes"], proof["result"]["bytes"]) == (5, 10)


@pytest.mark.parametrize("command", ["check", "identify", "explain", "repair", "convert -t xtf-8"])
@pytest.mark.parametrize("kind", ["truncated", "corrupt"])
def test_a_damaged_one_is_an_error_with_its_place(command: str, kind: str, folder: Path, capsys: Captured) -> None:
    packed = gzip.compress(b"content " * 10)
    (folder / "bad.gz").write_bytes(packed[:-5] if kind == "truncated" else packed[:-5] + b"?" + packed[-4:])
    assert main([*command.split(), "bad.gz"]) == 2
    messages = capsys.readouterr().err
    assert f"eightfold: bad.gz: its gzip data is {kind} after byte " in messages
    assert "Traceback" not in messages


def test_the_extra_that_is_missing_is_named(folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("compression.zstd", "backports.zstd", "fsspec.core"):
        monkeypatch.setitem(sys.modules, name, None)
    (folder / "a.zst").touch()
    assert main(["check", "a.zst"]) == 2
    is_bundled = sys.version_info >= (3, 14)
    needed = "built without support for .zst" if is_bundled else "to read it: pip install 'backports.zstd"
    assert needed in capsys.readouterr().err
    assert main(["convert", "-t", "utf-16", "words.txt.gz", "-o", "out.zst", "--errors", "ignore"]) == 2
    assert needed in capsys.readouterr().err
    assert not (folder / "out.zst").exists()
    assert main(["check", "https://example.org/a"]) == 2
    assert "to read it: pip install 'aiohttp" in capsys.readouterr().err


# --- remote files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [[], ["--context"], ["-j", "2"]], ids=" ".join)
def test_remote_files_are_checked(options: list[str], memory: fsspec.AbstractFileSystem, capsys: Captured) -> None:
    memory.pipe("/words.txt.gz", gzip.compress(FAULTY))
    assert main(["check", *options, "memory://words.txt", "memory://words.txt.gz"]) == 1
    found = [line for line in capsys.readouterr().out.splitlines() if line.startswith("memory")]
    assert found == [f"memory://{PLACE.format(ending)}" for ending in ("", ".gz")]


def test_remote_files_are_identified_explained_and_repaired(
    memory: fsspec.AbstractFileSystem, folder: Path, capsys: Captured
) -> None:
    assert main(["identify", "memory://words.txt"]) == 0
    assert main(["explain", "memory://words.txt"]) == 1
    assert main(["repair", "memory://words.txt"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "memory://words.txt:2:4: truncated: E9 -> EE BF A9 (U+EFE9)"
    assert main(["repair", "memory://words.txt", "-o", "repaired.txt"]) == 0
    assert (folder / "repaired.txt").read_bytes() == b"ok\ncaf\xee\xbf\xa9\n"


@pytest.mark.parametrize(
    ("target", "written"),
    [
        ("memory://out.txt", "/out.txt"),
        ("memory://new/out.txt.gz", "/new/out.txt.gz"),
        ("memory://new/folder/", "/new/folder/words.txt"),
    ],
)
def test_remote_files_are_written(target: str, written: str, memory: fsspec.AbstractFileSystem) -> None:
    assert main(["convert", "-t", "utf-16-le", "--errors", "ignore", "memory://words.txt", "-o", target]) == 0
    found = memory.cat(written)
    assert (gzip.decompress(found) if written.endswith(".gz") else found) == "ok\ncaf\n".encode("utf-16-le")


def test_nothing_is_sent_where_there_is_a_fault(memory: fsspec.AbstractFileSystem) -> None:
    memory.pipe("/out.txt", b"as it was")
    assert main(["convert", "-t", "utf-16-le", "memory://words.txt", "-o", "memory://out.txt"]) == 1
    assert memory.cat("/out.txt") == b"as it was"


@pytest.mark.parametrize(
    "line",
    [
        ["convert", "-t", "utf-16", "--errors", "ignore", "--in-place"],
        ["repair", "--in-place"],
        ["repair", "--plan", "-"],
    ],
    ids=" ".join,
)
def test_remote_files_are_not_replaced(line: list[str], memory: fsspec.AbstractFileSystem, capsys: Captured) -> None:
    assert main([*line, "memory://words.txt"]) == 2
    assert "memory://words.txt: a remote file cannot be replaced" in capsys.readouterr().err
    assert memory.cat("/words.txt") == FAULTY


@pytest.mark.parametrize("flag", ["--certificate", "--plan"])
def test_records_are_not_written_far_away(flag: str, folder: Path, capsys: Captured) -> None:
    command = ["convert", "-t", "utf-16", "-o", "out"] if flag == "--certificate" else ["repair"]
    assert main([*command, flag, "memory://record", "words.txt.gz"]) == 2
    assert f"{flag} memory://record: a record cannot be remote; choose a local file" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["check", "identify", "explain", "repair", "convert -t xtf-8"])
@pytest.mark.parametrize("address", ["memory://none", "http://127.0.0.1:9/a", "no-such-scheme://a", "http://[::1"])
def test_what_cannot_be_reached_is_one_line(command: str, address: str, capsys: Captured) -> None:
    assert main([*command.split(), address]) == 2
    messages = capsys.readouterr().err
    assert f"eightfold: {address}: " in messages
    assert "Traceback" not in messages


@pytest.mark.parametrize("command", ["convert -t utf-16", "repair"])
def test_an_empty_suffix_for_backups_is_refused(command: str, folder: Path, capsys: Captured) -> None:
    (folder / "words.txt").write_bytes(FAULTY)
    assert main([*command.split(), "--in-place", "--backup", "", "words.txt"]) == 2
    assert "argument --backup: the suffix is empty: a backup needs another name" in capsys.readouterr().err
    assert (folder / "words.txt").read_bytes() == FAULTY
