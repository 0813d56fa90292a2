"""Starting and ending: what is imported, exit statuses, broken pipes, full disks, closed streams, signals."""

from __future__ import annotations

import gc
import json
import os
import platform
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import eightfold
from eightfold.cli import main
from eightfold.cli.commands import COMMANDS
from support.command_line import ENVIRONMENT, MORE_THAN_A_PIPE_HOLDS, PATIENCE, ROOT, command, cut_off, run

NOT_FOR_CHECK = {
    *("json", "tempfile", "shutil", "difflib", "rich", "gzip", "bz2", "lzma", "fsspec", "hashlib"),
    *(
        "eightfold.cli.work.progress",
        "eightfold.files.read.compression",
        "eightfold.files.read.remote",
        "eightfold.files.records.journals",
    ),
}


def imported_in_order(*arguments: str) -> list[str]:
    """Return the names of all modules that a run imports, without what site-packages bring."""
    line = [sys.executable, "-S", "-X", "importtime", "-m", "eightfold", *arguments]
    done = subprocess.run(line, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    return re.findall(r"import time:.*\|\s+(\S+)$", done.stderr, re.MULTILINE)


def imported(*arguments: str) -> set[str]:
    """Return the same, in no order."""
    return {*imported_in_order(*arguments)}


@pytest.fixture
def clean(tmp_path: Path) -> str:
    path = tmp_path / "clean.txt"
    path.write_text("clean\n")
    return str(path)


@pytest.mark.parametrize("arguments", [["--version"], ["check"]], ids=" ".join)
def test_starting_imports_neither_extras_nor_other_commands(arguments: list[str], clean: str) -> None:
    modules = imported(*arguments, *([clean] if arguments == ["check"] else []))
    assert "eightfold.cli" in modules
    # Python's own `copy` asks for Jython's `org.python.core`, in vain.
    own = {"eightfold", "sitecustomize", "usercustomize", "org"}
    assert {name.partition(".")[0] for name in modules} - set(sys.stdlib_module_names) <= own
    others = {f"eightfold.cli.commands.{name}" for name in COMMANDS} - {f"eightfold.cli.commands.{arguments[0]}"}
    assert not modules & (others | NOT_FOR_CHECK)


def test_ctrl_c_is_quiet_before_anything_else_is_imported() -> None:
    modules = imported_in_order("--version")
    by_python = modules[: modules.index("eightfold._starting")]
    assert {*by_python}.isdisjoint({"typing", "re"})
    assert not any(name.startswith("eightfold") for name in by_python)


def test_the_measure_sees_what_is_imported(clean: str) -> None:
    modules = imported("check", "--output-format", "json", clean)
    assert "json" in modules


def test_check_leaves_nothing_heavy_in_sys_modules(clean: str) -> None:
    program = "import sys; from eightfold.cli import main; main(sys.argv[1:]); print(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", program, "check", clean], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    modules = set(done.stdout.split())
    assert "eightfold.cli.commands.check" in modules
    assert not modules & (NOT_FOR_CHECK | {"eightfold.cli.commands.convert", "eightfold.cli.commands.identify"})


def test_the_version_is_the_package_s() -> None:
    assert run("--version").stdout.decode() == f"eightfold {eightfold.__version__}\n"


def test_main_takes_the_arguments_of_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["eightfold", "--version"])
    assert main() == 0
    assert capsys.readouterr().out.startswith("eightfold ")


STATUSES = [
    (0, ["--help"]),
    (0, ["check", "clean.txt"]),
    (1, ["check", "faulty.txt"]),
    (1, ["check", "faulty.txt", "clean.txt"]),
    (2, ["check", "faulty.txt", "missing.txt"]),
    (2, ["check", "--no-such-option"]),
    (2, ["check", "-f", "no-such-form", "clean.txt"]),
    (2, ["check", "--max-faults", "-1", "clean.txt"]),
    (0, ["check", "-f", "corrected-utf-8", "clean.txt"]),
    (1, ["check", "-f", "corrected-utf-8", "--strict", "clean.txt"]),
    (0, ["identify", "clean.txt", "faulty.txt"]),
    (2, ["identify", "missing.txt"]),
    (0, ["convert", "-t", "utf-16", "clean.txt"]),
    (1, ["convert", "-t", "utf-16", "faulty.txt"]),
    (2, ["convert", "-t", "utf-16", "missing.txt"]),
    (2, ["convert", "clean.txt"]),
    (2, ["convert", "-t", "utf-16", "--errors", "no-such-policy", "clean.txt"]),
    (2, ["convert", "-t", "utf-16", "--errors", "java", "clean.txt"]),
    (2, ["convert", "-f", "xtf-8", "-t", "utf-8", "--errors", "ignore", "clean.txt"]),
    (2, ["convert", "-t", "utf-16", "."]),
    (2, ["convert", "-t", "utf-16", "clean.txt", "faulty.txt"]),
    (2, ["convert", "-t", "utf-16", "--in-place"]),
    (2, ["convert", "-t", "utf-16", "--in-place", "-"]),
    (2, ["convert", "-t", "utf-16", "--in-place", "-o", "out", "clean.txt"]),
    (2, ["convert", "-t", "utf-16", "--backup", ".bak", "clean.txt"]),
    (2, ["convert", "-t", "utf-16", "--in-place", "--backup", "../b", "clean.txt"]),
    (2, ["convert", "-t", "utf-16", "-o", "no-such-folder/out", "clean.txt"]),
    (2, ["no-such-command"]),
    (2, []),
]


@pytest.mark.parametrize(("status", "arguments"), STATUSES, ids=[" ".join(each) or "nothing" for _, each in STATUSES])
def test_the_exit_status(status: int, arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "clean.txt").write_text("clean\n")
    (tmp_path / "faulty.txt").write_bytes(b"\xff\n")
    done = run(*arguments, cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert done.returncode == status
    assert b"Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clean.txt", "faulty.txt"]
    if status == 2 and arguments and "faulty.txt" not in arguments and arguments[0] != "check":
        assert len(done.stderr.splitlines()) == 1


def test_results_and_messages_go_apart(tmp_path: Path) -> None:
    (tmp_path / "faulty.txt").write_bytes(b"\xff\n")
    done = run("check", "faulty.txt", cwd=tmp_path)
    assert done.stdout == b"faulty.txt:1:1: invalid-byte: byte FF cannot begin a sequence\n"
    assert done.stderr == b"eightfold: 1 file checked, 1 ill-formed: 1 error\n"


@pytest.mark.parametrize("arguments", [[], ["-"]], ids=["nothing", "dash"])
def test_standard_input_is_read(arguments: list[str]) -> None:
    done = run("check", "--output-format", "json", *arguments, input=b"\xff")
    assert json.loads(done.stdout)["files"][0]["path"] == "-"
    assert done.returncode == 1


def test_options_and_paths_in_any_order(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "-c.txt"):
        (tmp_path / name).write_bytes(b"\xff\xff")
    done = run("check", "a.txt", "--max-faults", "1", "b.txt", "--", "-c.txt", cwd=tmp_path)
    assert [line.partition(b":")[0] for line in done.stdout.splitlines()] == [b"a.txt", b"b.txt", b"-c.txt"]


@pytest.mark.parametrize("arguments", [["--"], ["--max-faults", "9", "--"], ["a.txt", "--"]], ids=" ".join)
def test_behind_two_dashes_all_are_paths(arguments: list[str], tmp_path: Path) -> None:
    for name in ("a.txt", "-f", "--help", "-"):
        (tmp_path / name).write_bytes(b"\xff")
    done = run("check", *arguments, "a.txt", "-f", "--help", "./-", cwd=tmp_path)
    paths = [line.partition(b":")[0] for line in done.stdout.splitlines()]
    assert paths == [b"a.txt"] * (arguments[0] == "a.txt") + [b"a.txt", b"-f", b"--help", b"./-"]
    assert run("explain", "--", "-f", cwd=tmp_path).stdout.count(b"byte FF cannot begin a sequence") == 1
    assert run("names", "--", "-f", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("before", [[], ["a.txt"], ["--max-faults", "9"]], ids=" ".join)
def test_a_file_whose_name_is_two_dashes_is_read(before: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a")
    (tmp_path / "--").write_bytes(b"\xff")
    done = run("check", *before, "--", "a.txt", "--", "a.txt", cwd=tmp_path, input=b"")
    assert done.stdout == b"./--:1:1: invalid-byte: byte FF cannot begin a sequence\n"
    assert run("explain", "--", "--", cwd=tmp_path, input=b"").stdout.count(b"byte FF cannot begin a sequence") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "--form=--"], b"argument -f/--form: unknown form: '--'"),
        (["check", "--max-faults=--"], b"argument --max-faults: '--' is not"),
        (["check", "--config=--"], b"--: No such file or directory"),
        (["convert", "-t--"], b"argument -t/--to: unknown form: '--'"),
        (["explain", "--hex=--"], b"argument --hex: '--' is not bytes in hex"),
    ],
)
def test_the_value_of_an_option_may_be_two_dashes(arguments: list[str], says: bytes) -> None:
    done = run(*arguments, input=b"")
    assert done.returncode == 2
    assert done.stderr.startswith(b"eightfold: " + says)


def test_what_is_explained_or_written_may_be_two_dashes(tmp_path: Path) -> None:
    assert run("explain", "-f", "utf-8", "--text=--").stdout.count(b"HYPHEN-MINUS") == 2
    assert run("convert", "-t", "utf-8", "--output=--", cwd=tmp_path, input=b"a").returncode == 0
    assert (tmp_path / "--").read_bytes() == b"a"


def test_two_dashes_may_precede_the_command() -> None:
    assert run("--", "check", input=b"\xff").stdout == run("check", input=b"\xff").stdout != b""
    assert run("--").returncode == 2
    assert run("--").stderr == run().stderr


def test_wrong_use_is_told_in_one_line() -> None:
    done = run("check", "--no\nsuch\x1boption")
    assert done.stderr == b"eightfold: unrecognized arguments: --no\\x0Asuch\\x1Boption (see eightfold check --help)\n"


MANY_FAULTS = b"\xff" * 100_000


@pytest.mark.parametrize(
    "arguments",
    [["check"], ["check", "--output-format", "json"], ["convert", "-t", "utf-16", "--errors", "replace"]],
    ids=" ".join,
)
def test_a_broken_pipe_is_quiet(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "faulty.txt").write_bytes(MANY_FAULTS)
    line = [*command(*arguments), "faulty.txt"]
    assert cut_off(line, tmp_path) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full, which Linux has")
@pytest.mark.parametrize(
    "arguments",
    [["check"], ["check", "--output-format", "json"], ["convert", "-t", "utf-16", "--errors", "replace"], ["identify"]],
    ids=" ".join,
)
@pytest.mark.parametrize("data", [b"\xff", MANY_FAULTS[:20_000]], ids=["little", "much"])
def test_a_full_disk_behind_standard_output_is_told(arguments: list[str], data: bytes, tmp_path: Path) -> None:
    (tmp_path / "faulty.txt").write_bytes(data)
    with open("/dev/full", "wb") as full:
        line = [*command(*arguments), "faulty.txt"]
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == b"eightfold: standard output: No space left on device"
    assert b"Traceback" not in done.stderr
    assert b"ignored" not in done.stderr


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    environment = {**ENVIRONMENT, "PY": sys.executable}
    return subprocess.run(line, shell=True, capture_output=True, env=environment, cwd=folder, check=False)


def test_closed_streams_are_told(tmp_path: Path) -> None:
    (tmp_path / "clean.txt").write_text("clean\n")
    closed_output = shell('"$PY" -m eightfold convert -t utf-8 clean.txt >&-', tmp_path)
    assert (closed_output.returncode, closed_output.stderr) == (2, b"eightfold: standard output: it is closed\n")
    closed_input = shell('"$PY" -m eightfold convert -t utf-8 <&-', tmp_path)
    assert (closed_input.returncode, closed_input.stderr) == (2, b"eightfold: standard input: it is closed\n")


@pytest.mark.parametrize("line", ["--help", "--version", "check --help", "manual"])
def test_help_that_nobody_can_read_is_not_written(line: str, tmp_path: Path) -> None:
    assert shell(f'"$PY" -m eightfold {line} >&- 2>&-', tmp_path).returncode == 2


def test_closed_messages_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "faulty.txt").write_bytes(b"\xff")
    done = shell('"$PY" -m eightfold check faulty.txt 2>&-', tmp_path)
    assert (done.returncode, done.stdout[:15]) == (1, b"faulty.txt:1:1:")


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=["INT", "TERM", "HUP"],
)
def test_a_signal_ends_quietly_and_leaves_nothing_behind(number: signal.Signals, status: int, tmp_path: Path) -> None:
    target = tmp_path / "target.txt"
    target.write_text("as it was")
    line = command("convert", "-t", "utf-16", "-o", "target.txt")
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, cwd=tmp_path
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(MORE_THAN_A_PIPE_HOLDS)
        process.stdin.flush()
        assert list(tmp_path.glob(".target.txt.*.tmp"))
        process.send_signal(number)
        messages = process.stderr.read()
    assert (process.returncode, messages) == (status, b"")
    assert [path.name for path in tmp_path.iterdir()] == ["target.txt"]
    assert target.read_text() == "as it was"


STOPPED = """
import os, signal, sys
from eightfold.cli.output.ending import exit_status

def run():
    print("found")
    os.kill(os.getpid(), {number})
    os.kill(os.getpid(), signal.SIGKILL)  # Never: the signal is heard before the next call.

sys.exit(exit_status(run, then_exits=True))
"""


@pytest.mark.parametrize("reader", ["reads", "does not read"])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["INT", "TERM"])
def test_a_program_that_was_stopped_does_not_wait_for_a_reader(
    number: signal.Signals, status: int, reader: str
) -> None:
    ours, theirs = os.pipe()
    held = b""
    if reader == "does not read":
        os.set_blocking(theirs, False)
        with suppress(BlockingIOError):
            while True:
                held += b"x" * os.write(theirs, b"x")
        os.set_blocking(theirs, True)
    line = [sys.executable, "-c", STOPPED.format(number=int(number))]
    done = subprocess.run(line, stdout=theirs, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False, timeout=PATIENCE)
    os.close(theirs)
    with open(ours, "rb") as rest:
        assert rest.read() == (held or b"found\n")
    assert (done.returncode, done.stderr) == (status, b"")


def test_signals_are_as_before_after_main() -> None:
    before = signal.getsignal(signal.SIGTERM)
    assert main(["--version"]) == 0
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_module_runs_like_the_script(tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("eightfold")
    if not script.exists():
        pytest.skip("eightfold is not installed as a script beside this Python")
    done = subprocess.run([script, "--version"], capture_output=True, check=True, cwd=ROOT)
    assert done.stdout == run("--version").stdout


START = """
import os, signal, sys
class Interrupting:
    def find_spec(name, *rest):
        if name == os.environ.get("INTERRUPTED"):
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting)
from eightfold.cli import main
sys.exit(main())
"""


@pytest.fixture(params=["eightfold", "eightfold.exe", "-m eightfold", "-Bm eightfold", "-meightfold"])
def started(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """Return what starts the command, as a script or as a module."""
    if request.param.startswith("-"):
        return [sys.executable, *request.param.split()]
    script = tmp_path / request.param
    script.write_text(START)
    return [sys.executable, str(script)]


@pytest.mark.parametrize("name", ["EIGHTFOLD_ENGINE", "EIGHTFOLD_SIMD"])
def test_a_wrong_variable_is_told_in_one_line(name: str, started: list[str]) -> None:
    if name == "EIGHTFOLD_SIMD" and eightfold.ENGINE != "native":
        pytest.skip("only the core reads it")
    environment = {**ENVIRONMENT, name: "fast"}
    done = subprocess.run([*started, "--version"], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("eightfold: ")
    assert f"{name} is " in done.stderr


def test_other_programs_get_the_exception(tmp_path: Path) -> None:
    (tmp_path / "another").mkdir()
    (tmp_path / "another" / "__init__.py").write_text("import eightfold")
    environment = {**ENVIRONMENT, "EIGHTFOLD_ENGINE": "fast"}
    line = [sys.executable, "-m", "another", "-m", "eightfold"]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert done.stderr.startswith("Traceback")


def test_ctrl_c_is_quiet_while_the_package_is_imported(tmp_path: Path) -> None:
    environment = {**ENVIRONMENT, "INTERRUPTED": "eightfold.identify"}
    for name in ("eightfold", "another"):
        (tmp_path / name).write_text(START)
        line = [sys.executable, str(tmp_path / name), "--version"]
        done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
        assert (done.returncode, done.stdout) == (-signal.SIGINT, "")
        assert ("KeyboardInterrupt" in done.stderr) == (name == "another"), done.stderr


def test_a_defect_leaves_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "eightfold").write_text(f"{START}\nraise SystemError".replace("sys.exit(main())", ""))
    line = [sys.executable, str(tmp_path / "eightfold")]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is the memory of glibc")
@pytest.mark.skipif(eightfold.ENGINE != "native", reason="the reference takes minutes for so many bytes")
@pytest.mark.parametrize("arguments", [["check", "-j", "1"], ["convert", "-j", "1", "-t", "utf-16-le"]], ids=" ".join)
def test_memory_is_not_asked_for_again_for_each_piece_of_a_file(arguments: list[str], tmp_path: Path) -> None:
    def pages(size: int) -> int:
        (tmp_path / "text").write_bytes("naïve text\n".encode() * (size // 12))
        with open(os.devnull, "wb") as nowhere:
            process = subprocess.Popen(command(*arguments, "text"), stdout=nowhere, env=ENVIRONMENT, cwd=tmp_path)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status  # It has been waited for.
        assert status == 0
        return usage.ru_minflt

    assert pages(32 << 20) < pages(1 << 20) + 800  # Else it is thousands.


def test_a_program_that_calls_main_keeps_its_garbage_collected() -> None:
    before = gc.get_freeze_count()
    assert main(["--version"]) == 0
    assert gc.get_freeze_count() == before
