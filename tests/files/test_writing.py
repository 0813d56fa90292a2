"""Atomic writing: whatever fails, and whenever, the old file is as it was and nothing is left beside it."""

from __future__ import annotations

import errno
import os
import resource
import stat
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eightfold.files import FileError
from eightfold.files.paths.entries import Entry
from eightfold.files.paths.roots import Way
from eightfold.files.write import writing
from eightfold.files.write.writing import replacing, snapshot
from support.command_line import ENVIRONMENT, PATIENCE, command, run
from support.users import needs_users, unprivileged

OLD, NEW = b"the old content", b"the new content"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "file.txt"
    path.write_bytes(OLD)
    return path


def write(path: Path, data: bytes = NEW, **options: str) -> None:
    with replacing(str(path), **options) as file:
        file.write(data)


def assert_untouched(old: Path) -> None:
    assert old.read_bytes() == OLD
    assert list(old.parent.iterdir()) == [old]


def test_a_new_file_has_the_mode_that_new_files_have(tmp_path: Path) -> None:
    write(tmp_path / "new")
    (tmp_path / "other").write_bytes(b"")
    assert (tmp_path / "new").read_bytes() == NEW
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o200, 0o755, 0o666])
def test_an_old_file_keeps_its_mode(mode: int, old: Path) -> None:
    old.chmod(mode)
    write(old)
    assert stat.S_IMODE(old.stat().st_mode) == mode
    old.chmod(0o600)
    assert old.read_bytes() == NEW
    assert list(old.parent.iterdir()) == [old]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_nobody_else_can_read_what_is_being_written(mode: int, old: Path) -> None:
    old.chmod(mode)
    with replacing(str(old)) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_an_old_file_keeps_its_owner(old: Path) -> None:
    os.chown(old, 12345, 54321)
    old.chmod(0o4750)
    write(old)
    status = old.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (12345, 54321, 0o4750)


def test_the_old_file_is_there_until_the_new_one_is_whole(old: Path) -> None:
    with replacing(str(old)) as file:
        file.write(NEW)
        file.flush()
        assert old.read_bytes() == OLD
        assert len(list(old.parent.iterdir())) == 2
    assert old.read_bytes() == NEW


def test_who_reads_the_old_file_goes_on_reading_it(old: Path) -> None:
    with old.open("rb") as reader:
        write(old)
        assert reader.read() == OLD


def test_the_folder_is_synced_after_the_exchange_unless_a_journal_knows_both_files(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[str, bytes]] = []
    monkeypatch.setattr(Entry, "sync_folder", lambda entry: synced.append((entry.path, old.read_bytes())))
    with replacing(str(old), journaled=True) as file:
        file.write(NEW)
    assert synced == []
    write(old, OLD)
    assert synced == [(os.path.realpath(old), OLD)]


def test_a_link_stays_and_leads_to_the_new_content(old: Path) -> None:
    link = old.with_name("link")
    link.symlink_to(old.name)
    write(link)
    assert link.is_symlink()
    assert old.read_bytes() == NEW


def test_a_link_to_nothing_makes_the_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link")
    assert (tmp_path / "real").read_bytes() == NEW
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("suffix", ["", ".old"])
def test_a_file_with_further_names_is_refused(count: int, suffix: str, old: Path) -> None:
    names = [old, *(old.with_name(f"other-{number}") for number in range(1, count))]
    for name in names[1:]:
        os.link(old, name)
    with pytest.raises(FileError, match=rf"it has {count} names \(hard links\), and only one of them would change"):
        write(old, backup_suffix=suffix)
    assert {name.read_bytes() for name in names} == {OLD}
    assert sorted(old.parent.iterdir()) == sorted(names)


@pytest.mark.parametrize("mode", [0o444, 0o400, 0o555, 0])
def test_a_read_only_file_is_refused_even_to_root(mode: int, old: Path) -> None:
    old.chmod(mode)
    with pytest.raises(FileError, match="it is read-only: make it writable first"):
        write(old)
    old.chmod(0o644)
    assert_untouched(old)


def test_a_backup_is_copied_where_there_are_no_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    for folder in ("tree/d", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    old = tmp_path / "tree" / "d" / "f"
    old.write_bytes(OLD)
    old.chmod(0o640)
    os.utime(old, ns=(10**18, 10**18 + 5))
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr(os, "link", refused)
    for way in (Way.to_found(str(old), "d/f"), Way(str(old))):
        with way.entry() as entry, replacing(entry, ".old") as file:
            file.write(NEW)
        kept = old.with_name("f.old")
        assert (old.read_bytes(), kept.read_bytes()) == (NEW, OLD)
        assert (kept.stat().st_mode & 0o777, kept.stat().st_mtime_ns) == (0o640, 10**18 + 5)
        kept.replace(old)
    assert sorted(tmp_path.rglob("*")) == sorted([tmp_path / "elsewhere", tmp_path / "tree", old.parent, old])


def test_a_backup_that_another_program_makes_meanwhile_is_not_replaced(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = old.with_name("file.txt.old")
    backup.write_bytes(b"of the other program")
    monkeypatch.setattr(writing, "_exists", lambda _: False)
    with pytest.raises(FileError, match="the backup already exists"):
        write(old, backup_suffix=".old")
    assert (old.read_bytes(), backup.read_bytes()) == (OLD, b"of the other program")


def test_a_read_only_file_system_is_named(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    with pytest.raises(FileError, match="you do not have permission to write to it"):
        write(old)
    facts = list(os.statvfs(old))
    facts[8] |= os.ST_RDONLY  # f_flag
    monkeypatch.setattr(os, "statvfs", lambda _: os.statvfs_result(facts))
    with pytest.raises(FileError, match="its file system is read-only: use -o"):
        write(old)
    assert_untouched(old)


def changed_content(old: Path) -> None:
    old.write_bytes(b"what another program has written")


def changed_file(old: Path) -> None:
    other = old.with_name("other")
    other.write_bytes(OLD)
    other.replace(old)


def changed_in_size_alone(old: Path) -> None:
    modified = old.stat().st_mtime_ns
    old.write_bytes(OLD + b"!")
    os.utime(old, ns=(modified, modified))


def changed_in_time_alone(old: Path) -> None:
    modified = old.stat().st_mtime_ns
    old.write_bytes(OLD[::-1])
    os.utime(old, ns=(modified, modified + 1_000_000_000))


CHANGES = [changed_content, changed_file, changed_in_size_alone, changed_in_time_alone, Path.unlink]


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_was_changed_meanwhile_is_left_as_it_is(change: Callable[[Path], None], old: Path) -> None:
    there = []

    def overtaken() -> None:
        with replacing(str(old), read=snapshot(Way(str(old)))) as file:
            file.write(NEW)
            change(old)
            there.append(contents(old))

    with pytest.raises(FileError, match="another program changed it"):
        overtaken()
    assert contents(old) == there[0]
    assert list(old.parent.iterdir()) == [old] * old.exists()


def contents(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def test_a_file_that_is_the_one_that_was_read_is_replaced(old: Path) -> None:
    with replacing(str(old), read=snapshot(Way(str(old)))) as file:
        file.write(NEW)
    assert old.read_bytes() == NEW


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="paths of open files are not links here")
def test_a_file_that_was_read_is_replaced_even_if_its_path_is_that_of_an_open_file(old: Path) -> None:
    with old.open("r+b") as file:
        path = f"/proc/self/fd/{file.fileno()}"
        with replacing(path, read=snapshot(Way(os.path.realpath(path)))) as new:
            new.write(b"new")
        assert file.read() == OLD
    assert old.read_bytes() == b"new"


def test_a_new_file_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "new"
    with replacing(str(path), new=True) as file:
        file.write(NEW)
        assert not path.exists()
    assert path.read_bytes() == NEW
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_replaces_none(old: Path) -> None:
    with pytest.raises(FileError, match="this file already exists"), replacing(str(old), new=True):
        pytest.fail("there is a file")
    assert_untouched(old)


def test_two_runs_never_write_the_same_new_file(tmp_path: Path) -> None:
    path = tmp_path / "new"
    with replacing(str(path), new=True) as file:
        file.write(NEW)
        busy = "another run is writing to it at the same time: try again later"
        with pytest.raises(FileError, match=busy), replacing(str(path), new=True):
            pytest.fail("the other run is not done")
    assert path.read_bytes() == NEW
    assert list(tmp_path.iterdir()) == [path]


def test_of_what_cannot_be_seen_there_is_no_snapshot(tmp_path: Path) -> None:
    assert snapshot(Way(str(tmp_path / "missing"))) is None


@pytest.mark.parametrize("name", ["x" * 255, "é" * 127, "😀" * 63])
def test_the_longest_names_are_written(name: str, tmp_path: Path) -> None:
    write(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


class BrokenError(Exception):
    """What goes wrong in the middle."""


@pytest.mark.parametrize("error", [BrokenError, KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("written", [b"", NEW, NEW * 100_000], ids=["nothing", "little", "much"])
def test_an_error_half_way(error: type[BaseException], written: bytes, old: Path) -> None:
    def half_way() -> None:
        with replacing(str(old)) as file:
            file.write(written)
            raise error

    with pytest.raises(error):
        half_way()
    assert_untouched(old)


CALLS = ["open", "chmod", "fsync", "replace"]


@pytest.mark.parametrize("call", CALLS)
def test_a_system_call_that_fails(call: str, old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any, **__: Any) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, call, failing)
    with pytest.raises(FileError, match=r"file\.txt: Input/output error"):
        write(old)
    monkeypatch.undo()
    assert_untouched(old)


class TestBackup:
    def test_the_old_file_is_kept(self, old: Path) -> None:
        number = old.stat().st_ino
        write(old, backup_suffix=".old")
        kept = old.with_name("file.txt.old")
        assert (old.read_bytes(), kept.read_bytes(), kept.stat().st_ino) == (NEW, OLD, number)
        assert len(list(old.parent.iterdir())) == 2

    def test_as_a_copy_where_there_are_no_hard_links(self, old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refusing(*_: Any) -> None:
            raise OSError(95, "Operation not supported")

        monkeypatch.setattr(os, "link", refusing)
        old.chmod(0o640)
        write(old, backup_suffix=".old")
        kept = old.with_name("file.txt.old")
        assert (old.read_bytes(), kept.read_bytes(), stat.S_IMODE(kept.stat().st_mode)) == (NEW, OLD, 0o640)

    def test_a_copy_is_on_the_disk_before_it_has_its_name(self, old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        sync, exchange = os.fsync, os.replace
        synced: dict[int, int] = {}
        named: list[int | None] = []

        def noted(descriptor: int) -> None:
            sync(descriptor)
            status = os.fstat(descriptor)
            synced[status.st_ino] = status.st_size

        def exchanged(source: str, target: str) -> None:
            named.append(synced.get(os.stat(source).st_ino))
            exchange(source, target)

        def refusing(*_: Any) -> None:
            raise OSError(95, "Operation not supported")

        for name, call in (("fsync", noted), ("replace", exchanged), ("link", refusing)):
            monkeypatch.setattr(os, name, call)
        write(old, backup_suffix=".old")
        assert named == [len(OLD), len(NEW)]
        assert (old.read_bytes(), old.with_name("file.txt.old").read_bytes()) == (NEW, OLD)

    def test_a_run_that_was_killed_before_the_exchange_is_made_up_for(self, old: Path) -> None:
        kept = old.with_name("file.txt.old")
        os.link(old, kept)
        write(old, backup_suffix=".old")
        assert (old.read_bytes(), kept.read_bytes()) == (NEW, OLD)

    @pytest.mark.parametrize("has_links", [True, False], ids=["hard link", "copy"])
    def test_it_outlives_a_signal_just_after_the_exchange(
        self, has_links: bool, old: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        exchange = os.replace

        def stopped(source: str, target: str) -> None:
            exchange(source, target)
            if target == os.path.realpath(old):
                raise KeyboardInterrupt

        def refusing(*_: Any) -> None:
            raise OSError(95, "Operation not supported")

        monkeypatch.setattr(os, "replace", stopped)
        if not has_links:
            monkeypatch.setattr(os, "link", refusing)
        with pytest.raises(KeyboardInterrupt):
            write(old, backup_suffix=".old")
        assert (old.read_bytes(), old.with_name("file.txt.old").read_bytes()) == (NEW, OLD)

    def test_nobody_else_can_read_a_copy_while_it_is_made(self, old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        modes: list[int] = []

        def refusing(*_: Any) -> None:
            raise OSError(95, "Operation not supported")

        def copied(source: Any, target: Any) -> None:
            modes.append(stat.S_IMODE(os.fstat(target.fileno()).st_mode))
            target.write(source.read())

        monkeypatch.setattr(os, "link", refusing)
        monkeypatch.setattr("shutil.copyfileobj", copied)
        write(old, backup_suffix=".old")
        assert modes == [0o600]
        assert old.with_name("file.txt.old").read_bytes() == OLD

    @pytest.mark.parametrize("kind", ["file", "broken link"])
    def test_what_is_there_is_not_overwritten(self, kind: str, old: Path) -> None:
        kept = old.with_name("file.txt.old")
        if kind == "file":
            kept.write_bytes(b"older")
        else:
            kept.symlink_to("nowhere")
        with pytest.raises(FileError, match="the backup already exists"):
            write(old, backup_suffix=".old")
        assert old.read_bytes() == OLD
        assert kept.read_bytes() == b"older" if kind == "file" else kept.is_symlink()
        assert len(list(old.parent.iterdir())) == 2

    @pytest.mark.parametrize("call", ["replace", "link and copy"])
    def test_an_error_leaves_no_backup(self, call: str, old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def failing(source: Any, target: Any, **_: Any) -> None:
            if call != "replace" and not isinstance(target, str):
                target.write(b"half")
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace" if call == "replace" else "link", failing)
        if call != "replace":
            monkeypatch.setattr("shutil.copyfileobj", failing)
        with pytest.raises(FileError, match="No space left on device"):
            write(old, backup_suffix=".old")
        monkeypatch.undo()
        assert_untouched(old)

    def test_of_a_new_file_there_is_none(self, tmp_path: Path) -> None:
        write(tmp_path / "new", backup_suffix=".old")
        assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="Is a directory"):
        write(tmp_path)


@needs_users
def test_a_folder_that_cannot_be_written_to() -> None:
    with tempfile.TemporaryDirectory() as name:
        old = Path(name) / "file.txt"
        old.write_bytes(OLD)
        old.chmod(0o666)
        old.parent.chmod(0o555)
        with unprivileged(), pytest.raises(FileError, match="Permission denied"):
            write(old)
        assert_untouched(old)
        old.parent.chmod(0o755)


def limited_to(size: int) -> Any:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("arguments", [["--in-place"], ["-o", "file.txt"], ["--in-place", "--backup", ".old"]])
def test_a_file_that_grows_too_large(arguments: list[str], tmp_path: Path) -> None:
    old = tmp_path / "file.txt"
    content = b"x" * 50_000
    old.write_bytes(content)
    line = ("convert", "-t", "utf-16-le", *arguments, "file.txt")
    without_bytecode = {**ENVIRONMENT, "PYTHONDONTWRITEBYTECODE": "1"}  # which would be cut short
    done = run(*line, cwd=tmp_path, env=without_bytecode, preexec_fn=limited_to(70_000))
    assert (done.returncode, done.stderr) == (2, b"eightfold: file.txt: File too large\n")
    assert old.read_bytes() == content
    assert list(tmp_path.iterdir()) == [old]


@pytest.mark.parametrize("arguments", [["--in-place"], ["-o", "file.txt"], ["--in-place", "--verify"]])
def test_a_fault_after_the_first_chunks(arguments: list[str], tmp_path: Path) -> None:
    old = tmp_path / "file.txt"
    content = b"x" * 150_000 + b"\xff"
    old.write_bytes(content)
    done = run("convert", "-t", "utf-16-le", *arguments, "file.txt", cwd=tmp_path)
    assert done.returncode == 1
    assert old.read_bytes() == content
    assert list(tmp_path.iterdir()) == [old]


def test_a_failed_conversion_makes_no_new_file(tmp_path: Path) -> None:
    assert run("convert", "-t", "utf-16", "-o", "new", cwd=tmp_path, input=b"\xff").returncode == 1
    assert list(tmp_path.iterdir()) == []


def test_two_writers_never_mix(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    line = command("convert", "-t", "utf-8", "-o", str(target))
    contents = [bytes([letter]) * 100_000 for letter in b"ab"]
    writers = [subprocess.Popen(line, stdin=subprocess.PIPE, env=ENVIRONMENT) for _ in contents]
    for writer, content in zip(writers, contents, strict=True):
        writer.communicate(content, timeout=PATIENCE)
    assert target.read_bytes() in contents
    assert [writer.returncode for writer in writers] == [0, 0]
    assert list(tmp_path.iterdir()) == [target]
