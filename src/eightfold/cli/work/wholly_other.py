"""`repair` of a file that is not UTF-8 with faults, but in one other encoding: `convert` is what its user wants.

That is a legacy charset, or a form that writes surrogates in pairs.
"""

from __future__ import annotations

import os

from eightfold.cli.options.root import quoted
from eightfold.cli.output.lines import say
from eightfold.cli.work.likeness import has_pairs
from eightfold.files.path_text import shown
from eightfold.files.read.reading import Source
from eightfold.forms import Form, form
from eightfold.forms.utf_8 import UTF_8

_BEFORE_BYTES = 64
_MARK = form("utf-8-sig").signatures[0].mark
_CUT = 2
"""How many sequences are faults because a sample cuts them."""


def tell_encoding(
    source: Source, asked: Form, first_fault: int | None, *, replaced: bool = False, backup: str = ""
) -> None:
    """Suggest `convert` if a file reads as one other encoding from its first fault on, as far as a sample shows.

    Args:
        source: the file as it was before the repair, still open.
        asked: what the file was read as.
        first_fault: where the first fault was; None if there was none.
        replaced: the path now leads to the result, by the policy `escape`. It is UTF-8: read as the encoding, it would
            be mojibake, or keep the escapes.
        backup: the suffix under which a replaced file is kept; empty for no backup.

    Raises:
        FileError: it cannot be read.
    """
    if first_fault is None or asked is not UTF_8 or source.length is None:
        return
    found = _encoding_of(source, first_fault)
    if not found:
        return
    what, path = "its old content " if replaced else "", source.path
    command = f"eightfold convert -f {found} -t {asked.name}"
    if replaced and not backup:
        command = f"eightfold convert -f {asked.name} -t xtf-8 {quoted(path)} | {command}"  # Undoes `escape`.
    else:
        # The backup of a link is beside the file that it leads to.
        kept = os.path.realpath(path) if backup and os.path.islink(path) else path
        command = f"{command} {quoted(kept + backup)}"
    say(f"{shown(path)}: {what}reads as {found}; if all of it is: {command}")


def _encoding_of(source: Source, first_fault: int) -> str:
    """Return the name of the encoding that a file is in from its first fault on; empty if that is UTF-8 with faults."""
    # Used only for files with faults.
    from eightfold.identify import SAMPLE_BYTES, Identifier

    sample = source.window(max(0, first_fault - _BEFORE_BYTES), SAMPLE_BYTES).removeprefix(_MARK)
    identifier = Identifier()
    identifier.feed(sample)
    best = identifier.finish()[0]
    return best.reads_as or (best.form if best.fault_count <= _CUT and has_pairs(sample, best.form) else "")
