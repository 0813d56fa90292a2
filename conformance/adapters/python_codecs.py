"""CPython's own codecs: UTF-8, UTF-16 and UTF-32; with `surrogatepass` generalized UTF-8 and WTF-16."""

from __future__ import annotations

import codecs
import platform
from typing import Any

from line_protocol import Answer, Unsupported, code_points, pieces, serve, text_of

MARK = codecs.BOM_UTF8
UNICODE = ("utf-8", "utf-8-sig", *(f"utf-{bits}{order}" for bits in (16, 32) for order in ("", "-le", "-be")))
CODECS = {name: (name, "strict") for name in UNICODE}
CODECS |= {f"wtf-16{order}": (f"utf-16{order}", "surrogatepass") for order in ("", "-le", "-be")}
CODECS |= {"generalized-utf-8": ("utf-8", "surrogatepass")}


def answer(request: dict[str, Any]) -> Answer:
    """Answer one request."""
    if request["form"] not in CODECS:
        raise Unsupported
    codec, errors = CODECS[request["form"]]
    return OPERATIONS[request["op"]](codec, errors, request)


def decode(codec: str, errors: str, request: dict[str, Any]) -> Answer:
    """Decode strictly. With `surrogatepass` errors are cut by UTF-8's table, so only their start is reported."""
    data = bytes.fromhex(request["input"])
    try:
        return code_points(data.decode(codec, errors))
    except UnicodeDecodeError as error:
        skipped = len(MARK) if codec == "utf-8-sig" and data.startswith(MARK) else 0
        span = [error.start + skipped, error.end + skipped]
        return {"error": span[:1] if errors != "strict" else span}


def replace(codec: str, errors: str, request: dict[str, Any]) -> Answer:
    """Decode with U+FFFD."""
    if errors != "strict":
        raise Unsupported("surrogatepass and replace are two handlers")
    return code_points(bytes.fromhex(request["input"]).decode(codec, "replace"))


def decode_stream(codec: str, errors: str, request: dict[str, Any]) -> Answer:
    """Decode in pieces with U+FFFD."""
    if errors != "strict":
        raise Unsupported("surrogatepass and replace are two handlers")
    decoder = codecs.getincrementaldecoder(codec)("replace")
    parts = pieces(bytes.fromhex(request["input"]), request["chunks"])
    return code_points("".join(decoder.decode(part, final) for part, final in parts))


def encode(codec: str, errors: str, request: dict[str, Any]) -> Answer:
    """Encode strictly."""
    try:
        return {"bytes": text_of(request["input"]).encode(codec, errors).hex()}
    except UnicodeEncodeError as error:
        return {"error": [error.start]}


def encode_stream(codec: str, errors: str, request: dict[str, Any]) -> Answer:
    """Encode in pieces."""
    encoder = codecs.getincrementalencoder(codec)(errors)
    try:
        parts = [encoder.encode(part, final) for part, final in pieces(text_of(request["input"]), request["chunks"])]
    except UnicodeEncodeError:
        return {"error": []}
    return {"bytes": b"".join(parts).hex()}


def faults(codec: str, errors: str, request: dict[str, Any]) -> Answer:
    """Refuse: a codec does not say what was meant."""
    raise Unsupported


OPERATIONS = {
    "decode": decode,
    "replace": replace,
    "decode-stream": decode_stream,
    "encode": encode,
    "encode-stream": encode_stream,
    "faults": faults,
}

if __name__ == "__main__":
    serve(f"{platform.python_implementation()} codecs", platform.python_version(), answer)
