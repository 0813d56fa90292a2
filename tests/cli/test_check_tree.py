"""`check` on folders: what is taken, in which form, what is binary, and what cannot be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eightfold.cli import main
from eightfold.cli.commands import check, convert
from eightfold.cli.work.checking import FileCheck
from support.command_line import ENVIRONMENT, check_at_once, run_here
from support.core_trees import needs_trees

BINARY_BYTES = 8 * 1024
"""How much of a file is looked at for a NUL, as docs/how-to/checking.md says."""

on_posix = pytest.mark.skipif(os.name != "posix", reason="needs pipes, links and permissions")


def make_tree(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def report(folder: Path, *arguments: str) -> dict[str, Any]:
    done = run_here("check", "--output-format", "json", *arguments, cwd=folder)
    assert b"Traceback" not in done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def forms(folder: Path, *arguments: str) -> dict[str, str]:
    return {file["path"]: file["form"] for file in report(folder, *arguments)["files"]}


TREE = {
    ".gitignore": b"*.log\nbuild/\n",
    "a.log": b"\xff",
    "a.txt": b"\xff",
    "build/b.txt": b"\xff",
    "src/A.class": b"\xca\xfe\xba\xbe\0",
    "src/c.txt": b"c",
    "src/.git/config": b"\xff",
}


def test_a_file_in_a_folder_is_no_table_whatever_its_name(tmp_path: Path) -> None:
    make_tree(tmp_path, {"t/a.parquet": b"PAR1 with a NUL\0", "t/b.arrow": b"caf\xe9"})
    found = report(tmp_path, "t")
    assert [(file["path"], file["form"], len(file["faults"])) for file in found["files"]] == [("t/b.arrow", "utf-8", 1)]
    assert found["summary"]["binary"] == 1


def test_ignored_files_are_left_out_unless_told_otherwise(tmp_path: Path) -> None:
    make_tree(tmp_path, TREE)
    assert list(forms(tmp_path, ".")) == ["./.gitignore", "./a.txt", "./src/c.txt"]
    everything = ["./.gitignore", "./a.log", "./a.txt", "./build/b.txt", "./src/c.txt", "./src/.git/config"]
    assert list(forms(tmp_path, "--no-ignore", ".")) == everything
    assert list(forms(tmp_path, "a.log", "build")) == ["a.log", "build/b.txt"]


def test_include_and_exclude(tmp_path: Path) -> None:
    make_tree(tmp_path, TREE)
    assert list(forms(tmp_path, "--include", "*.txt", ".")) == ["./a.txt", "./src/c.txt"]
    assert list(
        forms(tmp_path, "--include", "*.txt", "--include", "*.class", "--exclude", "/a.*", "--binary", ".")
    ) == [
        "./src/A.class",
        "./src/c.txt",
    ]
    assert list(forms(tmp_path, "--exclude", "src/", ".", "src/c.txt")) == ["./.gitignore", "./a.txt", "src/c.txt"]


def test_the_form_of_files_that_match(tmp_path: Path) -> None:
    make_tree(tmp_path, TREE)
    options = ("--form-map", "*.class=mutf-8", "--form-map", "src/*=cesu-8", "--form-map", "*.txt=wtf_8")
    assert forms(tmp_path, *options, ".", "src/A.class", "src/.git/config") == {
        "./.gitignore": "utf-8",
        "./a.txt": "wtf-8",
        "./src/c.txt": "wtf-8",
        "src/A.class": "cesu-8",
        "src/.git/config": "utf-8",
    }
    assert forms(tmp_path, "--form-map", "*.class=mutf-8", "src")["src/A.class"] == "mutf-8"
    assert forms(tmp_path, "-f", "auto", "--form-map", "*.txt=utf-16", "a.txt", ".gitignore") == {
        "a.txt": "utf-16",
        ".gitignore": "utf-8",
    }
    assert forms(tmp_path, "--form-map", "*.txt=auto", "src/c.txt") == {"src/c.txt": "utf-8"}


def test_a_pattern_of_folders_selects_the_files_in_them(tmp_path: Path) -> None:
    make_tree(tmp_path, {**TREE, "src/deep/src/d.txt": b"d"})
    inside = {"./src/c.txt": "cesu-8", "./src/deep/src/d.txt": "cesu-8"}
    outside = {"./.gitignore": "utf-8", "./a.txt": "utf-8"}
    assert forms(tmp_path, "--form-map", "src/=cesu-8", ".") == {**outside, **inside}
    assert forms(tmp_path, "--form-map", "/src/=cesu-8", "src/c.txt", "a.txt") == {
        "src/c.txt": "cesu-8",
        "a.txt": "utf-8",
    }
    assert list(forms(tmp_path, "--include", "src/", "--include", "!deep/", ".")) == ["./src/c.txt"]
    (tmp_path / "src/c.txt").write_bytes(b'"\\ud83d"')
    assert report(tmp_path, "--escapes-in", "src/", ".")["summary"]["warnings"] == 1


@pytest.mark.parametrize("given", ["*.txt", "=utf-8", "*.txt=utf-9", "#=utf-8", "!*.txt=utf-16"])
def test_a_map_that_is_none(given: str, tmp_path: Path) -> None:
    done = run_here("check", "--form-map", given, cwd=tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


@pytest.mark.parametrize(
    ("data", "form", "is_binary"),
    [
        (b"a" * (BINARY_BYTES - 1) + b"\0", "utf-8", True),
        (b"a" * BINARY_BYTES + b"\0", "utf-8", False),
        (b"a\0", "cesu-8", True),
        (b"a\0", "corrected-utf-8", True),
        (b"a\0", "auto", True),
        (b"a\0", "mutf-8", False),
        (b"a\0", "utf-16-le", False),
        (b"\0\0\0\0", "utf-32", False),
        (b"\xff\xfea\0\n\0", "auto", False),
        (b"\xff\xfe", "utf-8", False),
        (b"", "utf-8", False),
    ],
)
def test_binary_files_are_skipped_and_counted_if_they_were_found(
    data: bytes, form: str, is_binary: bool, tmp_path: Path
) -> None:
    make_tree(tmp_path, {"folder/file": data})
    walked = report(tmp_path, "-f", form, "folder")
    assert (len(walked["files"]), walked["summary"]["binary"]) == ((0, 1) if is_binary else (1, 0))
    for arguments in (["--binary", "folder"], ["folder/file"]):
        taken = report(tmp_path, "-f", form, *arguments)
        assert (len(taken["files"]), taken["summary"]["binary"]) == (1, 0)


def test_binary_files_are_in_the_last_line(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a": b"\0", "b": b"\0", "c": b"c"})
    assert run_here("check", ".", cwd=tmp_path).stderr.decode() == (
        "eightfold: 1 file checked, 2 binary files skipped (--binary): no faults\n"
    )


@on_posix
def test_what_cannot_be_read_is_named_and_the_rest_is_checked(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a/file": b"\xff", "z": b"\xfe"})
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "nowhere").symlink_to("no/such/file")
    done = run_here("check", "a", "loop", "nowhere", "z", cwd=tmp_path)
    assert done.returncode == 2
    assert [line.partition(b":")[0] for line in done.stdout.splitlines()] == [b"a/file", b"z"]
    assert done.stderr.decode().splitlines() == [
        "eightfold: loop: Too many levels of symbolic links",
        "eightfold: nowhere: No such file or directory",
        "eightfold: 4 files checked, 2 ill-formed, 2 unreadable: 2 errors",
    ]


@on_posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_must_not_be_read_is_named_and_the_rest_is_checked(jobs: str, tmp_path: Path) -> None:
    make_tree(tmp_path, {"a": b"\xff", "b": b"\xff", "c/file": b"", "d/file": b"\xff"})
    (tmp_path / "b").chmod(0)
    (tmp_path / "c").chmod(0)
    done = run_here("check", "-j", jobs, ".", cwd=tmp_path)
    (tmp_path / "c").chmod(0o700)
    assert done.returncode == 2
    assert [line.partition(b":")[0] for line in done.stdout.splitlines()] == [b"./a", b"./d/file"]
    assert done.stderr.decode().splitlines()[:2] == [
        "eightfold: ./b: Permission denied",
        "eightfold: ./c: Permission denied",
    ]


@on_posix
def test_a_pipe_is_read_if_it_is_given_and_not_if_it_was_found(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a": b"a"})
    os.mkfifo(tmp_path / "pipe")
    assert report(tmp_path, ".")["summary"]["files"] == 1
    writer = subprocess.Popen([sys.executable, "-c", "open('pipe', 'wb').write(b'x\\xff')"], cwd=tmp_path)
    found = report(tmp_path, "-j", "2", "pipe")
    writer.wait()
    assert found["files"][0]["faults"][0]["start"] == 1


@on_posix
def test_files_that_go_and_grow_meanwhile(tmp_path: Path) -> None:
    make_tree(tmp_path, {f"{number:03}": b"text\n" * 100 for number in range(400)})
    program = (
        "import itertools, os, sys\n"
        "for number in itertools.cycle(range(400)):\n"
        "    name = f'{number:03}'\n"
        "    with open(name, 'ab') as file: file.write(b'more\\n')\n"
        "    os.rename(name, name + '.new'); os.rename(name + '.new', name)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path) as changing:
        lines = [check_at_once("-j", jobs, "--context", ".") for jobs in ("1", "2", "1")]
        done = [subprocess.run(each, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, check=False) for each in lines]
        changing.kill()
    assert all(each.returncode in (0, 2) and b"Traceback" not in each.stderr for each in done)
    assert all(b"No such file or directory" in each.stderr for each in done if each.returncode == 2)


@pytest.mark.parametrize("jobs", ["x", "-1", "1.5", ""])
def test_jobs_are_a_number(jobs: str) -> None:
    assert run_here("check", "-j", jobs, input=b"").returncode == 2


@pytest.mark.parametrize(
    ("command", "line"),
    [pytest.param(check, ["check"], marks=needs_trees), (convert, ["convert", "-t", "utf-16", "--in-place"])],
)
@pytest.mark.parametrize(("option", "jobs"), [([], 3), (["-j", "0"], 3), (["-j", "2"], 2)])
def test_as_many_at_once_as_there_are_processors(
    command: Any, line: list[str], option: list[str], jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tree(tmp_path, {"a": b"a"})
    asked: list[int] = []
    monkeypatch.setattr(command, "processors", lambda: 3)
    monkeypatch.setattr(command, "allowed", lambda threads: asked.append(threads) or threads)
    assert main([*line, *option, str(tmp_path)]) == 0
    assert set(asked) == {jobs}


@pytest.mark.parametrize(("option", "jobs"), [([], 1), (["-j", "0"], 3), (["-j", "2"], 2)])
def test_names_that_come_slowly_do_not_wait_for_others(
    option: list[str], jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "names").write_text("")
    asked: list[int] = []
    monkeypatch.setattr(check, "processors", lambda: 3)
    monkeypatch.setattr(
        check, "FileCheck", lambda task, report, threads: asked.append(threads) or FileCheck(task, report)
    )
    assert main(["check", *option, "--files-from", str(tmp_path / "names")]) == 0
    assert asked == [jobs]
