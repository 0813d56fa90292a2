"""Docs fail like code: every ``python`` and ``console`` block of the README and of docs/ is run.

A page is run from top to bottom in one empty folder that holds a copy of examples/. Its ``python`` blocks share one
namespace; a block with ``>>>`` in it is a doctest, any other a script. Of the ``console`` blocks those that call
eightfold are run by bash, and what they show must be what they print; ``...`` stands for anything. Blocks that are not
to be run are labelled ``text``.
"""

from __future__ import annotations

import doctest
import inspect
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import pytest

import eightfold
from eightfold.cli.commands import COMMANDS
from support.command_line import PATIENCE

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^(?P<indent> *)```(?P<label>[\w-]*)\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
CALLS_EIGHTFOLD = re.compile(r"^\$ (?:.*[|;&(] *)?(?:python3? -m )?eightfold\b", re.MULTILINE)
LOOK_ALIKES = {"bash", "doctest", "py", "pycon", "python3", "sh", "shell", "shell-session", "zsh"}
"""Labels of blocks that look as if they were run, and would not be."""
MARK = "--- next command ---"


class Block(NamedTuple):
    label: str
    line: int
    body: str


def blocks(page: str) -> list[Block]:
    return [
        Block(found["label"], page.count("\n", 0, found.start("body")), dedent(found["body"]))
        for found in FENCE.finditer(page)
    ]


class WithoutNotes(doctest.OutputChecker):
    """Compares without the notes that Python 3.12 and 3.13 add to the exceptions of codecs."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        told = re.sub(r"^(en|de)coding with '.*' codec failed\n", "", got, flags=re.MULTILINE)
        return super().check_output(want, told, optionflags)


def run_python(block: Block, where: str, namespace: dict[str, object]) -> str:
    """Run a block, and return what went wrong, or nothing."""
    if ">>>" not in block.body:
        exec(compile("\n" * block.line + block.body, where, "exec"), namespace)
        return ""
    test = doctest.DocTestParser().get_doctest(block.body, namespace, where, where, block.line)
    report: list[str] = []
    runner = doctest.DocTestRunner(WithoutNotes(), optionflags=doctest.ELLIPSIS)
    runner.run(test, out=report.append, clear_globs=False)
    namespace.update(test.globs)
    return "".join(report)


def commands(body: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block and what it is said to print."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        count = 1
        while lines[count - 1].endswith("\\\n") or (lines[count : count + 1] and lines[count].startswith("> ")):
            count += 1
        yield "".join(line.removeprefix("> ") for line in lines[:count]), "".join(lines[count:])


def run_console(block: Block, folder: Path) -> str:
    """Run the commands of a block in one shell, and return where they print something else, or nothing."""
    given = list(commands(block.body))
    # The mark keeps the exit status of the command before it, so that a block can show `echo $?`.
    mark = f'_mark() {{ local status=$?; printf "\\n%s\\n" "{MARK}"; return $status; }}\n'
    script = mark + "".join(f"{command}_mark\n" for command, _ in given)
    scripts = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "PYTHONUNBUFFERED": "1"}
    environment.update(LC_ALL="C.UTF-8", NO_COLOR="1", COLUMNS="100")
    ran = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
    )
    printed = ran.stdout.decode().split(f"\n{MARK}\n")[:-1]
    report, checker = "", doctest.OutputChecker()
    for (command, expected), got in zip(given, printed, strict=True):
        got = got if not got or got.endswith("\n") else f"{got}\n"
        if not checker.check_output(expected, got, doctest.ELLIPSIS):
            report += f"$ {command}shown:\n{expected}printed:\n{got}"
    return report


def packages(page: str) -> set[str]:
    """Return the packages of others that the python blocks of a page import."""
    bodies = "".join(block.body for block in blocks(page) if block.label == "python")
    imported = re.findall(r"^(?:>>> |\.\.\. )? *(?:import|from) (\w+)", bodies, re.MULTILINE)
    return {name for name in imported if name not in {*sys.stdlib_module_names, "eightfold"}}


def run_page(page: str, where: str, folder: Path) -> str:
    """Run the blocks of a page in a folder that is the working directory, and return what went wrong, or nothing."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    report = ""
    for block in blocks(page):
        wrong = ""
        if block.label == "python":
            wrong = run_python(block, where, namespace)
        elif block.label == "console" and CALLS_EIGHTFOLD.search(block.body):
            wrong = run_console(block, folder)
        report += wrong and f"{where}:{block.line}\n{wrong}\n"
    return report


needs_bash = pytest.mark.skipif(sys.platform == "win32", reason="console blocks are written for bash on POSIX systems")


@needs_bash
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_blocks_of_a_page_hold(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if (ROOT / "examples").is_dir():
        shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    for package in packages(page.read_text(encoding="utf-8")):
        pytest.importorskip(package, reason=f"the page needs {package}: pip install 'eightfold[dev,peers]'")
    report = run_page(page.read_text(encoding="utf-8"), str(page), tmp_path)
    assert not report, report


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_block_only_looks_as_if_it_were_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = blocks(text)
    assert not LOOK_ALIKES & {block.label for block in found}
    assert "mkdtemp(" not in text, "nobody would remove the folder"
    assert len(re.findall(r"^ *```", text, re.MULTILINE)) == 2 * len(found)


def test_the_readme_has_blocks_of_both_kinds() -> None:
    found = blocks((ROOT / "README.md").read_text(encoding="utf-8"))
    assert sum(block.label == "python" for block in found) >= 3
    assert any(block.label == "console" and CALLS_EIGHTFOLD.search(block.body) for block in found)


def first_column(text: str, title: str) -> list[str]:
    """Return the names that the table of a section begins its lines with."""
    section = text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `([a-z0-9-]+)` \|", section, re.MULTILINE)


def test_the_readme_names_every_form_verb_and_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert first_column(text, "The family") == [form.name for form in eightfold.forms()]
    assert first_column(text, "The command") == list(COMMANDS)
    verbs = [name for name in eightfold.__all__ if inspect.isroutine(getattr(eightfold, name))]
    assert [name for name in verbs if f"`{name}(" not in text] == []


# --- planted faults ---------------------------------------------------------------------------------------------------


@needs_bash
@pytest.mark.parametrize(
    "body",
    [
        "```python\n>>> 1 + 1\n2\n```",
        "```python\nname = 'x'\n```\nand then\n```python\n>>> name\n'x'\n```",
        "  1. in a list\n     ```python\n     >>> 1 + 1\n     2\n     ```",
        "```console\n$ eightfold --version\neightfold 0...\n$ echo $?\n0\n```",
        "```console\n$ printf '\\377' | eightfold check\n-:1:1: invalid-byte: ...\n$ echo $?\n1\n```",
        "```console\n$ printf 'a' > made\n$ eightfold check \\\n    made && cat made\n...\na\n```",
        "```console\n$ for each in 1 2; do\n>   eightfold --version; done\neightfold ...\neightfold ...\n```",
        "```console\n$ pip install eightfold\nnot run\n```",
        "```text\n$ eightfold nonsense\n```",
    ],
)
def test_a_page_that_tells_the_truth_passes(body: str, tmp_path: Path) -> None:
    assert run_page(f"# Page\n\n{body}\n", "page", tmp_path) == ""


@needs_bash
@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("```python\n>>> 1 + 1\n3\n```", "Expected:"),
        ("```python\n>>> raise KeyError\n```", "KeyError"),
        ("```python\n>>> x = 1\n```\n```python\n>>> x\n2\n```", "Expected:"),
        ("```console\n$ eightfold --version\neightfold 99\n```", "shown:\neightfold 99\nprinted:\neightfold "),
        ("```console\n$ eightfold --version\n```", "shown:\nprinted:\neightfold "),
        ("```console\n$ python -m eightfold --version\nother\n```", "shown:\nother\n"),
        ("```console\n$ true | eightfold check\n...\n$ echo $?\n1\n```", "shown:\n1\nprinted:\n0\n"),
    ],
)
def test_a_page_that_does_not_is_caught(body: str, says: str, tmp_path: Path) -> None:
    report = run_page(f"# Page\n\n{body}\n", "page", tmp_path)
    assert says in report
    assert report.startswith("page:")


def test_a_script_that_raises_is_caught(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run_page("```python\nassert 1 + 1 == 3\n```\n", "page", tmp_path)
