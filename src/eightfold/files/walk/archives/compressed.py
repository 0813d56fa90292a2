"""The content of an archive that may be compressed."""

from __future__ import annotations

import re
from importlib import import_module
from typing import BinaryIO, cast

from eightfold.extras import ZSTD
from eightfold.files import FileError

_COMPRESSED = (
    (re.compile(rb"\x1f\x8b"), "gzip"),
    (re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), "bz2"),
    (re.compile(rb"\xfd7zXZ\0|]\0\0"), "lzma"),
    (re.compile(rb"\x28\xb5\x2f\xfd"), ZSTD),
)
"""How compressed files begin, and the modules that read them."""


def unpacked(path: str, file: BinaryIO) -> BinaryIO:
    """Return the content of a file from its beginning, decompressed if it is compressed."""
    file.seek(0)
    start = file.read(16)
    file.seek(0)
    module = next((module for pattern, module in _COMPRESSED if pattern.match(start)), None)
    if module is None:
        return file
    try:
        return cast(BinaryIO, import_module(module).open(file))
    except ImportError as error:
        raise FileError(path, f"it is compressed, and this Python cannot read it ({error})") from error
