"""Completion for zsh: a function for `_arguments`, as a file of $fpath or sourced."""

from __future__ import annotations

from collections.abc import Iterator

from eightfold.cli.commands.completion.template import filled
from eightfold.cli.commands.grammar import Argument, Command, commands, program

_SCRIPT = r"""#compdef eightfold
# Completion of eightfold for zsh, made by `eightfold completion zsh`.
_eightfold() {
    local curcontext="$curcontext" state line
    typeset -A opt_args
    _arguments -C \
@FLAGS@        '1: :->command' \
        '*:: :->arguments'
    case $state in
    command)
        local -a commands=(
@COMMANDS@        )
        _describe -t commands command commands ;;
    arguments)
        case $words[1] in
@ARGUMENTS@        esac ;;
    esac
}
if [[ "$funcstack[1]" == "_eightfold" ]]; then
    _eightfold "$@"
else
    compdef _eightfold eightfold
fi
"""


def script() -> str:
    """Return the script.

    >>> script().splitlines()[0]
    '#compdef eightfold'
    """
    found = commands()
    parts = {
        "FLAGS": "".join(f"        {spec} \\\n" for option in program().options for spec in _option(option)),
        "COMMANDS": "".join(f"            {_quoted(f'{each.name}:{each.summary}')}\n" for each in found),
        "ARGUMENTS": "".join(map(_arguments, found)),
    }
    return filled(_SCRIPT, parts)


def _arguments(command: Command) -> str:
    specs = [spec for option in command.options for spec in _option(option)]
    specs += [_quoted(f"*:{operand.metavar}:{_values(operand)}") for operand in command.operands]
    joined = " \\\n                ".join(["_arguments -s -S", *specs])
    return f"        {command.name})\n            {joined} ;;\n"


def _option(option: Argument) -> Iterator[str]:
    """Yield a spec for each spelling; one excludes the others, and a value may follow a long one after a sign."""
    excluded = f"({' '.join(option.flags)})" if len(option.flags) > 1 else ""
    value = f":{option.metavar}:{_values(option)}" if option.metavar else ""
    for flag in option.flags:
        takes = "=" if value and flag.startswith("--") else ""
        yield _quoted(f"{excluded}{flag}{takes}[{_plain(option.help)}]{value}")


def _values(argument: Argument) -> str:
    if argument.values.files:
        return "_files"
    return f"({' '.join(argument.values.words)})" if argument.values.words else " "


def _plain(text: str) -> str:
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
