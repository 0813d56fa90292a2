"""Completion for fish, 3.0 and newer: one `complete` for each thing that can be completed."""

from __future__ import annotations

from collections.abc import Iterator

from eightfold.cli.commands.grammar import Argument, Command, commands, program

_HEAD = "# Completion of eightfold for fish, made by `eightfold completion fish`.\ncomplete -c eightfold -f\n"


def script() -> str:
    """Return the script.

    >>> "complete -c eightfold -n __fish_use_subcommand -a check" in script()
    True
    """
    start = "__fish_use_subcommand"
    lines = [_line(start, *_option(option)) for option in program().options]
    lines += [_line(start, "-a", each.name, "-d", _quoted(each.summary)) for each in commands()]
    lines += [line for command in commands() for line in _command(command)]
    return _HEAD + "".join(lines)


def _command(command: Command) -> Iterator[str]:
    condition = _quoted(f"__fish_seen_subcommand_from {command.name}")
    yield from (_line(condition, *_option(option)) for option in command.options)
    for operand in command.operands:
        # fish shows a description of words; a file needs none.
        yield _line(condition, *_values(operand))


def _line(condition: str, *words: str) -> str:
    return f"complete -c eightfold -n {condition} {' '.join(words)}\n"


def _option(option: Argument) -> Iterator[str]:
    for flag in option.flags:
        yield from ("-l", flag[2:]) if flag.startswith("--") else ("-s", flag[1:])
    if option.metavar:
        yield "-r" if option.values.files else "-x"
        yield from _values(option)
    yield from ("-d", _quoted(option.help))


def _values(argument: Argument) -> Iterator[str]:
    if argument.values.files:
        yield "-F"
    elif argument.values.words:
        yield from ("-a", _quoted(" ".join(argument.values.words)))


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
