"""`eightfold repair`: files to UTF-8, by a plan that can be looked at first, kept, applied later, and undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eightfold.cli.commands.repair.following import apply, undo
from eightfold.cli.commands.repair.making import show, write
from eightfold.cli.commands.repair.options import DEFAULT_POLICY, Options, repairer
from eightfold.cli.commands.repair.planning import plan
from eightfold.cli.options.arguments import CommandParser, OneOf, add_form, add_paths, file_argument
from eightfold.cli.options.certificate import add_certificate
from eightfold.cli.options.destination import add_destination
from eightfold.cli.options.escapes import REPAIR, add_escapes
from eightfold.cli.options.files_from import add_files_from
from eightfold.cli.options.mojibake import add_mojibake, need_mojibake
from eightfold.cli.options.policy_help import PolicyName, policies_listed
from eightfold.cli.options.reading_options import add_reading
from eightfold.cli.options.root import add_root
from eightfold.cli.options.runner import add_runner
from eightfold.cli.options.selection import add_selection, say_nothing_read
from eightfold.cli.output.ending import NOTHING_WRONG, UsageError
from eightfold.cli.work.certifying import check_certificate
from eightfold.cli.work.watching import watched
from eightfold.repair import ESCAPE_POLICIES, POLICIES

__all__ = ["Options", "parser", "run"]

_DESCRIPTION = """\
Make files UTF-8. Without -o, --in-place or --plan this is a dry run: it shows
each change, with the bytes before and after, or the changed lines with --diff.

  PATH:LINE:COLUMN: kind: OLD -> NEW (code points)

A plan keeps the old bytes of a whole tree, so that --undo can restore every
file exactly. Its paths are relative to --root; a path that leads out of it or
through a symbolic link is refused, and so is a file that does not match the
plan. If a run was interrupted, start it again: finished files are skipped.
Without a plan, the result of a lossy policy cannot be undone, so --lossy is
needed.

A file is written whole or not at all; one that is replaced keeps its owner and
permissions. With --in-place, a file without changes is not written. A symbolic
link given as PATH is followed; links in a folder are skipped. A file is not
replaced if it is read-only, has several names (hard links) or changes while it
is read. In a folder, files that .gitignore files ignore, binary files and
backups with the same SUFFIX are skipped. Compressed files are decompressed, and
OUT is compressed if its name ends like one; they and remote files (https://,
s3://) cannot be replaced or planned for. Symbolic links in a folder OUT are not
followed. Without -f, a file that looks like UTF-16 or UTF-32 is refused. In a
Parquet or Arrow IPC file given as PATH, strings, names of columns and metadata
change; a plan lists every value, and --undo gives every value back, but need not
give the bytes of the file: --in-place --backup keeps these.

Repairing a file in place twice can escape the result of the first repair, or
read UTF-8 as another form. Each folder therefore has a journal until every file
is done: after a fault or a kill, run the command again. A journal that another
user wrote, or that came with the tree, is refused. If another such run of the
same user, or one that follows a plan, is working in the tree, the command waits
10 seconds, then gives up.

Exit status 0: nothing to repair, or everything is written; 1: changes that are
only shown, or a fault that the policy cannot repair; 2: wrong use, loss without
--lossy, a file that does not match the plan, unreadable or unwritable files."""
_EXAMPLES = [
    ("eightfold repair server.log", "what would replace the bytes that are not UTF-8?"),
    ("eightfold repair --diff --errors latin-1 letters/", "show the lines before and after, and write nothing"),
    ("eightfold repair --errors latin-1 --plan plan.jsonl letters/", "write a plan for a whole folder"),
    ("eightfold repair --apply plan.jsonl", "apply the plan; --undo plan.jsonl undoes it"),
    ("eightfold repair --errors pairs --lossy --in-place dump.sql", "repair CESU-8 inside UTF-8, in place"),
    (
        "eightfold repair --escapes repair --plan plan.jsonl chats/",
        "replace escapes of unpaired surrogates in JSON too, reversibly",
    ),
    (
        "eightfold repair --runner local -o fixed/ events/",
        "repair a dataset on all cores, into a new folder",
    ),
    ("eightfold repair -f mutf-8 -o names.txt names.bin", "convert a file in another form"),
]


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "repair",
        "[-f FORM] [--errors POLICY] [OPTIONS] [PATH ...]",
        _DESCRIPTION,
        _EXAMPLES,
        policies_listed(),
    )
    add_paths(command)
    add_files_from(command)
    add_form(command, wide=False)
    command.add_argument(
        "--errors",
        type=PolicyName(POLICIES),
        metavar="POLICY",
        help=f"what to write for a fault: one of the policies below (default: {DEFAULT_POLICY}); latin-1 and cp1252 "
        "have all names that Python has for them, such as windows-1252",
    )
    add_escapes(command, repairs=True)
    command.add_argument(
        "--escapes-errors",
        type=OneOf(ESCAPE_POLICIES),
        metavar="POLICY",
        help=f"with --escapes repair, what to write for such an escape: {', '.join(ESCAPE_POLICIES)} (default: "
        "replace, which writes \\ufffd; strict with --errors strict)",
    )
    add_mojibake(command, "mend UTF-8 that was read in a legacy charset and encoded again")
    add_selection(command)
    add_reading(command)
    add_destination(command, "dry run")
    command.add_argument(
        "--diff", action="store_true", help="show the changed lines, before and after, and write nothing"
    )
    command.add_argument(
        "--plan",
        type=file_argument,
        metavar="FILE",
        help="write the changes of all files to this file, as JSON Lines, and change no file",
    )
    command.add_argument(
        "--apply", type=file_argument, metavar="FILE", help="apply a plan to all its files, or to the PATHs"
    )
    command.add_argument(
        "--undo", type=file_argument, metavar="FILE", help="restore the original bytes of the files in a plan"
    )
    add_root(command, "plan")
    command.add_argument("--lossy", action="store_true", help="also write changes that cannot be undone without a plan")
    add_runner(command, "repair")
    add_certificate(command, "undo the changes in the result and compare it with the original")
    return command


def run(options: Options) -> int:
    """Repair the files, or show, plan, apply or undo that; return the exit status."""
    if options.runner:
        from eightfold.cli.commands.repair.datasets import repair_dataset

        return repair_dataset(options)
    modes = [(flag, mode) for flag, given, mode in _modes(options) if given]
    _check(options, [flag for flag, _ in modes])
    if not options.take_list():
        say_nothing_read(options)
        return NOTHING_WRONG
    follows = bool(options.apply or options.undo)
    with watched(options, None if follows else options.paths, options.selection):
        return modes[0][1](options) if modes else show(options)


def _check(options: Options, modes: Sequence[str]) -> None:
    """Refuse what cannot be combined, or lacks something, before anything is read."""
    if len(modes) > 1:
        raise UsageError(f"{modes[0]} and {modes[1]} cannot be combined")
    if options.backup and not options.in_place:
        raise UsageError("--backup needs --in-place")
    if options.mojibake:
        need_mojibake()
    if options.form is not None:
        repairer(options.form, options, UsageError)
    options.check_escapes()
    if options.escapes_errors and options.escapes != REPAIR:
        raise UsageError("--escapes-errors needs --escapes repair")
    if options.root and not (options.plan or options.apply or options.undo):
        raise UsageError("--root needs --plan, --apply or --undo")
    if options.diff and (options.verified or modes):
        raise UsageError(f"--diff writes nothing: it cannot be combined with {modes[0] if modes else '--verify'}")
    check_certificate(options, writes=bool(modes) and modes[0] != "--plan")


def _modes(options: Options) -> Sequence[tuple[str, str | bool, Callable[[Options], int]]]:
    return (
        ("-o", options.output, write),
        ("--in-place", options.in_place, write),
        ("--plan", options.plan, plan),
        ("--apply", options.apply, apply),
        ("--undo", options.undo, undo),
    )
