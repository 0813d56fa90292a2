"""`names`: ill-formed names are reported, renamed without overwriting, and brought back to the byte."""

from __future__ import annotations

import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import unicodedata
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eightfold.cli import main
from eightfold.files.write import renaming
from support.command_line import EXAMPLES, run_here
from support.kills import killed

pytestmark = pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="names of files are no bytes there")

TREE = (b"d\xe9/a\xe9.txt", b"d\xe9/sub\xff/caf\xe9", b"d\xe9/plain", b"clean/\xc3\xa9", b"\xe8")
MANY = 300
"""More folders than a run renames between two looks at them."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in TREE:
        make(name)
    return tmp_path


def make(name: bytes) -> None:
    """Make a file that holds its own first name, and the folders that it lies in."""
    os.makedirs(os.path.dirname(name) or b".", exist_ok=True)
    with open(name, "xb") as file:
        file.write(name)


def tree(top: bytes = b".") -> dict[bytes, bytes]:
    """Return every file but logs, by its path, with what it holds; folders hold nothing."""
    found = {}
    for folder, folders, names in os.walk(top):
        found.update({os.path.join(folder, name): b"" for name in folders})
        for name in names:
            path = os.path.join(folder, name)
            if b"jsonl" not in name:
                with open(path, "rb") as file:
                    found[path] = file.read()
    return found


def names(*arguments: str | bytes) -> subprocess.CompletedProcess[bytes]:
    return run_here("names", *arguments)


# --- reporting --------------------------------------------------------------------------------------------------------


def test_every_fault_of_a_name_is_a_line(folder: Path) -> None:
    done = names(".")
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        f"{name}, at byte {at} of the name"
        for name, at in [
            ("./d\\xE9/a\\xE9.txt: truncated: sequence E9 is cut short by another byte", 1),
            ("./d\\xE9/sub\\xFF/caf\\xE9: truncated: sequence E9 is cut short by the end of the input", 3),
            ("./d\\xE9/sub\\xFF: invalid-byte: byte FF cannot begin a sequence", 3),
            ("./d\\xE9: truncated: sequence E9 is cut short by the end of the input", 1),
            ("./\\xE8: truncated: sequence E8 is cut short by the end of the input", 0),
        ]
    ]
    assert done.stderr == b"eightfold: 8 names read, 5 ill-formed\n"


def test_json_lines_hold_the_bytes(folder: Path) -> None:
    values = [json.loads(line) for line in names("--output-format", "jsonl", ".").stdout.splitlines()]
    assert [(value["place"], bytes.fromhex(value["bytes"])) for value in values] == [
        ("./d\uefe9", b"a\xe9.txt"),
        ("./d\uefe9/sub\uefff", b"caf\xe9"),
        ("./d\uefe9", b"sub\xff"),
        (".", b"d\xe9"),
        (".", b"\xe8"),
    ]
    assert values[1]["name"] == "caf\uefe9"
    assert [fault["kind"] for fault in values[1]["faults"]] == ["truncated"]


def test_where_a_link_leads_is_reported_and_no_reason_to_fail(folder: Path) -> None:
    os.symlink(b"../\xe8", b"clean/link")
    done = names("clean")
    assert (done.returncode, done.stdout) == (
        0,
        b"clean/link -> ../\\xE8: truncated: sequence E8 is cut short by the end of the input, "
        b"at byte 3 of its target\n",
    )
    assert names("--fix", "latin-1", "clean").stderr.startswith(b"eightfold: 1 symbolic link to ill-formed names")


def test_a_link_that_several_paths_reach_is_counted_once(folder: Path) -> None:
    os.symlink(b"../\xe8", b"clean/link")
    os.symlink(b"clean", b"way")
    done = names("--fix", "latin-1", "clean", "clean", "./clean/", "way", "clean/link", ".")
    assert done.stderr.startswith(b"eightfold: 1 symbolic link to ill-formed names")
    os.symlink(b"../\xe8", b"clean/second")
    assert names("--fix", "latin-1", "clean").stderr.startswith(b"eightfold: 2 symbolic links to ill-formed names")


def test_another_form(folder: Path) -> None:
    make(b"clean/\xed\xa0\xbd\xed\xb8\x80")
    assert names("clean").returncode == 1
    assert names("-f", "cesu-8", "clean").returncode == 0
    assert names("-f", "cesu-8", "--fix", "strict", "--apply", "log.jsonl", "clean").returncode == 0
    assert tree(b"clean")["clean/😀".encode()] == b"clean/\xed\xa0\xbd\xed\xb8\x80"


def test_archives_are_read_and_not_changed(folder: Path) -> None:
    archive = shutil.copy(EXAMPLES / "names.tar", ".")
    assert names(archive).returncode == 1
    done = names("--fix", "latin-1", archive)
    assert (done.returncode, done.stdout) == (1, b"")
    said = b"eightfold: 3 ill-formed names in archives: archives are not changed\n"
    assert done.stderr.startswith(said)
    done = names("--fix", "latin-1", "--apply", "log.jsonl", archive, b"\xe8")
    assert (done.returncode, done.stdout) == (1, "\\xE8 -> è\n".encode())
    assert done.stderr.startswith(said + b"eightfold: 1 name changed, 0 left\n")


def test_a_tar_damaged_after_a_member_is_not_called_clean(folder: Path) -> None:
    data = bytearray()
    for name in ("\udce9", "b", "c"):
        data += tarfile.TarInfo(name).tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
    data[660:668] = b"0000000\0"
    Path("cut.tar").write_bytes(data + bytes(1024))
    done = names("cut.tar")
    assert (done.returncode, done.stdout.count(b"\n")) == (2, 1)
    assert b"cut.tar: this archive is damaged: a header is missing at byte 512\n" in done.stderr


def test_a_zip_whose_larger_end_record_is_nowhere_is_damaged(folder: Path) -> None:
    with zipfile.ZipFile("loc.zip", "w") as archive:
        archive.writestr("a", "x")
    data = Path("loc.zip").read_bytes()
    Path("loc.zip").write_bytes(data[:-22] + struct.pack("<4sLQL", b"PK\6\7", 0, 2**63, 1) + data[-22:])
    done = names("loc.zip")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"loc.zip: this archive is damaged: its central directory is not where the archive says\n" in done.stderr


def test_the_own_name_of_an_archive_that_cannot_be_read_is_examined(folder: Path) -> None:
    cut = tarfile.TarInfo("member").tobuf() + b"cut"
    for number, data in enumerate((cut, b"7z\xbc\xaf\x27\x1c", b"\x1f\x8b\x08")):
        Path(os.fsdecode(b"w\xe9%d" % number)).write_bytes(data)
        name = b"w\xe9%d" % number
        done = names(name)
        assert (done.returncode, done.stdout.count(b"w\\xE9%d: truncated: " % number)) == (2, 1)
        done = names("--fix", "latin-1", "--apply", f"log{number}.jsonl", name)
        assert (done.returncode, os.path.exists(f"wé{number}"), os.path.exists(name)) == (2, True, False)
        assert b"eightfold: 1 name changed, 0 left\n" in done.stderr


def test_an_archive_of_another_kind_is_not_called_clean(folder: Path) -> None:
    Path("a.7z").write_bytes(b"7z\xbc\xaf\x27\x1c\0\x04")
    done = names("a.7z")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().splitlines() == [
        "eightfold: a.7z: 7z archives are not read: its names were not examined",
        "eightfold: 1 name read, 0 ill-formed",
    ]


# --- renaming ---------------------------------------------------------------------------------------------------------


def test_a_dry_run_renames_nothing(folder: Path) -> None:
    before = tree()
    done = names("--fix", "latin-1", ".")
    assert (done.returncode, done.stdout.decode().splitlines()) == (
        1,
        [
            "./d\\xE9/a\\xE9.txt -> aé.txt",
            "./d\\xE9/sub\\xFF/caf\\xE9 -> café",
            "./d\\xE9/sub\\xFF -> subÿ",
            "./d\\xE9 -> dé",
            "./\\xE8 -> è",
        ],
    )
    assert tree() == before


def test_names_are_changed_and_brought_back(folder: Path) -> None:
    before = tree()
    done = names("--fix", "latin-1", "--apply", "log.jsonl", ".")
    assert (done.returncode, done.stdout) == (0, names("--fix", "latin-1", ".").stdout + done.stdout)
    assert done.stderr.decode().splitlines() == [
        "eightfold: 5 names changed, 0 left",
        "eightfold: to undo: eightfold names --undo log.jsonl",
    ]
    assert {path: data for path, data in tree().items() if data} == {
        b"./" + name.decode("latin-1").encode() if b"clean" not in name else b"./" + name: name for name in TREE
    }
    done = names("--undo", "log.jsonl")
    assert (done.returncode, done.stderr) == (0, b"eightfold: 5 files renamed back\n")
    assert tree() == before
    done = names("--undo", "log.jsonl")
    assert (done.returncode, done.stderr) == (
        0,
        b"eightfold: 0 files renamed back, 5 already done\n",
    )


TWICE: list[list[str | bytes]] = [
    [".", "."],
    [".", b"d\xe9"],
    [b"d\xe9", "."],
    [b"d\xe9/", b"d\xe9/sub\xff", b"./\xe8"],
]


@pytest.mark.parametrize("paths", TWICE)
def test_what_is_given_twice_is_renamed_once(paths: list[str | bytes], folder: Path) -> None:
    before = tree()
    assert names("--fix", "replace", "--apply", "log.jsonl", *paths).returncode == 0
    assert names(".").returncode == 0
    assert names("--undo", "log.jsonl").returncode == 0
    assert tree() == before


def test_two_files_do_not_get_one_name(folder: Path) -> None:
    make(b"d\xe9/a\xe8.txt")
    before = tree()
    done = names("--fix", "replace", "--apply", "log.jsonl", "--", b"d\xe9")
    assert done.returncode == 2
    assert sorted(done.stderr.decode().splitlines()[:2]) == [
        "eightfold: d\\xE9/a\\xE8.txt: 1 other file would get the same name: a�.txt",
        "eightfold: d\\xE9/a\\xE9.txt: 1 other file would get the same name: a�.txt",
    ]
    left = {data for path, data in tree().items() if os.path.basename(path) in (b"a\xe8.txt", b"a\xe9.txt")}
    assert left == {b"d\xe9/a\xe8.txt", b"d\xe9/a\xe9.txt"}
    assert sorted(data for data in tree().values()) == sorted(before.values())


def test_a_name_that_is_taken_stays_with_its_file(folder: Path) -> None:
    make("d\xe9/a\xe9.txt".encode("latin-1").replace(b"a\xe9", "aé".encode()))
    done = names("--fix", "latin-1", "--apply", "log.jsonl", ".")
    assert done.returncode == 2
    assert done.stderr.decode().splitlines()[:2] == [
        "eightfold: ./d\\xE9/a\\xE9.txt: a file with that name already exists: aé.txt",
        "eightfold: 4 names changed, 1 left",
    ]
    assert tree()["./dé".encode() + b"/a\xe9.txt"] == b"d\xe9/a\xe9.txt"


def test_a_name_that_is_taken_in_the_last_moment_stays_with_its_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As on a file system that takes names for the same which are not."""
    rename = renaming._rename

    def overtaken(old: bytes, new: bytes, folder: int) -> None:
        with open(new, "xb", opener=lambda name, flags: os.open(name, flags, dir_fd=folder)) as file:
            file.write(b"another program's")
        rename(old, new, folder)

    monkeypatch.setattr(renaming, "_rename", overtaken)
    assert main(["names", "--fix", "latin-1", "--apply", "log.jsonl", os.fsdecode(b"\xe8")]) == 2
    assert "\\xE8: a file with that name already exists: è" in capsys.readouterr().err
    assert (tree()[b"./\xe8"], tree()["./è".encode()]) == (b"\xe8", b"another program's")


@pytest.mark.parametrize(
    ("arguments", "name", "reason"),
    [
        (["--fix", "latin-1"], b"\xe9" * 200, "the new name would have 400 bytes, and 255 is the limit here"),
        (["--fix", "latin-1", "-f", "mutf-8"], b"a\xc0\x80", "a name cannot contain \\x00"),
        (["--fix", "strict"], b"\xff", "the policy cannot repair a fault in it"),
        (["--fix", "pairs"], b"\xff", "the policy cannot repair a fault in it"),
    ],
)
def test_what_no_file_can_be_called_is_told(arguments: list[str], name: bytes, reason: str, folder: Path) -> None:
    os.mkdir("one")
    make(b"one/" + name)
    before = tree()
    assert reason.encode() in names(*arguments, "one").stdout
    done = names(*arguments, "--apply", "log.jsonl", "one")
    assert (done.returncode, reason.encode() in done.stderr) == (2, True)
    assert tree() == before
    assert not (folder / "log.jsonl").exists()


def test_names_that_are_utf_8_stay_so_a_second_run_goes_on(folder: Path) -> None:
    assert names("--fix", "escape", "--apply", "one.jsonl", b"d\xe9").returncode == 0
    escaped = tree()
    assert names("--fix", "escape", "--apply", "two.jsonl", "d\uefe9").returncode == 0
    assert tree() == escaped
    assert not (folder / "two.jsonl").exists()


def test_a_log_is_not_overwritten_and_is_there_before_the_first_name_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "log.jsonl").write_text("mine")
    before = tree()
    assert names("--fix", "latin-1", "--apply", "log.jsonl", ".").returncode == 2
    assert tree() == before

    def killed(old: bytes, new: bytes, folder: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(renaming, "_rename", killed)
    assert main(["names", "--fix", "latin-1", "--apply", "new.jsonl", "."]) == 130
    assert len((folder / "new.jsonl").read_bytes().splitlines()) == 6
    assert names("--undo", "new.jsonl").stderr == b"eightfold: 0 files renamed back, 5 already done\n"


@pytest.mark.parametrize(
    "log", [b"d\xe9/log", b"d\xe9/sub\xff/log", b"link/log", b"clean/l\xe9/log", b"./clean/../d\xe9/log"]
)
def test_a_log_in_a_folder_that_is_to_be_renamed_is_refused(log: bytes, folder: Path) -> None:
    """The line that says how to undo would name a path that leads nowhere."""
    os.symlink(b"d\xe9", b"link")
    os.symlink(b"..", b"clean/l\xe9")
    before = tree()
    done = names("--fix", "latin-1", "--apply", log, ".")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"log: its folder is to be renamed; choose another folder\n" in done.stderr
    assert (tree(), os.path.exists(log)) == (before, False)


def test_a_log_in_a_folder_that_stays_is_written(folder: Path) -> None:
    assert names("--fix", "latin-1", "--apply", b"d\xe9/log.jsonl", b"d\xe9/sub\xff").returncode == 0
    done = names("--undo", b"d\xe9/log.jsonl")
    assert (done.returncode, done.stderr) == (0, b"eightfold: 2 files renamed back\n")


def test_what_is_not_there_any_more_is_told_and_the_rest_undone(folder: Path) -> None:
    names("--fix", "latin-1", "--apply", "log.jsonl", ".")
    os.unlink("dé/aé.txt")
    make("dé/a".encode())
    done = names("--undo", "log.jsonl")
    assert done.returncode == 2
    assert done.stderr.decode().splitlines() == [
        "eightfold: d\\xE9/aé.txt: No such file or directory",
        "eightfold: 4 files renamed back",
    ]


def test_an_old_name_that_is_taken_by_now_is_not_overwritten(folder: Path) -> None:
    names("--fix", "latin-1", "--apply", "log.jsonl", b"\xe8")
    with open(b"\xe8", "wb") as file:
        file.write(b"new")
    done = names("--undo", "log.jsonl")
    assert (done.returncode, tree()[b"./\xe8"], tree()["./è".encode()]) == (2, b"new", b"\xe8")


def test_killed_at_any_moment_nothing_is_lost_and_all_comes_back(folder: Path) -> None:
    for number in range(MANY):
        make(b"many\xff/%d\xe9/f\xe8" % number)
    before = tree()
    seed = random.randrange(1 << 30)
    chance, amid = random.Random(seed), 0
    for _ in range(20):
        status, logs = None, list[str]()
        while status is None:
            logs.append(f"log{len(logs)}.jsonl")
            done = renamed()
            wanted = done + chance.randint(0, MANY // 4)  # With 0 it is killed once its log is there.
            status = killed(
                ["names", "--fix", "latin-1", "--apply", logs[-1], "."],
                folder,
                lambda: os.path.exists(logs[-1]) and renamed() >= wanted,
                chance.random() / 500,
            )
            assert sorted(tree().values()) == sorted(before.values()), f"seed {seed}"
            amid += status is None and done < renamed() < MANY
        assert status == 0
        assert names(".").returncode == 0
        for log in reversed(logs):
            if os.path.exists(log):
                assert names("--undo", log).returncode == 0, f"seed {seed}"
                os.unlink(log)
        assert tree() == before
        if amid:
            break
    assert amid, "no run was killed between two of its renames"


def renamed() -> int:
    """Return how many of the many folders have their new names."""
    with suppress(FileNotFoundError):  # Once they all have, the one around them is renamed.
        return MANY - sum(b"\xe9" in name for name in os.listdir(b"many\xff"))
    return MANY


BYTES = st.binary(min_size=1, max_size=4).filter(lambda name: not {0, ord("/")} & {*name} and name not in (b".", b".."))
PATHS = st.sets(st.lists(BYTES, min_size=1, max_size=3).map(b"/".join), max_size=8)


@settings(deadline=None)
@given(paths=PATHS, policy=st.sampled_from(["escape", "replace", "latin-1", "cp1252", "strict"]))
def test_no_file_is_lost_and_every_name_comes_back(
    paths: set[bytes], policy: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("tree"))
        for path in sorted(paths):
            if not os.path.isdir(path) and all(not os.path.isfile(path[:at]) for at in range(len(path))):
                make(path)
        before = tree()
        status = main(["names", "--fix", policy, "--apply", "log.jsonl", "."])
        after = tree()
        assert sorted(after.values()) == sorted(before.values())
        if status == 0:
            assert main(["names", "."]) == 0
        if os.path.exists("log.jsonl"):
            assert main(["names", "--undo", "log.jsonl"]) == 0
        assert tree() == before


def test_where_letters_of_either_case_are_the_same_name_nothing_is_overwritten(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The system's call is asked; here it answers as a file system does that folds case."""
    call = renaming._rename

    def folding(old: bytes, new: bytes, folder: int) -> None:
        there = os.open(".", os.O_RDONLY, dir_fd=folder)
        folded = [unicodedata.normalize("NFC", name).casefold() for name in os.listdir(there)]
        os.close(there)
        if os.fsdecode(new).casefold() in folded:
            raise FileExistsError
        call(old, new, folder)

    monkeypatch.setattr(renaming, "_rename", folding)
    os.mkdir("case")
    make(b"case/\xc9")
    make(b"case/\xe9")
    assert main(["names", "--fix", "latin-1", "--apply", "log.jsonl", "case"]) == 2
    assert "case/\\xE9: a file with that name already exists: é" in capsys.readouterr().err
    assert tree(b"case") == {"case/É".encode(): b"case/\xc9", b"case/\xe9": b"case/\xe9"}


# --- wrong use --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["-"],
        ["missing"],
        ["--apply", "log.jsonl", "."],
        ["--fix", "latin-1", "--apply", "-", "."],
        ["--undo", "log.jsonl", "."],
        ["--undo", "missing.jsonl"],
        ["--undo", "clean/é"],
        ["--fix", "ignore", "."],
        ["--fix", "pairs", "-f", "cesu-8", "."],
        ["-f", "utf-16", "."],
        ["-f", "auto", "."],
        ["s3://bucket/folder/"],
        [".", "memory://folder", "--fix", "latin-1"],
        ["--fix", "latin-1", "--apply", "no/such/folder.jsonl", "."],
    ],
    ids=" ".join,
)
def test_wrong_use(arguments: list[str], folder: Path) -> None:
    before = tree()
    done = names(*arguments)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert tree() == before


def test_a_remote_folder_is_refused_in_words() -> None:
    done = names("s3://bucket/folder/")
    assert done.stderr == b"eightfold: s3://bucket/folder/ is remote: copy it here first to read its names\n"
