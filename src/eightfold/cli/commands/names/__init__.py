"""`eightfold names`: names of files that are ill-formed, found in folders and archives, and given well-formed ones."""

from __future__ import annotations

import argparse

from eightfold.cli.commands.names.finding import report
from eightfold.cli.commands.names.fixing import apply, show, undo
from eightfold.cli.commands.names.options import FORMATS, Options
from eightfold.cli.options.arguments import CommandParser, OneOf, form_argument, path_argument
from eightfold.cli.options.policy_help import policies_listed
from eightfold.cli.options.root import add_root
from eightfold.cli.output.ending import UsageError
from eightfold.files.path_text import shown
from eightfold.files.paths.addresses import is_remote
from eightfold.files.read.reading import STANDARD_INPUT
from eightfold.forms import Form
from eightfold.repair import POLICIES, Repairer

__all__ = ["Options", "parser", "run"]


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "names",
        "[-f FORM] [--fix POLICY [--apply LOG]] PATH ... | --undo LOG",
        "Find names of files that are ill-formed, as the bytes that they are: in a folder\n"
        "and those below it, of the members of a zip or a tar, or of a file itself.\n\n"
        "  PATH: kind: sentence, at byte N of the name\n"
        "  ARCHIVE: NAME: kind: sentence, at byte N of the name (what the archive says)\n\n"
        "With --fix names are repaired: alone it shows what would be renamed, and --apply\n"
        "does it, deepest first. No file is ever overwritten: a name that is taken, that\n"
        "two files would get, that is too long or that no file can have is told, and the\n"
        "file left alone. What will be renamed is in the LOG before the first name is\n"
        "changed, so --undo brings back the very bytes, after a kill too; what was not\n"
        "renamed by then is renamed by a second run, with a LOG of its own. A name that is\n"
        "UTF-8 already stays, whatever the FORM. Symbolic links are renamed and not\n"
        "followed; where they lead to is told and not changed. Archives are only read.\n"
        "Paths in a LOG are relative to --root; one that leads out of it or through a\n"
        "symbolic link is refused.\n\n"
        "Exit status 0: all are well-formed, or renamed; 1: ill-formed names; 2: wrong\n"
        "use, unreadable folders or archives, names that could not be changed.",
        [
            ("eightfold names photos/", "which names are no UTF-8?"),
            ("eightfold names backup.tar.gz letters.zip", "those in archives, before they are unpacked"),
            ("eightfold names --fix latin-1 photos/", "what would they be, read as Latin-1?"),
            ("eightfold names --fix latin-1 --apply renamed.jsonl photos/", "rename, and keep the way back"),
            ("eightfold names --undo renamed.jsonl", "the very names that there were"),
        ],
        policies_listed(),
    )
    command.add_argument(
        "paths",
        nargs="*",
        type=path_argument,
        metavar="PATH",
        help="a folder (all names in it and below, and its own), an archive, a file",
    )
    command.add_argument(
        *("-f", "--form"), type=_form, metavar="FORM", help="the 8-bit form that names are in (default: utf-8)"
    )
    command.add_argument(
        "--fix", type=OneOf(POLICIES), metavar="POLICY", help="make names UTF-8, by a policy of the list below"
    )
    command.add_argument("--apply", metavar="LOG", help="with --fix: rename, and write what was renamed to this file")
    command.add_argument("--undo", metavar="LOG", help="give files their old names back")
    add_root(command, "log")
    command.add_argument(
        "--output-format", type=OneOf(FORMATS), metavar="FORMAT", help=f"{' or '.join(FORMATS)} (default: text)"
    )
    return command


def _form(name: str) -> Form:
    found = form_argument(name)
    if found.unit_bits > 8:
        raise argparse.ArgumentTypeError(f"names of files are bytes, and {found.name} has wider units")
    return found


def run(options: Options) -> int:
    """Report, show, rename or undo; return the exit status."""
    _check(options)
    if options.undo:
        return undo(options)
    if options.apply:
        return apply(options)
    return show(options) if options.fix else report(options)


def _check(options: Options) -> None:
    if options.undo and (options.fix or options.apply or options.paths):
        raise UsageError("--undo goes alone: the names are those of the log")
    if options.apply and not options.fix:
        raise UsageError("--apply goes with --fix: say by which policy names are made UTF-8")
    if options.root and not (options.apply or options.undo):
        raise UsageError("--root goes with --apply and --undo")
    if not options.undo and (not options.paths or STANDARD_INPUT in options.paths):
        raise UsageError("names of which files? Name a folder, a zip or a tar; . is the folder that you are in")
    if remote := [path for path in options.paths if is_remote(path)]:
        raise UsageError(f"{shown(remote[0])} is remote, and its names are not read: copy it here first")
    if options.fix:
        try:
            Repairer(options.form, options.fix)
        except ValueError as error:
            raise UsageError(str(error)) from error
