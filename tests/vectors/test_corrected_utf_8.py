"""Corrected UTF-8 against an independent C program written from its table."""

from array import array
from collections.abc import Iterable

import pytest

from eightfold import (
    ConversionError,
    DecodeError,
    decode,
    decode_code_points,
    encode_code_points,
    faults,
    is_well_formed,
)
from support.outcomes import Raised, outcome
from support.vector_files import Comparisons, Line, code_points, lines_agreeing

FORM = "corrected-utf-8"
LARGEST_IN_STR = 0x10FFFF
KINDS = {
    "bare continuation": "unexpected-continuation",
    "missing continuation": "truncated",
    "truncated": "truncated",
    "reserved FE/FF": "reserved",
}


def test_verdict_code_points_and_first_error():
    def compared(line: Line) -> Comparisons:
        data = bytes.fromhex(line["in"])
        yield is_well_formed(data, FORM), line["ok"]
        if line["ok"]:
            yield list(decode_code_points(data, FORM)), code_points(line["cps"])
            yield encode_code_points(code_points(line["cps"]), FORM), data
        else:
            error = outcome(decode_code_points, data, FORM, "strict")
            yield error.start, line["pos"]
            yield list(decode_code_points(data[: line["pos"]], FORM)), code_points(line["cps"])

    assert lines_agreeing("corrected_utf8_decode", compared) == 1275


def test_why():
    def compared(line: Line) -> Comparisons:
        if not line["ok"]:
            fault = next(faults(bytes.fromhex(line["in"]), FORM))
            yield (fault.start, fault.kind), (line["pos"], KINDS[line["why"]])
            if fault.kind == "truncated":
                yield fault.at_end, line["why"] == "truncated"

    assert lines_agreeing("corrected_utf8_decode", compared) == 928


def test_reserved_sequences_reach_to_the_next_recognized_lead_byte():
    def compared(line: Line) -> Comparisons:
        if line.get("why") == "reserved FE/FF":
            data = bytes.fromhex(line["in"])
            rest = data[line["pos"] :]
            length = len(rest) - len(rest.lstrip(bytes([*range(0x80, 0xC0), 0xFE, 0xFF])))
            error = outcome(decode_code_points, data, FORM, "strict")
            yield (error.start, error.end), (line["pos"], line["pos"] + length)

    assert lines_agreeing("corrected_utf8_decode", compared) == 28


def test_encoding():
    def compared(line: Line) -> Comparisons:
        point = int(line["cp"], 16)
        expected = None if line["bytes"] is None else bytes.fromhex(line["bytes"])
        for points in ([point], array("I", [point])):
            yield encoded_or_none(points), expected
        if expected is not None:
            yield list(decode_code_points(expected, FORM)), [point]

    assert lines_agreeing("corrected_utf8_encode", compared) == 365


def encoded_or_none(points: Iterable[int]) -> bytes | None:
    try:
        return encode_code_points(points, FORM)
    except ConversionError:
        return None


def test_a_str_holds_what_is_no_more_than_u_10ffff():
    def compared(line: Line) -> Comparisons:
        if not line["ok"]:
            return
        points = code_points(line["cps"])
        result = outcome(decode, bytes.fromhex(line["in"]), FORM, "strict")
        if max(points, default=0) <= LARGEST_IN_STR:
            yield result, "".join(map(chr, points))
        else:
            first = next(index for index, point in enumerate(points) if point > LARGEST_IN_STR)
            yield isinstance(result, Raised) and result.start, len(encode_code_points(points[:first], FORM))

    assert lines_agreeing("corrected_utf8_decode", compared) == 347


def test_beyond_a_str_the_fault_says_so():
    def compared(line: Line) -> Comparisons:
        point = int(line["cp"], 16)
        if line["bytes"] is not None and point > LARGEST_IN_STR:
            data = bytes.fromhex(line["bytes"])
            with pytest.raises(DecodeError) as caught:
                decode(data, FORM)
            assert caught.value.fault is not None
            yield (caught.value.fault.kind, caught.value.fault.code_point), ("unrepresentable", point)
            yield (caught.value.start, caught.value.end), (0, len(data))

    assert lines_agreeing("corrected_utf8_encode", compared) == 91
