"""The Unicode name of a code point, or a label if it has no name; and the character, if it can be printed.

Controls have aliases instead of names, and Python cannot look up the alias of a control, so the aliases are listed
here. All other names come from the interpreter's Unicode version.

Source: Unicode 4.8 (names and code point labels); NameAliases.txt (the controls).
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_LARGEST_NAMED = 0x10FFFF
_NONCHARACTERS = range(0xFDD0, 0xFDF0)
_LABELS = {"Cc": "control", "Cs": "surrogate", "Co": "private-use"}

_FROM_0000 = (
    *("NULL", "START OF HEADING", "START OF TEXT", "END OF TEXT", "END OF TRANSMISSION", "ENQUIRY", "ACKNOWLEDGE"),
    *("ALERT", "BACKSPACE", "CHARACTER TABULATION", "LINE FEED", "LINE TABULATION", "FORM FEED", "CARRIAGE RETURN"),
    *("SHIFT OUT", "SHIFT IN", "DATA LINK ESCAPE", "DEVICE CONTROL ONE", "DEVICE CONTROL TWO", "DEVICE CONTROL THREE"),
    *("DEVICE CONTROL FOUR", "NEGATIVE ACKNOWLEDGE", "SYNCHRONOUS IDLE", "END OF TRANSMISSION BLOCK", "CANCEL"),
    *("END OF MEDIUM", "SUBSTITUTE", "ESCAPE", "INFORMATION SEPARATOR FOUR", "INFORMATION SEPARATOR THREE"),
    *("INFORMATION SEPARATOR TWO", "INFORMATION SEPARATOR ONE"),
)
_FROM_007F = (
    *("DELETE", "PADDING CHARACTER", "HIGH OCTET PRESET", "BREAK PERMITTED HERE", "NO BREAK HERE", "INDEX"),
    *("NEXT LINE", "START OF SELECTED AREA", "END OF SELECTED AREA", "CHARACTER TABULATION SET"),
    *("CHARACTER TABULATION WITH JUSTIFICATION", "LINE TABULATION SET", "PARTIAL LINE FORWARD"),
    *("PARTIAL LINE BACKWARD", "REVERSE LINE FEED", "SINGLE SHIFT TWO", "SINGLE SHIFT THREE"),
    *("DEVICE CONTROL STRING", "PRIVATE USE ONE", "PRIVATE USE TWO", "SET TRANSMIT STATE", "CANCEL CHARACTER"),
    *("MESSAGE WAITING", "START OF GUARDED AREA", "END OF GUARDED AREA", "START OF STRING"),
    *("SINGLE GRAPHIC CHARACTER INTRODUCER", "SINGLE CHARACTER INTRODUCER", "CONTROL SEQUENCE INTRODUCER"),
    *("STRING TERMINATOR", "OPERATING SYSTEM COMMAND", "PRIVACY MESSAGE", "APPLICATION PROGRAM COMMAND"),
)
CONTROLS = dict(enumerate(_FROM_0000)) | dict(enumerate(_FROM_007F, 0x7F))
"""The control characters, each with its alias."""


def character_name(code_point: int) -> str:
    """Return the Unicode name of a code point, or its label in angle brackets; a control's alias follows its label.

    >>> character_name(0xE9), character_name(0xD83D), character_name(0x0A)
    ('LATIN SMALL LETTER E WITH ACUTE', '<surrogate-D83D>', '<control-000A> LINE FEED')
    """
    if code_point > _LARGEST_NAMED:
        return f"<beyond-unicode-{code_point:X}>"
    name = unicodedata.name(chr(code_point), "")
    return name or f"<{_label(code_point)}-{code_point:04X}> {CONTROLS.get(code_point, '')}".rstrip()


def _label(code_point: int) -> str:
    if code_point in _NONCHARACTERS or code_point % 0x10000 >= 0xFFFE:
        return "noncharacter"
    return _LABELS.get(unicodedata.category(chr(code_point)), "reserved")


def shown_character(code_point: int) -> str:
    r"""Return a printable representation of a code point: the character, a mark on a dotted circle, or an empty str.

    The result is empty for characters that could affect a terminal or page: controls, bidirectional controls,
    surrogates.

    >>> shown_character(0xE9), shown_character(0x301), shown_character(0x202E)
    ('é', '◌́', '')
    """
    if code_point > _LARGEST_NAMED or not chr(code_point).isprintable():
        return ""
    mark = unicodedata.category(chr(code_point)).startswith("M")
    return "\N{DOTTED CIRCLE}" * mark + chr(code_point)


def columns(shown: str) -> int:
    """Return the width of printable text in terminal columns.

    >>> columns("é"), columns("漢"), columns("")
    (1, 2, 0)
    """
    return len(shown) if shown.isascii() else sum(map(_columns, shown))


@lru_cache(1 << 10)
def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


__all__ = ["CONTROLS", "character_name", "columns", "shown_character"]
