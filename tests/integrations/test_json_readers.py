"""JSON that real programs write and other real programs refuse: once it is repaired, they load it.

Node.js writes half an emoji as an escape (well-formed `JSON.stringify`, ECMA-262 25.5.2): in a request, in the HAR of a
browser, in a notebook. orjson, msgspec, polars and DuckDB read. They are peers, no dependencies:
``pip install 'eightfold[peers]'``.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eightfold.cli import main
from support.command_line import PATIENCE
from support.foreign_programs import needs
from support.needed import peer

WRITE = """
const fs = require("fs");
const grin = "\\u{1F600}", lead = "well done " + grin[0], trail = grin[1] + " said";
const request = {model: "m", messages: [{role: "user", content: lead}, {role: "user", content: grin + trail}]};
const har = {log: {version: "1.2", creator: {name: "node", version: process.version}, entries: [{
  startedDateTime: "2026-01-01T00:00:00.000Z", time: 1.5,
  request: {method: "POST", url: "https://example.org/", postData: {mimeType: "application/json", text: trail}}}]}};
const notebook = {nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [
  {cell_type: "markdown", id: "a", metadata: {}, source: ["fine " + grin + "\\n", trail]}]};
fs.writeFileSync("request.json", JSON.stringify(request));
fs.writeFileSync("page.har", JSON.stringify(har, null, 2));
fs.writeFileSync("cells.ipynb", JSON.stringify(notebook, null, 1) + "\\n");
fs.writeFileSync("rows.jsonl", [lead, grin, trail].map((text, row) => JSON.stringify({row, text}) + "\\n").join(""));
"""
PATHS = {
    "request.json": ["$.messages[0].content", "$.messages[1].content"],
    "page.har": ["$.log.entries[0].request.postData.text"],
    "cells.ipynb": ["$.cells[0].source[1]"],
    "rows.jsonl": ["$.text", "$.text"],
}
"""The paths of the escapes in each file."""


def by_orjson(path: Path) -> Any:
    return [peer("orjson").loads(text) for text in texts_of(path)]


def by_msgspec(path: Path) -> Any:
    return [peer("msgspec").json.decode(text) for text in texts_of(path)]


def by_polars(path: Path) -> Any:
    read = peer("polars").read_ndjson if path.suffix == ".jsonl" else peer("polars").read_json
    return read(path).to_dicts()


def by_duckdb(path: Path) -> Any:
    relation = peer("duckdb").read_json(str(path))
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def texts_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines() if path.suffix == ".jsonl" else [path.read_bytes()]


READERS = (by_orjson, by_msgspec, by_polars, by_duckdb)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    subprocess.run(["node", "-e", WRITE], cwd=folder, check=True, timeout=PATIENCE)
    return folder


@needs("node", 12)
@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_readers_refuse_the_file_and_load_it_repaired(
    read: Callable[[Path], Any], name: str, written: Path, tmp_path: Path
) -> None:
    before, after = written / name, tmp_path / name
    with pytest.raises(Exception, match=r"(?i)surrogate|codepoint|truncated|malformed|schema"):
        read(before)
    assert main(["repair", "--escapes", "repair", "--lossy", "-o", str(after), str(before)]) == 0
    expected = [text for text in strings_in(list(map(json.loads, texts_of(after)))) if "\ufffd" in text]
    assert [text for text in strings_in(read(after)) if "\ufffd" in text] == expected
    assert len(expected) == len(PATHS[name])


@needs("node", 12)
@pytest.mark.parametrize("name", PATHS)
def test_every_escape_is_found_and_nothing_else_changes(
    name: str, written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = written / name, tmp_path / name
    assert main(["check", "--output-format", "jsonl", str(before)]) == 0
    faults = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [fault["json_path"] for fault in faults if fault["type"] == "fault"] == PATHS[name]
    assert {fault["path"] for fault in faults if "path" in fault} == {str(before)}
    assert main(["repair", "--escapes", "repair", "--lossy", "-o", str(after), str(before)]) == 0
    assert after.read_bytes() == before.read_bytes().replace(rb"\ud83d", rb"\ufffd").replace(rb"\ude00", rb"\ufffd")


def strings_in(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [text for each in inner for text in strings_in(each)]
