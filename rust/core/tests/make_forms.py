"""Write `forms.json`, the tables of every form, for the tests and benchmarks of the core that run without Python.

python rust/core/tests/make_forms.py            # write it
python rust/core/tests/make_forms.py --check    # exit 1 where it is not what the forms give
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from eightfold import FaultRow, Form, Row, forms

TARGET = Path(__file__).with_name("forms.json")


def _row(row: Row) -> dict[str, Any]:
    return {"first": row.first, "last": row.last, "ranges": row.unit_ranges}


def _fault_row(row: FaultRow) -> dict[str, Any]:
    meant = None if row.first is None else (row.first, row.last)
    return {"kind": row.kind, "ranges": row.unit_ranges, "meant": meant, "run": row.run}


def _form(form: Form) -> dict[str, Any]:
    return {
        "unit_bytes": form.unit_bytes,
        # Forms with marks are in the machine's own order; a file that is the same everywhere says little.
        "big_endian": form.byte_order == "big" and not form.signatures,
        "joins_pairs": form.joins_pairs,
        "rows": [_row(row) for row in form.rows],
        "units": [_fault_row(row) for row in form.units],
        "names": [_fault_row(row) for row in form.names],
    }


def _tables() -> dict[str, Any]:
    tables = {}
    for form in forms():
        tables[form.name] = _form(form)
        tables.update({f"{form.name}/{variant.policy}": _form(variant.form) for variant in form.variants})
    return tables


def main() -> int:
    """Write the file, or check it; return the exit status."""
    parser = argparse.ArgumentParser(description="Write forms.json, the tables of every form.")
    parser.add_argument("--check", action="store_true", help="exit 1 where it is not what the forms give")
    only_checks = parser.parse_args().check
    lines = [f"  {json.dumps(name)}: {json.dumps(tables)}" for name, tables in _tables().items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if not only_checks:
        TARGET.write_text(text, encoding="utf-8")
    elif not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
        print(f"{TARGET} is not what the forms give: run {Path(__file__).name}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
