"""eightfold itself, on the engine of the installation, through its public verbs."""

from __future__ import annotations

from array import array
from typing import Any

from line_protocol import LARGEST, Answer, Unsupported, code_points, pieces, points_of, serve, text_of

import eightfold
from eightfold.stream import Decoder, Encoder


def form_of(name: str) -> eightfold.Form:
    """Return the form; a policy behind the name chooses its variant."""
    name, _, policy = name.partition("/")
    form = eightfold.form(name)
    variant = form.variant(policy) if policy else None
    return variant.form if variant else form


def answer(request: dict[str, Any]) -> Answer:
    """Answer one request."""
    form = form_of(request["form"])
    if request["op"].startswith("encode"):
        return OPERATIONS[request["op"]](form, request)
    return OPERATIONS[request["op"]](form, request | {"data": bytes.fromhex(request["input"])})


def shown(points: array[int]) -> Answer:
    """Return the answer that tells code points."""
    return {"code_points": " ".join(f"{point:X}" for point in points)}


def decode(form: eightfold.Form, request: dict[str, Any]) -> Answer:
    """Decode strictly. Offsets behind a signature that is not counted are moved."""
    data = request["data"]
    try:
        return shown(eightfold.decode_code_points(data, form))
    except eightfold.DecodeError as error:
        marks = [each.mark for each in form.signatures if not each.counted and data.startswith(each.mark)]
        skipped = len(marks[0]) if marks else 0
        return {"error": [error.start + skipped, error.end + skipped]}


def replace(form: eightfold.Form, request: dict[str, Any]) -> Answer:
    """Decode with U+FFFD."""
    return shown(eightfold.decode_code_points(request["data"], form, "replace"))


def faults(form: eightfold.Form, request: dict[str, Any]) -> Answer:
    """Name every fault."""
    found = eightfold.faults(request["data"], form)
    meant = [(each, None if each.code_point is None else f"{each.code_point:X}") for each in found]
    return {"faults": [[each.start, each.end, each.kind, point] for each, point in meant]}


def decode_stream(form: eightfold.Form, request: dict[str, Any]) -> Answer:
    """Decode in pieces with U+FFFD."""
    if max(eightfold.decode_code_points(request["data"], form, "replace"), default=0) > LARGEST:
        raise Unsupported("a stream gives a str, which ends at U+10FFFF")
    decoder = Decoder(form, "replace")
    parts = pieces(request["data"], request["chunks"])
    return code_points("".join(decoder.decode(part, final) for part, final in parts))


def encode(form: eightfold.Form, request: dict[str, Any]) -> Answer:
    """Encode strictly."""
    try:
        return {"bytes": eightfold.encode_code_points(points_of(request["input"]), form).hex()}
    except eightfold.ConversionError as error:
        return {"error": [error.start]}


def encode_stream(form: eightfold.Form, request: dict[str, Any]) -> Answer:
    """Encode in pieces."""
    encoder = Encoder(form)
    try:
        parts = [encoder.encode(part, final) for part, final in pieces(text_of(request["input"]), request["chunks"])]
    except eightfold.EncodeError:
        encoder.discard()
        return {"error": []}
    return {"bytes": b"".join(parts).hex()}


OPERATIONS = {
    "decode": decode,
    "replace": replace,
    "faults": faults,
    "decode-stream": decode_stream,
    "encode": encode,
    "encode-stream": encode_stream,
}

if __name__ == "__main__":
    serve(f"eightfold ({eightfold.ENGINE})", eightfold.__version__, answer)
