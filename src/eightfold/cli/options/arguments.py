"""What the arguments of commands share: the parser, the paths, the forms. Options of one command are in its file.

A command's options are a dataclass, which the parser fills: its fields are the options' names, and their defaults.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from eightfold.cli.options.setting import Setting, Unstored
from eightfold.cli.output import colour
from eightfold.cli.output.ending import UsageError
from eightfold.cli.output.lines import put, say
from eightfold.extras import installing
from eightfold.files.path_text import shown
from eightfold.forms import Form, form, unknown_form

if TYPE_CHECKING:
    from eightfold.files.walk.globs import Pattern

_Options = TypeVar("_Options")
_HELP_COLUMNS = 78
_MOST_DIGITS = 20
_LONGEST_OPTION = 80
_LIKENESS = 0.75


class CommandParser(argparse.ArgumentParser):
    """The parser of one command. Its help looks the same in every Python; wrong use is reported in one line.

    Args:
        command: its name, empty for the program itself.
        synopsis: what follows the name.
        description: what it does.
        examples: pairs of a command line and its purpose.
        after: more to read after the options.
    """

    def __init__(
        self, command: str, synopsis: str, description: str, examples: Iterable[tuple[str, str]] = (), after: str = ""
    ) -> None:
        name = f"eightfold {command}".strip()
        self.synopsis: str = synopsis
        self.examples: tuple[tuple[str, str], ...] = tuple(examples)
        self.after: str = after
        self.reads_input: bool = False
        """Whether - among its paths is standard input."""
        shown = [f"  {line}\n      {purpose}" for line, purpose in self.examples]
        super().__init__(
            prog=name,
            usage=f"{name} {synopsis}",
            description=description,
            epilog="\n".join((*("examples:",) * bool(shown), *shown, *(after,) * bool(after))),
            formatter_class=_HelpFormatter,
            allow_abbrev=False,
        )
        if command:
            self.add_argument(
                "--color",
                type=OneOf(colour.WHEN),
                action=_ChooseColour,
                metavar="WHEN",
                help="auto (if the terminal supports it, the default), always or never",
            )

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments.

        Raises:
            UsageError: always.
        """
        raise UsageError(f"{shown(message)} (see {self.prog} --help)")

    def format_help(self) -> str:
        """Return the help, as wide as the terminal."""
        from eightfold.cli.output.prose import columns

        self.formatter_class = partial(_HelpFormatter, width=columns() - 2)
        return super().format_help()

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help or the version; argparse itself ignores errors in writing."""
        if file is sys.stderr and file is not None:
            super()._print_message(message, file)
        else:
            put(message, end="")

    def options(self, arguments: Sequence[str], into: _Options) -> _Options:
        """Fill the options of a command from its arguments, paths and options in any order.

        Raises:
            UsageError: the command does not accept them.
        """
        given = list(arguments)
        if "--" in given:
            # Python reads the arguments twice, and has lost the `--` by the second time.
            end = given.index("--")
            # A path of that name would be lost too.
            given[end:] = (_Path("./--" if each == "--" else each) for each in given[end + 1 :])
        found, unknown = self.parse_known_intermixed_args(given, into)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._hint(unknown)}")
        if self.reads_input and len(vars(found)["paths"]) > 1:
            self._check_read_once(vars(found)["paths"])
        return found

    def _check_read_once(self, paths: Sequence[str]) -> None:
        from eightfold.files.read.reading import draining_standard_input

        reading = draining_standard_input(paths)
        if len(reading) > 1:
            first, second = reading[:2]
            twice = f"{first} is given twice" if first == second else f"{first} and {second} are the same"
            self.error(f"{twice}: standard input can be read only once")

    def _hint(self, unknown: Sequence[str]) -> str:
        """Return which option the first unknown one may stand for."""
        from difflib import get_close_matches

        asked = next((each.partition("=")[0][:_LONGEST_OPTION] for each in unknown if each.startswith("--")), "")
        flags = [flag for flag in self._option_string_actions if flag.startswith("--")]
        begun = [flag for flag in flags if flag.startswith(asked)] if asked.strip("-") else []
        near = begun or get_close_matches(asked, flags, n=1, cutoff=_LIKENESS)
        return f"; did you mean {' or '.join(near)}?" if near else ""

    def _parse_optional(self, arg_string: str) -> Any:
        return None if isinstance(arg_string, _Path) else super()._parse_optional(arg_string)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        return super()._get_values(action, _Values(arg_strings))


class _Path(str):
    """An argument after `--`, which is not an option, whatever it begins with."""


class _Values(list[str]):
    """The values of an argument: a `--` among them is a value too, though Python would drop it (before 3.13)."""

    def remove(self, value: str, /) -> None:
        """Remove nothing."""


class _ChooseColour(Unstored):
    """Sets the colour of the program."""

    def __call__(self, parser: object, options: object, when: Any, flag: str | None = None) -> None:
        colour.choose(when)
        if when == "always" and not colour.can_draw():
            say(f"--color always needs rich: {installing('cli')}")


class _ChooseForm(argparse.Action):
    """Sets the form, and records that it was given: by default a file may turn out to be in another form."""

    def __call__(self, parser: object, options: object, form: Any, flag: str | None = None) -> None:
        vars(options).update(form=form, form_is_given=True)


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str, **options: Any) -> None:
        # argparse makes one for each argument too, and would look up the width for each, with many imports.
        super().__init__(prog, **{"width": _HELP_COLUMNS, **options})

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        from eightfold.cli.output.prose import refilled

        return refilled(text, self._width + 2)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        # Python 3.13 changed this from `-f FORM, --form FORM`.
        if not action.option_strings:
            return str(action.metavar)
        value = "" if action.nargs == 0 else f" {action.metavar}"
        return ", ".join(action.option_strings) + value


def add_paths(parser: CommandParser) -> None:
    """Add the paths of the files; without any, standard input is read."""
    parser.reads_input = True
    parser.add_argument(
        "paths",
        nargs="*",
        type=path_argument,
        metavar="PATH",
        help="a file, a URL, a folder (all files in it), or - for standard input",
    )


def path_argument(given: str) -> str:
    """Return a path.

    Raises:
        argparse.ArgumentTypeError: it is empty (an unset shell variable?).
    """
    if not given:
        raise argparse.ArgumentTypeError("empty path (an unset shell variable?); use - for standard input")
    return str(given)


def file_argument(given: str) -> str:
    """Return the path of a file that a command writes, or reads besides its PATHs.

    Raises:
        argparse.ArgumentTypeError: it is empty (an unset shell variable?), or can only be that of a folder.
    """
    if place_argument(given).endswith(("/", os.sep)):
        raise argparse.ArgumentTypeError(f"{shown(given)} is a folder: name a file")
    return given


def place_argument(given: str) -> str:
    """Return the path of a file or a folder, besides the PATHs of a command.

    Raises:
        argparse.ArgumentTypeError: it is empty (an unset shell variable?).
    """
    if not given:
        raise argparse.ArgumentTypeError("empty path (an unset shell variable?)")
    return given


def add_form(parser: CommandParser, *, foreign: bool = False, wide: bool = True) -> None:
    """Add the option for the form of the input; `foreign` admits legacy charsets, and not `wide` means 8-bit forms."""
    which, also = "form" if wide else "8-bit form", ", a legacy charset" * foreign
    parser.add_argument(
        *("-f", "--form"),
        type=end_or_auto if foreign else form_or_auto,
        action=_ChooseForm,
        metavar="FORM",
        help=f"the {which} of the input{also}, or auto to identify it (default: utf-8)",
    )


def add_jobs(parser: CommandParser, verb: str, default: str = "one per processor, as 0") -> None:
    """Add the option for the number of parallel jobs."""
    parser.add_argument(
        *("-j", "--jobs"),
        type=count_argument,
        action=Setting,
        metavar="N",
        help=f"{verb} N files, or parts of a large one, at once (default: {default}); the output is the same",
    )


def add_output_format(parser: CommandParser, formats: Sequence[str]) -> None:
    """Add the option for the format of the results; the first of the formats is the default."""
    parser.add_argument(
        "--output-format",
        type=OneOf(formats),
        metavar="FORMAT",
        help=f"{' or '.join(formats)} (default: {formats[0]})",
    )


def form_argument(name: str) -> Form:
    """Return the form that a command means by a name; Corrected UTF-8 in files is always the one with magic number.

    Raises:
        argparse.ArgumentTypeError: there is none; the message suggests similar names.
    """
    found = end_argument(name)
    if found.is_foreign:
        raise argparse.ArgumentTypeError(
            f"{found.name} is a legacy charset, which only check and convert read: "
            f"try eightfold convert -f {found.name} -t utf-8"
        )
    return found


def end_argument(name: str) -> Form:
    """Return the form that a command means by a name, as :func:`form_argument`, or the legacy charset.

    Raises:
        argparse.ArgumentTypeError: there is neither; the message suggests similar names.
    """
    try:
        return in_files(end_named(name))
    except LookupError as error:
        raise argparse.ArgumentTypeError(
            f"{error.args[0]}; `eightfold --help` lists the forms, `eightfold table` the legacy charsets too"
        ) from None


def end_named(name: str) -> Form:
    """Return the form, or the legacy charset, with this name.

    Raises:
        LookupError: there is neither; the message suggests similar names.
    """
    try:
        return form(name)
    except LookupError:
        from eightfold.legacy import charset, charsets  # Most runs need none.

        with suppress(LookupError):
            return charset(name)
        raise unknown_form(name, [each.name for each in charsets()]) from None


def in_files(found: Form) -> Form:
    """Return the form that files of a form have: Corrected UTF-8 begins with its magic number there."""
    return form("corrected-utf-8-sig") if found.name == "corrected-utf-8" else found


def form_or_auto(name: str) -> Form | None:
    """Return the form that a command means by a name, or None for ``auto``; see :func:`form_argument`."""
    return None if name == "auto" else form_argument(name)


def end_or_auto(name: str) -> Form | None:
    """Return what :func:`end_argument` does, or None for ``auto``."""
    return None if name == "auto" else end_argument(name)


def mapped(glob: Pattern, given: str) -> Pattern:
    """Return the pattern of files that are given a form.

    Raises:
        argparse.ArgumentTypeError: it is negated.
    """
    if glob.negated:
        says = "is negated, but the last match wins: name the form of these files"
        raise argparse.ArgumentTypeError(f"'{shown(given, 100)}' {says}")
    return glob


class OneOf:
    """The type of an option that takes one of these names."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names: tuple[str, ...] = tuple(names)

    def __call__(self, name: str) -> str:
        """Return the name.

        Raises:
            argparse.ArgumentTypeError: it is not one of them.
        """
        if name not in self.names:
            raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(self.names)}")
        return name


def count_argument(given: str) -> int:
    """Return a number of things, 0 or more; more than any object can have are as many as one can have.

    Raises:
        argparse.ArgumentTypeError: it is not one.
    """
    if not (given.isascii() and given.isdigit()):
        raise argparse.ArgumentTypeError(f"{given!r} is not a non-negative integer")
    digits = given.lstrip("0")[:_MOST_DIGITS]  # Python reads no more than 4,300.
    return min(int(digits or "0"), sys.maxsize)
