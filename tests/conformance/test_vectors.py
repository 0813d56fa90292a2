"""The vectors: made from the forms, as their schema says, and failed by every form with a planted fault."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import eightfold

KIT = Path(__file__).parents[2] / "conformance"
sys.path[:0] = [str(KIT), str(KIT / "adapters")]

import eightfold_verbs  # noqa: E402
import line_protocol  # noqa: E402
import make_vectors  # noqa: E402
from generator.answers import ANSWERS, Machine  # noqa: E402
from generator.mutants import Mutant, altered, mutants  # noqa: E402
from generator.rules import all_rules  # noqa: E402
from generator.vectors import file_name, subjects  # noqa: E402
from runner.judging import judge  # noqa: E402

SUBJECTS = dict(subjects())
PLAIN = [name for name, form in SUBJECTS.items() if not form.signatures]
Vector = dict[str, Any]


@cache
def vectors_of(name: str) -> list[Vector]:
    with (KIT / "vectors" / file_name(name)).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def every_vector() -> Iterator[Vector]:
    for name in SUBJECTS:
        yield from vectors_of(name)


def subject_of(vector: Vector) -> Any:
    if vector["op"].startswith("encode"):
        return [int(point, 16) for point in vector["input"].split()]
    return bytes.fromhex(vector["input"])


# --- the files --------------------------------------------------------------------------------------------------------


def test_the_files_are_what_the_forms_give() -> None:
    assert make_vectors.stale(make_vectors.texts()) == []


def test_a_changed_form_makes_them_stale(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    form = eightfold.form("optu-16-le")
    kept = tuple(each for each in subjects() if each[1] is not form)
    other = eightfold.Form("optu-16-le", [eightfold.Row(1, 0xFFFF, (1, 0xFFFF))], unit_bits=16, source="planted")
    monkeypatch.setattr("generator.vectors.subjects", lambda: [("optu-16-le", other)])
    monkeypatch.setattr(sys, "argv", ["make_vectors.py", "--check"])
    assert make_vectors.main() == 1
    said = capsys.readouterr().err
    assert "optu-16-le.jsonl is not what the forms give" in said
    assert len(kept) + 1 == len(SUBJECTS)


def test_every_vector_follows_the_schema() -> None:
    schema = json.loads((KIT / "vector.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for vector in every_vector():
        assert validator.is_valid(vector), vector


@pytest.mark.parametrize(
    "change",
    [
        {"op": "guess"},
        {"input": "eda080"},
        {"input": "ED A0"},
        {"expect": {}},
        {"expect": {"error": [0]}},
        {"expect": {"bytes": "00"}},
        {"expect": {"code_points": "D800", "error": [0, 1]}},
        {"chunks": [1]},
        {"op": "decode-stream"},
        {"other": 1},
        {"source": ""},
    ],
    ids=str,
)
def test_the_schema_refuses(change: Vector) -> None:
    validator = Draft202012Validator(json.loads((KIT / "vector.schema.json").read_text(encoding="utf-8")))
    sound = next(each for each in vectors_of("wtf-8") if each["input"] == "EDA080" and each["op"] == "decode")
    assert validator.is_valid(sound)
    assert not validator.is_valid({**sound, **change})


def test_the_list_of_the_files_and_their_size() -> None:
    manifest = json.loads((KIT / "vectors" / "manifest.json").read_text(encoding="utf-8"))
    total = 0
    for name, listed in manifest["forms"].items():
        content = (KIT / "vectors" / listed["file"]).read_bytes()
        assert listed["vectors"] == len(vectors_of(name)) == content.count(b"\n")
        assert listed["sha256"] == hashlib.sha256(content).hexdigest()
        total += len(content)
    assert list(manifest["forms"]) == list(SUBJECTS)
    assert {form.name for form in eightfold.forms()} <= set(SUBJECTS)
    assert total < 1_500_000


def test_identities_are_unique_and_say_what_is_asked() -> None:
    seen = set()
    for vector in every_vector():
        assert vector["id"].startswith(f"{vector['form']}:{vector['op']}:")
        assert vector["id"] not in seen
        seen.add(vector["id"])


def test_every_rule_is_tested_and_every_vector_has_one() -> None:
    assert {vector["rule"] for vector in every_vector()} | {"position"} == set(all_rules())
    assert json.loads((KIT / "rules.json").read_text(encoding="utf-8")) == all_rules()


def test_every_kind_of_fault_of_bytes_is_diagnosed() -> None:
    kinds = {fault[2] for vector in every_vector() for fault in vector["expect"].get("faults", ())}
    assert kinds >= {
        "overlong",
        "surrogate",
        "beyond-unicode",
        "too-long",
        "four-byte",
        "raw-nul",
        "unpaired-surrogate",
    }


# --- the answers, by the engine in use --------------------------------------------------------------------------------


def test_a_vector_s_pieces_are_its_whole_input() -> None:
    for vector in every_vector():
        if "chunks" in vector:
            assert sum(vector["chunks"]) == len(subject_of(vector)), vector


@pytest.mark.parametrize("name", SUBJECTS)
def test_the_engine_gives_what_is_expected(name: str) -> None:
    """The vectors come from the reference; here the verbs, which the core may serve, are asked."""
    for vector in vectors_of(name):
        try:
            verdicts = list(judge(vector, eightfold_verbs.answer(vector)))
        except line_protocol.Unsupported:
            assert max(map(len, vector["expect"]["code_points"].split())) > 5, vector
            continue
        assert verdicts[0].outcome == "passed", (vector, verdicts)
        assert "failed" not in {verdict.outcome for verdict in verdicts}, (vector, verdicts)


# --- planted faults ---------------------------------------------------------------------------------------------------

SAID_ANYWAY = {
    ("surrogate", "xtf-8"): "no input of XTF-8 has this fault",
    ("surrogate", "xtf-8/escape"): "the same",
    ("invalid-byte", ""): "what a byte is called that begins nothing, with a name or without",
    ("truncated", "cesu-8"): "also a maximal subpart of the pairs",
}
"""Names and units that say what would be said without them, with the reason."""


def first_unit(form: eightfold.Form, vector: Vector) -> int:
    data = bytes.fromhex(vector["input"])[: form.unit_bytes]
    return int.from_bytes(data, form.byte_order)


def fails(mutant: Mutant, asked: list[Vector], form: eightfold.Form) -> bool:
    """Return whether a planted fault fails a vector; those that begin as the entry does are tried first."""
    asked = [vector for vector in asked if vector["op"] in mutant.operations]
    if mutant.operations != ("encode",):
        low, high = mutant.entry.unit_ranges[0]
        asked.sort(key=lambda vector: not low <= first_unit(form, vector) <= high)
    return any(ANSWERS[vector["op"]](mutant.machine, subject_of(vector)) != vector["expect"] for vector in asked)


def accepts_what_another_row_does(mutant: Mutant, form: eightfold.Form) -> bool:
    wider = mutant.machine.form.rows[-1]
    data = b"".join(low.to_bytes(form.unit_bytes, form.byte_order) for low, _ in wider.unit_ranges)
    return mutant.fault.startswith("accepts") and "error" not in ANSWERS["decode"](Machine(form), data)


def is_no_other_form(mutant: Mutant, name: str) -> bool:
    if isinstance(mutant.entry, eightfold.Row):
        return accepts_what_another_row_does(mutant, SUBJECTS[name])
    kind = mutant.entry.kind
    return mutant.fault.startswith("accepts") or bool({(kind, name), (kind, "")} & set(SAID_ANYWAY))


@pytest.mark.parametrize("name", PLAIN)
def test_each_planted_fault_fails_a_vector(name: str) -> None:
    form, asked = SUBJECTS[name], vectors_of(name)
    planted = list(mutants(form, b""))
    passed = [mutant for mutant in planted if not fails(mutant, asked, form)]
    assert [(each.entry, each.fault) for each in passed if not is_no_other_form(each, name)] == []
    assert len(planted) - len(passed) >= 9 * len(form.rows)


@pytest.mark.parametrize("name", PLAIN)
def test_a_row_that_is_dropped_or_shifted_fails_a_vector_of_its_own_form(name: str) -> None:
    form, asked = SUBJECTS[name], vectors_of(name)
    for row in form.rows:
        others = tuple(each for each in form.rows if each is not row)
        higher = eightfold.Row(row.first + 1, row.last + 1, *row.unit_ranges)
        for rows in (others, (*others, higher)):
            machine = Machine(altered(form, rows=rows))
            own = (vector for vector in asked if vector["op"] == "decode")
            assert any(ANSWERS["decode"](machine, subject_of(each)) != each["expect"] for each in own), row


@pytest.mark.parametrize("name", [name for name in SUBJECTS if SUBJECTS[name].signatures])
def test_a_form_with_a_signature_is_asked_about_every_row_behind_it(name: str) -> None:
    for signature in SUBJECTS[name].signatures:
        for row in signature.form.rows:
            others = tuple(each for each in signature.form.rows if each is not row)
            machine = Machine(altered(signature.form, rows=others), signature.mark)
            asked = (each for each in vectors_of(name) if each["op"] == "decode")
            marked = (each for each in asked if subject_of(each).startswith(signature.mark))
            assert any(ANSWERS["decode"](machine, subject_of(each)) != each["expect"] for each in marked), row
