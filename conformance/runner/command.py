"""The command line of the kit: choose programs and vectors, ask, and print the scoreboard."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .adapters import WORK, Adapter, adapters
from .as_html import html
from .as_text import text
from .program import Program
from .scores import entry, score, totals
from .vectors import FOLDER, Vector, manifest, read

OPERATIONS = ("decode", "replace", "faults", "decode-stream", "encode", "encode-stream")
FORMATS = {"text": text, "html": html, "json": lambda board: json.dumps(board, indent=1) + "\n"}
EPILOG = """\
A program of your own comes after --: it reads one request a line on standard input and writes one answer a line.
conformance/PROTOCOL.md describes both on one page.

  python conformance/run.py -- ./my-decoder --conformance
  python conformance/run.py --form 'utf-8' --form 'wtf-8' -- node my-adapter.mjs
  python conformance/run.py --adapter python-codecs --output-format html -o scoreboard.html

Exit status: 0 if nothing failed, 1 if something did or no answer came, 2 for wrong use.
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="run.py",
        description="Test any encoder or decoder against the vectors, and print which rules it keeps.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--adapter", action="append", default=[], metavar="NAME", help="a program of the list; or all")
    made.add_argument("--list", action="store_true", help="list the adapters, and why one cannot be used here")
    made.add_argument("--setup", action="append", default=[], metavar="NAME", help="get or build a program; or all")
    made.add_argument("--form", action="append", default=[], metavar="FORM", help="only this form; may be a pattern")
    made.add_argument("--op", action="append", default=[], choices=OPERATIONS, help="only this operation")
    made.add_argument("--output-format", choices=FORMATS, default="text", help="default: text")
    made.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the scoreboard to a file")
    made.add_argument("--timeout", type=seconds, default=10, metavar="SECONDS", help="for an answer; default: 10")
    made.add_argument("--work", type=Path, default=WORK, metavar="FOLDER", help="where programs are built")
    made.add_argument("command", nargs="*", metavar="COMMAND", help="a program of your own and its arguments")
    return made


def seconds(given: str) -> float:
    """Return a time limit; argparse reports a ValueError."""
    limit = float(given)
    if not 0 < limit <= 3600:
        raise ValueError
    return limit


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    made = parser()
    options = made.parse_args(arguments)
    known = adapters(options.work.absolute())
    for name in (*options.adapter, *options.setup):
        if name not in (*known, "all"):
            made.error(f"there is no adapter {name!r}; there are {', '.join(known)}")
    if options.list:
        return _list(known)
    if options.setup:
        return _set_up([known[name] for name in known if {name, "all"} & set(options.setup)])
    if bool(options.adapter) == bool(options.command):
        made.error("name an adapter, or a program of your own after --")
    try:
        vectors = read(options.form, options.op)
    except LookupError as error:
        made.error(str(error))
    chosen = [known[name] for name in known if {name, "all"} & set(options.adapter)]
    if options.command:
        chosen = [Adapter(Path(options.command[0]).name, "", tuple(options.command))]
    return _ask(chosen, vectors, options)


def _list(known: dict[str, Adapter]) -> int:
    for each in known.values():
        print(f"{each.name:16} {each.title}" + (f" ({each.missing()})" if each.missing() else ""))
    return 0


def _set_up(chosen: list[Adapter]) -> int:
    failed = 0
    for each in chosen:
        wrong = each.set_up()
        failed += bool(wrong)
        print(f"{each.name}: {wrong or each.missing() or 'ready'}", file=sys.stderr)
    return 1 if failed else 0


def _ask(chosen: list[Adapter], vectors: list[Vector], options: argparse.Namespace) -> int:
    usable = [each for each in chosen if not each.missing()]
    for each in chosen:
        if each.missing():
            print(f"{each.name}: {each.missing()}", file=sys.stderr)
    if not usable:
        return 2
    board = scoreboard(usable, vectors, options.timeout)
    printed = FORMATS[options.output_format](board)
    try:
        if options.output:
            options.output.write_text(printed, encoding="utf-8")
        else:
            sys.stdout.write(printed)
    except OSError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    counts = [totals(each["forms"]) for each in board["programs"]]
    return int(any(count["failed"] or count["broken"] for count in counts))


def scoreboard(chosen: Sequence[Adapter], vectors: list[Vector], timeout: float = 10) -> dict[str, Any]:
    """Ask programs about vectors, and return the scoreboard."""
    programs = []
    for each in chosen:
        with Program(each.command, timeout=timeout) as program:
            programs.append(entry(each.name, program, score(program, vectors)))
    rules = json.loads((FOLDER.parent / "rules.json").read_text(encoding="utf-8"))
    return {"vectors": manifest()["version"], "rules": rules, "programs": programs}
