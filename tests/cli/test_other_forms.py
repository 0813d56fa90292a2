"""Files that look like another form than the one they are read in: never repaired, never called clean or binary."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import eightfold
from eightfold.forms import forms
from support.command_line import ENVIRONMENT, PATIENCE, check_at_once, run_here

TEXT = "hi there, naïve\n"
MARKED = {
    "utf-16-le": (b"\xff\xfe" + TEXT.encode("utf-16-le"), "byte order mark", "utf-16"),
    "utf-16-be": (b"\xfe\xff" + TEXT.encode("utf-16-be"), "byte order mark", "utf-16"),
    "utf-32-le": (b"\xff\xfe\0\0" + TEXT.encode("utf-32-le"), "byte order mark", "utf-32"),
    "utf-32-be": (b"\0\0\xfe\xff" + TEXT.encode("utf-32-be"), "byte order mark", "utf-32"),
}
BY_NULS = {
    "utf-16-le": (TEXT.encode("utf-16-le"), "NULs at odd offsets", "utf-16-le"),
    "utf-16-be": (TEXT.encode("utf-16-be"), "NULs at even offsets", "utf-16-be"),
    "utf-32-le": (TEXT.encode("utf-32-le"), "NULs in every four bytes", "utf-32-le"),
    "utf-32-be": (TEXT.encode("utf-32-be"), "NULs in every four bytes", "utf-32-be"),
}
KANJI = "一つ、二つ、漢字と仮名だけの文。" * 4
BY_UNITS = {each: (KANJI.encode(each), "16-bit units that are text", each) for each in ("utf-16-le", "utf-16-be")}
CASES = [(form, *case) for known in (MARKED, BY_NULS, BY_UNITS) for form, case in known.items()]
every_case = pytest.mark.parametrize(("form", "data", "reason", "use"), CASES, ids=[f"{c[0]}, {c[2]}" for c in CASES])
BARE = b"\xff\xfeh\0i\0"


def seen(form: str, reason: str) -> str:
    return f"looks like {form} ({reason})"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    return tmp_path


@every_case
def test_check_gives_one_error_named_or_met(form: str, data: bytes, reason: str, use: str, folder: Path) -> None:
    (folder / "tree/a.txt").write_bytes(data)
    line = f"tree/a.txt:1:1: other-form: {seen(form, reason)}; use -f {use}\n"
    for path in ("tree/a.txt", "tree"):
        done = run_here("check", path, cwd=folder)
        assert (done.returncode, done.stdout.decode()) == (1, line)
        assert done.stderr == b"eightfold: 1 file checked, 1 ill-formed: 1 error\n"
    done = run_here("check", "-", cwd=folder, input=data)
    assert (done.returncode, done.stdout.decode()) == (1, line.replace("tree/a.txt", "-"))


@every_case
def test_the_remedy_of_check_works(form: str, data: bytes, reason: str, use: str, folder: Path) -> None:
    (folder / "a.txt").write_bytes(data)
    said = run_here("check", "a.txt", cwd=folder).stdout.decode()
    options = said.rstrip().rpartition("; use ")[2].split()
    done = run_here("check", *options, "a.txt", cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"eightfold: 1 file checked: no faults\n")


@every_case
def test_repair_refuses_it_and_its_remedy_works(form: str, data: bytes, reason: str, use: str, folder: Path) -> None:
    path = folder / "tree/a.txt"
    path.write_bytes(data)
    (folder / "tree/bad.txt").write_bytes(b"caf\xe9\n")
    for arguments in (["tree/a.txt"], ["tree"], ["--in-place", "--lossy", "--errors", "replace", "tree"]):
        done = run_here("repair", *arguments, cwd=folder)
        assert done.returncode == 2
        assert f"eightfold: tree/a.txt: {seen(form, reason)}; try eightfold convert -f {use} -t utf-8\n" in (
            done.stderr.decode()
        )
        assert path.read_bytes() == data
    assert (folder / "tree/bad.txt").read_bytes() == "caf\ufffd\n".encode()
    command = done.stderr.decode().partition("; try eightfold ")[2].splitlines()[0].split()
    done = run_here(*command, "-o", "fixed.txt", "tree/a.txt", cwd=folder)
    assert (done.returncode, (folder / "fixed.txt").read_text("utf-8")) == (0, data.decode(use))


def test_convert_refuses_it_and_its_remedy_works(folder: Path) -> None:
    path = folder / "tree/a.txt"
    path.write_bytes(BARE)
    line = ["convert", "-t", "wtf-16-be", "--errors", "replace", "--in-place", "--internal", "tree"]
    done = run_here(*line, cwd=folder)
    assert (done.returncode, path.read_bytes()) == (2, BARE)
    assert done.stderr.decode().startswith(f"eightfold: tree/a.txt: {seen('utf-16-le', 'byte order mark')}; use -f ")
    assert run_here(*line, "-f", "utf-16", cwd=folder).returncode == 0
    assert path.read_bytes() == b"\0h\0i"


def test_a_form_that_is_given_decides(folder: Path) -> None:
    path = folder / "tree/a.txt"
    path.write_bytes(BARE)
    for options in (["-f", "utf-8"], ["--form-map", "*.txt=utf-8"]):
        done = run_here("check", *options, "tree/a.txt", cwd=folder)
        assert done.stdout.startswith(b"tree/a.txt:1:1: invalid-byte: byte FF cannot begin a sequence\n")
    assert run_here("check", "--form-map", "*.txt=utf-16", "tree", cwd=folder).returncode == 0
    assert run_here("check", "--form-map", "*.md=utf-16", "tree", cwd=folder).returncode == 1
    assert run_here("check", "-f", "auto", "tree", cwd=folder).returncode == 0
    done = run_here("repair", "-f", "utf-8", "--in-place", "--errors", "latin-1", "--lossy", "tree/a.txt", cwd=folder)
    assert (done.returncode, path.read_bytes()) == (0, "ÿþh\0i\0".encode())


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0",
        b"\x7fELF\x02\x01\x01\0" + bytes(56),
        b"one\0two\0three\0",
        b"\0",
        bytes(100),
        # As the libraries of compilers begin: the places of their members, one for each of the names, and the names.
        b"!<arch>\n".ljust(68)
        + b"".join(400 * place.to_bytes(4, "big") for place in (0x1A18A, 0x1D95E, 0x4B532, 0x5CBFE)),
        # The same without its mark.
        b"nothing\n".ljust(68)
        + b"\0\0\x01\xd3"
        + b"".join(60 * place.to_bytes(4, "big") for place in (0xA18A, 0x1D95E, 0x4B532, 0x5CBFE, 0x6FCD2, 0x9AF66))
        + b"a_name_in_it\0" * 500,
    ],
)
def test_what_is_binary_is_still_binary(data: bytes, folder: Path) -> None:
    (folder / "tree/data").write_bytes(data)
    done = run_here("check", "tree", cwd=folder)
    assert b"1 binary file skipped" in done.stderr
    assert b"other-form" not in run_here("check", "tree/data", cwd=folder).stdout


@pytest.mark.parametrize("control", ["\x1a", "\0", "\x02"])
def test_a_control_at_the_end_does_not_make_text_binary(control: str, folder: Path) -> None:
    for text in ("hi there\n", "some more of it\n" * 999):
        (folder / "tree/data").write_bytes((text + control).encode("utf-16-le"))
        done = run_here("check", "tree/data", cwd=folder)
        assert done.returncode == 1
        assert b"looks like utf-16-le" in done.stdout


def test_every_report_has_it(folder: Path) -> None:
    (folder / "tree/a.txt").write_bytes(BARE)
    told = f"{seen('utf-16-le', 'byte order mark')}; use -f utf-16"

    def report(name: str, *options: str) -> str:
        return run_here("check", "--output-format", name, *options, "tree", cwd=folder).stdout.decode()

    (file,) = json.loads(report("json"))["files"]
    (fault,) = file["faults"]
    assert (file["form"], file["well_formed"], file["kinds"]) == ("utf-8", False, {"other-form": 1})
    assert (fault["kind"], fault["looks_like"], fault["use"]) == ("other-form", "utf-16-le", "utf-16")
    assert (fault["start"], fault["end"], fault["units"], fault["sentence"]) == (0, 2, "FF FE", told)
    assert json.loads(report("jsonl").splitlines()[0])["sentence"] == told
    assert report("github").splitlines()[0] == (f"::error file=tree/a.txt,line=1,col=1,title=other-form::{told}")
    (result,) = json.loads(report("sarif"))["runs"][0]["results"]
    assert (result["ruleId"], result["level"], result["message"]["text"]) == ("other-form", "error", told)
    assert report("text", "--statistics").splitlines()[0] == "tree/a.txt: utf-8: 1 other-form"
    assert report("text", "--context") == f"tree/a.txt:1:1: other-form: {told}\n"


def checked_by_two(folder: Path) -> subprocess.CompletedProcess[bytes]:
    line = check_at_once("-j", "2", "tree")
    return subprocess.run(line, cwd=folder, env=ENVIRONMENT, capture_output=True, timeout=PATIENCE, check=False)


def test_files_checked_at_once_say_the_same(folder: Path) -> None:
    for number in range(200):
        (folder / f"tree/{number:03}").write_bytes(BARE if number % 7 == 0 else TEXT.encode())
    done = checked_by_two(folder)
    assert (done.returncode, done.stdout) == (1, run_here("check", "tree", cwd=folder).stdout)
    assert done.stdout.count(b"other-form") == 29


def test_a_mark_is_seen_that_a_pipe_brings_byte_by_byte(folder: Path) -> None:
    line = "import sys, eightfold.cli; sys.exit(eightfold.cli.main(['check']))"
    from sys import executable

    with subprocess.Popen(
        [executable, "-c", line], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
    ) as process:
        assert process.stdin is not None
        for byte in BARE:
            process.stdin.write(bytes([byte]))
            process.stdin.flush()
        out, _ = process.communicate(timeout=PATIENCE)
    assert out.startswith(b"-:1:1: other-form: looks like utf-16-le")


# --- surrogates in pairs ----------------------------------------------------------------------------------------------

PAIRED = "Zoë likes 🍰 and 🐈\n"
CESU_8 = eightfold.encode(PAIRED, "cesu-8")
REMEDY = "looks like cesu-8; check -f cesu-8"


@pytest.mark.parametrize("options", [[], ["--statistics"], ["--max-faults", "1"], ["-f", "utf-8"], ["-f", "wtf-8"]])
def test_pairs_are_said_once_and_the_remedy_works(options: list[str], folder: Path) -> None:
    (folder / "dump.sql").write_bytes(CESU_8 * 100)
    done = run_here("check", *options, "dump.sql", cwd=folder)
    said = [line for line in done.stderr.decode().splitlines() if "looks like" in line]
    assert (done.returncode, said) == (1, [f"eightfold: dump.sql: {REMEDY}"])
    command = said[0].rpartition("; ")[2].split()
    done = run_here(*command, "dump.sql", cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"eightfold: 1 file checked: no faults\n")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"a\xc0\x80b\n" + CESU_8, "mutf-8"),
        (CESU_8 + b"\xff", "cesu-8"),  # both have one fault
        (b"\0" + CESU_8 + b"\xc0\x80\xff", "cesu-8"),  # both have two
    ],
)
def test_the_form_of_the_pairs_is_the_one_with_the_fewest_faults(data: bytes, name: str, folder: Path) -> None:
    (folder / "a.bin").write_bytes(data)
    for options in ([], ["--statistics"]):
        done = run_here("check", *options, "a.bin", cwd=folder)
        assert f"eightfold: a.bin: looks like {name}; check -f {name}\n" in done.stderr.decode()


def test_standard_input_and_other_processes_say_it_too(folder: Path) -> None:
    done = run_here("check", input=CESU_8)
    assert f"eightfold: -: {REMEDY}\n".encode() in done.stderr
    for number in range(200):
        (folder / f"tree/{number:03}").write_bytes(CESU_8)
    done = checked_by_two(folder)
    assert done.stderr.decode().count(REMEDY) == 200


def test_reports_for_programs_have_it(folder: Path) -> None:
    (folder / "tree/a.sql").write_bytes(CESU_8)
    (folder / "tree/b.txt").write_bytes(PAIRED.encode())

    def report(name: str) -> str:
        return run_here("check", "--output-format", name, "tree", cwd=folder).stdout.decode()

    first, second = json.loads(report("json"))["files"]
    assert (first["looks_like"], "looks_like" in second) == ("cesu-8", False)
    assert f"::notice file=tree/a.sql::{REMEDY}" in report("github").splitlines()
    (note,) = json.loads(report("sarif"))["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert (note["level"], note["message"]["text"]) == ("note", REMEDY)


@pytest.mark.parametrize(
    "data",
    [
        b"\xed\xa0\xbd, \xed\xb8\x80",  # apart
        b"\xed\xb8\x80\xed\xa0\xbd",  # the wrong way round
        b"\xed\xa0\xbd\xed\xa0\xbd",
        "\U0001f370\U0001f408".encode() * 20 + b"\xed\xa0\xbd\xed\xb8\x80",  # UTF-8, but for one
    ],
)
def test_nothing_is_said_where_pairs_do_not_fit(data: bytes, folder: Path) -> None:
    (folder / "a.txt").write_bytes(data)
    for options in ([], ["--statistics"]):
        done = run_here("check", *options, "a.txt", cwd=folder)
        assert (done.returncode, b"looks like" in done.stderr) == (1, False)


def test_the_forms_that_have_marks_are_all_looked_for() -> None:
    from eightfold.cli.work.likeness import _SIGNATURES

    marks = {signature.mark for each in forms() if each.unit_bits > 8 for signature in each.signatures}
    assert {signature.mark for signature, _ in _SIGNATURES} == marks
