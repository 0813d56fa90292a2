"""Run the command line as a shell does, and hold the golden transcripts: a command, its output, its exit status.
``python tests/support/command_line.py`` rewrites the transcripts; review the difference before you commit it. With
``--check`` it compares them, and works without pytest in any Python.
"""

from __future__ import annotations

import bz2
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING, Any
from unittest.mock import patch

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "cli" / "golden"
EXAMPLES = ROOT / "examples"

VERSION_SHOWN = "VERSION"
# Where the package is that the commands run; a sanitized build is elsewhere.
PACKAGE = os.environ.get("EIGHTFOLD_TESTED", str(ROOT / "src"))
# Python's defaults, above all buffered output, and nothing about colour, whatever the environment of this process.
_TOLD = ("PYTHON", "NO_COLOR", "FORCE_COLOR")
_DEFAULT = {name: value for name, value in os.environ.items() if not name.startswith(_TOLD)}
ENVIRONMENT = {**_DEFAULT, "COLUMNS": "80", "PYTHONPATH": PACKAGE, "PYTHONWARNINGS": "error"}

PATIENCE = 300
"""Seconds after which a program is taken to hang. On a machine that ten others use at once, some take a minute."""

INPUTS = {
    "clean.txt": "one line, naïvely clean\n".encode(),
    "ill-formed.txt": b"first\nov\xc0\xafer \xed\xa0\xbd\n\xf4\x90\x80\x80 \x80\xff\xe2\x82",
    "paired.bin": b"ab\xed\xa0\xbd\xed\xb8\x80",
    "document.txt": b"\xef\xb7\x9d\xed\xb2\xae\x00\nnul \x00\ttab\r\nno end",
    "folder/b.txt": b"b\xff\n",
    "folder/deeper/c.txt": b"c\n",
    "folder/a.txt": b"a\xfe\n",
    "packed/cut.gz": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff",
    "packed/none.xz": b"no archive at all\n",
    "packed/words.txt.bz2": bz2.compress(b"ok\ncaf\xe9\n"),
    "configured.toml": b'exclude = ["/tree/vendor/"]\nform-map = { "words.*" = "cesu-8" }\n',
    "wrong.toml": b"# one\nformmap = {}\n",
    "tree/.gitignore": b"*.log\n",
    "tree/build.log": b"\xff\n",
    "tree/Cut.class": b"\xca\xfe\xba\xbe\x00\x00\x00\x34",
    "tree/image.bin": b"\x89PNG\r\n\x1a\n\x00\x00\xff",
    "tree/vendor/legacy.txt": b"caf\xe9\n",
    "tree/words.txt": "née ".encode() + b"\xed\xa0\xbc\xed\xbd\xb0\n",
}
"""The files that the transcripts use besides those of examples/."""


def command(*arguments: str | bytes) -> list[str | bytes]:
    return [sys.executable, "-m", "eightfold", *arguments]


MORE_THAN_A_PIPE_HOLDS = b"text\n" * 200_000
"""Once a process has taken this from a pipe, it is at work: its modules are imported."""

AT_ONCE = (
    "import sys; from eightfold.cli import main; from eightfold.cli.work import schedule; "
    "schedule._ALONE = 0; sys.exit(main(sys.argv[1:]))"
)
"""The command line, set to start its processes at once, even for little work."""


def check_at_once(*arguments: str) -> list[str]:
    return [sys.executable, "-c", AT_ONCE, "check", *arguments]


def run(*arguments: str | bytes, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the command line and return its output, as bytes, and its exit status."""
    return subprocess.run(command(*arguments), capture_output=True, **{"env": ENVIRONMENT, "timeout": 60, **options})


def run_here(
    *arguments: str | bytes, cwd: Path | None = None, input: bytes | None = None, **variables: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the command line as :func:`run` does, but in this process: most of what a short command takes is its start.

    The variables are those of the environment that are set besides.
    """
    from eightfold.cli import main

    line = list(map(os.fsdecode, arguments))
    with ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, {**ENVIRONMENT, **variables}, clear=True))
        stack.enter_context(chdir(cwd or os.getcwd()))
        given = stack.enter_context(_pipe_of(input or b""))
        out, told = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(2))
        for number, descriptor in enumerate((given, out.fileno(), told.fileno())):
            stack.enter_context(_standing_at(number, descriptor))
        status = main(line)
        sys.stderr.flush()
        return subprocess.CompletedProcess(line, status, _whole(out), _whole(told))


def ran(*arguments: str, capfd: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run the command line in this process and its environment; return its exit status, its results, its messages."""
    from eightfold.cli import main

    status = main(list(arguments))
    return (status, *capfd.readouterr())


def _whole(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


@contextmanager
def _pipe_of(data: bytes) -> Iterator[int]:
    reading, writing = os.pipe()

    def write() -> None:
        with suppress(BrokenPipeError), open(writing, "wb") as pipe:
            pipe.write(data)

    writer = Thread(target=write)
    writer.start()
    try:
        yield reading
    finally:
        os.close(reading)
        writer.join()


@contextmanager
def _standing_at(number: int, descriptor: int) -> Iterator[None]:
    """Let a standard stream be what has this descriptor, for Python and for what knows only the stream's own."""
    name, mode = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))[number]
    saved, before = os.dup(number), getattr(sys, name)
    os.dup2(descriptor, number)
    stream = open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    setattr(sys, name, stream)
    try:
        yield
    finally:
        stream.close()
        setattr(sys, name, before)
        os.dup2(saved, number)
        os.close(saved)


def cut_off(line: list[str | bytes], folder: Path) -> tuple[int, bytes]:
    """Run a command line whose reader goes away after ten bytes; return its exit status and its messages."""
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, cwd=folder) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        messages = process.stderr.read()
    return process.returncode, messages


def transcripts() -> list[Path]:
    return sorted(GOLDEN.glob("*.txt"))


def transcript(line: str, folder: Path, run: Callable[..., subprocess.CompletedProcess[bytes]] = run) -> str:
    """Return the transcript of a command line run in a folder: results, then messages, then the status."""
    program, *arguments = shlex.split(line)
    assert program == "eightfold"
    done = run(*arguments, cwd=folder, input=b"")
    parts = [f"$ {line}\n", done.stdout.decode(), *_marked(done.stderr.decode()), f"(exit status {done.returncode})\n"]
    return "".join(parts).replace(_version(), VERSION_SHOWN)


def _marked(messages: str) -> Iterator[str]:
    return (f"! {message}\n" for message in messages.splitlines())


def _version() -> str:
    namespace: dict[str, str] = {}
    exec((ROOT / "src/eightfold/version.py").read_text(), namespace)
    return namespace["__version__"]


def make_inputs(folder: Path) -> None:
    for name, data in INPUTS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for name in ("messages-utf-16le.txt", "gateway.log", "names.tar"):
        shutil.copy(EXAMPLES / name, folder / name)


def commanded(path: Path) -> str:
    """Return the command line of a transcript."""
    return path.read_text(encoding="utf-8").splitlines()[0].removeprefix("$ ")


def _each(act: Callable[[Path, str], None]) -> None:
    for path in transcripts():
        with tempfile.TemporaryDirectory() as folder:
            make_inputs(Path(folder))
            act(path, transcript(commanded(path), Path(folder)))


def _check(path: Path, shown: str) -> None:
    if path.read_text(encoding="utf-8") != shown:
        sys.exit(f"{path.name} is out of date:\n{shown}")


def _write(path: Path, shown: str) -> None:
    path.write_text(shown, encoding="utf-8")


if __name__ == "__main__":
    _each(_check if "--check" in sys.argv else _write)
