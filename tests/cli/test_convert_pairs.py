"""`convert` reports how many surrogate pairs it joined, and `--strict` refuses to, in pieces and by threads too."""

from __future__ import annotations

from pathlib import Path

import pytest

import eightfold
from eightfold import ConversionError
from eightfold.files.read import converting, reading, segments
from eightfold.files.read.converting import Conversion, converted
from eightfold.forms import form
from support.command_line import run_here
from support.soups import source_of

PAIR = b"\xed\xa0\xbd\xed\xb8\x80"
CONVERSION = Conversion(form("generalized-utf-8"), form("wtf-16-le"), "strict")


def convert(*arguments: str | Path, data: bytes | None = None) -> tuple[int, bytes, str]:
    done = run_here("convert", "-f", "generalized-utf-8", *map(str, arguments), input=data)
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.fixture
def paired(tmp_path: Path) -> Path:
    path = tmp_path / "paired.bin"
    path.write_bytes(b"ab\n " + PAIR + b" " + PAIR)
    return path


@pytest.mark.parametrize(
    ("target", "said"), [("wtf-16-le", 2), ("cesu-8", 2), ("mutf-8", 2), ("wtf-8", 0), ("optu-16-le", 0)]
)
def test_how_many_are_joined_is_said_once(paired: Path, target: str, said: int) -> None:
    status, result, messages = convert("-t", target, "--internal", paired)
    assert (status, result) == (0, eightfold.convert(paired.read_bytes(), "generalized-utf-8", target))
    expected = (
        f"{paired}: joined 2 surrogate pairs; {target} reads each back as one code point (use --strict to refuse)"
    )
    assert messages == (f"eightfold: {expected}\n" if said else "")


def test_each_file_has_its_line_and_what_joins_nothing_has_none(paired: Path, tmp_path: Path) -> None:
    (tmp_path / "clean.txt").write_bytes("né 😀".encode())
    (tmp_path / "one.bin").write_bytes(PAIR)
    files = [tmp_path / name for name in ("clean.txt", "one.bin", "paired.bin")]
    for jobs in ("1", "2"):
        status, _, messages = convert("-t", "mutf-8", "-j", jobs, "-o", tmp_path / "out", *files)
        assert status == 0
        assert [line.split("; ")[0].rpartition("/")[2] for line in messages.splitlines()] == [
            "one.bin: joined 1 surrogate pair",
            "paired.bin: joined 2 surrogate pairs",
        ]


def test_strict_names_the_first_place_and_writes_nothing(paired: Path, tmp_path: Path) -> None:
    before = paired.read_bytes()
    status, _, messages = convert("-t", "wtf-16-le", "--strict", "--in-place", paired)
    assert status == 1
    assert messages.startswith(f"{paired}:2:2: joined-pair: surrogate pair, which is read back from wtf-16-le as one")
    assert f"U+1F600, at byte 4\neightfold: {paired} is not written; try without --strict" in messages
    assert paired.read_bytes() == before
    status, _, _ = convert("-t", "wtf-16-le", "--strict", "-o", tmp_path / "out", paired)
    assert status == 1
    assert not (tmp_path / "out").exists()


def test_the_remedies_of_strict_work(paired: Path, tmp_path: Path) -> None:
    _, _, messages = convert("-t", "wtf-16-le", "--strict", paired)
    assert "try without --strict (" in messages
    assert "-t generalized-utf-8 (" in messages
    assert convert("-t", "wtf-16-le", "-o", tmp_path / "out", paired)[0] == 0
    assert convert("-t", "generalized-utf-8", "--strict", paired) == (0, paired.read_bytes(), "")


def test_strict_on_what_has_no_pair_is_as_without(tmp_path: Path) -> None:
    data = "née 😀 ".encode() + b"\xed\xa0\xbd\n\xed\xb8\x80"
    assert convert("-t", "wtf-16-be", "--strict", data=data) == convert("-t", "wtf-16-be", data=data)
    assert convert("-t", "wtf-8", "--internal", "--strict", data=PAIR) == (0, "😀".encode(), "")


def test_strict_before_a_pair_writes_what_is_before_it() -> None:
    status, result, messages = convert("-t", "wtf-16-be", "--strict", data=b"ab" + PAIR)
    assert (status, result) == (1, b"\0a\0b")
    assert "the output ends before it" in messages


@pytest.mark.parametrize("target", ["wtf-16-le", "cesu-8", "mutf-8"])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 9, 100])
def test_in_pieces_of_any_size(size: int, target: str) -> None:
    data = "é".encode() * 3 + PAIR + b"a" + PAIR * 2
    conversion = CONVERSION._replace(target=form(target))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "CHUNK_BYTES", size)
        with source_of(data) as opened:
            assert sum(piece.joined_pairs for piece in converted(opened, conversion)) == 3
        with source_of(data) as opened, pytest.raises(ConversionError) as raised:
            list(converted(opened, conversion, strict=True))
    assert (raised.value.start, raised.value.end, raised.value.fault.kind) == (6, 12, "joined-pair")


@pytest.mark.parametrize("target", ["wtf-16-le", "cesu-8"])
def test_by_threads(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "SEGMENT_BYTES", 64)
    monkeypatch.setattr(segments, "LARGE_BYTES", 0)
    monkeypatch.setattr(segments, "processors", lambda: 3)
    monkeypatch.setattr(converting, "_HEAD_BYTES", 64)
    conversion = CONVERSION._replace(target=form(target))
    data = (b"some words " + PAIR + b" and ") * 200
    with source_of(data) as opened:
        pieces = list(converted(opened, conversion, 3))
    assert len(pieces) > 20
    assert sum(piece.joined_pairs for piece in pieces) == 200
    clean = b"some words " * 100
    with source_of(clean + data) as opened, pytest.raises(ConversionError) as raised:
        list(converted(opened, conversion, 3, strict=True))
    assert (raised.value.start, raised.value.end) == (len(clean) + 11, len(clean) + 17)


def test_a_difference_is_shown_with_what_was_joined(paired: Path) -> None:
    status, _, messages = convert("-t", "cesu-8", "--diff", paired)
    assert (status, "joined 2 surrogate pairs" in messages) == (0, True)


def test_strict_writes_nothing_behind_a_pair_that_two_chunks_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CHUNK_BYTES", 8)
    results = []
    with source_of(b"abcde" + PAIR + b"fghijklmnop") as opened, pytest.raises(ConversionError) as raised:  # noqa: PT012
        for piece in converted(opened, CONVERSION, strict=True):
            results.append(piece.result)  # noqa: PERF401
    assert raised.value.start == 5
    # The first chunk, with its lead, was written before the second was read.
    assert b"".join(results) == "abcde\ud83d".encode("utf-16-le", "surrogatepass")


@pytest.mark.parametrize("name", ["cesu-8", "mutf-8"])
def test_where_a_form_with_pairs_is_mixed_with_utf_8_the_repair_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(eightfold.encode("🍰", name) + "🍰".encode())
    done = run_here("convert", "-f", name, "-t", "utf-8", "-o", "out", "in", cwd=tmp_path)
    remedy = "eightfold repair --errors pairs (reads UTF-8, and joins the pairs in it)"
    assert (done.returncode, remedy in done.stderr.decode()) == (1, True)
    run_here(*remedy.partition(" (")[0].split()[1:], "--lossy", "-o", "out", "in", cwd=tmp_path)
    assert (tmp_path / "out").read_text(encoding="utf-8") == "🍰🍰"


def test_where_it_is_mixed_with_what_is_not_utf_8_no_repair_is_named(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"\xf7\xbf\xbf\xbf")
    done = run_here("convert", "-f", "cesu-8", "-t", "utf-8", "-o", "out", "in", cwd=tmp_path)
    assert (done.returncode, b"eightfold repair" in done.stderr) == (1, False)
