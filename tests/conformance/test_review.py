"""Vectors of forms that no adapter has, against the results of other programs that are kept in tests/vectors."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from support.vector_files import lines, units

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "conformance" / "vectors"


def expectations(form: str, operation: str) -> dict[str, dict[str, Any]]:
    """Return what the vectors of a form expect, by input."""
    with (VECTORS / f"{form}.jsonl").open(encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    return {vector["input"]: vector["expect"] for vector in found if vector["op"] == operation}


def code_points(field: str) -> list[int]:
    return [int(point, 16) for point in field.split()]


def test_optu_8_is_read_as_by_mirbsd() -> None:
    expected, compared = expectations("optu-8", "decode"), 0
    for line in lines("mirbsd_optu8_decode"):
        if line["in"].upper() in expected:
            compared += 1
            assert code_points(expected[line["in"].upper()]["code_points"]) == units(line["optu16"]), line
    assert compared == 51


def test_optu_8_is_written_as_by_mirbsd() -> None:
    expected, compared = expectations("optu-8", "encode"), 0
    for line in lines("mirbsd_optu16_encode"):
        given = " ".join(f"{unit:X}" for unit in units(line["u16"]))
        if given in expected:
            compared += 1
            assert expected[given].get("bytes", "").lower() == (line["optu8"] if line["ok"] else ""), line
    assert compared == 20


def test_corrected_utf_8_is_read_as_by_a_program_in_c() -> None:
    expected, compared = expectations("corrected-utf-8", "decode"), 0
    for line in lines("corrected_utf8_decode"):
        if line["in"].upper() in expected:
            compared += 1
            expect = expected[line["in"].upper()]
            assert ("code_points" in expect) == line["ok"], line
            if line["ok"]:
                assert code_points(expect["code_points"]) == code_points(line["cps"]), line
            else:
                assert expect["error"][0] == line["pos"], line
    assert compared == 29


def test_corrected_utf_8_is_written_as_by_a_program_in_c() -> None:
    expected, compared = expectations("corrected-utf-8", "encode"), 0
    for line in lines("corrected_utf8_encode"):
        if line["cp"].upper() in expected:
            compared += 1
            assert expected[line["cp"].upper()].get("bytes", "").lower() == (line["bytes"] or ""), line
    assert compared == 56


@pytest.mark.parametrize("page", ["README.md", "PROTOCOL.md", "RULES.md"])
def test_links_of_the_kit_s_pages_lead_somewhere(page: str) -> None:
    text = (ROOT / "conformance" / page).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text) if not re.match(r"[a-z]+:", link)]
    assert [link for link in links if not (ROOT / "conformance" / link).exists()] == []
