"""What `names` can be asked to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eightfold.cli.work.inputs import Failures
from eightfold.files import FileError
from eightfold.files.walk.listing import names_of
from eightfold.files.walk.names import Name
from eightfold.forms import Form
from eightfold.forms.utf_8 import UTF_8

FORMATS = ("text", "jsonl")


@dataclass
class Options:
    """The options of `names`."""

    paths: Sequence[str] = ()
    form: Form = UTF_8
    fix: str = ""
    apply: str = ""
    undo: str = ""
    root: str = ""
    output_format: str = "text"


def names_in(paths: Sequence[str], failures: Failures) -> Iterator[Name]:
    """Yield the names that paths refer to, and report what cannot be read."""
    for path in paths:
        yield from _names_of(path, failures)


def _names_of(path: str, failures: Failures) -> Iterator[Name]:
    try:
        yield from names_of(path, failures.tell)
    except FileError as error:
        failures.tell(error)
