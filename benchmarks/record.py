"""Measure everything and store it: data, tables and plots, in a folder that git ignores. Or compare stored data.

Without options: measure every cell with the instruction set in use, and write the data (INSTRUCTION-SET.json) and the
tables (INSTRUCTION-SET.md) to the folder. Only the summary goes into docs/performance.md, with --page.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import __main__ as command
from benchmarks import cli, columns, comparison, peers, scaling, tables
from benchmarks.goals import COLUMNS
from benchmarks.results import MEASUREMENTS, Results, read, read_all, summary

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
SCALING, PROGRAMS, ARROW = "scaling", "cli", "columns"
COMPARING = """
With --compare, a cell is judged by its ratio to the peer: both sides were timed in turns on the same machine, so runs
of different days and machines can be compared, as long as the peers have the same versions. If the other side is
eightfold too, the ratio is multiplied by that side's own ratio to a peer in the same run; a cell without that is left
out. With several runs a cell has fallen or risen if most of the new runs have (two of three), each compared with the
median of the old ones.
"""


def measure(folder: Path, *, everything: bool) -> None:
    """Measure every cell and, if asked to, scaling and the command line; write data, tables and plots."""
    folder.mkdir(parents=True, exist_ok=True)
    column = Results(peers.machine(), ()).column
    command.main(["--json", str(folder / f"{column}.json")])
    if everything:
        scaling.main(["--json", str(folder / f"{SCALING}.json"), "--plots", str(folder)])
        cli.main(["--json", str(folder / f"{PROGRAMS}.json")])
        columns.main(["--json", str(folder / f"{ARROW}.json")])
    write_tables(folder)


def write_tables(folder: Path) -> None:
    """Write the tables of all data in a folder beside them."""
    for path in sorted(folder.glob("*.json")):
        path.with_suffix(".md").write_text("\n".join(_tables(path)) + "\n", encoding="utf-8")


def _tables(path: Path) -> list[str]:
    if path.stem == SCALING:
        return list(tables.of_scaling(json.loads(path.read_text(encoding="utf-8"))))
    if path.stem == ARROW:
        return columns.lines(json.loads(path.read_text(encoding="utf-8")))
    return list((cli.every_cell if path.stem == PROGRAMS else tables.cell_by_cell)(read(path)))


# --- the page ---------------------------------------------------------------------------------------------------------


def page(text: str, folder: Path) -> str:
    """Return the text of the page with the summary of the data in a folder between its marks."""
    found = {column: read(path) for column in COLUMNS if (path := folder / f"{column}.json").exists()}
    if found:
        text = between(text, "summary", "\n".join((*_measured_on(found), *tables.overview(found))))
    if (path := folder / f"{PROGRAMS}.json").exists():
        text = between(text, "programs", "\n".join(cli.overview(read(path))))
    return text


def _measured_on(found: dict[str, Results]) -> list[str]:
    machines = dict.fromkeys(tables.machine_of(results.machine) for results in found.values())
    met = (f"{summary(results.cells, column)}." for column, results in found.items())
    return [*machines, "", " ".join(met), ""]


def between(text: str, mark: str, lines: str) -> str:
    """Return a text with the lines between two marks replaced.

    Raises:
        ValueError: the marks are missing, or occur more than once.
    """
    pattern = rf"(<!-- {mark} -->\n).*?(<!-- end of {mark} -->)"
    written, count = re.subn(pattern, lambda found: f"{found[1]}\n{lines}\n\n{found[2]}", text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"the page has {count} places for {mark}")
    return written


# --- the command ------------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        "python -m benchmarks.record",
        description=__doc__,
        epilog=COMPARING,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--folder", type=Path, default=MEASUREMENTS, help="instead of benchmarks/measurements/")
    parser.add_argument("--all", action="store_true", help="also scaling with its plots, the command line and columns")
    parser.add_argument("--tables", action="store_true", help="measure nothing: write the tables of the data again")
    parser.add_argument("--page", action="store_true", help="measure nothing: write the summary in docs/performance.md")
    parser.add_argument(
        "--compare",
        nargs=2,
        action="append",
        type=Path,
        metavar=("OLD", "NEW"),
        help="measure nothing: say what changed from OLD to NEW, each a file that `python -m benchmarks --json` wrote"
        " or a folder of them; give it again for more runs; exit status 1 where a cell fell",
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit status."""
    given = parser().parse_args(arguments)
    if given.compare:
        return compare([old for old, _ in given.compare], [new for _, new in given.compare])
    if given.tables:
        write_tables(given.folder)
    elif given.page:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), given.folder), encoding="utf-8")
    else:
        measure(given.folder, everything=given.all)
    return 0


def compare(old: Sequence[Path], new: Sequence[Path]) -> int:
    """Print the changes and return 1 if a cell fell, 2 if there is nothing to compare."""
    try:
        before, after = ([run for path in paths for run in read_all(path)] for paths in (old, new))
    except (OSError, ValueError) as error:
        print(f"cannot compare: {error}", file=sys.stderr)
        return 2
    found = comparison.compare(before, after)
    if not found.changes:
        print("cannot compare: the runs have no cell in common that leads to a peer", file=sys.stderr)
        return 2
    for line in comparison.differences(before, after):
        print(f"warning: {line}", file=sys.stderr)
    print(*comparison.lines(found), sep="\n")
    return int(bool(found.fallen))


if __name__ == "__main__":
    sys.exit(main())
