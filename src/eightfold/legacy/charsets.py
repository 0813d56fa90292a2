"""The charsets: their names, what a name means in Python and on the web, and each as a form that only counts lines.

Source: the modules of Python's :mod:`encodings`; WHATWG Encoding, section 4.2 (names and labels).
"""

from __future__ import annotations

import codecs
from encodings import normalize_encoding
from encodings.aliases import aliases
from functools import cache
from typing import Any

from eightfold.forms import Form, Row
from eightfold.forms.rows import check_type

_NAMES = (
    *("ascii", "big5", "big5-hkscs", "cp037", "cp273", "cp424", "cp437", "cp500", "cp720", "cp737", "cp775", "cp850"),
    *("cp852", "cp855", "cp856", "cp857", "cp858", "cp860", "cp861", "cp862", "cp863", "cp864", "cp865", "cp866"),
    *("cp869", "cp874", "cp875", "cp932", "cp949", "cp950", "cp1006", "cp1026", "cp1125", "cp1140", "euc-jis-2004"),
    *("euc-jisx0213", "euc-jp", "euc-kr", "gb18030", "gb2312", "gbk", "hp-roman8", "hz", "iso-2022-jp"),
    *("iso-2022-jp-1", "iso-2022-jp-2", "iso-2022-jp-2004", "iso-2022-jp-3", "iso-2022-jp-ext", "iso-2022-kr"),
    *("iso-8859-1", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8"),
    *("iso-8859-9", "iso-8859-10", "iso-8859-11", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "johab"),
    *("koi8-r", "koi8-t", "koi8-u", "kz-1048", "mac-arabic", "mac-croatian", "mac-cyrillic", "mac-farsi", "mac-greek"),
    *("mac-iceland", "mac-latin2", "mac-romanian", "mac-turkish", "macintosh", "palmos", "ptcp154", "shift_jis"),
    *("shift-jis-2004", "shift-jisx0213", "tis-620", "windows-1250", "windows-1251", "windows-1252", "windows-1253"),
    *("windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258"),
)
"""The charsets, by names that Python knows too; none of its other codecs is one."""
_ON_THE_WEB = {
    "ascii": "windows-1252",
    "big5": "big5-hkscs",
    "euc-kr": "cp949",
    "gb2312": "gbk",
    "iso-8859-1": "windows-1252",
    "iso-8859-11": "cp874",
    "iso-8859-9": "windows-1254",
    "shift_jis": "cp932",
    "tis-620": "cp874",
}
"""The charsets whose names are labels of another charset in the Encoding standard; all of them there are larger."""


class Charset(Form):
    r"""A charset of Python's registry; made by :func:`charset`.

    As a form it has one row, that of U+000A: enough to count lines. The verbs of the family do not read it.

    Attributes:
        codec: the name of Python's codec.
        web_name: the charset that the name means on the web, if that is another; else empty.

    >>> charset("latin1").name, charset("latin1").codec, charset("latin1").web_name
    ('iso-8859-1', 'latin_1', 'windows-1252')
    """

    codec: str
    web_name: str

    def __init__(self, name: str) -> None:
        codec = _codec(name)
        feed = "\n".encode(codec)[-1]
        other = sorted(alias for alias, found in aliases.items() if found == codec)
        super().__init__(
            name,
            [Row(0x0A, 0x0A, (feed, feed))],
            aliases=tuple(each for each in dict.fromkeys((codec, *other)) if each != name),
            note="A foreign charset, not a form of the family: none of eightfold's guarantees about forms hold for it.",
            source=f"Python's codec {codec}",
        )
        vars(self).update(codec=codec, web_name=_ON_THE_WEB.get(name, ""))

    def __repr__(self) -> str:
        return f"<Charset {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return charset, (self.name,)

    @property
    def is_foreign(self) -> bool:
        """True: the tables of the family do not define it."""
        return True

    @property
    def warning(self) -> str:
        """One sentence if the name means another charset on the web; else an empty str.

        >>> charset("gb2312").warning
        "gb2312 is Python's gb2312; on the web this name means gbk"
        """
        return self.web_name and f"{self.name} is Python's {self.codec}; on the web this name means {self.web_name}"

    @property
    def has_escapes(self) -> bool:
        """Whether it changes its state by the escape sequences of ISO 2022.

        >>> charset("iso-2022-kr").has_escapes, charset("euc-kr").has_escapes
        (True, False)
        """
        return self.codec.startswith("iso2022")

    def decoder(self) -> codecs.IncrementalDecoder:
        """Return a new strict incremental decoder."""
        return codecs.getincrementaldecoder(self.codec)("strict")


def charsets() -> tuple[Charset, ...]:
    """Return all charsets.

    >>> len(charsets())
    95
    """
    return tuple(_by_codec().values())


def charset(name: str) -> Charset:
    """Return the charset that Python means by a name.

    Raises:
        LookupError: Python knows no charset of this name: none at all, a codec of another kind, or a form of Unicode.
        TypeError: the name is not a str.

    >>> charset("Windows_1252").name, charset("sjis").name, charset("CP936").name
    ('windows-1252', 'shift_jis', 'gbk')
    >>> charset("rot13")
    Traceback (most recent call last):
    LookupError: unknown charset: 'rot13'
    """
    check_type("the name of a charset", name, str)
    found = _by_codec().get(_codec(name)) if name.isascii() else None
    if found is None:
        raise LookupError(f"unknown charset: {name!r}")
    return found


def _codec(name: str) -> str:
    """Return the name of the module of Python's encodings that a name leads to, as its registry looks for it."""
    found = normalize_encoding(name).lower()
    return aliases.get(found) or aliases.get(found.replace(".", "_")) or found


@cache
def _by_codec() -> dict[str, Charset]:
    return {each.codec: each for each in map(Charset, _NAMES)}
