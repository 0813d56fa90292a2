# ruff: noqa: RUF001
"""Mojibake: found in text that went through a legacy charset, never in correct text, in pieces of every size alike."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold import mojibake, repair
from eightfold.mojibake import LINE_BYTES, Mojibake, MojibakeFault, MojibakeFinder, mended
from eightfold.repair import Plan, PlanError
from eightfold.repair.changes import Change
from eightfold.repair.mojibake import MojibakeRepairer
from eightfold.stream import Checker

ROOT = Path(__file__).parents[2]
TEXTS = {path.stem: path.read_bytes() for path in sorted((Path(__file__).parent / "texts").glob("*.txt"))}
WORDS = json.loads((ROOT / "benchmarks" / "words.json").read_text(encoding="utf-8"))
EXAMPLES = [ROOT / "examples" / name for name in ("letter.txt", "request.json")]
CORRECT = [
    # What looks like the beginning of mojibake and is not.
    "NÃO, SÃO, ÃÂ, Âncora, àéîõü ÀÉÎÕÜ",
    "«Ça», “Œuvre”… à côté – “naïve”",
    "Preço: 5 € ± ½ £ ¥ © ® ° § ¶ · ¿ ¡",
    "São João não há… “É”, «Ã»",
    "Ñandú, ÑÑ, æøå ÆØÅ, ß, ÿ, þð",
    "Зачем? «Съешь» — ещё… №5 €",
    "Ρήγας «Φεραίος» ΄Ο΄",
    "ĄĆĘŁŃÓŚŹŻ ąćęłńóśźż „tak”",
    "č, ř, ž; Ő, ű; ş, ğ, İ, ı",
    "中文：“标点”，。、 日本語「カギ」 한국어 ไทย हिन्दी עברית العربية",
    "😀👍🏽👩‍👩‍👧‍👦 🇩🇪 ™ ½ ¼",
    "Tiếng Việt: ữ ậ ợ ẫ Ặ, Ấ",
]
CHARSETS = ["sloppy-windows-1252", "latin-1", "cp437", "macroman"]
PHRASES = [
    "Zoë’s café – 5 € “naïve” déjà vu",
    "Größe über ± 10 °C",
    "日本語のテキスト",
    "Съешь ещё этих",
    "emoji 👍 ok",
]


def garbled(text: str, charset: str = "sloppy-windows-1252", times: int = 1) -> str:
    import ftfy  # noqa: F401 - It registers the sloppy charsets.

    for _ in range(times):
        text = text.encode().decode(charset)
    return text


def found_in(data: bytes, size: int = 1 << 30) -> list[Mojibake]:
    finder, checker, found = MojibakeFinder(), Checker("utf-8"), list[Mojibake]()
    for at in [*range(0, len(data), size), len(data)]:
        piece, final = data[at : at + size], at >= len(data)
        spans = [(each.fault.start, each.fault.end) for each in checker.check(piece, final)]
        found += finder.find(piece, spans, final)
    return found


def repaired(
    data: bytes, size: int = 1 << 30, errors: str = "escape", escapes: str | None = None
) -> tuple[bytes, list[Change]]:
    repairer, result, changes = MojibakeRepairer(errors=errors, escapes=escapes), b"", list[Change]()
    for at in [*range(0, len(data), size), len(data)]:
        part = repairer.repair(data[at : at + size], final=at >= len(data))
        result += part.data
        changes += part.changes
    return result, changes


# --- correct text -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TEXTS)
def test_correct_text_of_many_scripts_has_none(name: str) -> None:
    assert found_in(TEXTS[name]) == []


@pytest.mark.parametrize("text", CORRECT)
def test_correct_text_that_looks_like_it_has_none(text: str) -> None:
    assert found_in(text.encode()) == []


@pytest.mark.parametrize("script", WORDS)
def test_words_of_many_scripts_in_any_order_have_none(script: str) -> None:
    drawn = random.Random(script)
    words = WORDS[script] if isinstance(WORDS[script], list) else str(WORDS[script]).split()
    lines = (" ".join(drawn.choice(words) for _ in range(12)) for _ in range(60))
    assert found_in("\n".join(lines).encode()) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_examples_have_none(path: Path) -> None:
    assert found_in(path.read_bytes()) == []


# --- mojibake ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize("text", PHRASES[:2])
def test_text_that_went_through_a_charset_is_mended(text: str, charset: str) -> None:
    data = f"one\n{garbled(text, charset)}\n".encode()
    assert repaired(data)[0].decode() == f"one\n{text}\n"


@pytest.mark.parametrize("text", PHRASES)
@pytest.mark.parametrize("times", [1, 2, 3])
def test_several_times_over(text: str, times: int) -> None:
    assert repaired(garbled(text, times=times).encode())[0].decode() == text


def test_four_times_over_is_left() -> None:
    assert list(mended(garbled("é", times=4))) == []


def test_what_is_proved_before_what_is_not_is_mended() -> None:
    assert list(mended(garbled("éè") + b"\xed\xa0\xbd\xed\xb8\x80".decode("latin-1"))) == [(0, 4, "éè")]


def test_places_are_lines_and_columns_in_bytes() -> None:
    data = f"h\u00e9\n\u00e9 {garbled('é')} x {garbled('—')}".encode()
    first, second = found_in(data)
    assert (first.line, first.column, first.start, first.old, first.new) == (2, 4, 7, b"\xc3\x83\xc2\xa9", b"\xc3\xa9")
    assert (second.line, second.column, second.new) == (2, 11, "\u2014".encode())
    assert data[second.start :] == second.old


def test_a_place_as_a_fault_is_a_warning_that_says_what_was_meant() -> None:
    (found,) = found_in(f"caf{garbled('é')}".encode())
    assert isinstance(found.fault, MojibakeFault)
    assert (found.fault.start, found.fault.end, found.fault.units) == (3, 7, b"\xc3\x83\xc2\xa9")
    assert (found.fault.kind, found.fault.severity, found.fault.form) == ("mojibake", "warning", "utf-8")
    assert str(found.fault).endswith("encoded again (C3 83 C2 A9), for U+00E9")
    (many,) = found_in(garbled("é" * 17).encode())
    assert (many.fault.end, many.fault.units) == (68, b"\xc3\x83\xc2\xa9" * 16)
    long = MojibakeFault(start=0, end=99, units=b"\xc3\x83" * 32, meant="\u00e9" * 20)
    assert str(long).endswith(", for" + " U+00E9" * 8 + " ...")


def test_only_mojibake_is_changed() -> None:
    text = "‘quotes’ ＦＵＬＬ &amp; ﬁ \u0085 \ufeff e\u0301 \x1b[0m"
    line = f"{text} {garbled('é')} {text}\n"
    assert repaired(line.encode())[0].decode() == f"{text} é {text}\n"


def test_what_cannot_be_proved_is_left() -> None:
    # The no-break space of à became a space: ftfy alone would write à.
    assert repaired("voilÃ le cafÃ© Ã la carte".encode())[0].decode() == "voilÃ le café Ã la carte"


def test_a_space_behind_a_place_is_not_part_of_it() -> None:
    assert [(start, end) for start, end, _ in mended("\xe0  \xc3\x83 \u2261\u0192")] == [(3, 5)]


def test_a_fault_of_ill_formed_bytes_between_is_repaired_too() -> None:
    data = b"x \xff" + garbled("é").encode() + b"\xe9 " + garbled("à").encode() + b"\xed\xa0\x80"
    result, changes = repaired(data, errors="replace")
    assert result.decode() == "x \ufffdé\ufffd à\ufffd\ufffd\ufffd"
    assert [each.kind for each in changes] == ["invalid-byte", "mojibake", "truncated", "mojibake", "surrogate"]


# --- pieces, bounds, undoing ------------------------------------------------------------------------------------------


def mixture(seed: int) -> bytes:
    drawn = random.Random(seed)
    parts = [*PHRASES, "plain ascii", "\n", "\n", "é", "ÃÃ", "â", *map(garbled, PHRASES), garbled("é", times=2)]
    bad = [b"\xff", b"\xe9", b"\xed\xa0\xbd", b"\xc3", b"\xf0\x9f"]
    return b" ".join(drawn.choice([*bad, *(part.encode() for part in parts * 2)]) for _ in range(40))


@pytest.mark.parametrize("seed", range(6))
def test_pieces_of_every_size_are_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mojibake, "LINE_BYTES", 64)
    data = mixture(seed)
    whole = repaired(data)
    assert [each for each in whole[1] if each.kind == "mojibake"]
    for size in (1, 2, 7, 63, 64, 65, 200):
        assert repaired(data, size) == whole
        assert found_in(data, size) == found_in(data)


def test_a_short_part_before_a_long_one_is_judged_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mojibake, "LINE_BYTES", 24)
    # A part that is only the space, and one without ASCII that ends where a character does: 23 bytes in all.
    data = " ÃÂ\u0415\u0451x0∆x—Ä–∏xx≤–µ—Ç".encode().replace(b"x", b"\x80").replace(b"0", b"\xb0")
    parts = list[bytes]()
    judged = MojibakeFinder._mended

    def noted(self: MojibakeFinder, content: bytes, start: int, end: int) -> object:
        parts.append(content[start:end])
        return judged(self, content, start, end)

    monkeypatch.setattr(MojibakeFinder, "_mended", noted)
    whole, parts_of_whole = found_in(data), parts.copy()
    for size in (1, 3, 40):
        parts.clear()
        assert (found_in(data, size), parts) == (whole, parts_of_whole)


@pytest.mark.parametrize("before", ["", "é", "€", "é€", "😀"])
@pytest.mark.parametrize("each", [garbled("é"), "😀"])
def test_a_line_without_ascii_is_cut_between_characters(
    before: str, each: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mojibake, "LINE_BYTES", 24)
    parts = list[str]()
    monkeypatch.setattr(
        MojibakeFinder, "_mended", lambda finder, line, start, end: parts.append(line[start:end].decode()) or ()
    )
    text = before + each * 20
    for size in (1, 7, 100):
        parts.clear()
        found_in(text.encode(), size)
        assert "".join(parts) == text
        assert max(len(part.encode()) for part in parts) <= 24


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("errors", ["escape", "replace", "cp1252"])
def test_every_change_is_undone_to_the_byte(seed: int, errors: str) -> None:
    from hashlib import sha256

    data = mixture(seed)
    result, changes = repaired(data, 11, errors)
    assert any(each.kind == each.policy == "mojibake" and each.lossy for each in changes)
    plan = Plan("utf-8", errors, sha256(data).hexdigest(), sha256(result).hexdigest(), tuple(changes))
    again = Plan.from_json(plan.to_json())
    assert again == plan
    assert again.apply(data) == result
    assert again.undo(result) == data


def test_a_plan_with_another_policy_is_still_refused() -> None:
    values = Change(0, b"\xff", b"?", "invalid-byte", "mojibake", 1, 1).as_dict()
    assert Change.from_dict(values).lossy
    with pytest.raises(PlanError, match="no known kind and policy"):
        Change.from_dict({**values, "policy": "nil"})


@given(data=st.binary(max_size=80))
def test_any_bytes_are_repaired_as_without_it_but_for_mojibake(data: bytes) -> None:
    result, changes = repaired(data, 5, "replace")
    if not any(each.kind == "mojibake" for each in changes):
        assert result == repair.repair(data, errors="replace")


def test_what_is_held_is_bounded_and_time_is_linear() -> None:
    for part in ("Ã", "Ã©", "â‚¬", "Рџ", "é", "\u4e2d"):
        finder, data = MojibakeFinder(), part.encode()
        begun = time.process_time()
        for _ in range(20):
            finder.find(data * (8192 // len(data)))
            assert sum(map(len, finder._held)) == finder._held_bytes <= LINE_BYTES + 8192 + 16
        assert time.process_time() - begun < 20


def test_many_faults_take_linear_time() -> None:
    # With each line compared with each fault this takes minutes.
    garbage = random.Random(1).randbytes(200_000)
    checker, finder = Checker("utf-8"), MojibakeFinder()
    spans = [(each.fault.start, each.fault.end) for each in checker.check(garbage, final=True)]
    begun = time.process_time()
    finder.find(garbage, spans, final=True)
    assert len(spans) > 50_000
    assert time.process_time() - begun < 10


def test_small_pieces_of_a_long_line_take_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    # With all that is held examined for each piece this takes minutes.
    monkeypatch.setattr(mojibake, "LINE_BYTES", 1 << 18)
    data = b"\xff\xfe " * 60_000
    begun = time.process_time()
    result, changes = repaired(data, 4, "replace")
    assert (result.decode(), len(changes)) == ("\ufffd\ufffd " * 60_000, 120_000)
    assert time.process_time() - begun < 20


def test_a_long_line_in_one_piece_takes_linear_time() -> None:
    # With each part sought from the beginning of the line this takes minutes.
    data = "\u4e2d\u6587".encode() * 6_000_000
    begun = time.process_time()
    assert MojibakeFinder().find(data, final=True) == []
    assert time.process_time() - begun < 10


def test_a_long_line_is_mended_in_parts() -> None:
    line = " ".join([garbled("déjà vu")] * 4000)
    assert len(line) > 2 * LINE_BYTES
    assert repaired(line.encode(), 5000)[0].decode() == " ".join(["déjà vu"] * 4000)


@pytest.mark.parametrize("size", [1000, LINE_BYTES + 50])
def test_a_part_of_a_long_line_may_end_inside_an_escape(size: int) -> None:
    mark = garbled("é").encode()
    for before in range(LINE_BYTES - 14, LINE_BYTES + 2):
        data = b"a" * (before - len(mark)) + mark + rb"\ud83d\ude00\ude00\ud83d" + b"b" * 60 + mark
        result, changes = repaired(data, size, escapes="replace")
        expected = data.replace(mark, "é".encode()).replace(rb"\ude00\ud83d", rb"\ufffd\ufffd")
        assert (result, [each.start for each in changes]) == (
            expected,
            [before - len(mark), before + 12, before + 18, len(data) - len(mark)],
        )


def test_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="not mended in cesu-8"):
        MojibakeRepairer("cesu-8")


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ftfy", None)
    for make in (MojibakeRepairer, MojibakeFinder):
        with pytest.raises(ModuleNotFoundError, match=r"^mojibake needs ftfy: pip install 'ftfy") as caught:
            make()
        assert caught.value.name == "ftfy"


WHEN_USED = """
import sys
from eightfold.mojibake import mended
print("ftfy" in sys.modules, ascii([*mended("caf\\xc3\\xa9")]), "ftfy" in sys.modules)
"""


def test_the_extra_is_imported_when_used() -> None:
    done = subprocess.run([sys.executable, "-c", WHEN_USED], capture_output=True, text=True, check=True)
    assert done.stdout == "False [(3, 5, '\\xe9')] True\n"
