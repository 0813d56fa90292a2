"""OPTU-8 against MirBSD's own `optu8to16` and `optu16to8`."""

from eightfold import ConversionError, convert, decode, encode, is_well_formed
from support.outcomes import outcome
from support.vector_files import Comparisons, Line, lines_agreeing


def units(field: str) -> str:
    """Return 16-bit code units as a str of as many code points: OPTU-16 joins no pairs."""
    return "".join(chr(int(field[at : at + 4], 16)) for at in range(0, len(field), 4))


def test_every_byte_string_decodes_and_comes_back():
    def compared(line: Line) -> Comparisons:
        data = bytes.fromhex(line["in"])
        yield is_well_formed(data, "optu-8"), True
        yield decode(data, "optu-8"), units(line["optu16"])
        yield encode(units(line["optu16"]), "optu-8") == data, line["roundtrip"]
        yield convert(data, "optu-8", "optu-8"), data

    assert lines_agreeing("mirbsd_optu8_decode", compared) == 1125


def test_encoding_units():
    def compared(line: Line) -> Comparisons:
        result = outcome(encode, units(line["u16"]), "optu-8", "strict")
        if line["ok"]:
            yield result, bytes.fromhex(line["optu8"])
        else:
            yield result.start, line["pos"]
            yield (
                encode(units(line["u16"]), "optu-8", "ignore"),
                encode(units(line["u16"]).translate({0xFFFE: None, 0xFFFF: None}), "optu-8"),
            )

    assert lines_agreeing("mirbsd_optu16_encode", compared) == 515


def test_optu_16_is_what_optu8to16_gives():
    def compared(line: Line) -> Comparisons:
        data, units_read = bytes.fromhex(line["in"]), bytes.fromhex(line["optu16"])
        yield convert(data, "optu-8", "optu-16-be"), units_read
        yield convert(units_read, "optu-16-be", "optu-8"), data
        yield convert(units_read, "optu-16-be", "optu-16-le"), swapped(units_read)
        yield decode(units_read, "optu-16-be"), units(line["optu16"])

    assert lines_agreeing("mirbsd_optu8_decode", compared) == 1125


def test_optu_16_is_what_optu16to8_takes():
    def compared(line: Line) -> Comparisons:
        data = bytes.fromhex(line["u16"])
        yield encode(units(line["u16"]), "optu-16-be"), data
        try:
            yield convert(data, "optu-16-be", "optu-8"), bytes.fromhex(line["optu8"]) if line["ok"] else None
        except ConversionError as error:
            yield (line["ok"], error.start), (False, 2 * line["pos"])

    assert lines_agreeing("mirbsd_optu16_encode", compared) == 515


def swapped(data: bytes) -> bytes:
    return b"".join(data[at : at + 2][::-1] for at in range(0, len(data), 2))
