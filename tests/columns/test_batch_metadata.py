"""Metadata of record batches and of footers of Arrow IPC that are not UTF-8 are found, repaired and given back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eightfold import cli
from tests.support.table_files import said, strings

pa = pytest.importorskip("pyarrow")

PAIRS = [{b"off": b"1"}, None, {b"k\xe9": b"v\xff", b"b": b"", b"c": b"caf\xe9"}]
"""The metadata of three record batches."""
MENDED = [{b"off": b"1"}, None, {"ké".encode(): "vÿ".encode(), b"b": b"", b"c": "café".encode()}]


def with_pairs(folder: Path, kind: str, values: list[bytes | None], footer: dict[bytes, bytes] | None = None) -> Path:
    """Return a file of Arrow IPC whose record batches, and maybe whose footer, have metadata."""
    path, given = folder / f"data.{kind}", pa.record_batch({"s": strings(values)})
    options = {} if footer is None else {"metadata": footer}
    with (pa.ipc.new_stream if kind == "arrows" else pa.ipc.new_file)(path, given.schema, **options) as writer:
        for pairs in PAIRS:
            writer.write_batch(given, custom_metadata=pairs)
    return path


def batches_of(path: Path) -> list[Any]:
    with pa.OSFile(str(path)) as source:
        if path.suffix == ".arrows":
            return [*pa.ipc.open_stream(source).iter_batches_with_custom_metadata()]
        file = pa.ipc.open_file(source)
        return [file.get_batch_with_custom_metadata(at) for at in range(file.num_record_batches)]


def pairs_of(path: Path) -> list[dict[bytes, bytes] | None]:
    return [None if pairs is None else dict(pairs) for _, pairs in batches_of(path)]


@pytest.mark.parametrize("kind", ["arrow", "arrows"])
@pytest.mark.parametrize("values", [[b"a", b"\xff"], [b"a", None], []])
def test_the_metadata_of_record_batches(values: list[bytes | None], kind: str, tmp_path: Path, capsys: Any) -> None:
    path, plan = with_pairs(tmp_path, kind, values), tmp_path / "plan"
    root = ["repair", "--root", str(tmp_path)]
    assert cli.main(["check", str(path)]) == 1
    cut, of = "truncated: sequence E9 is cut short by the end of the input", "record batch 2, metadata"
    lines = [line for line in said(capsys)[0] if "metadata" in line]
    assert lines == [
        f"{of} key 0: {cut}",
        f"{of} value 0: invalid-byte: byte FF cannot begin a sequence",
        f"{of} value 2: {cut}",
    ]
    assert cli.main([*root, "--errors", "latin-1", "--plan", str(plan), str(path)]) == 0
    assert pairs_of(path) == PAIRS
    for _ in range(2):
        assert cli.main([*root, "--apply", str(plan)]) == 0
        assert pairs_of(path) == MENDED
        assert cli.main(["check", str(path)]) == 0
        assert cli.main([*root, "--undo", str(plan)]) == 0
        assert pairs_of(path) == PAIRS
    assert cli.main(["repair", "--in-place", "--verify", "--errors", "latin-1", "--lossy", str(path)]) == 0
    assert pairs_of(path) == MENDED


@pytest.mark.parametrize("kind", ["arrow", "arrows"])
def test_metadata_of_a_record_batch_that_cannot_be_repaired(kind: str, tmp_path: Path, capsys: Any) -> None:
    path, fixed = with_pairs(tmp_path, kind, [b"a"]), tmp_path / "fixed"
    assert cli.main(["repair", "--errors", "strict", str(path), "-o", str(fixed)]) == 1
    assert 'names and metadata, "k\\\\xe9": sequence E9' in said(capsys)[1]
    with pa.ipc.new_file(path, pa.schema({})) as writer:
        writer.write_batch(pa.record_batch([], schema=pa.schema({})), custom_metadata={b"a\xfe": b"", b"a\xff": b""})
    assert cli.main(["repair", "--errors", "replace", "--lossy", str(path), "-o", str(fixed)]) == 2
    assert "record batch 0: two keys of metadata" in said(capsys)[1]
    assert not fixed.exists()
    assert cli.main(["repair", str(path), "-o", str(fixed)]) == 0


def test_the_metadata_of_a_footer(tmp_path: Path, capsys: Any) -> None:
    footer = {b"f\xe9": b"\xff", b"clean": b"yes"}
    path, plan = with_pairs(tmp_path, "arrow", [b"a"], footer), tmp_path / "plan"
    root = ["repair", "--root", str(tmp_path)]
    assert cli.main(["check", str(path)]) == 1
    assert said(capsys)[0][:2] == [
        "footer, metadata key 0: truncated: sequence E9 is cut short by the end of the input",
        "footer, metadata value 0: invalid-byte: byte FF cannot begin a sequence",
    ]
    assert cli.main([*root, "--errors", "latin-1", "--plan", str(plan), str(path)]) == 0
    mended = {"fé".encode(): "ÿ".encode(), b"clean": b"yes"}
    for option, expected in (("--apply", mended), ("--undo", footer)):
        assert cli.main([*root, option, str(plan)]) == 0
        with pa.OSFile(str(path)) as source:
            assert pa.ipc.open_file(source).metadata == expected
    assert "not kept" not in said(capsys)[1]
