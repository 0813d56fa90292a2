"""Commands killed amid their work: once files have changed, not once a time has passed, for machines are not alike."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from support.command_line import ENVIRONMENT, command


def _states(paths: Sequence[Path]) -> list[tuple[int, int]]:
    return [(status.st_ino, status.st_mtime_ns) for status in map(os.stat, paths)]


def _killed(chance: random.Random, line: Sequence[str], folder: Path, paths: Sequence[Path]) -> tuple[int | None, int]:
    """Run a command until some files have changed, and kill it.

    Returns the exit status, None if it was killed, and how many files were seen to change.
    """
    changes, before, changed = chance.randint(1, 1 + len(paths) // 3), _states(paths), 0
    with subprocess.Popen(command(*line), cwd=folder, env=ENVIRONMENT, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and changed < changes:
            time.sleep(0.0005)
            changed = sum(map(tuple.__ne__, before, _states(paths)))
        time.sleep(chance.random() / 500)
        status = process.poll()
        process.kill()
    return status, changed


def kills_until_done(
    line: Sequence[str], folder: Path, made: dict[Path, bytes], whole: Callable[[], None], ended: Callable[[], bool]
) -> int:
    """Run a command over files in `folder` again and again, each time killed once it has changed a few more, until it
    ends or all is done, with ``whole`` called after each; return how many of the kills came amid the work.

    A run that ended before it was seen at work is begun again with the files as they were ``made``.
    """
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    chance, paths, kills = random.Random(seed), list(made), 0
    for _ in range(100):
        status, changed = _killed(chance, line, folder, paths)
        whole()
        kills += status is None and changed > 0
        assert status in (None, 0), status
        if status == 0 or ended():
            if kills:
                break
            for path, data in made.items():
                path.write_bytes(data)
    return kills
