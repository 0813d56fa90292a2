"""`names --fix`: what would be renamed is shown, done with a log, and undone by it."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from eightfold.cli.commands.names.finding import leads_to_ill_formed
from eightfold.cli.commands.names.options import Options, names_in
from eightfold.cli.options.root import inside, quoted, root_option
from eightfold.cli.output.colour import Styled
from eightfold.cli.output.ending import FAULTS, NOTHING_WRONG, WRONG_USE_OR_FILE, UsageError
from eightfold.cli.output.lines import counted, put, say
from eightfold.cli.work.inputs import Failures
from eightfold.cli.work.sinks import check_free, record
from eightfold.faults import ConversionError
from eightfold.files import FileError
from eightfold.files.path_text import as_text, shown
from eightfold.files.paths.roots import Root
from eightfold.files.read.reading import opened
from eightfold.files.walk.names import FOLDER, Name
from eightfold.files.write.renaming import Renaming, is_there, obstacle, read_log, rename, write_log
from eightfold.files.write.writing import is_written_at_once
from eightfold.repair import repair
from eightfold.text import is_well_formed


class _Fix(NamedTuple):
    """A file whose name is to be changed, and why it cannot be, if so."""

    renaming: Renaming
    why_not: str


class _Found(NamedTuple):
    """What is to be renamed, deepest first, and how many names in archives stay ill-formed."""

    fixes: list[_Fix]
    members: int


def show(options: Options) -> int:
    """Show what would be renamed; return the exit status."""
    failures = Failures()
    fixes, members = _found(options, failures)
    for fix in fixes:
        _put(fix, options)
    stuck = sum(bool(fix.why_not) for fix in fixes)
    say(f"{counted(len(fixes), 'name')} to change" + (f", {stuck} of which cannot be changed" if stuck else ""))
    if fixes:
        say("dry run: use --apply LOG to rename")
    if failures.count:
        return WRONG_USE_OR_FILE
    return FAULTS if fixes or members else NOTHING_WRONG


def apply(options: Options) -> int:
    """Rename what can be, and write the log; return the exit status."""
    check_free("--apply", options.apply)
    root = Root(options.root)
    # A link that is given is renamed and not followed, so it may lead anywhere.
    inside(root, (path if os.path.isdir(path) else os.path.dirname(path) for path in options.paths))
    failures = Failures()
    fixes, members = _found(options, failures)
    due = [(fix, renaming) for fix in fixes if (renaming := _due(fix, root, failures))]
    _check_log_stays(options.apply, [fix for fix, _ in due])
    if due:
        # The complete log is on the disk before the first name changes.
        with record(options.apply) as log:
            write_log(log, (renaming for _, renaming in due))
    done = 0
    for fix, renaming in due:
        done += _rename(fix, partial(_rename_inside, root, renaming), options, failures)
    say(f"{counted(done, 'name')} changed, {len(fixes) - done} left")
    if done and not is_written_at_once(options.apply):
        say(f"to undo: eightfold names --undo {quoted(options.apply)}{root_option(root)}")
    if failures.count:
        return WRONG_USE_OR_FILE
    return FAULTS if members else NOTHING_WRONG


def _check_log_stays(log: str, fixes: Sequence[_Fix]) -> None:
    """Refuse a log in a folder that is to be renamed: its path would lead nowhere when it is needed.

    Raises:
        UsageError: it is in one.
    """
    due = {(os.path.realpath(fix.renaming.folder), fix.renaming.old) for fix in fixes}
    for path in (os.path.abspath(log), os.path.realpath(log)):
        folder = os.path.dirname(path)
        while (above := os.path.dirname(folder)) != folder:
            if (os.path.realpath(above), os.path.basename(folder)) in due:
                raise UsageError(f"--apply {shown(log)}: its folder is to be renamed; choose another folder")
            folder = above


def _due(fix: _Fix, root: Root, failures: Failures) -> Renaming | None:
    """Return the renaming for the log; if it cannot be done, report why and return None."""
    try:
        if fix.why_not:
            raise _left(fix)
        return fix.renaming._replace(folder=root.relative(fix.renaming.folder))
    except FileError as error:
        failures.tell(error)
        return None


def _rename_inside(root: Root, renaming: Renaming) -> bool:
    """Rename a file by its folder's path relative to the root; return whether it had to be renamed."""
    with root.folder(renaming.folder) as folder:
        at = renaming._replace(folder=root.join(renaming.folder))
        if is_there(at, renaming.new, folder) and not is_there(at, renaming.old, folder):
            return False
        rename(at, folder)
    return True


def _rename(fix: _Fix, act: Callable[[], bool], options: Options, failures: Failures) -> bool:
    try:
        if not act():
            return False
    except FileError as error:
        failures.tell(error)
        return False
    _put(fix, options)
    return True


def _left(fix: _Fix) -> FileError:
    return FileError(fix.renaming.old_path, f"{fix.why_not}: {shown(fix.renaming.new)}")


def _put(fix: _Fix, options: Options) -> None:
    folder, old, new = fix.renaming
    if options.output_format == "jsonl":
        texts = {"place": folder and as_text(folder), "name": as_text(old), "new": new and as_text(new)}
        put(json.dumps({**texts, "why_not": fix.why_not or None}))
        return
    why_not = (": ", Styled(fix.why_not, "error")) if fix.why_not else ()
    put(Styled(shown(fix.renaming.old_path), "path"), " -> ", Styled(shown(new), "good"), *why_not)


def _found(options: Options, failures: Failures) -> _Found:
    """Read all names."""
    # A file that is given twice, or lies below another path, is the same file under another path.
    found: dict[tuple[str, str], Renaming] = {}
    links: set[tuple[str, str]] = set()
    linked_members = members = 0
    for name in names_in(options.paths, failures):
        is_member = name.source != FOLDER
        if leads_to_ill_formed(name, options.form):
            if is_member:
                linked_members += 1
            else:
                links.add(_file(name))
        if is_well_formed(name.name, "utf-8"):
            continue
        if is_member:
            members += 1
        else:
            found.setdefault(_file(name), _renaming(name, options))
    if count := len(links) + linked_members:
        say(f"{counted(count, 'symbolic link')} to ill-formed names: their targets are not changed")
    if members:
        say(f"{counted(members, 'ill-formed name')} in archives: archives are not changed")
    return _Found(_fixes(found), members)


def _file(name: Name) -> tuple[str, str]:
    """Return what is the same for every path of a file: its real folder, and its name there."""
    return os.path.realpath(name.place), os.fsdecode(name.name)


def _fixes(found: Mapping[tuple[str, str], Renaming]) -> list[_Fix]:
    wanted = Counter((folder, renaming.new) for (folder, _), renaming in found.items())
    return [
        _Fix(renaming, _why_not(renaming, wanted[folder, renaming.new] - 1)) for (folder, _), renaming in found.items()
    ]


def _why_not(renaming: Renaming, others: int) -> str:
    if renaming.new == renaming.old:
        return "the policy cannot repair a fault in it"
    return obstacle(renaming) or (f"{counted(others, 'other file')} would get the same name" if others else "")


def _renaming(name: Name, options: Options) -> Renaming:
    old = os.fsdecode(name.name)
    try:
        new = os.fsdecode(repair(name.name, options.form, options.fix))
    except ConversionError:
        new = old
    return Renaming(name.place, old, new)


def undo(options: Options) -> int:
    """Give files their old names back; return the exit status."""
    root, failures = Root(options.root), Failures()
    with opened(options.undo) as source:
        log = list(read_log(source))
    done = 0
    for renaming in reversed(log):
        back = renaming.back()
        fix = _Fix(back._replace(folder=root.join(back.folder)), "")
        done += _rename(fix, partial(_rename_inside, root, back), options, failures)
    already = len(log) - done - failures.count
    was = f", {already} already done" if already else ""
    say(f"{counted(done, 'file')} renamed back{was}")
    return WRONG_USE_OR_FILE if failures.count else NOTHING_WRONG
