"""`eightfold names`: names of files that are ill-formed, found in folders and archives, and given well-formed ones."""

from __future__ import annotations

import argparse

from eightfold.cli.commands.names.finding import report
from eightfold.cli.commands.names.fixing import apply, show, undo
from eightfold.cli.commands.names.options import FORMATS, Options
from eightfold.cli.options.arguments import (
    CommandParser,
    add_output_format,
    end_argument,
    file_argument,
    path_argument,
)
from eightfold.cli.options.policy_help import PolicyName, policies_listed
from eightfold.cli.options.root import add_root
from eightfold.cli.output.ending import UsageError
from eightfold.cli.work.sinks import is_standard_output
from eightfold.files.path_text import shown
from eightfold.files.paths.addresses import is_remote
from eightfold.files.read.reading import STANDARD_INPUT
from eightfold.forms import Form
from eightfold.forms.utf_8 import UTF_8
from eightfold.repair import POLICIES, Repairer

__all__ = ["Options", "parser", "run"]

_DESCRIPTION = """\
Find file names that are ill-formed: in a folder and those below it, among the
members of a zip or a tar, or the name of a single file. Names are read as
bytes.

  PATH: kind: sentence, at byte N of the name
  ARCHIVE: NAME: kind: sentence, at byte N of the name (what the archive says)

--fix alone shows what would be renamed; --fix with --apply renames, deepest
names first. No file is ever overwritten: names that collide, are too long or
are not valid are reported and skipped. The LOG is complete before the first
name changes, so --undo restores the exact bytes even after a kill; to rename
what is left then, run the command again with another LOG. A name that is
already UTF-8 is kept, whatever the FORM. Symbolic links are renamed, not
followed; their targets are reported, not changed. Archives are only read. Paths
in a LOG are relative to --root; a path that leads out of it or through a
symbolic link is refused.

Exit status 0: all names are well-formed, or renamed, whatever the targets of
links are; 1: ill-formed names, which --apply leaves in archives; 2: wrong use,
unreadable folders or archives, names that could not be changed."""
_EXAMPLES = [
    ("eightfold names photos/", "which names are not UTF-8?"),
    ("eightfold names backup.tar.gz letters.zip", "check archives before unpacking them"),
    ("eightfold names --fix latin-1 photos/", "what would they be, read as Latin-1? (dry run)"),
    ("eightfold names --fix latin-1 --apply renamed.jsonl photos/", "rename, and keep a log for undoing it"),
    ("eightfold names --undo renamed.jsonl", "restore the old names"),
]


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "names",
        "[-f FORM] [--fix POLICY [--apply LOG]] PATH ... | --undo LOG",
        _DESCRIPTION,
        _EXAMPLES,
        policies_listed(),
    )
    command.add_argument(
        "paths",
        nargs="*",
        type=path_argument,
        metavar="PATH",
        help="a folder (its name and all names below it), an archive or a file",
    )
    command.add_argument(
        *("-f", "--form"), type=_form, metavar="FORM", help="the 8-bit form that names are in (default: utf-8)"
    )
    command.add_argument(
        "--fix", type=PolicyName(POLICIES), metavar="POLICY", help="make names UTF-8, with one of the policies below"
    )
    command.add_argument(
        "--apply", type=file_argument, metavar="LOG", help="with --fix: rename, and write a log to this file"
    )
    command.add_argument("--undo", type=file_argument, metavar="LOG", help="restore the old names of files from a log")
    add_root(command, "log")
    add_output_format(command, FORMATS)
    return command


def _form(name: str) -> Form:
    found = end_argument(name)
    if found.is_foreign:
        raise argparse.ArgumentTypeError(
            f"{found.name} is a legacy charset: --fix latin-1 and --fix cp1252 read the bytes of a name in one"
        )
    if found.unit_bits > 8:
        raise argparse.ArgumentTypeError(f"file names are bytes, but {found.name} has wider units")
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
    if options.undo and (options.fix or options.apply or options.paths or options.form is not UTF_8):
        raise UsageError("--undo cannot be combined with --fix, --apply, -f or PATH: the log names the files")
    if options.apply and not options.fix:
        raise UsageError("--apply needs --fix POLICY")
    if is_standard_output(options.apply):
        raise UsageError(f"--apply {shown(options.apply)}: the results go to standard output; write the log to a file")
    if options.root and not (options.apply or options.undo):
        raise UsageError("--root needs --apply or --undo")
    if STANDARD_INPUT in options.paths:
        raise UsageError("standard input has no names: name a folder, a zip or a tar (./- is the file called -)")
    if not options.undo and not options.paths:
        raise UsageError("no PATH: name a folder, a zip or a tar (. is the current folder)")
    if remote := [path for path in options.paths if is_remote(path)]:
        raise UsageError(f"{shown(remote[0])} is remote: copy it here first to read its names")
    if options.fix:
        try:
            Repairer(options.form, options.fix)
        except ValueError as error:
            raise UsageError(str(error)) from error
