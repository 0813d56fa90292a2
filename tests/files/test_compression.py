"""Compressed files: what is in them, whatever the pieces; cut short, broken, followed by other things; written."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
from collections import deque
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold.files import FileError
from eightfold.files.paths.addresses import PACKED
from eightfold.files.read.compression import packing, unpacked
from eightfold.files.read.reading import Source, opened
from support.trees import content_read

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1}),
}
CONTENT = os.urandom(100_000) + b"hello\n" * 300_000

each_ending = pytest.mark.parametrize("ending", PACKED)


def content(ending: str, data: bytes, length: int = 1 << 16) -> bytes:
    with closing(unpacked(f"file{ending}", io.BytesIO(data), length)) as file:
        return file.read()


def test_every_ending_is_tested() -> None:
    assert tuple(COMPRESS) == PACKED


@each_ending
@pytest.mark.parametrize("data", [b"", b"a", CONTENT], ids=["empty", "one byte", "much"])
def test_what_others_compress_is_read(ending: str, data: bytes) -> None:
    assert content(ending, COMPRESS[ending](data)) == data


@each_ending
def test_all_that_is_read_is_counted_and_places_may_be_relative(ending: str) -> None:
    packed = COMPRESS[ending](os.urandom(300_000))
    with closing(unpacked(f"file{ending}", io.BytesIO(packed), 1).detach()) as raw:
        assert [raw.seek(2), raw.seek(3, os.SEEK_CUR), raw.seek(-1, os.SEEK_CUR), raw.tell()] == [2, 5, 4, 4]
        assert len(raw.read()) == 300_000 - 4
    with closing(unpacked(f"file{ending}", io.BytesIO(packed), 1).detach()) as raw:
        raw.read()
        assert raw.consumed == len(packed)


def test_what_is_written_with_zstd_has_a_checksum() -> None:
    file = io.BytesIO()
    with packing("file.zst", file) as writer:
        writer.write(b"content")
    assert file.getvalue()[4] & 4  # the flag of the frame: RFC 8878, section 3.1.1.1.1


@each_ending
@pytest.mark.parametrize("zeros", [0, 4, 512, 200_000])
def test_several_behind_each_other_are_one_and_zeros_may_follow(ending: str, zeros: int) -> None:
    packed = COMPRESS[ending](b"first, ") + bytes(zeros) + COMPRESS[ending](b"second") + bytes(zeros)
    assert content(ending, packed) == b"first, second"


@each_ending
def test_every_cut_is_an_error_that_says_where(ending: str) -> None:
    packed = COMPRESS[ending](b"one line\n" * 20)
    for end in range(len(packed)):
        with pytest.raises(OSError, match=r"data is truncated after byte \d+ of the decompressed data"):
            content(ending, packed[:end])


@each_ending
def test_what_could_be_read_before_an_error_is_read(ending: str) -> None:
    packed = COMPRESS[ending](CONTENT)
    file = unpacked(f"file{ending}", io.BytesIO(packed[: len(packed) - 6]), 1000)
    pieces: list[bytes] = []
    with closing(file), pytest.raises(OSError, match="truncated after byte") as raised:
        pieces.extend(iter(lambda: file.read1(1000), b""))
    found = b"".join(pieces)
    assert CONTENT.startswith(found)
    assert f"after byte {len(found)} of" in str(raised.value)


@each_ending
def test_before_an_error_as_much_is_read_in_small_pieces_as_in_large_ones(ending: str) -> None:
    packed = COMPRESS[ending](bytes(300_000))
    found = set()
    for length in (100, 1000, 1 << 20):
        file = unpacked(f"file{ending}", io.BytesIO(packed[: len(packed) * 2 // 3]), length)
        with closing(file), pytest.raises(OSError, match="truncated after byte") as raised:
            deque(iter(partial(file.read1, length), b""), maxlen=0)
        found.add(str(raised.value))
    assert len(found) == 1


@each_ending
@pytest.mark.parametrize("behind", [b"x" * 100, b"\0\0x" + b"y" * 100])
def test_what_follows_and_is_not_compressed_is_an_error(ending: str, behind: bytes) -> None:
    with pytest.raises(OSError, match="after byte 5 of the decompressed data"):
        content(ending, COMPRESS[ending](b"hello") + behind)


@each_ending
def test_a_byte_that_was_changed_is_seen(ending: str) -> None:
    packed = bytearray(COMPRESS[ending](os.urandom(50_000)))
    packed[25_000] ^= 0x10
    with pytest.raises(OSError, match=r"data is (corrupt|truncated) after byte \d+ of the decompressed data"):
        content(ending, bytes(packed))


@each_ending
def test_going_back_is_to_begin_again(ending: str) -> None:
    with closing(unpacked(f"file{ending}", io.BytesIO(COMPRESS[ending](CONTENT)), 100)) as file:
        for start in (100_000, 3, 0, 99_999, len(CONTENT) - 2, 50_000):
            file.seek(start)
            assert file.tell() == start
            assert file.read(10) == CONTENT[start : start + 10]


@given(st.sampled_from(PACKED), st.lists(st.binary(max_size=300), max_size=4), st.integers(1, 50))
def test_what_is_written_is_read_whatever_the_pieces(ending: str, pieces: list[bytes], length: int) -> None:
    target = io.BytesIO()
    with packing(f"file{ending}", target) as file:
        for piece in pieces:
            file.write(piece)
    with closing(unpacked(f"file{ending}", io.BytesIO(target.getvalue()), length)) as source:
        assert b"".join(iter(lambda: source.read1(length), b"")) == b"".join(pieces)


@each_ending
def test_the_same_content_is_the_same_file(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def written(now: float) -> bytes:
        monkeypatch.setattr("time.time", lambda: now)
        target = io.BytesIO()
        with packing(f"file{ending}", target) as file:
            file.write(b"content")
        return target.getvalue()

    assert written(1.0) == written(1e9)


@each_ending
def test_memory_does_not_grow_with_what_is_in_it(ending: str) -> None:
    import tracemalloc

    packed = COMPRESS[ending](bytes(64 << 20))
    tracemalloc.start()
    try:
        with closing(unpacked(f"file{ending}", io.BytesIO(packed), 1 << 16)) as file:
            assert sum(map(len, iter(lambda: file.read1(1 << 16), b""))) == 64 << 20
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 24 << 20


@each_ending
def test_a_name_decides_where_that_is_asked_for(ending: str, tmp_path: Path) -> None:
    packed = COMPRESS[ending](b"content")
    (tmp_path / f"file{ending.upper()}").write_bytes(packed)
    path = str(tmp_path / f"file{ending.upper()}")
    for unpack, expected in ((True, b"content"), (False, packed)):
        assert content_read(path, unpack=unpack) == expected


@each_ending
@pytest.mark.parametrize("twice", [False, True])
def test_a_compressed_file_is_rewound_and_looked_into(ending: str, twice: bool, tmp_path: Path) -> None:
    (tmp_path / f"file{ending}").write_bytes(COMPRESS[ending](CONTENT))
    with opened(str(tmp_path / f"file{ending}"), unpack=True, twice=twice) as source:
        assert source.head(10) == CONTENT[:10]
        assert CONTENT.startswith(next(source.pieces(1000))[0])
        assert source.window(100_000, 5) == b"hello"
        source.rewind()
        assert b"".join(chunk for chunk, _ in source.pieces()) == CONTENT


class Pipe(io.BytesIO):
    """A compressed file that comes through a pipe."""

    def seekable(self) -> bool:
        """Return False."""
        return False


@each_ending
@pytest.mark.parametrize("file", [io.BytesIO, Pipe])
def test_looking_ahead_loses_nothing_before_an_error(ending: str, file: type[io.BytesIO]) -> None:
    data = COMPRESS[ending](b"one line\n") + b"something else"
    with closing(unpacked(f"file{ending}", file(data), 1000)) as read:
        source, found = Source("file", read), []
        assert source.head(1000) == b"one line\n"
        with pytest.raises(FileError, match=r"^file: its .* after byte 9 of the decompressed data"):
            found.extend(chunk for chunk, _ in source.pieces())
        with pytest.raises(FileError, match="after byte 9"):
            source.head(1000) if file is Pipe else next(source.pieces())
    assert found == [b"one line\n"]


@each_ending
def test_a_broken_one_is_blamed(ending: str, tmp_path: Path) -> None:
    (tmp_path / f"file{ending}").write_bytes(b"no such thing as that")
    path = str(tmp_path / f"file{ending}")
    for twice in (False, True):
        with pytest.raises(FileError, match="after byte 0 of the decompressed data") as raised:
            content_read(path, unpack=True, twice=twice)
        assert raised.value.path == path


def test_the_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    in_library = r"this Python was built without support for \.zst \(import of compression\.zstd"
    expected = in_library if sys.version_info >= (3, 14) else "it is compressed with zstd; to read it: .*zstd"
    with pytest.raises(FileError, match=rf"^a\.zst: {expected}"):
        unpacked("a.zst", io.BytesIO(b""), 10)


def test_a_module_that_python_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lzma", None)
    with pytest.raises(FileError, match=r"^a\.xz: this Python was built without support for \.xz"):
        unpacked("a.xz", io.BytesIO(b""), 10)
