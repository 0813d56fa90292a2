"""Names of files that no terminal could show, and walking to them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold.files import FileError
from eightfold.files.path_text import LONGEST_OPENED, LONGEST_PATH, reported, shown
from eightfold.files.walk.walking import files_under
from support.trees import refuse_to_list

SHOWN = [
    ("plain name.txt", "plain name.txt"),
    ("naïve-日本.txt", "naïve-日本.txt"),
    ("\udce9", "\\xE9"),
    ("\udc80\udcff", "\\x80\\xFF"),
    ("\ud83d", "\\uD83D"),
    ("a\nb\x1b[31m\x7f", "a\\x0Ab\\x1B[31m\\x7F"),
    ("\x85\u2028\u202e", "\\u0085\\u2028\\u202E"),
    ("\U000e0001", "\\U000E0001"),
    ("back\\slash", "back\\slash"),
]


@pytest.mark.skipif(os.name != "posix", reason="where names are no bytes, U+DC80 is a surrogate like any other")
@pytest.mark.parametrize(("name", "expected"), SHOWN, ids=[expected for _, expected in SHOWN])
def test_a_name_is_shown_on_one_line(name: str, expected: str) -> None:
    assert shown(name) == expected


@pytest.mark.parametrize(("name", "expected"), SHOWN, ids=[expected for _, expected in SHOWN])
@pytest.mark.skipif(os.name != "posix", reason="where names are no bytes, U+DC80 is a surrogate like any other")
def test_a_name_is_reported_as_it_is_if_it_is_unicode_text(name: str, expected: str) -> None:
    is_text = not any("\ud800" <= each <= "\udfff" for each in name)
    assert reported(name) == (name if is_text else expected)


UNESCAPED = re.compile(r"\\(?:(\\)|x([0-9A-F]{2})|u([0-9A-F]{4})|U([0-9A-F]{8}))")
PIECES = ["\\", "x", "u", "U", "FF", "DCFF", "0001F600", "0", "a", "/", "\udcff", "\udc80", "\n", "\u202e", "é"]


def unescaped(path: str) -> str:
    """Return the name that a path in a report stands for, as docs/how-to/checking.md describes it."""

    def character(match: re.Match[str]) -> str:
        backslash, *digits = match.groups()
        value = 0 if backslash else int("".join(filter(None, digits)), 16)
        return backslash or chr(value + 0xDC00 if match[2] and value >= 0x80 else value)

    is_escaped = re.search(r"\\(x[0-9A-F]{2}|u[0-9A-F]{4}|U[0-9A-F]{8})", path)
    return UNESCAPED.sub(character, path) if is_escaped else path


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a backslash separates names")
@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_a_reported_name_is_that_of_one_file(name: str) -> None:
    path = reported(name)
    assert unescaped(path) == name
    is_ordinary = not re.search(r"[\\\udc80-\udcff]", name)
    assert path == name or not is_ordinary


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a backslash separates names")
def test_no_name_that_a_file_can_have_is_cut() -> None:
    name = "\\" * (LONGEST_PATH - 1) + "\udcff"
    assert unescaped(reported(name)) == name


def test_what_is_longer_than_any_path_is_not_reported_whole() -> None:
    assert reported("\u3000" * (LONGEST_OPENED // 3)) == "\u3000" * (LONGEST_OPENED // 3)
    assert len(reported("a" * (LONGEST_OPENED * 9 + 1))) < LONGEST_OPENED * 9


def walked(path: Path) -> tuple[list[str], list[FileError]]:
    errors: list[FileError] = []
    found = list(files_under(str(path), errors.append))
    return [os.path.relpath(each, path) for each in found], errors


def test_a_folder_is_walked_in_order(tmp_path: Path) -> None:
    for name in ("b", "a", "z/b", "z/a", "m/n/o"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    assert walked(tmp_path) == (["a", "b", "m/n/o", "z/a", "z/b"], [])


def test_links_and_pipes_in_a_folder_are_not_met(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "round").symlink_to(".")
    (tmp_path / "broken").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    assert walked(tmp_path) == (["file"], [])


def test_a_link_that_is_given_is_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/file").write_bytes(b"")
    (tmp_path / "link").symlink_to("folder")
    assert walked(tmp_path / "link") == (["file"], [])


def test_what_is_no_folder_is_itself(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    assert list(files_under(missing, pytest.fail)) == [missing]


def test_a_folder_that_cannot_be_listed_is_told_and_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("closed", "open"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"")
    refuse_to_list("closed", monkeypatch)
    found, errors = walked(tmp_path)
    assert found == ["open/file"]
    assert [str(error) for error in errors] == [f"{tmp_path}/closed: Permission denied"]
