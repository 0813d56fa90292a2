"""Completion for bash, 3.2 and newer. Names of files are left to bash itself, which knows how to quote them."""

from __future__ import annotations

from collections.abc import Iterator

from eightfold.cli.commands.completion.template import filled
from eightfold.cli.commands.grammar import Argument, Command, commands, program

_SCRIPT = r"""# Completion of eightfold for bash, made by `eightfold completion bash`.
_eightfold() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= at
    COMPREPLY=()
    # bash splits --option=value at the equals sign.
    if [[ $word == "=" ]]; then
        word=
    elif [[ $before == "=" ]]; then
        before=${COMP_WORDS[COMP_CWORD-2]}
    fi
    if [[ $COMP_CWORD -eq 1 ]]; then
        before=
    fi
    # What follows -- is not an option, whatever it begins with.
    local begins=$word
    for ((at = 2; at < COMP_CWORD; at++)); do
        [[ ${COMP_WORDS[at]} == "--" ]] && before= begins=
    done
    case "${COMP_WORDS[1]} $before" in
@VALUES@    *)
        if [[ $COMP_CWORD -eq 1 ]]; then
            words="@COMMANDS@"
            [[ $word == -* ]] && words="@FLAGS@"
        else
            case "${COMP_WORDS[1]}" in
@ARGUMENTS@            esac
        fi ;;
    esac
    # Without words bash completes names of files: leave it to that where a file may stand, and nowhere else.
    if [[ $words == "<files>" ]]; then
        return
    fi
    compopt +o default +o bashdefault 2>/dev/null
    COMPREPLY=( $(compgen -W "$words" -- "$word") )
}
complete -o bashdefault -o default -F _eightfold eightfold
"""


def script() -> str:
    """Return the script.

    >>> "complete -o bashdefault -o default -F _eightfold eightfold" in script()
    True
    """
    found = commands()
    parts = {
        "VALUES": "".join(line for command in found for line in _values(command)),
        "ARGUMENTS": "".join(line for command in found for line in _arguments(command)),
        "COMMANDS": " ".join(command.name for command in found),
        "FLAGS": _flags(program()),
    }
    return filled(_SCRIPT, parts)


def _values(command: Command) -> Iterator[str]:
    for option in command.options:
        if option.metavar:
            patterns = " | ".join(f'"{command.name} {flag}"' for flag in option.flags)
            yield f'    {patterns})\n        words="{_words(option)}" ;;\n'


def _arguments(command: Command) -> Iterator[str]:
    operands = " ".join(filter(None, map(_words, command.operands)))
    yield f"            {command.name})\n"
    yield f'                words="{operands}"\n'
    yield f'                [[ $begins == -* ]] && words="{_flags(command)}" ;;\n'


def _flags(command: Command) -> str:
    return " ".join(flag for option in command.options for flag in option.flags)


def _words(argument: Argument) -> str:
    return "<files>" if argument.values.files else " ".join(argument.values.words)
