r"""Encode, decode, check, explain and convert every UTF-8-shaped encoding, including text that is not well-formed.

>>> import eightfold
>>> eightfold.decode(b"\xed\xa0\xbd", "wtf-8")
'\ud83d'
"""

from eightfold import _starting  # noqa: F401 - the start comes first, before `typing` is imported

# isort: split
from typing import TYPE_CHECKING

from eightfold import xtf8
from eightfold._engine import ENGINE
from eightfold.buffers import decode_code_points_into, encode_into
from eightfold.codec import register_codecs, unregister_codecs
from eightfold.cutting import boundary, split, truncate, truncate_bytes
from eightfold.explain import explain
from eightfold.explain.rows import Explained
from eightfold.faults import ConversionError, DecodeError, EncodeError, Fault, fault_of
from eightfold.forms import FaultRow, Form, Row, Signature, Variant, fault_row, form, forms
from eightfold.identify import Identification, identify
from eightfold.measuring import code_point_count, converted_length, encoded_length
from eightfold.scrub import scrub, scrub_report
from eightfold.stream import Checker, Converter
from eightfold.text import (
    convert,
    decode,
    decode_code_points,
    encode,
    encode_code_points,
    encode_faults,
    faults,
    is_encodable,
    is_well_formed,
    locate,
    tally,
)
from eightfold.version import __version__

if TYPE_CHECKING:
    from eightfold import corrected, jsontext, mutf8, repair, wtf8
    from eightfold.textfile import open
else:
    # Loaded on first use, so that programs that do not use them start faster. A verb with the name of its module cannot
    # be listed here: importing the module would put the module in place of the verb.
    _LATER = ("corrected", "jsontext", "mutf8", "open", "repair", "wtf8")

    def __getattr__(name):
        """Load a name of `_LATER` on first access."""
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found = import_module(f"{__name__}.textfile").open if name == "open" else import_module(f"{__name__}.{name}")
        globals()[name] = found
        return found

    def __dir__():
        return sorted({*globals(), *_LATER})


__all__ = [
    "Checker",
    "ConversionError",
    "Converter",
    "DecodeError",
    "ENGINE",
    "EncodeError",
    "Explained",
    "Fault",
    "FaultRow",
    "Form",
    "Identification",
    "Row",
    "Signature",
    "Variant",
    "__version__",
    "boundary",
    "code_point_count",
    "convert",
    "converted_length",
    "corrected",
    "decode",
    "decode_code_points",
    "decode_code_points_into",
    "encode",
    "encode_code_points",
    "encode_faults",
    "encode_into",
    "encoded_length",
    "explain",
    "fault_of",
    "fault_row",
    "faults",
    "form",
    "forms",
    "identify",
    "is_encodable",
    "is_well_formed",
    "jsontext",
    "locate",
    "mutf8",
    "open",
    "register_codecs",
    "repair",
    "scrub",
    "scrub_report",
    "split",
    "tally",
    "truncate",
    "truncate_bytes",
    "unregister_codecs",
    "wtf8",
    "xtf8",
]
