"""`repair` of a file that is not UTF-8 anywhere, but in one legacy charset: `convert` is what its user wants."""

from __future__ import annotations

from eightfold.cli.options.root import quoted
from eightfold.cli.output.lines import say
from eightfold.files.path_text import shown
from eightfold.files.read.reading import Source
from eightfold.forms import Form
from eightfold.forms.utf_8 import UTF_8

_BEFORE_BYTES = 64


def tell_charset(source: Source, form: Form, first_fault: int | None) -> None:
    """Suggest `convert` if a file reads as one legacy charset from its first fault on, as far as a sample shows.

    Raises:
        FileError: it cannot be read.
    """
    if first_fault is None or form is not UTF_8 or source.length is None:
        return
    # Used only for files with faults.
    from eightfold.identify import SAMPLE_BYTES, Identifier

    identifier = Identifier()
    identifier.feed(source.window(max(0, first_fault - _BEFORE_BYTES), SAMPLE_BYTES))
    best = identifier.finish()[0]
    if best.reads_as:
        command = f"eightfold convert -f {best.reads_as} -t {form.name} {quoted(source.path)}"
        say(f"{shown(source.path)}: reads as {best.reads_as}; if all of it is: {command}")
