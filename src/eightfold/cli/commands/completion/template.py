"""The templates of the scripts: text with places for parts, each a name in capitals between two signs."""

from __future__ import annotations

from collections.abc import Mapping


def filled(template: str, parts: Mapping[str, str]) -> str:
    """Return a template with its parts in their places.

    >>> filled("words=@WORDS@", {"WORDS": "a b"})
    'words=a b'
    """
    for name, text in parts.items():
        template = template.replace(f"@{name}@", text)
    return template
