"""The manual as Markdown, for the docs on the command line. Its blocks are labelled `text`: they are not run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eightfold.cli.commands.grammar import Argument, Command, commands, program
from eightfold.cli.commands.manual.contents import ENVIRONMENT, STATUSES, blocks


def page() -> str:
    """Return the page.

    >>> page().splitlines()[0]
    '# The command line'
    """
    return "\n\n".join(_paragraphs()) + "\n"


def _paragraphs() -> Iterator[str]:
    found = program()
    yield "# The command line"
    yield "<!-- Made by: eightfold manual --output-format markdown > docs/cli.md -->"
    yield _text(found.synopsis)
    yield (
        "Results go to standard output, messages to standard error. `-` or no path is standard input; a folder is "
        "walked. This page has the same contents as `eightfold COMMAND --help` and as the manual page, which "
        "[`eightfold manual`](#eightfold-manual) prints. [`eightfold completion`](#eightfold-completion) sets up "
        "completion in bash, zsh, fish and PowerShell."
    )
    yield _listed("command", {f"[`{each.name}`](#eightfold-{each.name})": each.summary for each in commands()})
    yield from ("## Exit status", _listed("status", _quoted(STATUSES)))
    yield from ("## Environment", _listed("variable", _quoted(ENVIRONMENT)))
    for command in commands():
        yield from _command(command)
    yield from ("## Forms", *_described(found.after.partition(":")[2]))


def _command(command: Command) -> Iterator[str]:
    yield from (f"## eightfold {command.name}", _text(command.synopsis), *_described(command.description))
    yield _listed("argument", dict(_arguments((*command.operands, *command.options))))
    yield from _described(command.after)
    yield "Examples:"
    yield _text("\n".join(f"# {purpose}\n{line}" for line, purpose in command.examples))


def _arguments(arguments: Iterable[Argument]) -> Iterator[tuple[str, str]]:
    for each in arguments:
        argument_words = " ".join(filter(None, (", ".join(each.flags), each.metavar)))
        yield f"`{argument_words}`", each.help


def _described(text: str) -> Iterator[str]:
    return (_text(block.text) if block.verbatim else block.text for block in blocks(text))


def _quoted(meanings: dict[str, str]) -> dict[str, str]:
    return {f"`{name}`": meaning for name, meaning in meanings.items()}


def _listed(title: str, meanings: dict[str, str]) -> str:
    rows = [f"| {name} | {meaning.replace('|', chr(92) + '|')} |" for name, meaning in meanings.items()]
    return "\n".join((f"| {title} | |", "| --- | --- |", *rows))


def _text(lines: str) -> str:
    return f"```text\n{lines}\n```"
