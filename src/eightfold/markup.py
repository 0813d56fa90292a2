r"""HTML as values: the text of an element and the values of its attributes are always escaped.

Only :class:`Markup` is HTML, and only this module makes it from anything but constants, so text from a file, a path or
a form of a user can never become a tag. What cannot be printed, such as a control, an override of the writing
direction or an unpaired surrogate, appears as a backslash escape. All other characters beyond ASCII become character
references: the result is ASCII and means the same in every encoding that a page may be written in.

>>> print(element("p", "<é> & \ud83d", title='"'))
<p title="&quot;">&lt;&#233;&gt; &amp; \ud83d</p>
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

ROWS_SHOWN = 500
"""The maximum number of rows of a table; the page says how many more there are."""
_VOID = ("input", "meta")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})

_STYLE = """
.eightfold { border-collapse: collapse; color: inherit; font-size: 13px; }
.eightfold caption { caption-side: top; text-align: left; padding: 4px 8px; font-weight: bold; }
.eightfold th, .eightfold td { padding: 3px 10px; text-align: left; vertical-align: top; white-space: nowrap; }
.eightfold th { border-bottom: 1px solid rgba(128, 128, 128, 0.6); }
.eightfold td { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.eightfold td.number { text-align: right; }
.eightfold td.said { white-space: normal; font-family: inherit; }
.eightfold td b { color: #2a86d9; font-weight: bold; }
.eightfold tr.fault td { background: rgba(220, 50, 40, 0.16); }
.eightfold tr.signature td { background: rgba(128, 128, 128, 0.16); }
"""


class Markup(str):
    """HTML. Anything else that is a str is text."""

    __slots__ = ()


Content = str


def element(tag: str, *contents: Content, **attributes: object) -> Markup:
    r"""Return an element.

    Args:
        tag: its name, a constant.
        contents: text, which is escaped, and :class:`Markup`, which is not.
        attributes: by name, an underscore for a hyphen and one behind a word of Python's own; False leaves one out, and
            True gives it no value.

    >>> element("td", "a", element("b", "<"), class_="said", hidden=False)
    '<td class="said">a<b>&lt;</b></td>'
    """
    given = "".join(_attribute(name, value) for name, value in attributes.items() if value is not False)
    opening = f"<{tag}{given}>"
    return Markup(opening if tag in _VOID else f"{opening}{joined(contents)}</{tag}>")


def _attribute(name: str, value: object) -> str:
    plain = name.rstrip("_").replace("_", "-")
    return f" {plain}" if value is True else f' {plain}="{_escaped(str(value))}"'


def joined(contents: Iterable[Content], between: str = "") -> Markup:
    """Return contents as one piece of HTML, with a text between them.

    >>> joined(["<", element("b", "x")], ", ")
    '&lt;, <b>x</b>'
    """
    return Markup(_escaped(between).join(each if isinstance(each, Markup) else _escaped(each) for each in contents))


def _escaped(text: str) -> str:
    visible = text if text.isprintable() else "".join(map(_visible, text))
    return visible.translate(_ENTITIES).encode("ascii", "xmlcharrefreplace").decode("ascii")


def _visible(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode-escape").decode("ascii")


def isolated(text: str) -> Markup:
    """Return text whose writing direction leaves that of its surroundings alone.

    >>> isolated("a")
    '<bdi>a</bdi>'
    """
    return element("bdi", text)


def row(cells: Sequence[Content], columns: Sequence[str], class_: str = "plain") -> Markup:
    """Return a row of a table.

    Args:
        cells: the contents, one for each column.
        columns: the class of each column.
        class_: the class of the row.

    >>> row(["1"], ["number"])
    '<tr class="plain"><td class="number">1</td></tr>'
    """
    parts = (element("td", cell, class_=column) for cell, column in zip(cells, columns, strict=True))
    return element("tr", *parts, class_=class_)


def table(caption: str, header: Sequence[str], rows: Sequence[Markup], more: str = "") -> str:
    """Return a table for a notebook: self-contained, without scripts, legible on light and dark pages.

    Args:
        caption: what the table shows.
        header: the titles of the columns.
        rows: its rows, each by :func:`row`.
        more: a sentence about what is left out.

    >>> table("One", ["n"], [row(["1"], ["number"])]).endswith("</table>")
    True
    """
    titles = element("tr", *(element("th", title, scope="col") for title in header))
    made = element(
        "table",
        element("caption", caption),
        element("thead", titles),
        element("tbody", *rows),
        class_="eightfold",
    )
    rest = element("p", more) if more else ""
    return str(joined([Markup(f"<style>{_STYLE}</style>"), made, rest]))


def rest_of(count: int) -> str:
    """Return the sentence about the rows that are left out of a table of so many rows; empty if none is.

    >>> rest_of(ROWS_SHOWN + 2), rest_of(2)
    ('and 2 more', '')
    """
    return f"and {count - ROWS_SHOWN:,} more" if count > ROWS_SHOWN else ""


__all__ = ["ROWS_SHOWN", "Content", "Markup", "element", "isolated", "joined", "rest_of", "row", "table"]
