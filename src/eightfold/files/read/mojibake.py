"""The faults of a file in UTF-8 together with its mojibake, in order, with their places, in one pass."""

from __future__ import annotations

from collections.abc import Iterator

from eightfold.files.read.reading import Source
from eightfold.forms import Form
from eightfold.mojibake import MojibakeFinder
from eightfold.stream import Checker, Located


def faults_and_mojibake_in(source: Source, form: Form) -> Iterator[Located]:
    """Yield the faults of what is left of a source, and warnings of mojibake.

    Raises:
        FileError: it cannot be read; what is before that has been yielded.
    """
    checker, finder = Checker(form), MojibakeFinder()
    due: list[Located] = []
    for chunk, final in source.pieces():
        found = checker.check(chunk, final)
        places = finder.find(chunk, [(each.fault.start, each.fault.end) for each in found], final)
        due += found
        due += (Located(each.fault, each.line, each.column) for each in places)
        due.sort(key=lambda each: each.fault.start)
        settled = sum(each.fault.start < finder.settled for each in due)
        yield from due[: settled if not final else len(due)]
        due = due[settled:]
