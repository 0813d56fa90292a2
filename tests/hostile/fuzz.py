"""Random input for what is Python: verbs, JSON as text, plans and logs, archives, Parquet.

A target takes bytes and raises where a promise is broken. With atheris, which sees what code each input reaches::

    python tests/hostile/fuzz.py verbs tests/hostile/corpus/verbs -max_total_time=60

The folder holds inputs to begin with; what is found goes there. ``make fuzz-python`` runs all targets, and
``tests/hostile/test_fuzz.py`` gives each its corpus, and what Hypothesis makes of it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

CORPUS = Path(__file__).parent / "corpus"
PRECIOUS = b"caf\xe9\n"
POLICIES = ("strict", "replace", "ignore", "backslashreplace", "surrogateescape", "surrogatepass", "escape")


def check(is_so: object, what: str) -> None:
    """Raise if something is not so; unlike ``assert``, always."""
    if not is_so:
        raise AssertionError(what)


# --- verbs and JSON ---------------------------------------------------------------------------------------------------


def outcome(work: Callable[[], Any]) -> Any:
    """Return the result, or the class and the words of an error that the docs name."""
    try:
        return work()
    except (UnicodeError, ValueError, LookupError) as error:
        return type(error).__name__, str(error)


def verbs(given: bytes) -> None:
    """Each verb has the outcome that it has on the reference."""
    import eightfold
    from eightfold.text import TWINS

    if len(given) < 3:
        return
    forms = eightfold.forms()
    source, target = (forms[byte % len(forms)].name for byte in given[:2])
    errors, data = POLICIES[given[2] % len(POLICIES)], given[3:]
    calls: dict[str, tuple[Any, ...]] = {
        "decode": (data, source, errors),
        "decode_code_points": (data, source, errors),
        "convert": (data, source, target, errors),
        "is_well_formed": (data, source),
        "tally": (data, source),
        "encode": (data.decode("utf-8", "surrogateescape"), target, errors),
    }
    for name, arguments in calls.items():
        found = outcome(partial(getattr(eightfold, name), *arguments))
        expected = outcome(partial(TWINS[name], *arguments))
        check(found == expected, f"{name}{arguments}: {found!r}, and not {expected!r}")
    found = [(each.start, each.end, each.kind) for each in eightfold.faults(data, source)]
    check(found == [(each.start, each.end, each.kind) for each in TWINS["faults"](data, source)], f"faults {data!r}")


def is_json(text: str) -> bool:
    """Return whether a text can be loaded."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def jsontext(given: bytes) -> None:
    """Pieces give what the whole gives; what could be loaded still can, without an unpaired surrogate."""
    from eightfold.jsontext import Scrubber, scrub

    cut, data = given[0] if given else 0, given[1:]
    could_be_loaded = is_json(data.decode("utf-8-sig", "replace"))
    for errors in ("replace", "ignore", "backslashreplace"):
        whole, scrubber = scrub(data, errors), Scrubber(errors)
        parts = scrubber.scrub(data[:cut]) + scrubber.scrub(data[cut:], final=True)
        check(parts == whole, f"{errors}, cut at {cut}: {data!r}")
        text = whole.decode("utf-8-sig")
        if could_be_loaded:
            check(is_json(text), f"{errors}: JSON no more: {data!r}")
            with suppress(RecursionError):
                json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8")


# --- commands ---------------------------------------------------------------------------------------------------------


@contextmanager
def folder() -> Iterator[Path]:
    """Work in a folder, beside which something precious lies that must stay as it is."""
    before = Path.cwd()
    with TemporaryDirectory() as made, mock.patch.dict(os.environ, {"XDG_STATE_HOME": made}):
        top, outside = Path(made).resolve() / "root", Path(made).resolve() / "outside"
        for path in (top, outside):
            path.mkdir()
            (path / "precious").write_bytes(PRECIOUS)
        os.chdir(top)
        try:
            yield top
        finally:
            os.chdir(before)
        check({each.name: each.read_bytes() for each in outside.iterdir()} == {"precious": PRECIOUS}, "outside")


def command(*arguments: str) -> None:
    """Run a command, which must end with a status of its own."""
    from eightfold.cli import main

    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        status = main(list(arguments))
    check(status in (0, 1, 2), f"{arguments}: exit status {status}")


def plans(given: bytes) -> None:
    """A plan or a log from an enemy changes nothing outside the root."""
    for arguments in (("repair", "--apply"), ("repair", "--undo"), ("names", "--undo")):
        with folder() as top:
            (top / "given").write_bytes(given)
            command(*arguments, "given")


def archives(given: bytes) -> None:
    """The names in an archive are read, or it is said to be none."""
    for name in ("given.zip", "given.tar", "given.tar.gz"):
        with folder() as top:
            (top / name).write_bytes(given)
            command("names", name)


def parquet(given: bytes) -> None:
    """A table is read, or it is said to be none."""
    with folder() as top:
        (top / "given.parquet").write_bytes(given)
        command("check", "given.parquet")
        command("repair", "given.parquet", "-o", "fixed.parquet")


TARGETS: dict[str, Callable[[bytes], None]] = {
    "verbs": verbs,
    "jsontext": jsontext,
    "plans": plans,
    "archives": archives,
    "parquet": parquet,
}


def main() -> None:
    """Search with atheris until libFuzzer's options say that it is enough."""
    atheris: Any = import_module("atheris")
    with atheris.instrument_imports(include=["eightfold"]):
        import_module("eightfold.cli")
        import_module("eightfold.jsontext")
    target = TARGETS[sys.argv[1]]
    atheris.Setup([sys.argv[0], *sys.argv[2:]], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
