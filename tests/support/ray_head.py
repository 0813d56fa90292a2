"""A Ray of our own for tests, which starts on a busy machine too, or fails in a bounded time and says why.

`ray.init` starts two agents, programs in Python, and the raylet aborts if one of them has not chosen its port in 15
seconds, which the driver learns only minutes later: it looks like a hang. `ray start` can be given the ports, so that
nobody waits for the agents.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

WAIT_SECONDS = 240
_STARTED = "Ray runtime started"
_POLL_SECONDS = 0.2
_PORTS = ("port", "dashboard-agent-grpc-port", "dashboard-agent-listen-port", "runtime-env-agent-port")
_PATIENCE = {
    "RAY_worker_register_timeout_seconds": "240",
    "RAY_gcs_rpc_server_connect_timeout_s": "60",
    "RAY_health_check_timeout_ms": "60000",
}
"""How long the parts of Ray wait for each other; by default too short for processes that get little of a processor."""


_KEEPER = """
import subprocess, sys, threading

process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)

def end_with_the_pipe():
    sys.stdin.buffer.read()
    process.terminate()

threading.Thread(target=end_with_the_pipe, daemon=True).start()
sys.exit(process.wait())
"""
"""Runs a program until it ends, or the process that started this one does, by which the pipe to this one is closed."""


class RayFailedError(Exception):
    """Raised when Ray does not start."""


@contextmanager
def head(cpus: int, memory: int) -> Iterator[str]:
    """Start Ray on this machine, let this process and those below it use it, and yield its address.

    Ray reads what lets a process use it when it is imported, so import it inside.

    Args:
        cpus: how many tasks run at once.
        memory: the size of the object store in bytes.

    Raises:
        RayFailedError: it ended, or did not start in `WAIT_SECONDS`; what it said last is in the message.
    """
    folder = Path(tempfile.mkdtemp(prefix="ray-"))  # sockets are in it, whose paths must be short
    os.environ.update(_PATIENCE, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    ports = dict(zip(_PORTS, _free_ports(len(_PORTS)), strict=True))
    options = {"node-ip-address": "127.0.0.1", "temp-dir": folder, "num-cpus": cpus, "object-store-memory": memory}
    started = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block"]
    started += ["--include-dashboard=false", "--disable-usage-stats"]
    started += [f"--{name}={value}" for name, value in {**options, **ports}.items()]
    with (folder / "said").open("wb") as said:
        process = kept(started, said)
    try:
        wait(process, folder / "said", WAIT_SECONDS)
        yield f"127.0.0.1:{ports['port']}"
    finally:
        end(process)
        shutil.rmtree(folder, ignore_errors=True)


def wait(process: subprocess.Popen[bytes], said: Path, seconds: float) -> None:
    """Wait until a process has written to a file that Ray runs.

    Raises:
        RayFailedError: it ended, or there is no more time.
    """
    end = time.monotonic() + seconds
    while _STARTED not in (text := said.read_text("utf-8", "replace")):
        if process.poll() is not None:
            raise RayFailedError(f"Ray ended with status {process.returncode}: {text[-2000:]}")
        if time.monotonic() > end:
            raise RayFailedError(f"Ray has not started in {seconds} s, on a machine that is too busy: {text[-2000:]}")
        time.sleep(_POLL_SECONDS)


def kept(program: list[str], said: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a program that ends with this process, however that ends; what it says goes to a file."""
    given = [sys.executable, "-c", _KEEPER, *program]
    return subprocess.Popen(given, stdout=said, stderr=subprocess.STDOUT, stdin=subprocess.PIPE)


def end(process: subprocess.Popen[bytes]) -> None:
    """End what :func:`kept` has started."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _free_ports(count: int) -> list[int]:
    found = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [each.getsockname()[1] for each in found]
    finally:
        for each in found:
            each.close()
