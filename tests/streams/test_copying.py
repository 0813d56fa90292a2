"""Coders and codec objects that are copied and pickled: each copy goes on by itself from the state of the moment."""

from __future__ import annotations

import codecs
import copy
import io
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import eightfold
from eightfold import repair
from eightfold.corrected import Linter
from eightfold.jsontext import Scrubber
from eightfold.repair.mojibake import MojibakeRepairer
from eightfold.showing import Faults
from eightfold.stream import Decoder, Encoder

pytestmark = pytest.mark.usefixtures("registered")

WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {protocol}": lambda each, protocol=protocol: pickle.loads(pickle.dumps(each, protocol))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    },
}
OWN = eightfold.Form("own", [eightfold.Row(0, 0x7F, (0, 0x7F)), eightfold.Row(0x80, 0x7FF, (0xC2, 0xDF), (0x80, 0xBF))])

# What makes a coder, what brings it into a state, and two ways to go on that give different results from it.
CODERS: dict[str, tuple[Callable[[], Any], Any, Any, Any]] = {
    "Decoder": (lambda: Decoder("wtf-8"), ("decode", b"a\xed\xa0"), ("decode", b"\xbd!"), ("decode", b"\x80?")),
    "Decoder with mark": (lambda: Decoder("utf-16"), ("decode", b"\xfe"), ("decode", b"\xff\0a"), ("decode", b"\xfe")),
    "Decoder of a form of one's own": (lambda: Decoder(OWN), ("decode", b"\xc3"), ("decode", b"\xa9"), ("reset",)),
    "Encoder": (lambda: Encoder("wtf-8"), ("encode", "\ud83d"), ("encode", "\ude00"), ("encode", "x")),
    "codec decoder": (
        lambda: codecs.getincrementaldecoder("cesu-8")(),
        ("decode", b"\xed\xa0\xbd\xed"),
        ("decode", b"\xb8\x80"),
        ("decode", b"", False),
    ),
    "codec encoder": (
        lambda: codecs.getincrementalencoder("wtf-8")("replace"),
        ("encode", "\ud83d"),
        ("encode", "\ude00"),
        ("encode", "x"),
    ),
    "Converter": (
        lambda: eightfold.Converter("utf-16", "wtf-8", "replace"),
        ("convert", b"\xff\xfe\x3d\xd8\x00"),
        ("convert", b"\xde"),
        ("convert", b"a"),
    ),
    "Checker": (
        lambda: eightfold.Checker("utf-8"),
        ("check", b"one\ntwo \xe2"),
        ("check", b"x\n\xff", True),
        ("check", b"\x82\xac\n\n\n\xff", True),
    ),
    "Linter": (
        Linter,
        ("check", b"one\ntwo \xe2"),
        ("check", b"x\n\x07", True),
        ("check", b"\x82\xac\n\n\n\x07", True),
    ),
    "Repairer": (
        lambda: repair.Repairer(errors="latin-1"),
        ("repair", b"one\ntwo \xe2"),
        ("repair", b"x\n\xff", True),
        ("repair", b"\x82\xac\n\n\n\xff", True),
    ),
    "Repairer that holds pieces": (
        lambda: repair.Repairer("corrected-utf-8", "latin-1"),
        ("repair", b"\xfe" + b"\x80" * 5000),
        ("repair", b"\x80"),
        ("repair", b"!", True),
    ),
    "scrubber of JSON": (
        Scrubber,
        ("scrub", b'["\\ud83d'),
        ("scrub", b'\\ude00"]'),
        ("scrub", b'x"]', True),
    ),
    "Repairer of mojibake": (
        lambda: MojibakeRepairer(errors="latin-1"),
        ("repair", b"one\xff\ntwo \xff\xc3\x83"),
        ("repair", b"\xc2\xa9 \xff\n", True),
        ("repair", b"\xa9\n\n\xff", True),
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CODERS)
def test_a_copy_has_a_state_of_its_own(name: str, way: str) -> None:
    make, begin, one, other = CODERS[name]

    def call(coder: Any, method: str, *given: Any) -> Any:
        return getattr(coder, method)(*given)

    def in_one_go(then: Any) -> Any:
        coder = make()
        call(coder, *begin)
        result = call(coder, *then)
        finish(coder)
        return result

    def finish(coder: Any) -> None:
        if hasattr(coder, "encode"):
            coder.encode("", True)  # What is held would be warned of.

    coder = make()
    call(coder, *begin)
    twin = WAYS[way](coder)
    assert type(twin) is type(coder)
    assert call(twin, *one) == in_one_go(one)
    assert call(coder, *other) == in_one_go(other)
    finish(twin)
    finish(coder)


@pytest.mark.parametrize("way", WAYS)
def test_codec_info_is_the_same_again(way: str) -> None:
    for form in eightfold.forms():
        if form.cpython_reasons:
            continue
        info = codecs.lookup(form.name)
        assert WAYS[way](info) is info
        for part in (*info, info.incrementalencoder, info.incrementaldecoder):
            again = WAYS[way](part)
            assert again is part or (again.func, again.args) == (part.func, part.args)


def test_streams_are_refused_with_the_reason() -> None:
    for stream in (codecs.getreader("wtf-8")(io.BytesIO()), codecs.getwriter("wtf-8")(io.BytesIO())):
        for way in WAYS.values():
            with pytest.raises(TypeError, match="an open stream"):
                way(stream)


def test_a_text_file_is_refused_and_stays_open(tmp_path: Path) -> None:
    for mode in ("w", "w+"):
        with eightfold.open(tmp_path / "file", mode, "wtf-8") as file:
            for way in WAYS.values():
                with pytest.raises(TypeError, match=r"^a TextFile cannot be copied or pickled: it is an open file$"):
                    way(file)
                file.write("a")


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("make", [lambda: eightfold.faults(b"\xff", "utf-8"), lambda: Faults(iter(()))])
def test_faults_that_are_being_found_are_refused(make: Callable[[], Any], way: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="pickle"):
        way(make())


WITHOUT_GLOBAL_LOCK = """
import copy, pickle, sys
sys._is_gil_enabled = lambda: False
import eightfold
converter = eightfold.Converter("utf-8", "wtf-8")
converter.convert(b"\\xc3")
for twin in copy.copy(converter), copy.deepcopy(converter), pickle.loads(pickle.dumps(converter)):
    assert twin.convert(b"\\xa9") == b"\\xc3\\xa9"
    assert twin._lock is not converter._lock
"""


def test_the_lock_of_a_coder_is_not_copied() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_GLOBAL_LOCK], check=True)
