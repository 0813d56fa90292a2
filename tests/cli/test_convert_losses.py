"""`convert` with a lossy policy says what it lost: by file and in total.

The oracle counts one sequence at a time: what a strict conversion of each refuses.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

import eightfold
from eightfold import ConversionError, convert, faults, forms
from eightfold.cli import main
from eightfold.files.read.converting import Conversion, ConvertedPiece
from eightfold.files.read.losses import Losses, Lost
from eightfold.forms import form
from eightfold.legacy import charset

HALF, OTHER_HALF = b"\xed\xa0\xbd", b"\xed\xb8\x80"
MIXED = b"caf\xe9 " + HALF + b"\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mixed.txt").write_bytes(MIXED)
    (tmp_path / "clean.txt").write_bytes("naïve €\n".encode())
    return tmp_path


def told(*arguments: str, capfd: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["convert", *arguments]) in (0, 1)
    return [line.removeprefix("eightfold: ") for line in capfd.readouterr().err.splitlines()]


def test_each_file_has_its_loss_and_all_have_a_total(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "other.txt").write_bytes(b"\xff")
    given = ["-f", "wtf-8", "-t", "utf-8", "--errors", "replace", "-o", "new", "mixed.txt", "clean.txt", "other.txt"]
    for jobs in (["-j", "1"], ["-j", "3"]):
        assert told(*given, *jobs, capfd=capfd) == [
            "mixed.txt: replaced 1 fault and 1 code point that utf-8 lacks (--errors replace)",
            "other.txt: replaced 1 fault (--errors replace)",
            "2 files with loss: replaced 2 faults and 1 code point that utf-8 lacks (--errors replace)",
        ]


def test_one_file_needs_no_total_and_a_clean_one_no_line(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    given = ["-t", "utf-16-le", "--errors", "ignore", "-o", "out"]
    assert told(*given, "mixed.txt", capfd=capfd) == ["mixed.txt: dropped 2 faults (--errors ignore)"]
    assert told(*given, "clean.txt", capfd=capfd) == []


@pytest.mark.parametrize("errors", ["surrogateescape", "surrogatepass"])
def test_what_comes_back_is_not_lost(errors: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "half.txt").write_bytes(HALF)
    assert told("-t", "wtf-8", "--internal", "--errors", errors, "-o", "out", "half.txt", capfd=capfd) == []


def test_a_dry_run_says_it_too(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    given = ["-t", "ascii", "--errors", "replace", "--diff"]
    assert told(*given, "clean.txt", capfd=capfd)[1:] == [
        "clean.txt: replaced 2 code points that ascii lacks (--errors replace)"
    ]


def test_what_is_lost_is_never_certified(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    given = ["-t", "utf-16", "--errors", "replace", "-o", "out", "--certificate", "proof.json", "mixed.txt"]
    assert main(["convert", *given]) == 1
    assert "it cannot be compared" in capfd.readouterr().err
    assert not (folder / "out").exists()


# --- against one sequence at a time -----------------------------------------------------------------------------------


def lost(data: bytes, conversion: Conversion, cut: int) -> Lost:
    losses = Losses(conversion)
    for at in range(0, len(data), cut):
        losses.take(ConvertedPiece(data[at : at + cut], b"", False))
    losses.take(ConvertedPiece(b"", b"", True))
    return losses.lost


def refused(points: list[int], target: eightfold.Form) -> int:
    count = 0
    for point in points:
        try:
            eightfold.encode_code_points([point], target)
        except ConversionError:
            count += 1
    return count


POINTS = (0x61, 0, 0x80, 0xE9, 0x7FF, 0xD83D, 0x20AC, 0xEF80, 0xFFFD, 0x1F600, 0x10FFFF)
UNSIGNED = [each for each in forms() if not each.signatures]


@pytest.mark.parametrize("source", UNSIGNED, ids=lambda each: each.name)
def test_all_pairs_of_forms_count_as_one_sequence_at_a_time_does(source: eightfold.Form) -> None:
    chance = random.Random(source.name)
    known = [point for point in POINTS if not refused([point], source)]
    for target in UNSIGNED:
        points = chance.choices(known, k=40)
        data = b"".join(eightfold.encode_code_points([point], source) for point in points)
        read = list(eightfold.decode_code_points(data, source))  # Halves that met are pairs.
        found = lost(data, Conversion(source, target, "replace"), chance.choice((1, 7, 1000)))
        assert found == Lost(0, refused(read, target)), (target, points)


@pytest.mark.parametrize("cut", [1, 3, 4096, 10**6])
def test_a_pair_that_the_target_joins_is_not_lost_wherever_it_is_cut(cut: int) -> None:
    conversion = Conversion(form("generalized-utf-8"), form("cesu-8"), "replace")
    for before in range(4090, 4098):
        assert lost(b"a" * before + HALF + OTHER_HALF + b"b", conversion, cut) == Lost()
    assert lost(HALF + HALF + OTHER_HALF + b"b" + OTHER_HALF + HALF, conversion, cut) == Lost(0, 3)
    last = Losses(conversion)
    last.take(ConvertedPiece(b"a" * 4093 + HALF + OTHER_HALF, b"", True))
    assert last.lost == Lost()


@pytest.mark.parametrize("cut", [1, 3, 10**6])
def test_faults_are_those_of_check(cut: int) -> None:
    data = b"\xff ok \xe2\x82 \xf0\x9f\x98\x80 \xed\xa0\xbd\xed\xb8\x80\xc0\xaf" * 50 + b"\xe2\x82"
    expected = len(list(faults(data, "utf-8")))
    assert lost(data, Conversion(form("utf-8"), form("utf-16-le"), "replace"), cut) == Lost(expected, 0)


def test_a_long_last_piece_ends_once() -> None:
    losses = Losses(Conversion(form("utf-8"), form("utf-16-le"), "replace"))
    losses.take(ConvertedPiece(b"a" + "é".encode() * 20_000 + b"\xe2\x82", b"", True))
    assert losses.lost == Lost(1, 0)


@pytest.mark.parametrize("cut", [1, 3, 10**6])
def test_legacy_charsets_count_too(cut: int) -> None:
    data = "naïve €, 日本\n".encode() * 20 + b"\xff"
    assert lost(data, Conversion(form("utf-8"), charset("latin-1"), "replace"), cut) == Lost(1, 60)
    sjis = "日本€".encode("shift_jis", "ignore") * 20 + b"\x82"
    assert lost(sjis, Conversion(charset("shift_jis"), charset("ascii"), "ignore"), cut) == Lost(1, 40)
    assert lost(sjis, Conversion(charset("shift_jis"), form("utf-8"), "ignore"), cut) == Lost(1, 0)
    lead = "a\ud83d".encode("utf-16-le", "surrogatepass")
    assert lost(lead, Conversion(form("wtf-16-le"), charset("latin-1"), "replace"), cut) == Lost(0, 1)


@pytest.mark.parametrize("cut", [1, 3, 4096, 10**6])
def test_two_code_points_that_a_charset_writes_as_one_are_not_lost_wherever_they_are_cut(cut: int) -> None:
    conversion = Conversion(form("utf-8"), charset("euc_jis_2004"), "replace")
    for before in range(4093, 4098):
        assert lost(("a" * before + "か\u309ab").encode(), conversion, cut) == Lost()
    assert lost("か\u309a\u309a😀か".encode(), conversion, cut) == Lost(0, 2)
    assert lost("か😀\u309a".encode(), conversion, cut) == Lost(0, 2)


def test_dense_loss_takes_time_in_proportion() -> None:
    conversion = Conversion(form("wtf-8"), form("utf-8"), "replace")

    def seconds(count: int) -> float:
        before = time.process_time()
        assert lost(b"a" * count + HALF * count, conversion, 10**6) == Lost(0, count)
        return time.process_time() - before

    small = min(seconds(1000) for _ in range(3))
    assert min(seconds(8000) for _ in range(3)) < 40 * small


def test_convert_and_losses_agree_that_nothing_is_lost() -> None:
    data = "é😀\n".encode()
    assert convert(data, "utf-8", "utf-16", "replace") == convert(data, "utf-8", "utf-16")
    assert lost(data, Conversion(form("utf-8"), form("utf-16"), "replace"), 10) == Lost()
