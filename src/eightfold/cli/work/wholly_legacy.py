"""`repair` of a file that is not UTF-8 anywhere, but in one legacy charset: `convert` is what its user wants."""

from __future__ import annotations

import os

from eightfold.cli.options.root import quoted
from eightfold.cli.output.lines import say
from eightfold.files.path_text import shown
from eightfold.files.read.reading import Source
from eightfold.forms import Form
from eightfold.forms.utf_8 import UTF_8

_BEFORE_BYTES = 64


def tell_charset(
    source: Source, form: Form, first_fault: int | None, *, replaced: bool = False, backup: str = ""
) -> None:
    """Suggest `convert` if a file reads as one legacy charset from its first fault on, as far as a sample shows.

    Args:
        source: the file as it was before the repair, still open.
        form: what the file was read as.
        first_fault: where the first fault was; None if there was none.
        replaced: the path now leads to the result, by the policy `escape`. It is UTF-8: read as the charset, it would
            be mojibake.
        backup: the suffix under which a replaced file is kept; empty for no backup.

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
    if not best.reads_as:
        return
    what, path = "its old content " if replaced else "", source.path
    command = f"eightfold convert -f {best.reads_as} -t {form.name}"
    if replaced and not backup:
        command = f"eightfold convert -f {form.name} -t xtf-8 {quoted(path)} | {command}"  # Undoes `escape`.
    else:
        # The backup of a link is beside the file that it leads to.
        kept = os.path.realpath(path) if backup and os.path.islink(path) else path
        command = f"{command} {quoted(kept + backup)}"
    say(f"{shown(path)}: {what}reads as {best.reads_as}; if all of it is: {command}")
