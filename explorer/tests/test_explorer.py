"""The explorer in a real browser, as people use it: typing, pasting, dropping, toggling, repairing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from explorer.tests.conftest import CESU, only_server

PASTE = r"""(area, times) => {
    const data = new DataTransfer();
    data.setData("text/plain", "cut: \ud83d, whole: \ud83d\ude00".repeat(times ?? 1));
    area.focus();
    area.select();
    area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""
TYPE_SURROGATE = r"""(area) => {
    area.value = "typed \udc00";
    area.dispatchEvent(new Event("input", { bubbles: true }));
}"""
DROP_TEXT = r"""() => ["dragover", "drop"].every((name) => {
    const data = new DataTransfer();
    data.setData("text/plain", "words");
    const event = new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true });
    return document.querySelector("#text").dispatchEvent(event);
})"""
COUNT_CODE_POINTS = """() => {
    const { codePointAt } = String.prototype;
    globalThis.codePointsRead = 0;
    String.prototype.codePointAt = function (at) {
        globalThis.codePointsRead += 1;
        return codePointAt.call(this, at);
    };
}"""
HOLD_QUESTIONS = """() => {
    const { fetch } = globalThis;
    const held = new Promise((letGo) => { globalThis.letGo = letGo; });
    globalThis.policiesAsked = [];
    globalThis.fetch = async (address, asked) => {
        policiesAsked.push(JSON.parse(asked.body).errors);
        await held;
        return fetch(address, asked);
    };
}"""

HOSTILE = (
    "__proto__=x&constructor=x&toString=x",
    "text=%ED%A0%80&at=999999999&chosen=999999999&tab=bits",
    "mode=bytes&hex=..%2F..%2Fetc%2Fpasswd",
    "mode=file&form=own&table=own&tab=repair",
    "form=own&table=own&tab=tables",
    "own=0-FFFFFFFF%3A+00-FF+00-FF+00-FF+00-FF&form=own&tab=faults&fault=999999999",
    "mode=bytes&hex=EDA080EDA080&tab=faults&fault=999999999",
    "own=U%2B0%3A+%3Csvg%2Fonload%3Dalert(1)%3E&tab=own",
    "bits=0&width=64&longest=2&policy=constructor&tab=__proto__",
    "text=%&own=%zz",
    "text=" + "%5C" * 3000,
)
"""Fragments that somebody else has made."""


def turn_page(explorer: Any) -> None:
    explorer.page.get_by_role("button", name="Next 64 KiB").click()
    explorer.settle()


def test_smoke(explorer: Any) -> None:
    explorer.page.fill("#text", r"é\uD83D")
    expect(explorer.row("wtf-8")).to_have_text(["C3 A9", "ED A0 BD"])


# --- the input --------------------------------------------------------------------------------------------------------


def test_typing_shows_every_form(explorer: Any) -> None:
    explorer.page.fill("#text", r"\u{1F600}\xE9\n")
    expect(explorer.row("utf-8")).to_have_text(["F0 9F 98 80", "C3 A9", "0A"])
    expect(explorer.row("cesu-8")).to_have_text(["ED A0 BD ED B8 80", "C3 A9", "0A"])
    expect(explorer.row("utf-16-be")).to_have_text(["D8 3D DE 00", "00 E9", "00 0A"])
    why = explorer.page.locator(".row[data-form=optu-8] .why")
    expect(why).to_contain_text(["U+1F600 cannot be written in optu-8"])


def test_a_pasted_surrogate_survives_also_a_reload(explorer: Any) -> None:
    explorer.page.locator("#text").evaluate(PASTE)
    expect(explorer.page.locator("#text")).to_have_value("cut: \\uD83D, whole: \U0001f600")
    expect(explorer.row("wtf-8").nth(5)).to_have_text("ED A0 BD")
    explorer.reload()
    expect(explorer.page.locator("#text")).to_have_value("cut: \\uD83D, whole: \U0001f600")
    expect(explorer.row("wtf-8").nth(5)).to_have_text("ED A0 BD")


def test_a_typed_surrogate_survives_also_a_reload(explorer: Any) -> None:
    explorer.page.locator("#text").evaluate(TYPE_SURROGATE)
    expect(explorer.row("wtf-8").last).to_have_text("ED B0 80")
    explorer.settle()
    assert "uDC00" in explorer.page.evaluate("location.hash")
    explorer.reload()
    expect(explorer.row("wtf-8").last).to_have_text("ED B0 80")


@only_server
def test_a_backslash_before_a_surrogate_stays_one(explorer: Any) -> None:
    area = explorer.page.locator("#text")
    area.evaluate(TYPE_SURROGATE.replace("typed ", "\\\\"))
    expect(explorer.row("wtf-8")).to_have_text(["5C", "ED B0 80"])
    explorer.settle()
    explorer.reload()
    expect(explorer.row("wtf-8")).to_have_text(["5C", "ED B0 80"])


def test_the_largest_code_point_of_all_forms_is_read_and_typed(explorer: Any) -> None:
    explorer.show("mode=bytes&form=corrected-utf-8&hex=FD+BF+BF+BF+BF+BF")
    expect(explorer.row("corrected-utf-8")).to_have_text(["FD BF BF BF BF BF"])
    explorer.show(r"text=\u{8421109F}")
    expect(explorer.row("corrected-utf-8")).to_have_text(["FD BF BF BF BF BF"])


def test_bytes_are_identified(explorer: Any) -> None:
    explorer.page.get_by_text("Bytes", exact=True).first.click()
    explorer.page.fill("#hex", r"\xFF\xFE 41 00, 0x3D 0xD8")
    expect(explorer.page.locator("#identified")).to_contain_text("Identified as")
    explorer.page.select_option("#form", "wtf-16-le")
    expect(explorer.row("wtf-16-le")).to_have_text(["FF FE", "41 00", "3D D8"])


@only_server
def test_what_is_not_hex_is_said(explorer: Any) -> None:
    explorer.show("mode=bytes&form=utf-8")
    explorer.page.fill("#hex", "41 zz")
    expect(explorer.page.locator(".notes .wrong")).to_have_text("“z” is not a hex digit")
    explorer.page.fill("#hex", "41 \u202e")
    expect(explorer.page.locator(".notes .wrong")).to_have_text("U+202E is not a hex digit")
    explorer.page.fill("#hex", "41 4")
    expect(explorer.row("utf-8")).to_have_text(["41", "04"])


LITERALS = {
    r"b'cafe\xe9'": "63 61 66 65 E9",
    "b'ab'": "61 62",
    r"""B"it's\n\t\r\\\"\0\101\777\18" """: "69 74 27 73 0A 09 0D 5C 22 00 41 FF 01 38",
    "'ED A0'": "ED A0",
}
NOT_LITERALS = {
    "b'\u00e9'": "U+00E9 must be written as an escape in b'…'",
    r"b'\x4'": "“\\” must be written as an escape in b'…'",
    'b"a"b"': '“"” must be written as an escape in b"…"',
    "b'ab": "“'” is not a hex digit",
}


@only_server
def test_a_literal_of_pythons_bytes_is_those_bytes(explorer: Any) -> None:
    explorer.show("tab=bits")
    field = explorer.page.locator("#bits-hex")
    for written, units in LITERALS.items():
        field.fill(written)
        field.press("Enter")
        expect(field).to_have_value(units)
        explorer.settle()
    explorer.show("mode=bytes&form=utf-8")
    for written, why in NOT_LITERALS.items():
        explorer.page.fill("#hex", written)
        expect(explorer.page.locator(".notes .wrong")).to_have_text(why)


def test_a_dropped_file_is_paged_at_the_edge_of_a_sequence(explorer: Any) -> None:
    explorer.drop("<img src=x onerror=alert(1)>.txt", b"a" * 65_535 + "\u20ac".encode() + b"a" * 74_462)
    expect(explorer.page.locator(".pages p")).to_contain_text("bytes 0 to 65,538 of 140,000")
    explorer.tab("Faults")
    expect(explorer.page.locator(".verdict")).to_have_text(["Well-formed in utf-8."])
    explorer.page.get_by_role("button", name="Next 64 KiB").click()
    expect(explorer.page.locator(".pages p")).to_contain_text("bytes 65,538 to 131,074 of 140,000")
    explorer.settle()
    expect(explorer.page.locator(".verdict")).to_have_text(["Well-formed in utf-8."])
    explorer.page.get_by_role("button", name="Next 64 KiB").click()
    expect(explorer.page.get_by_role("button", name="Next 64 KiB")).to_be_disabled()


@only_server
def test_another_form_begins_a_file_again(explorer: Any) -> None:
    explorer.show("form=utf-8&tab=faults")
    explorer.drop("pairs", b"ab\xed\xa0\xbd\xed\xb8\x80\n" * 20_000)
    turn_page(explorer)
    expect(explorer.page.locator(".verdict")).to_have_text(re.compile(r"^\d\d,\d{3} faults: \d\d,\d{3} × surrogate$"))
    explorer.page.select_option("#form", "cesu-8")
    expect(explorer.page.locator(".verdict")).to_have_text(["Well-formed in cesu-8."])
    expect(explorer.page.locator(".pages p")).to_contain_text("bytes 0 to 65,537 of 180,000")
    turn_page(explorer)
    expect(explorer.page.locator(".verdict")).to_have_text(["Well-formed in cesu-8."])
    expect(explorer.page.locator(".pages p")).to_contain_text("bytes 65,537 to 131,075 of 180,000")


@only_server
def test_the_signature_of_a_file_says_how_to_read_every_page(explorer: Any) -> None:
    explorer.show("form=utf-16&tab=faults")
    explorer.drop("big-endian", b"\xfe\xff" + b"\x00A" * 70_000)
    turn_page(explorer)
    expect(explorer.page.locator(".verdict")).to_have_text(["Well-formed in utf-16-be."])
    explorer.tab("Side by side")
    expect(explorer.row("utf-8").first).to_have_text("41")


@only_server
def test_a_mark_stands_only_where_the_input_begins(explorer: Any) -> None:
    explorer.show("text=" + "a" * 50)
    length = explorer.page.locator('.row[data-form="utf-16"] .length')
    expect(explorer.page.locator('.row[data-form="utf-16"] .signature')).to_have_text(["FF FE"])
    expect(length).to_have_text("98 bytes")
    explorer.page.get_by_role("button", name="On", exact=True).click()
    expect(explorer.row("utf-16")).to_have_text(["61 00", "61 00"])
    expect(explorer.page.locator('.row[data-form="utf-16"] .signature')).to_have_count(0)
    expect(length).to_have_text("4 bytes")


@only_server
def test_of_a_long_sequence_the_beginning_is_shown_and_called_so(explorer: Any) -> None:
    explorer.show(f"mode=bytes&form=corrected-utf-8&hex=61{'FF' * 65}62")
    beginning = " ".join(["FF"] * 64) + " …"
    expect(explorer.row("corrected-utf-8")).to_have_text(["61", beginning, "62"])
    explorer.tab("Faults")
    expect(explorer.page.locator(".choice code")).to_have_text([beginning])
    expect(explorer.page.locator(".context")).to_have_text(f"61 {beginning} 62")


@only_server
def test_a_sequence_that_the_end_of_a_page_cuts_is_no_fault(explorer: Any) -> None:
    explorer.show("form=auto&tab=faults")
    explorer.drop("kanji", "\u6f22".encode() * 70_000)
    expect(explorer.page.locator("#identified")).to_contain_text("Identified as utf-8, well-formed.")
    explorer.drop("one fault", "\u6f22".encode() * 70_000 + b"\xff")
    expect(explorer.page.locator("#identified")).to_contain_text("Identified as utf-8, well-formed.")
    explorer.drop("in the page", b"\xff" + "\u6f22".encode() * 70_000)
    expect(explorer.page.locator("#identified")).to_contain_text("Identified as utf-8, 1 fault.")


@only_server
@pytest.mark.parametrize("form", ["utf-8", "auto"])
def test_longer_bytes_are_cut_after_a_sequence(explorer: Any, form: str) -> None:
    explorer.show(f"mode=bytes&form={form}&tab=faults")
    explorer.page.fill("#hex", "E6BCA2" * 22_500)
    explorer.settle()
    expect(explorer.page.locator(".notes .note")).to_have_text(
        "Only the first 64 KiB are used. Drop longer input as a file."
    )
    expect(explorer.page.locator(".verdict")).to_have_text(["Well-formed in utf-8."])


@only_server
def test_longer_text_is_cut_after_a_sequence(explorer: Any) -> None:
    explorer.show("form=cesu-8&tab=faults")
    explorer.page.fill("#text", "\U0001f600" * 16_000)
    explorer.settle()
    expect(explorer.page.locator(".notes .note")).to_have_text("The bytes are cut after 64 KiB.")
    expect(explorer.page.locator(".verdict")).to_have_text(["Well-formed in cesu-8."])


@only_server
def test_of_long_text_no_more_is_read_than_is_used(explorer: Any) -> None:
    explorer.show("tab=faults")
    explorer.page.evaluate(COUNT_CODE_POINTS)
    explorer.page.fill("#text", "a" * 200_000)
    expect(explorer.page.locator(".notes .note")).to_have_text("Only the first 16384 code points are used.")
    expect(explorer.page.locator("#status")).to_have_attribute("data-link", "The input is too long for a link.")
    assert explorer.page.evaluate("codePointsRead") < 50_000
    explorer.reload()


@only_server
def test_of_long_text_that_is_pasted_no_more_is_read_than_is_used(explorer: Any) -> None:
    explorer.show("tab=faults")
    explorer.page.evaluate(COUNT_CODE_POINTS)
    explorer.page.locator("#text").evaluate(PASTE, 10_000)
    expect(explorer.page.locator(".notes .note").first).to_have_text("Only the first 16384 code points are used.")
    assert explorer.page.evaluate("codePointsRead") < 50_000
    explorer.reload()


@only_server
def test_what_nobody_wants_any_more_is_not_asked(explorer: Any) -> None:
    explorer.show(f"{CESU}&tab=repair")
    page = explorer.page
    page.evaluate(HOLD_QUESTIONS)
    page.get_by_role("radio", name="escape").focus()
    for _ in range(5):
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(50)
    page.evaluate("letGo()")
    expect(page.get_by_role("radio", name="cp1252")).to_be_focused()
    explorer.settle()
    expect(page.locator("#after")).to_have_text("4F 4B 20 C3 AD C2 A0 C2 BD C3 AD C2 B8 E2 82 AC")
    asked = page.evaluate("policiesAsked")
    assert len(asked) <= 2, asked
    assert asked[-1] == "cp1252"
    explorer.reload()


@only_server
def test_a_refusal_that_is_not_json_shows_its_status(explorer: Any) -> None:
    explorer.page.route("**/api/*", lambda asked: asked.fulfill(status=502, body="Bad Gateway"))
    explorer.page.fill("#text", "behind a proxy")
    expect(explorer.page.get_by_role("alert")).to_have_text("This could not be answered: status 502")
    explorer.page.unroute_all()
    explorer.wrong.clear()  # The browser reports the status of each answer.


@only_server
def test_a_place_on_a_later_page_is_one_of_the_file_or_is_said_to_be_of_the_page(explorer: Any) -> None:
    explorer.show("form=utf-8&tab=faults")
    explorer.drop("late", b"a" * 65_536 + b"\n\nb\xff" + b"a" * 70)
    page = explorer.page
    expect(page.locator(".verdict")).to_have_text(["Well-formed in utf-8."])
    turn_page(explorer)
    expect(page.locator(".choice .place")).to_have_text(["65539"])
    expect(page.locator(".fault-detail dd").first).to_have_text(
        "bytes 65539 to 65540 of the file; line 3, column 2 of this page"
    )
    explorer.tab("Repair")
    expect(page.locator("table th").first).to_have_text("line:column of this page")
    expect(page.get_by_role("heading", name="Does this page come back exactly?")).to_be_visible()
    explorer.tab("Side by side")
    page.get_by_role("button", name="On", exact=True).click()
    expect(page.locator(".moves")).to_contain_text("from byte 65,584")


@only_server
def test_text_that_is_dropped_is_left_to_the_browser(explorer: Any) -> None:
    assert explorer.page.evaluate(DROP_TEXT)


@only_server
def test_the_name_of_a_file_does_not_turn_the_line_around(explorer: Any) -> None:
    explorer.drop("\u202etxt.exe", b"a" * 70_000)
    expect(explorer.page.locator(".pages strong bdi")).to_have_text("\u202etxt.exe")


def test_the_state_comes_back_from_the_address(explorer: Any) -> None:
    explorer.show(f"{CESU}&tab=repair&policy=pairs")
    explorer.reload()
    expect(explorer.page.get_by_role("tab", name="Repair")).to_have_attribute("aria-selected", "true")
    expect(explorer.page.locator("input[value=pairs]")).to_be_checked()
    expect(explorer.page.locator("#after")).to_have_text("4F 4B 20 F0 9F 98 80")


# --- the views --------------------------------------------------------------------------------------------------------


def test_the_same_code_point_is_linked_in_every_form(explorer: Any) -> None:
    explorer.page.fill("#text", "a\u20ac")
    expect(explorer.row("utf-8")).to_have_text(["61", "E2 82 AC"])
    explorer.settle()
    explorer.row("utf-8").nth(1).hover()
    expect(explorer.page.locator(".row[data-form=utf-16-be] .linked")).to_have_text(["20 AC"])
    expect(explorer.page.locator("#detail")).to_contain_text("U+20AC EURO SIGN")
    explorer.row("utf-32-be").first.focus()
    expect(explorer.page.locator(".row[data-form=mutf-8] .linked")).to_have_text(["61"])


@only_server
def test_what_is_ill_formed_has_no_bytes_in_a_form(explorer: Any) -> None:
    explorer.show(CESU)
    detail = explorer.page.locator("#detail .said")
    for cell in ("[data-form=utf-8] .fault", "[data-form=wtf-8] .gap"):
        explorer.page.locator(f".row{cell}").first.hover()
        expect(detail).to_have_text("surrogate surrogate U+D83D (ED A0 BD), which utf-8 cannot hold")
        explorer.row("utf-8").first.hover()
        expect(detail).to_have_text("U+004F LATIN CAPITAL LETTER Outf-8: 4F")


@only_server
def test_both_halves_of_a_joined_pair_are_linked(explorer: Any) -> None:
    explorer.page.fill("#text", "\\uD83D\\uDE00")
    expect(explorer.row("wtf-8")).to_have_text(["F0 9F 98 80"])
    explorer.settle()
    explorer.row("optu-8").nth(1).hover()
    expect(explorer.page.locator(".row[data-form=wtf-8] .linked")).to_have_text(["F0 9F 98 80"])


def test_toggling_bits_shows_the_code_point_or_the_rule(explorer: Any) -> None:
    explorer.show("text=%C3%A9&tab=bits")
    page = explorer.page
    page.get_by_role("button", name="byte 2, bit 0").click()
    expect(page.locator(".result")).to_contain_text(["U+00E8 LATIN SMALL LETTER E WITH GRAVE"])
    expect(page.locator(".rule")).to_have_text(["row: U+0080-U+07FF: C2-DF 80-BF"])
    assert page.evaluate("document.activeElement.dataset.key") == "bit-1-7"
    page.get_by_role("button", name="byte 1, bit 1").click()
    page.get_by_role("button", name="byte 1, bit 0").click()
    expect(page.locator(".result .badge")).to_have_text(["overlong"])
    expect(page.locator(".result .source")).to_have_text(["source: utf8(7), c0-c1"])
    page.fill("#bits-point", "U+D800")
    page.press("#bits-point", "Enter")
    expect(page.locator(".result .badge")).to_have_text(["surrogate"])


@only_server
def test_payload_bits_are_marked_in_every_byte_order(explorer: Any) -> None:
    marked = {}
    for form, hex in (
        ("utf-16-le", "3DD800DE"),
        ("utf-16-be", "D83DDE00"),
        ("utf-8", "F09F9880"),
        ("utf-32-le", "00F60100"),
    ):
        explorer.show(f"mode=bytes&hex={hex}&form={form}&tab=bits")
        kinds = explorer.page.locator(".bit").evaluate_all(
            "all => all.map(e => e.classList.contains('payload') ? 1 : 0)"
        )
        marked[form] = "".join(map(str, kinds))
    assert marked["utf-16-be"] == "0000001111111111" * 2
    assert marked["utf-16-le"] == "1111111100000011" * 2
    assert marked["utf-8"] == "00000111" + "00111111" * 3
    assert marked["utf-32-le"].endswith("0" * 8)


BIG_ENDIAN = {
    "utf-16": ("FEFF004100420043", "2", "00 41"),
    "wtf-16": ("FEFF004100420043", "2", "00 41"),
    "optu-16": ("FEFF004100420043", "2", "00 41"),
    "utf-32": ("0000FEFF0000004100000042", "4", "00 00 00 41"),
}


@only_server
@pytest.mark.parametrize("form", BIG_ENDIAN)
def test_bits_are_read_in_the_byte_order_of_the_signature(explorer: Any, form: str) -> None:
    given, chosen, units = BIG_ENDIAN[form]
    explorer.show(f"mode=bytes&hex={given}&form={form}&tab=bits&chosen={chosen}")
    page = explorer.page
    expect(page.locator(".result")).to_contain_text(["U+0041 LATIN CAPITAL LETTER A"])
    expect(page.locator("#bits-hex")).to_have_value(units)
    page.fill("#bits-point", "U+0042")
    page.press("#bits-point", "Enter")
    expect(page.locator("#bits-hex")).to_have_value(f"{units[:-2]}42")
    page.get_by_role("button", name="Use these bytes as the input").click()
    expect(page.locator("#form")).to_have_value(f"{form}-be")
    expect(page.locator(".result")).to_contain_text(["U+0042"])
    explorer.show(f"mode=bytes&hex={given}&form={form}&tab=bits&chosen=0")
    expect(page.locator(".result")).to_contain_text([f"signature: {form}-be follows"])


@only_server
def test_other_programs_read_the_bytes_of_a_fault_in_the_byte_order_of_the_signature(explorer: Any) -> None:
    explorer.show(f"mode=bytes&hex=FEFF0041D83D0042{'0041' * 40}&form=utf-16&tab=faults")
    peer = explorer.page.locator(".peer", has_text="utf-16")
    expect(peer.locator("h3 span")).to_have_text(["utf-16-be", "utf-16-be", "TextDecoder utf-16be"])
    expect(peer.locator(".badge")).to_have_text(["refuses"] * 3)
    explorer.show("mode=bytes&hex=FEFF0041D83D0042&form=utf-16&tab=faults")
    expect(peer.locator("h3 span")).to_have_text(["utf-16", "utf-16", "TextDecoder utf-16be"])
    expect(peer.locator(".badge")).to_have_text(["refuses"] * 3)


@only_server
def test_a_fault_behind_the_last_is_the_last(explorer: Any) -> None:
    explorer.show("mode=bytes&hex=EDA080EDB080&form=utf-8&tab=faults&fault=999999999")
    expect(explorer.page.locator(".fault-detail mark")).to_have_text(["ED B0 80"])


def test_faults_beside_other_programs(explorer: Any) -> None:
    explorer.show(f"{CESU}&tab=faults")
    page = explorer.page
    expect(page.locator(".verdict")).to_have_text(["2 faults: 2 × surrogate"])
    page.locator(".choice").nth(1).click()
    expect(page.locator(".fault-detail mark")).to_have_text(["ED B8 80"])
    expect(page.locator(".fault-detail")).to_contain_text("utf8(7), eda0-edbf")
    browser = page.locator(".peer", has_text="TextDecoder utf-8")
    expect(browser.locator(".replaced")).to_have_count(6)
    expect(page.locator(".peer", has_text="Java 17").first).to_contain_text("malformed input at byte 3")
    expect(page.locator(".peer", has_text="invalid continuation byte")).to_have_count(1)


def test_a_repair_shows_what_comes_back(explorer: Any) -> None:
    explorer.show(f"{CESU}&tab=repair")
    page = explorer.page
    expect(page.locator(".ways li").first).to_contain_text("exact")
    page.locator("input[value=replace]").check()
    expect(page.locator("#after mark").first).to_have_text("EF BF BD EF BF BD EF BF BD")
    expect(page.locator(".ways li").nth(1)).to_contain_text("not exact")
    page.locator("input[value=pairs]").check()
    expect(page.locator("#after mark")).to_have_text(["F0 9F 98 80"])
    page.get_by_role("button", name="Use the result as the input").click()
    expect(page.locator("#hex")).to_have_value("4F 4B 20 F0 9F 98 80")


def test_tables_are_those_of_the_forms(explorer: Any) -> None:
    explorer.show("tab=tables&table=mutf-8")
    page = explorer.page
    expect(page.locator("table").first).to_contain_text("C0 80")
    expect(page.locator(".matrix tbody tr")).to_have_count(23)
    expect(page.get_by_role("img", name=re.compile("wtf-8 contains utf-8"))).to_be_visible()


def test_a_form_of_ones_own_is_checked_and_used(explorer: Any) -> None:
    explorer.show("text=%C3%A9&tab=own")
    page = explorer.page
    page.get_by_role("button", name="Begin with an example").click()
    expect(page.locator("#own-checked .verdict")).to_contain_text(["A form: 320 code points"])
    page.fill("#own-rows", "0-7F: 00-7F\n80-FF: 00-7F")
    expect(page.locator("#own-checked .wrong")).to_contain_text(["begin alike"])
    page.locator("#own-rows").press("End")
    page.fill("#own-rows", "0-7F:\t00-7F\n80-FF:\t80-FF")
    expect(page.locator("#own-checked .verdict")).to_contain_text(["A form: 256 code points"])
    assert page.evaluate("document.activeElement.id") == "own-rows"
    explorer.tab("Side by side")
    expect(explorer.row("own")).to_have_text(["E9"])


@only_server
def test_other_rows_of_ones_own_begin_at_the_first_fault(explorer: Any) -> None:
    explorer.show("mode=bytes&hex=FFFFFF&own=0-7F%3A+00-7F&form=own&tab=own&fault=2")
    explorer.page.fill("#own-rows", "0-6F: 00-6F")
    expect(explorer.page.locator("#own-checked .verdict")).to_contain_text(["112 code points"])
    explorer.tab("Faults")
    expect(explorer.page.locator(".choice[aria-current] .place")).to_have_text(["0"])


def test_a_form_of_ones_own_is_compared_with_all_others(explorer: Any) -> None:
    explorer.show("own=0-7F%3A+00-7F&tab=tables&table=own")
    page = explorer.page
    expect(page.locator(".matrix tbody tr")).to_have_count(24)
    expect(page.locator(".matrix tbody tr").last.locator("th")).to_have_text("own")
    expect(page.get_by_role("img", name=re.compile("utf-8 contains own"))).to_be_visible()
    expect(page.locator(".diagram .chosen text")).to_have_text("own")
    explorer.show("own=0-FFFF%3A+0000-FFFF&width=16&tab=tables")
    expect(page.locator(".diagram text", has_text="optu-16-be = own")).to_have_count(0)
    expect(page.locator(".note")).to_contain_text(["the same as optu-16-be"])
    explorer.show("own=80-FF%3A+80-FF&tab=tables")
    expect(page.locator(".note")).to_contain_text(["it is not in the diagram"])


# --- what is hostile --------------------------------------------------------------------------------------------------


@only_server
def test_content_is_never_html(explorer: Any) -> None:
    page = explorer.page
    for text in ("<img src=x onerror=alert(1)>", '"><script>alert(1)</script>', "\u202eabc\u2066"):
        page.fill("#text", text)
        explorer.settle()
    explorer.show("tab=%3Cimg%3E&form=%3Cimg%3E&policy=%3Cb%3E&table=%3Cimg%3E&at=-1&chosen=x&fault=9999")
    for fragment in ("tab=tables&table=%3Cimg%3E", "form=%3Cscript%3E", "tab=own&own=%C3%A9", "tab=faults&fault=-5"):
        explorer.show(fragment)
    for fragment in HOSTILE:
        explorer.show(fragment)
        assert "".join(page.locator("#view .wrong[role=alert]").all_inner_texts()) == ""
    assert page.locator("#view img, #view script, #input img").count() == 0


@only_server
def test_another_host_is_refused_by_the_server_itself(explorer: Any) -> None:
    port = explorer.address.rsplit(":", 1)[1].strip("/")
    answer = explorer.page.request.get(f"{explorer.address}", headers={"Host": f"evil.example:{port}"})
    assert answer.status == 403
