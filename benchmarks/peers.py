"""The peers, the names that they provide to statements, and this machine. A peer that is not installed is skipped."""

from __future__ import annotations

import codecs
import os
import platform
import sys
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import eightfold

CPYTHON = "CPython"
OURS = "our utf-8"
MUTF8 = "PyPI mutf8"
PYARROW = "pyarrow"
SIMDUTF = "simdutf"
COPY = "a copy"
"""Of a bytearray into new bytes: what the machine needs to allocate and write as much memory."""

VERBS = {
    **{name: getattr(eightfold, name) for name in ("convert", "decode", "encode", "faults", "is_well_formed", "tally")},
    "xtf8": eightfold.xtf8,
    **{name: getattr(eightfold, name) for name in eightfold.measuring.__all__},
    **{name: getattr(eightfold, name) for name in (*eightfold.cutting.__all__, *eightfold.buffers.__all__)},
    **{name: getattr(eightfold.stream, name) for name in ("Decoder", "Encoder")},
}


def places_noted(data: bytes, encoding: str) -> list[tuple[int, int]]:
    """Return where a codec of CPython finds faults, as a handler notes it."""
    places: list[tuple[int, int]] = []

    def note(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        places.append((error.start, error.end))
        return "", error.end

    codecs.register_error("benchmarks.note", note)
    data.decode(encoding, "benchmarks.note")
    return places


def _cpython() -> dict[str, Any]:
    return {
        "places_noted": places_noted,
        "utf_8_decoder": codecs.getincrementaldecoder("utf-8"),
        "utf_8_encoder": codecs.getincrementalencoder("utf-8"),
    }


def _nothing() -> dict[str, Any]:
    return {}


def _mutf8() -> dict[str, Any]:
    # Without its compiled part the package silently falls back to Python, which is not a peer.
    from mutf8 import cmutf8  # type: ignore[import-untyped,unused-ignore]

    return {name: getattr(cmutf8, name) for name in ("decode_modified_utf8", "encode_modified_utf8")}


def _pyarrow() -> dict[str, Any]:
    import pyarrow  # type: ignore[import-untyped,unused-ignore]

    return {"array": pyarrow.array, "large_binary": pyarrow.large_binary(), "large_string": pyarrow.large_string()}


PEERS: Mapping[str, Callable[[], dict[str, Any]]] = {
    CPYTHON: _cpython,
    OURS: _nothing,
    COPY: _nothing,
    MUTF8: _mutf8,
    PYARROW: _pyarrow,
}
"""For each peer that works in this process, the function that provides the names which statements use."""


def tools(peer: str) -> dict[str, Any] | None:
    """Return the tools that statements call, by name, or None if the peer is not installed."""
    try:
        return {**VERBS, **PEERS[peer]()}
    except ImportError:
        return None


def instruction_set() -> str:
    """Return the name of the instruction set that the core uses; the reference uses none."""
    if eightfold.ENGINE != "native":
        return "none"
    from eightfold import _native

    return _native.INSTRUCTION_SET


def machine() -> dict[str, Any]:
    """Return the facts that a result depends on besides the code."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "instruction_set": instruction_set(),
        "engine": eightfold.ENGINE,
        "versions": {"CPython": platform.python_version(), **_crates(), **_packages("eightfold", "mutf8", "pyarrow")},
    }


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _crates() -> dict[str, str]:
    core = sys.modules.get("eightfold._native")
    return {crate: version for crate, version in getattr(core, "CRATES", ()) if crate == "simdutf"}


def _packages(*names: str) -> dict[str, str]:
    return {name: _version(name) for name in names}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
