"""XTF-8 against its C library, but for the sequence at the end of the input that the library drops."""

from collections.abc import Callable

from eightfold import ConversionError, is_well_formed, xtf8
from support.vector_files import Comparisons, Line, lines_agreeing

NAME = "xtf8_c"


def mended(line: Line, field: str) -> bytes | None:
    """Return a field of the line, None where the library stops; as it is when nothing is dropped."""
    value = {**line, **line.get("if_tail_not_dropped", {})}[field]
    if value == "same":
        return mended(line, field.replace("abort", "replace"))
    return None if value == "ABORTED" else bytes.fromhex(value)


def or_none(operation: Callable[..., bytes], data: bytes) -> bytes | None:
    try:
        return operation(data, "strict")
    except ConversionError:
        return None


def test_encode():
    def compared(line: Line) -> Comparisons:
        data = bytes.fromhex(line["in"])
        yield xtf8.encode(data), mended(line, "enc_replace")
        yield or_none(xtf8.encode, data), mended(line, "enc_abort")
        yield is_well_formed(xtf8.encode(data), "utf-8"), True

    assert lines_agreeing(NAME, compared) == 1125


def test_decode():
    def compared(line: Line) -> Comparisons:
        data = bytes.fromhex(line["in"])
        yield xtf8.decode(data), mended(line, "dec_replace")
        yield or_none(xtf8.decode, data), mended(line, "dec_abort")

    assert lines_agreeing(NAME, compared) == 1125


def test_round_trip():
    def compared(line: Line) -> Comparisons:
        data = bytes.fromhex(line["in"])
        # What does not come back from the library is what it drops, and what collides with an escape.
        yield xtf8.decode(xtf8.encode(data)) == data, line["roundtrip"] or line.get("upstream_defect", False)
        yield xtf8.decode(xtf8.encode(data, "escape")), data

    assert lines_agreeing(NAME, compared) == 1125
