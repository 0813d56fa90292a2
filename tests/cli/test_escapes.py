"""`check` and escapes of unpaired surrogates in JSON: which there are, where they are, in which files and formats.

The oracle is `scrub_report` for the object that Python's parser makes of the text: it shares no code with the search.
"""

from __future__ import annotations

import bz2
import gzip
import html
import io
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import eightfold
from eightfold import scrub_report
from eightfold.cli import main
from eightfold.cli.output.reports import FORMATS
from eightfold.files.read import reading, segments
from eightfold.files.read.escapes import JsonReading
from eightfold.files.read.json_scanning import faults_in_json, first_faults_in_json
from eightfold.files.read.reading import Source, opened
from eightfold.jsonpath import path_at
from eightfold.stream import Located
from support.command_line import run

UTF_8 = eightfold.form("utf-8")
CHAT = rb'{"messages": [{"text": "fine \ud83d\ude00 \\ud83d"},' b"\n" rb' {"text": "cut \uD83D", "a\ude00": 1}]}'
TEXT, KEY = "$.messages[1].text", r'$.messages[1]["a\ude00"] (key)'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chat.json").write_bytes(CHAT)
    return tmp_path


def checked(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    status = main(["check", *arguments])
    return status, capsys.readouterr().out.splitlines()


# --- what is reported -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("emoji", "is_told"), [(1, True), (3, False)])
def test_escapes_are_no_faults_that_another_form_would_save(emoji: int, is_told: bool, folder: Path) -> None:
    pair, escapes = b"\xed\xa0\xbd\xed\xb8\x80", rb"\ud83d" * 3
    (folder / "a.json").write_bytes(b'["%s%s", "%s"]' % (pair, "\U0001f600".encode() * emoji, escapes))
    assert (b"-f cesu-8" in run("check", "a.json").stderr) is is_told


def test_each_escape_has_its_place_and_its_path(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked("chat.json", capsys=capsys) == (
        0,
        [
            rf"chat.json:2:16: escaped-surrogate: escape \uD83D of an unpaired surrogate, at {TEXT}",
            rf"chat.json:2:27: escaped-surrogate: escape \ude00 of an unpaired surrogate, at {KEY}",
        ],
    )


def test_every_format_has_the_path(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in FORMATS:
        status, lines = checked("--output-format", name, "chat.json", capsys=capsys)
        assert status == 0
        shown = html.unescape("\n".join(lines)).replace("\\\\", "\\").replace('\\"', '"')
        assert TEXT in shown
        assert KEY in shown or name == "html"  # The page shows the first of each file.
        assert shown.count("escaped-surrogate") >= 2


def test_as_json_it_is_a_warning_with_a_path(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = checked("--output-format", "json", "chat.json", capsys=capsys)
    (file,) = json.loads("\n".join(lines))["files"]
    assert (status, file["well_formed"], file["warnings"], file["kinds"]) == (0, True, 2, {"escaped-surrogate": 2})
    assert [(fault["severity"], fault["json_path"], fault["code_point"]) for fault in file["faults"]] == [
        ("warning", TEXT, 0xD83D),
        ("warning", KEY, 0xDE00),
    ]
    start, end = file["faults"][0]["start"], file["faults"][0]["end"]
    assert CHAT[start:end] == rb"\uD83D"


@pytest.mark.parametrize("counted", [[], ["--statistics"], ["--max-faults", "0"]], ids=" ".join)
def test_with_strict_it_is_an_error(counted: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for strict, severity in ([], "warning"), (["--strict"], "error"):
        status, lines = checked("--output-format", "json", *counted, *strict, "chat.json", capsys=capsys)
        summary = json.loads("\n".join(lines))["summary"]
        assert status == (severity == "error")
        assert (summary["errors"], summary["warnings"]) == ((2, 0) if strict else (0, 2))
        assert summary["kinds"] == {"escaped-surrogate": 2}


def test_statistics_count_them_beside_ill_formed_bytes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "both.json").write_bytes(b'["\xff\\ud83d\xff"]')
    status, lines = checked("--statistics", "both.json", capsys=capsys)
    assert (status, lines[0]) == (1, "both.json: utf-8: 2 invalid-byte, 1 escaped-surrogate")
    status, lines = checked("both.json", capsys=capsys)
    assert [line.split(": ")[1] for line in lines] == ["invalid-byte", "escaped-surrogate", "invalid-byte"]


def test_context_shows_the_escape_as_it_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, lines = checked("--context", "--max-faults", "1", "chat.json", capsys=capsys)
    assert lines[1:] == [r'     {"text": "cut \uD83D", "a\ude00": 1}]}', " " * 19 + "^" * 6]


# --- which files ------------------------------------------------------------------------------------------------------

PACKED = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress}


@pytest.mark.parametrize("ending", ["json", "jsonl", "ndjson", "ipynb", "geojson", "har", "JSON"])
@pytest.mark.parametrize("packing", PACKED)
def test_files_are_known_by_their_names(
    ending: str, packing: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"a.{ending}{packing}"
    (folder / name).write_bytes(PACKED[packing](CHAT))
    assert len(checked(name, capsys=capsys)[1]) == 2
    assert checked("--escapes", "off", name, capsys=capsys) == (0, [])
    if packing:
        assert checked("--no-compression", name, capsys=capsys)[0] == 1


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        ([], ["chat.json", "data/a.json"]),
        (["*.log"], ["b.log", "chat.json", "data/a.json"]),
        (["/data/*.js"], ["chat.json", "data/a.js", "data/a.json"]),
        (["!*.json"], []),
        (["*", "!data/*"], ["b.log", "chat.json"]),
    ],
    ids=str,
)
def test_patterns_add_and_exclude(
    patterns: list[str], names: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "data").mkdir()
    for name in ("b.log", "data/a.js", "data/a.json"):
        (folder / name).write_bytes(CHAT)
    given = [argument for pattern in patterns for argument in ("--escapes-in", pattern)]
    _, lines = checked(*given, ".", capsys=capsys)
    assert sorted({Path(line.split(":")[0]).as_posix() for line in lines}) == names


@pytest.mark.parametrize(("pattern", "count"), [("*", 2), ("-", 2), ("*.log", 0)])
def test_standard_input_is_searched_where_asked_for(pattern: str, count: int) -> None:
    done = run("check", "--escapes-in", pattern, input=CHAT)
    assert done.stdout.count(b"escaped-surrogate") == count
    assert not run("check", input=CHAT).stdout


def test_check_repairs_nothing(folder: Path) -> None:
    done = run("check", "--escapes", "repair", "chat.json", cwd=folder)
    assert (done.returncode, b"'repair' is not one of report, off" in done.stderr) == (2, True)


# --- the same whatever the file, the form and the cuts ---------------------------------------------------------------


def found_in(data: bytes, folder: Path, form: str = "utf-8", *, lines: bool = False, threads: int = 1) -> list[Located]:
    path = folder / "text"
    path.write_bytes(data)
    with opened(str(path)) as source:
        return list(faults_in_json(source, eightfold.form(form), JsonReading(lines), threads))


def path_of(found: Located) -> str:
    return str(getattr(found.fault, "json_path", ""))


STRINGS = st.text(st.sampled_from('ab"\\ ,:[]{}\n\ud83d\ude00é😀'), max_size=4)
OBJECTS = st.recursive(
    STRINGS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4),
    max_leaves=12,
)


@given(OBJECTS, st.booleans())
@example(["\ud83d\ud83d\ude00\ude00", {"\ude00": {"\ude00\ud83d": []}}, "\\ud83d", "\\\ud83d"], False)
def test_escapes_are_where_the_object_has_surrogates(
    tmp_path_factory: pytest.TempPathFactory, obj: Any, indented: bool
) -> None:
    written = json.dumps(obj, indent=1 if indented else None).encode()
    expected = Counter(
        "$" if path == "$" else f"${'' if path.startswith('[') else '.'}{path}"
        for path, fault in scrub_report(json.loads(written))
        for _ in range(fault.end - fault.start)
    )
    found = found_in(written, tmp_path_factory.getbasetemp())
    assert Counter(map(path_of, found)) == expected
    assert all(written[each.fault.start : each.fault.end].startswith(rb"\u") for each in found)


@pytest.mark.parametrize("form", ["utf-16-le", "utf-16", "utf-32-be", "cesu-8", "utf-8-sig", "corrected-utf-8-sig"])
def test_other_forms_have_the_same_escapes(form: str, tmp_path: Path) -> None:
    text = '{"schlüssel😀": ["\\ud83d", "\\ud83d\\ude00"],\n "\\ude00é": "\\\\ud83d"}\n'
    data = eightfold.encode(text, form)
    found = [each for each in found_in(data, tmp_path, form) if path_of(each)]
    assert [path_of(each) for each in found] == ['$["schlüssel😀"][0]', '$["\\ude00é"] (key)']
    magic_lines = data.count(b"\n") - text.count("\n") if form == "corrected-utf-8-sig" else 0
    assert [each.line - magic_lines for each in found] == [1, 2]
    assert [data[each.fault.start : each.fault.end] for each in found] == [each.fault.units for each in found]
    assert [each.fault.units.replace(b"\0", b"") for each in found] == [rb"\ud83d", rb"\ude00"]


@pytest.mark.parametrize("form", ["utf-8", "utf-16-le", "cesu-8", "mutf-8", "corrected-utf-8"])
def test_a_key_is_as_long_in_every_form(form: str, tmp_path: Path) -> None:
    for count in (1, 100, 250, 251, 400):
        text = '{"\\ud83d' + "😀" * count + '": 1}'
        (found,) = found_in(eightfold.encode(text, form), tmp_path, form)
        assert path_of(found) == path_at(text.encode(), 2), count


CUTS = (
    rb'[{"a": "\ud83d", "b\ude00": ["\\", "\\\ud83d", "\ud83d\ude00\ud83d"]}, "x\ude00'
    b"\xff\xed\xa0"
    rb'\uD83D\uDE00\uD83D"'
    b"\n"
    rb', {"\ud8": "\ud8\u\ud83d3d", "zz": [[], {"\"\ud83d": 1}, "' + b"\\u" * 50 + rb'\ud83d"'
)


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("length", [1, 2, 3, 5, 7, 12, 64])
def test_cuts_change_nothing(length: int, lines: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = found_in(CUTS, tmp_path, lines=lines)
    assert len(whole) == 11
    monkeypatch.setattr(reading, "CHUNK_BYTES", length)
    monkeypatch.setattr(segments, "_HELD_BYTES", 2 * length)
    assert found_in(CUTS, tmp_path, lines=lines) == whole
    piped = Source("-", io.BufferedReader(_Piped(CUTS)))
    assert not piped.seekable
    for found, expected in zip(faults_in_json(piped, UTF_8, JsonReading(lines)), whole, strict=True):
        # What follows in a pipe is not there yet: a key may be shown without its end, and says so.
        is_cut = "…" in path_of(found)
        assert found == (expected._replace(fault=found.fault) if is_cut else expected)
        assert found.fault.start == expected.fault.start


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("length", [16, 17, 18, 19, 64])
def test_threads_change_nothing(length: int, lines: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = CUTS + CUTS
    whole = found_in(data, tmp_path, lines=lines)
    for name, value in {"SEGMENT_BYTES": length, "LARGE_BYTES": 1, "_REACH_BYTES": 4}.items():
        monkeypatch.setattr(segments, name, value)
    monkeypatch.setattr(segments, "processors", lambda: 2)
    assert found_in(data, tmp_path, lines=lines, threads=2) == whole
    for most in (0, 1, 3, len(whole) - 1, len(whole), len(whole) + 1):
        with opened(str(tmp_path / "text")) as source:
            found = list(first_faults_in_json(source, UTF_8, JsonReading(lines), most, 2))
        first, counted = found[: len(whole[:most])], found[len(whole[:most]) :]
        assert first == whole[:most]
        assert sum(counted, Counter()) == Counter(found.fault.kind for found in whole[most:])


class _Piped(io.RawIOBase):
    """Bytes that come as from a pipe."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._data.readinto(buffer)


def test_a_line_of_json_lines_has_paths_of_its_own(tmp_path: Path) -> None:
    data = rb'{"a": ["\ud83d"]}' b"\n" rb'{"b": [{' b"\n" rb'{"c": "\ud83d"}' b"\n" rb'"cut' b"\n" rb'["\ud83d"]'
    assert [(found.line, path_of(found)) for found in found_in(data, tmp_path, lines=True)] == [
        (1, "$.a[0]"),
        (3, "$.c"),
        (5, "$[0]"),
    ]


@pytest.mark.parametrize(
    ("data", "paths"),
    [
        (rb"\ud83d", ["$"]),
        (rb'{"a": \ud83d, "b": "\ude00', ["$.a", "$.b"]),
        (rb']]"\ud83d"', ["$"]),
        (rb'it is 5" wide {"a": "\ud83d"}', ["$"]),
        (rb'{"a": 1, "a": "\ud83d"}', ["$.a"]),
        (rb'"\ud83', []),
        (rb'"\ud83d\ude0"', ["$"]),
    ],
)
def test_text_that_is_not_json_is_searched_too(data: bytes, paths: list[str], tmp_path: Path) -> None:
    assert [path_of(found) for found in found_in(data, tmp_path)] == paths


# --- bounds -----------------------------------------------------------------------------------------------------------


def test_nothing_is_read_twice_of_a_file_without_escapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Source, "window", None)  # With an escape in the file, this fails.
    assert found_in(rb'["\ud83d\ude00"]' * 50_000, tmp_path) == []


def test_nothing_of_a_compressed_file_is_decompressed_twice(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"[" + b"[]," * 400_000 + rb'{"a": "\ud83d", "a\ude00": 1}]'
    (folder / "a.json.gz").write_bytes(gzip.compress(data))
    monkeypatch.setattr(Source, "window", None)  # It would start again from the beginning.
    with opened("a.json.gz", unpack=True) as source:
        found = list(faults_in_json(source, UTF_8, JsonReading()))
        assert source.seekable
        assert not source.reads_anywhere
    assert [path_of(each) for each in found] == ["$[400000].a", r'$[400000]["a\ude00"] (key)']


COUNT = 5_000 if eightfold.ENGINE == "native" else 500
HOSTILE = {
    "depth": b"[" * 50 * COUNT + rb'"\ud83d",' * COUNT,
    "objects": b'{"k":' * 10 * COUNT + rb'"\ud83d",' * COUNT,
    "keys": b"{" + b"".join(rb'"key%d\ud83d":1,' % at for at in range(COUNT)),
    "one long key": b'{"' + b"k" * 50 * COUNT + rb"\ud83d" * COUNT,
    "cut short": rb'"' + rb"\u" * 10 * COUNT + rb"\ud83d" * COUNT,
    "backslashes": b'"' + b"\\" * 50 * COUNT + rb"\ud83d" * COUNT,
    "brackets": b"[]" * 20 * COUNT + rb'"\ud83d",' * COUNT,
}


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_little_time_and_has_short_paths(name: str, lines: bool, tmp_path: Path) -> None:
    started = time.process_time()
    found = found_in(HOSTILE[name], tmp_path, lines=lines)
    assert time.process_time() - started < 6  # a tenth of that; where time is quadratic, minutes
    assert len(found) == COUNT
    assert max(len(path_of(each)) for each in found) < 500


def test_a_path_that_is_too_deep_says_so(tmp_path: Path) -> None:
    (found,) = found_in(b"[" * 5000 + rb'"\ud83d"', tmp_path)
    assert path_of(found) == "$" + "[0]" * 16 + " ... 4984 steps ..."
    (found,) = found_in(b"[" * 5000 + b"]" * 4998 + rb', "\ud83d"', tmp_path)
    assert path_of(found) == "$[0][1]"


def test_off_and_a_pattern_contradict_each_other(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("check", "repair"):
        assert main([command, "--escapes", "off", "--escapes-in", "*.log", "chat.json"]) == 2
        assert "--escapes off and --escapes-in cannot be combined" in capsys.readouterr().err
