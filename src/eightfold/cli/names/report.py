"""`names` without `--fix`: every fault of every name, as a line each or as JSON Lines."""

from __future__ import annotations

import os
from collections.abc import Iterator

from eightfold.cli.colour import Part, Styled
from eightfold.cli.ending import FAULTS, NOTHING_WRONG, WRONG_USE_OR_FILE
from eightfold.cli.inputs import Failures
from eightfold.cli.lines import counted, put, say
from eightfold.cli.names.options import Options, names_in
from eightfold.faults import Fault, hex_bytes
from eightfold.files.listing import FOLDER, ZIP, Name
from eightfold.files.names import as_text, shown
from eightfold.forms import Form
from eightfold.text import faults, is_well_formed


def report(options: Options) -> int:
    """Report the names; return the exit status."""
    failures = Failures()
    names = ill_formed = undeclared = 0
    put_name = _put_json if options.output_format == "jsonl" else _put_lines
    for name in names_in(options.paths, failures):
        names += 1
        undeclared += name.source == ZIP and not name.name.isascii() and is_well_formed(name.name, "utf-8")
        if not is_well_formed(name.name, options.form):
            ill_formed += 1
            put_name(name, options.form)
        elif leads_to_ill_formed(name, options.form):
            put_name(name, options.form)
    say(f"{counted(names, 'name')} read, {ill_formed} ill-formed")
    if undeclared:
        say(f"{counted(undeclared, 'name')} of a zip in UTF-8, and it does not say so (flag bit 11): that means CP437")
    if failures.count:
        return WRONG_USE_OR_FILE
    return FAULTS if ill_formed else NOTHING_WRONG


def leads_to_ill_formed(name: Name, form: Form) -> bool:
    """Return whether a name is that of a link to an ill-formed one."""
    return name.target is not None and not is_well_formed(name.target, form)


def _put_lines(name: Name, form: Form) -> None:
    said = "" if name.source == FOLDER else f" ({name.source})"
    for fault in faults(name.name, form):
        put(*placed_name(name), ": ", *_told(fault), f" of the name{said}")
    if name.target is not None:
        for fault in faults(name.target, form):
            put(*placed_name(name), f" -> {_shown(name.target)}: ", *_told(fault), f" of where it leads{said}")


def placed_name(name: Name) -> Iterator[Part]:
    """Yield what a line about a name begins with."""
    if name.source == FOLDER:
        yield Styled(shown(name.path), "path")
    else:
        yield Styled(shown(name.place), "path")
        yield f": {_shown(name.name)}"


def _told(fault: Fault) -> tuple[Part, ...]:
    return Styled(fault.kind, "error"), f": {fault}, at byte {fault.start}"


def _shown(name: bytes) -> str:
    return shown(os.fsdecode(name))


def _put_json(name: Name, form: Form) -> None:
    import json

    values = {
        "place": name.place and as_text(name.place),
        "name": as_text(os.fsdecode(name.name)) if name.name else "",
        "bytes": hex_bytes(name.name),
        "source": name.source,
        "faults": [fault.as_dict() for fault in faults(name.name, form)],
    }
    if name.target is not None:
        target = [fault.as_dict() for fault in faults(name.target, form)]
        values = {**values, "target": as_text(os.fsdecode(name.target)), "target_faults": target}
    put(json.dumps(values))
