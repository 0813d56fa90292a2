"""Names as the bytes that they are, in folders and tars, against what wrote them."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import struct
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from eightfold.files import FileError
from eightfold.files.walk import listing
from eightfold.files.walk.archives.damage import telling_damage
from eightfold.files.walk.listing import names_of
from eightfold.files.walk.names import FOLDER, PAX, TAR, Name
from support.archives import cut_or_changed, names_in, zip_of
from support.peaks import peak
from support.trees import refuse_to_list

BAD = b"caf\xe9"
TEXT = "café-漢"
any_bytes = pytest.mark.skipif(sys.platform == "darwin", reason="the file system takes UTF-8 names only")


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


def test_an_error_of_the_system_is_no_damage() -> None:
    error = OSError(errno.EIO, os.strerror(errno.EIO))
    with pytest.raises(OSError) as caught, telling_damage("a.tar"):
        raise error
    assert caught.value is error
    with pytest.raises(FileError, match="this archive is damaged: Not a gzipped file"), telling_damage("a.tar"):
        raise gzip.BadGzipFile("Not a gzipped file")


# --- tar --------------------------------------------------------------------------------------------------------------


def tar_of(names: list[bytes], format: int, mode: str = "w") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode, format=format, encoding="utf-8", errors="surrogateescape") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(name.decode("utf-8", "surrogateescape")))
    return file.getvalue()


def old_lzma(data: bytes) -> bytes:
    return lzma.compress(data, lzma.FORMAT_ALONE)


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
        HEADERS[0] + ZEROS[:9],
        HEADERS[0] + ZEROS + HEADERS[2] + ZEROS * 2,
    ],
    ids=["checksum", "garbage", "more garbage", "cut", "cut at the end", "cut zeros", "a header of zeros"],
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
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress, old_lzma])
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
    for content in (b"", b"text", b"text" * 999, bytes(9_999), ZEROS + b"an image" * 999, b"BZh9 text"):
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
