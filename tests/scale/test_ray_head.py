"""What tests say when Ray does not start; Ray is not needed for this."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from support.ray_head import RayFailedError, end, kept, wait


@pytest.mark.parametrize(
    ("work", "seconds", "reason"),
    [
        ("import sys; sys.exit(3)", 60, "Ray ended with status 3: no port"),
        ("import time; time.sleep(60)", 0.01, "Ray has not started in 0.01 s, on a machine that is too busy: no port"),
    ],
)
def test_a_start_that_fails_is_bounded_and_says_why(work: str, seconds: float, reason: str, tmp_path: Path) -> None:
    said = tmp_path / "said"
    said.write_text("no port")
    with subprocess.Popen([sys.executable, "-c", work]) as process:
        try:
            with pytest.raises(RayFailedError, match=reason):
                wait(process, said, seconds)
        finally:
            process.kill()


OURS = """
import sys, time
from support.ray_head import kept
said = sys.argv[1]
with open(said, "wb") as file:
    process = kept([sys.executable, "-c", "import os, time; print(os.getpid(), flush=True); time.sleep(600)"], file)
while not open(said).read().endswith("\\n"):
    time.sleep(0.1)
"""


def test_what_is_started_ends_with_this_process_or_before(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    subprocess.run([sys.executable, "-c", OURS, str(tmp_path / "said")], env=environment, check=True, timeout=120)
    wait_for_the_end(int((tmp_path / "said").read_text()))
    with (tmp_path / "other").open("wb") as said:
        process = kept([sys.executable, "-c", "import time; time.sleep(600)"], said)
    end(process)
    assert process.returncode != 0


def wait_for_the_end(number: int) -> None:
    with suppress(ProcessLookupError):
        while True:
            os.kill(number, 0)
            time.sleep(0.1)
