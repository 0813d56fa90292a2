"""Write what is generated, or check that it is current."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from docs.generator import fault_page, form_pages, name_pages, pictures, policy_page, readme

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "docs" / "reference", ROOT / "docs" / "images")
"""Folders in which every file is generated, apart from those in `WRITTEN_BY_HAND`."""
WRITTEN_BY_HAND = {"docs/reference/index.md", "docs/reference/json.md"}


def generated() -> dict[str, str]:
    """Return the contents of every generated file, by its path from the root of the project."""
    found: dict[str, str] = {}
    for part in (form_pages, fault_page, policy_page, name_pages, pictures, readme):
        found.update(part.files())
    return found


def stale(made: dict[str, str]) -> Iterator[str]:
    """Yield a sentence for each file that is missing, differs, or should no longer be there."""
    for name, text in made.items():
        path = ROOT / name
        if not path.is_file():
            yield f"{name} is missing"
        elif path.read_text(encoding="utf-8") != text:
            yield f"{name} is not current"
    for path in left_over(made):
        yield f"{path.relative_to(ROOT).as_posix()} is not generated any more"


def left_over(made: dict[str, str]) -> list[Path]:
    """Return the files in the generator's folders that it does not write."""
    there = [path for folder in FOLDERS for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path for path in there if path.relative_to(ROOT).as_posix() not in {*made, *WRITTEN_BY_HAND}]


def main(arguments: list[str]) -> int:
    """Write or check; return the exit status."""
    if arguments not in ([], ["--check"]):
        print(__doc__, "usage: python -m docs.generator [--check]", file=sys.stderr)
        return 2
    made = generated()
    if arguments:
        wrong = list(stale(made))
        print("\n".join([*wrong, "run: python -m docs.generator"] if wrong else []), end="\n" if wrong else "")
        return 1 if wrong else 0
    for path in left_over(made):
        path.unlink()
    for name, text in made.items():
        (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / name).write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
