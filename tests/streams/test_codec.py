"""Python's codecs registry: names, stream classes, iterators, and text files over them."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import subprocess
import sys
import threading
from array import array
from collections.abc import Callable
from pathlib import Path

import pytest

import eightfold

pytestmark = pytest.mark.usefixtures("registered")

OURS = [form.name for form in eightfold.forms() if not form.cpython_reasons]
TEXT = "line one\nzwölf 漢字\n\nlast \U0001f600 line\n"


def writable(name: str) -> str:
    """Return a text that the form can hold: OPTU-8 and OPTU-16 end with the BMP."""
    return TEXT.replace("\U0001f600", "☺") if name.startswith("optu") else TEXT


def test_registering_is_idempotent_both_ways() -> None:
    eightfold.register_codecs()
    assert b"\xed\xa0\x80".decode("wtf-8") == "\ud800"
    eightfold.unregister_codecs()
    eightfold.unregister_codecs()
    with pytest.raises(LookupError):
        codecs.lookup("wtf-8")


def test_two_threads_register_the_codecs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    eightfold.unregister_codecs()
    register = codecs.register
    second = threading.Thread(target=eightfold.register_codecs)

    def while_another_registers(search: object) -> None:
        if not second.ident:
            second.start()
            second.join(0.1)
        register(search)  # type: ignore[arg-type]

    monkeypatch.setattr(codecs, "register", while_another_registers)
    eightfold.register_codecs()
    second.join()
    eightfold.unregister_codecs()
    with pytest.raises(LookupError):
        codecs.lookup("wtf-8")


def test_the_codecs_go_before_those_of_ftfy() -> None:
    program = "import ftfy, eightfold; eightfold.register_codecs(); print('\\U0001f600'.encode('cesu-8').hex())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "eda0bdedb880\n"


def test_the_codecs_of_ftfy_stay_registered() -> None:
    program = (
        "import ftfy, eightfold; eightfold.register_codecs();"
        "print(b'\\x81\\x80'.decode('sloppy-windows-1252').encode());"
        "eightfold.unregister_codecs(); print('\\U0001f600'.encode('cesu-8').hex())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "b'\\xc2\\x81\\xe2\\x82\\xac'\nf09f9880\n"


def test_decoding_says_how_many_bytes_it_has_taken_of_any_buffer() -> None:
    data = array("H", b"abcd")
    assert codecs.lookup("cesu-8").decode(data) == codecs.utf_8_decode(data) == ("abcd", 4)


def test_only_what_python_lacks_is_registered() -> None:
    assert [
        *("generalized-utf-8", "utf-8-rfc2044", "wtf-8", "cesu-8", "mutf-8", "xtf-8", "optu-8"),
        *("corrected-utf-8", "corrected-utf-8-sig", "wtf-16", "wtf-16-le", "wtf-16-be"),
        *("optu-16", "optu-16-le", "optu-16-be"),
    ] == OURS
    assert codecs.lookup("utf-8").decode.__module__ != "eightfold.codec"
    # Names that are the family's alone, of forms that Python has.
    for name in ("w-t-f-8", "utf16le", "utf_8sig"):
        with pytest.raises(LookupError):
            codecs.lookup(name)


@pytest.mark.parametrize("name", OURS)
def test_every_name_has_every_class(name: str) -> None:
    text = writable(name)
    data = eightfold.encode(text, name)
    assert text.encode(name) == data
    assert data.decode(name) == text
    for spelling in (name.upper(), name.replace("-", "_"), name.replace("-", "")):
        assert codecs.lookup(spelling).name == name
    pieces = [data[at : at + 3] for at in range(0, len(data), 3)]
    assert "".join(codecs.iterdecode(pieces, name)) == text
    assert b"".join(codecs.iterencode(text, name)) == data
    assert codecs.getreader(name)(io.BytesIO(data)).read() == text
    assert codecs.getreader(name)(io.BytesIO(data)).readlines() == text.splitlines(keepends=True)
    reader = codecs.getreader(name)(io.BytesIO(data))
    assert "".join(iter(lambda: reader.read(2), "")) == text
    binary = io.BytesIO()
    writer = codecs.getwriter(name)(binary)
    for character in text:
        writer.write(character)
    assert binary.getvalue() == data


READS = {
    "read": lambda reader: reader.read(),
    "read(2)": lambda reader: reader.read(2),
    "readline": lambda reader: reader.readline(),
    "readlines": lambda reader: "".join(reader.readlines()),
    "next": lambda reader: next(reader),
}


@pytest.mark.parametrize("name", READS)
def test_a_stream_reader_gives_the_text_before_a_short_end_and_then_raises(name: str) -> None:
    read, stream = READS[name], io.BytesIO(b"ab\xed\xa0")
    reader = codecs.getreader("wtf-8")(stream)
    assert read(reader) == "ab"
    for _ in range(2):  # As often as it is asked, and without losing what may be completed yet.
        with pytest.raises(eightfold.DecodeError):
            read(reader)
    stream.write(b"\x80cd")
    stream.seek(-3, io.SEEK_END)
    assert read(reader) + read(reader)[:1] == "\ud800cd" if name == "read(2)" else read(reader) == "\ud800cd"


@pytest.mark.parametrize("name", ["wtf-8", "cesu-8"])
def test_a_stream_reader_gives_the_lines_before_a_carriage_return_and_a_short_end(name: str) -> None:
    reader = codecs.getreader(name)(io.BytesIO(b"one\ntwo\r\xed\xa0"))
    assert [next(reader), next(reader)] == ["one\n", "two\r"]
    for _ in range(2):
        with pytest.raises(eightfold.DecodeError, match="cut short"):
            next(reader)


def test_a_stream_reader_drops_nothing_at_the_end() -> None:
    for read in (lambda reader: reader.read(), lambda reader: "".join(iter(lambda: reader.read(1), ""))):
        assert read(codecs.getreader("wtf-8")(io.BytesIO(b"ab\xed\xa0"), "replace")) == "ab\ufffd"
    # A lead at the end could be half of a pair; at the end of the stream it is itself.
    assert codecs.getreader("wtf-8")(io.BytesIO(b"\xed\xa0\xbd")).read() == "\ud83d"
    assert codecs.getreader("wtf-8")(io.BytesIO(b"ab\xed\xa0\xbd")).readline() == "ab\ud83d"


@pytest.mark.parametrize("chars", [1, 3, 8, 9])
def test_a_stream_reader_gives_no_more_than_it_is_asked_for_at_a_short_end(chars: int) -> None:
    reader = codecs.getreader("wtf-8")(io.BytesIO(b"ab\xed\xa0"), "backslashreplace")
    parts = [*iter(lambda: reader.read(-1, chars), "")]
    assert "".join(parts) == r"ab\xed\xa0"
    assert max(map(len, parts)) <= chars


@pytest.mark.parametrize("errors", ["strict", "replace"])
def test_an_empty_line_without_its_end_is_not_the_end_of_the_stream(errors: str) -> None:
    lines = ["", "漢" * 40, "", "\ud83d"]  # Python's readers take 72 bytes at first, which cut a sequence of three.
    reader = codecs.getreader("wtf-8")(io.BytesIO("\n".join(lines).encode("wtf-8")), errors)
    assert [reader.readline(keepends=False) for _ in lines] == lines
    assert reader.readline(keepends=False) == ""


@pytest.mark.parametrize("read", [*READS.values(), lambda reader: reader.read(-1, 1)])
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("wtf-8", b"\xed\xa0\xbd\xed\xb8"),
        ("mutf-8", b"\xed\xa0\xbd\xed"),
        ("wtf-16-le", b"\x3d\xd8\0"),
        ("wtf-16", b"\xff\xfe\x3d\xd8\0"),
    ],
)
def test_a_stream_reader_gives_a_lead_before_a_short_end(
    name: str, data: bytes, read: Callable[[codecs.StreamReader], str]
) -> None:
    reader = codecs.getreader(name)(io.BytesIO(data))
    assert read(reader) == "\ud83d"
    for _ in range(2):
        with pytest.raises(eightfold.DecodeError):
            read(reader)


def test_a_stream_reader_gives_what_pythons_own_gives_of_a_stream_that_grows() -> None:
    text = "a\u00e9\u20ac\U0001f600\n"
    for name in ("utf-8", "wtf-8", "generalized-utf-8"):
        stream, given = io.BytesIO(), ""
        reader = codecs.getreader(name)(stream)
        for byte in text.encode():
            place = stream.tell()
            stream.write(bytes([byte]))
            stream.seek(place)
            with contextlib.suppress(eightfold.DecodeError):
                given += reader.read()
        assert given == text


def test_a_codec_follows_the_policy_that_it_is_given() -> None:
    assert "a\udc00".encode("cesu-8", "replace") == b"a?"
    assert b"a\xff".decode("cesu-8", "replace") == "a\ufffd"


def test_a_stream_reader_at_the_start_again_expects_the_signature_again() -> None:
    name = "corrected-utf-8-sig"
    reader = codecs.getreader(name)(io.BytesIO("a".encode(name)))
    assert reader.read() == "a"
    reader.seek(0)
    assert reader.read() == "a"


def test_a_stream_writer_writes_what_it_holds_before_it_seeks_from_the_end_and_closes_its_stream() -> None:
    binary = io.BytesIO()
    writer = codecs.getwriter("wtf-8")(binary)
    writer.write("ab\ud83d")
    writer.seek(-4, io.SEEK_END)
    assert binary.tell() == 1
    writer.close()
    assert binary.closed


def test_a_stream_writer_writes_what_it_holds_when_closed_or_reset() -> None:
    for finish in (codecs.StreamWriter.reset, lambda writer: writer.__exit__(None, None, None)):
        binary = io.BytesIO()
        binary.close = lambda: None  # type: ignore[method-assign]
        writer = codecs.getwriter("wtf-8")(binary)
        writer.write("a\ud83d")
        assert binary.getvalue() == b"a"
        type(writer).reset(writer) if finish is codecs.StreamWriter.reset else finish(writer)
        assert binary.getvalue() == b"a\xed\xa0\xbd"


def test_a_stream_writer_that_seeks_writes_what_it_holds_where_it_was_written() -> None:
    binary = io.BytesIO()
    writer = codecs.getwriter("wtf-8")(binary)
    writer.write("abcdef\ud83d")
    writer.seek(0)
    assert binary.getvalue() == b"abcdef\xed\xa0\xbd"
    writer.write("x\ud83d")
    writer.seek(9)
    writer.write("\ude00")
    assert binary.getvalue() == b"x\xed\xa0\xbdef\xed\xa0\xbd\xed\xb8\x80"


@pytest.mark.filterwarnings("ignore:codecs.open:DeprecationWarning")
@pytest.mark.parametrize("mode", ["w+", "a+"])
@pytest.mark.parametrize("place", [0, 2])
def test_a_file_of_the_codecs_module_may_be_moved_while_a_lead_is_held(tmp_path: Path, mode: str, place: int) -> None:
    with codecs.open(str(tmp_path / "file"), mode, "wtf-8") as file:
        file.write("abcdef\ud83d")
        file.seek(place)
        file.write("xy")
    text = b"abcdef\xed\xa0\xbd"
    expected = text + b"xy" if mode == "a+" else text[:place] + b"xy" + text[place + 2 :]
    assert (tmp_path / "file").read_bytes() == expected


def test_a_stream_writer_needs_only_a_stream_that_writes() -> None:
    class Pipe:
        def __init__(self) -> None:
            self.written = b""

        def write(self, data: bytes) -> None:
            self.written += data

    pipe = Pipe()
    writer = codecs.getwriter("wtf-8")(pipe)  # type: ignore[arg-type]
    for text in ("a\ud83d", "\ude00", "\ud83d", "b"):
        writer.write(text)
    assert pipe.written == "a\U0001f600".encode() + b"\xed\xa0\xbdb"


@pytest.mark.parametrize("name", ["cesu-8", "utf-8"])
def test_the_policy_of_a_stream_may_change_at_any_time(name: str) -> None:
    reader = codecs.getreader(name)(io.BytesIO(b"a\xffb\n\xff\n\xe2\x82"))
    reader.errors = "replace"
    assert reader.readline() == "a\ufffdb\n"
    assert reader.read() == "\ufffd\n\ufffd" if name == "cesu-8" else "\ufffd\n"
    writer = codecs.getwriter(name)(io.BytesIO())
    writer.errors = "replace"
    writer.write("a\udc00")
    writer.errors = "strict"
    with pytest.raises(UnicodeEncodeError):
        writer.write("\udc00")
    assert writer.stream.getvalue() == b"a?"  # type: ignore[attr-defined]


def test_a_held_lead_meets_the_policy_that_a_stream_has_when_it_is_closed() -> None:
    binary = io.BytesIO()
    writer = codecs.getwriter("cesu-8")(binary)
    writer.write("a\ud83d")
    writer.errors = "replace"
    writer.reset()
    assert binary.getvalue() == b"a?"


def test_a_stream_refuses_a_policy_that_there_is_not() -> None:
    reader = codecs.getreader("cesu-8")(io.BytesIO(b"a"))
    reader.errors = "no such policy"
    with pytest.raises(LookupError, match="no such policy"):
        reader.read()


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("chunk", [1, 2, 5, 8192])
def test_text_io_wrapper_reads_seeks_and_tells(name: str, chunk: int) -> None:
    text = writable(name)
    file = io.TextIOWrapper(io.BytesIO(eightfold.encode(text, name)), encoding=name, newline="")
    file._CHUNK_SIZE = chunk  # type: ignore[attr-defined]
    places = []
    while True:
        places.append((file.tell(), len("".join(each[1] for each in places))))
        character = file.read(1)
        if not character:
            break
        places[-1] = (places[-1][0], character)  # type: ignore[assignment]
    assert "".join(str(each[1]) for each in places[:-1]) == text
    for at in (0, 7, len(text) // 2, len(text) - 1, 3):
        file.seek(places[at][0])
        assert file.read() == text[at:]


@pytest.mark.parametrize("name", ["utf-8-sig", "corrected-utf-8-sig", "utf-16", "wtf-16", "optu-16", "utf-32"])
def test_appending_writes_no_second_signature(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file"
    for open_text in (open, eightfold.open):
        path.unlink(missing_ok=True)
        for part in ("one\n", "two\n"):
            keyword = {"encoding": name} if open_text is open else {"form": name}
            with open_text(path, "a", **keyword) as file:  # type: ignore[call-overload]
                file.write(part)
        assert path.read_bytes() == eightfold.encode("one\ntwo\n", name)
        with eightfold.open(path, "r", name) as file:
            assert file.read() == "one\ntwo\n"


def test_the_first_write_at_the_start_again_brings_the_signature_back(tmp_path: Path) -> None:
    with eightfold.open(tmp_path / "file", "w+", "corrected-utf-8-sig") as file:
        file.write("first")
        file.seek(0)
        file.write("again")
        file.seek(0)
        assert file.read() == "again"
    assert (tmp_path / "file").read_bytes() == eightfold.encode("again", "corrected-utf-8-sig")


def test_plain_open_warns_of_a_lead_that_it_loses_and_ours_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "lead"
    program = (
        "import eightfold, sys, warnings; eightfold.register_codecs()\n"
        "file = open(sys.argv[1], 'w', encoding='wtf-8'); file.write('a\\ud83d'); file.close(); del file\n"
    )
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    assert path.read_bytes() == b"a"
    assert "UnicodeWarning" in done.stderr
    assert "U+D83D" in done.stderr
    with eightfold.open(path, "w", "wtf-8") as file:
        file.write("a\ud83d")
    assert path.read_bytes() == b"a\xed\xa0\xbd"


@pytest.mark.parametrize("finish", ["close", "detach", "seek"])
def test_close_seek_and_detach_finish_the_encoder(tmp_path: Path, finish: str) -> None:
    path = tmp_path / "lead"
    file = eightfold.open(path, "w", "cesu-8", "surrogatepass")
    file.write("a\ud83d")
    binary = file.detach() if finish == "detach" else file
    if finish == "seek":
        file.seek(0)
    binary.close()
    assert path.read_bytes() == b"a\xed\xa0\xbd"


def test_open_takes_a_form_of_ones_own_and_policies_that_forms_declare(tmp_path: Path) -> None:
    form = eightfold.Form("shout", [eightfold.Row(0x0A, 0x0A, 0x0A), eightfold.Row(0x41, 0x5A, (0x61, 0x7A))])
    with eightfold.open(tmp_path / "own", "w", form) as file:
        file.write("ABC\n")
    assert (tmp_path / "own").read_bytes() == b"abc\n"
    (tmp_path / "mixed").write_bytes(b"caf\xe9 \xee\xbe\x80")
    with eightfold.open(tmp_path / "mixed", "r", "xtf-8", "escape") as file:
        assert file.read() == "caf\uefe9 \uefee\uefbe\uef80"
        assert (file.encoding, file.errors) == ("xtf-8", "escape")


def test_open_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is binary"):
        eightfold.open(tmp_path / "x", "rb", "utf-8")
    with pytest.raises(LookupError, match="did you mean wtf-8"):
        eightfold.open(tmp_path / "x", "w", "wft-8")
    assert not (tmp_path / "x").exists()
    with pytest.raises(FileNotFoundError):
        eightfold.open(tmp_path / "x", "r", "wtf-8")


def test_development_mode_knows_the_names(tmp_path: Path) -> None:
    (tmp_path / "mixed").write_bytes(b"caf\xe9")
    program = (
        "import eightfold, sys; eightfold.register_codecs()\n"
        "print(ascii(open(sys.argv[1], encoding='xtf-8', errors='escape').read()))\n"
        "print(ascii(open(sys.argv[1], 'rb').read().decode('utf-8', 'xtf8')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "ignore::ResourceWarning", "-c", program, tmp_path / "mixed"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [r"'caf\uefe9'", r"'caf\uefe9'"]


def test_the_declared_policies_re_raise_under_a_foreign_codec() -> None:
    for name in ("escape", "private-use", "java"):
        with pytest.raises(UnicodeDecodeError):
            b"\xff".decode("utf-8", name)
        with pytest.raises(UnicodeEncodeError):
            "\ud800".encode("utf-8", name)
    with pytest.raises(UnicodeEncodeError):
        "\ud800".encode("utf-8", "xtf8")


def test_reconfiguring_keeps_the_form_and_loses_nothing(tmp_path: Path) -> None:
    first = eightfold.open(tmp_path / "first", "w", "wtf-8")
    with eightfold.open(tmp_path / "second", "w", "utf-16-le"):
        # The form is the file's own, not that of the file that was opened last.
        first.write("a\ud83d")
        first.reconfigure(newline="\r\n")
        first.write("b\n\ud83d")
        first.close()
    assert (tmp_path / "first").read_bytes() == b"a\xed\xa0\xbdb\r\n\xed\xa0\xbd"
    with eightfold.open(tmp_path / "third", "w", "utf-8") as file:
        file.reconfigure(errors="replace")
        file.write("\ud800")
        file.reconfigure(encoding="cesu-8", errors="strict")
        file.write("\U0001f600")
        assert (file.encoding, file.errors) == ("cesu-8", "strict")
        with pytest.raises(LookupError):
            file.reconfigure(encoding="no such form")
    assert (tmp_path / "third").read_bytes() == b"?\xed\xa0\xbd\xed\xb8\x80"


def test_telling_the_place_writes_a_lead_that_is_held(tmp_path: Path) -> None:
    with eightfold.open(tmp_path / "lead", "w", "wtf-8") as file:
        file.write("a")
        assert file.tell() == 1
        file.write("\ud83d")
        assert file.tell() == 4
        file.write("\ude00")
        assert file.tell() == 5


def test_a_file_knows_its_mode_and_takes_what_open_takes(tmp_path: Path) -> None:
    opened = []

    def opener(path: str, flags: int) -> int:
        opened.append(path)
        return os.open(path, flags)

    for open_text in (open, eightfold.open):
        path = str(tmp_path / open_text.__module__)
        with open_text(path, "w+", opener=opener) as file:
            assert file.mode == "w+"
            assert file.name == path
        descriptor = os.open(path, os.O_RDONLY)
        with open_text(descriptor, closefd=False) as file:
            assert (file.mode, file.name) == ("r", descriptor)
        os.close(descriptor)  # It is still open.
        with pytest.raises(ValueError, match="closefd=False"):
            open_text(path, closefd=False)
    assert [os.path.dirname(path) for path in opened] == [str(tmp_path)] * 2
