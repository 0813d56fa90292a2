"""`names` without `--fix`: every fault of every name, as a line each or as JSON Lines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from eightfold.cli.commands.names.options import Options, names_in
from eightfold.cli.output.colour import Part, Styled
from eightfold.cli.output.ending import FAULTS, NOTHING_WRONG, WRONG_USE_OR_FILE
from eightfold.cli.output.lines import counted, put, say
from eightfold.cli.work.inputs import Failures
from eightfold.faults import hex_bytes
from eightfold.files.path_text import as_text, shown
from eightfold.files.walk.names import FOLDER, ZIP, Name
from eightfold.forms import Form
from eightfold.text import faults, is_well_formed

_MOST_LINES = 16
"""How many faults of a name are shown; each line repeats the name, which an archive can make very long."""
_MOST_IN_JSON = 1000
_MOST_SHOWN = 1024
"""How many characters of a name in an archive are shown."""


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
        say(f"{counted(undeclared, 'UTF-8 name')} in a zip without the UTF-8 flag (bit 11), which means CP437")
    if failures.count:
        return WRONG_USE_OR_FILE
    return FAULTS if ill_formed else NOTHING_WRONG


def leads_to_ill_formed(name: Name, form: Form) -> bool:
    """Return whether a name is that of a link to an ill-formed one."""
    return name.target is not None and not is_well_formed(name.target, form)


def _put_lines(name: Name, form: Form) -> None:
    said = "" if name.source == FOLDER else f" ({name.source})"
    _put_faults(name.name, form, (*placed_name(name), ": "), f" of the name{said}")
    if name.target is not None:
        place = (*placed_name(name), f" -> {_shown(name.target)}: ")
        _put_faults(name.target, form, place, f" of its target{said}")


def _put_faults(name: bytes, form: Form, place: tuple[Part, ...], of_what: str) -> None:
    """Write a line for each of the first faults; each line repeats the name."""
    found = faults(name, form)
    for fault in islice(found, _MOST_LINES):
        put(*place, Styled(fault.kind, "error"), f": {fault}, at byte {fault.start}{of_what}")
    if more := sum(1 for _ in found):
        put(*place, counted(more, "more fault"), of_what)


def placed_name(name: Name) -> Iterator[Part]:
    """Yield the parts that begin a line about a name."""
    if name.source == FOLDER:
        yield Styled(shown(name.path), "path")
    else:
        yield Styled(shown(name.place), "path")
        yield f": {_shown(name.name)}"


def _shown(name: bytes) -> str:
    return shown(os.fsdecode(name), _MOST_SHOWN)


def _put_json(name: Name, form: Form) -> None:
    import json

    values = {
        "place": name.place and as_text(name.place),
        "name": as_text(os.fsdecode(name.name)) if name.name else "",
        "bytes": hex_bytes(name.name),
        "source": name.source,
        **_faults_in_json(name.name, form, ""),
    }
    if name.target is not None:
        target = as_text(os.fsdecode(name.target))
        values = {**values, "target": target, **_faults_in_json(name.target, form, "target_")}
    put(json.dumps(values))


def _faults_in_json(name: bytes, form: Form, prefix: str) -> dict[str, object]:
    """Return the first faults, and how many more there are if any."""
    found = faults(name, form)
    first = [fault.as_dict() for fault in islice(found, _MOST_IN_JSON)]
    more = sum(1 for _ in found)
    return {f"{prefix}faults": first, **({f"{prefix}more_faults": more} if more else {})}
