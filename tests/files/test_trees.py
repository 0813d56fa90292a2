"""Trees that the core walks: it finds what the walk in Python finds, in the same order, and counts what is clean."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold.files import FileError
from eightfold.files.walk.globs import globs
from eightfold.files.walk.trees import Examination, Passed, Trees
from eightfold.files.walk.walking import EVERYTHING, Found, Selection, found_under
from eightfold.forms import form
from support.core_trees import found_by_core, needs_trees

pytestmark = needs_trees
UTF_8 = form("utf-8")
ALL_RIGHTS = os.name == "posix" and os.geteuid() == 0


def make_tree(folder: Path, files: dict[bytes, bytes]) -> None:
    for name, content in files.items():
        path = os.path.join(os.fsencode(folder), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


def agreed(folder: Path, selection: Selection = EVERYTHING) -> tuple[list[Found], list[str]]:
    """Return what both walks find and report."""
    ours: list[FileError] = []
    theirs: list[FileError] = []
    found = list(found_under(str(folder), ours.append, selection))
    assert found_by_core(str(folder), theirs.append, selection) == found
    assert list(map(str, theirs)) == list(map(str, ours))
    return found, list(map(str, ours))


def passed(folder: Path, examination: Examination, threads: int = 2) -> tuple[list[str], tuple[int, int, int]]:
    """Return the names of the files that are found, and what is counted: clean files, binary files, bytes."""
    counted: list[Passed] = []
    errors: list[FileError] = []
    trees = Trees(lambda name: examination, counted.append, threads)
    found = [os.fsdecode(each.inside) for each in found_under(str(folder), errors.append, EVERYTHING, trees)]
    assert errors == []
    clean, binary, size = (sum(column) for column in zip(*counted, strict=True))
    return found, (clean, binary, size)


def test_names_of_any_bytes_are_in_the_order_of_python(tmp_path: Path) -> None:
    names = [
        b"\xff",
        "\U0001f600".encode(),
        "\ue000".encode(),
        "\ud7ff".encode(),
        b"\x80a",
        b"a",
        b"Z",
        b"\xed\xa0\x80",
    ]
    make_tree(tmp_path, {folder + name: b"" for folder in (b"", b"\xffx/", "\ufb00/".encode()) for name in names})
    assert len(agreed(tmp_path)[0]) == 3 * len(names)


def test_links_and_pipes_are_not_found(tmp_path: Path) -> None:
    make_tree(tmp_path, {b"a/b": b"", b".x.eightfold.tmp": b""})
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "a" / "broken").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    assert [each.inside for each in agreed(tmp_path)[0]] == [b"a/b"]


def test_a_folder_of_very_many_files_and_very_many_folders(tmp_path: Path) -> None:
    make_tree(tmp_path, {b"flat/%04d" % at: b"" for at in range(1000)} | {b"%03d/x" % at: b"" for at in range(200)})
    assert len(agreed(tmp_path)[0]) == 1200


def test_a_tree_deeper_than_files_may_be_open(tmp_path: Path) -> None:
    make_tree(tmp_path, {b"a/" * depth + name: b"" for depth in range(1, 300) for name in (b"x", b"z/x")})
    assert len(agreed(tmp_path)[0]) == 598


@pytest.mark.skipif(ALL_RIGHTS, reason="root may read everything")
def test_what_cannot_be_read_is_reported_in_the_same_words(tmp_path: Path) -> None:
    make_tree(tmp_path, {b"a/.gitignore": b"x", b"a/b": b"", b"c/d": b""})
    for path, mode in ((tmp_path / "a" / ".gitignore", 0), (tmp_path / "c", 0)):
        path.chmod(mode)
    _, errors = agreed(tmp_path, Selection(ignore=True))
    (tmp_path / "c").chmod(0o700)
    assert len(errors) == 2


NAMES = st.sampled_from([b"a", b"ab", b"b.txt", b"x", b"build", b"A", b"[a]", b" ", b"\xff"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map(b"/".join)
GLOBS = st.lists(
    st.sampled_from(["a", "b", "*", "**", "?", "/", "**/", "/**", "!", "[ab]", "[!a]", "[a", ".txt", "\\", "build/"]),
    min_size=1,
    max_size=5,
).map("".join)


@given(st.lists(PATHS, min_size=1, max_size=12), st.lists(GLOBS, max_size=3), st.lists(GLOBS, max_size=3))
def test_both_walks_select_alike(
    tmp_path_factory: pytest.TempPathFactory, paths: list[bytes], include: list[str], exclude: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    folders = {path for each in paths for path in (each.rpartition(b"/")[0],) if path}
    taken = [
        path
        for path in paths
        if not any(
            f"{os.fsdecode(other)}/".startswith(f"{os.fsdecode(path)}/")
            for other in (*folders, *paths)
            if other != path
        )
    ]
    make_tree(folder, dict.fromkeys(taken, b""))
    agreed(folder, Selection(globs(include), globs(exclude), ignore=True))


def test_clean_and_binary_files_are_counted_and_others_found(tmp_path: Path) -> None:
    files = {
        b"clean": "caf\u00e9\n".encode(),
        b"empty": b"",
        b"long": "\u20ac".encode() * 200_000,
        b"long-fault": "\u20ac".encode() * 200_000 + b"\xff" + "\u20ac".encode() * 9,
        b"cut": "\u20ac".encode() * 200_000 + b"\xe2\x82",
        b"fault": b"a\xff",
        b"image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 8,
        b"marked": b"\xff\xfea\0",
        b"utf-16": "text in units of 16 bits, a line or two of it\n".encode("utf-16-le") * 4,
        b"escaped.json": rb'"\ud83d"',
        b"packed.GZ": b"clean",
        b"late-nul": b"a" * 8192 + b"\0",
    }
    make_tree(tmp_path, files)
    examination = Examination(UTF_8, (b"\xff\xfe",), escapes=True)
    expected = ["cut", "escaped.json", "fault", "long-fault", "marked", "packed.GZ", "utf-16"]
    counted = [b"clean", b"empty", b"image", b"late-nul", b"long"]
    size = sum(len(files[name]) for name in counted)
    for threads in (1, 3):
        assert passed(tmp_path, examination, threads) == (expected, (4, 1, size))
    assert passed(tmp_path, examination._replace(skips_binary=False, may_differ=False))[1][:2] == (5, 0)


def test_clean_files_are_found_as_such_where_they_are_listed(tmp_path: Path) -> None:
    files = {
        b"a": "caf\u00e9\n".encode(),
        b"binary": b"a\0",
        b"empty": b"",
        b"fault": b"a\xff",
        b"long": "a\u20ac".encode() * 200_000,
        b"suspect": b"a\x01",
        b"z": b"clean",
    }
    make_tree(tmp_path, files)
    examination = Examination(UTF_8, may_differ=False, suspects=(((0, 8),),), lists=True)
    for threads in (1, 3):
        counted: list[Passed] = []
        trees = Trees(lambda name: examination, counted.append, threads)
        found = list(found_under(str(tmp_path), [].append, EVERYTHING, trees))
        known = {os.fsencode(each.inside): each.text for each in found}
        assert known == {
            b"a": (6, 2),
            b"empty": (0, 0),
            b"fault": None,
            b"long": (800_000, 600_000),
            b"suspect": None,
            b"z": (5, 0),
        }
        assert [sum(column) for column in zip(*counted, strict=True)] == [0, 1, 2]


SERIES = ((0xC3, 0xC3), (0x82, 0xB4), (0xC5, 0xC6))


@pytest.mark.parametrize("cut", range(-1, 8))
def test_a_series_of_ranges_is_seen_across_pieces(cut: int, tmp_path: Path) -> None:
    piece = 256 * 1024
    plain, meant = b"a" * (piece - cut), b"\xc3\xa9\xc3\xa9\xc5\x93"
    make_tree(tmp_path, {b"no": plain + meant.replace(b"\xc5", b"\xc4"), b"yes": plain + meant + b"a" * piece})
    # Where a piece ends after a sequence that may begin the series, what follows is not waited for.
    begun = ["no"] if cut in (2, 4) else []
    assert passed(tmp_path, Examination(UTF_8, suspects=(SERIES,)))[0] == [*begun, "yes"]


def test_an_escape_is_seen_across_pieces(tmp_path: Path) -> None:
    piece = 256 * 1024
    make_tree(tmp_path, {b"%d" % cut: b"a" * (piece - cut) + rb"\ud83d" + b"a" * piece for cut in range(-1, 4)})
    assert len(passed(tmp_path, Examination(UTF_8, escapes=True))[0]) == 5
    assert passed(tmp_path, Examination(UTF_8))[0] == []


@given(
    st.binary(min_size=60, max_size=600),
    st.sampled_from(["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]),
    st.text(st.characters(codec="utf-8"), min_size=20),
    st.booleans(),
)
def test_a_file_that_may_be_in_wider_units_is_found(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, name: str, text: str, is_noise: bool
) -> None:
    from eightfold.cli.work.likeness import other_form
    from eightfold.files.read.reading import opened

    folder = tmp_path_factory.mktemp("tree")
    make_tree(folder, {b"a": noise + b"\0" if is_noise else text.encode(name) + b"\0\0\0\0"})
    with opened(str(folder / "a")) as source:
        differs = other_form(source, UTF_8) is not None
    found, _ = passed(folder, Examination(UTF_8, (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")))
    assert found or not differs
