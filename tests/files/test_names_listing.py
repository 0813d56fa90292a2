"""Names as the bytes that they are, in folders, zips and tars, against what wrote them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from eightfold.files import FileError
from eightfold.files.walk import listing
from eightfold.files.walk.listing import names_of
from eightfold.files.walk.names import FOLDER, PAX, TAR, ZIP, ZIP_LOCAL, ZIP_UTF_8, Name
from support.peaks import peak
from support.trees import refuse_to_list

BAD = b"caf\xe9"
TEXT = "café-漢"
any_bytes = pytest.mark.skipif(sys.platform == "darwin", reason="the file system takes UTF-8 names only")


def names_in(path: Path) -> list[Name]:
    return [name for name in names_of(str(path), pytest.fail) if name.place != str(path.parent)]


def make(folder: bytes, *names: bytes) -> None:
    for name in names:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(os.fsdecode(path)).touch()


# --- folders ----------------------------------------------------------------------------------------------------------


@any_bytes
def test_what_is_in_a_folder_comes_before_it(tmp_path: Path) -> None:
    top = tmp_path / os.fsdecode(b"t\xff")
    make(os.fsencode(top), b"b\xff/c\xff/d\xff", b"a\xff", b"b\xff/z")
    found = [os.fsencode(os.path.relpath(name.path, tmp_path)) for name in names_of(str(top), pytest.fail)]
    inside = [b"t\xff/a\xff", b"t\xff/b\xff/c\xff/d\xff", b"t\xff/b\xff/c\xff", b"t\xff/b\xff/z", b"t\xff/b\xff"]
    assert found == [*inside, b"t\xff"]


@any_bytes
def test_links_are_not_followed_and_say_where_they_lead(tmp_path: Path) -> None:
    make(os.fsencode(tmp_path), b"folder/" + BAD)
    os.symlink(b"folder/" + BAD, os.fsencode(tmp_path / "link"))
    os.symlink(b".", os.fsencode(tmp_path / "round"))
    found = {name.name: name.target for name in names_of(str(tmp_path), pytest.fail)}
    assert found == {
        BAD: None,
        b"folder": None,
        os.fsencode(tmp_path.name): None,
        b"link": b"folder/" + BAD,
        b"round": b".",
    }


@pytest.mark.parametrize("given", [".", "..", "/", "./.", "sub/.."])
def test_what_has_no_name_of_its_own_is_not_named(given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(listing, "_entries", lambda folder, on_error: [])
    assert list(names_of(given, pytest.fail)) == []


def test_a_folder_that_cannot_be_listed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "open").mkdir()
    refuse_to_list("closed", monkeypatch)
    errors: list[FileError] = []
    found = [name.name for name in names_of(str(tmp_path), errors.append)]
    assert found == [b"closed", b"open", os.fsencode(tmp_path.name)]
    assert [str(error) for error in errors] == [f"{tmp_path}/closed: Permission denied"]


def test_a_deep_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folders = ["/".join("d" * depth) for depth in range(1, 1_200)]
    for folder in folders:
        os.mkdir(folder)
    assert sum(1 for _ in names_of(".", pytest.fail)) == len(folders)
    for folder in reversed(folders):
        os.rmdir(folder)


def test_a_file_is_itself_and_one_that_is_missing_is_told(tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_bytes(b"PK is not how a zip begins")
    assert [(name.name, name.source) for name in names_of(str(tmp_path / "file.txt"), pytest.fail)] == [
        (b"file.txt", FOLDER)
    ]
    with pytest.raises(FileError, match="missing: No such file or directory"):
        list(names_of(str(tmp_path / "missing"), pytest.fail))


# --- zip --------------------------------------------------------------------------------------------------------------


def zip_of(names: list[tuple[bytes, int, bytes]], before: bytes = b"", comment: bytes = b"") -> bytes:
    """Return a zip with empty members: each a name, flags, and an extra field."""
    file, entries = bytearray(before), b""
    for name, flags, extra in names:
        offset = len(file) - len(before)
        shared = struct.pack("<5H3L2H", 20, flags, 0, 0, 33, 0, 0, 0, len(name), len(extra))
        file += b"PK\x03\x04" + shared + name + extra
        entries += b"PK\x01\x02" + struct.pack("<H", 20) + shared + struct.pack("<3H2L", 3, 0, 0, 0, offset)
        entries += name + extra + b"mem"
    start = len(file) - len(before)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, len(names), len(names), len(entries), start, len(comment))
    return bytes(file + entries + end + comment)


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
def test_a_name_that_differs_before_the_member_is_read_too(before: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    whole = zip_of([(b"first", 0, b""), (b"good", 0, b"")], before)
    path.write_bytes(whole.replace(b"good", b"b\xffd\n", 1))
    found = [(name.name, name.source) for name in names_in(path)]
    assert found == [(b"first", ZIP), (b"good", ZIP), (b"b\xffd\n", ZIP_LOCAL)]


def test_a_member_that_is_not_where_the_directory_says_is_damage_but_in_a_split_zip(tmp_path: Path) -> None:
    path, whole = tmp_path / "a.zip", zip_of([(b"first", 0, b""), (b"good", 0, b"")])
    without = whole.replace(b"PK\x03\x04", b"PK\x03\x05")
    assert cut_or_changed(path, without) == [b"first"]
    path.write_bytes(without[:-18] + struct.pack("<2H", 1, 1) + without[-14:])
    assert [name.name for name in names_in(path)] == [b"first", b"good"]


@pytest.mark.parametrize("sizes", [0, 1, 2])
def test_a_member_may_be_where_an_extra_field_says(sizes: int, tmp_path: Path) -> None:
    extra = struct.pack("<2H", 1, 8 * (sizes + 1)) + bytes(8 * sizes) + struct.pack("<Q", 0)
    whole = bytearray(zip_of([(b"good", 0, extra)]))
    entry = whole.index(b"PK\x01\x02")
    for field in (*(20, 24)[:sizes], 42):
        struct.pack_into("<L", whole, entry + field, 2**32 - 1)
    path = tmp_path / "a.zip"
    path.write_bytes(whole.replace(b"good", b"b\xffd\n", 1))
    assert [name.name for name in names_in(path)] == [b"good", b"b\xffd\n"]


def test_a_comment_may_be_as_long_as_its_field_can_say(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zip_of([(BAD, 0, b"")], comment=b"x" * 0xFFFF))
    assert [name.name for name in names_in(path)] == [BAD]


@pytest.mark.parametrize("name", ["a.zip", "A.ZIP"])
def test_what_is_called_a_zip_and_is_none_is_damaged(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"no zip")
    with pytest.raises(FileError, match="it has no central directory"):
        names_in(tmp_path / name)


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


def cut_or_changed(path: Path, data: bytes) -> list[bytes]:
    """Return the names of members that are read before the archive turns out to be damaged."""
    path.write_bytes(data)
    found: list[Name] = []
    with pytest.raises(FileError, match="this archive is damaged"):
        # What came before the error stays.
        found.extend(names_of(str(path), pytest.fail))
    *members, own = (name.name for name in found)
    assert own == os.fsencode(path.name)
    return members


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


# --- tar --------------------------------------------------------------------------------------------------------------


def tar_of(names: list[bytes], format: int, mode: str = "w") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode, format=format, encoding="utf-8", errors="surrogateescape") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(name.decode("utf-8", "surrogateescape")))
    return file.getvalue()


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize("format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT], ids=["ustar", "gnu"])
def test_a_tar_has_names_in_its_headers(format: int, mode: str, tmp_path: Path) -> None:
    names = [b"plain", BAD, TEXT.encode(), b"dir/" + BAD, b"long" * 20 + b"/" + BAD * 12]
    path = tmp_path / "a.tar"
    path.write_bytes(tar_of(names, format, mode))
    assert [(name.name, name.source) for name in names_in(path)] == [(name, TAR) for name in names]


def test_a_record_of_pax_goes_before_the_header(tmp_path: Path) -> None:
    def pax_member(name: bytes) -> bytes:
        content = b" path=" + name + b"\n"
        length = len(content) + 2
        data = b"%d%s" % (length, content)
        info = tarfile.TarInfo("pax")
        info.type, info.size = tarfile.XHDTYPE, len(data)
        record = info.tobuf(tarfile.USTAR_FORMAT) + data.ljust(512, b"\0")
        return record + tarfile.TarInfo("instead").tobuf(tarfile.USTAR_FORMAT)

    path = tmp_path / "a.tar"
    path.write_bytes(pax_member(TEXT.encode()) + pax_member(BAD) + bytes(1024))
    assert [(name.name, name.source) for name in names_in(path)] == [(TEXT.encode(), PAX), (BAD, PAX)]


def test_a_link_in_a_tar_says_where_it_leads(tmp_path: Path) -> None:
    info = tarfile.TarInfo("link")
    info.type, info.linkname = tarfile.SYMTYPE, os.fsdecode(BAD)
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w", encoding="utf-8", errors="surrogateescape") as archive:
        archive.addfile(info)
    assert names_in(path) == [Name(str(path), b"link", TAR, BAD)]


def test_a_damaged_tar_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    whole = tar_of([b"%d" % number for number in range(3000)], tarfile.USTAR_FORMAT, "w:gz")
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match="this archive is damaged"):
        names_in(path)


def test_memory_does_not_grow_with_a_tar(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"

    def listing(count: int) -> Callable[[], None]:
        path.write_bytes(tar_of([b"%d" % number for number in range(count)], tarfile.USTAR_FORMAT))

        def listed() -> None:
            assert sum(1 for _ in names_of(str(path), pytest.fail)) == count + 1

        return listed

    limit = peak(listing(200)) + 50_000
    assert peak(listing(2_000), limit=limit) < limit


def test_the_bound_of_headers_is_for_each_member(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(tar_of([b"%d" % number for number in range(5_000)], tarfile.USTAR_FORMAT))
    assert len(names_in(tmp_path / "a.tar")) == 5_000


GNU = tar_of([b"a", b"b", BAD], tarfile.GNU_FORMAT)
ZEROS = bytes(512)
HEADERS = [GNU[at : at + 512] for at in (0, 512, 1024)]


@pytest.mark.parametrize(
    "damaged",
    [
        HEADERS[0] + HEADERS[1].replace(HEADERS[1][148:156], b"0000000\0") + HEADERS[2] + ZEROS * 2,
        HEADERS[0] + b"garbage",
        HEADERS[0] + b"garbage" * 999,
        HEADERS[0] + HEADERS[1][:1],
        HEADERS[0] + HEADERS[1][:511],
        HEADERS[0] + ZEROS + HEADERS[2] + ZEROS * 2,
    ],
    ids=["checksum", "garbage", "more garbage", "cut", "cut at the end", "a header of zeros"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_tar_damaged_after_a_member_is_told(damaged: bytes, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    assert cut_or_changed(tmp_path / "a.tar", pack(damaged)) == [b"a"]


def test_a_tar_cut_inside_what_a_member_holds_is_told(tmp_path: Path) -> None:
    info = tarfile.TarInfo("a")
    info.size = 1_000
    header = info.tobuf(tarfile.GNU_FORMAT)
    for kept in (0, 1, 512, 999, 1_023):
        assert cut_or_changed(tmp_path / "a.tar", header + bytes(kept)) == [b"a"]


@pytest.mark.parametrize("kind", [b"L", b"K", b"x", b"g"])
@pytest.mark.parametrize("behind", [b"", b"garbage" * 999, ZEROS * 2], ids=["cut", "garbage", "no member"])
def test_a_tar_damaged_after_what_precedes_a_first_header(kind: bytes, behind: bytes, tmp_path: Path) -> None:
    info = tarfile.TarInfo("a")
    info.type, info.size = kind, 5
    data = info.tobuf(tarfile.GNU_FORMAT) + b"5 a=\n".ljust(512, b"\0")
    assert cut_or_changed(tmp_path / "a.tar", data + behind) == []


def test_an_empty_record_of_pax_does_not_end_a_tar(tmp_path: Path) -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 4
    data = HEADERS[0] + info.tobuf(tarfile.GNU_FORMAT) + b"0 a=".ljust(512, b"\0") + HEADERS[2]
    assert cut_or_changed(tmp_path / "a.tar", data) == [b"a"]


@pytest.mark.parametrize(
    "end",
    [b"", ZEROS, ZEROS + bytes(9), ZEROS * 2, ZEROS * 20, ZEROS * 2 + b"anything" * 999, ZEROS * 2 + HEADERS[1]],
    ids=["none", "one block", "one and a part", "two", "padded", "anything behind", "a header behind"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_where_a_tar_ends(end: bytes, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(pack(HEADERS[0] + HEADERS[2] + end))
    assert [name.name for name in names_in(path)] == [b"a", BAD]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_tar_cut_before_its_first_header_is_told(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    assert cut_or_changed(tmp_path / "a.tar", pack(GNU)[:14]) == []


def test_a_tar_in_a_damaged_block_of_bzip2_is_told(tmp_path: Path) -> None:
    packed = bz2.compress(GNU)
    for kept in (24, len(packed) // 2, len(packed) - 12):
        changed = packed[:kept] + bytes(byte ^ 0xFF for byte in packed[kept:])
        assert cut_or_changed(tmp_path / "a.tar", changed) == []


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_what_is_no_tar_is_only_a_file(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    for content in (b"", b"text", b"text" * 999, bytes(9_999), ZEROS + b"an image" * 999):
        (tmp_path / "a").write_bytes(pack(content))
        assert [name.name for name in names_of(str(tmp_path / "a"), pytest.fail)] == [b"a"]


@pytest.mark.parametrize(
    "damaged",
    [b"X" + GNU[1:], GNU[:300], ZEROS + GNU, b"X" + HEADERS[0][1:257] + bytes(255)],
    ids=["checksum", "cut", "behind zeros", "without a magic"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_a_tar_whose_first_header_is_damaged_is_told(
    damaged: bytes, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    for name in ("a.tar", "a.TAR.GZ", "a.tgz", "a.tar.xz"):
        assert cut_or_changed(tmp_path / name, pack(damaged)) == []


def test_a_first_header_that_is_damaged_shows_a_tar_by_its_magic(tmp_path: Path) -> None:
    for data in (b"X" + GNU[1:], GNU[:300]):
        assert cut_or_changed(tmp_path / "backup", data) == []


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_tar_may_be_empty(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    for data in (b"", ZEROS, ZEROS * 20):
        (tmp_path / "a.tar").write_bytes(pack(data))
        assert names_in(tmp_path / "a.tar") == []


def test_a_tar_whose_last_member_is_a_zip_is_a_tar(tmp_path: Path) -> None:
    inner = zip_of([(b"inside", 0, b"")])
    info = tarfile.TarInfo("a.zip")
    info.size = len(inner)
    path = tmp_path / "a.tar"
    path.write_bytes(HEADERS[2] + info.tobuf(tarfile.GNU_FORMAT) + inner.ljust(512, b"\0") + ZEROS * 2)
    assert [name.name for name in names_in(path)] == [BAD, b"a.zip"]


def test_a_zip_behind_zeros_is_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zip_of([(BAD, 0, b"")], ZEROS))
    assert [name.name for name in names_in(path)] == [BAD]


@pytest.mark.parametrize("kind", [b"L", b"K", b"x", b"g", b"X"])
@pytest.mark.parametrize("before", [b"", HEADERS[0]], ids=["first", "second"])
def test_memory_does_not_grow_with_the_headers_of_a_member(kind: bytes, before: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    info = tarfile.TarInfo("long")
    info.type, info.size = kind, 40_000_000
    data = before + info.tobuf(tarfile.GNU_FORMAT) + b"n" * info.size + HEADERS[2]
    path.write_bytes(gzip.compress(data, 1))

    def listed() -> None:
        with pytest.raises(FileError, match="this archive is damaged: a member has more than 2 MiB of headers"):
            names_in(path)

    assert peak(listed, limit=4_000_000) < 4_000_000


def sized(size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """Return a header whose size may be negative or huge."""
    header = bytearray(tarfile.TarInfo("sized").tobuf(tarfile.GNU_FORMAT))
    header[124:136] = size.to_bytes(12, "big", signed=True) if size < 0 else b"\x80" + size.to_bytes(11, "big")
    header[156:157] = kind
    header[148:156] = b"%06o\0 " % (sum(header[:148]) + 256 + sum(header[156:]))
    return bytes(header)


@pytest.mark.parametrize("size", [-512, -1024, -(2**63), 2**63, 2**80])
@pytest.mark.parametrize("kind", [b"0", b"L", b"x", b"S"])
def test_a_size_that_leads_nowhere(size: int, kind: bytes, tmp_path: Path) -> None:
    found = cut_or_changed(tmp_path / "a.tar", HEADERS[0] + sized(size, kind) + ZEROS * 9)
    assert found in ([b"a"], [b"a", b"sized"])


def test_headers_without_end(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    sparse = bytearray(sized(0, b"S"))
    sparse[482], sparse[148:156] = 1, b"%06o\0 " % (sum(sparse[:148]) + 256 + sum(sparse[156:]) + 1)
    more = b"00000000001\0" * 42 + b"\1" + bytes(7)
    for data in (sized(1, b"L") + b"n".ljust(512, b"\0")) * 5_000, bytes(sparse) + more * 9_999:
        assert cut_or_changed(path, HEADERS[0] + data) == [b"a"]


def test_records_for_all_members_are_bounded_together(tmp_path: Path) -> None:
    def shared(number: int) -> bytes:
        record = b"%d=" % number + b"v" * 500_000
        content = b"500010 " + record
        content = content.ljust(500_009, b"v") + b"\n"
        return sized(len(content), b"g") + content.ljust(-(-len(content) // 512) * 512, b"\0") + HEADERS[1]

    found = cut_or_changed(tmp_path / "a.tar", b"".join(map(shared, range(9))))
    assert found == [b"b"] * 4


# --- others -----------------------------------------------------------------------------------------------------------


def cpio_header(magic: int, order: str, name: bytes) -> bytes:
    """Return the header of a binary cpio, with the name."""
    return struct.pack(f"{order}13H", magic, 1, 2, 0o100644, 0, 0, 1, 0, 0, 0, len(name) + 1, 0, 5) + name + b"\0"


OTHERS = [
    ("7z", b"7z\xbc\xaf\x27\x1c\0\x04"),
    ("rar", b"Rar!\x1a\x07\0"),
    ("rar", b"Rar!\x1a\x07\x01\0"),
    ("ar", b"!<arch>\n" + b"debian-binary   1700000000  0     0     100644  4         `\n2.0\n"),
    ("ar", b"!<thin>\n"),
    ("cpio", b"070701" + b"0000000A" * 13 + b"name\0"),
    ("cpio", b"070702" + b"0000000a" * 13 + b"name\0"),
    ("cpio", b"070707" + b"0000017" * 10 + b"name\0"),
    ("cpio", cpio_header(0o70707, "<", BAD)),
    ("cpio", cpio_header(0o70707, ">", BAD)),
    ("cab", b"MSCF\0\0\0\0\x80\0"),
    ("xar", b"xar!\0\x1c\0\x01"),
    ("lha", b"\x22\x9c-lh5-" + bytes(8) + b"\0\0\0\0\x20\x01\x04name"),
    ("rpm", b"\xed\xab\xee\xdb\x03\0"),
    ("lzip", b"LZIP\x01\x0c"),
    ("lz4", b"\x04\x22\x4d\x18\x64\x40"),
    ("compress", b"\x1f\x9d\x90\0"),
]
TEXTS = [
    b"070701 is how a cpio begins, and 070707 too\n" * 9,
    b"070707\n" * 20,
    b"MSCF is how a cabinet begins",
    b"LZIP 1 is a program",
    b"xar! and xar\n",
    b"Rar!\n",
    b"7z of them",
    b"!<arch> is not a line of its own",
    b"ab-lh5-, a method of LHA, begins at byte 2",
    "Çq".encode("latin-1") + b" is a word of text " * 20,
    b"q\xc7 is a word of text " * 20,
    b"\xc7\x71",
    cpio_header(0o70707, "<", b""),
    cpio_header(0o70707, ">", b"a\0b"),
]
"""Text and other data that begin nearly as an archive does."""


@pytest.mark.parametrize(("kind", "data"), OTHERS, ids=[f"{kind}-{number}" for number, (kind, _) in enumerate(OTHERS)])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress], ids=["plain", "gzip", "bz2"])
@any_bytes
def test_an_archive_of_another_kind_is_refused_after_its_own_name(
    kind: str, data: bytes, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = tmp_path / os.fsdecode(BAD)
    path.write_bytes(pack(data))
    found = names_of(str(path), pytest.fail)
    assert next(found).name == BAD
    with pytest.raises(FileError, match=rf"(\({kind}\)|{kind} archives are not read): .*names .*were not examined$"):
        next(found)


@pytest.mark.parametrize("text", TEXTS)
def test_what_begins_nearly_as_an_archive_is_a_file(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    for data in text, gzip.compress(text):
        path.write_bytes(data)
        assert [name.name for name in names_of(str(path), pytest.fail)] == [b"file"]


def test_a_zip_in_another_archive_is_not_taken_for_it(tmp_path: Path) -> None:
    (tmp_path / "a.a").write_bytes(b"!<arch>\n" + zip_of([(b"inner", 0, b"")]))
    with pytest.raises(FileError, match="ar archives are not read"):
        names_in(tmp_path / "a.a")
