"""What `check` writes: every output format, statistics, the context of faults, and results in a file."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import jsonschema
import pytest

from eightfold import encode_faults, xtf8
from eightfold.cli import main
from eightfold.cli.output.reports import FORMATS, as_github
from eightfold.corrected import MAGIC, lint
from eightfold.faults import KINDS, WARNINGS, EscapedSurrogateFault, UnexaminedFault
from eightfold.mojibake import MojibakeFault
from support.command_line import ENVIRONMENT, MORE_THAN_A_PIPE_HOLDS, command, run, run_here

SCHEMA = Path(__file__).parent / "schemas" / "sarif-2.1.0.json.gz"
# Two kinds in utf-8, a warning in corrected-utf-8, a file that is not there; every fault has its own line and column.
FILES = {"a.txt": b"first\nov\xc0\xafer \xed\xa0\xbd\n", "b.txt": b"clean\n", "c.txt": b"\xe2\x82"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def output(folder: Path, *arguments: str) -> str:
    done = run_here("check", *arguments, cwd=folder)
    assert b"Traceback" not in done.stderr
    return done.stdout.decode()


def faults_as_json(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    files = json.loads(output(folder, "--output-format", "json", *arguments))["files"]
    return [{"path": file["path"], **fault} for file in files for fault in file["faults"]]


# --- JSON Lines -------------------------------------------------------------------------------------------------------


def test_json_lines_say_the_same_as_json(folder: Path) -> None:
    lines = [json.loads(line) for line in output(folder, "--output-format", "jsonl", ".", "missing").splitlines()]
    whole = json.loads(output(folder, "--output-format", "json", ".", "missing"))
    assert [line.pop("type") for line in lines] == [
        "fault",
        "fault",
        "file",
        "file",
        "fault",
        "file",
        "file",
        "summary",
    ]
    assert lines[-1] == {"version": whole["version"], **whole["summary"]}
    files = [{key: value for key, value in file.items() if key != "faults"} for file in whole["files"]]
    assert [lines[at] for at in (2, 3, 5, 6)] == files
    assert [lines[at] for at in (0, 1, 4)] == faults_as_json(folder, ".", "missing")


def test_json_lines_come_as_faults_are_found() -> None:
    line = [sys.executable, "-u", "-m", "eightfold", "check", "--output-format", "jsonl"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"\xff and more to come")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["kind"] == "invalid-byte"
        process.stdin.close()


# --- GitHub -----------------------------------------------------------------------------------------------------------


def test_github_annotates_each_fault(folder: Path) -> None:
    lines = output(folder, "--output-format", "github", ".", "missing").splitlines()
    assert lines == [
        "::error file=a.txt,line=2,col=3,title=overlong::overlong form of U+002F (C0 AF)",
        "::error file=a.txt,line=2,col=8,title=surrogate::surrogate U+D83D (ED A0 BD), which utf-8 cannot hold",
        "::error file=c.txt,line=1,col=1,title=truncated::sequence E2 82 is cut short by the end of the input",
        "::error file=missing,title=unreadable::No such file or directory",
        "::notice title=eightfold::4 files checked, 1 unreadable, 1 overlong, 1 surrogate, 1 truncated",
    ]


def test_github_warnings_and_what_is_hidden(folder: Path) -> None:
    lines = output(
        folder, "--output-format", "github", "-f", "corrected-utf-8", "--max-faults", "1", "c.txt"
    ).splitlines()
    assert lines[0].startswith("::warning file=c.txt,line=1,col=1,title=no-signature::")
    assert lines[1] == "::notice file=c.txt::2 more faults"


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("a,b:c.txt", "a%2Cb%3Ac.txt"),
        ("100%.txt", "100%25.txt"),
        ("two\nlines.txt", r"two\x0Alines.txt"),
        (r"two\x0Alines.txt", r"two\\x0Alines.txt"),
        ("two\nli\\nes.txt", r"two\x0Ali\\nes.txt"),
        (r"li\nes.txt", r"li\nes.txt"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="this system has no such names")
def test_github_names_are_escaped(name: str, escaped: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"\xff")
    assert output(tmp_path, "--output-format", "github", name).startswith(f"::error file={escaped},line=1,")


@pytest.mark.parametrize(
    "name", ["ws/a\u3000b.txt", "Screenshot 9.41.00\u202fAM.txt", "n\xa0b.txt", "👩\u200d🚀.txt"], ids=ascii
)
def test_a_name_with_other_spaces_is_the_path_of_the_file(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(b"\xff")
    (found,) = json.loads(output(tmp_path, "--output-format", "json", name))["files"]
    assert found["path"] == name
    *lines, _ = map(json.loads, output(tmp_path, "--output-format", "jsonl", name).splitlines())
    assert [line["path"] for line in lines] == [name] * 2
    (issue,) = json.loads(output(tmp_path, "--output-format", "gitlab", name))
    assert issue["location"]["path"] == name
    done = run_here("check", "--output-format", "github", name, cwd=tmp_path, PYTHONIOENCODING="utf-8")
    assert f"::error file={name},line=1,".encode() in done.stdout
    (found,) = json.loads(run_here("identify", "--output-format", "json", name, cwd=tmp_path).stdout)["files"]
    assert found["path"] == name
    assert json.loads(run_here("explain", "--output-format", "json", name, cwd=tmp_path).stdout)["path"] == name


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no such names")
@pytest.mark.parametrize("mark", ["\x1b", "\n", "\r", "\x85", "\u2028", "\u202e", "\u2066", "\x7f"], ids=ascii)
def test_nothing_in_a_name_acts_on_a_terminal(mark: str, tmp_path: Path) -> None:
    name = f"a\u3000{mark}[31m"
    (tmp_path / name).write_bytes(b"\xff")
    for style in "json", "jsonl", "gitlab", "github":
        assert f"{mark}[31m" not in output(tmp_path, "--output-format", style, name)
    line, *_ = output(tmp_path, "--output-format", "github", name).splitlines()
    assert line.startswith("::error file=a\\u3000\\")
    assert ",line=1," in line
    (found,) = json.loads(output(tmp_path, "--output-format", "json", name))["files"]
    assert found["path"] == name


def test_github_messages_are_escaped() -> None:
    assert as_github.annotation("error", "a%\r\nb: c, d", title="t") == "::error title=t::a%25%0D%0Ab: c, d"


# --- SARIF ------------------------------------------------------------------------------------------------------------


def validated(text: str) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(text)
    schema = json.loads(gzip.decompress(SCHEMA.read_bytes()))
    jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker()).validate(log)
    return log


SARIF_CASES = [
    ["."],
    ["b.txt"],
    ["--context", "."],
    [".", "missing"],
    ["-f", "corrected-utf-8", "."],
    ["-f", "utf-16", "--max-faults", "1", "."],
    ["--statistics", "."],
]


@pytest.mark.parametrize("arguments", SARIF_CASES, ids=" ".join)
def test_sarif_follows_its_schema(arguments: list[str], folder: Path) -> None:
    log = validated(output(folder, "--output-format", "sarif", *arguments))
    results = log["runs"][0]["results"]
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert [result["ruleId"] for result in results] == [fault["kind"] for fault in faults_as_json(folder, *arguments)]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in results)


def test_the_schema_refuses_what_is_no_sarif(folder: Path) -> None:
    log = json.loads(output(folder, "--output-format", "sarif", "."))
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    with pytest.raises(jsonschema.ValidationError):
        validated(json.dumps(log))


def test_every_kind_of_fault_is_a_rule_with_help(folder: Path) -> None:
    rules = validated(output(folder, "--output-format", "sarif", "b.txt"))["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(KINDS)
    assert all(len(rule["help"]["text"]) > 20 for rule in rules)


def test_a_rule_of_sarif_has_the_level_of_its_faults(folder: Path) -> None:
    (folder / "chat.json").write_bytes(b'["\\ud83d\xff"]')
    (folder / "letter.txt").write_bytes(b"one\r\ttwo\x00")
    for arguments in (["chat.json", "a.txt"], ["-f", "corrected-utf-8", "letter.txt"]):
        run_of = validated(output(folder, "--output-format", "sarif", *arguments))["runs"][0]
        levels = {rule["id"]: rule["defaultConfiguration"]["level"] for rule in run_of["tool"]["driver"]["rules"]}
        assert {result["level"] for result in run_of["results"]} == {"error", "warning"}
        for result in run_of["results"]:
            assert result["level"] == levels[result["ruleId"]], result


def test_the_kinds_that_are_warnings_are_those_of_the_faults() -> None:
    made = [
        MojibakeFault(),
        UnexaminedFault(),
        EscapedSurrogateFault("escaped-surrogate", "utf-8", 0, 6, severity="warning"),
    ]
    found = [*made, *lint(b"\ta\r"), *encode_faults("\ud83d\ude00", "wtf-16-le", warnings=True)]
    found += xtf8.lint("caf\uefc3\uefa9".encode())
    warnings = {fault.kind for fault in found if fault.severity == "warning"}
    assert warnings == WARNINGS


def test_a_region_of_sarif_is_the_bytes_of_the_fault(folder: Path) -> None:
    run_of_a = validated(output(folder, "--output-format", "sarif", "a.txt"))["runs"][0]
    place = run_of_a["results"][0]["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "a.txt"},
        "region": {"startLine": 2, "byteOffset": 8, "byteLength": 2},
    }
    assert run_of_a["results"][0]["properties"] == {"form": "utf-8", "column": 3}


def test_sarif_tells_of_files_that_cannot_be_read(folder: Path) -> None:
    log = validated(output(folder, "--output-format", "sarif", "missing", "b.txt"))
    invocation = log["runs"][0]["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "No such file or directory"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="this system has no names that are no UTF-8")
@pytest.mark.parametrize("name", [b"caf\xe9 \n%#?.txt", b"a:b", b"x y", "é".encode()])
def test_a_uri_of_sarif_has_every_byte_of_the_name(name: bytes, tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), name)
    with open(path, "wb") as file:
        file.write(b"\xff")
    done = run_here("check", "--output-format", "sarif", path, name, cwd=tmp_path)
    uris = [
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in validated(done.stdout.decode())["runs"][0]["results"]
    ]
    assert unquote_to_bytes(urlsplit(uris[0]).path) == path
    assert (urlsplit(uris[0]).scheme, urlsplit(uris[1]).scheme) == ("file", "")
    assert unquote_to_bytes(uris[1]) == name


def test_standard_input_has_no_uri_in_sarif() -> None:
    log = validated(run_here("check", "--output-format", "sarif", input=b"\xff").stdout.decode())
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"description": {"text": "standard input"}}


# --- statistics -------------------------------------------------------------------------------------------------------


def test_statistics_by_file_form_and_kind(folder: Path) -> None:
    (folder / "d.bin").write_bytes(b"\xf0\x9f\x92\xa9\xf0\x9f\x92\xa9\xff")
    shown = output(folder, "--statistics", "--form-map", "*.bin=cesu-8", ".")
    assert shown.splitlines() == [
        "./a.txt: utf-8: 1 overlong, 1 surrogate",
        "./c.txt: utf-8: 1 truncated",
        "./d.bin: cesu-8: 2 four-byte, 1 invalid-byte",
        "cesu-8: 2 four-byte, 1 invalid-byte",
        "utf-8: 1 overlong, 1 surrogate, 1 truncated",
        "       2 four-byte: a four-byte sequence, where the encoding writes surrogate pairs",
        "       1 invalid-byte: a byte that cannot begin a sequence",
        "       1 overlong: a code point encoded in more bytes than necessary",
        "       1 surrogate: a surrogate code point, which the encoding does not allow",
        "       1 truncated: a sequence that is cut short",
    ]


def test_statistics_with_faults_if_they_are_asked_for(folder: Path) -> None:
    shown = output(folder, "--statistics", "--max-faults", "1", "a.txt").splitlines()
    assert shown[:2] == [
        "a.txt:2:3: overlong: overlong form of U+002F (C0 AF)",
        "a.txt: utf-8: 1 overlong, 1 surrogate",
    ]


# --- context ----------------------------------------------------------------------------------------------------------


def contexts(data: bytes, form: str, folder: Path) -> list[str]:
    (folder / "context").write_bytes(data)
    faults = faults_as_json(folder, "--context", "-f", form, "context")
    return ["|".join(fault["context"][key] for key in ("before", "units", "after")) for fault in faults]


@pytest.mark.parametrize(
    ("form", "data", "expected"),
    [
        ("utf-8", b"a\nov\xc0\xafer \xff\nb", [r"ov|\xC0\xAF|er \xFF", r"ov\xC0\xAFer |\xFF|"]),
        ("utf-8", b"\xff", [r"|\xFF|"]),
        ("utf-8", b"\x1b[31m\t\xff\x07\xc2\x85\r\n", [r"\x1B[31m\x09|\xFF|\x07\u0085\x0D"]),
        ("utf-8", "\u202e漢".encode() + b"\xff\n", [r"\u202E漢|\xFF|"]),
        ("utf-8", b"x" * 60 + b"\xff" + b"y" * 60, ["…" + "x" * 48 + r"|\xFF|" + "y" * 48 + "…"]),
        ("utf-8", b"x" * 48 + b"\xff" + b"y" * 48 + b"\n", ["x" * 48 + r"|\xFF|" + "y" * 48]),
        ("utf-8", f"{'é' * 40}a".encode() + b"\xff" + f"a{'é' * 40}".encode(), [rf"…{'é' * 23}a|\xFF|a{'é' * 23}…"]),
        (
            "utf-16-le",
            f"{'😀' * 20}a\udc00a{'😀' * 20}".encode("utf-16-le", "surrogatepass"),
            [rf"…{'😀' * 11}a|\x00\xDC|a{'😀' * 11}…"],
        ),
        ("utf-16", b"\xfe\xff\0a\0\n\0b\xd8\0\0c\0\n", [r"b|\xD8\x00|c"]),
        ("utf-16-le", "a\u0a00b".encode("utf-16-le") + b"\0\xdc", [r"a਀b|\x00\xDC|".replace("਀", "\\u0A00")]),
        ("utf-8-rfc2044", b"\xf8\x88\x80\x80\x80\xff", [r"\U00200000|\xFF|"]),
        ("wtf-8", b"\xed\xb0\x80 \xff", [r"\uDC00 |\xFF|"]),
        ("corrected-utf-8", MAGIC + b"a\nb\xfe" + b"\x80" * 99 + b"c\n", [r"b|\xFE" + r"\x80" * 15 + "…|c"]),
    ],
)
def test_the_context_is_the_line_fit_to_be_shown(form: str, data: bytes, expected: list[str], tmp_path: Path) -> None:
    assert contexts(data, form, tmp_path) == expected


def test_the_mark_stands_under_the_bytes(folder: Path) -> None:
    (folder / "wide.txt").write_bytes("漢e\u0301".encode() + b"\xc0\xaf.\n")
    assert output(folder, "--context", "wide.txt").splitlines()[1:] == [
        "    漢e\u0301\\xC0\\xAF.",
        "       ^^^^^^^^",
    ]


def test_a_pipe_has_context_too() -> None:
    done = run_here("check", "--context", input=b"one\ntwo \xff three\n")
    assert done.stdout.decode().splitlines()[1:] == ["    two \\xFF three", "        ^^^^"]


def test_a_warning_without_bytes_is_marked_where_it_is(folder: Path) -> None:
    shown = output(folder, "--context", "-f", "corrected-utf-8", "b.txt").splitlines()
    assert shown[1:3] == ["    clean", "    ^"]


# --- results in a file ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_an_output_file_holds_what_would_be_on_standard_output(name: str, folder: Path) -> None:
    expected = run_here("check", "--output-format", name, "a.txt", "b.txt", cwd=folder)
    done = run_here("check", "--output-format", name, "--output-file", "out", "a.txt", "b.txt", cwd=folder)
    assert (folder / "out").read_bytes() == expected.stdout
    assert (done.stdout, done.stderr, done.returncode) == (b"", expected.stderr, 1)


def test_a_hyphen_is_standard_output(folder: Path) -> None:
    (folder / "a").write_bytes(b"\xff")
    asked = ("check", "--output-format", "json", "a")
    done = run_here(*asked, "--output-file", "-", cwd=folder)
    assert done.stdout == run_here(*asked, cwd=folder).stdout
    assert json.loads(done.stdout)
    assert not (folder / "-").exists()


def test_a_hyphen_is_not_the_file_of_that_name(folder: Path) -> None:
    (folder / "-").write_bytes(b"\xff")
    done = run_here("check", "--output-file", "-", "./-", cwd=folder)
    assert (done.stdout, done.returncode) == (run_here("check", "./-", cwd=folder).stdout, 1)
    assert (folder / "-").read_bytes() == b"\xff"


def test_an_output_file_in_the_folder_is_not_checked_while_it_is_written(folder: Path) -> None:
    run_here("check", "--output-format", "json", "--output-file", "out", ".", cwd=folder)
    assert json.loads((folder / "out").read_text())["summary"]["files"] == 3
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "b.txt", "c.txt", "out"]


def test_an_output_file_has_no_colour(folder: Path) -> None:
    environment = {**ENVIRONMENT, "TERM": "xterm"}
    run("check", "--output-file", "out", "a.txt", cwd=folder, env=environment)
    assert b"\x1b" not in (folder / "out").read_bytes()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full, which Linux has")
def test_a_file_that_cannot_be_written_is_told(folder: Path) -> None:
    done = run_here("check", "--output-file", "/dev/full", "a.txt", cwd=folder)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, b"eightfold: /dev/full: No space left on device")
    done = run_here("check", "--output-file", "no/such/folder", "a.txt", cwd=folder)
    assert (done.returncode, done.stderr) == (2, b"eightfold: no/such/folder: No such file or directory\n")


def test_an_old_output_file_stays_if_the_run_is_stopped(folder: Path) -> None:
    (folder / "out").write_bytes(b"as it was")
    with subprocess.Popen(
        command("check", "--output-file", "out"),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        cwd=folder,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"\xff" + MORE_THAN_A_PIPE_HOLDS)
        process.stdin.flush()
        assert len(list(folder.iterdir())) == 5  # The temporary file is there.
        process.terminate()
        assert process.stderr.read() == b""
    assert (folder / "out").read_bytes() == b"as it was"
    assert len(list(folder.iterdir())) == 4


def test_closed_standard_output_is_told_where_there_are_results(folder: Path) -> None:
    def closed(*arguments: str) -> tuple[int, bytes]:
        line = " ".join(('"$PY" -m eightfold check', *arguments, ">&-"))
        environment = {**ENVIRONMENT, "PY": sys.executable}
        done = subprocess.run(line, shell=True, capture_output=True, env=environment, cwd=folder, check=False)
        return done.returncode, done.stderr.splitlines()[-1]

    assert closed("a.txt") == (2, b"eightfold: standard output: it is closed")
    assert closed("b.txt") == (0, b"eightfold: 1 file checked: no faults")
    assert closed("--output-file", "out", "a.txt") == (1, b"eightfold: 1 file checked, 1 ill-formed: 2 errors")


def test_main_leaves_standard_output_as_it_was(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--output-file", str(folder / "out"), str(folder / "a.txt")])
    main(["check", str(folder / "a.txt")])
    assert capsys.readouterr().out == (folder / "out").read_text()
