"""What an enemy gives, as a name, a value or a lock, is shown in part and escaped, and holds nobody up."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

import eightfold
from eightfold.cli import main
from eightfold.files.path_text import LONGEST_PATH, shown
from eightfold.files.write import temporary
from eightfold.files.write.writing import replacing
from support.command_line import ENVIRONMENT, PATIENCE, command, run

RED = "\x1b[31mred\x07"
Captured = pytest.CaptureFixture[str]


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        [RED],
        ["check", "-f", RED, "f"],
        ["check", "--max-faults", RED, "f"],
        ["check", f"--bogus{RED}", "f"],
        ["check", "--color", RED, "f"],
        ["check", RED],
        ["check", "-f", "auto", RED],
        ["convert", "-t", "utf-8", "--errors", RED, "f"],
        ["convert", "-t", RED, "f"],
        ["convert", "-t", "utf-8", "-o", f"{RED}/{RED}/out", "f"],
        ["explain", "--hex", RED],
        ["identify", RED],
        ["names", "--fix", RED, "."],
        ["names", "--undo", RED],
        ["repair", "--apply", RED],
        ["repair", "--root", RED, "--apply", "f"],
        ["table", RED],
        ["completion", RED],
        ["doctor", RED],
    ],
    ids=lambda arguments: " ".join(arguments).replace(RED, "RED"),
)
def test_values_of_options_are_escaped_in_messages(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f").write_bytes(b"text")
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert "red" in said or "f: this is not a plan" in said
    assert not set("\x1b\x07") & set(said)


def test_a_message_has_an_end(capsys: Captured) -> None:
    assert main(["check", "x" * 1_000_000]) == 2
    assert len(capsys.readouterr().err) < 300_000


def test_names_are_shown_in_part() -> None:
    assert shown("é" * LONGEST_PATH) == "é" * LONGEST_PATH
    assert shown("\x1b" * (LONGEST_PATH + 1)) == "\\x1B" * LONGEST_PATH + f"… ({LONGEST_PATH + 1} characters)"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
@pytest.mark.parametrize("unbuffered", [[], ["-u"]], ids=["", "-u"])
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["check", "--help"], ["names", "-h"]], ids=" ".join)
def test_help_that_cannot_be_written_is_an_error(arguments: list[str], unbuffered: list[str]) -> None:
    line = [sys.executable, *unbuffered, *command(*arguments)[1:]]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (2, b"eightfold: standard output: No space left on device\n")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["check", "--help"]], ids=" ".join)
def test_help_whose_reader_has_gone_ends_quietly(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command(*arguments), stdout=writing, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


# --- names ------------------------------------------------------------------------------------------------------------


LENGTH = 300_000 if eightfold.ENGINE == "native" else 30_000


def archive(path: Path, length: int) -> None:
    """Make a tar of one file, whose name has so many bytes, each of them a fault, and a link to such a name."""
    with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT, encoding="utf-8", errors="surrogateescape") as tar:
        tar.addfile(tarfile.TarInfo("\udcff" * length), io.BytesIO())
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "\udcff" * length
        tar.addfile(link)


def test_what_is_said_of_a_name_does_not_grow_with_it_squared(tmp_path: Path) -> None:
    archive(tmp_path / "long.tar.gz", LENGTH)
    assert (tmp_path / "long.tar.gz").stat().st_size < 2_000
    done = run("names", "long.tar.gz", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, b"eightfold: 3 names read, 1 ill-formed\n")
    lines = done.stdout.decode().splitlines()
    assert len(lines) == 34
    assert all(len(line) < 5_000 for line in lines)
    assert lines[0].endswith(
        f"\\xFF… ({LENGTH} characters): invalid-byte: byte FF cannot begin a sequence, "
        "at byte 0 of the name (tar header)"
    )
    assert lines[16].endswith(f": {LENGTH - 16} more faults of the name (tar header)")
    assert lines[33].endswith(f": {LENGTH - 16} more faults of its target (tar header)")


def test_json_of_a_name_holds_it_once_and_counts_the_faults(tmp_path: Path) -> None:
    archive(tmp_path / "long.tar.gz", LENGTH)
    done = run("names", "--output-format", "jsonl", "long.tar.gz", cwd=tmp_path)
    assert len(done.stdout) < 10_000_000
    name, link = map(json.loads, done.stdout.splitlines())
    assert (len(name["name"]), len(name["faults"]), name["more_faults"]) == (LENGTH, 1000, LENGTH - 1000)
    assert (len(link["target"]), len(link["target_faults"]), link["target_more_faults"]) == (
        LENGTH,
        1000,
        LENGTH - 1000,
    )
    assert "more_faults" not in link


def test_faults_of_a_name_that_a_file_can_have_are_all_in_json(tmp_path: Path) -> None:
    archive(tmp_path / "short.tar.gz", 255)
    done = run("names", "--output-format", "jsonl", "short.tar.gz", cwd=tmp_path)
    assert [len(json.loads(line)["faults"]) for line in done.stdout.splitlines()] == [255, 0]


# --- being stopped, and being held up ---------------------------------------------------------------------------------


class _HeardError(Exception):
    pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a clock of the processor")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("errors", ["strict", "replace"])
def test_who_asks_to_stop_is_heard_while_much_is_converted(threads: int, errors: str) -> None:
    lines = 2_000 if eightfold.ENGINE == "reference" else 3_700_000
    data = "Größe, наука, 漢字\n".encode() * lines + b"\xff" * (errors == "replace")

    def heard(*_: object) -> None:
        raise _HeardError

    def seconds() -> float:
        begun = time.process_time()
        with suppress(_HeardError):
            eightfold.convert(data, "utf-8", "utf-16-be", errors, threads=threads)
        return time.process_time() - begun

    usual = seconds()
    before = signal.signal(signal.SIGPROF, heard)
    signal.setitimer(signal.ITIMER_PROF, usual / 20)
    try:
        stopped = seconds()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    assert stopped < usual / 2


def test_the_disk_gets_a_large_file_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(temporary, "_SYNCED_BYTES", 1_000_000)
    monkeypatch.setattr(temporary, "_sync", lambda descriptor: synced.append(os.fstat(descriptor).st_size))
    with replacing(str(tmp_path / "new")) as file:
        for _ in range(100):
            file.write(b"x" * 100_000)
    assert 5 <= len(synced) <= 10
    assert max(after - before for before, after in zip([0, *synced], [*synced, 10**7], strict=True)) < 2_000_000


HOLD = """
import fcntl, os, sys
held = [os.open(path, os.O_RDONLY) for path in sys.argv[1:]]
for each in held:
    fcntl.flock(each, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
@pytest.mark.parametrize("way", ["convert", "repair", "--apply"])
def test_a_lock_on_a_shared_folder_holds_nobody_up(way: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"caf\xe9")
    if way == "--apply":
        assert run("repair", "--plan", "plan", "a", cwd=tmp_path).returncode == 0
    line = {
        "convert": ["convert", "-t", "utf-16-le", "--errors", "replace", "--in-place", "a"],
        "repair": ["repair", "-f", "wtf-8", "--in-place", "a"],
        "--apply": ["repair", "--apply", "plan"],
    }[way]
    folders = [str(folder) for folder in (tmp_path, *tmp_path.parents)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", HOLD, *folders], **pipes) as other:  # type: ignore[call-overload]
        assert other.stdout.readline() == b"held\n"
        done = run(*line, cwd=tmp_path)
        other.stdin.close()
    assert (done.returncode, (tmp_path / "a").read_bytes() != b"caf\xe9") == (0, True), done.stderr
