"""The command `serve`: it starts, answers, stops quietly, and says what is wrong with its options."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from eightfold.web.server import MOST_WAITING
from support.command_line import ENVIRONMENT, command, run

SECONDS = 300


posix = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")


@contextmanager
def serving(*options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start the server on a free port; yield its address and its process."""
    started = [*command("serve", "--port", "0"), *options]
    with subprocess.Popen(
        started, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, process_group=0
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.fullmatch(r"eightfold: explorer at (http://\S+/) \(Ctrl-C stops it\)\n", said)
        assert found, said
        try:
            yield found[1], process
        finally:
            process.kill()


def connected(address: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(address.rstrip("/").rpartition(":")[2])), SECONDS)


def ctrl_c(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGINT)  # As a terminal does: to the worker, too.


def assert_ctrl_c_ends_it_quietly(process: subprocess.Popen[str]) -> None:
    ctrl_c(process)
    assert_it_ends_quietly(process)


def assert_it_ends_quietly(process: subprocess.Popen[str]) -> None:
    assert process.communicate(timeout=SECONDS) == ("", "")
    assert process.returncode == 130


def begin(address: str, name: str, body: bytes, length: int) -> socket.socket:
    """Send the beginning of a question, and return its connection."""
    connection = connected(address)
    head = f"POST /api/{name} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}"
    connection.sendall(head.encode() + b"\r\n\r\n" + body)
    return connection


def asked(address: str, name: str, request: object) -> object:
    body = json.dumps(request).encode("ascii")
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"{address}api/{name}", body, headers), timeout=SECONDS) as got:
        return json.loads(got.read())


@posix
def test_it_answers_and_stops_quietly() -> None:
    with serving() as (address, process):
        assert address.startswith("http://127.0.0.1:")
        assert asked(address, "check", {"own": {"rows": "0-7F: 00-7F"}})["count"] == 128  # type: ignore[index]
        with urllib.request.urlopen(address, timeout=SECONDS) as page:
            assert page.headers["Server"] is None
        with pytest.raises(urllib.error.HTTPError, match="403") as raised:
            urllib.request.urlopen(urllib.request.Request(address, headers={"Host": "evil.example"}), timeout=SECONDS)
        raised.value.close()
        with connected(address) as other:
            other.sendall(b"this is not HTTP\r\n\r\n")
            assert other.recv(100).startswith(b"HTTP/1.1 400")
        assert_ctrl_c_ends_it_quietly(process)


@posix
@pytest.mark.parametrize("delay", [0, 0.05, 0.1, 0.2])
def test_ctrl_c_while_it_starts_ends_it_quietly(delay: float) -> None:
    with serving() as (_, process):
        time.sleep(delay)
        assert_ctrl_c_ends_it_quietly(process)


@posix
def test_ctrl_c_ends_a_question_that_has_not_arrived_quietly() -> None:
    with serving() as (address, process):
        asked(address, "about", {})
        with begin(address, "about", b"{", 100):
            asked(address, "about", {})
            assert_ctrl_c_ends_it_quietly(process)


@posix
def test_ctrl_c_ends_questions_in_progress_quietly_and_before_they_are_answered() -> None:
    with serving() as (address, process), ExitStack() as open_until_then:
        asked(address, "about", {})
        os.killpg(process.pid, signal.SIGSTOP)
        os.kill(process.pid, signal.SIGCONT)  # The server goes on, and its worker answers nothing.
        asking = [open_until_then.enter_context(begin(address, "about", b"{}", 2)) for _ in range(MOST_WAITING + 1)]
        assert select.select(asking, [], [], SECONDS)[0], "one is refused once all others wait"
        ctrl_c(process)
        answers = [each.makefile("rb").read() for each in asking]
        os.killpg(process.pid, signal.SIGCONT)  # For the server may wait for what else has been stopped.
        assert_it_ends_quietly(process)
    assert {answer[:12] for answer in answers} == {b"HTTP/1.1 503"}


@pytest.mark.parametrize(
    ("host", "printed", "sent"),
    [
        ("0", "127.0.0.1", "0.0.0.0"),
        ("127.1", "127.1", "127.0.0.1"),
        ("::ffff:127.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"),
        ("0:0:0:0:0:0:0:0", "[::1]", "[::]"),
    ],
)
def test_an_address_is_answered_as_a_browser_writes_it(host: str, printed: str, sent: str) -> None:
    if ":" in host and not has_ipv6():
        pytest.skip("there is no IPv6 here")
    with serving("--host", host) as (address, _):
        shown, _, port = address.removeprefix("http://").rstrip("/").rpartition(":")
        assert shown == printed
        for name in (printed, sent):
            request = urllib.request.Request(address, headers={"Host": f"{name}:{port}"})
            with urllib.request.urlopen(request, timeout=SECONDS) as page:
                assert page.status == 200


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


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
        (["--host", ""], "argument --host: empty address (an unset shell variable?) (see eightfold serve --help)"),
        (["--host", " "], "argument --host: empty address (an unset shell variable?) (see eightfold serve --help)"),
        (["--host", "*"], "argument --host: '*' is not an address; use 0.0.0.0 or :: to listen on every one (see "),
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
