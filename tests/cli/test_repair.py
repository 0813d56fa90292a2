"""`repair`: the library's result in files, plans for several of them, what is refused, and nothing half written."""

from __future__ import annotations

import errno
import json
import os
import sys
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import repair
from eightfold.cli import main
from eightfold.files import FileError
from eightfold.files.read import reading
from eightfold.files.records.plan_files import Draft, begin_plan, plans_in
from eightfold.files.write import writing
from support.command_line import run_here, transcript
from support.peaks import peak
from support.trees import files_in

SOUP = b"caf\xe9 \xed\xa0\xbd\xed\xb8\x80\n\xf0\x9f\x98\x80 \xc0\x80\xe2\x82\n" + "\uef80 漢".encode() + b"\xff\xf4"
MIXED = b"a \xed\xa0\xbd\xed\xb8\x80 \xf0\x9f\x98\x80\n"
TOTAL = ("escape", "replace", "latin-1", "cp1252")


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CHUNK_BYTES", 7)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in: two files to repair, one that is clean."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep").mkdir()
    (tmp_path / "soup.txt").write_bytes(SOUP)
    (tmp_path / "deep" / "mixed.txt").write_bytes(MIXED)
    (tmp_path / "deep" / "clean.txt").write_bytes("zwölf\n".encode())
    return tmp_path


# --- what is written --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("errors", TOTAL)
@pytest.mark.parametrize("form", [form.name for form in eightfold.forms() if form.unit_bits == 8])
def test_what_is_written_is_the_library_s_one_shot(form: str, errors: str, folder: Path) -> None:
    status = main(["repair", "-f", form, "--errors", errors, "--lossy", "-o", "out.txt", "soup.txt"])
    in_files = "corrected-utf-8-sig" if form == "corrected-utf-8" else form
    assert status == 0
    assert (folder / "out.txt").read_bytes() == repair.repair(SOUP, in_files, errors)
    assert (folder / "soup.txt").read_bytes() == SOUP


def test_pairs_are_written_as_four_bytes(folder: Path) -> None:
    assert main(["repair", "--errors", "pairs", "--lossy", "-o", "out.txt", "deep/mixed.txt"]) == 0
    assert (folder / "out.txt").read_text(encoding="utf-8") == "a 😀 😀\n"


def test_in_place_only_what_changes_is_replaced(folder: Path) -> None:
    clean = folder / "deep" / "clean.txt"
    before = clean.stat()
    assert main(["repair", "--in-place", "--backup", ".orig", "."]) == 0
    assert files_in(folder) == {
        "soup.txt": repair.repair(SOUP),
        "soup.txt.orig": SOUP,
        "deep/mixed.txt": repair.repair(MIXED),
        "deep/mixed.txt.orig": MIXED,
        "deep/clean.txt": "zwölf\n".encode(),
    }
    assert (clean.stat().st_ino, clean.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_folder_is_repaired_into_another(folder: Path) -> None:
    assert main(["repair", "-o", "out", "deep"]) == 0
    assert (folder / "out" / "mixed.txt").read_bytes() == repair.repair(MIXED)
    assert (folder / "out" / "clean.txt").read_bytes() == "zwölf\n".encode()


def test_standard_input_to_standard_output() -> None:
    done = run_here("repair", "-o", "-", input=SOUP)
    assert (done.returncode, done.stdout) == (0, repair.repair(SOUP))


def test_showing_writes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files_in(folder)
    assert main(["repair", "."]) == 1
    plans = {"./soup.txt": repair.plan(SOUP), "./deep/mixed.txt": repair.plan(MIXED)}
    assert capsys.readouterr().out.splitlines() == [
        f"{path}:{change.line}:{change.column}: {change}" for path, plan in plans.items() for change in plan.changes
    ]
    assert files_in(folder) == before


# --- loss -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("errors", ["replace", "latin-1", "cp1252"])
@pytest.mark.parametrize("to", [["--in-place"], ["-o", "out.txt"]], ids=["in place", "output"])
def test_loss_is_counted_and_not_written_unasked(
    errors: str, to: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files_in(folder)
    assert main(["repair", "--errors", errors, *to, "soup.txt"]) == 2
    assert files_in(folder) == before
    count = repair.plan(SOUP, errors=errors).lossy_count
    assert f"soup.txt: {count} lossy changes: {to[-1] if to[0] == '-o' else 'soup.txt'} is not written" in (
        capsys.readouterr().err
    )


def test_standard_output_ends_before_what_would_be_lost() -> None:
    clean = b"a" * (1 << 17)
    done = run_here("repair", "--errors", "replace", "-o", "-", input=clean + b"\xff" + clean)
    assert (done.returncode, clean.startswith(done.stdout)) == (2, True)
    assert b"-: 1 lossy change: the output ends before it; use --lossy to write anyway" in done.stderr


@pytest.mark.parametrize("errors", ["replace", "pairs", "latin-1", "cp1252"])
def test_where_nothing_is_lost_no_leave_is_needed(errors: str, folder: Path) -> None:
    assert main(["repair", "--errors", errors, "-o", "out.txt", "deep/clean.txt"]) == 0
    assert (folder / "out.txt").read_bytes() == "zwölf\n".encode()


def test_another_form_read_strictly_loses_nothing(folder: Path) -> None:
    (folder / "cesu.txt").write_bytes(b"\xed\xa0\xbd\xed\xb8\x80")
    assert main(["repair", "-f", "cesu-8", "--errors", "replace", "--in-place", "cesu.txt"]) == 0
    assert (folder / "cesu.txt").read_text(encoding="utf-8") == "😀"


@pytest.mark.parametrize("errors", ["strict", "pairs"])
def test_a_fault_without_an_answer_is_shown_and_the_next_file_comes(
    errors: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["repair", "--errors", errors, "--lossy", "--in-place", "soup.txt", "deep/clean.txt"]) == 1
    message = capsys.readouterr().err
    assert "soup.txt:1:4: truncated: sequence E9 is cut short by another byte, at byte 3\n" in message
    assert "soup.txt is not written; try --errors escape" in message
    assert "2 files read, 0 written, 1 stopped: 0 changes" in message
    assert (folder / "soup.txt").read_bytes() == SOUP


# --- plans ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("errors", TOTAL)
def test_a_plan_is_applied_and_undone(errors: str, folder: Path) -> None:
    before = files_in(folder)
    assert main(["repair", "--errors", errors, "--plan", "plan.json", "."]) == 0
    plan_file = (folder / "plan.json").read_bytes()
    assert files_in(folder) == {**before, "plan.json": plan_file}
    assert main(["repair", "--apply", "plan.json"]) == 0
    assert files_in(folder) == {
        **before,
        "soup.txt": repair.repair(SOUP, errors=errors),
        "deep/mixed.txt": repair.repair(MIXED, errors=errors),
        "plan.json": plan_file,
    }
    assert main(["repair", "--undo", "plan.json"]) == 0
    assert files_in(folder) == {**before, "plan.json": plan_file}


def read_plans(path: str) -> dict[str, repair.Plan]:
    """Return what a plan file says, as the library has it."""
    with reading.opened(path) as source:
        return {
            each.path: repair.Plan(each.form, each.errors, *each.digests, tuple(each.changes))
            for each in plans_in(source)
        }


def test_a_plan_holds_the_files_that_change(folder: Path) -> None:
    main(["repair", "--plan", "plan.json", "."])
    heading, *lines = [json.loads(line) for line in (folder / "plan.json").read_bytes().splitlines()]
    assert heading == {"eightfold": "plan", "version": 1}
    assert [line["path"] for line in lines if "path" in line] == ["soup.txt", "deep/mixed.txt"]
    assert read_plans("plan.json") == {"soup.txt": repair.plan(SOUP), "deep/mixed.txt": repair.plan(MIXED)}


def test_a_file_that_is_met_twice_is_planned_once(folder: Path) -> None:
    (folder / "link").symlink_to("soup.txt")
    main(["repair", "--plan", "plan.json", "soup.txt", ".", "./link"])
    assert list(read_plans("plan.json")) == ["soup.txt", "deep/mixed.txt"]


def test_a_file_that_stops_leaves_nothing_in_the_plan(folder: Path) -> None:
    assert main(["repair", "--errors", "pairs", "--plan", "plan.json", "soup.txt", "deep"]) == 1
    assert list(read_plans("plan.json")) == ["deep/mixed.txt"]


def test_a_plan_that_lists_no_file_is_a_plan_too(folder: Path) -> None:
    before = files_in(folder)
    assert main(["repair", "--plan", "plan.json", "deep/clean.txt"]) == 0
    assert (folder / "plan.json").read_bytes() == HEADING
    assert main(["repair", "--apply", "plan.json"]) == 0
    assert files_in(folder) == {**before, "plan.json": HEADING}


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="there are no extended attributes here")
def test_extended_attributes_are_kept_whichever_way_a_file_is_repaired(folder: Path) -> None:
    try:
        os.setxattr("soup.txt", "user.origin", b"https://example.org")
    except OSError as error:
        pytest.skip(f"extended attributes: {error.strerror}")
    main(["repair", "--plan", "plan.json", "soup.txt"])
    for way in (["--apply", "plan.json"], ["--undo", "plan.json"], ["--in-place", "soup.txt"]):
        inode = os.stat("soup.txt").st_ino
        assert main(["repair", *way]) == 0
        assert os.stat("soup.txt").st_ino != inode
        assert os.getxattr("soup.txt", "user.origin") == b"https://example.org"


def test_a_plan_that_is_cut_short_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["repair", "--plan", "plan.json", "."])
    before = files_in(folder)
    lines = before["plan.json"].splitlines(keepends=True)
    for kept in range(len(lines)):
        (folder / "plan.json").write_bytes(b"".join(lines[:kept]))
        status = main(["repair", "--apply", "plan.json"])
        whole = kept == 1 or kept == 1 + lines[1:].index(next(line for line in lines[2:] if b'"path"' in line))
        assert status == (0 if whole else 2)
        after = files_in(folder)
        assert {name for name in before if name != "plan.json" and after[name] != before[name]} == (
            {"soup.txt"} if whole and kept > 1 else set()
        )
        main(["repair", "--undo", "plan.json"])
    assert "this plan is truncated: its last file has more changes" in capsys.readouterr().err


SESSION = """\
$ eightfold repair --errors latin-1 --plan plan.json deep soup.txt
! eightfold: 3 files read, 2 in the plan: 9 changes, 9 lossy
! eightfold: next: eightfold repair --apply plan.json; to undo: eightfold repair --undo plan.json
(exit status 0)
$ eightfold repair --apply plan.json deep
! eightfold: 1 file repaired
(exit status 0)
$ eightfold repair --apply plan.json
! eightfold: 1 file repaired, 1 already done
(exit status 0)
$ eightfold repair --apply plan.json deep/clean.txt
! eightfold: plan.json does not list deep/clean.txt
(exit status 2)
$ eightfold repair --undo plan.json soup.txt
! eightfold: 1 file undone
(exit status 0)
$ eightfold repair --undo plan.json
! eightfold: 1 file undone, 1 already done
(exit status 0)
$ eightfold repair --plan plan.json soup.txt
! eightfold: --plan plan.json: this file already exists; move it or choose another name
(exit status 2)
$ eightfold repair --errors escape --apply plan.json
! eightfold: the plan sets the form and the policy: --apply and --undo do not take -f or --errors
(exit status 2)
"""


def test_a_session_with_a_plan(folder: Path) -> None:
    lines = [line.removeprefix("$ ") for line in SESSION.splitlines() if line.startswith("$ ")]
    assert "".join(transcript(line, folder, run_here) for line in lines) == SESSION
    assert (folder / "soup.txt").read_bytes() == SOUP


@pytest.mark.parametrize("way", ["--apply", "--undo"])
def test_a_file_that_is_not_the_plan_s_is_refused_and_the_others_are_not(
    way: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["repair", "--plan", "plan.json", "soup.txt", "deep"])
    if way == "--undo":
        main(["repair", "--apply", "plan.json"])
    changed = (folder / "soup.txt").read_bytes() + b"x"
    (folder / "soup.txt").write_bytes(changed)
    assert main(["repair", way, "plan.json"]) == 2
    # A new plan would not know the old bytes.
    reasons = {
        "--apply": "it is not the file in the plan, or it has changed since: make a new plan",
        "--undo": "it is not the result of the plan, or it has changed since: the plan lists the old bytes of each "
        "change",
    }
    assert f"eightfold: soup.txt: {reasons[way]}\n" in capsys.readouterr().err
    assert (folder / "soup.txt").read_bytes() == changed
    assert (folder / "deep/mixed.txt").read_bytes() == (MIXED if way == "--undo" else repair.repair(MIXED))


def test_a_file_that_changes_while_the_plan_is_applied_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["repair", "--plan", "plan.json", "soup.txt"])
    rewind = reading.Source.rewind

    def changing(source: reading.Source) -> None:
        if source.path == "soup.txt":
            (folder / "soup.txt").write_bytes(SOUP[:-1] + b"x")
        rewind(source)

    monkeypatch.setattr(reading.Source, "rewind", changing)
    assert main(["repair", "--apply", "plan.json"]) == 2
    assert "soup.txt: the plan is for other bytes" in capsys.readouterr().err
    assert files_in(folder)["soup.txt"] == SOUP[:-1] + b"x"
    assert [name for name in files_in(folder) if name.endswith(".tmp")] == []


def test_a_missing_file_is_told_and_the_others_are_repaired(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["repair", "--plan", "plan.json", "soup.txt", "deep"])
    (folder / "soup.txt").unlink()
    assert main(["repair", "--apply", "plan.json"]) == 2
    said = capsys.readouterr().err
    assert "soup.txt: No such file or directory" in said
    assert "relative to" not in said
    assert (folder / "deep/mixed.txt").read_bytes() == repair.repair(MIXED)


@pytest.mark.parametrize(
    ("root", "named"), [([], "the current folder"), (["--root", "."], "."), (["--root", ".."], "")]
)
def test_where_a_plan_finds_none_of_its_files_the_root_is_named(
    root: list[str], named: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["repair", "--plan", "plan.json", "deep"])
    monkeypatch.chdir(folder / "deep")
    capsys.readouterr()
    assert main(["repair", "--apply", "../plan.json", *root]) == (2 if named else 0)
    advice = f"paths in a plan are relative to {named}: use --root to name the folder where it was made\n"
    assert (advice in capsys.readouterr().err) == bool(named)


def test_a_plan_on_standard_input_is_called_that(folder: Path) -> None:
    assert main(["repair", "--plan", "plan", "soup.txt"]) == 0
    plan = (folder / "plan").read_bytes()
    done = run_here("repair", "--apply", "-", "deep/clean.txt", input=plan, cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"eightfold: the plan on standard input does not list deep/clean.txt\n"


def test_standard_input_has_a_plan_too(folder: Path) -> None:
    planned = run_here("repair", "--plan", "plan.json", input=SOUP, cwd=folder)
    assert (planned.returncode, planned.stderr.splitlines()[1]) == (
        0,
        b"eightfold: next: pipe the same input to eightfold repair --apply plan.json; "
        b"to undo: pipe its output to eightfold repair --undo plan.json",
    )
    applied = run_here("repair", "--apply", "plan.json", input=SOUP, cwd=folder)
    assert (applied.returncode, applied.stdout) == (0, repair.repair(SOUP))
    undone = run_here("repair", "--undo", "plan.json", input=applied.stdout, cwd=folder)
    assert (undone.returncode, undone.stdout) == (0, SOUP)
    refused = run_here("repair", "--apply", "plan.json", input=SOUP + b"x", cwd=folder)
    assert (refused.returncode, refused.stdout) == (2, b"")


@pytest.mark.parametrize(
    ("chosen", "written", "changed"),
    [("-", SOUP, False), ("./-", b"", True), (".", b"", True), ("soup.txt", b"", False)],
)
def test_a_file_of_that_name_is_not_standard_input(chosen: str, written: bytes, changed: bool, folder: Path) -> None:
    (folder / "-").write_bytes(MIXED)
    assert run_here("repair", "--plan", "plan", "-", "./-", "soup.txt", input=SOUP, cwd=folder).returncode == 0
    done = run_here("repair", "--apply", "plan", chosen, input=SOUP, cwd=folder)
    assert (done.returncode, done.stdout) == (0, repair.repair(written))
    assert (folder / "-").read_bytes() == (repair.repair(MIXED) if changed else MIXED)


def test_standard_input_is_no_file_that_a_plan_lists(folder: Path) -> None:
    (folder / "-").write_bytes(MIXED)
    assert main(["repair", "--plan", "plan", "./-"]) == 0
    done = run_here("repair", "--apply", "plan", "-", input=MIXED, cwd=folder)
    assert (done.returncode, done.stderr) == (2, b"eightfold: plan does not list -\n")
    assert (folder / "-").read_bytes() == MIXED


@pytest.mark.parametrize("arguments", [("--apply", "-"), ("--undo", "-"), ("--apply", "-", "-")])
def test_standard_input_is_not_both_a_plan_and_its_file(arguments: tuple[str, ...], folder: Path) -> None:
    run_here("repair", "--plan", "plan.jsonl", "-", input=SOUP, cwd=folder)
    done = run_here("repair", *arguments, input=(folder / "plan.jsonl").read_bytes(), cwd=folder)
    reason = b"the plan is for standard input, and is read from there itself: give it as a file"
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"eightfold: " + reason + b"\n")


def test_a_plan_is_read_from_standard_input(folder: Path) -> None:
    plan = run_here("repair", "--plan", "-", "soup.txt", cwd=folder).stdout
    assert run_here("repair", "--apply", "-", input=plan, cwd=folder).returncode == 0
    assert (folder / "soup.txt").read_bytes() == repair.repair(SOUP)


HEADING = b'{"eightfold": "plan", "version": 1}\n'


def file_line(**other: object) -> bytes:
    """Return the line of a plan about the file "a", with other values than it would have."""
    words = dict.fromkeys(("path", "original_sha256", "result_sha256"), "a")
    return json.dumps({**words, "form": "utf-8", "errors": "escape", "changes": 0, **other}).encode() + b"\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "this is not a plan: it is not JSON"),
        (b"\xff", "this is not a plan: it is not JSON"),
        (b"[]\n", "this is not a plan: its first line does not say so"),
        (b'{"version": 1}', "this is not a plan: its first line does not say so"),
        (b'{"eightfold": "log of names", "version": 1}', "this is not a plan: its first line does not say so"),
        (b'{"eightfold": "plan", "version": 2}', "this plan has version 2, but this eightfold reads version 1"),
        (b'{"eightfold": "plan", "version": true}', "this plan has version true, but this eightfold reads version 1"),
        (b'{"eightfold": "plan", "version": 1.0}', "this plan has version 1.0, but this eightfold reads version 1"),
        (b'{"eightfold": "plan", "version": [1]}', "this plan has version of another kind, but this eightfold reads"),
        (HEADING + b"{", "line 2: it is not JSON"),
        (HEADING + b"[]", "line 2: this is not a plan: a file is expected here"),
        (HEADING + b"{}", "line 2: this is not a plan: a file is expected here"),
        (HEADING + file_line(path=""), "line 2: this is not a plan: a file needs names, digests and a count"),
        (HEADING + file_line(form=1), "line 2: this is not a plan: a file needs names, digests and a count"),
        (HEADING + file_line(changes=True), "line 2: this is not a plan: a file needs names, digests and a count"),
        (HEADING + file_line(path="a\0b"), r"line 2: this is not a plan: 'a\x00b' is not a valid file name"),
        (HEADING + file_line(path="\ud800"), "line 2: this is not a plan: "),
        (HEADING + file_line(path="a/" * 100_000), "line 2: this is not a plan: a path of 200,000 bytes is"),
        (HEADING + file_line(form="nosuch"), "line 2: this is not a plan: unknown form: 'nosuch'"),
        (HEADING + file_line(form="\ud800"), r"line 2: this is not a plan: unknown form: '\ud800'"),
        (HEADING + file_line(form="utf-16"), "line 2: this is not a plan: repair reads 8-bit forms"),
        (HEADING + file_line(errors="nosuch"), "line 2: this is not a plan: errors must be one of escape, strict"),
        (HEADING + file_line(errors="\ud800"), "line 2: this is not a plan: errors must be one of escape, strict"),
        (HEADING + file_line(form="cesu-8", errors="pairs"), "line 2: this is not a plan: errors='pairs' is only for"),
        (HEADING + file_line(changes=1), "this plan is truncated: its last file has more changes"),
        (HEADING + b"null\n", "line 2: this is not a plan: a file is expected here"),
        (HEADING + file_line(changes=1) + b"null\n", "line 3: this is not a plan: "),
        (HEADING + file_line(changes=1) + b"{}\n", "line 3: this is not a plan: it has no 'start'"),
        (HEADING + file_line(changes=1) + file_line(), "line 3: this is not a plan: it has no 'start'"),
    ],
)
def test_what_is_no_plan_file_is_refused(
    text: bytes, reason: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "plan.json").write_bytes(text)
    assert main(["repair", "--apply", "plan.json"]) == 2
    assert f"plan.json: {reason}" in capsys.readouterr().err
    with pytest.raises(FileError):
        read_plans("plan.json")


def is_inside(name: bytes) -> bool:
    """Return whether a name is that of a file below the folder that it starts from."""
    return b"\0" not in name and not name.startswith(b"/") and b".." not in name.split(b"/") and bool(name.strip(b"./"))


@given(st.binary(min_size=1, max_size=12).filter(is_inside), st.binary(max_size=8))
def test_any_name_of_a_file_comes_back(name: bytes, data: bytes) -> None:
    file = BytesIO()
    plans = {os.fsdecode(name): repair.plan(data)}
    begin_plan(file)
    with Draft(os.fsdecode(name), "utf-8", "escape") as draft:
        draft.add(data, repair.Repairer().repair(data, final=True))
        draft.write_to(file)
    file.getvalue().decode("ascii")
    path = json.loads(file.getvalue().splitlines()[1])["path"]
    assert all(not 0xD800 <= ord(character) <= 0xDFFF for character in path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_file", lambda path, regular: BytesIO(file.getvalue()))
        patch.setattr(reading, "CHUNK_BYTES", 1000)
        assert read_plans("plan.json") == plans


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system takes UTF-8 names only")
def test_a_file_whose_name_is_no_utf_8(folder: Path) -> None:
    name = os.fsencode(folder) + b"/caf\xe9.txt"
    Path(os.fsdecode(name)).write_bytes(b"\xff")
    assert run_here("repair", "--plan", "plan.json", b"caf\xe9.txt", cwd=folder).returncode == 0
    assert run_here("repair", "--apply", "plan.json", cwd=folder).returncode == 0
    assert Path(os.fsdecode(name)).read_bytes() == repair.repair(b"\xff")


# --- nothing half written ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "failure", [KeyboardInterrupt(), OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), MemoryError()], ids=repr
)
@pytest.mark.parametrize(
    "arguments",
    [["--in-place", "soup.txt"], ["-o", "soup.txt", "deep/mixed.txt"], ["--apply", "plan.json"]],
    ids=["in place", "output", "apply"],
)
def test_a_write_that_is_interrupted_leaves_the_original(
    arguments: list[str], failure: BaseException, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["repair", "--plan", "plan.json", "soup.txt"])
    before = files_in(folder)

    def interrupted(descriptor: int) -> None:
        raise failure

    # The last moment before the new file takes the place of the old one: all of it is written.
    monkeypatch.setattr(writing.os, "fsync", interrupted)
    assert main(["repair", *arguments]) == (130 if isinstance(failure, KeyboardInterrupt) else 2)
    assert files_in(folder) == before


def test_what_cannot_be_read_to_its_end_is_not_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files_in(folder)
    read, count = reading.Source._read, iter(range(100))

    def failing(source: reading.Source, length: int) -> bytes:
        if next(count) == 3:
            raise FileError(source.path, "Input/output error")
        return read(source, length)

    monkeypatch.setattr(reading.Source, "_read", failing)
    assert main(["repair", "--in-place", "soup.txt"]) == 2
    assert files_in(folder) == before


# --- exit statuses, wrong use, memory ---------------------------------------------------------------------------------

STATUSES = [
    (0, ["deep/clean.txt"]),
    (1, ["soup.txt"]),
    (1, ["deep"]),
    (1, ["--errors", "strict", "soup.txt"]),
    (0, ["--errors", "strict", "deep/clean.txt"]),
    (0, ["-o", "out.txt", "soup.txt"]),
    (1, ["--errors", "strict", "-o", "out.txt", "soup.txt"]),
    (2, ["--errors", "replace", "-o", "out.txt", "soup.txt"]),
    (0, ["--errors", "replace", "--lossy", "-o", "out.txt", "soup.txt"]),
    (0, ["--errors", "replace", "--plan", "new.json", "soup.txt"]),
    (1, ["--errors", "strict", "--plan", "new.json", "soup.txt"]),
    (2, ["missing.txt", "soup.txt"]),
    (2, ["--plan", "new.json", "missing.txt"]),
    (2, ["--apply", "missing.json"]),
    (2, ["-f", "utf-16", "soup.txt"]),
    (2, ["-f", "no-such", "soup.txt"]),
    (2, ["--errors", "ignore", "soup.txt"]),
    (2, ["-f", "wtf-8", "--errors", "pairs", "soup.txt"]),
    (2, ["--backup", ".orig", "soup.txt"]),
    (2, ["--backup", ".orig", "--plan", "new.json", "soup.txt"]),
    (2, ["--in-place"]),
    (2, ["-o", "-", "deep"]),
    (2, ["-f", "cesu-8", "--undo", "plan.json"]),
]


@pytest.mark.parametrize(("status", "arguments"), STATUSES, ids=lambda given: str(given))
def test_exit_statuses(status: int, arguments: list[str], folder: Path) -> None:
    main(["repair", "--plan", "plan.json", "soup.txt"])
    assert main(["repair", *arguments]) == status


@pytest.mark.parametrize("one", ["-o out", "--in-place", "--plan new.json", "--apply plan.json", "--undo plan.json"])
@pytest.mark.parametrize("other", ["-o out", "--in-place", "--plan new.json", "--apply plan.json", "--undo plan.json"])
def test_there_is_one_way_to_write(one: str, other: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = files_in(folder)
    if one != other:
        assert main(["repair", *one.split(), *other.split(), "soup.txt"]) == 2
        assert "cannot be combined" in capsys.readouterr().err
        assert files_in(folder) == before


BYTE, ESCAPE = b"a\xff\n", b'["\\ud83d"]\n'
REPAIRING = ["--escapes", "repair", "--escapes-in", "*", "--lossy"]
MADE = [
    *(
        (BYTE, line)
        for line in ([], ["--diff"], ["-o", "out.txt"], ["--verify", "-o", "out.txt"], ["--plan", "new.json"])
    ),
    *((ESCAPE, [*REPAIRING, *line]) for line in (["-o", "out.txt"], ["--plan", "new.json"])),
]


@pytest.mark.parametrize(
    ("unit", "arguments"),
    MADE,
    ids=lambda given: " ".join(given) if isinstance(given, list) else {BYTE: "bytes", ESCAPE: "escapes"}[given],
)
def test_memory_does_not_grow_with_the_file(
    unit: bytes, arguments: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reading, "CHUNK_BYTES", 1000)
    monkeypatch.setattr("eightfold.cli.commands.repair.making.put", lambda *line: None)
    monkeypatch.setattr("eightfold.cli.output.diff.put", lambda *line: None)
    monkeypatch.setattr("eightfold.files.records.plan_files._HELD_BYTES", 1000)
    monkeypatch.setattr("eightfold.files.read.scanning.FAULTS_AHEAD", 100)
    monkeypatch.setattr(sys.modules["eightfold.identify"], "SAMPLE_BYTES", 1000)

    def begin(count: int) -> None:
        (folder / "big.txt").write_bytes(unit * count)
        (folder / "new.json").unlink(missing_ok=True)

    work = partial(main, ["repair", *arguments, "big.txt"])
    # From 1,000 faults on, whatever Python keeps ready has reached its size.
    limit = peak(work, partial(begin, 1_000)) + 5_000
    assert peak(work, partial(begin, 3_000), limit=limit) < limit
