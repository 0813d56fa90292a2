"""The soak runs, and is not blind: a few rounds of it, and faults that it must find."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import eightfold
from hostile import soak


def test_some_rounds_lose_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert soak.main(["--seed", "3", "--rounds", "4", "--minutes", "2"]) == 0
    printed = capsys.readouterr().out
    assert "soak: seed 3" in printed
    assert "nothing lost" in printed


def test_a_lost_byte_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    convert = eightfold.convert

    def loses(*given: object, threads: int = 1, **options: object) -> bytes:
        result = convert(*given, threads=threads, **options)  # type: ignore[arg-type]
        return result[:-1] if threads > 1 else result

    monkeypatch.setattr(eightfold, "convert", loses)
    with pytest.raises(soak.LostError, match="threads"):
        soak.soak(0, 1, 20, [soak.verbs])


def test_a_file_that_is_neither_old_nor_new_is_found(tmp_path: Path) -> None:
    folder = soak.folder_of(Random(1), tmp_path)
    soak.whole(folder)
    name = next(iter(folder.old))
    (tmp_path / name).write_bytes(b"half")
    with pytest.raises(soak.LostError, match="neither old nor new"):
        soak.whole(folder)
    (tmp_path / name).unlink()
    with pytest.raises(soak.LostError, match="is gone"):
        soak.whole(folder)
