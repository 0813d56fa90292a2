"""`table`: what is drawn is what the tables hold, for every form, and the grid of the family is the comparison."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import eightfold
from eightfold import FaultRow, Form, Row, fault_row, forms
from eightfold.cli import main
from eightfold.family import compared, contains, is_lossless
from support.command_line import run

FORMS = forms()
every_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)

RANGES = r"[0-9A-F]{2,8}(?:-[0-9A-F]{2,8})?(?: [0-9A-F]{2,8}(?:-[0-9A-F]{2,8})?)*"
POINTS = r"U\+([0-9A-F]+)(?:-U\+([0-9A-F]+))?"
ROW = re.compile(rf"  {POINTS} +({RANGES}) +(\d+)  (.*)")
FAULT_ROW = re.compile(rf"  ([a-z-]+) +(?:{POINTS} +)?({RANGES})(?: then any ({RANGES}))?  +(.*)")


def table(*arguments: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["table", *arguments]) == 0
    return capsys.readouterr().out


def below(title: str, output: str) -> list[str]:
    """Return the lines below a title, up to an empty one."""
    found = re.search(rf"^{re.escape(title)}.*\n((?:  .*\n)+)", output, re.MULTILINE)
    return found.group(1).splitlines() if found else []


def ranges(shown: str) -> list[tuple[int, int]]:
    pairs = (each.split("-") for each in shown.split())
    return [(int(pair[0], 16), int(pair[-1], 16)) for pair in pairs]


def read_row(line: str) -> Row:
    found = ROW.fullmatch(line)
    assert found, line
    first, last, units, count, source = found.groups()
    row = Row(int(first, 16), int(last or first, 16), *ranges(units), source=source)
    assert row.last - row.first + 1 == int(count)
    return row


def read_fault_row(line: str) -> FaultRow:
    found = FAULT_ROW.fullmatch(line)
    assert found, line
    kind, first, last, units, then, source = found.groups()
    meant = (int(first, 16), int(last or first, 16)) if first else None
    return fault_row(kind, *ranges(units), meant=meant, run=ranges(then or ""), source=source)  # type: ignore[arg-type]


# --- a form -----------------------------------------------------------------------------------------------------------


@every_form
def test_a_form_can_be_read_back_from_what_is_drawn(form: Form, capsys: pytest.CaptureFixture[str]) -> None:
    output = table(form.name, capsys=capsys)
    rows = [read_row(line) for line in below("rows:", output)[1:]]
    assert rows == list(form.rows)
    assert [row.source for row in rows] == [row.source for row in form.rows]
    assert [read_fault_row(line) for line in below("units:", output)[1:]] == list(form.units)
    assert [read_fault_row(line) for line in below("names:", output)[1:]] == list(form.names)


@every_form
def test_a_form_is_drawn_with_its_rules_and_words(form: Form, capsys: pytest.CaptureFixture[str]) -> None:
    output = table(form.name, capsys=capsys)
    flowing = " ".join(output.split())
    assert output.startswith(f"{form.name}\n")
    assert form.note in flowing
    assert f"Source: {form.source}" in flowing
    assert ("the longest match is used" in flowing) == form.longest_match
    assert ("written as the supplementary code point" in flowing) == form.joins_pairs
    assert (f"Code units have {form.unit_bits} bits and are {form.byte_order}-endian" in flowing) == (
        form.unit_bits > 8
    )
    assert all(f"{mark.hex(' ').upper()} at the start" in flowing for mark, _, _ in form.signatures)
    assert all(f"--errors {policy} is refused: {reason}" in flowing for policy, reason in form.refuses.items())
    assert output.isascii()


@every_form
def test_a_variant_is_drawn_where_it_differs(form: Form, capsys: pytest.CaptureFixture[str]) -> None:
    output = table(form.name, capsys=capsys)
    assert output.count("\n--errors ") == len(form.variants)
    for variant in form.variants:
        lines = below(f"--errors {variant.policy}", output)
        rows = [read_row(line) for line in lines if ROW.fullmatch(line)]
        assert rows == [row for row in variant.form.rows if row not in form.rows]
        assert any("is not a unit" in line for line in lines) == (variant.form.units != form.units)


@every_form
def test_a_form_is_drawn_beside_the_others(form: Form, capsys: pytest.CaptureFixture[str]) -> None:
    output = table(form.name, capsys=capsys)
    said = " ".join(" ".join(below("compared", output)).split())
    words = ("contains", "contained in", "lossless to", "lossy to")
    parts = re.split(rf"({'|'.join(words)}) ", said)[1:]
    told: dict[str, list[str]] = {word: [] for word in words}
    for word, names in zip(parts[::2], parts[1::2], strict=True):
        told[word] += names.partition(":")[0].strip().split(", ")
    found = compared(form)
    assert told["contains"] == found.contains
    assert told["contained in"] == found.contained_in
    assert told["lossless to"] == found.lossless_to
    assert sorted(told["lossy to"]) == sorted(found.lost)


def test_a_form_without_magic_number_is_shown_when_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert table("corrected_utf8", capsys=capsys).startswith("corrected-utf-8\n")


# --- the family -------------------------------------------------------------------------------------------------------


def test_the_grid_is_the_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    output = table(capsys=capsys)
    lines = [match.groups() for match in re.finditer(r"^  (\w) (\S+) +([=<+. ]+)$", output, re.MULTILINE)]
    keys = re.search(r"^ +((?:\w )+\w)$", output, re.MULTILINE)
    assert keys is not None
    assert [key for key, _, _ in lines] == keys.group(1).split()
    assert [name for _, name, _ in lines] == [form.name for form in FORMS]
    for source, (_, _, marks) in zip(FORMS, lines, strict=True):
        for target, mark in zip(FORMS, marks.split(), strict=True):
            assert (mark == "=") == (source is target)
            assert (mark in "=<") == contains(target, source)
            assert (mark != ".") == is_lossless(source, target)


def test_the_chains_are_the_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    chains = [line.split(" > ") for line in re.findall(r"^  (\S+ > .*)$", table(capsys=capsys), re.MULTILINE)]
    drawn = {(chain[at], name) for chain in chains for at in range(len(chain)) for name in chain[at + 1 :]}
    among = {(one.name, other.name) for one in FORMS for other in FORMS if one is not other and contains(one, other)}
    assert drawn == among


# --- JSON -------------------------------------------------------------------------------------------------------------


def form_of(values: dict[str, Any]) -> Form:
    return Form(
        values["form"],
        [Row(row["first"], row["last"], *row["unit_ranges"]) for row in values["rows"]],
        unit_bits=values["unit_bits"],
        longest_match=values["longest_match"],
        byte_order=values["byte_order"] or "little",
    )


@every_form
def test_json_holds_the_whole_table(form: Form, capsys: pytest.CaptureFixture[str]) -> None:
    output = json.loads(table("--output-format", "json", form.name, capsys=capsys))
    assert output["version"] == eightfold.__version__
    (values,) = output["forms"]
    read = form_of(values)
    assert read.rows == form.rows
    for title, entries in (("units", form.units), ("names", form.names)):
        drawn = [
            fault_row(
                entry["kind"],
                *entry["unit_ranges"],
                meant=None if entry["first"] is None else (entry["first"], entry["last"]),
                run=entry["run"],
                source=entry["source"],
            )
            for entry in values[title]
        ]
        assert [each._replace(run=tuple(map(tuple, each.run))) for each in drawn] == list(entries)
    assert [(each["policy"], each["encodes"]) for each in values["variants"]] == [
        (each.policy, each.encodes) for each in form.variants
    ]
    assert values["joins_pairs"] == form.joins_pairs
    assert [bytes.fromhex(each["mark"]) for each in values["signatures"]] == [mark for mark, _, _ in form.signatures]
    assert values["refuses"] == form.refuses
    found = compared(form)
    assert (values["contains"], values["lossless_to"]) == (found.contains, found.lossless_to)
    assert {name: tuple(points) for name, points in values["lost"].items()} == found.lost


def test_json_of_the_family_is_that_of_every_form(capsys: pytest.CaptureFixture[str]) -> None:
    output = json.loads(table("--output-format", "json", capsys=capsys))
    alone = [json.loads(table("--output-format", "json", form.name, capsys=capsys))["forms"] for form in FORMS]
    assert output["forms"] == [values for (values,) in alone]


@pytest.mark.parametrize("arguments", [["utf-9"], ["utf-8", "wtf-8"], ["--output-format", "html"]], ids=" ".join)
def test_wrong_use_is_told_in_one_line(arguments: list[str]) -> None:
    done = run("table", *arguments)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, b"", 1)
