"""A little random input always: each target on its corpus, and on what becomes of it; and the targets are not blind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hostile import fuzz

ROOT = Path(__file__).parents[2]
INPUTS = {target: [path.read_bytes() for path in sorted((fuzz.CORPUS / target).iterdir())] for target in fuzz.TARGETS}
EDITS = st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 9), st.binary(max_size=9)), max_size=5)


def edited(data: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """Return data with some bytes in the place of others."""
    for place, length, new in edits:
        at = place % (len(data) + 1)
        data = data[:at] + new + data[at + length :]
    return data


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_each_input_of_a_corpus_is_passed(target: str) -> None:
    assert INPUTS[target]
    for data in (b"", *INPUTS[target]):
        fuzz.TARGETS[target](data)


# A reader of Parquet in another library meets such input only when it is asked for: `make fuzz`.
@pytest.mark.parametrize("target", [target for target in fuzz.TARGETS if target != "parquet"])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 99), EDITS)
def test_what_becomes_of_a_corpus_is_passed(target: str, which: int, edits: list[tuple[int, int, bytes]]) -> None:
    inputs = INPUTS[target]
    fuzz.TARGETS[target](edited(inputs[which % len(inputs)], edits))


@pytest.mark.parametrize("target", ["plans", "archives", "parquet"])
def test_a_traceback_and_a_change_outside_are_found(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eightfold.cli.main", lambda arguments: 3)
    with pytest.raises(AssertionError, match="exit status 3"):
        fuzz.TARGETS[target](b"")

    def spoils(arguments: list[str]) -> int:
        Path("../outside/precious").write_bytes(b"gone")
        return 0

    monkeypatch.setattr("eightfold.cli.main", spoils)
    with pytest.raises(AssertionError, match="outside"):
        fuzz.TARGETS[target](b"")


def test_a_wrong_answer_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eightfold.decode", lambda data, form, errors: "wrong")
    with pytest.raises(AssertionError, match="decode"):
        fuzz.verbs(INPUTS["verbs"][0])
    monkeypatch.setattr("eightfold.jsontext.scrub", lambda data, errors: b"wrong")
    with pytest.raises(AssertionError, match="cut at"):
        fuzz.jsontext(INPUTS["jsontext"][0])


@pytest.mark.parametrize(
    ("wrong", "error", "words"), [(b'"', AssertionError, "JSON no more"), (b'"\\ud83d"', UnicodeError, "surrogates")]
)
def test_json_that_cannot_be_loaded_and_written_any_more_is_found(
    wrong: bytes, error: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wrong:
        def __init__(self, errors: str) -> None:
            pass

        def scrub(self, data: bytes, final: bool = False) -> bytes:
            return wrong if final else b""

    monkeypatch.setattr("eightfold.jsontext.scrub", lambda data, errors: wrong)
    monkeypatch.setattr("eightfold.jsontext.Scrubber", Wrong)
    with pytest.raises(error, match=words):
        fuzz.jsontext(b'\0"a"')
    fuzz.jsontext(b"\0no JSON")


def test_the_makefile_runs_each_target() -> None:
    run = re.search(r"^FUZZED_PYTHON := (.+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert run is not None
    assert set(run[1].split()) == set(fuzz.TARGETS)
