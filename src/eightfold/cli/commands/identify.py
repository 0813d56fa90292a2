"""`eightfold identify`: which form files are in, by evidence and never by guessing at languages."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from eightfold.cli.options.arguments import CommandParser, add_output_format, add_paths
from eightfold.cli.options.extras import need_extra
from eightfold.cli.options.files_from import LIST_EMPTY, NamingOptions, add_files_from
from eightfold.cli.options.reading_options import ReadingOptions, add_reading
from eightfold.cli.output.colour import Cell, Styled, drawn_table, is_on
from eightfold.cli.output.ending import NOTHING_WRONG, WRONG_USE_OR_FILE
from eightfold.cli.output.lines import counted, put, say
from eightfold.cli.work.guessing import MOJIBAKE, SHIFTS, Guess, guesses, has_any, mojibake_places
from eightfold.cli.work.inputs import Failures, found_files, needing_more
from eightfold.cli.work.likeness import table_in
from eightfold.cli.work.watching import watched
from eightfold.evidence import UNLIKELY_BYTES
from eightfold.faults import hex_bytes
from eightfold.files import FileError
from eightfold.files.parallel.threads import allowed, processors
from eightfold.files.path_text import reported, shown
from eightfold.files.read.reading import READ, Source, opened
from eightfold.files.walk.trees import Examination, Series, Trees, can_walk
from eightfold.files.walk.walking import Found, Walking, walked
from eightfold.forms import form
from eightfold.forms.utf_8 import UTF_8
from eightfold.identify import FAULTS_COUNTED, MARKS, Identification, Identifier, of_plain_text, plain_text
from eightfold.reference import signed
from eightfold.version import __version__

FORMATS = ("text", "json")
_NO_EVIDENCE = "no evidence"
_GUESSED = "these are guesses: look at the result of eightfold convert -f CHARSET -t utf-8 before you trust one"


@dataclass
class Options(NamingOptions, ReadingOptions):
    """The options of `identify`."""

    all: bool = False
    legacy: bool = False
    output_format: str = "text"


_DESCRIPTION = """\
Identify the form of files. Forms whose signature begins the file come first,
then those with the most evidence: well-formed sequences that are unlikely by
chance, and few faults. `not lossless`: reading and writing the file in that
form changes its bytes. At most 1,000 faults of each form are counted. If there
is no evidence for any form, the file is reported with the legacy charset that
it reads as, if any, or as a form with `no evidence` (in JSON `identified` is
false), and `-f auto` of other commands assumes UTF-8. Parquet, Arrow IPC and
SQLite files are called that. The exit status is 0 in all these cases.

With --legacy, files without such evidence are compared with the legacy charsets
too. That is a guess by the frequency of letters, from a sample of 16 KiB. UTF-8
that was read in windows-1252 and encoded again (mojibake) is reported if ftfy
(extra mojibake) is installed."""
_EXAMPLES = [
    ("eightfold identify names.txt", "names.txt: utf-16-le, well-formed"),
    ("eightfold identify --all dump.sql", "list every possible form, best first"),
    ("eightfold identify --legacy old.txt", "guess at its legacy charset"),
]


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "identify",
        "[OPTIONS] [PATH ...]",
        _DESCRIPTION,
        _EXAMPLES,
    )
    add_paths(command)
    add_files_from(command)
    add_reading(command)
    command.add_argument("--all", action="store_true", help="list every candidate, best first, not only the best")
    command.add_argument(
        "--legacy",
        action="store_true",
        help="guess at the legacy charset of other files; needs charset-normalizer (extra legacy)",
    )
    add_output_format(command, FORMATS)
    return command


def run(options: Options) -> int:
    """Identify the files; return the exit status."""
    options.check_naming()
    if options.legacy:
        need_extra("--legacy", "charset-normalizer", "legacy")
    report = _JsonReport(options) if options.output_format == "json" else _TextReport(options)
    failures = Failures()
    found = None
    names = options.named(failures.tell)
    with watched(options, None if options.files_from else options.paths):
        walking = _walking(options)
        for found in found_files(names, failures.tell, walking=walking):
            candidates, beyond = _candidates(needing_more(found, walking) or found, options, failures)
            if candidates or beyond.table:
                report.file(found.path, candidates, beyond)
    report.end()
    if found is None and not failures.count:
        say(f"warning: {LIST_EMPTY if options.lists_nothing else 'no file was read'}")
    return WRONG_USE_OR_FILE if failures.count else NOTHING_WRONG


def _walking(options: Options) -> Walking:
    """Return what walks through folders; it knows which files are plain text."""
    if not can_walk() or options.all:
        return walked
    suspects = (*((each,) for each in UNLIKELY_BYTES), *_suspects(options))
    plain = Examination(
        UTF_8, MARKS, may_differ=False, skips_binary=False, suspects=suspects, lists=True, unpack=options.unpack
    )
    return Trees(lambda _: plain, lambda _: None, allowed(processors()))


def _suspects(options: Options) -> tuple[Series, ...]:
    """Return what plain text has of which more may be said than its form."""
    return (*MOJIBAKE, *SHIFTS) if options.legacy else MOJIBAKE


class _Beyond(NamedTuple):
    """What is said of a file beyond the evidence for forms.

    Attributes:
        is_known: whether there is evidence for the best form.
        mojibake: in how many places of a sample it is mojibake.
        guesses: the legacy charsets that it may be in; None if nobody asked for them.
        table: Parquet, Arrow IPC or SQLite if it is that, so that it has no candidates; else empty.
    """

    is_known: bool = False
    mojibake: int = 0
    guesses: tuple[Guess, ...] | None = None
    table: str = ""


_PLAIN_TEXT = _Beyond(is_known=True)


def _candidates(found: Found, options: Options, failures: Failures) -> tuple[list[Identification], _Beyond]:
    """Return the candidates of a file, or none if it cannot be read or is a table; say so where nothing fits."""
    if found.text is not None:
        READ.add(files=1, bytes=found.text.length)
        return [of_plain_text(*found.text)], _PLAIN_TEXT
    try:
        with opened(found.way, unpack=options.unpack) as source:
            if table := table_in(source):
                return [], _Beyond(table=table)
            known = _read(source, options)
    except FileError as error:
        failures.tell(error)
        return [], _Beyond()
    return ([known], _PLAIN_TEXT) if isinstance(known, Identification) else _identified(found.path, known, options)


def _read(source: Source, options: Options) -> Identification | Identifier:
    """Read a file; a short one may be plain text, of which nothing more is asked than the form."""
    pieces = source.pieces()
    first, final = next(pieces)
    second, final = (b"", True) if final else next(pieces)
    if final and not options.all and not has_any(first, _suspects(options)) and (found := plain_text(first)):
        return found
    identifier = Identifier()
    for chunk in chain((first, second), (chunk for chunk, _ in pieces)):
        identifier.feed(chunk)
    return identifier


def _identified(path: str, identifier: Identifier, options: Options) -> tuple[list[Identification], _Beyond]:
    candidates = identifier.finish()
    is_known = identifier.tells(candidates[0])
    if not is_known and not candidates[0].reads_as:
        best = candidates[0].form
        say(f"{shown(path)}: cannot identify the encoding: there is no evidence for {best} or any other form")
    is_utf_8 = signed(form(candidates[0].form))[0] is UTF_8
    mojibake = mojibake_places(identifier.sample) if is_known and is_utf_8 else 0
    is_plain = is_known and candidates[0].well_formed and not has_any(identifier.sample, SHIFTS)
    guessed = tuple(guesses(identifier.sample, candidates[0].reads_as)) if options.legacy and not is_plain else None
    return candidates, _Beyond(is_known, mojibake, guessed)


class _TextReport:
    def __init__(self, options: Options) -> None:
        self._all = options.all

    def file(self, path: str, candidates: list[Identification], beyond: _Beyond) -> None:
        if beyond.table:
            put(Styled(shown(path), "path"), f": {beyond.table}, not text")
        elif beyond.is_known or self._all or not beyond.guesses:
            self._candidates(path, candidates, is_known=beyond.is_known)
        if beyond.mojibake:
            places = f"{counted(beyond.mojibake, 'place')} in a sample of 16 KiB"
            put(Styled(shown(path), "path"), f": mojibake, {places} (eightfold check --mojibake shows all)")
        for number, guess in enumerate(beyond.guesses or (), 1):
            put(Styled(shown(path), "path"), f": guess {number}: {guess}")
        if beyond.guesses is not None:
            say(f"{shown(path)}: {_GUESSED if beyond.guesses else 'no legacy charset fits'}")

    def _candidates(self, path: str, candidates: list[Identification], *, is_known: bool) -> None:
        charset = candidates[0].reads_as
        if charset:
            put(Styled(shown(path), "path"), f": not a form of the family; reads as {charset}")
        if not self._all:
            candidates = [] if charset else candidates[:1]
        if len(candidates) > 1 and is_on(sys.stdout):
            put(Styled(shown(path), "path"), ":")
            put(drawn_table(("form", "signature", "verdict"), map(_cells, candidates)), end="")
            return
        for found in candidates:
            name, *rest = (*_words(found), *([] if is_known or charset else [_NO_EVIDENCE]))
            put(Styled(shown(path), "path"), ": ", Styled(name, "form"), *(f", {each}" for each in rest))

    def end(self) -> None:
        """Nothing comes after the last file."""


class _JsonReport:
    def __init__(self, options: Options) -> None:
        self._count = None if options.all else 1
        self._separator = f'{{"version": "{__version__}", "files": ['

    def file(self, path: str, candidates: list[Identification], beyond: _Beyond) -> None:
        import json

        values: dict[str, Any] = {"path": reported(path), "identified": beyond.is_known}
        if beyond.table:
            values["table"] = beyond.table
        values["candidates"] = [_as_dict(found) for found in candidates[: self._count]]
        if beyond.mojibake:
            values["mojibake"] = beyond.mojibake
        if beyond.guesses is not None:
            values["guesses"] = [guess._asdict() for guess in beyond.guesses]
        put(f"{self._separator}\n{json.dumps(values)}", end="")
        self._separator = ","

    def end(self) -> None:
        put("\n]}" if self._separator == "," else f"{self._separator}]}}")


def described(found: Identification) -> str:
    r"""Return a candidate in words.

    >>> described(Identification("utf-16", True, 0, b"\xff\xfe", True))
    'utf-16, signature FF FE, well-formed'
    >>> described(Identification("utf-8", False, 2, b"", False))
    'utf-8, 2 faults'
    """
    return ", ".join(_words(found))


def _words(found: Identification) -> list[str]:
    signature = [f"signature {hex_bytes(found.signature)}"] if found.signature else []
    return [found.form, *signature, *_verdict(found)]


def _verdict(found: Identification) -> list[str]:
    if not found.well_formed:
        more = " or more" if found.fault_count == FAULTS_COUNTED else ""
        return [counted(found.fault_count, "fault") + more]
    return ["well-formed", *([] if found.lossless else ["not lossless"])]


def _cells(found: Identification) -> tuple[Cell, ...]:
    verdict = Styled(", ".join(_verdict(found)), "good" if found.well_formed else "error")
    return [Styled(found.form, "form")], [hex_bytes(found.signature)], [verdict]


def _as_dict(found: Identification) -> dict[str, Any]:
    return {**found._asdict(), "signature": hex_bytes(found.signature)}
