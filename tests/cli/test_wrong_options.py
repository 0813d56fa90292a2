"""Wrong use: each mistake gets a message that names the way out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from eightfold.cli import main
from support.command_line import ENVIRONMENT, command, run
from support.needed import needs_terminal
from support.terminals import shown_by, terminal

MEANT = [
    ("check --statistic", "unrecognized arguments: --statistic; did you mean --statistics?", "check"),
    ("check --stat=1 a.txt", "unrecognized arguments: --stat=1; did you mean --statistics?", "check"),
    ("check --out", "unrecognized arguments: --out; did you mean --output-format or --output-file?", "check"),
    ("check --exlude vendor/ .", "unrecognized arguments: --exlude; did you mean --exclude?", "check"),
    ("convert -t utf-8 --in-plce x", "unrecognized arguments: --in-plce; did you mean --in-place?", "convert"),
    ("repair --aply plan.jsonl", "unrecognized arguments: --aply; did you mean --apply?", "repair"),
    ("--verison", "unrecognized arguments: --verison; did you mean --version?", ""),
    ("check --zzzzzz", "unrecognized arguments: --zzzzzz", "check"),
    ("check -x", "unrecognized arguments: -x", "check"),
    ("-x", "unrecognized arguments: -x", ""),
    ("check - a -", "- is given twice: standard input can be read only once", "check"),
    ("identify - -", "- is given twice: standard input can be read only once", "identify"),
    ("repair -- - -", "- is given twice: standard input can be read only once", "repair"),
    ("convert -t utf-16 - -", "- is given twice: standard input can be read only once", "convert"),
    (
        "convert -t utf-16 --errors strct a",
        "--errors: unknown error handler name 'strct'; did you mean strict?",
        "convert",
    ),
    ("convert -t utf-16 --errors nosuch a", "--errors: unknown error handler name 'nosuch'", "convert"),
    (
        "convert -t xtf-8 --errors ESCAPE a",
        "--errors: unknown error handler name 'ESCAPE'; did you mean escape?",
        "convert",
    ),
    (
        "convert -t utf-16 --errors java a",
        "--errors: the policy 'java' is not one that utf-8 or utf-16 declares; it is for mutf-8",
        "convert",
    ),
    (
        "convert -t koi8-r --errors relpace a",
        "--errors: errors='relpace' is not for legacy charsets, which take strict, replace, ignore, backslashreplace, "
        "xmlcharrefreplace, namereplace",
        "convert",
    ),
    (
        "names -f latin-1 .",
        "argument -f/--form: iso-8859-1 is a legacy charset: "
        "--fix latin-1 and --fix cp1252 read the bytes of a name in one",
        "names",
    ),
    (
        "repair --in-place --backup .eightfold.tmp a",
        "argument --backup: .eightfold.tmp is the end of temporary files, which are not read",
        "repair",
    ),
    (
        "check --form-map !*.class=mutf-8 .",
        "argument --form-map: '!*.class' is negated, but the last match wins: name the form of these files",
        "check",
    ),
    ("chek", "argument COMMAND: unknown command 'chek': did you mean check?", ""),
]


@pytest.mark.parametrize(("line", "says", "name"), MEANT, ids=[line for line, _, _ in MEANT])
def test_a_wrong_use_is_answered(line: str, says: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    program = f"eightfold {name}".strip()
    assert capsys.readouterr().err == f"eightfold: {says} (see {program} --help)\n"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("check --config eightfold.toml --no-config a", "--config and --no-config cannot be combined"),
        ("repair --no-config --config eightfold.toml a", "--config and --no-config cannot be combined"),
        (
            "check --statistics --context a",
            "--context shows the lines of faults, and --statistics lists none without --max-faults",
        ),
        (
            "check --show-settings --files-from a",
            "--show-settings and --files-from cannot be combined: give the PATH",
        ),
        ("check --show-settings -z a", "-z needs --files-from"),
        ("names -", "standard input has no names: name a folder, a zip or a tar (./- is the file called -)"),
        ("names", "no PATH: name a folder, a zip or a tar (. is the current folder)"),
        (
            "names --undo log -f cesu-8",
            "--undo cannot be combined with --fix, --apply, -f or PATH: the log names the files",
        ),
        *(
            (f"repair --apply plan {flag} x", f"the plan lists the files: --apply and --undo do not take {flag}")
            for flag in ("--include", "--exclude", "--config")
        ),
        *(
            (f"repair --undo plan {flag}", f"the plan lists the files: --apply and --undo do not take {flag}")
            for flag in ("--no-ignore", "--binary", "--force-exclude")
        ),
        (
            "repair --apply plan -f utf-8",
            "the plan sets the form and the policy: --apply and --undo do not take -f or --errors",
        ),
        (
            "repair --apply plan --escapes-in x",
            "the plan lists the escapes: --apply and --undo do not take --escapes repair or --escapes-in",
        ),
    ],
)
def test_options_that_one_another_leaves_without_a_meaning_are_refused(
    line: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.split()) == 2
    assert capsys.readouterr() == ("", f"eightfold: {says}\n")


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="needs a path to standard input")
@pytest.mark.parametrize(
    ("paths", "says"),
    [
        (("/dev/stdin", "a", "-"), "/dev/stdin and - are the same"),
        (("-", "/dev/fd/0"), "- and /dev/fd/0 are the same"),
        (("/dev/stdin", "/dev/stdin"), "/dev/stdin is given twice"),
    ],
)
def test_a_pipe_is_not_read_twice_under_another_name(paths: tuple[str, ...], says: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    done = run("check", *paths, cwd=tmp_path, input=b"\xff")
    said = f"eightfold: {says}: standard input can be read only once (see eightfold check --help)\n"
    assert (done.returncode, done.stderr.decode()) == (2, said)
    with open(tmp_path / "a", "rb") as file:
        assert run("check", *paths, cwd=tmp_path, stdin=file).returncode == 0
    assert run("check", "/dev/stdin", "a", cwd=tmp_path, input=b"\xff").returncode == 1


def test_statistics_with_faults_show_their_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").write_bytes(b"\xff")
    assert main(["check", "--statistics", "--context", "--max-faults", "1", str(tmp_path / "a")]) == 1
    assert "^^^^" in capsys.readouterr().out


def test_a_number_of_any_length_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").write_bytes(b"\xff")
    assert main(["check", "--max-faults", "9" * 5000, str(tmp_path / "a")]) == 1
    assert main(["check", "--max-faults", "0" * 5000, str(tmp_path / "a")]) == 1
    assert capsys.readouterr().out.count("invalid-byte") == 1
    assert main(["serve", "--port", "9" * 5000]) == 2
    assert capsys.readouterr().err.startswith("eightfold: argument --port: '9999")


def test_a_long_one_takes_no_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--" + "exclude" * 100_000]) == 2
    assert capsys.readouterr().err.startswith("eightfold: unrecognized arguments: --exclude")


def test_no_part_of_an_option_is_taken_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["repair", "--loss", "--in-place", "missing.txt"]) == 2
    assert "did you mean --lossy?" in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_the_version(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag]) == 0
    assert capsys.readouterr().out.startswith("eightfold ")


# --- standard input ---------------------------------------------------------------------------------------------------

AWAITED = b"eightfold: reading standard input; end it with Ctrl-D (--help shows what else can be read)\r\n"


@needs_terminal
@pytest.mark.parametrize(
    "line", [["check"], ["check", "-"], ["identify"], ["explain"], ["repair"], ["convert", "-t", "utf-8"]], ids=" ".join
)
def test_who_is_awaited_is_told(line: list[str]) -> None:
    with terminal(200) as (ours, theirs):
        streams = {"stdin": theirs, "stdout": subprocess.DEVNULL, "stderr": theirs}
        with subprocess.Popen(command(*line), **streams, env=ENVIRONMENT) as process:
            os.write(ours, b"typed\n\x04")
            written = b"".join(shown_by(process, ours, theirs))
    assert AWAITED in written


def test_a_pipe_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run(command("check"), input=b"", capture_output=True, env=ENVIRONMENT, check=True)
    assert b"reading" not in done.stderr


@pytest.mark.parametrize(
    "line",
    [
        ["check", "--output-file", "", "a"],
        ["check", "--config", "", "a"],
        ["convert", "-t", "utf-8", "-o", "", "a"],
        ["convert", "-t", "utf-8", "--in-place", "--certificate", "", "a"],
        ["repair", "-o", "", "a"],
        ["repair", "--plan", "", "a"],
        ["repair", "--apply", ""],
        ["repair", "--undo", ""],
        ["names", "--fix", "latin-1", "--apply", "", "a"],
        ["names", "--undo", ""],
    ],
    ids=" ".join,
)
def test_the_path_of_an_unset_variable_is_refused(
    line: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_bytes(b"\xe9")
    assert main(line) == 2
    assert "empty path (an unset shell variable?)" in capsys.readouterr().err
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"\xe9")]


@pytest.mark.parametrize(
    "line",
    [
        "check --output-file new/ a",
        "check --config new/ a",
        "convert -t utf-8 --in-place --certificate new/ a",
        "repair --plan new/ a",
        "repair --apply new/",
        "names --fix latin-1 --apply new/ a",
    ],
)
def test_a_folder_is_not_taken_for_the_file_of_an_option(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_bytes(b"\xe9")
    assert main(line.split()) == 2
    assert "new/ is a folder: name a file" in capsys.readouterr().err
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"\xe9")]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not remove the current folder")
@pytest.mark.parametrize(
    "line",
    [
        ["check"],
        ["check", "."],
        ["check", "../a"],
        ["repair", "--in-place", "../a"],
        ["repair", "--plan", "../p", "../a"],
    ],
)
def test_a_current_folder_that_was_removed_is_told(
    line: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a").write_bytes(b"caf\xe9")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert main(line) == 2
    assert capsys.readouterr() == ("", "eightfold: the current folder was removed: change to another one\n")
    assert os.listdir(tmp_path) == ["a"]
