"""The benchmarks measure what they say: texts without a period, both sides equal, a goal for every row.

No time is asserted.
"""

from __future__ import annotations

import json
import os
import re
import sys
import zlib
from itertools import pairwise
from pathlib import Path

import pytest

import eightfold
from benchmarks import __main__ as command
from benchmarks import peers, profiles, record, results, row, scaling, tables, texts, timing
from benchmarks.goals import TABLE, UNSET, goal, missed
from benchmarks.row import KIB, MIB, Cell, Row
from benchmarks.rows import ROWS, lane, races
from benchmarks.timing import Effort, Spread

ONCE = Effort(rounds=1, seconds=0)
BLOCK = 1024


def first_repeated_block(data: bytes) -> int | None:
    """Return the place of a block that stands anywhere in what follows it."""
    places = range(0, len(data) - 2 * BLOCK, BLOCK)
    return next((place for place in places if data.find(data[place : place + BLOCK], place + 1) >= 0), None)


def planted_cell(median: float, **other: object) -> Cell:
    given = {"row": "decode", "against": peers.CPYTHON, "text": "ascii", "size": MIB, "text_bytes": MIB, **other}
    return Cell(**given, times=Spread(median, median / 2, median * 2), ours=Spread(1, 1, 1), theirs=Spread(2, 2, 2))


# --- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("script", texts.SCRIPTS)
def test_texts_are_the_same_each_time_and_have_no_period(script: str) -> None:
    text = texts.made().pieces(script, MIB // 4, 1)[0]
    data = text.encode()
    assert MIB // 4 - 3 <= len(data) <= MIB // 4
    assert text == texts.made().pieces(script, MIB // 4, 1)[0]
    assert first_repeated_block(data) is None
    assert len(data) / len(zlib.compress(data)) < 12


def test_a_text_with_a_period_would_be_found() -> None:
    short = texts.made().pieces("greek", 10_001, 1)[0].encode()
    assert first_repeated_block(short * 3) is not None
    assert len(short * 100) / len(zlib.compress(short * 100)) > 12


def test_there_are_twelve_scripts_of_every_length_and_mixed_html() -> None:
    made = texts.made()
    assert len(texts.SCRIPTS) == 13
    largest = {script: max(made.pieces(script, 64 * KIB, 1)[0]) for script in texts.SCRIPTS}
    assert largest["ascii"] < "\x80" <= largest["latin"] < "\u0100" <= largest["cyrillic"] < "\u0800"
    assert {script for script, point in largest.items() if point > "\uffff"} == {"emoji"}
    assert set(texts.SAMPLE) < set(texts.SCRIPTS)
    markup = made.pieces(texts.MIXED, 64 * KIB, 1)[0]
    assert "</a> " in markup
    assert 0.5 < sum(map(str.isascii, markup)) / len(markup) < 0.9


def test_short_texts_are_many_and_differ() -> None:
    for script in texts.SCRIPTS:
        pieces = texts.made().pieces(script, 64, 256)
        assert len(set(pieces)) == 256
        assert all(58 <= len(piece.encode()) <= 64 for piece in pieces)


@pytest.mark.parametrize("one_in", [10, 100, 1000])
def test_what_is_planted_is_as_dense_as_it_says(one_in: int) -> None:
    clean = texts.made().pieces("cyrillic", 64 * KIB, 1)[0]
    text = texts.with_surrogates(clean, one_in)
    assert len(re.findall("[\ud800-\udfff]", text)) == len(clean) // one_in
    assert not re.search("[\ud800-\udbff][\udc00-\udfff]", text)
    places = [place.start() for place in re.finditer("[\ud800-\udfff]", text)]
    assert len({after - before for before, after in pairwise(places)}) > 1
    faults = sum(1 for _ in eightfold.faults(texts.with_ill_formed(clean, one_in), "utf-8"))
    # Two that happen to stand side by side can be one: E9, then 80.
    assert 0.98 * (len(clean) // one_in) <= faults <= len(clean) // one_in


def test_what_is_ill_formed_stays_so_beside_another() -> None:
    clean = texts.made().pieces("cyrillic", MIB, 1)[0]
    kept = texts.with_ill_formed(clean, 10).decode("utf-8", "ignore")
    assert len(clean) - len(kept) == len(clean) // 10


def test_corpora_are_read_from_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no \*\.txt"):
        texts.of_corpora(tmp_path)
    (tmp_path / "Korean-words.txt").write_text("사람 시간\n물", "utf-8")
    corpora = texts.of_corpora(tmp_path)
    assert corpora.names == ("Korean-words.txt",)
    assert set(corpora.pieces("Korean-words.txt", 1000, 1)[0].split()[:-1]) == {"사람", "시간", "물"}
    assert goal("decode", peers.CPYTHON, "Korean-words.txt", MIB) == goal("decode", peers.CPYTHON, "korean", MIB)


# --- rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", ROWS, ids=lambda each: f"{each.name}, {each.against}")
def test_every_row_runs_and_its_sides_agree(each: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = peers.tools(each.against)
    if tools is None:
        pytest.skip(f"the peer {each.against} is not installed: pip install 'eightfold[bench]'")
    monkeypatch.setattr(row, "SMALL_BYTES", 4 * KIB)
    for text in ("emoji", texts.MIXED):
        cell = row.measure(each, texts.made(), text, 4 * KIB, tools, ONCE)
        assert (cell.row, cell.against, cell.text, cell.size) == (each.name, each.against, text, 4 * KIB)
        assert cell.times.low <= cell.times.median <= cell.times.high
        assert cell.ours.low > 0


@pytest.mark.parametrize("each", races.ROWS, ids=lambda each: each.name)
@pytest.mark.skipif(not races.can_run(), reason="simdutf is raced in Rust: the core and cargo are needed")
@pytest.mark.skipif("EIGHTFOLD_RACE" not in os.environ, reason="compiles the core again: make full runs it")
def test_the_race_with_simdutf_runs(each: Row) -> None:
    cells = list(races.run(each, texts.made(), ("ascii", "emoji"), (4 * KIB,), Effort(rounds=3, seconds=0)))
    assert [cell.text for cell in cells] == ["ascii", "emoji"]
    assert {cell.row for cell in cells} == {each.name}
    assert all(0 < cell.times.low <= cell.times.median <= cell.times.high for cell in cells)


def test_sides_that_differ_are_refused() -> None:
    row_of_two = Row("planted", peers.CPYTHON, "data.upper()", "data", lambda text: {"data": text.encode()})
    with pytest.raises(ValueError, match="does not hold that mine == other"):
        row.measure(row_of_two, texts.made(), "ascii", 64, {}, ONCE)


def test_dirty_rows_are_dirty() -> None:
    clean = texts.made().pieces("chinese", 16 * KIB, 1)[0]
    densities = [each for each in ROWS if re.search(r"\b1 .*in \d+$", each.name)]
    assert len(densities) > 40
    for each in densities:
        for name, subject in each.subjects(clean).items():
            dirty = subject if isinstance(subject, str) else subject.decode("utf-8", "surrogateescape")
            if each.name.startswith("wtf-16") and name == "data":
                dirty = subject.decode("utf-16-le", "surrogatepass")
            assert dirty != clean, (each.name, name)


def test_a_peer_that_is_missing_is_skipped_with_a_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> dict[str, object]:
        raise ImportError

    monkeypatch.setattr(peers, "PEERS", {**peers.PEERS, peers.MUTF8: missing})
    monkeypatch.setattr(command, "ENGINE", "native")
    assert command.main(["--only", peers.MUTF8, "--bytes", "64"]) == 0
    printed = capsys.readouterr()
    assert "cesu-8 decode: skipped, PyPI mutf8 is not installed" in printed.err
    assert "\n0 cells" in printed.out


# --- timing -----------------------------------------------------------------------------------------------------------


def test_a_statement_runs_once_for_each_case_in_each_round() -> None:
    seen: list[tuple[str, int]] = []
    tools = {"note": lambda who, number: seen.append((who, number))}
    cases = [{"number": 1}, {"number": 2}]
    ours, theirs = (timing.timer(f"note({who!r}, number)", cases, tools) for who in ("ours", "theirs"))
    assert len(timing.race(ours, theirs, Effort(rounds=2, seconds=0))) == 2
    once = {who: [(who, 1), (who, 2)] for who in ("ours", "theirs")}
    calibration = once["ours"] + once["theirs"]
    assert seen == [*calibration, *once["theirs"], *once["ours"], *once["ours"], *once["theirs"]]


def test_repeats_are_found_for_a_length_of_time() -> None:
    class Clock:
        """Takes a tenth of a second for each repeat, and counts what it was asked for."""

        def timeit(self, number: int) -> float:
            return number / 10

    assert timing.calibrated(Clock(), 0.1) == 1
    assert 30 <= timing.calibrated(Clock(), 3) <= 40


def test_ratios_are_those_of_each_round() -> None:
    each = row.cell(ROWS[0], "ascii", MIB, MIB, [(1.0, 2.0), (2.0, 2.0), (1.0, 4.0)])
    assert each.times == Spread(2, 1, 4)
    assert each.ours == Spread(1, 1, 2)
    assert each.gigabytes_per_second == pytest.approx(MIB / 1e9)


# --- goals ------------------------------------------------------------------------------------------------------------


def test_every_row_has_a_goal_or_is_said_to_have_none() -> None:
    with_goals = {(name, line.against) for line in TABLE for name in line.rows}
    measured = {(each.name, each.against) for each in command.ALL_ROWS}
    assert with_goals <= measured
    assert {name for name, _ in measured - with_goals} == set(UNSET)
    assert not {name for name, _ in with_goals} & set(UNSET)


def test_every_goal_is_measured() -> None:
    for line in TABLE:
        for each in command.ALL_ROWS:
            if each.name in line.rows and each.against == line.against:
                assert line.size in each.sizes
                assert set(line.scripts) & set(each.texts)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (("decode", peers.CPYTHON, "ascii", MIB), (1.8, 1.3)),
        (("copy utf-8", peers.COPY, "ascii", MIB), (0.9, 0.9)),
        (("copy wtf-16-le", peers.COPY, "cyrillic", MIB), (0.8, 0.8)),
        (("decode", peers.CPYTHON, "hebrew", MIB), (3, 1.8)),
        (("decode", peers.CPYTHON, "emoji", 64 * MIB), (2, 2)),
        (("decode", peers.CPYTHON, "thai", 64), (1.8, 1)),
        (("encode", peers.CPYTHON, "latin", MIB), (8, 3)),
        (("validate", peers.SIMDUTF, "latin", MIB), (1, 0.95)),
        (("transcode utf-8 to utf-16-le", peers.SIMDUTF, "latin", 64 * KIB), (0.9, 0.9)),
        (("wtf-8 decode, 1 surrogate in 10", peers.CPYTHON, "latin", MIB), (20, 8)),
        (("mutf-8 encode", peers.MUTF8, "emoji", MIB), (2, 1.5)),
        (("mutf-8 encode", peers.OURS, "emoji", MIB), (0.6, 0.5)),
    ],
)
def test_goals_are_those_that_were_set(cell: tuple[str, str, str, int], expected: tuple[float, float]) -> None:
    found = goal(*cell)
    assert found is not None
    assert (found.avx512, found.avx2) == expected


def test_there_is_no_goal_for_other_sizes_and_texts() -> None:
    assert goal("decode", peers.CPYTHON, "ascii", 100) is None
    assert goal("decode", peers.CPYTHON, "a file", MIB) is None
    assert goal("wtf-16-le decode, clean", peers.CPYTHON, "emoji", MIB) is None


def test_what_falls_short_is_found_by_the_instruction_set() -> None:
    cells = [planted_cell(1.8), planted_cell(1.5), planted_cell(1.2), planted_cell(0.1, size=100)]
    assert missed(cells, "avx512") == cells[1:3]
    assert missed(cells, "avx2") == cells[2:3]


def of_the_lane(name: str, text: str, times: float, *, theirs: float = 0.001) -> Cell:
    spread = Spread(times, times, times)
    seconds = Spread(theirs, theirs, theirs)
    return Cell(name, peers.CPYTHON, text, MIB, 10**6, spread, Spread(theirs / times, 0, 0), seconds)


@pytest.mark.parametrize(
    ("name", "text", "least"),
    [
        ("lane: utf-8 decode", "chinese", 0.8),
        ("lane: cesu-8 decode", "chinese", 0.1),
        ("lane: mutf-8 encode", "ascii", 0.5),
        ("lane: utf-8 is_well_formed", "ascii", 0.1),
        # 20 MB/s are 50 ms for a megabyte, for which the other side takes 1 ms.
        ("lane: utf-8 decode replace, 1 in 1000", "latin", 0.02),
    ],
)
def test_the_engine_without_the_core_has_goals_of_its_own(name: str, text: str, least: float) -> None:
    assert any(each.name == name and text in each.texts for each in lane.ROWS)
    cells = [of_the_lane(name, text, least * 1.01), of_the_lane(name, text, least * 0.99)]
    assert missed(cells, "python") == cells[1:]
    assert missed(cells, "avx512") == []


def test_results_without_the_core_are_judged_by_its_goals() -> None:
    machine = {"instruction_set": "none", "engine": "python"}
    assert results.Results(machine, ()).column == "python"
    assert results.Results({"instruction_set": "avx2", "engine": "native"}, ()).column == "avx2"


@pytest.mark.parametrize("each", lane.ROWS, ids=lambda each: each.name)
def test_a_row_of_the_lane_does_what_it_says(each: Row) -> None:
    cases, _ = row.cases_of(each, texts.made(), "latin", 4 * KIB)
    row.check(each, cases, peers.VERBS)


def kept(tmp_path: Path, instruction_set: str, *cells: Cell) -> str:
    path = tmp_path / "planted.json"
    machine = {"instruction_set": instruction_set, "processor": "a", "cores": 1, "system": "b", "versions": {"c": "1"}}
    results.write(results.Results(machine, cells), path)
    assert results.read(path).cells == cells
    return str(path)


def test_check_exits_1_where_a_cell_falls_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = kept(tmp_path, "avx512", planted_cell(1.79), planted_cell(2.5))
    assert command.main(["--read", path]) == 0
    assert command.main(["--read", path, "--check"]) == 1
    printed = capsys.readouterr().out
    line = r"^missed: decode +CPython +ascii +1048576 .* 1\.79 \[ +0\.90 +3\.58\] +1\.8 missed$"
    assert re.search(line, printed, re.MULTILINE)
    assert "2 cells, 2 with a goal for avx512: 1 met, 1 missed" in printed


def test_check_exits_0_where_all_goals_are_met(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--read", kept(tmp_path, "avx2", planted_cell(1.3)), "--check"]) == 0
    assert "missed:" not in capsys.readouterr().out


def test_check_exits_2_where_there_are_no_goals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--read", kept(tmp_path, "neon", planted_cell(9)), "--check"]) == 2
    assert "there are no goals for the instruction set neon" in capsys.readouterr().err


# --- the command, and what is written ---------------------------------------------------------------------------------


def test_the_command_measures_prints_and_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "ENGINE", "native")
    path = tmp_path / "results.json"
    asked = ["--only", "encode", "--texts", "c*", "emoji", "--bytes", "16", "1024", "--quick", "--json", str(path)]
    assert command.main(asked) == 0
    found = results.read(path)
    cells = [(cell.row, cell.text, cell.size) for cell in found.cells]
    assert cells == [("encode", text, size) for size in (16, 1024) for text in ("cyrillic", "chinese", "emoji")]
    assert found.machine["instruction_set"] == peers.instruction_set()
    assert {"processor", "cores", "versions", "engine"} <= set(found.machine)
    lines = capsys.readouterr().out.splitlines()
    table = lines[lines.index(results.HEADING) + 1 : -1]
    assert len(table) == len(cells)
    assert len({line.index("[") for line in [results.HEADING, *table]}) == 1


def test_everything_is_measured_and_kept_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    column = results.Results(peers.machine(), ()).column

    def measured(arguments: list[str]) -> int:
        asked.append(arguments)
        Path(kept(tmp_path, "avx512", planted_cell(2))).rename(arguments[1])
        return 0

    monkeypatch.setattr(command, "main", measured)
    assert record.main(["--folder", str(tmp_path / "folder")]) == 0
    assert asked == [["--json", str(tmp_path / "folder" / f"{column}.json")]]
    assert "| ascii | 1 MB | 0.00 | 2 | 1 | 4 | 1.8 | yes |" in (tmp_path / "folder" / f"{column}.md").read_text()


def test_tables_have_each_cell_and_what_was_missed(tmp_path: Path) -> None:
    cells = (planted_cell(1.5), planted_cell(2, text="emoji", size=64 * MIB), planted_cell(3, size=5))
    Path(kept(tmp_path, "avx512", *cells)).rename(tmp_path / "avx512.json")
    found = scaling.Adversary("utf-8", "ASCII", 0.1, "FF only", 5.0, 1.01, None)
    machine = json.loads((tmp_path / "avx512.json").read_text())["machine"]
    (tmp_path / "scaling.json").write_text(json.dumps({"machine": machine, "adversaries": [found._asdict()]}))
    assert record.main(["--tables", "--folder", str(tmp_path)]) == 0
    table = (tmp_path / "avx512.md").read_text()
    assert "## Missed\n\n- decode, against CPython: ascii 1 MB 1.5 of 1.8\n" in table
    assert "| ascii | 1 MB | 0.00 | 1.5 | 0.75 | 3 | 1.8 | **no** |" in table
    assert "| emoji | 64 MB | 0.00 | 2 | 1 | 4 | 2 | yes |" in table
    assert "| decode | CPython | 3 (ascii) | 3 (ascii) |" in table
    assert "| utf-8 | ASCII | 0.1 | FF only | 5 | 50 | 1.01 |  |" in (tmp_path / "scaling.md").read_text()


def test_the_page_has_a_summary_of_both_instruction_sets(tmp_path: Path) -> None:
    cells = (planted_cell(1), planted_cell(4, text="cyrillic"), planted_cell(9, row="utf-16-le encode", text="thai"))
    for column in ("avx512", "avx2"):
        Path(kept(tmp_path, column, *cells)).rename(tmp_path / f"{column}.json")
    page = record.page("<!-- summary -->\nold\n<!-- end of summary -->\n", tmp_path)
    assert "old" not in page
    assert record.page(page, tmp_path) == page
    assert "| decode UTF-8 | CPython | 2 | 1, 4 | 0 of 2 | 2 | 1, 4 | 1 of 2 |" in page
    assert "| encode UTF-16 and UTF-32 | CPython | 9 | 9, 9 |  | 9 | 9, 9 |  |" in page
    with pytest.raises(ValueError, match="0 places for summary"):
        record.page("no marks", tmp_path)


def test_every_row_is_in_one_line_of_the_summary() -> None:
    for each in (*ROWS, *races.ROWS):
        cell = planted_cell(1, row=each.name, against=each.against)
        groups = [group.title for group in tables.GROUPS if tables.cells_of(group, [cell])]
        assert len(groups) == 1, (each.name, each.against, groups)


def test_the_page_is_short_and_the_repository_holds_no_measurements() -> None:
    text = record.PAGE.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 200
    for mark in ("summary", "programs"):
        assert record.between(text, mark, "") != text
    root = record.PAGE.parents[1]
    drawn = root / "docs/images"  # by the generator, from the forms
    data = [path for kind in ("json", "svg") for path in (root / "docs").rglob(f"*.{kind}")]
    assert [path for path in data if drawn not in path.parents] == []
    ignored = f"/{results.MEASUREMENTS.relative_to(root).as_posix()}/"
    assert ignored in (root / ".gitignore").read_text(encoding="utf-8").splitlines()


# --- profiles ---------------------------------------------------------------------------------------------------------


def test_what_is_near_its_goal_is_looked_at() -> None:
    cells = planted_cell(1.5), planted_cell(2.69), planted_cell(2.71), planted_cell(1, size=5)
    near = list(profiles.near(results.Results({"instruction_set": "avx512"}, cells)))
    assert near == [(cells[0], 1.5 / 1.8), (cells[1], 2.69 / 1.8)]


def test_samples_are_shares_of_functions_and_of_what_is_around_them() -> None:
    core, libc, python = "_native.cpython-311-x86_64-linux-gnu.so", "libc.so.6", "libpython3.11.so.1.0"
    lines = [
        (50, "[.] eightfold_core::kernels::avx512::decode::measure", core),
        (9, "[.] eightfold_core::kernels::find::find_point::{{closure}}", core),
        (8, "[.] <eightfold_core::pass::Pass<eightfold_core::form::Form>>::write", core),
        (7, "[.] simdutf::icelake::implementation::validate_utf8(char const*, unsigned long) const", core),
        (6, "[.] _native::decode::decode", core),
        (5, "[.] __memmove_avx512_unaligned_erms", libc),
        (4, "[.] malloc", libc),
        (3, "[.] _PyEval_EvalFrameDefault", python),
        (3, "[.] _PyObject_Free", python),
        (4, "[k] clear_page_erms", "[kernel.kallsyms]"),
        (1, "[.] __tls_get_addr", "ld-linux-x86-64.so.2"),
    ]
    told = "\n\n".join(f"{count} \t{symbol} \t{library} " for count, symbol, library in lines)
    assert list(profiles.shares_of(told).items()) == [
        ("avx512::decode::measure", 0.5),
        ("find::find_point", 0.09),
        ("pass::Pass", 0.08),
        ("simdutf", 0.07),
        ("the binding", 0.06),
        ("the interpreter", 0.06),
        ("memory copied", 0.05),
        ("memory allocated", 0.04),
        ("the system", 0.04),
    ]


def test_without_perf_nothing_is_profiled(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "")
    assert profiles.main([]) == 2
    assert "perf is not installed" in capsys.readouterr().err


# --- scaling ----------------------------------------------------------------------------------------------------------


def test_scaling_measures_and_draws_a_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="the plots need the extra bench")
    if eightfold.ENGINE == "reference":
        pytest.skip("hundreds of inputs, and the reference is slow")
    path = tmp_path / "scaling.json"
    assert (
        scaling.main(["--forms", "wtf-8", "utf-16-be", "--quick", "--json", str(path), "--plots", str(tmp_path)]) == 0
    )
    found = json.loads(path.read_text(encoding="utf-8"))
    assert set(found["size"]) == set(found["density"]) == {"wtf-8", "utf-16-be"}
    assert [at for at, _ in found["size"]["wtf-8"]["encode"]] == [16, 64, 256, 1024, 4096]
    assert [at for at, _ in found["density"]["wtf-8"]][::7] == [0, 1]
    adversaries = [scaling.Adversary(**each) for each in found["adversaries"]]
    assert all(each.ratio >= 1 and each.handler for each in adversaries)
    for name in ("size.svg", "density.svg"):
        assert "utf-16-be" in (tmp_path / name).read_text(encoding="utf-8")


def test_without_matplotlib_there_are_data_and_no_plots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "benchmarks.plots", raising=False)
    monkeypatch.delattr("benchmarks.plots", raising=False)
    monkeypatch.setattr(scaling, "measured", lambda forms, quick: {"size": {}, "density": {}, "adversaries": []})
    assert scaling.main(["--json", str(tmp_path / "scaling.json"), "--plots", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["scaling.json"]
    assert "plots: skipped, matplotlib is not installed" in capsys.readouterr().err


def test_dirt_is_as_dense_as_asked_for_and_every_alignment_is_tried() -> None:
    utf_8 = eightfold.form("utf-8")
    text = texts.made().pieces("ascii", 16 * KIB, 1)[0]
    faults = [sum(1 for _ in eightfold.faults(scaling.with_dirt(utf_8, text, gap), utf_8)) for gap in (1000, 10)]
    assert 8 < faults[0] < 40 < 800 < faults[1] < 3000
    inputs = dict(scaling.adversarial(utf_8, KIB))
    assert len(inputs) == 2 + 7 * 65
    assert inputs["FF only"] == b"\xff" * KIB
    assert inputs["80 after each 63 of ASCII"] == (b"a" * 63 + b"\x80") * 16
