"""The command `serve`: it starts, answers, stops quietly, and says what is wrong with its options."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from support.command_line import ENVIRONMENT, command, run

SECONDS = 60


@contextmanager
def serving(*options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start the server on a free port; yield its address and its process."""
    started = [*command("serve", "--port", "0"), *options]
    with subprocess.Popen(
        started, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.fullmatch(r"eightfold: explorer at (http://\S+/) \(Ctrl-C stops it\)\n", said)
        assert found, said
        try:
            yield found[1], process
        finally:
            process.kill()


def asked(address: str, name: str, request: object) -> object:
    body = json.dumps(request).encode("ascii")
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"{address}api/{name}", body, headers), timeout=SECONDS) as got:
        return json.loads(got.read())


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_it_answers_and_stops_quietly() -> None:
    with serving() as (address, process):
        assert address.startswith("http://127.0.0.1:")
        assert asked(address, "check", {"own": {"rows": "0-7F: 00-7F"}})["count"] == 128  # type: ignore[index]
        with urllib.request.urlopen(address, timeout=SECONDS) as page:
            assert page.headers["Server"] is None
        with pytest.raises(urllib.error.HTTPError, match="403") as raised:
            urllib.request.urlopen(urllib.request.Request(address, headers={"Host": "evil.example"}), timeout=SECONDS)
        raised.value.close()
        with socket.create_connection(("127.0.0.1", int(address.rstrip("/").rpartition(":")[2])), SECONDS) as other:
            other.sendall(b"this is not HTTP\r\n\r\n")
            assert other.recv(100).startswith(b"HTTP/1.1 400")
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=SECONDS) == ("", "")
        assert process.returncode == 130


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = run("serve", "--port", str(port))
    assert done.returncode == 2
    assert done.stderr.startswith(f"eightfold: cannot listen on 127.0.0.1 port {port}: ".encode())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--port", "65536"], "argument --port: '65536' is not a port from 0 to 65535 (see eightfold serve --help)"),
        (["--port", "x"], "argument --port: 'x' is not a port from 0 to 65535 (see eightfold serve --help)"),
        (["--host", "no.such.host.invalid"], "cannot listen on no.such.host.invalid port 8008: "),
        (["--host", "x" * 300], f"cannot listen on {'x' * 300} port 8008: "),
        (["page"], "unrecognized arguments: page (see eightfold serve --help)"),
    ],
)
def test_wrong_options_are_reported(options: list[str], told: str) -> None:
    done = run("serve", *options)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith(f"eightfold: {told}")


@pytest.mark.parametrize("missing", ["uvicorn", "starlette"])
def test_a_missing_package_is_named_with_the_line_that_installs_it(missing: str) -> None:
    program = (
        f"import sys; sys.modules[{missing!r}] = None; from eightfold.cli import main; "
        "sys.exit(main(['serve', '--port', '0']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=SECONDS)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"eightfold: serve needs {missing}, which is not installed: pip install ")
    assert "'uvicorn" in done.stderr
