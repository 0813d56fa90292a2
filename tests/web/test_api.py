"""The questions of the explorer: exact answers, checked parameters, bounded work."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import Form, encode_code_points, forms, repair
from eightfold.explain.characters import character_name
from eightfold.family import compared, contains, lost
from eightfold.web.api import LIMITS, QUESTIONS, WrongRequestError, answer
from eightfold.web.own_forms import form_of

ASCII_ROWS = "0-7F: 00-7F"
LATIN_1 = {"rows": f"{ASCII_ROWS}\n80-FF: 80-FF"}
EIGHT_BIT = [form.name for form in forms() if form.unit_bits == 8]


def hexed(data: bytes) -> str:
    return data.hex().upper()


def joined(cells: list[dict[str, Any]]) -> bytes:
    return bytes.fromhex("".join(each["units"] for each in cells))


# --- what the answers say ---------------------------------------------------------------------------------------------


def test_about_names_every_form_kind_and_policy() -> None:
    about = answer("about", {})
    assert [each["name"] for each in about["forms"]] == [form.name for form in forms()]
    assert about["policies"] == dict(repair.POLICIES)
    assert about["limits"] == dict(LIMITS)


def test_side_by_side_is_what_encode_writes() -> None:
    points = [0x6E, 0xEF, 0x20AC, 0x1F600]
    for line in answer("write", {"points": points})["lines"]:
        text = "".join(map(chr, points))
        if not line["problems"]:
            written = bytes.fromhex(line["signature"]) + joined(line["cells"])
            assert written == eightfold.encode(text, line["form"])
            assert line["length"] == len(written)
        else:
            assert not eightfold.is_encodable(text, line["form"])


def test_what_a_form_cannot_write_says_why() -> None:
    (line,) = answer("write", {"points": [0x41, 0xD83D], "forms": ["utf-8"]})["lines"]
    assert line["cells"][1] == {
        "start": 1,
        "end": 2,
        "units": "",
        "problem": "U+D83D cannot be written in utf-8",
        "source": "utf8(7), eda0-edbf",
    }


def test_a_reason_names_the_form_as_it_was_asked_for() -> None:
    (line,) = answer("write", {"points": [0xD83D], "forms": ["utf-16"]})["lines"]
    assert line["cells"][0]["problem"] == "U+D83D cannot be written in utf-16"
    assert answer("encode", {"points": [0xD83D], "form": "utf-8-sig"})["problems"][0]["problem"].endswith("utf-8-sig")


def test_a_pair_of_surrogates_is_one_cell_where_the_form_joins_it() -> None:
    wtf_8, utf_8 = answer("write", {"points": [0xD83D, 0xDE00], "forms": ["wtf-8", "utf-8"]})["lines"]
    assert [each["units"] for each in wtf_8["cells"]] == ["F0 9F 98 80"]
    assert utf_8["problems"] == 2


def test_a_gap_keeps_its_place_and_joins_nothing() -> None:
    (line,) = answer("write", {"points": [0xD83D, -1, 0xDE00], "forms": ["wtf-8"]})["lines"]
    assert [(each["start"], each["units"]) for each in line["cells"]] == [(0, "ED A0 BD"), (2, "ED B8 80")]


def test_code_points_above_unicode_are_written_where_a_form_has_them() -> None:
    wide, utf_8 = answer("write", {"points": [0x110000], "forms": ["utf-8-rfc2044", "utf-8"]})["lines"]
    assert wide["cells"][0]["units"] == "F4 90 80 80"
    assert utf_8["cells"][0]["problem"] == "U+110000 cannot be written in utf-8"


def test_every_code_point_that_is_read_can_be_written_and_named() -> None:
    largest = max(row.last for each in forms() for row in each.rows)
    data = encode_code_points([largest], "corrected-utf-8")
    (row,) = answer("read", {"bytes": data.hex().upper(), "form": "corrected-utf-8"})["rows"]
    assert row["code_point"] == largest == 0x8421109F
    asked = {"points": [largest]}
    (line,) = answer("write", {**asked, "forms": ["corrected-utf-8"]})["lines"]
    assert line["cells"][0]["units"] == row["units"]
    assert answer("encode", {**asked, "form": "corrected-utf-8"})["bytes"] == data.hex().upper()
    assert answer("name", asked)["points"][0]["name"] == row["name"]


def test_reading_shows_the_row_or_the_rule() -> None:
    rows = answer("read", {"bytes": "41C0AF", "form": "utf-8"})["rows"]
    assert rows[0]["entry"]["units"] == "00-7F"
    assert rows[0]["character"] == "A"
    assert rows[1]["fault"]["kind"] == "overlong"
    assert rows[1]["entry"] == {"points": "U+0000-U+007F", "units": "C0-C1 80-BF", "kind": "overlong",
                                "source": "utf8(7), c0-c1"}  # fmt: skip


@pytest.mark.parametrize("form", [form.name for form in forms()])
def test_reading_in_pages_is_reading_at_once(form: str) -> None:
    data = b"\xef\xbb\xbf\xff\xfeA\x00\x00\x00caf\xe9\xc3\xa9\xed\xa0\xbd\xed\xb8\x80\xf0\x9f\x98\x80" * 20
    data = data[: len(data) // 4 * 4]
    whole, start = [], 0
    while start < len(data):
        page = answer("read", {"bytes": hexed(data), "form": form, "start": start, "limit": 7})
        whole += page["rows"]
        start = page["end"]
        assert page["more"] is (start < len(data))
    assert [(each["offset"], each["end"]) for each in whole] == [
        (each.offset, each.end) for each in eightfold.explain(data, form)
    ]


def test_faults_are_those_of_the_package_in_pages() -> None:
    data = b"caf\xe9\n\xed\xa0\xbd \xc0\xaf" * 60
    found = answer("faults", {"bytes": hexed(data), "form": "utf-8", "skip": 100, "limit": 30})
    ours = list(eightfold.faults(data, "utf-8"))
    assert found["count"] == len(ours) == 180
    assert found["kinds"] == eightfold.tally(data, "utf-8")
    assert [each["sentence"] for each in found["faults"]] == list(map(str, ours[100:130]))
    places = [(each["line"], each["column"]) for each in found["faults"]]
    assert places == [eightfold.locate(data, each, "utf-8") for each in ours[100:130]]


@pytest.mark.parametrize("form", ["utf-16", "utf-8-sig", "utf-32-be"])
def test_the_place_of_a_fault_counts_the_signature(form: str) -> None:
    data = b"\xff\xfe\xef\xbb\xbf\n\x00\x00\xd8\n\x00\xff\xff\xd8\xfe" * 3
    found = answer("faults", {"bytes": hexed(data), "form": form})["faults"]
    ours = eightfold.faults(data, form)
    assert [(each["line"], each["column"]) for each in found] == [eightfold.locate(data, each, form) for each in ours]
    assert found


def test_the_source_of_a_fault_is_that_of_its_rule() -> None:
    (fault,) = answer("faults", {"bytes": "EDA080", "form": "utf-8"})["faults"]
    assert (fault["source"], fault["kind"]) == ("utf8(7), eda0-edbf", "surrogate")


@given(st.lists(st.integers(0, 0x10FFFF), max_size=20), st.sampled_from(EIGHT_BIT))
def test_text_that_a_form_can_write_becomes_its_bytes(points: list[int], form: str) -> None:
    text = "".join(map(chr, points))
    found = answer("encode", {"points": points, "form": form})
    if eightfold.is_encodable(text, form):
        assert found == {
            "bytes": hexed(eightfold.encode(text, form)),
            "cut": False,
            "lenient": 0,
            "lacking": 0,
            "problems": [],
            "form": form.removesuffix("-sig"),
        }
    else:
        assert found["lenient"] + found["lacking"] == len(found["problems"]) > 0


def test_an_unpaired_surrogate_becomes_the_bytes_that_lenient_programs_write() -> None:
    found = answer("encode", {"points": [0xD83D], "form": "utf-8"})
    assert bytes.fromhex(found["bytes"]) == "\ud83d".encode("utf-8", "surrogatepass")
    assert found["lenient"] == 1


@pytest.mark.parametrize("form", [form.name for form in forms()])
def test_bytes_are_cut_between_sequences(form: str) -> None:
    points = [0x61, *([0x6F22] if "optu" in form else [0x1F600]) * (LIMITS["points"] - 1)]
    found = answer("encode", {"points": points, "form": form})
    data = bytes.fromhex(found["bytes"])
    whole = eightfold.encode("".join(map(chr, points)), form)
    assert found["cut"] is (len(whole) > LIMITS["bytes"])
    assert data == eightfold.truncate_bytes(whole, LIMITS["bytes"], form)
    assert eightfold.is_well_formed(data, form)


@pytest.mark.parametrize("form", ["utf-16", "utf-32", "wtf-16", "optu-16", "utf-8-sig", "corrected-utf-8-sig", "utf-8"])
def test_answers_name_the_form_behind_the_signature(form: str) -> None:
    written = answer("encode", {"points": [0x41], "form": form})
    data = bytes.fromhex(written["bytes"])
    plain = {answer(name, {"bytes": hexed(data), "form": form})["form"] for name in ("read", "faults")}
    assert plain == {written["form"]}
    assert data.endswith(eightfold.encode("A", written["form"]))
    big_endian = answer("faults", {"bytes": "FEFFD83D", "form": "utf-16"})
    assert (big_endian["form"], big_endian["count"]) == ("utf-16-be", 1)


def test_names_are_those_of_the_package() -> None:
    points = [0x41, 0xD800, 0x202E, 0x110000]
    found = answer("name", {"points": points})["points"]
    assert [each["name"] for each in found] == list(map(character_name, points))
    assert [each["character"] for each in found] == ["A", "", "", ""]


# --- repair -----------------------------------------------------------------------------------------------------------


@given(st.binary(max_size=40), st.sampled_from(sorted(repair.POLICIES)))
def test_a_repair_says_truly_what_comes_back(data: bytes, errors: str) -> None:
    found = answer("repair", {"bytes": hexed(data), "form": "utf-8", "errors": errors})
    if "problem" in found:
        with pytest.raises((eightfold.ConversionError, ValueError)):
            repair.repair(data, "utf-8", errors)
        return
    result = repair.repair(data, "utf-8", errors)
    assert bytes.fromhex(found["result"]) == result
    plan, again, escapes = found["ways"]
    assert plan["exact"]
    assert plan["sha256"] == hashlib.sha256(data).hexdigest() == found["original_sha256"]
    assert again["exact"] is (result == data)
    assert escapes["exact"] or errors != "escape"


def test_a_way_that_does_not_lead_back_says_where_it_differs() -> None:
    found = answer("repair", {"bytes": hexed(b"caf\xe9"), "form": "utf-8", "errors": "replace"})
    assert found["lossy"] == 1
    assert found["ways"][1] == {**found["ways"][1], "exact": False, "why": "differs from byte 3 on"}


def test_what_cannot_be_repaired_is_a_problem() -> None:
    wide = answer("repair", {"bytes": "41", "form": "utf-16-le", "errors": "escape"})
    assert wide == {"problem": "repair reads 8-bit forms; utf-16-le has 16-bit units: use convert"}
    assert "continuation" in answer("repair", {"bytes": "80", "form": "utf-8", "errors": "strict"})["problem"]


# --- tables and typed forms -------------------------------------------------------------------------------------------


def test_the_family_is_what_the_forms_compute() -> None:
    family = answer("family", {})
    assert ["wtf-8", "utf-8"] in family["edges"]
    assert ["generalized-utf-8", "utf-8"] not in family["edges"]  # by way of wtf-8
    lines = {each["form"]: each for each in family["forms"]}
    assert lines["wtf-8"]["contains"] == ["utf-8"]
    assert lines["utf-8"]["lost"]["xtf-8"] == (0xEFC2, 0xEF80)


@pytest.mark.parametrize("form", forms(), ids=lambda form: form.name)
def test_a_table_has_every_row_of_its_form(form: Form) -> None:
    found = answer("table", {"form": form.name})
    assert len(found["shown"]["rows"]) == len(form.rows)
    assert [each["kind"] for each in found["shown"]["names"]] == [entry.kind for entry in form.names]


def test_a_typed_form_is_used_at_once() -> None:
    lines = answer("write", {"points": [0xE9], "forms": ["utf-8"], "own": LATIN_1})["lines"]
    assert [(each["form"], each["cells"][0]["units"]) for each in lines] == [("utf-8", "C3 A9"), ("own", "E9")]
    (row,) = answer("read", {"bytes": "E9", "form": "own", "own": LATIN_1})["rows"]
    assert (row["name"], row["source"]) == ("LATIN SMALL LETTER E WITH ACUTE", "typed by you")
    assert "utf-8" in answer("table", {"form": "own", "own": LATIN_1})["lossless_to"]


def test_a_typed_form_is_one_of_the_family() -> None:
    family = answer("family", {"own": LATIN_1})
    lines = {each["form"]: each for each in family["forms"]}
    assert set(lines) == {*(form.name for form in forms()), "own"}
    own = form_of({"unit_bits": 8, "longest_match": False, "joins_pairs": False, **LATIN_1})
    assert lines["own"]["lost"] == compared(own).lost
    for name in lines.keys() - {"own"}:
        lacking = lost(name, own)
        assert lines[name]["lost"].get("own") == lacking
        assert ("own" in lines[name]["lossless_to"]) == (lacking is None)
        assert ("own" in lines[name]["contains"]) == contains(name, own)
        assert ("own" in lines[name]["contained_in"]) == contains(own, name)
    assert family["same"] == []
    assert not any("own" in edge for edge in family["edges"])


def test_a_typed_form_has_its_place_in_the_diagram() -> None:
    built_in = answer("family", {})
    ascii_only = answer("family", {"own": {"rows": "0-7F: 00-7F"}})
    assert ["utf-8", "own"] in ascii_only["edges"]
    assert ["wtf-8", "own"] not in ascii_only["edges"]  # by way of utf-8
    assert [edge for edge in ascii_only["edges"] if "own" not in edge] == built_in["edges"]
    wide = answer("family", {"own": {"rows": "0-FFFF: 0000-FFFF", "unit_bits": 16}})
    assert wide["same"] == ["optu-16-be"]
    assert wide["edges"] == built_in["edges"]


def test_a_typed_form_that_cannot_be_compared_says_why() -> None:
    assert "begin alike" in answer("family", {"own": {"rows": f"{ASCII_ROWS}\n80-FF: 00-7F"}})["problem"]


def test_a_typed_form_that_contradicts_itself_names_the_rows() -> None:
    clash = {"rows": f"{ASCII_ROWS}\n80-FF: 00-7F"}
    assert answer("check", {"own": clash}) == {
        "problem": "own: Row(U+0000-U+007F: 00-7F) and Row(U+0080-U+00FF: 00-7F) begin alike"
    }
    assert answer("check", {"own": {"rows": "80-FF: 80-FE"}})["problem"] == (
        "line 1: Row(U+0080-U+00FF: 80-FE): the units have 127 values for 128 code points"
    )


def test_the_own_form_needs_rows() -> None:
    assert answer("read", {"bytes": "41", "form": "own"}) == {"problem": "the form own needs its rows"}


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "request_", "told"),
    [
        ("identify", {}, "the request: bytes missing"),
        ("identify", {"bytes": "41", "path": "/etc/passwd"}, "the request: 1 unknown; known are bytes"),
        ("identify", [], "the request: not an object"),
        ("identify", {"bytes": "4"}, "bytes: not at most 65792 bytes in upper-case hex digits"),
        ("identify", {"bytes": "41\n"}, "bytes: not at most 65792 bytes in upper-case hex digits"),
        ("identify", {"bytes": "4\u0661"}, "bytes: not at most 65792 bytes in upper-case hex digits"),
        ("identify", {"bytes": "41" * 65793}, "bytes: not at most 65792 bytes in upper-case hex digits"),
        ("read", {"bytes": "41", "form": "latin-1"}, "form: not one of utf-8, utf-8-sig"),
        ("read", {"bytes": "41", "form": "utf-8", "limit": 257}, "limit: not an integer from 1 to 256"),
        ("read", {"bytes": "41", "form": "utf-8", "limit": True}, "limit: not an integer from 1 to 256"),
        ("read", {"bytes": "41", "form": "utf-8", "limit": 1e999}, "limit: not an integer from 1 to 256"),
        ("write", {"points": [0] * 129}, "points: not a list of at most 128 code points"),
        ("write", {"points": [-2]}, "points: not an integer from -1 to 4294967295"),
        ("write", {"points": "A"}, "points: not a list of at most 128 code points"),
        (
            "check",
            {"own": {"rows": "\u00e9"}},
            "rows: not at most 4096 printable ASCII characters, tabs and line feeds",
        ),
        ("check", {"own": {"rows": "", "unit_bits": 9}}, "unit_bits: not 8, 16 or 32"),
        ("peers", {"bytes": "41" * 65, "form": "utf-8"}, "bytes: not at most 64 bytes in upper-case hex digits"),
    ],
)
def test_a_request_that_does_not_fit_is_refused(name: str, request_: Any, told: str) -> None:
    with pytest.raises(WrongRequestError) as refused:
        answer(name, request_)
    assert str(refused.value).startswith(told)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert answer("read", {"bytes": "4142", "form": "utf-8", "limit": 1.0})["end"] == 1


# --- bounds -----------------------------------------------------------------------------------------------------------

MOST = LIMITS["bytes"]
LARGEST = [
    ("identify", {"bytes": "FF" * MOST}),
    ("read", {"bytes": "FF" * MOST, "form": "corrected-utf-8"}),
    ("faults", {"bytes": "FF" * MOST, "form": "utf-8", "skip": MOST - 50}),
    ("encode", {"points": [0xD83D] * LIMITS["points"], "form": "utf-8"}),
    ("write", {"points": [0x10FFFF] * LIMITS["points_beside"]}),
    ("repair", {"bytes": "C3" * 2000, "form": "utf-8", "errors": "replace"}),
]


@pytest.mark.parametrize(("name", "request_"), LARGEST, ids=lambda each: each if isinstance(each, str) else "")
def test_an_answer_is_bounded(name: str, request_: dict[str, Any]) -> None:
    assert len(json.dumps(answer(name, request_))) < 1_000_000


def test_every_answer_is_json_in_ascii_and_has_what_is_described() -> None:
    requests = {
        "about": {}, "family": {}, "identify": {"bytes": "EDA080"}, "name": {"points": [0xD800]},
        "read": {"bytes": "EDA080", "form": "utf-8"}, "faults": {"bytes": "EDA080", "form": "utf-8"},
        "peers": {"bytes": "EDA080", "form": "utf-8"}, "write": {"points": [0xD800]},
        "encode": {"points": [0xD800], "form": "utf-8"}, "table": {"form": "utf-8"}, "check": {"own": LATIN_1},
        "repair": {"bytes": "EDA080", "form": "utf-8", "errors": "escape"},
    }  # fmt: skip
    assert requests.keys() == QUESTIONS.keys()
    for name, request in requests.items():
        found = answer(name, request)
        assert QUESTIONS[name].answer.keys() <= found.keys(), name
        assert json.loads(json.dumps(found).encode("ascii")) is not None


def test_rows_that_those_of_other_forms_cut_into_thousands_of_pieces_are_compared() -> None:
    found = answer("family", {"own": {"rows": "0-FFFFFFFF: 00-FF 00-FF 00-FF 00-FF"}})
    assert next(each for each in found["forms"] if each["form"] == "own")["contains"] == []
