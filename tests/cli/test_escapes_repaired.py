"""`repair` and escapes of unpaired surrogates in JSON: left alone unless asked for, else changes of the same plan."""

from __future__ import annotations

import gzip
import json
import re
import shlex
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold import ConversionError, jsontext
from eightfold.cli import main
from eightfold.cli.output.diff import ShownDifference
from eightfold.forms.utf_8 import UTF_8
from eightfold.repair import ESCAPE_POLICIES, Change, Plan, PlanError, Repairer, plan, repair
from support.command_line import ROOT, run

CHAT = b'\xef\xbb\xbf{"a\\uDE00": [1.50, "cut \\ud83d\xff, \\ud83d\\ude00 \\\\ud83d"],\r\n "\\ud83d" : null}\n'
REPAIRED = (
    b'\xef\xbb\xbf{"a\\ufffd": [1.50, "cut \\ufffd\xef\xbf\xbd, \\ud83d\\ude00 \\\\ud83d"],\r\n "\\ufffd" : null}\n'
)
TOLD = "3 escapes of unpaired surrogates in JSON unchanged; --escapes repair replaces them"


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "chat.json"
    path.write_bytes(CHAT)
    return path


# --- the command line -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("escapes", "told"), [([], True), (["--escapes", "report"], True), (["--escapes", "off"], False)]
)
def test_escapes_are_left_alone_and_counted(
    escapes: list[str], told: bool, chat: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["repair", "--errors", "replace", "--lossy", "--in-place", *escapes, "chat.json"]) == 0
    assert chat.read_bytes() == CHAT.replace(b"\xff", b"\xef\xbf\xbd")
    assert (TOLD in capsys.readouterr().err) == told


def test_one_escape_that_is_left_alone_is_one(chat: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chat.write_bytes(b'"\\ud83d"')
    assert main(["repair", "chat.json"]) == 0
    told = "eightfold: 1 escape of an unpaired surrogate in JSON unchanged; --escapes repair replaces it\n"
    assert told in capsys.readouterr().err


def test_the_hooks_never_change_escapes(chat: Path) -> None:
    entries = re.findall(r"entry: eightfold (.*)", (ROOT / ".pre-commit-hooks.yaml").read_text())
    assert len(entries) == 2
    for entry in entries:
        run(*shlex.split(entry), "chat.json", cwd=chat.parent)
    assert chat.read_bytes() == CHAT.replace(b"\xff", b"\xef\xbf\xbd")


def test_a_dry_run_shows_them_among_the_others(chat: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["repair", "--escapes", "repair", "--errors", "replace", "chat.json"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        r'chat.json:1:7: escaped-surrogate: \uDE00 -> \ufffd, at $["a\ude00"] (key)',
        r'chat.json:1:28: escaped-surrogate: \ud83d -> \ufffd, at $["a\ude00"][1]',
        "chat.json:1:34: invalid-byte: FF -> EF BF BD (U+FFFD)",
        r'chat.json:2:3: escaped-surrogate: \ud83d -> \ufffd, at $["\ud83d"] (key)',
    ]


def checked_paths(out: str) -> list[str]:
    return [line.rsplit(", at ", 1)[1] for line in out.splitlines() if ", at $" in line]


@pytest.mark.parametrize("errors", ["replace", "escape"])
@pytest.mark.parametrize("name", ["chat.json", "lines.jsonl", "large.json"])
def test_paths_are_those_of_check(name: str, errors: str, chat: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = b'{"a": [\n' + rb'{"b": ["\ud83d", {"c": "\udE00"}]}' + b"\n" + rb'["' + b"\xff" + rb'\ud83d"]'
    (chat.parent / "lines.jsonl").write_bytes(lines)
    long = b'{"k": [' + b", ".join(rb'{"v": "\ud83d %d"}' % number for number in range(12_000)) + b"]}"
    (chat.parent / "large.json").write_bytes(long)
    main(["check", name])
    expected = checked_paths(capsys.readouterr().out)
    assert len(expected) == {"chat.json": 3, "lines.jsonl": 3, "large.json": 12_000}[name]
    assert main(["repair", "--escapes", "repair", "--errors", errors, name]) == 1
    assert checked_paths(capsys.readouterr().out) == expected
    assert main(["repair", "--escapes", "repair", "--errors", errors, "--plan", "plan.jsonl", name]) == 0
    planned = [json.loads(line) for line in (chat.parent / "plan.jsonl").read_bytes().splitlines()]
    assert [line["json_path"] for line in planned if "json_path" in line] == expected
    assert main(["repair", "--apply", "plan.jsonl"]) == 0
    assert main(["repair", "--undo", "plan.jsonl"]) == 0
    assert (chat.parent / "large.json").read_bytes() == long


def test_standard_input_has_paths_too(chat: Path) -> None:
    done = run("repair", "--escapes", "repair", "--escapes-in", "*", "--errors", "replace", input=CHAT)
    assert checked_paths(done.stdout.decode()) == [r'$["a\ude00"] (key)', r'$["a\ude00"][1]', r'$["\ud83d"] (key)']


def test_a_diff_names_the_first_path_of_a_hunk(chat: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = [rb'{"a": "\ud83d \ud83d",', *[b"1"] * 9, rb'"b": "\ud83d"}', b""]
    (chat.parent / "two.json").write_bytes(b"\n".join(parts))
    assert main(["repair", "--escapes", "repair", "--diff", "two.json"]) == 1
    headings = [line for line in capsys.readouterr().out.splitlines() if line.startswith("@@")]
    assert headings == ["@@ -1,4 +1,4 @@ $.a and 1 more", "@@ -8,4 +8,4 @@ $.b"]


class _Line(int):
    """The number of a line, which counts comparisons."""

    compared = 0

    def __lt__(self, other: int) -> bool:
        type(self).compared += 1
        return super().__lt__(other)


def test_a_hunk_does_not_look_at_the_paths_of_all_others(capsys: pytest.CaptureFixture[str]) -> None:
    difference, count, apart = ShownDifference("a.json", UTF_8, UTF_8), 200, b"\n" * 10
    for line in range(count):
        difference.note(_Line(1 + 10 * line), f"$[{line}]")
    difference.put((b"a" + apart) * count, (b"b" + apart) * count, final=True)
    headings = [line for line in capsys.readouterr().out.splitlines() if line.startswith("@@")]
    assert [heading.split()[-1] for heading in headings] == [f"$[{line}]" for line in range(count)]
    assert count <= _Line.compared <= 2 * count


def test_a_path_in_a_plan_is_data_that_is_checked() -> None:
    values = plan(rb'"\ud83d"', escapes="replace").changes[0].as_dict()
    assert "json_path" not in values
    assert Change.from_dict({**values, "json_path": "$.a"}).json_path == "$.a"
    with pytest.raises(PlanError, match="JSON path that is not a string"):
        Change.from_dict({**values, "json_path": ["$"]})


def test_loss_is_asked_for(chat: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["repair", "--escapes", "repair", "--in-place", "chat.json"]) == 2
    assert chat.read_bytes() == CHAT
    assert "3 lossy changes" in capsys.readouterr().err
    assert main(["repair", "--escapes", "repair", "--errors", "replace", "--lossy", "--in-place", "chat.json"]) == 0
    assert chat.read_bytes() == REPAIRED
    assert main(["check", "--strict", "chat.json"]) == 0


def test_a_plan_is_applied_and_undone(chat: Path) -> None:
    (chat.parent / "b.jsonl").write_bytes(b'["\\ud83d"]\n["\\ude00"]\n')
    escapes = ["--escapes", "repair", "--errors", "replace"]
    assert main(["repair", *escapes, "--plan", "plan.jsonl", "chat.json", "b.jsonl"]) == 0
    lines = [json.loads(line) for line in (chat.parent / "plan.jsonl").read_bytes().splitlines()]
    kinds = [line["kind"] for line in lines if "kind" in line]
    assert kinds == [*["escaped-surrogate"] * 2, "invalid-byte", *["escaped-surrogate"] * 3]
    assert main(["repair", "--apply", "plan.jsonl"]) == 0
    assert chat.read_bytes() == REPAIRED
    assert main(["repair", "--undo", "plan.jsonl"]) == 0
    assert chat.read_bytes() == CHAT


def test_a_certificate_counts_them(chat: Path) -> None:
    options = ["--errors", "replace", "--lossy", "--certificate", "proof", "-o", "out.json"]
    assert main(["repair", "--escapes", "repair", *options, "chat.json"]) == 0
    proof = json.loads((chat.parent / "proof").read_bytes())
    assert (proof["changes"], proof["lossy"], proof["escapes"]) == (4, 4, 3)
    assert (chat.parent / "out.json").read_bytes() == REPAIRED


def test_what_is_compressed_and_standard_input_are_repaired(chat: Path) -> None:
    packed = chat.parent / "chat.json.gz"
    packed.write_bytes(gzip.compress(CHAT))
    options = ["--escapes", "repair", "--errors", "replace", "--lossy"]
    assert main(["repair", *options, "-o", "out.json.gz", "chat.json.gz"]) == 0
    assert gzip.decompress((chat.parent / "out.json.gz").read_bytes()) == REPAIRED
    assert run("repair", *options, "--escapes-in", "*", "-o", "-", input=CHAT).stdout == REPAIRED
    assert b"ud83d\xef\xbf\xbd" in run("repair", *options, "-o", "-", input=CHAT).stdout


def test_strict_stops_at_the_first(chat: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options in (["--errors", "strict"], ["--escapes-errors", "strict"]):
        assert main(["repair", "--escapes", "repair", *options, "-o", "out.json", "chat.json"]) == 1
        told = capsys.readouterr().err
        assert r"chat.json:1:7: escaped-surrogate: escape \uDE00 of an unpaired surrogate, at byte 6" in told
        assert "--escapes-errors replace --lossy" in told
    assert not (chat.parent / "out.json").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--escapes", "mend"], "'mend' is not one of report, repair, off"),
        (["--escapes-errors", "replace"], "--escapes-errors needs --escapes repair"),
        (["--escapes", "repair", "--escapes-errors", "escape"], "'escape' is not one of replace, ignore"),
        (["--escapes", "repair", "--apply", "plan.jsonl"], "do not take --escapes repair"),
    ],
    ids=str,
)
def test_wrong_use(arguments: list[str], said: str, chat: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["repair", *arguments, "chat.json"]) == 2
    assert said in capsys.readouterr().err


# --- the same as jsontext.scrub, whatever the cuts --------------------------------------------------------------------

IN_STRING = (
    *(rb"\ud83d", rb"\uDE00", rb"\u00e9", rb"\ud8", rb"\u", rb"\\", rb"\"", b"3d", b"a"),
    *("é".encode(), b"\xff", b"\xed\xa0\xbd"),
)
POLICIES = [name for name in ESCAPE_POLICIES if name != "strict"]


@pytest.mark.parametrize("policy", POLICIES)
def test_escapes_become_what_scrub_makes_of_them(policy: str) -> None:
    for count in range(4):
        for parts in product(IN_STRING, repeat=count):
            text = b'["' + b"".join(parts) + b'"]'
            well_formed = repair(text, errors="replace")
            assert repair(text, errors="replace", escapes=policy) == jsontext.scrub(well_formed, policy), text


@given(st.lists(st.sampled_from((*IN_STRING, b'"', b"\n", b"\\", b"{", b"[")), max_size=20), st.data())
def test_pieces_add_up_to_the_whole_and_can_be_undone(parts: list[bytes], data: st.DataObject) -> None:
    text = b"".join(parts)
    policy, errors = data.draw(st.sampled_from(POLICIES)), data.draw(st.sampled_from(["escape", "replace", "latin-1"]))
    whole = plan(text, errors=errors, escapes=policy)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    repairer = Repairer(errors=errors, escapes=policy)
    borders = [0, *cuts, len(text)]
    pieces = [repairer.repair(text[start:end]) for start, end in pairwise(borders)]
    pieces.append(repairer.repair(b"", final=True))
    assert b"".join(piece.data for piece in pieces) == whole.apply(text)
    assert tuple(change for piece in pieces for change in piece.changes) == whole.changes
    assert whole.undo(whole.apply(text)) == text
    assert Plan.from_json(whole.to_json()) == whole
    assert repair(whole.apply(text), errors="replace", escapes=policy) == whole.apply(text)


def test_every_cut_of_a_file_gives_the_same() -> None:
    for cut in range(len(CHAT) + 1):
        repairer = Repairer("utf-8", "replace", escapes="replace")
        found = [repairer.repair(CHAT[:cut]), repairer.repair(CHAT[cut:]), repairer.repair(b"", final=True)]
        assert b"".join(each.data for each in found) == REPAIRED


def test_other_forms_are_repaired_too() -> None:
    assert repair(b'["\xed\xa0\xbd\xed\xb8\x80\\ud83d"]', "cesu-8", escapes="replace") == '["😀\\ufffd"]'.encode()


def test_an_unknown_policy_is_refused_and_strict_names_the_place() -> None:
    with pytest.raises(ValueError, match="escapes must be one of replace, "):
        Repairer(escapes="escape")
    with pytest.raises(ConversionError) as caught:
        plan(b'"\xff\\ud83d"', escapes="strict")
    assert (caught.value.start, caught.value.end, caught.value.fault.kind) == (2, 8, "escaped-surrogate")


def test_strict_names_the_first_place_of_a_later_piece() -> None:
    repairer = Repairer(errors="strict", escapes="strict")
    repairer.repair(b'["a", ')
    for piece, place in ((b'"\xff\\ud83d"]', (7, 8)), (b'"\\ud83d\xff"]', (7, 13))):
        with pytest.raises(ConversionError) as caught:
            repairer.repair(piece)
        assert (caught.value.start, caught.value.end) == place
