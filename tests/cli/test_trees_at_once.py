"""Commands say of a tree that the core walks what they say of one that Python walks."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from eightfold.cli import main
from eightfold.cli.commands import check, convert, identify
from eightfold.cli.commands.convert import one
from eightfold.cli.commands.repair import runs
from eightfold.cli.commands.repair.runs import RepairRun
from eightfold.cli.work.jobs import Job
from eightfold.files.records.journals import NAME
from support.core_trees import needs_trees
from support.trees import opened_deep_folder

pytestmark = needs_trees
FILES = {
    ".gitignore": b"*.log\n",
    "a.log": b"\xff",
    "a.txt": b"\xff and more",
    "clean.txt": b"clean",
    "data.json": rb'"\ud83d"',
    "escape.txt": "\uefe9".encode(),
    "image.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 8,
    "base.db": b"SQLite format 3\0" + b"\0\1" * 100,
    "column": b"ARROW1\0\0",
    "inner/b.txt": b"\xed\xa0\x80",
    "inner/eightfold.toml": b'exclude = ["out/"]\n',
    "inner/deeper/c.txt": b"\xc0\x80",
    "inner/out/d.txt": b"\xff",
    "mapped/e.dat": b"\xed\xa0\x80",
    "mapped/pyproject.toml": b'[tool.eightfold]\nform-map = {"*.dat" = "wtf-8"}\n',
    "ruled/eightfold.toml": b'form = "wtf-8"\n',
    "ruled/g.txt": b"clean",
    "utf-16.txt": "units of sixteen bits, line after line\n".encode("utf-16-le") * 3,
    "z/f.txt": b"\xfe",
}


def made(folder: Path) -> str:
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / ".git").mkdir()
    (folder / "link.txt").symlink_to("a.txt")
    return str(folder)


@pytest.mark.parametrize(
    "command",
    [
        ("check",),
        ("check", "-j", "2"),
        ("check", "-f", "utf-8", "--binary"),
        ("check", "-f", "mutf-8"),
        ("check", "--statistics", "--no-ignore", "--binary"),
        ("check", "-f", "wtf-8", "--form-map", "*.txt=cesu-8"),
        ("check", "--escapes", "off", "--include", "*.txt", "--exclude", "z/"),
        ("check", "--output-format", "sarif"),
        ("repair",),
        ("repair", "--errors", "replace", "--binary"),
        ("repair", "-f", "utf-8", "--errors", "replace", "--binary"),
        ("repair", "--diff", "--no-config"),
    ],
)
def test_both_walks_lead_to_the_same_words(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    top = made(tmp_path)
    by_core = main([*command, top]), capsys.readouterr()
    for module in (check, identify, runs):
        monkeypatch.setattr(module, "can_walk", lambda: False)
    assert (main([*command, top]), capsys.readouterr()) == by_core
    assert by_core[0] in (1, 2)


def test_both_walks_refuse_the_file_to_which_standard_output_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_bytes(b"clean")
    ends = []
    for by_core in (True, False):
        monkeypatch.setattr(runs, "can_walk", lambda by_core=by_core: by_core)
        with open(tmp_path / "out.txt", "w", encoding="utf-8") as file, redirect_stdout(file):
            print("clean", flush=True)
            ends.append((main(["repair", str(tmp_path)]), capsys.readouterr().err))
    assert ends[0] == ends[1]
    assert ends[0][0] == 2
    assert "out.txt: standard output goes to this file too" in ends[0][1]


@pytest.mark.parametrize("command", ["check", "identify", "repair"])
def test_both_walks_take_paths_that_are_longer_than_the_system_allows(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = opened_deep_folder()
    for name in ("f" * length for length in (92, 93, 94, 95, 100)):  # 4,095 bytes are allowed.
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    os.close(folder)
    by_core = main([command, "."]), capsys.readouterr()
    for module in (check, identify, runs):
        monkeypatch.setattr(module, "can_walk", lambda: False)
    assert (main([command, "."]), capsys.readouterr()) == by_core
    # Files are opened from folder to folder, as far as that leads.
    assert (by_core[0], "too long" in by_core[1].err) == (0, False)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--errors", "replace", "--lossy", "--verify"),
        ("--errors", "replace", "--escapes", "repair", "--lossy", "--binary"),
        ("--certificate", "certificate.jsonl", "--verify"),
        ("--backup", ".orig"),
    ],
)
def test_both_walks_lead_to_the_same_files(
    options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = []
    for name, by_core in (("core", True), ("python", False)):
        monkeypatch.setattr(runs, "can_walk", lambda by_core=by_core: by_core)
        monkeypatch.chdir(tmp_path)
        (tmp_path / name).mkdir()
        made(tmp_path / name / "tree")
        monkeypatch.chdir(tmp_path / name)
        for _ in range(2):
            status = main(["repair", "--in-place", *options, "tree"])
            files = (path for path in Path().rglob("*") if path.is_file())
            # A journal is sealed with a new key.
            contents = {path: b"" if path.name == NAME else path.read_bytes() for path in files}
            ends.append((status, capsys.readouterr(), contents))
    assert ends[:2] == ends[2:]
    assert ends[0] != ends[1]


def test_what_needs_no_repair_is_opened_by_the_core_alone_unless_a_run_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def noted(self: RepairRun, job: Job, act: Callable[..., None], outcome: str) -> bool:
        opened.append(Path(job.source).name)
        return do(self, job, act, outcome)

    do = RepairRun.do
    monkeypatch.setattr(RepairRun, "do", noted)
    for name, content in {"a.txt": b"\xff", "clean.txt": b"clean", "in/b.txt": b"\xfe", "in/clean.txt": b""}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "link.txt").hardlink_to(tmp_path / "in" / "b.txt")  # It is refused, so a journal is left.
    assert main(["repair", "--in-place", str(tmp_path)]) == 2
    assert (opened, (tmp_path / NAME).exists()) == (["a.txt", "link.txt", "b.txt"], True)
    opened.clear()
    (tmp_path / "link.txt").unlink()
    assert main(["repair", "--in-place", str(tmp_path)]) == 0
    assert (opened, (tmp_path / NAME).exists()) == (["a.txt", "clean.txt", "b.txt", "clean.txt"], False)


TEXTS = {
    "ascii": b"plain text\n",
    "controls": b"a\x01b",
    "empty": b"",
    "fault": b"caf\xc3",
    "image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 8,
    "latin": "na\u00efve text!".encode("latin-1"),
    "long": "\u20ac".encode() * 200_000,
    "marked": b"\xef\xbb\xbfa",
    "mojibake": "caf\u00c3\u00a9 \u00e2\u20ac\u201d na\u00c3\u00afve".encode(),
    "nul": b"a\0b",
    "packed.gz": b"plain",
    "pairs": b"a\xed\xa0\xbd\xed\xb8\x80",
    "shifts": b"\x1b$B!!\x1b(B and more",
    "utf-8": "caf\u00e9\n".encode(),
    "utf-16": "units of sixteen bits, line after line\n".encode("utf-16-le"),
    "inner/\udcff\n": b"plain",
    "inner/deeper/ascii": b"plain",
    "inner/shift": b"~{ more",
}


@pytest.mark.parametrize("command", [(), ("--output-format", "json"), ("--all",), ("--legacy",), ("--no-compression",)])
def test_both_walks_identify_alike(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in TEXTS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "out-of-reach").write_bytes(b"plain")
    (tmp_path / "out-of-reach").chmod(0)
    (tmp_path / "link").symlink_to("ascii")
    monkeypatch.chdir(tmp_path.parent)
    by_core = main(["identify", *command, tmp_path.name]), capsys.readouterr()
    monkeypatch.setattr(identify, "can_walk", lambda: False)
    assert (main(["identify", *command, tmp_path.name]), capsys.readouterr()) == by_core
    monkeypatch.setattr(identify, "plain_text", lambda data: None)
    assert (main(["identify", *command, tmp_path.name]), capsys.readouterr()) == by_core
    assert all(f"{tmp_path.name}/{name}" in repr(by_core) for name in ("ascii", "packed.gz", "inner/shift"))


def test_plain_text_in_a_tree_is_opened_by_the_core_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    reading = identify.opened
    monkeypatch.setattr(
        identify, "opened", lambda way, **ways: opened.append(Path(way.path).name) or reading(way, **ways)
    )
    for name in ("ascii", "controls", "empty", "fault", "long", "marked", "mojibake", "packed.gz", "shifts", "utf-8"):
        (tmp_path / name).write_bytes(TEXTS[name])
    main(["identify", str(tmp_path)])
    assert opened == ["controls", "fault", "marked", "mojibake", "packed.gz"]


@pytest.mark.parametrize(
    "options",
    [
        ("-f", "wtf-8", "-t", "utf-8"),
        ("-f", "cesu-8", "-t", "utf-8"),
        ("-f", "cesu-8", "-t", "utf-8", "--errors", "replace", "--binary"),
        ("-t", "cesu-8"),
        ("-t", "utf-8", "--no-ignore", "--include", "*.txt"),
        ("-t", "wtf-8", "--exclude", "*a.txt"),
        ("-t", "wtf-8", "--include", "clean*"),
        ("-f", "wtf-8", "-t", "utf-8", "--backup", ".orig"),
        ("-f", "cesu-8", "-t", "utf-8", "--verify", "--certificate", "certificate.jsonl"),
        ("-f", "auto", "-t", "utf-8"),
        ("-f", "utf-8", "-t", "utf-16-le", "--include", "clean*"),
        ("-f", "utf-8", "-t", "mutf-8", "--errors", "java"),
    ],
)
def test_both_walks_lead_to_the_same_conversions(
    options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = []
    for name, by_core in (("core", True), ("python", False)):
        monkeypatch.setattr(convert, "can_walk", lambda by_core=by_core: by_core)
        (tmp_path / name).mkdir()
        made(tmp_path / name / "tree")
        (tmp_path / name / "tree" / "pair.txt").write_bytes(b"a\xed\xa0\xbd\xed\xb8\x80\n")
        (tmp_path / name / "tree" / "wide.txt").write_bytes("clean \U0001f600\n".encode())
        monkeypatch.chdir(tmp_path / name)
        for _ in range(2):
            status = main(["convert", "--in-place", *options, "tree"])
            contents = {
                path: b"" if path.name in (NAME, "certificate.jsonl") else path.read_bytes()
                for path in Path().rglob("*")
                if path.is_file()
            }
            ends.append((status, capsys.readouterr(), contents))
    assert ends[:2] == ends[2:]


def test_what_a_conversion_leaves_as_it_is_is_opened_by_the_core_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "both.txt": "\u20ac".encode(),
        "pair.txt": b"\xed\xa0\xbd\xed\xb8\x80",
        "plain.txt": b"plain",
        "wide.txt": "\U0001f600".encode(),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    opened: list[str] = []
    write = one._write_one
    monkeypatch.setattr(one, "_write_one", lambda *given: opened.append(Path(given[3].source).name) or write(*given))
    assert main(["convert", "-f", "cesu-8", "-t", "utf-8", "--in-place", "-j", "1", str(tmp_path)]) == 1
    assert opened == ["pair.txt", "wide.txt"]
    assert (tmp_path / "pair.txt").read_bytes() == files["wide.txt"]


@pytest.mark.parametrize("by_core", [True, False])
@pytest.mark.parametrize("command", [("repair",), ("convert", "-f", "wtf-8", "-t", "utf-8")])
def test_a_clean_file_may_be_read_only_and_have_two_names(
    command: tuple[str, ...],
    by_core: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (convert, runs):
        monkeypatch.setattr(module, "can_walk", lambda: by_core)
    top = tmp_path / "tree"
    top.mkdir()
    for name, content in (("clean", b"clean\n" * 90_000), ("faulty", b"a\xed\xa0\x80")):
        (top / name).write_bytes(content)
        (top / name).chmod(0o444)
    (top / "linked").write_bytes(b"clean")
    (tmp_path / "other").hardlink_to(top / "linked")
    assert main([*command, "--in-place", str(top)]) in (1, 2)
    told = capsys.readouterr().err
    assert str(top / "faulty") in told
    assert str(top / "clean") not in told
    assert str(top / "linked") not in told
    (top / "faulty").unlink()
    assert main([*command, "--in-place", str(top)]) == 0
    assert [path.name for path in sorted(top.iterdir())] == ["clean", "linked"]
