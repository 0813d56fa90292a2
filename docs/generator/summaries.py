"""What each form is, in a line or two; and the table of them for the README and the docs."""

from __future__ import annotations

from docs.generator.markdown import code, table
from eightfold import forms

IN_A_LINE = {
    "utf-8": "RFC 3629; results and error positions are those of CPython",
    "utf-8-sig": "the same with the mark `EF BB BF`",
    "generalized-utf-8": "every code point as itself, surrogates too",
    "utf-8-rfc2044": "the original UTF-8, with up to six bytes, to U+7FFFFFFF",
    "wtf-8": "UTF-8 and unpaired surrogates, for strings of Windows and JavaScript; not for interchange",
    "cesu-8": "UTF-8 of UTF-16: six bytes for a supplementary code point (Oracle calls it UTF8)",
    "mutf-8": "Java's Modified UTF-8: class files, `writeUTF`, NBT; U+0000 is `C0 80`",
    "xtf-8": "UTF-8 mixed with binary bytes, which become U+EF80 to U+EFFF",
    "optu-8": "MirBSD's encoding of any bytes, and of the code points of the BMP",
    "corrected-utf-8": "offsets give each code point exactly one sequence; to U+8421109F",
    "corrected-utf-8-sig": "the same with the magic number of documents; the command always uses this one",
    "utf-16": "with a byte order mark; without one, the command assumes native order and says so",
    "utf-16-le": "little-endian, no mark",
    "utf-16-be": "big-endian, no mark",
    "wtf-16": "any 16-bit code units, with a byte order mark",
    "wtf-16-le": "little-endian, no mark",
    "wtf-16-be": "big-endian, no mark",
    "optu-16": "the 16-bit counterpart of `optu-8`: surrogates are never joined; with a byte order mark",
    "optu-16-le": "little-endian, no mark",
    "optu-16-be": "big-endian, no mark",
    "utf-32": "with a byte order mark",
    "utf-32-le": "little-endian, no mark",
    "utf-32-be": "big-endian, no mark",
}

ON_ITS_PAGE = {
    "utf-8": "UTF-8 by RFC 3629; results and error positions are those of CPython",
    "utf-8-sig": "",
    "utf-8-rfc2044": "the original UTF-8, with up to six bytes",
    "cesu-8": "UTF-8 of UTF-16 (Oracle calls it UTF8)",
    "mutf-8": "Java's Modified UTF-8: class files, `writeUTF`, NBT",
    "xtf-8": "UTF-8 mixed with binary bytes",
    "corrected-utf-8": "offsets give each code point exactly one sequence",
    "corrected-utf-8-sig": "the form of documents; the command always uses this one",
    "utf-16": "UTF-16 with a byte order mark; without one, the command assumes native order and says so",
    "utf-16-le": "UTF-16, little-endian, without a byte order mark",
    "utf-16-be": "UTF-16, big-endian, without a byte order mark",
    "wtf-16-le": "any 16-bit code units, little-endian, without a byte order mark",
    "wtf-16-be": "any 16-bit code units, big-endian, without a byte order mark",
    "optu-16-le": "the little-endian 16-bit counterpart of `optu-8`, without a byte order mark",
    "optu-16-be": "the big-endian 16-bit counterpart of `optu-8`, without a byte order mark",
    "utf-32": "UTF-32 with a byte order mark",
    "utf-32-le": "UTF-32, little-endian, without a byte order mark",
    "utf-32-be": "UTF-32, big-endian, without a byte order mark",
}
"""For lines that need their neighbours in the table, or say what the form's note says; empty: the note is enough."""


def family_table(folder: str = "") -> str:
    """Return the table of all forms, in the order of :func:`eightfold.forms`; with a folder, each links to its page.

    Raises:
        KeyError: a form has no line here.
    """
    names = [form.name for form in forms()]
    shown = [f"[{code(name)}]({folder}{name}.md)" if folder else code(name) for name in names]
    return table(("form", "what it is"), zip(shown, (IN_A_LINE[name] for name in names), strict=True))
