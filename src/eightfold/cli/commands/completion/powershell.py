"""Completion for PowerShell, 5.1 and newer. Where nothing is offered, PowerShell itself completes names of files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eightfold.cli.commands.completion.template import filled
from eightfold.cli.commands.grammar import Argument, Command, commands, program

_SCRIPT = r"""# Completion of eightfold for PowerShell, made by `eightfold completion powershell`.
Register-ArgumentCompleter -Native -CommandName eightfold -ScriptBlock {
    param($word, $ast, $position)
    $before = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { "$_" })
    $command = if ($before.Count -gt 1) { $before[1] } else { '' }
    # What follows -- is not an option, whatever it begins with.
    $ended = $before -contains '--'
    $isOption = $word.StartsWith('-') -and -not $ended
    $last = if ($before.Count -gt 2 -and -not $ended) { $before[-1] } else { '' }
    $prefix = ''
    # A value may follow an option after an equals sign, in the same word.
    if ($isOption -and $word -match '^(--[a-z-]+=)(.*)$') {
        $prefix = $Matches[1]
        $last = $prefix.TrimEnd('=')
        $word = $Matches[2]
    }
    $words = switch -CaseSensitive ("$command $last") {
@VALUES@        default {
            switch -CaseSensitive ($command) {
                '' { if ($isOption) { @FLAGS@ } else { @COMMANDS@ } }
@ARGUMENTS@            }
        }
    }
    $words | Where-Object { $_ -and $_.StartsWith($word, [StringComparison]::Ordinal) } | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new("$prefix$_", $_, 'ParameterValue', $_)
    }
}
"""


def script() -> str:
    """Return the script.

    >>> "Register-ArgumentCompleter -Native -CommandName eightfold" in script()
    True
    """
    found = commands()
    parts = {
        "VALUES": "".join(line for command in found for line in _values(command)),
        "ARGUMENTS": "".join(map(_arguments, found)),
        "COMMANDS": _array(command.name for command in found),
        "FLAGS": _array(_flags(program())),
    }
    return filled(_SCRIPT, parts)


def _values(command: Command) -> Iterator[str]:
    for option in command.options:
        for flag in option.flags if option.metavar else ():
            yield f"        '{command.name} {flag}' {{ {_words(option)}; break }}\n"


def _arguments(command: Command) -> str:
    operands = _array(word for operand in command.operands for word in operand.values.words)
    flags = _array(_flags(command))
    return f"                '{command.name}' {{ if ($isOption) {{ {flags} }} else {{ {operands} }} }}\n"


def _flags(command: Command) -> Iterator[str]:
    return (flag for option in command.options for flag in option.flags)


def _words(argument: Argument) -> str:
    return _array(() if argument.values.files else argument.values.words)


def _array(words: Iterable[str]) -> str:
    return f"@({', '.join(map(_quoted, words))})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
