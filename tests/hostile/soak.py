"""Work at random for some minutes, with kills and full disks, and lose nothing: ``make soak MIN=10``.

Each round draws a job from a seed: verbs in pieces, whole and by threads, which must agree; or a command in place on a
folder of files, killed with SIGKILL or out of room. After a kill each file has its old bytes or its new ones; after the
command has run again each has its new ones, and nothing else is left. Everything follows from the seed of the round,
which a failure names: ``python tests/hostile/soak.py --seed SEED --rounds 1`` repeats it.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random, SystemRandom
from tempfile import TemporaryDirectory
from typing import NamedTuple

import eightfold
from eightfold import repair
from eightfold.stream import Decoder

ALPHABET = ("a", "plain text, ", "\n", "é", "Ж", "漢", "€", "\ufffd", "😀", "\U0010ffff", "\x7f")
JUNK = (b"\xff", b"\x80", b"\xc0\x80", b"\xe2\x82", b"\xed\xa0\xbd", b"\xf0\x9f\x98", b"\xfe\x80\x80")
FORMS = ("utf-8", "utf-8-sig", "wtf-8", "cesu-8", "generalized-utf-8", "utf-16", "utf-16-le", "utf-32-be", "xtf-8")
POLICIES = ("strict", "replace", "ignore", "backslashreplace")
BYTE_FORMS = ("utf-8", "wtf-8", "cesu-8", "utf-8-sig")


class LostError(Exception):
    """A result that is not what it must be."""


def check(is_so: object, what: str) -> None:
    """Raise if something is not so; unlike ``assert``, always."""
    if not is_so:
        raise LostError(what)


def text_of(chance: Random, size: int, alphabet: Sequence[str] = ALPHABET) -> str:
    """Return a text of about so many characters, of pieces that may repeat."""
    pieces = []
    while size > 0:
        piece = chance.choice(alphabet) * chance.choice((1, 1, 1, 3, 50))
        pieces.append(piece)
        size -= len(piece)
    return "".join(pieces)


def soup_of(chance: Random, form: str, size: int) -> bytes:
    """Return bytes of a form with faults in them."""
    data = bytearray(eightfold.encode(text_of(chance, size), form))
    for _ in range(chance.choice((0, 1, 5, 200))):
        place = chance.randrange(len(data) + 1)
        data[place:place] = chance.choice(JUNK)
    return bytes(data)


def cuts_of(chance: Random, data: bytes) -> list[bytes]:
    """Return data in pieces of random sizes."""
    most, pieces, at = chance.choice((1, 7, 100, 5000, 1 << 20)), [], 0
    while at < len(data):
        size = chance.randrange(1, most + 1) if len(data) < 2000 or most > 50 else len(data)
        pieces.append(data[at : at + size])
        at += size
    return pieces


# --- verbs ------------------------------------------------------------------------------------------------------------


def outcome(work: Callable[[], object]) -> object:
    """Return the result, or the words of the error."""
    try:
        return work()
    except (UnicodeError, ValueError) as error:
        return str(error)


def verbs(chance: Random, _: Path) -> str:
    """Convert and decode whole, in pieces and by threads; all must agree."""
    source, target, errors = chance.choice(FORMS), chance.choice(FORMS), chance.choice(POLICIES)
    data = soup_of(chance, source, chance.choice((0, 10, 1000, 60_000, 600_000)))
    whole = outcome(partial(eightfold.convert, data, source, target, errors))
    by_threads = outcome(partial(eightfold.convert, data, source, target, errors, threads=chance.randrange(2, 9)))
    check(whole == by_threads, f"threads: {source} {target} {errors}")
    if isinstance(whole, bytes):
        converter = eightfold.Converter(source, target, errors)
        parts = [converter.convert(piece) for piece in cuts_of(chance, data)]
        check(b"".join(parts) + converter.convert(b"", final=True) == whole, f"pieces: {source} {target} {errors}")
    text = outcome(partial(eightfold.decode, data, source, errors))
    if isinstance(text, str) and whole != str(whole):
        decoder = Decoder(source, errors)
        pieces = [decoder.decode(piece) for piece in cuts_of(chance, data)]
        check("".join(pieces) + decoder.decode(b"", True) == text, f"decoder: {source} {errors}")
    clean = text_of(chance, 5000)
    there = eightfold.convert(eightfold.encode(clean, source), source, target)
    check(eightfold.decode(there, target) == clean, f"there and back: {source} {target}")
    counts = eightfold.tally(data, source)
    check(sum(counts.values()) == sum(1 for _ in eightfold.faults(data, source)), f"tally: {source}")
    check(eightfold.is_well_formed(data, source) == (not counts), f"is_well_formed: {source}")
    return "verbs"


# --- commands in place ------------------------------------------------------------------------------------------------


class Folder(NamedTuple):
    """Files to work on, the command, and what each file must become."""

    path: Path
    arguments: list[str]
    old: dict[str, bytes]
    new: dict[str, bytes]

    def found(self) -> dict[str, bytes]:
        """Return what is in the folder, but for the program's own files."""
        files = [path for path in self.path.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.path)): path.read_bytes() for path in files if ".eightfold" not in path.name}

    def left(self) -> list[str]:
        """Return what is in the folder that was not there before."""
        return [str(path) for path in self.path.rglob("*") if path.is_file() and path.name not in self.names()]

    def names(self) -> set[str]:
        """Return the names of the files."""
        return {Path(name).name for name in self.old}


def folder_of(chance: Random, path: Path) -> Folder:
    """Make a folder of files, to convert or to repair."""
    is_repair = chance.random() < 0.5
    source = chance.choice(BYTE_FORMS[:3] if is_repair else BYTE_FORMS)
    target = "utf-8" if is_repair else chance.choice([form for form in BYTE_FORMS if form != source])
    errors = chance.choice(("replace", "escape") if is_repair else ("strict", "replace"))
    old = {}
    for number in range(chance.choice((1, 20, 60))):
        size = chance.choice((0, 10, 2000, 300_000 if number < 4 else 5000))
        clean = eightfold.encode(text_of(chance, size), source)
        data = clean if errors == "strict" else soup_of(chance, source, size)
        old[f"{chance.choice(('', 'a/', 'a/b/'))}{number}.txt"] = data
    for name, data in old.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    threads = ["-j", str(chance.choice((1, 2, 4)))]
    if is_repair:
        options = ["--lossy", "--errors", errors, "--in-place", "--binary"]
        new = {name: repair.repair(data, source, errors) for name, data in old.items()}
        return Folder(path, ["repair", "-f", source, *options, str(path)], old, new)
    options = ["--errors", errors, "--in-place", "--binary", *threads]
    new = {name: eightfold.convert(data, source, target, errors) for name, data in old.items()}
    return Folder(path, ["convert", "-f", source, "-t", target, *options, str(path)], old, new)


def started(folder: Folder, home: Path, limit: int | None = None) -> subprocess.Popen[str]:
    """Start the command, with a limit to the size of files if there is one."""

    def limited() -> None:
        if limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    environment = {**os.environ, "XDG_STATE_HOME": str(home), "NO_COLOR": "1"}
    # With -B: where files have a limit, Python would leave bytecode behind that is cut short, which nobody can import.
    command = [sys.executable, "-B", "-m", "eightfold", *folder.arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment, preexec_fn=limited)


def whole(folder: Folder) -> None:
    """Check that each file is there with its old bytes or its new ones."""
    found = folder.found()
    for name, old in folder.old.items():
        check(name in found, f"{folder.arguments}: {name} is gone")
        check(found[name] in (old, folder.new[name]), f"{folder.arguments}: {name} is neither old nor new")


def finished(folder: Folder, home: Path) -> None:
    """Run the command to its end, and check that each file has its new bytes and nothing else is left."""
    process = started(folder, home)
    _, words = process.communicate(timeout=300)
    check(process.returncode in (0, 1), f"{folder.arguments}: exit status {process.returncode}: {words[-500:]}")
    check("Traceback" not in words, words[-1500:])
    check(folder.found() == folder.new, f"{folder.arguments}: not all is new: {words[-500:]}")
    check(not folder.left(), f"{folder.arguments}: left behind: {folder.left()}")


def killed(chance: Random, home: Path) -> str:
    """Kill a command again and again, then let it end."""
    folder = folder_of(chance, home / "files")
    kind, kills = folder.arguments[0], 0
    for _ in range(chance.choice((1, 2, 4))):
        process = started(folder, home)
        try:
            process.wait(chance.choice((0.05, 0.3, 0.5, 0.8, 1.2)) * (0.5 + chance.random()))
        except subprocess.TimeoutExpired:
            process.kill()
            kills += 1
        process.communicate()
        whole(folder)
        if process.returncode == 0:
            # The journal is gone: what has been converted would be converted again.
            check(folder.found() == folder.new, f"{folder.arguments}: ended well, but not all is new")
            return f"{kind}, killed {kills} times" if kills else f"{kind}, not killed in time"
    if kind == "convert" and folder.found() == folder.new:
        return f"{kind}, killed at its very end"
    finished(folder, home)
    return f"{kind}, killed {kills} times"


def out_of_room(chance: Random, home: Path) -> str:
    """Let a command run out of room, then give it some."""
    folder = folder_of(chance, home / "files")
    process = started(folder, home, chance.choice((0, 100, 3000, 100_000)))
    _, words = process.communicate(timeout=300)
    check("Traceback" not in words, words[-1500:])
    whole(folder)
    if folder.found() == folder.new:
        return f"{folder.arguments[0]}, with room enough"
    check(process.returncode == 2, f"{folder.arguments}: exit status {process.returncode} without room: {words[-500:]}")
    finished(folder, home)
    return f"{folder.arguments[0]}, out of room"


JOBS: tuple[Callable[[Random, Path], str], ...] = (verbs, killed, out_of_room)


def soak(seed: int, minutes: float, rounds: int | None, jobs: Sequence[Callable[[Random, Path], str]]) -> Counter[str]:
    """Work until the time is over, or so many rounds, and return what was done how often."""
    end, done = time.monotonic() + 60 * minutes, Counter[str]()
    while time.monotonic() < end and (rounds is None or done.total() < rounds):
        round_seed = seed + done.total()
        chance = Random(round_seed)
        with TemporaryDirectory() as home:
            (Path(home) / "files").mkdir()
            try:
                done[chance.choice(jobs)(chance, Path(home))] += 1
            except BaseException:
                print(f"in the round of seed {round_seed}: --seed {round_seed} --rounds 1 repeats it", file=sys.stderr)
                raise
    return done


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser("soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="how long to work")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**9), help="where rounds begin to count")
    parser.add_argument("--rounds", type=int, help="end after so many rounds")
    given = parser.parse_args(arguments)
    print(f"soak: seed {given.seed}, {given.minutes:g} minutes, engine {eightfold.ENGINE}", flush=True)
    done = soak(given.seed, given.minutes, given.rounds, JOBS)
    for name, count in sorted(done.items()):
        print(f"{count:7} {name}")
    print(f"{done.total():7} rounds, nothing lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
