"""The pictures by path."""

from __future__ import annotations

from docs.generator import byte_pictures, engine_pictures, family_picture

FOLDER = "docs/images"


def files() -> dict[str, str]:
    """Return every picture by path."""
    made = {
        "same-text": byte_pictures.same_text(),
        "first-bytes": byte_pictures.first_bytes(),
        "units-and-faults": byte_pictures.units_and_faults(),
        "escapes": byte_pictures.escapes(),
        "family": family_picture.family(),
        "engine": engine_pictures.engine(),
        "automaton": engine_pictures.automaton(),
    }
    narrow = {f"{FOLDER}/narrow/same-text.svg": byte_pictures.same_text(byte_pictures.NARROW)}
    return narrow | {f"{FOLDER}/{name}.svg": drawn for name, drawn in made.items()}
