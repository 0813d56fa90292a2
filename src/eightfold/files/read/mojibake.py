"""The faults of a file in UTF-8 together with its mojibake, in order, with their places, in one pass."""

from __future__ import annotations

from collections.abc import Iterator

from eightfold.faults import ESCAPED_SURROGATE
from eightfold.files.read.escapes import JsonReading
from eightfold.files.read.json_scanning import JsonChecker, escape_checker
from eightfold.files.read.reading import Source
from eightfold.files.read.scanning import AnyChecker
from eightfold.forms import Form
from eightfold.mojibake import MojibakeFinder
from eightfold.stream import Checker, Located


def faults_and_mojibake_in(source: Source, form: Form, json: JsonReading | None = None) -> Iterator[Located]:
    """Yield the faults of the rest of a source, and warnings of mojibake; with JSON, those of its escapes too.

    Raises:
        FileError: it cannot be read; what is before that has been yielded.
    """
    checker, finder = _checker(source, form, json), MojibakeFinder()
    due: list[Located] = []
    passed = 0
    for chunk, final in source.pieces():
        found = checker.check(chunk, final)
        faults = [each.fault for each in found if each.fault.kind != ESCAPED_SURROGATE]
        places = finder.find(chunk, [(each.start, each.end) for each in faults], final)
        due += found
        due += (Located(each.fault, each.line, each.column) for each in places)
        if finder.settled == passed and not final:
            continue  # A small piece of a long line: all pieces together would take long.
        passed = finder.settled
        due.sort(key=lambda each: each.fault.start)
        settled = sum(each.fault.start < finder.settled for each in due)
        yield from due[: settled if not final else len(due)]
        due = due[settled:]


def _checker(source: Source, form: Form, json: JsonReading | None) -> AnyChecker:
    return Checker(form) if json is None else JsonChecker(Checker(form), escape_checker(source, form, json))
