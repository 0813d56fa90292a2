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


def killed(line: Sequence[str], folder: Path, at_work: Callable[[], bool], seconds: float) -> int | None:
    """Run a command, and kill it so many seconds after it was first seen at work.

    Returns its exit status if it ended before, and None if it was killed.
    """
    with subprocess.Popen(
        command(*line), cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while process.poll() is None and not at_work():
            time.sleep(0.0005)
        time.sleep(seconds)
        status = process.poll()
        process.kill()
    return status


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
        changes, before = chance.randint(1, 1 + len(paths) // 3), _states(paths)

        def at_work() -> bool:
            return sum(map(tuple.__ne__, before, _states(paths))) >= changes

        status = killed(line, folder, at_work, chance.random() / 500)
        whole()
        kills += status is None
        assert status in (None, 0), status
        if status == 0 or ended():
            if kills:
                break
            for path, data in made.items():
                path.write_bytes(data)
    return kills
