"""Checking at once: any number of threads and processes, wherever a file is cut, tell what one after the other does."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold._engine import CORE, twins_of
from eightfold.cli.commands import check
from eightfold.cli.output.reports import report_as
from eightfold.cli.work import schedule
from eightfold.cli.work.checking import FileCheck, Task
from eightfold.corrected import Linter
from eightfold.faults import Fault
from eightfold.files import FileError
from eightfold.files.parallel.processes import Workers, starting
from eightfold.files.read import reading, scanning, segments
from eightfold.files.read.reading import Source, opened
from eightfold.files.read.scanning import faults_in, first_faults_in
from eightfold.files.read.segments import segment_end, stands_alone
from eightfold.files.walk.walking import Found
from eightfold.forms import Form, form
from eightfold.stream import Checker, Located
from support.command_line import ENVIRONMENT, PATIENCE, check_at_once, run, run_here
from support.examples import HALF_AS_MANY
from support.needed import needs_program
from support.soups import NAMES, PLAIN, SOUP, source_of

TWIN = twins_of("eightfold.files.read.scanning")["Scan"]


def whole(data: bytes, name: str) -> list[Located]:
    """Return the faults of bytes that nothing has cut."""
    finder = Linter() if name == scanning.DOCUMENT else Checker(name)
    return finder.check(data, final=True)


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "LARGE_BYTES", 1)
    monkeypatch.setattr(scanning, "FAULTS_AHEAD", 2)


@pytest.mark.usefixtures("small_segments")
@pytest.mark.parametrize("name", NAMES)
def test_any_number_of_threads_finds_what_there_is_wherever_the_segments_end(name: str) -> None:
    @HALF_AS_MANY
    @given(SOUP, st.integers(1, 40), st.integers(0, 30), st.integers(1, 5), st.integers(0, 12))
    def compare(data: bytes, segment_bytes: int, held_bytes: int, threads: int, most: int) -> None:
        data = b"\xff\xfe" * len(form(name).signatures) + data
        expected = whole(data, name)
        with pytest.MonkeyPatch.context() as patch, source_of(data) as source:
            patch.setattr(segments, "SEGMENT_BYTES", segment_bytes)
            patch.setattr(segments, "_HELD_BYTES", held_bytes)
            patch.setattr(reading, "CHUNK_BYTES", segment_bytes)
            assert list(faults_in(source, form(name), threads)) == expected
            source.rewind()
            if name != scanning.DOCUMENT:
                found = list(first_faults_in(source, form(name), most, threads))
                assert found[: len(expected[:most])] == expected[:most]
                counts = sum(found[len(expected[:most]) :], Counter())
                assert counts == Counter(found.fault.kind for found in expected[most:])

    compare()


def most_memory(source: Source, threads: int) -> tuple[int, int]:
    """Return how many faults a source has, and how many bytes were allocated at once to find them."""
    faults = faults_in(source, form("utf-8"), threads)
    tracemalloc.start()
    count = sum(1 for _ in faults)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return count, most


@pytest.mark.usefixtures("small_segments")
def test_threads_do_not_gather_the_faults_of_bytes_that_are_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "SEGMENT_BYTES", 1 << 15)
    monkeypatch.setattr(scanning, "FAULTS_AHEAD", 500)
    with source_of(b"\xff" * (1 << 17)) as source:
        count, most = most_memory(source, 2)
    assert count == 1 << 17
    assert most < 1 << 22  # A fault takes more than 100 bytes, so those of two segments would take more.


@pytest.mark.parametrize("threads", [1, 2])
def test_text_without_ascii_is_not_held(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "LARGE_BYTES", 1)
    monkeypatch.setattr(segments, "SEGMENT_BYTES", 1 << 13)
    monkeypatch.setattr(reading, "CHUNK_BYTES", 1 << 13)
    text = "漢".encode() * 120_000
    with source_of(text[:48]) as source:
        most_memory(source, threads)  # Everything is imported once.
    with source_of(text + b"\xff") as source:
        count, most = most_memory(source, threads)
    assert count == 1
    assert most < len(text) * 2 / 3  # However long it is, it is as much.


@pytest.mark.parametrize("name", PLAIN)
def test_a_cut_changes_nothing_on_either_side(name: str) -> None:
    @given(SOUP, SOUP)
    def compare(before: bytes, after: bytes) -> None:
        plain = form(name)
        end = segment_end(plain, before, stands_alone)
        whole = Checker(plain).check(before[:end] + after, final=True)
        parts = [fault.fault for fault in TWIN(plain, before[:end])]
        parts += [fault.fault.moved(end) for fault in Checker(plain).check(after, final=True)]
        assert [each.fault for each in whole] == parts

    compare()


@pytest.mark.skipif(CORE is None, reason="the reference is the engine")
@pytest.mark.parametrize("name", PLAIN)
def test_the_core_s_scan_tells_what_the_reference_s_does(name: str) -> None:
    @given(SOUP, st.integers(0, 50), st.integers(1, 3), st.integers(1, 9), st.none() | st.integers(0, 9))
    def compare(data: bytes, offset: int, line: int, column: int, ahead: int | None) -> None:
        plain, ends = form(name), []
        scans = TWIN(plain, data), CORE.Scan(plain, data)
        for scan in scans:
            if ahead is not None:
                scan.look_ahead(ahead)
        expected, found = ([*scan.behind("asked", offset, line, column)] for scan in scans)
        assert found == expected
        assert {(type(each), type(each.fault)) for each in found} <= {(Located, Fault)}
        ends = [(scan.length, *scan.end(), *scan.end()) for scan in scans]
        assert ends[0] == ends[1]

    compare()


@pytest.mark.skipif(CORE is None, reason="the reference is the engine")
def test_a_scan_goes_on_behind_the_faults_that_it_found_at_once() -> None:
    data = b"".join(b"\xff" + b"\n" * (at % 3) for at in range(10_000))
    plain = form("utf-8")
    scans = TWIN(plain, data), CORE.Scan(plain, data)
    assert list(scans[0]) == list(scans[1])
    assert scans[0].end() == scans[1].end() == (1 + data.count(b"\n"), 2)


@pytest.mark.parametrize("name", PLAIN)
def test_segments_can_end_in_ordinary_text(name: str) -> None:
    plain = form(name)
    text = eightfold.encode("plain text\nand more", plain)
    assert segment_end(plain, text, stands_alone) == len(text)
    assert stands_alone(plain, 0x0A)


def test_some_units_do_not_stand_alone() -> None:
    names = ("utf-8", "xtf-8", "corrected-utf-8")
    joined = {name: {byte for byte in range(256) if not stands_alone(form(name), byte)} for name in names}
    assert joined["utf-8"] == set(range(0x80, 0xFE))
    assert joined["xtf-8"] == set(range(0x80, 0x100)) - {0xC0, 0xC1, *range(0xF5, 0x100)}  # Escaped one by one.
    assert joined["corrected-utf-8"] == set(range(0x80, 0x100))  # FE and FF begin runs.
    assert not stands_alone(form("utf-16-le"), 0xD800)
    assert not stands_alone(form("wtf-16-be"), 0xDC00)
    assert stands_alone(form("utf-32-le"), 0xD800)


@pytest.mark.usefixtures("small_segments")
@pytest.mark.parametrize("threads", [1, 3])
def test_faults_before_a_read_error_are_told_by_any_number(
    threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pieces(source: Source, length: int | None = None) -> object:
        yield b"a\xff\nb\xfe \xe2", False
        yield b"a\xffb\xe2\xff", False
        raise FileError(source.path, "Input/output error")

    monkeypatch.setattr(Source, "pieces", pieces)
    (tmp_path / "file").write_bytes(bytes(100))
    with opened(str(tmp_path / "file")) as source:
        faults = faults_in(source, form("utf-8"), threads)
        assert [next(faults).fault.start for _ in range(6)] == [1, 4, 6, 8, 10, 11]
        with pytest.raises(FileError):
            next(faults)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    choice = random.Random(8)
    for number in range(150):
        path = tmp_path / f"d{number % 7}" / f"{number:03}.txt"
        path.parent.mkdir(exist_ok=True)
        parts = choice.choices(
            [b"text\n", b"\xff", b"\xe2\x82", b"\xc3\xa9", b"\n", b"\0"], [9, 1, 1, 3, 2, 0.05], k=50
        )
        path.write_bytes(b"".join(parts) * choice.choice([1, 1, 1, 30]))
    (tmp_path / "d3" / "gone").symlink_to("nowhere")
    (tmp_path / "empty").write_bytes(b"")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--output-format", "json"],
        ["--output-format", "sarif", "--context"],
        ["--statistics", "--binary"],
        ["-f", "auto", "--include", "00*"],
        ["missing", "--form-map", "*7.txt=cesu-8"],
    ],
    ids=" ".join,
)
def test_any_number_of_processes_tell_the_same_in_the_same_order(arguments: list[str], tree: Path) -> None:
    paths = [".", "d1/001.txt", "d3/gone"]
    alone = run_here("check", *arguments, *paths, cwd=tree)
    assert len(alone.stdout + alone.stderr) > 500
    for jobs in ("3",) if arguments else ("2", "3"):
        line = check_at_once("-j", jobs, *arguments, *paths)
        at_once = subprocess.run(line, capture_output=True, env=ENVIRONMENT, cwd=tree, check=False)
        assert (at_once.stdout, at_once.stderr) == (alone.stdout, alone.stderr)
        assert at_once.returncode == alone.returncode


def test_large_files_among_small_ones_keep_their_place(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "LARGE_BYTES", 10_000)
    monkeypatch.setattr(segments, "SEGMENT_BYTES", 1000)
    outputs = []
    for jobs in (1, 3):
        path = tree / f"out-{jobs}"
        options = check.Options(paths=[str(tree / "d0"), str(tree / "d2")], output_file=str(path), jobs=jobs)
        assert check.run(options) == 1
        outputs.append(path.read_bytes())
    assert len(outputs[0]) > 1000
    assert outputs[0] == outputs[1]


def test_no_process_is_started_for_few_files(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    monkeypatch.setattr(schedule, "Workers", lambda *given: started.append(given))
    options = check.Options(paths=[str(tree)], output_file=str(tree / "out"), jobs=2)
    assert check.run(options) == 1
    assert not started
    monkeypatch.setattr(schedule, "_ALONE", 0)
    with pytest.raises(AttributeError):  # Nobody is there to be given a batch.
        check.run(options)
    assert [count for count, _, _ in started] == [1]


class Recorded:
    """Worker processes that note what they are given, and report nothing."""

    def __init__(self, *_: object) -> None:
        self.given: list[list[Found]] = []

    def give(self, batch: list[Found]) -> Iterator[object]:
        self.given.append(batch)
        return iter(())

    def end(self) -> None:
        pass


def test_what_is_in_no_batch_waits_for_the_batch_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Found | FileError] = []

    class Working(Recorded):
        def give(self, batch: list[Found]) -> Iterator[object]:
            done.extend(batch)  # Once the results are asked for.
            yield from ()

    monkeypatch.setattr(schedule, "Workers", Working)
    monkeypatch.setattr(schedule, "_ALONE", 0)
    (tmp_path / "file").write_bytes(b"clean\n")
    small = Found(str(tmp_path / "file"), b"file", walked=True)
    files = [small, small, FileError("folder", "it cannot be listed"), small]
    here = FileCheck(Task(), report_as("text", statistics=False))
    monkeypatch.setattr(here, "take", done.append)
    for turn in schedule.at_once(3, Task(), here, iter(files)):
        turn()
    assert done == files


@pytest.mark.parametrize("jobs", [2, 3, 8])
def test_this_process_takes_a_share(jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = Recorded()
    counts = []
    monkeypatch.setattr(schedule, "Workers", lambda count, *_: counts.append(count) or recorded)
    monkeypatch.setattr(schedule, "_ALONE", 10)
    here = FileCheck(Task(), report_as("text", statistics=False))
    (tmp_path / "file").write_bytes(b"clean\n")
    monkeypatch.chdir(tmp_path)  # Of files with long paths, fewer are in a batch.
    share = 2 * (jobs - 1) + 1
    files = (Found("file", b"file", walked=True) for _ in range(64 * (10 + 3 * share)))
    for turn in schedule.at_once(jobs, Task(), here, files):
        turn()
    assert here.report.summary.files + 64 * len(recorded.given) == 64 * (10 + 3 * share)
    assert len(recorded.given) == 3 * (share - 1)
    assert counts == [jobs - 1]


def test_no_more_is_walked_than_is_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    met = []

    def walking() -> Iterator[Found]:
        for number in range(1000):
            met.append(number)
            yield Found(str(tmp_path / "file"), b"file", walked=True)

    monkeypatch.setattr(schedule, "Workers", Recorded)
    monkeypatch.setattr(schedule, "_ALONE", 1)
    (tmp_path / "file").write_bytes(b"clean\n")
    here = FileCheck(Task(), report_as("text", statistics=False))
    with closing(schedule.at_once(2, Task(), here, walking())) as due:
        for number in range(1, 65):
            next(due)()
            assert (here.report.summary.files, len(met)) == (number, number)
        next(due)()
        assert 64 * 2 < len(met) <= 64 * 6 + 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_a_process_that_ends_is_told(tree: Path) -> None:
    program = (
        "import os, signal, sys; from eightfold.cli import main; from eightfold.cli.work import checking, schedule\n"
        "if __name__ == '__main__':\n"
        "    schedule._ALONE = 0\n"
        "    sys.exit(main(sys.argv[1:]))\n"
        "else:\n"
        "    checking.FileCheck.check = lambda self, found: os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    (tree / "program.py").write_text(program)
    line = [sys.executable, "program.py", "check", "-j", "2", "d0", "d1", "d2", "d3", "d4", "d5", "d6"]
    done = subprocess.run(line, capture_output=True, env=ENVIRONMENT, cwd=tree, check=False, timeout=PATIENCE)
    assert done.returncode == 2
    assert done.stderr.endswith(b"eightfold: -j: a worker process ended too early; try -j 1\n")


@pytest.mark.skipif(sys.platform == "win32", reason="a limit of POSIX")
def test_no_more_processes_than_open_files_allow(tree: Path) -> None:
    limited = ["sh", "-c", 'ulimit -n 40 && exec "$@"', "-"]
    done = subprocess.run(
        [*limited, *check_at_once("-j", "64", ".")], capture_output=True, env=ENVIRONMENT, cwd=tree, check=False
    )
    alone = run("check", "-j", "1", ".", cwd=tree)
    assert (done.returncode, done.stdout, done.stderr) == (1, alone.stdout, alone.stderr)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_a_process_that_cannot_be_started_is_told_and_the_others_end(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[SpawnProcess] = []

    def start(process: SpawnProcess) -> None:
        if started:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        begin(process)
        started.append(process)

    begin = SpawnProcess.start
    monkeypatch.setattr(SpawnProcess, "start", start)
    with pytest.raises(FileError, match=r"^-j: Resource temporarily unavailable: try a smaller number$"):
        Workers(3, partial, None)
    assert [process.exitcode for process in started] == [-signal.SIGKILL]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_nothing_stops_the_program_before_a_process_knows_what_it_is_for() -> None:
    def held() -> set[signal.Signals]:
        return {*signal.pthread_sigmask(signal.SIG_BLOCK, ())} & {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}

    with starting():
        assert len(held()) == 3
    assert not held()


def processes_below(parent: int) -> list[int]:
    listed = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, check=True).stdout.decode().splitlines()[1:]
    return [int(pid) for pid, ppid in map(str.split, listed) if int(ppid) == parent]


@needs_program("ps")
@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGKILL", -9)])
def test_stopping_ends_all_processes(name: str, status: int, tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    line = check_at_once("-j", "3", ".", "pipe")  # Nobody ever writes to the pipe.
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, cwd=tree, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        children = processes_below(process.pid)
        assert len(children) >= 2
        number = getattr(signal, name)
        process.send_signal(number) if name == "SIGKILL" else os.killpg(process.pid, number)
        messages = process.stderr.read()
        process.stdout.read()
    assert (process.returncode, messages) == (status, b"")
    deadline = time.monotonic() + PATIENCE
    while any(os.path.exists(f"/proc/{child}") for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_form_of_one_s_own_is_cut_by_its_own_rows() -> None:
    from eightfold.forms import Row

    odd = Form("odd", [Row(0, 0x0F, (0x00, 0x0F)), Row(0x10, 0x4F, 0x10, (0x00, 0x3F))])
    assert segment_end(odd, b"\x01\x02", stands_alone) == 0  # Each may be the second of two.
