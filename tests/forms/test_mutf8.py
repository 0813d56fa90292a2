"""Strings with their length before them: the layout, the limit, streams that give or take a little at a time."""

import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold.mutf8 import LARGEST_COUNT, read_utf, write_utf


class RawStream(io.RawIOBase):
    """A raw stream that gives and takes at most a few bytes at a time."""

    def __init__(self, data: bytes = b"", *, most: int = 1) -> None:
        self.data = bytearray(data)
        self.most = most

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        count = min(self.most, len(buffer), len(self.data))
        buffer[:count] = self.data[:count]
        del self.data[:count]
        return count

    def write(self, data) -> int:
        self.data += data[: self.most]
        return min(self.most, len(data))


class StreamThatDoesNotBlock(RawStream):
    def readinto(self, buffer) -> None:
        return None

    def write(self, data) -> None:
        return None


def written(text: str) -> bytes:
    stream = io.BytesIO()
    write_utf(stream, text)
    return stream.getvalue()


class TestLayout:
    @pytest.mark.parametrize(
        ("text", "data"),
        [
            ("", "00 00"),
            ("a", "00 01 61"),
            ("\0", "00 02 C0 80"),
            ("é", "00 02 C3 A9"),
            ("\uffff", "00 03 EF BF BF"),
            ("\ud800", "00 03 ED A0 80"),
            ("\U0001f600", "00 06 ED A0 BD ED B8 80"),
            ("a" * 0x102, "01 02" + " 61" * 0x102),
        ],
    )
    def test_two_bytes_count_the_bytes_that_follow(self, text, data):
        assert written(text) == bytes.fromhex(data)
        assert read_utf(io.BytesIO(bytes.fromhex(data))) == text

    @given(st.lists(st.text(st.characters(exclude_categories=()), max_size=50)))
    def test_strings_one_after_the_other(self, texts):
        stream = io.BytesIO(b"".join(map(written, texts)))
        units = [text.encode("utf-16-le", "surrogatepass") for text in texts]
        assert [read_utf(stream).encode("utf-16-le", "surrogatepass") for _ in texts] == units
        assert stream.read() == b""

    def test_reading_stops_after_the_string(self):
        stream = io.BytesIO(b"\x00\x01a\x00")
        assert read_utf(stream) == "a"
        assert stream.tell() == 3


class TestLimit:
    @pytest.mark.parametrize("text", ["a" * 65535, "\0" * 32767 + "a", "\uffff" * 21845])
    def test_at_the_limit(self, text):
        data = written(text)
        assert data[:2] == b"\xff\xff"
        assert len(data) == 2 + LARGEST_COUNT
        assert read_utf(io.BytesIO(data)) == text

    @pytest.mark.parametrize(
        ("text", "size"), [("a" * 65536, "65536"), ("\0" * 32768, "65536"), ("a" * 200_000, "200000")]
    )
    def test_above_the_limit_nothing_is_written(self, text, size):
        stream = io.BytesIO()
        with pytest.raises(ValueError, match=f"{size} bytes.*maximum is 65535"):
            write_utf(stream, text)
        assert stream.getvalue() == b""

    def test_a_text_that_is_no_str_writes_nothing(self):
        stream = io.BytesIO()
        with pytest.raises(TypeError):
            write_utf(stream, b"a")
        assert stream.getvalue() == b""


class TestStreams:
    @pytest.mark.parametrize("most", [1, 2, 3, 7, 4096])
    def test_short_reads_and_writes(self, most):
        text = "".join(random.Random(most).choices("a\0é\uffff\U0001f600", k=1000))
        sink = RawStream(most=most)
        write_utf(sink, text)
        assert bytes(sink.data) == written(text)
        assert read_utf(RawStream(sink.data, most=most)) == text

    def test_short_reads_take_nothing_of_what_follows(self):
        stream = RawStream(written("abcd") + written("e"), most=3)
        assert [read_utf(stream), read_utf(stream)] == ["abcd", "e"]

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"", "expected 2 bytes, but the stream ended after 0"),
            (b"\x00", "expected 2 bytes, but the stream ended after 1"),
            (b"\x00\x05", "expected 5 bytes, but the stream ended after 0"),
            (b"\x00\x05abcd", "expected 5 bytes, but the stream ended after 4"),
            (b"\xff\xffab", "expected 65535 bytes, but the stream ended after 2"),
        ],
    )
    @pytest.mark.parametrize("stream", [io.BytesIO, RawStream])
    def test_a_stream_that_ends_too_early(self, stream, data, message):
        with pytest.raises(EOFError, match=message):
            read_utf(stream(data))

    def test_streams_that_do_not_block(self):
        with pytest.raises(BlockingIOError):
            read_utf(StreamThatDoesNotBlock())
        with pytest.raises(BlockingIOError):
            write_utf(StreamThatDoesNotBlock(), "a")

    def test_what_is_no_binary_stream_is_refused_before_anything_is_read(self):
        text = io.StringIO("\0\1a")
        for wrong, why in ((text, "open the file in binary mode$"), (b"\0\1a", "no method 'read'$")):
            with pytest.raises(TypeError, match=rf"^a binary stream is required, not {type(wrong).__name__}.*{why}"):
                read_utf(wrong)
        for wrong, why in ((text, "open the file in binary mode$"), (bytearray(), "no method 'write'$")):
            with pytest.raises(TypeError, match=rf"^a binary stream is required, not {type(wrong).__name__}.*{why}"):
                write_utf(wrong, "a")
        assert (text.tell(), text.getvalue()) == (0, "\0\1a")

    def test_a_file(self, tmp_path):
        with (tmp_path / "strings").open("w+b", buffering=0) as file:
            write_utf(file, "é")
            file.seek(0)
            assert read_utf(file) == "é"


class TestErrors:
    @pytest.mark.parametrize(("data", "text"), [("00", "\0"), ("C0 AF", "/"), ("E0 80 AF", "/"), ("C3 A9", "é")])
    def test_java_takes_what_javas_reader_takes(self, data, text):
        content = bytes.fromhex(data)
        assert read_utf(io.BytesIO(len(content).to_bytes(2, "big") + content), errors="java") == text

    @pytest.mark.parametrize(("data", "kind"), [("00", "raw-nul"), ("C0 AF", "overlong"), ("F0 9F 98 80", "four-byte")])
    def test_strict_is_the_default(self, data, kind):
        content = b"a" + bytes.fromhex(data)
        with pytest.raises(eightfold.DecodeError) as raised:
            read_utf(io.BytesIO(len(content).to_bytes(2, "big") + content))
        assert (raised.value.start, raised.value.fault.kind) == (1, kind)
        assert raised.value.object == content

    def test_the_end_of_the_string_cuts_a_sequence_short(self):
        with pytest.raises(eightfold.DecodeError):
            read_utf(io.BytesIO(b"\x00\x01\xc3\xa9"))

    @pytest.mark.parametrize("errors", ["nonsense", "escape"])
    def test_an_unknown_policy_reads_nothing(self, errors):
        stream = io.BytesIO(b"\x00\x01a")
        with pytest.raises(LookupError):
            read_utf(stream, errors=errors)
        assert stream.tell() == 0

    def test_errors_is_a_keyword(self):
        with pytest.raises(TypeError):
            read_utf(io.BytesIO(b"\x00\x01a"), "strict")
