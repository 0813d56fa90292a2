"""Lengths that are measured, cuts between sequences, and memory of the caller, against building it with CPython."""

from __future__ import annotations

from benchmarks.peers import CPYTHON
from benchmarks.row import KIB, MIB, Row

MEASURED = ("wtf-8", "cesu-8", "mutf-8", "xtf-8", "corrected-utf-8", "utf-16-le", "wtf-16-le", "utf-32-le")
"""Forms besides utf-8 in which lengths are measured: one of each way to write any text."""


def subjects(text: str) -> dict[str, object]:
    data = text.encode()
    # In scripts of several bytes the middle is inside a sequence at times, and CPython's repair is to ignore the rest.
    memory = {"buffer": bytearray(len(data)), "points": memoryview(bytearray(4 * len(text))).cast("I")}
    return {"text": text, "data": data, "half": len(data) // 2 + 1, "piece": 64 * KIB, **memory}


def _length(form: str) -> Row:
    length = f"encoded_length(text, '{form}')"
    holds = f"mine == len(encode(text, '{form}'))"
    return Row(f"encoded_length {form}", CPYTHON, length, "len(text.encode())", subjects, holds=holds)


def _to_utf_16(name: str, ours: str) -> Row:
    return Row(name, CPYTHON, ours, "len(data.decode().encode('utf-16-le'))", subjects)


ROWS = (
    Row("encoded_length", CPYTHON, "encoded_length(text, 'utf-8')", "len(text.encode())", subjects),
    *map(_length, MEASURED),
    Row("code_point_count", CPYTHON, "code_point_count(data, 'utf-8')", "len(data.decode())", subjects),
    _to_utf_16("converted_length utf-8 to utf-16-le", "converted_length(data, 'utf-8', 'utf-16-le')"),
    Row(
        "truncate to half",
        CPYTHON,
        "truncate(text, half, 'utf-8')",
        "text.encode()[:half].decode('utf-8', 'ignore')",
        subjects,
        sizes=(64, MIB),
    ),
    Row(
        "truncate to 255",
        CPYTHON,
        "truncate(text, 255, 'utf-8')",
        "text.encode()[:255].decode('utf-8', 'ignore')",
        subjects,
        sizes=(64, MIB),
    ),
    Row(
        "truncate_bytes to half",
        CPYTHON,
        "truncate_bytes(data, half, 'utf-8')",
        "data[:half].decode('utf-8', 'ignore').encode()",
        subjects,
    ),
    Row(
        "boundary",
        CPYTHON,
        "boundary(data, half, 'utf-8')",
        "len(data[:half].decode('utf-8', 'ignore').encode())",
        subjects,
    ),
    Row(
        "split into pieces of 64 KB",
        CPYTHON,
        "[*split(data, piece, 'utf-8')]",
        "[data[at : at + piece] for at in range(0, len(data), piece)]",
        subjects,
        holds="b''.join(mine) == b''.join(other) and all(is_well_formed(each, 'utf-8') for each in mine)",
    ),
    Row(
        "encode_into",
        CPYTHON,
        "encode_into(text, 'utf-8', buffer)",
        "buffer.__setitem__(slice(None), text.encode())",
        subjects,
        holds="mine == (len(text), len(data)) and buffer == data",
    ),
    Row(
        "decode_code_points_into",
        CPYTHON,
        "decode_code_points_into(data, 'utf-8', points)",
        "data.decode().encode('utf-32-le')",
        subjects,
        holds="mine == (len(data), len(text)) and points.tobytes() == other",
    ),
)
