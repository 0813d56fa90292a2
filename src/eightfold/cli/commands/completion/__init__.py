"""`eightfold completion`: what makes a shell complete the command line, made from the parsers. One file per shell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from eightfold.cli.options.arguments import CommandParser, OneOf
from eightfold.cli.output.ending import NOTHING_WRONG
from eightfold.cli.output.lines import put

SHELLS = ("bash", "zsh", "fish", "powershell")


@dataclass
class Options:
    """What `completion` is asked for."""

    shell: str = ""


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "completion",
        "[OPTIONS] SHELL",
        "Print a script that completes commands, options, forms, policies and files when\n"
        "you press Tab. It is generated from the same tables as this help, and needs only\n"
        "the shell. Save it where the shell looks for it:\n\n"
        "  bash  ~/.local/share/bash-completion/completions/eightfold\n"
        "  zsh   _eightfold, in a folder of $fpath\n"
        "  fish  ~/.config/fish/completions/eightfold.fish\n\n"
        "PowerShell has no such place: load the script in your $PROFILE.",
        [
            ("eightfold completion fish > ~/.config/fish/completions/eightfold.fish", "in every new fish"),
            ('eval "$(eightfold completion bash)"', "in this bash, now"),
            ("source <(eightfold completion zsh)", "in ~/.zshrc, after compinit"),
            (
                "eightfold completion powershell | Out-String | Invoke-Expression",
                "in the $PROFILE of PowerShell",
            ),
        ],
    )
    command.add_argument("shell", type=OneOf(SHELLS), metavar="SHELL", help=f"{', '.join(SHELLS[:-1])} or {SHELLS[-1]}")
    return command


def run(options: Options) -> int:
    """Print the script; return the exit status."""
    put(_script(options.shell)(), end="")
    return NOTHING_WRONG


def _script(shell: str) -> Callable[[], str]:
    if shell == "bash":
        from eightfold.cli.commands.completion.bash import script
    elif shell == "zsh":
        from eightfold.cli.commands.completion.zsh import script
    elif shell == "powershell":
        from eightfold.cli.commands.completion.powershell import script
    else:
        from eightfold.cli.commands.completion.fish import script
    return script
