"""The few shapes that the pictures are made of, as SVG; the same numbers give the same text.

A picture has a light ground of its own; on the site's dark pages a style inverts it as a whole.
"""

from __future__ import annotations

from html import escape

INK, FAINT, GROUND, LINE = "#1f2430", "#5b6472", "#ffffff", "#c3c9d4"
FILLS = ("#cfe3ff", "#ffe1b8", "#d6f2cf", "#ecd9fb", "#ffd3d8", "#cdeff0", "#f3efb4", "#e3e6ec")
FAULT = "#ffb3b3"
_FONTS = {
    "mono": "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
    "sans": "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif",
}


def picture(width: int, height: int, title: str, *shapes: str) -> str:
    """Return a picture with its shapes from back to front; the title is read aloud."""
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" aria-label="{escape(title)}">',
            f"<title>{escape(title)}</title>",
            "<!-- Made by: python -m docs.generator -->",
            f'<rect width="{width}" height="{height}" rx="8" fill="{GROUND}"/>',
            *shapes,
            "</svg>\n",
        )
    )


def box(x: float, y: float, width: float, height: float, fill: str = GROUND, edge: str = LINE) -> str:
    """Return a box."""
    return (
        f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="3" '
        f'fill="{fill}" stroke="{edge}"/>'
    )


def words(
    x: float,
    y: float,
    text: str,
    size: int = 14,
    *,
    font: str = "sans",
    anchor: str = "start",
    ink: str = INK,
    bold: bool = False,
) -> str:
    """Return a line of text; y is its base line."""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" font-size="{size}" font-family="{_FONTS[font]}" text-anchor="{anchor}" '
        f'fill="{ink}"{weight}>{escape(text)}</text>'
    )


def line(x1: float, y1: float, x2: float, y2: float, ink: str = FAINT, *, arrow: bool = False) -> str:
    """Return a line, with a head at its end if it is an arrow."""
    drawn = f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}" stroke="{ink}" stroke-width="1.5"/>'
    return drawn + (_head(x1, y1, x2, y2, ink) if arrow else "")


def bracket(x1: float, x2: float, y: float, depth: float, ink: str = FAINT) -> str:
    """Return a bracket over (depth above 0) or under a stretch."""
    path = f"M{_n(x1)} {_n(y)}v{_n(-depth)}H{_n(x2)}v{_n(depth)}"
    return f'<path d="{path}" fill="none" stroke="{ink}" stroke-width="1.5"/>'


def byte(x: float, y: float, value: int, fill: str, size: int = 28) -> str:
    """Return a byte in its box."""
    return box(x, y, size, 26, fill) + words(x + size / 2, y + 18, f"{value:02X}", 13, font="mono", anchor="middle")


def _head(x1: float, y1: float, x2: float, y2: float, ink: str) -> str:
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    sides = [(x2 - 8 * dx + side * 4 * dy, y2 - 8 * dy - side * 4 * dx) for side in (1, -1)]
    points = " ".join(f"{_n(x)},{_n(y)}" for x, y in ((x2, y2), *sides))
    return f'<polygon points="{points}" fill="{ink}"/>'


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
