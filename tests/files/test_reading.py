"""Reading in chunks: files, pipes, and what goes wrong with them."""

from __future__ import annotations

import copy
import io
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eightfold.files import FileError
from eightfold.files.read import reading
from eightfold.files.read.places import LineAndColumn, place_of
from eightfold.files.read.reading import CHUNK_BYTES, opened
from eightfold.forms import form
from support.trees import content_read

Become = Callable[[io.BufferedIOBase], None]


@pytest.mark.parametrize("size", [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES])
def test_a_file_comes_in_chunks_and_one_end(size: int, tmp_path: Path) -> None:
    data = os.urandom(size)
    (tmp_path / "file").write_bytes(data)
    with opened(str(tmp_path / "file")) as source:
        pieces = list(source.pieces())
    assert b"".join(chunk for chunk, _ in pieces) == data
    assert all(0 < len(chunk) <= CHUNK_BYTES and not final for chunk, final in pieces[:-1])
    assert pieces[-1] == (b"", True)


def test_a_file_is_rewound(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    with opened(str(tmp_path / "file")) as source:
        assert next(source.pieces()) == (b"content", False)
        source.rewind()
        assert next(source.pieces()) == (b"content", False)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_is_copied_and_pickled(copied: Callable[[FileError], FileError]) -> None:
    error = FileError("caf\udce9", "No such file or directory")
    error.add_note("a note")
    made = copied(error)
    assert (made.path, made.reason, made.__notes__) == (error.path, error.reason, ["a note"])
    assert str(made) == str(error)


@pytest.fixture
def standard_input(monkeypatch: pytest.MonkeyPatch) -> Iterator[Become]:
    streams = []

    def become(raw: io.BufferedIOBase) -> None:
        streams.append(io.TextIOWrapper(raw))
        monkeypatch.setattr(sys, "stdin", streams[-1])

    yield become
    for stream in streams:
        stream.close()


def test_standard_input_is_read_from_where_it_is_and_stays_open(standard_input: Become) -> None:
    stream = io.BytesIO(b"read: content")
    stream.seek(6)
    standard_input(stream)
    with opened("-", twice=True) as source:
        assert next(source.pieces()) == (b"content", False)
        source.rewind()
        assert next(source.pieces()) == (b"content", False)
    assert not stream.closed


def pipe_with(data: bytes) -> io.BufferedReader:
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    return open(reader, "rb")


def test_a_pipe_is_copied_to_be_read_twice(standard_input: Become) -> None:
    standard_input(pipe_with(b"content"))
    with opened("-", twice=True) as source:
        assert source.seekable
        assert next(source.pieces()) == (b"content", False)
        source.rewind()
        assert next(source.pieces()) == (b"content", False)


def test_a_pipe_is_not_rewound(standard_input: Become) -> None:
    standard_input(pipe_with(b"content"))
    with opened("-") as source:
        assert not source.seekable
        with pytest.raises(FileError):
            source.rewind()


@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_what_cannot_be_read_is_blamed(kind: str, tmp_path: Path) -> None:
    path = str(tmp_path if kind == "folder" else tmp_path / "missing")
    with pytest.raises(FileError) as raised:
        content_read(path)
    assert raised.value.path == path
    assert raised.value.reason == {"missing": "No such file or directory", "folder": "Is a directory"}[kind]


def test_closed_standard_input_is_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(FileError, match="standard input: it is closed"):
        content_read("-")


def test_a_disk_without_room_for_the_copy_is_blamed(standard_input: Become, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", Full)
    standard_input(pipe_with(b"content"))
    with pytest.raises(FileError, match="No space left on device"):
        content_read("-", twice=True)


@pytest.mark.parametrize("chunk_bytes", [1, 2, 3, 5, 100])
def test_a_place_is_found_whatever_the_chunks(
    chunk_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "CHUNK_BYTES", chunk_bytes)
    text = "a\n\u0a0a\u0a00\nb"
    (tmp_path / "file").write_bytes(b"\xff\xfe" + text.encode("utf-16-le"))
    expected = [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (2, 6), (3, 1)]
    with opened(str(tmp_path / "file")) as source:
        found = [place_of(source, form("utf-16"), offset) for offset in range(13)]
    assert found == [LineAndColumn(*each) for each in expected]
