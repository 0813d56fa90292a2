"""Names in zips: in the central directory and before the members, declared or not, damaged or not."""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from eightfold.files import FileError
from eightfold.files.walk.listing import names_of
from eightfold.files.walk.names import ZIP, ZIP_LOCAL, ZIP_UTF_8
from support.archives import cut_or_changed, names_in, zip_of
from support.peaks import peak

BAD = b"caf\xe9"
TEXT = "café-漢"


def unicode_path(name: bytes, text: bytes) -> bytes:
    content = b"\x01" + struct.pack("<L", zlib.crc32(name)) + text
    return struct.pack("<2H", 0x5455, 1) + b"\x00" + struct.pack("<2H", 0x7075, len(content)) + content


MEMBERS = [
    ((b"plain", 0, b""), (b"plain", ZIP)),
    ((BAD, 0, b""), (BAD, ZIP)),
    ((BAD, 0xF7FF, b""), (BAD, ZIP)),
    ((BAD, 1 << 11, b""), (BAD, ZIP_UTF_8)),
    ((TEXT.encode(), 1 << 11, b""), (TEXT.encode(), ZIP_UTF_8)),
    ((b"caf\x82", 0, unicode_path(b"caf\x82", TEXT.encode())), (TEXT.encode(), ZIP_UTF_8)),
    ((b"caf\x82", 0, unicode_path(b"another", TEXT.encode())), (b"caf\x82", ZIP)),
    ((b"caf\x82", 0, unicode_path(b"caf\x82", BAD)), (BAD, ZIP_UTF_8)),
    ((b"short", 0, b"\x75\x70\xff"), (b"short", ZIP)),
]


@pytest.mark.parametrize("before", [b"", b"#!/bin/sh\n" * 9], ids=["", "after a program"])
@pytest.mark.parametrize("comment", [b"", b"no PK\x05\x06"[:5] + b"x" * 0xFFF0], ids=["", "comment"])
def test_a_zip_says_its_names_and_whether_they_are_utf_8(before: bytes, comment: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zip_of([member for member, _ in MEMBERS], before, comment))
    assert [(name.name, name.source) for name in names_in(path)] == [expected for _, expected in MEMBERS]


@pytest.mark.parametrize("before", [b"", b"#!/bin/sh\n" * 9], ids=["", "after a program"])
@pytest.mark.parametrize(
    ("extra", "expected"),
    [(b"", (b"good", ZIP)), (unicode_path(b"good", TEXT.encode()), (TEXT.encode(), ZIP_UTF_8))],
    ids=["", "declared"],
)
def test_a_name_that_differs_before_the_member_is_read_too(
    before: bytes, extra: bytes, expected: tuple[bytes, str], tmp_path: Path
) -> None:
    path = tmp_path / "a.zip"
    whole = zip_of([(b"first", 0, b""), (b"good", 0, extra)], before)
    path.write_bytes(whole.replace(b"good", b"b\xffd\n", 1))
    found = [(name.name, name.source) for name in names_in(path)]
    assert found == [(b"first", ZIP), expected, (b"b\xffd\n", ZIP_LOCAL)]


def test_a_member_that_is_not_where_the_directory_says_is_damage_but_in_a_split_zip(tmp_path: Path) -> None:
    path, whole = tmp_path / "a.zip", zip_of([(b"first", 0, b""), (b"good", 0, b"")])
    without = whole.replace(b"PK\x03\x04", b"PK\x03\x05")
    assert cut_or_changed(path, without) == [b"first"]
    path.write_bytes(without[:-18] + struct.pack("<2H", 1, 1) + without[-14:])
    assert [name.name for name in names_in(path)] == [b"first", b"good"]


@pytest.mark.parametrize("sizes", [0, 1, 2])
def test_a_member_may_be_where_an_extra_field_says(sizes: int, tmp_path: Path) -> None:
    another = struct.pack("<2HQ", 0x5455, 8, 99)
    extra = another + struct.pack("<2H", 1, 8 * (sizes + 1)) + struct.pack("<Q", 99) * sizes + struct.pack("<Q", 0)
    whole = bytearray(zip_of([(b"good", 0, extra)]))
    entry = whole.index(b"PK\x01\x02")
    for field in (*(20, 24)[:sizes], 42):
        struct.pack_into("<L", whole, entry + field, 2**32 - 1)
    path = tmp_path / "a.zip"
    path.write_bytes(whole.replace(b"good", b"b\xffd\n", 1))
    assert [name.name for name in names_in(path)] == [b"good", b"b\xffd\n"]


def test_an_extra_field_does_not_say_where_a_member_is_unless_its_entry_asks_for_that(tmp_path: Path) -> None:
    whole = zip_of([(b"good", 0, struct.pack("<2H3Q", 1, 24, 99, 99, 99))])
    (tmp_path / "a.zip").write_bytes(whole.replace(b"good", b"b\xffd\n", 1))
    assert [name.name for name in names_in(tmp_path / "a.zip")] == [b"good", b"b\xffd\n"]


def test_a_name_before_a_member_that_the_end_cuts_short_is_damage(tmp_path: Path) -> None:
    whole = bytearray(zip_of([(b"good", 0, b"")]))
    struct.pack_into("<H", whole, 26, 0xFFFF)
    assert cut_or_changed(tmp_path / "a.zip", bytes(whole)) == [b"good"]


def test_a_comment_may_be_as_long_as_its_field_can_say(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zip_of([(BAD, 0, b"")], comment=b"x" * 0xFFFF))
    assert [name.name for name in names_in(path)] == [BAD]


@pytest.mark.parametrize("name", ["a.zip", "A.ZIP"])
def test_what_is_called_a_zip_and_is_none_is_damaged(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"no zip")
    with pytest.raises(FileError, match="it has no central directory"):
        names_in(tmp_path / name)


def test_what_begins_as_a_zip_is_one_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.jar").write_bytes(zip_of([(b"a", 0, b"")])[:-22])
    with pytest.raises(FileError, match="it has no central directory"):
        names_in(tmp_path / "a.jar")


def test_what_ends_as_the_end_of_a_zip_begins_is_none(tmp_path: Path) -> None:
    (tmp_path / "notes").write_bytes(b"a zip ends with PK\x05\x06 and more")
    assert names_in(tmp_path / "notes") == []


def test_the_zips_of_the_standard_library(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    names = ["plain", TEXT, "dir/", "dir/x"]
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, b"content" * 99)
    assert [(name.name.decode(), name.source) for name in names_in(path)] == [
        (name, ZIP if name.isascii() else ZIP_UTF_8) for name in names
    ]


def test_a_zip_with_more_entries_than_its_old_end_can_count(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(70_000):
            archive.writestr(zipfile.ZipInfo(f"{number}"), b"")

    def listed() -> None:
        assert sum(1 for name in names_of(str(path), pytest.fail) if name.source == ZIP) == 70_000

    assert peak(listed, limit=1 << 20) < 1 << 20


def test_a_damaged_zip_is_told_wherever_it_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    whole = zip_of([member for member, _ in MEMBERS])
    for kept in range(len(whole)):
        path.write_bytes(whole[:kept])
        with pytest.raises(FileError, match="this archive is damaged"):
            names_in(path)
    path.write_bytes(whole.replace(b"PK\x01\x02", b"PK\x01\x03"))
    with pytest.raises(FileError, match="its central directory is not where the archive says"):
        names_in(path)


@pytest.mark.parametrize("before", [b"", b"#!/bin/sh\n" * 9], ids=["", "after a program"])
def test_an_empty_zip_in_the_comment_of_another_hides_no_names(before: bytes, tmp_path: Path) -> None:
    data = zip_of([(BAD, 0, b""), (b"b", 0, b"")], before, zip_of([]))
    assert cut_or_changed(tmp_path / "a.zip", data) == []
    data = zip_of([(BAD, 0, b"")], before, zip_of([], comment=b"end"))
    assert cut_or_changed(tmp_path / "a.zip", data) == []


def test_a_zip_may_be_empty(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zip_of([], comment=b"nothing"))
    assert names_in(tmp_path / "a.zip") == []


@pytest.mark.parametrize("at", [0, 1, 99, 2**32, 2**63 - 1, 2**63, 2**64 - 1])
def test_a_zip_whose_larger_end_record_is_nowhere(at: int, tmp_path: Path) -> None:
    whole = zip_of([(b"a", 0, b"")])
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
    assert cut_or_changed(tmp_path / "a.zip", whole[:-22] + locator + whole[-22:]) == []


@pytest.mark.parametrize("length", [0, 55, 2**32, 2**63, 2**64 - 1])
def test_a_zip_whose_larger_end_record_says_a_wrong_length(length: int, tmp_path: Path) -> None:
    whole = zip_of([(b"a", 0, b"")])
    end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, length, 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(whole) - 22, 1)
    assert cut_or_changed(tmp_path / "a.zip", whole[:-22] + end + locator + whole[-22:]) == []


@pytest.mark.parametrize("size", [0, 43, 45, 2**63, 44])
def test_a_zip_whose_larger_end_record_says_a_wrong_size_of_its_own(size: int, tmp_path: Path) -> None:
    path, whole = tmp_path / "a.zip", zip_of([(BAD, 0, b"")])
    length = len(whole) - 22 - whole.index(b"PK\x01\x02")
    end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", size, 45, 45, 0, 0, 1, 1, length, 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(whole) - 22, 1)
    data = whole[:-22] + end + locator + whole[-22:]
    if size == 44:
        path.write_bytes(data)
        assert [name.name for name in names_in(path)] == [BAD]
    else:
        assert cut_or_changed(path, data) == []


@pytest.mark.parametrize("field", [28, 30, 32], ids=["name", "extra", "comment"])
def test_a_zip_whose_last_entry_goes_on_behind_its_directory_is_damaged(field: int, tmp_path: Path) -> None:
    whole = bytearray(zip_of([(BAD, 0, b"")]))
    whole[whole.index(b"PK\x01\x02") + field] += 1
    assert cut_or_changed(tmp_path / "a.zip", bytes(whole)) == []


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_zip_that_says_too_few_entries_is_read_to_its_end(count: int, tmp_path: Path) -> None:
    whole = bytearray(zip_of([(b"a", 0, b""), (b"b", 0, b""), (BAD, 0, b"")]))
    struct.pack_into("<2H", whole, len(whole) - 14, count, count)
    path = tmp_path / "a.zip"
    path.write_bytes(whole)
    assert [name.name for name in names_in(path)] == [b"a", b"b", BAD]


def test_a_zip_that_says_too_many_entries_or_another_length_is_damaged(tmp_path: Path) -> None:
    path, whole = tmp_path / "a.zip", zip_of([(b"a", 0, b""), (BAD, 0, b"")])
    assert cut_or_changed(path, whole[:-14] + struct.pack("<2H", 3, 3) + whole[-10:]) == [b"a", BAD]
    length = struct.unpack("<L", whole[-10:-6])[0]
    for wrong in (length - 1, length + 1, 2**32 - 1):
        assert BAD not in cut_or_changed(path, whole[:-10] + struct.pack("<L", wrong) + whole[-6:])
