"""Two packages of PyPI: `mutf8`, and ftfy's codec `utf-8-variants`, which reads CESU-8 and Java's NUL.

The argument is the name of one of the two.
"""

from __future__ import annotations

import codecs
import sys
from importlib.metadata import version
from typing import Any

from line_protocol import Answer, Unsupported, code_points, pieces, serve, text_of


def mutf8(request: dict[str, Any]) -> Answer:
    """Answer by the package mutf8."""
    from mutf8 import decode_modified_utf8, encode_modified_utf8

    if request["form"] != "mutf-8":
        raise Unsupported
    try:
        if request["op"] == "decode":
            return code_points(decode_modified_utf8(bytes.fromhex(request["input"])))
        if request["op"] == "encode":
            return {"bytes": encode_modified_utf8(text_of(request["input"])).hex()}
    except UnicodeDecodeError as error:
        return {"error": [error.start]}
    except UnicodeEncodeError as error:
        return {"error": [error.start]}
    raise Unsupported


def ftfy(request: dict[str, Any]) -> Answer:
    """Answer by ftfy's codec, which encodes as UTF-8 and so is not asked to."""
    import ftfy.bad_codecs  # noqa: F401 - it registers the codec

    data, codec = request["input"], "utf-8-variants"
    if request["form"] not in ("cesu-8", "mutf-8"):
        raise Unsupported
    if request["op"] == "decode":
        try:
            return code_points(bytes.fromhex(data).decode(codec))
        except UnicodeDecodeError as error:
            return {"error": [error.start, error.end]}
    if request["op"] == "replace":
        return code_points(bytes.fromhex(data).decode(codec, "replace"))
    if request["op"] == "decode-stream":
        decoder = codecs.getincrementaldecoder(codec)("replace")
        parts = pieces(bytes.fromhex(data), request["chunks"])
        return code_points("".join(decoder.decode(part, final) for part, final in parts))
    raise Unsupported


PACKAGES = {"mutf8": mutf8, "ftfy": ftfy}

if __name__ == "__main__":
    serve(f"{sys.argv[1]} (PyPI)", version(sys.argv[1]), PACKAGES[sys.argv[1]])
