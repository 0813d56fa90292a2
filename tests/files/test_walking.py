"""Walking: what is found in folders, in which order, and what ignore files leave out of it, as git does."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold.files import FileError
from eightfold.files.walk.globs import globs, of_files, pattern, patterns
from eightfold.files.walk.trees import can_walk
from eightfold.files.walk.walking import Found, Selection, found_under
from support.core_trees import found_by_core
from support.trees import HEAD, REPOSITORY, make_git_folder
from support.users import needs_users, unprivileged

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
on_posix = pytest.mark.skipif(os.name != "posix", reason="needs names of any bytes, links and pipes")
IGNORING = Selection(ignore=True)


def make_tree(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def walked(folder: Path, selection: Selection = IGNORING) -> list[str]:
    errors: list[FileError] = []
    found = list(found_under(str(folder), errors.append, selection))
    if can_walk():
        assert found_by_core(str(folder), errors.append, selection) == found
    assert errors == []
    return [os.fsdecode(each.inside) for each in found]


GIT_ENVIRONMENT = {
    **os.environ,
    **dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"), os.devnull),
    **dict.fromkeys(("HOME", "XDG_CONFIG_HOME"), os.devnull),
}


def git(folder: Path, *arguments: str, names: bytes = b"") -> bytes:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], input=names, capture_output=True, env=GIT_ENVIRONMENT, check=False
    )
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout


def not_ignored_by_git(folder: Path) -> list[str]:
    """Return the files below a repository of which `git check-ignore` says nothing."""
    names = [os.fsencode(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path.is_file()]
    own = [name for name in names if not name.startswith(b".git/")]
    ignored = git(folder, "check-ignore", "--no-index", "--stdin", "-z", names=b"".join(b"%s\0" % name for name in own))
    return sorted(os.fsdecode(name) for name in {*own} - {*ignored.split(b"\0")})


TREE = (
    *("a", "b.txt", "ab", "a b", "a/b", "x/a", "x/b.txt", "x/y/a", "x/y/ab.txt", "x/y/z/b.txt", "y/x/a", "build/a"),
    *("x/build/b.txt", "ABC", "!a", "#a", "a\\b", "[a]", "a-b", "x/a*b", " ", "a ", "é", "x/-"),
)
FILES = [name for name in TREE if name not in ("a",)]
PIECES = st.sampled_from(
    [
        *("a", "b", "x", "y", "ab", ".txt", "build", "*", "**", "?", "/", "/", "**/", "/**", "!", "#", " ", "\\"),
        *("[ab]", "[!a]", "[^b]", "[a-c]", "[c-a]", "[]a]", "[a", "]", "[[:alpha:]]", "[[:upper:]x]", "[[:none:]]"),
        *("[[:]", "[\\]a]", "[a-]", "[-a]", "[!-a]", "é", "-", "[\\", "[x-\\y]", "[a/]", "[!x/]", "[--0]", "\r"),
        *("\\/", "**\\/", "\\/**", "\0"),
    ]
)
LINES = st.lists(PIECES, min_size=1, max_size=6).map("".join)
IGNORE_FILES = st.lists(LINES, max_size=5).map("\n".join)


@needs_git
@on_posix
@given(st.tuples(IGNORE_FILES, IGNORE_FILES, IGNORE_FILES, IGNORE_FILES))
def test_what_is_ignored_is_what_git_ignores(contents: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_tree(folder, dict.fromkeys(FILES, ""))
        git(folder, "init", "--quiet")
        places = (".gitignore", "x/.gitignore", "x/y/.gitignore", ".git/info/exclude")
        make_tree(folder, dict(zip(places, contents, strict=True)))
        assert sorted(walked(folder)) == not_ignored_by_git(folder)


@needs_git
@on_posix
def test_what_is_ignored_in_many_shapes_of_tree(tmp_path: Path) -> None:
    shapes = {
        ".gitignore": "*.log\n!keep.log\n/top\nbuild/\n**/deep/*.o\n\\#hash\ntrailing \\ \r\n\n# comment\n*.tmp   \n",
        "x/.gitignore": b"\xef\xbb\xbf!a.log\nonly/here\n",
        ".git/info/exclude": "excluded\n!b.log\n",
        **dict.fromkeys(
            (
                *("a.log", "keep.log", "top", "x/top", "build/a", "x/build", "deep/a.o", "x/deep/b.o", "x/deep/y/c.o"),
                *("#hash", "trailing  ", "trailing ", "a.tmp", "x/a.log", "x/only/here", "x/y/only/here", "excluded"),
                *("b.log", "x/excluded", "x/y/keep.log"),
            ),
            "",
        ),
    }
    make_tree(tmp_path, shapes)
    git(tmp_path, "init", "--quiet")
    kept = walked(tmp_path)
    assert sorted(kept) == not_ignored_by_git(tmp_path)
    assert "x/a.log" in kept
    assert "build/a" not in kept


@needs_git
@on_posix
@pytest.mark.parametrize(
    ("line", "ignored"),
    [
        (rb"**\/a?", {"x/y/ab"}),
        (rb"**\/b", {"a/b", "a/x/b", "abx/b", "x/b"}),
        (rb"***\/b", {"a/b", "a/x/b", "abx/b", "x/b"}),
        (rb"a/**\/b", {"a/x/b"}),
        (rb"a**\/b", {"a/b", "a/x/b", "abx/b"}),
        (rb"a\/**/b", {"a/b", "a/x/b"}),
        (rb"a\/**\/b", {"a/x/b"}),
        (rb"**\/**\/b", {"a/x/b"}),
        (rb"**/**\/b", {"a/b", "a/x/b", "abx/b", "x/b"}),
        (rb"*\/b", {"a/b", "abx/b", "x/b"}),
        (rb"**\/**", {"a/b", "a/x/b", "abx/b", "x/b", "x/y/ab", "foo/bar/z", "d\\/z"}),
        (rb"\/**", set()),
        (rb"**\/", set()),
        (rb"**\\/", {"d\\/z"}),
        (rb"\**\/b", set()),
        (rb"foo\/bar", {"foo/bar/z"}),
        (rb"foo\/", set()),
    ],
)
def test_a_quoted_slash_is_a_slash_except_at_the_end(line: bytes, ignored: set[str], tmp_path: Path) -> None:
    names = {"ab", "b", "a/b", "a/x/b", "abx/b", "x/b", "x/y/ab", "foo/bar/z", "d\\/z", ".gitignore"}
    make_tree(tmp_path, dict.fromkeys(names, "") | {".gitignore": line})
    git(tmp_path, "init", "--quiet")
    assert sorted(walked(tmp_path)) == not_ignored_by_git(tmp_path) == sorted(names - ignored)


@needs_git
@on_posix
@pytest.mark.parametrize("place", [".gitignore", ".git/info/exclude", "x/.gitignore"])
@pytest.mark.parametrize(
    ("content", "ignored"),
    [
        (b"y/ab\0junk\n/x/y/ab\0\n", {"x/y/ab"}),
        (b"\0ab\n", set()),
        (b"ab  \0junk\n", {"x/ab", "x/y/ab"}),
        (b"ab\\ \0\n", {"x/ab "}),
        (b"ab\\\0\n", set()),
        (b"ab\0junk\r\n", {"x/ab", "x/y/ab"}),
        (b"ab\r\0junk\n", {"x/ab\r"}),
        (b"#\0\nab\0", {"x/ab", "x/y/ab"}),
        (b"ab\n!\0ab\n", {"x/ab", "x/y/ab"}),
        (b"y/\0z\n", {"x/y/ab"}),
        (b"[a\0]b\n\\\0ab\n", set()),
        (b"\xef\xbb\xbf\0ab\n", set()),
    ],
)
def test_a_nul_ends_a_pattern(content: bytes, ignored: set[str], place: str, tmp_path: Path) -> None:
    names = {"x/ab", "x/ab ", "x/ab\r", "x/y/ab", "x/z"}
    make_tree(tmp_path, dict.fromkeys(names, ""))
    git(tmp_path, "init", "--quiet")
    make_tree(tmp_path, {place: content})
    found = walked(tmp_path)
    assert sorted(found) == not_ignored_by_git(tmp_path)
    assert {*found} - {place} == names - ignored


@on_posix
def test_an_ignore_file_that_is_reported_is_not_read_as_text_too(tmp_path: Path) -> None:
    make_git_folder(tmp_path / ".git")
    make_tree(tmp_path, {".gitignore": "#" * ((1 << 20) + 1), "a.txt": ""})
    errors: list[FileError] = []
    found = [each.inside for each in found_under(str(tmp_path), errors.append, IGNORING)]
    assert (found, [error.path for error in errors]) == ([b"a.txt"], [str(tmp_path / ".gitignore")])


@needs_git
@on_posix
def test_a_folder_in_a_repository_keeps_the_rules_above_it(tmp_path: Path) -> None:
    make_tree(tmp_path, {".gitignore": "*.log\n/x/y/b\n", "x/.gitignore": "!a.log\n"})
    make_tree(tmp_path, dict.fromkeys(("x/y/a.log", "x/y/b.log", "x/y/b", "x/y/c"), ""))
    assert walked(tmp_path / "x" / "y") == ["a.log", "b", "b.log", "c"]  # No repository yet: nothing above counts.
    git(tmp_path, "init", "--quiet")
    assert walked(tmp_path / "x" / "y") == ["a.log", "c"]


@needs_git
@on_posix
def test_a_repository_in_a_repository_has_its_own_rules(tmp_path: Path) -> None:
    make_tree(tmp_path, {".gitignore": "*.log\n", "inner/a.log": "", "inner/a.txt": "", "a.log": ""})
    git(tmp_path, "init", "--quiet")
    assert "inner/a.log" not in walked(tmp_path)
    git(tmp_path / "inner", "init", "--quiet")
    make_tree(tmp_path, {"inner/.git/info/exclude": "*.txt\n"})
    assert walked(tmp_path) == [".gitignore", "inner/a.log"]


HASH = "0123456789abcdefABCDEF0123456789abcdef01"
GIT_FOLDERS: dict[str, dict[str, str]] = {
    "empty": {},
    "whole": REPOSITORY,
    "no-head": {"objects/": "", "refs/": ""},
    "no-objects": {"HEAD": HEAD, "refs/": ""},
    "no-refs": {"HEAD": HEAD, "objects/": ""},
    "files": {"HEAD": HEAD, "objects": "", "refs": ""},
    "head-is-empty": REPOSITORY | {"HEAD": ""},
    "head-is-text": REPOSITORY | {"HEAD": "junk\n"},
    "head-is-a-folder": {"HEAD/": "", "objects/": "", "refs/": ""},
    "head-without-blank": REPOSITORY | {"HEAD": "ref:refs/heads/main"},
    "head-with-blanks": REPOSITORY | {"HEAD": "ref: \t\r\n refs/heads/main"},
    "head-with-other-blank": REPOSITORY | {"HEAD": "ref:\vrefs/heads/main"},
    "head-names-no-reference": REPOSITORY | {"HEAD": "ref: heads/main\n"},
    "head-is-a-hash": REPOSITORY | {"HEAD": HASH},
    "head-is-a-longer-hash": REPOSITORY | {"HEAD": HASH + HASH[:24] + "\n"},
    "head-is-a-short-hash": REPOSITORY | {"HEAD": HASH[:39] + "\n"},
    "head-links-to-a-reference": {"HEAD": "-> refs/heads/main", "objects/": "", "refs/": ""},
    "head-links-to-a-head": {"HEAD": "-> ../../whole/.git/HEAD", "objects/": "", "refs/": ""},
    "shares": {"HEAD": HEAD, "commondir": "../../whole/.git\n"},
    "shares-nothing": REPOSITORY | {"commondir": "nowhere\n"},
}
GIT_FILES = {
    "file": "gitdir: ../whole/.git",
    "file-with-line-ends": "gitdir: ../whole/.git\r\n\n",
    "file-with-more": "gitdir: ../whole/.git\njunk",
    "file-of-a-worktree": "gitdir: ../shares/.git\n",
    "file-to-itself": "gitdir: .git\n",
    "file-to-empty": "gitdir: ../empty/.git\n",
    "file-to-nowhere": "gitdir: ../nowhere\n",
    "file-to-a-nul": "gitdir: no\0where\n",
    "file-without-blank": "gitdir:../whole/.git\n",
    "file-of-nothing": "gitdir: \n",
    "file-is-empty": "",
    "file-is-text": "junk\n",
}
GIT_LINKS = {"link-to-a-file": "../file/.git", "link-to-text": "../file-is-text/.git"} | {
    "link": "../whole/.git",
    "link-to-empty": "../empty/.git",
    "link-to-nowhere": "nowhere",
}


def not_ignored_in_repositories(folder: Path, inner: set[str]) -> list[str]:
    """Return what git lists in a repository, and in the repositories in it, which it lists as folders."""
    names = git(folder, "ls-files", "--others", "--exclude-standard", "-z").split(b"\0")
    repositories = {os.fsdecode(name).rstrip("/") for name in names if name.endswith(b"/")}
    assert repositories <= inner
    listed = {os.fsdecode(name) for name in names if name and not name.endswith(b"/")}
    return sorted(listed | {f"{name}/{each}" for name in repositories for each in ("a.log", "a.txt")})


@needs_git
@on_posix
def test_an_entry_named_git_begins_a_repository_where_git_says_so(tmp_path: Path) -> None:
    names = {*GIT_FOLDERS, *GIT_FILES, *GIT_LINKS, "pipe"}
    make_tree(tmp_path, {f"{folder}/{name}": "" for folder in names for name in ("a.log", "a.txt")})
    make_tree(tmp_path, {".gitignore": "*.log\n"})
    git(tmp_path, "init", "--quiet")
    for folder, entries in GIT_FOLDERS.items():
        make_git_folder(tmp_path / folder / ".git", entries)
    make_tree(tmp_path, {f"{folder}/.git": content for folder, content in GIT_FILES.items()})
    os.mkfifo(tmp_path / "pipe/.git")
    for folder, target in GIT_LINKS.items():
        (tmp_path / folder / ".git").symlink_to(target)
    found = sorted(walked(tmp_path))
    assert found == not_ignored_in_repositories(tmp_path, names)
    assert {f"{name}/a.log" for name in ("whole", "link", "shares", "file", "file-of-a-worktree")} < set(found)
    for folder in names:
        # The same from the folder itself, whose rules may be above it.
        assert walked(tmp_path / folder) == [name for name in ("a.log", "a.txt") if f"{folder}/{name}" in found]


@needs_users
def test_a_file_of_git_that_cannot_be_read_begins_a_repository() -> None:
    # Other users cannot enter the folder of a test.
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        top = Path(name)
        make_tree(top, {".gitignore": "*.log\n", "inner/.git": "gitdir: ..", "inner/a.log": "", "a.log": ""})
        make_git_folder(top / ".git", REPOSITORY)
        for path in (top, *top.rglob("*")):
            path.chmod(0o755)
        (top / "inner/.git").chmod(0)
        ways = [found_under, found_by_core] if can_walk() else [found_under]
        for way, (folder, expected) in product(
            ways, ((top, [".gitignore", "inner/a.log"]), (top / "inner", ["a.log"]))
        ):
            errors: list[FileError] = []
            with unprivileged():
                found = list(way(str(folder), errors.append, IGNORING))
            assert [os.fsdecode(each.inside) for each in found] == expected
            assert [str(error) for error in errors] == [f"{top}/inner/.git: Permission denied"]


@on_posix
def test_a_head_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    make_tree(tmp_path, {".gitignore": "*.log\n", "a/a.log": "", "a/a.txt": ""})
    make_git_folder(tmp_path / "a/.git", {"objects/": "", "refs/": ""})
    os.mkfifo(tmp_path / "a/.git/HEAD")
    assert walked(tmp_path) == [".gitignore", "a/a.txt"]


@on_posix
def test_both_walks_say_that_links_to_an_exclude_file_go_round(tmp_path: Path) -> None:
    make_tree(tmp_path, {"inner/a.txt": ""})
    make_git_folder(tmp_path / "inner/.git", {**REPOSITORY, "info/": ""})
    (tmp_path / "inner/.git/info/exclude").symlink_to("exclude")
    for walk in (found_under, found_by_core) if can_walk() else (found_under,):
        errors: list[FileError] = []
        assert [found.inside for found in walk(str(tmp_path), errors.append, IGNORING)] == [b"inner/a.txt"]
        assert [error.reason for error in errors] == [os.strerror(errno.ELOOP)]


@needs_git
@on_posix
def test_a_worktree_has_the_exclude_file_of_its_repository(tmp_path: Path) -> None:
    main, other = tmp_path / "main", tmp_path / "other"
    make_tree(main, {"a.txt": "a"})
    git(main, "init", "--quiet")
    git(main, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--allow-empty", "-m", "a")
    git(main, "worktree", "add", "--quiet", "--detach", str(other))
    make_tree(tmp_path, {"main/.git/info/exclude": "*.log\n", "other/a.log": "", "other/a.txt": ""})
    assert walked(other) == ["a.txt"]


def test_the_order_is_by_name_and_files_before_folders(tmp_path: Path) -> None:
    make_tree(tmp_path, dict.fromkeys(("z", "b/z", "b/a", "a/x/y", "a/b", "B", "a.txt", "c/d"), ""))
    assert walked(tmp_path) == ["B", "a.txt", "z", "a/b", "a/x/y", "b/a", "b/z", "c/d"]


def test_what_is_given_is_always_taken(tmp_path: Path) -> None:
    make_tree(tmp_path, {".gitignore": "*\n", "a.log": "", ".git/x": ""})
    everything_out = Selection(include=globs(["nothing"]), exclude=globs(["*"]), ignore=True)
    path = str(tmp_path / "a.log")
    assert list(found_under(path, pytest.fail, everything_out)) == [Found(path, os.fsencode(path), walked=False)]
    assert walked(tmp_path, everything_out) == []
    assert walked(tmp_path) == []
    assert walked(tmp_path, Selection()) == [".gitignore", "a.log", ".git/x"]


@pytest.mark.parametrize(
    ("include", "exclude", "taken"),
    [
        ([], [], ["a.py", "b.txt", "gen/a.py", "src/y.txt", "src/gen/x.py"]),
        (["*.py"], [], ["a.py", "gen/a.py", "src/gen/x.py"]),
        (["*.py", "!x.py"], [], ["a.py", "gen/a.py"]),
        (["src/**"], [], ["src/y.txt", "src/gen/x.py"]),
        ([], ["gen/"], ["a.py", "b.txt", "src/y.txt"]),
        ([], ["/gen/"], ["a.py", "b.txt", "src/y.txt", "src/gen/x.py"]),
        ([], ["*.py", "!/a.py"], ["a.py", "b.txt", "src/y.txt"]),
        (["*.py"], ["gen"], ["a.py"]),
    ],
)
def test_options_select(include: list[str], exclude: list[str], taken: list[str], tmp_path: Path) -> None:
    make_tree(tmp_path, dict.fromkeys(("a.py", "b.txt", "gen/a.py", "src/gen/x.py", "src/y.txt"), ""))
    assert walked(tmp_path, Selection(globs(include), globs(exclude))) == taken


FOLDERS = [b"a/", b"/a/", b"b/", b"a/b/", b"!b/", b"*/", b"**/", b"/**/", b"a/**/", b"**/b/", b"/a**/", b"?/b/"]


@pytest.mark.parametrize("line", [*FOLDERS, b"[a-b]/", b"a\\b/", b"b", b"/", b"a/**/b/", b"***/", b"a/***/"])
def test_a_pattern_of_folders_matches_all_files_in_them(line: bytes) -> None:
    found = patterns([line])[0]
    of_each = of_files(found)
    assert of_each.negated == found.negated
    for length in range(1, 5):
        for names in product((b"a", b"b", b"ab"), repeat=length):
            ways = [b"/".join(names[:count]) for count in range(1, length)]
            in_one = any(found.matches(way, is_folder=True) for way in ways)
            is_one = found.matches(b"/".join(names), is_folder=False)
            expected = in_one if found.of_folders else is_one
            assert of_each.matches(b"/".join(names), is_folder=False) == expected, names


def test_temporary_files_of_this_program_are_not_found(tmp_path: Path) -> None:
    make_tree(tmp_path, dict.fromkeys(("a.txt", ".a.txt.0A1B2C3D-0.eightfold.tmp", ".b.eightfold.tmp/c", "d.tmp"), ""))
    assert walked(tmp_path) == ["a.txt", "d.tmp"]


@on_posix
def test_only_regular_files_are_found_and_links_are_not_followed(tmp_path: Path) -> None:
    make_tree(tmp_path, {"real/file": "", "outside": ""})
    (tmp_path / "real/loop").symlink_to(tmp_path / "real")
    (tmp_path / "real/link").symlink_to(tmp_path / "outside")
    (tmp_path / "real/nowhere").symlink_to("nowhere")
    os.mkfifo(tmp_path / "real/pipe")
    os.mkfifo(tmp_path / "real/.gitignore")
    assert walked(tmp_path / "real") == ["file"]
    assert walked(tmp_path / "real/loop") == ["file"]


@on_posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_listed_is_told_and_the_rest_is_walked(tmp_path: Path) -> None:
    make_tree(tmp_path, dict.fromkeys(("a/x", "b/x", "c/x", "c/.gitignore"), ""))
    (tmp_path / "b").chmod(0)
    (tmp_path / "c/.gitignore").chmod(0)
    errors: list[FileError] = []
    found = [os.fsdecode(each.inside) for each in found_under(str(tmp_path), errors.append, IGNORING)]
    (tmp_path / "b").chmod(0o700)
    assert found == ["a/x", "c/x"]
    assert [error.path for error in errors] == [str(tmp_path / "b"), str(tmp_path / "c/.gitignore")]


def make_deep_folder(top: Path, names: Sequence[str], files: Mapping[str, bytes]) -> None:
    """Make folders in one another, however long the way to the last of them is, and files in that one."""
    at = os.open(top, os.O_RDONLY)
    try:
        for name in names:
            os.mkdir(name, dir_fd=at)
            below = os.open(name, os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = below
        for name, content in files.items():
            with open(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=at), "wb") as file:
                file.write(content)
    finally:
        os.close(at)


@on_posix
def test_a_tree_deeper_than_python_s_calls(tmp_path: Path) -> None:
    names = ["d"] * 1500
    make_deep_folder(tmp_path, names, {"file": b""})
    found = walked(tmp_path)
    subprocess.run(["rm", "-r", tmp_path / "d"], check=True)  # Python calls itself for each folder.
    assert found == ["/".join([*names, "file"])]


@pytest.mark.skipif(sys.platform != "linux", reason="needs to know how long a path may be")
def test_an_ignore_file_counts_if_only_its_own_path_is_too_long(tmp_path: Path) -> None:
    count, rest = divmod(4095 - len(b"/f") - len(os.fsencode(tmp_path)), len("/" + "d" * 100))
    names = ["d" * (100 + rest), *["d" * 100] * (count - 1)]
    make_deep_folder(tmp_path, names, {".gitignore": b"f\n", "f": b"", "g": b""})
    assert [os.path.basename(path) for path in walked(tmp_path)] == [".gitignore", "g"]


def test_many_asterisks_take_no_time() -> None:
    found = pattern(b"a*" * 40 + b"b")
    assert found is not None
    assert not found.matches(b"a" * 250, is_folder=False)
    assert found.matches(b"a" * 250 + b"b", is_folder=False)


@pytest.mark.parametrize("glob", [b"**/", rb"**\/", b"**/a/", b"**/*a*/", rb"**/*a\/**\/"])
def test_many_folders_at_any_depth_take_no_time(glob: bytes) -> None:
    found = pattern(glob * 20 + b"b")
    assert found is not None
    assert not found.matches(b"aa/" * 200 + b"a", is_folder=False)
    assert found.matches(b"aa/a/" * 100 + b"b", is_folder=False)
