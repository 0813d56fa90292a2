"""`convert`, `check` and `table` with legacy charsets: where results go, what is said, proved and refused."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest

from eightfold.cli import main
from eightfold.files.read import reading
from eightfold.files.write.verifying import DifferenceError, Verifier
from eightfold.forms import form
from eightfold.legacy import CharsetConverter, charset, charsets
from support.command_line import PATIENCE, ran, run_here

GREETING = "Straße, 5 € für Zoë\n"


@pytest.mark.parametrize("name", ["windows-1252", "iso-8859-15", "gb18030", "cp858", "macintosh", "cp1140"])
@pytest.mark.parametrize("other", ["utf-8", "utf-16", "wtf-8", "mutf-8"])
def test_there_and_back_verified(
    name: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reading, "CHUNK_BYTES", 3)
    (tmp_path / "in").write_bytes(GREETING.encode(name))
    there, back = str(tmp_path / "there"), str(tmp_path / "back")
    options = ["--internal", "--verify", "-o"]
    status, _, said = ran("convert", "-f", name, "-t", other, *options, there, str(tmp_path / "in"), capfd=capfd)
    assert (status, said) == (0, f"eightfold: {tmp_path}/in: verified, {len(GREETING)} code points identical\n")
    assert main(["convert", "-f", other, "-t", name, *options, back, there]) == 0
    assert Path(back).read_bytes() == GREETING.encode(name)


@pytest.mark.parametrize("name", [found.name for found in charsets()])
def test_every_charset_is_a_source_and_a_target(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").write_text("plain 09 text\n")
    there, back = str(tmp_path / "there"), str(tmp_path / "back")
    assert main(["convert", "-t", name, "--verify", "-o", there, str(tmp_path / "in")]) == 0
    assert Path(there).read_bytes() == "plain 09 text\n".encode(name)
    assert main(["convert", "-f", name, "-t", "utf-8", "-o", back, there]) == 0
    assert Path(back).read_text() == "plain 09 text\n"


@pytest.mark.parametrize("output", ["-", "/dev/stdout"])
def test_a_fault_stops_with_its_place_and_what_gets_past_it(
    output: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "in"
    path.write_bytes(b"caf\xe9\nna\x81ve\n")
    status, written, said = ran("convert", "-f", "cp1252", "-t", "utf-8", "-o", output, str(path), capfd=capfd)
    assert (status, written) == (1, "café\nna")
    assert said.splitlines() == [
        f"{path}:2:3: undefined: windows-1252 does not define 81, at byte 7",
        "eightfold: the output ends before it; try --errors replace (writes U+FFFD for it), "
        "eightfold check -f windows-1252 (shows all faults)",
    ]


def test_a_code_point_that_the_target_lacks_is_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in"
    path.write_bytes(b"one\n\xc3\xa9\xe2\x82\xac \xed\xa0\xbd\n")
    out = str(tmp_path / "out")
    status, _, said = ran("convert", "-f", "wtf-8", "-t", "latin1", "-o", out, str(path), capfd=capfd)
    assert (status, Path(out).exists()) == (1, False)
    assert said.splitlines() == [
        "eightfold: iso-8859-1 is Python's latin_1; on the web this name means windows-1252",
        f"{path}:2:3: unrepresentable: U+20AC cannot be written in iso-8859-1, at byte 6",
        f"eightfold: {out} is not written; try -t windows-1252 (has this character), --errors replace (writes ? for "
        "it), --errors xmlcharrefreplace (writes &#8364; for it)",
    ]
    _, _, said = ran("convert", "-f", "wtf-8", "-t", "windows-1252", "-o", out, str(path), capfd=capfd)
    assert f"{path}:2:7: unrepresentable: U+D83D cannot be written in windows-1252, at byte 10\n" in said


@pytest.mark.parametrize(
    ("errors", "written"),
    [
        ("replace", b"a ? ?"),
        ("ignore", b"a  "),
        ("xmlcharrefreplace", b"a &#8364; &#55357;"),
        ("backslashreplace", rb"a \u20ac \ud83d"),
        ("namereplace", rb"a \N{EURO SIGN} \ud83d"),
    ],
)
def test_policies_are_those_of_python(errors: str, written: bytes) -> None:
    data = b"a \xe2\x82\xac \xed\xa0\xbd"
    done = run_here("convert", "-f", "wtf-8", "-t", "ascii", "--errors", errors, input=data)
    assert (done.returncode, done.stdout) == (0, written)


@pytest.mark.parametrize("errors", ["escape", "surrogatepass", "surrogateescape", "java", "nil"])
def test_other_policies_are_wrong_use(errors: str) -> None:
    done = run_here("convert", "-f", "cp1252", "-t", "utf-8", "--errors", errors, input=b"a")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"is not for legacy charsets, which take strict, replace" in done.stderr


def test_what_a_charset_does_not_keep_is_found_by_verify(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    # Python's shift_jis writes the yen sign as 5C, and reads 5C as a backslash.
    path, out = tmp_path / "in", tmp_path / "out"
    path.write_text("a\n\u65e5 \u00a55\n", encoding="utf-8")
    status, _, said = ran("convert", "-t", "shift_jis", "--verify", "-o", str(out), str(path), capfd=capfd)
    assert (status, out.exists()) == (1, False)
    assert f"{path}:2:5: U+00A5 became U+005C, at byte 6\n" in said


def test_verify_names_the_place_in_a_charset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reading, "CHUNK_BYTES", 4)
    path = tmp_path / "in"
    path.write_bytes("\u65e5\u672c\n\u65e5 \u00a55\n".encode("gb18030"))
    _, _, said = ran("convert", "-f", "gb18030", "-t", "shift_jis", "--verify", str(path), capfd=capfd)
    assert f"{path}:2:4: U+00A5 became U+005C, at byte 8\n" in said


def test_verify_names_the_place_where_the_result_comes_late() -> None:
    verifier = Verifier(charset("gb18030"), form("utf-8"))
    verifier.compare("\u4e2d\u6587\u4e2d\u6587".encode("gb18030"), "\u4e2d\u6587".encode())
    verifier.compare(b"", "\u4e2d".encode())
    with pytest.raises(DifferenceError, match=r"^at 6: U\+6587 became U\+0021$"):
        verifier.compare(b"abc", b"!abc", final=True)


def test_a_folder_is_replaced_in_place_by_several_threads_with_backups(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for number in range(9):
        (tmp_path / f"{number}.txt").write_bytes(f"Zo\xeb {number}\n".encode("cp1252"))
    options = ["--in-place", "--backup", ".orig", "--verify", "-j", "3"]
    status, _, said = ran("convert", "-f", "cp1252", "-t", "utf-8", *options, str(tmp_path), capfd=capfd)
    assert (status, said.count("verified, 6 code points identical")) == (0, 9)
    for number in range(9):
        assert (tmp_path / f"{number}.txt").read_text(encoding="utf-8") == f"Zo\xeb {number}\n"
        assert (tmp_path / f"{number}.txt.orig").read_bytes() == f"Zo\xeb {number}\n".encode("cp1252")
    assert len(list(tmp_path.iterdir())) == 18


def test_a_file_that_stops_is_not_replaced(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_bytes(b"\x1b$B!")
    (tmp_path / "b.txt").write_bytes(b"\x1b$B0l\x1b(B")
    status, _, said = ran("convert", "-f", "iso-2022-jp", "-t", "utf-8", "--in-place", str(tmp_path), capfd=capfd)
    assert status == 1
    assert "a.txt:1:4: truncated: sequence 21 is cut short by the end of the input" in said
    assert (tmp_path / "a.txt").read_bytes() == b"\x1b$B!"
    assert (tmp_path / "b.txt").read_text(encoding="utf-8") == "\u4e00"


def test_compressed_files(tmp_path: Path) -> None:
    (tmp_path / "in.gz").write_bytes(gzip.compress(GREETING.encode("cp1252")))
    done = run_here("convert", "-f", "cp1252", "-t", "gb18030", "-o", "out.gz", "in.gz", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert gzip.decompress((tmp_path / "out.gz").read_bytes()) == GREETING.encode("gb18030")


def test_memory_does_not_grow_with_the_file() -> None:
    converter = CharsetConverter(charset("gb18030"), form("utf-8"))
    piece = "\u4e2d\u6587 abc".encode("gb18030") * 512
    converter.convert(piece)
    assert _peak_of(converter, piece, 40) < 1.1 * _peak_of(converter, piece, 2)


def _peak_of(converter: CharsetConverter, piece: bytes, count: int) -> int:
    tracemalloc.start()
    for _ in range(count):
        converter.convert(piece)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_a_difference_is_shown() -> None:
    done = run_here("convert", "-f", "cp1252", "-t", "utf-8", "--diff", input=b"a\ncaf\xe9\n")
    assert (done.returncode, done.stdout.decode().splitlines()[2:]) == (
        1,
        ["@@ -1,2 +1,2 @@", " a", "-caf\\xE9", "+café"],
    )


# --- check ------------------------------------------------------------------------------------------------------------


def test_check_reports_every_fault_with_its_place(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in"
    path.write_bytes(b"\x83\x65a\xff\n\x82\xa0\xff\x82")
    status, shown, _ = ran("check", "-f", "shift_jis", "--context", str(path), capfd=capfd)
    assert status == 1
    assert shown.splitlines() == [
        f"{path}:1:4: undefined: shift_jis does not define FF",
        "    \u30c6a\\xFF",
        "       ^^^^",
        f"{path}:2:3: undefined: shift_jis does not define FF",
        "    \u3042\\xFF\\x82",
        "      ^^^^",
        f"{path}:2:4: truncated: sequence 82 is cut short by the end of the input",
        "    \u3042\\xFF\\x82",
        "          ^^^^",
    ]
    _, shown, _ = ran("check", "-f", "shift_jis", "--output-format", "json", str(path), capfd=capfd)
    assert [fault["column"] for fault in json.loads(shown)["files"][0]["faults"]] == [4, 3, 4]
    _, shown, _ = ran("check", "-f", "shift_jis", "--statistics", str(path), capfd=capfd)
    assert "2 undefined, 1 truncated" in shown


@pytest.mark.parametrize("padding", range(3))
@pytest.mark.parametrize(
    ("name", "bad"),
    [("shift_jis", b"\x81"), ("gb18030", b"\x81"), ("euc-jp", b"\x8e"), ("iso-2022-jp", b"\xff"), ("big5", b"\x81")],
)
def test_the_context_is_cut_between_characters(
    name: str, bad: bytes, padding: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = padding * "x" + 30 * "\u65e5\u672c\u8a9e"
    data = text.encode(name)
    path = tmp_path / "in"
    path.write_bytes(b"first\n" + data + bad + b" " + data + b"\n" + bad + b"\n")
    _, shown, _ = ran("check", "-f", name, "--context", "--output-format", "json", str(path), capfd=capfd)
    first, second = (fault["context"] for fault in json.loads(shown)["files"][0]["faults"])
    units = "".join(f"\\x{byte:02X}" for byte in bad)
    assert second == {"before": "", "units": units, "after": ""}
    before, after = first["before"].removeprefix("\u2026"), first["after"].removesuffix("\u2026")
    assert first == {"before": f"\u2026{before}", "units": units, "after": f"{after}\u2026"}
    assert text.endswith(before)
    assert f" {text}".startswith(after)
    assert 21 <= len(before) <= 24 <= len(after) + 2 <= 30


def test_the_context_of_a_charset_is_read_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in"
    line = "\u65e5".encode("iso-2022-jp")
    # The state is that of the beginning of the file, far before the fault.
    path.write_bytes(line[:3] + 300_000 * line[3:5] + b"\xff" + line[3:] + b"z\xff")
    _, shown, _ = ran("check", "-f", "iso-2022-jp", "--context", str(path), capfd=capfd)
    assert shown.splitlines()[1] == f"    \u2026{24 * chr(0x65E5)}\\xFF\u65e5z\\xFF"
    assert shown.splitlines()[4] == f"    \u2026{20 * chr(0x65E5)}\\xFF\u65e5z\\xFF"


def test_lines_of_ebcdic_end_where_they_do(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in"
    path.write_bytes("one\ntwo".encode("cp424") + b"\x70")
    _, shown, _ = ran("check", "-f", "cp424", str(path), capfd=capfd)
    assert shown == f"{path}:2:4: undefined: cp424 does not define 70\n"


def test_check_by_name_in_several_processes(tmp_path: Path) -> None:
    import subprocess

    from support.command_line import check_at_once

    for number in range(4):
        (tmp_path / f"{number}.asp").write_bytes(b"caf\xe9\x81\n")
    line = check_at_once("-j", "2", "--form-map", "*.asp=windows-1252", str(tmp_path))
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stderr.count("on the web this name means") == 0
    assert done.stdout.count(":1:5: undefined: windows-1252 does not define 81\n") == 4


def test_what_a_name_means_on_the_web_is_said_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_bytes(b"caf\xe9\n")
    said = "eightfold: iso-8859-1 is Python's latin_1; on the web this name means windows-1252\n"
    for arguments in (
        ["check", "-f", "l1"],
        ["check", "--form-map", "*.txt=latin1"],
        ["convert", "-t", "l1", "-f", "l1"],
    ):
        output = ["-o", str(tmp_path / "out")] if arguments[0] == "convert" else []
        assert ran(*arguments, *output, str(tmp_path), capfd=capfd)[2].count(said) == 1


# --- what is refused, and what is marked ------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["repair", "explain"])
def test_other_commands_say_what_to_do(command: str) -> None:
    done = run_here(command, "-f", "cp1252", input=b"a")
    assert done.returncode == 2
    assert b"windows-1252 is a legacy charset" in done.stderr
    assert b"try eightfold convert -f windows-1252 -t utf-8" in done.stderr


@pytest.mark.parametrize("name", ["rot13", "idna", "unicode_escape", "utf-7", "hex"])
def test_a_codec_that_is_no_charset_is_unknown(name: str) -> None:
    done = run_here("convert", "-f", name, "-t", "utf-8", input=b"a")
    assert done.returncode == 2
    assert b"unknown form" in done.stderr


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("windws-1252", b"did you mean windows-1252"),
        ("koi8r", b"did you mean koi8-r"),
        ("uft-8", b"did you mean utf-8"),
    ],
)
def test_a_name_with_a_typo_gets_suggestions(name: str, near: bytes) -> None:
    done = run_here("convert", "-f", name, "-t", "utf-8", input=b"a")
    assert done.returncode == 2
    assert near in done.stderr


def test_the_table_marks_charsets_as_foreign(capfd: pytest.CaptureFixture[str]) -> None:
    _, shown, _ = ran("table", capfd=capfd)
    assert "Foreign: legacy charsets" in shown
    assert all(found.name in shown for found in charsets())
    _, shown, _ = ran("table", "sjis", capfd=capfd)
    assert shown.startswith("shift_jis\n  A foreign charset, not a form of the family")
    assert "On the web this name means cp932." in shown
    _, shown, _ = ran("table", "--output-format", "json", capfd=capfd)
    values = json.loads(shown)
    assert [each["charset"] for each in values["foreign"]] == [found.name for found in charsets()]
    assert {each["form"] for each in values["forms"]}.isdisjoint(each["charset"] for each in values["foreign"])


@pytest.mark.parametrize(
    ("options", "text", "said"),
    [
        (("--form-map", "*.json=shift_jis"), r'"\ud83d"', b"escapes in JSON are not looked for in shift_jis"),
        (("--mojibake", "--form-map", "*.json=wtf-8"), '"caf\xc3\xa9"', b"mojibake is not looked for in wtf-8"),
    ],
)
def test_what_is_not_looked_for_in_a_form_is_said(
    options: tuple[str, ...], text: str, said: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    done = run_here("check", *options, str(path))
    assert said in done.stderr
    assert (done.returncode, done.stdout) == (0, b"")


def test_a_configuration_cannot_name_a_charset(tmp_path: Path) -> None:
    (tmp_path / "eightfold.toml").write_text('form = "windows-1252"\n')
    (tmp_path / "a.txt").write_text("a")
    done = run_here("check", str(tmp_path / "a.txt"))
    assert done.returncode == 2
    assert b"windows-1252 is a legacy charset, which a configuration cannot name: use -f" in done.stderr
