"""Datasets: the same faults and the same bytes as file by file, and a whole result or none."""

from __future__ import annotations

import errno
import gzip
import json
import os
import random
import re
import shutil
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from eightfold import cli
from eightfold.cli.commands.repair import datasets
from eightfold.cli.work.datasets import pieces as cutting
from eightfold.cli.work.datasets import targets
from eightfold.cli.work.datasets.runners import local
from eightfold.files import FileError
from eightfold.files.paths.addresses import TEMPORARY
from eightfold.files.write.flocks import locked
from eightfold.forms.utf_8 import UTF_8
from eightfold.repair import repair
from support.datasets import LINES, dataset, tables_in
from support.trees import files_in
from support.workers import DyingOnce, DyingWork
from tests.support.table_files import KINDS, ill_named, written

pytest.importorskip("pyarrow")


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "processors", lambda: 1)


def faults(capsys: Any, *arguments: str) -> list[Any]:
    status = cli.main(["check", "--output-format", "json", *arguments])
    out, said = capsys.readouterr()
    assert status in (0, 1), said  # else the report ends where the work did
    return [(file["path"], file["faults"]) for file in json.loads(out)["files"]]


def test_check_finds_what_it_finds_file_by_file(tmp_path: Path, capsys: Any) -> None:
    dataset(tmp_path / "in")
    paths = [tmp_path / "in" / name for name in sorted(files_in(tmp_path / "in"))]
    shown = [str(path) for path in paths if path.name[0] not in "_." and path.name != "image.bin"]
    one_by_one = faults(capsys, *shown)
    assert faults(capsys, "--runner", "local", "-j", "1", str(tmp_path / "in")) == one_by_one
    assert cli.main(["check", "--runner", "local", "-j", "1", str(tmp_path / "in")]) == 1
    out, said = capsys.readouterr()
    assert len(out.splitlines()) == sum(len(found) for _, found in one_by_one) == 20
    assert "2 hidden files skipped (names that begin with _ or .)" in said


def test_a_file_that_cannot_be_opened_is_not_called_read(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 broken PAR1")
    said = []
    for given in ([str(tmp_path / "a.parquet")], ["--runner", "local", "-j", "1", str(tmp_path)]):
        assert cli.main(["check", *given]) == 2
        said.append(capsys.readouterr().err)
    assert said[0] == said[1]
    assert "1 unreadable: nothing was read" in said[1]


def test_a_page_shows_the_sizes_of_files(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "PIECE_BYTES", 1000)
    (tmp_path / "text").write_bytes(b"line\n" * 300 + b"\xff\n" + b"line\n" * 300)
    (tmp_path / "packed.gz").write_bytes(gzip.compress(b"line\xff\n"))
    pages = []
    for given in ([str(tmp_path / "packed.gz"), str(tmp_path / "text")], ["--runner", "local", str(tmp_path)]):
        assert cli.main(["check", "--output-format", "html", *given]) == 1
        pages.append(re.findall(r"[^<>]*, [0-9,]+ bytes|[^<>]*have faults[^<>]*", capsys.readouterr().out))
    assert pages[0] == pages[1]
    assert [line for line in pages[0] if "3,002 bytes" in line]


@pytest.mark.parametrize("size", [1, 7, 64, 4096])
def test_text_in_pieces_has_the_faults_of_the_whole(
    size: int, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = random.Random(size)
    units = [b"a", b"\n", "é".encode(), "語".encode(), "😀".encode(), b"\xff", b"\xe9", b"\xed\xa0\xbd", b"\x80"]
    (tmp_path / "text").write_bytes(b"".join(drawn.choices(units, k=3000)))
    whole = faults(capsys, str(tmp_path / "text"))
    monkeypatch.setattr(cutting, "PIECE_BYTES", size)
    count = len(cutting.pieces_of([str(tmp_path / "text")], UTF_8, unpack=True))
    assert count > min(3, 6000 // size)
    given = ("--runner", "local", "-j", "1", "--max-faults", "100000", str(tmp_path / "text"))
    assert faults(capsys, *given) == whole


@pytest.mark.parametrize("policy", ["escape", "replace", "latin-1", "cp1252"])
def test_text_in_pieces_is_repaired_as_the_whole(
    policy: str, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = (LINES + "\uef80語".encode() + b"\xf0\x9f\x98 ") * 50
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "lines").write_bytes(data)
    monkeypatch.setattr(cutting, "PIECE_BYTES", 100)
    given = ["repair", "--runner", "local", "--lossy", "--errors", policy, str(tmp_path / "in")]
    assert cli.main([*given, "-o", str(tmp_path / "out")]) == 0
    assert files_in(tmp_path / "out") == {"lines": repair(data, errors=policy)}
    assert "1 file written to" in capsys.readouterr().err


def test_a_later_piece_may_begin_as_another_form_does(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b"line\n" * 20 + b"\xff\xfeline\n" + b"line\n" * 30
    (tmp_path / "in").write_bytes(data)
    monkeypatch.setattr(cutting, "PIECE_BYTES", 100)
    given = ["repair", "--runner", "local", str(tmp_path / "in"), "-o"]
    assert cli.main([*given, str(tmp_path / "out")]) == 0
    assert files_in(tmp_path / "out") == {"in": repair(data)}
    capsys.readouterr()
    assert cli.main([*given, str(tmp_path / "no"), "--errors", "strict"]) == 1
    assert ", at byte 100" in capsys.readouterr().err, "it is counted from the beginning of the file"


def test_only_the_faults_that_are_shown_are_kept_and_all_are_counted(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad").write_bytes(b"\xff \n" * 3000)
    monkeypatch.setattr(cutting, "PIECE_BYTES", 1000)
    assert cli.main(["check", "--runner", "local", "-j", "1", str(tmp_path / "bad")]) == 1
    out, said = capsys.readouterr()
    assert len(out.splitlines()) == 1000
    assert "3000 errors" in said
    assert "2000" in said


def test_a_lock_of_a_folder_that_another_run_has_just_removed_is_none(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(descriptor: int) -> bool | None:
        [folder] = tmp_path.glob(".out*")
        shutil.rmtree(folder)
        return locked(descriptor)

    monkeypatch.setattr(targets, "locked", late)
    (tmp_path / "in").write_bytes(b"a\xff")
    given = ["repair", "--runner", "local", "-o", str(tmp_path / "out"), str(tmp_path / "in")]
    assert cli.main(given) == 2
    assert "out: another run is writing it" in capsys.readouterr().err
    monkeypatch.undo()
    assert cli.main(given) == 0


def test_what_is_not_looked_for_is_said(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "lines.jsonl").write_bytes(b'"\\ud83d"\n')
    for options, said in ((["-j", "1"], True), (["-j", "1", "--escapes", "off"], False)):
        assert cli.main(["check", "--runner", "local", *options, str(tmp_path)]) == 0
        assert ("escapes in JSON are not looked for" in capsys.readouterr().err) is said


def test_repair_writes_the_same_tables_and_text(tmp_path: Path, capsys: Any) -> None:
    dataset(tmp_path / "in")
    before = files_in(tmp_path / "in")
    assert cli.main(["repair", "--runner", "local", str(tmp_path / "in"), "-o", str(tmp_path / "out")]) == 0
    assert files_in(tmp_path / "in") == before
    after = files_in(tmp_path / "out")
    assert set(after) == {name for name in before if not os.path.basename(name).startswith(("_", "."))}
    assert after["lines.txt"] == repair(LINES)
    assert gzip.decompress(after["packed.txt.gz"]) == repair(LINES)
    assert after["image.bin"] == before["image.bin"]
    tables = tables_in(tmp_path / "out")
    assert [table["name"].to_pylist() for table in tables] == [["ok", "caf\uefe9", None, "x\uefff"] * 2] * 3
    assert cli.main(["check", "--runner", "local", "-j", "1", str(tmp_path / "out")]) == 0
    assert "1 binary file copied unchanged" in capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
def test_names_and_metadata_of_tables_are_repaired_as_file_by_file(kind: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "in").mkdir()
    path = written(tmp_path / "in", kind, ill_named())
    given = ["repair", "--runner", "local", str(tmp_path / "in"), "-o"]
    assert cli.main([*given, str(tmp_path / "no"), "--errors", "strict"]) == 1
    assert "sequence E9 is cut short by the end of the input" in capsys.readouterr().err
    assert cli.main([*given, str(tmp_path / "out")]) == 0
    assert "1 file written to" in capsys.readouterr().err
    assert cli.main(["repair", str(path), "-o", str(tmp_path / "alone")]) == 0
    assert files_in(tmp_path / "out") == {path.name: (tmp_path / "alone").read_bytes()}
    (table,) = tables_in(tmp_path / "out")
    assert table.column_names == ["caf\uefe9", "plain"]
    assert cli.main(["check", "--runner", "local", "-j", "1", str(tmp_path / "out")]) == 0


def test_two_processes_write_what_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a", "b", "c"):
        (tmp_path / "in" / name).write_bytes(LINES * 5)
    monkeypatch.setattr(cutting, "PIECE_BYTES", 50)
    for count in ("1", "2"):
        monkeypatch.setattr(datasets, "processors", partial(int, count))
        assert cli.main(["repair", "--runner", "local", str(tmp_path / "in"), "-o", str(tmp_path / count)]) == 0
    assert files_in(tmp_path / "1") == files_in(tmp_path / "2") == dict.fromkeys("abc", repair(LINES * 5))


def test_a_process_that_dies_ends_the_job(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="a worker process ended too early"):
        list(local(DyingOnce(tmp_path / "attempted").batch, [1, 2, 3, 4], 2))


def test_a_repair_whose_process_dies_is_not_told_to_use_an_option_of_others(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").write_bytes(LINES * 5)
    monkeypatch.setattr(cutting, "PIECE_BYTES", 50)
    dying = DyingWork(repr, None)
    monkeypatch.setattr(datasets, "results", lambda runner, work, items, jobs: local(dying, items, 2))
    assert cli.main(["repair", "--runner", "local", "in", "-o", "out"]) == 2
    says = "--runner: a worker process ended too early; repair the files without it"
    assert capsys.readouterr().err == f"eightfold: {says}\n"
    assert not (tmp_path / "out").exists()


# --- whole or not at all ----------------------------------------------------------------------------------------------


def beside(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["--errors", "strict"], 1, "choose another policy"),
        (["--errors", "latin-1"], 2, "use --lossy to write anyway"),
        (["--errors", "replace"], 2, "use --lossy to write anyway"),
    ],
)
def test_what_cannot_be_repaired_leaves_nothing(
    arguments: list[str], status: int, reason: str, tmp_path: Path, capsys: Any
) -> None:
    dataset(tmp_path / "in")
    given = ["repair", "--runner", "local", *arguments, str(tmp_path / "in"), "-o", str(tmp_path / "out")]
    assert cli.main(given) == status
    said = capsys.readouterr().err
    assert reason in said
    assert "out is not written" in said
    assert beside(tmp_path) == {"in"}


@pytest.mark.parametrize("name", ["day=1/part-0.parquet", "day=2/part-0.arrow"])
def test_a_malformed_table_leaves_nothing(name: str, tmp_path: Path, capsys: Any) -> None:
    dataset(tmp_path / "in")
    path = tmp_path / "in" / name
    path.write_bytes(path.read_bytes()[:-30])
    given = ["repair", "--runner", "local", str(tmp_path / "in"), "-o", str(tmp_path / "out")]
    assert cli.main(given) == 2
    assert "malformed" in capsys.readouterr().err
    assert beside(tmp_path) == {"in"}
    assert cli.main(["check", "--runner", "local", "-j", "1", str(tmp_path / "in")]) == 2


def test_what_a_killed_run_left_is_removed_and_another_run_is_left_alone(tmp_path: Path, capsys: Any) -> None:
    fcntl = pytest.importorskip("fcntl")
    dataset(tmp_path / "in")
    folder = tmp_path / f".out{TEMPORARY}"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "half").write_bytes(b"half")
    given = ["repair", "--runner", "local", str(tmp_path / "in"), "-o", str(tmp_path / "out")]
    with open(folder / "lock", "wb") as lock:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
        assert cli.main(given) == 2
        assert "another run is writing it" in capsys.readouterr().err
        assert (folder / "data" / "half").exists()
    assert cli.main(given) == 0
    assert beside(tmp_path) == {"in", "out"}
    assert "half" not in files_in(tmp_path / "out")


@pytest.mark.parametrize("left", ["data", "attempts"])
def test_a_link_in_place_of_what_a_killed_run_leaves_is_not_followed(left: str, tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("fcntl")
    (tmp_path / "in").write_bytes(b"a\xff")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "precious").touch()
    link = tmp_path / f".out{TEMPORARY}" / left
    link.parent.mkdir()
    link.symlink_to(tmp_path / "mine")
    assert cli.main(["repair", "--runner", "local", str(tmp_path / "in"), "-o", str(tmp_path / "out")]) == 2
    assert "File exists" in capsys.readouterr().err
    assert beside(tmp_path / "mine") == {"precious"}
    assert not (tmp_path / "out").exists()


def test_without_locks_a_run_works_and_refuses_what_another_left(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")

    def refusing(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refusing)
    dataset(tmp_path / "in")
    given = ["repair", "--runner", "local", str(tmp_path / "in"), "-o", str(tmp_path / "out")]
    half = tmp_path / f".out{TEMPORARY}" / "data" / "half"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"half")
    assert cli.main(given) == 2
    assert "another run is writing it, or was stopped: remove it if none is writing" in capsys.readouterr().err
    assert half.exists()
    shutil.rmtree(half.parent)
    assert cli.main(given) == 0
    assert beside(tmp_path) == {"in", "out"}


def test_every_file_is_on_the_disk_before_the_folder_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync, rename = os.fsync, os.rename
    synced: dict[int, int] = {}
    unsynced: list[str] = []

    def noted(descriptor: int) -> None:
        sync(descriptor)
        status = os.fstat(descriptor)
        synced[status.st_ino] = status.st_size

    def renamed(source: str, target: str) -> None:
        paths = [path for path in Path(source).rglob("*") if path.is_file()]
        unsynced.extend(str(path) for path in paths if synced.get(path.stat().st_ino) != path.stat().st_size)
        rename(source, target)

    dataset(tmp_path / "in")
    (tmp_path / "in" / "cut.txt").write_bytes(LINES * 20)
    monkeypatch.setattr(cutting, "PIECE_BYTES", 100)
    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(os, "rename", renamed)
    assert cli.main(["repair", "--runner", "local", str(tmp_path / "in"), "-o", str(tmp_path / "out")]) == 0
    assert unsynced == []
    assert files_in(tmp_path / "out")["cut.txt"] == repair(LINES * 20)


def test_an_attempt_that_fails_leaves_no_file(tmp_path: Path) -> None:
    from eightfold.cli.work.datasets.pieces import Piece
    from eightfold.cli.work.datasets.targets import writing_to

    piece = Piece("in/a", "a")
    with writing_to(str(tmp_path / "out"), [piece]) as target:
        with pytest.raises(TypeError), target.writing(piece) as file:
            file.writelines([b"half", None])  # type: ignore[list-item]
        for _ in range(2):  # retried although it had succeeded
            with target.writing(piece) as file:
                file.write(b"whole")
    assert files_in(tmp_path / "out") == {"a": b"whole"}


def test_who_is_late_makes_nothing_anew(tmp_path: Path) -> None:
    from eightfold.cli.work.datasets.pieces import Piece
    from eightfold.cli.work.datasets.targets import writing_to

    piece = Piece("in/a", "b/a")
    with pytest.raises(KeyError), writing_to(str(tmp_path / "out"), [piece]) as target:
        raise KeyError
    with pytest.raises(FileError, match="No such file"), target.writing(piece) as file:
        file.write(b"late")
    assert beside(tmp_path) == set()
    late = ExitStack()
    with writing_to(str(tmp_path / "out"), [piece]) as target:
        late.enter_context(target.writing(piece)).write(b"begun in time")
    with pytest.raises(FileError, match="No such file"):
        late.close()
    assert beside(tmp_path) == {"out"}
    assert files_in(tmp_path / "out") == {}


def test_a_folder_that_exists_is_not_touched(tmp_path: Path, capsys: Any) -> None:
    dataset(tmp_path / "in")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    (tmp_path / "link").symlink_to("out")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link to empty").symlink_to("empty")
    for name in ("out", "link", "link to empty", "in"):
        given = ["repair", "--runner", "local", str(tmp_path / "in"), "-o", str(tmp_path / name)]
        assert cli.main(given) == 2
        assert "exists already; choose a new folder" in capsys.readouterr().err
    assert beside(tmp_path / "out") == {"mine"}


def test_links_in_a_dataset_are_refused(tmp_path: Path, capsys: Any) -> None:
    dataset(tmp_path / "in")
    (tmp_path / "in" / "link").symlink_to("/etc/passwd")
    assert cli.main(["check", "--runner", "local", str(tmp_path / "in")]) == 2
    assert "is not a regular file" in capsys.readouterr().err


def test_a_dataset_that_is_refused_is_unreadable_and_the_report_is_whole(tmp_path: Path, capsys: Any) -> None:
    for name in ("good", "linked", "piped"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_bytes(b"\xff")
    (tmp_path / "linked" / "link").symlink_to("a.txt")
    os.mkfifo(tmp_path / "piped" / "pipe")
    refused = [tmp_path / name for name in ("missing", "linked/link", "piped/pipe")]
    roots = [str(tmp_path / name) for name in ("missing", "linked", "good", "piped")]
    assert cli.main(["check", "--runner", "local", "--output-format", "json", *roots]) == 2
    out, said = capsys.readouterr()
    files = {file["path"]: file for file in json.loads(out)["files"]}
    assert set(files) == {*map(str, refused), str(tmp_path / "good" / "a.txt")}
    assert [files[str(path)]["well_formed"] for path in refused] == [None] * 3
    assert json.loads(out)["summary"]["unreadable"] == 3
    assert f"eightfold: {tmp_path}/missing: No such file or directory\n" in said


@pytest.mark.parametrize("output_format", ["json", "jsonl", "sarif", "gitlab", "text"])
def test_a_missing_dataset_is_reported_like_a_missing_file(
    output_format: str, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = ["check", "--output-format", output_format, "missing"]
    assert cli.main(given) == 2
    expected = capsys.readouterr()
    assert cli.main([*given, "--runner", "local"]) == 2
    assert capsys.readouterr() == expected


@pytest.fixture
def beside_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, the current one, with a dataset `in` of one file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_bytes(b"a")
    return tmp_path


@pytest.mark.parametrize("line", ["form = 'cesu-8'", "form = 'auto'", "form-map = { '*.x' = 'utf-16' }"])
@pytest.mark.parametrize("command", [["check"], ["repair", "-o", "out"]], ids=" ".join)
def test_a_form_of_a_configuration_is_not_passed_over(
    line: str, command: list[str], beside_dataset: Path, capsys: Any
) -> None:
    (beside_dataset / "in" / "eightfold.toml").write_text(line)
    for path in ("in", "in/a.txt"):
        assert cli.main([*command, "--runner", "local", path]) == 2
        says = "--runner does not take forms from in/eightfold.toml: give the form with -f"
        assert capsys.readouterr().err == f"eightfold: {says}\n"
    assert cli.main([*command, "--runner", "local", "-f", "utf-8", "in"]) == 0
    shutil.rmtree("out", ignore_errors=True)
    (beside_dataset / "in" / "eightfold.toml").write_text("form = 'utf-8'")
    assert cli.main([*command, "--runner", "local", "in"]) == 0


@pytest.mark.parametrize("line", ["include = ['*.csv']", "exclude = ['a.txt']"])
@pytest.mark.parametrize("command", [["check"], ["repair", "-o", "out"]], ids=" ".join)
def test_files_that_a_configuration_leaves_out_are_read_and_it_is_said(
    line: str, command: list[str], beside_dataset: Path, capsys: Any
) -> None:
    (beside_dataset / "eightfold.toml").write_text(line)
    note = "eightfold: a dataset is read whole: include and exclude of eightfold.toml do not apply (--no-config)\n"
    for options, is_said in (["in"], True), (["--no-config", "in"], False), (["in/a.txt"], False):
        assert cli.main([*command, "--runner", "local", *options]) == 0
        said = capsys.readouterr().err
        assert "1 file" in said
        assert (note in said) is is_said
        shutil.rmtree("out", ignore_errors=True)


@pytest.mark.parametrize("runner", ["spark", "ray"])
def test_an_engine_that_is_not_installed_leaves_no_half_report(
    runner: str, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pyspark.sql", "ray"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "a.txt").write_bytes(b"a")
    assert cli.main(["check", "--runner", runner, "--output-format", "json", str(tmp_path)]) == 2
    out, said = capsys.readouterr()
    assert out == ""
    assert f"--runner: {runner} is not installed: " in said


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["check", "--runner", "dask", "in"], "'dask' is not one of local, spark, ray"),
        (["check", "--runner", "local"], "--runner needs a dataset"),
        (["check", "--runner", "local", "--files-from", "list"], "--runner and --files-from cannot be combined"),
        (["check", "--runner", "local", "--context", "in"], "--runner and --context cannot be combined"),
        (["check", "--runner", "local", "--include", "*.a", "in"], "--runner and --include cannot be combined"),
        (["check", "--runner", "local", "-f", "auto", "in"], "cannot identify the form"),
        (["repair", "--runner", "local", "--binary", "-o", "out", "in"], "--runner and --binary cannot be combined"),
        (["repair", "--runner", "local", "in"], "--runner needs -o FOLDER"),
        (["repair", "--runner", "local", "-o", "out", "--files-from", "list"], "--runner and --files-from cannot be"),
        (["repair", "--runner", "local", "-z", "in"], "-z needs --files-from"),
        (["repair", "--runner", "local", "--escapes", "repair", "in"], "--runner and --escapes cannot be combined"),
        (["repair", "--runner", "local", "--in-place", "in"], "--runner and --in-place cannot be combined"),
        (["repair", "--runner", "local", "-o", "in/out", "in"], "it is inside the dataset"),
        (["repair", "--runner", "local", "-o", "file:///in/out", "file:///in"], "it is inside the dataset"),
        (["repair", "--runner", "local", "-o", "out", "in", "in"], "one dataset at a time"),
        (["repair", "--runner", "local", "-o", "out", "-f", "auto", "in"], "cannot identify the form"),
        (["repair", "--runner", "local", "-o", "out", "-f", "utf-16", "in"], "repair reads 8-bit forms"),
    ],
)
def test_wrong_use(arguments: list[str], reason: str, capsys: Any) -> None:
    assert cli.main(arguments) == 2
    assert reason in capsys.readouterr().err


# --- remote -----------------------------------------------------------------------------------------------------------


def test_a_remote_dataset(tmp_path: Path, capsys: Any) -> None:
    pytest.importorskip("fsspec")
    dataset(tmp_path / "in")
    here, there = str(tmp_path / "in"), f"file://{tmp_path}/in"
    found = faults(capsys, "--runner", "local", "-j", "1", here)
    assert [
        (path.removeprefix("file://"), each) for path, each in faults(capsys, "--runner", "local", "-j", "1", there)
    ] == found
    assert cli.main(["repair", "--runner", "local", here, "-o", str(tmp_path / "out")]) == 0
    assert cli.main(["repair", "--runner", "local", there, "-o", f"file://{tmp_path}/remote"]) == 0
    remote = files_in(tmp_path / "remote")
    assert remote.pop("_SUCCESS") == b""
    assert remote == files_in(tmp_path / "out")
    assert cli.main(["repair", "--runner", "local", there, "-o", f"file://{tmp_path}/remote"]) == 2
    assert "it is not empty" in capsys.readouterr().err
    assert cli.main(["repair", "--runner", "local", "--errors", "strict", there, "-o", f"file://{tmp_path}/no"]) == 1
    assert files_in(tmp_path / "no") == {}
