"""`--files-from`: lists of files that other programs make, as they come."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from support.command_line import ENVIRONMENT, command, run_here
from support.needed import needs_program

LATIN = b"caf\xe9\n"


def make(folder: Path, *names: bytes) -> None:
    for name in names:
        path = os.path.join(os.fsencode(folder), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(LATIN)


def checked(done: subprocess.CompletedProcess[bytes]) -> list[bytes]:
    """Return the files with faults, in their order."""
    return [line.rsplit(b":", 4)[0] for line in done.stdout.splitlines()]


STRANGE = [b"a b.txt", b"two\nlines", b"caf\xe9.txt", b"-", b"--help", b"-f", b" end ", b'"quoted"', b"s3:/x", b"\xff"]


def test_names_are_bytes_and_local_files(tmp_path: Path) -> None:
    make(tmp_path, *STRANGE)
    done = run_here("check", "-z", "--files-from", "-", cwd=tmp_path, input=b"\0".join(STRANGE))
    shown = [b"a b.txt", b"two\\x0Alines", b"caf\\xE9.txt", b"./-", b"--help", b"-f", b" end ", b'"quoted"', b"s3:/x"]
    assert checked(done) == [*shown, b"\\xFF"]
    assert done.returncode == 1


@pytest.mark.parametrize("address", [b"https://example.org/x", b"file:///etc/passwd", b"S3://bucket/x"])
def test_no_name_is_an_address(address: bytes, tmp_path: Path) -> None:
    done = run_here("check", "--files-from", "-", cwd=tmp_path, input=address + b"\n")
    assert done.stderr.splitlines()[0] == b"eightfold: ./" + address + b": No such file or directory"
    assert done.returncode == 2


@pytest.mark.parametrize("data", [b"a.txt\nb.txt\n", b"a.txt\nb.txt", b"\n\na.txt\n\nb.txt\n\n"])
def test_lines_end_names(data: bytes, tmp_path: Path) -> None:
    make(tmp_path, b"a.txt", b"b.txt")
    (tmp_path / "list").write_bytes(data)
    assert checked(run_here("check", "--files-from", "list", cwd=tmp_path)) == [b"a.txt", b"b.txt"]


def test_a_folder_in_the_list_is_walked(tmp_path: Path) -> None:
    make(tmp_path, b"sub/a.txt", b"sub/deep/b.txt")
    assert checked(run_here("check", "--files-from", "-", cwd=tmp_path, input=b"sub\n")) == [
        b"sub/a.txt",
        b"sub/deep/b.txt",
    ]


def test_an_empty_list_is_not_standard_input(tmp_path: Path) -> None:
    done = run_here("check", "--strict", "--files-from", os.devnull, cwd=tmp_path, input=b"\xff")
    assert done.stderr.splitlines()[0] == b"eightfold: 0 files checked: nothing was read"
    assert done.returncode == 1


WRONG = [
    (["-z"], b"-z needs --files-from"),
    (["--files-from", "list", "a.txt"], b"--files-from and PATHs cannot be combined"),
    (["--files-from", ""], b"argument --files-from: empty path"),
]


@pytest.mark.parametrize(("arguments", "says"), WRONG)
def test_wrong_use(arguments: list[str], says: bytes, tmp_path: Path) -> None:
    done = run_here("check", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert done.stderr.startswith(b"eightfold: " + says)


@pytest.mark.parametrize(
    ("arguments", "data", "says"),
    [
        (["--files-from", "missing"], b"", "missing: No such file or directory"),
        (["--files-from", "-"], b"a.txt\0b.txt\n", "a.txt\\x00b.txt: a file name cannot contain NUL; use -z if NUL"),
        pytest.param(
            ["--files-from", "-"],
            b"a/" * 30_000,
            "a/" * 2048 + "… (60000 characters): a path of 60,000 bytes is longer than any that can be opened",
            id="longer than a path",
        ),
        (["--files-from", "-"], b"a" * 70_000, "-: a name has more than 65,536 bytes; use -z if NUL ends each name"),
        (["-z", "--files-from", "-"], b"a" * 70_000, "-: a name has more than 65,536 bytes"),
        (["--files-from", "-"], b"gone.txt\n", "gone.txt: No such file or directory"),
    ],
)
def test_what_cannot_be_read_is_an_error_and_the_report_whole(
    arguments: list[str], data: bytes, says: str, tmp_path: Path
) -> None:
    done = run_here("check", "--output-format", "json", *arguments, cwd=tmp_path, input=data)
    assert done.returncode == 2
    assert json.loads(done.stdout)["summary"]["unreadable"] == 1
    assert done.stderr.decode().startswith(f"eightfold: {says}")


def test_names_are_taken_as_they_come(tmp_path: Path) -> None:
    make(tmp_path, b"a.txt")
    line = command("check", "--output-format", "jsonl", "--files-from", "-")
    pipe = subprocess.PIPE
    with subprocess.Popen(
        line, stdin=pipe, stdout=pipe, cwd=tmp_path, env={**ENVIRONMENT, "PYTHONUNBUFFERED": "1"}
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"a.txt\na.t")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["path"] == "a.txt"
        process.stdin.write(b"xt\n")
        process.stdin.close()
        assert process.stdout.read().count(b'"type": "file"') == 2


def test_many_at_once(tmp_path: Path) -> None:
    names = [b"%d.txt" % number for number in range(200)]
    make(tmp_path, *names)
    one, two = (
        run_here("check", *at_once, "-z", "--files-from", "-", cwd=tmp_path, input=b"\0".join(names))
        for at_once in ([], ["-j", "2"])
    )
    assert checked(one) == names
    assert (one.stdout, one.stderr, one.returncode) == (two.stdout, two.stderr, two.returncode)


@needs_program("git")
def test_what_git_lists(tmp_path: Path) -> None:
    environment = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*arguments: str) -> bytes:
        line = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
        return subprocess.run(line, cwd=tmp_path, env=environment, check=True, capture_output=True).stdout

    git("init", "-q")
    make(tmp_path, b"same.txt", b"gone.txt", b"caf\xe9 \n.txt", b"src/a.txt")
    git("add", "-A")
    git("commit", "-qm", "all")
    make(tmp_path, b"new.txt")
    (tmp_path / "src" / "a.txt").write_bytes(b"changed\xff\n")
    os.rename(os.fsencode(tmp_path) + b"/caf\xe9 \n.txt", os.fsencode(tmp_path) + b"/t\xe9.txt")
    (tmp_path / "gone.txt").unlink()
    git("add", "-A")
    listed = git("diff", "--cached", "--name-only", "-z", "--no-renames", "--diff-filter=d")
    done = run_here("check", "-z", "--files-from", "-", cwd=tmp_path, input=listed)
    assert checked(done) == [b"new.txt", b"src/a.txt", b"t\\xE9.txt"]
    assert done.returncode == 1
    everything = run_here(
        "check",
        "-z",
        "--files-from",
        "-",
        cwd=tmp_path,
        input=git("diff", "--cached", "--name-only", "-z", "--no-renames"),
    )
    assert b"eightfold: gone.txt: No such file or directory\n" in everything.stderr
    assert everything.returncode == 2


# --- the other commands -----------------------------------------------------------------------------------------------


def test_identify_takes_a_list(tmp_path: Path) -> None:
    make(tmp_path, *STRANGE)
    done = run_here("identify", "-z", "--files-from", "-", cwd=tmp_path, input=b"\0".join(STRANGE))
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == len(STRANGE)
    assert run_here("identify", "--files-from", os.devnull, cwd=tmp_path, input=b"\xff").stdout == b""


@pytest.mark.parametrize(
    "arguments", [["repair", "--errors", "windows-1252", "--lossy"], ["convert", "-f", "latin-1", "-t", "utf-8"]]
)
def test_what_a_list_names_is_replaced(arguments: list[str], tmp_path: Path) -> None:
    make(tmp_path, *STRANGE, b"other.txt")
    done = run_here(*arguments, "--in-place", "-z", "--files-from", "-", cwd=tmp_path, input=b"\0".join(STRANGE))
    assert done.returncode == 0, done.stderr
    for name in STRANGE:
        assert (tmp_path / os.fsdecode(name)).read_bytes() == "café\n".encode()
    assert (tmp_path / "other.txt").read_bytes() == LATIN


def test_a_plan_is_applied_to_what_a_list_names(tmp_path: Path) -> None:
    make(tmp_path, b"a.txt", b"b.txt")
    assert (
        run_here("repair", "--plan", "plan", "--files-from", "-", cwd=tmp_path, input=b"a.txt\nb.txt").returncode == 0
    )
    assert run_here("repair", "--apply", "plan", "--files-from", "-", cwd=tmp_path, input=b"b.txt\n").returncode == 0
    assert (tmp_path / "a.txt").read_bytes() == LATIN
    assert (tmp_path / "b.txt").read_bytes() == "caf\uefe9\n".encode()


@pytest.mark.parametrize("listed", [b"", b"\n\n"])
@pytest.mark.parametrize("command", ["check", "identify", "repair"])
def test_an_empty_list_is_said_to_be_empty(command: str, listed: bytes, tmp_path: Path) -> None:
    done = run_here(command, "--files-from", "-", cwd=tmp_path, input=listed)
    assert done.returncode == 0
    assert done.stderr.endswith(b"eightfold: warning: no file was read: the list of --files-from is empty\n")
    (tmp_path / "folder").mkdir()
    done = run_here(command, "--files-from", "-", cwd=tmp_path, input=b"folder\n")
    assert b"is empty" not in done.stderr


WRITING = [["repair", "--in-place"], ["repair", "--apply", "plan"], ["convert", "-t", "utf-16", "--in-place"]]


@pytest.mark.parametrize("arguments", WRITING, ids=" ".join)
def test_an_empty_list_is_neither_standard_input_nor_everything(arguments: list[str], tmp_path: Path) -> None:
    make(tmp_path, b"a.txt")
    assert run_here("repair", "--plan", "plan", "a.txt", cwd=tmp_path).returncode == 0
    done = run_here(*arguments, "--files-from", os.devnull, cwd=tmp_path, input=b"\xff")
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.count(b"eightfold: warning: no file was read: the list of --files-from is empty\n") == 1
    assert (tmp_path / "a.txt").read_bytes() == LATIN


@pytest.mark.parametrize(
    "listed",
    [b"a.txt\nb\0.txt\n", b"a.txt\n" + b"x/" * 30_000, b"a.txt\n" + b"x" * 70_000],
    ids=["a NUL", "longer than a path", "without an end"],
)
@pytest.mark.parametrize("arguments", [WRITING[0], WRITING[2]], ids=" ".join)
def test_nothing_is_written_by_a_list_that_is_not_whole(arguments: list[str], listed: bytes, tmp_path: Path) -> None:
    make(tmp_path, b"a.txt")
    done = run_here(*arguments, "--files-from", "-", cwd=tmp_path, input=listed)
    assert done.returncode == 2
    assert (tmp_path / "a.txt").read_bytes() == LATIN


@pytest.mark.parametrize("command", ["identify", "repair", "convert"])
def test_they_refuse_what_check_refuses(command: str, tmp_path: Path) -> None:
    to = ["-t", "utf-16"] * (command == "convert")
    assert b"-z needs --files-from" in run_here(command, *to, "-z", "a.txt", cwd=tmp_path).stderr
    done = run_here(command, *to, "--files-from", "list", "a.txt", cwd=tmp_path)
    assert done.stderr.startswith(b"eightfold: --files-from and PATHs cannot be combined")
    assert done.returncode == 2
