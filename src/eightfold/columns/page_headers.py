"""The headers of the pages of a Parquet file: which version of data pages it has, and whether with checksums.

The footer does not say either, so the first data page of each column chunk is looked at.
Source: src/main/thrift/parquet.thrift of Apache Parquet Format.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, BinaryIO

from eightfold.columns.thrift import SCALAR, MalformedError, Reader

_TYPE, _CHECKSUM = 1, 4
"""Fields of PageHeader: type and crc."""
_DATA_PAGES = {0: "1.0", 3: "2.0"}
"""PageType DATA_PAGE and DATA_PAGE_V2, as pyarrow names their versions."""
_LONGEST = 32
"""How many bytes the first four fields have at most, and more."""


def page_options(file: BinaryIO, starts: Iterable[int]) -> dict[str, Any]:
    r"""Return the options by which a writer repeats the version and the checksums of pages that a file has anywhere.

    Args:
        file: the file.
        starts: where data pages begin in it. What is none there says nothing.

    >>> from io import BytesIO
    >>> page_options(BytesIO(bytes.fromhex("1506 1500 1500 1502")), [0])
    {'data_page_version': '2.0', 'write_page_checksum': True}
    """
    versions, has_checksum = {"1.0"}, False
    for start in starts:
        file.seek(start)
        with suppress(MalformedError):
            header = Reader(file.read(_LONGEST)).first_fields({_TYPE: SCALAR, _CHECKSUM: SCALAR})
            if header.get(_TYPE) in _DATA_PAGES:
                versions.add(_DATA_PAGES[header[_TYPE]])
                has_checksum |= _CHECKSUM in header
    return {"data_page_version": max(versions), "write_page_checksum": has_checksum}


__all__ = ["page_options"]
