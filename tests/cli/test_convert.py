"""`convert`: the library's conversions, on files: where results go, what is said, what is proved."""

from __future__ import annotations

import json
import os
import select
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import eightfold
from eightfold import corrected
from eightfold.cli import main
from eightfold.files.paths.addresses import is_temporary
from eightfold.files.read import reading
from support.command_line import ENVIRONMENT, PATIENCE, command, run_here
from support.needed import needs_terminal

NAMES = [form.name for form in eightfold.forms()]
TEXT = "one\nna\u00efve \u20ac \ufffd\n"
SURROGATES = b"a\xed\xa0\xbdb\xed\xb8\x80\n"
NOTE = b"eightfold: WTF-8 is for use inside a program, not for interchange"


def convert(folder: Path, *arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return run_here("convert", *arguments, cwd=folder, **options)


def names_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


@pytest.mark.parametrize("source", NAMES)
@pytest.mark.parametrize("target", NAMES)
def test_a_file_is_converted_as_the_library_does_and_verified(
    source: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reading, "CHUNK_BYTES", 3)
    data = eightfold.encode(TEXT, source)
    (tmp_path / "in").write_bytes(data)
    output = tmp_path / "out"
    arguments = ["-f", source, "-t", target, "--internal", "--verify", "-o", str(output), str(tmp_path / "in")]
    assert main(["convert", *arguments]) == 0
    meant = [f"{name}-sig" if name == "corrected-utf-8" else name for name in (source, target)]
    assert output.read_bytes() == eightfold.convert(data, *meant)
    assert f"verified, {len(TEXT)} code points identical" in capfd.readouterr().err


def test_through_pipes() -> None:
    for arguments in ([], ["-"], ["-o", "-"]):
        done = run_here("convert", "-t", "utf-16-be", *arguments, input="h\u00e9".encode())
        assert (done.returncode, done.stdout, done.stderr) == (0, b"\x00h\x00\xe9", b"")


def test_corrected_utf_8_is_always_that_with_magic_number() -> None:
    written = run_here("convert", "-t", "corrected-utf-8", input=b"text\n").stdout
    assert written == corrected.MAGIC + b"text\n"
    assert run_here("convert", "-f", "corrected-utf-8", "-t", "utf-8", input=written).stdout == b"text\n"


def test_what_a_pipe_has_is_converted_before_more_comes() -> None:
    line = ["convert", "-f", "utf-8", "-t", "utf-16-le"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command(*line), env=ENVIRONMENT, **pipes) as process:  # type: ignore[call-overload]
        for piece in ("one\n", "two\n"):
            process.stdin.write(piece.encode())
            process.stdin.flush()
            assert select.select([process.stdout], [], [], PATIENCE)[0], "nothing comes before the end"
            assert os.read(process.stdout.fileno(), 100) == piece.encode("utf-16-le")
        process.stdin.close()


def test_auto_identifies_a_file_and_a_pipe(tmp_path: Path) -> None:
    data = b"\xfe\xff\x00h\x00\xe9"
    (tmp_path / "in").write_bytes(data)
    from_file, from_pipe = (
        convert(tmp_path, "-f", "auto", "-t", "utf-8", "in"),
        run_here("convert", "-f", "auto", "-t", "utf-8", input=data),
    )
    assert from_file.stdout == from_pipe.stdout == b"h\xc3\xa9"
    assert from_file.stderr == b"eightfold: in: identified as utf-16\n"


def test_a_policy_that_the_identified_form_refuses_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"plain\n")
    done = convert(tmp_path, "-f", "auto", "-t", "utf-16", "--errors", "java", "--in-place", "in")
    assert done.returncode == 2
    assert b"--errors: " in done.stderr
    assert (tmp_path / "in").read_bytes() == b"plain\n"


def test_what_ends_like_a_folder_is_one(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("text")
    assert convert(tmp_path, "-t", "utf-16-le", "-o", "new/", "in").returncode == 0
    assert names_in(tmp_path) == ["in", "new/in"]
    done = convert(tmp_path, "-t", "utf-16-le", "-o", "in/", "in")
    assert (done.returncode, done.stderr) == (2, b"eightfold: in/: Not a directory\n")
    assert (tmp_path / "in").read_text() == "text"


POLICIES = [
    ("replace", "utf-8", "utf-8", b"a\xff", b"a\xef\xbf\xbd"),
    ("ignore", "utf-8", "utf-8", b"a\xffb", b"ab"),
    ("backslashreplace", "utf-8", "utf-8", b"a\xff", b"a\\xff"),
    ("surrogatepass", "utf-8", "wtf-8", b"\xed\xa0\xbd", b"\xed\xa0\xbd"),
    ("surrogateescape", "utf-8", "utf-8", b"a\xff", b"a\xff"),
    ("xmlcharrefreplace", "wtf-8", "utf-8", b"\xed\xa0\xbd", b"&#55357;"),
    ("escape", "xtf-8", "utf-8", b"\xee\xbe\x80", b"\xee\xbf\xae\xee\xbe\xbe\xee\xbe\x80"),
    ("private-use", "utf-8", "corrected-utf-8", b"\xc2\x80", corrected.MAGIC + b"\xf3\xbd\xbb\xa0"),
    ("java", "mutf-8", "utf-8", b"\x00", b"\x00"),
]


@pytest.mark.parametrize(("policy", "source", "target", "data", "expected"), POLICIES, ids=[row[0] for row in POLICIES])
def test_a_policy_is_passed_on(policy: str, source: str, target: str, data: bytes, expected: bytes) -> None:
    done = run_here("convert", "-f", source, "-t", target, "--errors", policy, "--internal", input=data)
    assert (done.returncode, done.stdout) == (0, expected)
    is_lossy = policy in ("replace", "ignore", "backslashreplace", "xmlcharrefreplace")
    assert done.stderr.decode().endswith(f" (--errors {policy})\n" if is_lossy else "")


def test_a_fault_names_the_file_the_place_the_rule_and_a_way_on(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"line\nab\xed\xa0\x80")
    done = convert(tmp_path, "-t", "utf-16", "in", "-o", "out")
    first, second = done.stderr.decode().splitlines()
    assert first == "in:2:3: surrogate: surrogate U+D800 (ED A0 80), which utf-8 cannot hold, at byte 7"
    assert second.startswith("eightfold: out is not written; try --errors replace (")
    assert done.returncode == 1
    assert names_in(tmp_path) == ["in"]


def test_a_fault_of_a_pipe_has_its_offset() -> None:
    done = run_here("convert", "-t", "utf-16", input=b"line\nab\xff")
    assert done.stderr.startswith(b"-: invalid-byte: byte FF cannot begin a sequence, at byte 7\n")


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-16", "utf-8-sig", "utf-32"])
@pytest.mark.parametrize("chunk_bytes", [1, 3, 64])
def test_a_place_is_the_library_s(
    name: str, chunk_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reading, "CHUNK_BYTES", chunk_bytes)
    width = eightfold.form(name).unit_bytes
    faulty = {1: b"\xff", 2: b"\x00\xd8" if sys.byteorder == "little" else b"\xd8\x00", 4: b"\xff\xff\xff\xff"}[width]
    if name == "utf-16-be":
        faulty = faulty[::-1] if sys.byteorder == "little" else faulty
    if name == "utf-16-le" and sys.byteorder == "big":
        faulty = faulty[::-1]
    data = eightfold.encode("\u0a0a\none\ntw\u00f6", name) + faulty + eightfold.encode("x", name)[-width:]
    (tmp_path / "in").write_bytes(data)
    [fault] = list(eightfold.faults(data, name))
    line, column = eightfold.locate(data, fault)
    assert main(["convert", "-f", name, "-t", "utf-8", "-o", str(tmp_path / "out"), str(tmp_path / "in")]) == 1
    assert capfd.readouterr().err.startswith(
        f"{tmp_path / 'in'}:{line}:{column}: {fault.kind}: {fault}, at byte {fault.start}\n"
    )
    assert line == 3


@pytest.mark.parametrize(
    ("source", "target", "way"),
    [
        ("utf-8", "utf-8-sig", " (to read it as a mark: -f utf-8-sig)"),
        ("utf-16-le", "utf-32", " (to read it as a mark: -f utf-16)"),
        ("wtf-16-be", "wtf-16", " (to read it as a mark: -f wtf-16)"),
        ("cesu-8", "utf-16", ""),
    ],
)
def test_a_second_mark_is_reported(source: str, target: str, way: str, tmp_path: Path) -> None:
    """`convert -t utf-8-sig`, run twice, would otherwise put a mark before the mark without a word."""
    (tmp_path / "in").write_bytes(eightfold.encode("\ufeffa", source))
    done = convert(tmp_path, "-f", source, "-t", target, "-o", "out", "in")
    said = f"eightfold: in: begins with U+FEFF, and {target} writes another before it{way}\n"
    assert (done.returncode, done.stderr.decode()) == (0, said)
    assert eightfold.decode((tmp_path / "out").read_bytes(), target) == "\ufeffa"


@pytest.mark.parametrize(
    ("data", "ends"),
    [
        (b"\xef\xbb\xbfa", "utf-8-sig utf-16"),
        (b"\xef\xbb\xbfa", "utf-8 utf-16-le"),
        (b"a\xef\xbb\xbf", "utf-8 utf-8-sig"),
        (b"\xef\xbb", "xtf-8 utf-8-sig"),
        (b"", "utf-8 utf-8-sig"),
    ],
)
def test_one_mark_is_not_reported(data: bytes, ends: str, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(data)
    source, target = ends.split()
    done = convert(tmp_path, "-f", source, "-t", target, "-o", "out", "in")
    assert (done.returncode, done.stderr) == (0, b"")


class TestDestinations:
    def test_a_file_to_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "in").write_bytes(b"a")
        assert convert(tmp_path, "-t", "utf-16-be", "in", "-o", "out").returncode == 0
        assert (tmp_path / "out").read_bytes() == b"\x00a"

    def test_a_file_to_itself(self, tmp_path: Path) -> None:
        (tmp_path / "in").write_bytes(b"a" * 100_000)
        assert convert(tmp_path, "-t", "utf-16-be", "in", "-o", "in").returncode == 0
        assert (tmp_path / "in").read_bytes() == b"\x00a" * 100_000

    def test_a_folder_to_a_folder(self, tmp_path: Path) -> None:
        make_tree(tmp_path / "from")
        assert convert(tmp_path, "-t", "utf-16-be", "from", "-o", "to").returncode == 0
        assert names_in(tmp_path / "to") == ["a", "in/b", "in/in/c"]
        assert (tmp_path / "to/in/in/c").read_bytes() == b"\x00c"

    def test_files_into_a_folder(self, tmp_path: Path) -> None:
        make_tree(tmp_path)
        assert convert(tmp_path, "-t", "utf-16-be", "a", "in/b", "-o", "to").returncode == 0
        assert names_in(tmp_path / "to") == ["a", "b"]

    def test_a_file_into_a_folder_that_is_there(self, tmp_path: Path) -> None:
        make_tree(tmp_path)
        (tmp_path / "to").mkdir()
        assert convert(tmp_path, "-t", "utf-16-be", "a", "-o", "to").returncode == 0
        assert names_in(tmp_path / "to") == ["a"]

    def test_a_folder_to_itself_is_refused(self, tmp_path: Path) -> None:
        """After a kill nobody would know which files are done, and converting them twice destroys them."""
        make_tree(tmp_path / "from")
        (tmp_path / "link").symlink_to("from")
        for given in (["from", "-o", "from"], ["from", "-o", "link"]):
            done = convert(tmp_path, "-t", "utf-16-be", *given)
            assert done.returncode == 2
            assert b"would be replaced by its result: use --in-place, which can be resumed\n" in done.stderr
        assert (tmp_path / "from/a").read_bytes() == b"a"

    def test_two_results_of_one_name_are_refused_before_anything_is_written(self, tmp_path: Path) -> None:
        make_tree(tmp_path / "x")
        make_tree(tmp_path / "y")
        done = convert(tmp_path, "-t", "utf-16-be", "x", "y", "-o", "to")
        assert (done.returncode, done.stderr) == (2, b"eightfold: x/a and y/a would both become to/a\n")
        assert not (tmp_path / "to").exists()

    def test_the_same_file_twice_is_no_clash(self, tmp_path: Path) -> None:
        make_tree(tmp_path)
        assert convert(tmp_path, "-t", "utf-16-be", "a", "a", "-o", "to").returncode == 0

    def test_standard_input_into_a_folder_is_refused(self, tmp_path: Path) -> None:
        assert convert(tmp_path, "-t", "utf-8", "-o", ".", input=b"").returncode == 2

    def test_a_folder_in_place(self, tmp_path: Path) -> None:
        make_tree(tmp_path)
        assert convert(tmp_path, "-t", "utf-16-be", "--in-place", ".").returncode == 0
        assert [(tmp_path / name).read_bytes() for name in names_in(tmp_path)] == [b"\x00a", b"\x00b", b"\x00c"]

    def test_a_faulty_file_does_not_stop_the_others(self, tmp_path: Path) -> None:
        make_tree(tmp_path)
        (tmp_path / "in/b").write_bytes(b"\xff")
        assert convert(tmp_path, "-t", "utf-16-be", "--in-place", ".").returncode == 1
        files = [name for name in names_in(tmp_path) if not is_temporary(name)]
        assert [(tmp_path / name).read_bytes() for name in files] == [b"\x00a", b"\xff", b"\x00c"]

    def test_a_missing_file_outranks_a_faulty_one(self, tmp_path: Path) -> None:
        (tmp_path / "bad").write_bytes(b"\xff")
        assert convert(tmp_path, "-t", "utf-16-be", "--in-place", "missing", "bad").returncode == 2

    def test_a_backup_keeps_the_old_file(self, tmp_path: Path) -> None:
        (tmp_path / "in").write_bytes(b"a")
        assert convert(tmp_path, "-t", "utf-16-be", "--in-place", "--backup", ".old", "in").returncode == 0
        assert (tmp_path / "in.old").read_bytes() == b"a"
        assert (tmp_path / "in").read_bytes() == b"\x00a"

    def test_a_backup_is_never_overwritten(self, tmp_path: Path) -> None:
        (tmp_path / "in").write_bytes(b"a")
        (tmp_path / "in.old").write_bytes(b"older")
        done = convert(tmp_path, "-t", "utf-16-be", "--in-place", "--backup", ".old", "in")
        assert done.returncode == 2
        assert b"the backup already exists" in done.stderr
        assert [(tmp_path / name).read_bytes() for name in names_in(tmp_path)] == [b"a", b"older"]

    def test_in_place_follows_a_link_and_leaves_it(self, tmp_path: Path) -> None:
        (tmp_path / "real").write_bytes(b"a")
        (tmp_path / "link").symlink_to("real")
        assert convert(tmp_path, "-t", "utf-16-be", "--in-place", "link").returncode == 0
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_bytes() == b"\x00a"

    def test_links_inside_a_folder_are_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "real").write_bytes(b"a")
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder/link").symlink_to("../real")
        assert convert(tmp_path, "-t", "utf-16-be", "--in-place", "folder").returncode == 0
        assert (tmp_path / "real").read_bytes() == b"a"

    @pytest.mark.parametrize("paths", [["in", "in"], [".", "./in"], ["link", "in"], ["in", "../folder/in"]])
    def test_a_file_that_is_given_twice_is_converted_once(self, paths: list[str], tmp_path: Path) -> None:
        folder = tmp_path / "folder"
        folder.mkdir()
        (folder / "in").write_bytes(b"a")
        (folder / "link").symlink_to("in")
        assert convert(folder, "-t", "utf-16-be", "--in-place", *paths).returncode == 0
        assert (folder / "in").read_bytes() == b"\x00a"

    def test_a_file_that_grows_while_it_is_read_is_left_alone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "in").write_bytes(b"a")
        read = reading.Source._read

        def growing(source: reading.Source, length: int) -> bytes:
            content = read(source, length)
            if not content:
                with (tmp_path / "in").open("ab") as file:
                    file.write(b"late")
            return content

        monkeypatch.setattr(reading.Source, "_read", growing)
        assert main(["convert", "-t", "utf-16-be", "--in-place", str(tmp_path / "in")]) == 2
        assert "in: another program changed it while it was being read" in capsys.readouterr().err
        assert (tmp_path / "in").read_bytes() == b"alate"

    def test_a_pipe_cannot_be_replaced(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        done = convert(tmp_path, "-t", "utf-16-be", "--in-place", "pipe")
        assert (done.returncode, done.stderr) == (2, b"eightfold: pipe: only a file can be replaced\n")

    def test_a_pipe_can_be_written_to_and_stays_one(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        # Opened for both, so that nobody waits for the other end.
        pipe = os.open(tmp_path / "pipe", os.O_RDWR)
        assert convert(tmp_path, "-t", "utf-16-be", "-o", "pipe", input=b"a").returncode == 0
        assert select.select([pipe], [], [], 0)[0], "nothing was written to the pipe"
        assert os.read(pipe, 10) == b"\x00a"
        os.close(pipe)
        assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def make_tree(folder: Path) -> None:
    (folder / "in/in").mkdir(parents=True)
    for name in ("a", "in/b", "in/in/c"):
        (folder / name).write_bytes(name[-1].encode())


class TestNote:
    def test_wtf_8_to_a_pipe_or_a_file_says_that_it_is_not_for_interchange(self, tmp_path: Path) -> None:
        assert convert(tmp_path, "-t", "wtf-8", input=b"a").stderr.startswith(NOTE)
        done = convert(tmp_path, "-t", "WTF_8", "-o", "out", input=b"a")
        assert done.stderr.startswith(NOTE)
        assert (done.returncode, (tmp_path / "out").read_bytes()) == (0, b"a")

    def test_once_however_many_files(self, tmp_path: Path) -> None:
        make_tree(tmp_path)
        assert convert(tmp_path, "-t", "wtf-8", "--in-place", ".").stderr.count(NOTE) == 1

    @pytest.mark.parametrize(
        "arguments", [["-t", "wtf-8", "--internal"], ["-f", "wtf-8", "-t", "utf-8"], ["-t", "utf-8"]]
    )
    def test_not_otherwise(self, arguments: list[str]) -> None:
        assert run_here("convert", *arguments, input=b"a").stderr == b""

    @needs_terminal
    def test_not_on_a_terminal(self) -> None:
        import pty

        leader, follower = pty.openpty()
        line = command("convert", "-t", "wtf-8")
        done = subprocess.run(line, input=b"a", stdout=follower, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False)
        os.close(follower)
        assert (done.returncode, done.stderr, os.read(leader, 10)) == (0, b"", b"a")
        os.close(leader)


class TestVerify:
    def test_a_join_is_reported_and_nothing_is_written(self, tmp_path: Path) -> None:
        (tmp_path / "in").write_bytes(b"x\n\xed\xa0\xbd\xed\xb8\x80")
        done = convert(tmp_path, "-f", "generalized-utf-8", "-t", "wtf-8", "--internal", "--verify", "in", "-o", "out")
        assert done.returncode == 1
        assert done.stderr.splitlines() == [
            b"in:2:1: the surrogate pair U+D83D U+DE00 was joined to U+1F600, at byte 2",
            b"eightfold: out is not written",
        ]
        assert names_in(tmp_path) == ["in"]

    def test_without_verify_a_pair_is_joined(self) -> None:
        done = run_here("convert", "-f", "generalized-utf-8", "-t", "utf-16-le", input=b"\xed\xa0\xbd\xed\xb8\x80")
        assert done.returncode == 1  # Not even that: UTF-16 takes no surrogate from generalized UTF-8.
        done = run_here(
            "convert", "-f", "generalized-utf-8", "-t", "wtf-8", "--internal", input=b"\xed\xa0\xbd\xed\xb8\x80"
        )
        assert (done.returncode, done.stdout) == (0, b"\xf0\x9f\x98\x80")

    def test_loss_is_reported(self) -> None:
        done = run_here("convert", "-f", "wtf-8", "-t", "utf-8", "--errors", "replace", "--verify", input=SURROGATES)
        assert (done.returncode, done.stderr.splitlines()[0]) == (1, b"-: U+D83D became U+FFFD, at byte 1")

    def test_what_does_not_come_back_is_reported(self) -> None:
        bytes_of_an_e = "\uefc3\uefa9".encode()
        done = run_here("convert", "-t", "xtf-8", "--verify", input=bytes_of_an_e)
        assert (done.returncode, done.stderr.splitlines()[0]) == (1, b"-: U+EFC3 became U+00E9, at byte 0")

    def test_in_place_the_old_file_stays_where_they_differ(self, tmp_path: Path) -> None:
        (tmp_path / "in").write_bytes(SURROGATES)
        done = convert(tmp_path, "-f", "wtf-8", "-t", "utf-8", "--errors", "replace", "--verify", "--in-place", "in")
        assert done.returncode == 1
        assert (tmp_path / "in").read_bytes() == SURROGATES


def test_a_file_without_changes_is_not_written_but_backed_up_if_that_is_asked_for(tmp_path: Path) -> None:
    same, other = tmp_path / "same.txt", tmp_path / "other.txt"
    same.write_bytes("naïve".encode())
    other.write_bytes(b"\xef\xbb\xbfplain")
    before = same.stat()
    certificate = tmp_path / "proof.jsonl"
    assert main(["convert", "-t", "utf-8", "-f", "utf-8-sig", "--in-place", str(same), str(other)]) == 0
    assert (same.stat().st_ino, same.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert other.read_bytes() == b"plain"
    assert main(["convert", "-t", "utf-8", "--in-place", "--certificate", str(certificate), str(same)]) == 0
    assert json.loads(certificate.read_text().splitlines()[-1])["same"] == "code points"
    assert sorted(tmp_path.iterdir()) == sorted((same, other, certificate))
    assert main(["convert", "-t", "utf-8", "--in-place", "--backup", ".orig", str(same)]) == 0
    assert (tmp_path / "same.txt.orig").read_bytes() == same.read_bytes()
