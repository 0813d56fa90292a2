"""OPTU-8 against MirBSD's own `optu8to16` and `optu16to8`."""

from eightfold import convert, decode, encode, is_well_formed
from outcomes import outcome
from vector_files import Comparisons, Line, lines_agreeing


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
