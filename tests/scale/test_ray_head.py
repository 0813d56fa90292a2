"""What tests say when Ray does not start; Ray is not needed for this."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.ray_head import RayFailedError, wait


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
