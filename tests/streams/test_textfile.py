"""Text files: what is held, where it is written, and what is joined with what already stands in the file."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eightfold
from eightfold import Form, Row, seam

LEAD, TRAIL, PAIR = b"\xed\xa0\xbd", b"\xed\xb8\x80", b"\xf0\x9f\x98\x80"
CESU_PAIR = LEAD + TRAIL


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


# --- what is refused --------------------------------------------------------------------------------------------------


def test_text_is_never_unbuffered(path: Path) -> None:
    with pytest.raises(ValueError, match="buffering=0"):
        eightfold.open(path, "w", "utf-8", buffering=0)
    assert not path.exists()


def test_the_size_of_a_buffer_is_an_integer_of_any_kind(path: Path) -> None:
    with pytest.raises(TypeError, match="integer"):
        eightfold.open(path, "w", "utf-8", buffering=1.5)  # type: ignore[arg-type]
    with eightfold.open(path, "w", "utf-8", buffering=type("One", (), {"__index__": lambda _: 1})()) as file:
        assert file.line_buffering


@pytest.mark.parametrize("mode", ["rtt", "rr", "rw", "", "t", "+", "r++", "U", "rU", "wb", "q"])
def test_modes_that_are_not_of_text_are_refused_by_name(path: Path, mode: str) -> None:
    path.touch()
    with pytest.raises(ValueError, match="mode") as caught:
        eightfold.open(path, mode, "utf-8")
    assert repr(mode) in str(caught.value)


@pytest.mark.parametrize("mode", [5, None, b"r", True])
def test_a_mode_is_a_str(path: Path, mode: Any) -> None:
    with pytest.raises(TypeError, match=f"mode must be a str, not {type(mode).__name__}"):
        eightfold.open(path, mode)


def test_no_policy_is_the_strict_one_as_python_has_it(path: Path) -> None:
    with eightfold.open(path, "w", "utf-8", None) as file:
        assert file.errors == "strict"
        with pytest.raises(eightfold.EncodeError):
            file.write("\ud83d")


def test_encoding_is_another_name_of_form(path: Path) -> None:
    with eightfold.open(path, "w", encoding="cesu-8") as file:
        file.write("\U0001f600")
    assert path.read_bytes() == CESU_PAIR
    with pytest.raises(TypeError, match="form and encoding"):
        eightfold.open(path, "r", "cesu-8", encoding="cesu-8")
    with eightfold.open(path) as file:
        assert file.encoding == "utf-8"


@pytest.mark.parametrize("mode", ["r", "w", "a+"])
def test_the_repr_names_path_mode_and_form(path: Path, mode: str) -> None:
    path.touch()
    file = eightfold.open(path, mode, "wtf-8")
    file.close()
    assert repr(file).startswith("<eightfold.")
    assert all(part in repr(file) for part in (repr(path), f"mode={mode!r}", "form='wtf-8'"))


# --- what is held, and when it is written -----------------------------------------------------------------------------


def test_flush_keeps_a_lead_for_its_trail(path: Path) -> None:
    with eightfold.open(path, "w", "wtf-8") as file:
        file.write("a\ud83d")
        file.flush()
        assert path.read_bytes() == b"a"
        file.write("\ude00")
    assert path.read_bytes() == b"a" + PAIR


def test_truncate_does_not_let_a_lead_come_back(path: Path) -> None:
    for size, left in ((0, b""), (3, b"abc"), (6, b"abc" + LEAD), (None, b"abc" + LEAD), (8, b"abc" + LEAD + b"\0\0")):
        with eightfold.open(path, "w", "wtf-8") as file:
            file.write("abc\ud83d")
            assert file.truncate(size) == len(left)
        assert path.read_bytes() == left


@pytest.mark.parametrize("read", ["read", "read(1)", "readline", "next", "readlines"])
def test_reading_settles_what_was_written_before_it(path: Path, read: str) -> None:
    path.write_bytes(b"0123456789\n")
    with eightfold.open(path, "r+", "wtf-8") as file:
        file.write("ab\ud83d")
        rest = {
            "read": file.read,
            "read(1)": lambda: file.read(1),
            "readline": file.readline,
            "next": lambda: next(file),
            "readlines": lambda: "".join(file.readlines()),
        }[read]()
        assert "56789\n".startswith(rest)
        assert rest
    assert path.read_bytes() == b"ab" + LEAD + b"56789\n"


@pytest.mark.parametrize("look", ["tell", "seek", "reconfigure", "truncate"])
@pytest.mark.parametrize("mode", ["w", "w+", "a", "a+", "x"])
def test_a_trail_at_the_very_place_of_a_settled_lead_joins_it(path: Path, look: str, mode: str) -> None:
    with eightfold.open(path, mode, "wtf-8") as file:
        file.write("a\ud83d")
        assert {
            "tell": file.tell,
            "seek": lambda: file.seek(0, os.SEEK_END),
            "reconfigure": lambda: file.reconfigure(line_buffering=True),
            "truncate": file.truncate,
        }[look]() in (4, None)
        assert path.read_bytes() in (b"a" + LEAD, b"") or look in ("reconfigure", "tell")
        assert file.write("\ude00!") == 2
        assert file.tell() == 6
    assert path.read_bytes() == b"a" + PAIR + b"!"


def test_a_lead_that_is_overwritten_is_not_joined(path: Path) -> None:
    with eightfold.open(path, "w", "wtf-8") as file:
        file.write("a\ud83d")
        file.seek(1)
        file.write("xyz")
        file.tell()
        file.write("\ude00")
    assert path.read_bytes() == b"axyz" + TRAIL


def test_the_place_counts_and_not_the_order(path: Path) -> None:
    with eightfold.open(path, "w", "wtf-8") as file:
        file.write("a\ud83d")
        file.seek(0)
        file.write("b")
        file.seek(4)
        file.write("\ude00")
        file.seek(1)
        file.write("\ude00")
    assert path.read_bytes() == b"b" + TRAIL + b"\x80"  # As it is written over: the place decides what is there.


def test_a_trail_behind_a_lead_that_truncate_has_cut_off_is_itself(path: Path) -> None:
    with eightfold.open(path, "w", "wtf-8") as file:
        file.write("a\ud83d")
        file.truncate(1)
        file.seek(1)
        file.write("\ude00")
    assert path.read_bytes() == b"a" + TRAIL


@pytest.mark.parametrize("mode", ["w", "w+"])
@pytest.mark.parametrize(("size", "before"), [(0, b"\0\0\0\0"), (3, b"a\xed\xa0\0"), (4, None)])
def test_truncate_leaves_no_lead_that_it_has_cut_off(path: Path, size: int, before: bytes | None, mode: str) -> None:
    with eightfold.open(path, mode, "wtf-8") as file:
        file.write("a\ud83d")
        assert file.tell() == 4
        file.truncate(size)
        file.write("\ude00")
    assert path.read_bytes() == ("a😀".encode() if before is None else before + TRAIL)


def test_the_policy_is_asked_when_a_lead_is_settled(path: Path) -> None:
    for policy, written in (("replace", b"a?"), ("surrogatepass", b"a" + LEAD), ("ignore", b"a")):
        with eightfold.open(path, "w", "cesu-8", policy) as file:
            file.write("a\ud83d")
            assert file.tell() == len(written)
        assert path.read_bytes() == written
    file = eightfold.open(path, "w", "cesu-8")
    file.write("a\ud83d")
    with pytest.raises(eightfold.EncodeError):
        file.tell()
    with pytest.raises(eightfold.EncodeError):
        file.close()
    assert file.closed


# --- appending --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["a", "a+"])
@pytest.mark.parametrize(
    ("form", "before", "text", "after"),
    [
        ("wtf-8", LEAD, "\ude00", PAIR),
        ("wtf-8", b"abc" + LEAD, "\ude00\n\ud83d", b"abc" + PAIR + b"\n" + LEAD),
        ("wtf-8", b"abc" + LEAD, "x\ude00", b"abc" + LEAD + b"x" + TRAIL),
        ("wtf-8", TRAIL, "\ude00", TRAIL + TRAIL),
        ("wtf-8", PAIR, "\ude00", PAIR + TRAIL),
        ("wtf-8", b"", "\ude00", TRAIL),
        ("cesu-8", b"a" + LEAD, "\ude00", b"a" + CESU_PAIR),
        ("mutf-8", b"a" + LEAD, "\ude00", b"a" + CESU_PAIR),
        ("generalized-utf-8", b"a" + LEAD, "\ude00", b"a" + LEAD + TRAIL),
        ("wtf-16-le", b"\x3d\xd8", "\ude00", b"\x3d\xd8\x00\xde"),
    ],
)
def test_appending_joins_what_the_form_joins(path: Path, mode: str, form: str, before: bytes, text: str, after: bytes):
    path.write_bytes(before)
    with eightfold.open(path, mode, form) as file:
        assert file.write(text) == len(text)
    assert path.read_bytes() == after


def test_appending_through_a_descriptor_or_to_a_file_without_a_name(path: Path) -> None:
    for unlink in (False, True):
        path.write_bytes(b"a" + LEAD)
        kept = os.open(path, os.O_RDONLY)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        if unlink:
            if not os.path.exists("/proc/self/fd"):
                os.close(descriptor), os.close(kept)
                continue
            path.unlink()
        with eightfold.open(descriptor, "a", "wtf-8") as file:
            file.write("\ude00")
        assert os.pread(kept, 100, 0) == b"a" + PAIR
        os.close(kept)


@pytest.mark.parametrize("form", ["wtf-8", "cesu-8", "mutf-8"])
def test_nothing_but_the_lead_is_read(path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seam, "boundary", None)
    monkeypatch.setattr(seam.Seam, "_before", bounded(seam.Seam._before))
    path.write_bytes(b"a" * 1000 + LEAD)
    with eightfold.open(path, "a", form) as file:
        file.write("\ude00")
    assert path.read_bytes() == b"a" * 1000 + (PAIR if form == "wtf-8" else CESU_PAIR)


def bounded(before: Callable[[seam.Seam, int], bytes]) -> Callable[[seam.Seam, int], bytes]:
    def read(self: seam.Seam, count: int) -> bytes:
        assert count <= len(CESU_PAIR)
        return before(self, count)

    return read


# A lead may be the end of U+0100 to U+04FF here: C0 90 00 is one sequence, 90 00 alone is U+D800.
AMBIGUOUS = Form(
    "ambiguous",
    [
        Row(0, 0x7F, (0, 0x7F)),
        Row(0x100, 0x4FF, 0xC0, (0x90, 0x93), (0, 0xFF)),
        Row(0xD800, 0xDBFF, (0x90, 0x93), (0, 0xFF)),
        Row(0xDC00, 0xDFFF, (0x94, 0x97), (0, 0xFF)),
        Row(0x10000, 0x10FFFF, (0xE0, 0xEF), (0, 0xFF), (0, 0xFF)),
    ],
    joins_pairs=True,
)


@pytest.mark.parametrize("mode", ["a", "a+"])
@pytest.mark.parametrize("before", ["\u0100", "a\ud800", "\u0100\ud801", "\u0100" * 1000, "\ud800"])
def test_what_looks_like_a_lead_is_joined_if_it_is_one(path: Path, mode: str, before: str) -> None:
    path.write_bytes(eightfold.encode(before, AMBIGUOUS))
    with eightfold.open(path, mode, AMBIGUOUS) as file:
        file.write("\udc00")
    assert path.read_bytes() == eightfold.encode(before + "\udc00", AMBIGUOUS)


def test_what_may_be_inside_a_sequence_is_all_that_may_continue_one() -> None:
    utf_8, utf_16 = eightfold.form("utf-8"), eightfold.form("utf-16-be")
    assert [unit for unit in range(0x100) if seam.may_be_inside(utf_8, bytes([unit]))] == [*range(0x80, 0xC0)]
    inside = [unit for unit in range(0xD700, 0xE100) if seam.may_be_inside(utf_16, unit.to_bytes(2, "big"))]
    assert inside == [*range(0xDC00, 0xE000)]


@pytest.mark.parametrize("form", ["utf-8-sig", "corrected-utf-8-sig", "utf-16", "utf-32", "wtf-16"])
def test_a_signature_is_written_at_the_beginning_only(path: Path, form: str) -> None:
    with eightfold.open(path, "w", form) as file:
        file.write("a\n")
    with eightfold.open(path, "r+", form) as file:
        file.read()
        file.write("")
        file.write("b\n")
    with eightfold.open(path, "a+", form) as file:
        file.seek(0)
        file.write("c\n")
        file.seek(0)
        assert file.read() == "a\nb\nc\n"
    assert path.read_bytes() == eightfold.encode("a\nb\nc\n", form)
    with eightfold.open(path, "r+", form) as file:
        file.read()
        file.seek(0)
        file.truncate()
        file.write("d\n")
    assert path.read_bytes() == eightfold.encode("d\n", form)


@pytest.mark.parametrize("form", ["utf-8-sig", "corrected-utf-8-sig", "utf-16", "utf-32", "wtf-16", "optu-16"])
def test_a_file_that_was_empty_may_begin_with_a_signature_later(path: Path, form: str) -> None:
    path.touch()
    with eightfold.open(path, "r", form) as file:
        assert file.read() == ""
        path.write_bytes(eightfold.encode("a", form))
        assert file.read() == "a"


def test_writing_after_seeking_joins_too(path: Path) -> None:
    path.write_bytes(b"a" + LEAD + b"1234")
    with eightfold.open(path, "r+", "wtf-8") as file:
        file.seek(4)
        file.write("\ude00")
    assert path.read_bytes() == b"a" + PAIR + b"234"


@pytest.mark.parametrize("mode", ["a+", "r+"])
@pytest.mark.parametrize("length", [4, 20_000])
def test_what_was_read_ahead_does_not_come_between(path: Path, mode: str, length: int) -> None:
    before = b"x" * (length - 3) + LEAD
    path.write_bytes(before)
    with eightfold.open(path, mode, "wtf-8") as file:
        file.seek(0)
        assert file.read() == eightfold.decode(before, "wtf-8")
        file.write("\ude00y")
        file.seek(0)
        assert file.read().endswith("x\U0001f600y")
        file.write("z")
    assert path.read_bytes() == before[:-3] + PAIR + b"yz"


@pytest.mark.parametrize("given", [b"bytes", 5, None])
def test_only_text_is_written(path: Path, given: Any) -> None:
    with eightfold.open(path, "w", "wtf-8") as file, pytest.raises(TypeError, match="must be str"):
        file.write(given)


def test_lines_that_are_appended_one_by_one_add_up(path: Path) -> None:
    text = "one \ud83d\ude00 two\ud83d"
    for character in text:
        with eightfold.open(path, "a", "wtf-8") as file:
            file.write(character)
    assert path.read_bytes() == eightfold.encode(text, "wtf-8")


# --- where the file cannot be read or changed -------------------------------------------------------------------------


def unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no file be opened once more, as for a user who may write it only."""
    import eightfold.seam

    monkeypatch.setattr(eightfold.seam, "_read_if_same", lambda *given: None)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows gives no open file another name")
def test_another_file_that_has_its_path_now_is_not_read_instead(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def by_its_path_only(name: str, *given: int) -> int:
        if str(name).startswith("/dev/fd/"):
            raise FileNotFoundError(name)
        return opened(name, *given)

    path.write_bytes(b"abc")
    with eightfold.open(path, "a", "wtf-8", "replace") as file:
        path.rename(path.with_name("moved"))
        path.write_bytes(b"ab" + LEAD)
        monkeypatch.setattr(os, "open", by_its_path_only)
        file.write("\ude00!")
    assert path.with_name("moved").read_bytes() == b"abc?!"


@pytest.mark.parametrize(
    ("policy", "written"),
    [("replace", b"?!"), ("ignore", b"!"), ("backslashreplace", b"\\ude00!"), ("surrogatepass", TRAIL + b"!")],
)
def test_a_trail_meets_the_policy_where_the_file_cannot_be_read(
    path: Path, policy: str, written: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    unreadable(monkeypatch)
    path.write_bytes(b"abc" + LEAD)
    with eightfold.open(path, "a", "wtf-8", policy) as file:
        assert file.write("\ude00!") == 2
    assert path.read_bytes() == b"abc" + LEAD + written


def test_a_trail_is_an_error_where_the_file_cannot_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unreadable(monkeypatch)
    path.write_bytes(b"abc" + LEAD)
    with eightfold.open(path, "a", "wtf-8") as file:
        with pytest.raises(eightfold.EncodeError) as caught:
            file.write("\ude00!")
        file.write("fine")
    assert path.read_bytes() == b"abc" + LEAD + b"fine"
    fault = caught.value.fault
    assert fault is not None
    assert (fault.kind, fault.side, fault.code_point) == ("surrogate-pair", "text", 0xDE00)
    assert (caught.value.start, caught.value.end, caught.value.object) == (0, 1, "\ude00!")
    assert "cannot be read or changed" in str(caught.value)


def test_pairs_are_joined_by_the_rows_that_the_policy_writes(path: Path) -> None:
    joining = eightfold.Variant("joined", eightfold.form("wtf-8"))
    form = eightfold.Form("own", eightfold.form("generalized-utf-8").rows, variants=[joining])
    for policy, pair in (("joined", "\U0001f600".encode()), ("strict", LEAD + TRAIL)):
        path.write_bytes(b"abc" + LEAD)
        with eightfold.open(path, "a", form, policy) as file:
            file.write("\ude00")
        assert path.read_bytes() == b"abc" + pair


@pytest.mark.parametrize("policy", ["strict", "replace"])
def test_a_pair_that_the_form_has_no_row_for_meets_the_policy(path: Path, policy: str) -> None:
    rows = [row for row in eightfold.form("wtf-8").rows if row.last <= 0xFFFF]
    form = eightfold.Form("own", rows, joins_pairs=True)
    path.write_bytes(b"abc" + LEAD)
    with eightfold.open(path, "a", form, policy) as file:
        if policy == "strict":
            with pytest.raises(eightfold.EncodeError, match="U\\+1F600 cannot be written in own"):
                file.write("\ude00")
        else:
            file.write("\ude00")
    assert path.read_bytes() == b"abc" + LEAD + (b"?" if policy == "replace" else b"")


@pytest.mark.skipif(not hasattr(os, "pipe"), reason="needs pipes")
def test_in_a_pipe_a_lead_that_is_settled_can_no_longer_be_joined() -> None:
    reader, writer = os.pipe()
    with eightfold.open(writer, "w", "wtf-8") as file:
        file.write("\ude00\ud83d")  # Nothing stands before the beginning of a pipe.
        with pytest.raises(OSError, match="seek"):
            file.tell()
        file.write("\ude00\ud83d")
        file.reconfigure(newline="\n")
        with pytest.raises(eightfold.EncodeError):
            file.write("\ude00")
        file.write(".")
    with open(reader, "rb") as binary:
        assert binary.read() == TRAIL + PAIR + LEAD + b"."


@pytest.mark.skipif(not hasattr(os, "pipe"), reason="needs pipes")
@pytest.mark.parametrize("form", ["utf-16", "utf-8-sig", "corrected-utf-8-sig"])
@pytest.mark.parametrize("changed", [{"errors": "replace"}, {"newline": ""}, {"encoding": "utf-8-sig"}], ids=str)
@pytest.mark.parametrize("first", ["a", ""])
def test_in_a_pipe_a_signature_is_written_once(form: str, changed: dict[str, str], first: str) -> None:
    reader, writer = os.pipe()
    with eightfold.open(writer, "w", form, newline="") as file:
        file.reconfigure(newline="")
        file.write(first)
        file.reconfigure(**changed)
        file.write("b")
    (signature, *_) = eightfold.form(changed.get("encoding", form)).signatures
    with open(reader, "rb") as pipe:
        assert pipe.read() == eightfold.encode(first, form) + eightfold.encode("b", signature.form)


@pytest.mark.skipif(not hasattr(os, "pipe"), reason="needs pipes")
def test_in_a_pipe_an_empty_text_without_a_signature_begins_nothing() -> None:
    reader, writer = os.pipe()
    with eightfold.open(writer, "w", "utf-8") as file:
        file.write("")
        file.reconfigure(encoding="utf-8-sig")
        file.write("a")
    with open(reader, "rb") as pipe:
        assert pipe.read() == eightfold.encode("a", "utf-8-sig")


def test_a_file_that_cannot_be_written_says_so_once() -> None:
    reader, writer = os.pipe()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        file = eightfold.open(writer, "w", "wtf-8")
        file.write("a\ud83d")
        os.close(reader)
        with pytest.raises(OSError):
            file.close()
        assert file.closed
        del file
        gc.collect()
    assert warned == []


# --- random sequences of calls ----------------------------------------------------------------------------------------


def test_whatever_is_called_the_file_is_well_formed(path: Path) -> None:
    from random import Random

    random = Random(12)
    for _ in range(300):
        path.write_bytes(random.choice([b"", LEAD, b"ab" + LEAD, TRAIL]))
        written = eightfold.decode(path.read_bytes(), "wtf-8")
        for _ in range(random.randrange(1, 4)):
            with eightfold.open(path, random.choice(["a", "a+"]), "wtf-8") as file:
                for _ in range(random.randrange(5)):
                    text = "".join(random.choices(["\ud83d", "\ude00", "x", ""], k=random.randrange(3)))
                    file.write(text)
                    written += text
                    random.choice([file.tell, file.flush, file.truncate, lambda: None])()
        assert path.read_bytes() == eightfold.encode(written, "wtf-8")


def test_a_policy_does_not_outlive_the_form_that_it_was_given_for(path: Path) -> None:
    for open_text in (open, eightfold.open):
        with open_text(path, "w", encoding="utf-16-le", errors="replace") as file:
            file.reconfigure(newline="\n")
            assert file.errors == "replace"
            file.reconfigure(encoding="utf-8")
            assert file.errors == "strict"
            file.reconfigure(encoding="utf-8", errors="ignore")
            assert file.errors == "ignore"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs pseudo-terminals")
@pytest.mark.parametrize("buffering", [-1, 1, 4096])
def test_a_terminal_is_line_buffered_as_python_has_it(buffering: int) -> None:
    for open_text in (open, eightfold.open):
        controller, terminal = os.openpty()
        with open_text(terminal, "w", buffering=buffering, encoding="utf-8") as file:
            assert file.line_buffering == (buffering != 4096)
        os.close(controller)
