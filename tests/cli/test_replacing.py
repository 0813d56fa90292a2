"""The target of a job that replaces its file: opened where the result differs, with what both have in common."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold.cli.work import replacing
from eightfold.cli.work.jobs import Job
from eightfold.cli.work.replacing import Target
from eightfold.cli.work.sinks import before
from eightfold.files import FileError

PIECES = st.lists(st.tuples(st.binary(max_size=3), st.binary(max_size=3)), max_size=6)
SAME = st.lists(st.binary(max_size=3), max_size=6)


def job_on(path: Path) -> Job:
    return Job(str(path), str(path), in_place=True)


def replaced(path: Path, pieces: list[tuple[bytes, bytes]], *, ends: bool) -> None:
    job = job_on(path)
    with Target(job, before(job), waits=True) as target, job.opened(twice=False) as source:
        for chunk, result in pieces:
            target.take(source, chunk, result)
        if ends:
            target.file(source)


@given(SAME, PIECES)
def test_the_file_becomes_its_result_however_much_they_have_in_common(
    tmp_path_factory: pytest.TempPathFactory, same: list[bytes], more: list[tuple[bytes, bytes]]
) -> None:
    path = tmp_path_factory.mktemp("replaced") / "file"
    pieces = [*((each, each) for each in same), *more]
    path.write_bytes(b"".join(chunk for chunk, _ in pieces))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replacing, "CHUNK_BYTES", 2)
        replaced(path, pieces, ends=True)
    assert path.read_bytes() == b"".join(result for _, result in pieces)
    assert len(list(path.parent.iterdir())) == 1


def test_a_result_that_comes_late_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"abcdef")
    monkeypatch.setattr(replacing, "sink", None)
    replaced(tmp_path / "file", [(b"abc", b"a"), (b"d", b"bcd"), (b"ef", b""), (b"", b"ef")], ends=False)
    assert (tmp_path / "file").read_bytes() == b"abcdef"


def test_what_a_result_falls_behind_by_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(4_000))
    monkeypatch.setattr(replacing, "CHUNK_BYTES", 100)
    job = job_on(path)
    with Target(job, before(job), waits=True) as target, job.opened(twice=False) as source:
        opened = [target.take(source, bytes(4), bytes(1)) or target._file is not None for _ in range(1_000)]
    assert opened.index(True) == 34
    assert path.read_bytes() == bytes(1_000)


def test_what_was_changed_before_it_is_read_again_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abcdef")
    job = job_on(path)
    with Target(job, None, waits=True) as target, job.opened(twice=False) as source:
        target.take(source, b"abc", b"abc")
        path.write_bytes(b"abXdef")
        with pytest.raises(FileError, match="another program changed it") as error:
            target.take(source, b"def", b"DEF")
        target.__exit__(type(error.value), error.value, None)
    assert path.read_bytes() == b"abXdef"
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_replaced_as_a_whole_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.gz"
    path.write_bytes(b"")
    job = job_on(path)
    with pytest.raises(FileError, match="a compressed file cannot be replaced"), Target(job, None, waits=True):
        raise AssertionError("it is refused")
