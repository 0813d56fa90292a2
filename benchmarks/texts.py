"""The texts that are measured: words of twelve scripts drawn at random from a fixed seed, so that none is periodic.

A short text that repeats trains the branch predictor and flatters branchy code. Unpaired surrogates and ill-formed
bytes are planted at random in the same way. This module does not know what is measured.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import cycle
from pathlib import Path
from random import Random

MIXED = "mixed html"
WORDS: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
SCRIPTS = (*WORDS, MIXED)
SAMPLE = ("ascii", "latin", "cyrillic", "chinese", "emoji", MIXED)
"""One text of each width, for measurements at several densities."""

CHATS = {"chat": "ascii", "han chat": "chinese"}
"""Texts whose sentences end with emoji, and their scripts: code points of all lengths in a str of 32-bit units."""

SENTENCE_WORDS = 12
KEPT_BYTES = 1 << 20
"""Texts up to this size are kept: many rows measure the same."""
ELEMENTS = ("{} ", "<em>{}</em> ", '<a href="/wiki/{name}">{}</a> ', '</p>\n<p class="{name}">{} ', "<li>{}</li>\n")

SURROGATES = tuple(map(chr, range(0xD800, 0xE000, 31)))
ESCAPED_BYTES = tuple(map(chr, range(0xDC80, 0xDD00)))
"""Bytes that are not UTF-8, as `surrogateescape` shows them, one byte each."""
ILL_FORMED = ("\udce9", "\udcff", "\udc80", "\udcc0\udcaf", "\udce2\udc82", "\udced\udca0\udcbd", "\udcf0\udc9f\udc92")
"""Latin-1, never a byte of UTF-8, stray, overlong, truncated, surrogate, truncated: as `surrogateescape` shows them."""


class Texts:
    """Texts by name, of any length.

    Args:
        drawn: for each name the words that texts are drawn from, each with the characters that follow it.
    """

    def __init__(self, drawn: Mapping[str, Sequence[str]]) -> None:
        self._drawn = drawn
        self.names = tuple(drawn)
        self._kept = lru_cache(maxsize=64)(self._whole)

    def pieces(self, name: str, byte_count: int, count: int) -> list[str]:
        """Return so many texts of at most so many bytes of UTF-8 each, without the code points that cuts broke."""
        whole = self._kept if byte_count * count <= KEPT_BYTES else self._whole
        data = whole(name, byte_count * count).encode()
        starts = range(0, byte_count * count, byte_count)
        return [_whole_code_points(data[start : start + byte_count]) for start in starts]

    def _whole(self, name: str, byte_count: int) -> str:
        words, chance = self._drawn[name], Random(name)
        text, size = [], 0
        mean = sum(len(word.encode()) for word in words) / len(words)
        while size < byte_count:
            more = "".join(chance.choices(words, k=int((byte_count - size) / mean) + 100))
            text.append(more)
            size += len(more.encode())
        return "".join(text)


def _whole_code_points(data: bytes) -> str:
    """Return the text of bytes that were cut anywhere out of UTF-8, without the code points that the cuts broke."""
    return data.decode("utf-8", "ignore")


def made() -> Texts:
    """Return the texts of all scripts."""
    drawn = {name: _words(**given) for name, given in WORDS.items()}
    chats = {name: _chat(**WORDS[script]) for name, script in CHATS.items()}
    return Texts({**drawn, MIXED: _html(), **chats})


def _words(words: str, space: str, stop: str) -> list[str]:
    """Return each word as often as there are words in a sentence, once with a full stop."""
    return [word + end for word in words.split() for end in (stop, *[space] * (SENTENCE_WORDS - 1))]


def _chat(words: str, space: str, stop: str) -> list[str]:
    """Return each word as often as :func:`_words`, once with an emoji behind the full stop."""
    emoji = cycle(WORDS["emoji"]["words"].replace(" ", ""))
    return [word + end for word in words.split() for end in (stop + next(emoji), *[space] * (SENTENCE_WORDS - 1))]


def _html() -> list[str]:
    """Return elements with ASCII in their tags and words of every script but emoji between them."""
    names = cycle(WORDS["ascii"]["words"].split())
    words = (word for script, given in WORDS.items() if script != "emoji" for word in given["words"].split())
    return [element.format(word, name=name) for word, name in zip(words, names, strict=False) for element in ELEMENTS]


def of_corpora(folder: Path) -> Texts:
    """Return texts of the words of each ``*.txt`` in a folder, under the file's name.

    Raises:
        ValueError: there is no such file.
    """
    files = sorted(folder.glob("*.txt"))
    if not files:
        raise ValueError(f"no *.txt in {folder}")
    return Texts({file.name: [f"{word} " for word in file.read_text("utf-8").split()] for file in files})


def planted(text: str, one_in: int, what: Sequence[str]) -> str:
    """Return a text in which one code point of so many is replaced by one of some, at irregular distances."""
    chance, points = Random(one_in), list(text)
    for start in range(0, len(points) - one_in + 1, one_in):
        points[start + chance.randrange(one_in)] = chance.choice(what)
    return "".join(points)


def with_surrogates(text: str, one_in: int) -> str:
    """Return a text in which one code point of so many is a surrogate, and none of them makes a pair."""
    return re.sub("[\ud800-\udbff](?=[\udc00-\udfff])", "\udfff", planted(text, one_in, SURROGATES))


def with_ill_formed(text: str, one_in: int) -> bytes:
    """Return UTF-8 in which one code point of so many is an ill-formed sequence, and no two make a well-formed one."""
    apart = re.sub("(?<=[\udc82\udc92])\udc80", "\udcff", planted(text, one_in, ILL_FORMED))
    return apart.encode("utf-8", "surrogateescape")


def total_bytes(texts: Iterable[str]) -> int:
    """Return the size of texts in bytes of UTF-8, with three for a surrogate."""
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
