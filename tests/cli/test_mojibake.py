# ruff: noqa: RUF001
"""Mojibake and guesses on the command line: `check` and `repair --mojibake`, `identify` and its `--legacy`."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import eightfold
from eightfold.cli import main
from eightfold.files.read import reading
from support.command_line import ENVIRONMENT, PATIENCE, ROOT, ran, run

GARBLED = "caf\u00c3\u00a9 \u00e2\u20ac\u201d na\u00efve\n"
MEANT = "caf\u00e9 \u2014 na\u00efve\n"
RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю.\n"


@pytest.fixture
def garbled(tmp_path: Path) -> Path:
    path = tmp_path / "garbled.txt"
    path.write_bytes(b"first\n" + GARBLED.encode() + b"bad \xff\n")
    return path


# --- check ------------------------------------------------------------------------------------------------------------


def test_check_warns_of_it_in_order_among_faults(garbled: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, shown, _ = ran("check", "--mojibake", str(garbled), capfd=capfd)
    said = "mojibake: UTF-8 that was read in a legacy charset and encoded again"
    assert status == 1
    assert shown.splitlines() == [
        f"{garbled}:2:4: {said} (C3 83 C2 A9), for U+00E9",
        f"{garbled}:2:9: {said} (C3 A2 E2 82 AC E2 80 9D), for U+2014",
        f"{garbled}:3:5: invalid-byte: byte FF cannot begin a sequence",
    ]


def test_pieces_of_a_file_are_put_together(
    garbled: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    garbled.write_bytes(garbled.read_bytes() * 3)
    whole = ran("check", "--mojibake", str(garbled), capfd=capfd)
    for size in (1, 3, 10):
        monkeypatch.setattr(reading, "CHUNK_BYTES", size)
        assert ran("check", "--mojibake", str(garbled), capfd=capfd) == whole


@pytest.mark.parametrize(
    ("name", "form", "text"),
    [
        ("in.json", "utf-8", r'"â€œ\ud83dâ‚¬Ø"'),
        ("in.json", "utf-8", r'"Ã©“Ø\ude00Рџaü\ude00a中"'),
        ("in.txt", "utf-8-sig", "\ufeffâ‚¬é"),
        ("in.txt", "utf-8", "â\uef80â‚¬é"),
    ],
)
def test_check_and_repair_find_the_same(
    tmp_path: Path, name: str, form: str, text: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode())
    _, warned, _ = ran("check", "-f", form, "--mojibake", str(path), capfd=capfd)
    expected = [line.split(": ")[0] for line in warned.splitlines() if "mojibake" in line]
    for options in ([], ["--escapes", "repair"], ["--errors", "replace"]):
        _, shown, _ = ran("repair", "-f", form, "--mojibake", *options, str(path), capfd=capfd)
        assert [line.split(": ")[0] for line in shown.splitlines() if "mojibake" in line] == expected


def test_with_strict_they_are_errors(garbled: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for strict, counts in ([], (1, 2)), (["--strict"], (3, 0)):
        _, shown, _ = ran("check", "--mojibake", "--output-format", "json", *strict, str(garbled), capfd=capfd)
        report = json.loads(shown)
        severities = [fault["severity"] for fault in report["files"][0]["faults"] if fault["kind"] == "mojibake"]
        assert severities == (["error"] if strict else ["warning"]) * 2
        assert (report["summary"]["errors"], report["summary"]["warnings"]) == counts


def test_they_are_warnings(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in"
    path.write_text(GARBLED, encoding="utf-8")
    assert ran("check", str(path), capfd=capfd)[:2] == (0, "")
    assert ran("check", "--mojibake", str(path), capfd=capfd)[0] == 0
    assert ran("check", "--mojibake", "--strict", str(path), capfd=capfd)[0] == 1
    _, shown, _ = ran("check", "--mojibake", "--statistics", str(path), capfd=capfd)
    assert "2 mojibake" in shown
    _, shown, _ = ran("check", "--mojibake", "--output-format", "json", str(path), capfd=capfd)
    (file,) = json.loads(shown)["files"]
    assert (file["well_formed"], file["warnings"]) == (True, 2)
    assert [fault["meant"] for fault in file["faults"]] == ["\u00e9", "\u2014"]
    _, shown, _ = ran("check", "--mojibake", "--output-format", "sarif", str(path), capfd=capfd)
    assert {result["ruleId"] for result in json.loads(shown)["runs"][0]["results"]} == {"mojibake"}


def test_that_they_are_not_looked_for_in_a_table_is_reported(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pa = pytest.importorskip("pyarrow", exc_type=ImportError)
    from pyarrow import parquet

    path = tmp_path / "in.parquet"
    parquet.write_table(pa.table({"a": [GARBLED]}), path)
    _, shown, said = ran("check", "--mojibake", str(path), capfd=capfd)
    assert (shown, said.splitlines()[0]) == ("", f"eightfold: {path}: mojibake is not looked for in Parquet")


def test_a_folder_in_processes(tmp_path: Path) -> None:
    from support.command_line import check_at_once

    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(GARBLED, encoding="utf-8")
    line = check_at_once("-j", "2", "--mojibake", str(tmp_path))
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout.count("mojibake: ")) == (0, 6)


# --- repair -----------------------------------------------------------------------------------------------------------


def test_repair_mends_it_in_a_plan_that_undoes_it(
    garbled: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(garbled.parent)
    original = garbled.read_bytes()
    _, shown, _ = ran("repair", "--mojibake", garbled.name, capfd=capfd)
    assert [line.split(":")[1:4] for line in shown.splitlines()] == [
        ["2", "4", " mojibake"],
        ["2", "9", " mojibake"],
        ["3", "5", " invalid-byte"],
    ]
    arguments = ["--errors", "replace", "--mojibake", "--plan", "plan.jsonl", garbled.name]
    assert ran("repair", *arguments, capfd=capfd)[0] == 0
    assert garbled.read_bytes() == original
    assert main(["repair", "--apply", "plan.jsonl"]) == 0
    assert garbled.read_text(encoding="utf-8") == f"first\n{MEANT}bad \ufffd\n"
    assert main(["repair", "--undo", "plan.jsonl"]) == 0
    assert garbled.read_bytes() == original


def test_without_the_option_nothing_is_mended(garbled: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, shown, _ = ran("repair", str(garbled), capfd=capfd)
    assert "mojibake" not in shown


def test_in_place_it_is_a_loss_that_must_be_allowed(garbled: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["repair", "--mojibake", "--verify", "--in-place"]
    original = garbled.read_bytes()
    status, _, said = ran(*arguments, str(garbled), capfd=capfd)
    assert (status, garbled.read_bytes()) == (2, original)
    assert "2 lossy changes" in said
    assert ran(*arguments, "--lossy", str(garbled), capfd=capfd)[0] == 0
    assert garbled.read_text(encoding="utf-8") == f"first\n{MEANT}bad \uefff\n"


def test_through_a_pipe() -> None:
    done = run("repair", "--mojibake", "--lossy", "-o", "-", input=GARBLED.encode())
    assert (done.returncode, done.stdout.decode()) == (0, MEANT)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["repair", "--mojibake", "--apply", "plan"], "--apply and --undo do not take --mojibake"),
        (["repair", "-f", "cesu-8", "--mojibake"], "it is not mended in cesu-8"),
        (["check", "-f", "cesu-8", "--mojibake"], "--mojibake is found in utf-8, not in cesu-8"),
        (["check", "-f", "cp1252", "--mojibake"], "--mojibake is found in utf-8, not in windows-1252"),
    ],
)
def test_wrong_use(arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    status, _, messages = ran(*arguments, str(ROOT / "README.md"), capfd=capfd)
    assert (status, said in messages) == (2, True)


# --- without the extras -----------------------------------------------------------------------------------------------

WITHOUT = (
    "import sys; sys.modules.update(ftfy=None, charset_normalizer=None); "
    "from eightfold.cli import main; sys.exit(main())"
)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "--mojibake"], "--mojibake needs ftfy: pip install 'ftfy"),
        (["repair", "--mojibake"], "--mojibake needs ftfy: pip install 'ftfy"),
        (["identify", "--legacy"], "--legacy needs charset-normalizer: pip install 'charset-normalizer"),
    ],
)
def test_a_missing_extra_is_said_with_the_way_to_it(arguments: list[str], said: str) -> None:
    line = [sys.executable, "-c", WITHOUT, *arguments]
    done = subprocess.run(
        line, input="", capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr or "install the extra" in done.stderr


def test_identify_works_without_them(garbled: Path) -> None:
    line = [sys.executable, "-c", WITHOUT, "identify", str(garbled)]
    done = subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE, check=True)
    assert done.stdout == f"{garbled}: utf-8, 1 fault\n"


# --- identify ---------------------------------------------------------------------------------------------------------


def test_identify_names_mojibake(garbled: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, shown, _ = ran("identify", str(garbled), capfd=capfd)
    assert shown.splitlines() == [
        f"{garbled}: utf-8, 1 fault",
        f"{garbled}: mojibake, 2 places in a sample of 16 KiB (eightfold check --mojibake shows all)",
    ]
    _, shown, _ = ran("identify", "--output-format", "json", str(garbled), capfd=capfd)
    assert json.loads(shown)["files"][0]["mojibake"] == 2


@pytest.mark.parametrize("path", sorted((ROOT / "tests" / "verbs" / "texts").glob("*.txt")), ids=lambda path: path.stem)
def test_identify_does_not_see_it_in_correct_text(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "mojibake" not in ran("identify", str(path), capfd=capfd)[1]


@pytest.mark.parametrize("codec", ["windows-1251", "koi8-r", "iso-8859-5", "cp866"])
def test_identify_guesses_at_a_charset_and_says_so(
    codec: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "in"
    path.write_bytes((RUSSIAN * 5).encode(codec))
    status, shown, said = ran("identify", "--legacy", str(path), capfd=capfd)
    guesses = [line for line in shown.splitlines() if ": guess " in line]
    assert status == 0
    assert any(codec in line for line in guesses)
    assert guesses == shown.splitlines(), "no form without evidence stands beside a guess"
    assert "these are guesses" in said
    _, shown, _ = ran("identify", "--legacy", "--output-format", "json", str(path), capfd=capfd)
    found = json.loads(shown)["files"][0]["guesses"]
    assert codec in [name for each in found for name in (each["charset"], *each["alike"])]


def test_the_charset_that_there_is_evidence_for_comes_first(capfd: pytest.CaptureFixture[str]) -> None:
    _, shown, _ = ran("identify", "--legacy", str(ROOT / "examples" / "invoice-latin-1.txt"), capfd=capfd)
    assert ": guess 1: windows-1252" in shown


def test_no_guess_is_made_where_there_is_evidence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in"
    path.write_text(RUSSIAN, encoding="utf-8")
    assert ran("identify", "--legacy", str(path), capfd=capfd) == (0, f"{path}: utf-8, well-formed\n", "")


def test_charsets_of_seven_bits_are_guessed_at(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in"
    path.write_bytes("日本語、カタカナ\n".encode("iso2022_jp"))
    assert ": guess 1: iso-2022-jp" in ran("identify", "--legacy", str(path), capfd=capfd)[1]


# --- repair of a file in a legacy charset -----------------------------------------------------------------------------


def test_repair_of_a_legacy_file_suggests_to_convert_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "old invoice.txt"
    path.write_bytes((ROOT / "examples" / "invoice-latin-1.txt").read_bytes())
    _, _, said = ran("repair", str(path), capfd=capfd)
    command = f"eightfold convert -f windows-1252 -t utf-8 '{path}'"
    assert f"reads as windows-1252; if all of it is: {command}\n" in said
    status, shown, _ = ran(*command.replace("'", "").split(" ", 1)[1].split(" ", 5)[:5], str(path), capfd=capfd)
    assert (status, shown) == (0, path.read_bytes().decode("cp1252"))


@pytest.mark.parametrize("name", ["cesu-8", "mutf-8"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_repair_of_text_in_a_form_with_pairs_suggests_to_convert_it(
    name: str, mark: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The default policy would make six escapes of each emoji."""
    text = f"{mark}{chr(0) * (name == 'mutf-8')}{'Zoë likes 🍰 and 🐈' * 1000}"
    path = tmp_path / "dump.csv"
    path.write_bytes(eightfold.encode(text, name))
    _, _, said = ran("repair", "-o", str(tmp_path / "out"), str(path), capfd=capfd)
    found, _, line = said.splitlines()[0].partition("; if all of it is: ")
    assert found == f"eightfold: {path}: reads as {name}"
    assert line == f"eightfold convert -f {name} -t utf-8 {path}"
    status, shown, _ = ran(*line.split(" ")[1:], capfd=capfd)
    assert (status, shown) == (0, text)


@pytest.mark.parametrize(
    "data",
    [
        b"a\xed\xa0\xbdb",  # half a pair
        b"a\xc0\x80b",
        "Zoë 🍰\n".encode() * 9 + b"\xed\xa0\xbd\xed\xb8\x80\n",  # UTF-8, but for one
        b"\xed\xa0\xbd\xed\xb8\x80\xe9\xff\xe9\n",  # more faults than cutting a sample makes
    ],
)
def test_repair_of_other_text_does_not(data: bytes, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").write_bytes(data)
    assert "reads as" not in ran("repair", str(tmp_path / "in"), capfd=capfd)[2]


def test_repair_of_mixed_text_does_not(garbled: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "reads as" not in ran("repair", str(garbled), capfd=capfd)[2]


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("bash"), reason="the lines are for a shell")
@pytest.mark.parametrize(
    ("given", "backup", "named"),
    [
        ("old name", [], "old name"),
        ("old name", ["--backup", ".orig"], "old name.orig"),
        ("link", [], "link"),
        ("link", ["--backup", ".orig"], "old name.orig"),
    ],
)
def test_once_a_legacy_file_is_replaced_the_suggestion_is_for_its_old_content(
    given: str, backup: list[str], named: str, tmp_path: Path
) -> None:
    """The same command as before would make mojibake of the result."""
    (tmp_path / "old name").write_bytes(b"caf\xe9\n")
    (tmp_path / "link").symlink_to("old name")
    said = run("repair", "--in-place", *backup, given, cwd=tmp_path).stderr.decode()
    found, _, line = said.splitlines()[0].partition("; if all of it is: ")
    assert found == f"eightfold: {given}: its old content reads as windows-1252"
    assert f"{named}'" in line or f" {named} " in line
    repaired = (tmp_path / "old name").read_bytes()
    shell = ["bash", "-c", line.replace("eightfold convert", f"{shlex.quote(sys.executable)} -m eightfold convert")]
    done = subprocess.run(shell, capture_output=True, cwd=tmp_path, env=ENVIRONMENT, timeout=PATIENCE)
    assert (done.returncode, done.stdout.decode()) == (0, "café\n")
    assert (tmp_path / "old name").read_bytes() == repaired == b"caf\xee\xbf\xa9\n"
