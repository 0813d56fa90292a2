"""`eightfold repair`: files to UTF-8, by a plan that can be looked at first, kept, applied later, and undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eightfold.cli.commands.repair.following import apply, undo
from eightfold.cli.commands.repair.making import plan, show, write
from eightfold.cli.commands.repair.options import DEFAULT_POLICY, Options, repairer
from eightfold.cli.options.arguments import CommandParser, OneOf, add_form, add_paths
from eightfold.cli.options.certificate import add_certificate
from eightfold.cli.options.destination import add_destination
from eightfold.cli.options.policy_help import policies_listed
from eightfold.cli.options.reading_options import add_reading
from eightfold.cli.options.root import add_root
from eightfold.cli.options.selection import add_selection
from eightfold.cli.output.ending import UsageError
from eightfold.cli.work.certifying import check_certificate
from eightfold.cli.work.watching import watched
from eightfold.repair import POLICIES

__all__ = ["Options", "parser", "run"]


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "repair",
        "[-f FORM] [--errors POLICY] [OPTIONS] [PATH ...]",
        "Make files UTF-8. Without -o, --in-place or --plan nothing is written: each\n"
        "change is shown, with the bytes before and after, or with --diff in its line.\n\n"
        "  PATH:LINE:COLUMN: kind: OLD -> NEW (code points)\n\n"
        "A plan keeps the old bytes, for a whole tree: --undo gives the very same files\n"
        "back. Its paths are relative to --root, and one that leads out of it or through a\n"
        "symbolic link is refused. So is a file that the plan was not made for. A run that\n"
        "was stopped is started again: files that are done are left alone. What a lossy\n"
        "policy writes cannot be turned back without a plan, so it needs --lossy then.\n\n"
        "A file is written whole or not at all, keeps owner and permissions, and is left\n"
        "alone in place if nothing changes. A symbolic link that is given is followed;\n"
        "those in a folder are not met. Read-only files, and those with several names\n"
        "(hard links), are refused, and so is one that changes while it is read. Of a\n"
        "folder neither what .gitignore files ignore is taken, nor binary files, nor\n"
        "backups of the same SUFFIX. Compressed files are read as what is in them, and\n"
        "written so where OUT has such an ending; they, and remote ones (https://, s3://),\n"
        "are not replaced, nor planned for. A second time in place would escape what the\n"
        "first has written, or read UTF-8 in another form, so there is a journal in each\n"
        "folder then until all is done: run it again after a fault or a kill. A journal\n"
        "that another user wrote, or that came with the tree, is refused. Of two such runs\n"
        "of one user, or plans, in one tree the second waits 10 seconds, then is refused.\n"
        "In a folder OUT no symbolic link is followed.\n"
        "A file that looks like UTF-16 or UTF-32 is refused, unless -f gives its form.\n\n"
        "Exit status 0: nothing to repair, or all is written; 1: changes that are only\n"
        "shown, or a fault that the policy has no answer to; 2: wrong use, loss without\n"
        "--lossy, a file that a plan does not fit, unreadable or unwritable files.",
        [
            ("eightfold repair server.log", "what would be written for the bytes that are no UTF-8?"),
            ("eightfold repair --diff --errors latin-1 letters/", "the lines before and after, nothing is written"),
            ("eightfold repair --errors latin-1 --plan plan.jsonl letters/", "keep a plan for a whole folder"),
            ("eightfold repair --apply plan.jsonl", "do what it says; --undo plan.jsonl takes it back"),
            ("eightfold repair --errors pairs --lossy --in-place dump.sql", "CESU-8 inside UTF-8, in place"),
            ("eightfold repair -f mutf-8 -o names.txt names.bin", "a whole file in another form"),
        ],
        policies_listed(),
    )
    add_paths(command)
    add_form(command)
    command.add_argument(
        "--errors",
        type=OneOf(POLICIES),
        metavar="POLICY",
        help=f"what to write for a fault, by a policy of the list below (default: {DEFAULT_POLICY})",
    )
    add_selection(command)
    add_reading(command)
    add_destination(command, "nothing is written")
    command.add_argument(
        "--diff", action="store_true", help="show the lines that change before and after, and write nothing"
    )
    command.add_argument(
        "--plan", metavar="FILE", help="write the changes of all files to this file, as JSON Lines, and nothing else"
    )
    command.add_argument("--apply", metavar="FILE", help="make the changes of a plan, of all its files or of the PATHs")
    command.add_argument("--undo", metavar="FILE", help="give the files of a plan their original bytes back")
    add_root(command, "plan")
    command.add_argument("--lossy", action="store_true", help="write what cannot be turned back without a plan, too")
    add_certificate(command, "take the changes of the result back and compare it with the original")
    return command


def run(options: Options) -> int:
    """Repair the files, or show, plan, apply or undo that; return the exit status."""
    asked = [(flag, mode) for flag, given, mode in _modes(options) if given]
    if len(asked) > 1:
        raise UsageError(f"{asked[0][0]} and {asked[1][0]} exclude each other")
    if options.backup and not options.in_place:
        raise UsageError("--backup goes with --in-place")
    if options.form is not None:
        repairer(options.form, options.policy, UsageError)  # Wrong use is told before anything is read.
    if options.root and not (options.plan or options.apply or options.undo):
        raise UsageError("--root goes with --plan, --apply and --undo")
    if options.diff and (options.verified or asked):
        raise UsageError(f"--diff writes nothing: it excludes {asked[0][0] if asked else '--verify'}")
    writes = bool(asked) and asked[0][0] != "--plan"
    check_certificate(options, writes=writes)
    follows = bool(options.apply or options.undo)
    with watched(options, None if follows else options.paths, options.selection):
        return asked[0][1](options) if asked else show(options)


def _modes(options: Options) -> Sequence[tuple[str, str | bool, Callable[[Options], int]]]:
    return (
        ("-o", options.output, write),
        ("--in-place", options.in_place, write),
        ("--plan", options.plan, plan),
        ("--apply", options.apply, apply),
        ("--undo", options.undo, undo),
    )
