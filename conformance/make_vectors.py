"""Write the vectors, the rules and their page, from the forms of eightfold.

python conformance/make_vectors.py            # write them
python conformance/make_vectors.py --check    # exit 1 where they are not what the forms give
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))

from generator.rules import all_rules  # noqa: E402
from generator.vectors import VERSION, files  # noqa: E402


def _page(rules: dict[str, str]) -> str:
    sections = "".join(f"\n## {name}\n\n{statement}\n" for name, statement in rules.items())
    return (
        f"# The rules\n\nThe rules that the vectors test, version {VERSION}. Each vector names one; its `source` is "
        f"the document that the rule comes from. `make_vectors.py` writes this page.\n{sections}"
    )


def texts() -> dict[Path, str]:
    """Return every file that this program writes."""
    rules = all_rules()
    made = {FOLDER / "vectors" / name: text for name, text in files().items()}
    made[FOLDER / "rules.json"] = json.dumps(rules, indent=1) + "\n"
    made[FOLDER / "RULES.md"] = _page(rules)
    return made


def stale(made: dict[Path, str]) -> list[Path]:
    """Return the files that differ from what they should be, and vectors of no form."""
    known = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    return known + [path for path in sorted((FOLDER / "vectors").glob("*.jsonl")) if path not in made]


def main() -> int:
    """Write the files, or check them; return the exit status."""
    parser = argparse.ArgumentParser(description="Write the vectors, the rules and their page, from the forms.")
    parser.add_argument("--check", action="store_true", help="exit 1 where they are not what the forms give")
    only_checks = parser.parse_args().check
    made = texts()
    wrong = stale(made)
    if only_checks:
        for path in wrong:
            print(f"{path} is not what the forms give: run {Path(__file__).name}", file=sys.stderr)
        return int(bool(wrong))
    for path in wrong:
        if path in made:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made[path], encoding="utf-8", newline="\n")
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
