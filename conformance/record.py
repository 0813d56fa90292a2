"""Ask every adapter that is set up, and write scoreboard.json and docs/conformance.md.

python conformance/record.py            # ask, and write both
python conformance/record.py --check    # exit 1 if the page is not what scoreboard.json says
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))

from runner.adapters import Adapter, adapters  # noqa: E402
from runner.as_markdown import page  # noqa: E402
from runner.program import Program  # noqa: E402
from runner.scores import entry, score, totals, was_asked  # noqa: E402
from runner.vectors import Vector, manifest, read  # noqa: E402

OWN = "eightfold"
BOARD = FOLDER / "scoreboard.json"
PAGE = FOLDER.parent / "docs" / "conformance.md"


def board_of(chosen: list[Adapter], vectors: list[Vector]) -> dict[str, Any]:
    """Ask programs, and return the scoreboard without what was not asked."""
    notes = json.loads((FOLDER / "notes.json").read_text(encoding="utf-8"))
    agreed: set[str] = set()
    programs = []
    for adapter in chosen:
        with Program(adapter.command) as program:
            scores = score(program, vectors, agreed.add if adapter.name != OWN else lambda identity: None)
            each = entry(adapter.name, program, scores)
        not_asked = totals(scores)["not asked"]
        asked = {form: {rule: row for rule, row in rules.items() if was_asked(row)} for form, rules in scores.items()}
        each["forms"] = {form: rules for form, rules in asked.items() if rules}
        programs.append({**each, "not asked": not_asked, "note": notes[adapter.name]})
    return {"vectors": manifest()["version"], "confirmed": confirmed(vectors, agreed), "programs": programs}


def confirmed(vectors: list[Vector], agreed: set[str]) -> dict[str, dict[str, int]]:
    """Return by form how many vectors there are without `faults`, and how many someone else answered as expected."""
    counts: dict[str, dict[str, int]] = {}
    for vector in vectors:
        if vector["op"] != "faults":
            row = counts.setdefault(vector["form"], {"vectors": 0, "confirmed": 0})
            row["vectors"] += 1
            row["confirmed"] += vector["id"] in agreed
    return counts


def main() -> int:
    """Record, or check; return the exit status."""
    parser = argparse.ArgumentParser(description="Ask every adapter that is set up, and write the scoreboard.")
    parser.add_argument("--check", action="store_true", help="exit 1 if the page is not what scoreboard.json says")
    if parser.parse_args().check:
        board = json.loads(BOARD.read_text(encoding="utf-8"))
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page(board):
            return 0
        print(f"{PAGE} is not what {BOARD.name} says: run {Path(__file__).name}", file=sys.stderr)
        return 1
    known = adapters()
    for each in known.values():
        if each.missing():
            print(f"{each.name}: {each.missing()}; it is not recorded", file=sys.stderr)
    board = board_of([each for each in known.values() if not each.missing()], read([], []))
    BOARD.write_text(json.dumps(board, indent=1) + "\n", encoding="utf-8", newline="\n")
    PAGE.write_text(page(board), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
