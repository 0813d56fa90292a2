"""Time whole programs against each other: wall time from start to end, in turns, on one core.

This module does not know what they do. Their output is discarded, so that no disk is measured.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import NamedTuple


class Program(NamedTuple):
    """A program with its arguments.

    Attributes:
        name: its name in tables.
        arguments: the program and its arguments.
        input: the file on its standard input, if it takes no name.
        statuses: the exit statuses of success.
        cores: whether it may use more than one core.
    """

    name: str
    arguments: tuple[str, ...]
    input: Path | None = None
    statuses: tuple[int, ...] = (0,)
    cores: bool = False

    @property
    def is_installed(self) -> bool:
        """Whether the program is installed."""
        started = [name for before, name in pairwise(self.arguments) if before == "-exec"]
        return all(shutil.which(name) is not None for name in (self.arguments[0], *started))


@contextmanager
def on_cores(program: Program) -> Iterator[None]:
    """Limit the programs that the block starts to the cores that a program may use, if the system can do that."""
    if program.cores or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def output_of(program: Program) -> bytes:
    """Run a program, and return its output.

    Raises:
        ValueError: it failed.
    """
    done = _run(program, subprocess.PIPE)
    return done.stdout


def seconds(program: Program) -> float:
    """Return how long a program takes.

    Raises:
        ValueError: it failed.
    """
    with on_cores(program):
        start = perf_counter()
        _run(program, subprocess.DEVNULL)
        return perf_counter() - start


def _run(program: Program, output: int) -> subprocess.CompletedProcess[bytes]:
    # As an installation by pip does, that of a checkout keeps what Python compiles: else each start takes 90 ms more.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with open(program.input or os.devnull, "rb") as given:
        done = subprocess.run(
            program.arguments,
            stdin=given,
            stdout=output,
            stderr=subprocess.DEVNULL,
            env=environment,
            close_fds=False,
            check=False,
        )
    if done.returncode not in program.statuses:
        raise ValueError(f"{' '.join(program.arguments)}: exit status {done.returncode}")
    return done


def race(programs: Sequence[Program], rounds: int) -> list[dict[Program, float]]:
    """Return how long each program took, round by round; every round begins with another one.

    The first round does not count: it loads files and programs into memory.
    """
    taken = []
    for turn in range(rounds + 1):
        first = turn % len(programs)
        taken.append({program: seconds(program) for program in (*programs[first:], *programs[:first])})
    return taken[1:]
