"""Converting at once: any number of threads, wherever a file is cut, write what one after the other does."""

from __future__ import annotations

import errno
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from shutil import copytree
from threading import Barrier, BrokenBarrierError, Event, Thread

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import eightfold
from eightfold.cli import main
from eightfold.cli.commands import convert
from eightfold.faults import ConversionError
from eightfold.files import FileError
from eightfold.files.parallel.threads import ahead, allowed, working
from eightfold.files.paths.roots import Way
from eightfold.files.read import converting, reading, segments
from eightfold.files.read.converting import Conversion, ConvertedPiece, converted
from eightfold.files.read.reading import READ, Source
from eightfold.files.read.segments import is_whole_text, segment_end
from eightfold.files.records import journal, journals
from eightfold.files.records.journal_lines import Ends
from eightfold.files.records.journals import Journals
from eightfold.files.records.scopes import Scope
from eightfold.forms import Form, Row, form
from eightfold.stream import Converter
from support.command_line import ENVIRONMENT, command
from support.examples import HALF_AS_MANY
from support.soups import NAMES, PLAIN, SOUP, source_of
from support.trees import files_in

POLICIES = ["strict", "replace", "ignore", "backslashreplace", "surrogateescape", "surrogatepass"]
TARGETS = ["utf-8", "utf-8-sig", "wtf-8", "cesu-8", "xtf-8", "utf-16", "wtf-16-le", "utf-32-be"]
PROCESSORS = 3
Captured = pytest.CaptureFixture[str]


def pieces_of(source: Source, conversion: Conversion, threads: int) -> tuple[list[ConvertedPiece], object]:
    """Return the pieces of a conversion, and what it raised in the end, as one can compare it."""
    pieces: list[ConvertedPiece] = []
    try:
        pieces.extend(converted(source, conversion, threads))
    except ConversionError as error:
        if error.fault.kind == "reserved":  # A run of any length: how much of it is told is what was read of it.
            return pieces, (error.start, error.fault.kind, error.fault.form)
        return pieces, (error.start, error.end, error.fault, str(error))
    return pieces, None


def small_segments(patch: pytest.MonkeyPatch, length: int) -> None:
    """Have files of any size be large, and cut into segments of this length, however many processors there are."""
    patch.setattr(segments, "processors", lambda: PROCESSORS)
    patch.setattr(segments, "SEGMENT_BYTES", length)
    patch.setattr(segments, "LARGE_BYTES", 0)
    patch.setattr(converting, "_HEAD_BYTES", length)


def conversions_of(source: Form) -> st.SearchStrategy[Conversion]:
    """Draw conversions of a form to another, under a policy that neither refuses."""
    all_of_them = (Conversion(source, form(target), errors) for target in TARGETS for errors in POLICIES)
    return st.sampled_from([each for each in all_of_them if _is_possible(each)])


def _is_possible(conversion: Conversion) -> bool:
    try:
        Converter(*conversion)
    except ValueError:
        return False
    return True


def is_read_from_the_middle(conversion: Conversion) -> bool:
    """Say whether reading can go on inside a unit: behind a byte of it that was escaped."""
    return conversion.errors == "surrogateescape" and conversion.source.unit_bytes > 1


def sides(pieces: list[ConvertedPiece]) -> tuple[bytes, bytes]:
    return b"".join(piece.chunk for piece in pieces), b"".join(piece.result for piece in pieces)


def all_before(data: bytes, conversion: Conversion) -> bytes:
    """Return what bytes before a fault become; but for a lead at their end, if the target lacks it."""
    try:
        return eightfold.convert(data, *conversion)
    except ConversionError:
        return Converter(*conversion).convert(data)


@pytest.mark.parametrize(
    ("data", "source", "target", "written"),
    [
        (b"a\xed\xa0\xbd\xff", "cesu-8", "wtf-16-le", b"a\0\x3d\xd8"),
        (b"\0a\xd8\x3d\0", "wtf-16-be", "wtf-16-le", b"a\0\x3d\xd8"),
        (b"a\xed\xa0\xbd\xed\xb8\xff", "generalized-utf-8", "wtf-8", b"a\xed\xa0\xbd"),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 9])
def test_a_lead_before_a_fault_is_written(data: bytes, source: str, target: str, written: bytes, size: int) -> None:
    conversion = Conversion(form(source), form(target), "surrogatepass" if source == "cesu-8" else "strict")
    with pytest.MonkeyPatch.context() as patch, source_of(data) as opened:
        patch.setattr(reading, "CHUNK_BYTES", size)
        pieces, raised = pieces_of(opened, conversion, 1)
    assert raised is not None
    assert sides(pieces)[1] == written


@pytest.mark.parametrize("name", NAMES)
def test_any_number_of_threads_converts_as_one_does_wherever_the_segments_end(name: str) -> None:
    @HALF_AS_MANY
    @given(SOUP, conversions_of(form(name)), st.integers(1, 40), st.integers(1, 20), st.integers(16, 40))
    def compare(data: bytes, conversion: Conversion, segment_bytes: int, reach_bytes: int, head_bytes: int) -> None:
        with pytest.MonkeyPatch.context() as patch, source_of(data) as source:
            small_segments(patch, segment_bytes)
            patch.setattr(segments, "_REACH_BYTES", reach_bytes)
            patch.setattr(converting, "_HEAD_BYTES", head_bytes)
            expected, raised = pieces_of(source, conversion, 1)
            source.rewind()
            pieces, also_raised = pieces_of(source, conversion, PROCESSORS)
        assert also_raised == raised
        chunks, results = sides(pieces)
        if raised is None:
            assert (chunks, results) == (data, sides(expected)[1])
            assert [piece.final for piece in pieces] == [False] * (len(pieces) - 1) + [True]
        else:  # What is before the fault is there, and no more.
            assert isinstance(raised, tuple)
            assert results == sides(expected)[1]
            assert data.startswith(chunks)
            if not is_read_from_the_middle(conversion):
                assert results == all_before(data[: raised[0]], conversion)

    compare()


@pytest.mark.parametrize("name", PLAIN)
def test_a_cut_changes_nothing_on_either_side(name: str) -> None:
    plain = form(name)

    @given(SOUP, SOUP, conversions_of(plain))
    def compare(before: bytes, after: bytes, conversion: Conversion) -> None:
        assume(not is_read_from_the_middle(conversion))
        end = segment_end(plain, before, is_whole_text)
        whole, parts = Converter(*conversion), Converter(*conversion)
        try:
            expected = whole.convert(before[:end] + after, final=True)
        except ConversionError:
            return  # The other test is about those.
        first = parts.convert(before[:end])
        held, offset, *_ = parts.getstate()
        assert (held, offset) == (b"", end)
        assert first + parts.convert(after, final=True) == expected

    compare()


@pytest.mark.parametrize("name", PLAIN)
def test_segments_can_end_in_ordinary_text(name: str) -> None:
    text = eightfold.encode("plain text\nand more", name)
    assert segment_end(form(name), text, is_whole_text) == len(text)


def test_no_segment_ends_where_halves_of_a_pair_could_still_meet() -> None:
    halves = [b"a" * 45, b"\xed\xa0\xbd", b"\xff\xff", b"\xed\xb8\x80", b"b" * 45]
    conversion = Conversion(form("generalized-utf-8"), form("wtf-8"), "ignore")
    with pytest.MonkeyPatch.context() as patch, source_of(b"".join(halves)) as source:
        small_segments(patch, 25)
        pieces, _ = pieces_of(source, conversion, PROCESSORS)
    assert sides(pieces)[1] == b"%s\xf0\x9f\x98\x80%s" % (b"a" * 45, b"b" * 45)
    assert not is_whole_text(form("utf-8"), 0xFF)
    assert not is_whole_text(Form("halves", [Row(0, 0xFFFF, (0, 0xFFFF))], unit_bits=16), 0xD83D)


def test_no_more_is_under_way_than_threads_can_do(monkeypatch: pytest.MonkeyPatch) -> None:
    small_segments(monkeypatch, 1000)
    with source_of(b"line\n" * 20_000) as source:
        for read, _ in enumerate(converted(source, Conversion(form("utf-8"), form("utf-16"), "strict"), 2)):
            assert source._passed <= (read + 7) * 1000


def test_threads_do_work_at_the_same_time_and_what_was_not_begun_never_is() -> None:
    both = Barrier(2, timeout=30)
    begun = []

    def meet(number: int) -> int:
        begun.append(number)
        return both.wait()

    with working(2) as begin:
        waits = [begin(partial(meet, number)) for number in range(2)]
        assert {wait() for wait in waits} == {0, 1}
    go_on = Event()

    def until_dropped(dropped: Callable[[], int]) -> None:
        with suppress(CancelledError, BrokenBarrierError):
            dropped()
        go_on.set()

    with working(2) as begin:
        for _ in range(2):
            begin(partial(go_on.wait, 30))
        waiting = Thread(target=until_dropped, args=(begin(partial(meet, 2)),))
        waiting.start()
    waiting.join()
    assert sorted(begun) == [0, 1]


@pytest.mark.parametrize(("files", "threads"), [(1, 1), (2, 2), (3, 2)])
def test_there_are_no_more_threads_than_files(
    files: int, threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(files):
        (tmp_path / f"{number}").write_bytes(b"a")
    asked: list[int] = []
    monkeypatch.setattr(convert, "working", lambda threads: asked.append(threads) or working(threads))
    assert main(["convert", "-j", "2", "-t", "utf-16", "--in-place", str(tmp_path)]) == 0
    assert asked == [threads]


def test_with_one_thread_nothing_is_begun_before_it_is_asked_for() -> None:
    done: list[int] = []
    with working(1) as begin:
        for wait in ahead((begin(partial(done.append, number)) for number in range(3)), 1):
            before = len(done)
            wait()
            assert len(done) == before + 1
    assert done == [0, 1, 2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree of clean files, faulty ones, binary ones and one that cannot be read, and one that is large."""
    choice = random.Random(8)
    for number in range(90):
        path = tmp_path / "in" / f"d{number % 7}" / f"{number:03}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        parts = choice.choices([b"text\n", b"\xc3\xa9", b"\xe6\xbc\xa2\n", b"\xff", b"\0"], [9, 5, 5, 0.05, 0.02], k=50)
        path.write_bytes(b"".join(parts))
    (tmp_path / "in" / "d0" / "large.txt").write_bytes("漢字 and more\n".encode() * 5000)
    (tmp_path / "in" / "d3" / "pipe").symlink_to("nowhere")
    return tmp_path


def without_order(name: str, data: bytes) -> list[bytes]:
    """Return the lines of a file; those of a journal come as the threads come, and each run seals its own."""
    if not name.endswith(journals.NAME):
        return data.splitlines()
    return sorted(
        re.sub(
            rb'"(seal|run)": "[0-9a-f]+"|"(path|folder|inode|device)": ("[^"]*"|[0-9]+)|"paths": \[[^]]*\]', b"", line
        )
        for line in data.splitlines()
    )


LARGE_IS_SMALL = (
    "import sys; from eightfold.cli import main; from eightfold.files.read import converting, segments; "
    "segments.LARGE_BYTES = 50_000; segments.SEGMENT_BYTES = converting._HEAD_BYTES = 1000; "
    "sys.exit(main(sys.argv[1:]))"
)


@pytest.mark.parametrize(
    "arguments",
    [
        ["-t", "utf-16", "-o", "out", "in"],
        ["-t", "utf-16-le", "--errors", "replace", "--verify", "-o", "out", "in", "in/missing"],
        ["-t", "xtf-8", "--errors", "escape", "--certificate", "proof", "-o", "out", "in"],
        ["-f", "auto", "-t", "cesu-8", "-o", "out", "in"],
        ["-t", "wtf-16-be", "--in-place", "--backup", ".old", "in"],
        ["-t", "utf-8-sig", "--in-place", "--certificate", "proof", "--errors", "ignore", "--binary", "in"],
        ["-t", "utf-16", "--diff", "in"],
    ],
    ids=" ".join,
)
def test_any_number_of_threads_write_and_tell_the_same_in_the_same_order(
    arguments: list[str], tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outcomes = []
    for jobs in ("1", "3"):
        folder = tmp_path_factory.mktemp(f"jobs-{jobs}")
        copytree(tree, folder, symlinks=True, dirs_exist_ok=True)
        line = [sys.executable, "-c", LARGE_IS_SMALL, "convert", "-j", jobs, *arguments]
        done = subprocess.run(line, capture_output=True, env=ENVIRONMENT, cwd=folder, check=False)
        left = {name: without_order(name, data) for name, data in files_in(folder).items()}
        outcomes.append((done.returncode, done.stdout, done.stderr, left))
    alone, at_once = outcomes
    assert at_once == alone
    assert len(alone[2]) > 100
    assert len(alone[3]) > len(files_in(tree)) or "--diff" in arguments


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_leaves_whole_files_and_goes_on(stop: signal.Signals, tmp_path: Path) -> None:
    wanted = {}
    for number in range(400):
        path = tmp_path / f"d{number % 3}" / f"{number:03}.txt"
        path.parent.mkdir(exist_ok=True)
        text = f"line {number:04}\n" * 50
        path.write_bytes(text.encode("utf-16-le"))
        wanted[path.relative_to(tmp_path).as_posix()] = text.encode()
    originals = {name: data.decode().encode("utf-16-le") for name, data in wanted.items()}
    line = ["convert", "-j", "4", "-f", "utf-16-le", "-t", "utf-8", "--in-place", str(tmp_path)]
    with subprocess.Popen(command(*line), stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
        while process.poll() is None and (tmp_path / "d1" / "001.txt").read_bytes() == originals["d1/001.txt"]:
            time.sleep(0.001)
        process.send_signal(stop)
        assert process.stderr is not None
        messages = process.stderr.read()
    assert process.returncode in (0, 130 if stop == signal.SIGINT else 128 + stop)
    assert b"Traceback" not in messages
    left = {name: data for name, data in files_in(tmp_path).items() if not name.endswith(journals.NAME)}
    assert left.keys() == wanted.keys()  # No temporary file stays.
    assert all(data in (wanted[name], originals[name]) for name, data in left.items())
    assert main(line) == 0
    assert files_in(tmp_path) == wanted


def test_threads_that_fill_a_disk_leave_what_was_there(tmp_path: Path) -> None:
    made = {}
    for number in range(40):
        path = tmp_path / f"{number:02}.txt"
        path.write_bytes(b"text\n" * (20 if number % 4 else 2000))
        made[path.name] = path.read_bytes()
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (12000, 12000)); import signal; "
    limit += "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    script = limit + "import sys; from eightfold.cli import main; sys.exit(main(sys.argv[1:]))"
    # With -B: Python would leave bytecode behind that is cut short.
    line = [sys.executable, "-B", "-c", script, "convert", "-j", "4", "-t", "utf-16-le", "--in-place", "."]
    done = subprocess.run(line, capture_output=True, env=ENVIRONMENT, cwd=tmp_path, check=False)
    assert done.returncode == 2
    messages = done.stderr.decode().splitlines()
    assert [message for message in messages if "File too large" in message] == [
        f"eightfold: ./{number:02}.txt: File too large" for number in range(0, 40, 4)
    ]
    for name, data in made.items():
        expected = data if int(name[:2]) % 4 == 0 else data.decode().encode("utf-16-le")
        assert (tmp_path / name).read_bytes() == expected
    assert main(["convert", "-j", "4", "-t", "utf-16-le", "--in-place", str(tmp_path)]) == 0
    assert files_in(tmp_path) == {name: data.decode().encode("utf-16-le") for name, data in made.items()}


def test_a_journal_takes_the_lines_of_all_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heading = journal.heading

    def slowly(kind: str) -> bytes:
        time.sleep(0.001)
        return heading(kind)

    monkeypatch.setattr(journal, "heading", slowly)
    paths = [tmp_path / f"{number:03}" for number in range(200)]
    for path in paths:
        path.write_bytes(b"before")
    kept = Journals({"to": "x"}, Scope())
    before, after = (sha256(data).hexdigest() for data in (b"before", b"after"))

    def replace(path: Path) -> None:
        assert not kept.has(Way(str(path)), str(path))
        kept.add(Way(str(path)), Ends(before, after))
        if path.name.endswith("7"):
            kept.take_back(Way(str(path)))
        else:
            path.write_bytes(b"after")
            kept.settle(Way(str(path)))

    with working(8) as begin:
        for wait in [begin(partial(replace, path)) for path in paths]:
            wait()
    later = Journals({"to": "x"}, Scope())
    assert [path for path in paths if not later.has(Way(str(path)), str(path))] == paths[7::10]
    assert later.already == 180


def test_a_line_that_does_not_reach_the_disk_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Journals({"to": "x"}, Scope())
    kept.add(Way(str(tmp_path / "a")), Ends("1", "2"))
    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(FileError, match="Input/output error"):
        kept.add(Way(str(tmp_path / "b")), Ends("3", "4"))
    lines = (tmp_path / journals.NAME).read_text().splitlines()
    written = (json.loads(line) for line in lines[2:])
    assert [(line["name"], line["original"], line["result"]) for line in written] == [
        ("a", "1", "2"),
        ("b", "3", "4"),
        ("b", "", ""),
    ]
    kept.take_back(Way(str(tmp_path / "a")))
    assert not (tmp_path / journals.NAME).exists()


def test_nothing_is_appended_to_a_journal_that_another_run_has_begun_meanwhile(tmp_path: Path) -> None:
    """Where locks keep no two runs apart: a line behind the head of the other would have a wrong seal."""
    first, second = Journals({"to": "x"}, Scope()), Journals({"to": "x"}, Scope())
    files = [Way(str(tmp_path / name)) for name in "ab"]
    assert not any(kept.has(file, file.path) for kept, file in zip((first, second), files, strict=True))
    first.add(files[0], Ends("1", "2"))
    before = (tmp_path / journals.NAME).read_bytes()
    with pytest.raises(FileError, match="another run has begun it meanwhile"):
        second.add(files[1], Ends("3", "4"))
    assert (tmp_path / journals.NAME).read_bytes() == before


def failing(descriptor: int) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_files_of_all_threads_are_counted(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number}.txt").write_bytes(b"a" * 100)
    files, size = READ.files, READ.bytes
    assert main(["convert", "-j", "8", "-t", "utf-16", "-o", str(tmp_path / "out"), str(tmp_path)]) == 0
    assert (READ.files - files, READ.bytes - size) == (300, 30_000)


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_the_output_ends_exactly_before_a_fault(
    jobs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    small_segments(monkeypatch, 1000)
    clean = "naïve\n".encode() * 900
    (tmp_path / "in").write_bytes(clean + b"naiv\xff" + clean)
    assert main(["convert", "-t", "utf-16-le", "-j", jobs, str(tmp_path / "in")]) == 1
    assert capfdbinary.readouterr().out == (clean + b"naiv").decode().encode("utf-16-le")


def test_what_may_be_the_beginning_of_a_signature_is_no_segment() -> None:
    nearly = b"\xef\xb7\x9d\xed\xb2\xae\0" + "你".encode() * 50
    conversion = Conversion(form("corrected-utf-8-sig"), form("utf-16"), "strict")
    with pytest.MonkeyPatch.context() as patch, source_of(nearly) as source:
        small_segments(patch, 20)
        expected = pieces_of(source, conversion, 1)
        source.rewind()
        pieces, raised = pieces_of(source, conversion, PROCESSORS)
    assert raised is None
    assert sides(pieces) == sides(expected[0])


def test_a_system_without_more_threads_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def refused(thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    for name in "ab":
        (tmp_path / name).write_bytes(b"text")
    monkeypatch.setattr(Thread, "start", refused)
    assert main(["convert", "-t", "utf-16", "-j", "2", "-o", str(tmp_path / "out"), str(tmp_path)]) == 2
    assert capsys.readouterr().err == "eightfold: -j: can't start new thread: try a smaller number\n"


def test_no_more_threads_are_begun_than_can_have_their_files_open(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    def limit(most: int) -> None:
        monkeypatch.setattr(resource, "getrlimit", lambda _: (most, most))

    limit(56)
    assert [allowed(number) for number in (1, 2, 64, 1000)] == [1, 2, 10, 10]
    limit(3)
    assert allowed(8) == 1
    limit(resource.RLIM_INFINITY)
    assert allowed(1000) == 64


def test_a_large_file_is_worth_a_thread_for_each_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "LARGE_BYTES", 10)
    monkeypatch.setattr(segments, "processors", lambda: 3)
    with source_of(b"0123456789") as large, source_of(b"012345678") as small:
        assert [segments.worth(large, number) for number in (1, 2, 1000)] == [1, 2, 3]
        assert segments.worth(small, 1000) == 1


def test_who_is_told_twice_to_stop_still_cleans_up() -> None:
    held = []
    shutdown = ThreadPoolExecutor.shutdown

    def watched(pool: ThreadPoolExecutor, **options: bool) -> None:
        held.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        shutdown(pool, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ThreadPoolExecutor, "shutdown", watched)
        with working(2):
            pass
    assert {signal.SIGINT, signal.SIGTERM, signal.SIGHUP} <= held[0]


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_a_policy_that_a_form_lacks_stops_that_file_only(jobs: str, tmp_path: Path, capsys: Captured) -> None:
    for number in range(6):
        (tmp_path / f"{number}").write_bytes(b"naive" if number == 1 else b"a\xc0\x80b\xed\xa0\xbd\xed\xb8\x80" * 9)
    line = ["convert", "-f", "auto", "--errors", "java", "-t", "utf-16-le", "-j", jobs, "--in-place", str(tmp_path)]
    assert main(line) == 2
    assert len((tmp_path / "5").read_bytes()) == 9 * 10
    messages = capsys.readouterr().err
    assert f"eightfold: {tmp_path / '1'}: --errors: " in messages
    assert "incomplete: run the command again" in messages


def test_certificates_that_cannot_be_written_are_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    for name in "ab":
        (tmp_path / name).write_bytes(b"text")
    line = ["convert", "-t", "utf-16-le", "--in-place", "--certificate", str(tmp_path / "none" / "c"), str(tmp_path)]
    original = convert.certificates

    @contextmanager
    def failing_at_last(options: convert.Options, failed: Callable[[], object]) -> Iterator[Callable[[bytes], object]]:
        with original(replace(options, certificate=""), failed) as certify:
            yield certify
        raise FileError("c", "No space left on device")

    monkeypatch.setattr(convert, "certificates", failing_at_last)
    assert main(line) == 2
    assert "c: No space left on device\neightfold: incomplete: run the command again" in capsys.readouterr().err
    monkeypatch.setattr(convert, "certificates", original)
    (tmp_path / "none").mkdir()
    assert main(line) == 0
    assert (
        "2 files already converted by an interrupted run; no certificate is written for them\n"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_has_done_all_says_so_whoever_stops_it(stop: signal.Signals, tmp_path: Path) -> None:
    """Else it would be run again, and with no journal left everything would be converted a second time."""
    (tmp_path / "a").write_bytes("text".encode("utf-16-le"))
    slow = (
        "import sys; from eightfold.cli import main; from eightfold.files.records.journals import Journals\n"
        "end = Journals.end; Journals.end = lambda self: (end(self), print(flush=True), sys.stdin.read())\n"
        "sys.exit(main())"
    )
    line = [sys.executable, "-c", slow, "convert", "-f", "utf-16-le", "-t", "utf-8", "--in-place", str(tmp_path)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(stop)  # The end of its input lets it go on, and comes after this.
    assert process.returncode == 0
    assert files_in(tmp_path) == {"a": b"text"}


def test_signals_are_as_they_were_behind_a_command(tmp_path: Path) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    (tmp_path / "a").write_bytes(b"text")
    assert main(["convert", "-t", "utf-16", "--in-place", str(tmp_path)]) == 0
    assert [signal.getsignal(number) for number in numbers] == before
