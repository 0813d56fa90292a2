"""Text and bytes of classes of their own, which change what they are added to: a coder takes what is in them."""

from __future__ import annotations

import codecs
import html
import io
from pathlib import Path
from typing import Any

import pytest

import eightfold
from eightfold import repair
from eightfold.codec import codec_info
from eightfold.corrected import Linter
from eightfold.stream import Checker, Converter, Decoder, Encoder


class Markup(str):
    """Escapes what is added to it, like that of MarkupSafe."""

    __slots__ = ()

    def __add__(self, other: str) -> Markup:
        return Markup(str(self) + html.escape(other))

    def __radd__(self, other: str) -> Markup:
        return Markup(html.escape(other) + str(self))

    def __getitem__(self, key: Any) -> Markup:
        return Markup(super().__getitem__(key))

    def __len__(self) -> int:
        return 99

    def replace(self, *given: Any) -> Markup:  # type: ignore[override]
        return Markup("replaced")


class Bytes(bytes):
    """The same of bytes."""

    def __add__(self, other: Any) -> Bytes:
        return Bytes(b"added")

    def __radd__(self, other: Any) -> Bytes:
        return Bytes(b"added")

    def __getitem__(self, key: Any) -> Any:
        return b"got"


@pytest.mark.parametrize("form", ["wtf-8", "cesu-8", "utf-8", "utf-8-sig", "utf-16"])
def test_an_encoder_adds_nothing_to_text_of_a_class_of_its_own(form: str) -> None:
    pieces = [Markup("<b>\ud83d"), "\ude00<i>", Markup("<u>"), "</u>"]
    errors = "strict" if form in ("wtf-8", "cesu-8") else "replace"
    encoder, plain = Encoder(form, errors), Encoder(form, errors)
    for piece in pieces:
        assert encoder.encode(piece) == plain.encode(str(piece))
    assert encoder.getstate() == plain.getstate()


def test_a_codec_says_how_many_code_points_it_has_consumed() -> None:
    entry = codec_info(eightfold.form("cesu-8"))
    assert entry.encode(Markup("<b>")) == (b"<b>", 3)
    assert entry.streamwriter(io.BytesIO()).encode(Markup("<b>")) == (b"<b>", 3)


@pytest.mark.parametrize("newline", [None, "\r\n"])
@pytest.mark.parametrize("form", ["wtf-8", "utf-8"])
def test_a_text_file_adds_nothing_to_it(form: str, newline: str | None, tmp_path: Path) -> None:
    lead = "\ud83d" if form == "wtf-8" else ""
    with eightfold.open(tmp_path / "file", "w", form, newline=newline) as file:
        assert file.write(Markup(f"<b>\n{lead}")) == 4 + len(lead)
        file.write("<i>\n")
        file.write(Markup("<u>\n"))
        file.writelines([Markup(f"</u>{lead}"), "</i>"])
    with eightfold.open(tmp_path / "file", "r", form) as file:
        assert file.read() == f"<b>\n{lead}<i>\n<u>\n</u>{lead}</i>"


def test_a_stream_writer_adds_nothing_to_it() -> None:
    eightfold.register_codecs()
    try:
        stream = io.BytesIO()
        writer = codecs.getwriter("wtf-8")(stream)
        writer.write(Markup("<b>\ud83d"))
        writer.write("<i>")
        writer.close = lambda: None  # type: ignore[method-assign]
        writer.reset()
        assert stream.getvalue() == b"<b>\xed\xa0\xbd<i>"
    finally:
        eightfold.unregister_codecs()


def test_what_is_held_of_bytes_is_bytes() -> None:
    decoder, converter = Decoder("utf-8"), Converter("utf-8", "utf-16-be")
    assert decoder.decode(Bytes(b"a\xe2")) + decoder.decode(Bytes(b"\x82\xac")) == "a\u20ac"
    assert converter.convert(Bytes(b"a\xe2")) + converter.convert(Bytes(b"\x82\xac")) == b"\0a\x20\xac"
    decoder.setstate((Bytes(b"\xe2\x82"), 0))
    assert decoder.decode(b"\xac") == "\u20ac"
    converter.setstate((Bytes(b"\xe2\x82"), *converter.getstate()[1:]))
    assert converter.convert(b"\xac") == b"\x20\xac"
    checker, linter, repairer = Checker("utf-8"), Linter(), repair.Repairer()
    assert checker.check(Bytes(b"a\xe2")) == checker.check(Bytes(b"\x82\xac"), True) == []
    assert repairer.repair(Bytes(b"a\xe2")).data + repairer.repair(Bytes(b"\x82\xac"), True).data == b"a\xe2\x82\xac"
    assert [each.fault.kind for each in linter.check(Bytes(b"a\n"), True)] == ["no-signature"]
