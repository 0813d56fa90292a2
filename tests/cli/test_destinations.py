"""Where results go: never over what is still to be read, over each other, or under a certificate."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from eightfold.cli import main
from eightfold.cli.commands.names import fixing
from eightfold.cli.commands.repair import planning
from eightfold.cli.work import certifying
from eightfold.files.write import writing
from support.command_line import ENVIRONMENT, PATIENCE, command, run_here
from support.trees import files_in

Captured = pytest.CaptureFixture[str]
CONVERT = ["convert", "-t", "utf-8-sig"]
SAME_OUTPUT = "--certificate - and the result would both go to standard output: write one of them to a file"
REPAIR = ["repair", "--lossy", "--errors", "replace"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = folder / name.replace("_", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("command", [CONVERT, REPAIR], ids=["convert", "repair"])
@pytest.mark.parametrize("jobs", ["1", "4"])
def test_a_result_over_another_source_is_refused(command: list[str], jobs: str, folder: Path, capsys: Captured) -> None:
    make(folder, d_p_x="from d", out_p_x="precious")
    before = files_in(folder)
    threads = ["-j", jobs] if command is CONVERT else []
    assert main([*command, *threads, "-o", "out", "d", "out/p"]) == 2
    assert capsys.readouterr().err == (
        "eightfold: out/p/x is an input, and the result of d/p/x would overwrite it: choose another folder\n"
    )
    assert files_in(folder) == before


def test_links_do_not_hide_it(folder: Path, capsys: Captured) -> None:
    make(folder, a="a", b="b", t_f="f", t_in_f="in")
    (folder / "o").mkdir()
    (folder / "o" / "a").symlink_to(folder / "b")
    (folder / "link").symlink_to(folder)
    before = files_in(folder)
    for line in (["-o", "o", "a", "b"], ["-o", str(folder / "link" / "t" / "in"), "t"]):
        assert main([*CONVERT, *line]) == 2
        assert "is an input" in capsys.readouterr().err
    assert files_in(folder) == before


def test_a_link_to_another_result_is_refused(folder: Path, capsys: Captured) -> None:
    make(folder, x="x", y="y")
    (folder / "o").mkdir()
    (folder / "o" / "y").symlink_to("x")
    assert main([*CONVERT, "-o", "o", "x", "y"]) == 2
    assert capsys.readouterr().err == "eightfold: x and y would both become o/y\n"


def test_a_file_that_is_met_twice_is_written_once(folder: Path, capsys: Captured) -> None:
    make(folder, t_a="a", t_b="b")
    assert main([*CONVERT, "--verify", "-o", "o", "t/a", "./t/a", "t"]) == 0
    assert capsys.readouterr().err.count("verified") == 2
    assert files_in(folder / "o") == {"a": b"\xef\xbb\xbfa", "b": b"\xef\xbb\xbfb"}


def test_a_file_may_be_its_own_result(folder: Path) -> None:
    make(folder, a="a", b="b")
    assert main([*CONVERT, "-o", ".", "a", "b"]) == 0
    assert files_in(folder) == {"a": b"\xef\xbb\xbfa", "b": b"\xef\xbb\xbfb"}


@pytest.mark.parametrize("command", [CONVERT, REPAIR], ids=["convert", "repair"])
@pytest.mark.parametrize(
    ("line", "certificate"), [(["-o", "out", "a"], "out"), (["-o", "o", "a", "b"], "./o/b")], ids=["file", "folder"]
)
def test_a_certificate_over_a_result_is_refused(
    command: list[str], line: list[str], certificate: str, folder: Path, capsys: Captured
) -> None:
    make(folder, a="a", b="b")
    assert main([*command, *line, "--certificate", certificate]) == 2
    assert (
        capsys.readouterr().err
        == f"eightfold: --certificate {certificate}: a result is written to this file; choose another name\n"
    )
    assert files_in(folder) == {"a": b"a", "b": b"b"}


@pytest.mark.parametrize("command", [CONVERT, REPAIR], ids=["convert", "repair"])
@pytest.mark.parametrize("certificate", ["o", "./o/u"])
def test_a_certificate_over_the_folder_of_a_result_is_refused(
    command: list[str], certificate: str, folder: Path, capsys: Captured
) -> None:
    make(folder, t_u_a="a")
    if certificate != "o":
        (folder / "o").mkdir()
    assert main([*command, "-o", "o", "t", "--certificate", certificate]) == 2
    said = f"eightfold: --certificate {certificate}: results are written to a folder here; choose another name\n"
    assert capsys.readouterr().err == said
    assert [path for path in folder.rglob("*") if path.is_file()] == [folder / "t" / "u" / "a"]


@pytest.mark.parametrize("command", [CONVERT, REPAIR], ids=["convert", "repair"])
@pytest.mark.parametrize("path", ["t/a", "t", "link"], ids=["file", "folder", "link"])
def test_a_certificate_over_a_backup_is_refused(command: list[str], path: str, folder: Path, capsys: Captured) -> None:
    make(folder, t_a="a")
    (folder / "link").symlink_to("t/a")
    assert main([*command, "--in-place", "--backup", ".old", "--certificate", "t/a.old", path]) == 2
    assert (
        capsys.readouterr().err
        == "eightfold: --certificate t/a.old: a backup is written to this file; choose another name\n"
    )
    assert files_in(folder / "t") == {"a": b"a"}


@pytest.mark.parametrize("command", [CONVERT, REPAIR], ids=["convert", "repair"])
def test_a_certificate_goes_to_standard_output_if_no_result_does(
    command: list[str], folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "a").write_bytes(b"a" if command is CONVERT else b"\xff")
    line = [*command, "--certificate", "-", "a"]
    assert main([*line, "-o", "-"]) == 2
    assert capfd.readouterr() == ("", f"eightfold: {SAME_OUTPUT}\n")
    assert main([*line, "--in-place"]) == 0
    assert json.loads(capfd.readouterr().out)["result"]["path"] == "a"


@pytest.mark.parametrize("verb", ["--apply", "--undo"])
def test_a_certificate_does_not_follow_a_planned_result(verb: str, folder: Path) -> None:
    sides = {"--apply": b"a\xff", "--undo": "a\ufffd".encode()}
    plan = run_here("repair", "--errors", "replace", "--plan", "plan", "-", input=sides["--apply"])
    assert plan.returncode == 0
    done = run_here("repair", verb, "plan", "--certificate", "-", input=sides[verb])
    assert (done.returncode, done.stdout, done.stderr.decode()) == (2, b"", f"eightfold: {SAME_OUTPUT}\n")
    done = run_here("repair", verb, "plan", "--certificate", "proof", input=sides[verb])
    assert (done.returncode, done.stdout) == (0, sides["--undo" if verb == "--apply" else "--apply"])


@pytest.mark.parametrize("command", [CONVERT, REPAIR], ids=["convert", "repair"])
@pytest.mark.parametrize(
    ("line", "target", "what"),
    [
        ("--files-from list -o ./list", "./list", "list of --files-from"),
        ("--files-from out/a -o out", "out/a", "list of --files-from"),
        ("--files-from - -o list < list", "list", "list of --files-from"),
        ("--config rules.toml -o rules.toml a", "rules.toml", "file of --config"),
    ],
)
def test_a_result_over_a_list_or_a_configuration_is_refused(
    command: list[str], line: str, target: str, what: str, folder: Path
) -> None:
    make(folder, a="a", list="a\n", out_a="a\n")
    (folder / "rules.toml").write_text("exclude = ['b']\n")
    before = files_in(folder)
    ran = shell(f"eightfold {shlex.join(command)} {line}", folder)
    said = f"eightfold: {target} is the {what}, and a result would overwrite it: choose another name\n"
    assert (ran.returncode, ran.stderr.decode()) == (2, said)
    assert files_in(folder) == before


@pytest.mark.parametrize("line", [["check"], ["convert", "-t", "utf-16"], ["explain"], ["names"], ["identify"]])
def test_an_empty_path_is_wrong_use(line: list[str], capsys: Captured) -> None:
    assert main([*line, ""]) == 2
    assert "empty path (an unset shell variable?); use - for standard input" in capsys.readouterr().err


def test_what_is_another_s_is_not_called_read_only(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(folder, a="a")
    monkeypatch.setattr(writing.os, "access", lambda *_, **__: False)
    assert main([*CONVERT, "--in-place", "a"]) == 2
    assert capsys.readouterr().err.startswith(
        "eightfold: a: you do not have permission to write to it: use -o to write to another file\n"
    )
    os.chmod("a", 0o444)
    assert main([*CONVERT, "--in-place", "a"]) == 2
    assert "it is read-only" in capsys.readouterr().err


@pytest.mark.parametrize(
    "given",
    [
        *(["a"], ["./a", "b"], ["link"], ["--files-from", "names"], ["--files-from", "a"], ["--config", "a", "b"]),
        ["--runner", "local", "b", "a"],
    ],
    ids=str,
)
def test_no_report_is_written_over_what_is_checked(given: list[str], folder: Path, capsys: Captured) -> None:
    make(folder, a="precious", b="b", names="b\na\n")
    (folder / "link").symlink_to("a")
    before = files_in(folder)
    assert main(["check", "--output-file", "a", *given]) == 2
    assert capsys.readouterr().err == "eightfold: --output-file a is an input: choose another file\n"
    assert files_in(folder) == before


@pytest.mark.parametrize("given", ["", "-", "b -", "--files-from -"])
def test_no_report_is_written_over_standard_input(given: str, folder: Path) -> None:
    make(folder, a="b\n", b="b")
    ran = shell(f"eightfold check -j 1 --output-file a {given} < a", folder)
    assert (ran.returncode, ran.stderr) == (2, b"eightfold: --output-file a is an input: choose another file\n")
    assert files_in(folder) == {"a": b"b\n", "b": b"b"}


def test_the_report_of_the_last_run_is_replaced(folder: Path) -> None:
    make(folder, t_a="a")
    for _ in range(2):
        assert main(["check", "--output-file", "t/report", "t"]) == 0


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    script = line.replace("eightfold", shlex.join(command()))
    return subprocess.run(["bash", "-c", script], env=ENVIRONMENT, capture_output=True, timeout=PATIENCE)


needs_descriptors = pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="open files have no paths here")


@needs_descriptors
@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
@pytest.mark.parametrize("where", ["| cat", "> log; cat log", ">> log; cat log"])
def test_an_open_file_is_written_on(path: str, where: str, folder: Path) -> None:
    make(folder, a="h\xe9\n")
    (folder / "link").symlink_to("/dev/stdout")
    ran = shell(f"(echo head; eightfold convert -t cp1252 -o {path} a; echo $?) {where}", folder)
    assert (ran.stdout, ran.stderr) == (b"head\nh\xe9\n0\n", b"")


@needs_descriptors
@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "link"])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "convert -t cp1252 a --certificate PATH",
            "--certificate PATH and the result would both go to standard output",
        ),
        (
            "convert -t cp1252 a -o PATH --certificate -",
            "--certificate - and the result would both go to standard output",
        ),
        ("repair -o - --certificate PATH a", "--certificate PATH and the result would both go to standard output"),
        ("names --fix latin-1 --apply PATH .", "--apply PATH: the results go to standard output"),
    ],
)
def test_no_record_is_mixed_with_results(line: str, said: str, path: str, folder: Path) -> None:
    make(folder, a="a")
    (folder / "link").symlink_to("/dev/stdout")
    (folder / os.fsdecode(b"\xe9")).touch()
    before = files_in(folder)
    ran = shell(f"(eightfold {line.replace('PATH', path)}; echo $?) | cat", folder)
    assert ran.stdout == b"2\n"
    assert ran.stderr.decode().startswith(f"eightfold: {said.replace('PATH', path)}")
    assert files_in(folder) == before


@needs_descriptors
def test_a_record_that_a_program_reads_is_not_named_in_a_command(folder: Path) -> None:
    make(folder, a="a")
    (folder / "b").write_bytes(b"\xff")
    (folder / os.fsdecode(b"\xe9")).touch()
    planned = shell("eightfold repair --plan /dev/stdout b | cat", folder)
    assert planned.stdout.startswith(b'{"eightfold": "plan"')
    assert planned.stderr == b"eightfold: 1 file read, 1 in the plan: 1 change, 0 lossy\n"
    renamed = shell("eightfold names --fix latin-1 --apply >(cat > log) . && wait $!", folder)
    assert renamed.stderr == b"eightfold: 1 name changed, 0 left\n"
    assert (folder / "log").read_bytes().startswith(b'{"eightfold": "log of names"')


@needs_descriptors
@pytest.mark.parametrize("number", ["77", "99999999999999999999", "x", "-1"])
def test_a_file_that_is_not_open(number: str, folder: Path, capsys: Captured) -> None:
    make(folder, a="a")
    assert main([*CONVERT, "-o", f"/dev/fd/{number}", "a"]) == 2
    assert capsys.readouterr().err == f"eightfold: /dev/fd/{number}: No such file or directory\n"


@needs_descriptors
@pytest.mark.parametrize(
    ("line", "seen"),
    [("convert -t cp1252 -o", b"h\xe9\n"), ("repair -o", b"h\xc3\xa9\n"), ("check -f cesu-8 --output-file", b"")],
)
def test_the_pipe_of_a_process_is_written_to(line: str, seen: bytes, folder: Path) -> None:
    make(folder, a="h\xe9\n")
    ran = shell(f"eightfold {line} >(cat > seen) a && wait $!", folder)
    assert ran.returncode == 0, ran.stderr
    assert (folder / "seen").read_bytes() == seen


@pytest.mark.parametrize(
    "line",
    [
        *("convert -t utf-8-sig g", "convert -t utf-8-sig < g", "convert -t utf-8-sig --diff g"),
        *(
            "convert -t utf-8-sig -o /dev/stdout g",
            "convert -f cp1252 -t utf-8 -o /dev/fd/1 g",
            "repair -o /dev/stdout g",
        ),
        *(
            "repair g",
            "explain g",
            "check g",
            "check < g",
            "check -j 1 a g",
            "check --files-from g",
            "repair --plan - g",
        ),
    ],
)
def test_output_behind_the_input_is_refused(line: str, folder: Path) -> None:
    make(folder, a="a", g="text\n")
    ran = shell(f"eightfold {line} >> g", folder)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert b": standard output goes to this file too: write to another file\n" in ran.stderr
    assert files_in(folder) == {"a": b"a", "g": b"text\n"}


@needs_descriptors
@pytest.mark.parametrize("path", ["-", "/dev/stdout", "/dev/fd/1"])
@pytest.mark.parametrize(
    "line",
    ["convert -f cp1252 -t utf-8 -o PATH a", "repair -o PATH a", "check --output-file PATH a", "repair --plan PATH a"],
)
def test_a_reader_that_has_gone_ends_a_command_quietly_whatever_the_name_of_the_output(
    line: str, path: str, folder: Path
) -> None:
    (folder / "a").write_bytes(b"caf\xe9\n" * 100_000)
    ran = shell(f"eightfold {line.replace('PATH', path)} | true; exit ${{PIPESTATUS[0]}}", folder)
    assert (ran.returncode, ran.stdout, ran.stderr) == (141, b"", b"")


def test_what_is_empty_is_read_though_the_output_goes_there(folder: Path) -> None:
    make(folder, g="")
    ran = shell("eightfold convert -t utf-16-le g >> g", folder)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert files_in(folder) == {"g": b""}


RECORDS = {
    "a log": (fixing, ["names", "--fix", "latin-1", "--apply", "record", "in"]),
    "a plan": (planning, ["repair", "--plan", "record", "in"]),
    "certificates": (certifying, ["repair", "--in-place", "--certificate", "record", "in"]),
}


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="names of files are no bytes there")
@pytest.mark.parametrize(("module", "line"), RECORDS.values(), ids=RECORDS)
def test_a_record_replaces_no_file_that_another_program_has_put_there_meanwhile(
    module: ModuleType, line: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    given = folder / "in" / os.fsdecode(b"h\xe9")
    given.parent.mkdir()
    given.write_bytes(b"h\xe9\n")
    monkeypatch.setattr(module, "check_free", lambda flag, path: Path(path).write_bytes(b"another's"))
    assert main(line) == 2
    assert "record: this file already exists; move it or choose another name\n" in capsys.readouterr().err
    assert (os.listdir(given.parent), given.read_bytes()) == ([given.name], b"h\xe9\n")
    assert (folder / "record").read_bytes() == b"another's"


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("repair --plan record nowhere", 2),
        ("repair --plan record --errors strict old", 1),
        ("repair --plan record --config wrong.toml .", 2),
        ("repair --certificate record --errors strict -o new old", 1),
        ("convert -t utf-16 --certificate record -o new old", 1),
        ("convert -t utf-16 --certificate record -o new nowhere", 2),
        ("repair --apply plan --certificate record", 2),
    ],
)
def test_a_run_that_fails_leaves_no_record_without_a_line(
    line: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old").write_bytes(b"\xff")
    Path("wrong.toml").write_text("n = 1")
    assert main(["repair", "--plan", "plan", "old"]) == 0
    Path("old").write_bytes(b"\xfe")
    assert main(line.split()) == status
    assert sorted(os.listdir()) == ["old", "plan", "wrong.toml"]


def test_a_run_with_nothing_to_do_leaves_its_empty_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("clean").write_bytes(b"clean")
    assert main(["repair", "--plan", "plan", "clean"]) == main(["repair", "--apply", "plan"]) == 0
    assert main(["repair", "--in-place", "--certificate", "proof", "clean"]) == 0
    assert Path("proof").read_bytes() == b""
